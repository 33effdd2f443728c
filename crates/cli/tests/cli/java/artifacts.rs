//! Third-party programs at the versions that tests name: Maven gets them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::support::Dir;

/// The class path of artifacts (`group:name:version`, or `group:name:version:classifier`) and of what
/// they depend on. Without Maven it is `None`, the test says that it is skipped, and under CI it fails.
pub fn class_path(artifacts: &[&str]) -> Option<Vec<PathBuf>> {
    // Several at once may write the same file into Maven's folder.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    // Maven takes seconds to say what it said before.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("artifacts");
    let known = folder.join(artifacts.join("+").replace(':', "_"));
    let jars = |path: &str| path.trim().split(':').map(PathBuf::from).collect::<Vec<_>>();
    if let Ok(path) = std::fs::read_to_string(&known)
        && jars(&path).iter().all(|jar| jar.is_file())
    {
        return Some(jars(&path));
    }
    let Some(path) = resolve(artifacts) else {
        // `scripts/setup.sh` installs it, where that is allowed.
        assert!(std::env::var_os("CI").is_none(), "CI needs mvn");
        println!("skipped: there is no mvn");
        return None;
    };
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&known, &path).unwrap();
    Some(jars(&path))
}

/// The class path as Maven writes it; `None` without Maven.
fn resolve(artifacts: &[&str]) -> Option<String> {
    let dir = Dir::new();
    let dependency = |artifact: &&str| {
        let parts: Vec<&str> = artifact.split(':').collect();
        let [group, name, version, classifier @ ..] = &parts[..] else { panic!("{artifact}") };
        let classifier = classifier
            .first()
            .map_or(String::new(), |classifier| format!("<classifier>{classifier}</classifier>"));
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>\
             <version>{version}</version>{classifier}</dependency>"
        )
    };
    let dependencies: String = artifacts.iter().map(dependency).collect();
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId>\
         <version>1</version><packaging>pom</packaging>\
         <dependencies>{dependencies}</dependencies></project>"
    );
    dir.write("pom.xml", pom);
    let maven = |flags: &[&str]| {
        let goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath";
        Command::new("mvn")
            .args(flags)
            .args(["--batch-mode", "--quiet", goal, "-Dmdep.outputFile=path.txt"])
            .current_dir(dir.path())
            .stdin(Stdio::null())
            .output()
            .ok()
    };
    // What it has is not asked for again.
    let done = match maven(&["--offline"])? {
        done if !done.status.success() => maven(&[])?,
        done => done,
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    Some(dir.read("path.txt"))
}

/// Files as `-cp` takes them.
pub fn joined(jars: &[PathBuf]) -> String {
    std::env::join_paths(jars).unwrap().into_string().unwrap()
}
