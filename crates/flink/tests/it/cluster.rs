//! A job's jar on a cluster inside one JVM: verdicts are those of `replay`, also if a task manager dies and the
//! parallelism changes midway.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use watchword_cli::args::Cli;
use watchword_testing::Scratch;

use crate::support::{PROPERTIES, root, trace};

/// Runs a command of the command line.
fn watchword(args: &[&str]) {
    let cli = Cli::try_parse_from([&["watchword", "--quiet"], args].concat()).expect("arguments");
    watchword_cli::commands::run(cli).expect("the command runs");
}

/// Whether there is Maven, which alone can build the Java side. Without it the test says so and passes, so that the
/// other tests run on a machine without Java; not under CI.
fn maven() -> bool {
    let is_there = Command::new("mvn").arg("--version").output().is_ok_and(|o| o.status.success());
    if !is_there {
        assert!(std::env::var_os("CI").is_none(), "CI needs mvn and a JDK: scripts/setup.sh");
        eprintln!("skipped: mvn is missing");
    }
    is_there
}

/// Builds the Java side; gives its folder of outputs and the class path of Flink.
fn build(scratch: &Scratch) -> (PathBuf, String) {
    let project = root().join("integrations/flink");
    let class_path = scratch.0.join("classpath");
    let built = |offline: &[&str]| {
        Command::new("mvn")
            .args(offline)
            .args(["-q", "-B", "package"])
            .arg("org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath")
            .arg(format!("-Dmdep.outputFile={}", class_path.display()))
            .current_dir(&project)
            .output()
            .expect("maven starts")
    };
    // What was downloaded before is not asked for again.
    let mut output = built(&["-o"]);
    if !output.status.success() {
        output = built(&[]);
    }
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the Java side is not built:\n{said}");
    let class_path = std::fs::read_to_string(class_path).expect("maven wrote it");
    (project.join("target"), class_path.trim().to_string())
}

/// A folder with what a job is made of.
fn runtime(scratch: &Scratch, target: &Path) -> PathBuf {
    let beside = std::env::current_exe().expect("a path").with_file_name("libwatchword_flink.so");
    let library = std::fs::read(&beside).expect("cargo builds the library beside its tests");
    scratch.write("runtime/libwatchword_flink.so", &library);
    let jar = std::fs::read(target.join("watchword-flink.jar")).expect("maven built it");
    let jar = scratch.write("runtime/watchword-flink.jar", &jar);
    jar.parent().expect("a folder").to_path_buf()
}

/// What is compared of the lines of a file: counts, for nothing may be doubled.
fn verdicts(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let keys = ["property", "message", "binding", "state", "cause", "time"];
        let of = |key: &str| {
            let (_, rest) = line.split_once(&format!("\"{key}\":"))?;
            let end = match rest.chars().next()? {
                '"' => rest[1..].find('"')? + 2,
                '{' => rest.find('}')? + 1,
                _ => rest.find([',', '}'])?,
            };
            Some(&rest[..end])
        };
        let shown: Vec<&str> = keys.iter().map(|key| of(key).unwrap_or("none")).collect();
        *counts.entry(shown.join(" ")).or_default() += 1;
    }
    counts
}

/// The lines of the finished files in a folder and the folders in it.
fn lines_in(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("it is listed").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            text += &lines_in(&path);
        } else if !name.starts_with('.') && !name.contains("inprogress") {
            text += &std::fs::read_to_string(&path).expect("it is text");
        }
    }
    text
}

#[test]
fn a_job_finds_what_replay_finds_through_accidents() {
    if !maven() {
        return;
    }
    let scratch = Scratch::new("flink");
    let (target, class_path) = build(&scratch);
    let runtime = runtime(&scratch, &target);
    let path = |name: &str| scratch.0.join(name).to_str().expect("UTF-8").to_string();
    let property = scratch.write("all.ww", PROPERTIES.as_bytes());
    let property = property.to_str().expect("UTF-8");
    let logs: Vec<String> = (0..3)
        .map(|part| {
            let text = trace(70 + part, 40_000, part, 3);
            let path = scratch.write(&format!("logs/{part}.jsonl"), text.as_bytes());
            path.to_str().expect("UTF-8").to_string()
        })
        .collect();

    let alerts = format!("file:{}", path("alerts"));
    let mut args = vec!["replay", "-p", property, "--merge", "--sort-window", "50ms"];
    args.extend(["--history", "0", "--alert", &alerts, "--max-violations", "1"]);
    args.extend(logs.iter().map(String::as_str));
    watchword(&args);
    let expected = verdicts(&std::fs::read_to_string(path("alerts")).expect("replay wrote it"));
    for name in ["Reply", "Safe", "Beat", "Twice"] {
        let has = expected.keys().any(|key| key.starts_with(&format!("\"{name}\"")));
        assert!(has, "{name} is not violated");
    }
    assert!(expected.values().sum::<usize>() > 2_000, "{}", expected.len());

    let (source, jar) = (format!("files:{}", path("logs")), path("job.jar"));
    let runs: [(&str, &[&str]); 2] = [("1", &[]), ("2", &["kill", "rescale", "3"])];
    for (number, (parallelism, accidents)) in runs.into_iter().enumerate() {
        let found = path(&format!("found-{number}"));
        let sink = format!("files:{found}");
        let mut args = vec!["flink", "-p", property, "--source", &source, "--sink", &sink];
        args.extend(["--lateness", "50ms", "--shards", "16", "--out", &jar]);
        args.extend(["--runtime", runtime.to_str().expect("UTF-8")]);
        watchword(&args);
        let java = Command::new("java")
            .args(["--add-opens=java.base/java.util=ALL-UNNAMED", "-Xmx700m", "-cp"])
            .arg(format!("{}:{class_path}", target.join("test-classes").display()))
            .args([
                "watchword.flink.Rehearsal",
                &jar,
                &path(&format!("state-{number}")),
                parallelism,
            ])
            .args(accidents)
            .output()
            .expect("java starts");
        let said = String::from_utf8_lossy(&java.stdout).into_owned();
        let failed = || format!("{said}\n{}", String::from_utf8_lossy(&java.stderr));
        assert!(java.status.success() && said.ends_with("done\n"), "{}", failed());
        assert_eq!(said.contains("killed a task manager"), !accidents.is_empty(), "{said}");
        let found = Path::new(&found);
        assert_eq!(lines_in(&found.join("late")), "", "nothing is late");
        let verdicts = verdicts(&lines_in(&found.join("violations")));
        let difference = |a: &BTreeMap<String, usize>, b: &BTreeMap<String, usize>| {
            let only = a.iter().filter(|(key, n)| b.get(*key) != Some(n)).take(5);
            only.map(|(key, n)| format!("{n} {key}")).collect::<Vec<_>>()
        };
        assert!(
            verdicts == expected,
            "{accidents:?}: only or more in the job {:#?}, only or more in replay {:#?}",
            difference(&verdicts, &expected),
            difference(&expected, &verdicts),
        );
    }
}
