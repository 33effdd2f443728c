//! A property and a context, compiled.

use std::collections::HashMap;

use watchword_model::{
    Arity, Branch, ContextId, Creation, EventId, Expr, Label, Model, Origin, ParamId, Pattern,
    Place, Property, PropertyId, StateId, StateKind, Stmt, Target, Template, TemplatePart, Time,
    Type, Value, VarId,
};
use watchword_step::{self as step, Kind, NONE, Op, Range};

use crate::choice::{self, Action, Actions, Choice, Short};
use crate::code::{Coder, kind_of};

/// Compiled tables, owned. [`Tables::program`] lends them to the machine.
#[derive(Debug, Default)]
pub struct Tables {
    /// The states.
    pub states: Vec<step::StateRow>,
    /// How many kinds of events there are.
    pub kinds: u32,
    /// For every state and kind, the moves to try.
    pub rows: Vec<Range>,
    /// What `rows` point into.
    pub order: Vec<u32>,
    /// The transitions.
    pub moves: Vec<step::Move>,
    /// Their labels.
    pub labels: Vec<step::LabelRow>,
    /// Tests of arguments.
    pub tests: Vec<step::Test>,
    /// Arguments that are stored.
    pub binds: Vec<step::Bind>,
    /// Outcomes.
    pub branches: Vec<step::BranchRow>,
    /// Code.
    pub code: Vec<Op>,
    /// Constants; the engine turns them into words of its own heap.
    pub constants: Vec<Value>,
    /// Functions.
    pub functions: Vec<step::FunctionRow>,
    /// Names of actions.
    pub actions: Vec<String>,
    /// The windows, sorted by the kind of events that enter them.
    pub windows: Vec<step::WindowRow>,
    /// By kind: the windows such events may enter; empty if there are no windows.
    pub entering: Vec<Range>,
    /// Locals of a transition.
    pub locals: u32,
    /// How long the machine's stack must be.
    pub stack: u32,
}

impl Tables {
    /// The tables as the machine reads them, with the constants as words.
    pub fn program<'a>(&'a self, constants: &'a [step::Word]) -> step::Program<'a> {
        step::Program {
            states: &self.states,
            kinds: self.kinds,
            rows: &self.rows,
            order: &self.order,
            moves: &self.moves,
            labels: &self.labels,
            tests: &self.tests,
            binds: &self.binds,
            branches: &self.branches,
            code: &self.code,
            constants,
            functions: &self.functions,
            windows: &self.windows,
            entering: &self.entering,
            locals: self.locals,
        }
    }

    fn take_code(&mut self, coder: Coder<'_>) {
        self.stack = coder.stack() + self.locals;
        self.code = coder.code;
        self.constants = coder.constants;
        self.functions = coder.functions;
        self.actions = coder.actions;
    }
}

/// A message: text, and code for the values in it.
#[derive(Clone, Debug)]
pub enum Part {
    /// As it is.
    Text(String),
    /// The value this code leaves.
    Code(u32),
}

/// A deadline of a state.
#[derive(Clone, Copy, Debug)]
pub struct DeadlineRow {
    /// So long after entry.
    pub after: Time,
    /// What happens then.
    pub branch: u32,
}

/// One kind of event a property observes.
#[derive(Clone, Debug)]
pub struct KindRow {
    /// The event.
    pub event: EventId,
    /// Code of the filter, or [`NONE`].
    pub filter: u32,
    /// The one argument the filter reads, if its answer depends on nothing else.
    pub filter_arg: Option<u32>,
    /// Pairs of parameter and argument; one list per placement.
    pub placements: Vec<Vec<(u32, u32)>>,
    /// Whether it begins slices.
    pub creation: bool,
    /// Whether a parameter's life ends with it.
    pub ends: bool,
}

