//! `watchword doctor`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use watchword_debug::Criu;

use crate::Outcome;
use crate::args::Global;
use crate::output::json::Json;
use crate::output::style::{Style, harmless};

/// Show what this machine offers, which commands work with it, what the others need and how to
/// install it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  watchword doctor\n  watchword doctor --format json")]
pub struct Args {}

/// How a check came out.
#[derive(Clone, Copy, PartialEq)]
enum Health {
    Good,
    Limited,
    Missing,
}

impl Health {
    fn name(self) -> &'static str {
        match self {
            Health::Good => "ok",
            Health::Limited => "limited",
            Health::Missing => "missing",
        }
    }
}

/// One thing that was looked for.
struct Check {
    name: String,
    health: Health,
    found: String,
    purpose: &'static str,
    fix: Option<String>,
}

/// Commands that need the same things, by the names of checks: of each, one that is not missing.
struct Need {
    commands: &'static str,
    checks: &'static [&'static str],
}

const NEEDS: [Need; 6] = [
    Need { commands: "replay, lint, explain, list, graph, convert, fmt, new, lsp", checks: &[] },
    Need { commands: "java, env java", checks: &["agent", "java"] },
    Need { commands: "weave, analyze, model", checks: &["java"] },
    Need { commands: "run, debug", checks: &["kernel", "ptrace"] },
    Need { commands: "run, debug --checkpoint criu", checks: &["kernel", "ptrace", "criu"] },
    Need { commands: "demo, completely", checks: &["agent", "javac", "gcc", "kernel", "ptrace"] },
];

impl Need {
    /// The checks that stand in the way.
    fn missing<'c>(&self, checks: &'c [Check]) -> Vec<&'c Check> {
        let is_there =
            |name: &str| checks.iter().any(|c| c.name == name && c.health != Health::Missing);
        let unmet = self.checks.iter().filter(|name| !is_there(name));
        unmet.filter_map(|name| checks.iter().find(|c| c.name == **name)).collect()
    }
}

/// Runs the command.
pub fn run(_: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("doctor")?;
    let mut checks = vec![kernel(), ptrace(), criu(), agent()];
    checks.extend(jdks());
    checks.extend(TOOLS.iter().map(tool));
    if json {
        let all: Vec<Json> = checks.iter().map(to_json).collect();
        let json = Json::object([
            ("watchword", 1u64.into()),
            ("version", env!("CARGO_PKG_VERSION").into()),
            ("commit", env!("WATCHWORD_COMMIT").into()),
            ("checks", all.into()),
            (
                "commands",
                Json::List(NEEDS.iter().map(|need| need_to_json(need, &checks)).collect()),
            ),
        ]);
        super::print(&format!("{json}\n"))?;
        return Ok(Outcome::Clean);
    }
    let style = Style::new(global.color_on_stdout());
    let mut text = format!("watchword {}\n\n", crate::VERSION);
    let width = checks.iter().map(|c| c.name.len()).max().unwrap_or(0);
    for check in &checks {
        let mark = match check.health {
            Health::Good => style.good("ok     "),
            Health::Limited => style.warning("limited"),
            Health::Missing => style.warning("missing"),
        };
        let _ = writeln!(text, "{mark}  {:<width$}  {}", check.name, check.found);
        if let Some(fix) = &check.fix {
            let _ = writeln!(text, "         {:<width$}  {}; {fix}", "", check.purpose);
        }
    }
    text.push('\n');
    let width = NEEDS.iter().map(|need| need.commands.len()).max().unwrap_or(0);
    for need in &NEEDS {
        let missing = need.missing(&checks);
        let commands = format!("{:<width$}", need.commands);
        if missing.is_empty() {
            let _ = writeln!(text, "{}  {commands}", style.good("works  "));
        }
        for check in missing {
            let name = &check.name;
            let fix = check.fix.as_deref().unwrap_or("use another machine");
            let _ = writeln!(text, "{}  {commands}  needs {name}: {fix}", style.warning("lacks  "));
        }
    }
    super::print(&text)?;
    Ok(Outcome::Clean)
}

fn to_json(check: &Check) -> Json {
    Json::object([
        ("name", check.name.as_str().into()),
        ("status", check.health.name().into()),
        ("found", check.found.as_str().into()),
        ("purpose", check.purpose.into()),
    ])
    .with_some("fix", check.fix.as_deref())
}

/// What stands in the way of commands, if anything does.
fn need_to_json(need: &Need, checks: &[Check]) -> Json {
    let missing = need.missing(checks);
    let names = missing.iter().map(|check| check.name.as_str().into()).collect();
    Json::object([
        ("commands", need.commands.into()),
        ("status", if missing.is_empty() { "ok" } else { "missing" }.into()),
        ("missing", Json::List(names)),
    ])
}

/// Whether the JVM agent is inside of the command.
fn agent() -> Check {
    let inside = crate::jvm::library::is_inside();
    Check {
        name: "agent".into(),
        health: if inside { Health::Good } else { Health::Missing },
        found: if inside { "part of this binary" } else { "not part of this binary" }.into(),
        purpose: "JVM programs",
        fix: (!inside).then(|| "build it without an empty WATCHWORD_AGENT".into()),
    }
}

