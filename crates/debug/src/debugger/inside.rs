//! Call events inside the program: which can be, and what their trampolines have to write down.
//!
//! An expression becomes a chain: a register, then words of memory at known offsets. What is no chain,
//! or needs more than that to become a value of a property, stays with breakpoints, and so do functions
//! whose code or calling convention stands in the way. The reason is part of the answer.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use watchword_inject::{
    Capture, Layout, Mark, Moment, Need, Plan, Prologue, Returning, Start, Step, Table, Test, WORDS,
};

use super::calls::Scope;
use super::{Captured, Debugger};
use crate::abi::{self, Argument, Returned};
use crate::error::{Error, ErrorKind, Result};
use crate::expr::{Expr, Unary};
use crate::info::{DebugInfo, Kind, Machine, Place, Type, Variable};
use crate::point::{Owner, PointId, When};
use crate::tracer::{ProcessId, Recorded};
use crate::value::{Held, Value};

/// Functions that return to their caller more than once, or look at it.
const PARTICULAR: [&str; 22] = [
    "setjmp",
    "_setjmp",
    "__setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "getcontext",
    "vfork",
    "__vfork",
    "clone",
    "__clone",
    "clone3",
    "dlopen",
    "dlmopen",
    "dlsym",
    "dlvsym",
    "dladdr",
    "dladdr1",
    "backtrace",
    "__backtrace",
    "__cxa_throw",
    "__cxa_rethrow",
    "rt_sigreturn",
];

/// Functions of the C library that take any number of arguments by their declaration, and no more than
/// six in truth.
const FEW_ARGUMENTS: [&str; 14] = [
    "open", "open64", "__open", "__open64", "openat", "openat64", "fcntl", "fcntl64", "__fcntl",
    "ioctl", "__ioctl", "prctl", "mq_open", "sem_open",
];

/// Why an expression is no chain.
const COMPUTED: &str = "what it reads is computed";

/// More code than this is not looked through for jumps.
const LONGEST: u64 = 1 << 20;

/// A captured value: the word of a record that it is in, and its type.
pub type Word = (usize, Rc<Type>);

/// What a kind of record tells.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The entry of the function.
    pub address: u64,
    /// Whether it is reported at the return.
    pub is_return: bool,
    /// The points that fire.
    pub points: Vec<RecordedPoint>,
}

/// A point that fires with a kind of record.
#[derive(Clone, Debug)]
pub struct RecordedPoint {
    /// The point.
    pub id: PointId,
    /// The values of its captures.
    pub values: Vec<Word>,
    /// If present, its event does not matter unless one of these words was marked before. The record was
    /// written all the same if another point of it matters.
    pub tests: Option<Vec<Mark>>,
    /// If present, the number of the step that its event is for instances inside the program; see
    /// [`watchword_inject::Record::is_done`].
    pub step: Option<usize>,
}

impl Recording {
    /// The value of a word of a record.
    pub fn value(recorded: &Recorded, word: usize, ty: &Rc<Type>) -> Captured {
        if recorded.record.unread >> word & 1 == 1 {
            return Err(Rc::new(Error::new(ErrorKind::Memory, "cannot read memory there")));
        }
        let size = (ty.size as usize).min(8);
        let bytes = recorded.record.words[word].to_le_bytes()[..size].to_vec();
        Ok(Value { ty: ty.clone(), bytes, place: None, bits: None, held: Held::No })
    }
}

/// A part of an expression.
enum Part {
    /// A word at the end of a chain.
    Word(Capture),
    /// An object in memory: where the chain ends, and how far from there.
    Object(Capture, i64),
}

/// Why something stays with breakpoints.
type Chain<T> = std::result::Result<T, String>;

