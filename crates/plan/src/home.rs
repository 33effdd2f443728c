//! Which properties can have their state in the objects they talk about, instead of in the engine.
//!
//! A host whose objects can carry a few words (the JVM agent) steps such a property without asking
//! the engine: it needs a table per event and case, and nothing else. The case of an event is which
//! conditions of labels hold for its arguments (see `condition`), whatever the state is.
//!
//! Two shapes qualify, both without variables, time or actions:
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

use std::collections::{BTreeSet, VecDeque};

use watchword_model::{
    Creation, EventDecl, EventId, Expr, JvmTerm, Object, Observed, Origin, Place, Property,
    PropertyId, Source, StateId, StateKind, Target, Template, TemplatePart, TransitionId, Type,
    Value,
};

use crate::condition::Condition;
use crate::{Plan, Shape};

/// An event may be of so many cases.
pub const CASES: usize = 16;

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
    /// What its effect depends on beside the state. Which of them hold, a bit for each, is the *case*
    /// of an event.
    pub conditions: Vec<Condition>,
    /// By case: what it does. A case that cannot be does nothing.
    pub tables: Vec<Table>,
    /// By case and code: the transition that is taken.
    taken: Vec<[Option<TransitionId>; 16]>,
}

/// A property whose state can be in the objects.
#[derive(Clone, Debug)]
pub struct Inline {
    /// The property.
    pub property: PropertyId,
    /// The parameters: the leaf; root and leaf; or root, middle and leaf.
    pub chain: Vec<u32>,
    /// The events.
    pub letters: Vec<Letter>,
    /// What every event of the root that does anything does, four bits for each code.
    pub root: u64,
    /// By code: the state.
    pub states: Vec<StateId>,
}

impl Letter {
    /// The case of an event with these arguments.
    pub fn case(&self, arg: &impl Fn(u32) -> Value) -> usize {
        let holds = |condition: &Condition| condition.holds(arg);
        self.conditions.iter().rev().fold(0, |case, one| case << 1 | usize::from(holds(one)))
    }

    /// The transition that a slice takes.
    pub fn taken(&self, case: usize, code: usize) -> Option<TransitionId> {
        *self.taken.get(case)?.get(code)?
    }
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

