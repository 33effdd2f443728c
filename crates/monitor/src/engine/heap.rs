//! Texts, lists and maps, to which words refer by handles.
//!
//! Texts are interned: equal texts have equal handles, so comparing and hashing a text is comparing
//! a number. Entries that no instance holds are found by mark and sweep, which the engine starts
//! when the number of entries has doubled since the previous sweep.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};
use std::sync::Arc;

use watchword_model::{Key, Object, Time, Value, ValueRef};
use watchword_near::fetch;
use watchword_step::{Aggregate, Builtin, Host, NotRelevant, Output, Tag, WindowRow, Word};

use super::globs::Globs;
use super::item::{self, Entry, Item};
use super::memory::{Memory, PER_TEXT, PER_WEIGHT};
use super::store::{Table, hash_bytes};
use super::tree::Measure;
use super::window::Window;
use crate::{MAX_TEXT, MAX_WEIGHT};

/// Below this number of texts, lists, maps and windows, no sweep is made.
const FEW: usize = if cfg!(feature = "mutants") { 8 } else { 4096 };

/// The number of class names that are cached. Objects in lists and maps have few classes.
const RECENT: usize = 16;

/// An output of the branch that is being taken.
#[derive(Clone, Debug)]
pub(crate) enum Pending {
    Send(u32, Vec<Word>),
    Print(Word),
    Action(u32, Vec<Word>),
    ResetClock(u32),
    SetClock(u32, i64),
    StopClock(u32),
}

/// See the documentation of the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    texts: Vec<Option<Arc<str>>>,
    free_texts: Vec<u32>,
    by_text: Table,
    /// Handles of class names that were used lately, by the address of the text.
    recent: [u32; RECENT],
    /// Lists and maps.
    boxed: Vec<Option<Item>>,
    free_boxed: Vec<u32>,
    /// Windows; each is held by one variable of one instance.
    windows: Vec<Option<Window>>,
    free_windows: Vec<u32>,
    /// The current time, for windows.
    pub now: Time,
    /// The mistake of a mutant: by how much windows are too short.
    pub shorter: u64,
    /// The mistake of a mutant: by how much clocks are behind.
    pub behind: i64,
    /// By digest: the handles that represent all equal lists and maps, if these are compared often.
    canonical: HashMap<u64, Vec<u32>>,
    /// Outputs of the branch that is being taken.
    pub pending: Vec<Pending>,
    /// Why the last evaluation without a value failed.
    pub why: Option<NotRelevant>,
    /// How much memory there is.
    pub memory: Memory,
    /// The list, map or text that was made last, if there was no memory for it.
    refused: Option<Word>,
    globs: Globs,
    marks: Marks,
    /// The number of texts, lists and maps.
    entries: usize,
    /// The number that survived the last sweep.
    survivors: usize,
    /// Handles below these are constants and never swept.
    pinned_texts: usize,
    pinned_boxed: usize,
}

#[derive(Clone, Debug, Default)]
struct Marks {
    texts: Vec<bool>,
    boxed: Vec<bool>,
    windows: Vec<bool>,
}

impl Heap {
    /// The word of a borrowed value.
    #[inline(never)]
    pub fn word(&mut self, value: &ValueRef<'_>) -> Word {
        match *value {
            ValueRef::Int(i) => Word::int(i),
            ValueRef::Null => Word::NULL,
            ValueRef::Bool(b) => Word::bool(b),
            ValueRef::Float(f) => Word::float(f),
            ValueRef::Str(text) => self.text(text),
            ValueRef::Ref(id, class) => self.object(id, class),
            ValueRef::Ptr(p) => Word::ptr(p),
            ValueRef::Other(value) => self.value(value),
        }
    }

    /// The word of a value.
    pub fn value(&mut self, value: &Value) -> Word {
        match value {
            Value::Null => Word::NULL,
            Value::Bool(b) => Word::bool(*b),
            Value::Int(i) => Word::int(*i),
            Value::Float(f) => Word::float(*f),
            Value::Str(text) => self.text(text),
            Value::Ref(o) => match self.known_object(o) {
                Some(word) => word,
                None => {
                    let word = self.object(o.id, o.class.as_deref());
                    self.remember_class(word);
                    word
                }
            },
            Value::Ptr(p) => Word::ptr(*p),
            Value::List(_) | Value::Map(_) => self.boxed(Item::from(value)),
        }
    }

