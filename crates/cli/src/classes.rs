//! Class files of a program: from directories, jars and single files, and the JDK's own.
//!
//! [`Classes`] has them all at hand, for analyses of whole programs; [`Loaded`] looks up those that
//! properties are checked against.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_classfile::source::{ClassPath, ClassSource, Directory, JImage, Jar};
use watchword_model::Value;
use watchword_spec::classes::{self, ClassConstants};

use crate::args;

/// Directories nest no deeper than this.
const MAX_DEPTH: usize = 64;
/// The Java release multi-release jars are read for if no JDK tells one.
pub const RELEASE: u16 = 25;

/// Class files, each with where it was found.
#[derive(Debug, Default)]
pub struct Classes(pub Vec<(String, Vec<u8>)>);

impl Classes {
    /// Reads directories, jars (nested ones too) and class files.
    pub fn read(paths: &[PathBuf]) -> anyhow::Result<Classes> {
        Classes::read_for(paths, find_jdk().map_or(RELEASE, |jdk| release_of(&jdk)))
    }

    /// The same, as a release of Java would read multi-release jars.
    pub fn read_for(paths: &[PathBuf], release: u16) -> anyhow::Result<Classes> {
        let mut classes = Classes::default();
        for path in paths {
            classes.add(path, release)?;
        }
        Ok(classes)
    }

    fn add(&mut self, path: &Path, release: u16) -> anyhow::Result<()> {
        let shown = path.display();
        let metadata = fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
        if metadata.is_dir() {
            return self.directory(path);
        }
        let bytes = fs::read(path).with_context(|| format!("cannot read {shown}"))?;
        let extension = path.extension().map(|e| e.to_ascii_lowercase());
        match extension.as_ref().and_then(|e| e.to_str()) {
            Some("class") => self.0.push((shown.to_string(), bytes)),
            // `java` does not care for names.
            Some("jar" | "zip" | "war" | "ear") => self.archive(bytes, &shown, release)?,
            _ if bytes.starts_with(b"PK") => self.archive(bytes, &shown, release)?,
            _ => bail!("{shown} is no class file, no jar and no directory of class files"),
        }
        Ok(())
    }

    fn archive(
        &mut self,
        bytes: Vec<u8>,
        shown: &impl std::fmt::Display,
        release: u16,
    ) -> anyhow::Result<()> {
        let jar = Jar::parse(bytes, release).with_context(|| format!("in {shown}"))?;
        for name in jar.names().with_context(|| format!("in {shown}"))? {
            let bytes = jar.class(&name).with_context(|| format!("in {shown}: {name}"))?;
            if let Some(bytes) = bytes {
                self.0.push((format!("{shown}: {name}"), bytes.into_owned()));
            }
        }
        Ok(())
    }

    fn directory(&mut self, path: &Path) -> anyhow::Result<()> {
        for file in files_below(path)? {
            let file = Path::new(&file);
            let is_class = file.extension().is_some_and(|e| e == "class")
                && file.file_stem().is_some_and(|s| s != "module-info" && s != "package-info");
            if is_class {
                let file = path.join(file);
                let bytes = fs::read(&file);
                let bytes = bytes.with_context(|| format!("cannot read {}", file.display()))?;
                self.0.push((file.display().to_string(), bytes));
            }
        }
        Ok(())
    }

    /// Names and bytes, borrowed.
    pub fn borrowed(&self) -> Vec<(String, &[u8])> {
        self.0.iter().map(|(place, bytes)| (place.clone(), bytes.as_slice())).collect()
    }
}

/// The classes of a class path and of a JDK, to be looked up.
#[derive(Default)]
pub struct Loaded {
    program: ClassPath<'static>,
    library: Option<Box<dyn ClassSource>>,
    /// Folders without a single class file, which are hardly meant.
    pub without_classes: Vec<PathBuf>,
}

impl Loaded {
    /// Reads the class path of the command line; `None` if there is none.
    pub fn read(flags: &args::Classes) -> anyhow::Result<Option<Loaded>> {
        let entries = entries(&flags.cp);
        if entries.is_empty() { Ok(None) } else { Loaded::of(&entries).map(Some) }
    }

    fn of(entries: &[PathBuf]) -> anyhow::Result<Loaded> {
        let jdk = entries.iter().find(|e| library_of(e).is_some()).cloned().or_else(find_jdk);
        let release = jdk.as_deref().map_or(RELEASE, release_of);
        let mut loaded = Loaded::default();
        for entry in entries.iter().filter(|e| library_of(e).is_none()) {
            loaded.add(entry, release)?;
        }
        loaded.library = jdk.as_deref().map(open_jdk).transpose()?;
        Ok(loaded)
    }

    /// As properties are checked against them.
    pub fn classes(&self) -> classes::Classes<'_> {
        classes::Classes::new(&self.program, self.library.as_deref())
    }

    fn add(&mut self, entry: &Path, release: u16) -> anyhow::Result<()> {
        let name = entry.display();
        let metadata = fs::metadata(entry).with_context(|| format!("cannot read {name}"))?;
        if metadata.is_dir() {
            let (paths, root) = (files_below(entry)?, entry.to_path_buf());
            if !paths.iter().any(|path| path.ends_with(".class")) {
                self.without_classes.push(root.clone());
            }
            let directory = Directory::new(paths, move |path: &str| fs::read(root.join(path)).ok());
            self.program.push(directory);
            return Ok(());
        }
        let bytes = fs::read(entry).with_context(|| format!("cannot read {name}"))?;
        let jar = match entry.extension().and_then(|e| e.to_str()) {
            Some("jmod") => Jar::parse_jmod(bytes, release),
            Some("jar" | "war" | "ear" | "zip") => Jar::parse(bytes, release),
            _ => bail!("{name}: a class path has jars, jmods, directories and a JDK"),
        };
        self.program.push(jar.map_err(|e| anyhow::anyhow!("{name} cannot be read: {e}"))?);
        Ok(())
    }
}

