//! Formulas with bounds of time, as the engine and the reference monitor them, against their
//! meaning on finite words whose letters have times.

use watchword_model::{Event, Model, Value};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Options};
use watchword_spec::{SourceFile, load};
use watchword_testing::Random;

/// A letter and its time in seconds.
type Word = [(usize, i64)];

const EVENTS: [&str; 3] = ["a", "b", "c"];

/// A formula of the kinds that have bounds of time.
#[derive(Clone, Debug)]
enum Metric {
    /// `a implies eventually within D b`
    Eventually { cause: usize, effect: usize, within: i64 },
    /// `a implies not c until within D b`
    Until { cause: usize, not: usize, effect: usize, within: i64 },
    /// `a implies always between C and D not b`, with `within` if C is 0, and `after` without D
    Always { cause: usize, not: usize, from: i64, to: Option<i64> },
    /// `a implies once between C and D b`
    Once { cause: usize, effect: usize, from: i64, to: Option<i64> },
    /// `a implies historically between C and D not b`
    Historically { cause: usize, not: usize, from: i64, to: Option<i64> },
    /// `a implies previous b`, which has none
    Previous { cause: usize, effect: usize },
}

fn bound(from: i64, to: Option<i64>) -> String {
    match to {
        None => format!("after {from} s"),
        Some(to) if from == 0 => format!("within {to} s"),
        Some(to) => format!("between {from} s and {to} s"),
    }
}

impl Metric {
    fn random(random: &mut Random, promise: bool) -> Metric {
        let mut event = || random.below(3);
        let (cause, effect, not) = (event(), event(), event());
        let from = random.below(4) as i64;
        let to = (random.below(4) > 0).then(|| from + random.below(4) as i64);
        let within = random.below(5) as i64;
        match random.below(if promise { 6 } else { 3 }) {
            0 => Metric::Always { cause, not, from, to },
            1 => Metric::Once { cause, effect, from, to },
            2 => Metric::Historically { cause, not, from, to },
            3 => Metric::Previous { cause, effect },
            4 => Metric::Eventually { cause, effect, within },
            _ => Metric::Until { cause, not, effect, within },
        }
    }

    fn text(&self) -> String {
        let name = |event: usize| EVENTS[event];
        match *self {
            Metric::Eventually { cause, effect, within } => {
                format!("{} implies eventually within {within} s {}", name(cause), name(effect))
            }
            Metric::Until { cause, not, effect, within } => {
                let (cause, not, effect) = (name(cause), name(not), name(effect));
                format!("{cause} implies (not {not} until within {within} s {effect})")
            }
            Metric::Always { cause, not, from, to } => {
                format!("{} implies always {} not {}", name(cause), bound(from, to), name(not))
            }
            Metric::Once { cause, effect, from, to } => {
                format!("{} implies once {} {}", name(cause), bound(from, to), name(effect))
            }
            Metric::Historically { cause, not, from, to } => {
                let (cause, not) = (name(cause), name(not));
                format!("{cause} implies historically {} not {not}", bound(from, to))
            }
            Metric::Previous { cause, effect } => {
                format!("{} implies previous {}", name(cause), name(effect))
            }
        }
    }

    /// Whether a word that is known up to its last letter breaks `always` of it.
    fn is_broken(&self, word: &Word) -> bool {
        let now = word.last().map_or(0, |(_, time)| *time);
        let is_in = |passed: i64, from: i64, to: Option<i64>| {
            passed >= from && to.is_none_or(|to| passed <= to)
        };
        (0..word.len()).any(|at| {
            let (letter, time) = word[at];
            let (before, later) = (&word[..=at], &word[at..]);
            match *self {
                Metric::Eventually { cause, effect, within } => {
                    let kept = later.iter().any(|(l, t)| *l == effect && t - time <= within);
                    letter == cause && !kept && now - time > within
                }
                Metric::Until { cause, not, effect, within } => {
                    let ends = later
                        .iter()
                        .position(|(l, t)| *l == effect || *l == not || t - time > within);
                    let ended = ends.map(|end| later[end]);
                    letter == cause && ended.is_some_and(|(l, t)| l != effect || t - time > within)
                }
                Metric::Always { cause, not, from, to } => {
                    let met = later.iter().any(|(l, t)| *l == not && is_in(t - time, from, to));
                    letter == cause && met
                }
                Metric::Once { cause, effect, from, to } => {
                    let met = before.iter().any(|(l, t)| *l == effect && is_in(time - t, from, to));
                    letter == cause && !met
                }
                Metric::Historically { cause, not, from, to } => {
                    let met = before.iter().any(|(l, t)| *l == not && is_in(time - t, from, to));
                    letter == cause && met
                }
                Metric::Previous { cause, effect } => {
                    letter == cause && (at == 0 || word[at - 1].0 != effect)
                }
            }
        })
    }
}

