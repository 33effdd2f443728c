//! LARVA scripts: what is wrong with them is said with its place, whatever they contain.

use watchword_spec::{Lang, Loaded, SourceFile, convert, lint, load_with};

use crate::mutate;
use watchword_testing::Random;

const GUIDE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/larva.md"));
const CASES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/larva-scripts.toml"));

fn script(text: &str) -> Loaded {
    load_with(&[(SourceFile::new("x.lrv", text), Lang::Larva)], &|_, _| Err("no".into()))
}

/// The scripts of the guide and of the cases.
fn scripts() -> Vec<&'static str> {
    let guide = GUIDE.split("```lrv\n").skip(1).map(|rest| rest.split("```\n").next().unwrap());
    let cases =
        CASES.split("property = '''\n").skip(1).map(|rest| rest.split("'''").next().unwrap());
    guide.chain(cases).collect()
}

#[test]
fn the_scripts_of_the_guide_and_the_cases_load() {
    let scripts = scripts();
    assert!(scripts.len() > 15, "{} scripts", scripts.len());
    for text in scripts {
        let loaded = script(text);
        let said: String =
            loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
        assert!(loaded.model.is_some(), "{text}\n{said}");
    }
}

/// A script around transitions of one automaton over `e(int n)`.
fn around(events: &str, arrows: &str) -> String {
    format!(
        "GLOBAL {{\n VARIABLES {{ int v = 0; Clock c = new Clock(); }}\n EVENTS {{ {events} }}\n \
         PROPERTY P {{\n STATES {{ BAD {{ b }} STARTING {{ s }} }}\n TRANSITIONS {{ {arrows} }}\n }}\n}}"
    )
}

#[test]
fn mistakes_have_a_code_and_a_place() {
    let e = "e(int n) = {*.e(int n)}";
    let table: [(&str, String, &str); 19] = [
        ("WW0203", around(e, "s -> b [f]"), "f"),
        ("WW0204", around(e, "s -> x [e]"), "x"),
        ("WW0203", around(e, r"s -> b [e\m > 1\]"), "m"),
        ("WW0941", around(e, r"s -> b [e\helper(n)\]"), "helper"),
        ("WW0941", around(e, r"s -> b [e\(v = 1) == 1\]"), "v = 1"),
        ("WW0941", around(e, r"s -> b [e\\Program.stop();]"), "stop"),
        ("WW0941", around(e, r"s -> b [e\\c.pause();]"), "pause"),
        ("WW0941", around(e, r"s -> b [e\\try { v = 1; } catch (E x) {}]"), "try"),
        ("WW0941", around("e() = {c@%5}", "s -> b [e]"), "%"),
        ("WW0203", around("e() = {d@@}", "s -> b [e]"), "d"),
        ("WW0941", around(e, r"s -> b [e\\c.registerDynamically(5, v);]"), "registerDynamically"),
        ("WW0203", around("e() = {d@5}", "s -> b [e]"), "d"),
        ("WW0203", around("e() = {ch.receive(int x)}", "s -> b [e]"), "ch"),
        ("WW0203", around("e() = {other}", "s -> b [e]"), "other"),
        (
            "WW0941",
            around("e() = {*.e() uponThrowing(IOException x)}", "s -> b [e]"),
            "IOException",
        ),
        ("WW0201", around(&format!("{e} {e}"), "s -> b [e]"), "e"),
        ("WW0101", around(e, "s => b [e]"), "="),
        ("WW0101", "VARIABLES { }".to_string(), "VARIABLES"),
        ("WW0401", around(e, r"s -> b [e\\v = true;]"), "true"),
    ];
    for (code, text, place) in table {
        let loaded = script(&text);
        assert!(loaded.model.is_none(), "{text} loads");
        let found = loaded.diagnostics.iter().find(|d| d.code == code);
        let found = found.unwrap_or_else(|| panic!("{text}\n{:#?}", loaded.diagnostics));
        let at = &loaded.files[0].text[found.span.start as usize..found.span.end as usize];
        assert!(at.contains(place), "{code} is at `{at}`, not at `{place}`:\n{text}");
    }
}

