//! What a run is: the evaluator, and what every host of monitors counts, merges and limits.
//!
//! A host (the reader of a trace, the agent in a JVM, the tracer of a native program) hands events
//! to a [`Run`], says where they happened, and asks for what was found. At the end the [`Totals`]
//! say the rest. Hosts differ in where events come from, not in what is counted.

mod counters;
mod counts;
mod evaluator;
mod findings;
mod limit;
mod totals;

use std::sync::Arc;

use watchword_model::{EventId, EventRef, Location, Model, PropertyId, StateId, Time};

use self::counters::Counters;
pub use self::counts::Counts;
pub use self::evaluator::{AnyEvaluator, Evaluator};
use self::findings::Findings;
pub use self::findings::{Listed, Listing};
pub use self::limit::{Limit, Strangers, Unmonitored};
pub use self::totals::{PropertyTotals, Puzzled, Totals};
use crate::{Cause, Engine, PropertyStats, Puzzle, Report, ReportKind};

/// A run of properties over the events of one program or trace.
#[derive(Debug)]
pub struct Run<E = Engine> {
    /// What evaluates the events. Hosts ask it about instances, deadlines and the like; events and
    /// reports go through the run.
    pub evaluator: E,
    model: Arc<Model>,
    counters: Counters,
    findings: Findings,
    /// The counters of the evaluator before the first event.
    before: Vec<PropertyStats>,
    /// Where evaluations had no value, in the order of [`Evaluator::puzzles`].
    puzzled: Vec<Option<Arc<Location>>>,
    /// Events that happened after the event of this number are not known; the host says so.
    pub gap: Option<u64>,
    /// Properties whose reports may be wrong from now on; see [`Run::doubt`].
    doubted: Vec<PropertyId>,
}

/// A report, and where it belongs.
#[derive(Clone, Debug)]
pub struct Found {
    /// The report.
    pub report: Report,
    /// Where it is listed, and where it happened.
    pub listed: Listed,
    /// Whether no limit was hit before that may have led to it; see [`Limit::may_forge`].
    pub certain: bool,
}

/// A run as it was, without what it has found; see [`Run::checkpoint`].
#[derive(Clone, Debug)]
pub struct Checkpoint<E = Engine> {
    evaluator: E,
    counters: Counters,
    puzzled: Vec<Option<Arc<Location>>>,
}

impl<E: Evaluator> Run<E> {
    /// A run before its first event.
    pub fn new(model: Arc<Model>, evaluator: E, listing: Listing) -> Run<E> {
        Run {
            counters: Counters::new(&model),
            findings: Findings::new(model.properties.len(), listing),
            before: evaluator.stats().unwrap_or_default(),
            puzzled: Vec::new(),
            gap: None,
            doubted: Vec::new(),
            evaluator,
            model,
        }
    }

    /// What is checked.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// How many events there were.
    #[inline]
    pub fn events(&self) -> u64 {
        self.counters.all
    }

    /// Counts and evaluates an event, for all properties or for these only.
    #[inline]
    pub fn step(&mut self, event: &EventRef<'_>, only: Option<&[PropertyId]>) {
        self.counters.count(&self.model, event.kind, only);
        self.evaluator.step(event, only);
    }

    /// Counts an event and evaluates it now or soon, see [`Engine::step_soon`].
    #[inline]
    pub fn step_soon(&mut self, event: &EventRef<'_>) {
        self.counters.count(&self.model, event.kind, None);
        self.evaluator.step_soon(event);
    }

    /// Whether there is something to [collect](Run::collect).
    #[inline]
    pub fn has_news(&self) -> bool {
        self.evaluator.has_reports() || self.evaluator.puzzles().len() > self.puzzled.len()
    }

    /// Takes the reports since the last call, in order. The host says where the event of a number
    /// happened, if it knows.
    pub fn collect(&mut self, place: impl Fn(u64) -> Option<Arc<Location>>) -> Vec<Found> {
        self.collect_if(place, |_| true)
    }

