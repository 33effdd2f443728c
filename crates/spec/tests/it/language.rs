//! The examples of the language's description, word for word.

use watchword_model::{Model, StateKind};
use watchword_spec::{SourceFile, load};

pub const EXAMPLES: &str = include_str!("../examples.ww");

pub fn model_of(text: &str) -> Model {
    let loaded = load(&[SourceFile::new("test.ww", text)], &|_, _| Err("no imports".into()));
    let messages: String =
        loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
    loaded.model.unwrap_or_else(|| panic!("{messages}"))
}

#[test]
fn the_examples_load() {
    let model = model_of(EXAMPLES);
    let names: Vec<&str> = model.properties.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["SafeIterator", "Bounded", "Taint", "Reply", "Closed"]);
    let bounded = &model.properties[1];
    assert_eq!(bounded.states[1].kind, StateKind::Bad);
}
