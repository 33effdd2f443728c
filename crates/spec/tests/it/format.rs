//! The formatter: one way to lay a file out, and the file means what it meant.

use watchword_spec::{SourceFile, format, load};

use crate::{golden, language, show};
use watchword_testing::Random;

fn meaning(text: &str) -> Option<String> {
    let resolve = |_: &str, path: &str| match path {
        "library.ww" => Ok(SourceFile::new(path, "event imported(x: int)\n")),
        _ => Err(String::from("no")),
    };
    let loaded = load(&[SourceFile::new("t.ww", text)], &resolve);
    loaded.model.as_ref().map(show::meaning)
}

/// All files that parse, from the examples, the golden tests and the starter.
pub fn corpus() -> Vec<String> {
    let mut texts = vec![
        language::EXAMPLES.to_string(),
        language::LOGS.to_string(),
        watchword_spec::starter("Start"),
    ];
    texts.extend(golden::sources().into_iter().map(|(_, text)| text));
    texts.retain(|text| format(text).is_ok());
    texts
}

fn check(text: &str) {
    let Ok(once) = format(text) else { return };
    let twice =
        format(&once).unwrap_or_else(|e| panic!("formatted text has errors: {e:?}\n{once}"));
    assert_eq!(once, twice, "formatting again changes something; from\n{text}");
    assert_eq!(meaning(text), meaning(&once), "formatting changed the meaning of\n{text}\n{once}");
    let words = |t: &str| {
        let mut words: Vec<String> = t.split_whitespace().map(str::to_string).collect();
        words.retain(|w| w.starts_with("//"));
        words.len()
    };
    assert_eq!(words(text), words(&once), "a comment got lost");
}

#[test]
fn formatting_is_idempotent_and_keeps_the_meaning() {
    let corpus = corpus();
    assert!(corpus.len() > 12);
    for text in corpus {
        check(&text);
    }
}

/// Blanks, line breaks and comments are put in at random places; wherever the file still parses,
/// the formatter must cope.
#[test]
fn formatting_copes_with_any_layout() {
    let mut random = Random::new(3);
    let mut parsed = 0;
    for round in 0..4000 {
        let corpus = language::EXAMPLES;
        let start = random.below(corpus.len() / 2);
        let Some(from) = corpus[start..].find("\nproperty ").map(|i| start + i) else { continue };
        let end = corpus[from + 1..].find("\n}").map_or(corpus.len(), |i| from + 1 + i + 2);
        let mut text = corpus[from..end].to_string();
        for _ in 0..1 + round % 5 {
            let blanks: Vec<usize> = text.match_indices([' ', '\n']).map(|(i, _)| i).collect();
            let at = *random.pick(&blanks);
            let insert =
                random.pick(&[" ", "\n", "\n\n\n", "\t", " // note\n", "\n// note\n", "\r\n"]);
            text.insert_str(at, insert);
        }
        if format(&text).is_ok() {
            parsed += 1;
            check(&text);
        }
    }
    assert!(parsed > 2000, "only {parsed} layouts parsed");
}

#[test]
fn layout() {
    let messy = "event   a( x,y )=log   record \"a\"   with x=.x,y=.y\n\
        event longer(x)=log record \"b\" with x =.x\n\
        property P ( x ) {   // why\n\n\n\
        start   state A{on a(x,_)->B\non longer( x )   ->B \"m\"}\n\n\
        bad state B }\n";
    // `(` touches the name of a property; a blank before it is allowed there.
    let expected = "event a(x, y)   = log record \"a\" with x = .x, y = .y\n\
        event longer(x) = log record \"b\" with x = .x\n\
        property P(x) {  // why\n\
        \x20 start state A {\n\
        \x20   on a(x, _)   -> B\n\
        \x20   on longer(x) -> B \"m\"\n\
        \x20 }\n\n\
        \x20 bad state B\n\
        }\n";
    assert_eq!(format(messy).expect("parses"), expected);
}

#[test]
fn a_file_with_errors_is_not_formatted() {
    let errors = format("property P(x) { start stat A }").expect_err("has an error");
    assert_eq!(errors[0].code, "WW0101");
}
