//! What the README tells people to type works, and prints what it says.

use std::path::Path;
use std::process::Command;

use crate::support::{Dir, binary, root};

/// A fenced block: its language, its text, and what a comment before it says of running it.
struct Block {
    language: String,
    text: String,
    run: Run,
}

enum Run {
    /// Nothing.
    Unsaid,
    /// Run it, if these programs are there.
    With(Vec<String>),
    /// Do not; it says why.
    Not,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines();
    let mut run = Run::Unsaid;
    while let Some(line) = lines.next() {
        let comment = line.trim().strip_prefix("<!-- ").and_then(|l| l.strip_suffix(" -->"));
        if let Some(comment) = comment {
            if let Some(tools) = comment.strip_prefix("tested") {
                let tools = tools.trim_start_matches(':').split_whitespace();
                run = Run::With(tools.map(str::to_string).collect());
            } else if comment.strip_prefix("not run: ").is_some_and(|why| !why.is_empty()) {
                run = Run::Not;
            }
            continue;
        }
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
            let text = text.join("\n") + "\n";
            let run = std::mem::replace(&mut run, Run::Unsaid);
            blocks.push(Block { language: language.to_string(), text, run });
        }
    }
    blocks
}

/// Whether a text is like that: `…` is any text of a line, and alone on a line any lines.
fn is_like(text: &str, want: &str) -> bool {
    let mut pattern = String::from(r"\A");
    for line in want.trim().lines() {
        if line == "…" {
            pattern.push_str(r"(?:[^\n]*\n)*?");
        } else {
            let parts: Vec<String> = line.split('…').map(regex::escape).collect();
            pattern.push_str(&parts.join("[^\\n]*"));
            pattern.push_str(r"\n");
        }
    }
    pattern.push_str(r"\z");
    regex::Regex::new(&pattern).unwrap().is_match(&format!("{}\n", text.trim()))
}

fn has(tool: &str) -> bool {
    // Without the agent a JDK is of no use.
    let usable = tool != "javac" || !crate::java::jdks().is_empty();
    let found = usable && Command::new(tool).arg("--version").output().is_ok();
    assert!(found || std::env::var("CI").as_deref() != Ok("true"), "CI needs {tool}");
    found
}

/// Runs the tested `sh` blocks of a page in one directory; a `text` block right after one is what
/// it prints. Every other `sh` block says why it is not run.
pub fn run_page(page: &Path) -> usize {
    let blocks = blocks(&std::fs::read_to_string(page).unwrap());
    let dir = Dir::new();
    // Pages speak of examples as seen from the root of the tree.
    std::os::unix::fs::symlink(root().join("examples"), dir.path().join("examples")).unwrap();
    let tools = Path::new(binary()).parent().unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for (i, block) in blocks.iter().enumerate() {
        let needed = match &block.run {
            Run::With(tools) => tools,
            Run::Not => continue,
            Run::Unsaid => {
                let told = "says neither <!-- tested --> nor <!-- not run: why -->";
                assert_ne!(block.language, "sh", "{}: {told}\n{}", page.display(), block.text);
                continue;
            }
        };
        assert_eq!(block.language, "sh", "only sh blocks can be run");
        if let Some(tool) = needed.iter().find(|tool| !has(tool)) {
            eprintln!("skipped a part of {}: there is no {tool}", page.display());
            ran += 1;
            continue;
        }
        let output = Command::new("bash")
            .arg("-c")
            .arg(format!("exec 2>&1\n{}", block.text))
            .current_dir(dir.path())
            .env("PATH", &path)
            .env("XDG_CACHE_HOME", crate::java::cache())
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        if let Some(want) = blocks.get(i + 1).filter(|b| b.language == "text") {
            if !is_like(&printed, &want.text) {
                // Shows the difference.
                assert_eq!(
                    printed.trim(),
                    want.text.trim(),
                    "{}: of\n{}",
                    page.display(),
                    block.text
                );
            }
        } else {
            assert!(output.status.success(), "{}\n{printed}", block.text);
        }
        ran += 1;
    }
    ran
}

#[test]
fn outputs_are_compared_up_to_what_varies() {
    assert!(is_like("a 12 b\nx\ny\nend\n", "a … b\n…\nend"));
    assert!(is_like("a  b\nend", "a … b\n…\nend"));
    assert!(!is_like("a 12 c\nend", "a … b\n…\nend"));
    assert!(!is_like("a\nb", "a"));
}

#[test]
fn the_readme_is_true() {
    assert!(run_page(&root().join("README.md")) >= 3, "the README has nothing to try");
}

#[test]
fn the_pages_are_true() {
    let mut ran = 0;
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let page = entry.unwrap().path();
        if page.extension().is_some_and(|e| e == "md") {
            ran += run_page(&page);
        }
    }
    assert!(ran >= 20, "{ran} blocks");
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
