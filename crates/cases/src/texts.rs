//! All properties of this repository in its own language, for tests of what works on any property: the
//! examples of the language's page, the cases, the shipped properties and the examples.

use std::path::{Path, PathBuf};

use watchword_spec::SourceFile;

/// A property file without mistakes.
#[derive(Clone, Debug)]
pub struct Text {
    /// Where it stands; what it imports stands beside it.
    pub name: String,
    /// What it says.
    pub text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All of them.
///
/// # Panics
/// If the repository is not complete.
pub fn all() -> Vec<Text> {
    let mut found = Vec::new();
    let page = std::fs::read_to_string(root().join("docs/language.md")).expect("the page is there");
    for (number, block) in page.split("```ww\n").skip(1).enumerate() {
        let text = block.split("```\n").next().unwrap_or_default().to_string();
        found.push(Text { name: format!("language-{number}.ww"), text });
    }
    for case in crate::load_dir(&root().join("cases")).expect("cases load") {
        // Values that are chosen for a run are no part of the text.
        let is_whole = case.set.is_empty() && case.bind.is_empty();
        if case.lang == "ww" && case.refused.is_none() && is_whole {
            let name = format!("{}.ww", case.name);
            found.push(Text { name, text: case.property });
        }
    }
    let mut folders = vec![root().join("properties"), root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ww") {
                let text = std::fs::read_to_string(&path).expect("it can be read");
                found.push(Text { name: path.to_string_lossy().into_owned(), text });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// What a file imports.
///
/// # Errors
/// If it is not there.
pub fn imported(importer: &str, path: &str) -> Result<SourceFile, String> {
    let beside = Path::new(importer).parent().unwrap_or(Path::new("")).join(path);
    let text = std::fs::read_to_string(&beside).map_err(|e| e.to_string())?;
    Ok(SourceFile::new(&beside.to_string_lossy(), &text))
}
