//! From labels to the letters of a finite automaton, and back.
//!
//! A pattern or formula speaks of *atoms*: labels with an optional guard. What an instance can see
//! of an event is which of its atoms hold, so the letters are pairs (event, set of atoms that
//! hold). The automaton is built over letters; each of its moves becomes a transition that tests
//! the atoms of the set. The sets of one event are tried from large to small: the first that
//! holds is then exactly the set of all atoms that hold.

use std::collections::HashMap;

use watchword_automata::finite::{Alphabet, Dfa, Letter, StateId as FiniteState};
use watchword_model::{
    Arity, BinaryOp, Branch, ContextId, EventId, Expr, Label, Pattern, Place, Property, Span,
    State, StateId, StateKind, Stmt, Target, Time, Transition, Value, Window, WindowId,
};

use super::Lowering;
use super::context::Owner;
use super::recall::Recalled;
use super::scope::Scope;
use crate::diagnostic::{Code, Diagnostic};
use crate::ww::ltl::Recalling;
use crate::ww::tree::{self, ArgKind, LabelKind};

/// More atoms of one event that may or may not hold together are refused.
const MAX_OVERLAPS: usize = 6;
/// More letters are refused.
const MAX_LETTERS: usize = 512;
/// More states are refused.
pub(super) const MAX_STATES: usize = 2_000;

/// An atom: a label with its guard, or any event.
pub(super) type AtomId = usize;

/// The atoms of one pattern or formula.
#[derive(Default)]
pub(super) struct Atoms {
    labels: Vec<Label>,
    /// Atoms that are the same share an id.
    known: HashMap<String, AtomId>,
    /// By the place it was written at.
    at: HashMap<(u32, u32), AtomId>,
    /// Windows that guards of atoms read.
    pub windows: Vec<Window>,
    /// Where variables for the times of formulas belong.
    pub context: Option<ContextId>,
    /// The formulas whose times are kept.
    pub recalled: Vec<Recalled>,
    /// How long a promise of the formula may be open, if it makes one.
    pub promise: Option<Time>,
}

/// One letter.
pub(super) struct LetterInfo {
    pub event: EventId,
    /// The atoms that hold.
    pub atoms: Vec<AtomId>,
}

impl Atoms {
    /// No atoms yet, in a property with these windows.
    pub(super) fn beside(windows: Vec<Window>, context: ContextId) -> Atoms {
        Atoms { windows, context: Some(context), ..Atoms::default() }
    }

    /// The atom written there.
    pub(super) fn at(&self, span: Span) -> Option<AtomId> {
        self.at.get(&(span.start, span.end)).copied()
    }

    /// Whether it is `any`.
    pub(super) fn is_any(&self, atom: AtomId) -> bool {
        self.labels[atom].event.is_none()
    }

    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// The label of an atom.
    pub(super) fn label(&self, atom: AtomId) -> &Label {
        &self.labels[atom]
    }

    /// A name for a window over events of a name: `approve_within_7d`, or longer if that means
    /// something else already.
    pub(super) fn window_name(&self, event: &str, within: Time, scope: &Scope) -> String {
        let mut name = match within {
            Time::MAX => format!("{event}_ever"),
            within => {
                let within = crate::ww::duration_text(within).replace(' ', "");
                format!("{event}_within_{within}")
            }
        };
        while self.windows.iter().any(|w| w.name == name) || scope.find(&name).is_some() {
            name.push('_');
        }
        name
    }

    /// The number of a window; those that are the same share one.
    pub(super) fn window(&mut self, window: Window) -> WindowId {
        let key =
            |w: &Window| format!("{:?} {:?} {:?}", w.label.args, w.label.guard, w.label.event);
        let counts = |w: &Window| w.aggregate == window.aggregate && w.of.is_none();
        let same = |w: &Window| counts(w) && w.within == window.within && key(w) == key(&window);
        let known = self.windows.iter().position(same);
        let at = known.unwrap_or(self.windows.len());
        if known.is_none() {
            self.windows.push(window);
        }
        WindowId::from_index(at)
    }

