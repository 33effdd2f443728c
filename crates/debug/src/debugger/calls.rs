//! Call events by function name, with values read as they happen.

use std::collections::HashSet;
use std::rc::Rc;

use super::frames::Body;
use super::{Captured, Debugger, Target};
use crate::abi::{self, Argument};
use crate::error::{Error, ErrorKind, Result};
use crate::expr::{self, Expr};
use crate::info::{DebugInfo, Instance, Lazy, Member, Signature, Type, Variable};
use crate::point::{Hit, Owner, Phase, PointId, When};
use crate::tracer::{ProcessId, ThreadId};
use crate::value::Value;

/// Below this number of calls, calls that will not return are not searched for.
pub(super) const ENTERED_LEAST: usize = 4096;

/// What is to be read when a point fires.
#[derive(Debug)]
pub(super) struct Captures {
    expressions: Vec<Expr>,
    /// For after-events: the parts of the expressions that are read at the entry, where they may
    /// be parameters. Memory is read after the return: it holds what the function has left there.
    inputs: Vec<Expr>,
    /// The person or monitor asked for the after-event only.
    silent_entry: bool,
}

/// What the inputs of the captures of an after-event were at the entry; `None` for names that are
/// no parameters of the function.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    captures: Rc<Captures>,
    values: Vec<Option<Captured>>,
}

impl Captures {
    /// What is read, in the order asked.
    pub fn expressions(&self) -> &[Expr] {
        &self.expressions
    }
}

impl Inputs {
    /// What a name, argument or register was at the entry.
    pub fn get(&self, e: &Expr) -> Option<&Captured> {
        let at = self.captures.inputs.iter().position(|input| input == e)?;
        self.values[at].as_ref()
    }
}

/// A function body with its parameters and where they are at the entry.
pub(super) struct Scope {
    pub body: Body,
    pub parameters: Vec<Variable>,
    /// Places by the calling convention; absent if the types could not be read.
    pub places: Option<Vec<Argument>>,
    pub result: Lazy,
    /// Whether more arguments than the parameters may be passed.
    pub is_variadic: bool,
    /// Whether it was compiled from Go, which has a calling convention of its own.
    pub is_go: bool,
}

impl Scope {
    /// Whether the types of parameters and result are known.
    pub fn is_typed(&self) -> bool {
        self.body.instance.die.is_some() || self.places.is_some()
    }

    fn parameter(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|p| p.name == name)
    }
}

/// A call event that was armed.
#[derive(Clone, Debug)]
pub struct ArmedCall {
    /// One point per body of the function.
    pub points: Vec<PointId>,
    /// Their addresses.
    pub addresses: Vec<u64>,
    /// Calls that will not be seen, and why.
    pub warnings: Vec<CallWarning>,
}

/// A reason why some calls of a function are no events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallWarning {
    /// The function exists only inside its callers.
    OnlyInlined {
        /// Its name.
        function: String,
        /// How many copies there are.
        copies: u32,
    },
    /// Some calls were inlined.
    AlsoInlined {
        /// Its name.
        function: String,
        /// How many copies there are.
        copies: u32,
    },
    /// The compiler made a variant whose parameters may differ.
    Clone {
        /// Its name.
        function: String,
        /// The variant's symbol.
        symbol: String,
    },
    /// The name stands for one of several functions, chosen when the program starts.
    Chosen {
        /// Its name.
        function: String,
    },
    /// The function is one of Go, whose stacks are moved when they grow: a call cannot be recognised
    /// when it returns.
    MovingStack {
        /// Its name.
        function: String,
    },
    /// The function does not return, or, like `execve`, only if it fails.
    NeverReturns {
        /// Its name.
        function: String,
    },
    /// The function ends by jumping to others: when it is left that way, it returns together
    /// with them.
    TailCalls {
        /// Its name.
        function: String,
        /// How many such jumps there are.
        jumps: u32,
    },
}

