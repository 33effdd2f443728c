//! What the tests share: compiling, loading properties, running to the end, guarding each test.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use watchword_debug::{ExitStatus, Launch};
use watchword_model::{Event, EventId, Model, Value};
use watchword_monitor::{Report, Said, Step};
use watchword_native::{ArmNote, Found, Happened, Program, Recorder, Settings, Why};
use watchword_spec::SourceFile;
pub use watchword_testing::guarded;

/// Whether the long tier was asked for.
pub fn soak() -> bool {
    std::env::var_os("WATCHWORD_SOAK").is_some()
}

/// A program of the tests, of the examples, or of the debugger's tests.
pub fn source(name: &str) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["tests/programs", "../../examples/native", "../debug/tests/programs"];
    let found = places.iter().map(|p| crates.join(p).join(name)).find(|p| p.exists());
    found.unwrap_or_else(|| panic!("there is no program {name}"))
}

/// A file of the examples.
pub fn example(name: &str) -> String {
    std::fs::read_to_string(source(name)).unwrap()
}

/// Compiles a program once per set of flags.
pub fn compile(name: &str, flags: &[&str]) -> PathBuf {
    compile_file(&source(name), flags)
}

/// As [`compile`], for a file anywhere.
pub fn compile_file(source: &Path, flags: &[&str]) -> PathBuf {
    static BUILT: OnceLock<Mutex<HashMap<String, PathBuf>>> = OnceLock::new();
    let name = source.file_name().unwrap().to_string_lossy();
    let key = format!("{name} {}", flags.join(" "));
    let mut built = BUILT.get_or_init(Default::default).lock().unwrap_or_else(|e| e.into_inner());
    if let Some(path) = built.get(&key) {
        return path.clone();
    }
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native");
    std::fs::create_dir_all(&dir).unwrap();
    let clean: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let out = dir.join(format!("{clean}-{}", std::process::id()));
    let mut command = Command::new(if name.ends_with(".cpp") { "g++" } else { "gcc" });
    command.args(["-g", "-pthread"]).arg(source).arg("-o").arg(&out).args(flags);
    let output = command.output().expect("gcc is needed");
    assert!(output.status.success(), "{key}: {}", String::from_utf8_lossy(&output.stderr));
    built.insert(key, out.clone());
    out
}

/// Compiles a program in Go.
pub fn go(source: &Path) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native");
    std::fs::create_dir_all(&dir).unwrap();
    let name = source.file_stem().unwrap().to_string_lossy();
    let out = dir.join(format!("{name}-go-{}", std::process::id()));
    let mut command = Command::new("go");
    command.args(["build", "-o"]).arg(&out).arg(source);
    command.env("GOCACHE", dir.join("go-cache")).env("GOFLAGS", "-mod=mod");
    let built = command.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    out
}

/// A property from its text.
pub fn model(text: &str) -> Arc<Model> {
    models(&[SourceFile::new("test.ww", text)])
}

/// All properties of some files.
pub fn models(files: &[SourceFile]) -> Arc<Model> {
    let loaded = watchword_spec::load(files, &|_, _| Err("no imports here".into()));
    let errors: Vec<String> = loaded
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| d.render(&loaded.files, false))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    Arc::new(loaded.model.unwrap())
}

/// What came of a monitored run.
pub struct Ran {
    pub output: Vec<u8>,
    pub status: ExitStatus,
    pub found: Vec<Found>,
    pub said: Vec<String>,
    pub notes: Vec<ArmNote>,
    /// The events, in order.
    pub trace: Vec<Event>,
    /// How many events of each declaration there were.
    pub by_event: Vec<u64>,
    /// How many violations there were.
    pub violations: u64,
    /// How many guards were not relevant.
    pub not_relevant: u64,
    /// How many instances of each property there were.
    pub instances: Vec<Option<u64>>,
    /// What was not found in the program.
    pub missing: Vec<String>,
    /// Child processes that ran unwatched.
    pub children: u64,
    /// How many functions had trampolines when the program began.
    pub trampolines: usize,
    /// Files of debug information that are not there.
    pub lost: Vec<String>,
}

impl Ran {
    /// How many events of each declaration there were, but for what every model declares: the end.
    pub fn of_world(&self) -> &[u64] {
        &self.by_event[1..]
    }

