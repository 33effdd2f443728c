//! Which properties can have their state in the objects they talk about, instead of in the engine.
//!
//! A host whose objects can carry a few words (the JVM agent) steps such a property without asking
//! the engine: it needs a table per event and nothing else. The engine is only asked for the report
//! of a violation, along a path of events that leads to the same state.
//!
//! Two shapes qualify, both without variables, guards, time or actions:
//!
//! * *one parameter*: the object has the state of its slice;
//! * *a chain*: slices begin with an event that binds two objects, the *root* (a collection) and
//!   the *leaf* (an iterator), or the root and a *middle* (a view of a map), to which another event
//!   adds the leaf. The leaf has the state, and knows the root. An event of the root alone concerns
//!   all its leaves at once: it only counts in the root, and a leaf catches up when it is its turn.
//!   That is right if all events of the root do the same to a state, doing it twice is doing it
//!   once, and it never leads to a report.
//!
//! States have codes from 1 to 15; 0 is a slice that has not begun, or, without creation events, one
//! that is in the start state: such slices take no memory. Which events may begin a slice is read off
//! the automaton: those that do not leave the start state cannot, so that `never create next* update+
//! next` begins with `create` whether or not the property says `creation create`.

use std::collections::VecDeque;

use watchword_model::{
    Creation, EventId, Expr, Label, Origin, Pattern, Place, Property, PropertyId, StateId,
    StateKind, Target, Template, TemplatePart, Type, Value,
};

use crate::{Plan, Shape};

/// What an event says to a property whose state is in the objects: which of its arguments are the
/// objects of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The object that has the state.
    Leaf(u32),
    /// The object at the other end.
    Root(u32),
    /// Root, and leaf or middle.
    Link(u32, u32),
    /// Middle, and leaf.
    Grow(u32, u32),
}

/// What an event does to a slice, by the code of its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The code it leads to, four bits for each.
    pub next: u64,
    /// Whether that is reported, a bit for each.
    pub report: u16,
}

/// An event a property observes.
#[derive(Clone, Debug)]
pub struct Letter {
    /// The event.
    pub event: EventId,
    /// Whom it concerns.
    pub role: Role,
    /// The truth value its effect depends on, if it does.
    pub flag: Option<u32>,
    /// What it does if that is false, true, null.
    pub tables: [Table; 3],
}

/// Letters of a property, each with the value of its flag.
type Path = Vec<(usize, usize)>;

/// A property whose state can be in the objects.
#[derive(Clone, Debug)]
pub struct Inline {
    /// The property.
    pub property: PropertyId,
    /// The parameters: the leaf; root and leaf; or root, middle and leaf.
    pub chain: Vec<u32>,
    /// The events.
    pub letters: Vec<Letter>,
    /// What every event of the root does, four bits for each code.
    pub root: u64,
    /// By code: the state.
    pub states: Vec<StateId>,
    /// By code: events after which a slice is there.
    pub paths: Vec<Path>,
}

impl Table {
    /// The code after one.
    pub fn after(self, code: u8) -> u8 {
        (self.next >> (4 * code)) as u8 & 15
    }

    /// Whether leaving a code is reported.
    pub fn reports(self, code: u8) -> bool {
        self.report >> code & 1 != 0
    }

    fn set(&mut self, code: u8, to: u8, report: bool) {
        self.next = self.next & !(15 << (4 * code)) | u64::from(to) << (4 * code);
        self.report = self.report & !(1 << code) | u16::from(report) << code;
    }
}

