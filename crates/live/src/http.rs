//! As much of HTTP as pages, metrics and telemetry need.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A request.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`, …
    pub method: String,
    /// What is asked for, with its query.
    pub path: String,
    /// The host that was meant.
    pub host: Option<String>,
    /// The site that makes the request, if a browser does.
    pub origin: Option<String>,
    /// `Content-Type`, without its parameters.
    pub kind: Option<String>,
    /// `Content-Encoding`.
    pub encoding: Option<String>,
    /// The body as it came.
    pub body: Vec<u8>,
}

/// Longer heads are refused.
const LONGEST_HEAD: u64 = 16 << 10;

/// Reads a request whose body has at most so many bytes; `None` if it is none.
///
/// # Errors
/// If the stream cannot be read.
pub fn read(stream: &mut dyn Read, longest_body: usize) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut chunked = false;
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
            "content-type" => {
                let kind = value.split(';').next().unwrap_or_default().trim();
                request.kind = Some(kind.to_ascii_lowercase());
            }
            "content-encoding" => request.encoding = Some(value.to_ascii_lowercase()),
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "content-length" => match value.parse() {
                Ok(n) if n <= longest_body => length = n,
                _ => return Ok(None),
            },
            _ => {}
        }
    }
    if chunked {
        let Some(body) = chunks(&mut reader, longest_body)? else { return Ok(None) };
        request.body = body;
        return Ok(Some(request));
    }
    // No more is asked for than comes.
    let read = reader.take(length as u64).read_to_end(&mut request.body)?;
    Ok((read == length).then_some(request))
}

/// A body in chunks; `None` if it is none, or too long.
fn chunks(reader: &mut impl BufRead, longest: usize) -> io::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    let mut line = String::new();
    loop {
        line.clear();
        reader.by_ref().take(LONGEST_HEAD).read_line(&mut line)?;
        let size = line.trim().split(';').next().unwrap_or_default();
        let Ok(size) = usize::from_str_radix(size, 16) else { return Ok(None) };
        if size > longest - body.len() {
            return Ok(None);
        }
        if size == 0 {
            return Ok(Some(body));
        }
        let before = body.len();
        reader.by_ref().take(size as u64).read_to_end(&mut body)?;
        let mut end = [0; 2];
        reader.read_exact(&mut end)?;
        if body.len() - before != size || &end != b"\r\n" {
            return Ok(None);
        }
    }
}

/// Sends an answer.
///
/// # Errors
/// If the stream cannot be written.
pub fn answer(
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
        let request = read(&mut text.as_bytes(), 64).unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/a/request"));
        assert_eq!(request.host.as_deref(), Some("127.0.0.1:1"));
        assert_eq!((request.origin.as_deref(), &request.body[..]), (Some("http://x"), &b"{}"[..]));
        assert_eq!(read(&mut &b"GET / HTTP/1.1"[..], 64).unwrap(), None);
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "y".repeat(1 << 20));
        assert_eq!(read(&mut long.as_bytes(), 64).unwrap(), None);
        let large = "POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n";
        assert_eq!(read(&mut large.as_bytes(), 64).unwrap(), None);
    }

    #[test]
    fn bodies_may_come_in_chunks() {
        let head = "POST /v1/logs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\
                    Content-Type: application/json; charset=utf-8\r\n\r\n";
        let text = format!("{head}3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
        let request = read(&mut text.as_bytes(), 5).unwrap().unwrap();
        assert_eq!(request.body, b"abcde");
        assert_eq!(request.kind.as_deref(), Some("application/json"));
        assert_eq!(read(&mut text.as_bytes(), 4).unwrap(), None);
        for bad in ["x\r\n", "3\r\nabcd\r\n", "ffffffffffffffffff\r\n", "3\r\nab"] {
            let read = read(&mut format!("{head}{bad}").as_bytes(), 64);
            assert!(!matches!(read, Ok(Some(_))), "{bad}");
        }
    }
}
