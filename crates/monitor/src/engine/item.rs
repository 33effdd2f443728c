//! Lists and maps as the heap holds them: elements can be changed one by one, however deep.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use watchword_model::{Key, Value};

use super::store::Mixing;
use super::tree::{Measure, Tree};

/// A value, with lists and maps that can be changed in O(log n).
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// Neither a list nor a map.
    Plain(Value),
    List(Tree<Item>),
    Map(Tree<Entry>),
}

/// An entry of a map. Maps are in the order of their keys.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: Key,
    pub item: Item,
}

impl Measure for Item {
    /// One for itself, one per 16 bytes of text, and what it contains.
    fn weight(&self) -> usize {
        match self {
            Item::Plain(Value::Str(text)) => 1 + text.len() / 16,
            Item::Plain(_) => 1,
            Item::List(items) => items.weight().saturating_add(1),
            Item::Map(entries) => entries.weight().saturating_add(1),
        }
    }

    fn digest(&self) -> u64 {
        match self {
            Item::Plain(value) => digest_of(&value.identity()),
            Item::List(items) => digest_of(&(1, items.digest())),
            Item::Map(entries) => digest_of(&(2, entries.digest())),
        }
    }

    fn has_nan(&self) -> bool {
        match self {
            Item::Plain(Value::Float(f)) => f.is_nan(),
            Item::Plain(_) => false,
            Item::List(items) => items.has_nan(),
            Item::Map(entries) => entries.has_nan(),
        }
    }
}

fn digest_of(what: &impl Hash) -> u64 {
    let mut hasher = Mixing::default();
    what.hash(&mut hasher);
    hasher.finish()
}

impl Measure for Entry {
    fn weight(&self) -> usize {
        let key = match &self.key {
            Key::Ref(_) | Key::Int(_) => 1,
            key => Item::from(&Value::from(key.clone())).weight(),
        };
        key.saturating_add(self.item.weight())
    }

    fn digest(&self) -> u64 {
        digest_of(&(&self.key, self.item.digest()))
    }

    fn has_nan(&self) -> bool {
        self.item.has_nan()
    }
}

impl From<&Value> for Item {
    fn from(value: &Value) -> Item {
        match value {
            Value::List(items) => Item::List(items.iter().map(Item::from).collect()),
            Value::Map(entries) => Item::Map(
                entries
                    .iter()
                    .map(|(key, value)| Entry { key: key.clone(), item: Item::from(value) })
                    .collect(),
            ),
            _ => Item::Plain(value.clone()),
        }
    }
}

impl Item {
    /// The value it is.
    pub fn to_value(&self) -> Value {
        match self {
            Item::Plain(value) => value.clone(),
            Item::List(items) => Value::List(Arc::new(items.iter().map(Item::to_value).collect())),
            Item::Map(entries) => {
                let entries = entries.iter().map(|e| (e.key.clone(), e.item.to_value()));
                Value::Map(Arc::new(entries.collect()))
            }
        }
    }

    /// Whether a value has this key.
    #[inline]
    pub fn has_key(&self, key: &Key) -> bool {
        match (self, key) {
            (Item::Plain(Value::Ref(object)), Key::Ref(id)) => object.id == *id,
            (Item::Plain(Value::Str(a)), Key::Str(b)) => a == b,
            (Item::Plain(Value::Int(a)), Key::Int(b)) => a == b,
            (Item::Plain(value), _) => value.key().as_ref() == Some(key),
            _ => self.to_value().key().as_ref() == Some(key),
        }
    }
}

/// Where a key is in a map, or would have to be.
pub(crate) fn find(entries: &Tree<Entry>, key: &Key) -> Result<usize, usize> {
    entries.search(|e| -> Ordering { e.key.cmp(key) })
}
