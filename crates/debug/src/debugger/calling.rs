//! Calls of the program's functions that a person wants.

use std::rc::Rc;

use super::Debugger;
use super::calls::{self, Scope};
use super::eval::{Context, convert};
use crate::abi::{self, Argument, Returned};
use crate::error::{Error, Result};
use crate::expr::{self, Expr};
use crate::info::{Instance, Kind, Lazy, Type};
use crate::tracer::{Passed, ThreadId};
use crate::value::{Held, Value};

/// DWARF numbers of the registers for numbers and addresses, in the order of the convention.
const INTEGER: [u16; 6] = [5, 4, 1, 2, 8, 9];
/// DWARF number of the first vector register.
const VECTOR: u16 = 17;

/// The function that is meant, and the object if it is one of its methods.
struct Callee {
    address: u64,
    scope: Option<Rc<Scope>>,
    object: Option<Value>,
}

impl Debugger {
    pub(super) fn call_function(
        &mut self,
        context: &Context,
        function: &Expr,
        args: &[Expr],
    ) -> Result<Value> {
        let mut values = Vec::new();
        for arg in args {
            values.push(self.used(context, arg)?);
        }
        let callee = match self.method(context, function)? {
            Some(callee) => callee,
            None => self.callee(context, function, &values)?,
        };
        let Callee { address, scope, object } = callee;
        if let Some(object) = object {
            values.insert(0, object);
        }
        if scope.as_ref().is_some_and(|s| s.is_go) {
            return Err(Error::expression("functions of Go cannot be called"));
        }
        let types = self.passed_types(scope.as_deref(), &values)?;
        let result = match &scope {
            Some(scope) => scope.result.get()?,
            None => Type::integer("long", 8, true),
        };
        let known: Vec<Lazy> = types.iter().cloned().map(Lazy::Known).collect();
        let places = abi::arguments(&known, &Lazy::Known(result.clone()), false)?;
        let mut passed = Passed { top: self.tracer.room(context.thread)?, ..Passed::default() };
        let in_memory = matches!(abi::returned(&result)?, Returned::Memory);
        if in_memory {
            passed.integers[0] = make_room(&mut passed, result.size);
        }
        for ((value, ty), place) in values.into_iter().zip(&types).zip(&places) {
            let bytes = self.as_passed(context, value, ty, &mut passed)?;
            put(&mut passed, place, &bytes)?;
        }
        let results = self.tracer.call(context.thread, address, &passed)?;
        let bytes = match abi::returned(&result)? {
            Returned::Nothing => Vec::new(),
            Returned::Float80 => results.x87,
            Returned::Memory => {
                let mut bytes = vec![0; result.size as usize];
                self.tracer.read(context.process, results.words[0], &mut bytes)?;
                bytes
            }
            Returned::Registers(all) => {
                let mut bytes = Vec::new();
                for register in all {
                    bytes.extend_from_slice(&match register {
                        0 => results.words[0].to_le_bytes(),
                        1 => results.words[1].to_le_bytes(),
                        n => first_half(&results.vectors[usize::from(n != VECTOR)]),
                    });
                }
                bytes.truncate(result.size as usize);
                bytes
            }
        };
        Ok(Value { ty: result, bytes, place: None, bits: None, held: Held::No })
    }

