//! The shipped properties: each finds what it is for, leaves alone what it must, and is documented.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use watchword_cli::properties::SHIPPED;

use crate::support::{Dir, root};

const FAMILIES: [&str; 5] = ["jdk", "jdk-advice", "posix", "posix-advice", "log"];

fn files(family: &str, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("properties").join(family)).unwrap();
    let mut files: Vec<PathBuf> = entries
        .map(|e| e.unwrap().path())
        .filter(|p| p.to_str().unwrap().ends_with(ending))
        .collect();
    files.sort();
    files
}

fn stem(path: &std::path::Path) -> String {
    path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap().to_string()
}

#[test]
fn everything_in_the_folders_ships() {
    for family in FAMILIES {
        let here: BTreeSet<String> =
            files(family, ".ww").iter().map(|p| format!("std/{}", stem(p))).collect();
        let shipped = SHIPPED.iter().filter(|s| s.family == family);
        assert_eq!(here, shipped.map(|s| s.name.to_string()).collect(), "{family}");
    }
    assert!(SHIPPED.len() >= 46);
}

#[test]
fn each_finds_its_bad_trace_and_nothing_in_its_clean_one() {
    let dir = Dir::new();
    for family in FAMILIES {
        for file in files(family, ".ww") {
            let name = format!("std/{}", stem(&file));
            for (kind, status) in [("bad", 1), ("ok", 0)] {
                let trace = file.with_extension(format!("{kind}.jsonl"));
                let trace = trace.to_str().unwrap();
                let ran = dir.run(&["replay", "-p", &name, trace]).expect(status);
                assert_eq!(ran.stderr, "", "{name}: nothing to warn about");
                // The slow evaluator is of the same opinion.
                dir.run(&["replay", "--engine", "reference", "-p", &name, trace]).expect(status);
            }
        }
    }
}

#[test]
fn clean_traces_are_clean_for_the_whole_family() {
    let dir = Dir::new();
    for family in FAMILIES {
        for trace in files(family, ".ok.jsonl") {
            let all = format!("std/{family}");
            let ran = dir.run(&["replay", "-q", "-p", &all, trace.to_str().unwrap()]);
            assert_eq!(ran.status, 0, "{}: {}", trace.display(), ran.stdout);
        }
    }
}

#[test]
fn each_is_formatted_documented_tagged_and_not_vacuous() {
    let dir = Dir::new();
    let listed = dir.run(&["list", "--format", "json"]).expect(0).json();
    for family in FAMILIES {
        for file in files(family, ".ww") {
            let path = file.to_str().unwrap();
            let linted = dir.run(&["lint", path]).expect(0);
            let flaws = linted.stdout.matches("warning[").count();
            assert_eq!(flaws, 0, "{path}: {}", linted.stdout);
            dir.run(&["fmt", "--check", path]).expect(0);
            let name = format!("std/{}", stem(&file));
            let entry = listed["properties"]
                .as_array()
                .unwrap()
                .iter()
                .find(|p| p["name"] == name.as_str());
            let entry = entry.unwrap_or_else(|| panic!("{name} is not listed"));
            assert!(!entry["doc"].as_str().unwrap().is_empty(), "{name}");
            // Advice is a part of a family, with a second tag.
            assert_eq!(entry["tags"][0], family.split('-').next().unwrap(), "{name}");
        }
    }
    let linted = dir.run(&["lint", "std/all"]).expect(0);
    assert_eq!(linted.stdout.matches("warning[").count(), 0, "{}", linted.stdout);
}

/// Not vacuous in the strongest sense: a run that violates it was found and tried.
#[test]
fn each_can_be_violated() {
    let dir = Dir::new();
    let told = dir.run(&["explain", "std/all", "--format", "json"]).expect(0).json();
    let told = told["properties"].as_array().unwrap();
    let listed = dir.run(&["list", "--format", "json"]).expect(0).json();
    let listed = listed["properties"].as_array().unwrap();
    assert_eq!(listed.len(), SHIPPED.len());
    for entry in listed {
        // Others in the same file only send it messages.
        let property = told.iter().find(|p| p["name"] == entry["property"]).unwrap();
        assert!(property["example"].is_array(), "{}", entry["name"]);
    }
}

#[test]
fn the_list_can_be_narrowed() {
    let dir = Dir::new();
    let lines = |args: &[&str]| dir.run(args).expect(0).stdout.matches("  std/").count();
    let all = lines(&["list"]);
    assert_eq!(all, SHIPPED.len());
    assert_eq!(lines(&["list", "--family", "posix"]), files("posix", ".ww").len());
    assert_eq!(lines(&["list", "--tag", "jdbc"]), 7);
    assert!((1..all).contains(&lines(&["list", "--target", "native"])));
    dir.run(&["list", "--family", "nothing"]).expect(2);
    let ran = dir.run(&["replay", "-p", "std/double-fre", "-"]).expect(2);
    assert!(ran.stderr.contains("did you mean `std/double-free`?"), "{}", ran.stderr);
    let ran = dir.run(&["replay", "-p", "std/iterater", "-"]).expect(2);
    assert!(ran.stderr.contains("did you mean `std/iterator`?"), "{}", ran.stderr);
}

