//! The entry point.

use std::sync::atomic::{AtomicU32, Ordering};

use watchword_model::{Model, Origin, Source};

use crate::facts::Hierarchy;
use crate::options::Options;
use crate::site::Site;

/// Hands out site numbers, from 0. Shared by whoever weaves for one program.
#[derive(Debug, Default)]
pub struct Numbers(AtomicU32);

impl Numbers {
    /// Numbers from `first` on.
    pub fn starting_at(first: u32) -> Numbers {
        Numbers(AtomicU32::new(first))
    }

    /// The first of `count` consecutive numbers.
    pub fn reserve(&self, count: u32) -> u32 {
        self.0.fetch_add(count, Ordering::Relaxed)
    }

    /// How many have been handed out.
    pub fn used(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Something a user should know about a woven class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Note {
    /// The class, with dots.
    pub class: String,
    /// The method and its descriptor, where it concerns one.
    pub method: Option<String>,
    /// What.
    pub text: String,
}

/// What became of a class.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing selected is in it; the original bytes stay.
    Unchanged {
        /// What a user should know.
        notes: Vec<Note>,
    },
    /// It was woven.
    Woven(Woven),
    /// It should have been looked at but could not; the original bytes stay.
    Left {
        /// Why.
        reason: String,
    },
}

/// A woven class.
#[derive(Debug)]
pub struct Woven {
    /// The new class file.
    pub bytes: Vec<u8>,
    /// Its sites; their ids are consecutive.
    pub sites: Vec<Site>,
    /// What a user should know.
    pub notes: Vec<Note>,
}

/// Weaves classes for a model.
#[derive(Debug)]
pub struct Weaver {
    model: Model,
    options: Options,
}

impl Weaver {
    /// A weaver for the events of a model that have sources in a JVM.
    pub fn new(model: &Model, options: Options) -> Weaver {
        Weaver { model: model.clone(), options }
    }

    /// Whether the model has any source in a JVM at all.
    pub fn has_sources(&self) -> bool {
        self.model.events.iter().any(|event| match &event.origin {
            Origin::World(sources) => sources.iter().any(|s| matches!(s, Source::Jvm(_))),
            _ => false,
        })
    }

    /// Whether a class, by its name with dots, is to be woven.
    pub fn includes(&self, class: &str) -> bool {
        self.options.scope.includes(class)
    }

    /// Weaves a class. Numbers are reserved once, after the last question to the hierarchy.
    pub fn weave(&self, class: &[u8], hierarchy: &dyn Hierarchy, numbers: &Numbers) -> Outcome {
        let _ = (class, hierarchy, numbers);
        Outcome::Unchanged { notes: Vec::new() }
    }

    /// Types (internal names) whose objects can be operands of events, as far as selectors and
    /// the signatures of the methods they name tell: candidates for [`identity`](crate::identity),
    /// together with their subtypes. Sorted.
    pub fn operand_types(&self, hierarchy: &dyn Hierarchy) -> Vec<String> {
        let _ = hierarchy;
        Vec::new()
    }
}
