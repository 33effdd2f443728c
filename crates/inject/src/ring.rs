//! The memory that trampolines write to and the tracer reads.
//!
//! One page for the two numbers that both sides change, then [`SLOTS`] records of one cache line, then
//! [`MAPS`] maps of values that were met (see [`crate::Mark`]), a byte for every hash.
//! Whoever writes a record first takes the next number of the sequence, which is the order of events;
//! if its slot is not read yet, the thread stops for the tracer. It writes the record and, last, its
//! number plus one, which makes it valid.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of a record that are captured values.
pub const WORDS: usize = 4;

/// How many records there is room for; a power of two.
pub(crate) const SLOTS: u64 = 1 << 14;
pub(crate) const SLOT: u64 = 64;
/// Where the slots begin.
pub(crate) const FIRST: u64 = 4096;
/// Where the number is that the next record gets.
pub(crate) const HEAD: u64 = 0;
/// Where the first number is that may not be written yet.
pub(crate) const LIMIT: u64 = 128;
// Of a slot:
pub(crate) const ID: u64 = 8;
pub(crate) const UNREAD: u64 = 12;
pub(crate) const THREAD: u64 = 16;
pub(crate) const CALLER: u64 = 24;
pub(crate) const VALUES: u64 = 32;

/// So many maps of marked values there are.
pub const MAPS: usize = 16;
/// Bytes of a map.
pub(crate) const MAP: u64 = 1 << MAP_BITS;
pub(crate) const MAP_BITS: u32 = 16;
/// Neighbouring numbers and addresses get marks far from each other.
pub(crate) const MIXER: u32 = 0x9e37_79b1;
/// Where the maps begin.
pub(crate) const MARKS: u64 = FIRST + SLOTS * SLOT;

/// Where the names of threads are, by their thread pointers, then what is known of callers.
pub(crate) const THREADS: u64 = MARKS + MAPS as u64 * MAP;
pub(crate) const CALLERS: u64 = THREADS + KNOWN;
/// Both are tables of pairs of words, with [`PROBES`] places for each hash.
const KNOWN: u64 = 16 * ((1 << KNOWN_BITS) + PROBES);
pub(crate) const KNOWN_BITS: u32 = 12;
pub(crate) const PROBES: u64 = 4;
/// Where the number of the first thread is, which has not told its thread pointer.
pub(crate) const FIRST_THREAD: u64 = 192;

/// The record of a trampoline that has to know whether its function was called from inside its library:
/// the function is the first word. See [`Ring::tell_caller`].
pub const QUESTION: u32 = 0;

/// Bytes of shared memory.
pub const SHARED_SIZE: u64 = CALLERS + KNOWN;

/// What a trampoline has written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Which [`crate::Moment`] it is.
    pub id: u32,
    /// One bit for each word that could not be read.
    pub unread: u32,
    /// The thread pointer of the thread.
    pub thread: u64,
    /// Where the function returns to.
    pub caller: u64,
    /// The captured values.
    pub words: [u64; WORDS],
    /// One bit for each step that is done; see [`Record::is_done`].
    pub done: u8,
}

impl Record {
    /// Whether the instances of a step were stepped inside the program.
    #[inline]
    pub fn is_done(&self, step: usize) -> bool {
        self.done >> step & 1 == 1
    }
}

/// The shared memory, as the tracer sees it.
#[derive(Debug)]
pub struct Ring {
    memory: *mut u8,
    /// The number of the next record to be read.
    next: u64,
}

// SAFETY: the memory belongs to the process, not to a thread, and is accessed atomically.
unsafe impl Send for Ring {}
// SAFETY: as above; what `take` changes besides, it changes through `&mut self`.
unsafe impl Sync for Ring {}

impl Ring {
    /// Maps the memory of a file, which must have [`SHARED_SIZE`] bytes.
    pub fn map(file: &File) -> io::Result<Ring> {
        if file.metadata()?.len() < SHARED_SIZE {
            return Err(io::Error::other("the shared memory is too small"));
        }
        // SAFETY: a new mapping; nothing in this process has it. The file is large enough, and nobody
        // has a descriptor any more with which to make it smaller once the tracer has closed its own.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SHARED_SIZE as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let ring = Ring { memory: memory.cast(), next: 0 };
        ring.allow(SLOTS);
        Ok(ring)
    }

    fn word(&self, offset: u64) -> &AtomicU64 {
        debug_assert!(offset + 8 <= SHARED_SIZE && offset.is_multiple_of(8));
        // SAFETY: inside the mapping, which lives as long as `self`, aligned, and only ever accessed
        // as atomic words on this side.
        unsafe { &*self.memory.add(offset as usize).cast::<AtomicU64>() }
    }

