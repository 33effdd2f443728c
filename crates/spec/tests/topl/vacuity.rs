//! What can never fail is said, and what is not said can fail: the word is replayed.

use watchword_model::PropertyId;
use watchword_spec::lint::{CanFail, can_fail};
use watchword_spec::{Lang, lint};

use crate::{examples, load, model, reports, root};

#[test]
fn every_example_can_fail_and_has_cases() {
    let cases = std::fs::read_to_string(root("cases/topl-paper.toml")).expect("cases");
    let examples = examples();
    assert!(examples.len() >= 10);
    for (name, text) in examples {
        assert_eq!(Lang::of_file(&format!("{name}.topl"), &text), Lang::Topl);
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
const VACUOUS: [(&str, &str, &str); 5] = [
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
        "java.util.Map.*",
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
    let model = crate::model(Lang::Topl, never);
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
    for file in ["topl-paper", "topl-semantics", "topl-infer"] {
        let text = std::fs::read_to_string(root(&format!("cases/{file}.toml"))).expect("cases");
        let mut checked = 0;
        for case in text.split("[[case]]").skip(1) {
            let Some(property) = case.split("'''").nth(1) else { continue };
            let fails = case.lines().any(|l| l.starts_with("expect = ['"));
            let lang = if case.contains("lang = \"infer\"") { Lang::Infer } else { Lang::Topl };
            let loaded = load(lang, property.trim_start_matches('\n'));
            let Some(model) = loaded.model else { continue };
            let verdicts: Vec<CanFail> = (0..model.properties.len())
                .map(|at| can_fail(&model, PropertyId::from_index(at)))
                .collect();
            if fails {
                assert!(!verdicts.iter().all(|v| matches!(v, CanFail::Never)), "{property}");
            }
            for verdict in &verdicts {
                if let CanFail::Example(events) = verdict {
                    assert!(reports(&model, events) > 0, "{property}\n{events:#?}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 10, "{file}: only {checked} words were replayed");
    }
}
