//! The `watchword` command.
fn main() {}
