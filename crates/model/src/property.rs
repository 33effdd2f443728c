//! Properties: automata over events, and the contexts that make instances of them.

use crate::asks;
use crate::{
    ClockId, ContextId, EventId, Expr, Lang, Param, ParamId, Place, RegisterId, Span, StateId,
    Stmt, Template, Time, TransitionId, Type, Value, VarId, Window,
};

/// A group of automata with shared variables and one lifetime per key.
///
/// Contexts of rule [`Creation::Larva`] nest and may hold several properties; a context of any
/// other rule has no parent, no child and exactly one property.
#[derive(Clone, Debug)]
pub struct Context {
    /// The context this one is inside of.
    pub parent: Option<ContextId>,
    /// The parameters it adds. [`ParamId`]s count from the outermost context of the chain.
    pub params: Vec<Param>,
    /// What a parameter is compared by, if not by itself: an expression over `Arg(0)`.
    /// As long as `params`.
    pub keys: Vec<Option<Expr>>,
    /// How instances come to be.
    pub rule: Creation,
    /// Variables each instance owns.
    pub variables: Vec<VarId>,
    /// Clocks each instance owns.
    pub clocks: Vec<ClockId>,
    /// Events that end the life of a parameter's value: after the event has been stepped, every
    /// instance that binds the parameter to the value in that argument is removed, without trace.
    pub ends: Vec<EndOfLife>,
}

impl Context {
    /// That of a property with registers: nothing but its rule.
    pub fn of_registers() -> Context {
        Context {
            parent: None,
            params: Vec::new(),
            keys: Vec::new(),
            rule: Creation::Registers,
            variables: Vec::new(),
            clocks: Vec::new(),
            ends: Vec::new(),
        }
    }
}

/// “`param`'s value dies with this event.”
#[derive(Clone, Debug)]
pub struct EndOfLife {
    /// The parameter.
    pub param: ParamId,
    /// The event.
    pub event: EventId,
    /// The argument that holds the value.
    pub arg: u32,
}

/// How instances come to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Creation {
    /// Parametric slicing. With creation events, a slice begins at its first one.
    ChenRosu {
        /// The creation events; empty: every event is one.
        creation: Vec<EventId>,
    },
    /// One all-unbound instance; others are created when an ancestor's transition fires.
    Verde,
    /// Nested contexts; a new instance starts in the start state.
    Larva,
    /// No parameters: a set of configurations with registers.
    Registers,
}

/// A variable of a context.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// The initial value; may read parameters and earlier variables.
    pub init: Expr,
    /// The context that owns it.
    pub context: ContextId,
    /// Where it was declared.
    pub span: Span,
}

/// A clock of a context. It runs from the creation of the instance, or from its last reset.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The name.
    pub name: String,
    /// When it raises which event, for its own context instance and those further in.
    pub alarms: Vec<Alarm>,
    /// The event that it raises after a computed time, if a label waits for it.
    pub rings: Option<EventId>,
    /// Whether it runs from the creation of the instance, or waits for a reset.
    pub autostart: bool,
    /// The variable that keeps the time at which it was started, if code reads the clock: written
    /// beside every statement that starts or stops it, null while it is stopped.
    pub since: Option<VarId>,
    /// The context that owns it.
    pub context: ContextId,
}

/// A time a clock is set for.
#[derive(Clone, Debug)]
pub struct Alarm {
    /// After so long.
    pub after: Time,
    /// The event raised, of origin [`Origin::Clock`](crate::Origin::Clock).
    pub event: EventId,
}

/// How serious a violation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Suspicious.
    Warning,
    /// A defect.
    #[default]
    Error,
}

impl Severity {
    /// The name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A property: an automaton and what is said when it is violated.
#[derive(Clone, Debug)]
pub struct Property {
    /// The name.
    pub name: String,
    /// The `///` comment.
    pub doc: String,
    /// How serious a violation is.
    pub severity: Severity,
    /// Free words to select properties by.
    pub tags: Vec<String>,
    /// What every violation says.
    pub message: Option<Template>,
    /// The context that makes instances of it.
    pub context: ContextId,
    /// The events that exist for it.
    pub alphabet: Vec<Observed>,
    /// The registers of a configuration. Only [`Creation::Registers`] has any.
    pub registers: Vec<Register>,
    /// The windows over the events of a slice. Only properties of rule [`Creation::ChenRosu`] have
    /// any.
    pub windows: Vec<Window>,
    /// The states.
    pub states: Vec<State>,
    /// Where it begins.
    pub start: StateId,
    /// The transitions. Of one source, the earlier come first.
    pub transitions: Vec<Transition>,
    /// The language it was written in.
    pub lang: Lang,
    /// How it was written, where that was not as an automaton.
    pub origin: PropertyOrigin,
    /// How it compares strings and boxed values of a program.
    pub boxes: Boxes,
    /// Where it was written.
    pub span: Span,
}

/// How a property compares the objects of a program that hold one constant: strings, and the boxes
/// of primitive values (`java.lang.Integer`, `Boolean`, `Character`, …). It concerns the arguments
/// for which the event declares no type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Boxes {
    /// As any other object: two equal strings are two objects.
    #[default]
    ByIdentity,
    /// By the value inside, which is what the property receives instead of the object. Only
    /// properties with registers do.
    ByValue,
}

