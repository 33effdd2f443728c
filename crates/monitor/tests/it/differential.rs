//! Verdicts: what the engine reports, prints and waits for is what the reference does.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use watchword_model::{Creation, Event, EventRef, Observed, StateKind, ValueRef};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, NotRelevant, Options, Report, Said};
use watchword_plan::{Plan, Ways};

use crate::generate::{self, Case};
use crate::support::{describe, is_full, is_ordered, quiet, rule, seeds, show};

/// What a trace was good for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reached {
    pub verdict: bool,
    dropped: bool,
    forked: bool,
    lazy: bool,
    timer: bool,
    not_relevant: bool,
    lost: bool,
    endless: bool,
}

/// Compares what became inconclusive: which properties, since when, and how many instances. Of
/// those that the engine does not keep, it does not know how many they are.
fn inconclusive(reference: &Reference, engine: &Engine, ordered: bool) -> Result<(), String> {
    let mut first: BTreeMap<u32, u64> = BTreeMap::new();
    for (property, index) in reference.inconclusive() {
        first.entry(property.0).or_insert(*index);
    }
    let found: BTreeMap<u32, u64> =
        engine.doubts().iter().map(|d| (d.property.0, d.index)).collect();
    if first != found {
        return Err(format!("inconclusive since {first:?}, engine {found:?}"));
    }
    let count: u64 = engine.stats().iter().map(|s| s.inconclusive).sum();
    if ordered && count != reference.inconclusive().len() as u64 {
        let expected = reference.inconclusive().len();
        return Err(format!("{expected} instances are inconclusive, engine {count}"));
    }
    Ok(())
}

fn said(engine: &mut Engine) -> Vec<String> {
    engine
        .take_said()
        .into_iter()
        .filter_map(|s| match s {
            Said::Print { text, .. } => Some(text),
            Said::Action { .. } => None,
        })
        .collect()
}

/// With more instances in the reference, a trace ends early: in a few cases the engine need not keep
/// them, but in the reference they multiply with every event.
const MOST_INSTANCES: usize = 1_000;

/// Runs both on a case. An error says where they differ.
fn compare(case: &Case, engine: Engine) -> Result<Reached, String> {
    let mut reference = Reference::new(case.model.clone());
    let mut engine = engine;
    let ordered = is_ordered(&engine);
    let mut reached = Reached { lazy: !ordered, ..Reached::default() };
    let mut seen = 0;
    let mut printed = 0;
    let mut check = |reference: &Reference, engine: &mut Engine, when: &str| {
        let expected: Vec<String> = reference.reports()[seen..].iter().map(show).collect();
        let mut found: Vec<String> = engine.take_reports().iter().map(show).collect();
        seen += expected.len();
        let mut expected = expected;
        if !ordered {
            expected.sort();
            found.sort();
        }
        if expected != found {
            return Err(format!("{when}:\n reference {expected:#?}\n engine {found:#?}"));
        }
        let mut expected = reference.printed()[printed..].to_vec();
        printed += expected.len();
        let mut found = said(engine);
        if !ordered {
            expected.sort();
            found.sort();
        }
        if expected != found {
            return Err(format!("{when}: printed {expected:?}, engine {found:?}"));
        }
        let (a, b) = (reference.next_deadline(), engine.next_deadline());
        if a != b {
            return Err(format!("{when}: next deadline {a:?}, engine {b:?}"));
        }
        Ok(())
    };
    check(&reference, &mut engine, "at the start")?;
    let mut instances = reference.instances();
    for (i, event) in case.events.iter().enumerate() {
        let when = format!("event {} {event:?}", i + 1);
        let a = reference.step(event);
        let b = engine.step_owned(event);
        if a.is_ok() != b.is_ok() {
            return Err(format!("{when}: {a:?}, engine {b:?}"));
        }
        check(&reference, &mut engine, &when)?;
        if engine.instances() > 2 * reference.instances() + 500 {
            return Err(format!("{when}: the engine keeps {} instances", engine.instances()));
        }
        reached.dropped |= reference.instances() < instances;
        instances = reference.instances();
        if instances > MOST_INSTANCES {
            break;
        }
    }
    reached.timer = reference.next_deadline().is_some();
    reference.end();
    engine.end();
    check(&reference, &mut engine, "at the end")?;
    if reference.discarded() != engine.discarded_sends() {
        return Err("discarded sends differ".to_string());
    }
    if ordered && reference.not_relevant() != engine.not_relevant() {
        return Err(format!(
            "not relevant {}, engine {}",
            reference.not_relevant(),
            engine.not_relevant()
        ));
    }
    inconclusive(&reference, &engine, ordered)?;
    reached.lost = !reference.inconclusive().is_empty();
    reached.endless = engine.doubts().iter().any(|d| d.why == NotRelevant::Endless);
    reached.verdict = !reference.reports().is_empty();
    reached.forked = engine.stats().iter().any(|s| s.forks > 0);
    reached.not_relevant = reference.not_relevant() > 0;
    Ok(reached)
}

