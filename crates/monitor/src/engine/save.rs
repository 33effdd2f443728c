//! The whole configuration as bytes, and back.
//!
//! What a trace has brought about: time and numbering, queued sends, every instance with its
//! variables, states and timers, look-ahead. Indexes are rebuilt; texts are written out, so bytes
//! of one engine can be restored in another. Reports that were not taken and histories are not
//! part of it: a restored instance's history begins anew.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use watchword_model::{EventId, Key, Object, PropertyId, Value};
use watchword_step::{NotRelevant, Word};

use super::heap::Heap;
use super::window::Window;
use super::world::{PropertyStats, Timer};
use crate::Doubt;

/// Bytes that are no saved configuration, or one of another model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreError {
    pub(crate) reason: &'static str,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot restore: {}", self.reason)
    }
}

impl std::error::Error for RestoreError {}

/// The error of a certain reason.
pub(crate) fn wrong(reason: &'static str) -> RestoreError {
    RestoreError { reason }
}

pub(crate) type Restored<T> = Result<T, RestoreError>;

/// The first bytes of every saved configuration; the last is the version of the format.
pub(crate) const MAGIC: [u8; 4] = [b'W', b'W', b'C', 6];

/// Writes.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub fn u8(&mut self, n: u8) {
        self.0.push(n);
    }

    /// Seven bits to a byte, so that small numbers are short.
    pub fn u64(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    pub fn i64(&mut self, n: i64) {
        self.u64(((n << 1) ^ (n >> 63)) as u64);
    }

    pub fn bool(&mut self, b: bool) {
        self.0.push(u8::from(b));
    }

    pub fn timer(&mut self, timer: Timer) {
        self.u64(timer.sequence);
        if timer.is_running() {
            self.i64(timer.at);
        }
    }

    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.u8(0),
            Value::Bool(b) => {
                self.u8(1);
                self.bool(*b);
            }
            Value::Int(i) => {
                self.u8(2);
                self.i64(*i);
            }
            Value::Float(f) => {
                self.u8(3);
                self.0.extend_from_slice(&f.to_bits().to_le_bytes());
            }
            Value::Str(text) => {
                self.u8(4);
                self.bytes(text.as_bytes());
            }
            Value::Ref(object) => {
                self.u8(5);
                self.u64(object.id);
                self.bool(object.class.is_some());
                if let Some(class) = &object.class {
                    self.bytes(class.as_bytes());
                }
            }
            Value::Ptr(p) => {
                self.u8(6);
                self.u64(*p);
            }
            Value::List(items) => {
                self.u8(7);
                self.u64(items.len() as u64);
                items.iter().for_each(|v| self.value(v));
            }
            Value::Map(entries) => {
                self.u8(8);
                self.u64(entries.len() as u64);
                for (key, value) in entries.iter() {
                    self.value(&Value::from(key.clone()));
                    self.value(value);
                }
            }
        }
    }

    /// A word: nothing, a window, or a value.
    pub fn word(&mut self, word: Word, heap: &Heap) {
        if let Some(window) = heap.held_window(word) {
            self.u8(10);
            let (within, kind) = window.shape();
            self.u64(within);
            self.u8(kind);
            self.u64(window.entries().count() as u64);
            for (at, word) in window.entries() {
                self.i64(at);
                self.value(&heap.to_value(word));
            }
        } else if word.is_set() {
            self.value(&heap.to_value(word));
        } else {
            self.u8(9);
        }
    }

    pub fn words(&mut self, words: &[Word], heap: &Heap) {
        self.u64(words.len() as u64);
        words.iter().for_each(|w| self.word(*w, heap));
    }

    pub fn doubt(&mut self, doubt: &Doubt) {
        self.u64(u64::from(doubt.property.0));
        self.u64(doubt.index);
        self.u64(REASONS.iter().position(|why| *why == doubt.why).unwrap_or(0) as u64);
    }

    pub fn stats(&mut self, stats: &PropertyStats) {
        for n in [
            stats.events,
            stats.visited,
            stats.created,
            stats.forks,
            stats.peak,
            stats.not_relevant,
            stats.inconclusive,
            stats.violations,
            stats.discarded,
            stats.discarded_since,
        ] {
            self.u64(n);
        }
    }
}

/// Why an evaluation had no value, by the number it is saved as.
const REASONS: [NotRelevant; 7] = [
    NotRelevant::Overflow,
    NotRelevant::DivisionByZero,
    NotRelevant::WrongKind,
    NotRelevant::NoAnswer,
    NotRelevant::Limit,
    NotRelevant::Memory,
    NotRelevant::Endless,
];

/// Reads; every failure is an error, none a panic.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub &'a [u8]);

/// How deep values may nest.
const MAX_DEPTH: u32 = 128;

