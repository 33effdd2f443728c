//! What stock debuggers said to us, said again without them: the same packets, and answers that mean the
//! same. `WATCHWORD_RECORD=1 cargo test -p watchword-remote --test it recordings` makes the recordings anew
//! with the debuggers that are installed.
//!
//! A line is a packet, `> ` before those of the debugger and `< ` before ours. Bytes that are no printable
//! ASCII are written `\xff`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use watchword_remote::protocol::frame::{Decoder, Frame};

use crate::raw::Raw;
use crate::support::{Served, alone, file, has, launched, run, session_after};

/// Assembles the program, which is the same bytes at the same addresses everywhere.
fn program() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("remote");
    std::fs::create_dir_all(&dir).unwrap();
    let out = dir.join(format!("recorded-{}", std::process::id()));
    let mut command = Command::new("gcc");
    command.args(["-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none"]);
    command.args(["-Wl,-Ttext=0x401000,-Tbss=0x404000"]);
    command.arg(file("recorded.s")).arg("-o").arg(&out);
    assert!(command.status().expect("gcc is needed").success());
    out
}

/// Where code and variables of the program are.
const IMAGE: std::ops::Range<u64> = 0x40_1000..0x41_4000;

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name)
}

fn escape(data: &[u8]) -> String {
    let mut out = String::new();
    for &byte in data {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b' '..=b'~' => out.push(byte as char),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match (*first, after) {
            (b'\\', [b'\\', more @ ..]) => {
                out.push(b'\\');
                rest = more;
            }
            (b'\\', [b'x', a, b, more @ ..]) => {
                let digits = [*a, *b];
                let digits = std::str::from_utf8(&digits).unwrap();
                out.push(u8::from_str_radix(digits, 16).unwrap());
                rest = more;
            }
            (byte, _) => out.push(byte),
        }
    }
    out
}

/// Stands between a debugger and the session, and writes down what they say.
fn between(served: &Served) -> (u16, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let ours = served.port;
    let thread = std::thread::spawn(move || {
        let debugger = listener.accept().unwrap().0;
        let session = TcpStream::connect(("127.0.0.1", ours)).unwrap();
        let lines = Arc::new(Mutex::new(String::new()));
        let forth = pass(&debugger, &session, '>', &lines);
        let back = pass(&session, &debugger, '<', &lines);
        forth.join().unwrap();
        back.join().unwrap();
        let lines = lines.lock().unwrap();
        lines.clone()
    });
    (port, thread)
}

fn pass(
    from: &TcpStream,
    to: &TcpStream,
    mark: char,
    lines: &Arc<Mutex<String>>,
) -> std::thread::JoinHandle<()> {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    let lines = lines.clone();
    std::thread::spawn(move || {
        let mut decoder = Decoder::default();
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            let mut lines = lines.lock().unwrap();
            for byte in &bytes[..read] {
                match decoder.push(*byte) {
                    Some(Frame::Packet(data)) => {
                        let _ = writeln!(lines, "{mark} {}", escape(&data));
                    }
                    Some(Frame::Interrupt) => {
                        let _ = writeln!(lines, "{mark}^C");
                    }
                    _ => {}
                }
            }
            if to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Both);
        let _ = from.shutdown(std::net::Shutdown::Both);
    })
}

/// Parts of a packet: numbers as the protocol writes them, and what is between them.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    while let Some(first) = rest.chars().next() {
        let kind = is_digit(first);
        let end = rest.find(|c| is_digit(c) != kind).unwrap_or(rest.len());
        parts.push(&rest[..end]);
        rest = &rest[end..];
    }
    parts
}

/// Numbers that are others in every run: threads and processes.
#[derive(Default)]
struct Numbers(HashMap<String, String>);

impl Numbers {
    /// Learns from two answers that should mean the same. Whether they can.
    fn learn(&mut self, recorded: &str, told: &str) -> bool {
        let (recorded, told) = (parts(recorded), parts(told));
        recorded.len() == told.len()
            && recorded.iter().zip(&told).all(|(recorded, told)| {
                // Process numbers have some digits; small numbers mean what they are.
                let may_differ = recorded.len() > 2 && recorded.len() < 8;
                let is_number = recorded.chars().all(|c| c.is_ascii_hexdigit());
                if !is_number || !may_differ {
                    return recorded == told;
                }
                let known = self.0.entry((*recorded).to_string()).or_insert_with(|| (*told).into());
                *known == **told
            })
    }

