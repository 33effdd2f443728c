//! Reports of `replay`, `java` and `run` agree: the same events in the same order, once from a log,
//! once from a JVM program and once from a native program, give the same report field by field.

use serde_json::Value;

use crate::java::{self, jdks};
use crate::native;
use crate::support::Dir;

const PROPERTIES: &str = r#"
event take(n: int) {
  jvm before call Desk.take(int) args (n)
  native before call take with n = arg 0
  log /^take (?<n>\d+)$/
}
event use(n: int) {
  jvm before call Desk.use(int) args (n)
  native before call use with n = arg 0
  log /^use (?<n>\d+)$/
}
event never(n: int) {
  jvm before call Desk.never(int) args (n)
  native before call never with n = arg 0
  log /^never (?<n>\d+)$/
}
channel ping(n)
channel pong(n)

/// A ticket is taken before it is used, and used once.
property Ticket(n) {
  start state New {
    on take(n) -> Taken
    on use(n) -> Stolen "{n} was not taken"
  }
  state Taken { on use(n) -> Used }
  state Used { on use(n) -> Twice "{n} was used twice" }
  bad state Stolen { on use(n) -> Stolen }
  bad state Twice
}

/// Only large tickets exist.
property Large(n) {
  also use if n > 5
  start state Idle { on use(n) -> Seen }
  good state Seen
}

/// Prints, divides by zero in a guard, and waits for what never happens.
property Chatty(n) {
  start state Idle {
    on take(n) { print "took {n}" } -> Said
    on use(n) -> Said
  }
  state Said {
    on use(n) if 1 / (n - 1) > 5 -> Idle
    on never(n) -> Idle
  }
}

/// Sends messages in a circle, of which some are discarded.
property Circle(n) {
  start state Idle {
    on take(n) if n == 3 { send ping(n) } -> Busy
    on take(n) -> Busy
  }
  state Busy {
    on ping(n) { send pong(n) }
    on pong(n) { send ping(n) }
  }
}
"#;

/// The events: tickets 1 to 9 are taken but 8; 7 is used twice, 8 twice at the same place.
const EVENTS: [(&str, u32); 13] = [
    ("take", 1),
    ("use", 1),
    ("take", 2),
    ("take", 3),
    ("use", 3),
    ("take", 7),
    ("use", 7),
    ("use", 7),
    ("take", 9),
    ("use", 8),
    ("use", 8),
    ("use", 9),
    ("take", 4),
];

/// Calls in the syntax that C and Java share. Equal calls in a row are one place.
fn calls(prefix: &str) -> String {
    let mut text = String::new();
    let mut rest = &EVENTS[..];
    while let [(name, n), ..] = rest {
        let same = rest.iter().take_while(|e| **e == rest[0]).count();
        text += &format!("for (int i = 0; i < {same}; i++)\n  {prefix}{name}({n});\n");
        rest = &rest[same..];
    }
    text
}

/// The same events from a log, a JVM program for each JDK, and a native program; none where
/// something is missing.
fn programs() -> Option<Dir> {
    let dir = Dir::new();
    let log: String = EVENTS.iter().map(|(name, n)| format!("{name} {n}\n")).collect();
    let java = format!(
        "public class Desk {{\n static void take(int n) {{}}\n static void use(int n) {{}}\n \
         static void never(int n) {{}}\n public static void main(String[] a) {{\n\
         if (a.length > 0) never(0);\n{}}}\n}}\n",
        calls("")
    );
    let c = format!(
        "#define OUT __attribute__((noinline, noclone))\n\
         OUT void take(int n) {{ __asm__ volatile(\"\" : : \"r\"(n)); }}\n\
         OUT void use(int n) {{ __asm__ volatile(\"\" : : \"r\"(n)); }}\n\
         OUT void never(int n) {{ __asm__ volatile(\"\" : : \"r\"(n)); }}\n\
         int main(int argc, char **argv) {{\nif (argc > 1) never(0);\n{}return 0;\n}}\n",
        calls("")
    );
    dir.write("desk.ww", PROPERTIES).write("desk.log", log);
    dir.write("Desk.java", java).write("desk.c", c);
    java::compile(&[dir.path().join("Desk.java")], dir.path());
    native::compile(&dir, "gcc", &["-g", "-O0", "desk.c", "-o", "desk"]).then_some(dir)
}

