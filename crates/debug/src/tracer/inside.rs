//! Events that are written down inside the program instead of stopping it.
//!
//! The code of the trampolines is `watchword-inject`'s; here it is put into the program, and what it
//! writes is collected. What holds:
//!
//! * Threads that the tracer holds are never inside a trampoline: they are moved to its end first. So
//!   no signal handler begins there, and every record that was begun is finished unless its thread
//!   has ended.
//! * Before any stop is reported, and before a thread begins or ends, the records that were begun until
//!   then are collected. So the order of records and stops is one in which they may have happened,
//!   and a thread pointer stands for the thread that had it then.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::sync::Arc;
use std::time::{Duration, Instant};

use libc::pid_t;
use watchword_inject::{self as code, Layout, Plan, Prologue, Record, Ring, Table};

use super::{ProcessId, Reason, Role, State, Stop, ThreadId, Tracer, ignore_gone};
use crate::error::{Error, ErrorKind, Result};
use crate::maps;
use crate::space::{Patch, REACH};
use crate::sys;

/// Bytes mapped at a time for trampolines.
const ZONE_SIZE: u64 = 1 << 20;
/// What a zone begins with: see the offsets below.
const HEADER: u64 = 8192;
/// A byte that says whether returns are written down. Only that of the first zone counts.
const ENABLED: u64 = 0;
/// The description of the frames of a zone.
const DESCRIPTION: u64 = 64;
/// The table of zones, in the first one.
const TABLE: u64 = 4096;
/// A trampoline that needs more than this is not made.
const ROOM: u64 = 16 << 10;
/// So many zones the table has room for.
const MOST_ZONES: usize = 128;

/// As long is asked for records before the tracer sleeps.
const BUSY: Duration = Duration::from_micros(300);
/// As long the tracer sleeps at most while records may be waiting.
const NAP: Duration = Duration::from_millis(10);
/// As long a thread that writes a record is left alone before it is looked at again.
const TURN: Duration = Duration::from_micros(50);
/// So many records wake a tracer that sleeps.
const WAKING: u64 = 8192;

/// A record, and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    /// The process.
    pub process: ProcessId,
    /// The thread. It may have ended since.
    pub thread: ThreadId,
    /// What was written down.
    pub record: Record,
}

#[derive(Debug)]
struct Zone {
    start: u64,
    used: u64,
}

impl Zone {
    fn end(&self) -> u64 {
        self.start + ZONE_SIZE
    }
}

/// What is inside one process.
#[derive(Debug)]
pub(crate) struct Inside {
    ring: Ring,
    /// Where the process has the shared memory.
    shared: u64,
    zones: Vec<Zone>,
    /// Instructions that may fault, with where to go on.
    faults: HashMap<u64, u64>,
    /// Where threads stop for the tracer.
    stops: HashSet<u64>,
    /// Those that wait for an answer of the tracer's host, with where to go on without one.
    escapes: HashMap<u64, u64>,
    /// Instances that are inside the program.
    tables: Vec<Arc<Table>>,
    /// Instructions of functions that are executed in trampolines: where they belong, and the function.
    moved: HashMap<u64, (u64, u64)>,
    /// Threads by their thread pointers.
    threads: HashMap<u64, pid_t>,
    /// The one that was asked for last.
    last_thread: Option<(u64, pid_t)>,
    /// Thread pointers that are used by children which borrow the memory.
    borrowed: HashSet<u64>,
    next_id: u32,
    /// Entries of `_Unwind_Find_FDE` that have the hook.
    hooked: HashSet<u64>,
}

impl Inside {
    fn zone_of(&self, pc: u64) -> bool {
        self.zones.iter().any(|z| (z.start..z.end()).contains(&pc))
    }

    /// Whether the patch at an address is the hook of an unwinder.
    pub(crate) fn is_hook(&self, address: u64) -> bool {
        self.hooked.contains(&address)
    }

    /// A function is met without its trampoline from now on, so values may be met that it would mark.
    pub(crate) fn mark_everything(&self) {
        (0..code::MAPS).for_each(|map| self.ring.mark_all(map));
    }

