//! The shipped properties of the JDK on real programs: snippets that the documentation allows raise
//! no alarm, and those that throw as it says are found.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;
use watchword_cli::properties::SHIPPED;
use watchword_model::{Glob, Origin, Source};
use watchword_spec::SourceFile;

use crate::java::{compile, java, jdks, jdks_since, report};
use crate::support::{Dir, root};

/// Classes of snippets, and whether each of their snippets must end by an exception.
pub const SNIPPETS: [(&str, bool); 26] = [
    ("LegalAdvice", false),
    ("LegalAgain", false),
    ("LegalBoundaries", false),
    ("LegalCallbacks", false),
    ("LegalClosing", false),
    ("LegalCollections", false),
    ("LegalMechanisms", false),
    ("LegalMore", false),
    ("LegalState", false),
    ("LegalStreams", false),
    ("LegalThreads", false),
    ("LegalWrapped", false),
    ("ThrowsAgain", true),
    ("ThrowsCallbacks", true),
    ("ThrowsCollections", true),
    ("ThrowsEveryChannel", true),
    ("ThrowsEveryCollection", true),
    ("ThrowsEveryJdbc", true),
    ("ThrowsEveryStream", true),
    ("ThrowsMore", true),
    ("ThrowsState", true),
    ("ThrowsStreams", true),
    ("ThrowsThreads", true),
    ("ThrowsWrapped", true),
    ("Advice", false),
    ("Closing", false),
];

/// The same, for snippets that need a newer JDK to be compiled.
pub const NEWER: [(&str, bool); 2] = [("LegalNewer", false), ("ThrowsNewer", true)];

/// The classes of legal uses that are usually mistakes.
const ADVICE: [&str; 2] = ["Advice", "Closing"];

fn folder() -> PathBuf {
    root().join("properties/jdk/programs")
}

/// The file of a class of snippets.
pub fn source_of(class: &str) -> PathBuf {
    let newer = NEWER.iter().any(|(name, _)| *name == class);
    let folder = if newer { root().join("properties/jdk/newer") } else { folder() };
    folder.join(format!("{class}.java"))
}

/// The properties that find the snippets of a class, as its source says.
fn expected(class: &str) -> BTreeMap<String, BTreeSet<String>> {
    annotated(class, "Found")
}