/// What may differ, by the name of the field: places, threads and times; what is worded or hashed
/// from them; and the counters that only one kind of host has.
const MAY_DIFFER: [&str; 14] = [
    "location",
    "stack",
    "thread",
    "time",
    "explanation",
    "fingerprint",
    "sites",
    // Of `replay`.
    "lines",
    "unmatched",
    "skipped",
    "unknown",
    // Of `java`.
    "classes",
    "woven",
    "weaving",
];

/// The report without what may differ.
fn comparable(report: &Value) -> Value {
    match report {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !MAY_DIFFER.contains(&name.as_str()));
            Value::Object(kept.map(|(name, value)| (name.clone(), comparable(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(comparable).collect()),
        other => other.clone(),
    }
}

/// The reports of all hosts with these flags; all agree with the first, which is that of `replay`.
fn agreed(dir: &Dir, flags: &[&str]) -> Value {
    let with = |name: &str| -> Vec<String> {
        let report = format!("{name}.json");
        let fixed = ["-p", "desk.ww", "--report", &report].map(String::from);
        fixed.into_iter().chain(flags.iter().map(|f| f.to_string())).collect()
    };
    let read = |name: &str| comparable(&java::report(dir, &format!("{name}.json")));
    let replay: Vec<String> = with("replay");
    let mut args = vec!["replay"];
    args.extend(replay.iter().map(String::as_str));
    args.push("desk.log");
    dir.run(&args).expect(1);
    let want = read("replay");
    let flags = with("run");
    let mut args = vec!["run"];
    args.extend(flags.iter().map(String::as_str));
    args.extend(["--", "./desk"]);
    native::run(dir, &args).expect(0);
    assert_eq!(read("run"), want, "`run` and `replay`, {flags:?}");
    for jdk in jdks() {
        let flags = with("java");
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        java::java(jdk, dir, &flags, &["-cp", ".", "Desk"]).expect(0);
        assert_eq!(read("java"), want, "`java` and `replay`, {flags:?}");
    }
    want
}

#[test]
fn reports_of_replay_java_and_run_agree() {
    let Some(dir) = programs() else { return };
    let report = agreed(&dir, &[]);
    let properties = report["properties"].as_array().unwrap();
    let verdicts: Vec<&str> = properties.iter().map(|p| p["verdict"].as_str().unwrap()).collect();
    // Messages of a circle were discarded; nothing can be reported, but that is not known.
    assert_eq!(verdicts, ["violated", "satisfied", "not-violated", "inconclusive"]);
    assert_eq!(report["violations"].as_array().unwrap().len(), 2);
    assert_eq!(report["violations"][1]["count"], 2);
    // Filters decide which events exist: 7, 7, 8, 8 and 9.
    assert_eq!(properties[1]["events"], 5);
    assert_eq!(properties[1]["satisfactions"], 3);
    assert_eq!(properties[2]["byEvent"]["take"], 6);
    assert_eq!(properties[2]["missed"][0], "never");
    assert_eq!(report["printed"].as_array().unwrap().len(), 6);
    assert_eq!(report["stats"]["notRelevant"], 1);
    assert_eq!(report["stats"]["events"], EVENTS.len());
    assert!(report["limits"][0].as_str().unwrap().contains("discarded"), "{report}");
}

#[test]
fn reports_agree_on_limits_and_single_violations() {
    let Some(dir) = programs() else { return };
    let report = agreed(&dir, &["--no-dedup"]);
    assert_eq!(report["violations"].as_array().unwrap().len(), 3);
    assert_eq!(report["satisfactions"].as_array().unwrap().len(), 3);
    let report = agreed(&dir, &["--max-instances", "1", "--max-violations", "1"]);
    let limits = report["limits"].as_array().unwrap();
    let is_hit = |text: &str| limits.iter().any(|l| l.as_str().unwrap().contains(text));
    assert!(is_hit("Ticket: 7 instances were discarded"), "{report}");
    assert!(is_hit("not listed"), "{report}");
    assert_eq!(report["properties"][0]["verdict"], "inconclusive");
    assert_eq!(report["violations"][0]["certain"], false);
}
