//! The part of the tour that needs a compiler: a Java and a native program, run under monitors.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::output::style::Style;

/// A program that breaks a property.
struct Example {
    title: &'static str,
    about: &'static str,
    /// What has to be installed.
    tool: &'static str,
    /// Names and texts; the property comes first, then the program.
    files: &'static [(&'static str, &'static str)],
    compile: &'static [&'static str],
    /// Arguments of `watchword`.
    run: &'static [&'static str],
}

macro_rules! file {
    ($path:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/", $path))
    };
}

const EXAMPLES: [Example; 2] = [
    Example {
        title: "a Java program",
        about: "Classes are instrumented when they are loaded; the program itself is not changed.",
        tool: "javac",
        files: &[
            ("safe-list-iterator.ww", file!("java/safe-list-iterator.ww")),
            ("ListBad.java", file!("java/programs/ListBad.java")),
            ("updates.ww", file!("java/updates.ww")),
        ],
        compile: &["-g", "-d", ".", "ListBad.java"],
        run: &["java", "-p", "safe-list-iterator.ww", "--", "-cp", ".", "ListBad"],
    },
    Example {
        title: "a native program",
        about: "Five producers, twenty consumers and one queue: the monitor finds the push that overflows it.",
        tool: "cc",
        files: &[("queue.ww", file!("native/queue.ww")), ("queue.c", file!("native/queue.c"))],
        compile: &["-g", "-O1", "-pthread", "queue.c", "-o", "queue"],
        run: &["run", "-p", "queue.ww", "--", "./queue", "5", "20", "3"],
    },
];

/// Shows each of them; says what is missing where one cannot be shown. Answers which were run.
pub fn visit(out: &mut impl Write, style: Style) -> anyhow::Result<Vec<(&'static str, bool)>> {
    let mut shown = Vec::new();
    for example in &EXAMPLES {
        writeln!(out, "\n{}\n{}\n", style.bold(example.title), example.about)?;
        shown.push((example.title, show(out, style, example)?));
    }
    Ok(shown)
}

fn show(out: &mut impl Write, style: Style, example: &Example) -> anyhow::Result<bool> {
    let folder = Scratch::new()?;
    for (name, text) in example.files {
        std::fs::write(folder.0.join(name), text).context("cannot write the example")?;
    }
    write!(out, "{}", super::indent(example.files[0].1))?;
    if example.tool == "javac" && !crate::jvm::library::is_inside() {
        writeln!(out, "  this build contains no JVM agent, so this part is skipped")?;
        return Ok(false);
    }
    // Compilers take their time; whoever waits should know for what.
    let words = format!("{} {}", example.tool, example.compile.join(" "));
    writeln!(out, "\n  {}", style.dim(&words))?;
    out.flush()?;
    let compiled = quiet(example.tool, example.compile, &folder.0);
    if !compiled.is_ok_and(|status| status) {
        writeln!(out, "  {} is not installed, so this part is skipped", example.tool)?;
        return Ok(false);
    }
    writeln!(out, "  {}", style.dim(&format!("watchword {}", example.run.join(" "))))?;
    out.flush()?;
    let itself = std::env::current_exe().context("cannot find the command itself")?;
    let output = Command::new(itself)
        .args(["--color", if style.is_on() { "always" } else { "never" }])
        .args(example.run)
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .context("cannot run the example")?;
    write!(out, "{}", super::indent(&String::from_utf8_lossy(&output.stderr)))?;
    Ok(true)
}

fn quiet(tool: &str, args: &[&str], folder: &Path) -> std::io::Result<bool> {
    let mut command = Command::new(tool);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
}

/// A folder that goes away with the tour.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> anyhow::Result<Scratch> {
        let name = format!("watchword-demo-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).context("cannot make a folder for the examples")?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
