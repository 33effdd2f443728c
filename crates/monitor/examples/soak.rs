//! One long run: 10^8 events, or as many as the argument says. The memory must stay the same, and every
//! time limit must expire at its nanosecond, at the end as at the beginning.
//!
//! `cargo run --release -p watchword-monitor --example soak`

use std::time::Instant;

use watchword_model::{EventId, EventRef, Model, Time, ValueRef};
use watchword_monitor::{Engine, Options};
use watchword_spec::{SourceFile, load};

/// Requests are numbered, so that the number of one says when it was made. Objects are new ones all
/// the time; users are always the same.
const TEXT: &str = "
event request(id: int)
event reply(id: int)
event failed(u: int)
event pay(u: int, amount: int)
event login(u: int, ip: int)
event create(c: int, i: int)
event update(c: int)
event next(i: int)
event gone(c: int)

property Reply(id) {
  start state Idle { on request(id) -> Waiting }
  state Waiting within 5 s else Late { on reply(id) -> drop }
  bad state Late within 1 s else drop
}
property Lockout(u) {
  window fails = count failed(u) within 1 min
  start state Ok { on failed(u) if fails > 1000000 -> Locked }
  bad state Locked
}
property Spent(u) {
  window spent = sum pay(u, ?amount) of amount within 1 min
  start state Ok { on pay(u, _) if spent < 0 -> Wrong }
  bad state Wrong
}
property Places(u) {
  var seen: map = {}
  start state Ok {
    on login(u, ?ip) if contains(seen, ip) { seen = remove(seen, ip) }
    on login(u, ?ip) if len(seen) > 20 -> Many
    on login(u, ?ip) { seen[ip] = now }
  }
  bad state Many
}
property Modified(c, i) {
  creation create
  ends c on gone(c)
  never create next* update+ next
}
property Paid(u) { ltl always (pay implies once within 1 d login or failed or pay) }
";

const USERS: u64 = 100_000;
const SECOND: Time = 1_000_000_000;
/// Between two events.
const STEP: Time = 100_000;
/// Every so many requests, one is not replied to.
const LATE: u64 = 97;
const KINDS: [&str; 9] =
    ["request", "reply", "failed", "pay", "login", "create", "update", "next", "gone"];

/// The memory of this process, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

fn model() -> Model {
    let loaded = load(&[SourceFile::new("soak.ww", TEXT)], &|_, path| Err(format!("no {path}")));
    loaded.model.expect("the text has no errors")
}

/// The events, without end.
struct Source {
    kinds: [EventId; 9],
    random: u64,
    number: u64,
    /// Requests so far; each number is that of the event.
    open: std::collections::VecDeque<u64>,
    requests: u64,
}

impl Source {
    fn below(&mut self, bound: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) % bound
    }

    /// The kind and the arguments of the next event, and when it happens.
    fn next(&mut self) -> (EventId, [i64; 2], usize, Time) {
        self.number += 1;
        let number = self.number;
        // Eight events of an object and its two iterators, among those of users and requests.
        let object = (number / 64) as i64;
        let (kind, args, count) = match number % 16 {
            0 | 4 => {
                self.requests += 1;
                if !self.requests.is_multiple_of(LATE) {
                    self.open.push_back(number);
                }
                (0, [number as i64, 0], 1)
            }
            2 | 6 if self.open.len() > 100 => {
                (1, [self.open.pop_front().unwrap_or(0) as i64, 0], 1)
            }
            1 | 5 | 9 => (2, [self.below(USERS) as i64, 0], 1),
            3 | 7 => (3, [self.below(USERS) as i64, 1 + self.below(100) as i64], 2),
            8 => (4, [self.below(1000) as i64, self.below(20) as i64], 2),
            10 => (5, [object, number as i64 / 16], 2),
            11 | 12 => (7, [number as i64 / 16, 0], 1),
            13 => (6, [object, 0], 1),
            14 if number % 64 == 62 => (8, [object, 0], 1),
            _ => (7, [number as i64 / 16, 0], 1),
        };
        // What would be used after a change is used no more.
        let kind = if kind == 7 && number % 16 > 13 { 6 } else { kind };
        let args = if kind == 6 { [object, 0] } else { args };
        (self.kinds[kind], args, count, number as Time * STEP)
    }
}

fn main() {
    let all: u64 = std::env::args().nth(1).map_or(100_000_000, |n| n.parse().expect("a number"));
    let model = model();
    let kinds = KINDS.map(|name| model.event(name).expect("it is declared"));
    let mut source = Source {
        kinds,
        random: 88_172_645_463_325_252,
        number: 0,
        open: Default::default(),
        requests: 0,
    };
    let mut engine = Engine::new(&model, Options::default());
    let mut late = 0u64;
    // The most in the first half: instances are forgotten now and then, many at once.
    let mut most = (0, 0);
    let part = (all / 20).max(1);
    // Before, windows of a minute and all users are not there.
    let is_long = all as Time * STEP > 600 * SECOND;
    println!("| events | ns per event | MiB | instances | late |\n|---|---|---|---|---|");
    let mut clock = Instant::now();
    while source.number < all {
        let (kind, args, count, time) = source.next();
        let args = args.map(ValueRef::Int);
        let event =
            EventRef { kind, args: &args[..count], time: Some(time), thread: None, location: None };
        engine.step_soon(&event).expect("time goes on");
        if source.number.is_multiple_of(1000) {
            for report in engine.take_reports() {
                assert_eq!(model.properties[report.property.index()].name, "Reply", "{report:?}");
                let request: Time = report.binding[0].1.to_string().parse().expect("a number");
                assert_eq!(report.time, Some(request * STEP + 5 * SECOND), "late when it was due");
                late += 1;
            }
        }
        if source.number.is_multiple_of(part) {
            let each = clock.elapsed().as_nanos() as f64 / part as f64;
            let (mib, instances) = (resident() / 1024, engine.instances());
            println!("| {} | {each:.0} | {mib} | {instances} | {late} |", source.number);
            if source.number <= all / 2 {
                most = (mib.max(most.0), instances.max(most.1));
            } else if is_long {
                assert!(mib <= most.0 + most.0 / 5 + 16, "memory grows from {} MiB", most.0);
                assert!(instances <= most.1 + most.1 / 4, "instances multiply");
            }
            clock = Instant::now();
        }
    }
    engine.end();
    assert!(engine.limits().is_empty(), "{:?}", engine.limits());
    // Those whose time is not over yet are not counted.
    let over = source.requests.saturating_sub(2 * (6 * SECOND / STEP) as u64 / 16) / LATE;
    assert!(late >= over, "{late} of at least {over} late requests were found");
}
