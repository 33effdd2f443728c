//! Where the VM and the runtime call in. Nothing unwinds into them: every entry is guarded.

use std::ffi::{CStr, c_char, c_void};

use crate::agent::{self, guarded, thread_key};
use crate::homes::Told;
use crate::vm::{Class, Jni, Object, text_at};

/// Defines a class hook: the VM shows it a class file, and it may answer with another. `$wanted` says
/// whether it looks at a class, given the agent and the class that is redefined (null if it is loaded).
macro_rules! class_hook {
    ($(#[$doc:meta])* $name:ident, $wanted:expr) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments, reason = "the signature is the VM's")]
        pub extern "system" fn $name(
            _tools: *mut ::std::ffi::c_void,
            jni: *mut ::std::ffi::c_void,
            redefined: $crate::vm::Class,
            loader: $crate::vm::Object,
            name: *const ::std::ffi::c_char,
            _domain: $crate::vm::Object,
            length: i32,
            data: *const u8,
            new_length: *mut i32,
            new_data: *mut *mut u8,
        ) {
            let wanted: fn(&$crate::agent::Agent, $crate::vm::Class) -> bool = $wanted;
            let Some(agent) = $crate::agent::get().filter(|agent| wanted(agent, redefined)) else {
                return;
            };
            // SAFETY: the arguments are those of the VM.
            unsafe {
                $crate::callbacks::replace_class(
                    jni, name, length, data, new_length, new_data,
                    |jni, name, bytes| agent.transform(jni, redefined, loader, name, bytes),
                );
            }
        }
    };
}
pub(crate) use class_hook;

class_hook!(
    /// The hook of the first environment: see [`order`](crate::order).
    class_hook_at_first,
    |agent, _| !agent.order.follows()
);

/// An event, from a hook.
#[inline]
pub fn event(env: *mut c_void, site: i32, objects: &[Object], ids: &[i64], longs: &[i64]) {
    let Some(agent) = agent::get() else { return };
    // SAFETY: the VM passes the environment of the thread that calls the hook.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.event(jni, site as usize, objects, ids, longs));
}

/// An event with more values than parameters are passed for.
pub fn event_in_arrays(env: *mut c_void, site: i32, objects: Object, longs: Object) {
    let Some(agent) = agent::get() else { return };
    // SAFETY: the VM passes the environment of the thread that calls the hook.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| {
        if agent.monitor.is_inside(thread_key(jni)) {
            return;
        }
        jni.framed(300, || {
            let objects = jni.objects_of(objects);
            let ids: Vec<i64> = objects
                .iter()
                .map(|object| if object.is_null() { 0 } else { agent.id_of(jni, *object) })
                .collect();
            agent.event(jni, site as usize, &objects, &ids, &jni.longs_of(longs));
        });
    });
}

/// A slice whose state is in the objects comes to be reported.
pub fn told(env: *mut c_void, site: i32, told: &Told) {
    let Some(agent) = agent::get() else { return };
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.told(jni, site as usize, told));
}

/// Whether what this thread does is the agent's doing.
pub fn is_inside(env: *mut c_void) -> bool {
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    agent::get().is_some_and(|agent| agent.monitor.is_inside(thread_key(jni)))
}

/// The identity of an object that is gone, for the runtime; 0 if there are no more.
pub fn gone() -> i64 {
    agent::get().and_then(|agent| guarded(|| agent.identities.deaths.next_gone())).unwrap_or(0)
}

/// The heap of the program has no room for what events leave in objects.
pub fn exhausted() {
    let why = "the heap of the program is full, also because monitors keep states in its objects; \
               a larger -Xmx or fewer properties help";
    guarded(|| agent::get().map(|agent| agent.fail(why)));
}

/// The identity of an object that cannot hold one.
pub fn side_id(env: *mut c_void, object: Object) -> i64 {
    let Some(agent) = agent::get() else { return 0 };
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.side_id(jni, object)).unwrap_or(0)
}

