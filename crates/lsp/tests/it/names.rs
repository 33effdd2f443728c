//! Renaming everything in every property file of the tree, and what that must not change.

use std::path::{Path, PathBuf};

use watchword_lsp::features::{Analysis, ROOT, rename};
use watchword_lsp::text::uri_of_path;
use watchword_spec::SourceFile;

use crate::client::apply;

pub fn property_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut folders = vec![root.join("properties"), root.join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ww") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn resolve(importer: &str, path: &str) -> Result<SourceFile, String> {
    let beside = Path::new(importer).parent().unwrap_or(Path::new("")).join(path);
    let text = std::fs::read_to_string(&beside).map_err(|e| e.to_string())?;
    Ok(SourceFile::new(&beside.to_string_lossy(), &text))
}

fn analyse(name: &str, text: &str) -> Analysis {
    Analysis::of(SourceFile::new(name, text), &resolve, &|n| uri_of_path(n))
}

#[test]
fn everything_declared_can_be_renamed_and_back() {
    let files = property_files();
    assert!(files.len() > 60, "{} files", files.len());
    for path in files {
        let name = path.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let before = analyse(&name, &text);
        for symbol in &before.index.symbols {
            let Some(declared) = symbol.declared.iter().find(|s| s.file == ROOT) else { continue };
            let there = format!("{name}: {} `{}`", symbol.kind.name(), symbol.name);
            let edits = rename::of(&before, declared.start as usize, "fresh_name", &resolve)
                .unwrap_or_else(|why| panic!("{there}: {why}"));
            let changed = apply(&text, &edits["changes"][uri_of_path(&name)]);
            let after = analyse(&name, &changed);
            let errors: Vec<&str> = after
                .diagnostics
                .iter()
                .filter(|d| d.is_error())
                .map(|d| d.message.as_str())
                .collect();
            assert!(errors.is_empty(), "{there}: {errors:?}\n{changed}");
            assert_eq!(before.index.symbols.len(), after.index.symbols.len(), "{there}\n{changed}");
            let again = after.index.symbols.iter().find(|s| s.name == "fresh_name").unwrap();
            let place = again.declared.iter().find(|s| s.file == ROOT).unwrap().start;
            let back = rename::of(&after, place as usize, &symbol.name, &resolve)
                .unwrap_or_else(|why| panic!("{there}, back: {why}\n{changed}"));
            let back = apply(&changed, &back["changes"][uri_of_path(&name)]);
            // Labels that took their arguments by name now say them; the rest is as it was.
            if text.len() == back.len() {
                assert_eq!(text, back, "{there}");
            } else {
                assert!(text.len() < back.len(), "{there}\n{back}");
            }
        }
    }
}
