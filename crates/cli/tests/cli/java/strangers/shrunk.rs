//! Code that a shrinker has optimised: `this` and parameters are overwritten, or left out of the
//! stack-map frames from which on nothing uses them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::java::artifacts::{class_path, joined};
use crate::java::{compile, java, jdks};
use crate::support::{Dir, root};

const PROGUARD: &str = "com.guardsquare:proguard-base:7.6.1";
const R8: &str = "com.android.tools:r8:8.5.35";
const LIBRARIES: [&str; 1] = ["commons-io:commons-io:2.16.1"];
/// More of them, where time does not matter.
const MORE: [&str; 3] = [
    "org.apache.commons:commons-lang3:3.14.0",
    "org.apache.commons:commons-collections4:4.4",
    "com.google.guava:guava:33.0.0-jre",
];

const RULES: &str = "\
-dontwarn **
-dontnote **
-keep public class * { public protected *; }
-keepattributes Signature,InnerClasses,EnclosingMethod,Exceptions,*Annotation*
-optimizationpasses 2
-allowaccessmodification
";

fn run(java: &Path, arguments: &[String], dir: &Dir) {
    let done = Command::new(java).args(arguments).current_dir(dir.path()).output().unwrap();
    let text = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{}\n{text}", String::from_utf8_lossy(&done.stdout));
}

/// What ProGuard is asked for: one jar from these, which may name classes of libraries.
fn proguard_arguments(jdk: &Path, tool: &[PathBuf], jars: &[PathBuf], to: &str) -> Vec<String> {
    let mut arguments = ["-XX:TieredStopAtLevel=1", "-cp"].map(String::from).to_vec();
    arguments.extend([joined(tool), "proguard.ProGuard".into(), "@rules.pro".into()]);
    arguments.extend(["-injars".into(), joined(jars), "-outjars".into(), to.into()]);
    let module = jdk.join("jmods/java.base.jmod");
    let module = format!("{}(!**.jar;!module-info.class)", module.display());
    arguments.extend(["-libraryjars".into(), module]);
    arguments
}

/// Has ProGuard shrink jars.
fn by_proguard(jdk: &Path, dir: &Dir, tool: &[PathBuf], jars: &[PathBuf]) {
    run(&jdk.join("bin/java"), &proguard_arguments(jdk, tool, jars, "shrunk.jar"), dir);
}

/// Has R8 shrink jars.
fn by_r8(jdk: &Path, dir: &Dir, tool: &[PathBuf], jars: &[PathBuf]) {
    let mut arguments = ["-XX:TieredStopAtLevel=1", "-cp"].map(String::from).to_vec();
    arguments.extend([joined(tool), "com.android.tools.r8.R8".into(), "--classfile".into()]);
    arguments.extend(["--lib".into(), jdk.display().to_string()]);
    arguments.extend(["--pg-conf", "rules.pro", "--output", "shrunk.jar"].map(String::from));
    arguments.extend(jars.iter().map(|jar| jar.display().to_string()));
    run(&jdk.join("bin/java"), &arguments, dir);
}

type Shrink = fn(&Path, &Dir, &[PathBuf], &[PathBuf]);

/// Shrinks libraries and has all classes that are left verified, woven with each of these properties.
fn verify_shrunk(tool: &str, shrink: Shrink, properties: &[&str]) {
    // Needs a JDK; `jdks` says so where there is none, and fails under CI.
    let Some(jdk) = jdks().first() else { return };
    let mut libraries = LIBRARIES.to_vec();
    if std::env::var("WATCHWORD_SOAK").as_deref() == Ok("1") {
        libraries.extend(MORE);
    }
    let (Some(tool), Some(jars)) = (class_path(&[tool]), class_path(&libraries)) else { return };
    let dir = Dir::new();
    dir.write("rules.pro", RULES);
    shrink(jdk, &dir, &tool, &jars);
    let linked = link_alone_and_woven(jdk, &dir, &["shrunk.jar".to_string()], properties);
    assert!(linked.contains("LINKED ") && !linked.contains("FAILED"), "{linked}");
}