    /// The word of an object whose class is cached, or that has no class.
    #[inline]
    fn known_object(&self, object: &Object) -> Option<Word> {
        let Some(class) = &object.class else { return Some(Word::object(object.id)) };
        let handle = self.recent[place_of(class)];
        let held = self.texts.get(handle as usize)?.as_ref()?;
        Arc::ptr_eq(held, class).then_some(Word { bits: object.id, aux: handle + 1, tag: Tag::Ref })
    }

    fn remember_class(&mut self, object: Word) {
        let Some(handle) = object.aux.checked_sub(1) else { return };
        if let Some(class) = &self.texts[handle as usize] {
            self.recent[place_of(class)] = handle;
        }
    }

    fn object(&mut self, id: u64, class: Option<&str>) -> Word {
        let aux = class.map_or(0, |class| self.text(class).bits as u32 + 1);
        Word { bits: id, aux, tag: Tag::Ref }
    }

    /// The word of a text.
    pub fn text(&mut self, text: &str) -> Word {
        let hash = hash_bytes(text.as_bytes());
        let texts = &self.texts;
        if let Some(id) = self.by_text.find(hash, |id| texts[id as usize].as_deref() == Some(text))
        {
            return Word::handle(Tag::Str, id);
        }
        let id = self.free_texts.pop().unwrap_or(self.texts.len() as u32);
        if id as usize == self.texts.len() {
            self.texts.push(None);
        }
        self.texts[id as usize] = Some(Arc::from(text));
        self.entries += 1;
        self.memory.add(text.len() + PER_TEXT);
        self.by_text.insert(hash, id);
        Word::handle(Tag::Str, id)
    }

    /// The word of a new list or map of which so much is shared with no other one.
    fn made(&mut self, item: Item, own: usize) -> Word {
        let bytes = own * PER_WEIGHT;
        let is_refused = self.memory.lacks(bytes);
        self.memory.add(bytes);
        let word = self.boxed(item);
        self.refused = is_refused.then_some(word);
        word
    }

    /// The word of a list or a map.
    fn boxed(&mut self, item: Item) -> Word {
        let tag = if matches!(item, Item::Map(_)) { Tag::Map } else { Tag::List };
        self.entries += 1;
        let id = match self.free_boxed.pop() {
            Some(id) => {
                self.boxed[id as usize] = Some(item);
                id
            }
            None => {
                self.boxed.push(Some(item));
                self.boxed.len() as u32 - 1
            }
        };
        Word::handle(tag, id)
    }

    /// The word of an element.
    fn element_word(&mut self, item: Item) -> Word {
        match item {
            Item::Plain(value) => self.value(&value),
            item => self.boxed(item),
        }
    }

    /// A word as an element of a list or a map.
    fn to_item(&self, word: Word) -> Item {
        match word.tag {
            Tag::List | Tag::Map => self.held(word).cloned().unwrap_or(Item::Plain(Value::Null)),
            _ => Item::Plain(self.to_value(word)),
        }
    }

    /// The text of a handle.
    fn str(&self, word: Word) -> &str {
        self.texts.get(word.bits as usize).and_then(Option::as_deref).unwrap_or("")
    }

    /// The list or the map of a handle.
    fn held(&self, word: Word) -> Option<&Item> {
        self.boxed.get(word.bits as usize).and_then(Option::as_ref)
    }

    /// The key by which the value of a word is compared.
    #[inline]
    fn key(&self, word: Word) -> Option<Key> {
        match word.tag {
            Tag::Int => Some(Key::Int(word.as_int())),
            Tag::Ref => Some(Key::Ref(word.bits)),
            _ => self.to_value(word).key(),
        }
    }

    /// The value of a word; a missing value is null.
    pub fn to_value(&self, word: Word) -> Value {
        match word.tag {
            Tag::Unset | Tag::Null => Value::Null,
            Tag::Bool => Value::Bool(word.bits != 0),
            Tag::Int => Value::Int(word.as_int()),
            Tag::Float => Value::Float(word.as_float()),
            Tag::Str => self
                .texts
                .get(word.bits as usize)
                .and_then(Option::clone)
                .map_or(Value::Null, Value::Str),
            Tag::Ref => Value::Ref(Object {
                id: word.bits,
                class: (word.aux > 0)
                    .then(|| self.texts.get(word.aux as usize - 1).and_then(Option::clone))
                    .flatten(),
            }),
            Tag::Ptr => Value::Ptr(word.bits),
            Tag::List | Tag::Map => self.held(word).map_or(Value::Null, Item::to_value),
            // For people who inspect an instance; code reads the value of the window.
            Tag::Window => {
                let entries = self.held_window(word).into_iter().flat_map(Window::entries);
                Value::List(Arc::new(entries.map(|(_, word)| self.to_value(word)).collect()))
            }
        }
    }

