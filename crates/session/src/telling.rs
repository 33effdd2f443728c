//! What engines tell, as happenings.

use watchword_model::{Location, Model, Property, Value};
use watchword_monitor::{Instance, Move, Report, ReportKind};
use watchword_view::text;

use crate::happening::{Moved, Place, Slice, Slices, Verdict};

/// Instances of a property that are told at once.
pub const MOST_TOLD: usize = 1000;

/// Names as texts.
pub(crate) fn named(binding: &[(std::sync::Arc<str>, Value)]) -> Vec<(String, Value)> {
    binding.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
}

impl From<&Location> for Place {
    fn from(location: &Location) -> Place {
        Place {
            function: location.function.as_deref().map(str::to_string),
            file: location.file.as_deref().map(str::to_string),
            line: location.line,
        }
    }
}

impl Moved {
    /// A move of an instance of a property in the property file of this number.
    pub fn of(monitor: u32, model: &Model, step: &Move) -> Moved {
        let property = &model.properties[step.property.index()];
        let state = |s: watchword_model::StateId| property.states[s.index()].name.clone();
        Moved {
            monitor,
            property: property.name.clone(),
            binding: named(&step.binding),
            from: state(step.from),
            to: step.to.map(state),
            event: step.event.map(|event| text::occurrence(model, event, &step.args)),
            index: step.index,
        }
    }
}

impl Verdict {
    /// A report of a property in the property file of this number, at this place of the program.
    pub fn of(monitor: u32, model: &Model, report: &Report, place: Option<&Location>) -> Verdict {
        let property = &model.properties[report.property.index()];
        let history = report.history.iter().map(|step| {
            let state = property.states[step.state.index()].name.clone();
            (text::event(model, step), state)
        });
        Verdict {
            monitor,
            property: property.name.clone(),
            is_violation: report.kind != ReportKind::Satisfaction,
            message: report.message.to_string(),
            binding: named(&report.binding),
            place: place.map(Place::from).unwrap_or_default(),
            history: history.collect(),
            backtrace: Vec::new(),
            index: report.index,
            text: String::new(),
        }
    }
}

impl Slices {
    /// The instances of a property; of many, the first [`MOST_TOLD`].
    pub fn of(monitor: u32, property: &Property, all: &[Instance]) -> Slices {
        let slice = |instance: &Instance| Slice {
            binding: named(&instance.binding),
            state: instance.state.map(|s| property.states[s.index()].name.clone()),
            variables: named(&instance.variables),
        };
        Slices {
            monitor,
            property: property.name.clone(),
            total: all.len(),
            slices: all.iter().take(MOST_TOLD).map(slice).collect(),
        }
    }
}
