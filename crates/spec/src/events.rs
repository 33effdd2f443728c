//! The events of the program that front ends without event declarations speak about.
//!
//! | event | arguments | raised |
//! |---|---|---|
//! | `call` | `method, a0, a1, …` | before a method is called |
//! | `return` | `method, value, a0, a1, …` | after it has returned normally |
//! | `done` | `method, annotations, types, a0, …, value` | after it has returned normally |
//! | `array_write` | `array, index, value` | before an element of an array is written |
//!
//! `method` is the full name, `java.util.Iterator.next`; a constructor is `C.<init>`, a class
//! initialiser `C.<clinit>`. For `call` and `return` it is a list of names if the method goes by
//! several: first the name by the static type, then those by which its supertypes declare the
//! method. A pattern matches if it matches one of them. The receiver is `a0`. For `call` and `return`, and only there, a
//! constructor has no receiver: the object is the `value` of its return. The value of a method
//! that returns nothing is null. `return` has the arguments for their number only: a program that
//! has lost them may give nulls. `annotations` are the names of the method's annotations, `types`
//! has one list of names per argument and one for the result: the class of the object (for null the
//! declared type) and its supertypes; both are empty where nothing is known. The annotations are those
//! of the method, of its class and of the supertypes of that.

use watchword_model::{
    Capture, EventDecl, EventId, Glob, JoinPoint, JvmSource, JvmTerm, JvmWhen, MethodPattern,
    Model, Origin, Param, PointKind, ProgramEvent, Source, ThrownBy, Type, TypePattern,
};

/// How a `.ww` file names it, after `program`.
pub fn words(event: ProgramEvent) -> &'static str {
    match event {
        ProgramEvent::Call => "call",
        ProgramEvent::Return => "return",
        ProgramEvent::Done => "done",
        ProgramEvent::ArrayWrite => "array write",
    }
}

/// Its name where a file does not name it.
pub fn name(event: ProgramEvent) -> &'static str {
    match event {
        ProgramEvent::Call => "call",
        ProgramEvent::Return => "return",
        ProgramEvent::Done => "done",
        ProgramEvent::ArrayWrite => "array_write",
    }
}

/// The event in a model; declared if it is not there yet.
pub fn declare(event: ProgramEvent, model: &mut Model) -> EventId {
    let same = |decl: &EventDecl| decl.program == Some(event) && decl.name == name(event);
    match model.events.iter().position(same) {
        Some(at) => EventId::from_index(at),
        None => {
            model.events.push(declaration(event));
            EventId::from_index(model.events.len() - 1)
        }
    }
}

fn fixed(event: ProgramEvent) -> usize {
    match event {
        ProgramEvent::Call | ProgramEvent::Return => 1,
        ProgramEvent::Done => 2,
        ProgramEvent::ArrayWrite => 0,
    }
}

fn params(event: ProgramEvent) -> &'static [(&'static str, Type)] {
    match event {
        ProgramEvent::Call => &[("method", Type::Any)],
        ProgramEvent::Return => &[("method", Type::Any), ("value", Type::Any)],
        ProgramEvent::Done => {
            &[("method", Type::Str), ("annotations", Type::List), ("types", Type::List)]
        }
        ProgramEvent::ArrayWrite => {
            &[("array", Type::Any), ("index", Type::Any), ("value", Type::Any)]
        }
    }
}

/// The declaration.
pub fn declaration(event: ProgramEvent) -> EventDecl {
    let params = params(event).iter();
    EventDecl {
        params: params.map(|(name, ty)| Param { name: name.to_string(), ty: *ty }).collect(),
        variadic: event != ProgramEvent::ArrayWrite,
        fixed: fixed(event),
        program: Some(event),
        origin: Origin::World(sources(event)),
        doc: doc(event).to_string(),
        ..EventDecl::named(name(event))
    }
}

fn doc(event: ProgramEvent) -> &'static str {
    match event {
        ProgramEvent::Call => "A method is called.",
        ProgramEvent::Return => "A method has returned normally.",
        ProgramEvent::Done => "A call is complete.",
        ProgramEvent::ArrayWrite => "An element of an array is written.",
    }
}

fn sources(event: ProgramEvent) -> Vec<Source> {
    let any_method = MethodPattern {
        owner: TypePattern::any(),
        name: Glob::new("*"),
        params: None,
        returns: None,
        annotations: Vec::new(),
        negated: false,
        supers: true,
    };
    let call = JoinPoint::call(any_method);
    let class_init = JoinPoint::of_type(PointKind::ClassInit, TypePattern::any());
    let source = |when: JvmWhen, point: JoinPoint, terms: &[(usize, JvmTerm)]| {
        let captures =
            terms.iter().map(|(param, term)| Capture { param: *param, term: term.clone() });
        Source::Jvm(JvmSource {
            when,
            point,
            thrown: None,
            thrown_by: ThrownBy::Anybody,
            saying: None,
            instances: Vec::new(),
            within: Vec::new(),
            captures: captures.collect(),
        })
    };
    let names = (0, JvmTerm::Names);
    match event {
        ProgramEvent::Call => vec![
            source(JvmWhen::Before, call, std::slice::from_ref(&names)),
            source(JvmWhen::Before, class_init, std::slice::from_ref(&names)),
        ],
        ProgramEvent::Return => vec![
            source(JvmWhen::After, call, &[names.clone(), (1, JvmTerm::Result)]),
            source(JvmWhen::After, class_init, std::slice::from_ref(&names)),
        ],
        ProgramEvent::Done => vec![source(JvmWhen::After, call, &[(0, JvmTerm::Target)])],
        ProgramEvent::ArrayWrite => vec![source(
            JvmWhen::Before,
            JoinPoint::of_type(PointKind::ArrayWrite, TypePattern::any()),
            &[(0, JvmTerm::Array), (1, JvmTerm::Index), (2, JvmTerm::Value)],
        )],
    }
}
