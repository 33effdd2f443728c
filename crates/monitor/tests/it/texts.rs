//! Random properties as people write them, with what only texts have together: windows, sets and
//! maps that grow and shrink, the time, computed alarms, values chosen for a run, formulas with
//! bounds, contexts. Everything that evaluates finds the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use watchword_model::{Event, EventRef, Model, PropertyId, Value, ValueRef};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Delivery, Engine, Keep, Options, Report, Router, Said};
use watchword_plan::{Plan, Ways};

use crate::generate::random::Random;
use crate::support::{is_full, model, quiet, seeds, show};

/// The events with their parameters. Those called `x`, `y` and `z` may be parameters of properties.
const EVENTS: [(&str, &[&str]); 6] = [
    ("e", &["x"]),
    ("f", &["x", "y"]),
    ("g", &["y", "a"]),
    ("h", &["x", "a", "b"]),
    ("j", &["y", "z"]),
    ("k", &["a"]),
];

const PARAMS: [&[&str]; 7] =
    [&[], &["x"], &["x"], &["x", "y"], &["x", "y"], &["y", "z"], &["x", "y", "z"]];

/// What is written.
struct Writer {
    r: Random,
    params: Vec<&'static str>,
    windows: Vec<String>,
    has_clock: bool,
    rings: bool,
    states: usize,
}

/// What a property that is being written may name.
#[derive(Clone, Default)]
struct Names {
    /// Values of the event.
    bound: Vec<&'static str>,
    /// Whether there are variables and the time.
    variables: bool,
}

