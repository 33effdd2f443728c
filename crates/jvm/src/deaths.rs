//! Objects that died, found without a reference per object.
//!
//! Objects that hold their identity are found by a walk over the heap after a collection, once
//! there are twice as many instances as after the last walk, and twenty times as long has passed as
//! that one took (unless there are far more instances): so walks cost a small share of the time,
//! however large the heap. Objects that cannot hold one are tagged, and the VM says when they are
//! gone.

use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::ids::{is_held, is_id};
use crate::monitor::State;
use crate::vm::{FILTER_CLASS_UNTAGGED, HeapCallbacks, HeapField, Tools};

/// With fewer instances than this nothing is worth a walk.
const FEW: usize = 20_000;
/// Between two walks passes so many times the time of the last one,
const PATIENCE: u32 = 20;
/// unless there are more instances than this, and so many times those after the last walk.
const MANY: usize = 1_000_000;
const TIMES: usize = 6;
/// With fewer tagged objects than this it is not worth to tell the engine.
const FEW_FREED: usize = 1_000;

/// What is known about deaths.
#[derive(Default)]
pub struct Deaths {
    /// Held while an object gets its tag.
    pub tagging: Mutex<()>,
    /// There was a collection since the last look.
    collected: AtomicBool,
    /// How many instances there were after the last walk.
    left: AtomicUsize,
    /// When the last walk ended, and how long it took.
    walked: Mutex<Option<(Instant, Duration)>>,
    /// Identities of tagged objects that are gone.
    freed: Mutex<Vec<u64>>,
    /// The same, for the hook class, which may have cells for them; `None` if it has none.
    beside: Mutex<Option<Vec<u64>>>,
}

impl Deaths {
    /// A collection is over.
    pub fn collected(&self) {
        self.collected.store(true, Ordering::Relaxed);
    }

    /// A tagged object is gone.
    pub fn freed(&self, tag: i64) {
        if !is_id(tag as u64) {
            return;
        }
        if let Ok(mut freed) = self.freed.lock() {
            freed.push(tag as u64);
        }
        if let Ok(mut beside) = self.beside.lock()
            && let Some(beside) = beside.as_mut()
        {
            beside.push(tag as u64);
        }
    }

    /// One of the tagged objects that are gone, for the hook class; 0 if there is none.
    pub fn next_gone(&self) -> i64 {
        let Ok(mut beside) = self.beside.lock() else { return 0 };
        beside.get_or_insert_default().pop().unwrap_or(0) as i64
    }

    /// Whether it may be time to look.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.collected.load(Ordering::Relaxed)
    }

    /// Tells the engine who died, if that is worth it.
    #[cold]
    pub fn bury(&self, tools: Tools, state: &mut State) {
        self.collected.store(false, Ordering::Relaxed);
        let instances = state.engine.instances();
        if self.is_worth_a_walk(instances) {
            let freed = self.take_freed(0);
            let start = Instant::now();
            let alive = alive(tools);
            if let Ok(mut walked) = self.walked.lock() {
                *walked = Some((Instant::now(), start.elapsed()));
            }
            if let Some(alive) = alive {
                state.bury(|id| match (is_held(id), is_id(id)) {
                    (true, _) => alive.binary_search(&id).is_err(),
                    (false, true) => freed.binary_search(&id).is_ok(),
                    (false, false) => false,
                });
            }
            self.left.store(state.engine.instances(), Ordering::Relaxed);
            return;
        }
        let freed = self.take_freed(FEW_FREED);
        if !freed.is_empty() {
            state.bury(|id| freed.binary_search(&id).is_ok());
        }
    }

    fn is_worth_a_walk(&self, instances: usize) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if instances < FEW || instances < 2 * left {
            return false;
        }
        let walked = self.walked.lock().ok().and_then(|walked| *walked);
        walked.is_none_or(|(end, took)| end.elapsed() >= took * PATIENCE)
            || (instances >= MANY && instances >= TIMES * left)
    }

    /// Takes the identities of tagged objects that are gone, sorted, if there are enough.
    fn take_freed(&self, enough: usize) -> Vec<u64> {
        let Ok(mut freed) = self.freed.lock() else { return Vec::new() };
        if freed.len() < enough {
            return Vec::new();
        }
        let mut freed = std::mem::take(&mut *freed);
        freed.sort_unstable();
        freed
    }
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
