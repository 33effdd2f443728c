//! The classes of an agent in a JVM.
//!
//! They are Java sources (`java/base`, `java/boot`); their class files (`java/classes`) are checked in,
//! so that nobody needs a JDK to build Watchword. A test compiles the sources and compares;
//! `WATCHWORD_REFRESH=1` has it write the class files. What depends on the properties is made when it
//! is needed: see [`special`](crate::special).
//!
//! * Classes in `java/util/Watchword…` are part of the JDK's own module, which the command line
//!   patches. Classes that the JVM loads before it knows modules implement [`TRACKED`], reflection asks
//!   [`HIDING`] what a program may see, and every class loader finds [`HOOK`], because every class
//!   loader has to delegate `java.*`.
//! * Those in `watchword/…` are defined when the JVM has started. [`AGENT`] has the native methods.

use crate::hook::{ARRAYS, Shape, shapes};
use crate::identity::Held;

/// Internal name and bytes of a class.
pub type Class = (&'static str, &'static [u8]);

macro_rules! classes {
    ($($name:expr),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../java/classes/", $name, ".class")))),*]
    };
}

/// The interface of objects that hold identities and cells.
pub const TRACKED: &str = "java/util/WatchwordTracked";
/// What an object holds for properties whose state is in the objects.
pub const CELL: &str = "java/util/WatchwordCell";
/// The class that woven code calls.
pub const HOOK: &str = "java/util/WatchwordHook";
/// The class that says what reflection may show.
pub const HIDING: &str = "java/util/WatchwordHiding";
/// The class that the agent calls, and whose native methods it has.
pub const AGENT: &str = "watchword/Agent";
/// What is thrown on a violation if that was asked for.
pub const VIOLATION: &str = "watchword/Violation";

/// What the names of classes in the module `java.base` begin with.
pub(crate) const PREFIX: &str = "java/util/Watchword";

/// Whether a class, by its internal name, has hooks that woven code calls.
pub fn is_hook(name: &str) -> bool {
    name.starts_with(HOOK) || name == crate::hook::CLASS
}

/// The classes in the module `java.base`, in an order in which they can be defined.
pub const BASE: [Class; 16] = classes![
    "java/util/WatchwordEpoch",
    "java/util/WatchwordLink",
    "java/util/WatchwordEdge",
    "java/util/WatchwordCell",
    "java/util/WatchwordShared",
    "java/util/WatchwordKept",
    "java/util/WatchwordTracked",
    "java/util/WatchwordTables",
    "java/util/WatchwordChoices",
    "java/util/WatchwordCounts",
    "java/util/WatchwordIdentity",
    "java/util/WatchwordSteps",
    "java/util/WatchwordAgent",
    "java/util/WatchwordThrown",
    "java/util/WatchwordHook",
    "java/util/WatchwordHiding",
];

/// The other classes, which are defined by the bootstrap loader, too.
pub const BOOT: [Class; 3] = classes!["watchword/Agent", "watchword/Hook", "watchword/Violation"];

/// The bytes of [`BASE`]: an agent does not work with those of others.
pub const BASE_BYTES: [&[u8]; BASE.len()] = {
    let mut all: [&[u8]; BASE.len()] = [&[]; BASE.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = BASE[at].1;
        at += 1;
    }
    all
};

/// Name of the method of [`HIDING`] that leaves things out.
pub const VISIBLE: &str = "visible";
/// Its descriptor.
pub const VISIBLE_DESCRIPTOR: &str = "([Ljava/lang/Object;)[Ljava/lang/Object;";
/// The descriptor of the methods of [`HIDING`] that take from a copy what it has of its original.
pub const COPIED_DESCRIPTOR: &str = "(Ljava/lang/Object;)Ljava/lang/Object;";

/// Name of the method of [`HIDING`] that takes from a copy what it has of its original.
pub fn copied(held: Held) -> &'static str {
    match held {
        Held::Identity => "copiedIdentity",
        Held::Cell => "copiedCell",
        Held::Both => "copied",
    }
}

/// Whether a class, by its internal name, is one of these or one made from a property.
pub fn is_own(name: &str) -> bool {
    name.starts_with("watchword/") || name.starts_with(PREFIX)
}

