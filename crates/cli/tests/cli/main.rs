//! The command line, run as people run it.
