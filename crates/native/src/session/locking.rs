//! Which threads go on together.

use std::collections::HashSet;

use watchword_debug::{Result, ThreadId};

use super::stepping::Plan;
use super::{Freely, Front, Halt, Resumption, Session};

/// Whether the other threads stand while the person moves one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locking {
    /// All threads go on.
    #[default]
    Off,
    /// The others stand while one steps by lines or instructions; otherwise all go on.
    Step,
    /// Only the thread that is looked at goes on.
    On,
}

impl Locking {
    /// The one with this name.
    pub fn named(name: &str) -> Option<Locking> {
        [Locking::Off, Locking::Step, Locking::On].into_iter().find(|l| l.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Locking::Off => "off",
            Locking::Step => "step",
            Locking::On => "on",
        }
    }
}

impl Session {
    /// Whether the other threads stand while the person moves one.
    pub fn locking(&self) -> Locking {
        self.locking
    }

    /// Says whether the other threads are to stand while the person moves one.
    pub fn set_locking(&mut self, locking: Locking) {
        self.locking = locking;
    }

    /// The threads that go on with a plan for this thread; `None` for all.
    fn going(&self, plan: &Plan, thread: ThreadId) -> Option<HashSet<ThreadId>> {
        let is_locked = match self.locking {
            Locking::Off => false,
            Locking::Step => matches!(plan, Plan::Step(_)),
            Locking::On => true,
        };
        is_locked.then(|| HashSet::from([plan.thread().unwrap_or(thread)]))
    }

    /// Carries out a plan while threads stand that are not to go on.
    pub(super) fn carry_out_locked(
        &mut self,
        plan: Result<Plan>,
        thread: ThreadId,
        front: &mut dyn Front,
    ) -> Result<Halt> {
        let Some(only) = plan.as_ref().ok().and_then(|p| self.going(p, thread)) else {
            return self.carry_out(plan, front);
        };
        self.program.debugger.tracer_mut().confine(Some(only));
        let halt = self.carry_out(plan, front);
        self.program.debugger.tracer_mut().confine(None);
        // Whoever interrupts looks at the thread that went on, not at one that stood.
        if matches!(halt, Ok(Halt::Interrupted))
            && self.program.debugger.tracer().is_stopped(thread)
        {
            self.thread = Some(thread);
        }
        halt
    }

    /// Lets only these threads go on until something happens.
    pub fn go_only(&mut self, threads: Vec<ThreadId>, front: &mut dyn Front) -> Result<Halt> {
        self.resume(&Resumption { step: None, freely: Freely::Only(threads) }, front)
    }
}
