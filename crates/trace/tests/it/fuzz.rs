//! Readers against a seeded mutator: never a panic, and never another answer for the same bytes.

use watchword_cases::fuzz::{Random, mutate};
use watchword_model::Model;
use watchword_trace::{BadLines, Format, Reader};

use crate::readers::{Listener, model, read};

pub const PROPERTY: &str = "\
event push(q, who: string)
event pop(q: int)
event rec(a, b) = log record \"rec\" with a = .x.y, b = .z
event odd(v) = log where .level == \"e*\" with v = .v
event line(u) = log /(?<u>[a-z]+) did/
event call(c, v) = jvm after call a.B+.m(..) on c returns v
";

pub const SEEDS: [(Format, &str); 7] = [
    (
        Format::Jsonl,
        "{\"event\":\"push\",\"args\":{\"q\":17,\"who\":\"ada\"},\"time\":1.5}\n\
         {\"event\":\"push\",\"args\":[1e3,\"\\u00e9\\ud83d\\ude00\\n\"]}\n\
         {\"event\":\"pop\",\"q\":-9223372036854775808,\"thread\":\"main\"}\n\
         {\"event\":\"rec\",\"x\":{\"y\":[1,{\"a\":null}],\"k\":2},\"z\":{\"ref\":3,\"class\":\"C\"}}\n\
         {\"level\":\"error\",\"v\":true,\"time\":\"2024-05-01T12:00:00.5+02:00\"}\n\
         {\"return\":\"a.B.m\",\"args\":[{\"ref\":1},2],\"value\":{\"ptr\":\"0xff\"},\"loc\":\"A.java:9\"}\n",
    ),
    (
        Format::Csv,
        "event,q,who,time\npush,17,ada,1\npush,\"a\"\"b\",\"x,\ny\",2\npop,3,,\npush,1.5,007,3.25\n",
    ),
    (Format::Tsv, "event\tq\twho\ttime\npush\t17\t\"ada\t1\npop\t3\t\t\npush\t1.5\t007 \t3.25\n"),
    (
        Format::Logfmt,
        "time=1 event=push q=17 who=ada\nevent=push q=\"a \\\"b\" who=\"x y\" time=2\n\
         level=error v=7 ok\nevent=rec x.y=3 z=\"\" thread=main loc=A.java:9\n",
    ),
    (
        Format::Json,
        "[{\"event\":\"push\",\"args\":{\"q\":17,\"who\":\"a]d\\\"a\"},\"time\":1.5},\n\
         {\n \"event\":\"pop\",\n \"q\":3\n}, {\"level\":\"error\",\"v\":[{}]}]\n\
         {\"event\":\"rec\",\"x\":\"{\\\"y\\\":[1]}\",\"z\":null}\n",
    ),
    (
        Format::Zeek,
        "#separator \\x09\n#fields\tts\tlevel\tv\tx.y\n1714564800.5\terror\t7\t-\n\
         #close\n1714564801.5\te\t-\t2\n",
    ),
    (Format::Text, "2024-05-01T12:00:00Z ada did it\nnothing\nbob did more\n"),
];

/// A stream that returns so many bytes at a time.
pub struct Drip<'a>(pub &'a [u8], pub usize);

