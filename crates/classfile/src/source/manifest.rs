//! Manifests of jars.

use crate::error::{Error, Result};

/// A parsed `META-INF/MANIFEST.MF`: main attributes and one section per named entry.
///
/// Lines are at most 72 bytes; a line that starts with a space continues the one before.
/// Attribute names are compared without regard to case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    /// Attributes of the jar as a whole, in order.
    pub main: Vec<(String, String)>,
    /// Attributes of single entries: the entry's name and its attributes.
    pub sections: Vec<(String, Vec<(String, String)>)>,
}

impl Manifest {
    /// Parses a manifest.
    pub fn parse(bytes: &[u8]) -> Result<Manifest> {
        let mut manifest = Manifest::default();
        // `None` while in the main section.
        let mut section: Option<(String, Vec<(String, String)>)> = None;
        let mut in_main = true;
        for line in logical_lines(bytes) {
            let (offset, line) = line?;
            if line.is_empty() {
                manifest.sections.extend(section.take());
                in_main &= manifest.main.is_empty();
                continue;
            }
            let text = String::from_utf8_lossy(&line).into_owned();
            let (name, value) = text.split_once(':').ok_or_else(|| {
                Error::malformed(offset, format!("expected `Name: value`, found {text:?}"))
            })?;
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(Error::malformed(
                    offset,
                    format!("expected an attribute name, found {name:?}"),
                ));
            }
            let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
            match &mut section {
                Some((_, attributes)) => attributes.push((name.to_owned(), value)),
                None if in_main => manifest.main.push((name.to_owned(), value)),
                None if name.eq_ignore_ascii_case("Name") => section = Some((value, Vec::new())),
                None => {
                    return Err(Error::malformed(
                        offset,
                        format!("expected a section to start with Name, found {name}"),
                    ));
                }
            }
        }
        manifest.sections.extend(section);
        Ok(manifest)
    }

    /// A main attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.main.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim_end())
    }

    /// The class that `java -jar` starts, by its source name.
    pub fn main_class(&self) -> Option<&str> {
        self.get("Main-Class")
    }

    /// The class of an agent that is loaded with the JVM.
    pub fn premain_class(&self) -> Option<&str> {
        self.get("Premain-Class")
    }

    /// Whether the jar holds versions of classes for later releases.
    pub fn is_multi_release(&self) -> bool {
        self.get("Multi-Release").is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The further jars and directories the jar asks for, relative to it.
    pub fn class_path(&self) -> impl Iterator<Item = &str> {
        self.get("Class-Path").unwrap_or("").split_ascii_whitespace()
    }
}

/// Lines with their continuations joined, and where they start.
fn logical_lines(bytes: &[u8]) -> impl Iterator<Item = Result<(usize, Vec<u8>)>> {
    let mut rest = bytes;
    let mut next = move || {
        if rest.is_empty() {
            return None;
        }
        let start = bytes.len() - rest.len();
        let end = rest.iter().position(|b| matches!(b, b'\r' | b'\n')).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = match &rest[end..] {
            [b'\r', b'\n', rest @ ..] => rest,
            [_, rest @ ..] => rest,
            [] => &[],
        };
        Some((start, line))
    };
    let mut pending: Option<(usize, Vec<u8>)> = None;
    let mut done = false;
    std::iter::from_fn(move || {
        while !done {
            match next() {
                Some((start, [b' ', more @ ..])) => match &mut pending {
                    Some((_, line)) if !line.is_empty() => line.extend_from_slice(more),
                    _ => {
                        done = true;
                        return Some(Err(Error::malformed(
                            start,
                            "expected a line to continue, found a continuation",
                        )));
                    }
                },
                Some((start, line)) => {
                    if let Some(complete) = pending.replace((start, line.to_vec())) {
                        return Some(Ok(complete));
                    }
                }
                None => done = true,
            }
        }
        pending.take().map(Ok)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_continuations_and_sections() {
        let text = "Manifest-Version: 1.0\r\nMain-Class: app.\r\n Main\r\nclass-path: a.jar \r\n  lib/b.jar\r\nMulti-Release: TRUE\r\n\r\n\r\nName: app/A.class\r\nSHA-256-Digest: x=\r\n\r\nName: b\r\n";
        let manifest = Manifest::parse(text.as_bytes()).unwrap();
        assert_eq!(manifest.main_class(), Some("app.Main"));
        assert_eq!(manifest.class_path().collect::<Vec<_>>(), ["a.jar", "lib/b.jar"]);
        assert!(manifest.is_multi_release());
        assert_eq!(manifest.premain_class(), None);
        assert_eq!(manifest.sections.len(), 2);
        assert_eq!(manifest.sections[0].1, [("SHA-256-Digest".into(), "x=".into())]);
        assert_eq!(manifest.sections[1], ("b".into(), vec![]));
    }

    #[test]
    fn other_line_ends_and_an_unfinished_last_line() {
        let manifest = Manifest::parse(b"A: 1\nB: 2\rPremain-Class: x.Y").unwrap();
        assert_eq!(manifest.main.len(), 3);
        assert_eq!(manifest.premain_class(), Some("x.Y"));
        assert_eq!(Manifest::parse(b"").unwrap(), Manifest::default());
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, offset) in [("A: 1\nnonsense\n", 5), (" A: 1\n", 0), ("A: 1\n\nB: 2\n", 6)] {
            let error = Manifest::parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.offset(), Some(offset), "{text:?}: {error}");
        }
    }
}
