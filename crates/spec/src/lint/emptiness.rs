//! Finds properties with registers that can never fail, and labels that can never match, although
//! every state seems to be connected. The reasons are that no observed event has such a name, or
//! that no values satisfy the labels.
//!
//! The property is translated to a register automaton. Conditions other than equalities and
//! inequalities (orders, arithmetic, functions) are opaque to the search, which then reports only
//! what is certain.

use std::collections::{BTreeMap, BTreeSet};

use watchword_automata::register::{
    Component, Emptiness, Kind, Label as AutomatonLabel, Register, RollbackAutomaton, Signature,
    Steps, Term, Test, Unknown, Value as DataValue,
};
use watchword_automata::register::{DataLetter, StateId as AutomatonState};
use watchword_model::{
    Arity, BinaryOp, Builtin, Event, EventId, Expr, Key, Label, Lang, Model, Pattern, Place,
    Property, PropertyId, Span, StateKind, Stmt, Target, Type, UnaryOp, Value,
};

use super::Facts;
use super::classes::Dead;
use super::emptiness_names::{Found, NameCondition};
use crate::diagnostic::{Code, Diagnostic};
use crate::topl::names::{expand_shown, matches};

/// Whether a property can fail.
#[derive(Clone, Debug)]
pub enum CanFail {
    /// It cannot: no sequence of events leads to a report.
    Never,
    /// It can: these events, in this order, make it report.
    Example(Vec<Event>),
    /// It may, if guards that were not looked into allow it, or the search was too long.
    Unknown,
}

/// How many configurations are explored before a property counts as unknown.
const LIMIT: usize = 20_000;
/// The same for each of its states and transitions.
const SMALL_LIMIT: usize = 500;
/// Properties with more transitions are unknown.
const MAX_TRANSITIONS: usize = 2_000;
/// In properties with more transitions, they are not looked at one by one.
const MANY_TRANSITIONS: usize = 200;

/// Whether a property can fail. For properties without registers, only the graph is considered.
/// Every method is assumed to exist and to have one name.
pub fn can_fail(model: &Model, property: PropertyId) -> CanFail {
    let definition = &model.properties[property.index()];
    let reached = super::reach::reachable(definition, &super::reach::possible_events(model));
    let mut states = definition.states.iter().zip(reached);
    if !states.any(|(s, r)| r && matches!(s.kind, StateKind::Bad | StateKind::Pending)) {
        return CanFail::Never;
    }
    if !model.has_registers(definition) {
        return CanFail::Unknown;
    }
    let Some(translation) = translate(model, definition, &Dead::default()) else {
        return CanFail::Unknown;
    };
    let automaton = translation.automaton(definition, None);
    match automaton.emptiness_within(LIMIT) {
        Emptiness::Empty => CanFail::Never,
        Emptiness::Witness(word) => CanFail::Example(translation.events(model, &word)),
        Emptiness::Unknown(Unknown::Opaque { .. } | Unknown::Limit { .. }) => CanFail::Unknown,
    }
}

/// Says which properties can never fail and which labels can never match.
pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    for property in facts.model.properties.iter().filter(|p| facts.model.has_registers(p)) {
        check_property(facts, property, found);
    }
}

