//! `make projects`: programs that nobody here wrote, alone and under all of `std/jdk`.
//!
//! A project is a line of `bench/projects/projects.toml`: a library with the tests that are published beside
//! it, or a program. Maven gets the jars. Each runs alone and monitored on every JDK of the machine, with
//! `-Xverify:all`; the tests and their results must be the same. The results are kept in
//! `bench/projects/results.json`, and `docs/projects.md` is written from all that are there, so that a run of some
//! projects renews their rows only. Every finding with its stack is in `target/projects/results`.
//! `watchword-bench --project-of-today` runs a short one and writes nothing.

mod data;
mod maven;
mod page;
mod result;
mod run;

use std::path::{Path, PathBuf};

use self::data::Project;
use self::result::Results;

/// What there is to run, where, and with what.
struct Setup {
    root: PathBuf,
    projects: Vec<Project>,
    /// By release.
    jdks: Vec<(String, PathBuf)>,
    /// What came of the projects so far.
    results: Results,
}

impl Setup {
    fn new() -> Result<Setup, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let root = root.canonicalize().map_err(|e| e.to_string())?;
        let projects = data::read(&root.join("bench/projects/projects.toml"))?;
        let jdks = jdks();
        if jdks.is_empty() {
            return Err("there is no JDK 17 or newer in /usr/lib/jvm".to_string());
        }
        let results = Results::load(&root.join(RESULTS))?;
        Ok(Setup { root, projects, jdks, results })
    }

    /// Runs a project on a JDK, below that folder.
    fn run(
        &self,
        ours: &Path,
        jdk: &Path,
        project: &Project,
        folder: &Path,
    ) -> Result<result::Compared, String> {
        let drivers = self.root.join("bench/projects");
        run::both(&run::Place { ours, jdk, drivers: &drivers, folder }, project)
    }
}

const RESULTS: &str = "bench/projects/results.json";

/// Runs the projects whose names begin with one of these, or all, and writes the page.
///
/// # Errors
/// If there is no Maven, no JDK, or a file cannot be read or written.
pub fn all(ours: &Path, only: &[&str]) -> Result<(), String> {
    let mut setup = Setup::new()?;
    let projects = std::mem::take(&mut setup.projects);
    if let Some(unknown) = only.iter().find(|name| !projects.iter().any(|p| p.is_called(name))) {
        let known: Vec<&str> = projects.iter().map(|p| p.name.as_str()).collect();
        return Err(format!("there is no project {unknown}; there are: {}", known.join(", ")));
    }
    let folder = setup.root.join("target/projects");
    let kept = setup.root.join(RESULTS);
    for project in &projects {
        if !only.is_empty() && !only.iter().any(|name| project.is_called(name)) {
            continue;
        }
        for (release, jdk) in &setup.jdks.clone() {
            eprintln!("{} on JDK {release}", project.name);
            match setup.run(ours, jdk, project, &folder) {
                Ok(outcome) => {
                    eprintln!("  {}", outcome.kept.line());
                    result::save(&folder, project, release, &outcome)?;
                    setup.results.put(project, release, outcome.kept);
                    setup.results.save(&kept)?;
                }
                Err(why) => eprintln!("  not run: {why}"),
            }
        }
    }
    let page = setup.root.join("docs/projects.md");
    std::fs::write(&page, page::text(&projects, &setup.results))
        .map_err(|e| format!("{}: {e}", page.display()))?;
    eprintln!("written to {}", page.display());
    Ok(())
}

/// Runs one of the suites that take seconds, another one each day, on every JDK, and writes nothing down: what `make
/// test` has time for.
///
/// # Errors
/// If it cannot be run, or if a test has another result with Watchword.
pub fn of_today(ours: &Path) -> Result<(), String> {
    let setup = Setup::new()?;
    let is_short = |project: &&Project| {
        project.tests.is_some() && setup.results.takes(project).is_some_and(|cpu| cpu < SHORT)
    };
    let short: Vec<&Project> = setup.projects.iter().filter(is_short).collect();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let day = now.map_err(|e| e.to_string())?.as_secs() / 86_400;
    let at = (day as usize).checked_rem(short.len()).ok_or("no suite is known to be short")?;
    let project = short[at];
    // Its own: somebody may run all projects at the same time.
    let folder = setup.root.join("target/projects/today");
    for (release, jdk) in &setup.jdks {
        eprintln!("{} on JDK {release}", project.name);
        let kept = setup.run(ours, jdk, project, &folder)?.kept;
        eprintln!("  {}", kept.line());
        if !kept.changed.is_empty() {
            return Err(format!("tests with another result: {}", kept.changed.join(", ")));
        }
    }
    Ok(())
}

/// Seconds of processor time that a suite may take alone to be called short.
const SHORT: f64 = 6.0;

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
