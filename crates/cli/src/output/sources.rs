//! The lines around a location, for reports that show sources.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
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
    found: RefCell<HashMap<Location, Option<Snippet>>>,
}

impl Sources {
    /// Files by their own names, or below these folders.
    pub fn new(folders: &[PathBuf]) -> Sources {
        Sources { folders: folders.to_vec(), found: RefCell::default() }
    }

    /// The lines around a location.
    pub fn snippet(&self, location: &Location) -> Option<Snippet> {
        if let Some(known) = self.found.borrow().get(location) {
            return known.clone();
        }
        let snippet = self.find(location);
        self.found.borrow_mut().insert(location.clone(), snippet.clone());
        snippet
    }

    fn find(&self, location: &Location) -> Option<Snippet> {
        let (file, line) = (location.file.as_deref()?, location.line?);
        let mut paths = vec![PathBuf::from(file)];
        for folder in &self.folders {
            paths.push(folder.join(file));
            // Java names the file, the class tells its package: `shop.Orders.ship`.
            let function = location.function.as_deref().unwrap_or_default();
            let parts: Vec<&str> = function.split('.').collect();
            if parts.len() > 2 {
                paths.push(folder.join(parts[..parts.len() - 2].join("/")).join(file));
            }
        }
        paths.iter().find_map(|path| read(path, line))
    }
}

fn read(path: &Path, line: u32) -> Option<Snippet> {
    let file = File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let first = line.saturating_sub(AROUND).max(1);
    let mut lines = Vec::new();
    let mut reader = BufReader::new(file.take(MAX_BYTES));
    let mut bytes = Vec::new();
    for number in 1..=line.saturating_add(AROUND) {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).ok()? == 0 {
            break;
        }
        if number >= first {
            let text = String::from_utf8_lossy(&bytes);
            lines.push(text.trim_end_matches(['\n', '\r']).chars().take(MAX_LINE).collect());
        }
    }
    (first as usize + lines.len() > line as usize).then_some(Snippet { first, lines })
}
