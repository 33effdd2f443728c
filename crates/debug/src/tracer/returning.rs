//! Where threads go on when signal handlers return.
//!
//! A handler that runs has the program counter of the code it interrupted on a stack, and goes back there
//! whatever the bytes are by then. So a function whose first instructions are to be replaced must not be
//! waited for in their middle. Whether it is, is answered on the safe side: any word on a stack in use that
//! is such an address counts.

use std::ops::Range;

use libc::pid_t;

use super::{State, Tracer};
use crate::error::Result;
use crate::{maps, proc, sys};

/// Words on the stacks of a process that are addresses of code, in order.
#[derive(Debug)]
pub(crate) struct Returns {
    /// How often threads had been let go when they were read.
    releases: u64,
    /// `None` if not all of them could be read.
    words: Option<Vec<u64>>,
}

/// So much of a stack is looked at; a thread that uses more may return anywhere.
const MOST: u64 = 64 << 20;
/// As many stacks are followed from one thread: handlers may run on stacks of their own.
const NESTED: usize = 8;

/// What handlers return to: `mov $15, %rax` or `mov $15, %eax`, and a system call.
const RESTORERS: [&[u8]; 2] =
    [&[0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 5], &[0xb8, 15, 0, 0, 0, 0x0f, 5]];
/// Where the frame of a handler keeps the stack pointer, in words from the address it returns to.
const SAVED_SP: usize = 21;

impl Tracer {
    /// Whether a handler of a stopped process may return into a range of code.
    pub(super) fn may_return_into(&mut self, pid: pid_t, range: Range<u64>) -> Result<bool> {
        let releases = self.releases;
        let known = self.space(pid)?.returns.as_ref().is_some_and(|r| r.releases == releases);
        if !known {
            let words = self.code_addresses_on_stacks(pid)?;
            self.space_mut(pid)?.returns = Some(Returns { releases, words });
        }
        let returns = self.space(pid)?.returns.as_ref();
        let Some(words) = returns.and_then(|r| r.words.as_ref()) else { return Ok(true) };
        let next = words.partition_point(|w| *w < range.start);
        Ok(words.get(next).is_some_and(|w| range.contains(w)))
    }

    fn code_addresses_on_stacks(&mut self, pid: pid_t) -> Result<Option<Vec<u64>>> {
        let mut found = Vec::new();
        let mine = self.threads.iter().filter(|(_, t)| t.pid == pid);
        let tids: Vec<pid_t> = mine.map(|(tid, _)| *tid).collect();
        if !tids.iter().any(|tid| has_handlers(*tid)) {
            return Ok(Some(found));
        }
        let maps = maps::read(pid)?;
        let is_code = |a: u64| {
            let next = maps.partition_point(|m| m.end <= a);
            maps.get(next).is_some_and(|m| m.contains(a) && m.is_executable())
        };
        let is_restorer = |a: u64| {
            let mut bytes = [0; 9];
            let n = sys::read_process(pid, a, &mut bytes).unwrap_or(0);
            RESTORERS.iter().any(|r| bytes[..n].starts_with(r))
        };
        let mut restorers: Vec<(u64, bool)> = Vec::new();
        for tid in tids {
            if self.thread(tid)?.state != State::Stopped {
                // In the kernel, in a call that handlers do not interrupt.
                continue;
            }
            let mut sp = self.fetch_registers(tid)?.sp();
            let mut seen: Vec<Range<u64>> = Vec::new();
            loop {
                let Some(stack) = maps.iter().find(|m| m.contains(sp)) else { return Ok(None) };
                // Functions that call nothing use some more.
                let start = (sp & !7).saturating_sub(128).max(stack.start);
                let end = stack.end;
                if end - start > MOST || seen.len() == NESTED {
                    return Ok(None);
                }
                let mut bytes = vec![0; (end - start) as usize];
                if sys::read_process(pid, start, &mut bytes).ok() != Some(bytes.len()) {
                    return Ok(None);
                }
                let words: Vec<u64> = bytes
                    .chunks_exact(8)
                    .map(|w| u64::from_le_bytes(w.try_into().unwrap_or_default()))
                    .collect();
                seen.push(start..end);
                let mut other = None;
                for (i, &word) in words.iter().enumerate().filter(|(_, w)| is_code(**w)) {
                    found.push(word);
                    let known = restorers.iter().find(|(a, _)| *a == word).map(|(_, is)| *is);
                    let is_frame = known.unwrap_or_else(|| {
                        let is = is_restorer(word);
                        restorers.push((word, is));
                        is
                    });
                    let saved = words.get(i + SAVED_SP).copied();
                    if let Some(saved) = saved.filter(|_| is_frame)
                        && !seen.iter().any(|r| r.contains(&saved))
                    {
                        other = Some(saved);
                    }
                }
                match other {
                    Some(saved) => sp = saved,
                    None => break,
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(Some(found))
    }
}

/// Whether a thread has handlers for signals; its process has the same, unless it has ended already.
fn has_handlers(tid: pid_t) -> bool {
    let status = proc::text(tid, "status").unwrap_or_default();
    let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    caught.is_none_or(|mask| u64::from_str_radix(mask.trim(), 16) != Ok(0))
}
