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
#[derive(Debug, Serialize, Deserialize)]
pub struct Compared {
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
    /// Events in all.
    pub events: u64,
    pub findings: Vec<Finding>,
    /// What the report says that may make it incomplete.
    pub limits: Vec<String>,
}

/// A violation, as the report lists it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Finding {
    pub property: String,
    pub message: String,
    /// The method, file and line.
    pub at: String,
    pub count: u64,
    /// The stack, innermost frame first.
    pub stack: Vec<String>,
}

impl Compared {
    /// In a line.
    pub fn line(&self) -> String {
        format!(
            "{} of {} tests passed, {} changed, {} unstable, {} findings, CPU {:.1} s → {:.1} s ({:.2}×)",
            self.passed,
            self.found,
            self.changed.len(),
            self.unstable,
            self.findings.len(),
            self.alone,
            self.monitored,
            self.ratio()
        )
    }

    /// Processor time monitored to alone.
    pub fn ratio(&self) -> f64 {
        self.monitored / self.alone.max(0.01)
    }
}

/// All that is known, by project and release of the JDK.
pub struct Results(pub BTreeMap<(String, String), Compared>);

impl Results {
    /// Reads what is kept of these projects.
    ///
    /// # Errors
    /// If the folder cannot be read or a file has no result in it.
    pub fn load(folder: &Path, projects: &[Project]) -> Result<Results, String> {
        let mut all = BTreeMap::new();
        let files = fs::read_dir(folder.join("results")).map_err(|e| e.to_string())?;
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let Some((name, release)) =
                name.strip_suffix(".json").and_then(|name| name.rsplit_once('.'))
            else {
                continue;
            };
            let Some(project) = projects.iter().find(|p| file_name(p) == name) else { continue };
            let text = fs::read_to_string(file.path()).map_err(|e| e.to_string())?;
            let result = serde_json::from_str(&text).map_err(|e| format!("{name}: {e}"))?;
            all.insert((project.name.clone(), release.to_string()), result);
        }
        Ok(Results(all))
    }

    /// The releases of JDKs, oldest first.
    pub fn releases(&self) -> Vec<String> {
        let mut all: Vec<String> = self.0.keys().map(|(_, release)| release.clone()).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// Keeps a result.
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
