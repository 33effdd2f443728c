//! Instances that are inside the program come to what they come to with breakpoints: the same violations,
//! with the same histories, however many threads step them.

use watchword_model::{Model, Value};
use watchword_native::{ArmNote, Backend, Found, Settings};
use watchword_testing::Random;

use crate::support::{Ran, compile, guarded, installed, model, run_unrecorded, soak, steps_of};

/// Events, with how their arguments are written in a label.
const EVENTS: [(&str, &str, &str); 6] = [
    (
        "entered",
        "(k, t: int, n: int, limit: int) = native before call enter with k = arg 0, t = thread, n = arg 1, limit = o->limit",
        "nl",
    ),
    (
        "left",
        "(k, t: int, r: int, small: int) = native after call leave with k = arg 0, t = thread, r = ret, small = o->small",
        "rs",
    ),
    ("moved", "(k, j, n: int) = native before call move with k = arg 0, j = arg 1, n = arg 2", "m"),
    ("reset", "(k) = native before call reset with k = arg 0", ""),
    ("numbered", "(k: int, n: int) = native after call numbered with k = arg 0, n = ret", "n"),
    ("counted", "(k: int, n: int) = native before call numbered with k = arg 1, n = arg 0", "n"),
];

/// What instances are of.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Object,
    ObjectAndThread,
    Number,
}

fn number(random: &mut Random) -> i64 {
    random.below(8) as i64 - 3
}

fn condition(random: &mut Random, names: &[&str], depth: usize) -> String {
    if depth > 0 && random.chance(40) {
        let (one, other) =
            (condition(random, names, depth - 1), condition(random, names, depth - 1));
        let op = if random.chance(60) { "and" } else { "or" };
        return format!("({one} {op} {other})");
    }
    let name = *random.pick(names);
    let number = number(random);
    match random.below(9) {
        0 => format!("{name} != null"),
        1 => format!("not ({name} > {number})"),
        2 => format!("6 / {name} == 3"),
        3 => format!("{name} >= {number}"),
        4 => format!("{name} < {number}"),
        5 => format!("holds > {}", random.below(3)),
        6 => format!("{name} != holds"),
        7 => format!("holds == {}", random.below(3)),
        _ => format!("{name} == {number}"),
    }
}

fn label(random: &mut Random, event: usize, of: Of) -> (String, Vec<&'static str>) {
    let (name, _, kind) = EVENTS[event];
    let t = if of == Of::ObjectAndThread { "t" } else { "_" };
    match kind {
        "nl" => (format!("{name}(k, {t}, ?n, ?limit)"), vec!["n", "limit"]),
        "rs" => match random.below(3) {
            0 => (format!("{name}(k, {t}, {}, ?small)", number(random) * 3 - 2), vec!["small"]),
            _ => (format!("{name}(k, {t}, ?r, ?small)"), vec!["r", "small"]),
        },
        "m" => match random.below(4) {
            0 => (format!("{name}(k, _, ?n)"), vec!["n"]),
            1 => (format!("{name}(_, k, ?n)"), vec!["n"]),
            2 => (format!("{name}(k, k, ?n)"), vec!["n"]),
            _ => (format!("{name}(k, ?j, ?n)"), vec!["n"]),
        },
        "n" => (format!("{name}(k, ?n)"), vec!["n"]),
        _ => (format!("{name}(k)"), Vec::new()),
    }
}

fn transition(random: &mut Random, event: usize, of: Of, is_start: bool) -> String {
    let (label, names) = label(random, event, of);
    // What does not name the thread concerns all instances of the object.
    if of == Of::ObjectAndThread && EVENTS[event].2.is_empty() && is_start {
        return format!("on {label} {{ holds = 0 }}");
    }
    let mut all = names;
    let guard = match all.is_empty() || random.chance(30) {
        true => String::new(),
        false => {
            all.push("holds");
            format!(" if {}", condition(random, &all, 2))
        }
    };
    let update = match random.below(6) {
        0 | 1 => " { holds += 1 }",
        2 => " { holds -= 1 }",
        3 => " { holds = 0 }",
        4 if random.chance(20) => " { holds = holds * 2 }",
        _ => "",
    };
    match (random.below(9), update.is_empty()) {
        (0 | 1, false) => format!("on {label}{guard}{update}"),
        (2, _) if random.chance(20) => format!("on {label}{guard} -> drop"),
        _ => {
            let to = *random.pick(&["A", "B", "C", "A", "B", "C", "D"]);
            format!("on {label}{guard}{update} -> {to}")
        }
    }
}

