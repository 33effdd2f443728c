//! Properties whose state is in the objects: what the runtime has to know to step them, and
//! reports, for which the engine is asked after all.

use std::collections::HashMap;
use std::sync::Arc;

use watchword_model::{EventId, Location, Model, Object, PropertyId, Type, Value};
use watchword_monitor::{Report, Step, reference};
use watchword_plan::{Condition, Inline, Letter, Plan, Role};
use watchword_weave::cells::{self, OperationKind};
use watchword_weave::{runtime, special};

use crate::choice::Choices;
use crate::sites::{Operations, Sites};
use crate::vm::{Argument, Class, Jni};

/// Lanes of an object, of four bits each.
const LANES: usize = cells::LANE_BITS as usize / 4;
/// Chains and letters have numbers of so many bits.
const MAX_CHAINS: usize = 1 << 8;
const MAX_LETTERS: usize = 1 << 12;

/// The properties whose state is in the objects.
#[derive(Default)]
pub struct Homes {
    homes: Vec<Home>,
    /// By number, from 1: the property, by its position, and which of its letters.
    letters: Vec<(usize, usize)>,
    by_event: HashMap<(PropertyId, EventId), usize>,
    chains: usize,
    /// How cases of letters are found.
    pub choices: Choices,
}

struct Home {
    inline: Inline,
    kind: Place,
}

impl Home {
    fn operation(&self, role: Role) -> OperationKind {
        match (self.kind, role) {
            (Place::Lane(shift), _) => OperationKind::Lane(shift),
            (Place::Chain(chain), Role::Leaf(_)) => OperationKind::Leaf(chain),
            (Place::Chain(chain), Role::Root(_)) => OperationKind::Root(chain),
            (Place::Chain(chain), Role::Link(..)) => OperationKind::Link(chain),
            (Place::Chain(chain), Role::Grow(..)) => OperationKind::Grow(chain),
        }
    }
}

#[derive(Clone, Copy)]
enum Place {
    Lane(u32),
    Chain(u32),
}

/// The objects of a slice, by identity; 0 for an unbound parameter.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The object that has the state.
    pub leaf: u64,
    /// The one between, if there is one.
    pub middle: u64,
    /// The other end.
    pub root: u64,
}

/// What the runtime says when a slice comes to be reported.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// The letter's number.
    pub letter: usize,
    /// The case of it.
    pub case: usize,
    /// The objects.
    pub bound: Bound,
    /// The code of the state before.
    pub code: usize,
    /// The history of the leaf, this event included.
    pub history: [u64; 2],
}

/// What the hook class counted of a property whose state is in the objects.
pub struct Counted {
    /// The property.
    pub property: PropertyId,
    /// Its events; one may be listed several times.
    pub by_event: Vec<(EventId, u64)>,
    /// Its instances.
    pub instances: u64,
}

impl Counted {
    /// All events.
    pub fn events(&self) -> u64 {
        self.by_event.iter().map(|(_, count)| count).sum()
    }

    /// How many events of a declaration there were.
    pub fn of(&self, event: EventId) -> u64 {
        self.by_event.iter().filter(|(e, _)| *e == event).map(|(_, count)| count).sum()
    }
}

impl Homes {
    /// Which properties of a model have their state in the objects.
    pub fn new(model: &Model) -> Homes {
        let plan = Plan::new(model.clone());
        let mut homes = Homes { letters: vec![(0, 0)], ..Homes::default() };
        let mut lanes = 0;
        for number in 0..model.properties.len() {
            let property = PropertyId::from_index(number);
            let Ok(inline) = plan.inline(property) else { continue };
            let kind = match inline.chain.len() {
                1 if lanes < LANES => {
                    lanes += 1;
                    Place::Lane(4 * (lanes as u32 - 1))
                }
                1 => continue,
                _ if homes.chains < MAX_CHAINS => {
                    homes.chains += 1;
                    Place::Chain(homes.chains as u32 - 1)
                }
                _ => continue,
            };
            if homes.letters.len() + inline.letters.len() >= MAX_LETTERS {
                break;
            }
            for (which, letter) in inline.letters.iter().enumerate() {
                homes.by_event.insert((property, letter.event), homes.letters.len());
                homes.letters.push((homes.homes.len(), which));
            }
            homes.homes.push(Home { inline, kind });
        }
        homes
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.homes.is_empty()
    }

    /// Whether all properties of a model are among them.
    pub fn has_all(&self, model: &Model) -> bool {
        self.homes.len() == model.properties.len()
    }

    /// The letter of an event of such a property, and its number.
    pub fn letter(&self, property: PropertyId, event: EventId) -> Option<(usize, &Letter)> {
        let number = *self.by_event.get(&(property, event))?;
        let (home, which) = self.letters[number];
        Some((number, &self.homes[home].inline.letters[which]))
    }

    /// The case of an event of a letter, by its arguments.
    pub fn case(&self, letter: usize, arg: &impl Fn(u32) -> Value) -> usize {
        let Some((home, which)) = self.letters.get(letter) else { return 0 };
        self.homes[*home].inline.letters[*which].case(arg)
    }

