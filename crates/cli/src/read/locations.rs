//! Where events happened: in the program, if the record says so, else in the trace.

use std::collections::HashMap;
use std::sync::Arc;

use watchword_model::Location;

/// Records name the same few places over and over; beyond this many they are forgotten.
const REMEMBERED: usize = 1 << 16;

/// The places that records name, and the line that is being read.
pub struct Locations {
    known: Vec<Arc<Location>>,
    by_text: HashMap<Box<str>, usize>,
    file: Arc<str>,
    here: Arc<Location>,
}

impl Locations {
    /// For a trace of that name.
    pub fn new(file: &str) -> Locations {
        Locations {
            known: Vec::new(),
            by_text: HashMap::new(),
            file: Arc::from(file),
            here: Arc::default(),
        }
    }

    /// Goes on with another trace.
    pub fn set_file(&mut self, file: &str) {
        self.file = Arc::from(file);
        self.here = Arc::default();
    }

    /// The line that is being read. Reuses the last one unless an engine kept it.
    #[inline]
    pub fn line(&mut self, line: u64) -> &Arc<Location> {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        match Arc::get_mut(&mut self.here) {
            Some(here) if here.file.is_some() => here.line = Some(line),
            _ => {
                let file = Some(self.file.clone());
                self.here = Arc::new(Location { file, line: Some(line), function: None });
            }
        }
        &self.here
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
        assert_eq!(kept.line, Some(1));
        let before = Arc::as_ptr(locations.line(3));
        assert_eq!(Arc::as_ptr(locations.line(4)), before, "an unkept line is reused");
        assert_eq!(locations.line(5).line, Some(5));
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
