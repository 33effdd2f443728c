//! Where events happened: in the program, if the record says so, else in the trace.

use std::collections::HashMap;
use std::sync::Arc;

use watchword_model::{Location, Where};

/// Records name the same few places over and over; beyond this many they are forgotten.
const REMEMBERED: usize = 1 << 16;

/// The places that records name, and the trace whose lines are being read.
#[derive(Clone)]
pub struct Locations {
    known: Vec<Arc<Location>>,
    by_text: HashMap<Box<str>, usize>,
    /// The trace.
    file: Arc<Location>,
}

impl Locations {
    /// For a trace of that name.
    pub fn new(file: &str) -> Locations {
        Locations { known: Vec::new(), by_text: HashMap::new(), file: whole(file) }
    }

    /// The trace.
    pub(crate) fn file(&self) -> &Arc<Location> {
        &self.file
    }

    /// The line that is being read.
    #[inline]
    pub fn line(&self, line: u64) -> Where<'_> {
        let line = Some(u32::try_from(line).unwrap_or(u32::MAX));
        Where { location: &self.file, line }
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
    pub fn get(&self, index: usize) -> Where<'_> {
        Where::from(&self.known[index])
    }
}

fn whole(file: &str) -> Arc<Location> {
    Arc::new(Location { file: Some(Arc::from(file)), ..Location::default() })
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