    /// The atom of any event, under a condition that reads nothing of the event.
    pub(super) fn any_if(&mut self, guard: Expr, span: Span) -> AtomId {
        let key = format!("any {guard:?}");
        let next = self.labels.len();
        let id = *self.known.entry(key).or_insert(next);
        if id == next {
            let (event, arity, args) = (None, Arity::Any, Vec::new());
            self.labels.push(Label { event, arity, args, guard: Some(guard), span });
        }
        id
    }
}

impl Lowering<'_> {
    /// Lowers an atom; `None` if it was wrong, which was reported.
    pub(super) fn atom(
        &mut self,
        atom: &tree::Atom,
        owner: &mut Owner,
        atoms: &mut Atoms,
    ) -> Option<AtomId> {
        if let LabelKind::Event(_, Some(args)) = &atom.label.kind
            && let Some(arg) = args.list.iter().find(|a| matches!(a.kind, ArgKind::Bind(_)))
        {
            self.report(
                Diagnostic::error(
                    Code::BinderInPattern,
                    arg.span,
                    "patterns and formulas do not bind names",
                )
                .rule("a binding of one event would not exist at the next event")
                .help(
                    "make it a parameter of the property, or write `_` and use the event's own \
                     parameter name in the guard",
                ),
            );
            return None;
        }
        self.locals = 0;
        let parts = self.label(&atom.label, owner)?;
        let mut label = parts.label;
        let scope = owner.base.behind(parts.args);
        label.guard = atom.guard.as_ref().map(|g| self.condition(g, &scope));
        let span = label.span;
        let key = format!("{:?} {:?} {:?} {:?}", label.event, label.arity, label.args, label.guard);
        let next = atoms.labels.len();
        let id = *atoms.known.entry(key).or_insert(next);
        if id == next {
            atoms.labels.push(label);
        }
        atoms.at.insert((span.start, span.end), id);
        Some(id)
    }

    /// The letters over the property's alphabet, which must be complete.
    pub(super) fn letters(
        &mut self,
        atoms: &Atoms,
        owner: &Owner,
        span: Span,
    ) -> Option<Vec<LetterInfo>> {
        let mut letters = Vec::new();
        let any: Vec<AtomId> = (0..atoms.len()).filter(|a| atoms.is_any(*a)).collect();
        let (any_certain, any_guarded): (Vec<AtomId>, Vec<AtomId>) =
            any.into_iter().partition(|a| atoms.labels[*a].guard.is_none());
        for observed in &owner.alphabet {
            let of_event = |a: &AtomId| atoms.labels[*a].event == Some(observed.event);
            let (mut certain, mut open): (Vec<AtomId>, Vec<AtomId>) = (0..atoms.len())
                .filter(of_event)
                .partition(|a| is_certain(&atoms.labels[*a], &observed.placements));
            certain.extend(&any_certain);
            open.extend(&any_guarded);
            if open.len() > MAX_OVERLAPS {
                let name = self.model.events[observed.event.index()].name.clone();
                let labels: Vec<Span> = open.iter().map(|a| atoms.labels[*a].span).collect();
                self.report(
                    Diagnostic::error(
                        Code::TooManyOverlaps,
                        labels[MAX_OVERLAPS],
                        format!("too many labels of `{name}` may match at the same time"),
                    )
                    .also(labels[0], "one of them")
                    .rule(format!(
                        "at most {MAX_OVERLAPS} labels of one event may overlap in a pattern or \
                         formula"
                    ))
                    .help("write the property with states"),
                );
                return None;
            }
            for set in 0..1u32 << open.len() {
                let chosen: Vec<AtomId> = open
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| set & (1 << i) != 0)
                    .map(|(_, a)| *a)
                    .collect();
                if excludes_itself(&chosen, atoms) {
                    continue;
                }
                let mut all = certain.clone();
                all.extend(chosen);
                all.sort_unstable();
                letters.push(LetterInfo { event: observed.event, atoms: all });
            }
        }
        if letters.len() > MAX_LETTERS {
            self.report(
                Diagnostic::error(
                    Code::AutomatonTooLarge,
                    span,
                    format!("this pattern distinguishes {} kinds of events", letters.len()),
                )
                .rule(format!("patterns and formulas distinguish at most {MAX_LETTERS}"))
                .help("write the property with states"),
            );
            return None;
        }
        Some(letters)
    }

    /// States and transitions of an automaton whose accepting states are of `kind`.
    #[allow(clippy::too_many_arguments, reason = "an automaton, and what its letters stand for")]
    pub(super) fn emit(
        &mut self,
        dfa: &Dfa,
        kind: StateKind,
        accepting_name: &str,
        letters: &[LetterInfo],
        atoms: &Atoms,
        owner: &Owner,
        span: Span,
        lowered: &mut Property,
    ) {
        self.emit_recalling(
            &Recalling::plain(dfa.clone()),
            kind,
            accepting_name,
            letters,
            atoms,
            owner,
            span,
            lowered,
        );
    }

    /// The same, with moves that keep times.
    #[allow(clippy::too_many_arguments, reason = "an automaton, and what its letters stand for")]
    pub(super) fn emit_recalling(
        &mut self,
        recalling: &Recalling,
        kind: StateKind,
        accepting_name: &str,
        letters: &[LetterInfo],
        atoms: &Atoms,
        owner: &Owner,
        span: Span,
        lowered: &mut Property,
    ) {
        let dfa = &recalling.dfa;
        let names = self.state_names(dfa, accepting_name, letters);
        for (state, name) in dfa.states().zip(names) {
            lowered.states.push(State {
                name,
                kind: if dfa.is_accepting(state) { kind } else { StateKind::Normal },
                message: None,
                entry: Vec::new(),
                deadline: None,
                span,
            });
        }
        lowered.start = StateId::from_index(dfa.start().index());
        for state in dfa.states() {
            let accepting = dfa.is_accepting(state);
            let target = |letter: usize| dfa.next(state, Letter(letter as u32));
            let held = |letter: usize| recalling.held(state, letter);
            // A state that cannot be left and need not be entered again has no transitions.
            let sink = letters.iter().enumerate().all(|(i, _)| target(i) == Some(state));
            if sink && (!accepting || kind == StateKind::Good || !reenters(lowered)) {
                continue;
            }
            let mut first = 0;
            while first < letters.len() {
                let event = letters[first].event;
                let count = letters[first..].iter().take_while(|l| l.event == event).count();
                let group = first..first + count;
                for letter in needed(state, group, letters, &target, &held, accepting) {
                    let Some(to) = target(letter) else { continue };
                    let target = if to == state && !accepting {
                        Target::Stay
                    } else {
                        Target::State(StateId::from_index(to.index()))
                    };
                    let update: Vec<Stmt> = held(letter)
                        .iter()
                        .map(|recalled| atoms.recalled[*recalled].keep())
                        .collect();
                    for label in together(&letters[letter], atoms, owner, span) {
                        lowered.transitions.push(Transition {
                            source: StateId::from_index(state.index()),
                            labels: vec![label],
                            keep: false,
                            then: Branch { update: update.clone(), ..Branch::to(target) },
                            otherwise: None,
                            span,
                        });
                    }
                }
                first += count;
            }
        }
    }

    /// Names people can tell apart: where one begins, what came last, what is reported.
    fn state_names(&self, dfa: &Dfa, accepting_name: &str, letters: &[LetterInfo]) -> Vec<String> {
        let mut names: Vec<Option<String>> = vec![None; dfa.len()];
        let mut used: HashMap<String, u32> = HashMap::new();
        let mut name = |wanted: &str| {
            let count = used.entry(wanted.to_string()).or_insert(0);
            *count += 1;
            if *count == 1 { wanted.to_string() } else { format!("{wanted}_{count}") }
        };
        let start = dfa.start();
        names[start.index()] =
            Some(name(if dfa.is_accepting(start) { accepting_name } else { "start" }));
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(state) = queue.pop_front() {
            for (letter, to) in dfa.edges(state) {
                if names[to.index()].is_some() {
                    continue;
                }
                let wanted = match letters.get(letter.index()) {
                    _ if dfa.is_accepting(to) => accepting_name.to_string(),
                    Some(letter) => {
                        let event = &self.model.events[letter.event.index()].name;
                        let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
                        format!("after_{}", event.chars().map(plain).collect::<String>())
                    }
                    // The timeout of a promise, which leads there only if nothing is promised.
                    None => continue,
                };
                names[to.index()] = Some(name(&wanted));
                queue.push_back(to);
            }
        }
        names.into_iter().map(|n| n.unwrap_or_else(|| name("unreachable"))).collect()
    }
}

