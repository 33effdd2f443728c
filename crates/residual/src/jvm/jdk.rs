//! A table of the effects of JDK methods on the objects that they receive.
//!
//! For a method that is not listed, the analysis assumes that it keeps all its arguments and may
//! return anything. “Keeps” means that other code may get the object back later, or that another
//! thread gets it. Methods that call methods of their arguments (`toString`, `equals`, `iterator`,
//! …) run code of the program if an argument is an object of a program's class; callers of this
//! module handle that.

use crate::world::Returns;

/// The effect of a method of the JDK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Arguments it keeps, as bits, receiver first.
    pub keeps: u64,
    /// The result; `Fresh` is an iterator, except for constructors and `clone`.
    pub returns: Returns,
    /// A returned new object has the receiver's class.
    pub same_class: bool,
}

const ALL: u64 = !0;
const ARGS: u64 = !1;
const NONE: u64 = 0;

/// Collections and maps that a program creates with `new` and that copy the arguments of their
/// constructors.
const COLLECTIONS: &[&str] = &[
    "ArrayDeque",
    "ArrayList",
    "HashMap",
    "HashSet",
    "Hashtable",
    "IdentityHashMap",
    "LinkedHashMap",
    "LinkedHashSet",
    "LinkedList",
    "PriorityQueue",
    "Stack",
    "TreeMap",
    "TreeSet",
    "Vector",
    "WeakHashMap",
    "concurrent/ConcurrentHashMap",
    "concurrent/ConcurrentLinkedDeque",
    "concurrent/ConcurrentLinkedQueue",
    "concurrent/ConcurrentSkipListMap",
    "concurrent/ConcurrentSkipListSet",
    "concurrent/CopyOnWriteArrayList",
    "concurrent/CopyOnWriteArraySet",
    "concurrent/LinkedBlockingDeque",
    "concurrent/LinkedBlockingQueue",
];

/// Types through which collections, maps and iterators are called.
const COLLECTION_TYPES: &[&str] = &[
    "AbstractCollection",
    "AbstractList",
    "AbstractMap",
    "AbstractQueue",
    "AbstractSequentialList",
    "AbstractSet",
    "Collection",
    "Deque",
    "Dictionary",
    "Enumeration",
    "Iterator",
    "List",
    "ListIterator",
    "Map",
    "NavigableMap",
    "NavigableSet",
    "Queue",
    "Set",
    "SortedMap",
    "SortedSet",
    "SequencedCollection",
    "SequencedMap",
    "SequencedSet",
    "concurrent/BlockingDeque",
    "concurrent/BlockingQueue",
    "concurrent/ConcurrentHashMap$KeySetView",
    "concurrent/ConcurrentMap",
    "concurrent/ConcurrentNavigableMap",
];

/// The classes whose methods the table describes, except streams, readers and writers.
pub fn described() -> Vec<String> {
    const OTHERS: [&str; 13] = [
        "java/io/PrintStream",
        "java/io/PrintWriter",
        "java/io/StringWriter",
        "java/lang/Iterable",
        "java/lang/Object",
        "java/lang/String",
        "java/lang/StringBuffer",
        "java/lang/StringBuilder",
        "java/util/Arrays",
        "java/util/Collections",
        "java/util/Map$Entry",
        "java/util/Objects",
        "java/util/StringTokenizer",
    ];
    let util = COLLECTIONS.iter().chain(COLLECTION_TYPES).map(|name| format!("java/util/{name}"));
    let streams = PIPELINES.iter().map(|name| format!("java/util/stream/{name}"));
    util.chain(streams).chain(OTHERS.map(str::to_owned)).collect()
}

/// Types of which no class of the JDK is two at once.
pub const KINDS: [&str; 14] = [
    "java/io/InputStream",
    "java/io/OutputStream",
    "java/io/Reader",
    "java/io/Writer",
    "java/lang/CharSequence",
    "java/lang/Number",
    "java/lang/Throwable",
    "java/util/BitSet",
    "java/util/Calendar",
    "java/util/Collection",
    "java/util/Iterator",
    "java/util/Map",
    "java/util/Map$Entry",
    "java/util/concurrent/locks/Lock",
];

