//! A cursor over one line of JSON: strict, single-pass, no tree.
//!
//! Strings without escapes are ranges of the line; others are decoded into the record's buffer.
//! Only lists and maps that are arguments are built as values.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use watchword_model::Value;

use crate::error::{Fault, Flaw};
use crate::record::{Raw, Record, Text};

/// How deep objects and lists may nest.
const MAX_DEPTH: usize = 128;

type Result<T> = std::result::Result<T, Box<Flaw>>;

/// A position in a line.
pub struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    /// Byte offset of the next character.
    pub at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning of a line.
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, bytes: text.as_bytes(), at: 0 }
    }

    /// The line.
    pub fn line(&self) -> &'a str {
        self.text
    }

    /// The next byte after white space, which is skipped; 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(&b) => return b,
                None => return 0,
            }
        }
    }

    /// Takes `byte`, after white space, if it is next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && self.at < self.bytes.len();
        self.at += usize::from(found);
        found
    }

    /// Consumes `byte`, or reports what was expected.
    #[inline]
    pub fn expect(&mut self, byte: u8, what: &str) -> Result<()> {
        if self.take(byte) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Only white space is left.
    pub fn expect_end(&mut self) -> Result<()> {
        self.peek();
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            Err(self.expected("the end of the line after the record"))
        }
    }

    /// The flaw of finding something else here.
    #[cold]
    #[inline(never)]
    pub fn expected(&self, what: &str) -> Box<Flaw> {
        let found = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None if self.at >= self.bytes.len() => "the line ends here".to_string(),
            None => "found an unfinished character".to_string(),
            Some(c) if c.is_control() => format!("found the control character U+{:04X}", c as u32),
            Some(c) => format!("found `{c}`"),
        };
        Flaw::new(Fault::Json, self.at, format!("expected {what}, {found}"))
    }

    /// A key and its colon.
    #[inline]
    pub fn key(&mut self, record: &mut Record) -> Result<Text> {
        if self.peek() != b'"' {
            return Err(self.expected("a key in quotes"));
        }
        let key = self.string(record)?;
        // The usual spelling has no white space here.
        if self.bytes.get(self.at) == Some(&b':') {
            self.at += 1;
        } else {
            self.expect(b':', "`:` after the key")?;
        }
        Ok(key)
    }

    /// After a member: `true` if another follows, `false` if the object was closed.
    #[inline]
    pub fn more(&mut self, close: u8) -> Result<bool> {
        let next = self.peek();
        if next == b',' {
            self.at += 1;
            Ok(true)
        } else if next == close {
            self.at += 1;
            Ok(false)
        } else {
            Err(self.expected(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" }))
        }
    }

    /// A string; the opening quote is next.
    #[inline]
    pub fn string(&mut self, record: &mut Record) -> Result<Text> {
        let start = self.at + 1;
        let end = plain_until(self.bytes, start);
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Text::of_line(start, end));
        }
        self.string_with_escapes(start, end, Some(record))
    }

    #[cold]
    fn string_with_escapes(
        &mut self,
        start: usize,
        mut end: usize,
        mut record: Option<&mut Record>,
    ) -> Result<Text> {
        let buffer_start = record.as_ref().map_or(0, |r| r.buffer.len());
        let mut copied = start;
        loop {
            self.at = end;
            match self.bytes.get(end) {
                Some(b'"') => {
                    self.at += 1;
                    let Some(record) = record else { return Ok(Text::EMPTY) };
                    record.buffer.push_str(&self.text[copied..end]);
                    return Ok(Text::decoded(buffer_start, record.buffer.len()));
                }
                Some(b'\\') => {
                    let c = self.escape()?;
                    if let Some(record) = &mut record {
                        record.buffer.push_str(&self.text[copied..end]);
                        record.buffer.push(c);
                    }
                    copied = self.at;
                    end = plain_until(self.bytes, copied);
                }
                Some(_) => return Err(self.expected("no control character inside a text")),
                None => return Err(self.expected("the closing `\"` of a text")),
            }
        }
    }

    /// An escape sequence; the backslash is next.
    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 2;
        Ok(match self.bytes.get(start + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let high = self.hex4()?;
                if (0xD800..0xDC00).contains(&high) {
                    if self.bytes.get(self.at..self.at + 2) != Some(b"\\u") {
                        return Err(self.expected("the second half of a surrogate pair"));
                    }
                    let low_at = self.at;
                    self.at += 2;
                    let low = self.hex4()?;
                    if !(0xDC00..0xE000).contains(&low) {
                        self.at = low_at;
                        return Err(self.expected("the second half of a surrogate pair"));
                    }
                    let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
                } else if let Some(c) = char::from_u32(high) {
                    c
                } else {
                    self.at = start;
                    return Err(self.expected("no lone second half of a surrogate pair"));
                }
            }
            _ => {
                self.at = (start + 1).min(self.bytes.len());
                return Err(self.expected("an escape: one of `\"\\/bfnrtu` after `\\`"));
            }
        })
    }

    fn hex4(&mut self) -> Result<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.bytes.get(self.at).and_then(|b| (*b as char).to_digit(16));
            let Some(digit) = digit else { return Err(self.expected("four hexadecimal digits")) };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    /// Any value; lists and maps are kept in the record.
    #[inline]
    pub fn value(&mut self, record: &mut Record) -> Result<Raw> {
        match self.peek() {
            b'"' => Ok(Raw::Str(self.string(record)?)),
            b'0'..=b'9' | b'-' => self.number(),
            b'{' => self.object_value(record, 0),
            b'[' => {
                let value = self.list(record, 0)?;
                Ok(record.keep(value))
            }
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Raw> {
        for (word, raw) in
            [("true", Raw::Bool(true)), ("false", Raw::Bool(false)), ("null", Raw::Null)]
        {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(raw);
            }
        }
        Err(self.expected("a value"))
    }

    /// A number; its first character is next.
    #[inline]
    pub fn number(&mut self) -> Result<Raw> {
        let start = self.at;
        let negative = self.bytes[start] == b'-';
        self.at += usize::from(negative);
        let first = self.at;
        let mut n: u64 = 0;
        while let Some(d) = self.bytes.get(self.at).filter(|b| b.is_ascii_digit()) {
            // Wraps for long ones, which are parsed again below.
            n = n.wrapping_mul(10).wrapping_add(u64::from(d - b'0'));
            self.at += 1;
        }
        let digits = self.at - first;
        if digits == 0 {
            return Err(self.expected("a digit"));
        }
        if self.bytes[first] == b'0' && digits > 1 {
            self.at = first + 1;
            return Err(self.expected("no digit after a leading zero"));
        }
        if matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E')) {
            return self.float(start);
        }
        if digits <= 18 {
            let n = n as i64;
            return Ok(Raw::Int(if negative { -n } else { n }));
        }
        let text = &self.text[start..self.at];
        if let Ok(i) = text.parse::<i64>() {
            return Ok(Raw::Int(i));
        }
        if let Ok(u) = text.parse::<u64>() {
            return Ok(Raw::Big(u));
        }
        match text.parse::<f64>() {
            Ok(f) if f.is_finite() => Ok(Raw::Huge(f)),
            _ => Err(self.too_large(start)),
        }
    }

    fn float(&mut self, start: usize) -> Result<Raw> {
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        match self.text[start..self.at].parse::<f64>() {
            Ok(f) if f.is_finite() => Ok(Raw::Float(f)),
            _ => Err(self.too_large(start)),
        }
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { Err(self.expected("a digit")) } else { Ok(()) }
    }

    #[cold]
    fn too_large(&self, start: usize) -> Box<Flaw> {
        Flaw::new(Fault::Json, start, "this number is beyond the range of 64-bit floats")
    }

    /// `{"ref":12,"class":"C","text":"…"}`, `{"ptr":…}`, `{"float":"nan"}`, or another as a map.
    fn object_value(&mut self, record: &mut Record, depth: usize) -> Result<Raw> {
        let start = self.at;
        if let Some(raw) = self.identity(record)? {
            return Ok(raw);
        }
        self.at = start;
        let value = self.map(record, depth)?;
        Ok(record.keep(value))
    }

    /// A value that JSON has no notation for — an object identity, an address, a float that is no
    /// number — if the object has the keys of one and no others.
    fn identity(&mut self, record: &mut Record) -> Result<Option<Raw>> {
        self.at += 1;
        if self.peek() != b'"' {
            return Ok(None);
        }
        let (mut id, mut pointer, mut float) = (None, None, None);
        let (mut class, mut content) = (None, None);
        loop {
            if self.peek() != b'"' {
                return Ok(None);
            }
            let key = self.key(record)?;
            let next = self.peek();
            match record.text(self.text, key) {
                "ref" if id.is_none() && next.is_ascii_digit() => match self.number()? {
                    Raw::Int(i) => id = Some(i as u64),
                    Raw::Big(u) => id = Some(u),
                    _ => return Ok(None),
                },
                "ptr" if pointer.is_none() && next.is_ascii_digit() => match self.number()? {
                    Raw::Int(i) => pointer = Some(i as u64),
                    Raw::Big(u) => pointer = Some(u),
                    _ => return Ok(None),
                },
                "ptr" if pointer.is_none() && next == b'"' => {
                    let text = self.string(record)?;
                    match crate::record::address(record.text(self.text, text)) {
                        Some(p) => pointer = Some(p),
                        None => return Ok(None),
                    }
                }
                "float" if float.is_none() && next == b'"' => {
                    let text = self.string(record)?;
                    match record.text(self.text, text) {
                        "nan" => float = Some(f64::NAN),
                        "inf" => float = Some(f64::INFINITY),
                        "-inf" => float = Some(f64::NEG_INFINITY),
                        _ => return Ok(None),
                    }
                }
                "class" if class.is_none() && next == b'"' => class = Some(self.string(record)?),
                "text" if content.is_none() && next == b'"' => content = Some(self.string(record)?),
                _ => return Ok(None),
            }
            if !self.more(b'}')? {
                break;
            }
        }
        let bare = class.is_none() && content.is_none();
        Ok(match (id, pointer, float) {
            (Some(id), None, None) => Some(Raw::Ref(id, class, content)),
            (None, Some(p), None) if bare => Some(Raw::Ptr(p)),
            (None, None, Some(f)) if bare => Some(Raw::Float(f)),
            _ => None,
        })
    }

    fn nested(&mut self, record: &mut Record, depth: usize) -> Result<Value> {
        match self.peek() {
            b'{' => {
                let raw = self.object_value(record, depth + 1)?;
                Ok(record.owned(self.text, raw))
            }
            b'[' => self.list(record, depth + 1),
            _ => {
                let at = self.at;
                match self.value(record)? {
                    Raw::Huge(_) => Err(Flaw::new(
                        Fault::Argument,
                        at,
                        "this integer does not fit in 64 bits; in quotes it is a text",
                    )),
                    raw => Ok(record.owned(self.text, raw)),
                }
            }
        }
    }

    fn list(&mut self, record: &mut Record, depth: usize) -> Result<Value> {
        self.not_too_deep(depth)?;
        self.at += 1;
        let mut items = Vec::new();
        if !self.take(b']') {
            loop {
                items.push(self.nested(record, depth)?);
                if !self.more(b']')? {
                    break;
                }
            }
        }
        Ok(Value::List(Arc::new(items)))
    }

    fn map(&mut self, record: &mut Record, depth: usize) -> Result<Value> {
        self.not_too_deep(depth)?;
        self.at += 1;
        let mut entries = BTreeMap::new();
        if !self.take(b'}') {
            loop {
                self.peek();
                let at = self.at;
                let key = self.key(record)?;
                let key = record.map_key(self.text, key);
                let value = self.nested(record, depth)?;
                if entries.insert(key, value).is_some() {
                    return Err(Flaw::new(Fault::Duplicate, at, "this key occurs twice"));
                }
                if !self.more(b'}')? {
                    break;
                }
            }
        }
        Ok(Value::Map(Arc::new(entries)))
    }

    fn not_too_deep(&self, depth: usize) -> Result<()> {
        if depth < MAX_DEPTH {
            return Ok(());
        }
        let message = format!("objects and lists nest deeper than {MAX_DEPTH}");
        Err(Flaw::new(Fault::Json, self.at, message))
    }

    /// Refuses the object between `object` and here if it contains a key twice. A few bits of each
    /// key usually decide; otherwise the object is read again.
    #[inline]
    pub fn expect_once(&self, mut keys: Keys, object: usize) -> Result<()> {
        if keys.differ() { Ok(()) } else { self.look_for_twice(object) }
    }

    #[cold]
    #[inline(never)]
    fn look_for_twice(&self, object: usize) -> Result<()> {
        let mut again = Cursor { text: self.text, bytes: self.bytes, at: object + 1 };
        let mut record = Record::new(0);
        let mut seen = HashSet::new();
        loop {
            again.peek();
            let at = again.at;
            let key = again.key(&mut record)?;
            let key = record.text(self.text, key);
            if !seen.insert(key.to_string()) {
                let message = format!("the key `{key}` occurs twice");
                return Err(Flaw::new(Fault::Duplicate, at, message));
            }
            again.skip_at(0, false)?;
            if !again.more(b'}')? {
                return Ok(());
            }
        }
    }

    /// Skips a value that no property reads; it must still be well-formed.
    pub fn skip(&mut self) -> Result<()> {
        self.skip_at(0, true)
    }

    /// `check`: whether keys that occur twice are looked for.
    fn skip_at(&mut self, depth: usize, check: bool) -> Result<()> {
        match self.peek() {
            b'"' => self.skip_string(),
            b'0'..=b'9' | b'-' => self.number().map(drop),
            b'{' => {
                self.not_too_deep(depth)?;
                let object = self.at;
                self.at += 1;
                if self.take(b'}') {
                    return Ok(());
                }
                let mut keys = Keys::default();
                loop {
                    if self.peek() != b'"' {
                        return Err(self.expected("a key in quotes"));
                    }
                    let key = self.at + 1;
                    self.skip_string()?;
                    if check {
                        let key = &self.text[key..self.at - 1];
                        // Two keys with escapes may be equal although they are written differently.
                        keys.unclear |= memchr::memchr(b'\\', key.as_bytes()).is_some();
                        keys.add(key);
                    }
                    self.expect(b':', "`:` after the key")?;
                    self.skip_at(depth + 1, check)?;
                    if !self.more(b'}')? {
                        return if check { self.expect_once(keys, object) } else { Ok(()) };
                    }
                }
            }
            b'[' => {
                self.not_too_deep(depth)?;
                self.at += 1;
                if self.take(b']') {
                    return Ok(());
                }
                loop {
                    self.skip_at(depth + 1, check)?;
                    if !self.more(b']')? {
                        return Ok(());
                    }
                }
            }
            _ => self.word().map(drop),
        }
    }

    fn skip_string(&mut self) -> Result<()> {
        let start = self.at + 1;
        let end = plain_until(self.bytes, start);
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(());
        }
        self.string_with_escapes(start, end, None).map(drop)
    }
}

