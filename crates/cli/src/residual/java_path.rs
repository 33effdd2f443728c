//! Where `java` will find the classes of a program: `-cp`, `-jar`, modules, environment variables.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use watchword_classfile::source::Jar;

use crate::classes;

/// What the arguments of `java` and the environment say about classes.
#[derive(Default)]
struct Said {
    class_path: Option<String>,
    modules: Vec<String>,
    jar: Option<String>,
    /// Entries before the class path: what the boot loader is given.
    boot: Vec<String>,
    /// Entries beside the class path: what agents add.
    beside: Vec<String>,
    /// Why this may not be all.
    unknown: Option<String>,
}

impl Said {
    /// In the order of `java`, the last word on the class path counts: `CLASSPATH`, the launcher's
    /// options, the arguments, and options that overrule all. The first options are overruled
    /// always, or nearly: what they name cannot hurt.
    fn by(arguments: &[OsString]) -> anyhow::Result<Said> {
        let mut said = Said::default();
        let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let options = |name: &str| variable(name).map(|text| split(&text, false));
        said.read(options("JAVA_TOOL_OPTIONS").unwrap_or_default())?;
        said.beside.extend(said.class_path.take());
        if let Some(path) = variable("CLASSPATH") {
            said.class_path = Some(path);
        }
        let mut words = options("JDK_JAVA_OPTIONS").unwrap_or_default();
        for argument in arguments {
            words.push(argument.to_str().context("an argument of java is not UTF-8")?.to_string());
        }
        said.read(words)?;
        let mut last = Said::default();
        last.read(options("_JAVA_OPTIONS").unwrap_or_default())?;
        if let Some(path) = last.class_path {
            let jar = said.jar.take();
            said.class_path = Some(jar.map_or(path.clone(), |jar| format!("{path}:{jar}")));
        }
        said.modules.extend(last.modules);
        said.boot.extend(last.boot);
        said.beside.extend(last.beside);
        said.unknown = said.unknown.or(last.unknown);
        Ok(said)
    }

