//! Prefetches memory: asks the processor to load a value into its cache without waiting for it.
//!
//! Use [`fetch`] some time before a value is read, while there is other work to do. It never
//! changes a result; on processors other than x86-64 it does nothing. If the value is read directly
//! afterwards, nothing is gained.
//!
//! The crate contains one processor instruction, which the standard library does not offer as a
//! safe function yet. It is a crate of its own so that the crates that use it, such as the engine,
//! need no `unsafe`.
//!
//! ```
//! // Sums values behind references; each is requested four steps before it is read.
//! let values: Vec<Box<u64>> = (0..100).map(Box::new).collect();
//! let mut sum = 0;
//! for (i, value) in values.iter().enumerate() {
//!     if let Some(later) = values.get(i + 4) {
//!         watchword_near::fetch(&**later);
//!     }
//!     sum += **value;
//! }
//! assert_eq!(sum, 4950);
//! ```

#![no_std]

/// Has the memory of a value fetched, and does not wait for it.
#[inline(always)]
pub fn fetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction changes nothing a program can observe and never faults, whatever
        // the address; this one is even valid.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    #[test]
    fn fetching_changes_nothing() {
        let values = [1u64, 2, 3];
        values.iter().for_each(super::fetch);
        assert_eq!(values, [1, 2, 3]);
    }
}
