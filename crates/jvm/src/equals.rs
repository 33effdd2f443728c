//! Objects that are compared by `equals`: one of them stands for all that are equal.
//!
//! Most classes do not say what is equal; their objects are told apart by identity, and nothing
//! has to run. For the others a map in the JVM, from every object that stands for others to itself,
//! is asked: that calls `hashCode` and `equals` of the program, muted, outside of the critical
//! section. The map holds its objects for good, because an equal one may come at any time.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::ids;
use crate::values::Given;
use crate::vm::{Argument, Class, Jni, MethodId, Object};

const UNKNOWN: u8 = 0;
const BY_IDENTITY: u8 = 1;
const BY_EQUALS: u8 = 2;

const EQUALS: (&str, &str) = ("equals", "(Ljava/lang/Object;)Z");
const MAP: &str = "java/util/concurrent/ConcurrentHashMap";
const PUT: (&str, &str) =
    ("putIfAbsent", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");

/// What is known about classes, and the objects that stand for others.
#[derive(Default)]
pub struct Equals {
    /// By the number of a class.
    classes: OnceLock<Box<[AtomicU8]>>,
    map: OnceLock<Map>,
}

/// A map of the JVM.
struct Map {
    object: Object,
    put: MethodId,
}

// SAFETY: a global reference and the number of a method, which are good for all threads; the map is
// one for many threads.
unsafe impl Send for Map {}
// SAFETY: as above.
unsafe impl Sync for Map {}

impl Equals {
    /// Whether objects of this one's class are known to be compared by identity.
    #[inline]
    pub fn is_identity(&self, id: u64) -> bool {
        self.known(id).is_some_and(|class| class.load(Ordering::Relaxed) == BY_IDENTITY)
    }

    /// What is known about the class of an object, if it alone has its number.
    #[inline]
    fn known(&self, id: u64) -> Option<&AtomicU8> {
        let class = ids::class(id);
        let alone = ids::is_held(id) && class + 1 < ids::CLASS_LIMIT;
        self.classes.get()?.get(class).filter(|_| alone)
    }

    /// The identity of the object that stands for one; its own if `equals` throws.
    pub fn of(&self, given: &Given<'_>, object: Object, id: i64) -> i64 {
        let jni = given.jni;
        if object.is_null() || !self.is_by_equals(jni, object, id as u64) {
            return id;
        }
        let Some(map) = self.map(jni) else { return id };
        let arg = Argument { object };
        let first = jni.call_object(map.object, map.put, &[arg, arg]);
        if jni.clear_exception() || first.is_null() {
            return id;
        }
        given.agent.id_of(jni, first)
    }

    fn is_by_equals(&self, jni: Jni, object: Object, id: u64) -> bool {
        self.classes
            .get_or_init(|| (0..ids::CLASS_LIMIT).map(|_| AtomicU8::new(UNKNOWN)).collect());
        let Some(known) = self.known(id) else {
            return says_what_is_equal(jni, jni.class_of(object));
        };
        match known.load(Ordering::Relaxed) {
            UNKNOWN => {
                let by_equals = says_what_is_equal(jni, jni.class_of(object));
                let what = if by_equals { BY_EQUALS } else { BY_IDENTITY };
                known.store(what, Ordering::Relaxed);
                by_equals
            }
            what => what == BY_EQUALS,
        }
    }

    fn map(&self, jni: Jni) -> Option<&Map> {
        if self.map.get().is_none() {
            let class = jni.find_class(MAP);
            let put = jni.method(class, PUT.0, PUT.1);
            let object = jni.new_object(class);
            if jni.clear_exception() || put.is_null() || object.is_null() {
                return None;
            }
            // Another thread may have been first; then this map is garbage.
            let _ = self.map.set(Map { object: jni.global(object), put });
        }
        self.map.get()
    }
}

/// Whether a class, or one above it, has an `equals` of its own. A method that is inherited has one
/// number.
fn says_what_is_equal(jni: Jni, class: Class) -> bool {
    let object = jni.find_class("java/lang/Object");
    let first = jni.method(object, EQUALS.0, EQUALS.1);
    !object.is_null() && jni.method(class, EQUALS.0, EQUALS.1) != first
}