    /// Reads words up to the main class or archive.
    fn read(&mut self, words: Vec<String>) -> anyhow::Result<()> {
        let mut rest: VecDeque<String> = words.into();
        let mut files = true;
        while let Some(word) = rest.pop_front() {
            if let Some(file) = word.strip_prefix('@').filter(|_| files && !word.starts_with("@@"))
            {
                let text = std::fs::read_to_string(file);
                let text = text.with_context(|| format!("cannot read {file}"))?;
                for word in split(&text, true).into_iter().rev() {
                    rest.push_front(word);
                }
                continue;
            }
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_string())),
                _ => (word.as_str(), None),
            };
            let mut value = || value.clone().or_else(|| rest.pop_front());
            match flag {
                "-cp" | "-classpath" | "--class-path" => self.class_path = value(),
                "-p" | "--module-path" | "--upgrade-module-path" => self.modules.extend(value()),
                "--patch-module" => {
                    let patch = value();
                    let path = patch.as_deref().and_then(|p| p.split_once('='));
                    self.modules.extend(path.map(|p| p.1.into()));
                }
                "-jar" => {
                    self.jar = rest.pop_front();
                    return Ok(());
                }
                "-m" | "--module" => return Ok(()),
                "--source" => {
                    self.unknown = Some("a source file is compiled when it is run".to_string());
                    return Ok(());
                }
                "--add-modules"
                | "--add-reads"
                | "--add-exports"
                | "--add-opens"
                | "--limit-modules"
                | "--enable-native-access" => {
                    value();
                }
                "--disable-@files" => files = false,
                _ if flag.starts_with('-') => self.read_option(&word),
                // The main class: what follows is the program's.
                main => {
                    if main.ends_with(".java") {
                        self.unknown = Some(format!("{main} is compiled when it is run"));
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn read_option(&mut self, word: &str) {
        if let Some(path) = word.strip_prefix("-Djava.class.path=") {
            self.class_path = Some(path.to_string());
        } else if let Some(path) = word.strip_prefix("-Xbootclasspath/a:") {
            self.boot.push(path.to_string());
        } else if let Some(agent) = word.strip_prefix("-javaagent:") {
            self.beside.extend(agent.split('=').next().map(str::to_string));
        } else if ["-XX:Flags=", "-XX:VMOptionsFile="].iter().any(|f| word.starts_with(f)) {
            self.unknown = Some(format!("{word} may name classes"));
        } else if CHOOSING.iter().any(|f| word.starts_with(f)) {
            self.unknown = Some(format!("{word} influences which classes are loaded"));
        }
    }
}

/// Properties that make `java` load other classes than its class path says.
const CHOOSING: [&str; 3] = [
    "-Djava.system.class.loader=",
    "-Djdk.util.jar.enableMultiRelease=",
    "-Djdk.util.jar.version=",
];

/// Splits options as `java` does: at blanks, but not in quotes; in argument files there are comments,
/// and backslashes in quotes.
fn split(text: &str, file: bool) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('\\', Some(_)) if file => match letters.next() {
                // A line goes on in the next, without what that is indented by.
                Some('\n' | '\r') => {
                    while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
                }
                Some('n') => word.get_or_insert_default().push('\n'),
                Some('t') => word.get_or_insert_default().push('\t'),
                Some(letter) => word.get_or_insert_default().push(letter),
                None => {}
            },
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            ('#', None) if file && word.is_none() => {
                while letters.next_if(|letter| *letter != '\n').is_some() {}
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Why it is not known where a `java` with these arguments takes classes from, if it is not.
pub fn class_path_unknown(arguments: &[OsString]) -> Option<String> {
    match Said::by(arguments) {
        Ok(said) => said.unknown,
        Err(error) => Some(format!("{error:#}")),
    }
}

/// The archives and folders a `java` with these arguments takes classes from; entries that do not
/// exist are left out, as `java` does.
pub fn class_path(arguments: &[OsString]) -> anyhow::Result<Vec<PathBuf>> {
    let said = Said::by(arguments)?;
    let mut all = Vec::new();
    for path in said.boot {
        add_path(&path, &mut all)?;
    }
    match said.jar {
        Some(jar) => with_manifest(Path::new(&jar), &mut all)?,
        None => add_path(said.class_path.as_deref().unwrap_or("."), &mut all)?,
    }
    for path in said.beside {
        add_path(&path, &mut all)?;
    }
    for path in said.modules {
        for part in path.split(':').filter(|part| !part.is_empty()) {
            add_module_path(Path::new(part), &mut all)?;
        }
    }
    if all.is_empty() {
        bail!("there are no classes on the class path of these arguments");
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
            // In the order of the folder, as `java` has them: the first of two classes counts.
            for jar in entries.map(|e| e.path()).filter(|p| is_jar(p)) {
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
    if !path.is_file() {
        bail!("{shown} is neither a file nor a folder");
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let jar = Jar::parse(bytes, classes::RELEASE).with_context(|| format!("in {shown}"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    for entry in jar.manifest().class_path() {
        let entry = entry.strip_prefix("file:").unwrap_or(entry);
        with_manifest(&folder.join(decoded(entry)), all)?;
    }
    Ok(())
}

/// Manifests name addresses: `%20` is a blank.
fn decoded(entry: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = entry.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let code = more.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = code.and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &more[2..];
            }
            _ => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| entry.to_string())
}

#[cfg(test)]
mod tests {
    use super::{decoded, split};

    #[test]
    fn addresses_in_manifests_are_decoded() {
        assert_eq!(decoded("a%20b/100%25.jar"), "a b/100%.jar");
        assert_eq!(decoded("%zz%4"), "%zz%4");
        assert_eq!(decoded("%ff.jar"), "%ff.jar");
    }

    #[test]
    fn options_are_split_as_java_does() {
        assert_eq!(split(" -cp 'a b':c  -Dx=\"\" # y", false), ["-cp", "a b:c", "-Dx=", "#", "y"]);
        let text = "-cp \"a\\\\b:\\\n   c\" # no more\nMain\n";
        assert_eq!(split(text, true), ["-cp", "a\\b:c", "Main"]);
    }
}
