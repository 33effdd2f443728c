//! Near misses: lines and records that almost were an event that never occurred.

use regex::Regex;
use watchword_model::nearest;

/// Lines of text that are kept to explain patterns that found nothing.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    lines: Vec<Sample>,
}

/// A line that was searched.
#[derive(Clone, Debug)]
struct Sample {
    file: String,
    number: u64,
    text: String,
}

/// How many lines are kept, and how many bytes of each.
const KEPT: usize = 200;
const LENGTH: usize = 1000;

impl Samples {
    /// How many lines are kept.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Keeps a line, if there are few yet.
    #[inline]
    pub fn add(&mut self, file: &str, number: u64, line: &str) {
        if self.lines.len() < KEPT {
            self.keep(file, number, line);
        }
    }

    #[cold]
    fn keep(&mut self, file: &str, number: u64, line: &str) {
        let end = (0..=line.len().min(LENGTH)).rev().find(|end| line.is_char_boundary(*end));
        let text = line[..end.unwrap_or(0)].to_string();
        self.lines.push(Sample { file: file.to_string(), number, text });
    }

    /// The line that a pattern that matched nothing would match with one word spelt otherwise, or
    /// the one that it fits furthest, in words. Of a pattern that may well find nothing, at least
    /// `most_of` hundredths must fit.
    pub fn closest(&self, pattern: &str, most_of: usize) -> Option<String> {
        self.misspelt(pattern).or_else(|| self.longest(pattern, most_of))
    }

    /// The line that has a similar word where the pattern has one, and fits otherwise.
    fn misspelt(&self, pattern: &str) -> Option<String> {
        words(pattern).find_map(|word| {
            let (before, wanted, after) =
                (&pattern[..word.start], &pattern[word.clone()], &pattern[word.end..]);
            self.lines.iter().find_map(|Sample { file, number, text }| {
                let others = text.split(|c: char| !c.is_alphanumeric());
                let mut near = others.filter(|other| nearest(wanted, [*other]).is_some());
                let found = near.find(|other| {
                    let regex = Regex::new(&format!("{before}{other}{after}"));
                    regex.is_ok_and(|regex| regex.is_match(text))
                })?;
                Some(format!(
                    "the closest line is {file}:{number}: it has `{found}` where the pattern has `{wanted}`"
                ))
            })
        })
    }

    /// The line that matches the longest beginning of a pattern.
    fn longest(&self, pattern: &str, most_of: usize) -> Option<String> {
        let least = (literals(pattern) * most_of / 100).max(3);
        let ends = (1..pattern.len()).rev().filter(|end| pattern.is_char_boundary(*end));
        for end in ends {
            let (prefix, rest) = pattern.split_at(end);
            if literals(prefix) < least {
                return None;
            }
            let Some(regex) = closed(prefix) else { continue };
            let found = self.lines.iter().filter_map(|s| Some((s, regex.find(&s.text)?.range())));
            let found = found.max_by_key(|(_, range)| range.len());
            let Some((Sample { file, number, text }, range)) = found else { continue };
            let fits = short(&text[range.start..range.end], true);
            let goes_on = match text[range.end..].is_empty() {
                true => "the line ends".to_string(),
                false => format!("the line goes on with `{}`", short(&text[range.end..], false)),
            };
            return Some(format!(
                "the closest line is {file}:{number}: /{prefix}/ matches `{fits}`, but then the pattern needs /{rest}/ and {goes_on}"
            ));
        }
        None
    }
}

/// The words in a pattern that stand for themselves.
fn words(pattern: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    const SHORTEST: usize = 3;
    let mut words: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, c) in literal_chars(pattern) {
        match words.last_mut() {
            Some(word) if word.end == at => word.end += c.len_utf8(),
            _ => words.push(at..at + c.len_utf8()),
        }
    }
    words.into_iter().filter(|word| word.len() >= SHORTEST)
}

/// At most thirty characters of a text: the last ones, or the first.
fn short(text: &str, last: bool) -> String {
    const SHOWN: usize = 30;
    let chars: Vec<char> = text.chars().collect();
    match chars.len() > SHOWN {
        false => text.to_string(),
        true if last => format!("…{}", chars[chars.len() - SHOWN..].iter().collect::<String>()),
        true => format!("{}…", chars[..SHOWN].iter().collect::<String>()),
    }
}

