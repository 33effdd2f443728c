//! What reading, stepping and weaving cost, in instructions, allocations and instances visited; and how
//! large the code is that runs in a JVM at every event. `bench/budgets.toml` has the budgets. What
//! events cost there in native calls, locks and objects, the tests of `jvm` count.
//!
//! Instructions are counted by callgrind, allocations by memcheck. A workload is run with few rounds and with more, in a
//! process of its own, so that what starting costs falls out of the difference. This program is both
//! the one that measures and, with `WATCHWORD_WORKLOAD=NAME:ROUNDS`, the one that is measured.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use watchword_cases::budgets::Budgets;
use watchword_classfile::source::MemoryClasses;
use watchword_classfile::{ClassFile, access};
use watchword_model::{EventRef, Glob, Model, Time};
use watchword_monitor::{Engine, Options};
use watchword_spec::{SourceFile, load};
use watchword_trace::emit::Sink;
use watchword_trace::error::Flaw;
use watchword_trace::{BadLines, Format, Reader};
use watchword_weave::{Numbers, Outcome, Scope, SourceHierarchy, Weaver, runtime};

/// A workload: its name, what one unit of it and several are called, how many of them a round has, and the
/// rounds.
struct Workload {
    name: &'static str,
    unit: &'static str,
    many: &'static str,
    units: u64,
    run: fn(rounds: usize),
}

const WORKLOADS: [Workload; 6] = [
    Workload {
        name: "engine, one key",
        unit: "event",
        many: "events",
        units: EVENTS as u64,
        run: step_one_key,
    },
    Workload {
        name: "engine, registers",
        unit: "event",
        many: "events",
        units: EVENTS as u64,
        run: step_registers,
    },
    Workload {
        name: "JSON Lines",
        unit: "record",
        many: "records",
        units: EVENTS as u64,
        run: read_json,
    },
    Workload { name: "CSV", unit: "record", many: "records", units: EVENTS as u64, run: read_csv },
    Workload {
        name: "text log",
        unit: "line",
        many: "lines",
        units: EVENTS as u64,
        run: read_text,
    },
    Workload { name: "weaver", unit: "class", many: "classes", units: CLASSES as u64, run: weave },
];

const EVENTS: usize = 1_000;
const CLASSES: usize = runtime::BASE.len();
/// How often a workload is run at first, and how often then.
const ROUNDS: [usize; 2] = [1, 5];
/// Compilers differ a little from version to version.
const TOLERANCE: u64 = 5;

const FILES: &str = "\
event open(f) = log /^open (?<f>\\d+)$/
event use(f) = log /^use (?<f>\\d+)$/
event close(f) = log /^close (?<f>\\d+)$/
property Closed(f) {
  start state New { on open(f) -> Open }
  state Open { on close(f) -> Closed }
  state Closed {
    on open(f) -> Open
    on use(f) -> Bad
  }
  bad state Bad
}
";

const PAIRS: &str = "\
event open(f)
event use(f)
event close(f)
property Closed {
  start state Any { on open(?f) => Open }
  state Open { on close(f) -> Closed }
  state Closed { on use(f) -> Bad }
  bad state Bad
}
";

fn model(text: &str) -> Model {
    let loaded = load(&[SourceFile::new("budgets.ww", text)], &|_, path| Err(path.to_owned()));
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// What happens to 100 files: most of it is use.
fn happenings() -> Vec<(&'static str, usize)> {
    let mut open = [false; 100];
    let mut random = 7u64;
    let mut happen = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (file, what) = ((random >> 33) as usize % open.len(), (random >> 20) % 8);
        let name = match (open[file], what) {
            (false, _) => "open",
            (true, 0) => "close",
            (true, _) => "use",
        };
        open[file] = name != "close";
        (name, file)
    };
    (0..EVENTS).map(|_| happen()).collect()
}

struct Counted(u64);

impl Sink for Counted {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.0 += black_box(event).args.len() as u64;
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        Ok(())
    }
}