impl Debugger {
    /// Moves the events at the entry of a function from the breakpoint there into the program. `takes`
    /// says whether a capture of a point can become a value of the property without looking at the
    /// program again, `filter` what else is done with the words of a point. Fails with the reason, and the
    /// breakpoint stays.
    pub fn move_inside(
        &mut self,
        process: ProcessId,
        address: u64,
        takes: &dyn Fn(PointId, usize, &Type) -> bool,
        filter: &dyn Fn(PointId, &[Word]) -> Chain<Filter>,
    ) -> Chain<()> {
        let points = self.tracer.points_at(process, address);
        if points.iter().any(|(_, p)| !matches!(p.owner, Owner::Monitor(_))) {
            return Err("there is another breakpoint at this place".into());
        }
        let scope = self.scope(process, address).ok_or("its end is not known")?;
        if scope.is_go {
            return Err("its stack may move".into());
        }
        let prologue = self.prologue(process, &scope, address)?;
        let mut entering = Words::default();
        let mut returning = Words::default();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (id, point) in points {
            let captures = self.captures.get(&id).cloned();
            let expressions = captures.iter().flat_map(|c| c.expressions()).cloned();
            let is_return = point.when != When::Before;
            let words = if is_return { &mut returning } else { &mut entering };
            let mut values: Vec<Word> = Vec::new();
            for (i, e) in expressions.enumerate() {
                let (capture, ty) = self.chain(process, &scope, &e, is_return)?;
                if !takes(id, i, &ty) {
                    return Err(format!("a value of type {} needs the program to stop", ty.name));
                }
                let is_passed = is_return && !e.mentions_result();
                values.push((words.add(capture, is_passed)?, ty));
            }
            let mut filter = filter(id, &values)?;
            let (step, tests) = match filter.step.take() {
                Some(step) => (Some(words.step(step, filter, &values)?), None),
                None => (None, words.filter(filter, &values)),
            };
            let point = RecordedPoint { id, values, tests, step };
            if is_return { &mut after } else { &mut before }.push(point);
        }
        if !after.is_empty() {
            check_returns(&scope, address)?;
        }
        let problem = |e: Error| e.to_string();
        self.tracer.prepare_inside(process, address).map_err(problem)?;
        if !after.is_empty() {
            self.hook_unwinders(process)?;
        }
        let unmarked = [&entering, &returning].map(|w| w.unmarked.clone()).concat();
        let mut plan = Plan::default();
        let mut told = Vec::new();
        if !before.is_empty() {
            let id = self.tracer.new_record_id(process).map_err(problem)?;
            plan.entering = Some(entering.moment(id));
            told.push((id, Recording { address, is_return: false, points: before }));
        }
        if !after.is_empty() {
            let id = self.tracer.new_record_id(process).map_err(problem)?;
            let kept = std::mem::take(&mut returning.kept);
            plan.returning = Some(Returning { kept, moment: returning.moment(id) });
            told.push((id, Recording { address, is_return: true, points: after }));
        }
        self.tracer.move_inside(process, &prologue, &plan).map_err(problem)?;
        for map in unmarked {
            self.tracer.mark_all(process, map);
        }
        for (id, recording) in told {
            self.recordings.insert((process, id), Rc::new(recording));
        }
        Ok(())
    }

    /// Makes a table for instances that are inside a process; see [`watchword_inject::Table`].
    pub fn make_table(
        &mut self,
        process: ProcessId,
        near: u64,
        layout: Layout,
    ) -> Result<(Arc<Table>, u64)> {
        self.tracer.make_table(process, near, layout)
    }

    /// Answers a question of a trampoline; see [`watchword_inject::QUESTION`].
    pub fn answer(&mut self, process: ProcessId, function: u64, caller: u64) {
        let is_inside = self.is_called_from_inside(process, function, caller);
        self.tracer.tell_caller(process, function, caller, is_inside);
    }

    /// Trampolines have to ask again: libraries came or went.
    pub fn forget_callers(&mut self, process: ProcessId) {
        self.tracer.forget_callers(process);
    }

    /// Values in a map of marks may be met where no trampoline marks them: all count as met from now on.
    pub fn mark_all(&mut self, process: ProcessId, map: usize) {
        self.tracer.mark_all(process, map);
    }

    /// Whether some of these words of a record is marked.
    pub fn is_marked(&self, recorded: &Recorded, marks: &[Mark]) -> bool {
        self.tracer.is_marked(recorded, marks)
    }

    /// What a record of a process tells.
    pub fn recording(&self, process: ProcessId, id: u32) -> Option<Rc<Recording>> {
        self.recordings.get(&(process, id)).cloned()
    }

