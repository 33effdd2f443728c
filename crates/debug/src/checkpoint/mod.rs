//! Checkpoints of a whole program: memory, threads, file positions.
//!
//! Taking one makes the program fork a copy-on-write image of itself that never runs. Restoring
//! happens in place: same process, same threads, same descriptors; the pages that changed are
//! copied back from the image. What cannot be put back truthfully is found out first, and then
//! nothing is touched.

mod apart;
mod children;
mod clocks;
mod copy;
mod criu;
mod dirty;
mod ended;
mod files;
mod handlers;
mod mappings;
mod pending;
mod shared;
mod traits;

use std::collections::{BTreeMap, HashSet, VecDeque};

use libc::pid_t;

use crate::error::{Error, ErrorKind, Result};
use crate::maps::{self, Mapping};
use crate::proc;
use crate::registers::Registers;
use crate::sys;
use crate::tracer::{
    Held, ProcessId, Reason, Restrictions, Role, Shadow, State, Stop, ThreadId, Tracer,
    kill_and_reap,
};

pub use criu::{CRIU_VARIABLE, Criu};
pub(crate) use dirty::Tracker;

/// Names a checkpoint for as long as the tracer lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckpointId(u32);

impl std::fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What a restore did.
#[derive(Clone, Debug, Default)]
pub struct Restored {
    /// Pages copied back.
    pub pages: u64,
    /// Threads that did not exist at the checkpoint and were ended.
    pub ended_threads: Vec<ThreadId>,
    /// Effects outside the program that remain, in words: files written since, for example.
    pub warnings: Vec<String>,
}

pub(crate) struct Checkpoint {
    process: pid_t,
    image: pid_t,
    threads: Vec<SavedThread>,
    maps: Vec<Mapping>,
    heap_end: u64,
    files: Vec<files::SavedFile>,
    children: Vec<pid_t>,
    kernel: KernelState,
    handlers: handlers::Handlers,
    timers: clocks::Timers,
    made_timers: Vec<(u64, clocks::Timer)>,
    pending: pending::Pending,
    shared: Vec<shared::Shared>,
    apart: Vec<apart::Apart>,
    /// Stops that had happened and were not told yet.
    untold: Vec<Stop>,
    /// Pages written since, as far as they were collected already.
    dirty: dirty::Pages,
    /// Those of them that only may have been written.
    guessed: dirty::Pages,
}

struct SavedThread {
    tid: pid_t,
    registers: Registers,
    vectors: Vec<u8>,
    mask: u64,
    shadows: Vec<Shadow>,
    signal: Option<Held>,
    at_point: Option<u64>,
    redo: Option<(u64, u64)>,
    untold: VecDeque<Reason>,
    traits: traits::Traits,
    restrictions: Restrictions,
    /// Its restartable-sequence area; a new thread registers it after a while, and only once.
    rseq: (u64, u32, u32),
}

/// State of the process that lives in the kernel and is compared, not restored.
#[derive(PartialEq, Eq)]
struct KernelState {
    caught: String,
    ignored: String,
    timers: String,
    /// Whose it is and what it may do: given up for good.
    rights: Vec<String>,
    folder: String,
    umask: String,
    limits: String,
}

impl KernelState {
    fn of(pid: pid_t) -> KernelState {
        let status = proc::text(pid, "status").unwrap_or_default();
        let line = |name: &str| {
            status.lines().find(|l| l.starts_with(name)).unwrap_or_default().to_string()
        };
        KernelState {
            caught: line("SigCgt:"),
            ignored: line("SigIgn:"),
            timers: proc::text(pid, "timers").unwrap_or_default(),
            rights: ["Uid:", "Gid:", "Groups:", "CapPrm:", "CapEff:", "CapBnd:", "NoNewPrivs:"]
                .map(line)
                .to_vec(),
            folder: std::fs::read_link(format!("/proc/{pid}/cwd"))
                .map_or(String::new(), |path| path.display().to_string()),
            umask: line("Umask:"),
            limits: proc::text(pid, "limits").unwrap_or_default(),
        }
    }

