//! Which function a name of the C library means in a process, and which code calls it.

use std::path::Path;
use std::rc::Rc;

use super::{Debugger, Module, Target};
use crate::info::Function;
use crate::tracer::ProcessId;

/// Code of the C library that gives back what it kept of a thread, by the names of functions. A
/// program that is linked statically has it beside its own.
const AT_THREAD_END: [&str; 4] = [
    "__libc_thread_freeres",
    "__malloc_arena_thread_freeres",
    "arena_thread_freeres",
    "tcache_thread_shutdown",
];

/// Most libraries that are looked at for the order of lookups.
const MOST_LIBRARIES: usize = 4096;

impl Debugger {
    /// The functions that callers reach by a name of the C library: of the modules that export it,
    /// the first in the order of the dynamic linker's lookups, so that an allocator which replaces
    /// `malloc` counts and the replaced one does not. In a program that is linked statically, the
    /// program's own. Empty if no module of the C library has the name.
    pub fn c_library_functions(&mut self, process: ProcessId, name: &str) -> Vec<Target> {
        let Some(program) = self.modules(process).first().cloned() else { return Vec::new() };
        if self.load(process, &program).is_some_and(|(info, _)| info.is_linked_statically()) {
            return self.global_functions(process, &program, name);
        }
        let mut bound = None;
        let mut is_in_library = false;
        for module in self.in_link_order(process) {
            let Some((info, _)) = self.load(process, &module) else { continue };
            let mut exported = info.symbols_named(name).filter(|s| s.is_exported && s.is_code);
            if is_loader(&module.path) || exported.all(|s| s.address == 0) {
                continue;
            }
            is_in_library |= is_c_library(&module.path);
            bound.get_or_insert(module);
        }
        match bound {
            Some(module) if is_in_library => self.global_functions(process, &module, name),
            _ => Vec::new(),
        }
    }

    /// Whether a module is a part of the C library; a program that is linked statically is.
    pub fn is_part_of_c_library(&mut self, process: ProcessId, module: &Rc<Module>) -> bool {
        is_c_library(&module.path)
            || self.load(process, module).is_some_and(|(info, _)| info.is_linked_statically())
    }

    /// The functions of a module that a global symbol of this name stands for.
    fn global_functions(
        &mut self,
        process: ProcessId,
        module: &Rc<Module>,
        name: &str,
    ) -> Vec<Target> {
        let Some((info, bias)) = self.load(process, module) else { return Vec::new() };
        let is_global =
            |entry: u64| info.symbols_at(entry).any(|s| s.is_code && s.is_global && s.name == name);
        let mut found: Vec<Function> = match info.is_separate() {
            true => info.functions_by_symbol(&|symbol| symbol == name),
            false => info.functions_called(name).into_iter().cloned().collect(),
        };
        for function in &mut found {
            function.instances.retain(|i| is_global(i.entry));
        }
        found.retain(|f| !f.instances.is_empty());
        found
            .into_iter()
            .map(|function| Target { module: module.clone(), function, bias })
            .collect()
    }

    /// Whether a call of the function at `entry` that returns to `caller` comes from the module of
    /// the function itself, from the C library or from the dynamic linker. In a program that is
    /// linked statically, only what the C library does when a thread ends is told apart.
    pub fn is_called_from_inside(&mut self, process: ProcessId, entry: u64, caller: u64) -> bool {
        let Some((by, info, bias)) = self.module_at(process, caller) else { return false };
        if info.is_linked_statically() {
            let at = info.symbol_at(caller.wrapping_sub(bias));
            let whole = at.and_then(|s| s.name.split('.').next());
            return whole.is_some_and(|name| AT_THREAD_END.contains(&name));
        }
        let own = self.module_at(process, entry).map(|(of, _, _)| of);
        let is_inside = |module: &Rc<Module>| {
            is_c_library(&module.path)
                || is_loader(&module.path)
                || own.as_ref().is_some_and(|own| Rc::ptr_eq(own, module))
        };
        if is_inside(&by) {
            return true;
        }
        // Another function was called, which ended by jumping here: then it is the caller.
        let first = self.called(process, caller).filter(|first| *first != entry);
        let through = first.and_then(|first| self.module_at(process, first));
        through.is_some_and(|(module, _, _)| is_inside(&module))
    }

