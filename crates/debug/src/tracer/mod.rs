//! The tracer: threads of other processes, stopped and continued one by one.

mod events;
mod inject;
mod inside;
mod interrupt;
mod launch;
mod linker;
mod patience;
mod retrace;
mod returning;
mod returns;
mod sleep;
mod stop;
mod thread;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::time::{Duration, Instant};

use libc::{c_int, pid_t};

use crate::checkpoint::Checkpoints;
use crate::displace::{self, Displaced};
use crate::error::{Error, ErrorKind, Result};
use crate::extended::ExtendedState;
use crate::maps::{self, Mapping};
use crate::point::{Owner, Point, PointId, When};
use crate::proc;
use crate::registers::Registers;
use crate::space::{AREA_SIZE, Area, REACH, Space};
use crate::sys;
use crate::watch::Watches;

pub(crate) use inject::Passed;
pub(crate) use inside::Inside;
pub use inside::Recorded;
pub use interrupt::Interrupter;
pub use launch::Launch;
pub use retrace::Footstep;
pub(crate) use returning::Returns;
pub use stop::{ExitStatus, Reason, Stop};
pub use thread::{ProcessId, ThreadId};

use patience::Patience;

use events::is_caught;
pub(crate) use events::thread_group;
pub(crate) use launch::tasks;
pub(crate) use thread::{Held, Pending, Restrictions, Role, Shadow, State, Thread};

/// What happens to child processes the program forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Follow {
    /// Children run untraced, with no trace of breakpoints in them.
    #[default]
    Parent,
    /// Children are traced too; they start with copies of the parent's points.
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Launched,
    Attached,
}

/// Traces processes. Lives on the thread that made it (the kernel ties tracees to that thread),
/// one at a time per thread; that thread should have no other children.
///
/// Dropping it ends the programs it launched and lets go, cleanly, of those it attached to.
pub struct Tracer {
    pub(crate) spaces: HashMap<pid_t, Space>,
    pub(crate) watches: HashMap<pid_t, Watches>,
    pub(crate) threads: HashMap<pid_t, Thread>,
    pub(crate) origins: HashMap<pid_t, Origin>,
    /// How many threads each process has had.
    numbered: HashMap<pid_t, u32>,
    /// Stops seen and not reported yet; their threads are held.
    pub(crate) queue: VecDeque<Stop>,
    /// Wait results to look at before asking the kernel for more.
    pub(crate) deferred: VecDeque<(pid_t, c_int)>,
    /// First stops of children whose birth was not reported yet.
    early: HashMap<pid_t, c_int>,
    /// Checkpoint images: never run, not part of the program.
    pub(crate) images: HashSet<pid_t>,
    pub(crate) checkpoints: Checkpoints,
    follow: Follow,
    /// How many child processes were let go.
    let_go: u64,
    /// System calls made with the protection of watched pages lifted while other threads ran.
    pub(crate) unseen: u64,
    told_signals: u64,
    /// See [`Tracer::watch_signal`].
    watched_signals: u64,
    pub(crate) thread_events: bool,
    /// Threads that are not to go on, and whose stops are not reported.
    confined: Option<HashSet<pid_t>>,
    /// New threads are to be held, because all threads are being stopped.
    stopping: bool,
    /// Records of trampolines that were collected and not reported yet.
    recorded: Vec<Recorded>,
    next_point: u32,
    next_call: u64,
    /// See [`Tracer::take_unseen_returns`].
    unseen_returns: BTreeMap<PointId, String>,
    waker: Option<Interrupter>,
    sleeper: sleep::Sleeper,
    patience: Patience,
    /// For waits until one thread has done what it was made to do.
    patience_with_one: Patience,
    /// How often a thread was let go.
    releases: u64,
    not_send: PhantomData<*const ()>,
}

impl Tracer {
    /// A tracer with no process yet.
    pub fn new() -> Tracer {
        Tracer {
            spaces: HashMap::new(),
            watches: HashMap::new(),
            threads: HashMap::new(),
            origins: HashMap::new(),
            numbered: HashMap::new(),
            queue: VecDeque::new(),
            deferred: VecDeque::new(),
            early: HashMap::new(),
            images: HashSet::new(),
            checkpoints: Checkpoints::default(),
            follow: Follow::default(),
            let_go: 0,
            unseen: 0,
            told_signals: 0,
            watched_signals: 0,
            thread_events: false,
            confined: None,
            stopping: false,
            recorded: Vec::new(),
            next_point: 1,
            next_call: 1,
            unseen_returns: BTreeMap::new(),
            waker: None,
            sleeper: sleep::Sleeper::default(),
            patience: Patience::default(),
            patience_with_one: Patience::for_steps(),
            releases: 0,
            not_send: PhantomData,
        }
    }

    /// Chooses what happens to children the program forks from now on.
    pub fn follow(&mut self, follow: Follow) {
        self.follow = follow;
    }

    /// How many system calls were made with the protection of watched pages lifted while other
    /// threads ran, whose accesses meanwhile were not seen.
    pub fn calls_unseen(&self) -> u64 {
        self.unseen
    }

    /// How many children of the program ran untraced.
    pub fn children_let_go(&self) -> u64 {
        self.let_go
    }

    /// Asks for a stop before this signal is delivered. By default signals just pass.
    pub fn tell_signal(&mut self, signal: i32) {
        self.told_signals |= signal_bit(signal);
    }

    /// Stops at this signal for monitors, before it is delivered: [`Tracer::pass_signal`] does not
    /// change that.
    pub fn watch_signal(&mut self, signal: i32) {
        self.watched_signals |= signal_bit(signal);
    }

