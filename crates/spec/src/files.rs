//! Source files and positions in them.

use watchword_model::{FileId, Span};

/// A property file: its name as people know it, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The name messages show and imports are resolved against.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A place for people: line and column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
}

impl SourceFile {
    /// A file.
    pub fn new(name: &str, text: &str) -> SourceFile {
        SourceFile { name: name.to_string(), text: text.to_string() }
    }

    /// The line and column of a byte; past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = floor_boundary(&self.text, offset as usize);
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Position {
            line: before.bytes().filter(|b| *b == b'\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
        }
    }

    /// The text of a line, from 1, without its end; empty if there is no such line.
    pub fn line(&self, line: u32) -> &str {
        let text = self.text.split('\n').nth(line.saturating_sub(1) as usize).unwrap_or("");
        text.strip_suffix('\r').unwrap_or(text)
    }
}

/// The file a span is in, if it was written by a person.
pub fn file_of(files: &[SourceFile], span: Span) -> Option<&SourceFile> {
    if span.file == Span::NONE.file { None } else { files.get(span.file.index()) }
}

/// The text a span covers.
pub fn text_of(files: &[SourceFile], span: Span) -> &str {
    file_of(files, span)
        .and_then(|f| f.text.get(span.start as usize..span.end as usize))
        .unwrap_or("")
}

/// A span of a whole file's beginning, for messages about the file itself.
pub fn start_of(file: FileId) -> Span {
    Span { file, start: 0, end: 0 }
}

/// The last character boundary that is not after `offset`.
pub(crate) fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