fn check_property(facts: &Facts<'_>, property: &Property, found: &mut Vec<Diagnostic>) {
    let Facts { model, possible, dead, .. } = facts;
    let reports =
        property.states.iter().any(|s| matches!(s.kind, StateKind::Bad | StateKind::Pending));
    if !reports {
        return;
    }
    if property.alphabet.is_empty() {
        found.push(never(property, "it observes nothing").help(match property.lang {
            Lang::Topl => "declare what it observes: `observe <java.util.Iterator.*>`, for example",
            _ => "name its events: `on e(x) -> …`, or `also e`",
        }));
        return;
    }
    // Another lint has reported what the graph alone shows.
    let connected = super::reach::reachable(property, possible);
    let reports = property
        .states
        .iter()
        .zip(&connected)
        .any(|(s, c)| *c && matches!(s.kind, StateKind::Bad | StateKind::Pending));
    if !reports {
        return;
    }
    let Some(translation) = translate(model, property, dead) else { return };

    // A label that was written once may have become several.
    let mut possible: BTreeMap<(u32, u32), bool> = BTreeMap::new();
    let place = |span: Span| (span.start, span.end);
    for (transition, letters) in property.transitions.iter().zip(&translation.transitions) {
        for (label, options) in transition.labels.iter().zip(letters) {
            *possible.entry(place(label.span)).or_default() |= !options.is_empty();
        }
    }
    let mut said = BTreeSet::new();
    let mut vacuous = Vec::new();
    for label in property.transitions.iter().flat_map(|t| &t.labels) {
        if !possible[&place(label.span)] && said.insert(place(label.span)) {
            vacuous.push(label);
        }
    }
    let empty =
        matches!(translation.automaton(property, None).emptiness_within(LIMIT), Emptiness::Empty);
    let suggestions = Suggestions { model, property, dead };
    let together = if empty { suggestions.for_all(&vacuous) } else { None };
    let help = |label: &Label| match (together.clone(), suggestions.for_one(label)) {
        (Some(together), _) => Some(together),
        // It would match then, and the property could not fail for all that.
        (None, Some(_)) if empty => None,
        (None, one) => one.or_else(|| suggestions.for_name(label)),
    };
    for label in vacuous.iter().filter(|l| !dead.is_said(l)) {
        let what = unmatched(label);
        let help = help(label);
        let mut diagnostic = Diagnostic::warning(
            Code::NeverMatches,
            label.span,
            format!("this label can never match: no observed event {what}"),
        )
        .help_if(help);
        if empty {
            diagnostic = diagnostic.rule("without it the property can never fail");
        }
        found.push(diagnostic);
    }
    if empty {
        let said = vacuous.first().filter(|l| dead.is_said(l));
        let why = match vacuous.first() {
            Some(_) if said.is_some() => {
                "a label that is on every path to a report matches no method".to_string()
            }
            Some(label) => format!("no observed event {}", unmatched(label)),
            None => "on every path to a report, labels contradict each other".to_string(),
        };
        let mut diagnostic = never(property, &why);
        if let Some(label) = vacuous.first() {
            // Another lint has reported there why it matches nothing.
            let help = match said {
                Some(_) => None,
                None => vacuous.iter().find_map(|label| help(label)),
            };
            diagnostic = diagnostic.also(label.span, "this label").help_if(help);
        }
        found.push(diagnostic);
        return;
    }
    if property.transitions.len() > MANY_TRANSITIONS {
        return;
    }
    // Transitions that no run takes, although their labels match some events.
    let automaton = translation.automaton(property, None);
    let states = translation.states(property, &automaton);
    let reached: Vec<bool> = states
        .iter()
        .map(|s| !matches!(automaton.reach_within(*s, SMALL_LIMIT), Emptiness::Empty))
        .collect();
    for (at, transition) in property.transitions.iter().enumerate() {
        let known = transition.labels.iter().all(|l| possible[&place(l.span)]);
        let reached = reached[transition.source.index()];
        if !known || !reached || !said.insert(place(transition.span)) {
            continue;
        }
        let same = |other: usize| property.transitions[other].span == transition.span;
        let never = (at..property.transitions.len()).filter(|o| same(*o)).all(|other| {
            matches!(
                translation.automaton(property, Some(other)).emptiness_within(SMALL_LIMIT),
                Emptiness::Empty
            )
        });
        if never {
            found.push(
                Diagnostic::warning(
                    Code::NeverMatches,
                    transition.span,
                    "this transition is never taken",
                )
                .rule("on every path to it, registers hold values that its labels exclude")
                .help("correct the labels before it, or remove it"),
            );
        }
    }
}

fn never(property: &Property, why: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::NeverFails,
        property.span,
        format!("property `{}` can never fail: {why}", property.name),
    )
}