impl std::fmt::Display for CallWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CallWarning::OnlyInlined { function, copies } => write!(
                f,
                "`{function}` exists only inlined ({copies} copies): its calls cannot be observed"
            ),
            CallWarning::AlsoInlined { function, copies } => {
                let places = if *copies == 1 { "place" } else { "places" };
                write!(
                    f,
                    "`{function}` is inlined in {copies} {places}: those calls are not observed"
                )
            }
            CallWarning::Clone { function, symbol } => write!(
                f,
                "`{symbol}` is a variant of `{function}` made by the compiler; its arguments may differ"
            ),
            CallWarning::Chosen { function } => write!(
                f,
                "the code of `{function}` is chosen when the program starts: its calls are not observed"
            ),
            CallWarning::MovingStack { function } => write!(
                f,
                "`{function}` is a function of Go, whose stacks move: its returns are not observed"
            ),
            CallWarning::NeverReturns { function } => match is_replacing(function) {
                true => write!(
                    f,
                    "`{function}` returns only if it fails: only failed calls are observed"
                ),
                false => write!(f, "`{function}` does not return: its return is never observed"),
            },
            CallWarning::TailCalls { function, jumps } => {
                let places = if *jumps == 1 { "place" } else { "places" };
                write!(
                    f,
                    "`{function}` ends by a jump to another function in {jumps} {places}: its return is observed when that function returns"
                )
            }
        }
    }
}

impl Debugger {
    /// Arms an event at every call of a function. `captures` are expressions read when it
    /// happens. In an after-event parameters are as they were at the entry, and memory is as it is
    /// after the return: `*p` is what the function has left where its parameter `p` points to.
    pub fn arm_call(
        &mut self,
        process: ProcessId,
        function: &str,
        when: When,
        owner: Owner,
        captures: &[&str],
    ) -> Result<ArmedCall> {
        let targets = self.functions(process, function);
        if targets.is_empty() {
            return Err(self.no_function(process, function));
        }
        let captures = captures.iter().map(|text| expr::parse(text)).collect::<Result<Vec<_>>>()?;
        let armed = self.arm_targets(process, &targets, when, owner, captures)?;
        if armed.points.is_empty() {
            let why: Vec<String> = armed.warnings.iter().map(|w| w.to_string()).collect();
            return Err(Error::new(ErrorKind::NotFound, why.join("; ")));
        }
        Ok(armed)
    }

    /// As [`Debugger::arm_call`], for functions that were found already. Functions that exist
    /// only inlined are told as warnings; that none could be armed is no error here.
    pub fn arm_targets(
        &mut self,
        process: ProcessId,
        targets: &[Target],
        when: When,
        owner: Owner,
        captures: Vec<Expr>,
    ) -> Result<ArmedCall> {
        let is_after = when != When::Before;
        let parsed = sort_captures(captures, when)?;
        let mut armed =
            ArmedCall { points: Vec::new(), addresses: Vec::new(), warnings: Vec::new() };
        for target in targets {
            let name = target.function.name.clone();
            let copies = target.function.inlined;
            if copies > 0 && target.function.instances.is_empty() {
                armed.warnings.push(CallWarning::OnlyInlined { function: name, copies });
                continue;
            }
            if copies > 0 {
                let function = name.clone();
                armed.warnings.push(CallWarning::AlsoInlined { function, copies });
            }
            for instance in target.function.instances.iter().filter(|i| !i.is_fragment()) {
                if let Some(symbol) = &instance.clone_of {
                    armed.warnings.push(CallWarning::Clone {
                        function: name.clone(),
                        symbol: symbol.clone(),
                    });
                }
                if target.module.info().is_some_and(|(info, _)| info.is_chooser(instance.entry)) {
                    armed.warnings.push(CallWarning::Chosen { function: name.clone() });
                    continue;
                }
                let mut address = instance.entry.wrapping_add(target.bias);
                if target.module.info().is_some_and(|(info, _)| info.is_go(&target.function)) {
                    if is_after {
                        armed.warnings.push(CallWarning::MovingStack { function: name.clone() });
                        continue;
                    }
                    address = self.after_stack_check(process, address);
                }
                if is_after
                    && (target.module.info().is_some_and(|(info, _)| info.never_returns(instance))
                        || instance.die.is_none() && LEAVING.contains(&name.as_str())
                        || is_replacing(&name))
                {
                    armed.warnings.push(CallWarning::NeverReturns { function: name.clone() });
                } else if is_after {
                    let jumps = self.tail_calls(process, instance, target.bias);
                    if jumps > 0 {
                        let function = name.clone();
                        armed.warnings.push(CallWarning::TailCalls { function, jumps });
                    }
                }
                let when = match when {
                    When::After if !parsed.inputs.is_empty() => When::AfterWithEntry,
                    other => other,
                };
                let point = self.tracer.arm(process, address, when, owner)?;
                self.captures.insert(point, parsed.clone());
                armed.points.push(point);
                armed.addresses.push(address);
            }
        }
        if is_after && !armed.points.is_empty() {
            self.hook_unwinding(process)?;
        }
        Ok(armed)
    }