    /// How many records were begun and not taken.
    pub fn begun(&self) -> u64 {
        self.word(HEAD).load(Ordering::Acquire).wrapping_sub(self.next)
    }

    /// The next record, if it is finished. Its place may be written again after [`Ring::free`].
    pub fn take(&mut self) -> Option<Record> {
        let slot = FIRST + (self.next % SLOTS) * SLOT;
        if self.word(slot).load(Ordering::Acquire) != self.next + 1 {
            return None;
        }
        let word = |at: u64| self.word(slot + at).load(Ordering::Relaxed);
        let id = word(ID);
        let mut record = Record {
            id: id as u32,
            unread: u32::from((id >> 32) as u8),
            done: (id >> 40) as u8,
            thread: word(THREAD),
            caller: word(CALLER),
            words: [0; WORDS],
        };
        for (i, value) in record.words.iter_mut().enumerate() {
            *value = word(VALUES + 8 * i as u64);
        }
        self.next += 1;
        Some(record)
    }

    /// Skips a record that will not be finished, because its thread has ended.
    pub fn skip(&mut self) {
        self.next += 1;
    }

    /// Lets the places of the records that were taken be written again.
    pub fn free(&self) {
        self.allow(SLOTS);
    }

    /// Makes the thread that begins this many more records stop for the tracer.
    pub fn wake_after(&self, records: u64) {
        self.allow(records.min(SLOTS));
    }

    /// Whether a value is marked in a map, as a trampoline tests it; see [`crate::Mark`].
    pub fn is_marked(&self, map: usize, value: u64) -> bool {
        let place = u64::from((value as u32).wrapping_mul(MIXER) >> (32 - MAP_BITS));
        let at = MARKS + (map % MAPS) as u64 * MAP + place;
        let word = self.word(at & !7).load(Ordering::Relaxed);
        word.to_le_bytes()[(at & 7) as usize] != 0
    }

    /// Marks every value in a map: somebody marks values there without a trampoline.
    pub fn mark_all(&self, map: usize) {
        let start = MARKS + (map % MAPS) as u64 * MAP;
        for at in (start..start + MAP).step_by(8) {
            self.word(at).store(u64::MAX, Ordering::Release);
        }
    }

    /// Gives a thread pointer the number of its thread; 0 while it is lent to a child. Answers whether
    /// there was room.
    pub fn name_thread(&self, pointer: u64, thread: u32) -> bool {
        let free = |at: &u64| self.is(*at, 0) || self.is(*at, pointer);
        let Some(at) = places(THREADS, pointer).find(free) else { return false };
        self.word(at + 8).store(u64::from(thread), Ordering::Release);
        self.word(at).store(pointer, Ordering::Release);
        true
    }

    /// The number of the first thread, which thread pointers without a number belong to.
    pub fn name_first_thread(&self, thread: u32) {
        self.word(FIRST_THREAD).store(u64::from(thread), Ordering::Release);
    }

    /// Answers a [`QUESTION`]. If there is no room, the answer takes the place of another one.
    pub fn tell_caller(&self, function: u64, caller: u64, is_inside: bool) {
        let free = |at: &u64| self.is(*at + 8, 0);
        let at = places(CALLERS, caller).find(free).unwrap_or(CALLERS + known_at(caller));
        // Whoever reads the words looks at the second one before and after.
        self.word(at + 8).store(0, Ordering::Release);
        self.word(at).store(function, Ordering::Release);
        self.word(at + 8).store(caller << 1 | u64::from(is_inside), Ordering::Release);
    }

    /// Forgets the answers: libraries came or went.
    pub fn forget_callers(&self) {
        for at in (CALLERS..CALLERS + KNOWN).step_by(16) {
            self.word(at + 8).store(0, Ordering::Release);
        }
    }

    fn is(&self, at: u64, value: u64) -> bool {
        self.word(at).load(Ordering::Relaxed) == value
    }

    fn allow(&self, records: u64) {
        self.word(LIMIT).store(self.next + records, Ordering::Release);
    }
}

/// How far from the beginning of its table a pair is at least.
fn known_at(key: u64) -> u64 {
    16 * u64::from((key as u32).wrapping_mul(MIXER) >> (32 - KNOWN_BITS))
}

/// Where a pair may be.
fn places(table: u64, key: u64) -> impl Iterator<Item = u64> {
    (0..PROBES).map(move |i| table + known_at(key) + 16 * i)
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this size, and no reference outlives `self`.
        unsafe { libc::munmap(self.memory.cast(), SHARED_SIZE as usize) };
    }
}

const _: () = assert!(VALUES + 8 * WORDS as u64 == SLOT && UNREAD == ID + 4);
