//! Memory for what the agent allocates.
//!
//! Weaving a class takes thousands of small allocations. The C library serves threads of a JVM from
//! heaps that it makes larger page by page, each time with a call of the kernel, and shares with
//! the JVM; that was a third of the time a class took. Here blocks of a few sizes are cut from
//! pieces of memory of our own and used again when they are freed: taking or giving back one is a
//! few instructions under a lock that is never held for longer. Large blocks are the C library's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

/// The one of the library.
#[global_allocator]
static MEMORY: Memory = Memory;

struct Memory;

/// Blocks up to this size come in steps of 16 bytes, …
const FINE: usize = 1024;
/// … those up to this one in four sizes from one power of two to the next.
const MOST: usize = 1 << 20;
const SIZES: usize = FINE / 16 + 40;
const ALIGNMENT: usize = 16;
/// What is asked of the kernel at a time.
const PIECE: usize = 4 << 20;
/// Blocks of a size are cut from parts of a piece of about this length.
const PART: usize = 16 * 1024;

/// Free blocks of each size.
static BLOCKS: [Blocks; SIZES] = [const { Blocks::new() }; SIZES];
/// What is left of the last piece.
static PIECES: Blocks = Blocks::new();

/// Memory to cut blocks from, and blocks that were given back, under a lock.
#[repr(align(64))]
struct Blocks {
    taken: AtomicBool,
    inner: UnsafeCell<Inner>,
}

struct Inner {
    /// Blocks that were given back: each begins with the address of the next.
    free: *mut u8,
    /// Where the next block is cut.
    next: *mut u8,
    left: usize,
}

// SAFETY: only the thread that holds the lock uses `inner`.
unsafe impl Sync for Blocks {}

impl Blocks {
    const fn new() -> Blocks {
        let inner = Inner { free: null_mut(), next: null_mut(), left: 0 };
        Blocks { taken: AtomicBool::new(false), inner: UnsafeCell::new(inner) }
    }

    /// Runs a function under the lock. It must not panic.
    #[inline]
    fn with<T>(&self, body: impl FnOnce(&mut Inner) -> T) -> T {
        let mut tries = 0;
        while self.taken.swap(true, Ordering::Acquire) {
            // The thread that holds it is about to release it, or waits for a processor.
            tries += 1;
            match tries % 64 {
                0 => std::thread::yield_now(),
                _ => std::hint::spin_loop(),
            }
        }
        // SAFETY: the lock is taken, so this is the only reference.
        let result = body(unsafe { &mut *self.inner.get() });
        self.taken.store(false, Ordering::Release);
        result
    }

