//! What people and programs are told.

pub mod atomic;
pub mod human;
pub mod native;
pub mod progress;
pub mod reports;
pub mod sources;
pub mod style;
pub mod summary;
pub mod violations;

use std::io::Write;

use style::Style;
pub use watchword_view::{expression, json};

/// Tells a person what they have to mend.
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
        env!("CARGO_PKG_VERSION"),
    );
}

/// Warns a person of several things. What is said of many properties — a whole family was asked
/// for, and the program has to do with a few — is said once.
pub fn warnings(color: bool, texts: &[String]) {
    for text in gathered(texts) {
        warning(color, &text);
    }
}

/// So many properties may each have a line of their own.
const APART: usize = 3;

fn gathered(texts: &[String]) -> Vec<String> {
    let said = |text: &str| text.split_once(": ").map(|(_, said)| said.to_string());
    let mut told: Vec<String> = Vec::new();
    let mut gathered = Vec::new();
    for text in texts {
        let Some(what) = said(text) else {
            gathered.push(text.clone());
            continue;
        };
        let same: Vec<&str> = texts
            .iter()
            .filter(|t| said(t).as_ref() == Some(&what))
            .filter_map(|t| t.split_once(": ").map(|(name, _)| name))
            .collect();
        if same.len() <= APART {
            gathered.push(text.clone());
        } else if !told.contains(&what) {
            // Classes and methods have names with dots, and nobody reads hundreds of them.
            let classes = same.iter().any(|name| name.contains('.'));
            let kind = if classes { "places" } else { "properties" };
            let shown = if classes { &same[..APART] } else { &same[..] };
            let more = if shown.len() < same.len() { ", …" } else { "" };
            let names = shown.join(", ");
            gathered.push(format!("{} {kind}: {what}: {names}{more}", same.len()));
            told.push(what);
        }
    }
    gathered
}

/// Warns a person.
pub fn warning(color: bool, text: &str) {
    let _ = writeln!(std::io::stderr(), "{} {text}", Style::new(color).warning("warning:"));
}

#[cfg(test)]
mod tests {
    use super::gathered;

    #[test]
    fn what_is_said_of_many_is_said_once() {
        let of = |name: &str| format!("{name}: nothing of it was loaded");
        let few: Vec<String> = ["A", "B", "C"].map(of).to_vec();
        assert_eq!(gathered(&few), few);
        let mut many: Vec<String> = ["A", "B", "C", "D"].map(of).to_vec();
        many.insert(1, "something else".to_string());
        many.push("E: another thing".to_string());
        assert_eq!(
            gathered(&many),
            [
                "4 properties: nothing of it was loaded: A, B, C, D",
                "something else",
                "E: another thing"
            ]
        );
        let classes: Vec<String> = ["a.A", "a.B", "a.C", "a.D"].map(of).to_vec();
        let said = "4 places: nothing of it was loaded: a.A, a.B, a.C, …";
        assert_eq!(gathered(&classes), [said]);
    }
}
