//! `--state`: what a watch needs to go on after it was ended, or killed.
//!
//! A file in the folder holds the configuration of the engine, what was counted, how far the log was read,
//! and alerts that have not arrived. It is written beside the old one and renamed, so that there is always a
//! whole one; a checksum tells if it was damaged nevertheless. What was read after it was written is read
//! again: nothing is lost, and an alert that is sent twice has the same name.
//!
//! What the *reader* has learnt (how times are written, names of columns) is not saved: it reads again what
//! was read, and nobody hears.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, bail};
use watchword_model::{Model, Time};
use watchword_monitor::Counts;

use crate::output::atomic;

/// The first bytes; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"WWSTATE\x01";

/// How much of a log before a place is remembered, to know it again; as much of its beginning.
pub const REMEMBERED: usize = 256;

/// How often the state is saved.
const OFTEN: Duration = Duration::from_secs(1);

/// A place in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// How many bytes were read.
    pub taken: u64,
    /// Those at the beginning.
    pub head: Vec<u8>,
    /// Those that were read last.
    pub tail: Vec<u8>,
    /// The number of the file, to know it while nothing was read of it.
    pub inode: u64,
    /// When the log was last written as it was opened.
    pub written: Option<Time>,
}

/// What is saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// The engine.
    pub engine: Vec<u8>,
    /// What was counted.
    pub counts: Counts,
    /// The time it is, by the clock or by records, and by records alone.
    pub times: [Option<Time>; 2],
    /// How many records came too late for the clock, and how many out of order.
    pub late: [u64; 2],
    /// Events that happened after this one are not known.
    pub gap: Option<u64>,
    /// How far the log was read; of what comes over the network, nothing is read again.
    pub place: Option<Place>,
    /// Alerts that have not arrived, with the number of their target.
    pub alerts: Vec<(u64, String)>,
}

/// The folder of a state.
pub struct State {
    file: PathBuf,
    /// Tells models apart.
    mark: u64,
    /// Held as long as the folder is ours.
    _lock: File,
    /// When it was last written, and how long that took.
    last: Option<(Instant, Duration)>,
    /// When it was last written, in seconds since 1970.
    pub saved_at: Option<u64>,
}

impl State {
    /// Takes a folder, which is made if it is not there, and gives what was saved in it.
    ///
    /// # Errors
    /// If another watch uses it, or if the saved state belongs to other properties.
    pub fn open(folder: &Path, model: &Model) -> anyhow::Result<(State, Option<Saved>)> {
        let shown = folder.display();
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {shown}"))?;
        let lock = lock(&folder.join("lock")).with_context(|| format!("cannot use {shown}"))?;
        let mut hasher = DefaultHasher::new();
        format!("{:?}", model.events).hash(&mut hasher);
        let mark = hasher.finish();
        let file = folder.join("state");
        clear(folder);
        let saved = match fs::read(&file) {
            Ok(bytes) => Some(read(&bytes, mark).with_context(|| {
                let file = file.display();
                format!("cannot continue from {file}; remove it to start from scratch")
            })?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                let file = file.display();
                return Err(error).with_context(|| format!("cannot read {file}"));
            }
        };
        Ok((State { file, mark, _lock: lock, last: None, saved_at: None }, saved))
    }

    /// Whether it is time to save again: a second after the last time, or later if that took long.
    pub fn is_due(&self) -> bool {
        self.last.is_none_or(|(at, took)| at.elapsed() >= OFTEN.max(took * 20))
    }

    /// Saves.
    ///
    /// # Errors
    /// If the file cannot be written; the old one stays.
    pub fn save(&mut self, saved: &Saved) -> anyhow::Result<()> {
        let began = Instant::now();
        atomic::write(&self.file, write(saved, self.mark))?;
        // The name is on the disk, too.
        if let Some(folder) = self.file.parent() {
            File::open(folder).and_then(|folder| folder.sync_all()).ok();
        }
        self.last = Some((Instant::now(), began.elapsed()));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        self.saved_at = now.ok().map(|since| since.as_secs());
        Ok(())
    }
}

