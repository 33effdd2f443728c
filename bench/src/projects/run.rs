//! One project on one JDK: alone, monitored, and compared.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::data::Project;
use super::maven;
use super::result::{Compared, End, Finding, Kept, Tests, by_property, file_name};
use crate::jvm::children_cpu;

/// A run that takes longer is ended, and has no result.
const LONGEST: Duration = Duration::from_secs(900);

/// Classes with tests, as Maven's own runner finds them.
const TESTS: &str = r"^(Test.*|.+[.$]Test.*|.*Tests?|.*TestCase)$";

/// What a run needs to know of the machine.
pub struct Place<'p> {
    /// The command line.
    pub ours: &'p Path,
    /// The home of the JDK.
    pub jdk: &'p Path,
    /// Where drivers of programs are.
    pub drivers: &'p Path,
    /// Where everything is put.
    pub folder: &'p Path,
}

/// One run of a project.
struct Ran {
    tests: Tests,
    cpu: f64,
}

/// Runs a project alone and monitored, and once more each if results differ.
///
/// # Errors
/// If it cannot be prepared, or does not end.
pub fn both(place: &Place<'_>, project: &Project) -> Result<Compared, String> {
    let prepared = Prepared::new(place, project)?;
    let loaded = is_loaded();
    let alone = prepared.run(place, false)?;
    let monitored = prepared.run(place, true)?;
    let report = prepared.report()?;
    let mut changed = differing(&alone.tests, &monitored.tests);
    let mut unstable = 0;
    if !changed.is_empty() {
        // A test that ends now this way, now that way says nothing about Watchword, unless it does so
        // only there.
        let again = prepared.run(place, false)?.tests;
        let differs = differing(&alone.tests, &again);
        let before = changed.len();
        changed.retain(|name| !differs.contains(name));
        if !changed.is_empty() {
            let watched = prepared.run(place, true)?.tests;
            changed.retain(|name| watched.get(name) != alone.tests.get(name));
        }
        unstable = before - changed.len();
    }
    let (findings, events, limits) = said(&report)?;
    let all = || alone.tests.values().flatten();
    let kept = Kept {
        found: all().count(),
        passed: all().filter(|end| **end == End::Passed).count(),
        changed: changed.into_iter().collect(),
        unstable,
        // More digits would be noise in the repository.
        alone: (alone.cpu * 10.0).round() / 10.0,
        monitored: (monitored.cpu * 10.0).round() / 10.0,
        loaded,
        events,
        findings: by_property(&findings),
        limits,
    };
    Ok(Compared { kept, all_findings: findings })
}

/// Whether the machine has other work: processor times are longer then.
fn is_loaded() -> bool {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = text.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    // One of them may still have the run before.
    load > processors as f64 * 0.75
}

