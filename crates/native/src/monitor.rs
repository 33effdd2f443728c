//! One set of properties that watches the program, with its engine.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use watchword_debug::{PointId, ThreadId};
use watchword_model::{EventId, Model, Origin, PropertyId, Source as Declared, Value};
use watchword_monitor::{Engine, Listing, Options, PropertyTotals, Run, Totals};

use crate::source::{ArmNote, Source};

/// Names a set of properties for as long as the program is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MonitorId(pub u32);

/// A source that is armed nowhere.
pub(crate) struct Unarmed {
    /// The event.
    pub event: String,
    /// The source, as it is written.
    pub source: String,
    /// The function, if it is of calls.
    pub function: Option<String>,
}

/// Properties that were loaded together, and where they stand.
#[derive(Debug)]
pub struct Monitor {
    /// Which.
    pub id: MonitorId,
    /// What it was loaded from.
    pub name: String,
    /// What is checked.
    pub model: Arc<Model>,
    /// The run of the engine over the program's events.
    pub run: Run,
    pub(crate) sources: Vec<Source>,
    /// The source each point of a call belongs to.
    pub(crate) calls: HashMap<PointId, usize>,
    /// Whether any of its events was armed, at any time.
    pub was_armed: bool,
    /// Whether events of it are written down inside the program: then they come late, and nothing may
    /// be disarmed meanwhile.
    pub(crate) is_inside: bool,
    /// Which set of sensitive events is armed.
    pub(crate) tuned: Option<u64>,
    /// Whether events are armed only while it is sensitive to them.
    pub(crate) tunes: bool,
    /// The counts of processes that were watched and are gone.
    pub(crate) others: Totals,
}

impl Monitor {
    pub(crate) fn new(
        id: MonitorId,
        name: &str,
        model: Arc<Model>,
        options: Options,
        listing: Listing,
    ) -> Monitor {
        let mut sources = Vec::new();
        for (index, decl) in model.events.iter().enumerate() {
            let Origin::World(declared) = &decl.origin else { continue };
            for source in declared {
                if let Declared::Native(native) = source {
                    sources.push(Source::new(EventId::from_index(index), decl, native));
                }
            }
        }
        Monitor {
            id,
            name: name.to_string(),
            tunes: options.sensitive,
            run: Run::new(model.clone(), Engine::new(&model, options), listing),
            model,
            sources,
            calls: HashMap::new(),
            was_armed: false,
            is_inside: false,
            tuned: None,
            others: Totals::default(),
        }
    }

    /// The monitor of a child process that was forked by a thread and has this one.
    pub(crate) fn fork(&self, listing: Listing, by: ThreadId, thread: ThreadId) -> Monitor {
        Monitor {
            id: self.id,
            name: self.name.clone(),
            model: self.model.clone(),
            run: self.run.fork(listing),
            sources: self.sources.iter().map(|s| s.fork(by, thread)).collect(),
            calls: self.calls.clone(),
            was_armed: self.was_armed,
            is_inside: self.is_inside,
            tuned: self.tuned,
            tunes: self.tunes,
            others: Totals::default(),
        }
    }

    /// Keeps all its events armed, if nothing has happened yet. An engine that does not have to say after
    /// every event which ones matter now is several times as fast.
    pub(crate) fn stop_tuning(&mut self, options: Options) {
        if !self.tunes || self.run.events() > 0 {
            return;
        }
        let plan = self.run.evaluator.plan().clone();
        let options = Options { sensitive: false, ..options };
        self.run.begin_again(Engine::with_plan(plan, options));
        self.tunes = false;
        self.sources.iter_mut().for_each(|s| s.wanted = true);
    }

    /// Whether there is something to collect.
    #[inline]
    pub(crate) fn has_something_to_say(&self) -> bool {
        self.run.has_news() || self.run.evaluator.has_said()
    }

    /// How many places in the program events of a property come from.
    pub fn sites(&self, property: usize) -> usize {
        let alphabet = &self.model.properties[property].alphabet;
        let of = |s: &&Source| alphabet.iter().any(|o| o.event == s.event);
        let count = |s: &Source| s.sites.len() + usize::from(s.watched.is_prepared());
        self.sources.iter().filter(of).map(count).sum()
    }

    /// How many instances of a property there are now.
    pub fn instances(&self, property: usize) -> u64 {
        self.run.stats().map_or(0, |stats| stats[property].instances)
    }

    /// The counts so far, with the places that events come from.
    pub fn totals(&self) -> Totals {
        let mut totals = self.run.totals();
        let set = |(i, own): (usize, &mut PropertyTotals)| own.sites = Some(self.sites(i) as u64);
        totals.properties.iter_mut().enumerate().for_each(set);
        totals.merge(self.others.clone());
        totals
    }

    /// The addresses that instances have bound to what an argument of an event stands for.
    pub(crate) fn known_objects(&self, event: EventId, argument: usize) -> HashSet<u64> {
        let mut known = HashSet::new();
        for (i, property) in self.model.properties.iter().enumerate() {
            let observed = property.alphabet.iter().filter(|o| o.event == event);
            let placed: HashSet<_> = observed
                .flat_map(|o| o.placements.iter().flat_map(|p| p.0.iter()))
                .filter(|(_, at)| *at as usize == argument)
                .map(|(param, _)| *param)
                .collect();
            let params = self.model.params(property.context);
            let names: Vec<&str> = params
                .iter()
                .filter(|(id, _)| placed.contains(id))
                .map(|(_, p)| p.name.as_str())
                .collect();
            if names.is_empty() {
                continue;
            }
            for instance in self.run.evaluator.inspect(PropertyId::from_index(i)) {
                for (name, value) in &instance.binding {
                    if let (true, Value::Ptr(address)) = (names.contains(&&**name), value) {
                        known.insert(*address);
                    }
                }
            }
        }
        known
    }

    /// Whether any of its events comes from a native program.
    pub fn has_sources(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Sources that are armed nowhere.
    pub(crate) fn unarmed(&self) -> Vec<Unarmed> {
        let unarmed = |s: &Source| Unarmed {
            event: self.model.events[s.event.index()].name.clone(),
            source: s.describe(),
            function: s.declared.point.called().map(|name| name.text().to_string()),
        };
        self.sources.iter().filter(|s| s.is_missing()).map(unarmed).collect()
    }

    /// Tells about a source what was not told about it yet.
    pub(crate) fn warn_once(&mut self, source: usize, text: String) {
        let source = &mut self.sources[source];
        if source.unread.insert((usize::MAX, text.clone())) {
            let event = self.model.events[source.event.index()].name.clone();
            source.news.push(ArmNote::Warning { event, text });
        }
    }

    pub(crate) fn take_notes(&mut self) -> Vec<ArmNote> {
        self.sources.iter_mut().flat_map(|s| std::mem::take(&mut s.news)).collect()
    }
}
