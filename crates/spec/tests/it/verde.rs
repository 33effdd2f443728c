//! Verde's language: where mistakes are, that nothing makes it panic, and that reference and engine
//! agree on whatever it gives.

use std::time::Duration;

use watchword_model::{
    Event, EventId, Model, NativeKind, NativeTerm, NativeWhen, Origin, Source, Value,
};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Options, Said};
use watchword_spec::classes::NoClasses;
use watchword_spec::{Lang, Loaded, SourceFile, lint, load_for};

use crate::effort::Effort;
use crate::mutate;
use watchword_testing::Random;

fn load(text: &str, functions: &str) -> Loaded {
    let file = (SourceFile::new("dir/test.prop", text), Lang::Verde);
    let functions = SourceFile::new("functions.py", functions);
    load_for(&[file], &[functions], &NoClasses, &|_, _| Err("no imports".to_string()))
}

fn model(text: &str) -> Model {
    let loaded = load(text, "");
    let shown: Vec<String> =
        loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
    loaded.model.unwrap_or_else(|| panic!("{}", shown.join("\n")))
}

/// A property around an event's block.
fn around(block: &str) -> String {
    format!(
        "initialization: {{ n = 0; l = [] }}\nstate init transition: event e(v, s : str, k : int) {{{block}}} success init\n"
    )
}

#[test]
fn mistakes_in_blocks_are_told_with_their_place() {
    for (block, code, at) in [
        ("import gdb", "WW0932", "import"),
        ("class A: pass", "WW0932", "class"),
        ("n = lambda: 1", "WW0932", "lambda"),
        ("try: n = 1", "WW0932", "try"),
        ("global n", "WW0932", "global"),
        ("n = k ** 2", "WW0932", "**"),
        ("n = [i for i in l]", "WW0932", "for"),
        ("n = l[1:2]", "WW0932", ":2"),
        ("n = {1, 2}", "WW0932", "1,"),
        ("n = v.field", "WW0932", "field"),
        ("n = l.sort()", "WW0932", "sort"),
        ("n = l.append(1)", "WW0932", "append"),
        ("print(v, end='')", "WW0932", "end"),
        ("print v", "WW0932", "print"),
        ("n, k = 1, 2", "WW0932", "n, k"),
        ("n: int = 3", "WW0932", ": int"),
        ("n = '%5d' % k", "WW0932", "'%5d'"),
        ("n = s % k", "WW0932", "s % k"),
        ("n = v is k", "WW0932", "v is k"),
        ("n = range(3)", "WW0932", "range"),
        ("n = l + l", "WW0932", "l + l"),
        ("del n", "WW0932", "n"),
        ("for i in range(0, k, k): pass", "WW0932", "range"),
        ("n = b'x'", "WW0932", "b'x'"),
        ("n = f'{v!r}'", "WW0932", "v!r"),
        ("n = f'{v:>8}'", "WW0932", "v:>8"),
        ("n = '%d %d' % k", "WW0212", "k"),
        ("n = len(k)", "WW0401", "k"),
        ("n = s + k", "WW0401", "s + k"),
        ("n = s - 1", "WW0401", "s - 1"),
        ("n = s < k", "WW0401", "s < k"),
        ("n = k[0]", "WW0401", "k"),
        ("n = '%d' % s", "WW0401", "s"),
        ("for c in s: pass", "WW0401", "s"),
        ("l['a'] = 1", "WW0401", "'a'"),
        ("n = l['a']", "WW0401", "'a'"),
        ("n = len()", "WW0212", "len"),
        ("n = foo(1)", "WW0205", "foo"),
        ("n = nn", "WW0203", "nn"),
        ("v = 1", "WW0311", "v"),
        ("1 = n", "WW0311", "1"),
        ("break", "WW0312", "break"),
        ("n = 99999999999999999999", "WW0004", "9999"),
        ("n = 'abc", "WW0002", "{n = 'abc"),
        ("n = '\\x41'", "WW0003", "\\x"),
        ("n = 1 +", "WW0101", ""),
        ("n = (1", "WW0101", ""),
        ("if k: n = 1 else: n = 2", "WW0101", "else"),
        ("n = 1 ? 2", "WW0001", "?"),
        ("n = 1\n   n = 2\n  n = 3\n", "WW0101", "n = 3"),
        ("if k:\nn = 1", "WW0101", "n = 1"),
        ("return n", "WW0402", "n"),
        ("n = 1; return True", "WW0933", "n = 1"),
        ("print(1); return True", "WW0933", "print"),
    ] {
        let text = around(block);
        let loaded = load(&text, "");
        assert!(loaded.model.is_none(), "{block:?} is taken");
        let found = loaded.diagnostics.iter().find(|d| d.is_error()).expect("an error");
        assert_eq!(found.code, code, "{block:?}: {found:#?}");
        let start = found.span.start as usize;
        assert!(text[start..].starts_with(at), "{block:?}: at {:?}", &text[start..]);
    }
}

