//! How instances came to where they are: bounded chains of steps that copies share.
//!
//! A letter that somebody takes is recorded once, as the words it came with; what a person reads is
//! made of it only for a report. Records and rings are used again, so that remembering costs no
//! allocation once as many were there at a time.

use watchword_model::{EventId, StateId, Time};
use watchword_near::fetch;
use watchword_step::Word;

use super::gather;
use super::heap::Heap;
use super::spots::Spots;
use super::world::Letter;
use crate::Step;

/// No history, and no record.
pub(crate) const EMPTY: u32 = u32::MAX;

/// How many arguments of a letter lie in its record; more lie elsewhere.
const NEAR: usize = 2;

/// Chains of steps, each a ring of the last `limit` of them. A copied instance shares its source's
/// ring until one of the two takes another step.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    limit: usize,
    /// By size; see [`Rings`].
    rings: Vec<Rings>,
    records: Vec<Record>,
    free_records: Vec<u32>,
    spots: Spots,
}

/// A letter. The memory of its arguments is reused when no history refers to it any more.
#[derive(Clone, Debug)]
struct Record {
    holders: u32,
    /// `None` for a deadline.
    event: Option<EventId>,
    index: u64,
    time: Option<Time>,
    thread: Option<u64>,
    /// Where, as [`Spots`] know it, and the line there.
    spot: Option<u32>,
    line: Option<u32>,
    /// How many arguments it has.
    count: usize,
    near: [Word; NEAR],
    /// All of them, if they are more than what is near.
    far: Vec<Word>,
}

impl Record {
    const NEW: Record = Record {
        holders: 0,
        event: None,
        index: 0,
        time: None,
        thread: None,
        spot: None,
        line: None,
        count: 0,
        near: [Word::NULL; NEAR],
        far: Vec::new(),
    };

    fn set_args(&mut self, args: &[Word]) {
        self.count = args.len();
        match self.near.get_mut(..args.len()) {
            Some(near) => near.copy_from_slice(args),
            None => {
                self.far.clear();
                self.far.extend_from_slice(args);
            }
        }
    }

    fn args(&self) -> &[Word] {
        self.near.get(..self.count).unwrap_or(&self.far)
    }
}

/// All rings of one size, side by side.
#[derive(Clone, Debug)]
struct Rings {
    /// How many steps such a ring has room for.
    capacity: u32,
    /// Of every ring: its holders and its [`Mark`], then its steps, each a record and a state.
    entries: Vec<[u32; 2]>,
    free: Vec<u32>,
}

/// Where a ring's next step goes, whether it has been all around, and whether steps were lost.
#[derive(Clone, Copy)]
struct Mark(u32);

impl Mark {
    const CUT: u32 = 1 << 31;
    const FULL: u32 = 1 << 30;

    fn next(self) -> u32 {
        self.0 & !(Mark::CUT | Mark::FULL)
    }

    fn is_full(self) -> bool {
        self.0 & Mark::FULL != 0
    }

    fn is_cut(self) -> bool {
        self.0 & Mark::CUT != 0
    }

    /// How many steps there are.
    fn len(self, capacity: u32) -> u32 {
        if self.is_full() { capacity } else { self.next() }
    }

    /// After another step.
    fn advanced(self, capacity: u32) -> Mark {
        let lost = if self.is_full() { Mark::CUT } else { 0 };
        let flags = self.0 & (Mark::CUT | Mark::FULL) | lost;
        match self.next() + 1 {
            next if next == capacity => Mark(flags | Mark::FULL),
            next => Mark(flags | next),
        }
    }
}

/// The number of a chain: the size of its ring, and its place among those.
const PLACE: u32 = 28;

fn chain_of(size: usize, place: u32) -> u32 {
    (size as u32) << PLACE | place
}

fn ring_of(chain: u32) -> (usize, u32) {
    ((chain >> PLACE) as usize, chain & ((1 << PLACE) - 1))
}

/// Each size is four times the one before, the last what is asked for at most; there are fewer than
/// sixteen.
fn sizes(limit: usize) -> Vec<Rings> {
    let most = limit.clamp(1, (Mark::FULL - 1) as usize) as u32;
    let smaller = (1..15).map(|i| 1 << (2 * i)).take_while(|size| *size < most);
    let ring = |capacity| Rings { capacity, entries: Vec::new(), free: Vec::new() };
    smaller.chain([most]).map(ring).collect()
}