/// Whether no view of a map that the JDK made is of a type.
pub fn is_no_view(class: &str) -> bool {
    const VIEWS: [&str; 10] = [
        "AbstractCollection",
        "AbstractSet",
        "Collection",
        "NavigableSet",
        "Set",
        "SequencedCollection",
        "SequencedSet",
        "SortedSet",
        "concurrent/ConcurrentHashMap$KeySetView",
        "concurrent/ConcurrentSkipListSet",
    ];
    is_collection(class)
        && class.strip_prefix("java/util/").is_some_and(|name| !VIEWS.contains(&name))
}

/// Whether no iterator that the JDK made is of a type.
pub fn is_no_iterator(class: &str) -> bool {
    is_collection(class)
        && class
            .strip_prefix("java/util/")
            .is_some_and(|name| !["Enumeration", "Iterator", "ListIterator"].contains(&name))
}

/// Whether a type is one of the JDK's collections, maps and iterators.
pub fn is_collection(class: &str) -> bool {
    class == "java/lang/Iterable"
        || class
            .strip_prefix("java/util/")
            .is_some_and(|name| COLLECTIONS.contains(&name) || COLLECTION_TYPES.contains(&name))
}

/// Whether a type belongs to `java.util.stream` and its iterators are new. Their elements come from
/// code of the program; if the program has a `Spliterator`, it sees these iterators as well.
pub fn is_pipeline(class: &str) -> bool {
    class.strip_prefix("java/util/stream/").is_some_and(|name| PIPELINES.contains(&name))
}

const PIPELINES: [&str; 4] = ["BaseStream", "Stream", "IntStream", "LongStream"];

/// Streams, readers and writers of `java.io`.
fn is_stream(class: &str) -> bool {
    class.strip_prefix("java/io/").is_some_and(|name| {
        ["Reader", "Writer", "InputStream", "OutputStream", "PrintStream"]
            .iter()
            .any(|end| name.ends_with(end))
    })
}

/// The effect of a method, by the class in which it is looked up.
pub fn known(class: &str, name: &str, descriptor: &str) -> Option<Known> {
    let returning = |keeps, returns| Some(Known { keeps, returns, same_class: false });
    let plain = |keeps| returning(keeps, Returns::Unknown);
    if name == "<init>" {
        return constructor(class, descriptor).and_then(plain);
    }
    match (class, name) {
        (
            "java/lang/Object",
            "hashCode" | "getClass" | "toString" | "notify" | "notifyAll" | "wait",
        ) => {
            return plain(NONE);
        }
        // Some sets ask the other set whether it contains all of them.
        ("java/lang/Object", "equals") => return plain(1),
        ("java/util/Objects", "requireNonNull") => return returning(ARGS, Returns::Argument(0)),
        // Each is shown to the other.
        ("java/util/Objects", "equals") => return plain(ALL),
        ("java/util/Objects", "hashCode" | "isNull" | "nonNull") => return plain(NONE),
        ("java/util/Objects", "toString") => return plain(2),
        ("java/lang/String", "valueOf") => return plain(NONE),
        ("java/lang/String", "join") => return plain(1),
        ("java/lang/StringBuilder" | "java/lang/StringBuffer", "append" | "insert") => {
            return returning(NONE, Returns::Argument(0));
        }
        ("java/lang/StringBuilder" | "java/lang/StringBuffer", "toString" | "length") => {
            return plain(NONE);
        }
        ("java/util/Collections", _) => return collections(name),
        ("java/util/Arrays", "asList") => return returning(ALL, Returns::Part),
        ("java/util/List" | "java/util/Set" | "java/util/Map", "of" | "copyOf" | "ofEntries") => {
            return returning(ALL, Returns::Made);
        }
        _ => {}
    }
    if is_collection(class) {
        return collection(class, name, descriptor);
    }
    if is_stream(class) {
        return match name {
            "append" => returning(NONE, Returns::Argument(0)),
            "available" | "checkError" | "close" | "flush" | "mark" | "markSupported" | "print"
            | "println" | "read" | "readAllBytes" | "readBoolean" | "readByte" | "readChar"
            | "readDouble" | "readFloat" | "readFully" | "readInt" | "readLine" | "readLong"
            | "readNBytes" | "readShort" | "readUTF" | "ready" | "reset" | "size" | "skip"
            | "toByteArray" | "toString" | "write" | "writeBoolean" | "writeByte"
            | "writeBytes" | "writeChar" | "writeChars" | "writeDouble" | "writeFloat"
            | "writeInt" | "writeLong" | "writeShort" | "writeUTF" | "newLine" | "unread" => {
                plain(NONE)
            }
            _ => None,
        };
    }
    if is_pipeline(class) && name == "iterator" {
        return returning(NONE, Returns::Fresh(None));
    }
    match (class, name) {
        (
            "java/util/StringTokenizer",
            "hasMoreTokens" | "nextToken" | "hasMoreElements" | "nextElement" | "countTokens",
        ) => plain(NONE),
        _ => None,
    }
}

