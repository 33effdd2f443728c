//! Whether anything can still be seen of a configuration some of whose values never occur again.
//!
//! An object that was collected occurs in no later event. What an instance can still do without
//! it is over-approximated: guards are not looked at, every transition may be taken for which an
//! event can come, every deadline may fire. If no report, no output and no pending state is within
//! reach then, the instance can leave unnoticed, provided nobody can tell it was there: see
//! `deaths` in `watchword-monitor`.

use std::collections::BTreeSet;

use watchword_model::{
    Branch, Creation, EventId, Label, Model, Origin, Pattern, Place, Property, StateKind, Target,
    VarId,
};

use crate::effects;
use crate::shape::{Mask, mask_of};
use crate::unit::{Unit, own_placement};

/// A state, and which parameters or registers hold what never occurs again.
type Node = (u32, Mask);

struct Search<'a> {
    model: &'a Model,
    property: &'a Property,
    unit: &'a Unit,
    seen: BTreeSet<Node>,
    todo: Vec<Node>,
}

/// Whether a report or an output may come of a configuration in `state` when the values of the
/// parameters (registers) `dead` occur in no later event.
pub(crate) fn can_show(model: &Model, unit: &Unit, state: u32, dead: Mask) -> bool {
    if state == unit.lost {
        return false;
    }
    let property = &model.properties[unit.property.index()];
    let mut search = Search { model, property, unit, seen: BTreeSet::new(), todo: Vec::new() };
    search.add((state, dead));
    while let Some((state, dead)) = search.todo.pop() {
        let definition = &property.states[state as usize];
        if definition.kind == StateKind::Pending {
            return true;
        }
        if let Some(deadline) = &definition.deadline
            && search.take(state, dead, &deadline.branch)
        {
            return true;
        }
        for transition in property.transitions.iter().filter(|t| t.source.0 == state) {
            if !transition.labels.iter().all(|l| search.may_match(l, dead)) {
                continue;
            }
            let mut after = dead;
            for pattern in transition.labels.iter().flat_map(|l| &l.args) {
                match pattern {
                    Pattern::Bind(Place::Register(r)) => after &= !bit(r.0),
                    Pattern::Bind(Place::Var(v)) if search.is_outer(*v) => return true,
                    _ => {}
                }
            }
            let branches = std::iter::once(&transition.then).chain(&transition.otherwise);
            for branch in branches {
                if search.take(state, after, branch) {
                    return true;
                }
            }
        }
    }
    false
}

/// Registers and parameters beyond the mask are never known to be dead.
fn bit(number: u32) -> Mask {
    if number < Mask::BITS { 1 << number } else { 0 }
}

impl Search<'_> {
    fn add(&mut self, node: Node) {
        if self.seen.insert(node) {
            self.todo.push(node);
        }
    }

    fn is_outer(&self, var: VarId) -> bool {
        self.model.variables[var.index()].context != self.property.context
    }

    /// Follows a branch. Answers whether it is seen from outside.
    fn take(&mut self, state: u32, mut dead: Mask, branch: &Branch) -> bool {
        let run = effects::run_by(self.property, branch);
        let mut writes_outside = false;
        for stmts in run {
            if effects::stmts_output(stmts) {
                return true;
            }
            effects::assigned(stmts, &mut |place| match place {
                Place::Register(r) => dead &= !bit(r.0),
                Place::Var(v) => writes_outside |= self.is_outer(v),
                _ => {}
            });
        }
        if writes_outside {
            return true;
        }
        match branch.target {
            Target::Stay => self.add((state, dead)),
            // A context without parameters of its own starts again.
            Target::Drop => self.add((self.property.start.0, dead)),
            Target::State(to) => {
                let kind = self.property.states[to.index()].kind;
                if matches!(kind, StateKind::Bad | StateKind::Good) {
                    return true;
                }
                self.add((to.0, dead));
            }
        }
        false
    }

    /// Whether an event that matches a label can still come.
    fn may_match(&self, label: &Label, dead: Mask) -> bool {
        let context = &self.model.contexts[self.property.context.index()];
        self.unit.kinds.iter().any(|kind| {
            if label.event.is_some_and(|e| e != kind.event) {
                return false;
            }
            // Sends may bring anything back; alarms come to their own instance.
            match self.model.events[kind.event.index()].origin {
                Origin::Channel | Origin::Clock => return true,
                // It carries what is dead.
                Origin::World(_) if self.model.events[kind.event.index()].is_death() => {
                    return true;
                }
                Origin::World(_) | Origin::End => {}
            }
            let placed = match context.rule {
                Creation::Registers => true,
                Creation::Verde => mask_of(&own_placement(label)) & dead == 0,
                _ => kind.placements.iter().any(|p| mask_of(p) & dead == 0),
            };
            placed
                && !label.args.iter().any(|pattern| match pattern {
                    Pattern::Equal(Place::Param(p)) => bit(p.0) & dead != 0,
                    Pattern::Equal(Place::Register(r)) => bit(r.0) & dead != 0,
                    _ => false,
                })
        })
    }
}

/// Whether an instance that binds the parameters `domain` can be told from one that is not there
/// by events that do not carry the values of those in `dead`: because sends may carry them, or
/// because instances of rule `verde` keep others from being created or beget them.
pub(crate) fn is_missed(model: &Model, unit: &Unit, dead: Mask) -> bool {
    let is_channel = |e: EventId| matches!(model.events[e.index()].origin, Origin::Channel);
    let placed = |mask: Mask| mask != 0;
    let sent = unit
        .kinds
        .iter()
        .any(|k| is_channel(k.event) && k.placements.iter().any(|p| placed(mask_of(p))));
    let rule = &model.contexts[unit.context.index()].rule;
    let begets = *rule == Creation::Verde
        && unit.own_placements.iter().any(|p| placed(mask_of(p)) && mask_of(p) & dead == 0);
    sent || begets
}

/// Whether an event that carries none of the values in `dead` can join an instance that binds
/// `domain` with more parameters.
pub(crate) fn can_grow(unit: &Unit, domain: Mask, dead: Mask) -> bool {
    unit.kinds
        .iter()
        .flat_map(|k| &k.placements)
        .any(|p| mask_of(p) & dead == 0 && mask_of(p) & !domain != 0)
}
