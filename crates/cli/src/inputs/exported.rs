//! Files that are no text or no lines, told by their first bytes, read as JSON: OpenTelemetry's protobuf and
//! event logs of process mining (XES).
//!
//! Of OpenTelemetry, each message becomes a line.
//! Collectors' file exporters put the length of a message before it, in four bytes. What exporters send
//! over HTTP has no such length, but is a list of messages itself: each of them is a line, so that a
//! long file need not fit into memory.

use std::io::{self, Cursor, ErrorKind, Read};

use watchword_trace::otlp::{self, Signal};
use watchword_trace::xes;

/// How much of a file is looked at.
const LOOKED_AT: u64 = 1 << 16;

/// The longest message: what claims to be longer is damaged.
const LONGEST: u64 = 1 << 28;

/// What is before each message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Its length in four bytes, the largest first.
    Length,
    /// The tag of a field and its length.
    Tag,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exported {
    /// Messages of OpenTelemetry.
    OpenTelemetry,
    /// An event log of process mining, case by case.
    Xes,
}

/// A file as text, and what it was; `None` if it was text.
pub fn open(mut input: Box<dyn Read>) -> io::Result<(Box<dyn Read>, Option<Exported>)> {
    let mut start = Vec::new();
    // No text begins with a zero, and few begin with an empty line, a tag or a mark of UTF-8.
    input.by_ref().take(1).read_to_end(&mut start)?;
    if matches!(start[..], [0 | b'\n' | b'<' | 0xEF]) {
        input.by_ref().take(LOOKED_AT).read_to_end(&mut start)?;
    }
    if xes::recognise(&start) {
        return Ok((
            Box::new(xes::Json::new(Cursor::new(start).chain(input))),
            Some(Exported::Xes),
        ));
    }
    let found = match &start[..] {
        [0, _, _, _, message @ ..] => otlp::recognise(message).map(|s| (s, Before::Length)),
        message => otlp::recognise(message).map(|s| (s, Before::Tag)),
    };
    let whole = Cursor::new(start).chain(input);
    Ok(match found {
        Some((signal, before)) => {
            let line = Cursor::default();
            let messages = Messages { inner: whole, signal, before, read: 0, line };
            (Box::new(messages), Some(Exported::OpenTelemetry))
        }
        None => (Box::new(whole), None),
    })
}

struct Messages<R> {
    inner: R,
    signal: Signal,
    before: Before,
    /// How much of the file was read.
    read: u64,
    /// The message that is being read, as JSON.
    line: Cursor<Vec<u8>>,
}

impl<R: Read> Messages<R> {
    fn wrong(&self, at: u64, why: &str) -> io::Error {
        let text = format!("the OpenTelemetry message at byte {at} is damaged: {why}");
        io::Error::new(ErrorKind::InvalidData, text)
    }

