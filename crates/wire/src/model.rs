//! The model as bytes.
//!
//! Every table is written field by field and every choice with a number in front. The lists of
//! fields and choices are complete by construction: what the model gains does not compile here
//! until it is named.

use watchword_model::{
    Aggregate, Alarm, Arity, BinaryOp, Boxes, Branch, Builtin, Capture, Clock, ClockId, Context,
    ContextId, Creation, Deadline, EndOfLife, EventDecl, EventId, Expr, FieldPattern, FileId,
    Function, FunctionId, Glob, InstanceOf, JavaArg, JavaCall, JavaClass, JavaHandler, JoinPoint,
    JvmSource, JvmTerm, JvmWhen, Label, Lang, LocalId, LogOrder, LogSelect, LogSource, LogTerm,
    LogTest, MethodPattern, Model, NativeCaller, NativeKind, NativePattern, NativePoint,
    NativeSource, NativeTerm, NativeVariable, NativeWhen, Observed, Origin, Param, ParamId,
    ParamPattern, Pattern, Place, Placement, PointKind, PointPattern, ProgramEvent, Property,
    PropertyId, PropertyOrigin, Register, RegisterId, Severity, Source, Span, State, StateId,
    StateKind, Stmt, Target, Template, TemplatePart, ThrownBy, Transition, Type, TypePattern,
    UnaryOp, VarId, Variable, Window, WindowId, Within,
};

use crate::code::{Input, Result, Wire, wire_enum, wire_struct, wrong};

wire_struct!(Model { events, contexts, variables, clocks, properties, functions, java });
wire_struct!(JavaClass { name, of, source, lines, handlers, ordered });
wire_struct!(JavaHandler { property, state, method, params });
wire_struct!(JavaCall { class, method, args, keys });
wire_struct!(JavaArg { term, primitive });

macro_rules! wire_ids {
    ($($ty:ident),*) => {$(
        impl Wire for $ty {
            fn put(&self, out: &mut Vec<u8>) {
                self.0.put(out);
            }
            fn get(from: &mut Input<'_>) -> Result<$ty> {
                Ok($ty(Wire::get(from)?))
            }
        }
    )*};
}

wire_ids!(
    EventId, ContextId, PropertyId, StateId, ParamId, VarId, RegisterId, LocalId, ClockId,
    WindowId, FunctionId, FileId, Placement
);

// Events and where they come from.

wire_struct!(EventDecl { name, params, variadic, fixed, program, origin, doc, span });
wire_enum!(ProgramEvent { 0 => Call, 1 => Return, 2 => Done, 3 => ArrayWrite });
wire_struct!(Param { name, ty });
wire_struct!(Span { file, start, end });
wire_enum!(Origin { 0 => World(sources), 1 => Channel, 2 => Clock, 3 => End });
wire_enum!(Source { 0 => Jvm(source), 1 => Native(source), 2 => Log(source) });
wire_enum!(Type {
    0 => Any, 1 => Bool, 2 => Int, 3 => Float, 4 => Str, 5 => Ref, 6 => Ptr, 7 => List, 8 => Map,
    9 => Duration,
});

impl<T: Wire> Wire for Capture<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.param.put(out);
        self.term.put(out);
    }
    fn get(from: &mut Input<'_>) -> Result<Capture<T>> {
        Ok(Capture { param: Wire::get(from)?, term: Wire::get(from)? })
    }
}

/// A pattern is compiled again where it is read. Names that match only themselves say so: such a
/// name may have characters that mean something in patterns.
impl Wire for Glob {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_literal().put(out);
        self.text().to_string().put(out);
    }
    fn get(from: &mut Input<'_>) -> Result<Glob> {
        let literal = bool::get(from)?;
        let text = String::get(from)?;
        Ok(if literal { Glob::literal(&text) } else { Glob::new(&text) })
    }
}

// Program points of a JVM.

wire_struct!(JvmSource { when, point, thrown, thrown_by, saying, instances, within, captures });
wire_struct!(InstanceOf { term, ty });
wire_enum!(ThrownBy { 0 => Anybody, 1 => Itself, 2 => Jdk });
wire_enum!(JvmWhen { 0 => Before, 1 => After, 2 => Throwing });
wire_struct!(JoinPoint { kind, pattern });
wire_enum!(PointPattern {
    0 => Method(method),
    1 => Field(field),
    2 => Type(class),
    3 => Mnemonic(mnemonic),
    4 => All,
});

