//! Verdicts `proven` that a run takes back: something happened that the proof had excluded.

use std::path::Path;
use std::process::Command;

use super::commands::property;
use crate::java::{compile, java, jdks, report};
use crate::support::Dir;

/// A program whose only loop is proven. What it does beside is up to `rest`, which gets `args`.
fn host(members: &str, rest: &str) -> Dir {
    let dir = Dir::new();
    dir.write(
        "Host.java",
        format!(
            "import java.lang.invoke.*; import java.lang.reflect.*; import java.net.*;
            import java.nio.file.*; import java.util.*;
            public class Host {{
                {members}
                public static void main(String[] args) throws Throwable {{
                    List<String> list = new ArrayList<>();
                    for (String s : list) System.out.println(s);
                    {rest}
                }}
            }}"
        ),
    );
    dir.write("Plug.java", "public class Plug { }");
    compile(&[dir.path().join("Host.java")], &dir.path().join("host"));
    compile(&[dir.path().join("Plug.java")], &dir.path().join("plug"));
    dir
}

/// Runs it: what the report says of the property, and what was printed.
fn run(dir: &Dir, jdk: &Path, flags: &[&str], arguments: &[&str]) -> (String, String) {
    let property = property();
    let flags = [&["-p", &property, "--residual", "--report", "out.json"], flags].concat();
    let arguments = [&["-Djava.class.path=host", "Host"], arguments].concat();
    let ran = java(jdk, dir, &flags, &arguments).expect(0);
    let verdict = report(dir, "out.json")["properties"][0]["verdict"].clone();
    (verdict.as_str().unwrap().to_owned(), ran.stderr)
}

/// The verdict is taken back because of this class, and the summary and the report say since when.
fn assert_taken_back(dir: &Dir, (verdict, stderr): &(String, String), why: &str) {
    let (_, since) = stderr.split_once("limit: from ").unwrap_or_else(|| panic!("{stderr}"));
    let said = " s after its start on, nothing is proven about this run: ";
    let (seconds, cause) = since.split_once(said).unwrap_or_else(|| panic!("{stderr}"));
    assert!(seconds.parse::<f64>().unwrap() > 0.0, "{stderr}");
    assert!(cause.starts_with(why), "{stderr}");
    assert_eq!(verdict, "inconclusive");
    let report = report(dir, "out.json");
    let limit = report["limits"][0].as_str().unwrap();
    assert!(limit.contains(why) && limit.contains(&format!("from {seconds} s after")), "{report}");
}

