//! Property files beside what is said about them and what they become.
//!
//! `WATCHWORD_BLESS=1 cargo test -p watchword-spec` writes the expectations anew; read the
//! difference before you commit it.

use std::path::{Path, PathBuf};

use watchword_spec::{SourceFile, lint, load};

use crate::show;

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Every property file of the golden tests, by name.
pub fn sources() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder())
        .expect("the folder of golden tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ww"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a readable file"))
        })
        .collect();
    files.sort();
    files
}

/// Imports are looked for in the folder itself.
fn resolve(_: &str, path: &str) -> Result<SourceFile, String> {
    match std::fs::read_to_string(folder().join(path)) {
        Ok(text) => Ok(SourceFile::new(path, &text)),
        Err(_) => Err("there is no such file".to_string()),
    }
}

fn outcome(name: &str, text: &str) -> String {
    let loaded = load(&[SourceFile::new(name, text)], &resolve);
    let mut out = String::new();
    for diagnostic in &loaded.diagnostics {
        out.push_str(&diagnostic.render(&loaded.files, false));
        out.push('\n');
    }
    if let Some(model) = &loaded.model {
        for diagnostic in lint(model) {
            out.push_str(&diagnostic.render(&loaded.files, false));
            out.push('\n');
        }
        out.push_str(&show::automata(model));
    }
    out
}

#[test]
fn files_give_what_is_expected() {
    let bless = std::env::var_os("WATCHWORD_BLESS").is_some();
    let mut wrong = Vec::new();
    let files = sources();
    assert!(files.len() >= 20, "only {} golden files", files.len());
    for (name, text) in files {
        let found = outcome(&name, &text);
        let path = folder().join(&name).with_extension("expected");
        if bless {
            std::fs::write(&path, &found).expect("a writable file");
            continue;
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if found != expected {
            let differs = |(a, b): &(&str, &str)| a != b;
            let lines = found.lines().zip(expected.lines()).position(|pair| differs(&pair));
            let line = lines.unwrap_or_else(|| found.lines().count().min(expected.lines().count()));
            let around = |text: &str| {
                let from = line.saturating_sub(4);
                text.lines().skip(from).take(12).collect::<Vec<_>>().join("\n")
            };
            wrong.push(format!(
                "=== {name}, line {}: found\n{}\n=== expected\n{}",
                line + 1,
                around(&found),
                around(&expected)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}\n(refresh with WATCHWORD_BLESS=1)", wrong.join("\n"));
}
