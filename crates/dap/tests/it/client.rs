//! An editor that speaks the protocol.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use watchword_dap::protocol::frame::{Decoder, Frame, encode};

pub struct Editor {
    stream: TcpStream,
    decoder: Decoder,
    events: VecDeque<Value>,
    sent: i64,
    received: i64,
    /// What the program and the console said.
    pub output: String,
}

impl Editor {
    pub fn connect(port: u16) -> Editor {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Editor {
            stream,
            decoder: Decoder::default(),
            events: VecDeque::new(),
            sent: 0,
            received: 0,
            output: String::new(),
        }
    }

    /// Sends bytes as they are; a server that has ended is no mistake here.
    pub fn send_raw(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// The next message; `None` when the connection is gone.
    pub fn receive(&mut self) -> Option<Value> {
        loop {
            if let Some(frame) = self.decoder.next_frame() {
                let Frame::Message(text) = frame else { panic!("{frame:?}") };
                let message: Value = serde_json::from_slice(&text).unwrap();
                assert_eq!(message["seq"], self.received + 1, "messages are numbered");
                self.received += 1;
                if message["event"] == "output" {
                    let text = message["body"]["output"].as_str().unwrap();
                    self.output.push_str(text);
                }
                return Some(message);
            }
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) | Err(_) => return None,
                Ok(read) => self.decoder.push(&bytes[..read]),
            }
        }
    }

    pub fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.sent += 1;
        let message = json!({
            "seq": self.sent, "type": "request", "command": command, "arguments": arguments,
        });
        assert!(self.send_raw(&encode(&message.to_string())), "{command}: nobody listens");
        self.sent
    }

    /// The response to a request, whether it was served or not.
    pub fn try_ask(&mut self, command: &str, arguments: Value) -> Value {
        let number = self.send(command, arguments.clone());
        loop {
            let nothing = || panic!("{command} {arguments}: no answer");
            let message = self.receive().unwrap_or_else(nothing);
            if message["type"] == "event" {
                self.events.push_back(message);
            } else {
                assert_eq!(message["request_seq"], number, "{message}");
                assert_eq!(message["command"], command);
                return message;
            }
        }
    }

    /// The body of the response to a request that is served.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.try_ask(command, arguments.clone());
        assert_eq!(response["success"], true, "{command} {arguments}: {response}");
        response["body"].clone()
    }

    /// Why a request is refused.
    pub fn refused(&mut self, command: &str, arguments: Value) -> String {
        let response = self.try_ask(command, arguments.clone());
        assert_eq!(response["success"], false, "{command} {arguments}: {response}");
        response["message"].as_str().unwrap().to_string()
    }

    /// Waits for an event; those before it are forgotten.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            let event = match self.events.pop_front() {
                Some(event) => event,
                None => self.receive().unwrap_or_else(|| panic!("no {name}: {}", self.output)),
            };
            if event["event"] == name {
                return event["body"].clone();
            }
        }
    }

    /// Waits for a stop.
    pub fn stopped(&mut self, reason: &str) -> Value {
        let body = self.event("stopped");
        assert_eq!(body["reason"], reason, "{body}\n{}", self.output);
        body
    }

    /// Greets the server and starts a program; its number.
    pub fn launch(&mut self, arguments: Value) -> i64 {
        self.ask("initialize", json!({"adapterID": "watchword", "linesStartAt1": true}));
        self.ask("launch", arguments);
        let process = self.event("process");
        self.event("initialized");
        process["systemProcessId"].as_i64().unwrap()
    }

    /// Lets the program go on, and waits for a stop.
    pub fn go(&mut self, command: &str, thread: i64, reason: &str) -> Value {
        self.ask(command, json!({"threadId": thread}));
        self.stopped(reason)
    }

    /// The frames of a thread.
    pub fn frames(&mut self, thread: i64) -> Vec<Value> {
        let body = self.ask("stackTrace", json!({"threadId": thread}));
        body["stackFrames"].as_array().unwrap().clone()
    }

    /// The number of the innermost frame.
    pub fn top(&mut self, thread: i64) -> i64 {
        self.frames(thread)[0]["id"].as_i64().unwrap()
    }

    /// The scopes of a frame, by name.
    pub fn scope(&mut self, frame: i64, name: &str) -> i64 {
        let body = self.ask("scopes", json!({"frameId": frame}));
        let all = body["scopes"].as_array().unwrap();
        let found = all.iter().find(|s| s["name"].as_str().unwrap().starts_with(name));
        let found = found.unwrap_or_else(|| panic!("no scope {name}: {body}"));
        found["variablesReference"].as_i64().unwrap()
    }

    /// What something consists of.
    pub fn variables(&mut self, reference: i64) -> Vec<Value> {
        let body = self.ask("variables", json!({"variablesReference": reference}));
        body["variables"].as_array().unwrap().clone()
    }

    /// The value of an expression in a frame.
    pub fn value(&mut self, frame: i64, expression: &str) -> String {
        let body = self.ask("evaluate", json!({"expression": expression, "frameId": frame}));
        body["result"].as_str().unwrap().to_string()
    }

    /// What a command of the prompt says.
    pub fn command(&mut self, line: &str) -> String {
        let body = self.ask("evaluate", json!({"expression": line, "context": "repl"}));
        body["result"].as_str().unwrap().to_string()
    }
}

/// The entry with this name.
pub fn named<'a>(all: &'a [Value], name: &str) -> &'a Value {
    let found = all.iter().find(|v| v["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {all:?}"))
}
