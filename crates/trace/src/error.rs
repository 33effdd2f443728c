//! What can be wrong with a trace.

use std::{fmt, io};

/// The kind of mistake; each has a code that `watchword explain` tells more about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Bytes that are not text.
    Encoding,
    /// Not well-formed JSON.
    Json,
    /// Well-formed, but not a record.
    Shape,
    /// An argument that does not fit the declared type.
    Argument,
    /// More arguments than the event has parameters.
    Arity,
    /// A time, thread or location that cannot be understood.
    Field,
    /// Time that runs backwards.
    Backwards,
    /// Quotes of a CSV row.
    Quotes,
    /// A line beyond any sensible length.
    TooLong,
    /// A key given twice.
    Duplicate,
    /// A file that is compressed in a way that cannot be read.
    Compressed,
    /// An event whose time is not known, of a property with a time limit.
    Timeless,
}

macro_rules! page {
    ($code:literal) => {
        include_str!(concat!("../diagnostics/", $code, ".md"))
    };
}

impl Fault {
    /// Every fault with its code and its page.
    pub const TABLE: [(Fault, &'static str, &'static str); 12] = [
        (Fault::Encoding, "WW2001", page!("WW2001")),
        (Fault::Json, "WW2002", page!("WW2002")),
        (Fault::Shape, "WW2003", page!("WW2003")),
        (Fault::Argument, "WW2004", page!("WW2004")),
        (Fault::Arity, "WW2005", page!("WW2005")),
        (Fault::Field, "WW2006", page!("WW2006")),
        (Fault::Backwards, "WW2007", page!("WW2007")),
        (Fault::Quotes, "WW2008", page!("WW2008")),
        (Fault::TooLong, "WW2009", page!("WW2009")),
        (Fault::Duplicate, "WW2010", page!("WW2010")),
        (Fault::Compressed, "WW2011", page!("WW2011")),
        (Fault::Timeless, "WW2012", page!("WW2012")),
    ];

    /// The code.
    pub fn code(self) -> &'static str {
        Fault::TABLE.iter().find(|(f, _, _)| *f == self).map_or("WW2000", |(_, code, _)| code)
    }
}

/// What is wrong, at a byte of a line. Readers attach file and line; see [`ReadError`].
#[derive(Debug)]
pub struct Flaw {
    /// The kind of mistake.
    pub fault: Fault,
    /// Byte offset in the record.
    pub at: usize,
    /// What was expected and what was there.
    pub message: String,
}

impl Flaw {
    /// A flaw; boxed, because results that carry one travel through hot code.
    #[cold]
    #[inline(never)]
    pub fn new(fault: Fault, at: usize, message: impl Into<String>) -> Box<Flaw> {
        Box::new(Flaw { fault, at, message: message.into() })
    }
}

/// A line that could not be read, and where it is.
#[derive(Clone, Debug)]
pub struct ReadError {
    /// The kind of mistake.
    pub fault: Fault,
    /// The name of the trace.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The column, in characters from 1.
    pub column: u64,
    /// What was expected and what was there.
    pub message: String,
    /// The line around the column, shortened.
    pub excerpt: String,
    /// Where the column is in the excerpt, in characters from 0.
    pub caret: usize,
}

impl ReadError {
    /// Places a flaw of `record` in its file. The record may span lines (quoted CSV values).
    pub fn place(flaw: &Flaw, file: &str, first_line: u64, record: &[u8]) -> ReadError {
        let at = flaw.at.min(record.len());
        let before = &record[..at];
        let line = first_line + memchr::memchr_iter(b'\n', before).count() as u64;
        let start = memchr::memrchr(b'\n', before).map_or(0, |i| i + 1);
        let end = memchr::memchr(b'\n', &record[at..]).map_or(record.len(), |i| at + i);
        // A hostile line can be huge: what is counted and shown is bounded.
        const SHOWN: usize = 60;
        let column = String::from_utf8_lossy(&record[start..at]).chars().count() as u64 + 1;
        let lead = String::from_utf8_lossy(&record[at.saturating_sub(4 * SHOWN).max(start)..at])
            .chars()
            .collect::<Vec<_>>();
        let cut = lead.len().saturating_sub(SHOWN);
        let head: String = lead[cut..].iter().map(|c| visible(*c)).collect();
        let tail: String = String::from_utf8_lossy(&record[at..end.min(at + 4 * SHOWN)])
            .chars()
            .take(SHOWN)
            .map(visible)
            .collect();
        let caret = head.chars().count();
        ReadError {
            fault: flaw.fault,
            file: file.to_string(),
            line,
            column,
            message: flaw.message.clone(),
            excerpt: format!("{head}{tail}"),
            caret,
        }
    }
}

/// Control characters would garble a terminal.
fn visible(c: char) -> char {
    if c.is_control() { '\u{fffd}' } else { c }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadError { file, line, column, message, excerpt, .. } = self;
        write!(f, "{message} [{}]\n  --> {file}:{line}:{column}", self.fault.code())?;
        if !excerpt.trim().is_empty() {
            let gutter = line.to_string();
            let pad = " ".repeat(gutter.len());
            write!(f, "\n {pad} |\n {gutter} | {excerpt}\n {pad} | {}^", " ".repeat(self.caret))?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

/// Why a trace cannot be read.
#[derive(Debug)]
pub struct Error(Box<Why>);

#[derive(Debug)]
enum Why {
    Line(ReadError),
    Stream { name: String, cause: io::Error },
    Pattern(String),
}

impl Error {
    /// The stream failed.
    #[cold]
    pub(crate) fn stream(name: &str, cause: io::Error) -> Error {
        Error(Box::new(Why::Stream { name: name.to_string(), cause }))
    }

    /// A pattern for lines is not valid.
    pub(crate) fn pattern(message: String) -> Error {
        Error(Box::new(Why::Pattern(message)))
    }

    /// Whether the stream only has nothing more for now.
    pub fn is_would_block(&self) -> bool {
        matches!(&*self.0, Why::Stream { cause, .. } if cause.kind() == io::ErrorKind::WouldBlock)
    }

    /// The line that cannot be read, if it is one.
    pub fn line(&self) -> Option<&ReadError> {
        match &*self.0 {
            Why::Line(line) => Some(line),
            Why::Stream { .. } | Why::Pattern(_) => None,
        }
    }
}

impl From<ReadError> for Error {
    fn from(line: ReadError) -> Error {
        Error(Box::new(Why::Line(line)))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Why::Line(line) => line.fmt(f),
            Why::Stream { name, .. } => write!(f, "cannot read {name}"),
            Why::Pattern(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Why::Stream { cause, .. } => Some(cause),
            Why::Line(_) | Why::Pattern(_) => None,
        }
    }
}
