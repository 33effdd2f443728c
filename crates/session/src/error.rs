//! Why a request could not be served.

use std::fmt;

/// Why a request could not be served, in words for the person who made it.
#[derive(Debug)]
pub struct Error {
    text: String,
    reported: bool,
}

/// What a request comes to.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with this explanation.
    pub fn new(text: impl fmt::Display) -> Error {
        Error { text: text.to_string(), reported: false }
    }

    /// The explanation was given already, as text: there is nothing left to be shown.
    pub fn already_reported() -> Error {
        Error { text: "already reported".to_string(), reported: true }
    }

    /// Whether the explanation was given already.
    pub fn is_reported(&self) -> bool {
        self.reported
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

impl From<watchword_debug::Error> for Error {
    fn from(error: watchword_debug::Error) -> Error {
        Error::new(error)
    }
}

impl From<std::num::ParseIntError> for Error {
    fn from(error: std::num::ParseIntError) -> Error {
        Error::new(error)
    }
}

/// Says what was being done when something failed.
pub(crate) trait Context<T> {
    /// Puts a constant explanation before the cause.
    fn context(self, text: &str) -> Result<T>;
    /// Puts an explanation before the cause.
    fn with_context(self, text: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: fmt::Display> Context<T> for std::result::Result<T, E> {
    fn context(self, text: &str) -> Result<T> {
        self.map_err(|cause| Error::new(format!("{text}: {cause}")))
    }

    fn with_context(self, text: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|cause| Error::new(format!("{}: {cause}", text())))
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, text: &str) -> Result<T> {
        self.ok_or_else(|| Error::new(text))
    }

    fn with_context(self, text: impl FnOnce() -> String) -> Result<T> {
        self.ok_or_else(|| Error::new(text()))
    }
}

/// Returns with an error.
macro_rules! bail {
    ($($words:tt)*) => {
        return Err($crate::error::Error::new(format!($($words)*)))
    };
}
pub(crate) use bail;