impl Property {
    /// Whether it was proven of the program before the run, and is not monitored.
    pub fn is_proven(&self) -> bool {
        self.origin == PropertyOrigin::Proven
    }
}

/// How a property was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyOrigin {
    /// As states and transitions.
    Automaton,
    /// As `never R`, with the text of R.
    Never(String),
    /// As `only R`, with the text of R.
    Only(String),
    /// As a temporal formula, with its text.
    Ltl(String),
    /// As one that was proven of a program: it waits for nothing.
    Proven,
}

/// An event that exists for a property.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The event.
    pub event: EventId,
    /// If present: only those for which it holds exist. Reads nothing but `Arg`s.
    pub filter: Option<Expr>,
    /// Which arguments are parameters of the context. One placement per way the labels use the
    /// event; see [`Placement`].
    pub placements: Vec<Placement>,
}

/// Which arguments of an event are which parameters: sorted by parameter, each at most once.
///
/// An event concerns the instances that agree with it on *some* placement. The empty placement
/// agrees with every instance. A placement with a null among its values agrees with none and
/// creates none.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Placement(pub Vec<(ParamId, u32)>);

/// A register of a configuration.
#[derive(Clone, Debug)]
pub struct Register {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// What it holds at the start; `None`: nothing, and every read is preceded by a write.
    pub init: Option<Expr>,
    /// Where it was declared or first bound.
    pub span: Span,
}

/// A state.
#[derive(Clone, Debug)]
pub struct State {
    /// The name.
    pub name: String,
    /// What being here means.
    pub kind: StateKind,
    /// What a report about this state adds to the message.
    pub message: Option<Template>,
    /// What is executed on every entry, after the transition's own update.
    pub entry: Vec<Stmt>,
    /// How long one may stay. Runs from every entry; staying does not restart it.
    pub deadline: Option<Deadline>,
    /// Where it was written.
    pub span: Span,
}

/// What being in a state means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateKind {
    /// Nothing.
    Normal,
    /// Violated: reported on every entry.
    Bad,
    /// Satisfied: recorded on every entry.
    Good,
    /// Violated if the run ends here.
    Pending,
}

/// How long a configuration may stay in a state.
#[derive(Clone, Debug)]
pub struct Deadline {
    /// So long after entry.
    pub after: Time,
    /// What happens then.
    pub branch: Branch,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// From.
    pub source: StateId,
    /// What it consumes: at least one label. More than one only in register properties.
    pub labels: Vec<Label>,
    /// `=>`: the source configuration stays too, placed after the first consumed event. Only in
    /// register properties.
    pub keep: bool,
    /// What happens.
    pub then: Branch,
    /// What happens if the label matches but its guard is false (not: not relevant). Only in
    /// sliced properties.
    pub otherwise: Option<Branch>,
    /// Where it was written.
    pub span: Span,
}

/// The outcome of a transition or a deadline.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Assignments and outputs, in order.
    pub update: Vec<Stmt>,
    /// To.
    pub target: Target,
    /// What a report about this transition adds to the message.
    pub message: Option<Template>,
}

/// Where a transition leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Enter that state, be it the same one again.
    State(StateId),
    /// Neither leave nor enter: no report, no entry action, the deadline runs on.
    Stay,
    /// End the instance or the configuration.
    Drop,
}

/// What one label matches.
#[derive(Clone, Debug)]
pub struct Label {
    /// The event; `None`: any observed event.
    pub event: Option<EventId>,
    /// How many arguments the event must have.
    pub arity: Arity,
    /// Per argument, a pattern; arguments without one are [`Pattern::Any`].
    pub args: Vec<Pattern>,
    /// A condition. Sees the store as it was before the binds of this label.
    pub guard: Option<Expr>,
    /// Where it was written.
    pub span: Span,
}

/// How many arguments an event must have for a label to match it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arity {
    /// Any number.
    #[default]
    Any,
    /// This number.
    Exactly(u32),
    /// This number or more.
    AtLeast(u32),
}

impl Arity {
    /// Whether an event with so many arguments fits.
    pub fn admits(self, given: usize) -> bool {
        match self {
            Arity::Any => true,
            Arity::Exactly(n) => given == n as usize,
            Arity::AtLeast(n) => given >= n as usize,
        }
    }

    /// The least number of arguments that fits.
    pub fn least(self) -> u32 {
        match self {
            Arity::Any => 0,
            Arity::Exactly(n) | Arity::AtLeast(n) => n,
        }
    }

    /// Whether every number that fits the other fits this one.
    pub fn covers(self, other: Arity) -> bool {
        match (self, other) {
            (Arity::Exactly(_), _) => self == other,
            (_, Arity::Any) => self.least() == 0,
            _ => other.least() >= self.least(),
        }
    }

