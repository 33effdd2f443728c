//! What editors said to us, said again without them: the same requests, and answers that mean the same.
//! `WATCHWORD_RECORD=1 cargo test -p watchword --test cli editors vscode` makes the recordings anew, with
//! `editors/vscode/test/record.js` between editor and adapter; `editors/neovim/record.lua` does so for Neovim.
//!
//! A line is a message, `> ` before those of the editor and `< ` before ours. `$DIR` is the folder of the
//! session: the example `queue.c`, its property, and the program.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use watchword_dap::protocol::frame::encode;

use crate::client::Editor;
use crate::support::{alone, file, server};

/// Numbers that are others in every run, by what they are of.
#[derive(Default)]
struct Numbers(HashMap<(&'static str, i64), i64>);

impl Numbers {
    /// What a number is of: the key it has, in the response to this command.
    fn kind(command: &str, key: &str) -> Option<&'static str> {
        match (command, key) {
            ("threads", "id") | (_, "threadId") => Some("thread"),
            ("stackTrace", "id") | (_, "frameId") => Some("frame"),
            (_, "variablesReference") => Some("variables"),
            _ => None,
        }
    }

    fn learn(&mut self, command: &str, key: &str, recorded: i64, told: i64) {
        // No test is left out here: only some fields are numbers that a run chooses.
        let Some(kind) = Numbers::kind(command, key) else { return };
        let known = self.0.entry((kind, recorded)).or_insert(told);
        // In lists of threads some may be missing that have ended in this run or in that one: the thread
        // that stopped is known better.
        if command != "threads" {
            *known = told;
        }
    }

    /// A request of the editor, about the threads and values of this run.
    fn translate(&self, request: &mut Value) {
        let Some(arguments) = request["arguments"].as_object_mut() else { return };
        for (key, value) in arguments {
            let Some(number) = value.as_i64() else { continue };
            let known = Numbers::kind("", key).and_then(|kind| self.0.get(&(kind, number)));
            if let Some(known) = known {
                *value = (*known).into();
            }
        }
    }

    /// Whether two values mean the same. Numbers in texts are those of processes and addresses; lists of
    /// threads and events may be longer.
    fn agrees(&mut self, command: &str, key: &str, recorded: &Value, told: &Value) -> bool {
        match (recorded, told) {
            // What other threads did before, and how long the path to the source is.
            _ if matches!(key, "history" | "stackTrace") => recorded.is_null() == told.is_null(),
            (Value::Object(recorded), Value::Object(told)) => {
                recorded.keys().eq(told.keys())
                    && recorded.iter().all(|(k, v)| self.agrees(command, k, v, &told[k]))
            }
            (Value::Array(recorded), Value::Array(told)) => {
                let mut pairs = recorded.iter().zip(told);
                recorded.is_empty() == told.is_empty()
                    && pairs.all(|(r, t)| self.agrees(command, key, r, t))
            }
            (Value::Number(recorded), Value::Number(told)) => {
                let (recorded, told) = (recorded.as_i64(), told.as_i64());
                if let (Some(recorded), Some(told)) = (recorded, told) {
                    self.learn(command, key, recorded, told);
                }
                // Nothing to look into stays nothing to look into.
                key != "variablesReference" || (recorded == Some(0)) == (told == Some(0))
            }
            (Value::String(recorded), Value::String(told)) => pattern(recorded) == pattern(told),
            _ => recorded == told,
        }
    }
}

/// The first line of a text, without its numbers.
fn pattern(text: &str) -> String {
    let text = text.lines().next().unwrap_or_default();
    let mut out = String::new();
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    for separator in text.chars().filter(|c| !c.is_ascii_alphanumeric()).map(Some).chain([None]) {
        let word = words.next().unwrap_or_default();
        out.push_str(if word.starts_with(|c: char| c.is_ascii_digit()) { "#" } else { word });
        out.extend(separator);
    }
    out
}

/// Events that editors wait for.
const AWAITED: [&str; 4] = ["initialized", "stopped", "terminated", "exited"];

/// What came, and what should have come by now.
#[derive(Default)]
struct Progress {
    responses: HashMap<i64, Value>,
    events: Vec<Value>,
}

impl Progress {
    fn add(&mut self, message: Value) {
        match message["type"].as_str() {
            Some("response") => {
                self.responses.insert(message["request_seq"].as_i64().unwrap(), message);
            }
            _ if AWAITED.iter().any(|e| message["event"] == **e) => self.events.push(message),
            _ => {}
        }
    }
}

/// A folder as the editor had it.
fn folder() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dap").join("recorded");
    std::fs::create_dir_all(&dir).unwrap();
    for name in ["queue.c", "queue.ww"] {
        std::fs::copy(file(name), dir.join(name)).unwrap();
    }
    // Places are those of the copy.
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-O0", "-pthread", "queue.c", "-o", "queue"]).current_dir(&dir);
    assert!(compiler.status().unwrap().success());
    dir
}

