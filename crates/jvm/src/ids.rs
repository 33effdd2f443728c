//! Identities: numbers that objects keep for life and that are never used again.
//!
//! An identity has three parts: a mark that tells it from other numbers on the heap, the number of
//! the object's class, and a serial number. So the class of an object can be told in a report after
//! the object has died, without a table of all objects.

use std::sync::{Arc, RwLock};

/// The mark of identities that objects hold themselves.
const HELD: u64 = 0x58 << 56;
/// The mark of identities in the side table.
const SIDE: u64 = 0x59 << 56;
const MARK_MASK: u64 = 0xff << 56;
const CLASS_SHIFT: u32 = 36;
pub const CLASS_LIMIT: usize = 1 << 20;
const SERIAL_MASK: u64 = (1 << CLASS_SHIFT) - 1;

/// Names of the classes that have numbers.
#[derive(Debug, Default)]
pub struct ClassNumbers {
    names: RwLock<Vec<Arc<str>>>,
}

impl ClassNumbers {
    /// The mark and class parts of the identities that objects of a new class hold. Classes beyond a million share
    /// the last number, and with it a name in reports.
    pub fn add(&self, name: &str) -> u64 {
        HELD | self.next(name) << CLASS_SHIFT
    }

    fn next(&self, name: &str) -> u64 {
        let Ok(mut names) = self.names.write() else { return 0 };
        if names.len() < CLASS_LIMIT {
            names.push(name.into());
        }
        names.len() as u64 - 1
    }

    /// The mark and class parts of identities in the side table: one number for all classes of a
    /// name.
    pub fn side(&self, name: &str) -> u64 {
        let known =
            self.names.read().ok().and_then(|n| n.iter().position(|known| **known == *name));
        SIDE | known.map_or_else(|| self.next(name), |index| index as u64) << CLASS_SHIFT
    }

    /// The class of an identity.
    pub fn name(&self, id: u64) -> Option<Arc<str>> {
        self.names.read().ok()?.get(class(id)).cloned()
    }
}

/// The number of the class of an identity.
#[inline]
pub fn class(id: u64) -> usize {
    ((id & !MARK_MASK) >> CLASS_SHIFT) as usize
}

/// Whether a number looks like an identity.
#[inline]
pub fn is_id(number: u64) -> bool {
    matches!(number & MARK_MASK, HELD | SIDE)
}

/// Whether a number looks like an identity that an object holds itself.
#[inline]
pub fn is_held(number: u64) -> bool {
    number & MARK_MASK == HELD
}

/// The serial number of an identity: what people and traces know the object by.
#[inline]
pub fn serial(id: u64) -> u64 {
    if is_id(id) { id & SERIAL_MASK } else { id }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_have_parts() {
        let numbers = ClassNumbers::default();
        let (list, set) = (numbers.add("java.util.ArrayList"), numbers.add("java.util.HashSet"));
        let (a, b) = (list | 17, set | 18);
        let side = numbers.side("java.util.HashSet") | 19;
        assert!(is_held(a) && is_id(side) && !is_held(side));
        assert_eq!(numbers.name(side).as_deref(), Some("java.util.HashSet"));
        assert!(is_id(a) && is_id(b) && !is_id(17) && a > 0);
        assert_eq!((serial(a), serial(b), serial(17)), (17, 18, 17));
        assert_eq!(numbers.name(a).as_deref(), Some("java.util.ArrayList"));
        assert_eq!(numbers.name(b).as_deref(), Some("java.util.HashSet"));
    }
}
