//! The table of what the JDK's documentation promises: it is about types, methods and exceptions that there
//! are, it has every clause that the sources of a JDK have, and properties observe what it says of them.

use std::collections::{BTreeMap, BTreeSet};

use watchword_cli::clauses::{self, Api, Clause, Verdict, alternatives};
use watchword_cli::properties::SHIPPED;
use watchword_model::{Glob, JvmWhen, MethodPattern, Origin, Source, TypePattern};
use watchword_spec::SourceFile;

use crate::java::shipped::{self, Outcome};
use crate::java::{compile, jdks, jdks_since};
use crate::support::{Dir, root};

/// Rows whose exception is thrown by another object than the one that the row is about.
const SELF_MADE: &[(&str, &str)] = &[
    // Iterators and lists that these methods have made.
    (
        "java.util.{HashMap, LinkedHashMap, TreeMap, Hashtable, WeakHashMap, IdentityHashMap}",
        "{keySet, values, entrySet}",
    ),
    ("java.util.List", "subList"),
    ("java.io.{FileInputStream, FileOutputStream, RandomAccessFile}", "getChannel"),
    ("java.net.Socket", "getOutputStream"),
    ("java.net.Socket", "{getInputStream, getOutputStream}"),
];

/// What JDKs have: `Clauses.java` prints it.
#[derive(Default)]
struct Jdk {
    /// By type: its supertypes, itself included.
    above: BTreeMap<String, BTreeSet<String>>,
    /// The same for types that are not visible outside of the JDK.
    hidden: BTreeMap<String, BTreeSet<String>>,
    /// By type: its methods.
    methods: BTreeMap<String, BTreeSet<String>>,
    /// Type, method and exception of every clause in the sources.
    clauses: BTreeSet<(String, String, String)>,
}

impl Jdk {
    fn add(&mut self, printed: &str) {
        for line in printed.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let owned = |i: usize| words[i].to_string();
            match words[0] {
                "type" => {
                    self.above
                        .entry(owned(1))
                        .or_default()
                        .extend(words[2].split(',').map(str::to_string));
                }
                "hidden" => {
                    self.hidden.insert(owned(1), words[2].split(',').map(str::to_string).collect());
                }
                "method" => {
                    self.methods.entry(owned(1)).or_default().insert(owned(2));
                }
                _ => {
                    self.clauses.insert((owned(1), owned(2), owned(3)));
                }
            }
        }
    }

    /// The types, with their methods, that a row is about.
    fn subjects(&self, row: &Clause) -> Vec<(&str, Vec<&str>)> {
        let types = globs(row.types);
        let methods = globs(row.methods);
        let object = &self.methods["java.lang.Object"];
        let mut subjects = Vec::new();
        for (ty, all) in &self.methods {
            if types.iter().any(|glob| glob.matches(ty)) {
                let named = all.iter().filter(|m| methods.iter().any(|glob| glob.matches(m)));
                let own = named.filter(|m| {
                    !object.contains(*m)
                        || ty == "java.lang.Object"
                        || row.methods.contains(m.as_str())
                });
                subjects.push((ty.as_str(), own.map(String::as_str).collect()));
            }
        }
        subjects
    }

    /// The full names of exceptions; none for `loss` and the like.
    fn exceptions(&self, row: &Clause) -> Vec<&str> {
        let named = globs(row.consequence);
        let is_exception = |name: &&str| {
            self.above[*name].contains("java.lang.Throwable")
                && named.iter().any(|glob| glob.matches(name.rsplit('.').next().unwrap()))
        };
        self.above.keys().map(String::as_str).filter(is_exception).collect()
    }

    fn is_below(&self, ty: &str, pattern: &TypePattern) -> bool {
        let above = &self.above[ty];
        match pattern.subtypes {
            true => above.iter().any(|name| pattern.name.matches(name)),
            false => pattern.name.matches(ty),
        }
    }

    /// Whether a selector of calls selects a method of a type. A method that a subtype inherits or
    /// overrides is selected by a pattern of the type that declares it, too.
    fn selects(&self, pattern: &MethodPattern, ty: &str, method: &str) -> bool {
        pattern.name.matches(method) && self.is_below(ty, &pattern.owner)
    }
}

fn globs(pattern: &str) -> Vec<Glob> {
    alternatives(pattern).iter().map(|one| Glob::new(one)).collect()
}

/// What all JDKs of this machine have; some are newer than others. `None` if there is none.
fn known() -> Option<Jdk> {
    if jdks().is_empty() {
        return None;
    }
    let dir = Dir::new();
    compile(&[root().join("properties/jdk/programs/Clauses.java")], dir.path());
    let mut known = Jdk::default();
    for jdk in jdks() {
        let mut command = std::process::Command::new(jdk.join("bin/java"));
        let ran = command.args(["-cp", ".", "Clauses"]).current_dir(dir.path()).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        known.add(&String::from_utf8(ran.stdout).unwrap());
    }
    Some(known)
}

