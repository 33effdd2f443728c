//! Selectors beside classes that are written down here.

use std::collections::HashMap;
use std::sync::Arc;

use watchword_classfile::access::{ABSTRACT, FINAL, INTERFACE, PUBLIC};
use watchword_model::{Glob, MethodPattern, ParamPattern, TypePattern, Within};
use watchword_select::{
    Answer, Called, ClassFacts, Hierarchy, KnownTypes, MemberFacts, Test, Ty, is_instance,
    is_within, matches_method,
};

/// Classes by name.
struct Classes(HashMap<String, Arc<ClassFacts>>);

impl Hierarchy for Classes {
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        self.0.get(name).cloned()
    }
}

/// `final? interface? NAME < SUPERTYPES: METHODS`; a method is a name and a descriptor.
fn classes(lines: &[&str]) -> Classes {
    let mut all = HashMap::new();
    for line in ["java/lang/Object: equals(Ljava/lang/Object;)Z"].iter().chain(lines) {
        let (head, methods) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        let (head, above) = head.split_once(" < ").unwrap_or((head, ""));
        let (words, name) = head.rsplit_once(' ').unwrap_or(("", head));
        let mut above: Vec<String> = above.split_whitespace().map(str::to_owned).collect();
        let is_interface = words.contains("interface");
        let super_name = match (name, is_interface || above.is_empty()) {
            ("java/lang/Object", _) => None,
            (_, true) => Some("java/lang/Object".to_owned()),
            (_, false) => Some(above.remove(0)),
        };
        let flag = |word: &str, flag: u16| if words.contains(word) { flag } else { 0 };
        let methods = methods.split_whitespace().map(|method| {
            let (name, _) = method.split_once('(').expect("a descriptor");
            let descriptor = method[name.len()..].to_owned();
            MemberFacts { name: name.to_owned(), descriptor, ..MemberFacts::default() }
        });
        let facts = ClassFacts {
            name: name.to_owned(),
            access: PUBLIC | flag("interface", INTERFACE | ABSTRACT) | flag("final", FINAL),
            super_name,
            interfaces: above,
            methods: methods.collect(),
            ..ClassFacts::default()
        };
        all.insert(name.to_owned(), Arc::new(facts));
    }
    Classes(all)
}

fn ty(text: &str) -> TypePattern {
    let negated = text.starts_with('!');
    let name = text.trim_start_matches('!');
    let subtypes = name.ends_with('+');
    TypePattern {
        name: Glob::new(name.trim_end_matches('+')),
        subtypes,
        negated,
        ..TypePattern::any()
    }
}

/// `TYPE.name` or `TYPE.name(TYPES)`; `not` before all of it.
fn method(text: &str) -> MethodPattern {
    let (negated, text) = match text.strip_prefix("not ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (text, params) = match text.split_once('(') {
        Some((text, params)) => (text, Some(params.trim_end_matches(')'))),
        None => (text, None),
    };
    let (owner, name) = text.rsplit_once('.').expect("an owner");
    let param = |text: &str| match text {
        ".." => ParamPattern::Rest,
        text => ParamPattern::One(ty(text)),
    };
    let list = |params: &str| params.split(", ").filter(|p| !p.is_empty()).map(param).collect();
    MethodPattern {
        owner: ty(owner),
        name: Glob::new(name),
        params: params.map(list),
        returns: None,
        annotations: Vec::new(),
        negated,
        supers: true,
    }
}

/// The same question, as the weaver and as the analysis asks it.
fn ask(pattern: &str, classes: &Classes, owner: &str, called: &str) -> (Answer, Answer) {
    let (name, _) = called.split_once('(').expect("a descriptor");
    let called = Called::new(owner, name, &called[name.len()..], true).expect("a descriptor");
    let answer = |types: &KnownTypes<'_>| matches_method(&method(pattern), &called, types);
    (answer(&KnownTypes::new(classes, Arc::default())), answer(&KnownTypes::open(classes)))
}

/// What weaver and analysis both say.
#[track_caller]
fn same(pattern: &str, classes: &Classes, owner: &str, called: &str) -> Answer {
    let (weaver, analysis) = ask(pattern, classes, owner, called);
    assert_eq!(weaver, analysis, "{pattern} on {owner}.{called}");
    weaver
}

fn instance(ty: &str) -> Answer {
    Answer::Maybe(Test::Instance(ty.into()))
}

