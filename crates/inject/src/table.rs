//! Instances of a property that are inside the program.
//!
//! A table has [`BUCKETS`] buckets of [`WAYS`] places. A bucket has a lock, counters, and the keys of
//! its places, each with an entry: the instance's state, its variable, and its last steps. Trampolines
//! hold the lock while they step an instance. An instance that they cannot step is marked as *out*:
//! from then on its events are written down for the tracer, which [takes it over](Table::claim). A bucket
//! that was full once has instances that are not in it; what it does not know is the tracer's.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Buckets of a table; a power of two.
const BUCKETS: u64 = 1 << BUCKET_BITS;
pub(crate) const BUCKET_BITS: u32 = 14;
/// Places of a bucket.
pub(crate) const WAYS: u64 = 8;

// Of a bucket:
pub(crate) const LOCK: u64 = 0;
pub(crate) const FLAGS: u64 = 4;
pub(crate) const CREATED: u64 = 8;
pub(crate) const COUNTS: u64 = 16;
pub(crate) const KEYS: u64 = 64;
pub(crate) const OTHERS: u64 = 128;
pub(crate) const ENTRIES: u64 = 192;
/// So many kinds of events are counted.
pub const KINDS: usize = 12;

/// A lock that is held for longer is that of a thread that was killed together with its process.
const PATIENCE: Duration = Duration::from_secs(5);

/// A flag of a bucket: instances with keys that are not here are the tracer's.
pub(crate) const OVERFLOWED: u32 = 1;

// Of an entry:
pub(crate) const STATE: u64 = 0;
/// How many steps there were, up to one more than are kept; 0: as if it had never been there.
pub(crate) const LENGTH: u64 = 2;
/// Where the next step goes.
pub(crate) const NEXT: u64 = 4;
pub(crate) const OUT: u64 = 6;
pub(crate) const VARIABLE: u64 = 8;
pub(crate) const STEPS: u64 = 16;

// Of a step:
pub(crate) const STEP_THREAD: u64 = 0;
pub(crate) const STEP_SITE: u64 = 4;
pub(crate) const STEP_STATE: u64 = 6;
pub(crate) const STEP_CALLER: u64 = 8;
pub(crate) const STEP_WORDS: u64 = 16;

const IS_OUT: u64 = 1;
const IS_CLAIMED: u64 = 2;

/// How large the parts of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How many steps are kept of an instance.
    pub history: u16,
    /// How many words are kept of a step.
    pub words: u8,
    /// The state of an instance to which nothing has happened.
    pub start: u16,
    /// The value of its variable.
    pub initial: i64,
}

impl Layout {
    pub(crate) fn step(&self) -> u64 {
        STEP_WORDS + 8 * u64::from(self.words)
    }

    pub(crate) fn entry(&self) -> u64 {
        STEPS + u64::from(self.history) * self.step()
    }

    pub(crate) fn bucket(&self) -> u64 {
        (ENTRIES + WAYS * self.entry()).next_multiple_of(64)
    }

    /// Bytes of a table.
    pub fn size(&self) -> u64 {
        BUCKETS * self.bucket()
    }
}

/// A step of an instance inside the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The thread, by the kernel's number.
    pub thread: u32,
    /// Which [`crate::Step`] it was.
    pub site: u16,
    /// The state it led to.
    pub state: u16,
    /// Where the function returns to.
    pub caller: u64,
    /// The words that are kept of it.
    pub words: Vec<u64>,
}

/// An instance as it was when the tracer took it over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resident {
    /// The values of its parameters.
    pub keys: [u64; 2],
    /// Its state.
    pub state: u16,
    /// Its variable.
    pub variable: i64,
    /// Its last steps, oldest first.
    pub steps: Vec<Kept>,
    /// Whether there were more.
    pub is_cut: bool,
}

/// The memory of a table, as the tracer sees it.
#[derive(Debug)]
pub struct Table {
    memory: *mut u8,
    layout: Layout,
    file: File,
}