/// A compiled property.
#[derive(Debug)]
pub struct Unit {
    /// Which.
    pub property: PropertyId,
    /// Its context.
    pub context: ContextId,
    /// The automaton.
    pub tables: Tables,
    /// The observed events; their positions are the machine's kinds.
    pub kinds: Vec<KindRow>,
    /// By event: its kind, or [`NONE`].
    pub kind_of: Vec<u32>,
    /// By state: what being there means.
    pub state_kinds: Vec<StateKind>,
    /// By state: the deadline.
    pub deadlines: Vec<Option<DeadlineRow>>,
    /// By state: whether no transition leaves it.
    pub stuck: Vec<bool>,
    /// The start state.
    pub start: u32,
    /// A state beyond those of the property, which nothing leaves: of instances whose state is not
    /// known any more, because an update failed or a limit was hit.
    pub lost: u32,
    /// The property's message.
    pub message: Option<Vec<Part>>,
    /// By state: its message.
    pub state_messages: Vec<Option<Vec<Part>>>,
    /// By branch: its message.
    pub branch_messages: Vec<Option<Vec<Part>>>,
    /// By register: the code of its initial value, or [`NONE`], and its type.
    pub registers: Vec<(u32, Kind)>,
    /// By move: the placement of its own label, for the `verde` rule.
    pub own_placements: Vec<Vec<(u32, u32)>>,
    /// By move: its source.
    pub sources: Vec<u32>,
    /// By state, in register properties: whether it has an idle loop. Such loops are not among the
    /// moves to try: a configuration there stays.
    pub idle: Vec<bool>,
    /// How many labels the longest move has.
    pub longest: usize,
    /// Whether slices begin at creation events.
    pub has_creation: bool,
    /// By state and, within it, kind of event: what is known before the event's arguments are.
    pub actions: Vec<Action>,
    /// The same, where it is no more than a change of state, or none: the state after it; else
    /// [`NONE`].
    pub next: Vec<u32>,
    /// What actions choose among.
    pub choices: Vec<Choice>,
    /// See [`Action::Short`].
    pub shorts: Vec<Short>,
    /// How many guards' answers can be remembered, for choices.
    pub memos: u32,
    /// By label: the one argument its guard reads, if its answer depends on nothing else.
    pub guard_args: Vec<Option<u32>>,
}

impl Unit {
    /// What an event of a kind does to an instance in a state; nothing where there is no such
    /// state.
    #[inline]
    pub fn action(&self, state: u32, kind: u32) -> Action {
        let at = state as usize * self.kinds.len() + kind as usize;
        self.actions.get(at).copied().unwrap_or(Action::Skip)
    }

    /// Whether events of a kind may enter a window.
    #[inline]
    pub fn enters(&self, kind: u32) -> bool {
        self.tables.entering.get(kind as usize).is_some_and(|windows| !windows.is_empty())
    }

    /// The state in which an event of a kind leaves an instance; [`NONE`] if that depends on more
    /// than its state, or something else happens.
    #[inline]
    pub fn next(&self, state: u32, kind: u32) -> u32 {
        let at = state as usize * self.kinds.len() + kind as usize;
        self.next.get(at).copied().unwrap_or(NONE)
    }
}

/// A compiled context.
#[derive(Debug)]
pub struct ContextUnit {
    /// Code only.
    pub tables: Tables,
    /// How many parameters the chain has, and how many the enclosing contexts.
    pub params: usize,
    /// See `params`.
    pub outer_params: usize,
    /// How many variables the chain has, and how many the enclosing contexts.
    pub vars: usize,
    /// See `vars`.
    pub outer_vars: usize,
    /// How many of the variables, the last ones, hold windows.
    pub windows: usize,
    /// Own variables: code of the initial value, and the type.
    pub inits: Vec<(u32, Kind)>,
    /// By parameter of the chain: the code of its key over `Arg(0)`, or [`NONE`].
    pub keys: Vec<u32>,
    /// Whether some parameter is compared by something other than itself.
    pub is_keyed: bool,
}

impl ContextUnit {
    /// A record begins with what its parameters are compared by. Where the parameters' own values
    /// are: further on if they are compared by something else, there otherwise.
    pub fn shown_at(&self) -> usize {
        if self.is_keyed { self.params } else { 0 }
    }

    /// Where a record's own variables begin: after its binding.
    pub fn vars_at(&self) -> usize {
        self.shown_at() + self.params
    }
}

