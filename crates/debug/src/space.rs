//! One address space: its memory seen without breakpoints, the breakpoint table, scratch code.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::os::unix::fs::FileExt;

use libc::pid_t;

use crate::displace::{self, Displaced, SLOT_SIZE};
use crate::error::{Error, ErrorKind, Result};
use crate::point::{Point, PointId};
use crate::sys;
use crate::tracer::{Inside, Returns};

pub(crate) const INT3: u8 = 0xcc;
/// Bytes mapped at a time for out-of-line copies.
pub(crate) const AREA_SIZE: u64 = 64 << 10;
/// Copies are placed at most this far from the code they stand for.
pub(crate) const REACH: u64 = 1 << 30;

/// An address with an `int3` on it, and its owners.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub original: u8,
    /// The points of all owners, in the order they were armed.
    pub points: Vec<PointId>,
    /// The tracer's own uses of the address.
    pub internal: Internal,
    pub displaced: Displaced,
}

/// Why the tracer itself wants to stop at an address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Internal {
    /// Calls in flight that return here, over all threads.
    pub returns: u32,
    /// Stops here since the last call in flight returned.
    pub idle: u32,
    /// Whether this is a return site at all.
    pub is_return: bool,
    /// The dynamic linker calls this when the set of libraries changed.
    pub libraries: bool,
    /// Exceptions that were caught pass here: frames below the stack pointer are gone.
    pub unwound: bool,
    /// `_Unwind_SetIP`: the unwinder has reached the frame its first argument describes.
    pub landing: bool,
    /// `longjmp` and its variants: the buffer names the stack pointer that survives.
    pub long_jump: bool,
    /// Threads make their last system call here.
    pub thread_end: bool,
}

impl Internal {
    pub fn is_used(&self) -> bool {
        self.is_return
            || self.libraries
            || self.unwound
            || self.landing
            || self.long_jump
            || self.thread_end
    }
}

/// Code that was replaced by a jump elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    /// The program's own bytes.
    pub original: Vec<u8>,
    /// What is there now.
    pub now: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) struct Area {
    pub start: u64,
    pub used: u64,
}

/// Scratch code of one address.
#[derive(Clone, Debug)]
struct Slot {
    displaced: Displaced,
    bytes: [u8; 16],
}

#[derive(Debug)]
pub(crate) struct Space {
    pub pid: pid_t,
    memory: File,
    pub sites: BTreeMap<u64, Site>,
    pub points: HashMap<PointId, Point>,
    slots: HashMap<u64, Slot>,
    /// Copies by address, to tell which instruction a thread inside one is executing.
    by_slot: BTreeMap<u64, u64>,
    pub areas: Vec<Area>,
    /// Address of a `syscall` instruction, for calls made on the program's behalf.
    pub syscall_at: Option<u64>,
    /// Whether threads stop before they end.
    pub ends_watched: bool,
    /// Jumps to trampolines, by the addresses of the functions.
    pub patches: BTreeMap<u64, Patch>,
    /// What is inside the process.
    pub inside: Option<Inside>,
    /// Where handlers may return to, as long as no thread was let go since.
    pub returns: Option<Returns>,
}

impl Space {
    pub fn open(pid: pid_t) -> Result<Space> {
        let memory = sys::open_memory(pid)
            .map_err(|e| Error::system(format!("cannot open the memory of process {pid}"), e))?;
        Ok(Space {
            pid,
            memory,
            sites: BTreeMap::new(),
            points: HashMap::new(),
            slots: HashMap::new(),
            by_slot: BTreeMap::new(),
            areas: Vec::new(),
            syscall_at: None,
            ends_watched: false,
            patches: BTreeMap::new(),
            inside: None,
            returns: None,
        })
    }

    /// The same table over the memory of a forked child, whose pages are copies of these.
    pub fn fork(&self, pid: pid_t) -> Result<Space> {
        let fresh = Space::open(pid)?;
        let mut sites = self.sites.clone();
        for site in sites.values_mut() {
            site.internal.returns = 0;
        }
        Ok(Space {
            pid,
            memory: fresh.memory,
            sites,
            points: self.points.clone(),
            slots: self.slots.clone(),
            by_slot: self.by_slot.clone(),
            areas: self.areas.clone(),
            syscall_at: self.syscall_at,
            ends_watched: self.ends_watched,
            // Processes whose children are followed have no trampolines.
            patches: BTreeMap::new(),
            inside: None,
            returns: None,
        })
    }