    /// What fits both; `None` if nothing does.
    pub fn and(self, other: Arity) -> Option<Arity> {
        match (self, other) {
            (Arity::Exactly(n), other) | (other, Arity::Exactly(n)) => {
                other.admits(n as usize).then_some(Arity::Exactly(n))
            }
            (Arity::Any, other) | (other, Arity::Any) => Some(other),
            (Arity::AtLeast(a), Arity::AtLeast(b)) => Some(Arity::AtLeast(a.max(b))),
        }
    }
}

/// What an argument must be. All reads of a label happen before its writes.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Anything.
    Any,
    /// Anything; written to a register or a local.
    Bind(Place),
    /// The same as what the place holds. An unbound parameter is the same as nothing.
    Equal(Place),
    /// Not the same as what the place holds. An unbound parameter differs from everything.
    Differs(Place),
    /// The same as a constant.
    Const(Value),
    /// Not the same as a constant.
    NotConst(Value),
}

impl Property {
    /// A property of a context with nothing but a name; it has no states yet.
    pub fn named(name: &str, context: ContextId) -> Property {
        Property {
            name: name.to_string(),
            doc: String::new(),
            severity: Severity::Error,
            tags: vec![],
            message: None,
            context,
            alphabet: vec![],
            registers: vec![],
            windows: vec![],
            states: vec![],
            start: StateId(0),
            transitions: vec![],
            lang: Lang::Ww,
            origin: PropertyOrigin::Automaton,
            boxes: Boxes::ByIdentity,
            span: Span::NONE,
        }
    }

    /// The transitions that leave a state, in order.
    pub fn leaving(&self, state: StateId) -> impl Iterator<Item = (TransitionId, &Transition)> {
        self.transitions
            .iter()
            .enumerate()
            .filter(move |(_, t)| t.source == state)
            .map(|(i, t)| (TransitionId::from_index(i), t))
    }

    /// Whether a transition is an *idle loop*: for any event, without condition or effect, back to
    /// the state it leaves, where nobody can tell. A configuration with such a loop is one that
    /// stays, whatever else it does.
    pub fn is_idle(&self, transition: &Transition) -> bool {
        let state = &self.states[transition.source.index()];
        let [label] = &transition.labels[..] else { return false };
        let back = match transition.then.target {
            Target::Stay => true,
            Target::State(to) => to == transition.source,
            Target::Drop => false,
        };
        back && matches!(state.kind, StateKind::Normal | StateKind::Pending)
            && state.entry.is_empty()
            && state.deadline.is_none()
            && transition.then.update.is_empty()
            && label.event.is_none()
            && label.arity == Arity::Any
            && label.guard.is_none()
            && label.args.iter().all(|p| matches!(p, Pattern::Any))
    }

    /// Whether deadlines, windows or times of its own decide what it says; clocks are its context's.
    pub fn measures_time(&self) -> bool {
        !self.windows.is_empty()
            || self.states.iter().any(|s| s.deadline.is_some())
            || self.asks_time()
    }

    /// Whether an expression of it reads what time it is.
    pub fn asks_time(&self) -> bool {
        let of_transitions =
            self.transitions.iter().flat_map(|t| std::iter::once(&t.then).chain(&t.otherwise));
        let of_states = self.states.iter().filter_map(|s| s.deadline.as_ref().map(|d| &d.branch));
        let branch = |b: &Branch| asks::stmts(&b.update) || b.message.iter().any(asks::template);
        let labels = self.transitions.iter().flat_map(|t| &t.labels);
        labels.filter_map(|label| label.guard.as_ref()).any(asks::expr)
            || of_transitions.chain(of_states).any(branch)
            || self
                .states
                .iter()
                .any(|s| asks::stmts(&s.entry) || s.message.iter().any(asks::template))
            || self.message.iter().any(asks::template)
    }

    /// Whether nothing can come of a configuration in that state any more: no transition leaves it,
    /// it has no deadline and is not pending.
    pub fn is_settled(&self, state: StateId) -> bool {
        let definition = &self.states[state.index()];
        definition.kind != StateKind::Pending
            && definition.deadline.is_none()
            && self.leaving(state).next().is_none()
    }

    /// How the property observes an event, if it does.
    pub fn observes(&self, event: EventId) -> Option<&Observed> {
        self.alphabet.iter().find(|o| o.event == event)
    }

    /// The state of that name.
    pub fn state(&self, name: &str) -> Option<StateId> {
        self.states.iter().position(|s| s.name == name).map(StateId::from_index)
    }

    /// The register of that name.
    pub fn register(&self, name: &str) -> Option<RegisterId> {
        self.registers.iter().position(|r| r.name == name).map(RegisterId::from_index)
    }
}

impl Branch {
    /// A branch that does nothing but lead somewhere.
    pub fn to(target: Target) -> Branch {
        Branch { update: Vec::new(), target, message: None }
    }
}