impl Writer {
    fn one<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        let number = self.r.below(texts.len());
        texts[number]
    }

    /// A label, and the names it binds.
    fn label(&mut self, binds: bool) -> (String, Vec<&'static str>) {
        let (name, args) = *self.r.pick(&EVENTS);
        let mut bound = Vec::new();
        let mut patterns = Vec::new();
        for arg in args {
            patterns.push(match self.r.below(10) {
                0 => "_".to_string(),
                1 => format!("!{}", self.r.below(3)),
                2 => self.r.below(3).to_string(),
                _ if self.params.contains(arg) => arg.to_string(),
                _ if binds => {
                    bound.push(*arg);
                    format!("?{arg}")
                }
                _ => "_".to_string(),
            });
        }
        (format!("{name}({})", patterns.join(", ")), bound)
    }

    /// A value that a label bound, a parameter, or a number.
    fn value(&mut self, names: &Names) -> String {
        let known: Vec<&str> =
            names.bound.iter().chain(&self.params).copied().chain(["0", "1"]).collect();
        self.one(&known).to_string()
    }

    fn guard(&mut self, names: &Names) -> String {
        let value = self.value(names);
        if !self.windows.is_empty() && self.r.percent(50) {
            let windows = self.windows.clone();
            let window = self.r.pick(&windows);
            return format!("{window} {} {}", self.one(&["<", ">", ">=", "=="]), self.r.below(4));
        }
        if !names.variables {
            return format!("{value} != {}", self.r.below(3));
        }
        if self.has_clock && self.r.percent(25) {
            let than = self.one(&["0 s", "1 s", "2 s", "pause"]);
            return format!("t {} {than}", self.one(&["<", ">", ">=", "<="]));
        }
        let simple = match self.r.below(11) {
            0 => format!("n < {}", self.r.below(4)),
            1 => format!("contains(m, {value})"),
            2 => format!("len(m) > {}", self.r.below(3)),
            3 => format!("len(l) >= {}", self.r.below(3)),
            4 => format!("(exists q in m: q == {value})"),
            5 => format!("(all q in l: q != {value})"),
            6 => format!("now - t0 {} {} s", self.one(&["<", ">", ">=", "<="]), self.r.below(4)),
            7 => format!("m[{value}] == n"),
            8 => "now - t0 > pause".to_string(),
            9 => format!("most >= {value}"),
            _ => format!("contains(l, {value})"),
        };
        match self.r.below(6) {
            0 => format!("not {simple}"),
            1 => format!("{simple} or n == {}", self.r.below(3)),
            _ => simple,
        }
    }

    fn statement(&mut self, names: &Names) -> String {
        let value = self.value(names);
        match self.r.below(15) {
            0..3 => "n += 1".to_string(),
            3 | 4 => format!("m[{value}] = n"),
            5 => format!("m = remove(m, {value})"),
            6 => format!("l = push(l, {value})"),
            7 => "if len(l) > 0 { l = remove(l, 0) }".to_string(),
            8 | 9 => "t0 = now".to_string(),
            10 => "for q in l { if q == 1 { n += 1 } }".to_string(),
            11 if self.has_clock => "print \"{n} {m} {t}\"".to_string(),
            11 => "print \"{n} {m} {l}\"".to_string(),
            12 if self.has_clock => "reset t".to_string(),
            13 if self.rings => {
                format!("reset t for {} ms", self.one(&["0", "1000", "2000", "(n * 1000)"]))
            }
            14 if self.has_clock => "stop t".to_string(),
            // Fails sometimes: then the instance is inconclusive.
            _ => format!("n = m[{value}] + 1"),
        }
    }

    fn update(&mut self, names: &Names) -> String {
        if !names.variables || !self.r.percent(60) {
            return String::new();
        }
        let statements: Vec<String> =
            (0..1 + self.r.below(2)).map(|_| self.statement(names)).collect();
        format!(" {{ {} }}", statements.join("\n"))
    }

    fn target(&mut self) -> String {
        match self.r.below(10) {
            0 => " -> drop".to_string(),
            1 | 2 => String::new(),
            _ => format!(" -> S{}", self.r.below(self.states)),
        }
    }

    fn message(&mut self, names: &Names) -> String {
        match self.r.percent(30) {
            true if names.variables && self.has_clock => " \"{n} {t} {len(m)}\"".to_string(),
            true if names.variables => " \"{n} {now} {len(m)}\"".to_string(),
            _ => String::new(),
        }
    }

    fn transition(&mut self, names: &Names) -> String {
        let (label, bound) = match self.r.below(12) {
            0 if self.has_clock => (format!("t at {} s", 1 + self.r.below(2)), vec![]),
            1 if self.rings => ("t rings".to_string(), vec![]),
            2 => ("end".to_string(), vec![]),
            _ => self.label(true),
        };
        let names = Names { bound, ..names.clone() };
        let guard = self.r.percent(45).then(|| self.guard(&names));
        let mut text = format!("    on {label}");
        if let Some(guard) = &guard {
            text += &format!(" if {guard}");
        }
        let (update, target) = (self.update(&names), self.target());
        // Something must be done.
        let target = match update.is_empty() && target.is_empty() {
            true => " -> S0".to_string(),
            false => target,
        };
        let message =
            if target.starts_with(" -> S") { self.message(&names) } else { String::new() };
        text += &format!("{update}{target}{message}");
        if guard.is_some() && self.r.percent(25) {
            text += &format!(" else -> S{}", self.r.below(self.states));
        }
        text
    }

    fn window(&mut self, number: usize) -> String {
        let (label, bound) = self.label(true);
        let guard = match self.r.percent(20) {
            true => format!(
                " if {} != 2",
                self.value(&Names { bound: bound.clone(), ..Names::default() })
            ),
            false => String::new(),
        };
        let within = self.one(&["0 s", "1 s", "2 s", "3 s", "pause"]).to_string();
        let name = format!("w{number}");
        self.windows.push(name.clone());
        let what = match bound.first() {
            Some(of) => {
                let kind = self.one(&["sum", "min", "max", "avg", "count distinct"]);
                format!("{kind} {label}{guard} of {of}")
            }
            None => format!("count {label}{guard}"),
        };
        format!("  window {name} = {what} within {within}\n")
    }

    /// A property with states.
    fn states(&mut self, name: &str, is_inner: bool) -> String {
        let simple = self.r.percent(35);
        let names = Names { variables: !simple, ..Names::default() };
        let mut text = match is_inner {
            true => format!("property {name} {{\n"),
            false => format!("property {name}({}) {{\n", self.params.join(", ")),
        };
        self.windows.clear();
        (self.has_clock, self.rings) = (false, false);
        let is_verde = !is_inner && self.r.percent(8);
        if is_verde {
            text += "  rule verde\n";
        } else if !is_inner {
            if self.r.percent(25) {
                text += &format!("  creation {}\n", self.one(&["e", "f", "h", "f, h"]));
            }
            if self.r.percent(20) && !self.params.is_empty() {
                let param = self.params[self.r.below(self.params.len())];
                let fitting: Vec<_> = EVENTS.iter().filter(|(_, a)| a.contains(&param)).collect();
                let (event, args) = **self.r.pick(&fitting);
                let args: Vec<&str> =
                    args.iter().map(|a| if *a == param { param } else { "_" }).collect();
                text += &format!("  ends {param} on {event}({})\n", args.join(", "));
            }
            for number in 0..if self.r.percent(35) { 1 + self.r.below(2) } else { 0 } {
                text += &self.window(number);
            }
        }
        text += "  param pause: duration = 2 s\n  param most: int = 1\n";
        if names.variables {
            text += "  var n: int = 0\n  var m: map = {}\n  var l: list = []\n  var t0: duration = 0 s\n";
            if self.r.percent(30) {
                (self.has_clock, self.rings) = (true, self.r.percent(60));
                text += if self.r.percent(50) { "  clock t\n" } else { "  clock t stopped\n" };
            }
        }
        self.states = 2 + self.r.below(3);
        for state in 0..self.states {
            let last = state + 1 == self.states;
            let kind = match state {
                0 => "start ",
                _ if last => "bad ",
                _ => self.one(&["", "", "pending ", "good ", "bad "]),
            };
            text += &format!("  {kind}state S{state}");
            if self.r.percent(20) {
                let after = self.one(&["1 s", "2 s", "pause"]);
                text += &format!(" within {after} else -> S{}", self.r.below(self.states))
                    .replace("else -> ", "else ");
            }
            text += " {\n";
            if names.variables && self.r.percent(15) {
                text += &format!("    enter {{ {} }}\n", self.statement(&names));
            }
            let count = if last && self.r.percent(60) { 0 } else { 1 + self.r.below(3) };
            for _ in 0..count {
                text += &self.transition(&names);
                text += "\n";
            }
            text += "  }\n";
        }
        text + "}\n"
    }

    /// A property with a pattern or a formula.
    fn formula(&mut self, name: &str) -> String {
        let params = self.params.join(", ");
        let mut event = || EVENTS[self.r.below(EVENTS.len())].0;
        let (a, b, c) = (event(), event(), event());
        let d = self.r.below(4);
        let body = match self.r.below(13) {
            0 => format!("never {a} {b}* {c}"),
            1 => format!("never {a} any* {b}"),
            2 => format!("only ({a} {b}*)* {c}?"),
            3 => format!("ltl always ({a} implies once {b})"),
            4 => format!("ltl always ({a} implies once within {d} s {b})"),
            5 => format!("ltl always ({a} implies historically within {d} s not {b})"),
            6 => format!("ltl always ({a} implies eventually within {d} s {b})"),
            7 => format!("ltl always ({a} implies (not {c}) until within {d} s {b})"),
            8 => format!("ltl always ({a} implies once within {d} s ({b} and previous {c}))"),
            9 => format!("ltl always ({a} implies (not {b}) since within {d} s {c})"),
            10 => format!("ltl always ({a} implies always between 1 s and {} s not {b})", d + 1),
            11 => format!("ltl always ({a} implies previous within {d} s {b})"),
            _ => format!("ltl eventually ({a} and once {b})"),
        };
        // `a implies always not a` and the like are refused.
        match a == b || a == c || b == c {
            true => format!("property {name}({params}) {{ never {a} {a} }}\n"),
            false => format!("property {name}({params}) {{ {body} }}\n"),
        }
    }

    fn registers(&mut self, name: &str) -> String {
        let within = match self.r.percent(30) {
            true => " within 2 s else S2",
            false => "",
        };
        let arrow = self.one(&["->", "=>"]);
        let guard = match self.r.percent(30) {
            true => " if not contains(m, y)",
            false => "",
        };
        format!(
            "property {name} {{
               var m: map = {{}}
               start state S0 {{ on f(?u, ?v){guard} {{ m[v] = u }} {arrow} S1 }}
               state S1{within} {{
                 on f(u, ?u) => S1
                 on g(v, _) {{ m = remove(m, v) }} -> S0
                 on e(u) -> S2
                 on h(u, _, _) -> drop
               }}
               bad state S2 \"{{u}} {{len(m)}}\"
             }}\n"
        )
    }

    /// Nested contexts that share variables.
    fn contexts(&mut self, name: &str) -> String {
        self.params = vec!["x"];
        let outer = self.states(&format!("{name}O"), true);
        self.params = vec!["x", "y"];
        let inner = self.states(&format!("{name}I"), true);
        format!("context C{name}(x) {{\n{outer}\ncontext D{name}(y) {{\n{inner}\n}}\n}}\n")
    }

    fn text(seed: u64) -> String {
        let mut writer = Writer {
            r: Random::new(seed),
            params: Vec::new(),
            windows: Vec::new(),
            has_clock: false,
            rings: false,
            states: 0,
        };
        let mut text = String::new();
        for (name, args) in EVENTS {
            text += &format!("event {name}({})\n", args.join(", "));
        }
        for number in 0..1 + writer.r.below(2) {
            let name = format!("P{number}");
            writer.params = writer.r.pick(&PARAMS).to_vec();
            text += &match writer.r.below(10) {
                0..6 => writer.states(&name, false),
                6 | 7 => writer.formula(&name),
                8 => writer.registers(&name),
                _ => writer.contexts(&name),
            };
        }
        text
    }
}

