//! The page of the book with what came of all projects.

use std::fmt::Write;

use super::data::Project;
use super::result::{Kept, Results};

const HEAD: &str = "# Tests of other projects under monitors\n\n\
<!-- Written by `make projects` from bench/projects/projects.toml; not to be changed by hand. -->\n\n\
Each project runs twice, without Watchword and under all of `std/jdk`, with `-Xverify:all`, on every JDK below. Both\n\
runs must contain the same tests with the same results. The tests of a library are those that are published beside it,\n\
or some of their packages. They are identified by their Maven coordinates, and nothing is built. Some of them fail also\n\
without Watchword, because they look for files of the repository that are not in the jar. A program counts as one test,\n\
whose result is its output and its exit status.\n\n\
`make projects` writes this page; `make projects PROJECTS=\"commons-cli netty\"` renews some of its rows. The findings\n\
are explained in [Shipped properties on real programs](std-findings.md).\n\n\
* *changed*: tests that were missing or had a different result with Watchword, in each of two runs. This should be 0.\n\
* *unstable*: tests that differed between two runs, with or without Watchword.\n\
* *findings*: places with a violation of a shipped property. Nearly all of them are in tests that provoke it.\n\
* *CPU*: processor time of the whole process, without and with monitoring, of one run each, so a ratio may be off by a\n\
\x20 fifth. An asterisk marks rows that were measured while the machine had other work; both times are longer then.\n";

/// The page.
pub fn text(projects: &[Project], results: &Results) -> String {
    let mut out = HEAD.to_string();
    let releases = results.releases();
    for release in &releases {
        let _ = writeln!(out, "\n## JDK {release}\n");
        out.push_str(
            "| project | passed / found | changed | unstable | findings | events | CPU | ratio |\n",
        );
        out.push_str("|---|---|---|---|---|---|---|---|\n");
        let (mut rows, mut changed, mut log_sum) = (0, 0, 0.0);
        for project in projects {
            let Some(result) = results.of(project, release) else { continue };
            out.push_str(&row(project, result));
            rows += 1;
            changed += result.changed.len();
            log_sum += result.ratio().ln();
        }
        let mean = (log_sum / f64::from(rows.max(1))).exp();
        let _ = writeln!(
            out,
            "\n{rows} projects, {changed} changed tests; geometric mean of the ratios {mean:.2}×."
        );
    }
    out.push_str(&changes(projects, results));
    out.push_str(&findings(projects, results));
    out
}

fn row(project: &Project, result: &Kept) -> String {
    let tests = match project.tests {
        Some(_) => format!("{} / {}", result.passed, result.found),
        None => "a program".to_string(),
    };
    let loaded = if result.loaded { " \\*" } else { "" };
    format!(
        "| {} | {tests} | {} | {} | {} | {} | {:.1} → {:.1} s{loaded} | {:.2}× |\n",
        project.name,
        result.changed.len(),
        result.unstable,
        result.places(),
        thousands(result.events),
        result.alone,
        result.monitored,
        result.ratio(),
    )
}

fn thousands(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..10_000_000 => format!("{} k", n / 1000),
        _ => format!("{} M", n / 1_000_000),
    }
}

/// The tests that changed, by name.
fn changes(projects: &[Project], results: &Results) -> String {
    let mut out = String::new();
    for project in projects {
        for release in results.releases() {
            let Some(result) = results.of(project, &release) else { continue };
            for name in &result.changed {
                let name: String = name.chars().take(200).filter(|c| !c.is_control()).collect();
                let _ = writeln!(out, "* {}, JDK {release}: `{name}`", project.name);
            }
            for limit in &result.limits {
                let _ = writeln!(out, "* {}, JDK {release}: limit `{limit}`", project.name);
            }
        }
    }
    match out.is_empty() {
        true => out,
        false => format!("\n## What changed\n\n{out}"),
    }
}

/// How many places each property was violated at, by project, on the first JDK.
fn findings(projects: &[Project], results: &Results) -> String {
    let mut out =
        "\n## Findings by property\n\n| project | property | places | times |\n|---|---|---|---|\n"
            .to_string();
    let releases = results.releases();
    for project in projects {
        let of = |release: &String| results.of(project, release);
        let Some(result) = releases.iter().find_map(of) else { continue };
        for (name, (places, times)) in &result.findings {
            let _ = writeln!(out, "| {} | `{name}` | {places} | {times} |", project.name);
        }
    }
    out
}
