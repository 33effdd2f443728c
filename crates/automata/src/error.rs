//! The crate's one error type.

use std::fmt;

/// Why an operation gave up.
///
/// Two things can go wrong in this crate. One is size: determinising may need exponentially many
/// states, and so may the translations between register automata; operations whose name ends in
/// `_within` take a limit and return this error when they would exceed it. The other is an opaque
/// test, which some translations cannot carry over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ErrorKind {
    Limit { what: &'static str, limit: usize },
    Opaque { id: u32 },
}

impl Error {
    pub(crate) fn limit(what: &'static str, limit: usize) -> Self {
        Error { kind: ErrorKind::Limit { what, limit } }
    }

    pub(crate) fn opaque(id: u32) -> Self {
        Error { kind: ErrorKind::Opaque { id } }
    }

    /// Whether a size limit given by the caller was hit; a larger limit may succeed.
    pub fn is_limit(&self) -> bool {
        matches!(self.kind, ErrorKind::Limit { .. })
    }

    /// The opaque test that stands in the way, if that is the reason.
    pub fn opaque_test(&self) -> Option<u32> {
        match self.kind {
            ErrorKind::Opaque { id } => Some(id),
            ErrorKind::Limit { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::Limit { what, limit } => {
                write!(f, "the result needs more than the allowed {limit} {what}")
            }
            ErrorKind::Opaque { id } => {
                write!(f, "the translation cannot carry over the opaque test {id}")
            }
        }
    }
}

impl std::error::Error for Error {}
