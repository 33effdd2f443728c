//! `replay` of program records with both dialects of TOPL.

use crate::java::{jdks, jdks_since};
use crate::support::{Dir, root};

fn record(kind: &str, method: &str, value: Option<&str>, args: &[&str]) -> String {
    let value = value.map(|v| format!(",\"value\":{v}")).unwrap_or_default();
    format!("{{\"{kind}\":\"java.util.{method}\"{value},\"args\":[{}]}}\n", args.join(","))
}

/// A complete call.
fn both(method: &str, value: &str, args: &[&str]) -> String {
    record("call", method, None, args) + &record("return", method, Some(value), args)
}

const LIST: &str = r#"{"ref":1,"class":"java.util.ArrayList"}"#;
const ITERATOR: &str = r#"{"ref":10}"#;

fn iteration(last: &str) -> String {
    both("Collection.iterator", ITERATOR, &[LIST])
        + &both("Iterator.hasNext", "true", &[ITERATOR])
        + &both("Iterator.next", "5", &[ITERATOR])
        + &both("Iterator.hasNext", last, &[ITERATOR])
        + &both("Iterator.next", "6", &[ITERATOR])
}

#[test]
fn calls_and_returns_of_a_trace_are_the_letters_of_classic_topl() {
    let dir = Dir::new();
    let example = root().join("examples/topl/HasNext.topl");
    dir.write("bad.jsonl", iteration("false")).write("good.jsonl", iteration("true"));
    let example = example.to_str().expect("a path");
    let ran = dir.run(&["replay", "-p", example, "bad.jsonl"]).expect(1);
    for part in ["violation: HasNext", "bad.jsonl:9", "i = "] {
        assert!(ran.stdout.contains(part), "no `{part}` in:\n{}", ran.stdout);
    }
    dir.run(&["replay", "-p", example, "good.jsonl"]).expect(0);
}

#[test]
fn returns_of_a_trace_are_the_events_of_infers_dialect() {
    let dir = Dir::new();
    let property = "property HasNext
  prefix \"java.util.Iterator\"
  prefix \"java.util.Collection\"
  start -> start: *
  start -> invalid: iterator(Ignore, RetIter) => i := RetIter
  invalid -> valid: hasNext(Iter, Ret) when Ret != 0 && Iter == i
  valid -> invalid: next(Iter, Ret) when Iter == i
  invalid -> error: next(Iter, Ret) when Iter == i
";
    dir.write("p.topl", property);
    dir.write("bad.jsonl", iteration("false")).write("good.jsonl", iteration("true"));
    let ran = dir.run(&["replay", "-p", "p.topl", "bad.jsonl"]).expect(1);
    assert!(ran.stdout.contains("bad.jsonl:10"), "{}", ran.stdout);
    dir.run(&["replay", "-p", "p.topl", "good.jsonl"]).expect(0);

    let typed = "property P
  start -> error: ~@\".*Safe\" \".*\\\\.m\"(This: \".*List\", Ret)
";
    dir.write("t.topl", typed);
    let line = |types: &str, annotations: &str| {
        format!(
            "{{\"return\":\"A.m\",\"args\":[{LIST}],\"value\":1,\"types\":{types},\
             \"annotations\":{annotations}}}\n"
        )
    };
    dir.write("a.jsonl", line("[[\"p.List\"],[\"int\"]]", "[\"p.Safe\"]"));
    dir.write("b.jsonl", line("[[\"p.Set\",\"p.List\"],[\"int\"]]", "[\"p.Other\"]"));
    dir.run(&["replay", "-p", "t.topl", "a.jsonl"]).expect(0);
    dir.run(&["replay", "-p", "t.topl", "b.jsonl"]).expect(1);
}

#[test]
fn the_examples_are_clean_and_a_vacuous_property_is_not() {
    let dir = Dir::new();
    for folder in ["examples/topl", "examples/topl/programs"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "topl") {
                dir.run(&["lint", "--strict", path.to_str().expect("a path")]).expect(0);
            }
        }
    }
    dir.write("v.topl", "property P\n  observe <Form.*>\n  start -> error: <Sink.write>(X)\n");
    let ran = dir.run(&["lint", "v.topl"]);
    let said = ran.stdout + &ran.stderr;
    assert!(said.contains("can never fail"), "{said}");
    assert!(said.contains("did you mean to observe `<Sink.*>`?"), "{said}");
}

