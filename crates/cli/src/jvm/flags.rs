//! Flags of `java` and `env java`, and the bundle they make.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueEnum;
use watchword_model::{Model, Property};
use watchword_spec::SourceFile;
use watchword_spec::classes::ClassConstants;
use watchword_view::unsound;
use watchword_weave::{Options, Silenced, Weaver};
use watchword_wire::{Events, OnViolation, Settings};

use crate::args::{Global, Keeping, Reading};
use crate::compiled::Compiler;
use crate::output::reports::ReportFlags;
use crate::output::warning;
use crate::properties;
use crate::residual;

/// What is checked, and how.
#[derive(Clone, Debug, clap::Args)]
pub struct Flags {
    /// A property file, or a shipped property such as std/safe-iterator; may be repeated
    #[arg(short = 'p', long = "property", value_name = "PROP", required = true)]
    pub properties: Vec<String>,
    /// How they are read.
    #[command(flatten)]
    pub reading: Reading,
    /// What to do on a violation, besides reporting it: report, throw, exit, or call Class.method
    #[arg(long, value_name = "WHAT", default_value = "report", num_args = 1..=2)]
    #[arg(help_heading = "Monitoring")]
    pub on_violation: Vec<String>,
    /// Weave only classes that match, e.g. com.example.*; !PATTERN excludes classes; may be
    /// repeated. Default: all classes except those of the JDK
    #[arg(long, value_name = "PATTERN", help_heading = "Monitoring")]
    pub scope: Vec<String>,
    /// Where calls are observed: at the call, or in the called method (as in the TOPL tool)
    #[arg(long, value_name = "WHERE", default_value = "call", help_heading = "Monitoring")]
    pub events: CallEvents,
    /// A file of sites that need not be monitored; may be repeated
    #[arg(long, value_name = "FILE", help_heading = "Monitoring")]
    pub silenced: Vec<PathBuf>,
    /// Also write every event to this file, for `watchword replay`
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    pub collect_trace: Option<PathBuf>,
    /// What is kept.
    #[command(flatten)]
    pub keeping: Keeping,
    /// The number of stack frames in a report; 0 leaves them out
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Reporting")]
    pub stack: usize,
    /// Report files and baselines.
    #[command(flatten)]
    pub reports: ReportFlags,
}

/// Where events of calls are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CallEvents {
    /// At the call.
    Call,
    /// In the method.
    Callee,
}

/// Flags that were found to be in order, and the properties.
pub struct Checked {
    /// What is checked.
    pub model: Model,
    /// Their files, as they were read.
    pub sources: Vec<SourceFile>,
    /// What an agent is told; the way back is still missing.
    pub settings: Settings,
}

impl Checked {
    fn all_silenced(&self) -> Silenced {
        let mut all = Silenced::default();
        for text in &self.settings.silenced {
            // Read without fault when the flags were checked.
            let _ = all.add(text);
        }
        all
    }

    /// By property: whether sites of it are silenced so far.
    pub fn silenced(&self) -> Vec<bool> {
        let all = self.all_silenced();
        self.model.properties.iter().map(|property| all.concerns(&property.name)).collect()
    }

    /// The analyses that silenced sites without a proof.
    pub fn unsound(&self) -> Vec<String> {
        self.all_silenced().unsound().iter().map(|name| name.to_string()).collect()
    }
}

impl Flags {
    /// Checks the flags and loads the properties of a program whose classes know the constants.
    pub fn check(
        &self,
        constants: &dyn ClassConstants,
        compiler: Compiler,
        global: &Global,
        exit_status: u8,
    ) -> anyhow::Result<Checked> {
        let Flags { properties: names, .. } = self;
        let reading = &Reading { compiler, ..self.reading.clone() };
        let (model, sources) = properties::load_valid_with(names, reading, constants, global)?;
        let code = reading.compiler.compile(&model.java, &sources)?.classes;
        needs_sources(&model, &Weaver::new(&model, Options::default()))?;
        let mut silenced = Vec::new();
        for path in &self.silenced {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            silenced.push(silenced_by(path, &text, &model, RENEW, global)?);
        }
        let trace = self.collect_trace.as_deref().map(traceable).transpose()?;
        let settings = Settings {
            on_violation: self.reaction(exit_status)?,
            events: match self.events {
                CallEvents::Call => Events::Caller,
                CallEvents::Callee => Events::Callee,
            },
            scope: self.scope.clone(),
            silenced,
            history: self.keeping.history,
            max_instances: self.keeping.max_instances(),
            max_memory: self.keeping.max_memory,
            keep: self.keeping.keep(),
            max_violations: self.keeping.max_violations,
            unique: self.keeping.no_dedup,
            stack: self.stack,
            trace,
            files: sources.iter().map(|file| file.name.clone()).collect(),
            code,
            ..Settings::default()
        };
        Ok(Checked { model, sources, settings })
    }

