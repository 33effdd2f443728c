//! Values that events carry and monitors store.
//!
//! Equality of values is a matter of semantics, not of representation, so [`Value`] has no
//! `PartialEq`; ask [`Value::same`]. Two values that are the same have the same [`Value::key`],
//! and a value without a key (a NaN) is the same as nothing, not even itself.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::Type;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Null, nil, None.
    Null,
    /// A truth value.
    Bool(bool),
    /// A 64-bit integer; unsigned ones are kept as bits.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text, compared by content.
    Str(Arc<str>),
    /// An object, compared by identity.
    Ref(Object),
    /// An address in a native program.
    Ptr(u64),
    /// A list; immutable, updates make a new one.
    List(Arc<Vec<Value>>),
    /// A map; immutable, updates make a new one.
    Map(Arc<BTreeMap<Key, Value>>),
}

/// An object identity, with the name of its class where that is known.
/// The class is for people: it takes no part in comparisons.
#[derive(Clone, Debug)]
pub struct Object {
    /// The identity.
    pub id: u64,
    /// The class, for reports.
    pub class: Option<Arc<str>>,
}

/// What a value is compared by: two values are the same exactly if both have equal keys.
/// Numbers compare by value, so a float with an integral value has the key of that integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Key of null.
    Null,
    /// Key of a truth value.
    Bool(bool),
    /// Key of a number with an integral value.
    Int(i64),
    /// Key of any other number: the bits of the float.
    Float(u64),
    /// Key of text.
    Str(Arc<str>),
    /// Key of an object.
    Ref(u64),
    /// Key of an address.
    Ptr(u64),
    /// Key of a list.
    List(Vec<Key>),
    /// Key of a map.
    Map(Vec<(Key, Key)>),
}

impl Ord for Key {
    /// By kind, then by value. Objects and integers are what maps are asked for most.
    #[inline]
    fn cmp(&self, other: &Key) -> Ordering {
        match (self, other) {
            (Key::Ref(a), Key::Ref(b)) => a.cmp(b),
            (Key::Int(a), Key::Int(b)) => a.cmp(b),
            _ => self.compare(other),
        }
    }
}

impl PartialOrd for Key {
    #[inline]
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Key {
    #[inline(never)]
    fn compare(&self, other: &Key) -> Ordering {
        match (self, other) {
            (Key::Bool(a), Key::Bool(b)) => a.cmp(b),
            (Key::Float(a), Key::Float(b)) | (Key::Ptr(a), Key::Ptr(b)) => a.cmp(b),
            (Key::Str(a), Key::Str(b)) => a.cmp(b),
            (Key::List(a), Key::List(b)) => a.cmp(b),
            (Key::Map(a), Key::Map(b)) => a.cmp(b),
            _ => self.kind().cmp(&other.kind()),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Key::Null => 0,
            Key::Bool(_) => 1,
            Key::Int(_) => 2,
            Key::Float(_) => 3,
            Key::Str(_) => 4,
            Key::Ref(_) => 5,
            Key::Ptr(_) => 6,
            Key::List(_) => 7,
            Key::Map(_) => 8,
        }
    }
}

impl Value {
    /// Text.
    pub fn str(text: &str) -> Value {
        Value::Str(Arc::from(text))
    }

    /// An object without a known class.
    pub fn object(id: u64) -> Value {
        Value::Ref(Object { id, class: None })
    }

    /// The key this value is compared by, or `None` if it is not even the same as itself.
    pub fn key(&self) -> Option<Key> {
        self.key_with(None)
    }

    /// What tells this value from others, where not a property asks but an evaluator, which keeps
    /// one of what cannot be told apart: its key, and a NaN is like every other NaN.
    pub fn identity(&self) -> Key {
        let nan = Key::Float(f64::NAN.to_bits());
        self.key_with(Some(nan)).unwrap_or(Key::Null)
    }

    /// The key, with this one for a NaN.
    fn key_with(&self, nan: Option<Key>) -> Option<Key> {
        Some(match self {
            Value::Null => Key::Null,
            Value::Bool(b) => Key::Bool(*b),
            Value::Int(i) => Key::Int(*i),
            Value::Float(f) => return float_key(*f).or(nan),
            Value::Str(s) => Key::Str(s.clone()),
            Value::Ref(o) => Key::Ref(o.id),
            Value::Ptr(p) => Key::Ptr(*p),
            Value::List(items) => {
                let key = |item: &Value| item.key_with(nan.clone());
                Key::List(items.iter().map(key).collect::<Option<Vec<_>>>()?)
            }
            Value::Map(entries) => Key::Map(
                entries
                    .iter()
                    .map(|(k, v)| Some((k.clone(), v.key_with(nan.clone())?)))
                    .collect::<Option<Vec<_>>>()?,
            ),
        })
    }