struct Stepped<'e>(&'e mut Engine);

impl Sink for Stepped<'_> {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.0.step(event).expect("events have no times");
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        Ok(())
    }
}

fn csv() -> String {
    let mut text = String::from("event,f\n");
    happenings().iter().for_each(|(name, file)| writeln!(text, "{name},{file}").unwrap());
    text
}

fn read(text: &str, format: Format, rounds: usize) {
    let mut reader = Reader::new(&model(FILES), BadLines::Refuse).unwrap();
    let mut counted = Counted(0);
    for _ in 0..rounds {
        reader.read("budgets", text.as_bytes(), Some(format), &mut counted, |_, _| {}).unwrap();
    }
    assert_eq!(counted.0, (rounds * EVENTS) as u64);
}

fn read_json(rounds: usize) {
    let mut text = String::new();
    for (name, file) in happenings() {
        writeln!(text, r#"{{"event": "{name}", "f": {file}}}"#).unwrap();
    }
    read(&text, Format::Jsonl, rounds);
}

fn read_csv(rounds: usize) {
    read(&csv(), Format::Csv, rounds);
}

fn read_text(rounds: usize) {
    let mut text = String::new();
    happenings().iter().for_each(|(name, file)| writeln!(text, "{name} {file}").unwrap());
    read(&text, Format::Text, rounds);
}

/// Steps are what is above reading. Returns how many instances were visited.
fn step(property: &str, rounds: usize) -> u64 {
    let model = model(property);
    let mut engine = Engine::new(&model, Options::default());
    let mut reader = Reader::new(&model, BadLines::Refuse).unwrap();
    let text = csv();
    for _ in 0..rounds {
        let sink = &mut Stepped(&mut engine);
        reader.read("budgets", text.as_bytes(), Some(Format::Csv), sink, |_, _| {}).unwrap();
    }
    engine.end();
    black_box(engine.take_reports());
    engine.stats().iter().map(|stats| stats.visited).sum()
}

fn step_one_key(rounds: usize) {
    black_box(step(FILES, rounds));
}

fn step_registers(rounds: usize) {
    black_box(step(PAIRS, rounds));
}

/// Weaves events of every call into the classes of the runtime: what they are is checked in, so that
/// no compiler changes them.
fn weave(rounds: usize) {
    let model = model(
        "event call(o) = jvm before call *.*(..) on o\nproperty P(o) {\n\
        start state A { on call(o) -> B }\nbad state B }",
    );
    let scope = Scope { within: vec![Glob::new("*")], without: Vec::new() };
    let options = watchword_weave::Options { scope, ..Default::default() };
    let weaver = Weaver::new(&model, options);
    let classes: BTreeMap<String, Vec<u8>> =
        runtime::BASE.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    for _ in 0..rounds {
        let hierarchy = SourceHierarchy::new(MemoryClasses(classes.clone()));
        let numbers = Numbers::default();
        let woven = |bytes: &Vec<u8>| match weaver.weave(bytes, &hierarchy, &numbers) {
            Outcome::Woven(class) => class.sites.len(),
            _ => 0,
        };
        assert!(classes.values().map(woven).sum::<usize>() > 50, "hardly a site");
    }
}

/// What a tool of valgrind counts: how it is called, and what it says before the number.
struct Tool {
    arguments: &'static [&'static str],
    says: &'static str,
    counter: &'static str,
    /// In how many units the number is given.
    per: u64,
}

const TOOLS: [Tool; 2] = [
    Tool {
        arguments: &["--tool=callgrind", "--callgrind-out-file=/dev/null"],
        says: "Collected : ",
        counter: "instructions per",
        per: 1,
    },
    Tool {
        arguments: &["--tool=memcheck", "--leak-check=no", "--undef-value-errors=no"],
        says: "total heap usage: ",
        counter: "allocations per 1000",
        per: 1000,
    },
];

