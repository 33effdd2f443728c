//! What name patterns match, remembered: names and patterns are few, and asked about at every event.

use std::collections::HashMap;

use watchword_model::Glob;

/// More than this is forgotten and learnt again, so that a hostile trace cannot fill the memory.
const MOST_PATTERNS: usize = 1_000;
const MOST_NAMES: usize = 10_000;

/// How many answers are found without looking at any text.
const RECENT: usize = 256;

/// Handles of a pattern and a name, and whether they match.
type Answer = (u32, u32, bool);

/// Patterns and the names that were asked about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globs {
    patterns: HashMap<Box<str>, Pattern>,
    /// By pattern and name, in the one place such a pair has.
    recent: Vec<Option<Answer>>,
}

#[derive(Clone, Debug)]
struct Pattern {
    glob: Glob,
    known: HashMap<Box<str>, bool>,
}

impl Globs {
    /// What was said last about a pattern and a name, by their handles.
    #[inline]
    pub fn recall(&self, pattern: u32, name: u32) -> Option<bool> {
        let (p, n, answer) = (*self.recent.get(recent(pattern, name))?)?;
        (p == pattern && n == name).then_some(answer)
    }

    /// Remembers an answer by handles.
    pub fn remember(&mut self, pattern: u32, name: u32, answer: bool) {
        self.recent.resize(RECENT, None);
        self.recent[recent(pattern, name)] = Some((pattern, name, answer));
    }

    /// Handles may mean other texts from now on.
    pub fn forget_handles(&mut self) {
        self.recent.clear();
    }

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

fn recent(pattern: u32, name: u32) -> usize {
    pattern.wrapping_mul(37).wrapping_add(name) as usize % RECENT
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
