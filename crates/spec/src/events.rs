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
//! has one list of names per argument and one for the result: the static type and its supertypes;
//! both are empty where nothing is known.

use watchword_model::{
    Capture, EventDecl, EventId, Glob, JoinPoint, JvmSource, JvmTerm, JvmWhen, MethodPattern,
    Model, Origin, Param, Source, Type, TypePattern,
};

/// An event of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramEvent {
    /// A method is called.
    Call,
    /// A method has returned.
    Return,
    /// A call is complete.
    Done,
    /// An element of an array is written.
    ArrayWrite,
}

impl ProgramEvent {
    /// All of them.
    pub const ALL: [ProgramEvent; 4] =
        [ProgramEvent::Call, ProgramEvent::Return, ProgramEvent::Done, ProgramEvent::ArrayWrite];

    /// How a `.ww` file names it, after `program`.
    pub fn words(self) -> &'static str {
        match self {
            ProgramEvent::Call => "call",
            ProgramEvent::Return => "return",
            ProgramEvent::Done => "done",
            ProgramEvent::ArrayWrite => "array write",
        }
    }

    /// The event of the program that a declaration is, if it is one.
    pub fn of(decl: &EventDecl) -> Option<ProgramEvent> {
        ProgramEvent::ALL.into_iter().find(|event| {
            let known = event.declaration();
            known.fixed == decl.fixed
                && known.variadic == decl.variadic
                && known.params.len() == decl.params.len()
                && format!("{:?}", known.origin) == format!("{:?}", decl.origin)
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            ProgramEvent::Call => "call",
            ProgramEvent::Return => "return",
            ProgramEvent::Done => "done",
            ProgramEvent::ArrayWrite => "array_write",
        }
    }

    /// The event in a model; declared if it is not there yet.
    pub fn declare(self, model: &mut Model) -> EventId {
        let same = |decl: &EventDecl| decl.name == self.name() && decl.fixed == self.fixed();
        match model.events.iter().position(same) {
            Some(at) => EventId::from_index(at),
            None => {
                model.events.push(self.declaration());
                EventId::from_index(model.events.len() - 1)
            }
        }
    }

    fn fixed(self) -> usize {
        match self {
            ProgramEvent::Call | ProgramEvent::Return => 1,
            ProgramEvent::Done => 3,
            ProgramEvent::ArrayWrite => 0,
        }
    }

    fn params(self) -> &'static [(&'static str, Type)] {
        match self {
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
    pub fn declaration(self) -> EventDecl {
        let params = self.params().iter();
        EventDecl {
            params: params.map(|(name, ty)| Param { name: name.to_string(), ty: *ty }).collect(),
            variadic: self != ProgramEvent::ArrayWrite,
            fixed: self.fixed(),
            origin: Origin::World(self.sources()),
            doc: self.doc().to_string(),
            ..EventDecl::named(self.name())
        }
    }

    fn doc(self) -> &'static str {
        match self {
            ProgramEvent::Call => "A method is called.",
            ProgramEvent::Return => "A method has returned normally.",
            ProgramEvent::Done => "A call is complete.",
            ProgramEvent::ArrayWrite => "An element of an array is written.",
        }
    }

    fn sources(self) -> Vec<Source> {
        let any_method = MethodPattern {
            owner: TypePattern::any(),
            name: Glob::new("*"),
            params: None,
            returns: None,
            annotations: Vec::new(),
            negated: false,
        };
        let call = JoinPoint::Call(any_method);
        let class_init = JoinPoint::ClassInit(TypePattern::any());
        let source = |when: JvmWhen, point: JoinPoint, terms: &[(usize, JvmTerm)]| {
            let captures =
                terms.iter().map(|(param, term)| Capture { param: *param, term: term.clone() });
            Source::Jvm(JvmSource { when, point, within: Vec::new(), captures: captures.collect() })
        };
        let names = (0, JvmTerm::Names);
        match self {
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
                JoinPoint::ArrayWrite(TypePattern::any()),
                &[(0, JvmTerm::Array), (1, JvmTerm::Index), (2, JvmTerm::Value)],
            )],
        }
    }
}
