//! The command line has its agent inside, and builds it again when that has changed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::root;

/// The folders of the packages of this workspace that a package is made of, itself included.
fn made_of(package: &str) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let told = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let metadata: Value = serde_json::from_slice(&told.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let mut folders = BTreeSet::new();
    let mut todo = vec![package.to_string()];
    while let Some(name) = todo.pop() {
        let Some(found) = packages.iter().find(|p| p["name"] == *name) else { continue };
        let manifest = Path::new(found["manifest_path"].as_str().unwrap());
        if folders.insert(manifest.parent().unwrap().display().to_string()) {
            let needed = found["dependencies"].as_array().unwrap().iter();
            let needed = needed.filter(|d| d["kind"] != "dev" && d["path"].is_string());
            todo.extend(needed.map(|d| d["name"].as_str().unwrap().to_string()));
        }
    }
    folders
}

#[test]
fn every_package_of_the_agent_is_watched() {
    let watched: BTreeSet<String> = include_str!(concat!(env!("OUT_DIR"), "/agent.watched"))
        .lines()
        .map(str::to_string)
        .collect();
    if watched.is_empty() {
        eprintln!("built without an agent of its own: nothing is watched");
        return;
    }
    let parts = made_of("watchword-jvm");
    assert!(parts.len() > 5, "{parts:?}");
    assert_eq!(watched, parts);
}

/// Front ends are for the command line; inside of other programs they would only take room.
#[test]
fn the_agent_links_no_front_end() {
    let parts = made_of("watchword-jvm");
    let spec = root().join("crates/spec").display().to_string();
    assert!(made_of("watchword").contains(&spec));
    assert!(!parts.contains(&spec), "{parts:?}");
}
