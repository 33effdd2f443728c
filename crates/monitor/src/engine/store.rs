//! Stores instances: records of one width in a slab, in partitions, found through indexes.

use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use watchword_near::fetch;
use watchword_step::{Tag, Word};

use super::crowd::{Classes, Crowds};

/// No record.
pub(crate) const NIL: u32 = u32::MAX;

/// Mixes bits, so that similar keys are spread over the table.
#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd6e8_feb8_6659_fd93);
    (wide as u64) ^ (wide >> 64) as u64
}

/// A hasher for sets and maps of identities and small numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixing(u64);

impl Hasher for Mixing {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = mix(self.0, n);
    }
}

/// The hasher of such sets and maps.
pub(crate) type Mixed = BuildHasherDefault<Mixing>;

/// A hash of text.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u32 {
    let mut hash = bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    mix(hash, 0x1234_5678) as u32
}

/// The word by which a word is found. Equal words have the same one; a NaN is found by its bits and
/// then compares as unequal.
#[inline]
pub(crate) fn index_key(word: Word) -> (Tag, u64) {
    match word.tag {
        Tag::Float => float_key(word),
        Tag::Unset => (Tag::Null, 0),
        tag => (tag, word.bits),
    }
}

#[inline(never)]
fn float_key(word: Word) -> (Tag, u64) {
    word.key().map_or((Tag::Float, word.bits), |k| (k.tag, k.bits))
}

/// Whether a value can be compared by its bits and its tag alone.
#[inline]
pub(crate) fn is_plain(word: Word) -> bool {
    matches!(word.tag, Tag::Int | Tag::Str | Tag::Ref | Tag::Ptr | Tag::Bool)
}

/// A hash of the words of a record that a mask selects.
#[inline]
pub(crate) fn hash_words(words: &[Word], mask: u32) -> u32 {
    let mut hash = hash_start(mask);
    let mut rest = mask;
    while rest != 0 {
        let at = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        hash = hash_on(hash, words[at]);
    }
    fold(hash)
}

/// The initial value of the hash of the words that a mask selects; the words follow in the order of
/// the mask's bits.
#[inline]
pub(crate) fn hash_start(mask: u32) -> u64 {
    u64::from(mask)
}

/// The same hash for a single word.
#[inline]
pub(crate) fn hash_word(word: Word) -> u32 {
    fold(hash_on(hash_start(1), word))
}

#[inline]
pub(crate) fn hash_on(hash: u64, word: Word) -> u64 {
    let (tag, bits) = index_key(word);
    mix(hash ^ (tag as u64) << 32, bits)
}

/// The same for a value that is compared by its bits.
#[inline]
pub(crate) fn hash_plain(hash: u64, word: Word) -> u64 {
    mix(hash ^ (word.tag as u64) << 32, word.bits)
}

#[inline]
pub(crate) fn fold(hash: u64) -> u32 {
    (hash >> 32) as u32 ^ hash as u32
}

#[inline]
fn agree(a: &[Word], b: &[Word], mask: u32) -> bool {
    let mut rest = mask;
    while rest != 0 {
        let at = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        if !same(a[at], b[at]) {
            return false;
        }
    }
    true
}

/// Whether two words are found by the same key. Identical words are; numbers of different types may
/// be as well.
#[inline]
pub(crate) fn same(a: Word, b: Word) -> bool {
    a.bits == b.bits && a.tag == b.tag || index_key(a) == index_key(b)
}

/// The number of bytes that are close to the processor if they are used often. It is zero in builds
/// with mutants, so that small tests do what large traces do.
pub(crate) const NEAR: usize = if cfg!(feature = "mutants") { 1 } else { 1 << 17 };

/// The mark of a record number whose bucket has more than one record.
const MANY: u32 = 1 << 31;

/// An open-addressing table of record numbers, with their hashes beside them so that a probe reads
/// a record only if it is probably the right one. A number may be marked with [`MANY`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    slots: Vec<(u32, u32)>,
    len: usize,
}

