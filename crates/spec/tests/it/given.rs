//! What properties are given from outside: `--set` and `--bind`.

use watchword_model::{LogSelect, LogTerm, LogTest, Model, Origin, Source, Type, Value};
use watchword_spec::classes::NoClasses;
use watchword_spec::given::GivenTexts;
use watchword_spec::{Lang, Loaded, SourceFile, lint, load_given};

const REPLY: &str = "
event request(id)
event reply(id) = log record \"reply\" with id = .id
property Reply(id) {
  /// How long a request may wait
  param limit: duration = 5 s
  start state Idle { on request(id) -> Waiting }
  state Waiting within limit else Late { on reply(id) -> Idle }
  bad state Late
}";

fn given(text: &str, set: &[&str], bind: &[&str]) -> Loaded {
    let file = (SourceFile::new("p.ww", text), Lang::Ww);
    let texts = |list: &[&str]| list.iter().map(|t| t.to_string()).collect();
    let given = GivenTexts { set: texts(set), bind: texts(bind), ..GivenTexts::default() };
    load_given(&[file], &[], &given, &NoClasses, &|_, _| Err("no imports".to_string()))
}

fn model(loaded: &Loaded) -> &Model {
    loaded.model.as_ref().unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics))
}

/// Code, rendered text.
fn refusal(loaded: &Loaded) -> (&'static str, String) {
    assert!(loaded.model.is_none());
    let first = loaded.diagnostics.iter().find(|d| d.is_error()).expect("an error");
    (first.code, first.render(&loaded.files, false))
}

fn sources<'m>(model: &'m Model, event: &str) -> &'m [Source] {
    let decl = &model.events[model.event(event).unwrap().index()];
    let Origin::World(sources) = &decl.origin else { panic!("{event} is of the world") };
    sources
}

#[test]
fn values_are_chosen() {
    let limit = |set: &[&str]| {
        let loaded = given(REPLY, set, &[]);
        let setting = &loaded.settings[0];
        let deadline = model(&loaded).properties[0].states[1].deadline.as_ref().unwrap().after;
        assert!(setting.value.same(&Value::Int(deadline)));
        assert_eq!((setting.ty, setting.default_text().as_str()), (Type::Duration, "5 s"));
        assert_eq!(setting.doc, "How long a request may wait");
        setting.value_text()
    };
    assert_eq!(limit(&[]), "5 s");
    for (written, value) in [
        ("limit=2s", "2 s"),
        ("limit=2 s", "2 s"),
        (" limit = 1.5min ", "90 s"),
        ("Reply.limit=250ms", "250 ms"),
        ("limit=1_000us", "1 ms"),
    ] {
        assert_eq!(limit(&[written]), value, "{written}");
    }
    // The last one wins, one that names the property before one that does not.
    assert_eq!(limit(&["limit=1s", "limit=2s"]), "2 s");
    assert_eq!(limit(&["Reply.limit=1s", "limit=2s"]), "1 s");
}

#[test]
fn time_limits_of_zero_must_not_lead_in_a_circle() {
    let text = |third: &str, options: &str| {
        format!(
            "event e(x)
             property P(x) {{
               param pause: duration = 1 s
               {options}
               start state A {{ on e(x) -> B }}
               state B within pause else C
               bad state C within 0 s else {third}
             }}"
        )
    };
    let refused = |third: &str, options: &str, set: &[&str]| {
        let loaded = given(&text(third, options), set, &[]);
        let errors = loaded.diagnostics.iter().filter(|d| d.is_error());
        errors.map(|d| (d.code, d.labels.len())).collect::<Vec<_>>()
    };
    assert!(refused("B", "", &[]).is_empty());
    assert_eq!(refused("B", "", &["pause=0s"]), [("WW0314", 1)]);
    assert_eq!(refused("C", "", &[]), [("WW0314", 0)]);
    assert!(refused("A", "", &["pause=0s"]).is_empty());
    assert!(refused("drop", "", &["pause=0s"]).is_empty());
    // The instance that binds nothing begins again.
    let begin = |options: &str| {
        let text = format!(
            "event e(x)
             property P(x) {{
               {options}
               start state A within 0 s else drop {{ on e(x) -> B }}
               bad state B
             }}"
        );
        given(&text, &[], &[]).diagnostics.iter().filter(|d| d.is_error()).count()
    };
    assert_eq!((begin(""), begin("rule verde"), begin("creation e")), (1, 1, 0));
}