/// [`compare`], with a panic as a difference.
fn run(case: &Case, options: Options) -> Result<Reached, String> {
    run_planned(case, Ways::ALL, options)
}

/// The same, planned in some ways only.
pub fn run_planned(case: &Case, ways: Ways, options: Options) -> Result<Reached, String> {
    let plan = || Arc::new(Plan::with(case.model.clone(), ways));
    catch_unwind(AssertUnwindSafe(|| compare(case, Engine::with_plan(plan(), options))))
        .unwrap_or_else(|_| Err("panicked".to_string()))
}

/// A smaller case that still fails.
fn shrink(case: &Case, fails: &dyn Fn(&Case) -> bool) -> Case {
    let mut best = case.clone();
    loop {
        let mut smaller = Vec::new();
        let mut length = best.events.len() / 2;
        while length > 0 {
            for start in (0..best.events.len()).step_by(length) {
                let mut c = best.clone();
                let end = (start + length).min(c.events.len());
                c.events.drain(start..end);
                smaller.push(c);
            }
            length /= 2;
        }
        for p in 0..best.model.properties.len() {
            let property = &best.model.properties[p];
            for t in 0..property.transitions.len() {
                let mut c = best.clone();
                c.model.properties[p].transitions.remove(t);
                smaller.push(c);
                let mut c = best.clone();
                let transition = &mut c.model.properties[p].transitions[t];
                transition.then.update.clear();
                transition.then.message = None;
                transition.otherwise = None;
                smaller.push(c);
                let mut c = best.clone();
                c.model.properties[p].transitions[t].labels.iter_mut().for_each(|l| l.guard = None);
                smaller.push(c);
            }
            for s in 0..property.states.len() {
                let mut c = best.clone();
                let state = &mut c.model.properties[p].states[s];
                state.entry.clear();
                state.deadline = None;
                state.message = None;
                smaller.push(c);
            }
            let mut c = best.clone();
            c.model.properties[p].message = None;
            smaller.push(c);
            for o in 0..property.alphabet.len() {
                let mut c = best.clone();
                c.model.properties[p].alphabet[o].filter = None;
                smaller.push(c);
            }
        }
        for c in 0..best.model.contexts.len() {
            let mut smaller_case = best.clone();
            smaller_case.model.contexts[c].ends.clear();
            smaller.push(smaller_case);
            let mut smaller_case = best.clone();
            smaller_case.model.contexts[c].keys.iter_mut().for_each(|k| *k = None);
            smaller.push(smaller_case);
        }
        let size = |c: &Case| format!("{c:?}").len();
        let now = size(&best);
        match smaller.into_iter().find(|c| size(c) < now && fails(c)) {
            Some(c) => best = c,
            None => return best,
        }
    }
}

pub fn fail(seed: u64, case: &Case, why: &str) -> ! {
    let small = quiet(|| shrink(case, &|c| run(c, Options::default()).is_err()));
    let last = run(&small, Options::default()).err().unwrap_or_default();
    panic!(
        "seed {seed}: {why}\n\nsmallest:\n{}\n{}\n{last}",
        describe(&small.model, &small.events),
        watchword_plan::Plan::new(small.model.clone()).explain(),
    );
}