#[test]
fn every_mistake_of_a_section_is_reported() {
    let text = r"GLOBAL {
  VARIABLES { int a = ; int b = 1; Clock = new Clock(); }
  EVENTS { x( = {*.x()} y() = {*.y()} z() = {*z()} w() = {*.w()} }
  PROPERTY P {
    STATES { BAD { b } STARTING { s } }
    TRANSITIONS { s => b [y] s -> b [y] s -> [y] s -> s [y\b = ;] }
  }
}";
    let loaded = script(text);
    let lines: Vec<String> = loaded
        .diagnostics
        .iter()
        .map(|d| {
            let before = &text[..d.span.start as usize];
            let line = before.matches('\n').count() + 1;
            format!("{line}:{}", before.len() - before.rfind('\n').map_or(0, |n| n + 1) + 1)
        })
        .collect();
    assert_eq!(lines, ["2:23", "2:42", "3:15", "3:47", "6:21", "6:46", "6:64"]);
}

#[test]
fn mutilated_scripts_never_panic() {
    let scripts = scripts();
    let pieces: Vec<&str> =
        scripts.iter().flat_map(|s| s.split_inclusive(|c: char| !c.is_alphanumeric())).collect();
    let mut random = Random::new(7);
    let rounds = if std::env::var_os("WATCHWORD_SOAK").is_some() { 200_000 } else { 3_000 };
    let mut loads = 0;
    for _ in 0..rounds {
        let mut text = scripts[random.below(scripts.len())].to_string();
        for _ in 0..1 + random.below(3) {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match random.below(3) {
                0 => text.insert_str(at, pieces[random.below(pieces.len())]),
                1 => text.truncate(at),
                _ => {
                    let mut end = (at + random.below(12)).min(text.len());
                    while !text.is_char_boundary(end) {
                        end += 1;
                    }
                    text.replace_range(at..end, pieces[random.below(pieces.len())]);
                }
            }
        }
        let loaded = script(&text);
        mutate::check_layout(Lang::Larva, &text);
        for d in &loaded.diagnostics {
            assert!(d.help.is_some(), "no mend: {d:?}");
            let range = d.span.start as usize..d.span.end as usize;
            assert!(loaded.files[0].text.get(range).is_some(), "{d:?} is outside of {text:?}");
            assert!(d.render(&loaded.files, false).contains(d.code));
        }
        match &loaded.model {
            Some(model) => {
                lint(model);
                loads += 1;
            }
            None => assert!(loaded.diagnostics.iter().any(|d| d.is_error()), "{text:?}"),
        }
    }
    assert!(loads > rounds / 50, "only {loads} of {rounds} load: the mutations are too coarse");
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("-", ""), ("!", ""), ("{ if (true) ", "}")] {
        let code = format!("{}v == 1{}", open.repeat(20_000), close.repeat(20_000));
        let text = around("e() = {*.e()}", &format!(r"s -> b [e\{code}\]"));
        assert!(script(&text).model.is_none());
        let text = around("e() = {*.e()}", &format!(r"s -> b [e\\{code}]"));
        assert!(script(&text).model.is_none());
    }
    let nested = format!("GLOBAL {}{}", "{ FOREACH (A a) ".repeat(5_000), "}".repeat(5_000));
    assert!(script(&nested).model.is_none());
}

/// All words of Watchword's own language, and the names of its functions.
fn words() -> Vec<String> {
    let grammar =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/grammar.ebnf")).lines();
    // Every second piece of a line is between quotes.
    let quoted =
        grammar.filter(|l| !l.starts_with('#')).flat_map(|l| l.split('"').skip(1).step_by(2));
    let functions = watchword_model::Builtin::TABLE.iter().map(|(_, name, _)| *name);
    let all = quoted.chain(functions).chain(["arg", "value", "true_", "any_", "end_", "Global"]);
    let is_name = |w: &&str| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    // Java's own words are no names there.
    let java = "break catch char class continue do double else false final float for if import int long native new null \
                return short static super switch synchronized this throw throws true try while";
    let java: Vec<&str> = java.split(' ').collect();
    let mut words: Vec<String> =
        all.filter(is_name).filter(|w| !java.contains(w)).map(str::to_string).collect();
    words.sort();
    words.dedup();
    words
}

