//! Frames: a header that says how long the message is, and the message.

/// The longest header, and the longest message, that are taken.
const HEADER: usize = 1 << 12;
const MESSAGE: usize = 1 << 24;

/// What came over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A message.
    Message(Vec<u8>),
    /// Something else: where the next message begins cannot be known.
    Lost(&'static str),
}

/// Finds frames in a stream of bytes.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    is_lost: bool,
}

impl Decoder {
    /// More bytes came.
    pub fn push(&mut self, bytes: &[u8]) {
        if !self.is_lost {
            self.buffer.extend_from_slice(bytes);
        }
    }

    /// The next frame, if it is complete. After a frame that is lost there are no others.
    pub fn next_frame(&mut self) -> Option<Frame> {
        if self.is_lost {
            return None;
        }
        let end = self.buffer.windows(4).take(HEADER).position(|w| w == b"\r\n\r\n");
        let Some(end) = end else {
            return match self.buffer.len() > HEADER {
                true => self.lose("a header that does not end"),
                false => None,
            };
        };
        let Some(length) = length(&self.buffer[..end]) else {
            return self.lose("a header that is none of this protocol");
        };
        if length > MESSAGE {
            return self.lose("a message that is too long");
        }
        let (start, end) = (end + 4, end + 4 + length);
        if self.buffer.len() < end {
            return None;
        }
        let message = self.buffer[start..end].to_vec();
        self.buffer.drain(..end);
        Some(Frame::Message(message))
    }

    fn lose(&mut self, why: &'static str) -> Option<Frame> {
        self.is_lost = true;
        self.buffer = Vec::new();
        Some(Frame::Lost(why))
    }
}

/// The length that a header says. Only fields of this protocol are taken: a page in a browser that
/// posts a message to our port sends others.
fn length(header: &[u8]) -> Option<usize> {
    let header = std::str::from_utf8(header).ok()?;
    let mut length = None;
    for line in header.split("\r\n") {
        let (name, value) = line.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse().ok()?);
        } else if !name.eq_ignore_ascii_case("content-type") {
            return None;
        }
    }
    length
}

/// A message as a frame.
pub fn encode(message: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{message}", message.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_however_they_drip() {
        let text = [encode("{\"a\":1}"), b"content-LENGTH:2\r\nContent-Type: x\r\n\r\n{}".to_vec()]
            .concat();
        let want = [Frame::Message(b"{\"a\":1}".to_vec()), Frame::Message(b"{}".to_vec())];
        for size in [1, 3, 7, 1000] {
            let mut decoder = Decoder::default();
            let mut found = Vec::new();
            for piece in text.chunks(size) {
                decoder.push(piece);
                while let Some(frame) = decoder.next_frame() {
                    found.push(frame);
                }
            }
            assert_eq!(found, want, "in pieces of {size}");
        }
    }

    #[test]
    fn what_is_no_frame_is_told_once() {
        for wrong in
            ["GET / HTTP/1.1\r\n\r\n", "Content-Length: 99999999999\r\n\r\n", &"x".repeat(9000)]
        {
            let mut decoder = Decoder::default();
            decoder.push(wrong.as_bytes());
            assert!(matches!(decoder.next_frame(), Some(Frame::Lost(_))), "{wrong}");
            decoder.push(&encode("{}"));
            assert_eq!(decoder.next_frame(), None);
        }
    }
}
