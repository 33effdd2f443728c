//! JSON documents cut into records: arrays, objects that span lines, lists inside of objects.
//!
//! Text is pushed in pieces of any size; what is complete comes out. Only the record that is not
//! complete yet is kept.

use crate::error::{Fault, Flaw};
use crate::json::Cursor;
use crate::lines::MAX_LINE;

type Result<T> = std::result::Result<T, Box<Flaw>>;

/// A key that is longer than this is none.
const MAX_KEY: usize = 1 << 16;

/// A step of a path to the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of that key.
    Key(String),
    /// Every element of a list.
    Each,
}

/// A path as flags take it: `.Records[]`, `.[]`, `.resourceLogs[].scopeLogs[].logRecords[]`.
///
/// # Errors
/// What is wrong with it.
pub fn path(text: &str) -> std::result::Result<Vec<Step>, String> {
    let bad = || "expected a path such as .Records[] or .data.items[]".to_string();
    let mut rest = text.strip_prefix('.').ok_or_else(bad)?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[]") {
            steps.push(Step::Each);
            rest = after.strip_prefix('.').unwrap_or(after);
            continue;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        if end == 0 {
            return Err(bad());
        }
        steps.push(Step::Key(rest[..end].to_string()));
        rest = &rest[end..];
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    if steps.is_empty() { Err(bad()) } else { Ok(steps) }
}

/// Whether a first line begins a document that is not JSON Lines: a list of objects, or an object that
/// goes on in the next line.
pub fn begins_document(line: &str) -> bool {
    let line = line.trim();
    if let Some(list) = line.strip_prefix('[') {
        return matches!(list.trim_start().as_bytes(), [] | [b'{' | b']', ..]);
    }
    let unfinished = |flaw: &Flaw| flaw.at >= line.len();
    line.starts_with('{') && Cursor::new(line).skip().is_err_and(|flaw| unfinished(&flaw))
}

/// Cuts documents into records.
pub struct Elements {
    /// Where the records are; empty if they are the documents, or the elements of those that are lists.
    steps: Vec<Step>,
    buffer: Vec<u8>,
    /// How much of the buffer is done with.
    at: usize,
    /// The line at `at`, from 1.
    line: u64,
    /// The lists and objects around it.
    around: Vec<Frame>,
    /// A value that has begun.
    value: Option<Value>,
    /// A mistake between records: the beginning of the next one is not known.
    lost: bool,
}

/// A list or an object in which records are looked for.
struct Frame {
    is_list: bool,
    /// How many steps lead to what is in it.
    steps: usize,
    expects: Expects,
}

#[derive(PartialEq)]
enum Expects {
    /// A value or the end: nothing was there yet.
    First,
    /// A comma or the end.
    More,
    /// A value.
    Value,
}

/// A value whose end is being looked for.
struct Value {
    from: usize,
    line: u64,
    looked: usize,
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// It is a record.
    wanted: bool,
}

/// A record.
pub struct Element<'a> {
    /// Its text.
    pub bytes: &'a [u8],
    /// The line on which it begins.
    pub line: u64,
}

impl Elements {
    /// Records that are at the end of that path, if it has steps.
    pub fn new(steps: Vec<Step>) -> Elements {
        Elements {
            steps,
            buffer: Vec::new(),
            at: 0,
            line: 1,
            around: Vec::new(),
            value: None,
            lost: false,
        }
    }