/// The keys of an object so far, as numbers: equal keys have equal ones.
#[derive(Default)]
pub struct Keys {
    few: [u64; 8],
    count: usize,
    /// Those beyond the first few.
    many: Vec<u64>,
    /// Some keys may be the same.
    unclear: bool,
}

impl Keys {
    /// One more.
    #[inline]
    pub fn add(&mut self, key: &str) {
        let number = number_of(key.as_bytes());
        let known = self.count.min(self.few.len());
        self.unclear |= self.few[..known].contains(&number);
        self.count += 1;
        match self.few.get_mut(known) {
            Some(slot) => *slot = number,
            None => self.many.push(number),
        }
    }

    /// Whether all are certainly different.
    fn differ(&mut self) -> bool {
        self.many.sort_unstable();
        !self.unclear && self.many.windows(2).all(|two| two[0] != two[1])
    }
}

fn number_of(key: &[u8]) -> u64 {
    key.chunks(8).fold(key.len() as u64, |number, chunk| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        let mixed = (number ^ u64::from_le_bytes(bytes)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 29)
    })
}

/// The first quote, backslash or control character at or after `at`; eight bytes at a time.
#[inline]
fn plain_until(bytes: &[u8], mut at: usize) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    while let Some(chunk) = bytes.get(at..at + 8) {
        let word = u64::from_le_bytes(chunk.try_into().unwrap_or([0; 8]));
        let quote = word ^ (LOW * b'"' as u64);
        let backslash = word ^ (LOW * b'\\' as u64);
        // A byte below n borrows from its top bit. A borrow can spread to the bytes above it,
        // never below: the lowest mark is always right.
        let marks = (quote.wrapping_sub(LOW) & !quote)
            | (backslash.wrapping_sub(LOW) & !backslash)
            | (word.wrapping_sub(LOW * 0x20) & !word);
        let marks = marks & HIGH;
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(&b) = bytes.get(at) {
        if b == b'"' || b == b'\\' || b < 0x20 {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> std::result::Result<String, (usize, String)> {
        let mut record = Record::new(0);
        let mut cursor = Cursor::new(text);
        let raw = cursor.value(&mut record).and_then(|raw| cursor.expect_end().map(|()| raw));
        let read =
            raw.map(|raw| record.owned(text, raw).to_string()).map_err(|f| (f.at, f.message));
        let mut skipping = Cursor::new(text);
        let skipped = skipping.skip().and_then(|()| skipping.expect_end());
        match (&read, &skipped) {
            (Err((at, _)), Err(flaw)) => assert_eq!(*at, flaw.at, "{text}"),
            // Skipping does not check whether integers fit.
            (Err((_, message)), Ok(())) => assert!(message.contains("64 bits"), "{text}"),
            (Ok(_), skipped) => assert!(skipped.is_ok(), "{text}"),
        }
        read
    }

    #[test]
    fn values() {
        let cases = [
            ("null", "null"),
            (" true ", "true"),
            ("-0", "0"),
            ("9223372036854775807", "9223372036854775807"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551615", "-1"),
            ("1.5e3", "1500.0"),
            ("1E-2", "0.01"),
            ("\"\"", ""),
            (r#""a\"b\\c\/d\b\f\n\r\t""#, "a\"b\\c/d\u{8}\u{c}\n\r\t"),
            (r#""\u00e9\ud83d\ude00é""#, "é😀é"),
            (r#"{"ref":12,"class":"a.B"}"#, "B@12"),
            (r#"{"class":"a.B","ref":12}"#, "B@12"),
            (r#"{"ptr":"0xff"}"#, "0xff"),
            (r#"{"ptr":255}"#, "0xff"),
            (r#"{"float":"nan"}"#, "NaN"),
            (r#"{"float":"-inf"}"#, "-inf"),
            (r#"{"float":"1"}"#, "{float: 1}"),
            (r#"{"ref":1,"x":2}"#, "{ref: 1, x: 2}"),
            (r#"{"ref":"a"}"#, "{ref: a}"),
            (r#"{ }"#, "{}"),
            (r#"[1, [ ], {"a" : [null]}]"#, "[1, [], {a: [null]}]"),
        ];
        for (text, want) in cases {
            assert_eq!(read(text).as_deref(), Ok(want), "{text}");
        }
    }

    #[test]
    fn malformed_values() {
        let cases = [
            ("", 0),
            ("nul", 0),
            ("01", 1),
            ("-", 1),
            ("1.", 2),
            ("1e", 2),
            ("1e999", 0),
            ("+1", 0),
            ("NaN", 0),
            ("\"a", 2),
            ("\"a\u{1}b\"", 2),
            (r#""\x""#, 2),
            (r#""\u12g4""#, 5),
            (r#""\ud800""#, 7),
            (r#""\ud800\u0041""#, 7),
            (r#""\udc00""#, 1),
            ("\"\\", 2),
            ("[1,]", 3),
            ("[1", 2),
            ("[1}", 2),
            ("{\"a\"}", 4),
            ("{\"a\":1,}", 7),
            ("{a:1}", 1),
            ("{\"a\":1 \"b\":2}", 7),
            ("1 2", 2),
            ("'a'", 0),
            ("{\"ref\":}", 7),
            ("{\"a\":1,\"a\":2}", 7),
            ("[123456789012345678901234567890]", 1),
        ];
        for (text, at) in cases {
            assert_eq!(read(text).map_err(|(at, _)| at), Err(at), "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(read(&deep(MAX_DEPTH)).is_ok());
        assert!(read(&deep(MAX_DEPTH + 1)).is_err());
        assert!(read(&"[".repeat(1_000_000)).is_err());
        assert!(read(&"{\"a\":".repeat(1_000_000)).is_err());
    }

    #[test]
    fn plain_text_ends_at_the_first_special_byte_wherever_it_is() {
        for length in 0..40 {
            for special in [b'"', b'\\', 0, 0x1f] {
                for fill in [b'a', 0x20, 0x7f, 0xc3, 0xff, b'!', b'#', b'[', b']'] {
                    let mut bytes = vec![fill; length];
                    bytes.push(special);
                    bytes.extend_from_slice(&[special, fill, b'"', fill]);
                    assert_eq!(plain_until(&bytes, 0), length, "{special} after {fill}");
                }
            }
            assert_eq!(plain_until(&vec![b'a'; length], 0), length);
        }
    }
}
