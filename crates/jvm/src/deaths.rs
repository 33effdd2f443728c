//! Objects that died, found without a reference per object.
//!
//! Objects that hold their identity are found by a walk over the heap after a collection, once
//! there are twice as many instances as after the last walk, and twenty times as long has passed as
//! that one took (unless there are far more instances): so walks cost a small share of the time,
//! however large the heap. Objects that cannot hold one are tagged, and the VM says when they are
//! gone.
//!
//! Where events make or step crowds of instances (every change of a map those of all its iterators), a
//! program may be so slow that collections are rare, and the crowd grows. So a collection and a
//! walk are also made once stepping crowds took as long as they will take; if they find few dead,
//! it takes twice that the next time.

use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use watchword_monitor::Engine;

use crate::ids::{ClassNumbers, is_held, is_id};
use crate::monitor::State;
use crate::vm::{FILTER_CLASS_UNTAGGED, HeapCallbacks, HeapField, Tools};

/// With fewer instances than this nothing is worth a walk.
const FEW: usize = 20_000;
/// Between two walks passes so many times the time of the last one,
const PATIENCE: u32 = 20;
/// unless there are more instances than this, and so many times those after the last walk.
const MANY: usize = 1_000_000;
const TIMES: usize = 6;
/// After so many sites comes a look at what stepping costs: seldom enough to be free, often enough
/// where each steps a million instances.
const BETWEEN_LOOKS: u32 = 64;
/// An event that steps more instances than this steps a crowd,
const CROWD: u64 = 8;
/// of which each takes about so long;
const STEP: Duration = Duration::from_nanos(25);
/// the first walk is thought to take so long,
const FIRST_WALK: Duration = Duration::from_millis(50);
/// and the time in crowds that makes one due is at most so many times that of a walk.
const MOST_HESITATION: u32 = 64;
/// Where an instance waits for the death of an object, there is a walk after a collection, whatever their number, if
/// so many times the time of the last walk have passed.
const PATIENCE_OF_MOURNERS: u32 = 100;
/// With fewer tagged objects than this it is not worth to tell the engine.
const FEW_FREED: usize = 1_000;

/// How many instances were stepped by events that step many.
#[derive(Default)]
pub struct Crowds {
    /// Sites passed since the last look.
    passed: u32,
    /// The engine's counters at the last look.
    visits: u64,
    events: u64,
    /// All steps beyond those of ordinary events.
    steps: u64,
}

impl Crowds {
    /// Whether a site is passed after which a look may pay.
    #[inline]
    fn is_time_to_look(&mut self) -> bool {
        self.passed += 1;
        self.passed >= BETWEEN_LOOKS
    }

    /// How many steps there were until now.
    fn count(&mut self, engine: &Engine) -> u64 {
        let (visits, events) = (engine.visits(), engine.events());
        self.steps += visits
            .saturating_sub(self.visits)
            .saturating_sub(CROWD * events.saturating_sub(self.events));
        (self.passed, self.visits, self.events) = (0, visits, events);
        self.steps
    }
}

/// A walk over the heap.
#[derive(Clone, Copy)]
struct Walk {
    end: Instant,
    took: Duration,
    /// How many steps in crowds there had been.
    crowded: u64,
    /// So many times what it took makes the next one due.
    hesitation: u32,
}

/// What is known about deaths.
#[derive(Default)]
pub struct Deaths {
    /// Held while an object gets its tag.
    pub tagging: Mutex<()>,
    /// There was a collection since the last look.
    collected: AtomicBool,
    /// How many instances there were after the last walk.
    left: AtomicUsize,
    /// The last walk.
    walked: Mutex<Option<Walk>>,
    /// Identities of tagged objects that are gone; `None` if the engine has no objects.
    freed: Mutex<Option<Vec<u64>>>,
    /// The same, for the runtime, which may have cells for them; `None` if it has none.
    beside: Mutex<Option<Vec<u64>>>,
}

impl Deaths {
    /// `to_engine`: whether the engine has instances of objects.
    pub fn of_interest(to_engine: bool) -> Deaths {
        Deaths { freed: Mutex::new(to_engine.then(Vec::new)), ..Deaths::default() }
    }

    /// A collection is over.
    pub fn collected(&self) {
        self.collected.store(true, Ordering::Relaxed);
    }

    /// A tagged object is gone.
    pub fn freed(&self, tag: i64) {
        if !is_id(tag as u64) {
            return;
        }
        if let Ok(mut freed) = self.freed.lock()
            && let Some(freed) = freed.as_mut()
        {
            freed.push(tag as u64);
        }
        if let Ok(mut beside) = self.beside.lock()
            && let Some(beside) = beside.as_mut()
        {
            beside.push(tag as u64);
        }
    }

    /// One of the tagged objects that are gone, for the runtime; 0 if there is none.
    pub fn next_gone(&self) -> i64 {
        let Ok(mut beside) = self.beside.lock() else { return 0 };
        beside.get_or_insert_default().pop().unwrap_or(0) as i64
    }

    /// Whether it may be time to look.
    #[inline]
    pub fn is_due(&self, state: &mut State) -> bool {
        self.collected.load(Ordering::Relaxed) | state.crowds.is_time_to_look()
    }