    /// Leaves out bodies of destructors that begin by calling another body of the same destructor
    /// which is among the targets, too, as the one that also gives back the memory (`delete`)
    /// does: to destroy an object once is one call.
    pub fn without_outer_destructors(
        &mut self,
        process: ProcessId,
        mut targets: Vec<Target>,
    ) -> Vec<Target> {
        let entries: HashSet<u64> = targets.iter().flat_map(Target::entries).collect();
        for target in &mut targets {
            let Some((info, bias)) = self.load(process, &target.module) else { continue };
            let is_outer = |i: &Instance| {
                let Some(own) = info.destructor_at(i.entry) else { return false };
                let inner = self.first_call(process, i, bias).filter(|to| *to != i.entry);
                inner.is_some_and(|to| {
                    entries.contains(&to.wrapping_add(bias))
                        && info.destructor_at(to).as_ref() == Some(&own)
                })
            };
            target.function.instances.retain(|i| !is_outer(i));
        }
        targets.retain(|t| !t.function.instances.is_empty() || t.function.inlined > 0);
        targets
    }

    /// What a body calls before anything else, if it always does, by its address in the file.
    fn first_call(&self, process: ProcessId, instance: &Instance, bias: u64) -> Option<u64> {
        use iced_x86::{Decoder, DecoderOptions, FlowControl};
        let &(_, end) = instance.ranges.iter().find(|(low, _)| *low == instance.entry)?;
        let mut code = vec![0; (end - instance.entry).min(1 << 12) as usize];
        let n = self.tracer.read_partly(process, instance.entry.wrapping_add(bias), &mut code);
        let mut decoder = Decoder::with_ip(64, &code[..n], instance.entry, DecoderOptions::NONE);
        let first = decoder.iter().find(|i| i.flow_control() != FlowControl::Next)?;
        (first.flow_control() == FlowControl::Call).then(|| first.near_branch_target())
    }

    /// Arms a point at an address, with expressions read when it fires.
    pub fn arm_address(
        &mut self,
        process: ProcessId,
        address: u64,
        owner: Owner,
        captures: &[&str],
    ) -> Result<PointId> {
        let captures = captures.iter().map(|text| expr::parse(text)).collect::<Result<Vec<_>>>()?;
        let parsed = sort_captures(captures, When::Before)?;
        let point = self.tracer.arm(process, address, When::Before, owner)?;
        self.captures.insert(point, parsed);
        Ok(point)
    }

    /// Disarms a point and forgets its captures, unless a forked process still has it.
    pub fn disarm(&mut self, process: ProcessId, point: PointId) -> Result<()> {
        let disarmed = self.tracer.disarm(process, point);
        let mut others = self.tracer.processes().into_iter();
        if !others.any(|p| p != process && self.tracer.point_address(p, point).is_some()) {
            self.captures.remove(&point);
        }
        disarmed
    }

    /// Frames are also left through exceptions and `longjmp`; knowing when keeps the record of
    /// calls in flight exact.
    fn hook_unwinding(&mut self, process: ProcessId) -> Result<()> {
        if self.unwinding_hooked.insert(process, true).is_some() {
            return Ok(());
        }
        let mut caught = Vec::new();
        let mut jumps = Vec::new();
        let mut landings = Vec::new();
        for module in self.modules(process).to_vec() {
            let Some((info, bias)) = self.load(process, &module) else { continue };
            let find = |names: &[&str], into: &mut Vec<u64>| {
                for name in names {
                    let found = info.symbols_named(name).filter(|s| s.is_code && s.address != 0);
                    into.extend(found.map(|s| s.address.wrapping_add(bias)));
                }
            };
            find(&["__cxa_begin_catch"], &mut caught);
            find(&["_Unwind_SetIP"], &mut landings);
            find(&["longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"], &mut jumps);
        }
        jumps.sort_unstable();
        jumps.dedup();
        self.tracer.hook_unwinding(process, &caught, &landings, &jumps)
    }