    /// Whether a caller asked by [`Tracer::tell_signal`] for a stop at this signal.
    pub fn is_signal_told(&self, signal: i32) -> bool {
        self.told_signals & signal_bit(signal) != 0
    }

    /// Lets this signal pass without a stop.
    pub fn pass_signal(&mut self, signal: i32) {
        self.told_signals &= !signal_bit(signal);
    }

    /// Asks for a stop when threads begin and end.
    pub fn tell_threads(&mut self, yes: bool) {
        self.thread_events = yes;
    }

    /// The traced processes.
    pub fn processes(&self) -> Vec<ProcessId> {
        let mut all: Vec<ProcessId> = self.spaces.keys().map(|p| ProcessId(*p)).collect();
        all.sort();
        all
    }

    /// The threads of a process.
    pub fn threads(&self, process: ProcessId) -> Vec<ThreadId> {
        let mut all: Vec<ThreadId> = self
            .threads
            .iter()
            .filter(|(_, t)| t.pid == process.0 && t.role == Role::Member)
            .map(|(tid, _)| ThreadId(*tid))
            .collect();
        all.sort();
        all
    }

    /// The number of a thread among those its process has had, from one on. It is nobody else's
    /// later.
    pub fn thread_number(&self, thread: ThreadId) -> Option<u32> {
        self.threads.get(&thread.0).map(|t| t.number)
    }

    /// A thread of a process begins to be traced.
    pub(crate) fn enter(&mut self, tid: pid_t, mut thread: Thread) {
        let count = self.numbered.entry(thread.pid).or_default();
        *count += 1;
        thread.number = *count;
        self.threads.insert(tid, thread);
    }

    /// Whether the thread is held by the tracer.
    pub fn is_stopped(&self, thread: ThreadId) -> bool {
        self.threads.get(&thread.0).is_some_and(|t| t.state == State::Stopped)
    }

    /// The process a thread belongs to.
    pub fn process_of(&self, thread: ThreadId) -> Result<ProcessId> {
        self.thread(thread.0).map(|t| ProcessId(t.pid))
    }

    pub(crate) fn thread(&self, tid: pid_t) -> Result<&Thread> {
        self.threads.get(&tid).ok_or_else(|| no_thread(tid))
    }

    pub(crate) fn thread_mut(&mut self, tid: pid_t) -> Result<&mut Thread> {
        self.threads.get_mut(&tid).ok_or_else(|| no_thread(tid))
    }

    pub(crate) fn space(&self, pid: pid_t) -> Result<&Space> {
        self.spaces.get(&pid).ok_or_else(|| no_process(pid))
    }

    pub(crate) fn space_mut(&mut self, pid: pid_t) -> Result<&mut Space> {
        self.spaces.get_mut(&pid).ok_or_else(|| no_process(pid))
    }

    // ---- waiting and going on ------------------------------------------------------------

    /// Waits for the next stop. What no caller asked for (signals that pass, threads
    /// that begin, breakpoints passed by borrowers …) is dealt with silently.
    ///
    /// Only the thread in the answer is held. Fails with [`ErrorKind::Gone`] when there is no
    /// process left to wait for.
    pub fn wait(&mut self) -> Result<Stop> {
        loop {
            if let Some(stop) = self.next_known()? {
                return Ok(stop);
            }
            self.pump(None)?;
        }
    }

