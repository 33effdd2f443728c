//! An [`Outcome`] as files that other programs and people read.

pub mod html;
pub mod json;
pub mod junit;
pub mod sarif;

use crate::Outcome;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Watchword's own, versioned.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for test dashboards.
    Junit,
    /// One page for people.
    Html,
}

impl Format {
    /// Each format with the extension its files have.
    pub const TABLE: [(Format, &'static str); 4] = [
        (Format::Json, "json"),
        (Format::Sarif, "sarif"),
        (Format::Junit, "xml"),
        (Format::Html, "html"),
    ];

    /// The format of files with that extension.
    pub fn of_extension(extension: &str) -> Option<Format> {
        let known = Format::TABLE.iter().find(|(_, e)| extension.eq_ignore_ascii_case(e));
        known.map(|(format, _)| *format)
    }

    /// The whole file.
    pub fn render(self, outcome: &Outcome<'_>) -> String {
        match self {
            Format::Json => format!("{}\n", json::report(outcome)),
            Format::Sarif => format!("{}\n", sarif::report(outcome)),
            Format::Junit => junit::report(outcome),
            Format::Html => html::report(outcome),
        }
    }
}

/// Text in markup: nothing in it can be taken for markup, and no character is one that XML forbids.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
