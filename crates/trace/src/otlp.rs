//! OpenTelemetry's protocol as protobuf, written as the JSON it also has: logs and spans.
//!
//! A message is described by a table of its fields. What a table does not have is left out, as the rules of
//! protobuf want it. The JSON is OTLP's own: names in camel case, numbers of 64 bits as texts, ids in
//! hexadecimal, enumerations as numbers. So everything else reads one format.

use std::fmt::Write;

use crate::error::{Fault, Flaw};
use crate::write::quote;

type Result<T> = std::result::Result<T, Box<Flaw>>;

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Log records.
    Logs,
    /// Spans.
    Spans,
}

impl Signal {
    /// The preset that reads its JSON.
    pub fn preset(self) -> &'static str {
        match self {
            Signal::Logs => "otlp",
            Signal::Spans => "otlp-spans",
        }
    }

    /// Where clients post it.
    pub fn path(self) -> &'static str {
        match self {
            Signal::Logs => "/v1/logs",
            Signal::Spans => "/v1/traces",
        }
    }

    fn message(self) -> &'static Message {
        match self {
            Signal::Logs => &LOGS,
            Signal::Spans => &SPANS,
        }
    }
}

/// What the value of a field is.
enum Kind {
    Text,
    /// Bytes, in base 64.
    Bytes,
    /// Bytes, in hexadecimal.
    Id,
    Bool,
    /// A number of 32 bits, or of an enumeration.
    Small,
    /// A signed number of 64 bits.
    Int,
    /// An unsigned number of 64 bits, always in eight bytes; 0 is none.
    Nanos,
    /// An unsigned number of 32 bits, always in four bytes.
    Fixed,
    Double,
    One(&'static Message),
    Many(&'static Message),
}

/// A field: its number, its name in JSON, what it is.
struct Field(u32, &'static str, Kind);

struct Message(&'static [Field]);

static LOGS: Message = Message(&[Field(1, "resourceLogs", Kind::Many(&RESOURCE_LOGS))]);
static RESOURCE_LOGS: Message = Message(&[
    Field(1, "resource", Kind::One(&RESOURCE)),
    Field(2, "scopeLogs", Kind::Many(&SCOPE_LOGS)),
    Field(3, "schemaUrl", Kind::Text),
]);
static SCOPE_LOGS: Message = Message(&[
    Field(1, "scope", Kind::One(&SCOPE)),
    Field(2, "logRecords", Kind::Many(&LOG_RECORD)),
    Field(3, "schemaUrl", Kind::Text),
]);
static LOG_RECORD: Message = Message(&[
    Field(1, "timeUnixNano", Kind::Nanos),
    Field(11, "observedTimeUnixNano", Kind::Nanos),
    Field(2, "severityNumber", Kind::Small),
    Field(3, "severityText", Kind::Text),
    Field(12, "eventName", Kind::Text),
    Field(5, "body", Kind::One(&VALUE)),
    Field(6, "attributes", Kind::Many(&PAIR)),
    Field(8, "flags", Kind::Fixed),
    Field(9, "traceId", Kind::Id),
    Field(10, "spanId", Kind::Id),
]);
static SPANS: Message = Message(&[Field(1, "resourceSpans", Kind::Many(&RESOURCE_SPANS))]);
static RESOURCE_SPANS: Message = Message(&[
    Field(1, "resource", Kind::One(&RESOURCE)),
    Field(2, "scopeSpans", Kind::Many(&SCOPE_SPANS)),
    Field(3, "schemaUrl", Kind::Text),
]);
static SCOPE_SPANS: Message = Message(&[
    Field(1, "scope", Kind::One(&SCOPE)),
    Field(2, "spans", Kind::Many(&SPAN)),
    Field(3, "schemaUrl", Kind::Text),
]);
static SPAN: Message = Message(&[
    Field(1, "traceId", Kind::Id),
    Field(2, "spanId", Kind::Id),
    Field(3, "traceState", Kind::Text),
    Field(4, "parentSpanId", Kind::Id),
    Field(5, "name", Kind::Text),
    Field(6, "kind", Kind::Small),
    Field(7, "startTimeUnixNano", Kind::Nanos),
    Field(8, "endTimeUnixNano", Kind::Nanos),
    Field(9, "attributes", Kind::Many(&PAIR)),
    Field(11, "events", Kind::Many(&SPAN_EVENT)),
    Field(13, "links", Kind::Many(&LINK)),
    Field(15, "status", Kind::One(&STATUS)),
    Field(16, "flags", Kind::Fixed),
]);
static SPAN_EVENT: Message = Message(&[
    Field(1, "timeUnixNano", Kind::Nanos),
    Field(2, "name", Kind::Text),
    Field(3, "attributes", Kind::Many(&PAIR)),
]);
static LINK: Message = Message(&[
    Field(1, "traceId", Kind::Id),
    Field(2, "spanId", Kind::Id),
    Field(3, "traceState", Kind::Text),
    Field(4, "attributes", Kind::Many(&PAIR)),
]);
static STATUS: Message = Message(&[Field(2, "message", Kind::Text), Field(3, "code", Kind::Small)]);
static RESOURCE: Message = Message(&[Field(1, "attributes", Kind::Many(&PAIR))]);
static SCOPE: Message = Message(&[
    Field(1, "name", Kind::Text),
    Field(2, "version", Kind::Text),
    Field(3, "attributes", Kind::Many(&PAIR)),
]);
static PAIR: Message =
    Message(&[Field(1, "key", Kind::Text), Field(2, "value", Kind::One(&VALUE))]);
static VALUE: Message = Message(&[
    Field(1, "stringValue", Kind::Text),
    Field(2, "boolValue", Kind::Bool),
    Field(3, "intValue", Kind::Int),
    Field(4, "doubleValue", Kind::Double),
    Field(5, "arrayValue", Kind::One(&VALUES)),
    Field(6, "kvlistValue", Kind::One(&PAIRS)),
    Field(7, "bytesValue", Kind::Bytes),
]);
static VALUES: Message = Message(&[Field(1, "values", Kind::Many(&VALUE))]);
static PAIRS: Message = Message(&[Field(1, "values", Kind::Many(&PAIR))]);

/// How deep messages may be inside of each other; values may be lists of values.
const MAX_DEPTH: usize = 64;

/// A request of an exporter, as a line of JSON.
///
/// # Errors
/// If the bytes are no such request.
pub fn to_json(signal: Signal, bytes: &[u8]) -> Result<String> {
    let mut out = String::with_capacity(bytes.len() * 2);
    Decoder { all: bytes.len() }.message(signal.message(), bytes, 0, &mut out)?;
    out.push('\n');
    Ok(out)
}

/// The value of a field as it comes.
#[derive(Clone, Copy)]
enum Raw<'a> {
    Varint(u64),
    Eight([u8; 8]),
    Four([u8; 4]),
    Bytes(&'a [u8]),
}

struct Decoder {
    all: usize,
}

impl Decoder {
    fn wrong<T>(&self, rest: &[u8], why: &str) -> Result<T> {
        Err(Flaw::new(Fault::Shape, self.all.saturating_sub(rest.len()), why))
    }

    fn varint(&self, from: &mut &[u8]) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let Some((byte, rest)) = from.split_first() else {
                return self.wrong(from, "the message ends too early");
            };
            *from = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        self.wrong(from, "a number is too long")
    }

    fn bytes<'a>(&self, from: &mut &'a [u8], count: u64) -> Result<&'a [u8]> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        match from.split_at_checked(count) {
            Some((bytes, rest)) => {
                *from = rest;
                Ok(bytes)
            }
            None => self.wrong(from, "the message ends too early"),
        }
    }

