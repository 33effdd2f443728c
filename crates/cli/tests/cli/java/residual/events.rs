//! Events in a run and in the analysis: the same objects, the same order.

use std::path::Path;

use super::generator::Random;
use super::{compile, java, jdks, report};
use crate::support::Dir;

/// Calls of a resource: constructors, in every way they are called, and calls with several events.
const RESOURCE: &str = "import java.util.function.*;
public class Resource {
    Resource() { }
    Resource(int n) { this(); if (n < 0) throw new IllegalArgumentException(); }
    static class Sub extends Resource { Sub() { super(); } }
    void open() { }
    void use() { }
    void both(Resource other) { }
    static void still() { }
    Resource me() { return this; }
    static Resource hand(Resource one, Resource two) { return two; }
    void hurt() { throw new IllegalStateException(); }
    void self() { still(); }
    private Resource shared;
    void share() { }
    static void fail(RuntimeException e) { throw e; }
    static void note(RuntimeException e) { }
    public static void main(String[] args) {
        Resource one = new Resource();
        one.open();
        one.use();
        one.both(one);
        Resource sub = new Sub();
        sub.open();
        sub.self();
        Supplier<Resource> maker = Resource::new;
        Resource made = maker.get();
        made.open();
        try { new Resource(-1).open(); } catch (IllegalArgumentException e) { }
        RuntimeException error = new RuntimeException();
        note(error);
        try { fail(error); } catch (RuntimeException e) { }
        Resource inner = new Resource(), outer = new Resource();
        inner.open();
        outer.shared = inner;
        outer.share();
        Resource[] some = {new Resource(), sub, made.me(), hand(one, inner)};
        for (Resource each : some) {
            each.use();
            try { each.hurt(); } catch (IllegalStateException e) { hand(each, each.me()).open(); }
        }
        Resource local = new Resource(1);
        still();
        local.use();
    }
}
";

/// Properties whose events are about objects at unusual times, or happen together.
const UNUSUAL: [&str; 16] = [
    "event c(x) { jvm before call Resource.use() on x
       jvm after call Resource.use() on x }
     property P(x) { start state S { on c(x) -> B } bad state B }",
    "event c(x) { jvm after call Resource.<init>(..) on x
       jvm after new Resource on x }
     event b(x) = jvm before call Resource.open() on x
     property P(x) { start state S { on c(x) -> M } state M { on c(x) -> B on b(x) -> B } bad state B }",
    "event a(x) = jvm before call Resource.*(..) on x
     property P(x) { start state S { on a(x) -> B } bad state B }",
    "event a(x) = jvm after call Resource.<init>(..) returns x
     event b(x) = jvm before call Resource.open() on x
     property P(x) { start state S { on a(x) -> M } state M { on b(x) -> B } bad state B }",
    "event a(x) = jvm after call Resource.<init>(..) on x
     event b(x) = jvm before call Resource.open() on x
     property P(x) { start state S { on a(x) -> M } state M { on b(x) -> B } bad state B }",
    "event a(x) = jvm after call Resource.<init>(..) on x
     event b(x) = jvm before call Resource.{open, use}() on x
     property P(x) { start state S { on a(x) -> M on b(x) -> B } state M bad state B }",
    "event a(x) = jvm throwing call Resource.<init>(..) on x
     event b(x) = jvm before call Resource.{open, use}() on x
     property P(x) { start state S { on a(x) -> M on b(x) -> B } state M bad state B }",
    "event e(x) = jvm before call Resource.both(Resource) args (x)
     event b(x) = jvm before call Resource.both(Resource) on x
     property P(x) { start state S { on b(x) -> B on e(x) -> T } state T bad state B }",
    "event every(x) = jvm before call Resource.{open, use}(..) on x
     event op(x) = jvm before call Resource.open() on x
     property P(x) { start state S { on op(x) -> T on every(x) -> B } state T bad state B }",
    "event s(x) = jvm before call Resource.still() with x = this
     event b(x) = jvm before call Resource.open() on x
     property P(x) { start state S { on b(x) -> M } state M { on s(x) -> B } bad state B }",
    "event s(x) = jvm before call Resource.still() with x = local local
     event b(x) = jvm before call Resource.use() on x
     property P(x) { start state S { on s(x) -> M } state M { on b(x) -> B } bad state B }",
    "event s(x) = jvm before call Resource.share() with x = receiver.shared
     event b(x) = jvm before call Resource.open() on x
     property P(x) { start state S { on b(x) -> M } state M { on s(x) -> B } bad state B }",
    "event s(x) = jvm throwing call Resource.fail(..) throws x
     event b(x) = jvm before call Resource.note(..) args (x)
     property P(x) { start state S { on b(x) -> M } state M { on s(x) -> B } bad state B }",
    "event s(x) = jvm throwing call Resource.hurt() on x throws _: java.lang.RuntimeException
     event b(x) = jvm before call Resource.open() on x
     property P(x) { start state S { on s(x) -> M } state M { on b(x) -> B } bad state B }",
    "event s(x) = jvm throwing call Resource.hurt() on x throws _: java.lang.Error
     event b(x) = jvm before call Resource.open() on x
     property P(x) { start state S { on s(x) -> T on b(x) -> B } state T bad state B }",
    "event s(x) = jvm before call Resource.still() on x
     event b(x) = jvm before call Resource.use() on x
     property P(x) { start state S { on s(x) -> M on b(x) -> B } state M bad state B }",
];

