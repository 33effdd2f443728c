//! What can never fail is said, and what is not said can fail: the word is replayed.

use watchword_model::PropertyId;
use watchword_spec::lint::{CanFail, can_fail};
use watchword_spec::{Lang, detect, lang_of, lint};

use super::{examples, load, model, reports, root};

#[test]
fn every_example_can_fail_and_has_cases() {
    let cases = std::fs::read_to_string(root("cases/topl-paper.toml")).expect("cases");
    let examples = examples();
    assert!(examples.len() >= 10);
    for (name, text) in examples {
        assert_eq!(lang_of(&format!("{name}.topl"), &text), Lang::Topl);
        let model = model(Lang::Topl, &text);
        assert_eq!(model.properties[0].name, name, "the file is called like the property");
        assert!(lint(&model).is_empty(), "{name}: {:#?}", lint(&model));
        let CanFail::Example(events) = can_fail(&model, PropertyId(0)) else {
            panic!("{name} has no example of a failure");
        };
        assert!(reports(&model, &events) > 0, "{name} does not fail on {events:#?}");
        assert!(cases.contains(&text), "the cases have another version of {name}");
    }
}

/// Properties as they were published, and what is missing in them.
const VACUOUS: [(&str, &str, &str); 7] = [
    (
        "property Taint
  observe <Itr.next,Concat.make,Str.itr>
  prefix <Itr,Concat,Str>
  start -> start: *
  start -> a: X := input()
  a -> a: X := make(x, *), X := make(*, x), (!sani)(*)
  a -> b: sani(x)
  a -> error: sink(x)
",
        "input",
        "*.input",
    ),
    (
        "property Ropes
  observe <{Itr.next,Concat.make,Str.itr}>
  prefix <{Itr,Concat,Str}>
  start -> start: *
  start -> a: I := S.itr()
  a -> a: *, S := make(s, *), S := make(*, s)
  a -> b: J := s.itr()
  b -> c: i.set(*)
  c -> error: j.next()
",
        "set",
        "*.set",
    ),
    (
        "property Maps
  observe <java.util.{Iterator,Collection}.*>
  prefix <java.util>
  start -> start: *
  start -> view: V := M.<Map.keySet>(), V := M.<Map.values>()
  view -> iterating: I := v.iterator()
  iterating -> updated: m.<Map.put>[*]
  updated -> error: i.next()
",
        "java.util.Map.keySet",
        "the method in `java.util.iterator` has no class",
    ),
    (
        "property NestedMethods
  observe <p.Exposer,{startConstructor,endConstructor}>
  observe <p.Exposer,{startMethod,endMethod}>
  prefix <p.Exposer>
  start -> start: *
  start -> constructor: E.startConstructor[*]
  constructor -> ok: e.endConstructor[*]
  start -> method: E.startMethod[*]
  method -> ok: e.endMethod[*]
  constructor -> error: e.startConstructor[*], e.startMethod[*]
",
        "p.Exposer.startConstructor",
        "did you mean to observe `<p.Exposer.*>`?",
    ),
    (
        "property TeeOutputStream
  observe <java.io.{OutputStream,FilterOutputStream}.write>
  start -> start: *
  start -> inside: call X.write[*]
  inside -> error: call x.write[*]
",
        "`write`",
        "the method in `write` has no class",
    ),
    (
        "property Sink
  observe <Form.*>
  start -> a: X := <Form.input>()
  a -> error: <Sink.write>(x)
",
        "Sink.write",
        "Sink.*",
    ),
    (
        "property Negated
  observe <A.m>
  start -> error: (!<A.m>)[*]
",
        "is like that",
        "",
    ),
];

#[test]
fn published_properties_that_can_never_fail_are_found() {
    for (text, missing, observe) in VACUOUS {
        let model = model(Lang::Topl, text);
        assert!(matches!(can_fail(&model, PropertyId(0)), CanFail::Never), "{text}");
        let said = lint(&model);
        let never = said.iter().find(|d| d.code == "WW1004").expect("it says that it cannot fail");
        assert!(never.message.contains("can never fail"), "{}", never.message);
        assert!(never.message.contains(missing), "{} names {missing}", never.message);
        let help = never.help.clone().unwrap_or_default();
        assert!(help.contains(observe), "{help:?} suggests {observe}");
        assert!(said.iter().any(|d| d.code == "WW1003"), "the label is pointed at: {said:#?}");
        if let Some(observe) = help.strip_prefix("did you mean to observe `") {
            let observe = observe.trim_end_matches("`?").replace("` and `", "\n  observe ");
            let (head, tail) = text.split_once("  observe").expect("it observes something");
            let followed = format!("{head}  observe {observe}\n  observe{tail}");
            let model = super::model(Lang::Topl, &followed);
            let CanFail::Example(events) = can_fail(&model, PropertyId(0)) else {
                panic!("the suggestion does not help: {followed}");
            };
            assert!(reports(&model, &events) > 0, "{followed}");
        }
    }
}

