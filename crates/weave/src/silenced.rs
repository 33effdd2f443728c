//! Files that say which sites do not concern which property.
//!
//! One site per line, fields separated by blanks or tabs, `#` begins a comment:
//!
//! ```text
//! # property  class            method+descriptor         offset  event
//! SafeList    app.Main         run(Ljava/util/List;)V    17      next
//! SafeList    app.Main         run(Ljava/util/List;)V    *       *
//! *           app.generated.*  *                         *       *
//! ```
//!
//! Class, method, property and event are patterns (`*`, `?`, `{a,b}`); the offset is that of the
//! instruction in the original, unwoven bytecode, or `*`.
//!
//! A line `class NAME HASH` says that the class was analysed, and what the hash of its class file
//! was ([`hash`]). If there are such lines, only sites of these very classes are silenced; see
//! [`Silenced::judge`]. A line `unsound NAME` says that the analysis of that name found them, which
//! may be wrong.

use std::collections::HashMap;
use std::fmt;

use watchword_model::Glob;

/// The lines of silenced-site files.
#[derive(Clone, Debug, Default)]
pub struct Silenced {
    /// Lines about one class, by its name.
    exact: HashMap<String, Vec<Line>>,
    /// The others.
    patterns: Vec<Line>,
    /// Hashes of the class files that were analysed.
    analysed: HashMap<String, u64>,
    /// By property: hashes of what it said when it was analysed.
    texts: HashMap<String, Vec<u64>>,
    /// Analyses that may be wrong.
    unsound: Vec<String>,
}

/// What is known about a class file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Its lines hold: it was analysed as it is, or the files say nothing about hashes.
    Fine,
    /// A class of its name was analysed, but its class file was another one.
    Differs,
    /// No class of its name was analysed.
    Unknown,
}

/// The hash of a class file (FNV-1a, 64 bits).
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[derive(Clone, Debug)]
struct Line {
    property: Word,
    class: Word,
    method: Word,
    offset: Option<u32>,
    event: Word,
}

/// A pattern. Nearly all are names, of which a file has thousands.
#[derive(Clone, Debug)]
enum Word {
    Name(Box<str>),
    Pattern(Glob),
}

impl Word {
    fn new(text: &str) -> Word {
        let glob = Glob::new(text);
        match glob.is_literal() {
            true => Word::Name(text.into()),
            false => Word::Pattern(glob),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Word::Name(name) => **name == *text,
            Word::Pattern(glob) => glob.matches(text),
        }
    }
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for BadLine {}

impl Silenced {
    /// Reads a file's text and adds its lines.
    pub fn add(&mut self, text: &str) -> Result<(), BadLine> {
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let fields: Vec<&str> = line.split_whitespace().collect();
            if fields.is_empty() {
                continue;
            }
            let bad = |message: String| BadLine { line: number + 1, message };
            if let [what @ ("class" | "property"), name, hash] = fields[..] {
                let hash = u64::from_str_radix(hash, 16)
                    .map_err(|_| bad(format!("expected a hash, found `{hash}`")))?;
                match what {
                    "class" => {
                        self.analysed.insert(name.to_string(), hash);
                    }
                    _ => self.texts.entry(name.to_string()).or_default().push(hash),
                }
                continue;
            }
            if let ["unsound", name] = fields[..] {
                self.unsound.push(name.to_string());
                continue;
            }
            let [property, class, method, offset, event] = fields[..] else {
                return Err(bad(format!(
                    "expected property, class, method, offset and event, found {} field{}",
                    fields.len(),
                    if fields.len() == 1 { "" } else { "s" }
                )));
            };
            let offset = match offset {
                "*" => None,
                number => Some(number.parse().map_err(|_| {
                    bad(format!("expected a bytecode offset or `*`, found `{number}`"))
                })?),
            };
            let [property, class, method, event] = [property, class, method, event].map(Word::new);
            let line = Line { property, class, method, offset, event };
            match &line.class {
                Word::Name(name) => self.exact.entry(name.to_string()).or_default().push(line),
                Word::Pattern(_) => self.patterns.push(line),
            }
        }
        Ok(())
    }

    /// Whether nothing is silenced.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.patterns.is_empty()
    }

    /// Whether the lines about a class, by its name with dots, hold for a class file.
    pub fn judge(&self, class: &str, bytes: &[u8]) -> Judged {
        match self.analysed.get(class) {
            _ if self.analysed.is_empty() => Judged::Fine,
            Some(analysed) if *analysed == hash(bytes) => Judged::Fine,
            Some(_) => Judged::Differs,
            None => Judged::Unknown,
        }
    }

    /// Whether a property that says this is the one that was analysed, as far as the files tell.
    pub fn is_for(&self, property: &str, text: &str) -> bool {
        let known = self.texts.get(property);
        known.is_none_or(|known| known.contains(&hash(text.as_bytes())))
    }

    /// The names of analyses that made some of it and may be wrong.
    pub fn unsound(&self) -> &[String] {
        &self.unsound
    }

    /// Whether a line is about a class, and no other.
    pub fn names(&self, class: &str) -> bool {
        self.exact.contains_key(class)
    }

    /// Whether a line is about a property.
    pub fn concerns(&self, property: &str) -> bool {
        let mut lines = self.exact.values().flatten().chain(&self.patterns);
        lines.any(|line| line.property.matches(property))
    }

    /// Whether an event does not concern a property at a place.
    pub fn silences(&self, property: &str, event: &str, place: &crate::Place) -> bool {
        let exact = self.exact.get(&place.class).map_or(&[][..], Vec::as_slice);
        exact.iter().chain(&self.patterns).any(|line| {
            line.offset.is_none_or(|offset| offset == place.offset)
                && line.property.matches(property)
                && line.event.matches(event)
                && line.class.matches(&place.class)
                && line.method.matches(&format!("{}{}", place.method, place.descriptor))
        })
    }
}
