//! The JDKs of this machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use watchword_classfile::source::JImage;

/// A JDK: its home and its run-time image.
pub struct Jdk {
    pub home: PathBuf,
    pub image: JImage<Vec<u8>>,
}

impl Jdk {
    pub fn name(&self) -> String {
        self.home.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    pub fn tool(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }
}

/// All JDKs with a compiler and an image, by `JAVA_HOME` and the usual directory. None is a named
/// skip, except in CI, where it is a failure.
pub fn jdks() -> &'static [Jdk] {
    static JDKS: OnceLock<Vec<Jdk>> = OnceLock::new();
    let jdks = JDKS.get_or_init(|| {
        let mut homes: BTreeSet<PathBuf> = BTreeSet::new();
        let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
        let named = std::env::var_os("JAVA_HOME").map(PathBuf::from);
        for home in named.into_iter().chain(installed.map(|e| e.path())) {
            let home = home.canonicalize().unwrap_or(home);
            if home.join("lib/modules").is_file() && home.join("bin/javac").is_file() {
                homes.insert(home);
            }
        }
        homes.into_iter().map(|home| Jdk { image: open(&home), home }).collect()
    });
    if jdks.is_empty() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI needs a JDK, and none was found");
        eprintln!("SKIPPED: no JDK found (JAVA_HOME, /usr/lib/jvm/*)");
    }
    jdks
}

fn open(home: &Path) -> JImage<Vec<u8>> {
    let bytes = std::fs::read(home.join("lib/modules")).expect("the image is readable");
    JImage::parse(bytes).expect("the image opens")
}
