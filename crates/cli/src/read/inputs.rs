//! Traces as they lie about: standard input, files, rotated files, files that grow.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};

use super::compressed::{self, plain_name};

/// What standard input is called in messages.
pub const STDIN: &str = "<stdin>";

/// Set when whoever watches a live trace has seen enough (Ctrl-C): it ends, and the summary comes.
static ENOUGH: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The next interrupt ends the traces that grow; one more ends the program.
#[cfg(unix)]
fn end_on_interrupt() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for signal in [SIGINT, SIGTERM] {
            // Without a handler the signal does what it does anyway.
            let _ = signal_hook::flag::register_conditional_default(signal, ENOUGH.clone());
            let _ = signal_hook::flag::register(signal, ENOUGH.clone());
        }
    });
}

#[cfg(not(unix))]
fn end_on_interrupt() {}

/// How often a file that grows is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// A trace that is open.
pub struct Input {
    /// What it is called in messages.
    pub name: String,
    /// The text.
    pub stream: Box<dyn Read>,
    /// How long the text is, where that is known.
    pub size: Option<u64>,
    /// More may come at any time.
    pub live: bool,
}

impl Input {
    /// Opens a trace; `-` is standard input.
    pub fn open(path: &Path) -> anyhow::Result<Input> {
        if path == Path::new("-") {
            // Ctrl-C reaches all of `tail -f app.log | watchword …`: the pipe ends, and so does
            // the trace. Somebody who types the trace has Ctrl-D for that.
            if !io::stdin().is_terminal() {
                end_on_interrupt();
            }
            let (stream, _) = compressed::open(Box::new(io::stdin().lock()))
                .context("cannot read standard input")?;
            return Ok(Input { name: STDIN.to_string(), stream, size: None, live: true });
        }
        let name = path.display().to_string();
        let file = open_file(path)?;
        let metadata = file.metadata().with_context(|| format!("cannot read {name}"))?;
        let (stream, packed) =
            compressed::open(Box::new(file)).with_context(|| format!("cannot read {name}"))?;
        let size = (metadata.is_file() && !packed).then_some(metadata.len());
        Ok(Input { name, stream, size, live: false })
    }

    /// Opens a file that may still grow, or be replaced by a new one of the same name.
    pub fn follow(path: &Path) -> anyhow::Result<Input> {
        let file = open_file(path)?;
        end_on_interrupt();
        let stream = Box::new(Growing { path: path.to_path_buf(), file });
        Ok(Input { name: path.display().to_string(), stream, size: None, live: true })
    }
}

fn open_file(path: &Path) -> anyhow::Result<File> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        bail!("{name} is a directory, not a trace");
    }
    Ok(file)
}

/// The files a log was rotated to, oldest first, and the log itself last: `app.log.2.gz`,
/// `app.log.1`, `app.log`; or, with dates, `app.log-20240501`, `app.log`.
pub fn rotated(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let name = path.file_name().and_then(|n| n.to_str());
    let Some(name) = name else { bail!("{} has no name that could be rotated", path.display()) };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let (mut numbered, mut dated) = (Vec::new(), Vec::new());
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let other = entry.file_name();
        let Some(rest) = other.to_str().and_then(|o| plain_name(o).strip_prefix(name)) else {
            continue;
        };
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty();
        match rest.strip_prefix('.').filter(|n| digits(n)).map(str::parse::<u64>) {
            Some(Ok(number)) => numbered.push((number, path.with_file_name(&other))),
            _ => {
                let date = rest.strip_prefix('-').filter(|d| digits(&d.replace(['-', 'T'], "")));
                dated.extend(date.map(|d| (d.to_string(), path.with_file_name(&other))));
            }
        }
    }
    numbered.sort_by(|a, b| b.cmp(a));
    dated.sort();
    let mut files: Vec<PathBuf> = dated.into_iter().map(|(_, path)| path).collect();
    files.extend(numbered.into_iter().map(|(_, path)| path));
    if path.exists() {
        files.push(path.to_path_buf());
    }
    if files.is_empty() {
        bail!(
            "cannot read {}: there is neither that file nor one it was rotated to",
            path.display()
        );
    }
    Ok(files)
}

/// A file that is read on when it has grown.
struct Growing {
    path: PathBuf,
    file: File,
}

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.file.read(buffer)?;
            if read > 0 || buffer.is_empty() || ENOUGH.load(Ordering::Relaxed) {
                return Ok(read);
            }
            let at = self.file.stream_position()?;
            let here = self.file.metadata()?;
            match fs::metadata(&self.path) {
                // Rotated away: what came last was read, the new file begins.
                Ok(now) if !same(&now, &here) => self.file = File::open(&self.path)?,
                // Cut off in place.
                Ok(now) if now.len() < at => self.file.rewind()?,
                _ => thread::sleep(PAUSE),
            }
        }
    }
}

#[cfg(unix)]
fn same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}
