//! The shipped properties of the C library on real programs: violating ones are found, legal ones
//! are not reported.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watchword_model::Model;
use watchword_native::{Backend, Found, Settings};
use watchword_spec::SourceFile;

use crate::support::*;

fn folder(family: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../properties").join(family)
}

fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let is_wanted = |p: &PathBuf| endings.iter().any(|e| p.to_string_lossy().ends_with(e));
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(is_wanted).collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn properties(paths: &[PathBuf]) -> Arc<Model> {
    let read = |p: &PathBuf| SourceFile::new(&name(p), &std::fs::read_to_string(p).unwrap());
    models(&paths.iter().map(read).collect::<Vec<_>>())
}

/// The properties that a program violates.
fn violated(program: &Path, model: &Arc<Model>) -> Vec<String> {
    violated_by(Backend::Int3, program, model)
}

fn violated_by(backend: Backend, program: &Path, model: &Arc<Model>) -> Vec<String> {
    let settings = Settings { backend, ..Settings::default() };
    let ran = run_unrecorded(program, &[], model, settings);
    let of = |f: &Found| model.properties[f.report.property.index()].name.to_string();
    let mut found: Vec<String> = ran.found.iter().map(of).collect();
    found.dedup();
    found
}

fn check(family: &str) {
    let all = files(&folder(family), &[".ww"]);
    let programs = files(&folder(family).join("programs"), &[".c", ".cpp"]);
    let mut seen: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut wrong = Vec::new();
    let everything = properties(&all);
    for source in &programs {
        let file = name(source);
        let (property, rest) = file.split_once('.').unwrap();
        let is_bad = rest.starts_with("bad-");
        assert!(is_bad || rest.starts_with("ok-"), "{file}: is it bad or ok?");
        seen.entry(property.to_string()).or_default()[usize::from(!is_bad)] += 1;
        let flags = ["-O1", "-Wno-use-after-free", "-Wno-unused-result"];
        let program = compile_file(source, &flags);
        let path = folder(family).join(format!("{property}.ww"));
        let model = if is_bad { properties(&[path]) } else { everything.clone() };
        for backend in [Backend::Int3, Backend::Inject] {
            let found = violated_by(backend, &program, &model);
            if is_bad != (found.len() == 1) || !is_bad && !found.is_empty() {
                wrong.push(format!("{file}, {backend:?}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for path in &all {
        let property = name(path).replace(".ww", "");
        let [bad, ok] = seen.get(&property).copied().unwrap_or_default();
        assert!(bad >= 1 && ok >= 2, "{property}: {bad} violating programs, {ok} legal ones");
    }
}

#[test]
fn violating_programs_are_found_and_legal_ones_left_alone() {
    guarded(120, || check("posix"));
}

#[test]
fn advice_is_given_where_it_is_due() {
    guarded(60, || check("posix-advice"));
}

/// The C library is part of a program that is linked statically.
#[test]
fn programs_that_are_linked_statically_are_watched_alike() {
    guarded(60, || {
        let programs = folder("posix").join("programs");
        let one = properties(&[folder("posix").join("double-free.ww")]);
        let source = programs.join("double-free.bad-twice.c");
        let bad = compile_file(&source, &["-static", "-Wno-use-after-free"]);
        assert_eq!(violated(&bad, &one), ["DoubleFree"]);
        let all = properties(&files(&folder("posix"), &[".ww"]));
        let ok = compile_file(&programs.join("double-free.ok-threads-end.c"), &["-static"]);
        assert_eq!(violated(&ok, &all), [""; 0]);
    });
}