/// Whether some name in a condition has a dot.
fn has_dot(condition: &Expr) -> bool {
    match condition {
        Expr::Builtin(_, args) => args.iter().any(has_dot),
        Expr::And(a, b) | Expr::Or(a, b) => has_dot(a) || has_dot(b),
        Expr::Const(Value::Str(glob)) => glob.contains('.'),
        _ => false,
    }
}

/// The requirement of a label that no observed event satisfies.
fn unmatched(label: &Label) -> String {
    let Some(names) = wanted(label) else { return "is like that".to_string() };
    let shown: Vec<String> = names.iter().take(3).map(|n| format!("`{n}`")).collect();
    let more = if names.len() > 3 { ", …" } else { "" };
    format!("is called {}{more}", shown.join(" or "))
}

/// The names that a label asks for.
fn wanted(label: &Label) -> Option<Vec<String>> {
    let mut found: Option<&str> = None;
    conjuncts(label.guard.as_ref()?, &mut |part| {
        if let Expr::Builtin(Builtin::Matches, args) = part
            && let [Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(glob))] = args.as_slice()
        {
            found = found.or(Some(glob));
        }
    });
    found.map(expand_shown)
}

/// Names of methods as in Java: the class, which begins with a capital letter, precedes the method.
/// Suggestions should be useful for ordinary programs.
const USUAL: &str = "{,*.}{regex([A-Z][^.]*)}.{regex([^.]+)}";
/// For more labels than this one suggestion is not made for all.
const MANY_LABELS: usize = 20;

/// Patterns that could be observed so that labels match. A suggestion is made only if the property
/// can fail, or the label can match, after it is followed.
struct Suggestions<'f> {
    model: &'f Model,
    property: &'f Property,
    dead: &'f Dead,
}

impl Suggestions<'_> {
    /// A pattern to observe so that the property can fail.
    fn for_all(&self, labels: &[&Label]) -> Option<String> {
        let mut globs: Vec<String> = Vec::new();
        for label in labels {
            globs.extend(observable(label).filter(|glob| !globs.contains(glob)));
        }
        if globs.len() > MANY_LABELS || !self.makes_it_fail(&globs) {
            return None;
        }
        let mut at = 0;
        while at < globs.len() {
            let glob = globs.remove(at);
            if !self.makes_it_fail(&globs) {
                globs.insert(at, glob);
                at += 1;
            }
        }
        self.worded(&globs)
    }

    /// A pattern to observe so that a label can match.
    fn for_one(&self, label: &Label) -> Option<String> {
        let globs = [observable(label)?];
        let changed = self.observing(&globs);
        let constants = &mut Constants::default();
        let matches = !options(self.model, &changed, label, self.dead, constants).is_empty();
        if matches { self.worded(&globs) } else { None }
    }

    /// The mistake in the name, if observing more does not help.
    fn for_name(&self, label: &Label) -> Option<String> {
        let names = wanted(label)?;
        let method = names.first()?.rsplit('.').next()?;
        match self.property.lang {
            // Everything is observed there.
            Lang::Infer => Some("write the name as it is in the program, or add a `prefix`".into()),
            Lang::Topl => Some(format!(
                "the method in `{}` has no class: write `<p.Class.{method}>`, or a `prefix` that ends with the class",
                names.iter().max_by_key(|name| name.len())?
            )),
            _ => None,
        }
    }

    fn makes_it_fail(&self, globs: &[String]) -> bool {
        let changed = self.observing(globs);
        translate(self.model, &changed, self.dead).is_some_and(|translation| {
            let automaton = translation.automaton(&changed, None);
            !matches!(automaton.emptiness_within(LIMIT), Emptiness::Empty)
        })
    }

    /// The property with these observed too, for a program with usual names.
    fn observing(&self, globs: &[String]) -> Property {
        let mut changed = self.property.clone();
        for observed in &mut changed.alphabet {
            let Some(filter) = observed.filter.take() else { continue };
            let more = globs.iter().map(|glob| matches(glob));
            let any = more.fold(filter, |a, b| Expr::Or(Box::new(a), Box::new(b)));
            observed.filter = Some(Expr::And(Box::new(any), Box::new(matches(USUAL))));
        }
        changed
    }

    fn worded(&self, globs: &[String]) -> Option<String> {
        let list = |before: &str, after: &str| {
            let each: Vec<String> = globs.iter().map(|g| format!("`{before}{g}{after}`")).collect();
            each.join(" and ")
        };
        match self.property.lang {
            _ if globs.is_empty() => None,
            Lang::Infer => None,
            Lang::Topl => Some(format!("did you mean to observe {}?", list("<", ">"))),
            _ => Some(format!(
                "did you mean to observe {}: `also call, return if …`?",
                list("matches(method, \"", "\")")
            )),
        }
    }
}

