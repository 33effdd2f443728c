//! A language server for property files: what `watchword lsp` runs.
//!
//! [`serve`] speaks the Language Server Protocol over a pair of streams until the editor leaves.
//! For `.ww` files it has diagnostics with fixes, hover, definitions, references, completion,
//! renaming, formatting and symbols; for the other languages, and for scenarios, diagnostics.
//!
//! Whatever an editor sends, the server goes on: a message that cannot be read is answered with an
//! error, one that makes us fail with an internal error.
//!
//! | module | has |
//! |---|---|
//! | [`rpc`] | messages on a stream |
//! | [`server`] | documents, requests by name |
//! | [`text`] | positions as editors count them |
//! | [`index`] | what every name in some files stands for |
//! | [`features`] | one file per thing an editor asks for |
//!
//! The crate reads no files: imports are asked for.

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