    /// Trampolines know a thread by this number from now on. If there is no room for that, they step nothing
    /// any more.
    fn name_thread(&self, pointer: u64, tid: pid_t) {
        if !self.ring.name_thread(pointer, tid as u32) {
            self.tables.iter().for_each(|table| table.shut());
        }
    }

    /// The byte to be cleared in a forked child.
    pub(crate) fn enabled(&self) -> Option<u64> {
        self.zones.first().map(|z| z.start + ENABLED)
    }

    fn thread_of(&mut self, key: u64, pid: pid_t) -> pid_t {
        if let Some((of, tid)) = self.last_thread
            && of == key
        {
            return tid;
        }
        // Threads are known when they begin; only the first one sets its thread pointer itself.
        let tid = *self.threads.entry(key).or_insert(pid);
        self.last_thread = Some((key, tid));
        tid
    }
}

impl Tracer {
    /// Whether an address lies in code of trampolines.
    pub fn is_inside(&self, process: ProcessId, address: u64) -> bool {
        self.in_zone(process.0, address)
    }

    fn in_zone(&self, pid: pid_t, pc: u64) -> bool {
        let inside = self.spaces.get(&pid).and_then(|s| s.inside.as_ref());
        inside.is_some_and(|i| i.zone_of(pc))
    }

    /// Where a function really returns to: `at` is the place on the stack of its return address,
    /// which may be that of a trampoline.
    pub fn read_return(&self, process: ProcessId, mut at: u64) -> Result<u64> {
        loop {
            let back = self.read_u64(process, at)?;
            if !self.is_inside(process, back) {
                return Ok(back);
            }
            at = at.wrapping_add(code::FRAME + 8);
        }
    }

    /// Whether some process has trampolines.
    fn has_inside(&self) -> bool {
        self.spaces.values().any(|s| s.inside.is_some())
    }

    /// How many functions of a process begin with a jump to a trampoline that tells events.
    pub fn trampolines(&self, process: ProcessId) -> usize {
        let Some(space) = self.spaces.get(&process.0) else { return 0 };
        let hooks = space.inside.as_ref().map_or(0, |i| i.hooked.len());
        space.patches.len().saturating_sub(hooks)
    }

    /// Takes the records that were collected since the last call, in the order of their events.
    pub fn take_records(&mut self) -> Vec<Recorded> {
        std::mem::take(&mut self.recorded)
    }

    /// Takes back the memory of records that were read.
    pub fn give_back(&mut self, mut records: Vec<Recorded>) {
        if self.recorded.is_empty() {
            records.clear();
            self.recorded = records;
        }
    }

    /// Prepares a process for trampolines. Some thread is stopped for that.
    pub(crate) fn prepare_inside(&mut self, process: ProcessId, near: u64) -> Result<()> {
        let pid = process.0;
        if self.space(pid)?.inside.is_some() {
            return Ok(());
        }
        if !has_fsgsbase() {
            return Err(refused("the processor does not tell programs their thread pointer"));
        }
        let zone = self.map_zone(pid, near)?;
        let tid = self.any_stopped(pid)?;
        // The zone is still empty, and so is the name.
        let (file, shared) = self.share_memory(pid, tid, zone, code::SHARED_SIZE)?;
        let ring = Ring::map(&file).map_err(unshared)?;
        ring.name_first_thread(pid as u32);
        self.stop_process_briefly(process, |tracer| {
            let mut threads = HashMap::new();
            for tid in tracer.members(pid) {
                if tracer.thread(tid)?.state == State::Stopped {
                    threads.insert(tracer.fetch_registers(tid)?.raw.fs_base, tid);
                }
            }
            for (pointer, tid) in &threads {
                ring.name_thread(*pointer, *tid as u32);
            }
            tracer.space_mut(pid)?.inside = Some(Inside {
                ring,
                shared,
                zones: Vec::new(),
                faults: HashMap::new(),
                stops: HashSet::new(),
                escapes: HashMap::new(),
                tables: Vec::new(),
                moved: HashMap::new(),
                threads,
                last_thread: None,
                borrowed: HashSet::new(),
                next_id: 0,
                hooked: HashSet::new(),
            });
            tracer.space(pid)?.write_raw(zone + ENABLED, &[1])?;
            tracer.add_zone(pid, zone)?;
            // What the last records mean is found out while the program's code is still there.
            let options = tracer.trace_options(pid) | libc::PTRACE_O_TRACEEXIT;
            ignore_gone(sys::set_options(pid, options), "cannot watch for the program's end")
        })
    }

