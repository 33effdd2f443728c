//! What evaluates the events of a run.

use watchword_model::{EventRef, PropertyId, Time};

use crate::reference::Reference;
use crate::{Engine, Limit, PropertyStats, Puzzle, Report, Said};

/// Evaluates the events of a [`Run`](super::Run). The host sees to it that time runs forwards.
pub trait Evaluator {
    /// Evaluates an event now, for all properties or for these only.
    fn step(&mut self, event: &EventRef<'_>, only: Option<&[PropertyId]>);

    /// Evaluates an event now or soon, see [`Engine::step_soon`].
    fn step_soon(&mut self, event: &EventRef<'_>) {
        self.step(event, None);
    }

    /// Evaluates what was put off.
    fn catch_up(&mut self) {}

    /// Time passes without an event.
    fn advance_to(&mut self, time: Time);

    /// The trace has ended.
    fn end(&mut self);

    /// Whether there are reports to take.
    fn has_reports(&self) -> bool;

    /// The reports since the last call, in order.
    fn take_reports(&mut self) -> Vec<Report>;

    /// The lines that updates printed since the last call.
    fn take_printed(&mut self) -> Vec<String>;

    /// The counters of the properties; `None` if it has none.
    fn stats(&self) -> Option<Vec<PropertyStats>>;

    /// See [`Engine::puzzles`].
    fn puzzles(&self) -> &[Puzzle];

    /// How many guards were not relevant.
    fn not_relevant(&self) -> u64;

    /// The limits that were hit so far.
    fn limits(&self) -> Vec<Limit>;
}

impl Evaluator for Engine {
    #[inline]
    fn step(&mut self, event: &EventRef<'_>, only: Option<&[PropertyId]>) {
        let _ = self.step_for(event, only);
    }

    #[inline]
    fn step_soon(&mut self, event: &EventRef<'_>) {
        let _ = Engine::step_soon(self, event);
    }

    fn catch_up(&mut self) {
        Engine::catch_up(self);
    }

    fn advance_to(&mut self, time: Time) {
        let _ = Engine::advance_to(self, time);
    }

    fn end(&mut self) {
        Engine::end(self);
    }

    #[inline]
    fn has_reports(&self) -> bool {
        Engine::has_reports(self)
    }

    fn take_reports(&mut self) -> Vec<Report> {
        Engine::take_reports(self)
    }

    fn take_printed(&mut self) -> Vec<String> {
        let said = self.take_said().into_iter();
        said.filter_map(|said| match said {
            Said::Print { text, .. } => Some(text),
            // Actions are run by hosts that have functions for them.
            Said::Action { .. } => None,
        })
        .collect()
    }

    fn stats(&self) -> Option<Vec<PropertyStats>> {
        Some(Engine::stats(self))
    }

    #[inline]
    fn puzzles(&self) -> &[Puzzle] {
        Engine::puzzles(self)
    }

    fn not_relevant(&self) -> u64 {
        Engine::not_relevant(self)
    }

    fn limits(&self) -> Vec<Limit> {
        Engine::limits(self)
    }
}

/// The evaluators a recorded trace can be checked with.
#[derive(Debug)]
pub enum AnyEvaluator {
    /// The engine.
    Engine(Box<Engine>),
    /// The reference, and how many of its reports and printed lines were taken.
    Reference(Box<Reference>, usize, usize),
    /// None: the trace is only read.
    None,
}

impl AnyEvaluator {
    /// The reference, at the start of a trace.
    pub fn reference(reference: Reference) -> AnyEvaluator {
        AnyEvaluator::Reference(Box::new(reference), 0, 0)
    }
}

impl Evaluator for AnyEvaluator {
    #[inline]
    fn step(&mut self, event: &EventRef<'_>, only: Option<&[PropertyId]>) {
        match self {
            AnyEvaluator::Engine(engine) => Evaluator::step(&mut **engine, event, only),
            AnyEvaluator::Reference(reference, ..) => {
                let _ = reference.step_for(&event.to_event(), only);
            }
            AnyEvaluator::None => {}
        }
    }

    #[inline]
    fn step_soon(&mut self, event: &EventRef<'_>) {
        match self {
            AnyEvaluator::Engine(engine) => Evaluator::step_soon(&mut **engine, event),
            _ => self.step(event, None),
        }
    }

    fn catch_up(&mut self) {
        if let AnyEvaluator::Engine(engine) = self {
            engine.catch_up();
        }
    }

    fn advance_to(&mut self, time: Time) {
        match self {
            AnyEvaluator::Engine(engine) => Evaluator::advance_to(&mut **engine, time),
            AnyEvaluator::Reference(reference, ..) => {
                let _ = reference.advance_to(time);
            }
            AnyEvaluator::None => {}
        }
    }

    fn end(&mut self) {
        match self {
            AnyEvaluator::Engine(engine) => engine.end(),
            AnyEvaluator::Reference(reference, ..) => reference.end(),
            AnyEvaluator::None => {}
        }
    }

    #[inline]
    fn has_reports(&self) -> bool {
        match self {
            AnyEvaluator::Engine(engine) => engine.has_reports(),
            AnyEvaluator::Reference(reference, taken, _) => reference.reports().len() > *taken,
            AnyEvaluator::None => false,
        }
    }

    fn take_reports(&mut self) -> Vec<Report> {
        match self {
            AnyEvaluator::Engine(engine) => engine.take_reports(),
            AnyEvaluator::Reference(reference, taken, _) => {
                let from = std::mem::replace(taken, reference.reports().len());
                reference.reports()[from..].to_vec()
            }
            AnyEvaluator::None => Vec::new(),
        }
    }

    fn take_printed(&mut self) -> Vec<String> {
        match self {
            AnyEvaluator::Engine(engine) => engine.take_printed(),
            AnyEvaluator::Reference(reference, _, taken) => {
                let from = std::mem::replace(taken, reference.printed().len());
                reference.printed()[from..].to_vec()
            }
            AnyEvaluator::None => Vec::new(),
        }
    }

    fn stats(&self) -> Option<Vec<PropertyStats>> {
        match self {
            AnyEvaluator::Engine(engine) => Some(engine.stats()),
            _ => None,
        }
    }

    #[inline]
    fn puzzles(&self) -> &[Puzzle] {
        match self {
            AnyEvaluator::Engine(engine) => engine.puzzles(),
            _ => &[],
        }
    }

    fn not_relevant(&self) -> u64 {
        match self {
            AnyEvaluator::Engine(engine) => engine.not_relevant(),
            AnyEvaluator::Reference(reference, ..) => reference.not_relevant(),
            AnyEvaluator::None => 0,
        }
    }

    fn limits(&self) -> Vec<Limit> {
        match self {
            AnyEvaluator::Engine(engine) => engine.limits(),
            AnyEvaluator::Reference(reference, ..) if reference.discarded() > 0 => {
                vec![Limit::Sends { discarded: reference.discarded() }]
            }
            _ => Vec::new(),
        }
    }
}
