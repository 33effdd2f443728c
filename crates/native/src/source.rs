//! The declared events of a property that come from a native program.

use std::collections::HashSet;
use std::path::PathBuf;
use std::rc::Rc;

use watchword_debug::expr::Expr;
use watchword_debug::{
    Access, CallWarning, Debugger, FunctionName, Module, Owner, PointId, ProcessId, Result, Target,
    ThreadId, When,
};
use watchword_model::{
    EventDecl, EventId, Glob, NativeKind, NativePattern, NativeSource, NativeVariable, NativeWhen,
    Type,
};

use crate::term::{self, Taken};
use crate::watching::Watched;

/// One source of an event, and where it is armed.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub event: EventId,
    pub declared: NativeSource,
    /// Types of the event's parameters.
    pub params: Vec<Type>,
    /// What each captured parameter is given.
    pub taken: Vec<(usize, Taken)>,
    /// What is read when the event happens.
    pub read: Vec<Expr>,
    /// Calls: where they are armed.
    pub sites: Vec<Site>,
    /// Variables: what is watched.
    pub watched: Watched,
    /// What the kernel tells of, by its numbers: signals.
    pub numbers: Vec<i32>,
    /// See [`Source::field_of`].
    pub field: Option<(usize, String, String)>,
    /// Modules that were searched.
    searched: HashSet<(PathBuf, u64)>,
    /// What was found out while arming, not told yet.
    pub news: Vec<ArmNote>,
    /// That it is armed nowhere was explained already.
    explained: bool,
    /// Whether some monitor wants it now.
    pub wanted: bool,
    /// Reasons for which a parameter could not be read, told once each.
    pub unread: HashSet<(usize, String)>,
}

/// A place in the code where a call event is armed.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub point: PointId,
    pub address: u64,
    pub module: PathBuf,
}

/// Something to tell about arming an event.
#[derive(Clone, Debug)]
pub enum ArmNote {
    /// It was armed.
    Armed(Armed),
    /// Some of its occurrences will not be seen.
    Warning {
        /// The event's name.
        event: String,
        /// Why.
        text: String,
    },
    /// The instances of a property are inside the program, unless there is a reason for which they are not.
    Resident {
        /// The property.
        property: String,
        /// Why the tracer has them.
        stays: Option<String>,
    },
    /// The program's file gives it the rights of another user or group, which the kernel does not
    /// grant to a program that is traced by somebody without privilege.
    Unprivileged {
        /// The program.
        program: PathBuf,
    },
}

/// A place where an event was armed.
#[derive(Clone, Debug)]
pub struct Armed {
    /// The event's name.
    pub event: String,
    /// The function or variable.
    pub name: String,
    /// The file it is in.
    pub module: PathBuf,
    /// The address.
    pub address: u64,
    /// How it is realised.
    pub how: &'static str,
    /// Why it is not realised inside the program, if that was asked for.
    pub why: Option<String>,
}

impl Source {
    pub fn new(event: EventId, decl: &EventDecl, declared: &NativeSource) -> Source {
        let is_call = declared.point.is_call();
        let (taken, read) = term::split_captures(&declared.captures, is_call);
        let mut source = Source {
            event,
            declared: declared.clone(),
            params: decl.params.iter().map(|p| p.ty).collect(),
            taken,
            read,
            sites: Vec::new(),
            watched: Watched::default(),
            numbers: Vec::new(),
            searched: HashSet::new(),
            news: Vec::new(),
            field: None,
            explained: false,
            wanted: true,
            unread: HashSet::new(),
        };
        let names: Vec<String> = decl.params.iter().map(|p| p.name.clone()).collect();
        source.field = source.field_of(&names);
        source
    }

    /// The source as it is written: `before call queue_push`.
    pub fn describe(&self) -> String {
        let when = match self.declared.when {
            NativeWhen::Before => "before",
            NativeWhen::After => "after",
        };
        let (kind, pattern) = (self.declared.point.kind.facts().word, &self.declared.point.pattern);
        match pattern {
            NativePattern::Named(glob) => format!("{when} {kind} {}", glob.text()),
            NativePattern::Variable(NativeVariable { term, scope }) => {
                let scope = scope.as_ref().map_or(String::new(), |s| format!(" in {s}"));
                format!("{when} {kind} {term}{scope}")
            }
        }
    }

    /// If it watches a field of all objects a parameter stands for: the parameter's position and
    /// name, and the objects' type.
    fn field_of(&self, names: &[String]) -> Option<(usize, String, String)> {
        let v = self.declared.point.variable()?;
        let ty = v.scope.clone()?;
        let watched = term::expression(&v.term);
        // A name alone is no field: then it is a local variable with the name of the parameter.
        if matches!(watched, Expr::Name(_)) {
            return None;
        }
        let mut used = Vec::new();
        crate::watching::collect_names(&watched, &mut used);
        let at = names.iter().position(|n| used.contains(n))?;
        Some((at, names[at].clone(), ty))
    }

    /// Whether it is armed somewhere.
    pub fn is_armed(&self) -> bool {
        !self.sites.is_empty() || self.watched.is_prepared() || !self.numbers.is_empty()
    }

    /// Whether the reason why it is not armed is still unknown.
    pub fn is_missing(&self) -> bool {
        !self.is_armed() && !self.explained
    }