    /// Whether a property is about several objects.
    pub fn is_chain(&self, property: PropertyId) -> bool {
        self.homes.iter().any(|h| h.inline.property == property && h.inline.chain.len() > 1)
    }

    fn counter(&self, home: usize) -> usize {
        self.letters.len() + home
    }

    /// Tells the runtime.
    pub fn install(&self, jni: Jni, class: Class) -> Result<(), String> {
        let call = |name: &str, descriptor: &str, args: &[Argument]| {
            let method = jni.static_method(class, name, descriptor);
            if method.is_null() {
                return Err(format!("the runtime has no {name}"));
            }
            jni.call_static_void(class, method, args);
            match jni.clear_exception() {
                true => Err(format!("the runtime failed in {name}")),
                false => Ok(()),
            }
        };
        let int = |value: usize| Argument { int: value as i32 };
        let counters = self.counter(self.homes.len());
        call("inline", "(III)V", &[int(self.letters.len()), int(self.chains), int(counters)])?;
        for (number, (home, which)) in self.letters.iter().enumerate().skip(1) {
            let (at, letter) = (*home, &self.homes[*home].inline.letters[*which]);
            let kind = self.homes[at].operation(letter.role);
            for (case, table) in letter.tables.iter().enumerate() {
                let args = [
                    int(number),
                    int(case),
                    Argument { long: table.next as i64 },
                    Argument { int: i32::from(table.report) },
                    Argument { int: kind.bits(self.counter(at)) },
                ];
                call("letter", "(IIJII)V", &args)?;
            }
        }
        for home in &self.homes {
            if let Place::Chain(chain) = home.kind {
                let root = Argument { long: home.inline.root as i64 };
                call("chain", "(IJ)V", &[int(chain as usize), root])?;
            }
        }
        Ok(())
    }

    /// The operations of a site, as the runtime has them, for a hook of their own.
    pub fn operations(&self, operations: Operations) -> Vec<special::Operation> {
        cells::each_operation(operations.packed)
            .zip(cells::each_choice(operations.choices))
            .filter_map(|(part, choice)| {
                let number = (part >> 2) as usize;
                let (home, which) = *self.letters.get(number)?;
                let letter = &self.homes[home].inline.letters[which];
                Some(special::Operation {
                    letter: number,
                    kind: self.homes[home].operation(letter.role),
                    tables: letter.tables.iter().map(|t| (t.next, t.report)).collect(),
                    objects: [part & 1 != 0, part & 2 != 0],
                    choice: (choice, self.choices.get(choice)),
                })
            })
            .collect()
    }

    /// What the counters of the runtime say of each of these properties.
    pub fn counts(&self, jni: Jni) -> Vec<Counted> {
        let class = jni.find_class(runtime::AGENT);
        let total = jni.static_method(class, "total", "()[J");
        if self.is_empty() || class.is_null() || total.is_null() {
            return Vec::new();
        }
        let array = jni.call_static_object(class, total, &[]);
        if jni.clear_exception() || array.is_null() {
            return Vec::new();
        }
        let counts = jni.longs_of(array);
        let count = |at: usize| counts.get(at).copied().unwrap_or(0) as u64;
        let counted = |(at, home): (usize, &Home)| {
            let letters = self.letters.iter().enumerate().skip(1);
            let own = letters.filter(|(_, (home, _))| *home == at);
            let by_event =
                own.map(|(number, (_, which))| (home.inline.letters[*which].event, count(number)));
            Counted {
                property: home.inline.property,
                by_event: by_event.collect(),
                instances: count(self.counter(at)),
            }
        };
        self.homes.iter().enumerate().map(counted).collect()
    }

    /// The report of a slice, with its history.
    pub fn report(
        &self,
        model: &Model,
        told: &Told,
        here: &Arc<Location>,
        sites: &Sites,
    ) -> Option<Report> {
        let (at, which) = self.letters.get(told.letter).copied()?;
        let Home { inline, .. } = &self.homes[at];
        let transition = inline.letters[which].taken(told.case, told.code)?;
        let mut binding = vec![None; inline.chain.len()];
        let ids = match inline.chain.len() {
            1 => vec![told.bound.leaf],
            2 => vec![told.bound.root, told.bound.leaf],
            _ => vec![told.bound.root, told.bound.middle, told.bound.leaf],
        };
        for (param, id) in inline.chain.iter().zip(ids) {
            binding[*param as usize] = Some(Value::Ref(Object { id, class: None }));
        }
        let mut report = reference::entered(model, inline.property, transition, binding)?;
        report.history = self.history(model, at, which, told, here, sites);
        Some(report)
    }

