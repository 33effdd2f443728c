//! The engine inside an operator of Apache Flink.
//!
//! `integrations/flink` has the Java side: a source that reads traces, an operator that has the shards, and
//! a job that connects them. This library does what they cannot do in Java:
//!
//! * [`Source`] reads the bytes of one trace into events, and divides the events among shards by the
//!   routing plan;
//! * [`Shard`] is an engine with the events that wait for the watermark; it steps them in the order of
//!   their times, reports violations as lines of JSON, and can be saved and restored;
//! * [`Job`] is what both know: the properties, and how traces are read.
//!
//! The library is loaded by the JVM of a task manager. Use it from Java; the Rust interface is for tests.
//!
//! ```
//! use watchword_flink::{Job, Shard, Source};
//! use watchword_spec::{SourceFile, load};
//! use watchword_wire::{Bundle, Settings};
//!
//! let text = "
//!     event open(id)
//!     property Once(id) {
//!       start state New { on open(id) -> Open }
//!       state Open { on open(id) -> Twice }
//!       bad state Twice
//!     }";
//! let loaded = load(&[SourceFile::new("once.ww", text)], &|_, path| Err(format!("no {path}")));
//! let model = loaded.model.expect("the file has no errors");
//! let bundle = Bundle { model, settings: Settings::default() }.to_bytes()?;
//! let job = Job::open(&bundle, "shards=2", &["a.jsonl"])?;
//!
//! let trace = r#"{"event":"open","args":[7],"time":1}
//! {"event":"open","args":[7],"time":2}"#;
//! let mut source = Source::new(&job, 0, None)?;
//! source.feed(trace.as_bytes(), true, false)?;
//!
//! let mut found = String::new();
//! for number in 0..2 {
//!     let mut shard = Shard::new(&job, number);
//!     shard.add(&source.take(number))?;
//!     found += &shard.end();
//! }
//! assert_eq!(found.lines().count(), 1);
//! assert!(found.contains(r#""property":"Once""#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Safety
//!
//! Unsafe code is only in `java`, the functions that the JVM calls. They catch panics and turn errors into
//! exceptions.

mod java;
mod job;
mod shard;
mod source;
mod verdict;

pub use job::{Job, JobError};
pub use shard::Shard;
pub use source::Source;
