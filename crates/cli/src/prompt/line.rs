//! Lines from the person, with editing, history and completion; or from a script.

use std::path::PathBuf;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Context, Editor, Helper, Highlighter, Hinter, Validator};

use watchword_session::COMMANDS;

/// Completes names of commands, functions and files.
#[derive(Default, Helper, Highlighter, Hinter, Validator)]
pub struct Names {
    /// Functions of the program.
    pub functions: Vec<String>,
}

const INFO: &[&str] = &[
    "args",
    "breakpoints",
    "checkpoints",
    "display",
    "frame",
    "functions",
    "line",
    "locals",
    "monitors",
    "registers",
    "scenario",
    "sharedlibrary",
    "threads",
];

impl Completer for Names {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let line = &line[..at];
        let start = line.rfind([' ', '*', '&', '(', ',']).map_or(0, |i| i + 1);
        let word = &line[start..];
        let first = line.split_whitespace().next().unwrap_or("");
        let pair = |name: &str| Pair { display: name.to_string(), replacement: name.to_string() };
        let all: Vec<Pair> = if start == 0 {
            let fits = COMMANDS.iter().map(|c| c.name).filter(|n| n.starts_with(word));
            fits.map(|n| Pair { display: n.to_string(), replacement: format!("{n} ") }).collect()
        } else if "info".starts_with(first) {
            INFO.iter().copied().filter(|n| n.starts_with(word)).map(pair).collect()
        } else if first.starts_with("load") || first == "source" {
            files(word).iter().map(|n| pair(n)).collect()
        } else {
            let fits = |n: &&String| n.starts_with(word);
            self.functions.iter().filter(fits).take(200).map(|n| pair(n)).collect()
        };
        Ok((start, all))
    }
}

fn files(word: &str) -> Vec<String> {
    let (folder, name) = word.rsplit_once('/').map_or(("", word), |(f, n)| (f, n));
    let path = match (folder, word.starts_with('/')) {
        ("", true) => PathBuf::from("/"),
        ("", false) => PathBuf::from("."),
        (folder, _) => PathBuf::from(folder),
    };
    let prefix = &word[..word.len() - name.len()];
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut all: Vec<String> = entries
        .flatten()
        .filter_map(|e| e.file_name().into_string().ok().map(|n| (n, e.path().is_dir())))
        .filter(|(n, _)| n.starts_with(name))
        .map(|(n, is_dir)| format!("{prefix}{n}{}", if is_dir { "/" } else { "" }))
        .collect();
    all.sort();
    all
}

/// Where lines come from.
pub enum Lines {
    /// A terminal.
    Editor(Box<Editor<Names, FileHistory>>, Option<PathBuf>),
    /// Standard input that is no terminal.
    Plain(std::io::Stdin),
}

impl Lines {
    /// A terminal if there is one.
    pub fn open() -> anyhow::Result<Lines> {
        use std::io::IsTerminal;
        if !std::io::stdin().is_terminal() {
            return Ok(Lines::Plain(std::io::stdin()));
        }
        let config = Config::builder().max_history_size(1000)?.auto_add_history(true).build();
        let mut editor: Editor<Names, FileHistory> = Editor::with_config(config)?;
        editor.set_helper(Some(Names::default()));
        let history = history_file();
        if let Some(path) = &history {
            // There is none the first time.
            let _ = editor.load_history(path);
        }
        Ok(Lines::Editor(Box::new(editor), history))
    }

    /// Names that can be completed.
    pub fn set_functions(&mut self, functions: Vec<String>) {
        if let Lines::Editor(editor, _) = self
            && let Some(helper) = editor.helper_mut()
        {
            helper.functions = functions;
        }
    }

    /// The next line; `None` at the end.
    pub fn read(&mut self) -> anyhow::Result<Option<String>> {
        match self {
            Lines::Plain(stdin) => {
                let mut line = String::new();
                Ok((stdin.read_line(&mut line)? > 0).then_some(line))
            }
            Lines::Editor(editor, _) => loop {
                match editor.readline("(watchword) ") {
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