    fn prologue(&self, process: ProcessId, scope: &Scope, address: u64) -> Chain<Prologue> {
        let (info, bias, instance) = (&scope.body.info, scope.body.bias, &scope.body.instance);
        let range = instance.ranges.iter().find(|(low, _)| *low == instance.entry);
        let end = range.map(|(_, high)| high.wrapping_add(bias)).filter(|end| *end > address);
        let end = end.ok_or("its end is not known")?;
        if end - address > LONGEST {
            return Err("it is too long".into());
        }
        let mut body = vec![0; (end - address) as usize];
        let n = self.tracer.read_partly(process, address, &mut body);
        if n < body.len() {
            return Err("its code cannot be read".into());
        }
        let mut after = [0; 16];
        let n = self.tracer.read_partly(process, end, &mut after);
        let prologue = Prologue::read(address, &body, &after[..n])?;
        let names_inside = (1..prologue.bytes.len() as u64)
            .any(|i| info.symbols_at(address.wrapping_sub(bias) + i).next().is_some());
        match names_inside {
            true => Err("another function begins in its first instructions".into()),
            false => Ok(prologue),
        }
    }

    /// Makes all unwinders in the process see through trampolines.
    fn hook_unwinders(&mut self, process: ProcessId) -> Chain<()> {
        const OTHERS: [&str; 4] = ["unw_step", "__unw_step", "_ULx86_64_step", "_Ux86_64_step"];
        const STARTS: [&str; 3] =
            ["_Unwind_RaiseException", "_Unwind_ForcedUnwind", "_Unwind_Backtrace"];
        for module in self.modules(process).to_vec() {
            let Some((info, bias)) = self.load(process, &module) else { continue };
            let defined = |name: &str| {
                info.symbols_named(name).find(|s| s.is_code && s.address != 0).cloned()
            };
            if OTHERS.iter().any(|name| defined(name).is_some()) {
                return Err("the unwinder of the program does not support trampolines".into());
            }
            if !STARTS.iter().any(|name| defined(name).is_some()) {
                continue;
            }
            let find = defined("_Unwind_Find_FDE")
                .ok_or("the unwinder of the program does not support trampolines")?;
            let address = find.address.wrapping_add(bias);
            if self.tracer.is_unwinder_hooked(process, address) {
                continue;
            }
            let scope =
                self.scope(process, address).ok_or("the end of the unwinder is not known")?;
            let prologue = self.prologue(process, &scope, address)?;
            self.tracer.hook_unwinder(process, &prologue).map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Libraries came: if one of them unwinds and cannot be told of trampolines, calls are no longer
    /// made from them.
    pub(super) fn rehook_unwinders(&mut self, process: ProcessId) -> Result<()> {
        let has_returns = self.recordings.iter().any(|((p, _), r)| *p == process && r.is_return);
        if has_returns && self.hook_unwinders(process).is_err() {
            self.tracer.leave_inside(process.0)?;
        }
        Ok(())
    }

    // ---- chains -------------------------------------------------------------------------

    /// The chain of an expression, and the type of what is at its end.
    fn chain(
        &mut self,
        process: ProcessId,
        scope: &Rc<Scope>,
        e: &Expr,
        is_return: bool,
    ) -> Chain<(Capture, Rc<Type>)> {
        let (part, ty) = self.link(process, scope, e, is_return)?;
        let is_plain = matches!(
            ty.kind,
            Kind::Integer { .. }
                | Kind::Boolean
                | Kind::Character { .. }
                | Kind::Enumeration { .. }
                | Kind::Float
                | Kind::Pointer(_)
                | Kind::Reference(_)
        );
        if !is_plain || !matches!(ty.size, 1 | 2 | 4 | 8) {
            return Err(format!("a value of type {} is more than a word", ty.name));
        }
        let capture = match part {
            Part::Word(capture) => capture,
            Part::Object(mut capture, offset) => {
                let offset = i32::try_from(offset).map_err(|_| "an offset is too large")?;
                capture.last = Some((offset, ty.size as u8));
                capture
            }
        };
        Ok((capture, ty))
    }

    fn link(
        &mut self,
        process: ProcessId,
        scope: &Rc<Scope>,
        e: &Expr,
        is_return: bool,
    ) -> Chain<(Part, Rc<Type>)> {
        match e {
            Expr::Argument(i) => self.passed(scope, *i),
            Expr::Name(name) => {
                let parameter = scope.parameters.iter().position(|p| p.name == *name);
                match parameter {
                    Some(i) => self.passed(scope, i),
                    None => self.global_part(process, name),
                }
            }
            Expr::Result if is_return => {
                let ty = scope.result.get().map_err(|e| e.to_string())?;
                match abi::returned(&ty).map_err(|e| e.to_string())? {
                    Returned::Registers(one) if one.len() == 1 => {
                        Ok((Part::Word(Capture::word(start(one[0]))), ty))
                    }
                    _ => Err(format!("a result of type {} is more than a word", ty.name)),
                }
            }
            Expr::Unary(Unary::Dereference, inner) => {
                let (part, ty) = self.link(process, scope, inner, is_return)?;
                pointed(part, &ty, 0)
            }
            Expr::Index(inner, index) => {
                let Expr::Number(index) = **index else {
                    return Err(COMPUTED.into());
                };
                let (part, ty) = self.link(process, scope, inner, is_return)?;
                pointed(part, &ty, index as i64)
            }
            Expr::Arrow(inner, field) => {
                let (part, ty) = self.link(process, scope, inner, is_return)?;
                let (part, ty) = pointed(part, &ty, 0)?;
                member(part, &ty, field)
            }
            Expr::Member(inner, field) => {
                let (part, ty) = self.link(process, scope, inner, is_return)?;
                match ty.kind {
                    Kind::Pointer(_) => {
                        let (part, ty) = pointed(part, &ty, 0)?;
                        member(part, &ty, field)
                    }
                    _ => member(part, &ty, field),
                }
            }
            Expr::Cast(name, stars, inner) => {
                let (capture, ty) = self.chain(process, scope, inner, is_return)?;
                let mut wanted = Type::builtin(name).ok_or(COMPUTED)?;
                for _ in 0..*stars {
                    wanted = Type::pointer_to(&wanted);
                }
                let is_word = |t: &Type| t.is_integral() || t.is_pointer();
                match is_word(&ty) && is_word(&wanted) && wanted.size <= ty.size {
                    true => Ok((Part::Word(capture), wanted)),
                    false => Err(COMPUTED.into()),
                }
            }
            _ => Err(COMPUTED.into()),
        }
    }

    /// An argument, where calls put it.
    fn passed(&self, scope: &Rc<Scope>, index: usize) -> Chain<(Part, Rc<Type>)> {
        const INTEGERS: [u16; 6] = [5, 4, 1, 2, 8, 9];
        let Some(parameter) = scope.parameters.get(index) else {
            if !scope.is_typed() {
                let register = INTEGERS.get(index).ok_or("it is on the stack")?;
                return Ok((Part::Word(Capture::word(start(*register))), Type::word()));
            }
            return Err("an argument beyond the parameters is read".into());
        };
        let ty = parameter.ty.get().map_err(|e| e.to_string())?;
        if let Some(place) = told_place(scope, parameter)? {
            return match place {
                Place::Register(n) => Ok((Part::Word(Capture::word(start(n))), ty)),
                _ => Err(format!("`{}` is not in a register", parameter.name)),
            };
        }
        let places = scope.places.as_ref().ok_or("it is not known how its arguments are passed")?;
        match &places[index] {
            Argument::Registers(one) if one.len() == 1 => {
                Ok((Part::Word(Capture::word(start(one[0]))), ty))
            }
            Argument::Stack(offset) if *offset < 1 << 16 && ty.size <= 8 => {
                Ok((Part::Word(Capture::word(Start::Stack(*offset as u32))), ty))
            }
            Argument::Indirect(inner) => match &**inner {
                Argument::Registers(one) => Ok((Part::Object(Capture::word(start(one[0])), 0), ty)),
                _ => Err(format!("`{}` is more than a word", parameter.name)),
            },
            _ => Err(format!("`{}` is more than a word", parameter.name)),
        }
    }

    /// A global variable, or `errno`.
    fn global_part(&mut self, process: ProcessId, name: &str) -> Chain<(Part, Rc<Type>)> {
        for module in self.modules(process).to_vec() {
            let Some((info, bias)) = self.load(process, &module) else { continue };
            if !info.may_define(name) {
                continue;
            }
            // Whatever else has the name would be found first.
            let others = info.symbols_named(name).any(|s| s.address != 0);
            let found = info.globals().iter().find(|v| v.name == name).cloned();
            let Some(variable) = found else {
                if others || info.globals().iter().any(|v| v.name.ends_with(&format!("::{name}"))) {
                    return Err(format!("`{name}` is not a variable with a type"));
                }
                continue;
            };
            let ty = variable.ty.get().map_err(|e| e.to_string())?;
            let machine = Nobody { bias, asked: Cell::new(false) };
            let location = variable.location.as_ref().ok_or("it has no location")?;
            let place = info.locate(variable.unit, location, None, 0, &machine);
            return match place {
                Ok(Place::Memory(address)) if !machine.asked.get() => {
                    Ok((Part::Object(Capture::word(Start::Constant(address)), 0), ty))
                }
                _ => Err(format!("the address of `{name}` depends on the thread")),
            };
        }
        if name == "errno" {
            let pointer = self.some_thread_pointer(process)?;
            let address = self.errno_address(process, pointer).map_err(|e| e.to_string())?;
            let offset = address.wrapping_sub(pointer) as i64;
            let ty = Type::integer("int", 4, true);
            return Ok((Part::Object(Capture::word(Start::Thread), offset), ty));
        }
        Err(format!("there is no variable `{name}`"))
    }

    /// The thread pointer of some thread that is stopped.
    fn some_thread_pointer(&mut self, process: ProcessId) -> Chain<u64> {
        let stopped = self.tracer.threads(process).into_iter().find(|t| self.tracer.is_stopped(*t));
        let thread = stopped.ok_or("no thread is stopped")?;
        let registers = self.tracer.registers(thread).map_err(|e| e.to_string())?;
        match registers.raw.fs_base {
            0 => Err("the C library has not begun yet".into()),
            pointer => Ok(pointer),
        }
    }
}

/// Whether a trampoline may call the function, to be there when it returns.
fn check_returns(scope: &Scope, address: u64) -> Chain<()> {
    let at = address.wrapping_sub(scope.body.bias);
    let names: Vec<String> = scope.body.info.symbols_at(at).map(|s| s.name.clone()).collect();
    if names.iter().any(|n| PARTICULAR.contains(&n.as_str()) || n.starts_with("_Unwind_")) {
        return Err("it inspects its caller".into());
    }
    if !scope.is_typed() {
        return Err("it is not known whether it has arguments on the stack".into());
    }
    if scope.is_variadic && !names.iter().any(|n| FEW_ARGUMENTS.contains(&n.as_str())) {
        return Err("it may have arguments on the stack".into());
    }
    let places = scope.places.as_ref().ok_or("it is not known how its arguments are passed")?;
    let on_stack = |p: &Argument| match p {
        Argument::Registers(_) => false,
        Argument::Stack(_) => true,
        Argument::Indirect(inner) => matches!(**inner, Argument::Stack(_)),
    };
    if places.iter().any(on_stack) {
        return Err("it has arguments on the stack".into());
    }
    Ok(())
}

/// Where the debug information says a parameter is at the entry; `None` if the convention decides.
fn told_place(scope: &Rc<Scope>, parameter: &Variable) -> Chain<Option<Place>> {
    let Some(location) = &parameter.location else { return Ok(None) };
    if !DebugInfo::is_valid_at_entry(location) {
        return Ok(None);
    }
    let body = &scope.body;
    let machine = Nobody { bias: body.bias, asked: Cell::new(false) };
    let frame_base = parameter.frame_base.as_ref();
    let place =
        body.info.locate(parameter.unit, location, frame_base, body.instance.entry, &machine);
    match (place, machine.asked.get()) {
        (_, true) => Err(format!("the location of `{}` must be computed", parameter.name)),
        (Ok(place), false) => Ok(Some(place)),
        (Err(_), false) => Ok(None),
    }
}

/// What a pointer points to, `index` objects further on; or an element of an array.
fn pointed(part: Part, ty: &Type, index: i64) -> Chain<(Part, Rc<Type>)> {
    let problem = |e: Error| e.to_string();
    if let (Kind::Array { element, .. }, Part::Object(capture, offset)) = (&ty.kind, &part) {
        let element = element.get().map_err(problem)?;
        let offset = offset + index.wrapping_mul(element.size as i64);
        return Ok((Part::Object(capture.clone(), offset), element));
    }
    let target = match &ty.kind {
        Kind::Pointer(target) => target.get().map_err(problem)?,
        _ if ty.is_word() && index == 0 => Type::word(),
        _ => return Err(format!("a value of type {} is not a pointer", ty.name)),
    };
    if matches!(target.kind, Kind::Void | Kind::Opaque | Kind::Function) {
        return Err(format!("the type that {} points to is not known", ty.name));
    }
    let offset = index.wrapping_mul(target.size.max(1) as i64);
    let capture = match part {
        Part::Word(capture) if capture.last.is_none() => capture,
        Part::Word(_) => return Err("a part of a word would be dereferenced".into()),
        Part::Object(mut capture, at) => {
            capture.hops.push(i32::try_from(at).map_err(|_| "an offset is too large")?);
            capture
        }
    };
    Ok((Part::Object(capture, offset), target))
}

fn member(part: Part, ty: &Type, field: &str) -> Chain<(Part, Rc<Type>)> {
    let Part::Object(capture, offset) = part else {
        return Err(format!("`{field}` is a part of a register"));
    };
    if matches!(ty.kind, Kind::Reference(_)) {
        let (part, ty) = match &ty.kind {
            Kind::Reference(target) => {
                let target = target.get().map_err(|e| e.to_string())?;
                let mut capture = capture;
                capture.hops.push(i32::try_from(offset).map_err(|_| "an offset is too large")?);
                (Part::Object(capture, 0), target)
            }
            _ => return Err("no reference".into()),
        };
        return member(part, &ty, field);
    }
    let found = ty.member(field).ok_or_else(|| format!("`{field}` is computed"))?;
    if found.bits.is_some() {
        return Err(format!("`{field}` is a part of a word"));
    }
    let ty = found.ty.get().map_err(|e| e.to_string())?;
    Ok((Part::Object(capture, offset + found.offset as i64), ty))
}

fn start(register: u16) -> Start {
    match register {
        17..=32 => Start::Vector(register - 17),
        n => Start::Register(n),
    }
}

/// Which values an event marks, and when it matters; see [`watchword_inject::Mark`]. Values are marked
/// by a map and the number of a capture.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// What is marked.
    pub marks: Vec<(usize, usize)>,
    /// It matters only if one of these is met. `None`: it matters in any case.
    pub needs: Option<Vec<Needed>>,
    /// If present, what it does to instances inside the program, if it matters.
    pub step: Option<Step>,
}

/// What makes an event matter.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    /// One of these has to be marked already. `None`: none has to be.
    pub marks: Option<Vec<(usize, usize)>>,
    /// All of these have to hold.
    pub tests: Vec<Compared>,
}