    /// What is different now, and stays so.
    fn warnings(&self, now: &KernelState) -> Vec<String> {
        let all = [
            ("the current folder", &self.folder, &now.folder),
            ("the mask of new files' permissions (umask)", &self.umask, &now.umask),
            ("limits of resources", &self.limits, &now.limits),
        ];
        let changed = all.into_iter().filter(|(_, then, now)| then != now);
        changed
            .map(|(what, ..)| format!("{what} changed since the checkpoint and cannot be restored"))
            .collect()
    }
}

#[derive(Default)]
pub(crate) struct Checkpoints {
    all: BTreeMap<CheckpointId, Checkpoint>,
    /// Those that criu made.
    images: BTreeMap<CheckpointId, criu::Image>,
    /// Set if criu is to make them.
    on_disk: Option<criu::OnDisk>,
    trackers: BTreeMap<pid_t, Option<Tracker>>,
    /// Threads that have ended and can come back.
    ended: BTreeMap<pid_t, ended::Ended>,
    next: u32,
    compare_only: bool,
}

impl Checkpoint {
    fn knows(&self, tid: pid_t) -> bool {
        self.threads.iter().any(|t| t.tid == tid)
    }
}

impl Drop for Checkpoint {
    fn drop(&mut self) {
        kill_and_reap(self.image);
    }
}

fn refused(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, why)
}

impl Tracer {
    /// Takes a checkpoint of a process. All its threads are stopped afterwards.
    pub fn checkpoint(&mut self, process: ProcessId) -> Result<CheckpointId> {
        self.space(process.0)?;
        self.stop_process(process)?;
        let pid = process.0;
        let tid = self.any_stopped(pid)?;
        if self.threads.values().any(|t| t.pid == pid && (t.in_vfork || t.role != Role::Member)) {
            return Err(refused("a child process is using the program's memory (vfork)"));
        }
        self.with_pages_lifted(pid, |tracer| match tracer.checkpoints.on_disk {
            Some(_) => tracer.dump(pid, tid),
            None => tracer.take(pid, tid),
        })
    }

    /// Finds changed pages by comparing contents, as on kernels that cannot track writes. Slower
    /// in proportion to the program's size. To be chosen before the first checkpoint.
    pub fn compare_pages(&mut self, yes: bool) {
        self.checkpoints.compare_only = yes;
    }

    fn take(&mut self, pid: pid_t, tid: pid_t) -> Result<CheckpointId> {
        let maps = self.program_maps(pid)?;
        // Everything written so far belongs to the checkpoints before this one.
        self.collect_dirty(pid, &maps, dirty::Then::StartAnew);
        self.meet_ends_again(pid)?;
        let threads = self.save_threads(pid)?;
        let heap_end = self.syscall(tid, libc::SYS_brk, [0; 6])?;
        let timers = self.interval_timers(tid)?;
        let made_timers = self.made_timers(pid, tid)?;
        let pending = self.pending_signals(&threads.iter().map(|t| t.tid).collect::<Vec<_>>())?;
        let shared = shared::save(self.space(pid)?, &maps);
        let searched = self.ends_to_search(pid, &maps)?;
        let flags = libc::CLONE_PARENT as u64;
        // The kernel needs a while for that; what is no matter of memory can be asked meanwhile.
        let ask = || {
            let kernel = (KernelState::of(pid), children::of(pid));
            (files::save(pid), kernel, ended::ends_in(pid, &searched))
        };
        let mut asked = None;
        let injected =
            self.inject_while(tid, libc::SYS_clone, [flags, 0, 0, 0, 0, 0], &mut || {
                asked.get_or_insert_with(ask);
            })?;
        let (files, (kernel, children), ends) = asked.unwrap_or_else(ask);
        let image = injected.child.ok_or_else(|| {
            let error = std::io::Error::from_raw_os_error(-(injected.result as i64) as i32);
            Error::system("the program could not be forked", error)
        })?;
        self.images.insert(image);
        let status = self.wait_thread(image);
        if !status.as_ref().is_ok_and(|s| libc::WIFSTOPPED(*s)) {
            self.images.remove(&image);
            kill_and_reap(image);
            return Err(status
                .err()
                .unwrap_or_else(|| refused("the checkpoint's process was killed")));
        }
        // Whatever becomes of us, it never runs, also where the program itself would run on.
        let _ = sys::set_options(image, libc::PTRACE_O_EXITKILL);
        let rest = self.space(pid)?.clean_copy(image).and_then(|()| {
            self.watch_thread_ends(pid, &ends)?;
            let handlers = self.handlers(tid, &kernel.caught, &kernel.ignored)?;
            Ok((handlers, self.save_apart(pid, image, &maps)?))
        });
        let (handlers, apart) = match rest {
            Ok(rest) => rest,
            Err(e) => {
                self.images.remove(&image);
                kill_and_reap(image);
                return Err(e);
            }
        };
        let checkpoint = Checkpoint {
            process: pid,
            image,
            threads,
            maps,
            heap_end,
            files,
            children,
            kernel,
            handlers,
            timers,
            made_timers,
            pending,
            shared,
            apart,
            untold: self.queue.iter().filter(|s| s.process.0 == pid).cloned().collect(),
            dirty: dirty::Pages::default(),
            guessed: dirty::Pages::default(),
        };
        let id = self.new_checkpoint_id();
        self.checkpoints.all.insert(id, checkpoint);
        Ok(id)
    }