/// An automaton over these letters.
pub(super) fn alphabet(letters: &[LetterInfo]) -> Alphabet {
    Alphabet::new(letters.len() as u32)
}

/// `never` reports every match; what else is compiled reports once.
fn reenters(lowered: &Property) -> bool {
    matches!(lowered.origin, watchword_model::PropertyOrigin::Never(_))
}

/// Whether a label holds for every event that is delivered to an instance.
fn is_certain(label: &Label, placements: &[watchword_model::Placement]) -> bool {
    if label.guard.is_some() || label.arity != Arity::Any {
        return false;
    }
    let mut placed = Vec::new();
    for (i, pattern) in label.args.iter().enumerate() {
        match pattern {
            Pattern::Any => {}
            Pattern::Equal(Place::Param(param)) if !placed.iter().any(|(p, _)| p == param) => {
                placed.push((*param, i as u32));
            }
            _ => return false,
        }
    }
    placed.sort();
    placements.iter().all(|p| p.0 == placed)
}

/// Whether constants keep these atoms from holding together.
fn excludes_itself(chosen: &[AtomId], atoms: &Atoms) -> bool {
    let pairs =
        chosen.iter().enumerate().flat_map(|(i, a)| chosen[i + 1..].iter().map(|b| (*a, *b)));
    pairs.into_iter().any(|(a, b)| {
        let (a, b) = (&atoms.labels[a], &atoms.labels[b]);
        a.arity.and(b.arity).is_none() || a.args.iter().zip(&b.args).any(|(p, q)| excludes(p, q))
    })
}