fn constructor(class: &str, descriptor: &str) -> Option<u64> {
    let util = class.strip_prefix("java/util/");
    if util.is_some_and(|name| COLLECTIONS.contains(&name)) {
        // A copied collection is not kept; a comparator is.
        let copies = matches!(
            descriptor,
            "()V"
                | "(I)V"
                | "(IF)V"
                | "(IFZ)V"
                | "(IFI)V"
                | "(II)V"
                | "(Ljava/util/Collection;)V"
                | "(Ljava/util/Map;)V"
                | "(Ljava/util/SortedMap;)V"
                | "(Ljava/util/SortedSet;)V"
        );
        return Some(if copies { NONE } else { ARGS });
    }
    match class {
        "java/lang/Object" => Some(NONE),
        "java/util/AbstractCollection"
        | "java/util/AbstractList"
        | "java/util/AbstractMap"
        | "java/util/AbstractQueue"
        | "java/util/AbstractSequentialList"
        | "java/util/AbstractSet"
        | "java/util/Dictionary"
        | "java/util/StringTokenizer"
        | "java/lang/StringBuilder"
        | "java/lang/StringBuffer" => Some(NONE),
        "java/io/Reader" | "java/io/Writer" | "java/io/InputStream" | "java/io/OutputStream" => {
            Some(ARGS)
        }
        "java/lang/Throwable"
        | "java/lang/Exception"
        | "java/lang/RuntimeException"
        | "java/lang/Error" => Some(ARGS),
        _ if is_stream(class) => Some(ARGS),
        _ => None,
    }
}