    fn new_checkpoint_id(&mut self) -> CheckpointId {
        let id = CheckpointId(self.checkpoints.next);
        self.checkpoints.next += 1;
        id
    }

    fn save_threads(&mut self, pid: pid_t) -> Result<Vec<SavedThread>> {
        let mut saved = Vec::new();
        for thread in self.threads(ProcessId(pid)) {
            let tid = thread.0;
            if self.thread(tid)?.state != State::Stopped {
                return Err(refused(format!("thread {tid} cannot be stopped")));
            }
            let traits = self.traits(tid)?;
            let restrictions = self.restrictions(tid)?;
            let mut registers = self.raw_registers(tid)?;
            let mut at_point = self.thread(tid)?.at_point;
            if let Some(copy) = self.space(pid)?.copy_at(registers.pc()) {
                // The copy's event was told already: not again after a restore.
                let logical = self.space(pid)?.logical_pc(registers.pc());
                if logical == copy.original {
                    at_point = Some(copy.original);
                }
                registers.set_pc(logical);
            }
            registers.restart_syscall();
            let vectors = sys::get_xstate(tid)
                .map_err(|e| Error::system("cannot read vector registers", e))?;
            let mask =
                sys::get_sigmask(tid).map_err(|e| Error::system("cannot read signal mask", e))?;
            let t = self.thread(tid)?;
            saved.push(SavedThread {
                tid,
                registers,
                vectors,
                mask,
                shadows: t.shadows.clone(),
                signal: t.signal.map(|h| Held { moved: true, ..h }),
                at_point,
                redo: t.redo,
                untold: t.untold.clone(),
                traits,
                restrictions,
                rseq: sys::rseq(tid),
            });
        }
        Ok(saved)
    }

    /// The checkpoints of a process, oldest first.
    pub fn checkpoints(&self, process: ProcessId) -> Vec<CheckpointId> {
        let in_memory = self.checkpoints.all.iter().map(|(id, c)| (*id, c.process));
        let on_disk = self.checkpoints.images.iter().map(|(id, i)| (*id, i.process));
        let all = in_memory.chain(on_disk).filter(|(_, of)| *of == process.0);
        all.map(|(id, _)| id).collect()
    }

    /// Forgets a checkpoint.
    pub fn drop_checkpoint(&mut self, id: CheckpointId) -> Result<()> {
        if self.checkpoints.images.remove(&id).is_some() {
            return Ok(());
        }
        match self.checkpoints.all.remove(&id) {
            Some(c) => {
                self.images.remove(&c.image);
                drop(c);
                self.let_forgotten_go();
                Ok(())
            }
            None => Err(Error::new(ErrorKind::NotFound, format!("no checkpoint {id}"))),
        }
    }

