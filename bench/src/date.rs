//! Residuals of a property with symbolic state: the payment system of `examples/larva/payment`.
//!
//! The same program plain, monitored, and monitored after one, two and three analyses, at seven
//! numbers of users. What reaches the monitor and how many transitions it looks at is counted
//! exactly; time is processor time of the whole run, as shares of the full overhead.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use watchword_model::{EventId, EventRef, Model, Property, Target, Time, Transition, ValueRef};
use watchword_monitor::{Engine, Options};
use watchword_spec::SourceFile;
use watchword_trace::emit::Sink;
use watchword_trace::error::Flaw;
use watchword_trace::{BadLines, Format, Reader};

use crate::report::Report;

const USERS: [u32; 7] = [1000, 1050, 1100, 1150, 1200, 1250, 1300];
const ROUNDS: usize = 3;
/// What the paper reports: the average overhead, and after the first, second and third analysis.
const PAPER: [f64; 4] = [97.08, 95.94, 41.96, 4.13];
const STAGES: [&str; 5] = ["plain", "monitored", "1st", "2nd", "3rd"];

/// How many actions a user takes; bronze users take 150 times as many.
const ACTIONS: &str = "100";
/// How many they take where events are counted: a trace has all of them.
const COUNTED: &str = "10";

/// All sizes, all stages.
pub fn payment(report: &mut Report, watchword: &Path, scratch: &Path) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/larva/payment");
    let classes = scratch.join("classes");
    compile(&example.join("src/payment"), &classes);
    let script = example.join("risk.lrv");
    let mut stages =
        vec![Stage::default(), Stage { property: Some(script.clone()), silenced: None }];
    for depth in ["absent", "objects", "flow"] {
        stages.push(Stage::analysed(watchword, &script, &classes, scratch, depth));
    }
    counts(report, &stages, watchword, &classes, scratch);
    let mut columns = vec!["users"];
    columns.extend(STAGES);
    columns.push("memory at each stage, MiB");
    report.table("Seconds of processor time", &columns);
    let mut shares = vec![Vec::new(); 4];
    for users in USERS {
        let mut seconds = vec![Vec::new(); stages.len()];
        let mut memory = vec![0; stages.len()];
        for _ in 0..ROUNDS {
            for (at, stage) in stages.iter().enumerate() {
                let (time, peak) = stage.run(watchword, &classes, users);
                seconds[at].push(time);
                memory[at] = memory[at].max(peak);
            }
        }
        let medians: Vec<f64> = seconds.iter_mut().map(|s| median(s)).collect();
        let mut cells = vec![users.to_string()];
        cells.extend(medians.iter().map(|s| format!("{s:.2}")));
        let memory: Vec<String> = memory.iter().map(|kib| (kib >> 10).to_string()).collect();
        cells.push(memory.join(", "));
        report.row(&cells);
        for (at, share) in shares.iter_mut().enumerate() {
            share.push(100.0 * (medians[at + 1] - medians[0]) / medians[0]);
        }
    }
    let average = |list: &Vec<f64>| list.iter().sum::<f64>() / list.len() as f64;
    let overheads: Vec<f64> = shares.iter().map(average).collect();
    let show =
        |list: &[f64]| list.iter().map(|o| format!("{o:.1}")).collect::<Vec<_>>().join(" : ");
    report.line(format!(
        "\naverage overheads in %: {}; in the paper {}",
        show(&overheads),
        show(&PAPER)
    ));
    for at in 1..4 {
        let what = format!("{} analysis: share of the full overhead", STAGES[at + 1]);
        report.bar(&what, overheads[at] / overheads[0], round(PAPER[at] / PAPER[0]), "");
    }
}

