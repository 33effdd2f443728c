//! Bodies for fuzzing: whatever the bytes, they must return.

use std::rc::Rc;

use crate::error::{Error, ErrorKind, Result};
use crate::info::{DebugInfo, FrameRegisters, Kind, Lazy, Machine, Type, Variable};

/// Looks at everything a file claims to contain.
pub fn debug_info(bytes: &[u8]) {
    let Ok(info) = DebugInfo::parse(bytes) else { return };
    let _ = info.similar_names("main", 3);
    let _ = info.functions_named("main");
    let _ = info.type_named("node");
    let _ = info.enumerator("GREEN");
    for v in info.globals().iter().take(200) {
        variable(&info, v, 0);
    }
    for function in info.functions().iter().take(200) {
        for instance in function.instances.iter().take(4) {
            let pc = instance.entry;
            let _ = info.after_prologue(instance);
            let _ = info.line_at(pc);
            let _ = info.inlined_at(pc);
            let _ = info.is_rust(instance);
            let _ = info.is_variadic(instance);
            follow(&info.return_type(instance), 0);
            let parameters = info.parameters(instance);
            let types: Vec<Lazy> = parameters.iter().map(|p| p.ty.clone()).collect();
            let _ = crate::abi::arguments(&types, &info.return_type(instance), false);
            for at in [pc, pc.wrapping_add(5), pc.wrapping_add(20)] {
                for v in info.variables_at(instance, at).iter().take(50) {
                    variable(&info, v, at);
                }
                let registers = FrameRegisters::zero();
                let _ = info.unwind(at, &registers, &|a| Ok(a ^ 0x5a5a));
            }
        }
    }
    let files: Vec<String> = info.source_files().iter().map(|f| f.to_string()).collect();
    for file in files.iter().take(20) {
        let _ = info.addresses_of_line(file, 10);
    }
}

/// Parses an expression.
pub fn expression(bytes: &[u8]) {
    let _ = crate::expr::parse(&String::from_utf8_lossy(bytes));
}

fn variable(info: &Rc<DebugInfo>, v: &Variable, pc: u64) {
    follow(&v.ty, 0);
    if let Some(location) = &v.location {
        let _ = info.locate(v.unit, location, v.frame_base.as_ref(), pc, &Nowhere);
    }
}

fn follow(lazy: &Lazy, depth: u32) {
    if depth > 4 {
        return;
    }
    let Ok(ty): Result<Rc<Type>> = lazy.get() else { return };
    let _ = crate::abi::returned(&ty);
    match &ty.kind {
        Kind::Pointer(t) | Kind::Reference(t) | Kind::Array { element: t, .. } => {
            follow(t, depth + 1);
        }
        Kind::Structure { members, .. } => {
            let _ = ty.member("key");
            for m in members.iter().take(20) {
                follow(&m.ty, depth + 1);
            }
        }
        _ => {}
    }
}

/// A machine on which everything is somewhere.
struct Nowhere;

impl Machine for Nowhere {
    fn register(&self, number: u16) -> Option<u64> {
        (number < 16).then_some(u64::from(number) << 40)
    }

    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<()> {
        if address.is_multiple_of(7) {
            return Err(Error::new(ErrorKind::Memory, "unreadable"));
        }
        buffer.fill(address as u8);
        Ok(())
    }

    fn cfa(&self) -> Result<u64> {
        Ok(0x7fff_0000)
    }

    fn bias(&self) -> u64 {
        0x5555_0000_0000
    }

    fn thread_pointer(&self) -> u64 {
        0x7f00_0000
    }

    fn entry_register(&self, number: u16) -> Option<u64> {
        number.is_multiple_of(2).then_some(1)
    }
}
