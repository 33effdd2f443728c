//! The crate's one error type.

use std::fmt;

/// Why a class file, an archive or an edit was refused.
///
/// Messages say what was expected and, for input errors, at which byte of the input. Callers that
/// must react differently ask [`is_limit`](Error::is_limit) or
/// [`is_unsupported`](Error::is_unsupported) instead of reading the text.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: Kind,
    offset: Option<usize>,
    context: Option<String>,
    message: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Malformed,
    Limit,
    Unsupported,
    Edit,
}

/// The crate's result type.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    #[cold]
    fn new(kind: Kind, offset: Option<usize>, message: impl Into<String>) -> Error {
        Error(Box::new(Inner { kind, offset, context: None, message: message.into() }))
    }

    #[cold]
    pub(crate) fn malformed(offset: usize, message: impl Into<String>) -> Error {
        Error::new(Kind::Malformed, Some(offset), message)
    }

    /// Malformed, at a place only the caller knows.
    #[cold]
    pub(crate) fn malformed_value(message: impl Into<String>) -> Error {
        Error::new(Kind::Malformed, None, message)
    }

    #[cold]
    pub(crate) fn limit(message: impl Into<String>) -> Error {
        Error::new(Kind::Limit, None, message)
    }

    #[cold]
    pub(crate) fn unsupported(message: impl Into<String>) -> Error {
        Error::new(Kind::Unsupported, None, message)
    }

    /// An edit that cannot be made, for code that edits.
    #[cold]
    pub fn edit(message: impl Into<String>) -> Error {
        Error::new(Kind::Edit, None, message)
    }

    /// Adds the place of an error that has none.
    #[must_use]
    pub(crate) fn at(mut self, offset: usize) -> Error {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Adds where the error happened, for example the method being encoded. The innermost context
    /// wins.
    #[must_use]
    pub fn in_context(mut self, context: impl fmt::Display) -> Error {
        self.0.context.get_or_insert_with(|| context.to_string());
        self
    }

    /// The error without what [`in_context`](Error::in_context) added, for a message that names the place itself.
    #[must_use]
    pub fn without_context(mut self) -> Error {
        self.0.context = None;
        self
    }

    /// The byte offset in the input at which the problem was found, when there is one.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Whether the input does not follow its format.
    pub fn is_malformed(&self) -> bool {
        self.0.kind == Kind::Malformed
    }

    /// Whether a limit of the format (or of this crate) was reached: code over 65535 bytes, a full
    /// constant pool, nesting too deep.
    pub fn is_limit(&self) -> bool {
        self.0.kind == Kind::Limit
    }

    /// Whether the input is legal but uses something this crate does not handle.
    pub fn is_unsupported(&self) -> bool {
        self.0.kind == Kind::Unsupported
    }

    /// Whether the caller asked for an edit that cannot be done.
    pub fn is_edit(&self) -> bool {
        self.0.kind == Kind::Edit
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(context) = &self.0.context {
            write!(f, "{context}: ")?;
        }
        if let Some(offset) = self.0.offset {
            write!(f, "at byte {offset}: ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({self})", self.0.kind)
    }
}

impl std::error::Error for Error {}
