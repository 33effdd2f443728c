//! Where the System V convention for x86-64 puts arguments and results, from their types alone.
//!
//! At the first instruction of a function this is the truth at every optimisation level (clones
//! that changed their parameters aside), while the locations in the debug information are only
//! valid after the prologue. One limit: clang at -O1 and above may leave unset what the callee
//! never reads; such an argument is whatever the register held.

use crate::error::Result;
use crate::info::{Kind, Lazy, Place, Type};

/// DWARF numbers of the integer argument registers, in order.
const INTEGER: [u16; 6] = [5, 4, 1, 2, 8, 9];
/// DWARF number of the first vector register.
const VECTOR: u16 = 17;

/// Where an argument is, relative to the registers at the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// In registers, eight bytes each, by DWARF number.
    Registers(Vec<u16>),
    /// On the stack, this far above the return address.
    Stack(u64),
    /// Passed by invisible reference; the address itself is there.
    Indirect(Box<Argument>),
}

/// Where a result is after the return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Returned {
    Nothing,
    /// In registers, eight bytes each, by DWARF number.
    Registers(Vec<u16>),
    /// In memory whose address is in the first result register.
    Memory,
    /// On the floating-point stack.
    Float80,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Empty,
    Integer,
    Vector,
    Memory,
}

/// Places of the arguments of a function returning `result`. Rust passes what is larger than two
/// words by invisible reference, where C copies it onto the stack.
pub(crate) fn arguments(
    parameters: &[Lazy],
    result: &Lazy,
    is_rust: bool,
) -> Result<Vec<Argument>> {
    let mut integers = 0usize;
    let mut vectors = 0u16;
    let mut stack = 0u64;
    // The address for a result in memory goes first.
    if matches!(returned(&*result.get()?)?, Returned::Memory) {
        integers = 1;
    }
    let mut places = Vec::new();
    for parameter in parameters {
        let ty = parameter.get()?;
        let by_reference = is_by_reference(&ty, 0);
        let is_large =
            ty.size > 16 && matches!(ty.kind, Kind::Structure { .. } | Kind::Array { .. });
        if by_reference || (is_rust && is_large) {
            let place = next_word(&mut integers, &mut stack);
            places.push(Argument::Indirect(Box::new(place)));
            continue;
        }
        let classes = classify(&ty)?;
        let wanted = |c: Class| classes.iter().filter(|x| **x == c).count();
        let fits = !classes.contains(&Class::Memory)
            && !classes.is_empty()
            && integers + wanted(Class::Integer) <= INTEGER.len()
            && vectors as usize + wanted(Class::Vector) <= 8;
        if !fits {
            let align = if alignment(&ty, 0)? > 8 { 16 } else { 8 };
            stack = stack.next_multiple_of(align);
            places.push(Argument::Stack(stack));
            stack += ty.size.next_multiple_of(8);
            continue;
        }
        let mut registers = Vec::new();
        for class in classes {
            if class == Class::Vector {
                registers.push(VECTOR + vectors);
                vectors += 1;
            } else {
                registers.push(INTEGER[integers]);
                integers += 1;
            }
        }
        places.push(Argument::Registers(registers));
    }
    Ok(places)
}

/// The arguments that Go passes on the stack: how far above the return address. Go has nine registers for
/// numbers and addresses, and fifteen for floating-point numbers; what does not fit as a whole is on the
/// stack, in order.
pub(crate) fn go_stack(parameters: &[Lazy]) -> Result<Vec<Option<u64>>> {
    let (mut used, mut stack) = ((0, 0), 0u64);
    let mut places = Vec::new();
    for parameter in parameters {
        let ty = parameter.get()?;
        let mut with = used;
        if fits_in_go(&ty, &mut with, 0)? && with.0 <= 9 && with.1 <= 15 {
            used = with;
            places.push(None);
            continue;
        }
        stack = stack.next_multiple_of(alignment(&ty, 0)?.max(1));
        places.push(Some(stack));
        stack += ty.size;
    }
    Ok(places)
}