    /// Puts the program back to a checkpoint, as often as wanted. All its threads are stopped
    /// afterwards; stops that were not told yet are dropped, those that were not told at the
    /// checkpoint are told again; points and watchpoints stay as they are now.
    ///
    /// Fails with [`ErrorKind::Refused`], before anything is changed, when that would not be the
    /// truth: threads whose end went unnoticed, data consumed from pipes or sockets, shared memory
    /// written.
    pub fn restore(&mut self, id: CheckpointId) -> Result<Restored> {
        let in_memory = self.checkpoints.all.get(&id).map(|c| c.process);
        let on_disk = self.checkpoints.images.get(&id).map(|i| i.process);
        let Some(pid) = in_memory.or(on_disk) else {
            return Err(Error::new(ErrorKind::NotFound, format!("no checkpoint {id}")));
        };
        if !self.spaces.contains_key(&pid) {
            return Err(Error::new(ErrorKind::Gone, "the program has ended"));
        }
        self.stop_process(ProcessId(pid))?;
        // Taken out while it is used; put back whatever happens.
        if let Some(image) = self.checkpoints.images.remove(&id) {
            let result = self.restore_image(&image);
            self.checkpoints.images.insert(id, image);
            return result;
        }
        self.with_pages_lifted(pid, |tracer| tracer.put_back(id))
    }

    fn put_back(&mut self, id: CheckpointId) -> Result<Restored> {
        // Taken out while it is used; put back whatever happens.
        let Some(mut checkpoint) = self.checkpoints.all.remove(&id) else {
            return Err(Error::new(ErrorKind::NotFound, format!("no checkpoint {id}")));
        };
        let result = self.put_back_from(&mut checkpoint);
        self.checkpoints.all.insert(id, checkpoint);
        result
    }

    fn put_back_from(&mut self, c: &mut Checkpoint) -> Result<Restored> {
        let pid = c.process;
        let mut done = Restored::default();
        let kernel = KernelState::of(pid);
        let maps = self.program_maps(pid)?;
        self.check_restorable(c, &kernel, &maps)?;
        done.warnings.extend(c.kernel.warnings(&kernel));
        done.warnings.extend(children::warning(&c.children, &children::of(pid)));
        let files = files::plan(pid, &c.files, &mut done.warnings)?;
        let mapping_plan = mappings::plan(&c.maps, &maps)?;
        let alive = c.threads.iter().map(|t| t.tid).find(|t| self.threads.contains_key(t));
        let tid = alive.ok_or_else(|| refused("all its threads have ended"))?;
        // From here on the program is changed.
        self.end_new_threads(c, &mut done)?;
        self.queue.retain(|s| s.process.0 != pid);
        self.put_sequences_back(c)?;
        let now = self.handlers(tid, &kernel.caught, &kernel.ignored)?;
        self.put_handlers_back(tid, &c.handlers, &now)?;
        let fresh = mappings::apply(self, tid, &mapping_plan, c.heap_end)?;
        let maps = self.program_maps(pid)?;
        // A page that starts anew is written with a detour through the kernel: after the copying.
        let (written, guessed) = self.collect_dirty(pid, &maps, dirty::Then::GoOn);
        c.dirty.add(&written);
        c.guessed.add(&guessed);
        for &(start, end) in &fresh {
            c.dirty.add_range(start, end);
            c.guessed.add_range(start, end);
        }
        let pages = std::mem::take(&mut c.dirty);
        done.pages = self.copy_back(c, &pages)?;
        c.guessed = dirty::Pages::default();
        self.put_apart_back(tid, &c.apart, &fresh)?;
        // What was copied back counts as written for every other checkpoint.
        for other in self.checkpoints.all.values_mut().filter(|o| o.process == pid) {
            other.dirty.add(&pages);
        }
        files::apply(self, tid, &files)?;
        self.bring_back(c)?;
        for saved in &c.threads {
            self.put_traits_back(saved.tid, &saved.traits, &mut done.warnings)?;
        }
        self.put_timers_back(tid, &c.timers)?;
        self.put_made_timers_back(tid, &c.made_timers)?;
        self.put_pending_back(pid, &c.pending)?;
        // The copying itself and the borrowed system calls were writes, too, and are undone.
        self.forget_writes(pid, &maps)?;
        self.put_threads_back(pid, &c.threads)?;
        self.queue.extend(c.untold.iter().cloned());
        Ok(done)
    }

