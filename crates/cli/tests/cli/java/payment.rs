//! The payment system of `examples/larva`, monitored with its property and with what analyses leave
//! of it.

use std::path::{Path, PathBuf};

use super::{compile, java, jdks, report};
use crate::support::{Dir, root};

fn classes(dir: &Dir) {
    let sources = std::fs::read_dir(root().join("examples/larva/payment/src/payment")).unwrap();
    let sources: Vec<PathBuf> = sources.map(|e| e.unwrap().path()).collect();
    compile(&sources, &dir.path().join("classes"));
}

fn script() -> String {
    root().join("examples/larva/payment/risk.lrv").to_str().unwrap().to_owned()
}

/// Analyses to a depth; the flags to run with what is left.
fn analysed(dir: &Dir, jdk: &Path, property: &str, depth: &str) -> Vec<String> {
    let (left, silenced) = (format!("{depth}.ww"), format!("{depth}.silenced"));
    let jdk = jdk.to_str().unwrap();
    let args = ["analyze", "-p", property, "--jdk", jdk, "--depth", depth, "classes"];
    let outputs = ["--property-out", &left, "--silenced-out", &silenced, "--picture", "left.svg"];
    dir.run(&[&args[..], &outputs].concat()).expect(0);
    ["-p", &left, "--silenced", &silenced].map(str::to_owned).to_vec()
}

/// What a run finds: who, where, how often; and how many events each property observed.
fn found(dir: &Dir, jdk: &Path, flags: &[String], program: &[&str]) -> (Vec<String>, u64, String) {
    let mut all: Vec<&str> = flags.iter().map(String::as_str).collect();
    all.extend(["--report", "out.json"]);
    let arguments = [&["-cp", "classes", "payment.Main"], program].concat();
    let ran = java(jdk, dir, &all, &arguments);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let json = report(dir, "out.json");
    let mut violations: Vec<String> = json["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| {
            let location = &v["location"];
            format!(
                "{} {} {} {}:{}",
                v["property"], v["message"], v["count"], location["function"], location["line"]
            )
        })
        .collect();
    violations.sort();
    let events = json["properties"].as_array().unwrap().iter();
    (violations, events.map(|p| p["events"].as_u64().unwrap()).sum(), ran.stdout)
}

#[test]
fn every_residual_finds_what_the_property_finds() {
    let Some(jdk) = jdks().last() else { return };
    let dir = Dir::new();
    classes(&dir);
    let full = vec!["-p".to_owned(), script()];
    for program in [&["40", "20"][..], &["40", "20", "hurry"]] {
        let (violations, events, said) = found(&dir, jdk, &full, program);
        assert_eq!(violations.len(), usize::from(program.len() == 3), "{violations:?}");
        let mut last = events;
        for depth in ["absent", "objects", "flow"] {
            let flags = analysed(&dir, jdk, &script(), depth);
            let (left, events, also) = found(&dir, jdk, &flags, program);
            assert_eq!(left, violations, "{depth}");
            assert_eq!(also, said, "{depth}");
            assert!(events <= last, "{depth}: {events} events, {last} before");
            last = events;
        }
        assert!(last * 3 < events, "{last} of {events} events are left");
    }
    assert!(dir.read("left.svg").contains("ww-removed"));
}

#[test]
fn the_risk_is_computed_as_before() {
    let Some(jdk) = jdks().last() else { return };
    let dir = Dir::new();
    classes(&dir);
    // The same property, which tells what it computes.
    let script = std::fs::read_to_string(script()).unwrap();
    let tell = "System.out.println(risk(payees, paidBy, badStanding, u));";
    let loud = script
        .replace("badStanding, u) <= 0.5\\]", &format!("badStanding, u) <= 0.5\\{tell}]"))
        .replace("badStanding, u) > 0.5\\]", &format!("badStanding, u) > 0.5\\{tell}]"));
    assert_eq!(loud.matches(tell).count(), 4);
    dir.write("loud.lrv", &loud);
    let run = |flags: &[String]| {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let ran = java(jdk, &dir, &flags, &["-cp", "classes", "payment.Main", "60", "20"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        // What is said is on stderr, between what is reported.
        let numbers = ran.stderr.lines().filter_map(|l| l.rsplit(' ').next()?.parse::<f64>().ok());
        numbers.filter(|n| (0.0..=1.0).contains(n)).collect::<Vec<f64>>()
    };
    let risks = run(&["-p".to_owned(), "loud.lrv".to_owned()]);
    assert!(risks.len() > 20, "{risks:?}");
    assert!(risks.iter().any(|r| *r > 0.0), "{risks:?}");
    for depth in ["absent", "objects", "flow"] {
        assert_eq!(run(&analysed(&dir, jdk, "loud.lrv", depth)), risks, "{depth}");
    }
}