impl Plan {
    /// How the state of a property can be in its objects, or why it has to be in the engine.
    ///
    /// # Errors
    /// The reason, for people.
    pub fn inline(&self, property: PropertyId) -> Result<Inline, &'static str> {
        let model = &self.model;
        let definition = &model.properties[property.index()];
        let Some((_, Shape::ChenRosu(_, slices))) =
            self.shapes.iter().find(|(context, _)| *context == definition.context)
        else {
            return Err("it is not sliced by parameters");
        };
        if !slices.lazy {
            return Err("every instance has to be kept");
        }
        let context = &model.contexts[definition.context.index()];
        let Creation::ChenRosu { creation } = &context.rule else {
            return Err("it is not sliced by parameters");
        };
        if !context.variables.is_empty() || !context.clocks.is_empty() {
            return Err("it has variables or clocks");
        }
        if !context.ends.is_empty() || context.keys.iter().any(Option::is_some) {
            return Err("parameters end or are compared by something other than themselves");
        }
        if definition.states.len() > 15 {
            return Err("it has more than 15 states");
        }
        plain(definition)?;
        let params = context.params.len();
        let orders: &[&[u32]] = match params {
            1 => &[&[0]],
            2 => &[&[0, 1], &[1, 0]],
            3 => &[&[0, 1, 2]],
            _ => return Err("it has no parameter, or more than three"),
        };
        let mut why = "";
        for chain in orders {
            let maker = Maker { plan: self, definition, creation, chain };
            match maker.make(property) {
                Ok(inline) => return Ok(inline),
                Err(reason) => why = reason,
            }
        }
        Err(why)
    }

    /// Where the state of every property is if a host keeps what it can in the objects: a line of
    /// text per property.
    pub fn explain_homes(&self) -> String {
        let lines = self.model.properties.iter().enumerate().map(|(number, property)| {
            let name = &property.name;
            match self.inline(PropertyId::from_index(number)) {
                Ok(inline) => {
                    let params = self.model.params(property.context);
                    let param = |p: &u32| params[*p as usize].1.name.as_str();
                    match &inline.chain[..] {
                        [leaf] => format!("{name}: state in the object {}\n", param(leaf)),
                        [root, .., leaf] => format!(
                            "{name}: state in the object {}, which knows {}; events of {} alone \
                             only count there\n",
                            param(leaf),
                            param(root),
                            param(root)
                        ),
                        [] => String::new(),
                    }
                }
                Err(why) => format!("{name}: state in the engine, because {why}\n"),
            }
        });
        lines.collect()
    }
}

/// Whether nothing but the state can matter.
fn plain(property: &Property) -> Result<(), &'static str> {
    for state in &property.states {
        if state.kind == StateKind::Pending {
            return Err("how it ends matters");
        }
        if state.deadline.is_some() {
            return Err("it has deadlines");
        }
        if !state.entry.is_empty() || reads_args(state.message.as_ref()) {
            return Err("it has actions, or messages with other values than parameters");
        }
    }
    for transition in &property.transitions {
        let branch = &transition.then;
        if transition.labels.len() != 1 || transition.keep || transition.otherwise.is_some() {
            return Err("a transition has an alternative or several labels");
        }
        if !branch.update.is_empty() || reads_args(branch.message.as_ref()) {
            return Err("it has actions, or messages with other values than parameters");
        }
        if branch.target == Target::Drop {
            return Err("it drops instances");
        }
        if transition.labels[0].guard.is_some() {
            return Err("it has guards");
        }
    }
    if !property.registers.is_empty() || reads_args(property.message.as_ref()) {
        return Err("it has actions, or messages with other values than parameters");
    }
    Ok(())
}

/// Whether a message shows more than parameters.
fn reads_args(template: Option<&Template>) -> bool {
    template.is_some_and(|template| {
        template.parts.iter().any(|part| match part {
            TemplatePart::Text(_) | TemplatePart::Value(Expr::Read(Place::Param(_))) => false,
            TemplatePart::Value(_) => true,
        })
    })
}

struct Maker<'p> {
    plan: &'p Plan,
    definition: &'p Property,
    creation: &'p [EventId],
    chain: &'p [u32],
}