/// Whether a type of Go may be in registers; counts them.
fn fits_in_go(ty: &Type, used: &mut (usize, usize), depth: u32) -> Result<bool> {
    match &ty.kind {
        _ if depth > 16 => return Ok(false),
        Kind::Structure { members, .. } => {
            for member in members {
                if !fits_in_go(&*member.ty.get()?, used, depth + 1)? {
                    return Ok(false);
                }
            }
        }
        Kind::Array { count: 0, .. } => {}
        Kind::Array { element, count: 1 } => return fits_in_go(&*element.get()?, used, depth + 1),
        Kind::Array { .. } => return Ok(false),
        Kind::Float => used.1 += 1,
        _ => used.0 += ty.size.div_ceil(8) as usize,
    }
    Ok(true)
}

fn next_word(integers: &mut usize, stack: &mut u64) -> Argument {
    if *integers < INTEGER.len() {
        *integers += 1;
        Argument::Registers(vec![INTEGER[*integers - 1]])
    } else {
        *stack += 8;
        Argument::Stack(*stack - 8)
    }
}

/// Where a value of this type is returned.
pub(crate) fn returned(ty: &Type) -> Result<Returned> {
    if matches!(ty.kind, Kind::Void) || ty.size == 0 {
        return Ok(Returned::Nothing);
    }
    if matches!(ty.kind, Kind::Float) && ty.size == 16 {
        return Ok(Returned::Float80);
    }
    if is_by_reference(ty, 0) {
        return Ok(Returned::Memory);
    }
    let classes = classify(ty)?;
    if classes.contains(&Class::Memory) {
        return Ok(Returned::Memory);
    }
    let (mut integers, mut vectors) = ([0u16, 1].into_iter(), [VECTOR, VECTOR + 1].into_iter());
    let registers = classes
        .iter()
        .filter_map(|c| if *c == Class::Vector { vectors.next() } else { integers.next() })
        .collect();
    Ok(Returned::Registers(registers))
}

/// Whether values are passed by invisible reference: a C++ class has a say in their copying, or one
/// that they contain does.
fn is_by_reference(ty: &Type, depth: u32) -> bool {
    match &ty.kind {
        Kind::Structure { by_reference: true, .. } => true,
        Kind::Structure { members, .. } if depth < 16 => members.iter().any(|m| {
            // Classes with virtual methods have constructors that know of them.
            m.name.starts_with("_vptr") || m.ty.get().is_ok_and(|t| is_by_reference(&t, depth + 1))
        }),
        Kind::Array { element, .. } if depth < 16 => {
            element.get().is_ok_and(|t| is_by_reference(&t, depth + 1))
        }
        _ => false,
    }
}

/// One class per eight bytes; a single `Memory` for what does not go into registers.
fn classify(ty: &Type) -> Result<Vec<Class>> {
    if ty.size > 16 || (matches!(ty.kind, Kind::Float) && ty.size > 8) {
        return Ok(vec![Class::Memory]);
    }
    let words = ty.size.div_ceil(8) as usize;
    let mut classes = vec![Class::Empty; words];
    merge(ty, 0, &mut classes, 0)?;
    if classes.contains(&Class::Memory) {
        return Ok(vec![Class::Memory]);
    }
    for c in &mut classes {
        if *c == Class::Empty {
            *c = Class::Vector;
        }
    }
    Ok(classes)
}

fn merge(ty: &Type, offset: u64, classes: &mut [Class], depth: u32) -> Result<()> {
    let mut put = |at: u64, class: Class| {
        if let Some(c) = classes.get_mut((at / 8) as usize) {
            *c = match (*c, class) {
                (Class::Memory, _) | (_, Class::Memory) => Class::Memory,
                (Class::Empty, x) => x,
                (Class::Integer, _) | (_, Class::Integer) => Class::Integer,
                _ => Class::Vector,
            };
        }
    };
    match &ty.kind {
        Kind::Float if ty.size > 8 => put(offset, Class::Memory),
        Kind::Float => put(offset, Class::Vector),
        // One of a word is an address that may be missing.
        Kind::Structure { variants: Some(_), .. } => put(offset, Class::Integer),
        Kind::Structure { members, .. } => {
            for m in members {
                if depth < 16 {
                    merge(&*m.ty.get()?, offset.saturating_add(m.offset), classes, depth + 1)?;
                }
            }
        }
        Kind::Array { element, count } => {
            let element = element.get()?;
            for i in 0..(*count).min(16) {
                let at = offset.saturating_add(i.saturating_mul(element.size));
                if depth < 16 {
                    merge(&element, at, classes, depth + 1)?;
                }
            }
        }
        Kind::Void => {}
        _ => {
            put(offset, Class::Integer);
            if ty.size > 8 {
                put(offset.saturating_add(8), Class::Integer);
            }
        }
    }
    Ok(())
}

