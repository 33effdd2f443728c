//! After-events: which calls are in flight, and which have just returned.
//!
//! A breakpoint at the return address is shared by every pass through that code; what makes it
//! one call's return is the stack pointer. Frames that were left by an exception or `longjmp` are
//! recognised by a stack pointer beyond them and other contents where their return address was, and
//! dropped. Stacks of fibers may lie beside each other in one mapping, and be taken to other threads.

use libc::pid_t;

use super::{Pending, Shadow, ThreadId, Tracer};
use crate::error::{Error, ErrorKind, Result};
use crate::maps;
use crate::point::{CallId, PointId};
use crate::registers::Registers;
use crate::space::Space;
use crate::sys;

/// Room below the mapped part of the main stack into which it may grow.
const STACK_GROWTH: u64 = 64 << 20;

/// How many frames are looked at per call and return to find those that were left otherwise.
const LOOKED_AT: usize = 32;

/// How a function was entered, as far as the call instruction tells.
enum Entered {
    Called,
    TailCalled,
    Unknown,
}

impl Tracer {
    /// A function with after points was entered.
    pub(super) fn on_call(
        &mut self,
        tid: pid_t,
        entry: u64,
        sp: u64,
        call: CallId,
        points: Vec<PointId>,
    ) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        let ret = self.space(pid)?.read_u64(sp);
        let ret = match ret.and_then(|ret| self.expect_return(pid, ret).map(|()| ret)) {
            Ok(ret) => ret,
            Err(e) if e.is_gone() => return Err(e),
            // It was jumped to by somebody who left no way back: the program's business.
            Err(e) => {
                let why = e.to_string();
                self.unseen_returns.extend(points.into_iter().map(|p| (p, why.clone())));
                return Ok(());
            }
        };
        let after = sp.wrapping_add(8);
        let mut dead = self.forget_dead(tid, sp, after)?;
        // A call with the very same frame is either our tail caller or left without a return.
        if let Some(last) = self.shadow(tid, sp)?.within(after..=after).last() {
            let (last_ret, last_entry) = (last.ret, last.entry);
            let space = self.space(pid)?;
            let stale = last_ret != ret
                || match entered(space, ret, entry) {
                    Entered::Called => true,
                    Entered::TailCalled => false,
                    Entered::Unknown => last_entry == entry,
                };
            if stale {
                dead.extend(self.shadow(tid, sp)?.take(after..=after).iter().map(|p| p.ret));
            }
        }
        dead.extend(self.take_of_others(tid, after, |p| p.ret != ret).iter().map(|p| p.ret));
        self.shadow(tid, sp)?.push(Pending { sp: after, ret, entry, call, points, again: None });
        self.uncount(pid, &dead)
    }

    /// The points whose calls were entered without a return that could be awaited, and why, since
    /// the last call of this.
    pub fn take_unseen_returns(&mut self) -> Vec<(PointId, String)> {
        std::mem::take(&mut self.unseen_returns).into_iter().collect()
    }

    pub(crate) fn expect_return(&mut self, pid: pid_t, ret: u64) -> Result<()> {
        self.ensure_room(pid, ret)?;
        let site = self.space_mut(pid)?.install(ret)?;
        site.internal.is_return = true;
        site.internal.returns += 1;
        site.internal.idle = 0;
        Ok(())
    }

    /// Nothing will return to this address again, unless a call is in flight that does.
    pub(super) fn expect_no_return(&mut self, pid: pid_t, ret: u64) -> Result<()> {
        let site = self.space_mut(pid)?.sites.get_mut(&ret);
        if let Some(site) = site.filter(|s| s.internal.returns == 0) {
            site.internal.is_return = false;
        }
        Ok(())
    }

    /// Takes the thread to the first instruction of a signal's handler.
    pub(crate) fn enter_handler(&mut self, tid: pid_t, signal: i32) -> Result<()> {
        sys::single_step(tid, signal).map_err(|e| Error::system("cannot deliver a signal", e))?;
        let status = self.wait_thread(tid)?;
        if !libc::WIFSTOPPED(status) || status >> 16 != 0 || libc::WSTOPSIG(status) != libc::SIGTRAP
        {
            self.deferred.push_back((tid, status));
            return Err(Error::new(ErrorKind::Gone, "the signal has no handler"));
        }
        Ok(())
    }

    /// Delivers a signal that interrupted an instruction under a breakpoint. When (and only
    /// when) the handler returns to it, the instruction's second execution is no new event.
    pub(crate) fn deliver_with_return(
        &mut self,
        tid: pid_t,
        signal: i32,
        again: (u64, u64),
    ) -> Result<()> {
        self.enter_handler(tid, signal)?;
        let registers = self.fetch_registers(tid)?;
        if registers.pc() == again.0 {
            // Ignored: nothing came between.
            self.thread_mut(tid)?.redo = Some(again);
            return Ok(());
        }
        let pid = self.thread(tid)?.pid;
        let sp = registers.sp();
        let ret = self.space(pid)?.read_u64(sp)?;
        let pending = Pending {
            sp: sp.wrapping_add(8),
            ret,
            entry: registers.pc(),
            call: CallId(0),
            points: Vec::new(),
            again: Some(again),
        };
        self.shadow(tid, sp)?.push(pending);
        self.expect_return(pid, ret)
    }

    /// The calls that have returned to `address` with this stack pointer, innermost first. Frames
    /// left otherwise are dropped on the way. A fiber may have been entered on another thread than
    /// it returns on.
    pub(super) fn take_returned(
        &mut self,
        tid: pid_t,
        address: u64,
        sp: u64,
    ) -> Result<Vec<Pending>> {
        let pid = self.thread(tid)?.pid;
        let (mut returned, mut gone) = (Vec::new(), Vec::new());
        if self.thread(tid)?.shadows.iter().any(|s| !s.calls.is_empty()) {
            gone = self.forget_dead(tid, sp, sp)?;
            // What else was in this very frame is gone with it.
            let ended = self.shadow(tid, sp)?.take(sp..=sp);
            gone.extend(ended.iter().map(|p| p.ret));
            returned.extend(ended.into_iter().filter(|p| p.ret == address));
        }
        if returned.is_empty() {
            returned = self.take_of_others(tid, sp, |p| p.ret == address);
            gone.extend(returned.iter().map(|p| p.ret));
        }
        returned.reverse();
        self.uncount(pid, &gone)?;
        Ok(returned)
    }

    /// Takes calls with this stack pointer that began on other threads of the process: a fiber that
    /// is in the middle of one may be taken from thread to thread.
    fn take_of_others(
        &mut self,
        tid: pid_t,
        sp: u64,
        is_wanted: impl Fn(&Pending) -> bool,
    ) -> Vec<Pending> {
        let Some(pid) = self.threads.get(&tid).map(|t| t.pid) else { return Vec::new() };
        let others = self.threads.iter_mut().filter(|(other, t)| **other != tid && t.pid == pid);
        let shadows = others.flat_map(|(_, t)| &mut t.shadows);
        let mut taken = Vec::new();
        for shadow in shadows.filter(|s| (s.low..=s.high).contains(&sp)) {
            let (wanted, rest) = shadow.take(sp..=sp).into_iter().partition(&is_wanted);
            taken.extend::<Vec<Pending>>(wanted);
            let rest: Vec<Pending> = rest;
            rest.into_iter().for_each(|p| shadow.push(p));
        }
        taken
    }

    /// Drops the calls of the stack around `sp` whose frames lie below `end` and are not in use any
    /// more: they were left by an exception or `longjmp`, and something else is there now. Those
    /// that still hold their return addresses may belong to another fiber, whose stack is in the
    /// same mapping. Only the nearest ones are looked at; more are when the next call begins or ends.
    /// Answers where the dropped ones would have returned to.
    fn forget_dead(&mut self, tid: pid_t, sp: u64, end: u64) -> Result<Vec<u64>> {
        let pid = self.thread(tid)?.pid;
        let below: Vec<(u64, u64)> = {
            let below = self.shadow(tid, sp)?.within(0..=end.saturating_sub(1));
            below.iter().take(LOOKED_AT).map(|p| (p.sp, p.ret)).collect()
        };
        if below.is_empty() {
            return Ok(Vec::new());
        }
        let space = self.space(pid)?;
        let is_dead = |&(sp, ret): &(u64, u64)| {
            space.read_u64(sp.wrapping_sub(8)).is_ok_and(|there| there != ret)
        };
        let dead: Vec<(u64, u64)> = below.into_iter().filter(is_dead).collect();
        self.shadow(tid, sp)?.calls.retain(|p| !dead.contains(&(p.sp, p.ret)));
        Ok(dead.into_iter().map(|(_, ret)| ret).collect())
    }

    /// Drops the calls whose frames lie between the stack pointers `low` and `high`, and those below
    /// that are not in use any more.
    pub(super) fn drop_frames(&mut self, tid: pid_t, low: u64, high: u64) -> Result<()> {
        let t = self.thread(tid)?;
        let pid = t.pid;
        if t.shadows.iter().all(|s| s.calls.is_empty()) {
            return Ok(());
        }
        let mut gone = self.forget_dead(tid, high, low)?;
        let left = self.shadow(tid, high)?.take(low..=high);
        gone.extend(left.iter().map(|p| p.ret));
        self.uncount(pid, &gone)
    }

    /// The person leaves the frames between two stack pointers: their calls do not return.
    pub(crate) fn leave_calls(&mut self, thread: ThreadId, low: u64, high: u64) -> Result<()> {
        self.drop_frames(thread.0, low, high)
    }

    /// An exception was caught in the frame above `sp`. Where the unwinder tells which frames it
    /// leaves, they were dropped by that.
    pub(super) fn drop_caught(&mut self, tid: pid_t, sp: u64) -> Result<()> {
        let pid = self.thread(tid)?.pid;
        let is_told = self.space(pid)?.sites.values().any(|s| s.internal.landing);
        let low = if is_told { sp } else { 0 };
        self.drop_frames(tid, low, sp.wrapping_add(8))
    }

    /// An exception is about to continue in some frame, for cleaning up or catching: all frames
    /// below are gone. The frame's address is read from the unwinder's context (libgcc's layout;
    /// with another unwinder nothing plausible is found).
    pub(super) fn on_landing(&mut self, tid: pid_t, registers: &Registers) -> Result<()> {
        const CFA_IN_CONTEXT: u64 = 18 * 8;
        let pid = self.thread(tid)?.pid;
        let Some(context) = registers.argument(0) else { return Ok(()) };
        let Ok(cfa) = self.space(pid)?.read_u64(context.wrapping_add(CFA_IN_CONTEXT)) else {
            return Ok(());
        };
        let plausible =
            cfa > registers.sp() && cfa - registers.sp() < STACK_GROWTH && cfa.is_multiple_of(8);
        // The frame's own call, if it is awaited, has exactly this address and lives on.
        if plausible { self.drop_frames(tid, registers.sp(), cfa - 1) } else { Ok(()) }
    }

    /// `longjmp` is about to run: the buffer holds the stack pointer to come, disguised with a
    /// secret of the thread's (glibc's layout; with another C library nothing matches).
    pub(super) fn on_long_jump(&mut self, tid: pid_t, registers: &Registers) -> Result<()> {
        const SP_IN_BUFFER: u64 = 6 * 8;
        let pid = self.thread(tid)?.pid;
        let space = self.space(pid)?;
        let Some(buffer) = registers.argument(0) else { return Ok(()) };
        let (Ok(stored), Ok(guard)) = (
            space.read_u64(buffer.wrapping_add(SP_IN_BUFFER)),
            space.read_u64(registers.raw.fs_base.wrapping_add(0x30)),
        ) else {
            return Ok(());
        };
        let sp = stored.rotate_right(17) ^ guard;
        let plausible = sp > registers.sp() && sp - registers.sp() < STACK_GROWTH;
        // Between stacks of fibers, `longjmp` may be how they take turns: no frame is left by that.
        if plausible && self.shadow(tid, sp)?.is_own {
            return self.drop_frames(tid, registers.sp(), sp);
        }
        Ok(())
    }

    /// Forgets the calls of a thread that has ended. A fiber that it has run may go on on another
    /// thread: its calls become those of one that is still there.
    pub(crate) fn forget_calls(&mut self, pid: pid_t, shadows: Vec<Shadow>) {
        let heir = self.threads.values_mut().find(|t| t.pid == pid);
        let (own, others): (Vec<Shadow>, Vec<Shadow>) =
            shadows.into_iter().partition(|s| s.is_own || heir.is_none());
        if let Some(heir) = heir {
            for shadow in others {
                match heir.shadows.iter_mut().find(|s| s.low == shadow.low) {
                    Some(same) => shadow.calls.into_iter().for_each(|p| same.push(p)),
                    None => heir.shadows.push(shadow),
                }
            }
        }
        let gone: Vec<u64> = own.iter().flat_map(|s| &s.calls).map(|p| p.ret).collect();
        let _ = self.uncount(pid, &gone);
    }

    pub(crate) fn uncount(&mut self, pid: pid_t, returns: &[u64]) -> Result<()> {
        if returns.is_empty() {
            return Ok(());
        }
        let space = self.space_mut(pid)?;
        for ret in returns {
            if let Some(site) = space.sites.get_mut(ret) {
                site.internal.returns = site.internal.returns.saturating_sub(1);
            }
        }
        Ok(())
    }

    /// The shadow of the stack that `sp` lies on.
    fn shadow(&mut self, tid: pid_t, sp: u64) -> Result<&mut Shadow> {
        let t = self.thread_mut(tid)?;
        let known = t.shadows.iter().position(|s| (s.low..s.high).contains(&sp));
        let index = match known {
            Some(index) => index,
            None => {
                let pid = t.pid;
                let mapping = maps::read(pid)?.into_iter().find(|m| m.contains(sp));
                // The C library keeps what belongs to a thread at the end of its stack.
                let thread_data = self.fetch_registers(tid).map_or(0, |r| r.raw.fs_base);
                let (low, high, is_own) = match mapping {
                    Some(m) if m.name == "[stack]" => {
                        (m.start.saturating_sub(STACK_GROWTH), m.end, true)
                    }
                    Some(m) => (m.start, m.end, m.contains(thread_data)),
                    None => (sp & !0xfff, (sp & !0xfff) + 0x1000, false),
                };
                let t = self.thread_mut(tid)?;
                t.shadows.push(Shadow { low, high, is_own, calls: Vec::new() });
                t.shadows.len() - 1
            }
        };
        Ok(&mut self.thread_mut(tid)?.shadows[index])
    }

    /// Whether a call that has just returned is still in flight in another process: it was when one
    /// of them was forked.
    pub(crate) fn is_in_flight(&self, call: CallId) -> bool {
        let has =
            |t: &super::Thread| t.shadows.iter().flat_map(|s| &s.calls).any(|p| p.call == call);
        self.spaces.len() > 1 && self.threads.values().any(has)
    }

    /// The calls in flight of a thread that somebody waits for: function entry, call.
    pub fn calls_in_flight(&self, thread: super::ThreadId) -> Vec<(u64, CallId)> {
        self.threads
            .get(&thread.0)
            .into_iter()
            .flat_map(|t| &t.shadows)
            .flat_map(|s| &s.calls)
            .filter(|p| p.again.is_none())
            .map(|p| (p.entry, p.call))
            .collect()
    }
}

