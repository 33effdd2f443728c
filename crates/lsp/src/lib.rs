//! A language server for property files: what `watchword lsp` runs.
//!
//! [`serve`] speaks the Language Server Protocol over a pair of streams until the editor
//! disconnects.
//!
//! | files | features |
//! |---|---|
//! | `.ww` | diagnostics with fixes, hover, definitions, references, completion, renaming, formatting, symbols |
//! | other languages, scenarios | diagnostics |
//!
//! Except for `exit`, no message ends the server: a message that cannot be read is answered with an
//! error, and a message whose handler fails is answered with an internal error.
//!
//! | module | contents |
//! |---|---|
//! | [`rpc`] | messages on a stream |
//! | [`server`] | open documents, and the dispatch of requests by name |
//! | [`text`] | positions as editors count them |
//! | [`index`] | the meaning of every name in a set of files |
//! | [`features`] | one file per kind of request |
//!
//! The crate reads no files: the caller passes a function that finds imported files ([`Resolve`]).
//!
//! # Example
//!
//! An editor opens a file with a misspelt state; the server sends a diagnostic:
//!
//! ```
//! use serde_json::json;
//! use watchword_lsp::server::Server;
//!
//! let no_imports = |_: &str, _: &str| Err("there is no such file".to_string());
//! let mut server = Server::new(&no_imports);
//! server.handle(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}));
//! let text = "event e(x)\nproperty P(x) { start state A { on e(x) -> Bda } bad state Bad }\n";
//! let document =
//!     json!({"uri": "file:///p.ww", "languageId": "watchword", "version": 1, "text": text});
//! let sent = server.handle(&json!({
//!     "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document},
//! }));
//! assert_eq!(sent[0]["method"], "textDocument/publishDiagnostics");
//! assert_eq!(sent[0]["params"]["diagnostics"][0]["code"], "WW0204");
//! ```

pub mod features;
pub mod index;
pub mod rpc;
pub mod server;
pub mod text;

use std::io::{self, BufRead, Write};

use watchword_spec::SourceFile;

/// Finds an imported file, given the name of the importing one and the path as written.
pub type Resolve<'a> = &'a dyn Fn(&str, &str) -> Result<SourceFile, String>;

/// Serves until the editor says `exit` or closes the stream; whether it said `shutdown` before.
pub fn serve(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    resolve: Resolve<'_>,
) -> io::Result<bool> {
    let mut server = server::Server::new(resolve);
    loop {
        let answers = match rpc::read(input)? {
            rpc::Incoming::End => return Ok(server.shutting_down()),
            rpc::Incoming::Garbage(why) => vec![rpc::failure(None, rpc::PARSE_ERROR, &why)],
            rpc::Incoming::Message(message) => server.handle(&message),
        };
        for answer in answers {
            rpc::write(output, &answer)?;
        }
        if server.left() {
            return Ok(server.shutting_down());
        }
    }
}
