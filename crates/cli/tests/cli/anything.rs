//! Any command with any flags on any bytes: it works, or it says what is wrong and where.

use std::process::Stdio;
use std::time::{Duration, Instant};

use watchword_cases::fuzz::{Random, mutate};

use crate::support::{BOUNDED, Dir, binary};

/// Files that mean something to some command, by extension.
const SEEDS: [(&str, &str); 12] = [
    ("ww", BOUNDED),
    (
        "mop",
        "import java.util.*;\nP(Iterator i) {\n  event next before(Iterator i) : call(* Iterator+.next()) && target(i) {}\n  \
         ere : next next\n  @match { System.err.println(\"m\"); __RESET; }\n}\n",
    ),
    (
        "ww",
        "event a(x, n: int) = log /(?<x>[a-z]+) (?<n>\\d+)/\nproperty L(x) {\n  ltl always (a implies once a)\n}\n",
    ),
    (
        "topl",
        "property P\n  message \"m\"\n  observe <a.{B,C}.*>\n  prefix <a.B>\n  start -> start: *\n  \
         start -> s: X := <a.B.m>(*, <\"t\">)\n  s -> error: x.n(!x), (!<a.B.o>)[2]\n",
    ),
    (
        "infer",
        "property P\n  prefix \"a.B\"\n  start -> start: *\n  \
         start -> s: \"m[a-z]*\"(X: \"T\", R) when X != 0 => x := R\n  s -> error: n(Y, R) when x == Y\n",
    ),
    (
        "prop",
        "slice on q\ninitialization {\n  n = 0\n}\nstate init accepting {\n  transition {\n    \
         event push(q, who) { return n < 3 }\n    success { n += 1 } init\n    failure { print(\"x\") } bad\n  }\n}\nstate bad non-accepting()\n",
    ),
    (
        "lrv",
        "GLOBAL {\n FOREACH (Object o) {\n  VARIABLES { int n = 0; }\n  EVENTS { e(Object o) = {A o.m()} }\n  \
         PROPERTY P {\n   STATES { BAD { b } STARTING { s } }\n   TRANSITIONS { s -> b [e\\n > 1\\] s -> s [e\\\\n++;] }\n  }\n }\n}\n",
    ),
    ("scn", "on violation {\n  stop\n}\n"),
    (
        "jsonl",
        "{\"event\":\"push\",\"args\":[1,2],\"time\":1}\n{\"event\":\"pop\",\"args\":{\"q\":1}}\n\
         {\"call\":\"a.B.m\",\"args\":[{\"ref\":1}]}\n",
    ),
    ("csv", "event,q,who\npush,1,2\npop,1,\n"),
    ("log", "ada 17\n2024-05-01T12:00:00Z bob 3\n"),
    ("txt", "watchword baseline 1\n0123456789abcdef0123456789abcdef 1\n"),
];

/// Bytes that are nothing.
fn noise(random: &mut Random) -> Vec<u8> {
    match random.below(9) {
        0 => Vec::new(),
        1 => vec![0; 1 + random.below(5000)],
        2 => (0..random.below(5000)).map(|_| random.draw() as u8).collect(),
        3 => b"{".repeat(1 + random.below(20_000)),
        4 => b"(".repeat(1 + random.below(20_000)),
        5 => b"\xef\xbb\xbf".to_vec(),
        6 => vec![b'a'; 1 + random.below(200_000)],
        7 => b"property P\r\n  start -> error: *\r\n".repeat(1 + random.below(200)),
        _ => "é\u{202e}\u{0}\u{1b}[2J".repeat(1 + random.below(50)).into_bytes(),
    }
}

/// Flags with values that are sometimes none.
const FLAGS: [&[&str]; 22] = [
    &["--format", "json"],
    &["--format", "svg"],
    &["--format", "dot"],
    &["--quiet"],
    &["--lang", "infer"],
    &["--lang", "topl"],
    &["--lang", "verde"],
    &["--lang", "larva"],
    &["--history", "0"],
    &["--history", "-1"],
    &["--max-instances", "1"],
    &["--max-instances", "99999999999999999999"],
    &["--evict", "random", "--max-instances", "2"],
    &["--seed", "x"],
    &["--sort-window", "5s"],
    &["--sort-window", "9999999999999d"],
    &["--skip-bad-lines"],
    &["--no-dedup"],
    &["--input-format", "csv"],
    &["--input-format", "text"],
    &["--stats"],
    &["--cp", "input.txt"],
];

/// What a file is meant to be; anything may be given instead.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Property,
    Trace,
    Other,
}

