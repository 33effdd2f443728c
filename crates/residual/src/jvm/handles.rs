//! Method handles in the constant pools of classes.

use std::collections::HashSet;

use watchword_classfile::{
    ClassFile, Constant, ConstantPool, Constants, Instruction, MemberName, Opcode,
};

/// The kind and the member of a handle, if a constant is one.
pub fn handle<'a>(pool: &ConstantPool<'a>, index: u16) -> Option<(u8, MemberName<'a>)> {
    match pool.constant(index) {
        Ok(Constant::MethodHandle { kind, reference }) => {
            pool.member(reference).ok().map(|member| (kind, member))
        }
        _ => None,
    }
}

/// The class whose methods make the objects behind lambdas.
pub const LAMBDAS: &str = "java/lang/invoke/LambdaMetafactory";

/// Whether code of a class makes lambdas itself: it calls the factory, or has a reference to it that is
/// not what an instruction is first run by.
pub fn makes_lambdas(class: &ClassFile<'_>) -> bool {
    let pool = class.pool();
    let named = (1..pool.count()).any(|index| {
        matches!(pool.constant(index), Ok(Constant::MethodRef { .. }))
            && pool.member(index).is_ok_and(|member| member.class == LAMBDAS)
    });
    let refers = |index: u16| handle(pool, index).is_some_and(|(_, m)| m.class == LAMBDAS);
    let given = || {
        let mut all = class.bootstrap_methods().into_iter().flatten();
        all.any(|bootstrap| bootstrap.arguments.iter().any(|argument| refers(argument.index)))
    };
    let uses = |i: &Instruction<'_>| {
        i.constant().is_some_and(|index| match i.opcode {
            Opcode::INVOKESTATIC => pool.member(index).is_ok_and(|m| m.class == LAMBDAS),
            Opcode::LDC | Opcode::LDC_W => refers(index),
            _ => false,
        })
    };
    let called = || {
        let mut codes = class.methods().filter_map(|m| m.code().ok().flatten());
        codes.any(|code| code.instructions().flatten().any(|i| uses(&i)))
    };
    named && (given() || called())
}

/// Interfaces that lambdas of a class implement beside the one that they are made as.
pub fn markers(class: &ClassFile<'_>) -> Vec<String> {
    let pool = class.pool();
    let mut all = Vec::new();
    for bootstrap in class.bootstrap_methods().unwrap_or_default() {
        if handle(pool, bootstrap.method).is_none_or(|(_, m)| m.class != LAMBDAS) {
            continue;
        }
        for argument in bootstrap.arguments.iter() {
            if let Ok(Constant::Class { .. }) = pool.constant(argument.index)
                && let Ok(name) = pool.class_name(argument.index)
            {
                all.push(name.to_str().into_owned());
            }
        }
    }
    all
}

/// The handles of a class, apart from those that lambdas and method references are made of.
pub fn others<'a>(class: &ClassFile<'a>) -> Vec<(u8, MemberName<'a>)> {
    let pool = class.pool();
    let mut plain: HashSet<u16> = HashSet::new();
    let mut other: HashSet<u16> = HashSet::new();
    for bootstrap in class.bootstrap_methods().unwrap_or_default() {
        let lambda = handle(pool, bootstrap.method).is_some_and(|(_, m)| m.class == LAMBDAS);
        for (at, argument) in bootstrap.arguments.iter().enumerate() {
            if lambda && at == 1 { &mut plain } else { &mut other }.insert(argument.index);
        }
    }
    // Code may load a handle as it is.
    let loads = class.methods().filter_map(|m| m.code().ok().flatten());
    for code in loads.filter(|_| !plain.is_empty()) {
        let load = |i: &Instruction<'_>| matches!(i.opcode, Opcode::LDC | Opcode::LDC_W);
        let loaded = code.instructions().flatten().filter(load);
        other.extend(loaded.filter_map(|i| i.constant()));
    }
    let counts = |index: &u16| other.contains(index) || !plain.contains(index);
    (1..pool.count()).filter(counts).filter_map(|index| handle(pool, index)).collect()
}
