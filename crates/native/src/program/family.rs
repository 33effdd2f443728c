//! The processes of a program: the one that was started and, if that is wanted, its children.
//!
//! Addresses, descriptors and locks mean something in one process only, so every process has
//! monitors of its own. A forked child begins with a copy of its parent's monitors, as it begins with
//! a copy of its memory; a program that a child executes begins afresh. What they find is listed
//! together.

use std::collections::HashMap;

use watchword_debug::{PointId, ProcessId, Result, ThreadId};

use super::{Program, Stopped, options};
use crate::location::Places;
use crate::monitor::Monitor;

/// A watched process whose turn it is not.
pub(super) struct Relative {
    process: ProcessId,
    monitors: Vec<Monitor>,
    places: Places,
    start: Option<PointId>,
    lineage: Lineage,
}

/// How a process came about.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    /// It is a copy of its parent and has executed no program since: what it leaves undone may be
    /// its parent's business.
    is_copy: bool,
    /// For the first thread of a forked process: the thread that it is a copy of.
    copied: HashMap<ThreadId, u64>,
}

impl Relative {
    pub(super) fn monitors(&mut self) -> &mut [Monitor] {
        &mut self.monitors
    }
}

impl Program {
    /// Whether the process whose turn it is was there first.
    pub(super) fn is_first(&self) -> bool {
        self.process == self.first
    }

    /// Makes it the turn of a process; false if it is not watched.
    pub(super) fn turn_to(&mut self, process: ProcessId) -> bool {
        if self.process == process {
            return true;
        }
        let Some(relative) = self.relatives.iter_mut().find(|r| r.process == process) else {
            return false;
        };
        std::mem::swap(&mut self.process, &mut relative.process);
        std::mem::swap(&mut self.monitors, &mut relative.monitors);
        std::mem::swap(&mut self.places, &mut relative.places);
        std::mem::swap(&mut self.start, &mut relative.start);
        std::mem::swap(&mut self.lineage, &mut relative.lineage);
        for (own, other) in self.monitors.iter_mut().zip(&mut relative.monitors) {
            own.run.swap_findings(&mut other.run);
        }
        true
    }

    /// Makes it the turn of the process that was there first.
    pub(super) fn turn_home(&mut self) {
        self.turn_to(self.first);
    }

    /// The processes that are watched.
    pub(super) fn processes(&self) -> Vec<ProcessId> {
        let others = self.relatives.iter().map(|r| r.process);
        std::iter::once(self.process).chain(others).collect()
    }

    /// The monitors of the processes whose turn it is not.
    pub(super) fn monitors_of_others(&mut self) -> impl Iterator<Item = &mut Monitor> {
        self.relatives.iter_mut().flat_map(Relative::monitors)
    }

    /// How many child processes were watched, too.
    pub fn children_watched(&self) -> u64 {
        self.children
    }

    /// What a thread is called in events. The copy of a thread goes on with what the thread began:
    /// it holds its locks.
    pub(super) fn name_of_thread(&self, thread: ThreadId) -> u64 {
        let copied = &self.lineage.copied;
        let of_parent = if copied.is_empty() { None } else { copied.get(&thread).copied() };
        of_parent.unwrap_or(thread.raw() as u64)
    }

    /// A watched process was forked; this is the child.
    pub(super) fn adopt_copy(&mut self, parent: ProcessId, by: ThreadId, child: ProcessId) {
        self.children += 1;
        if !self.turn_to(parent) {
            return self.add(child, Vec::new(), Lineage::default());
        }
        let (thread, listing) = (child.main_thread(), &self.settings.listing);
        let copy = |m: &Monitor| m.fork(listing.clone(), by, thread);
        let monitors = self.monitors.iter().map(copy).collect();
        let copied = HashMap::from([(thread, self.name_of_thread(by))]);
        self.add(child, monitors, Lineage { is_copy: true, copied });
    }

    /// A child that shared the memory of its parent until now executes a program.
    pub(super) fn adopt_new(&mut self, child: ProcessId) {
        self.children += 1;
        let monitors = self.fresh_monitors();
        self.add(child, monitors, Lineage::default());
    }

    fn add(&mut self, process: ProcessId, monitors: Vec<Monitor>, lineage: Lineage) {
        let (places, start) = (Places::default(), None);
        self.relatives.push(Relative { process, monitors, places, start, lineage });
    }

    fn fresh_monitors(&self) -> Vec<Monitor> {
        let listing = &self.settings.listing;
        let fresh = |m: &Monitor| {
            Monitor::new(m.id, &m.name, m.model.clone(), options(&self.settings), listing.clone())
        };
        self.monitors.iter().map(fresh).collect()
    }

    /// The child whose turn it is executes another program: nothing of the old one is left.
    pub(super) fn renew_child(&mut self, thread: ThreadId) -> Result<()> {
        let child = self.process;
        let fresh = self.fresh_monitors();
        self.turn_home();
        if let Some(relative) = self.relatives.iter_mut().find(|r| r.process == child) {
            let old = std::mem::replace(&mut relative.monitors, fresh);
            relative.lineage = Lineage::default();
            self.count_others(old);
        }
        self.turn_to(child);
        self.places.forget();
        self.arm_all(Some(thread))
    }

    /// The child whose turn it is has ended.
    pub(super) fn end_child(&mut self, stopped: &mut Stopped) {
        if !self.lineage.is_copy {
            self.tell_end(stopped);
        }
        let child = self.process;
        self.turn_home();
        if let Some(at) = self.relatives.iter().position(|r| r.process == child) {
            let gone = self.relatives.swap_remove(at);
            self.count_others(gone.monitors);
        }
    }

    /// Adds the counts of monitors that watch nothing any more. What they found is listed already.
    fn count_others(&mut self, gone: Vec<Monitor>) {
        for (own, mut other) in self.monitors.iter_mut().zip(gone) {
            own.was_armed |= other.was_armed;
            own.others.merge(other.totals());
            let news = other.take_notes();
            self.notes.extend(news);
        }
    }
}