    /// Reads memory as the program would see it without a debugger; returns the length read.
    pub fn read_partly(&self, address: u64, buffer: &mut [u8]) -> usize {
        if buffer.is_empty() {
            return 0;
        }
        let n = match sys::read_process(self.pid, address, buffer) {
            Ok(n) if n == buffer.len() => n,
            // Protected pages (ours, or the program's guard pages) only yield to the mem file.
            _ => self.read_file_partly(address, buffer),
        };
        self.hide(address, &mut buffer[..n]);
        n
    }

    fn read_file_partly(&self, address: u64, buffer: &mut [u8]) -> usize {
        let mut done = 0;
        while done < buffer.len() {
            let at = address.wrapping_add(done as u64);
            let page_rest = (0x1000 - (at & 0xfff)) as usize;
            let end = buffer.len().min(done + page_rest);
            match self.memory.read_at(&mut buffer[done..end], at) {
                Ok(n) if n > 0 => done += n,
                _ => break,
            }
        }
        done
    }

    pub fn read(&self, address: u64, buffer: &mut [u8]) -> Result<()> {
        let n = self.read_partly(address, buffer);
        if n == buffer.len() {
            Ok(())
        } else {
            Err(Error::new(
                ErrorKind::Memory,
                format!("cannot read memory at {:#x}", address.wrapping_add(n as u64)),
            ))
        }
    }

    pub fn read_u64(&self, address: u64) -> Result<u64> {
        let mut word = [0; 8];
        self.read(address, &mut word)?;
        Ok(u64::from_le_bytes(word))
    }

    /// Replaces our `int3` bytes in what was read by what they cover.
    pub fn hide(&self, address: u64, bytes: &mut [u8]) {
        let end = address.saturating_add(bytes.len() as u64);
        if end > address {
            for (at, patch) in self.patches_in(address, end) {
                lay(address, bytes, at, &patch.original);
            }
            for (at, site) in self.sites.range(address..end) {
                bytes[(at - address) as usize] = site.original;
            }
        }
    }

    /// Patches that touch a range.
    fn patches_in(&self, address: u64, end: u64) -> impl Iterator<Item = (u64, &Patch)> {
        const LONGEST: u64 = 32;
        let near = self.patches.range(address.saturating_sub(LONGEST)..end);
        near.map(|(at, patch)| (*at, patch))
    }

    /// Whether some of the code in a range is replaced.
    pub fn is_patched(&self, address: u64, end: u64) -> bool {
        let reaches = |at: u64, patch: &Patch| at + patch.original.len() as u64 > address;
        self.patches_in(address, end).any(|(at, patch)| reaches(at, patch))
    }

    /// Replaces code, and the breakpoint on its first byte if there is one, by a jump. All threads are
    /// stopped, and none of them stands there.
    pub fn patch(&mut self, address: u64, patch: Patch) -> Result<()> {
        self.write_raw(address, &patch.now)?;
        self.sites.remove(&address);
        self.patches.insert(address, patch);
        Ok(())
    }

    /// Puts replaced code back, with a breakpoint for the points that are there. Threads may run.
    pub fn unpatch(&mut self, address: u64) -> Result<()> {
        let Some(patch) = self.patches.get(&address).cloned() else { return Ok(()) };
        let displaced = self.displaced(address)?;
        if let Some(inside) = &self.inside {
            inside.mark_everything();
        }
        // First the breakpoint: a thread executes the jump, or stops.
        self.write_raw(address, &[INT3])?;
        self.write_raw(address + 1, &patch.original[1..])?;
        self.patches.remove(&address);
        let mut points: Vec<PointId> =
            self.points.iter().filter(|(_, p)| p.address == address).map(|(id, _)| *id).collect();
        points.sort();
        let original = patch.original[0];
        self.sites
            .insert(address, Site { original, points, internal: Internal::default(), displaced });
        self.release(address)
    }