    pub(super) fn rehook_unwinding(&mut self, process: ProcessId) -> Result<()> {
        if self.unwinding_hooked.remove(&process).is_some() {
            self.hook_unwinding(process)?;
        }
        Ok(())
    }

    /// Where a function of Go goes on when its stack is large enough: its first instructions are
    /// executed again after the stack was made larger, which is no second call.
    fn after_stack_check(&self, process: ProcessId, entry: u64) -> u64 {
        use iced_x86::{Decoder, DecoderOptions, Mnemonic, Register};
        const LONGEST: usize = 8;
        let mut code = [0; 64];
        let n = self.tracer.read_partly(process, entry, &mut code);
        let mut is_compared = false;
        for i in Decoder::with_ip(64, &code[..n], entry, DecoderOptions::NONE).iter().take(LONGEST)
        {
            match i.mnemonic() {
                // The goroutine is in r14, and its limit there.
                Mnemonic::Cmp if i.memory_base() == Register::R14 => is_compared = true,
                Mnemonic::Jbe if is_compared => return i.next_ip(),
                Mnemonic::Lea | Mnemonic::Mov | Mnemonic::Sub | Mnemonic::Jb => {}
                _ => break,
            }
        }
        entry
    }

    /// Jumps out of the function's own code.
    fn tail_calls(&mut self, process: ProcessId, instance: &Instance, bias: u64) -> u32 {
        use iced_x86::{Decoder, DecoderOptions, FlowControl};
        let mut jumps = 0;
        for &(low, high) in &instance.ranges {
            let mut code = vec![0; (high - low).min(1 << 20) as usize];
            let n = self.tracer.read_partly(process, low.wrapping_add(bias), &mut code);
            for i in Decoder::with_ip(64, &code[..n], low, DecoderOptions::NONE).iter() {
                if i.flow_control() == FlowControl::UnconditionalBranch
                    && i.near_branch_target() != 0
                    && !instance.contains(i.near_branch_target())
                {
                    jumps += 1;
                }
            }
        }
        jumps
    }

    /// Reads what was asked for; false when nothing is left to tell.
    pub(super) fn on_hits(
        &mut self,
        process: ProcessId,
        thread: ThreadId,
        address: u64,
        hits: &mut Vec<Hit>,
        values: &mut Vec<(PointId, Vec<Captured>)>,
    ) -> Result<bool> {
        let mut silent: Vec<PointId> = Vec::new();
        for hit in hits.iter() {
            let Some(captures) = self.captures.get(&hit.point).cloned() else { continue };
            match hit.phase {
                Phase::Before => {
                    let all = self.read_at_entry(process, thread, address, &captures);
                    values.push((hit.point, all));
                }
                Phase::Entered => {
                    if !captures.silent_entry {
                        let all = self.read_at_entry(process, thread, address, &captures);
                        values.push((hit.point, all));
                    } else {
                        silent.push(hit.point);
                    }
                    if let Some(call) = hit.call {
                        let inputs = self.read_inputs(process, thread, address, &captures);
                        self.remember(call, hit.point, inputs);
                    }
                }
                Phase::After => {
                    let kept = hit.call.and_then(|call| self.recall(call, hit.point));
                    let entry = self.tracer.point_address(process, hit.point);
                    let scope = entry.and_then(|e| self.scope(process, e));
                    let inputs = kept.unwrap_or_else(|| not_seen(&captures, scope.as_deref()));
                    if let Some(scope) = scope {
                        self.returned.insert(thread, scope);
                    }
                    let inputs = Rc::new(inputs);
                    let read = |e| self.evaluate_at_return(thread, &inputs, e).map_err(Rc::new);
                    let all = captures.expressions.iter().map(read).collect();
                    values.push((hit.point, all));
                }
            }
        }
        hits.retain(|h| h.phase != Phase::Entered || !silent.contains(&h.point));
        Ok(!hits.is_empty())
    }

    /// What was read when a call began that has returned. A process that was forked in the middle
    /// of the call returns from it, too.
    fn recall(&mut self, call: crate::CallId, point: PointId) -> Option<Inputs> {
        let is_shared = self.tracer.is_in_flight(call);
        let list = self.entered.get_mut(&call)?;
        let at = list.iter().position(|(p, _)| *p == point)?;
        if is_shared {
            return Some(list[at].1.clone());
        }
        let inputs = list.swap_remove(at).1;
        if list.is_empty() {
            self.entered.remove(&call);
        }
        Some(inputs)
    }