    /// The window of a handle.
    pub fn held_window(&self, word: Word) -> Option<&Window> {
        match word.tag {
            Tag::Window => self.windows.get(word.bits as usize).and_then(Option::as_ref),
            _ => None,
        }
    }

    fn held_window_mut(&mut self, word: Word) -> Option<&mut Window> {
        match word.tag {
            Tag::Window => self.windows.get_mut(word.bits as usize).and_then(Option::as_mut),
            _ => None,
        }
    }

    /// The word of a window.
    pub fn add_window(&mut self, window: Window) -> Word {
        self.entries += 1;
        self.memory.take(window.bytes());
        let id = match self.free_windows.pop() {
            Some(id) => id,
            None => {
                self.windows.push(None);
                self.windows.len() as u32 - 1
            }
        };
        self.windows[id as usize] = Some(window);
        Word::handle(Tag::Window, id)
    }

    /// What a copy of an instance holds instead of a window: a window of its own.
    pub fn copy_window(&mut self, word: Word) -> Word {
        match self.held_window(word).cloned() {
            Some(copy) => self.add_window(copy),
            None => word,
        }
    }

    /// Gives back the memory of a window that its instance does not hold any more.
    pub fn drop_window(&mut self, word: Word) {
        if word.tag == Tag::Window
            && let Some(window) = self.windows.get_mut(word.bits as usize).and_then(Option::take)
        {
            self.entries -= 1;
            self.free_windows.push(word.bits as u32);
            self.memory.give_back(window.bytes());
        }
    }

    /// Has the memory of a window fetched.
    #[inline]
    pub fn fetch_window(&self, word: Word) {
        if word.tag == Tag::Window {
            // It may lie in two lines of the cache; the next one begins where it ends.
            self.windows.iter().skip(word.bits as usize).take(2).for_each(fetch);
        }
    }

    /// Has the oldest and the newest event of a window fetched.
    #[inline]
    pub fn fetch_ends_of_window(&self, word: Word) {
        if let Some(window) = self.held_window(word) {
            window.fetch_ends();
        }
    }

    /// The memory of a window; 0 if the word is none.
    pub fn bytes_of_window(&self, word: Word) -> usize {
        self.held_window(word).map_or(0, Window::bytes)
    }

    /// The memory of all windows.
    pub fn bytes_of_windows(&self) -> usize {
        self.windows.iter().flatten().map(Window::bytes).sum()
    }

    /// The memory of all texts, lists and maps.
    pub fn bytes_of_values(&self) -> usize {
        let texts = self.texts.iter().flatten().map(|text| text.len() + PER_TEXT);
        let boxed = self.boxed.iter().flatten();
        texts.chain(boxed.map(|item| item.weight().saturating_mul(PER_WEIGHT))).sum()
    }

    /// Whether a window is empty.
    pub fn is_window_over(&mut self, word: Word) -> bool {
        let now = self.now;
        self.held_window_mut(word).is_none_or(|window| window.is_over(now))
    }

    /// Sets the first time of the trace: events in windows get this time.
    pub fn begin_time(&mut self, first: Time) {
        self.windows.iter_mut().flatten().for_each(|window| window.begin_time(first));
    }

    /// The word as which a parameter is stored: equal lists and maps get equal handles, so that
    /// [`Word::key`] decides equality. `None` if the value equals nothing.
    pub fn parameter(&mut self, word: Word) -> Option<Word> {
        let has_key = match word.is_heap() {
            true => !self.held(word)?.has_nan(),
            false => word.key().is_some(),
        };
        has_key.then(|| self.canonical(word))
    }