    /// Makes memory that a process shares with the tracer: the file, and where the process has it. There is
    /// an empty name at `name`.
    fn share_memory(
        &mut self,
        pid: pid_t,
        tid: pid_t,
        name: u64,
        size: u64,
    ) -> Result<(File, u64)> {
        let fd = self.syscall(tid, libc::SYS_memfd_create, [name, 0, 0, 0, 0, 0])?;
        let opened = OpenOptions::new().read(true).write(true).open(format!("/proc/{pid}/fd/{fd}"));
        let shared = opened.and_then(|file| {
            file.set_len(size)?;
            let prot = (libc::PROT_READ | libc::PROT_WRITE) as u64;
            let args = [0, size, prot, libc::MAP_SHARED as u64, fd, 0];
            let at = self.syscall(tid, libc::SYS_mmap, args).map_err(std::io::Error::other)?;
            Ok((file, at))
        });
        self.syscall(tid, libc::SYS_close, [fd, 0, 0, 0, 0, 0])?;
        shared.map_err(unshared)
    }

    /// Makes a table for instances that are inside a process: the table, and where the process has it. Some
    /// thread is stopped for that.
    pub(crate) fn make_table(
        &mut self,
        process: ProcessId,
        near: u64,
        layout: Layout,
    ) -> Result<(Arc<Table>, u64)> {
        self.prepare_inside(process, near)?;
        let pid = process.0;
        let inside = self.space(pid)?.inside.as_ref();
        let Some(zone) = inside.and_then(|i| i.zones.first()).map(|z| z.start) else {
            return Err(refused("it was not prepared"));
        };
        let tid = self.any_stopped(pid)?;
        // The end of the table of zones is never written to.
        let name = zone + HEADER - 1;
        let (file, at) = self.share_memory(pid, tid, name, layout.size())?;
        let table = Arc::new(Table::map(&file, layout).map_err(unshared)?);
        if let Some(inside) = &mut self.space_mut(pid)?.inside {
            inside.tables.push(table.clone());
        }
        Ok((table, at))
    }

    /// Answers whether a function was called from inside its library, which a trampoline asks.
    pub(crate) fn tell_caller(
        &self,
        process: ProcessId,
        function: u64,
        caller: u64,
        is_inside: bool,
    ) {
        if let Some(inside) = self.spaces.get(&process.0).and_then(|s| s.inside.as_ref()) {
            inside.ring.tell_caller(function, caller, is_inside);
        }
    }

    /// The answers may not hold any more.
    pub(crate) fn forget_callers(&self, process: ProcessId) {
        if let Some(inside) = self.spaces.get(&process.0).and_then(|s| s.inside.as_ref()) {
            inside.ring.forget_callers();
        }
    }

    fn members(&self, pid: pid_t) -> Vec<pid_t> {
        let mine = self.threads.iter().filter(|(_, t)| t.pid == pid && t.role == Role::Member);
        mine.map(|(tid, _)| *tid).collect()
    }

    fn map_zone(&mut self, pid: pid_t, near: u64) -> Result<u64> {
        let maps = maps::read(pid)?;
        let start = maps::free_range(&maps, near, ZONE_SIZE, REACH / 2)
            .ok_or_else(|| refused("there is no free memory near the function"))?;
        let tid = self.any_stopped(pid)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        let prot = libc::PROT_READ | libc::PROT_EXEC;
        let args = [start, ZONE_SIZE, prot as u64, flags as u64, u64::MAX, 0];
        self.syscall(tid, libc::SYS_mmap, args)
    }

    fn add_zone(&mut self, pid: pid_t, start: u64) -> Result<()> {
        let space = self.space_mut(pid)?;
        let Some(inside) = &mut space.inside else { return Err(refused("it was not prepared")) };
        if inside.zones.len() >= MOST_ZONES {
            return Err(refused("too much memory is needed for trampolines"));
        }
        inside.zones.push(Zone { start, used: HEADER });
        let own = code::unwind::description(start, start + ZONE_SIZE).1;
        let ranges: Vec<(u64, u64, u64)> =
            inside.zones.iter().map(|z| (z.start, z.end(), z.start + DESCRIPTION + own)).collect();
        let first = inside.zones[0].start;
        let (description, _) = code::unwind::description(start, start + ZONE_SIZE);
        space.write_raw(start + DESCRIPTION, &description)?;
        // The last entry ends the table, also for a thread that reads it right now.
        space.write_raw(first + TABLE, &code::unwind::table(&ranges))
    }

