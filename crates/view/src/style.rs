//! Colour, where there is any, and numbers for people.

pub use crate::text::{count, counted, harmless};

/// Paints text, or does not.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    color: bool,
}

impl Style {
    /// With or without colour.
    pub fn new(color: bool) -> Style {
        Style { color }
    }

    /// Whether there is colour.
    pub fn is_on(self) -> bool {
        self.color
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    /// What went wrong.
    pub fn error(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// What looks wrong.
    pub fn warning(self, text: &str) -> String {
        self.paint("1;33", text)
    }

    /// What is fine.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// What matters.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What is beside the point.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }
}
