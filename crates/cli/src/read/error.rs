//! What can be wrong with a line of a trace.

use std::fmt;

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
}

impl Fault {
    /// Every fault with its code, a short rule and what to do about it.
    pub const TABLE: [(Fault, &'static str, &'static str); 11] = [
        (
            Fault::Encoding,
            "WW2001",
            "Traces are UTF-8 text.\n\n\
             The line holds bytes that are not UTF-8. If the file is a text log in another encoding,\n\
             convert it first: `iconv -f latin1 -t utf-8 app.log | watchword replay -p P.ww -`.\n\
             `--skip-bad-lines` leaves such lines out and counts them.",
        ),
        (
            Fault::Json,
            "WW2002",
            "Each line of a JSON Lines trace is one JSON object.\n\n\
             The line is not well-formed JSON; the column is where the reader gave up. A last line\n\
             that ends in the middle means that the file was cut off while it was written.\n\
             `--skip-bad-lines` leaves such lines out and counts them.",
        ),
        (
            Fault::Shape,
            "WW2003",
            "A record is an object with an event name or a program point.\n\n\
             The line is JSON, but not an object, or a field that must be text or a list is\n\
             something else. Records look like `{\"event\":\"push\",\"args\":{\"q\":17}}`.",
        ),
        (
            Fault::Argument,
            "WW2004",
            "Arguments fit the declared types of the event's parameters.\n\n\
             An event declared as `event push(q: int)` cannot carry a text. Change the declaration\n\
             or the trace; `any` (or no type at all) accepts every value.",
        ),
        (
            Fault::Arity,
            "WW2005",
            "A record has at most as many arguments as the event has parameters.\n\n\
             Missing arguments at the end are null; superfluous ones are a mistake, because they\n\
             usually mean that the declaration and the trace disagree.",
        ),
        (
            Fault::Field,
            "WW2006",
            "`time` is a number of seconds or an RFC 3339 date and time; `thread` is a number or a\n\
             name; `loc` is \"file:line\" or an object with file, line and function.",
        ),
        (
            Fault::Backwards,
            "WW2007",
            "Time does not run backwards.\n\n\
             Deadlines only mean something if events come in the order of their times. If the log\n\
             is slightly out of order, `--sort-window 5s` puts events that are at most so late back\n\
             into their place.",
        ),
        (
            Fault::Quotes,
            "WW2008",
            "A quoted CSV value is closed by a quote followed by a comma or the end of the line;\n\
             a quote inside is doubled: `\"say \"\"hi\"\"\"`.",
        ),
        (
            Fault::TooLong,
            "WW2009",
            "A line has at most 256 MiB.\n\n\
             A longer line is nearly always a binary file or a JSON array instead of JSON Lines:\n\
             `jq -c '.[]' big.json | watchword replay -p P.ww -` makes lines of an array.",
        ),
        (
            Fault::Duplicate,
            "WW2010",
            "A key occurs once in an object.\n\n\
             Programs disagree about which of two values counts, so neither is taken.",
        ),
        (
            Fault::Compressed,
            "WW2011",
            "The file is compressed in a way that is not read.\n\n\
             gzip and zstd are. Unpack others on the way: `xzcat trace.jsonl.xz | watchword replay \
             -p P.ww -`, or `bzcat`.",
        ),
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
#[derive(Debug)]
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
