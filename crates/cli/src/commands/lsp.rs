//! `watchword lsp`.

use std::io;

use anyhow::Context;

use crate::args::Global;
use crate::{Outcome, properties};

/// Run a language server (Language Server Protocol) over standard input and output.
///
/// For .ww files: diagnostics with fixes, hover, definitions, references, completion, renaming,
/// formatting and an outline. For .topl, .lrv, .prop and .scn files: diagnostics.
#[derive(Debug, clap::Args)]
#[command(after_help = "Editors start it themselves; see editors/README.md.\n\nExamples:\n  \
    nvim: vim.lsp.start({ name = 'watchword', cmd = { 'watchword', 'lsp' } })\n  \
    helix: command = \"watchword\", args = [\"lsp\"]")]
pub struct Args {
    /// Accepted because editors pass it; standard streams are always used
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Runs the command.
pub fn run(_: &Args, _: &Global) -> anyhow::Result<Outcome> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let orderly = watchword_lsp::serve(&mut input, &mut output, &properties::import)
        .context("cannot communicate with the editor")?;
    // The protocol asks for status 1 if the editor left without a goodbye.
    Ok(if orderly { Outcome::Clean } else { Outcome::Found })
}
