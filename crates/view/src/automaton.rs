//! The automaton of a property as a [`Diagram`].

use std::fmt::Write;

use watchword_model::{
    Branch, EventId, Model, Property, StateId, StateKind, Target, Transition, TransitionId,
};
use watchword_monitor::Step;

use crate::diagram::{Diagram, Edge, Kind, Line, Node, Stroke};
use crate::expression::Namer;
use crate::outcome::first_state;
use crate::text;

/// Guards and updates longer than this are cut.
const MAX_LABEL: usize = 160;

/// What of a property is drawn as no longer there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Removed<'r> {
    /// Transitions.
    pub transitions: &'r [TransitionId],
    /// States.
    pub states: &'r [StateId],
    /// Deadlines, by their state.
    pub deadlines: &'r [StateId],
}

/// A property, and the way a history took through it.
pub fn diagram(model: &Model, property: &Property, history: &[Step]) -> Diagram {
    draw(model, property, history, Removed::default())
}

/// A property with what is left of it: the rest is dashed.
pub fn residual(model: &Model, property: &Property, removed: Removed<'_>) -> Diagram {
    let mut diagram = draw(model, property, &[], removed);
    for state in removed.states {
        diagram.nodes[state.index()].removed = true;
    }
    diagram
}

fn draw(model: &Model, property: &Property, history: &[Step], removed: Removed<'_>) -> Diagram {
    let params: Vec<&str> =
        model.params(property.context).into_iter().map(|(_, p)| p.name.as_str()).collect();
    let mut diagram = Diagram::new(&format!("{}({})", property.name, params.join(", ")));
    for (i, state) in property.states.iter().enumerate() {
        let note = match &state.deadline {
            Some(deadline) => format!("within {}", text::duration(deadline.after)),
            None => String::new(),
        };
        diagram.add(Node {
            name: state.name.clone(),
            note,
            kind: match state.kind {
                StateKind::Normal => Kind::Plain,
                StateKind::Bad => Kind::Bad,
                StateKind::Good => Kind::Good,
                StateKind::Pending => Kind::Pending,
            },
            start: i == property.start.index(),
            lit: false,
            removed: false,
        });
    }
    let mut builder = Builder { diagram, gone: None, walk: walk(property, history) };
    for (_, from, to) in &builder.walk {
        for state in [from, to].into_iter().flatten() {
            builder.diagram.nodes[*state].lit = true;
        }
    }
    let namer = Namer::new(model, property);
    for (at, transition) in property.transitions.iter().enumerate() {
        let from = transition.source.index();
        let label = label(&namer, transition);
        let events = transition.labels.iter().map(|l| l.event).collect::<Vec<_>>();
        let gone = removed.transitions.contains(&TransitionId::from_index(at));
        let stroke = |usual| if gone { Stroke::Removed } else { usual };
        let solid = stroke(Stroke::Solid);
        builder.edge(from, &transition.then, &label, solid, transition.keep, Some(&events));
        if let Some(otherwise) = &transition.otherwise {
            let label = format!("{label} else");
            let dashed = stroke(Stroke::Dashed);
            builder.edge(from, otherwise, &label, dashed, false, Some(&events));
        }
    }
    for (i, state) in property.states.iter().enumerate() {
        if let Some(deadline) = &state.deadline {
            let label = format!("{} have passed", text::duration(deadline.after));
            let gone = removed.deadlines.contains(&StateId::from_index(i));
            let stroke = if gone { Stroke::Removed } else { Stroke::Dotted };
            builder.edge(i, &deadline.branch, &label, stroke, false, None);
        }
    }
    builder.diagram
}

/// A step of a history: the event, from where, to where.
type Move = (Option<EventId>, Option<usize>, Option<usize>);

fn walk(property: &Property, history: &[Step]) -> Vec<Move> {
    let mut at = first_state(property, history).map(|s| s.index());
    let mut moves = Vec::new();
    for step in history {
        let to = Some(step.state.index());
        moves.push((step.event, at, to));
        at = to;
    }
    moves
}

struct Builder {
    diagram: Diagram,
    /// The node for `drop`, once there is one.
    gone: Option<usize>,
    walk: Vec<Move>,
}

impl Builder {
    /// `events` are those that take it; none: it is taken by time.
    fn edge(
        &mut self,
        from: usize,
        branch: &Branch,
        label: &str,
        stroke: Stroke,
        fork: bool,
        events: Option<&[Option<EventId>]>,
    ) {
        let to = match branch.target {
            Target::State(state) => state.index(),
            Target::Stay => from,
            Target::Drop => *self.gone.get_or_insert_with(|| {
                self.diagram.add(Node { kind: Kind::Gone, ..Node::plain("drop") })
            }),
        };
        let taken: Vec<usize> = self
            .walk
            .iter()
            .enumerate()
            .filter(|(_, (event, start, end))| {
                let by = match events {
                    Some(events) => {
                        event.is_some() && events.iter().any(|e| e.is_none() || e == event)
                    }
                    None => event.is_none(),
                };
                by && *start == Some(from) && *end == Some(to)
            })
            .map(|(at, _)| at + 1)
            .collect();
        let lit = !taken.is_empty();
        let lines = label.lines().map(|l| Line { text: l.to_string(), lit }).collect();
        self.diagram.connect(Edge { from, to, lines, stroke, fork, taken });
    }
}

fn label<'m>(namer: &Namer<'m>, transition: &'m Transition) -> String {
    let labels: Vec<String> = transition.labels.iter().map(|l| namer.label(l)).collect();
    let mut text = short(&labels.join("; "));
    if !transition.then.update.is_empty() {
        let namer = transition.labels.last().map_or(*namer, |label| namer.of(label));
        let _ = write!(text, " {{ {} }}", short(&namer.statements(&transition.then.update)));
    }
    text
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_LABEL) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}