/// `docs/std.md` is made from the files; `WATCHWORD_REFRESH=1` writes it.
#[test]
fn the_page_is_up_to_date() {
    let dir = Dir::new();
    let listed = dir.run(&["list", "--format", "json"]).expect(0).json();
    let told = dir.run(&["explain", "std/all", "--format", "json"]).expect(0).json();
    let mut page = String::from(
        "# Shipped properties\n\n\
         <!-- Made from the files in properties/ and examples/properties; see library.rs. -->\n\n\
         You can use these properties by name wherever a property file is expected: `-p std/reply`. `std/jdk`\n\
         and the other families stand for all of their properties, `std/iterator` for all whose names begin\n\
         with it, and `std/all` for all shipped properties.\n\n\
         | command | effect |\n\
         |---|---|\n\
         | `watchword list` | lists the properties |\n\
         | `watchword list --show NAME` | prints the file of a property |\n\
         | `watchword explain NAME` | describes a property in words, with a shortest run that violates it |\n\n\
         In the shortest runs below, `@1` and `@2` are two objects or addresses. Other values are examples: any value that\n\
         the property allows there would do.\n\n\
         For your own log, `--bind` says which lines or records are the events of a property, and `--set`\n\
         chooses its limits; see [shipped properties on your own log](cookbook.md#shipped-properties-on-your-own-log).\n\n\
         The families contain different kinds of rules. Each property names the sentence of the documentation that\n\
         it is about.\n\n\
         | family | rules |\n\
         |---|---|\n\
         | `std/jdk`, `std/posix` | misuse that is certain by the documentation: a call throws, is undefined or loses data |\n\
         | `std/jdk-advice`, `std/posix-advice` | likely mistakes; their severity is warning. The exit status does not depend on the severity |\n\
         | `std/log` | rules for logs, without sources: `--bind` supplies them |\n\
         | `std/basics` | examples to learn from and to measure with; they may report code that is allowed |\n\n\
         Several properties are about iterators:\n\n\
         | property | reports | use it |\n\
         |---|---|---|\n\
         | `std/iterator-comodification` | `next` has thrown a ConcurrentModificationException: which line changed the list or set | always; a part of `std/jdk` |\n\
         | `std/map-view-comodification` | the same for iterators of `keySet()`, `values()` and `entrySet()` of a map | always; a part of `std/jdk` |\n\
         | `std/iterator-exhausted` | `next` has thrown a NoSuchElementException: there was no further element | always; a part of `std/jdk` |\n\
         | `std/safe-iterator` | any use after any change, also where no exception is thrown, as for the collections of `java.util.concurrent` | to learn and to measure |\n\
         | `std/has-next` | `next` without a `hasNext` that has answered true, also where there is an element | as a rule of style |\n\n\
         A property of `std/jdk` reports a call that has thrown the exception which the documentation promises for\n\
         it, also if the program catches it, with the events that led to it, for example the line that changed the list. It\n\
         does not predict exceptions from the class of an object. So it does not report classes of other libraries that\n\
         do not throw, locks that were acquired before Watchword\n\
         was attached or outside of `--scope`, and mocks. `properties/jdk/clauses.txt` and `properties/posix/clauses.txt`\n\
         list what the documentation of the JDK and POSIX promise for objects in a wrong state, and say for each clause which\n\
         property reports it, or why none does; `watchword explain NAME` shows the clauses of a property.\n\n\
         Each property comes with a trace that violates it and one that does not. A report of something that the documentation\n\
         does not forbid is a false alarm, and a defect in all families but `std/basics`; please report it. Some programs use\n\
         such an exception as an answer (`Process.exitValue` of a process that still runs): accept these violations with a\n\
         [baseline](reports.md#baselines).\n",
    );
    let mut family = String::new();
    for entry in listed["properties"].as_array().unwrap() {
        let text = |key: &str| entry[key].as_str().unwrap().to_string();
        if text("family") != family {
            family = text("family");
            let _ = write!(page, "\n## `std/{family}`\n");
        }
        let list = |key: &str| {
            let items = entry[key].as_array().unwrap().iter();
            items.map(|i| i.as_str().unwrap()).collect::<Vec<_>>().join(", ")
        };
        let _ = write!(
            page,
            "\n### `{}`\n\n`{}({})`, {}, for {}\n\n{}\n",
            text("name"),
            text("property"),
            list("parameters"),
            text("severity"),
            list("targets"),
            text("doc").trim(),
        );
        for param in entry["params"].as_array().unwrap() {
            let of = |key: &str| param[key].as_str().unwrap();
            let (name, ty, default) = (of("name"), of("type"), of("default"));
            let _ = write!(page, "\n`--set {name}=…`, {ty}, {default} by default: {}\n", of("doc"));
        }
        let all = told["properties"].as_array().unwrap();
        let about = all.iter().find(|p| p["name"] == entry["property"]).unwrap();
        let _ = write!(page, "\n{}\n", about["words"].as_str().unwrap());
        let _ = write!(page, "\nA shortest run that violates it: {}\n", run(about));
    }
    let path = root().join("docs/std.md");
    if std::env::var_os("WATCHWORD_REFRESH").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/std.md is out of date; WATCHWORD_REFRESH=1 writes it");
}

/// The events of an example, and what comes after them.
fn run(about: &serde_json::Value) -> String {
    let mut shown = Vec::new();
    for event in about["example"].as_array().unwrap() {
        shown.push(match event["event"].as_str() {
            Some(name) => {
                let args = event["args"].as_array().unwrap().iter().map(|a| match a {
                    serde_json::Value::Object(_) => {
                        let number = a.get("ref").or(a.get("ptr")).unwrap_or(a);
                        format!("@{}", number.to_string().trim_matches('"'))
                    }
                    other => other.to_string(),
                });
                format!("`{name}({})`", args.collect::<Vec<_>>().join(", "))
            }
            None => format!("then time reaches {} s", event["time"]),
        });
    }
    if about["atEnd"] == true {
        shown.push("then the run ends".to_string());
    }
    format!("{}.", shown.join(", "))
}
