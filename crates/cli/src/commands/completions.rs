//! `watchword completions SHELL` and the hidden `watchword man`: both made from the flags.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Outcome;
use crate::args::{Cli, Global};

/// Print a script that completes commands and flags in a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword completions bash > ~/.local/share/bash-completion/completions/watchword\n  \
    watchword completions zsh > ~/.zfunc/_watchword\n  \
    watchword completions fish > ~/.config/fish/completions/watchword.fish\n\n\
    The output is always the script; --format does not apply.")]
pub struct Args {
    /// The shell
    #[arg(value_parser = clap::value_parser!(Shell))]
    shell: Shell,
}

/// Print the manual page of Watchword, or of one of its commands.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword man > watchword.1\n  \
    watchword man replay > watchword-replay.1")]
pub struct ManArgs {
    /// The command; without one, the page of Watchword itself
    command: Option<String>,
}

/// Runs `completions`.
pub fn run(args: &Args, _: &Global) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "watchword", &mut script);
    super::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Clean)
}

/// Runs `man`.
pub fn man(args: &ManArgs, _: &Global) -> anyhow::Result<Outcome> {
    let mut command = Cli::command();
    command.build();
    if let Some(name) = &args.command {
        let Some(found) = command.find_subcommand(name) else {
            anyhow::bail!("there is no command `{name}`");
        };
        command = found.clone();
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    super::print(&String::from_utf8_lossy(&page))?;
    Ok(Outcome::Clean)
}
