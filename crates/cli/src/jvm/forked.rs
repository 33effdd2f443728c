//! JVMs that other programs start: a build tool, a script.

use std::path::{Path, PathBuf};

use anyhow::Context;
use watchword_wire::Bundle;

use super::flags::{Checked, Flags, absolute};
use super::library;
use super::records::Records;
use super::run::for_process;
use crate::args::Global;
use crate::classes::ProgramClasses;
use crate::compiled::Compiler;
use crate::output::reports::ReportFlags;

/// Everything such JVMs need, checked and put where they find it.
pub struct Forked {
    checked: Checked,
    cache: PathBuf,
    agent: PathBuf,
    /// The folder with the classes for the module `java.base`.
    pub base: PathBuf,
    /// Where the JVMs write what they tell.
    pub records: Records,
}

impl Forked {
    /// Checks the flags, which is not possible later, and creates the folder of records.
    ///
    /// # Errors
    /// If a property, a report or this machine is not as it has to be.
    pub fn prepare(
        flags: &Flags,
        cp: &[String],
        records: Option<&Path>,
        global: &Global,
    ) -> anyhow::Result<Forked> {
        flags.reports.check_early()?;
        flags.reports.refuse_inputs(flags.properties.iter().map(Path::new))?;
        let classes = ProgramClasses::new(|| crate::residual::archives(cp));
        let class_path = crate::residual::archives(cp).unwrap_or_default();
        let compiler = Compiler { java: None, class_path };
        let mut checked = flags.check(&classes, compiler, global, 1)?;
        let cache = library::folder()?;
        let agent = library::extract(&cache)?;
        let base = library::base_classes(&cache)?;
        let records = match records {
            Some(folder) => Records::at(PathBuf::from(absolute(folder)?))?,
            None => Records::create(&cache)?,
        };
        let settings = &mut checked.settings;
        settings.base = text(&base)?;
        settings.runtime = library::RUNTIME;
        settings.output = records.output()?;
        settings.trace = settings
            .trace
            .take()
            .map(|path| for_process(Path::new(&path), "%p").to_string_lossy().into_owned());
        records.keep(&Bundle { model: checked.model.clone(), settings: settings.clone() })?;
        Ok(Forked { checked, cache, agent, base, records })
    }

    /// The option that loads the agent: with our classes in the module `java.base` or without them, with
    /// programs it leaves alone, and with the command that it runs at the end of a JVM.
    ///
    /// # Errors
    /// If the bundle of properties cannot be written.
    pub fn agent_option(
        &self,
        patched: bool,
        skip: &[&str],
        reporter: Vec<String>,
        error_exitcode: Option<u8>,
    ) -> anyhow::Result<String> {
        let mut settings = self.checked.settings.clone();
        settings.patched = patched;
        settings.skip = skip.iter().map(|pattern| pattern.to_string()).collect();
        settings.reporter = reporter;
        settings.error_status = error_exitcode.map(u32::from);
        let bundle = Bundle { model: self.checked.model.clone(), settings };
        let bundle = library::store(&self.cache, "bundle", "ww", &bundle.to_bytes()?)?;
        Ok(format!("-agentpath:{}={}", self.agent.display(), bundle.display()))
    }
}

/// The flags for reports, as another process is given them.
///
/// # Errors
/// If a path is not UTF-8.
pub fn words(reports: &ReportFlags) -> anyhow::Result<Vec<String>> {
    let ReportFlags { report, baseline, write_baseline, sources } = reports;
    let several = [("--report", report.as_slice()), ("--sources", sources.as_slice())];
    let single =
        [("--baseline", baseline.as_slice()), ("--write-baseline", write_baseline.as_slice())];
    let mut words = Vec::new();
    for (flag, paths) in several.into_iter().chain(single) {
        for path in paths {
            words.extend([flag.to_string(), absolute(path)?]);
        }
    }
    Ok(words)
}

/// A path as text.
///
/// # Errors
/// If it is not UTF-8.
pub fn text(path: &Path) -> anyhow::Result<String> {
    Ok(path.to_str().context("a path is not UTF-8")?.to_string())
}