    /// A word that represents all values that cannot be distinguished from this one; all NaNs are
    /// the same.
    pub fn canonical(&mut self, word: Word) -> Word {
        if word.tag == Tag::Float && word.as_float().is_nan() {
            return Word::float(f64::NAN);
        }
        if !word.is_heap() {
            return word;
        }
        let Some(digest) = self.held(word).map(Item::digest) else { return word };
        let like_it = |known: &u32| {
            let known = Word::handle(word.tag, *known);
            let identity = |word| self.to_value(word).identity();
            known.bits == word.bits || identity(known) == identity(word)
        };
        let all = self.canonical.get(&digest).map_or(&[][..], Vec::as_slice);
        if let Some(known) = all.iter().copied().find(like_it) {
            return Word::handle(word.tag, known);
        }
        self.canonical.entry(digest).or_default().push(word.bits as u32);
        word
    }

    /// Makes all present entries permanent.
    pub fn pin(&mut self) {
        self.pinned_texts = self.texts.len();
        self.pinned_boxed = self.boxed.len();
    }

    /// Whether enough was added to make a sweep worthwhile.
    #[inline]
    pub fn wants_sweep(&self) -> bool {
        self.entries > 2 * self.survivors + FEW || self.memory.wants_sweep()
    }

    /// Begins to mark entries that are held.
    pub fn start_marking(&mut self) {
        self.marks.texts.clear();
        self.marks.texts.resize(self.texts.len(), false);
        self.marks.boxed.clear();
        self.marks.boxed.resize(self.boxed.len(), false);
        self.marks.windows.clear();
        self.marks.windows.resize(self.windows.len(), false);
        self.marks.texts[..self.pinned_texts].fill(true);
        self.marks.boxed[..self.pinned_boxed].fill(true);
    }

    /// Marks an entry as held.
    #[inline]
    pub fn mark(&mut self, word: Word) {
        match word.tag {
            Tag::Str => self.marks.texts[word.bits as usize] = true,
            Tag::Ref if word.aux > 0 => self.marks.texts[word.aux as usize - 1] = true,
            Tag::List | Tag::Map => self.marks.boxed[word.bits as usize] = true,
            Tag::Window => self.mark_window(word.bits as usize),
            _ => {}
        }
    }

    #[inline(never)]
    fn mark_window(&mut self, id: usize) {
        self.marks.windows[id] = true;
        let Some(mut window) = self.windows[id].take() else { return };
        window.tidy(self.now);
        if window.holds_values() {
            window.entries().for_each(|(_, word)| self.mark(word));
        }
        self.windows[id] = Some(window);
    }

    /// Frees all entries that are not marked.
    pub fn sweep(&mut self) {
        self.globs.forget_handles();
        for id in 0..self.texts.len() {
            if !self.marks.texts[id]
                && let Some(text) = self.texts[id].take()
            {
                self.by_text.remove(hash_bytes(text.as_bytes()), id as u32);
                self.free_texts.push(id as u32);
                self.entries -= 1;
            }
        }
        let boxed = &self.marks.boxed;
        self.canonical.retain(|_, ids| {
            ids.retain(|id| boxed[*id as usize]);
            !ids.is_empty()
        });
        for id in 0..self.boxed.len() {
            if !self.marks.boxed[id] && self.boxed[id].take().is_some() {
                self.free_boxed.push(id as u32);
                self.entries -= 1;
            }
        }
        for id in 0..self.windows.len() {
            if !self.marks.windows[id] && self.windows[id].take().is_some() {
                self.free_windows.push(id as u32);
                self.entries -= 1;
            }
        }
        while matches!(self.windows.last(), Some(None)) {
            self.windows.pop();
        }
        let length = self.windows.len() as u32;
        self.free_windows.retain(|id| *id < length);
        self.survivors = self.entries;
        // Memory of a burst is returned to the system, and not only to the free lists.
        while matches!(self.texts.last(), Some(None)) {
            self.texts.pop();
        }
        let length = self.texts.len() as u32;
        self.free_texts.retain(|id| *id < length);
        if self.texts.capacity() > 4 * (self.texts.len() + 1024) {
            self.texts.shrink_to(2 * self.texts.len());
        }
        while matches!(self.boxed.last(), Some(None)) {
            self.boxed.pop();
        }
        let length = self.boxed.len() as u32;
        self.free_boxed.retain(|id| *id < length);
    }

    fn show(&self, word: Word) -> String {
        self.to_value(word).to_string()
    }
}

/// What is left of a text when what was written is taken off its beginning; writing anything else fails.
struct Rest<'t>(&'t str);

