//! The cases of `cases/`, as Java programs: every event is a call of a method, and the agent must
//! find what the reference finds.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use watchword_cases::{Case, TraceLine, load_dir, run, sorted};
use watchword_model::{Event, Model, Object, Origin, Type, Value};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Options};

use super::{compile, java, jdks, report};
use crate::cases::{list, render};
use crate::support::{Dir, root};

/// A case as a program.
pub struct Driver {
    title: String,
    pub property: String,
    /// Values of params, as `--set` takes them.
    set: Vec<String>,
    pub program: String,
    expected: Vec<String>,
    /// Whether the state of some property can be in the objects, and of some in the engine.
    in_objects: bool,
    pub in_both: bool,
}

/// What the objects of a program are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Things {
    /// Of the class `java.lang.Object`, which can hold nothing of ours.
    Bare,
    /// Of a class of the program.
    Own,
}

#[test]
fn cases_have_the_same_verdicts_in_a_jvm() {
    let Some(jdk) = jdks().first() else { return };
    let cases = load_dir(&root().join("cases")).unwrap();
    let dir = Dir::new();
    let drivers: Vec<(String, Driver)> = cases
        .iter()
        .enumerate()
        .filter_map(|(i, case)| {
            let name = format!("Case{i}");
            let driver = driver(case, &name, Things::Bare)?;
            Some((name, driver))
        })
        .collect();
    check_all(&dir, jdk, &drivers);
    assert!(drivers.len() > 150, "only {} cases could be run", drivers.len());
}

/// Compiles and runs programs, by class, and says of all what is wrong.
pub fn check_all(dir: &Dir, jdk: &Path, drivers: &[(String, Driver)]) {
    let files: Vec<PathBuf> = drivers
        .iter()
        .map(|(name, driver)| {
            dir.write(&format!("{name}.java"), &driver.program);
            dir.path().join(format!("{name}.java"))
        })
        .collect();
    compile(&files, dir.path());
    let failures: Vec<String> = std::thread::scope(|scope| {
        let half = |part: usize| {
            scope.spawn(move || {
                let mine = drivers.iter().skip(part).step_by(2);
                mine.filter_map(|(name, driver)| check(dir, jdk, name, driver)).collect::<Vec<_>>()
            })
        };
        let halves = [half(0), half(1)];
        halves.into_iter().flat_map(|h| h.join().unwrap()).collect()
    });
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        drivers.len(),
        failures.join("\n")
    );
}

/// What is wrong with what the agent makes of a case, if anything.
fn check(dir: &Dir, jdk: &Path, name: &str, driver: &Driver) -> Option<String> {
    let (property, out) = (format!("{name}.ww"), format!("{name}.json"));
    dir.write(&property, &driver.property);
    let run = |more: &[&str]| {
        let mut flags = [&["-p", &property, "--report", &out, "--no-dedup", "-q"], more].concat();
        flags.extend(driver.set.iter().flat_map(|set| ["--set", set]));
        let ran = java(jdk, dir, &flags, &["-Xshare:auto", "-cp", ".", name]);
        match ran.status {
            0 => Ok(report(dir, &out)),
            status => Err(format!("{}: status {status}\n{}", driver.title, ran.stderr)),
        }
    };
    // All events go to the engine, which counts them and numbers the objects.
    let report = match run(&["--history", "11"]) {
        Ok(report) => report,
        Err(error) => return Some(error),
    };
    if driver.in_objects {
        let found = match run(&[]) {
            Ok(report) => unnumbered(&report),
            Err(error) => return Some(error),
        };
        let expected = unnumbered(&report);
        if found != expected {
            let title = &driver.title;
            return Some(format!(
                "{title}, state in the objects:\n  expected {expected:#?}\n  got {found:#?}\n{}",
                driver.property
            ));
        }
    }
    let mut found: Vec<String> = list(&report["violations"]).map(|v| render(v, "")).collect();
    found.extend(list(&report["satisfactions"]).map(|v| render(v, " satisfied")));
    let found = sorted(found);
    (found != driver.expected).then(|| {
        let expected = &driver.expected;
        format!(
            "{}:\n  expected {expected:#?}\n  got {found:#?}\n{}",
            driver.title, driver.property
        )
    })
}