#[test]
fn mistakes_around_blocks_are_told_with_their_place() {
    for (text, code, at) in [
        ("", "WW0101", ""),
        ("state init transition: evnt e() success init", "WW0101", "evnt"),
        ("state init transition: event e()", "WW0101", ""),
        ("state init transition: event e() success", "WW0101", ""),
        ("state init transition: event e() success a", "WW0204", "a"),
        ("state init state init", "WW0201", "init"),
        ("state a", "WW0931", "state"),
        ("slice on x, x state init", "WW0201", "x state"),
        ("state init transition: event e(x : itn) success init", "WW0403", "itn"),
        ("state init transition: event e(x, x) success init", "WW0201", "x) "),
        ("state init transition: event e(*x) success init", "WW0936", "*x"),
        ("state init transition: event e(ret) success init", "WW0503", "ret"),
        ("state init transition: event read v(a = arg 1) success init", "WW0503", "arg 1"),
        ("state init transition: event e() success init success init", "WW0201", "success init"),
        ("state init transition: event e() { n = 1 success init", "WW0002", "{"),
        ("state init ! transition: event e() success init", "WW0001", "!"),
        ("initialization: 3 state init", "WW0101", "3"),
        (
            "state init transition: event e(x : int) success init transition: event e(x : str) success init",
            "WW0401",
            "x : str",
        ),
        ("state init go() transition: event e() { n = go() } success init", "WW0205", "go() }"),
    ] {
        let loaded = load(text, "");
        assert!(loaded.model.is_none(), "{text:?} is taken");
        let found = loaded.diagnostics.iter().find(|d| d.is_error()).expect("an error");
        assert_eq!(found.code, code, "{text:?}: {found:#?}");
        let start = found.span.start as usize;
        assert!(text[start..].starts_with(at), "{text:?}: at {:?}", &text[start..]);
    }
}

#[test]
fn mistakes_in_functions_are_told_in_their_file() {
    let text = "state init transition: event e() { return f(1) } success init";
    for (functions, code) in [
        ("def f(x):\n    return y\n", "WW0203"),
        ("def f(x):\n    return g(x)\n", "WW0205"),
        ("def f(x):\n    return f(x)\n", "WW0313"),
        ("def f(x, y):\n    return True\n", "WW0212"),
        ("def f(x=1):\n    return True\n", "WW0932"),
        ("def f(x):\n    return True\ndef f(x):\n    return True\n", "WW0201"),
        ("def len(x):\n    return True\ndef f(x): return True\n", "WW0207"),
        ("import gdb\ndef f(x): return True\n", "WW0932"),
        ("count = len([])\ndef f(x): return True\n", "WW0932"),
        ("def f(x):\n    print(x)\n", "WW0933"),
    ] {
        let loaded = load(text, functions);
        assert!(loaded.model.is_none(), "{functions:?} is taken");
        let found = loaded.diagnostics.iter().find(|d| d.is_error()).expect("an error");
        assert_eq!(found.code, code, "{functions:?}: {found:#?}");
        let here = found.file(&loaded.files).expect("a file");
        let in_property = ["WW0212", "WW0933"].contains(&code);
        assert_eq!(here == "functions.py", !in_property, "{functions:?}");
    }
    // What nobody calls is not looked at, but for its syntax.
    assert!(load(text, "def f(x): return True\ndef g(y): return z\n").model.is_some());
}

