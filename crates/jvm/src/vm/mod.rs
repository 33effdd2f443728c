//! The two tables of functions a JVM offers to native code, as far as the agent needs them.

mod jni;
mod jvmti;

pub use jni::*;
pub use jvmti::*;

/// Reads the function at `index` of the table an environment points to.
///
/// # Safety
/// `env` must point to a pointer to a table with more than `index` entries, and the entry must be a
/// function of type `F`.
#[inline(always)]
unsafe fn entry<F: Copy>(env: *mut core::ffi::c_void, index: usize) -> F {
    // SAFETY: the caller vouches for the table; `F` is a function pointer, as wide as an entry.
    unsafe {
        let table = *env.cast::<*const usize>();
        let address = *table.add(index);
        debug_assert_eq!(size_of::<F>(), size_of::<usize>());
        std::mem::transmute_copy::<usize, F>(&address)
    }
}

/// The tool environment of a VM.
///
/// # Safety
/// `vm` must be a `JavaVM*`.
pub unsafe fn environment(vm: *mut core::ffi::c_void, version: i32) -> Result<Tools, String> {
    // SAFETY: the caller vouches for the VM; the answer is checked before it is used.
    unsafe {
        let tools = get_env(vm, version)
            .ok_or("the VM does not offer the JVM Tool Interface of JDK 9 or later")?;
        Ok(Tools::from_raw(tools))
    }
}

/// The environment of the current thread, which must be attached.
///
/// # Safety
/// `vm` must be a `JavaVM*`.
pub unsafe fn jni(vm: *mut core::ffi::c_void) -> Result<Jni, String> {
    /// JNI 1.8; every VM that has JVMTI 9 has it.
    const JNI_VERSION: i32 = 0x0001_0008;
    // SAFETY: as above.
    unsafe {
        let env = get_env(vm, JNI_VERSION).ok_or("the thread is not attached to the VM")?;
        Ok(Jni::from_raw(env))
    }
}

/// `GetEnv`, the seventh entry of the invocation interface.
///
/// # Safety
/// `vm` must be a `JavaVM*`.
unsafe fn get_env(vm: *mut core::ffi::c_void, version: i32) -> Option<*mut core::ffi::c_void> {
    type GetEnv =
        extern "system" fn(*mut core::ffi::c_void, *mut *mut core::ffi::c_void, i32) -> i32;
    let mut env = std::ptr::null_mut();
    // SAFETY: three reserved entries, then DestroyJavaVM, AttachCurrentThread,
    // DetachCurrentThread, GetEnv: fixed since JDK 1.2.
    let code = unsafe { entry::<GetEnv>(vm, 6)(vm, &mut env, version) };
    (code == 0 && !env.is_null()).then_some(env)
}
