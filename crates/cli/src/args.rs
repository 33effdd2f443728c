//! Flags, each defined once.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use watchword_debug::Criu;
use watchword_monitor::Keep;
use watchword_spec::Lang;

use crate::commands;
use crate::compiled::Compiler;

/// Watchword finds the exact moment at which a program violates its protocol.
#[derive(Debug, Parser)]
#[command(
    name = "watchword",
    version = crate::VERSION,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "Start here:\n  \
        watchword demo                          a guided tour\n  \
        watchword new login                     a commented property to begin with\n  \
        watchword replay -p login.ww app.log    check a log with it\n\n\
        Exit status: 0 no violation, 1 violations found, 2 wrong usage or input, 3 internal error."
)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Clone, Debug, Args)]
pub struct Global {
    /// The output format: text, or JSON with a version number; `graph`: svg, dot or term
    #[arg(long, global = true, value_name = "FORMAT", help_heading = "Every command")]
    pub format: Option<OutputFormat>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(help_heading = "Every command")]
    pub color: Color,
    /// Print results and errors only: no summary, no hints, no progress
    #[arg(short, long, global = true, help_heading = "Every command")]
    pub quiet: bool,
    /// Print more: every property, how often each event occurred, what is armed in a native program
    #[arg(short, long, global = true, conflicts_with = "quiet", help_heading = "Every command")]
    pub verbose: bool,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people.
    Human,
    /// For programs.
    Json,
    /// A picture.
    Svg,
    /// A graph for Graphviz.
    Dot,
    /// A picture made of characters.
    Term,
    /// A page for a browser.
    Html,
}

/// When colour is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Global {
    /// Whether stdout gets colour.
    pub fn color_on_stdout(&self) -> bool {
        self.color_on(std::io::stdout().is_terminal())
    }

    /// Whether stderr gets colour.
    pub fn color_on_stderr(&self) -> bool {
        self.color_on(std::io::stderr().is_terminal())
    }

    fn color_on(&self, terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }

    /// Whether the output is JSON; other formats than human and JSON are refused.
    pub fn json(&self, command: &str) -> anyhow::Result<bool> {
        match self.format {
            None | Some(OutputFormat::Human) => Ok(false),
            Some(OutputFormat::Json) => Ok(true),
            Some(_) => {
                anyhow::bail!("`{command}` cannot draw; use human or json")
            }
        }
    }
}

/// Which properties.
#[derive(Clone, Debug, Args)]
pub struct Properties {
    /// Property files, or shipped properties such as std/safe-iterator
    #[arg(required = true, value_name = "PROP")]
    pub properties: Vec<String>,
    /// How they are read.
    #[command(flatten)]
    pub reading: Reading,
}

/// How property files are read.
#[derive(Clone, Debug, Default, Args)]
pub struct Reading {
    /// The language of the property files, if the extension does not determine it
    #[arg(long, value_name = "LANG", value_parser = lang_parser())]
    pub lang: Option<Lang>,
    /// Companion functions of properties in Verde's language: a file of Python
    #[arg(long, value_name = "FILE")]
    pub functions: Vec<String>,
    /// How classic TOPL properties compare strings and boxed values of a program
    #[arg(long, value_name = "HOW", default_value = "value")]
    pub boxes: Boxes,
    /// Compile the Java code of JavaMOP specifications with the JDK's compiler, and run it in the program; without
    /// this flag, specifications with such code are refused
    #[arg(long)]
    pub allow_java: bool,
    /// What Java code is compiled with.
    #[arg(skip)]
    pub compiler: Compiler,
    /// The value of a `param` of the properties: `--set limit=2s`, or `--set Reply.limit=2s` for
    /// one property only
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// The source of an event of the properties, in place of its declaration:
    /// `--bind request='/GET (?<id>\S+)/'`, `--bind reply='.kind == "reply"'`
    #[arg(long, value_name = "EVENT=SOURCE")]
    pub bind: Vec<String>,
}

impl Reading {
    /// Refuses `--allow-java` where no program runs that the code could be a part of.
    pub fn refuse_java(&self, command: &str) -> anyhow::Result<()> {
        if self.allow_java {
            bail!(
                "--allow-java: Java code of properties runs inside a JVM program: use `watchword java`; `{command}` cannot run it"
            );
        }
        Ok(())
    }
}

/// How strings and boxed values are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Boxes {
    /// By what is in them, as the checker of the TOPL paper does.
    #[default]
    Value,
    /// As the objects they are.
    Identity,
}

/// The classes of the program that properties speak of.
#[derive(Clone, Debug, Default, Args)]
pub struct Classes {
    /// Jars, directories of classes or a JDK, for class constants and methods; the JDK of
    /// JAVA_HOME or `java` is added if none is given
    #[arg(long, value_name = "PATH")]
    pub cp: Vec<String>,
}

/// How much of a run is kept and shown.
#[derive(Clone, Debug, Args)]
#[group(skip)]
#[command(group = ArgGroup::new("bounds").args(["max_instances", "max_memory"]).multiple(true))]
pub struct Keeping {
    /// The number of events of an instance in a report; 0 keeps none
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Reporting")]
    pub history: usize,
    /// The number of different violations that are printed; all are counted
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "Reporting")]
    pub max_violations: usize,
    /// Print every violation, also several at the same site
    #[arg(long, help_heading = "Reporting")]
    pub no_dedup: bool,
    /// Keep at most this many instances of a property; the report says if the limit was reached
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_instances: Option<usize>,
    /// Use at most this much memory for instances, their values and their windows, such as 500M
    /// or 2G; an instance that needs more is inconclusive, and the report says so
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Limits")]
    pub max_memory: Option<u64>,
    /// Which instances are discarded when there are too many
    #[arg(long, value_name = "WHICH", default_value = "oldest", requires = "bounds")]
    #[arg(help_heading = "Limits")]
    pub evict: Evict,
    /// The limits of another tool: `topl` keeps the 10 newest configurations of a property, unless
    /// --max-instances says another number
    #[arg(long, value_name = "TOOL", help_heading = "Limits")]
    pub compat: Option<Compat>,
    /// The seed of `--evict random`
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Limits")]
    pub seed: u64,
}

