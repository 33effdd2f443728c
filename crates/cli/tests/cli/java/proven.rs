//! Properties that are proven: what `analyze` writes down, and what others make of it.

use std::path::Path;

use super::{compile, java, jdks, report};
use crate::support::Dir;

const PROGRAM: &str = "
class U { void a() {} void b() {} void c() {} }
public class Main {
  public static void main(String[] args) {
    U u = new U();
    u.a();
    u.c();
    System.out.println(\"ran\");
  }
}
";

const EVENTS: &str = "EVENTS { a(U u) = {U u.a()} b(U u) = {U u.b()} c(U u) = {U u.c()} }";

/// Proven: nobody calls `b`.
const P: &str = "PROPERTY P { STATES { BAD { bad } NORMAL { p } STARTING { s } }
    TRANSITIONS { s -> p [a] p -> bad [b] } }";

/// Violated.
const Q: &str = "PROPERTY Q { STATES { BAD { bad } STARTING { s } } TRANSITIONS { s -> bad [a] } }";

/// Proven, but a context ends when all of its automata have.
const R: &str = "PROPERTY R { STATES { ACCEPTING { done } BAD { bad } STARTING { s } }
    TRANSITIONS { s -> done [b] s -> bad [b] } }";

/// Ends, and begins again only if all others end, too.
const S: &str = "PROPERTY S { STATES { ACCEPTING { done } BAD { bad } STARTING { s } }
    TRANSITIONS { s -> done [a] s -> bad [c] } }";

fn script(properties: &[&str]) -> String {
    let variables = "VARIABLES { int unused = 0; }";
    let properties = properties.join("\n");
    format!("GLOBAL {{ {variables} FOREACH (U u) {{ {EVENTS} {properties} }} }}")
}

struct Run {
    status: i32,
    violations: Vec<String>,
    verdicts: Vec<String>,
    stderr: String,
}

fn run(dir: &Dir, jdk: &Path, flags: &[&str]) -> Run {
    let flags = [flags, &["--report", "out.json"]].concat();
    let ran = java(jdk, dir, &flags, &["-cp", "classes", "Main"]);
    let json = report(dir, "out.json");
    assert_eq!(ran.stdout, "ran\n", "{}", ran.stderr);
    let list = |key: &str| json[key].as_array().unwrap().clone();
    let name = |v: &serde_json::Value| v["property"].as_str().unwrap().to_owned();
    let verdict =
        |v: &serde_json::Value| format!("{} {}", v["name"], v["verdict"]).replace('"', "");
    let mut verdicts: Vec<String> = list("properties").iter().map(verdict).collect();
    verdicts.sort();
    Run {
        status: ran.status,
        violations: list("violations").iter().map(name).collect(),
        verdicts,
        stderr: ran.stderr,
    }
}

#[test]
fn what_is_proven_is_said_and_not_monitored_whatever_else_there_is() {
    let Some(jdk) = jdks().last() else { return };
    let dir = Dir::new();
    dir.write("Main.java", PROGRAM);
    compile(&[dir.path().join("Main.java")], &dir.path().join("classes"));
    dir.write("trace.jsonl", "{\"event\":\"c\",\"args\":[\"x\"]}\n");
    let mixes: [(&[&str], &str); 6] = [
        (&[P], "P"),
        (&[R, P], "PR"),
        (&[Q], ""),
        (&[P, Q], "P"),
        (&[R, S], "R"),
        (&[P, Q, R, S], "PR"),
    ];
    for (at, (properties, proven)) in mixes.into_iter().enumerate() {
        let target = format!("woven{at}");
        let text = script(properties);
        dir.write("x.lrv", &text);
        let whole = run(&dir, jdk, &["-p", "x.lrv"]);
        let at = jdk.to_str().unwrap();
        let args = ["analyze", "-p", "x.lrv", "--jdk", at, "classes", "--property-out", "left.ww"];
        let said = dir.run(&[&args[..], &["--silenced-out", "app.silenced"]].concat());
        let said = said.expect(0).stdout.clone();
        assert_eq!(said.matches("  proven:").count(), proven.len(), "{said}\n{text}");
        let left = dir.read("left.ww");
        assert_eq!(
            left.matches("\n  proven\n").count() + left.matches("\n      proven\n").count(),
            proven.len(),
            "{left}"
        );
        // What nobody uses any more is not declared.
        assert!(!left.contains("unused"), "{left}");
        assert_eq!(left.contains("event a("), properties.contains(&Q) || properties.contains(&S));
        assert!(!left.contains("event b("), "{left}");
        dir.run(&["lint", "left.ww", "--strict"]).expect(0);
        dir.run(&["fmt", "--check", "left.ww"]).expect(0);
        for flags in [&["-p", "left.ww", "--silenced", "app.silenced"][..], &["-p", "left.ww"]] {
            let ran = run(&dir, jdk, flags);
            assert_eq!(ran.status, whole.status, "{}", ran.stderr);
            assert_eq!(ran.violations, whole.violations, "{left}\n{}", ran.stderr);
            assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
            for name in proven.chars() {
                let line = format!("{name}: proven before the run, not monitored\n");
                assert!(ran.stderr.contains(&line), "{}", ran.stderr);
                assert!(ran.verdicts.contains(&format!("{name} proven")), "{:?}", ran.verdicts);
            }
        }
        let woven = dir.run(&[
            "weave",
            "-p",
            "left.ww",
            "--silenced",
            "app.silenced",
            "classes",
            "-o",
            &target,
        ]);
        let woven = woven.expect(0).stderr.clone();
        assert_eq!(woven.matches(": proven, nothing to weave").count(), proven.len(), "{woven}");
        assert!(!woven.contains("warning"), "{woven}");
        let replayed = dir.run(&["replay", "-p", "left.ww", "trace.jsonl", "--format", "json"]);
        let json = replayed.json();
        let all = json["properties"].as_array().unwrap();
        let count = all.iter().filter(|p| p["verdict"] == "proven").count();
        assert_eq!(count, proven.len(), "{json}");
        let explained = dir.run(&["explain", "left.ww"]).expect(0).stdout.clone();
        assert_eq!(explained.matches("not monitored").count(), proven.len(), "{explained}");
    }
}

