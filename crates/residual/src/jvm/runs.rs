//! What methods of the JDK may run of a program: a table, for runs of one thread.
//!
//! Only what is listed is known; every other method may run anything. What a method is given counts by
//! the types of its parameters: a string runs nothing, an object may be asked for its `hashCode`, a
//! function may be called.

use watchword_classfile::{JStr, MethodDescriptor, access};

use super::jdk;
use super::program::Program;
use crate::body::BodyId;
use crate::mistake::Mistake;
use crate::world::Runs;

/// What an object that nothing is known of may be asked by methods listed here, as are the elements of
/// collections: the text of a collection is made of theirs.
pub(super) const ANY_OBJECT: Runs = Runs(Runs::VALUES.0 | Runs::COLLECTIONS.0);

/// What objects are asked about themselves, and exceptions where they are made and printed.
const OF_VALUES: [&str; 11] = [
    "equals",
    "hashCode",
    "compareTo",
    "toString",
    "formatTo",
    "getMessage",
    "getLocalizedMessage",
    "getCause",
    "initCause",
    "getStackTrace",
    "fillInStackTrace",
];

/// Whether a method is one of those that objects say something of themselves with.
pub(super) fn overrides_values(name: &str) -> bool {
    matches!(name, "equals" | "hashCode" | "compareTo" | "toString")
}

const TEXTS: &str = "java/lang/CharSequence";
pub(super) const COMPARATOR: &str = "java/util/Comparator";
const ENTRY: &str = "java/util/Map$Entry";
const THROWABLE: &str = "java/lang/Throwable";
const STREAMS: [&str; 4] =
    ["java/io/InputStream", "java/io/OutputStream", "java/io/Reader", "java/io/Writer"];
const COLLECTIONS: [&str; 7] = [
    "java/lang/Iterable",
    "java/util/Dictionary",
    "java/util/Enumeration",
    "java/util/Iterator",
    "java/util/Map",
    ENTRY,
    "java/util/Spliterator",
];

/// Classes whose methods do nothing but what they are named for, given what they are given.
const PLAIN: &[&str] = &[
    "java/io/File",
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Number",
    "java/lang/Short",
    "java/lang/StrictMath",
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/math/BigDecimal",
    "java/math/BigInteger",
    "java/net/URI",
    "java/util/Arrays",
    "java/util/BitSet",
    "java/util/Locale",
    "java/util/Objects",
    "java/util/Optional",
    "java/util/StringTokenizer",
    "java/util/UUID",
    "java/util/concurrent/atomic/AtomicBoolean",
    "java/util/concurrent/atomic/AtomicInteger",
    "java/util/concurrent/atomic/AtomicLong",
    "java/util/regex/Matcher",
    "java/util/regex/Pattern",
];

/// Methods that only pass references on, whatever they are given.
fn passes_on(class: &str, name: &str) -> bool {
    match class {
        "java/lang/Object" => matches!(name, "<init>" | "getClass" | "notify" | "notifyAll"),
        "java/lang/String"
        | "java/lang/Boolean"
        | "java/lang/Byte"
        | "java/lang/Character"
        | "java/lang/Double"
        | "java/lang/Float"
        | "java/lang/Integer"
        | "java/lang/Long"
        | "java/lang/Short" => name == "equals",
        "java/lang/System" => matches!(
            name,
            "arraycopy" | "currentTimeMillis" | "identityHashCode" | "lineSeparator" | "nanoTime"
        ),
        "java/lang/Class" => matches!(
            name,
            "cast"
                | "desiredAssertionStatus"
                | "getCanonicalName"
                | "getComponentType"
                | "getModifiers"
                | "getName"
                | "getPackageName"
                | "getSimpleName"
                | "getSuperclass"
                | "getTypeName"
                | "isArray"
                | "isAssignableFrom"
                | "isEnum"
                | "isInstance"
                | "isInterface"
                | "isPrimitive"
        ),
        "java/lang/Enum" => {
            matches!(name, "<init>" | "compareTo" | "equals" | "hashCode" | "name" | "ordinal")
        }
        "java/lang/ref/SoftReference" | "java/lang/ref/WeakReference" => {
            matches!(name, "<init>" | "clear" | "get")
        }
        "java/util/Arrays" => matches!(name, "asList" | "copyOf" | "copyOfRange" | "fill"),
        "java/util/Collections" => {
            ["empty", "singleton", "nCopies", "unmodifiable"].iter().any(|n| name.starts_with(n))
        }
        "java/util/Objects" => matches!(name, "isNull" | "nonNull"),
        "java/util/Optional" => matches!(name, "of" | "ofNullable" | "orElse"),
        "java/util/concurrent/atomic/AtomicReference" => {
            matches!(name, "<init>" | "compareAndSet" | "get" | "getAndSet" | "lazySet" | "set")
        }
        ENTRY => matches!(name, "getKey" | "getValue"),
        _ => false,
    }
}

