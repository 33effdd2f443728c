//! Report files and baselines: one path for every command that checks something.
//!
//! ```text
//! let mut reports = args.reports.open()?;          // before anything runs: refuses bad paths
//! …
//! let status = reports.judge(&model, &violation);  // each violation once, in order
//! …
//! let found = reports.write(&outcome)?;            // after the run: writes every file
//! ```

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_model::Model;
use watchword_view::report::Format;
use watchword_view::{Baseline, Outcome, Status, Violation};

use super::atomic;

/// Flags of every command that checks something.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ReportFlags {
    /// Also write the report to this file, by extension: .json, .sarif, .xml (JUnit), .html; may be
    /// repeated
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    pub report: Vec<PathBuf>,
    /// Report only violations that are not in this file
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    pub baseline: Option<PathBuf>,
    /// Write the violations that were found to this file, as a baseline for later runs
    #[arg(long, value_name = "FILE", help_heading = "Reporting")]
    pub write_baseline: Option<PathBuf>,
    /// A directory with sources, for the HTML report; may be repeated
    #[arg(long, value_name = "DIR", help_heading = "Reporting")]
    pub sources: Vec<PathBuf>,
}

/// Report files that are wanted, and what is known already.
#[derive(Debug, Default)]
pub struct Reports {
    files: Vec<(PathBuf, Format)>,
    baseline: Option<Baseline>,
    write_baseline: Option<PathBuf>,
    status: Vec<Status>,
}

impl ReportFlags {
    /// Checks everything that can be checked before hours of work.
    pub fn open(&self) -> anyhow::Result<Reports> {
        let files = self.formats()?;
        for path in self.written() {
            atomic::check(path)?;
        }
        let baseline = self.baseline.as_deref().map(read_baseline).transpose()?;
        let write_baseline = self.write_baseline.clone();
        Ok(Reports { files, baseline, write_baseline, status: Vec::new() })
    }

    /// Checks what can be checked long before, when folders need not be there yet: a build makes
    /// them, or [`ReportFlags::make_folders`].
    pub fn check_early(&self) -> anyhow::Result<()> {
        self.formats()?;
        for path in self.written() {
            // Of a folder that is to be made, the nearest one above that is there says whether it can be.
            let above = folder(path).ancestors().map(or_here).find(|above| above.exists());
            match above {
                Some(above) if above == folder(path) => atomic::check(path)?,
                Some(above) if above.is_dir() => atomic::check(&above.join(".watchword-report"))?,
                Some(above) => {
                    bail!("cannot write {}: {} is not a folder", path.display(), above.display())
                }
                None => {}
            }
        }
        self.baseline.as_deref().map_or(Ok(()), |path| read_baseline(path).map(drop))
    }

    /// Makes the folders of all files.
    pub fn make_folders(&self) -> anyhow::Result<()> {
        for folder in self.written().map(folder) {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        Ok(())
    }

    fn written(&self) -> impl Iterator<Item = &Path> {
        self.report.iter().chain(&self.write_baseline).map(PathBuf::as_path)
    }

    fn formats(&self) -> anyhow::Result<Vec<(PathBuf, Format)>> {
        let mut files: Vec<(PathBuf, Format)> = Vec::new();
        for path in &self.report {
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let Some(format) = Format::of_extension(extension) else {
                let known: Vec<String> =
                    Format::TABLE.iter().map(|(_, extension)| format!(".{extension}")).collect();
                bail!(
                    "{}: the extension determines the format of a report: {}",
                    path.display(),
                    known.join(", ")
                );
            };
            if files.iter().any(|(known, _)| known == path) {
                bail!("{} would be written twice", path.display());
            }
            files.push((path.clone(), format));
        }
        if let Some(path) = self.write_baseline.as_ref().filter(|p| self.report.contains(p)) {
            bail!("{} would be written twice", path.display());
        }
        Ok(files)
    }

    /// Refuses to write over what the same run reads. A baseline may replace the one that was read.
    pub fn refuse_inputs<'p>(
        &self,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> anyhow::Result<()> {
        refuse_inputs(self.report.iter().chain(&self.write_baseline), inputs)?;
        let known = self.baseline.as_ref().and_then(|path| path.canonicalize().ok());
        let is_known = |path: &&PathBuf| known.is_some() && path.canonicalize().ok() == known;
        if let Some(path) = self.report.iter().find(is_known) {
            bail!("{} is the baseline and cannot be overwritten by a report", path.display());
        }
        Ok(())
    }
}

/// Refuses to write files that the same run reads.
///
/// # Errors
/// If one of them is an input.
pub fn refuse_inputs<'w, 'p>(
    written: impl IntoIterator<Item = &'w PathBuf>,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> anyhow::Result<()> {
    let inputs: Vec<PathBuf> =
        inputs.into_iter().filter_map(|path| path.canonicalize().ok()).collect();
    let is_input = |path: &&PathBuf| path.canonicalize().is_ok_and(|p| inputs.contains(&p));
    match written.into_iter().find(is_input) {
        Some(path) => bail!("{} is an input of this run and cannot be overwritten", path.display()),
        None => Ok(()),
    }
}

/// The folder that a file is in, or would be.
pub fn folder(path: &Path) -> &Path {
    or_here(path.parent().unwrap_or(Path::new(".")))
}

/// A folder that may have been named by nothing at all.
fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

fn read_baseline(path: &Path) -> anyhow::Result<Baseline> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let Ok(text) = String::from_utf8(bytes) else {
        bail!("{name}: this is not a baseline: it is not text")
    };
    Baseline::parse(&text).with_context(|| name.to_string())
}

impl Reports {
    /// Whether only new violations count.
    pub fn has_baseline(&self) -> bool {
        self.baseline.is_some()
    }

    /// Judges the next violation; to be called for each one, in order. Without a baseline all are
    /// new.
    pub fn judge(&mut self, model: &Model, violation: &Violation) -> Status {
        let Some(baseline) = &mut self.baseline else { return Status::New };
        let status = baseline.judge(model, violation);
        self.status.push(status);
        status
    }

    /// Judges the violations of which some were judged already.
    pub fn judge_all(&mut self, model: &Model, violations: &[Violation]) {
        if self.has_baseline() {
            for violation in violations.get(self.status.len()..).unwrap_or_default() {
                self.judge(model, violation);
            }
        }
    }

    /// How each violation was judged; empty without a baseline.
    pub fn status(&self) -> Vec<Status> {
        self.status.clone()
    }

    /// How many of the violations are known.
    pub fn known(&self) -> u64 {
        self.status.iter().filter(|s| **s == Status::Known).count() as u64
    }

    /// What is to be said about the baseline, if there is one.
    pub fn summary(&self) -> Option<String> {
        let baseline = self.baseline.as_ref()?;
        let mut text = format!("baseline: {} known", self.known());
        text.push_str(&format!(", {} new", self.status.len() as u64 - self.known()));
        let unmet = baseline.unmet();
        if unmet > 0 {
            text.push_str(&format!(", {unmet} not met again"));
        }
        Some(text)
    }

    /// Writes every file that is wanted.
    pub fn write(&self, outcome: &Outcome<'_>) -> anyhow::Result<()> {
        for (path, format) in &self.files {
            atomic::write(path, format.render(outcome))?;
        }
        // Half of a baseline would replace a whole one.
        if let Some(path) = self.write_baseline.as_ref().filter(|_| outcome.stopped.is_none()) {
            let baseline = Baseline::of(outcome.model, outcome.violations);
            atomic::write(path, baseline.to_text())?;
        }
        Ok(())
    }
}
