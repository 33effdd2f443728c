//! A bounds-checked cursor over big-endian input that knows its offset in the whole file.

use crate::error::{Error, Result};

#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    data: &'a [u8],
    pos: usize,
    base: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor over `data`, whose first byte is at `base` of the whole input.
    pub(crate) fn new(data: &'a [u8], base: usize) -> Cursor<'a> {
        Cursor { data, pos: 0, base }
    }

    /// Offset of the next byte in the whole input.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.base + self.pos
    }

    #[inline]
    pub(crate) fn remaining(&self) -> usize {
        self.data.len() - self.pos
    }

    #[cold]
    fn short(&self, expected: &str) -> Error {
        Error::malformed(
            self.offset(),
            format!("expected {expected}, but only {} byte(s) are left", self.remaining()),
        )
    }

    #[inline]
    pub(crate) fn take(&mut self, len: usize, expected: &str) -> Result<&'a [u8]> {
        match self.data[self.pos..].get(..len) {
            Some(bytes) => {
                self.pos += len;
                Ok(bytes)
            }
            None => Err(self.short(expected)),
        }
    }

    #[inline]
    fn array<const N: usize>(&mut self, expected: &str) -> Result<[u8; N]> {
        match self.data[self.pos..].first_chunk::<N>() {
            Some(bytes) => {
                self.pos += N;
                Ok(*bytes)
            }
            None => Err(self.short(expected)),
        }
    }

    #[inline]
    pub(crate) fn u1(&mut self, expected: &str) -> Result<u8> {
        self.array::<1>(expected).map(|b| b[0])
    }

    #[inline]
    pub(crate) fn u2(&mut self, expected: &str) -> Result<u16> {
        self.array(expected).map(u16::from_be_bytes)
    }

    #[inline]
    pub(crate) fn u4(&mut self, expected: &str) -> Result<u32> {
        self.array(expected).map(u32::from_be_bytes)
    }

    /// Refuses bytes that nothing has read.
    pub(crate) fn finish(&self, what: &str) -> Result<()> {
        if self.remaining() == 0 {
            return Ok(());
        }
        Err(Error::malformed(
            self.offset(),
            format!("expected the end of {what}, but {} byte(s) follow", self.remaining()),
        ))
    }
}

pub(crate) fn put_u2(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_be_bytes());
}

pub(crate) fn put_u4(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Writes a table length, which the format stores in 16 bits.
pub(crate) fn put_count(out: &mut Vec<u8>, count: usize, what: &str) -> Result<()> {
    match u16::try_from(count) {
        Ok(count) => {
            put_u2(out, count);
            Ok(())
        }
        Err(_) => {
            Err(Error::limit(format!("{count} {what}, but a class file holds at most 65535")))
        }
    }
}