    /// As [`Tracer::wait`], but not longer than this: `None` when nothing has happened until then.
    pub fn wait_until(&mut self, end: Instant) -> Result<Option<Stop>> {
        loop {
            if let Some(stop) = self.poll()? {
                return Ok(Some(stop));
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            self.pump(Some(end))?;
        }
    }

    /// As [`Tracer::wait`], but does not block: `None` when nothing has happened yet.
    pub fn poll(&mut self) -> Result<Option<Stop>> {
        loop {
            if let Some(stop) = self.next_known()? {
                return Ok(Some(stop));
            }
            let Some((tid, status)) = self.next_status()? else { return Ok(None) };
            self.on_status(tid, status)?;
        }
    }

    /// A stop that needs no waiting: a caller interrupted, or it was seen already.
    fn next_known(&mut self) -> Result<Option<Stop>> {
        if !self.threads.is_empty() && self.waker.as_ref().is_some_and(|w| w.take()) {
            return self.interrupted().map(Some);
        }
        if let Some(stop) = self.next_records() {
            return Ok(Some(stop));
        }
        if let Some(stop) = self.next_queued() {
            return Ok(Some(stop));
        }
        if self.threads.is_empty() {
            return Err(Error::new(ErrorKind::Gone, "no process left to wait for"));
        }
        Ok(None)
    }

    /// Says whether [`Interrupter::interrupt_if_heeded`] is to stop the program from now on.
    pub fn heed_interrupts(&self, yes: bool) {
        if let Some(waker) = &self.waker {
            waker.heed(yes);
        }
    }

    /// From now on only these threads go on with [`Tracer::resume_all`], and only their stops are
    /// told, besides those of threads that begin later and the end of a process. `None`: all
    /// threads again; stops that were kept are reported then.
    pub fn confine(&mut self, only: Option<HashSet<ThreadId>>) {
        // A thread counts as excluded, not as included, so that new ones run.
        self.confined = only.map(|only| {
            self.threads.keys().copied().filter(|tid| !only.contains(&ThreadId(*tid))).collect()
        });
    }

    fn is_excluded(&self, tid: pid_t) -> bool {
        self.confined.as_ref().is_some_and(|excluded| excluded.contains(&tid))
    }

    /// The first stop in the queue that may be reported.
    fn take_queued(&mut self) -> Option<Stop> {
        let told =
            |s: &Stop| !self.is_excluded(s.thread.0) || matches!(s.reason, Reason::Exited(_));
        let at = self.queue.iter().position(told)?;
        self.queue.remove(at)
    }

    fn next_queued(&mut self) -> Option<Stop> {
        while let Some(mut stop) = self.take_queued() {
            // Points may have been disarmed while the stop was waiting to be reported.
            if let Reason::Points { hits, .. } = &mut stop.reason {
                if let Some(space) = self.spaces.get(&stop.process.0) {
                    hits.retain(|h| space.points.contains_key(&h.point));
                }
                if hits.is_empty() {
                    if self.is_stopped(stop.thread) {
                        // A failure here means the thread is gone; its exit will be reported.
                        let _ = self.go(stop.thread.0);
                    }
                    continue;
                }
            }
            if let Reason::Watch { hits } = &mut stop.reason {
                let watches = self.watches.get(&stop.process.0);
                hits.retain(|h| watches.is_some_and(|w| w.contains(h.point)));
                if hits.is_empty() {
                    if self.is_stopped(stop.thread) {
                        let _ = self.go(stop.thread.0);
                    }
                    continue;
                }
            }
            return Some(stop);
        }
        None
    }

    fn interrupted(&mut self) -> Result<Stop> {
        self.stop_all()?;
        let mut tids: Vec<pid_t> = self.threads.keys().copied().collect();
        tids.sort_unstable();
        let queued: HashSet<pid_t> = self.queue.iter().map(|s| s.thread.0).collect();
        let tid = tids
            .iter()
            .copied()
            .find(|t| !queued.contains(t) && self.is_stopped(ThreadId(*t)))
            .or(tids.first().copied());
        match tid {
            Some(tid) => Ok(Stop {
                thread: ThreadId(tid),
                process: ProcessId(self.thread(tid)?.pid),
                reason: Reason::Interrupted,
            }),
            None => self.wait(),
        }
    }

    /// A handle with which any thread can make [`Tracer::wait`] return.
    pub fn interrupter(&mut self) -> Result<Interrupter> {
        if self.waker.is_none() {
            self.waker = Some(Interrupter::for_this_thread()?);
        }
        self.waker
            .clone()
            .ok_or_else(|| Error::new(ErrorKind::Unsupported, "no way to interrupt waiting"))
    }

    /// Lets a handle of another tracer of this thread interrupt this one from now on.
    pub fn set_interrupter(&mut self, interrupter: Interrupter) {
        self.waker = Some(interrupter);
    }

    /// What a thread has done, if it is known already or the kernel knows it.
    pub(crate) fn next_status(&mut self) -> Result<Option<(pid_t, c_int)>> {
        if let Some(status) = self.deferred.pop_front() {
            return Ok(Some(status));
        }
        self.note_childless(sys::wait_any(libc::WNOHANG))
    }

    /// Waits until a thread has done something, a caller interrupts, or a time has come; only
    /// in the first case there is an answer.
    fn await_status(&mut self, end: Option<Instant>) -> Result<Option<(pid_t, c_int)>> {
        if let Some(status) = self.deferred.pop_front() {
            return Ok(Some(status));
        }
        let Tracer { patience, sleeper, waker, .. } = self;
        let is_wanted = || waker.as_ref().is_some_and(|w| w.is_set());
        let status = patience.wait(|sleep| match sleep {
            true => sleeper.wait(-1, libc::__WNOTHREAD, end, is_wanted),
            false => sys::wait_any(libc::WNOHANG),
        });
        self.note_childless(status)
    }

    /// As [`Tracer::await_status`], for an answer that is needed even if a caller interrupts.
    fn await_answer(&mut self, end: Option<Instant>) -> Result<Option<(pid_t, c_int)>> {
        if let Some(status) = self.deferred.pop_front() {
            return Ok(Some(status));
        }
        let status = self.sleeper.wait(-1, libc::__WNOTHREAD, end, || false);
        self.sleeper.rest()?;
        self.note_childless(status)
    }

    fn note_childless(
        &mut self,
        result: std::io::Result<Option<(pid_t, c_int)>>,
    ) -> Result<Option<(pid_t, c_int)>> {
        match result {
            Ok(status) => Ok(status),
            Err(e) if e.raw_os_error() == Some(libc::EINTR) => Ok(None),
            Err(e) if e.raw_os_error() == Some(libc::ECHILD) => {
                self.threads.clear();
                Ok(None)
            }
            Err(e) => Err(Error::system("waiting for the program failed", e)),
        }
    }

    fn pump(&mut self, end: Option<Instant>) -> Result<()> {
        if self.pump_inside(end)? {
            return Ok(());
        }
        if let Some((tid, status)) = self.await_status(end)? {
            self.on_status(tid, status)?;
        }
        Ok(())
    }

    /// Lets a stopped thread go on; a signal it stopped for is delivered.
    pub fn resume(&mut self, thread: ThreadId) -> Result<()> {
        self.require_stopped(thread.0)?;
        self.go(thread.0)
    }

    /// Lets a stopped thread go on without the signal it stopped for.
    pub fn resume_without_signal(&mut self, thread: ThreadId) -> Result<()> {
        self.require_stopped(thread.0)?;
        self.thread_mut(thread.0)?.signal = None;
        self.go(thread.0)
    }

    /// Forgets the signal a stopped thread was about to get.
    pub fn forget_signal(&mut self, thread: ThreadId) -> Result<()> {
        self.thread_mut(thread.0)?.signal = None;
        Ok(())
    }

    /// Makes a stopped thread get this signal when it goes on, instead of one it was about to get. If
    /// it was about to get none, the signal is sent to it like any other: if such signals are reported,
    /// this one is, too.
    pub fn deliver(&mut self, thread: ThreadId, signal: i32) -> Result<()> {
        self.require_stopped(thread.0)?;
        let t = self.thread_mut(thread.0)?;
        let pid = t.pid;
        match &mut t.signal {
            Some(held) if held.signal == signal => Ok(()),
            Some(held) => {
                held.signal = signal;
                held.info.si_signo = signal;
                held.moved = true;
                Ok(())
            }
            None => ignore_gone(
                sys::thread_kill(pid, thread.0, signal),
                "cannot send a signal to a thread",
            ),
        }
    }

    /// The point at which a stopped thread stands and which was reported: it is not met again when the thread
    /// goes on.
    pub fn told_point(&self, thread: ThreadId) -> Option<u64> {
        self.threads.get(&thread.0)?.at_point
    }

    /// Whether a stop of the thread is still to be reported.
    pub fn has_untold(&self, thread: ThreadId) -> bool {
        self.queue.iter().any(|s| s.thread == thread)
    }

    /// Lets the thread execute one instruction; the stop is reported by [`Tracer::wait`].
    pub fn step(&mut self, thread: ThreadId) -> Result<()> {
        self.require_stopped(thread.0)?;
        let before = self.registers(thread)?.pc();
        if self.thread(thread.0)?.at_protected {
            self.pass_protected(thread.0)?;
            let process = ProcessId(self.thread(thread.0)?.pid);
            self.queue.push_back(Stop { thread, process, reason: Reason::Step });
            return Ok(());
        }
        self.thread_mut(thread.0)?.stepping = true;
        let emulated = self.leave_point(thread.0)? && {
            let pc = self.registers(thread)?.pc();
            pc != before && self.space(self.thread(thread.0)?.pid)?.copy_at(pc).is_none()
        };
        if emulated {
            let t = self.thread_mut(thread.0)?;
            t.stepping = false;
            let process = ProcessId(t.pid);
            self.queue.push_back(Stop { thread, process, reason: Reason::Step });
            return Ok(());
        }
        self.release(thread.0)
    }

    /// Lets every held thread go on, except those with a stop still to be reported.
    pub fn resume_all(&mut self) -> Result<()> {
        self.stopping = false;
        // A thread that waits for its vfork child could not be stopped, and need not be any more.
        for t in self.threads.values_mut().filter(|t| t.in_vfork) {
            t.want_stop = false;
        }
        let queued: HashSet<pid_t> = self.queue.iter().map(|s| s.thread.0).collect();
        let held: Vec<pid_t> = self
            .threads
            .iter()
            .filter(|(tid, t)| t.state == State::Stopped && !queued.contains(tid))
            .map(|(tid, _)| *tid)
            .filter(|tid| !self.is_excluded(*tid))
            .collect();
        for tid in held {
            self.go(tid)?;
        }
        Ok(())
    }

    /// Stops every thread. Events that happen meanwhile are kept and told by [`Tracer::wait`].
    pub fn stop_all(&mut self) -> Result<()> {
        let tids: Vec<pid_t> = self.threads.keys().copied().collect();
        self.stop_threads(&tids)
    }

    /// Stops all threads of one process.
    pub fn stop_process(&mut self, process: ProcessId) -> Result<()> {
        let tids: Vec<pid_t> =
            self.threads.iter().filter(|(_, t)| t.pid == process.0).map(|(tid, _)| *tid).collect();
        self.stop_threads(&tids)
    }

    fn stop_threads(&mut self, tids: &[pid_t]) -> Result<()> {
        let before = std::mem::replace(&mut self.stopping, true);
        for &tid in tids {
            self.request_stop(tid);
        }
        let result = self.collect_wanted();
        self.stopping = before;
        result
    }

    /// Pumps until every thread that was asked to stop has stopped or ended.
    fn collect_wanted(&mut self) -> Result<()> {
        /// A first thread that called pthread_exit meanwhile never answers, and nothing tells that it
        /// has: as long it is waited for before that is looked at.
        const PATIENCE: Duration = Duration::from_millis(10);
        const ASKED: u32 = 64;
        let mut idle = 0;
        while self.threads.values().any(|t| t.want_stop && !t.in_vfork) {
            if let Some((tid, status)) = self.next_status()? {
                idle = 0;
                self.on_status(tid, status)?;
                continue;
            }
            idle += 1;
            if idle < ASKED {
                std::thread::yield_now();
                continue;
            }
            match self.await_answer(Some(Instant::now() + PATIENCE))? {
                Some((tid, status)) => {
                    idle = 0;
                    self.on_status(tid, status)?;
                }
                None => {
                    for (tid, t) in &mut self.threads {
                        if t.want_stop && *tid == t.pid && is_zombie(*tid) {
                            t.want_stop = false;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Sends the request; the stop itself comes through [`Tracer::on_status`].
    fn request_stop(&mut self, tid: pid_t) {
        let Some(t) = self.threads.get_mut(&tid) else { return };
        if t.state == State::Stopped || t.want_stop {
            return;
        }
        // A leader that has called pthread_exit stays a zombie and never stops.
        if tid == t.pid && is_zombie(tid) {
            return;
        }
        t.want_stop = true;
        if !t.interrupt_sent {
            t.interrupt_sent = true;
            if sys::interrupt(tid).is_err() {
                t.want_stop = false;
            }
        }
    }

    /// Some stopped thread of the process, stopping one if all run. Job-control-stopped threads
    /// are the last choice: system calls made through them disturb their stop.
    pub(crate) fn any_stopped(&mut self, pid: pid_t) -> Result<pid_t> {
        let pick = |tracer: &Tracer| {
            tracer
                .threads
                .iter()
                .filter(|(_, t)| t.pid == pid && t.state == State::Stopped)
                .min_by_key(|(tid, t)| (t.group_stop, t.role != Role::Member, **tid))
                .map(|(tid, _)| *tid)
        };
        if let Some(tid) = pick(self) {
            return Ok(tid);
        }
        let candidate = self
            .threads
            .iter()
            .filter(|(tid, t)| t.pid == pid && !t.in_vfork && !is_zombie(**tid))
            .map(|(tid, _)| *tid)
            .min()
            .ok_or_else(|| no_process(pid))?;
        self.request_stop(candidate);
        self.collect_wanted()?;
        pick(self).ok_or_else(|| no_process(pid))
    }

    pub(crate) fn require_stopped(&self, tid: pid_t) -> Result<()> {
        if self.thread(tid)?.state == State::Stopped {
            Ok(())
        } else {
            Err(Error::new(ErrorKind::Running, format!("thread {tid} is running")))
        }
    }

    /// If the thread stands on a breakpoint that was reported, puts it past the `int3`: into the
    /// copy, or beyond an instruction the tracer carries out itself.
    fn leave_point(&mut self, tid: pid_t) -> Result<bool> {
        let t = self.thread_mut(tid)?;
        let Some(address) = t.at_point.take() else { return Ok(false) };
        let pid = t.pid;
        let mut registers = match t.registers {
            Some(r) if r.pc() == address => r,
            _ => return Ok(false),
        };
        let space = self.space_mut(pid)?;
        let Some(site) = space.sites.get(&address) else { return Ok(false) };
        match &site.displaced {
            Displaced::Copy(copy) => registers.set_pc(copy.at),
            Displaced::Skip { next } => registers.set_pc(*next),
            Displaced::Call { next, instruction } => {
                let next = *next;
                let target =
                    displace::call_target(instruction, &registers, |at| space.read_u64(at).ok())
                        .ok_or_else(|| {
                            Error::new(
                                ErrorKind::Memory,
                                format!("the call at {address:#x} goes through unreadable memory"),
                            )
                        })?;
                let sp = registers.sp().wrapping_sub(8);
                space.write(sp, &next.to_le_bytes())?;
                registers.set_sp(sp);
                registers.set_pc(target);
            }
        }
        let t = self.thread_mut(tid)?;
        t.registers = Some(registers);
        t.registers_changed = true;
        Ok(true)
    }

    /// Lets the thread run, over the breakpoint it stands on if that was reported.
    pub(crate) fn go(&mut self, tid: pid_t) -> Result<()> {
        self.pass_protected(tid)?;
        if let Some(reason) = self.thread_mut(tid)?.untold.pop_front() {
            return self.tell(tid, reason);
        }
        self.leave_point(tid)?;
        self.release(tid)
    }

    /// Hands the thread back to the kernel as it is.
    fn release(&mut self, tid: pid_t) -> Result<()> {
        let t = self.thread(tid)?;
        let syscalls = self.watches.get(&t.pid).is_some_and(|w| w.needs_syscall_stops());
        if syscalls && t.signal.is_some_and(|held| is_caught(tid, held.signal)) {
            match self.deliver_onto_pages(tid) {
                Ok(()) => {}
                Err(e) if e.is_gone() => return Ok(()),
                Err(e) => return Err(e),
            }
        }
        self.flush_debug_registers(tid);
        self.flush_registers(tid)?;
        let mut signal = self.take_signal(tid)?;
        let t = self.thread_mut(tid)?;
        t.want_stop = false;
        if let Some(again) = t.again.take() {
            if signal == 0 {
                t.redo = Some(again);
            } else {
                let wanted = t.want_stop;
                match self.deliver_with_return(tid, signal, again) {
                    Ok(()) => signal = 0,
                    Err(e) if e.is_gone() => return Ok(()),
                    Err(e) => return Err(e),
                }
                self.flush_registers(tid)?;
                self.thread_mut(tid)?.want_stop = wanted;
            }
        }
        let t = self.thread_mut(tid)?;
        t.state = State::Running;
        let result = if t.stepping {
            sys::single_step(tid, signal)
        } else if t.group_stop && signal == 0 {
            let listening = sys::listen(tid);
            match listening {
                // System calls were made through it, so its last stop is not that of job control any
                // more. Asked to stop, it meets that one again before it executes anything.
                Err(e) if e.raw_os_error() == Some(libc::EIO) => {
                    t.interrupt_sent = true;
                    sys::interrupt(tid).and_then(|()| sys::cont(tid, 0))
                }
                other => other,
            }
        } else if syscalls {
            sys::cont_syscall(tid, signal)
        } else {
            sys::cont(tid, signal)
        };
        // A thread killed while it was held refuses; its end is reported by the next wait.
        ignore_gone(result, "cannot continue a thread")
    }

    /// The signal the thread is to have when it goes on, or zero; the kernel knows its details.
    pub(crate) fn take_signal(&mut self, tid: pid_t) -> Result<i32> {
        let Some(held) = self.thread_mut(tid)?.signal.take() else { return Ok(0) };
        if held.moved {
            ignore_gone(sys::set_siginfo(tid, &held.info), "cannot pass on a signal")?;
        }
        Ok(held.signal)
    }

    /// What is to be done before a thread goes on.
    pub(crate) fn flush_registers(&mut self, tid: pid_t) -> Result<()> {
        self.releases += 1;
        let t = self.thread_mut(tid)?;
        if t.registers_changed
            && let Some(registers) = &t.registers
        {
            let result = match &t.fetched {
                // Most often only the program counter was moved.
                Some(old) if registers.differs_in_pc_only(old) => sys::set_pc(tid, registers.pc()),
                _ => sys::set_regs(tid, &registers.raw),
            };
            ignore_gone(result, "cannot set registers")?;
        }
        t.forget_registers();
        Ok(())
    }

    /// After a stop that no caller asked for: runs on, or stays held if that was asked.
    pub(crate) fn settle(&mut self, tid: pid_t) -> Result<()> {
        let t = self.thread_mut(tid)?;
        t.state = State::Stopped;
        if t.want_stop {
            t.want_stop = false;
            t.stepping = false;
            return Ok(());
        }
        self.go(tid)
    }

    /// Lets a thread go on that stopped inside a system call, where its registers are not yet its
    /// own. If it is to be held, an interrupt holds it at the end of the call. (The one that was
    /// sent may be lost: any stop swallows an interrupt that came before it.)
    pub(crate) fn leave_kernel(&mut self, tid: pid_t) -> Result<()> {
        let t = self.thread_mut(tid)?;
        if t.want_stop {
            t.interrupt_sent = sys::interrupt(tid).is_ok();
        }
        self.release_wanted(tid)
    }

    /// Lets the thread run on to the stop that a caller waits for.
    pub(crate) fn release_wanted(&mut self, tid: pid_t) -> Result<()> {
        let t = self.thread_mut(tid)?;
        let (wanted, stepping) = (t.want_stop, t.stepping);
        t.stepping = false;
        let result = self.release(tid);
        let t = self.thread_mut(tid)?;
        t.want_stop = wanted;
        t.stepping = stepping;
        result
    }

    /// Holds the thread and queues its stop.
    pub(crate) fn tell(&mut self, tid: pid_t, reason: Reason) -> Result<()> {
        let t = self.thread_mut(tid)?;
        t.state = State::Stopped;
        t.want_stop = false;
        t.stepping = false;
        let process = ProcessId(t.pid);
        self.queue.push_back(Stop { thread: ThreadId(tid), process, reason });
        Ok(())
    }

    // ---- registers and memory -----------------------------------------------------------

    /// The registers of a stopped thread. A program counter inside the tracer's scratch code is
    /// shown as the program address it stands for.
    pub fn registers(&mut self, thread: ThreadId) -> Result<Registers> {
        let mut registers = self.raw_registers(thread.0)?;
        let pid = self.thread(thread.0)?.pid;
        if let Ok(space) = self.space(pid) {
            registers.set_pc(space.logical_pc(registers.pc()));
        }
        Ok(registers)
    }

    pub(crate) fn raw_registers(&mut self, tid: pid_t) -> Result<Registers> {
        self.require_stopped(tid)?;
        self.fetch_registers(tid)
    }

    pub(crate) fn fetch_registers(&mut self, tid: pid_t) -> Result<Registers> {
        let t = self.thread_mut(tid)?;
        if let Some(r) = t.registers {
            return Ok(r);
        }
        let raw = sys::get_regs(tid)
            .map_err(|e| Error::system(format!("cannot read registers of thread {tid}"), e))?;
        let r = Registers { raw };
        t.registers = Some(r);
        t.fetched = Some(r);
        Ok(r)
    }

    /// Sets the registers of a stopped thread.
    pub fn set_registers(&mut self, thread: ThreadId, mut registers: Registers) -> Result<()> {
        let old = self.raw_registers(thread.0)?;
        let pid = self.thread(thread.0)?.pid;
        if self.space(pid)?.logical_pc(old.pc()) == registers.pc() {
            registers.set_pc(old.pc());
        }
        let t = self.thread_mut(thread.0)?;
        t.registers = Some(registers);
        t.registers_changed = true;
        Ok(())
    }

    /// The x87, SSE, AVX and AVX-512 state of a stopped thread, as far as the processor has it.
    pub fn extended_state(&self, thread: ThreadId) -> Result<ExtendedState> {
        self.require_stopped(thread.0)?;
        let bytes = sys::get_xstate(thread.0)
            .map_err(|e| Error::system("cannot read the extended state", e))?;
        Ok(ExtendedState::new(bytes))
    }

    /// Sets the extended state of a stopped thread.
    pub fn set_extended_state(&mut self, thread: ThreadId, state: &ExtendedState) -> Result<()> {
        self.require_stopped(thread.0)?;
        sys::set_xstate(thread.0, state.bytes())
            .map_err(|e| Error::system("cannot write the extended state", e))
    }

    /// The `index`-th vector register's low 16 bytes.
    pub fn vector_register(&self, thread: ThreadId, index: usize) -> Result<[u8; 16]> {
        self.require_stopped(thread.0)?;
        let state = sys::get_fpregs(thread.0)
            .map_err(|e| Error::system("cannot read vector registers", e))?;
        let mut bytes = [0; 16];
        for (i, chunk) in bytes.chunks_mut(4).enumerate() {
            let word = state.xmm_space.get(index * 4 + i).copied().unwrap_or(0);
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        Ok(bytes)
    }

    /// The top of the x87 stack as 80 raw bits, for `long double` results.
    pub(crate) fn x87_top(&self, thread: ThreadId) -> Result<[u8; 16]> {
        self.require_stopped(thread.0)?;
        let state = sys::get_fpregs(thread.0)
            .map_err(|e| Error::system("cannot read floating-point registers", e))?;
        let mut bytes = [0; 16];
        for (i, chunk) in bytes.chunks_mut(4).enumerate() {
            chunk.copy_from_slice(&state.st_space[i].to_le_bytes());
        }
        Ok(bytes)
    }

    /// Reads memory of a process as if there were no breakpoints.
    pub fn read(&self, process: ProcessId, address: u64, buffer: &mut [u8]) -> Result<()> {
        self.space(process.0)?.read(address, buffer)
    }

    /// Reads as much as there is, up to the length of the buffer.
    pub fn read_partly(&self, process: ProcessId, address: u64, buffer: &mut [u8]) -> usize {
        self.space(process.0).map_or(0, |s| s.read_partly(address, buffer))
    }

    /// Reads one little-endian word.
    pub fn read_u64(&self, process: ProcessId, address: u64) -> Result<u64> {
        self.space(process.0)?.read_u64(address)
    }

    /// Writes memory, also read-only memory. Breakpoints stay.
    pub fn write(&mut self, process: ProcessId, address: u64, bytes: &[u8]) -> Result<()> {
        self.space_mut(process.0)?.write(address, bytes)
    }

    /// The mappings of a process.
    pub fn mappings(&self, process: ProcessId) -> Result<Vec<Mapping>> {
        self.space(process.0)?;
        maps::read(process.0)
    }

    /// Whether there is memory at the address.
    pub fn is_mapped(&self, process: ProcessId, address: u64) -> bool {
        self.mappings(process).is_ok_and(|all| all.iter().any(|m| m.contains(address)))
    }

    /// Whether the address lies in scratch code of the tracer.
    pub fn is_scratch(&self, process: ProcessId, address: u64) -> bool {
        self.space(process.0).is_ok_and(|s| {
            s.areas.iter().any(|a| (a.start..a.start + AREA_SIZE).contains(&address))
        })
    }

    // ---- points -------------------------------------------------------------------------

    /// Arms a point at a code address. Works while threads run: one is held for a moment if
    /// scratch memory is needed.
    pub fn arm(
        &mut self,
        process: ProcessId,
        address: u64,
        when: When,
        owner: Owner,
    ) -> Result<PointId> {
        self.ensure_room(process.0, address)?;
        let id = self.new_point_id();
        let space = self.space_mut(process.0)?;
        space.install(address)?.points.push(id);
        space.points.insert(id, Point { address, owner, when });
        Ok(id)
    }

    pub(crate) fn new_point_id(&mut self) -> PointId {
        let id = PointId(self.next_point);
        self.next_point += 1;
        id
    }

    /// Disarms a point. Events it already caused but that were not reported yet are dropped.
    pub fn disarm(&mut self, process: ProcessId, point: PointId) -> Result<()> {
        let space = self.space_mut(process.0)?;
        let Some(p) = space.points.remove(&point) else {
            return Err(Error::new(ErrorKind::NotFound, format!("no point {point}")));
        };
        if let Some(site) = space.sites.get_mut(&p.address) {
            site.points.retain(|q| *q != point);
        }
        space.release(p.address)
    }

    /// Takes a point out of the code, or puts it back, without forgetting it: events it caused
    /// before are still reported.
    pub fn mute(&mut self, process: ProcessId, point: PointId, muted: bool) -> Result<()> {
        let space = self.space_mut(process.0)?;
        let Some(p) = space.points.get(&point).copied() else {
            return Err(Error::new(ErrorKind::NotFound, format!("no point {point}")));
        };
        if space.patches.contains_key(&p.address) {
            // Whether it is wanted is asked when it is reported.
            return Ok(());
        }
        let is_in = space.sites.get(&p.address).is_some_and(|s| s.points.contains(&point));
        if is_in != muted {
            return Ok(());
        }
        if muted {
            if let Some(site) = space.sites.get_mut(&p.address) {
                site.points.retain(|q| *q != point);
            }
            return space.release(p.address);
        }
        self.ensure_room(process.0, p.address)?;
        self.space_mut(process.0)?.install(p.address)?.points.push(point);
        Ok(())
    }

    /// Where the program itself begins, after the dynamic linker.
    pub fn entry_address(&self, process: ProcessId) -> Option<u64> {
        const AT_ENTRY: u64 = 9;
        linker::auxiliary(process.0, AT_ENTRY)
    }

    /// Disarms everything an owner armed.
    pub fn disarm_owner(&mut self, process: ProcessId, owner: Owner) -> Result<()> {
        let space = self.space(process.0)?;
        let ids: Vec<PointId> =
            space.points.iter().filter(|(_, p)| p.owner == owner).map(|(id, _)| *id).collect();
        for id in ids {
            self.disarm(process, id)?;
        }
        let ids: Vec<PointId> =
            self.watches.get(&process.0).map(|w| w.owned_by(owner)).unwrap_or_default();
        for id in ids {
            self.unwatch(process, id)?;
        }
        Ok(())
    }

    /// The points at an address, in the order they were armed.
    pub(crate) fn points_at(&self, process: ProcessId, address: u64) -> Vec<(PointId, Point)> {
        let Ok(space) = self.space(process.0) else { return Vec::new() };
        let here = space.points.iter().filter(|(_, p)| p.address == address);
        let mut points: Vec<(PointId, Point)> = here.map(|(id, p)| (*id, *p)).collect();
        points.sort_by_key(|(id, _)| *id);
        points
    }

    /// The address a point is armed at.
    pub fn point_address(&self, process: ProcessId, point: PointId) -> Option<u64> {
        self.space(process.0).ok()?.points.get(&point).map(|p| p.address)
    }

    /// Makes sure an out-of-line copy for this address can be placed.
    pub(crate) fn ensure_room(&mut self, pid: pid_t, address: u64) -> Result<()> {
        if self.space(pid)?.has_room_near(address) {
            return Ok(());
        }
        let maps = maps::read(pid)?;
        if maps.is_empty() {
            return Err(Error::new(ErrorKind::Gone, format!("process {pid} has ended")));
        }
        if !maps.iter().any(|m| m.contains(address) && m.is_executable()) {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("there is no code at {address:#x}"),
            ));
        }
        let start = maps::free_range(&maps, address, AREA_SIZE, REACH / 2).ok_or_else(|| {
            Error::new(ErrorKind::Limit, format!("no free memory within reach of {address:#x}"))
        })?;
        let tid = self.any_stopped(pid)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        let got = self.syscall(
            tid,
            libc::SYS_mmap,
            [
                start,
                AREA_SIZE,
                (libc::PROT_READ | libc::PROT_EXEC) as u64,
                flags as u64,
                u64::MAX,
                0,
            ],
        )?;
        self.space_mut(pid)?.areas.push(Area { start: got, used: 0 });
        Ok(())
    }

    // ---- letting go ---------------------------------------------------------------------

    /// Lets go of a process: breakpoints out, watchpoints off, every thread running on.
    pub fn detach(&mut self, process: ProcessId) -> Result<()> {
        self.space(process.0)?;
        self.stop_process(process)?;
        // Events that were not reported: their threads stand on addresses that are clean again.
        self.queue.retain(|s| s.process != process);
        self.forget_checkpoints(process.0);
        self.unprotect_all(process.0)?;
        let space = self.space(process.0)?;
        space.clean();
        let tids: Vec<pid_t> =
            self.threads.iter().filter(|(_, t)| t.pid == process.0).map(|(tid, _)| *tid).collect();
        self.watches.remove(&process.0);
        for tid in tids {
            if self.thread(tid)?.state != State::Stopped {
                self.threads.remove(&tid);
                continue;
            }
            self.leave_copy(tid)?;
            let had_registers = self.thread(tid)?.debug_registers != [0; 5];
            if had_registers {
                for index in [7, 0, 1, 2, 3] {
                    let _ = sys::set_debug_register(tid, index, 0);
                }
            }
            self.flush_registers(tid)?;
            let t = self.thread_mut(tid)?;
            let signal = match t.signal.take() {
                Some(held) => {
                    if held.moved {
                        let _ = sys::set_siginfo(tid, &held.info);
                    }
                    held.signal
                }
                None => 0,
            };
            ignore_gone(sys::detach(tid, signal), "cannot detach")?;
            self.threads.remove(&tid);
        }
        self.spaces.remove(&process.0);
        self.origins.remove(&process.0);
        Ok(())
    }

    /// Moves a thread inside an out-of-line copy back to the program's own code.
    fn leave_copy(&mut self, tid: pid_t) -> Result<()> {
        let mut registers = self.raw_registers(tid)?;
        let pid = self.thread(tid)?.pid;
        let logical = self.space(pid)?.logical_pc(registers.pc());
        if logical != registers.pc() {
            registers.set_pc(logical);
            let t = self.thread_mut(tid)?;
            t.registers = Some(registers);
            t.registers_changed = true;
        }
        Ok(())
    }

    /// Ends a process now.
    pub fn kill(&mut self, process: ProcessId) -> Result<()> {
        self.space(process.0)?;
        // No caller waits for the stops that it still has to report.
        self.collect_finished(process.0);
        self.space_mut(process.0)?.inside = None;
        let _ = sys::kill(process.0, libc::SIGKILL);
        // A thread that is held at its end is not woken by that.
        let _ = sys::cont(process.0, 0);
        while self.threads.values().any(|t| t.pid == process.0) {
            match self.await_answer(None)? {
                Some((tid, status)) => {
                    // Whatever they were doing, they are about to end.
                    let _ = self.on_status(tid, status);
                }
                None if self.threads.is_empty() => break,
                None => {}
            }
        }
        self.queue.retain(|s| s.process != process || matches!(s.reason, Reason::Exited(_)));
        Ok(())
    }
}

impl Default for Tracer {
    fn default() -> Tracer {
        Tracer::new()
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        for process in self.processes() {
            self.forget_checkpoints(process.0);
            match self.origins.get(&process.0) {
                Some(Origin::Attached) => {
                    let _ = self.detach(process);
                }
                _ => {
                    let _ = self.kill(process);
                }
            }
        }
        // Borrowers whose parents were killed end by themselves or by their exec.
        for (tid, t) in std::mem::take(&mut self.threads) {
            if t.role == Role::Borrower {
                kill_and_reap(tid);
            }
        }
    }
}

impl Tracer {
    /// How the threads of a process are traced.
    pub(crate) fn trace_options(&self, pid: pid_t) -> c_int {
        let all = sys::TRACE_OPTIONS | libc::PTRACE_O_TRACEVFORKDONE;
        match self.origins.get(&pid) {
            Some(Origin::Launched) => all | libc::PTRACE_O_EXITKILL,
            _ => all,
        }
    }
}

pub(crate) fn kill_and_reap(pid: pid_t) {
    let _ = sys::kill(pid, libc::SIGKILL);
    loop {
        match sys::wait_for(pid, 0) {
            Ok(Some((_, status))) if libc::WIFSTOPPED(status) => {
                let _ = sys::cont(pid, libc::SIGKILL);
            }
            Err(e) if e.raw_os_error() == Some(libc::EINTR) => {}
            _ => break,
        }
    }
}

pub(crate) fn ignore_gone(result: std::io::Result<()>, what: &str) -> Result<()> {
    match result {
        Ok(()) => Ok(()),
        Err(e) if e.raw_os_error() == Some(libc::ESRCH) => Ok(()),
        Err(e) => Err(Error::system(what, e)),
    }
}

fn signal_bit(signal: i32) -> u64 {
    if (1..=64).contains(&signal) { 1 << (signal - 1) } else { 0 }
}

fn no_thread(tid: pid_t) -> Error {
    Error::new(ErrorKind::Gone, format!("no thread {tid}"))
}

fn no_process(pid: pid_t) -> Error {
    Error::new(ErrorKind::Gone, format!("no process {pid}"))
}

pub(crate) fn is_zombie(tid: pid_t) -> bool {
    let Ok(stat) = proc::text(tid, "stat") else { return true };
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
}
