//! Opens traces: standard input, files, rotated files, files that grow, compressed ones.

pub mod ahead;
mod compressed;
mod exported;
pub mod merge;
pub mod wall_clock;
pub mod zone;

use std::cell::{Cell, RefCell};
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

use self::exported::Exported;
use crate::properties;
use crate::watch::state::{Place, REMEMBERED};

/// What standard input is called in messages.
pub const STDIN: &str = "<stdin>";

/// Set when whoever watches a live trace has seen enough (Ctrl-C): it ends, and the summary comes.
static ENOUGH: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Set when Ctrl-C was pressed.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether somebody pressed Ctrl-C since a trace was opened.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Whether whoever watches a live trace has seen enough.
pub fn is_over() -> bool {
    ENOUGH.load(Ordering::Relaxed)
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
    /// Its events are not in the order of time, but case by case.
    pub by_case: bool,
    /// When it was last written, in nanoseconds since 1970.
    pub written: Option<Time>,
    /// Another file follows the one that has ended.
    again: Option<Rc<Cell<bool>>>,
    /// The file that is followed, to look at what was read of it.
    pub probe: Option<Probe>,
}

/// Looks at a file that is followed.
#[derive(Clone)]
pub struct Probe {
    file: Rc<RefCell<File>>,
    again: Rc<Cell<bool>>,
    /// Somebody has begun to read it, and stops between lines.
    pub is_begun: Rc<Cell<bool>>,
}

impl Probe {
    /// The place behind so many bytes, to know it again; `None` if the file has not so many, or is
    /// followed by another one.
    pub fn place(&self, taken: u64, written: Option<Time>) -> Option<Place> {
        let length = taken.min(REMEMBERED as u64);
        let (mut head, mut tail) = (vec![0; length as usize], vec![0; length as usize]);
        let file = self.file.borrow();
        read_exact_at(&file, &mut head, 0).ok()?;
        read_exact_at(&file, &mut tail, taken - length).ok()?;
        let inode = inode(&file.metadata().ok()?);
        (!self.again.get()).then_some(Place { taken, head, tail, inode, written })
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(not(unix))]
fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The last of these files that has what was read before that place, and whether that is more than
/// blanks.
pub fn find(files: &[PathBuf], place: &Place) -> anyhow::Result<Option<(usize, bool)>> {
    for (at, file) in files.iter().enumerate().rev() {
        if let Some(has_text) = has(file, place)? {
            return Ok(Some((at, has_text)));
        }
    }
    Ok(None)
}

fn has(path: &Path, place: &Place) -> anyhow::Result<Option<bool>> {
    let shown = || format!("cannot read {}", path.display());
    if place.taken == 0 {
        let metadata = fs::metadata(path).with_context(shown)?;
        return Ok((inode(&metadata) == place.inode).then_some(false));
    }
    let mut stream = Input::open(path)?.stream;
    let mut left = place.taken;
    let (mut buffer, mut tail) = (vec![0; 1 << 16], Vec::<u8>::new());
    let (mut first, mut has_text) = (true, false);
    while left > 0 {
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        // As much as the head at once, however it comes.
        let mut read = 0;
        while read < most {
            match stream.read(&mut buffer[read..most]).with_context(shown)? {
                0 => return Ok(None),
                more => read += more,
            }
        }
        if first && !buffer[..read].starts_with(&place.head) {
            return Ok(None);
        }
        first = false;
        has_text |= buffer[..read].iter().any(|byte| !byte.is_ascii_whitespace());
        tail.extend(&buffer[..read]);
        tail.drain(..tail.len().saturating_sub(place.tail.len()));
        left -= read as u64;
    }
    Ok((tail == place.tail).then_some(has_text))
}

/// Lets through so much of a stream, then waits until it is opened.
pub struct Gate<R> {
    inner: R,
    /// How much it lets through; everything if that is not said.
    pub left: Rc<Cell<Option<u64>>>,
}

impl<R> Gate<R> {
    /// A gate that lets through so much.
    pub fn new(inner: R, left: Option<u64>) -> Gate<R> {
        Gate { inner, left: Rc::new(Cell::new(left)) }
    }
}

impl<R: Read> Read for Gate<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(left) = self.left.get() else { return self.inner.read(buffer) };
        if left == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.inner.read(&mut buffer[..most])?;
        self.left.set(Some(left - read as u64));
        Ok(read)
    }
}

/// What an interrupt does to a file that is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnInterrupt {
    /// It ends where it is: its last line may lack its line end.
    End,
    /// Its reader stops between lines.
    Wait,
}

