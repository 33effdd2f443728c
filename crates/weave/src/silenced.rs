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

use std::fmt;

use watchword_model::Glob;

/// The lines of silenced-site files.
#[derive(Clone, Debug, Default)]
pub struct Silenced {
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    property: Glob,
    class: Glob,
    method: Glob,
    offset: Option<u32>,
    event: Glob,
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
            let [property, class, method, event] = [property, class, method, event].map(Glob::new);
            self.lines.push(Line { property, class, method, offset, event });
        }
        Ok(())
    }

    /// Whether nothing is silenced.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether an event does not concern a property at a place.
    pub fn silences(&self, property: &str, event: &str, place: &crate::Place) -> bool {
        self.lines.iter().any(|line| {
            line.property.matches(property)
                && line.event.matches(event)
                && line.offset.is_none_or(|offset| offset == place.offset)
                && line.class.matches(&place.class)
                && line.method.matches(&format!("{}{}", place.method, place.descriptor))
        })
    }
}