    fn remember(&mut self, call: crate::CallId, point: PointId, inputs: Inputs) {
        // Calls left by exceptions never return: forget them when there are twice as many as last
        // time, so that a deep recursion is not looked at again and again.
        if self.entered.len() > self.entered_most {
            let mut live: std::collections::HashSet<crate::CallId> = Default::default();
            for process in self.tracer.processes() {
                for t in self.tracer.threads(process) {
                    live.extend(self.tracer.calls_in_flight(t).into_iter().map(|(_, c)| c));
                }
            }
            self.entered.retain(|c, _| live.contains(c));
            self.entered_most = ENTERED_LEAST.max(2 * self.entered.len());
        }
        self.entered.entry(call).or_default().push((point, inputs));
    }

    fn read_at_entry(
        &mut self,
        process: ProcessId,
        thread: ThreadId,
        address: u64,
        captures: &Captures,
    ) -> Vec<Captured> {
        let scope = self.scope(process, address);
        let read = |e| self.evaluate_entered(thread, scope.as_ref(), e).map_err(Rc::new);
        captures.expressions.iter().map(read).collect()
    }

    /// Reads what an after-event needs of the entry.
    fn read_inputs(
        &mut self,
        process: ProcessId,
        thread: ThreadId,
        address: u64,
        captures: &Rc<Captures>,
    ) -> Inputs {
        let scope = self.scope(process, address);
        let read = |e: &Expr| {
            if !is_input(e, scope.as_deref()) {
                return None;
            }
            let mut value = self.evaluate_entered(thread, scope.as_ref(), e).map_err(Rc::new);
            if let Ok(value) = &mut value {
                self.keep(process, value);
            }
            Some(value)
        };
        let values = captures.inputs.iter().map(read).collect();
        Inputs { captures: captures.clone(), values }
    }

    fn evaluate_entered(
        &mut self,
        thread: ThreadId,
        scope: Option<&Rc<Scope>>,
        e: &Expr,
    ) -> Result<Value> {
        match scope {
            Some(scope) => self.evaluate_at_entry(thread, scope, e),
            None => self.evaluate(thread, 0, e),
        }
    }

    /// The function whose entry this run-time address is.
    pub(super) fn scope(&mut self, process: ProcessId, entry: u64) -> Option<Rc<Scope>> {
        if let Some(scope) = self.scopes.get(&(process, entry)) {
            return Some(scope.clone());
        }
        let (_, info, bias) = self.module_at(process, entry)?;
        let (function, instance) = info.function_at_quickly(entry.wrapping_sub(bias))?;
        if instance.entry != entry.wrapping_sub(bias) {
            return None;
        }
        let is_go = info.is_go(&function);
        let mut scope = self.make_scope(info, bias, instance);
        if is_go {
            scope.is_go = true;
            scope.places = None;
        }
        let scope = Rc::new(scope);
        self.scopes.insert((process, entry), scope.clone());
        Some(scope)
    }

    fn make_scope(&self, info: Rc<DebugInfo>, bias: u64, instance: Instance) -> Scope {
        if instance.die.is_none() {
            return known_scope(info, bias, instance);
        }
        let parameters = info.parameters(&instance);
        let result = info.return_type(&instance);
        let types: Vec<Lazy> = parameters.iter().map(|p| p.ty.clone()).collect();
        // Variants with changed parameters, and Rust's larger structures, do not follow the
        // convention.
        let is_rust = info.is_rust(&instance);
        let conventional = instance.clone_of.is_none()
            && !info.is_unconventional(&instance)
            && !(is_rust && types.iter().chain([&result]).any(is_unusual_in_rust));
        let places =
            if conventional { abi::arguments(&types, &result, is_rust).ok() } else { None };
        let is_variadic = info.is_variadic(&instance);
        Scope {
            body: Body { info, bias, instance },
            parameters,
            places,
            result,
            is_variadic,
            is_go: false,
        }
    }
}