/// What reaches the monitor, exactly, beside what the paper's residuals of the same property leave
/// of the same trace.
fn counts(report: &mut Report, stages: &[Stage], watchword: &Path, classes: &Path, scratch: &Path) {
    let mut columns = vec!["users"];
    columns.extend(&STAGES[1..]);
    report.table("Events that reach the monitor; transitions that wait for them", &columns);
    let mut exact = Vec::new();
    for users in USERS {
        let mut ours = Vec::new();
        let mut paper = Vec::new();
        for (at, stage) in stages.iter().enumerate().skip(1) {
            let trace = stage.trace(watchword, classes, scratch, users);
            let model = stage.model();
            let counted = count(&model, &trace);
            ours.push(counted[0]);
            if at == 1 {
                paper = counted.to_vec();
            }
        }
        let shown = ours.iter().map(|c| format!("{}; {}", c.events, c.waiting));
        report.row(&std::iter::once(users.to_string()).chain(shown).collect::<Vec<_>>());
        exact.push((users, ours, paper));
    }
    let heading = "The property `Risk`: events for it, and transitions of the states they find, tried \
                   in order; in brackets with the residuals of the paper";
    report.table(heading, &columns);
    for (users, ours, paper) in &exact {
        let shown = ours.iter().zip(paper).map(|(ours, paper)| {
            format!(
                "{} ({}); {} ({})",
                ours.risk_events, paper.risk_events, ours.risk_tried, paper.risk_tried
            )
        });
        report.row(&std::iter::once(users.to_string()).chain(shown).collect::<Vec<_>>());
    }
    for stage in 1..4 {
        let name = STAGES[stage + 1];
        let all = |holds: &dyn Fn(&[Count], &[Count]) -> bool| {
            f64::from(u8::from(!exact.iter().all(|(_, ours, paper)| holds(ours, paper))))
        };
        let falls = |ours: &[Count], _: &[Count]| {
            ours[stage].events <= ours[stage - 1].events
                && ours[stage].waiting <= ours[stage - 1].waiting
                && ours[stage].risk_tried < ours[stage - 1].risk_tried
        };
        let what = format!("{name}: sizes at which events or transitions do not fall");
        report.bar(&what, all(&falls), 0.0, "");
        let at_least = |ours: &[Count], paper: &[Count]| {
            ours[stage].risk_events <= paper[stage].risk_events
                && ours[stage].risk_tried <= paper[stage].risk_tried
        };
        let what = format!("{name}: sizes at which more is left than in the paper");
        report.bar(&what, all(&at_least), 0.0, "");
    }
}

fn round(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
}

fn median(list: &mut [f64]) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

fn compile(sources: &Path, classes: &Path) {
    let files = fs::read_dir(sources).expect("the sources are there");
    let files: Vec<PathBuf> = files.map(|e| e.expect("an entry").path()).collect();
    let done =
        Command::new("javac").args(["-g", "-nowarn", "-d"]).arg(classes).args(files).status();
    assert!(done.is_ok_and(|s| s.success()), "javac compiles the example");
}

/// A way to run the program.
#[derive(Default)]
struct Stage {
    property: Option<PathBuf>,
    silenced: Option<PathBuf>,
}

impl Stage {
    fn analysed(
        watchword: &Path,
        script: &Path,
        classes: &Path,
        scratch: &Path,
        depth: &str,
    ) -> Stage {
        let property = scratch.join(format!("{depth}.ww"));
        let silenced = scratch.join(format!("{depth}.silenced"));
        let done = Command::new(watchword)
            .args(["analyze", "--depth", depth, "-p"])
            .arg(script)
            .arg("--property-out")
            .arg(&property)
            .arg("--silenced-out")
            .arg(&silenced)
            .arg(classes)
            .stdout(Stdio::null())
            .status();
        assert!(done.is_ok_and(|s| s.success()), "the analysis of depth {depth} works");
        Stage { property: Some(property), silenced: Some(silenced) }
    }

