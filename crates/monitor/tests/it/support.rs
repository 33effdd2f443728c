//! What all tests here need.

use watchword_model::{Creation, Event, Model};
use watchword_monitor::{Engine, Report};
use watchword_plan::Shape;
use watchword_spec::{Diagnostic, SourceFile, load};

/// How many cases the main comparison runs in CI.
const ROUNDS: u64 = 30_000;

/// How many cases it runs now: `WATCHWORD_FUZZ`, or CI's.
fn rounds() -> u64 {
    match std::env::var("WATCHWORD_FUZZ") {
        Ok(rounds) => rounds.parse().expect("WATCHWORD_FUZZ is a number of rounds"),
        Err(_) => ROUNDS,
    }
}

/// The seeds of a test that runs `count` cases in CI. Beyond CI's share they are other ones.
pub fn seeds(count: u64) -> std::ops::Range<u64> {
    let first = if rounds() > ROUNDS { 1_000_000 } else { 0 };
    first..first + (count * rounds() / ROUNDS).max(1)
}

/// Whether tests run so many cases that what they must reach can be asked for.
pub fn is_full() -> bool {
    rounds() >= ROUNDS
}

/// The model of a text in `.ww`.
pub fn model(text: &str) -> Model {
    let files = [SourceFile::new("p.ww", text)];
    let loaded = load(&files, &|_, path| Err(format!("no {path}")));
    let shown = |d: &Diagnostic| d.render(&loaded.files, false);
    let errors = || loaded.diagnostics.iter().filter(|d| d.is_error());
    let wrong = || errors().map(shown).collect::<String>();
    loaded.model.clone().unwrap_or_else(|| panic!("{}", wrong()))
}

/// A report as it is compared: everything but the history.
pub fn show(report: &Report) -> String {
    let binding: Vec<String> =
        report.binding.iter().map(|(name, value)| format!("{name}={:?}", value.key())).collect();
    format!(
        "{:?} {:?} {:?} at {} time {:?} [{}] in {:?}: {}",
        report.property,
        report.kind,
        report.cause,
        report.index,
        report.time,
        binding.join(" "),
        report.state,
        report.message
    )
}

/// Whether reports of one event come in the reference's order. Lazily kept instances and
/// configurations have an order of creation of their own.
pub fn is_ordered(engine: &Engine) -> bool {
    engine.plan().shapes.iter().all(|(_, shape)| match shape {
        Shape::ChenRosu(_, slices) => !slices.lazy,
        Shape::Registers(..) => false,
        _ => true,
    })
}

pub fn describe(model: &Model, events: &[Event]) -> String {
    let mut text = String::new();
    for (i, c) in model.contexts.iter().enumerate() {
        text += &format!("context {i}: {c:?}\n");
    }
    for v in &model.variables {
        text += &format!("variable {} {:?} = {:?}\n", v.name, v.ty, v.init);
    }
    for c in &model.clocks {
        text += &format!("clock {c:?}\n");
    }
    for f in &model.functions {
        text += &format!("function {:?}\n", f.body);
    }
    for p in &model.properties {
        text += &format!("property {} of {:?} {:?}\n", p.name, p.context, p.message);
        for r in &p.registers {
            text += &format!("  register {} {:?} {:?}\n", r.name, r.ty, r.init);
        }
        for o in &p.alphabet {
            text += &format!("  observes {:?} {:?} {:?}\n", o.event, o.filter, o.placements);
        }
        for s in &p.states {
            text += &format!(
                "  state {} {:?} {:?} {:?} {:?}\n",
                s.name, s.kind, s.message, s.entry, s.deadline
            );
        }
        for t in &p.transitions {
            text += &format!("  {:?} keep {} ->\n", t.source, t.keep);
            for l in &t.labels {
                text += &format!(
                    "    on {:?} arity {:?} {:?} if {:?}\n",
                    l.event, l.arity, l.args, l.guard
                );
            }
            text += &format!("    then {:?}\n    else {:?}\n", t.then, t.otherwise);
        }
    }
    for e in events {
        text += &format!("{:?} {:?} {:?}\n", e.kind, e.args, e.time);
    }
    text
}

pub fn quiet<R>(body: impl FnOnce() -> R) -> R {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = body();
    std::panic::set_hook(hook);
    result
}

/// Which rule the first property of a model follows.
pub fn rule(model: &Model) -> &'static str {
    match model.contexts[0].rule {
        Creation::ChenRosu { .. } => "chen-rosu",
        Creation::Verde => "verde",
        Creation::Larva => "larva",
        Creation::Registers => "registers",
    }
}
