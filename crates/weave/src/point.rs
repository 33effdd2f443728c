//! A program point: what is there, and where its values are.

use watchword_classfile::{Flags, Instruction};
use watchword_model::{JavaCall, JvmTerm, Value};
use watchword_select::{KnownTypes, Types, dotted_type};

use crate::body::Body;
use crate::expression;
use crate::site::{Read, Start, Step};
use crate::target::Target;

/// Where a value is when the hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Loc {
    /// It is popped by the instruction: position among what it pops, deepest first.
    Pop(usize),
    /// It has been pushed by the instruction.
    Push,
    /// The exception on top of the stack.
    Exception,
    /// A local variable.
    Local(u16),
    /// What a parameter was on entry; 0 is `this`, in methods that have it.
    Param(u16),
    /// The class the method is in, as an object.
    OwnClass,
}

/// A value at a program point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Val {
    /// Where it is.
    pub loc: Loc,
    /// Its static type, as a descriptor.
    pub ty: String,
}

impl Val {
    /// A value.
    pub fn new(loc: Loc, ty: impl Into<String>) -> Val {
        Val { loc, ty: ty.into() }
    }
}

/// A program point of a method, on one side.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The offset of the instruction.
    pub offset: u32,
    /// The instruction's mnemonic, where it is one.
    pub mnemonic: &'static str,
    /// The receiver.
    pub receiver: Option<Val>,
    /// The arguments, in order.
    pub args: Vec<Option<Val>>,
    /// The result.
    pub result: Option<Val>,
    /// The exception.
    pub exception: Option<Val>,
    /// The value read or written.
    pub value: Option<Val>,
    /// The array.
    pub array: Option<Val>,
    /// The index.
    pub index: Option<Val>,
    /// The lock, the allocated or the cast object, the thread.
    pub object: Option<Val>,
    /// The called or executed method.
    pub target: Option<Target>,
    /// Names of annotations of the target.
    pub annotations: Vec<String>,
    /// When locals are looked at.
    pub locals: Locals,
    /// A value of which a test has shown that it is of a type, and the type.
    pub shown: Option<(Loc, String)>,
}

/// When local variables are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locals {
    /// Before the instruction.
    #[default]
    Before,
    /// After it.
    After,
    /// The moment is not known: only parameters are available.
    Unwinding,
}

/// What a term is at a program point.
pub enum Termed {
    /// A value the hook passes.
    Val(Val),
    /// Known already.
    Const(Value),
    /// The current thread.
    Thread,
    /// Read by the runtime, from the value if there is one.
    Read(Option<Val>, Read),
    /// What Java code gives, and what it is given.
    Java(JavaCall, Vec<Termed>),
    /// There is no such thing here; with the reason, where a user should know it.
    Nothing(Option<String>),
}

impl Termed {
    /// Whether it ends with such a step.
    fn asks(&self, step: &Step) -> bool {
        matches!(self, Termed::Read(_, read) if read.steps.last() == Some(step))
    }
}