    fn check_restorable(
        &mut self,
        c: &Checkpoint,
        now: &KernelState,
        maps: &[Mapping],
    ) -> Result<()> {
        let pid = c.process;
        for saved in &c.threads {
            if !self.can_have_back(pid, saved.tid) {
                return Err(refused(format!(
                    "thread {} has ended since the checkpoint, in a way that cannot be undone",
                    saved.tid
                )));
            }
            if self.threads.get(&saved.tid).is_some_and(|t| t.state != State::Stopped) {
                return Err(refused(format!("thread {} cannot be stopped", saved.tid)));
            }
            if self.threads.contains_key(&saved.tid)
                && self.restrictions(saved.tid)? != saved.restrictions
            {
                return Err(refused(
                    "the program has restricted its system calls since the checkpoint (seccomp)",
                ));
            }
        }
        if now.rights != c.kernel.rights {
            return Err(refused(
                "the users, groups or capabilities of the program changed since the checkpoint",
            ));
        }
        if now.timers != c.kernel.timers {
            return Err(refused("timers were created or deleted since the checkpoint"));
        }
        for m in maps.iter().filter(|m| m.shared && m.is_writable()) {
            let was_guarded = |then: &&Mapping| then.shared && !then.is_writable();
            let mut before = c.maps.iter().filter(was_guarded);
            if before.any(|then| then.start < m.end && m.start < then.end) {
                return Err(refused(format!(
                    "memory shared with others at {:#x} can be written since the checkpoint",
                    m.start
                )));
            }
        }
        shared::check(self.space(pid)?, &c.shared, maps)?;
        if std::fs::metadata(format!("/proc/{}", c.image)).is_err() {
            return Err(refused("the checkpoint's image was killed"));
        }
        Ok(())
    }

    /// Threads born after the checkpoint end now: the program it goes back to has none of them.
    fn end_new_threads(&mut self, c: &Checkpoint, done: &mut Restored) -> Result<()> {
        let pid = c.process;
        let known: HashSet<pid_t> = c.threads.iter().map(|t| t.tid).collect();
        for thread in self.threads(ProcessId(pid)) {
            let tid = thread.0;
            if known.contains(&tid) {
                continue;
            }
            // Another checkpoint may want it back.
            if self.is_known(tid) && self.put_away(tid, false)? {
                done.ended_threads.push(thread);
                continue;
            }
            self.set_to_exit(tid)?;
            let t = self.thread_mut(tid)?;
            t.at_point = None;
            t.at_protected = false;
            t.signal = None;
            t.group_stop = false;
            self.go(tid)?;
            for _ in 0..100 {
                let status = self.wait_thread(tid)?;
                if libc::WIFSTOPPED(status) {
                    let _ = sys::cont(tid, 0);
                    continue;
                }
                self.on_status(tid, status)?;
                break;
            }
            done.ended_threads.push(thread);
        }
        Ok(())
    }

    fn put_sequences_back(&mut self, c: &Checkpoint) -> Result<()> {
        for saved in &c.threads {
            // Those that come back do it when their memory is there.
            if self.threads.contains_key(&saved.tid) {
                self.register_sequence(saved.tid, saved.rseq)?;
            }
        }
        Ok(())
    }

    /// Makes this a thread's restartable-sequence area; none if its address is zero.
    fn register_sequence(&mut self, tid: pid_t, wanted: (u64, u32, u32)) -> Result<()> {
        const UNREGISTER: u64 = 1;
        let now = sys::rseq(tid);
        if now == wanted {
            return Ok(());
        }
        for ((pointer, size, signature), flags) in [(now, UNREGISTER), (wanted, 0)] {
            if pointer != 0 {
                let args = [pointer, size.into(), flags, signature.into(), 0, 0];
                self.syscall(tid, libc::SYS_rseq, args)?;
            }
        }
        Ok(())
    }

