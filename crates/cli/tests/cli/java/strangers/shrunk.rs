//! Code that a shrinker has optimised: `this` and parameters are overwritten, or left out of the
//! stack-map frames from which on nothing uses them.

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

/// Has ProGuard shrink jars.
fn by_proguard(jdk: &Path, dir: &Dir, tool: &[PathBuf], jars: &[PathBuf]) {
    let mut arguments = ["-XX:TieredStopAtLevel=1", "-cp"].map(String::from).to_vec();
    arguments.extend([joined(tool), "proguard.ProGuard".into(), "@rules.pro".into()]);
    arguments.extend(["-injars".into(), joined(jars), "-outjars".into(), "shrunk.jar".into()]);
    let module = jdk.join("jmods/java.base.jmod");
    let module = format!("{}(!**.jar;!module-info.class)", module.display());
    arguments.extend(["-libraryjars".into(), module]);
    run(&jdk.join("bin/java"), &arguments, dir);
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
    let Some(jdk) = jdks().first() else { return };
    let mut libraries = LIBRARIES.to_vec();
    if std::env::var("WATCHWORD_SOAK").as_deref() == Ok("1") {
        libraries.extend(MORE);
    }
    let (Some(tool), Some(jars)) = (class_path(&[tool]), class_path(&libraries)) else { return };
    let dir = Dir::new();
    dir.write("rules.pro", RULES);
    shrink(jdk, &dir, &tool, &jars);
    let driver = root().join("crates/cli/tests/cli/java/strangers/LinkJar.java");
    compile(&[driver], dir.path());
    let link = ["-Xverify:all", "-cp", ".", "LinkJar", "shrunk.jar"];
    let plain = Command::new(jdk.join("bin/java")).args(link).current_dir(dir.path()).output();
    let plain = String::from_utf8(plain.unwrap().stdout).unwrap();
    assert!(plain.contains("LINKED ") && !plain.contains("FAILED"), "{plain}");
    for property in properties {
        let woven = java(jdk, &dir, &["-q", "-p", property], &link);
        assert_eq!(woven.stdout, plain, "{property}: {}", woven.stderr);
        assert_eq!(woven.status, 0, "{property}: {}", woven.stderr);
    }
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
