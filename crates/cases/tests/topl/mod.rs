//! Some case fails under every mistake a reader of TOPL could make: what is lowered wrongly is seen.
//!
//! Mistakes of the evaluator itself are the business of `mutants.rs`.

use std::collections::BTreeMap;

use watchword_cases::{Case, TraceLine, run};
use watchword_model::{
    Arity, Builtin, Event, Expr, Label, Model, Pattern, Property, UnaryOp, Value,
};
use watchword_monitor::reference::Reference;

use super::{cases, prepared};

/// A mistake: what it does to a model and to the events of a trace.
struct Mistake {
    name: &'static str,
    property: fn(&mut Property),
    event: fn(&mut Event, &mut u64),
}

fn leave(_: &mut Event, _: &mut u64) {}

const MISTAKES: &[Mistake] = &[
    Mistake { name: "observe is ignored", property: |p| filters(p, |_| None), event: leave },
    Mistake {
        name: "observe is not anchored",
        property: |p| filters(p, |f| Some(globs(f, &|glob| format!("*{glob}*")))),
        event: leave,
    },
    Mistake {
        name: "numbers of arguments are ignored",
        property: |p| labels(p, |l| l.arity = Arity::Any),
        event: leave,
    },
    Mistake {
        name: "the receiver does not count",
        property: |p| labels(p, |l| l.arity = fewer(l.arity)),
        event: leave,
    },
    Mistake {
        name: "labels see calls only",
        property: |p| p.transitions.iter_mut().for_each(|t| t.labels.truncate(1)),
        event: leave,
    },
    Mistake {
        name: "labels see returns only",
        property: |p| {
            p.transitions.iter_mut().for_each(|t| {
                t.labels.drain(..t.labels.len() - 1);
            });
        },
        event: leave,
    },
    Mistake {
        name: "the prefix is mandatory",
        property: |p| guards(p, |g| globs(g, &|glob| glob.replacen("{,", "{", 1))),
        event: leave,
    },
    Mistake {
        name: "the prefix is ignored",
        property: |p| guards(p, |g| globs(g, &|glob| without_prefix(glob))),
        event: leave,
    },
    Mistake { name: "negated methods are not", property: |p| guards(p, positive), event: leave },
    Mistake {
        name: "names are ignored",
        property: |p| guards(p, |g| globs(g, &|_| "*".to_string())),
        event: leave,
    },
    Mistake {
        name: "`!v` is anything",
        property: |p| {
            patterns(p, |x| {
                if matches!(x, Pattern::Differs(_)) {
                    *x = Pattern::Any
                }
            })
        },
        event: leave,
    },
    Mistake {
        name: "`!v` is `v`",
        property: |p| {
            patterns(p, |x| {
                if let Pattern::Differs(place) = x {
                    *x = Pattern::Equal(*place);
                }
            });
        },
        event: leave,
    },
    Mistake {
        name: "constants are anything",
        property: |p| {
            patterns(p, |x| {
                if matches!(x, Pattern::Const(_)) {
                    *x = Pattern::Any
                }
            })
        },
        event: leave,
    },
    Mistake {
        name: "comparisons are anything",
        property: |p| {
            patterns(p, |x| {
                if matches!(x, Pattern::Equal(_)) {
                    *x = Pattern::Any
                }
            })
        },
        event: leave,
    },
    Mistake {
        name: "every transition stays, too",
        property: |p| p.transitions.iter_mut().for_each(|t| t.keep = true),
        event: leave,
    },
    Mistake {
        name: "the first transition wins",
        property: |p| {
            let mut left = Vec::new();
            p.transitions.retain(|t| {
                let first = !left.contains(&t.source);
                left.push(t.source);
                first
            });
        },
        event: leave,
    },
    Mistake {
        name: "numbers are objects",
        property: |_| {},
        event: |event, fresh| {
            for arg in event.args.iter_mut().filter(|a| matches!(a, Value::Int(_))) {
                *fresh += 1;
                *arg = Value::object(*fresh);
            }
        },
    },
    Mistake {
        name: "methods go by their first name",
        property: |_| {},
        event: |event, _| {
            if let Some(Value::List(names)) = event.args.first()
                && let Some(first) = names.first().cloned()
            {
                event.args[0] = first;
            }
        },
    },
];

