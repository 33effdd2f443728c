//! Class files of a program: from directories, jars and single files, and the JDK's own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_classfile::source::{ClassSource, JImage, Jar, MemoryClasses};

/// Multi-release jars are read as this release of Java would, if no JDK tells one.
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
        match path.extension().and_then(|e| e.to_str()) {
            Some("class") => self.0.push((shown.to_string(), bytes)),
            Some("jar" | "zip" | "war" | "ear") => {
                let jar = Jar::parse(bytes, release).with_context(|| format!("in {shown}"))?;
                self.jar(&jar, &shown.to_string())?;
            }
            _ => bail!("{shown} is no class file, no jar and no directory of class files"),
        }
        Ok(())
    }

    fn jar<B: AsRef<[u8]>>(&mut self, jar: &Jar<B>, shown: &str) -> anyhow::Result<()> {
        for name in jar.names().with_context(|| format!("in {shown}"))? {
            let bytes = jar.class(&name).with_context(|| format!("in {shown}: {name}"))?;
            if let Some(bytes) = bytes {
                self.0.push((format!("{shown}: {name}"), bytes.into_owned()));
            }
        }
        Ok(())
    }

    fn directory(&mut self, path: &Path) -> anyhow::Result<()> {
        let mut work = vec![path.to_owned()];
        let mut found = Vec::new();
        while let Some(path) = work.pop() {
            let entries = fs::read_dir(&path);
            for entry in entries.with_context(|| format!("cannot read {}", path.display()))? {
                let entry = entry?;
                let kind = entry.file_type()?;
                let path = entry.path();
                if kind.is_dir() {
                    work.push(path);
                } else if path.extension().is_some_and(|e| e == "class")
                    && path.file_stem().is_some_and(|s| s != "module-info" && s != "package-info")
                {
                    found.push(path);
                }
            }
        }
        found.sort();
        for path in found {
            let bytes = fs::read(&path);
            let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
            self.0.push((path.display().to_string(), bytes));
        }
        Ok(())
    }

    /// Names and bytes, borrowed.
    pub fn borrowed(&self) -> Vec<(String, &[u8])> {
        self.0.iter().map(|(place, bytes)| (place.clone(), bytes.as_slice())).collect()
    }
}

/// The classes of a JDK: of `--jdk`, `JAVA_HOME`, or the `java` on the path.
pub fn platform(jdk: Option<&Path>) -> anyhow::Result<Box<dyn ClassSource>> {
    let Some(home) = jdk.map(Path::to_owned).or_else(find_jdk) else {
        bail!("no JDK was found: set JAVA_HOME, or say where one is with `--jdk DIR`");
    };
    let image = home.join("lib/modules");
    if image.exists() {
        let bytes = fs::read(&image).with_context(|| format!("cannot read {}", image.display()))?;
        let image = JImage::parse(bytes).with_context(|| format!("in {}", image.display()))?;
        return Ok(Box::new(image));
    }
    for old in ["jre/lib/rt.jar", "lib/rt.jar"] {
        let path = home.join(old);
        if path.exists() {
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            return Ok(Box::new(Jar::parse(bytes, 8)?));
        }
    }
    if jdk.is_some() {
        bail!("{} is no JDK: it has neither lib/modules nor rt.jar", home.display());
    }
    Ok(Box::new(MemoryClasses::default()))
}

/// The release of a JDK, from its file `release`.
pub fn release_of(jdk: &Path) -> u16 {
    let text = fs::read_to_string(jdk.join("release")).unwrap_or_default();
    let version = text.lines().find_map(|l| l.strip_prefix("JAVA_VERSION=\""));
    let digits = version.and_then(|v| v.split(|c: char| !c.is_ascii_digit()).next());
    digits.and_then(|d| d.parse().ok()).unwrap_or(RELEASE)
}

/// The JDK of `JAVA_HOME`, or that of `java` on the path.
pub fn find_jdk() -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("JAVA_HOME").filter(|h| !h.is_empty()) {
        return Some(home.into());
    }
    let path = std::env::var_os("PATH")?;
    let java = std::env::split_paths(&path).map(|dir| dir.join("java")).find(|p| p.exists())?;
    let java = fs::canonicalize(java).ok()?;
    Some(java.parent()?.parent()?.to_owned())
}
