//! Renaming everything in every property file of the tree, and what that must not change.

use std::path::{Path, PathBuf};

use watchword_cases::texts::{Text, all, imported};
use watchword_lsp::features::{Analysis, ROOT, completion, hover, rename};
use watchword_lsp::index::{Kind, Role};
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

fn analyse(name: &str, text: &str) -> Analysis {
    Analysis::of(SourceFile::new(name, text), &imported, &|n| uri_of_path(n))
}

/// Wherever a name stands, the editor says what it is, and completes something there.
#[test]
fn every_name_is_explained_and_completed() {
    let (mut names, mut completed) = (0, 0);
    for file in all() {
        let analysis = analyse(&file.name, &file.text);
        let uses = analysis.index.uses.iter();
        for used in uses.filter(|u| u.span.file == ROOT && u.role != Role::Implies) {
            let symbol = &analysis.index.symbols[used.symbol];
            let at = used.span.start as usize;
            let there = format!("{}: {} `{}`", file.name, symbol.kind.name(), symbol.name);
            names += 1;
            // What is said of a property takes long, as it looks for an example: see the page's.
            if symbol.kind != Kind::Property || file.name.starts_with("language-") {
                let told = hover::of(&analysis, at).unwrap_or_else(|| panic!("{there}"));
                let told = told["contents"]["value"].as_str().unwrap().to_string();
                assert!(told.contains(symbol.detail.lines().next().unwrap()), "{there}: {told}");
            }
            completed += usize::from(!completion::of(&analysis, at).is_empty());
        }
    }
    println!("{names} names, something to complete at {completed}");
    assert!(names > 5_000, "only {names} names");
    assert!(completed * 3 > names, "{completed} of {names}");
}

#[test]
fn everything_declared_can_be_renamed_and_back() {
    let files = all();
    assert!(files.len() > 400, "{} files", files.len());
    for Text { name, text } in files {
        let before = analyse(&name, &text);
        for symbol in &before.index.symbols {
            let Some(declared) = symbol.declared.iter().find(|s| s.file == ROOT) else { continue };
            let there = format!("{name}: {} `{}`", symbol.kind.name(), symbol.name);
            let edits = rename::of(&before, declared.start as usize, "fresh_name", &imported)
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
            let back = rename::of(&after, place as usize, &symbol.name, &imported)
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