/// A pattern to observe so that a label matches.
fn observable(label: &Label) -> Option<String> {
    let names = wanted(label)?;
    let longest = names.iter().max_by_key(|n| n.len())?;
    // The intended prefix is not known, so only the name of the method can be used.
    let short = |name: &str| *longest == *name || longest.ends_with(&format!(".{name}"));
    Some(match longest.rsplit_once('.') {
        Some((owner, _)) if names.iter().all(|n| short(n)) => format!("{owner}.*"),
        Some((_, method)) => format!("*.{method}"),
        None => format!("*.{longest}"),
    })
}

pub(super) fn conjuncts<'e>(expr: &'e Expr, see: &mut dyn FnMut(&'e Expr)) {
    match expr {
        Expr::And(a, b) => {
            conjuncts(a, see);
            conjuncts(b, see);
        }
        other => see(other),
    }
}

/// One way for an event to match a label.
#[derive(Clone)]
struct Letter {
    /// Every way to match a label is a kind of letter of its own.
    kind: Kind,
    event: EventId,
    /// The name that argument 0 must have, if argument 0 is the name of the method.
    name: Option<String>,
    /// How many arguments the event has.
    arity: usize,
    tests: Vec<Test>,
    sets: Vec<(Register, Term)>,
}

struct Translation {
    /// Per transition and label, the ways to match it.
    transitions: Vec<Vec<Vec<Letter>>>,
    constants: Constants,
}

/// The constants of a property, as data values.
#[derive(Default)]
struct Constants {
    keys: Vec<Key>,
    opaque: u32,
}

/// The value of a register before it is written.
const UNWRITTEN: DataValue = DataValue(0);

impl Constants {
    /// The data value of a constant; none if it is the same as nothing.
    fn value(&mut self, value: &Value) -> Option<DataValue> {
        let key = value.key()?;
        let at = self.keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        });
        Some(DataValue(at as u64 + 1))
    }

    fn opaque(&mut self) -> Test {
        self.opaque += 1;
        Test::Opaque(self.opaque)
    }
}

/// The property as a register automaton; none if it has parts that are none.
fn translate(model: &Model, property: &Property, dead: &Dead) -> Option<Translation> {
    let plain = property.states.iter().all(|s| s.deadline.is_none() && s.entry.is_empty())
        && property.registers.iter().all(|r| r.init.is_none());
    if !plain || property.transitions.len() > MAX_TRANSITIONS {
        return None;
    }
    let mut constants = Constants::default();
    let mut transitions = Vec::new();
    for transition in &property.transitions {
        let mut letters = Vec::new();
        for label in &transition.labels {
            letters.push(options(model, property, label, dead, &mut constants));
        }
        for statement in &transition.then.update {
            let set = assignment(statement, &mut constants)?;
            for letter in letters.last_mut().into_iter().flatten() {
                letter.sets.push(set);
            }
        }
        transitions.push(letters);
    }
    for (at, letter) in transitions.iter_mut().flatten().flatten().enumerate() {
        letter.kind = Kind(at as u32);
    }
    Some(Translation { transitions, constants })
}

