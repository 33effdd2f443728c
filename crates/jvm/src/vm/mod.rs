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
