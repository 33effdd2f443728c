//! What the README tells people to type works, and prints what it says.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use watchword_testing::{Browser, browser, look};

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

/// A picture that a page shows, and what a comment before it says of its making.
struct Shown {
    made: Option<Made>,
    file: String,
}

/// How a picture is made.
struct Made {
    command: String,
    /// The command writes a web page, which the picture shows; without it, it prints the picture.
    of: Option<Shot>,
}

/// A picture of a web page.
struct Shot {
    file: String,
    /// Parts that a reader can open are open.
    is_opened: bool,
    width: u32,
    height: u32,
}

impl Made {
    /// `<!-- picture: COMMAND -->` or `<!-- picture of FILE [opened] at WIDTHxHEIGHT: COMMAND -->`.
    fn parse(line: &str) -> Option<Made> {
        let comment = line.strip_prefix("<!-- picture")?.strip_suffix(" -->")?;
        let (what, command) = comment.split_once(": ")?;
        let of = what.strip_prefix(" of ").map(|of| {
            let (file, size) = of.split_once(" at ").expect("FILE at WIDTHxHEIGHT");
            let (width, height) = size.split_once('x').expect("WIDTHxHEIGHT");
            let (width, height) = (width.parse().unwrap(), height.parse().unwrap());
            let opened = file.strip_suffix(" opened");
            let is_opened = opened.is_some();
            Shot { file: opened.unwrap_or(file).to_string(), is_opened, width, height }
        });
        Some(Made { command: command.to_string(), of })
    }

    /// Makes the picture; nothing if there is no browser for it.
    fn make(&self, place: &Place, page: &Path) -> Option<Vec<u8>> {
        let output = place.bash(&self.command);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {}\n{errors}", page.display(), self.command);
        let Some(shot) = &self.of else { return Some(output.stdout) };
        let mut browser = Browser::start(browser("pictures")?, place.dir.path());
        let file = place.dir.path().join(&shot.file).canonicalize().unwrap();
        let address = format!("file://{}", file.display());
        let shown = browser.open(&address, shot.width, shot.height);
        browser.set_scheme(&shown, "light");
        if shot.is_opened {
            let open = "document.querySelectorAll('details').forEach(part => part.open = true)";
            browser.value(&shown, open);
        }
        Some(browser.screenshot(&shown))
    }
}

/// The pictures of a page: comment, and in the next line `![what it shows](FILE)`.
fn pictures(markdown: &str) -> Vec<Shown> {
    let mut shown = Vec::new();
    let mut made = None;
    for line in markdown.lines() {
        if line.starts_with("![") {
            let file = line.split_once("](").and_then(|(_, rest)| rest.strip_suffix(')'));
            let file = file.unwrap_or_else(|| panic!("a picture has a line of its own: {line}"));
            shown.push(Shown { made: made.take(), file: file.to_string() });
        } else {
            made = Made::parse(line);
        }
    }
    shown
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

/// A folder in which the blocks of a page are run.
struct Place {
    dir: Dir,
    path: String,
}

impl Place {
    fn new() -> Place {
        let dir = Dir::new();
        // Pages speak of examples as seen from the root of the tree.
        std::os::unix::fs::symlink(root().join("examples"), dir.path().join("examples")).unwrap();
        let tools = Path::new(binary()).parent().unwrap();
        Place { dir, path: format!("{}:{}", tools.display(), std::env::var("PATH").unwrap()) }
    }

    fn bash(&self, script: &str) -> Output {
        let mut command = Command::new("bash");
        command.args(["-c", script]).current_dir(self.dir.path());
        command.env("PATH", &self.path).env("XDG_CACHE_HOME", crate::java::cache());
        command.output().unwrap()
    }
}

/// Runs the tested `sh` blocks of a page in one directory; a `text` block right after one is what
/// it prints. Every other `sh` block says why it is not run. Then, makes the pictures that come from
/// commands, and compares them with those that the page shows.
pub fn run_page(page: &Path) -> usize {
    let text = std::fs::read_to_string(page).unwrap();
    let blocks = blocks(&text);
    let place = Place::new();
    let mut ran = 0;
    let mut is_whole = true;
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
            is_whole = false;
            continue;
        }
        let output = place.bash(&format!("exec 2>&1\n{}", block.text));
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
    // Where blocks were left out, files may be missing that pictures are made of.
    for Shown { made, file } in pictures(&text).into_iter().filter(|_| is_whole) {
        let Some(picture) = made.and_then(|made| made.make(&place, page)) else { continue };
        let folder = page.parent().unwrap().join(&file);
        let folder = folder.parent().unwrap();
        assert!(folder.ends_with("docs/pictures"), "{}: {file}", page.display());
        look::documented(file.rsplit('/').next().unwrap(), &picture);
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

/// The sources of all tests.
fn tests() -> String {
    let mut text = String::new();
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    let mut todo: Vec<_> = crates.map(|entry| entry.unwrap().path().join("tests")).collect();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            text.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
    text
}

/// Every picture comes from a command or from a test, and is shown.
#[test]
fn pictures_are_made_by_tests() {
    let mut shown = BTreeSet::new();
    let tests = tests();
    for folder in ["", "docs", "docs/diagnostics"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let page = entry.unwrap().path();
            if page.extension().is_none_or(|e| e != "md") {
                continue;
            }
            for Shown { made, file } in pictures(&std::fs::read_to_string(&page).unwrap()) {
                let name = file.rsplit('/').next().unwrap().to_string();
                // Made by the command in the comment, or by a test, which names the file.
                let is_made = made.is_some() || tests.contains(&format!("\"{name}\""));
                assert!(is_made, "{}: no test makes {file}", page.display());
                shown.insert(name);
            }
        }
    }
    let kept = std::fs::read_dir(root().join("docs/pictures")).unwrap();
    let kept = kept.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(shown, kept, "shown by pages, and in docs/pictures");
    assert!(shown.len() > 5, "{shown:?}");
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