    /// Passes the dead objects to the engine, if this is worthwhile. Of those for which `is_told` returns true,
    /// there are events.
    #[cold]
    pub fn bury(
        &self,
        tools: Tools,
        state: &mut State,
        numbers: &ClassNumbers,
        is_told: impl Fn(u64) -> bool,
    ) {
        let collected = self.collected.swap(false, Ordering::Relaxed);
        let before = state.run.evaluator.instances();
        let crowded = state.crowds.count(&state.run.evaluator);
        let last = self.walked.lock().ok().and_then(|walked| *walked);
        let is_crowded = is_crowded(last, crowded);
        let is_mourned = || has_passed(last, PATIENCE_OF_MOURNERS) && state.waits_for_deaths();
        if is_crowded || (collected && (self.is_worth_a_walk(last, before) || is_mourned())) {
            let start = Instant::now();
            if is_crowded && tools.collect_garbage().is_ok() {
                self.collected.store(false, Ordering::Relaxed);
            }
            self.walk(tools, state, numbers, is_told);
            let left = state.run.evaluator.instances();
            self.left.store(left, Ordering::Relaxed);
            let hesitation = match last {
                Some(last) if left > before / 2 => (2 * last.hesitation).min(MOST_HESITATION),
                _ => 1,
            };
            if let Ok(mut walked) = self.walked.lock() {
                let took = start.elapsed();
                *walked = Some(Walk { end: Instant::now(), took, crowded, hesitation });
            }
            return;
        }
        let freed = self.take_freed(FEW_FREED);
        if !freed.is_empty() {
            state.bury(|id| freed.binary_search(&id).is_ok(), is_told, numbers);
        }
    }

    /// The program ends: where an instance waits for the death of an object, it is found out which
    /// objects cannot be reached any more.
    pub fn finish(
        &self,
        tools: Tools,
        state: &mut State,
        numbers: &ClassNumbers,
        is_told: impl Fn(u64) -> bool,
    ) {
        if state.waits_for_deaths() && tools.collect_garbage().is_ok() {
            self.walk(tools, state, numbers, is_told);
        }
    }

    /// Passes all objects to the engine that are not on the heap.
    fn walk(
        &self,
        tools: Tools,
        state: &mut State,
        numbers: &ClassNumbers,
        is_told: impl Fn(u64) -> bool,
    ) {
        let freed = self.take_freed(0);
        let Some(alive) = alive(tools) else { return };
        let is_dead = |id| match (is_held(id), is_id(id)) {
            (true, _) => alive.binary_search(&id).is_err(),
            (false, true) => freed.binary_search(&id).is_ok(),
            (false, false) => false,
        };
        state.bury(is_dead, is_told, numbers);
    }

    fn is_worth_a_walk(&self, last: Option<Walk>, instances: usize) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if instances < FEW || instances < 2 * left {
            return false;
        }
        has_passed(last, PATIENCE) || (instances >= MANY && instances >= TIMES * left)
    }

    /// Takes the identities of tagged objects that are gone, sorted, if there are enough.
    fn take_freed(&self, enough: usize) -> Vec<u64> {
        let Ok(mut freed) = self.freed.lock() else { return Vec::new() };
        let Some(freed) = freed.as_mut().filter(|freed| freed.len() >= enough) else {
            return Vec::new();
        };
        let mut freed = std::mem::take(freed);
        freed.sort_unstable();
        freed
    }
}

/// Whether so many times the time of the last walk have passed since.
fn has_passed(last: Option<Walk>, times: u32) -> bool {
    last.is_none_or(|walk| walk.end.elapsed() >= walk.took * times)
}

/// Whether stepping crowds took as long, since the last walk, as that one, or some times as long.
fn is_crowded(last: Option<Walk>, crowded: u64) -> bool {
    let (before, enough) = match last {
        None => (0, FIRST_WALK),
        Some(walk) => (walk.crowded, walk.took * walk.hesitation),
    };
    u128::from(crowded.saturating_sub(before)) * STEP.as_nanos() >= enough.as_nanos()
}

/// The identities objects on the heap hold, sorted; `None` if the heap could not be walked.
fn alive(tools: Tools) -> Option<Vec<u64>> {
    /// Called for every primitive field of every object of a class that was numbered. A number
    /// that only looks like an identity does no harm: an object is thought alive.
    extern "system" fn field(
        _kind: i32,
        _which: *const HeapField,
        _class: i64,
        _tag: *mut i64,
        value: i64,
        ty: i32,
        found: *mut c_void,
    ) -> i32 {
        if ty == i32::from(b'J') && is_held(value as u64) {
            // SAFETY: the pointer that was passed to the walk, which this thread waits for.
            unsafe { (*found.cast::<Vec<u64>>()).push(value as u64) };
        }
        0
    }
    let mut found: Vec<u64> = Vec::new();
    let data = (&raw mut found).cast::<c_void>();
    let mut fields = HeapCallbacks::new();
    fields.field = Some(field);
    tools.walk_heap(FILTER_CLASS_UNTAGGED, &fields, data).ok()?;
    found.sort_unstable();
    Some(found)
}