fn alignment(ty: &Type, depth: u32) -> Result<u64> {
    Ok(match &ty.kind {
        Kind::Structure { members, .. } if depth < 16 => {
            let mut most = 1;
            for m in members {
                most = most.max(alignment(&*m.ty.get()?, depth + 1)?);
            }
            most
        }
        Kind::Array { element, .. } if depth < 16 => alignment(&*element.get()?, depth + 1)?,
        _ => ty.size.clamp(1, 16),
    })
}

impl Argument {
    /// The place, given the stack pointer at the entry and a way to read a register or word.
    pub(crate) fn place(
        &self,
        sp: u64,
        size: u64,
        read: &dyn Fn(&Place) -> Option<u64>,
    ) -> Option<Place> {
        Some(match self {
            Argument::Stack(offset) => Place::Memory(sp.wrapping_add(8).wrapping_add(*offset)),
            Argument::Registers(one) if one.len() == 1 => Place::Register(one[0]),
            Argument::Registers(many) => pieces(many, size),
            Argument::Indirect(inner) => Place::Memory(read(&inner.place(sp, 8, read)?)?),
        })
    }
}

/// A value spread over registers, eight bytes in each.
pub(crate) fn pieces(registers: &[u16], size: u64) -> Place {
    let mut left = size;
    let parts = registers
        .iter()
        .map(|r| {
            let n = left.min(8);
            left -= n;
            (Some(Place::Register(*r)), n)
        })
        .collect();
    Place::Pieces(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::Member;
    use std::rc::Rc;

    fn ty(size: u64, kind: Kind) -> Lazy {
        Lazy::Known(Rc::new(Type { name: "t".into(), size, kind }))
    }
    fn int() -> Lazy {
        ty(4, Kind::Integer { signed: true })
    }
    fn double() -> Lazy {
        ty(8, Kind::Float)
    }
    fn structure(size: u64, members: &[(u64, Lazy)]) -> Lazy {
        let members = members
            .iter()
            .map(|(offset, ty)| Member {
                name: "m".into(),
                offset: *offset,
                bits: None,
                ty: ty.clone(),
                is_transparent: false,
            })
            .collect();
        ty(size, Kind::Structure { members, is_union: false, by_reference: false, variants: None })
    }

    #[test]
    fn as_the_document_says() {
        // The example of the ABI document: struct { int a, b; double d; }.
        let s = structure(16, &[(0, int()), (4, int()), (8, double())]);
        let places = arguments(
            &[int(), int(), s, int(), int(), ty(16, Kind::Float), double(), double(), int(), int()],
            &Lazy::void(),
            false,
        )
        .unwrap();
        let r = |n: &[u16]| Argument::Registers(n.to_vec());
        assert_eq!(
            places,
            [
                r(&[5]),
                r(&[4]),
                r(&[1, 17]),
                r(&[2]),
                r(&[8]),
                Argument::Stack(0),
                r(&[18]),
                r(&[19]),
                r(&[9]),
                Argument::Stack(16),
            ]
        );
    }

    #[test]
    fn results() {
        let r = |l: &Lazy| returned(&l.get().unwrap()).unwrap();
        assert_eq!(r(&Lazy::void()), Returned::Nothing);
        assert_eq!(r(&int()), Returned::Registers(vec![0]));
        assert_eq!(r(&double()), Returned::Registers(vec![17]));
        let mixed = structure(16, &[(0, double()), (8, int())]);
        assert_eq!(r(&mixed), Returned::Registers(vec![17, 0]));
        let large = structure(24, &[(0, double()), (8, int()), (16, int())]);
        assert_eq!(r(&large), Returned::Memory);
        // A large result moves the arguments by one register.
        assert_eq!(arguments(&[int()], &large, false).unwrap(), [Argument::Registers(vec![4])]);
        // As an argument it is on the stack in C, and behind a pointer in Rust.
        let places =
            |is_rust| arguments(std::slice::from_ref(&large), &Lazy::void(), is_rust).unwrap();
        assert_eq!(places(false), [Argument::Stack(0)]);
        assert_eq!(places(true), [Argument::Indirect(Box::new(Argument::Registers(vec![5])))]);
    }
}
