//! Everything is woven into classes of the JDK: the JVM verifies them, and runs with them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use watchword_classfile::source::ClassSource;
use watchword_model::{Glob, Model};
use watchword_spec::{SourceFile, load};
use watchword_weave::{
    Numbers, Options, Outcome, Outline, Scope, SourceHierarchy, Weaver, hook, runtime, special,
};

use crate::answered::shipped;
use crate::java::{Scratch, compile, run};
use crate::jdk::{Jdk, jdks};

/// Whether long runs were asked for.
fn soak() -> bool {
    std::env::var("WATCHWORD_SOAK").as_deref() == Ok("1")
}

/// A stable hash, to choose the same part of everything on every run.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

pub fn source(file: &str) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // What loads and checks classes is shared with the tests of class files.
    let folders = ["weave", "classfile"].map(|name| crates.join(name).join("tests/java"));
    let found = folders.iter().map(|folder| folder.join(file)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("there is no {file}"))
}

pub fn everything() -> Model {
    let text = std::fs::read_to_string(source("everything.ww")).unwrap();
    let file = SourceFile::new("everything.ww", &text);
    load(&[file], &|_, path| Err(format!("no {path}"))).model.expect("the property is fine")
}

pub fn weave_anything() -> Options {
    let scope = Scope { within: vec![Glob::new("*")], without: Vec::new() };
    Options { scope, ..Options::default() }
}

/// One class in `part` of the JDK, woven with everything, by module; and how often what was not
/// woven.
struct WovenJdk {
    classes: Vec<(String, String, Vec<u8>)>,
    sites: usize,
    notes: BTreeMap<String, usize>,
}

fn weave_jdk(jdk: &Jdk, part: u64, model: &Model, options: Options) -> WovenJdk {
    let weaver = Weaver::new(model, options);
    let hierarchy = SourceHierarchy::new(&jdk.image);
    let numbers = Numbers::default();
    let mut woven = WovenJdk { classes: Vec::new(), sites: 0, notes: BTreeMap::new() };
    for resource in jdk.image.resources() {
        let resource = resource.expect("the image is fine");
        let Some(name) = resource.class_name() else { continue };
        if !hash(&name).is_multiple_of(part) || name.ends_with("-info") {
            continue;
        }
        let bytes = jdk.image.content(&resource).expect("the class is there");
        match weaver.weave(&bytes, &hierarchy, &numbers) {
            Outcome::Woven(class) => {
                woven.sites += class.sites.len();
                for note in class.notes {
                    let text = note.text.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
                    *woven.notes.entry(text).or_default() += 1;
                }
                woven.classes.push((resource.module.to_str().into_owned(), name, class.bytes));
            }
            Outcome::Unchanged { .. } => {}
            Outcome::Left { reason } => panic!("{name}: {reason}"),
        }
    }
    woven
}

#[test]
fn a_woven_jdk_verifies_and_runs() {
    for jdk in jdks() {
        let part = if soak() { 1 } else { 50 };
        let woven = weave_jdk(jdk, part, &everything(), weave_anything());
        links(jdk, &woven, &[(hook::CLASS.to_owned(), hook::empty_class().unwrap())]);
    }
}

/// The handlers that an agent was asked for, by the position of their classes.
static OUTLINES: Mutex<Vec<Outline>> = Mutex::new(Vec::new());

fn outlined(position: usize) -> String {
    special::name(1000 + position)
}

/// As an agent has it: sites call a class of the runtime, and other classes do the work of handlers.
fn as_an_agent() -> Options {
    let outlines = |outline: &Outline| {
        let mut all = OUTLINES.lock().unwrap();
        let known = all.iter().position(|known| known == outline);
        Some(outlined(known.unwrap_or_else(|| {
            all.push(outline.clone());
            all.len() - 1
        })))
    };
    Options {
        hooks: Some(|_| Some(runtime::HOOK.to_owned())),
        outlines: Some(outlines),
        ..weave_anything()
    }
}

#[test]
fn a_jdk_woven_as_an_agent_does_it_verifies_and_runs() {
    for jdk in jdks() {
        let part = if soak() { 1 } else { 50 };
        let plain = weave_jdk(jdk, part, &shipped(), weave_anything());
        let woven = weave_jdk(jdk, part, &shipped(), as_an_agent());
        let all = weave_jdk(jdk, part, &everything(), as_an_agent());
        let mut own: Vec<(String, Vec<u8>)> =
            runtime::BASE.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
        let outlines = OUTLINES.lock().unwrap();
        for (at, outline) in outlines.iter().enumerate() {
            let name = outlined(at);
            own.push((name.clone(), outline.class(name.leak()).unwrap()));
        }
        // Programs have many calls of few kinds, and handlers are smaller if they do not do the work.
        assert!(outlines.len() > 20 && outlines.len() * 10 < woven.sites, "{}", outlines.len());
        let size = |woven: &WovenJdk| woven.classes.iter().map(|c| c.2.len()).sum::<usize>();
        let original = |(_, name, _): &(String, String, Vec<u8>)| {
            jdk.image.class(name).unwrap().expect("the class is there").len()
        };
        let before = woven.classes.iter().map(original).sum::<usize>();
        let [added, by_itself] = [size(&woven), size(&plain)].map(|size| size - before);
        println!("{}: {added} bytes added, {by_itself} without other classes", jdk.name());
        assert!(added * 10 < by_itself * 8, "{added} of {by_itself}");
        links(jdk, &woven, &own);
        links(jdk, &all, &own);
    }
}

