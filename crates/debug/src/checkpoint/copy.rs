//! Copying memory back from an image: many pieces with one system call.

use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering};

use libc::pid_t;

use super::dirty;
use crate::error::Result;
use crate::space::Space;
use crate::sys;

const PAGE: usize = 4096;
/// As much as is copied at once: little enough to stay in the cache of a processor.
const BYTES: usize = 256 << 10;
/// Fewer batches are copied before another thread has begun.
const WORTH_TWO: usize = 4;
/// The kernel takes twice as many.
const PIECES: usize = 512;

/// A piece of memory: where, and how much of it.
type Piece = (u64, usize);

/// From where to where memory is copied.
#[derive(Clone, Copy)]
pub(super) struct Copier<'a> {
    pub space: &'a Space,
    pub pid: pid_t,
    pub image: pid_t,
    /// The memory of the image.
    pub memory: &'a File,
}

impl Copier<'_> {
    /// Makes the ranges of the program's memory what they are in the image; returns the number of
    /// pages that were written. With `compare`, those are only the ones that differ.
    pub fn back(&self, ranges: impl Iterator<Item = (u64, u64)>, compare: bool) -> Result<u64> {
        let all = batches(ranges);
        if all.len() < WORTH_TWO {
            return self.copy(&all, compare);
        }
        // The kernel's work is most of it, and it can do it on two processors at once. Whoever is
        // there takes the next batch: a thread that has to wait for a processor holds up nobody.
        let next = AtomicUsize::new(0);
        let copy = || {
            let taken = std::iter::from_fn(|| all.get(next.fetch_add(1, Ordering::Relaxed)));
            self.copy(taken, compare)
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(copy);
            let one = copy();
            let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok(one? + other?)
        })
    }

    /// Whether ranges of the program's memory are other than in the image, apart from those that are `noted`.
    pub fn differs(&self, ranges: impl Iterator<Item = (u64, u64)>, noted: &[(u64, u64)]) -> bool {
        let Copier { space, pid, image, memory } = *self;
        let (mut old, mut now) = ([0u8; PAGE], [0u8; PAGE]);
        let pages = ranges.flat_map(|(start, end)| {
            (start..end).step_by(PAGE).map(move |at| (at, (end - at).min(PAGE as u64) as usize))
        });
        for (at, size) in pages {
            let (old, now) = (&mut old[..size], &mut now[..size]);
            let had = dirty::read(image, memory, at, old);
            let has = dirty::read_live(pid, space, at, now);
            space.overlay(at, old);
            for &(start, end) in noted {
                let inside = |a: u64| (a.clamp(at, at + size as u64) - at) as usize;
                old[inside(start)..inside(end)].fill(0);
                now[inside(start)..inside(end)].fill(0);
            }
            if had != has || old[..had] != now[..has] {
                return true;
            }
        }
        false
    }

    fn copy<'a>(
        &self,
        batches: impl IntoIterator<Item = &'a Vec<Piece>>,
        compare: bool,
    ) -> Result<u64> {
        let Copier { space, pid, image, memory } = *self;
        let mut copied = 0;
        let (mut old, mut now) = (vec![0u8; BYTES], vec![0u8; if compare { BYTES } else { 0 }]);
        for pieces in batches {
            let size = pieces.iter().map(|p| p.1).sum();
            let old = &mut old[..size];
            let got = read(pieces, old, image, |at, buffer| dirty::read(image, memory, at, buffer));
            let had = match compare {
                true => read(pieces, &mut now[..size], pid, |at, buffer| {
                    dirty::read_live(pid, space, at, buffer)
                }),
                false => Vec::new(),
            };
            let mut changed: Vec<(u64, &[u8])> = Vec::new();
            let mut rest: &mut [u8] = old;
            let mut offset = 0;
            for (i, &(at, length)) in pieces.iter().enumerate() {
                let (piece, others) = rest.split_at_mut(length);
                rest = others;
                let piece = &mut piece[..got[i]];
                space.overlay(at, piece);
                if compare {
                    let present = &now[offset..offset + had[i]];
                    changed
                        .extend(runs(piece, present).map(|(s, e)| (at + s as u64, &piece[s..e])));
                } else {
                    changed.push((at, piece));
                }
                offset += length;
            }
            copied +=
                changed.iter().map(|(_, bytes)| bytes.len().div_ceil(PAGE) as u64).sum::<u64>();
            write(space, pid, &changed)?;
        }
        Ok(copied)
    }
}

