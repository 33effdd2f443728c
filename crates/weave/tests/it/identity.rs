//! Identities in objects: classes that have them behave as before.

use watchword_classfile::source::{ClassPath, ClassSource, MemoryClasses};
use watchword_classfile::{ClassFile, access};
use watchword_weave::identity::{self, Held, Refusal};
use watchword_weave::{ClassFacts, SourceHierarchy, runtime};

use crate::java::{Scratch, classes, compile, run};
use crate::jdk::jdks;
use crate::mass::source;

#[test]
fn serialisation_does_not_notice_identities() {
    for jdk in jdks() {
        let scratch = Scratch::new("identity");
        let plain = scratch.0.join("plain");
        compile(jdk, &[source("Serial.java")], &[], &plain);
        let program = classes(&plain);
        let mut path = ClassPath::new();
        path.push(MemoryClasses(program.clone()));
        path.push(&jdk.image);
        let hierarchy = SourceHierarchy::new(path);
        for (name, bytes) in runtime::BASE {
            scratch.write(&format!("base/{name}.class"), bytes);
        }
        let base = format!("--patch-module=java.base={}", scratch.0.join("base").display());
        let before = run(jdk, &["-cp", &plain.to_string_lossy(), "Serial"]);
        for held in [Held::Identity, Held::Cell, Held::Both] {
            for (name, bytes) in &program {
                // The superclass has it already.
                let bytes = match name.as_str() {
                    "Serial$Square" => bytes.clone(),
                    _ => identity::inject(bytes, &hierarchy, held).expect("the class takes it"),
                };
                scratch.write(&format!("tracked/{name}.class"), &bytes);
            }
            let tracked = scratch.0.join("tracked");
            let after = run(jdk, &[&base, "-cp", &tracked.to_string_lossy(), "Serial"]);
            assert_eq!(before, after, "{held:?}");
        }
        assert_eq!(before.lines().count(), 8);
    }
}

#[test]
fn some_classes_take_no_identity() {
    for jdk in jdks() {
        let refusal = |name: &str| {
            let bytes = jdk.image.class(name).unwrap().unwrap();
            identity::refuses(&ClassFacts::of(&ClassFile::parse(&bytes).unwrap()).unwrap())
        };
        assert_eq!(refusal("java/lang/Object"), Some(Refusal::KnownToTheVm));
        assert_eq!(refusal("java/lang/String"), Some(Refusal::KnownToTheVm));
        assert_eq!(refusal("java/lang/Integer"), Some(Refusal::NoIdentity));
        assert_eq!(refusal("java/util/Optional"), Some(Refusal::NoIdentity));
        assert_eq!(refusal("java/util/concurrent/TimeUnit"), Some(Refusal::Enum));
        assert_eq!(refusal("java/util/List"), Some(Refusal::NoInstances));
        assert_eq!(refusal("java/util/ArrayList"), None);
        assert_eq!(refusal("java/lang/Thread"), None);
        assert_eq!(refusal("jdk/internal/vm/VMSupport"), Some(Refusal::KnownToTheVm));
    }
    let record = ClassFacts {
        name: "p/R".into(),
        super_name: Some("java/lang/Record".into()),
        access: access::FINAL,
        ..ClassFacts::default()
    };
    assert_eq!(identity::refuses(&record), Some(Refusal::Record));
}
