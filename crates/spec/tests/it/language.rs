//! The examples of the language's description, word for word.

use watchword_model::{LogSelect, Model, Origin, Source, StateKind};
use watchword_spec::{SourceFile, load};

pub const EXAMPLES: &str = include_str!("../examples.ww");

/// Conditions on records of logs.
pub const LOGS: &str = "\
event failing(id) = log where .status >= 500 or (.level == \"ERROR\" and not .path == /^\\/health/)
  with id = .id
event late(id)    = log where .seconds > -1.5 and .seconds <= 7 and .kind != \"batch*\" and .host != /^db/

property Failing(id) {
  also late
  never failing failing
}
";

pub fn model_of(text: &str) -> Model {
    let loaded = load(&[SourceFile::new("test.ww", text)], &|_, _| Err("no imports".into()));
    let messages: String =
        loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
    loaded.model.unwrap_or_else(|| panic!("{messages}"))
}

#[test]
fn conditions_of_records_are_written_as_they_are_read() {
    let select = |model: &Model| {
        let origins = model.events.iter().map(|event| &event.origin);
        let sources = origins.flat_map(|origin| match origin {
            Origin::World(sources) => &sources[..],
            _ => &[],
        });
        let selects = sources.filter_map(|source| match source {
            Source::Log(log) => Some(log.select.clone()),
            _ => None,
        });
        selects.collect::<Vec<LogSelect>>()
    };
    let model = model_of(LOGS);
    let written = watchword_spec::convert::to_ww_of_used(&model).expect("it can be written");
    assert_eq!(select(&model_of(&written)), select(&model), "{written}");
    assert_eq!(select(&model).len(), 2);
}

#[test]
fn the_examples_load() {
    let model = model_of(EXAMPLES);
    let names: Vec<&str> = model.properties.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["SafeIterator", "Bounded", "Taint", "Reply", "Closed"]);
    let bounded = &model.properties[1];
    assert_eq!(bounded.states[1].kind, StateKind::Bad);
}