#[test]
fn the_engine_agrees_with_the_reference() {
    if let Ok(seed) = std::env::var("WATCHWORD_SEED") {
        let seed = seed.parse().expect("a number");
        let case = generate::general(seed);
        if let Err(why) = run(&case, Options::default()) {
            fail(seed, &case, &why);
        }
        return;
    }
    let mut distinct = HashSet::new();
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    let mut totals = [0usize; 8];
    let mut traces = 0;
    for seed in seeds(50_000) {
        let case = generate::general(seed);
        for property in &case.model.properties {
            let mut hasher = DefaultHasher::new();
            let context = &case.model.contexts[property.context.index()];
            format!("{property:?}{context:?}").hash(&mut hasher);
            distinct.insert(hasher.finish());
        }
        *rules.entry(rule(&case.model)).or_default() += 1;
        match quiet(|| run(&case, Options::default())) {
            Err(why) => fail(seed, &case, &why),
            Ok(reached) => {
                traces += 1;
                let Reached { verdict, dropped, forked, lazy, timer, not_relevant, lost, endless } =
                    reached;
                let all = [verdict, dropped, forked, lazy, timer, not_relevant, lost, endless];
                for (total, hit) in totals.iter_mut().zip(all) {
                    *total += usize::from(hit);
                }
            }
        }
    }
    let share = |n: usize| n as f64 * 100.0 / traces as f64;
    println!("{traces} traces, {} distinct properties, {rules:?}", distinct.len());
    println!(
        "reach a verdict {:.1} %, drop instances {:.1} %, fork or re-bind {:.1} %, \
         keep lazily or have configurations {:.1} %, end with timers running {:.1} %, \
         not relevant somewhere {:.1} %, inconclusive somewhere {:.1} %, because timers went off \
         without end {:.1} %",
        share(totals[0]),
        share(totals[1]),
        share(totals[2]),
        share(totals[3]),
        share(totals[4]),
        share(totals[5]),
        share(totals[6]),
        share(totals[7]),
    );
    if !is_full() {
        return;
    }
    assert!(distinct.len() >= 30_000);
    assert!(share(totals[0]) >= 30.0, "too few traces reach a verdict");
    assert!(share(totals[1]) >= 20.0, "too few traces drop instances");
    assert!(share(totals[2]) >= 10.0, "too few traces fork or re-bind");
    assert!(share(totals[6]) >= 5.0, "too few traces have inconclusive instances");
    assert!(totals[7] >= 50, "timers go off without end in too few traces");
}

#[test]
fn a_kept_loop_does_not_double_what_holds_a_nan() {
    use watchword_model::{Place, RegisterId, Transition, Value};
    // start state A { on e(?r) -> W }   pending state W { on any => W }
    let seed =
        (0..).find(|seed| generate::case(*seed).model.contexts[0].rule == Creation::Registers);
    let mut case = generate::case(seed.expect("there is one"));
    case.model.contexts.truncate(1);
    case.model.properties.truncate(1);
    let property = &mut case.model.properties[0];
    let observed = property.alphabet[0].clone();
    let kind = observed.event;
    property.alphabet = vec![Observed { filter: None, ..observed }];
    property.states.truncate(2);
    for (state, kind) in property.states.iter_mut().zip([StateKind::Normal, StateKind::Pending]) {
        state.kind = kind;
        state.entry.clear();
        state.deadline = None;
        state.message = None;
    }
    property.message = None;
    property.registers.truncate(1);
    property.registers.iter_mut().for_each(|r| r.init = None);
    let label = |event, args| watchword_model::Label {
        event,
        arity: watchword_model::Arity::Any,
        args,
        guard: None,
        span: watchword_model::Span::NONE,
    };
    let transition = |source, label, keep| Transition {
        source: watchword_model::StateId(source),
        labels: vec![label],
        keep,
        then: watchword_model::Branch::to(watchword_model::Target::State(
            watchword_model::StateId(1),
        )),
        otherwise: None,
        span: watchword_model::Span::NONE,
    };
    let bind = watchword_model::Pattern::Bind(Place::Register(RegisterId(0)));
    property.start = watchword_model::StateId(0);
    property.transitions = vec![
        transition(0, label(Some(kind), vec![bind]), false),
        transition(1, label(None, vec![]), true),
    ];
    case.events = (0..4).map(|_| Event::new(kind, vec![Value::Float(f64::NAN)])).collect();
    if let Err(why) = run(&case, Options::default()) {
        panic!("{why}");
    }
    let mut engine = Engine::new(&case.model, Options::default());
    drive(&mut engine, &case.events);
    engine.end();
    assert_eq!(engine.take_reports().len(), 1);
}

