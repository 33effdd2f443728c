//! Random properties against random programs: what is left of the property says the same about what
//! is left of the program.
//!
//! A run of a program is a walk through its graph; identifiers that may be the same object sometimes
//! are. Both evaluators hear the events of the run, the one of the residual without those at silenced
//! sites; what they report, where, and what they print must be the same.

use std::collections::{BTreeMap, BTreeSet};

use watchword_model::{Event, EventRef, Model, PropertyId, Value, ValueRef};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Options, Report};
use watchword_residual::date::apply::apply;
use watchword_residual::date::certify::certify;
use watchword_residual::date::cfg::{Alias, Cfg, Depth, Found, Site, Step, analyse};
use watchword_residual::date::reduce::Dates;

use crate::random::Random;

const EVENTS: [&str; 4] = ["a", "b", "c", "d"];

/// A random property file: one or two properties that may share a variable, and a global event.
fn text(random: &mut Random) -> String {
    let events = 2 + random.below(3);
    let mut out = String::from("event g()\n");
    for event in &EVENTS[..events] {
        out += &format!("event {event}(u)\n");
    }
    let context = random.chance(50);
    let two = context && random.chance(50);
    let global = context && random.chance(50);
    let clocks = random.chance(12);
    if global {
        out += "context All {\nvar n: int = 0\n";
    }
    if context {
        out += "context User(u) {\n";
        if !global {
            out += "var n: int = 0\n";
        }
        if random.chance(20) {
            out += "var k: int = n + 1\n";
        }
    }
    for name in ["P", "Q"].iter().take(1 + usize::from(two)) {
        out += &property(random, name, events, context, clocks);
    }
    if context {
        out += "}\n";
    }
    if global {
        out += "}\n";
    }
    out
}

fn property(random: &mut Random, name: &str, events: usize, context: bool, clocks: bool) -> String {
    let mut out = match context {
        true => format!("property {name} {{\n"),
        false => format!("property {name}(u) {{\nvar n: int = 0\n"),
    };
    if !context && random.chance(10) {
        out += "creation a\n";
    }
    let states = 2 + random.below(4);
    let watched = random.below(events);
    out += &format!("also {}\n", EVENTS[watched]);
    for state in 0..states {
        let kind = match (state, random.below(8)) {
            (0, 0) => "start pending ",
            (0, _) => "start ",
            (_, 0) => "pending ",
            (_, 1) => "good ",
            (_, 2 | 3) => "bad ",
            (s, _) if s == states - 1 => "bad ",
            _ => "",
        };
        let deadline = if clocks && random.chance(30) {
            format!(" within {} s else S{}", 1 + random.below(4), random.below(states))
        } else {
            String::new()
        };
        out += &format!("{kind}state S{state}{deadline} {{\n");
        if random.chance(8) {
            out += &format!("enter {{ {} }}\n", update(random));
        }
        for _ in 0..random.below(5) {
            out += &transition(random, events, states);
        }
        out += "}\n";
    }
    out + "}\n"
}

fn update(random: &mut Random) -> &'static str {
    ["n += 1", "n = 0", "n = n * 2", "n = 3 / n", "print \"n is {n}\""][match random.below(20) {
        0 => 4,
        1 | 2 => 3,
        other => other % 3,
    }]
}

fn transition(random: &mut Random, events: usize, states: usize) -> String {
    let label = match random.below(20) {
        0 => "g()".to_owned(),
        1 => "any".to_owned(),
        _ => format!("{}(u)", EVENTS[random.below(events)]),
    };
    let guard = match random.below(10) {
        0..=3 => format!(" if n {} {}", ["<", ">=", "=="][random.below(3)], random.below(4)),
        4 if random.chance(10) => " if false".to_owned(),
        _ => String::new(),
    };
    let update = match random.below(10) {
        0..=2 => format!(" {{ {} }}", update(random)),
        _ => String::new(),
    };
    let target = match random.below(12) {
        0 | 1 => String::new(),
        2 => " -> drop".to_owned(),
        _ => format!(" -> S{}", random.below(states)),
    };
    let otherwise = match (guard.is_empty(), random.below(12)) {
        (false, 0) => format!(" else -> S{}", random.below(states)),
        _ => String::new(),
    };
    format!("on {label}{guard}{update}{target}{otherwise}\n")
}