    /// The same; the host may complete a report, or leave it out.
    #[cold]
    #[inline(never)]
    pub fn collect_if(
        &mut self,
        place: impl Fn(u64) -> Option<Arc<Location>>,
        mut keep: impl FnMut(&mut Report) -> bool,
    ) -> Vec<Found> {
        let mut reports = self.evaluator.take_reports();
        reports.retain_mut(|report| keep(report));
        for puzzle in &self.evaluator.puzzles()[self.puzzled.len()..] {
            self.puzzled.push(place(puzzle.index));
        }
        if reports.is_empty() {
            return Vec::new();
        }
        let limits = self.limits();
        let found = |report: Report| {
            let here = if report.cause == Cause::Event { place(report.index) } else { None };
            let may_forge =
                |limit: &Limit| limit.may_forge(&self.model, report.property, report.index);
            let certain = !self.doubted.contains(&report.property) && !limits.iter().any(may_forge);
            let listed = self.findings.add(&report, here.as_ref(), certain);
            Found { report, listed, certain }
        };
        reports.into_iter().map(found).collect()
    }

    /// The lines that updates printed since the last call.
    pub fn take_printed(&mut self) -> Vec<String> {
        self.evaluator.take_printed()
    }

    /// Says whether what is reported from now on is expected, by a test for example: at the same place, a violation that
    /// is expected and one that is not are two.
    pub fn expect(&mut self, expected: bool) {
        self.findings.expected = expected;
    }

    /// Says that events of these properties are missing that were thought not to matter, so that what is
    /// reported of them from now on may be wrong. The host adds the limit to the totals.
    pub fn doubt(&mut self, properties: &[PropertyId]) {
        self.doubted = properties.to_vec();
    }

    /// Counts a report about a slice whose state the evaluator does not hold.
    pub fn add(&mut self, report: Report, here: &Arc<Location>) -> Found {
        let certain = !self.doubted.contains(&report.property);
        let listed = self.findings.add(&report, Some(here), certain);
        Found { report, listed, certain }
    }

    /// Counts what was reported at this place before, without making the report again; answers
    /// whether it was. If not, nothing is counted, and the host makes the report.
    pub fn add_again(
        &mut self,
        kind: ReportKind,
        property: PropertyId,
        state: StateId,
        here: &Arc<Location>,
    ) -> bool {
        let certain = !self.doubted.contains(&property);
        self.findings.add_again(kind, property, state, here, certain)
    }

    /// How often each listed violation was reported, by number.
    pub fn counts(&self) -> &[u64] {
        &self.findings.counts
    }

    /// How many events a property observed.
    pub fn observed(&self, property: usize) -> u64 {
        let stats = self.evaluator.stats();
        self.counters.observed(&self.model, property, stats.as_ref().map(|s| &s[property]))
    }

    /// The counters of the evaluator, if it has any. Instances that were there before anything had
    /// happened belong to nobody and do not count, unless there can be no others.
    pub fn stats(&self) -> Option<Vec<PropertyStats>> {
        let mut stats = self.evaluator.stats()?;
        for ((stats, before), property) in
            stats.iter_mut().zip(&self.before).zip(&self.model.properties)
        {
            stats.events = stats.events.saturating_sub(before.events);
            if !self.model.params(property.context).is_empty() {
                stats.created = stats.created.saturating_sub(before.created);
                stats.peak = stats.peak.saturating_sub(before.instances);
                stats.instances = stats.instances.saturating_sub(before.instances);
            }
        }
        Some(stats)
    }