/// The mistakes the engine can be asked to make, and what they are.
const MUTANTS: [(u8, &str); 35] = [
    (1, "a null creates an instance"),
    (2, "`otherwise` is ignored"),
    (3, "a self-loop does not start the deadline again"),
    (4, "a NaN is a binding"),
    (5, "a slice that has not begun is stepped"),
    (6, "an instance at the start is forgotten though others could tell"),
    (7, "a dropped instance stays"),
    (8, "a copy is of the instance that binds nothing"),
    (9, "lives do not end"),
    (10, "a pending instance whose life ends is not reported"),
    (11, "a letter no transition starts at is not skipped"),
    (12, "a failed look-ahead skips all its letters"),
    (13, "a register is bound only once"),
    (14, "`=>` does not fork"),
    (15, "equal configurations are counted twice"),
    (16, "look-ahead is not flushed at the end"),
    (17, "a deadline at the time of an event fires after it"),
    (18, "deadlines of one time fire newest first"),
    (19, "sends are delivered newest first"),
    (20, "two ways to one bad configuration are reported twice"),
    (21, "an event that finds nobody creates nobody"),
    (23, "events that rest are not noted"),
    (24, "nobody gets in step again"),
    (25, "marks outlive the values in them"),
    (26, "whoever was the source, an event rested with it"),
    (27, "a late join takes one part for one at the start"),
    (29, "crowds lie in the wrong classes"),
    (30, "a copy shares the windows of its source"),
    (31, "an instance whose windows alone have changed need not exist"),
    (32, "the bound of a window is open"),
    (33, "what came before the first time came at zero"),
    (34, "who comes while others look ahead lies back with them"),
    (35, "what time it is, is known a little late"),
    (36, "an instance whose timers go off without end just waits"),
    (37, "a circle of configurations that takes no time ends unnoticed"),
];

