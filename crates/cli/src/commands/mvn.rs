//! `watchword mvn ARGS…`: a Maven build whose tests are monitored.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::Outcome;
use crate::args::Global;
use crate::jvm::arguments::quoted;
use crate::jvm::build::{self, BuildFlags, Options, Tool};
use crate::jvm::library;

/// Run a Maven build; the JVMs of its tests are monitored.
///
/// The agent is added to the options of the JVMs that Surefire and Failsafe fork. No option is
/// replaced, and the project need not be changed. There is one report for all modules, forks and
/// reruns.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword mvn test\n  \
    watchword mvn -p std/jdk --report target/watchword.html --error-exitcode 99 verify\n  \
    watchword mvn -p locks.ww --baseline known.txt -- --batch-mode -pl core test\n\n\
    Without -p, all of std/jdk is checked. ./mvnw is run if there is one, else mvn. Exit status: that of Maven;\n\
    --error-exitcode replaces it if a violation was found or nothing was checked; 2 if Maven was not started.")]
pub struct Args {
    #[command(flatten)]
    build: BuildFlags,
    /// Arguments for Maven
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "MAVEN ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// The classes and the description of our extension of Maven.
const EXTENSION: [(&str, &[u8]); 2] = [
    (
        "META-INF/plexus/components.xml",
        include_bytes!("../../java/maven/META-INF/plexus/components.xml"),
    ),
    (
        "watchword/maven/WatchTests.class",
        include_bytes!("../../java/classes/watchword/maven/WatchTests.class"),
    ),
];

/// Where Maven looks for extensions beside those of the project.
const EXTENSIONS: &str = "-Dmaven.ext.class.path=";

const IF_SILENT: &str =
    "Maven forked none for tests; check that there are tests and that they are not skipped";

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    build::run(&args.build, &args.arguments, global, |options, folder| {
        let extension = put_extension(folder, options)?;
        let program = build::wrapper("mvnw").unwrap_or_else(|| PathBuf::from("mvn"));
        let arguments = with_extension(&args.arguments, &extension);
        Ok(Tool { program, arguments, if_silent: IF_SILENT })
    })
}

/// Puts the extension, and what it has to add, into a folder of this build.
fn put_extension(folder: &Path, options: &Options) -> anyhow::Result<PathBuf> {
    let root = folder.join("maven");
    for (name, bytes) in EXTENSION {
        let path = root.join(name);
        let parent = path.parent().context("a file is in a folder")?;
        fs::create_dir_all(parent)
            .with_context(|| format!("cannot make the folder {}", parent.display()))?;
        library::put(&path, bytes, false)?;
    }
    let line = |words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| quoted(word.clone())).collect();
        build::escaped(&words.join(" "))
    };
    let text = format!("usual={}\nunpatched={}\n", line(&options.usual), line(&options.unpatched));
    library::put(&root.join("watchword.properties"), text.as_bytes(), false)?;
    Ok(root)
}

/// The arguments with our extension beside those that are named there.
fn with_extension(given: &[OsString], extension: &Path) -> Vec<OsString> {
    let mut arguments = Vec::new();
    let mut ours = OsString::from(EXTENSIONS);
    ours.push(extension);
    for word in given {
        match word.to_str().and_then(|word| word.strip_prefix(EXTENSIONS)) {
            Some(theirs) => {
                ours.push(OsStr::new(":"));
                ours.push(theirs);
            }
            None => arguments.push(word.clone()),
        }
    }
    arguments.insert(0, ours);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_joined() {
        let given = ["test", "-Dmaven.ext.class.path=a.jar", "-B"].map(OsString::from);
        let all = with_extension(&given, Path::new("/x"));
        let expected = ["-Dmaven.ext.class.path=/x:a.jar", "test", "-B"].map(OsString::from);
        assert_eq!(all, expected);
    }
}