    /// Does something while all threads of a process are held; those that ran before run again then.
    fn stop_process_briefly<T>(
        &mut self,
        process: ProcessId,
        act: impl FnOnce(&mut Tracer) -> Result<T>,
    ) -> Result<T> {
        let mine = self.threads.iter().filter(|(_, t)| t.pid == process.0);
        let (running, standing): (Vec<_>, Vec<_>) =
            mine.partition(|(_, t)| t.state == State::Running);
        let standing: Vec<pid_t> = standing.into_iter().map(|(tid, _)| *tid).collect();
        if running.is_empty() {
            return act(self);
        }
        self.stop_process(process)?;
        let result = act(self);
        // Those that ran before, and those that have begun since.
        let mine = self.threads.iter().filter(|(_, t)| t.pid == process.0);
        let held: Vec<pid_t> =
            mine.map(|(tid, _)| *tid).filter(|t| !standing.contains(t)).collect();
        for tid in held {
            if self.is_stopped(ThreadId(tid)) && !self.has_untold(ThreadId(tid)) {
                self.go(tid)?;
            }
        }
        result
    }

    /// Values in a map of marks may be met from now on where no trampoline marks them: all count as met.
    pub(crate) fn mark_all(&self, process: ProcessId, map: usize) {
        let inside = self.spaces.get(&process.0).and_then(|s| s.inside.as_ref());
        if let Some(inside) = inside {
            inside.ring.mark_all(map);
        }
    }

    /// Whether some of these words of a record is marked. All are in a process that has ended.
    pub(crate) fn is_marked(&self, recorded: &Recorded, marks: &[code::Mark]) -> bool {
        // There is hardly ever more than one process, and looking it up takes longer than the rest.
        let pid = recorded.process.0;
        let first = self.spaces.iter().next().filter(|(of, _)| **of == pid).map(|(_, s)| s);
        let space = first.or_else(|| self.spaces.get(&pid));
        let Some(Inside { ring, .. }) = space.and_then(|s| s.inside.as_ref()) else { return true };
        marks.iter().any(|m| ring.is_marked(m.map, recorded.record.words[m.word]))
    }

    /// A number for a record.
    pub(crate) fn new_record_id(&mut self, process: ProcessId) -> Result<u32> {
        let inside = self.space_mut(process.0)?.inside.as_mut();
        let inside = inside.ok_or_else(|| refused("it was not prepared"))?;
        inside.next_id += 1;
        Ok(inside.next_id)
    }

    /// Replaces the breakpoint at the entry of a function by a jump to a trampoline. The points there
    /// stay; what they fire for is recorded from now on. Fails with the reason, and the breakpoint as it was.
    pub(crate) fn move_inside(
        &mut self,
        process: ProcessId,
        prologue: &Prologue,
        plan: &Plan,
    ) -> Result<()> {
        self.put_inside(process, prologue, |places| {
            code::emit(plan, prologue, places).map_err(|e| refused(&e.to_string()))
        })
    }

    /// Puts the hook in front of `_Unwind_Find_FDE`; see `watchword_inject::unwind`.
    pub(crate) fn hook_unwinder(&mut self, process: ProcessId, prologue: &Prologue) -> Result<()> {
        let pid = process.0;
        let inside = self.space(pid)?.inside.as_ref();
        let Some(first) = inside.and_then(|i| i.zones.first()).map(|z| z.start) else {
            return Err(refused("it was not prepared"));
        };
        self.put_inside(process, prologue, |places| {
            let bytes = code::unwind::hook(prologue, places.code, first + TABLE)
                .map_err(|e| refused(&e.to_string()))?;
            Ok(code::Code {
                bytes,
                faults: Vec::new(),
                stops: Vec::new(),
                escapes: Vec::new(),
                moved: Vec::new(),
            })
        })?;
        if let Some(inside) = &mut self.space_mut(pid)?.inside {
            inside.hooked.insert(prologue.address);
        }
        Ok(())
    }

