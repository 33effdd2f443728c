//! The Java code of property files, compiled.
//!
//! All classes are compiled at once, by the `javac` beside the `java` that is run. Classes that do not compile
//! are told, with the place in the property file. What compiled is kept in the cache.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use watchword_model::JavaClass;
use watchword_spec::SourceFile;
use watchword_spec::files::Position;

use crate::jvm::{java, library};

/// What code is compiled with.
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    /// The `java` that will run it, if it was named.
    pub java: Option<PathBuf>,
    /// The class path of the program.
    pub class_path: Vec<PathBuf>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Compiled {
    /// Classes by their internal names; empty if something is broken.
    pub classes: Vec<(String, Vec<u8>)>,
    /// Specifications whose code does not compile, and why.
    pub broken: Vec<(String, String)>,
}

impl Compiler {
    /// Compiles classes.
    pub fn compile(&self, classes: &[JavaClass], files: &[SourceFile]) -> anyhow::Result<Compiled> {
        if classes.is_empty() {
            return Ok(Compiled::default());
        }
        let javac = self.javac()?;
        let folder = library::folder()?.join(format!("code-{:016x}", self.hash(&javac, classes)));
        if !folder.is_dir()
            && let Some(broken) = self.compile_into(&folder, &javac, classes, files)?
        {
            return Ok(Compiled { classes: Vec::new(), broken });
        }
        Ok(Compiled { classes: read(&folder)?, broken: Vec::new() })
    }

    /// The compiler of the JDK that runs the program.
    fn javac(&self) -> anyhow::Result<PathBuf> {
        let java = java::find(self.java.as_deref())?;
        let real = java.canonicalize().unwrap_or_else(|_| java.clone());
        let beside = real.with_file_name("javac");
        if !beside.is_file() {
            bail!(
                "--allow-java needs a JDK: there is no javac beside {}; pass `--java PATH`, or set JAVA_HOME",
                java.display()
            );
        }
        Ok(beside)
    }

    /// What the result depends on.
    fn hash(&self, javac: &Path, classes: &[JavaClass]) -> u64 {
        let mut hasher = DefaultHasher::new();
        let changed = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
        for path in self.class_path.iter().map(PathBuf::as_path).chain([javac]) {
            (path, changed(path)).hash(&mut hasher);
        }
        for class in classes {
            (&class.name, &class.source).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Compiles into a folder that appears when it is complete; answers what is broken.
    fn compile_into(
        &self,
        folder: &Path,
        javac: &Path,
        classes: &[JavaClass],
        files: &[SourceFile],
    ) -> anyhow::Result<Option<Vec<(String, String)>>> {
        let work = folder.with_extension(format!("{}.tmp", std::process::id()));
        library::private(&work)?;
        let result = self.run(&work, javac, classes, files);
        let done = match &result {
            Ok(None) => fs::rename(work.join("out"), folder),
            _ => Ok(()),
        };
        let _ = fs::remove_dir_all(&work);
        if !folder.is_dir() {
            done.with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        result
    }

    fn run(
        &self,
        work: &Path,
        javac: &Path,
        classes: &[JavaClass],
        files: &[SourceFile],
    ) -> anyhow::Result<Option<Vec<(String, String)>>> {
        let out = work.join("out");
        library::private(&out)?;
        let mut command = Command::new(javac);
        command.args(["-J-Duser.language=en", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]);
        command.args(["-encoding", "UTF-8", "-proc:none", "-nowarn", "-implicit:none", "-g:lines"]);
        command.args(["-Xmaxerrs", "100000", "-d"]).arg(&out).arg("-cp");
        let paths = std::env::join_paths(&self.class_path).context("a class path has a `:`")?;
        // With an empty class path the compiler would look into the current folder.
        command.arg(if paths.is_empty() { out.clone().into_os_string() } else { paths });
        for class in classes {
            let path = work.join(format!("{}.java", class.name));
            fs::write(&path, &class.source)
                .with_context(|| format!("cannot write {}", path.display()))?;
            command.arg(path);
        }
        let done = command.output().with_context(|| format!("cannot run {}", javac.display()))?;
        if done.status.success() {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&done.stderr);
        let broken = broken(&said, classes, files);
        if broken.is_empty() {
            bail!("{} failed: {}", javac.display(), said.trim());
        }
        Ok(Some(broken))
    }
}

/// The first mistake of every class, in what the compiler said.
fn broken(said: &str, classes: &[JavaClass], files: &[SourceFile]) -> Vec<(String, String)> {
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    let lines: Vec<&str> = said.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let Some((place, message)) = line.split_once(": error: ") else { continue };
        let Some((path, number)) = place.rsplit_once(':') else { continue };
        let name = Path::new(path).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(at) = classes.iter().position(|class| class.name == name) else { continue };
        let mut text = message.to_string();
        // Behind the line and its mark the compiler says which symbol it does not find.
        let mut rest = lines[index + 1..].iter().take_while(|line| !line.contains(": error: "));
        if let Some(symbol) = rest.find_map(|line| line.trim().strip_prefix("symbol:")) {
            text.push_str(&format!(": {}", symbol.trim()));
        }
        if let Some(line) = number.parse().ok().and_then(|line| line_of(&classes[at], line, files))
        {
            text.push_str(&format!(" (line {line})"));
        }
        found.entry(at).or_insert(text);
    }
    found.into_iter().map(|(at, why)| (classes[at].of.clone(), why)).collect()
}

/// The line of the property file that a line of a class comes from.
fn line_of(class: &JavaClass, line: u32, files: &[SourceFile]) -> Option<u32> {
    let (first, span) = class.lines.iter().rev().find(|(first, _)| *first <= line)?;
    let file = files.get(span.file.index())?;
    let Position { line: begins, .. } = file.position(span.start);
    Some(begins + line - first)
}

/// The classes in a folder.
fn read(folder: &Path) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let context = || format!("cannot read {}", folder.display());
    let mut classes = Vec::new();
    for entry in fs::read_dir(folder).with_context(context)? {
        let path = entry.with_context(context)?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        classes.push((name.to_string(), fs::read(&path).with_context(context)?));
    }
    classes.sort();
    Ok(classes)
}
