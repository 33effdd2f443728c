//! State in objects is the state of the reference evaluator: random properties and random events, played
//! to the classes of the runtime in a real JVM.

use std::collections::BTreeSet;
use std::fmt::Write;

use watchword_cases::budgets::Budgets;
use watchword_model::{Event, Model, Object, PropertyId, StateId, Target, Value};
use watchword_monitor::reference::Reference;
use watchword_plan::{Inline, Letter, Plan, Role};
use watchword_spec::{SourceFile, load};
use watchword_weave::cells::{self, Bit, Choice, OperationKind};
use watchword_weave::hook::Shape;
use watchword_weave::{runtime, special};

use crate::driver::Driver;
use crate::jdk::{Jdk, jdks};

/// A generator that is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// A declared event: name, parameters, and what its labels can be.
type Declared = (&'static str, &'static str, &'static [&'static str]);

/// Parameters, the event that creates slices, and events.
type Properties = (&'static str, &'static str, &'static [Declared]);

/// What an event can depend on: a truth value `f`, whether there is an object `r`, a class `k`.
const FLAGS: &[&str] = &["x, true", "x, false", "x, !true", "x, ?f) if (f == true or f == null"];
const THERE: &[&str] = &["x, null", "x, !null", "x, _", "x, ?r) if (r != false and r != null"];
const KINDS: &[&str] = &[
    r#"x, "OfCell""#,
    r#"x, ?k) if (k == null or not starts_with(k, "Of")"#,
    r#"x, ?k) if (k != null and matches(k, "*{Both,ject}") and k != "Object""#,
    "x, _",
];
const BOTH: &[&str] = &[
    "x, true, _",
    r#"x, false, ?k) if (k == null or ends_with(k, "h")"#,
    r#"x, ?f, ?k) if (f != true or k == "OfCell""#,
    r#"x, _, ?k) if (k != null and (contains(k, "O") and k != "OfOld")"#,
];

const SHAPES: [Properties; 8] = [
    (
        "x",
        "",
        &[("a", "x", &["x"]), ("b", "x", &["x"]), ("c", "x, f: bool", FLAGS), ("r", "x, r", THERE)],
    ),
    ("x", "a", &[("a", "x", &["x"]), ("b", "x", &["x"]), ("c", "x, f: bool", FLAGS)]),
    (
        "x",
        "",
        &[
            ("a", "x", &["x"]),
            ("k", "x, k: string", KINDS),
            ("g", "x, f: bool, k: string", BOTH),
            ("l", "x, k: string", KINDS),
        ],
    ),
    (
        "p, c",
        "make",
        &[
            ("make", "p, c", &["p, c"]),
            ("use", "c", &["c"]),
            ("look", "c, k: string", &["c, _", r#"c, "OfCell""#, r#"c, !"OfBoth""#]),
            ("change", "p, f: bool", &["p, true"]),
            ("clear", "p, r", &["p, !null"]),
        ],
    ),
    (
        "m, c, i",
        "view",
        &[
            ("view", "m, c", &["m, c"]),
            (
                "walk",
                "c, i, k: string",
                &["c, i, _", r#"c, i, ?k) if (k == null or matches(k, "{Object,OfBoth}")"#],
            ),
            ("next", "i", &["i"]),
            ("change", "m, r", &["m, null"]),
        ],
    ),
    (
        "p, c",
        "make",
        &[
            (
                "make",
                "p, c, k: string",
                &["p, c, _", r#"p, c, !"Object""#, r#"p, c, ?k) if (k == null or k == "OfCell""#],
            ),
            ("use", "c", &["c"]),
            ("change", "p, f: bool", &["p, false"]),
        ],
    ),
    // Slices begin with whatever leaves the start state.
    (
        "p, c",
        "",
        &[
            ("make", "p, c, k: string", &["p, c, _", r#"p, c, "OfCell""#]),
            ("use", "c", &["c"]),
            ("change", "p", &["p"]),
        ],
    ),
    (
        "m, c, i",
        "",
        &[
            ("view", "m, c", &["m, c"]),
            ("walk", "c, i", &["c, i"]),
            ("next", "i", &["i"]),
            ("change", "m", &["m"]),
        ],
    ),
];

/// A property; events and it have names that end in its number.
fn property(random: &mut Random, number: usize) -> String {
    let (params, creation, events) = SHAPES[random.below(SHAPES.len())];
    let mut text = String::new();
    for (name, params, _) in events {
        let _ = writeln!(text, "event {name}{number}({params})");
    }
    let _ = writeln!(text, "property P{number}({params}) {{");
    if !creation.is_empty() {
        let _ = writeln!(text, "creation {creation}{number}");
    }
    let states = 2 + random.below(4);
    let density = 1 + random.below(4);
    let drops = random.chance(4);
    for state in 0..states {
        let kind = match state {
            0 => "start ",
            s if s + 1 == states => "bad ",
            _ => "",
        };
        let _ = writeln!(text, "{kind}state S{state} {{");
        for (at, (name, _, labels)) in events.iter().enumerate() {
            // Most slices of several objects begin with the event that binds two of them.
            let begins = at == 0 || state > 0 || !params.contains(',') || !creation.is_empty();
            for _ in 0..labels.len().min(2) {
                if random.below(4) >= density {
                    continue;
                }
                let label = labels[random.below(labels.len())];
                let to = match begins || random.chance(8) {
                    true if drops && random.chance(4) => "drop".to_string(),
                    true => format!("S{}", random.below(states)),
                    false => "S0".to_string(),
                };
                let _ = writeln!(text, "  on {name}{number}({label}) -> {to}");
            }
        }
        let _ = writeln!(text, "}}");
    }
    text + "}\n"
}

fn model_of(text: &str) -> Model {
    let file = SourceFile::new("p.ww", text);
    load(&[file], &|_, _| Err("no imports".into())).model.unwrap_or_else(|| panic!("{text}"))
}

/// A letter of a property, as the runtime knows it.
struct Known {
    home: usize,
    which: usize,
}

/// One operation of a site: its letter, which of the hook's objects are its own, and the number of
/// its choice.
#[derive(Clone, Copy)]
struct Part {
    letter: usize,
    objects: [bool; 2],
    choice: usize,
}

/// What happens: a site with objects, by number, and the flag.
#[derive(Clone)]
struct Happens {
    site: usize,
    objects: [usize; 2],
    flag: usize,
}

/// One letter of what happens.
type Step = (Part, Happens);

/// What is reported: the letter, leaf, middle and root.
type Found = (usize, usize, usize, usize);

/// The kinds of objects that the driver has, and the classes that they are of.
const CLASSES: [(char, &str); 4] =
    [('c', "OfCell"), ('b', "OfBoth"), ('o', "OfOld"), ('x', "Object")];

/// Properties, and sites of a program about them.
struct Case {
    text: String,
    model: Model,
    homes: Vec<Inline>,
    /// By number, from 1.
    letters: Vec<Known>,
    sites: Vec<Vec<Part>>,
    /// By number; for each the letter it is of.
    choices: Vec<(Choice, usize)>,
    /// Of which kinds objects are, by turns.
    kinds: &'static str,
    /// How many objects play each part of a property, and whether an object plays one only.
    crowd: usize,
    apart: bool,
}

impl Case {
    /// `None` if the state of some property cannot be in the objects.
    fn new(random: &mut Random, properties: usize) -> Option<Case> {
        let text: String = (0..properties).map(|number| property(random, number)).collect();
        Case::of(text, random)
    }

    /// The same, of given properties.
    fn of(text: String, random: &mut Random) -> Option<Case> {
        let model = model_of(&text);
        let properties = model.properties.len();
        let plan = Plan::new(model.clone());
        let inline = |number| plan.inline(PropertyId::from_index(number)).ok();
        let homes: Vec<Inline> = (0..properties).map(inline).collect::<Option<_>>()?;
        let letters: Vec<Known> = homes
            .iter()
            .enumerate()
            .flat_map(|(home, inline)| {
                (0..inline.letters.len()).map(move |which| Known { home, which })
            })
            .collect();
        let mut case = Case {
            text,
            model,
            homes,
            letters,
            sites: Vec::new(),
            choices: vec![(Choice::default(), 0)],
            kinds: ["c", "b", "cb", "cbx", "x", "o", "co"][random.below(7)],
            crowd: if random.chance(2) { 3 } else { 1 + random.below(8) },
            apart: random.chance(2),
        };
        for letter in 1..=case.letters.len() {
            let swapped = random.chance(3);
            let mut site = vec![case.part(letter, swapped, random)];
            let other = 1 + random.below(case.letters.len());
            if random.chance(3) && case.letters[other - 1].home != case.letters[letter - 1].home {
                let swapped = random.chance(2);
                site.push(case.part(other, swapped, random));
            }
            case.sites.push(site);
        }
        Some(case)
    }

    fn letter(&self, number: usize) -> &Letter {
        let Known { home, which } = self.letters[number - 1];
        &self.homes[home].letters[which]
    }

    fn part(&mut self, letter: usize, swapped: bool, random: &mut Random) -> Part {
        let objects = match self.letter(letter).role {
            Role::Leaf(_) | Role::Root(_) => [swapped, swapped],
            // The two may be one.
            _ if random.chance(20) => [swapped, swapped],
            Role::Link(..) | Role::Grow(..) => [swapped, !swapped],
        };
        let choice = self.choice(letter, objects);
        Part { letter, objects, choice }
    }

    /// The position of a parameter of an event of a letter.
    fn position(&self, letter: usize, name: &str) -> Option<u32> {
        let params = &self.model.events[self.letter(letter).event.index()].params;
        params.iter().position(|param| param.name == name).map(|at| at as u32)
    }

    /// The case of an event of a letter: the truth value, whether there is an object, the class.
    fn case(&self, letter: usize, flag: Value, there: bool, class: Value) -> usize {
        let [f, r, k] = ["f", "r", "k"].map(|name| self.position(letter, name));
        self.letter(letter).case(&|at| match Some(at) {
            at if at == f => flag.clone(),
            at if at == r && there => Value::Ref(Object { id: 1, class: None }),
            at if at == k => class.clone(),
            _ => Value::Null,
        })
    }

    fn cases(&self, letter: usize, class: Value) -> [u8; 2] {
        [false, true].map(|bit| self.case(letter, Value::Bool(bit), bit, class.clone()) as u8)
    }

    /// A choice for a letter with these objects of the hook.
    fn choice(&mut self, letter: usize, objects: [bool; 2]) -> usize {
        if self.letter(letter).conditions.is_empty() {
            return 0;
        }
        let has = |name: &str| self.position(letter, name).is_some();
        let bit = match (has("f"), has("r")) {
            (true, _) => Some(Bit::Number),
            (_, true) => Some(Bit::There(!objects[0])),
            _ => None,
        };
        let class = has("k").then_some(objects[1]);
        self.choices.push((Choice { cases: self.cases(letter, Value::Null), bit, class }, letter));
        self.choices.len() - 1
    }

    /// The class of an object, by its number.
    fn class(&self, object: usize) -> Value {
        let kind = self.kinds.as_bytes()[object % self.kinds.len()];
        let class = CLASSES.iter().find(|(of, _)| *of == char::from(kind));
        class.map_or(Value::Null, |(_, name)| Value::str(name))
    }

    /// The sites with events of a property.
    fn sites_of(&self, home: usize) -> Vec<usize> {
        let is_own = |part: &Part| self.letters[part.letter - 1].home == home;
        (0..self.sites.len()).filter(|site| self.sites[*site].iter().any(is_own)).collect()
    }

    fn kind(&self, letter: usize) -> OperationKind {
        let home = self.letters[letter - 1].home;
        let before = &self.homes[..home];
        let lanes = before.iter().filter(|home| home.chain.len() == 1).count() as u32;
        let chain = home as u32 - lanes;
        match self.letter(letter).role {
            // The highest lane of a word is next to the sign; properties share a word or do not.
            _ if self.homes[home].chain.len() == 1 => {
                let shared = self.crowd.is_multiple_of(2);
                OperationKind::Lane(if shared { 60 - 4 * lanes } else { 60 + 64 * lanes })
            }
            Role::Leaf(_) => OperationKind::Leaf(chain),
            Role::Root(_) => OperationKind::Root(chain),
            Role::Link(..) => OperationKind::Link(chain),
            Role::Grow(..) => OperationKind::Grow(chain),
        }
    }

    /// The parameters that a letter is about, by position: first and second object.
    fn about(&self, letter: usize) -> [u32; 2] {
        match self.letter(letter).role {
            Role::Leaf(at) | Role::Root(at) => [at, at],
            Role::Link(first, second) | Role::Grow(first, second) => [first, second],
        }
    }

    /// The number of an object that may play the part of a parameter.
    fn object(&self, random: &mut Random, letter: usize, param: u32) -> usize {
        self.numbered(letter, param, random.below(self.crowd))
    }

    /// The number of one of the objects that may, of which there is a crowd.
    fn numbered(&self, letter: usize, param: u32, which: usize) -> usize {
        let event = &self.model.events[self.letter(letter).event.index()];
        let role = "xpcmi".find(&event.params[param as usize].name[..1]).unwrap_or(0);
        1 + which + if self.apart { role * self.crowd } else { 0 }
    }

    fn happens(&self, random: &mut Random) -> Happens {
        let site = random.below(self.sites.len());
        self.happens_at(random, site)
    }

    fn happens_at(&self, random: &mut Random, site: usize) -> Happens {
        let mut objects = [0; 2];
        let mut flagged = false;
        for part in self.sites[site].iter().rev() {
            for (at, param) in part.objects.iter().zip(self.about(part.letter)) {
                objects[usize::from(*at)] = self.object(random, part.letter, param);
            }
            flagged |= self.position(part.letter, "f").is_some();
            // An object that the event is not about is there or not.
            let other = &mut objects[usize::from(!part.objects[0])];
            if self.position(part.letter, "r").is_some() && *other == 0 && random.chance(2) {
                *other = 1;
            }
        }
        // A flag that is null comes another way, one letter at a time.
        let flags = if self.sites[site].len() == 1 { 3 } else { 2 };
        Happens { site, objects, flag: if flagged { random.below(flags) } else { 0 } }
    }

    /// Many objects that live alike: one after the other is in a few events at the same sites, while
    /// what they are joined to stays, and changes now and then.
    fn lives(&self, random: &mut Random) -> Vec<Happens> {
        let sites = self.sites_of(random.below(self.homes.len()));
        let life: Vec<usize> =
            (0..2 + random.below(4)).map(|_| sites[random.below(sites.len())]).collect();
        let mut all = Vec::new();
        for object in 0..self.crowd {
            for site in &life {
                all.push(self.lived(random, *site, object));
                if random.chance(3) {
                    let site = sites[random.below(sites.len())];
                    all.push(self.lived(random, site, object));
                }
            }
        }
        all
    }

    /// An event of a site about one of the crowd, and the first of those that it is joined to.
    fn lived(&self, random: &mut Random, site: usize, object: usize) -> Happens {
        let mut happens = self.happens_at(random, site);
        let part = self.sites[site][0];
        let which = match self.letter(part.letter).role {
            Role::Leaf(_) => [object, object],
            Role::Root(_) => [0, 0],
            Role::Link(..) | Role::Grow(..) => [0, object],
        };
        for ((at, param), which) in part.objects.iter().zip(self.about(part.letter)).zip(which) {
            happens.objects[usize::from(*at)] = self.numbered(part.letter, param, which);
        }
        happens
    }

    fn steps(&self, happens: &Happens) -> impl Iterator<Item = Step> {
        let parts = self.sites[happens.site].clone();
        let happens = happens.clone();
        parts.into_iter().map(move |part| (part, happens.clone()))
    }

    fn event(&self, (part, happens): &Step) -> Event {
        let letter = self.letter(part.letter);
        let mut args = vec![Value::Null; self.model.events[letter.event.index()].params.len()];
        for (at, param) in part.objects.iter().zip(self.about(part.letter)) {
            let id = happens.objects[usize::from(*at)] as u64;
            args[param as usize] = Value::Ref(Object { id, class: None });
        }
        let mut put = |name: &str, value: Value| {
            if let Some(at) = self.position(part.letter, name) {
                args[at as usize] = value;
            }
        };
        put("f", if happens.flag == 2 { Value::Null } else { Value::Bool(happens.flag == 1) });
        let other = happens.objects[usize::from(!part.objects[0])];
        if other != 0 {
            put("r", Value::Ref(Object { id: other as u64, class: None }));
        }
        put("k", self.class(happens.objects[usize::from(part.objects[1])]));
        Event { kind: letter.event, args, time: None, thread: None, location: None }
    }

    /// What the reference evaluator reports of each step.
    fn verdicts<'s>(&self, steps: impl Iterator<Item = &'s Step>) -> Vec<Vec<Found>> {
        let found = self.entered(steps).into_iter();
        found.map(|all| all.into_iter().map(|(found, _)| found).collect()).collect()
    }

    /// The same, each with the state that is entered.
    fn entered<'s>(&self, steps: impl Iterator<Item = &'s Step>) -> Vec<Vec<(Found, StateId)>> {
        let mut reference = Reference::new(self.model.clone());
        let mut seen = 0;
        steps
            .map(|step| {
                reference.step(&self.event(step)).unwrap();
                let reports = &reference.reports()[seen..];
                seen += reports.len();
                let mut all: Vec<(Found, StateId)> = reports
                    .iter()
                    .map(|report| {
                        let letter = step.0.letter;
                        let home = &self.homes[self.letters[letter - 1].home];
                        let names = self
                            .model
                            .params(self.model.properties[report.property.index()].context);
                        let value = |param: &u32| {
                            let name = &names[*param as usize].1.name;
                            let bound = report.binding.iter().find(|(bound, _)| **bound == **name);
                            match bound {
                                Some((_, Value::Ref(object))) => object.id as usize,
                                _ => 0,
                            }
                        };
                        let chain: Vec<usize> = home.chain.iter().map(value).collect();
                        let found = match chain[..] {
                            [leaf] => (letter, leaf, 0, 0),
                            [root, leaf] => (letter, leaf, 0, root),
                            [root, middle, leaf] => (letter, leaf, middle, root),
                            _ => panic!("a chain of {}", chain.len()),
                        };
                        (found, report.state)
                    })
                    .collect();
                all.sort_unstable();
                all
            })
            .collect()
    }

    /// Tells the driver of the properties and sites.
    fn describe(&self, script: &mut String) {
        let counter = |home: usize| self.letters.len() + 1 + home;
        let chains = self.homes.iter().filter(|home| home.chain.len() > 1);
        let objects = 1 + self.crowd * if self.apart { 5 } else { 1 };
        let kinds = self.kinds;
        let _ = writeln!(
            script,
            "case {} {} {} {objects} {kinds}",
            self.letters.len() + 1,
            chains.clone().count(),
            counter(self.homes.len())
        );
        for letter in 1..=self.letters.len() {
            let info = self.kind(letter).bits(counter(self.letters[letter - 1].home));
            for (case, table) in self.letter(letter).tables.iter().enumerate() {
                let (next, report) = (table.next as i64, table.report);
                let _ = writeln!(script, "letter {letter} {case} {next} {report} {info}");
            }
        }
        for (number, home) in chains.enumerate() {
            let _ = writeln!(script, "chain {number} {}", home.root as i64);
        }
        for (number, (choice, letter)) in self.choices.iter().enumerate().skip(1) {
            let _ = writeln!(script, "choice {number} {}", choice.bits());
            for (_, class) in CLASSES.iter().filter(|_| choice.class.is_some()) {
                let cases = cells::pack_cases(self.cases(*letter, Value::str(class)));
                let _ = writeln!(script, "class {number} {class} {cases}");
            }
        }
        for (number, site) in self.sites.iter().enumerate() {
            let operation = |part: &Part| {
                let [first, second] = part.objects;
                cells::operation(part.letter, first, second)
            };
            let operations: Vec<i64> = site.iter().map(operation).collect();
            let operations = cells::operations(&operations, false);
            let choices: Vec<usize> = site.iter().map(|part| part.choice).collect();
            let _ = writeln!(script, "site {number} {operations} {}", cells::choices(&choices));
        }
    }

    /// The hooks that are made for the operations of each site.
    fn hooks(&self, driver: &Driver, made: &mut usize) -> Vec<String> {
        let hook = |site: &Vec<Part>| {
            let operations: Vec<special::Operation> = site
                .iter()
                .map(|part| special::Operation {
                    letter: part.letter,
                    kind: self.kind(part.letter),
                    tables: {
                        let tables = self.letter(part.letter).tables.iter();
                        tables.map(|table| (table.next, table.report)).collect()
                    },
                    objects: part.objects,
                    choice: (part.choice, self.choices[part.choice].0),
                })
                .collect();
            let name: &'static str = special::name(*made).leak();
            *made += 1;
            let shape = Shape { objects: 2, longs: 1 };
            driver.put(name, &special::class(name, shape, &operations, 0).unwrap());
            name.trim_start_matches("java/util/").to_string()
        };
        self.sites.iter().map(hook).collect()
    }

    /// What happens, for people.
    fn told(&self, all: &[Happens]) -> Vec<String> {
        let step = |step: Step| {
            let event = self.event(&step);
            let name = &self.model.events[event.kind.index()].name;
            format!("{name} {:?} at {}", event.args, step.1.site)
        };
        all.iter().flat_map(|happens| self.steps(happens)).map(step).collect()
    }

    /// A line of the script for what happens.
    fn line(&self, random: &mut Random, hooks: &[String], happens: &Happens) -> String {
        let Happens { site, objects: [a, b], flag } = happens;
        if *flag == 2 {
            let part = self.sites[*site][0];
            let [first, second] = part.objects.map(|at| happens.objects[usize::from(at)]);
            let event = self.event(&(part, happens.clone()));
            let letter = self.letter(part.letter);
            let case = letter.case(&|at| event.args[at as usize].clone());
            return format!("event {site} ? {first} {second} {case} {}", part.letter);
        }
        let hook = match hooks.get(*site) {
            Some(hook) if random.chance(2) => hook,
            _ => "-",
        };
        format!("event {site} {hook} {a} {b} {flag}")
    }
}

/// What the driver says of a report: the last tag of its history, the case, and the code before.
type Told = [usize; 3];

/// What the driver says of an event.
fn answer(line: &str) -> Vec<(Found, Told)> {
    let mut all: Vec<(Found, Told)> = line
        .split_whitespace()
        .map(|told| {
            let n: Vec<usize> = told.split(',').map(|n| n.parse().unwrap()).collect();
            ((n[0], n[1], n[2], n[3]), [n[4], n[5], n[6]])
        })
        .collect();
    all.sort_unstable();
    all
}

fn rounds(default: usize) -> usize {
    std::env::var("WATCHWORD_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// How often a hook of its own is used: making a class takes longer than a thousand events.
const WITH_HOOKS: usize = 12;

/// Plays random events to classes of the runtime; returns what went wrong first.
pub fn in_sequence(
    jdk: &Jdk,
    name: &str,
    runtime: &[runtime::Class],
    rounds: usize,
) -> Result<(), String> {
    let driver = Driver::new(jdk, name, runtime, false);
    let mut random = Random(17);
    let (mut script, mut cases, mut made) = (String::new(), Vec::new(), 0);
    let (mut qualified, mut chosen, mut reported) = ([0; 4], [0; 2], 0);
    for _ in 0..rounds {
        let properties = 1 + random.below(3);
        let Some(mut case) = Case::new(&mut random, properties) else { continue };
        let lives = random.chance(2);
        if lives {
            case.crowd = 4 + random.below(8);
        }
        for home in &case.homes {
            qualified[home.chain.len()] += 1;
        }
        for (choice, _) in &case.choices[1..] {
            chosen[usize::from(choice.class.is_some())] += 1;
        }
        case.describe(&mut script);
        let hooks =
            if random.chance(WITH_HOOKS) { case.hooks(&driver, &mut made) } else { Vec::new() };
        let all = match lives {
            true => case.lives(&mut random),
            false => (0..20 + random.below(80)).map(|_| case.happens(&mut random)).collect(),
        };
        for happens in &all {
            let _ = writeln!(script, "{}", case.line(&mut random, &hooks, happens));
        }
        script += "end\n";
        cases.push((case, all));
    }
    let mut answers = driver.play(&script)?.into_iter();
    for (case, all) in &cases {
        let steps: Vec<Step> = all.iter().flat_map(|happens| case.steps(happens)).collect();
        let mut expected = case.entered(steps.iter()).into_iter();
        let mut counts = vec![0u64; 1 + case.letters.len()];
        for happens in all {
            let mut wanted = Vec::new();
            for part in &case.sites[happens.site] {
                counts[part.letter] += 1;
                wanted.extend(expected.next().unwrap());
            }
            wanted.sort_unstable();
            let found = answer(&answers.next().unwrap_or_default());
            let context = || {
                let at = all.iter().position(|h| std::ptr::eq(h, happens)).unwrap_or(0);
                case.told(&all[..=at]).join("\n") + "\n" + &case.text
            };
            reported += found.len();
            let reports: Vec<(Found, StateId)> = found
                .iter()
                .map(|(found, [_, of, code])| {
                    let transition = case.letter(found.0).taken(*of, *code).unwrap();
                    let home = &case.homes[case.letters[found.0 - 1].home];
                    let property = &case.model.properties[home.property.index()];
                    match property.transitions[transition.index()].then.target {
                        Target::State(state) => (*found, state),
                        other => panic!("{other:?} is reported; {}", context()),
                    }
                })
                .collect();
            if reports != wanted {
                return Err(format!("{reports:?}, not {wanted:?}; {}", context()));
            }
            // The last event of a history is this one.
            if found.iter().any(|(_, [last, of, _])| *last != (happens.site + 1) << 1 | of & 1) {
                return Err(format!("{found:?} do not end here; {}", context()));
            }
        }
        let total = answers.next().unwrap_or_default();
        let total: Vec<u64> = total
            .trim_matches(['[', ']'])
            .split(", ")
            .map(|n| n.parse().unwrap())
            .take(counts.len())
            .collect();
        if total != counts {
            return Err(format!("{total:?} events, not {counts:?}\n{}", case.text));
        }
    }
    assert!(qualified[1..].iter().all(|n| *n > rounds / 200), "{qualified:?}");
    assert!(chosen.iter().all(|n| *n > rounds / 20), "{chosen:?}");
    assert!(reported > rounds, "{reported}");
    Ok(())
}

#[test]
fn state_in_objects_is_that_of_the_reference() {
    for jdk in jdks() {
        if let Err(wrong) = in_sequence(jdk, "sequence", &runtime::BASE, rounds(1500)) {
            panic!("{}: {wrong}", jdk.name());
        }
    }
}

/// All ways in which steps of threads can follow each other.
fn interleavings(threads: &[&[Step]]) -> Vec<Vec<Step>> {
    if threads.iter().all(|steps| steps.is_empty()) {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, steps) in threads.iter().enumerate() {
        let Some((first, rest)) = steps.split_first() else { continue };
        let mut left = threads.to_vec();
        left[at] = rest;
        for mut tail in interleavings(&left) {
            tail.insert(0, first.clone());
            all.push(tail);
        }
    }
    all
}

/// In how many orders random events of threads are tried.
const SEEDS: usize = 4;

/// Events of threads that nothing puts into an order.
struct Crossing {
    case: Case,
    before: Vec<Happens>,
    threads: Vec<Vec<Happens>>,
    after: Vec<Happens>,
    /// In how many orders the same events of the threads are tried.
    seeds: usize,
}

/// Events by name, each with the number of an object.
type Events = &'static [(&'static str, usize)];

/// Events that get in each other's way: a property, what happens before, in two threads, and after.
const CLASHES: [(&str, Events, [Events; 2], Events); 2] = [
    // Two steps of one object.
    (
        "event make0(p, c)\nevent use0(c)\nproperty P0(p, c) {\ncreation make0\n\
         start state S0 { on make0(p, c) -> S1 }\nstate S1 { on use0(c) -> S2 }\n\
         state S2 { on use0(c) -> S3 }\nstate S3 { on use0(c) -> S4 }\nbad state S4\n}\n",
        &[("make0", 0)],
        [&[("use0", 0)], &[("use0", 0)]],
        &[("use0", 0), ("use0", 0)],
    ),
    // The first two objects that are joined to another.
    (
        "event make0(p, c)\nevent use0(c)\nevent change0(p)\nproperty P0(p, c) {\n\
         creation make0\nstart state S0 { on make0(p, c) -> S1 }\n\
         state S1 { on change0(p) -> S2 }\nstate S2 { on use0(c) -> S3 }\nbad state S3\n}\n",
        &[],
        [&[("make0", 0)], &[("make0", 1)]],
        &[("change0", 0), ("use0", 0), ("use0", 1)],
    ),
];
/// In how many orders each of these is tried.
const CLASH_SEEDS: usize = 200;

/// One of the clashes.
fn clash(number: usize, random: &mut Random) -> Crossing {
    let (text, before, threads, after) = CLASHES[number];
    let mut case = Case::of(text.to_string(), random).expect("its state is in objects");
    (case.kinds, case.crowd, case.apart) = ("c", 2, true);
    let mut happen = |events: Events| -> Vec<Happens> {
        let one = |(name, object): &(&str, usize)| {
            let is_named = |site: &usize| {
                let event = case.letter(case.sites[*site][0].letter).event;
                case.model.events[event.index()].name == *name
            };
            let site = (0..case.sites.len()).find(is_named).expect("the event has a site");
            case.lived(random, site, *object)
        };
        events.iter().map(one).collect()
    };
    let (before, after) = (happen(before), happen(after));
    let threads = threads.iter().map(|events| happen(events)).collect();
    Crossing { case, before, threads, after, seeds: CLASH_SEEDS }
}

/// Writes down what happens in a crossing, in each of its orders.
fn script_of(crossing: &Crossing, hooks: &[String], random: &mut Random, script: &mut String) {
    let Crossing { case, before, threads, after, seeds } = crossing;
    for _ in 0..*seeds {
        case.describe(script);
        for happens in before {
            let _ = writeln!(script, "{}", case.line(random, hooks, happens));
        }
        random.below(2);
        let _ = write!(script, "threads {} {}", threads.len(), random.0 >> 1);
        for thread in threads {
            let _ = write!(script, " {}", thread.len());
        }
        script.push('\n');
        for happens in threads.iter().flatten().chain(after) {
            let _ = writeln!(script, "{}", case.line(random, hooks, happens));
        }
        script.push_str("end\n");
    }
}

/// Threads play to the same objects, in orders that a seed decides; returns what went wrong first.
///
/// A slice has to be reported as if the events that concern it had happened in one of the orders
/// that the threads allow; later events, in one thread, tell which state it is in.
pub fn interleaved(
    jdk: &Jdk,
    name: &str,
    runtime: &[runtime::Class],
    rounds: usize,
) -> Result<(), String> {
    let driver = Driver::new(jdk, name, runtime, true);
    let mut random = Random(23);
    let (mut script, mut all, mut made) = (String::new(), Vec::new(), 0);
    for number in 0..CLASHES.len() {
        let crossing = clash(number, &mut random);
        script_of(&crossing, &[], &mut random, &mut script);
        all.push(crossing);
    }
    while all.len() < rounds {
        let properties = 1 + random.below(2);
        let Some(mut case) = Case::new(&mut random, properties) else { continue };
        case.crowd = 1 + random.below(2);
        let hooks =
            if random.chance(WITH_HOOKS) { case.hooks(&driver, &mut made) } else { Vec::new() };
        let everywhere: Vec<usize> = (0..case.sites.len()).collect();
        // Where few different events happen, they are more often those that get in each other's way.
        let few = |of: &[usize], random: &mut Random| -> Vec<usize> {
            (0..2).map(|_| of[random.below(of.len())]).collect()
        };
        let (around, between) = match random.below(3) {
            0 => (everywhere.clone(), everywhere),
            1 => {
                let few = few(&everywhere, &mut random);
                (few.clone(), few)
            }
            // Events of one property, often the same one; what they came to, all of its events show.
            _ => {
                let home = random.below(case.homes.len());
                let own = case.sites_of(home);
                let mut few = few(&own, &mut random);
                few.truncate(1 + random.below(2));
                (own, few)
            }
        };
        let some = |count: usize, sites: &[usize], random: &mut Random| -> Vec<Happens> {
            let one = |random: &mut Random| {
                let site = sites[random.below(sites.len())];
                case.happens_at(random, site)
            };
            (0..count).map(|_| one(random)).collect()
        };
        let before = some(random.below(8), &around, &mut random);
        let threads: Vec<Vec<Happens>> =
            (0..2).map(|_| some(1 + random.below(3), &between, &mut random)).collect();
        let after = some(8, &around, &mut random);
        let crossing = Crossing { case, before, threads, after, seeds: SEEDS };
        script_of(&crossing, &hooks, &mut random, &mut script);
        all.push(crossing);
    }
    let mut answers = driver.play(&script)?.into_iter();
    let mut reported = 0;
    for crossing in &all {
        let Crossing { case, before, threads, after, seeds } = crossing;
        let steps = |happens: &[Happens]| -> Vec<Step> {
            happens.iter().flat_map(|happens| case.steps(happens)).collect()
        };
        let (first, last) = (steps(before), steps(after));
        let each: Vec<Vec<Step>> = threads.iter().map(|thread| steps(thread)).collect();
        let each: Vec<&[Step]> = each.iter().map(Vec::as_slice).collect();
        // The reports of the threads, then those of each event after them.
        let mut possible: BTreeSet<Vec<Vec<Found>>> = BTreeSet::new();
        for middle in interleavings(&each) {
            let found = case.verdicts(first.iter().chain(&middle).chain(&last));
            let (found, later) = found[first.len()..].split_at(middle.len());
            let mut outcome = vec![found.concat()];
            outcome[0].sort_unstable();
            let mut later = later.iter();
            for happens in after {
                let parts = case.sites[happens.site].len();
                outcome.push(later.by_ref().take(parts).flatten().copied().collect());
            }
            possible.insert(outcome);
        }
        for _ in 0..*seeds {
            let mut lines = answers.by_ref().skip(before.len());
            let found: Vec<Vec<Found>> = (0..=after.len())
                .map(|_| {
                    let line = lines.next().unwrap_or_default();
                    answer(&line).into_iter().map(|(found, _)| found).collect()
                })
                .collect();
            lines.next();
            reported += found.iter().map(Vec::len).sum::<usize>();
            // Slices are judged one by one.
            let slice =
                |outcome: &[Vec<Found>], of: (usize, usize, usize, usize)| -> Vec<Vec<Found>> {
                    let same = |found: &&Found| {
                        (case.letters[found.0 - 1].home, found.1, found.2, found.3) == of
                    };
                    outcome.iter().map(|all| all.iter().filter(same).copied().collect()).collect()
                };
            let home = |found: &Found| (case.letters[found.0 - 1].home, found.1, found.2, found.3);
            let everybody: BTreeSet<(usize, usize, usize, usize)> = possible
                .iter()
                .flatten()
                .flatten()
                .chain(found.iter().flatten())
                .map(home)
                .collect();
            for of in everybody {
                let own = slice(&found, of);
                if !possible.iter().any(|outcome| slice(outcome, of) == own) {
                    return Err(format!(
                        "{of:?}: {own:?} in none of {:?}\nbefore {:#?}\nthreads {:#?}\nafter {:#?}\n{}",
                        possible.iter().map(|outcome| slice(outcome, of)).collect::<BTreeSet<_>>(),
                        case.told(before),
                        threads.iter().map(|thread| case.told(thread)).collect::<Vec<_>>(),
                        case.told(after),
                        case.text
                    ));
                }
            }
        }
    }
    assert!(reported > rounds / 2, "{reported}");
    Ok(())
}

#[test]
fn threads_see_states_that_an_order_of_their_events_explains() {
    for jdk in jdks().iter().take(1) {
        if let Err(wrong) = interleaved(jdk, "interleaved", &runtime::BASE, rounds(3000)) {
            panic!("{}: {wrong}", jdk.name());
        }
    }
}

/// Shipped properties about iterators, and how they are kept.
#[test]
fn iterators_have_the_states_of_their_properties() {
    let files = ["has-next-called", "has-next-true", "safe-list-iterator", "safe-map-iterator"];
    let files = files.map(|file| ("java", file)).into_iter();
    for (folder, file) in files.chain([("properties", "safe-iterator")]) {
        let folder = format!("{}/../../examples/{folder}", env!("CARGO_MANIFEST_DIR"));
        let read = |name: &str| {
            let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
            SourceFile::new(name, &text)
        };
        let loaded = load(&[read(&format!("{file}.ww"))], &|_, _| Ok(read("updates.ww")));
        let plan = Plan::new(loaded.model.unwrap());
        assert!(plan.explain_homes().contains("state in the object i"), "{file}");
    }
}

/// What lives of many objects cost: calls of the agent, locks taken and objects made by the runtime, for
/// each thousand events. A budget that is exceeded has to be raised in `bench/budgets.toml`.
#[test]
fn events_cost_what_their_budgets_say() {
    let Some(jdk) = jdks().first() else { return };
    let driver = Driver::new(jdk, "budgets", &runtime::BASE, true);
    let mut budgets = Budgets::open();
    let mut made = 0;
    let one = "event a0(x)\nevent b0(x)\nproperty P0(x) {\n\
        start state S0 { on a0(x) -> S1 }\nstate S1 {\non b0(x) -> S0\non a0(x) -> S1 }\n\
        bad state S2\n}\n";
    let two = "event make0(p, c)\nevent use0(c)\nevent change0(p)\nproperty P0(p, c) {\n\
        creation make0\nstart state S0 { on make0(p, c) -> S1 }\n\
        state S1 { on change0(p) -> S2 }\nstate S2 { on use0(c) -> S3 }\nbad state S3\n}\n";
    for (name, text) in [("one object", one), ("two objects", two)] {
        let mut random = Random(1);
        let mut case = Case::of(text.to_string(), &mut random).expect("its state is in objects");
        (case.kinds, case.crowd, case.apart) = ("c", 400, true);
        let mut script = String::new();
        case.describe(&mut script);
        let hooks = case.hooks(&driver, &mut made);
        // Every object is in each event of its own once, and in the first one again.
        let leaves = |site: &usize| match case.letter(case.sites[*site][0].letter).role {
            Role::Root(_) => None,
            _ => Some(*site),
        };
        let mut life: Vec<usize> = (0..case.sites.len()).filter_map(|site| leaves(&site)).collect();
        life.push(life[0]);
        let (mut lines, mut events) = (Vec::new(), 0);
        for object in 0..case.crowd {
            // What the first do, the others do again.
            if object == case.crowd / 2 {
                lines.push("costs".to_string());
                events = 0;
            }
            for site in &life {
                let happens = case.lived(&mut random, *site, object);
                let Happens { objects: [a, b], flag, .. } = happens;
                lines.push(format!("event {site} {} {a} {b} {flag}", hooks[*site]));
                events += 1;
            }
        }
        lines.push("costs".to_string());
        script += &(lines.join("\n") + "\n");
        let answers = driver.play(&script).unwrap();
        let costs = |at: usize| -> Vec<u64> {
            answers[at].split(' ').map(|n| n.parse().unwrap()).collect()
        };
        let first = lines.iter().position(|line| line == "costs").unwrap();
        let (before, after) = (costs(first), costs(lines.len() - 1));
        for (at, what) in ["native calls", "locks taken", "objects made"].iter().enumerate() {
            let found = (after[at] - before[at]) * 1000 / events;
            println!("{name}: {found} {what} per 1000 events");
            let counter = format!("{what} per 1000 events");
            budgets.spend(&format!("hooks, {name}"), &counter, found, 0);
        }
    }
    budgets.close();
}
