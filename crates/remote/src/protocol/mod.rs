//! The protocol without a program: bytes, packets, numbers, the description of registers. Nothing
//! here does input or output.

pub mod command;
pub mod frame;
pub mod hex;
pub mod layout;
pub mod signal;
