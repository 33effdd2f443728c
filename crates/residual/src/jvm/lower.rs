//! Bytecode to bodies: one node per instruction, stack slots as variables.

use watchword_classfile::cfg::can_throw;
use watchword_classfile::simulate::{StackKinds, effect, has_receiver};
use watchword_classfile::{
    Cfg, ClassFile, Code, Constants, Flags, Instruction, Kind, Member, MethodDescriptor,
    NamedClass, Opcode, Operand as Bytes, Result, access,
};

use super::select::{Found, Term};
use crate::body::{
    Body, Call, ClassName, EventAt, FieldId, Node, NodeId, Op, Operand, Source, Var,
};

/// What lowering asks for names.
pub trait Names {
    /// The number of a class.
    fn class(&self, name: &str) -> ClassName;
    /// The number of a field, by the class the instruction names.
    fn field(&self, class: &str, name: &str, descriptor: &str) -> FieldId;
    /// The number of what an instruction calls.
    fn target(&self, target: Target) -> u32;
    /// A number that was found for a key in a class before, or is now.
    fn linked(
        &self,
        _class: &ClassFile<'_>,
        _key: u32,
        find: &dyn Fn() -> Result<u32>,
    ) -> Result<u32> {
        find()
    }
}

/// What an instruction calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A method by name.
    Method {
        /// Internal name of the class the instruction names.
        class: String,
        /// The name.
        name: String,
        /// The descriptor.
        descriptor: String,
        /// Whether the receiver's class decides.
        dispatched: bool,
    },
    /// A concatenation of strings.
    Concat,
    /// Makes an object whose one method runs this method: a lambda, a method reference.
    Lambda {
        /// Internal name of the class the handle names.
        class: String,
        /// The name.
        name: String,
        /// The descriptor.
        descriptor: String,
        /// The kind of handle, as the class file has it.
        kind: u8,
        /// The class by which a call in its place names the method.
        named: NamedClass,
        /// Whether serialisation may read what it captures.
        serialisable: bool,
    },
    /// Any other dynamic call.
    Dynamic,
}

/// The body of a method, with the events that happen in it; the number beside each is its site.
pub fn lower(
    method: Member<'_, '_>,
    found: &[(u32, Found)],
    names: &dyn Names,
) -> Result<Option<Body>> {
    let Some(code) = method.code()? else { return Ok(None) };
    let class = method.class();
    let pool = class.pool();
    let cfg = Cfg::of(&code, pool)?;
    let kinds = StackKinds::of(&code, pool)?;
    let instructions = cfg.instructions();
    let locals = code.max_locals;
    let monitors = instructions.iter().any(|i| i.opcode.is(Flags::MONITOR));
    let mut index_at = vec![u32::MAX; code.bytecode.len() + 1];
    for (index, instruction) in instructions.iter().enumerate() {
        index_at[instruction.offset as usize] = index as NodeId;
    }
    let mut nodes = Vec::with_capacity(instructions.len());
    for block in cfg.blocks() {
        for instruction in &instructions[block.instructions.clone()] {
            let mut next: Vec<NodeId> =
                instruction.targets().map(|t| index_at[t as usize]).collect();
            if instruction.falls_through() {
                next.push(index_at[instruction.end() as usize]);
            }
            next.sort_unstable();
            next.dedup();
            let throws = can_throw(instruction, monitors, pool)?;
            let mut handlers = Vec::new();
            if throws {
                let starts = block.handlers.iter().map(|h| cfg.block(h.to).instructions.start);
                handlers.extend(starts.map(|start| start as NodeId));
                handlers.dedup();
            }
            let caught = block.handlers.last().is_some_and(|h| h.catch_type == 0);
            let mut node = Node {
                op: Op::Move(Vec::new()),
                next,
                handlers,
                throws_out: throws && !caught,
                clears: 0..0,
                live: !0,
                events: Vec::new(),
                offset: instruction.offset,
                initialises: initialises(class, instruction),
            };
            match kinds.before(instruction.offset) {
                Some(stack) => operate(&mut node, class, instruction, stack, locals, names)?,
                None => {
                    node.next.clear();
                    node.handlers.clear();
                }
            }
            nodes.push(node);
        }
    }
    for (site, found) in found {
        let Some(index) = index_at.get(found.offset as usize).filter(|i| **i != u32::MAX) else {
            continue;
        };
        let node = &mut nodes[*index as usize];
        let operands = found.terms.iter().map(|term| operand(&node.op, *term)).collect();
        node.events.push(EventAt {
            site: *site,
            letter: found.letter,
            when: found.when,
            operands,
            certain: found.certain,
        });
    }
    let params = params(method, locals)?;
    let vars = usize::from(locals) + usize::from(code.max_stack) + 1;
    let mut body = Body { vars, params, nodes, stack: locals };
    live(&mut body, instructions, locals);
    Ok(Some(body))
}