const SECOND: i64 = 1_000_000_000;

fn events(model: &Model, r: &mut Random) -> Vec<Event> {
    let mut now = r.below(3) as i64;
    let untimed = r.percent(10);
    let one = |r: &mut Random| {
        let (name, args) = *r.pick(&EVENTS);
        let kind = model.event(name).expect("it is declared");
        let value = |r: &mut Random| match r.below(12) {
            0 => Value::Null,
            1 => Value::str("a"),
            2 => Value::Float(0.5),
            _ => Value::Int(r.below(3) as i64),
        };
        let mut event = Event::new(kind, args.iter().map(|_| value(r)).collect());
        now += *r.pick(&[0, 0, 0, 1, 1, 2, 4]);
        event.time = (!untimed && r.percent(95)).then_some(now * SECOND);
        event
    };
    let count = 5 + r.below(25);
    let mut all = Vec::new();
    let mut one = one;
    for _ in 0..count {
        all.push(one(r));
    }
    all
}

/// What is found: reports, lines, and since when which properties are inconclusive.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    reports: Vec<String>,
    lines: Vec<String>,
    inconclusive: BTreeMap<u32, u64>,
}

impl Found {
    fn sorted(mut self) -> Found {
        self.reports.sort();
        self.lines.sort();
        self
    }

