//! Subtypes and resolution, compared with what the JVM says.

use std::collections::{BTreeMap, BTreeSet};

use watchword_classfile::source::{ClassSource, MemoryClasses};
use watchword_classfile::{ClassEditor, ClassFile, Constant, Constants, Hierarchy, access};

use crate::java::{Scratch, compile, run};
use crate::jdk::{hash, jdks};

#[test]
fn jdk_hierarchy_agrees_with_reflection() {
    for jdk in jdks() {
        let hierarchy = jdk.hierarchy();
        assert!(hierarchy.len() > 20_000);
        assert_eq!(hierarchy.missing(), Vec::<&str>::new());

        // Public java.base classes, by hash, and some arrays.
        let mut sample: Vec<String> = Vec::new();
        for resource in jdk.image.resources() {
            let resource = resource.unwrap();
            let Some(name) = resource.class_name() else { continue };
            let public = hierarchy.access(&name).is_ok_and(|a| a & access::PUBLIC != 0);
            if resource.module == "java.base"
                && public
                && name.starts_with("java/")
                && (hash(&name).is_multiple_of(4) || name.contains("List"))
            {
                sample.push(name);
            }
        }
        sample.sort();
        let arrays = ["[I", "[[I", "[J", "[Ljava/lang/Object;", "[Ljava/util/List;"];
        sample.extend(arrays.map(String::from));
        sample.extend(["[Ljava/util/ArrayList;", "[[Ljava/lang/Object;"].map(String::from));
        sample.extend(["java/lang/Object", "java/lang/Cloneable"].map(String::from));
        sample.push("java/io/Serializable".into());

        let scratch = Scratch::new("hierarchy");
        let names: Vec<String> = sample.iter().map(|name| name.replace('/', ".")).collect();
        let list = scratch.write("names", names.join("\n").as_bytes());
        compile(jdk, &["Reflect.java"], &[], &scratch.0);
        let path = scratch.0.display().to_string();
        let output = run(jdk, &["-cp".into(), path, "Reflect".into(), list.display().to_string()]);

        let mut methods: BTreeMap<(String, String, String), BTreeSet<String>> = BTreeMap::new();
        let (mut pairs, mut row) = (0, 0);
        for line in output.lines() {
            let parts: Vec<&str> = line.split(' ').collect();
            if parts[0] == "S" {
                for (expected, super_type) in parts[2].bytes().zip(&sample) {
                    let ours = hierarchy.is_subtype(&sample[row], super_type).unwrap();
                    assert_eq!(ours, expected == b'1', "{} <: {super_type}", sample[row]);
                    pairs += 1;
                }
                row += 1;
            } else {
                let [class, name, descriptor, declaring] =
                    [1, 2, 3, 4].map(|i| parts[i].to_owned());
                let key = (class.replace('.', "/"), name, descriptor.replace('.', "/"));
                methods.entry(key).or_default().insert(declaring.replace('.', "/"));
            }
        }
        for ((class, name, descriptor), declaring) in &methods {
            let found = hierarchy.resolve_method(class, name, descriptor).unwrap();
            let found = found.unwrap_or_else(|| panic!("{class}.{name}{descriptor}"));
            // Reflection leaves the methods of `Object` out of interfaces; the JVM puts them first.
            let of_object =
                found.class == "java/lang/Object" && hierarchy.is_interface(class).unwrap();
            assert!(
                of_object || declaring.contains(found.class),
                "{class}.{name}{descriptor}: {found:?}, not {declaring:?}"
            );
        }
        println!("{}: {pairs} pairs, {} methods", jdk.name(), methods.len());
        assert!(pairs > 10_000 && methods.len() > 1_000);
    }
}

#[test]
fn every_reference_in_the_jdk_resolves() {
    for jdk in jdks() {
        let hierarchy = jdk.hierarchy();
        let (mut resolved, mut unresolved) = (0, Vec::new());
        for name in jdk.image.names().unwrap() {
            if hash(&name) % 10 != 1 {
                continue;
            }
            let bytes = jdk.image.class(&name).unwrap().unwrap();
            let class = ClassFile::parse(&bytes).unwrap();
            for (index, constant) in class.pool().iter() {
                let field = match constant {
                    Constant::FieldRef { .. } => true,
                    Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. } => false,
                    _ => continue,
                };
                let member = class.pool().member(index).unwrap();
                let parts =
                    [member.class, member.name, member.descriptor].map(|part| part.to_string());
                let [owner, name, descriptor] = &parts;
                let found = match field {
                    true => hierarchy.resolve_field(owner, name, descriptor),
                    false => hierarchy.resolve_method(owner, name, descriptor),
                };
                match found.unwrap() {
                    Some(found) => {
                        assert!(hierarchy.is_subtype(owner, found.class).unwrap());
                        resolved += 1;
                    }
                    None => unresolved.push(parts.join(" ")),
                }
            }
        }
        println!("{}: {resolved} references resolved", jdk.name());
        assert!(unresolved.is_empty(), "{unresolved:#?}");
        assert!(resolved > 50_000);
    }
}