    /// The next byte; `None` at the end.
    fn byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        loop {
            match self.inner.read(&mut byte) {
                Ok(0) => return Ok(None),
                Ok(_) => {
                    self.read += 1;
                    return Ok(Some(byte[0]));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The next message and where it begins; `None` at the end of the file.
    fn message(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        const EARLY: &str = "the file ends too early";
        let at = self.read;
        let Some(first) = self.byte()? else { return Ok(None) };
        // A message in a list is read as a list of one.
        let mut message = Vec::new();
        let length = match self.before {
            Before::Length => {
                let mut length = u64::from(first);
                for _ in 0..3 {
                    let byte = self.byte()?.ok_or_else(|| self.wrong(at, EARLY))?;
                    length = length << 8 | u64::from(byte);
                }
                length
            }
            Before::Tag => {
                if first != b'\n' {
                    return Err(self.wrong(at, "expected the tag of field 1"));
                }
                message.push(first);
                let (mut length, mut shift) = (0u64, 0);
                loop {
                    let byte = self.byte()?.ok_or_else(|| self.wrong(at, EARLY))?;
                    message.push(byte);
                    length |= u64::from(byte & 0x7f) << shift;
                    shift += 7;
                    if byte & 0x80 == 0 {
                        break length;
                    }
                    if shift > 28 {
                        return Err(self.wrong(at, "its length is no number"));
                    }
                }
            }
        };
        if length > LONGEST {
            return Err(self.wrong(at, &format!("it claims to have {length} bytes")));
        }
        // Only as much is allocated as there is.
        let read = self.inner.by_ref().take(length).read_to_end(&mut message)? as u64;
        self.read += read;
        if read < length {
            return Err(self.wrong(at, EARLY));
        }
        Ok(Some((at, message)))
    }
}

impl<R: Read> Read for Messages<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.line.position() == self.line.get_ref().len() as u64 {
            let Some((at, message)) = self.message()? else { return Ok(0) };
            let json = otlp::to_json(self.signal, &message)
                .map_err(|flaw| self.wrong(at, &flaw.message))?;
            self.line = Cursor::new(json.into_bytes());
        }
        self.line.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, inside: &[u8]) -> Vec<u8> {
        let length = u8::try_from(inside.len()).unwrap();
        [&[number << 3 | 2, length], inside].concat()
    }

    /// A request with one record that says this.
    fn request(text: &str) -> Vec<u8> {
        let record = [vec![0x09, 1, 0, 0, 0, 0, 0, 0, 0], field(5, &field(1, text.as_bytes()))];
        field(1, &field(2, &field(2, &record.concat())))
    }

    fn framed(message: &[u8]) -> Vec<u8> {
        let length = u32::try_from(message.len()).unwrap();
        [&length.to_be_bytes()[..], message].concat()
    }

    fn read(bytes: &[u8]) -> io::Result<(String, Option<Exported>)> {
        let (mut text, exported) = open(Box::new(Cursor::new(bytes.to_vec())))?;
        let mut out = Vec::new();
        text.read_to_end(&mut out)?;
        Ok((String::from_utf8_lossy(&out).into_owned(), exported))
    }

    #[test]
    fn each_message_is_a_line_with_lengths_and_without() {
        let line = |text: &str| {
            format!(
                "{{\"resourceLogs\":[{{\"scopeLogs\":[{{\"logRecords\":[{{\
                 \"timeUnixNano\":\"1\",\"body\":{{\"stringValue\":\"{text}\"}}}}]}}]}}]}}\n"
            )
        };
        let both = line("a") + &line("b");
        let plain = [request("a"), request("b")].concat();
        assert_eq!(read(&plain).unwrap(), (both.clone(), Some(Exported::OpenTelemetry)));
        let lengths = [framed(&request("a")), framed(&request("b"))].concat();
        assert_eq!(read(&lengths).unwrap(), (both, Some(Exported::OpenTelemetry)));
    }

    #[test]
    fn texts_stay_as_they_are() {
        let blanks = "\n".repeat(70_000);
        for text in
            ["", "\n", "\n\n\n", "\nMay  1 12:00:00 a\n", "{}", "\0\0\0\0", "<log>", &blanks]
        {
            assert_eq!(read(text.as_bytes()).unwrap(), (text.to_string(), None), "{text:?}");
        }
    }

    #[test]
    fn cut_off_and_damaged_files_are_errors_never_panics() {
        let plain = [request("a"), request("b")].concat();
        let lengths = [framed(&request("a")), framed(&request("b"))].concat();
        for whole in [plain, lengths] {
            let half = whole.len() / 2;
            for end in half + 1..whole.len() {
                let error = read(&whole[..end]).unwrap_err().to_string();
                assert!(error.contains(&format!("at byte {half} is damaged")), "{error}");
            }
            for at in 0..whole.len() {
                for byte in 0..=255 {
                    let mut bytes = whole.clone();
                    bytes[at] = byte;
                    let _ = read(&bytes);
                }
            }
        }
    }
}
