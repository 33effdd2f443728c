//! Serves the page on the loopback interface.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use watchword_session::Request;

use crate::{Live, http, page};

/// Connections at a time.
const MOST: usize = 32;
/// A page gets at most so many frames per second.
const BETWEEN: Duration = Duration::from_millis(40);
/// A connection without news is kept alive.
const ALIVE: Duration = Duration::from_secs(10);
/// A client whose request is not complete after this time is dropped.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longer requests of pages are refused.
const LONGEST_BODY: usize = 64 << 10;

/// What pages ask for.
pub trait Input: Send + Sync {
    /// A page made a request. It is served later; what comes of it is shown.
    ///
    /// # Errors
    /// Why it is not served, in words.
    fn request(&self, request: Request) -> Result<(), String>;

    /// A page wants the program to stop.
    fn interrupt(&self);
}

/// A server of pages; dropping it does not end those that are open, [`Live::end`] does.
pub struct Server {
    address: String,
}

struct Shared {
    live: Live,
    input: Option<Box<dyn Input>>,
    token: String,
    port: u16,
    connections: AtomicUsize,
}

impl Server {
    /// Starts serving on this port; 0 chooses one. Without somebody who takes requests, pages only
    /// show.
    ///
    /// # Errors
    /// If the port cannot be had.
    pub fn start(live: &Live, port: u16, input: Option<Box<dyn Input>>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        let token = token()?;
        let address = format!("http://127.0.0.1:{port}/{token}/");
        let shared = Arc::new(Shared {
            live: live.clone(),
            input,
            token,
            port,
            connections: AtomicUsize::new(0),
        });
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                if shared.connections.fetch_add(1, Ordering::SeqCst) >= MOST {
                    shared.connections.fetch_sub(1, Ordering::SeqCst);
                    continue;
                }
                std::thread::spawn(move || {
                    // A closed connection is ignored.
                    let _ = serve(stream, &shared);
                    shared.connections.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Ok(Server { address })
    }

    /// The address to open.
    pub fn address(&self) -> &str {
        &self.address
    }
}

/// Something nobody can guess.
fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// Reads a stream until a moment. A limit for each single read would let a client that sends a byte now and
/// then keep its connection, and with it the place of a page, for ever.
struct Hurried<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl Read for Hurried<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(bytes)
    }
}

fn refuse(stream: &mut TcpStream, status: &str, why: &str) -> io::Result<()> {
    http::answer(stream, status, "text/plain; charset=utf-8", "", &format!("{why}\n"))
}

impl Shared {
    /// Names by which this machine calls itself; any other one is a trick.
    fn is_our_host(&self, host: &str) -> bool {
        let port = self.port;
        host == format!("127.0.0.1:{port}") || host == format!("localhost:{port}")
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let until = Instant::now() + PATIENCE;
    let Some(request) = http::read(&mut Hurried { stream: &stream, until }, LONGEST_BODY)? else {
        return refuse(&mut stream, "400 Bad Request", "this is no request");
    };
    if !request.host.as_deref().is_some_and(|host| shared.is_our_host(host)) {
        return refuse(&mut stream, "403 Forbidden", "the request names another host");
    }
    let origin = request.origin.as_deref();
    let is_foreign =
        |origin: &str| !origin.strip_prefix("http://").is_some_and(|host| shared.is_our_host(host));
    if origin.is_some_and(is_foreign) {
        return refuse(&mut stream, "403 Forbidden", "requests from other sites are refused");
    }
    let path = request.path.strip_prefix('/').unwrap_or("");
    let (token, rest) = path.split_once('/').unwrap_or((path, ""));
    if !is_same(token, &shared.token) {
        return refuse(&mut stream, "403 Forbidden", "the address is not complete");
    }
    match (request.method.as_str(), rest) {
        ("GET", "") => {
            let nonce = self::token()?;
            let policy = format!(
                "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; \
                 script-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; base-uri 'none'; \
                 form-action 'none'; frame-ancestors 'none'\r\n"
            );
            let page = page::live(&nonce);
            http::answer(&mut stream, "200 OK", "text/html; charset=utf-8", &policy, &page)
        }
        ("GET", "events") => events(stream, shared),
        ("POST", "request") => {
            let result = take(&String::from_utf8_lossy(&request.body), shared);
            match result {
                Ok(()) => http::answer(&mut stream, "202 Accepted", "text/plain", "", ""),
                Err(why) => refuse(&mut stream, "409 Conflict", &why),
            }
        }
        _ => refuse(&mut stream, "404 Not Found", "this page does not exist"),
    }
}

fn take(body: &str, shared: &Shared) -> Result<(), String> {
    let input = shared.input.as_ref();
    let input = input.ok_or_else(|| "this page has no controls".to_string())?;
    if body == "{\"request\":\"interrupt\"}" {
        input.interrupt();
        return Ok(());
    }
    input.request(Request::from_json(body).map_err(|e| e.to_string())?)
}

/// Takes the same time for every wrong token.
fn is_same(given: &str, token: &str) -> bool {
    let differences = given.bytes().zip(token.bytes()).filter(|(a, b)| a != b).count();
    given.len() == token.len() && differences == 0
}

/// What changes, until the session has ended or the page goes away.
fn events(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )?;
    stream.set_write_timeout(Some(ALIVE))?;
    let _look = shared.live.look();
    let controls = shared.input.is_some();
    write!(stream, "event: hello\ndata: {{\"controls\":{controls}}}\n\n")?;
    let mut seen = 0;
    loop {
        let board = shared.live.wait(seen, ALIVE);
        if board.version <= seen {
            drop(board);
            stream.write_all(b": still here\n\n")?;
            continue;
        }
        let (frame, until) = crate::frame::since(&board, seen);
        let is_over = board.is_over;
        drop(board);
        seen = until;
        write!(stream, "data: {frame}\n\n")?;
        stream.flush()?;
        if is_over {
            return Ok(());
        }
        // What happens meanwhile is merged.
        std::thread::sleep(BETWEEN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_sends_a_byte_now_and_then_is_dropped() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let sender = std::thread::spawn(move || {
            // It never ends its request, and stops when nobody reads any more.
            while client.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let begun = Instant::now();
        let until = begun + Duration::from_millis(300);
        let read = http::read(&mut Hurried { stream: &stream, until }, LONGEST_BODY);
        assert!(read.is_err(), "{read:?}");
        assert!(begun.elapsed() < Duration::from_secs(10));
        drop(stream);
        sender.join().unwrap();
    }
}
