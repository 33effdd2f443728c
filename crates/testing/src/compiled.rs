//! Programs in C and C++ that tests debug.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a program with debug information and without optimisation into a folder, once per process.
///
/// # Panics
/// If there is no compiler, or the program has an error.
pub fn compile(source: &Path, folder: &Path) -> PathBuf {
    std::fs::create_dir_all(folder).expect("the folder is ours");
    let name = source.file_name().unwrap_or_default().to_string_lossy();
    let out = folder.join(format!("{}-{}", name.replace('.', "_"), std::process::id()));
    if !out.exists() {
        let mut compiler = Command::new(if name.ends_with(".cpp") { "g++" } else { "gcc" });
        compiler.args(["-g", "-O0", "-pthread"]).arg(source).arg("-o").arg(&out);
        let output = compiler.output().expect("gcc is needed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    out
}
