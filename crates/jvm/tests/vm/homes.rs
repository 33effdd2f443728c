//! State in objects is the state the engine has: random properties, random events.

use std::collections::HashMap;
use std::fmt::Write;

use watchword_model::{EventRef, Model, PropertyId, Value, ValueRef};
use watchword_monitor::{Engine, Options};
use watchword_plan::{Inline, Plan, Role, Table};
use watchword_spec::{SourceFile, load};

/// A generator that is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

/// Events of each shape: how it is declared, how a label is written.
const SHAPES: [(&str, &str, &[(&str, &str)]); 4] = [
    (
        "x",
        "",
        &[
            ("a(x)", "a(x)"),
            ("b(x)", "b(x)"),
            ("c(x, f: bool)", "c(x, true)"),
            ("d(x, f: bool)", "d(x, false)"),
        ],
    ),
    ("x", "creation a\n", &[("a(x)", "a(x)"), ("b(x)", "b(x)"), ("c(x, f: bool)", "c(x, true)")]),
    (
        "p, c",
        "creation make\n",
        &[
            ("make(p, c)", "make(p, c)"),
            ("use(c)", "use(c)"),
            ("look(c)", "look(c)"),
            ("change(p)", "change(p)"),
            ("clear(p)", "clear(p)"),
        ],
    ),
    (
        "m, c, i",
        "creation view\n",
        &[
            ("view(m, c)", "view(m, c)"),
            ("walk(c, i)", "walk(c, i)"),
            ("next(i)", "next(i)"),
            ("change(m)", "change(m)"),
        ],
    ),
];

fn property(random: &mut Random) -> String {
    let (params, creation, events) = SHAPES[random.below(SHAPES.len())];
    let mut text = String::new();
    for (declared, _) in events {
        let _ = writeln!(text, "event {declared}");
    }
    let _ = write!(text, "property P({params}) {{\n{creation}");
    let states = 2 + random.below(4);
    let density = 1 + random.below(4);
    for state in 0..states {
        let kind = match state {
            0 => "start ",
            s if s + 1 == states => "bad ",
            _ => "",
        };
        let _ = writeln!(text, "{kind}state S{state} {{");
        for (_, label) in events {
            if random.below(4) < density {
                let _ = writeln!(text, "  on {label} -> S{}", random.below(states));
            }
        }
        let _ = writeln!(text, "}}");
    }
    text + "}\n"
}

#[derive(Clone, Debug)]
struct Link {
    up: u64,
    middle: u64,
    state: u8,
    stamp: u32,
}

/// What the hook class does, in the words of `watchword_weave::cells`.
struct Objects<'a> {
    inline: &'a Inline,
    lanes: HashMap<u64, u8>,
    links: HashMap<u64, Vec<Link>>,
    epochs: HashMap<u64, u32>,
}

/// Who is reported: leaf, middle, root.
type Found = (u64, u64, u64);

impl Objects<'_> {
    fn refresh(&mut self, of: u64) {
        let root = Table { next: self.inline.root, report: 0 };
        for link in self.links.entry(of).or_default() {
            let epoch = *self.epochs.entry(link.up).or_default();
            if link.stamp != epoch {
                link.stamp = epoch;
                link.state = root.after(link.state);
            }
        }
    }

    fn join(
        &mut self,
        leaf: u64,
        up: u64,
        middle: u64,
        table: Table,
        from: u8,
        found: &mut Vec<Found>,
    ) {
        self.refresh(leaf);
        let epoch = *self.epochs.entry(up).or_default();
        let links = self.links.entry(leaf).or_default();
        if let Some(link) = links.iter_mut().find(|l| l.up == up && l.middle == middle) {
            if table.reports(link.state) {
                found.push((leaf, middle, up));
            }
            link.state = table.after(link.state);
        } else if table.after(from) != from {
            if table.reports(from) {
                found.push((leaf, middle, up));
            }
            links.push(Link { up, middle, state: table.after(from), stamp: epoch });
        }
    }

    fn step(&mut self, letter: usize, flag: usize, args: &[u64]) -> Vec<Found> {
        let letter = &self.inline.letters[letter];
        let (table, role) = (letter.tables[flag], letter.role);
        let mut found = Vec::new();
        match role {
            Role::Leaf(at) if self.inline.chain.len() == 1 => {
                let object = args[at as usize];
                let code = self.lanes.entry(object).or_default();
                if table.reports(*code) {
                    found.push((object, 0, 0));
                }
                *code = table.after(*code);
            }
            Role::Leaf(at) => {
                let object = args[at as usize];
                self.refresh(object);
                for link in self.links.entry(object).or_default() {
                    if table.reports(link.state) {
                        found.push((object, link.middle, link.up));
                    }
                    link.state = table.after(link.state);
                }
            }
            Role::Root(at) => *self.epochs.entry(args[at as usize]).or_default() += 1,
            Role::Link(root, child) => {
                let (root, child) = (args[root as usize], args[child as usize]);
                self.join(child, root, 0, table, 0, &mut found);
            }
            Role::Grow(middle, leaf) => {
                let (middle, leaf) = (args[middle as usize], args[leaf as usize]);
                self.refresh(middle);
                for link in self.links.get(&middle).cloned().unwrap_or_default() {
                    if link.middle == 0 {
                        self.join(leaf, link.up, middle, table, link.state, &mut found);
                    }
                }
            }
        }
        found
    }
}

