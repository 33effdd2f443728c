//! Weaving ahead of time: the woven program alone is the program, under monitors it is watched.

use std::path::Path;
use std::process::Command;

use super::{compile, java, jdks};
use crate::support::Dir;

const PROPERTY: &str = "\
event create(c, i) = jvm after call java.util.Collection+.iterator() on c returns i
event update(c)    = jvm before call java.util.Collection+.{add, remove, clear}(..) on c
event next(i)      = jvm before call java.util.Iterator+.next() on i
property SafeIterator(c, i) {
  never create next* update+ next
  message \"{i} used after {c} changed\"
}
";

const MAIN: &str = "\
package app;
import java.util.*;
public class Main {
    public static void main(String[] args) {
        List<String> list = new ArrayList<>(List.of(\"a\", \"b\"));
        Iterator<String> it = list.iterator();
        System.out.println(it.next());
        list.add(\"c\");
        try { it.next(); } catch (ConcurrentModificationException e) { System.out.println(\"changed\"); }
        java.util.function.Supplier<Iterator<String>> again = list::iterator;
        java.util.function.Function<Iterator<String>, String> next = Iterator::next;
        System.out.println(next.apply(again.get()));
    }
}
";

/// A folder with the property, `classes` and `app.jar`; `None` without a JDK.
fn program() -> Option<(Dir, &'static Path)> {
    let jdk = jdks().first()?;
    let dir = Dir::new();
    dir.write("it.ww", PROPERTY)
        .write("Main.java", MAIN)
        .write("manifest", "Main-Class: app.Main\n");
    compile(&[dir.path().join("Main.java")], &dir.path().join("classes"));
    tool(jdk, &dir, "jar", &["cfm", "app.jar", "manifest", "-C", "classes", "."]);
    Some((dir, jdk))
}

fn tool(jdk: &Path, dir: &Dir, name: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(jdk.join("bin").join(name));
    let done = command.args(arguments).current_dir(dir.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{name} {arguments:?}: {stderr}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn weave(dir: &Dir, jdk: &Path, arguments: &[&str]) -> crate::support::Ran {
    let home = jdk.to_string_lossy().into_owned();
    let mut all = vec!["weave", "-p", "it.ww", "--jdk", &home];
    all.extend(arguments);
    dir.run(&all)
}

#[test]
fn a_woven_jar_runs_alone_and_under_monitors() {
    let Some((dir, jdk)) = program() else { return };
    let ran = weave(&dir, jdk, &["app.jar", "-o", "woven.jar"]).expect(0);
    assert!(
        ran.stderr.contains("SafeIterator: 6 sites (create 2, update 1, next 3)"),
        "{}",
        ran.stderr
    );
    weave(&dir, jdk, &["app.jar", "-o", "again.jar"]).expect(0);
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(bytes("woven.jar") == bytes("again.jar"), "the same input gives the same output");
    let plain = tool(jdk, &dir, "java", &["-jar", "app.jar"]);
    assert_eq!(tool(jdk, &dir, "java", &["-Xverify:all", "-jar", "woven.jar"]), plain);
    for jdk in jdks() {
        let ran = java(jdk, &dir, &["-p", "it.ww"], &["-jar", "woven.jar"]).expect(0);
        assert_eq!(ran.stdout, plain);
        assert!(ran.stderr.contains("used after ArrayList@"), "{}", ran.stderr);
        assert!(ran.stderr.contains("SafeIterator: 6 sites, 6 events"), "{}", ran.stderr);
    }
    // An archive that is a program stays one.
    let script = format!("#!/bin/sh\nexec {}/bin/java -jar \"$0\"\n", jdk.display());
    let program = dir.path().join("program.jar");
    std::fs::write(&program, [script.as_bytes(), &bytes("app.jar")].concat()).unwrap();
    let rights = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, rights).unwrap();
    weave(&dir, jdk, &["program.jar", "-o", "done.jar"]).expect(0);
    assert!(bytes("done.jar").starts_with(script.as_bytes()));
    let ran = std::process::Command::new(dir.path().join("done.jar")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), plain);
}

#[test]
fn folders_and_jars_in_jars_are_woven() {
    let Some((dir, jdk)) = program() else { return };
    let ran = weave(&dir, jdk, &["--format", "json", "classes", "-o", "out"]).expect(0);
    assert_eq!(ran.json()["properties"][0]["sites"], 6);
    assert!(dir.path().join("out/app/Main.class").is_file());
    weave(&dir, jdk, &["classes", "-o", "out"]).expect(2);
    std::fs::create_dir_all(dir.path().join("fat/lib")).unwrap();
    std::fs::copy(dir.path().join("app.jar"), dir.path().join("fat/lib/app.jar")).unwrap();
    tool(jdk, &dir, "jar", &["cf0", "fat.jar", "-C", "fat", "."]);
    let ran =
        weave(&dir, jdk, &["--format", "json", "fat.jar", "app.jar", "-o", "both/"]).expect(0);
    assert_eq!(ran.json()["properties"][0]["sites"], 12);
    assert!(dir.path().join("both/fat.jar").is_file() && dir.path().join("both/app.jar").is_file());
}

#[test]
fn what_cannot_be_woven_is_refused_and_nothing_is_written() {
    let Some((dir, jdk)) = program() else { return };
    std::fs::create_dir_all(dir.path().join("signed/META-INF")).unwrap();
    dir.write("signed/META-INF/KEY.SF", "Signature-Version: 1.0\n");
    tool(jdk, &dir, "jar", &["cf", "signed.jar", "-C", "classes", ".", "-C", "signed", "META-INF"]);
    let before = dir.names();
    let ran = weave(&dir, jdk, &["app.jar", "signed.jar", "-o", "out"]).expect(2);
    assert!(ran.stderr.contains("signed.jar is signed"), "{}", ran.stderr);
    weave(&dir, jdk, &["app.jar", "-o", "app.jar"]).expect(2);
    weave(&dir, jdk, &["nowhere.jar", "-o", "out.jar"]).expect(2);
    weave(&dir, jdk, &["manifest", "-o", "out.jar"]).expect(2);
    dir.write("broken.jar", "PK, but no archive");
    weave(&dir, jdk, &["broken.jar", "-o", "out.jar"]).expect(2);
    std::fs::remove_file(dir.path().join("broken.jar")).unwrap();
    assert_eq!(dir.names(), before);
    weave(&dir, jdk, &["--strip-signatures", "signed.jar", "-o", "out.jar"]).expect(0);
    let listed = tool(jdk, &dir, "jar", &["tf", "out.jar"]);
    assert!(!listed.contains("KEY.SF") && listed.contains("app/Main.class"), "{listed}");
}

#[test]
fn silence_is_explained_and_sites_can_be_silenced() {
    let Some((dir, jdk)) = program() else { return };
    dir.write("it.ww", "event go(i) = jvm before call java.util.Iterator.nxet() on i\nproperty P(i) { never go }\n");
    let ran = weave(&dir, jdk, &["app.jar", "-o", "out.jar"]).expect(0);
    let hint = "there is no call of java.util.Iterator.nxet, but of java.util.Iterator.next";
    assert!(ran.stderr.contains("P: 0 sites") && ran.stderr.contains(hint), "{}", ran.stderr);
    dir.write("it.ww", PROPERTY).write("some", "SafeIterator app.* * * next # proven\n");
    let ran = weave(&dir, jdk, &["--silenced", "some", "app.jar", "-o", "out.jar"]).expect(0);
    assert!(ran.stderr.contains("SafeIterator: 3 sites (create 2, update 1)"), "{}", ran.stderr);
    dir.write("some", "SafeIterator app.Main\n");
    let ran = weave(&dir, jdk, &["--silenced", "some", "app.jar", "-o", "out.jar"]).expect(2);
    assert!(ran.stderr.contains("some: line 1: expected property"), "{}", ran.stderr);
}

const UNSEEN: &str = "\
package app;
import java.io.Serializable;
import java.util.*;
import java.util.function.*;
public class Unseen {
    interface Step extends Function<Iterator<String>, String>, Serializable {}
    public static void main(String[] args) throws Exception {
        Step step = Iterator::next;
        Object first = Iterator.class.getMethod(\"next\").invoke(List.of(\"a\").iterator());
        if (args.length > 0) System.out.println(first + step.apply(List.of(\"b\").iterator()));
    }
}
";

#[test]
fn what_cannot_be_seen_is_told() {
    let Some(jdk) = jdks().first() else { return };
    let dir = Dir::new();
    let property = "\
event next(i) = jvm before call java.util.Iterator+.next() on i
event fork(n) = jvm after branch with n = line
property P() {
  also next
  start state A { on fork(_) -> A }
}
";
    dir.write("it.ww", property).write("Unseen.java", UNSEEN);
    compile(&[dir.path().join("Unseen.java")], &dir.path().join("classes"));
    let ran = weave(&dir, jdk, &["classes", "-o", "out"]).expect(0);
    for told in [
        "calls through java.lang.reflect.Method are not observed; `execution` observes them",
        "is not observed, because it can be serialised",
        "`after branch` is not possible",
    ] {
        assert!(ran.stderr.contains(told), "{told}:\n{}", ran.stderr);
    }
}
