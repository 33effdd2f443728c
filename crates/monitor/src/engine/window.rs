//! Sliding windows: each holds what it needs to say what it comes to in O(1), and lets go of an
//! event once, when its time is over. So an event costs O(1), amortised.

use std::collections::{HashMap, VecDeque};

use watchword_model::{ExactSum, Time, Value};
use watchword_near::fetch;
use watchword_step::{Aggregate, Tag, Word, WordKey};

/// A window. What it holds was put in at times that never decrease.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    within: u64,
    contents: Contents,
}

#[derive(Clone, Debug)]
enum Contents {
    /// When events came.
    Times(VecDeque<Time>),
    /// How many events there were, if they stay for ever.
    Ever(u64),
    /// Events, and how many have each value.
    Kinds { events: VecDeque<(Time, Word)>, kinds: Box<Kinds> },
    /// Events and their sum.
    Sum { events: VecDeque<(Time, Word)>, sum: Box<ExactSum> },
    /// The events that may still become the least or the greatest: each is less, or greater, than
    /// or equal to the one after it.
    Best { greatest: bool, events: VecDeque<(Time, Word)> },
}

/// What there is of each value. It lies apart, as sums do, so that most of what all windows need
/// is close together.
#[derive(Clone, Debug, Default)]
struct Kinds {
    counts: HashMap<WordKey, u32>,
    /// How many values are like no other.
    unlike: usize,
}

impl Window {
    pub fn new(aggregate: Aggregate, within: u64) -> Window {
        let events = VecDeque::new();
        let contents = match aggregate {
            Aggregate::Count if within >= FOR_EVER => Contents::Ever(0),
            Aggregate::Count => Contents::Times(VecDeque::new()),
            Aggregate::Distinct => Contents::Kinds { events, kinds: Box::default() },
            Aggregate::Sum | Aggregate::Avg => Contents::Sum { events, sum: Box::default() },
            Aggregate::Min => Contents::Best { greatest: false, events },
            Aggregate::Max => Contents::Best { greatest: true, events },
        };
        Window { within, contents }
    }

    /// Lets a value enter. Answers `false` if it is no number where one is needed; nothing has
    /// happened then. Lists and maps are told apart by their handles.
    pub fn enter(&mut self, now: Time, word: Word) -> bool {
        self.leave(now);
        match &mut self.contents {
            Contents::Times(times) => times.push_back(now),
            Contents::Ever(count) => *count += 1,
            Contents::Kinds { events, kinds } => {
                match word.key() {
                    Some(key) => *kinds.counts.entry(key).or_insert(0) += 1,
                    None => kinds.unlike += 1,
                }
                events.push_back((now, word));
            }
            Contents::Sum { events, sum } => {
                if !sum.add(&number(word)) {
                    return false;
                }
                events.push_back((now, word));
            }
            Contents::Best { greatest, events } => {
                if !ExactSum::default().add(&number(word)) {
                    return false;
                }
                // Equal ones stay: the earlier one is the one that is shown.
                let is_worse = |held: Word| match held.order(word) {
                    Some(order) if *greatest => order.is_lt(),
                    Some(order) => order.is_gt(),
                    None => false,
                };
                while events.back().is_some_and(|(_, held)| is_worse(*held)) {
                    events.pop_back();
                }
                events.push_back((now, word));
            }
        }
        true
    }

    /// Has the memory fetched that entering and leaving need.
    #[inline]
    pub fn fetch_ends(&self) {
        fn ends<T>(events: &VecDeque<T>) {
            events.front().into_iter().chain(events.back()).for_each(fetch);
        }
        match &self.contents {
            Contents::Ever(_) => {}
            Contents::Times(times) => ends(times),
            Contents::Kinds { events, kinds } => {
                fetch(&**kinds);
                ends(events);
            }
            Contents::Sum { events, sum } => {
                fetch(&**sum);
                ends(events);
            }
            Contents::Best { events, .. } => ends(events),
        }
    }