// SAFETY: the memory belongs to the process, not to a thread, and is accessed atomically.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Table {
    /// Maps the memory of a file, which must have the size of the layout.
    pub fn map(file: &File, layout: Layout) -> io::Result<Table> {
        if file.metadata()?.len() < layout.size() {
            return Err(io::Error::other("the shared memory is too small"));
        }
        // SAFETY: a new mapping; nothing in this process has it. The file is large enough, and nobody
        // has a descriptor any more with which to make it smaller once the tracer has closed its own.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                layout.size() as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Table { memory: memory.cast(), layout, file: file.try_clone()? })
    }

    fn word(&self, at: u64) -> &AtomicU64 {
        debug_assert!(at + 8 <= self.layout.size() && at.is_multiple_of(8));
        // SAFETY: inside the mapping, which lives as long as `self`, aligned, and only ever accessed
        // as atomic words on this side.
        unsafe { &*self.memory.add(at as usize).cast::<AtomicU64>() }
    }

    fn half(&self, at: u64) -> &AtomicU32 {
        debug_assert!(at + 4 <= self.layout.size() && at.is_multiple_of(4));
        // SAFETY: as above.
        unsafe { &*self.memory.add(at as usize).cast::<AtomicU32>() }
    }

    fn read(&self, at: u64) -> u64 {
        self.word(at).load(Ordering::Relaxed)
    }

    /// Does something while no trampoline steps an instance of a bucket. Trampolines hold the lock for
    /// some tens of instructions, and are never stopped meanwhile.
    fn locked<T>(&self, bucket: u64, act: impl FnOnce() -> T) -> T {
        let lock = self.half(bucket + LOCK);
        let start = Instant::now();
        while lock.swap(1, Ordering::Acquire) != 0 && start.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        let result = act();
        lock.store(0, Ordering::Release);
        result
    }

    fn bucket_of(&self, key: u64) -> u64 {
        let number = (key as u32).wrapping_mul(crate::ring::MIXER) >> (32 - BUCKET_BITS);
        u64::from(number) * self.layout.bucket()
    }

    fn entry(&self, bucket: u64, way: u64) -> u64 {
        bucket + ENTRIES + way * self.layout.entry()
    }

    /// The steps that are kept of an entry, and whether there were more.
    fn steps(&self, entry: u64, head: u64) -> (Vec<Kept>, bool) {
        let limit = u64::from(self.layout.history);
        let (length, next) = (head >> (8 * LENGTH) & 0xffff, head >> (8 * NEXT) & 0xffff);
        let first = if length < limit || limit == 0 { 0 } else { next };
        let step = |i: u64| {
            let at = entry + STEPS + (first + i) % limit * self.layout.step();
            let (head, caller) = (self.read(at), self.read(at + STEP_CALLER));
            Kept {
                thread: (head >> (8 * STEP_THREAD)) as u32,
                site: (head >> (8 * STEP_SITE)) as u16,
                state: (head >> (8 * STEP_STATE)) as u16,
                caller,
                words: (0..u64::from(self.layout.words))
                    .map(|w| self.read(at + STEP_WORDS + 8 * w))
                    .collect(),
            }
        };
        ((0..length.min(limit)).map(step).collect(), length > limit)
    }

    /// Takes an instance over, in a bucket that is locked. `None` if it is as new.
    fn take(&self, bucket: u64, way: u64) -> Option<Resident> {
        let entry = self.entry(bucket, way);
        let head = self.read(entry);
        let out = (IS_OUT | IS_CLAIMED) << (8 * OUT);
        self.word(entry).store(head | out, Ordering::Release);
        let is_as_new = head >> (8 * LENGTH) & 0xffff == 0;
        if head >> (8 * OUT) & IS_CLAIMED != 0 || is_as_new {
            return None;
        }
        let (steps, is_cut) = self.steps(entry, head);
        Some(Resident {
            keys: [self.read(bucket + KEYS + 8 * way), self.read(bucket + OTHERS + 8 * way)],
            state: (head >> (8 * STATE)) as u16,
            variable: self.read(entry + VARIABLE) as i64,
            steps,
            is_cut,
        })
    }

    /// Takes over the instance with these keys, or, without the second one, all with the first one. Events
    /// of them are written down from now on.
    pub fn claim(&self, key: u64, other: Option<u64>) -> Vec<Resident> {
        let bucket = self.bucket_of(key);
        if key == 0 {
            return Vec::new();
        }
        let ways = || -> Vec<u64> {
            let is_there = |way: &u64| {
                self.read(bucket + KEYS + 8 * way) == key
                    && other.is_none_or(|o| self.read(bucket + OTHERS + 8 * way) == o)
            };
            (0..WAYS).filter(is_there).collect()
        };
        // Nobody else changes an entry that is out.
        let is_out = |way: &u64| self.read(self.entry(bucket, *way)) >> (8 * OUT) & IS_OUT != 0;
        let known = ways();
        let is_full = self.half(bucket + FLAGS).load(Ordering::Relaxed) & OVERFLOWED != 0;
        if known.iter().all(is_out) && (other.is_some() && !known.is_empty() || is_full) {
            return known.into_iter().filter_map(|way| self.take(bucket, way)).collect();
        }
        self.locked(bucket, || {
            let ways = ways();
            if ways.is_empty() {
                // It is met without a trampoline: nobody may step it inside later.
                self.half(bucket + FLAGS).fetch_or(OVERFLOWED, Ordering::Relaxed);
            }
            ways.into_iter().filter_map(|way| self.take(bucket, way)).collect()
        })
    }

    /// Leaves all instances to the tracer: events of them are written down from now on.
    pub fn shut(&self) {
        for bucket in (0..BUCKETS).map(|n| n * self.layout.bucket()) {
            self.locked(bucket, || {
                self.half(bucket + FLAGS).fetch_or(OVERFLOWED, Ordering::Relaxed);
                for way in 0..WAYS {
                    let at = self.entry(bucket, way);
                    self.word(at).fetch_or(IS_OUT << (8 * OUT), Ordering::Relaxed);
                }
            });
        }
    }

    /// Takes over all instances of a process that has ended.
    pub fn close(&self) -> Vec<Resident> {
        let mut all = Vec::new();
        for bucket in self.used() {
            let used = (0..WAYS).filter(|way| self.read(bucket + KEYS + 8 * way) != 0);
            all.extend(used.filter_map(|way| self.take(bucket, way)));
        }
        all
    }

    /// The buckets that something may have been written to: reading the others would take memory for them.
    fn used(&self) -> Vec<u64> {
        let seek = |from: u64, what| {
            // SAFETY: changes nothing but the position of a descriptor that nobody reads from.
            let at = unsafe { libc::lseek(self.file.as_raw_fd(), from as libc::off_t, what) };
            u64::try_from(at).ok()
        };
        let mut used = Vec::new();
        let mut end = 0;
        while let Some(start) = seek(end, libc::SEEK_DATA) {
            end = seek(start, libc::SEEK_HOLE).unwrap_or(self.layout.size());
            let first = start / self.layout.bucket();
            let numbers = first..end.div_ceil(self.layout.bucket()).min(BUCKETS);
            used.extend(numbers.map(|n| n * self.layout.bucket()));
        }
        used.dedup();
        used
    }

    /// How many events there were of each kind that no record tells, and how many instances were made.
    pub fn counts(&self) -> ([u64; KINDS], u64) {
        let (mut counts, mut created) = ([0; KINDS], 0);
        for bucket in self.used() {
            created += u64::from(self.half(bucket + CREATED).load(Ordering::Relaxed));
            for (kind, count) in counts.iter_mut().enumerate() {
                let at = bucket + COUNTS + 4 * kind as u64;
                *count += u64::from(self.half(at).load(Ordering::Relaxed));
            }
        }
        (counts, created)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this size, and no reference outlives `self`.
        unsafe { libc::munmap(self.memory.cast(), self.layout.size() as usize) };
    }
}

const _: () = assert!(COUNTS + 4 * KINDS as u64 == KEYS);
const _: () = assert!(OTHERS == KEYS + 8 * WAYS && ENTRIES == OTHERS + 8 * WAYS);