/// A small class with the given supertypes and methods.
fn class(access: u16, name: &str, supers: &[&str], methods: &[(u16, &str)]) -> Vec<u8> {
    let mut class = ClassEditor::create(52, access, name, supers[0]).unwrap();
    for interface in &supers[1..] {
        class.add_interface(interface).unwrap();
    }
    for (access, name) in methods {
        class.add_method(*access, name, "()V", None).unwrap();
    }
    class.to_bytes().unwrap()
}

#[test]
fn rules_of_method_resolution() {
    use access::{ABSTRACT, INTERFACE, PRIVATE, PUBLIC, STATIC};
    let i = INTERFACE | ABSTRACT | PUBLIC;
    let object = "java/lang/Object";
    let mut classes = MemoryClasses::default();
    let mut add = |bytes: Vec<u8>| {
        let name = ClassFile::parse(&bytes).unwrap().name().unwrap().to_string();
        classes.0.insert(name, bytes);
    };
    add(class(PUBLIC, object, &[object], &[(PUBLIC, "toString"), (PRIVATE, "secret")]));
    add(class(i, "I", &[object], &[(PUBLIC, "m"), (PUBLIC, "n"), (STATIC | PUBLIC, "s")]));
    add(class(i, "J", &[object, "I"], &[(PUBLIC, "m")]));
    add(class(i, "K", &[object, "I"], &[(PUBLIC | ABSTRACT, "n")]));
    add(class(PUBLIC, "A", &[object, "I"], &[(PUBLIC, "a")]));
    add(class(PUBLIC, "B", &["A", "J", "K"], &[(PRIVATE, "a")]));
    add(class(PUBLIC, "L", &["Gone", "J"], &[(PUBLIC, "own")]));
    let mut h = Hierarchy::new();
    assert_eq!(h.add_all(&classes).unwrap(), 7);
    assert_eq!(h.missing(), ["Gone"]);

    let resolve = |class: &str, name: &str| {
        h.resolve_method(class, name, "()V").map(|found| found.map(|f| f.class.to_owned()))
    };
    let is = |class: &str| Ok(Some(class.to_owned()));
    assert_eq!(resolve("B", "a"), is("B"), "superclasses come first, private or not");
    assert_eq!(resolve("B", "m"), is("J"), "the more specific default wins");
    assert_eq!(resolve("B", "n"), is("K"), "a re-abstracted method is the more specific one");
    assert_eq!(resolve("A", "n"), is("I"));
    assert_eq!(resolve("A", "s"), Ok(None), "static interface methods are not inherited");
    assert_eq!(resolve("I", "s"), is("I"));
    assert_eq!(resolve("J", "toString"), is(object), "interfaces have Object's public methods");
    assert_eq!(resolve("J", "secret"), Ok(None), "and only those");
    assert_eq!(resolve("[LA;", "toString"), is(object));
    assert_eq!(resolve("L", "own"), is("L"), "found before the missing class matters");
    assert_eq!(resolve("L", "m").unwrap_err().name, "Gone");
    assert_eq!(resolve("L", "nowhere").unwrap_err().name, "Gone");
    assert_eq!(resolve("B", "nowhere"), Ok(None));

    let select =
        |class: &str, name: &str| h.select_method(class, name, "()V").unwrap().map(|f| f.class);
    assert_eq!(select("B", "a"), Some("A"), "a private method overrides nothing");
    assert_eq!(select("B", "n"), None, "abstract");
    assert_eq!(select("B", "m"), Some("J"));

    assert_eq!(h.is_subtype("B", "I"), Ok(true));
    assert_eq!(h.is_subtype("L", "I"), Ok(true), "known although a superclass is missing");
    assert_eq!(h.is_subtype("L", "A").unwrap_err().name, "Gone");
    assert_eq!(h.is_subtype("I", "A"), Ok(false));
    assert_eq!(h.subtypes("I"), ["A", "B", "J", "K", "L"]);
    assert_eq!(h.direct_subtypes("I"), ["A", "J", "K"]);

    let mut lazy = Hierarchy::new();
    assert!(lazy.load("B", &classes).unwrap());
    assert_eq!(lazy.len(), 6, "L was not needed");
    assert!(!lazy.load("Gone", &classes).unwrap());
}
