//! Logs and traces in a browser: `replay --view` and `--view-record`.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Dir, binary};

const ONCE: &str = "\
event login(u: string) = log /login (?<u>\\S+)/
event logout(u: string) = log /logout (?<u>\\S+)/
property Once(u) {
  start state Out { on login(u) -> In }
  state In { on logout(u) -> Out  on login(u) -> Twice \"{u} is here twice\" }
  bad state Twice
}
";

/// What a page is told.
pub struct Page(BufReader<TcpStream>);

impl Page {
    pub fn open(address: &str) -> Page {
        let rest = address.strip_prefix("http://").unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET /{path}events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        Page(BufReader::new(stream))
    }

    /// Reads until all of this was told; answers everything that was told until then.
    pub fn expect(&mut self, parts: &[&str]) -> String {
        let mut told = String::new();
        while !parts.iter().all(|part| told.contains(part)) {
            let read = self.0.read_line(&mut told).unwrap();
            assert!(read > 0, "it ended without {parts:?}: {told}");
        }
        told
    }
}

/// A command whose page is opened at the address that it prints, and what else it prints there.
pub fn shown(dir: &Dir, args: &[&str], input: Stdio) -> (Child, Lines<impl BufRead>, Page) {
    let mut child = Command::new(binary())
        .args(args)
        .current_dir(dir.path())
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.find(|l| l.as_ref().is_ok_and(|l| l.contains("in a browser")));
    let line = line.unwrap().unwrap();
    (child, lines, Page::open(line.rsplit(' ').next().unwrap()))
}

#[test]
fn a_log_is_shown_while_it_grows() {
    let dir = Dir::new();
    dir.write("p.ww", ONCE).write("app.log", "login ada\n");
    let args = ["replay", "-p", "p.ww", "--follow", "--view", "app.log"];
    // A page sees what was there before it was opened, and then what comes.
    let (mut child, _said, mut page) = shown(&dir, &args, Stdio::null());
    page.expect(&["\"controls\":false", "\"name\":\"Once\"", "[\"u = \\\"ada\\\"\",1,"]);
    let log = dir.path().join("app.log");
    let mut log = std::fs::OpenOptions::new().append(true).open(log).unwrap();
    log.write_all(b"login bob\nlogin ada\nlogout bob\n").unwrap();
    page.expect(&[
        "\"event\":\"login(u = \\\"bob\\\")\"",
        "[\"u = \\\"ada\\\"\",2,",
        "\"message\":\"ada is here twice\"",
        "\"place\":\"app.log:3\"",
    ]);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    page.expect(&["4 events were read", "\"over\":true"]);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{out}");
    assert!(out.contains("ada is here twice"), "{out}");
}

#[test]
fn a_trace_is_kept_as_a_page() {
    let dir = Dir::new();
    let mut log = String::new();
    for number in 0..3000 {
        log.push_str(&format!("login u{number}\nlogout u{}\n", number / 2));
    }
    log.push_str("login u2999\n");
    dir.write("p.ww", ONCE).write("app.log", &log);
    let args = ["replay", "-q", "-p", "p.ww", "--view-record", "page.html", "app.log"];
    let ran = dir.run(&args).expect(1);
    assert!(ran.stdout.contains("u2999 is here twice"), "{}", ran.stdout);
    let page = dir.read("page.html");
    for part in ["u2999 is here twice", "6 001 events were read", "login(u = \\\"u2998\\\")"] {
        assert!(page.contains(part), "no {part}");
    }
    // The engine that tells moves finds what the one that does not tell them finds.
    let alone = dir.run(&["replay", "-q", "-p", "p.ww", "app.log"]).expect(1);
    assert_eq!(alone.stdout, ran.stdout);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let dir = Dir::new();
    dir.write("p.ww", ONCE).write("app.log", "login ada\n");
    for (args, why) in [
        (&["--view"][..], "it needs --follow or --listen"),
        (&["--view-record", "app.log"], "cannot be overwritten"),
        (&["--view-record", "p.ww"], "cannot be overwritten"),
        (&["--view-record", "nowhere/page.html"], "there is no folder"),
        (&["--follow", "--view", "--state", "s"], "cannot be combined with --state"),
    ] {
        let all = [&["replay", "-p", "p.ww"], args, &["app.log"]].concat();
        let ran = dir.run(&all).expect(2);
        assert!(ran.stderr.contains(why), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(dir.read("app.log"), "login ada\n");
}