/// A script in which everything has a name.
const NAMED: &str = r"GLOBAL {
  VARIABLES { int $VAR$ = 0; Clock $CLOCK$ = new Clock(); Channel $CHANNEL$ = new Channel(); }
  EVENTS { tick() = {$CLOCK$@5} got(Object $HEARD$) = {$CHANNEL$.receive($HEARD$)} g0(int n) = {*.g(int n)} }
  PROPERTY $PROP$ {
    STATES { BAD { $WRONG$ } NORMAL { $MIDDLE$ { $CLOCK$.off(); } } STARTING { $FIRST$ } }
    TRANSITIONS {
      $FIRST$ -> $MIDDLE$ [tick\\$VAR$++; $CHANNEL$.send($VAR$);]
      $MIDDLE$ -> $WRONG$ [got\$HEARD$ == $VAR$\]
      $FIRST$ -> $WRONG$ [g0\$METHOD$(n, $VAR$) > 4\]
    }
  }
  FOREACH (Account $EACH$) {
    EVENTS {
      $EVENT$(Account $EACH$, int $PARAM$) = {Account $EACH$.m(int $PARAM$)} filter {$PARAM$ > 0}
      both() = {$EVENT$ | tick}
    }
    PROPERTY Q {
      STATES { BAD { b } STARTING { s0 } }
      TRANSITIONS {
        s0 -> b [$EVENT$\$PARAM$ > 3 && $VAR$ > 1\]
        s0 -> s0 [both\\int $LOCAL$ = 3; $VAR$ = $LOCAL$;]
      }
    }
  }
}
METHODS {
  int $METHOD$(int $PASSED$, int b) {
    int $INNER$ = $PASSED$ + b;
    for (int i = 0; i < 3; i++) { $INNER$ += Math.max(i, 1); }
    return $INNER$;
  }
}";

const ROLES: [&str; 15] = [
    "VAR", "CLOCK", "CHANNEL", "HEARD", "PROP", "WRONG", "MIDDLE", "FIRST", "EACH", "EVENT",
    "PARAM", "LOCAL", "METHOD", "PASSED", "INNER",
];

fn said(loaded: &Loaded) -> String {
    loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect()
}

#[test]
fn words_of_the_other_language_name_anything_in_a_script() {
    let words = words();
    assert!(words.len() > 90, "{words:?}");
    for role in ROLES {
        for word in &words {
            let text = ROLES.iter().fold(NAMED.to_string(), |text, r| {
                let plain = format!("x{}", r.to_lowercase());
                text.replace(&format!("${r}$"), if *r == role { word } else { &plain })
            });
            let loaded = script(&text);
            let Some(model) = &loaded.model else {
                panic!("{role} `{word}`:\n{}", said(&loaded));
            };
            // There and back again.
            let native = convert::to_ww(model, &[]).expect("a `.ww` file");
            let again =
                load_with(
                    &[(SourceFile::new("x.ww", &native), Lang::Ww)],
                    &|_, _| Err("no".into()),
                );
            let Some(model) = &again.model else {
                panic!("{role} `{word}`:\n{native}\n{}", said(&again));
            };
            let back = convert::to_lrv(model).expect("a script");
            let loaded = script(&back);
            assert!(loaded.model.is_some(), "{role} `{word}`:\n{back}\n{}", said(&loaded));
            if matches!(role, "METHOD" | "EVENT") && !word.ends_with('_') {
                assert!(back.contains(&format!(" {word}(")), "{role} `{word}`:\n{back}");
            }
        }
    }
}