/// What a tool counts in a process of this program that does so many rounds.
fn count(tool: &Tool, workload: &Workload, rounds: usize) -> u64 {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(tool.arguments);
    let this = std::env::current_exe().expect("this program has a path");
    let ran = valgrind
        .arg(this)
        .env("WATCHWORD_WORKLOAD", format!("{}:{rounds}", workload.name))
        .output()
        .expect("valgrind starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}: {said}", workload.name);
    let counted = said.lines().find_map(|line| line.split_once(tool.says));
    let digits = counted.map(|(_, rest)| rest.split_whitespace().next().unwrap_or_default());
    let number = digits.and_then(|digits| digits.replace(',', "").parse().ok());
    number.unwrap_or_else(|| panic!("valgrind says no number: {said}"))
}

/// How many instances steps visit: an event should visit those that it concerns, and no others.
fn visits(budgets: &mut Budgets) {
    for (name, property) in [("engine, one key", FILES), ("engine, registers", PAIRS)] {
        let found = step(property, 1) * 1000 / EVENTS as u64;
        println!("{name}: {found} instances visited per 1000 events");
        budgets.spend(name, "instances visited per 1000 events", found, 0);
    }
}

/// What valgrind counts, if it is here.
fn measure(budgets: &mut Budgets) {
    if Command::new("valgrind").arg("--version").output().is_err() {
        // `scripts/setup.sh` installs it, where that is allowed.
        assert!(std::env::var_os("CI").is_none(), "CI needs valgrind");
        println!("instructions and allocations are not counted: there is no valgrind");
        return;
    }
    for (workload, tool) in WORKLOADS.iter().flat_map(|w| TOOLS.iter().map(move |tool| (w, tool))) {
        let [few, many] = ROUNDS.map(|rounds| count(tool, workload, rounds));
        let units = (ROUNDS[1] - ROUNDS[0]) as u64 * workload.units;
        let each = many.saturating_sub(few) * tool.per / units;
        let unit = if tool.per > 1 { workload.many } else { workload.unit };
        let counter = format!("{} {unit}", tool.counter);
        println!("{}: {each} {counter}", workload.name);
        budgets.spend(workload.name, &counter, each, TOLERANCE);
    }
}

/// The code that runs in a JVM: C2 inlines methods of up to 35 bytes anywhere and of up to 325 where
/// they are hot; locks and native methods cost more than anything beside them.
fn hooks(budgets: &mut Budgets) {
    for (name, bytes) in runtime::BASE.iter().chain(&runtime::BOOT) {
        let class = ClassFile::parse(bytes).expect("the runtime is sound");
        let (mut counts, mut lengths) = (BTreeMap::<&str, u64>::new(), Vec::new());
        for method in class.methods() {
            let is = |flags: u16| u64::from(method.has_access(flags));
            *counts.entry("native methods").or_default() += is(access::NATIVE);
            *counts.entry("synchronized methods").or_default() += is(access::SYNCHRONIZED);
            let code = method.code().expect("the runtime is sound");
            lengths.extend(code.map(|code| code.bytecode.len() as u64));
        }
        let over = |limit: u64| lengths.iter().filter(|length| **length > limit).count() as u64;
        counts.insert("methods too large to be inlined when hot", over(325));
        counts.insert("methods too large to be inlined anywhere", over(35));
        counts.insert("bytes of code", lengths.iter().sum());
        for (counter, found) in counts {
            budgets.spend(&format!("runtime, {name}"), counter, found, 0);
        }
    }
}

fn main() {
    if let Some(asked) = std::env::var_os("WATCHWORD_WORKLOAD") {
        let asked = asked.into_string().expect("the name of a workload");
        let (name, rounds) = asked.rsplit_once(':').expect("NAME:ROUNDS");
        let workload = WORKLOADS.iter().find(|w| w.name == name).expect("there is such a workload");
        return (workload.run)(rounds.parse().expect("a number of rounds"));
    }
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/budgets.toml").is_file());
    let mut budgets = Budgets::open();
    hooks(&mut budgets);
    visits(&mut budgets);
    measure(&mut budgets);
    budgets.close();
}
