//! Two properties of the same objects, the state of one in the objects, of the other in the engine:
//! neither gets in the other's way.

use std::fmt::Write;

use watchword_cases::Case;
use watchword_cases::fuzz::Random;

use super::cases::{Driver, Things, check_all, driver};
use super::jdks;
use crate::support::Dir;

const EVENTS: &str = "
event a(x)
event b(x)
event c(x)
event pair(x, y)
event ping()
";

/// What a property has that its state cannot be in the objects.
#[derive(Clone, Copy, Debug)]
enum Why {
    Pending,
    Within,
    End,
    Ping,
    TwoParameters,
}

const WHYS: [Why; 5] = [Why::Pending, Why::Within, Why::End, Why::Ping, Why::TwoParameters];

fn case(name: &str, property: String, trace: String) -> Case {
    Case {
        name: name.into(),
        about: String::new(),
        property,
        lang: "ww".into(),
        functions: String::new(),
        set: Vec::new(),
        bind: Vec::new(),
        trace,
        expect: Vec::new(),
        refused: None,
        printed: None,
        not_relevant: None,
        inconclusive: Vec::new(),
        file: "pairs".into(),
    }
}

/// The transitions of a state: some of these labels, to some of the states.
fn transitions(random: &mut Random, labels: &[&str], states: usize) -> String {
    let mut text = String::new();
    for label in labels {
        if random.below(3) < 2 {
            let _ = write!(text, " on {label} -> S{}", random.below(states));
        }
    }
    text
}

/// A property about states only: of one object, or of two that an event brings together.
fn of_states(random: &mut Random) -> String {
    let (head, labels): (&str, &[&str]) = match random.below(3) {
        0 => ("I(x, y) { creation pair\n", &["pair(x, y)", "a(y)", "b(y)"]),
        1 => ("I(x) {\n", &["a(x)", "b(x)", "c(x)"]),
        _ => ("I(x) {\n", &["a(x)", "b(x)"]),
    };
    let states = 3 + random.below(2);
    let mut text = format!("property {head}");
    for state in 0..states {
        let kind = match state {
            0 => "start ",
            s if s + 1 == states => "bad ",
            _ => "",
        };
        let leads = transitions(random, labels, states);
        let _ = writeln!(text, "{kind}state S{state} {{{leads} }}");
    }
    text + "}\n"
}

/// A property whose state is in the engine.
fn of_the_engine(random: &mut Random, why: Why) -> String {
    let (head, labels): (&str, &[&str]) = match why {
        Why::Ping => ("E(x) { also ping\n", &["b(x)", "c(x)"]),
        Why::TwoParameters => ("E(x, y) {\n", &["b(x)", "c(y)", "pair(x, y)"]),
        _ => ("E(x) {\n", &["b(x)", "c(x)"]),
    };
    // The first state has its own transition of the first label.
    let lines = [&labels[1..], labels, labels].map(|labels| transitions(random, labels, 3));
    let (pending, within, end) = match why {
        Why::Pending => ("pending ", "", ""),
        // Long enough that it does not come to that.
        Why::Within => ("", " within 1000 s else S2", ""),
        Why::End => ("", "", " on end -> S2"),
        Why::Ping | Why::TwoParameters => ("", "", ""),
    };
    format!(
        "property {head}start state S0 {{ on b(x) -> S1{} }}
{pending}state S1{within} {{{}{end} }}
bad state S2 {{{} }}\n}}\n",
        lines[0], lines[1], lines[2]
    )
}

fn trace(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..60 {
        let (x, y) = (1 + random.below(4), 5 + random.below(2));
        // Also the children of pairs have events of their own.
        let one = if random.below(3) == 0 { y } else { x };
        let _ = match random.below(8) {
            0 => writeln!(text, "pair(#{x}, #{y})"),
            1 => writeln!(text, "ping()"),
            2 | 3 => writeln!(text, "a(#{one})"),
            4 | 5 => writeln!(text, "b(#{one})"),
            _ => writeln!(text, "c(#{one})"),
        };
    }
    text
}

/// The program of a case, if the state of its properties is in both places.
fn in_both(case: &Case, number: usize, things: Things) -> Option<(String, Driver)> {
    let name = format!("Pair{number}");
    let driver = driver(case, &name, things).filter(|driver| driver.in_both)?;
    Some((name, driver))
}

#[test]
fn random_pairs_do_not_disturb_each_other() {
    let Some(jdk) = jdks().first() else { return };
    let mut random = Random(20);
    let mut drivers = Vec::new();
    for why in WHYS {
        let mut left = 4;
        for attempt in 0..100 {
            let (one, other) = (of_states(&mut random), of_the_engine(&mut random, why));
            let both = if random.below(2) == 0 { one + &other } else { other + &one };
            let title = format!("{why:?} {attempt}");
            let case = case(&title, format!("{EVENTS}{both}"), trace(&mut random));
            let things = if random.below(4) == 0 { Things::Bare } else { Things::Own };
            drivers.extend(in_both(&case, drivers.len(), things).inspect(|_| left -= 1));
            if left == 0 {
                break;
            }
        }
        assert_eq!(left, 0, "{why:?}: too few pairs can be run");
    }
    check_all(&Dir::new(), jdk, &drivers);
}

/// An event that only the engine wants left an object where the property in it begins: a violation
/// was lost, or told twice.
#[test]
fn an_event_for_the_engine_leaves_the_object_alone() {
    let Some(jdk) = jdks().first() else { return };
    let engine =
        "property E(x) { start state S { on b(x) -> T } pending state T { on b(x) -> S } }";
    let lost = "property I(x) { never a a }";
    let twice = "property I(x) { start state S { on a(x) -> B } bad state B }";
    let mut drivers = Vec::new();
    for own in [lost, twice] {
        for things in [Things::Own, Things::Bare] {
            let text = format!("event a(x)\nevent b(x)\n{own}\n{engine}\n");
            let case = case("fixed", text, "a(#1)\nb(#1)\na(#1)\n".into());
            drivers.extend(in_both(&case, drivers.len(), things));
        }
    }
    assert_eq!(drivers.len(), 4);
    check_all(&Dir::new(), jdk, &drivers);
}