    /// More of the text.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.lost {
            return;
        }
        let done = self.value.as_ref().map_or(self.at, |value| value.from);
        if done > 0 {
            self.buffer.drain(..done);
            self.at -= done;
            if let Some(value) = &mut self.value {
                value.from -= done;
                value.looked -= done;
            }
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The text that is looked at, for messages, and the line it begins on.
    pub fn around_here(&self) -> (&[u8], u64) {
        let start = memchr::memrchr(b'\n', &self.buffer[..self.at]).map_or(0, |i| i + 1);
        let end = memchr::memchr(b'\n', &self.buffer[self.at..]);
        let end = end.map_or(self.buffer.len(), |i| self.at + i);
        (&self.buffer[start..end.min(self.at + 4096)], self.line)
    }

    /// The next record that is complete, or `None` if more text is needed.
    ///
    /// # Errors
    /// If what is there is no JSON, or not what the path says. What follows cannot be read then, and
    /// nothing comes out any more.
    pub fn take(&mut self) -> Result<Option<Element<'_>>> {
        match self.find() {
            Ok(None) => Ok(None),
            Ok(Some((from, to, line))) => Ok(Some(Element { bytes: &self.buffer[from..to], line })),
            Err(flaw) => {
                self.lost = true;
                Err(flaw)
            }
        }
    }

    /// The text has ended.
    ///
    /// # Errors
    /// If something is not complete.
    pub fn finish(&mut self) -> Result<()> {
        self.blanks();
        let open = self.value.is_some() || !self.around.is_empty() || self.at < self.buffer.len();
        match open && !self.lost {
            true => Err(self.flaw("the document ends here, and something is not closed")),
            false => Ok(()),
        }
    }

    fn flaw(&self, message: impl Into<String>) -> Box<Flaw> {
        let start = memchr::memrchr(b'\n', &self.buffer[..self.at]).map_or(0, |i| i + 1);
        Flaw::new(Fault::Json, self.at - start, message)
    }

    fn find(&mut self) -> Result<Option<(usize, usize, u64)>> {
        while !self.lost {
            if let Some(mut value) = self.value.take() {
                if !value.look(&self.buffer) {
                    if value.looked - value.from > MAX_LINE {
                        return Err(self.flaw("this record has more than 256 MiB"));
                    }
                    self.value = Some(value);
                    return Ok(None);
                }
                let (from, to) = (value.from, value.looked);
                let lines = memchr::memchr_iter(b'\n', &self.buffer[from..to]).count() as u64;
                if value.wanted {
                    self.at = to;
                    self.line += lines;
                    return Ok(Some((from, to, value.line)));
                }
                self.is_well_formed(from, to)?;
                self.at = to;
                self.line += lines;
                continue;
            }
            self.blanks();
            let Some(&byte) = self.buffer.get(self.at) else { return Ok(None) };
            let Some(frame) = self.around.last_mut() else {
                self.begin(0, byte)?;
                continue;
            };
            let end = if frame.is_list { b']' } else { b'}' };
            if byte == end && frame.expects != Expects::Value {
                self.around.pop();
                self.at += 1;
                continue;
            }
            if frame.expects == Expects::More {
                if byte != b',' {
                    let end = char::from(end);
                    return Err(self.flaw(format!("expected `,` or `{end}`")));
                }
                frame.expects = Expects::Value;
                self.at += 1;
                continue;
            }
            let (is_list, steps) = (frame.is_list, frame.steps);
            if is_list {
                frame.expects = Expects::More;
                self.begin(steps, byte)?;
                continue;
            }
            let Some((is_it, value)) = self.key(steps)? else { return Ok(None) };
            if let Some(frame) = self.around.last_mut() {
                frame.expects = Expects::More;
            }
            self.at = value;
            let byte = self.buffer[value];
            match is_it {
                true => self.begin(steps + 1, byte)?,
                false => self.value = Some(Value::new(self.at, self.line, false)),
            }
        }
        Ok(None)
    }

    /// Between records there may be anything, but JSON.
    fn is_well_formed(&self, from: usize, to: usize) -> Result<()> {
        let text = std::str::from_utf8(&self.buffer[from..to])
            .map_err(|_| self.flaw("expected UTF-8 text, found other bytes"))?;
        let mut cursor = Cursor::new(text);
        let skipped = cursor.skip().and_then(|()| cursor.expect_end());
        skipped.map_err(|flaw| self.flaw(flaw.message))
    }

    /// A value begins to which so many steps lead.
    fn begin(&mut self, steps: usize, byte: u8) -> Result<()> {
        let listed = self.steps.is_empty() && self.around.is_empty() && byte == b'[';
        let (is_list, inside) = match self.steps.get(steps) {
            None if listed => (true, 0),
            None => {
                self.value = Some(Value::new(self.at, self.line, true));
                return Ok(());
            }
            Some(Step::Each) => (true, steps + 1),
            Some(Step::Key(_)) => (false, steps),
        };
        match (byte, is_list) {
            (b'[', true) | (b'{', false) => {
                self.around.push(Frame { is_list, steps: inside, expects: Expects::First });
                self.at += 1;
            }
            (b'n', _) => self.value = Some(Value::new(self.at, self.line, false)),
            _ => {
                let what = if is_list { "a list" } else { "an object" };
                return Err(self.flaw(format!("expected {what}, as --records says")));
            }
        }
        Ok(())
    }

    /// The key at hand, if it is all there: whether it is the one that is looked for, and where its
    /// value begins.
    fn key(&mut self, steps: usize) -> Result<Option<(bool, usize)>> {
        if self.buffer[self.at] != b'"' {
            return Err(self.flaw("expected a key in quotes"));
        }
        let mut end = self.at + 1;
        let mut escaped = false;
        loop {
            match self.buffer.get(end) {
                None if end - self.at > MAX_KEY => return Err(self.flaw("this key has no end")),
                None => return Ok(None),
                Some(b'"') if !escaped => break,
                Some(b'\\') => escaped = !escaped,
                Some(_) => escaped = false,
            }
            end += 1;
        }
        let text = String::from_utf8_lossy(&self.buffer[self.at + 1..end]);
        let is_it = matches!(&self.steps[steps], Step::Key(key) if **key == *text);
        let after = |from: usize| {
            let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
            self.buffer[from..].iter().position(|b| !blank(b)).map(|i| from + i)
        };
        let Some(colon) = after(end + 1) else { return Ok(None) };
        if self.buffer[colon] != b':' {
            self.at = colon;
            return Err(self.flaw("expected `:` after the key"));
        }
        let Some(value) = after(colon + 1) else { return Ok(None) };
        let lines = memchr::memchr_iter(b'\n', &self.buffer[self.at..value]).count();
        self.line += lines as u64;
        Ok(Some((is_it, value)))
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.buffer.get(self.at) {
            self.line += u64::from(self.buffer[self.at] == b'\n');
            self.at += 1;
        }
    }
}

