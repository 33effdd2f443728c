//! Loading the agent into a JVM that runs, by the protocol `jcmd` speaks.
//!
//! A JVM that finds the file `.attach_pidN` in its working folder (or the folder for temporary
//! files) when it gets SIGQUIT opens a socket `.java_pidN`. A command is a version, a name and
//! three arguments, each ending in NUL; the answer begins with a line that holds a number, 0 if
//! all went well.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// How long a JVM may take to open its door.
const PATIENCE: Duration = Duration::from_secs(10);

/// Loads a library into a JVM.
pub fn load(pid: u32, library: &Path, options: &str) -> anyhow::Result<()> {
    let mut stream = connect(pid)?;
    let library = library.to_str().context("the agent's path is not UTF-8")?;
    for part in ["1", "load", library, "true", options] {
        stream.write_all(part.as_bytes())?;
        stream.write_all(&[0])?;
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer).context("the JVM did not answer")?;
    let mut lines = answer.lines();
    if lines.next().map(str::trim) != Some("0") {
        bail!("the JVM {pid} refused the agent: {}", lines.collect::<Vec<_>>().join(" ").trim());
    }
    // The second line is what the agent said: `return code: 0`, or `0` in older JVMs.
    let said = lines.next().unwrap_or("0").trim().trim_start_matches("return code: ");
    if said != "0" {
        bail!(
            "the agent could not attach to the JVM {pid} (answer: {said}): you can attach to a JVM once, and not if Watchword started it"
        );
    }
    Ok(())
}

fn connect(pid: u32) -> anyhow::Result<UnixStream> {
    let process = PathBuf::from(format!("/proc/{pid}"));
    let Ok(metadata) = fs::metadata(&process) else { bail!("there is no process {pid}") };
    // A process in a container has another root and another number there.
    let inner = inner_pid(&process).unwrap_or(pid);
    let temporary = process.join("root/tmp");
    let socket = temporary.join(format!(".java_pid{inner}"));
    if !socket.exists() {
        let name = format!(".attach_pid{inner}");
        let request = [process.join("cwd").join(&name), temporary.join(&name)]
            .into_iter()
            .find(|path| fs::File::create(path).is_ok())
            .with_context(|| format!("cannot ask the process {pid} to load the agent"))?;
        let asked = ask(pid, &metadata).and_then(|()| wait(&socket, pid));
        let _ = fs::remove_file(request);
        asked?;
    }
    UnixStream::connect(&socket).with_context(|| format!("cannot attach to the JVM {pid}"))
}

/// The last number in `NSpid:`: what the process calls itself.
fn inner_pid(process: &Path) -> Option<u32> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("NSpid:"))?;
    line.split_whitespace().last()?.parse().ok()
}

/// Sends SIGQUIT, but only to a JVM: other programs die of it.
fn ask(pid: u32, metadata: &fs::Metadata) -> anyhow::Result<()> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps"))
        .with_context(|| format!("cannot inspect the process {pid} (user {})", metadata.uid()))?;
    if !maps.contains("libjvm.so") {
        bail!("the process {pid} is not a JVM");
    }
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let pid = pid.context("there is no such process")?;
    rustix::process::kill_process(pid, rustix::process::Signal::QUIT)?;
    Ok(())
}

fn wait(socket: &Path, pid: u32) -> anyhow::Result<()> {
    let start = Instant::now();
    while !socket.exists() {
        if start.elapsed() > PATIENCE {
            bail!("the JVM {pid} does not accept agents (-XX:+DisableAttachMechanism?)");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
