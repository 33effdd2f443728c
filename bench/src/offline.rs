//! Checking traces: from files, memory, and the peer.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use watchword_model::{EventRef, Time, ValueRef};
use watchword_monitor::{Engine, Options};
use watchword_trace::emit::Sink;
use watchword_trace::error::Flaw;
use watchword_trace::{BadLines, Format, Reader};

use crate::random::Draw;
use crate::rates::{EVENTS, ROUNDS, load, millions, no_history};
use crate::report::Report;
use crate::stats::{interleave, resident};
use crate::workload;

/// A sink that does nothing, to time the reading alone.
pub struct Count(pub u64);

impl Sink for Count {
    fn event(&mut self, _: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.0 += 1;
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        Ok(())
    }
}

/// A sink that checks.
pub struct Check(pub Engine);

impl Sink for Check {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.0.step_soon(event).expect("no times are given");
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        Ok(())
    }

    fn rest(&mut self) {
        self.0.catch_up();
    }
}

/// Reading files: parsing alone, and with a two-parameter property.
pub fn from_files(report: &mut Report) {
    let columns = ["format", "parsing alone", "with the property", "ratio"];
    report.table("From a file, two parameters, 10 000 live slices", &columns);
    let model = load("iterator.ww", include_str!("../workloads/iterator.ww"));
    let workload = workload::iterator(EVENTS, 10_000, Draw::Uniform);
    for (name, format, text) in
        [("JSON Lines", Format::Jsonl, workload.jsonl()), ("CSV", Format::Csv, workload.csv())]
    {
        let lines = text.lines().count() as u64;
        let read = |sink: &mut dyn FnMut(&mut Reader, &[u8])| {
            let mut reader = Reader::new(&model, BadLines::Refuse).expect("a reader");
            sink(&mut reader, text.as_bytes());
            lines
        };
        let rows = interleave(
            ROUNDS,
            vec![
                Box::new(|| {
                    read(&mut |reader, bytes| {
                        let mut count = Count(0);
                        reader
                            .read("log", bytes, Some(format), &mut count, |_, _| {})
                            .expect("well-formed");
                        assert_eq!(count.0, lines);
                    })
                }),
                Box::new(|| {
                    read(&mut |reader, bytes| {
                        let mut check = Check(Engine::new(&model, no_history()));
                        reader
                            .read("log", bytes, Some(format), &mut check, |_, _| {})
                            .expect("well-formed");
                        assert_eq!(check.0.events(), lines);
                    })
                }),
            ],
        );
        let ratio = rows[1].nanos / rows[0].nanos;
        report.row(&[
            name.to_string(),
            millions(&rows[0]),
            millions(&rows[1]),
            format!("{ratio:.2}"),
        ]);
        report.bar(&format!("{name}: with the property ÷ parsing alone"), ratio, 1.8, "×");
        report.goal(&format!("{name}: from a file"), rows[1].rate() / 1e6, 2.0, " M events/s");
    }
}

/// What a process of its own prints: resident bytes after making that many slices.
pub fn slices(property: &str, count: u64) {
    let text = match property {
        "queue" => include_str!("../workloads/queue.ww"),
        _ => include_str!("../workloads/iterator.ww"),
    };
    let model = load(property, text);
    let mut engine = Engine::new(&model, no_history());
    let first = model.event(if property == "queue" { "push" } else { "create" }).expect("declared");
    for k in 0..count {
        let args = [ValueRef::Int(k as i64), ValueRef::Int((k ^ 1 << 40) as i64)];
        let args = &args[..if property == "queue" { 1 } else { 2 }];
        let event = EventRef { kind: first, args, time: None, thread: None, location: None };
        engine.step(&event).expect("no times are given");
    }
    assert!(engine.instances() as u64 >= count, "all of them are live");
    println!("{}", resident());
}

/// What a process of its own prints: resident bytes after a tenth of the sessions, and after all.
pub fn sessions(count: u64, text_keys: bool) {
    let model = load("session.ww", include_str!("../workloads/session.ww"));
    let kinds = ["open", "use", "close"].map(|name| model.event(name).expect("declared"));
    let mut engine = Engine::new(&model, Options::default());
    for s in 0..count {
        let key = format!("session-{s}");
        let arg = if text_keys { ValueRef::Str(&key) } else { ValueRef::Int(s as i64) };
        for kind in kinds {
            let event = EventRef { kind, args: &[arg], time: None, thread: None, location: None };
            engine.step(&event).expect("no times are given");
        }
        if s == count / 10 {
            println!("{}", resident());
        }
    }
    println!("{}", resident());
}

