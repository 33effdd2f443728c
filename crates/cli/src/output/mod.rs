//! Output for people and programs.

pub mod atomic;
pub mod findings;
pub mod native;
pub mod progress;
pub mod recorder;
pub mod reports;
pub mod routing;
pub mod sources;
pub mod summary;
pub mod tallies;

use std::io::Write;

use style::Style;
pub use watchword_view::{expression, human, json, style};

use crate::args::Global;

/// Prints an error that the user must correct.
pub fn error(color: bool, error: &anyhow::Error) {
    let style = Style::new(color);
    let mut text = format!("{} {error}", style.error("error:"));
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Tells a person that the mistake is ours.
pub fn internal_error(color: bool, what: &str) {
    let style = Style::new(color);
    let _ = writeln!(
        std::io::stderr(),
        "{} {what}\n\n\
         This is a defect in Watchword, not in your input. Please report it, with the command\n\
         line, the version ({}) and, if you can share them, the property and the trace.",
        style.error("internal error:"),
        crate::VERSION,
    );
}

/// Warns a person of several things; what is said of many properties is said once.
pub fn warnings(global: &Global, texts: &[String]) {
    for text in watchword_view::gathered(texts, global.verbose) {
        warning(global.color_on_stderr(), &text);
    }
}

/// Tells a person what was assumed.
pub fn note(color: bool, text: &str) {
    let _ = writeln!(std::io::stderr(), "{} {text}", Style::new(color).dim("note:"));
}

/// Warns a person.
pub fn warning(color: bool, text: &str) {
    let _ = writeln!(std::io::stderr(), "{} {text}", Style::new(color).warning("warning:"));
}
