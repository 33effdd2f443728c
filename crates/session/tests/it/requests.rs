//! Typed requests, and typed answers to them.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use serde_json::{Value, json};
use watchword_session::Request;

use crate::Kept;
use crate::prompt::Prompt;

/// A session that is driven by JSON alone.
struct Driven {
    prompt: Prompt,
    told: Rc<RefCell<Vec<String>>>,
}

impl Driven {
    fn at(program: &str) -> Driven {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let mut prompt = Prompt::of(&folder.join(program), &[]);
        let told = Rc::new(RefCell::new(Vec::new()));
        prompt.console.add_client(Box::new(Kept(told.clone())));
        Driven { prompt, told }
    }

    /// What is told because of a request.
    fn ask(&mut self, request: Value) -> Vec<Value> {
        self.told.borrow_mut().clear();
        let request = Request::from_json(&request.to_string()).unwrap();
        self.prompt.console.perform(&mut self.prompt.session, &request).unwrap();
        self.told.borrow().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The answer to a question.
    fn answer(&mut self, name: &str, request: Value) -> Value {
        let told = self.ask(request);
        let answer =
            told.iter().find(|t| t["type"] == "answer").unwrap_or_else(|| panic!("{told:?}"));
        assert_eq!(
            (&answer["answer"], &answer["watchword"]),
            (&json!(name), &json!(1)),
            "{answer}"
        );
        assert!(answer["text"].is_string(), "{answer}");
        answer[name].clone()
    }

    /// The line where the program stops.
    fn line(&mut self, request: Value) -> Value {
        let told = self.ask(request);
        let stop =
            told.iter().find(|t| t["type"] == "stopped").unwrap_or_else(|| panic!("{told:?}"));
        stop["location"]["line"].clone()
    }

    fn refused(&mut self, request: Value) -> String {
        let request = Request::from_json(&request.to_string()).unwrap();
        let error = self.prompt.console.perform(&mut self.prompt.session, &request);
        error.expect_err("a refusal").to_string()
    }
}

#[test]
fn a_program_is_debugged_by_requests_alone() {
    let _alone = watchword_testing::alone();
    let mut it = Driven::at("back.c");
    let set = it.answer("point", json!({"request": "break", "place": "sum", "watchword": 1}));
    assert_eq!(set, 1);
    assert_eq!(it.line(json!({"request": "run"})), 15);
    let points = it.answer("points", json!({"request": "points"}));
    assert_eq!(points[0]["kind"], "breakpoint");
    assert_eq!((&points[0]["text"], &points[0]["hits"]), (&json!("sum"), &json!(1)));
    assert_eq!(points[0]["addresses"].as_array().unwrap().len(), 1);

    let threads = it.answer("threads", json!({"request": "threads"}));
    assert_eq!(threads.as_array().unwrap().len(), 1);
    assert_eq!((&threads[0]["number"], &threads[0]["selected"]), (&json!(1), &json!(true)));
    assert_eq!(threads[0]["location"]["function"], "sum");

    let frames = it.answer("frames", json!({"request": "frames"}));
    assert_eq!(frames[0]["location"]["function"], "sum");
    assert_eq!(frames[1]["location"]["function"], "main");
    assert_eq!(frames[1]["location"]["line"], 24);
    let only = it.answer("frames", json!({"request": "frames", "limit": 1}));
    assert_eq!(only.as_array().unwrap().len(), 1);

    let variables = it.answer("variables", json!({"request": "variables"}));
    assert_eq!(variables["arguments"]["count"], "3");
    assert!(variables["locals"]["i"].is_string());
    it.ask(json!({"request": "frame", "number": 1}));
    let variables = it.answer("variables", json!({"request": "variables"}));
    assert_eq!(variables["locals"]["all"], "{1, 2, 3}");

    let value = it.answer("value", json!({"request": "evaluate", "expression": "all[1] + 8"}));
    assert_eq!((&value["value"], &value["number"]), (&json!("10"), &json!(1)));
    let value =
        it.answer("value", json!({"request": "evaluate", "expression": "$1", "format": "x"}));
    assert_eq!(value["value"], "0xa");
    let value = it.answer("value", json!({"request": "evaluate", "expression": "all[2] = 30"}));
    assert_eq!(value["value"], "30");
    let memory = json!({"request": "memory", "address": "all", "size": 12});
    let memory = it.answer("memory", memory);
    assert_eq!(memory["bytes"], "01000000020000001e000000");
    assert!(memory["address"].as_str().unwrap().starts_with("0x7f"), "{memory}");

    let registers = it.answer("registers", json!({"request": "registers"}));
    let pc = registers["rip"].as_str().unwrap().to_string();
    it.ask(json!({"request": "frame", "number": 0}));
    let code = it.answer("instructions", json!({"request": "disassemble"}));
    assert_eq!(code["function"], "sum");
    let here: Vec<&Value> =
        code["all"].as_array().unwrap().iter().filter(|i| i["here"] == true).collect();
    assert_eq!(here.len(), 1);
    assert_eq!(here[0]["address"], json!(pc));
    let code = it.answer("instructions", json!({"request": "disassemble", "place": "twice"}));
    assert_eq!(code["function"], "twice");

    // Steps, forth and back.
    assert_eq!(it.line(json!({"request": "step", "times": 2})), 9);
    assert_eq!(it.line(json!({"request": "finish"})), 16);
    it.ask(json!({"request": "checkpoint", "label": "here"}));
    let saved = it.answer("checkpoints", json!({"request": "checkpoints"}));
    assert_eq!((&saved[0]["number"], &saved[0]["label"]), (&json!(1), &json!("here")));
    assert_eq!(it.line(json!({"request": "next", "times": 2})), 16);
    assert_eq!(it.line(json!({"request": "reverse-next"})), 15);
    it.ask(json!({"request": "drop-checkpoint", "number": 1}));
    assert!(it.refused(json!({"request": "reverse-next"})).contains("no checkpoint"));

    // Points are changed.
    let watch = json!({"request": "watch", "expression": "total", "access": "write"});
    assert_eq!(it.answer("point", watch), 2);
    let told = it.ask(json!({"request": "continue"}));
    let stop = told.iter().find(|t| t["type"] == "stopped").unwrap();
    assert_eq!((&stop["reason"], &stop["points"]), (&json!("watchpoint"), &json!([2])));
    it.ask(json!({"request": "disable", "numbers": [2]}));
    it.ask(json!({"request": "condition", "number": 1, "condition": "count == 4"}));
    it.ask(json!({"request": "ignore", "number": 1, "hits": 3}));
    let points = it.answer("points", json!({"request": "points"}));
    assert_eq!((&points[1]["on"], &points[0]["condition"]), (&json!(false), &json!("count == 4")));
    it.ask(json!({"request": "delete", "numbers": [2]}));
    assert!(it.refused(json!({"request": "delete", "numbers": [7]})).contains("7"));

    let handled = json!({"request": "handle", "signal": "SIGUSR1", "pass": true});
    let signals = it.answer("signals", handled);
    assert_eq!(
        signals[0],
        json!({"number": 10, "name": "SIGUSR1", "stop": false, "print": false, "pass": true})
    );
    assert_eq!(it.answer("signals", json!({"request": "signals"})).as_array().unwrap().len(), 31);
    let told = it.ask(json!({"request": "continue"}));
    assert_eq!(told.last().unwrap()["type"], "exited", "{told:?}");
}

#[test]
fn monitors_are_asked_for() {
    let _alone = watchword_testing::alone();
    let mut it = Driven::at("back.c");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/back.ww");
    let model = crate::model(&std::fs::read_to_string(file).unwrap());
    it.prompt.session.load("back.ww", model).unwrap();
    it.ask(json!({"request": "break", "place": "25"}));
    it.ask(json!({"request": "continue"}));
    let monitors = it.answer("monitors", json!({"request": "monitors"}));
    assert_eq!(monitors[0]["name"], "back.ww");
    let property = &monitors[0]["properties"][0];
    assert_eq!((&property["name"], &property["events"]), (&json!("Doubled"), &json!(3)));
    assert_eq!(property["violations"], 1);
    let slices = it.answer("slices", json!({"request": "slices", "property": "Doubled"}));
    assert_eq!(slices[0]["property"], "Doubled");
    assert_eq!(slices[0]["slices"][0]["state"], "Enough");
    assert_eq!(slices[0]["slices"][0]["variables"]["seen"], 3);
    let verdicts = it.answer("verdicts", json!({"request": "verdicts"}));
    assert_eq!(verdicts.as_array().unwrap().len(), 1);
    assert_eq!(
        (&verdicts[0]["verdict"], &verdicts[0]["message"]),
        (&json!("violated"), &json!("the third"))
    );
}

#[test]
fn hostile_requests_are_refused_in_words() {
    for wrong in [
        json!({"request": "continue", "watchword": 2}),
        json!({"request": "continue", "threads": "all"}),
        json!({"request": "continue", "threads": [-1]}),
        json!({"request": "step", "times": "x"}),
        json!({"request": "step", "times": 1e30}),
        json!({"request": "break"}),
        json!({"request": "break", "place": "f", "once": 1}),
        json!({"request": "watch", "expression": "x", "access": "smell"}),
        json!({"request": "delete", "numbers": [1, "two"]}),
        json!({"request": "memory", "address": "p"}),
        json!({"request": "memory", "address": "p", "size": -1}),
        json!({"request": "lock", "locking": "maybe"}),
        json!({"request": "handle", "signal": "all"}),
        json!({"request": "frame", "number": -1}),
    ] {
        assert!(Request::from_json(&wrong.to_string()).is_err(), "{wrong}");
    }
    let _alone = watchword_testing::alone();
    let mut it = Driven::at("back.c");
    it.ask(json!({"request": "start"}));
    for wrong in [
        json!({"request": "memory", "address": "0", "size": 8}),
        json!({"request": "frame", "number": 100_000}),
        json!({"request": "thread", "number": 9}),
        json!({"request": "continue", "threads": [9]}),
        json!({"request": "disassemble", "place": "no_such_function"}),
        json!({"request": "evaluate", "expression": "((("}),
        json!({"request": "unload", "monitor": 3}),
    ] {
        assert!(!it.refused(wrong).is_empty());
    }
}
