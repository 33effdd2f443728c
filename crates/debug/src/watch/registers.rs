//! Watching by debug registers.

use libc::{c_int, pid_t};

use super::{Access, Moment, Watch, WatchHit, Watches, decode};
use crate::error::{Error, ErrorKind, Result};
use crate::point::PointId;
use crate::sys;
use crate::tracer::{Reason, Tracer};

/// One of the four registers.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    address: u64,
    size: u64,
    /// Whether reads trap too; the processor cannot trap reads alone.
    reads: bool,
    users: Vec<PointId>,
}

/// What a trap comes from.
struct Fired {
    /// These registers, as bits; if that is not certain, those in use.
    by: u64,
    is_certain: bool,
}

/// Aligned pieces of at most eight bytes that cover the range.
fn pieces(address: u64, size: u64) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    let (mut at, end) = (address, address + size);
    while at < end && all.len() <= 4 {
        let mut n = 8;
        while at % n != 0 || at + n > end {
            n /= 2;
        }
        all.push((at, n));
        at += n;
    }
    all
}

impl Watches {
    pub(super) fn fits_registers(&self, address: u64, size: u64, access: Access) -> bool {
        self.plan(address, size, access).is_some()
    }

    /// For each piece, the register that serves it.
    fn plan(&self, address: u64, size: u64, access: Access) -> Option<Vec<(usize, u64, u64)>> {
        let reads = access.wants_reads();
        let mut free: Vec<usize> = (0..4).filter(|i| self.registers[*i].is_none()).collect();
        let pieces = pieces(address, size);
        if pieces.len() > 4 {
            return None;
        }
        let mut plan = Vec::new();
        for (at, n) in pieces {
            let shared = self.registers.iter().position(|slot| {
                slot.as_ref().is_some_and(|s| (s.address, s.size, s.reads) == (at, n, reads))
            });
            let index = match shared {
                Some(index) => index,
                None => free.pop()?,
            };
            plan.push((index, at, n));
        }
        Some(plan)
    }

    pub(super) fn take_registers(
        &mut self,
        id: PointId,
        address: u64,
        size: u64,
        access: Access,
    ) -> Result<()> {
        let plan = self.plan(address, size, access).ok_or_else(|| {
            Error::new(ErrorKind::Limit, "no debug register is free; use page protection")
        })?;
        for (index, address, size) in plan {
            let reads = access.wants_reads();
            let slot = self.registers[index].get_or_insert(Slot {
                address,
                size,
                reads,
                users: Vec::new(),
            });
            slot.users.push(id);
        }
        Ok(())
    }

    pub(super) fn release_registers(&mut self, id: PointId) {
        for slot in &mut self.registers {
            if let Some(s) = slot {
                s.users.retain(|u| *u != id);
                if s.users.is_empty() {
                    *slot = None;
                }
            }
        }
    }

    /// The four addresses and the control word.
    fn encoded(&self) -> [u64; 5] {
        let mut all = [0; 5];
        for (i, slot) in self.registers.iter().enumerate() {
            if let Some(s) = slot {
                all[i] = s.address;
                let kind: u64 = if s.reads { 3 } else { 1 };
                let length: u64 = match s.size {
                    1 => 0,
                    2 => 1,
                    4 => 3,
                    _ => 2,
                };
                all[4] |= 1 << (2 * i) | kind << (16 + 4 * i) | length << (18 + 4 * i);
            }
        }
        all
    }
}

impl Tracer {
    /// Brings a stopped thread's debug registers up to date.
    pub(crate) fn flush_debug_registers(&mut self, tid: pid_t) {
        let Some(t) = self.threads.get_mut(&tid) else { return };
        let wanted = match self.watches.get(&t.pid) {
            Some(watches) => watches.encoded(),
            None => [0; 5],
        };
        if wanted == t.debug_registers {
            return;
        }
        // The control word goes first off and last on. A failure means the thread is gone.
        if t.debug_registers[4] != 0 {
            let _ = sys::set_debug_register(tid, 7, 0);
        }
        for (i, value) in wanted[..4].iter().enumerate() {
            if *value != t.debug_registers[i] {
                let _ = sys::set_debug_register(tid, i, *value);
            }
        }
        if wanted[4] != 0 {
            // Kernels before 5.10 leave what fired before in the status word.
            let _ = sys::set_debug_register(tid, 6, 0);
            let _ = sys::set_debug_register(tid, 7, wanted[4]);
        }
        t.debug_registers = wanted;
    }

    /// Which debug registers a trap comes from. Where the kernel says that it was one and only one
    /// is in use, its status word need not be asked for.
    fn fired(&mut self, tid: pid_t, code: c_int) -> Result<Fired> {
        let control = self.thread(tid)?.debug_registers[4];
        let used = (0..4).filter(|i| control & 1 << (2 * i) != 0).fold(0u64, |all, i| all | 1 << i);
        if used == 0 || code == sys::TRAP_HWBKPT && used.is_power_of_two() {
            return Ok(Fired { by: used, is_certain: true });
        }
        const SINGLE_STEP: u64 = 1 << 14;
        let status = sys::get_debug_register(tid, 6)
            .map_err(|e| Error::system("cannot read the debug status", e))?;
        let _ = sys::set_debug_register(tid, 6, 0);
        if status & (0xf | SINGLE_STEP) != 0 || code != libc::TRAP_BRKPT {
            return Ok(Fired { by: status & 0xf, is_certain: true });
        }
        let is_own = self.is_own_trap(tid)?;
        Ok(Fired { by: if is_own { 0 } else { used }, is_certain: is_own })
    }

