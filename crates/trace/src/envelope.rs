//! Lines inside of lines: what container runtimes put around what a program printed.

use crate::json::Cursor;
use crate::presets::{Envelope, is_cri};
use crate::record::{Raw, Record};

/// What was in an envelope.
#[derive(Debug, PartialEq, Eq)]
pub struct Inside {
    /// When the runtime received it, as the envelope says.
    pub time: String,
    /// Whether it was printed on standard error.
    pub is_error: bool,
    /// The text, without a line end.
    pub text: String,
    /// The line goes on in the next envelope of that stream.
    pub goes_on: bool,
}

/// Opens an envelope, or says that the line is none.
pub fn open(kind: Envelope, line: &str) -> Option<Inside> {
    match kind {
        Envelope::Docker => docker(line),
        Envelope::Cri => cri(line),
        Envelope::Either if line.starts_with('{') => docker(line),
        Envelope::Either => cri(line),
    }
}

fn cri(line: &str) -> Option<Inside> {
    if !is_cri(line) {
        return None;
    }
    let mut words = line.splitn(4, ' ');
    let (time, stream, tag) = (words.next()?, words.next()?, words.next()?);
    Some(Inside {
        time: time.to_string(),
        is_error: stream == "stderr",
        text: words.next().unwrap_or_default().to_string(),
        goes_on: tag.starts_with('P'),
    })
}

fn docker(line: &str) -> Option<Inside> {
    let mut record = Record::new(0);
    let mut cursor = Cursor::new(line);
    if cursor.peek() != b'{' {
        return None;
    }
    cursor.at += 1;
    let (mut text, mut stream, mut time) = (None, None, None);
    loop {
        let key = cursor.key(&mut record).ok()?;
        cursor.peek();
        let value = cursor.value(&mut record).ok()?;
        if let Raw::Str(value) = value {
            let value = Some(record.text(line, value).to_string());
            match record.text(line, key) {
                "log" => text = value,
                "stream" => stream = value,
                "time" => time = value,
                _ => {}
            }
        }
        if !cursor.more(b'}').ok()? {
            break;
        }
    }
    let mut text = text?;
    let goes_on = !text.ends_with('\n');
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    Some(Inside { time: time?, is_error: stream.as_deref() == Some("stderr"), text, goes_on })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes() {
        let time = "2024-05-01T12:00:00.5Z";
        let inside = |is_error, text: &str, goes_on| {
            Some(Inside { time: time.to_string(), is_error, text: text.to_string(), goes_on })
        };
        let line = format!("{time} stdout F hello  world");
        assert_eq!(open(Envelope::Cri, &line), inside(false, "hello  world", false));
        assert_eq!(open(Envelope::Either, &line), inside(false, "hello  world", false));
        assert_eq!(open(Envelope::Cri, &format!("{time} stderr P a")), inside(true, "a", true));
        assert_eq!(open(Envelope::Cri, &format!("{time} stderr F")), inside(true, "", false));
        assert_eq!(open(Envelope::Cri, "hello"), None);
        let line =
            format!("{{\"log\":\"a\\\"b\\r\\n\",\"stream\":\"stderr\",\"time\":\"{time}\"}}");
        assert_eq!(open(Envelope::Docker, &line), inside(true, "a\"b", false));
        let line =
            format!("{{\"log\":\"a\",\"stream\":\"stdout\",\"attrs\":{{}},\"time\":\"{time}\"}}");
        assert_eq!(open(Envelope::Either, &line), inside(false, "a", true));
        for none in ["{\"log\":7}", "{}", "{\"log\":\"a\"", "[]", ""] {
            assert_eq!(open(Envelope::Docker, none), None, "{none}");
        }
    }
}
