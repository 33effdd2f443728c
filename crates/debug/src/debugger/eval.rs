//! Evaluating expressions in a stopped thread.

use std::rc::Rc;

use super::calls::{Inputs, Scope};
use super::frames::{Body, Frame, FrameMachine};
use super::{Contents, Debugger};
use crate::abi::{self, Returned};
use crate::error::{Error, ErrorKind, Result};
use crate::expr::{self, Binary, Expr, Unary};
use crate::info::{DebugInfo, Instance, Kind, Place, Type, Variable};
use crate::tracer::{ProcessId, ThreadId};
use crate::value::{Held, Value};

/// Values larger than this are not read in one go.
pub(super) const LARGEST: u64 = 1 << 20;

/// Everything names are resolved against.
pub(super) struct Context {
    pub process: ProcessId,
    pub thread: ThreadId,
    pub frame: Frame,
    pub body: Option<Body>,
    /// Set when the frame is at the first instruction of a function.
    entry: Option<Rc<Scope>>,
    /// After a return: the arguments that the function received.
    inputs: Option<Rc<Inputs>>,
    thread_pointer: u64,
}

impl Debugger {
    /// Evaluates an expression in a frame of a stopped thread.
    pub fn eval(&mut self, thread: ThreadId, frame: usize, text: &str) -> Result<Value> {
        let e = expr::parse(text)?;
        self.evaluate(thread, frame, &e)
    }

    /// Evaluates an expression that may change places, as a person writes them.
    pub fn perform(&mut self, thread: ThreadId, frame: usize, text: &str) -> Result<Value> {
        let e = expr::parse_statement(text)?;
        self.evaluate(thread, frame, &e)
    }

    /// What an expression would be, without reading more than needed and without calling anything: only
    /// its type, and its place if it has one, mean something.
    pub fn outline(&mut self, thread: ThreadId, frame: usize, text: &str) -> Result<Value> {
        let e = expr::parse_statement(text)?;
        let context = self.context(thread, frame)?;
        self.outlined(&context, &e)
    }

    /// Evaluates a parsed expression.
    pub fn evaluate(&mut self, thread: ThreadId, frame: usize, e: &Expr) -> Result<Value> {
        let context = self.context(thread, frame)?;
        self.expression(&context, e)
    }