fn model(text: &str) -> Model {
    let text = format!(
        "event a(x)\nevent b(x)\nevent c(x)\nproperty P(x) {{\n  also a, b, c\n  ltl {text}\n}}\n"
    );
    let loaded = load(&[SourceFile::new("p.ww", &text)], &|_, path| Err(format!("no {path}")));
    let Some(model) = loaded.model else { panic!("{text}\n{:#?}", loaded.diagnostics) };
    model
}

#[test]
fn bounds_of_time_mean_what_they_say() {
    let mut random = Random::new(11);
    let (mut broken, mut kept, mut promises) = (0, 0, 0);
    for round in 0..6_000 {
        let first = Metric::random(&mut random, true);
        // A formula makes one promise.
        let second = (round % 3 == 0).then(|| Metric::random(&mut random, false));
        let parts: Vec<Metric> = [first].into_iter().chain(second).collect();
        let texts: Vec<String> = parts.iter().map(|p| format!("always ({})", p.text())).collect();
        let model = model(&texts.join(" and "));
        let mut time = 0;
        let word: Vec<(usize, i64)> = (0..random.below(9))
            .map(|_| {
                time += random.below(4) as i64;
                (random.below(3), time)
            })
            .collect();
        let is_broken = |length: usize| parts.iter().any(|part| part.is_broken(&word[..length]));
        let expected = (1..=word.len()).find(|length| is_broken(*length));
        let mut reference = Reference::new(model.clone());
        let mut engine = Engine::new(&model, Options::default());
        let mut found = [None, None];
        for (at, (letter, time)) in word.iter().enumerate() {
            let mut event = Event::new(model.event(EVENTS[*letter]).unwrap(), vec![Value::Int(1)]);
            event.time = Some(time * 1_000_000_000);
            reference.step(&event).expect("time runs forwards");
            engine.step_owned(&event).expect("time runs forwards");
            let reported = [!reference.reports().is_empty(), engine.has_reports()];
            for (found, reported) in found.iter_mut().zip(reported) {
                if found.is_none() && reported {
                    *found = Some(at + 1);
                }
            }
        }
        let why = format!("round {round}: {} on {word:?}", texts.join(" and "));
        assert_eq!(found, [expected, expected], "{why}");
        broken += usize::from(expected.is_some());
        kept += usize::from(expected.is_none());
        let is_promise = |p: &Metric| matches!(p, Metric::Eventually { .. } | Metric::Until { .. });
        promises += usize::from(is_promise(&parts[0]) && expected.is_some());
    }
    println!("{broken} broken, {kept} kept, {promises} broken promises");
    assert!(broken > 1_500 && kept > 1_500 && promises > 400);
}

/// A formula about the past: any operator, with or without a bound, over events and a window.
#[derive(Clone, Debug)]
enum Past {
    Event(usize),
    /// More than so many `b` in the last three seconds.
    Many(usize),
    Not(Box<Past>),
    And(Box<Past>, Box<Past>),
    Or(Box<Past>, Box<Past>),
    Previous(Bounds, Box<Past>),
    Once(Bounds, Box<Past>),
    Historically(Bounds, Box<Past>),
    Since(Bounds, Box<Past>, Box<Past>),
}