fn assignment(statement: &Stmt, constants: &mut Constants) -> Option<(Register, Term)> {
    let Stmt::Assign(Place::Register(register), value) = statement else { return None };
    Some((Register(register.0), term(value, constants)?))
}

fn term(expr: &Expr, constants: &mut Constants) -> Option<Term> {
    match expr {
        Expr::Read(Place::Arg(at)) => Some(Term::Component(Component(*at as usize))),
        Expr::Read(Place::Register(register)) => Some(Term::Register(Register(register.0))),
        Expr::Const(value) => constants.value(value).map(Term::Constant),
        _ => None,
    }
}

/// The ways to match a label.
fn options(
    model: &Model,
    property: &Property,
    label: &Label,
    dead: &Dead,
    constants: &mut Constants,
) -> Vec<Letter> {
    let mut letters = Vec::new();
    for observed in &property.alphabet {
        if label.event.is_some_and(|e| e != observed.event) || dead.has(label, observed.event) {
            continue;
        }
        let decl = &model.events[observed.event.index()];
        let arity = match label.arity {
            Arity::Exactly(n) if decl.variadic || n as usize <= decl.params.len() => n as usize,
            Arity::Exactly(_) => continue,
            open => decl.params.len().max(needed(label)).max(open.least() as usize),
        };
        let mut letter = Letter {
            kind: Kind(0),
            event: observed.event,
            name: None,
            arity,
            tests: Vec::new(),
            sets: Vec::new(),
        };
        let named = decl.fixed > 0;
        let mut names = Vec::new();
        if arguments(label, named, &mut letter, &mut names, constants).is_none() {
            continue;
        }
        let conditions = [observed.filter.as_ref(), label.guard.as_ref()];
        for condition in conditions.into_iter().flatten() {
            conjuncts(condition, &mut |part| {
                let test = match (named, name_condition(part)) {
                    // A method may go by several names: which ones, the classes know.
                    (true, Some(_)) if dead.decides() => return,
                    (true, Some(condition)) => {
                        names.push(condition);
                        return;
                    }
                    _ => comparison(part, constants).unwrap_or_else(|| constants.opaque()),
                };
                letter.tests.push(test);
            });
        }
        if named {
            // A full name has a class before the method, where methods have classes at all.
            if property.lang == Lang::Topl && observed.filter.as_ref().is_some_and(has_dot) {
                names.push(NameCondition::Like("?*.?*".to_string()));
            }
            match NameCondition::All(names).satisfy() {
                Found::Nothing => continue,
                Found::Name(name) => letter.name = Some(name),
                Found::Unknown => letter.tests.push(constants.opaque()),
            }
        }
        // A missing argument is null; the automaton has no such value.
        let beyond = |term: &Term| matches!(term, Term::Component(c) if c.0 >= arity);
        let terms = |test: &Test| match test {
            Test::Equal(a, b) | Test::Differ(a, b) => beyond(a) || beyond(b),
            _ => false,
        };
        if letter.tests.iter().any(terms) || letter.sets.iter().any(|(_, t)| beyond(t)) {
            letter.tests.retain(|t| !terms(t));
            letter.sets.retain(|(_, t)| !beyond(t));
            letter.tests.push(constants.opaque());
        }
        letters.push(letter);
    }
    letters
}

/// How many arguments a label looks at.
fn needed(label: &Label) -> usize {
    let mut needed = label.args.len();
    if let Some(guard) = &label.guard {
        super::walk::expr(guard, &mut |e| {
            if let Expr::Read(Place::Arg(at)) = e {
                needed = needed.max(*at as usize + 1);
            }
        });
    }
    needed
}