fn model_of(text: &str) -> Option<Model> {
    let file = SourceFile::new("p.ww", text);
    load(&[file], &|_, _| Err("no imports".into())).model
}

/// Names and values of a binding, as the engine reports it.
fn binding(model: &Model, inline: &Inline, (leaf, middle, root): Found) -> Vec<(String, u64)> {
    let values: &[u64] = match inline.chain.len() {
        1 => &[leaf],
        2 => &[root, leaf],
        _ => &[root, middle, leaf],
    };
    let params = model.params(model.properties[0].context);
    let mut all: Vec<(String, u64)> = inline
        .chain
        .iter()
        .zip(values)
        .map(|(param, value)| (params[*param as usize].1.name.clone(), *value))
        .collect();
    all.sort();
    all
}

#[test]
fn state_in_objects_is_the_engines() {
    let rounds = std::env::var("WATCHWORD_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let mut random = Random(17);
    let (mut qualified, mut reported) = ([0; 4], 0);
    for _ in 0..rounds {
        let text = property(&mut random);
        let Some(model) = model_of(&text) else { panic!("{text}") };
        let Ok(inline) = Plan::new(model.clone()).inline(PropertyId(0)) else { continue };
        qualified[inline.chain.len()] += 1;
        let mut objects = Objects {
            inline: &inline,
            lanes: HashMap::new(),
            links: HashMap::new(),
            epochs: HashMap::new(),
        };
        let mut engine = Engine::new(&model, Options::default());
        // Objects that have one role, and objects that have several.
        let apart = random.below(2) == 0;
        for _ in 0..40 {
            let number = random.below(inline.letters.len());
            let letter = &inline.letters[number];
            let flag = if letter.flag.is_some() { random.below(3) } else { 0 };
            let count = model.events[letter.event.index()].params.len();
            let ids: Vec<u64> = (0..count as u64)
                .map(|at| {
                    let role =
                        model.events[letter.event.index()].params[at as usize].name.as_bytes()[0];
                    1 + random.below(3) as u64 + if apart { 10 * u64::from(role) } else { 0 }
                })
                .collect();
            let args: Vec<ValueRef<'_>> = (0..)
                .zip(&ids)
                .map(|(at, id)| match letter.flag == Some(at) {
                    true if flag == 2 => ValueRef::Null,
                    true => ValueRef::Bool(flag == 1),
                    false => ValueRef::Ref(*id, None),
                })
                .collect();
            let event = EventRef {
                kind: letter.event,
                args: &args,
                time: None,
                thread: None,
                location: None,
            };
            engine.step(&event).unwrap();
            let of = |reports: Vec<watchword_monitor::Report>| {
                let mut all: Vec<Vec<(String, u64)>> = reports
                    .iter()
                    .map(|report| {
                        let id = |value: &Value| match value {
                            Value::Ref(object) => object.id,
                            _ => 0,
                        };
                        let mut all: Vec<(String, u64)> =
                            report.binding.iter().map(|(n, v)| (n.to_string(), id(v))).collect();
                        all.sort();
                        all
                    })
                    .collect();
                all.sort();
                all
            };
            let expected = of(engine.take_reports());
            let mut found: Vec<_> = objects
                .step(number, flag, &ids)
                .into_iter()
                .map(|found| binding(&model, &inline, found))
                .collect();
            found.sort();
            reported += found.len();
            assert_eq!(found, expected, "after {:?} {ids:?}\n{text}", letter.event);
        }
    }
    assert!(qualified[1..].iter().all(|n| *n > rounds / 200), "{qualified:?}");
    assert!(reported > rounds, "{reported}");
}

/// A path to a code leads the engine there: what follows is what the tables say.
#[test]
fn paths_lead_where_they_say() {
    for file in ["has-next-called", "has-next-true", "safe-list-iterator", "safe-map-iterator"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/java");
        let read = |name: &str| {
            let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
            SourceFile::new(name, &text)
        };
        let loaded = load(&[read(&format!("{file}.ww"))], &|_, _| Ok(read("updates.ww")));
        let model = loaded.model.unwrap();
        let inline = Plan::new(model.clone()).inline(PropertyId(0)).unwrap();
        let bad = model.properties[0]
            .states
            .iter()
            .position(|s| s.name.starts_with("Broken") || s.name == "Careless");
        if let Some(bad) = bad {
            assert!(!inline.paths[bad + 1].is_empty(), "{file}");
        }
        assert!(Plan::new(model).explain_homes().contains("state in the object i"), "{file}");
    }
}