/// A random program over the events.
// Two rows of a symmetric table are written at once.
#[expect(clippy::needless_range_loop)]
fn program(random: &mut Random) -> Cfg {
    let nodes = 1 + random.below(5);
    let identifiers = 1 + random.below(3);
    let mut alias = vec![vec![Alias::Never; identifiers]; identifiers];
    for one in 0..identifiers {
        alias[one][one] = if random.chance(80) { Alias::Must } else { Alias::May };
        for two in 0..one {
            if random.chance(20) {
                alias[one][two] = Alias::May;
                alias[two][one] = Alias::May;
            }
        }
    }
    // Another name for the first object.
    if alias[0][0] == Alias::Must && random.chance(30) {
        let mut row = alias[0].clone();
        row.push(Alias::Must);
        for (line, relation) in alias.iter_mut().zip(&row) {
            line.push(*relation);
        }
        alias.push(row);
    }
    let mut cfg = Cfg { nodes, steps: Vec::new(), sites: Vec::new(), alias };
    for from in 0..nodes {
        for _ in 0..1 + random.below(3) {
            let site = random.chance(90).then(|| {
                let event = if random.chance(5) { "g" } else { EVENTS[random.below(4)] };
                let identifier = random.below(cfg.alias.len());
                cfg.sites.push(Site { event: event.to_owned(), identifier });
                cfg.sites.len() - 1
            });
            cfg.steps.push(Step { from, to: random.below(nodes), site });
        }
    }
    cfg
}

/// The objects of a run: which identifier means which, as far as it is always the same.
fn objects(random: &mut Random, cfg: &Cfg) -> Vec<u64> {
    let mut objects: Vec<u64> = Vec::new();
    for one in cfg.identifiers() {
        let must = (0..one).find(|two| cfg.alias[one][*two] == Alias::Must);
        let may = (0..one).find(|two| cfg.alias[one][*two] == Alias::May && random.chance(50));
        let fits = |object: u64| {
            objects
                .iter()
                .enumerate()
                .all(|(two, o)| *o != object || cfg.alias[one][two] != Alias::Never)
        };
        let object = match (must, may) {
            (Some(two), _) => objects[two],
            (None, Some(two)) if fits(objects[two]) => objects[two],
            _ => one as u64 * 10 + 1,
        };
        objects.push(object);
    }
    objects
}

/// A walk: sites and what they are about.
fn run(random: &mut Random, cfg: &Cfg) -> Vec<(usize, u64)> {
    let known = objects(random, cfg);
    let mut trace = Vec::new();
    let mut node = 0;
    for _ in 0..random.below(25) {
        let steps: Vec<&Step> = cfg.steps.iter().filter(|s| s.from == node).collect();
        if steps.is_empty() {
            break;
        }
        let step = steps[random.below(steps.len())];
        node = step.to;
        if let Some(site) = step.site {
            let identifier = cfg.sites[site].identifier;
            let object = match cfg.alias[identifier][identifier] {
                Alias::Must => known[identifier],
                // Any object that it may mean, or one of its own.
                _ => {
                    let others: Vec<u64> = cfg
                        .identifiers()
                        .filter(|i| *i != identifier && cfg.alias[identifier][*i] == Alias::May)
                        .map(|i| known[i])
                        .filter(|o| {
                            cfg.identifiers()
                                .all(|i| known[i] != *o || cfg.alias[identifier][i] != Alias::Never)
                        })
                        .collect();
                    match random.below(3) {
                        0 if !others.is_empty() => others[random.below(others.len())],
                        n => identifier as u64 * 10 + 1 + n as u64,
                    }
                }
            };
            trace.push((site, object));
        }
    }
    trace
}

/// What evaluators say: position in the run, property, state, binding, message.
type Verdicts = (Vec<(usize, String, String, String, String)>, Vec<String>);

fn told(model: &Model, reports: &[Report], printed: &[String], positions: &[usize]) -> Verdicts {
    let mut all: Vec<_> = reports
        .iter()
        .map(|r| {
            let property = &model.properties[r.property.index()];
            let at = match r.index {
                0 => 0,
                n => positions.get(n as usize - 1).map_or(0, |p| p + 1),
            };
            // The end and time have no position of their own.
            let at =
                if matches!(r.cause, watchword_monitor::Cause::Event) { at } else { usize::MAX };
            let state = property.states[r.state.index()].name.clone();
            (
                at,
                property.name.clone(),
                state,
                format!("{:?} {:?}", r.binding, r.time),
                r.message.clone(),
            )
        })
        .collect();
    all.sort();
    (all, printed.to_vec())
}