/// Whether an instruction may run the initialiser of a class of the program other than its own.
fn initialises(class: &ClassFile<'_>, instruction: &Instruction<'_>) -> bool {
    let pool = class.pool();
    let index = instruction.constant().unwrap_or(0);
    let named = match instruction.opcode {
        Opcode::NEW => pool.class_name(index),
        Opcode::GETSTATIC | Opcode::PUTSTATIC | Opcode::INVOKESTATIC => {
            pool.member(index).map(|member| member.class)
        }
        _ => return false,
    };
    let own = class.name();
    !named
        .is_ok_and(|name| own.is_ok_and(|own| own == name) || name.as_bytes().starts_with(b"java/"))
}

/// The variables of the arguments.
fn params(method: Member<'_, '_>, locals: u16) -> Result<Vec<Option<Var>>> {
    let mut params = Vec::new();
    let mut slot = 0;
    if !method.has_access(access::STATIC) {
        params.push(Some(0));
        slot = 1;
    }
    for param in MethodDescriptor::parse(method.descriptor()?)?.parameters() {
        params.push((param.kind() == Kind::Reference && slot < locals).then_some(slot));
        slot += param.slots();
    }
    Ok(params)
}

fn operand(op: &Op, term: Term) -> Operand {
    let Op::Call(call) = op else { return Operand::Unknown };
    let var = |index: usize| {
        call.args.get(index).copied().flatten().map_or(Operand::Unknown, Operand::Var)
    };
    match term {
        Term::Receiver => var(0),
        Term::Arg(n) => var(n as usize + usize::from(call.has_receiver)),
        Term::Result if call.result.is_some() => Operand::Result,
        _ => Operand::Unknown,
    }
}