    /// The result of the function with this entry, of which the thread has just returned.
    pub fn result_of(&mut self, thread: ThreadId, entry: u64) -> Result<Value> {
        let process = self.tracer.process_of(thread)?;
        let scope = self.scope(process, entry).ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("no function begins at {entry:#x}"))
        })?;
        self.returned.insert(thread, scope);
        self.evaluate(thread, 0, &Expr::Result)
    }

    /// Evaluates an expression over global variables, whatever the thread executes.
    pub fn evaluate_globally(&mut self, thread: ThreadId, e: &Expr) -> Result<Value> {
        self.evaluate_outside(thread, None, e)
    }

    /// Evaluates an expression in a thread that has just returned from a function: over the
    /// arguments and the result of the function, and global variables. Local variables of the
    /// caller are not visible.
    pub(super) fn evaluate_at_return(
        &mut self,
        thread: ThreadId,
        inputs: &Rc<Inputs>,
        e: &Expr,
    ) -> Result<Value> {
        self.evaluate_outside(thread, Some(inputs.clone()), e)
    }

    fn evaluate_outside(
        &mut self,
        thread: ThreadId,
        inputs: Option<Rc<Inputs>>,
        e: &Expr,
    ) -> Result<Value> {
        let registers = self.tracer.registers(thread)?;
        let process = self.tracer.process_of(thread)?;
        let context = Context {
            process,
            thread,
            frame: Frame {
                index: 0,
                pc: registers.pc(),
                cfa: 0,
                function: None,
                line: None,
                inlined: Vec::new(),
                registers: crate::info::FrameRegisters::of(&registers),
                is_exact: true,
            },
            body: None,
            entry: None,
            inputs,
            thread_pointer: registers.raw.fs_base,
        };
        self.expression(&context, e)
    }

    pub(super) fn evaluate_at_entry(
        &mut self,
        thread: ThreadId,
        scope: &Rc<Scope>,
        e: &Expr,
    ) -> Result<Value> {
        let registers = self.tracer.registers(thread)?;
        let process = self.tracer.process_of(thread)?;
        let frame = Frame {
            index: 0,
            pc: registers.pc(),
            // At the first instruction only the return address is on the stack.
            cfa: registers.sp().wrapping_add(8),
            function: None,
            line: None,
            inlined: Vec::new(),
            registers: crate::info::FrameRegisters::of(&registers),
            is_exact: true,
        };
        let context = Context {
            process,
            thread,
            frame,
            body: Some(scope.body.clone()),
            entry: Some(scope.clone()),
            inputs: None,
            thread_pointer: registers.raw.fs_base,
        };
        self.expression(&context, e)
    }

    /// The parameters and local variables that are visible in a frame, innermost scope last, with
    /// their values as far as they could be read.
    pub fn locals(
        &mut self,
        thread: ThreadId,
        frame: usize,
    ) -> Result<Vec<(Variable, Result<Value>)>> {
        let context = self.context(thread, frame)?;
        let Some(body) = context.body.clone() else { return Ok(Vec::new()) };
        let pc = context.frame.lookup_pc().wrapping_sub(body.bias);
        let variables = body.info.variables_at(&body.instance, pc);
        Ok(variables
            .into_iter()
            .map(|v| {
                // At the entry the frame is not set up: parameters are where calls put them.
                let passed = context.entry.as_ref().filter(|_| v.is_parameter);
                let index = passed.and_then(|s| s.parameters.iter().position(|p| p.name == v.name));
                let value = match index {
                    Some(index) => self.argument(&context, index),
                    None => self.variable(&context, &body.info, body.bias, &v),
                };
                (v, value)
            })
            .collect())
    }

    pub(super) fn context(&mut self, thread: ThreadId, index: usize) -> Result<Context> {
        let process = self.tracer.process_of(thread)?;
        let frame = self.frame(thread, index)?;
        let pc = frame.lookup_pc();
        let mut body = None;
        let mut entry = None;
        if let Some((_, info, bias)) = self.module_at(process, pc)
            && let Some((_, instance)) = info.function_at_hand(pc.wrapping_sub(bias))
        {
            if frame.is_exact && instance.entry == pc.wrapping_sub(bias) {
                entry = self.scope(process, pc);
            }
            body = Some(Body { info, bias, instance });
        }
        let thread_pointer = self.tracer.registers(thread)?.raw.fs_base;
        Ok(Context { process, thread, frame, body, entry, inputs: None, thread_pointer })
    }

    pub(super) fn expression(&mut self, context: &Context, e: &Expr) -> Result<Value> {
        if let Some(given) = context.inputs.as_ref().and_then(|i| i.get(e)) {
            return given.clone().map_err(|e| Error::new(e.kind(), e.to_string()));
        }
        match e {
            Expr::Number(n) => Ok(Value::number(*n)),
            Expr::Float(n) => Ok(Value::double(*n)),
            Expr::Text(text) => Ok(Value::text(text)),
            Expr::Choice(all) => {
                let [condition, yes, no] = &**all;
                let holds = self.holds(context, condition)?;
                self.expression(context, if holds { yes } else { no })
            }
            Expr::Name(name) => self.name(context, name),
            Expr::Argument(i) => self.argument(context, *i),
            Expr::Result => self.result(context),
            Expr::Register(name) => self.register(context, name),
            Expr::Unary(operator, inner) => self.unary(context, *operator, inner),
            Expr::Binary(operator, a, b) => self.binary(context, *operator, a, b),
            Expr::Member(object, field) => {
                let object = self.expression(context, object)?;
                let object = self.through_reference(context, object)?;
                if matches!(object.ty.kind, Kind::Pointer(_)) {
                    let target = self.pointed(context, &object)?;
                    return self.member(context, &target, field);
                }
                self.member(context, &object, field)
            }
            Expr::Arrow(pointer, field) => {
                let pointer = self.expression(context, pointer)?;
                let target = self.pointed(context, &pointer)?;
                self.member(context, &target, field)
            }
            Expr::Index(array, index) => {
                let array = self.expression(context, array)?;
                let index = self.used(context, index)?.as_integer()?;
                self.element(context, &array, index)
            }
            Expr::Object(object) => {
                self.load_value(context, object.ty.clone(), Place::Memory(object.address))
            }
            Expr::Call(function, args) => self.call_function(context, function, args),
            Expr::Cast(name, stars, inner) => {
                let value = self.used(context, inner)?;
                let mut ty = self.type_named(context, name)?;
                for _ in 0..*stars {
                    ty = Type::pointer_to(&ty);
                }
                let value = self.decay(value);
                if matches!(ty.kind, Kind::Void) {
                    return Ok(Value {
                        ty,
                        bytes: Vec::new(),
                        place: None,
                        bits: None,
                        held: Held::No,
                    });
                }
                convert(&value, &ty)
            }
            Expr::Assign(place, operator, value) => {
                self.assign_to(context, place, *operator, value)
            }
            Expr::Step(place, by, taken) => self.step_place(context, place, *by, *taken),
            Expr::Sequence(first, second) => {
                self.expression(context, first)?;
                self.expression(context, second)
            }
        }
    }

    // ---- names --------------------------------------------------------------------------

    pub(super) fn name(&mut self, context: &Context, name: &str) -> Result<Value> {
        if let Some(outermost) = name.strip_prefix("::") {
            return self.global(context, outermost);
        }
        if name.starts_with('\'') {
            return self.quoted(context, name);
        }
        if let Some(scope) = &context.entry
            && let Some(i) = scope.parameters.iter().position(|p| p.name == name)
        {
            return self.argument(context, i);
        }
        if let Some(body) = &context.body {
            let pc = context.frame.lookup_pc().wrapping_sub(body.bias);
            let found =
                body.info.variables_at(&body.instance, pc).into_iter().rfind(|v| v.name == name);
            if let Some(v) = found {
                return self.variable(context, &body.info, body.bias, &v);
            }
            if let Some(value) = self.member_of_this(context, name)? {
                return Ok(value);
            }
            if let Some(value) = self.of_same_file(context, name)? {
                return Ok(value);
            }
        }
        match self.global(context, name) {
            Err(e) if e.kind() == ErrorKind::NotFound => match name.rsplit_once("::") {
                Some((function, own)) => {
                    self.inside_function(context, function, own).map_err(|_| e)
                }
                None => Err(e),
            },
            found => found,
        }
    }

    /// A member of the object whose method this is, named as the method itself names it.
    fn member_of_this(&mut self, context: &Context, name: &str) -> Result<Option<Value>> {
        let Some(body) = &context.body else { return Ok(None) };
        let pc = context.frame.lookup_pc().wrapping_sub(body.bias);
        let mut all = body.info.variables_at(&body.instance, pc).into_iter();
        let Some(this) = all.rfind(|v| v.name == "this") else { return Ok(None) };
        // Without the object, the name may still be that of something else.
        let Ok(this) = self.variable(context, &body.info, body.bias, &this) else {
            return Ok(None);
        };
        let Ok(object) = self.pointed(context, &this) else { return Ok(None) };
        match object.ty.member(name) {
            Some(_) => self.member(context, &object, name).map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn global(&mut self, context: &Context, name: &str) -> Result<Value> {
        let suffix = format!("::{name}");
        for module in self.modules(context.process).to_vec() {
            let Some((info, bias)) = self.load(context.process, &module) else { continue };
            if !info.may_define(name) {
                continue;
            }
            let found = info
                .globals_named(name)
                .next()
                .or_else(|| info.globals().iter().find(|v| v.name.ends_with(&suffix)))
                .cloned();
            if let Some(v) = found {
                return self.variable(context, &info, bias, &v);
            }
            if let Some(value) = enumerator(&info, name) {
                return Ok(value);
            }
            // A function of the same file comes before others.
            let functions = info.functions_named(name);
            let bodies = functions.iter().flat_map(|f| &f.instances);
            let unit = context.body.as_ref().and_then(|b| b.instance.die).map(|(unit, _)| unit);
            let is_near = |i: &&Instance| i.die.is_some_and(|(u, _)| Some(u) == unit);
            let found = bodies.clone().find(is_near).or_else(|| bodies.clone().next());
            let function = found.map(|i| i.entry.wrapping_add(bias));
            if let Some(address) = function {
                return Ok(self.function_value(context.process, address));
            }
            let symbol = info.symbols_named(name).find(|s| !s.is_code && s.address != 0).cloned();
            if let Some(s) = symbol {
                // Without types a word is the best guess, and `&` gives the address.
                let ty = match s.size {
                    1 | 2 | 4 => Type::integer("int", s.size, true),
                    _ => Type::integer("long", 8, true),
                };
                return self.load_value(context, ty, Place::Memory(s.address.wrapping_add(bias)));
            }
        }
        // A macro of the C library, so no variable can have the name.
        if name == "errno" {
            let address = self.errno_address(context.process, context.thread_pointer)?;
            let ty = Type::integer("int", 4, true);
            return self.load_value(context, ty, Place::Memory(address));
        }
        Err(Error::new(ErrorKind::NotFound, format!("no variable named `{name}` here")))
    }

    pub(super) fn variable(
        &mut self,
        context: &Context,
        info: &Rc<DebugInfo>,
        bias: u64,
        v: &Variable,
    ) -> Result<Value> {
        let ty = v.ty.get()?;
        if let Some(bytes) = &v.constant {
            let mut bytes = bytes.clone();
            bytes.resize(ty.size as usize & 0xffff, 0);
            return Ok(Value { ty, bytes, place: None, bits: None, held: Held::No });
        }
        let Some(location) = &v.location else {
            return Err(Error::new(
                ErrorKind::OptimizedOut,
                format!("`{}` is optimised out", v.name),
            ));
        };
        let machine = FrameMachine {
            tracer: &self.tracer,
            process: context.process,
            frame: &context.frame,
            bias,
            thread_pointer: context.thread_pointer,
            at_entry: context.entry.is_some(),
        };
        let pc = context.frame.lookup_pc().wrapping_sub(bias);
        let place = info.locate(v.unit, location, v.frame_base.as_ref(), pc, &machine).map_err(
            |e| match e.kind() {
                ErrorKind::OptimizedOut => Error::new(
                    ErrorKind::OptimizedOut,
                    format!("`{}` is optimised out here", v.name),
                ),
                _ => e,
            },
        )?;
        self.load_value(context, ty, place)
    }

    fn argument(&mut self, context: &Context, index: usize) -> Result<Value> {
        let Some(scope) = &context.entry else {
            // Later in the body, the parameter's location may hold a changed value.
            let body = context.body.as_ref().ok_or_else(|| {
                Error::expression("arguments need a function with debug information")
            })?;
            let (info, bias) = (body.info.clone(), body.bias);
            let parameters = info.parameters(&body.instance);
            let v = parameters.get(index).ok_or_else(|| no_argument(index))?;
            return self.variable(context, &info, bias, v);
        };
        let scope = scope.clone();
        let Some(parameter) = scope.parameters.get(index) else {
            if scope.is_go {
                return Err(Error::expression("arguments of Go functions need debug information"));
            }
            if !scope.is_typed() {
                // No debug information: the convention's integer registers are the best guess.
                let number = [5u16, 4, 1, 2, 8, 9];
                let register = number.get(index).ok_or_else(|| no_argument(index))?;
                let ty = Type::word();
                return self.load_value(context, ty, Place::Register(*register));
            }
            if let Some(places) = &scope.places
                && scope.is_variadic
            {
                // Beyond the named ones: as integers, in the registers that are left.
                let integers: usize = places
                    .iter()
                    .map(|p| match p {
                        abi::Argument::Registers(r) => r.iter().filter(|n| **n < 17).count(),
                        _ => 0,
                    })
                    .sum();
                let at = integers + index - scope.parameters.len();
                if let Some(register) = [5u16, 4, 1, 2, 8, 9].get(at) {
                    let ty = Type::word();
                    return self.load_value(context, ty, Place::Register(*register));
                }
            }
            return Err(no_argument(index));
        };
        if scope.is_go {
            // Go's compiler gives the location of the last word of what is on the stack.
            let types: Vec<_> = scope.parameters.iter().map(|p| p.ty.clone()).collect();
            if let Some(Some(above)) = abi::go_stack(&types)?.get(index) {
                let place = Place::Memory(context.frame.cfa.wrapping_add(*above));
                return self.load_value(context, parameter.ty.get()?, place);
            }
        }
        // A location list that is valid at the entry knows best (clones, Rust).
        if let Some(location) = &parameter.location
            && DebugInfo::is_valid_at_entry(location)
            && let Ok(value) = self.variable(context, &scope.body.info, scope.body.bias, parameter)
        {
            return Ok(value);
        }
        let Some(places) = &scope.places else {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "it is not known how `{}` is passed; stop after the prologue instead",
                    parameter.name
                ),
            ));
        };
        let ty = parameter.ty.get()?;
        let sp = context.frame.registers.sp();
        let process = context.process;
        let tracer = &self.tracer;
        let read = |p: &Place| match p {
            Place::Register(n) => context.frame.registers.get(*n),
            Place::Memory(a) => tracer.read_u64(process, *a).ok(),
            _ => None,
        };
        let place = places[index].place(sp, ty.size, &read).ok_or_else(|| {
            Error::new(ErrorKind::Memory, format!("`{}` cannot be read", parameter.name))
        })?;
        self.load_value(context, ty, place)
    }

    fn result(&mut self, context: &Context) -> Result<Value> {
        let Some(scope) = self.returned.get(&context.thread).cloned() else {
            return Err(Error::expression("`ret` only exists right after a return"));
        };
        let ty = scope.result.get()?;
        let place = match abi::returned(&ty)? {
            Returned::Nothing => {
                return Err(Error::expression("the function returns nothing"));
            }
            Returned::Registers(one) if one.len() == 1 => Place::Register(one[0]),
            Returned::Registers(many) => abi::pieces(&many, ty.size),
            Returned::Memory => Place::Memory(context.frame.registers.get(0).unwrap_or_default()),
            Returned::Float80 => Place::Value(self.tracer.x87_top(context.thread)?.to_vec()),
        };
        let mut value = self.load_value(context, ty, place)?;
        // A result in a register is gone with the next instruction: not a place to assign to.
        if !matches!(value.place, Some(Place::Register(_))) {
            value.place = None;
        }
        Ok(value)
    }

    fn register(&mut self, context: &Context, name: &str) -> Result<Value> {
        let registers = self.tracer.registers(context.thread)?;
        if registers.by_name(name).is_none() {
            if let Some((value, size)) = registers.part_by_name(name) {
                return match context.frame.index {
                    0 => Ok(Value::integer(i128::from(value), Type::integer("int", size, true))),
                    _ => Err(not_preserved(name)),
                };
            }
            if let Some(value) = self.vector(context, name)? {
                return Ok(value);
            }
            return self.kept_value(context, name);
        }
        let value = if context.frame.index > 0 {
            let number = (0..=16u16)
                .find(|n| registers.iter().nth(*n as usize).is_some_and(|(r, _)| r == alias(name)));
            number
                .and_then(|n| context.frame.registers.get(n))
                .ok_or_else(|| not_preserved(name))?
        } else {
            registers.by_name(name).ok_or_else(|| no_register(name))?
        };
        Ok(Value::integer(i128::from(value), crate::registers::type_of(name)))
    }

    /// A register for vectors or floating-point numbers.
    fn vector(&mut self, context: &Context, name: &str) -> Result<Option<Value>> {
        let is_wide = name.starts_with("ymm") && !name.ends_with('h');
        let is_other = ["xmm", "st", "k", "mxcsr", "f"].iter().any(|p| name.starts_with(p));
        if !is_wide && !is_other {
            return Ok(None);
        }
        let state = self.tracer.extended_state(context.thread)?;
        let found = match name.strip_prefix("ymm") {
            Some(number) if is_wide => state
                .get(&format!("xmm{number}"))
                .zip(state.get(&format!("{name}h")))
                .map(|(low, high)| [low, high].concat()),
            _ => state.get(name),
        };
        let Some(bytes) = found else { return Ok(None) };
        if context.frame.index > 0 {
            return Err(not_preserved(name));
        }
        let ty = crate::registers::vector_type(name, bytes.len() as u64);
        Ok(Some(Value { ty, bytes, place: None, bits: None, held: Held::No }))
    }

    fn type_named(&mut self, context: &Context, name: &str) -> Result<Rc<Type>> {
        if let Some(ty) = Type::builtin(name) {
            return Ok(ty);
        }
        for module in self.modules(context.process).to_vec() {
            if let Some((info, _)) = self.load(context.process, &module)
                && !info.is_separate()
                && let Some(ty) = info.type_named(name)
            {
                return Ok(ty);
            }
        }
        Err(Error::new(ErrorKind::NotFound, format!("no type named `{name}`")))
    }

    // ---- operators ----------------------------------------------------------------------

    /// `sizeof`: only names are resolved. A name that is not a variable may be a type.
    fn size_of(&mut self, context: &Context, inner: &Expr) -> Result<Value> {
        let size = match inner {
            Expr::Cast(name, 0, _) => self.type_named(context, name)?.size,
            Expr::Cast(..) => 8,
            Expr::Name(name) => match self.expression(context, inner) {
                // A class has the name of its constructors.
                Ok(value) if !matches!(value.ty.kind, Kind::Function) => value.ty.size,
                value => self.type_named(context, name).or(value.map(|v| v.ty))?.size,
            },
            _ => self.outlined(context, inner)?.ty.size,
        };
        Ok(Value::integer(i128::from(size), Type::integer("unsigned long", 8, false)))
    }

    /// A type by its name, as `ptype` wants it: `struct node`, `node_t *`.
    pub fn type_called(&mut self, thread: ThreadId, text: &str) -> Result<Rc<Type>> {
        let context = self.context(thread, 0)?;
        let name = text.trim_end_matches(['*', ' ']);
        let stars = text[name.len()..].matches('*').count();
        let words = name.split_whitespace();
        let own: Vec<&str> =
            words.filter(|w| !["struct", "union", "enum", "class", "const"].contains(w)).collect();
        let mut ty = self.type_named(&context, &own.join(" "))?;
        for _ in 0..stars {
            ty = Type::pointer_to(&ty);
        }
        Ok(ty)
    }

    fn unary(&mut self, context: &Context, operator: Unary, inner: &Expr) -> Result<Value> {
        if operator == Unary::SizeOf {
            return self.size_of(context, inner);
        }
        let value = match operator {
            // Parts of references are written like those of pointers.
            Unary::Dereference => self.expression(context, inner)?,
            // What is there need not be readable.
            Unary::AddressOf => {
                let value = self.located(context, inner)?;
                match value.ty.kind {
                    Kind::Reference(_) => self.used(context, inner)?,
                    _ => value,
                }
            }
            _ => self.used(context, inner)?,
        };
        match operator {
            Unary::Dereference => self.pointed(context, &value),
            Unary::AddressOf => match value.place {
                Some(Place::Memory(address)) if value.bits.is_none() => {
                    Ok(Value::integer(i128::from(address), Type::pointer_to(&value.ty)))
                }
                _ => Err(Error::expression("this value has no address: it is not in memory")),
            },
            Unary::Negate if matches!(value.ty.kind, Kind::Float) => {
                Ok(Value::double(-value.as_f64()?))
            }
            Unary::Plus if matches!(value.ty.kind, Kind::Float | Kind::Pointer(_)) => Ok(value),
            Unary::Plus => Ok(computed(value.as_integer()?, &value, &value)),
            Unary::Negate => Ok(computed(value.as_integer()?.wrapping_neg(), &value, &value)),
            Unary::Complement => Ok(computed(!value.as_integer()?, &value, &value)),
            Unary::SizeOf => unreachable!("dealt with above"),
            Unary::Not => {
                let zero = self.is_zero(&value)?;
                Ok(truth(zero))
            }
        }
    }

    /// So many objects beside each other, beginning with this one.
    pub(super) fn repeated(
        &mut self,
        context: &Context,
        first: &Value,
        count: i128,
    ) -> Result<Value> {
        let address = first.address().filter(|_| first.bits.is_none());
        let address =
            address.ok_or_else(|| Error::expression("the value before `@` is not in memory"))?;
        let count = u64::try_from(count).ok().filter(|n| *n > 0);
        let size = count.and_then(|n| n.checked_mul(first.ty.size.max(1)));
        let (Some(count), Some(size)) = (count, size.filter(|s| *s <= LARGEST)) else {
            return Err(Error::expression("the number after `@` must be the number of elements"));
        };
        let name = format!("{} [{count}]", first.ty.name);
        let kind = Kind::Array { element: crate::info::Lazy::Known(first.ty.clone()), count };
        let ty = Rc::new(Type { name, size, kind });
        self.load_value(context, ty, Place::Memory(address))
    }

    fn is_zero(&self, value: &Value) -> Result<bool> {
        if matches!(value.ty.kind, Kind::Float) {
            return Ok(value.as_f64()? == 0.0);
        }
        Ok(value.as_integer()? == 0)
    }

    fn binary(&mut self, context: &Context, operator: Binary, a: &Expr, b: &Expr) -> Result<Value> {
        // The right side may only make sense if the left one holds: p && p->x.
        if matches!(operator, Binary::And | Binary::Or) {
            let holds = self.holds(context, a)?;
            if holds == (operator == Binary::Or) {
                return Ok(truth(holds));
            }
            return Ok(truth(self.holds(context, b)?));
        }
        let left = self.used(context, a)?;
        let right = self.used(context, b)?;
        if operator == Binary::Repeat {
            return self.repeated(context, &left, right.as_integer()?);
        }
        self.compute(operator, left, right)
    }

    /// What an operator makes of two values.
    pub(super) fn compute(&self, operator: Binary, left: Value, right: Value) -> Result<Value> {
        let (left, right) = (self.decay(left), self.decay(right));
        if let (Kind::Pointer(target), Binary::Add | Binary::Subtract) = (&left.ty.kind, operator) {
            let size = i128::from(target.get()?.size.max(1));
            if right.ty.is_pointer() {
                let difference = left.as_integer()? - right.as_integer()?;
                return Ok(Value::long(difference / size));
            }
            let step = right.as_integer()?.wrapping_mul(size);
            let step = if operator == Binary::Add { step } else { -step };
            let address = left.as_integer()?.wrapping_add(step) as u64;
            return Ok(Value::integer(i128::from(address), left.ty.clone()));
        }
        let is_float = |v: &Value| matches!(v.ty.kind, Kind::Float);
        if is_float(&left) || is_float(&right) {
            let (x, y) = (left.as_f64()?, right.as_f64()?);
            let ordering = match operator {
                Binary::Less => x < y,
                Binary::LessOrEqual => x <= y,
                Binary::Greater => x > y,
                Binary::GreaterOrEqual => x >= y,
                Binary::Equal => x == y,
                Binary::NotEqual => x != y,
                Binary::Add => return Ok(Value::double(x + y)),
                Binary::Subtract => return Ok(Value::double(x - y)),
                Binary::Multiply => return Ok(Value::double(x * y)),
                Binary::Divide => return Ok(Value::double(x / y)),
                _ => {
                    return Err(Error::expression(
                        "this operator is not for floating-point numbers",
                    ));
                }
            };
            return Ok(truth(ordering));
        }
        let (x, y) = (left.as_integer()?, right.as_integer()?);
        let number = match operator {
            Binary::Multiply => x.wrapping_mul(y),
            Binary::Divide if y == 0 => return Err(Error::expression("division by zero")),
            Binary::Divide => x.wrapping_div(y),
            Binary::Remainder if y == 0 => return Err(Error::expression("division by zero")),
            Binary::Remainder => x.wrapping_rem(y),
            Binary::Add => x.wrapping_add(y),
            Binary::Subtract => x.wrapping_sub(y),
            Binary::ShiftLeft => x.wrapping_shl((y & 63) as u32),
            Binary::ShiftRight => x.wrapping_shr((y & 63) as u32),
            Binary::BitAnd => x & y,
            Binary::BitXor => x ^ y,
            Binary::BitOr => x | y,
            Binary::Less => return Ok(truth(x < y)),
            Binary::LessOrEqual => return Ok(truth(x <= y)),
            Binary::Greater => return Ok(truth(x > y)),
            Binary::GreaterOrEqual => return Ok(truth(x >= y)),
            Binary::Equal => return Ok(truth(x == y)),
            Binary::NotEqual => return Ok(truth(x != y)),
            Binary::And | Binary::Or | Binary::Repeat => {
                return Err(Error::expression("this operator has no value of its own here"));
            }
        };
        Ok(computed(number, &left, &right))
    }

    /// Arrays count as pointers to their first element where a number is wanted.
    pub(super) fn decay(&self, value: Value) -> Value {
        if let (Kind::Array { element, .. }, Some(Place::Memory(address))) =
            (&value.ty.kind, &value.place)
            && let Ok(element) = element.get()
        {
            return Value::integer(i128::from(*address), Type::pointer_to(&element));
        }
        if let (Kind::Function, Some(Place::Memory(address))) = (&value.ty.kind, &value.place) {
            return Value::integer(i128::from(*address), Type::pointer_to(&value.ty));
        }
        value
    }

    /// The value of an expression where it is used: of a reference, what it refers to.
    pub(super) fn used(&mut self, context: &Context, e: &Expr) -> Result<Value> {
        let value = self.expression(context, e)?;
        self.through_reference(context, value)
    }

    /// Whether a condition holds.
    fn holds(&mut self, context: &Context, e: &Expr) -> Result<bool> {
        let value = self.used(context, e)?;
        Ok(!self.is_zero(&self.decay(value))?)
    }

    pub(super) fn through_reference(&mut self, context: &Context, value: Value) -> Result<Value> {
        match &value.ty.kind {
            Kind::Reference(target) => {
                let ty = target.get()?;
                let address = value.as_u64()?;
                self.load_value(context, ty, Place::Memory(address))
            }
            _ => Ok(value),
        }
    }

    pub(super) fn pointed(&mut self, context: &Context, value: &Value) -> Result<Value> {
        let mut value = self.decay(value.clone());
        if let Kind::Reference(target) = &value.ty.kind
            && target.get()?.is_pointer()
        {
            value = self.through_reference(context, value)?;
        }
        // If the type of a word is not known, it points to another word.
        if value.ty.is_word() {
            let address = value.as_u64()?;
            return self.load_value(context, Type::word(), Place::Memory(address));
        }
        let (Kind::Pointer(target) | Kind::Reference(target)) = &value.ty.kind else {
            return Err(Error::expression(format!(
                "a value of type {} is not a pointer",
                value.ty.name
            )));
        };
        let ty = target.get()?;
        if matches!(ty.kind, Kind::Void) {
            return Err(Error::expression("a void pointer must be cast before it is dereferenced"));
        }
        if matches!(ty.kind, Kind::Opaque) {
            return Err(Error::expression(format!("the type {} is only declared", ty.name)));
        }
        let address = value.as_u64()?;
        if address == 0 {
            return Err(Error::new(ErrorKind::Memory, "a null pointer is dereferenced"));
        }
        self.load_value(context, ty, Place::Memory(address))
    }

    pub(super) fn member(
        &mut self,
        context: &Context,
        object: &Value,
        field: &str,
    ) -> Result<Value> {
        let object = self.through_reference(context, object.clone())?;
        if object.ty.member(field).is_none()
            && let Some(found) = self.member_of_contents(context.process, &object, field)
        {
            return found;
        }
        if object.ty.is_word() {
            return Err(Error::expression(format!(
                "no debug information says what this value is, so there is no member `{field}`: compile with -g"
            )));
        }
        let found = object.ty.member(field).ok_or_else(|| {
            let names: Vec<&str> = match &object.ty.kind {
                Kind::Structure { members, .. } => {
                    members.iter().map(|m| m.name.as_str()).filter(|n| !n.is_empty()).collect()
                }
                _ => Vec::new(),
            };
            let hint = match names.is_empty() {
                true => String::new(),
                false => format!("; it has {}", names.join(", ")),
            };
            Error::expression(format!("{} has no member `{field}`{hint}", object.ty.name))
        })?;
        let (offset, bits) = (found.offset, found.bits);
        let ty = found.ty.get()?;
        if let Some(Place::Memory(address)) = object.place {
            let mut value =
                self.load_value(context, ty, Place::Memory(address.wrapping_add(offset)))?;
            value.bits = bits;
            return Ok(value);
        }
        super::library::member_value(&object, &found)
            .ok_or_else(|| Error::expression(format!("`{field}` is outside its structure")))
    }

    /// Members of library types that replace those generated by the compiler: a size, and the
    /// variants of a Rust enumeration by name.
    fn member_of_contents(
        &self,
        process: ProcessId,
        object: &Value,
        field: &str,
    ) -> Option<Result<Value>> {
        let is_size = matches!(field, "size" | "length" | "len");
        match self.contents(process, object)? {
            Contents::Text { length: n, .. } | Contents::Elements { count: n, .. } if is_size => {
                Some(Ok(Value::long(i128::from(n))))
            }
            Contents::KeptText(text) if is_size => Some(Ok(Value::long(text.len() as i128))),
            Contents::KeptElements(all) if is_size => Some(Ok(Value::long(all.len() as i128))),
            Contents::Gone if is_size => Some(Err(gone())),
            Contents::Variant { name, value } if name == field => Some(Ok(value)),
            Contents::Variant { name, .. } if object.ty.has_variant(field) => {
                Some(Err(Error::expression(format!("it is not {field} but {name}"))))
            }
            _ => None,
        }
    }

    fn element(&mut self, context: &Context, array: &Value, index: i128) -> Result<Value> {
        let array = self.through_reference(context, array.clone())?;
        if let (Kind::Array { element, count }, None | Some(Place::Value(_) | Place::Pieces(_))) =
            (&array.ty.kind, &array.place)
        {
            let ty = element.get()?;
            if index < 0 || index >= i128::from(*count) {
                return Err(Error::expression(format!("there is no element {index}")));
            }
            let start = index as usize * ty.size as usize;
            let bytes = array.bytes.get(start..start + ty.size as usize);
            let bytes = bytes.ok_or_else(|| Error::expression("outside the array"))?.to_vec();
            return Ok(Value { ty, bytes, place: None, bits: None, held: Held::No });
        }
        let listed = match self.contents(context.process, &array) {
            Some(Contents::Text { address, length }) => {
                Some((Type::builtin("char").unwrap_or_else(Type::word), address, length))
            }
            Some(Contents::Elements { element, address, count }) => Some((element, address, count)),
            Some(Contents::KeptElements(all)) => {
                let element = usize::try_from(index).ok().and_then(|i| all.get(i).cloned());
                return element
                    .ok_or_else(|| Error::expression(format!("there is no element {index}")));
            }
            Some(Contents::KeptText(_) | Contents::Gone) => return Err(gone()),
            _ => None,
        };
        if let Some((ty, address, count)) = listed {
            if index < 0 || index >= i128::from(count) {
                return Err(Error::expression(format!(
                    "there is no element {index}: there are {count}"
                )));
            }
            let address = address.wrapping_add((index as u64).wrapping_mul(ty.size));
            return self.load_value(context, ty, Place::Memory(address));
        }
        let pointer = self.decay(array);
        let (Kind::Pointer(target) | Kind::Reference(target)) = &pointer.ty.kind else {
            return Err(Error::expression(format!("{} has no elements", pointer.ty.name)));
        };
        let ty = target.get()?;
        let step = index.wrapping_mul(i128::from(ty.size.max(1)));
        let address = pointer.as_integer()?.wrapping_add(step) as u64;
        self.load_value(context, ty, Place::Memory(address))
    }

    // ---- places -------------------------------------------------------------------------

    pub(super) fn load_value(
        &mut self,
        context: &Context,
        ty: Rc<Type>,
        place: Place,
    ) -> Result<Value> {
        // A function has no bytes; of what is larger, only parts are ever looked at.
        if matches!(ty.kind, Kind::Function) || ty.size > LARGEST {
            return Ok(Value {
                ty,
                bytes: Vec::new(),
                place: Some(place),
                bits: None,
                held: Held::No,
            });
        }
        let place = match place {
            Place::Pieces(parts) => Place::Pieces(super::pieces::complete(&ty, parts)?),
            other => other,
        };
        let mut bytes = vec![0; ty.size as usize];
        self.read_place(context, &place, &mut bytes)?;
        let place = (!matches!(place, Place::Value(_))).then_some(place);
        Ok(Value { ty, bytes, place, bits: None, held: Held::No })
    }

    fn read_place(&self, context: &Context, place: &Place, buffer: &mut [u8]) -> Result<()> {
        match place {
            Place::Memory(address) => self.tracer.read(context.process, *address, buffer),
            Place::Register(n) => {
                let mut all = [0u8; 16];
                if (17..=32).contains(n) {
                    if context.frame.index > 0 {
                        return Err(crate::info::optimized_out());
                    }
                    all = self.tracer.vector_register(context.thread, usize::from(*n) - 17)?;
                } else {
                    let value = context.frame.registers.get(*n);
                    let value = value.ok_or_else(crate::info::optimized_out)?;
                    all[..8].copy_from_slice(&value.to_le_bytes());
                }
                let n = buffer.len().min(16);
                buffer[..n].copy_from_slice(&all[..n]);
                Ok(())
            }
            Place::Value(bytes) => {
                let n = buffer.len().min(bytes.len());
                buffer[..n].copy_from_slice(&bytes[..n]);
                Ok(())
            }
            Place::Pieces(parts) => {
                let mut at = 0usize;
                for (part, size) in parts {
                    let end = (at + *size as usize).min(buffer.len());
                    if at >= end {
                        break;
                    }
                    match part {
                        Some(p) => self.read_place(context, p, &mut buffer[at..end])?,
                        None => return Err(crate::info::optimized_out()),
                    }
                    at = end;
                }
                Ok(())
            }
        }
    }

    pub(super) fn write_place(
        &mut self,
        context: &Context,
        place: &Place,
        bytes: &[u8],
    ) -> Result<()> {
        match place {
            Place::Memory(address) => self.tracer.write(context.process, *address, bytes),
            Place::Register(n) if *n <= 16 && context.frame.index == 0 => {
                let mut registers = self.tracer.registers(context.thread)?;
                let mut word = registers.dwarf(*n).unwrap_or(0).to_le_bytes();
                let size = bytes.len().min(8);
                word[..size].copy_from_slice(&bytes[..size]);
                registers.set_dwarf(*n, u64::from_le_bytes(word));
                self.tracer.set_registers(context.thread, registers)
            }
            Place::Register(n) if (17..=32).contains(n) && context.frame.index == 0 => {
                let name = format!("xmm{}", n - 17);
                let mut state = self.tracer.extended_state(context.thread)?;
                let mut whole = state.get(&name).unwrap_or_else(|| vec![0; 16]);
                let size = bytes.len().min(whole.len());
                whole[..size].copy_from_slice(&bytes[..size]);
                state.set(&name, &whole);
                self.tracer.set_extended_state(context.thread, &state)
            }
            Place::Pieces(parts) => {
                let mut at = 0usize;
                for (part, size) in parts.clone() {
                    let end = (at + size as usize).min(bytes.len());
                    if let Some(p) = part {
                        self.write_place(context, &p, &bytes[at..end])?;
                    }
                    at = end;
                }
                Ok(())
            }
            _ => Err(Error::expression("this variable is in a place where it cannot be changed")),
        }
    }
}