    /// A block that is free; null if there is no memory.
    #[inline]
    fn take(&self, size: usize) -> *mut u8 {
        self.with(|inner| {
            if !inner.free.is_null() {
                let block = inner.free;
                // SAFETY: a free block is large enough for an address, aligned for one, and begins
                // with that of the next one.
                inner.free = unsafe { *block.cast::<*mut u8>() };
                return block;
            }
            if inner.left < size {
                let length = PART.max(size);
                let part = new_part(length);
                if part.is_null() {
                    return part;
                }
                (inner.next, inner.left) = (part, length);
            }
            inner.cut(size)
        })
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// The block must come from this allocator and must not be used any more.
    #[inline]
    unsafe fn give(&self, block: *mut u8) {
        self.with(|inner| {
            // SAFETY: the block is ours again, large enough for an address and aligned for one.
            unsafe { *block.cast::<*mut u8>() = inner.free };
            inner.free = block;
        });
    }
}

impl Inner {
    /// The next `size` bytes, of which there are that many left.
    fn cut(&mut self, size: usize) -> *mut u8 {
        let block = self.next;
        // SAFETY: as many bytes follow `next`, or it is the end of them.
        self.next = unsafe { block.add(size) };
        self.left -= size;
        block
    }
}

/// Part of a piece, its length a multiple of 16; null if there is no memory.
fn new_part(length: usize) -> *mut u8 {
    PIECES.with(|pieces| {
        if pieces.left < length {
            // SAFETY: a new private mapping of nothing; the kernel chooses the place.
            let piece = unsafe {
                let protection = libc::PROT_READ | libc::PROT_WRITE;
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
                libc::mmap(null_mut(), PIECE, protection, flags, -1, 0)
            };
            if piece == libc::MAP_FAILED {
                return null_mut();
            }
            // What is left of the last one is shorter than a large block, and stays unused.
            (pieces.next, pieces.left) = (piece.cast(), PIECE);
        }
        pieces.cut(length)
    })
}

/// Which size a block has, and the size; `None` for large ones.
#[inline]
fn size_of(layout: Layout) -> Option<(usize, usize)> {
    let size = layout.size();
    if size > MOST || layout.align() > ALIGNMENT {
        return None;
    }
    if size <= FINE {
        let steps = size.div_ceil(16).max(1);
        return Some((steps - 1, 16 * steps));
    }
    // Between two powers of two there are four sizes.
    let power = (size - 1).ilog2() as usize;
    let quarter = ((size - 1) >> (power - 2)) & 3;
    let at = FINE / 16 + 4 * (power - FINE.ilog2() as usize) + quarter;
    Some((at, (5 + quarter) << (power - 2)))
}

// SAFETY: blocks are as large and aligned as asked for, and two that are in use do not overlap:
// every size has its own, cut from memory that nobody else has, and a block is handed out again
// only after it was given back. Nothing here panics.
unsafe impl GlobalAlloc for Memory {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match size_of(layout) {
            Some((at, size)) => BLOCKS[at].take(size),
            // SAFETY: the caller's promise.
            None => unsafe { System.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match size_of(layout) {
            // SAFETY: the layout is the one it was taken with, so it is of this size.
            Some((at, _)) => unsafe { BLOCKS[at].give(block) },
            // SAFETY: the caller's promise; the same layout led to the C library before.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match size_of(layout) {
            Some((at, size)) => {
                let block = BLOCKS[at].take(size);
                if !block.is_null() {
                    // SAFETY: the block has at least this size.
                    unsafe { block.write_bytes(0, layout.size()) };
                }
                block
            }
            // SAFETY: the caller's promise.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is a valid one for the alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (size_of(layout), size_of(new)) {
            (Some((from, _)), Some((to, _))) if from == to => block,
            // SAFETY: the caller's promise; both are the C library's.
            (None, None) => unsafe { System.realloc(block, layout, size) },
            // SAFETY: the old block is valid for its size, the new one for its own, and they are
            // different; the old one is given back with its layout.
            _ => unsafe {
                let moved = self.alloc(new);
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(block, layout.size().min(size));
                    self.dealloc(block, layout);
                }
                moved
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fit_and_are_counted_without_gaps() {
        let mut last = (0, 16);
        for size in (1..=MOST).filter(|size| *size < 70_000 || size % 97 == 0 || *size == MOST) {
            let layout = Layout::from_size_align(size, 8).unwrap();
            let (at, block) = size_of(layout).unwrap();
            assert!(block >= size && block % 16 == 0 && at < SIZES, "{size}: {at} {block}");
            assert!(
                (at, block) == last || (at == last.0 + 1 && block > last.1),
                "{size}: {last:?} {at} {block}"
            );
            // Nothing is wasted beyond a quarter, or a step.
            assert!(block - size < 16.max(size / 4), "{size}: {block}");
            last = (at, block);
        }
        assert_eq!(last, (SIZES - 1, MOST));
        assert!(size_of(Layout::from_size_align(MOST + 1, 8).unwrap()).is_none());
        assert!(size_of(Layout::from_size_align(8, 32).unwrap()).is_none());
    }

    /// Blocks of all sizes that grow, shrink and go from thread to thread keep what is in them.
    #[test]
    fn blocks_keep_what_is_in_them() {
        let (send, receive) = std::sync::mpsc::channel::<(u8, Vec<u8>)>();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let send = send.clone();
                scope.spawn(move || {
                    let mut seed = thread + 1;
                    let mut random = |below: u64| {
                        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        (seed >> 33) % below
                    };
                    let mut kept: Vec<(u8, Vec<u8>)> = Vec::new();
                    for round in 0..5_000u64 {
                        let fill = round as u8;
                        let largest = if random(50) == 0 { 1_500_000 } else { 600 };
                        let mut block = vec![fill; random(largest) as usize];
                        if random(3) == 0 {
                            block.resize(random(largest) as usize, fill);
                            block.shrink_to_fit();
                        }
                        match random(4) {
                            0 => send.send((fill, block)).unwrap(),
                            _ => kept.push((fill, block)),
                        }
                        if kept.len() > 300 {
                            let (fill, block) = kept.swap_remove(random(300) as usize);
                            assert!(block.iter().all(|byte| *byte == fill));
                        }
                    }
                });
            }
            drop(send);
            for (fill, block) in receive {
                assert!(block.iter().all(|byte| *byte == fill));
            }
        });
    }
}
