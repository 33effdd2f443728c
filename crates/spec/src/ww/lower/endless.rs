//! Circles of states without time: each is left at the moment at which it is entered.

use watchword_model::{Creation, Property, StateId, Target};

use super::Lowering;
use crate::circles::circles;
use crate::diagnostic::{Code, Diagnostic};

impl Lowering<'_> {
    /// Refuses time limits of zero that lead in a circle: time would never pass.
    pub(super) fn refuse_endless(&mut self, property: &Property) {
        for circle in circles(property.states.len(), |state| self.at_once(property, state)) {
            self.report_circle(property, &circle);
        }
    }

    /// The state that follows when no time has passed.
    fn at_once(&self, property: &Property, state: StateId) -> Option<StateId> {
        let deadline = property.states.get(state.index())?.deadline.as_ref()?;
        let target = match deadline.branch.target {
            Target::State(target) => Some(target),
            // The instance that binds nothing always exists: dropped, it begins again.
            Target::Drop => match &self.model.contexts[property.context.index()].rule {
                Creation::ChenRosu { creation } if creation.is_empty() => Some(property.start),
                Creation::Verde => Some(property.start),
                _ => None,
            },
            Target::Stay => None,
        };
        target.filter(|target| deadline.after <= 0 && target.index() < property.states.len())
    }

    fn report_circle(&mut self, property: &Property, circle: &[StateId]) {
        let [first, rest @ ..] = circle else { return };
        let first = &property.states[first.index()];
        let error = Diagnostic::error(
            Code::Endless,
            first.span,
            format!("`{}` is left and entered again without any time passing", first.name),
        );
        let error = rest.iter().fold(error, |error, state| {
            error.also(property.states[state.index()].span, "by way of this state")
        });
        self.report(
            error
                .rule("time limits of zero must not lead in a circle")
                .help("give one of the states a time limit above zero"),
        );
    }
}
