//! Program points, and whether join points of the model select them.

use watchword_model::{About, FieldPattern, JoinPoint, PointKind, PointPattern, TypePattern};

use crate::answer::{Answer, Test};
use crate::called::{Called, matches_execution, matches_method};
use crate::ty::{Ty, has_all, is_object, is_type, known};
use crate::types::{Annotated, Types};

/// A program point.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The kind.
    pub kind: PointKind,
    /// What is there.
    pub of: Of<'a>,
}

/// What is at a program point.
#[derive(Clone, Copy, Debug)]
pub enum Of<'a> {
    /// The method that is called or, by the class that has it, executed.
    Method(&'a Called<'a>),
    /// The field that is read or written.
    Field(Accessed<'a>),
    /// A type: of an object, by the class the program names; of an element of an array; the class that
    /// is cast to or initialised.
    Type(Ty<'a>),
    /// The classes of exceptions that are handled.
    Classes(&'a [&'a str]),
    /// The mnemonic of an instruction.
    Mnemonic(&'a str),
    /// Nothing that a pattern could ask for.
    Nothing,
}

impl<'a> Point<'a> {
    /// A call.
    pub fn call(called: &'a Called<'a>) -> Point<'a> {
        Point { kind: PointKind::Call, of: Of::Method(called) }
    }

    /// A point of a kind whose patterns are about types.
    pub fn of_type(kind: PointKind, ty: Ty<'a>) -> Point<'a> {
        Point { kind, of: Of::Type(ty) }
    }
}

/// A field as an instruction or a record names it.
#[derive(Clone, Copy, Debug)]
pub struct Accessed<'a> {
    /// The class.
    pub owner: &'a str,
    /// The name.
    pub name: &'a str,
    /// The type of the field.
    pub ty: Ty<'a>,
    /// Whether it is on an object, which can be tested.
    pub on_object: bool,
}

/// Whether a join point of the model selects a program point.
pub fn selects(pattern: &JoinPoint, point: &Point<'_>, types: &dyn Types) -> Answer {
    if pattern.kind != point.kind {
        return Answer::No;
    }
    match (&pattern.pattern, point.of) {
        (PointPattern::Method(method), Of::Method(called)) => match point.kind {
            PointKind::Call => matches_method(method, called, types),
            _ => matches_execution(method, called, types),
        },
        (PointPattern::Field(field), Of::Field(accessed)) => matches_field(field, accessed, types),
        (PointPattern::Type(pattern), Of::Type(ty)) => match point.kind.facts().about {
            About::Object => is_object(pattern, ty, types),
            _ => is_type(pattern, ty, types),
        },
        (PointPattern::Type(pattern), Of::Classes(caught)) => handles(pattern, caught, types),
        (PointPattern::Mnemonic(glob), Of::Mnemonic(mnemonic)) => {
            Answer::of(glob.matches(mnemonic))
        }
        (PointPattern::All, _) => Answer::Yes,
        _ => Answer::No,
    }
}

/// If one of several alternatives matches, the object tells.
fn handles(pattern: &TypePattern, caught: &[&str], types: &dyn Types) -> Answer {
    let answers = caught.iter().map(|class| is_type(pattern, Ty::of_class(class), types));
    let answers: Vec<Answer> = answers.collect();
    let (all, some) = answers.iter().fold((Answer::Yes, Answer::No), |(all, some), answer| {
        (all.and(answer.clone()), some.or(answer.clone()))
    });
    match answers.iter().position(|answer| *answer == Answer::Yes) {
        Some(first) if all != Answer::Yes => {
            Answer::Maybe(Test::Instance(caught[first].to_string()))
        }
        _ => some,
    }
}

fn matches_field(pattern: &FieldPattern, accessed: Accessed<'_>, types: &dyn Types) -> Answer {
    let Accessed { owner, name, ty, on_object } = accessed;
    if !pattern.name.matches(name) {
        return Answer::No;
    }
    let class = Ty::of_class(owner);
    let mut answer = match on_object {
        true => is_object(&pattern.owner, class, types),
        false => is_type(&pattern.owner, class, types),
    };
    // The pattern may name the class that the field is inherited from.
    if answer == Answer::No && !pattern.owner.negated {
        answer = match types.declares_field(owner, name) {
            Some(declaring) => declaring.map_or(Answer::No, |declaring| {
                is_type(&pattern.owner, Ty::of_class(&declaring), types)
            }),
            None => known(None, types),
        };
    }
    if let Some(wanted) = &pattern.ty {
        answer = answer.and(is_type(wanted, ty, types));
    }
    match answer.may() {
        true => answer.and(has_all(&pattern.annotations, Annotated::Field(owner, name), types)),
        false => answer,
    }
}