#[test]
fn events_say_where_they_come_from() {
    let model = model(
        "slice on q
         state init accepting:
           transition:
             after event ns::push(q = arg 0, ret : int) success init
           transition:
             event write p->size in grow(new = ret, q) success init
           transition:
             event \"json::*\"(n = *p, a = v[3].x) success init",
    );
    assert_eq!(model.properties[0].name, "test");
    let sources: Vec<(&str, &watchword_model::NativeSource)> = model
        .events
        .iter()
        .filter_map(|e| match &e.origin {
            Origin::World(sources) => match &sources[..] {
                [Source::Native(source)] => Some((e.name.as_str(), source)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let names: Vec<&str> = sources.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["ns::push.after", "write.p->size", "json::*"]);
    let push = sources[0].1;
    assert_eq!(push.when, NativeWhen::After);
    assert!(push.point.called().is_some_and(|glob| glob.matches("ns::push")));
    assert_eq!(push.captures[0].term, NativeTerm::Arg(0));
    assert_eq!(push.captures[1].term, NativeTerm::Ret);
    let write = sources[1].1;
    assert_eq!(write.when, NativeWhen::Before);
    assert_eq!(write.point.kind, NativeKind::Write);
    let variable = write.point.variable().expect("a variable");
    assert_eq!(variable.scope.as_deref(), Some("grow"));
    let p = || Box::new(NativeTerm::Name("p".to_string()));
    assert_eq!(variable.term, NativeTerm::Arrow(p(), "size".to_string()));
    // Before a write, the value is the old one.
    assert_eq!(write.captures[0].term, NativeTerm::Value);
    assert_eq!(sources[2].1.captures[0].term, NativeTerm::Deref(p()));
}

#[test]
fn two_files_share_an_event_and_a_ww_event_of_that_name_is_told() {
    let a = SourceFile::new("a.prop", "state init transition: event e(x) success init");
    let b = SourceFile::new("b.prop", "state init transition: event e(y, x) success init");
    let refuse = |_: &str, _: &str| Err("no imports".to_string());
    let both = [(a.clone(), Lang::Verde), (b, Lang::Verde)];
    let model = load_for(&both, &[], &NoClasses, &refuse).model.expect("they go together");
    assert_eq!(model.events.len(), 2, "`end` and `e`");
    assert_eq!(model.events[1].params.len(), 2);
    let own = SourceFile::new(
        "c.ww",
        "event e(x)\nproperty P { start state A { on e(_) -> B } bad state B }",
    );
    let mixed = [(own, Lang::Ww), (a, Lang::Verde)];
    let loaded = load_for(&mixed, &[], &NoClasses, &refuse);
    assert!(loaded.diagnostics.iter().any(|d| d.code == "WW0201"));
}

#[test]
fn the_documentation_shows_the_example() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let read = |path: &str| std::fs::read_to_string(format!("{root}{path}")).expect(path);
    let page = read("docs/verde.md");
    let shown = page.split("```verde\n").nth(1).and_then(|t| t.split("```").next()).expect("it");
    let example = read("examples/verde/queue.prop");
    assert!(example.ends_with(shown), "docs/verde.md shows another property than examples/verde");
    let functions = read("examples/verde/functions.py");
    let loaded = load(&example, &functions);
    assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
    assert!(lint(loaded.model.as_ref().expect("it loads")).is_empty());
}

// Fuzzing.

const TOKENS: &[&str] = &[
    "state",
    "init",
    "transition:",
    "event",
    "success",
    "failure",
    "accepting",
    "non-accepting",
    "slice on",
    "initialization:",
    "before",
    "after",
    "write",
    "read",
    "update",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ";",
    "=",
    "==",
    "+=",
    "-=",
    "n",
    "l",
    "q",
    "v",
    "0",
    "1",
    "-1",
    "2.5",
    "\"a\"",
    "'b'",
    "f\"{n}\"",
    "if",
    "else",
    "elif",
    "while",
    "for",
    "in",
    "range(3)",
    "return",
    "True",
    "None",
    "print(",
    "str(",
    "len(",
    "%",
    "\"%d\"",
    "//",
    "/",
    "<<",
    "and",
    "or",
    "not",
    "is",
    "del",
    "append(1)",
    ".",
    "#",
    "\n",
    "\n  ",
    "\n      ",
    "pass",
    "break",
    "é",
    "\0",
    "\\",
    "\"\"\"",
    "f'{'",
    "->",
    "*",
    "&",
    "arg 0",
    "ret",
    "9223372036854775807",
];

fn corpus() -> Vec<(String, String)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/");
    let mut corpus = Vec::new();
    for file in ["verde-prop.toml", "verde-python.toml"] {
        let text = std::fs::read_to_string(format!("{root}{file}")).expect("cases");
        for case in text.split("[[case]]").skip(1) {
            let part = |key: &str| {
                let from = case.split(&format!("{key} = '''")).nth(1)?;
                from.split("'''").next().map(str::to_string)
            };
            let functions = part("functions").unwrap_or_default();
            corpus.extend(part("property").map(|property| (property, functions)));
        }
    }
    assert!(corpus.len() > 40);
    corpus
}

fn mutate(random: &mut Random, corpus: &[(String, String)]) -> (String, String) {
    let (text, functions) = random.pick(corpus);
    let mut parts = [text.clone().into_bytes(), functions.clone().into_bytes()];
    for _ in 0..1 + random.below(4) {
        let which = usize::from(random.below(5) == 0);
        let bytes = &mut parts[which];
        let at = random.below(bytes.len() + 1);
        match random.below(8) {
            0 if at < bytes.len() => bytes[at] = random.next() as u8,
            1 => bytes.truncate(at.max(bytes.len() / 2)),
            2 | 3 => {
                let end = (at + random.below(12)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let other = random.pick(corpus).0.as_bytes();
                let from = random.below(other.len());
                let end = (from + random.below(60)).min(other.len());
                bytes.splice(at..at, other[from..end].to_vec());
            }
            _ => {
                let token = random.pick(TOKENS);
                bytes.splice(at..at, format!(" {token} ").into_bytes());
            }
        }
    }
    let [text, functions] = parts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (text, functions)
}

/// Loads and lints; checks what must hold for any input.
fn exercise(text: &str, functions: &str) -> Option<Model> {
    let begun = Effort::begin();
    let loaded = load(text, functions);
    let mut all = loaded.diagnostics.clone();
    if let Some(model) = &loaded.model {
        all.extend(lint(model));
    }
    mutate::check(text, &loaded, &all);
    mutate::check_layout(Lang::Verde, text);
    assert!(begun.so_far() < Duration::from_secs(10), "took {:?}: {text:.300}", begun.so_far());
    loaded.model
}

fn value(random: &mut Random) -> Value {
    match random.below(9) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 0),
        2 => Value::Float(random.below(5) as f64 / 2.0),
        3 => Value::str(["", "a", "b"][random.below(3)]),
        4 => Value::Ptr(random.below(3) as u64 * 16),
        _ => Value::Int(random.below(6) as i64 - 2),
    }
}