fn collection(class: &str, name: &str, descriptor: &str) -> Option<Known> {
    let returning = |keeps, returns| Some(Known { keeps, returns, same_class: false });
    let plain = |keeps| returning(keeps, Returns::Unknown);
    match name {
        "descendingMap" | "descendingSet" => returning(NONE, Returns::Made),
        "clear" | "containsAll" | "capacity" | "comparator" | "element" | "elementAt" | "empty"
        | "ensureCapacity" | "first" | "firstElement" | "firstEntry" | "firstKey" | "getFirst"
        | "getLast" | "hasMoreElements" | "hasNext" | "hasPrevious" | "hashCode" | "isEmpty"
        | "last" | "lastElement" | "lastEntry" | "lastKey" | "next" | "nextElement"
        | "nextIndex" | "peek" | "peekFirst" | "peekLast" | "poll" | "pollFirst" | "pollLast"
        | "pop" | "previous" | "previousIndex" | "removeAll" | "removeAllElements"
        | "removeElementAt" | "removeFirst" | "removeLast" | "retainAll" | "setSize" | "size"
        | "toString" | "trimToSize" => plain(NONE),
        // A wrapper of a list hands its argument to the list. Sets may ask the other set whether it
        // contains all of them.
        "equals" if is_sequence(class) => plain(ARGS),
        "equals" => plain(ALL),
        // The searched element is passed to comparators and to `equals` of other elements.
        "contains"
        | "containsKey"
        | "containsValue"
        | "get"
        | "indexOf"
        | "lastIndexOf"
        | "remove"
        | "removeElement"
        | "removeFirstOccurrence"
        | "removeLastOccurrence"
        | "search" => plain(ARGS),
        // The elements are kept, not the collection they come from.
        "addAll" | "addAllAbsent" | "putAll" => plain(NONE),
        "add" | "addElement" | "addFirst" | "addLast" | "forEach" | "forEachRemaining"
        | "getOrDefault" | "insertElementAt" | "offer" | "offerFirst" | "offerLast" | "put"
        | "putIfAbsent" | "push" | "removeIf" | "replace" | "replaceAll" | "set"
        | "setElementAt" | "sort" | "toArray" | "copyInto" | "compute" | "computeIfAbsent"
        | "computeIfPresent" | "merge" | "putFirst" | "putLast" => plain(ARGS),
        "parallelStream" | "spliterator" | "stream" => plain(NONE),
        // Views of a part, made anew each time.
        "subList" | "headSet" | "tailSet" | "subSet" | "headMap" | "tailMap" | "subMap" => {
            returning(ARGS, Returns::Part)
        }
        // Made once.
        "descendingKeySet" => returning(ARGS, Returns::Made),
        "iterator" | "listIterator" | "descendingIterator" | "elements" | "keys" => {
            let iterator = descriptor.ends_with(")Ljava/util/Iterator;")
                || descriptor.ends_with(")Ljava/util/ListIterator;")
                || descriptor.ends_with(")Ljava/util/Enumeration;");
            returning(NONE, if iterator { Returns::Fresh(None) } else { Returns::Unknown })
        }
        // The JDK's maps make each of these once.
        "keySet" if descriptor.starts_with("()") => returning(NONE, Returns::View("keySet")),
        // The same object as `keySet`.
        "navigableKeySet" => returning(NONE, Returns::View("keySet")),
        "entrySet" => returning(NONE, Returns::View("entrySet")),
        "values" => returning(NONE, Returns::View("values")),
        "clone" if is_made(class) => {
            Some(Known { keeps: NONE, returns: Returns::Fresh(None), same_class: true })
        }
        _ => None,
    }
}

/// Whether a class is one of those that a program makes with `new`.
pub fn is_made(class: &str) -> bool {
    class.strip_prefix("java/util/").is_some_and(|name| COLLECTIONS.contains(&name))
}

fn collections(name: &str) -> Option<Known> {
    let (keeps, returns) = match name {
        "frequency" => (ARGS, Returns::Unknown),
        "disjoint" | "max" | "min" | "reverse" | "rotate" | "shuffle" | "swap" => {
            (NONE, Returns::Unknown)
        }
        "sort" | "binarySearch" | "addAll" => (ARGS, Returns::Unknown),
        "fill" => (ARGS, Returns::Unknown),
        // Wrappers keep the wrapped object but never return it. An argument that is already such a
        // wrapper may be returned unchanged.
        "unmodifiableCollection"
        | "unmodifiableList"
        | "unmodifiableMap"
        | "unmodifiableSet"
        | "unmodifiableSortedMap"
        | "unmodifiableSortedSet"
        | "unmodifiableNavigableMap"
        | "unmodifiableNavigableSet" => (NONE, Returns::Wrapper),
        "enumeration" => (NONE, Returns::Part),
        "synchronizedCollection"
        | "synchronizedList"
        | "synchronizedMap"
        | "synchronizedSet"
        | "synchronizedSortedMap"
        | "synchronizedSortedSet" => (NONE, Returns::Part),
        "emptyList" | "emptySet" | "emptyMap" | "emptyIterator" | "emptyListIterator"
        | "emptyEnumeration" | "emptySortedMap" | "emptySortedSet" => (NONE, Returns::Made),
        "singleton" | "singletonList" | "singletonMap" | "nCopies" => (ALL, Returns::Part),
        _ => return None,
    };
    Some(Known { keeps, returns, same_class: false })
}

