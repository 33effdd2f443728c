//! What the tests share: compiling programs, running them untraced, guarding each test.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};

pub use watchword_testing::{children, guarded};

use watchword_debug::{ExitStatus, Launch, ProcessId, Reason, Tracer};

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