fn truth(yes: bool) -> Value {
    Value::integer(i128::from(yes), Type::integer("int", 4, true))
}

/// The result of an operator: an `int` if both sides are as small and it fits.
fn computed(value: i128, a: &Value, b: &Value) -> Value {
    match [a, b].iter().all(|v| v.ty.size <= 4 && v.ty.is_integral()) {
        true => Value::number(wrap(value, a, b)),
        false => Value::long(wrap(value, a, b)),
    }
}

/// Wraps a result to 64 bits, with a sign unless both sides are unsigned words.
fn wrap(value: i128, a: &Value, b: &Value) -> i128 {
    let is_unsigned_word = |v: &Value| v.ty.size >= 8 && !v.ty.is_signed();
    if is_unsigned_word(a) || is_unsigned_word(b) {
        i128::from(value as u64)
    } else {
        i128::from(value as i64)
    }
}

pub(super) fn new_integer(bytes: &[u8]) -> u128 {
    let mut word = [0u8; 16];
    let n = bytes.len().min(16);
    word[..n].copy_from_slice(&bytes[..n]);
    u128::from_le_bytes(word)
}

/// A value as another type: numbers and addresses by value, floats by rounding.
pub(super) fn convert(value: &Value, ty: &Rc<Type>) -> Result<Value> {
    if matches!(ty.kind, Kind::Float) {
        if value.ty.is_word() {
            let message = "floating-point arguments need debug information: their registers depend on the types of all arguments";
            return Err(Error::expression(message));
        }
        let number = value.as_f64()?;
        let bytes = match ty.size {
            4 => (number as f32).to_le_bytes().to_vec(),
            8 => number.to_le_bytes().to_vec(),
            _ => return Err(Error::expression("long double values cannot be created here")),
        };
        return Ok(Value { ty: ty.clone(), bytes, place: None, bits: None, held: Held::No });
    }
    if ty.is_integral() || ty.is_pointer() {
        let number = match value.ty.kind {
            Kind::Float => value.as_f64()? as i128,
            _ => value.as_integer()?,
        };
        return Ok(Value::integer(number, ty.clone()));
    }
    if Rc::ptr_eq(&value.ty, ty) || (value.ty.name == ty.name && value.ty.size == ty.size) {
        return Ok(Value { ty: ty.clone(), ..value.clone() });
    }
    Err(Error::expression(format!("{} cannot be turned into {}", value.ty.name, ty.name)))
}

fn enumerator(info: &DebugInfo, name: &str) -> Option<Value> {
    let (ty, value) = info.enumerator(name)?;
    Some(Value::integer(i128::from(value), ty))
}

fn alias(name: &str) -> &str {
    match name {
        "pc" => "rip",
        "sp" => "rsp",
        "fp" => "rbp",
        other => other,
    }
}

fn no_argument(index: usize) -> Error {
    Error::expression(format!("the function has no argument {index} (they count from 0)"))
}

/// What a value that was passed pointed to when the function was entered.
fn gone() -> Error {
    Error::expression("what it held at the entry was not read; use an event before the call")
}

pub(super) fn no_register(name: &str) -> Error {
    Error::expression(format!("there is no register ${name}"))
}

fn not_preserved(name: &str) -> Error {
    Error::new(ErrorKind::OptimizedOut, format!("${name} was not preserved"))
}
