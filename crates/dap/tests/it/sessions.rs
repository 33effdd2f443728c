//! Whole sessions.

use serde_json::{Value, json};

use crate::client::{Editor, named};
use crate::support::{alone, compile, exists, file, server, state};
use watchword_testing::Running;

fn path(name: &str) -> String {
    file(name).display().to_string()
}

#[test]
fn a_queue_with_25_threads_is_stopped_where_it_overflows() {
    let _alone = alone();
    let program = compile("queue.c");
    let served = server();
    let mut editor = Editor::connect(served.port);
    let pid = editor.launch(json!({
        "program": program, "args": ["5", "20", "3"], "properties": [path("queue.ww")],
        "stopOnEntry": true,
    }));
    assert!(editor.output.contains("watching NoOverflow"), "{}", editor.output);

    // Breakpoints before the program runs: lines, conditions, functions.
    let source = json!({"path": path("queue.c")});
    let set = editor.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": [
            {"line": 82}, {"line": 28, "condition": "item == 2"}, {"line": 900},
            {"line": 30, "condition": "item =="}, {"line": 30, "hitCondition": "often"},
        ]}),
    );
    let all = set["breakpoints"].as_array().unwrap();
    assert_eq!(all.len(), 5);
    assert_eq!((&all[0]["verified"], &all[0]["line"]), (&json!(true), &json!(82)));
    assert_eq!(all[1]["line"], 29, "the line that has code: {}", all[1]);
    assert_eq!(all[2]["verified"], false);
    assert_eq!(all[3]["verified"], false);
    assert!(all[3]["message"].is_string(), "{}", all[3]);
    assert!(all[4]["message"].as_str().unwrap().contains("no number of hits"));
    let set = editor.ask(
        "setFunctionBreakpoints",
        json!({"breakpoints": [{"name": "queue_new"}, {"name": "nobody_knows_me"}]}),
    );
    assert_eq!(set["breakpoints"][0]["verified"], true);
    assert_eq!(set["breakpoints"][1]["verified"], false);
    editor.ask("setExceptionBreakpoints", json!({"filters": ["violation"]}));
    editor.ask("configurationDone", json!({}));
    let stop = editor.stopped("entry");
    assert_eq!(stop["allThreadsStopped"], true);
    let thread = stop["threadId"].as_i64().unwrap();
    let threads = editor.ask("threads", json!({}));
    assert_eq!(threads["threads"].as_array().unwrap().len(), 1);

    // Frames, scopes, variables.
    let frames = editor.frames(thread);
    assert_eq!(frames[0]["name"], "main");
    assert_eq!(frames[0]["source"]["path"], path("queue.c"));
    let frame = frames[0]["id"].as_i64().unwrap();
    let scope = editor.scope(frame, "Arguments");
    let args = editor.variables(scope);
    assert_eq!(named(&args, "argc")["value"], "4");
    assert_eq!(named(&args, "argc")["type"], "int");
    assert_eq!(editor.value(frame, "argc * 2"), "8");
    assert!(editor.value(frame, "argv[3]").contains("\"3\""));
    let scope = editor.scope(frame, "Registers");
    let registers = editor.variables(scope);
    assert!(registers.len() > 16);
    assert_eq!(named(&registers, "rip")["value"], frames[0]["instructionPointerReference"]);
    assert!(editor.refused("scopes", json!({"frameId": 99})).contains("no frame 99"));
    assert!(
        editor.refused("evaluate", json!({"expression": "nobody", "frameId": frame})).len() > 5
    );

    // Changing the program.
    let set = editor.ask(
        "setExpression",
        json!({"expression": "per_producer", "value": "20", "frameId": frame}),
    );
    assert_eq!(set["value"], "20");
    assert_eq!(editor.value(frame, "per_producer"), "20");
    let scope = editor.scope(frame, "Arguments");
    let set = json!({"variablesReference": scope, "name": "argc", "value": "3 + 1"});
    assert_eq!(editor.ask("setVariable", set)["value"], "4");

    // Steps.
    editor.go("next", thread, "step");
    assert_eq!(editor.frames(thread)[0]["line"], 79);
    let stop = editor.go("continue", thread, "breakpoint");
    assert_eq!(stop["hitBreakpointIds"].as_array().unwrap().len(), 1);
    let stop = editor.go("stepIn", thread, "function breakpoint");
    assert!(stop["hitBreakpointIds"].as_array().unwrap().len() == 1);
    assert_eq!(editor.frames(thread)[0]["name"], "queue_new");
    assert_eq!(editor.frames(thread)[1]["name"], "main");
    editor.go("stepOut", thread, "step");
    assert_eq!(editor.frames(thread)[0]["name"], "main");
    editor.go("next", thread, "step");
    let frame = editor.top(thread);
    let queue = editor.ask("evaluate", json!({"expression": "shared", "frameId": frame}));
    let parts = editor.variables(queue["variablesReference"].as_i64().unwrap());
    assert_eq!(named(&parts, "capacity")["value"], "4");
    assert_eq!(named(&parts, "capacity")["evaluateName"], "(shared)->capacity");

    // The instance, before anything happened to it.
    let scope = editor.scope(frame, "Instance of NoOverflow");
    let instance = editor.variables(scope);
    assert_eq!(named(&instance, "(state)")["value"], "Open");
    assert_eq!(named(&instance, "room")["value"], "4");
    assert_eq!(named(&instance, "held")["value"], "0");
    assert!(named(&instance, "q")["value"].as_str().unwrap().starts_with("0x"));
    let scope = editor.scope(frame, "Monitors");
    let monitors = editor.variables(scope);
    assert!(named(&monitors, "NoOverflow")["variablesReference"].as_i64().unwrap() > 0);

    // A checkpoint, and data.
    let made = editor.ask("watchword/checkpoint", json!({"label": "before"}));
    assert_eq!(made["number"], 1);
    assert_eq!(editor.ask("watchword/checkpoints", json!({}))["checkpoints"][0]["label"], "before");
    let about = editor.ask("dataBreakpointInfo", json!({"name": "left", "frameId": frame}));
    assert_eq!(about["canPersist"], false);
    editor.ask("setBreakpoints", json!({"source": {"path": path("queue.c")}, "breakpoints": []}));
    let data = json!({"breakpoints": [{"dataId": about["dataId"], "accessType": "write"}]});
    let set = editor.ask("setDataBreakpoints", data);
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    let stop = editor.go("continue", thread, "data breakpoint");
    assert!(stop["description"].as_str().unwrap().contains("100 → 99"), "{stop}");
    assert_eq!(stop["hitBreakpointIds"].as_array().unwrap().len(), 1);
    editor.ask("setDataBreakpoints", json!({"breakpoints": []}));

    // The violation.
    editor.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
    let thread = stop["threadId"].as_i64().unwrap();
    let stop = editor.go("continue", thread, "exception");
    assert_eq!(stop["description"], "NoOverflow is violated");
    assert!(stop["text"].as_str().unwrap().contains("into a full queue of 4"), "{stop}");
    let guilty = stop["threadId"].as_i64().unwrap();
    let info = editor.ask("exceptionInfo", json!({"threadId": guilty}));
    assert_eq!(info["exceptionId"], "NoOverflow");
    assert!(info["description"].as_str().unwrap().contains("push("), "{info}");
    assert!(info["details"]["history"].as_array().unwrap().len() > 3, "{info}");
    assert!(info["details"]["stackTrace"].as_str().unwrap().contains("produce"), "{info}");
    let frames = editor.frames(guilty);
    assert_eq!((&frames[0]["name"], &frames[1]["name"]), (&json!("queue_push"), &json!("produce")));
    let caller = frames[1]["id"].as_i64().unwrap();
    assert_eq!(editor.value(caller, "me"), "3");
    let frame = frames[0]["id"].as_i64().unwrap();
    let scope = editor.scope(frame, "Instance of NoOverflow");
    assert_eq!(named(&editor.variables(scope), "(state)")["value"], "Overflow");
    let threads = editor.ask("threads", json!({}));
    let many = threads["threads"].as_array().unwrap().len();
    assert!(many > 5, "{threads}");
    for thread in threads["threads"].as_array().unwrap() {
        let frames = editor.frames(thread["id"].as_i64().unwrap());
        assert!(!frames.is_empty());
    }
    let seen = editor.ask("watchword/monitors", json!({}));
    assert_eq!(seen["violations"], 1);
    assert_eq!(seen["properties"][0]["property"], "NoOverflow");

    // Back.
    let stop = editor.go("reverseContinue", guilty, "goto");
    assert_eq!(stop["description"], "Back at checkpoint 1");
    let thread = stop["threadId"].as_i64().unwrap();
    assert_eq!(editor.ask("threads", json!({}))["threads"].as_array().unwrap().len(), 1);
    let frame = editor.top(thread);
    assert_eq!(editor.value(frame, "left"), "100");
    let scope = editor.scope(frame, "Checkpoints");
    assert!(named(&editor.variables(scope), "1")["value"].as_str().unwrap().contains("before"));
    assert!(editor.refused("stepBack", json!({"threadId": thread})).contains("first checkpoint"));
    let scope = editor.scope(frame, "Instance of NoOverflow");
    let set = json!({"variablesReference": scope, "name": "held", "value": "3"});
    assert_eq!(editor.ask("setVariable", set)["value"], "3");
    assert_eq!(named(&editor.variables(scope), "held")["value"], "3");
    let set = json!({"variablesReference": scope, "name": "q", "value": "3"});
    assert!(editor.refused("setVariable", set).contains("cannot be changed"));
    editor.go("continue", thread, "exception");
    editor.ask("disconnect", json!({}));
    served.end();
    assert!(!exists(pid));
}