impl Maker<'_> {
    fn make(&self, property: PropertyId) -> Result<Inline, &'static str> {
        let mut letters = Vec::new();
        for observed in &self.definition.alphabet {
            if letters.iter().any(|l: &Letter| l.event == observed.event) {
                continue;
            }
            let decl = &self.plan.model.events[observed.event.index()];
            if !matches!(decl.origin, Origin::World(_)) || decl.variadic || decl.fixed > 0 {
                return Err("an event does not come from the program, or has any number of values");
            }
            let ([placement], None) = (&observed.placements[..], &observed.filter) else {
                return Err("an event concerns it in several ways, or only sometimes");
            };
            let at =
                |param: u32| placement.0.iter().find(|(p, _)| p.0 == param).map(|(_, arg)| *arg);
            let placed: Vec<Option<u32>> = self.chain.iter().map(|p| at(*p)).collect();
            let begins = self.creation.contains(&observed.event);
            let role = match (&placed[..], begins) {
                ([Some(leaf)], _) => Role::Leaf(*leaf),
                ([Some(root), Some(leaf)], _) => Role::Link(*root, *leaf),
                ([Some(root), Some(middle), None], _) => Role::Link(*root, *middle),
                ([None, Some(middle), Some(leaf)], false) => Role::Grow(*middle, *leaf),
                ([None, Some(leaf)] | [None, None, Some(leaf)], false) => Role::Leaf(*leaf),
                ([Some(root), None] | [Some(root), None, None], false) => Role::Root(*root),
                _ => return Err("its events bind parameters in no chain"),
            };
            let objects = placement.0.iter().all(|(_, arg)| {
                let param = decl.params.get(*arg as usize);
                param.is_some_and(|p| matches!(p.ty, Type::Any | Type::Ref))
            });
            if !objects {
                return Err("a parameter is not an object");
            }
            let flag =
                self.flag(observed.event, &placement.0.iter().map(|p| p.1).collect::<Vec<_>>())?;
            letters.push(Letter { event: observed.event, role, flag, tables: Default::default() });
        }
        for letter in &mut letters {
            for (value, table) in letter.tables.iter_mut().enumerate() {
                *table = self.table(letter.event, letter.flag, value);
            }
        }
        let states = (0..16).map(|code| self.state_of(code)).collect();
        let mut inline = Inline {
            property,
            chain: self.chain.to_vec(),
            letters,
            root: identity(),
            states,
            paths: Vec::new(),
        };
        inline.check()?;
        Ok(inline)
    }

    /// The argument on whose truth it depends what an event does, if there is one.
    fn flag(&self, event: EventId, placed: &[u32]) -> Result<Option<u32>, &'static str> {
        let mut flag = None;
        for label in self.definition.transitions.iter().flat_map(|t| &t.labels) {
            if label.event.is_some_and(|e| e != event) {
                continue;
            }
            for (arg, pattern) in (0..).zip(&label.args) {
                match pattern {
                    Pattern::Any => {}
                    Pattern::Equal(Place::Param(_)) if placed.contains(&arg) => {}
                    Pattern::Const(Value::Bool(_)) | Pattern::NotConst(Value::Bool(_))
                        if flag.is_none_or(|known| known == arg) && !placed.contains(&arg) =>
                    {
                        let decl = &self.plan.model.events[event.index()];
                        if decl.params.get(arg as usize).is_none_or(|p| p.ty != Type::Bool) {
                            return Err("it compares values");
                        }
                        flag = Some(arg);
                    }
                    _ => return Err("it compares values"),
                }
            }
        }
        Ok(flag)
    }

    fn code_of(&self, state: StateId) -> u8 {
        if self.creation.is_empty() && state == self.definition.start {
            return 0;
        }
        state.0 as u8 + 1
    }

    fn state_of(&self, code: u8) -> StateId {
        match code {
            0 => self.definition.start,
            code if usize::from(code) <= self.definition.states.len() => {
                StateId(u32::from(code) - 1)
            }
            _ => self.definition.start,
        }
    }

    /// What an event does, where its flag is false (0), true (1) or null (2).
    fn table(&self, event: EventId, flag: Option<u32>, value: usize) -> Table {
        let mut table = Table { next: identity(), report: 0 };
        let begins = self.creation.is_empty() || self.creation.contains(&event);
        for code in 0..16 {
            if usize::from(code) > self.definition.states.len() || (code == 0 && !begins) {
                continue;
            }
            let state = self.state_of(code);
            let taken = self
                .definition
                .transitions
                .iter()
                .find(|t| t.source == state && self.matches(&t.labels[0], event, flag, value));
            let (to, report) = match taken.map(|t| t.then.target) {
                Some(Target::State(to)) => {
                    let kind = self.definition.states[to.index()].kind;
                    (to, matches!(kind, StateKind::Bad | StateKind::Good))
                }
                _ => (state, false),
            };
            table.set(code, self.code_of(to), report);
        }
        table
    }

    fn matches(&self, label: &Label, event: EventId, flag: Option<u32>, value: usize) -> bool {
        let arity = self.plan.model.events[event.index()].params.len();
        label.event.is_none_or(|e| e == event)
            && label.arity.admits(arity)
            && (0..).zip(&label.args).all(|(arg, pattern)| match pattern {
                Pattern::Const(Value::Bool(wanted)) if Some(arg) == flag => {
                    value == usize::from(*wanted)
                }
                Pattern::NotConst(Value::Bool(wanted)) if Some(arg) == flag => {
                    value != usize::from(*wanted)
                }
                _ => true,
            })
    }
}