impl Rings {
    #[inline]
    fn at(&self, place: u32) -> usize {
        place as usize * (self.capacity as usize + 1)
    }

    fn mark(&self, place: u32) -> Mark {
        Mark(self.entries[self.at(place)][1])
    }

    fn holders(&mut self, place: u32) -> &mut u32 {
        let at = self.at(place);
        &mut self.entries[at][0]
    }

    /// An empty ring with one holder.
    fn take(&mut self) -> u32 {
        if let Some(place) = self.free.pop() {
            let at = self.at(place);
            self.entries[at] = [1, 0];
            return place;
        }
        let each = self.capacity as usize + 1;
        let place = self.entries.len() / each;
        assert!(place < (1 << PLACE) - 1, "fewer than 2^28 histories");
        self.entries.resize(self.entries.len() + each, [EMPTY, 0]);
        self.entries[place * each] = [1, 0];
        place as u32
    }

    /// Adds a step; the record of the one that is lost for it, if one is.
    #[inline]
    fn push(&mut self, place: u32, record: u32, state: u32) -> Option<u32> {
        let at = self.at(place);
        let mark = Mark(self.entries[at][1]);
        let entry = &mut self.entries[at + 1 + mark.next() as usize];
        let lost = mark.is_full().then_some(entry[0]);
        *entry = [record, state];
        self.entries[at][1] = mark.advanced(self.capacity).0;
        lost
    }

    /// The steps, in two pieces, the older ones first.
    fn steps(&self, place: u32) -> impl Iterator<Item = &[u32; 2]> {
        let (at, mark) = (self.at(place) + 1, self.mark(place));
        let steps = &self.entries[at..at + mark.len(self.capacity) as usize];
        let (newer, older) = steps.split_at(if mark.is_full() { mark.next() as usize } else { 0 });
        older.iter().chain(newer)
    }
}

impl History {
    pub fn new(limit: usize) -> History {
        History { limit, rings: sizes(limit), ..History::default() }
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        self.limit > 0
    }

    /// The memory of what is remembered.
    pub fn bytes(&self) -> usize {
        let in_use = |rings: &Rings| {
            rings.entries.len().saturating_sub(rings.free.len() * (1 + rings.capacity as usize))
        };
        let entries: usize = self.rings.iter().map(in_use).sum();
        let records = self.records.len() - self.free_records.len();
        entries * size_of::<[u32; 2]>() + records * size_of::<Record>()
    }

    /// Records a letter; the caller holds the record.
    pub fn record(&mut self, letter: &Letter<'_>, timed: bool, by_deadline: bool) -> u32 {
        let id = self.free_records.pop().unwrap_or_else(|| {
            self.records.push(Record::NEW);
            self.records.len() as u32 - 1
        });
        let record = &mut self.records[id as usize];
        record.holders = 1;
        record.event = (!by_deadline).then_some(letter.event);
        record.index = letter.index;
        record.time = timed.then_some(letter.time);
        record.thread = letter.thread;
        record.spot = letter.location.map(|place| self.spots.hold(place.location));
        record.line = letter.location.and_then(|place| place.line);
        record.set_args(letter.args);
        id
    }

    /// One more holder of a record.
    pub fn hold(&mut self, record: u32) -> u32 {
        if record != EMPTY {
            self.records[record as usize].holders += 1;
        }
        record
    }

    /// One holder of a record less.
    #[inline]
    pub fn let_go(&mut self, record: u32) {
        if record == EMPTY {
            return;
        }
        let held = &mut self.records[record as usize];
        held.holders -= 1;
        if held.holders == 0 {
            if let Some(spot) = held.spot.take() {
                self.spots.let_go(spot);
            }
            self.free_records.push(record);
        }
    }

    /// Adds a step to a chain its caller holds, and gives the chain the caller holds instead.
    pub fn push(&mut self, chain: u32, record: u32, state: u32) -> u32 {
        self.hold(record);
        let chain = self.with_room(chain);
        let (size, place) = ring_of(chain);
        if let Some(lost) = self.rings[size].push(place, record, state) {
            self.let_go(lost);
        }
        chain
    }

