//! Real debuggers at real programs, and hostile ones.

mod fuzz;
mod gdb;
mod lldb;
mod raw;
mod recordings;
mod support;