#[test]
fn every_example_finds_what_the_name_of_its_trace_says() {
    let dir = Dir::new();
    let mut seen = 0;
    for entry in std::fs::read_dir(root().join("examples/topl/traces")).unwrap() {
        let trace = entry.unwrap().path();
        let name = trace.file_name().unwrap().to_str().unwrap().to_string();
        let (property, kind) = name.split_once('.').unwrap();
        let want = if kind == "bad.jsonl" { 1 } else { 0 };
        let property = root().join(format!("examples/topl/{property}.topl"));
        let (property, trace) = (property.to_str().unwrap(), trace.to_str().unwrap());
        let ran = dir.run(&["replay", "-p", property, trace]).expect(want);
        assert_eq!(ran.stderr, "", "{name}: nothing to warn about");
        dir.run(&["convert", property, "--to", "ww", "-o", "p.ww"]).expect(0);
        dir.run(&["replay", "-p", "p.ww", trace]).expect(want);
        seen += 1;
    }
    assert_eq!(seen, 20);
}

#[test]
fn a_call_goes_by_the_names_of_the_supertypes_that_declare_it() {
    let dir = Dir::new();
    let property = "property P
  observe <java.util.Collection.iterator>
  start -> error: C.<java.util.Collection.iterator>()
";
    dir.write("p.topl", property);
    let record = |names: &str| {
        format!("{{\"call\":\"java.util.ArrayList.iterator\"{names},\"args\":[{LIST}]}}\n")
    };
    let names = r#","names":["java.util.ArrayList.iterator","java.util.Collection.iterator"]"#;
    dir.write("one.jsonl", record("")).write("both.jsonl", record(names));
    dir.run(&["replay", "-p", "p.topl", "one.jsonl"]).expect(0);
    for engine in ["engine", "reference"] {
        dir.run(&["replay", "--engine", engine, "-p", "p.topl", "both.jsonl"]).expect(1);
    }
    // The same, written in Watchword's own language.
    dir.run(&["convert", "p.topl", "--to", "ww", "-o", "p.ww"]).expect(0);
    dir.run(&["replay", "-p", "p.ww", "one.jsonl"]).expect(0);
    dir.run(&["replay", "-p", "p.ww", "both.jsonl"]).expect(1);
    dir.run(&["convert", "p.ww", "--to", "topl", "-o", "q.topl"]).expect(0);
    dir.run(&["replay", "-p", "q.topl", "both.jsonl"]).expect(1);
}

/// The checker of the paper keeps ten configurations, the newest: an object that was seen before the
/// ten others is forgotten, and the verdict is inconclusive.
#[test]
fn compat_topl_keeps_the_ten_newest_configurations() {
    let dir = Dir::new();
    let property = "property Reopened
  observe <a.File.*>
  start -> start: *
  start -> closed: F.<a.File.close>()
  closed -> error: f.<a.File.read>()
";
    let event = |method: &str, file: usize| {
        format!("{{\"call\":\"a.File.{method}\",\"args\":[{{\"ref\":{file}}}]}}\n")
    };
    let closed: String = (1..=12).map(|file| event("close", file)).collect();
    dir.write("p.topl", property)
        .write("old.jsonl", closed.clone() + &event("read", 1))
        .write("new.jsonl", closed + &event("read", 12));
    let replay = |trace: &str, flags: &[&str], status: i32| {
        dir.run(&[&["replay", "-p", "p.topl", trace], flags].concat()).expect(status)
    };
    replay("old.jsonl", &[], 1);
    let ran = replay("old.jsonl", &["--compat", "topl"], 0);
    assert!(ran.stdout.contains("3 instances were discarded"), "{}", ran.stdout);
    replay("new.jsonl", &["--compat", "topl"], 1);
    // A number that is given wins.
    replay("old.jsonl", &["--compat", "topl", "--max-instances", "20"], 1);
}

