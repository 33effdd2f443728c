//! The agent's library: inside the command line, and where a JVM can load it from.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use flate2::read::ZlibDecoder;

/// The library, compressed.
static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/agent"));
/// A hash of its content, made when it was built: it is some megabytes, and every run would take a
/// hash again.
const HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/agent.hash"));
/// Its size in bytes, not compressed, in decimal digits.
const LENGTH: &str = include_str!(concat!(env!("OUT_DIR"), "/agent.length"));

/// Whether this build has an agent inside.
pub fn is_inside() -> bool {
    LENGTH != "0"
}

/// A folder only this user can look into, for files that programs load.
pub fn folder() -> anyhow::Result<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
    let Some(cache) = cache.or_else(home) else {
        bail!("there is no folder for the agent: neither XDG_CACHE_HOME nor HOME is set");
    };
    let folder = cache.join("watchword");
    private(&folder)?;
    Ok(folder)
}

/// Makes a folder only this user can look into.
pub fn private(folder: &Path) -> anyhow::Result<()> {
    let context = || format!("cannot make the folder {}", folder.display());
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).with_context(context)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(context);
        }
        _ => {}
    }
    let there = fs::symlink_metadata(folder).with_context(context)?;
    // A file of our own belongs to whom the folder should belong to.
    let own = fs::metadata("/proc/self").map(|m| m.uid()).unwrap_or(there.uid());
    if !there.is_dir() || there.uid() != own {
        bail!("{} is not a folder of this user", folder.display());
    }
    if there.mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).with_context(context)?;
    }
    Ok(())
}

/// The library as a file, put there if it is not there yet.
pub fn extract(folder: &Path) -> anyhow::Result<PathBuf> {
    if !is_inside() {
        bail!("this build of watchword contains no JVM agent; builds for Linux do");
    }
    let path = folder.join(format!("libwatchword-{HASH}.so"));
    // Files get their names when they are complete.
    if !fs::metadata(&path).is_ok_and(|there| there.len().to_string() == LENGTH) {
        let mut library = Vec::new();
        ZlibDecoder::new(LIBRARY).read_to_end(&mut library).context("the agent is damaged")?;
        put(&path, &library, true)?;
    }
    Ok(path)
}

/// Tells the classes in that folder from those of other builds.
pub const RUNTIME: u32 = watchword_wire::fingerprint(&watchword_weave::runtime::BASE_BYTES);

/// A folder with the classes that are to be in the module `java.base`, as `--patch-module` takes it.
pub fn base_classes(folder: &Path) -> anyhow::Result<PathBuf> {
    let classes = watchword_weave::runtime::BASE;
    let mut hasher = DefaultHasher::new();
    classes.hash(&mut hasher);
    let base = folder.join(format!("base-{:016x}", hasher.finish()));
    for (name, bytes) in classes {
        let path = base.join(format!("{name}.class"));
        if !fs::read(&path).is_ok_and(|there| there == bytes) {
            let package = path.parent().context("a class has a package")?;
            fs::create_dir_all(package)
                .with_context(|| format!("cannot make the folder {}", package.display()))?;
            put(&path, bytes, false)?;
        }
    }
    Ok(base)
}

/// A file named by its content, put there completely or not at all.
pub fn store(folder: &Path, name: &str, extension: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let path = folder.join(format!("{name}-{:016x}.{extension}", hasher.finish()));
    if fs::read(&path).is_ok_and(|there| there == bytes) {
        return Ok(path);
    }
    put(&path, bytes, false)?;
    Ok(path)
}

/// Puts a file where it belongs, completely or not at all; if it is `lasting`, also should the
/// machine fail, since nobody looks at its content again.
pub fn put(path: &Path, bytes: &[u8], lasting: bool) -> anyhow::Result<()> {
    let fresh = path.with_extension(format!("{}.tmp", std::process::id()));
    let write = || {
        let mut options = fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o700).open(&fresh)?;
        file.write_all(bytes)?;
        if lasting {
            file.sync_all()?;
        }
        fs::rename(&fresh, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