impl fmt::Write for Rest<'_> {
    fn write_str(&mut self, written: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(written).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// The position of a class name in the cache.
#[inline]
fn place_of(class: &Arc<str>) -> usize {
    (Arc::as_ptr(class).addr() >> 4) % RECENT
}

/// The position that an index selects in a list of this length.
fn position(index: Word, len: usize) -> Option<usize> {
    (index.tag == Tag::Int).then_some(())?;
    usize::try_from(index.as_int()).ok().filter(|i| *i < len)
}

impl Host for Heap {
    fn enter(&mut self, held: Word, row: &WindowRow, value: Word) -> Result<Word, NotRelevant> {
        let value = match row.aggregate {
            // Values that cannot be distinguished have one handle.
            Aggregate::Distinct => self.canonical(value),
            _ => value,
        };
        if self.held_window(held).is_some() {
            return self.enter_held(held, value).map(|()| held);
        }
        let window = Window::new(row.aggregate, row.within.saturating_sub(self.shorter));
        let held = self.add_window(window);
        let entered = self.enter_held(held, value);
        if entered.is_err() {
            self.drop_window(held);
        }
        entered.map(|()| held)
    }

    fn window(&mut self, held: Word, aggregate: Aggregate) -> Option<Word> {
        let now = self.now;
        match self.held_window_mut(held) {
            Some(window) => window.value(aggregate, now),
            None => Window::empty(aggregate),
        }
    }

    fn failed(&mut self, why: NotRelevant) {
        self.why = Some(why);
    }

    fn keeps(&self, word: Word) -> bool {
        self.refused != Some(word)
    }

    fn same(&self, a: Word, b: Word) -> bool {
        self.to_value(a).same(&self.to_value(b))
    }

    fn order(&self, a: Word, b: Word) -> Ordering {
        self.str(a).as_bytes().cmp(self.str(b).as_bytes())
    }

    fn fits(&self, word: Word) -> bool {
        match word.tag {
            Tag::Str => self.str(word).len() / 16 < MAX_TEXT,
            _ => self.held(word).is_some_and(|item| item.weight() <= MAX_WEIGHT),
        }
    }

    fn concat(&mut self, a: Word, b: Word) -> Option<Word> {
        let text = format!("{}{}", self.to_value(a), self.to_value(b));
        let is_refused = self.memory.lacks(text.len());
        let word = (text.len() / 16 < MAX_TEXT).then(|| self.text(&text))?;
        self.refused = is_refused.then_some(word);
        Some(word)
    }

    fn now(&self) -> i64 {
        self.now.wrapping_sub(self.behind)
    }

    fn shows(&self, word: Word, text: Word) -> Option<bool> {
        let is_short = matches!(word.tag, Tag::Null | Tag::Bool | Tag::Int | Tag::Ptr);
        if !is_short || text.tag != Tag::Str {
            return None;
        }
        let mut rest = Rest(self.str(text));
        Some(write!(rest, "{}", self.to_value(word)).is_ok() && rest.0.is_empty())
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Word]) -> Option<Word> {
        match (builtin, args) {
            (Builtin::Contains | Builtin::Get, [x, ..]) if x.is_heap() => {
                self.collection(builtin, *x, &args[1..])
            }
            (Builtin::Len, [x]) => match x.tag {
                Tag::Str => Some(Word::int(self.str(*x).chars().count() as i64)),
                Tag::List | Tag::Map => match self.held(*x)? {
                    Item::List(items) => Some(Word::int(items.len() as i64)),
                    Item::Map(entries) => Some(Word::int(entries.len() as i64)),
                    Item::Plain(_) => None,
                },
                _ => None,
            },
            (Builtin::ToStr, [x]) => {
                let text = self.show(*x);
                Some(self.text(&text))
            }
            (Builtin::ToInt, [x]) if x.tag == Tag::Str => {
                self.str(*x).trim().parse().ok().map(Word::int)
            }
            (Builtin::ToFloat, [x]) if x.tag == Tag::Str => {
                self.str(*x).trim().parse().ok().map(Word::float)
            }
            (Builtin::Lower | Builtin::Upper, [x]) if x.tag == Tag::Str => {
                let text = match builtin {
                    Builtin::Lower => self.str(*x).to_lowercase(),
                    _ => self.str(*x).to_uppercase(),
                };
                Some(self.text(&text))
            }
            (Builtin::StartsWith | Builtin::EndsWith | Builtin::Contains, [a, b])
                if a.tag == Tag::Str =>
            {
                (b.tag == Tag::Str).then_some(())?;
                let (a, b) = (self.str(*a), self.str(*b));
                Some(Word::bool(match builtin {
                    Builtin::StartsWith => a.starts_with(b),
                    Builtin::EndsWith => a.ends_with(b),
                    _ => a.contains(b),
                }))
            }
            (Builtin::Matches, [names, glob])
                if matches!(names.tag, Tag::Str | Tag::List) && glob.tag == Tag::Str =>
            {
                let (handle, name) = (glob.bits as u32, names.bits as u32);
                if names.tag == Tag::Str
                    && let Some(answer) = self.globs.recall(handle, name)
                {
                    return Some(Word::bool(answer));
                }
                // The value is taken out, because the data it is compared with is borrowed from
                // here, too.
                let mut globs = std::mem::take(&mut self.globs);
                let pattern = self.str(*glob);
                let answer = if names.tag == Tag::Str {
                    Some(globs.any(pattern, std::iter::once(self.str(*names))))
                } else if let Some(Item::List(items)) = self.held(*names) {
                    let texts = items.iter().filter_map(|item| match item {
                        Item::Plain(Value::Str(text)) => Some(&**text),
                        _ => None,
                    });
                    Some(globs.any(pattern, texts))
                } else {
                    None
                };
                self.globs = globs;
                if names.tag == Tag::Str
                    && let Some(answer) = answer
                {
                    self.globs.remember(handle, name, answer);
                }
                answer.map(Word::bool)
            }
            (_, [x, ..]) if x.is_heap() => self.collection(builtin, *x, &args[1..]),
            _ => None,
        }
    }

    fn list(&mut self, items: &[Word]) -> Option<Word> {
        let items = Item::List(items.iter().map(|w| self.to_item(*w)).collect());
        let own = items.weight();
        Some(self.made(items, own))
    }

    fn map(&mut self, pairs: &[Word]) -> Option<Word> {
        let mut map = BTreeMap::new();
        for pair in pairs.chunks_exact(2) {
            map.insert(self.key(pair[0])?, self.to_item(pair[1]));
        }
        let entries = map.into_iter().map(|(key, item)| Entry { key, item });
        let entries = Item::Map(entries.collect());
        let own = entries.weight();
        Some(self.made(entries, own))
    }

    fn walk(&mut self, word: Word) -> Option<Word> {
        matches!(self.held(word)?, Item::List(_) | Item::Map(_)).then_some(word)
    }

    fn element(&mut self, walked: Word, index: usize) -> Option<Word> {
        let item = match self.held(walked)? {
            Item::List(items) => items.get(index)?,
            Item::Map(entries) => {
                let key = Value::from(entries.get(index)?.key.clone());
                return Some(self.value(&key));
            }
            Item::Plain(_) => return None,
        };
        // Usually nothing has to be done.
        if let Item::Plain(Value::Ref(object)) = item
            && let Some(word) = self.known_object(object)
        {
            return Some(word);
        }
        let item = item.clone();
        Some(self.element_word(item))
    }

    fn output(&mut self, output: Output<'_>) {
        self.pending.push(match output {
            Output::Send(event, args) => Pending::Send(event, args.to_vec()),
            Output::Print(word) => Pending::Print(word),
            Output::Action(name, args) => Pending::Action(name, args.to_vec()),
            Output::ResetClock(clock) => Pending::ResetClock(clock),
            Output::SetClock(clock, after) => Pending::SetClock(clock, after),
            Output::StopClock(clock) => Pending::StopClock(clock),
        });
    }

    fn outputs(&self) -> usize {
        self.pending.len()
    }

    fn discard(&mut self, outputs: usize) {
        self.pending.truncate(outputs);
    }
}