#[test]
fn nothing_observed() {
    let model = model(Lang::Topl, "property P\n  start -> error: *\n");
    assert!(matches!(can_fail(&model, PropertyId(0)), CanFail::Never));
    assert!(
        lint(&model).iter().any(|d| d.code == "WW1004" && d.message.contains("observes nothing"))
    );
}

#[test]
fn values_that_contradict_each_other() {
    let text = "property P
  observe <A.*>
  prefix <A>
  start -> a: put(X)
  a -> b: get(x, !x), same(<1>, X)
  b -> error: last(<2>, x)
  b -> error: other(<1>, x)
  a -> c: both(x)
  c -> c: both(!x)
";
    let model = model(Lang::Topl, text);
    let CanFail::Example(events) = can_fail(&model, PropertyId(0)) else { panic!("it can fail") };
    assert!(reports(&model, &events) > 0);

    let never = "property P
  observe <A.*>
  prefix <A>
  start -> a: put(<1>, X)
  a -> b: eq(x)
  b -> error: ne(!x, x)
  start -> d: val(Y)
  d -> error: get(!y, <1>, y)
";
    // Each component has one pattern, so both can hold.
    let model = super::model(Lang::Topl, never);
    assert!(matches!(can_fail(&model, PropertyId(0)), CanFail::Example(_)));
}

#[test]
fn registers_that_cannot_be_equal() {
    // y is bound to something else than x, and then both are asked to be one value.
    let text = "property P
  start -> a: m(X, Ret) => x := X
  a -> b: m(Y, Ret) when Y != x => y := Y
  b -> error: m(Z, Ret) when Z == x && Z == y
";
    let model = model(Lang::Infer, text);
    // Truth values and numbers compare specially, which the search does not look into.
    assert!(!matches!(can_fail(&model, PropertyId(0)), CanFail::Example(_)));
}

#[test]
fn transitions_that_no_run_takes() {
    let text = "property P
  observe <A.*>
  prefix <A>
  start -> a: put(X)
  a -> b: call other(X)
  b -> error: get(x)
  start -> error: nowhere(*)
";
    let found = lint(&model(Lang::Topl, text));
    assert!(found.is_empty(), "{found:#?}");
    let unobserved = text.replace("observe <A.*>", "observe <A.{put,other,get}>");
    let found = lint(&model(Lang::Topl, &unobserved));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].code, "WW1003");
    assert!(found[0].message.contains("A.nowhere"), "{}", found[0].message);
    assert_eq!(found[0].help.as_deref(), Some("did you mean to observe `<A.*>`?"));
}

#[test]
fn cases_that_fail_are_not_called_vacuous() {
    let mut files: Vec<_> = std::fs::read_dir(root("cases"))
        .expect("cases")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    let (mut failing, mut replayed) = (0, 0);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("cases");
        for case in text.split("[[case]]").skip(1) {
            let Some((_, rest)) = case.split_once("property = '''\n") else { continue };
            let Some((property, rest)) = rest.split_once("'''") else { continue };
            let lang = match case.split_once("lang = \"").and_then(|(_, l)| l.split_once('"')) {
                Some((name, _)) => Lang::from_name(name),
                None => Some(Lang::Ww),
            };
            let Some(lang) = lang else { continue };
            let Some(model) = load(lang, property).model else { continue };
            for (at, definition) in model.properties.iter().enumerate() {
                let verdict = can_fail(&model, PropertyId::from_index(at));
                let fails = rest.lines().any(|line| {
                    line.contains(&format!(" {} [", definition.name)) && !line.contains("satisfied")
                });
                // Without classes every method is taken to go by one name.
                let several_names = rest.contains("call([");
                if fails && !several_names {
                    failing += 1;
                    assert!(!matches!(verdict, CanFail::Never), "{property}");
                }
                if let CanFail::Example(events) = verdict {
                    assert!(reports(&model, &events) > 0, "{property}\n{events:#?}");
                    replayed += 1;
                }
            }
        }
    }
    assert!(failing > 100, "only {failing} properties fail in their cases");
    assert!(replayed > 100, "only {replayed} words were replayed");
}

#[test]
fn the_examples_of_the_documentation_load() {
    let text = std::fs::read_to_string(root("docs/topl.md")).expect("the page");
    let mut seen = 0;
    for block in text.split("```").skip(1).step_by(2) {
        let Some((lang, property)) = block.split_once('\n') else { continue };
        let Some(lang) = Lang::from_name(lang) else { continue };
        let model = model(lang, property);
        assert!(lint(&model).is_empty(), "{property}: {:#?}", lint(&model));
        assert_eq!(detect(property), Some(lang));
        seen += 1;
    }
    assert_eq!(seen, 2);
}
