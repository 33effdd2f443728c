//! What was woven ahead with `--residual` says what was analysed: whether that is what runs.

use std::path::{Path, PathBuf};

use watchword_classfile::source::Zip;
use watchword_model::Model;

use super::flags::silenced_by;
use crate::args::Global;

/// Where archives and folders have the file of silenced sites they were woven with.
pub const ENTRY: &str = "META-INF/watchword/silenced";

/// The files of silenced sites on a class path, without lines about properties that have changed.
pub fn silenced(paths: &[PathBuf], model: &Model, global: &Global) -> anyhow::Result<Vec<String>> {
    let then = "violations may be missing; weave it again";
    let found = paths.iter().filter_map(|path| Some((path, read(path)?)));
    found.map(|(path, text)| silenced_by(path, &text, model, then, global)).collect()
}

/// What cannot be read is left to the JVM.
fn read(path: &Path) -> Option<String> {
    if path.is_dir() {
        return std::fs::read_to_string(path.join(ENTRY)).ok();
    }
    let zip = Zip::parse(std::fs::read(path).ok()?).ok()?;
    String::from_utf8(zip.read(ENTRY).ok()??.into_owned()).ok()
}
