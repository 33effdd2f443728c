//! JVM programs under monitors: the agent, its bundle, the records that come back.

pub mod ahead;
pub mod archive;
pub mod arguments;
pub mod attach;
pub mod flags;
pub mod library;
pub mod run;
