//! Watching live: alerts, state that survives a crash, metrics, listeners.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Dir, binary};

const ACCESS: &str = "\
event out(u) = log /(?<u>\\S+) left/
event read(u) = log /(?<u>\\S+) read/
property Access(u) {
  start state In { on out(u) -> Out }
  state Out { on read(u) -> Bad \"{u} read\" }
  bad state Bad
}
";

/// A watch that is killed when the test is over.
struct Watch(Child, BufReader<ChildStderr>);

impl Watch {
    fn start(dir: &Dir, args: &[&str]) -> Watch {
        let mut child = Command::new(binary())
            .args(["replay", "-p", "p.ww"])
            .args(args)
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let notes = BufReader::new(child.stderr.take().unwrap());
        Watch(child, notes)
    }

    /// The address in the note on standard error that begins so.
    fn address(&mut self, note: &str) -> String {
        let mut lines = self.1.by_ref().lines();
        let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(note)));
        let line = line.unwrap().unwrap();
        let at = line.find("://").unwrap() + 3;
        line[at..].trim_end_matches("/metrics").to_string()
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Ends it as Ctrl-C does; gives its status and what it said.
    fn interrupt(mut self) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.0), Signal::INT).unwrap();
        let mut out = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        (self.0.wait().unwrap().code(), out)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn append(path: &Path, text: &str) {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Waits until a file has so many lines.
fn lines(path: &Path, count: usize) -> Vec<serde_json::Value> {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let whole = text.lines().filter(|_| text.ends_with('\n'));
        let found: Vec<_> = whole.map(|line| serde_json::from_str(line).unwrap()).collect();
        if found.len() >= count {
            return found;
        }
        assert!(Instant::now() < until, "{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until the state was saved after this moment.
fn saved_after(dir: &Dir, moment: std::time::SystemTime) {
    let until = Instant::now() + Duration::from_secs(60);
    let file = dir.path().join("state/state");
    while !std::fs::metadata(&file).and_then(|m| m.modified()).is_ok_and(|at| at > moment) {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn of(alert: &serde_json::Value) -> &str {
    alert["binding"]["u"].as_str().unwrap_or_default()
}

#[test]
fn alerts_go_to_files_commands_addresses_and_are_held_back() {
    let dir = Dir::new();
    let all: String =
        ["ada", "bob", "cy"].iter().map(|u| format!("{u} left\n{u} read\n")).collect();
    dir.write("p.ww", ACCESS).write("app.log", &all);
    let hook = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/alerts", hook.local_addr().unwrap());
    let posted = std::thread::spawn(move || {
        let mut bodies = Vec::new();
        // The first request is refused for now, and comes again.
        for (number, stream) in hook.incoming().take(4).enumerate() {
            let mut stream = stream.unwrap();
            let mut from = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while from.read_line(&mut line).unwrap() > 2 {
                if let Some(n) = line.strip_prefix("Content-Length: ") {
                    length = n.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            from.read_exact(&mut body).unwrap();
            let status = if number == 0 { "503 Busy" } else { "204 OK" };
            write!(stream, "HTTP/1.1 {status}\r\n\r\n").unwrap();
            bodies.push(String::from_utf8(body).unwrap());
        }
        bodies
    });
    let args = ["replay", "-p", "p.ww", "--alert", "file:a.jsonl", "--alert", "cmd:cat >> c.jsonl"];
    let ran = dir.run(&[&args[..], &["--alert", &address, "app.log"]].concat()).expect(1);
    assert!(ran.stdout.contains("Access: 6 events"), "{}", ran.stdout);
    let file = lines(&dir.path().join("a.jsonl"), 3);
    assert_eq!(file.iter().map(of).collect::<Vec<_>>(), ["ada", "bob", "cy"]);
    assert_eq!(file[0]["location"]["line"], 2);
    assert_eq!(lines(&dir.path().join("c.jsonl"), 3), file);
    let bodies = posted.join().unwrap();
    let bodies: Vec<serde_json::Value> =
        bodies.iter().map(|body| serde_json::from_str(body).unwrap()).collect();
    assert_eq!(bodies, [&file[..1], &file[..]].concat());
    // Standard output has alerts and nothing else; of three, one is held back.
    let args = ["replay", "-p", "p.ww", "--alert", "stdout", "--alert-rate", "2/h", "app.log"];
    let ran = dir.run(&args).expect(1);
    let told: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told, &file[..2]);
    assert!(ran.stderr.contains("1 alert held back"), "{}", ran.stderr);
    for (target, why) in
        [("https://a/b", "curl"), ("mail:x", "expected stdout"), ("file:no/x", "no/x")]
    {
        let ran = dir.run(&["replay", "-p", "p.ww", "--alert", target, "app.log"]).expect(2);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

/// The target and the reason, also of what is tried again.
#[test]
fn an_alert_that_was_not_delivered_names_target_and_reason() {
    let dir = Dir::new();
    dir.write("p.ww", "event a(u)\nproperty P(u) { start state S { on a(u) -> B } bad state B }")
        .write("t.jsonl", "{\"event\":\"a\",\"u\":1}\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "--alert", "cmd:false", "t.jsonl"]).expect(1);
    let told = "1 alert to cmd:false not delivered yet: `false` ended with exit status: 1";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

/// Killed at any moment, rotated meanwhile: every violation is told, those that are told twice by the
/// same name, and none that there is not.
#[test]
fn a_watch_that_was_killed_goes_on() {
    let dir = Dir::new();
    let log = dir.path().join("app.log");
    let alerts = dir.path().join("a.jsonl");
    let args = ["--follow", "--state", "state", "--alert", "file:a.jsonl", "app.log"];
    dir.write("p.ww", ACCESS).write("app.log", "ada left\nbob left\n");
    let began = std::time::SystemTime::now();
    let watch = Watch::start(&dir, &args);
    saved_after(&dir, began);
    let second = dir.run(&[&["replay", "-p", "p.ww"], &args[..]].concat()).expect(2);
    assert!(second.stderr.contains("another watch uses it"), "{}", second.stderr);
    watch.kill();
    // Lines were written meanwhile; one is not whole yet.
    append(&log, "ada read\ncy left\nbob re");
    let watch = Watch::start(&dir, &args);
    assert_eq!(of(&lines(&alerts, 1)[0]), "ada");
    // A whole second passes, so that it is saved, and it ends between lines.
    saved_after(&dir, std::time::SystemTime::now());
    let (status, told) = watch.interrupt();
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("Access: 4 events"), "{told}");
    // The log is rotated, and goes on.
    append(&log, "ad\n");
    std::fs::rename(&log, dir.path().join("app.log.1")).unwrap();
    append(&log, "cy read\ndan left\n");
    let watch = Watch::start(&dir, &args);
    let told = lines(&alerts, 3);
    assert_eq!(told.iter().map(of).collect::<Vec<_>>(), ["ada", "bob", "cy"]);
    assert_eq!(told[1]["location"]["line"], 5, "{told:?}");
    assert!(told.iter().all(|alert| alert["certain"] != false));
    saved_after(&dir, std::time::SystemTime::now());
    watch.kill();
    // Somebody has thrown the log away: what was in it is not known.
    std::fs::remove_file(dir.path().join("app.log.1")).unwrap();
    std::fs::write(&log, "another log\ndan read\n").unwrap();
    let watch = Watch::start(&dir, &args);
    let told = lines(&alerts, 4);
    assert_eq!((of(&told[3]), &told[3]["certain"]), ("dan", &false.into()));
    let (_, told) = watch.interrupt();
    assert!(told.contains("limit: events after event"), "{told}");
    // Other properties, or a damaged file, are refused.
    dir.write("p.ww", ACCESS.replace("on read(u) -> Bad", "on out(u) -> Bad"));
    let refused = dir.run(&[&["replay", "-p", "p.ww"], &args[..]].concat()).expect(2);
    assert!(refused.stderr.contains("start from scratch"), "{}", refused.stderr);
    dir.write("p.ww", ACCESS);
    let mut bytes = std::fs::read(dir.path().join("state/state")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(dir.path().join("state/state"), bytes).unwrap();
    let refused = dir.run(&[&["replay", "-p", "p.ww"], &args[..]].concat()).expect(2);
    assert!(refused.stderr.contains("it is damaged"), "{}", refused.stderr);
    let refused = dir.run(&["replay", "-p", "p.ww", "--state", "s", "app.log"]).expect(2);
    assert!(refused.stderr.contains("--follow"), "{}", refused.stderr);
}

#[test]
fn syslog_comes_over_the_network_and_counts_are_served() {
    let dir = Dir::new();
    dir.write(
        "p.ww",
        "event failed(host) = log where .app == \"sshd\" and .message == \"Failed*\" with host = .host\n\
         property Guessing(host) {\n  var n: int = 0\n  start state Calm {\n    \
         on failed(host) if n >= 2 -> Bad\n    on failed(host) { n += 1 }\n  }\n  bad state Bad\n}\n",
    );
    let args = ["--listen", "syslog://0", "--metrics", "0", "--alert", "file:a.jsonl"];
    let mut watch = Watch::start(&dir, &args);
    let address = watch.address("listening at");
    let metrics = watch.address("metrics at");
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let failed = |kind: &str| format!("{kind} web1 sshd[7]: Failed password for root");
    udp.send_to(failed("<38>May  1 12:00:00").as_bytes(), &address).unwrap();
    udp.send_to(b"\xff\xfe not a message\n", &address).unwrap();
    let mut tcp = TcpStream::connect(&address).unwrap();
    let message = "<38>1 2024-05-01T12:00:00Z web1 sshd 7 - - Failed password for root";
    write!(tcp, "{} {message}", message.len()).unwrap();
    writeln!(tcp, "{}", failed("<38>May  1 12:00:00")).unwrap();
    let alerts = lines(&dir.path().join("a.jsonl"), 1);
    assert_eq!(alerts[0]["binding"]["host"], "web1");
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let mut stream = TcpStream::connect(&metrics).unwrap();
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).unwrap();
        if page.contains("watchword_violations_total{property=\"Guessing\"} 1\n") {
            assert!(page.contains("watchword_alerts_total{outcome=\"sent\"} 1\n"), "{page}");
            break;
        }
        assert!(Instant::now() < until, "{page}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let (status, told) = watch.interrupt();
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("Guessing: 3 events"), "{told}");
}

#[test]
fn logs_of_opentelemetry_come_as_json_and_as_protobuf() {
    let dir = Dir::new();
    dir.write(
        "p.ww",
        "event bad(what) = log where .severityText == \"ERROR\" with what = .body.stringValue\n\
         property Errors(what) {\n  start state Fine { on bad(what) -> Bad }\n  bad state Bad\n}\n",
    );
    let mut watch = Watch::start(&dir, &["--listen", "otlp://0", "--alert", "file:a.jsonl"]);
    let address = watch.address("listening at");
    let post = |path: &str, kind: &str, body: &[u8]| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .unwrap();
        stream.write_all(body).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_string()
    };
    let json = "{\n \"resourceLogs\": [{\"scopeLogs\": [{\"logRecords\": [\n\
        {\"timeUnixNano\":\"1714564800000000000\",\"severityText\":\"ERROR\",\"body\":{\"stringValue\":\"one\"}}]}]}]}";
    assert_eq!(post("/v1/logs", "application/json", json.as_bytes()), "200");
    let field =
        |number: u8, inside: &[u8]| [&[number << 3 | 2, inside.len() as u8], inside].concat();
    let time = [&[1 << 3 | 1][..], &1_714_564_801_000_000_000u64.to_le_bytes()].concat();
    let record = [time, field(3, b"ERROR"), field(5, &field(1, b"two"))].concat();
    let proto = field(1, &field(2, &field(2, &record)));
    assert_eq!(post("/v1/logs", "application/x-protobuf", &proto), "200");
    assert_eq!(post("/v1/logs", "application/x-protobuf", &proto[..9]), "400");
    assert_eq!(post("/v1/logs", "application/json", b"{\"resourceLogs\":"), "400");
    assert_eq!(post("/v1/logs", "text/plain", b"x"), "415");
    assert_eq!(post("/v1/traces", "application/json", b"{}"), "404");
    let alerts = lines(&dir.path().join("a.jsonl"), 2);
    let what: Vec<_> =
        alerts.iter().map(|alert| alert["binding"]["what"].as_str().unwrap()).collect();
    assert_eq!(what, ["one", "two"]);
    assert_eq!(watch.interrupt().0, Some(1));
}
