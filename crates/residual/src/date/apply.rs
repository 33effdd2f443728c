//! A model without what its properties have lost.

use watchword_model::{
    Context, ContextId, EventId, Model, Property, PropertyId, PropertyOrigin, StateId, StateKind,
    Target, TransitionId,
};

use super::automaton::{Arm, Date, Part};

/// What became of a property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Transitions that are gone.
    pub transitions: Vec<TransitionId>,
    /// States that are gone.
    pub states: Vec<StateId>,
    /// Deadlines that are gone.
    pub deadlines: Vec<StateId>,
    /// Events it need not observe any more.
    pub events: Vec<EventId>,
    /// Nothing can be reported any more.
    pub proven: bool,
}

/// What a property loses if only a part of it is left.
pub fn lost(date: &Date, property: &Property, part: &[bool]) -> Lost {
    let kept = |arm: Arm| date.edges.iter().zip(part).any(|(e, p)| *p && e.arm == arm);
    let mut lost = Lost::default();
    let mut used = vec![false; property.states.len()];
    used[date.start] = true;
    for (at, transition) in property.transitions.iter().enumerate() {
        let id = TransitionId::from_index(at);
        if !kept(Arm::Then(id)) && !kept(Arm::Otherwise(id)) {
            lost.transitions.push(id);
            continue;
        }
        used[transition.source.index()] = true;
        for branch in std::iter::once(&transition.then).chain(&transition.otherwise) {
            if let Target::State(to) = branch.target {
                used[to.index()] = true;
            }
        }
    }
    for (at, state) in property.states.iter().enumerate() {
        let id = StateId::from_index(at);
        let Some(deadline) = &state.deadline else { continue };
        if !kept(Arm::Deadline(id)) {
            lost.deadlines.push(id);
        } else if let Target::State(to) = deadline.branch.target {
            used[at] = true;
            used[to.index()] = true;
        }
    }
    let states = (0..property.states.len()).filter(|s| !used[*s]);
    lost.states = states.map(StateId::from_index).collect();
    for (at, letter) in date.letters.iter().enumerate() {
        let proven = date.is_proven(part);
        if proven || !letter.internal && super::cfg::no_effect(date, part, at) {
            lost.events.push(letter.event);
        }
    }
    lost.proven = date.is_proven(part);
    lost
}

/// The model with parts of its properties.
pub fn apply(model: &Model, dates: &[Date], parts: &[Part]) -> Model {
    let properties = dates.iter().zip(parts).map(|(date, part)| {
        (date.property, lost(date, &model.properties[date.property.index()], part))
    });
    let all: Vec<(PropertyId, Lost)> = properties.collect();
    without(model, all.iter().map(|(property, lost)| (*property, lost)))
}

/// The model without what its properties have lost. One that is proven stays, without anything to
/// do, so that properties keep their numbers.
pub fn without<'l>(
    model: &Model,
    properties: impl IntoIterator<Item = (PropertyId, &'l Lost)>,
) -> Model {
    let mut residual = model.clone();
    for (property, lost) in properties {
        reduce(&mut residual.properties[property.index()], lost);
    }
    residual
}

const PROVEN: &str = "Proven: no run of the analysed classes can violate the property.";

/// The model with proven properties as such. `known` tells of each whether nothing of it can be
/// reported or seen by others, and whether no site of it is left.
///
/// They move out of their contexts, unless others are left there that would miss them: a context
/// ends when all of its automata have.
pub fn proven(model: &Model, known: impl Fn(usize) -> (bool, bool)) -> Model {
    let root = |p: &Property| model.chain(p.context)[0];
    let family = |of: &Property| {
        let of = root(of);
        model.properties.iter().enumerate().filter(move |(_, p)| root(p) == of)
    };
    let is_proven = |at: usize, property: &Property| {
        let (lost, silent) = known(at);
        lost || is_inert(property) || silent && family(property).count() == 1
    };
    let mut all = model.clone();
    for (at, property) in model.properties.iter().enumerate() {
        if !is_proven(at, property) {
            continue;
        }
        let stays = !known(at).0 && !family(property).all(|(at, p)| is_proven(at, p));
        let left = &mut all.properties[at];
        if !left.doc.starts_with(PROVEN) {
            left.doc = [PROVEN, &left.doc].join("\n").trim_end().to_string();
        }
        left.origin = PropertyOrigin::Proven;
        if !stays {
            left.context = ContextId::from_index(all.contexts.len());
            all.contexts.push(Context::of_registers());
        }
    }
    all
}

/// Whether an automaton observes no event and has no effect.
fn is_inert(property: &Property) -> bool {
    let start = &property.states[property.start.index()];
    property.transitions.is_empty()
        && property.alphabet.is_empty()
        && start.kind == StateKind::Normal
        && start.deadline.is_none()
        && start.entry.is_empty()
}

fn reduce(property: &mut Property, lost: &Lost) {
    if *lost == Lost::default() {
        return;
    }
    for state in &lost.deadlines {
        property.states[state.index()].deadline = None;
    }
    let mut number = 0;
    property.transitions.retain(|_| {
        number += 1;
        !lost.transitions.contains(&TransitionId::from_index(number - 1))
    });
    // Numbers of the states that are left.
    let mut next = 0;
    let numbers: Vec<Option<StateId>> = (0..property.states.len())
        .map(|at| {
            let gone = lost.states.contains(&StateId::from_index(at));
            next += usize::from(!gone);
            (!gone).then(|| StateId::from_index(next - 1))
        })
        .collect();
    let renumber = |state: StateId| numbers[state.index()].unwrap_or(state);
    let target = |target: &mut Target| {
        if let Target::State(state) = target {
            *state = renumber(*state);
        }
    };
    property.start = renumber(property.start);
    for transition in &mut property.transitions {
        transition.source = renumber(transition.source);
        target(&mut transition.then.target);
        if let Some(otherwise) = &mut transition.otherwise {
            target(&mut otherwise.target);
        }
    }
    for state in &mut property.states {
        if let Some(deadline) = &mut state.deadline {
            target(&mut deadline.branch.target);
        }
    }
    let mut at = 0;
    property.states.retain(|_| {
        at += 1;
        numbers[at - 1].is_some()
    });
    property.alphabet.retain(|o| !lost.events.contains(&o.event));
    property.origin = PropertyOrigin::Automaton;
}
