//! A run that has ended: what reports are made of.

use std::borrow::Cow;
use std::sync::Arc;

use watchword_model::{
    EventId, Location, Model, Property, PropertyId, StateId, StateKind, Target, Time,
};
use watchword_monitor::{Limit, PropertyTotals, Report, Step};

use crate::json::Json;

/// A violation and how often it happened.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The first report.
    pub report: Report,
    /// Where that was.
    pub location: Option<Arc<Location>>,
    /// Whether that is a place in a program, not just a line of the trace.
    pub in_program: bool,
    /// The stack at that moment, innermost first, where it is known.
    pub stack: Vec<Location>,
    /// The thread, by name, where it is known.
    pub thread: Option<String>,
    /// How often the same was reported.
    pub count: u64,
    /// Whether no limit was hit before that may have led to it.
    pub certain: bool,
    /// The test during which it happened, where that is known.
    pub test: Option<String>,
    /// Whether that test expected it: it does not count as a failure.
    pub expected: bool,
}

/// Whether a violation was known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is in the baseline.
    Known,
    /// It is not.
    New,
}

impl Status {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Status::Known => "known",
            Status::New => "new",
        }
    }
}

/// What came of one property.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The counts of the run.
    pub totals: PropertyTotals,
    /// How many of the violations were in runs that were undone.
    pub undone: u64,
    /// It was proven that no run violates it.
    pub proven: bool,
    /// Events that never occurred although it needs them; see [`awaited`](crate::awaited).
    pub missed: Vec<EventId>,
}

/// The verdict on a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A violation was reported that no limit can have led to.
    Violated,
    /// A limit was hit: violations may be missing, and those that were reported may not be real.
    Inconclusive,
    /// It was proven before the run that nothing can be reported.
    Proven,
    /// A good state was entered.
    Satisfied,
    /// None of the others.
    NotViolated,
}

impl Verdict {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Violated => "violated",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Proven => "proven",
            Verdict::Satisfied => "satisfied",
            Verdict::NotViolated => "not-violated",
        }
    }

    /// The name in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::NotViolated => "not violated",
            other => other.name(),
        }
    }
}

impl Tally {
    /// The verdict on the property, given the limits that the run hit.
    pub fn verdict(&self, model: &Model, property: PropertyId, limits: &[Limit]) -> Verdict {
        let PropertyTotals { violations, certain, satisfactions, .. } = self.totals;
        let states = &model.properties[property.index()].states;
        let has_good = states.iter().any(|s| s.kind == StateKind::Good);
        if certain > 0 {
            Verdict::Violated
        } else if violations > 0 {
            Verdict::Inconclusive
        } else if self.proven {
            Verdict::Proven
        } else if limits.iter().any(|limit| limit.blurs(model, property)) {
            Verdict::Inconclusive
        } else if has_good && satisfactions > 0 {
            Verdict::Satisfied
        } else {
            Verdict::NotViolated
        }
    }
}

/// A few lines of a source file.
#[derive(Clone, Debug)]
pub struct Snippet {
    /// The number of the first line.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
    /// The file, as seen from the current folder, if that is known.
    pub file: Option<String>,
}

/// A run that has ended.
pub struct Outcome<'a> {
    /// What was checked.
    pub model: &'a Model,
    /// What came of each property of the model.
    pub properties: Vec<Tally>,
    /// The violations, merged by site, in the order of their first reports.
    pub violations: &'a [Violation],
    /// Which of them are known; empty if there is no baseline.
    pub status: Vec<Status>,
    /// Satisfactions to be listed.
    pub satisfied: &'a [Report],
    /// Limits that were hit, so that something may be missing.
    pub limits: Vec<Limit>,
    /// What else a person should know.
    pub warnings: Vec<String>,
    /// Counters, as the documented format has them.
    pub stats: Json,
    /// What updates printed.
    pub printed: &'a [String],
    /// What was checked on: names of traces, or a command line.
    pub target: String,
    /// When the report is made, in nanoseconds since 1970; none if that is not to be told.
    pub date: Option<Time>,
    /// The version of Watchword.
    pub version: &'a str,
    /// Finds the lines around a location, if the file is at hand.
    pub source: &'a dyn Fn(&Location) -> Option<Snippet>,
    /// Why the input was not read to its end, if it was not; the limits say so, too.
    pub stopped: Option<String>,
}

impl Outcome<'_> {
    /// The property of a violation.
    pub fn property(&self, violation: &Violation) -> &Property {
        &self.model.properties[violation.report.property.index()]
    }

    /// Whether the violation at that position is known.
    pub fn is_known(&self, index: usize) -> bool {
        self.status.get(index) == Some(&Status::Known)
    }

    /// Whether the verdict on some property is inconclusive.
    pub fn is_inconclusive(&self) -> bool {
        (0..self.properties.len()).any(|i| self.verdict(i) == Verdict::Inconclusive)
    }

    /// The verdict on a property.
    pub fn verdict(&self, property: usize) -> Verdict {
        let id = PropertyId::from_index(property);
        self.properties[property].verdict(self.model, id, &self.limits)
    }
}

/// The report with the part of its history that people read: from where the instance last left its start
/// state. What was before is another round, unless variables, clocks or registers remember it.
pub fn story<'r>(model: &Model, report: &'r Report) -> Cow<'r, Report> {
    let property = &model.properties[report.property.index()];
    let mut contexts =
        std::iter::successors(Some(property.context), |c| model.contexts[c.index()].parent)
            .map(|context| &model.contexts[context.index()]);
    let remembers = contexts.any(|c| !c.variables.is_empty() || !c.clocks.is_empty());
    let Some((_, before)) = report.history.split_last() else { return Cow::Borrowed(report) };
    let back = before.iter().rposition(|step| step.state == property.start);
    match back.filter(|_| !remembers && !model.has_registers(property)) {
        None => Cow::Borrowed(report),
        Some(back) => {
            let mut told = report.clone();
            told.history.drain(..=back);
            told.cut = false;
            Cow::Owned(told)
        }
    }
}

/// The state the history of a report begins in; none if its beginning was left out.
pub fn beginning(property: &Property, report: &Report) -> Option<StateId> {
    first_state(property, &report.history).filter(|_| !report.cut)
}

/// The start state, if a history can begin there.
pub fn first_state(property: &Property, history: &[Step]) -> Option<StateId> {
    let first = history.first()?;
    let start = property.start;
    let leads = |target: Target| match target {
        Target::State(state) => state == first.state,
        Target::Stay => first.state == start,
        Target::Drop => false,
    };
    let deadline = property.states[start.index()].deadline.iter().map(|d| &d.branch);
    let leaving = property.leaving(start).filter(|(_, t)| {
        first.event.is_none()
            || t.labels.iter().any(|l| l.event.is_none() || l.event == first.event)
    });
    let branches = leaving.flat_map(|(_, t)| std::iter::once(&t.then).chain(&t.otherwise));
    deadline.chain(branches).any(|branch| leads(branch.target)).then_some(start)
}

/// The names of the states a history goes through, each once in a row.
pub fn path(property: &Property, report: &Report) -> Vec<String> {
    let history = &report.history;
    let mut names = Vec::new();
    if !history.is_empty() {
        names.push(match beginning(property, report) {
            Some(start) => property.states[start.index()].name.clone(),
            None => "…".to_string(),
        });
    }
    for step in history {
        let name = &property.states[step.state.index()].name;
        if names.last() != Some(name) {
            names.push(name.clone());
        }
    }
    names
}
