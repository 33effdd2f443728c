//! Program and monitors as they were.

use std::path::PathBuf;
use std::time::Instant;

use watchword_debug::{CheckpointId, Error, ErrorKind, Restored, Result, ThreadId};

use super::Session;
use crate::program::Snapshot;

/// A checkpoint of program and monitors.
pub struct Saved {
    pub(super) id: CheckpointId,
    /// What it is called.
    pub label: Option<String>,
    /// Where the program was, in words.
    pub place: String,
    /// When it was made.
    pub made: Instant,
    /// The folder it is in and the bytes there, if it is on disk.
    pub on_disk: Option<(PathBuf, u64)>,
    /// The last one on the way to it.
    pub(super) base: Option<i64>,
    pub(super) thread: Option<ThreadId>,
    monitors: Snapshot,
    /// How many verdicts there were.
    log: usize,
}

/// What going back to a checkpoint did.
#[derive(Debug)]
pub struct Undone {
    /// What came of it.
    pub restored: Restored,
    /// How many verdicts belong to the run that was undone.
    pub verdicts: usize,
}

impl Session {
    /// The checkpoints, by number.
    pub fn checkpoints(&self) -> impl Iterator<Item = (i64, &Saved)> {
        self.saved.iter().map(|(n, s)| (*n, s))
    }

    /// Saves program and monitors.
    pub fn checkpoint(&mut self, label: Option<&str>) -> Result<i64> {
        let process = self.program.process();
        let thread = self.thread()?;
        self.held_all = true;
        let id = self.program.debugger.checkpoint(process)?;
        let pc = self.program.debugger.tracer_mut().registers(thread).map(|r| r.pc());
        let place = match pc {
            Ok(pc) => self.program.debugger.describe(process, pc),
            Err(_) => "an unknown place".into(),
        };
        let on_disk = self.program.debugger.tracer().checkpoint_place(id);
        let on_disk = on_disk.map(|(folder, bytes)| (folder.to_path_buf(), bytes));
        let saved = Saved {
            id,
            label: label.map(str::to_string),
            place,
            made: Instant::now(),
            on_disk,
            base: self.base,
            thread: Some(thread),
            monitors: self.program.snapshot(),
            log: self.log.len(),
        };
        let number = self.next_saved;
        self.next_saved += 1;
        self.saved.insert(number, saved);
        self.base = Some(number);
        self.way = None;
        Ok(number)
    }

    /// Goes back to a checkpoint, or to the last one. What cannot be restored truthfully is
    /// refused, with the reason, and nothing has changed then.
    pub fn restore(&mut self, number: Option<i64>) -> Result<(i64, Undone)> {
        let number = match number.or(self.saved.keys().next_back().copied()) {
            Some(number) => number,
            None => return Err(Error::new(ErrorKind::NotFound, "there is no checkpoint")),
        };
        let saved = self.saved.get(&number).ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("there is no checkpoint {number}"))
        })?;
        let (id, thread, log) = (saved.id, saved.thread, saved.log);
        self.forget_interrupted();
        self.held_all = true;
        let restored = self.program.debugger.restore(id)?;
        let snapshot = self.saved[&number].monitors.clone();
        self.program.go_back(&snapshot, thread)?;
        let mut verdicts = 0;
        for logged in self.log.iter_mut().skip(log).filter(|l| l.undone.is_none()) {
            logged.undone = Some(number);
            verdicts += 1;
        }
        self.base = Some(number);
        self.way = None;
        self.thread = thread.or(self.thread);
        self.frame = 0;
        self.skip = None;
        self.refresh_watches()?;
        Ok((number, Undone { restored, verdicts }))
    }

    /// Forgets a checkpoint.
    pub fn drop_checkpoint(&mut self, number: i64) -> Result<()> {
        let Some(saved) = self.saved.remove(&number) else {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("there is no checkpoint {number}"),
            ));
        };
        // Those after it, and the present, have the one before it on their way now.
        let later = self.saved.values_mut().map(|s| &mut s.base).chain([&mut self.base]);
        for base in later.filter(|base| **base == Some(number)) {
            *base = saved.base;
        }
        self.way = None;
        self.program.debugger.drop_checkpoint(saved.id)
    }

    /// What watchpoints hang on may have changed with the memory.
    fn refresh_watches(&mut self) -> Result<()> {
        let thread = self.thread()?;
        for point in self.points.values_mut() {
            let super::PointKind::Watch(access) = point.kind else { continue };
            let owner = match point.of_scenario {
                true => watchword_debug::Owner::Scenario(1),
                false => watchword_debug::Owner::Person,
            };
            if let Some(chain) = &mut point.chain {
                let method = watchword_debug::WatchMethod::Any;
                let manner = crate::watching::Manner { access, method, owner };
                chain.arm(&mut self.program.debugger, thread, manner)?;
            }
        }
        Ok(())
    }
}
