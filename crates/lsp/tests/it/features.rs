//! What an editor gets.

use serde_json::{Value, json};

use crate::client::{Client, URI, apply, cut};

const LOGIN: &str = "\
event login(u, ip) = log /(?<u>\\S+) logged in from (?<ip>\\S+)/
event logout(u) = log /(?<u>\\S+) logged out/
event read(u, file) = log /(?<u>\\S+) read (?<file>\\S+)/

/// Nobody reads anything after logging out.
property Access(u) {
  var n: int = 0
  start state New { on login -> In }
  state In { on logout(u) -> Out }
  state Out {
    on login(u, _) -> In
    on read(u, ?file) if n < 3 { n += 1 } -> Intruder \"{u} read {file}\"
  }
  bad state Intruder
}
";

/// LOGIN with the cursor in front of the n-th occurrence of something.
fn at(what: &str, n: usize) -> String {
    let (offset, _) = LOGIN.match_indices(what).nth(n).expect("it occurs so often");
    format!("{}§{}", &LOGIN[..offset], &LOGIN[offset..])
}

#[test]
fn mistakes_are_told_and_mended() {
    let wrong = LOGIN.replace("-> Out }", "-> Outt }");
    let (mut client, _) = Client::with(&wrong);
    assert_eq!(client.codes(), ["WW0204"]);
    let diagnostic = &client.diagnostics(URI)[0];
    assert_eq!(diagnostic["severity"], 1);
    assert_eq!(diagnostic["source"], "watchword");
    assert!(diagnostic["message"].as_str().unwrap().contains("help: did you mean `Out`?"));
    let range = diagnostic["range"].clone();
    let actions = client.ask(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": []}}),
    );
    let action = &actions[0];
    assert_eq!(action["title"], "Write `Out`");
    assert_eq!(action["kind"], "quickfix");
    let mended = apply(&wrong, &action["edit"]["changes"][URI]);
    assert_eq!(mended, LOGIN);
    client.tell(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": mended}]}),
    );
    assert!(client.codes().is_empty(), "{:?}", client.codes());
}

#[test]
fn changes_may_be_partial() {
    let (mut client, position) = Client::with(&at("logout(u) ->", 0));
    let range = json!({"start": position, "end": position});
    client.tell(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": URI, "version": 2},
            "contentChanges": [{"range": range, "text": "xx"}],
        }),
    );
    assert!(client.codes().contains(&"WW0202".to_string()), "{:?}", client.codes());
    assert!(!client.diagnostics(URI).is_empty());
}

#[test]
fn other_languages_have_diagnostics() {
    let cases = [
        ("file:///x.topl", "property P\n  start -> : call m(x)\n"),
        ("file:///x.prop", "slice on q\nstate a b\n"),
        ("file:///x.lrv", "GLOBAL {\n  EVENTS {\n"),
        ("file:///x.scn", "on entering state do\n  stop\n"),
    ];
    for (uri, text) in cases {
        let mut client = Client::new();
        client.open(uri, text);
        let found = client.diagnostics(uri);
        assert!(!found.is_empty(), "{uri}");
        for diagnostic in found {
            assert!(diagnostic["code"].as_str().unwrap().starts_with("WW"), "{diagnostic}");
        }
        // Everything else has nothing to say, and says so.
        let place = json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 3}});
        assert_eq!(client.ask("textDocument/hover", place.clone()), Value::Null);
        assert_eq!(client.ask("textDocument/definition", place), json!([]));
        let document = json!({"textDocument": {"uri": uri}, "options": {}});
        assert_eq!(client.ask("textDocument/formatting", document.clone()), json!([]));
        assert_eq!(client.ask("textDocument/documentSymbol", document), json!([]));
    }
}

#[test]
fn hovering_tells_what_a_name_is() {
    let cases = [
        (at("Access", 0), vec!["property Access(u)", "Nobody reads", "shortest run", "read("]),
        (at("login -> In", 0), vec!["event login(u, ip)"]),
        (at("Intruder", 0), vec!["bad state Intruder", "violation"]),
        (at("n < 3", 0), vec!["var n: int", "variable of property `Access`"]),
        (at("file}", 0), vec!["?file"]),
        (at("start state", 0), vec!["begins in"]),
    ];
    for (text, wanted) in cases {
        let (mut client, position) = Client::with(&text);
        let hover = client.ask_at("textDocument/hover", &position);
        let shown = hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("{text}"));
        for part in wanted {
            assert!(shown.contains(part), "{part}\n---\n{shown}");
        }
    }
    let text = LOGIN.replace("n < 3", "l§en(u) < 3");
    let (mut client, position) = Client::with(&text);
    let hover = client.ask_at("textDocument/hover", &position);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("len(x)"));
    let (mut client, position) = Client::with("event a\n§\n");
    assert_eq!(client.ask_at("textDocument/hover", &position), Value::Null);
}