    fn take(&mut self, engine: &mut Engine, number: bool, counts: impl Fn(PropertyId) -> bool) {
        let shown = |mut report: Report| {
            report.index = if number { report.index } else { 0 };
            show(&report)
        };
        let reports = engine.take_reports();
        self.reports.extend(reports.into_iter().filter(|r| counts(r.property)).map(shown));
        for said in engine.take_said() {
            if let Said::Print { text, property } = said
                && counts(property)
            {
                self.lines.push(text);
            }
        }
        for doubt in engine.doubts().iter().filter(|d| counts(d.property)) {
            let index = if number { doubt.index } else { 0 };
            self.inconclusive.entry(doubt.property.0).or_insert(index);
        }
    }
}

fn by_reference(model: &Model, events: &[Event]) -> Found {
    let mut reference = Reference::new(model.clone());
    for event in events {
        let _ = reference.step(event);
    }
    reference.end();
    let mut found = Found {
        reports: reference.reports().iter().map(show).collect(),
        lines: reference.printed().to_vec(),
        ..Found::default()
    };
    for (property, index) in reference.inconclusive() {
        found.inconclusive.entry(property.0).or_insert(*index);
    }
    found.sorted()
}

/// How an engine is given the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Plain,
    Soon,
    /// Saved and restored before some events.
    Restored,
    /// All instances exist.
    Unplanned,
    Remembering,
}

fn by_engine(
    plan: &Arc<Plan>,
    events: &[Event],
    way: Way,
    limits: &Options,
    r: &mut Random,
) -> Found {
    let plan = match way {
        Way::Unplanned => Arc::new(Plan::with(plan.model.clone(), Ways::NONE)),
        _ => plan.clone(),
    };
    let history = if way == Way::Remembering { 3 } else { 0 };
    let options = Options { history, ..limits.clone() };
    let mut engine = Engine::with_plan(plan.clone(), options.clone());
    let mut found = Found::default();
    for event in events {
        if way == Way::Restored && r.percent(25) {
            found.take(&mut engine, true, |_| true);
            let next = engine.next_deadline();
            engine = Engine::restore(plan.clone(), options.clone(), &engine.save())
                .expect("what was saved is restored");
            assert_eq!(engine.next_deadline(), next);
        }
        let args: Vec<ValueRef<'_>> = event.args.iter().map(ValueRef::from).collect();
        let event = EventRef::of(event, &args);
        let _ = if way == Way::Soon { engine.step_soon(&event) } else { engine.step(&event) };
    }
    engine.end();
    found.take(&mut engine, true, |_| true);
    found.sorted()
}

