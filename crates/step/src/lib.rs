//! Executes one step of a compiled automaton, in memory that the caller owns.
//!
//! This crate is the only interpreter of compiled properties. The engine links it, and so does the
//! agent inside a native program, which has no heap and no standard library. Therefore the crate is
//! `no_std`, allocates nothing and has no dependencies. It never panics on a malformed table: an
//! index that is out of range makes the guard or update *not relevant*.
//!
//! * [`Word`] is a value: a tag and 64 bits. Texts, lists and maps are handles of the [`Host`].
//! * [`Program`] is an automaton as flat tables. For every state and kind of event it has the moves
//!   to try; for every move its labels, as lists of tests; and guards and updates, as code of a small
//!   stack machine.
//! * [`step()`] takes the first enabled move of an ordered automaton. [`match_label`] and
//!   [`run_branch`] are its two parts, for automata with registers and look-ahead.
//!
//! The caller decides where a configuration is stored and which configurations an event concerns,
//! and handles timers and reports.
//!
//! # Example
//!
//! The automaton has one variable, `n`. Its first move needs `n < 2`, adds 1 to `n` and stays. Its
//! second move needs an argument below 10 and leads to the other state. Of three events, two take
//! the first move and the last one takes the second.
//!
//! ```
//! use watchword_step::*;
//! # struct NoHeap;
//! # impl Host for NoHeap {
//! #     fn same(&self, _: Word, _: Word) -> bool { false }
//! #     fn order(&self, _: Word, _: Word) -> std::cmp::Ordering { std::cmp::Ordering::Equal }
//! #     fn fits(&self, _: Word) -> bool { true }
//! #     fn concat(&mut self, _: Word, _: Word) -> Option<Word> { None }
//! #     fn now(&self) -> i64 { 0 }
//! #     fn builtin(&mut self, _: Builtin, _: &[Word]) -> Option<Word> { None }
//! #     fn list(&mut self, _: &[Word]) -> Option<Word> { None }
//! #     fn map(&mut self, _: &[Word]) -> Option<Word> { None }
//! #     fn walk(&mut self, _: Word) -> Option<Word> { None }
//! #     fn element(&mut self, _: Word, _: usize) -> Option<Word> { None }
//! #     fn output(&mut self, _: Output<'_>) {}
//! #     fn outputs(&self) -> usize { 0 }
//! #     fn discard(&mut self, _: usize) {}
//! # }
//!
//! let program = Program {
//!     states: &[StateRow { entry: NONE }, StateRow { entry: NONE }],
//!     kinds: 1,
//!     rows: &[Range { start: 0, end: 2 }, Range { start: 2, end: 2 }],
//!     order: &[0, 1],
//!     moves: &[
//!         Move { labels: Range { start: 0, end: 1 }, then: 0, otherwise: NONE, keep: false },
//!         Move { labels: Range { start: 1, end: 2 }, then: 1, otherwise: NONE, keep: false },
//!     ],
//!     labels: &[
//!         LabelRow { kind: 0, least: 1, most: 1, tests: Range::default(), early: Range::default(),
//!                    late: Range::default(), guard: 0, impure: false },
//!         LabelRow { kind: 0, least: 1, most: 1, tests: Range::default(), early: Range::default(),
//!                    late: Range::default(), guard: 9, impure: false },
//!     ],
//!     tests: &[],
//!     binds: &[],
//!     branches: &[
//!         BranchRow { update: 4, target: Target::Stay },
//!         BranchRow { update: NONE, target: Target::State(1) },
//!     ],
//!     code: &[
//!         Op::Var(0), Op::Constant(0), Op::Binary(Binary::Lt), Op::Halt,           // n < 2
//!         Op::Var(0), Op::Constant(1), Op::Binary(Binary::Add), Op::SetVar(0, Kind::Any),
//!         Op::Halt,                                                                // n += 1
//!         Op::Arg(0), Op::Constant(2), Op::Binary(Binary::Lt), Op::Halt,           // arg < 10
//!     ],
//!     constants: &[Word::int(2), Word::int(1), Word::int(10)],
//!     functions: &[],
//!     windows: &[],
//!     entering: &[],
//!     locals: 0,
//! };
//! let (mut vars, mut stack, mut saved) = ([Word::int(0)], [Word::UNSET; 8], [Word::UNSET; 1]);
//! let mut left = 0;
//! for arg in [5, 6, 7] {
//!     let args = [Word::int(arg)];
//!     let mut frame = Frame {
//!         params: &[], vars: &mut vars, registers: &mut [], args: &args, stack: &mut stack,
//!     };
//!     let (tried, _) = step(&program, 0, 0, 1, &mut frame, &mut saved, &mut NoHeap);
//!     let Tried::Taken(taken) = tried else { panic!("one of them is enabled") };
//!     left += i32::from(taken.target == Target::State(1));
//! }
//! assert_eq!((vars[0], left), (Word::int(2), 1));
//! ```

#![no_std]

mod host;
mod machine;
mod operators;
mod program;
mod vm;
mod word;

pub use host::*;
pub use machine::*;
pub use operators::*;
pub use program::*;
pub use vm::*;
pub use word::*;

#[cfg(test)]
extern crate std;
