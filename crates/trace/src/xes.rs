//! Event logs of process mining (XES, IEEE 1849), written as a list of JSON objects.
//!
//! Each event is an object: its name (`concept:name`) is `event`, its time (`time:timestamp`) is `time`,
//! the name of its trace is `case`; every other attribute keeps its key, with `_` for what no field of a
//! property can have. Attributes of the trace begin with `case_`. An attribute inside another one has the
//! key of that one before its own. An object is on the line on which its event begins, so that places
//! are those of the file. So everything else reads one format.
//!
//! ```
//! use std::io::Read;
//! use watchword_trace::xes;
//!
//! let log = r#"<log xes.version="1.0"><trace><string key="concept:name" value="order 7"/>
//!   <event><string key="concept:name" value="pay"/><float key="cost" value="9.5"/></event>
//! </trace></log>"#;
//! assert!(xes::recognise(log.as_bytes()));
//! let mut json = String::new();
//! xes::Json::new(log.as_bytes()).read_to_string(&mut json)?;
//! assert_eq!(json, "[\n{\"event\":\"pay\",\"case\":\"order 7\",\"cost\":9.5}\n]\n");
//!
//! let cut = log.split("</trace>").next().unwrap();
//! let error = xes::Json::new(cut.as_bytes()).read_to_string(&mut json).unwrap_err();
//! assert_eq!(error.to_string(), "line 3: this is no XES: the file ends inside of `<trace>`");
//! # Ok::<(), std::io::Error>(())
//! ```

mod events;
mod source;

use std::io::{self, Cursor, Read};

use events::Events;

/// Whether a file that begins like this is an XES log.
pub fn recognise(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    // What may be before the first element.
    loop {
        let end = match rest {
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<!") => ">",
            _ => break,
        };
        let Some(at) = rest.find(end) else { return false };
        rest = rest[at + end.len()..].trim_start();
    }
    let Some(tag) = rest.strip_prefix("<log") else { return false };
    let Some(end) = tag.find('>') else { return false };
    let attributes = &tag[..end];
    if !attributes.is_empty() && !attributes.starts_with(char::is_whitespace) {
        return false;
    }
    // Other programs have a root of that name, too; some that write XES leave out its version.
    attributes.contains("xes")
        || ["<trace", "<extension", "<global", "<classifier"]
            .iter()
            .any(|first| tag[end + 1..].trim_start().starts_with(first))
}

/// An XES log, read as a list of JSON objects.
pub struct Json<R: Read> {
    events: Events<R>,
    /// How many line feeds were written.
    lines: u64,
    state: State,
    /// What is to be given out.
    out: Cursor<Vec<u8>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Begins,
    HasNone,
    HasSome,
    Ended,
}

impl<R: Read> Json<R> {
    /// Reads a log from here.
    pub fn new(input: R) -> Json<R> {
        let out = Cursor::default();
        Json { events: Events::new(input), lines: 0, state: State::Begins, out }
    }

    /// Writes what comes next.
    fn write_next(&mut self) -> io::Result<()> {
        let mut text = std::mem::take(self.out.get_mut());
        text.clear();
        if self.state == State::Begins {
            text.push(b'[');
            self.state = State::HasNone;
        }
        match self.events.next_event()? {
            Some((line, object)) => {
                if self.state == State::HasSome {
                    text.push(b',');
                }
                // The list begins on line 1.
                while self.lines + 1 < line {
                    text.push(b'\n');
                    self.lines += 1;
                }
                text.extend_from_slice(object.as_bytes());
                self.state = State::HasSome;
            }
            None => {
                text.extend_from_slice(b"\n]\n");
                self.state = State::Ended;
            }
        }
        self.out = Cursor::new(text);
        Ok(())
    }
}

impl<R: Read> Read for Json<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.out.position() == self.out.get_ref().len() as u64 {
            if self.state == State::Ended {
                return Ok(0);
            }
            self.write_next()?;
        }
        self.out.read(buffer)
    }
}