#[test]
fn the_console_of_the_editor_knows_the_commands() {
    let _alone = alone();
    let program = compile("queue.c");
    let served = server();
    let mut editor = Editor::connect(served.port);
    editor.launch(json!({
        "program": program, "args": ["2", "2"], "properties": path("queue.ww"), "stopOnEntry": true,
    }));
    editor.ask("configurationDone", json!({}));
    let thread = editor.stopped("entry")["threadId"].as_i64().unwrap();
    assert_eq!(editor.command("argc"), "3");
    assert_eq!(editor.command("per_producer = 7"), "7");
    assert_eq!(editor.command("p per_producer"), "$1 = 7");
    assert!(editor.command("slices").contains("NoOverflow: 1 slice"));
    assert!(editor.command("-exec info registers rip").contains("rip"));
    assert!(editor.command("bt").contains("main (argc=3"));
    assert!(editor.command("verde show-graph").contains("Overflow (violation)"));
    assert!(editor.command("checkpoint here").contains("Checkpoint 1"));
    let refused = editor.refused("evaluate", json!({"expression": "continue", "context": "repl"}));
    assert!(refused.contains("use its own command"), "{refused}");
    let refused =
        editor.refused("evaluate", json!({"expression": "frobnicate x", "context": "repl"}));
    assert!(!refused.is_empty());
    editor.go("next", thread, "step");
    // Commands move the program only back, and the editor hears of that.
    assert!(editor.command("restart 1").contains("Back at checkpoint 1"));
    editor.stopped("goto");
    let told = editor.ask("completions", json!({"text": "arg", "column": 4}));
    let labels: Vec<&str> =
        told["targets"].as_array().unwrap().iter().filter_map(|t| t["label"].as_str()).collect();
    assert!(labels.contains(&"argc") && labels.contains(&"argv"), "{labels:?}");
    let told = editor.ask("completions", json!({"text": "p shared->c", "column": 12}));
    assert_eq!(told["targets"].as_array().unwrap().len(), 0, "it is null yet: {told}");
    assert!(editor.ask("modules", json!({}))["totalModules"].as_i64().unwrap() > 1);

    // It prints, and ends.
    editor.ask("continue", json!({"threadId": thread}));
    assert_eq!(editor.event("exited")["exitCode"], 0);
    editor.event("terminated");
    assert!(editor.output.contains("2 producers, 2 consumers, all done\n"), "{}", editor.output);
    assert!(editor.refused("continue", json!({"threadId": 1})).contains("has ended"));
    assert_eq!(editor.ask("threads", json!({}))["threads"], json!([]));
    editor.ask("disconnect", json!({}));
    served.end();
}