/// The properties that an annotation of the snippets of a class names.
fn annotated(class: &str, annotation: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(source_of(class)).unwrap();
    let snippet =
        Regex::new(r#"(?:@(Found|Unseen|Legal)\("([^"]*)"\)\s+)?static void (\w+)\(\)"#).unwrap();
    let mut all = BTreeMap::new();
    for found in snippet.captures_iter(&text) {
        let is_it = found.get(1).is_some_and(|word| word.as_str() == annotation);
        let names = found.get(2).filter(|_| is_it).map_or("", |names| names.as_str());
        let names = names.split(", ").filter(|name| !name.is_empty()).map(str::to_string);
        all.insert(format!("{class}.{}", &found[3]), names.collect());
    }
    all
}

/// The snippet that a violation belongs to: the first frame that is in one.
fn snippet_of(violation: &serde_json::Value) -> String {
    let frames = violation["stack"].as_array().into_iter().flatten();
    let functions = std::iter::once(&violation["location"])
        .chain(frames)
        .filter_map(|frame| frame["function"].as_str());
    let method = Regex::new(r"^(\w+)\.(?:lambda\$)?(\w+?)(?:\$\d+)?$").unwrap();
    for function in functions {
        if let Some(parts) = method.captures(function)
            && SNIPPETS.iter().chain(&NEWER).any(|(class, _)| *class == &parts[1])
        {
            return format!("{}.{}", &parts[1], &parts[2]);
        }
    }
    format!("outside of the snippets: {violation}")
}

/// The classes of the snippets that every JDK can run.
pub fn compiled() -> Dir {
    let dir = Dir::new();
    let sources = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    compile(&sources.collect::<Vec<_>>(), dir.path());
    dir
}

#[test]
fn legal_programs_raise_no_alarm_and_throwing_ones_are_found() {
    let dir = compiled();
    for jdk in jdks() {
        compare(jdk, &dir, &SNIPPETS);
    }
}

/// The release with what the newer snippets use: older compilers do not know it.
pub const NEWER_RELEASE: u32 = 25;

/// The classes of the newer snippets, as a JDK compiles them that knows what they use.
pub fn compiled_by(jdk: &Path) -> Dir {
    let dir = Dir::new();
    let sources =
        ["Driver", "Found", "Legal", "Unseen"].map(|class| folder().join(format!("{class}.java")));
    let newer = NEWER.map(|(class, _)| source_of(class));
    let done = Command::new(jdk.join("bin/javac"))
        .args(["-proc:none", "-nowarn", "--release", &NEWER_RELEASE.to_string(), "-d"])
        .arg(dir.path())
        .args(sources.iter().chain(&newer))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    dir
}

#[test]
fn programs_of_newer_jdks_are_judged_by_the_same_rules() {
    for jdk in jdks_since(NEWER_RELEASE) {
        compare(jdk, &compiled_by(jdk), &NEWER);
    }
}

/// Has the files that snippets leave behind go when their folder does.
fn temporary(dir: &Dir) -> String {
    format!("-Djava.io.tmpdir={}", dir.path().display())
}

/// What became of a snippet.
#[derive(Default)]
pub struct Outcome {
    /// `returned`, or the class of the exception that left it; `None` if it did not run.
    pub end: Option<String>,
    /// The calls that the exception left: methods, with the types that have them.
    pub calls: Vec<(String, BTreeSet<String>)>,
    /// The properties that reported it.
    pub found_by: BTreeSet<String>,
    /// The classes of the objects that they reported.
    pub objects: BTreeSet<String>,
}

/// How many snippets run at once: a report has room for 1000 violations.
const AT_ONCE: usize = 700;

/// Runs classes of snippets and tells what became of each, by name.
pub fn outcomes(jdk: &Path, dir: &Dir, classes: &[&str]) -> BTreeMap<String, Outcome> {
    let mut parts: Vec<Vec<&str>> = Vec::new();
    let mut room = 0;
    for class in classes {
        let count = expected(class).len();
        if count > room {
            parts.push(Vec::new());
            room = AT_ONCE;
        }
        room = room.saturating_sub(count);
        parts.last_mut().unwrap().push(class);
    }
    let flags =
        ["-q", "-p", "std/jdk", "-p", "std/jdk-advice", "--no-dedup", "--report", "found.json"];
    let mut all: BTreeMap<String, Outcome> = BTreeMap::new();
    for part in parts {
        let temporary = temporary(dir);
        let driver = [temporary.as_str(), "-cp", ".", "Driver"];
        let arguments: Vec<&str> = driver.into_iter().chain(part).collect();
        let ran = java(jdk, dir, &flags, &arguments).expect(0);
        for line in ran.stdout.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [name, end, calls @ ..] = &words[..] else { continue };
            let calls = calls.chunks(2).filter(|call| call.len() == 2).map(|call| {
                (call[0].to_string(), call[1].split(',').map(str::to_string).collect())
            });
            let outcome = all.entry(name.to_string()).or_default();
            outcome.end = Some(end.to_string());
            outcome.calls = calls.collect();
        }
        for violation in report(dir, "found.json")["violations"].as_array().unwrap() {
            let outcome = all.entry(snippet_of(violation)).or_default();
            outcome.found_by.insert(violation["property"].as_str().unwrap().to_string());
            let binding = violation["binding"].as_object().into_iter().flatten();
            let classes = binding.filter_map(|(_, value)| value["class"].as_str());
            outcome.objects.extend(classes.map(str::to_string));
        }
    }
    all
}

