//! Classes from a class path: jars, directories, a JDK.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_classfile::source::{ClassPath, ClassSource, Directory, JImage, Jar};
use watchword_spec::classes;

use crate::args::Classes;
use crate::classes::release_of;

/// Directories nest no deeper than this.
const MAX_DEPTH: usize = 64;
/// The Java release multi-release jars are read for if no JDK tells one.
const RELEASE: u16 = 17;

/// The classes that were given, read.
#[derive(Default)]
pub struct Loaded {
    program: ClassPath<'static>,
    library: Option<Box<dyn ClassSource>>,
}

impl Loaded {
    /// As properties are checked against them.
    pub fn classes(&self) -> classes::Classes<'_> {
        classes::Classes::new(&self.program, self.library.as_deref())
    }
}

/// Reads the class path of the command line; `None` if there is none.
pub fn load(flags: &Classes) -> anyhow::Result<Option<Loaded>> {
    if flags.cp.is_empty() {
        return Ok(None);
    }
    let separator = if cfg!(windows) { ';' } else { ':' };
    let entries: Vec<PathBuf> = flags
        .cp
        .iter()
        .flat_map(|list| list.split(separator))
        .filter(|entry| !entry.is_empty())
        .map(PathBuf::from)
        .collect();
    let is_jdk = |path: &Path| path.join("lib/modules").is_file();
    let jdk = entries.iter().find(|e| is_jdk(e)).cloned().or_else(default_jdk);
    let release = jdk.as_deref().map_or(RELEASE, release_of);
    let mut loaded = Loaded::default();
    for entry in entries.iter().filter(|e| !is_jdk(e)) {
        add(entry, release, &mut loaded.program)?;
    }
    if let Some(jdk) = jdk {
        let image = jdk.join("lib/modules");
        let bytes = fs::read(&image).with_context(|| format!("cannot read {}", image.display()))?;
        let image = JImage::parse(bytes)
            .map_err(|e| anyhow::anyhow!("{} is no run-time image: {e}", image.display()))?;
        loaded.library = Some(Box::new(image));
    }
    Ok(Some(loaded))
}

fn add(entry: &Path, release: u16, program: &mut ClassPath<'static>) -> anyhow::Result<()> {
    let name = entry.display();
    let metadata = fs::metadata(entry).with_context(|| format!("cannot read {name}"))?;
    if metadata.is_dir() {
        let mut paths = Vec::new();
        list(entry, "", 0, &mut paths)?;
        let root = entry.to_path_buf();
        program.push(Directory::new(paths, move |path: &str| fs::read(root.join(path)).ok()));
        return Ok(());
    }
    let bytes = fs::read(entry).with_context(|| format!("cannot read {name}"))?;
    let jar = match entry.extension().and_then(|e| e.to_str()) {
        Some("jmod") => Jar::parse_jmod(bytes, release),
        Some("jar" | "war" | "ear" | "zip") => Jar::parse(bytes, release),
        _ => bail!("{name}: a class path has jars, jmods, directories and a JDK"),
    };
    program.push(jar.map_err(|e| anyhow::anyhow!("{name} cannot be read: {e}"))?);
    Ok(())
}

/// The files below a directory, relative to it.
fn list(root: &Path, below: &str, depth: usize, paths: &mut Vec<String>) -> anyhow::Result<()> {
    let directory = root.join(below);
    let entries =
        fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if entry.file_type()?.is_dir() {
            if depth < MAX_DEPTH {
                list(root, &path, depth + 1, paths)?;
            }
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// The JDK of `JAVA_HOME`, or that of `java` on the path.
fn default_jdk() -> Option<PathBuf> {
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let on_path = std::env::var_os("PATH").and_then(|path| {
        let java = std::env::split_paths(&path).map(|p| p.join("java")).find(|p| p.is_file())?;
        let real = fs::canonicalize(java).ok()?;
        Some(real.parent()?.parent()?.to_path_buf())
    });
    home.into_iter().chain(on_path).find(|jdk| jdk.join("lib/modules").is_file())
}