/// Arguments, receiver first, that the result of a method of the table holds in fields which are
/// serialised with it, as bits: wrappers and views.
pub fn holds(class: &str, name: &str) -> u64 {
    if class == "java/util/Collections" {
        let wraps = name.starts_with("unmodifiable") || name.starts_with("synchronized");
        return if wraps { ALL } else { NONE };
    }
    if !is_collection(class) {
        return NONE;
    }
    const SERIALISABLE: [&str; 4] = ["Hashtable", "Stack", "Vector", "ConcurrentHashMap"];
    let exact = is_made(class) && !SERIALISABLE.iter().any(|end| class.ends_with(end));
    match name {
        "subList" | "keySet" | "values" | "entrySet" if exact => NONE,
        "subList" | "keySet" | "navigableKeySet" | "values" | "entrySet" => 1,
        _ if asked(name) & PARTS != 0 => 1,
        _ => NONE,
    }
}

/// Arguments of a method of the table that its result, when it is compared, may hand to a set of the
/// program: some sets, and some views of maps, ask the other set whether it contains all of them.
pub fn shows_wrapped(class: &str, name: &str) -> u64 {
    let wraps = name.starts_with("unmodifiable") || name.starts_with("synchronized");
    let asks = name.ends_with("Set") || name.ends_with("Map");
    if class == "java/util/Collections" && wraps && asks { ALL } else { NONE }
}

/// Keys of a map, or everything else that collections hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Keys.
    Keys,
    /// Values of a map, elements of a collection.
    Values,
}

impl Part {
    /// Both.
    pub const ALL: [Part; 2] = [Part::Keys, Part::Values];
}

/// The effect of a method on the contents of its receiver: a collection, a map, an iterator, an
/// entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Arguments that are among the keys, or among the values, afterwards: bits, receiver first.
    pub puts: [u64; 2],
    /// Arguments whose contents become contents of the receiver.
    pub copies: u64,
    /// Whose contents the result belongs to.
    pub gives: Option<Part>,
    /// Its result is an iterator over these.
    pub iterates: Option<Part>,
    /// Its result is a view.
    pub views: bool,
    /// Values may be shown to `equals`, `hashCode`, `toString`, comparators and functions of the
    /// program. Keys, and elements of all but `SEQUENCES`, always may.
    pub shows: bool,
    /// Results of functions of the program are among the contents afterwards.
    pub computes: bool,
    /// The values are in an array afterwards: a new one, or the argument.
    pub spills: bool,
    /// Arguments that the receiver keeps besides its contents and returns on request: comparators.
    /// Bits, receiver first.
    pub keeps: u64,
}

