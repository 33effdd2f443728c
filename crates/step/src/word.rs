//! Values as the machine sees them: a tag and 64 bits.

use core::cmp::Ordering;

/// What the bits of a [`Word`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
// As wide as what is left beside the bits and the handle: a word without padding is copied at once.
#[repr(u32)]
pub enum Tag {
    /// Nothing: an unbound parameter, an unwritten register or local. Reads as null.
    Unset,
    /// Null.
    Null,
    /// A truth value.
    Bool,
    /// A signed integer.
    Int,
    /// A floating-point number.
    Float,
    /// Text: a handle of the host. Equal handles are equal texts and the other way round.
    Str,
    /// An object: its identity. The class, for people, is the handle in [`Word::aux`].
    Ref,
    /// An address.
    Ptr,
    /// A list: a handle of the host.
    List,
    /// A map: a handle of the host.
    Map,
    /// A window: a handle of the host, held by one variable of one instance. No value: code that
    /// reads a window gets what it comes to.
    Window,
}

impl Tag {
    /// Every tag, in the order of their numbers.
    pub const ALL: [Tag; 11] = [
        Tag::Unset,
        Tag::Null,
        Tag::Bool,
        Tag::Int,
        Tag::Float,
        Tag::Str,
        Tag::Ref,
        Tag::Ptr,
        Tag::List,
        Tag::Map,
        Tag::Window,
    ];
}

/// A value: 16 bytes, no pointers. Text, lists and maps are handles of the [`Host`](crate::Host).
///
/// `PartialEq` compares representations; what the language calls the same value is
/// `same`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// The value, by tag.
    pub bits: u64,
    /// For an object, one more than the handle of its class name; else 0.
    pub aux: u32,
    /// What the bits are.
    pub tag: Tag,
}

/// What a word is compared by, if it is the same as anything: see [`Word::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WordKey {
    /// The tag, with integral floats as integers.
    pub tag: Tag,
    /// The bits.
    pub bits: u64,
}

/// 2^63: not an `i64` itself; every float below it and at least −2^63 converts exactly.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// The integer a float is the same number as.
pub fn integral(f: f64) -> Option<i64> {
    // `trunc` is not in `core`; a cast there and back is exact within the range.
    if (-LIMIT..LIMIT).contains(&f) && (f as i64) as f64 == f { Some(f as i64) } else { None }
}

impl Word {
    /// Nothing.
    pub const UNSET: Word = Word { bits: 0, aux: 0, tag: Tag::Unset };
    /// Null.
    pub const NULL: Word = Word { bits: 0, aux: 0, tag: Tag::Null };

    /// A truth value.
    pub const fn bool(b: bool) -> Word {
        Word { bits: b as u64, aux: 0, tag: Tag::Bool }
    }

    /// An integer.
    pub const fn int(i: i64) -> Word {
        Word { bits: i as u64, aux: 0, tag: Tag::Int }
    }

    /// A floating-point number.
    pub const fn float(f: f64) -> Word {
        Word { bits: f.to_bits(), aux: 0, tag: Tag::Float }
    }

    /// An address.
    pub const fn ptr(p: u64) -> Word {
        Word { bits: p, aux: 0, tag: Tag::Ptr }
    }

    /// A text, list or map by its handle.
    pub const fn handle(tag: Tag, handle: u32) -> Word {
        Word { bits: handle as u64, aux: 0, tag }
    }

    /// An object without a known class.
    pub const fn object(id: u64) -> Word {
        Word { bits: id, aux: 0, tag: Tag::Ref }
    }

    /// The integer.
    pub const fn as_int(self) -> i64 {
        self.bits as i64
    }

    /// The floating-point number.
    pub const fn as_float(self) -> f64 {
        f64::from_bits(self.bits)
    }

    /// The number as a float, whichever kind of number it is.
    pub fn number(self) -> Option<f64> {
        match self.tag {
            Tag::Int => Some(self.as_int() as f64),
            Tag::Float => Some(self.as_float()),
            _ => None,
        }
    }

