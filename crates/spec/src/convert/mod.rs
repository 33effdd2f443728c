//! Properties in another language, with the same verdicts.
//!
//! [`to_ww`] writes a model in Watchword's own language, whatever language it was read from: what is
//! written is what is checked. [`to_topl`] goes the other way for properties with registers
//! over calls and returns; what has no counterpart is refused with its place.

mod code;
mod java_words;
mod source;
mod to_lrv;
mod to_topl;
mod to_ww;
mod used;
mod words;

pub use to_lrv::to_lrv;
pub use to_topl::to_topl;
pub use to_ww::{to_ww, to_ww_of_used};
