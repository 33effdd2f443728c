//! What the tests share: compiling programs, running them untraced, guarding each test.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use watchword_debug::{ExitStatus, Launch, ProcessId, Reason, Tracer};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs a test alone, under a time limit, and checks that no process is left behind.
pub fn guarded<R>(seconds: u64, body: impl FnOnce() -> R) -> R {
    let _lock: MutexGuard<()> = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
    let done = Arc::new(AtomicBool::new(false));
    let seen = done.clone();
    let name = std::thread::current().name().unwrap_or("?").to_string();
    std::thread::spawn(move || {
        // Machines may be busy: this is against hanging, not against being slow.
        let seconds = seconds * 5;
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end {
            if seen.load(Ordering::SeqCst) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // Not eprintln: that would be kept for a report which never comes.
        let _ = writeln!(std::io::stderr(), "test {name} took longer than {seconds} s");
        for pid in children() {
            let wchan = |t: &Path| {
                let read = |f: &str| std::fs::read_to_string(t.join(f)).unwrap_or_default();
                (read("stat"), read("syscall"), read("wchan"))
            };
            for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten() {
                let path = task.unwrap().path();
                let _ = writeln!(std::io::stderr(), "{:?}", wchan(&path));
            }
        }
        for pid in children() {
            let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
        std::process::abort();
    });
    let before = children();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
    done.store(true, Ordering::SeqCst);
    match result {
        Ok(r) => {
            let mut left = children();
            left.retain(|pid| !before.contains(pid));
            let states: Vec<String> = left
                .iter()
                .map(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default())
                .collect();
            assert!(left.is_empty(), "processes left behind: {states:?}");
            r
        }
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Children of this process, zombies included.
pub fn children() -> Vec<i32> {
    let own = std::process::id() as i32;
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let Some((_, rest)) = stat.rsplit_once(')') else { continue };
        if rest.split_whitespace().nth(1).and_then(|p| p.parse::<i32>().ok()) == Some(own) {
            found.push(pid);
        }
    }
    found
}

/// Whether the long tier was asked for.
pub fn soak() -> bool {
    std::env::var_os("WATCHWORD_SOAK").is_some()
}

pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Compiles a program once per set of flags. `None` when the compiler is not installed.
pub fn compile_with(compiler: &str, source: &str, flags: &[&str]) -> Option<PathBuf> {
    static BUILT: OnceLock<Mutex<HashMap<String, Option<PathBuf>>>> = OnceLock::new();
    let key = format!("{compiler} {source} {}", flags.join(" "));
    let mut built = BUILT.get_or_init(Default::default).lock().unwrap_or_else(|e| e.into_inner());
    if let Some(path) = built.get(&key) {
        return path.clone();
    }
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    std::fs::create_dir_all(&dir).unwrap();
    let clean: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let out = dir.join(format!("{clean}-{}", std::process::id()));
    let mut command = Command::new(compiler);
    command.arg(sources().join(source)).arg("-o").arg(&out).args(flags);
    let path = match command.output() {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            assert!(
                std::env::var_os("CI").is_none_or(|v| v != "true"),
                "{compiler} is needed and not installed"
            );
            eprintln!("skipped: {compiler} is not installed");
            None
        }
        Err(e) => panic!("{compiler}: {e}"),
        Ok(output) => {
            assert!(output.status.success(), "{key}: {}", String::from_utf8_lossy(&output.stderr));
            Some(out)
        }
    };
    built.insert(key, path.clone());
    path
}

pub fn gcc(source: &str, flags: &[&str]) -> PathBuf {
    let mut all = vec!["-g", "-pthread"];
    all.extend(flags);
    compile_with("gcc", source, &all).expect("gcc is needed")
}

pub fn gxx(source: &str, flags: &[&str]) -> PathBuf {
    let mut all = vec!["-g", "-pthread"];
    all.extend(flags);
    compile_with("g++", source, &all).expect("g++ is needed")
}

pub fn rustc(source: &str, flags: &[&str]) -> PathBuf {
    let mut all = vec!["-g", "--edition=2021"];
    all.extend(flags);
    compile_with("rustc", source, &all).expect("rustc is needed")
}

/// Output and status of an untraced run.
pub fn plain(program: &Path, args: &[&str]) -> (String, i32) {
    let output =
        Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.unwrap();
    use std::os::unix::process::ExitStatusExt;
    let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap());
    (String::from_utf8_lossy(&output.stdout).into_owned(), code)
}

/// A file that collects what a traced program prints.
pub struct Output(File);

impl Output {
    pub fn text(&mut self) -> String {
        let mut text = String::new();
        self.0.rewind().unwrap();
        self.0.read_to_string(&mut text).unwrap();
        text
    }
}

pub fn capture() -> (Output, File) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "out-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    let file =
        File::options().read(true).append(true).create(true).truncate(false).open(&path).unwrap();
    file.set_len(0).unwrap();
    let _ = std::fs::remove_file(&path);
    let copy = file.try_clone().unwrap();
    (Output(file), copy)
}

/// A launch in its own process group, with its output collected.
pub fn launch(program: &Path, args: &[&str]) -> (Launch, Output) {
    let (out, file) = capture();
    (Launch::new(program).args(args).own_process_group().stdout(file), out)
}

/// Symbols of a file by name, from `nm`.
pub fn symbols(program: &Path) -> HashMap<String, u64> {
    let text = Command::new("nm").arg(program).output().unwrap().stdout;
    String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|l| {
            let mut parts = l.split_whitespace();
            let address = u64::from_str_radix(parts.next()?, 16).ok()?;
            let _kind = parts.next()?;
            Some((parts.next()?.to_string(), address))
        })
        .collect()
}

/// The address of a symbol in a running process.
pub fn address(tracer: &Tracer, process: ProcessId, program: &Path, name: &str) -> u64 {
    let symbol = symbols(program)[name];
    let is_fixed = {
        let bytes = std::fs::read(program).unwrap();
        bytes[16] == 2
    };
    if is_fixed {
        return symbol;
    }
    let path = program.canonicalize().unwrap();
    let base = tracer
        .mappings(process)
        .unwrap()
        .into_iter()
        .find(|m| Path::new(&m.name) == path && m.offset == 0)
        .unwrap()
        .start;
    base + symbol
}

/// Lets everything run to the end, resuming each stop.
pub fn run_out(tracer: &mut Tracer) -> ExitStatus {
    tracer.resume_all().unwrap();
    loop {
        let stop = tracer.wait().unwrap();
        match stop.reason {
            Reason::Exited(status) => return status,
            _ => {
                let _ = tracer.resume(stop.thread);
            }
        }
    }
}

/// Sends a signal.
pub fn kill(pid: i32, signal: &str) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}
