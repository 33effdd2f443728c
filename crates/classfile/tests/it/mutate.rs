//! A seeded mutator.

/// A small, fast, deterministic generator of random numbers (xorshift*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit.max(1)
    }
}

/// A damaged copy of `seed`: one to four of bit flips, odd bytes, lying lengths, truncation,
/// repetition, removal, and splices with `other`.
pub fn mutate(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        match random.below(10) {
            0..=2 => bytes[at] ^= 1 << random.below(8),
            3 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, 0xaa, 0xc4][random.below(7)],
            4 | 5 => {
                // A length or index that lies, in either byte order.
                let value = match random.below(6) {
                    0 => 0,
                    1 => u32::MAX,
                    2 => 0xffff,
                    3 => 0x8000_0000,
                    4 => bytes.len() as u32,
                    _ => random.below(300) as u32,
                };
                let width = [2, 4][random.below(2)];
                let value = if random.below(2) == 0 {
                    value.to_be_bytes()[4 - width..].to_vec()
                } else {
                    value.to_le_bytes()[..width].to_vec()
                };
                let end = (at + width).min(bytes.len());
                bytes[at..end].copy_from_slice(&value[..end - at]);
            }
            6 => bytes.truncate(at),
            7 => {
                let end = (at + random.below(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            8 => {
                let end = (at + random.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let from = random.below(other.len());
                let end = (from + random.below(200)).min(other.len());
                let stop = (at + end - from).min(bytes.len());
                bytes.splice(at..stop, other[from..end].iter().copied());
            }
        }
    }
    bytes
}
