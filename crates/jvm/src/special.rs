//! Classes made for one list of operations, or for the handlers around calls: which there are, and whether the VM knows
//! them.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Mutex;

use watchword_weave::hook::Shape;
use watchword_weave::{Outline, special};

use crate::homes::Homes;
use crate::sites::Operations;
use crate::vm::Jni;

/// At most so many are made: a program has few lists of operations, and few kinds of handlers.
const MOST: usize = 512;

/// The hooks so far.
#[derive(Default)]
pub struct Specials {
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    names: HashMap<Made, Known>,
    /// Those the VM has not been told of, and who will tell it.
    fresh: Vec<(Teller, Made)>,
    /// One of them could not be made: no others will be.
    failed: bool,
}

/// A class, and who will tell the VM of it; nobody, once the VM knows it.
struct Known {
    name: &'static str,
    teller: Option<Teller>,
}

thread_local! {
    /// Whether this thread is telling the VM of a class.
    static IS_TELLING: Cell<bool> = const { Cell::new(false) };
}

/// A thread.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Teller(usize);

impl Teller {
    /// This thread, and whether it is telling the VM of a class at this moment: agents written in Java then
    /// load classes of their own, which are woven, too.
    fn here() -> Option<(Teller, bool)> {
        IS_TELLING.try_with(|cell| (Teller(std::ptr::from_ref(cell).addr()), cell.get())).ok()
    }
}

/// What a class is made for.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Made {
    /// The events of a site.
    Hook(Operations, Shape),
    /// A handler around a call.
    Handler(Outline),
}

impl Specials {
    /// The class with the hook for these operations; `None` if there is none.
    pub fn class(&self, operations: Operations, shape: Shape) -> Option<String> {
        self.made(Made::Hook(operations, shape))
    }

    /// The class that does the work of a handler; `None` if there is none.
    pub fn outlined(&self, outline: &Outline) -> Option<String> {
        self.made(Made::Handler(outline.clone()))
    }

    fn made(&self, made: Made) -> Option<String> {
        let (here, is_telling) = Teller::here()?;
        let mut all = self.all.lock().ok()?;
        if let Some(known) = all.names.get(&made) {
            // Code of this thread may use what this thread will tell the VM of before that code can run.
            let is_usable = known.teller.is_none_or(|teller| teller == here && !is_telling);
            return is_usable.then(|| known.name.to_string());
        }
        if is_telling || all.failed || all.names.len() == MOST {
            return None;
        }
        let name: &'static str = special::name(all.names.len()).leak();
        all.names.insert(made.clone(), Known { name, teller: Some(here) });
        all.fresh.push((here, made));
        Some(name.to_string())
    }

    /// Tells the VM of those that this thread asked for first; to be called before code that uses them can
    /// run. Answers whether they can be used. No lock is held while the VM is told: it runs other agents.
    pub fn define(&self, jni: Jni, homes: &Homes) -> bool {
        let Some((here, false)) = Teller::here() else { return true };
        let fresh: Vec<(Made, &'static str)> = {
            let Ok(mut all) = self.all.lock() else { return false };
            let All { names, fresh, .. } = &mut *all;
            let mine = fresh.extract_if(.., |(teller, _)| *teller == here);
            mine.filter_map(|(_, made)| Some((made.clone(), names.get(&made)?.name))).collect()
        };
        for (made, name) in fresh {
            let bytes = match &made {
                Made::Hook(operations, shape) => {
                    special::class(name, *shape, &homes.operations(*operations), operations.tests)
                }
                Made::Handler(outline) => outline.class(name),
            };
            IS_TELLING.set(true);
            let defined = bytes.is_ok_and(|bytes| {
                jni.aside(|| {
                    let class = jni.define_boot_class(name, &bytes);
                    jni.delete_local(class);
                    !jni.clear_exception() && !class.is_null()
                })
            });
            IS_TELLING.set(false);
            let Ok(mut all) = self.all.lock() else { return false };
            match all.names.get_mut(&made) {
                Some(known) if defined => known.teller = None,
                _ => {
                    all.failed = true;
                    all.names.clear();
                }
            }
        }
        self.all.lock().is_ok_and(|all| !all.failed)
    }
}