fn kernel() -> Check {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let found = match release.trim() {
        "" => std::env::consts::OS.to_string(),
        release => format!("Linux {release} on {}", std::env::consts::ARCH),
    };
    let linux = !release.trim().is_empty() && std::env::consts::ARCH == "x86_64";
    Check {
        name: "kernel".into(),
        health: if linux { Health::Good } else { Health::Limited },
        found,
        purpose: "native programs are monitored on Linux on x86-64",
        fix: (!linux).then(|| "use Linux on x86-64 for native programs".into()),
    }
}

fn ptrace() -> Check {
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let (health, found, fix) = match scope.trim() {
        "0" | "" => (Health::Good, "you can attach to all your processes", None),
        "1" => (
            Health::Limited,
            "only programs that the debugger starts",
            Some("to attach to other programs: sysctl kernel.yama.ptrace_scope=0"),
        ),
        "2" => (
            Health::Limited,
            "administrators only",
            Some("allow it: sysctl kernel.yama.ptrace_scope=1"),
        ),
        _ => (Health::Missing, "switched off until the next boot", Some("use another machine")),
    };
    Check {
        name: "ptrace".into(),
        health,
        found: found.into(),
        purpose: "debugging native programs",
        fix: fix.map(Into::into),
    }
}

/// Whether checkpoints can be kept on disk.
fn criu() -> Check {
    let (health, found, fix) = match Criu::find() {
        Ok(criu) => {
            let place = harmless(&criu.path().display().to_string());
            (
                Health::Good,
                format!("{}, passes its check and a trial, in {place}", criu.version()),
                None,
            )
        }
        Err(e) => {
            let said = harmless(&e.to_string());
            let (why, fix) = said.rsplit_once("; ").unwrap_or((&said, "install criu"));
            (Health::Missing, why.to_string(), Some(fix.to_string()))
        }
    };
    Check {
        name: "criu".into(),
        health,
        found,
        purpose: "checkpoints on disk (`--checkpoint criu`); checkpoints in memory need nothing",
        fix,
    }
}

/// JDKs on the path, in JAVA_HOME and where packages put them.
fn jdks() -> Vec<Check> {
    let mut javas: BTreeSet<PathBuf> = BTreeSet::new();
    let mut add = |path: PathBuf| {
        if let Ok(real) = fs::canonicalize(path) {
            javas.insert(real);
        }
    };
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        add(Path::new(&home).join("bin/java"));
    }
    if let Some(java) = on_path("java") {
        add(java);
    }
    for entry in fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten() {
        add(entry.path().join("bin/java"));
    }
    let checks: Vec<Check> = javas
        .iter()
        .map(|java| {
            let home = java.parent().and_then(Path::parent).unwrap_or(java);
            let compiler = home.join("bin/javac").exists();
            let version = version(java, "-version");
            Check {
                name: "java".into(),
                health: if compiler { Health::Good } else { Health::Limited },
                found: format!("{version} in {}", home.display()),
                purpose: "JVM programs; javac for the test suites",
                fix: (!compiler)
                    .then(|| "no javac: apt-get install openjdk-17-jdk-headless".into()),
            }
        })
        .collect();
    if checks.is_empty() {
        return vec![Check {
            name: "java".into(),
            health: Health::Missing,
            found: "no JDK".into(),
            purpose: "JVM programs",
            fix: Some("apt-get install openjdk-17-jdk-headless".into()),
        }];
    }
    checks
}

/// A tool, what it is for, and the package it is in.
struct Tool {
    name: &'static str,
    purpose: &'static str,
    package: &'static str,
}

const TOOLS: [Tool; 6] = [
    Tool {
        name: "javac",
        purpose: "Java examples and test suites",
        package: "openjdk-17-jdk-headless",
    },
    Tool { name: "gdb", purpose: "debugging with GDB", package: "gdb" },
    Tool { name: "gcc", purpose: "C examples and test suites", package: "gcc" },
    Tool { name: "g++", purpose: "C++ examples and test suites", package: "g++" },
    Tool { name: "clang", purpose: "test suites with a second compiler", package: "clang" },
    Tool {
        name: "dot",
        purpose: "bitmaps of what `watchword graph --format dot` prints",
        package: "graphviz",
    },
];

fn tool(tool: &Tool) -> Check {
    match on_path(tool.name) {
        Some(path) => {
            let flag = if tool.name == "dot" { "-V" } else { "--version" };
            Check {
                name: tool.name.into(),
                health: Health::Good,
                found: format!("{} in {}", version(&path, flag), path.display()),
                purpose: tool.purpose,
                fix: None,
            }
        }
        None => Check {
            name: tool.name.into(),
            health: Health::Missing,
            found: "not found".into(),
            purpose: tool.purpose,
            fix: Some(format!("apt-get install {}", tool.package)),
        },
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// The first line a tool says about itself, on whichever stream.
fn version(tool: &Path, flag: &str) -> String {
    let output = Command::new(tool).arg(flag).stdin(Stdio::null()).output();
    let Ok(output) = output else { return "does not start".into() };
    let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    let text = String::from_utf8_lossy(&text);
    harmless(text.lines().next().unwrap_or("says nothing").trim())
}
