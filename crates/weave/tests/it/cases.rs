//! Programs beside properties: `cases/NAME/Main.java`, a property file, and `expected.txt` with the
//! events, in order. `WATCHWORD_REFRESH=1` writes the expectations anew.

use std::path::{Path, PathBuf};

use watchword_model::{Glob, Model};
use watchword_spec::{Lang, SourceFile, load_with};
use watchword_weave::{CallEvents, Options, Scope, Silenced};

use crate::java::{Scratch, classes, compile, events, recording_hook, run, weave};
use crate::jdk::{Jdk, jdks};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn names() -> Vec<String> {
    let entries = std::fs::read_dir(directory()).expect("the cases are there").flatten();
    let mut names: Vec<String> =
        entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The property file of a case.
pub fn model(name: &str) -> Model {
    let folder = directory().join(name);
    let (file, lang) = ["property.ww", "property.topl", "property.infer"]
        .into_iter()
        .zip([Lang::Ww, Lang::Topl, Lang::Infer])
        .find(|(file, _)| folder.join(file).is_file())
        .unwrap_or_else(|| panic!("{name} has no property"));
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let loaded =
        load_with(&[(SourceFile::new(file, &text), lang)], &|_, path| Err(format!("no {path}")));
    let shown = || -> String {
        loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect()
    };
    loaded.model.clone().unwrap_or_else(|| panic!("{name}: {}", shown()))
}

/// What the case's `options.txt` says: `events callee`, `silenced LINE`, `within GLOB`.
fn options(name: &str) -> Options {
    let mut options = Options::default();
    let text = std::fs::read_to_string(directory().join(name).join("options.txt"));
    for line in text.unwrap_or_default().lines() {
        match line.split_once(' ') {
            Some(("events", "callee")) => options.events = CallEvents::Callee,
            Some(("silenced", line)) => {
                let mut silenced: Silenced = options.silenced.clone();
                silenced.add(line).expect("the line is fine");
                options.silenced = silenced;
            }
            Some(("within", glob)) => {
                options.scope = Scope { within: vec![Glob::new(glob)], without: Vec::new() };
            }
            _ => panic!("{name}: {line}"),
        }
    }
    options
}

fn check(jdk: &Jdk, release: &str) {
    let scratch = Scratch::new("cases");
    let hook = scratch.write("hook/watchword/Hook.java", recording_hook().as_bytes());
    let boot = scratch.0.join("boot");
    compile(jdk, &[hook], &["--release", "8", "-Xlint:-options"], &boot);
    let sources: Vec<PathBuf> =
        names().iter().map(|n| directory().join(n).join("Main.java")).collect();
    let plain = scratch.0.join("plain");
    compile(jdk, &sources, &["--release", release], &plain);
    let all = classes(&plain);
    let mut failed = Vec::new();
    for name in names() {
        let prefix = format!("{name}/");
        let program = all.iter().filter(|(class, _)| class.starts_with(&prefix));
        let program = program.map(|(class, bytes)| (class.clone(), bytes.clone())).collect();
        let model = model(&name);
        let woven = weave(&model, options(&name), &program, &jdk.image);
        for (class, bytes) in &woven.classes {
            scratch.write(&format!("woven-{name}/{class}.class"), bytes);
        }
        let main = format!("{name}.Main");
        let log = scratch.0.join(format!("{name}.log"));
        let before = run(jdk, &["-cp", &plain.to_string_lossy(), &main]);
        let after = run(
            jdk,
            &[
                &format!("-Xbootclasspath/a:{}", boot.display()),
                &format!("-Dwatchword.log={}", log.display()),
                "-cp",
                &scratch.0.join(format!("woven-{name}")).to_string_lossy(),
                &main,
            ],
        );
        assert_eq!(before, after, "{name}: the program prints something else");
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        let mut found = events(&model, &woven.sites, &log);
        for note in &woven.notes {
            let method = note.method.as_deref().unwrap_or("");
            found += &format!("note {} {method}: {}\n", note.class, note.text);
        }
        let path = directory().join(&name).join("expected.txt");
        if std::env::var("WATCHWORD_REFRESH").as_deref() == Ok("1") {
            std::fs::write(&path, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if expected != found {
            failed.push(format!("{name} ({}):\n{found}", jdk.name()));
        }
    }
    assert!(failed.is_empty(), "not as expected:\n{}", failed.join("\n"));
}

#[test]
fn woven_programs_raise_the_expected_events() {
    for jdk in jdks() {
        check(jdk, "17");
    }
}

/// A method of 60 kilobytes has no room for hooks. What is said of it names it once.
#[test]
fn a_method_that_would_be_too_large_is_left_and_named_once() {
    let source = SourceFile::new(
        "p.ww",
        "event e(o) = jvm before call java.lang.Object.hashCode() on o\n\nproperty P() {\n  start state A { on e(_) -> A }\n}\n",
    );
    let model =
        load_with(&[(source, Lang::Ww)], &|_, path| Err(format!("no {path}"))).model.unwrap();
    for jdk in jdks() {
        let scratch = Scratch::new("large");
        let calls = "o.hashCode();".repeat(12_000);
        let text = format!("public class Large {{ static void much(Object o) {{ {calls} }} }}");
        let file = scratch.write("Large.java", text.as_bytes());
        compile(jdk, &[file], &[], &scratch.0.join("out"));
        let made = classes(&scratch.0.join("out"));
        let woven = weave(&model, Options::default(), &made, &jdk.image);
        let told: Vec<(Option<&str>, &str)> =
            woven.notes.iter().map(|n| (n.method.as_deref(), n.text.as_str())).collect();
        let [(Some("much(Ljava/lang/Object;)V"), text)] = told[..] else { panic!("{told:?}") };
        assert!(text.starts_with("not woven: ") && !text.contains("much"), "{text}");
        assert_eq!(woven.classes["Large"], made["Large"]);
    }
}
