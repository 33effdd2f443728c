//! Watchword's agent inside a JVM.

#![allow(unsafe_code)]

pub mod vm;
