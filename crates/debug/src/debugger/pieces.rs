//! Values that are in several places: the pieces have to cover them.

use crate::error::Result;
use crate::info::{Kind, Place, Type, optimized_out};

type Piece = (Option<Place>, u64);

/// The pieces of a value, so that each begins where the one before ends. Go's compiler leaves out the
/// space between fields; others leave out what is after the last one. An error if something else is
/// missing, because then it is not known which parts the pieces are.
pub(super) fn complete(ty: &Type, parts: Vec<Piece>) -> Result<Vec<Piece>> {
    let total: u64 = parts.iter().map(|(_, size)| size).sum();
    let mut fields = Vec::new();
    if total >= ty.size || !collect(ty, 0, &mut fields) {
        return Ok(parts);
    }
    let end = fields.last().map_or(0, |(start, size)| start + size);
    let is_each = fields.len() == parts.len() && fields.iter().zip(&parts).all(|(f, p)| f.1 == p.1);
    if !is_each {
        return if total >= end { Ok(parts) } else { Err(optimized_out()) };
    }
    let mut spaced = Vec::new();
    let mut at = 0;
    for ((start, size), part) in fields.into_iter().zip(parts) {
        if at < start {
            spaced.push((Some(Place::Value(Vec::new())), start - at));
        }
        spaced.push(part);
        at = start + size;
    }
    Ok(spaced)
}

/// The numbers and pointers of a type, in order: where each begins, and its size. `false` if they
/// depend on the value.
fn collect(ty: &Type, start: u64, into: &mut Vec<(u64, u64)>) -> bool {
    const MANY: usize = 64;
    match &ty.kind {
        Kind::Structure { members, is_union: false, variants: None, .. } => {
            members.iter().all(|m| {
                m.bits.is_none() && m.ty.get().is_ok_and(|t| collect(&t, start + m.offset, into))
            })
        }
        Kind::Structure { .. } => false,
        Kind::Array { element, count } => element.get().is_ok_and(|element| {
            (0..*count).all(|i| collect(&element, start + i * element.size, into))
        }),
        _ => {
            into.push((start, ty.size));
            into.len() <= MANY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::{Lazy, Member};
    use std::rc::Rc;

    /// `struct { int a; double b; int c; }`
    fn structure() -> Type {
        let member = |offset, ty: Rc<Type>| Member {
            name: "m".into(),
            offset,
            bits: None,
            ty: Lazy::Known(ty),
            is_transparent: false,
        };
        let int = || Type::integer("int", 4, true);
        let members =
            vec![member(0, int()), member(8, Type::integer("long", 8, true)), member(16, int())];
        let kind =
            Kind::Structure { members, is_union: false, by_reference: false, variants: None };
        Type { name: "s".into(), size: 24, kind }
    }

    fn sizes(parts: &[u64]) -> Option<Vec<u64>> {
        let parts = parts.iter().map(|size| (Some(Place::Register(0)), *size)).collect();
        complete(&structure(), parts).ok().map(|p| p.into_iter().map(|(_, size)| size).collect())
    }

    #[test]
    fn space_between_fields_is_added() {
        assert_eq!(sizes(&[4, 8, 4]), Some(vec![4, 4, 8, 4]));
        assert_eq!(sizes(&[4, 4, 8, 8]), Some(vec![4, 4, 8, 8]));
        assert_eq!(sizes(&[4, 4, 8, 4]), Some(vec![4, 4, 8, 4]));
    }

    #[test]
    fn missing_fields_are_an_error() {
        assert_eq!(sizes(&[4, 8]), None);
        assert_eq!(sizes(&[8]), None);
    }
}
