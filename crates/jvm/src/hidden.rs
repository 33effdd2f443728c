//! Hidden classes that a program defines (`Lookup.defineHiddenClass`).
//!
//! The VM shows class files of hidden classes to no agent, so the native method that defines them is
//! wrapped. Classes that the JDK makes for lambdas, switches and method handles pass through it, too; they
//! are left alone, because what they call is woven where it was written.

use std::ffi::c_void;

use crate::agent::{self, guarded};
use crate::vm::{Class, Jni, Object};
use crate::wrapped::Wrapped;

/// The native method of the JDK that defines hidden classes.
pub static DEFINITION: Wrapped =
    Wrapped::new("Ljava/lang/ClassLoader;", "defineClass0", define as *const c_void);

/// The flag of a class that is hidden.
const HIDDEN: i32 = 2;

/// Names of classes of the JDK's own making have this in them.
const OF_THE_JDK: [&str; 4] = ["$$Lambda", "$$TypeSwitch", "InjectedInvoker", "java/lang/invoke/"];

/// Whether a class, by its internal name, is one that the JDK makes.
pub fn is_of_the_jdk(name: &str) -> bool {
    OF_THE_JDK.iter().any(|part| name.contains(part))
}

type Define = extern "system" fn(
    *mut c_void,
    Class,
    Object,
    Class,
    Object,
    Object,
    i32,
    i32,
    Object,
    u8,
    i32,
    Object,
) -> Class;

/// In place of that method.
#[allow(clippy::too_many_arguments, reason = "what the method takes")]
extern "system" fn define(
    env: *mut c_void,
    this: Class,
    loader: Object,
    lookup: Class,
    name: Object,
    bytes: Object,
    offset: i32,
    length: i32,
    domain: Object,
    initialise: u8,
    flags: i32,
    data: Object,
) -> Class {
    // SAFETY: the method takes these.
    let Some(original) = (unsafe { DEFINITION.original::<Define>() }) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the VM passes the environment of this thread.
    let jni = unsafe { Jni::from_raw(env) };
    let given = || {
        let agent = agent::get().filter(|_| flags & HIDDEN != 0 && !bytes.is_null())?;
        let all = jni.bytes_of(bytes);
        let start = usize::try_from(offset).ok()?;
        let file = all.get(start..start.checked_add(usize::try_from(length).ok()?)?)?;
        let woven = agent.transform_hidden(jni, loader, file)?;
        let length = i32::try_from(woven.len()).ok()?;
        let array = jni.new_bytes(&woven);
        (!jni.clear_exception() && !array.is_null()).then_some((array, length))
    };
    let (bytes, offset, length) = match guarded(given).flatten() {
        Some((array, length)) => (array, 0, length),
        None => (bytes, offset, length),
    };
    original(
        env, this, loader, lookup, name, bytes, offset, length, domain, initialise, flags, data,
    )
}
