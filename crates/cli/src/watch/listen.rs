//! `--listen`: a log that comes over the network, as a stream of lines.

use std::io::{self, BufReader, Read};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use watchword_live::http;
use watchword_trace::json::Cursor;
use watchword_trace::otlp::{self, Signal};

use super::syslog;
use crate::inputs;

/// How many messages wait until they are checked.
const MOST: usize = 4096;

/// Connections at a time.
const CONNECTIONS: usize = 256;

/// The longest request of an exporter, and what it may become when it is decompressed.
const LONGEST_BODY: usize = 16 << 20;
const LONGEST_TEXT: u64 = 64 << 20;

/// A sender of requests that stops in the middle of one is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the stream waits before it says that there is nothing more for now.
const PAUSE: Duration = Duration::from_millis(100);

/// What is listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Syslog, over UDP and TCP.
    Syslog(SocketAddr),
    /// OpenTelemetry, over HTTP.
    Otlp(Signal, SocketAddr),
}

/// `HOST:PORT`, or a port of this machine only.
///
/// # Errors
/// What is wrong with it.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let bare = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = bare.parse::<u16>() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    let text = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_string(),
    };
    text.parse().map_err(|_| "expected a PORT, or ADDRESS:PORT such as 0.0.0.0:5514".to_string())
}

impl Source {
    /// What `--listen` takes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Source, String> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        match scheme {
            "syslog" => address(rest).map(Source::Syslog),
            "otlp" => Ok(Source::Otlp(Signal::Logs, address(rest)?)),
            "otlp-spans" => Ok(Source::Otlp(Signal::Spans, address(rest)?)),
            _ => Err("expected syslog://PORT, otlp://PORT or otlp-spans://PORT".to_string()),
        }
    }

    /// The preset that reads it.
    pub fn preset(self) -> &'static str {
        match self {
            Source::Syslog(_) => "syslog",
            Source::Otlp(signal, _) => signal.preset(),
        }
    }

    /// Begins to listen.
    ///
    /// # Errors
    /// If the address cannot be had.
    pub fn open(self) -> anyhow::Result<Listener> {
        let (sender, receiver) = sync_channel(MOST);
        let lost = Arc::new(AtomicU64::new(0));
        let (Source::Syslog(address) | Source::Otlp(_, address)) = self;
        let cannot = || format!("cannot listen at {address}");
        let tcp = TcpListener::bind(address).with_context(cannot)?;
        let address = tcp.local_addr().with_context(cannot)?;
        let scheme = match self {
            Source::Syslog(_) => {
                let udp = UdpSocket::bind(address).with_context(cannot)?;
                let (sender, lost) = (sender.clone(), lost.clone());
                thread::spawn(move || datagrams(&udp, &sender, &lost));
                "syslog"
            }
            Source::Otlp(Signal::Logs, _) => "otlp",
            Source::Otlp(Signal::Spans, _) => "otlp-spans",
        };
        // Readers look at a first line before anything else, and clocks need a time to begin with.
        let first = match self {
            Source::Syslog(_) => {
                let (now, pid) = (now(), std::process::id());
                format!("<46>1 {now} localhost watchword {pid} - - listening\n")
            }
            Source::Otlp(Signal::Logs, _) => "{\"resourceLogs\":[]}\n".to_string(),
            Source::Otlp(Signal::Spans, _) => "{\"resourceSpans\":[]}\n".to_string(),
        };
        let gone = lost.clone();
        thread::spawn(move || connections(&tcp, self, &sender, &gone));
        let heard = Heard { receiver, rest: first.into_bytes(), at: 0 };
        Ok(Listener { name: format!("{scheme}://{address}"), address, heard, lost })
    }
}

/// A listener.
pub struct Listener {
    /// What it is called in messages.
    pub name: String,
    /// Where it listens.
    pub address: SocketAddr,
    /// What comes.
    pub heard: Heard,
    /// How many messages came and could not be kept.
    pub lost: Arc<AtomicU64>,
}

/// The stream of what comes.
pub struct Heard {
    receiver: Receiver<String>,
    rest: Vec<u8>,
    at: usize,
}

