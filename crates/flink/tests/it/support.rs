//! What all tests here need.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use watchword_model::Model;
use watchword_spec::{SourceFile, load};
use watchword_wire::{Bundle, Settings};

/// Properties of every kind of plan: by a key, by a parent with learnt children, in one shard with a
/// deadline, in one shard with registers.
pub const PROPERTIES: &str = "
event request(id: int)
event reply(id: int)
event create(c: int, i: int)
event update(c: int)
event next(i: int)

property Reply(id) {
  start state Idle { on request(id) -> Waiting }
  pending state Waiting within 5 s else Late { on reply(id) -> Idle }
  bad state Late
}

property Safe(c, i) {
  start state New { on create(c, i) -> Made }
  state Made { on update(c) -> Stale }
  state Stale { on next(i) -> Used }
  bad state Used
}

property Beat {
  start state Up within 40 s else Down { on request(_) -> Up }
  bad state Down { on request(_) -> Up }
}

property Twice {
  start state Clean { on request(?x) => Once }
  state Once { on request(x) -> Again  on reply(x) -> Clean }
  bad state Again
}
";

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn model(text: &str) -> Model {
    let loaded = load(&[SourceFile::new("p.ww", text)], &|_, path| Err(format!("no {path}")));
    let shown = || {
        let shown: Vec<String> =
            loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
        shown.join("\n")
    };
    loaded.model.clone().unwrap_or_else(|| panic!("{}", shown()))
}

pub fn bundle(model: &Model) -> Vec<u8> {
    let settings = Settings::default();
    Bundle { model: model.clone(), settings }.to_bytes().expect("it can be sent")
}

/// A small generator, the same for the same seed everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) % n
    }
}

/// A trace of JSON Lines in which all properties are violated now and then. Times are up to 50 ms out of order,
/// and no two events of traces of the same `part` and `parts` have the same time.
pub fn trace(seed: u64, events: usize, part: u64, parts: u64) -> String {
    let mut random = Random(seed * 2 + 1);
    let mut text = String::new();
    // Nanoseconds; which part it is, is in the lowest digits.
    let mut now: u64 = 1_000_000_000_000;
    for number in 0..events as u64 {
        now += match random.below(2_000) {
            0 => 41_000_000_000,
            _ => 1_000_000 + random.below(4_000_000),
        };
        let time = now - random.below(50_000_000);
        let time = (time / 1_000_000 * 1_000_000) + number % 10_000 * parts + part;
        let id = random.below(400);
        let (c, i) = (random.below(60), number);
        let (event, args) = match random.below(100) {
            0..30 => ("request", format!("{id}")),
            30..75 => ("reply", format!("{id}")),
            75..85 => ("create", format!("{c},{i}")),
            85..88 => ("update", format!("{c}")),
            _ => ("next", format!("{}", i.saturating_sub(random.below(60)))),
        };
        let (whole, rest) = (time / 1_000_000_000, time % 1_000_000_000);
        let _ = writeln!(text, r#"{{"event":"{event}","args":[{args}],"time":{whole}.{rest:09}}}"#);
    }
    text
}