impl Point {
    /// What a term is here.
    pub fn term(&self, term: &JvmTerm, body: &Body<'_, '_>, world: &KnownTypes<'_>) -> Termed {
        let val = |val: &Option<Val>| match val {
            Some(val) => Termed::Val(val.clone()),
            None => Termed::Nothing(None),
        };
        let offset = self.offset;
        let text = |text: &str| Termed::Const(Value::str(text));
        let number =
            |n: Option<u32>| Termed::Const(n.map_or(Value::Null, |n| Value::Int(n.into())));
        match term {
            JvmTerm::Receiver => val(&self.receiver),
            JvmTerm::Arg(n) => self.args.get(*n as usize).map_or(Termed::Nothing(None), val),
            // What a constructor makes is the object.
            JvmTerm::Result if self.result.is_none() && self.is_construction() => {
                val(&self.receiver)
            }
            JvmTerm::Result => val(&self.result),
            JvmTerm::Exception => val(&self.exception),
            JvmTerm::Value => val(&self.value),
            JvmTerm::Array => val(&self.array),
            JvmTerm::Index => val(&self.index),
            JvmTerm::Object => val(&self.object),
            JvmTerm::This if self.has_this(body) => {
                Termed::Val(Val::new(Loc::Param(0), body.own_type()))
            }
            JvmTerm::This => Termed::Nothing(None),
            JvmTerm::LocalName(name) => self.local(
                body,
                |at| body.named_local(name, at),
                || format!("no local variable `{name}` is known here"),
            ),
            JvmTerm::LocalSlot(slot) => {
                let slot = u16::try_from(*slot).unwrap_or(u16::MAX);
                self.local(
                    body,
                    |at| body.checked_local(slot, None, at),
                    || format!("the contents of local variable {slot} are not known here"),
                )
            }
            JvmTerm::Thread => Termed::Thread,
            JvmTerm::Class => text(&body.place(offset).class),
            JvmTerm::Method => text(&body.place(offset).method),
            JvmTerm::Line => number(body.place(offset).line),
            JvmTerm::Expression => {
                let written = expression::of(self, body);
                Termed::Const(written.map_or(Value::Null, |written| Value::str(&written)))
            }
            JvmTerm::OpcodeName => text(self.mnemonic),
            JvmTerm::BlockId => number(body.block(offset).map(|id| id.0)),
            JvmTerm::Successors => self.blocks(body, true),
            JvmTerm::Predecessors => self.blocks(body, false),
            JvmTerm::LoopDepth => {
                let depth = || Some(body.graph()?.1.depth(body.block(offset)?));
                number(depth())
            }
            JvmTerm::Target => match &self.target {
                Some(target) => text(&target.full_name()),
                None => Termed::Const(Value::Null),
            },
            JvmTerm::Names => match &self.target {
                Some(target) => {
                    let names = world.names_of(&target.called());
                    let names = names.iter().map(|name| Value::str(name));
                    Termed::Const(Value::List(std::sync::Arc::new(names.collect())))
                }
                None => Termed::Const(Value::Null),
            },
            JvmTerm::Field(inner, name) => self.step(inner, name, false, body, world),
            JvmTerm::Call(inner, name) => self.step(inner, name, true, body, world),
            JvmTerm::Equal(inner) => self.asked(inner, Step::equal(), body, world),
            JvmTerm::Holds(inner) => match self.asked(inner, Step::holds(), body, world) {
                Termed::Thread => {
                    Termed::Read(None, Read { start: Start::Thread, steps: vec![Step::holds()] })
                }
                asked @ Termed::Read(..) if asked.asks(&Step::holds()) => asked,
                Termed::Nothing(why) => Termed::Nothing(why),
                // What is no object has no monitor.
                _ => Termed::Nothing(None),
            },
            JvmTerm::Java(call) => {
                let args = call.args.iter().map(|arg| self.term(&arg.term, body, world));
                Termed::Java((**call).clone(), args.collect())
            }
            JvmTerm::StaticField(owner, name) => {
                let owner = world.class_named(owner);
                match world.resolve_field(&owner, name) {
                    Some((class, field)) => {
                        let step = Step {
                            owner: class.name.clone(),
                            name: field.name,
                            descriptor: field.descriptor,
                        };
                        Termed::Read(None, Read { start: Start::Static, steps: vec![step] })
                    }
                    None => {
                        Termed::Nothing(Some(format!("no static field {owner}.{name} is known")))
                    }
                }
            }
        }
    }

    fn has_this(&self, body: &Body<'_, '_>) -> bool {
        match self.locals {
            Locals::Unwinding => body.has_this_throughout(),
            Locals::Before | Locals::After => body.has_this(self.offset),
        }
    }

    fn is_construction(&self) -> bool {
        self.target.as_ref().is_some_and(|target| target.name == "<init>")
    }

