//! What came of a project, kept in a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::data::Project;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum End {
    Passed,
    Failed,
    Skipped,
}

/// Tests by name; several may have the same.
pub type Tests = BTreeMap<String, Vec<End>>;

/// A project on a JDK, alone and monitored.
#[derive(Debug, Serialize)]
pub struct Compared {
    /// What is kept of it.
    #[serde(flatten)]
    pub kept: Kept,
    /// Every finding.
    pub all_findings: Vec<Finding>,
}

/// What the page has of a project on a JDK.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Tests that were found, and how many of them passed, without Watchword.
    pub found: usize,
    pub passed: usize,
    /// Tests whose results differ, also from those of a second run alone and a second one monitored.
    pub changed: Vec<String>,
    /// Tests that end differently from run to run, with and without Watchword.
    pub unstable: usize,
    /// Processor time in seconds.
    pub alone: f64,
    pub monitored: f64,
    /// Whether the machine had other work at that time.
    pub loaded: bool,
    /// Events in all.
    pub events: u64,
    /// By property: at how many places it was violated, and how often.
    pub findings: BTreeMap<String, (usize, u64)>,
    /// What the report says that may make it incomplete.
    pub limits: Vec<String>,
}

/// A violation, as the report lists it.
#[derive(Debug, Serialize)]
pub struct Finding {
    pub property: String,
    pub message: String,
    /// The method, file and line.
    pub at: String,
    pub count: u64,
    /// The stack, innermost frame first.
    pub stack: Vec<String>,
}

/// Findings by property.
pub fn by_property(findings: &[Finding]) -> BTreeMap<String, (usize, u64)> {
    let mut all = BTreeMap::new();
    for finding in findings {
        let (places, times) = all.entry(finding.property.clone()).or_insert((0, 0));
        *places += 1;
        *times += finding.count;
    }
    all
}

impl Kept {
    /// In a line.
    pub fn line(&self) -> String {
        format!(
            "{} of {} tests passed, {} changed, {} unstable, {} findings, CPU {:.1} s → {:.1} s ({:.2}×)",
            self.passed,
            self.found,
            self.changed.len(),
            self.unstable,
            self.places(),
            self.alone,
            self.monitored,
            self.ratio()
        )
    }

    /// At how many places a property was violated.
    pub fn places(&self) -> usize {
        self.findings.values().map(|(places, _)| places).sum()
    }

    /// Processor time monitored to alone.
    pub fn ratio(&self) -> f64 {
        self.monitored / self.alone.max(0.01)
    }
}

/// All that is known, by project and release of the JDK. It is kept in a file of the repository, so that a run of some
/// projects renews their rows of the page only.
#[derive(Default, Serialize, Deserialize)]
pub struct Results(BTreeMap<String, BTreeMap<String, Kept>>);

impl Results {
    /// Reads what is kept; a file that is not there has nothing.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn load(path: &Path) -> Result<Results, String> {
        let error = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        match fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map_err(|e| error(&e)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Results::default()),
            Err(e) => Err(error(&e)),
        }
    }

    /// Writes what is kept.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        fs::write(path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Keeps a result instead of an earlier one.
    pub fn put(&mut self, project: &Project, release: &str, result: Kept) {
        self.0.entry(project.name.clone()).or_default().insert(release.to_string(), result);
    }

    /// The result of a project on a release of the JDK.
    pub fn of(&self, project: &Project, release: &str) -> Option<&Kept> {
        self.0.get(&project.name)?.get(release)
    }

    /// How many seconds of processor time a project took alone, on the JDK where it took most; `None` if it was never
    /// run.
    pub fn takes(&self, project: &Project) -> Option<f64> {
        self.0.get(&project.name)?.values().map(|kept| kept.alone).reduce(f64::max)
    }

    /// The releases of JDKs, oldest first.
    pub fn releases(&self) -> Vec<String> {
        let mut all: Vec<String> = self.0.values().flat_map(|by| by.keys().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// Writes a result with every finding, to look at.
///
/// # Errors
/// If it cannot be written.
pub fn save(
    folder: &Path,
    project: &Project,
    release: &str,
    result: &Compared,
) -> Result<(), String> {
    let folder = folder.join("results");
    fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let text = serde_json::to_string_pretty(result).map_err(|e| e.to_string())?;
    let path = folder.join(format!("{}.{release}.json", file_name(project)));
    fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The name of a project in file names.
pub fn file_name(project: &Project) -> String {
    project.name.replace([' ', '/'], "-")
}