    /// The function that an expression means: of several with this name, the one that takes these values.
    fn callee(&mut self, context: &Context, function: &Expr, args: &[Value]) -> Result<Callee> {
        let callee = self.expression(context, function)?;
        if let (Expr::Name(name), Kind::Function) = (function, &callee.ty.kind)
            && let Some(address) = self.overloaded(context, name, args)
        {
            return Ok(self.callee_at(context, address));
        }
        let callee = self.decay(callee);
        let is_code = match &callee.ty.kind {
            Kind::Pointer(target) => matches!(target.get()?.kind, Kind::Function | Kind::Void),
            _ => callee.ty.is_word(),
        };
        if !is_code {
            return Err(Error::expression(format!(
                "a value of type {} cannot be called",
                callee.ty.name
            )));
        }
        let address = callee.as_u64()?;
        let mut found = self.callee_at(context, address);
        if let Some((_, info, bias)) = self.module_at(context.process, address)
            && info.is_chooser(address.wrapping_sub(bias))
        {
            // What is there says which function it is.
            found.scope = info.signature_at(address.wrapping_sub(bias)).map(|signature| {
                let instance = Instance {
                    entry: address.wrapping_sub(bias),
                    ranges: Vec::new(),
                    clone_of: None,
                    die: None,
                };
                Rc::new(calls::scope_of(info.clone(), bias, instance, Some(signature)))
            });
            found.address = self.tracer.call_integers(context.thread, address, &[])?;
        }
        Ok(found)
    }

    fn callee_at(&mut self, context: &Context, address: u64) -> Callee {
        let scope = self.scope(context.process, address).filter(|s| s.is_typed());
        Callee { address, scope, object: None }
    }

    /// Of several functions with a name, the one that takes these values.
    fn overloaded(&mut self, context: &Context, name: &str, args: &[Value]) -> Option<u64> {
        for module in self.modules(context.process).to_vec() {
            let Some((info, bias)) = self.load(context.process, &module) else { continue };
            if !info.may_define(name) {
                continue;
            }
            let functions = info.functions_named(name);
            let bodies = functions.iter().flat_map(|f| &f.instances);
            let bodies: Vec<Instance> = bodies.filter(|i| i.die.is_some()).cloned().collect();
            if bodies.len() < 2 {
                continue;
            }
            let fit = |body: &&Instance| {
                let parameters = info.parameters(body);
                let is_float = |ty: &Type| matches!(ty.kind, Kind::Float);
                let agree = parameters.iter().zip(args).filter(|(p, value)| {
                    p.ty.get().is_ok_and(|ty| {
                        is_float(&ty) == is_float(&value.ty)
                            && ty.is_pointer() == value.ty.is_pointer()
                    })
                });
                (parameters.len() == args.len(), agree.count())
            };
            let best = bodies.iter().rev().max_by_key(fit)?;
            return Some(best.entry.wrapping_add(bias));
        }
        None
    }

    /// `object.method`, `pointer->method`, if that is a method and no member that points to a function.
    fn method(&mut self, context: &Context, function: &Expr) -> Result<Option<Callee>> {
        let (object, name) = match function {
            Expr::Member(object, name) => (self.used(context, object)?, name),
            Expr::Arrow(pointer, name) => {
                let pointer = self.used(context, pointer)?;
                (self.pointed(context, &pointer)?, name)
            }
            _ => return Ok(None),
        };
        let object = match object.ty.kind {
            Kind::Pointer(_) => self.pointed(context, &object)?,
            _ => object,
        };
        if object.ty.member(name).is_some() {
            return Ok(None);
        }
        let Some(address) = object.address() else { return Ok(None) };
        let found = self.method_of(context, &object.ty, address, name, 0)?;
        Ok(found.map(|(entry, this, ty)| {
            let mut callee = self.callee_at(context, entry);
            callee.object = Some(Value::integer(i128::from(this), Type::pointer_to(&ty)));
            callee
        }))
    }