/// What the program may see of members or interfaces.
pub fn hide(env: *mut c_void, members: Object) -> Object {
    let Some(agent) = agent::get() else { return members };
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.hide(jni, members)).filter(|array| !array.is_null()).unwrap_or(members)
}

/// The cases that a choice has for objects of a class, as the runtime has them.
pub fn cases(env: *mut c_void, choice: i32, class: Class) -> i32 {
    let Some(agent) = agent::get() else { return 0 };
    // SAFETY: the VM passes the environment of the thread that calls the method.
    let jni = unsafe { Jni::from_raw(env) };
    guarded(|| agent.cases(jni, choice as usize, class)).unwrap_or(0)
}

/// The bits of the identities of a class.
pub fn class_number(_env: *mut c_void, class: Class) -> i64 {
    let Some(agent) = agent::get() else { return 0 };
    guarded(|| agent.number_class(class)).unwrap_or(0)
}

/// Has a class file replaced by what `new` makes of it, if anything.
///
/// # Safety
/// The arguments must be those of a class hook that the VM calls.
pub unsafe fn replace_class(
    jni: *mut c_void,
    name: *const c_char,
    length: i32,
    data: *const u8,
    new_length: *mut i32,
    new_data: *mut *mut u8,
    new: impl FnOnce(Jni, Option<String>, &[u8]) -> Option<Vec<u8>>,
) {
    let Some(agent) = agent::get() else { return };
    guarded(|| {
        // SAFETY: the VM passes the environment of this thread (or null, very early), a name that
        // ends in NUL or null, and a class file of that length.
        let (jni, name, bytes) = unsafe {
            let name = (!name.is_null()).then(|| text_at(name));
            let length = usize::try_from(length).unwrap_or(0);
            (Jni::from_raw(jni), name, std::slice::from_raw_parts(data, length))
        };
        let Some(new) = new(jni, name, bytes) else { return };
        let Ok(length) = i32::try_from(new.len()) else { return };
        if let Ok(memory) = agent.tools.allocate(&new) {
            // SAFETY: out-parameters of the VM, which takes the memory over.
            unsafe {
                *new_length = length;
                *new_data = memory;
            }
        }
    });
}

/// The VM runs.
pub extern "system" fn vm_init(_tools: *mut c_void, jni: *mut c_void, _thread: Object) {
    let Some(agent) = agent::get() else { return };
    guarded(|| {
        // SAFETY: the VM passes the environment of this thread.
        let jni = unsafe { Jni::from_raw(jni) };
        agent.begin(jni);
    });
}

/// The VM ends.
pub extern "system" fn vm_death(_tools: *mut c_void, jni: *mut c_void) {
    let Some(agent) = agent::get() else { return };
    // SAFETY: the VM passes the environment of this thread.
    let jni = unsafe { Jni::from_raw(jni) };
    guarded(|| agent.finish(Some(jni)));
}

/// A thread ends.
pub extern "system" fn thread_end(_tools: *mut c_void, jni: *mut c_void, _thread: Object) {
    let Some(agent) = agent::get() else { return };
    // SAFETY: the VM passes the environment of this thread.
    let jni = unsafe { Jni::from_raw(jni) };
    guarded(|| agent.thread_ends(jni));
}

/// A garbage collection is over. Called while the VM stands still: nothing but a mark is made.
pub extern "system" fn collected(_tools: *mut c_void) {
    if let Some(agent) = agent::get() {
        agent.identities.deaths.collected();
    }
}

/// A tagged object was collected.
pub extern "system" fn freed(_tools: *mut c_void, tag: i64) {
    if let Some(agent) = agent::get() {
        agent.identities.deaths.freed(tag);
    }
}

/// The options the VM passes, as text.
///
/// # Safety
/// `options` must be null or end in NUL.
pub unsafe fn options_text(options: *const c_char) -> String {
    if options.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for it. Options are the bytes of the command line.
    unsafe { CStr::from_ptr(options) }.to_string_lossy().into_owned()
}