/// The patterns of a label; none if they can never hold.
fn arguments(
    label: &Label,
    named: bool,
    letter: &mut Letter,
    names: &mut Vec<NameCondition>,
    constants: &mut Constants,
) -> Option<()> {
    for (at, pattern) in label.args.iter().enumerate() {
        let component = Term::Component(Component(at));
        let register = |place: &Place| match place {
            Place::Register(r) => Some(Term::Register(Register(r.0))),
            _ => None,
        };
        let test = match pattern {
            Pattern::Any | Pattern::Bind(Place::Local(_)) => continue,
            Pattern::Bind(Place::Register(r)) => {
                letter.sets.push((Register(r.0), component));
                continue;
            }
            Pattern::Const(Value::Str(name)) if named && at == 0 => {
                names.push(NameCondition::Is(name.to_string()));
                continue;
            }
            Pattern::Equal(place) => register(place).map(|r| Test::Equal(component, r)),
            Pattern::Differs(place) => register(place).map(|r| Test::Differ(component, r)),
            Pattern::Const(value) => {
                let value = constants.value(value)?;
                Some(Test::Equal(component, Term::Constant(value)))
            }
            Pattern::NotConst(value) => match constants.value(value) {
                Some(value) => Some(Test::Differ(component, Term::Constant(value))),
                None => continue,
            },
            Pattern::Bind(_) => None,
        };
        letter.tests.push(test.unwrap_or_else(|| constants.opaque()));
    }
    Some(())
}

