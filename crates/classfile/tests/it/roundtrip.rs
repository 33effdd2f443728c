//! Every class of every JDK is written as the bytes it was read from.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use watchword_classfile::source::{ClassSource, Jar};

use watchword_classfile::{Attribute, ClassFile, Code, CodeEditor, Decoded, Member, PoolEditor};

use crate::jdk::{hash, jdks, soak};

/// Decodes and encodes an attribute and everything inside it.
fn attribute_round_trips(class: &ClassFile<'_>, attribute: &Attribute<'_>) {
    let decoded = attribute.decode(class.pool()).expect("attributes of the JDK decode");
    let mut out = Vec::new();
    decoded.write(&mut out).expect("and encode");
    assert_eq!(out, attribute.info, "{:?}", attribute.name(class.pool()));
    for nested in decoded.nested() {
        attribute_round_trips(class, &nested);
    }
    let name = attribute.name(class.pool()).unwrap().to_str();
    assert!(
        !matches!(decoded, Decoded::Unknown(_)) || !name.starts_with("Runtime"),
        "{name} is known"
    );
}

fn code_round_trips(code: &Code<'_>) {
    let mut out = Vec::new();
    for instruction in code.instructions() {
        let instruction = instruction.expect("code of the JDK decodes");
        instruction.encode(out.len() as u32, |target| target, &mut out).unwrap();
    }
    assert_eq!(out, code.bytecode);
}

/// An editor that was asked for nothing changes nothing.
fn editor_round_trips<'a>(method: Member<'_, 'a>, pool: &mut PoolEditor<'a>) {
    let editor = CodeEditor::new(method).unwrap().expect("the method has code");
    let constants = pool.count();
    let code = editor.finish(pool).unwrap();
    let old = method.attributes().iter().find(|a| a.name(method.class().pool()).unwrap() == "Code");
    assert!(old.unwrap().info == code, "{method}");
    assert_eq!(pool.count(), constants);
}

#[test]
fn all_jdk_classes_round_trip() {
    for jdk in jdks() {
        let (mut classes, mut bytes, mut methods) = (0u64, 0u64, 0u64);
        let mut parse = std::time::Duration::ZERO;
        for resource in jdk.image.resources() {
            let resource = resource.unwrap();
            let Some(name) = resource.class_name() else { continue };
            let content = jdk.image.content(&resource).unwrap();
            let start = Instant::now();
            let class = ClassFile::parse(&content).unwrap_or_else(|e| panic!("{name}: {e}"));
            parse += start.elapsed();
            assert!(class.to_bytes().unwrap() == *content, "{name} changed");
            class.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
            class.attributes().iter().for_each(|a| attribute_round_trips(&class, a));
            class
                .fields()
                .flat_map(|f| f.attributes())
                .for_each(|a| attribute_round_trips(&class, a));
            let mut pool = PoolEditor::new(class.pool());
            for method in class.methods() {
                if !soak() && !hash(&format!("{name}.{method}")).is_multiple_of(10) {
                    continue;
                }
                method.attributes().iter().for_each(|a| attribute_round_trips(&class, a));
                if let Some(code) = method.code().unwrap() {
                    code_round_trips(&code);
                    editor_round_trips(method, &mut pool);
                    methods += 1;
                }
            }
            classes += 1;
            bytes += content.len() as u64;
        }
        assert!(classes > 5_000, "{}: only {classes} classes", jdk.name());
        println!(
            "{}: {classes} classes, {bytes} bytes, {methods} methods' code; structure read at {:.0} MB/s",
            jdk.name(),
            bytes as f64 / parse.as_secs_f64() / 1e6
        );
    }
}

/// Class files of other compilers and older releases: whatever jars the system has installed.
#[test]
fn classes_of_installed_jars_round_trip() {
    let mut jars: BTreeSet<PathBuf> = BTreeSet::new();
    for directory in ["/usr/share/java", "/usr/share/maven-repo"] {
        let mut work = vec![PathBuf::from(directory)];
        while let Some(path) = work.pop() {
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                let path = entry.path().canonicalize().unwrap_or(entry.path());
                if path.is_dir() {
                    work.push(entry.path());
                } else if path.extension().is_some_and(|extension| extension == "jar") {
                    jars.insert(path);
                }
            }
        }
    }
    if jars.is_empty() {
        eprintln!("SKIPPED: no jars in /usr/share/java");
        return;
    }
    let (mut classes, mut methods, mut oldest, mut bytes) = (0, 0, u16::MAX, 0);
    for path in &jars {
        let jar = Jar::parse(std::fs::read(path).unwrap(), 17)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for name in jar.names().unwrap() {
            if !soak() && !hash(&name).is_multiple_of(4) {
                continue;
            }
            let content = jar.class(&name).unwrap().unwrap();
            let class = ClassFile::parse(&content).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(class.to_bytes().unwrap() == *content, "{name} changed");
            class.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
            oldest = oldest.min(class.major);
            classes += 1;
            bytes += content.len();
            let mut pool = PoolEditor::new(class.pool());
            for method in class.methods() {
                method.attributes().iter().for_each(|a| attribute_round_trips(&class, a));
                if let Some(code) = method.code().unwrap() {
                    code_round_trips(&code);
                    editor_round_trips(method, &mut pool);
                    methods += 1;
                }
            }
        }
    }
    println!(
        "{} jars: {classes} classes, {bytes} bytes, {methods} methods' code, oldest version {oldest}",
        jars.len()
    );
    assert!(classes > 0);
}