/// Command lines; `@` is the file that may be anything.
const COMMANDS: [(Kind, &[&str]); 22] = [
    (Kind::Property, &["lint", "@"]),
    (Kind::Property, &["lint", "@", "p.ww"]),
    (Kind::Property, &["fmt", "--check", "@"]),
    (Kind::Property, &["graph", "@"]),
    (Kind::Property, &["explain", "@"]),
    (Kind::Property, &["convert", "@", "--to", "ww"]),
    (Kind::Property, &["convert", "@", "--to", "topl"]),
    (Kind::Property, &["replay", "-p", "@", "t.jsonl"]),
    (Kind::Property, &["replay", "-p", "@", "-p", "p.ww", "t.csv"]),
    (Kind::Property, &["java", "-p", "@", "--java", "./no-such-java", "--", "Main"]),
    (Kind::Property, &["run", "-p", "@", "--", "./no-such-program"]),
    (Kind::Property, &["list", "--show", "@"]),
    (Kind::Trace, &["replay", "-p", "p.ww", "@"]),
    (Kind::Trace, &["replay", "-p", "p.topl", "@"]),
    (Kind::Trace, &["replay", "-p", "p.ww", "t.csv", "@"]),
    (Kind::Trace, &["replay", "-p", "p.ww", "--skip-bad-lines", "@"]),
    (Kind::Other, &["replay", "-p", "p.ww", "--baseline", "@", "t.csv"]),
    (Kind::Other, &["replay", "-p", "p.prop", "--functions", "@", "t.jsonl"]),
    (Kind::Other, &["weave", "-p", "std/safe-iterator", "@", "-o", "nowhere/out"]),
    (Kind::Other, &["analyze", "-p", "std/safe-iterator", "@"]),
    (Kind::Other, &["model", "-p", "std/safe-iterator", "@", "--method", "*"]),
    (Kind::Other, &["debug", "-s", "@", "--batch", "--", "./no-such-program"]),
];

fn kind(extension: &str) -> Kind {
    match extension {
        "ww" | "topl" | "infer" | "prop" | "lrv" | "mop" => Kind::Property,
        "jsonl" | "csv" | "log" => Kind::Trace,
        _ => Kind::Other,
    }
}

#[test]
fn every_command_survives_any_input() {
    let rounds: usize = match std::env::var("WATCHWORD_FUZZ") {
        Ok(rounds) => rounds.parse::<usize>().unwrap() / 20,
        Err(_) => 500,
    };
    let mut random = Random(0xca11_ab1e);
    let mut statuses = [0usize; 3];
    for round in 0..rounds {
        let (wanted, words) = COMMANDS[random.below(COMMANDS.len())];
        let any = random.below(6) == 0;
        let fitting: Vec<_> =
            SEEDS.iter().filter(|(extension, _)| any || kind(extension) == wanted).collect();
        let (extension, seed) = fitting[random.below(fitting.len())];
        let mut bytes = if random.below(6) == 0 { noise(&mut random) } else { (*seed).into() };
        if random.below(3) > 0 {
            mutate(&mut random, &mut bytes);
        }
        let input = format!("input.{extension}");
        let mut words: Vec<&str> =
            words.iter().map(|w| if *w == "@" { input.as_str() } else { w }).collect();
        for _ in 0..random.below(6).saturating_sub(3) {
            let at = if words.contains(&"--") { 1 } else { words.len() };
            words.splice(at..at, FLAGS[random.below(FLAGS.len())].iter().copied());
        }
        let dir = Dir::new();
        dir.write("p.ww", BOUNDED).write("t.csv", "push,1,2\n".repeat(3)).write("t.jsonl", "{}\n");
        for (extension, name) in [("topl", "p.topl"), ("prop", "p.prop")] {
            let seed = SEEDS.iter().find(|(e, _)| *e == extension).unwrap().1;
            dir.write(name, seed);
        }
        dir.write(&input, &bytes);
        let before = dir.names();
        let shown = format!("round {round}: {words:?}\n{:.2000}", String::from_utf8_lossy(&bytes));
        let (status, said) = run(&dir, &words, &shown);
        assert!((0..3).contains(&status), "status {status}, {shown}\n{said}");
        statuses[status as usize] += 1;
        if status == 2 {
            assert!(said.contains("error") || said.contains("\"severity\""), "{shown}\n{said}");
        }
        assert!(said.len() < 2_000_000, "{} bytes said, {shown}", said.len());
        assert_eq!(dir.names(), before, "{shown}");
        assert_eq!(std::fs::read(dir.path().join(&input)).unwrap(), bytes, "{shown}");
    }
    println!("{rounds} commands ended with 0, 1 and 2: {statuses:?}");
    if rounds >= 300 {
        assert!(statuses[0] * 20 > rounds && statuses[1] > 0, "too little works: {statuses:?}");
    }
}

/// Runs a command that must end soon and stay small.
fn run(dir: &Dir, words: &[&str], shown: &str) -> (i32, String) {
    let mut child = std::process::Command::new("sh")
        .args(["-c", "ulimit -v 3000000; exec \"$@\"", "sh"])
        .arg(binary())
        .args(words)
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    // Pipes are read by threads of their own, so that a talkative command does not wait for us.
    let out = child.stdout.take().unwrap();
    let err = child.stderr.take().unwrap();
    let read = |mut stream: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = std::io::Read::read_to_end(&mut stream, &mut bytes);
            bytes
        })
    };
    let (out, err) = (read(Box::new(out)), read(Box::new(err)));
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(120) {
            let _ = child.kill();
            panic!("it does not end: {shown}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut said = out.join().unwrap();
    said.extend(err.join().unwrap());
    let status = status.code().unwrap_or_else(|| panic!("killed ({status}): {shown}"));
    (status, String::from_utf8_lossy(&said).into_owned())
}
