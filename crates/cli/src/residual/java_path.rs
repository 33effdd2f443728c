//! Where `java` will find the classes of a program: `-cp`, `-jar`, modules, `CLASSPATH`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_classfile::source::Jar;

use crate::classes;

/// The archives and folders a `java` with these arguments takes classes from; entries that do not
/// exist are left out, as `java` does.
pub fn class_path(arguments: &[OsString]) -> anyhow::Result<Vec<PathBuf>> {
    let mut words: Vec<String> = Vec::new();
    for argument in arguments {
        let word = argument.to_str().context("an argument of java is not UTF-8")?;
        match word.strip_prefix('@').filter(|_| !word.starts_with("@@")) {
            Some(file) => {
                let text = std::fs::read_to_string(file);
                let text = text.with_context(|| format!("cannot read {file}"))?;
                words.extend(text.split_whitespace().map(|w| w.trim_matches(['"', '\'']).into()));
            }
            None => words.push(word.to_string()),
        }
    }
    let mut class_path: Option<String> = None;
    let mut modules: Vec<String> = Vec::new();
    let mut jar: Option<String> = None;
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_string())),
            _ => (word.as_str(), None),
        };
        match flag {
            "-cp" | "-classpath" | "--class-path" => class_path = value.or_else(|| rest.next()),
            "-p" | "--module-path" | "--upgrade-module-path" => {
                modules.extend(value.or_else(|| rest.next()));
            }
            "--patch-module" => {
                let patch = value.or_else(|| rest.next());
                modules
                    .extend(patch.as_deref().and_then(|p| p.split_once('=')).map(|p| p.1.into()));
            }
            "-jar" => {
                jar = rest.next();
                break;
            }
            "-m" | "--module" => break,
            "--add-modules" | "--add-reads" | "--add-exports" | "--add-opens"
            | "--limit-modules" | "--source" => {
                if value.is_none() {
                    rest.next();
                }
            }
            _ if flag.starts_with('-') => {}
            // The main class: what follows is the program's.
            _ => break,
        }
    }
    let mut all = Vec::new();
    if let Some(jar) = jar {
        with_manifest(Path::new(&jar), &mut all)?;
    } else {
        let from_environment = std::env::var("CLASSPATH").ok().filter(|p| !p.is_empty());
        let path = class_path.or(from_environment).unwrap_or_else(|| ".".to_string());
        add_path(&path, &mut all)?;
    }
    for path in modules {
        for part in path.split(':').filter(|part| !part.is_empty()) {
            add_module_path(Path::new(part), &mut all)?;
        }
    }
    if all.is_empty() {
        bail!("--residual: there are no classes on the class path of these arguments");
    }
    Ok(all)
}

/// The archives and folders that class paths name.
pub fn archives(paths: &[String]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        add_path(path, &mut all)?;
    }
    Ok(all)
}

fn add_path(path: &str, all: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for part in path.split(':') {
        let part = if part.is_empty() { "." } else { part };
        if let Some(folder) = part.strip_suffix('*').filter(|f| f.is_empty() || f.ends_with('/')) {
            let folder = if folder.is_empty() { "." } else { folder };
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let mut jars: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| is_jar(p)).collect();
            jars.sort();
            for jar in jars {
                with_manifest(&jar, all)?;
            }
        } else {
            with_manifest(Path::new(part), all)?;
        }
    }
    Ok(())
}

/// A module path names modules, or folders of modules.
fn add_module_path(path: &Path, all: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !path.is_dir() || path.join("module-info.class").exists() {
        return with_manifest(path, all);
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut inside: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    inside.sort();
    for path in inside.iter().filter(|p| is_jar(p) || p.join("module-info.class").exists()) {
        with_manifest(path, all)?;
    }
    Ok(())
}

fn is_jar(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jar"))
}

/// An archive or a folder, and what the archive's manifest adds to the class path.
fn with_manifest(path: &Path, all: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !path.exists() || all.iter().any(|known| known == path) {
        return Ok(());
    }
    all.push(path.to_path_buf());
    if path.is_dir() {
        return Ok(());
    }
    let shown = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let jar = Jar::parse(bytes, classes::RELEASE).with_context(|| format!("in {shown}"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    for entry in jar.manifest().class_path() {
        let entry = entry.strip_prefix("file:").unwrap_or(entry);
        with_manifest(&folder.join(entry), all)?;
    }
    Ok(())
}
