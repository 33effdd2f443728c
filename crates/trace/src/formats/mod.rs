//! The formats of traces, in one table: a file each, an entry each.

pub mod csv;
pub mod jsonl;
pub mod logfmt;
pub mod rows;
pub mod text;
pub mod tsv;
pub mod zeek;

use csv::{Csv, Separated};
use jsonl::JsonLines;
use logfmt::Logfmt;
use tsv::{Tabs, Tsv};
use zeek::Zeek;

use crate::elements;
use crate::error::{Fault, Flaw};
use crate::locations::Locations;
use crate::record::{Raw, Record, Slot};
use crate::routes::Routes;
use crate::threads::Threads;
use crate::times::Times;

pub(crate) type Result<T> = std::result::Result<T, Box<Flaw>>;

/// Reads the lines of one trace into records.
pub trait LineFormat: Send {
    /// A second reader at the same place of the trace.
    fn copy(&self) -> Box<dyn LineFormat>;

    /// Whether no line that follows can change how others are read.
    fn is_settled(&self) -> bool {
        true
    }

    /// Reads one line, or one row of several; `record` must be clear.
    fn read(&mut self, line: &str, record: &mut Record, around: &mut Around<'_>) -> Result<Line>;

    /// The names of the columns, once a header was read.
    fn columns(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// What a line was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A record.
    Record,
    /// Names of columns.
    Header,
    /// Nothing that is an event or a time.
    Comment,
}

/// What is known of the model and of the whole trace when a line is read.
pub struct Around<'a> {
    /// Which events, parameters and fields are asked for.
    pub routes: &'a Routes,
    /// The places that were named.
    pub locations: &'a mut Locations,
    /// The threads that were named.
    pub threads: &'a mut Threads,
    /// How times are written.
    pub times: &'a mut Times,
    /// Set for a first row that neither names columns nor is an event that is known.
    pub unnamed: bool,
}

/// How a trace is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON documents: lists, and objects that span lines.
    Json,
    /// One JSON object per line.
    Jsonl,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// `key=value` pairs.
    Logfmt,
    /// Rows between tabs below lines with `#`, as Zeek writes them.
    Zeek,
    /// Lines of text, in which patterns of the property find events.
    Text,
}

/// What is known when a trace is opened.
pub struct Opening<'a> {
    /// Which events, parameters and fields are asked for.
    pub routes: &'a Routes,
    /// How times are written.
    pub times: &'a Times,
    /// What stands between the values of a row.
    pub separator: u8,
}

/// Makes a reader of lines.
pub type Open = fn(&Opening<'_>) -> Box<dyn LineFormat>;

/// What stands between values, by a first line and what the user said.
pub type Separator = fn(&str, Option<u8>, &Routes) -> u8;

/// What is known of a format.
pub struct Entry {
    /// The format.
    pub format: Format,
    /// What users call it, the usual name first.
    pub names: &'static [&'static str],
    /// Extensions of file names that say so, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// One line about it for the help.
    pub about: &'static str,
    /// Whether a first line can be of this format only, given the events there are.
    pub is: fn(&str, &Routes) -> bool,
    /// Whether a first line looks like this format, if it is not surely of another.
    pub looks_like: fn(&str) -> bool,
    /// Rows may span lines where a quoted value does.
    pub spans: bool,
    /// What stands between the values of a row; only rows have it.
    pub separator: Separator,
    /// A reader at the beginning of a trace; lines of text have none: they are searched.
    pub open: Option<Open>,
}