impl Keeping {
    /// How many instances of a property are kept, if there is a limit.
    pub fn max_instances(&self) -> Option<usize> {
        self.max_instances.or(self.compat.map(|Compat::Topl| TOPL_CONFIGURATIONS))
    }

    /// Which instances stay when there are too many.
    pub fn keep(&self) -> Keep {
        match self.evict {
            Evict::Oldest => Keep::Newest,
            Evict::Newest => Keep::Oldest,
            Evict::Random => Keep::Random(self.seed),
        }
    }
}

/// A number of bytes: `500000`, `64K`, `500M`, `2G`, also with `iB` or `B` at the end.
fn size(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let without = upper.strip_suffix("IB").or(upper.strip_suffix('B')).unwrap_or(&upper);
    let (number, unit) = match without.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => without.split_at(at),
        None => (without, ""),
    };
    let shift = match unit.trim() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("write a number of bytes such as 500M or 2G".to_string()),
    };
    let number: u64 = number.parse().map_err(|_| "write a number of bytes such as 500M or 2G")?;
    match number.checked_mul(1 << shift) {
        Some(0) => Err("nothing can be checked without memory".to_string()),
        Some(bytes) => Ok(bytes),
        None => Err("this is more memory than can be addressed".to_string()),
    }
}

/// How many configurations the checker of the TOPL paper keeps.
const TOPL_CONFIGURATIONS: usize = 10;

/// A tool whose limits are taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compat {
    /// The checker of the TOPL paper.
    Topl,
}

/// Which instances are discarded when there are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Evict {
    /// Those that took a transition last.
    Newest,
    /// Those that took no transition for the longest time.
    Oldest,
    /// Any; the same ones for the same seed.
    Random,
}

/// Where checkpoints of native programs are kept.
#[derive(Clone, Debug, Args)]
pub struct Checkpoints {
    /// How checkpoints are made: `memory`, in milliseconds, or `criu`, on disk
    #[arg(long, value_name = "WITH", default_value = "memory")]
    pub checkpoint: With,
}

impl Checkpoints {
    /// The criu that makes them, if it is to.
    ///
    /// # Errors
    /// Why it cannot, before anything is started.
    pub fn criu(&self) -> anyhow::Result<Option<Criu>> {
        match self.checkpoint {
            With::Memory => Ok(None),
            With::Criu => Ok(Some(Criu::find().context("no checkpoints with criu")?)),
        }
    }
}

/// How checkpoints are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum With {
    /// The debugger: copies of memory that never run, restored in place.
    Memory,
    /// The program `criu`: a folder of images, from which the program is made anew.
    Criu,
}

/// A property language by name, for flags.
pub fn lang_parser() -> impl TypedValueParser<Value = Lang> {
    let names = PossibleValuesParser::new(Lang::ALL.map(Lang::name));
    names.map(|name| Lang::from_name(&name).unwrap_or(Lang::Ww))
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check recorded traces and logs
    Replay(Box<commands::replay::Args>),
    /// Look at a log, propose events and a property, and write them
    Init(commands::init::Args),
    /// Run the checks of a project file, watchword.toml
    Check(commands::check::Args),
    /// Run a JVM program, or join one that runs, under monitors
    Java(Box<commands::java::Args>),
    /// Print the line that has programs started elsewhere monitored, too
    Env(Box<commands::env::Args>),
    /// Run a Maven build; the JVMs of its tests are monitored
    Mvn(Box<commands::mvn::Args>),
    /// Run a Gradle build; the JVMs of its tests are monitored
    Gradle(Box<commands::gradle::Args>),
    /// Make one report of what several JVMs found
    MergeReports(commands::merge_reports::Args),
    /// Instrument jars, zips and folders ahead of time
    Weave(Box<commands::weave::Args>),
    /// Write a job for Apache Flink that checks traces with many machines
    Flink(Box<commands::flink::Args>),
    /// Run a native program under monitors
    Run(Box<commands::run::Args>),
    /// Debug a native program with properties
    Debug(Box<commands::debug::Args>),
    /// Find mistakes in properties: syntax, types, things that can never happen
    Lint(commands::lint::Args),
    /// Tell more about a diagnostic, or in words what a property forbids
    Explain(commands::explain::Args),
    /// Format property files
    Fmt(commands::fmt::Args),
    /// Begin a property: a commented file that works
    New(commands::new::Args),
    /// List the shipped properties
    List(commands::list::Args),
    /// Find the sites of a JVM program that need not be monitored
    Analyze(Box<commands::analyze::Args>),
    /// Show what a method of a JVM program can do, as an automaton over a property's events
    Model(Box<commands::model::Args>),
    /// Draw a property's automaton
    Graph(commands::graph::Args),
    /// Write a property in another language
    Convert(commands::convert::Args),
    /// Serve an editor: diagnostics, hover, completion, renaming, formatting
    Lsp(commands::lsp::Args),
    /// Tell what this machine offers
    Doctor(commands::doctor::Args),
    /// A guided tour, nothing to configure
    Demo(commands::demo::Args),
    /// Print a completion script for a shell
    Completions(commands::completions::Args),
    /// Print a manual page
    Man(commands::completions::ManArgs),
}

/// A trace by path; `-` is standard input.
pub type TracePath = PathBuf;
