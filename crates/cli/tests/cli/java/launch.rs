//! How programs are started: their own options hold, and nothing of ours outlives us.

use std::process::{Command, Stdio};

use super::{cache, compile, java, jdks, report};
use crate::support::{Dir, binary, root};

const ITERATORS: &str = "import java.util.*;
public class Broken {
    interface Step { Object take(); }
    public static void main(String[] a) {
        List<Integer> l = new ArrayList<>(List.of(1, 2, 3));
        Iterator<Integer> i = l.iterator();
        l.add(4);
        Step step = i::next;
        try { step.take(); } catch (ConcurrentModificationException e) { System.out.println(\"caught\"); }
    }
}";

fn broken() -> (Dir, String) {
    let dir = Dir::new();
    for folder in ["src/shop", "patch/java/util"] {
        std::fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    dir.write("src/shop/Broken.java", format!("package shop;\n{ITERATORS}"));
    compile(&[dir.path().join("src/shop/Broken.java")], dir.path());
    (dir, root().join("examples/java/safe-list-iterator.ww").display().to_string())
}

/// A program that patches the module our classes are in, and one that insists on an archive of
/// classes that cannot be used or made, run and are monitored.
#[test]
fn options_of_the_program_hold() {
    let (dir, property) = broken();
    dir.write("patch/java/util/Patched.txt", "a file of java.base");
    dir.write("options", "--patch-module java.base=patch");
    for jdk in jdks() {
        for options in [
            &["--patch-module", "java.base=patch"][..],
            &["--patch-module=java.base=patch"],
            &["@options"],
            &["-Xshare:on"],
            &["-XX:ArchiveClassesAtExit=classes.jsa"],
            &["-XX:AOTMode=on", "-XX:AOTCache=classes.aot"],
            &["-Xcheck:jni"],
        ] {
            let flags = ["-p", &property, "--report", "out.json"];
            let arguments = [options, &["-cp", ".", "shop.Broken"]].concat();
            let ran = java(jdk, &dir, &flags, &arguments).expect(0);
            assert_eq!(ran.stdout, "caught\n", "{options:?}: {}", ran.stderr);
            let report = report(&dir, "out.json");
            assert_eq!(report["violations"].as_array().unwrap().len(), 1, "{options:?}");
        }
    }
}

/// A run that has checked nothing is no success for those who ask for a status.
#[test]
fn a_run_that_checked_nothing_has_the_status_of_a_violation() {
    // Needs a JDK; `jdks` says so where there is none, and fails under CI.
    let Some(jdk) = jdks().first() else { return };
    let (dir, property) = broken();
    dir.write(
        "none.ww",
        "event gone(o) = jvm before call shop.Gone.go() on o\n\
         property Gone(o) { start state A { on gone(o) -> B } bad state B }",
    );
    let run = |flags: &[&str]| java(jdk, &dir, flags, &["-cp", ".", "shop.Broken"]);
    let ran = run(&["-p", "none.ww", "--error-exitcode", "9"]).expect(9);
    assert!(ran.stderr.contains("nothing was checked"), "{}", ran.stderr);
    run(&["-p", "none.ww", "-q", "--error-exitcode", "9", "--inconclusive-exitcode", "8"])
        .expect(9);
    let ran = run(&["-p", "none.ww"]).expect(0);
    assert!(ran.stderr.contains("nothing was checked"), "{}", ran.stderr);
    // Of two properties, one has sites.
    dir.write(
        "quiet.ww",
        "event add(l) = jvm before call java.util.List+.add(*) on l\n\
         event drop(l) = jvm before call java.util.List+.clear() on l\n\
         property Quiet(l) { start state A { on add(l) -> A  on drop(l) -> B } bad state B }",
    );
    let ran = run(&["-p", "none.ww", "-p", "quiet.ww", "--error-exitcode", "9"]);
    assert!(!ran.stderr.contains("nothing was checked"), "{}", ran.stderr);
    run(&["-p", &property, "--error-exitcode", "9"]).expect(9);
    // A build without tests: it stands for Maven, and for one that fails by itself.
    for (script, status) in [("exit 0", 9), ("exit 3", 3)] {
        dir.write("mvnw", format!("#!/bin/sh\n{script}\n"));
        make_executable(&dir.path().join("mvnw"));
        let output = Command::new(binary())
            .args([
                "-q",
                "mvn",
                "-p",
                &property,
                "--error-exitcode",
                "9",
                "--",
                "package",
                "-DskipTests",
            ])
            .current_dir(dir.path())
            .env("JAVA_HOME", jdk)
            .env("XDG_CACHE_HOME", cache())
            .output()
            .unwrap();
        assert_eq!(
            output.status.code(),
            Some(status),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// One report is shown as it comes; the others at its place are told at the end.
#[test]
fn violations_at_the_same_place_are_told_at_the_end() {
    // Needs a JDK; `jdks` says so where there is none, and fails under CI.
    let Some(jdk) = jdks().first() else { return };
    let dir = Dir::new();
    dir.write(
        "Pays.java",
        "public class Pays { void pay() {} public static void main(String[] a) {
        for (int i = 0; i < 4; i++) { Pays p = new Pays(); for (int j = 0; j < 2; j++) p.pay(); } } }",
    );
    compile(&[dir.path().join("Pays.java")], dir.path());
    dir.write(
        "once.ww",
        "event paid(p) = jvm before call Pays.pay() on p\n\
         property Once(p) { start state A { on paid(p) -> P } state P { on paid(p) -> B } bad state B }",
    );
    let ran = java(jdk, &dir, &["-p", "once.ww"], &["-cp", ".", "Pays"]).expect(0);
    assert!(ran.stderr.contains("4 violations"), "{}", ran.stderr);
    assert!(ran.stderr.contains("3 violations more at the places shown above"), "{}", ran.stderr);
    let ran = java(jdk, &dir, &["-p", "once.ww", "--no-dedup"], &["-cp", ".", "Pays"]).expect(0);
    assert!(!ran.stderr.contains("at the places shown above"), "{}", ran.stderr);
}

fn make_executable(file: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;

    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A scope may name classes that a JVM needs before there is a hook: they are left alone, and that
/// is told.
#[test]
fn a_scope_may_have_classes_of_the_jdk() {
    let Some(jdk) = jdks().first() else { return };
    let (dir, property) = broken();
    let flags = ["-p", &property, "--scope", "jdk.internal.module.*", "--scope", "shop.*"];
    let ran = java(jdk, &dir, &flags, &["-cp", ".", "shop.Broken"]).expect(0);
    assert_eq!(ran.stdout, "caught\n");
    assert!(ran.stderr.contains("is loaded before monitoring begins"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 violation"), "{}", ran.stderr);
}

/// What code scanning reads names files as a repository has them; frames of ours are not shown.
#[test]
fn places_are_those_of_the_sources() {
    let Some(jdk) = jdks().first() else { return };
    let (dir, property) = broken();
    let flags = ["-p", &property, "--report", "out.sarif", "--report", "out.json", "-q"];
    java(jdk, &dir, &flags, &["-cp", ".", "shop.Broken"]).expect(0);
    let sarif = report(&dir, "out.sarif");
    let result = &sarif["runs"][0]["results"][0];
    let uri = |place: &serde_json::Value| {
        place["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap().to_string()
    };
    assert_eq!(uri(&result["locations"][0]), "src/shop/Broken.java");
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(uri(&flow[0]["location"]), "src/shop/Broken.java");
    let report = report(&dir, "out.json");
    let stack = report["violations"][0]["stack"].as_array().unwrap();
    assert!(!stack.is_empty());
    assert!(
        stack.iter().all(|f| !f["function"].as_str().unwrap().contains("watchword")),
        "{stack:?}"
    );
}

/// Who is killed cannot pass a signal on: the program hears of it.
#[test]
fn a_program_does_not_outlive_its_monitor() {
    let Some(jdk) = jdks().first() else { return };
    let (dir, property) = broken();
    dir.write(
        "Waits.java",
        "public class Waits { public static void main(String[] a) throws Exception {
        System.out.println(ProcessHandle.current().pid());
        Thread.sleep(600_000);
    } }",
    );
    compile(&[dir.path().join("Waits.java")], dir.path());
    let mut child = Command::new(binary())
        .args(["java", "-p", &property, "--java"])
        .arg(jdk.join("bin/java"))
        .args(["--", "-cp", ".", "Waits"])
        .current_dir(dir.path())
        .env("XDG_CACHE_HOME", cache())
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut pid = String::new();
    std::io::BufRead::read_line(&mut output, &mut pid).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    // The pipe closes when the last process that has it ends.
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut output, &mut rest).unwrap();
    assert!(pid.trim().parse::<u32>().is_ok(), "{pid}");
}

#[test]
fn a_jdk_that_is_too_old_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    // A build without the agent refuses every JDK.
    if jdks().is_empty() {
        return;
    }
    for (folder, version, release) in [("jre/bin", "1.8.0_402", "8"), ("bin", "11.0.24", "11")] {
        let dir = Dir::new();
        std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        dir.write("release", format!("JAVA_VERSION=\"{version}\"\n"));
        let java = format!("{folder}/java");
        dir.write(&java, "#!/bin/sh\necho started\n");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(dir.path().join(&java), mode).unwrap();
        let arguments = ["java", "-p", "std/safe-iterator", "--java", &java, "--", "-version"];
        let refused = dir.run(&arguments).expect(2);
        assert_eq!(refused.stdout, "");
        assert!(
            refused.stderr.contains(&format!("belongs to JDK {release}")),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains("needs JDK 17 or newer"), "{}", refused.stderr);
    }
}
