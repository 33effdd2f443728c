//! Files that are there completely or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Writes a file by writing another one beside it and renaming that.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let content = content.as_ref();
    let context = || format!("cannot write {}", path.display());
    // Devices and pipes cannot be renamed over.
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        let mut file = fs::OpenOptions::new().write(true).open(path).with_context(context)?;
        return file.write_all(content).with_context(context);
    }
    let (target, beside) = beside(path).with_context(context)?;
    let result = (|| {
        let mut file = fs::File::create_new(&beside)?;
        file.write_all(content)?;
        if let Ok(metadata) = fs::metadata(&target) {
            fs::set_permissions(&beside, metadata.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&beside, &target)
    })();
    if result.is_err() {
        let _ = fs::remove_file(&beside);
    }
    result.with_context(context)
}

/// Refuses a path that could not be written later, and leaves everything as it is.
pub fn check(path: &Path) -> anyhow::Result<()> {
    let context = || format!("cannot write {}", path.display());
    if path.is_dir() {
        bail!("cannot write {}: it is a directory", path.display());
    }
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return fs::OpenOptions::new().write(true).open(path).map(drop).with_context(context);
    }
    let (target, beside) = beside(path).with_context(context)?;
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        bail!("cannot write {}: there is no folder {}", path.display(), folder.display());
    }
    fs::File::create_new(&beside).with_context(context)?;
    fs::remove_file(&beside).with_context(context)
}

/// The file that is replaced in the end — what a link points to, not the link — and the one that
/// is written first.
fn beside(path: &Path) -> anyhow::Result<(PathBuf, PathBuf)> {
    let target = behind_links(path)?;
    let name = target.file_name().context("it has no name")?.to_string_lossy().into_owned();
    let beside = target.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    Ok((target, beside))
}

/// What a link stands for, be it there or not.
fn behind_links(path: &Path) -> anyhow::Result<PathBuf> {
    const MAX_LINKS: usize = 40;
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else { return Ok(target) };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    bail!("its links lead in a circle")
}

/// Writes a folder of files, by path inside it, by writing another one beside it and renaming that.
pub fn write_folder(path: &Path, files: &BTreeMap<&str, &[u8]>) -> anyhow::Result<()> {
    let context = || format!("cannot write {}", path.display());
    let name = path.file_name().with_context(context)?.to_string_lossy().into_owned();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let result = (|| {
        fs::create_dir(&beside)?;
        for (inside, content) in files {
            let file = beside.join(inside);
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(file, content)?;
        }
        // An empty folder that is there already is replaced.
        fs::rename(&beside, path)
    })();
    if result.is_err() {
        let _ = fs::remove_dir_all(&beside);
    }
    result.with_context(context)
}
