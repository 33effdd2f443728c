//! A byte stream cut into blocks of whole lines.
//!
//! Large reads, no copying but of the unfinished line at the end of a block. A block is returned
//! as soon as it holds one line, so that `tail -f log | watchword replay -p P.ww -` reports at once.

use std::io::{self, Read};

/// How much is asked of the stream at once.
const CHUNK: usize = 256 * 1024;

/// How much room there must be for a read to be worth it.
const ROOM: usize = CHUNK / 4;

/// The longest line. Of a longer one [`Lines::next_block`] hands out the beginning, and no more.
pub const MAX_LINE: usize = 256 * 1024 * 1024;

/// Blocks of whole lines of a stream.
pub struct Lines<R> {
    inner: R,
    buffer: Vec<u8>,
    /// The part of the buffer that was read but not handed out.
    start: usize,
    end: usize,
    /// How much of that part is known to hold no line end.
    searched: usize,
    finished: bool,
    taken: u64,
    /// The longest line.
    limit: usize,
    /// The rest of a line that was too long follows; it is skipped.
    dropping: bool,
}

/// Whole lines, the last of which may lack its line end only where the stream ended.
pub struct Block<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// The line is longer than [`MAX_LINE`]: this is the beginning of it.
    pub overlong: bool,
}

impl<R: Read> Lines<R> {
    /// Lines of that stream.
    pub fn new(inner: R) -> Lines<R> {
        Lines::with_limit(inner, MAX_LINE)
    }

    fn with_limit(inner: R, limit: usize) -> Lines<R> {
        Lines {
            inner,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            searched: 0,
            finished: false,
            taken: 0,
            limit,
            dropping: false,
        }
    }