    pub fn warnings(&self) -> Vec<String> {
        let text = |n: &ArmNote| match n {
            ArmNote::Warning { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.notes.iter().filter_map(text).collect()
    }
}

/// Keeps the events of a run.
struct Sink(std::rc::Rc<std::cell::RefCell<Vec<Event>>>);

impl Recorder for Sink {
    fn record(&mut self, h: &Happened<'_>) {
        self.0.borrow_mut().push(Event {
            kind: h.event,
            args: h.args.to_vec(),
            time: Some(h.time),
            thread: Some(h.thread),
            location: h.location.cloned(),
        });
    }

    fn mark(&mut self) -> u64 {
        self.0.borrow().len() as u64
    }

    fn go_back(&mut self, mark: u64) {
        self.0.borrow_mut().truncate(mark as usize);
    }
}

/// Runs a program to its end under properties, and keeps its events.
pub fn run(program: &Path, args: &[&str], model: &Arc<Model>, settings: Settings) -> Ran {
    let trace = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let mut ran = run_with(program, args, model, settings, Some(Sink(trace.clone())));
    ran.trace = trace.take();
    ran
}

/// As [`run`], but nobody collects the events, so those that cannot matter may be left out.
pub fn run_unrecorded(
    program: &Path,
    args: &[&str],
    model: &Arc<Model>,
    settings: Settings,
) -> Ran {
    run_with(program, args, model, settings, None)
}

fn run_with(
    program: &Path,
    args: &[&str],
    model: &Arc<Model>,
    settings: Settings,
    sink: Option<Sink>,
) -> Ran {
    // All these tests hold with events inside the program, too.
    let settings = match std::env::var_os("WATCHWORD_TEST_INSIDE") {
        Some(_) => Settings { backend: watchword_native::Backend::Inject, ..settings },
        None => settings,
    };
    let mut output = tempfile();
    let launch = Launch::new(program)
        .args(args)
        .stdin(File::open("/dev/null").unwrap())
        .stdout(output.try_clone().unwrap())
        .stderr(File::options().write(true).open("/dev/null").unwrap());
    let mut program = Program::launch(launch, settings).unwrap();
    if let Some(sink) = sink {
        program.record(sink);
    }
    let id = program.load("test.ww", model.clone()).unwrap();
    program.resume_all().unwrap();
    let (mut found, mut said, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut missing = Vec::new();
    let mut trampolines = 0;
    let mut lost = Vec::new();
    let status = loop {
        let stop = program.wait().unwrap();
        notes.extend(program.take_notes());
        if matches!(stop.why, Why::Started) {
            let process = program.process();
            trampolines = program.debugger().tracer().trampolines(process);
            missing = program.missing();
            lost = program.lost_debug_files();
        }
        found.extend(stop.found);
        said.extend(stop.said.into_iter().filter_map(|(_, s)| match s {
            Said::Print { text, .. } => Some(text),
            Said::Action { .. } => None,
        }));
        if let Why::Exited(status) = stop.why {
            break status;
        }
        match program.resume(stop.thread) {
            Err(e) if e.is_gone() => {}
            other => other.unwrap(),
        }
    };
    notes.extend(program.take_notes());
    let monitor = program.monitors().iter().find(|m| m.id == id).unwrap();
    let violations = monitor.totals().properties.iter().map(|p| p.violations).sum();
    let not_relevant = monitor.totals().not_relevant;
    let instances = monitor.totals().properties.iter().map(|p| p.instances).collect();
    let mut by_event = vec![0; monitor.model.events.len()];
    for (event, count) in monitor.totals().properties.iter().flat_map(|p| &p.by_event) {
        by_event[event.index()] = *count;
    }
    output.rewind().unwrap();
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes).unwrap();
    let children = program.children_let_go();
    drop(program);
    Ran {
        output: bytes,
        status,
        found,
        said,
        notes,
        trace: Vec::new(),
        by_event,
        violations,
        not_relevant,
        instances,
        missing,
        children,
        lost,
        trampolines,
    }
}

/// A file without a name.
fn tempfile() -> File {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = dir.join(format!("out-{}-{:?}", std::process::id(), std::thread::current().id()));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
    let _ = std::fs::remove_file(&path);
    file.unwrap()
}

/// Output and status of an unmonitored run.
pub fn plain(program: &Path, args: &[&str]) -> (Vec<u8>, i32) {
    use std::os::unix::process::ExitStatusExt;
    let output =
        Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.unwrap();
    let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap());
    (output.stdout, code)
}

/// A program of the system; skipped by name where it is not installed.
pub fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|d| d.join(name)).find(|p| p.is_file());
    // Scripts are run by their interpreter, which is another program.
    let is_elf = |p: &PathBuf| std::fs::read(p).is_ok_and(|b| b.starts_with(b"\x7fELF"));
    let found = found.filter(is_elf);
    if found.is_none() {
        println!("skipped: {name} is not installed");
    }
    found
}

/// The history of a report in words; `value` says what of an argument does not differ from run to run.
pub fn steps_of(report: &Report, value: &dyn Fn(EventId, usize, &Value) -> String) -> Vec<String> {
    let words = |step: &Step| {
        let event = step.event.unwrap();
        let args = step.args.iter().enumerate().map(|(at, v)| value(event, at, v));
        let args: Vec<String> = args.collect();
        let line = step.location.as_ref().and_then(|l| l.line);
        format!("{event:?}({}) at {line:?} to {:?}", args.join(", "), step.state)
    };
    report.history.iter().map(words).collect()
}
