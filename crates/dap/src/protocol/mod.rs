//! The protocol itself: frames and messages. No input or output.

pub mod base64;
pub mod frame;
pub mod message;