fn property(random: &mut Random) -> (String, Of) {
    let of = *random.pick(&[Of::Object, Of::ObjectAndThread, Of::Number]);
    let possible: &[usize] = match of {
        Of::Object => &[0, 1, 2, 3],
        Of::ObjectAndThread => &[0, 1, 3],
        Of::Number => &[4, 5],
    };
    let mut events: Vec<usize> = possible.iter().copied().filter(|_| random.chance(60)).collect();
    if events.iter().all(|e| *e == 3) {
        events.push(possible[0]);
    }
    let mut text = String::new();
    for event in &events {
        text.push_str(&format!("event {}{}\n", EVENTS[*event].0, EVENTS[*event].1));
    }
    let params = if of == Of::ObjectAndThread { "k, t" } else { "k" };
    text.push_str(&format!("property P({params}) {{\n  var holds: int = 0\n"));
    for (i, state) in ["A", "B", "C"].iter().enumerate() {
        let kind = match i {
            0 => "start state",
            2 if random.chance(30) => "pending state",
            _ => "state",
        };
        text.push_str(&format!("  {kind} {state} {{\n"));
        for event in &events {
            for _ in 0..1 + random.below(2) {
                let transition = transition(random, *event, of, i == 0);
                text.push_str(&format!("    {transition}\n"));
            }
        }
        // All states can be reached.
        let named = *events.iter().find(|e| of == Of::Number || **e != 3).unwrap();
        let (label, names) = label(random, named, of);
        let guard = names.first().map(|n| format!(" if {n} == {}", number(random)));
        let to = ["B", "C", "D"][i];
        text.push_str(&format!("    on {label}{} -> {to}\n  }}\n", guard.unwrap_or_default()));
    }
    text.push_str("  bad state D\n}\n");
    (text, of)
}

/// What was found, without what differs from run to run, in an order that does not depend on threads.
fn shown(found: &[Found], model: &Model) -> Vec<String> {
    let value = |event: watchword_model::EventId, at: usize, value: &Value| {
        let is_thread = model.events[event.index()].params[at].name == "t";
        match value {
            Value::Ptr(_) => "…".to_string(),
            _ if is_thread => "…".to_string(),
            other => other.to_string(),
        }
    };
    let line = |found: &Found| {
        let report = &found.report;
        let steps = steps_of(report, &value);
        let threads: std::collections::HashSet<_> =
            report.history.iter().map(|step| step.thread).collect();
        let (kind, cut) = (report.kind, report.cut);
        format!("{kind:?} {:?} {cut} {} threads {steps:?}", report.state, threads.len())
    };
    let mut all: Vec<String> = found.iter().map(line).collect();
    all.sort();
    all
}

/// Whether the instances of the property were inside the program.
fn is_inside(ran: &Ran) -> bool {
    ran.notes.iter().any(|note| matches!(note, ArmNote::Resident { stays: None, .. }))
}

#[test]
fn instances_inside_the_program_come_to_the_same() {
    guarded(500, || {
        let programs = [
            compile("resident.c", &["-O1", "-falign-functions=32"]),
            compile("resident.c", &["-O0", "-falign-functions=32"]),
        ];
        let rounds = if soak() { 1000 } else { 40 };
        let (mut violations, mut inside) = (0, 0);
        for seed in 0..rounds {
            let mut random = Random::new(seed);
            let (text, _) = property(&mut random);
            let model = model(&text);
            let program = random.pick(&programs);
            let threads = random.pick(&["1", "4"]).to_string();
            let history = *random.pick(&[0, 1, 3, 10]);
            let args = [seed.to_string(), "200".to_string(), threads];
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let settings =
                |backend, dynamic| Settings { backend, dynamic, history, ..Settings::default() };
            let expected = run_unrecorded(program, &args, &model, settings(Backend::Int3, false));
            let got = run_unrecorded(program, &args, &model, settings(Backend::Inject, true));
            assert_eq!(
                shown(&got.found, &model),
                shown(&expected.found, &model),
                "seed {seed} {args:?} {history}\n{text}"
            );
            assert_eq!(got.violations, expected.violations, "seed {seed}\n{text}");
            assert_eq!(got.not_relevant, expected.not_relevant, "seed {seed}\n{text}");
            assert_eq!(got.status.shell_code(), expected.status.shell_code());
            violations += expected.violations;
            inside += usize::from(is_inside(&got));
        }
        assert!(violations > 100 && inside as u64 > rounds / 2, "{violations}, {inside}");
    });
}

#[test]
fn callers_are_asked_for_once_and_realloc_moves_instances_out() {
    guarded(300, || {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../properties/posix");
        let text = std::fs::read_to_string(format!("{folder}/double-free.ww")).unwrap();
        let model = model(&text);
        let programs: [(&str, &[&str]); 3] = [
            (
                "sqlite3",
                &[
                    ":memory:",
                    "create table t(x); insert into t values (1), (2); select sum(x) from t;",
                ],
            ),
            ("python3", &["-S", "-c", "print(sum(len(str(i)) for i in range(3000)))"]),
            ("sort", &["-r", "/etc/passwd"]),
        ];
        for (name, args) in programs {
            let Some(program) = installed(name) else { continue };
            let settings = |backend, dynamic| Settings { backend, dynamic, ..Settings::default() };
            let expected = run_unrecorded(&program, args, &model, settings(Backend::Int3, false));
            let got = run_unrecorded(&program, args, &model, settings(Backend::Inject, true));
            assert!(is_inside(&got), "{name}");
            assert_eq!(got.status.shell_code(), expected.status.shell_code());
            assert_eq!(got.output, expected.output, "{name}");
            assert_eq!(got.violations, expected.violations, "{name}");
            // Addresses decide which events there are, and hardly change the number of them.
            let (a, b) = (expected.of_world()[0], got.of_world()[0]);
            assert!(a.abs_diff(b) * 100 <= a, "{name}: {a} and {b} allocations");
        }
    });
}