#[test]
fn wrong_values_are_shown_like_wrong_files() {
    let (code, text) = refusal(&given(REPLY, &["limti=2s"], &[]));
    assert_eq!(code, "WW0203");
    assert!(text.contains("--set:1:1") && text.contains("did you mean `limit`?"), "{text}");
    let (code, text) = refusal(&given(REPLY, &["Replay.limit=2s"], &[]));
    assert_eq!(code, "WW0203");
    assert!(text.contains("did you mean `Reply.limit`?"), "{text}");
    for wrong in ["limit=2", "limit=soon", "limit=", "limit=-2s", "limit=2sec", "limit=1e300d"] {
        let (code, text) = refusal(&given(REPLY, &[wrong], &[]));
        assert_eq!(code, "WW0401", "{wrong}");
        assert!(text.contains("--set:1:7") && text.contains("such as `5 s`"), "{text}");
        assert!(text.contains("p.ww:6:"), "{text}");
    }
    let (code, _) = refusal(&given(REPLY, &["limit"], &[]));
    assert_eq!(code, "WW0101");
    let without = "event e(x)\nproperty P(x) { never e e }";
    let (_, text) = refusal(&given(without, &["limit=2s"], &[]));
    assert!(text.contains("declare one in the property"), "{text}");
}

#[test]
fn values_of_every_type() {
    let text = "event e(x)
        property P(x) {
          param i: int = 1
          param f: float = 1
          param s: string = \"a b\"
          param b: bool = true
          message \"{i} {f} {s} {b}\"
          never e e
        }";
    let values = |set: &[&str]| -> Vec<Value> {
        let loaded = given(text, set, &[]);
        model(&loaded);
        loaded.settings.iter().map(|s| s.value.clone()).collect()
    };
    let of = |i, f, s, b| vec![Value::Int(i), Value::Float(f), Value::str(s), Value::Bool(b)];
    assert_eq!(format!("{:?}", values(&[])), format!("{:?}", of(1, 1.0, "a b", true)));
    let chosen = values(&["i=-3", "f=2", "s= x=\"y\"", "b=false"]);
    assert_eq!(format!("{chosen:?}"), format!("{:?}", of(-3, 2.0, " x=\"y\"", false)));
    for wrong in ["i=1.5", "i=", "i=0x10", "f=a", "f=inf", "f=nan", "b=yes", "b=1"] {
        assert_eq!(refusal(&given(text, &[wrong], &[])).0, "WW0401", "{wrong}");
    }
}

#[test]
fn what_is_chosen_for_a_run_is_no_mistake_of_the_file() {
    let text = "event e(x, n: int)
        property P(x) {
          param strict: bool = false
          start state A {
            on e(x, _) if strict -> B
            on e(x, ?n) if n > 3 -> C
            on e(x, _) if not strict { }
          }
          bad state B
          bad state C
        }";
    for set in [&[][..], &["strict=true"]] {
        let loaded = given(text, set, &[]);
        model(&loaded);
        assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
        let said = lint(&loaded.for_lint().unwrap());
        assert!(said.is_empty(), "{said:#?}");
    }
    // The model itself knows it.
    let loaded = given(text, &[], &[]);
    assert!(lint(model(&loaded)).iter().any(|d| d.code == "WW1006"));
    let unused = given("event e(x)\nproperty P(x) { param n = 1 never e e }", &[], &[]);
    assert_eq!(unused.diagnostics[0].code, "WW1009");
}

