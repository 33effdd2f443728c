//! Maps and sets of small keys that are not hostile: numbers that the analyses assign.

pub use rustc_hash::{FxHashMap as FastMap, FxHashSet as FastSet};
