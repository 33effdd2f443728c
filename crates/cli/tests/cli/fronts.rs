//! Every front end is formatted and checked, not only Watchword's own.

use std::path::PathBuf;

use crate::support::{Dir, root};

/// The example files of a language.
pub fn examples(extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no example in .{extension}");
    found
}

#[test]
fn examples_are_formatted() {
    let dir = Dir::new();
    for extension in ["topl", "lrv", "prop", "scn"] {
        for path in examples(extension) {
            let name = path.to_str().unwrap();
            let ran = dir.run(&["fmt", "--check", name]);
            assert_eq!(ran.status, 0, "{name}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn what_is_untidy_becomes_tidy_and_stays_so() {
    let dir = Dir::new();
    let cases = [
        (
            "p.topl",
            "// first\n\n\nproperty   P{\n// of it\nobserve <A.{b,c}>,<D.*>\n      start->start :*\n\
             start -> error:X:=y . <A.b>( * ,!<1> ),  call (!<A.c>)[ 2 ]  // bad\n\n}\n\n",
            "// first\n\nproperty P {\n  // of it\n  observe <A.{b,c}>, <D.*>\n  start -> start: *\n  \
             start -> error: X := y.<A.b>(*, !<1>), call (!<A.c>)[2]  // bad\n\n}\n",
        ),
        (
            "i.topl",
            "property P\nprefix   \"Main\"\n start -> t :source( Ret )=>x:=Ret\n\tt->error: \
             sink(Arg,VoidRet) when x==Arg&&Arg!=0\n",
            "property P\n  prefix \"Main\"\n  start -> t: source(Ret) => x := Ret\n  t -> error: \
             sink(Arg, VoidRet) when x == Arg && Arg != 0\n",
        ),
        (
            "v.prop",
            "slice on q\n  state init accepting:\n transition:\n   # why\n   event push(q) {\n  \
             return N < 3\n  }\n        success init   \n",
            "slice on q\nstate init accepting:\n  transition:\n    # why\n    event push(q) {\n  \
             return N < 3\n  }\n    success init\n",
        ),
        (
            "l.lrv",
            "GLOBAL {\n%% one\nEVENTS {\n  a() = {A x.m()}\n}\n      PROPERTY P {\nSTATES { BAD { b } \
             STARTING { s } }\nTRANSITIONS {\ns -> b   [a]   \n}\n}\n}\n",
            "GLOBAL {\n  %% one\n  EVENTS {\n    a() = {A x.m()}\n  }\n  PROPERTY P {\n    STATES { \
             BAD { b } STARTING { s } }\n    TRANSITIONS {\n      s -> b   [a]\n    }\n  }\n}\n",
        ),
        (
            "s.scn",
            "n := 0\n\n\n\non entering state a do\n      n := n + 1   \n      # now\n      if n = 2 \
             then\n         stop \"two\"\n",
            "n := 0\n\non entering state a do\n  n := n + 1\n  # now\n  if n = 2 then\n    stop \
             \"two\"\n",
        ),
    ];
    for (name, untidy, tidy) in cases {
        dir.write(name, untidy);
        dir.run(&["fmt", "--check", name]).expect(1);
        dir.run(&["fmt", name]).expect(0);
        assert_eq!(dir.read(name), tidy, "{name}");
        dir.run(&["fmt", "--check", name]).expect(0);
    }
    dir.write("c.prop", cases[2].2.replace('\n', "\r\n"));
    dir.run(&["fmt", "c.prop"]).expect(0);
    assert_eq!(dir.read("c.prop"), cases[2].2);
    // Constants of classes are not looked up.
    dir.write("k.topl", "property P\n start -> error: <a.b.C.NAME>:=<A.m>[*]\n");
    dir.run(&["fmt", "k.topl"]).expect(0);
    // Without an extension somebody has to say what it is.
    let ran = dir.run_with(&["fmt", "--lang", "topl", "-"], cases[0].1.as_bytes()).expect(0);
    assert_eq!(ran.stdout, cases[0].2);
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let dir = Dir::new();
    let cases = [
        ("p.topl", "property P\n start -> error\n"),
        ("v.prop", "state {\n"),
        ("l.lrv", "GLOBAL {\n EVENTS {\n"),
        ("s.scn", "on entering state do\n"),
    ];
    for (name, text) in cases {
        dir.write(name, text);
        let ran = dir.run(&["fmt", name]).expect(2);
        assert!(ran.stderr.contains(name) && ran.stderr.contains("help:"), "{}", ran.stderr);
        assert_eq!(dir.read(name), text);
    }
}

#[test]
fn scenarios_are_checked_alone_or_with_their_properties() {
    let dir = Dir::new();
    for path in examples("scn") {
        dir.run(&["lint", path.to_str().unwrap()]).expect(0);
    }
    dir.write(
        "p.ww",
        "event e(x)\nproperty P(x) { start state A { on e(x) -> B }\nbad state B }\n",
    );
    dir.write("s.scn", "on entering state C do\n  stop\n");
    let ran = dir.run(&["lint", "s.scn"]).expect(0);
    assert!(ran.stdout.contains("ok: 1 scenario, nothing"), "{}", ran.stdout);
    let ran = dir.run(&["lint", "p.ww", "s.scn"]).expect(2);
    assert!(ran.stdout.contains("s.scn:1:") && ran.stdout.contains("WW0951"), "{}", ran.stdout);
    dir.write("s.scn", "on entering state B do\n  stop\n");
    let ran = dir.run(&["lint", "p.ww", "s.scn"]).expect(0);
    assert!(ran.stdout.contains("1 property, 1 scenario"), "{}", ran.stdout);
    dir.write("s.scn", "on entering\n");
    let ran = dir.run(&["lint", "--format", "json", "s.scn"]).expect(2);
    assert_eq!(ran.json()["diagnostics"][0]["file"], "s.scn");
}