#[test]
fn events_are_given_sources() {
    let bind = ["request=/GET (?<id>\\S+)/", "reply=.kind == \"reply\""];
    let loaded = given(REPLY, &[], &bind);
    let bound = model(&loaded);
    let [Source::Log(request)] = sources(bound, "request") else { panic!("one source") };
    assert_eq!(request.select, LogSelect::Regex("GET (?<id>\\S+)".to_string()));
    assert_eq!(request.captures[0].term, LogTerm::Group("id".to_string()));
    // It replaces the source of the file; a field gives the parameter of its name.
    let [Source::Log(reply)] = sources(bound, "reply") else { panic!("one source") };
    assert!(
        matches!(&reply.select, LogSelect::Where(LogTest::Like(field, _)) if *field == ["kind"])
    );
    assert_eq!(reply.captures[0].term, LogTerm::Field(vec!["id".to_string()]));
    let several = ["reply(who)=/a(?<who>.)/", "reply=log record \"b\" with id = .c"];
    let loaded = given(REPLY, &[], &several);
    let [Source::Log(first), Source::Log(second)] = sources(model(&loaded), "reply") else {
        panic!("two sources")
    };
    assert_eq!(first.captures[0].term, LogTerm::Group("who".to_string()));
    assert_eq!(second.captures[0].term, LogTerm::Field(vec!["c".to_string()]));
    // An event that the file does not declare, and sources that are no log.
    let text = "property P(q) { never push(q, _) pop(q) }";
    let native = ["push(q, who)=native before call put with q = arg 0, who = arg 1"];
    let loaded = given(text, &[], &native);
    assert!(matches!(sources(model(&loaded), "push"), [Source::Native(_)]));
    let loaded = given(text, &[], &["pop(q: int)=/(?<q>\\d+)/"]);
    let bound = model(&loaded);
    assert_eq!(bound.events[bound.event("pop").unwrap().index()].params[0].ty, Type::Int);
}

#[test]
fn wrong_sources_are_shown_like_wrong_files() {
    for (bind, wanted, says) in [
        ("requset=/(?<id>.)/", "WW0203", "did you mean `request`?"),
        ("request=/(?<name>.)/", "WW0501", "give a group its name"),
        ("request=/(?<id>./", "WW0504", "--bind:1:10"),
        ("request(a, b)=/(?<a>.)(?<b>.)/", "WW0212", "write `request(id)=…`"),
        ("request", "WW0101", "--bind request='/…/'"),
        ("request=", "WW0101", "a source"),
        ("request=/(?<id>.)/ x", "WW0101", "the end of the source"),
        ("request=.kind = \"a\"", "WW0101", "`==`"),
        ("request=program call", "WW0308", "cannot be chosen"),
        ("request=/a/ with id = .id", "WW0503", "no fields"),
        ("=/a/", "WW0101", "the name of an event"),
        ("", "WW0101", "the name of an event"),
    ] {
        let (code, text) = refusal(&given(REPLY, &[], &[bind]));
        assert_eq!(code, wanted, "{bind}: {text}");
        assert!(text.contains(says), "{bind}: {text}");
        assert!(text.contains("--bind"), "{bind}: {text}");
    }
    let channel = "channel c(x)\nproperty P() { start state A { on c(_) { send c(1) } } }";
    assert_eq!(refusal(&given(channel, &[], &["c=/(?<x>.)/"])).0, "WW0308");
}

#[test]
fn a_second_declaration_shows_how() {
    let files = [
        (SourceFile::new("std/reply", REPLY), Lang::Ww),
        (SourceFile::new("mine.ww", "event request(id) = log /(?<id>.)/"), Lang::Ww),
    ];
    let no_imports = |_: &str, _: &str| Err("no imports".to_string());
    let loaded = load_given(&files, &[], &GivenTexts::default(), &NoClasses, &no_imports);
    let (code, text) = refusal(&loaded);
    assert_eq!(code, "WW0201");
    assert!(text.contains("--bind 'request=…'"), "{text}");
}

#[test]
fn nothing_given_brings_the_parser_down() {
    let pieces = ["request", "reply", "=", "/", "(?<id>.)", ".kind", "==", "\"a", "with", "(", ")"];
    let mut random = watchword_testing::Random::new(7);
    for _ in 0..3000 {
        let text: String =
            (0..random.below(8)).map(|_| pieces[random.below(pieces.len())]).collect();
        given(REPLY, &[&text], &[&text]);
    }
}