/// Fills in what an instruction does.
fn operate(
    node: &mut Node,
    class: &ClassFile<'_>,
    instruction: &Instruction<'_>,
    stack: &[Kind],
    locals: u16,
    names: &dyn Names,
) -> Result<()> {
    let pool = class.pool();
    let opcode = instruction.opcode;
    let height = stack.len();
    let slot = |index: usize| locals + index as Var;
    if opcode.is(Flags::SHUFFLE) {
        node.op = Op::Move(shuffle(opcode, stack, &slot));
        return Ok(());
    }
    let effect = effect(instruction, pool)?;
    let base = height.saturating_sub(effect.pops.len());
    let top = slot(height.saturating_sub(1));
    let pushes_reference = effect.push == Some(Kind::Reference);
    let push = |source: Source| {
        // What was popped above the result is gone.
        let mut moves = vec![(slot(base), source)];
        moves.extend((base + 1..height).map(|i| (slot(i), Source::Nothing)));
        Op::Move(moves)
    };
    if opcode.is(Flags::LOAD) && !opcode.is(Flags::ARRAY) {
        let source = match pushes_reference {
            true => Source::Var(instruction.local().unwrap_or(0)),
            false => Source::Nothing,
        };
        node.op = push(source);
        return Ok(());
    }
    if opcode.is(Flags::STORE) && !opcode.is(Flags::ARRAY) {
        let local = instruction.local().unwrap_or(0);
        let kind = effect.pops.last().copied();
        let mut moves = match kind {
            Some(Kind::Reference) => vec![(local, Source::Var(top)), (top, Source::Nothing)],
            _ => vec![(local, Source::Nothing)],
        };
        if kind.is_some_and(|k| k.slots() == 2) && local + 1 < locals {
            moves.push((local + 1, Source::Nothing));
        }
        node.op = Op::Move(moves);
        return Ok(());
    }
    if opcode.is(Flags::INVOKE) {
        let index = instruction.constant().unwrap_or(0);
        let receiver = has_receiver(opcode);
        let dispatched = matches!(opcode, Opcode::INVOKEVIRTUAL | Opcode::INVOKEINTERFACE);
        let target = names.linked(class, u32::from(index) << 1 | u32::from(dispatched), &|| {
            if opcode == Opcode::INVOKEDYNAMIC {
                return Ok(names.target(dynamic(class, index)));
            }
            let member = pool.member(index)?;
            Ok(names.target(Target::Method {
                class: member.class.to_str().into_owned(),
                name: member.name.to_str().into_owned(),
                descriptor: member.descriptor.to_str().into_owned(),
                dispatched,
            }))
        })?;
        let args = effect.pops.iter().enumerate();
        let args = args.map(|(i, k)| (*k == Kind::Reference).then_some(slot(base + i))).collect();
        node.op = Op::Call(Call {
            target,
            args,
            result: pushes_reference.then_some(slot(base)),
            dispatched,
            has_receiver: receiver,
        });
        node.clears = slot(base)..slot(height);
        return Ok(());
    }
    if opcode.is(Flags::FIELD) {
        let index = instruction.constant().unwrap_or(0);
        let field = || -> Result<FieldId> {
            let find = || {
                let member = pool.member(index)?;
                let (class, name) = (member.class.to_str(), member.name.to_str());
                Ok(names.field(&class, &name, &member.descriptor.to_str()).0)
            };
            names.linked(class, u32::from(index) << 1, &find).map(FieldId)
        };
        let reads = matches!(opcode, Opcode::GETFIELD | Opcode::GETSTATIC);
        if reads && pushes_reference {
            node.op = Op::Load(slot(base), field()?);
        } else if !reads && effect.pops.last() == Some(&Kind::Reference) {
            node.op = Op::Store(top, field()?);
            node.clears = slot(base)..slot(height);
        } else {
            node.clears = slot(base)..slot(height);
        }
        return Ok(());
    }
    node.op = match opcode {
        Opcode::NEW => {
            let name = pool.class_name(instruction.constant().unwrap_or(0))?;
            Op::New(slot(base), names.class(&name.to_str()))
        }
        Opcode::ACONST_NULL => push(Source::Null),
        Opcode::CHECKCAST => {
            let name = pool.class_name(instruction.constant().unwrap_or(0))?;
            Op::Move(vec![(top, Source::Cast(top, names.class(&name.to_str())))])
        }
        Opcode::AALOAD => push(Source::Element(slot(base))),
        Opcode::AASTORE => {
            node.clears = slot(base)..slot(height);
            Op::Leak(vec![top], "stored in an array", Some(slot(base)))
        }
        Opcode::ARETURN => Op::Return(Some(top)),
        Opcode::ATHROW => Op::Throw(top),
        _ if opcode.is(Flags::RETURN) => Op::Return(None),
        Opcode::ANEWARRAY => {
            let name = pool.class_name(instruction.constant().unwrap_or(0))?.to_str();
            let array = match name.starts_with('[') {
                true => format!("[{name}"),
                false => format!("[L{name};"),
            };
            push(Source::Array(names.class(&array)))
        }
        Opcode::NEWARRAY | Opcode::MULTIANEWARRAY => push(Source::Constant),
        Opcode::LDC | Opcode::LDC_W if is_plain(pool, instruction) => push(Source::Constant),
        _ if pushes_reference => push(Source::Unknown("not a new object")),
        _ if effect.push.is_some() => push(Source::Nothing),
        _ => {
            node.clears = slot(base)..slot(height);
            Op::Move(Vec::new())
        }
    };
    if let Bytes::Increment { .. } = instruction.operand {
        node.clears = 0..0;
    }
    Ok(())
}

/// Whether a constant is a text or a class, not something computed.
fn is_plain(pool: &watchword_classfile::ConstantPool<'_>, instruction: &Instruction<'_>) -> bool {
    use watchword_classfile::Constant;
    let constant = instruction.constant().and_then(|index| pool.constant(index).ok());
    matches!(constant, Some(Constant::String { .. } | Constant::Class { .. }))
}

fn dynamic(class: &ClassFile<'_>, index: u16) -> Target {
    lambda(class, index).unwrap_or_else(|| concatenation(class, index))
}

/// The method that a lambda or a method reference runs.
pub(crate) fn lambda(class: &ClassFile<'_>, index: u16) -> Option<Target> {
    use watchword_classfile::Constant;
    let pool = class.pool();
    let (bootstrap, _, made) = pool.dynamic(index).ok()?;
    let methods = class.bootstrap_methods().ok()?;
    let bootstrap = methods.get(usize::from(bootstrap))?;
    let member = |handle: u16| match pool.constant(handle).ok()? {
        Constant::MethodHandle { kind, reference } => {
            pool.member(reference).ok().map(|member| (kind, member))
        }
        _ => None,
    };
    let factory = member(bootstrap.method)?.1;
    if factory.class != "java/lang/invoke/LambdaMetafactory" {
        return None;
    }
    // The other method, `metafactory`, makes nothing that can be serialised.
    let serialisable = factory.name == "altMetafactory";
    let (kind, member) = member(bootstrap.arguments.get(1)?.index)?;
    let instantiated = match pool.constant(bootstrap.arguments.get(2)?.index).ok()? {
        Constant::MethodType { descriptor } => pool.utf8(descriptor).ok()?,
        _ => return None,
    };
    Some(Target::Lambda {
        named: NamedClass::of(kind, member.class, made, instantiated),
        class: member.class.to_str().into_owned(),
        name: member.name.to_str().into_owned(),
        descriptor: member.descriptor.to_str().into_owned(),
        kind,
        serialisable,
    })
}