/// The beginning of a pattern as a pattern: groups that are open are closed.
fn closed(prefix: &str) -> Option<Regex> {
    let (mut depth, mut escaped, mut in_class) = (0usize, false, false);
    for c in prefix.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Regex::new(&format!("{prefix}{}", ")".repeat(depth))).ok()
}

/// How many characters of a pattern stand for themselves: one that has few fits anything.
fn literals(prefix: &str) -> usize {
    literal_chars(prefix).count()
}

/// The letters and digits of a pattern that stand for themselves, and where they are.
fn literal_chars(pattern: &str) -> impl Iterator<Item = (usize, char)> {
    let mut chars = pattern.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, c) = chars.next()?;
            match c {
                '\\' => {
                    chars.next();
                }
                '[' => while chars.next().is_some_and(|(_, c)| c != ']') {},
                '(' if chars.peek().is_some_and(|(_, next)| *next == '?') => {
                    while chars.peek().is_some_and(|(_, c)| !">:)".contains(*c)) {
                        chars.next();
                    }
                }
                c if c.is_alphanumeric() => return Some((at, c)),
                _ => {}
            }
        }
    })
}

/// The record that fits the conditions of an event best.
#[derive(Clone, Debug)]
pub struct FieldMiss {
    /// How well it fits: conditions that held count most.
    pub rank: usize,
    /// The field differs in the case of letters only.
    pub is_near: bool,
    /// The field that was not as it should be.
    pub field: String,
    /// What it should be like.
    pub wanted: String,
    /// What it was, if it was there.
    pub found: Option<String>,
    /// Where the record is.
    pub place: String,
}

impl FieldMiss {
    /// The same in words.
    pub fn words(&self) -> String {
        let FieldMiss { field, wanted, place, .. } = self;
        match &self.found {
            Some(found) => {
                let found = short(found, false);
                format!("the closest record is {place}: `.{field}` is {found:?}, not {wanted:?}")
            }
            None => {
                format!("the closest record is {place}: it has no `.{field}`, expected {wanted:?}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_fits_furthest_is_shown_and_where_it_fails() {
        let mut samples = Samples::default();
        samples.add("app.log", 1, "starting");
        samples.add("app.log", 2, "ada logged on from 10.0.0.7");
        let miss = samples.closest(r"(?<u>\S+) logged in from (?<ip>\S+)", 0).unwrap();
        assert!(miss.contains("app.log:2"), "{miss}");
        assert!(miss.contains("matches `ada logged `"), "{miss}");
        assert!(miss.contains("needs /in from"), "{miss}");
        assert!(miss.contains("goes on with `on from 10.0.0.7`"), "{miss}");
        assert_eq!(samples.closest(r"(?<u>\S+) failed", 0), None);
        assert_eq!(samples.closest(r"(?<u>\S+) logged in from (?<ip>\S+)", 80), None);
        assert_eq!(samples.closest("[", 0), None);
        let miss = samples.closest("starting up", 0).unwrap();
        assert!(miss.contains("the line ends"), "{miss}");
    }

    #[test]
    fn a_word_that_is_spelt_otherwise_is_named_wherever_it_is() {
        let mut samples = Samples::default();
        samples.add("app.log", 1, "ada logged in from 10.0.0.7");
        samples.add("app.log", 2, "Ada read /etc/motd");
        let closest = |pattern: &str| samples.closest(pattern, 60).unwrap_or_default();
        let said = "the closest line is app.log:1: it has `logged` where the pattern has `loged`";
        assert_eq!(closest(r"(?<u>\S+) loged in"), said);
        assert!(
            closest(r"(?<u>[a-z]+) logged in form").contains("`from` where the pattern has `form`")
        );
        assert!(closest(r"raed (?<file>\S+)").contains("app.log:2: it has `read`"));
        assert!(closest(r"^ada read").contains("it has `Ada` where"));
        // Other words, and words of groups and classes.
        assert_eq!(closest(r"(?<u>\S+) wrote (?<file>\S+)"), "");
        assert_eq!(closest(r"[loged]{40}"), "");
    }
}