fn excludes(p: &Pattern, q: &Pattern) -> bool {
    match (p, q) {
        (Pattern::Const(a), Pattern::Const(b)) => !a.same(b),
        (Pattern::Const(a), Pattern::NotConst(b)) | (Pattern::NotConst(a), Pattern::Const(b)) => {
            a.same(b)
        }
        (Pattern::Equal(a), Pattern::Differs(b)) | (Pattern::Differs(a), Pattern::Equal(b)) => {
            a == b
        }
        _ => false,
    }
}

/// The letters of one event that need a transition, the larger sets of atoms first. A set needs
/// none if the next smaller one that is tried after it does the same.
fn needed(
    state: FiniteState,
    event: std::ops::Range<usize>,
    letters: &[LetterInfo],
    target: &dyn Fn(usize) -> Option<FiniteState>,
    held: &dyn Fn(usize) -> Vec<usize>,
    accepting: bool,
) -> Vec<usize> {
    let mut group: Vec<usize> = event.collect();
    group.sort_by_key(|l| std::cmp::Reverse(letters[*l].atoms.len()));
    let mut kept: Vec<usize> = Vec::new();
    for letter in group.into_iter().rev() {
        let smaller = kept
            .iter()
            .rev()
            .find(|k| letters[**k].atoms.iter().all(|a| letters[letter].atoms.contains(a)));
        let otherwise = match smaller {
            Some(smaller) => (target(*smaller), held(*smaller)),
            // Nothing matches: the instance stays, and a report is not repeated.
            None if accepting => (None, Vec::new()),
            None => (Some(state), Vec::new()),
        };
        if (target(letter), held(letter)) != otherwise {
            kept.push(letter);
        }
    }
    kept.reverse();
    kept
}