    /// The events of a slice that its leaf remembers, each with the state it led to.
    fn history(
        &self,
        model: &Model,
        at: usize,
        which: usize,
        told: &Told,
        here: &Arc<Location>,
        sites: &Sites,
    ) -> Vec<Step> {
        let Home { inline, .. } = &self.homes[at];
        let tags = told.history.iter().rev().flat_map(|word| [word >> 42, word >> 21, *word]);
        let tags: Vec<u64> = tags.map(|tag| tag & 0x1f_ffff).filter(|tag| *tag != 0).collect();
        let mut steps: Vec<Remembered> = Vec::new();
        let before = tags.len().saturating_sub(1);
        for tag in &tags[..before] {
            let Some(site) = sites.get((tag >> 1) as usize - 1) else { continue };
            for number in &site.letters {
                let (home, letter) = self.letters[*number];
                if home == at {
                    // Of its case one bit is remembered.
                    let cases = 0..inline.letters[letter].tables.len();
                    let cases = cases.filter(|case| (case & 1) as u64 == tag & 1).collect();
                    steps.push(Remembered { letter, cases, location: site.location.clone() });
                }
            }
        }
        // What was before is forgotten: any code may be that from which these lead to the last one.
        let way = (0..16u8).find_map(|first| Some((first, way(inline, &steps, first, told.code)?)));
        // Two threads may have got in each other's way: then only this event is known.
        let (first, mut cases) = way.unwrap_or_else(|| {
            steps.clear();
            (told.code as u8, Vec::new())
        });
        steps.push(Remembered { letter: which, cases: Vec::new(), location: here.clone() });
        cases.push(told.case);
        // Beginning is no transition, and what changes nothing is none that matters.
        let begins = |before: u8, code: u8| {
            before == 0 && inline.states[usize::from(code)] == inline.states[0]
        };
        let mut last = first;
        let mut seen = Vec::new();
        for (step, case) in steps.into_iter().zip(cases) {
            let letter = &inline.letters[step.letter];
            let table = letter.tables[case];
            let (code, report) = (table.after(last), table.reports(last));
            let before = std::mem::replace(&mut last, code);
            if report || (before != code && !begins(before, code)) {
                seen.push(Step {
                    index: 0,
                    event: Some(letter.event),
                    args: arguments(model, letter, case, told.bound),
                    time: None,
                    thread: None,
                    location: Some(step.location),
                    state: inline.states[usize::from(code)],
                });
            }
        }
        seen
    }
}

/// An event that an object remembers: a letter, by its position, in one of these cases.
struct Remembered {
    letter: usize,
    cases: Vec<usize>,
    location: Arc<Location>,
}

/// A case for each step, so that they lead from one code to another; what was remembered changed
/// something, so such cases come first.
fn way(inline: &Inline, steps: &[Remembered], first: u8, last: usize) -> Option<Vec<usize>> {
    // By step and code: from which code, in which case.
    let mut layers: Vec<[Option<(u8, usize)>; 16]> = Vec::new();
    let mut codes = vec![first];
    for step in steps {
        let mut layer = [None; 16];
        for moving in [true, false] {
            for (code, case) in codes.iter().flat_map(|c| step.cases.iter().map(move |k| (*c, *k)))
            {
                let to = inline.letters[step.letter].tables[case].after(code);
                let there = &mut layer[usize::from(to)];
                if (to != code) == moving && there.is_none() {
                    *there = Some((code, case));
                }
            }
        }
        codes = (0..16).filter(|code| layer[usize::from(*code)].is_some()).collect();
        layers.push(layer);
    }
    if !codes.iter().any(|code| usize::from(*code) == last) {
        return None;
    }
    let mut at = last;
    let mut cases = Vec::new();
    for layer in layers.iter().rev() {
        let (from, case) = layer[at]?;
        cases.push(case);
        at = from.into();
    }
    cases.reverse();
    Some(cases)
}

/// The arguments of an event of a slice, as far as they are known: those behind the last known one are
/// missing, so that nobody takes them for null.
fn arguments(model: &Model, letter: &Letter, case: usize, bound: Bound) -> Vec<Value> {
    let mut args = vec![Value::Null; model.events[letter.event.index()].params.len()];
    let mut known = 0;
    let child = if bound.middle == 0 { bound.leaf } else { bound.middle };
    let mut put = |at: u32, value: Value| {
        if let Some(arg) = args.get_mut(at as usize) {
            *arg = value;
            known = known.max(at as usize + 1);
        }
    };
    let object = |id: u64| Value::Ref(Object { id, class: None });
    match letter.role {
        Role::Leaf(leaf) => put(leaf, object(bound.leaf)),
        Role::Root(root) => put(root, object(bound.root)),
        Role::Link(root, below) => {
            put(root, object(bound.root));
            put(below, object(child));
        }
        Role::Grow(middle, leaf) => {
            put(middle, object(bound.middle));
            put(leaf, object(bound.leaf));
        }
    }
    let types = &model.events[letter.event.index()].params;
    for (number, condition) in letter.conditions.iter().enumerate() {
        // A truth value that is not one is the other one, if that does not say so itself.
        let (is, condition) = match condition {
            Condition::Not(inner) => (case >> number & 1 == 0, &**inner),
            condition => (case >> number & 1 != 0, condition),
        };
        match condition {
            Condition::Is(at, value) if is => put(*at, value.clone()),
            Condition::Is(at, Value::Bool(value))
                if letter.conditions.len() == 1 && types[*at as usize].ty == Type::Bool =>
            {
                put(*at, Value::Bool(!value));
            }
            _ => {}
        }
    }
    args.truncate(known);
    args
}