#[test]
fn hits_logs_exceptions_signals_and_values() {
    let _alone = alone();
    let program = compile("thrower.cpp");
    let served = server();
    let mut editor = Editor::connect(served.port);
    editor.launch(json!({"program": program, "env": {"WHO": "me"}, "cwd": "/"}));
    let source = json!({"path": path("thrower.cpp")});
    let set = editor.ask(
        "setBreakpoints",
        json!({"source": source, "breakpoints": [
            {"line": 19, "logMessage": "watched is {watched}, {{braces}}, {nonsense}"},
            {"line": 15, "hitCondition": "2"},
        ]}),
    );
    assert_eq!(set["breakpoints"][1]["verified"], true, "{set}");
    editor.ask("setExceptionBreakpoints", json!({"filters": ["violation", "throw"]}));
    editor.ask("configurationDone", json!({}));
    let stop = editor.stopped("exception");
    assert!(stop["description"].as_str().unwrap().contains("SIGUSR1"), "{stop}");
    assert!(editor.output.contains("watched is 0, {braces}, <"), "{}", editor.output);
    let thread = stop["threadId"].as_i64().unwrap();
    let info = editor.ask("exceptionInfo", json!({"threadId": thread}));
    assert_eq!(info["exceptionId"], "SIGUSR1");
    // The signal would end it.
    let frames = editor.frames(thread);
    let main = frames.iter().find(|f| f["name"] == "main").unwrap()["id"].as_i64().unwrap();
    assert!(editor.value(main, "numbers").contains("{1, 2, 3}"));
    let vector = editor.ask("evaluate", json!({"expression": "numbers", "frameId": main}));
    assert_eq!(vector["indexedVariables"], 3);
    let reference = vector["variablesReference"].as_i64().unwrap();
    let parts = editor.variables(reference);
    assert_eq!(named(&parts, "[2]")["value"], "3");
    let some =
        json!({"variablesReference": reference, "filter": "indexed", "start": 1, "count": 1});
    let some = editor.ask("variables", some);
    assert_eq!(some["variables"].as_array().unwrap().len(), 1);
    assert_eq!(some["variables"][0]["name"], "[1]");
    let set = json!({"variablesReference": reference, "name": "[1]", "value": "22"});
    assert_eq!(editor.ask("setVariable", set)["value"], "22");
    assert!(editor.value(main, "numbers").contains("22"));
    assert_eq!(editor.value(main, "twice(21)"), "42");

    // Memory and instructions.
    let watched = editor.ask("evaluate", json!({"expression": "&watched", "frameId": main}));
    let place = watched["memoryReference"].as_str().unwrap().to_string();
    let read = json!({"memoryReference": place, "count": 4});
    assert_eq!(editor.ask("readMemory", read.clone())["data"], "AwAAAA==");
    let write = json!({"memoryReference": place, "data": "BQAAAA=="});
    assert_eq!(editor.ask("writeMemory", write)["bytesWritten"], 4);
    assert_eq!(editor.value(main, "watched"), "5");
    let none = editor.ask("readMemory", json!({"memoryReference": "0x0", "count": 16}));
    assert_eq!(none["unreadableBytes"], 16);
    let entry = editor.ask("evaluate", json!({"expression": "&twice", "frameId": main}));
    let entry = entry["memoryReference"].as_str().unwrap().to_string();
    let some = json!({"memoryReference": entry, "instructionCount": 4, "instructionOffset": 1});
    let listed = editor.ask("disassemble", some);
    assert_eq!(listed["instructions"].as_array().unwrap().len(), 4);
    let second = listed["instructions"][0]["address"].as_str().unwrap().to_string();
    let some = json!({"memoryReference": second, "instructionCount": 3, "instructionOffset": -2});
    let listed = editor.ask("disassemble", some);
    let all = listed["instructions"].as_array().unwrap();
    assert_eq!((&all[1]["address"], &all[2]["address"]), (&json!(entry), &json!(second)));
    assert_eq!(all[0]["presentationHint"], "invalid");
    assert_eq!(all[1]["symbol"], "twice");
    let set = json!({"breakpoints": [{"instructionReference": entry}]});
    assert_eq!(editor.ask("setInstructionBreakpoints", set)["breakpoints"][0]["verified"], true);
    editor.command("handle SIGUSR1 nostop");
    // The program has no handler: the signal is taken away.
    let done = editor.refused("evaluate", json!({"expression": "signal 0", "context": "repl"}));
    assert!(!done.is_empty());
    editor.ask("terminate", json!({}));
    editor.event("terminated");
    editor.ask("disconnect", json!({}));
    served.end();
}

