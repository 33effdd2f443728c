//! The analyses, held against evaluators and programs that run.

mod clarva;
mod fuzz;
mod mini;
mod programs;
mod random;
