//! Native methods of the JDK that call code of the agent instead, which calls theirs.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::agent::{self, guarded};
use crate::vm::{MethodId, Object};
use crate::{hidden, order};

/// All of them.
static ALL: [&Wrapped; 2] = [&order::ANNOUNCEMENT, &hidden::DEFINITION];

/// A native method, and what the VM is to call instead.
pub struct Wrapped {
    /// The descriptor of its class.
    class: &'static str,
    name: &'static str,
    instead: *const c_void,
    /// Its own code; null until it is called for the first time.
    code: AtomicPtr<c_void>,
}

// SAFETY: `instead` is the address of a function, which is never written.
unsafe impl Sync for Wrapped {}

impl Wrapped {
    /// A method, by the descriptor of its class and its name, and a function that takes what it does.
    pub const fn new(class: &'static str, name: &'static str, instead: *const c_void) -> Wrapped {
        Wrapped { class, name, instead, code: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// The code of the method itself; the VM does not call the other before it is known.
    ///
    /// # Safety
    /// `F` must be the type of a function that takes and returns what the method does.
    pub unsafe fn original<F: Copy>(&self) -> Option<F> {
        let code = self.code.load(Ordering::SeqCst);
        debug_assert_eq!(size_of::<F>(), size_of::<usize>());
        // SAFETY: the VM gave this address as the code of the method; `F` is as wide as an address.
        (!code.is_null()).then(|| unsafe { std::mem::transmute_copy::<*mut c_void, F>(&code) })
    }
}

/// A native method gets its code.
pub extern "system" fn native_bind(
    _tools: *mut c_void,
    _jni: *mut c_void,
    _thread: Object,
    method: MethodId,
    code: *mut c_void,
    new_code: *mut *mut c_void,
) {
    let Some(agent) = agent::get() else { return };
    guarded(|| {
        let tools = agent.tools;
        let Ok(name) = tools.method_name(method) else { return };
        let Some(wrapped) = ALL.iter().find(|wrapped| wrapped.name == name) else { return };
        let class = tools.method_class(method).and_then(|class| tools.class_signature(class));
        if class.is_ok_and(|class| class == wrapped.class) {
            wrapped.code.store(code, Ordering::SeqCst);
            // SAFETY: an out-parameter of the VM.
            unsafe { *new_code = wrapped.instead.cast_mut() };
        }
    });
}