    /// What it takes up.
    pub fn bytes(&self) -> usize {
        const TIMED: usize = size_of::<(Time, Word)>();
        let contents = match &self.contents {
            Contents::Ever(_) => 0,
            Contents::Times(times) => times.capacity() * size_of::<Time>(),
            Contents::Kinds { events, kinds } => {
                let counts = size_of::<Kinds>() + kinds.counts.capacity() * PER_COUNT;
                events.capacity() * TIMED + counts
            }
            Contents::Sum { events, .. } => events.capacity() * TIMED + size_of::<ExactSum>(),
            Contents::Best { events, .. } => events.capacity() * TIMED,
        };
        size_of::<Option<Window>>() + contents
    }

    /// How much more it will take up when another value enters.
    pub fn growth(&mut self, now: Time) -> usize {
        self.leave(now);
        match &self.contents {
            Contents::Ever(_) => 0,
            Contents::Times(times) => doubled(times.len(), times.capacity(), size_of::<Time>()),
            Contents::Kinds { events, kinds } => {
                let counts = &kinds.counts;
                doubled(events.len(), events.capacity(), size_of::<(Time, Word)>())
                    + doubled(counts.len(), counts.capacity(), PER_COUNT)
            }
            Contents::Sum { events, .. } | Contents::Best { events, .. } => {
                doubled(events.len(), events.capacity(), size_of::<(Time, Word)>())
            }
        }
    }

    /// Lets go of what has been in it for too long, and of memory that it does not need.
    pub fn tidy(&mut self, now: Time) {
        self.leave(now);
        match &mut self.contents {
            Contents::Ever(_) => {}
            Contents::Times(times) => shrink(times),
            Contents::Kinds { events, kinds } => {
                shrink(events);
                let counts = &mut kinds.counts;
                if counts.capacity() > 4 * counts.len() + SPARE {
                    counts.shrink_to(2 * counts.len());
                }
            }
            Contents::Sum { events, .. } | Contents::Best { events, .. } => shrink(events),
        }
    }

    /// Lets go of what has been in it for too long.
    fn leave(&mut self, now: Time) {
        let within = self.within;
        // Exact, because time never runs backwards.
        let is_over = |at: Time| now.wrapping_sub(at) as u64 > within;
        match &mut self.contents {
            Contents::Ever(_) => {}
            Contents::Times(times) => {
                while times.front().is_some_and(|at| is_over(*at)) {
                    times.pop_front();
                }
            }
            Contents::Kinds { events, kinds } => {
                while let Some((_, word)) = events.pop_front_if(|(at, _)| is_over(*at)) {
                    let Some(key) = word.key() else {
                        kinds.unlike -= 1;
                        continue;
                    };
                    if let Some(count) = kinds.counts.get_mut(&key) {
                        *count -= 1;
                        if *count == 0 {
                            kinds.counts.remove(&key);
                        }
                    }
                }
            }
            Contents::Sum { events, sum } => {
                while let Some((_, word)) = events.pop_front_if(|(at, _)| is_over(*at)) {
                    match word.tag {
                        Tag::Float => sum.remove_float(word.as_float()),
                        _ => sum.remove_int(word.as_int()),
                    }
                }
            }
            Contents::Best { events, .. } => {
                while events.front().is_some_and(|(at, _)| is_over(*at)) {
                    events.pop_front();
                }
            }
        }
    }

    /// What it comes to.
    pub fn value(&mut self, aggregate: Aggregate, now: Time) -> Option<Word> {
        self.leave(now);
        match &self.contents {
            Contents::Ever(count) => Some(Word::int(*count as i64)),
            Contents::Times(times) => Some(Word::int(times.len() as i64)),
            Contents::Kinds { kinds, .. } => {
                Some(Word::int((kinds.counts.len() + kinds.unlike) as i64))
            }
            Contents::Sum { events, sum } if aggregate == Aggregate::Avg => match events.len() {
                0 => None,
                n => Some(Word::float(sum.float() / n as f64)),
            },
            Contents::Sum { sum, .. } => match sum.value() {
                Value::Int(i) => Some(Word::int(i)),
                Value::Float(f) => Some(Word::float(f)),
                _ => None,
            },
            Contents::Best { events, .. } => events.front().map(|(_, word)| *word),
        }
    }