/// Runs this program again and gives the numbers it prints.
fn child(args: &[&str]) -> Vec<u64> {
    let program = std::env::current_exe().expect("this program has a path");
    let output = Command::new(program).args(args).output().expect("this program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().filter_map(|l| l.parse().ok()).collect()
}

/// Memory: per live slice, and after slices that ended.
pub fn memory(report: &mut Report) {
    let columns = ["slices", "bytes per live slice, from the growth between 10^5 and 10^6"];
    report.table("Memory, history off", &columns);
    for property in ["queue", "iterator"] {
        let small = child(&["--slices", property, "100000"])[0];
        let large = child(&["--slices", property, "1000000"])[0];
        let each = large.saturating_sub(small) as f64 / 900_000.0;
        report.row(&[property.to_string(), format!("{each:.0}")]);
        report.bar(&format!("{property}: bytes per live slice"), each, 120.0, "");
    }
    let columns = ["keys", "resident after 10^6", "after 10^7"];
    report.table("Memory, 10^7 slices that end their life", &columns);
    for (keys, flag) in [("integers", "int"), ("texts", "text")] {
        let sizes = child(&["--sessions", flag, "10000000"]);
        let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / 1048576.0);
        report.row(&[keys.to_string(), mib(sizes[0]), mib(sizes[1])]);
        let growth = sizes[1] as f64 / sizes[0] as f64;
        report.bar(
            &format!("{keys}: memory after 10^7 ÷ after 10^6 ended slices"),
            growth,
            1.1,
            "×",
        );
    }
}

/// The peer, on the same events; both as whole processes.
pub fn peer(report: &mut Report, rtlola: Option<&Path>, watchword: &Path, scratch: &Path) {
    let columns = ["live slices", "events", "overflows", "RTLola", "Watchword", "ratio"];
    report.table("Beside RTLola, the same log, whole processes", &columns);
    let Some(rtlola) = rtlola else {
        report.line("\nrtlola-cli was not found: `make bench` installs it under target/peers.");
        return;
    };
    for (live, events) in [(100u64, 20_000usize), (1_000, 5_000)] {
        let mut workload = workload::bounded(events, live, Draw::Uniform);
        workload.warmup.clear();
        let ours = scratch.join("bounded.csv");
        let theirs = scratch.join("bounded-rtlola.csv");
        let property = scratch.join("bounded.ww");
        let lola = scratch.join("bounded.lola");
        let mut rows = String::from("kind,q,time\n");
        for (i, row) in workload.rows.iter().enumerate() {
            use std::fmt::Write;
            let _ = writeln!(rows, "{},{},{}.{:03}", row.event, row.args[0], i / 1000, i % 1000);
        }
        for (path, text) in [
            (&ours, workload.csv()),
            (&theirs, rows),
            (&property, include_str!("../workloads/bounded.ww").to_string()),
            (&lola, include_str!("../workloads/bounded.lola").to_string()),
        ] {
            std::fs::write(path, text).expect("the scratch folder can be written");
        }
        let time = |command: &mut Command| -> (f64, String) {
            let start = Instant::now();
            let output = command.stdin(Stdio::null()).output().expect("it runs");
            (start.elapsed().as_secs_f64(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let mut samples: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        let mut found = [0u64; 2];
        for _ in 0..3 {
            let (seconds, out) = time(
                Command::new(rtlola)
                    .args(["monitor", "--offline", "relative", "--csv-in"])
                    .args([&theirs, &lola]),
            );
            samples[0].push(seconds);
            found[0] = out.lines().filter(|l| l.contains("[Trigger]")).count() as u64;
            let (seconds, out) = time(
                Command::new(watchword)
                    .args(["replay", "--format", "json", "-p"])
                    .args([&property, &ours]),
            );
            samples[1].push(seconds);
            found[1] = total_violations(&out);
        }
        assert_eq!(found[0], found[1], "both must find the same overflows");
        let median = |s: &mut Vec<f64>| {
            s.sort_by(f64::total_cmp);
            s[s.len() / 2]
        };
        let (theirs, ours) = (median(&mut samples[0]), median(&mut samples[1]));
        report.row(&[
            live.to_string(),
            events.to_string(),
            found[0].to_string(),
            format!("{theirs:.3} s"),
            format!("{ours:.3} s"),
            format!("÷{:.0}", theirs / ours),
        ]);
    }
}

/// The number after `"violations":` of the first property in the JSON output.
fn total_violations(json: &str) -> u64 {
    json.split("\"violations\":")
        .nth(1)
        .map(|rest| rest.trim_start().chars().take_while(char::is_ascii_digit).collect::<String>())
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

/// Where `make bench` puts the peer, or where it is on the search path.
pub fn find_peer() -> Option<PathBuf> {
    let local = PathBuf::from("target/peers/bin/rtlola-cli");
    if local.exists() {
        return Some(local);
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join("rtlola-cli")).find(|p| p.exists())
}
