//! Lines from the person, with editing, history and completion; or from a script.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Context, Editor, Helper, Highlighter, Hinter, Validator};

use watchword_session::CandidateKind;

use crate::live::Asked;

/// A session that is busy, because a page lets the program run, offers nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// Asks the session what may follow.
#[derive(Helper, Highlighter, Hinter, Validator)]
pub struct Names {
    session: Sender<Asked>,
}

impl Completer for Names {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (sender, answer) = channel();
        let is_there = self.session.send(Asked::Complete(line[..at].to_string(), sender)).is_ok();
        let answer = if is_there { answer.recv_timeout(PATIENCE).ok() } else { None };
        let Some((start, found)) = answer else { return Ok((at, Vec::new())) };
        let pair = |display: String, kind| {
            let space = if kind == CandidateKind::Command { " " } else { "" };
            Pair { replacement: format!("{display}{space}"), display }
        };
        Ok((start, found.into_iter().map(|c| pair(c.text, c.kind)).collect()))
    }
}

/// The mark before a line.
pub const READY: &str = "(watchword) ";
/// The mark before a line of a body.
pub const BODY: &str = "> ";

/// Where lines come from.
pub enum Lines {
    /// A terminal.
    Editor(Box<Editor<Names, FileHistory>>, Option<PathBuf>),
    /// Standard input that is no terminal.
    Plain(std::io::Stdin),
}

impl Lines {
    /// A terminal if there is one; the session is asked what words may become.
    pub fn open(session: Sender<Asked>) -> anyhow::Result<Lines> {
        use std::io::IsTerminal;
        if !std::io::stdin().is_terminal() {
            return Ok(Lines::Plain(std::io::stdin()));
        }
        let config = Config::builder().max_history_size(1000)?.auto_add_history(true).build();
        let mut editor: Editor<Names, FileHistory> = Editor::with_config(config)?;
        editor.set_helper(Some(Names { session }));
        let history = history_file();
        if let Some(path) = &history {
            // There is none the first time.
            let _ = editor.load_history(path);
        }
        Ok(Lines::Editor(Box::new(editor), history))
    }

    /// The next line, behind this mark; `None` at the end.
    pub fn read(&mut self, mark: &str) -> anyhow::Result<Option<String>> {
        match self {
            Lines::Plain(stdin) => {
                let mut line = String::new();
                Ok((stdin.read_line(&mut line)? > 0).then_some(line))
            }
            Lines::Editor(editor, _) => loop {
                match editor.readline(mark) {
                    Ok(line) => return Ok(Some(line)),
                    Err(ReadlineError::Interrupted) => {}
                    Err(ReadlineError::Eof) => return Ok(None),
                    Err(e) => return Err(e.into()),
                }
            },
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if let Lines::Editor(editor, Some(path)) = self {
            if let Some(folder) = path.parent() {
                let _ = std::fs::create_dir_all(folder);
            }
            // History that cannot be kept is no reason to complain at the end.
            let _ = editor.save_history(path);
        }
    }
}

/// Where the history of commands is kept.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state =
        state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")));
    Some(state?.join("watchword").join("history"))
}
