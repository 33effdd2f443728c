//! The positions of functions are those of the headers that come with JDKs.

use std::path::{Path, PathBuf};

use watchword_jvm::vm::{JNI_POSITIONS, JVMTI_POSITIONS};

/// Folders with headers of JDKs on this machine.
fn headers() -> Vec<PathBuf> {
    let homes = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = homes
        .map(|home| home.path().join("include"))
        .filter(|p| p.join("jvmti.h").is_file())
        .collect();
    if let Some(home) = std::env::var_os("JAVA_HOME") {
        found.push(Path::new(&home).join("include"));
    }
    found.retain(|p| p.join("jvmti.h").is_file());
    assert!(!found.is_empty() || std::env::var_os("CI").is_none(), "no JDK with headers was found");
    if found.is_empty() {
        println!("skipped: no JDK with headers was found");
    }
    found
}

/// The names of function pointers and reserved entries of a struct, in order.
fn entries(text: &str, from: &str, to: &str) -> Vec<String> {
    let start = text.find(from).unwrap();
    let body = &text[start..start + text[start..].find(to).unwrap()];
    let mut names = Vec::new();
    let mut cplusplus = false;
    for line in body.lines() {
        match line.trim() {
            "#ifdef __cplusplus" => cplusplus = true,
            line if line.starts_with("#endif") => cplusplus = false,
            line if cplusplus || line.is_empty() => {}
            line => {
                if let Some(at) = line.find("(JNICALL *") {
                    let name = &line[at + 10..];
                    names.push(name[..name.find(')').unwrap()].to_string());
                } else if let Some(at) = line.find("void *reserved") {
                    names.push(line[at + 6..].trim_end_matches(';').to_string());
                }
            }
        }
    }
    names
}

#[test]
fn positions_are_those_of_the_headers() {
    for folder in headers() {
        let jni = std::fs::read_to_string(folder.join("jni.h")).unwrap();
        let names = entries(&jni, "struct JNINativeInterface_ {", "struct JNIEnv_ {");
        for (name, position) in JNI_POSITIONS {
            assert_eq!(names[*position], *name, "in {}", folder.display());
        }
        let jvmti = std::fs::read_to_string(folder.join("jvmti.h")).unwrap();
        let names = entries(&jvmti, "typedef struct jvmtiInterface_1_ {", "} jvmtiInterface_1;");
        for (name, position) in JVMTI_POSITIONS {
            assert_eq!(names[*position - 1], *name, "in {}", folder.display());
        }
    }
}