impl Input {
    /// What a listener hears.
    pub fn heard(name: String, stream: Box<dyn Read>) -> Input {
        end_on_interrupt();
        let written = since_1970(SystemTime::now());
        Input {
            name,
            stream,
            size: None,
            live: true,
            by_case: false,
            written,
            again: None,
            probe: None,
        }
    }

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
                by_case: false,
                written: since_1970(SystemTime::now()),
                again: None,
                probe: None,
            });
        }
        let name = path.display().to_string();
        let file = open_file(path)?;
        end_on_interrupt();
        let metadata = file.metadata().with_context(|| format!("cannot read {name}"))?;
        let (stream, packed) =
            compressed::open(Box::new(file)).with_context(|| format!("cannot read {name}"))?;
        let (stream, exported) = match metadata.is_file() {
            true => exported::open(stream).with_context(|| format!("cannot read {name}"))?,
            false => (stream, None),
        };
        let is_text = metadata.is_file() && !packed && exported.is_none();
        let size = is_text.then_some(metadata.len());
        let by_case = exported == Some(Exported::Xes);
        let written = metadata.modified().ok().and_then(since_1970);
        Ok(Input { name, stream, size, live: false, by_case, written, again: None, probe: None })
    }

    /// Opens a file that may still grow, or be replaced by a new one of the same name.
    pub fn follow(path: &Path, on_interrupt: OnInterrupt) -> anyhow::Result<Input> {
        let name = path.display().to_string();
        let cannot = || format!("cannot read {name}");
        let file = open_file(path)?;
        end_on_interrupt();
        let probe = Rc::new(RefCell::new(file.try_clone().with_context(cannot)?));
        let growing = Growing::new(path, file, probe.clone(), on_interrupt);
        let (again, is_begun) = (growing.again.clone(), growing.is_begun.clone());
        let probe = Some(Probe { file: probe, again: again.clone(), is_begun });
        let written = since_1970(SystemTime::now());
        let stream = Box::new(growing);
        let again = Some(again);
        Ok(Input { name, stream, size: None, live: true, by_case: false, written, again, probe })
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
    let missing = path.to_str().filter(|_| !path.exists());
    if let Some(near) = missing.and_then(|name| properties::file_like(name, &Path::is_file)) {
        bail!("cannot read {name}: there is no such file; did you mean `{near}`?");
    }
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
    /// The same file, for others who look at it.
    probe: Rc<RefCell<File>>,
    on_interrupt: OnInterrupt,
    /// See [`Probe::is_begun`].
    is_begun: Rc<Cell<bool>>,
}

impl Growing {
    fn new(
        path: &Path,
        file: File,
        probe: Rc<RefCell<File>>,
        on_interrupt: OnInterrupt,
    ) -> Growing {
        Growing {
            probe,
            on_interrupt,
            is_begun: Rc::default(),
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
            Some(file) => {
                *self.probe.borrow_mut() = file.try_clone()?;
                self.file = file;
            }
            None => self.file.rewind()?,
        }
        self.at = 0;
        self.head.clear();
        self.tail.clear();
        self.is_begun.set(false);
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
            if is_over() {
                match self.on_interrupt {
                    OnInterrupt::End => return Ok(0),
                    OnInterrupt::Wait if self.at == 0 => return Ok(0),
                    // Whoever waits for a first line would wait forever.
                    OnInterrupt::Wait if !self.is_begun.get() => {
                        return Err(io::Error::other(
                            "interrupted before its first line was whole",
                        ));
                    }
                    OnInterrupt::Wait => {}
                }
            }
            let here = self.file.metadata()?;
            let replaced = fs::metadata(&self.path).is_ok_and(|now| !same(&now, &here));
            // The new file may be gone again already; then there will be another one.
            self.replaced = replaced.then(|| follower(&self.path, &here)).flatten();
            if self.replaced.is_none() {
                thread::sleep(PAUSE);
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
    }
}

/// The file that a log was continued in after one that was rotated away: the next among those it was rotated
/// to, or the log itself. A log may be rotated more than once between two looks at it.
fn follower(path: &Path, file: &fs::Metadata) -> Option<File> {
    let list = || -> Option<Vec<(PathBuf, fs::Metadata)>> {
        let files = rotated(path).ok()?.into_iter();
        files.map(|path| fs::metadata(&path).ok().map(|metadata| (path, metadata))).collect()
    };
    // Files change their names meanwhile: a list counts if it is the same when it is made again.
    for _ in 0..100 {
        let (Some(files), Some(again)) = (list(), list()) else { continue };
        let is_same = |((_, a), (_, b)): (&(_, fs::Metadata), &(_, fs::Metadata))| same(a, b);
        if files.len() != again.len() || !files.iter().zip(&again).all(is_same) {
            continue;
        }
        let Some(at) = files.iter().position(|(_, other)| same(other, file)) else { break };
        let Some((path, next)) = files.get(at + 1) else { break };
        let opened = File::open(path).ok();
        if let Some(opened) = opened
            && opened.metadata().is_ok_and(|metadata| same(&metadata, next))
        {
            return Some(opened);
        }
    }
    File::open(path).ok()
}

#[cfg(unix)]
fn same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

#[cfg(not(unix))]
fn same(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    true
}
