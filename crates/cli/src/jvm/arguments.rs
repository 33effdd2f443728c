//! The arguments of `java` beside the agent's own.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::args::Global;

/// Options of `java` whose value is the next word.
const WITH_VALUE: [&str; 11] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--limit-modules",
];
const PATCH: &str = "--patch-module";
const BASE: &str = "java.base=";
/// Insists on an archive of classes, which a JVM does not use for classes that may get fields.
const ARCHIVE: &str = "-Xshare:on";
const NO_MATTER: &str = "-Xshare:auto";
/// Have a JVM use or make such an archive; it refuses to start, or says on standard output that it
/// cannot.
const ARCHIVES: [&str; 7] = [
    "-XX:AOTCache=",
    "-XX:AOTCacheOutput=",
    "-XX:AOTConfiguration=",
    "-XX:AOTMode=",
    "-XX:ArchiveClassesAtExit=",
    "-XX:+AutoCreateSharedArchive",
    "-XX:SharedArchiveFile=",
];

/// What `java` gets.
pub struct Arguments {
    /// All words, those of the program included.
    pub words: Vec<OsString>,
    /// Whether our classes are in the JDK's own module.
    pub patched: bool,
}

impl Arguments {
    /// From those of a person, with our classes in the folder `base`.
    pub fn new(given: &[OsString], base: &Path, global: &Global) -> Arguments {
        let environment = ["JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"];
        let environment: Vec<String> =
            environment.iter().filter_map(|name| std::env::var(name).ok()).collect();
        let mut patched = !environment.iter().any(|text| patches(text));
        let mut insists = environment.iter().any(|text| text.contains(ARCHIVE));
        let mut words: Vec<OsString> = Vec::new();
        if insists {
            words.push(NO_MATTER.into());
        }
        let mut merged = false;
        let mut left_out: Vec<String> = Vec::new();
        let mut rest = given.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            if let Some(file) = text.strip_prefix('@') {
                let said = std::fs::read_to_string(file).unwrap_or_default();
                patched &= !patches(&said);
                words.push(word.clone());
                if said.contains(ARCHIVE) {
                    insists = true;
                    words.push(NO_MATTER.into());
                }
            } else if text == ARCHIVE {
                insists = true;
                words.push(NO_MATTER.into());
            } else if ARCHIVES.iter().any(|option| text.starts_with(option))
                // Makes one, and runs no program.
                && !given.iter().any(|word| word == "-XX:AOTMode=create")
            {
                left_out.push(text.into_owned());
            } else if text == PATCH {
                words.push(word.clone());
                words.extend(rest.next().map(|value| with_ours(value, base, &mut merged)));
            } else if let Some(value) = text.strip_prefix("--patch-module=") {
                let mut both = OsString::from("--patch-module=");
                both.push(with_ours(OsStr::new(value), base, &mut merged));
                words.push(both);
            } else if WITH_VALUE.contains(&&*text) {
                words.push(word.clone());
                words.extend(rest.next().cloned());
            } else if text.starts_with('-') && !["-jar", "-m", "--module"].contains(&&*text) {
                words.push(word.clone());
            } else {
                // The program: what follows is its own.
                words.push(word.clone());
                words.extend(rest.by_ref().cloned());
            }
        }
        if insists {
            let text = "-Xshare:on is treated like -Xshare:auto: monitored programs do not use the archive";
            crate::output::warning(global.color_on_stderr(), text);
        }
        if !left_out.is_empty() {
            let text = format!(
                "{}: removed, because monitored programs neither use nor create class archives",
                left_out.join(" ")
            );
            crate::output::warning(global.color_on_stderr(), &text);
        }
        if patched && !merged {
            words.insert(0, patch(base).into());
        }
        Arguments { words, patched: patched || merged }
    }
}

/// The option that puts our classes in the folder `base` into the JDK's own module.
pub fn patch(base: &Path) -> String {
    format!("{PATCH}={BASE}{}", base.display())
}

/// Options for JVMs that somebody else starts, after those of a person, with our classes in the
/// folder `base`; and whether they will be in the JDK's own module.
pub fn environment(given: String, base: &Path) -> (String, bool) {
    let others = ["JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"].map(std::env::var);
    if others.iter().flatten().any(|text| patches(text)) {
        return (given, false);
    }
    let ours = format!("{PATCH}={BASE}");
    if let Some(start) = given.find(&ours) {
        // A JVM takes one patch of a module only.
        let quote = given[..start].chars().next_back().filter(|c| matches!(c, '"' | '\''));
        let ends = |c: char| quote.map_or_else(|| c.is_whitespace(), |quote| c == quote);
        let end = given[start..].find(ends).map_or(given.len(), |length| start + length);
        let (patch, rest) = (&given[start..end], &given[end..]);
        let both = format!("{patch}:{}", base.display());
        let both = if quote.is_none() { quoted(both) } else { both };
        return (format!("{}{both}{rest}", &given[..start]), true);
    }
    let blank = if given.is_empty() { "" } else { " " };
    (format!("{given}{blank}{}", quoted(patch(base))), true)
}

/// An option as JVMs read it from the environment: they split at blanks, except within quotes.
pub fn quoted(option: String) -> String {
    match option.contains(char::is_whitespace) {
        true => format!("\"{option}\""),
        false => option,
    }
}

/// Whether options that cannot be changed patch the JDK's own module.
fn patches(text: &str) -> bool {
    text.contains(PATCH) && text.contains(BASE)
}

/// A patch, with our classes if it is one of the JDK's own module.
fn with_ours(value: &OsStr, base: &Path, merged: &mut bool) -> OsString {
    let mut both = value.to_os_string();
    if value.to_string_lossy().starts_with(BASE) {
        *merged = true;
        both.push(":");
        both.push(base);
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_of_the_environment_are_joined() {
        let joined = |given: &str, base: &str| environment(given.to_string(), Path::new(base)).0;
        assert_eq!(joined("", "/c/base"), "--patch-module=java.base=/c/base");
        assert_eq!(joined("-ea", "/c d/b"), "-ea \"--patch-module=java.base=/c d/b\"");
        assert_eq!(
            joined("-ea --patch-module=java.base=a:b -Dx=1", "/c"),
            "-ea --patch-module=java.base=a:b:/c -Dx=1"
        );
        assert_eq!(
            joined("-ea --patch-module=java.base=a:b", "/c d"),
            "-ea \"--patch-module=java.base=a:b:/c d\""
        );
        assert_eq!(
            joined("'--patch-module=java.base=a b' -Dx=1", "/c"),
            "'--patch-module=java.base=a b:/c' -Dx=1"
        );
    }
}
