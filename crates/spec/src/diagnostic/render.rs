//! Diagnostics as text, in the manner people know from rustc.

use std::fmt::Write;

use watchword_model::{Severity, Span};

use super::Diagnostic;
use crate::files::{SourceFile, file_of};

/// The widest part of a line that is shown; longer lines are cut around the place.
const WIDTH: usize = 120;

struct Paint {
    color: bool,
}

impl Paint {
    fn wrap(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    fn bold(&self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn frame(&self, text: &str) -> String {
        self.wrap("1;34", text)
    }

    fn severity(&self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "1;32",
        };
        self.wrap(code, text)
    }
}

/// A place to show: span, remark, and whether it is the main one.
struct Mark<'a> {
    span: Span,
    text: &'a str,
    main: bool,
}

pub(super) fn render(diagnostic: &Diagnostic, files: &[SourceFile], color: bool) -> String {
    let paint = Paint { color };
    let mut out = String::new();
    let head = format!("{}[{}]", diagnostic.severity.name(), diagnostic.code);
    let _ = writeln!(
        out,
        "{}{}",
        paint.severity(diagnostic.severity, &head),
        paint.bold(&format!(": {}", diagnostic.message))
    );

    let mut marks = vec![Mark {
        span: diagnostic.span,
        text: diagnostic.label.as_deref().unwrap_or(""),
        main: true,
    }];
    marks.extend(diagnostic.labels.iter().map(|l| Mark {
        span: l.span,
        text: &l.message,
        main: false,
    }));
    marks.retain(|mark| file_of(files, mark.span).is_some());
    let widest = marks
        .iter()
        .filter_map(|m| Some(file_of(files, m.span)?.position(m.span.start).line))
        .max()
        .unwrap_or(0);
    let margin = widest.to_string().len();
    let bar = paint.frame(&format!("{:margin$} |", ""));

    // The main place's file first, the others after it; within a file by line.
    let mut shown: Vec<u32> = Vec::new();
    for mark in &marks {
        if !shown.contains(&mark.span.file.0) {
            shown.push(mark.span.file.0);
        }
    }
    for (i, file_id) in shown.iter().enumerate() {
        let file = &files[*file_id as usize];
        let mut here: Vec<&Mark> = marks.iter().filter(|m| m.span.file.0 == *file_id).collect();
        let first = here[0].span.start;
        here.sort_by_key(|m| m.span.start);
        let at = file.position(first);
        let arrow = if i == 0 { "-->" } else { ":::" };
        let _ = writeln!(
            out,
            "{:margin$}{} {}:{}:{}",
            "",
            paint.frame(arrow),
            file.name,
            at.line,
            at.column
        );
        let _ = writeln!(out, "{bar}");
        let mut last_line = 0;
        let (mut text, mut shift) = (String::new(), 0);
        for mark in here {
            let position = file.position(mark.span.start);
            let at = position.column as usize - 1;
            // Of a long line a part is shown; a place outside of it needs another part.
            let in_view = (shift..=shift + text.chars().count()).contains(&at);
            if position.line != last_line || !in_view {
                if last_line != 0 && position.line > last_line + 1 {
                    let _ = writeln!(out, "{}", paint.frame("..."));
                }
                (text, shift) = excerpt(file.line(position.line), at);
                let number = paint.frame(&format!("{:>margin$} |", position.line));
                let _ = writeln!(out, "{number} {text}");
            }
            last_line = position.line;
            let column = at.saturating_sub(shift);
            let length = file
                .text
                .get(mark.span.start as usize..mark.span.end as usize)
                .map_or(1, |t| t.split('\n').next().unwrap_or("").chars().count());
            let room = text.chars().count().saturating_sub(column).max(1);
            let carets = (if mark.main { "^" } else { "-" }).repeat(length.clamp(1, room));
            let carets = if mark.main {
                paint.severity(diagnostic.severity, &format!("{carets} {}", mark.text))
            } else {
                paint.frame(&format!("{carets} {}", mark.text))
            };
            let indent: String =
                text.chars().take(column).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            let _ = writeln!(out, "{bar} {indent}{}", carets.trim_end());
        }
    }
    let mut notes = Vec::new();
    notes.extend(diagnostic.note.as_deref().map(|t| ("note", t)));
    notes.extend(diagnostic.help.as_deref().map(|t| ("help", t)));
    if !notes.is_empty() && !marks.is_empty() {
        let _ = writeln!(out, "{bar}");
    }
    for (kind, text) in notes {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or("");
        let equals = paint.frame(&format!("{:margin$} =", ""));
        let _ = writeln!(out, "{equals} {}: {first}", paint.bold(kind));
        for line in lines {
            let _ = writeln!(out, "{:margin$}         {line}", "");
        }
    }
    out
}

/// The part of a line around a column, and how many characters were cut off before it.
/// Control characters are shown as replacements, so that hostile files cannot drive a terminal.
fn excerpt(line: &str, column: usize) -> (String, usize) {
    let visible = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
    let length = line.chars().count();
    if length <= WIDTH {
        return (line.chars().map(visible).collect(), 0);
    }
    let from = column.saturating_sub(WIDTH / 3).min(length - WIDTH);
    (line.chars().skip(from).take(WIDTH).map(visible).collect(), from)
}