#[test]
fn conversion_refuses_what_has_no_counterpart() {
    let dir = Dir::new();
    let ran = dir.run(&["convert", "std/reply", "--to", "topl", "-o", "reply.topl"]).expect(2);
    assert!(ran.stderr.contains("WW0912") && ran.stderr.contains("instances"), "{}", ran.stderr);
    assert!(dir.names().is_empty(), "nothing is written");
    // By identity or by value: TOPL has one of them.
    let identity = "event call(method, ..) = program call
property P { start state S { on call(\"m\", ?x) -> B }  bad state B }
";
    dir.write("p.ww", identity);
    let ran = dir.run(&["convert", "p.ww", "--to", "topl"]).expect(2);
    assert!(ran.stderr.contains("boxes by value"), "{}", ran.stderr);
    dir.write("p.ww", identity.replace("start state", "boxes by value\n  start state"));
    dir.run(&["convert", "p.ww", "--to", "topl"]).expect(0);
    let example = root().join("examples/topl/HasNext.topl");
    dir.run(&["convert", example.to_str().unwrap(), "--to", "topl"]).expect(2);
}

/// A JDK with a run-time image, if there is one; asked for by name where there is none.
fn jdk() -> Option<String> {
    let homes = std::env::var_os("JAVA_HOME").map(std::path::PathBuf::from);
    let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten();
    let installed = installed.filter_map(|e| e.ok().map(|e| e.path()));
    let found = homes.into_iter().chain(installed).find(|h| h.join("lib/modules").is_file());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "CI needs a JDK");
        eprintln!("SKIPPED: no JDK found (JAVA_HOME, /usr/lib/jvm/*)");
    }
    found.map(|f| f.to_string_lossy().into_owned())
}

#[test]
fn classes_tell_constants_and_methods_that_do_not_exist() {
    // Needs a JDK; `jdk` says so where there is none, and fails under CI.
    let Some(jdk) = jdk() else { return };
    let dir = Dir::new();
    let property = |label: &str| {
        format!("property P\n  observe <java.{{util,lang,io}}.*>\n  start -> error: {label}\n")
    };
    let check = |label: &str, status: i32, parts: &[&str]| {
        dir.write("p.topl", property(label));
        let ran = dir.run(&["lint", "--strict", "--cp", &jdk, "p.topl"]).expect(status);
        for part in parts {
            assert!(ran.stdout.contains(part), "{label}: no `{part}` in\n{}", ran.stdout);
        }
    };
    check("call <java.util.Iterator.next>(*)", 0, &[]);
    check("call <java.util.ArrayList.iterator>(*)", 0, &[]);
    check("call <java.util.Iterator.nxet>(*)", 1, &["no method", "`java.util.Iterator.next`?"]);
    check("call <java.utl.Iterator.next>(*)", 1, &["`java.util.Iterator.next`?"]);
    check("call <java.util.Iterator.next>(*, *)", 1, &["other numbers", "it has 1"]);
    check("X := <java.util.Formatter.close>(*)", 2, &["WW0908", "returns nothing"]);
    check("call <java.lang.Thread.setPriority>(*, <java.lang.Thread.MAX_PRIORITY>)", 0, &[]);
    check("call <java.lang.Thread.setPriority>(*, <java.lang.Thread.MAX>)", 2, &["no field `MAX`"]);
    check(
        "call <java.io.PrintStream.println>(<java.lang.System.out>, *)",
        2,
        &["while the program runs"],
    );
    // Looking at the result of a method that has none is a mistake of the property, whatever runs.
    dir.write("t.jsonl", "{}\n");
    for command in [
        &["replay", "--cp", &jdk, "-p", "void.topl", "t.jsonl"][..],
        &["convert", "--cp", &jdk, "--to", "ww", "void.topl"],
    ] {
        dir.write("void.topl", property("X := <java.util.Formatter.close>(*)"));
        let ran = dir.run(command).expect(2);
        assert!(
            ran.stderr.contains("WW0908") && ran.stderr.contains("void.topl:3"),
            "{}",
            ran.stderr
        );
    }
    // A property cannot fail because of a mistake in its labels.
    check("call <java.util.Iterator.next>(*, *)", 1, &["matches no method"]);
    // Observed by the name of a supertype.
    dir.write(
        "s.topl",
        "property P\n  observe <java.util.Collection.iterator>\n  \
         start -> error: call <java.util.ArrayList.iterator>(*)\n",
    );
    dir.run(&["lint", "--strict", "--cp", &jdk, "s.topl"]).expect(0);
    // Types of Infer's dialect.
    dir.write(
        "i.infer",
        "property P\n  start -> error: \"java.util.ArrayList.iterator\"(This: \"java.util.List\", R)\n",
    );
    dir.run(&["lint", "--strict", "--cp", &jdk, "i.infer"]).expect(0);
    // A subclass may be a map; nothing that is a string is one.
    dir.write(
        "i.infer",
        "property P\n  start -> error: \"java.util.ArrayList.iterator\"(This: \"java.util.Map\", R)\n",
    );
    dir.run(&["lint", "--strict", "--cp", &jdk, "i.infer"]).expect(0);
    dir.write(
        "i.infer",
        "property P\n  start -> error: \"java.lang.String.length\"(This: \"java.util.Map\", R)\n",
    );
    let ran = dir.run(&["lint", "--strict", "--cp", &jdk, "i.infer"]).expect(1);
    assert!(ran.stdout.contains("never match"), "{}", ran.stdout);
    // A constant is also there when a trace is checked.
    dir.write(
        "c.topl",
        property("call <m>(<java.lang.Thread.MAX_PRIORITY>)").replace("java.{util,lang,io}.*", "*"),
    );
    dir.write("t.jsonl", "{\"call\":\"m\",\"args\":[10]}\n");
    dir.run(&["replay", "--cp", &jdk, "-p", "c.topl", "t.jsonl"]).expect(1);
    dir.run(&["replay", "-p", "c.topl", "t.jsonl"]).expect(2);
    dir.run(&["lint", "--cp", "nowhere.jar", "c.topl"]).expect(2);
}

#[test]
fn events_of_methods_that_do_not_exist_never_happen() {
    // Needs a JDK; `jdk` says so where there is none, and fails under CI.
    let Some(jdk) = jdk() else { return };
    let dir = Dir::new();
    let check = |source: &str, status: i32, parts: &[&str]| {
        let text = format!(
            "event e(x) = jvm {source}\n\
             property P(x) {{\n  start state A {{ on e(x) -> B }}\n  bad state B\n}}\n"
        );
        dir.write("p.ww", text);
        let ran = dir.run(&["lint", "--strict", "--cp", &jdk, "p.ww"]).expect(status);
        for part in parts {
            assert!(ran.stdout.contains(part), "{source}: no `{part}` in\n{}", ran.stdout);
        }
    };
    check("before call java.util.Iterator+.next() on x", 0, &[]);
    check("before call java.util.Collection+.{add, remove}(..) on x", 0, &[]);
    // Declared by a subtype only, or inherited.
    check("before call java.util.Collection+.trimToSize() on x", 0, &[]);
    check("before call java.util.ArrayList.containsAll(..) on x", 0, &[]);
    check("after new java.util.ArrayList with x = object", 0, &[]);
    let never = "property `P` can never fail";
    check(
        "before call java.util.Iterator+.nxt() on x",
        1,
        &["there is no method `java.util.Iterator+.nxt`", "did you mean `next`?", never],
    );
    check(
        "before call java.util.Itertor+.next() on x",
        1,
        &["there is no class `java.util.Itertor`", "`java.util.Iterator`?", never],
    );
    check("before call java.util.Map+.size(_) on x", 1, &["other numbers", "it has 0", never]);
    // A class of the JDK that implements it has one.
    check("before call java.util.Iterator+.next(_) on x", 0, &[]);
    // Types of parameters.
    check("before call java.util.List+.add(int, ..) on x", 0, &[]);
    check("before call java.util.Collection+.toArray(java.lang.Object[]) on x", 0, &[]);
    check("before call java.util.Collection+.addAll(java.util.Collection+) on x", 0, &[]);
    check("before call java.util.Collection+.ensureCapacity(int) on x", 0, &[]);
    // Only below the owner, and the owner has one of that name.
    check("before call java.util.Collection+.remove(int) on x", 0, &[]);
    check(
        "before call java.lang.StringBuilder.append(String) on x",
        1,
        &["there is no class `String`", "did you mean `java.lang.String`?", never],
    );
    check(
        "before call java.util.List.addAll(java.util.Colection) on x",
        1,
        &["there is no class `java.util.Colection`", "did you mean `java.util.Collection`?"],
    );
    check(
        "before call java.util.List.get(long) on x",
        1,
        &["`java.util.List.get` has parameters of other types", "it has (int)", never],
    );
    check("after call java.util.Collection+.clear() returns x", 2, &["WW0908", "returns nothing"]);
}

/// A class path that lacks a class, a package or everything: one diagnostic says so, and the labels and states
/// that depend on it need no others.
#[test]
fn a_class_or_package_that_is_missing_is_said_once() {
    // Needs a JDK; `jdk` says so where there is none, and fails under CI.
    let Some(jdk) = jdk() else { return };
    let dir = Dir::new();
    let text = |owner: &str| {
        format!(
            "event open(a) = jvm after call {owner}.open() on a\n\
             event close(a) = jvm before call {owner}.close() on a\n\
             property P(a) {{\n  start state X {{ on open(a) -> Y }}\n\
             state Y {{ on open(a) -> Z on close(a) -> X }}\n  bad state Z\n}}\n"
        )
    };
    for (owner, parts) in [
        ("app.Missing", &["there is no class `app.Missing`", "`--cp`"][..]),
        ("app.Missing+", &["there is no class `app.Missing`"]),
        ("java.utl.List", &["there is no class `java.utl.List`", "did you mean `java.util.List`?"]),
        ("List", &["there is no class `List`", "did you mean `java.util.List`?"]),
        ("nope.deep.*", &["there is no package `nope.deep`", "`--cp`"]),
        ("java.utl.*", &["there is no package `java.utl`", "did you mean `java.util`?"]),
    ] {
        dir.write("p.ww", text(owner));
        let ran = dir.run(&["lint", "--cp", &jdk, "p.ww"]).expect(0);
        for part in parts {
            assert!(ran.stdout.contains(part), "{owner}: no `{part}` in\n{}", ran.stdout);
        }
        assert!(ran.stdout.contains("`open` and 1 more can never happen"), "{}", ran.stdout);
        assert!(ran.stdout.ends_with("0 errors, 2 warnings\n"), "{owner}: {}", ran.stdout);
        assert!(ran.stdout.contains("property `P` can never fail"), "{}", ran.stdout);
    }
    dir.write(
        "t.topl",
        "property T\n  prefix \"app.Missing\"\n  start -> start: *\n  start -> error: open()\n",
    );
    let ran = dir.run(&["lint", "--cp", &jdk, "t.topl"]).expect(0);
    let said = "there is no method `app.Missing.open`, and no class `app.Missing`";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    // A folder without classes, for instance one of jars.
    std::fs::create_dir(dir.path().join("lib")).unwrap();
    let ran = dir.run(&["lint", "--cp", "lib", "p.ww"]).expect(0);
    assert!(ran.stderr.contains("lib has no class files"), "{}", ran.stderr);
}

/// What ships must mean methods that are there.
#[test]
fn the_shipped_properties_of_the_jdk_name_methods_that_exist() {
    // Methods that a JDK does not have yet are called by no program that runs on it.
    let of_newer = ["std/future-result", "std/thread-joined-early"];
    let newer = jdks_since(19);
    for jdk in jdks() {
        let home = jdk.to_str().expect("a path");
        let ran = Dir::new().run(&["lint", "--cp", home, "std/jdk", "std/safe-iterator"]).expect(0);
        let is_of_newer =
            |one: &str| of_newer.iter().any(|name| one.contains(&format!("--> {name}:")));
        let about = ran.stdout.split("\n\n").filter(|one| one.contains("can never"));
        let wrong: Vec<&str> =
            about.filter(|one| newer.contains(&jdk.as_path()) || !is_of_newer(one)).collect();
        assert!(wrong.is_empty(), "{home}: {}", wrong.join("\n\n"));
    }
}

#[test]
fn class_initialisers_have_records_of_their_own() {
    let dir = Dir::new();
    let property = "property P
  observe <p.*>
  start -> start: *
  start -> loaded: return <p.C.\\<clinit\\>>()
  loaded -> error: <p.Main.go>()
";
    dir.write("p.topl", property);
    let go = "{\"call\":\"p.Main.go\",\"args\":[]}\n";
    for (records, status) in [
        ("{\"clinit\":\"p.C\"}\n", 1),
        ("{\"clinit\":\"p.C\",\"when\":\"before\"}\n{\"clinit\":\"p.C\",\"when\":\"after\"}\n", 1),
        ("{\"clinit\":\"p.C\",\"when\":\"before\"}\n", 0),
        ("{\"clinit\":\"p.D\"}\n", 0),
        ("{\"return\":\"p.C.<clinit>\",\"args\":[]}\n", 1),
    ] {
        dir.write("t.jsonl", format!("{records}{go}"));
        dir.run(&["replay", "-q", "-p", "p.topl", "t.jsonl"]).expect(status);
    }
}

#[test]
fn explanations_name_the_methods_that_were_called() {
    let dir = Dir::new();
    let example = root().join("examples/topl/HasNext.topl");
    let example = example.to_str().expect("a path");
    dir.write("bad.jsonl", iteration("false"));
    let ran = dir.run(&["replay", "-p", example, "bad.jsonl"]).expect(1);
    for part in [
        "call java.util.Iterator.next(@10)",
        "return java.util.Collection.iterator",
        "`java.util.Collection.iterator` returned i (@10) at bad.jsonl:2",
        "finally, `java.util.Iterator.next` was called with i",
    ] {
        let said: String = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(part), "no `{part}` in:\n{}", ran.stdout);
    }
    // What `explain` shows can be typed into a trace.
    dir.write(
        "p.topl",
        "property P\n  observe <F.*>\n  start -> a: X.<F.close>()\n  a -> error: x.<F.write>(*)\n",
    );
    let ran = dir.run(&["explain", "p.topl"]).expect(0);
    let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("call F.close(@"), "{}", ran.stdout);
    assert!(said.contains("`call` of `F.*`"), "{}", ran.stdout);
    let json = dir.run(&["explain", "--format", "json", "p.topl"]).expect(0).json();
    let run = json["properties"][0]["example"].as_array().unwrap();
    let lines: String = run.iter().map(|e| format!("{e}\n")).collect();
    dir.write("e.jsonl", lines);
    dir.run(&["replay", "-p", "p.topl", "e.jsonl"]).expect(1);
}