/// The effect of a method on the contents of its receiver, by the class in which it is looked up.
/// `None` if it is not known: the receiver may then pass its contents to any code, and receive any
/// object.
pub fn contents(class: &str, name: &str, descriptor: &str) -> Option<Contents> {
    let some = Contents::default();
    let shows = Contents { shows: true, ..some };
    if name == "<init>" {
        let keeps = constructor(class, descriptor).filter(|_| is_made(class))?;
        return match descriptor {
            "(Ljava/util/Comparator;)V" | "(ILjava/util/Comparator;)V" => {
                Some(Contents { keeps: ARGS, ..some })
            }
            _ if keeps == NONE => Some(Contents { copies: ARGS, ..some }),
            _ => None,
        };
    }
    if class == "java/util/Map$Entry" {
        return match name {
            "getKey" => Some(Contents { gives: Some(Part::Keys), ..some }),
            "getValue" => Some(Contents { gives: Some(Part::Values), ..some }),
            "setValue" => Some(Contents { puts: [NONE, ARGS], gives: Some(Part::Values), ..some }),
            "equals" | "hashCode" | "toString" => Some(shows),
            _ => None,
        };
    }
    if !is_collection(class) || class.contains('$') {
        return None;
    }
    match name {
        "capacity" | "clear" | "containsKey" | "empty" | "ensureCapacity" | "hasMoreElements"
        | "hasNext" | "hasPrevious" | "isEmpty" | "nextIndex" | "previousIndex"
        | "removeAllElements" | "removeElementAt" | "setSize" | "size" | "trimToSize" => {
            return Some(some);
        }
        "contains"
        | "containsAll"
        | "containsValue"
        | "forEach"
        | "forEachRemaining"
        | "hashCode"
        | "indexOf"
        | "lastIndexOf"
        | "removeAll"
        | "removeElement"
        | "removeFirstOccurrence"
        | "removeIf"
        | "removeLastOccurrence"
        | "retainAll"
        | "search"
        | "sort"
        | "toString" => return Some(shows),
        // A set may be handed to the other one as it is.
        "equals" => return is_sequence(class).then_some(shows),
        "replaceAll" => return Some(Contents { computes: true, ..shows }),
        "addAll" | "putAll" => return Some(Contents { copies: ARGS, ..some }),
        "toArray" | "copyInto" => return Some(Contents { spills: true, ..some }),
        _ => {}
    }
    let gives = |part| Some(Contents { gives: Some(part), ..some });
    let iterates = |part| Some(Contents { iterates: Some(part), ..some });
    if is_map(class) {
        let values = Contents { gives: Some(Part::Values), ..some };
        let computes = Contents { shows: true, computes: true, ..values };
        return match name {
            "put" | "putIfAbsent" | "putFirst" | "putLast" => {
                Some(Contents { puts: [2, 4], ..values })
            }
            // The previous value is compared.
            "replace" => Some(Contents { puts: [2, 4 | 8], shows: true, ..values }),
            "getOrDefault" => Some(Contents { puts: [NONE, 4], ..values }),
            "get" => Some(values),
            // Of a key, or of a key and a value.
            "remove" => {
                Some(Contents { shows: descriptor.starts_with("(Ljava/lang/Object;L"), ..values })
            }
            "compute" | "computeIfAbsent" | "computeIfPresent" => {
                Some(Contents { puts: [2, NONE], ..computes })
            }
            "merge" => Some(Contents { puts: [2, 4], ..computes }),
            "firstKey" | "lastKey" => gives(Part::Keys),
            "keys" => iterates(Part::Keys),
            "elements" => iterates(Part::Values),
            "keySet" | "navigableKeySet" | "values" | "entrySet" => {
                Some(Contents { views: true, ..some })
            }
            _ => None,
        };
    }
    match name {
        "add" | "addElement" | "addFirst" | "addLast" | "insertElementAt" | "offer"
        | "offerFirst" | "offerLast" | "push" | "set" | "setElementAt" => {
            Some(Contents { puts: [NONE, ARGS], gives: Some(Part::Values), ..some })
        }
        "element" | "elementAt" | "first" | "firstElement" | "get" | "getFirst" | "getLast"
        | "last" | "lastElement" | "next" | "nextElement" | "peek" | "peekFirst" | "peekLast"
        | "poll" | "pollFirst" | "pollLast" | "pop" | "previous" | "removeFirst" | "removeLast" => {
            gives(Part::Values)
        }
        "remove" => {
            let shows = descriptor.starts_with("(L");
            Some(Contents { shows, gives: Some(Part::Values), ..some })
        }
        "iterator" | "listIterator" | "descendingIterator" | "elements" => iterates(Part::Values),
        _ => None,
    }
}

/// Whether a type is one of the JDK's maps.
pub fn is_map(class: &str) -> bool {
    let name = class.strip_prefix("java/util/").unwrap_or_default();
    name == "Dictionary" || name == "Hashtable" || name.ends_with("Map")
}

/// Whether nothing is compared when a collection that a program makes with `new` gets or gives an
/// element.
pub fn is_sequence(class: &str) -> bool {
    class.strip_prefix("java/util/").is_some_and(|name| SEQUENCES.contains(&name))
}

/// Arguments, receiver first, on which a method calls only `hashCode`, `toString` or the like and
/// which it passes to no other code, as bits. The others may be passed to methods of the program
/// that it calls. `None` if more may happen.
pub fn looks(class: &str, name: &str) -> Option<u64> {
    match (class, name) {
        ("java/lang/Object" | "java/util/Objects", "hashCode" | "toString") => Some(ALL),
        ("java/lang/Object" | "java/util/Objects", "equals") => Some(NONE),
        ("java/lang/Object", "getClass" | "notify" | "notifyAll" | "wait") => Some(ALL),
        ("java/util/Objects", "isNull" | "nonNull") => Some(ALL),
        ("java/util/Objects", "requireNonNull") => Some(1),
        ("java/lang/String", "valueOf") => Some(ALL),
        ("java/lang/StringBuilder" | "java/lang/StringBuffer", "append" | "insert") => Some(ALL),
        ("java/io/PrintStream" | "java/io/PrintWriter", "print" | "println") => Some(ALL),
        ("java/util/Collections", "disjoint") => Some(ALL),
        (
            "java/util/Collections",
            "binarySearch" | "reverse" | "rotate" | "shuffle" | "sort" | "swap",
        ) => Some(1),
        _ => None,
    }
}