/// Every code leads to itself.
fn identity() -> u64 {
    (0..16).fold(0, |all, code| all | code << (4 * code))
}

impl Inline {
    /// Whether the chain can be stepped as described; finds out what the root does, and paths.
    fn check(&mut self) -> Result<(), &'static str> {
        let mut roots = self.letters.iter().filter(|l| matches!(l.role, Role::Root(_)));
        if let Some(first) = roots.next() {
            self.root = first.tables[0].next;
            let same = |l: &Letter| l.tables.iter().all(|t| t.next == self.root && t.report == 0);
            if !same(first) || !roots.all(same) {
                return Err("events of the root differ, or lead to a report");
            }
            let f = Table { next: self.root, report: 0 };
            if (0..16).any(|code| f.after(f.after(code)) != f.after(code)) {
                return Err("an event of the root that happens twice is more than one");
            }
        }
        // By level (0: not begun, 1: a middle, 2: the state is in the leaf) and code.
        let (single, long) = (self.chain.len() == 1, self.chain.len() == 3);
        let first = if single { 2 } else { 0 };
        let mut paths: [[Option<Path>; 16]; 3] = Default::default();
        paths[first][0] = Some(Vec::new());
        let mut todo = VecDeque::from([(first, 0u8)]);
        while let Some((level, code)) = todo.pop_front() {
            let path = paths[level][usize::from(code)].clone().unwrap_or_default();
            for (number, letter) in self.letters.iter().enumerate() {
                for (value, table) in letter.tables.iter().enumerate() {
                    let to = table.after(code);
                    let report = table.reports(code);
                    let stays = to == code && !report;
                    if stays {
                        continue;
                    }
                    let next = match (letter.role, level) {
                        (Role::Link(..), 0) if long => 1,
                        (Role::Link(..), 0) => 2,
                        // What smaller bindings did would have to be known to a later leaf.
                        (_, 0) => return Err("an event of one object alone may begin a slice"),
                        (Role::Leaf(_), 1) => return Err("the leaf acts before it is known"),
                        (Role::Grow(..), 1) if to == code => {
                            return Err("a middle and a leaf can be in the same state");
                        }
                        (Role::Grow(..), 1) => 2,
                        (Role::Link(..), 2) if long => {
                            return Err("a middle that is bound again changes its leaves");
                        }
                        (_, level) => level,
                    };
                    if next == 1 && report {
                        return Err("a middle without a leaf is reported");
                    }
                    let there = &mut paths[next][usize::from(to)];
                    if there.is_none() {
                        let mut longer = path.clone();
                        longer.push((number, value));
                        *there = Some(longer);
                        todo.push_back((next, to));
                    }
                }
            }
        }
        if (1..16).any(|code| paths[1][code].is_some() && paths[2][code].is_some()) {
            return Err("a middle and a leaf can be in the same state");
        }
        self.paths = (0..16)
            .map(|code| {
                let path = paths[2][code].clone().or_else(|| paths[1][code].clone());
                path.unwrap_or_default()
            })
            .collect();
        Ok(())
    }
}
