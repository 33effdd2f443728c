//! Monitors as they were at a checkpoint.

use std::collections::HashSet;

use watchword_debug::{Owner, Result, ThreadId};
use watchword_monitor::{Checkpoint, Engine};

use super::arming::manner;
use super::{Program, options};
use crate::monitor::{Monitor, MonitorId};
use crate::watching::Chain;

/// Monitors as they were.
#[derive(Clone)]
pub(crate) struct Snapshot {
    monitors: Vec<Kept>,
    told: HashSet<ThreadId>,
    recorded: Option<u64>,
}

#[derive(Clone)]
struct Kept {
    id: MonitorId,
    run: Checkpoint,
    chains: Vec<Vec<Chain>>,
}

impl Program {
    /// The monitors as they are.
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        let of = |m: &Monitor| Kept {
            id: m.id,
            run: m.run.checkpoint(),
            chains: m.sources.iter().map(|s| s.watched.chains.clone()).collect(),
        };
        Snapshot {
            monitors: self.monitors.iter().map(of).collect(),
            told: self.told.clone(),
            recorded: self.recorder.as_mut().map(|r| r.mark()),
        }
    }

    /// Puts the monitors back; those loaded since begin anew. All threads are stopped.
    pub(crate) fn go_back(&mut self, snapshot: &Snapshot, thread: Option<ThreadId>) -> Result<()> {
        let Some(thread) = thread.or(self.stopped_thread()) else { return Ok(()) };
        // Accesses that were under way begin again.
        self.accessing.clear();
        self.told = snapshot.told.clone();
        if let (Some(recorder), Some(mark)) = (&mut self.recorder, snapshot.recorded) {
            recorder.go_back(mark);
        }
        self.places.forget();
        for monitor in &mut self.monitors {
            let kept = snapshot.monitors.iter().find(|k| k.id == monitor.id);
            let owner = Owner::Monitor(monitor.id.0);
            match kept {
                Some(kept) => monitor.run.go_back(&kept.run),
                None => {
                    let plan = monitor.run.evaluator.plan().clone();
                    monitor.run.begin_again(Engine::with_plan(plan, options(&self.settings)));
                }
            }
            monitor.tuned = None;
            for (i, source) in monitor.sources.iter_mut().enumerate() {
                let chains = kept.and_then(|k| k.chains.get(i)).cloned();
                let manner = source.wanted.then(|| manner(source, owner));
                source.watched.replace(&mut self.debugger, thread, chains, manner)?;
            }
        }
        for m in 0..self.monitors.len() {
            self.tune(m, thread)?;
        }
        Ok(())
    }
}