/// What a method of a collection, map or iterator does to elements that the table of [`jdk`] does not
/// call quiet; `None`: it calls functions.
fn of_elements(name: &str, descriptor: &str) -> Option<Runs> {
    const FUNCTIONS: [&str; 10] = [
        "compute",
        "computeIfAbsent",
        "computeIfPresent",
        "forEach",
        "forEachRemaining",
        "merge",
        "removeIf",
        "replaceAll",
        "search",
        "sort",
    ];
    let function = descriptor.contains("Ljava/util/function/") || FUNCTIONS.contains(&name);
    (!function || name == "<init>").then_some(ANY_OBJECT)
}

/// Whether comparators have no say in what a collection does.
fn is_unordered(class: &str) -> bool {
    const ORDERED: [&str; 4] = ["Priority", "Skip", "Sorted", "Tree"];
    jdk::is_made(class) && !ORDERED.iter().any(|part| class.contains(part))
}

impl Program<'_> {
    /// What a method of the JDK may run; `made`: its receiver is of exactly this class, which is the
    /// JDK's.
    pub(super) fn runs(&self, class: &str, name: &str, descriptor: &str, made: bool) -> Runs {
        if jdk::is_collection(class) {
            if jdk::is_quiet(class, name, descriptor) {
                return match made {
                    true => Runs::NOTHING,
                    false => self.behind(class, name),
                };
            }
            let order = if is_unordered(class) { Runs::NOTHING } else { Runs::ORDER };
            return of_elements(name, descriptor).map_or(Runs::ANYTHING, |runs| runs | order);
        }
        if passes_on(class, name) {
            // Entries of maps may be the program's.
            return if class == ENTRY { Runs::COLLECTIONS } else { Runs::NOTHING };
        }
        let Some(given) = self.given(descriptor) else { return Runs::ANYTHING };
        let is = |above: &str| self.types.is_subtype(class, above) == Some(true);
        if class == "java/lang/Object" {
            return if name == "wait" { Runs::ANYTHING } else { ANY_OBJECT };
        }
        if class == "java/util/Collections" {
            return ANY_OBJECT | Runs::ORDER | given;
        }
        if is(THROWABLE) {
            return match name {
                "<init>" | "addSuppressed" | "getSuppressed" | "setStackTrace" => {
                    Runs::VALUES | given
                }
                "printStackTrace" => Runs::VALUES | Runs::STREAMS,
                _ if OF_VALUES.contains(&name) => Runs::VALUES | given,
                _ => Runs::ANYTHING,
            };
        }
        if STREAMS.iter().any(|above| is(above)) && !class.starts_with("java/io/Object") {
            let of_io = class.starts_with("java/io/");
            return if of_io { Runs::STREAMS | given } else { Runs::ANYTHING };
        }
        if class == "java/lang/System" && (name == "getProperty" || name == "getenv") {
            return Runs::COLLECTIONS;
        }
        if class == "java/util/Optional" && overrides_values(name) {
            return ANY_OBJECT;
        }
        let plain = PLAIN.contains(&class) && self.below(class).is_empty();
        match plain {
            true if class.starts_with("java/util/regex/") => Runs::TEXTS | given,
            true => given,
            false => Runs::ANYTHING,
        }
    }

    /// What a method runs that would run nothing on a collection which a program made with `new`: others
    /// may be the program's, or wrap one of these, or be parts of sorted ones, which ask whether elements
    /// are within their bounds.
    fn behind(&self, class: &str, name: &str) -> Runs {
        let hooks = self.hooks();
        let wrapped = if hooks.code { Runs::COLLECTIONS } else { Runs::NOTHING };
        // Iterators of trees know where to end.
        let walks = name.starts_with("has") || name.starts_with("next") || name.starts_with("prev");
        let sorts = if walks { hooks.skips } else { hooks.sorts };
        let sorts = sorts && !is_unordered(class) && !jdk::is_sequence(class);
        match sorts && !Mistake::PartsUncompared.is_made() {
            true => wrapped | Runs::ORDER | Runs::VALUES,
            false => wrapped,
        }
    }

    /// What may be run of arguments, by the types of the parameters; `None`: anything.
    fn given(&self, descriptor: &str) -> Option<Runs> {
        let parsed = MethodDescriptor::parse(JStr::new(descriptor.as_bytes())).ok()?;
        let mut all = Runs::NOTHING;
        for parameter in parsed.parameters() {
            // Arrays count as what they hold.
            let Some(name) = parameter.class_name() else { continue };
            let name = name.to_str();
            let name = match name.trim_start_matches('[') {
                element if element.len() == name.len() => element,
                element => match element.strip_prefix('L') {
                    Some(class) => class.trim_end_matches(';'),
                    None => continue,
                },
            };
            all = all | self.argument(name)?;
        }
        Some(all)
    }

    fn argument(&self, class: &str) -> Option<Runs> {
        let is = |above: &str| self.types.is_subtype(class, above) == Some(true);
        match class {
            "java/lang/Object" | "java/lang/Comparable" => Some(ANY_OBJECT),
            "java/lang/Class" | "java/lang/StackTraceElement" => Some(Runs::NOTHING),
            COMPARATOR => Some(Runs::ORDER),
            TEXTS => Some(Runs::TEXTS),
            // Texts are joined.
            "java/lang/Iterable" => Some(ANY_OBJECT | Runs::TEXTS),
            _ if jdk::is_collection(class) => Some(ANY_OBJECT),
            _ if PLAIN.contains(&class) && self.below(class).is_empty() => Some(Runs::NOTHING),
            _ if is(THROWABLE) => Some(Runs::VALUES),
            _ if STREAMS.iter().any(|above| is(above)) => Some(Runs::STREAMS),
            _ => None,
        }
    }

    /// The methods behind one of [`Runs::EACH`]; `None`: there may be others.
    pub(super) fn run_by_jdk(&self, of: Runs) -> Option<Vec<BodyId>> {
        if Mistake::JdkRunsNothing.is_made() {
            return Some(Vec::new());
        }
        let proxied = |class: &str| self.hooks().proxied(self, class);
        let below = |all: &[&str]| {
            let classes = all.iter().flat_map(|above| self.below(above).to_vec());
            classes.collect::<std::collections::HashSet<String>>()
        };
        let (classes, names): (_, &[&str]) = match of {
            Runs::VALUES if !proxied("java/lang/Object") => (None, &OF_VALUES),
            Runs::ORDER if !self.hooks().compares && !proxied(COMPARATOR) => {
                (Some(below(&[COMPARATOR])), &[])
            }
            Runs::COLLECTIONS
                if !self.hooks().iterates
                    && !COLLECTIONS.iter().any(|c| proxied(c) || self.has_lambda_of(c)) =>
            {
                (Some(below(&COLLECTIONS)), &[])
            }
            Runs::TEXTS if !proxied(TEXTS) => (Some(below(&[TEXTS])), &[]),
            Runs::STREAMS if self.below("java/nio/charset/Charset").is_empty() => {
                (Some(below(&STREAMS)), &[])
            }
            Runs::INITIALISERS => (None, &["<clinit>"]),
            _ => return None,
        };
        let mut found = Vec::new();
        for id in self.bodies() {
            let method = self.method(id);
            let of_class = match &classes {
                Some(classes) => classes.contains(&*self.types.class_name(self.class_of(id))),
                None => method.name().is_ok_and(|name| names.contains(&&*name.to_str())),
            };
            if !of_class {
                continue;
            }
            if method.has_access(access::NATIVE) {
                return None;
            }
            if !method.has_access(access::ABSTRACT) {
                found.push(id);
            }
        }
        Some(found)
    }
}
