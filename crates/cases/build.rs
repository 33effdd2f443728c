//! With the feature `mutants`: a copy of the reference evaluator that can make every mistake of
//! `mutants/table.rs`, one at a time, chosen at run time.

#[path = "mutants/table.rs"]
mod table;

use std::collections::BTreeMap;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=mutants/table.rs");
    if std::env::var_os("CARGO_FEATURE_MUTANTS").is_none() {
        return;
    }
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where");
    let out = std::env::var("OUT_DIR").expect("cargo says where to");
    let source = Path::new(&root).join("../monitor/src/reference");
    let target = Path::new(&out).join("reference");
    println!("cargo::rerun-if-changed={}", source.display());
    std::fs::create_dir_all(&target).expect("a directory can be made");
    let module =
        format!("#[path = {:?}]\nmod copy;\npub use copy::Reference;\n", target.join("mod.rs"));
    std::fs::write(Path::new(&out).join("reference.rs"), module).expect("it can be written");
    for entry in std::fs::read_dir(&source).expect("the reference is there") {
        let path = entry.expect("it can be listed").path();
        let Some(name) = path.file_name().and_then(|n| n.to_str()) else { continue };
        let text = std::fs::read_to_string(&path).expect("it can be read");
        std::fs::write(target.join(name), mutated(name, text)).expect("it can be written");
    }
}

/// A file of the reference with all its mistakes.
fn mutated(name: &str, mut text: String) -> String {
    let mut places: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (number, mutant) in table::MUTANTS.iter().enumerate().filter(|(_, m)| m.file == name) {
        let found: Vec<usize> = text.match_indices(mutant.old).map(|(at, _)| at).collect();
        assert!(
            found.len() == 1,
            "{}: {:?} occurs {} times in {name}",
            mutant.name,
            mutant.old,
            found.len()
        );
        let place = (found[0], found[0] + mutant.old.len());
        // Several mistakes at one place: each has the ones before it in place of the old text.
        let old = places.remove(&place).unwrap_or_else(|| mutant.old.to_string());
        let asks = format!("crate::makes({number})");
        let new = if mutant.new.contains("$m") {
            mutant.new.replace("$m", &asks).replace("$old", &old)
        } else {
            format!("(if {asks} {{ {} }} else {{ {old} }})", mutant.new)
        };
        places.insert(place, new);
    }
    let mut last = text.len();
    for ((start, end), new) in places.into_iter().rev() {
        assert!(end <= last, "two mistakes overlap in {name}");
        last = start;
        text.replace_range(start..end, &new);
    }
    text
}
