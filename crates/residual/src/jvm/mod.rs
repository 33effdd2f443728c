//! JVM programs: sites by selectors, bytecode as bodies, calls, the JDK.

mod bits;
mod dispatch;
mod handles;
mod hooks;
mod indirect;
mod interner;
pub mod jdk;
pub mod lower;
pub mod methods;
pub mod points;
pub mod program;
pub mod property;
mod reflected;
mod runs;
pub mod select;
pub mod types;
