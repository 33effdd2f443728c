//! Whether selectors of program points in a JVM select what a record tells about.

use std::borrow::Cow;

use watchword_model::{About, JoinPoint, PointPattern, Within};
use watchword_select::{
    Accessed, Annotated, Answer, Called, NoTypes, Of, Point as Selected, Ty, Types, is_within,
    selects,
};

use crate::emit::Reading;
use crate::points::Point;

/// The answer for all records of a kind and a name; [`Answer::Maybe`] if it depends on the record.
pub fn by_name(pattern: &JoinPoint, point: Point, name: &str) -> Answer {
    ask(pattern, point, name, Told::default(), &NoTypes)
}

/// Whether a record is selected.
pub fn by_record(pattern: &JoinPoint, record: &Reading<'_>) -> bool {
    let told = match &pattern.pattern {
        PointPattern::Method(method) => Told {
            params: method.params.as_ref().map(|_| record.params()),
            ty: method.returns.as_ref().and_then(|_| record.returns()),
        },
        PointPattern::Field(field) => {
            Told { params: None, ty: field.ty.as_ref().and_then(|_| record.field_type()) }
        }
        _ => Told::default(),
    };
    let (point, name) = record.named();
    ask(pattern, point, name, told, &Listed(record)) == Answer::Yes
}

/// Whether a record is of the inside of a type or method. A record that does not tell where it was made
/// is inside of nothing.
pub fn inside(within: &Within, record: &Reading<'_>) -> bool {
    let Some(function) = &record.location.location.function else { return within.negated };
    let (owner, method) = function.rsplit_once('.').unwrap_or(("", function));
    is_within(std::slice::from_ref(within), owner, method, &Listed(record)) == Answer::Yes
}

/// What a record tells about types, beside names.
#[derive(Default)]
struct Told<'r> {
    /// Those of the parameters, if a pattern asks for them.
    params: Option<Vec<Ty<'r>>>,
    /// That of the result or the field.
    ty: Option<Cow<'r, str>>,
}

fn ask(pattern: &JoinPoint, point: Point, full: &str, told: Told<'_>, types: &dyn Types) -> Answer {
    let (owner, name) = full.rsplit_once('.').unwrap_or(("", full));
    let ty = told.ty.as_deref().map_or(Ty::UNKNOWN, Ty::of_source);
    // The owner of a record is the class of the object: there is nothing left to test.
    let called = Called {
        owner,
        also: None,
        name,
        descriptor: "",
        params: told.params,
        result: ty,
        on_object: false,
        by_super: false,
    };
    let Some(kind) = point.jvm() else { return Answer::No };
    let of = match kind.facts().about {
        About::Method => Of::Method(&called),
        About::Field => Of::Field(Accessed { owner, name, ty, on_object: false }),
        About::Type | About::Object | About::Element => Of::Type(Ty::of_source(full)),
        About::Mnemonic => Of::Mnemonic(full),
        About::Nothing => Of::Nothing,
    };
    selects(pattern, &Selected { kind, of }, types)
}

/// The types that a record lists: its `supers` are what is above its owner, and whatever it does not
/// list is not there. Of types it does not name at all, nothing speaks against a match.
struct Listed<'r, 'a>(&'r Reading<'a>);

impl Types for Listed<'_, '_> {
    fn above(&self, class: &str, is: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
        Some(is(class) || self.0.is_owner(class) && self.0.supers().any(is))
    }

    fn class_named(&self, dotted: &str) -> String {
        dotted.to_string()
    }

    fn may_share(&self, _: &str, _: &str) -> Option<bool> {
        Some(false)
    }

    fn declares_method(&self, _: &str, _: &Called<'_>) -> Option<Option<String>> {
        Some(None)
    }

    fn declares_field(&self, _: &str, _: &str) -> Option<Option<String>> {
        Some(None)
    }

    fn annotated(&self, _: Annotated<'_>, is: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
        Some(self.0.annotations().any(is))
    }

    fn unknown(&self) -> Answer {
        Answer::Yes
    }
}
