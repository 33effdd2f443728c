//! Diagnostics of a property file: what is wrong, where, why, and how to correct it.

mod codes;
mod expected;
mod render;

pub use codes::{Code, all_codes, explain};
pub use watchword_model::nearest;
use watchword_model::{Severity, Span};

use crate::files::{Position, SourceFile, file_of};

/// A message to the author of a property.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The stable code, such as `WW0101`; [`explain`] tells more.
    pub code: &'static str,
    /// How serious it is. An error means there is no model.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What the place itself says, under the carets.
    pub label: Option<String>,
    /// Other places that matter.
    pub labels: Vec<SpanLabel>,
    /// The rule that was broken, where the message does not say it.
    pub note: Option<String>,
    /// How to correct it; every diagnostic has a correction.
    pub help: Option<String>,
    /// The change that mends it, where a program could make it.
    pub fix: Option<Fix>,
}

/// A change of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// What is replaced; nothing, if it is empty.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// A place with a remark.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanLabel {
    /// Where.
    pub span: Span,
    /// The remark.
    pub message: String,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Error, span, message.into())
    }

    /// A warning.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, Severity::Warning, span, message.into())
    }

    fn new(code: Code, severity: Severity, span: Span, message: String) -> Diagnostic {
        // Every diagnostic has a correction: that of its code, unless a better one is known.
        let help = match code {
            Code::Unexpected => expected::help(&message),
            _ => None,
        };
        let help = help.unwrap_or_else(|| code.remedy().to_string());
        Diagnostic {
            code: code.text(),
            severity,
            message: readable(message),
            span,
            label: None,
            labels: Vec::new(),
            note: None,
            help: Some(readable(help)),
            fix: None,
        }
    }

    /// What the place itself says.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(readable(label.into()));
        self
    }

    /// Another place that matters.
    pub fn also(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(SpanLabel { span, message: readable(message.into()) });
        self
    }

    /// The rule that was broken.
    pub fn rule(mut self, note: impl Into<String>) -> Diagnostic {
        self.note = Some(readable(note.into()));
        self
    }
    /// How to correct it.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(readable(help.into()));
        self
    }

    pub(crate) fn help_if(mut self, help: Option<String>) -> Diagnostic {
        self.help = help.map(readable).or(self.help);
        self
    }

    /// How to mend it if a name that exists is near the one that was written, which is what the
    /// place covers.
    pub(crate) fn did_you_mean(mut self, near: Option<&str>) -> Diagnostic {
        let Some(near) = near else { return self };
        self.fix = Some(Fix { span: self.span, text: near.to_string() });
        self.help(format!("did you mean `{near}`?"))
    }

    /// The change that mends it.
    pub(crate) fn fix(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.fix = Some(Fix { span, text: text.into() });
        self
    }

    /// Whether there is no model because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The name of the file it is about, if it is about one.
    pub fn file<'a>(&self, files: &'a [SourceFile]) -> Option<&'a str> {
        file_of(files, self.span).map(|f| f.name.as_str())
    }

    /// Line and column of its first character and of the one after its last.
    pub fn range(&self, files: &[SourceFile]) -> Option<(Position, Position)> {
        let file = file_of(files, self.span)?;
        Some((file.position(self.span.start), file.position(self.span.end)))
    }

    /// As people read it: message, place, excerpt with carets, remarks, help.
    pub fn render(&self, files: &[SourceFile], color: bool) -> String {
        render::render(self, files, color)
    }
}

/// Longer texts are cut: names in hostile files have no end.
const MAX_TEXT: usize = 600;

/// A text that is short enough to be read and does not drive a terminal.
fn readable(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        text.truncate(crate::files::floor_boundary(&text, MAX_TEXT));
        text.push('…');
    }
    let hostile = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.contains(hostile) { text.replace(hostile, "\u{fffd}") } else { text }
}