    fn command(
        &self,
        watchword: &Path,
        classes: &Path,
        users: u32,
        actions: &str,
        more: &[&str],
    ) -> Command {
        let program = ["payment.Main", &users.to_string(), actions].map(str::to_owned);
        let mut command = match &self.property {
            None => Command::new("java"),
            Some(property) => {
                let mut command = Command::new(watchword);
                command.args(["java", "-q", "-p"]).arg(property).args(more);
                if let Some(silenced) = &self.silenced {
                    command.arg("--silenced").arg(silenced);
                }
                command.arg("--");
                command
            }
        };
        command.arg("-cp").arg(classes).args(program);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Seconds of processor time, and the largest resident size in KiB.
    fn run(&self, watchword: &Path, classes: &Path, users: u32) -> (f64, u64) {
        let before = children_time();
        let mut child =
            self.command(watchword, classes, users, ACTIONS, &[]).spawn().expect("it starts");
        let mut peak = 0;
        loop {
            peak = peak.max(largest_below(child.id()));
            if let Some(status) = child.try_wait().expect("it can be waited for") {
                assert!(status.success(), "the program ends well");
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        (children_time() - before, peak)
    }

    /// The file of what reaches the monitor.
    fn trace(&self, watchword: &Path, classes: &Path, scratch: &Path, users: u32) -> PathBuf {
        let trace = scratch.join("trace.jsonl");
        let path = trace.to_str().expect("a path of ours");
        let more = ["--collect-trace", path];
        let mut command = self.command(watchword, classes, users, COUNTED, &more);
        assert!(command.status().is_ok_and(|s| s.success()), "the program ends well");
        trace
    }

    fn model(&self) -> Model {
        let property = self.property.as_ref().expect("it is monitored");
        let text = fs::read_to_string(property).expect("the property is there");
        let file = SourceFile::new(property.to_str().expect("a path of ours"), &text);
        let loaded = watchword_spec::load(&[file], &|_, path| Err(path.to_owned()));
        loaded.model.expect("a good property")
    }
}

/// What a trace has the monitor do.
#[derive(Clone, Copy, Default)]
struct Count {
    /// Events.
    events: u64,
    /// Transitions of the states they find that wait for them, up to the one that is taken.
    waiting: u64,
    /// Events that the property `Risk` observes.
    risk_events: u64,
    /// Its transitions of the states they find, up to the one that is taken: what a chain of
    /// conditions, as LARVA has it, looks at.
    risk_tried: u64,
}

/// Counts everything, and what the paper's residuals would leave of it: without transfers, then
/// without bronze users, then without what comes behind an activation.
fn count(model: &Model, trace: &Path) -> [Count; 4] {
    let options = Options { moves: true, ..Options::default() };
    let mut counter = Counter {
        engine: Engine::new(model, options),
        model,
        states: HashMap::new(),
        counts: [Count::default(); 4],
    };
    let mut reader = Reader::new(model, BadLines::Refuse).expect("a reader");
    let input = fs::File::open(trace).expect("the trace is there");
    reader
        .read("trace", input, Some(Format::Jsonl), &mut counter, |_, _| {})
        .expect("a good trace");
    counter.counts
}

struct Counter<'m> {
    engine: Engine,
    model: &'m Model,
    /// By property and object.
    states: HashMap<(usize, u64), usize>,
    /// By how many of the paper's analyses.
    counts: [Count; 4],
}

impl Counter<'_> {
    /// Whether the paper's residual of a depth still has a transition.
    fn has(&self, depth: usize, property: &Property, transition: &Transition) -> bool {
        let name =
            |event: Option<EventId>| event.map(|e| self.model.events[e.index()].name.as_str());
        let event = name(transition.labels[0].event).unwrap_or_default();
        let source = property.states[transition.source.index()].name.as_str();
        match depth {
            0 => true,
            1 | 2 => event != "transfer",
            _ => matches!((source, event), ("qa", "create") | ("qb", "activate" | "pay")),
        }
    }
}

impl Sink for Counter<'_> {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.engine.step(event).expect("time does not run backwards");
        let moves = self.engine.take_moves();
        self.counts[0].events += 1;
        for (at, property) in self.model.properties.iter().enumerate() {
            let Some(observed) = property.observes(event.kind) else { continue };
            let Some((_, arg)) = observed.placements[0].0.first() else { continue };
            let Some(ValueRef::Ref(object, class)) = event.args.get(*arg as usize) else {
                continue;
            };
            let bronze = class.is_some_and(|c| c.ends_with("BronzeUser"));
            let state = *self.states.entry((at, *object)).or_insert(property.start.index());
            let taken = moves.iter().find(|m| m.property.index() == at);
            // In order, up to the one that is taken.
            let mut tried = Vec::new();
            for transition in property.transitions.iter().filter(|t| t.source.index() == state) {
                tried.push(transition);
                let waits = transition.labels[0].event == Some(event.kind);
                self.counts[0].waiting += u64::from(waits);
                let to = match transition.then.target {
                    Target::State(to) => Some(to),
                    _ => None,
                };
                if waits && taken.is_some_and(|m| m.to == to) {
                    break;
                }
            }
            for depth in 0..4 {
                if property.name == "Risk" && !(depth >= 2 && bronze) {
                    let left = tried.iter().filter(|t| self.has(depth, property, t)).count() as u64;
                    self.counts[depth].risk_events += 1;
                    self.counts[depth].risk_tried += left;
                }
            }
            if let Some(to) = taken.and_then(|m| m.to) {
                self.states.insert((at, *object), to.index());
            }
        }
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        Ok(())
    }
}

/// User and system time of all children that have ended, in seconds.
fn children_time() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    // `cutime` and `cstime`, counted from behind the name.
    (ticks(13) + ticks(14)) / 100.0
}

/// The largest resident size of a process and those below it so far, in KiB.
fn largest_below(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let own = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0);
    let below = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let below = below.split_whitespace().filter_map(|c| c.parse().ok()).map(largest_below);
    below.max().unwrap_or(0).max(own)
}