impl Value {
    fn new(from: usize, line: u64, wanted: bool) -> Value {
        Value { from, line, looked: from, depth: 0, in_text: false, escaped: false, wanted }
    }

    /// Looks for the end; whether it was found. Brackets are only counted: whoever reads the value
    /// sees whether they fit.
    fn look(&mut self, buffer: &[u8]) -> bool {
        while let Some(&byte) = buffer.get(self.looked) {
            if self.in_text {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => {
                        self.in_text = false;
                        if self.depth == 0 {
                            self.looked += 1;
                            return true;
                        }
                    }
                    _ => {}
                }
            } else {
                match byte {
                    b'"' if self.depth == 0 && self.looked > self.from => return true,
                    b'"' => self.in_text = true,
                    b'{' | b'[' if self.depth == 0 && self.looked > self.from => return true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' if self.depth > 0 => {
                        self.depth -= 1;
                        if self.depth == 0 {
                            self.looked += 1;
                            return true;
                        }
                    }
                    // What closes nothing is a value that is none, for whoever reads it.
                    b'}' | b']' | b',' | b':' if self.looked == self.from => {
                        self.looked += 1;
                        return true;
                    }
                    b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {
                        return true;
                    }
                    _ => {}
                }
            }
            self.looked += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(steps: &str, text: &str, drip: usize) -> std::result::Result<Vec<String>, String> {
        let steps = if steps.is_empty() { Vec::new() } else { path(steps).unwrap() };
        let mut elements = Elements::new(steps);
        let mut all = Vec::new();
        let mut drain = |elements: &mut Elements| loop {
            match elements.take() {
                Ok(Some(element)) => {
                    let text = String::from_utf8_lossy(element.bytes).into_owned();
                    all.push(format!("{}:{text}", element.line));
                }
                Ok(None) => return Ok(()),
                Err(flaw) => return Err(flaw.message),
            }
        };
        for piece in text.as_bytes().chunks(drip) {
            elements.push(piece);
            drain(&mut elements)?;
        }
        elements.push(b"\n");
        drain(&mut elements)?;
        elements.finish().map_err(|flaw| flaw.message)?;
        Ok(all)
    }

    #[test]
    fn documents_are_cut_however_they_come() {
        for (steps, text, want) in [
            ("", "[{\"a\":1},\n {\"b\":[1,2]}]", vec!["1:{\"a\":1}", "2:{\"b\":[1,2]}"]),
            (
                "",
                "{\n \"a\": 1\n}\n{\"b\":\"}\\\"\"}",
                vec!["1:{\n \"a\": 1\n}", "4:{\"b\":\"}\\\"\"}"],
            ),
            ("", "[]", vec![]),
            ("", " ", vec![]),
            ("", "[1,null,\"x\",[2]]", vec!["1:1", "1:null", "1:\"x\"", "1:[2]"]),
            (
                ".Records[]",
                "{\"v\":{\"Records\":[9]},\n\"Records\":[{\"a\":1},{\"a\":2}],\"z\":1}",
                vec!["2:{\"a\":1}", "2:{\"a\":2}"],
            ),
            (".a.b", "{\"a\":{\"b\":{\"c\":1}}} {\"a\":null}", vec!["1:{\"c\":1}"]),
            (
                ".a[].b[]",
                "{\"a\":[{\"b\":[1,2]},{\"c\":0},{\"b\":[]},{\"b\":[3]}]}",
                vec!["1:1", "1:2", "1:3"],
            ),
            (".[]", "[1,\n2]", vec!["1:1", "2:2"]),
        ] {
            for drip in [1, 2, 7, 1000] {
                let cut = cut(steps, text, drip);
                let want: Vec<String> = want.iter().map(|w| w.to_string()).collect();
                assert_eq!(cut, Ok(want), "{steps} {text} by {drip}");
            }
        }
    }

    #[test]
    fn what_is_no_document_is_refused() {
        for (steps, text, why) in [
            ("", "[{\"a\":1}", "not closed"),
            ("", "{\"a\":1", "not closed"),
            ("", "[1 2]", "expected `,`"),
            (".Records[]", "{\"Records\":7}", "expected a list"),
            (".Records[]", "[1]", "expected an object"),
            (".Records[]", "{\"x\":tru,\"Records\":[]}", "expected"),
            (".Records[]", "{x:1}", "a key"),
            (".Records[]", "{\"x\" 1}", "`:`"),
        ] {
            let error = cut(steps, text, 3).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        for bad in ["", "Records", ".", "..a", ".a..[x]", ".a[0]"] {
            assert!(path(bad).is_err(), "{bad}");
        }
    }
}