    fn local(
        &self,
        body: &Body<'_, '_>,
        find: impl Fn(u32) -> Option<(u16, String)>,
        why: impl Fn() -> String,
    ) -> Termed {
        // After a store the variable is known from the next instruction on.
        let next = body.instructions.iter().find(|i| i.offset > self.offset).map(|i| i.offset);
        let found = find(self.offset);
        // A store may also end a variable: the other half of a long value.
        let is_store = |i: &Instruction<'_>| i.offset == self.offset && i.opcode.is(Flags::STORE);
        let stores = body.instructions.iter().any(is_store);
        let found = match self.locals {
            Locals::Before => found,
            Locals::After => next.and_then(&find).or(found.filter(|_| !stores)),
            Locals::Unwinding => {
                let param = found.and_then(|(slot, _)| body.params.iter().find(|p| p.0 == slot));
                return match param {
                    Some((slot, ty)) => Termed::Val(Val::new(Loc::Param(*slot), ty.clone())),
                    None => Termed::Nothing(Some(why())),
                };
            }
        };
        match found {
            Some((slot, ty)) => Termed::Val(Val::new(Loc::Local(slot), ty)),
            None => Termed::Nothing(Some(why())),
        }
    }

    fn blocks(&self, body: &Body<'_, '_>, successors: bool) -> Termed {
        let list = || {
            let block = body.graph()?.0.block(body.block(self.offset)?);
            let mut ids: Vec<u32> = match successors {
                true => block.all_successors().map(|id| id.0).collect(),
                false => block.all_predecessors().map(|id| id.0).collect(),
            };
            ids.sort_unstable();
            ids.dedup();
            let ids = ids.into_iter().map(|id| Value::Int(id.into())).collect();
            Some(Value::List(std::sync::Arc::new(ids)))
        };
        Termed::Const(list().unwrap_or(Value::Null))
    }

    /// What the last step tells of the object that another term is: the one for all that are equal, or
    /// whether its monitor is held. What is no object is as it is.
    fn asked(
        &self,
        inner: &JvmTerm,
        last: Step,
        body: &Body<'_, '_>,
        world: &KnownTypes<'_>,
    ) -> Termed {
        let is_object = |ty: &str| ty.starts_with(['L', '[']);
        match self.term(inner, body, world) {
            Termed::Val(val) if is_object(&val.ty) => {
                let read = Read { start: Start::Operand(0), steps: vec![last] };
                Termed::Read(Some(val), read)
            }
            Termed::Read(val, mut read) if read.steps.last().is_some_and(|s| is_object(s.ty())) => {
                read.steps.push(last);
                Termed::Read(val, read)
            }
            other => other,
        }
    }

    /// A field of, or a call on, what another term is.
    fn step(
        &self,
        inner: &JvmTerm,
        name: &str,
        call: bool,
        body: &Body<'_, '_>,
        world: &KnownTypes<'_>,
    ) -> Termed {
        // Members that the static type does not have, the type that a test has shown may have.
        let shown = |val: &Val| match &self.shown {
            Some((loc, ty)) if *loc == val.loc => Some(ty.clone()),
            _ => None,
        };
        let mut also = None;
        let (val, mut read, ty) = match self.term(inner, body, world) {
            Termed::Val(val) => {
                let ty = val.ty.clone();
                also = shown(&val);
                (Some(val), Read { start: Start::Operand(0), steps: Vec::new() }, ty)
            }
            Termed::Thread => {
                let read = Read { start: Start::Thread, steps: Vec::new() };
                (None, read, "Ljava/lang/Thread;".to_string())
            }
            Termed::Read(val, read) => {
                let ty = read.steps.last().map_or("", Step::ty).to_string();
                (val, read, ty)
            }
            other => return other,
        };
        let unknown = |what: &str| {
            let ty = dotted_type(&ty);
            Termed::Nothing(Some(format!("{ty} has no {what} `{name}` that is known")))
        };
        let Some(owner) = ty.strip_prefix('L').and_then(|t| t.strip_suffix(';')) else {
            return unknown(if call { "method" } else { "field" });
        };
        let resolve = |owner: &str| match call {
            true => world.resolve_getter(owner, name),
            false => world.resolve_field(owner, name),
        };
        let found = resolve(owner).or_else(|| also.as_deref().and_then(resolve));
        let Some((class, member)) = found else {
            return unknown(if call { "method" } else { "field" });
        };
        read.steps.push(Step {
            owner: class.name.clone(),
            name: member.name,
            descriptor: member.descriptor,
        });
        Termed::Read(val, read)
    }
}