/// Labels one of which holds exactly if all atoms of a letter do.
fn together(letter: &LetterInfo, atoms: &Atoms, owner: &Owner, span: Span) -> Vec<Label> {
    let mut whole =
        Label { event: Some(letter.event), arity: Arity::Any, args: Vec::new(), guard: None, span };
    let mut conditions: Vec<Expr> = Vec::new();
    for atom in &letter.atoms {
        let label = &atoms.labels[*atom];
        if label.event.is_some() {
            whole.span = label.span;
        }
        // Atoms that exclude each other are in no letter.
        whole.arity = whole.arity.and(label.arity).unwrap_or(whole.arity);
        for (i, pattern) in label.args.iter().enumerate() {
            if whole.args.len() <= i {
                whole.args.resize(i + 1, Pattern::Any);
            }
            match &whole.args[i] {
                Pattern::Any => whole.args[i] = pattern.clone(),
                // One pattern per argument: what does not fit becomes part of the guard.
                other if format!("{other:?}") == format!("{pattern:?}") => {}
                _ => conditions.extend(as_condition(i as u32, pattern)),
            }
        }
    }
    conditions.extend(letter.atoms.iter().filter_map(|a| atoms.labels[*a].guard.clone()));
    whole.guard = conditions.into_iter().reduce(|a, b| Expr::And(Box::new(a), Box::new(b)));
    let specific = letter.atoms.iter().any(|a| !atoms.is_any(*a));
    let observed = owner.alphabet.iter().find(|o| o.event == letter.event);
    match observed {
        // The placements, and not the atoms, say which instances the event concerns.
        Some(observed) if !specific => observed
            .placements
            .iter()
            .map(|placement| Label { args: placed(placement), ..whole.clone() })
            .collect(),
        _ => vec![whole],
    }
}

/// The patterns of a label that places its event so.
fn placed(placement: &watchword_model::Placement) -> Vec<Pattern> {
    let length = placement.0.iter().map(|(_, arg)| arg + 1).max().unwrap_or(0);
    (0..length)
        .map(|i| match placement.0.iter().find(|(_, arg)| *arg == i) {
            Some((param, _)) => Pattern::Equal(Place::Param(*param)),
            None => Pattern::Any,
        })
        .collect()
}

/// A pattern as a condition on the argument.
fn as_condition(arg: u32, pattern: &Pattern) -> Option<Expr> {
    let argument = || Box::new(Expr::Read(Place::Arg(arg)));
    let compare = |op, other| Expr::Binary(op, argument(), Box::new(other));
    let null = |place| {
        let read = Box::new(Expr::Read(place));
        move |op| Expr::Binary(op, read, Box::new(Expr::Const(Value::Null)))
    };
    Some(match pattern {
        Pattern::Any | Pattern::Bind(_) => return None,
        Pattern::Const(value) => compare(BinaryOp::Eq, Expr::Const(value.clone())),
        Pattern::NotConst(value) => compare(BinaryOp::Ne, Expr::Const(value.clone())),
        // A parameter that is unbound reads as null, equals nothing and differs from everything.
        Pattern::Equal(place @ Place::Param(_)) => Expr::And(
            Box::new(null(*place)(BinaryOp::Ne)),
            Box::new(compare(BinaryOp::Eq, Expr::Read(*place))),
        ),
        Pattern::Differs(place @ Place::Param(_)) => Expr::Or(
            Box::new(null(*place)(BinaryOp::Eq)),
            Box::new(compare(BinaryOp::Ne, Expr::Read(*place))),
        ),
        Pattern::Equal(place) => compare(BinaryOp::Eq, Expr::Read(*place)),
        Pattern::Differs(place) => compare(BinaryOp::Ne, Expr::Read(*place)),
    })
}