    fn reaction(&self, exit_status: u8) -> anyhow::Result<OnViolation> {
        let words: Vec<&str> = self.on_violation.iter().map(String::as_str).collect();
        Ok(match words[..] {
            ["report"] => OnViolation::Report,
            ["throw"] => OnViolation::Throw,
            ["exit"] => OnViolation::Exit(u32::from(exit_status)),
            ["call", target] => match target.rsplit_once('.') {
                Some((class, method)) if !class.is_empty() && !method.is_empty() => {
                    OnViolation::Call(class.to_string(), method.to_string())
                }
                _ => bail!("--on-violation call {target}: expected Class.method"),
            },
            ["call"] => bail!("--on-violation call: expected a method, as in call app.Main.alarm"),
            [other, ..] => {
                bail!("--on-violation {other}: expected report, throw, exit or call Class.method")
            }
            [] => OnViolation::Report,
        })
    }
}

/// What to do about a file of silenced sites that is out of date.
pub const RENEW: &str =
    "none of its sites is silenced; `watchword analyze --silenced-out` writes a new file";

/// The lines of a file of silenced sites without those about properties that said something else when
/// they were analysed; then it is told what to do.
pub fn silenced_by(
    path: &Path,
    text: &str,
    model: &Model,
    then: &str,
    global: &Global,
) -> anyhow::Result<String> {
    let mut all = Silenced::default();
    all.add(text).map_err(|bad| anyhow::anyhow!("{}: {bad}", path.display()))?;
    for name in all.unsound() {
        let text = format!("{}: {}", path.display(), unsound(name));
        warning(global.color_on_stderr(), &text);
    }
    let mut lines: Vec<&str> = text.lines().collect();
    for property in &model.properties {
        let name = &property.name;
        if all.is_for(name, &residual::said(model, name).unwrap_or_default()) {
            continue;
        }
        warning(
            global.color_on_stderr(),
            &format!("{}: made for another text of `{name}`: {then}", path.display()),
        );
        lines.retain(|line| line.split_whitespace().next() != Some(name));
    }
    Ok(lines.join("\n"))
}

/// Where the trace goes, if it can: the program itself only writes it when it runs.
fn traceable(path: &Path) -> anyhow::Result<String> {
    let text = absolute(path)?;
    let folder = Path::new(&text).parent();
    if path.is_dir() || !folder.is_some_and(Path::is_dir) {
        bail!("--collect-trace {}: there is no folder to write this file to", path.display());
    }
    Ok(text)
}

/// Refuses properties that no JVM program has events for. Where some are proven there is nothing
/// left to do, and that is fine.
pub fn needs_sources(model: &Model, weaver: &Weaver) -> anyhow::Result<()> {
    if weaver.has_sources() || model.properties.iter().any(Property::is_proven) {
        return Ok(());
    }
    bail!(
        "no property has events of a JVM: an event needs a source, as in \
         `event next(i) = jvm before call java.util.Iterator+.next() on i`"
    )
}

/// A path that means the same wherever the program runs.
pub fn absolute(path: &Path) -> anyhow::Result<String> {
    let absolute = std::path::absolute(path)
        .with_context(|| format!("there is no current folder to find {} from", path.display()))?;
    match absolute.to_str() {
        Some(text) => Ok(text.to_string()),
        None => bail!("{}: the name is not UTF-8", path.display()),
    }
}