/// At least and at most so many seconds ago; `None` without a bound.
type Bounds = Option<(i64, Option<i64>)>;

impl Past {
    fn random(random: &mut Random, size: usize) -> Past {
        if size == 0 {
            return match random.below(7) {
                0 => Past::Many(random.below(3)),
                n => Past::Event(n % 3),
            };
        }
        let choice = random.below(9);
        let seconds = random.below(4) as i64;
        let within = Some((0, Some(seconds)));
        let bounds = match random.below(4) {
            0 => None,
            1 => Some((seconds, None)),
            2 if choice == 5 => Some((seconds, Some(seconds + random.below(3) as i64))),
            _ => within,
        };
        let mut sub = |size: usize| Box::new(Past::random(random, size));
        match choice {
            0 => Past::Not(sub(size - 1)),
            1 | 2 => Past::And(sub(size / 2), sub((size - 1) / 2)),
            3 | 4 => Past::Or(sub(size / 2), sub((size - 1) / 2)),
            5 => Past::Previous(bounds, sub(size - 1)),
            6 => Past::Once(bounds, sub(size - 1)),
            7 => Past::Historically(bounds, sub(size - 1)),
            _ => {
                let bounds = if bounds.is_some() { within } else { None };
                Past::Since(bounds, sub(size / 2), sub((size - 1) / 2))
            }
        }
    }

    fn text(&self) -> String {
        let word = |word: &str, bounds: &Bounds| match bounds {
            None => word.to_string(),
            Some((from, to)) => format!("{word} {}", bound(*from, *to)),
        };
        match self {
            Past::Event(event) => EVENTS[*event].to_string(),
            Past::Many(n) => format!("any if (w > {n})"),
            Past::Not(a) => format!("not ({})", a.text()),
            Past::And(a, b) => format!("(({}) and ({}))", a.text(), b.text()),
            Past::Or(a, b) => format!("(({}) or ({}))", a.text(), b.text()),
            Past::Previous(bounds, a) => format!("{} ({})", word("previous", bounds), a.text()),
            Past::Once(bounds, a) => format!("{} ({})", word("once", bounds), a.text()),
            Past::Historically(bounds, a) => {
                format!("{} ({})", word("historically", bounds), a.text())
            }
            Past::Since(bounds, a, b) => {
                format!("(({}) {} ({}))", a.text(), word("since", bounds), b.text())
            }
        }
    }

    /// Whether it is true at the last letter, by the definitions of the operators.
    fn is_true(&self, word: &Word) -> bool {
        let (last, now) = word[word.len() - 1];
        let is_in = |bounds: &Bounds, at: usize| {
            let passed = now - word[at].1;
            bounds.is_none_or(|(from, to)| passed >= from && to.is_none_or(|to| passed <= to))
        };
        let at = |f: &Past, at: usize| f.is_true(&word[..=at]);
        match self {
            Past::Event(event) => last == *event,
            Past::Many(n) => word.iter().filter(|(l, t)| *l == 1 && now - t <= 3).count() > *n,
            Past::Not(a) => !a.is_true(word),
            Past::And(a, b) => a.is_true(word) && b.is_true(word),
            Past::Or(a, b) => a.is_true(word) || b.is_true(word),
            Past::Previous(bounds, a) => word
                .len()
                .checked_sub(2)
                .is_some_and(|before| is_in(bounds, before) && at(a, before)),
            Past::Once(bounds, a) => (0..word.len()).any(|i| is_in(bounds, i) && at(a, i)),
            Past::Historically(bounds, a) => (0..word.len()).all(|i| !is_in(bounds, i) || at(a, i)),
            Past::Since(bounds, a, b) => (0..word.len()).any(|i| {
                is_in(bounds, i) && at(b, i) && (i + 1..word.len()).all(|later| at(a, later))
            }),
        }
    }
}