/// Has the JVM link woven classes, with these classes in the module `java.base`.
fn links(jdk: &Jdk, woven: &WovenJdk, own: &[(String, Vec<u8>)]) {
    let scratch = Scratch::new("mass");
    // Classes that run while the JVM starts find nothing but the java.base module.
    for (name, bytes) in own {
        scratch.write(&format!("patch/java.base/{name}.class"), bytes);
    }
    let mut names = String::new();
    let mut modules: BTreeMap<&str, usize> = BTreeMap::new();
    for (module, name, bytes) in &woven.classes {
        let _ = writeln!(names, "{module} {}", name.replace('/', "."));
        *modules.entry(module).or_default() += 1;
        scratch.write(&format!("patch/{module}/{name}.class"), bytes);
    }
    let list = scratch.write("names", names.as_bytes());
    let driver = scratch.0.join("driver");
    compile(jdk, &[source("LinkAll.java")], &[], &driver);
    let mut arguments: Vec<String> =
        ["-XX:-UsePerfData", "-Xshare:off", "-XX:TieredStopAtLevel=1"].map(String::from).into();
    arguments.extend(["--add-modules".into(), "ALL-SYSTEM".into()]);
    for module in modules.keys() {
        arguments.push("--patch-module".into());
        arguments.push(format!("{module}={}/patch/{module}", scratch.0.display()));
        let exported = own.iter().any(|(name, _)| name.starts_with("watchword/"));
        if exported {
            arguments.push(format!("--add-exports=java.base/watchword={module}"));
        }
    }
    arguments.extend(["-cp".into(), driver.display().to_string()]);
    arguments.extend(["LinkAll".into(), list.display().to_string()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = run(jdk, &arguments);
    let bad: Vec<&str> = output.lines().filter(|l| l.starts_with("FAILED")).collect();
    let count = woven.classes.len();
    assert!(bad.is_empty(), "{} of {count}: {:#?}", bad.len(), &bad[..bad.len().min(20)]);
    let linked = output.lines().find_map(|l| l.strip_prefix("LINKED ")).unwrap();
    println!(
        "{}: {linked} of {count} classes with {} sites linked; notes: {:?}",
        jdk.name(),
        woven.sites,
        woven.notes
    );
    assert!(linked.parse::<usize>().unwrap() * 100 >= count * 95, "{output}");
}

/// ASM checks more of the tables than the JVM does. JDKs up to 23 have a copy of it inside.
#[test]
fn woven_classes_satisfy_asm() {
    for jdk in jdks() {
        let asm = "jdk/internal/org/objectweb/asm/util/CheckClassAdapter";
        if jdk.image.class(asm).expect("the image is fine").is_none() {
            println!("SKIPPED: {} has no ASM inside", jdk.name());
            continue;
        }
        let scratch = Scratch::new("asm");
        let mut list = String::new();
        let part = if soak() { 10 } else { 200 };
        let woven = weave_jdk(jdk, part, &everything(), weave_anything());
        for (i, (_, name, bytes)) in woven.classes.iter().enumerate() {
            let original = jdk.image.class(name).unwrap().unwrap();
            let new = scratch.write(&format!("{i}.new"), bytes);
            let old = scratch.write(&format!("{i}.old"), &original);
            let _ = writeln!(list, "{} {}", new.display(), old.display());
        }
        let list = scratch.write("list", list.as_bytes());
        let exports = [
            "--add-exports=java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED",
            "--add-exports=java.base/jdk.internal.org.objectweb.asm.util=ALL-UNNAMED",
        ];
        let driver = scratch.0.join("driver");
        compile(jdk, &[source("AsmCheck.java")], &exports, &driver);
        let (driver, list) = (driver.display().to_string(), list.display().to_string());
        let output = run(jdk, &[exports[0], exports[1], "-cp", &driver, "AsmCheck", &list]);
        assert!(!output.contains("FAILED"), "{output}");
        assert!(output.ends_with(&format!("CHECKED {}\n", woven.classes.len())), "{output}");
    }
}
