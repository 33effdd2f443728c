//! The projects, as `projects.toml` describes them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// What is run, and how.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Project {
    /// Its name and version, for people.
    pub name: String,
    /// The artifact with the tests, if it is a suite.
    #[serde(default)]
    pub tests: Option<String>,
    /// The artifacts on its class path, with what they depend on.
    pub needs: Vec<String>,
    /// Packages of tests; all if there are none.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Regular expressions for classes of tests to leave out.
    #[serde(default)]
    pub without: Vec<String>,
    /// Options of the JVM.
    #[serde(default)]
    pub jvm: Vec<String>,
    /// The class of a program.
    #[serde(default)]
    pub main: Option<String>,
    /// Its arguments; `CLASSPATH` stands for the class path.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Files it reads, by name.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The Java file with the class, beside `projects.toml`.
    #[serde(default)]
    pub source: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    suite: Vec<Project>,
    #[serde(default)]
    program: Vec<Project>,
}

/// Reads the projects: first the suites, then the programs.
///
/// # Errors
/// If the file cannot be read or says something that is not known.
pub fn read(path: &Path) -> Result<Vec<Project>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let File { suite, program } =
        toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(suite.into_iter().chain(program).collect())
}