    /// Whether it and another source are armed at the same calls of a function.
    pub fn has_calls_of(&self, other: &Source) -> bool {
        let key = |s: &Source| (s.event, s.declared.when, s.declared.caller);
        key(self) == key(other)
    }

    /// Which accesses of its variable count.
    pub fn access(&self) -> Access {
        match self.declared.point.kind {
            NativeKind::Read => Access::Read,
            _ => Access::Write,
        }
    }

    /// Arms a call event in the modules that have not been searched yet. At the addresses `taken`
    /// another source of the same event is armed: those are other names of one function.
    pub fn arm_calls(
        &mut self,
        debugger: &mut Debugger,
        process: ProcessId,
        event: &str,
        owner: Owner,
        taken: &HashSet<u64>,
    ) -> Result<()> {
        let Some(name) = self.declared.point.called().cloned() else { return Ok(()) };
        let modules = debugger.modules(process).to_vec();
        let known: HashSet<(PathBuf, u64)> =
            modules.iter().map(|m| (m.path.clone(), m.start)).collect();
        self.searched.retain(|m| known.contains(m));
        self.sites.retain(|s| debugger.tracer().point_address(process, s.point).is_some());
        if self.declared.is_in_c_library() && name.is_literal() {
            let targets = debugger.c_library_functions(process, name.text());
            return self.arm_targets(debugger, process, event, owner, &targets, taken);
        }
        let program = modules.first().map(|m| m.path.clone());
        for module in modules {
            // A name means the program's function, or else that of the libraries.
            let in_program = |s: &Site| Some(&s.module) == program.as_ref();
            if self.declared.module.is_none() && self.sites.iter().any(in_program) {
                break;
            }
            if !self.searched.insert((module.path.clone(), module.start))
                || !self.is_wanted(debugger, process, &module)
            {
                continue;
            }
            let targets = find(debugger, process, &module, &name);
            self.arm_targets(debugger, process, event, owner, &targets, taken)?;
        }
        Ok(())
    }

    /// Whether events may come from a module. Unless it is named, the dynamic linker and the
    /// kernel's own page are nobody's business.
    fn is_wanted(&self, debugger: &mut Debugger, process: ProcessId, module: &Rc<Module>) -> bool {
        let file = module.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match &self.declared.module {
            Some(_) if self.declared.is_in_c_library() => {
                debugger.is_part_of_c_library(process, module)
            }
            Some(glob) => glob.matches(&file) || glob.matches(&module.path.to_string_lossy()),
            None => !(file.starts_with("ld-linux") || module.path.starts_with("[vdso]")),
        }
    }

    fn arm_targets(
        &mut self,
        debugger: &mut Debugger,
        process: ProcessId,
        event: &str,
        owner: Owner,
        targets: &[Target],
        taken: &HashSet<u64>,
    ) -> Result<()> {
        let when = match self.declared.when {
            NativeWhen::Before => When::Before,
            NativeWhen::After => When::After,
        };
        for target in targets {
            // The functions of the C library are looked up again with every library that comes.
            let is_armed =
                |a: &u64| taken.contains(a) || self.sites.iter().any(|s| s.address == *a);
            let entries = target.entries();
            if !entries.is_empty() && entries.iter().all(is_armed) {
                self.explained = true;
                continue;
            }
            let one = std::slice::from_ref(target);
            let armed = debugger.arm_targets(process, one, when, owner, self.read.clone())?;
            self.explained |= !armed.warnings.is_empty();
            for warning in armed.warnings {
                // Jumps at the end of a function do not matter for events at its beginning.
                let is_noise = matches!(warning, CallWarning::TailCalls { .. });
                if !is_noise || when != When::Before {
                    let text = warning.to_string();
                    self.news.push(ArmNote::Warning { event: event.into(), text });
                }
            }
            for (point, address) in armed.points.into_iter().zip(armed.addresses) {
                if taken.contains(&address) || self.sites.iter().any(|s| s.address == address) {
                    // Two names of one function are one place.
                    self.explained = true;
                    debugger.disarm(process, point)?;
                    continue;
                }
                let (function, module) = (target.function.name.clone(), target.module.path.clone());
                self.news.push(ArmNote::Armed(Armed {
                    event: event.into(),
                    name: function,
                    module: module.clone(),
                    address,
                    how: if when == When::Before { "breakpoint" } else { "breakpoint and return" },
                    why: None,
                }));
                if !self.wanted {
                    debugger.tracer_mut().mute(process, point, true)?;
                }
                self.sites.push(Site { point, address, module });
            }
        }
        Ok(())
    }

    /// The source in a child process that was forked by a thread and has this one: it is armed in the
    /// same places.
    pub fn fork(&self, by: ThreadId, thread: ThreadId) -> Source {
        let mut copy = Source { news: Vec::new(), ..self.clone() };
        copy.watched.rename_thread(by, thread);
        copy
    }

    /// The process runs another program now: everything is to be looked for again.
    pub fn forget(&mut self) {
        self.sites.clear();
        self.searched.clear();
        self.watched = Watched::default();
    }
}

fn find(
    debugger: &mut Debugger,
    process: ProcessId,
    module: &Rc<Module>,
    name: &Glob,
) -> Vec<Target> {
    let targets = match name.is_literal() {
        true => debugger.functions_in(process, module, FunctionName::Exactly(name.text())),
        false => {
            debugger.functions_in(process, module, FunctionName::Like(&|text| name.matches(text)))
        }
    };
    debugger.without_outer_destructors(process, targets)
}