    /// What a window comes to that nothing has entered yet.
    pub fn empty(aggregate: Aggregate) -> Option<Word> {
        match aggregate {
            Aggregate::Count | Aggregate::Distinct | Aggregate::Sum => Some(Word::int(0)),
            Aggregate::Min | Aggregate::Max | Aggregate::Avg => None,
        }
    }

    /// Whether nothing is in it any more.
    pub fn is_over(&mut self, now: Time) -> bool {
        self.leave(now);
        match &self.contents {
            Contents::Ever(count) => *count == 0,
            Contents::Times(times) => times.is_empty(),
            Contents::Kinds { events, .. }
            | Contents::Sum { events, .. }
            | Contents::Best { events, .. } => events.is_empty(),
        }
    }

    /// The first time is seen: what is in it came then.
    pub fn begin_time(&mut self, first: Time) {
        match &mut self.contents {
            Contents::Ever(_) => {}
            Contents::Times(times) => times.iter_mut().for_each(|at| *at = first),
            Contents::Kinds { events, .. }
            | Contents::Sum { events, .. }
            | Contents::Best { events, .. } => events.iter_mut().for_each(|(at, _)| *at = first),
        }
    }

    /// What it holds: when it came, and the value, which a window that only counts has none of. A
    /// window that never lets go of events does not know them.
    pub fn entries(&self) -> Box<dyn Iterator<Item = (Time, Word)> + '_> {
        match &self.contents {
            Contents::Ever(_) => Box::new(std::iter::empty()),
            Contents::Times(times) => Box::new(times.iter().map(|at| (*at, Word::NULL))),
            Contents::Kinds { events, .. }
            | Contents::Sum { events, .. }
            | Contents::Best { events, .. } => Box::new(events.iter().copied()),
        }
    }

    /// Whether its values may be texts or other things that the heap must keep.
    pub fn holds_values(&self) -> bool {
        matches!(self.contents, Contents::Kinds { .. })
    }

    /// How long events stay, or how many there were if they stay for ever, and what kind of window
    /// it is: the numbers it is saved as.
    pub fn shape(&self) -> (u64, u8) {
        let kind = match &self.contents {
            Contents::Ever(count) => return (*count, 5),
            Contents::Times(_) => 0,
            Contents::Kinds { .. } => 1,
            Contents::Sum { .. } => 2,
            Contents::Best { greatest: false, .. } => 3,
            Contents::Best { greatest: true, .. } => 4,
        };
        (self.within, kind)
    }

    /// An empty window of these numbers.
    pub fn of_shape(within: u64, kind: u8) -> Option<Window> {
        let aggregate = match kind {
            0 => Aggregate::Count,
            1 => Aggregate::Distinct,
            2 => Aggregate::Sum,
            3 => Aggregate::Min,
            4 => Aggregate::Max,
            5 => return Some(Window { within: FOR_EVER, contents: Contents::Ever(within) }),
            _ => return None,
        };
        Some(Window::new(aggregate, within))
    }
}

/// What a table takes up for each value that is counted.
const PER_COUNT: usize = 2 * size_of::<(WordKey, u32)>();

/// Events that stay as long as this stay for ever.
const FOR_EVER: u64 = i64::MAX as u64;

/// Room for so many events is not given back.
const SPARE: usize = 16;

/// What a sequence of this length grows by when something is added.
fn doubled(length: usize, capacity: usize, each: usize) -> usize {
    if length < capacity { 0 } else { capacity.max(4) * each }
}

fn shrink<T>(events: &mut VecDeque<T>) {
    if events.capacity() > 4 * events.len() + SPARE {
        events.shrink_to(2 * events.len());
    }
}

/// A number as the model has it; null if it is none.
fn number(word: Word) -> Value {
    match word.tag {
        Tag::Int => Value::Int(word.as_int()),
        Tag::Float => Value::Float(word.as_float()),
        _ => Value::Null,
    }
}

/// It fits into a line of the cache: with many windows, most of the time goes into fetching them.
const _: () = assert!(size_of::<Option<Window>>() <= 64);