#[test]
fn lists_of_names_and_types_are_not_shown() {
    let dir = Dir::new();
    dir.write("p.topl", "property P\n  start -> error: \".*m\"(This: \".*List\", Ret)\n");
    let line = "{\"return\":\"A.m\",\"args\":[{\"ref\":1}],\"value\":3,\
                \"types\":[[\"p.List\",\"p.Collection\"],[\"int\"]],\"annotations\":[]}\n";
    dir.write("t.jsonl", line);
    let ran = dir.run(&["replay", "-p", "p.topl", "t.jsonl"]).expect(1);
    assert!(ran.stdout.contains("done A.m(@1) = 3"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("p.Collection"), "{}", ran.stdout);
    assert!(ran.stdout.contains("`A.m` was called with @1 and returned 3"), "{}", ran.stdout);
}

#[test]
fn events_are_counted_for_the_properties_that_observe_them() {
    let dir = Dir::new();
    dir.write(
        "nope.topl",
        "property Nope\n  observe <no.Such.*>\n  start -> error: <no.Such.m>[*]\n",
    );
    dir.write("one.topl", "property One\n  observe <java.util.Iterator.next>\n  start -> error: <1> := <java.util.Iterator.next>[*]\n");
    let example = root().join("examples/topl/HasNext.topl");
    let example = example.to_str().expect("a path");
    dir.write("t.jsonl", iteration("true"));
    let args = ["replay", "-p", "nope.topl", "-p", "one.topl", "-p", example, "t.jsonl"];
    let ran = dir.run(&args).expect(0);
    for line in ["Nope: 0 events", "One: 4 events", "HasNext: 10 events"] {
        assert!(ran.stdout.contains(line), "no `{line}` in:\n{}", ran.stdout);
    }
    assert!(ran.stderr.contains("it observes `call` of `no.Such.*`"), "{}", ran.stderr);
}

#[test]
fn lint_speaks_the_language_of_the_file() {
    let dir = Dir::new();
    dir.write("u.topl", "property P\n  observe <A.*>\n  start -> error: X.<A.m>()\n");
    let ran = dir.run(&["lint", "u.topl"]).expect(0);
    assert!(ran.stdout.contains("write `*` instead of binding it"), "{}", ran.stdout);
    dir.write("i.topl", "property P\n  prefix \"A\"\n  start -> error: m(X, R) => x := X\n");
    let ran = dir.run(&["lint", "i.topl"]).expect(0);
    assert!(ran.stdout.contains("remove the assignment"), "{}", ran.stdout);
    dir.write("n.topl", "property P\n  start -> error: *\n");
    let ran = dir.run(&["lint", "--lang", "topl", "n.topl"]).expect(0);
    assert!(ran.stdout.contains("`observe <"), "{}", ran.stdout);
    for own in ["`_`", "`also", "`bad`", "on e("] {
        assert!(!ran.stdout.contains(own), "{own} in {}", ran.stdout);
    }
}