    /// A chain with the same steps, that its caller alone holds instead of this one, and whose ring
    /// has room for another step or is as large as any.
    #[inline]
    fn with_room(&mut self, chain: u32) -> u32 {
        if chain == EMPTY {
            return chain_of(0, self.rings[0].take());
        }
        let (size, place) = ring_of(chain);
        let is_last = size + 1 == self.rings.len();
        let ring = &mut self.rings[size];
        let is_full = ring.mark(place).is_full();
        let is_shared = *ring.holders(place) > 1;
        if !is_shared && (!is_full || is_last) {
            return chain;
        }
        self.moved(chain, if is_full && !is_last { size + 1 } else { size })
    }

    /// The same steps in another ring, that the caller holds instead of this one.
    #[inline(never)]
    fn moved(&mut self, chain: u32, to: usize) -> u32 {
        let (size, place) = ring_of(chain);
        let steps: Vec<[u32; 2]> = self.rings[size].steps(place).copied().collect();
        let was_cut = self.rings[size].mark(place).is_cut();
        let target = &mut self.rings[to];
        let new = target.take();
        for [record, state] in steps {
            target.push(new, record, state);
            self.records[record as usize].holders += 1;
        }
        if was_cut {
            let at = target.at(new);
            target.entries[at][1] |= Mark::CUT;
        }
        self.release(chain);
        chain_of(to, new)
    }

    /// Whether a chain had more steps than [`History::steps`] gives.
    pub fn is_cut(&self, chain: u32) -> bool {
        let (size, place) = ring_of(chain);
        chain != EMPTY && self.rings[size].mark(place).is_cut()
    }

    /// One more holder of a chain.
    pub fn share(&mut self, chain: u32) -> u32 {
        if chain != EMPTY {
            let (size, place) = ring_of(chain);
            *self.rings[size].holders(place) += 1;
        }
        chain
    }

    /// One holder of a chain less.
    #[inline]
    pub fn release(&mut self, chain: u32) {
        if chain == EMPTY {
            return;
        }
        let (size, place) = ring_of(chain);
        let ring = &mut self.rings[size];
        let holders = ring.holders(place);
        *holders -= 1;
        if *holders > 0 {
            return;
        }
        ring.free.push(place);
        let first = ring.at(place) + 1;
        let count = ring.mark(place).len(ring.capacity) as usize;
        for at in first..first + count {
            let [record, _] = self.rings[size].entries[at];
            self.let_go(record);
        }
    }

    /// Has the memory fetched that another step of these chains will need, of all of them at once.
    #[inline]
    pub fn fetch(&self, chains: impl Iterator<Item = u32>) {
        let (chains, count) = gather(chains);
        for chain in &chains[..count] {
            let (size, place) = ring_of(*chain);
            if let Some(first) =
                self.rings.get(size).and_then(|rings| rings.entries.get(rings.at(place)))
            {
                fetch(first);
            }
        }
        for record in chains[..count].iter().filter_map(|chain| self.next_lost(*chain)) {
            let record = &self.records[record as usize];
            fetch(&record.holders);
            fetch(&record.near[NEAR - 1]);
        }
    }

    /// The record that the next step of a chain takes the place of, if it takes one's.
    #[inline]
    fn next_lost(&self, chain: u32) -> Option<u32> {
        let (size, place) = ring_of(chain);
        let rings = self.rings.get(size)?;
        let at = rings.at(place);
        let mark = Mark(rings.entries.get(at)?[1]);
        let [record, _] = *rings.entries.get(at + 1 + mark.next() as usize)?;
        mark.is_full().then_some(record)
    }

    /// The steps of a chain as they are kept, oldest first: the number of the event, what it was,
    /// its record and the state it led to.
    pub fn entries(&self, chain: u32) -> Vec<(u64, u32, u32)> {
        if chain == EMPTY {
            return Vec::new();
        }
        let (size, place) = ring_of(chain);
        let steps = self.rings[size].steps(place);
        let shown =
            |[record, state]: &[u32; 2]| (self.records[*record as usize].index, *record, *state);
        steps.map(shown).collect()
    }