/// What was found, without the numbers of events and objects: objects that have the state
/// themselves get numbers only if they are told of.
fn unnumbered(report: &serde_json::Value) -> Vec<String> {
    let both = list(&report["violations"]).chain(list(&report["satisfactions"]));
    sorted(
        both.map(|v| {
            let message = v["message"].as_str().unwrap_or_default();
            let mut parts = message.split('@');
            let mut text = parts.next().unwrap_or_default().to_string();
            for part in parts {
                let _ = write!(text, "@{}", part.trim_start_matches(|c: char| c.is_ascii_digit()));
            }
            let line = &v["location"]["line"];
            format!("{} {} {text} in line {line}", v["property"], v["state"])
        })
        .collect(),
    )
}

/// The program of a case, unless Java has no such values, or the case has times or sources of its own.
pub fn driver(case: &Case, class: &str, things: Things) -> Option<Driver> {
    if case.lang != "ww" || case.refused.is_some() || !case.bind.is_empty() {
        return None;
    }
    let plain = case.model().ok()?;
    let strings = text_params(&plain, &case.events(&plain).ok()?)?;
    let property = with_sources(&plain, &case.property, class, &strings)?;
    let typed = Case { property: property.clone(), ..case.clone() };
    let model = typed.model().ok()?;
    let mut trace = typed.events(&model).ok()?;
    let (thing, of) = match things {
        Things::Bare => ("Object", "java.lang.Object".to_string()),
        Things::Own => ("Thing", format!("{class}$Thing")),
    };
    let mut ids: HashMap<u64, u64> = HashMap::new();
    let mut calls = String::new();
    let mut methods = BTreeSet::new();
    for line in &mut trace {
        let TraceLine::Event(event) = line else { return None };
        if event.time.is_some() {
            return None;
        }
        let known = ids.len();
        call(&model, event, &of, &mut ids, &mut calls, &mut methods)?;
        // The agent does not see objects of events that nobody observes.
        if !is_observed(&model, event) && ids.len() > known {
            return None;
        }
    }
    // Nor does it count such events.
    trace.retain(|line| matches!(line, TraceLine::Event(event) if is_observed(&model, event)));
    // What the program has not is no event either: declared methods of events that never happen.
    let mut program = format!("class {class} {{\n");
    for method in methods {
        let _ = writeln!(program, "    static void {method} {{ }}");
    }
    if things == Things::Own {
        program.push_str("    static class Thing { }\n");
    }
    let _ = writeln!(program, "    static Object[] o = new Object[{}];", ids.len() + 1);
    let _ = writeln!(
        program,
        "    static {{ for (int i = 0; i < o.length; i++) o[i] = new {thing}(); }}"
    );
    let _ = writeln!(program, "    public static void main(String[] a) {{\n{calls}    }}\n}}");
    let expected = run(&trace, Reference::new(model.clone())).verdicts(&model);
    let homes = Engine::new(&model, Options::default()).plan().explain_homes();
    let in_objects = homes.contains("state in the object");
    let in_both = in_objects && homes.contains("state in the engine");
    let (title, set) = (case.title(), case.set.clone());
    Some(Driver { title, property, set, program, expected, in_objects, in_both })
}

/// Whether some property observes an event of this kind.
fn is_observed(model: &Model, event: &Event) -> bool {
    model.properties.iter().flat_map(|p| &p.alphabet).any(|o| o.event == event.kind)
}

/// Parameters whose values are texts: they have to say so, because texts are objects in Java.
/// `None` if a parameter has both texts and other values.
fn text_params(model: &Model, trace: &[TraceLine]) -> Option<BTreeSet<(usize, usize)>> {
    let (mut texts, mut others) = (BTreeSet::new(), BTreeSet::new());
    for line in trace {
        let TraceLine::Event(event) = line else { return None };
        for (i, value) in event.args.iter().enumerate() {
            let declared = model.events[event.kind.index()].params.get(i).map(|p| p.ty);
            match value {
                Value::Str(_) if declared == Some(Type::Any) => {
                    texts.insert((event.kind.index(), i))
                }
                Value::Str(_) | Value::Null => false,
                Value::List(_) | Value::Map(_) | Value::Ptr(_) => return None,
                _ => others.insert((event.kind.index(), i)),
            };
        }
    }
    texts.is_disjoint(&others).then_some(texts)
}