/// Where the variables of a chain live: those of the outermost context first.
fn var_slots(model: &Model, context: ContextId) -> HashMap<VarId, u32> {
    model
        .chain(context)
        .into_iter()
        .flat_map(|c| model.contexts[c.index()].variables.iter().copied())
        .zip(0..)
        .collect()
}

/// The windows of the property of a context, which lie behind the variables.
fn windows_of(model: &Model, context: ContextId) -> usize {
    let own = model.properties.iter().find(|p| p.context == context);
    own.map_or(0, |property| property.windows.len())
}

/// What parameters of a chain are compared by.
fn key_exprs(model: &Model, context: ContextId) -> Vec<Option<&Expr>> {
    model
        .chain(context)
        .into_iter()
        .flat_map(|c| {
            let context = &model.contexts[c.index()];
            (0..context.params.len()).map(|i| context.keys.get(i).and_then(Option::as_ref))
        })
        .collect()
}

/// Compiles a context.
pub(crate) fn context(model: &Model, id: ContextId) -> ContextUnit {
    let definition = &model.contexts[id.index()];
    let slots = var_slots(model, id);
    let mut coder = Coder::new(model, slots.clone(), Vec::new());
    let windows = windows_of(model, id);
    let empty = Expr::Const(Value::Null);
    let inits: Vec<(u32, Kind)> = definition
        .variables
        .iter()
        .map(|v| {
            let variable = &model.variables[v.index()];
            (&variable.init, kind_of(variable.ty))
        })
        .chain((0..windows).map(|_| (&empty, Kind::Any)))
        .map(|(init, kind)| (coder.expression(init), kind))
        .collect();
    let keys: Vec<u32> = key_exprs(model, id)
        .into_iter()
        .map(|key| key.map_or(NONE, |expr| coder.expression(expr)))
        .collect();
    let mut tables = Tables {
        locals: definition
            .variables
            .iter()
            .map(|v| locals_of_expr(&model.variables[v.index()].init))
            .chain(key_exprs(model, id).into_iter().flatten().map(locals_of_expr))
            .max()
            .unwrap_or(0),
        ..Tables::default()
    };
    tables.take_code(coder);
    ContextUnit {
        tables,
        params: keys.len(),
        outer_params: keys.len() - definition.params.len(),
        vars: slots.len() + windows,
        outer_vars: slots.len() - definition.variables.len(),
        windows,
        inits,
        is_keyed: keys.iter().any(|k| *k != NONE),
        keys,
    }
}

struct UnitBuilder<'m> {
    model: &'m Model,
    property: &'m Property,
    coder: Coder<'m>,
    tables: Tables,
    kind_of: Vec<u32>,
    keys: Vec<Option<&'m Expr>>,
    branch_messages: Vec<Option<Vec<Part>>>,
}

/// Compiles a property.
pub(crate) fn property(model: &Model, id: PropertyId) -> Unit {
    let property = &model.properties[id.index()];
    let register_types: Vec<Type> = property.registers.iter().map(|r| r.ty).collect();
    let mut kind_of = vec![NONE; model.events.len()];
    // Only the first entry of an event counts.
    let observed: Vec<_> = property
        .alphabet
        .iter()
        .enumerate()
        .filter(|(i, o)| property.alphabet.iter().position(|p| p.event == o.event) == Some(*i))
        .map(|(_, o)| o)
        .collect();
    for (number, o) in observed.iter().enumerate() {
        kind_of[o.event.index()] = number as u32;
    }
    let slots = var_slots(model, property.context);
    let first = slots.len() as u32;
    let held = (first..).zip(&property.windows).map(|(var, w)| (var, aggregate(w.aggregate)));
    let mut builder = UnitBuilder {
        model,
        property,
        coder: Coder::new(model, slots, register_types).with_windows(held.collect()),
        tables: Tables { kinds: observed.len() as u32, ..Tables::default() },
        kind_of,
        keys: key_exprs(model, property.context),
        branch_messages: Vec::new(),
    };
    let creation: &[EventId] = match &model.contexts[property.context.index()].rule {
        Creation::ChenRosu { creation } => creation,
        _ => &[],
    };
    let mut kinds = Vec::new();
    for o in &observed {
        let filter = o.filter.as_ref().map_or(NONE, |f| builder.coder.expression(f));
        let placements = o
            .placements
            .iter()
            .map(|p| p.0.iter().map(|(param, arg)| (param.0, *arg)).collect())
            .collect();
        let ends = &model.contexts[property.context.index()].ends;
        kinds.push(KindRow {
            event: o.event,
            filter,
            filter_arg: o.filter.as_ref().and_then(choice::filter_arg),
            placements,
            creation: creation.contains(&o.event),
            ends: ends.iter().any(|e| e.event == o.event),
        });
    }
    builder.build(id, kinds)
}