#[test]
fn a_property_over_all_calls_has_the_sites_that_are_woven() {
    let Some(jdk) = jdks().last() else { return };
    let dir = Dir::new();
    dir.write(
        "Main.java",
        "import java.util.*;
        public class Main { public static void main(String[] args) {
          List<String> list = new ArrayList<>(); list.add(\"x\"); list.size();
          Iterator<String> i = list.iterator(); if (i.hasNext()) System.out.println(i.next());
        } }",
    );
    compile(&[dir.path().join("Main.java")], &dir.path().join("classes"));
    let at = jdk.to_str().unwrap();
    let analysed = |file: &str| {
        let args = ["analyze", "-p", file, "--jdk", at, "classes", "--format", "json"];
        let json = dir.run(&args).json();
        json["properties"][0].clone()
    };
    let topl = |observed: &str, last: &str| {
        format!(
            "property Next\n  prefix <java.util.Iterator>\n  observe {observed}\n  \
             start -> start: *\n  start -> one: call I.hasNext()\n  one -> error: call i.{last}()\n"
        )
    };
    dir.write("next.topl", topl("<java.util.Iterator.{hasNext,next,remove}>", "next"));
    let one = analysed("next.topl");
    let ran =
        java(jdk, &dir, &["-p", "next.topl", "--report", "out.json"], &["-cp", "classes", "Main"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let woven = report(&dir, "out.json")["properties"][0]["sites"].as_u64();
    assert_eq!(one["sites"].as_u64(), woven, "{one}");
    assert_eq!(one["proven"], false);
    // Nobody removes by an iterator.
    dir.write("remove.topl", topl("<java.util.Iterator.{hasNext,next,remove}>", "remove"));
    let one = analysed("remove.topl");
    assert_eq!(one["proven"], true, "{one}");
    let args = ["analyze", "-p", "remove.topl", "--jdk", at, "classes"];
    let said = dir.run(&args).expect(0).stdout.clone();
    let line = said.lines().find(|l| l.contains("proven: no run of these classes can violate it"));
    let line = line.unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains(", assuming same classes, "), "{line}");
    // Each name stands for a sentence below.
    let names = line.split("assuming ").nth(1).unwrap();
    for name in names.split(", ") {
        assert!(said.contains(&format!("({name})\n")), "{name}: {said}");
    }
}

#[test]
fn what_happens_elsewhere_than_at_calls_is_not_proven_away() {
    let Some(jdk) = jdks().last() else { return };
    let dir = Dir::new();
    dir.write(
        "Main.java",
        "import java.util.function.*;
        public class Main {
          static class A { int n; A() {} void use() { n = 1; } synchronized void held() {} }
          static void each(Consumer<A> what, A a) { what.accept(a); }
          public static void main(String[] args) {
            A a = new A(); a.use(); synchronized (a) { a.held(); } each(A::use, a);
            try { throw new IllegalStateException(); } catch (IllegalStateException e) { }
            System.out.println(\"ran\");
          }
        }",
    );
    compile(&[dir.path().join("Main.java")], &dir.path().join("classes"));
    // `made` is at a call, and has no effect; what is reported is not.
    let places = [
        "event bad(q) = jvm before execution Main$A.use() on q",
        "event bad(q) = jvm after execution Main$A.use() on q",
        "event bad(q) = jvm before set Main$A.n on q",
        "event bad(q) = jvm before lock Main$A on q",
    ];
    for place in places {
        let text = format!(
            "event made(q) = jvm after call Main$A.<init>(..) on q\n{place}\n\
             property P(q) {{ start state S {{ on bad(q) -> B\n on made(q) -> S }}\n bad state B }}\n"
        );
        dir.write("p.ww", &text);
        let whole = run(&dir, jdk, &["-p", "p.ww"]);
        assert_eq!(whole.violations, ["P"], "{text}{}", whole.stderr);
        let at = jdk.to_str().unwrap();
        let args = ["analyze", "-p", "p.ww", "--jdk", at, "classes", "--property-out", "left.ww"];
        let said = dir.run(&[&args[..], &["--silenced-out", "app.silenced"]].concat());
        let said = said.expect(0).stdout.clone();
        assert!(!said.contains("proven"), "{text}{said}");
        for flags in
            [&["-p", "left.ww", "--silenced", "app.silenced"][..], &["-p", "p.ww", "--residual"]]
        {
            let ran = run(&dir, jdk, flags);
            assert_eq!(ran.violations, whole.violations, "{text}{}", ran.stderr);
            assert!(!ran.stderr.contains("proven"), "{text}{}", ran.stderr);
        }
    }
}
