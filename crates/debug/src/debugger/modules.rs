//! The files a process is made of.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::Debugger;
use crate::error::{Error, ErrorKind, Result};
use crate::info::{DebugInfo, Function, Instance, LineRange, SourceLine, is_called, source_name};
use crate::tracer::ProcessId;

/// A program or library loaded into a process.
#[derive(Debug)]
pub struct Module {
    /// Its file, or a bracketed name for the kernel's.
    pub path: PathBuf,
    /// Its lowest address.
    pub start: u64,
    /// One past its highest address.
    pub end: u64,
    loaded: OnceCell<Option<(Rc<DebugInfo>, u64)>>,
}

impl Module {
    /// Its debug information and the bias of its addresses, once looked at.
    pub fn info(&self) -> Option<(&Rc<DebugInfo>, u64)> {
        self.loaded.get()?.as_ref().map(|(info, bias)| (info, *bias))
    }
}

/// How functions are looked for.
#[derive(Clone, Copy)]
pub enum FunctionName<'a> {
    /// By its name from the outermost scope on, or the linker's.
    Exactly(&'a str),
    /// By a name a person may write: as above, or without the scopes it is in.
    Loosely(&'a str),
    /// All whose qualified or linker's name fulfils a condition.
    Like(&'a dyn Fn(&str) -> bool),
}

/// A function found in a process.
#[derive(Clone, Debug)]
pub struct Target {
    /// The module it belongs to.
    pub module: Rc<Module>,
    /// The function, with addresses of the file.
    pub function: Function,
    /// What to add to those addresses.
    pub bias: u64,
}

impl Target {
    /// Run-time entry addresses of all bodies.
    pub fn entries(&self) -> Vec<u64> {
        self.function.instances.iter().map(|i| i.entry.wrapping_add(self.bias)).collect()
    }
}

impl Debugger {
    pub(super) fn refresh_modules(&mut self, process: ProcessId) -> Result<()> {
        let maps = self.tracer.mappings(process)?;
        let old = self.modules.remove(&process).unwrap_or_default();
        let mut modules: Vec<Rc<Module>> = Vec::new();
        let mut i = 0;
        while i < maps.len() {
            let m = &maps[i];
            i += 1;
            let is_file = m.name.starts_with('/') && m.offset == 0;
            if !(is_file || m.name == "[vdso]") {
                continue;
            }
            let mut end = m.end;
            let mut executable = m.is_executable();
            while i < maps.len() && (maps[i].name == m.name || maps[i].name.is_empty()) {
                // Zero-filled data follows the file's own mappings without a name.
                if maps[i].name.is_empty() && maps[i].start != end
                    || maps[i].name == m.name && maps[i].offset == 0
                {
                    break;
                }
                end = maps[i].end;
                executable |= maps[i].is_executable();
                i += 1;
            }
            if !executable {
                continue;
            }
            let path = PathBuf::from(&m.name);
            let known = old.iter().find(|o| o.path == path && o.start == m.start && o.end == end);
            modules.push(known.cloned().unwrap_or_else(|| {
                Rc::new(Module { path, start: m.start, end, loaded: OnceCell::new() })
            }));
        }
        // The program first: its names win over those of libraries.
        if let Ok(exe) = std::fs::read_link(format!("/proc/{process}/exe")) {
            modules.sort_by_key(|m| m.path != exe);
        }
        self.modules.insert(process, modules);
        self.scopes.retain(|(p, _), _| *p != process);
        Ok(())
    }

    /// The modules of a process, the program itself first.
    pub fn modules(&self, process: ProcessId) -> &[Rc<Module>] {
        self.modules.get(&process).map_or(&[], |m| m.as_slice())
    }

    /// Looks at a module's file, once. Files that cannot be read count as having nothing to say.
    pub(super) fn load(
        &mut self,
        process: ProcessId,
        module: &Rc<Module>,
    ) -> Option<(Rc<DebugInfo>, u64)> {
        if module.loaded.get().is_none() {
            let info = if module.path.as_os_str() == "[vdso]" {
                let mut bytes = vec![0; (module.end - module.start).min(1 << 20) as usize];
                let n = self.tracer.read_partly(process, module.start, &mut bytes);
                DebugInfo::parse(&bytes[..n]).ok()
            } else {
                match self.files.get(&module.path) {
                    Some(info) => info.clone(),
                    None => {
                        let info = DebugInfo::open(&module.path).ok();
                        self.files.insert(module.path.clone(), info.clone());
                        info
                    }
                }
            };
            let loaded = info.map(|info| {
                let bias = info.bias(module.start);
                (info, bias)
            });
            let _ = module.loaded.set(loaded);
        }
        module.loaded.get().cloned().flatten()
    }

    /// The module an address belongs to.
    pub(super) fn module_at(
        &mut self,
        process: ProcessId,
        address: u64,
    ) -> Option<(Rc<Module>, Rc<DebugInfo>, u64)> {
        let module = self
            .modules
            .get(&process)?
            .iter()
            .find(|m| (m.start..m.end).contains(&address))?
            .clone();
        let (info, bias) = self.load(process, &module)?;
        Some((module, info, bias))
    }

    /// The functions a name may mean: in the program, or else in the first library that has it.
    pub fn functions(&mut self, process: ProcessId, name: &str) -> Vec<Target> {
        for module in self.modules(process).to_vec() {
            let Some((info, bias)) = self.load(process, &module) else { continue };
            if !info.may_define(name) {
                continue;
            }
            let found: Vec<Target> = info
                .functions_named(name)
                .into_iter()
                .map(|f| Target { module: module.clone(), function: f.clone(), bias })
                .collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The functions of one module that a name means, or whose name is like a pattern.
    pub fn functions_in(
        &mut self,
        process: ProcessId,
        module: &Rc<Module>,
        name: FunctionName<'_>,
    ) -> Vec<Target> {
        let Some((info, bias)) = self.load(process, module) else { return Vec::new() };
        let found: Vec<Function> = match name {
            // The debug files of system libraries are large, and not installed everywhere: what
            // is known of their functions is the same with and without.
            FunctionName::Exactly(name) | FunctionName::Loosely(name) if info.is_separate() => {
                info.functions_by_symbol(&|symbol| symbol == name || is_called(symbol, name))
            }
            FunctionName::Like(matches) if info.is_separate() => {
                info.functions_by_symbol(&|symbol| matches(symbol) || matches(&source_name(symbol)))
            }
            FunctionName::Exactly(name) => {
                info.functions_called(name).into_iter().cloned().collect()
            }
            FunctionName::Loosely(name) => {
                info.functions_named(name).into_iter().cloned().collect()
            }
            FunctionName::Like(matches) => {
                let is_like = |f: &&Function| {
                    matches(&f.name) || f.linkage_name.as_deref().is_some_and(matches)
                };
                info.functions().iter().filter(is_like).cloned().collect()
            }
        };
        found
            .into_iter()
            .map(|function| Target { module: module.clone(), function, bias })
            .collect()
    }

    /// Names of functions of the program that are close to one that was not found.
    pub fn similar_functions(&mut self, process: ProcessId, name: &str) -> Vec<String> {
        let Some(module) = self.modules(process).first().cloned() else { return Vec::new() };
        self.load(process, &module).map_or(Vec::new(), |(info, _)| info.similar_names(name, 3))
    }

    /// Whether the program itself says where its source lines are.
    pub fn has_debug_info(&mut self, process: ProcessId) -> bool {
        let Some(module) = self.modules(process).first().cloned() else { return false };
        self.load(process, &module).is_some_and(|(info, _)| info.has_debug_info())
    }

    /// Files with parts of the program's debug information (`-gsplit-dwarf`) that are not there.
    pub fn lost_debug_files(&mut self, process: ProcessId) -> Vec<String> {
        let Some(module) = self.modules(process).first().cloned() else { return Vec::new() };
        let loaded = self.load(process, &module);
        loaded.map_or(Vec::new(), |(info, _)| info.lost_files().to_vec())
    }

    /// The error for a name that means nothing, with names that are close.
    pub(super) fn no_function(&mut self, process: ProcessId, name: &str) -> Error {
        let close = self.similar_functions(process, name);
        let mut message = format!("no function named `{name}`");
        if !close.is_empty() {
            message.push_str(&format!("; there is `{}`", close.join("`, `")));
        }
        Error::new(ErrorKind::NotFound, message)
    }

    /// For each body of a function: the run-time address where its frame is set up.
    pub fn prologue_ends(&mut self, process: ProcessId, target: &Target) -> Vec<u64> {
        let Some((info, bias)) = self.load(process, &target.module) else { return Vec::new() };
        let bodies = target.function.instances.iter().filter(|i| !i.is_fragment());
        bodies.map(|i| info.after_prologue(i).wrapping_add(bias)).collect()
    }

    /// The function and body at a run-time address, and the bias.
    pub fn function_at(
        &mut self,
        process: ProcessId,
        address: u64,
    ) -> Option<(Function, Instance, u64)> {
        let (_, info, bias) = self.module_at(process, address)?;
        let (f, i) = info.function_at(address.wrapping_sub(bias))?;
        Some((f.clone(), i.clone(), bias))
    }

    /// The function and the source line of a run-time address, as far as they are at hand: large
    /// separate files of debug information are not read for it.
    pub fn place_quickly(
        &mut self,
        process: ProcessId,
        address: u64,
    ) -> (Option<String>, Option<SourceLine>) {
        let Some((_, info, bias)) = self.module_at(process, address) else { return (None, None) };
        let at = address.wrapping_sub(bias);
        let line = if info.is_separate() { None } else { info.line_at(at) };
        (info.function_at_quickly(at).map(|(f, _)| f.name), line)
    }

    /// The source line of a run-time address.
    pub fn line_at(&mut self, process: ProcessId, address: u64) -> Option<SourceLine> {
        let (_, info, bias) = self.module_at(process, address)?;
        info.line_at(address.wrapping_sub(bias))
    }

    /// The code around a run-time address that belongs to its source line.
    pub fn line_range(&mut self, process: ProcessId, address: u64) -> Option<LineRange> {
        let (_, info, bias) = self.module_at(process, address)?;
        let range = info.line_range(address.wrapping_sub(bias))?;
        let (start, end) = (range.start.wrapping_add(bias), range.end.wrapping_add(bias));
        Some(LineRange { start, end, ..range })
    }

    /// Where the frame is set up in the function whose entry this run-time address is.
    pub fn prologue_end(&mut self, process: ProcessId, entry: u64) -> Option<u64> {
        let (_, info, bias) = self.module_at(process, entry)?;
        let (_, instance) = info.function_at(entry.wrapping_sub(bias))?;
        Some(info.after_prologue(instance).wrapping_add(bias))
    }

    /// Run-time addresses where the code of a source line begins; the line that really has code
    /// is told.
    pub fn addresses_of_line(
        &mut self,
        process: ProcessId,
        file: &str,
        line: u32,
    ) -> Vec<(u64, SourceLine)> {
        let mut all = Vec::new();
        for module in self.modules(process).to_vec() {
            if let Some((info, bias)) = self.load(process, &module) {
                all.extend(
                    info.addresses_of_line(file, line)
                        .into_iter()
                        .map(|(a, l)| (a.wrapping_add(bias), l)),
                );
            }
        }
        all
    }

    /// A run-time address in words: `push+4 (queue.c:12)`.
    pub fn describe(&mut self, process: ProcessId, address: u64) -> String {
        let Some((module, info, bias)) = self.module_at(process, address) else {
            return format!("{address:#x}");
        };
        let at = address.wrapping_sub(bias);
        let name = match info.function_at(at) {
            Some((f, i)) if at == i.entry => f.name.clone(),
            Some((f, i)) => format!("{}+{:#x}", f.name, at.wrapping_sub(i.entry)),
            None => {
                let file = module.path.file_name().unwrap_or(module.path.as_os_str());
                format!("{}+{:#x}", file.to_string_lossy(), address - module.start)
            }
        };
        match info.line_at(at) {
            Some(l) => {
                let file = Path::new(&l.file).file_name().map(|f| f.to_string_lossy().into_owned());
                format!("{name} ({}:{})", file.unwrap_or(l.file), l.line)
            }
            None => name,
        }
    }

    /// The symbol that covers a run-time address, with the distance from its beginning: `first+24`.
    pub fn symbol(&mut self, process: ProcessId, address: u64) -> Option<String> {
        let (_, info, bias) = self.module_at(process, address)?;
        let at = address.wrapping_sub(bias);
        let name = |name: &str, from: u64| match at.wrapping_sub(from) {
            0 => name.to_string(),
            by => format!("{name}+{by}"),
        };
        if let Some((function, instance)) = info.function_at(at) {
            return Some(name(&function.name, instance.entry));
        }
        let symbol = info.data_symbol_at(at)?;
        Some(name(&crate::info::source_name(&symbol.name), symbol.address))
    }
}
