//! Program points, and whether join points of the model select them.

use watchword_model::{FieldPattern, JoinPoint, TypePattern};

use crate::answer::{Answer, Test};
use crate::called::{Called, matches_execution, matches_method};
use crate::ty::{Ty, has_all, is_object, is_type, known};
use crate::types::{Annotated, Types};

/// A program point.
#[derive(Clone, Copy, Debug)]
pub enum Point<'a> {
    /// A call.
    Call(&'a Called<'a>),
    /// The execution of a method, by the class that has it.
    Execution(&'a Called<'a>),
    /// A read of a field.
    Get(Accessed<'a>),
    /// A write of a field.
    Set(Accessed<'a>),
    /// A read of an array element of a type.
    ArrayRead(Ty<'a>),
    /// A write of one.
    ArrayWrite(Ty<'a>),
    /// An allocation.
    New(Ty<'a>),
    /// A checked cast.
    Cast(Ty<'a>),
    /// Entering a monitor; the static type of the object.
    Lock(Ty<'a>),
    /// Leaving one.
    Unlock(Ty<'a>),
    /// A conditional branch.
    Branch,
    /// A basic block.
    Block,
    /// An instruction with this mnemonic.
    Opcode(&'a str),
    /// An exception handler for these classes.
    Handler(&'a [&'a str]),
    /// A class initialiser.
    ClassInit(Ty<'a>),
    /// The start of a thread of a class.
    ThreadStart(Ty<'a>),
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
    let ty = |pattern: &TypePattern, ty: Ty<'_>| is_type(pattern, ty, types);
    let object = |pattern: &TypePattern, ty: Ty<'_>| is_object(pattern, ty, types);
    match (pattern, *point) {
        (JoinPoint::Call(method), Point::Call(called)) => matches_method(method, called, types),
        (JoinPoint::Execution(method), Point::Execution(executed)) => {
            matches_execution(method, executed, types)
        }
        (JoinPoint::Get(field), Point::Get(accessed))
        | (JoinPoint::Set(field), Point::Set(accessed)) => matches_field(field, accessed, types),
        (JoinPoint::ArrayRead(pattern), Point::ArrayRead(element))
        | (JoinPoint::ArrayWrite(pattern), Point::ArrayWrite(element)) => ty(pattern, element),
        (JoinPoint::New(pattern), Point::New(made)) => ty(pattern, made),
        (JoinPoint::Cast(pattern), Point::Cast(to)) => ty(pattern, to),
        (JoinPoint::Lock(pattern), Point::Lock(lock))
        | (JoinPoint::Unlock(pattern), Point::Unlock(lock)) => object(pattern, lock),
        (JoinPoint::Branch, Point::Branch) | (JoinPoint::Block, Point::Block) => Answer::Yes,
        (JoinPoint::Opcode(glob), Point::Opcode(mnemonic)) => Answer::of(glob.matches(mnemonic)),
        (JoinPoint::Handler(pattern), Point::Handler(caught)) => handles(pattern, caught, types),
        (JoinPoint::ClassInit(pattern), Point::ClassInit(class)) => ty(pattern, class),
        (JoinPoint::ThreadStart(pattern), Point::ThreadStart(thread)) => object(pattern, thread),
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
