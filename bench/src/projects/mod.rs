//! `make projects`: programs that nobody here wrote, alone and under all of `std/jdk`.
//!
//! A project is a line of `bench/projects/projects.toml`: a library with the tests that are published beside
//! it, or a program. Maven gets the jars. Each runs alone and monitored on every JDK of the machine, with
//! `-Xverify:all`; the tests and their results must be the same. The results are kept in
//! `bench/projects/results.json`, and `docs/projects.md` is written from all that are there, so that a run of some
//! projects renews their rows only. Every finding with its stack is in `target/projects/results`.

mod data;
mod maven;
mod page;
mod result;
mod run;

use std::path::{Path, PathBuf};

use self::data::Project;
use self::result::Results;

/// Runs the projects whose names begin with one of these, or all, and writes the page.
///
/// # Errors
/// If there is no Maven, no JDK, or a file cannot be read or written.
pub fn all(ours: &Path, only: &[&str]) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().map_err(|e| e.to_string())?;
    let projects = data::read(&root.join("bench/projects/projects.toml"))?;
    if let Some(unknown) = only.iter().find(|name| !projects.iter().any(|p| p.is_called(name))) {
        let known: Vec<&str> = projects.iter().map(|p| p.name.as_str()).collect();
        return Err(format!("there is no project {unknown}; there are: {}", known.join(", ")));
    }
    let jdks = jdks();
    if jdks.is_empty() {
        return Err("there is no JDK 17 or newer in /usr/lib/jvm".to_string());
    }
    let folder = root.join("target/projects");
    let drivers = root.join("bench/projects");
    let kept = drivers.join("results.json");
    let mut results = Results::load(&kept)?;
    for project in &projects {
        if !only.is_empty() && !only.iter().any(|name| project.is_called(name)) {
            continue;
        }
        for (release, jdk) in &jdks {
            eprintln!("{} on JDK {release}", project.name);
            let place = run::Place { ours, jdk, drivers: &drivers, folder: &folder };
            match run::both(&place, project) {
                Ok(outcome) => {
                    eprintln!("  {}", outcome.kept.line());
                    result::save(&folder, project, release, &outcome)?;
                    results.put(project, release, outcome.kept);
                    results.save(&kept)?;
                }
                Err(why) => eprintln!("  not run: {why}"),
            }
        }
    }
    let page = root.join("docs/projects.md");
    std::fs::write(&page, page::text(&projects, &results))
        .map_err(|e| format!("{}: {e}", page.display()))?;
    eprintln!("written to {}", page.display());
    Ok(())
}

/// The JDKs of this machine, each once, by release. `PROJECT_JDKS` names others, separated by colons.
fn jdks() -> Vec<(String, PathBuf)> {
    let named = std::env::var_os("PROJECT_JDKS");
    let homes: Vec<PathBuf> = match &named {
        Some(paths) => std::env::split_paths(paths).collect(),
        None => {
            let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
            installed.map(|entry| entry.path()).collect()
        }
    };
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for home in homes.iter().filter_map(|home| home.canonicalize().ok()) {
        let text = std::fs::read_to_string(home.join("release")).unwrap_or_default();
        let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="));
        let Some(version) = version.map(|version| version.trim_matches('"')) else { continue };
        let release = version.split('.').next().unwrap_or_default().to_string();
        let is_new = release.parse::<u32>().is_ok_and(|release| release >= 17);
        if is_new && home.join("bin/javac").is_file() && !found.iter().any(|(r, _)| *r == release) {
            found.push((release, home));
        }
    }
    found.sort();
    found
}

impl Project {
    fn is_called(&self, name: &str) -> bool {
        self.name == name || self.name.split(' ').next() == Some(name)
    }
}