    /// What changes nothing.
    pub const NOTHING: Table = Table { next: IDENTITY, report: 0 };

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
        if !slices.lazy
            || slices.late.is_some()
            || slices.enabling.as_ref().is_some_and(|e| e.is_needed)
        {
            return Err("every instance has to be kept");
        }
        let context = &model.contexts[definition.context.index()];
        let Creation::ChenRosu { creation } = &context.rule else {
            return Err("it is not sliced by parameters");
        };
        if !definition.windows.is_empty() {
            return Err("it has windows");
        }
        if definition.asks_time() {
            return Err("it asks what time it is");
        }
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

/// What the transitions of a property ask of an event, and of which condition each of them is.
#[derive(Default)]
struct Asked {
    conditions: Vec<Condition>,
    /// Transitions, in order, each with the position of its condition, if it has one.
    transitions: Vec<(TransitionId, Option<usize>)>,
}

impl Maker<'_> {
    fn make(&self, property: PropertyId) -> Result<Inline, &'static str> {
        let long = self.chain.len() > 2;
        if long && self.definition.transitions.iter().any(|t| t.then.target == Target::Drop) {
            return Err("it drops instances of three objects");
        }
        let mut letters = Vec::new();
        for observed in &self.definition.alphabet {
            if letters.iter().any(|l: &Letter| l.event == observed.event) {
                continue;
            }
            let decl = &self.plan.model.events[observed.event.index()];
            if decl.is_death() {
                return Err("it observes the death of objects");
            }
            if decl.is_execution_in_jdk() {
                return Err("it observes executions in the JDK");
            }
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
            let placed: Vec<u32> = placement.0.iter().map(|(_, arg)| *arg).collect();
            let asked = self.asked(observed.event, &placed)?;
            is_at_hand(decl, &placed, &asked.conditions)?;
            letters.push(self.letter(observed.event, role, asked));
        }
        let states = (0..16).map(|code| self.state_of(code)).collect();
        let chain = self.chain.to_vec();
        let mut inline = Inline { property, chain, letters, root: IDENTITY, states };
        inline.check()?;
        // Who says with what slices begin takes the exception that the documentation names.
        if self.chain.len() > 1 && self.creation.is_empty() {
            self.are_objects(&inline)?;
        }
        Ok(inline)
    }

    /// Whether no slice in which a parameter is a number could come to a report: such a slice is of no
    /// object. Events of a method called on a parameter, say, are none of its.
    fn are_objects(&self, inline: &Inline) -> Result<(), &'static str> {
        for param in self.chain {
            let may_be_number = |letter: &&Letter| {
                let of_event = |o: &&Observed| o.event == letter.event;
                let observed = self.definition.alphabet.iter().find(of_event);
                let placed = observed.and_then(|o| o.placements.first()).and_then(|placement| {
                    placement.0.iter().find(|(p, _)| p.0 == *param).map(|(_, arg)| *arg)
                });
                let decl = &self.plan.model.events[letter.event.index()];
                placed.is_none_or(|arg| !is_surely_object(decl, arg))
            };
            let letters: Vec<&Letter> = inline.letters.iter().filter(may_be_number).collect();
            let mut reached = BTreeSet::from([0]);
            let mut todo = vec![0];
            while let Some(code) = todo.pop() {
                for table in letters.iter().flat_map(|letter| &letter.tables) {
                    if table.reports(code) {
                        return Err("slices have to begin with `creation` events, because a \
                                    parameter may be a number");
                    }
                    let to = table.after(code);
                    todo.extend(reached.insert(to).then_some(to));
                }
            }
        }
        Ok(())
    }

    /// What transitions ask of an event whose arguments at `placed` are objects of the instance.
    fn asked(&self, event: EventId, placed: &[u32]) -> Result<Asked, &'static str> {
        let decl = &self.plan.model.events[event.index()];
        let types: Vec<Type> = decl.params.iter().map(|p| p.ty).collect();
        let mut asked = Asked::default();
        for (number, transition) in self.definition.transitions.iter().enumerate() {
            let label = &transition.labels[0];
            if label.event.is_some_and(|e| e != event) || !label.arity.admits(types.len()) {
                continue;
            }
            let condition = Condition::of_label(label, &types, placed)?;
            let at = condition.map(|condition| {
                let text = format!("{condition:?}");
                let known = asked.conditions.iter().position(|c| format!("{c:?}") == text);
                known.unwrap_or_else(|| {
                    asked.conditions.push(condition);
                    asked.conditions.len() - 1
                })
            });
            asked.transitions.push((TransitionId::from_index(number), at));
        }
        match 1 << asked.conditions.len() <= CASES {
            true => Ok(asked),
            false => Err("what an event does depends on more than four conditions"),
        }
    }

    fn letter(&self, event: EventId, role: Role, asked: Asked) -> Letter {
        let decl = &self.plan.model.events[event.index()];
        let possible = possible_cases(decl, &asked.conditions);
        let (mut tables, mut taken) = (Vec::new(), Vec::new());
        for case in 0..1 << asked.conditions.len() {
            let (table, moves) = match possible.contains(&case) {
                true => self.table(event, &asked, case),
                false => (Table::NOTHING, [None; 16]),
            };
            tables.push(table);
            taken.push(moves);
        }
        Letter { event, role, conditions: asked.conditions, tables, taken }
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

    /// What an event does in a case, and by which transition.
    fn table(
        &self,
        event: EventId,
        asked: &Asked,
        case: usize,
    ) -> (Table, [Option<TransitionId>; 16]) {
        let mut table = Table::NOTHING;
        let mut moves = [None; 16];
        let begins = self.creation.is_empty() || self.creation.contains(&event);
        for code in 0..16 {
            if usize::from(code) > self.definition.states.len() || (code == 0 && !begins) {
                continue;
            }
            let state = self.state_of(code);
            let is_taken = |(transition, condition): &&(TransitionId, Option<usize>)| {
                self.definition.transitions[transition.index()].source == state
                    && condition.is_none_or(|at| case >> at & 1 != 0)
            };
            let taken = asked.transitions.iter().find(is_taken).map(|(t, _)| *t);
            let target = taken.map(|t| self.definition.transitions[t.index()].then.target);
            let (to, report) = match target {
                Some(Target::State(to)) => {
                    let kind = self.definition.states[to.index()].kind;
                    (self.code_of(to), matches!(kind, StateKind::Bad | StateKind::Good))
                }
                // What comes again begins again.
                Some(Target::Drop) => (0, false),
                Some(Target::Stay) | None => (self.code_of(state), false),
            };
            table.set(code, to, report);
            moves[usize::from(code)] = taken;
        }
        (table, moves)
    }
}