/// What the events of a shipped property wait for: calls, and the exceptions of those that throw.
fn awaited(name: &str) -> Vec<(MethodPattern, Option<String>)> {
    let shipped = SHIPPED.iter().find(|s| s.name == name);
    let shipped = shipped.unwrap_or_else(|| panic!("{name} is not shipped"));
    let source = SourceFile::new(&format!("{name}.ww"), shipped.text);
    let loaded = watchword_spec::load(&[source], &|_, _| Err("nothing is imported".into()));
    let mut all = Vec::new();
    for event in &loaded.model.unwrap().events {
        let Origin::World(sources) = &event.origin else { continue };
        for source in sources {
            if let Source::Jvm(source) = source
                && let Some(method) = source.point.called()
            {
                let thrown = source.thrown.clone().filter(|_| source.when == JvmWhen::Throwing);
                all.push((method.clone(), thrown));
            }
        }
    }
    all
}

#[test]
fn the_table_is_about_what_there_is() {
    let Some(known) = known() else { return };
    // The table has methods and types of newer JDKs.
    if !known.above.contains_key("java.util.stream.Gatherer") {
        eprintln!("left out: no JDK here is 24 or newer");
        return;
    }
    let mut wrong = Vec::new();
    for row in clauses::all(Api::Jdk) {
        let subjects = known.subjects(&row);
        if !subjects.iter().any(|(_, methods)| !methods.is_empty()) {
            wrong.push(format!("{} {}: no such method", row.types, row.methods));
        }
        // Each alternative names something, at least in one of the types.
        for ty in globs(row.types) {
            if !subjects.iter().any(|(name, _)| ty.matches(name)) {
                wrong.push(format!("{}: no such type as {ty:?}", row.types));
            }
        }
        for method in globs(row.methods) {
            if !subjects.iter().any(|(_, names)| names.iter().any(|name| method.matches(name))) {
                wrong.push(format!("{}: no such method as {method:?}", row.types));
            }
        }
        let is_known = matches!(row.consequence, "loss" | "undefined");
        if !is_known && known.exceptions(&row).is_empty() {
            wrong.push(format!("{}: no such exception", row.consequence));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every clause that the sources of a JDK have is in the table. Most JDKs come with them; the packages of Debian have
/// them in a package of their own.
#[test]
fn the_table_is_complete() {
    let Some(known) = known() else { return };
    if known.clauses.is_empty() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs a JDK with its sources");
        eprintln!("left out: no JDK here comes with its sources");
        return;
    }
    let rows: Vec<(Vec<Glob>, Vec<Glob>, Vec<Glob>)> = clauses::all(Api::Jdk)
        .map(|row| (globs(row.types), globs(row.methods), globs(row.consequence)))
        .collect();
    let mut missing = Vec::new();
    for (ty, method, exception) in &known.clauses {
        // The sources of a type have those of the types inside of it.
        let inner = format!("{ty}$");
        let types: Vec<&str> = known
            .above
            .keys()
            .map(String::as_str)
            .filter(|name| *name == ty || name.starts_with(&inner))
            .collect();
        let has = |globs: &[Glob], text: &str| globs.iter().any(|glob| glob.matches(text));
        let is_there = rows.iter().any(|(row_types, methods, exceptions)| {
            has(methods, method)
                && has(exceptions, exception)
                && types.iter().any(|name| has(row_types, name))
        });
        if !is_there {
            missing.push(format!("{ty} {method} {exception}"));
        }
    }
    assert!(missing.is_empty(), "not in clauses.txt:\n{}", missing.join("\n"));
    assert!(known.clauses.len() > 900, "{} clauses in the sources", known.clauses.len());
}

/// Properties wait for the exceptions that the table says they report; and most clauses are covered.
#[test]
fn properties_report_what_the_table_says() {
    let Some(known) = known() else { return };
    let (mut covered, mut others, mut wrong) = (0, 0, Vec::new());
    for row in clauses::all(Api::Jdk) {
        let subjects = known.subjects(&row);
        let count: usize = subjects.iter().map(|(_, methods)| methods.len()).sum();
        let Verdict::Covered(by) = row.verdict() else {
            // Types that are not covered at all are one clause per type and exception.
            others += if row.methods == "*" { subjects.len() } else { count };
            continue;
        };
        covered += count;
        let awaited: Vec<_> = by.iter().flat_map(|name| awaited(name)).collect();
        for exception in known.exceptions(&row) {
            for (ty, methods) in &subjects {
                for method in methods {
                    let is_awaited = awaited.iter().any(|(pattern, thrown)| {
                        known.selects(pattern, ty, method)
                            && thrown.as_ref().is_some_and(|thrown| {
                                // A SocketException is what a promised IOException is.
                                known.above[exception].contains(thrown)
                                    || known
                                        .above
                                        .get(thrown)
                                        .is_some_and(|a| a.contains(exception))
                            })
                    });
                    let is_listed = SELF_MADE.contains(&(row.types, row.methods));
                    if !is_awaited && !is_listed {
                        wrong.push(format!("{by:?} do not wait for {exception} of {ty}.{method}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let share = 100 * covered / (covered + others);
    assert!(share >= 80, "{covered} clauses are covered, {others} are not: {share} %");
}

/// Every clause that is covered, one per type and method, has a program that ends by its exception and that the
/// properties of its row find. It is real: the stack trace of the exception says which method threw it.
#[test]
fn every_covered_clause_has_a_program_that_violates_it() {
    // Needs a JDK; `known` says so where there is none, and fails under CI.
    let Some(known) = known() else { return };
    // Some clauses are of methods that only newer JDKs have.
    let newer = jdks_since(shipped::NEWER_RELEASE);
    if newer.is_empty() {
        eprintln!("left out: no JDK here is {} or newer", shipped::NEWER_RELEASE);
        return;
    }
    let all = shipped::SNIPPETS.iter().map(|(class, _)| *class);
    let classes: Vec<&str> = all.filter(|class| !class.starts_with("Legal")).collect();
    let dir = shipped::compiled();
    let mut programs: Vec<(String, Outcome)> = Vec::new();
    for jdk in jdks() {
        programs.extend(shipped::outcomes(jdk, &dir, &classes));
    }
    for jdk in newer {
        programs.extend(shipped::outcomes(jdk, &shipped::compiled_by(jdk), &["ThrowsNewer"]));
    }
    let mut missing = Vec::new();
    for row in clauses::all(Api::Jdk) {
        let Verdict::Covered(by) = row.verdict() else { continue };
        let by: Vec<&str> = by.iter().map(|name| shipped_name(name)).collect();
        let found: Vec<&(String, Outcome)> = programs
            .iter()
            .filter(|(_, outcome)| by.iter().any(|name| outcome.found_by.contains(*name)))
            .collect();
        let exceptions = known.exceptions(&row);
        if exceptions.is_empty() {
            // Nothing is thrown, so nothing says which method it was.
            if found.is_empty() {
                missing.push(format!("{} {}: {}", row.types, row.methods, row.consequence));
            }
            continue;
        }
        for (ty, methods) in known.subjects(&row) {
            for method in methods {
                let is_there = found.iter().any(|(name, outcome)| {
                    known.is_thrown(outcome, &exceptions)
                        && match SELF_MADE.contains(&(row.types, row.methods)) {
                            true => mentions(name, ty, method),
                            false => known.is_left(outcome, ty, method),
                        }
                });
                if !is_there {
                    missing.push(format!("{ty}.{method}: {}", row.consequence));
                }
            }
        }
    }
    assert!(missing.is_empty(), "covered, without a program:\n{}", missing.join("\n"));
}

/// The property in a shipped file.
fn shipped_name(file: &str) -> &'static str {
    let shipped = SHIPPED.iter().find(|s| s.name == file);
    shipped::property_of(shipped.unwrap_or_else(|| panic!("{file} is not shipped")).text)
}

/// Whether a snippet names a type and calls a method: of rows whose exception comes from another object.
fn mentions(snippet: &str, ty: &str, method: &str) -> bool {
    let (class, name) = snippet.split_once('.').unwrap();
    let text = std::fs::read_to_string(shipped::source_of(class)).unwrap();
    let body = text.split(&format!("static void {name}()")).nth(1).unwrap();
    let body = body.split("static void ").next().unwrap();
    let ty = ty.rsplit('.').next().unwrap();
    let names_it = body.contains(&format!("{ty}<")) || body.contains(&format!("new {ty}("));
    names_it && body.contains(&format!(".{method}("))
}

impl Jdk {
    /// Whether a snippet ended by one of these exceptions, or by what they promise in general.
    fn is_thrown(&self, outcome: &Outcome, exceptions: &[&str]) -> bool {
        let Some(above) = outcome.end.as_ref().and_then(|end| self.above.get(end)) else {
            return false;
        };
        let end = outcome.end.as_deref().unwrap();
        exceptions.iter().any(|one| above.contains(*one) || self.above[*one].contains(end))
    }

    /// Whether the exception of a snippet left a call of this method of this type.
    fn is_left(&self, outcome: &Outcome, ty: &str, method: &str) -> bool {
        let is_above = |class: &String| {
            class == ty
                || [&self.above, &self.hidden]
                    .iter()
                    .any(|map| map.get(class).is_some_and(|above| above.contains(ty)))
        };
        outcome.calls.iter().any(|(name, types)| {
            name == method && (types.contains(ty) || outcome.objects.iter().any(is_above))
        })
    }
}
