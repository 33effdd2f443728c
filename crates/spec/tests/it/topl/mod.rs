//! Tests of both dialects of TOPL, against the reference evaluator where verdicts matter.

mod convert;
mod fuzz;
mod malformed;
mod vacuity;

use std::path::{Path, PathBuf};

use watchword_model::{Event, Model};
use watchword_monitor::reference::Reference;
use watchword_spec::{Lang, Loaded, SourceFile, load_with};

/// Loads a text in a language.
pub fn load(lang: Lang, text: &str) -> Loaded {
    let file = SourceFile::new("test.topl", text);
    load_with(&[(file, lang)], &|_, path| Err(format!("no `{path}` here")))
}

/// The model of a text that is right.
pub fn model(lang: Lang, text: &str) -> Model {
    let loaded = load(lang, text);
    let shown: Vec<String> =
        loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
    loaded.model.unwrap_or_else(|| panic!("{}", shown.join("\n")))
}

/// How many reports a run gives.
pub fn reports(model: &Model, events: &[Event]) -> usize {
    let mut reference = Reference::new(model.clone());
    for event in events {
        reference.step(event).expect("there is no time");
    }
    reference.end();
    reference.reports().len()
}

/// A directory of the repository.
pub fn root(dir: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(dir)
}

/// The shipped examples: name and text.
pub fn examples() -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = std::fs::read_dir(root("examples/topl"))
        .expect("there are examples")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "topl"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("text"))
        })
        .collect();
    examples.sort();
    examples
}
