//! Events that are left out because no transition fits them are missed by nobody: verdicts and histories
//! are those of breakpoints that tell all of them.

use watchword_model::{Model, Value};
use watchword_native::{Backend, Found, Settings};
use watchword_testing::Random;

use crate::support::{compile, guarded, model, run_unrecorded, soak, steps_of};

const EVENTS: &str = "
event owned(k, a: int, b: int, x: int, t: int) = native before call taken with k = arg 0, a = arg 1, b = arg 2, x = o->owner, t = thread
event tiny(k, a: int, x: int) = native before call taken with k = arg 0, a = arg 1, x = o->tiny
event small(k, c: int, x: int) = native before call given with k = arg 0, c = arg 1, x = o->small
event wide(k, d: int, x: int) = native after call given with k = arg 0, d = arg 2, x = o->wide
event back(k, r: int) = native after call given with k = arg 0, r = ret
";
/// The names of the events, and of their arguments after the first.
const NAMES: [(&str, &[&str]); 5] = [
    ("owned", &["a", "b", "x", "t"]),
    ("tiny", &["a", "x"]),
    ("small", &["c", "x"]),
    ("wide", &["d", "x"]),
    ("back", &["r"]),
];

/// A number that an argument may have, or just not.
fn number(random: &mut Random, name: &str, event: &str) -> i64 {
    match (event, name) {
        ("small", "x") => *random.pick(&[65533, 65534, 65535, 0, 1, -1]),
        (_, "d") => *random.pick(&[254, 255, 0, 1, -1]),
        ("back", _) => *random.pick(&[-254, -255, -253, 0, 1]),
        _ => random.below(7) as i64 - 3,
    }
}

fn condition(random: &mut Random, event: &str, names: &[&str], depth: usize) -> String {
    if depth > 0 && random.chance(50) {
        let one = condition(random, event, names, depth - 1);
        let other = condition(random, event, names, depth - 1);
        let op = if random.chance(75) { "and" } else { "or" };
        return format!("({one} {op} {other})");
    }
    let name = *random.pick(names);
    let number = number(random, name, event);
    let has_both = names.contains(&"x") && names.contains(&"t");
    match random.below(8) {
        0 => format!("{name} != null"),
        1 if has_both => "x == t".into(),
        2 if has_both => "t == x".into(),
        3 => format!("{name} != {number}"),
        4 => format!("{name} > {number}"),
        5 => format!("{number} == {name}"),
        6 => format!("6 / {name} == 3"),
        _ => format!("{name} == {number}"),
    }
}

fn transition(random: &mut Random, event: usize) -> String {
    let (event, names) = NAMES[event];
    let args: Vec<String> = names
        .iter()
        .map(|name| match random.below(4) {
            0 if *name != "t" => number(random, name, event).to_string(),
            _ => format!("?{name}"),
        })
        .collect();
    let bound: Vec<&str> =
        names.iter().zip(&args).filter(|(_, a)| a.starts_with('?')).map(|(n, _)| *n).collect();
    let guard = match bound.is_empty() || random.chance(25) {
        true => String::new(),
        false => format!(" if {}", condition(random, event, &bound, 2)),
    };
    let to = *random.pick(&["A", "B", "C", "D", "D"]);
    format!("on {event}(k, {}){guard} -> {to}", args.join(", "))
}

fn property(random: &mut Random) -> String {
    let mut text = format!("{EVENTS}property P(k) {{\n");
    let events: Vec<usize> = (0..NAMES.len()).filter(|_| random.chance(60)).collect();
    let events = if events.is_empty() { vec![0] } else { events };
    for (i, state) in ["A", "B", "C"].iter().enumerate() {
        let kind = if i == 0 { "start state" } else { "state" };
        text.push_str(&format!("  {kind} {state} {{\n"));
        for event in &events {
            for _ in 0..random.below(3) {
                text.push_str(&format!("    {}\n", transition(random, *event)));
            }
        }
        // All states can be reached.
        let way = transition(random, events[0]);
        let (on, _) = way.rsplit_once("->").unwrap();
        text.push_str(&format!("    {on}-> {}\n", ["B", "C", "D"][i]));
        text.push_str("  }\n");
    }
    text.push_str("  bad state D\n}\n");
    text
}

/// What was found, without what differs from run to run.
fn shown(found: &[Found], model: &Model) -> Vec<String> {
    let value = |event: watchword_model::EventId, at: usize, value: &Value| {
        let name = model.events[event.index()].params[at].name.as_str();
        let differs = matches!(value, Value::Ptr(_)) || name == "t";
        // An owner is nobody, or depends on the run.
        let is_owner = model.events[event.index()].name == "owned" && name == "x";
        match value {
            Value::Int(n) if is_owner => (*n != 0).to_string(),
            _ if differs => "…".into(),
            other => other.to_string(),
        }
    };
    let line = |found: &Found| {
        let report = &found.report;
        let steps = steps_of(report, &value);
        format!("{:?} {:?} {} {steps:?}", report.kind, report.state, report.cut)
    };
    found.iter().map(line).collect()
}

#[test]
fn what_fits_no_transition_is_missed_by_nobody() {
    guarded(300, || {
        let programs = [compile("fitting.c", &["-O1"]), compile("fitting.c", &["-O0"])];
        let rounds = if soak() { 1000 } else { 30 };
        let (mut all, mut told, mut violations, mut inside) = (0, 0, 0, 0);
        for seed in 0..rounds {
            let mut random = Random::new(seed);
            let text = property(&mut random);
            let model = model(&text);
            let program = random.pick(&programs);
            let args = [seed.to_string()];
            let args = [args[0].as_str()];
            let settings = |backend, dynamic| Settings { backend, dynamic, ..Settings::default() };
            let expected = run_unrecorded(program, &args, &model, settings(Backend::Int3, false));
            let got = run_unrecorded(program, &args, &model, settings(Backend::Inject, true));
            assert_eq!(
                shown(&got.found, &model),
                shown(&expected.found, &model),
                "seed {seed}\n{text}"
            );
            assert_eq!(got.violations, expected.violations, "seed {seed}\n{text}");
            assert_eq!(got.not_relevant, expected.not_relevant, "seed {seed}\n{text}");
            assert_eq!(got.status.shell_code(), expected.status.shell_code());
            all += expected.of_world().iter().sum::<u64>();
            told += got.of_world().iter().sum::<u64>();
            violations += expected.violations;
            inside += usize::from(got.trampolines > 0);
        }
        assert!(violations > 0 && inside as u64 > rounds / 2, "{violations}, {inside}");
        assert!(told < all, "{told} of {all} events were told");
    });
}
