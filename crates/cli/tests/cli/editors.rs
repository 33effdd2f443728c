//! The language server as editors start it, and the extension for Visual Studio Code.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{Dir, binary, root};

fn framed(message: &serde_json::Value) -> String {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn the_language_server_speaks_over_standard_streams() {
    let dir = Dir::new();
    dir.write("events.ww", "event a(x)\n");
    let uri = format!("file://{}", dir.path().join("p.ww").display());
    let text = "import \"events.ww\"\nimport \"std/reply\"\nproperty P(x) {\n  never a aa\n}\n";
    let document = json!({"uri": uri, "languageId": "watchword", "version": 1, "text": text});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}),
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen",
               "params": {"textDocument": document}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "textDocument/definition",
               "params": {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 8}}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "shutdown"}),
        json!({"jsonrpc": "2.0", "method": "exit"}),
    ];
    let input: String = messages.iter().map(framed).collect();
    let ran = dir.run_with(&["lsp"], input.as_bytes()).expect(0);
    assert!(ran.stdout.contains("textDocument/publishDiagnostics"), "{}", ran.stdout);
    assert!(ran.stdout.contains("events.ww\""), "imports are read: {}", ran.stdout);
    assert!(!ran.stdout.contains("cannot be read"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
    // An editor that dies without a goodbye is told by the status.
    dir.run_with(&["lsp", "--stdio"], framed(&messages[0]).as_bytes()).expect(1);
    dir.run_with(&["lsp"], b"GET / HTTP/1.1\r\n\r\n").expect(1);
}

/// Whether there is Node; without it a test is skipped, by name, but not in CI.
pub fn has_node(test: &str) -> bool {
    let found = Command::new("node").arg("--version").stdout(Stdio::null()).status();
    let found = found.is_ok_and(|s| s.success());
    if !found {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs node");
        eprintln!("skipped {test}: there is no node");
    }
    found
}

#[test]
fn the_extension_works_with_the_server() {
    if !has_node("the_extension_works_with_the_server") {
        return;
    }
    let script = root().join("editors/vscode/test/drive.js");
    let ran = Command::new("timeout")
        .args(["60", "node"])
        .arg(script)
        .arg(binary())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ran.status.success(), "{}{}", told(&ran.stdout), told(&ran.stderr));
    assert_eq!(told(&ran.stdout).trim(), "ok");
}

#[test]
fn the_client_that_adapters_are_tested_with_drives_the_debugger() {
    let test = "the_client_that_adapters_are_tested_with_drives_the_debugger";
    let modules = root().join("target/npm/node_modules");
    if !has_node(test) {
        return;
    }
    if !modules.join("@vscode/debugadapter-testsupport").exists() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "scripts/setup.sh gets the client");
        eprintln!("skipped {test}: scripts/setup.sh gets the client");
        return;
    }
    let dir = Dir::new();
    for name in ["queue.c", "queue.ww"] {
        std::fs::copy(root().join("examples/native").join(name), dir.path().join(name)).unwrap();
    }
    let source = dir.path().join("queue.c");
    let program = dir.path().join("queue");
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-O0", "-pthread"]).arg(&source).arg("-o").arg(&program);
    assert!(compiler.status().unwrap().success());
    let mut command = Command::new("timeout");
    if std::env::var_os("WATCHWORD_RECORD").is_some() {
        let name = "crates/dap/tests/recordings/debugadapter-testsupport-1.68.0";
        command.env("RECORD", root().join(name));
    }
    let ran = command
        .args(["120", "node"])
        .arg(root().join("editors/vscode/test/dap.js"))
        .arg(binary())
        .args([&program, &source, &dir.path().join("queue.ww")])
        .env("NODE_PATH", modules)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ran.status.success(), "{}{}", told(&ran.stdout), told(&ran.stderr));
    assert_eq!(told(&ran.stdout).trim(), "ok");
}