/// A condition on argument 0 alone, made of name patterns.
fn name_condition(expr: &Expr) -> Option<NameCondition> {
    Some(match expr {
        Expr::Const(Value::Bool(truth)) => NameCondition::Known(*truth),
        Expr::Unary(UnaryOp::Not, inner) => NameCondition::Not(Box::new(name_condition(inner)?)),
        Expr::And(a, b) => NameCondition::All(vec![name_condition(a)?, name_condition(b)?]),
        Expr::Or(a, b) => NameCondition::One(vec![name_condition(a)?, name_condition(b)?]),
        Expr::Builtin(Builtin::Matches, args) => match args.as_slice() {
            [Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(glob))] => {
                NameCondition::Like(glob.to_string())
            }
            _ => return None,
        },
        Expr::Binary(BinaryOp::Eq, a, b) => match (&**a, &**b) {
            (Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(name)))
            | (Expr::Const(Value::Str(name)), Expr::Read(Place::Arg(0))) => {
                NameCondition::Is(name.to_string())
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// An equality or inequality.
fn comparison(expr: &Expr, constants: &mut Constants) -> Option<Test> {
    match expr {
        Expr::Unary(UnaryOp::Not, inner) => Some(comparison(inner, constants)?.negated()),
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
            let (a, b) = (term(a, constants)?, term(b, constants)?);
            Some(if *op == BinaryOp::Eq { Test::Equal(a, b) } else { Test::Differ(a, b) })
        }
        _ => None,
    }
}

impl Translation {
    /// All ways to match all labels of a transition.
    fn words(&self, transition: usize) -> Vec<Vec<(usize, usize)>> {
        let mut words = vec![Vec::new()];
        for (label, options) in self.transitions[transition].iter().enumerate() {
            words = words
                .into_iter()
                .flat_map(|word| {
                    (0..options.len()).map(move |option| {
                        let mut word = word.clone();
                        word.push((label, option));
                        word
                    })
                })
                .take(1000)
                .collect();
        }
        words
    }

    /// Every letter, in the order that makes its kind.
    fn letters(&self) -> impl Iterator<Item = &Letter> {
        self.transitions.iter().flatten().flatten()
    }

    /// An automaton that accepts where the property reports, or, with a transition, where this
    /// transition was taken.
    ///
    /// A shortest word has no letters that are skipped. So no letter is read by a label for which
    /// it was not made, and kinds need not be shared.
    fn automaton(&self, property: &Property, taken: Option<usize>) -> RollbackAutomaton {
        let signature = Signature::new(self.letters().map(|l| l.arity));
        let store = vec![UNWRITTEN; property.registers.len()];
        let mut automaton = RollbackAutomaton::new(signature, store);
        for _ in 1..property.states.len() {
            automaton.add_state();
        }
        let states = self.states(property, &automaton);
        let start = property.start.index();
        let goal = taken.map(|_| automaton.add_state());
        match goal {
            Some(goal) => automaton.add_accepting(goal),
            None => {
                for (at, state) in property.states.iter().enumerate() {
                    let reported = match state.kind {
                        StateKind::Bad => at != start,
                        StateKind::Pending => true,
                        StateKind::Normal | StateKind::Good => false,
                    };
                    if reported {
                        automaton.add_accepting(states[at]);
                    }
                }
            }
        }
        for (at, transition) in property.transitions.iter().enumerate() {
            let target = match (taken == Some(at), transition.then.target) {
                (true, _) => goal.unwrap_or(automaton.start()),
                (false, Target::State(state)) => states[state.index()],
                (false, Target::Stay) => states[transition.source.index()],
                (false, Target::Drop) => continue,
            };
            for word in self.words(at) {
                let mut labels = word.into_iter().map(|(label, option)| {
                    let letter = &self.transitions[at][label][option];
                    let mut made = AutomatonLabel::kind(letter.kind);
                    for test in &letter.tests {
                        made = made.test(*test);
                    }
                    for (register, value) in &letter.sets {
                        made = made.set(*register, *value);
                    }
                    made
                });
                let Some(first) = labels.next() else { continue };
                let steps = labels.fold(Steps::one(first), Steps::then);
                automaton.add_transition(states[transition.source.index()], steps, target);
            }
        }
        automaton
    }

    /// The automaton's states, by the property's. It begins in its first state, whichever the
    /// property's is.
    fn states(&self, property: &Property, automaton: &RollbackAutomaton) -> Vec<AutomatonState> {
        let all: Vec<AutomatonState> = automaton.states().collect();
        let start = property.start.index();
        (0..property.states.len())
            .map(|at| match at.cmp(&start) {
                std::cmp::Ordering::Equal => automaton.start(),
                std::cmp::Ordering::Less => all[at + 1],
                std::cmp::Ordering::Greater => all[at],
            })
            .collect()
    }

    /// A word as events of the model.
    fn events(&self, model: &Model, word: &[DataLetter]) -> Vec<Event> {
        let letters: Vec<&Letter> = self.letters().collect();
        let types = |letter: &DataLetter| {
            let params = &model.events[letters[letter.kind.index()].event.index()].params;
            (0..letter.values.len()).map(|at| params.get(at).map_or(Type::Any, |p| p.ty))
        };
        // One value has one type wherever it occurs: the first that was declared.
        let mut typed: BTreeMap<DataValue, Type> = BTreeMap::new();
        for letter in word {
            for (value, ty) in letter.values.iter().zip(types(letter)) {
                let known = typed.entry(*value).or_insert(ty);
                if *known == Type::Any {
                    *known = ty;
                }
            }
        }
        word.iter()
            .map(|letter| {
                let made = letters[letter.kind.index()];
                let mut args: Vec<Value> =
                    letter.values.iter().map(|v| self.value(*v, typed[v])).collect();
                if let (Some(name), Some(first)) = (&made.name, args.first_mut()) {
                    *first = Value::str(name);
                }
                Event::new(made.event, args)
            })
            .collect()
    }

    /// A data value as a value of a type: a constant as it is, any other as one of its own.
    fn value(&self, value: DataValue, ty: Type) -> Value {
        if let Some(key) =
            value.0.checked_sub(1).and_then(|at| self.constants.keys.get(at as usize))
        {
            return Value::from(key.clone());
        }
        match ty {
            Type::Int | Type::Duration => Value::Int(value.0 as i64 + 1_000_000),
            Type::Float => Value::Float(value.0 as f64 + 1_000_000.5),
            Type::Str => Value::str(&format!("value {}", value.0)),
            Type::Ptr => Value::Ptr(value.0 + 1_000_000),
            Type::Bool => Value::Bool(value.0.is_multiple_of(2)),
            Type::List => Value::List(std::sync::Arc::new(vec![Value::Int(value.0 as i64)])),
            Type::Any | Type::Ref | Type::Map => Value::object(value.0 + 1_000_000),
        }
    }
}