    fn put_threads_back(&mut self, pid: pid_t, threads: &[SavedThread]) -> Result<()> {
        for saved in threads {
            let tid = saved.tid;
            sys::set_xstate(tid, &saved.vectors)
                .map_err(|e| Error::system("cannot restore vector registers", e))?;
            sys::set_sigmask(tid, saved.mask)
                .map_err(|e| Error::system("cannot restore the signal mask", e))?;
            let t = self.thread_mut(tid)?;
            let old: Vec<u64> = t.shadows.iter().flat_map(|s| &s.calls).map(|p| p.ret).collect();
            t.registers = Some(saved.registers);
            t.registers_changed = true;
            t.shadows = saved.shadows.clone();
            t.signal = saved.signal;
            t.at_point = saved.at_point;
            t.redo = saved.redo;
            t.untold = saved.untold.clone();
            t.again = None;
            t.at_protected = false;
            t.repeating = false;
            t.postponed = None;
            t.stepping = false;
            let new: Vec<u64> =
                saved.shadows.iter().flat_map(|s| &s.calls).map(|p| p.ret).collect();
            self.uncount(pid, &old)?;
            for ret in new {
                self.expect_return(pid, ret)?;
            }
        }
        Ok(())
    }

    /// Copies pages from the image into the program, under the breakpoints of now.
    fn copy_back(&mut self, c: &Checkpoint, pages: &dirty::Pages) -> Result<u64> {
        let image = sys::open_memory(c.image)
            .map_err(|e| Error::with_source(ErrorKind::Refused, "the image is unreadable", e))?;
        let space = self.space(c.process)?;
        let copier = copy::Copier { space, pid: c.process, image: c.image, memory: &image };
        // Whatever was written has hardly become again what it was. What only may have been, and
        // code, whose pages were written because of breakpoints, is compared first.
        let is_sure = |m: &Mapping| m.is_writable() && !c.guessed.meets(m.start, m.end);
        let sure = copier.back(pages.within(&c.maps, is_sure), false)?;
        Ok(sure + copier.back(pages.within(&c.maps, |m| !is_sure(m)), true)?)
    }

    /// Whether the memory of a stopped program is other than at a checkpoint. What the kernel notes there
    /// for itself does not count.
    pub(crate) fn differs(&mut self, id: CheckpointId) -> Result<bool> {
        let Some(pid) = self.checkpoints.all.get(&id).map(|c| c.process) else {
            return Err(refused("checkpoints on disk cannot be compared with the program"));
        };
        let maps = self.program_maps(pid)?;
        self.collect_dirty(pid, &maps, dirty::Then::GoOn);
        let Some(c) = self.checkpoints.all.get(&id) else { return Ok(true) };
        let extent = |m: &Mapping| (m.start, m.end, m.is_writable(), m.is_executable());
        if !maps.iter().map(extent).eq(c.maps.iter().map(extent)) {
            return Ok(true);
        }
        let image = sys::open_memory(c.image)
            .map_err(|e| Error::with_source(ErrorKind::Refused, "the image is unreadable", e))?;
        let copier = copy::Copier { space: self.space(pid)?, pid, image: c.image, memory: &image };
        // Where the kernel notes on which processor a thread runs.
        let noted: Vec<(u64, u64)> =
            c.threads.iter().map(|t| (t.rseq.0, t.rseq.0 + u64::from(t.rseq.1))).collect();
        Ok(copier.differs(c.dirty.within(&c.maps, |_| true), &noted))
    }

    /// The mappings that are the program's own: not the kernel's, not our scratch code.
    fn program_maps(&self, pid: pid_t) -> Result<Vec<Mapping>> {
        let space = self.space(pid)?;
        let mut all = maps::read(pid)?;
        all.retain(|m| !m.is_kernels() && !space.areas.iter().any(|a| a.start == m.start));
        Ok(all)
    }

    fn with_pages_lifted<R>(
        &mut self,
        pid: pid_t,
        f: impl FnOnce(&mut Tracer) -> Result<R>,
    ) -> Result<R> {
        let tid = self.any_stopped(pid)?;
        self.lift(tid, true)?;
        let result = f(self);
        // After a restore the borrowed thread's registers are those of the checkpoint; lifting
        // keeps them.
        let protected = self.lift(tid, false);
        let value = result?;
        protected.map(|()| value)
    }

    pub(crate) fn forget_checkpoints(&mut self, pid: pid_t) {
        let ids = self.checkpoints(ProcessId(pid));
        for id in ids {
            let _ = self.drop_checkpoint(id);
        }
        self.checkpoints.trackers.remove(&pid);
    }
}
