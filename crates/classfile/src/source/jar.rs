//! Jars, jmods, and the jars inside jars.

use std::borrow::Cow;
use std::collections::HashMap;

use super::zip::{Entry, Zip};
use super::{ClassSource, MAX_INFLATED, Manifest};
use crate::error::{Error, Result};

/// Jars nested deeper than this are not reported.
const MAX_DEPTH: usize = 4;

/// A jar (or war, or jmod) as a source of classes.
///
/// Of a multi-release jar, the versions for one Java release are chosen. Classes are also found
/// under `BOOT-INF/classes/` and `WEB-INF/classes/`, and in the jars under `BOOT-INF/lib/`,
/// `WEB-INF/lib/` and `lib/` of an application archive.
pub struct Jar<B> {
    zip: Zip<B>,
    manifest: Manifest,
    /// Internal class name → entry, the right version chosen.
    classes: HashMap<String, usize>,
    nested: Vec<NestedJar>,
}

/// A jar inside a jar.
pub struct NestedJar {
    /// Path of the inner jar in the outer one.
    pub path: String,
    /// The inner jar.
    pub jar: Jar<Vec<u8>>,
}

/// Folders whose contents are classes, not part of class names.
const CLASS_ROOTS: [&str; 2] = ["BOOT-INF/classes/", "WEB-INF/classes/"];
const LIBRARY_ROOTS: [&str; 3] = ["BOOT-INF/lib/", "WEB-INF/lib/", "lib/"];

impl<B: AsRef<[u8]>> Jar<B> {
    /// Opens a jar as the given Java release sees it.
    pub fn parse(data: B, release: u16) -> Result<Jar<B>> {
        Jar::open(Zip::parse(data)?, release, 0, false, &mut { MAX_INFLATED })
    }

    /// Opens a jmod, the JDK's link-time module format: a ZIP archive behind a four-byte header,
    /// with the classes under `classes/`.
    pub fn parse_jmod(data: B, release: u16) -> Result<Jar<B>> {
        if !data.as_ref().starts_with(b"JM\x01\x00") {
            return Err(Error::malformed(0, "expected the jmod header JM 1.0"));
        }
        Jar::open(Zip::parse(data)?, release, 0, true, &mut 0)
    }

    /// `budget` is how many bytes nested jars may take.
    fn open(
        zip: Zip<B>,
        release: u16,
        depth: usize,
        jmod: bool,
        budget: &mut usize,
    ) -> Result<Jar<B>> {
        let manifest = match zip.read("META-INF/MANIFEST.MF")? {
            Some(bytes) => Manifest::parse(&bytes)?,
            None => Manifest::default(),
        };
        let newest = if manifest.is_multi_release() { release } else { 0 };
        let mut chosen: HashMap<String, (u16, usize)> = HashMap::new();
        let mut nested = Vec::new();
        for (index, entry) in zip.entries().iter().enumerate() {
            if let Some((name, version)) = class_entry(&entry.name, jmod) {
                if version <= newest {
                    let slot = chosen.entry(name.to_owned()).or_insert((version, index));
                    // Later duplicates win, higher versions win over both.
                    if version >= slot.0 {
                        *slot = (version, index);
                    }
                }
            } else if !jmod && depth < MAX_DEPTH && is_library(&entry.name) {
                let left = usize::try_from(entry.size).ok().and_then(|n| budget.checked_sub(n));
                *budget = left.ok_or_else(|| {
                    Error::limit(format!("jars inside the jar take over {MAX_INFLATED} bytes"))
                })?;
                let bytes = zip.content(entry)?.into_owned();
                let inner = Zip::parse(bytes)
                    .and_then(|zip| Jar::open(zip, release, depth + 1, false, budget))
                    .map_err(|error| error.in_context(&entry.name))?;
                nested.push(NestedJar { path: entry.name.clone(), jar: inner });
            }
        }
        let classes = chosen.into_iter().map(|(name, (_, index))| (name, index)).collect();
        Ok(Jar { zip, manifest, classes, nested })
    }

    /// The archive itself.
    pub fn zip(&self) -> &Zip<B> {
        &self.zip
    }

    /// The manifest; empty when there is none.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The jars inside this one, each opened.
    pub fn nested(&self) -> &[NestedJar] {
        &self.nested
    }

    /// The entry that holds a class of this jar itself, nested jars aside.
    pub fn class_entry(&self, name: &str) -> Option<&Entry> {
        self.classes.get(name).map(|index| &self.zip.entries()[*index])
    }

    /// The files that sign the jar. A signed jar with a changed class is refused by the JVM.
    pub fn signature_files(&self) -> impl Iterator<Item = &str> {
        self.zip.entries().iter().map(|e| e.name.as_str()).filter(|name| is_signature(name))
    }

    /// Whether the jar is signed.
    pub fn is_signed(&self) -> bool {
        self.signature_files().next().is_some()
    }
}

/// Whether a path in a jar is a signature file: `META-INF/*.SF`, `.DSA`, `.RSA`, `.EC`, `SIG-*`.
pub fn is_signature(path: &str) -> bool {
    let upper = path.to_ascii_uppercase();
    let Some(name) = upper.strip_prefix("META-INF/") else { return false };
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    !name.contains('/')
        && (matches!(extension, Some("SF" | "DSA" | "RSA" | "EC")) || name.starts_with("SIG-"))
}

/// Internal class name and release (0 for the base) of an entry that holds a class.
fn class_entry(path: &str, jmod: bool) -> Option<(&str, u16)> {
    let name = path.strip_suffix(".class")?;
    if jmod {
        return name.strip_prefix("classes/").map(|name| (name, 0));
    }
    if let Some(versioned) = name.strip_prefix("META-INF/versions/") {
        let (release, name) = versioned.split_once('/')?;
        // Directories below 9 are ignored, as the JDK does.
        return release.parse().ok().filter(|release| *release >= 9).map(|release| (name, release));
    }
    if name.starts_with("META-INF/") {
        return None;
    }
    let stripped = CLASS_ROOTS.iter().find_map(|root| name.strip_prefix(root));
    Some((stripped.unwrap_or(name), 0))
}

fn is_library(path: &str) -> bool {
    path.ends_with(".jar") && LIBRARY_ROOTS.iter().any(|root| path.starts_with(root))
}

impl<B: AsRef<[u8]>> ClassSource for Jar<B> {
    fn class(&self, name: &str) -> Result<Option<Cow<'_, [u8]>>> {
        if let Some(entry) = self.class_entry(name) {
            return self.zip.content(entry).map(Some);
        }
        for nested in &self.nested {
            if let Some(bytes) = nested.jar.class(name)? {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    fn for_each_name(&self, visit: &mut dyn FnMut(&str)) -> Result<()> {
        for name in self.classes.keys().filter(|name| !name.ends_with("module-info")) {
            visit(name);
        }
        self.nested.iter().try_for_each(|nested| nested.jar.for_each_name(visit))
    }
}