    /// The last `limit` steps, oldest first.
    pub fn steps(&self, chain: u32, heap: &Heap) -> Vec<Step> {
        if chain == EMPTY {
            return Vec::new();
        }
        let (size, place) = ring_of(chain);
        let steps = self.rings[size].steps(place);
        let shown = steps.map(|[record, state]| {
            let record = &self.records[*record as usize];
            Step {
                index: record.index,
                event: record.event,
                args: record.args().iter().map(|w| heap.to_value(*w)).collect(),
                time: record.time,
                thread: record.thread,
                location: record.spot.and_then(|spot| self.spots.location(spot, record.line)),
                state: StateId(*state),
            }
        });
        shown.collect()
    }

    /// Marks what records hold.
    pub fn mark(&self, heap: &mut Heap) {
        for record in self.records.iter().filter(|r| r.holders > 0) {
            record.args().iter().for_each(|w| heap.mark(*w));
        }
    }

    /// How many steps could be stored in the rings that are used, and how many records are.
    #[cfg(test)]
    fn sizes(&self) -> (usize, usize) {
        let room = |rings: &Rings| {
            let used = rings.entries.len() / (rings.capacity as usize + 1) - rings.free.len();
            used * rings.capacity as usize
        };
        (self.rings.iter().map(room).sum(), self.records.len() - self.free_records.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cause;

    fn push(history: &mut History, chain: u32, index: u64, state: u32) -> u32 {
        let letter = Letter {
            event: EventId::END,
            args: &[Word::int(index as i64)],
            index,
            cause: Cause::Event,
            time: 0,
            thread: None,
            location: None,
            held: None,
        };
        let record = history.record(&letter, false, false);
        let chain = history.push(chain, record, state);
        history.let_go(record);
        chain
    }

    #[test]
    fn chains_are_bounded_shared_and_given_back() {
        let mut history = History::new(4);
        let heap = Heap::default();
        let mut chain = EMPTY;
        for i in 0..1000 {
            chain = push(&mut history, chain, i, 0);
            assert!(history.sizes().0 <= 4 && history.sizes().1 <= 4);
        }
        let copy = history.share(chain);
        let copy = push(&mut history, copy, 5000, 1);
        assert!(history.sizes().0 <= 12);
        let mut long = history.share(chain);
        for i in 2000..2020 {
            long = push(&mut history, long, i, 0);
            assert!(history.sizes().0 <= 20);
        }
        let shown = |history: &History, chain| {
            let steps = history.steps(chain, &heap).into_iter();
            steps.map(|s| (s.index, s.args[0].to_string())).collect::<Vec<_>>()
        };
        let value = |i: u64| (i, i.to_string());
        assert_eq!(shown(&history, chain), [996, 997, 998, 999].map(value));
        assert!([chain, copy, long].iter().all(|chain| history.is_cut(*chain)));
        assert_eq!(shown(&history, copy), [997, 998, 999, 5000].map(value));
        assert_eq!(shown(&history, long), [2016, 2017, 2018, 2019].map(value));
        history.release(chain);
        history.release(copy);
        history.release(long);
        assert_eq!(history.sizes(), (0, 0));
    }

    #[test]
    fn a_chain_outgrows_its_ring() {
        let mut history = History::new(100);
        let heap = Heap::default();
        let mut chain = EMPTY;
        let mut shared = Vec::new();
        for i in 0..300u64 {
            chain = push(&mut history, chain, i, i as u32);
            let steps = history.steps(chain, &heap);
            assert_eq!(steps.len() as u64, (i + 1).min(100));
            assert!(steps.iter().rev().zip((0..=i).rev()).all(|(s, i)| s.index == i));
            assert_eq!(history.is_cut(chain), i >= 100);
            if i % 7 == 0 {
                shared.push((history.share(chain), steps));
            }
        }
        history.release(chain);
        for (chain, steps) in shared {
            let kept = history.steps(chain, &heap);
            assert!(kept.iter().map(|s| s.index).eq(steps.iter().map(|s| s.index)));
            history.release(chain);
        }
        assert_eq!(history.sizes(), (0, 0));
    }

    #[test]
    fn what_was_left_out_is_known() {
        for limit in 1..12 {
            let mut history = History::new(limit);
            let mut chain = EMPTY;
            for i in 1..20 {
                chain = push(&mut history, chain, i, 0);
                assert_eq!(history.is_cut(chain), i as usize > limit, "{i} of {limit}");
            }
        }
    }
}