impl Heap {
    /// Lets a value enter a window that is held.
    fn enter_held(&mut self, held: Word, value: Word) -> Result<(), NotRelevant> {
        let now = self.now;
        let held = self.windows.get_mut(held.bits as usize).and_then(Option::as_mut);
        let window = held.ok_or(NotRelevant::WrongKind)?;
        let before = window.bytes();
        if self.memory.is_limited() && self.memory.lacks(window.growth(now)) {
            return Err(NotRelevant::Memory);
        }
        let has_entered = window.enter(now, value);
        self.memory.give_back(before);
        self.memory.take(window.bytes());
        if has_entered { Ok(()) } else { Err(NotRelevant::WrongKind) }
    }

    /// Built-in functions of a list or a map.
    fn collection(&mut self, builtin: Builtin, subject: Word, args: &[Word]) -> Option<Word> {
        match (self.held(subject)?, builtin, args) {
            (Item::List(items), Builtin::Get, [index]) => {
                let item = items.get(position(*index, items.len())?)?.clone();
                Some(self.element_word(item))
            }
            (Item::Map(entries), Builtin::Get, [key]) => {
                let at = item::find(entries, &self.key(*key)?).ok()?;
                let item = entries.get(at)?.item.clone();
                Some(self.element_word(item))
            }
            (Item::List(items), Builtin::Contains, [value]) => {
                let key = self.key(*value);
                let found = key.is_some_and(|key| items.iter().any(|item| item.has_key(&key)));
                Some(Word::bool(found))
            }
            (Item::Map(entries), Builtin::Contains, [key]) => {
                let key = self.key(*key);
                Some(Word::bool(key.is_some_and(|key| item::find(entries, &key).is_ok())))
            }
            (Item::Map(entries), Builtin::Keys, []) => {
                let key = |entry: &Entry| Item::from(&Value::from(entry.key.clone()));
                let keys = Item::List(entries.iter().map(key).collect());
                let own = keys.weight();
                Some(self.made(keys, own))
            }
            _ => self.changed(builtin, subject, args),
        }
    }