fn filters(property: &mut Property, change: impl Fn(&Expr) -> Option<Expr>) {
    for observed in &mut property.alphabet {
        observed.filter = observed.filter.as_ref().and_then(&change);
    }
}

fn labels(property: &mut Property, change: impl Fn(&mut Label)) {
    property.transitions.iter_mut().flat_map(|t| &mut t.labels).for_each(change);
}

fn guards(property: &mut Property, change: impl Fn(&Expr) -> Expr) {
    labels(property, |label| label.guard = label.guard.as_ref().map(&change));
}

fn patterns(property: &mut Property, change: impl Fn(&mut Pattern)) {
    labels(property, |label| label.args.iter_mut().for_each(&change));
}

/// The condition with other globs.
fn globs(condition: &Expr, change: &dyn Fn(&str) -> String) -> Expr {
    let inner = |e: &Expr| Box::new(globs(e, change));
    match condition {
        Expr::Unary(op, a) => Expr::Unary(*op, inner(a)),
        Expr::And(a, b) => Expr::And(inner(a), inner(b)),
        Expr::Or(a, b) => Expr::Or(inner(a), inner(b)),
        Expr::Builtin(Builtin::Matches, args) => match args.as_slice() {
            [subject, Expr::Const(Value::Str(glob))] => Expr::Builtin(
                Builtin::Matches,
                vec![subject.clone(), Expr::Const(Value::str(&change(glob)))],
            ),
            _ => condition.clone(),
        },
        other => other.clone(),
    }
}

fn positive(condition: &Expr) -> Expr {
    match condition {
        Expr::Unary(UnaryOp::Not, inner) => (**inner).clone(),
        Expr::And(a, b) => Expr::And(Box::new(positive(a)), Box::new(positive(b))),
        other => other.clone(),
    }
}

/// `{,p.,q.}m` without what stands in front.
fn without_prefix(glob: &str) -> String {
    match glob.strip_prefix("{,").and_then(|rest| rest.split_once(".}")) {
        Some((_, method)) => method.to_string(),
        None => glob.to_string(),
    }
}

fn notices(mistake: &Mistake, case: &Case, model: &Model, trace: &[TraceLine]) -> bool {
    let mut model = model.clone();
    model.properties.iter_mut().for_each(mistake.property);
    let mut fresh = 1 << 40;
    let trace: Vec<TraceLine> = trace
        .iter()
        .map(|line| {
            let mut line = line.clone();
            if let TraceLine::Event(event) = &mut line {
                (mistake.event)(event, &mut fresh);
            }
            line
        })
        .collect();
    let found = run(&trace, Reference::new(model.clone()));
    case.compare(&model, &found).is_err()
}

#[test]
fn every_mistake_of_a_reader_is_noticed() {
    let mut prepared_cases: Vec<(Case, Model, Vec<TraceLine>)> = Vec::new();
    for case in cases().into_iter().filter(|c| matches!(c.lang.as_str(), "topl" | "infer")) {
        if let Ok(Some((model, trace))) = prepared(&case) {
            prepared_cases.push((case, model, trace));
        }
    }
    let mut unseen = BTreeMap::new();
    for mistake in MISTAKES {
        let first = prepared_cases.iter().find(|(c, m, t)| notices(mistake, c, m, t));
        match first {
            Some((case, ..)) => println!("{:40} {}", mistake.name, case.title()),
            None => {
                unseen.insert(mistake.name, ());
            }
        }
    }
    assert!(unseen.is_empty(), "no case notices {:?}", unseen.keys().collect::<Vec<_>>());
}

/// One argument less.
fn fewer(arity: Arity) -> Arity {
    match arity {
        Arity::Any => Arity::Any,
        Arity::Exactly(n) => Arity::Exactly(n.saturating_sub(1)),
        Arity::AtLeast(n) => Arity::AtLeast(n.saturating_sub(1)),
    }
}
