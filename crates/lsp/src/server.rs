//! Documents, and requests by name.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};

use serde_json::{Value, json};
use watchword_spec::SourceFile;

use crate::features::{
    Analysis, actions, completion, diagnostics, format, hover, places, rename, symbols,
};
use crate::rpc::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, NOT_INITIALIZED,
    REQUEST_FAILED, failure, notification, success,
};
use crate::{Resolve, text};

/// A document that is open in the editor.
struct Document {
    text: String,
    version: i64,
}

/// The server: messages in, messages out.
pub struct Server<'r> {
    resolve: Resolve<'r>,
    /// By URI.
    documents: BTreeMap<String, Document>,
    initialized: bool,
    shutting_down: bool,
    left: bool,
}

/// Why a request was not answered.
struct Failure(i64, String);

type Answer = Result<Value, Failure>;

fn bad_params(what: &str) -> Failure {
    Failure(INVALID_PARAMS, format!("the parameters lack {what}"))
}

impl<'r> Server<'r> {
    /// A server that finds imported files so.
    pub fn new(resolve: Resolve<'r>) -> Server<'r> {
        Server {
            resolve,
            documents: BTreeMap::new(),
            initialized: false,
            shutting_down: false,
            left: false,
        }
    }

    /// Whether the editor said `shutdown`.
    pub fn shutting_down(&self) -> bool {
        self.shutting_down
    }

    /// Whether the editor said `exit`.
    pub fn left(&self) -> bool {
        self.left
    }

    /// Deals with a message; what is to be sent because of it.
    pub fn handle(&mut self, message: &Value) -> Vec<Value> {
        // Batches are no part of the protocol, but cost nothing.
        if let Value::Array(batch) = message
            && !batch.is_empty()
        {
            return batch.iter().flat_map(|m| self.handle(m)).collect();
        }
        let id = message.get("id").filter(|id| id.is_string() || id.is_number());
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // An answer to something we asked would have no method either; we never ask.
            let answer = message.get("result").is_some() || message.get("error").is_some();
            return match answer {
                true => Vec::new(),
                false => vec![failure(id, INVALID_REQUEST, "a message has a method")],
            };
        };
        let params = message.get("params").unwrap_or(&Value::Null);
        // A defect of ours must not take the editor's other documents with it.
        let done = panic::catch_unwind(AssertUnwindSafe(|| match id {
            Some(id) => vec![match self.request(method, params) {
                Ok(result) => success(id, result),
                Err(Failure(code, why)) => failure(Some(id), code, &why),
            }],
            None => self.notified(method, params),
        }));
        done.unwrap_or_else(|_| match id {
            Some(id) => vec![failure(Some(id), INTERNAL_ERROR, "this is a defect in Watchword")],
            None => Vec::new(),
        })
    }

    fn request(&mut self, method: &str, params: &Value) -> Answer {
        if method == "initialize" {
            self.initialized = true;
            return Ok(capabilities());
        }
        if !self.initialized {
            return Err(Failure(NOT_INITIALIZED, "`initialize` comes first".to_string()));
        }
        if self.shutting_down {
            return Err(Failure(INVALID_REQUEST, "the server is shutting down".to_string()));
        }
        if method == "shutdown" {
            self.shutting_down = true;
            return Ok(Value::Null);
        }
        let called = |name: &str| self.called(name);
        let resolve = |importer: &str, path: &str| self.resolve(importer, path);
        match method {
            "textDocument/documentSymbol" => Ok(symbols::of(&self.analysis(params)?).into()),
            "textDocument/formatting" => Ok(format::of(&self.analysis(params)?).into()),
            "textDocument/codeAction" => {
                let analysis = self.analysis(params)?;
                let range = params.get("range").and_then(|r| text::range_in(analysis.text(), r));
                let (start, end) = range.ok_or_else(|| bad_params("a range"))?;
                Ok(actions::of(&analysis, start, end).into())
            }
            "textDocument/hover" => {
                let (analysis, offset) = self.at(params)?;
                Ok(hover::of(&analysis, offset).unwrap_or(Value::Null))
            }
            "textDocument/definition" => {
                let (analysis, offset) = self.at(params)?;
                Ok(places::definition(&analysis, offset, &resolve, &called).into())
            }
            "textDocument/references" => {
                let (analysis, offset) = self.at(params)?;
                let with = params.pointer("/context/includeDeclaration").and_then(Value::as_bool);
                Ok(places::references(&analysis, offset, with.unwrap_or(true)).into())
            }
            "textDocument/documentHighlight" => {
                let (analysis, offset) = self.at(params)?;
                Ok(places::highlights(&analysis, offset).into())
            }
            "textDocument/completion" => {
                let (analysis, offset) = self.at(params)?;
                Ok(json!({"isIncomplete": false, "items": completion::of(&analysis, offset)}))
            }
            "textDocument/prepareRename" => {
                let (analysis, offset) = self.at(params)?;
                Ok(rename::prepare(&analysis, offset).unwrap_or(Value::Null))
            }
            "textDocument/rename" => {
                let (analysis, offset) = self.at(params)?;
                let new = params.get("newName").and_then(Value::as_str);
                let new = new.ok_or_else(|| bad_params("the new name"))?;
                rename::of(&analysis, offset, new, &resolve)
                    .map_err(|why| Failure(REQUEST_FAILED, why))
            }
            _ => Err(Failure(METHOD_NOT_FOUND, format!("there is no method `{method}`"))),
        }
    }