/// Name of the native methods of [`AGENT`] that take events.
pub const EVENT: &str = "event";

/// The native methods that take events: what each takes, and its descriptor.
pub fn events() -> Vec<(Shape, String)> {
    shapes()
        .map(|shape| {
            let Shape { objects, longs } = shape;
            // Site, objects, their identities, longs.
            let passed = "Ljava/lang/Object;".repeat(objects) + &"J".repeat(objects + longs);
            (shape, format!("(I{passed})V"))
        })
        .collect()
}

/// Takes events with more values, by name and descriptor.
pub const MANY: (&str, &str) = (EVENT, ARRAYS);
/// A slice whose state is in the objects comes to be reported.
pub const TOLD: (&str, &str) = ("told", "(IIIJJJIJJ)V");
/// The cases that a choice has for objects of a class.
pub const CASES: (&str, &str) = ("cases", "(ILjava/lang/Class;)I");
/// Whether this thread does something on the agent's behalf.
pub const INSIDE: (&str, &str) = ("inside", "()Z");
/// The identity of an object that is gone and had its cell beside it; 0 if there is none.
pub const GONE: (&str, &str) = ("gone", "()J");
/// The heap of the program is full.
pub const EXHAUSTED: (&str, &str) = ("exhausted", "()V");
/// The identity of an object that cannot hold one.
pub const SIDE: (&str, &str) = ("side", "(Ljava/lang/Object;)J");
/// The bits of identities that tell a class.
pub const NUMBER: (&str, &str) = ("number", "(Ljava/lang/Class;)J");
/// Members or interfaces without those that were added.
pub const HIDE: (&str, &str) = ("hide", VISIBLE_DESCRIPTOR);

#[cfg(test)]
mod tests {
    use watchword_classfile::{ClassFile, access};

    use super::*;

    #[test]
    fn the_classes_are_class_files() {
        for (name, bytes) in BASE.into_iter().chain(BOOT) {
            let class = ClassFile::parse(bytes).unwrap();
            class.validate().unwrap();
            assert_eq!(class.name().unwrap(), name);
            assert!(is_own(name));
        }
    }

    /// The agent registers every native method, and there are no others.
    #[test]
    fn native_methods_are_those_of_the_agent() {
        let others = [MANY, TOLD, CASES, INSIDE, GONE, EXHAUSTED, SIDE, NUMBER, HIDE];
        let mut expected: Vec<(String, String)> =
            others.iter().map(|(name, ty)| (name.to_string(), ty.to_string())).collect();
        expected.extend(events().into_iter().map(|(_, ty)| (EVENT.to_string(), ty)));
        let mut found = Vec::new();
        for (name, bytes) in BASE.into_iter().chain(BOOT) {
            let class = ClassFile::parse(bytes).unwrap();
            for method in class.methods().filter(|m| m.access() & access::NATIVE != 0) {
                assert_eq!(name, AGENT);
                let text = |s: watchword_classfile::JStr<'_>| s.to_str().into_owned();
                found.push((text(method.name().unwrap()), text(method.descriptor().unwrap())));
            }
        }
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }

    /// Woven code finds a hook of every shape.
    #[test]
    fn every_shape_has_its_hooks() {
        use crate::hook::{ASKED, ENTRY, MAX_EACH, TESTED, asked};
        use watchword_model::ThrownBy;
        let (_, bytes) = BASE.into_iter().find(|(name, _)| *name == HOOK).unwrap();
        let class = ClassFile::parse(bytes).unwrap();
        for by in [ThrownBy::Itself, ThrownBy::Jdk] {
            assert!(class.method(asked(by), ASKED).is_some(), "{by:?}");
        }
        let many = Shape { objects: MAX_EACH + 1, longs: 0 };
        for shape in events().into_iter().map(|(shape, _)| shape).chain([many]) {
            let entry = shape.descriptor();
            assert!(class.method(ENTRY, &entry).is_some(), "{entry}");
            assert!(class.method(TESTED, &entry.replacen('(', "(Z", 1)).is_some(), "{entry}");
        }
    }
}
