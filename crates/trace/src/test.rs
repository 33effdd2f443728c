//! What `log where` asks of the fields of a record.

use std::borrow::Cow;
use std::cmp::Ordering;

use regex::Regex;
use watchword_model::{Glob, LogOrder, LogTest};

use crate::emit::like;
use crate::paths::{PathId, Paths};

/// A question about fields, ready to be asked.
#[derive(Clone, Debug)]
pub enum Test {
    /// A field is there and, or not, like this.
    Like(PathId, Glob, bool),
    /// A field is there, and a match is, or is not, found in it. Nothing is where the expression is none.
    Finds(PathId, Option<Regex>, bool),
    /// A field is a number that compares so with this one.
    Compares(PathId, LogOrder, Number),
    /// This does not hold.
    Not(Box<Test>),
    /// All of these hold.
    All(Vec<Test>),
    /// At least one of these holds.
    Any(Vec<Test>),
}

/// A number as records have them. Integers are compared exactly.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An integer of 64 bits.
    Int(i64),
    /// Any other.
    Float(f64),
}

impl Number {
    /// The number that a text is.
    fn of(text: &str) -> Option<Number> {
        if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.') {
            return None;
        }
        let int = text.parse().ok().map(Number::Int);
        int.or_else(|| text.parse().ok().map(Number::Float))
    }

    fn compare(self, other: Number) -> Option<Ordering> {
        let float = |number| match number {
            Number::Int(n) => n as f64,
            Number::Float(n) => n,
        };
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
            (a, b) => float(a).partial_cmp(&float(b)),
        }
    }
}

impl Test {
    /// A test of fields that have paths.
    pub fn new(test: &LogTest, paths: &Paths) -> Test {
        let find = |path: &[String]| paths.find(path).unwrap_or_default();
        let all = |tests: &[LogTest]| tests.iter().map(|test| Test::new(test, paths)).collect();
        match test {
            LogTest::Like(path, glob) => Test::Like(find(path), glob.clone(), true),
            LogTest::Unlike(path, glob) => Test::Like(find(path), glob.clone(), false),
            LogTest::Finds(path, text) => Test::Finds(find(path), Regex::new(text).ok(), true),
            LogTest::Misses(path, text) => Test::Finds(find(path), Regex::new(text).ok(), false),
            LogTest::Compares(path, order, number) => {
                let number = Number::of(number).unwrap_or(Number::Float(f64::NAN));
                Test::Compares(find(path), *order, number)
            }
            LogTest::Not(test) => Test::Not(Box::new(Test::new(test, paths))),
            LogTest::All(tests) => Test::All(all(tests)),
            LogTest::Any(tests) => Test::Any(all(tests)),
        }
    }

    /// Whether it holds of these fields.
    pub fn holds<'r>(&self, field: &impl Fn(PathId) -> Option<Cow<'r, str>>) -> bool {
        match self {
            Test::Like(path, glob, is) => field(*path).is_some_and(|text| like(glob, &text) == *is),
            Test::Finds(path, regex, is) => {
                let finds = |text: Cow<'_, str>| Some(regex.as_ref()?.is_match(&text) == *is);
                field(*path).and_then(finds).unwrap_or(false)
            }
            Test::Compares(path, order, number) => {
                let compare = |text: Cow<'_, str>| Number::of(&text)?.compare(*number);
                field(*path).and_then(compare).is_some_and(|found| order.fits(found))
            }
            Test::Not(test) => !test.holds(field),
            Test::All(tests) => tests.iter().all(|test| test.holds(field)),
            Test::Any(tests) => tests.iter().any(|test| test.holds(field)),
        }
    }
}
