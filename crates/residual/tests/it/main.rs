//! The analyses, held against evaluators and programs that run.

mod clarva;
mod date;
mod fuzz;
mod mini;
mod programs;
mod random;
mod spies;
