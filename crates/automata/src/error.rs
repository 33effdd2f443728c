//! The crate's one error type.

use std::fmt;

/// Why an operation gave up.
///
/// The only thing that can go wrong in this crate is size: determinising may need exponentially
/// many states, and so may the translations between register automata. Operations whose name ends
/// in `_within` take a limit and return this error when they would exceed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Limit { what: &'static str, limit: usize },
}

impl Error {
    pub(crate) fn limit(what: &'static str, limit: usize) -> Self {
        Error { kind: Kind::Limit { what, limit } }
    }

    /// Whether a size limit given by the caller was hit; a larger limit may succeed.
    pub fn is_limit(&self) -> bool {
        matches!(self.kind, Kind::Limit { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Limit { what, limit } => {
                write!(f, "the result needs more than the allowed {limit} {what}")
            }
        }
    }
}

impl std::error::Error for Error {}
