//! Archives and folders, rewritten class by class.

use std::path::Path;

use anyhow::{Context, bail};
use watchword_classfile::source::{Zip, ZipWriter, is_signature};

/// Archives in archives are opened to this depth.
const MAX_DEPTH: usize = 4;
const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// What is done with the classes of an archive.
pub struct Rewriter<'r> {
    /// A class's new bytes, or `None` to leave it as it is.
    pub class: &'r mut dyn FnMut(&[u8]) -> Option<Vec<u8>>,
    /// Whether signatures of changed archives are taken away.
    pub strip_signatures: bool,
    /// Classes to be added to changed archives: path and bytes.
    pub extra: &'r [(String, Vec<u8>)],
}

impl Rewriter<'_> {
    /// The new bytes of an archive, or `None` if nothing in it changes.
    pub fn archive(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<Option<Vec<u8>>> {
        self.nested(name, bytes, 0)
    }

    fn nested(
        &mut self,
        name: &str,
        bytes: &[u8],
        depth: usize,
    ) -> anyhow::Result<Option<Vec<u8>>> {
        let zip = Zip::parse(bytes).with_context(|| format!("cannot read {name}"))?;
        let mut changed: Vec<Option<Vec<u8>>> = Vec::with_capacity(zip.entries().len());
        for entry in zip.entries() {
            let inner = depth < MAX_DEPTH && is_archive(&entry.name);
            if !inner && !entry.name.ends_with(".class") {
                changed.push(None);
                continue;
            }
            let content = zip.content(entry).with_context(|| format!("cannot read {name}"))?;
            changed.push(match inner {
                true => self.nested(&format!("{name}!/{}", entry.name), &content, depth + 1)?,
                false => (self.class)(&content),
            });
        }
        if changed.iter().all(Option::is_none) {
            return Ok(None);
        }
        let signed = zip.entries().iter().any(|entry| is_signature(&entry.name));
        if signed && !self.strip_signatures {
            bail!(
                "{name} is signed, and a JVM refuses signed classes that were changed; --strip-signatures removes the signatures"
            );
        }
        let mut out = ZipWriter::new();
        for (entry, new) in zip.entries().iter().zip(changed) {
            match new {
                Some(bytes) => out.add(&entry.name, &bytes, entry.is_stored())?,
                None if signed && is_signature(&entry.name) => {}
                None if signed && entry.name == MANIFEST => {
                    let manifest = without_digests(&zip.content(entry)?);
                    out.add(&entry.name, &manifest, entry.is_stored())?;
                }
                None => out.copy(&zip, entry)?,
            }
        }
        // A module would have to export what others call; its users have the runtime elsewhere.
        if depth == 0 && zip.entry("module-info.class").is_none() {
            for (path, bytes) in self.extra {
                if zip.entry(path).is_none() {
                    out.add(path, bytes, false)?;
                }
            }
        }
        Ok(Some([zip.prefix(), &out.finish()?].concat()))
    }
}

/// Whether a file of that name is an archive of classes.
pub fn is_archive(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default();
    ["jar", "war", "ear", "zip"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// A manifest without the digests of a signature. Sections that said nothing else disappear.
fn without_digests(manifest: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(manifest).replace("\r\n", "\n");
    let mut out = String::new();
    for (index, section) in text.split("\n\n").enumerate() {
        let mut kept: Vec<&str> = Vec::new();
        let mut dropping = false;
        for line in section.lines().filter(|line| !line.is_empty()) {
            if !line.starts_with(' ') {
                let key = line.split(':').next().unwrap_or_default();
                dropping = key.contains("-Digest");
            }
            if !dropping {
                kept.push(line);
            }
        }
        let only_name =
            index > 0 && kept.iter().all(|l| l.starts_with("Name:") || l.starts_with(' '));
        if kept.is_empty() || only_name {
            continue;
        }
        for line in kept {
            out.push_str(line);
            out.push_str("\r\n");
        }
        out.push_str("\r\n");
    }
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_dropped_from_manifests() {
        let manifest = "Manifest-Version: 1.0\r\nMain-Class: app.Main\r\n\r\n\
            Name: app/Main.class\r\nSHA-256-Digest: abc\r\n def\r\n\r\n\
            Name: app/\r\nSealed: true\r\nSHA-256-Digest: x\r\n\r\n";
        let kept = String::from_utf8(without_digests(manifest.as_bytes())).unwrap();
        assert_eq!(
            kept,
            "Manifest-Version: 1.0\r\nMain-Class: app.Main\r\n\r\nName: app/\r\nSealed: true\r\n\r\n"
        );
    }

    #[test]
    fn archives_stay_as_they_are_if_nothing_changes() {
        let mut writer = ZipWriter::new();
        writer.add("a/B.class", b"class", false).unwrap();
        writer.add("META-INF/X.SF", b"signature", false).unwrap();
        let bytes = writer.finish().unwrap();
        let extra = [("watchword/Hook.class".to_string(), b"hook".to_vec())];
        let mut leave = |_: &[u8]| None;
        let mut rewriter = Rewriter { class: &mut leave, strip_signatures: false, extra: &extra };
        assert!(rewriter.archive("x.jar", &bytes).unwrap().is_none());
        let mut change = |_: &[u8]| Some(b"other".to_vec());
        let mut rewriter = Rewriter { class: &mut change, strip_signatures: false, extra: &extra };
        let error = rewriter.archive("x.jar", &bytes).unwrap_err().to_string();
        assert!(error.contains("x.jar is signed"), "{error}");
        let mut rewriter = Rewriter { class: &mut change, strip_signatures: true, extra: &extra };
        let new = rewriter.archive("x.jar", &bytes).unwrap().unwrap();
        let zip = Zip::parse(&new[..]).unwrap();
        assert_eq!(&*zip.read("a/B.class").unwrap().unwrap(), b"other");
        assert!(zip.entry("META-INF/X.SF").is_none());
        assert!(zip.entry("watchword/Hook.class").is_some());
    }
}