fn concatenation(class: &ClassFile<'_>, index: u16) -> Target {
    let concat = || {
        let (bootstrap, _, _) = class.pool().dynamic(index).ok()?;
        let methods = class.bootstrap_methods().ok()?;
        let handle = methods.get(usize::from(bootstrap))?.method;
        let watchword_classfile::Constant::MethodHandle { reference, .. } =
            class.pool().constant(handle).ok()?
        else {
            return None;
        };
        let member = class.pool().member(reference).ok()?;
        Some(member.class == "java/lang/invoke/StringConcatFactory")
    };
    if concat() == Some(true) { Target::Concat } else { Target::Dynamic }
}

/// `dup` and kin: what each slot holds afterwards.
fn shuffle(opcode: Opcode, stack: &[Kind], slot: &dyn Fn(usize) -> Var) -> Vec<(Var, Source)> {
    let take = |end: usize, slots: u16| {
        let (mut start, mut left) = (end, i32::from(slots));
        while left > 0 && start > 0 {
            start -= 1;
            left -= i32::from(stack[start].slots());
        }
        start
    };
    let (top, below) = match opcode {
        Opcode::POP | Opcode::DUP => (1, 0),
        Opcode::POP2 | Opcode::DUP2 => (2, 0),
        Opcode::DUP_X1 | Opcode::SWAP => (1, 1),
        Opcode::DUP_X2 => (1, 2),
        Opcode::DUP2_X1 => (2, 1),
        _ => (2, 2),
    };
    let middle = take(stack.len(), top);
    let bottom = take(middle, below);
    let (above, under): (Vec<usize>, Vec<usize>) =
        ((middle..stack.len()).collect(), (bottom..middle).collect());
    let after: Vec<usize> = match opcode {
        Opcode::POP | Opcode::POP2 => Vec::new(),
        Opcode::SWAP => above.iter().chain(&under).copied().collect(),
        _ => above.iter().chain(&under).chain(&above).copied().collect(),
    };
    let mut moves: Vec<(Var, Source)> = after
        .iter()
        .enumerate()
        .map(|(i, from)| (slot(bottom + i), Source::Var(slot(*from))))
        .collect();
    moves.extend((bottom + after.len()..stack.len()).map(|i| (slot(i), Source::Nothing)));
    moves
}

/// Which of the first 64 variables may still be read: references that are loaded before they are
/// overwritten. Stack slots always count.
fn live(body: &mut Body, instructions: &[Instruction<'_>], locals: u16) {
    let count = body.nodes.len();
    let stack_bits = if locals >= 64 { 0 } else { !0u64 << locals };
    let bit =
        |local: Option<u16>| local.filter(|l| *l < 64 && *l < locals).map_or(0, |l| 1u64 << l);
    let mut before = vec![0u64; count];
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (index, node) in body.nodes.iter().enumerate() {
        for to in node.next.iter().chain(&node.handlers) {
            users[*to as usize].push(index as u32);
        }
    }
    let mut work: Vec<u32> = (0..count as u32).collect();
    while let Some(index) = work.pop() {
        let node = &body.nodes[index as usize];
        let instruction = &instructions[index as usize];
        let simple = !instruction.opcode.is(Flags::ARRAY);
        let (mut reads, mut writes) = (0, 0);
        if simple && instruction.opcode.is(Flags::LOAD) {
            reads = bit(instruction.local());
        } else if simple && instruction.opcode.is(Flags::STORE) {
            writes = bit(instruction.local());
        }
        let after = node.next.iter().fold(0, |set, n| set | before[*n as usize]);
        let thrown = node.handlers.iter().fold(0, |set, n| set | before[*n as usize]);
        let now = reads | after & !writes | thrown;
        if now != before[index as usize] {
            before[index as usize] = now;
            work.extend(&users[index as usize]);
        }
    }
    for (node, live) in body.nodes.iter_mut().zip(before) {
        node.live = live | stack_bits;
    }
}

/// The line of a bytecode offset.
pub fn line(code: &Code<'_>, class: &ClassFile<'_>, offset: u32) -> Option<u32> {
    let lines = code.line_numbers(class.pool()).ok()?;
    let found = lines.iter().filter(|l| u32::from(l.start) <= offset).max_by_key(|l| l.start)?;
    Some(u32::from(found.line))
}
