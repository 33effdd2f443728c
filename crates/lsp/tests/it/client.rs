//! The editor's side.

use serde_json::{Value, json};
use watchword_lsp::server::Server;
use watchword_spec::SourceFile;

/// Where the cursor is in a text of a test.
pub const CURSOR: char = '§';

/// The document most tests open.
pub const URI: &str = "file:///project/main.ww";

/// An editor with a server of its own.
pub struct Client {
    server: Server<'static>,
    next: u64,
    /// What the server told last about a document, unasked.
    pub told: Vec<(String, Value)>,
}

/// Files on the disk of these tests.
pub fn disk(importer: &str, path: &str) -> Result<SourceFile, String> {
    let folder = importer.rfind('/').map_or("", |at| &importer[..=at]);
    match path {
        "events.ww" => Ok(SourceFile::new(
            &format!("{folder}{path}"),
            "/// Somebody came.\nevent login(u)\nevent logout(u)\n",
        )),
        "broken.ww" => Ok(SourceFile::new(&format!("{folder}{path}"), "event (\n")),
        "std/reply" => Ok(SourceFile::new("std/reply", "event request(id)\nevent reply(id)\n")),
        _ => Err("there is no such file".to_string()),
    }
}

impl Client {
    pub fn new() -> Client {
        let mut client = Client { server: Server::new(&disk), next: 0, told: Vec::new() };
        client.ask("initialize", json!({"capabilities": {}}));
        client.tell("initialized", json!({}));
        client
    }

    /// A client with a document open; the cursor is taken out of the text and given as a position.
    pub fn with(text: &str) -> (Client, Value) {
        let mut client = Client::new();
        let position = client.open(URI, text);
        (client, position)
    }

    pub fn open(&mut self, uri: &str, text: &str) -> Value {
        let (text, position) = cut(text);
        let document = json!({"uri": uri, "languageId": "watchword", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
        position
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        for told in self.server.handle(&message) {
            assert_eq!(told["method"], "textDocument/publishDiagnostics");
            let uri = told["params"]["uri"].as_str().unwrap().to_string();
            self.told.retain(|(u, _)| *u != uri);
            self.told.push((uri, told["params"]["diagnostics"].clone()));
        }
    }

    /// The whole answer to a request.
    pub fn answer(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        let mut answers = self.server.handle(&message);
        assert_eq!(answers.len(), 1, "{method}");
        let answer = answers.remove(0);
        assert_eq!(answer["id"], self.next);
        answer
    }

    /// The result of a request that must succeed.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The result of a request about a place in [`URI`].
    pub fn ask_at(&mut self, method: &str, position: &Value) -> Value {
        self.ask(method, json!({"textDocument": {"uri": URI}, "position": position}))
    }

    /// The diagnostics of a document.
    pub fn diagnostics(&self, uri: &str) -> Vec<Value> {
        let found = self.told.iter().find(|(u, _)| u == uri);
        found.map(|(_, d)| d.as_array().unwrap().clone()).unwrap_or_default()
    }

    /// The codes of the diagnostics of [`URI`].
    pub fn codes(&self) -> Vec<String> {
        let code = |d: &Value| d["code"].as_str().unwrap().to_string();
        self.diagnostics(URI).iter().map(code).collect()
    }
}

/// A text without its cursor, and where that was.
pub fn cut(text: &str) -> (String, Value) {
    let Some((before, after)) = text.split_once(CURSOR) else {
        return (text.to_string(), Value::Null);
    };
    (format!("{before}{after}"), watchword_lsp::text::position(before, before.len()))
}

/// A text after edits of the protocol.
pub fn apply(text: &str, edits: &Value) -> String {
    let mut edits: Vec<(usize, usize, String)> = edits
        .as_array()
        .unwrap_or_else(|| panic!("no edits: {edits}"))
        .iter()
        .map(|e| {
            let (start, end) = watchword_lsp::text::range_in(text, &e["range"]).unwrap();
            (start, end, e["newText"].as_str().unwrap().to_string())
        })
        .collect();
    edits.sort();
    let mut changed = text.to_string();
    for (start, end, new) in edits.into_iter().rev() {
        changed.replace_range(start..end, &new);
    }
    changed
}