/// Links all classes of jars, alone and woven with each of these properties: the same ones can be linked. Returns which
/// cannot, and how many can.
fn link_alone_and_woven(jdk: &Path, dir: &Dir, jars: &[String], properties: &[&str]) -> String {
    let driver = root().join("crates/cli/tests/cli/java/strangers/LinkJar.java");
    compile(&[driver], dir.path());
    let mut link = vec!["-Xverify:all", "-cp", ".", "LinkJar"];
    link.extend(jars.iter().map(String::as_str));
    let plain = Command::new(jdk.join("bin/java")).args(&link).current_dir(dir.path()).output();
    let plain = String::from_utf8(plain.unwrap().stdout).unwrap();
    for property in properties {
        let woven = java(jdk, dir, &["-q", "-p", property], &link);
        assert_eq!(woven.stdout, plain, "{property}: {}", woven.stderr);
        assert_eq!(woven.status, 0, "{property}: {}", woven.stderr);
    }
    plain
}

#[test]
fn classes_shrunk_by_proguard_pass_the_verifier() {
    let everything = root().join("crates/weave/tests/java/everything.ww");
    verify_shrunk(PROGUARD, by_proguard, &["std/jdk", everything.to_str().unwrap()]);
}

#[test]
fn classes_shrunk_by_r8_pass_the_verifier() {
    verify_shrunk(R8, by_r8, &["std/jdk"]);
}

/// Programs with many libraries.
const PROGRAMS: [&str; 8] = [
    "org.springframework.boot:spring-boot-starter-web:3.3.6",
    "org.springframework.boot:spring-boot-starter-data-jpa:3.3.6",
    "org.apache.shiro:shiro-core:2.0.1",
    "org.apache.kafka:kafka-clients:3.9.0",
    "io.netty:netty-all:4.1.115.Final",
    "org.apache.commons:commons-configuration2:2.11.0",
    "org.apache.zookeeper:zookeeper:3.8.4",
    "org.apache.flink:flink-core:1.20.1",
];

/// A hundred jars, each shrunk by itself. Some refer to libraries that are not there; ProGuard may refuse them.
#[test]
fn a_hundred_jars_shrunk_one_by_one_pass_the_verifier() {
    if std::env::var("WATCHWORD_SOAK").as_deref() != Ok("1") {
        // Shrinking a hundred jars takes most of an hour: `make soak` sets it.
        println!("skipped: WATCHWORD_SOAK=1 asks for it");
        return;
    }
    // Needs a JDK; `jdks` says so where there is none, and fails under CI.
    let Some(jdk) = jdks().first() else { return };
    let programs: Option<Vec<Vec<PathBuf>>> = PROGRAMS.iter().map(|p| class_path(&[p])).collect();
    // Needs Maven for the jars; `class_path` says so where it is missing, and fails under CI.
    let (Some(proguard), Some(programs)) = (class_path(&[PROGUARD]), programs) else { return };
    let jars: BTreeSet<&PathBuf> = programs.iter().flatten().collect();
    let dir = Dir::new();
    dir.write("rules.pro", RULES);
    let mut shrunk = Vec::new();
    for (at, jar) in jars.iter().copied().enumerate() {
        if shrunk.len() == 100 {
            break;
        }
        let to = format!("shrunk{at}.jar");
        let mut arguments = proguard_arguments(jdk, &proguard, std::slice::from_ref(jar), &to);
        // What is above its classes is in the other jars of the same program.
        let program =
            programs.iter().filter(|program| program.contains(jar)).min_by_key(|p| p.len());
        for other in program.into_iter().flatten().filter(|other| *other != jar) {
            let library = format!("{}(!**.jar;!module-info.class;!META-INF/**)", other.display());
            arguments.extend(["-libraryjars".to_string(), library]);
        }
        let mut java = Command::new(jdk.join("bin/java"));
        let done = java.args(&arguments).current_dir(dir.path()).output().unwrap();
        if done.status.success() && dir.path().join(&to).is_file() {
            shrunk.push(to);
        }
    }
    assert_eq!(shrunk.len(), 100, "of {} jars", jars.len());
    let everything = root().join("crates/weave/tests/java/everything.ww");
    let properties = ["std/jdk", everything.to_str().unwrap()];
    let linked = link_alone_and_woven(jdk, &dir, &shrunk, &properties);
    let count = linked.lines().find_map(|line| line.strip_prefix("LINKED "));
    // Some cannot be linked by themselves: what they need is in none of the jars.
    assert!(count.is_some_and(|count| count.parse::<u32>().unwrap() > 10_000), "{linked}");
}
