//! Requests and happenings as JSON, and a session driven by them.

mod familiar;
mod prompt;
mod requests;
mod reverse;
mod threads;

use std::cell::RefCell;
use std::rc::Rc;

use watchword_native::session::Origin;
use watchword_native::{Session, Settings};
use watchword_session::{Client, Console, Happening, NoProperties, Options, Request, VERSION};

fn model(text: &str) -> std::sync::Arc<watchword_model::Model> {
    let files = [watchword_spec::SourceFile::new("test.ww", text)];
    let loaded = watchword_spec::load(&files, &|_, _| Err("no imports here".into()));
    assert!(!loaded.diagnostics.iter().any(|d| d.is_error()), "{:?}", loaded.diagnostics);
    loaded.model.expect("a model").into()
}

struct Kept(Rc<RefCell<Vec<String>>>);

impl Client for Kept {
    fn happened(&mut self, happening: &Happening) {
        self.0.borrow_mut().push(happening.to_json());
    }
}

#[test]
fn requests_are_read() {
    let read = |text: &str| Request::from_json(text).map_err(|e| e.to_string());
    assert_eq!(read("{\"request\":\"continue\"}"), Ok(Request::Continue));
    assert_eq!(
        read("{\"request\":\"restore\",\"number\":3}"),
        Ok(Request::Restore { number: Some(3) })
    );
    assert_eq!(
        read("{\"request\":\"command\",\"line\":\"bt\"}"),
        Ok(Request::Command("bt".to_string()))
    );
    for wrong in
        ["", "{}", "[1]", "{\"request\":7}", "{\"request\":\"command\"}", "{\"request\":\"x\"}"]
    {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_session_tells_what_happens() {
    let _alone = watchword_testing::alone();
    let origin = Origin::Command(vec!["true".into()]);
    let mut session = Session::new(origin, Settings::default()).unwrap();
    let mut console = Console::new(Options::default(), Box::new(NoProperties));
    let kept = Rc::new(RefCell::new(Vec::new()));
    console.add_client(Box::new(Kept(kept.clone())));
    console.perform(&mut session, &Request::StepInstruction).unwrap();
    console.perform(&mut session, &Request::Checkpoint { label: Some("a".into()) }).unwrap();
    console.perform(&mut session, &Request::StepInstruction).unwrap();
    console.perform(&mut session, &Request::Restore { number: None }).unwrap();
    console.perform(&mut session, &Request::Command("verde monitors".into())).unwrap();
    assert!(console.perform(&mut session, &Request::Command("frobnicate".into())).is_err());
    console.perform(&mut session, &Request::Continue).unwrap();
    let told: Vec<serde_json::Value> =
        kept.borrow().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = told.iter().filter_map(|t| t["type"].as_str()).collect();
    let want = [
        "running",
        "stopped",
        "checkpoint",
        "running",
        "stopped",
        "restored",
        "text",
        "answer",
        "running",
        "exited",
        "forgotten",
    ];
    assert_eq!(kinds, want, "{told:?}");
    assert!(told.iter().all(|t| t["watchword"] == VERSION));
    assert_eq!(told[1]["reason"], "step");
    assert_eq!(told[2]["label"], "a");
    assert_eq!(told[5]["number"], 1);
    assert_eq!(told[9]["code"], 0);
}
