//! Class paths, resolved by Maven.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What runs the tests of a suite: JUnit 3, 4 and 5.
pub const CONSOLE: &str = "org.junit.platform:junit-platform-console-standalone:1.10.2";

const GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath";

/// The jars of artifacts (`group:name:version`, or with a classifier behind) and of what they depend on. The
/// answer is kept in a file of that folder: Maven takes seconds to repeat it.
///
/// # Errors
/// If there is no Maven, or it does not find one of them.
pub fn class_path(folder: &Path, artifacts: &[&str]) -> Result<Vec<PathBuf>, String> {
    fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let wanted = artifacts.join("\n");
    let (asked, answer) = (folder.join("artifacts.txt"), folder.join("path.txt"));
    let jars = || -> Option<Vec<PathBuf>> {
        let text = fs::read_to_string(&answer).ok()?;
        let jars: Vec<PathBuf> = std::env::split_paths(text.trim()).collect();
        jars.iter().all(|jar| jar.is_file()).then_some(jars)
    };
    if fs::read_to_string(&asked).is_ok_and(|text| text == wanted)
        && let Some(jars) = jars()
    {
        return Ok(jars);
    }
    fs::write(folder.join("pom.xml"), pom(artifacts)).map_err(|e| e.to_string())?;
    let done = Command::new("mvn")
        .args(["--batch-mode", "--quiet", GOAL, "-Dmdep.outputFile=path.txt"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("mvn: {e}"))?;
    if !done.status.success() {
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        let why = text.lines().find(|line| line.contains("ERROR")).unwrap_or("it failed");
        return Err(format!("mvn: {why}"));
    }
    fs::write(&asked, &wanted).map_err(|e| e.to_string())?;
    jars().ok_or_else(|| "mvn: there is no class path".to_string())
}

fn pom(artifacts: &[&str]) -> String {
    let dependency = |artifact: &&str| {
        let mut parts = artifact.split(':');
        let mut part = || parts.next().unwrap_or_default();
        let (group, name, version, classifier) = (part(), part(), part(), part());
        let classifier = match classifier {
            "" => String::new(),
            classifier => format!("<classifier>{classifier}</classifier>"),
        };
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>\
             <version>{version}</version>{classifier}</dependency>"
        )
    };
    let dependencies: String = artifacts.iter().map(dependency).collect();
    format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId>\
         <version>1</version><packaging>pom</packaging>\
         <dependencies>{dependencies}</dependencies></project>"
    )
}

/// The name of the jar of an artifact.
pub fn jar_name(artifact: &str) -> String {
    let parts: Vec<&str> = artifact.split(':').collect();
    format!("{}.jar", parts[1..].join("-"))
}
