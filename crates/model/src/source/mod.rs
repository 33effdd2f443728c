//! Where events come from: program points of a JVM or a native program, records of a log.

mod jvm;
mod log;
mod native;
mod native_point;
mod point;

pub use jvm::*;
pub use log::*;
pub use native::*;
pub use native_point::*;
pub use point::*;

/// One source of an event.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a model has few sources, and reads them once")]
pub enum Source {
    /// A program point in a JVM.
    Jvm(JvmSource),
    /// A program point or a variable of a native program.
    Native(NativeSource),
    /// A record or a line of a log.
    Log(LogSource),
}

/// Which parameter of the event gets which term of the source.
#[derive(Clone, Debug)]
pub struct Capture<T> {
    /// Index into the event's parameters.
    pub param: usize,
    /// What it is.
    pub term: T,
}
