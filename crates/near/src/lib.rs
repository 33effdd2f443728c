//! Asks the processor for memory that will be looked at soon.
//!
//! One instruction, which the standard library does not offer yet, in a crate of its own: whoever
//! uses it stays free of `unsafe`.

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
