//! Noticing that the dynamic linker loaded or unloaded libraries.

use std::path::Path;

use libc::pid_t;
use object::{Object, ObjectSegment, ObjectSymbol};

use super::{ProcessId, Tracer};
use crate::error::Result;
use crate::maps;

const AT_BASE: u64 = 7;

impl Tracer {
    /// Asks to be told ([`Reason::Libraries`](crate::Reason::Libraries)) when the set of loaded
    /// libraries is about to change and when it has changed. False for programs without a dynamic
    /// linker.
    pub fn tell_libraries(&mut self, process: ProcessId) -> Result<bool> {
        let Some(address) = self.linker_hook(process.0)? else { return Ok(false) };
        self.ensure_room(process.0, address)?;
        self.space_mut(process.0)?.install(address)?.internal.libraries = true;
        Ok(true)
    }

    /// Whether the dynamic linker comes here to announce that the set of loaded libraries changes. A point
    /// that is armed here, too, is told as a point: its holder has to look.
    pub fn announces_libraries(&self, process: ProcessId, address: u64) -> bool {
        let site = self.space(process.0).ok().and_then(|space| space.sites.get(&address));
        site.is_some_and(|site| site.internal.libraries)
    }

    /// The address of the function the dynamic linker calls after each change.
    fn linker_hook(&self, pid: pid_t) -> Result<Option<u64>> {
        let Some(base) = auxiliary(pid, AT_BASE) else { return Ok(None) };
        let Some(mapping) = maps::read(pid)?.into_iter().find(|m| m.contains(base)) else {
            return Ok(None);
        };
        let path = Path::new(&mapping.name);
        let Ok(bytes) = std::fs::read(path) else { return Ok(None) };
        let Ok(file) = object::File::parse(&*bytes) else { return Ok(None) };
        let low = file.segments().map(|s| s.address()).min().unwrap_or(0) & !0xfff;
        let hook = file
            .symbols()
            .chain(file.dynamic_symbols())
            .find(|s| s.name() == Ok("_dl_debug_state") && s.address() != 0);
        Ok(hook.map(|s| base.wrapping_add(s.address()).wrapping_sub(low)))
    }

    /// Marks functions through which frames are left without returning: `caught` is entered
    /// after an exception was caught, `landing` is told which frame unwinding has reached,
    /// `long_jump` is entered before a `longjmp`.
    pub(crate) fn hook_unwinding(
        &mut self,
        process: ProcessId,
        caught: &[u64],
        landing: &[u64],
        long_jump: &[u64],
    ) -> Result<()> {
        for &address in caught {
            self.ensure_room(process.0, address)?;
            self.space_mut(process.0)?.install(address)?.internal.unwound = true;
        }
        for &address in landing {
            self.ensure_room(process.0, address)?;
            self.space_mut(process.0)?.install(address)?.internal.landing = true;
        }
        for &address in long_jump {
            self.ensure_room(process.0, address)?;
            self.space_mut(process.0)?.install(address)?.internal.long_jump = true;
        }
        Ok(())
    }
}

/// A value of the auxiliary vector the kernel gave the program; `None` when absent or zero.
pub(crate) fn auxiliary(pid: pid_t, key: u64) -> Option<u64> {
    let bytes = crate::proc::read(pid, "auxv").ok()?;
    let word = |c: &[u8]| c.try_into().map(u64::from_ne_bytes).ok();
    bytes
        .chunks_exact(16)
        .find(|pair| word(&pair[..8]) == Some(key))
        .and_then(|pair| word(&pair[8..]))
        .filter(|v| *v != 0)
}