/// Places in the program where events may happen.
const SOURCES: [&str; 20] = [
    "before call Resource.*(..) on x",
    "before call Resource.{open, both}(..) on x",
    "after call Resource.{use, open}() on x",
    "after call Resource.*(..) on x",
    "before call Resource.both(Resource) args (x)",
    "after call Resource.both(Resource) args (x)",
    "after call Resource.me() returns x",
    "before call Resource.me() on x",
    "after call Resource.<init>(..) returns x",
    "after call Resource.<init>(..) on x",
    "before call Resource.<init>(..) on x",
    "after new Resource on x",
    "throwing call Resource.{<init>, hurt}(..) on x",
    "before call Resource.hand(..) args (x)",
    "before call Resource.hand(..) args (_, x)",
    "after call Resource.hand(..) returns x",
    "before call Resource.still() with x = this",
    "after execution Resource.{use, both}(..) on x",
    "before call Resource.use() on x",
    "after call Resource.hurt() on x",
];

/// A file of properties about some random events.
fn random_properties(random: &mut Random) -> String {
    let names = &["a", "b", "c"][..2 + random.below(2)];
    let mut text = String::new();
    for name in names {
        let mut sources: Vec<&str> = Vec::new();
        for _ in 0..[1, 1, 2][random.below(3)] {
            sources.push(SOURCES[random.below(SOURCES.len())]);
        }
        sources.dedup();
        text += &match &sources[..] {
            [one] => format!("event {name}(x) = jvm {one}\n"),
            many => format!("event {name}(x) {{ jvm {} }}\n", many.join("\n  jvm ")),
        };
    }
    for number in 0..10 {
        let counts = random.below(3) == 0;
        text += &format!("property P{number}(x) {{\n");
        text += if counts { "  var n: int = 0\n" } else { "" };
        for state in ["start state S0", "state S1", "state S2"] {
            text += &format!("  {state} {{\n");
            // In any order: what is declared first happens first.
            let shift = random.below(names.len());
            for at in 0..names.len() {
                let name = names[(at + shift) % names.len()];
                if random.below(4) == 0 {
                    continue;
                }
                let (when, then) = match counts {
                    true => {
                        ([" if n > 0", ""][random.below(2)], [" { n += 1 }", ""][random.below(2)])
                    }
                    false => ("", ""),
                };
                let to = ["S0", "S1", "S2", "B", "B", "drop"][random.below(6)];
                text += &format!("    on {name}(x){when}{then} -> {to}\n");
            }
            text += "  }\n";
        }
        text += "  bad state B\n}\n";
    }
    text
}

/// What a run reports: property, place, state and how often.
fn reports(jdk: &Path, dir: &Dir, text: &str, flags: &[&str]) -> Vec<String> {
    dir.write("p.ww", text);
    let flags = [&["-p", "p.ww", "--report", "out.json"], flags].concat();
    java(jdk, dir, &flags, &["-cp", "classes", "Resource"]).expect(0);
    let report = report(dir, "out.json");
    let all = report["violations"].as_array().unwrap().iter();
    let told = |v: &serde_json::Value| {
        assert!(v["location"]["line"].is_u64(), "{v}");
        let parts = ["property", "location", "state", "count"].map(|part| v[part].to_string());
        parts.join(" ")
    };
    let mut all: Vec<String> = all.map(told).collect();
    all.sort();
    all
}

fn resource() -> Dir {
    let dir = Dir::new();
    dir.write("Resource.java", RESOURCE);
    compile(&[dir.path().join("Resource.java")], &dir.path().join("classes"));
    dir
}

#[test]
fn events_are_about_what_they_are_about_in_a_jvm() {
    let Some(jdk) = jdks().first() else { return };
    let dir = resource();
    let mut violated = 0;
    for plain in UNUSUAL {
        // With a variable, it is the analysis of properties with variables that is asked.
        let larger = plain.replacen("{ start", "{ var n: int = 0\n start", 1);
        for property in [plain, &larger] {
            let full = reports(jdk, &dir, property, &[]);
            assert_eq!(reports(jdk, &dir, property, &["--residual"]), full, "{property}");
            violated += usize::from(!full.is_empty());
        }
    }
    assert!(violated >= 16, "{violated}");
}

/// Some files here, thousands if `RESIDUAL_PROPERTIES` says so, from the one on that
/// `RESIDUAL_FIRST` numbers.
#[test]
fn random_properties_keep_their_reports() {
    let Some(jdk) = jdks().first() else { return };
    let number = |name: &str| std::env::var(name).ok().map(|n| n.parse::<usize>().unwrap());
    let first = number("RESIDUAL_FIRST").unwrap_or(0);
    let count = number("RESIDUAL_PROPERTIES").unwrap_or(12);
    let dir = resource();
    let mut violations = 0;
    for seed in first..first + count {
        let text = random_properties(&mut Random::new(seed as u64));
        let full = reports(jdk, &dir, &text, &[]);
        assert_eq!(reports(jdk, &dir, &text, &["--residual"]), full, "seed {seed}\n{text}");
        violations += full.len();
    }
    assert!(violations > 10 * count, "{violations} violations");
}
