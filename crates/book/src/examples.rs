//! Examples in other languages than the shell's: they load. What the shell runs is run by the tests
//! of the command line.

use watchword_spec::{SourceFile, load};

use crate::page::Page;

/// Languages of blocks, and the extension of files in them.
const LANGUAGES: [(&str, &str); 6] = [
    ("ww", "ww"),
    ("topl", "topl"),
    ("infer", "infer"),
    ("verde", "prop"),
    ("lrv", "lrv"),
    ("mop", "mop"),
];

/// Other words a block may begin with.
const OTHERS: [&str; 11] =
    ["sh", "console", "text", "json", "csv", "ebnf", "scn", "java", "c", "rust", "yaml"];

/// Tells which examples do not load. Pages of diagnostics have their own test: their examples are
/// there to fail.
pub fn check(page: &Page, found: &mut Vec<String>) {
    if page.path.starts_with("diagnostics/") {
        return;
    }
    for block in &page.blocks {
        let word = block.info.split_whitespace().next().unwrap_or_default();
        let problem = match LANGUAGES.iter().find(|(name, _)| *name == word) {
            Some((_, extension)) => does_not_load(&block.text, extension),
            None if word == "scn" => {
                let (_, said) = watchword_scenario::parse(&block.text, "example.scn");
                said.first().map(|d| d.message.clone())
            }
            None if word.is_empty() && block.info.is_empty() => None,
            None if OTHERS.contains(&word) => None,
            None => Some(format!("`{word}` is no language the book knows")),
        };
        if let Some(problem) = problem {
            found.push(format!("docs/{}:{}: {problem}", page.path, block.line));
        }
    }
}

fn does_not_load(text: &str, extension: &str) -> Option<String> {
    let file = SourceFile::new(&format!("example.{extension}"), text);
    let loaded = load(&[file], &|_, path| {
        // Examples may import what they do not show.
        Ok(SourceFile::new(path, ""))
    });
    let error = loaded.diagnostics.iter().find(|d| d.is_error())?;
    Some(format!("{}: {}", error.code, error.message))
}