    /// Puts our `int3` bytes over clean bytes about to be written.
    pub fn overlay(&self, address: u64, bytes: &mut [u8]) {
        let end = address.saturating_add(bytes.len() as u64);
        if end > address {
            for (at, patch) in self.patches_in(address, end) {
                lay(address, bytes, at, &patch.now);
            }
            for (at, _) in self.sites.range(address..end) {
                bytes[(at - address) as usize] = INT3;
            }
        }
    }

    /// Writes memory; bytes under breakpoints change beneath them.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let end = address.checked_add(bytes.len() as u64).ok_or_else(|| {
            Error::new(ErrorKind::Memory, format!("cannot write memory at {address:#x}"))
        })?;
        // An instruction is at most 15 bytes long: a site slightly before may be affected too.
        let touched: Vec<u64> =
            self.sites.range(address.saturating_sub(15)..end).map(|(a, _)| *a).collect();
        let mut raw = bytes.to_vec();
        self.overlay(address, &mut raw);
        self.write_raw(address, &raw)?;
        for at in touched {
            if (address..end).contains(&at)
                && let Some(site) = self.sites.get_mut(&at)
            {
                site.original = bytes[(at - address) as usize];
            }
            let displaced = self.displaced(at)?;
            if let Some(site) = self.sites.get_mut(&at) {
                site.displaced = displaced;
            }
        }
        Ok(())
    }

    /// Writes without regard to breakpoints, also to memory the program may not write.
    pub fn write_raw(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.memory.write_all_at(bytes, address).map_err(|e| {
            Error::with_source(ErrorKind::Memory, format!("cannot write memory at {address:#x}"), e)
        })
    }

    /// Whether scratch memory within reach of the address is left.
    pub fn has_room_near(&self, address: u64) -> bool {
        self.slots.contains_key(&address) || self.room_near(address).is_some()
    }

    fn room_near(&self, address: u64) -> Option<usize> {
        self.areas.iter().position(|a| {
            a.used + SLOT_SIZE as u64 <= AREA_SIZE && a.start.abs_diff(address) < REACH
        })
    }

    /// Prepares (or finds) the way over a breakpoint at the address.
    fn displaced(&mut self, address: u64) -> Result<Displaced> {
        let mut bytes = [0u8; 16];
        let n = self.read_partly(address, &mut bytes);
        if n == 0 {
            return Err(Error::new(ErrorKind::Memory, format!("there is no code at {address:#x}")));
        }
        if let Some(slot) = self.slots.get(&address)
            && slot.bytes == bytes
        {
            return Ok(slot.displaced.clone());
        }
        let area = self.room_near(address).ok_or_else(|| {
            Error::new(ErrorKind::Limit, format!("no scratch memory within reach of {address:#x}"))
        })?;
        let at = self.areas[area].start + self.areas[area].used;
        let displaced = displace::displace(&bytes[..n], address, at)?;
        if let Displaced::Copy(copy) = &displaced {
            self.write_raw(at, &copy.code)?;
            self.areas[area].used += SLOT_SIZE as u64;
            self.by_slot.insert(at, address);
        }
        // Slots are kept for good: a thread may be inside, and monitors re-arm the same sites.
        self.slots.insert(address, Slot { displaced: displaced.clone(), bytes });
        Ok(displaced)
    }

    /// The copy a program counter lies in, if it lies in scratch memory.
    pub fn copy_at(&self, pc: u64) -> Option<&displace::Copy> {
        if !self.areas.iter().any(|a| (a.start..a.start + AREA_SIZE).contains(&pc)) {
            return None;
        }
        let (at, original) = self.by_slot.range(..=pc).next_back()?;
        match self.slots.get(original).map(|s| &s.displaced) {
            Some(Displaced::Copy(copy)) if pc < at + SLOT_SIZE as u64 => Some(copy),
            _ => None,
        }
    }

    /// The address in the program that a program counter stands for.
    pub fn logical_pc(&self, pc: u64) -> u64 {
        match self.copy_at(pc) {
            Some(copy) if pc == copy.at => copy.original,
            Some(copy) if copy.back.is_some_and(|b| pc >= copy.at + b as u64) => copy.next,
            Some(copy) => copy.original,
            None => pc,
        }
    }

    /// The site at the address, made if there is none. Scratch room must have been ensured.
    pub fn install(&mut self, address: u64) -> Result<&mut Site> {
        // Both cannot be in one place; and a thread at a copy of an instruction has to find the rest.
        let patched = self
            .patches_in(address, address + 1)
            .find(|(at, patch)| (*at..at + patch.original.len() as u64).contains(&address));
        if let Some((at, _)) = patched {
            self.unpatch(at)?;
        }
        if !self.sites.contains_key(&address) {
            let displaced = self.displaced(address)?;
            let mut original = [0];
            self.read(address, &mut original)?;
            self.write_raw(address, &[INT3])?;
            self.sites.insert(
                address,
                Site {
                    original: original[0],
                    points: Vec::new(),
                    internal: Internal::default(),
                    displaced,
                },
            );
        }
        self.sites.get_mut(&address).ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("no breakpoint at {address:#x}"))
        })
    }

    /// Removes the `int3` if it has no owner any more.
    pub fn release(&mut self, address: u64) -> Result<()> {
        if let Some(site) = self.sites.get(&address)
            && site.points.is_empty()
            && !site.internal.is_used()
        {
            let original = site.original;
            self.sites.remove(&address);
            // The library may have been unmapped meanwhile; then there is nothing to restore.
            let _ = self.write_raw(address, &[original]);
        }
        Ok(())
    }

    /// Forgets sites whose code is no longer mapped.
    pub fn forget_unmapped(&mut self, mapped: impl Fn(u64) -> bool) {
        let gone: Vec<u64> = self.sites.keys().copied().filter(|a| !mapped(*a)).collect();
        for address in gone {
            if let Some(site) = self.sites.remove(&address) {
                for point in site.points {
                    self.points.remove(&point);
                }
            }
            self.slots.remove(&address);
        }
        self.patches.retain(|address, _| mapped(*address));
        // Muted points have no site.
        self.points.retain(|_, p| mapped(p.address));
    }

    /// Writes the original bytes back into a process that holds a copy of this memory.
    pub fn clean_copy(&self, pid: pid_t) -> Result<()> {
        let memory = sys::open_memory(pid)
            .map_err(|e| Error::system(format!("cannot open the memory of process {pid}"), e))?;
        for (address, site) in &self.sites {
            // A page excluded from forks is absent in the child: nothing to clean there.
            let _ = memory.write_all_at(&[site.original], *address);
        }
        // It may be in the midst of calls that trampolines made, and throw through them.
        let is_hook = |a: &u64| self.inside.as_ref().is_some_and(|i| i.is_hook(*a));
        for (address, patch) in self.patches.iter().filter(|(a, _)| !is_hook(a)) {
            let _ = memory.write_all_at(&patch.original, *address);
        }
        if let Some(enabled) = self.inside.as_ref().and_then(Inside::enabled) {
            let _ = memory.write_all_at(&[0], enabled);
        }
        Ok(())
    }

    /// Puts every `int3` into the memory again that [`Space::clean`] took out.
    pub fn arm_again(&self) -> Result<()> {
        self.patches.iter().try_for_each(|(address, p)| self.write_raw(*address, &p.now))?;
        self.sites.keys().try_for_each(|address| self.write_raw(*address, &[INT3]))
    }

    /// Takes every `int3` out of the memory; the table stays as it was.
    pub fn clean(&self) {
        for (address, site) in &self.sites {
            let _ = self.write_raw(*address, &[site.original]);
        }
        for (address, patch) in &self.patches {
            let _ = self.write_raw(*address, &patch.original);
        }
        if let Some(enabled) = self.inside.as_ref().and_then(Inside::enabled) {
            let _ = self.write_raw(enabled, &[0]);
        }
    }
}

/// Puts `part`, which begins at the address `at`, over the part of `bytes` that it overlaps; `bytes` begins at `address`.
fn lay(address: u64, bytes: &mut [u8], at: u64, part: &[u8]) {
    for (i, byte) in part.iter().enumerate() {
        let offset = (at + i as u64).checked_sub(address);
        if let Some(place) = offset.and_then(|o| bytes.get_mut(o as usize)) {
            *place = *byte;
        }
    }
}
