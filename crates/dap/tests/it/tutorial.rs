//! The configurations of `docs/tutorial-native.md` do what the page says: the text after each of them is
//! how the editor shows where the program stops.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::client::Editor;
use crate::support::{alone, file, server};

/// The fenced blocks of a page: language and text.
fn blocks(markdown: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
            blocks.push((language, text.join("\n")));
        }
    }
    blocks
}

/// Whether a line is like that, where `…` is any text.
fn is_like(line: &str, want: &str) -> bool {
    let mut pieces = want.split('…');
    let Some(mut rest) = line.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut is_open = false;
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
        is_open = piece.is_empty();
    }
    rest.is_empty() || is_open
}

/// What an editor shows: why the program stops, and where; or how it ended, and what it printed.
fn shown(editor: &mut Editor) -> String {
    let stop = loop {
        let message = editor.receive().expect("the program stops or ends");
        if message["event"] == "stopped" {
            break message["body"].clone();
        }
        if message["event"] == "exited" {
            let printed = editor.output.lines().last().unwrap_or_default().to_string();
            return format!("{printed}\nexited: {}\n", message["body"]["exitCode"]);
        }
    };
    let text = |name: &str| stop[name].as_str().unwrap_or_default().to_string();
    let mut out = format!("{}: {}\n", text("reason"), text("description"));
    if let Some(line) = text("text").lines().next() {
        let _ = writeln!(out, "{line}");
    }
    for frame in editor.frames(stop["threadId"].as_i64().unwrap()).iter().take(2) {
        let source = frame["source"]["name"].as_str().unwrap_or("?");
        let _ = writeln!(out, "{} at {source}:{}", frame["name"].as_str().unwrap(), frame["line"]);
    }
    out
}

/// Makes a folder as the tutorial has it, with the program of the configuration.
fn folder(configuration: &Value) -> std::path::PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dap").join("tutorial");
    std::fs::create_dir_all(&dir).unwrap();
    let examples = file("queue.c").parent().unwrap().parent().unwrap().to_path_buf();
    let link = dir.join("examples");
    if !link.exists() {
        std::os::unix::fs::symlink(examples, link).unwrap();
    }
    let program = configuration["program"].as_str().unwrap();
    let name = program.rsplit('/').next().unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-O0", "-pthread"]).arg(format!("examples/native/{name}.c"));
    compiler.args(["-o", name, "-l:libglib-2.0.so.0"]).current_dir(&dir);
    assert!(compiler.status().unwrap().success(), "{name}");
    dir
}

#[test]
fn the_configurations_of_the_tutorial_stop_where_it_says() {
    let _alone = alone();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial-native.md");
    let text = std::fs::read_to_string(page).unwrap();
    let blocks = blocks(&text);
    let mut run = 0;
    for pair in blocks.windows(2) {
        let [("json", configuration), ("text", want)] = pair else { continue };
        let configuration: Value = serde_json::from_str(configuration).unwrap();
        let dir = folder(&configuration);
        let placed = configuration.to_string().replace("${workspaceFolder}", dir.to_str().unwrap());
        let mut configuration: Value = serde_json::from_str(&placed).unwrap();
        configuration["cwd"] = dir.to_str().unwrap().into();
        let served = server();
        let mut editor = Editor::connect(served.port);
        editor.launch(configuration.clone());
        editor.ask("setExceptionBreakpoints", json!({"filters": ["violation"]}));
        editor.ask("configurationDone", json!({}));
        let now = shown(&mut editor);
        let (lines, wanted): (Vec<&str>, Vec<&str>) =
            (now.lines().collect(), want.lines().collect());
        let same = lines.len() == wanted.len()
            && lines.iter().zip(&wanted).all(|(line, want)| is_like(line, want));
        assert!(same, "{configuration}\nis said to show\n{want}\nbut shows\n{now}");
        editor.ask("disconnect", json!({}));
        served.end();
        run += 1;
    }
    assert_eq!(run, 6, "the six experiments");
}

#[test]
fn lines_are_compared_up_to_what_varies() {
    assert!(is_like("a push of 3502 into", "a push of … into"));
    assert!(is_like("a push of 3502", "a push of …"));
    assert!(!is_like("a push of 3502 off", "a push of … into"));
    assert!(!is_like("a pushed", "a push"));
}
