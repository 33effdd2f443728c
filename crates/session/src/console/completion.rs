//! What may follow in a line: commands, topics, files, functions, variables, members.

use std::path::PathBuf;

use watchword_debug::ThreadId;
use watchword_native::Session;

use super::{COMMANDS, Console, info};

/// More are not offered.
const MOST: usize = 200;

/// A word that may follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The whole word.
    pub text: String,
    /// What it is.
    pub kind: CandidateKind,
}

/// What a word that may follow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// A command, or a topic of one.
    Command,
    /// A file or a folder.
    File,
    /// A function of the program.
    Function,
    /// A variable of the program.
    Variable,
    /// A member of a structure.
    Member,
}

impl Console {
    /// The words that the end of a line may become, and where the last word begins. Names are those
    /// of the frame, or of the selected one.
    pub fn complete(
        &mut self,
        session: &mut Session,
        line: &str,
        frame: Option<(ThreadId, usize)>,
    ) -> (usize, Vec<Candidate>) {
        let is_file = first_word(line).is_some_and(|w| w.starts_with("load-") || w == "source");
        let is_inside =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '-') || is_file && c != ' ';
        let start = word_start(line, is_inside);
        // The minus of an arrow, or of a difference, belongs to no name.
        let start = match line[start..].rfind('-') {
            Some(at) if start > 0 && !is_file => start + at + 1,
            _ => start,
        };
        let word = &line[start..];
        let frame = frame.or_else(|| Some((session.thread().ok()?, session.frame())));
        let mut all = Vec::new();
        let mut add = |text: String, kind| all.push(Candidate { text, kind });
        if let Some(object) = object_before(&line[..start]) {
            for name in members(session, frame, object) {
                add(name, CandidateKind::Member);
            }
        } else if is_file && start > 0 {
            files(word).into_iter().for_each(|name| add(name, CandidateKind::File));
        } else if first_word(line).is_some_and(|w| "info".starts_with(w)) && start > 0 {
            for name in info::topics() {
                add(name.to_string(), CandidateKind::Command);
            }
        } else {
            if let Some((thread, frame)) = frame {
                let debugger = session.program().debugger();
                let locals = debugger.locals(thread, frame).unwrap_or_default();
                locals.into_iter().for_each(|(v, _)| add(v.name, CandidateKind::Variable));
            }
            if start == 0 {
                COMMANDS.iter().for_each(|c| add(c.name.to_string(), CandidateKind::Command));
                for name in self.defined.keys() {
                    add(name.clone(), CandidateKind::Command);
                }
            }
            if !word.is_empty() {
                for name in info::function_names(session) {
                    add(name, CandidateKind::Function);
                }
            }
        }
        all.retain(|c| c.text.starts_with(word));
        all.truncate(MOST);
        (start, all)
    }
}

/// Where the characters at the end begin that are all inside a word.
fn word_start(text: &str, is_inside: impl Fn(char) -> bool) -> usize {
    text.trim_end_matches(is_inside).len()
}

/// The command of a line, if something follows it.
fn first_word(line: &str) -> Option<&str> {
    line.trim_start().split_once(' ').map(|(word, _)| word)
}

/// The expression whose member is being typed: what stands before `.` or `->`.
fn object_before(text: &str) -> Option<&str> {
    let object = text.strip_suffix("->").or_else(|| text.strip_suffix('.'))?;
    let is_inside = |c: char| c.is_alphanumeric() || "_.->[]()*".contains(c);
    Some(&object[word_start(object, is_inside)..]).filter(|o| !o.is_empty())
}

fn members(session: &mut Session, frame: Option<(ThreadId, usize)>, object: &str) -> Vec<String> {
    let Some((thread, frame)) = frame else { return Vec::new() };
    let process = session.program().process();
    let debugger = session.program().debugger();
    let Ok(value) = debugger.eval(thread, frame, object) else { return Vec::new() };
    debugger.parts(process, &value, None, 0..0).into_iter().map(|p| p.name).collect()
}

/// Files and folders whose path begins like this.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_of_a_member_is_found() {
        assert_eq!(object_before("p q->"), Some("q"));
        assert_eq!(object_before("p 1+a[i].b."), Some("a[i].b"));
        assert_eq!(object_before("p (*q)."), Some("(*q)"));
        assert_eq!(object_before("p q-"), None);
        assert_eq!(object_before("->"), None);
        assert_eq!(object_before("p €q."), Some("q"));
        assert_eq!(object_before("€."), None);
    }
}