    /// Whether two values are the same.
    pub fn same(&self, other: &Value) -> bool {
        match (self.key(), other.key()) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    /// The order of two numbers or two texts; `None` where there is no order (NaN, mixed kinds).
    pub fn order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
            (Value::Int(a), Value::Float(b)) => order_int_float(*a, *b),
            (Value::Float(a), Value::Int(b)) => order_int_float(*b, *a).map(Ordering::reverse),
            (Value::Str(a), Value::Str(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Value::Ptr(a), Value::Ptr(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// The most specific type of this value; null has every type and answers [`Type::Any`].
    pub fn type_of(&self) -> Type {
        match self {
            Value::Null => Type::Any,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Float(_) => Type::Float,
            Value::Str(_) => Type::Str,
            Value::Ref(_) => Type::Ref,
            Value::Ptr(_) => Type::Ptr,
            Value::List(_) => Type::List,
            Value::Map(_) => Type::Map,
        }
    }

    /// This value as a parameter or variable declared with type `ty` holds it, or `None` if it
    /// does not fit. An integer fits a float and an address; null fits everything.
    pub fn coerce(self, ty: Type) -> Option<Value> {
        match (self, ty) {
            (value, Type::Any) => Some(value),
            (Value::Null, _) => Some(Value::Null),
            (Value::Int(i), Type::Float) => Some(Value::Float(i as f64)),
            (Value::Int(i), Type::Ptr) => Some(Value::Ptr(i as u64)),
            (Value::Float(f), Type::Int) => match float_key(f) {
                Some(Key::Int(i)) => Some(Value::Int(i)),
                _ => None,
            },
            (value, ty) if value.type_of() == ty => Some(value),
            _ => None,
        }
    }
}

/// Integral floats within the range of `i64` share the key of the integer; −0.0 is 0.
fn float_key(f: f64) -> Option<Key> {
    if f.is_nan() {
        return None;
    }
    // 2^63 itself is not an i64; every float below it and at least −2^63 converts exactly.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if f == f.trunc() && (-LIMIT..LIMIT).contains(&f) {
        Some(Key::Int(f as i64))
    } else {
        Some(Key::Float(f.to_bits()))
    }
}

/// Exact comparison: converting a large `i64` to `f64` would round.
fn order_int_float(i: i64, f: f64) -> Option<Ordering> {
    if f.is_nan() {
        return None;
    }
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if f >= LIMIT {
        return Some(Ordering::Less);
    }
    if f < -LIMIT {
        return Some(Ordering::Greater);
    }
    let whole = f.trunc();
    Some(i.cmp(&(whole as i64)).then_with(|| {
        if f > whole {
            Ordering::Less
        } else if f < whole {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }))
}

/// As messages show a value: text without quotes, objects as `Class@id`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Float(x) => write!(f, "{x:?}"),
            Value::Str(s) => f.write_str(s),
            Value::Ref(Object { id, class: Some(class) }) => {
                write!(f, "{}@{id}", class.rsplit('.').next().unwrap_or(class))
            }
            Value::Ref(Object { id, class: None }) => write!(f, "@{id}"),
            Value::Ptr(p) => write!(f, "{p:#x}"),
            Value::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str("]")
            }
            Value::Map(entries) => {
                f.write_str("{")?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{}: {value}", Value::from(key.clone()))?;
                }
                f.write_str("}")
            }
        }
    }
}

impl From<Key> for Value {
    fn from(key: Key) -> Value {
        match key {
            Key::Null => Value::Null,
            Key::Bool(b) => Value::Bool(b),
            Key::Int(i) => Value::Int(i),
            Key::Float(bits) => Value::Float(f64::from_bits(bits)),
            Key::Str(s) => Value::Str(s),
            Key::Ref(id) => Value::object(id),
            Key::Ptr(p) => Value::Ptr(p),
            Key::List(items) => Value::List(Arc::new(items.into_iter().map(Value::from).collect())),
            Key::Map(entries) => Value::Map(Arc::new(
                entries.into_iter().map(|(k, v)| (k, Value::from(v))).collect(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_one_order() {
        let text = |t: &str| Key::Str(Arc::from(t));
        let ascending = [
            Key::Null,
            Key::Bool(false),
            Key::Bool(true),
            Key::Int(-1),
            Key::Int(2),
            Key::Float(1.5f64.to_bits()),
            text("a"),
            text("b"),
            Key::Ref(1),
            Key::Ref(7),
            Key::Ptr(3),
            Key::List(vec![]),
            Key::List(vec![Key::Int(1)]),
            Key::Map(vec![(Key::Int(1), Key::Null)]),
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn numbers_compare_by_value() {
        assert!(Value::Int(3).same(&Value::Float(3.0)));
        assert!(Value::Float(0.0).same(&Value::Float(-0.0)));
        assert!(!Value::Float(f64::NAN).same(&Value::Float(f64::NAN)));
        assert_eq!(Value::Float(f64::NAN).identity(), Value::Float(-f64::NAN).identity());
        assert!(!Value::Int(1).same(&Value::Bool(true)));
        assert!(!Value::Int(0).same(&Value::Null));
        // 2^53 + 1 is not a float; rounding must not make it equal to 2^53.
        let odd = (1i64 << 53) + 1;
        assert!(!Value::Int(odd).same(&Value::Float(odd as f64)));
        assert_eq!(Value::Int(odd).order(&Value::Float(odd as f64)), Some(Ordering::Greater));
        assert_eq!(Value::Int(i64::MAX).order(&Value::Float(1e300)), Some(Ordering::Less));
        assert_eq!(Value::Int(-1).order(&Value::Float(-0.5)), Some(Ordering::Less));
        assert_eq!(Value::Int(0).order(&Value::Float(f64::NAN)), None);
    }

    #[test]
    fn text_compares_by_content_and_objects_by_identity() {
        assert!(Value::str("a").same(&Value::str("a")));
        let named = Value::Ref(Object { id: 7, class: Some("p.C".into()) });
        assert!(named.same(&Value::object(7)));
        assert!(!named.same(&Value::object(8)));
        assert!(!Value::Int(7).same(&Value::object(7)));
        assert_eq!(named.to_string(), "C@7");
    }

    #[test]
    fn coercion_loses_nothing() {
        assert!(matches!(Value::Float(2.0).coerce(Type::Int), Some(Value::Int(2))));
        assert!(Value::Float(2.5).coerce(Type::Int).is_none());
        assert!(matches!(Value::Int(16).coerce(Type::Ptr), Some(Value::Ptr(16))));
        assert!(Value::str("x").coerce(Type::Int).is_none());
        assert!(matches!(Value::Null.coerce(Type::Int), Some(Value::Null)));
    }
}