/// Takes the lock of a folder; it is given back when the file is closed, by a crash too.
fn lock(path: &Path) -> anyhow::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => bail!("another watch uses it"),
        Err(fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Removes what writers left behind that were killed.
fn clear(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(".state.") && name.ends_with(".tmp") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Tells bytes from damaged ones.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

struct Out(Vec<u8>);

impl Out {
    fn number(&mut self, n: u64) {
        self.0.extend(n.to_le_bytes());
    }

    fn optional(&mut self, n: Option<u64>) {
        self.number(u64::from(n.is_some()));
        self.number(n.unwrap_or(0));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn numbers(&mut self, numbers: &[u64]) {
        self.number(numbers.len() as u64);
        numbers.iter().for_each(|n| self.number(*n));
    }
}

fn write(saved: &Saved, mark: u64) -> Vec<u8> {
    let Saved { engine, counts, times, late, gap, place, alerts } = saved;
    let mut out = Out(MAGIC.to_vec());
    out.number(mark);
    out.bytes(engine);
    let Counts { events, for_all, for_some, violations, certain, satisfactions } = counts;
    out.number(*events);
    for numbers in [for_all, for_some, violations, certain, satisfactions] {
        out.numbers(numbers);
    }
    times.iter().for_each(|time| out.optional(time.map(|time| time as u64)));
    late.iter().for_each(|n| out.number(*n));
    out.optional(*gap);
    out.number(u64::from(place.is_some()));
    if let Some(Place { taken, head, tail, inode, written }) = place {
        out.number(*taken);
        out.bytes(head);
        out.bytes(tail);
        out.number(*inode);
        out.optional(written.map(|time| time as u64));
    }
    out.number(alerts.len() as u64);
    for (target, line) in alerts {
        out.number(*target);
        out.bytes(line.as_bytes());
    }
    let sum = checksum(&out.0);
    out.number(sum);
    out.0
}

struct In<'a>(&'a [u8]);

impl<'a> In<'a> {
    fn take(&mut self, count: u64) -> anyhow::Result<&'a [u8]> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let (taken, rest) = self.0.split_at_checked(count).context("it ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> anyhow::Result<u64> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().unwrap_or_default()))
    }

    fn optional(&mut self) -> anyhow::Result<Option<u64>> {
        let is_some = self.number()? != 0;
        let number = self.number()?;
        Ok(is_some.then_some(number))
    }

    fn bytes(&mut self) -> anyhow::Result<&'a [u8]> {
        let count = self.number()?;
        self.take(count)
    }

    /// A number of things, each at least eight bytes.
    fn count(&mut self) -> anyhow::Result<u64> {
        let count = self.number()?;
        if count > self.0.len() as u64 / 8 {
            bail!("it ends too early");
        }
        Ok(count)
    }

    fn numbers(&mut self) -> anyhow::Result<Vec<u64>> {
        let count = self.count()?;
        (0..count).map(|_| self.number()).collect()
    }
}

fn read(bytes: &[u8], mark: u64) -> anyhow::Result<Saved> {
    let Some((magic, _)) = bytes.split_at_checked(MAGIC.len()) else { bail!("it is damaged") };
    if magic[..7] != MAGIC[..7] {
        bail!("it is not a saved state");
    }
    if magic != MAGIC {
        bail!("it was saved by another version of Watchword");
    }
    let (content, sum) = bytes.split_at(bytes.len() - 8);
    if sum != checksum(content).to_le_bytes() || content.len() < MAGIC.len() {
        bail!("it is damaged");
    }
    let mut from = In(&content[MAGIC.len()..]);
    if from.number()? != mark {
        bail!("it was saved for other events");
    }
    let engine = from.bytes()?.to_vec();
    let counts = Counts {
        events: from.number()?,
        for_all: from.numbers()?,
        for_some: from.numbers()?,
        violations: from.numbers()?,
        certain: from.numbers()?,
        satisfactions: from.numbers()?,
    };
    let time = |n: Option<u64>| n.map(|n| n as Time);
    let times = [time(from.optional()?), time(from.optional()?)];
    let late = [from.number()?, from.number()?];
    let gap = from.optional()?;
    let place = match from.number()? {
        0 => None,
        _ => Some(Place {
            taken: from.number()?,
            head: from.bytes()?.to_vec(),
            tail: from.bytes()?.to_vec(),
            inode: from.number()?,
            written: time(from.optional()?),
        }),
    };
    let count = from.count()?;
    let mut alerts = Vec::new();
    for _ in 0..count {
        let target = from.number()?;
        alerts.push((target, std::str::from_utf8(from.bytes()?)?.to_string()));
    }
    if !from.0.is_empty() {
        bail!("there are bytes left over");
    }
    Ok(Saved { engine, counts, times, late, gap, place, alerts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> Saved {
        Saved {
            engine: b"engine".to_vec(),
            counts: Counts { events: 7, for_all: vec![1, 2], ..Counts::default() },
            times: [Some(-5), None],
            late: [1, 2],
            gap: Some(3),
            place: Some(Place {
                taken: 99,
                head: b"head".to_vec(),
                tail: Vec::new(),
                inode: 5,
                written: Some(4),
            }),
            alerts: vec![(1, "{\"alert\":\"é\"}".to_string())],
        }
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let bytes = write(&saved(), 17);
        assert_eq!(read(&bytes, 17).unwrap(), saved());
        assert!(read(&bytes, 18).unwrap_err().to_string().contains("other events"));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end], 17).is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0x40;
            assert!(read(&other, 17).is_err(), "{at}");
        }
        // Even with a checksum that fits, nothing panics.
        let mut random = 7u32;
        for _ in 0..20_000 {
            let mut other = bytes[..bytes.len() - 8].to_vec();
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = 8 + (random >> 8) as usize % (other.len() - 8);
            other[at] = (random >> 24) as u8;
            let sum = checksum(&other);
            other.extend(sum.to_le_bytes());
            let _ = read(&other, 17);
        }
    }
}
