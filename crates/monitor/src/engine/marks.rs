//! Marks: when events with these values happened that were not joined with anything.
//!
//! See `enable` in `watchword_plan` for which events those are, and what is asked about them when an
//! instance is made after all. A mark is a record of its own: the values the event binds, and the
//! number of the last such event; where older ones are of interest, too, they lie beside it.

use watchword_plan::{Mask, Slices};
use watchword_step::{Tag, Word};

use super::heap::Heap;
use super::save::{Reader, Restored, Writer, wrong};
use super::store::{Mixed, Store};

/// The marks of one property.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    /// A partition per kind of event that is marked.
    store: Store,
    /// By kind of event: its partition, and whether only the last of the same values is kept.
    kinds: Vec<Option<(usize, bool)>>,
    /// Where the number of the last event is in a record: after its binding.
    at: usize,
    /// By record: the numbers of older events, in order.
    earlier: Vec<Vec<u64>>,
    /// Objects that are gone and may still be in marks.
    gone: std::collections::HashSet<u64, Mixed>,
}

impl Marks {
    /// Those of a property, if it has any. `ends` are the parameters whose life may end.
    pub fn new(slices: &Slices, params: usize, ends: Mask) -> Option<Marks> {
        let enabling = slices.enabling.as_ref()?;
        let mut parts: Vec<Vec<u32>> = Vec::new();
        let mut kinds = Vec::new();
        for mark in &enabling.marks {
            kinds.push(mark.as_ref().map(|mark| {
                let ending = mark.domain & ends;
                let single = (0..Mask::BITS).map(|i| 1 << i).filter(|bit| ending & bit != 0);
                let others = single.filter(|bit| *bit != mark.domain);
                parts.push(std::iter::once(mark.domain).chain(others).collect());
                (parts.len() - 1, mark.only_last)
            }));
        }
        Some(Marks {
            store: Store::new(params + 1, &parts, true),
            kinds,
            at: params,
            earlier: Vec::new(),
            gone: Default::default(),
        })
    }

    /// Notes an event; `key` has its values at the places of their parameters.
    pub fn note(&mut self, kind: u32, domain: Mask, key: &[Word], time: u64) {
        let Some((partition, only_last)) = self.kinds[kind as usize] else { return };
        let id = match self.store.find(partition, 0, key) {
            Some(id) => {
                let last = self.store.words(id)[self.at];
                if !only_last {
                    self.earlier[id as usize].push(last.as_int() as u64);
                }
                id
            }
            None => {
                let mut words = vec![Word::UNSET; self.at];
                for (i, word) in words.iter_mut().enumerate() {
                    if domain & 1 << i != 0 {
                        *word = key[i];
                    }
                }
                let id = self.store.insert(partition, time, &words);
                if self.earlier.len() < self.store.slots() {
                    self.earlier.resize(self.store.slots(), Vec::new());
                }
                self.earlier[id as usize].clear();
                id
            }
        };
        self.store.words_mut(id)[self.at] = Word::int(time as i64);
    }

    /// The mark of a kind of event with the values of a binding, if there is one.
    #[inline]
    pub fn find(&self, kind: usize, binding: &[Word]) -> Option<u32> {
        let (partition, _) = self.kinds[kind]?;
        self.store.find(partition, 0, binding)
    }

    /// Whether such an event happened after one number and before another.
    pub fn is_between(&self, id: u32, after: u64, before: u64) -> bool {
        let is = |time: &u64| *time > after && *time < before;
        let last = self.store.words(id)[self.at].as_int() as u64;
        if is(&last) {
            return true;
        }
        let earlier = &self.earlier[id as usize];
        earlier.get(earlier.partition_point(|time| *time <= after)).is_some_and(is)
    }

    /// The life of a parameter's value has ended.
    pub fn end(&mut self, param: u32, key: &[Word]) {
        let mask: Mask = 1 << param;
        let mut ended = Vec::new();
        for partition in 0..self.store.partitions() {
            if let Some(index) = self.store.index_of(partition, mask) {
                self.store.each(partition, index, key, |id| ended.push(id));
            }
        }
        ended.iter().for_each(|id| self.store.remove(*id));
    }

    /// Objects are gone: no later event carries them. Marks of them go from time to time.
    pub fn died(&mut self, objects: &[u64]) {
        self.gone.extend(objects);
        if 2 * self.gone.len() < self.store.len() {
            return;
        }
        let is_gone = |id: &u32| {
            let mut words = self.store.words(*id)[..self.at].iter();
            words.any(|w| w.tag == Tag::Ref && self.gone.contains(&w.bits))
        };
        let going: Vec<u32> = self.store.all().filter(is_gone).collect();
        self.store.remove_many(&going);
        self.gone.clear();
    }

    /// Removes marks for which `goes` says so, by their binding.
    pub fn remove_where(&mut self, goes: impl Fn(&[Word]) -> bool) {
        let going: Vec<u32> =
            self.store.all().filter(|id| goes(&self.store.words(*id)[..self.at])).collect();
        self.store.remove_many(&going);
    }

    /// Marks what is held.
    pub fn mark(&self, heap: &mut Heap) {
        for id in self.store.all() {
            self.store.words(id)[..self.at].iter().for_each(|w| heap.mark(*w));
        }
    }

    /// Every mark as bytes.
    pub fn save(&self, out: &mut Writer, heap: &Heap) {
        out.u64(self.store.len() as u64);
        for id in self.store.in_order() {
            let head = self.store.head(id);
            out.u64(u64::from(head.partition));
            out.u64(head.seq);
            let words = self.store.words(id);
            words[..self.at].iter().for_each(|w| out.word(*w, heap));
            out.u64(words[self.at].as_int() as u64);
            out.u64(self.earlier[id as usize].len() as u64);
            self.earlier[id as usize].iter().for_each(|time| out.u64(*time));
        }
    }

    /// Reads marks back, where there are none yet.
    pub fn restore(&mut self, from: &mut Reader<'_>, heap: &mut Heap) -> Restored<()> {
        for _ in 0..from.len()? {
            let partition = from.len_below(self.store.partitions())?;
            let seq = from.u64()?;
            let mut words: Vec<Word> =
                (0..self.at).map(|_| from.word(heap)).collect::<Restored<_>>()?;
            for word in words.iter_mut().filter(|w| w.is_heap()) {
                *word = heap.parameter(*word).ok_or(wrong("a parameter has no key"))?;
            }
            if self.store.find(partition, 0, &words).is_some() {
                return Err(wrong("a mark is there twice"));
            }
            words.push(Word::int(from.u64()? as i64));
            let id = self.store.insert(partition, seq, &words);
            self.earlier.resize(self.store.slots(), Vec::new());
            let earlier = (0..from.len()?).map(|_| from.u64()).collect::<Restored<_>>()?;
            self.earlier[id as usize] = earlier;
        }
        Ok(())
    }
}
