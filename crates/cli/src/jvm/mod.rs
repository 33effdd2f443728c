//! JVM programs under monitors: the agent, its bundle, the records that come back.

pub mod ahead;
pub mod archive;
pub mod arguments;
pub mod attach;
pub mod build;
pub mod flags;
pub mod forked;
pub mod java;
pub mod library;
pub mod records;
pub mod run;

/// Programs that start the programs one means: `main class and arguments`.
pub const LAUNCHERS: [&str; 4] = [
    "org.codehaus.plexus.classworlds.launcher.Launcher*",
    "org.apache.maven.wrapper.*",
    "org.gradle.*",
    "org.apache.tools.ant.launch.Launcher*",
];