impl Reader<'_> {
    pub fn u8(&mut self) -> Restored<u8> {
        let (first, rest) = self.0.split_first().ok_or(wrong("the bytes end too early"))?;
        self.0 = rest;
        Ok(*first)
    }

    pub fn u64(&mut self) -> Restored<u64> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(n);
            }
        }
        Err(wrong("a number is too long"))
    }

    pub fn u32(&mut self) -> Restored<u32> {
        u32::try_from(self.u64()?).map_err(|_| wrong("a number is too large"))
    }

    /// A number of things that follow, each at least a byte.
    pub fn len(&mut self) -> Restored<usize> {
        let n = self.u64()?;
        if n > self.0.len() as u64 {
            return Err(wrong("the bytes end too early"));
        }
        Ok(n as usize)
    }

    /// A number below another.
    pub fn len_below(&mut self, bound: usize) -> Restored<usize> {
        let n = self.u64()?;
        if n < bound as u64 { Ok(n as usize) } else { Err(wrong("a number is too large")) }
    }

    pub fn i64(&mut self) -> Restored<i64> {
        let n = self.u64()?;
        Ok((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    pub fn bool(&mut self) -> Restored<bool> {
        Ok(self.u8()? != 0)
    }

    pub fn text(&mut self) -> Restored<Arc<str>> {
        let length = self.len()?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        std::str::from_utf8(text).map(Arc::from).map_err(|_| wrong("a text is no text"))
    }

    pub fn timer(&mut self) -> Restored<Timer> {
        let sequence = self.u64()?;
        let at = if sequence != 0 { self.i64()? } else { 0 };
        Ok(Timer { at, sequence })
    }

    pub fn event(&mut self, events: usize) -> Restored<EventId> {
        let event = EventId(self.u32()?);
        if event.index() < events { Ok(event) } else { Err(wrong("there is no such event")) }
    }

    fn value_of(&mut self, tag: u8, depth: u32) -> Restored<Value> {
        if depth == MAX_DEPTH {
            return Err(wrong("a value nests too deep"));
        }
        Ok(match tag {
            0 => Value::Null,
            1 => Value::Bool(self.bool()?),
            2 => Value::Int(self.i64()?),
            3 => {
                let bits = self.0.get(..8).ok_or(wrong("the bytes end too early"))?;
                let mut bytes = [0; 8];
                bytes.copy_from_slice(bits);
                self.0 = &self.0[8..];
                Value::Float(f64::from_bits(u64::from_le_bytes(bytes)))
            }
            4 => Value::Str(self.text()?),
            5 => {
                let id = self.u64()?;
                let class = if self.bool()? { Some(self.text()?) } else { None };
                Value::Ref(Object { id, class })
            }
            6 => Value::Ptr(self.u64()?),
            7 => {
                let length = self.len()?;
                let items: Restored<Vec<Value>> =
                    (0..length).map(|_| self.value_at(depth + 1)).collect();
                Value::List(Arc::new(items?))
            }
            8 => {
                let length = self.len()?;
                let mut entries: BTreeMap<Key, Value> = BTreeMap::new();
                for _ in 0..length {
                    let key = self.value_at(depth + 1)?.key().ok_or(wrong("a key is no key"))?;
                    entries.insert(key, self.value_at(depth + 1)?);
                }
                Value::Map(Arc::new(entries))
            }
            _ => return Err(wrong("there is no such kind of value")),
        })
    }

    fn value_at(&mut self, depth: u32) -> Restored<Value> {
        let tag = self.u8()?;
        self.value_of(tag, depth)
    }

    pub fn word(&mut self, heap: &mut Heap) -> Restored<Word> {
        match self.u8()? {
            9 => Ok(Word::UNSET),
            10 => self.window(heap),
            tag => {
                let value = self.value_of(tag, 0)?;
                Ok(heap.value(&value))
            }
        }
    }

    fn window(&mut self, heap: &mut Heap) -> Restored<Word> {
        let within = self.u64()?;
        let window = Window::of_shape(within, self.u8()?);
        let mut window = window.ok_or(wrong("there is no such kind of window"))?;
        let mut last = i64::MIN;
        for _ in 0..self.len()? {
            let at = self.i64()?;
            let value = self.value_at(0)?;
            let word = heap.value(&value);
            let word = heap.canonical(word);
            // What is over already when the next one comes is of no use.
            if at < last || at > heap.now || !window.enter(at, word) {
                return Err(wrong("a window holds what it cannot hold"));
            }
            last = at;
        }
        Ok(heap.add_window(window))
    }

    pub fn words(&mut self, heap: &mut Heap) -> Restored<Vec<Word>> {
        let length = self.len()?;
        (0..length).map(|_| self.word(heap)).collect()
    }

    pub fn doubt(&mut self, properties: usize) -> Restored<Doubt> {
        let property = PropertyId::from_index(self.len_below(properties)?);
        let index = self.u64()?;
        Ok(Doubt { property, index, why: REASONS[self.len_below(REASONS.len())?] })
    }

    pub fn stats(&mut self) -> Restored<PropertyStats> {
        Ok(PropertyStats {
            events: self.u64()?,
            visited: self.u64()?,
            created: self.u64()?,
            forks: self.u64()?,
            peak: self.u64()?,
            not_relevant: self.u64()?,
            inconclusive: self.u64()?,
            violations: self.u64()?,
            discarded: self.u64()?,
            discarded_since: self.u64()?,
            instances: 0,
        })
    }
}
