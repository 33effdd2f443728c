//! The `java` that is run, and whether it is new enough.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::classes::told_release;

/// The `java` to run.
pub fn find(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(given) = given {
        if !given.exists() {
            bail!("there is no {}", given.display());
        }
        return Ok(given.to_path_buf());
    }
    let home = std::env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin/java"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("java"));
    home.into_iter()
        .chain(on_path)
        .find(|java| java.is_file())
        .context("there is no java: JAVA_HOME is not set and PATH has none (`watchword doctor`)")
}

/// The first JDK with what the agent needs: hidden classes, and their methods as constants.
const FIRST_JDK: u16 = 17;

/// Refuses a `java` that is too old, if its JDK says how old it is.
pub fn refuse_old(java: &Path) -> anyhow::Result<()> {
    let Ok(real) = java.canonicalize() else { return Ok(()) };
    // That of JDK 8 may be in a folder `jre` of the JDK.
    let homes = real.ancestors().skip(2).take(2);
    match homes.filter_map(told_release).next() {
        Some(release) if release < FIRST_JDK => bail!(
            "{} belongs to JDK {release}, but `watchword java` needs JDK {FIRST_JDK} or newer, which also runs classes for Java {release}; pass `--java PATH`, or set JAVA_HOME",
            java.display()
        ),
        _ => Ok(()),
    }
}