    /// A method of a class or of one of its bases: the function, and the object it is called for.
    fn method_of(
        &mut self,
        context: &Context,
        ty: &Rc<Type>,
        address: u64,
        name: &str,
        depth: u32,
    ) -> Result<Option<(u64, u64, Rc<Type>)>> {
        /// Classes that are bases of each other.
        const DEEPEST: u32 = 16;
        let Kind::Structure { members, .. } = &ty.kind else { return Ok(None) };
        let class = ty.name.trim_start_matches("const ");
        // Classes made from templates have functions without the arguments in their names.
        let bare = class.split('<').next().unwrap_or(class);
        for module in self.modules(context.process).to_vec() {
            let Some((info, bias)) = self.load(context.process, &module) else { continue };
            if !info.may_define(name) {
                continue;
            }
            for function in info.functions_named(name) {
                let Some((scope, _)) = function.name.rsplit_once("::") else { continue };
                let own = scope.rsplit("::").next().unwrap_or(scope);
                if own != class && own != bare {
                    continue;
                }
                let Some(body) = function.instances.iter().find(|i| i.die.is_some()) else {
                    continue;
                };
                let mut entry = body.entry.wrapping_add(bias);
                if let Some(slot) = info.virtual_slot(body) {
                    // The object says which function it is.
                    let table = self.tracer.read_u64(context.process, address)?;
                    let at = table.wrapping_add(slot.wrapping_mul(8));
                    entry = self.tracer.read_u64(context.process, at)?;
                }
                return Ok(Some((entry, address, ty.clone())));
            }
        }
        for base in members.iter().filter(|m| m.is_transparent && depth < DEEPEST) {
            let at = address.wrapping_add(base.offset);
            let found = self.method_of(context, &base.ty.get()?, at, name, depth + 1)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The types as which values are passed.
    fn passed_types(&self, scope: Option<&Scope>, values: &[Value]) -> Result<Vec<Rc<Type>>> {
        let mut types = Vec::new();
        let parameters = scope.map_or(&[][..], |s| &s.parameters);
        if parameters.len() > values.len() {
            return Err(Error::expression(format!(
                "the function takes {} arguments",
                parameters.len()
            )));
        }
        let is_open = scope.is_none_or(|s| s.is_variadic || !s.is_typed());
        if !is_open && values.len() > parameters.len() {
            return Err(Error::expression(format!(
                "the function takes only {} arguments",
                parameters.len()
            )));
        }
        for (i, value) in values.iter().enumerate() {
            types.push(match parameters.get(i) {
                Some(parameter) => parameter.ty.get()?,
                None if matches!(value.ty.kind, Kind::Float) => Value::double(0.0).ty,
                None => Type::integer("long", 8, true),
            });
        }
        Ok(types)
    }

    /// The bytes that are passed for a value. What must be in memory gets a place there.
    fn as_passed(
        &mut self,
        context: &Context,
        value: Value,
        ty: &Rc<Type>,
        passed: &mut Passed,
    ) -> Result<Vec<u8>> {
        let is_nowhere = value.address().is_none();
        let address = match &ty.kind {
            Kind::Reference(target) => match value.address() {
                Some(address) => Some(address),
                None => {
                    Some(self.lend(context, &convert(&value, &target.get()?)?.bytes, passed)?)
                }
            },
            // A text, or an array that was returned.
            _ if is_nowhere && matches!(value.ty.kind, Kind::Array { .. }) => {
                Some(self.lend(context, &value.bytes, passed)?)
            }
            _ => None,
        };
        if let Some(address) = address {
            return Ok(address.to_le_bytes().to_vec());
        }
        if matches!(ty.kind, Kind::Structure { .. }) {
            if value.ty.size != ty.size || value.bytes.len() as u64 != ty.size {
                return Err(Error::expression(format!("it takes a {}", ty.name)));
            }
            return Ok(value.bytes);
        }
        let mut bytes = convert(&self.decay(value), ty)?.bytes;
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        Ok(bytes)
    }

    /// Leaves a frame at once, as if its function returned this value.
    pub fn leave_frame(
        &mut self,
        thread: ThreadId,
        index: usize,
        value: Option<&str>,
    ) -> Result<Option<Value>> {
        let context = self.context(thread, index)?;
        let frames = self.bare_frames(thread, index + 2)?;
        let [.., left, caller] = &frames[..] else { return Err(outermost()) };
        if frames.len() < index + 2 || left.cfa == 0 {
            return Err(outermost());
        }
        if frames[..=index].iter().any(|f| self.tracer.is_inside(context.process, f.pc)) {
            return Err(Error::expression("an event is being recorded there; step on first"));
        }
        let body = context.body.as_ref();
        let entry = body.map(|b| b.instance.entry.wrapping_add(b.bias));
        let scope = entry.and_then(|e| self.scope(context.process, e)).filter(|s| s.is_typed());
        let mut returned = Vec::new();
        let mut result = None;
        if let Some(text) = value {
            let value = expr::parse_statement(text).and_then(|e| self.used(&context, &e))?;
            let ty = match &scope {
                Some(scope) => scope.result.get()?,
                None => Type::integer("long", 8, true),
            };
            let Returned::Registers(registers) = abi::returned(&ty)? else {
                return Err(Error::expression(format!(
                    "a result of type {} cannot be given; set the variables and use `finish`",
                    ty.name
                )));
            };
            let value = match ty.kind {
                Kind::Structure { .. } => value,
                _ => convert(&self.decay(value), &ty)?,
            };
            returned = registers.into_iter().zip(value.bytes.chunks(8).map(word)).collect();
            result = Some(value);
        }
        let mut registers = self.tracer.registers(thread)?;
        for number in 0..=crate::registers::DWARF_RIP {
            if let Some(value) = caller.registers.get(number) {
                registers.set_dwarf(number, value);
            }
        }
        let (low, high) = (self.tracer.registers(thread)?.sp(), left.cfa);
        for (register, word) in returned {
            match register.checked_sub(VECTOR) {
                None => {
                    registers.set_dwarf(register, u64::from_le_bytes(word));
                }
                Some(vector) => {
                    let mut state = self.tracer.extended_state(thread)?;
                    let mut whole = [0; 16];
                    whole[..8].copy_from_slice(&word);
                    state.set(&format!("xmm{vector}"), &whole);
                    self.tracer.set_extended_state(thread, &state)?;
                }
            }
        }
        self.tracer.leave_calls(thread, low, high)?;
        self.tracer.set_registers(thread, registers)?;
        Ok(result)
    }

    /// Puts bytes below the stack for as long as the call takes.
    fn lend(&mut self, context: &Context, bytes: &[u8], passed: &mut Passed) -> Result<u64> {
        let address = make_room(passed, bytes.len() as u64);
        self.tracer.write(context.process, address, bytes)?;
        Ok(address)
    }
}

fn make_room(passed: &mut Passed, size: u64) -> u64 {
    passed.top = passed.top.wrapping_sub(size) & !0xf;
    passed.top
}

/// Puts the bytes of a value where the convention wants them.
fn put(passed: &mut Passed, place: &Argument, bytes: &[u8]) -> Result<()> {
    let mut words = bytes.chunks(8).map(word);
    match place {
        Argument::Registers(registers) => {
            for register in registers {
                let word = words.next().unwrap_or_default();
                if let Some(i) = INTEGER.iter().position(|r| r == register) {
                    passed.integers[i] = u64::from_le_bytes(word);
                } else {
                    let i = usize::from(register - VECTOR);
                    passed.vectors.resize(passed.vectors.len().max(i + 1), [0; 8]);
                    passed.vectors[i] = word;
                }
            }
        }
        Argument::Stack(offset) => {
            let end = *offset as usize + bytes.len();
            let size = passed.stack.len().max(end).next_multiple_of(8);
            passed.stack.resize(size, 0);
            passed.stack[*offset as usize..end].copy_from_slice(bytes);
        }
        Argument::Indirect(_) => {
            return Err(Error::expression(
                "objects with constructors of their own cannot be passed; pass a pointer or reference",
            ));
        }
    }
    Ok(())
}

fn word(bytes: &[u8]) -> [u8; 8] {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    word
}

fn outermost() -> Error {
    Error::expression("this is the outermost frame: there is no caller to go to")
}

fn first_half(vector: &[u8; 16]) -> [u8; 8] {
    let mut half = [0; 8];
    half.copy_from_slice(&vector[..8]);
    half
}