/// Tests that are not the same in both.
fn differing(one: &Tests, other: &Tests) -> BTreeSet<String> {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

/// A project that can be started.
struct Prepared {
    folder: PathBuf,
    /// What java gets.
    arguments: Vec<String>,
    is_suite: bool,
}

impl Prepared {
    fn new(place: &Place<'_>, project: &Project) -> Result<Prepared, String> {
        let name = file_name(project);
        let folder = place.folder.join("work").join(&name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let wanted: Vec<&str> =
            project.needs.iter().chain(&project.tests).map(String::as_str).collect();
        let mut path = maven::class_path(&place.folder.join("paths").join(&name), &wanted)?;
        let temporary = folder.join("temporary");
        fs::create_dir(&temporary).map_err(|e| e.to_string())?;
        let mut arguments: Vec<String> =
            ["-Xmx1g", "-Xverify:all", "-Djava.awt.headless=true"].map(String::from).to_vec();
        // Many tests leave files behind.
        arguments.push(format!("-Djava.io.tmpdir={}", temporary.display()));
        arguments.extend(project.jvm.iter().cloned());
        arguments.push("-cp".to_string());
        for (file, text) in &project.files {
            fs::write(folder.join(file), text).map_err(|e| e.to_string())?;
        }
        if let Some(source) = &project.source {
            let classes = folder.join("classes");
            compile(place.jdk, &place.drivers.join(source), &path, &classes)?;
            path.insert(0, classes);
        }
        if let Some(tests) = &project.tests {
            let classes = unpack(place.jdk, &folder, &mut path, &maven::jar_name(tests))?;
            let console =
                maven::class_path(&place.folder.join("paths/console"), &[maven::CONSOLE])?;
            // The console has its own JUnit 5.
            path.retain(|jar| {
                !jar.components().any(|c| c.as_os_str() == "org") || !is_junit_5(jar)
            });
            path.splice(0..0, console);
            path.insert(0, classes.clone());
            arguments.push(joined(&path)?);
            arguments.push("org.junit.platform.console.ConsoleLauncher".to_string());
            arguments.extend(console_arguments(project, &classes));
        } else {
            let main = project.main.clone().ok_or("neither tests nor a main class")?;
            let path = joined(&path)?;
            arguments.extend([path.clone(), main]);
            let argument = |a: &String| a.replace("CLASSPATH", &path);
            arguments.extend(project.arguments.iter().map(argument));
        }
        Ok(Prepared { folder, arguments, is_suite: project.tests.is_some() })
    }

    fn run(&self, place: &Place<'_>, monitored: bool) -> Result<Ran, String> {
        let results = self.folder.join("results");
        let _ = fs::remove_dir_all(&results);
        let java = place.jdk.join("bin/java");
        let mut command = if monitored {
            let mut command = Command::new(place.ours);
            command.args(["java", "-q", "-p", "std/jdk", "--max-violations", "100000", "--java"]);
            command.arg(java).arg("--report").arg(self.folder.join("report.json")).arg("--");
            command
        } else {
            Command::new(java)
        };
        let log = |name: &str| {
            let kind = if monitored { "monitored" } else { "alone" };
            let path = self.folder.join(format!("{kind}.{name}"));
            fs::File::create(&path).map(|file| (file, path)).map_err(|e| e.to_string())
        };
        let ((out, said), (err, _)) = (log("out")?, log("err")?);
        command.args(&self.arguments).current_dir(&self.folder).env_remove("JAVA_TOOL_OPTIONS");
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let (start, before) = (Instant::now(), children_cpu());
        let mut child = command.spawn().map_err(|e| e.to_string())?;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
                break status;
            }
            if start.elapsed() > LONGEST {
                // Told to end, the command line has its JVM end.
                let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
                let term = rustix::process::Signal::TERM;
                let _ = pid.map(|pid| rustix::process::kill_process(pid, term));
                std::thread::sleep(Duration::from_secs(2));
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it took more than {} s", LONGEST.as_secs()));
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let cpu = children_cpu() - before;
        let tests = if self.is_suite {
            let tests = read_results(&results)?;
            if tests.is_empty() {
                return Err(format!("no test was run ({status}); see {}", self.folder.display()));
            }
            tests
        } else {
            // A program is one test: what it prints, and its status.
            let text = fs::read_to_string(said).unwrap_or_default();
            let end = if status.success() { End::Passed } else { End::Failed };
            Tests::from([(text, vec![end])])
        };
        Ok(Ran { tests, cpu })
    }

    fn report(&self) -> Result<Value, String> {
        let path = self.folder.join("report.json");
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        serde_json::from_str(&text).map_err(|e| e.to_string())
    }
}

fn is_junit_5(jar: &Path) -> bool {
    let text = jar.to_string_lossy();
    ["jupiter", "platform", "vintage"]
        .iter()
        .any(|part| text.contains(&format!("/org/junit/{part}/")))
}

fn console_arguments(project: &Project, classes: &Path) -> Vec<String> {
    let mut all = vec!["execute".to_string()];
    for package in &project.packages {
        all.extend(["--select-package".to_string(), package.clone()]);
    }
    if project.packages.is_empty() {
        all.extend(["--scan-classpath".to_string(), classes.display().to_string()]);
    }
    for class in &project.without {
        all.extend(["--exclude-classname".to_string(), class.clone()]);
    }
    all.extend(["--include-classname", TESTS, "--reports-dir", "results"].map(String::from));
    all.extend(["--details", "none", "--disable-banner"].map(String::from));
    all
}

fn joined(path: &[PathBuf]) -> Result<String, String> {
    let path = std::env::join_paths(path).map_err(|e| e.to_string())?;
    path.into_string().map_err(|_| "a path is not UTF-8".to_string())
}

/// Unpacks the jar of tests where Maven would have put its classes and its resources.
fn unpack(
    jdk: &Path,
    folder: &Path,
    path: &mut Vec<PathBuf>,
    name: &str,
) -> Result<PathBuf, String> {
    let is_tests = |jar: &PathBuf| jar.file_name().is_some_and(|file| file == name);
    let at = path.iter().position(is_tests).ok_or_else(|| format!("there is no {name}"))?;
    let jar = path.remove(at);
    let classes = folder.join("target/test-classes");
    fs::create_dir_all(&classes).map_err(|e| e.to_string())?;
    fs::create_dir_all(folder.join("src/test")).map_err(|e| e.to_string())?;
    let link = folder.join("src/test/resources");
    std::os::unix::fs::symlink("../../target/test-classes", link).map_err(|e| e.to_string())?;
    let done = Command::new(jdk.join("bin/jar")).arg("xf").arg(&jar).current_dir(&classes).status();
    match done {
        Ok(status) if status.success() => Ok(classes),
        _ => Err(format!("{} cannot be unpacked", jar.display())),
    }
}

fn compile(jdk: &Path, source: &Path, path: &[PathBuf], classes: &Path) -> Result<(), String> {
    let done = Command::new(jdk.join("bin/javac"))
        .args(["-nowarn", "-proc:none", "-parameters", "--release", "17", "-cp"])
        .arg(joined(path)?)
        .arg("-d")
        .arg(classes)
        .arg(source)
        .output()
        .map_err(|e| e.to_string())?;
    match done.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    }
}

/// Tests and how they ended, from the XML files of JUnit's console.
fn read_results(folder: &Path) -> Result<Tests, String> {
    let mut tests = Tests::new();
    let files = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for file in files.flatten() {
        let bytes = fs::read(file.path()).map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&bytes);
        for case in text.split("<testcase ").skip(1) {
            let case = case.split("</testcase>").next().unwrap_or_default();
            // The output of a test comes last, and may say anything.
            let head = case.split("<system-out>").next().unwrap_or_default();
            let id = case.split("unique-id: ").nth(1).and_then(|rest| rest.lines().next());
            let Some(id) = id else { continue };
            let end = match head {
                _ if head.contains("<failure") || head.contains("<error") => End::Failed,
                _ if head.contains("<skipped") => End::Skipped,
                _ => End::Passed,
            };
            tests.entry(steady(id)).or_default().push(end);
        }
    }
    for ends in tests.values_mut() {
        ends.sort();
    }
    Ok(tests)
}

