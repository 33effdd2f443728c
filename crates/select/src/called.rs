//! Methods as calls name them, and whether patterns mean them.

use watchword_classfile::{FieldType, JStr, MethodDescriptor};
use watchword_model::{InstanceOf, JvmTerm, MethodPattern};

use crate::answer::{Answer, Test};
use crate::params::fits;
use crate::ty::{Ty, has_all, is_instance, is_object, is_type, known, plain};
use crate::types::{Annotated, Types};

/// A method as an instruction, a method reference or a record names it.
#[derive(Clone, Debug)]
pub struct Called<'a> {
    /// The class: internal name, array descriptor or, in records, a name with dots.
    pub owner: &'a str,
    /// Another class that counts as named: see [`NamedClass`](watchword_classfile::NamedClass).
    pub also: Option<&'a str>,
    /// The name.
    pub name: &'a str,
    /// The descriptor; empty where a record does not tell it.
    pub descriptor: &'a str,
    /// Types of the parameters, if they are known.
    pub params: Option<Vec<Ty<'a>>>,
    /// Type of the result.
    pub result: Ty<'a>,
    /// Whether it is on an object, which can be tested.
    pub on_object: bool,
    /// Whether it is a call by `super.m()`.
    pub by_super: bool,
}

impl<'a> Called<'a> {
    /// A method that an instruction names; `None` if the descriptor is none.
    pub fn new(
        owner: &'a str,
        name: &'a str,
        descriptor: &'a str,
        on_object: bool,
    ) -> Option<Called<'a>> {
        let parsed = MethodDescriptor::parse(JStr::new(descriptor.as_bytes())).ok()?;
        let ty = |ty: FieldType<'a>| {
            let text = std::str::from_utf8(ty.descriptor().as_bytes()).ok()?;
            Some(Ty::of_descriptor(text))
        };
        Some(Called {
            owner,
            also: None,
            name,
            descriptor,
            params: Some(parsed.parameters().map(ty).collect::<Option<_>>()?),
            result: parsed.result().map_or(Some(Ty::of_descriptor("V")), ty)?,
            on_object,
            by_super: false,
        })
    }

    fn is_constructor(&self) -> bool {
        self.name == "<init>"
    }
}

/// Whether the arguments and the result of a call are of types that are asked for, by their declared types.
pub fn are_instances(instances: &[InstanceOf], called: &Called<'_>, types: &dyn Types) -> Answer {
    let declared = |term: &JvmTerm| match term {
        JvmTerm::Arg(n) => called.params.as_ref()?.get(*n as usize).copied(),
        JvmTerm::Result => Some(called.result),
        _ => None,
    };
    instances.iter().fold(Answer::Yes, |all, instance| {
        // Of the receiver, the pattern of the method may ask for another type.
        if instance.term == JvmTerm::Receiver && !instance.ty.negated {
            let named = [Some(called.owner), called.also].into_iter().flatten();
            let is = named.map(|class| is_instance(&instance.ty, Ty::of_class(class), types));
            return all.and(Answer::of(called.on_object)).and(is.fold(Answer::No, Answer::or));
        }
        all.and(match declared(&instance.term) {
            Some(ty) => is_instance(&instance.ty, ty, types),
            None => Answer::Maybe(Test::Unknown),
        })
    })
}

/// How the owner of a method is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// A call: the object may be of a type that the code does not tell.
    Call,
    /// An execution: by the class that has the method.
    Execution,
}

/// Whether a called method matches.
pub fn matches_method(pattern: &MethodPattern, called: &Called<'_>, types: &dyn Types) -> Answer {
    matches_by(pattern, called, By::Call, types)
}

/// Whether a method that is executed matches, by the class that has it.
pub fn matches_execution(
    pattern: &MethodPattern,
    executed: &Called<'_>,
    types: &dyn Types,
) -> Answer {
    matches_by(pattern, executed, By::Execution, types)
}

fn matches_by(pattern: &MethodPattern, called: &Called<'_>, by: By, types: &dyn Types) -> Answer {
    let is_named = || pattern.name.text() == "<init>";
    if !pattern.supers && (called.by_super || called.is_constructor() && !is_named()) {
        return Answer::No;
    }
    let mut answer = positive(pattern, called, by, types);
    if let (Some(also), true) = (called.also, answer != Answer::Yes) {
        let other = Called { owner: also, also: None, ..called.clone() };
        let by_other = positive(pattern, &other, by, types);
        // Of what only the object can tell, the type that was captured tells more.
        answer = match (answer, by_other) {
            (_, Answer::Yes) => Answer::Yes,
            (Answer::No, Answer::Maybe(Test::Unknown)) => Answer::Maybe(Test::Unknown),
            (answer, _) => answer,
        };
    }
    answer.negated_if(pattern.negated)
}

fn positive(pattern: &MethodPattern, called: &Called<'_>, by: By, types: &dyn Types) -> Answer {
    if !pattern.name.matches(called.name) {
        return Answer::No;
    }
    let mut answer = Answer::Yes;
    if let Some(params) = &pattern.params {
        answer = match &called.params {
            Some(given) => fits(params, given, types),
            None => types.unknown(),
        };
    }
    if answer.may()
        && let Some(returns) = &pattern.returns
    {
        answer = answer.and(is_type(returns, called.result, types));
    }
    if answer.may() {
        answer = answer.and(has_all(&pattern.annotations, Annotated::Method(called), types));
    }
    if answer.may() { answer.and(owner(pattern, called, by, types)) } else { answer }
}

/// Whether the class fits: it is meant, it inherits the method from the class that is meant, or the
/// object may be of a class that is meant.
fn owner(pattern: &MethodPattern, called: &Called<'_>, by: By, types: &dyn Types) -> Answer {
    let class = Ty::of_class(called.owner);
    // The object that a constructor makes is of the class that is named, and no other.
    let tests = by == By::Call && called.on_object && !called.is_constructor();
    let named = match tests {
        true => is_object(&pattern.owner, class, types),
        false => is_type(&pattern.owner, class, types),
    };
    if named == Answer::Yes || pattern.owner.negated {
        return named;
    }
    if !pattern.owner.subtypes {
        return match types.declares_method(called.owner, called) {
            Some(Some(declaring)) if declaring != called.owner => {
                named.or(is_type(&pattern.owner, Ty::of_class(&declaring), types))
            }
            Some(_) => named,
            None => named.or(types.unknown()),
        };
    }
    match named {
        Answer::No if tests => beside(pattern, called, types),
        named => named,
    }
}

/// Whether a method may be called on an object of a selected type through a type beside it: both have
/// the method, and a class may be below both. Then only the object can tell.
fn beside(pattern: &MethodPattern, called: &Called<'_>, types: &dyn Types) -> Answer {
    let Some(wanted) = plain(&pattern.owner, types) else { return Answer::No };
    if called.owner.starts_with('[') {
        return Answer::No;
    }
    let has_method = types.declares_method(&wanted, called).map(|found| found.is_some());
    let shared = types.may_share(&wanted, called.owner);
    match known(shared, types).and(known(has_method, types)) {
        Answer::No => Answer::No,
        _ => Answer::Maybe(Test::Instance(wanted)),
    }
}