#[test]
fn deliberate_mistakes_are_found() {
    let mut missed = Vec::new();
    for (mutant, what) in MUTANTS {
        let options = Options { mutant, ..Options::default() };
        let found = quiet(|| {
            (0..30_000).find(|seed| run(&generate::case(*seed), options.clone()).is_err())
        });
        match found {
            Some(seed) => println!("mutant {mutant}, {what}: found by case {seed}"),
            None => missed.push(what),
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

/// Steps an engine over events; what it reports, event by event.
fn drive(engine: &mut Engine, events: &[Event]) -> Vec<String> {
    let mut shown = Vec::new();
    for event in events {
        let _ = engine.step_owned(event);
        shown.extend(engine.take_reports().iter().map(show));
    }
    shown
}

#[test]
fn a_restored_engine_goes_on_as_the_saved_one() {
    let mut bytes_total = 0;
    for seed in seeds(3_000) {
        let case = generate::case(seed);
        let history = if seed % 4 == 0 { 3 } else { 0 };
        let options = Options { history, ..Options::default() };
        let mut whole = Engine::new(&case.model, options.clone());
        whole.take_reports();
        let (before, after) = case.events.split_at(case.events.len() / 2);
        drive(&mut whole, before);
        let bytes = whole.save();
        bytes_total += bytes.len();
        let mut restored = Engine::restore(whole.plan().clone(), options.clone(), &bytes)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(restored.save(), bytes, "seed {seed}: saving again gives other bytes");
        let mut checkpoint = whole.clone();
        let mut expected = drive(&mut whole, after);
        whole.end();
        expected.extend(whole.take_reports().iter().map(show));
        for other in [&mut restored, &mut checkpoint] {
            let mut found = drive(other, after);
            other.end();
            found.extend(other.take_reports().iter().map(show));
            assert_eq!(found, expected, "seed {seed}\n{}", describe(&case.model, &case.events));
        }
        // Damaged bytes are refused, or are another configuration; nothing panics.
        if seed % 8 == 0 {
            let mut r = generate::random::Random::new(seed);
            for _ in 0..20 {
                let mut damaged = bytes.clone();
                match r.percent(30) {
                    true => damaged.truncate(r.below(bytes.len())),
                    false => {
                        let at = r.below(bytes.len());
                        damaged[at] ^= 1 << r.below(8);
                    }
                }
                let plan = whole.plan().clone();
                // Not driven on: its clock may stand ages ago, with a deadline every nanosecond.
                if let Ok(mut other) = Engine::restore(plan, options.clone(), &damaged) {
                    other.end();
                }
            }
        }
    }
    assert!(bytes_total > 0);
}

#[test]
fn bytes_of_another_model_are_refused() {
    use watchword_model::{Expr, Param, Type, Value};
    let mut changes = [0; 5];
    for seed in 0..400 {
        let model = generate::case(seed).model;
        let bytes = Engine::new(&model, Options::default()).save();
        let mut refused = |which: usize, model: watchword_model::Model| {
            let plan = std::sync::Arc::new(watchword_plan::Plan::new(model));
            let restored = Engine::restore(plan, Options::default(), &bytes);
            assert!(restored.is_err(), "seed {seed}: change {which} goes unnoticed");
            changes[which] += 1;
        };
        let mut other = model.clone();
        other.events[1].params.push(Param { name: "more".into(), ty: Type::Any });
        refused(0, other);
        let mut other = model.clone();
        other.events[1].name.push('x');
        refused(1, other);
        if !model.variables.is_empty() {
            let mut other = model.clone();
            other.variables[0].init = Expr::Const(Value::Int(77));
            refused(2, other);
        }
        if !model.clocks.is_empty() {
            let mut other = model.clone();
            other.clocks[0].alarms[0].after += 1;
            refused(3, other);
        }
        if !model.functions.is_empty() {
            let mut other = model.clone();
            other.functions[0].body.clear();
            refused(4, other);
        }
    }
    assert!(changes.iter().all(|n| *n > 5), "{changes:?}");
}

#[test]
fn shards_together_report_what_the_whole_does() {
    let mut split = 0;
    let mut spread = 0;
    for seed in seeds(4_000) {
        let case = generate::case(seed);
        let mut whole = Engine::new(&case.model, Options::default());
        whole.take_reports();
        let (before, after) = case.events.split_at(case.events.len() / 3);
        drive(&mut whole, before);
        let Ok(mut shards) = whole.split(3) else { continue };
        split += 1;
        for event in after {
            let args: Vec<_> = event.args.iter().map(watchword_model::ValueRef::from).collect();
            let borrowed = watchword_model::EventRef {
                kind: event.kind,
                args: &args,
                time: event.time,
                thread: None,
                location: None,
            };
            let mut expected = drive(&mut whole, std::slice::from_ref(event));
            let route = whole.route(&borrowed, 3);
            let mut found = Vec::new();
            for (number, shard) in shards.iter_mut().enumerate() {
                let _ = match route {
                    watchword_monitor::Route::One(one) if one != number => {
                        spread += 1;
                        shard.pass(&borrowed)
                    }
                    _ => shard.step(&borrowed),
                };
                found.extend(shard.take_reports().iter().map(show));
            }
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "seed {seed}\n{}", describe(&case.model, &case.events));
        }
        whole.end();
        let mut expected: Vec<String> = whole.take_reports().iter().map(show).collect();
        let mut found = Vec::new();
        for shard in &mut shards {
            shard.end();
            found.extend(shard.take_reports().iter().map(show));
        }
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "seed {seed} at the end");
    }
    println!("{split} configurations split, {spread} deliveries saved");
    assert!(!is_full() || split > 1_500 && spread > 5_000);
}

#[test]
fn histories_do_not_change_verdicts() {
    for seed in seeds(3_000) {
        let case = generate::case(seed);
        let options = Options { history: 4, ..Options::default() };
        if let Err(why) = quiet(|| run(&case, options)) {
            panic!("seed {seed}: {why}\n{}", describe(&case.model, &case.events));
        }
    }
}

/// A report with its history.
pub fn show_history(report: &Report) -> String {
    let step = |s: &watchword_monitor::Step| {
        let args: Vec<_> = s.args.iter().map(|v| v.to_string()).collect();
        format!("{} {:?} {args:?} {:?} {:?}", s.index, s.event, s.time, s.state)
    };
    let steps: Vec<String> = report.history.iter().map(step).collect();
    format!("{} after {steps:#?}", show(report))
}

#[test]
fn histories_are_the_same_on_every_path() {
    // Where moves are told, nothing takes a short cut and no property has a table of its own.
    let (mut reports, mut long) = (0, 0);
    for seed in seeds(4_000) {
        let case = generate::case(seed);
        let histories = |moves: bool, long: &mut usize| {
            // Both make the same instances.
            let plan = Arc::new(Plan::with(case.model.clone(), Ways::NONE));
            let mut engine =
                Engine::with_plan(plan, Options { history: 3, moves, ..Options::default() });
            for event in &case.events {
                let _ = engine.step_owned(event);
            }
            engine.end();
            let reports = engine.take_reports();
            *long += reports.iter().filter(|r| r.history.len() == 3).count();
            let mut shown: Vec<String> = reports.iter().map(show_history).collect();
            if !is_ordered(&engine) {
                shown.sort();
            }
            shown
        };
        let (fast, slow) = (histories(false, &mut long), histories(true, &mut long));
        assert_eq!(fast, slow, "seed {seed}\n{}", describe(&case.model, &case.events));
        reports += fast.len();
    }
    println!("{reports} reports, {long} with a full history");
    assert!(!is_full() || reports > 5_000 && long > 1_000);
}

/// What is reported of events, processed now or soon, and how often time ran backwards.
fn reported(mut engine: Engine, events: &[Event], soon: bool) -> (Vec<String>, usize) {
    let mut refused = 0;
    for event in events {
        let args: Vec<_> = event.args.iter().map(ValueRef::from).collect();
        let event = EventRef::of(event, &args);
        let done = if soon { engine.step_soon(&event) } else { engine.step(&event) };
        refused += usize::from(done.is_err());
    }
    engine.end();
    (engine.take_reports().iter().map(show_history).collect(), refused)
}

#[test]
fn soon_is_as_good_as_now() {
    let (mut reports, mut refused) = (0, 0);
    for seed in seeds(15_000) {
        let case = generate::case(seed);
        let history = seed as usize % 2 * 3;
        let engine = Engine::new(&case.model, Options { history, ..Options::default() });
        let now = reported(engine.clone(), &case.events, false);
        let soon = reported(engine, &case.events, true);
        assert_eq!(soon, now, "seed {seed}\n{}", describe(&case.model, &case.events));
        reports += now.0.len();
        refused += now.1;
    }
    println!("{reports} reports, {refused} events out of time");
    assert!(!is_full() || reports > 3_000);
}

#[test]
fn what_is_known_of_a_waiting_event_has_to_be_forgotten_in_time() {
    // The mutant takes whom an event concerned when it was given for whom it concerns now.
    let differs = |seed: &u64| {
        let case = generate::case(*seed);
        let [right, wrong] = [0, 22].map(|mutant| {
            reported(
                Engine::new(&case.model, Options { mutant, ..Options::default() }),
                &case.events,
                true,
            )
        });
        right != wrong
    };
    let found = quiet(|| {
        (0..30_000).find(|seed| std::panic::catch_unwind(|| differs(seed)).unwrap_or(true))
    });
    println!("found by case {found:?}");
    assert!(found.is_some());
}

#[test]
fn a_limit_is_kept_and_counted() {
    use watchword_monitor::{Keep, Limit};
    let mut hit = 0;
    for seed in seeds(1_000) {
        let case = generate::case(seed);
        for keep in [Keep::Newest, Keep::Oldest, Keep::Random(seed)] {
            let options = Options { max_instances: Some(2), keep, ..Options::default() };
            let mut engine = Engine::new(&case.model, options);
            for event in &case.events {
                let _ = engine.step_owned(event);
                for (property, stats) in case.model.properties.iter().zip(engine.stats()) {
                    let rule = &case.model.contexts[property.context.index()].rule;
                    if *rule != Creation::Larva {
                        // The instance that binds nothing is always there; look-ahead may wait.
                        assert!(
                            stats.instances <= 3 + 2 * u64::from(*rule == Creation::Registers)
                                || *rule == Creation::Registers,
                            "seed {seed}: {stats:?}"
                        );
                    }
                    hit += usize::from(stats.discarded > 0);
                }
            }
            engine.end();
            for (i, stats) in engine.stats().iter().enumerate() {
                let property = watchword_model::PropertyId::from_index(i);
                let limit = Limit::Instances {
                    property,
                    discarded: stats.discarded,
                    since: stats.discarded_since,
                };
                assert_eq!(engine.limits().contains(&limit), stats.discarded > 0, "seed {seed}");
            }
        }
    }
    assert!(!is_full() || hit > 300);
}