/// The scope of a function without debug information: with the types of the C library if it is one
/// of its functions.
fn known_scope(info: Rc<DebugInfo>, bias: u64, instance: Instance) -> Scope {
    let signature = info.signature_at(instance.entry);
    scope_of(info, bias, instance, signature)
}

/// The scope of a function of which at most the signature is known.
pub(super) fn scope_of(
    info: Rc<DebugInfo>,
    bias: u64,
    instance: Instance,
    signature: Option<Signature>,
) -> Scope {
    let body = Body { info, bias, instance };
    match signature {
        Some(Signature { parameters, result, is_variadic }) => {
            let types: Vec<Lazy> = parameters.iter().map(|p| p.ty.clone()).collect();
            let places = abi::arguments(&types, &result, false).ok();
            Scope { body, parameters, places, result, is_variadic, is_go: false }
        }
        None => Scope {
            body,
            parameters: Vec::new(),
            places: None,
            result: Lazy::Known(Type::word()),
            is_variadic: true,
            is_go: false,
        },
    }
}

/// Functions of the C library that do not return, which mostly come without debug information.
const LEAVING: [&str; 20] = [
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "pthread_exit",
    "thrd_exit",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "setcontext",
    "__assert_fail",
    "__chk_fail",
    "__stack_chk_fail",
    "__libc_fatal",
    "__cxa_throw",
    "__cxa_rethrow",
    "_Unwind_Resume",
    "err",
];

/// Whether a function replaces the program by another one.
fn is_replacing(function: &str) -> bool {
    const ALL: [&str; 8] =
        ["execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe", "fexecve"];
    ALL.contains(&function)
}

/// Whether a part of an expression is to be read at the entry.
fn is_input(e: &Expr, scope: Option<&Scope>) -> bool {
    match e {
        Expr::Name(name) => scope.is_some_and(|s| s.parameter(name).is_some()),
        _ => true,
    }
}

/// The inputs of a call of which only the return was seen.
fn not_seen(captures: &Rc<Captures>, scope: Option<&Scope>) -> Inputs {
    let missing =
        || Err(Rc::new(Error::new(ErrorKind::NotFound, "not read: the entry was not observed")));
    let value = |e: &Expr| is_input(e, scope).then(missing);
    Inputs { captures: captures.clone(), values: captures.inputs.iter().map(value).collect() }
}

/// What is read when. `ret` exists only after the return.
fn sort_captures(expressions: Vec<Expr>, when: When) -> Result<Rc<Captures>> {
    let mut inputs = Vec::new();
    for e in &expressions {
        match when {
            When::Before if e.mentions_result() => {
                return Err(Error::expression("`ret` only exists after a return"));
            }
            When::Before => {}
            _ => e.collect_inputs(&mut inputs),
        }
    }
    Ok(Rc::new(Captures { expressions, inputs, silent_entry: when == When::After }))
}

/// Whether it is not known how Rust passes and returns values of a type: which pairs of numbers
/// are in two registers is the compiler's business.
fn is_unusual_in_rust(ty: &Lazy) -> bool {
    use crate::info::Kind;
    let Ok(ty) = ty.get() else { return true };
    match &ty.kind {
        Kind::Structure { .. } | Kind::Array { .. } if ty.size > 16 || ty.size == 0 => false,
        Kind::Structure { members, variants, .. } => {
            // Fat pointers are a pointer and a length in two registers, as in C.
            let is_fat = ty.size == 16 && ty.name.starts_with('&') && members.len() == 2;
            // A structure of one number is passed as the number.
            let filled = members.iter().filter(|m| m.ty.get().is_ok_and(|t| t.size > 0));
            let is_wrapper = variants.is_none()
                && filled.clone().count() == 1
                && filled.clone().all(|m| !is_unusual_in_rust(&m.ty));
            // Of an address that may be missing, zero says that it is.
            let is_address = |m: &Member| {
                let inner = m.ty.get().ok().and_then(|t| t.member("__0"));
                inner.is_none_or(|i| i.offset == 0 && i.ty.get().is_ok_and(|t| t.is_pointer()))
            };
            let is_niche = ty.size == 8
                && variants.as_ref().is_some_and(|v| v.cases.iter().all(|c| is_address(&c.member)));
            !is_fat && !is_wrapper && !is_niche
        }
        Kind::Array { .. } => true,
        _ => ty.size > 8,
    }
}
