//! A seeded generator and a mutator of texts, for fuzzers of what reads traces and properties.

/// A small generator, the same for the same seed everywhere.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `n`; 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        (self.draw() >> 11) as usize % n.max(1)
    }
}

/// Pieces that mean something to a reader.
const PIECES: [&[u8]; 24] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\\ud800",
    b"1e999",
    b"99999999999999999999",
    b"null",
    b"-",
    b"\"event\":\"push\"",
    b"\"args\":",
    b"\"time\":",
    b"{\"ref\":",
    b"\xef\xbb\xbf",
    b" ",
];

/// Makes one to four mistakes in a text.
pub fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            2 => {
                let end = (at + random.below(12)).min(bytes.len());
                bytes.drain(at..end);
            }
            3 => {
                let end = (at + random.below(40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            4 => bytes.truncate(at),
            _ if at < bytes.len() => bytes[at] = random.draw() as u8,
            _ => {}
        }
    }
}
