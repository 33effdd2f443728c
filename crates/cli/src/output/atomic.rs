//! Files that are there completely or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;

/// Writes a file by writing another one beside it and renaming that.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let content = content.as_ref();
    let context = || format!("cannot write {}", path.display());
    // Devices and pipes cannot be renamed over.
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        let mut file = fs::OpenOptions::new().write(true).open(path).with_context(context)?;
        return file.write_all(content).with_context(context);
    }
    // What a link points to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = target.file_name().with_context(context)?.to_string_lossy().into_owned();
    let beside = target.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
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