impl UnitBuilder<'_> {
    fn build(mut self, id: PropertyId, kinds: Vec<KindRow>) -> Unit {
        let property = self.property;
        let registers = property
            .registers
            .iter()
            .map(|r| {
                let init = r.init.as_ref().map_or(NONE, |e| self.coder.expression(e));
                (init, kind_of(r.ty))
            })
            .collect();
        self.tables.locals = locals_of(property);
        let mut own_placements = Vec::new();
        for transition in &property.transitions {
            let start = self.tables.labels.len() as u32;
            for label in &transition.labels {
                self.label(label, &kinds);
            }
            let labels = Range { start, end: self.tables.labels.len() as u32 };
            let then = self.branch(&transition.then);
            let otherwise = transition.otherwise.as_ref().map_or(NONE, |b| self.branch(b));
            self.tables.moves.push(step::Move { labels, then, otherwise, keep: transition.keep });
            own_placements.push(transition.labels.first().map_or(Vec::new(), own_placement));
        }
        let mut deadlines = Vec::new();
        let mut state_messages = Vec::new();
        for state in &property.states {
            let entry = self.coder.statements(&state.entry);
            self.tables.states.push(step::StateRow { entry });
            deadlines.push(
                state
                    .deadline
                    .as_ref()
                    .map(|d| DeadlineRow { after: d.after, branch: self.branch(&d.branch) }),
            );
            state_messages.push(state.message.as_ref().map(|t| self.template(t)));
        }
        self.windows(&kinds);
        self.tables.states.push(step::StateRow { entry: NONE });
        deadlines.push(None);
        state_messages.push(None);
        self.rows();
        let message = property.message.as_ref().map(|t| self.template(t));
        let lost = property.states.len();
        let stuck = (0..=lost)
            .map(|s| !property.transitions.iter().any(|t| t.source.index() == s))
            .collect();
        let mut idle = vec![false; lost + 1];
        for transition in property.transitions.iter().filter(|t| self.is_idle(t)) {
            idle[transition.source.index()] = true;
        }
        let UnitBuilder { mut tables, coder, kind_of, branch_messages, .. } = self;
        tables.take_code(coder);
        let mut state_kinds: Vec<StateKind> = property.states.iter().map(|s| s.kind).collect();
        state_kinds.push(StateKind::Normal);
        let has_deadlines = deadlines.iter().any(Option::is_some);
        let labels = property.transitions.iter().flat_map(|t| &t.labels);
        let guard_args: Vec<Option<u32>> = labels.map(choice::guard_arg).collect();
        let labels = labels_of_windows(&tables);
        let guard_args = guard_args.into_iter().chain(labels.map(|_| None)).collect::<Vec<_>>();
        let settled: Vec<bool> =
            (0..=lost).map(|s| s == lost || property.is_settled(StateId::from_index(s))).collect();
        let Actions { actions, choices, shorts, memos } =
            choice::actions(&tables, &state_kinds, has_deadlines, &guard_args, &settled);
        let states = (0..state_kinds.len() as u32).flat_map(|s| kinds.iter().map(move |_| s));
        let next = states.zip(&actions).map(|(state, action)| match action {
            Action::Skip | Action::Stay => state,
            Action::Go(to) => *to,
            Action::Choose(_) | Action::Short(_) | Action::Ask => NONE,
        });
        Unit {
            next: next.collect(),
            has_creation: kinds.iter().any(|k| k.creation),
            actions,
            choices,
            shorts,
            memos,
            guard_args,
            property: id,
            context: property.context,
            tables,
            kinds,
            kind_of,
            state_kinds,
            deadlines,
            stuck,
            start: property.start.0,
            lost: lost as u32,
            message,
            state_messages,
            branch_messages,
            registers,
            own_placements,
            idle,
            sources: property.transitions.iter().map(|t| t.source.0).collect(),
            longest: property.transitions.iter().map(|t| t.labels.len()).max().unwrap_or(0),
        }
    }

    /// Compiles the windows, after all transitions: their labels are the last ones.
    fn windows(&mut self, kinds: &[KindRow]) {
        if self.property.windows.is_empty() {
            return;
        }
        for (kind, row) in kinds.iter().enumerate() {
            let start = self.tables.windows.len() as u32;
            for (at, window) in self.property.windows.iter().enumerate() {
                // Only events enter windows, and every window is of one of them.
                if window.label.event != Some(row.event) {
                    continue;
                }
                debug_assert_eq!(self.kind_of[row.event.index()], kind as u32);
                self.label(&window.label, kinds);
                let label = self.tables.labels.len() as u32 - 1;
                let of = window.of.as_ref().map_or(NONE, |of| self.coder.expression(of));
                let (var, aggregate) = self.coder.window(at);
                let within = u64::try_from(window.within).unwrap_or(0);
                self.tables.windows.push(step::WindowRow { aggregate, label, of, var, within });
            }
            self.tables.entering.push(Range { start, end: self.tables.windows.len() as u32 });
        }
    }

    fn is_idle(&self, transition: &watchword_model::Transition) -> bool {
        let context = &self.model.contexts[self.property.context.index()];
        context.rule == Creation::Registers && self.property.is_idle(transition)
    }

    fn rows(&mut self) {
        for state in 0..self.tables.states.len() {
            for kind in 0..self.tables.kinds {
                let start = self.tables.order.len() as u32;
                for (i, transition) in self.property.transitions.iter().enumerate() {
                    let Some(label) = transition.labels.first() else { continue };
                    let fits = match label.event {
                        None => true,
                        Some(event) => self.kind_of[event.index()] == kind,
                    };
                    // A loop that changes nothing is not tried, but known: see `Unit::idle`.
                    if self.is_idle(transition) {
                        continue;
                    }
                    if transition.source.index() == state && fits {
                        self.tables.order.push(i as u32);
                    }
                }
                let end = self.tables.order.len() as u32;
                self.tables.rows.push(Range { start, end });
            }
        }
    }

    fn label(&mut self, label: &Label, kinds: &[KindRow]) {
        // An event that is not observed never arrives: a kind no event has.
        let kind = match label.event {
            None => NONE,
            Some(event) => match self.kind_of[event.index()] {
                NONE => NONE - 1,
                kind => kind,
            },
        };
        let sole = match kinds.get(kind as usize).map(|k| &k.placements[..]) {
            Some([only]) => Some(only),
            _ => None,
        };
        // Alarms of clocks go to their own instance, whatever the placement says.
        let slicing = matches!(
            self.model.contexts[self.property.context.index()].rule,
            Creation::ChenRosu { .. } | Creation::Larva
        ) && !label
            .event
            .is_some_and(|e| matches!(self.model.events[e.index()].origin, Origin::Clock));
        let tests = self.tables.tests.len() as u32;
        let mut early = Vec::new();
        let mut late = Vec::new();
        for (arg, pattern) in (0..).zip(&label.args) {
            match pattern {
                Pattern::Any => {}
                Pattern::Bind(place @ Place::Local(_)) => {
                    early.push(step::Bind { arg, place: self.coder.place(*place) });
                }
                Pattern::Bind(place) => {
                    late.push(step::Bind { arg, place: self.coder.place(*place) });
                }
                // With one placement, only instances whose parameter is that argument are
                // concerned: the test always holds.
                Pattern::Equal(Place::Param(p))
                    if slicing && sole.is_some_and(|s| s.contains(&(p.0, arg))) => {}
                Pattern::Equal(place) => self.test(arg, *place, true),
                Pattern::Differs(place) => self.test(arg, *place, false),
                Pattern::Const(value) => self.test_constant(arg, value, true),
                Pattern::NotConst(value) => self.test_constant(arg, value, false),
            }
        }
        let tests = Range { start: tests, end: self.tables.tests.len() as u32 };
        let early = self.binds(early);
        let late = self.binds(late);
        let guard = label.guard.as_ref().map_or(NONE, |g| self.coder.expression(g));
        self.tables.labels.push(step::LabelRow {
            kind,
            least: label.arity.least(),
            most: match label.arity {
                Arity::Exactly(n) => n,
                Arity::Any | Arity::AtLeast(_) => NONE,
            },
            tests,
            early,
            late,
            guard,
            impure: label.guard.as_ref().is_some_and(crate::effects::expr_writes),
        });
    }

    fn test(&mut self, arg: u32, place: Place, same: bool) {
        let key = match place {
            Place::Param(p) => match self.keys.get(p.index()).copied().flatten() {
                Some(expr) => self.coder.same_keys(expr, place, arg),
                None => NONE,
            },
            _ => NONE,
        };
        self.tables.tests.push(step::Test { arg, same, place: self.coder.place(place), key });
    }

    fn test_constant(&mut self, arg: u32, value: &Value, same: bool) {
        let place = step::Place::Constant(self.coder.constant(value.clone()));
        self.tables.tests.push(step::Test { arg, same, place, key: NONE });
    }

    fn binds(&mut self, binds: Vec<step::Bind>) -> Range {
        let start = self.tables.binds.len() as u32;
        self.tables.binds.extend(binds);
        Range { start, end: self.tables.binds.len() as u32 }
    }

    fn branch(&mut self, branch: &Branch) -> u32 {
        let update = self.coder.statements(&branch.update);
        let target = match branch.target {
            Target::State(state) => step::Target::State(state.0),
            Target::Stay => step::Target::Stay,
            Target::Drop => step::Target::Drop,
        };
        self.tables.branches.push(step::BranchRow { update, target });
        let message = branch.message.as_ref().map(|t| self.template(t));
        self.branch_messages.push(message);
        self.tables.branches.len() as u32 - 1
    }

    fn template(&mut self, template: &Template) -> Vec<Part> {
        template
            .parts
            .iter()
            .map(|part| match part {
                TemplatePart::Text(text) => Part::Text(text.clone()),
                TemplatePart::Value(expr) => Part::Code(self.coder.expression(expr)),
            })
            .collect()
    }
}