/// The name of a test without identity hash codes: parameters are often named by `Object.toString`.
fn steady(id: &str) -> String {
    let mut parts = id.split('@');
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        text.push('@');
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    text
}

/// Findings, events and limits of a report.
fn said(report: &Value) -> Result<(Vec<Finding>, u64, Vec<String>), String> {
    let list = |name: &str| {
        report[name].as_array().cloned().ok_or_else(|| format!("the report has no {name}"))
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let place = |place: &Value| {
        let line = place["line"].as_u64().map_or(String::new(), |line| format!(":{line}"));
        format!("{} ({}{line})", text(&place["function"]), text(&place["file"]))
    };
    let finding = |violation: Value| Finding {
        property: text(&violation["property"]),
        message: text(&violation["message"]),
        at: place(&violation["location"]),
        count: violation["count"].as_u64().unwrap_or(1),
        stack: violation["stack"].as_array().into_iter().flatten().map(place).collect(),
    };
    let findings = list("violations")?.into_iter().map(finding).collect();
    let events = report["stats"]["events"].as_u64().unwrap_or(0);
    let limits = list("limits")?.iter().map(|limit| limit.to_string()).collect();
    Ok((findings, events, limits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_without_hash_codes() {
        assert_eq!(steady("[a:b]/[test:x[0: Foo@1a2b, Bar@ff]]"), "[a:b]/[test:x[0: Foo@, Bar@]]");
        assert_eq!(steady("plain"), "plain");
    }
}