/// A comparison of a capture that is an integer with a number.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// The number of the capture.
    pub capture: usize,
    /// Whether they have to be the same.
    pub equal: bool,
    /// The number.
    pub number: i64,
}

/// The words of a record.
#[derive(Default)]
struct Words {
    captures: Vec<Capture>,
    kept: Vec<Start>,
    marks: Vec<Mark>,
    needs: Vec<Need>,
    steps: Vec<Step>,
    /// Whether some event matters in any case.
    is_always: bool,
    /// Maps in which a value should be marked that is no word.
    unmarked: Vec<usize>,
}

impl Words {
    /// Adds what one event of the record marks and needs; answers the marks without which it does not
    /// matter.
    fn filter(&mut self, filter: Filter, values: &[Word]) -> Option<Vec<Mark>> {
        for wanted in &filter.marks {
            match self.mark(wanted, values) {
                Some(mark) if !self.marks.contains(&mark) => self.marks.push(mark),
                Some(_) => {}
                None => self.unmarked.push(wanted.0),
            }
        }
        let Some(needs) = filter.needs else {
            self.is_always = true;
            return None;
        };
        // What cannot be tested counts as met.
        let mut marks = Some(Vec::new());
        for needed in needs {
            let marked = needed.marks.and_then(|all| {
                all.iter().map(|wanted| self.mark(wanted, values)).collect::<Option<Vec<Mark>>>()
            });
            match (&mut marks, &marked) {
                (Some(all), Some(more)) => all.extend(more),
                _ => marks = None,
            }
            let tests: Vec<Test> =
                needed.tests.iter().filter_map(|test| self.test(test, values)).collect();
            self.is_always |= marked.is_none() && tests.is_empty();
            let need = Need { marks: marked, tests };
            if !self.needs.contains(&need) {
                self.needs.push(need);
            }
        }
        marks
    }