    /// The fields of a message, by number.
    fn fields<'a>(&self, mut from: &'a [u8]) -> Result<Vec<(u32, Raw<'a>)>> {
        let mut fields = Vec::new();
        while !from.is_empty() {
            let tag = self.varint(&mut from)?;
            let number = u32::try_from(tag >> 3).unwrap_or(0);
            if number == 0 {
                return self.wrong(from, "expected the number of a field");
            }
            let raw = match tag & 7 {
                0 => Raw::Varint(self.varint(&mut from)?),
                1 => Raw::Eight(self.bytes(&mut from, 8)?.try_into().unwrap_or_default()),
                2 => {
                    let length = self.varint(&mut from)?;
                    Raw::Bytes(self.bytes(&mut from, length)?)
                }
                5 => Raw::Four(self.bytes(&mut from, 4)?.try_into().unwrap_or_default()),
                _ => return self.wrong(from, "expected a field of a known kind"),
            };
            fields.push((number, raw));
        }
        Ok(fields)
    }

    fn message(
        &self,
        message: &Message,
        bytes: &[u8],
        depth: usize,
        out: &mut String,
    ) -> Result<()> {
        if depth == MAX_DEPTH {
            return self.wrong(bytes, "messages are inside of each other too deep");
        }
        let fields = self.fields(bytes)?;
        out.push('{');
        let mut first = true;
        for Field(number, name, kind) in message.0 {
            let mut given = fields.iter().filter(|(n, _)| n == number).map(|(_, raw)| *raw);
            let key = |out: &mut String, first: &mut bool| {
                let comma = if std::mem::take(first) { "" } else { "," };
                let _ = write!(out, "{comma}\"{name}\":");
            };
            if let Kind::Many(inner) = kind {
                let mut items = given.peekable();
                if items.peek().is_none() {
                    continue;
                }
                key(out, &mut first);
                out.push('[');
                for (i, item) in items.enumerate() {
                    let Raw::Bytes(inside) = item else {
                        return self.wrong(bytes, &format!("`{name}` is no message"));
                    };
                    if i > 0 {
                        out.push(',');
                    }
                    self.message(inner, inside, depth + 1, out)?;
                }
                out.push(']');
                continue;
            }
            // Of a field that is given again, the last counts.
            let Some(raw) = given.by_ref().last() else { continue };
            if is_none(kind, raw) {
                continue;
            }
            key(out, &mut first);
            self.value(name, kind, raw, bytes, depth, out)?;
        }
        out.push('}');
        Ok(())
    }

    fn value(
        &self,
        name: &str,
        kind: &Kind,
        raw: Raw<'_>,
        around: &[u8],
        depth: usize,
        out: &mut String,
    ) -> Result<()> {
        let _ = match (kind, raw) {
            (Kind::Text, Raw::Bytes(bytes)) => match std::str::from_utf8(bytes) {
                Ok(text) => quote(out, text),
                Err(_) => return self.wrong(around, &format!("`{name}` is no UTF-8 text")),
            },
            (Kind::Bytes, Raw::Bytes(bytes)) => {
                out.push('"');
                base64(bytes, out);
                write!(out, "\"")
            }
            (Kind::Id, Raw::Bytes(bytes)) => {
                out.push('"');
                for byte in bytes {
                    let _ = write!(out, "{byte:02x}");
                }
                write!(out, "\"")
            }
            (Kind::Bool, Raw::Varint(n)) => write!(out, "{}", n != 0),
            (Kind::Small, Raw::Varint(n)) => write!(out, "{}", n as u32 as i32),
            (Kind::Int, Raw::Varint(n)) => write!(out, "\"{}\"", n as i64),
            (Kind::Nanos, Raw::Eight(bytes)) => write!(out, "\"{}\"", u64::from_le_bytes(bytes)),
            (Kind::Fixed, Raw::Four(bytes)) => write!(out, "{}", u32::from_le_bytes(bytes)),
            (Kind::Double, Raw::Eight(bytes)) => match f64::from_le_bytes(bytes) {
                number if number.is_finite() => write!(out, "{number:?}"),
                number if number.is_nan() => write!(out, "\"NaN\""),
                number => write!(out, "\"{}Infinity\"", if number < 0.0 { "-" } else { "" }),
            },
            (Kind::One(message), Raw::Bytes(inside)) => {
                return self.message(message, inside, depth + 1, out);
            }
            _ => return self.wrong(around, &format!("`{name}` is of another kind")),
        };
        Ok(())
    }
}