    /// How many bytes were handed out.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The beginning of the stream, without taking it: the first line that is not blank, or `enough`
    /// bytes.
    pub fn peek_line(&mut self, enough: usize) -> io::Result<&[u8]> {
        while self.end - self.start < enough && !self.finished {
            let pending = &self.buffer[self.start..self.end];
            let text = pending.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(pending);
            if memchr::memchr(b'\n', text.trim_ascii_start()).is_some() {
                break;
            }
            self.fill()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Leaves out the next `count` bytes, which must have been peeked at.
    pub fn skip(&mut self, count: usize) {
        self.start += count;
        self.taken += count as u64;
    }

    /// The next block, or `None` at the end of the stream.
    pub fn next_block(&mut self) -> io::Result<Option<Block<'_>>> {
        while self.dropping {
            let pending = &self.buffer[self.start..self.end];
            let end = memchr::memchr(b'\n', pending);
            self.dropping = end.is_none() && !self.finished;
            let dropped = end.map_or(pending.len(), |end| end + 1);
            self.start += dropped;
            self.taken += dropped as u64;
            if self.dropping {
                self.fill()?;
            }
        }
        loop {
            let pending = &self.buffer[self.start..self.end];
            let mut overlong = false;
            let length = match memchr::memrchr(b'\n', &pending[self.searched..]) {
                _ if self.finished && pending.is_empty() => return Ok(None),
                _ if self.is_overlong(pending) => {
                    overlong = true;
                    self.limit
                }
                _ if self.finished => pending.len(),
                Some(last) => self.searched + last + 1,
                None => {
                    self.searched = pending.len();
                    self.fill()?;
                    continue;
                }
            };
            self.dropping = overlong;
            let from = self.start;
            self.start += length;
            self.searched = 0;
            self.taken += length as u64;
            return Ok(Some(Block { bytes: &self.buffer[from..from + length], overlong }));
        }
    }

    /// Whether the first line of these is too long.
    fn is_overlong(&self, pending: &[u8]) -> bool {
        pending.len() > self.limit
            && memchr::memchr(b'\n', &pending[self.searched.min(self.limit)..=self.limit]).is_none()
    }

    /// Takes back the last `count` bytes of the block just handed out: they are the beginning of
    /// a record that goes on. They come again with at least one more line, unless the answer is
    /// that there is none.
    pub fn put_back(&mut self, count: usize) -> io::Result<bool> {
        self.start -= count;
        self.taken -= count as u64;
        self.searched = 0;
        loop {
            let beyond = &self.buffer[self.start + count..self.end];
            if memchr::memchr(b'\n', beyond).is_some() {
                return Ok(true);
            }
            if self.finished {
                return Ok(!beyond.is_empty());
            }
            if beyond.len() > self.limit {
                return Ok(false);
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 && (self.start == self.end || self.buffer.len() - self.end < ROOM) {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.end < ROOM {
            // No more than the longest line is asked for at once.
            let doubled = (self.buffer.len() * 2).min(self.limit.saturating_add(CHUNK));
            let grown = doubled.max(self.end + CHUNK);
            self.buffer.resize(grown, 0);
        }
        loop {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.finished = true,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            }
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that returns a few bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(self.1).min(out.len());
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn blocks_are_whole_lines_however_the_stream_drips() {
        let text: Vec<u8> =
            (0..5000).flat_map(|i| format!("{}\n", "x".repeat(i % 97)).into_bytes()).collect();
        for drip in [1, 7, 1000, 1 << 20] {
            let mut lines = Lines::new(Drip(&text, drip));
            let mut all = Vec::new();
            while let Some(block) = lines.next_block().unwrap() {
                assert_eq!(block.bytes.last(), Some(&b'\n'));
                assert!(!block.overlong);
                all.extend_from_slice(block.bytes);
            }
            assert_eq!(all, text);
            assert_eq!(lines.taken(), text.len() as u64);
        }
    }

    #[test]
    fn a_line_longer_than_the_chunk_is_one_block() {
        let mut text = vec![b'y'; 3 * CHUNK + 5];
        text.push(b'\n');
        text.extend_from_slice(b"tail");
        let mut lines = Lines::new(&text[..]);
        assert_eq!(lines.next_block().unwrap().unwrap().bytes.len(), 3 * CHUNK + 6);
        assert_eq!(lines.next_block().unwrap().unwrap().bytes, b"tail");
        assert!(lines.next_block().unwrap().is_none());
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_next_one_is_whole() {
        for (long, rest) in [(11, "\n0123456789\nlast\n"), (5000, "\n\nlast"), (11, "")] {
            for drip in [1, 7, 999, 9999] {
                let text = format!("{}{rest}", "y".repeat(long));
                let mut lines = Lines::with_limit(Drip(text.as_bytes(), drip), 10);
                let (mut whole, mut cut) = (Vec::new(), 0);
                while let Some(block) = lines.next_block().unwrap() {
                    match block.overlong {
                        true => {
                            assert_eq!(block.bytes, [b'y'; 10]);
                            cut += 1;
                        }
                        false => whole.extend_from_slice(block.bytes),
                    }
                }
                let rest = rest.strip_prefix('\n').unwrap_or(rest);
                assert_eq!((whole, cut), (rest.as_bytes().to_vec(), 1), "{long}, {drip}");
                assert_eq!(lines.taken(), text.len() as u64);
            }
        }
    }

    #[test]
    fn a_first_look_asks_for_no_more_than_a_line() {
        let mut lines = Lines::new(Drip(b"a\nb\n", 2));
        assert_eq!(lines.peek_line(100).unwrap(), b"a\n");
        assert_eq!(lines.next_block().unwrap().unwrap().bytes, b"a\n");
    }

    #[test]
    fn what_was_put_back_comes_again_with_more() {
        let mut lines = Lines::new(Drip(b"a\n\"b\nc\"\nd\n", 5));
        assert_eq!(lines.next_block().unwrap().unwrap().bytes, b"a\n\"b\n");
        assert!(lines.put_back(3).unwrap());
        assert_eq!(lines.next_block().unwrap().unwrap().bytes, b"\"b\nc\"\nd\n");
        assert!(lines.next_block().unwrap().is_none());
        // What goes on does so in a last line without an end, or not at all.
        let mut lines = Lines::new(Drip(b"\"b\nc", 3));
        assert_eq!(lines.next_block().unwrap().unwrap().bytes, b"\"b\n");
        assert!(lines.put_back(3).unwrap());
        assert_eq!(lines.next_block().unwrap().unwrap().bytes, b"\"b\nc");
        assert!(!lines.put_back(4).unwrap());
        assert_eq!(lines.next_block().unwrap().unwrap().bytes, b"\"b\nc");
        assert!(lines.next_block().unwrap().is_none());
    }
}