/// The text a place of the protocol covers.
fn covered(text: &str, range: &Value) -> String {
    let (start, end) = watchword_lsp::text::range_in(text, range).unwrap();
    text[start..end].to_string()
}

#[test]
fn definitions_are_found() {
    let cases = [
        (at("login -> In", 0), 0, "login"),
        (at("In }", 0), 8, "In"),
        (at("n += 1", 0), 6, "n"),
        (at("file}", 0), 11, "file"),
        (at("u}", 0), 5, "u"),
        (at("u>", 2), 2, "u"),
    ];
    for (text, line, name) in cases {
        let (mut client, position) = Client::with(&text);
        let found = client.ask_at("textDocument/definition", &position);
        assert_eq!(found.as_array().unwrap().len(), 1, "{text}\n{found}");
        assert_eq!(found[0]["uri"], URI);
        assert_eq!(found[0]["range"]["start"]["line"], line, "{text}");
        assert_eq!(covered(LOGIN, &found[0]["range"]), name);
    }
}

#[test]
fn definitions_are_found_in_other_files() {
    let text = "import \"events.ww\"\nproperty P(u) {\n  never login(u) log§out(u)\n}\n";
    let (mut client, position) = Client::with(text);
    assert!(client.codes().is_empty(), "{:?}", client.codes());
    let found = client.ask_at("textDocument/definition", &position);
    assert_eq!(found[0]["uri"], "file:///project/events.ww");
    assert_eq!(found[0]["range"]["start"]["line"], 2);
    let at_import = client.ask_at("textDocument/definition", &json!({"line": 0, "character": 10}));
    assert_eq!(at_import[0]["uri"], "file:///project/events.ww");
    // Once that file is open, what counts is what the editor has.
    client.open("file:///project/events.ww", "event login(u)\n\n\nevent logout(u)\n");
    let found = client.ask_at("textDocument/definition", &position);
    assert_eq!(found[0]["range"]["start"]["line"], 3);
    client.tell(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": "file:///project/events.ww", "version": 2},
            "contentChanges": [{"text": "event login(\n"}],
        }),
    );
    let said = client.diagnostics(URI);
    assert!(said[0]["message"].as_str().unwrap().contains("events.ww, which this file imports"));
    client.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": "file:///project/events.ww"}}),
    );
    assert!(client.codes().is_empty(), "{:?}", client.codes());
}

#[test]
fn references_and_highlights() {
    let (mut client, position) = Client::with(&at("read(u, ?file)", 0));
    let found = client.ask(
        "textDocument/references",
        json!({
            "textDocument": {"uri": URI}, "position": position,
            "context": {"includeDeclaration": false},
        }),
    );
    assert_eq!(found.as_array().unwrap().len(), 1);
    let all = client.ask_at("textDocument/documentHighlight", &position);
    assert_eq!(all.as_array().unwrap().len(), 2);
}

fn labels(client: &mut Client, position: &Value) -> Vec<String> {
    let list = client.ask_at("textDocument/completion", position);
    let items = list["items"].as_array().unwrap();
    items.iter().map(|i| i["label"].as_str().unwrap().to_string()).collect()
}

