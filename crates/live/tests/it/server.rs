//! Who gets the page, and what pages may ask.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use watchword_live::{Input, Live, Server};
use watchword_session::{Client, Happening, Request};

use crate::support::{moved, play};

/// Passes on what pages ask for; `None` is an interruption.
pub struct Asked(pub Sender<Option<Request>>);

impl Input for Asked {
    fn request(&self, request: Request) -> Result<(), String> {
        self.0.send(Some(request)).map_err(|e| e.to_string())
    }

    fn interrupt(&self) {
        let _ = self.0.send(None);
    }
}

/// Sends a request to the server of an address; answers everything until the end.
fn ask(address: &str, method: &str, path: &str, headers: &str, body: &str) -> String {
    let host = address.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let host_line =
        if headers.contains("Host:") { String::new() } else { format!("Host: {host}\r\n") };
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\n{host_line}{headers}Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    text
}

fn path(address: &str) -> String {
    format!("/{}", address.splitn(4, '/').nth(3).unwrap())
}

#[test]
fn only_who_knows_the_address_gets_anything() {
    let live = Live::new();
    let (sender, asked) = channel();
    let server = Server::start(&live, 0, Some(Box::new(Asked(sender)))).unwrap();
    let (address, own) = (server.address(), path(server.address()));
    let page = ask(address, "GET", &own, "", "");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("Content-Security-Policy: default-src 'none'"));
    for elsewhere in ["src=\"http", "href=\"http", "url(", "@import"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    let foreign = "Origin: http://evil.example\r\n";
    let request = format!("{own}request");
    for (method, path, headers) in [
        ("GET", "/", ""),
        ("GET", "/0123456789abcdef0123456789abcdef/", ""),
        ("GET", own.as_str(), foreign),
        ("GET", own.as_str(), "Host: evil.example\r\n"),
        ("POST", request.as_str(), foreign),
        ("POST", "/request", ""),
        ("GET", "/../etc/passwd", ""),
    ] {
        let answer = ask(address, method, path, headers, "{\"request\":\"continue\"}");
        assert!(answer.starts_with("HTTP/1.1 403"), "{method} {path} {headers}: {answer}");
    }
    assert!(asked.try_recv().is_err(), "a request that was refused was served");
    let answer = ask(address, "POST", &request, "", "{\"request\":\"restore\",\"number\":2}");
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    assert_eq!(asked.recv().unwrap(), Some(Request::Restore { number: Some(2) }));
    ask(address, "POST", &request, "", "{\"request\":\"interrupt\"}");
    assert_eq!(asked.recv().unwrap(), None);
    let answer = ask(address, "POST", &request, "", "{\"request\":\"fly\"}");
    assert!(answer.starts_with("HTTP/1.1 409"), "{answer}");
}

#[test]
fn a_hundred_thousand_moves_are_merged() {
    let mut live = Live::new();
    play(&mut live);
    let server = Server::start(&live, 0, None).unwrap();
    let address = server.address().to_string();
    let reader = std::thread::spawn(move || {
        ask(&address, "GET", &format!("{}events", path(&address)), "", "")
    });
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    for index in 0..100_000u64 {
        let (from, to) = if index % 2 == 0 { ("Open", "Closed") } else { ("Closed", "Open") };
        live.happened(&moved(&format!("{}.txt", index % 100), from, to, index));
    }
    let took = begun.elapsed();
    live.end();
    let text = reader.join().unwrap();
    let frames: Vec<&str> = text.lines().filter(|l| l.starts_with("data: ")).collect();
    // The last frame has the last state, however many moves were left out before.
    let all = frames.join("\n");
    assert!(all.contains("\"99.txt\\\"\"") || all.contains("99.txt"), "no row of 99.txt");
    assert!(frames.len() < 2000, "{} frames", frames.len());
    assert!(text.len() < 20 << 20, "{} bytes", text.len());
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn the_end_of_a_session_that_is_too_long_is_recorded() {
    let mut live = Live::new();
    live.record();
    play(&mut live);
    // Messages are not merged: each status is a picture of its own.
    for _ in 0..20_100 {
        live.happened(&Happening::Running);
    }
    live.happened(&Happening::Exited {
        code: Some(3),
        signal: None,
        text: "it ended with 3".into(),
    });
    live.end();
    let page = live.recording();
    let frames = page.lines().filter(|l| l.contains("\"time\":")).count();
    assert!((20_000..20_010).contains(&frames), "{frames}");
    assert!(page.contains("it ended with 3") && page.contains("this is its end"));
}