/// Runs classes of snippets: legal ones return and raise no alarm, others throw and are found by the properties
/// that their source names.
fn compare(jdk: &Path, dir: &Dir, classes: &[(&str, bool)]) {
    let mut wanted = BTreeMap::new();
    for (class, _) in classes {
        wanted.extend(expected(class));
    }
    let names: Vec<&str> = classes.iter().map(|(class, _)| *class).collect();
    let mut all = outcomes(jdk, dir, &names);
    let mut wrong = Vec::new();
    for (name, names) in &wanted {
        let throws = classes.iter().any(|(class, throws)| {
            *throws && name.strip_prefix(class).is_some_and(|rest| rest.starts_with('.'))
        });
        let outcome = all.remove(name).unwrap_or_default();
        match outcome.end.as_deref() {
            Some(end) if (end == "returned") != throws => {}
            end => wrong.push(format!("{name}: ended by {end:?}")),
        }
        if outcome.found_by != *names {
            wrong.push(format!("{name}: found by {:?}, not by {names:?}", outcome.found_by));
        }
    }
    let others = all.into_iter().filter(|(_, outcome)| !outcome.found_by.is_empty());
    wrong.extend(others.map(|(name, outcome)| format!("{name}: {:?}", outcome.found_by)));
    assert!(wrong.is_empty(), "{}:\n{}", jdk.display(), wrong.join("\n"));
}