#[test]
fn bounds_of_time_hold_for_any_formula_about_the_past() {
    let mut random = Random::new(23);
    let (mut broken, mut kept, mut loaded) = (0, 0, 0);
    for round in 0..6_000 {
        let size = 1 + random.below(6);
        let formula = Past::random(&mut random, size);
        let text = format!(
            "event a(x)\nevent b(x)\nevent c(x)\nproperty P(x) {{\n  also a, b, c\n  \
             window w = count b within 3 s\n  ltl always (a implies {})\n}}\n",
            formula.text()
        );
        let read = load(&[SourceFile::new("p.ww", &text)], &|_, path| Err(format!("no {path}")));
        let Some(model) = read.model else {
            // At most six conditions of an event, and `once between` of events only.
            let said: Vec<_> = read.diagnostics.iter().map(|d| d.message.clone()).collect();
            let known = |m: &String| m.contains("may match at the same time");
            assert!(said.iter().all(known), "{text}\n{said:?}");
            continue;
        };
        loaded += 1;
        // Events of two slices, of which each has its own times.
        let mut time = 0;
        let trace: Vec<(i64, usize, i64)> = (0..random.below(14))
            .map(|_| {
                time += random.below(3) as i64;
                (random.below(2) as i64, random.below(3), time)
            })
            .collect();
        let mut reference = Reference::new(model.clone());
        let mut engine = Engine::new(&model, Options::default());
        let mut found = [[None; 2]; 2];
        for (slice, letter, time) in &trace {
            let mut event =
                Event::new(model.event(EVENTS[*letter]).unwrap(), vec![Value::Int(*slice)]);
            event.time = Some(time * 1_000_000_000);
            reference.step(&event).expect("time runs forwards");
            engine.step_owned(&event).expect("time runs forwards");
        }
        let reports = [reference.reports().to_vec(), engine.take_reports()];
        for (found, reports) in found.iter_mut().zip(&reports) {
            for report in reports {
                let Value::Int(slice) = report.binding[0].1 else { panic!("{report:?}") };
                found[slice as usize].get_or_insert(report.index);
            }
        }
        let mut expected = [None; 2];
        for (slice, expected) in expected.iter_mut().enumerate() {
            let own: Vec<usize> =
                (0..trace.len()).filter(|i| trace[*i].0 == slice as i64).collect();
            let word: Vec<(usize, i64)> = own.iter().map(|i| (trace[*i].1, trace[*i].2)).collect();
            *expected = (1..=word.len())
                .find(|length| {
                    let word = &word[..*length];
                    word[length - 1].0 == 0 && !formula.is_true(word)
                })
                .map(|length| own[length - 1] as u64 + 1);
        }
        assert_eq!(found, [expected, expected], "round {round}: {text} on {trace:?}");
        broken += usize::from(expected != [None, None]);
        kept += usize::from(expected == [None, None]);
    }
    println!("{loaded} formulas, {broken} broken, {kept} kept");
    assert!(loaded > 5_000 && broken > 1_500 && kept > 1_500, "{loaded}, {broken}, {kept}");
}

#[test]
fn what_is_promised_elsewhere_is_refused() {
    for (formula, message) in [
        ("eventually within 5 s a", "not below `always` alone"),
        ("always (a implies next eventually within 5 s b)", "not below `always` alone"),
        ("always (a implies eventually within 5 s b or always c)", "not below `always` alone"),
        (
            "always (a implies eventually within 5 s b) and always (b implies eventually within 5 s c)",
            "one promise",
        ),
        ("always (a implies eventually between 1 s and 5 s b)", "no lower bound"),
        ("always (a implies (always within 5 s b) or c)", "does not follow"),
        (
            "always (a implies eventually within 5 s b) and always (c implies previous a)",
            "depends on earlier events",
        ),
        ("not always (a implies eventually within 5 s b)", "not below `always` alone"),
    ] {
        let text =
            format!("event a(x)\nevent b(x)\nevent c(x)\nproperty P(x) {{ ltl {formula} }}\n");
        let loaded = load(&[SourceFile::new("p.ww", &text)], &|_, path| Err(format!("no {path}")));
        assert!(loaded.model.is_none(), "{formula}");
        let said: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert!(said.iter().any(|m| m.contains(message)), "{formula}: {said:?}");
    }
}