#[test]
fn two_starting_states_are_shown_at_the_second() {
    // Long lines are cut; both places are shown in the same part of it.
    for pad in [0, 150] {
        let text = format!(
            "GLOBAL {{ {}EVENTS {{ e() = {{*.m()}} }} PROPERTY P {{ STATES {{ STARTING {{ s t }} \
             BAD {{ b }} }} TRANSITIONS {{ s -> b [e] {}}} }} }}",
            " ".repeat(pad),
            " ".repeat(pad)
        );
        let loaded = script(&text);
        let found = loaded.diagnostics.iter().find(|d| d.code == "WW0301").expect("a mistake");
        assert_eq!(&text[found.span.start as usize..found.span.end as usize], "t");
        let shown = found.render(&loaded.files, false);
        let lines: Vec<&str> = shown.lines().collect();
        let at = lines.iter().position(|l| l.contains("STARTING { s t }")).expect("the line");
        let (first, second) =
            (lines[at].find("s t }").unwrap(), lines[at].find("t } BAD").unwrap());
        assert_eq!(lines[at + 1].find("- the first"), Some(first), "{shown}");
        assert_eq!(lines[at + 2].find('^'), Some(second), "{shown}");
    }
}

#[test]
fn advice_is_about_scripts() {
    let e = "e(int n) = {*.e(int n)}";
    let in_foreach = |events: &str, arrows: &str| {
        format!(
            "GLOBAL {{ FOREACH (U u) {{ EVENTS {{ {events} }} PROPERTY P {{ STATES {{ BAD {{ b }} \
             STARTING {{ s }} }} TRANSITIONS {{ {arrows} }} }} }} }}"
        )
    };
    let table = [
        ("WW0301", around(e, "s -> b [e]").replace("STARTING", "NORMAL"), "STARTING"),
        ("WW0203", around(e, r"s -> b [e\m > 1\]"), "VARIABLES"),
        ("WW0203", around(e, r"s -> b [e\c > 1\]"), "{c@5}"),
        ("WW0311", around(e, r"s -> b [e\\n = 3;]"), "VARIABLES"),
        ("WW0311", in_foreach("e(U u) = {U u.m()}", r"s -> b [e\\u = null;]"), "VARIABLES"),
        ("WW0401", around(e, r"s -> b [e\\v = true;]"), "(int) x"),
        ("WW0402", around(e, r"s -> b [e\n\]"), "x != 0"),
        ("WW0501", around("e(int n) = {*.e()}", "s -> b [e]"), "where n"),
        (
            "WW0205",
            in_foreach("e(U u) = {U u.m()}", "s -> b [e]")
                .replace("(U u) {", "(U u equateUsing f) {"),
            "METHODS",
        ),
        (
            "WW0941",
            in_foreach("e(U u, int n) = {U u.m(int n) uponHandling()}", "s -> b [e]"),
            "`*`",
        ),
        ("WW0101", around("e() = {*.5()}", "s -> b [e]"), "pay(*)"),
        ("WW0101", around("e(5) = {*.e()}", "s -> b [e]"), "Java type"),
        ("WW0101", around(e, "s -> b [5]"), "EVENTS"),
        ("WW1004", around(e, "s -> s [e]").replace("BAD { b } ", ""), "BAD"),
        ("WW1004", around(e, "s -> s [e]"), "BAD"),
        (
            "WW1008",
            around(&format!("{e} r(x) = {{k.receive(x)}}"), r"s -> b [e\v > 0\]")
                .replace("int v", "Channel k = new Channel(); int v"),
            "use it in a transition",
        ),
        ("WW1009", around(e, "s -> b [e]"), "condition"),
        ("WW1010", around(e, "s -> b [e]") + "METHODS { int f(int a) { return a; } }", "remove"),
        ("WW1011", around(e, "s -> b [e]"), "{c@5}"),
    ];
    for (code, text, help) in table {
        let loaded = script(&text);
        let linted = loaded.model.as_ref().map(lint).unwrap_or_default();
        let linted = watchword_spec::lint::in_words_of(linted, &loaded.langs);
        let all: Vec<_> = loaded.diagnostics.iter().chain(&linted).collect();
        let found = all.iter().find(|d| d.code == code);
        let found = found.unwrap_or_else(|| panic!("{code} is not said:\n{text}\n{all:#?}"));
        let advice = found.help.as_deref().unwrap_or_default();
        assert!(advice.contains(help), "{code}: {advice}");
        for d in all {
            let told = format!("{:?} {:?}", d.note, d.help);
            for foreign in ["`start state", "`var", "`also`", "pending", "send c(", "`on ", "?x"] {
                assert!(!told.contains(foreign), "{}: {told}", d.code);
            }
        }
    }
}