    /// A packet of the debugger, about the threads of this run.
    fn translate(&self, packet: &str) -> String {
        const ABOUT_THREADS: [&str; 9] =
            ["H", "T", "vCont;", "qThread", "qGetTLS", "vKill", "D;", "vAttach", "qXfer:exec-file"];
        if let Some(rest) = packet.strip_prefix("vFile:open:") {
            return self.translate_path(rest);
        }
        if !ABOUT_THREADS.iter().any(|p| packet.starts_with(p)) {
            return packet.to_string();
        }
        let known = |p: &str| self.0.get(p).cloned().unwrap_or_else(|| p.to_string());
        parts(packet).into_iter().map(known).collect()
    }

    /// Files of the process.
    fn translate_path(&self, rest: &str) -> String {
        let (path, flags) = rest.split_once(',').unwrap_or((rest, ""));
        let bytes = path.as_bytes().chunks(2).map(|pair| {
            let digits = std::str::from_utf8(pair).unwrap();
            u8::from_str_radix(digits, 16).unwrap()
        });
        let mut path = String::from_utf8(bytes.collect()).unwrap();
        let decimal = |digits: &str| i64::from_str_radix(digits, 16).unwrap().to_string();
        for (recorded, told) in &self.0 {
            path =
                path.replace(&format!("/{}/", decimal(recorded)), &format!("/{}/", decimal(told)));
        }
        format!("vFile:open:{},{flags}", hex(&path))
    }

    /// Whether an answer means what the recorded one meant.
    fn agrees(&mut self, packet: &str, recorded: &str, told: &str) -> bool {
        let begins = |prefix: &str| packet.starts_with(prefix);
        let alike = |length: usize| recorded.get(..length) == told.get(..length);
        if let Some(place) = packet.strip_prefix('m').or(packet.strip_prefix('x')) {
            let address = place.split(',').next().unwrap_or_default();
            let address = u64::from_str_radix(address, 16).unwrap_or_default();
            // What is above the program is the kernel's.
            return !IMAGE.contains(&address) || recorded == told;
        }
        if recorded.starts_with('T') {
            return self.is_same_stop(recorded, told);
        }
        match () {
            // Machines have other registers.
            () if begins("g") || begins("p") => told.starts_with('E') == recorded.starts_with('E'),
            () if begins("qXfer:features") || begins("qXfer:auxv") || begins("qMemoryRegion") => {
                alike(1)
            }
            () if begins("qXfer") => alike(2),
            () if begins("vFile") => told.starts_with("F-") == recorded.starts_with("F-"),
            () if begins("qThreadExtraInfo") => !told.is_empty(),
            () => self.learn(recorded, told),
        }
    }

    /// Stops: signal, reasons, thread and the instruction.
    fn is_same_stop(&mut self, recorded: &str, told: &str) -> bool {
        let split = |text: &str| -> Vec<(String, String)> {
            let fields = text.get(3..).unwrap_or_default().split(';').filter(|f| !f.is_empty());
            let pair = |f: &str| {
                let (name, value) = f.split_once(':').unwrap_or((f, ""));
                (name.to_string(), value.to_string())
            };
            fields.map(pair).collect()
        };
        let (theirs, ours) = (split(recorded), split(told));
        recorded.get(..3) == told.get(..3)
            && theirs.len() == ours.len()
            && theirs.iter().zip(&ours).all(|((name, value), (ours, told))| {
                let is_register = name.len() == 2 && u8::from_str_radix(name, 16).is_ok();
                name == ours
                    && match name.as_str() {
                        "thread" | "threads" => self.learn(value, told),
                        // The instruction pointer, while it is in the program.
                        "10" => value == told || !value.ends_with("400000000000"),
                        _ if is_register => value.len() == told.len(),
                        _ => value == told,
                    }
            })
    }
}

/// Says what a debugger said; how many packets were answered as then.
fn replay(served: Served, name: &str) -> usize {
    let text = std::fs::read_to_string(recording(name)).unwrap();
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    let mut raw = Raw::connect(served.port);
    let mut numbers = Numbers::default();
    let (mut last, mut answered) = (String::new(), 0);
    for (number, line) in lines.iter().enumerate() {
        if line.starts_with("> ") || *line == ">^C" {
            let Some(packet) = line.strip_prefix("> ") else {
                assert!(raw.send_raw(&[3]));
                continue;
            };
            last = numbers.translate(packet);
            let is_last = !lines[number + 1..].iter().any(|l| l.starts_with('<'));
            assert!(raw.send(&unescape(&last)) || is_last, "{last}: the connection is gone");
        } else if let Some(recorded) = line.strip_prefix("< ") {
            // Console text is told while the debugger waits.
            if recorded.starts_with('O') && recorded != "OK" {
                continue;
            }
            let told = raw.receive().unwrap_or_else(|| panic!("{name}: no answer to {last}"));
            let told = escape(&told);
            let shown = "was recorded, but the answer is";
            let agrees = numbers.agrees(&last, recorded, &told);
            assert!(agrees, "{name}, packet {number}: {last}\n{recorded}\n{shown}\n{told}");
            answered += 1;
        }
    }
    drop(raw);
    served.end();
    answered
}

