//! Mutilated files of both dialects: never a panic, places always inside the file.

use std::time::{Duration, Instant};

use watchword_model::{PropertyId, Span};
use watchword_spec::lint::{CanFail, can_fail};
use watchword_spec::{Lang, detect, lint};

use super::{examples, load, reports, root};
use crate::mutate::{self, rounds};
use watchword_testing::Random;

const TOKENS: &[&str] = &[
    "property",
    "message",
    "observe",
    "prefix",
    "nondet",
    "call",
    "return",
    "when",
    "start",
    "error",
    "->",
    "=>",
    ":=",
    ":",
    ",",
    ";",
    ".",
    "*",
    "!",
    "¬",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "<true>",
    "<null>",
    "<\"t\">",
    "<p.C.F>",
    "<a.{b,c}>",
    "<\\<init\\>>",
    "<p.<init>>",
    "X",
    "x",
    "Y",
    "y",
    "m",
    "_",
    "0",
    "255",
    "256",
    "-1",
    "99999999999999999999",
    "\"t\"",
    "\"",
    "==",
    "!=",
    "<=",
    ">=",
    "&&",
    "~~>",
    "@",
    "~@",
    "#",
    "#ArrayWrite",
    "(X, Ret)",
    "(X)",
    "[*]",
    "[2]",
    "start -> error: *",
    "\n",
    "\r\n",
    "\t",
    "//",
    "\u{feff}",
    "é",
    "😀",
    "\0",
    "\\",
    "\"a\\",
    "\"\\\\(a\\\\|b\\\\)\"",
    "\"[a-z]*\"",
    "\".*\"",
    "true",
    "null",
];

/// Loads, lints, asks for an example; checks what must hold for any input.
fn exercise(lang: Lang, text: &str) -> bool {
    let begun = Instant::now();
    let loaded = load(lang, text);
    let _ = detect(text);
    let mut all = loaded.diagnostics.clone();
    if let Some(model) = &loaded.model {
        all.extend(lint(model));
        for at in 0..model.properties.len() {
            if let CanFail::Example(events) = can_fail(model, PropertyId::from_index(at)) {
                assert!(reports(model, &events) > 0, "{events:#?} breaks not\n{text}");
            }
        }
    }
    mutate::check(text, &loaded, &all);
    mutate::check_layout(lang, text);
    for diagnostic in all.iter().filter(|d| d.is_error()) {
        if !["WW0103", "WW0005"].contains(&diagnostic.code) {
            assert_ne!(diagnostic.span, Span::NONE, "{diagnostic:?} has no place: {text:?}");
            let mends = diagnostic.help.is_some() || diagnostic.note.is_some();
            assert!(mends, "{diagnostic:?} has no fix: {text:?}");
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "took {:?}: {text:.300}", begun.elapsed());
    loaded.model.is_some()
}

fn corpus() -> Vec<(Lang, String)> {
    let mut corpus: Vec<(Lang, String)> =
        examples().into_iter().map(|(_, text)| (Lang::Topl, text)).collect();
    for file in ["topl-semantics", "topl-infer"] {
        let text = std::fs::read_to_string(root(&format!("cases/{file}.toml"))).expect("cases");
        for case in text.split("[[case]]").skip(1) {
            let lang = if case.contains("lang = \"infer\"") { Lang::Infer } else { Lang::Topl };
            corpus.extend(case.split("'''").nth(1).map(|property| (lang, property.to_string())));
        }
    }
    corpus
}

#[test]
fn mutilated_files_are_answered_with_diagnostics() {
    let corpus = corpus();
    let texts: Vec<&str> = corpus.iter().map(|(_, text)| text.as_str()).collect();
    let rounds = rounds();
    let mut random = Random::new(17);
    let mut loaded = 0;
    for _ in 0..rounds {
        let (lang, chosen) = random.pick(&corpus).clone();
        let text = mutate::mutate(&mut random, &chosen, &texts, TOKENS);
        // A file may be read in the wrong dialect.
        let lang =
            if random.below(8) == 0 { *random.pick(&[Lang::Topl, Lang::Infer]) } else { lang };
        loaded += usize::from(exercise(lang, &text));
    }
    assert!(loaded > rounds / 100, "only {loaded} of {rounds} loaded");
    assert!(loaded < rounds * 9 / 10, "{loaded} of {rounds} loaded");
}

#[test]
fn token_soup() {
    let mut random = Random::new(3);
    for _ in 0..3_000 {
        let length = random.below(50);
        let words: Vec<&str> = (0..length).map(|_| *random.pick(TOKENS)).collect();
        exercise(*random.pick(&[Lang::Topl, Lang::Infer]), &words.join(" "));
    }
}

#[test]
fn truncated_files() {
    for (lang, text) in corpus() {
        for end in (0..text.len()).filter(|i| text.is_char_boundary(*i)).step_by(11) {
            exercise(lang, &text[..end]);
        }
    }
}

#[test]
fn hostile_files() {
    let n = 50_000;
    let chain: String = (0..4_000).rev().map(|i| format!("s{i} -> s{}: *\n", i + 1)).collect();
    let wide: String = (0..4_000).map(|i| format!("start -> error: m{i}(X{i})\n")).collect();
    for lang in [Lang::Topl, Lang::Infer] {
        for text in [
            "a".repeat(5 << 20),
            "property P\n".repeat(n),
            "property P { ".repeat(n),
            (0..n).map(|i| format!("property P{i}\n")).collect(),
            "<".repeat(n),
            "\"".repeat(n),
            "\\".repeat(n),
            "*".repeat(n),
            format!("property P observe <{}> start -> error: *", "{".repeat(n)),
            format!("property P observe <{}{}> start -> error: *", "{".repeat(n), "}".repeat(n)),
            format!("property P observe <{}> start -> error: m[*]", "{a,b}".repeat(100)),
            format!("property P observe <{}x> start -> error: m[*]", "*a?????".repeat(9)),
            format!("property P start -> error: {}", "m(X), ".repeat(n)),
            format!("property P start -> error: m({})", "X, ".repeat(n)),
            format!("property P start -> error: m({}X)", "!".repeat(n)),
            format!("property P start -> error: \"{}\"(X)", "\\\\(".repeat(n)),
            format!("property P start -> error: m(X) when {}X", "X == 1 && ".repeat(n)),
            format!("property P observe <*>\nstart -> s0: *\n{chain}\ns4000 -> error: *"),
            format!("property P observe <*>\n{wide}"),
            "\u{0}\u{1}\u{fffd}\u{7f}".repeat(n),
        ] {
            exercise(lang, &text);
        }
    }
}
