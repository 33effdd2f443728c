//! Where events happened: in the program, if the record says so, else in the trace.

use std::collections::HashMap;
use std::sync::Arc;

use watchword_model::Location;

/// Records name the same few places over and over; beyond this many they are forgotten.
const REMEMBERED: usize = 1 << 16;

/// So many lines are kept for whoever looks at them a little later, and then used again.
const LINES: usize = 64;

/// The places that records name, and the lines that are being read.
pub struct Locations {
    known: Vec<Arc<Location>>,
    by_text: HashMap<Box<str>, usize>,
    file: Arc<str>,
    lines: Vec<Arc<Location>>,
    /// The next of them to be used.
    next: usize,
}

impl Locations {
    /// For a trace of that name.
    pub fn new(file: &str) -> Locations {
        Locations {
            known: Vec::new(),
            by_text: HashMap::new(),
            file: Arc::from(file),
            lines: Vec::new(),
            next: 0,
        }
    }

    /// Goes on with another trace.
    pub fn set_file(&mut self, file: &str) {
        self.file = Arc::from(file);
        self.lines.clear();
        self.next = 0;
    }

    /// The line that is being read. Reuses one from some lines before unless an engine kept it.
    #[inline]
    pub fn line(&mut self, line: u64) -> &Arc<Location> {
        let line = Some(u32::try_from(line).unwrap_or(u32::MAX));
        let at = self.next;
        self.next = (at + 1) % LINES;
        match self.lines.get_mut(at).map(Arc::get_mut) {
            Some(Some(here)) => here.line = line,
            found => {
                let is_kept = found.is_some();
                let file = Some(self.file.clone());
                let here = Arc::new(Location { file, line, function: None });
                match is_kept {
                    true => self.lines[at] = here,
                    false => self.lines.push(here),
                }
            }
        }
        &self.lines[at]
    }

    /// A place that was written as `text` before.
    pub fn find(&self, text: &str) -> Option<usize> {
        self.by_text.get(text).copied()
    }

    /// Remembers a place written as `text`.
    pub fn add(&mut self, text: &str, location: Location) -> usize {
        if self.known.len() >= REMEMBERED {
            self.known.clear();
            self.by_text.clear();
        }
        self.known.push(Arc::new(location));
        self.by_text.insert(text.into(), self.known.len() - 1);
        self.known.len() - 1
    }

    /// A remembered place.
    pub fn get(&self, index: usize) -> &Arc<Location> {
        &self.known[index]
    }
}

/// `A.java:9`, `A.java:9:A.m` or just `A.m`.
pub fn parse(text: &str) -> Location {
    let mut parts = text.splitn(3, ':');
    let first = parts.next().unwrap_or_default();
    let line = parts.next().map(|l| l.trim().parse::<u32>());
    match line {
        None => Location { function: Some(Arc::from(text)), ..Location::default() },
        Some(Err(_)) => Location { file: Some(Arc::from(text)), ..Location::default() },
        Some(Ok(line)) => Location {
            file: Some(Arc::from(first)),
            line: Some(line),
            function: parts.next().filter(|f| !f.is_empty()).map(Arc::from),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_line_is_not_overwritten() {
        let mut locations = Locations::new("t.jsonl");
        let kept = locations.line(1).clone();
        assert_eq!(locations.line(2).line, Some(2));
        let before = Arc::as_ptr(locations.line(3));
        for line in 4..=LINES as u64 {
            locations.line(line);
        }
        for line in 1001..=1004 {
            let reused = Arc::as_ptr(locations.line(line)) == before;
            assert_eq!(reused, line == 1003, "an unkept line is reused, later");
            assert_eq!(locations.lines[line as usize - 1001].line, Some(line as u32));
        }
        assert_eq!(kept.line, Some(1));
    }

    #[test]
    fn places() {
        let shown = |text| {
            let l = parse(text);
            (
                l.file.as_deref().map(str::to_string),
                l.line,
                l.function.as_deref().map(str::to_string),
            )
        };
        let some = |s: &str| Some(s.to_string());
        assert_eq!(shown("A.java:9"), (some("A.java"), Some(9), None));
        assert_eq!(shown("A.java:9:A.m"), (some("A.java"), Some(9), some("A.m")));
        assert_eq!(shown("A.m"), (None, None, some("A.m")));
        assert_eq!(shown("a::b"), (some("a::b"), None, None));
    }
}
