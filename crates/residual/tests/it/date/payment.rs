//! The payment system of `examples/larva/payment`: what its class files leave of its property.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use watchword_classfile::source::JImage;
use watchword_model::Model;
use watchword_residual::analysis::{PropertyReport, Status, analyse};
use watchword_residual::date::cfg::Depth;
use watchword_residual::date::jvm::{self, Residual};
use watchword_residual::jvm::program::Program;

use super::larva;
use crate::programs::{classes, compile, jdk};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/larva/payment")
}

/// What is left of the properties of a script for the program.
fn residuals(script: &str, depths: &[Depth], folder: &str) -> Option<Vec<Residual>> {
    residuals_of(&larva(script), &example().join("src/payment"), depths, folder)
}

/// What is left of the properties of a model for the classes of some sources, which are compiled into a
/// folder of their own; `None` without a JDK.
pub fn residuals_of(
    model: &Model,
    sources: &Path,
    depths: &[Depth],
    folder: &str,
) -> Option<Vec<Residual>> {
    let home = jdk()?;
    let sources = fs::read_dir(sources).expect("the sources are there");
    let sources: Vec<PathBuf> = sources.map(|e| e.expect("an entry").path()).collect();
    let out = compile(&sources, folder);
    let packaged = out.join("payment");
    let classes = classes(if packaged.is_dir() { &packaged } else { &out });
    let image = fs::read(home.join("lib/modules")).expect("an image");
    let platform = JImage::parse(image).expect("an image");
    let own = classes.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())).collect();
    let program = Program::new(own, Vec::new(), &platform, true);
    assert!(program.code.broken.is_empty());
    let all = (0..model.properties.len()).map(watchword_model::PropertyId::from_index);
    let earlier: Vec<PropertyReport> = all.map(|p| analyse(&program, model, p)).collect();
    Some(depths.iter().map(|d| jvm::analyse(&program, model, &earlier, *d)).collect())
}

/// How many transitions of a property are left, and which events at which methods.
fn left(residual: &Residual, property: usize) -> (usize, BTreeSet<String>) {
    let one = &residual.properties[property];
    let sites = one.sites.iter().filter(|s| matches!(s.status, Status::Left(_)));
    let sites = sites.map(|s| format!("{} {}", s.method, s.event)).collect();
    (one.transitions - one.lost.transitions.len(), sites)
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

const STANDING: usize = 0;
const PAYMENTS: usize = 1;
const RISK: usize = 2;

#[test]
fn three_analyses_of_the_payment_system() {
    let script = fs::read_to_string(example().join("risk.lrv")).expect("the script is there");
    let depths = [Depth::Absent, Depth::Objects, Depth::Flow];
    let Some(found) = residuals(&script, &depths, "payment") else { return };
    let [first, second, third] = &found[..] else { panic!("three analyses") };
    // Nobody transfers anything.
    let (transitions, sites) = left(first, RISK);
    assert_eq!(transitions, 16 - 3);
    assert!(sites.contains("bronze whitelist") && sites.contains("gold blacklist"), "{sites:?}");
    assert_eq!(left(first, STANDING).0, 3);
    // Bronze users cannot do anything wrong.
    let (transitions, sites) = left(second, RISK);
    assert_eq!(transitions, 16 - 3);
    assert!(!sites.iter().any(|s| s.starts_with("bronze")), "{sites:?}");
    for property in [STANDING, PAYMENTS] {
        let (_, sites) = left(second, property);
        assert!(!sites.iter().any(|s| s.starts_with("bronze")), "{sites:?}");
    }
    // Who is on the black list is not offered payments: nobody asks for the risk any more, so it is
    // not computed, and what it was computed from is not kept.
    assert_eq!(
        left(third, RISK),
        (
            3,
            set(&[
                "gold create",
                "gold activate",
                "gold pay",
                "silver create",
                "silver activate",
                "silver pay",
            ])
        )
    );
    let names: Vec<&str> =
        third.model.properties[RISK].states.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["qd", "qb", "qc", "qa"]);
    for property in [STANDING, PAYMENTS] {
        assert_eq!(left(third, property), (0, BTreeSet::new()));
        assert!(third.properties[property].lost.proven);
    }
}

#[test]
fn what_the_monitor_says_about_the_risk_is_still_said() {
    let script = fs::read_to_string(example().join("risk.lrv")).expect("the script is there");
    let loud = script.replace(
        "qc -> qe [blacklist\\risk(payees, paidBy, badStanding, u) <= 0.5\\]",
        "qc -> qe [blacklist\\risk(payees, paidBy, badStanding, u) <= 0.5\\System.out.println(\"low\");]",
    );
    assert_ne!(script, loud);
    let Some(found) = residuals(&loud, &[Depth::Flow], "payment-loud") else { return };
    // What is printed is seen outside: everything that decides about it stays.
    assert_eq!(left(&found[0], PAYMENTS).0, 1);
    assert_eq!(left(&found[0], STANDING).0, 3);
    let (_, sites) = left(&found[0], RISK);
    assert!(sites.contains("gold blacklist"), "{sites:?}");
}
