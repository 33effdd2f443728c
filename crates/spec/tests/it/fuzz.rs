//! Hostile and mutilated input: never a panic, never a hang, places always inside the file.

use std::time::Duration;

use watchword_spec::{Loaded, SourceFile, format, lint, load};

use crate::effort::Effort;
use crate::format::corpus;
use crate::mutate::{self, rounds};
use watchword_testing::Random;

/// Loads, lints, formats and renders; checks what must hold for any input.
fn exercise(text: &str) -> Loaded {
    let begun = Effort::begin();
    let resolve = |_: &str, path: &str| match path {
        "library.ww" => Ok(SourceFile::new(path, "event imported(x: int)\n")),
        _ => Err(String::from("no")),
    };
    let loaded = load(&[SourceFile::new("fuzz.ww", text)], &resolve);
    let mut all = loaded.diagnostics.clone();
    if let Some(model) = &loaded.model {
        all.extend(lint(model));
    }
    mutate::check(text, &loaded, &all);
    match format(text) {
        Ok(once) => assert_eq!(format(&once).as_ref(), Ok(&once), "from {text:?}"),
        Err(errors) => assert!(!errors.is_empty()),
    }
    let limit = Duration::from_secs(if text.len() > 100_000 { 20 } else { 5 });
    assert!(begun.so_far() < limit, "took {:?}: {:.300}", begun.so_far(), text);
    loaded
}

/// Pieces that mean something somewhere.
const TOKENS: &[&str] = &[
    "event",
    "property",
    "context",
    "channel",
    "function",
    "import",
    "state",
    "start",
    "bad",
    "good",
    "pending",
    "on",
    "then",
    "or",
    "and",
    "not",
    "if",
    "else",
    "within",
    "5 s",
    "never",
    "only",
    "ltl",
    "always",
    "eventually",
    "next",
    "until",
    "release",
    "weak-until",
    "once",
    "historically",
    "previous",
    "since",
    "implies",
    "iff",
    "var",
    "clock",
    "window",
    "also",
    "boxes",
    "by",
    "value",
    "creation",
    "rule",
    "verde",
    "larva",
    "ends",
    "message",
    "severity",
    "tags",
    "any",
    "end",
    "drop",
    "->",
    "=>",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    "=",
    "==",
    "!=",
    "<",
    ">",
    "+",
    "-",
    "*",
    "/",
    "%",
    "?",
    "!",
    ".",
    "..",
    "|",
    "&",
    "^",
    "~",
    "@",
    "_",
    "x",
    "e",
    "P",
    "0",
    "1.5",
    "\"t\"",
    "\"{x}\"",
    "\"",
    "`",
    "`next`",
    "//",
    "///",
    "\n",
    "jvm",
    "native",
    "log",
    "record",
    "where",
    "before",
    "after",
    "throwing",
    "call",
    "with",
    "within",
    "returns",
    "/(?<x>a)/",
    "int",
    "while",
    "for",
    "in",
    "return",
    "send",
    "print",
    "do",
    "reset",
    "stop",
    "at",
    "by",
    "enter",
    "stopped",
    "\u{feff}",
    "é",
    "\0",
    "99999999999999999999",
    "0x",
    "1e999",
    "null",
    "true",
    "'",
    ";",
    "\\",
];

#[test]
fn mutilated_files_are_answered_with_diagnostics() {
    let corpus = corpus();
    let texts: Vec<&str> = corpus.iter().map(String::as_str).collect();
    let rounds = rounds();
    let mut random = Random::new(11);
    let (mut loaded, mut refused) = (0, 0);
    let mut codes = std::collections::BTreeSet::new();
    for _ in 0..rounds {
        let chosen = *random.pick(&texts);
        let text = mutate::mutate(&mut random, chosen, &texts, TOKENS);
        let result = exercise(&text);
        codes.extend(result.diagnostics.iter().map(|d| d.code));
        if result.model.is_some() { loaded += 1 } else { refused += 1 }
    }
    assert!(loaded > rounds / 50, "only {loaded} of {rounds} loaded");
    assert!(refused > rounds / 5, "only {refused} of {rounds} refused");
    assert!(codes.len() > 25, "only these codes were seen: {codes:?}");
}

#[test]
fn token_soup() {
    let mut random = Random::new(5);
    for _ in 0..3_000 {
        let length = random.below(60);
        let words: Vec<&str> = (0..length).map(|_| *random.pick(TOKENS)).collect();
        exercise(&words.join(" "));
    }
}

#[test]
fn truncated_files() {
    let text = crate::language::EXAMPLES;
    for end in (0..text.len()).filter(|i| text.is_char_boundary(*i)).step_by(7) {
        exercise(&text[..end]);
    }
}