impl std::io::Read for Drip<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.len().min(self.1).min(out.len());
        out[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

/// Reads with a stream that returns `drip` bytes at a time.
fn read_dripping(
    model: &Model,
    format: Format,
    text: &[u8],
    drip: usize,
) -> Result<Vec<String>, String> {
    let mut reader = Reader::new(model, BadLines::Refuse).unwrap();
    let mut listener = Listener { model, heard: Vec::new() };
    reader
        .read("t", Drip(text, drip), Some(format), &mut listener, |_, _| {})
        .map(|()| listener.heard)
        .map_err(|e| e.to_string())
}

#[test]
fn mutated_traces_give_events_or_an_error_and_always_the_same() {
    let model = model(PROPERTY);
    let rounds: usize = match std::env::var("WATCHWORD_FUZZ") {
        Ok(rounds) => rounds.parse().unwrap(),
        Err(_) => 20_000,
    };
    let mut random = Random(0x5eed);
    let (mut errors, mut events) = (0u64, 0u64);
    for round in 0..rounds {
        let (format, seed) = SEEDS[random.below(SEEDS.len())];
        let mut bytes = seed.as_bytes().to_vec();
        mutate(&mut random, &mut bytes);
        let strict = read(&model, format, &bytes, BadLines::Refuse);
        let drip = 1 + random.below(30);
        let dripped = read_dripping(&model, format, &bytes, drip);
        assert_eq!(strict, dripped, "round {round}: {:?}", String::from_utf8_lossy(&bytes));
        let lenient = read(&model, format, &bytes, BadLines::Skip);
        match strict {
            Ok(strict) => {
                events += strict.len() as u64;
                assert_eq!(lenient, Ok(strict), "round {round}");
            }
            Err(message) => {
                errors += 1;
                // Compressed input is refused however lenient one is.
                assert!(lenient.is_ok() || message.contains("WW2011"), "round {round}: {message}");
                assert!(message.contains("t:"), "{message}");
            }
        }
    }
    println!("{rounds} traces: {errors} errors, {events} events in the others");
    assert!(errors * 10 > rounds as u64, "the mutator breaks too little");
    assert!(events > rounds as u64 / 2, "the mutator breaks too much");
}

/// Lines of programs and of what is around them, mutated: the same events however the stream drips, and
/// never a panic.
#[test]
fn mutated_logs_of_programs_are_read_or_refused() {
    let model = model(
        "event a(r, m) = log where .status == \"404\" with r = .remote, m = .message\n\
         event b(l, o) = log where .level == \"*\" with l = .level, o = .origin\n\
         event c(x) = log where .res == \"failed\" with x = .acct\n\
         event d(x) = log /order (?<x>\\d+)/\n\
         property P { start state S within 5 s else S { on a(_, _) -> S } }",
    );
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/logs");
    let mut samples: Vec<Vec<u8>> = Vec::new();
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names {
        if path.extension().is_some_and(|e| e == "log" || e == "json") {
            let text = std::fs::read(path).unwrap();
            samples
                .push(text.split_inclusive(|b| *b == b'\n').take(4).flatten().copied().collect());
        }
    }
    assert!(samples.len() >= 25);
    let rounds: usize = match std::env::var("WATCHWORD_FUZZ") {
        Ok(rounds) => rounds.parse().unwrap(),
        Err(_) => 5_000,
    };
    let mut random = Random(0x10c5);
    let mut events = 0;
    for round in 0..rounds {
        let mut bytes = samples[random.below(samples.len())].clone();
        if round % 8 != 0 {
            mutate(&mut random, &mut bytes);
        }
        let mut heard = Vec::new();
        for drip in [usize::MAX, 1 + random.below(60)] {
            let mut reader = Reader::new(&model, BadLines::Skip).unwrap();
            reader.written = Some(1_714_564_800_000_000_000);
            let mut listener = Listener { model: &model, heard: Vec::new() };
            let read = reader.read("t", Drip(&bytes, drip), None, &mut listener, |_, _| {});
            let told = read.map(|()| listener.heard).map_err(|e| e.to_string());
            heard.push(told);
        }
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(heard[0], heard[1], "round {round}: {text}");
        events += heard[0].as_ref().map_or(0, Vec::len);
    }
    assert!(events > rounds, "{events} events in {rounds} rounds");
}

/// What is accepted is JSON, and what is JSON is accepted, by another implementation's opinion.
#[test]
fn json_is_json() {
    let model = model(PROPERTY);
    let mut random = Random(0xbadc0de);
    let lines: Vec<&str> = SEEDS[0].1.lines().collect();
    let (mut both, mut neither) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = lines[random.below(lines.len())].as_bytes().to_vec();
        mutate(&mut random, &mut bytes);
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        // Line ends cut records; zero bytes at the start look like nothing at all.
        if text.contains('\n') || text.starts_with('\u{feff}') || text.trim_ascii().is_empty() {
            continue;
        }
        let ours = read(&model, Format::Jsonl, &bytes, BadLines::Refuse);
        let theirs = serde_json::from_str::<serde_json::Value>(text);
        match (&ours, &theirs) {
            (Ok(_), Ok(_)) => both += 1,
            (Ok(_), Err(error)) => panic!("accepted, but {error}: {text}"),
            (Err(message), Ok(value)) => {
                let about_content = ["WW2003", "WW2004", "WW2005", "WW2006", "WW2010"];
                assert!(
                    about_content.iter().any(|code| message.contains(code)),
                    "refused: {message}\nalthough it is {value}"
                );
            }
            (Err(_), Err(_)) => neither += 1,
        }
    }
    println!("{both} accepted by both, {neither} by neither");
    assert!(both > 1000 && neither > 1000);
}
