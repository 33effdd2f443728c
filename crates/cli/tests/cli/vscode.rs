//! The extension in Visual Studio Code itself: the server that code-server comes with, and a headless
//! Chromium that clicks and types. With `WATCHWORD_RECORD=1` the messages of the editor are written to the
//! recordings that `crates/dap` replays.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use watchword_testing::{Browser, Page, browser, guarded, look};

use crate::editors::has_node;
use crate::support::{Dir, binary, root};

/// The editor's server, if `scripts/setup.sh` got it; in CI it must be there.
fn server(test: &str) -> Option<PathBuf> {
    let folder = root().join("target/code-server");
    let is_there = folder.join("complete").exists();
    if !is_there {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "scripts/setup.sh gets code-server");
        eprintln!("skipped {test}: scripts/setup.sh gets code-server");
    }
    is_there.then(|| folder.join("lib/vscode/out/server-main.js"))
}

/// The editor, with its files in one folder.
struct Editor {
    child: Child,
    port: u16,
}

impl Editor {
    fn command(server: &Path, dir: &Dir) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "240", "node"]).arg(server);
        command.args(["--accept-server-license-terms", "--server-data-dir"]);
        command.arg(dir.path().join("server")).env("HOME", dir.path());
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Installs the extension, and serves the editor.
    fn start(server: &Path, dir: &Dir) -> Editor {
        let made = Command::new(root().join("scripts/vsix.sh")).arg(dir.path()).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let vsix = dir.path().join(format!("watchword-{}.vsix", env!("CARGO_PKG_VERSION")));
        let installed =
            Editor::command(server, dir).arg("--install-extension").arg(vsix).output().unwrap();
        let told = String::from_utf8_lossy(&installed.stdout);
        assert!(told.contains("was successfully installed"), "{told}");

        let mut child = Editor::command(server, dir)
            .args(["--host", "127.0.0.1", "--port", "0", "--without-connection-token"])
            .args(["--telemetry-level", "off"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port =
            lines.find_map(|l| l.strip_prefix("Extension host agent listening on ")?.parse().ok());
        // What it says later goes nowhere, but has to go.
        std::thread::spawn(move || lines.count());
        Editor { child, port: port.expect("the editor listens") }
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // `timeout` passes it on to the group: the editor's server has children.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

/// What a person sees and clicks.
struct Window {
    browser: Browser,
    page: Page,
}

impl Window {
    fn open(name: &str, dir: &Dir, port: u16) -> Window {
        let mut browser = Browser::start(name, dir.path());
        let folder = dir.path().join("project");
        let address = format!("http://127.0.0.1:{port}/?folder={}", folder.display());
        let page = browser.open(&address, 1400, 900);
        let mut window = Window { browser, page };
        window.wait_for("queue.ww");
        window
    }

    fn wait(&mut self, expression: &str) {
        self.browser.wait(&self.page, expression);
    }

    /// Waits until something on the page has this text.
    fn wait_for(&mut self, text: &str) {
        // The editor draws spaces that do not break.
        let (found, text) = ("document.body.innerText.replaceAll('\u{a0}', ' ')", json!(text));
        self.wait(&format!("{found}.includes({text})"));
    }

    /// Waits until a part of the side bar shows a text.
    fn wait_for_pane(&mut self, pane: &str, text: &str) {
        let (pane, text) = (json!(pane), json!(text));
        self.wait(&format!(
            "[...document.querySelectorAll('.pane')].some(p => \
             p.innerText.toUpperCase().startsWith({pane}) && p.innerText.includes({text}))"
        ));
    }

    /// Clicks at what has these words, among those that the selector finds.
    fn click(&mut self, selector: &str, words: &str) {
        let (selector, words) = (json!(selector), json!(words));
        let found = format!(
            "[...document.querySelectorAll({selector})].find(e => \
             (e.innerText + (e.ariaLabel || '')).toLowerCase().includes({words}.toLowerCase()))"
        );
        self.wait(&format!("!!({found})"));
        self.browser.value(&self.page, &format!("({found}).click()"));
    }

    fn press(&mut self, key: &str) {
        self.browser.press(&self.page, key);
    }

    fn insert(&mut self, text: &str) {
        self.browser.tell(&self.page, "Input.insertText", json!({"text": text}));
    }

    /// Picks a command by its name.
    fn command(&mut self, name: &str) {
        self.press("F1");
        self.wait("!!document.querySelector('.quick-input-widget input:focus')");
        self.insert(name);
        self.click(".quick-input-list .monaco-list-row", name);
    }

    /// Answers a question.
    fn answer(&mut self, text: &str) {
        self.wait("!!document.querySelector('.quick-input-widget input:focus')");
        self.insert(text);
        self.press("Enter");
    }

    /// Unfolds a row of the variables. Rows are drawn anew while values arrive: a click may be lost.
    fn unfold(&mut self, words: &str) {
        let words = json!(words);
        self.wait(&format!(
            "(() => {{ \
               const row = [...document.querySelectorAll('.debug-pane .monaco-list-row')] \
                 .find(r => r.innerText.includes({words})); \
               if (!row || row.ariaExpanded === 'true') return !!row; \
               if (Date.now() - (window.clicked || 0) > 2000) {{ \
                 window.clicked = Date.now(); row.click(); \
               }} \
               return false; \
             }})()"
        ));
    }

    /// Ends debugging.
    fn stop(&mut self) {
        self.click(".debug-toolbar .action-label", "Stop");
        self.wait("getComputedStyle(document.querySelector('.debug-toolbar')).display === 'none'");
        self.wait("!document.body.innerText.includes('Exception has occurred')");
    }

    /// Types into the debug console.
    fn console(&mut self, line: &str) {
        let input = "document.querySelector('.repl-input-wrapper textarea')";
        self.wait(&format!("{input} && ({input}.focus(), document.activeElement === {input})"));
        self.insert(line);
        self.press("Enter");
    }
}

/// A folder with a program, a property and a configuration, and settings that name our binary.
fn project(dir: &Dir) {
    let examples = root().join("examples/native");
    let folder = dir.path().join("project");
    std::fs::create_dir_all(folder.join(".vscode")).unwrap();
    for name in ["queue.c", "queue.ww"] {
        std::fs::copy(examples.join(name), folder.join(name)).unwrap();
    }
    let mut compiler = Command::new("cc");
    compiler.args(["-g", "-O0", "-pthread", "queue.c", "-o", "queue"]).current_dir(&folder);
    assert!(compiler.status().unwrap().success());
    let launch = json!({"version": "0.2.0", "configurations": [{
        "type": "watchword", "request": "launch", "name": "queue with its property",
        "program": "${workspaceFolder}/queue", "args": ["5", "20", "3"],
        "properties": ["${workspaceFolder}/queue.ww"], "stopOnEntry": true,
    }]});
    dir.write("project/.vscode/launch.json", launch.to_string());
    let user = dir.path().join("server/data/User");
    std::fs::create_dir_all(&user).unwrap();
    let settings = json!({
        "watchword.path": recorded(dir, &folder), "security.workspace.trust.enabled": false,
        "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off",
    });
    dir.write("server/data/User/settings.json", settings.to_string());
}

/// The binary, or a script that writes down what it is asked and answers.
fn recorded(dir: &Dir, folder: &Path) -> PathBuf {
    if std::env::var_os("WATCHWORD_RECORD").is_none() {
        return binary().into();
    }
    let out = root().join("crates/dap/tests/recordings/code-server-4.96.4.txt");
    std::fs::create_dir_all(out.parent().unwrap()).unwrap();
    let version = Command::new("node").arg("--version").output().unwrap();
    let version = String::from_utf8_lossy(&version.stdout).trim().to_string();
    let head = format!(
        "# Visual Studio Code 1.96.4 (code-server 4.96.4, node {version}) at queue.c with queue.ww\n"
    );
    std::fs::write(&out, head).unwrap();
    let recorder = root().join("editors/vscode/test/record.js");
    let (binary, out) = (Path::new(binary()).display(), out.display());
    let (recorder, folder) = (recorder.display(), folder.display());
    // Only the first session.
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = debug ] && mkdir {folder}/.recorded 2>/dev/null || exec {binary} \"$@\"\n\
         exec node {recorder} {out} {folder} {binary} \"$@\"\n"
    );
    dir.write("recorded", script);
    let path = dir.path().join("recorded");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

/// The editor sometimes goes on showing a stop that is over, for good. Then it is started anew.
fn up_to_three_times(body: impl Fn()) {
    for _ in 0..2 {
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(&body)).is_ok() {
            return;
        }
    }
    body();
}

#[test]
fn visual_studio_code_debugs_with_a_property() {
    let test = "visual_studio_code_debugs_with_a_property";
    if !has_node(test) {
        return;
    }
    let (Some(name), Some(server)) = (browser(test), server(test)) else { return };
    guarded(300, || {
        up_to_three_times(|| {
            let dir = Dir::new();
            project(&dir);
            let editor = Editor::start(&server, &dir);
            let mut window = Window::open(name, &dir, editor.port);

            // Debug the configuration of the folder.
            window.command("View: Show Run and Debug");
            window.wait_for("queue with its property");
            window.click(".start-debug-action-item .codicon", "");
            window.wait_for_pane("CALL STACK", "main");
            window.wait_for_pane("BREAKPOINTS", "Violations of properties");
            window.wait_for_pane("VARIABLES", "argc");
            window.click(".pane-header", "monitors");
            window.wait_for_pane("MONITORS", "(nothing bound)");

            // Program and monitors are saved, and the property is violated.
            window.console("checkpoint before");
            window.wait_for("Checkpoint 1 at main");
            window.press("F5");
            window.wait_for("Exception has occurred: NoOverflow");
            window.wait_for("into a full queue of 4");
            window.wait_for_pane("CALL STACK", "queue_push");
            window.wait_for_pane("CALL STACK", "produce");
            window.wait_for_pane("MONITORS", "2 instances");
            window.wait_for_pane("MONITORS", "Overflow");
            window.unfold("Instance of NoOverflow");
            window.wait_for_pane("VARIABLES", "held");
            let picture = window.browser.screenshot(&window.page);
            look::documented("editor.png", &picture);

            // Back to the checkpoint, and to the violation once more.
            window.click(".debug-toolbar .action-label", "Reverse");
            window.wait_for_pane("CALL STACK", "main");
            window.wait_for_pane("MONITORS", "1 instance");
            window.wait("!document.body.innerText.includes('Exception has occurred')");
            window.press("F5");
            window.wait_for("Exception has occurred: NoOverflow");
            window.stop();

            // Without a configuration: the command above a property file.
            window.command("Go to File");
            window.wait("!!document.querySelector('.quick-input-widget input:focus')");
            window.insert("queue.ww");
            window.click(".quick-input-list .monaco-list-row", "queue.ww");
            window.wait_for("property NoOverflow");
            window.command("Watchword: Debug with this property");
            window.answer("./queue 5 20 3");
            window.wait_for("Exception has occurred: NoOverflow");
            window.stop();
        })
    });
}
