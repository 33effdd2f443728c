//! `watchword gradle ARGS…`: a Gradle build whose tests are monitored.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::Outcome;
use crate::args::Global;
use crate::jvm::build::{self, BuildFlags, Options, Tool};
use crate::jvm::library;

/// Run a Gradle build; the JVMs of its tests are monitored.
///
/// An init script adds the agent to the options of all test tasks. No option is replaced, and the
/// project need not be changed. There is one report for all projects, forks and reruns.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword gradle test\n  \
    watchword gradle -p std/jdk --report build/watchword.html --error-exitcode 99 check\n  \
    watchword gradle -p locks.ww --baseline known.txt -- --offline :core:test\n\n\
    Without -p, all of std/jdk is checked. ./gradlew is run if there is one, else gradle. Exit status: that of\n\
    Gradle; --error-exitcode replaces it if a violation was found or nothing was checked; 2 if Gradle was not started.")]
pub struct Args {
    #[command(flatten)]
    build: BuildFlags,
    /// Arguments for Gradle
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "GRADLE ARGUMENTS")]
    arguments: Vec<OsString>,
}

const IF_SILENT: &str =
    "Gradle forked none for tests; check that there are tests and that they are not skipped";

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    build::run(&args.build, &args.arguments, global, |options, folder| {
        let script = folder.join("watchword.gradle");
        library::put(&script, init_script(options).as_bytes(), false)?;
        let program = build::wrapper("gradlew").unwrap_or_else(|| PathBuf::from("gradle"));
        let mut arguments = vec![OsString::from("--init-script"), script.into()];
        arguments.extend(args.arguments.iter().cloned());
        Ok(Tool { program, arguments, if_silent: IF_SILENT })
    })
}

/// Adds the agent when a test task is about to run, so that options which a build script sets later count, too. What
/// was tested before is tested again: results without monitors say nothing here.
fn init_script(options: &Options) -> String {
    let list = |words: &[String]| {
        let words: Vec<String> =
            words.iter().map(|word| format!("'{}'", build::escaped(word))).collect();
        format!("[{}]", words.join(", "))
    };
    format!(
        "allprojects {{\n    tasks.withType(Test) {{ task ->\n        task.outputs.upToDateWhen {{ false }}\n        \
         task.doFirst {{\n            def patches = task.allJvmArgs.any {{ it.contains('java.base=') }}\n            \
         task.jvmArgs(patches ? {} : {})\n        }}\n    }}\n}}\n",
        list(&options.unpatched),
        list(&options.usual)
    )
}
