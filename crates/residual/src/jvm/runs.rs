//! What methods of the JDK may run of a program: a table, for runs of one thread.
//!
//! Only what is listed is known; every other method may run anything. What a method is given counts by
//! the types of its parameters: a string runs nothing, an object may be asked for its `hashCode`, a
//! function may be called.

use std::collections::HashSet;

use watchword_classfile::{JStr, MethodDescriptor, access};

use super::jdk;
use super::program::Program;
use crate::body::BodyId;
use crate::mistake::Mistake;
use crate::world::Runs;

/// What objects are asked about themselves, and exceptions where they are made and printed.
const OF_VALUES: [&str; 12] = [
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
    "printStackTrace",
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

/// Types of the JDK whose methods no method listed here calls because it is given an object of the type,
/// or one that holds such an object, apart from [`OF_VALUES`]. (Collections, texts, streams and
/// comparators are listed on their own.) Objects of other types may be asked anything: dates are asked
/// for their time where they are compared, addresses ask their handlers where they are printed.
const UNASKED: &[&str] = &[
    "java/io/Closeable",
    "java/io/Externalizable",
    "java/io/FileFilter",
    "java/io/FilenameFilter",
    "java/io/Flushable",
    "java/io/Serializable",
    "java/lang/Appendable",
    "java/lang/AutoCloseable",
    "java/lang/ClassLoader",
    "java/lang/Cloneable",
    "java/lang/Comparable",
    "java/lang/Enum",
    "java/lang/InheritableThreadLocal",
    "java/lang/Object",
    "java/lang/Readable",
    "java/lang/Record",
    "java/lang/Runnable",
    "java/lang/Thread",
    "java/lang/Thread$UncaughtExceptionHandler",
    "java/lang/ThreadLocal",
    "java/lang/constant/Constable",
    "java/lang/constant/ConstantDesc",
    "java/lang/ref/PhantomReference",
    "java/lang/ref/Reference",
    "java/lang/ref/SoftReference",
    "java/lang/ref/WeakReference",
    "java/security/PrivilegedAction",
    "java/security/PrivilegedExceptionAction",
    "java/util/Comparator",
    "java/util/EventListener",
    "java/util/Formattable",
    "java/util/RandomAccess",
    "java/util/TimerTask",
    "java/util/concurrent/Callable",
    "java/util/concurrent/ThreadFactory",
];

/// Collections, maps and iterators of the JDK beside those of [`jdk::is_collection`] that ask their
/// elements and comparators what those do, and no other code.
const LIKE_OTHERS: &[&str] = &[
    "java/nio/file/Path",
    "java/util/AbstractMap$SimpleEntry",
    "java/util/AbstractMap$SimpleImmutableEntry",
    "java/util/EnumMap",
    "java/util/EnumSet",
    "java/util/Map$Entry",
    "java/util/Properties",
    "java/util/StringTokenizer",
    "java/util/Spliterator",
    "java/util/concurrent/ArrayBlockingQueue",
    "java/util/concurrent/LinkedTransferQueue",
    "java/util/concurrent/PriorityBlockingQueue",
    "java/util/concurrent/SynchronousQueue",
    "java/util/concurrent/TransferQueue",
    "java/util/jar/Attributes",
];

/// Types whose objects convert texts for streams and strings.
const CONVERTERS: [&str; 4] = [
    "java/nio/charset/Charset",
    "java/nio/charset/CharsetDecoder",
    "java/nio/charset/CharsetEncoder",
    "java/nio/charset/spi/CharsetProvider",
];

/// Types whose objects the JDK asks for permission wherever it does something outside of the program.
const GUARDS: [&str; 2] = ["java/lang/SecurityManager", "java/security/Policy"];

/// Types whose objects run when an instruction needs a class for the first time.
const LOADERS: [&str; 2] = ["java/lang/ClassLoader", "java/lang/instrument/ClassFileTransformer"];

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

/// Whether a method of a collection, map or iterator calls functions.
fn calls_functions(name: &str, descriptor: &str) -> bool {
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
    function && name != "<init>"
}

/// Whether a method looks up a property of the system, which may be the program's to answer.
fn asks_system(class: &str, name: &str) -> bool {
    match class {
        "java/lang/System" => name == "getProperty" || name == "getenv",
        "java/lang/Boolean" => name == "getBoolean",
        "java/lang/Integer" => name == "getInteger",
        "java/lang/Long" => name == "getLong",
        _ => false,
    }
}

/// Whether a method asks services that the program may provide: what handles an address, what is random.
fn asks_services(class: &str, name: &str) -> bool {
    match class {
        "java/io/File" => name == "createTempFile" || name == "toURL",
        "java/net/URI" => name == "toURL",
        "java/util/UUID" => name == "randomUUID",
        _ => false,
    }
}

/// Whether classes of a package do what they say in the documentation and nothing beside.
fn is_plain_package(class: &str) -> bool {
    ["java/io/", "java/lang/", "java/util/"].iter().any(|package| class.starts_with(package))
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
            return match calls_functions(name, descriptor) {
                true => Runs::ANYTHING,
                false => self.any_object() | order,
            };
        }
        if passes_on(class, name) {
            // Entries of maps may be the program's.
            return if class == ENTRY { Runs::COLLECTIONS } else { Runs::NOTHING };
        }
        let guarded = self.has_below(&GUARDS) && class != "java/lang/Object";
        let Some(given) = self.given(descriptor).filter(|_| !guarded) else {
            return Runs::ANYTHING;
        };
        let is = |above: &str| self.types.is_subtype(class, above) == Some(true);
        if class == "java/lang/Object" {
            return match name {
                "wait" => Runs::ANYTHING,
                "hashCode" | "toString" => self.any_text(),
                _ => self.any_object(),
            };
        }
        if class == "java/util/Collections" {
            return self.any_object() | Runs::ORDER | given;
        }
        if is(THROWABLE) {
            // Others may do more: exceptions of databases are logged where they are made.
            if !is_plain_package(class) {
                return Runs::ANYTHING;
            }
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
            let of_streams = Runs::STREAMS | Runs::COLLECTIONS;
            return if of_io { of_streams | given } else { Runs::ANYTHING };
        }
        if asks_system(class, name) {
            return Runs::COLLECTIONS | given;
        }
        if asks_services(class, name) {
            return self.any_object() | given;
        }
        if class == "java/util/Optional" && overrides_values(name) {
            return self.any_object();
        }
        // Services of the program may name languages.
        if class == "java/util/Locale" && name.starts_with("get") {
            return Runs::VALUES | given;
        }
        if class == "java/lang/String" && self.has_below(&CONVERTERS) {
            return Runs::ANYTHING;
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
            "java/lang/Object" | "java/lang/Comparable" => Some(self.any_object()),
            "java/lang/Class" | "java/lang/StackTraceElement" => Some(Runs::NOTHING),
            COMPARATOR => Some(Runs::ORDER),
            TEXTS => Some(Runs::TEXTS),
            // Texts are joined.
            "java/lang/Iterable" => Some(self.any_object() | Runs::TEXTS),
            _ if jdk::is_collection(class) => Some(self.any_object()),
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
            classes.collect::<HashSet<String>>()
        };
        let (mut classes, names): (_, &[&str]) = match of {
            Runs::VALUES if !proxied("java/lang/Object") => (HashSet::new(), &OF_VALUES),
            Runs::ORDER if !self.hooks().compares && !proxied(COMPARATOR) => {
                (below(&[COMPARATOR]), &[])
            }
            Runs::COLLECTIONS
                if !self.hooks().iterates
                    && !COLLECTIONS.iter().any(|c| proxied(c) || self.has_lambda_of(c)) =>
            {
                (below(&COLLECTIONS), &[])
            }
            Runs::TEXTS if !proxied(TEXTS) => (below(&[TEXTS]), &[]),
            Runs::STREAMS if !self.has_below(&CONVERTERS) => (below(&STREAMS), &[]),
            Runs::INITIALISERS if !LOADERS.iter().any(|c| self.has_lambda_of(c)) => {
                (below(&LOADERS), &["<clinit>"])
            }
            _ => return None,
        };
        let may_ask = of == Runs::VALUES || of == Runs::STREAMS;
        if may_ask && !Mistake::OnlyValuesAsked.is_made() {
            classes.extend(self.asked_anything()?);
        }
        let mut found = Vec::new();
        for id in self.bodies() {
            let method = self.method(id);
            let is_one = method.name().is_ok_and(|name| names.contains(&&*name.to_str()))
                || classes.contains(&*self.types.class_name(self.class_of(id)));
            if !is_one {
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

    /// What an object that nothing is known of may be asked by methods listed here, as are the elements
    /// of collections: the text of a collection is made of theirs, and sorted ones compare elements
    /// where they are compared themselves, or where they are parts.
    pub(super) fn any_object(&self) -> Runs {
        let values = Runs::VALUES | Runs::COLLECTIONS;
        match self.hooks().sorts && !Mistake::OrderUnasked.is_made() {
            true => values | Runs::ORDER,
            false => values,
        }
    }

    /// The same for methods that ask objects only for their `hashCode` or their text: sorted collections
    /// compare no elements then, but parts of them look for their ends.
    pub(super) fn any_text(&self) -> Runs {
        match self.hooks().parts || self.hooks().skips {
            true => self.any_object(),
            false => Runs::VALUES | Runs::COLLECTIONS,
        }
    }

    /// Classes of the program whose objects the JDK may ask anything where it looks at any object or uses
    /// a stream, by the types of the JDK that they are of; `None`: a lambda is of such a type.
    fn asked_anything(&self) -> Option<Vec<String>> {
        let asked = |class: &str| match self.types.supertypes(class) {
            Some(above) => above.iter().any(|a| self.is_platform(a) && !self.is_unasked(a)),
            None => true,
        };
        let lambdas = self.lambdas();
        if lambdas.iter().any(|lambda| asked(lambda)) {
            return None;
        }
        Some(self.below("java/lang/Object").iter().filter(|c| asked(c)).cloned().collect())
    }

    /// See [`UNASKED`].
    fn is_unasked(&self, class: &str) -> bool {
        let is = |above: &&str| self.types.is_subtype(class, above) == Some(true);
        // Texts are asked by what was made of them.
        UNASKED.contains(&class)
            || class == TEXTS && !self.hooks().wraps_texts
            || class.starts_with("java/util/function/")
            || COLLECTIONS.iter().any(is)
            || is(&THROWABLE) && is_plain_package(class)
            || class.starts_with("java/io/Data")
            || class == "java/io/ObjectStreamConstants"
            || class.starts_with("java/io/Object") && !class.contains("Filter")
            || class.starts_with("java/io/") && STREAMS.iter().any(is)
    }

    /// Whether a class of the JDK is a collection, map or iterator that may ask others than its elements
    /// and comparators: a scanner reads, a queue of delays asks for them.
    pub(super) fn is_odd_collection(&self, class: &str) -> bool {
        !jdk::is_collection(class)
            && !LIKE_OTHERS.contains(&class)
            && self.is_platform(class)
            && COLLECTIONS.iter().any(|above| self.types.is_subtype(class, above) != Some(false))
    }

    fn has_below(&self, types: &[&str]) -> bool {
        types.iter().any(|class| !self.below(class).is_empty())
    }
}