#[test]
fn several_scripts_load_together_and_their_clocks_have_plain_names() {
    let one = |name: &str| {
        format!(
            "GLOBAL {{ VARIABLES {{ Clock c = new Clock(); }} EVENTS {{ tick{name}() = {{c@5}} }} \
             PROPERTY {name} {{ STATES {{ BAD {{ b }} STARTING {{ s }} }} \
             TRANSITIONS {{ s -> b [tick{name}] }} }} }}"
        )
    };
    let files =
        ["P", "Q"].map(|name| (SourceFile::new(&format!("{name}.lrv"), &one(name)), Lang::Larva));
    let loaded = load_with(&files, &|_, _| Err("no".into()));
    let model = loaded.model.as_ref().unwrap_or_else(|| panic!("{}", said(&loaded)));
    let names: Vec<&str> = model.events.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["end", "c at 5 s", "c at 5 s'"]);
}

#[test]
fn words_of_java_name_nothing_in_a_script() {
    let text = "event tell(new, n) = jvm before call Log.tell(int) on new args (n)\n\
                context C(new) {\nvar int: int = 0\nvar while: int = 0\nclock short\nproperty P {\n\
                start state S { on tell(new, _) { int = n while += 1 reset short }\n\
                on short at 5 s if int > while -> B }\nbad state B } }";
    let loaded = load_with(&[(SourceFile::new("x.ww", text), Lang::Ww)], &|_, _| Err("no".into()));
    let model = loaded.model.as_ref().unwrap_or_else(|| panic!("{}", said(&loaded)));
    let back = convert::to_lrv(model).unwrap_or_else(|e| panic!("{e:#?}"));
    assert!(back.contains("int_ = n;") && back.contains("while_"), "{back}");
    let loaded = script(&back);
    assert!(loaded.model.is_some(), "{back}\n{}", said(&loaded));
}

/// A method that only `equateUsing` names counts as used, and a mistake in it is reported once.
#[test]
fn comparisons_are_used() {
    let text = |body: &str| {
        format!(
            "GLOBAL {{ FOREACH (String u equateUsing same) {{ EVENTS {{ e(String u) = {{*.e(u)}} }} \
             PROPERTY P {{ STATES {{ BAD {{ b }} STARTING {{ s }} }} TRANSITIONS {{ s -> b [e] }} }} \
             }} }} METHODS {{ boolean same(String a, String b) {{ return {body}; }} }}"
        )
    };
    for body in ["a.equals(b)", "a.length() == b.length()"] {
        let loaded = script(&text(body));
        let model = loaded.model.expect("it is a script");
        let said: Vec<_> = lint(&model).into_iter().filter(|d| d.code == "WW1010").collect();
        assert!(said.is_empty(), "{said:?}");
    }
    let refused = script(&text("a.getName().equals(b.getName())"));
    let errors = refused.diagnostics.iter().filter(|d| d.is_error());
    assert_eq!(errors.count(), 1, "{:#?}", refused.diagnostics);
}

#[test]
fn code_reads_the_program_where_the_event_happens() {
    let object = "e(Object o) = {Object o.e()}";
    for arrow in [
        r"s -> b [e\\v = o.size;]",
        r#"s -> b [e\o.name.toString().equals("x")\]"#,
        r"s -> b [e\Thread.holdsLock(o)\System.out.println(o.getId() + System.currentTimeMillis());]",
        r"s -> b [e\c.current() > 0.5\System.out.println(c.current());]",
    ] {
        let loaded = script(&around(object, arrow));
        let said: String =
            loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
        assert!(loaded.model.is_some(), "{arrow}\n{said}");
    }
    let loaded = script(&around(object, r"s -> b [e\Thread.holdsLock(o)\]"));
    let model = loaded.model.expect("it loads");
    let terms = format!("{:?}", model.events);
    assert!(terms.contains("Holds("), "{terms}");
    // A method of any name, of a target whose type the parameter says.
    let loaded = script(&around("e(Object o) = {o.*()} f(Object o) = {o.set*()}", "s -> b [f]"));
    assert!(loaded.model.is_some());
}
