//! Attributes that are tables of fixed-size rows: one generic view, one row type each.

use std::fmt;
use std::marker::PhantomData;

use crate::bytes::{Cursor, put_count, put_u2};
use crate::error::Result;

/// A fixed-size row of a table.
pub trait Row: Copy {
    /// Bytes one row takes.
    const SIZE: usize;
    /// What rows are called in messages, in the plural.
    const NAME: &'static str;
    /// Reads a row from exactly [`SIZE`](Row::SIZE) bytes.
    fn read(bytes: &[u8]) -> Self;
    /// Appends the row.
    fn write(&self, out: &mut Vec<u8>);
}

/// A zero-copy table of rows.
pub struct Table<'a, R> {
    bytes: &'a [u8],
    rows: PhantomData<R>,
}

impl<R> Clone for Table<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Table<'_, R> {}

impl<R> Default for Table<'_, R> {
    fn default() -> Self {
        Table { bytes: &[], rows: PhantomData }
    }
}

impl<'a, R: Row> Table<'a, R> {
    /// Reads a 16-bit count and that many rows.
    pub(crate) fn parse(c: &mut Cursor<'a>) -> Result<Table<'a, R>> {
        let count = usize::from(c.u2(R::NAME)?);
        Ok(Table { bytes: c.take(count * R::SIZE, R::NAME)?, rows: PhantomData })
    }

    /// Reads an 8-bit count and that many rows.
    pub(crate) fn parse_short(c: &mut Cursor<'a>) -> Result<Table<'a, R>> {
        let count = usize::from(c.u1(R::NAME)?);
        Ok(Table { bytes: c.take(count * R::SIZE, R::NAME)?, rows: PhantomData })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.bytes.len() / R::SIZE
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The row at `index`.
    pub fn get(&self, index: usize) -> Option<R> {
        self.bytes.get(index * R::SIZE..(index + 1) * R::SIZE).map(R::read)
    }

    /// The rows in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = R> + ExactSizeIterator + use<'a, R> {
        self.bytes.chunks_exact(R::SIZE).map(R::read)
    }
}

impl<R: Row + fmt::Debug> fmt::Debug for Table<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Appends a 16-bit count and the rows.
pub fn write_table<R: Row>(
    rows: impl ExactSizeIterator<Item = R>,
    out: &mut Vec<u8>,
) -> Result<()> {
    put_count(out, rows.len(), R::NAME)?;
    for row in rows {
        row.write(out);
    }
    Ok(())
}

/// Declares a row of 16-bit columns.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident, $plural:literal, $size:literal, { $($(#[$fdoc:meta])* $field:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name { $($(#[$fdoc])* pub $field: u16),+ }

        impl Row for $name {
            const SIZE: usize = $size;
            const NAME: &'static str = $plural;
            fn read(bytes: &[u8]) -> Self {
                let mut words = bytes.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]]));
                $(let $field = words.next().unwrap_or(0);)+
                $name { $($field),+ }
            }
            fn write(&self, out: &mut Vec<u8>) {
                $(put_u2(out, self.$field);)+
            }
        }
    };
}

row!(
    /// Where a source line starts.
    LineNumber, "line-number rows", 4, {
        /// Bytecode offset.
        start,
        /// Source line.
        line,
    }
);
row!(
    /// Where a local variable lives (`LocalVariableTable` and `LocalVariableTypeTable`).
    LocalVariable, "local-variable rows", 10, {
        /// First bytecode offset at which it has a value.
        start,
        /// Length of that range.
        length,
        /// `Utf8` index of its name.
        name,
        /// `Utf8` index of its descriptor (or signature, in the type table).
        descriptor,
        /// Local-variable slot.
        slot,
    }
);
row!(
    /// A protected range of code.
    ExceptionEntry, "exception-table rows", 8, {
        /// First protected offset.
        start,
        /// First offset after the range.
        end,
        /// Where the handler starts.
        handler,
        /// `Class` index of what is caught; 0 catches everything.
        catch_type,
    }
);
row!(
    /// A pool index on its own.
    Index, "pool indices", 2, {
        /// The index.
        index,
    }
);
row!(
    /// A nested class.
    InnerClass, "inner-class rows", 8, {
        /// `Class` index of the nested class.
        inner,
        /// `Class` index of its outer class, or 0.
        outer,
        /// `Utf8` index of its simple name, or 0.
        name,
        /// Its access flags as declared.
        access,
    }
);
row!(
    /// A formal parameter.
    MethodParameter, "method-parameter rows", 4, {
        /// `Utf8` index of its name, or 0.
        name,
        /// Its access flags.
        access,
    }
);
row!(
    /// A module dependence.
    Requires, "requires rows", 6, {
        /// `Module` index.
        module,
        /// Flags.
        flags,
        /// `Utf8` index of the version, or 0.
        version,
    }
);
