//! Selectors of log records and lines.

use super::Capture;
use crate::Glob;

/// Records or lines of a log, and what an event there carries.
#[derive(Clone, Debug)]
pub struct LogSource {
    /// Which records.
    pub select: LogSelect,
    /// What the event carries.
    pub captures: Vec<Capture<LogTerm>>,
}

/// Which records or lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogSelect {
    /// Structured records whose event name is this.
    Record(String),
    /// Structured records with these fields equal to these texts.
    Where(Vec<(Vec<String>, Glob)>),
    /// Lines this regular expression finds a match in.
    Regex(String),
}

/// What an event of a log record can carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTerm {
    /// A field by path: `.request.id`.
    Field(Vec<String>),
    /// A named group of the regular expression.
    Group(String),
    /// An argument by position.
    Position(u32),
    /// The whole line.
    Line,
}