    /// Adds a step with what it marks and needs; answers its number.
    fn step(&mut self, mut step: Step, filter: Filter, values: &[Word]) -> Chain<usize> {
        if self.steps.len() == Step::MOST {
            return Err("too many properties step there".into());
        }
        let needs = std::mem::take(&mut self.needs);
        let is_always = std::mem::take(&mut self.is_always);
        self.filter(filter, values);
        step.needs = (!self.is_always).then(|| std::mem::take(&mut self.needs));
        (self.needs, self.is_always) = (needs, is_always);
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    /// A mark of a captured word; `None` if it cannot be made in the program.
    fn mark(&self, (map, capture): &(usize, usize), values: &[Word]) -> Option<Mark> {
        let (word, ty) = values.get(*capture)?;
        let is_number = matches!(ty.kind, Kind::Integer { .. } | Kind::Pointer(_));
        let is_plain = !self.captures[*word].follows()
            && !matches!(self.captures[*word].start, Start::Vector(_))
            && matches!(ty.size, 4 | 8);
        (is_number && is_plain).then_some(Mark { map: *map, word: *word })
    }

    /// A comparison of a captured word; `None` if it cannot be made in the program.
    fn test(&self, compared: &Compared, values: &[Word]) -> Option<Test> {
        let (word, ty) = values.get(compared.capture)?;
        let Kind::Integer { signed } = ty.kind else { return None };
        let size = u8::try_from(ty.size).ok().filter(|size| matches!(size, 1 | 2 | 4 | 8))?;
        if matches!(self.captures[*word].start, Start::Vector(_)) {
            return None;
        }
        // A number that the type does not have is another matter.
        let unused = 64 - 8 * u32::from(size);
        let has = match signed {
            true => compared.number << unused >> unused == compared.number,
            false => {
                compared.number >= 0
                    && (compared.number as u64) << unused >> unused == compared.number as u64
            }
        };
        let number = compared.number as u64;
        has.then_some(Test { word: *word, size, equal: compared.equal, number })
    }

    /// The record with these words.
    fn moment(self, id: u32) -> Moment {
        let needs = (!self.is_always).then_some(self.needs);
        Moment { id, captures: self.captures, marks: self.marks, needs, steps: self.steps }
    }

    /// The number of the word that holds a capture.
    /// `is_passed`: at the return, where parameters are what they were at the entry.
    fn add(&mut self, mut capture: Capture, is_passed: bool) -> Chain<usize> {
        if is_passed {
            capture.start = match capture.start {
                Start::Thread | Start::Constant(_) => capture.start,
                Start::Stack(_) => return Err("it has arguments on the stack".into()),
                start => {
                    let known = self.kept.iter().position(|k| *k == start);
                    let at = known.unwrap_or_else(|| {
                        self.kept.push(start);
                        self.kept.len() - 1
                    });
                    if at >= Returning::MOST {
                        return Err("too many values must be kept until it returns".into());
                    }
                    Start::Kept(at)
                }
            };
        }
        if let Some(at) = self.captures.iter().position(|c| *c == capture) {
            return Ok(at);
        }
        if self.captures.len() == WORDS {
            return Err(format!("more than {WORDS} values are read"));
        }
        self.captures.push(capture);
        Ok(self.captures.len() - 1)
    }
}

/// A machine that knows nothing: what does not depend on one can be computed beforehand.
struct Nobody {
    bias: u64,
    asked: Cell<bool>,
}

impl Machine for Nobody {
    fn register(&self, _: u16) -> Option<u64> {
        self.asked.set(true);
        None
    }

    fn read(&self, _: u64, _: &mut [u8]) -> Result<()> {
        self.asked.set(true);
        Err(Error::new(ErrorKind::Memory, "nothing can be read yet"))
    }

    fn cfa(&self) -> Result<u64> {
        self.asked.set(true);
        Err(Error::new(ErrorKind::NotFound, "there is no frame yet"))
    }

    fn bias(&self) -> u64 {
        self.bias
    }

    fn thread_pointer(&self) -> u64 {
        self.asked.set(true);
        0
    }

    fn entry_register(&self, _: u16) -> Option<u64> {
        self.asked.set(true);
        None
    }
}