/// What cannot be done is said, and nothing of it stays behind.
#[test]
fn what_is_refused_leaves_nothing_behind() {
    let _alone = alone();
    let program = compile("thrower.cpp");
    let served = server();
    let mut editor = Editor::connect(served.port);
    editor.launch(json!({"program": program}));
    let functions = json!({"breakpoints": [{"name": ""}, {"name": "main"}]});
    let set = editor.ask("setFunctionBreakpoints", functions);
    assert_eq!(set["breakpoints"][0]["message"], "a function has a name");
    let lines = json!([{"line": 0}, {"line": -3}]);
    let source = json!({"path": path("thrower.cpp")});
    let set = editor.ask("setBreakpoints", json!({"source": source, "breakpoints": lines}));
    assert_eq!(set["breakpoints"][0]["verified"], false, "{set}");
    assert_eq!(set["breakpoints"][1]["verified"], false, "{set}");
    editor.ask("configurationDone", json!({}));
    let thread = editor.stopped("function breakpoint")["threadId"].as_i64().unwrap();
    let main = editor.top(thread);
    // A watchpoint whose condition is wrong does not watch.
    let about = json!({"frameId": main, "name": "watched"});
    let id = editor.ask("dataBreakpointInfo", about)["dataId"].clone();
    let wrong = json!({"breakpoints": [{"dataId": id, "condition": "watched =="}]});
    let set = editor.ask("setDataBreakpoints", wrong);
    assert_eq!(set["breakpoints"][0]["verified"], false, "{set}");
    assert!(!editor.command("info breakpoints").contains("watched"));
    // The mouse does not call functions; a person may.
    let over = |what: &str| json!({"expression": what, "frameId": main, "context": "hover"});
    assert!(editor.refused("evaluate", over("twice(21)")).contains("is not called"));
    assert_eq!(editor.ask("evaluate", over("watched"))["result"], "0");
    assert_eq!(editor.value(main, "twice(21)"), "42");
    editor.ask("disconnect", json!({}));
    served.end();
}