impl Table {
    /// The preferred position of an entry with this hash. The size is not a power of two: tables
    /// grow by half, so that fewer positions are empty.
    #[inline]
    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.slots.len() as u64) >> 32) as usize
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    /// The distance from `from` to `to`, wrapping at the end.
    fn distance(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.slots.len() - from }
    }

    #[inline]
    pub fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.find_marked(hash, is).map(|id| id & !MANY)
    }

    /// Like [`Table::find`], with the mark. `is` is called without it.
    #[inline(always)]
    fn find_marked(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.home(hash);
        loop {
            let (found, id) = self.slots[at];
            if id == NIL {
                return None;
            }
            if found == hash && is(id & !MANY) {
                return Some(id);
            }
            at = self.next(at);
        }
    }

    pub fn insert(&mut self, hash: u32, id: u32) {
        self.reserve();
        self.len += 1;
        self.place(hash, id);
    }

    /// Makes room for one more.
    #[inline]
    fn reserve(&mut self) {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.resize((self.slots.len() * 3 / 2).max(8));
        }
    }

    /// Returns the first record of a new record's bucket, without a mark, and marks it. If there is
    /// no bucket yet, the new record becomes its first one.
    #[inline]
    fn join(&mut self, hash: u32, id: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.reserve();
        let mut at = self.home(hash);
        loop {
            let (found, first) = self.slots[at];
            if first == NIL {
                self.slots[at] = (hash, id);
                self.len += 1;
                return None;
            }
            if found == hash && is(first & !MANY) {
                self.slots[at].1 = first | MANY;
                return Some(first & !MANY);
            }
            at = self.next(at);
        }
    }

    fn place(&mut self, hash: u32, id: u32) {
        let mut at = self.home(hash);
        while self.slots[at].1 != NIL {
            at = self.next(at);
        }
        self.slots[at] = (hash, id);
    }

    fn resize(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.slots, vec![(0, NIL); size]);
        for (hash, id) in old {
            if id != NIL {
                self.place(hash, id);
            }
        }
    }

    /// Removes all entries. Memory of a burst is freed if few entries are expected.
    fn clear(&mut self, expected: usize) {
        self.len = 0;
        if self.slots.len() > 64 && expected * 32 < self.slots.len() {
            self.slots = vec![(0, NIL); self.slots.len() / 4];
        } else {
            self.slots.fill((0, NIL));
        }
    }

    fn slot_of(&self, hash: u32, id: u32) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.home(hash);
        while self.slots[at].1 != NIL {
            if self.slots[at].1 & !MANY == id {
                return Some(at);
            }
            at = self.next(at);
        }
        None
    }

    /// Replaces a record by another one, marked or not, with the same hash.
    fn replace(&mut self, hash: u32, id: u32, by: u32) {
        if let Some(at) = self.slot_of(hash, id) {
            self.slots[at].1 = by;
        }
    }

    /// Removes an entry and moves back the entries that had been displaced by it. There are no
    /// tombstones, so the table does not degrade when many entries pass through.
    pub fn remove(&mut self, hash: u32, id: u32) {
        let Some(mut hole) = self.slot_of(hash, id) else { return };
        let mut at = hole;
        loop {
            at = self.next(at);
            let (hash, id) = self.slots[at];
            if id == NIL {
                break;
            }
            // An entry may move if the hole is between its preferred position and its present one.
            if self.distance(self.home(hash), at) >= self.distance(hole, at) {
                self.slots[hole] = (hash, id);
                hole = at;
            }
        }
        self.slots[hole] = (0, NIL);
        self.len -= 1;
        if self.slots.len() > 64 && self.len * 8 < self.slots.len() {
            self.resize(self.slots.len() / 4);
        }
    }
}

/// The fixed part of a record. It is stored in front of the record's words, so that a record is in
/// one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// Creation order; 45 bits.
    pub seq: u64,
    /// The state, for contexts with one automaton.
    pub state: u32,
    pub partition: u16,
    pub live: bool,
    /// Whether the slice has begun.
    pub begun: bool,
    /// Whether an instance of a context with any number of automata is inconclusive.
    pub lost: bool,
}

const LIVE: u64 = 1;
const BEGUN: u64 = 2;
const LOST: u64 = 4;

impl Head {
    #[inline]
    fn pack(self) -> Word {
        let flags = (u64::from(self.live) * LIVE)
            | (u64::from(self.begun) * BEGUN)
            | (u64::from(self.lost) * LOST);
        let bits = self.seq << 19 | u64::from(self.partition) << 3 | flags;
        Word { bits, aux: self.state, tag: Tag::Null }
    }

