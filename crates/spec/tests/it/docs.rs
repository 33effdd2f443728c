//! The reference of the language: every example in it loads, without so much as a warning.

use watchword_spec::{SourceFile, format, lint, load};

const REFERENCE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/language.md"));

fn examples() -> Vec<String> {
    let mut examples = Vec::new();
    let mut rest = REFERENCE;
    while let Some(start) = rest.find("```ww\n") {
        let text = &rest[start + 6..];
        let end = text.find("```\n").expect("the example ends");
        examples.push(text[..end].to_string());
        rest = &text[end..];
    }
    examples
}

#[test]
fn examples_of_the_reference_are_flawless() {
    let examples = examples();
    assert!(examples.len() >= 12, "{} examples", examples.len());
    for text in examples {
        let loaded = load(&[SourceFile::new("language.md", &text)], &|_, _| Err("no".into()));
        let mut all = loaded.diagnostics.clone();
        if let Some(model) = &loaded.model {
            // Examples about declarations need not use what they declare.
            all.extend(lint(model).into_iter().filter(|d| d.code != "WW1008"));
        }
        let said: String = all.iter().map(|d| d.render(&loaded.files, false)).collect();
        assert!(said.is_empty(), "{text}\n{said}");
        assert_eq!(format(&text).as_ref(), Ok(&text), "an example is not laid out as fmt does");
    }
}

#[test]
fn the_starter_is_flawless() {
    for name in ["Login", "my-property", "7", "", "été", "state"] {
        let text = watchword_spec::starter(name);
        let loaded = load(&[SourceFile::new("new.ww", &text)], &|_, _| Err("no".into()));
        let mut all = loaded.diagnostics.clone();
        all.extend(loaded.model.iter().flat_map(lint));
        let said: String = all.iter().map(|d| d.render(&loaded.files, false)).collect();
        assert!(said.is_empty(), "{text}\n{said}");
        assert_eq!(format(&text).as_ref(), Ok(&text), "the starter is not laid out as fmt does");
    }
}