impl Format {
    /// Every format; of those that a first line looks like, the first.
    pub const TABLE: &'static [Entry] = &[
        Entry {
            format: Format::Json,
            names: &["json"],
            // Files of that name are often JSON Lines: the first line tells.
            extensions: &[],
            about: "JSON documents: lists, and objects that span lines",
            is: |line, _| elements::begins_document(line),
            looks_like: |_| false,
            spans: false,
            separator: |_, _, _| b',',
            open: Some(|from| Box::new(JsonLines::new(&from.routes.paths, from.times))),
        },
        Entry {
            format: Format::Jsonl,
            names: &["jsonl", "ndjson"],
            extensions: &["jsonl", "ndjson", "json"],
            about: "One JSON object per line",
            is: |line, _| line.starts_with('{'),
            looks_like: |_| false,
            spans: false,
            separator: |_, _, _| b',',
            open: Some(|from| Box::new(JsonLines::new(&from.routes.paths, from.times))),
        },
        Entry {
            format: Format::Logfmt,
            names: &["logfmt"],
            extensions: &["logfmt"],
            about: "`key=value` pairs",
            is: |_, _| false,
            looks_like: logfmt::looks_like,
            spans: false,
            separator: |_, _, _| b',',
            open: Some(|_| Box::new(Logfmt)),
        },
        Entry {
            format: Format::Csv,
            names: &["csv"],
            extensions: &["csv"],
            about: "Comma-separated values",
            is: |line, routes| [',', ';', '|'].iter().any(|by| rows::begins(line, *by, routes)),
            looks_like: |line| line.contains(',') && !text::begins_with_time(line),
            spans: true,
            separator: csv::separator,
            open: Some(|from| Box::new(Csv::new(Separated(from.separator)))),
        },
        Entry {
            format: Format::Tsv,
            names: &["tsv"],
            extensions: &["tsv", "tab"],
            about: "Tab-separated values",
            is: |line, routes| rows::begins(line, '\t', routes),
            // Lines of text have tabs, too.
            looks_like: |_| false,
            spans: false,
            separator: |_, _, _| b'\t',
            open: Some(|_| Box::new(Tsv::new(Tabs))),
        },
        Entry {
            format: Format::Zeek,
            names: &["zeek"],
            extensions: &[],
            about: "Rows between tabs below lines with `#`, as Zeek writes them",
            is: |_, _| false,
            looks_like: |_| false,
            spans: false,
            separator: |_, _, _| b'\t',
            open: Some(|_| Box::new(Zeek::default())),
        },
        Entry {
            format: Format::Text,
            names: &["text", "log"],
            // Only if there are patterns for lines.
            extensions: &["log", "txt"],
            about: "Lines of text, in which patterns of the property find events",
            is: |_, _| false,
            looks_like: |_| false,
            spans: false,
            separator: |_, _, _| b',',
            open: None,
        },
    ];

    /// What is known of it.
    pub fn entry(self) -> &'static Entry {
        Format::TABLE.iter().find(|entry| entry.format == self).unwrap_or(&Format::TABLE[0])
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Format> {
        Format::TABLE.iter().find(|entry| entry.names.contains(&name)).map(|entry| entry.format)
    }

    /// The format that the extension of a file name says, be the file compressed or not.
    pub fn of_file(name: &str) -> Option<Format> {
        let (_, extension) = plain_name(name).rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        let entry = Format::TABLE.iter().find(|entry| entry.extensions.contains(&&*extension))?;
        Some(entry.format)
    }
}

/// The time of a record, if a field was named that has it.
#[inline]
pub(crate) fn take_time(line: &str, record: &mut Record, times: &mut Times) -> Result<()> {
    let Some(path) = times.field else { return Ok(()) };
    let Slot { raw, at } = record.fields[path];
    let at = at as usize;
    let time = match raw {
        Raw::Missing | Raw::Null => return Ok(()),
        Raw::Str(text) | Raw::Cell(text) => times.text(record.text(line, text)),
        Raw::Int(_) | Raw::Big(_) | Raw::Float(_) => {
            let number = &line[at..];
            let end = number.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c));
            times.number(&number[..end.unwrap_or(number.len())])
        }
        _ => None,
    };
    record.time_at = at;
    record.time = time;
    match time {
        Some(_) => Ok(()),
        None => Err(Flaw::new(Fault::Field, at, format!("expected {}", times.expected()))),
    }
}

/// Extensions that say nothing about what is inside.
const COMPRESSED: [&str; 4] = [".gz", ".gzip", ".zst", ".zstd"];

/// A name without the extension of a compressed file: `app.log.gz` holds an `app.log`.
pub fn plain_name(name: &str) -> &str {
    COMPRESSED.iter().find_map(|e| name.strip_suffix(e)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compressed_files() {
        assert_eq!(plain_name("app.jsonl.gz"), "app.jsonl");
        assert_eq!(plain_name("app.log.zst"), "app.log");
        assert_eq!(plain_name("app.log"), "app.log");
    }

    #[test]
    fn names_and_extensions_mean_one_format_each() {
        let names = Format::TABLE.iter().flat_map(|e| e.names.iter().map(|n| (*n, e.format)));
        for (name, format) in names {
            assert_eq!(Format::named(name), Some(format), "{name}");
        }
        let files = Format::TABLE.iter().flat_map(|e| e.extensions.iter().map(|x| (*x, e.format)));
        for (extension, format) in files {
            assert_eq!(Format::of_file(&format!("a.b/c.{extension}.gz")), Some(format));
            let upper = extension.to_ascii_uppercase();
            assert_eq!(Format::of_file(&format!("c.{upper}")), Some(format), "{upper}");
        }
        assert_eq!(Format::of_file("trace"), None);
    }
}
