//! JUnit XML: a suite per property, a failed test per violation, so that CI shows them as tests.

use std::fmt::Write;

use super::escape;
use crate::{Outcome, Verdict, Violation, fingerprint, path, text, words};

/// The whole file.
pub fn report(outcome: &Outcome<'_>) -> String {
    let mut suites = String::new();
    let (mut tests, mut failures, mut errors, mut skipped) = (0, 0, 0, 0);
    for index in 0..outcome.properties.len() {
        let suite = Suite::of(outcome, index);
        let name = escape(&outcome.model.properties[index].name);
        let _ = writeln!(
            suites,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" \
             skipped=\"{}\" time=\"0\">",
            suite.tests, suite.failures, suite.errors, suite.skipped
        );
        suites.push_str(&suite.cases);
        suites.push_str(&notes(outcome, index));
        suites.push_str("  </testsuite>\n");
        tests += suite.tests;
        failures += suite.failures;
        errors += suite.errors;
        skipped += suite.skipped;
    }
    if let Some(why) = &outcome.stopped {
        tests += 1;
        errors += 1;
        let _ = writeln!(
            suites,
            "  <testsuite name=\"Watchword\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" \
             time=\"0\">\n    <testcase classname=\"watchword\" name=\"read to the end\" time=\"0\">\n      \
             <error message=\"the input could not be read to its end\">{}</error>\n    \
             </testcase>\n  </testsuite>",
            escape(why)
        );
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Watchword\" \
         tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"0\">\n\
         {suites}</testsuites>\n"
    )
}

/// Further notes about a property; notes about no property are added to the first one.
fn notes(outcome: &Outcome<'_>, index: usize) -> String {
    let properties = &outcome.model.properties;
    let mut out = String::new();
    let limits = outcome.limits.iter();
    let limits = limits
        .map(|limit| (limit.property().map(|p| p.index()), crate::limit(outcome.model, limit)));
    let about = |note: &str| {
        properties
            .iter()
            .position(|p| note.strip_prefix(&p.name).is_some_and(|rest| rest.starts_with(':')))
    };
    let warnings = outcome.warnings.iter().map(|note| (about(note), note.clone()));
    for (_, note) in limits.chain(warnings).filter(|(about, _)| about.unwrap_or(0) == index) {
        let _ = writeln!(out, "warning: {}", escape(&note));
    }
    if let Some(missed) = text::missed(outcome.model, &outcome.properties[index].missed) {
        let _ = writeln!(out, "note: {}: {}", escape(&properties[index].name), escape(&missed));
    }
    match out.is_empty() {
        true => out,
        false => format!("    <system-out>{out}</system-out>\n"),
    }
}

#[derive(Default)]
struct Suite {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
    cases: String,
}

impl Suite {
    fn of(outcome: &Outcome<'_>, index: usize) -> Suite {
        let property = &outcome.model.properties[index];
        let tally = &outcome.properties[index];
        let class = escape(&format!("watchword.{}", property.name));
        let mut suite = Suite::default();
        let own = outcome.violations.iter().enumerate();
        for (at, violation) in own.filter(|(_, v)| v.report.property.index() == index) {
            suite.tests += 1;
            let name = escape(&name(violation));
            let _ = writeln!(
                suite.cases,
                "    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\">"
            );
            if outcome.is_known(at) {
                suite.skipped += 1;
                suite.cases.push_str("      <skipped message=\"known: it is in the baseline\"/>\n");
            } else if violation.expected {
                suite.skipped += 1;
                suite.cases.push_str("      <skipped message=\"the test expected it\"/>\n");
            } else {
                // A test that could not be decided is an error, not a failure.
                let (element, kind) = match violation.certain {
                    true => ("failure", property.severity.name()),
                    false => ("error", Verdict::Inconclusive.name()),
                };
                suite.failures += u64::from(violation.certain);
                suite.errors += u64::from(!violation.certain);
                let _ = writeln!(
                    suite.cases,
                    "      <{element} message=\"{}\" type=\"{kind}\">{}</{element}>",
                    escape(&one_line(&violation.report.message)),
                    escape(&details(outcome, violation)),
                );
            }
            suite.cases.push_str("    </testcase>\n");
        }
        if suite.tests == 0 {
            suite.tests = 1;
            let name = escape(property.doc.trim().lines().next().unwrap_or(&property.name).trim());
            let _ = write!(
                suite.cases,
                "    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\""
            );
            let verdict = outcome.verdict(index);
            if tally.totals.violations > 0 {
                // All of them are beyond the limit of those that are listed.
                let element = if verdict == Verdict::Violated { "failure" } else { "error" };
                suite.failures += u64::from(verdict == Verdict::Violated);
                suite.errors += u64::from(verdict != Verdict::Violated);
                let count = text::counted(tally.totals.violations, "violation");
                let _ = writeln!(
                    suite.cases,
                    ">\n      <{element} message=\"{count}\"/>\n    </testcase>"
                );
            } else if verdict == Verdict::Inconclusive {
                suite.skipped += 1;
                suite.cases.push_str(
                    ">\n      <skipped message=\"inconclusive: a limit was reached\"/>\n    </testcase>\n",
                );
            } else if tally.totals.events == 0 && !tally.proven {
                suite.skipped += 1;
                suite.cases.push_str(
                    ">\n      <skipped message=\"no event of it occurred\"/>\n    </testcase>\n",
                );
            } else {
                suite.cases.push_str("/>\n");
            }
        }
        suite
    }
}

/// What the test is called: the place, so that the same violation is the same test tomorrow.
fn name(violation: &Violation) -> String {
    let place = text::place(&violation.report, violation.location.as_deref());
    let binding: Vec<String> = violation
        .report
        .binding
        .iter()
        .map(|(name, value)| format!("{name} = {}", text::show(value)))
        .collect();
    match violation.location.as_deref().filter(|_| violation.in_program) {
        Some(location) => text::location(location),
        None if binding.is_empty() => place,
        None => binding.join(", "),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn details(outcome: &Outcome<'_>, violation: &Violation) -> String {
    let report = &violation.report;
    let property = outcome.property(violation);
    let mut out = format!("{}\n\n", words::violation(outcome.model, violation));
    let _ = writeln!(out, "at {}", text::place(report, violation.location.as_deref()));
    if let Some(test) = &violation.test {
        let _ = writeln!(out, "in test {test}");
    }
    for (name, value) in &report.binding {
        let _ = writeln!(out, "with {name} = {}", text::show(value));
    }
    if !report.history.is_empty() {
        let _ = writeln!(out, "path {}", path(property, report).join(" → "));
    }
    for step in &report.history {
        let place = step.location.as_deref().map(text::location).unwrap_or_default();
        let number = match step.index {
            0 => String::new(),
            index => format!("{index} "),
        };
        let _ = writeln!(out, "  {number}{} {place}", text::event(outcome.model, step));
    }
    if violation.count > 1 {
        let _ = writeln!(out, "{} in all", text::counted(violation.count, "time"));
    }
    let _ = write!(out, "fingerprint {}", fingerprint(outcome.model, violation));
    out
}