    /// Whether it holds a value, null included.
    pub const fn is_set(self) -> bool {
        !matches!(self.tag, Tag::Unset)
    }

    /// Whether it is null or nothing.
    pub const fn is_null(self) -> bool {
        matches!(self.tag, Tag::Unset | Tag::Null)
    }

    /// Whether it is a list or a map, which the host must compare.
    pub const fn is_heap(self) -> bool {
        matches!(self.tag, Tag::List | Tag::Map)
    }

    /// What the word is compared by; `None` for NaN, which is the same as nothing.
    /// Lists and maps answer by handle: the host gives equal ones equal handles where it matters.
    #[inline]
    pub fn key(self) -> Option<WordKey> {
        match self.tag {
            Tag::Float => {
                let f = self.as_float();
                match integral(f) {
                    Some(i) => Some(WordKey { tag: Tag::Int, bits: i as u64 }),
                    None if f.is_nan() => None,
                    None => Some(WordKey { tag: Tag::Float, bits: self.bits }),
                }
            }
            Tag::Unset => Some(WordKey { tag: Tag::Null, bits: 0 }),
            tag => Some(WordKey { tag, bits: self.bits }),
        }
    }

    /// The order of two numbers or two addresses; `None` if one is a NaN.
    /// Only for words of these kinds.
    pub fn order(self, other: Word) -> Option<Ordering> {
        match (self.tag, other.tag) {
            (Tag::Int, Tag::Int) => Some(self.as_int().cmp(&other.as_int())),
            (Tag::Float, Tag::Float) => self.as_float().partial_cmp(&other.as_float()),
            (Tag::Int, Tag::Float) => order_int_float(self.as_int(), other.as_float()),
            (Tag::Float, Tag::Int) => {
                order_int_float(other.as_int(), self.as_float()).map(Ordering::reverse)
            }
            (Tag::Ptr, Tag::Ptr) => Some(self.bits.cmp(&other.bits)),
            _ => None,
        }
    }
}

/// Exact: converting a large `i64` to `f64` would round.
fn order_int_float(i: i64, f: f64) -> Option<Ordering> {
    if f.is_nan() {
        return None;
    }
    if f >= LIMIT {
        return Some(Ordering::Less);
    }
    if f < -LIMIT {
        return Some(Ordering::Greater);
    }
    // The cast cuts the fraction off; what is left of it decides a tie.
    let whole = f as i64;
    let rest = f - whole as f64;
    Some(i.cmp(&whole).then_with(|| 0.0f64.partial_cmp(&rest).unwrap_or(Ordering::Equal)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_sixteen_bytes() {
        assert_eq!(core::mem::size_of::<Word>(), 16);
    }

    #[test]
    fn keys_follow_numeric_equality() {
        assert_eq!(Word::int(3).key(), Word::float(3.0).key());
        assert_eq!(Word::float(-0.0).key(), Word::int(0).key());
        assert_eq!(Word::float(f64::NAN).key(), None);
        assert_ne!(Word::float(0.5).key(), Word::int(0).key());
        assert_ne!(Word::int(1).key(), Word::bool(true).key());
        assert_eq!(Word::float(f64::INFINITY).key().unwrap().tag, Tag::Float);
    }

    #[test]
    fn order_is_exact() {
        let odd = (1i64 << 53) + 1;
        assert_eq!(Word::int(odd).order(Word::float(odd as f64)), Some(Ordering::Greater));
        assert_eq!(Word::int(-1).order(Word::float(-0.5)), Some(Ordering::Less));
        assert_eq!(Word::int(0).order(Word::float(-0.5)), Some(Ordering::Greater));
        assert_eq!(Word::float(0.5).order(Word::int(0)), Some(Ordering::Greater));
        assert_eq!(Word::int(0).order(Word::float(f64::NAN)), None);
    }
}