/// A class that nobody analysed, from a loader of the program.
#[test]
fn nothing_is_proven_if_other_classes_are_loaded() {
    let loads = "URL url = Path.of(\"plug\").toUri().toURL();
        Class<?> type = new URLClassLoader(new URL[] {url}).loadClass(\"Plug\");
        System.out.println(type.getDeclaredConstructor().newInstance());";
    for jdk in jdks() {
        let dir = host("", loads);
        let ran = run(&dir, jdk, &["--strict"], &[]);
        assert_taken_back(&dir, &ran, "Plug was not analysed");
        // It runs all the same if it is not to be monitored.
        let ran = run(&dir, jdk, &["--strict", "--scope", "Host"], &[]);
        assert_taken_back(&dir, &ran, "Plug was not analysed");
    }
}

/// A class that nobody analysed is one whatever its package: programs and libraries have classes in
/// packages that begin like those of the JDK.
#[test]
fn nothing_is_proven_if_classes_are_loaded_that_are_named_like_the_jdk() {
    let loads = "URL url = Path.of(\"plug\").toUri().toURL();
        ClassLoader plugs = new URLClassLoader(new URL[] {url});
        Class<?> type = plugs.loadClass(\"javax.plug.Plug\");
        System.out.println(type.getDeclaredConstructor().newInstance());
        System.out.println(new javax.swing.text.html.HTMLEditorKit().getContentType());";
    for jdk in jdks() {
        let dir = host("", loads);
        std::fs::create_dir_all(dir.path().join("javax/plug")).unwrap();
        dir.write("javax/plug/Plug.java", "package javax.plug; public class Plug { }");
        compile(&[dir.path().join("javax/plug/Plug.java")], &dir.path().join("plug"));
        let ran = run(&dir, jdk, &["--strict"], &[]);
        assert_taken_back(&dir, &ran, "javax.plug.Plug was not analysed");
    }
}

/// A hidden class that nobody analysed is one, too. Classes that the JDK makes for lambdas, handles and
/// handlers of proxies are none.
#[test]
fn nothing_is_proven_if_hidden_classes_are_defined() {
    let members = "interface Inner { int go(); }";
    let defines = "Runnable run = () -> System.out.println(\"ran \" + args.length);
        run.run();
        MethodHandle find = MethodHandles.lookup().findStatic(Class.class, \"forName\",
            MethodType.methodType(Class.class, String.class));
        System.out.println((Class<?>) find.invoke(\"java.lang.String\"));
        InvocationHandler three = (proxy, method, given) -> 3;
        Class<?>[] types = { Inner.class };
        Inner inner = (Inner) java.lang.reflect.Proxy.newProxyInstance(
            Host.class.getClassLoader(), types, three);
        System.out.println(inner.go());
        if (args.length > 0) {
            byte[] bytes = Files.readAllBytes(Path.of(args[0]));
            MethodHandles.lookup().defineHiddenClass(bytes, true);
        }";
    for jdk in jdks() {
        let dir = host(members, defines);
        let (verdict, stderr) = run(&dir, jdk, &[], &[]);
        assert_eq!(verdict, "proven", "{stderr}");
        let ran = run(&dir, jdk, &[], &["plug/Plug.class"]);
        assert_taken_back(&dir, &ran, "Plug was not analysed");
    }
}

/// A class that an agent replaces while the program runs.
#[test]
fn nothing_is_proven_if_classes_are_redefined() {
    let members = "static java.lang.instrument.Instrumentation tools;
        public static void premain(String given, java.lang.instrument.Instrumentation all) {
            tools = all;
        }
        static class Inner { }";
    let redefines = "if (args.length > 0) {
            byte[] bytes = Files.readAllBytes(Path.of(args[0]));
            tools.redefineClasses(
                new java.lang.instrument.ClassDefinition(Inner.class, bytes));
        }";
    for jdk in jdks() {
        let dir = host(members, redefines);
        dir.write("manifest", "Premain-Class: Host\nCan-Redefine-Classes: true\n");
        let jar = ["cfm", "agent.jar", "manifest"];
        let made = Command::new(jdk.join("bin/jar")).args(jar).current_dir(dir.path()).status();
        assert!(made.unwrap().success());
        // The same members, another file.
        let source = format!("public class Host {{ {members} }}");
        std::fs::create_dir(dir.path().join("other")).unwrap();
        dir.write("other/Host.java", source);
        compile(&[dir.path().join("other/Host.java")], &dir.path().join("other"));
        let property = property();
        let flags = ["-p", &property, "--residual", "--report", "out.json"];
        let verdict = |more: &[&str]| {
            let agent = ["-javaagent:agent.jar", "-cp", "host", "Host"];
            let ran = java(jdk, &dir, &flags, &[&agent[..], more].concat()).expect(0);
            let verdict = report(&dir, "out.json")["properties"][0]["verdict"].clone();
            (verdict.as_str().unwrap().to_owned(), ran.stderr)
        };
        let (before, stderr) = verdict(&[]);
        assert_eq!(before, "proven", "{stderr}");
        let ran = verdict(&["other/Host$Inner.class"]);
        assert_taken_back(&dir, &ran, "Host$Inner differs from the analysed class");
    }
}

/// A class that nobody analysed may use an object of which other events are silenced: what is reported
/// then need not have happened.
#[test]
fn what_is_reported_after_other_classes_are_loaded_is_uncertain() {
    let has_next = "event asked(i) = jvm before call java.util.Iterator+.hasNext() on i
        event next(i) = jvm before call java.util.Iterator+.next() on i
        property HasNext(i) {
          start state Unknown {
            on asked(i) -> Asked
            on next(i) -> Careless
          }
          state Asked {
            on next(i) -> Unknown
          }
          bad state Careless
        }";
    let members = "public static Iterator<String> both;";
    let legal = "both = new ArrayList<>(List.of(args)).iterator();
        URL url = Path.of(\"plug\").toUri().toURL();
        Class<?> type = new URLClassLoader(new URL[] {url}).loadClass(\"Plug\");
        if (both.hasNext()) ((Runnable) type.getDeclaredConstructor().newInstance()).run();";
    for jdk in jdks() {
        let dir = host(members, legal);
        dir.write("has-next.ww", has_next);
        let uses = "public class Plug implements Runnable {
            public void run() { System.out.println(Host.both.next()); }
        }";
        dir.write("Plug.java", uses);
        let files = ["Host.java", "Plug.java"].map(|file| dir.path().join(file));
        compile(&files, &dir.path().join("both"));
        let plug =
            std::fs::copy(dir.path().join("both/Plug.class"), dir.path().join("plug/Plug.class"));
        plug.unwrap();
        let judged = |more: &[&str]| {
            let flags = [&["-p", "has-next.ww", "--report", "out.json"], more].concat();
            let ran = java(jdk, &dir, &flags, &["-cp", "host", "Host", "one"]);
            assert!(ran.stdout.contains("one"), "{}", ran.stderr);
            report(&dir, "out.json")
        };
        assert_eq!(judged(&[])["properties"][0]["verdict"], "not-violated");
        let report = judged(&["--residual"]);
        assert_eq!(report["properties"][0]["verdict"], "inconclusive", "{report}");
        for violation in report["violations"].as_array().unwrap() {
            assert_eq!(violation["certain"], false, "{report}");
        }
        assert_eq!(report["violations"].as_array().unwrap().len(), 1, "{report}");
    }
}