/// The entries of class paths as they are written on command lines.
pub fn entries(lists: &[String]) -> Vec<PathBuf> {
    let separator = if cfg!(windows) { ';' } else { ':' };
    let entries = lists.iter().flat_map(|list| list.split(separator));
    entries.filter(|entry| !entry.is_empty()).map(PathBuf::from).collect()
}

/// The classes of a program that is about to run, for class constants: read when a property asks
/// for the first one, and as forgiving as a JVM.
pub struct ProgramClasses<'p> {
    paths: Box<dyn Fn() -> anyhow::Result<Vec<PathBuf>> + 'p>,
    loaded: OnceCell<Result<Loaded, String>>,
}

impl<'p> ProgramClasses<'p> {
    /// Of places that are looked up when they are needed.
    pub fn new(paths: impl Fn() -> anyhow::Result<Vec<PathBuf>> + 'p) -> ProgramClasses<'p> {
        ProgramClasses { paths: Box::new(paths), loaded: OnceCell::new() }
    }
}

impl ClassConstants for ProgramClasses<'_> {
    fn constant(&self, name: &str) -> Result<Value, String> {
        let loaded = self.loaded.get_or_init(|| {
            let mut paths = (self.paths)().map_err(|error| format!("{error:#}"))?;
            paths.retain(|path| path.exists());
            Loaded::of(&paths).map_err(|error| format!("{error:#}"))
        });
        match loaded {
            Ok(loaded) => loaded.classes().constant(name),
            Err(why) => Err(format!("the value of `{name}` is not known: {why}")),
        }
    }
}

/// The files below a directory, relative to it, in order. Links are followed, as `java` does.
pub fn files_below(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut work = vec![(String::new(), 0)];
    while let Some((below, depth)) = work.pop() {
        let directory = root.join(&below);
        let entries = fs::read_dir(&directory);
        for entry in entries.with_context(|| format!("cannot read {}", directory.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            let is_dir = match entry.file_type()? {
                kind if kind.is_symlink() => leads_down(&entry.path()),
                kind => kind.is_dir(),
            };
            if !is_dir {
                files.push(path);
            } else if depth < MAX_DEPTH {
                work.push((path, depth + 1));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a link leads to a folder, and not to one that it is in.
fn leads_down(link: &Path) -> bool {
    let (Ok(to), Some(Ok(from))) = (link.canonicalize(), link.parent().map(Path::canonicalize))
    else {
        return false;
    };
    to.is_dir() && !from.starts_with(&to)
}

/// The classes of a JDK: of `--jdk`, `JAVA_HOME`, or the `java` on the path.
pub fn platform(jdk: Option<&Path>) -> anyhow::Result<Box<dyn ClassSource>> {
    match jdk.map(Path::to_owned).or_else(find_jdk) {
        Some(home) => open_jdk(&home),
        None => bail!("no JDK was found: set JAVA_HOME, or say where one is with `--jdk DIR`"),
    }
}

/// The file a JDK keeps its classes in.
fn library_of(jdk: &Path) -> Option<PathBuf> {
    let known = ["lib/modules", "jre/lib/rt.jar", "lib/rt.jar"];
    known.iter().map(|file| jdk.join(file)).find(|file| file.is_file())
}

fn open_jdk(home: &Path) -> anyhow::Result<Box<dyn ClassSource>> {
    let Some(library) = library_of(home) else {
        bail!("{} is no JDK: it has neither lib/modules nor rt.jar", home.display());
    };
    let shown = library.display();
    let bytes = fs::read(&library).with_context(|| format!("cannot read {shown}"))?;
    if library.extension().is_some_and(|e| e == "jar") {
        return Ok(Box::new(Jar::parse(bytes, 8).with_context(|| format!("in {shown}"))?));
    }
    Ok(Box::new(JImage::parse(bytes).with_context(|| format!("in {shown}"))?))
}

/// The JDK of `JAVA_HOME`, or that of `java` on the path.
pub fn find_jdk() -> Option<PathBuf> {
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let on_path = std::env::var_os("PATH").and_then(|path| {
        let java = std::env::split_paths(&path).map(|p| p.join("java")).find(|p| p.is_file())?;
        let real = fs::canonicalize(java).ok()?;
        Some(real.parent()?.parent()?.to_path_buf())
    });
    home.into_iter().chain(on_path).find(|jdk| library_of(jdk).is_some())
}

/// The release of a JDK; that of the newest one that is known if it does not say.
pub fn release_of(jdk: &Path) -> u16 {
    told_release(jdk).unwrap_or(RELEASE)
}

/// The release of a JDK, as its file `release` has it: 8 of `1.8.0_402`, 17 of `17.0.1`.
pub fn told_release(jdk: &Path) -> Option<u16> {
    let text = fs::read_to_string(jdk.join("release")).ok()?;
    let version = text.lines().find_map(|l| l.strip_prefix("JAVA_VERSION=\""))?;
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().ok());
    match numbers.next()? {
        Some(1) => numbers.next()?,
        number => number,
    }
}
