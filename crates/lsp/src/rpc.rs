//! Messages: a header that says how long, then JSON.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Value, json};

/// JSON that cannot be read.
pub const PARSE_ERROR: i64 = -32700;
/// JSON that is no request.
pub const INVALID_REQUEST: i64 = -32600;
/// An unknown method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// Parameters that do not fit the method.
pub const INVALID_PARAMS: i64 = -32602;
/// A defect of ours.
pub const INTERNAL_ERROR: i64 = -32603;
/// A request before `initialize`.
pub const NOT_INITIALIZED: i64 = -32002;
/// A request that is understood and cannot be done.
pub const REQUEST_FAILED: i64 = -32803;

/// Longer messages are not read.
const MAX_MESSAGE: usize = 64 << 20;
/// Longer header lines are no header lines.
const MAX_HEADER: u64 = 8 << 10;

/// What came.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Value),
    /// Something else; the stream goes on behind it.
    Garbage(String),
    /// Nothing more.
    End,
}

/// Reads the next message. Lines that are no header are skipped, and so is a body that is no JSON:
/// the next header is found again.
pub fn read(input: &mut dyn BufRead) -> io::Result<Incoming> {
    let mut length: Option<usize> = None;
    loop {
        let mut line = Vec::new();
        if Read::take(&mut *input, MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(Incoming::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            match length {
                Some(_) => break,
                None => continue,
            }
        }
        // A body that was longer than announced may stand before the header.
        let header = line.to_ascii_lowercase();
        let Some(at) = header.rfind("content-length:") else { continue };
        let Ok(found) = header[at + "content-length:".len()..].trim().parse() else {
            return Ok(Incoming::Garbage("the length of a message is not a number".to_string()));
        };
        length = Some(found);
    }
    let length = length.unwrap_or(0);
    if length > MAX_MESSAGE {
        io::copy(&mut Read::take(&mut *input, length as u64), &mut io::sink())?;
        return Ok(Incoming::Garbage(format!("a message has at most {MAX_MESSAGE} bytes")));
    }
    let mut body = Vec::new();
    Read::take(&mut *input, length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Ok(Incoming::End);
    }
    Ok(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Garbage(format!("a message is not JSON: {error}")),
    })
}

/// Writes a message.
pub fn write(output: &mut dyn Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

/// The answer to a request.
pub fn success(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer to a request that failed; without an id, to something that was none.
pub fn failure(id: Option<&Value>, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// A notification to the editor.
pub fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}
