//! Classes made for one list of operations, or for the handlers around calls: which there are, and whether the VM knows
//! them.

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
    names: HashMap<Made, &'static str>,
    /// Those the VM has not been told of.
    fresh: Vec<(Made, &'static str)>,
    /// One of them could not be made: no others will be.
    failed: bool,
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
        let mut all = self.all.lock().ok()?;
        if let Some(known) = all.names.get(&made) {
            return Some(known.to_string());
        }
        if all.failed || all.names.len() == MOST {
            return None;
        }
        let name: &'static str = special::name(all.names.len()).leak();
        all.names.insert(made.clone(), name);
        all.fresh.push((made, name));
        Some(name.to_string())
    }

    /// Tells the VM of those it does not know; to be called before code that uses them can run.
    /// Answers whether it knows them all.
    pub fn define(&self, jni: Jni, homes: &Homes) -> bool {
        let Ok(mut all) = self.all.lock() else { return false };
        for (made, name) in std::mem::take(&mut all.fresh) {
            let bytes = match made {
                Made::Hook(operations, shape) => {
                    special::class(name, shape, &homes.operations(operations), operations.tests)
                }
                Made::Handler(outline) => outline.class(name),
            };
            let defined = bytes.is_ok_and(|bytes| {
                jni.aside(|| {
                    let class = jni.define_boot_class(name, &bytes);
                    jni.delete_local(class);
                    !jni.clear_exception() && !class.is_null()
                })
            });
            if !defined {
                all.failed = true;
                all.names.clear();
            }
        }
        !all.failed
    }
}