fn event(model: &Model, cfg: &Cfg, (site, object): (usize, u64), at: usize) -> Option<Event> {
    let name = &cfg.sites[site].event;
    let kind = model.event(name)?;
    let args = if name == "g" { Vec::new() } else { vec![Value::object(object)] };
    Some(Event::new(kind, args).at(at as i64 * 700_000_000))
}

/// The reference evaluator, without some sites.
fn reference(
    model: &Model,
    cfg: &Cfg,
    trace: &[(usize, u64)],
    silenced: &BTreeSet<usize>,
) -> Verdicts {
    let mut monitor = Reference::new(model.clone());
    monitor.advance_to(0).unwrap();
    let mut positions = Vec::new();
    for (at, one) in trace.iter().enumerate() {
        if silenced.contains(&one.0) {
            continue;
        }
        if let Some(event) = event(model, cfg, *one, at) {
            monitor.step(&event).unwrap();
            positions.push(at);
        }
    }
    // Whatever was silenced, time goes on to the same end.
    monitor.advance_to(trace.len() as i64 * 700_000_000).unwrap();
    monitor.end();
    told(model, monitor.reports(), monitor.printed(), &positions)
}

/// The engine, with events that exist for some properties only.
fn engine(
    model: &Model,
    cfg: &Cfg,
    trace: &[(usize, u64)],
    silenced: &BTreeMap<String, BTreeSet<usize>>,
) -> Verdicts {
    let mut monitor = Engine::new(model, Options::default());
    monitor.advance_to(0).unwrap();
    let mut positions = Vec::new();
    for (at, one) in trace.iter().enumerate() {
        let Some(event) = event(model, cfg, *one, at) else { continue };
        let only: Vec<PropertyId> = (0..model.properties.len())
            .filter(|p| !silenced[&model.properties[*p].name].contains(&one.0))
            .map(PropertyId::from_index)
            .collect();
        let args: Vec<ValueRef<'_>> = event.args.iter().map(ValueRef::from).collect();
        let event = EventRef {
            kind: event.kind,
            args: &args,
            time: event.time,
            thread: None,
            location: None,
        };
        monitor.step_for(&event, Some(&only)).unwrap();
        positions.push(at);
    }
    monitor.advance_to(trace.len() as i64 * 700_000_000).unwrap();
    monitor.end();
    let said: Vec<String> = monitor.take_said().iter().map(|s| format!("{s:?}")).collect();
    told(model, &monitor.take_reports(), &said, &positions)
}

/// What is silenced for every property that observes the event there.
fn for_all(dates: &Dates<'_>, cfg: &Cfg, found: &Found) -> BTreeSet<usize> {
    let all = dates.all.iter().zip(&found.silenced);
    let observed =
        |site: usize| all.clone().filter(move |(d, _)| d.letter(&cfg.sites[site].event).is_some());
    (0..cfg.sites.len())
        .filter(|s| observed(*s).all(|(_, silenced)| silenced.contains(s)))
        .collect()
}

#[derive(Default)]
struct Tally {
    pairs: usize,
    changed: usize,
    removed: usize,
    transitions: usize,
    silenced: usize,
    sites: usize,
    by_order: usize,
}