    /// The function that the call instruction before a return address goes to, if that can be
    /// read from it.
    fn called(&self, process: ProcessId, back: u64) -> Option<u64> {
        let at = |to: u64, buffer: &mut [u8]| self.tracer.read(process, to, buffer).ok();
        let mut call = [0; 6];
        at(back.wrapping_sub(6), &mut call)?;
        let (displacement, is_direct) = match call {
            [0xff, 0x15, d @ ..] => (i32::from_le_bytes(d), false),
            [_, 0xe8, d @ ..] => (i32::from_le_bytes(d), true),
            _ => return None,
        };
        let target = back.wrapping_add(displacement as u64);
        if !is_direct {
            return self.tracer.read_u64(process, target).ok();
        }
        // Perhaps a linkage stub: [endbr64] [bnd] jmp [rip + d].
        let mut stub = [0; 11];
        at(target, &mut stub)?;
        let skipped = if stub.starts_with(&[0xf3, 0x0f, 0x1e, 0xfa]) { 4 } else { 0 };
        let skipped = skipped + usize::from(stub[skipped] == 0xf2);
        let [0xff, 0x25, d @ ..] = stub[skipped..].first_chunk::<6>()? else {
            return Some(target);
        };
        let next = target.wrapping_add(skipped as u64 + 6);
        let slot = next.wrapping_add(i32::from_le_bytes(*d) as u64);
        self.tracer.read_u64(process, slot).ok()
    }

    /// Whether an address is code of the dynamic linker.
    pub fn is_loader_code(&self, process: ProcessId, address: u64) -> bool {
        let is_there = |m: &&Rc<Module>| (m.start..m.end).contains(&address);
        self.modules(process).iter().find(is_there).is_some_and(|m| is_loader(&m.path))
    }

    /// The modules in the order in which names are looked up; those that the dynamic linker does
    /// not list come last.
    fn in_link_order(&mut self, process: ProcessId) -> Vec<Rc<Module>> {
        let mut modules = self.modules(process).to_vec();
        let order = self.dynamic_sections(process).unwrap_or_default();
        modules.sort_by_key(|m| {
            let listed = order.iter().position(|at| (m.start..m.end).contains(at));
            listed.unwrap_or(usize::MAX)
        });
        modules
    }

    /// Addresses of the dynamic sections of all modules, from the dynamic linker's own list.
    fn dynamic_sections(&mut self, process: ProcessId) -> Option<Vec<u64>> {
        const FIRST: u64 = 8;
        const SECTION: u64 = 16;
        const NEXT: u64 = 24;
        let loader = self.modules(process).iter().find(|m| is_loader(&m.path))?.clone();
        let (info, bias) = self.load(process, &loader)?;
        let list = info.symbols_named("_r_debug").next()?.address.wrapping_add(bias);
        let word = |at: u64| self.tracer.read_u64(process, at).ok();
        let mut entry = word(list.wrapping_add(FIRST))?;
        let mut sections = Vec::new();
        while entry != 0 && sections.len() < MOST_LIBRARIES {
            sections.push(word(entry.wrapping_add(SECTION))?);
            entry = word(entry.wrapping_add(NEXT))?;
        }
        Some(sections)
    }
}

fn file_name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// Whether a file is a part of the C library. Where it is musl's, the dynamic linker is.
pub(super) fn is_c_library(path: &Path) -> bool {
    let name = file_name(path);
    let parts = ["libc", "libpthread", "libdl", "librt"];
    let is_part = |part: &&str| {
        name.strip_prefix(*part)
            .is_some_and(|rest| rest.starts_with(".so") || rest.starts_with("-2."))
    };
    parts.iter().any(is_part) || name.starts_with("ld-musl")
}

/// Whether a file is the dynamic linker of glibc.
pub(super) fn is_loader(path: &Path) -> bool {
    let name = file_name(path);
    name.starts_with("ld-linux") || name.starts_with("ld-2.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_c_library_are_known_by_their_names() {
        for name in ["libc.so.6", "libc-2.31.so", "libpthread.so.0", "ld-musl-x86_64.so.1"] {
            assert!(is_c_library(&Path::new("/lib").join(name)), "{name}");
        }
        for name in ["libcurl.so.4", "libc++.so.1", "libdlfaker.so", "libc", "a.out"] {
            assert!(!is_c_library(&Path::new("/lib").join(name)), "{name}");
        }
        assert!(is_loader(Path::new("/lib64/ld-linux-x86-64.so.2")));
    }
}
