//! Any number of threads finds the same, and tells the same.

use std::fmt::Write;

use watchword_cases::fuzz::Random;

use crate::support::Dir;

/// Properties of every kind: keyed, timed, waiting for the end, with registers, with variables.
const PROPERTIES: &str = "\
event open(id: int, who: string)
event close(id: int, who: string)
event odd(v) = log where .level == \"error\" with v = .who

property Twice(id) {
  start state Closed { on open(id, _) -> Open }
  state Open {
    on close(id, _) -> Closed
    on open(id, ?who) -> Again \"{who}\"
  }
  bad state Again
}

property Soon(id) {
  start state Idle { on open(id, _) -> Waiting }
  state Waiting within 2 s else Late { on close(id, _) -> Idle }
  bad state Late
}

property Closed(id) {
  start state Idle { on open(id, _) -> Waiting }
  pending state Waiting { on close(id, _) -> Idle }
}

property Follows {
  start state S { on open(?i, ?w) if id > 4900 => Held }
  state Held { on close(i, w) -> Same }
  bad state Same
}

property Many(who) {
  var n: int = 0
  start state Few {
    on open(_, who) if n < 300 { n += 1 }
    on open(_, who) -> Lots
    on close(_, who) if n > 0 { n -= 1 }
  }
  bad state Lots
}
";

/// What is odd about a trace beyond its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Odd {
    Nothing,
    BadLine,
    Backwards,
    Timeless,
    Stranger,
    Thread,
    Quote,
}

fn trace(format: &str, odd: Odd, random: &mut Random) -> String {
    let mut text = String::new();
    if format == "csv" {
        text.push_str("time,event,id,who\n");
    }
    let lines = if format == "csv" { 72_000 } else { 36_000 };
    for line in 0..lines {
        let event = ["open", "close", "else"][random.below(20).min(2) % 3];
        let event = if random.below(2) == 0 { "open" } else { event };
        let (id, who) = (random.below(5000), random.below(40));
        let at = 1_700_000_000 + line / 20;
        let here = line > 20_000 && line % 4_000 == 7;
        let is = |kind| here && odd == kind;
        let at = if is(Odd::Backwards) { at - 1000 } else { at };
        let _ = match format {
            "csv" if is(Odd::BadLine) => writeln!(text, "{at},open,x{id},w{who}"),
            "csv" if is(Odd::Timeless) => writeln!(text, ",open,{id},w{who}"),
            "csv" if is(Odd::Quote) => writeln!(text, "{at},open,{id},\"w\n{who}\""),
            "csv" => writeln!(text, "{at},{event},{id},w{who}"),
            _ if is(Odd::BadLine) => writeln!(text, "{{\"event\":\"open\",\"args\":{{\"id\":"),
            _ if is(Odd::Timeless) => {
                writeln!(text, "{{\"event\":\"open\",\"args\":{{\"id\":{id},\"who\":\"w{who}\"}}}}")
            }
            _ => {
                let more = match () {
                    () if is(Odd::Stranger) => ",\"whom\":1",
                    () if is(Odd::Quote) => ",\"who\":\"\\u00e9\\n\"",
                    () => "",
                };
                let thread = if is(Odd::Thread) { ",\"thread\":\"main\"" } else { "" };
                let level = if random.below(50) == 0 { ",\"level\":\"error\"" } else { "" };
                writeln!(
                    text,
                    "{{\"time\":{at},\"event\":\"{event}\",\"args\":{{\"id\":{id},\"who\":\"w{who}\"{more}}}\
                     {thread}{level}}}",
                )
            }
        };
    }
    text
}

#[test]
fn any_number_of_threads_tells_the_same() {
    let dir = Dir::new();
    dir.write("p.ww", PROPERTIES);
    let mut random = Random(0x70b5);
    let odds = [
        Odd::Nothing,
        Odd::BadLine,
        Odd::Backwards,
        Odd::Timeless,
        Odd::Stranger,
        Odd::Thread,
        Odd::Quote,
    ];
    for format in ["jsonl", "csv"] {
        for odd in odds {
            let file = format!("t.{format}");
            let text = trace(format, odd, &mut random);
            assert!(text.len() > 3 << 19, "{} bytes are read before others read ahead", text.len());
            dir.write(&file, &text);
            let manners = [&[][..], &["--skip-bad-lines"], &["--no-dedup", "--history", "2"]];
            for &flags in &manners[..if odd == Odd::Nothing { 3 } else { 2 }] {
                let run = |jobs: &str| {
                    let base =
                        ["replay", "-v", "-p", "p.ww", "--jobs", jobs, "--report", "out.json"];
                    let ran = dir.run(&[&base[..], flags, &[file.as_str()]].concat());
                    let report = std::fs::read_to_string(dir.path().join("out.json"));
                    let _ = std::fs::remove_file(dir.path().join("out.json"));
                    (ran.status, ran.stdout, ran.stderr, report.unwrap_or_default())
                };
                let alone = run("1");
                assert!(alone.0 == 1 || odd != Odd::Nothing, "{}", alone.2);
                for jobs in ["2", "3", "7"] {
                    let together = run(jobs);
                    let what = format!("{format} {odd:?} {flags:?} with {jobs} jobs");
                    assert_eq!(alone.0, together.0, "{what}");
                    // Too much to be shown as a whole.
                    assert!(alone.1 == together.1, "{what}: stdout differs");
                    assert_eq!(alone.2, together.2, "{what}");
                    assert!(alone.3 == together.3, "{what}: reports differ");
                }
            }
        }
    }
}
