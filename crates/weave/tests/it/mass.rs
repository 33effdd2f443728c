//! Everything is woven into classes of the JDK: the JVM verifies them, and runs with them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use watchword_classfile::source::ClassSource;
use watchword_model::{Glob, Model};
use watchword_spec::{SourceFile, load};
use watchword_weave::{Numbers, Options, Outcome, Scope, SourceHierarchy, Weaver, hook};

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

fn weave_jdk(jdk: &Jdk, part: u64) -> WovenJdk {
    let weaver = Weaver::new(&everything(), weave_anything());
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
        let woven = weave_jdk(jdk, if soak() { 1 } else { 50 });
        let scratch = Scratch::new("mass");
        // Classes that run while the JVM starts find nothing but the java.base module.
        scratch.write("patch/java.base/watchword/Hook.class", &hook::empty_class().unwrap());
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
            arguments.push(format!("--add-exports=java.base/watchword={module}"));
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
        let woven = weave_jdk(jdk, if soak() { 10 } else { 200 });
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
