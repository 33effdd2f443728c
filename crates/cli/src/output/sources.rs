//! The lines around a location, for reports that show sources.
//!
//! A report is published, and a trace comes from anywhere: what a trace names is shown only if it is
//! the trace itself or lies below the current folder or one that was given. A program that was run
//! is trusted to name its own sources.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use watchword_model::Location;
use watchword_view::Snippet;

/// Lines before and after the one that matters.
const AROUND: u32 = 3;
/// Lines further down than this many bytes are not looked for.
const MAX_BYTES: u64 = 64 << 20;
/// No line of a program is longer; those of a log are cut.
const MAX_LINE: usize = 400;

/// Finds source files below some folders.
pub struct Sources {
    folders: Vec<PathBuf>,
    /// The traces, if locations come from a trace.
    traces: Option<HashSet<String>>,
    files: RefCell<HashMap<PathBuf, Option<Lines>>>,
}

/// A file and where its lines begin.
struct Lines {
    file: File,
    /// The end of the last line is the last of them.
    starts: Vec<u64>,
}

impl Sources {
    /// Of a program: files by their own names, or below these folders.
    pub fn of_program(folders: &[PathBuf]) -> Sources {
        Sources { folders: folders.to_vec(), traces: None, files: RefCell::default() }
    }

    /// Of what these traces name: files below the current folder, or below these folders.
    pub fn of_traces(folders: &[PathBuf], traces: &[String]) -> Sources {
        let traces = Some(traces.iter().cloned().collect());
        Sources { traces, ..Sources::of_program(folders) }
    }

    /// The lines around a location.
    pub fn snippet(&self, location: &Location) -> Option<Snippet> {
        let (file, line) = (location.file.as_deref()?, location.line?);
        let mut files = self.files.borrow_mut();
        self.paths(file, location.function.as_deref().unwrap_or_default()).into_iter().find_map(
            |path| {
                let file = self.seen_from_here(&path);
                let lines = files.entry(path).or_insert_with_key(|path| Lines::of(path));
                Some(Snippet { file, ..lines.as_mut()?.around(line)? })
            },
        )
    }

    /// A file of a program as seen from the current folder.
    fn seen_from_here(&self, path: &Path) -> Option<String> {
        let here = std::env::current_dir().and_then(fs::canonicalize).ok()?;
        let path = path.strip_prefix(here).unwrap_or(path);
        self.traces.is_none().then(|| path.display().to_string())
    }

    /// Where a file may be, the likeliest place first.
    fn paths(&self, file: &str, function: &str) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        match &self.traces {
            None => paths.push(PathBuf::from(file)),
            Some(traces) if traces.contains(file) => return vec![PathBuf::from(file)],
            Some(_) => paths.extend(below(Path::new("."), Path::new(file))),
        }
        for folder in &self.folders {
            paths.extend(below(folder, Path::new(file)));
            // Java names the file, the class tells its package: `shop.Orders.ship`.
            let parts: Vec<&str> = function.split('.').collect();
            if parts.len() > 2 {
                let package = parts[..parts.len() - 2].join("/");
                paths.extend(below(folder, &Path::new(&package).join(file)));
            }
        }
        paths
    }
}

/// A file in a folder; none if it is not there or leads out of it.
fn below(folder: &Path, file: &Path) -> Option<PathBuf> {
    if file.is_absolute() {
        return None;
    }
    let folder = fs::canonicalize(folder).ok()?;
    let path = fs::canonicalize(folder.join(file)).ok()?;
    path.starts_with(&folder).then_some(path)
}

impl Lines {
    fn of(path: &Path) -> Option<Lines> {
        // Opening a pipe waits for whoever writes to it.
        if !fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let file = File::open(path).ok()?;
        let mut reader = BufReader::new((&file).take(MAX_BYTES));
        let mut starts = vec![0];
        let mut at = 0;
        loop {
            let length = reader.skip_until(b'\n').ok()?;
            if length == 0 {
                break;
            }
            at += length as u64;
            starts.push(at);
        }
        Some(Lines { file, starts })
    }

    fn around(&mut self, line: u32) -> Option<Snippet> {
        let count = self.starts.len() - 1;
        if line == 0 || line as usize > count {
            return None;
        }
        let first = line.saturating_sub(AROUND).max(1);
        let last = (line.saturating_add(AROUND) as usize).min(count);
        let lines = (first as usize..=last).map(|number| {
            let (start, end) = (self.starts[number - 1], self.starts[number]);
            // A character is at most four bytes long.
            let length = (end - start).min(4 * MAX_LINE as u64);
            let mut bytes = Vec::new();
            self.file.seek(SeekFrom::Start(start)).ok()?;
            (&self.file).take(length).read_to_end(&mut bytes).ok()?;
            let text = String::from_utf8_lossy(&bytes);
            Some(text.trim_end_matches(['\n', '\r']).chars().take(MAX_LINE).collect())
        });
        Some(Snippet { first, lines: lines.collect::<Option<Vec<String>>>()?, file: None })
    }
}