/// A kind is sent as property files write it.
impl Wire for PointKind {
    fn put(&self, out: &mut Vec<u8>) {
        self.facts().words.to_string().put(out);
    }
    fn get(from: &mut Input<'_>) -> Result<PointKind> {
        let words = String::get(from)?;
        PointKind::of_words(&words).map_or_else(|| wrong("a kind of program point"), Ok)
    }
}

/// A kind is sent as property files write it.
impl Wire for NativeKind {
    fn put(&self, out: &mut Vec<u8>) {
        self.facts().word.to_string().put(out);
    }
    fn get(from: &mut Input<'_>) -> Result<NativeKind> {
        let word = String::get(from)?;
        let row = NativeKind::ALL.iter().find(|facts| facts.word == word);
        row.map_or_else(|| wrong("a kind of native event"), |facts| Ok(facts.kind))
    }
}

wire_struct!(TypePattern { name, subtypes, annotations, negated });
wire_struct!(MethodPattern { owner, name, params, returns, annotations, negated, supers });
wire_enum!(ParamPattern { 0 => One(class), 1 => Rest });
wire_struct!(FieldPattern { owner, name, ty, annotations });
wire_struct!(Within { owner, method, negated });
wire_enum!(JvmTerm {
    0 => Receiver,
    1 => Arg(index),
    2 => Result,
    3 => Exception,
    4 => This,
    5 => LocalName(name),
    6 => LocalSlot(slot),
    7 => Value,
    8 => Array,
    9 => Index,
    10 => Object,
    11 => Thread,
    12 => Class,
    13 => Method,
    14 => Line,
    15 => OpcodeName,
    16 => BlockId,
    17 => Successors,
    18 => Predecessors,
    19 => LoopDepth,
    20 => Target,
    21 => Names,
    22 => Field(object, name),
    23 => Call(object, name),
    24 => StaticField(owner, name),
    25 => Equal(object),
    26 => Java(call),
    27 => Holds(object),
    28 => Expression,
});

// Program points of a native program, and records of a log.

wire_struct!(NativeSource { when, point, module, caller, captures });
wire_enum!(NativeCaller { 0 => Inside, 1 => Outside });
wire_enum!(NativeWhen { 0 => Before, 1 => After });
wire_struct!(NativePoint { kind, pattern });
wire_enum!(NativePattern { 0 => Named(name), 1 => Variable(what) });
wire_struct!(NativeVariable { term, scope });
wire_enum!(NativeTerm {
    0 => Name(name),
    1 => Arg(index),
    2 => Ret,
    3 => Value,
    4 => Address,
    5 => Thread,
    6 => Int(number),
    7 => Deref(pointer),
    8 => AddressOf(variable),
    9 => Field(object, name),
    10 => Arrow(pointer, name),
    11 => Index(array, index),
    12 => Cast(ty, term),
});
wire_struct!(LogSource { select, captures });
wire_enum!(LogSelect { 0 => Record(name), 1 => Where(fields), 2 => Regex(text) });
wire_enum!(LogTest {
    0 => Like(field, glob), 1 => Unlike(field, glob), 2 => Finds(field, regex),
    3 => Misses(field, regex), 4 => Compares(field, order, number), 5 => Not(test), 6 => All(tests),
    7 => Any(tests),
});
wire_enum!(LogOrder { 0 => Less, 1 => LessOrEqual, 2 => Greater, 3 => GreaterOrEqual });
wire_enum!(LogTerm { 0 => Field(path), 1 => Group(name), 2 => Position(index), 3 => Line });

// Contexts and properties.