/// Without symbols there is no `main` to stop at: the program stands before its first instruction.
#[test]
fn a_program_without_symbols_stops_on_entry() {
    let _alone = alone();
    let program = compile("ticker.c");
    let stripped = program.with_extension("stripped");
    let mut strip = std::process::Command::new("strip");
    assert!(strip.arg(&program).arg("-o").arg(&stripped).status().unwrap().success());
    let served = server();
    let mut editor = Editor::connect(served.port);
    editor.launch(json!({"program": stripped, "stopOnEntry": true}));
    editor.ask("configurationDone", json!({}));
    let thread = editor.stopped("entry")["threadId"].as_i64().unwrap();
    let first = editor.top(thread);
    let place = editor.value(first, "$rip");
    // A step that is not possible is a stop, too: the editor waits for one.
    editor.ask("stepOut", json!({"threadId": thread}));
    let stop = editor.stopped("step");
    assert!(stop["description"].as_str().unwrap().contains("outermost"), "{stop}");
    // What was about the stop before is not answered with what is there now.
    let old = json!({"expression": "$rip", "frameId": first});
    assert!(editor.refused("evaluate", old).contains("there is no frame"));
    let now = editor.top(thread);
    assert_eq!(editor.value(now, "$rip"), place);
    editor.ask("disconnect", json!({}));
    served.end();
}

