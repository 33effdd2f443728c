//! Tells pages what the engine of a run does, where there is no session: for a log, for a JVM.

use std::sync::Arc;
use std::time::{Duration, Instant};

use watchword_live::Live;
use watchword_model::{Model, PropertyId};
use watchword_monitor::{Engine, Instance, Merged, merge_moves};
use watchword_session::{Client, Happening, MOST_TOLD, Moved, Slices, Verdict};
use watchword_view::{Violation, text};

use crate::output::findings::Findings;
use crate::output::style::harmless;

/// The properties of a run are one file to pages.
const MONITOR: u32 = 1;
/// As many of the last moves are told one by one; pages do not show more of them as tokens.
const ONE_BY_ONE: usize = 40;
/// How often instances are listed anew, with their variables and without those that are gone.
const LISTED_EVERY: Duration = Duration::from_secs(1);

/// Tells pages what a run does.
pub struct Teller {
    live: Live,
    model: Arc<Model>,
    /// Whether the engine describes its moves.
    is_told: Option<bool>,
    /// How many violations and printed lines were told.
    violations: usize,
    printed: usize,
    listed: Instant,
    /// Something has moved since instances were listed.
    has_moved: bool,
}

impl Teller {
    pub(super) fn new(mut live: Live, name: &str, model: &Arc<Model>) -> Teller {
        live.name(&harmless(name));
        let names = model.properties.iter().map(|p| p.name.clone()).collect();
        let model = model.clone();
        live.happened(&Happening::Loaded {
            monitor: MONITOR,
            properties: names,
            model: model.clone(),
            text: String::new(),
        });
        live.happened(&Happening::Running);
        Teller {
            live,
            model,
            is_told: None,
            violations: 0,
            printed: 0,
            listed: Instant::now(),
            has_moved: false,
        }
    }

    /// Tells what an engine that was made to tell moves has done. While no page is open, it does not
    /// describe them.
    pub fn tell(&mut self, engine: &mut Engine, events: u64) {
        let is_watched = self.live.is_watched();
        let is_new = self.is_told.replace(is_watched) != Some(is_watched);
        if is_new {
            engine.tell_moves(is_watched);
        }
        let moves = engine.take_moves();
        if !is_watched {
            return;
        }
        self.moves(merge_moves(moves, ONE_BY_ONE), events);
        if is_new || self.is_list_due() {
            self.list_all(engine);
        }
    }

    /// Moves, in order; and how many events there were until then.
    pub fn moves(&mut self, moves: Vec<Merged>, events: u64) {
        if moves.is_empty() {
            return;
        }
        self.has_moved = true;
        for (times, step) in moves {
            let moved = Moved::of(MONITOR, &self.model, &step);
            match times {
                1 => self.live.happened(&Happening::Moved(moved)),
                _ => self.live.merged(&moved, times),
            }
        }
        self.live.progress(&text::counted(events, "event"));
    }

    fn is_list_due(&self) -> bool {
        self.has_moved && self.listed.elapsed() >= LISTED_EVERY
    }

    fn list_all(&mut self, engine: &Engine) {
        for (number, stats) in engine.stats().iter().enumerate() {
            let property = PropertyId::from_index(number);
            if stats.instances <= MOST_TOLD as u64 {
                self.list(property, &engine.inspect(property));
            } else {
                self.count(property, stats.instances);
            }
        }
        self.listed = Instant::now();
        self.has_moved = false;
    }

    /// All instances of a property.
    pub fn list(&mut self, property: PropertyId, instances: &[Instance]) {
        let property = &self.model.properties[property.index()];
        self.live.happened(&Happening::Slices(Slices::of(MONITOR, property, instances)));
    }

    /// How many instances of a property there are.
    pub fn count(&mut self, property: PropertyId, instances: u64) {
        self.live.count(MONITOR, &self.model.properties[property.index()].name, instances);
    }

    /// Tells violations and printed lines that were not told yet.
    pub fn findings(&mut self, findings: &Findings) {
        for violation in &findings.violations[self.violations..] {
            let verdict = self.verdict(violation);
            self.live.happened(&Happening::Verdict(Box::new(verdict)));
        }
        for line in &findings.printed[self.printed..] {
            self.live.happened(&Happening::Said { text: harmless(line) });
        }
        (self.violations, self.printed) = (findings.violations.len(), findings.printed.len());
    }

    fn verdict(&self, violation: &Violation) -> Verdict {
        let place = violation.location.as_deref();
        let backtrace = violation.stack.iter().map(text::location).collect();
        Verdict { backtrace, ..Verdict::of(MONITOR, &self.model, &violation.report, place) }
    }

    /// The run is over.
    pub fn end(&mut self, text: String) {
        self.live.happened(&Happening::Exited { code: None, signal: None, text });
    }
}
