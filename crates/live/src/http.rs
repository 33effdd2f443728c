//! As much of HTTP as a page of our own needs.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub method: String,
    pub path: String,
    pub host: Option<String>,
    pub origin: Option<String>,
    pub body: String,
}

/// Longer heads and bodies are refused.
const LONGEST_HEAD: u64 = 16 << 10;
const LONGEST_BODY: usize = 64 << 10;

/// Reads a request; `None` if it is none.
pub(crate) fn read(stream: &mut dyn Read) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut request = Request::default();
    let mut line = String::new();
    let mut left = LONGEST_HEAD;
    let mut length = 0;
    for number in 0.. {
        line.clear();
        // A line that is cut, or no text, is no line of a request.
        let read = reader.by_ref().take(left).read_line(&mut line)?;
        if read == 0 || !line.ends_with('\n') {
            return Ok(None);
        }
        left -= read as u64;
        let text = line.trim_end();
        if number == 0 {
            let mut words = text.split(' ');
            request.method = words.next().unwrap_or_default().to_string();
            request.path = words.next().unwrap_or_default().to_string();
            continue;
        }
        if text.is_empty() {
            break;
        }
        let Some((name, value)) = text.split_once(':') else { return Ok(None) };
        let value = value.trim().to_string();
        match name.to_ascii_lowercase().as_str() {
            "host" => request.host = Some(value),
            "origin" => request.origin = Some(value),
            "content-length" => match value.parse() {
                Ok(n) if n <= LONGEST_BODY => length = n,
                _ => return Ok(None),
            },
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    request.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(request))
}

/// Sends an answer.
pub(crate) fn answer(
    stream: &mut TcpStream,
    status: &str,
    kind: &str,
    headers: &str,
    body: &str,
) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: close\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\n{headers}\r\n{body}"
    )?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_and_others_refused() {
        let text = "POST /a/request HTTP/1.1\r\nHost: 127.0.0.1:1\r\nOrigin: http://x\r\n\
                    Content-Length: 2\r\n\r\n{}";
        let request = read(&mut text.as_bytes()).unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/a/request"));
        assert_eq!(request.host.as_deref(), Some("127.0.0.1:1"));
        assert_eq!((request.origin.as_deref(), request.body.as_str()), (Some("http://x"), "{}"));
        assert_eq!(read(&mut &b"GET / HTTP/1.1"[..]).unwrap(), None);
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "y".repeat(1 << 20));
        assert_eq!(read(&mut long.as_bytes()).unwrap(), None);
        let large = "POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n";
        assert_eq!(read(&mut large.as_bytes()).unwrap(), None);
    }
}