/// Both evaluators on a random trace.
fn agree(model: &Model, random: &mut Random, text: &str) {
    let mut reference = Reference::new(model.clone());
    let mut engine = Engine::new(model, Options::default());
    let mut said = Vec::new();
    for _ in 0..10 {
        let kind = EventId::from_index(random.below(model.events.len()));
        if kind == EventId::END {
            continue;
        }
        let params = &model.events[kind.index()].params;
        let args: Vec<Value> =
            params.iter().map(|p| value(random).coerce(p.ty).unwrap_or(Value::Null)).collect();
        let event = Event::new(kind, args);
        reference.step(&event).expect("there is no time");
        engine.step_owned(&event).expect("there is no time");
        said.extend(engine.take_said());
    }
    reference.end();
    engine.end();
    said.extend(engine.take_said());
    let printed: Vec<String> = said
        .into_iter()
        .filter_map(|s| match s {
            Said::Print { text, .. } => Some(text),
            Said::Action { .. } => None,
        })
        .collect();
    assert_eq!(printed, reference.printed(), "{text}");
    assert_eq!(engine.not_relevant(), reference.not_relevant(), "{text}");
    let shown = |reports: &[watchword_monitor::Report]| -> Vec<String> {
        let mut lines: Vec<String> = reports
            .iter()
            .map(|r| format!("{} {:?} {:?} {}", r.index, r.binding, r.state, r.message))
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(shown(&engine.take_reports()), shown(reference.reports()), "{text}");
}

#[test]
fn mutilated_files_are_answered_with_diagnostics_and_the_rest_run_alike() {
    let corpus = corpus();
    let rounds = match std::env::var("WATCHWORD_FUZZ") {
        Ok(rounds) => rounds.parse().expect("WATCHWORD_FUZZ is a number of rounds"),
        Err(_) => 4_000,
    };
    let mut random = Random::new(29);
    let mut loaded = 0;
    for _ in 0..rounds {
        let (text, functions) = mutate(&mut random, &corpus);
        if let Some(model) = exercise(&text, &functions) {
            loaded += 1;
            // Loops that do not end are slow in the reference.
            if !text.contains("while") {
                agree(&model, &mut random, &text);
            }
        }
    }
    assert!(loaded > rounds / 50, "only {loaded} of {rounds} loaded");
    assert!(loaded < rounds * 9 / 10, "{loaded} of {rounds} loaded");
}

#[test]
fn the_cases_run_alike_on_random_traces() {
    let mut random = Random::new(5);
    for (text, functions) in corpus() {
        let Some(model) = exercise(&text, &functions) else { continue };
        let rounds = if text.contains("while") { 3 } else { 40 };
        for _ in 0..rounds {
            agree(&model, &mut random, &text);
        }
    }
}

#[test]
fn token_soup() {
    let mut random = Random::new(7);
    for _ in 0..3_000 {
        let length = random.below(50);
        let words: Vec<&str> = (0..length).map(|_| *random.pick(TOKENS)).collect();
        let soup = words.join(" ");
        exercise(&soup, "");
        exercise(&around(&soup), "");
        exercise("state init go() transition: event e() success init", &soup);
    }
}

#[test]
fn hostile_files() {
    let n = 20_000;
    for text in [
        "a".repeat(5 << 20),
        "state init ".repeat(n),
        "state init transition: event e() success init ".to_string()
            + &"transition: event e() success init ".repeat(n),
        "{".repeat(n),
        format!("state init transition: event write {}p(x) success init", "*".repeat(n)),
        format!("state init transition: event write p{}(x) success init", "->x".repeat(n)),
        around(&"(".repeat(n)),
        around(&format!("n = {}1{}", "(".repeat(n), ")".repeat(n))),
        around(&format!("n = {}1", "-".repeat(n))),
        around(&format!("n = {}1", "not ".repeat(n))),
        around(&format!("n = 1{}", " + 1".repeat(n))),
        around(&format!("n = 1{}", " < 1".repeat(n))),
        around(&format!("n = l{}", "[-1]".repeat(n))),
        around(&format!("n = l{}", "[-1]".repeat(40))),
        around(&format!("l{} = 1", "[-1]".repeat(40))),
        around(&format!("n = {}", "[".repeat(n))),
        around(&format!("n = {}", "f'{".repeat(n))),
        around(&format!("n = {}1", "1 if k else ".repeat(n))),
        around(&"n = n + 1; ".repeat(n)),
        around(&"n = ".repeat(n)),
        around(&"if k:\n".repeat(n)),
        around(&(0..300).map(|i| format!("{}if k:\n", " ".repeat(i))).collect::<String>()),
        around(&(0..2_000).map(|i| format!("x{i} = x{} + 1; ", i + 1)).collect::<String>()),
        around(&(0..40).map(|i| format!("x{} = x{i} = l[x{i}]; ", i + 1)).collect::<String>()),
    ] {
        exercise(&text, "");
    }
    let chain: String =
        (0..2_000).map(|i| format!("def f{i}(x):\n  return f{}(x)\n", i + 1)).collect();
    exercise("state init transition: event e() { return f0(1) } success init", &chain);
}
