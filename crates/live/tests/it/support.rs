//! A session made up of happenings.

use std::sync::Arc;

use watchword_live::Live;
use watchword_model::{Model, Value};
use watchword_session::{Client, Happening, Moved, Place, Slice, Slices, Verdict};
use watchword_spec::SourceFile;

/// A name that would do harm if it were taken for markup.
pub const HOSTILE: &str = "</script><img src=x onerror=\"document.title='owned'\"><b>";

const PROPERTY: &str = "event open(f)\nevent close(f)\nproperty Files(f) {\n  start state Closed {\n    \
    on open(f) -> Open\n  }\n  state Open {\n    on close(f) -> Closed\n    on open(f) -> Twice \"opened twice\"\n  }\n  \
    bad state Twice\n}\n";

pub fn model() -> Arc<Model> {
    load(PROPERTY)
}

pub fn load(text: &str) -> Arc<Model> {
    let files = [SourceFile::new("files.ww", text)];
    let loaded = watchword_spec::load(&files, &|_, _| Err("no imports here".into()));
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    Arc::new(loaded.model.unwrap())
}

pub fn binding(name: &str) -> Vec<(String, Value)> {
    vec![("f".to_string(), Value::str(name))]
}

pub fn moved(name: &str, from: &str, to: &str, index: u64) -> Happening {
    Happening::Moved(Moved {
        monitor: 1,
        property: "Files".into(),
        binding: binding(name),
        from: from.into(),
        to: Some(to.into()),
        event: Some(format!("open({name})")),
        index,
    })
}

/// Tells a small session.
pub fn play(live: &mut Live) {
    let text = "1: watching Files".to_string();
    let properties = vec!["Files".to_string()];
    live.happened(&Happening::Loaded { monitor: 1, properties, model: model(), text });
    let slice = Slice { binding: Vec::new(), state: Some("Closed".into()), variables: Vec::new() };
    live.happened(&Happening::Slices(Slices {
        monitor: 1,
        property: "Files".into(),
        total: 1,
        slices: vec![slice],
    }));
    live.happened(&Happening::Running);
    live.happened(&moved("a.txt", "Closed", "Open", 1));
    live.happened(&moved(HOSTILE, "Closed", "Open", 2));
    live.happened(&moved("a.txt", "Open", "Twice", 3));
    live.happened(&Happening::Verdict(Box::new(Verdict {
        monitor: 1,
        property: "Files".into(),
        is_violation: true,
        message: format!("opened twice {HOSTILE}"),
        binding: binding("a.txt"),
        place: Place { function: Some("main".into()), file: Some("a.c".into()), line: Some(3) },
        history: vec![("open(a.txt)".into(), "Open".into())],
        backtrace: vec!["main at a.c:3".into()],
        index: 3,
        text: String::new(),
    })));
    live.happened(&Happening::plain(HOSTILE));
}
