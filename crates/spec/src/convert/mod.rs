//! Properties in another language, with the same verdicts.
//!
//! [`to_ww`] writes what both dialects of TOPL mean in Watchword's own language, from the model:
//! what is written is what is checked. [`to_topl`] goes the other way for properties with registers
//! over calls and returns; what has no counterpart is refused with its place.

mod to_topl;
mod to_ww;

pub use to_topl::to_topl;
pub use to_ww::to_ww;
