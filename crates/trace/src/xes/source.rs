//! The bytes of a log, counted: lines for messages, and how long a piece is, for a limit.

use std::io::{self, BufRead, BufReader, Read};

/// The longest tag or text. What is longer is no log, and would fill memory.
const LONGEST: usize = 16 << 20;

/// A stream that counts what is read of it.
pub struct Source<R> {
    inner: BufReader<R>,
    /// How many line feeds were read.
    pub lines: u64,
    /// How many bytes of the piece that is being read.
    piece: usize,
}

impl<R: Read> Source<R> {
    pub fn new(inner: R) -> Source<R> {
        Source { inner: BufReader::with_capacity(1 << 16, inner), lines: 0, piece: 0 }
    }

    /// Another piece begins.
    pub fn begin_piece(&mut self) {
        self.piece = 0;
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut buffer = self.fill_buf()?;
        let count = buffer.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.piece > LONGEST {
            let text = format!("a tag or text of it is longer than {} MiB", LONGEST >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        let read = self.inner.buffer().get(..count).unwrap_or_default();
        self.lines += memchr::memchr_iter(b'\n', read).count() as u64;
        self.piece += count;
        self.inner.consume(count);
    }
}