#[test]
fn completion_knows_where_it_is() {
    let body = |inside: &str| {
        format!(
            "event login(u, ip)\nevent logout(u)\nchannel alarm(u)\n\
             function twice(a) {{\n  return a * 2\n}}\n\
             property P(u) {{\n  var n: int = 0\n  clock t\n  start state A {{\n    {inside}\n  }}\n  \
             bad state B\n}}\n"
        )
    };
    let cases: Vec<(String, Vec<&str>, Vec<&str>)> = vec![
        ("§".to_string(), vec!["event", "property", "import"], vec!["on", "len"]),
        ("event a(x) = §".to_string(), vec!["jvm before call", "log /…/"], vec!["event"]),
        ("event a(x: §)".to_string(), vec!["int", "string"], vec!["event"]),
        (body("§"), vec!["on", "enter"], vec!["login", "event"]),
        (body("on §"), vec!["login", "logout", "alarm", "t", "any", "end"], vec!["B", "n"]),
        (body("on logi§"), vec!["login"], vec!["B"]),
        (body("on login(u, _) -> §"), vec!["A", "B", "drop"], vec!["login", "n"]),
        (body("on login(§"), vec!["u", "n"], vec!["B"]),
        (body("on login(u, ?ip) if §"), vec!["u", "n", "t", "len", "twice"], vec!["B", "on"]),
        (body("on login(u, _) { §"), vec!["n", "send", "reset", "twice"], vec!["on"]),
        (body("on login(u, _) { reset §"), vec!["t"], vec!["n"]),
        (body("on login(u, _) { send §"), vec!["alarm"], vec!["login"]),
        (body("on login(u, _) -> B \"{§"), vec!["u", "len"], vec!["on"]),
        (body("on login(u, _) -> B \"hello §"), vec![], vec!["u", "on", "event"]),
        (
            "event a(x)\nproperty P(x) {\n  §\n}\n".to_string(),
            vec!["never", "start", "var", "severity"],
            vec!["on", "a"],
        ),
        ("event a(x)\nproperty P(x) {\n  never §\n}\n".to_string(), vec!["a", "any"], vec!["var"]),
        ("property P(x) {\n  severity §\n}\n".to_string(), vec!["warning"], vec!["var"]),
        ("event a(x)\nproperty P(x) {\n  ltl §\n}\n".to_string(), vec!["always", "a"], vec!["var"]),
    ];
    for (text, with, without) in cases {
        let (mut client, position) = Client::with(&text);
        let found = labels(&mut client, &position);
        for label in with {
            assert!(found.iter().any(|l| l == label), "{label} is missing at\n{text}\n{found:?}");
        }
        for label in without {
            assert!(!found.iter().any(|l| l == label), "{label} is there at\n{text}\n{found:?}");
        }
    }
}

#[test]
fn completed_events_have_the_arguments_of_the_property() {
    let text = "event login(u, ip)\nproperty P(u) {\n  start state A { on §\n  }\n}\n";
    let (mut client, position) = Client::with(text);
    let list = client.ask_at("textDocument/completion", &position);
    let login = list["items"].as_array().unwrap().iter().find(|i| i["label"] == "login").unwrap();
    assert_eq!(login["insertText"], "login(u, ${2:?ip})");
}

#[test]
fn params_are_known() {
    let text = "event e(x)\nproperty P(x) {\n  /// How long\n  param limit: duration = 5 s\n  \
                start state A { on e(x) -> B }\n  state B within lim§it else C\n  bad state C \
                \"{limit}\"\n}\n";
    let (mut client, position) = Client::with(text);
    assert!(client.codes().is_empty(), "{:?}", client.codes());
    let hover = client.ask_at("textDocument/hover", &position).to_string();
    assert!(hover.contains("param limit: duration = 5 s") && hover.contains("How long"), "{hover}");
    assert_eq!(renamed(text, "most").unwrap().matches("most").count(), 3);
    let (mut client, position) = Client::with(&text.replace("lim§it else", "§"));
    assert_eq!(labels(&mut client, &position), ["limit"]);
    let (mut client, position) = Client::with("property P(x) {\n  param n: §\n}\n");
    assert_eq!(labels(&mut client, &position), ["duration", "int", "float", "string", "bool"]);
}

/// Renames what is at the cursor.
fn renamed(text: &str, new: &str) -> Result<String, String> {
    let (mut client, position) = Client::with(text);
    let (text, _) = cut(text);
    let answer = client.answer(
        "textDocument/rename",
        json!({"textDocument": {"uri": URI}, "position": position, "newName": new}),
    );
    match answer.get("error") {
        Some(error) => Err(error["message"].as_str().unwrap().to_string()),
        None => Ok(apply(&text, &answer["result"]["changes"][URI])),
    }
}

#[test]
fn renaming_changes_every_place() {
    let changed = renamed(&at("Out {", 0), "LoggedOut").unwrap();
    assert_eq!(changed, LOGIN.replace("Out }", "LoggedOut }").replace("Out {", "LoggedOut {"));
    // From a use, too; and the groups of patterns are names.
    let changed = renamed(&at("file}", 0), "path").unwrap();
    assert!(changed.contains("?path) if n < 3 { n += 1 } -> Intruder \"{u} read {path}\""));
    let changed = renamed(&at("ip)", 0), "address").unwrap();
    assert!(
        changed.contains("event login(u, address) = log /(?<u>\\S+) logged in from (?<address>")
    );
    let changed = renamed(&at("read(u, file)", 0), "look").unwrap();
    assert_eq!(changed.matches("look(u, ").count(), 2);
    assert!(changed.contains("(?<u>\\S+) read"), "what a pattern says is no name");
}

