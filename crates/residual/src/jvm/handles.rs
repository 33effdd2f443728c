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

/// The handles of a class, apart from those that lambdas and method references are made of.
pub fn others<'a>(class: &ClassFile<'a>) -> Vec<(u8, MemberName<'a>)> {
    let pool = class.pool();
    let mut plain: HashSet<u16> = HashSet::new();
    let mut other: HashSet<u16> = HashSet::new();
    for bootstrap in class.bootstrap_methods().unwrap_or_default() {
        let lambda = handle(pool, bootstrap.method)
            .is_some_and(|(_, m)| m.class == "java/lang/invoke/LambdaMetafactory");
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