#[test]
fn a_joined_program_is_paused_and_goes_on_after_the_editor() {
    let _alone = alone();
    let program = compile("ticker.c");
    let child = Running::start(&program);
    let pid = i64::from(child.pid());
    let served = server();
    let mut editor = Editor::connect(served.port);
    editor.ask("initialize", json!({}));
    editor.ask("attach", json!({"pid": pid}));
    editor.event("initialized");
    editor.ask("configurationDone", json!({}));
    for _ in 0..10 {
        editor.ask("pause", json!({"threadId": 1}));
        editor.stopped("pause");
        assert!(editor.refused("pause", json!({"threadId": 1})).contains("stands"));
        editor.ask("continue", json!({"threadId": 1}));
    }
    // Requests are answered while it runs, and it goes on.
    let before = editor.ask("evaluate", json!({"expression": "ticks"}));
    std::thread::sleep(std::time::Duration::from_millis(50));
    let after = editor.ask("evaluate", json!({"expression": "ticks"}));
    let number = |v: &Value| v["result"].as_str().unwrap().parse::<i64>().unwrap();
    assert!(number(&after) > number(&before), "{before} {after}");
    assert_eq!(editor.ask("threads", json!({}))["threads"].as_array().unwrap().len(), 1);
    let set = json!({"breakpoints": [{"name": "tick", "hitCondition": "% 3"}]});
    editor.ask("setFunctionBreakpoints", set);
    let stop = editor.stopped("function breakpoint");
    let thread = stop["threadId"].as_i64().unwrap();
    let frame = editor.top(thread);
    let first: i64 = editor.value(frame, "ticks").parse().unwrap();
    editor.go("continue", thread, "function breakpoint");
    let frame = editor.top(thread);
    let second: i64 = editor.value(frame, "ticks").parse().unwrap();
    assert_eq!(second - first, 3);
    // By instructions.
    editor.ask("next", json!({"threadId": thread, "granularity": "instruction"}));
    editor.stopped("step");
    editor.ask("disconnect", json!({}));
    served.end();
    let text = state(pid);
    assert!(text.contains("TracerPid:\t0") && !text.contains("stop"), "{text}");
}

#[test]
fn a_scenario_decides_and_violations_can_be_passed() {
    let _alone = alone();
    let program = compile("queue.c");
    let served = server();
    let mut editor = Editor::connect(served.port);
    let scenario = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("dap-stop.scn");
    std::fs::write(
        &scenario,
        "on entering state Open do\n  print \"the queue is there\"\n  stop\n",
    )
    .unwrap();
    editor.launch(json!({
        "program": program, "args": ["5", "20", "3"], "properties": [path("queue.ww")],
        "scenario": scenario,
    }));
    editor.ask("setExceptionBreakpoints", json!({"filters": []}));
    editor.ask("configurationDone", json!({}));
    let stop = editor.stopped("scenario");
    assert!(editor.output.contains("the queue is there"), "{}", editor.output);
    let thread = stop["threadId"].as_i64().unwrap();
    assert_eq!(editor.command("unload-scenario"), "");
    editor.ask("continue", json!({"threadId": thread}));
    editor.event("exited");
    assert!(editor.output.contains("into a full queue of 4"), "{}", editor.output);
    editor.ask("disconnect", json!({}));
    served.end();
}

#[test]
fn what_cannot_be_begun_is_said() {
    let _alone = alone();
    let served = server();
    let mut editor = Editor::connect(served.port);
    assert!(editor.refused("threads", json!({})).contains("no program yet"));
    assert!(editor.refused("launch", json!({})).contains("which program"));
    assert!(editor.refused("attach", json!({})).contains("which process"));
    assert!(editor.refused("launch", json!({"program": 7})).contains("`program` has to be"));
    assert!(editor.refused("launch", json!({"program": "/nowhere/at-all"})).contains("cannot run"));
    let mistaken = json!({"program": "/bin/true", "properties": ["/nowhere/p.ww"]});
    assert!(editor.refused("launch", mistaken).contains("/nowhere/p.ww"));
    assert!(editor.refused("attach", json!({"pid": 1 << 22})).len() > 5);
    assert!(editor.refused("frobnicate", json!({})).contains("no request `frobnicate`"));
    // After all that, a program can be started, and only one.
    editor.launch(json!({"program": "/bin/true"}));
    assert!(editor.refused("launch", json!({"program": "/bin/true"})).contains("already"));
    editor.ask("configurationDone", json!({}));
    assert_eq!(editor.event("exited")["exitCode"], 0);
    editor.event("terminated");
    editor.ask("disconnect", json!({}));
    served.end();
}

