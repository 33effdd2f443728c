//! What the matcher asks about types.

use crate::answer::{Answer, Test};
use crate::called::Called;

/// What is known about types. Classes are named with slashes (`java/util/Map$Entry`) or, where a record
/// of a trace names them, with dots.
pub trait Types {
    /// Whether a condition holds for a class or a type above it. `None`: it holds for none that is
    /// known, but something above is missing.
    fn above(&self, class: &str, is: &mut dyn FnMut(&str) -> bool) -> Option<bool>;

    /// Whether there is a class of this internal name, as far as that is known: a pattern names several of which
    /// one exists.
    fn exists(&self, class: &str) -> bool {
        self.above(class, &mut |_| false).is_some()
    }

    /// The internal name of the class that a pattern without wildcards means.
    fn class_named(&self, dotted: &str) -> String;

    /// Whether some object may be of both classes, neither of which is below the other.
    fn may_share(&self, one: &str, two: &str) -> Option<bool>;

    /// The class that declares the method that a call of it on `class` means; `Some(None)`: there is no
    /// such method.
    fn declares_method(&self, class: &str, called: &Called<'_>) -> Option<Option<String>>;

    /// The class that declares the field of that name that an access through `class` means;
    /// `Some(None)`: there is no such field.
    fn declares_field(&self, class: &str, name: &str) -> Option<Option<String>>;

    /// Whether one of the annotations, by names with dots, fulfils a condition.
    fn annotated(&self, what: Annotated<'_>, is: &mut dyn FnMut(&str) -> bool) -> Option<bool>;

    /// What counts where the answer is not known. A weaver, which has to decide, says [`Answer::No`].
    fn unknown(&self) -> Answer {
        Answer::Maybe(Test::Unknown)
    }
}

/// What has annotations.
#[derive(Clone, Copy, Debug)]
pub enum Annotated<'a> {
    /// A class.
    Class(&'a str),
    /// The method that a call means.
    Method(&'a Called<'a>),
    /// The field that an access through a class means.
    Field(&'a str, &'a str),
}

/// Nothing is known but names: a member belongs to the class it is named with.
#[derive(Clone, Copy, Debug)]
pub struct NoTypes;

impl Types for NoTypes {
    fn above(&self, class: &str, is: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
        is(class).then_some(true)
    }

    fn class_named(&self, dotted: &str) -> String {
        dotted.replace('.', "/")
    }

    fn may_share(&self, _: &str, _: &str) -> Option<bool> {
        None
    }

    fn declares_method(&self, _: &str, _: &Called<'_>) -> Option<Option<String>> {
        Some(None)
    }

    fn declares_field(&self, _: &str, _: &str) -> Option<Option<String>> {
        Some(None)
    }

    fn annotated(&self, _: Annotated<'_>, _: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
        None
    }
}