    /// Whether the hook is in front of the function at an address.
    pub(crate) fn is_unwinder_hooked(&self, process: ProcessId, address: u64) -> bool {
        let inside = self.spaces.get(&process.0).and_then(|s| s.inside.as_ref());
        inside.is_some_and(|i| i.hooked.contains(&address))
    }

    fn put_inside(
        &mut self,
        process: ProcessId,
        prologue: &Prologue,
        emit: impl FnOnce(code::Places) -> Result<code::Code>,
    ) -> Result<()> {
        let pid = process.0;
        let address = prologue.address;
        let end = address + prologue.bytes.len() as u64;
        let space = self.space(pid)?;
        let others = space.sites.range(address + 1..end).next().is_some();
        let used = space.sites.get(&address).is_some_and(|s| s.internal.is_used());
        if others || used || space.is_patched(address, end) {
            return Err(refused("there is another breakpoint at this place"));
        }
        let at = self.room_inside(pid, address)?;
        let space = self.space(pid)?;
        let Some(inside) = &space.inside else { return Err(refused("it was not prepared")) };
        let enabled = inside.zones[0].start + ENABLED;
        let done = emit(code::Places { code: at, shared: inside.shared, enabled })?;
        if done.bytes.len() as u64 > ROOM {
            return Err(refused("its code in the program would be too long"));
        }
        let jump = code::jump(address, at).ok_or_else(|| refused("it is too far away"))?;
        let mut now = prologue.bytes.clone();
        now[..code::PATCH].copy_from_slice(&jump);
        self.stop_process_briefly(process, |tracer| {
            let mut tids: Vec<pid_t> = tracer.threads.keys().copied().collect();
            tids.retain(|t| tracer.threads.get(t).is_some_and(|t| t.pid == pid));
            for tid in tids {
                let t = tracer.thread(tid)?;
                if t.in_vfork && t.state != State::Stopped {
                    // In the kernel.
                    continue;
                }
                let at_point = t.at_point;
                let registers = tracer.fetch_registers(tid)?;
                let logical = tracer.space(pid)?.logical_pc(registers.pc());
                let is_there = |pc: u64| (address..end).contains(&pc);
                if at_point == Some(address) || is_there(registers.pc()) || is_there(logical) {
                    return Err(refused("a thread is executing its first instructions"));
                }
            }
            if tracer.may_return_into(pid, address + 1..end)? {
                return Err(refused("a signal handler may return into its first instructions"));
            }
            let space = tracer.space_mut(pid)?;
            space.write_raw(at, &done.bytes)?;
            space.patch(address, Patch { original: prologue.bytes.clone(), now })?;
            let Some(inside) = &mut space.inside else {
                return Err(refused("it was not prepared"));
            };
            inside.faults.extend(done.faults.iter().copied());
            inside.stops.extend(done.stops.iter().copied());
            inside.escapes.extend(done.escapes.iter().copied());
            let moved = done.moved.iter().map(|(at, of)| (*at, (*of, address)));
            inside.moved.extend(moved);
            if let Some(zone) = inside.zones.iter_mut().find(|z| (z.start..z.end()).contains(&at)) {
                zone.used = (at - zone.start + done.bytes.len() as u64).next_multiple_of(64);
            }
            Ok(())
        })
    }

    /// Where a trampoline for the function at an address may be.
    fn room_inside(&mut self, pid: pid_t, address: u64) -> Result<u64> {
        let near = |z: &&Zone| z.start.abs_diff(address) < REACH && z.used + ROOM <= ZONE_SIZE;
        let room = |t: &Tracer| -> Result<Option<u64>> {
            let inside = t.space(pid)?.inside.as_ref();
            Ok(inside.and_then(|i| i.zones.iter().find(near).map(|z| z.start + z.used)))
        };
        if let Some(at) = room(self)? {
            return Ok(at);
        }
        let zone = self.map_zone(pid, address)?;
        self.add_zone(pid, zone)?;
        room(self)?.ok_or_else(|| refused("there is no free memory near the function"))
    }