    fn notified(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        match (method, uri) {
            ("exit", _) => {
                self.left = true;
                Vec::new()
            }
            ("textDocument/didOpen", Some(uri)) => {
                let Some(text) = params.pointer("/textDocument/text").and_then(Value::as_str)
                else {
                    return Vec::new();
                };
                let document = Document { text: text.to_string(), version: version(params) };
                self.documents.insert(uri.to_string(), document);
                self.publish()
            }
            ("textDocument/didChange", Some(uri)) => {
                let Some(document) = self.documents.get_mut(uri) else { return Vec::new() };
                document.version = version(params);
                let changes = params.get("contentChanges").and_then(Value::as_array);
                for change in changes.into_iter().flatten() {
                    apply(&mut document.text, change);
                }
                self.publish()
            }
            ("textDocument/didClose", Some(uri)) => {
                self.documents.remove(uri);
                let nothing: [Value; 0] = [];
                let gone = json!({"uri": uri, "diagnostics": nothing});
                let mut told = vec![notification("textDocument/publishDiagnostics", gone)];
                told.extend(self.publish());
                told
            }
            // What was saved may be imported by another document.
            ("textDocument/didSave" | "workspace/didChangeWatchedFiles", _) => self.publish(),
            _ => Vec::new(),
        }
    }

    /// The diagnostics of every open document: one may import another.
    fn publish(&self) -> Vec<Value> {
        self.documents
            .iter()
            .map(|(uri, document)| {
                let found = diagnostics::of(&self.analyse(uri, document));
                notification(
                    "textDocument/publishDiagnostics",
                    json!({"uri": uri, "version": document.version, "diagnostics": found}),
                )
            })
            .collect()
    }

    fn analyse(&self, uri: &str, document: &Document) -> Analysis {
        let file = SourceFile::new(&text::path_of_uri(uri), &document.text);
        Analysis::of(file, &|from, path| self.resolve(from, path), &|name| self.called(name))
    }

    fn analysis(&self, params: &Value) -> Result<Analysis, Failure> {
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let uri = uri.ok_or_else(|| bad_params("a document"))?;
        match self.documents.get(uri) {
            Some(document) => Ok(self.analyse(uri, document)),
            None => Err(Failure(INVALID_PARAMS, format!("`{uri}` is not open"))),
        }
    }

    fn at(&self, params: &Value) -> Result<(Analysis, usize), Failure> {
        let analysis = self.analysis(params)?;
        let position = params.get("position");
        let offset = position.and_then(|p| text::offset_in(analysis.text(), p));
        let offset = offset.ok_or_else(|| bad_params("a position"))?;
        Ok((analysis, offset))
    }

    /// An imported file: as it is in the editor, if it is open.
    fn resolve(&self, importer: &str, path: &str) -> Result<SourceFile, String> {
        let found = (self.resolve)(importer, path);
        let folder = importer.rfind('/').map_or("", |at| &importer[..=at]);
        let name = found.as_ref().map_or_else(|_| format!("{folder}{path}"), |f| f.name.clone());
        let open = |uri: &str| same_path(&text::path_of_uri(uri), &name);
        match self.documents.iter().find(|(uri, _)| open(uri)) {
            Some((uri, document)) => Ok(SourceFile::new(&text::path_of_uri(uri), &document.text)),
            None => found,
        }
    }

    /// What the editor calls a file: as it did when it opened it.
    fn called(&self, name: &str) -> String {
        let known = self.documents.keys().find(|uri| text::path_of_uri(uri) == name);
        known.cloned().unwrap_or_else(|| match name.starts_with('/') {
            true => text::uri_of_path(name),
            false => name.to_string(),
        })
    }
}

/// Whether two paths are the same but for `.` and `..` in them.
fn same_path(a: &str, b: &str) -> bool {
    fn plain(path: &str) -> Vec<&str> {
        let mut parts = Vec::new();
        for part in path.split('/') {
            match part {
                "." | "" => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        parts
    }
    plain(a) == plain(b)
}

fn version(params: &Value) -> i64 {
    params.pointer("/textDocument/version").and_then(Value::as_i64).unwrap_or(0)
}

/// A change of a part, or of everything.
fn apply(text: &mut String, change: &Value) {
    let Some(new) = change.get("text").and_then(Value::as_str) else { return };
    match change.get("range").filter(|r| !r.is_null()) {
        None => *text = new.to_string(),
        Some(range) => {
            if let Some((start, end)) = text::range_in(text, range) {
                text.replace_range(start..end, new);
            }
        }
    }
}

fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": true, "change": 2, "save": true},
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "documentFormattingProvider": true,
            "renameProvider": {"prepareProvider": true},
            "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            "completionProvider": {"triggerCharacters": ["(", ">", "{", ":", " "]},
        },
        "serverInfo": {"name": "watchword", "version": env!("CARGO_PKG_VERSION")},
    })
}
