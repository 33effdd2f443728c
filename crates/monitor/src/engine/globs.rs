//! What name patterns match, remembered: names and patterns are few, and asked about at every event.

use std::collections::HashMap;

use watchword_model::Glob;

/// More than this is forgotten and learnt again, so that a hostile trace cannot fill the memory.
const MOST_PATTERNS: usize = 1_000;
const MOST_NAMES: usize = 10_000;

/// Patterns and the names that were asked about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globs {
    patterns: HashMap<Box<str>, Pattern>,
}

#[derive(Clone, Debug)]
struct Pattern {
    glob: Glob,
    known: HashMap<Box<str>, bool>,
}

impl Globs {
    /// Whether the pattern matches one of the names.
    pub fn any<'n>(&mut self, pattern: &str, mut names: impl Iterator<Item = &'n str>) -> bool {
        if !self.patterns.contains_key(pattern) {
            if self.patterns.len() >= MOST_PATTERNS {
                self.patterns.clear();
            }
            let fresh = Pattern { glob: Glob::new(pattern), known: HashMap::new() };
            self.patterns.insert(pattern.into(), fresh);
        }
        let Some(Pattern { glob, known }) = self.patterns.get_mut(pattern) else { return false };
        names.any(|name| match known.get(name) {
            Some(answer) => *answer,
            None => {
                if known.len() >= MOST_NAMES {
                    known.clear();
                }
                let answer = glob.matches(name);
                known.insert(name.into(), answer);
                answer
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_is_computed() {
        let mut globs = Globs::default();
        for _ in 0..2 {
            for pattern in ["java.*", "*.{add,remove}", "x"] {
                for name in ["java.util.List", "a.add", "a.addAll", "x", ""] {
                    let expected = Glob::new(pattern).matches(name);
                    assert_eq!(globs.any(pattern, [name].into_iter()), expected);
                }
            }
        }
        for i in 0..3 * MOST_NAMES {
            assert!(globs.any("n*", [format!("n{i}").as_str()].into_iter()));
        }
        for i in 0..3 * MOST_PATTERNS {
            assert!(!globs.any(&format!("p{i}"), ["q"].into_iter()));
        }
        assert!(globs.patterns.len() <= MOST_PATTERNS);
    }
}