/// The labels of windows, behind those of transitions.
fn labels_of_windows(tables: &Tables) -> impl Iterator<Item = u32> + '_ {
    tables.windows.iter().map(|window| window.label)
}

fn aggregate(aggregate: watchword_model::Aggregate) -> step::Aggregate {
    use watchword_model::Aggregate;
    match aggregate {
        Aggregate::Count => step::Aggregate::Count,
        Aggregate::Distinct => step::Aggregate::Distinct,
        Aggregate::Sum => step::Aggregate::Sum,
        Aggregate::Min => step::Aggregate::Min,
        Aggregate::Max => step::Aggregate::Max,
        Aggregate::Avg => step::Aggregate::Avg,
    }
}

/// The placement a label itself spells: its arguments that are parameters.
pub(crate) fn own_placement(label: &Label) -> Vec<(u32, u32)> {
    (0..)
        .zip(&label.args)
        .filter_map(|(arg, pattern)| match pattern {
            Pattern::Equal(Place::Param(ParamId(p))) => Some((*p, arg)),
            _ => None,
        })
        .collect()
}

/// One more than the highest local a property's own code and labels use.
fn locals_of(property: &Property) -> u32 {
    let mut most = 0;
    let mut see = |n: u32| most = most.max(n);
    for transition in &property.transitions {
        for label in &transition.labels {
            for pattern in &label.args {
                if let Pattern::Bind(Place::Local(l))
                | Pattern::Equal(Place::Local(l))
                | Pattern::Differs(Place::Local(l)) = pattern
                {
                    see(l.0 + 1);
                }
            }
            see(label.guard.as_ref().map_or(0, locals_of_expr));
        }
        for branch in [Some(&transition.then), transition.otherwise.as_ref()].into_iter().flatten()
        {
            see(locals_of_branch(branch));
        }
    }
    for window in &property.windows {
        for pattern in &window.label.args {
            if let Pattern::Bind(Place::Local(l)) = pattern {
                see(l.0 + 1);
            }
        }
        see(window.label.guard.as_ref().map_or(0, locals_of_expr));
        see(window.of.as_ref().map_or(0, locals_of_expr));
    }
    for state in &property.states {
        see(locals_of_stmts(&state.entry));
        see(state.message.as_ref().map_or(0, locals_of_template));
        see(state.deadline.as_ref().map_or(0, |d| locals_of_branch(&d.branch)));
    }
    for register in &property.registers {
        see(register.init.as_ref().map_or(0, locals_of_expr));
    }
    for observed in &property.alphabet {
        see(observed.filter.as_ref().map_or(0, locals_of_expr));
    }
    see(property.message.as_ref().map_or(0, locals_of_template));
    most
}