/// Says what an editor said; how many responses meant what they meant then.
fn replay(name: &str) -> usize {
    let _alone = alone();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.replace("$DIR", folder().to_str().unwrap());
    let served = server();
    let mut editor = Editor::connect(served.port);
    let mut numbers = Numbers::default();
    let (mut came, mut compared) = (Progress::default(), 0);
    let mut events = 0;
    for line in text.lines() {
        if let Some(request) = line.strip_prefix("> ") {
            let mut request: Value = serde_json::from_str(request).unwrap();
            numbers.translate(&mut request);
            assert!(editor.send_raw(&encode(&request.to_string())), "{request}: nobody listens");
            continue;
        }
        let Some(message) = line.strip_prefix("< ") else { continue };
        let recorded: Value = serde_json::from_str(message).unwrap();
        let mut wanted = Progress::default();
        wanted.add(recorded.clone());
        // What editors do not wait for may come at other times.
        let told = if let Some(number) = wanted.responses.keys().next() {
            while !came.responses.contains_key(number) {
                came.add(editor.receive().unwrap_or_else(|| panic!("{name}: no {recorded}")));
            }
            compared += 1;
            &came.responses[number]
        } else if wanted.events.is_empty() {
            continue;
        } else {
            while came.events.len() <= events {
                came.add(editor.receive().unwrap_or_else(|| panic!("{name}: no {recorded}")));
            }
            events += 1;
            &came.events[events - 1]
        };
        let command = recorded["command"].as_str().unwrap_or_default();
        for part in ["event", "command", "success", "message", "body"] {
            let agrees = numbers.agrees(command, part, &recorded[part], &told[part]);
            assert!(agrees, "{name}: {recorded}\nwas recorded, but now\n{told}");
        }
    }
    drop(editor);
    served.end();
    compared
}

#[test]
fn recordings_of_visual_studio_code_are_answered_as_then() {
    let compared = replay("code-server-4.96.4.txt");
    assert!(compared > 40, "{compared}");
}

#[test]
fn recordings_of_neovim_are_answered_as_then() {
    let compared = replay("nvim-dap-0.3.0.txt");
    assert!(compared > 50, "{compared}");
}

#[test]
fn recordings_of_the_client_that_adapters_are_tested_with_are_answered_as_then() {
    let compared = replay("debugadapter-testsupport-1.68.0-breakpoint.txt");
    assert!(compared > 8, "{compared}");
    let compared = replay("debugadapter-testsupport-1.68.0-violation.txt");
    assert!(compared > 5, "{compared}");
}

#[test]
fn texts_are_compared_without_their_numbers() {
    assert_eq!(pattern("queue (28275)"), pattern("queue (9)"));
    assert_eq!(pattern("q = 0x55fe, item = 12"), pattern("q = 0x7f, item = 3"));
    assert_ne!(pattern("q = 0x55fe"), pattern("p = 0x55fe"));
    assert_ne!(pattern("NoOverflow"), pattern("NoOverflow2"));
}