/// Every code leads to itself.
const IDENTITY: u64 = 0xfedc_ba98_7654_3210;

/// The cases that arguments can make. Texts may be anything, and so may conditions about them.
fn possible_cases(decl: &EventDecl, conditions: &[Condition]) -> BTreeSet<usize> {
    let mut values: Vec<(u32, Vec<Value>)> = Vec::new();
    for condition in conditions.iter().filter(|c| !c.is_about_texts()) {
        condition.constants(&mut |arg, value| {
            let at = values.iter().position(|(known, _)| *known == arg).unwrap_or_else(|| {
                let truth = [Value::Bool(false), Value::Bool(true), Value::Null];
                let other = Value::Ref(Object { id: u64::MAX, class: None });
                let is_truth = decl.params.get(arg as usize).is_some_and(|p| p.ty == Type::Bool);
                let other = (!is_truth).then_some(other);
                values.push((arg, truth.into_iter().chain(other).collect()));
                values.len() - 1
            });
            if !values[at].1.iter().any(|known| known.same(value)) {
                values[at].1.push(value.clone());
            }
        });
    }
    let free: Vec<usize> =
        (0..conditions.len()).filter(|c| conditions[*c].is_about_texts()).collect();
    let mut cases = BTreeSet::new();
    let mut chosen = vec![0; values.len()];
    loop {
        let arg = |at: u32| {
            let found = values.iter().zip(&chosen).find(|((known, _), _)| *known == at);
            found.map_or(Value::Null, |((_, all), one)| all[*one].clone())
        };
        let fixed = (0..conditions.len())
            .filter(|c| !free.contains(c) && conditions[*c].holds(&arg))
            .fold(0, |case, c| case | 1 << c);
        for some in 0..1usize << free.len() {
            let bits = free.iter().enumerate().filter(|(at, _)| some >> at & 1 != 0);
            cases.insert(bits.fold(fixed, |case, (_, c)| case | 1 << c));
        }
        // The next combination of values.
        let Some(at) = (0..chosen.len()).find(|at| chosen[*at] + 1 < values[*at].1.len()) else {
            return cases;
        };
        chosen[at] += 1;
        chosen[..at].fill(0);
    }
}