/// Whether a value says that there is none: a time of 0, an empty id.
fn is_none(kind: &Kind, raw: Raw<'_>) -> bool {
    match (kind, raw) {
        (Kind::Nanos, Raw::Eight(bytes)) => bytes == [0; 8],
        (Kind::Id, Raw::Bytes(bytes)) => bytes.is_empty(),
        _ => false,
    }
}

fn base64(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
}

/// Which signal a request of an exporter is that begins like this: its records tell. `None` if they
/// are not reached, or are those of another protocol or of metrics.
pub fn recognise(start: &[u8]) -> Option<Signal> {
    // A resource, then scopes, then records, each a field of the one before.
    let scopes = inside(start, &[])?;
    let records = inside(scopes, &[0x0a, 0x1a])?;
    let record = inside(records, &[0x0a, 0x1a])?;
    match record {
        // A trace of 16 bytes, then a span of eight.
        [0x0a, 16, ..] => {
            record.get(18..20).is_none_or(|next| next == [0x12, 8]).then_some(Signal::Spans)
        }
        [0x09 | 0x10 | 0x1a | 0x2a | 0x32 | 0x59, ..] => Some(Signal::Logs),
        _ => None,
    }
}

/// What is in the first field of a message that is the next one to look into: field 1 of a request,
/// field 2 of what is in it. Other fields of texts and messages before it may be skipped.
fn inside<'a>(mut from: &'a [u8], skipped: &[u8]) -> Option<&'a [u8]> {
    let decoder = Decoder { all: from.len() };
    let wanted = if skipped.is_empty() { 0x0a } else { 0x12 };
    loop {
        let (tag, mut rest) = from.split_first()?;
        let length = usize::try_from(decoder.varint(&mut rest).ok()?).ok()?;
        match tag {
            tag if *tag == wanted => return Some(&rest[..length.min(rest.len())]),
            tag if skipped.contains(tag) => from = rest.get(length..)?,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field with bytes inside.
    fn field(number: u8, inside: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number << 3 | 2];
        let mut length = inside.len();
        while length > 127 {
            bytes.push(length as u8 | 128);
            length >>= 7;
        }
        bytes.push(length as u8);
        bytes.extend(inside);
        bytes
    }

    fn nanos(number: u8, time: u64) -> Vec<u8> {
        let mut bytes = vec![number << 3 | 1];
        bytes.extend(time.to_le_bytes());
        bytes
    }

    fn logs() -> Vec<u8> {
        let body = field(5, &field(1, "a \"b\"\n".as_bytes()));
        let pair = [
            field(1, b"n"),
            field(2, &[3 << 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
        ];
        let record =
            [nanos(1, 17), vec![2 << 3, 9], field(3, b"INFO"), body, field(6, &pair.concat())];
        let scope =
            [field(1, &field(1, b"s")), field(2, &record.concat()), field(2, &nanos(11, 5))];
        let resource = field(1, &[field(1, b"k"), field(2, &[2 << 3, 1])].concat());
        field(1, &[field(1, &resource), field(2, &scope.concat())].concat())
    }

    #[test]
    fn protobuf_becomes_the_json_of_the_protocol() {
        let json = to_json(Signal::Logs, &logs()).unwrap();
        assert_eq!(
            json,
            "{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"k\",\"value\":{\"boolValue\":true}}]},\
             \"scopeLogs\":[{\"scope\":{\"name\":\"s\"},\"logRecords\":[{\"timeUnixNano\":\"17\",\
             \"severityNumber\":9,\"severityText\":\"INFO\",\"body\":{\"stringValue\":\"a \\\"b\\\"\\n\"},\
             \"attributes\":[{\"key\":\"n\",\"value\":{\"intValue\":\"-1\"}}]},\
             {\"observedTimeUnixNano\":\"5\"}]}]}]}\n"
        );
        assert_eq!(recognise(&logs()), Some(Signal::Logs));
        let span =
            [field(1, &[0xab; 16]), field(2, &[1; 8]), field(5, b"get"), nanos(7, 1), nanos(8, 2)];
        let spans = field(1, &field(2, &field(2, &span.concat())));
        assert_eq!(recognise(&spans), Some(Signal::Spans));
        let metric = field(1, &field(2, &field(2, &field(1, b"requests"))));
        assert_eq!(recognise(&metric), None);
        let json = to_json(Signal::Spans, &spans).unwrap();
        assert!(json.contains("\"traceId\":\"abababab"), "{json}");
        assert!(json.contains("\"startTimeUnixNano\":\"1\",\"endTimeUnixNano\":\"2\""), "{json}");
        for (bytes, text) in [(&b""[..], ""), (b"a", "YQ=="), (b"ab", "YWI="), (b"abc", "YWJj")] {
            let mut out = String::new();
            base64(bytes, &mut out);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn damaged_messages_are_refused() {
        let whole = logs();
        for end in 1..whole.len() {
            assert!(to_json(Signal::Logs, &whole[..end]).is_err(), "{end}");
        }
        let mut random = 1u32;
        for _ in 0..20_000 {
            let mut bytes = whole.clone();
            for _ in 0..3 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (random >> 8) as usize % bytes.len();
                bytes[at] = (random >> 24) as u8;
            }
            for signal in [Signal::Logs, Signal::Spans] {
                if let Ok(json) = to_json(signal, &bytes) {
                    let mut cursor = crate::json::Cursor::new(&json);
                    assert!(cursor.skip().and_then(|()| cursor.expect_end()).is_ok(), "{json}");
                }
            }
            let _ = recognise(&bytes);
        }
        // Values in values in values.
        let nested = |depth: usize| {
            let value = (0..depth).fold(field(1, b"x"), |deep, _| field(5, &field(1, &deep)));
            to_json(Signal::Logs, &field(1, &field(2, &field(2, &field(5, &value)))))
        };
        assert!(nested(20).is_ok());
        assert!(nested(10_000).is_err());
    }
}