wire_struct!(Context { parent, params, keys, rule, variables, clocks, ends });
wire_struct!(EndOfLife { param, event, arg });
wire_struct!(Variable { name, ty, init, context, span });
wire_struct!(Clock { name, alarms, rings, autostart, since, context });
wire_struct!(Alarm { after, event });
wire_enum!(Severity { 0 => Note, 1 => Warning, 2 => Error });
wire_struct!(Property {
    name,
    doc,
    severity,
    tags,
    message,
    context,
    alphabet,
    registers,
    windows,
    states,
    start,
    transitions,
    lang,
    origin,
    boxes,
    span,
});
wire_enum!(Boxes { 0 => ByIdentity, 1 => ByValue });
wire_enum!(Lang { 0 => Ww, 1 => Topl, 2 => Infer, 3 => Verde, 4 => Larva, 5 => Mop });
wire_enum!(PropertyOrigin {
    0 => Automaton, 1 => Never(text), 2 => Only(text), 3 => Ltl(text), 4 => Proven,
});
wire_struct!(Observed { event, filter, placements });
wire_struct!(Window { name, aggregate, label, of, within, span });
wire_enum!(Aggregate {
    0 => Count, 1 => Distinct, 2 => Sum, 3 => Min, 4 => Max, 5 => Avg,
});
wire_struct!(Register { name, ty, init, span });
wire_struct!(State { name, kind, message, entry, deadline, span });
wire_enum!(StateKind { 0 => Normal, 1 => Bad, 2 => Good, 3 => Pending });
wire_struct!(Deadline { after, branch });
wire_struct!(Transition { source, labels, keep, then, otherwise, span });
wire_struct!(Branch { update, target, message });
wire_enum!(Target { 0 => State(state), 1 => Stay, 2 => Drop });
wire_struct!(Label { event, arity, args, guard, span });
wire_enum!(Arity { 0 => Any, 1 => Exactly(count), 2 => AtLeast(count) });
wire_enum!(Pattern {
    0 => Any, 1 => Bind(to), 2 => Equal(with), 3 => Differs(with), 4 => Const(value),
    5 => NotConst(value),
});

impl Wire for Creation {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Creation::ChenRosu { creation } => {
                out.push(0);
                creation.put(out);
            }
            Creation::Verde => out.push(1),
            Creation::Larva => out.push(2),
            Creation::Registers => out.push(3),
        }
    }
    fn get(from: &mut Input<'_>) -> Result<Creation> {
        Ok(match u8::get(from)? {
            0 => Creation::ChenRosu { creation: Wire::get(from)? },
            1 => Creation::Verde,
            2 => Creation::Larva,
            3 => Creation::Registers,
            _ => return crate::code::wrong("there is no such Creation"),
        })
    }
}

// Expressions and statements.