    /// Whether a trap of which the processor says nothing is the program's own. Now and then a virtual
    /// machine loses the status of one of ours, which then looks like that of an `int1`.
    pub(crate) fn is_own_trap(&mut self, tid: pid_t) -> Result<bool> {
        const TRAP_FLAG: u64 = 1 << 8;
        const INT1: u8 = 0xf1;
        const SYSCALL: [u8; 2] = [0x0f, 0x05];
        let registers = self.fetch_registers(tid)?;
        // The kernel does not show the flag where it set it to step for us.
        if registers.by_name("eflags").is_some_and(|flags| flags & TRAP_FLAG != 0) {
            return Ok(true);
        }
        let mut code = [0; 2];
        let space = self.space(self.thread(tid)?.pid)?;
        let read = space.read_partly(registers.pc().wrapping_sub(2), &mut code);
        Ok(read == code.len() && (code[1] == INT1 || code == SYSCALL))
    }

    /// A trap, with the code of its signal, that may come from a debug register. True when it was
    /// dealt with.
    pub(crate) fn on_debug_trap(&mut self, tid: pid_t, code: c_int) -> Result<bool> {
        let is_stepping = self.thread(tid)?.stepping;
        match self.debug_hits(tid, code, is_stepping)? {
            None => return Ok(false),
            Some(hits) if hits.is_empty() && is_stepping => return Ok(false),
            Some(hits) if hits.is_empty() => self.settle(tid)?,
            Some(hits) => self.tell(tid, Reason::Watch { hits })?,
        }
        Ok(true)
    }

    /// Keeps what a quiet step, just made, did to watched memory, until it can be told.
    pub(crate) fn note_watched(&mut self, tid: pid_t) -> Result<()> {
        let hits = self.debug_hits(tid, libc::TRAP_BRKPT, true)?.unwrap_or_default();
        if !hits.is_empty() {
            self.thread_mut(tid)?.untold.push_back(Reason::Watch { hits });
        }
        Ok(())
    }

    /// What the debug registers have seen; `None` if the trap does not come from them.
    fn debug_hits(
        &mut self,
        tid: pid_t,
        code: c_int,
        is_step: bool,
    ) -> Result<Option<Vec<WatchHit>>> {
        let pid = self.thread(tid)?.pid;
        if !self.watches.contains_key(&pid) {
            return Ok(None);
        }
        let fired = self.fired(tid, code)?;
        if fired.by == 0 {
            return Ok(None);
        }
        let registers = self.fetch_registers(tid)?;
        let space = self.space(pid)?;
        let copied = space.copy_at(registers.pc()).map(|c| c.original);
        let Some(watches) = self.watches.get(&pid) else { return Ok(None) };
        let refers = |watch: &Watch| match copied {
            Some(original) => decode::refers_at(space, original, &registers, watch),
            None => decode::refers_before(space, registers.pc(), &registers, watch),
        };
        let mut hits = Vec::new();
        let mut updates = Vec::new();
        for (id, watch) in &watches.points {
            let touched = watches.registers.iter().enumerate().any(|(i, slot)| {
                fired.by & 1 << i != 0 && slot.as_ref().is_some_and(|s| s.users.contains(id))
            });
            if !touched {
                continue;
            }
            let mut new = vec![0; watch.value.len()];
            space.read(watch.address, &mut new)?;
            let (instruction, decoded) = match copied {
                Some(original) => (Some(original), decode::at(space, original, &registers, watch)),
                None => decode::before(space, registers.pc(), &registers, watch),
            };
            let is_certain = fired.is_certain || fired.by.is_power_of_two() && !is_step;
            if !is_certain && new == watch.value && !refers(watch) {
                continue;
            }
            let is_write =
                !watch.access.wants_reads() || new != watch.value || decoded == Some(Access::Write);
            let access = if is_write { Access::Write } else { Access::Read };
            let wanted =
                if is_write { watch.access.wants_writes() } else { watch.access.wants_reads() };
            if wanted {
                hits.push(WatchHit {
                    point: *id,
                    owner: watch.owner,
                    address: watch.address,
                    access,
                    moment: Moment::After,
                    old: watch.value.clone(),
                    new: Some(new.clone()),
                    instruction,
                    by_system_call: false,
                });
            }
            updates.push((*id, new));
        }
        if let Some(watches) = self.watches.get_mut(&pid) {
            for (id, new) in updates {
                if let Some(w) = watches.points.get_mut(&id) {
                    w.value = new;
                }
            }
        }
        Ok(Some(hits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_and_complete() {
        assert_eq!(pieces(8, 8), [(8, 8)]);
        assert_eq!(pieces(9, 4), [(9, 1), (10, 2), (12, 1)]);
        assert_eq!(pieces(16, 12), [(16, 8), (24, 4)]);
        assert!(pieces(0, 64).len() > 4);
    }
}