/// What a scope leaves out makes a property silent, never wrong: the snippets are watched, and not what they call.
#[test]
fn legal_programs_raise_no_alarm_where_only_a_part_of_them_is_watched() {
    let dir = compiled();
    let legal = SNIPPETS.iter().filter(|(class, _)| class.starts_with("Legal"));
    let legal: Vec<&str> = legal.map(|(class, _)| *class).collect();
    for jdk in jdks() {
        let flags = ["-q", "-p", "std/jdk", "-p", "std/jdk-advice", "--scope", "Legal*"];
        let flags = [&flags[..], &["--no-dedup", "--report", "found.json"]].concat();
        let temporary = temporary(&dir);
        let arguments = [&[temporary.as_str(), "-cp", ".", "Driver"][..], &legal].concat();
        java(jdk, &dir, &flags, &arguments).expect(0);
        let found = report(&dir, "found.json");
        let found: Vec<String> = found["violations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| format!("{}: {}", snippet_of(v), v["message"]))
            .collect();
        assert!(found.is_empty(), "{}:\n{}", jdk.display(), found.join("\n"));
    }
}

/// What began before monitoring did is not known, and what is not known is no verdict.
#[test]
fn legal_programs_raise_no_alarm_when_they_are_joined_in_mid_life() {
    let dir = Dir::new();
    let sources = ["Jdbc", "LegalMidlife"].map(|class| folder().join(format!("{class}.java")));
    compile(&sources, dir.path());
    for jdk in jdks() {
        let mut program = Command::new(jdk.join("bin/java"))
            .args(["-XX:+EnableDynamicAgentLoading", &temporary(&dir), "-cp", ".", "LegalMidlife"])
            .current_dir(dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        let mut joined = Command::new(crate::support::binary())
            .args(["java", "-p", "std/jdk", "-p", "std/jdk-advice", "--report", "out.json"])
            .args(["--attach", &program.id().to_string()])
            .current_dir(dir.path())
            .env("XDG_CACHE_HOME", crate::java::cache())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It says when it is there: the program waits until then.
        let mut told = BufReader::new(joined.stderr.take().unwrap()).lines();
        let first = told.next().unwrap().unwrap();
        assert!(first.contains("attached to process"), "{first}");
        program.stdin.as_mut().unwrap().write_all(b".").unwrap();
        assert!(program.wait().unwrap().success());
        let rest: Vec<String> = told.map_while(Result::ok).collect();
        assert_eq!(joined.wait().unwrap().code(), Some(0), "{}", rest.join("\n"));
        let found = report(&dir, "out.json");
        assert_eq!(found["violations"].as_array().unwrap().len(), 0, "{found}");
        let events = |name: &str| {
            let all = found["properties"].as_array().unwrap();
            all.iter().find(|p| p["name"] == name).unwrap()["events"].as_u64().unwrap()
        };
        for name in ["LockOrder", "FormatShared", "HashSetElement", "WriterUnflushed"] {
            assert!(events(name) > 0, "{name} saw nothing");
        }
    }
}

/// A reader of a report knows which lock is meant: it has the name that the code has for it, in every format.
#[test]
fn locks_have_the_names_that_the_code_has_for_them() {
    let dir = Dir::new();
    dir.write(
        "Bank.java",
        "import java.util.concurrent.locks.*;
        public class Bank {
          static class Account { final Lock lock = new ReentrantLock(); }
          static final Object LOG = new Object();
          static void move(Account from, Account to) {
            from.lock.lock();
            to.lock.lock();
            to.lock.unlock();
            from.lock.unlock();
          }
          synchronized void first() { synchronized (LOG) { } }
          void last() { synchronized (LOG) { synchronized (this) { } } }
          static void in(Runnable run) throws Exception { Thread t = new Thread(run); t.start(); t.join(); }
          public static void main(String[] arguments) throws Exception {
            Account a = new Account(), b = new Account();
            in(() -> move(a, b));
            in(() -> move(b, a));
            Bank bank = new Bank();
            in(bank::first);
            in(bank::last);
          }
        }",
    );
    compile(&[dir.path().join("Bank.java")], dir.path());
    for jdk in jdks() {
        let flags = ["-p", "std/lock-order", "--report", "out.json", "--report", "out.sarif"];
        let ran = java(jdk, &dir, &flags, &["-cp", ".", "Bank"]).expect(0);
        let named = [
            "takes `Bank.Account.lock` (ReentrantLock@1) inside of `Bank.Account.lock` (ReentrantLock@3); elsewhere \
             `Bank.Account.lock` (ReentrantLock@3) inside of `Bank.Account.lock` (ReentrantLock@1) at Bank.move:7",
            "takes `Bank.this` (Bank@5) inside of `Bank.LOG` (Object@7); elsewhere `Bank.LOG` (Object@7) inside of \
             `Bank.this` (Bank@5) at Bank.first:11",
        ];
        for text in [ran.stderr, dir.read("out.json"), dir.read("out.sarif")] {
            assert!(named.iter().all(|name| text.contains(name)), "{text}");
        }
    }
}

/// The name of the property in a shipped file.
pub fn property_of(text: &str) -> &str {
    let name = text.split("\nproperty ").nth(1);
    name.and_then(|rest| rest.split('(').next()).unwrap()
}

/// Every property has a program that violates it, and two legal ones about its protocol.
#[test]
fn every_property_of_the_jdk_has_its_programs() {
    let count = |annotation: &str| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (class, _) in SNIPPETS.iter().chain(&NEWER) {
            for name in annotated(class, annotation).into_values().flatten() {
                *counts.entry(name).or_default() += 1;
            }
        }
        counts
    };
    let (found, legal) = (count("Found"), count("Legal"));
    let mut wrong = Vec::new();
    for shipped in SHIPPED.iter().filter(|s| s.family.starts_with("jdk")) {
        let name = property_of(shipped.text);
        let (bad, fine) = (found.get(name).unwrap_or(&0), legal.get(name).unwrap_or(&0));
        if *bad < 1 || *fine < 2 {
            wrong.push(format!("{name}: {bad} programs violate it, {fine} are legal"));
        }
    }
    let names: BTreeSet<&str> = SHIPPED.iter().map(|s| property_of(s.text)).collect();
    let unknown = found.keys().chain(legal.keys()).filter(|name| !names.contains(name.as_str()));
    wrong.extend(unknown.map(|name| format!("{name} is no property")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// As many as the documentation promises, and few that are not found.
#[test]
fn there_are_many_programs_and_few_are_not_found() {
    let snippets = |throws: bool| {
        let classes = SNIPPETS
            .iter()
            .chain(&NEWER)
            .filter(move |(class, t)| *t == throws && !ADVICE.contains(class));
        classes.flat_map(|(class, _)| expected(class)).collect::<Vec<_>>()
    };
    let (legal, throwing) = (snippets(false), snippets(true));
    let unseen = throwing.iter().filter(|(_, names)| names.is_empty()).count();
    assert!(legal.len() >= 300, "{}", legal.len());
    assert!(throwing.len() >= 300, "{}", throwing.len());
    assert!(unseen * 20 <= throwing.len(), "{unseen} of {} are not found", throwing.len());
    let page = std::fs::read_to_string(root().join("docs/std-findings.md")).unwrap();
    let found = throwing.len() - unseen;
    for row in [
        format!("| legal: the documentation allows them | {} |", legal.len()),
        format!("exception | {} | {found} are found; {unseen} are not", throwing.len()),
    ] {
        assert!(page.contains(&row), "docs/std-findings.md lacks {row:?}");
    }
}

/// Per kind and role of `properties/jdk/methods.txt`: the events, in the files of their properties,
/// one of which selects the methods of that role.
const KNOWN_BY: [(&str, &str, &str, &[&str]); 14] = [
    ("collection", "mutator", "iterator-comodification", &["traversed_changed"]),
    ("collection", "maker", "iterator-comodification", &["traversal_begun"]),
    ("collection", "traversal", "traversal-comodification", &["traversal_interrupted"]),
    ("collection", "optional", "immutable-collection", REFUSED),
    ("map", "mutator", "map-view-comodification", &["map_changed"]),
    ("map", "elements-view", "map-view-comodification", &["view_made"]),
    ("map", "traversal", "traversal-comodification", &["traversal_interrupted"]),
    ("map", "optional", "immutable-collection", REFUSED),
    ("iterator", "advance", "iterator-exhausted", &["iterator_refused"]),
    ("iterator", "checked", "iterator-comodification", &["traversal_failed"]),
    ("iterator", "removal", "iterator-remove", &["remover_refused"]),
    ("iterator", "scan", "scanner-closed", &["scanner_refused"]),
    ("spliterator", "traversal", "traversal-comodification", &["traversal_interrupted"]),
    ("enumeration", "advance", "enumeration-exhausted", &["enumeration_refused"]),
];

const REFUSED: &[&str] = &["immutable_refused", "immutable_refused_function"];

/// The table of methods: kind and name, and roles.
fn methods() -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(root().join("properties/jdk/methods.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let roles = words[2..].iter().map(|role| role.to_string()).collect();
            (words[..2].join(" "), roles)
        })
        .collect()
}

/// The names of methods that events of a shipped property select.
fn selected(file: &str, events: &[&str]) -> Vec<Glob> {
    let shipped = SHIPPED.iter().find(|s| s.name == format!("std/{file}")).unwrap();
    let source = SourceFile::new(&format!("{file}.ww"), shipped.text);
    let loaded = watchword_spec::load(&[source], &|_, _| Err("nothing is imported".into()));
    let model = loaded.model.unwrap();
    let mut globs = Vec::new();
    for event in model.events.iter().filter(|e| events.contains(&e.name.as_str())) {
        let Origin::World(sources) = &event.origin else { continue };
        for source in sources {
            if let Source::Jvm(source) = source
                && let Some(method) = source.point.called()
            {
                globs.push(method.name.clone());
            }
        }
    }
    assert!(!globs.is_empty(), "{file}: {events:?}");
    globs
}

#[test]
fn every_method_of_the_collections_is_classified() {
    let table = methods();
    let dir = Dir::new();
    compile(&[folder().join("Methods.java")], dir.path());
    for jdk in jdks() {
        let mut command = std::process::Command::new(jdk.join("bin/java"));
        let ran = command.args(["-cp", ".", "Methods"]).current_dir(dir.path()).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let listed = String::from_utf8(ran.stdout).unwrap();
        let missing: Vec<&str> = listed.lines().filter(|m| !table.contains_key(*m)).collect();
        assert!(missing.is_empty(), "{}: not in methods.txt: {missing:?}", jdk.display());
        assert!(listed.lines().count() > 200, "{listed}");
    }
}

#[test]
fn properties_know_the_methods_they_are_about() {
    let mut wrong = Vec::new();
    for (kind, role, file, events) in KNOWN_BY {
        let globs = selected(file, events);
        let of_kind = format!("{kind} ");
        for (method, roles) in methods() {
            let Some(name) = method.strip_prefix(&of_kind) else { continue };
            let is_known = globs.iter().any(|glob| glob.matches(name));
            if roles.iter().any(|r| r == role) && !is_known {
                wrong.push(format!("{file} does not know {method}, a {role}"));
            }
            if role == "mutator" && roles == ["reader"] && is_known {
                wrong.push(format!("{file} takes {method} for a {role}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