/// The pieces in order, some of them at a time.
fn batches(ranges: impl Iterator<Item = (u64, u64)>) -> Vec<Vec<Piece>> {
    let mut all = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut size = 0;
    for (mut start, end) in ranges {
        while start < end {
            let length = (end - start).min((BYTES - size) as u64) as usize;
            pieces.push((start, length));
            start += length as u64;
            size += length;
            if size == BYTES || pieces.len() == PIECES {
                all.push(std::mem::take(&mut pieces));
                size = 0;
            }
        }
    }
    all.push(pieces);
    all
}

/// Reads the pieces one after the other into the buffer, and says how much there is of each.
fn read(
    pieces: &[Piece],
    buffer: &mut [u8],
    from: pid_t,
    one: impl Fn(u64, &mut [u8]) -> usize,
) -> Vec<usize> {
    if sys::read_pieces(from, pieces, buffer) {
        return pieces.iter().map(|p| p.1).collect();
    }
    let mut rest = buffer;
    let each = pieces.iter().map(|&(at, length)| {
        let (piece, others) = std::mem::take(&mut rest).split_at_mut(length);
        rest = others;
        one(at, piece)
    });
    each.collect()
}

/// The runs of pages that differ, from where to where.
fn runs<'a>(old: &'a [u8], now: &'a [u8]) -> impl Iterator<Item = (usize, usize)> + 'a {
    let differs = move |at: usize| {
        let end = old.len().min(at + PAGE);
        at >= now.len() || old[at..end] != now[at..end.min(now.len())]
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < old.len() && !differs(at) {
            at += PAGE;
        }
        let start = at;
        while at < old.len() && differs(at) {
            at += PAGE;
        }
        (start < old.len()).then(|| (start, at.min(old.len())))
    })
}

fn write(space: &Space, pid: pid_t, pieces: &[(u64, &[u8])]) -> Result<()> {
    // One after the other from the first on that cannot be written so: code, for example.
    let mut done = sys::write_pieces(pid, pieces);
    for (at, bytes) in pieces {
        if done >= bytes.len() {
            done -= bytes.len();
        } else {
            done = 0;
            space.write_raw(*at, bytes)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_into_batches() {
        let ranges = [(0x1000, 0x3000), (0x10_0000, 0x18_0000)];
        let all = batches(ranges.into_iter());
        let sizes: Vec<usize> = all.iter().map(|b| b.iter().map(|p| p.1).sum()).collect();
        assert_eq!(sizes, [BYTES, BYTES, 0x2000]);
        assert_eq!(all[0], [(0x1000, 0x2000), (0x10_0000, BYTES - 0x2000)]);
        let many = batches((0..1000).map(|i| (i * 0x2000, i * 0x2000 + 0x1000)));
        let lengths: Vec<usize> = many.iter().map(Vec::len).collect();
        assert_eq!(lengths[..2], [64, 64]);
        assert_eq!(lengths.iter().sum::<usize>(), 1000);
    }

    #[test]
    fn runs_of_changed_pages_are_found() {
        let old = vec![1u8; 5 * PAGE + 10];
        let mut now = old.clone();
        assert_eq!(runs(&old, &now).count(), 0);
        now[PAGE] = 2;
        now[3 * PAGE - 1] = 2;
        now[5 * PAGE + 9] = 2;
        let found: Vec<_> = runs(&old, &now).collect();
        assert_eq!(found, [(PAGE, 3 * PAGE), (5 * PAGE, 5 * PAGE + 10)]);
        // What is gone has changed.
        let found: Vec<_> = runs(&old, &now[..4 * PAGE + 1]).collect();
        assert_eq!(found, [(PAGE, 3 * PAGE), (4 * PAGE, 5 * PAGE + 10)]);
    }
}
