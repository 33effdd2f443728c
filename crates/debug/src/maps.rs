//! The mappings of a process, as `/proc/PID/maps` tells them.

use crate::error::{Error, Result};
use crate::proc;

/// One mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// One past the last address.
    pub end: u64,
    /// Protection as `PROT_*` bits.
    pub(crate) prot: i32,
    /// Whether writes are seen by other processes.
    pub shared: bool,
    /// Offset in the mapped file.
    pub offset: u64,
    /// Inode of the mapped file; zero for anonymous memory.
    pub(crate) inode: u64,
    /// Path of the mapped file, or a bracketed name such as `[stack]`; empty for anonymous memory.
    pub name: String,
}

impl Mapping {
    /// Whether code here can run.
    pub fn is_executable(&self) -> bool {
        self.prot & libc::PROT_EXEC != 0
    }

    /// Whether the program may write here.
    pub fn is_writable(&self) -> bool {
        self.prot & libc::PROT_WRITE != 0
    }

    /// Whether the program may read here.
    pub fn is_readable(&self) -> bool {
        self.prot & libc::PROT_READ != 0
    }

    /// Whether the address lies inside.
    pub fn contains(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// Mappings the kernel owns: never copied, moved or protected.
    pub(crate) fn is_kernels(&self) -> bool {
        matches!(self.name.as_str(), "[vdso]" | "[vvar]" | "[vvar_vclock]" | "[vsyscall]")
    }
}

pub(crate) fn read(pid: libc::pid_t) -> Result<Vec<Mapping>> {
    let text = proc::text(pid, "maps")
        .map_err(|e| Error::system(format!("cannot read the mappings of process {pid}"), e))?;
    Ok(text.lines().filter_map(parse_line).collect())
}

/// What a forked child finds of some memory instead of a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Nothing: it is not mapped there (`MADV_DONTFORK`).
    pub out: bool,
    /// Zeros (`MADV_WIPEONFORK`).
    pub wiped: bool,
}

/// The private mappings a forked child has no copy of.
pub(crate) fn not_forked(pid: libc::pid_t) -> Result<Vec<(Mapping, Kept)>> {
    let text = proc::text(pid, "smaps")
        .map_err(|e| Error::system(format!("cannot read the mappings of process {pid}"), e))?;
    Ok(parse_kept(&text))
}

fn parse_kept(text: &str) -> Vec<(Mapping, Kept)> {
    let mut all = Vec::new();
    let mut last = None;
    for line in text.lines() {
        if let Some(flags) = line.strip_prefix("VmFlags:") {
            let has = |flag: &str| flags.split_whitespace().any(|f| f == flag);
            let kept = Kept { out: has("dc"), wiped: has("wf") };
            let mapping: Option<Mapping> = last.take();
            if let Some(m) = mapping.filter(|m| !m.shared && !m.is_kernels())
                && kept != Kept::default()
                // Memory of devices, which cannot be read.
                && !has("io")
            {
                all.push((m, kept));
            }
        } else if line.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_lowercase()) {
            last = parse_line(line);
        }
    }
    all
}

fn parse_line(line: &str) -> Option<Mapping> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let mut fields = rest.splitn(5, ' ');
    let flags = fields.next()?.as_bytes();
    let offset = fields.next()?;
    let _device = fields.next()?;
    let inode = fields.next()?;
    let name = fields.next().unwrap_or("").trim_start();
    let bit = |i: usize, c: u8, p: i32| if flags.get(i) == Some(&c) { p } else { 0 };
    Some(Mapping {
        start: u64::from_str_radix(start, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        prot: bit(0, b'r', libc::PROT_READ)
            | bit(1, b'w', libc::PROT_WRITE)
            | bit(2, b'x', libc::PROT_EXEC),
        shared: flags.get(3) == Some(&b's'),
        offset: u64::from_str_radix(offset, 16).ok()?,
        inode: inode.parse().ok()?,
        name: name.to_string(),
    })
}

/// A free range of `size` bytes whose every address is within `reach` of `near`.
pub(crate) fn free_range(maps: &[Mapping], near: u64, size: u64, reach: u64) -> Option<u64> {
    const LOWEST: u64 = 0x1_0000;
    const HIGHEST: u64 = 0x7fff_ffff_0000;
    let low = near.saturating_sub(reach).max(LOWEST);
    let high = near.saturating_add(reach).min(HIGHEST);
    let mut below: Option<u64> = None;
    let mut above: Option<u64> = None;
    let mut consider = |from: u64, to: u64| {
        let (from, to) = (from.max(low), to.min(high));
        if to <= from || to - from < size {
            return;
        }
        if from > near {
            let at = (from + 0xfff) & !0xfff;
            if above.is_none() && at + size <= to {
                above = Some(at);
            }
        } else {
            let at = (to - size) & !0xfff;
            if at >= from {
                below = Some(at);
            }
        }
    };
    let mut last = LOWEST;
    for m in maps {
        // Stacks grow downwards: leave them room.
        let guard = if m.name == "[stack]" { 16 << 20 } else { 0 };
        consider(last, m.start.saturating_sub(guard));
        last = if m.name == "[heap]" { m.end + (1 << 30) } else { m.end.max(last) };
    }
    consider(last, HIGHEST);
    // Below is better: right above a program is where its heap will grow.
    below.or(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_spaces_in_the_path() {
        let m = parse_line("7f00-8f00 r-xp 00001000 08:01 42       /tmp/a b (deleted)").unwrap();
        assert_eq!((m.start, m.end, m.offset, m.inode), (0x7f00, 0x8f00, 0x1000, 42));
        assert!(m.is_executable() && !m.is_writable() && !m.shared);
        assert_eq!(m.name, "/tmp/a b (deleted)");
    }

    #[test]
    fn memory_that_is_not_forked_is_found() {
        let text = "7f00-8f00 rw-p 00000000 00:00 0 \nSize: 4 kB\nVmFlags: rd wr mr mw me wf ac \n\
                    9000-a000 rw-p 00000000 00:00 0 \nVmFlags: rd wr mr mw me ac \n\
                    b000-c000 rw-s 00000000 00:00 0 \nVmFlags: rd wr sh dc \n\
                    d000-e000 rw-p 00000000 00:00 0 \nVmFlags: rd wr dc \n";
        let found: Vec<_> = parse_kept(text).into_iter().map(|(m, k)| (m.start, k)).collect();
        let wiped = Kept { out: false, wiped: true };
        assert_eq!(found, [(0x7f00, wiped), (0xd000, Kept { out: true, wiped: false })]);
    }

    #[test]
    fn free_range_is_free_and_near() {
        let maps = read(std::process::id() as i32).unwrap();
        let code = free_range as *const () as u64;
        let at = free_range(&maps, code, 0x10000, 1 << 30).unwrap();
        assert!(at.abs_diff(code) < 1 << 30);
        assert!(maps.iter().all(|m| m.end <= at || m.start >= at + 0x10000));
    }
}
