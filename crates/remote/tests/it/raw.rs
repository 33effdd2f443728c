//! A debugger that speaks the protocol itself.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use watchword_native::session::Origin;
use watchword_remote::protocol::frame::{Decoder, Frame, encode};

use crate::support::{alone, compile, launched, session, session_after};
use watchword_testing::Running;

pub struct Raw {
    stream: TcpStream,
    decoder: Decoder,
    waiting: Vec<Frame>,
}

impl Raw {
    pub fn connect(port: u16) -> Raw {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Raw { stream, decoder: Decoder::default(), waiting: Vec::new() }
    }

    /// Sends bytes as they are; a server that has ended is no mistake here.
    pub fn send_raw(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    pub fn send(&mut self, data: &[u8]) -> bool {
        self.send_raw(&encode(data))
    }

    /// The next packet that is no console text; `None` when the connection is gone.
    pub fn receive(&mut self) -> Option<Vec<u8>> {
        loop {
            while !self.waiting.is_empty() {
                match self.waiting.remove(0) {
                    Frame::Packet(data) if data.first() == Some(&b'O') && data != b"OK" => {}
                    Frame::Packet(data) => return Some(data),
                    _ => {}
                }
            }
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) | Err(_) => return None,
                Ok(read) => {
                    let frames = bytes[..read].iter().filter_map(|b| self.decoder.push(*b));
                    self.waiting.extend(frames);
                }
            }
        }
    }

    pub fn ask(&mut self, data: &str) -> String {
        assert!(self.send(data.as_bytes()), "{data}: the connection is gone");
        String::from_utf8_lossy(&self.receive().expect(data)).into_owned()
    }
}

#[test]
fn the_program_is_stopped_by_ctrl_c_and_ends_with_the_connection() {
    let _alone = alone();
    let program = compile("ticker.c");
    let served = session(launched(&program, &[]), &[]);
    let mut raw = Raw::connect(served.port);
    let ours = raw.ask("qSupported:multiprocess+;swbreak+");
    for feature in ["PacketSize=", "QStartNoAckMode+", "ReverseContinue+", "swbreak+"] {
        assert!(ours.contains(feature), "{ours}");
    }
    assert_eq!(raw.ask("QStartNoAckMode"), "OK");
    assert!(raw.ask("?").starts_with("T05"));
    for _ in 0..20 {
        assert!(raw.send(b"vCont;c"));
        // At once, and after it has run for a while: it is never lost.
        assert!(raw.send_raw(&[3]));
        let stop = String::from_utf8(raw.receive().unwrap()).unwrap();
        assert!(stop.starts_with("T02"), "{stop}");
    }
    assert_eq!(raw.ask("vMustReplyEmpty"), "");
    assert_eq!(raw.ask("m0,10"), "E01");
    assert!(raw.ask("qXfer:features:read:target.xml:0,40").starts_with("m<?xml"));
    let threads = raw.ask("qfThreadInfo");
    let pid = threads.split('.').nth(1).unwrap().to_string();
    assert!(raw.ask(&format!("Hgp{pid}.{pid}")).contains("OK"));
    assert_eq!(raw.ask("vFile:open:2f70726f632f73656c662f6d656d,2,0"), "F-1,1");
    assert!(raw.send(b"vCont;c"));
    drop(raw);
    served.end();
    let pid = i32::from_str_radix(&pid, 16).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}

/// A stop on request overtakes the signal of a step. If that signal stayed, it would stop the program
/// when nobody expects it, or kill it once nobody traces it.
#[test]
fn an_interrupted_step_leaves_no_trap_behind() {
    let _alone = alone();
    let program = compile("ticker.c");
    let child = Running::start(&program);
    let pid = child.pid();
    let served = session(Origin::Process(pid as i32), &[]);
    let mut raw = Raw::connect(served.port);
    for round in 0..400 {
        for packet in ["s", "c"] {
            assert!(raw.send(packet.as_bytes()) && raw.send_raw(&[3]));
            let stop = String::from_utf8(raw.receive().unwrap()).unwrap();
            let is_right = stop.starts_with("T02") || packet == "s" && stop.starts_with("T05");
            assert!(is_right, "round {round}: {packet} ends with {stop}");
        }
    }
    assert_eq!(raw.ask("D"), "OK");
    served.end();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    assert!(status.contains("TracerPid:\t0") && !status.contains("zombie"), "{status}");
}

/// A debugger repeats its first packet while the session is not ready.
#[test]
fn a_first_packet_that_was_sent_again_is_answered_once() {
    let _alone = alone();
    let program = compile("ticker.c");
    let served = session_after(launched(&program, &[]), &[], &["shell sleep 1"]);
    let mut raw = Raw::connect(served.port);
    let first = encode(b"qSupported:swbreak+");
    raw.send_raw(&[&b"+"[..], &first, &first, &first].concat());
    let ours = raw.receive().unwrap();
    assert!(ours.starts_with(b"PacketSize="), "{}", String::from_utf8_lossy(&ours));
    // A mistaken answer would be taken for that to the next packet. What was never sent is not repeated.
    raw.send_raw(b"-+");
    assert_eq!(raw.ask("vMustReplyEmpty"), String::from_utf8_lossy(&ours));
    assert_eq!(raw.receive().unwrap(), b"");
    assert_eq!(raw.ask("vMustReplyEmpty"), "");
    drop(raw);
    served.end();
}

#[test]
fn a_joined_program_goes_on_when_the_connection_breaks() {
    let _alone = alone();
    let program = compile("ticker.c");
    let child = Running::start(&program);
    let pid = child.pid();
    let served = session(Origin::Process(pid as i32), &[]);
    let mut raw = Raw::connect(served.port);
    assert!(raw.ask("?").starts_with("T00"));
    drop(raw);
    served.end();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    assert!(status.contains("TracerPid:\t0"), "{status}");
    assert!(!status.contains("(stopped)") && !status.contains("(tracing stop)"), "{status}");
}

#[test]
fn a_page_that_posts_packets_gets_nothing() {
    let _alone = alone();
    let program = compile("ticker.c");
    let served = session(launched(&program, &[]), &[]);
    let mut raw = Raw::connect(served.port);
    let body = encode(b"?");
    raw.send_raw(format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes());
    raw.send_raw(&body);
    assert_eq!(raw.receive(), None);
    served.end();
}