/// Compares; `broken` may change what was found, to see that it is noticed.
fn compare(seed: u64, pairs: usize, broken: &dyn Fn(&Dates<'_>, &Cfg, &mut Found)) -> Tally {
    let mut tally = Tally { pairs, ..Tally::default() };
    let mut made = 0;
    let mut round = 0;
    while made < pairs {
        round += 1;
        let mut random = Random::new(seed.wrapping_add(round));
        let text = text(&mut random);
        let Some(model) = try_model(&text) else { continue };
        made += 1;
        let cfg = program(&mut random);
        let (dates, others) = Dates::of(&model);
        assert!(others.is_empty());
        let depth = [Depth::Absent, Depth::Objects, Depth::Flow, Depth::Flow][random.below(4)];
        let mut found = analyse(&dates, &cfg, depth);
        broken(&dates, &cfg, &mut found);
        if let [date] = &dates.all[..]
            && depth == Depth::Flow
            && random.chance(50)
        {
            tally.by_order += by_order(date, &cfg, &mut found);
        }
        let residual = apply(&model, &dates.all, &found.reduced.parts);
        let silenced = for_all(&dates, &cfg, &found);
        let each: BTreeMap<String, BTreeSet<usize>> =
            dates.all.iter().map(|d| d.name.clone()).zip(found.silenced.iter().cloned()).collect();
        tally.sites += cfg.sites.len();
        tally.silenced += silenced.len();
        tally.transitions += model.properties.iter().map(|p| p.transitions.len()).sum::<usize>();
        tally.removed += found.reduced.parts.iter().flatten().filter(|p| !**p).count();
        for _ in 0..4 {
            let trace = run(&mut random, &cfg);
            let none = BTreeSet::new();
            let full = reference(&model, &cfg, &trace, &none);
            let left = reference(&residual, &cfg, &trace, &silenced);
            let nothing = each.keys().map(|k| (k.clone(), BTreeSet::new())).collect();
            let same = full == left
                && engine(&model, &cfg, &trace, &nothing) == engine(&residual, &cfg, &trace, &each);
            if !same {
                tally.changed += 1;
                if std::env::var_os("RESIDUAL_SHOW").is_some() {
                    let events: Vec<String> = trace
                        .iter()
                        .map(|(s, o)| format!("{s}:{}({o})", cfg.sites[*s].event))
                        .collect();
                    println!(
                        "seed {seed} round {round}\n{text}\n{cfg:#?}\n{depth:?} silenced {:?} parts {:?}\n\
                         {events:?}\nfull {full:#?}\nleft {left:#?}\n{:#?}\n{:#?}",
                        found.silenced,
                        found.reduced.parts,
                        engine(&model, &cfg, &trace, &nothing),
                        engine(&residual, &cfg, &trace, &each)
                    );
                }
                break;
            }
        }
    }
    tally
}

/// Silences single sites whose order allows it, where a certificate says so for every object.
fn by_order(
    date: &watchword_residual::date::automaton::Date,
    cfg: &Cfg,
    found: &mut Found,
) -> usize {
    let mut count = 0;
    let part = found.reduced.parts[0].clone();
    for site in 0..cfg.sites.len() {
        let already = found.silenced[0].clone();
        let letter = date.letter(&cfg.sites[site].event);
        let free = letter.is_some_and(|l| date.letters[l].pinned.is_none());
        if already.contains(&site) || !free {
            continue;
        }
        let one = BTreeSet::from([site]);
        let sound = cfg
            .identifiers()
            .all(|identifier| certify(date, &part, cfg, identifier, &already, &one).is_ok());
        if sound {
            found.silenced[0].insert(site);
            count += 1;
        }
    }
    count
}

fn try_model(text: &str) -> Option<std::rc::Rc<Model>> {
    let file = watchword_spec::SourceFile::new("test.ww", text);
    let loaded = watchword_spec::load(&[file], &|_, path| Err(path.to_owned()));
    loaded.model.map(std::rc::Rc::new)
}

#[test]
fn residuals_say_what_properties_say() {
    // `RESIDUAL_SOAK` says how many, `RESIDUAL_SEED` where to begin.
    let seed = std::env::var("RESIDUAL_SEED").map_or(1, |s| s.parse().expect("a number"));
    let tally = compare(seed, crate::fuzz::count(3_000), &|_, _, _| {});
    println!(
        "{} pairs: {} of {} transitions removed, {} of {} sites silenced, {} by order",
        tally.pairs, tally.removed, tally.transitions, tally.silenced, tally.sites, tally.by_order
    );
    assert_eq!(tally.changed, 0);
    // The comparison is about something.
    assert!(tally.removed * 10 > tally.transitions);
    assert!(tally.silenced * 10 > tally.sites);
    assert!(tally.by_order > 0);
}

#[test]
fn the_comparison_notices_what_is_wrong() {
    // A transition too many is removed.
    let prune = compare(2, 400, &|_, _, found| {
        for part in &mut found.reduced.parts {
            if let Some(edge) = part.iter_mut().find(|p| **p) {
                *edge = false;
            }
        }
    });
    assert!(prune.changed > 20, "{}", prune.changed);
    // A site too many is silenced.
    let silence = compare(3, 400, &|_, cfg, found| {
        for silenced in &mut found.silenced {
            silenced.extend(0..cfg.sites.len().min(1));
        }
    });
    assert!(silence.changed > 20, "{}", silence.changed);
    // Events that bring instances into being are taken for granted.
    let pinned = compare(4, 1500, &|dates, cfg, found| {
        let mut free = dates.clone();
        for letter in free.all.iter_mut().flat_map(|d| &mut d.letters) {
            letter.pinned = None;
        }
        *found = analyse(&free, cfg, Depth::Flow);
    });
    assert!(pinned.changed > 0);
}
