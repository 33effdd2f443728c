//! Properties whose state is in the objects: what the runtime has to know to step them, and
//! reports, for which the engine is asked after all.

use std::collections::HashMap;
use std::sync::Arc;

use watchword_model::{
    EventId, EventRef, JvmTerm, Location, Model, Object, Origin, PropertyId, Source, Value,
    ValueRef, Where,
};
use watchword_monitor::{Engine, Options, Report, Step};
use watchword_plan::{Inline, Letter, Plan, Role};
use watchword_weave::cells::{self, OperationKind};
use watchword_weave::{runtime, special};

use crate::sites::Sites;
use crate::vm::{Argument, Class, Jni};

/// Lanes of one `long`.
const LANES: usize = 16;
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

/// Whom a slice is about, by identity; 0 for a parameter it does not have.
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
    /// The value of its flag.
    pub flag: usize,
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
            if !inline.letters.iter().all(|letter| has_objects(model, letter)) {
                continue;
            }
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
            for (flag, table) in letter.tables.iter().enumerate() {
                let args = [
                    int(number),
                    int(flag),
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
    pub fn operations(&self, packed: i64) -> Vec<special::Operation> {
        let parts = (0..cells::MAX_OPERATIONS as u32).map(|at| packed >> (15 * at) & 0x7fff);
        parts
            .take_while(|part| *part != 0)
            .filter_map(|part| {
                let number = (part >> 3) as usize;
                let (home, which) = *self.letters.get(number)?;
                let letter = &self.homes[home].inline.letters[which];
                let table = |flag: usize| {
                    let table = letter.tables[flag];
                    (table.next, table.report)
                };
                Some(special::Operation {
                    letter: number,
                    kind: self.homes[home].operation(letter.role),
                    tables: [table(0), table(1)],
                    objects: [part & 1 != 0, part & 2 != 0],
                    flagged: part & 4 != 0,
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

    /// The reports of a slice, with its history: an engine is led to where the slice is, and then
    /// given the event.
    pub fn reports(
        &self,
        model: &Model,
        scratch: &mut Engine,
        told: &Told,
        here: &Arc<Location>,
        sites: &Sites,
    ) -> Vec<Report> {
        let Some((at, which)) = self.letters.get(told.letter).copied() else { return Vec::new() };
        let Home { inline, .. } = &self.homes[at];
        let mut step = |which: usize, flag: usize, location: Option<&Arc<Location>>| {
            let letter = &inline.letters[which];
            let args = arguments(model, letter, flag, told.bound);
            let args: Vec<ValueRef<'_>> = args.iter().map(ValueRef::from).collect();
            let event = EventRef {
                kind: letter.event,
                args: &args,
                time: None,
                thread: None,
                location: location.map(Where::from),
            };
            let _ = scratch.step_for(&event, Some(&[inline.property]));
        };
        for (which, flag) in inline.paths.get(told.code).into_iter().flatten() {
            step(*which, *flag, None);
        }
        step(which, told.flag, Some(here));
        // What the way there was good for is not what is told now.
        let mut reports = scratch.take_reports();
        let last = scratch.events();
        reports.retain(|report| report.index == last);
        scratch.died_if(|_| true);
        let history = self.history(model, at, which, told, here, sites);
        for report in &mut reports {
            report.history.clone_from(&history);
        }
        reports
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
        // Which letter, with which flag, where.
        let mut steps: Vec<(usize, usize, Arc<Location>)> = Vec::new();
        let before = tags.len().saturating_sub(1);
        for tag in &tags[..before] {
            let Some(site) = sites.get((tag >> 1) as usize - 1) else { continue };
            for number in &site.letters {
                let (home, which) = self.letters[*number];
                if home == at {
                    steps.push((which, (tag & 1) as usize, site.location.clone()));
                }
            }
        }
        steps.push((which, told.flag, here.clone()));
        // What was before is forgotten: any code may be that from which these lead to the last one.
        type Steps = [(usize, usize, Arc<Location>)];
        let walk = |steps: &Steps, first: u8| {
            let mut code = first;
            let mut seen = Vec::new();
            for (which, flag, _) in steps {
                let letter = &inline.letters[*which];
                let table = letter.tables[*flag];
                let report = table.reports(code);
                code = table.after(code);
                seen.push((code, report));
            }
            (seen, code)
        };
        let target = inline.letters[which].tables[told.flag].after(told.code as u8);
        let first = (0..16u8).find(|first| {
            let (seen, code) = walk(&steps, *first);
            let before = seen.len().checked_sub(2).map_or(*first, |at| seen[at].0);
            code == target && usize::from(before) == told.code
        });
        // Two threads may have got in each other's way: then only this event is known.
        let (mut last, skip) = match first {
            Some(first) => (first, 0),
            None => (told.code as u8, steps.len() - 1),
        };
        steps.drain(..skip);
        let (codes, _) = walk(&steps, last);
        // Beginning is no transition, and what changes nothing is none that matters.
        let begins = |before: u8, code: u8| {
            before == 0 && inline.states[usize::from(code)] == inline.states[0]
        };
        steps
            .into_iter()
            .zip(codes)
            .filter(|(_, (code, report))| {
                let before = std::mem::replace(&mut last, *code);
                *report || (before != *code && !begins(before, *code))
            })
            .map(|((which, flag, location), (code, _))| {
                let letter = &inline.letters[which];
                Step {
                    index: 0,
                    event: Some(letter.event),
                    args: arguments(model, letter, flag, told.bound),
                    time: None,
                    thread: None,
                    location: Some(location),
                    state: inline.states[usize::from(code)],
                }
            })
            .collect()
    }
}

/// An engine for [`Homes::reports`].
pub fn scratch(model: &Model) -> Engine {
    Engine::new(model, Options::default())
}

/// The arguments of an event of a slice, as far as they are known.
fn arguments(model: &Model, letter: &Letter, flag: usize, bound: Bound) -> Vec<Value> {
    let mut args = vec![Value::Null; model.events[letter.event.index()].params.len()];
    let child = if bound.middle == 0 { bound.leaf } else { bound.middle };
    let mut put = |at: u32, value: Value| {
        if let Some(arg) = args.get_mut(at as usize) {
            *arg = value;
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
    if let Some(at) = letter.flag {
        match flag {
            0 => put(at, Value::Bool(false)),
            1 => put(at, Value::Bool(true)),
            _ => {}
        }
    }
    args
}

/// Whether what an event is about is handed to its hook, as an object or a plain value.
fn has_objects(model: &Model, letter: &Letter) -> bool {
    let args = match letter.role {
        Role::Leaf(a) | Role::Root(a) => [a, a],
        Role::Link(a, b) | Role::Grow(a, b) => [a, b],
    };
    let Origin::World(sources) = &model.events[letter.event.index()].origin else { return false };
    sources.iter().all(|source| {
        let Source::Jvm(source) = source else { return true };
        source.captures.iter().filter(|c| args.contains(&(c.param as u32))).all(|capture| {
            matches!(
                capture.term,
                JvmTerm::Receiver
                    | JvmTerm::Arg(_)
                    | JvmTerm::Result
                    | JvmTerm::Exception
                    | JvmTerm::This
                    | JvmTerm::Value
                    | JvmTerm::Array
                    | JvmTerm::Object
            )
        })
    })
}
