//! What the JVMs of a build tell: a folder with a file per JVM, and one report made of all of them.
//!
//! An agent writes each thing it tells at once, so a JVM that is killed loses nothing of what it had found. It
//! holds a lock on its file while it lives: whoever reads the folder knows which JVMs still run.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use watchword_spec::SourceFile;
use watchword_wire::{Bundle, Settings};

use super::library;
use super::run::Run;
use crate::args::Global;
use crate::output::reports::ReportFlags;

/// The extension of the files of records.
const EXTENSION: &str = "records";
/// The file with the properties and settings.
const BUNDLE: &str = "properties.ww";
/// The file that is locked while a merged report is written.
const LOCK: &str = "merging";
/// Folders that were made without being asked for are removed by the first run after so long.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// A folder of records.
pub struct Records(PathBuf);

impl Records {
    /// A new folder in the cache; old ones are removed.
    pub fn create(cache: &Path) -> anyhow::Result<Records> {
        let runs = cache.join("runs");
        library::private(&runs)?;
        for old in fs::read_dir(&runs).into_iter().flatten().flatten() {
            let age = old.metadata().and_then(|m| m.modified()).map(|at| at.elapsed());
            if matches!(age, Ok(Ok(age)) if age > KEPT) {
                let _ = fs::remove_dir_all(old.path());
            }
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Records::at(runs.join(format!("{}-{}", now.as_nanos(), std::process::id())))
    }

    /// A folder that a person names; it is made if it is not there.
    pub fn at(folder: PathBuf) -> anyhow::Result<Records> {
        if !folder.is_dir() {
            library::private(&folder)?;
        }
        Ok(Records(folder))
    }

    /// A folder that is there.
    pub fn open(folder: &Path) -> anyhow::Result<Records> {
        if !folder.join(BUNDLE).is_file() {
            bail!(
                "{} is not a folder of records: `watchword env java --records DIR` creates one",
                folder.display()
            );
        }
        Ok(Records(folder.to_path_buf()))
    }

    /// Where the properties of a folder are.
    pub fn bundle_path(folder: &Path) -> PathBuf {
        folder.join(BUNDLE)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Where an agent writes to: every JVM has a file of its own, also if numbers of processes are used
    /// again.
    pub fn output(&self) -> anyhow::Result<String> {
        let path = self.0.join(format!("%p-%t.{EXTENSION}"));
        Ok(path.to_str().context("a path is not UTF-8")?.to_string())
    }

    /// Keeps the properties with the records; answers where.
    pub fn keep(&self, bundle: &Bundle) -> anyhow::Result<PathBuf> {
        let path = self.0.join(BUNDLE);
        let bytes = bundle.to_bytes()?;
        let other = fs::read(&path).is_ok_and(|there| !is_alike(&there, bundle));
        if other && !self.files()?.is_empty() {
            bail!(
                "{} has records of other properties: name another folder, or remove it",
                self.0.display()
            );
        }
        library::put(&path, &bytes, false)?;
        Ok(path)
    }

    fn bundle(&self) -> anyhow::Result<Bundle> {
        let path = self.0.join(BUNDLE);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Bundle::from_bytes(&bytes)?)
    }

    /// The files of all JVMs so far, in the order in which these started.
    fn files(&self) -> anyhow::Result<Vec<PathBuf>> {
        let entries = fs::read_dir(&self.0)
            .with_context(|| format!("cannot read the folder {}", self.0.display()))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|e| e == EXTENSION));
        files.sort_by_key(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            name.rsplit_once('-').map(|(pid, start)| (start.to_string(), pid.to_string()))
        });
        Ok(files)
    }

    /// Waits until nobody else writes the merged report. If somebody has done so since the records of this
    /// process were complete, there is nothing to do, and the answer is `None`.
    pub fn turn(&self, own: &Path) -> anyhow::Result<Option<File>> {
        let path = self.0.join(LOCK);
        let mut options = fs::OpenOptions::new();
        let lock = options.create(true).truncate(false).write(true).open(&path);
        let lock = lock.with_context(|| format!("cannot write {}", path.display()))?;
        lock.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        let changed = |path: &Path| fs::metadata(path).and_then(|m| m.modified());
        let merged = lock.metadata().and_then(|m| m.modified());
        let is_in = matches!((changed(own), merged), (Ok(own), Ok(merged)) if own < merged)
            && lock.metadata().is_ok_and(|m| m.len() > 0);
        Ok((!is_in).then_some(lock))
    }

    /// Says that all that is there at this moment will be in the report.
    pub fn begin(&self, turn: &File) {
        // Sets the time of the file, and tells a first one from one that was just made.
        let _ = turn.set_len(1);
        let _ = turn.set_modified(SystemTime::now());
    }
}

/// Whether the properties and what is counted of them are the same: how the agents get them does not matter.
fn is_alike(bytes: &[u8], bundle: &Bundle) -> bool {
    let plain = |bundle: &Bundle| {
        let settings = Settings { files: bundle.settings.files.clone(), ..Settings::default() };
        Bundle { model: bundle.model.clone(), settings }.to_bytes().ok()
    };
    Bundle::from_bytes(bytes).is_ok_and(|there| plain(&there) == plain(bundle))
}

/// Hands the run of all JVMs of these folders to `then`. Their properties must be the same.
///
/// # Errors
/// If a folder cannot be read, has other properties than the first one, or `then` fails.
pub fn merged<T>(
    folders: &[Records],
    reports: &ReportFlags,
    global: &Global,
    then: impl FnOnce(&mut Run<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let [first, others @ ..] = folders else { bail!("there is no folder of records") };
    let bundle = first.bundle()?;
    for other in others {
        let bytes = other.bundle()?.to_bytes()?;
        if !is_alike(&bytes, &bundle) {
            bail!(
                "{} and {} have records of different properties",
                first.folder().display(),
                other.folder().display()
            );
        }
    }
    // The text is not needed any more.
    let file = |name: &String| SourceFile { name: name.clone(), text: String::new() };
    let files: Vec<SourceFile> = bundle.settings.files.iter().map(file).collect();
    let mut run = Run::of_processes(&bundle.model, &files, reports.open()?);
    if !bundle.settings.silenced.is_empty() {
        run.expect_unseen_events();
    }
    for folder in folders {
        for path in folder.files()? {
            let open =
                File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let runs_still = matches!(open.try_lock_shared(), Err(TryLockError::WouldBlock));
            run.next_process();
            // A JVM that was killed may have left half a record, which is not to be had.
            let _ = run.listen(&mut std::io::BufReader::new(open), global, false);
            if runs_still {
                run.leave();
            }
        }
    }
    then(&mut run)
}