/// What shards find. The numbers of events are those of the shard.
fn by_shards(plan: &Arc<Plan>, events: &[Event], mut router: Router, count: usize) -> Found {
    let mut shards: Vec<Engine> =
        (0..count).map(|_| Engine::with_plan(plan.clone(), Options::default())).collect();
    let mut last = None;
    for event in events {
        if let (None, Some(first)) = (last, event.time) {
            shards.iter_mut().for_each(|shard| shard.advance_to(first).expect("the first time"));
        }
        last = event.time.or(last);
        let args: Vec<ValueRef<'_>> = event.args.iter().map(ValueRef::from).collect();
        let event = EventRef { time: last, ..EventRef::of(event, &args) };
        for Delivery { shard, only } in router.route(&event) {
            shards[shard].step_for(&event, only.as_deref()).expect("times are in order");
        }
    }
    let mut found = Found::default();
    for (number, shard) in shards.iter_mut().enumerate() {
        if let Some(last) = last {
            shard.advance_to(last).expect("the last time");
        }
        shard.end();
        found.take(shard, false, |property| router.counts(number, property));
    }
    found.sorted()
}

/// What is found without the numbers of events.
fn unnumbered(plan: &Arc<Plan>, events: &[Event]) -> Found {
    let mut engine = Engine::with_plan(plan.clone(), Options::default());
    for event in events {
        let _ = engine.step_owned(event);
    }
    engine.end();
    let mut found = Found::default();
    found.take(&mut engine, false, |_| true);
    found.sorted()
}

/// Compares all; gives what was found.
fn compare(text: &str, seed: u64) -> Result<Found, String> {
    let model = model(text);
    let mut r = Random::new(!seed);
    let events = events(&model, &mut r);
    let expected = by_reference(&model, &events);
    let plan = Arc::new(Plan::new(model));
    let shown = || events.iter().map(|e| format!("{:?}\n", e)).collect::<String>();
    for way in [Way::Plain, Way::Soon, Way::Restored, Way::Unplanned, Way::Remembering] {
        let found = by_engine(&plan, &events, way, &Options::default(), &mut r);
        if found != expected {
            return Err(format!("{way:?}: {found:#?}\nexpected {expected:#?}\n{}", shown()));
        }
    }
    // Whom a limit keeps does not depend on the way; but when instances with empty windows are
    // forgotten does.
    let has_windows = plan.model.properties.iter().any(|p| !p.windows.is_empty());
    let kept = [Keep::Newest, Keep::Oldest, Keep::Random(seed)];
    for keep in kept.into_iter().filter(|_| !has_windows) {
        let limits = Options { max_instances: Some(2), keep, ..Options::default() };
        let [limited, soon, restored] = [Way::Plain, Way::Soon, Way::Restored]
            .map(|way| by_engine(&plan, &events, way, &limits, &mut r));
        for (what, found) in [("soon", soon), ("restored", restored)] {
            if found != limited {
                return Err(format!(
                    "{keep:?}, {what}: {found:#?}\nexpected {limited:#?}\n{}",
                    shown()
                ));
            }
        }
    }
    let whole = unnumbered(&plan, &events);
    let routers = [Router::new(plan.clone(), 3), Router::stateless(plan.clone(), 3)];
    for (what, router) in ["learning", "stateless"].into_iter().zip(routers) {
        let found = by_shards(&plan, &events, router, 3);
        if found != whole {
            return Err(format!("{what} shards: {found:#?}\nexpected {whole:#?}\n{}", shown()));
        }
    }
    Ok(expected)
}

#[test]
fn all_that_evaluates_finds_the_same_in_texts() {
    let (mut verdicts, mut lost, mut traces) = (0, 0, 0);
    for seed in seeds(20_000) {
        let text = Writer::text(seed);
        let found = quiet(|| {
            std::panic::catch_unwind(|| compare(&text, seed))
                .unwrap_or_else(|why| Err(format!("panicked: {:?}", why.downcast_ref::<String>())))
        });
        match found {
            Err(why) => panic!("seed {seed}: {why}\n{text}"),
            Ok(found) => {
                traces += 1;
                verdicts += usize::from(!found.reports.is_empty());
                lost += usize::from(!found.inconclusive.is_empty());
            }
        }
    }
    println!("{traces} texts, {verdicts} with reports, {lost} inconclusive somewhere");
    assert!(!is_full() || verdicts > traces / 3 && lost > traces / 50);
}
