//! Why there is no code for a plan.

/// A plan that cannot be carried out, or code that cannot be placed where it was to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(text: &str) -> Error {
        Error(text.to_string())
    }
}

impl From<iced_x86::IcedError> for Error {
    fn from(e: iced_x86::IcedError) -> Error {
        Error(e.to_string())
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