fn recorder() -> bool {
    std::env::var_os("WATCHWORD_RECORD").is_some()
}

/// Runs a debugger through the recorder.
fn record(name: &str, before: Commands, version: &str, run: impl FnOnce(u16, &Path)) {
    let program = program();
    let served = session_after(launched(&program, &[]), &["recorded.ww"], before);
    let (port, thread) = between(&served);
    run(port, &program);
    let lines = thread.join().unwrap();
    served.end();
    let (path, instead) = (program.display().to_string(), "/recorded/recorded");
    let lines = lines.replace(&hex(&path), &hex(instead)).replace(&path, instead);
    let out = recording(name);
    std::fs::create_dir_all(out.parent().unwrap()).unwrap();
    std::fs::write(out, format!("# {version}, at recorded.c with recorded.ww\n{lines}")).unwrap();
}

fn hex(text: &str) -> String {
    text.bytes().map(|b| format!("{b:02x}")).collect()
}

fn replayed(name: &str, before: Commands) -> usize {
    let program = program();
    replay(session_after(launched(&program, &[]), &["recorded.ww"], before), name)
}

/// Commands of the prompt before a debugger connects.
type Commands = &'static [&'static str];

/// LLDB takes a program that stands at its very first instruction for one that hit a breakpoint of its own
/// there, and lets it go.
const BEFORE_LLDB: Commands = &["tbreak begin", "run"];

const GDB: &[&str] = &[
    "break queue_push",
    "continue",
    "info registers rip rsp",
    "backtrace",
    "x/4i $pc",
    "print *q",
    "stepi",
    "next",
    "info threads",
    "print total",
    "set var total = 100",
    "watch total",
    "continue",
    "delete",
    "checkpoint here",
    "monitor slices",
    "tbreak queue_pop",
    "continue",
    "finish",
    "continue",
    "backtrace",
    "print item",
    "monitor violations",
    "restart 1",
    "print total",
    "print $xmm0",
    "info auxv",
    "continue",
    "kill",
];

const LLDB: &[&str] = &[
    "breakpoint set -n queue_push",
    "continue",
    "register read rip rsp",
    "thread backtrace",
    "disassemble -c 4",
    "frame variable item",
    "thread step-inst",
    "thread step-over",
    "thread list",
    "expression total = 100",
    "watchpoint set variable total",
    "continue",
    "watchpoint delete 1",
    "breakpoint delete 1",
    "process plugin packet monitor checkpoint here",
    "process plugin packet monitor slices",
    "breakpoint set -n queue_pop",
    "continue",
    "thread step-out",
    "breakpoint delete 2",
    "continue",
    "thread backtrace",
    "process plugin packet monitor violations",
    "process plugin packet monitor restart 1",
    "continue",
    "memory read -c 16 &total",
    "memory region $rip",
    "detach",
];

#[test]
fn recordings_of_gdb_are_answered_as_then() {
    let _alone = alone();
    let name = "gdb-13.1.txt";
    if recorder() && has("gdb", "recordings") {
        let version = run("gdb", &["--version".into()]);
        record(name, &[], version.lines().next().unwrap(), |port, program| {
            let script = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watchword.py");
            std::fs::write(&script, watchword_remote::GDB_SCRIPT).unwrap();
            let mut args: Vec<String> = ["-nx", "-q", "-batch"].map(String::from).into();
            let connect = format!("target remote 127.0.0.1:{port}");
            let source = format!("source {}", script.display());
            let before = ["set confirm off", "set debuginfod enabled off", &source, &connect];
            for command in before.iter().chain(GDB) {
                args.extend(["-ex".to_string(), (*command).to_string()]);
            }
            args.push(program.display().to_string());
            println!("{}", run("gdb", &args));
        });
    }
    let answered = replayed(name, &[]);
    assert!(answered > 90, "{answered}");
}

#[test]
fn recordings_of_lldb_are_answered_as_then() {
    let _alone = alone();
    let name = "lldb-14.0.6.txt";
    if recorder() && has("lldb", "recordings") {
        let version = run("lldb", &["--version".into()]);
        let version = version.lines().find(|l| l.starts_with("lldb")).unwrap();
        record(name, BEFORE_LLDB, version, |port, program| {
            let mut args: Vec<String> = vec!["--no-lldbinit".into()];
            let connect = format!("gdb-remote 127.0.0.1:{port}");
            for command in [connect.as_str()].iter().chain(LLDB) {
                args.extend(["-o".to_string(), (*command).to_string()]);
            }
            args.push(program.display().to_string());
            println!("{}", run("lldb", &args));
        });
    }
    let answered = replayed(name, BEFORE_LLDB);
    assert!(answered > 90, "{answered}");
}
