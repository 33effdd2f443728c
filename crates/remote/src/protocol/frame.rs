//! Bytes of the connection ⇄ packets: `$data#checksum`, acknowledgements, Ctrl-C.

/// What came over the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A packet with the right checksum, unescaped.
    Packet(Vec<u8>),
    /// A packet with a wrong checksum: it has to be sent again.
    Damaged,
    /// The other side has received our packet.
    Ack,
    /// Our packet arrived damaged.
    Nak,
    /// Ctrl-C.
    Interrupt,
}

/// Longer packets are not kept; the size that is announced is smaller.
const LONGEST: usize = 1 << 20;

/// Ctrl-C outside of packets.
const INTERRUPT: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Outside,
    Inside,
    Escaped,
    FirstDigit,
    SecondDigit(u8),
}

/// Takes the stream of bytes apart.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    data: Vec<u8>,
    sum: u8,
    is_too_long: bool,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder { state: State::Outside, data: Vec::new(), sum: 0, is_too_long: false }
    }
}

impl Decoder {
    /// Takes the next byte; a frame if it completes one. Bytes that belong to nothing are skipped.
    pub fn push(&mut self, byte: u8) -> Option<Frame> {
        match self.state {
            State::Outside => match byte {
                b'$' => {
                    self.begin();
                    None
                }
                b'+' => Some(Frame::Ack),
                b'-' => Some(Frame::Nak),
                INTERRUPT => Some(Frame::Interrupt),
                _ => None,
            },
            State::Inside => {
                match byte {
                    b'#' => self.state = State::FirstDigit,
                    // The packet before was cut off.
                    b'$' => self.begin(),
                    b'}' => {
                        self.sum = self.sum.wrapping_add(byte);
                        self.state = State::Escaped;
                    }
                    _ => {
                        self.sum = self.sum.wrapping_add(byte);
                        self.keep(byte);
                    }
                }
                None
            }
            State::Escaped => {
                self.sum = self.sum.wrapping_add(byte);
                self.keep(byte ^ 0x20);
                self.state = State::Inside;
                None
            }
            State::FirstDigit => {
                self.state = State::SecondDigit(byte);
                None
            }
            State::SecondDigit(first) => {
                self.state = State::Outside;
                let digit = |c: u8| (c as char).to_digit(16);
                let sum = digit(first).zip(digit(byte)).map(|(a, b)| a * 16 + b);
                let is_right = sum == Some(u32::from(self.sum)) && !self.is_too_long;
                let data = std::mem::take(&mut self.data);
                Some(if is_right { Frame::Packet(data) } else { Frame::Damaged })
            }
        }
    }

    fn begin(&mut self) {
        *self = Decoder { state: State::Inside, ..Decoder::default() };
    }

    fn keep(&mut self, byte: u8) {
        if self.data.len() < LONGEST {
            self.data.push(byte);
        } else {
            self.is_too_long = true;
        }
    }
}

/// The bytes of a packet with this content.
pub fn encode(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() + 4);
    out.push(b'$');
    for &byte in data {
        if matches!(byte, b'$' | b'#' | b'}' | b'*') {
            out.extend([b'}', byte ^ 0x20]);
        } else {
            out.push(byte);
        }
    }
    let sum = out[1..].iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    out.extend(format!("#{sum:02x}").bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Vec<Frame> {
        let mut decoder = Decoder::default();
        bytes.iter().filter_map(|b| decoder.push(*b)).collect()
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), [Frame::Packet(all)]);
        assert_eq!(encode(b"OK"), b"$OK#9a");
    }

    #[test]
    fn damage_is_noticed_and_the_stream_goes_on() {
        let frames = decode(b"+$g#00$m0,4#fd\x03-noise$cut$OK#9a");
        let want = [
            Frame::Ack,
            Frame::Damaged,
            Frame::Packet(b"m0,4".to_vec()),
            Frame::Interrupt,
            Frame::Nak,
            Frame::Packet(b"OK".to_vec()),
        ];
        assert_eq!(frames, want);
    }
}
