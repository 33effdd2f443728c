//! Messages that make no sense: no crash, no hang, no program left behind.

use serde_json::{Value, json};
use watchword_dap::protocol::frame::encode;

use watchword_testing::{Random, Running};

use crate::client::Editor;
use crate::support::{alone, compile, exists, file, server, state};

const COMMANDS: &[&str] = &[
    "initialize",
    "configurationDone",
    "setBreakpoints",
    "setFunctionBreakpoints",
    "setInstructionBreakpoints",
    "setExceptionBreakpoints",
    "dataBreakpointInfo",
    "setDataBreakpoints",
    "continue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "reverseContinue",
    "pause",
    "threads",
    "stackTrace",
    "scopes",
    "modules",
    "exceptionInfo",
    "variables",
    "setVariable",
    "setExpression",
    "evaluate",
    "completions",
    "readMemory",
    "writeMemory",
    "disassemble",
    "watchword/monitors",
    "watchword/checkpoints",
    "watchword/checkpoint",
    "watchword/restore",
    "launch",
    "attach",
    "restart",
    "source",
    "loadedSources",
    "gotoTargets",
    "cancel",
];

const NAMES: &[&str] = &[
    "threadId",
    "frameId",
    "variablesReference",
    "name",
    "value",
    "expression",
    "context",
    "line",
    "breakpoints",
    "source",
    "path",
    "memoryReference",
    "offset",
    "count",
    "instructionCount",
    "instructionOffset",
    "filters",
    "dataId",
    "text",
    "column",
    "number",
    "label",
    "start",
    "levels",
    "startFrame",
    "granularity",
    "data",
    "condition",
    "hitCondition",
    "logMessage",
];

const TEXTS: &[&str] = &[
    "ticks",
    "tick",
    "main",
    "*ticks",
    "&ticks",
    "repl",
    "instruction",
    "0x0",
    "0xffffffffffffffff",
    "ticks = 3",
    "p ticks",
    "bt",
    "checkpoint",
    "info registers",
    "((((((((",
    "",
    "ä€\u{1F600}",
    "{ticks}",
    "tick() + 1",
    "1/0",
    "a[9999999999999999999]",
    "% 0",
    ">= 2",
    "AAAA",
    "====",
    "throw",
    "violation",
    "slices",
    "x/10i main",
    "watch ticks",
    "delete",
    "0/1/0/ticks",
    "-1",
];

fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 2 { 5 } else { 8 }) {
        0 => json!(random.below(5)),
        1 => json!([i64::MAX, i64::MIN, -1, 1 << 33, 0][random.below(5)]),
        2 | 3 => json!(TEXTS[random.below(TEXTS.len())]),
        4 => [json!(null), json!(true), json!(1e300), json!(-0.5)][random.below(4)].clone(),
        5 => (0..random.below(3)).map(|_| value(random, depth + 1)).collect(),
        _ => object(random, depth + 1),
    }
}

fn object(random: &mut Random, depth: usize) -> Value {
    let mut all = serde_json::Map::new();
    for _ in 0..1 + random.below(4) {
        let name = NAMES[random.below(NAMES.len())].to_string();
        let value = value(random, depth);
        all.insert(name, value);
    }
    // What is often needed is often right.
    if random.below(2) == 0 {
        all.insert("threadId".into(), json!(1));
        all.insert("frameId".into(), json!(1));
        all.insert("variablesReference".into(), json!(1 + random.below(3)));
    }
    if random.below(3) == 0 {
        all.insert("breakpoints".into(), json!([{"name": "tick", "line": 1 + random.below(15)}]));
        all.insert("source".into(), json!({"path": file("ticker.c")}));
    }
    Value::Object(all)
}

/// Sends requests, and messages that are none; every request is answered.
fn converse(editor: &mut Editor, random: &mut Random) -> u64 {
    let mut answered = 0;
    for _ in 0..150 {
        let command = random.pick(COMMANDS);
        let arguments = match random.below(8) {
            0 => value(random, 0),
            _ => object(random, 0),
        };
        let response = editor.try_ask(command, arguments);
        assert!(response["success"].is_boolean());
        answered += 1;
        if random.below(20) == 0 {
            // Messages that are none.
            let text = ["{", "[]", "null", "{\"type\":\"request\"}", "\u{0}", "{\"type\":7}"];
            editor.send_raw(&encode(text[random.below(text.len())]));
        }
    }
    answered
}

/// The editor vanishes, says goodbye, or goes mad.
fn part(mut editor: Editor, random: &mut Random) {
    match random.below(3) {
        0 => drop(editor),
        1 => {
            editor.ask("disconnect", json!({}));
        }
        _ => {
            editor.send_raw(b"Content-Length: x\r\n\r\nGET / HTTP/1.1\r\n\r\n");
            drop(editor);
        }
    }
}

fn rounds() -> u64 {
    if std::env::var_os("WATCHWORD_SOAK").is_some() { 100 } else { 8 }
}

#[test]
fn hostile_messages_are_answered_and_nothing_is_left() {
    let _alone = alone();
    let program = compile("ticker.c");
    let mut answered = 0;
    for seed in 0..rounds() {
        let mut random = Random::new(seed * 7919 + 1);
        let served = server();
        let mut editor = Editor::connect(served.port);
        let entry = random.below(2) == 0;
        let pid = editor.launch(json!({"program": program, "stopOnEntry": entry}));
        if random.below(4) > 0 {
            editor.ask("configurationDone", json!({}));
        }
        answered += converse(&mut editor, &mut random);
        part(editor, &mut random);
        served.end();
        assert!(!exists(pid), "seed {seed} left the program");
    }
    assert!(answered >= rounds() * 150);
}

#[test]
fn a_joined_program_is_never_left_stopped_by_hostile_messages() {
    let _alone = alone();
    let program = compile("ticker.c");
    let mut went_on = 0;
    for seed in 0..rounds() {
        let mut random = Random::new(seed * 104_729 + 5);
        let child = Running::start(&program);
        let pid = i64::from(child.pid());
        let served = server();
        let mut editor = Editor::connect(served.port);
        editor.ask("initialize", json!({}));
        editor.ask("attach", json!({"pid": pid, "stopOnEntry": random.below(2) == 0}));
        if random.below(4) > 0 {
            editor.ask("configurationDone", json!({}));
        }
        converse(&mut editor, &mut random);
        part(editor, &mut random);
        served.end();
        // Registers and memory that were changed may have ended it.
        let text = state(pid);
        assert!(!text.contains("stop"), "seed {seed}: {text}");
        if text.contains("sleeping") || text.contains("running") {
            assert!(text.contains("TracerPid:\t0"), "seed {seed}: {text}");
            went_on += 1;
        }
    }
    assert!(went_on > 0, "no program outlived its editor");
}

#[test]
fn a_page_that_posts_requests_gets_nothing() {
    let _alone = alone();
    let served = server();
    let mut editor = Editor::connect(served.port);
    let mark = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("dap-posted");
    let launch = json!({"seq": 1, "type": "request", "command": "launch",
        "arguments": {"program": "/usr/bin/touch", "args": [mark]}});
    let done = json!({"seq": 2, "type": "request", "command": "configurationDone"});
    let body = [encode(&launch.to_string()), encode(&done.to_string())].concat();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n{launch}",
        launch.to_string().len()
    );
    editor.send_raw(head.as_bytes());
    editor.send_raw(&body);
    while let Some(message) = editor.receive() {
        assert_eq!(message["event"], "output", "{message}");
    }
    served.end();
    assert!(!mark.exists());
}