/// Looks at the call instruction before the return address: does it go to `entry`?
fn entered(space: &Space, ret: u64, entry: u64) -> Entered {
    let mut bytes = [0u8; 5];
    if space.read(ret.wrapping_sub(5), &mut bytes).is_err() || bytes[0] != 0xe8 {
        return Entered::Unknown;
    }
    let displacement = i32::from_le_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]);
    let target = ret.wrapping_add(displacement as u64);
    if target == entry {
        return Entered::Called;
    }
    // Through a linkage stub: [endbr64] [bnd] jmp [rip + d].
    let mut stub = [0u8; 16];
    if space.read(target, &mut stub).is_err() {
        return Entered::Unknown;
    }
    let mut at = 0;
    if stub.starts_with(&[0xf3, 0x0f, 0x1e, 0xfa]) {
        at = 4;
    }
    if stub[at] == 0xf2 {
        at += 1;
    }
    if stub[at..].starts_with(&[0xff, 0x25]) {
        let d = i32::from_le_bytes([stub[at + 2], stub[at + 3], stub[at + 4], stub[at + 5]]);
        let slot = target.wrapping_add(at as u64 + 6).wrapping_add(d as u64);
        return match space.read_u64(slot) {
            Ok(to) if to == entry => Entered::Called,
            Ok(_) => Entered::TailCalled,
            Err(_) => Entered::Unknown,
        };
    }
    Entered::TailCalled
}