    #[inline]
    fn unpack(word: Word) -> Head {
        Head {
            seq: word.bits >> 19,
            state: word.aux,
            partition: (word.bits >> 3) as u16,
            live: word.bits & LIVE != 0,
            begun: word.bits & BEGUN != 0,
            lost: word.bits & LOST != 0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Link {
    next: u32,
    previous: u32,
}

/// The number of records that agree with a key.
pub(crate) enum Matching {
    /// None.
    None,
    /// This one.
    One(u32),
    /// Possibly several.
    Many,
}

impl Matching {
    #[inline(always)]
    fn of(marked: Option<u32>) -> Matching {
        match marked {
            None => Matching::None,
            Some(id) if id & MANY == 0 => Matching::One(id),
            Some(_) => Matching::Many,
        }
    }
}

/// An index: one way to find records of a partition.
#[derive(Clone, Debug)]
struct Index {
    mask: u32,
    /// The position of its links in a record; `None` if there is at most one record per key, and no
    /// links.
    link: Option<usize>,
    /// From key to the first record of the bucket; unused if the mask is empty.
    table: Table,
    /// The first record, if the mask is empty.
    first: u32,
    /// The effect of the looking-up events in each state, if it differs.
    classes: Option<Box<Classes>>,
    /// The buckets that are crowds; they are not in the table.
    crowds: Option<Box<Crowds>>,
}

#[derive(Clone, Debug)]
struct Part {
    /// The range of its indexes among the store's.
    indexes: Range<usize>,
    len: usize,
}

/// See the documentation of the module.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    /// The number of words per record, without the head.
    width: usize,
    links_each: usize,
    /// The records, each with its head first.
    words: Vec<Word>,
    links: Vec<Link>,
    free: Vec<u32>,
    parts: Vec<Part>,
    /// The indexes of all partitions, one after the other.
    indexes: Vec<Index>,
    len: usize,
    peak: usize,
    /// Counts how often a partition got its first record or lost its last.
    changes: u64,
    /// Counts how often a record was added or removed.
    comings: u64,
    /// Whether a bucket is a crowd.
    is_crowded: bool,
}

impl Store {
    /// A store with these partitions: `parts` contains for each the masks of its indexes. If
    /// `unique` is set, the first index of each has at most one record per key.
    pub fn new(width: usize, parts: &[Vec<u32>], unique: bool) -> Store {
        let mut links_each = 0;
        let mut indexes = Vec::new();
        let parts = parts
            .iter()
            .map(|masks| {
                let first = indexes.len();
                let unlinked = usize::from(unique);
                indexes.extend(masks.iter().enumerate().map(|(i, mask)| Index {
                    mask: *mask,
                    link: i.checked_sub(unlinked),
                    table: Table::default(),
                    first: NIL,
                    classes: None,
                    crowds: None,
                }));
                links_each = links_each.max(masks.len().saturating_sub(unlinked));
                Part { indexes: first..indexes.len(), len: 0 }
            })
            .collect();
        Store {
            width,
            links_each,
            words: Vec::new(),
            links: Vec::new(),
            free: Vec::new(),
            parts,
            indexes,
            len: 0,
            peak: 0,
            changes: 0,
            comings: 0,
            is_crowded: false,
        }
    }

    /// Sets the effect of the events that use an index, by state. The index must have links and no
    /// records.
    pub fn classify(&mut self, partition: usize, index: usize, classes: Classes) {
        let number = self.number(partition, index);
        if self.indexes[number].link.is_some() {
            self.indexes[number].classes = Some(Box::new(classes));
        }
    }

    /// Whether a bucket of an index may become a crowd.
    pub fn is_classified(&self, partition: usize, index: usize) -> bool {
        self.index(partition, index).classes.is_some()
    }

    /// Turns the bucket of a key into a crowd.
    #[cold]
    pub fn make_crowd(&mut self, partition: usize, index: usize, key: &[Word]) {
        let number = self.number(partition, index);
        let mut members = Vec::new();
        self.each(partition, index, key, |id| members.push(id));
        let Some(first) = members.first().copied() else { return };
        let index = &mut self.indexes[number];
        let Some(classes) = &index.classes else { return };
        if index.crowds.as_ref().is_some_and(|crowds| crowds.of(first).is_some()) {
            return;
        }
        let hash = hash_words(key, index.mask);
        if index.mask == 0 {
            index.first = NIL;
        } else {
            index.table.remove(hash, first);
        }
        let crowds = index.crowds.get_or_insert_default();
        let crowd = crowds.make(hash, classes);
        self.is_crowded = true;
        for id in members {
            self.link_crowd(number, crowd, id);
        }
    }

    /// Appends a record to the list of its class.
    fn link_crowd(&mut self, number: usize, crowd: u32, id: u32) {
        let state = self.state(id);
        let index = &mut self.indexes[number];
        let (Some(crowds), Some(classes), Some(link)) =
            (&mut index.crowds, &index.classes, index.link)
        else {
            return;
        };
        crowds.enter(crowd, id);
        let first = crowds.first(crowd, classes.of(state));
        let each = self.links_each;
        let slot = |id: u32| id as usize * each + link;
        if *first == NIL {
            *first = id;
            self.links[slot(id)] = Link { next: id, previous: id };
            return;
        }
        let first = *first;
        let last = self.links[slot(first)].previous;
        self.links[slot(id)] = Link { next: first, previous: last };
        self.links[slot(last)].next = id;
        self.links[slot(first)].previous = id;
    }

    /// Removes a record in a state from the list of its class.
    fn unlink_crowd(&mut self, number: usize, crowd: u32, id: u32, state: u32) {
        let index = &mut self.indexes[number];
        let (Some(crowds), Some(classes), Some(link)) =
            (&mut index.crowds, &index.classes, index.link)
        else {
            return;
        };
        let each = self.links_each;
        let slot = |id: u32| id as usize * each + link;
        let Link { next, previous } = self.links[slot(id)];
        let first = crowds.first(crowd, classes.of(state));
        if next == id {
            *first = NIL;
        } else {
            if *first == id {
                *first = next;
            }
            self.links[slot(previous)].next = next;
            self.links[slot(next)].previous = previous;
        }
        crowds.leave(crowd, id);
    }

    /// Updates crowds after a record changed its state.
    #[cold]
    fn change_class(&mut self, id: u32, from: u32, to: u32) {
        let partition = self.head(id).partition as usize;
        for number in self.parts[partition].indexes.clone() {
            let index = &self.indexes[number];
            if let (Some(crowds), Some(classes)) = (&index.crowds, &index.classes)
                && let Some(crowd) = crowds.of(id)
                && classes.of(from) != classes.of(to)
            {
                let alone = crowds.get(crowd).len == 1;
                let hash = crowds.get(crowd).hash;
                self.unlink_crowd(number, crowd, id, from);
                let at = self.place(id);
                self.words[at].aux = to;
                let index = &mut self.indexes[number];
                let crowd = match (alone, &mut index.crowds, &index.classes) {
                    (true, Some(crowds), Some(classes)) => crowds.make(hash, classes),
                    _ => crowd,
                };
                self.link_crowd(number, crowd, id);
            }
        }
    }

    /// The crowd of a key, if its bucket is one.
    #[inline(never)]
    fn crowd(&self, index: &Index, key: &[Word]) -> Option<u32> {
        let crowds = index.crowds.as_ref()?;
        let (stride, mask) = (self.width + 1, index.mask);
        crowds.find(hash_words(key, mask), |o| {
            agree(&self.words[o as usize * stride + 1..], key, mask)
        })
    }

    /// Calls `see` for the records of a crowd that belong to these classes.
    fn each_of_crowd(&self, index: &Index, crowd: u32, classes: u64, see: &mut impl FnMut(u32)) {
        let (Some(crowds), Some(link)) = (&index.crowds, index.link) else { return };
        for (class, first) in crowds.get(crowd).firsts.iter().enumerate() {
            if *first == NIL || classes & 1 << class == 0 {
                continue;
            }
            let mut at = *first;
            loop {
                see(at);
                at = self.links[at as usize * self.links_each + link].next;
                if at == *first {
                    break;
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The memory of a record with its places in indexes.
    pub fn record_bytes(&self) -> usize {
        // A table has about two thirds of its positions occupied.
        let places = self.indexes.len().div_ceil(self.parts.len().max(1)) * 12;
        (self.width + 1) * size_of::<Word>() + self.links_each * size_of::<Link>() + places
    }

    /// The number of words per record.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The parameters that records of a partition bind.
    pub fn domain(&self, partition: usize) -> u32 {
        self.index(partition, 0).mask
    }

    /// The index by exactly these parameters, if a partition has one.
    pub fn index_of(&self, partition: usize, mask: u32) -> Option<usize> {
        self.indexes[self.parts[partition].indexes.clone()].iter().position(|i| i.mask == mask)
    }

    /// The number of partitions.
    pub fn partitions(&self) -> usize {
        self.parts.len()
    }

    pub fn peak(&self) -> usize {
        self.peak
    }

    /// Whether a partition has any record.
    pub fn is_occupied(&self, partition: usize) -> bool {
        self.parts[partition].len > 0
    }

    /// A counter that changes whenever [`Store::is_occupied`] may have changed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// A counter that changes whenever a record is added or removed.
    #[inline]
    pub fn comings(&self) -> u64 {
        self.comings
    }

    #[inline]
    fn index(&self, partition: usize, index: usize) -> &Index {
        &self.indexes[self.number(partition, index)]
    }

    /// The number of a partition's index among all indexes.
    #[inline]
    pub fn number(&self, partition: usize, index: usize) -> usize {
        self.parts[partition].indexes.start + index
    }

    #[inline]
    fn place(&self, id: u32) -> usize {
        id as usize * (self.width + 1)
    }

    #[inline]
    pub fn head(&self, id: u32) -> Head {
        Head::unpack(self.words[self.place(id)])
    }

    #[inline]
    pub fn state(&self, id: u32) -> u32 {
        self.words[self.place(id)].aux
    }

    #[inline]
    pub fn set_state(&mut self, id: u32, state: u32) {
        let at = self.place(id);
        if self.is_crowded {
            self.change_class(id, self.words[at].aux, state);
        }
        self.words[at].aux = state;
    }

    pub fn set_begun(&mut self, id: u32, begun: bool) {
        let at = self.place(id);
        let others = self.words[at].bits & !BEGUN;
        self.words[at].bits = others | (u64::from(begun) * BEGUN);
    }

    pub fn set_lost(&mut self, id: u32) {
        let at = self.place(id);
        self.words[at].bits |= LOST;
    }

    #[inline]
    pub fn words(&self, id: u32) -> &[Word] {
        let at = self.place(id) + 1;
        &self.words[at..at + self.width]
    }

    #[inline]
    pub fn words_mut(&mut self, id: u32) -> &mut [Word] {
        let at = self.place(id) + 1;
        &mut self.words[at..at + self.width]
    }

    /// Whether this is still the record that was created as number `seq`.
    pub fn is(&self, id: u32, seq: u64) -> bool {
        let head = self.words.get(self.place(id)).copied().map(Head::unpack);
        head.is_some_and(|h| h.live && h.seq == seq)
    }

    /// Adds a record with these first words; the other words are null.
    pub fn insert(&mut self, partition: usize, seq: u64, words: &[Word]) -> u32 {
        let partition = partition as u16;
        let head = Head { seq, state: 0, partition, live: true, begun: true, lost: false };
        let id = match self.free.pop() {
            Some(id) => {
                let at = self.place(id);
                self.words[at] = head.pack();
                let (given, rest) = self.words_mut(id).split_at_mut(words.len());
                given.copy_from_slice(words);
                rest.fill(Word::NULL);
                id
            }
            None => {
                let id = self.slots() as u32;
                assert!(id < MANY - 1, "fewer than 2^31 instances");
                let end = self.words.len() + 1 + self.width;
                self.words.push(head.pack());
                self.words.extend_from_slice(words);
                self.words.resize(end, Word::NULL);
                let none = Link { next: NIL, previous: NIL };
                self.links.resize(self.links.len() + self.links_each, none);
                id
            }
        };
        self.link(id);
        self.len += 1;
        self.peak = self.peak.max(self.len);
        id
    }

    /// Copies the words of another record from a position on. No index may use these words.
    pub fn copy_rest(&mut self, from: u32, to: u32, position: usize) {
        let (source, target) = (self.place(from) + 1, self.place(to) + 1);
        self.words.copy_within(source + position..source + self.width, target + position);
    }

    pub fn remove(&mut self, id: u32) {
        self.unlink(id);
        let at = self.place(id);
        self.words[at].bits &= !LIVE;
        self.len -= 1;
        if self.len == 0 {
            // Removes all records and frees the memory of a burst.
            self.words.clear();
            self.links.clear();
            self.free.clear();
            self.words.shrink_to(1024);
            self.links.shrink_to(1024);
        } else {
            self.free.push(id);
        }
    }

    /// Removes many records. If few are left, the indexes are built anew instead.
    pub fn remove_many(&mut self, going: &[u32]) {
        if 2 * going.len() < self.len || going.len() == self.len {
            return going.iter().for_each(|id| self.remove(*id));
        }
        for id in going {
            let at = self.place(*id);
            self.words[at].bits &= !LIVE;
        }
        self.free.extend_from_slice(going);
        self.len -= going.len();
        self.changes += 1;
        self.comings += 1;
        self.parts.iter_mut().for_each(|part| part.len = 0);
        self.is_crowded = false;
        for index in &mut self.indexes {
            index.table.clear(self.len);
            index.first = NIL;
            index.crowds = None;
        }
        for id in self.in_order() {
            self.link(id);
        }
    }

    fn link(&mut self, id: u32) {
        self.comings += 1;
        if self.is_crowded {
            self.join_crowds(id);
        }
        let stride = self.width + 1;
        let at = id as usize * stride;
        let words = &self.words[at + 1..at + stride];
        let part = &mut self.parts[Head::unpack(self.words[at]).partition as usize];
        self.changes += u64::from(part.len == 0);
        part.len += 1;
        for index in &mut self.indexes[part.indexes.clone()] {
            if index.crowds.as_ref().is_some_and(|crowds| crowds.of(id).is_some()) {
                continue;
            }
            let first = if index.mask == 0 {
                Some(index.first).filter(|f| *f != NIL)
            } else {
                let hash = hash_words(words, index.mask);
                let (all, mask) = (&self.words, index.mask);
                match index.link {
                    None => {
                        index.table.insert(hash, id);
                        None
                    }
                    Some(_) => index
                        .table
                        .join(hash, id, |o| agree(&all[o as usize * stride + 1..], words, mask)),
                }
            };
            if index.mask == 0 && first.is_none() {
                index.first = id;
            }
            let Some(link) = index.link else { continue };
            let each = self.links_each;
            let slot = |id: u32| id as usize * each + link;
            match first {
                None => self.links[slot(id)] = Link { next: id, previous: id },
                Some(first) => {
                    // Appends a record to its bucket, which is in order of creation.
                    let last = self.links[slot(first)].previous;
                    self.links[slot(id)] = Link { next: first, previous: last };
                    self.links[slot(last)].next = id;
                    self.links[slot(first)].previous = id;
                }
            }
        }
    }

    /// Adds a new record to its crowds.
    #[cold]
    fn join_crowds(&mut self, id: u32) {
        let partition = self.head(id).partition as usize;
        for number in self.parts[partition].indexes.clone() {
            if let Some(crowd) = self.crowd(&self.indexes[number], self.words(id)) {
                self.link_crowd(number, crowd, id);
            }
        }
    }

    /// Removes a record from its crowds, and returns the numbers of the indexes in which it was not
    /// in a crowd.
    #[cold]
    fn leave_crowds(&mut self, id: u32) -> u64 {
        let head = self.head(id);
        let mut left = 0;
        let numbers = self.parts[head.partition as usize].indexes.clone();
        for (at, number) in numbers.enumerate() {
            let crowds = self.indexes[number].crowds.as_ref();
            if let Some(crowd) = crowds.and_then(|crowds| crowds.of(id)) {
                self.unlink_crowd(number, crowd, id, head.state);
                left |= 1 << at;
            }
        }
        left
    }

    fn unlink(&mut self, id: u32) {
        self.comings += 1;
        let left = if self.is_crowded { self.leave_crowds(id) } else { 0 };
        let stride = self.width + 1;
        let at = id as usize * stride;
        let words = &self.words[at + 1..at + stride];
        let part = &mut self.parts[Head::unpack(self.words[at]).partition as usize];
        part.len -= 1;
        self.changes += u64::from(part.len == 0);
        for (at, index) in self.indexes[part.indexes.clone()].iter_mut().enumerate() {
            if left & 1 << at != 0 {
                continue;
            }
            let Some(link) = index.link else {
                if index.mask == 0 {
                    index.first = NIL;
                } else {
                    index.table.remove(hash_words(words, index.mask), id);
                }
                continue;
            };
            let each = self.links_each;
            let slot = |id: u32| id as usize * each + link;
            let Link { next, previous } = self.links[slot(id)];
            if next == id {
                if index.mask == 0 {
                    index.first = NIL;
                } else {
                    index.table.remove(hash_words(words, index.mask), id);
                }
                continue;
            }
            self.links[slot(previous)].next = next;
            self.links[slot(next)].previous = previous;
            if index.mask == 0 {
                if index.first == id {
                    index.first = next;
                }
            } else {
                // Only the first record of a bucket is in the table. With two records left, each
                // links to the other.
                let hash = hash_words(words, index.mask);
                let alone = next == previous;
                let mark = if alone { 0 } else { MANY };
                index.table.replace(hash, id, next | mark);
                if alone {
                    index.table.replace(hash, next, next);
                }
            }
        }
    }

    /// The first record that agrees with `key` on the mask of the index.
    #[inline]
    pub fn find(&self, partition: usize, index: usize, key: &[Word]) -> Option<u32> {
        self.find_marked(partition, index, key).map(|id| id & !MANY)
    }

    /// Like the function above, with a mark if it is not the only one; with an empty mask, it is
    /// always marked.
    #[inline(always)]
    fn find_marked(&self, partition: usize, index: usize, key: &[Word]) -> Option<u32> {
        let index = self.index(partition, index);
        if index.mask == 0 {
            return Some(index.first).filter(|f| *f != NIL).map(|f| f | MANY);
        }
        let (all, stride, mask) = (&self.words, self.width + 1, index.mask);
        index.table.find_marked(hash_words(key, mask), |o| {
            agree(&all[o as usize * stride + 1..], key, mask)
        })
    }

    /// The record with this hash in an index, if it is the only one of its bucket; otherwise
    /// [`NIL`]. The caller must still compare the key.
    #[inline]
    pub fn likely(&self, number: usize, hash: u32) -> u32 {
        let found = self.indexes[number].table.find_marked(hash, |_| true);
        found.filter(|id| *id & MANY == 0).unwrap_or(NIL)
    }

    /// Prefetches the preferred position of a record with this hash. Its actual position is near.
    #[inline]
    pub fn fetch_home(&self, number: usize, hash: u32) {
        let table = &self.indexes[number].table;
        if let Some(slot) = table.slots.get(table.home(hash)) {
            fetch(slot);
        }
    }

    /// Prefetches a record's keys and state.
    #[inline]
    pub fn fetch(&self, id: u32) {
        let at = self.place(id);
        if let Some(head) = self.words.get(at) {
            fetch(head);
        }
        if let Some(last) = self.words.get(at + self.width) {
            fetch(last);
        }
    }

    /// Whether the store is larger than a cache near the processor.
    pub fn is_large(&self) -> bool {
        self.words.len() * size_of::<Word>() >= NEAR
    }

    /// The record that agrees with `key`, if there is exactly one.
    #[inline(always)]
    pub fn only(&self, partition: usize, index: usize, key: &[Word]) -> Matching {
        match Matching::of(self.find_marked(partition, index, key)) {
            Matching::None if self.index(partition, index).crowds.is_some() => Matching::Many,
            found => found,
        }
    }

    /// The record with this hash for which `is` holds, if there is exactly one, in an index whose
    /// mask is not empty.
    #[inline(always)]
    pub fn only_hashed(&self, number: usize, hash: u32, is: impl Fn(u32) -> bool) -> Matching {
        match Matching::of(self.indexes[number].table.find_marked(hash, is)) {
            Matching::None if self.indexes[number].crowds.is_some() => Matching::Many,
            found => found,
        }
    }

    /// A word of a record.
    #[inline(always)]
    pub fn word(&self, id: u32, position: usize) -> Word {
        self.words[self.place(id) + 1 + position]
    }

    /// Calls `see` for every record that agrees with `key`, in order of creation.
    #[inline]
    pub fn each(&self, partition: usize, index: usize, key: &[Word], mut see: impl FnMut(u32)) {
        let Some(first) = self.find_marked(partition, index, key) else {
            let index = self.index(partition, index);
            if let Some(crowd) = self.crowd(index, key) {
                self.each_of_crowd(index, crowd, u64::MAX, &mut see);
            }
            return;
        };
        if first & MANY == 0 {
            return see(first);
        }
        let first = first & !MANY;
        let Some(link) = self.index(partition, index).link else { return see(first) };
        let mut at = first;
        loop {
            see(at);
            at = self.links[at as usize * self.links_each + link].next;
            if at == first {
                return;
            }
        }
    }

    /// The same for events of a kind, without the records in crowds that the event does not change;
    /// these have no order. Returns whether the bucket is a crowd.
    #[inline]
    pub fn each_awake(
        &self,
        partition: usize,
        index: usize,
        key: &[Word],
        kind: u32,
        mut see: impl FnMut(u32),
    ) -> bool {
        let of = self.index(partition, index);
        if let Some(classes) = of.classes.as_ref().filter(|_| of.crowds.is_some())
            && let Some(crowd) = self.crowd(of, key)
        {
            self.each_of_crowd(of, crowd, classes.awake(kind), &mut see);
            return true;
        }
        self.each(partition, index, key, see);
        false
    }

    /// Every live record.
    pub fn all(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.slots() as u32).filter(|id| self.words[self.place(*id)].bits & LIVE != 0)
    }

    /// Every live record, in order of creation.
    pub fn in_order(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.all().collect();
        all.sort_unstable_by_key(|id| self.head(*id).seq);
        all
    }

    /// The highest record number ever used, plus one.
    pub fn slots(&self) -> usize {
        self.words.len() / (self.width + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_survives_churn() {
        let mut table = Table::default();
        // Many collisions, also around the end.
        let hash = |i: u32| hash_words(&[Word::int(i64::from(i))], 1) | 0xf000_0000;
        for round in 0..20u32 {
            for i in 0..300 {
                table.insert(hash(i), i);
            }
            for i in 0..300 {
                assert_eq!(table.find(hash(i), |id| id == i), Some(i));
            }
            for i in (0..300).filter(|i| (i + round) % 3 != 0) {
                table.remove(hash(i), i);
            }
            for i in 0..300 {
                let expected = ((i + round) % 3 == 0).then_some(i);
                assert_eq!(table.find(hash(i), |id| id == i), expected);
            }
            for i in (0..300).filter(|i| (i + round) % 3 == 0) {
                table.remove(hash(i), i);
            }
            assert_eq!(table.len, 0);
        }
    }

    #[test]
    fn buckets_keep_the_order_of_creation() {
        let mut store = Store::new(2, &[vec![0b11, 0b01, 0]], true);
        let word = |i: i64| Word::int(i);
        let ids: Vec<u32> =
            (0..6).map(|i| store.insert(0, i as u64, &[word(i % 2), word(i)])).collect();
        let bucket = |store: &Store, index, key: &[Word]| {
            let mut found = Vec::new();
            store.each(0, index, key, |id| found.push(store.head(id).seq));
            found
        };
        assert_eq!(bucket(&store, 1, &[word(0), Word::UNSET]), [0, 2, 4]);
        assert_eq!(bucket(&store, 0, &[word(1), word(3)]), [3]);
        store.remove(ids[0]);
        store.remove(ids[2]);
        assert_eq!(bucket(&store, 1, &[word(0), Word::UNSET]), [4]);
        assert_eq!(bucket(&store, 2, &[]), [1, 3, 4, 5]);
        store.insert(0, 9, &[word(0), word(0)]);
        assert_eq!(bucket(&store, 1, &[Word::float(0.0), Word::UNSET]), [4, 9]);
        assert_eq!(store.find(0, 0, &[word(0), word(2)]), None);
        assert_eq!(store.len(), 5);
    }
}