/// Whether what an event is about is handed to its hook as an object, and what its conditions look
/// at can be found out there.
fn is_at_hand(
    decl: &EventDecl,
    placed: &[u32],
    conditions: &[Condition],
) -> Result<(), &'static str> {
    let is_object = |arg: &u32| {
        let param = decl.params.get(*arg as usize);
        param.is_some_and(|p| matches!(p.ty, Type::Any | Type::Ref))
    };
    if !placed.iter().all(is_object) {
        return Err("a parameter is not an object");
    }
    let is_text = |arg: &u32| decl.params.get(*arg as usize).is_some_and(|p| p.ty == Type::Str);
    let texts: Vec<u32> = conditions.iter().flat_map(Condition::args).filter(is_text).collect();
    let Origin::World(sources) = &decl.origin else { return Ok(()) };
    for source in sources {
        let Source::Jvm(source) = source else { continue };
        for capture in &source.captures {
            if matches!(capture.term, JvmTerm::Java(_)) {
                return Err("its events run Java code of the property");
            }
            let arg = capture.param as u32;
            if placed.contains(&arg) && !is_operand(&capture.term) {
                return Err("a parameter is not an object that is at hand where the event happens");
            }
            if texts.contains(&arg) && !tells_class(&capture.term) {
                return Err("it compares texts other than names of classes");
            }
        }
    }
    Ok(())
}

/// Whether an argument of an event is an object wherever the event happens.
fn is_surely_object(decl: &EventDecl, arg: u32) -> bool {
    let Origin::World(sources) = &decl.origin else { return false };
    sources.iter().all(|source| {
        let Source::Jvm(source) = source else { return true };
        let mut own = source.captures.iter().filter(|c| c.param as u32 == arg);
        own.all(|capture| {
            use JvmTerm::{Array, Exception, Object, Receiver, This};
            matches!(capture.term, Receiver | This | Exception | Object | Array)
        })
    })
}

/// Whether a term is an object or a plain value at hand.
fn is_operand(term: &JvmTerm) -> bool {
    matches!(
        term,
        JvmTerm::Receiver
            | JvmTerm::Arg(_)
            | JvmTerm::Result
            | JvmTerm::Exception
            | JvmTerm::This
            | JvmTerm::Value
            | JvmTerm::Array
            | JvmTerm::Object
    )
}

/// Whether a text is known before the program runs, or is that of the class of an object at hand.
fn tells_class(term: &JvmTerm) -> bool {
    let is_class = |of: &JvmTerm| matches!(of, JvmTerm::Call(of, name) if name == "getClass" && is_operand(of));
    match term {
        JvmTerm::Class | JvmTerm::Method | JvmTerm::OpcodeName | JvmTerm::Target => true,
        JvmTerm::Call(of, name) => {
            is_class(of) && matches!(&**name, "getName" | "getTypeName" | "getPackageName")
        }
        _ => false,
    }
}

impl Inline {
    /// Whether the chain can be stepped as described; finds out what the root does.
    fn check(&mut self) -> Result<(), &'static str> {
        let roots = self.letters.iter().filter(|l| matches!(l.role, Role::Root(_)));
        let mut tables = roots.flat_map(|l| &l.tables).filter(|t| **t != Table::NOTHING);
        if let Some(first) = tables.next() {
            if first.report != 0 || tables.any(|table| table != first) {
                return Err("events of the root differ, or lead to a report");
            }
            if (0..16).any(|code| first.after(first.after(code)) != first.after(code)) {
                return Err("an event of the root that happens twice is more than one");
            }
            self.root = first.next;
        }
        // By level (0: not begun, 1: a middle, 2: the state is in the leaf) and code.
        let (single, long) = (self.chain.len() == 1, self.chain.len() == 3);
        let first = if single { 2 } else { 0 };
        let mut reached = [[false; 16]; 3];
        reached[first][0] = true;
        let mut todo = VecDeque::from([(first, 0u8)]);
        while let Some((level, code)) = todo.pop_front() {
            for (role, table) in
                self.letters.iter().flat_map(|l| l.tables.iter().map(|table| (l.role, table)))
            {
                let to = table.after(code);
                let report = table.reports(code);
                if to == code && !report {
                    continue;
                }
                let next = match (role, level) {
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
                let there = &mut reached[next][usize::from(to)];
                if !std::mem::replace(there, true) {
                    todo.push_back((next, to));
                }
            }
        }
        if (1..16).any(|code| reached[1][code] && reached[2][code]) {
            return Err("a middle and a leaf can be in the same state");
        }
        Ok(())
    }
}