impl Read for Heard {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.rest.len() {
            // What has come is read before the stream ends.
            let pause = if inputs::is_over() { Duration::ZERO } else { PAUSE };
            match self.receiver.recv_timeout(pause) {
                Ok(text) => (self.rest, self.at) = (text.into_bytes(), 0),
                Err(RecvTimeoutError::Timeout) if inputs::is_over() => return Ok(0),
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let count = buffer.len().min(self.rest.len() - self.at);
        buffer[..count].copy_from_slice(&self.rest[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// The time it is, as RFC 3339 has it.
fn now() -> String {
    let nanos = inputs::since_1970(SystemTime::now()).unwrap_or(0);
    watchword_trace::time::to_rfc3339(nanos)
}

fn datagrams(socket: &UdpSocket, sender: &SyncSender<String>, lost: &AtomicU64) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let Ok((length, peer)) = socket.recv_from(&mut buffer) else {
            // Nothing that a sender does ends it; a socket that fails again and again must not burn time.
            thread::sleep(PAUSE);
            continue;
        };
        let Some(line) = syslog::line(&buffer[..length], &peer.ip().to_string(), &now()) else {
            continue;
        };
        match sender.try_send(line) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                lost.fetch_add(1, Ordering::Relaxed);
            }
            Err(TrySendError::Disconnected(_)) => return,
        }
    }
}

fn connections(
    listener: &TcpListener,
    source: Source,
    sender: &SyncSender<String>,
    lost: &Arc<AtomicU64>,
) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            thread::sleep(PAUSE);
            continue;
        };
        if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
            open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (sender, open, lost) = (sender.clone(), open.clone(), lost.clone());
        thread::spawn(move || {
            // A closed connection is ignored.
            let _ = match source {
                Source::Syslog(_) => messages(stream, &sender, &lost),
                Source::Otlp(signal, _) => request(stream, signal, &sender),
            };
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// Messages of a connection; a sender waits until they can be kept.
fn messages(stream: TcpStream, sender: &SyncSender<String>, lost: &AtomicU64) -> io::Result<()> {
    let peer = stream.peer_addr().map_or(IpAddr::from(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
    let peer = peer.to_string();
    let mut from = BufReader::new(stream);
    loop {
        let message = match syslog::next(&mut from) {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(()),
            Err(error) => {
                lost.fetch_add(1, Ordering::Relaxed);
                return Err(error);
            }
        };
        let Some(line) = syslog::line(&message, &peer, &now()) else { continue };
        if sender.send(line).is_err() {
            return Ok(());
        }
    }
}

/// A request of an exporter.
fn request(mut stream: TcpStream, signal: Signal, sender: &SyncSender<String>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let refuse = |stream: &mut TcpStream, status: &str, why: &str| {
        http::answer(stream, status, "text/plain; charset=utf-8", "", &format!("{why}\n"))
    };
    let Some(request) = http::read(&mut stream, LONGEST_BODY)? else {
        return refuse(&mut stream, "400 Bad Request", "this is not a request, or it is too large");
    };
    if request.method != "POST" || request.path != signal.path() {
        let why = format!("POST {} is served here", signal.path());
        return refuse(&mut stream, "404 Not Found", &why);
    }
    // A page in a browser has no business here.
    if request.origin.is_some() {
        return refuse(&mut stream, "403 Forbidden", "requests from web pages are refused");
    }
    let body = match request.encoding.as_deref() {
        None | Some("identity") => request.body,
        Some("gzip") => {
            let mut text = Vec::new();
            let inside = flate2::read::MultiGzDecoder::new(&request.body[..]);
            let read = inside.take(LONGEST_TEXT).read_to_end(&mut text);
            match read {
                Ok(length) if (length as u64) < LONGEST_TEXT => text,
                _ => {
                    return refuse(
                        &mut stream,
                        "400 Bad Request",
                        "the body cannot be decompressed",
                    );
                }
            }
        }
        Some(_) => {
            return refuse(&mut stream, "415 Unsupported Media Type", "only gzip is supported");
        }
    };
    let is_json = match request.kind.as_deref() {
        Some("application/json") => true,
        Some("application/x-protobuf") => false,
        _ => {
            let why = "only application/json and application/x-protobuf are supported";
            return refuse(&mut stream, "415 Unsupported Media Type", why);
        }
    };
    let line = match is_json {
        true => json_line(&body),
        false => otlp::to_json(signal, &body).map_err(|flaw| flaw.message),
    };
    let line = match line {
        Ok(line) => line,
        Err(why) => return refuse(&mut stream, "400 Bad Request", &why),
    };
    match sender.try_send(line) {
        Ok(()) if is_json => http::answer(&mut stream, "200 OK", "application/json", "", "{}"),
        Ok(()) => http::answer(&mut stream, "200 OK", "application/x-protobuf", "", ""),
        // Exporters try again then.
        Err(_) => {
            refuse(&mut stream, "503 Service Unavailable", "too many messages wait to be checked")
        }
    }
}

/// A document of JSON as one line.
fn json_line(body: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(body).map_err(|_| "expected UTF-8 text".to_string())?;
    // A line end can only stand between values.
    let mut line = text.replace(['\n', '\r'], " ");
    let mut cursor = Cursor::new(&line);
    let is_object = cursor.peek() == b'{';
    let whole = cursor.skip().and_then(|()| cursor.expect_end());
    whole.map_err(|flaw| flaw.message)?;
    if !is_object {
        return Err("expected an object".to_string());
    }
    line.push('\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_this_machine_unless_they_say_otherwise() {
        let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        assert_eq!(Source::parse("syslog://5514"), Ok(Source::Syslog(local(5514))));
        assert_eq!(Source::parse("syslog://:5514/"), Ok(Source::Syslog(local(5514))));
        assert_eq!(
            Source::parse("otlp://localhost:4318"),
            Ok(Source::Otlp(Signal::Logs, local(4318)))
        );
        assert_eq!(address("0.0.0.0:1"), Ok(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 1))));
        assert!(matches!(
            Source::parse("otlp-spans://[::1]:4318"),
            Ok(Source::Otlp(Signal::Spans, _))
        ));
        for bad in
            ["", "5514", "syslog://", "syslog://x", "tcp://1", "otlp://99999", "syslog://a:1"]
        {
            assert!(Source::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn documents_become_lines() {
        assert_eq!(json_line(b"{\n\"a\": 1\r\n}"), Ok("{ \"a\": 1  }\n".to_string()));
        for bad in [&b"{"[..], b"[]", b"", b"{} {}", b"\xff"] {
            assert!(json_line(bad).is_err(), "{bad:?}");
        }
    }
}