fn lists() -> Classes {
    classes(&[
        "interface u/List: add(Ljava/lang/Object;)Z",
        "interface u/Queue: add(Ljava/lang/Object;)Z poll()Ljava/lang/Object;",
        "u/Array < java/lang/Object u/List: add(Ljava/lang/Object;)Z",
        "u/Linked < java/lang/Object u/List u/Queue: add(Ljava/lang/Object;)Z",
        "final u/Text: add(Ljava/lang/Object;)Z",
        "interface u/Map$Entry: set(Ljava/lang/Object;)V",
        "u/Map$Node < java/lang/Object u/Map$Entry: set(Ljava/lang/Object;)V",
        "interface u/Holder: set(Ljava/lang/Object;)V",
    ])
}

const ADD: &str = "add(Ljava/lang/Object;)Z";
const SET: &str = "set(Ljava/lang/Object;)V";

#[test]
fn the_object_decides_where_a_method_is_called_through_a_supertype() {
    let lists = lists();
    assert_eq!(same("u.List+.add", &lists, "u/Array", ADD), Answer::Yes);
    assert_eq!(same("u.Array+.add", &lists, "u/List", ADD), instance("u/Array"));
    assert_eq!(same("u.Queue+.add", &lists, "u/List", ADD), instance("u/Queue"));
    assert_eq!(same("u.Queue+.add", &lists, "u/Text", ADD), Answer::No);
    assert_eq!(same("u.Array.add", &lists, "u/List", ADD), Answer::No);
    // A constructor makes objects of its class only.
    assert_eq!(same("u.List+.<init>", &lists, "u/Text", "<init>()V"), Answer::No);
}

/// `not` is the opposite, also of what only the object can tell.
#[test]
fn a_negated_instance_test_is_the_opposite_test_for_weaver_and_analysis() {
    let lists = lists();
    let other = || Answer::Maybe(Test::NotInstance("u/Array".into()));
    assert_eq!(same("not u.Array+.add", &lists, "u/List", ADD), other());
    assert_eq!(same("!u.Array+.add", &lists, "u/List", ADD), other());
    assert_eq!(same("not u.Array+.add", &lists, "u/Array", ADD), Answer::No);
    assert_eq!(same("not u.Array+.add", &lists, "u/Text", ADD), Answer::Yes);
    assert_eq!(same("not u.Array+.poll", &lists, "u/List", ADD), Answer::Yes);
}

/// Sources write `Map.Entry`, the JVM has `Map$Entry`.
#[test]
fn nested_classes_are_found_by_both_names_where_a_method_is_called_through_a_supertype() {
    let lists = lists();
    for owner in ["u.Map.Node+.set", "u.Map$Node+.set"] {
        assert_eq!(same(owner, &lists, "u/Map$Entry", SET), instance("u/Map$Node"), "{owner}");
        assert_eq!(same(owner, &lists, "u/Holder", SET), instance("u/Map$Node"), "{owner}");
    }
    let entry = "u.Map.Entry+.set";
    assert_eq!(same(entry, &lists, "u/Map$Node", SET), Answer::Yes);
    assert_eq!(same(entry, &lists, "u/Text", SET), Answer::No);
}

#[test]
fn a_method_belongs_to_the_class_that_declares_it() {
    let classes = classes(&["a/Top: m()V", "a/Low < a/Top: ", "a/Own < a/Top: m()V"]);
    assert_eq!(same("a.Top.m", &classes, "a/Low", "m()V"), Answer::Yes);
    assert_eq!(same("a.Top.m", &classes, "a/Own", "m()V"), Answer::No);
    assert_eq!(same("a.Top.n", &classes, "a/Low", "n()V"), Answer::No);
}

/// Arrays have supertypes, too; parameters count by the types that the call names.
#[test]
fn parameters_are_matched_by_their_static_types() {
    let lists = lists();
    let called = |params: &str| {
        same("java.lang.Object+.add(u.List+, ..)", &lists, "u/Array", &format!("add({params})Z"))
    };
    assert_eq!(called("Lu/Array;I"), Answer::Yes);
    assert_eq!(called("Ljava/lang/Object;"), Answer::No);
    let arrays = |pattern: &str| {
        let pattern = format!("u.Array+.add({pattern})");
        same(&pattern, &lists, "u/Array", "add([Lu/Array;)Z")
    };
    assert_eq!(arrays("u.List[]+"), Answer::Yes);
    assert_eq!(arrays("java.lang.Object+"), Answer::Yes);
    assert_eq!(arrays("java.lang.Object"), Answer::No);
    assert_eq!(arrays("u.Array[]"), Answer::Yes);
}