wire_enum!(Place {
    0 => Param(param), 1 => Var(variable), 2 => Register(register), 3 => Local(local), 4 => Arg(index),
    5 => Window(window), 6 => Now,
});
wire_enum!(Expr {
    0 => Const(value),
    1 => Read(place),
    2 => Unary(operator, operand),
    3 => Binary(operator, left, right),
    4 => And(left, right),
    5 => Or(left, right),
    6 => If(condition, then, otherwise),
    7 => Builtin(function, args),
    8 => Call(function, args),
    9 => Block(body),
    10 => List(items),
    11 => Map(entries),
});
wire_enum!(UnaryOp { 0 => Not, 1 => Neg, 2 => BitNot });
wire_enum!(BinaryOp {
    0 => Add, 1 => Sub, 2 => Mul, 3 => Div, 4 => Rem, 5 => FloorDiv, 6 => FloorRem, 7 => BitAnd,
    8 => BitOr, 9 => BitXor, 10 => Shl, 11 => Shr, 12 => Eq, 13 => Ne, 14 => Lt, 15 => Le, 16 => Gt,
    17 => Ge,
});
wire_enum!(Builtin {
    0 => Len, 1 => Get, 2 => Put, 3 => Push, 4 => Remove, 5 => Contains, 6 => Keys, 7 => Abs,
    8 => Min, 9 => Max, 10 => ToInt, 11 => ToFloat, 12 => ToStr, 13 => StartsWith, 14 => EndsWith,
    15 => Lower, 16 => Upper, 17 => Matches, 18 => Wrap32,
});
wire_enum!(Stmt {
    0 => Assign(place, value),
    1 => If(condition, then, otherwise),
    2 => While(condition, body),
    3 => ForEach(local, of, body),
    4 => Break,
    5 => Continue,
    6 => Return(value),
    7 => Eval(value),
    8 => Send(event, args),
    9 => Print(value),
    10 => Action(name, args),
    11 => ResetClock(clock),
    12 => SetClock(clock, after),
    13 => StopClock(clock),
});
wire_struct!(Function { name, params, locals, body, span });
wire_struct!(Template { parts });
wire_enum!(TemplatePart { 0 => Text(text), 1 => Value(value) });

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use watchword_cases::fuzz::{Random, mutate};
    use watchword_model::Value;
    use watchword_spec::classes::NoClasses;
    use watchword_spec::{SourceFile, load_for};

    use super::*;
    use crate::code::MAX_DEPTH;

    fn bytes(model: &Model) -> Vec<u8> {
        let mut out = Vec::new();
        model.put(&mut out);
        out
    }

    fn read(bytes: &[u8]) -> Result<Model> {
        Model::get(&mut Input::new(bytes))
    }

    fn property_files(folder: &Path, found: &mut Vec<PathBuf>) {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                property_files(&path, found);
            } else if path.extension().is_some_and(|e| {
                ["ww", "topl", "infer", "prop", "lrv"].iter().any(|known| e == *known)
            }) {
                found.push(path);
            }
        }
    }

    fn load(path: &Path) -> Option<Model> {
        let name = path.to_str().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let lang = watchword_spec::lang_of(name, &text);
        let file = SourceFile::new(name, &text);
        let import = |importer: &str, path: &str| {
            let beside = Path::new(importer).parent().unwrap().join(path);
            let text = std::fs::read_to_string(&beside).map_err(|e| e.to_string())?;
            Ok(SourceFile::new(beside.to_str().unwrap(), &text))
        };
        load_for(&[(file, lang)], &[], &NoClasses, &import).model
    }

    /// The models of all shipped properties and examples, of every front end, and of all cases.
    fn models() -> Vec<(String, Model)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut files = Vec::new();
        property_files(&root.join("properties"), &mut files);
        property_files(&root.join("examples"), &mut files);
        let shipped =
            files.iter().filter_map(|path| Some((path.display().to_string(), load(path)?)));
        let cases = watchword_cases::load_dir(&root.join("cases")).unwrap();
        let cases = cases.iter().filter_map(|case| Some((case.title(), case.model().ok()?)));
        shipped.chain(cases).collect()
    }

    #[test]
    fn every_model_is_read_as_it_was_written() {
        let models = models();
        assert!(models.len() > 200, "{}", models.len());
        for (name, model) in &models {
            let written = bytes(model);
            let again = read(&written).unwrap();
            assert_eq!(format!("{again:?}"), format!("{model:?}"), "{name}");
            // Patterns that match only themselves are shown like others, but not written like them.
            assert_eq!(bytes(&again), written, "{name}");
        }
    }

    #[test]
    fn names_that_look_like_patterns_stay_names() {
        for (glob, matches) in [(Glob::literal("a*"), false), (Glob::new("a*"), true)] {
            let mut out = Vec::new();
            glob.put(&mut out);
            assert_eq!(Glob::get(&mut Input::new(&out)).unwrap().matches("ab"), matches);
        }
    }

    #[test]
    fn mutated_models_are_refused_or_other_models() {
        let models = models();
        let rounds = std::env::var("WATCHWORD_FUZZ").map_or(5_000, |n| n.parse().unwrap());
        let mut random = Random(0x5eed);
        let (mut refused, mut taken) = (0, 0);
        for _ in 0..rounds {
            let mut bytes = bytes(&models[random.below(models.len())].1);
            mutate(&mut random, &mut bytes);
            match read(&bytes) {
                Ok(_) => taken += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(refused > rounds / 10 && taken > rounds / 100, "{refused} refused, {taken} taken");
    }

    #[test]
    fn terms_are_nested_as_deep_as_front_ends_allow_and_no_deeper() {
        let nested = |depth: usize| {
            let negated = |inner| Expr::Unary(UnaryOp::Not, Box::new(inner));
            let term = (0..depth).fold(Expr::Const(Value::Bool(true)), |inner, _| negated(inner));
            let mut out = Vec::new();
            term.put(&mut out);
            Expr::get(&mut Input::new(&out)).map(drop)
        };
        assert!(nested(MAX_DEPTH).is_ok());
        assert!(nested(MAX_DEPTH + 1).is_err());
    }
}