    /// A version of a list or a map with an element added or removed.
    fn changed(&mut self, builtin: Builtin, subject: Word, args: &[Word]) -> Option<Word> {
        let changed = match (self.held(subject)?, builtin, args) {
            (Item::List(items), Builtin::Put, [index, value]) => {
                // The position after the last element appends.
                let at = position(*index, items.len() + 1)?;
                let item = self.to_item(*value);
                Item::List(match at == items.len() {
                    true => items.insert(at, item),
                    false => items.put(at, item),
                })
            }
            (Item::List(items), Builtin::Push, [value]) => {
                Item::List(items.insert(items.len(), self.to_item(*value)))
            }
            (Item::List(items), Builtin::Remove, [index]) => {
                Item::List(items.remove(position(*index, items.len())?))
            }
            (Item::Map(entries), Builtin::Put, [key, value]) => {
                let entry = Entry { key: self.key(*key)?, item: self.to_item(*value) };
                Item::Map(match item::find(entries, &entry.key) {
                    Ok(at) => entries.put(at, entry),
                    Err(at) => entries.insert(at, entry),
                })
            }
            (Item::Map(entries), Builtin::Remove, [key]) => {
                let at = self.key(*key).and_then(|key| item::find(entries, &key).ok());
                Item::Map(at.map_or_else(|| entries.clone(), |at| entries.remove(at)))
            }
            _ => return None,
        };
        // What lies on the way to the element that differs is not shared.
        let own = changed.weight().checked_ilog2().unwrap_or(0) as usize + 1;
        Some(match builtin {
            // An update that makes a value smaller needs memory only until the next sweep.
            Builtin::Remove => self.boxed(changed),
            _ => self.made(changed, own),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_nobody_holds_are_given_back() {
        let mut heap = Heap::default();
        let constant = heap.text("constant");
        heap.pin();
        for round in 0..50 {
            let held: Vec<Word> =
                (0..100).map(|i| heap.text(&format!("held {round} {i}"))).collect();
            for i in 0..1000 {
                heap.text(&format!("dropped {round} {i}"));
            }
            heap.start_marking();
            held.iter().for_each(|w| heap.mark(*w));
            heap.sweep();
            assert_eq!(heap.entries, 101);
            assert!(heap.texts.len() < 3000, "handles are used again");
            assert_eq!(heap.text(&format!("held {round} 7")), held[7]);
        }
        assert_eq!(heap.text("constant"), constant);
    }

    #[test]
    fn equal_lists_get_one_parameter_handle() {
        let mut heap = Heap::default();
        let list = |f: f64| Value::List(Arc::new(vec![Value::Float(f), Value::str("x")]));
        let a = heap.value(&list(3.0));
        let b = heap.value(&Value::List(Arc::new(vec![Value::Int(3), Value::str("x")])));
        assert_ne!(a, b);
        assert_eq!(heap.parameter(a), heap.parameter(b));
        let nan = heap.value(&list(f64::NAN));
        assert_eq!(heap.parameter(nan), None);
        let other = heap.value(&list(-f64::NAN));
        assert_eq!(heap.canonical(nan), heap.canonical(other));
    }
}
