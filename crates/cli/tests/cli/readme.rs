//! What the README tells people to type works, and prints what it says.

use std::path::Path;
use std::process::Command;

use crate::support::{Dir, binary, root};

/// A fenced block: its language, its text, and whether a comment marks it as tested.
struct Block {
    language: String,
    text: String,
    tested: bool,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines();
    let mut tested = false;
    while let Some(line) = lines.next() {
        if line.trim() == "<!-- tested -->" {
            tested = true;
            continue;
        }
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
            let text = text.join("\n") + "\n";
            blocks.push(Block { language: language.to_string(), text, tested });
            tested = false;
        }
    }
    blocks
}

/// Runs the tested `sh` blocks of a page in one directory; a `text` block right after one is what
/// it prints.
pub fn run_page(page: &Path) -> usize {
    let blocks = blocks(&std::fs::read_to_string(page).unwrap());
    let dir = Dir::new();
    let tools = Path::new(binary()).parent().unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for (i, block) in blocks.iter().enumerate() {
        if !block.tested {
            continue;
        }
        assert_eq!(block.language, "sh", "only sh blocks can be run");
        let output = Command::new("bash")
            .arg("-c")
            .arg(format!("exec 2>&1\n{}", block.text))
            .current_dir(dir.path())
            .env("PATH", &path)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        if let Some(want) = blocks.get(i + 1).filter(|b| b.language == "text") {
            assert_eq!(printed.trim(), want.text.trim(), "of\n{}", block.text);
        } else {
            assert!(output.status.success(), "{}\n{printed}", block.text);
        }
        ran += 1;
    }
    ran
}

#[test]
fn the_readme_is_true() {
    assert!(run_page(&root().join("README.md")) >= 3, "the README has nothing to try");
}

#[test]
fn the_pages_are_true() {
    for page in ["docs/cli.md", "docs/trace-format.md", "docs/json-format.md"] {
        assert!(run_page(&root().join(page)) >= 1, "{page} has nothing to try");
    }
}

/// Targets the README names exist.
#[test]
fn the_make_targets_exist() {
    let makefile = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut named = 0;
    for word in readme.split("make ").skip(1) {
        let target: String = word.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        if ["demo", "test", "quick", "bench", "soak", "lint"].contains(&target.as_str()) {
            named += 1;
            assert!(makefile.contains(&format!("\n{target}:")), "make {target}");
        }
    }
    assert!(named >= 2);
}
