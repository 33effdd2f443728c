//! Opens traces: standard input, files, rotated files, files that grow, compressed ones.

pub mod ahead;
mod compressed;
pub mod merge;
pub mod wall_clock;

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};

use watchword_model::Time;
use watchword_trace::formats::plain_name;

/// What standard input is called in messages.
pub const STDIN: &str = "<stdin>";

/// Set when whoever watches a live trace has seen enough (Ctrl-C): it ends, and the summary comes.
static ENOUGH: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Set when somebody pressed Ctrl-C.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether somebody pressed Ctrl-C since a trace was opened.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The next interrupt ends the traces; one more ends the program.
#[cfg(unix)]
fn end_on_interrupt() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for signal in [SIGINT, SIGTERM] {
            // Without a handler the signal does what it does anyway.
            let _ = signal_hook::flag::register_conditional_default(signal, ENOUGH.clone());
            let _ = signal_hook::flag::register(signal, ENOUGH.clone());
            let _ = signal_hook::flag::register(signal, INTERRUPTED.clone());
        }
    });
}

#[cfg(not(unix))]
fn end_on_interrupt() {}

/// Files that grow are read to where they end now: nobody hears what would come.
pub fn nobody_listens() {
    ENOUGH.store(true, Ordering::Relaxed);
}

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
    /// When it was last written, in nanoseconds since 1970.
    pub written: Option<Time>,
    /// Another file follows the one that has ended.
    again: Option<Rc<Cell<bool>>>,
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
            return Ok(Input {
                name: STDIN.to_string(),
                stream,
                size: None,
                live: true,
                written: since_1970(SystemTime::now()),
                again: None,
            });
        }
        let name = path.display().to_string();
        let file = open_file(path)?;
        end_on_interrupt();
        let metadata = file.metadata().with_context(|| format!("cannot read {name}"))?;
        let (stream, packed) =
            compressed::open(Box::new(file)).with_context(|| format!("cannot read {name}"))?;
        let size = (metadata.is_file() && !packed).then_some(metadata.len());
        let written = metadata.modified().ok().and_then(since_1970);
        Ok(Input { name, stream, size, live: false, written, again: None })
    }

    /// Opens a file that may still grow, or be replaced by a new one of the same name.
    pub fn follow(path: &Path) -> anyhow::Result<Input> {
        let file = open_file(path)?;
        end_on_interrupt();
        let growing = Growing::new(path, file);
        let again = Some(growing.again.clone());
        let name = path.display().to_string();
        let written = since_1970(SystemTime::now());
        Ok(Input { name, stream: Box::new(growing), size: None, live: true, written, again })
    }

    /// Whether the stream ended only because another file of the same name begins.
    pub fn goes_on(&self) -> bool {
        self.again.as_ref().is_some_and(|again| again.take())
    }
}

/// When a file was last written.
pub fn last_written(path: &str) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// A time of the system as times of traces are: nanoseconds since 1970.
pub fn since_1970(time: SystemTime) -> Option<Time> {
    let nanos = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos();
    Time::try_from(nanos).ok()
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

/// How much of the beginning, and of what was read last, is remembered of a file that grows.
const REMEMBERED: usize = 256;

/// A file that is read on when it has grown; as long as it has not, reading would block, and says so
/// after a pause. Where it is replaced by another one, or written anew,
/// the stream ends; what is read after that is the new file.
struct Growing {
    path: PathBuf,
    file: File,
    /// How much of the file was read, its beginning, and what was read last.
    at: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Another file has its name: it is read to its end once more, then that one begins.
    replaced: Option<File>,
    /// Another file follows the one that has ended.
    again: Rc<Cell<bool>>,
}

impl Growing {
    fn new(path: &Path, file: File) -> Growing {
        Growing {
            path: path.to_path_buf(),
            file,
            at: 0,
            head: Vec::new(),
            tail: Vec::new(),
            replaced: None,
            again: Rc::default(),
        }
    }

    /// Whether what was read is there no more: the file is shorter, or has another text.
    fn is_rewritten(&mut self) -> io::Result<bool> {
        let metadata = self.file.metadata()?;
        if !metadata.is_file() || self.at == 0 {
            return Ok(false);
        }
        if metadata.len() < self.at {
            return Ok(true);
        }
        let (at, head, tail) = (self.at, self.head.len(), self.tail.len() as u64);
        let mut there = vec![0; head];
        self.file.seek(SeekFrom::Start(0))?;
        let mut same = is_there(self.file.read_exact(&mut there))? && there == self.head;
        self.file.seek(SeekFrom::Start(at - tail))?;
        there.resize(tail as usize, 0);
        same &= is_there(self.file.read_exact(&mut there))? && there == self.tail;
        self.file.seek(SeekFrom::Start(at))?;
        Ok(!same)
    }

    fn remember(&mut self, read: &[u8]) -> io::Result<()> {
        if self.at == 0
            && let Some(what) = compressed::magic(read)
        {
            let text =
                format!("it is compressed with {what}, which cannot be followed as it grows");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        self.at += read.len() as u64;
        self.head.extend(read.iter().take(REMEMBERED - self.head.len()));
        self.tail.extend(&read[read.len().saturating_sub(REMEMBERED)..]);
        self.tail.drain(..self.tail.len().saturating_sub(REMEMBERED));
        Ok(())
    }

    /// The stream ends, and another one begins.
    fn begin(&mut self, file: Option<File>) -> io::Result<usize> {
        match file {
            Some(file) => self.file = file,
            None => self.file.rewind()?,
        }
        self.at = 0;
        self.head.clear();
        self.tail.clear();
        self.again.set(true);
        Ok(0)
    }
}

/// Whether there was as much to read as was asked for.
fn is_there(read: io::Result<()>) -> io::Result<bool> {
    match read {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // Also if there was something to read the last time: it may have been the end.
            if self.is_rewritten()? {
                return self.begin(None);
            }
            let read = self.file.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                self.remember(&buffer[..read])?;
                return Ok(read);
            }
            if let Some(file) = self.replaced.take() {
                return self.begin(Some(file));
            }
            if ENOUGH.load(Ordering::Relaxed) {
                return Ok(0);
            }
            let here = self.file.metadata()?;
            let replaced = fs::metadata(&self.path).is_ok_and(|now| !same(&now, &here));
            // The new file may be gone again already; then there will be another one.
            self.replaced = replaced.then(|| File::open(&self.path).ok()).flatten();
            if self.replaced.is_none() {
                thread::sleep(PAUSE);
                return Err(io::ErrorKind::WouldBlock.into());
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