const LISTS: u8 = 1;
const KEYS: u8 = 2;
const PARTS: u8 = 4;
/// Operations on all elements of another collection or map.
pub const BULK: u8 = 8;

/// Methods that JDK methods call on the same object, by groups. A program that overrides one of
/// them influences what the others return and keep.
pub fn asked(name: &str) -> u8 {
    match name {
        "listIterator" => LISTS,
        "navigableKeySet" | "descendingKeySet" | "sequencedKeySet" | "sequencedValues"
        | "sequencedEntrySet" => KEYS,
        "descendingMap" => KEYS | PARTS,
        "subList" | "headSet" | "tailSet" | "subSet" | "headMap" | "tailMap" | "subMap"
        | "descendingSet" => PARTS,
        "addAll" | "addAllAbsent" | "putAll" | "containsAll" | "removeAll" | "retainAll" => BULK,
        _ => 0,
    }
}

/// The groups of [`asked`] that a method of the JDK may call before it returns or keeps an object.
pub fn asks(name: &str, descriptor: &str) -> u8 {
    match name {
        "iterator" => LISTS,
        "keySet" | "values" | "entrySet" => KEYS,
        // A constructor that copies.
        "<init>" if descriptor.contains("Ljava/util/") => BULK,
        // `AbstractSet.equals` asks whether it contains all.
        "equals" => BULK,
        _ => asked(name),
    }
}

/// Collections that only move references when one element is added, read or removed.
const SEQUENCES: &[&str] = &[
    "ArrayDeque",
    "ArrayList",
    "Deque",
    "LinkedList",
    "List",
    "Stack",
    "Vector",
    "concurrent/ConcurrentLinkedDeque",
    "concurrent/ConcurrentLinkedQueue",
    "concurrent/CopyOnWriteArrayList",
    "concurrent/LinkedBlockingDeque",
    "concurrent/LinkedBlockingQueue",
];

/// Whether a method of a collection or an iterator of the JDK runs no code of the program: no
/// `equals`, `hashCode`, `compareTo` or `toString` of elements, no comparator.
pub fn is_quiet(class: &str, name: &str, descriptor: &str) -> bool {
    if name == "<init>" {
        return !descriptor.contains(['L', '[']);
    }
    let plain = matches!(
        name,
        "clear"
            | "descendingIterator"
            | "elements"
            | "entrySet"
            | "hasMoreElements"
            | "hasNext"
            | "hasPrevious"
            | "isEmpty"
            | "iterator"
            | "keySet"
            | "keys"
            | "listIterator"
            | "next"
            | "nextElement"
            | "nextIndex"
            | "previous"
            | "previousIndex"
            | "size"
            | "values"
    );
    let sequence = is_sequence(class);
    let one = match name {
        "remove" => descriptor.starts_with("(I)") || descriptor.starts_with("()"),
        "add" | "addElement" | "addFirst" | "addLast" | "capacity" | "element" | "elementAt"
        | "ensureCapacity" | "firstElement" | "get" | "getFirst" | "getLast"
        | "insertElementAt" | "lastElement" | "offer" | "offerFirst" | "offerLast" | "peek"
        | "peekFirst" | "peekLast" | "poll" | "pollFirst" | "pollLast" | "pop" | "push"
        | "removeAllElements" | "removeElementAt" | "removeFirst" | "removeLast" | "set"
        | "setElementAt" | "trimToSize" => true,
        _ => false,
    };
    plain || sequence && one
}

/// Arguments of everything are kept.
pub const KEEPS_ALL: u64 = ALL;
