//! The crate's one error type.

use std::fmt;
use std::io;

/// What went wrong, coarse enough to act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The program could not be started, or the process could not be attached to.
    Launch,
    /// The process or thread is gone, or was never known to this tracer.
    Gone,
    /// The request needs a stopped thread, and this one is running.
    Running,
    /// The program's memory could not be read or written there.
    Memory,
    /// Nothing of that name, or nothing at that place.
    NotFound,
    /// An expression is malformed or does not fit the types of the program.
    Expression,
    /// The value exists in the source but not in this optimised code, here.
    OptimizedOut,
    /// A debug-information or object file is malformed or of a kind not read here.
    DebugInfo,
    /// A resource that is finite ran out: debug registers, code within reach, sizes.
    Limit,
    /// A checkpoint that cannot be restored truthfully, with the reason.
    Refused,
    /// The kernel or the machine does not offer what was asked.
    Unsupported,
    /// The operating system refused a call that should have worked.
    System,
}

/// An error with its kind and a sentence for people.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<io::Error>,
}

/// The crate's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a sentence of its own.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), source: None }
    }

    pub(crate) fn system(what: impl Into<String>, source: io::Error) -> Error {
        let kind = match source.raw_os_error() {
            Some(libc::ESRCH) => ErrorKind::Gone,
            _ => ErrorKind::System,
        };
        Error { kind, message: what.into(), source: Some(source) }
    }

    pub(crate) fn with_source(
        kind: ErrorKind,
        message: impl Into<String>,
        source: io::Error,
    ) -> Error {
        Error { kind, message: message.into(), source: Some(source) }
    }

    pub(crate) fn expression(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Expression, message)
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the process or thread has ended.
    pub fn is_gone(&self) -> bool {
        self.kind == ErrorKind::Gone
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(source) = &self.source {
            write!(f, ": {source}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}

impl From<gimli::Error> for Error {
    fn from(e: gimli::Error) -> Error {
        Error::new(ErrorKind::DebugInfo, format!("malformed debug information: {e}"))
    }
}

impl From<object::Error> for Error {
    fn from(e: object::Error) -> Error {
        Error::new(ErrorKind::DebugInfo, format!("malformed object file: {e}"))
    }
}