/// The property with calls of methods as sources of its events; `None` if it has others already.
fn with_sources(
    model: &Model,
    text: &str,
    class: &str,
    strings: &BTreeSet<(usize, usize)>,
) -> Option<String> {
    let declaration = regex::Regex::new(r"(?m)^(\s*)event\s+(\w+)\(([^)]*)\)(\s*[={])?").unwrap();
    let mut declared = 0;
    let mut foreign = false;
    let replaced = declaration.replace_all(text, |found: &regex::Captures<'_>| {
        declared += 1;
        foreign |= found.get(4).is_some();
        let Some(id) = model.event(&found[2]) else {
            foreign = true;
            return String::new();
        };
        let decl = &model.events[id.index()];
        foreign |= decl.variadic;
        let params: Vec<String> = decl
            .params
            .iter()
            .enumerate()
            .map(|(i, param)| match param.ty {
                Type::Any if strings.contains(&(id.index(), i)) => {
                    format!("{}: string", param.name)
                }
                Type::Any => param.name.clone(),
                ty => format!("{}: {ty}", param.name),
            })
            .collect();
        let names: Vec<&str> = decl.params.iter().map(|p| p.name.as_str()).collect();
        let args =
            if names.is_empty() { String::new() } else { format!(" args ({})", names.join(", ")) };
        format!(
            "{}event {}({}) = jvm before call {class}.e_{}(..){args}",
            &found[1],
            decl.name,
            params.join(", "),
            decl.name
        )
    });
    let world = model.events.iter().filter(|e| matches!(e.origin, Origin::World(_))).count();
    (!foreign && declared == world).then(|| replaced.into_owned())
}

/// Adds the call that raises an event. Objects get the numbers the agent gives them: in the order
/// in which it first sees them.
fn call(
    model: &Model,
    event: &mut Event,
    of: &str,
    ids: &mut HashMap<u64, u64>,
    calls: &mut String,
    methods: &mut BTreeSet<String>,
) -> Option<()> {
    let decl = &model.events[event.kind.index()];
    if !matches!(decl.origin, Origin::World(_)) {
        return None;
    }
    // Arguments that are missing are null; a method has all of them.
    event.args.resize(decl.params.len().max(event.args.len()), Value::Null);
    let (mut params, mut args) = (Vec::new(), Vec::new());
    for (i, value) in event.args.iter_mut().enumerate() {
        let ty = decl.params.get(i)?.ty;
        let (java, text) = match &*value {
            Value::Null => ("Object", "null".to_string()),
            Value::Bool(b) => ("boolean", b.to_string()),
            Value::Int(n) if ty == Type::Float => ("double", format!("{n}.0")),
            Value::Int(n) => ("long", format!("{n}L")),
            Value::Float(f) if f.is_nan() => ("double", "Double.NaN".to_string()),
            Value::Float(f) if f.is_infinite() => {
                let sign = if *f > 0.0 { "POSITIVE" } else { "NEGATIVE" };
                ("double", format!("Double.{sign}_INFINITY"))
            }
            Value::Float(f) => ("double", format!("{f:?}")),
            Value::Str(text) => ("Object", java_text(text)),
            Value::Ref(object) => {
                let next = ids.len() as u64 + 1;
                let id = *ids.entry(object.id).or_insert(next);
                let class = Some(of.into());
                *value = Value::Ref(Object { id, class });
                ("Object", format!("o[{id}]"))
            }
            _ => return None,
        };
        params.push(format!("{java} a{i}"));
        args.push(text);
    }
    methods.insert(format!("e_{}({})", decl.name, params.join(", ")));
    let _ = writeln!(calls, "        e_{}({});", decl.name, args.join(", "));
    Some(())
}

fn java_text(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.encode_utf16() {
        let _ = write!(out, "\\u{unit:04x}");
    }
    // A quote or a line feed by number would be read before the text is.
    for (by_number, escaped) in
        [("\\u0022", "\\\""), ("\\u000a", "\\n"), ("\\u000d", "\\r"), ("\\u005c", "\\\\")]
    {
        out = out.replace(by_number, escaped);
    }
    out + "\""
}
