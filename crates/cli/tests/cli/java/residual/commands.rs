//! `analyze`, `model`, `java --residual` and `weave --residual` as people use them.

use std::path::Path;

use super::super::{cache, compile, java, java_with_cache, jdks, report};
use super::generator::Random;
use crate::support::{Dir, Ran, root};

const MAIN: &str = "\
package app;
import java.util.*;
public class Main {
    static List<String> shared = new ArrayList<>();
    static int local() {
        List<String> list = new ArrayList<>();
        list.add(\"a\");
        int n = 0;
        for (String s : list) n += s.length();
        return n;
    }
    public static void main(String[] args) {
        System.out.println(local());
        shared.add(\"b\");
        Iterator<String> it = shared.iterator();
        shared.add(\"c\");
        try { it.next(); } catch (ConcurrentModificationException e) { System.out.println(\"changed\"); }
    }
}
";

const LOCAL: &str = "\
package app;
public class Local {
    public static void main(String[] args) { System.out.println(Main.local()); }
}
";

pub fn property() -> String {
    root().join("examples/residual/iterators.ww").to_str().unwrap().to_owned()
}

/// A folder with `Main` in `classes`; `None` without a JDK.
fn program() -> Option<(Dir, &'static Path)> {
    let jdk = jdks().first()?;
    let dir = Dir::new();
    dir.write("Main.java", MAIN).write("Local.java", LOCAL);
    compile(&[dir.path().join("Main.java")], &dir.path().join("classes"));
    Some((dir, jdk))
}

fn analyze(dir: &Dir, jdk: &Path, arguments: &[&str]) -> Ran {
    let (property, home) = (property(), jdk.to_str().unwrap());
    let mut all = vec!["analyze", "-p", &property, "--jdk", home];
    all.extend(arguments);
    let output = std::process::Command::new(crate::support::binary())
        .args(&all)
        .current_dir(dir.path())
        .env("XDG_CACHE_HOME", cache())
        .output()
        .unwrap();
    Ran {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn analyze_tells_what_is_left_and_why() {
    let Some((dir, jdk)) = program() else { return };
    let ran = analyze(&dir, jdk, &["classes", "--sites", "--no-cache"]).expect(0);
    assert!(ran.stdout.contains("1 class read in"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("SafeIterator: 7 sites in 2 methods of 1 class, 3 silenced (42.9 %), 4 left"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains(
            "Main.java:15 (app.Main.main) create: needed: `next` at Main.java:17 may be reported"
        ),
        "{}",
        ran.stdout
    );
    let first = analyze(&dir, jdk, &["classes", "--format", "json"]).expect(0).json();
    let again = analyze(&dir, jdk, &["classes", "--format", "json"]).expect(0).json();
    assert_eq!(first, again, "a remembered result is the result");
    assert_eq!(first["properties"][0]["silenced"], 3);
    assert_eq!(first["properties"][0]["proven"], false);
    assert_eq!(first["sites"].as_array().unwrap().len(), 7);
    assert!(first["assumptions"].as_array().unwrap().len() >= 4);
    let ran = analyze(&dir, jdk, &["classes"]).expect(0);
    assert!(ran.stdout.contains("1 class, as analysed before"), "{}", ran.stdout);
}

#[test]
fn analyze_explains_single_sites() {
    let Some((dir, jdk)) = program() else { return };
    let why = |site: &str| analyze(&dir, jdk, &["classes", "--why", site]);
    let left = why("Main.java:15").expect(0).stdout.clone();
    let reason = "needed: `next` at Main.java:17 may be reported";
    assert!(
        left.starts_with(&format!(
            "SafeIterator: Main.java:15 (app.Main.main) create: left, {reason}"
        )),
        "{left}"
    );
    assert!(left.contains("  depends on Main.java:17 (app.Main.main) next: "), "{left}");
    assert!(left.contains("left for this reason\n  what would help: --assume"), "{left}");
    let silenced = why("Main.local").expect(0).stdout.clone();
    assert_eq!(silenced.matches(": silenced by ").count(), 3, "{silenced}");
    assert_eq!(why("app.Main").expect(0).stdout.matches("SafeIterator: ").count(), 7);
    let nowhere = why("Main.java:1").expect(2);
    assert!(nowhere.stderr.contains("there is no site at this place"), "{}", nowhere.stderr);
}

/// Methods that a class does not override, though it has one of the same name; and methods of classes that
/// extend something that is missing.
#[test]
fn calls_run_what_they_run_in_a_jvm() {
    let Some(jdk) = jdks().first() else { return };
    let dir = Dir::new();
    let all = "import java.util.*;";
    dir.write(
        "A.java",
        format!(
            "package a; {all} public class A extends ArrayList<Object> {{\n\
             \x20 Iterator<Object> begin(List<Object> list) {{ return list.iterator(); }}\n\
             \x20 public Iterator<Object> of(List<Object> list) {{ return begin(list); }} }}\n"
        ),
    );
    dir.write(
        "B.java",
        format!(
            "package b; {all} public class B extends a.A {{\n\
             \x20 Iterator<Object> begin(List<Object> list) {{ return null; }} }}\n"
        ),
    );
    dir.write("Base.java", "public class Base {}\n");
    dir.write(
        "Torn.java",
        format!(
            "{all} public class Torn extends Base implements Main.Begins {{\n\
             \x20 public Iterator<Object> begun(List<Object> list) {{ return list.iterator(); }} }}\n"
        ),
    );
    dir.write(
        "Main.java",
        format!(
            "{all} public class Main {{\n\
             \x20 interface Begins {{ Iterator<Object> begun(List<Object> list); }}\n\
             \x20 static void use(List<Object> list, Iterator<Object> it) {{\n\
             \x20   list.add(3);\n\
             \x20   try {{ it.next(); }} catch (ConcurrentModificationException e) {{ }} }}\n\
             \x20 public static void main(String[] args) {{\n\
             \x20   List<Object> one = new ArrayList<>(List.of(1));\n\
             \x20   use(one, new b.B().of(one));\n\
             \x20   List<Object> two = new ArrayList<>(List.of(1));\n\
             \x20   Begins begins = args.length == 0 ? new Torn() : null;\n\
             \x20   use(two, begins.begun(two)); }} }}\n"
        ),
    );
    let sources = ["A.java", "B.java", "Base.java", "Torn.java", "Main.java"];
    compile(&sources.map(|file| dir.path().join(file)), &dir.path().join("classes"));
    let property = property();
    let reports = |flags: &[&str]| {
        let flags = [&["-p", &property, "--report", "out.json"], flags].concat();
        java(jdk, &dir, &flags, &["-cp", "classes", "Main"]).expect(0);
        report(&dir, "out.json")["violations"][0]["count"].clone()
    };
    assert_eq!(reports(&[]), 2);
    assert_eq!(reports(&["--residual"]), 2);
    // What was missing is there when the program runs.
    let base = dir.path().join("classes/Base.class");
    let kept = std::fs::read(&base).unwrap();
    std::fs::remove_file(&base).unwrap();
    analyze(&dir, jdk, &["classes", "--silenced-out", "silenced.txt", "--no-cache"]).expect(0);
    std::fs::write(&base, kept).unwrap();
    assert_eq!(reports(&["--silenced", "silenced.txt"]), 2);
}

#[test]
fn pages_show_sources_or_bytecode() {
    let Some((dir, jdk)) = program() else { return };
    let ran = analyze(&dir, jdk, &["classes", "--format", "html"]).expect(0);
    assert!(ran.stdout.starts_with("<!doctype html>"), "{}", ran.stdout);
    assert!(ran.stdout.contains("invokeinterface java/util/Iterator.next"), "{}", ran.stdout);
    assert!(ran.stdout.contains("class=\"silenced\"") && ran.stdout.contains("<svg"));
    std::fs::create_dir_all(dir.path().join("src/app")).unwrap();
    std::fs::copy(dir.path().join("Main.java"), dir.path().join("src/app/Main.java")).unwrap();
    let ran = analyze(&dir, jdk, &["classes", "--format", "html", "--sources", "src"]).expect(0);
    assert!(ran.stdout.contains("List&lt;String&gt; list = new ArrayList"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("invokeinterface"), "{}", ran.stdout);
}

#[test]
fn certificates_are_written_and_checked() {
    let Some((dir, jdk)) = program() else { return };
    let found = analyze(&dir, jdk, &["classes", "--certificates", "proofs.txt"]).expect(0);
    let text = dir.read("proofs.txt");
    assert!(
        text.starts_with("property\tSafeIterator\nmethod\tapp.Main\tlocal\t()I\t0\n"),
        "{text}"
    );
    let ran = analyze(&dir, jdk, &["classes", "--check-certificates", "proofs.txt"]).expect(0);
    let counts =
        |ran: &Ran| ran.stdout.lines().nth(2).unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(counts(&ran), counts(&found));
    // Without its last pair, the proof has a gap.
    let shorter = text.trim_end().rsplit_once('\n').unwrap().0.to_owned();
    for (wrong, words) in [
        (shorter, "not confirmed; the first: app.Main.local()I: a point at node"),
        (text.replace("SafeIterator", "Other"), "Other is not an analysed property"),
        (text.replace("\tapp.Main\t", "\tapp.Gone\t"), "app.Gone.local()I: no site of"),
        ("at\t1\tI\t0\t0\n".to_owned(), "wrong.txt: line 1: no slice yet"),
        ("anything\n".to_owned(), "wrong.txt: line 1: not a line"),
    ] {
        dir.write("wrong.txt", wrong);
        let ran = analyze(&dir, jdk, &["classes", "--check-certificates", "wrong.txt"]).expect(2);
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    let flags = ["classes", "--algorithm", "clara-quick", "--certificates", "none.txt"];
    let ran = analyze(&dir, jdk, &flags).expect(2);
    assert!(ran.stderr.contains("only `--algorithm sound` has certificates"), "{}", ran.stderr);
    assert!(!dir.path().join("none.txt").exists());
}

#[test]
fn published_analyses_say_that_they_are_not_sound() {
    let Some((dir, jdk)) = program() else { return };
    let ran = analyze(&dir, jdk, &["classes", "--algorithm", "bism-paper"]).expect(0);
    assert!(ran.stdout.contains("warning: this published analysis is not sound"), "{}", ran.stdout);
    let ran = analyze(&dir, jdk, &["classes", "--algorithm", "clara-quick", "--format", "json"]);
    assert_eq!(ran.expect(0).json()["algorithm"], "clara-quick");
    // With nothing safe, more escapes, and less is silenced.
    dir.write(
        "Shown.java",
        "import java.util.*; class Shown { static void m() { List<String> list = new ArrayList<>();
         Iterator<String> it = list.iterator(); list.add(\"a\"); String.valueOf(list); } }",
    );
    compile(&[dir.path().join("Shown.java")], &dir.path().join("shown"));
    dir.write("none.txt", "# nothing is safe\n");
    let silenced = |flags: &[&str]| {
        let flags = [&["shown", "--algorithm", "bism-paper", "--format", "json"], flags].concat();
        analyze(&dir, jdk, &flags).expect(0).json()["properties"][0]["silenced"].as_u64().unwrap()
    };
    assert_eq!((silenced(&[]), silenced(&["--safe", "none.txt"])), (2, 0));
    analyze(&dir, jdk, &["shown", "--safe", "none.txt"]).expect(2);
    for wrong in [&["nowhere.jar"][..], &["p.ww"], &["classes", "--format", "dot"]] {
        dir.write("p.ww", "");
        analyze(&dir, jdk, wrong).expect(2);
    }
}

#[test]
fn sites_that_are_no_calls_are_told_apart() {
    let Some((dir, jdk)) = program() else { return };
    dir.write(
        "p.ww",
        "event asked(i) = jvm before call java.util.Iterator+.hasNext() on i\n\
         event ran = jvm before execution app.Main.main(..)\n\
         property Ran() { never ran asked }\n",
    );
    let flags = ["-p", "p.ww", "--residual"];
    let ran = java(jdk, &dir, &flags, &["-cp", "classes", "app.Main"]).expect(0);
    let told = " at calls silenced; monitored beside: sites that are no calls";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

/// Sites are calls: a method reference is monitored, and told of beside them.
#[test]
fn method_references_are_told_of_beside_the_sites() {
    let Some((dir, jdk)) = program() else { return };
    dir.write(
        "Refers.java",
        "import java.util.*;\npublic class Refers {\n\
         public static void main(String[] args) { List<String> list = new ArrayList<>();\n\
         list.add(\"a\"); List.of(\"b\").forEach(list::add);\n\
         for (String s : list) System.out.println(s); } }",
    );
    compile(&[dir.path().join("Refers.java")], &dir.path().join("refers"));
    let ran = analyze(&dir, jdk, &["refers", "--no-cache"]).expect(0);
    let told = "  sites are calls; monitored beside: 1 method reference\n";
    assert!(ran.stdout.contains("SafeIterator: 3 sites in 1 method"), "{}", ran.stdout);
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    let json = analyze(&dir, jdk, &["refers", "--format", "json"]).expect(0).json();
    assert_eq!(json["properties"][0]["references"], 1);
    let again = analyze(&dir, jdk, &["refers"]).expect(0);
    assert!(again.stdout.contains("as analysed before"), "{}", again.stdout);
    assert!(again.stdout.contains(told), "{}", again.stdout);
    // The sites that are left, and the method reference.
    let left = json["properties"][0]["left"].as_u64().unwrap();
    let flags = ["-p", &property(), "--residual"];
    let ran = java(jdk, &dir, &flags, &["-cp", "refers", "Refers"]).expect(0);
    let told = "of 3 sites at calls silenced; monitored beside: 1 method reference";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("SafeIterator: {} sites", left + 1)), "{}", ran.stderr);
    let ran = analyze(&dir, jdk, &["refers", "--algorithm", "clara-quick"]).expect(0);
    assert!(ran.stdout.contains("monitored beside: 1 method reference"), "{}", ran.stdout);
}

#[test]
fn a_property_without_a_call_says_so() {
    let Some((dir, jdk)) = program() else { return };
    dir.write(
        "Only.java",
        "import java.util.*;\npublic class Only { public static void main(String[] args) {\n\
         Iterator<String> it = List.of(\"a\").iterator();\n\
         java.util.function.Supplier<String> next = it::next; next.get(); next.get(); } }",
    );
    compile(&[dir.path().join("Only.java")], &dir.path().join("only"));
    dir.write(
        "p.ww",
        "event next(i) = jvm before call java.util.Iterator+.next() on i\n\
         property Once(i) { never next next }\n",
    );
    let told = "no call to silence: its sites are not calls, are method references or are in other classes; all of them are monitored";
    let flags = ["-p", "p.ww", "--residual"];
    let ran = java(jdk, &dir, &flags, &["-cp", "only", "Only"]);
    assert!(ran.stderr.contains(&format!("Once: {told}")), "{}", ran.stderr);
}

#[test]
fn a_program_runs_without_its_silenced_sites() {
    let Some((dir, jdk)) = program() else { return };
    let property = property();
    let flags = ["-p", &property, "--report", "full.json"];
    java(jdk, &dir, &flags, &["-cp", "classes", "app.Main"]).expect(0);
    let flags = ["-p", &property, "--residual", "--report", "residual.json"];
    let ran = java(jdk, &dir, &flags, &["-cp", "classes", "app.Main"]).expect(0);
    assert!(ran.stderr.contains("residual: SafeIterator: 3 of 7 sites silenced"), "{}", ran.stderr);
    assert!(ran.stderr.contains("SafeIterator: 4 sites, 4 events"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("analysed"), "{}", ran.stderr);
    let [full, residual] = ["full.json", "residual.json"].map(|name| report(&dir, name));
    let place = |r: &serde_json::Value| r["violations"][0]["location"].clone();
    assert_eq!(full["violations"].as_array().unwrap().len(), 1);
    assert_eq!(residual["violations"].as_array().unwrap().len(), 1);
    assert_eq!(place(&full), place(&residual));
}

#[test]
fn a_proven_property_is_told() {
    let Some((dir, jdk)) = program() else { return };
    let text = MAIN.split("    public static void main").next().unwrap().to_owned() + "}\n";
    dir.write("Main.java", text.replace("static List<String> shared = new ArrayList<>();", ""));
    let files = ["Main.java", "Local.java"].map(|name| dir.path().join(name));
    compile(&files, &dir.path().join("proven"));
    let property = property();
    let flags = ["-p", &property, "--residual", "--report", "out.json"];
    let ran = java(jdk, &dir, &flags, &["-cp", "proven", "app.Local"]).expect(0);
    let line = ran.stderr.lines().find(|line| line.contains("SafeIterator: proven: none of its 3"));
    let line = line.unwrap_or_else(|| panic!("{}", ran.stderr));
    assert!(
        line.contains("assuming same classes, ") && line.contains("table of the JDK"),
        "{line}"
    );
    assert!(!line.contains("equals is stable"), "{line}");
    assert!(ran.stderr.contains("residual: proven assuming that"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("none of its program points"), "{}", ran.stderr);
    assert_eq!(report(&dir, "out.json")["properties"][0]["verdict"], "proven");
}

/// The class path of the environment is read; what is compiled in memory is fully monitored.
#[test]
fn what_java_runs_is_analysed() {
    let Some((dir, jdk)) = program() else { return };
    let property = property();
    let run = |variable: (&str, &str), arguments: &[&str]| {
        let output = std::process::Command::new(crate::support::binary())
            .args(["java", "-p", &property, "--residual", "--java"])
            .arg(jdk.join("bin/java"))
            .arg("--")
            .args(arguments)
            .current_dir(dir.path())
            .env("XDG_CACHE_HOME", cache())
            .env(variable.0, variable.1)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for name in ["JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"] {
        let value = match name {
            "JDK_JAVA_OPTIONS" => "-cp 'classes'",
            "_JAVA_OPTIONS" => "-Djava.class.path=classes",
            _ => "classes",
        };
        let told = run((name, value), &["app.Main"]);
        assert!(told.contains("residual: SafeIterator: 3 of 7 sites silenced"), "{name}: {told}");
        assert!(told.contains("SafeIterator: 4 sites, 4 events"), "{name}: {told}");
    }
    let told = run(("CLASSPATH", "classes"), &["Main.java"]);
    assert!(told.contains("every site is monitored: Main.java is compiled"), "{told}");
}

#[test]
fn classes_that_differ_from_those_analysed_are_fully_monitored() {
    let Some((dir, jdk)) = program() else { return };
    analyze(&dir, jdk, &["classes", "--silenced-out", "sites.txt"]).expect(0);
    let property = property();
    let flags = ["-p", &property, "--silenced", "sites.txt"];
    let ran = java(jdk, &dir, &flags, &["-cp", "classes", "app.Main"]).expect(0);
    assert!(ran.stderr.contains("SafeIterator: 4 sites"), "{}", ran.stderr);
    // The same offsets mean other instructions now.
    dir.write("Main.java", MAIN.replace("int n = 0;", "int n = 0; list.add(\"d\");"));
    let files = ["Main.java", "Local.java"].map(|name| dir.path().join(name));
    compile(&files, &dir.path().join("classes"));
    let ran = java(jdk, &dir, &flags, &["-cp", "classes", "app.Main"]).expect(0);
    assert!(ran.stderr.contains("SafeIterator: 8 sites"), "{}", ran.stderr);
    assert!(ran.stderr.contains("app.Main differs from the analysed class"), "{}", ran.stderr);
    let ran = java(jdk, &dir, &flags, &["-cp", "classes", "app.Local"]).expect(0);
    assert!(ran.stderr.contains("app.Local was not analysed"), "{}", ran.stderr);
}

#[test]
fn a_second_run_remembers_the_first() {
    let Some((dir, jdk)) = program() else { return };
    let (property, cache) = (property(), dir.path().join("cache"));
    let run = || {
        let flags = ["-p", &property, "--residual"];
        java_with_cache(&cache, jdk, &dir, &flags, &["-cp", "classes", "app.Main"]).expect(0).stderr
    };
    // What a run needs, as it was kept by the files that its classes are in.
    let kept = || {
        let entries = std::fs::read_dir(cache.join("watchword/residual")).unwrap();
        let mut kept: Vec<_> = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_str().unwrap().ends_with("-run"))
            .collect();
        kept.sort();
        kept
    };
    let first = run();
    assert!(first.contains("residual: SafeIterator: 3 of 7 sites silenced"), "{first}");
    let [known] = &kept()[..] else { panic!("{:?}", kept()) };
    let text = std::fs::read_to_string(known).unwrap();
    let marked = text.replace("3 of 7 sites silenced", "3 of 7 sites remembered");
    std::fs::write(known, &marked).unwrap();
    let told = run();
    assert!(told.contains("residual: SafeIterator: 3 of 7 sites remembered"), "{told}");
    assert!(told.contains("SafeIterator: 4 sites, 4 events"), "{told}");
    // Half of it is none of it.
    std::fs::write(known, &marked[..marked.len() / 2]).unwrap();
    assert_eq!(run(), first);
    // A class that changed is analysed again.
    dir.write("Main.java", MAIN.replace("int n = 0;", "int n = 0; list.add(\"d\");"));
    compile(&[dir.path().join("Main.java")], &dir.path().join("classes"));
    let told = run();
    assert!(told.contains("residual: SafeIterator: 4 of 8 sites silenced"), "{told}");
    // One that changed and does not look it is fully monitored.
    let all = kept();
    let other = all.iter().find(|path| *path != known).unwrap();
    std::fs::copy(known, other).unwrap();
    let told = run();
    assert!(told.contains("app.Main differs from the analysed class"), "{told}");
    assert!(told.contains("SafeIterator: 8 sites"), "{told}");
}

#[test]
fn properties_that_differ_from_those_analysed_are_fully_monitored() {
    let Some((dir, jdk)) = program() else { return };
    analyze(&dir, jdk, &["classes", "--silenced-out", "sites.txt"]).expect(0);
    let text = std::fs::read_to_string(property()).unwrap();
    let run = |name: &str, text: &str| {
        dir.write(name, text);
        let flags = ["-p", name, "--silenced", "sites.txt"];
        java(jdk, &dir, &flags, &["-cp", "classes", "app.Main"]).expect(0).stderr
    };
    // What is written otherwise and says the same is the same.
    let told = run("same.ww", &text.replace("never create", "never  create"));
    assert!(told.contains("SafeIterator: 4 sites") && !told.contains("warning"), "{told}");
    let told = run("other.ww", &text.replace("update+ next", "update* next"));
    assert!(told.contains("SafeIterator: 7 sites"), "{told}");
    assert!(told.contains("sites.txt: made for another text of `SafeIterator`"), "{told}");
    let flags = ["weave", "-p", "other.ww", "--silenced", "sites.txt", "classes", "-o", "woven"];
    let told = dir.run(&flags).expect(0).stderr;
    assert!(told.contains("made for another text of `SafeIterator`"), "{told}");
}

#[test]
fn weaving_leaves_silenced_sites_out() {
    let Some((dir, jdk)) = program() else { return };
    let (property, home) = (property(), jdk.to_str().unwrap());
    let arguments =
        ["weave", "-p", &property, "--jdk", home, "--residual", "classes", "-o", "woven"];
    let ran = dir.run(&arguments).expect(0);
    assert!(ran.stderr.contains("residual: SafeIterator: 3 of 7 sites silenced"), "{}", ran.stderr);
    assert!(ran.stderr.contains("SafeIterator: 4 sites"), "{}", ran.stderr);
    let ran = java(jdk, &dir, &["-p", &property], &["-cp", "woven", "app.Main"]).expect(0);
    assert!(ran.stderr.contains("SafeIterator: 4 sites, 4 events"), "{}", ran.stderr);
    // A class of which nothing is left is not woven when it is loaded, either.
    let quiet = MAIN.replace("shared.iterator()", "null").replace("it.next();", "local();");
    dir.write("Main.java", quiet);
    compile(&[dir.path().join("Main.java")], &dir.path().join("quiet"));
    let arguments = ["weave", "-p", &property, "--jdk", home, "--residual", "quiet", "-o", "done"];
    let ran = dir.run(&arguments).expect(0);
    assert!(ran.stderr.contains("SafeIterator: 0 sites"), "{}", ran.stderr);
    let ran = java(jdk, &dir, &["-p", &property], &["-cp", "done", "app.Main"]).expect(0);
    assert!(!ran.stderr.contains("SafeIterator: 1 site"), "{}", ran.stderr);
    assert!(ran.stderr.contains("SafeIterator: 0 sites"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_residual_is_refused() {
    let Some((dir, jdk)) = program() else { return };
    let property = property();
    let program = ["-cp", "classes", "app.Main"];
    for (flags, words) in [
        (&["--scope", "java.util.*"][..], "does not analyse the JDK's own classes"),
        (&["--scope", "*"], "does not analyse the JDK's own classes"),
        (&["--events", "callee"], "--residual analyses calls"),
    ] {
        let flags = [&["-p", &property, "--residual"], flags].concat();
        let ran = java(jdk, &dir, &flags, &program).expect(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    let ran = java(jdk, &dir, &["-p", &property, "--residual"], &["-cp", "nowhere", "app.Main"]);
    // `java` says what it says.
    let told = ran.expect(1).stderr;
    assert!(told.contains("every site is monitored: there are no classes"), "{told}");
    assert!(told.contains("Could not find or load main class app.Main"), "{told}");
}

#[test]
fn methods_are_shown_as_automata() {
    let Some((dir, jdk)) = program() else { return };
    let (property, home) = (property(), jdk.to_str().unwrap());
    let model = |flags: &[&str]| {
        let base = ["model", "-p", &property, "--jdk", home, "classes", "--method"];
        dir.run(&[&base, flags].concat())
    };
    let ran = model(&["app.Main.local"]).expect(0);
    assert!(ran.stdout.starts_with("digraph"), "{}", ran.stdout);
    let ran = model(&["local", "--format", "json"]).expect(0).json();
    let states = ran["models"][0]["states"].as_array().unwrap().clone();
    let events: Vec<&str> = states.iter().filter_map(|s| s["event"].as_str()).collect();
    assert_eq!(events, ["update", "create", "next"]);
    assert_eq!(states[0]["line"], 7);
    // What an object escapes to is named.
    dir.write("none.txt", "opcode nop\n");
    for (method, to) in [("main", "java.io.PrintStream.println"), ("<clinit>", "app.Main.shared")] {
        let method = format!("app.Main.{method}");
        let flags = [&method, "--format", "json", "--escapes", "all", "--safe", "none.txt"];
        let ran = model(&flags).expect(0).json();
        let states = ran["models"][0]["states"].as_array().unwrap().clone();
        let through: Vec<&str> = states.iter().filter_map(|s| s["through"].as_str()).collect();
        assert!(through.contains(&to), "{states:?}");
        let named = |s: &serde_json::Value| s["through"].is_string() == (s["event"] == "#");
        assert!(states.iter().all(named), "{states:?}");
    }
    let ran = model(&["app.Main.*", "--format", "svg", "--accept", "all", "--escapes", "all"]);
    assert!(ran.expect(0).stdout.contains("<svg"));
    dir.write("safe.txt", "package java.*\nmethod app.Main.*\n");
    model(&["app.Main.main", "--safe", "safe.txt", "--no-exceptions"]).expect(0);
    dir.write("safe.txt", "nothing\n");
    let ran = model(&["app.Main.main", "--safe", "safe.txt"]).expect(2);
    assert!(ran.stderr.contains("safe.txt: line 1"), "{}", ran.stderr);
    model(&["app.Main.absent"]).expect(2);
}

/// Class files with bytes changed are analysed or left alone; never a panic.
#[test]
fn damaged_class_files_are_left_alone() {
    let Some((dir, jdk)) = program() else { return };
    let whole = std::fs::read(dir.path().join("classes/app/Main.class")).unwrap();
    let mut random = Random::new(11);
    for round in 0..8 {
        let folder = dir.path().join(format!("damaged{round}"));
        std::fs::create_dir_all(&folder).unwrap();
        for file in 0..40 {
            let mut bytes = whole.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            if random.chance(10) {
                bytes.truncate(random.below(bytes.len()));
            }
            std::fs::write(folder.join(format!("C{file}.class")), bytes).unwrap();
        }
        let name = folder.file_name().unwrap().to_str().unwrap();
        let ran = analyze(&dir, jdk, &[name, "--no-cache"]).expect(0);
        assert!(ran.stdout.contains("SafeIterator"), "{}\n{}", ran.stdout, ran.stderr);
    }
}

/// What was woven ahead knows what it was analysed with: other classes and other properties are told
/// of, and of missing classes anything is expected.
#[test]
fn what_was_woven_ahead_says_what_it_was_analysed_with() {
    let Some(jdk) = jdks().first() else { return };
    let dir = Dir::new();
    dir.write(
        "Store.java",
        "import java.util.*;
        public class Store {
          private final List<String> items = new ArrayList<>(List.of(\"a\"));
          public List<String> items() { return items; }
          public void put(String item) { items.add(item); }
        }",
    );
    dir.write(
        "Client.java",
        "import java.util.*;
        public class Client {
          public static void main(String[] args) {
            Store store = new Store();
            Iterator<String> it = store.items().iterator();
            store.put(\"b\");
            try { it.next(); } catch (ConcurrentModificationException e) { }
            for (String own : new ArrayList<>(List.of(\"c\"))) own.length();
          }
        }",
    );
    let sources = ["Store.java", "Client.java"].map(|file| dir.path().join(file));
    compile(&sources, &dir.path().join("all"));
    for (folder, class) in [("store", "Store.class"), ("client", "Client.class")] {
        let folder = dir.path().join(folder);
        std::fs::create_dir(&folder).unwrap();
        std::fs::copy(dir.path().join("all").join(class), folder.join(class)).unwrap();
    }
    let property = property();
    let weave = |input: &str, more: &[&str]| {
        let output = format!("woven-{input}");
        let flags = [&["weave", "-p", &property, "--residual", input, "-o", &output], more];
        dir.run(&flags.concat()).expect(0)
    };
    let runs = |flags: &[&str], path: &str| {
        let flags = [flags, &["--report", "out.json"]].concat();
        let ran = java(jdk, &dir, &flags, &["-cp", path, "Client"]).expect(0);
        let report = report(&dir, "out.json");
        let limits = report["limits"].as_array().unwrap().len();
        (report["violations"].as_array().unwrap().len(), limits, ran.stderr)
    };
    // The client without the class it calls: nothing is silenced.
    assert!(weave("client", &[]).stderr.contains("Store is missing"));
    assert_eq!(runs(&["-p", &property], "woven-client:store").0, 1);
    // The store on its own: nothing iterates over what it changes, and so it is told who does.
    weave("store", &[]);
    let (violations, limits, told) = runs(&["-p", &property], "woven-store:client");
    assert_eq!((violations, limits), (0, 1), "{told}");
    assert!(told.contains("Client was not analysed"), "{told}");
    // Both together, and the same property: nothing to tell. Another text of it: told.
    weave("all", &[]);
    let (violations, limits, told) = runs(&["-p", &property], "woven-all");
    assert_eq!((violations, limits), (1, 0), "{told}");
    let text = std::fs::read_to_string(&property).unwrap();
    dir.write("other.ww", text.replace("never create next*", "never create next next?"));
    let (.., told) = runs(&["-p", "other.ww"], "woven-all");
    assert!(told.contains("another text of `SafeIterator`"), "{told}");
}

#[test]
fn without_a_class_that_can_be_read_nothing_is_analysed() {
    let dir = Dir::new();
    dir.write("Broken.class", "\u{1}");
    let ran = dir.run(&["analyze", "-p", &property(), "Broken.class"]).expect(2);
    assert!(ran.stderr.contains("no class could be read"), "{}", ran.stderr);
}

#[test]
fn names_that_are_not_there_prove_nothing() {
    let Some((dir, jdk)) = program() else { return };
    let property = std::fs::read_to_string(property()).unwrap();
    assert!(property.contains("Iterator+.next()"), "{property}");
    dir.write("typo.ww", property.replace("Iterator+.next()", "Iterator+.nxet()"));
    let told =
        "warning: SafeIterator: `next`: java.util.Iterator has no method nxet, did you mean next?";
    let ran = java(
        jdk,
        &dir,
        &["-p", "typo.ww", "--residual", "--report", "out.json"],
        &["-cp", "classes", "app.Main"],
    )
    .expect(0);
    assert!(ran.stderr.contains(&told.replace("warning: ", "residual: ")), "{}", ran.stderr);
    assert!(!ran.stderr.contains("proven"), "{}", ran.stderr);
    assert_eq!(report(&dir, "out.json")["properties"][0]["verdict"], "not-violated");
    let output = std::process::Command::new(crate::support::binary())
        .args(["analyze", "-p", "typo.ww", "classes", "--jdk", jdk.to_str().unwrap()])
        .current_dir(dir.path())
        .env("XDG_CACHE_HOME", cache())
        .output()
        .unwrap();
    let [out, errors] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
    assert!(errors.contains(told), "{errors}");
    assert!(out.contains("not proven: it names a method or field that does not exist"), "{out}");
    // An event that nobody declares never happens in a program.
    let never = property.split("property").next().unwrap();
    let text = "property P(i) { start state S { on nxet(i) -> B } bad state B }";
    dir.write("other.ww", format!("{never}{text}\nproperty Q(i) {{ never next next }}\n"));
    let ran = java(jdk, &dir, &["-p", "other.ww"], &["-cp", "classes", "app.Main"]).expect(2);
    assert!(ran.stderr.contains("error[WW0214]: event `nxet` is not declared"), "{}", ran.stderr);
}

/// Ways to get an iterator that a deque or a map of the program keeps, by a view of the JDK's.
const VIEWS: [&str; 3] = [
    "((Deque<Integer>) new Mine()).reversed()",
    "((SequencedSet<Integer>) Collections.newSequencedSetFromMap(new Keys()))",
    "((SortedMap<Integer, Boolean>) new Sorted()).sequencedKeySet()",
];

/// Their classes.
const KEPT: &str = "\
import java.util.*;
public class Kept {
    static Iterator<Integer> kept = new ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7)).iterator();
    static class Mine extends ArrayDeque<Integer> {
        public Iterator<Integer> descendingIterator() { return kept; }
    }
    static Set<Integer> keys() {
        return new AbstractSet<>() {
            public int size() { return 4; }
            public Iterator<Integer> iterator() { return kept; }
        };
    }
    static class Keys extends LinkedHashMap<Integer, Boolean> {
        public Set<Integer> keySet() { return keys(); }
    }
    static class Sorted extends AbstractMap<Integer, Boolean> implements SortedMap<Integer, Boolean> {
        public Set<Integer> keySet() { return keys(); }
        public Set<Map.Entry<Integer, Boolean>> entrySet() { return new HashSet<>(); }
        public Comparator<? super Integer> comparator() { return null; }
        public SortedMap<Integer, Boolean> subMap(Integer a, Integer b) { return this; }
        public SortedMap<Integer, Boolean> headMap(Integer a) { return this; }
        public SortedMap<Integer, Boolean> tailMap(Integer a) { return this; }
        public Integer firstKey() { return 1; }
        public Integer lastKey() { return 1; }
    }
";

#[test]
fn views_of_newer_jdks_ask_what_they_are_views_of() {
    let property = root().join("examples/residual/hasnext.ww");
    for jdk in jdks().iter().filter(|jdk| watchword_cli::classes::release_of(jdk) >= 21) {
        // One program each, or one would hide the others.
        for view in VIEWS {
            let dir = Dir::new();
            let main = format!(
                "    public static void main(String[] args) {{\n        \
                 Iterator<Integer> one = {view}.iterator(), two = {view}.iterator();\n        \
                 if (one.hasNext() && two.hasNext()) {{ one.next(); two.next(); }}\n    }}\n}}\n"
            );
            dir.write("Kept.java", format!("{KEPT}{main}"));
            let done = std::process::Command::new(jdk.join("bin/javac"))
                .args(["-nowarn", "-d", "classes", "Kept.java"])
                .current_dir(dir.path())
                .output()
                .unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            for flags in [&[][..], &["--residual"]] {
                let flags = [&["-p", property.to_str().unwrap()], flags].concat();
                let ran = java(jdk, &dir, &flags, &["-cp", "classes", "Kept"]).expect(0);
                assert!(ran.stderr.contains("1 violation"), "{view} {flags:?}: {}", ran.stderr);
            }
        }
    }
}

#[test]
fn class_paths_are_read_as_java_reads_them() {
    let Some((dir, jdk)) = program() else { return };
    let property = property();
    let run = |path: &str| {
        let flags = ["-p", &property, "--residual"];
        java(jdk, &dir, &flags, &["-cp", path, "app.Main"]).expect(0).stderr
    };
    let done = std::process::Command::new(jdk.join("bin/jar"))
        .args(["--create", "--file", "app.JAR", "-C", "classes", "."])
        .current_dir(dir.path())
        .status();
    assert!(done.is_ok_and(|status| status.success()));
    std::fs::copy(dir.path().join("app.JAR"), dir.path().join("app.bin")).unwrap();
    std::fs::create_dir(dir.path().join("linked")).unwrap();
    let to = dir.path().join("classes/app");
    std::os::unix::fs::symlink(to, dir.path().join("linked/app")).unwrap();
    std::os::unix::fs::symlink("..", dir.path().join("linked/up")).unwrap();
    for path in ["app.JAR", "app.bin", "linked"] {
        let told = run(path);
        assert!(told.contains("residual: SafeIterator: 3 of 7 sites silenced"), "{path}: {told}");
        assert!(told.contains("SafeIterator: 4 sites, 4 events"), "{path}: {told}");
    }
    // What `java` passes over is not known, so nothing is left out.
    dir.write("text.jar", "no archive");
    let told = run("text.jar:classes");
    assert!(told.contains("--residual: every site is monitored: in text.jar"), "{told}");
    assert!(told.contains("SafeIterator: 7 sites"), "{told}");
}

#[test]
fn what_is_not_sound_is_doubted_where_it_is_used() {
    let Some((dir, jdk)) = program() else { return };
    analyze(&dir, jdk, &["classes", "--algorithm", "bism-paper", "--silenced-out", "sites.txt"])
        .expect(0);
    let property = property();
    let flags = ["-p", &property, "--silenced", "sites.txt", "--report", "out.json"];
    let ran = java(jdk, &dir, &flags, &["-cp", "classes", "app.Main"]).expect(0);
    let doubt = "silenced by `bism-paper`, which is not sound";
    assert!(ran.stderr.contains(&format!("warning: sites.txt: {doubt}")), "{}", ran.stderr);
    assert!(report(&dir, "out.json")["limits"][0].as_str().unwrap().contains(doubt));
}

#[test]
fn files_are_written_all_or_none() {
    let Some((dir, jdk)) = program() else { return };
    dir.write("left.ww", "kept");
    let out = ["classes", "--property-out", "left.ww", "--picture"];
    let ran = analyze(&dir, jdk, &[&out[..], &["left.png"]].concat()).expect(2);
    assert!(ran.stderr.contains("left.png: a picture is an .svg or a .dot file"), "{}", ran.stderr);
    assert_eq!(dir.read("left.ww"), "kept");
    let ran = analyze(&dir, jdk, &[&out[..], &["left.svg"]].concat()).expect(0);
    assert!(ran.stderr.contains("--property-out is half of the result"), "{}", ran.stderr);
    assert!(dir.read("left.ww").starts_with("// What `watchword analyze --property-out` left"));
}