fn locals_of_branch(branch: &Branch) -> u32 {
    locals_of_stmts(&branch.update).max(branch.message.as_ref().map_or(0, locals_of_template))
}

fn locals_of_template(template: &Template) -> u32 {
    template
        .parts
        .iter()
        .map(|p| match p {
            TemplatePart::Text(_) => 0,
            TemplatePart::Value(expr) => locals_of_expr(expr),
        })
        .max()
        .unwrap_or(0)
}

fn locals_of_stmts(stmts: &[Stmt]) -> u32 {
    stmts.iter().map(locals_of_stmt).max().unwrap_or(0)
}

fn locals_of_stmt(stmt: &Stmt) -> u32 {
    match stmt {
        Stmt::Assign(place, expr) => {
            let own = if let Place::Local(l) = place { l.0 + 1 } else { 0 };
            own.max(locals_of_expr(expr))
        }
        Stmt::If(cond, then, otherwise) => {
            locals_of_expr(cond).max(locals_of_stmts(then)).max(locals_of_stmts(otherwise))
        }
        Stmt::While(cond, body) => locals_of_expr(cond).max(locals_of_stmts(body)),
        Stmt::ForEach(local, expr, body) => {
            (local.0 + 1).max(locals_of_expr(expr)).max(locals_of_stmts(body))
        }
        Stmt::Return(Some(expr))
        | Stmt::Eval(expr)
        | Stmt::Print(expr)
        | Stmt::SetClock(_, expr) => locals_of_expr(expr),
        Stmt::Send(_, args) | Stmt::Action(_, args) => {
            args.iter().map(locals_of_expr).max().unwrap_or(0)
        }
        Stmt::Return(None)
        | Stmt::Break
        | Stmt::Continue
        | Stmt::ResetClock(_)
        | Stmt::StopClock(_) => 0,
    }
}

fn locals_of_expr(expr: &Expr) -> u32 {
    match expr {
        Expr::Const(_) => 0,
        Expr::Read(Place::Local(l)) => l.0 + 1,
        Expr::Read(_) => 0,
        Expr::Unary(_, e) => locals_of_expr(e),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) => {
            locals_of_expr(a).max(locals_of_expr(b))
        }
        Expr::If(a, b, c) => locals_of_expr(a).max(locals_of_expr(b)).max(locals_of_expr(c)),
        Expr::Builtin(_, args) | Expr::Call(_, args) | Expr::List(args) => {
            args.iter().map(locals_of_expr).max().unwrap_or(0)
        }
        Expr::Block(stmts) => locals_of_stmts(stmts),
        Expr::Map(entries) => {
            entries.iter().map(|(k, v)| locals_of_expr(k).max(locals_of_expr(v))).max().unwrap_or(0)
        }
    }
}