#[test]
fn labels_that_take_arguments_by_name_say_them_after_renaming() {
    let changed = renamed(&at("u) {", 0), "user").unwrap();
    assert!(changed.contains("property Access(user) {"), "{changed}");
    assert!(changed.contains("on login(user, _) -> In }"), "{changed}");
    assert!(changed.contains("on logout(user) -> Out"), "{changed}");
    assert!(changed.contains("\"{user} read {file}\""), "{changed}");
    assert!(changed.starts_with("event login(u, ip)"), "events keep their own names");
    let mut client = Client::new();
    client.open(URI, &changed);
    assert!(client.codes().is_empty(), "{:?}", client.codes());
}

#[test]
fn renaming_that_would_change_the_meaning_is_refused() {
    assert!(renamed(&at("Out {", 0), "In").is_err());
    assert!(renamed(&at("login(u, ip)", 0), "logout").is_err());
    assert!(renamed(&at("Out {", 0), "7up").unwrap_err().contains("is not a name"));
    assert!(renamed(&at("Out {", 0), "a b").is_err());
    assert!(renamed("event a§\n// b\n", "_").is_err());
    assert!(renamed("event a\n§\n", "b").unwrap_err().contains("no name here"));
    let quoted = renamed("event a§\nproperty P() {\n  ltl always (not a)\n}\n", "next").unwrap();
    assert!(quoted.contains("`next`"), "{quoted}");
    let text = "import \"std/reply\"\nproperty P(id) {\n  never re§ply(id) reply(id)\n}\n";
    assert!(renamed(text, "answer").unwrap_err().contains("is part of Watchword"));
}

#[test]
fn renaming_can_be_prepared() {
    let (mut client, position) = Client::with(&at("Out {", 0));
    let found = client.ask_at("textDocument/prepareRename", &position);
    assert_eq!(found["placeholder"], "Out");
    let (mut client, position) = Client::with("§// nothing\n");
    assert_eq!(client.ask_at("textDocument/prepareRename", &position), Value::Null);
}

#[test]
fn formatting_changes_only_what_must() {
    let messy = LOGIN.replace("  state In {", "    state   In{");
    let (mut client, _) = Client::with(&messy);
    let document = json!({"textDocument": {"uri": URI}, "options": {"tabSize": 4}});
    let edits = client.ask("textDocument/formatting", document.clone());
    let laid_out = watchword_spec::format(LOGIN).unwrap();
    assert_eq!(apply(&messy, &edits), laid_out);
    let mut client = Client::new();
    client.open(URI, &laid_out);
    assert_eq!(client.ask("textDocument/formatting", document.clone()), json!([]));
    let mut client = Client::new();
    client.open(URI, "property {");
    assert_eq!(client.ask("textDocument/formatting", document), json!([]));
    // Other languages are laid out, too.
    for (uri, messy, tidy) in [
        (
            "file:///p/a.topl",
            "property P\n observe <A.*>\n start->error:<A.m>[*]\n",
            "property P\n  observe <A.*>\n  start -> error: <A.m>[*]\n",
        ),
        (
            "file:///p/a.scn",
            "on entering state S do\n     stop\n",
            "on entering state S do\n  stop\n",
        ),
    ] {
        let mut client = Client::new();
        client.open(uri, messy);
        let document = json!({"textDocument": {"uri": uri}, "options": {}});
        assert_eq!(apply(messy, &client.ask("textDocument/formatting", document)), tidy);
    }
}

#[test]
fn the_outline_has_properties_with_their_states() {
    let (mut client, _) = Client::with(LOGIN);
    let outline = client.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}}));
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names(&outline), ["login", "logout", "read", "Access"]);
    let access = &outline[3];
    assert_eq!(names(&access["children"]), ["n", "New", "In", "Out", "Intruder"]);
    assert_eq!(access["detail"], "Nobody reads anything after logging out.");
    let whole = covered(LOGIN, &access["range"]);
    assert!(whole.starts_with("property Access") && whole.ends_with('}'), "{whole}");
    let out = covered(LOGIN, &access["children"][3]["range"]);
    assert!(out.starts_with("state Out {") && out.trim_end().ends_with('}'), "{out}");
    assert_eq!(covered(LOGIN, &outline[1]["selectionRange"]), "logout");
}
