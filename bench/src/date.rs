//! Residuals of a property with symbolic state: the payment system of `examples/larva/payment`.
//!
//! The same program plain, monitored, and monitored after one, two and three analyses, at seven
//! numbers of users. What reaches the monitor and how many transitions it looks at is counted
//! exactly; time is processor time of the whole run, as shares of the full overhead.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use watchword_cli::read::emit::Sink;
use watchword_cli::read::error::Flaw;
use watchword_cli::read::{BadLines, Format, Reader};
use watchword_model::{EventRef, Model, Target, Time, ValueRef};
use watchword_monitor::{Engine, Options};
use watchword_spec::SourceFile;

use crate::report::Report;

const USERS: [u32; 7] = [1000, 1050, 1100, 1150, 1200, 1250, 1300];
const ROUNDS: usize = 3;
/// What the paper reports: the average overhead, and after the first, second and third analysis.
const PAPER: [f64; 4] = [97.08, 95.94, 41.96, 4.13];
const STAGES: [&str; 5] = ["plain", "monitored", "1st", "2nd", "3rd"];

/// How many actions a user takes; bronze users take 150 times as many.
const ACTIONS: &str = "100";

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
    let mut columns = vec!["users"];
    columns.extend(STAGES);
    report.table("Events that reach the monitor, and transitions it looks at", &columns);
    let mut exact = Vec::new();
    for users in USERS {
        let mut cells = vec![users.to_string(), "0; 0".to_string()];
        let mut counts = Vec::new();
        for stage in &stages[1..] {
            let (events, tried) = stage.count(watchword, &classes, scratch, users);
            cells.push(format!("{events}; {tried}"));
            counts.push((events, tried));
        }
        report.row(&cells);
        exact.push(counts);
    }
    for pair in 1..4 {
        let falls = exact.iter().all(|c| c[pair].0 <= c[pair - 1].0 && c[pair].1 <= c[pair - 1].1);
        let what = format!("{}: events and transitions fall at every size", STAGES[pair + 1]);
        report.goal(&what, f64::from(u8::from(falls)), 1.0, "");
    }
    let mut columns = vec!["users"];
    columns.extend(STAGES);
    columns.push("memory, plain and monitored");
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
        cells.push(format!("{} MiB, {} MiB", memory[0] >> 10, memory[1] >> 10));
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

    fn command(&self, watchword: &Path, classes: &Path, users: u32, more: &[&str]) -> Command {
        let program = ["payment.Main", &users.to_string(), ACTIONS].map(str::to_owned);
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
        let mut child = self.command(watchword, classes, users, &[]).spawn().expect("it starts");
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

    /// How many events reach the monitor, and how many transitions it looks at for them.
    fn count(&self, watchword: &Path, classes: &Path, scratch: &Path, users: u32) -> (u64, u64) {
        let trace = scratch.join("trace.jsonl");
        let path = trace.to_str().expect("a path of ours");
        let mut command = self.command(watchword, classes, users, &["--collect-trace", path]);
        assert!(command.status().is_ok_and(|s| s.success()), "the program ends well");
        let property = self.property.as_ref().expect("it is monitored");
        let text = fs::read_to_string(property).expect("the property is there");
        let file = SourceFile::new(property.to_str().expect("a path of ours"), &text);
        let loaded = watchword_spec::load(&[file], &|_, path| Err(path.to_owned()));
        let model = loaded.model.expect("a good property");
        let options = Options { moves: true, ..Options::default() };
        let mut counter = Counter {
            engine: Engine::new(&model, options),
            model: &model,
            states: HashMap::new(),
            events: 0,
            tried: 0,
        };
        let mut reader = Reader::new(&model, BadLines::Refuse).expect("a reader");
        let input = fs::File::open(&trace).expect("the trace is there");
        reader
            .read("trace", input, Some(Format::Jsonl), &mut counter, |_, _| {})
            .expect("a good trace");
        (counter.events, counter.tried)
    }
}

/// Counts the transitions that are looked at: those of the state an instance is in that wait for the
/// event, up to the one that is taken.
struct Counter<'m> {
    engine: Engine,
    model: &'m Model,
    /// By property and object.
    states: HashMap<(usize, u64), usize>,
    events: u64,
    tried: u64,
}

impl Sink for Counter<'_> {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.events += 1;
        self.engine.step(event).expect("time does not run backwards");
        let moves = self.engine.take_moves();
        for (at, property) in self.model.properties.iter().enumerate() {
            let Some(observed) = property.observes(event.kind) else { continue };
            let Some((_, arg)) = observed.placements[0].0.first() else { continue };
            let Some(ValueRef::Ref(object, _)) = event.args.get(*arg as usize) else { continue };
            let state = self.states.entry((at, *object)).or_insert(property.start.index());
            let taken = moves.iter().find(|m| m.property.index() == at);
            for transition in property
                .transitions
                .iter()
                .filter(|t| t.source.index() == *state && t.labels[0].event == Some(event.kind))
            {
                self.tried += 1;
                let to = match transition.then.target {
                    Target::State(to) => Some(to),
                    _ => None,
                };
                if taken.is_some_and(|m| m.to == to) {
                    break;
                }
            }
            if let Some(to) = taken.and_then(|m| m.to) {
                *state = to.index();
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
