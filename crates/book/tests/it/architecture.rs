//! ARCHITECTURE.md says which crate uses which; cargo knows.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use serde_json::Value;

use crate::root;

type Edges = BTreeSet<(String, String)>;

fn cargo(args: &[&str]) -> Output {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let told =
        Command::new(cargo).args(args).arg("--offline").current_dir(root()).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    told
}

/// What a package is called in the page: the folder it is in.
fn folder(package: &str) -> String {
    let short = package.strip_prefix("watchword-");
    if package == "watchword" { "cli" } else { short.unwrap_or(package) }.to_string()
}

/// The edges between packages of the workspace, and those that only tests and examples need.
fn edges_of_manifests() -> (Edges, Edges) {
    let told = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_slice(&told.stdout).unwrap();
    let (mut edges, mut tests) = (Edges::new(), Edges::new());
    for package in metadata["packages"].as_array().unwrap() {
        let from = package["name"].as_str().unwrap();
        for needed in package["dependencies"].as_array().unwrap() {
            let to = needed["name"].as_str().unwrap();
            if needed["path"].is_string() && from != to {
                let set = if needed["kind"] == "dev" { &mut tests } else { &mut edges };
                set.insert((folder(from), folder(to)));
            }
        }
    }
    tests.retain(|edge| !edges.contains(edge));
    (edges, tests)
}

/// The edges of the page: `a, b → c → d, e`, and behind them what they are for. Those that are for
/// tests say so.
fn edges_of_page(page: &str) -> (Edges, Edges) {
    let (_, rest) = page.split_once("Edges point one way").expect("the page draws edges");
    let block = rest.split("```").nth(1).expect("the edges are in a block");
    let (mut edges, mut tests) = (Edges::new(), Edges::new());
    for line in block.lines().filter(|line| line.contains('→')) {
        let (drawn, about) = line.split_once('(').unwrap_or((line, ""));
        let steps: Vec<Vec<&str>> = drawn
            .split('→')
            .map(|step| step.split(',').map(str::trim).filter(|name| !name.is_empty()).collect())
            .collect();
        for pair in steps.windows(2) {
            for (from, to) in pair[0].iter().flat_map(|a| pair[1].iter().map(move |b| (a, b))) {
                let set = if about.starts_with("tests") { &mut tests } else { &mut edges };
                set.insert((from.to_string(), to.to_string()));
            }
        }
    }
    (edges, tests)
}

fn differences(page: &(Edges, Edges), manifests: &(Edges, Edges)) -> Vec<String> {
    let mut found = Vec::new();
    for (kind, page, manifests) in
        [("", &page.0, &manifests.0), (" (tests only)", &page.1, &manifests.1)]
    {
        let missing = manifests.difference(page).map(|e| ("ARCHITECTURE.md lacks", e));
        let wrong = page.difference(manifests).map(|e| ("no manifest has", e));
        found.extend(missing.chain(wrong).map(|(what, (a, b))| format!("{what} {a} → {b}{kind}")));
    }
    found
}

#[test]
fn the_edges_that_are_drawn_are_those_there_are() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let drawn = edges_of_page(&page);
    assert!(drawn.0.len() > 40 && !drawn.1.is_empty(), "{drawn:?}");
    let found = differences(&drawn, &edges_of_manifests());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn edges_that_differ_are_named() {
    let page = "Edges point one way.\n```\na, b → c → d   (for x)\na → e   (tests only)\n```\n";
    let edges = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Edges>()
    };
    let manifests = (edges(&[("a", "c"), ("b", "c"), ("a", "e")]), edges(&[("b", "d")]));
    assert_eq!(
        differences(&edges_of_page(page), &manifests),
        [
            "ARCHITECTURE.md lacks a → e",
            "no manifest has c → d",
            "ARCHITECTURE.md lacks b → d (tests only)",
            "no manifest has a → e (tests only)",
        ]
    );
}

#[test]
fn every_crate_is_in_the_list_of_folders() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let list = page.split("```").nth(1).unwrap();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(list.contains(&format!("\n  {name}/ ")), "crates/{name} is not in the list");
    }
}

/// Otherwise each of the two builds throws away what the other has built.
#[test]
fn the_program_is_built_alike_alone_and_with_the_workspace() {
    let tree = |of: &[&str]| -> BTreeSet<String> {
        let args = ["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p} [{f}]"];
        let told = cargo(&[&args[..], of].concat());
        let text = String::from_utf8(told.stdout).unwrap();
        text.lines().map(|line| line.trim_end_matches(" (*)").to_string()).collect()
    };
    let (alone, all) = (tree(&["--package", "watchword"]), tree(&["--workspace"]));
    let different: Vec<&String> = alone.difference(&all).collect();
    assert!(
        alone.len() > 30 && different.is_empty(),
        "with the workspace, these have other features: {different:?}"
    );
}
