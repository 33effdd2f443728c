//! JVM programs: sites by selectors, bytecode as bodies, calls, the JDK.

mod bits;
mod handles;
mod hooks;
pub mod jdk;
pub mod lower;
pub mod methods;
pub mod points;
pub mod program;
mod reflected;
mod runs;
pub mod select;
