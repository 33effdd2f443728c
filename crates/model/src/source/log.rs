//! Selectors of log records and lines.

use std::cmp::Ordering;

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
    /// Structured records of which this holds.
    Where(LogTest),
    /// Lines this regular expression finds a match in.
    Regex(String),
}

/// What a record is asked. A comparison of a field that is missing does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTest {
    /// A field, by path, is like this text.
    Like(Vec<String>, Glob),
    /// A field is there and not like this text.
    Unlike(Vec<String>, Glob),
    /// This regular expression finds a match in a field.
    Finds(Vec<String>, String),
    /// A field is there, and this regular expression finds no match in it.
    Misses(Vec<String>, String),
    /// A field is a number that compares so with this one, which is written as in JSON.
    Compares(Vec<String>, LogOrder, String),
    /// This does not hold.
    Not(Box<LogTest>),
    /// All of these hold.
    All(Vec<LogTest>),
    /// At least one of these holds.
    Any(Vec<LogTest>),
}

/// How numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is what it is called")]
pub enum LogOrder {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl LogOrder {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            LogOrder::Less => "<",
            LogOrder::LessOrEqual => "<=",
            LogOrder::Greater => ">",
            LogOrder::GreaterOrEqual => ">=",
        }
    }

    /// Whether two numbers that compare like this fit.
    pub fn fits(self, order: Ordering) -> bool {
        match self {
            LogOrder::Less => order.is_lt(),
            LogOrder::LessOrEqual => order.is_le(),
            LogOrder::Greater => order.is_gt(),
            LogOrder::GreaterOrEqual => order.is_ge(),
        }
    }
}

impl LogTest {
    /// Calls `see` for every question that is asked about a field.
    pub fn each(&self, see: &mut impl FnMut(&LogTest)) {
        match self {
            LogTest::Not(test) => test.each(see),
            LogTest::All(tests) | LogTest::Any(tests) => tests.iter().for_each(|t| t.each(see)),
            _ => see(self),
        }
    }

    /// The field that is asked about.
    pub fn field(&self) -> Option<&[String]> {
        match self {
            LogTest::Like(path, _)
            | LogTest::Unlike(path, _)
            | LogTest::Finds(path, _)
            | LogTest::Misses(path, _)
            | LogTest::Compares(path, ..) => Some(path),
            LogTest::Not(_) | LogTest::All(_) | LogTest::Any(_) => None,
        }
    }
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