    /// Goes back to breakpoints for everything in a process: from now on all its events stop it.
    pub(crate) fn leave_inside(&mut self, pid: pid_t) -> Result<()> {
        let Some(space) = self.spaces.get(&pid).filter(|s| s.inside.is_some()) else {
            return Ok(());
        };
        let hooked = space.inside.as_ref().map(|i| i.hooked.clone()).unwrap_or_default();
        let addresses: Vec<u64> =
            space.patches.keys().copied().filter(|a| !hooked.contains(a)).collect();
        for address in addresses {
            self.ensure_room(pid, address)?;
            self.space_mut(pid)?.unpatch(address)?;
        }
        Ok(())
    }

    // ---- collecting ---------------------------------------------------------------------

    /// Collects the records that are finished. Answers whether there was any.
    pub(crate) fn collect_finished(&mut self, pid: pid_t) -> bool {
        let Some(inside) = self.spaces.get_mut(&pid).and_then(|s| s.inside.as_mut()) else {
            return false;
        };
        let before = self.recorded.len();
        let mut taken = 0u64;
        while let Some(record) = inside.ring.take() {
            taken += 1;
            // Their passages through functions are not events of the parent.
            if !inside.borrowed.is_empty() && inside.borrowed.contains(&record.thread) {
                continue;
            }
            let thread = ThreadId(inside.thread_of(record.thread, pid));
            self.recorded.push(Recorded { process: ProcessId(pid), thread, record });
        }
        if taken > 0 {
            inside.ring.free();
        }
        self.recorded.len() > before
    }

    /// Collects all records that were begun until now.
    pub(crate) fn collect_begun(&mut self, pid: pid_t) -> Result<()> {
        let Some(inside) = self.spaces.get(&pid).and_then(|s| s.inside.as_ref()) else {
            return Ok(());
        };
        let mut left = inside.ring.begun();
        let mut idle = 0u32;
        while left > 0 {
            self.collect_finished(pid);
            let Some(inside) = self.spaces.get(&pid).and_then(|s| s.inside.as_ref()) else { break };
            let now = inside.ring.begun();
            if now >= left {
                // A thread is writing one, or waits for room, or has stopped amid it.
                idle += 1;
                // A thread that does not finish it soon waits for a processor, perhaps for ours.
                let patience = if idle > 64 { TURN } else { Duration::ZERO };
                match self.next_new_status(patience)? {
                    Some((tid, status)) => self.on_status(tid, status)?,
                    None => std::thread::yield_now(),
                }
                if self.members(pid).is_empty() {
                    break;
                }
            }
            left = left.min(now);
        }
        Ok(())
    }

    /// A wait result the kernel has now, or within that time. Results that were put off stay so.
    fn next_new_status(&mut self, within: Duration) -> Result<Option<(pid_t, libc::c_int)>> {
        let deferred = std::mem::take(&mut self.deferred);
        let status = match within.is_zero() {
            true => self.next_status(),
            false => self.await_answer(Some(Instant::now() + within)),
        };
        let newer = std::mem::replace(&mut self.deferred, deferred);
        self.deferred.extend(newer);
        status
    }

    /// Collects all that is left in a process whose threads are gone.
    pub(crate) fn collect_rest(&mut self, pid: pid_t) {
        loop {
            self.collect_finished(pid);
            let Some(inside) = self.spaces.get_mut(&pid).and_then(|s| s.inside.as_mut()) else {
                return;
            };
            if inside.ring.begun() == 0 {
                return;
            }
            inside.ring.skip();
        }
    }

    /// The first thread is about to end. Answers whether that is reported, because records were written
    /// that were not read yet; then it waits.
    pub(crate) fn end_inside(&mut self, tid: pid_t) -> Result<bool> {
        let pid = self.thread(tid)?.pid;
        self.collect_finished(pid);
        if self.thread(tid)?.role != Role::Member || self.recorded.is_empty() {
            return Ok(false);
        }
        self.tell(tid, Reason::Ending)?;
        Ok(true)
    }

    /// A new thread stands before its first instruction.
    pub(crate) fn greet_inside(&mut self, pid: pid_t, tid: pid_t) -> Result<()> {
        if self.space(pid)?.inside.is_none() {
            return Ok(());
        }
        self.collect_begun(pid)?;
        let key = self.fetch_registers(tid)?.raw.fs_base;
        if let Some(inside) = &mut self.space_mut(pid)?.inside {
            inside.threads.insert(key, tid);
            inside.last_thread = None;
            inside.name_thread(key, tid);
        }
        Ok(())
    }

