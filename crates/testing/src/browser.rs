//! A headless Chromium, driven through its pipe of developer messages.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a page has to become what is waited for; machines may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// The name of an installed browser; without one the test is skipped, by name, but not in CI.
pub fn browser(test: &str) -> Option<&'static str> {
    let works = |name: &&str| {
        let mut command = Command::new(name);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|n| works(n));
    if found.is_none() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs chromium");
        eprintln!("skipped {test}: there is no chromium");
    }
    found
}

/// A browser; it ends when this is dropped.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    next: i64,
    /// Errors and warnings of all pages.
    pub complaints: Vec<String>,
    /// Addresses that were requested by all pages.
    pub requested: Vec<String>,
}

/// A tab of a browser.
#[derive(Clone, Debug)]
pub struct Page {
    session: String,
}

impl Browser {
    /// Starts a browser that keeps its files in this folder.
    pub fn start(name: &str, folder: &Path) -> Browser {
        let profile = format!("--user-data-dir={}", folder.join("profile").display());
        // The browser talks on descriptors 3 and 4.
        let script = "exec \"$@\" 3<&0 4>&1 >/dev/null 2>&1 </dev/null";
        let mut child = Command::new("sh")
            .args(["-c", script, "sh", "timeout", "-k", "5", "300", name])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
            .args(["--remote-debugging-pipe", "--no-first-run", "--disable-background-networking"])
            .arg(profile)
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh is needed");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (input, output) = (input.expect("it is piped"), output.expect("it is piped"));
        let messages = receive(output);
        let (complaints, requested) = (Vec::new(), Vec::new());
        Browser { child, input, messages, next: 0, complaints, requested }
    }

    fn send(&mut self, session: Option<&str>, method: &str, params: Value) -> i64 {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        self.next
    }

    /// Sends a command and waits for its result.
    fn ask(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        let id = self.send(session, method, params);
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|e| panic!("{method}: no answer ({e})"));
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            self.notice(&message);
        }
    }

    fn notice(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" => {
                self.complaints.push(params.to_string());
            }
            "Log.entryAdded" if params["entry"]["level"] != "verbose" => {
                self.complaints.push(params["entry"].to_string());
            }
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                self.requested.push(url.to_string());
            }
            _ => {}
        }
    }

    /// Opens an address in a tab of this size.
    pub fn open(&mut self, address: &str, width: u32, height: u32) -> Page {
        let target = self.ask(None, "Target.createTarget", json!({"url": "about:blank"}));
        let params = json!({"targetId": target["targetId"], "flatten": true});
        let attached = self.ask(None, "Target.attachToTarget", params);
        let session = attached["sessionId"].as_str().expect("a session").to_string();
        let page = Page { session };
        for domain in ["Runtime", "Log", "Network", "Page"] {
            self.tell(&page, &format!("{domain}.enable"), json!({}));
        }
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.tell(&page, "Emulation.setDeviceMetricsOverride", size);
        self.tell(&page, "Page.navigate", json!({"url": address}));
        self.wait(&page, "document.readyState === 'complete' && location.href !== 'about:blank'");
        page
    }

    /// Sends a command about a page; its result.
    pub fn tell(&mut self, page: &Page, method: &str, params: Value) -> Value {
        self.ask(Some(&page.session), method, params)
    }

    /// The value of an expression in a page.
    pub fn value(&mut self, page: &Page, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.tell(page, "Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression holds in a page.
    pub fn wait(&mut self, page: &Page, expression: &str) {
        let begun = Instant::now();
        while self.value(page, expression) != true {
            if begun.elapsed() > PATIENCE {
                let text = self.value(page, "document.body.innerText");
                panic!("`{expression}` does not come true: {text}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a page shows a text.
    pub fn wait_for(&mut self, page: &Page, text: &str) {
        self.wait(page, &format!("document.body.innerText.includes({})", json!(text)));
    }

    /// Presses a key.
    pub fn press(&mut self, page: &Page, key: &str) {
        let code = match key {
            "Enter" => 13,
            "ArrowDown" => 40,
            "ArrowUp" => 38,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "Escape" => 27,
            "Tab" => 9,
            "F1" => 112,
            "F5" => 116,
            _ => 0,
        };
        let mut params = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code});
        if code != 0 {
            // Editors bind keys by their place.
            params["code"] = key.into();
        }
        if code == 0 || code == 13 {
            params["text"] = if code == 13 { "\r".into() } else { key.into() };
        }
        self.tell(page, "Input.dispatchKeyEvent", params.clone());
        params["type"] = "keyUp".into();
        self.tell(page, "Input.dispatchKeyEvent", params);
    }

    /// Makes pages dark or light; what moves by itself stands still from then on.
    pub fn set_scheme(&mut self, page: &Page, scheme: &str) {
        let features = json!([
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        self.tell(page, "Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// A picture of what a page shows, as a PNG file has it.
    pub fn screenshot(&mut self, page: &Page) -> Vec<u8> {
        let result = self.tell(page, "Page.captureScreenshot", json!({"format": "png"}));
        from_base64(result["data"].as_str().expect("a picture"))
    }

    /// Fails if a page complained, or asked for anything but what begins with this.
    pub fn check(&mut self, allowed: &str) {
        assert!(self.complaints.is_empty(), "{:?}", self.complaints);
        let is_foreign = |url: &&String| !url.starts_with(allowed) && !url.starts_with("data:");
        let foreign: Vec<&String> = self.requested.iter().filter(is_foreign).collect();
        assert!(foreign.is_empty(), "requests elsewhere: {foreign:?}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.send(None, "Browser.close", json!({}));
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(10) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Messages end with a zero byte.
fn receive(output: ChildStdout) -> Receiver<Value> {
    let (sender, messages) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut bytes = Vec::new();
        while reader.read_until(0, &mut bytes).is_ok_and(|n| n > 0) {
            bytes.pop();
            let Ok(message) = serde_json::from_slice(&bytes) else { return };
            if sender.send(message).is_err() {
                return;
            }
            bytes.clear();
        }
    });
    messages
}

/// The bytes that a text in base 64 stands for.
fn from_base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let (mut bytes, mut bits, mut have) = (Vec::new(), 0u32, 0);
    for byte in text.bytes().filter(|byte| *byte != b'=' && !byte.is_ascii_whitespace()) {
        bits = bits << 6 | u32::from(digit(byte));
        have += 6;
        if have >= 8 {
            have -= 8;
            bytes.push((bits >> have & 0xff) as u8);
        }
    }
    bytes
}

#[test]
fn base_64_is_read() {
    assert_eq!(from_base64("aGVsbG8gd29ybGQ/Pz4+"), b"hello world??>>");
    assert_eq!(from_base64("AP/+"), [0, 0xff, 0xfe]);
    assert_eq!(from_base64("YQ=="), b"a");
}