/// The weaver decides by names alone, and the analysis expects both.
#[test]
fn what_missing_classes_decide_may_be_for_the_analysis() {
    let classes = classes(&["a/Low < a/Gone: m()V"]);
    let other = Answer::Maybe(Test::NotInstance("b/Other".into()));
    assert_eq!(ask("b.Other+.m", &classes, "a/Low", "m()V"), (Answer::No, instance("b/Other")));
    assert_eq!(ask("not b.Other+.m", &classes, "a/Low", "m()V"), (Answer::Yes, other));
    let unknown = Answer::Maybe(Test::Unknown);
    assert_eq!(ask("b.Other.m", &classes, "a/Gone", "m()V"), (Answer::No, unknown));
    assert_eq!(ask("a.Gone+.m", &classes, "a/Low", "m()V"), (Answer::Yes, Answer::Yes));
    // What may be is a superset of what the weaver weaves.
    let (weaver, analysis) = ask("b.Other+.m", &classes, "java/lang/Object", "m()V");
    assert!(analysis.may() && weaver.may(), "{weaver:?} {analysis:?}");
}

#[test]
fn lambdas_belong_to_the_method_they_were_written_in() {
    let lists = lists();
    let types = KnownTypes::open(&lists);
    let within = |owner: &str, method: &str, negated: bool| Within {
        owner: ty(owner),
        method: Some(Glob::new(method)),
        negated,
    };
    let inside = |within: Within, method: &str| is_within(&[within], "u/Array", method, &types);
    assert_eq!(inside(within("u.List+", "run", false), "lambda$run$0"), Answer::Yes);
    assert_eq!(inside(within("u.List+", "run", false), "other"), Answer::No);
    assert_eq!(inside(within("u.List+", "run", true), "other"), Answer::Yes);
    assert_eq!(inside(within("u.Queue+", "run", false), "run"), Answer::No);
}

/// The names a TOPL property knows a method by.
#[test]
fn names_of_a_method_replace_dollars_of_classes_only() {
    let lists = classes(&["interface u/A$B: m$1()V", "u/C$D < java/lang/Object u/A$B: m$1()V"]);
    let types = KnownTypes::open(&lists);
    let called = Called::new("u/C$D", "m$1", "()V", true).expect("a descriptor");
    let names = types.names_of(&called);
    assert_eq!(names, ["u.C$D.m$1", "u.A$B.m$1", "u.C.D.m$1", "u.A.B.m$1"]);
}

#[test]
fn calls_by_super_can_be_left_out() {
    let classes = lists();
    let types = KnownTypes::open(&classes);
    let called =
        Called::new("u/Array", "add", "(Ljava/lang/Object;)Z", true).expect("a descriptor");
    let all = method("u.Array.add");
    let direct = MethodPattern { supers: false, ..all.clone() };
    let any = MethodPattern { supers: false, ..method("u.Array.*") };
    let made = Called::new("u/Array", "<init>", "()V", true).expect("a descriptor");
    let by_super = Called { by_super: true, ..called.clone() };
    for (pattern, called, expected) in [
        (&all, &called, Answer::Yes),
        (&all, &by_super, Answer::Yes),
        (&direct, &called, Answer::Yes),
        (&direct, &by_super, Answer::No),
        (&any, &called, Answer::Yes),
        (&any, &made, Answer::No),
        (&method("u.Array.*"), &made, Answer::Yes),
    ] {
        assert_eq!(matches_method(pattern, called, &types), expected);
    }
}

#[test]
fn an_object_may_be_of_a_type_beside_the_declared_one() {
    let classes = lists();
    let types = KnownTypes::open(&classes);
    let is =
        |wanted: &str, declared: &str| is_instance(&ty(wanted), Ty::of_class(declared), &types);
    assert_eq!(is("u.Queue+", "u/Linked"), Answer::Yes);
    assert_eq!(is("u.Queue+", "u/List"), instance("u/Queue"));
    assert_eq!(is("u.Linked+", "u/List"), instance("u/Linked"));
    assert_eq!(is("u.Linked+", "u/Array"), Answer::No);
    assert_eq!(is("u.Queue+", "u/Text"), Answer::No);
}