    /// A thread lends its memory and its thread pointer to a child, or has them back.
    pub(crate) fn lend_inside(&mut self, tid: pid_t, yes: bool) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        if self.space(pid)?.inside.is_none() {
            return Ok(());
        }
        self.collect_begun(pid)?;
        let key = self.fetch_registers(tid)?.raw.fs_base;
        if let Some(inside) = &mut self.space_mut(pid)?.inside {
            match yes {
                true => inside.borrowed.insert(key),
                false => inside.borrowed.remove(&key),
            };
            // Its events belong to no process meanwhile.
            inside.name_thread(key, if yes { 0 } else { tid });
        }
        Ok(())
    }

    // ---- stops --------------------------------------------------------------------------

    /// A thread stopped in a trampoline for the tracer's sake: the shared memory is full, or a captured
    /// pointer is bad. Answers whether that was it; then the thread goes on.
    pub(crate) fn on_stop_inside(&mut self, tid: pid_t, signal: libc::c_int) -> Result<bool> {
        let pid = self.thread(tid)?.pid;
        if self.spaces.get(&pid).is_none_or(|s| s.inside.is_none()) {
            return Ok(false);
        }
        let mut registers = self.fetch_registers(tid)?;
        let pc = registers.pc();
        let Some(inside) = &self.space(pid)?.inside else { return Ok(false) };
        if !inside.zone_of(pc) {
            return Ok(false);
        }
        match signal {
            libc::SIGTRAP if inside.stops.contains(&pc) => {
                self.collect_finished(pid);
            }
            libc::SIGSEGV | libc::SIGBUS => {
                let Some(next) = inside.faults.get(&pc).copied() else { return Ok(false) };
                if !sys::get_siginfo(tid).is_ok_and(|i| i.si_code > 0) {
                    return Ok(false);
                }
                registers.set_pc(next);
                self.put_registers(tid, registers)?;
            }
            _ => return Ok(false),
        }
        if self.thread(tid)?.want_stop {
            self.step_outside(tid)?;
        }
        self.settle(tid)?;
        Ok(true)
    }

    /// An instruction of a function faulted in a trampoline. The function gets its code and its breakpoint
    /// back, and the thread stands where the instruction belongs. Answers whether that was it.
    pub(crate) fn on_fault_inside(
        &mut self,
        tid: pid_t,
        signal: libc::c_int,
        info: &libc::siginfo_t,
    ) -> Result<bool> {
        let is_fault = matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL);
        let pid = self.thread(tid)?.pid;
        let Some(inside) = self.spaces.get(&pid).and_then(|s| s.inside.as_ref()) else {
            return Ok(false);
        };
        if !is_fault || info.si_code <= 0 || inside.moved.is_empty() {
            return Ok(false);
        }
        let mut registers = self.fetch_registers(tid)?;
        let Some(inside) = &self.space(pid)?.inside else { return Ok(false) };
        let Some(&(original, function)) = inside.moved.get(&registers.pc()) else {
            return Ok(false);
        };
        self.ensure_room(pid, function)?;
        self.space_mut(pid)?.unpatch(function)?;
        registers.set_pc(original);
        self.put_registers(tid, registers)?;
        if original == function {
            // It is tried again under the breakpoint, which is no new event.
            self.thread_mut(tid)?.again = Some((original, registers.sp()));
        }
        Ok(true)
    }

    /// Moves a stopped thread out of a trampoline, if it is in one. Answers whether it was.
    pub(crate) fn step_outside(&mut self, tid: pid_t) -> Result<bool> {
        let pid = self.thread(tid)?.pid;
        if self.spaces.get(&pid).is_none_or(|s| s.inside.is_none()) {
            return Ok(false);
        }
        let pc = self.fetch_registers(tid)?.pc();
        if !self.in_zone(pid, pc) {
            return Ok(false);
        }
        let mask =
            sys::get_sigmask(tid).map_err(|e| Error::system("cannot read signal mask", e))?;
        sys::set_sigmask(tid, sys::ALL_BUT_TRAPS)
            .map_err(|e| Error::system("cannot set signal mask", e))?;
        let result = loop {
            let mut result = self.step_quietly(tid).map(drop);
            let failed = result.as_ref().err().map(Error::kind);
            if failed == Some(ErrorKind::Memory) && self.mend(pid, tid)? {
                result = Ok(());
            }
            if result.is_err() {
                break result;
            }
            let pc = self.fetch_registers(tid)?.pc();
            let escape = |i: &Inside| i.escapes.get(&pc).copied();
            if let Some(next) = self.space(pid)?.inside.as_ref().and_then(escape) {
                // It does not answer while it is held.
                let mut registers = self.fetch_registers(tid)?;
                registers.set_pc(next);
                self.put_registers(tid, registers)?;
                continue;
            }
            let stands = |i: &Inside| i.stops.contains(&pc);
            if self.space(pid)?.inside.as_ref().is_some_and(stands) {
                // Waits for room. Those that have to finish before it may have stopped, too.
                self.collect_finished(pid);
                if let Some((other, status)) = self.next_new_status(Duration::ZERO)? {
                    self.on_status(other, status)?;
                }
            }
            if !self.in_zone(pid, pc) {
                break Ok(());
            }
        };
        self.end_quiet(tid, mask)?;
        result.map(|()| true)
    }

    /// A captured pointer turned out to be bad while a thread was stepped; it goes on without it.
    fn mend(&mut self, pid: pid_t, tid: pid_t) -> Result<bool> {
        self.thread_mut(tid)?.forget_registers();
        let mut registers = self.fetch_registers(tid)?;
        let inside = self.space(pid)?.inside.as_ref();
        let Some(next) = inside.and_then(|i| i.faults.get(&registers.pc()).copied()) else {
            return Ok(false);
        };
        if let Some(at) = self.deferred.iter().rposition(|(t, _)| *t == tid) {
            self.deferred.remove(at);
        }
        registers.set_pc(next);
        self.put_registers(tid, registers)?;
        Ok(true)
    }

    // ---- waiting ------------------------------------------------------------------------

    /// Whether records are to be reported.
    pub(super) fn next_records(&mut self) -> Option<Stop> {
        let first = self.recorded.first()?;
        let (process, thread) = (first.process, first.thread);
        Some(Stop { thread, process, reason: Reason::Recorded })
    }

    /// Waits for a record or a stop if some process has trampolines; false if none has.
    pub(super) fn pump_inside(&mut self, end: Option<Instant>) -> Result<bool> {
        if !self.has_inside() {
            return Ok(false);
        }
        let pids: Vec<pid_t> = self.spaces.keys().copied().collect();
        let start = Instant::now();
        loop {
            let mut found = false;
            for pid in &pids {
                found |= self.collect_finished(*pid);
            }
            if let Some((tid, status)) = self.next_status()? {
                self.on_status(tid, status)?;
                return Ok(true);
            }
            if found || self.waker.as_ref().is_some_and(|w| w.is_set()) {
                return Ok(true);
            }
            if start.elapsed() >= BUSY {
                break;
            }
            std::thread::yield_now();
        }
        // The program is quiet: sleep, until it has written some or stops.
        for inside in self.spaces.values().filter_map(|s| s.inside.as_ref()) {
            inside.ring.wake_after(WAKING);
            if inside.ring.begun() > 0 {
                return Ok(true);
            }
        }
        let nap = Instant::now() + NAP;
        let status = self.await_status(Some(end.map_or(nap, |end| end.min(nap))));
        self.sleeper.rest()?;
        if let Some((tid, status)) = status? {
            self.on_status(tid, status)?;
        }
        Ok(true)
    }
}

fn unshared(e: std::io::Error) -> Error {
    Error::system("memory cannot be shared with the program", e)
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::Unsupported, why)
}

/// Whether the kernel lets programs read their thread pointer without asking it.
fn has_fsgsbase() -> bool {
    const HWCAP2_FSGSBASE: u64 = 2;
    // SAFETY: reads a word that the kernel has given to this process.
    (unsafe { libc::getauxval(libc::AT_HWCAP2) } & HWCAP2_FSGSBASE) != 0
}