    /// The counts so far.
    pub fn totals(&self) -> Totals {
        let stats = self.stats();
        let properties = (0..self.model.properties.len()).map(|i| {
            let stats = stats.as_ref().map(|stats| &stats[i]);
            PropertyTotals {
                sites: None,
                events: self.counters.observed(&self.model, i, stats),
                instances: stats.map(|s| s.created),
                peak: stats.map_or(0, |s| s.peak),
                violations: self.findings.violations[i],
                certain: self.findings.certain[i],
                satisfactions: self.findings.satisfactions[i],
                by_event: self.counters.by_event(&self.model, i),
            }
        });
        let mut limits = self.limits();
        if self.findings.unlisted > 0 {
            limits.push(Limit::Unlisted { violations: self.findings.unlisted });
        }
        Totals {
            properties: properties.collect(),
            counts: self.findings.counts.clone(),
            events: self.counters.all,
            not_relevant: self.evaluator.not_relevant(),
            puzzles: self.puzzles(stats.as_deref().unwrap_or_default()),
            limits,
        }
    }

    /// The limits that were hit so far.
    fn limits(&self) -> Vec<Limit> {
        let gap = self.gap.map(|since| Limit::Gap { since });
        self.evaluator.limits().into_iter().chain(gap).collect()
    }

    fn puzzles(&self, stats: &[PropertyStats]) -> Vec<Puzzled> {
        let places = self.puzzled.iter().cloned().chain(std::iter::repeat(None));
        let puzzles = self.evaluator.puzzles().iter().zip(places);
        let mut puzzles: Vec<Puzzled> = puzzles
            .map(|(first, location): (&Puzzle, _)| Puzzled {
                first: *first,
                location,
                times: stats.get(first.property.index()).map_or(1, |s| s.not_relevant),
            })
            .collect();
        puzzles.sort_by_key(|puzzled| puzzled.first.property);
        puzzles
    }

    /// Counts events that were dealt with elsewhere; see [`Engine::adopt`].
    pub fn count_elsewhere(&mut self, event: EventId, times: u64) {
        self.counters.all += times;
        self.counters.for_all[event.index()] += times;
    }

    /// Time passes without an event.
    pub fn advance_to(&mut self, time: Time) {
        self.evaluator.advance_to(time);
    }

    /// Evaluates what was put off.
    pub fn catch_up(&mut self) {
        self.evaluator.catch_up();
    }

    /// The program or the trace has ended.
    pub fn end(&mut self) {
        self.evaluator.end();
    }
}

impl<E: Evaluator + Clone> Run<E> {
    /// The run as it is now, to [go back](Run::go_back) to. What is found later stays found.
    pub fn checkpoint(&self) -> Checkpoint<E> {
        Checkpoint {
            evaluator: self.evaluator.clone(),
            counters: self.counters.clone(),
            puzzled: self.puzzled.clone(),
        }
    }

    /// Goes back to a checkpoint; what was found since stays found.
    pub fn go_back(&mut self, checkpoint: &Checkpoint<E>) {
        self.evaluator = checkpoint.evaluator.clone();
        self.counters = checkpoint.counters.clone();
        self.puzzled = checkpoint.puzzled.clone();
    }

    /// Begins anew with this evaluator; what was found stays found.
    pub fn begin_again(&mut self, evaluator: E) {
        self.counters = Counters::new(&self.model);
        self.puzzled.clear();
        self.before = evaluator.stats().unwrap_or_default();
        self.evaluator = evaluator;
    }

    /// The run of a program that is a copy of this one from now on, as a forked process is: the
    /// instances are there, what is counted and found begins anew.
    pub fn fork(&self, listing: Listing) -> Run<E> {
        Run::new(self.model.clone(), self.evaluator.clone(), listing)
    }

    /// Lets another run of the same properties add to what this one has found, and the other way
    /// round.
    pub fn swap_findings(&mut self, other: &mut Run<E>) {
        std::mem::swap(&mut self.findings, &mut other.findings);
    }

    /// Takes over what an earlier run of the same properties found.
    pub fn inherit(&mut self, earlier: Run<E>) {
        self.findings = earlier.findings;
    }
}
