//! Kinds of records: named events, and one kind per program point.
//!
//! Which kinds of program points there are, and what their records are called, the model says
//! ([`PointKind::ALL`], [`NativeKind::ALL`]); the tables here are made of those when this is compiled.

use watchword_model::{JoinPoint, JvmWhen, NativeKind, NativePoint, NativeWhen, PointKind};

/// What the name of a record names: a position in the table of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point(u8);

/// Every key that makes a record one of a kind, once; as many as there are, then empty ones.
const TABLE: ([Row; CAPACITY], usize) = rows();
const CAPACITY: usize = 64;

#[derive(Clone, Copy)]
struct Row {
    key: &'static str,
    /// The program point of a JVM.
    jvm: Option<PointKind>,
    /// Whether records stand for several sides and say by a field `when` which one it is.
    has_sides: bool,
}

const fn rows() -> ([Row; CAPACITY], usize) {
    let none = Row { key: "", jvm: None, has_sides: false };
    let mut rows = [none; CAPACITY];
    rows[1].key = "event";
    let mut count = 2;
    let mut kind = 0;
    while kind < PointKind::ALL.len() {
        let facts = &PointKind::ALL[kind];
        let has_sides = equal(facts.records[0], facts.records[1]);
        let mut side = 0;
        while side < facts.records.len() {
            let key = facts.records[side];
            if !key.is_empty() && find(&rows, count, key) == count {
                rows[count] = Row { key, jvm: Some(facts.kind), has_sides };
                count += 1;
            }
            side += 1;
        }
        kind += 1;
    }
    let mut kind = 0;
    while kind < NativeKind::ALL.len() {
        let facts = &NativeKind::ALL[kind];
        let mut side = 0;
        while side < facts.records.len() {
            let key = facts.records[side];
            if find(&rows, count, key) == count {
                let has_sides = equal(facts.records[0], facts.records[1]);
                rows[count] = Row { key, jvm: None, has_sides };
                count += 1;
            }
            side += 1;
        }
        kind += 1;
    }
    (rows, count)
}

/// Where a key is; the number of keys if it has no location.
const fn find(rows: &[Row], count: usize, key: &str) -> usize {
    let mut at = 0;
    while at < count && !equal(rows[at].key, key) {
        at += 1;
    }
    at
}

const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The only key that a text of this hash can be; [`Point::NONE`] if there is none.
const HASHED: ([Point; SLOTS], u32) = hashed();
const SLOTS: usize = 256;

/// Looks for a factor for which no two keys have the same hash.
const fn hashed() -> ([Point; SLOTS], u32) {
    let mut factor = 0x9e37_79b1;
    loop {
        let mut slots = [Point::NONE; SLOTS];
        let mut at = 1;
        while at < TABLE.1 {
            let slot = hash(TABLE.0[at].key.as_bytes(), factor);
            if slots[slot].0 != 0 {
                break;
            }
            slots[slot] = Point(at as u8);
            at += 1;
        }
        if at == TABLE.1 {
            return (slots, factor);
        }
        factor += 2;
    }
}

/// The text is not empty.
#[inline]
const fn hash(text: &[u8], factor: u32) -> usize {
    let (first, middle, last) = (text[0], text[text.len() / 2], text[text.len() - 1]);
    let key = u32::from_le_bytes([first, middle, last, text.len() as u8]);
    (key.wrapping_mul(factor) >> 24) as usize
}

impl Point {
    /// Nothing: the record has no name.
    pub const NONE: Point = Point(0);
    /// An event.
    pub const EVENT: Point = Point(1);
    /// A call that returned.
    pub const RETURN: Point = Point(find(&TABLE.0, TABLE.1, "return") as u8);
    /// A class initialiser.
    pub const CLASS_INIT: Point = Point(find(&TABLE.0, TABLE.1, "clinit") as u8);
    /// How many there are.
    pub const COUNT: usize = TABLE.1;

    /// A number below [`Point::COUNT`].
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// The keys of all kinds of records.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        TABLE.0[1..Point::COUNT].iter().map(|row| row.key)
    }

    /// The kind of record that key makes. It runs for every key of a record.
    #[inline]
    pub fn of_key(key: &str) -> Option<Point> {
        const SLOTS: &[Point] = &HASHED.0;
        const ROWS: &[Row] = &TABLE.0;
        if key.is_empty() {
            return None;
        }
        let point = SLOTS[hash(key.as_bytes(), HASHED.1)];
        (point != Point::NONE && ROWS[point.index()].key == key).then_some(point)
    }

    /// The key whose value is the name of such a record.
    pub fn key(self) -> &'static str {
        TABLE.0[self.index()].key
    }

    /// The program point of a JVM, if it is a record of one.
    pub fn jvm(self) -> Option<PointKind> {
        TABLE.0[self.index()].jvm
    }

    /// The records of a JVM program point, on that side of it. Where the same record stands for
    /// both sides, its `when` field tells them apart.
    pub fn of_jvm(point: &JoinPoint, when: JvmWhen) -> Option<Point> {
        Point::of_key(point.kind.facts().record(when)?)
    }

    /// The records of a native program point, on that side of it.
    pub fn of_native(point: &NativePoint, when: NativeWhen) -> Option<Point> {
        Point::of_key(point.kind.facts().record(when))
    }

    /// Whether records of this kind say by a `when` field on which side they are.
    pub fn has_sides(self) -> bool {
        TABLE.0[self.index()].has_sides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_one_key() {
        let keys: Vec<&str> = Point::keys().collect();
        for (i, key) in keys.iter().enumerate() {
            assert_eq!(Point::of_key(key).map(Point::index), Some(i + 1), "{key}");
            assert!(!keys[..i].contains(key), "{key}");
        }
        for other in ["", "args", "time", "calls", "e"] {
            assert_eq!(Point::of_key(other), None, "{other}");
        }
        assert_eq!(Point::RETURN.key(), "return");
        assert!(Point::CLASS_INIT.has_sides() && !Point::RETURN.has_sides());
    }
}