#[test]
fn a_program_ends_with_an_editor_that_vanishes() {
    let _alone = alone();
    let program = compile("ticker.c");
    for runs in [true, false] {
        let served = server();
        let mut editor = Editor::connect(served.port);
        let pid = editor.launch(json!({"program": program, "stopOnEntry": !runs}));
        editor.ask("configurationDone", json!({}));
        if !runs {
            editor.stopped("entry");
        }
        assert!(exists(pid));
        drop(editor);
        served.end();
        assert!(!exists(pid), "runs: {runs}");
    }
    // Steps that last: `next` over `main`'s endless loop is interrupted.
    let served = server();
    let mut editor = Editor::connect(served.port);
    let pid = editor.launch(json!({"program": program, "stopOnEntry": true}));
    editor.ask("configurationDone", json!({}));
    let thread = editor.stopped("entry")["threadId"].as_i64().unwrap();
    editor.ask("stepOut", json!({"threadId": thread}));
    editor.ask("pause", json!({"threadId": thread}));
    editor.stopped("pause");
    editor.ask("stepOut", json!({"threadId": thread}));
    drop(editor);
    served.end();
    assert!(!exists(pid));
}

#[test]
fn the_trail_of_a_null_pointer_is_printed() {
    let _alone = alone();
    let program = compile("trail.c");
    let served = server();
    let mut editor = Editor::connect(served.port);
    editor.launch(json!({
        "program": program, "properties": [path("trail.ww")], "scenario": path("trail.scn"),
    }));
    editor.ask("configurationDone", json!({}));
    let stop = editor.stopped("exception");
    assert!(stop["description"].as_str().unwrap().contains("SIGSEGV"), "{stop}");
    for told in ["current is ada", "log_in at", "current is null now", "forget_user at"] {
        assert!(editor.output.contains(told), "no {told} in {}", editor.output);
    }
    let thread = stop["threadId"].as_i64().unwrap();
    assert_eq!(editor.frames(thread)[0]["name"], "show");
    editor.ask("disconnect", json!({}));
    served.end();
}

#[test]
fn a_sudoku_goes_back_to_a_checkpoint_by_itself() {
    let _alone = alone();
    let program = compile("sudoku.c");
    let served = server();
    let mut editor = Editor::connect(served.port);
    editor.launch(json!({
        "program": program, "properties": [path("sudoku.ww")], "scenario": path("sudoku.scn"),
    }));
    editor.ask("configurationDone", json!({}));
    let stop = editor.stopped("scenario");
    assert!(stop["description"].as_str().unwrap().contains("has two"), "{stop}");
    assert!(editor.output.contains("back to checkpoint"), "{}", editor.output);
    assert!(editor.output.contains("is written in"), "{}", editor.output);
    let thread = stop["threadId"].as_i64().unwrap();
    // The person goes back once more.
    let made = editor.ask("watchword/checkpoints", json!({}));
    assert!(!made["checkpoints"].as_array().unwrap().is_empty());
    editor.command("unload-scenario");
    editor.go("reverseContinue", thread, "goto");
    editor.go("continue", thread, "exception");
    editor.ask("disconnect", json!({}));
    served.end();
}

#[test]
fn steps_are_taken_back() {
    let _alone = alone();
    let program = compile("queue.c");
    let served = server();
    let mut editor = Editor::connect(served.port);
    editor.launch(json!({"program": program, "args": ["1", "1", "1"], "stopOnEntry": true}));
    editor.ask("configurationDone", json!({}));
    let thread = editor.stopped("entry")["threadId"].as_i64().unwrap();
    assert!(editor.refused("stepBack", json!({"threadId": thread})).contains("no checkpoint"));
    let line = |editor: &mut Editor| editor.frames(thread)[0]["line"].as_i64().unwrap();
    let first = line(&mut editor);
    editor.ask("watchword/checkpoint", json!({}));
    editor.go("next", thread, "step");
    let second = line(&mut editor);
    assert_ne!(first, second);
    let stop = editor.go("stepBack", thread, "step");
    assert_eq!((stop["allThreadsStopped"].as_bool(), line(&mut editor)), (Some(true), first));
    assert!(editor.refused("stepBack", json!({"threadId": thread})).contains("is not known"));
    editor.go("next", thread, "step");
    assert_eq!(line(&mut editor), second);
    editor.ask("stepBack", json!({"threadId": thread, "granularity": "instruction"}));
    editor.stopped("step");
    let frames = editor.frames(thread);
    assert_ne!(frames[0]["instructionPointerReference"], Value::Null);
    assert_eq!(frames[0]["line"], first);
}