#[test]
fn nesting_does_not_exhaust_the_stack() {
    let n = 50_000;
    let hostile = [
        format!("property P(x) {{ start state A {{ on e(x) if {}x -> A }} }}", "(".repeat(n)),
        format!("property P(x) {{ start state A {{ on e(x) if {}x -> A }} }}", "not ".repeat(n)),
        format!("property P(x) {{ start state A {{ on e(x) if {}x -> A }} }}", "-".repeat(n)),
        format!("property P(x) {{ start state A {{ on e(x) if x{} -> A }} }}", " + x".repeat(n)),
        format!("property P(x) {{ start state A {{ on e(x) if x{} -> A }} }}", "[0]".repeat(n)),
        format!("property P(x) {{ start state A {{ on e(x) if x{} -> A }} }}", " or x".repeat(n)),
        format!("property P(x) {{ start state A {{ on e(x) if {}x -> A }} }}", "f(".repeat(n)),
        format!("property P(x) {{ start state A {{ on e(x) if {}x -> A }} }}", "[".repeat(n)),
        format!("property P(x) {{ start state A {{ on e(x) {} }} }}", "{ if x { ".repeat(n)),
        format!("function f() {{ {} }}", "if x { } else ".repeat(n)),
        format!("function f() {{ {} }}", "while x { ".repeat(n)),
        format!("property P(x) {{ never {}e }}", "(".repeat(n)),
        format!("property P(x) {{ never e{} }}", "*".repeat(n)),
        format!("property P(x) {{ never e{} }}", " | e".repeat(n)),
        format!("property P(x) {{ never e{} }}", " e".repeat(n)),
        format!("property P(x) {{ ltl {}e }}", "always ".repeat(n)),
        format!("property P(x) {{ ltl e{} }}", " until e".repeat(n)),
        format!("property P(x) {{ ltl e{} }}", " implies e".repeat(n)),
        format!("property P(x) {{ ltl {}e }}", "(".repeat(n)),
        "context C { ".repeat(n),
        "context C { ".repeat(100),
        "property P { ".repeat(n),
        format!("event e(x) = native write {}x", "*".repeat(n)),
        format!("event e(x) = native write x{}", "->f".repeat(n)),
        format!("event e(x) = native write x{}", "[y".repeat(n)),
        format!("event e(x) = jvm before call {}", "{a,".repeat(n)),
        format!("event e(x) = jvm before call {}", "a.".repeat(n)),
        format!("event e(x) = jvm after call A.b() with x = this{}", ".f".repeat(n)),
        format!("event e(x) = log /{}a/", "(".repeat(n)),
        format!("event e(x) = log /{}{}/", "(a".repeat(n), ")".repeat(n)),
        format!("property P(x) {{ message \"{}\" }}", "{(".repeat(n)),
        "{".repeat(n),
        "}".repeat(n),
    ];
    for text in hostile {
        exercise(&text);
    }
}

#[test]
fn large_and_binary_input() {
    let megabytes = 10 << 20;
    exercise(&"a".repeat(megabytes));
    exercise(&"\"".repeat(megabytes / 10));
    exercise(&format!("event e(x) = log /{}/", "a".repeat(megabytes / 10)));
    exercise(&"event e\n".repeat(20_000));
    exercise(&"event 7\n".repeat(100_000));
    exercise(&"// comment\n".repeat(megabytes / 20));
    exercise(&"/// documentation\n".repeat(megabytes / 50));
    exercise(&"\u{0}\u{1}\u{fffd}\u{7f}".repeat(50_000));
    exercise("\u{feff}event e(x)\r\nproperty P(x) {\r\n never e e\r\n}\r\n");
    exercise("");
    exercise("\n\n\n");
    let long =
        format!("property P(x) {{ start state A {{ on e(x) -> {} }} }}", "S".repeat(100_000));
    exercise(&long);
    let mut random = Random::new(1);
    let noise: Vec<u8> = (0..200_000).map(|_| random.next() as u8).collect();
    exercise(&String::from_utf8_lossy(&noise));
}

/// Work that grows faster than the text is cut off.
#[test]
fn expensive_properties_are_refused_in_time() {
    let events: String = (0..40).map(|i| format!("event e{i}(x, n: int)\n")).collect();
    let choice: Vec<String> = (0..40).map(|i| format!("e{i}")).collect();
    let choice = choice.join(" | ");
    exercise(&format!("{events}property P(x) {{ never e0 ({choice}) ({choice})* ({choice}) e1 }}"));
    exercise(&format!(
        "{events}property P(x) {{ never e0 {} e1 }}",
        format!("({choice}) ").repeat(14)
    ));
    let labels: Vec<String> =
        (0..60).map(|i| format!("(e{}(x, _) if (n > {i}))", i % 10)).collect();
    exercise(&format!("{events}property P(x) {{ never {} }}", labels.join(" ")));
    let parts: Vec<String> =
        (0..30).map(|i| format!("(always (e{i} implies next e{}))", i + 1)).collect();
    exercise(&format!("{events}property P(x) {{ ltl {} }}", parts.join(" and ")));
    exercise(&format!("{events}property P(x) {{ ltl {} }}", parts.join(" or ")));
    let nested =
        (0..20).fold("e0".to_string(), |f, i| format!("(e{i} release (e{} or {f}))", i + 1));
    exercise(&format!("{events}property P(x) {{ ltl {nested} }}"));
    let iff = (0..30).fold("e0".to_string(), |f, i| format!("(e{i} iff {f})"));
    exercise(&format!("{events}property P(x) {{ ltl {iff} }}"));
    let iff = (0..30).fold("e0".to_string(), |f, i| format!("(next e{i} iff {f})"));
    exercise(&format!("{events}property P(x) {{ ltl {iff} }}"));
    let many: String = (0..2000).map(|i| format!("on e{}(x, {i}) -> A\n", i % 40)).collect();
    exercise(&format!("{events}property P(x) {{ start state A {{ {many} }} }}"));
}
