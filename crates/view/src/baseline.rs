//! Baselines: known violations, so that only new ones are reported.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use watchword_model::Model;

use crate::fingerprint::fingerprint;
use crate::outcome::{Status, Violation};
use crate::text;

const HEAD: &str = "# Watchword baseline 1";

/// Known violations: fingerprints, and at how many sites each was seen.
///
/// The file has a line per fingerprint, sorted, so that it can be reviewed and merged like source
/// code: the fingerprint, the number of sites, the property and where that was when it was written.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    known: BTreeMap<String, Entry>,
    /// How many sites of each fingerprint were met in this run.
    met: BTreeMap<String, u64>,
}

#[derive(Clone, Debug)]
struct Entry {
    sites: u64,
    about: String,
}

/// What is wrong with a baseline file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineError {
    /// The line, from 1.
    pub line: usize,
    message: &'static str,
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for BaselineError {}

impl Baseline {
    /// Reads what [`Baseline::to_text`] wrote.
    pub fn parse(text: &str) -> Result<Baseline, BaselineError> {
        let mut baseline = Baseline::default();
        let mut lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate();
        if lines.next().map(|(_, line)| line.trim_end()) != Some(HEAD) {
            let message = "this is not a baseline: its first line is not `# Watchword baseline 1`";
            return Err(BaselineError { line: 1, message });
        }
        for (number, line) in lines {
            let error = |message| BaselineError { line: number + 1, message };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.splitn(3, ' ');
            let print = words.next().unwrap_or_default();
            if print.len() != 32 || !print.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(error("expected a fingerprint: 32 hexadecimal digits"));
            }
            let sites = words.next().and_then(|n| n.parse::<u64>().ok()).filter(|n| *n > 0);
            let sites = sites.ok_or_else(|| error("expected the number of sites after it"))?;
            let about = words.next().unwrap_or_default().to_string();
            let entry = baseline.known.entry(print.to_ascii_lowercase());
            // After a merge of two branches the same line may be there twice.
            let entry = entry.or_insert(Entry { sites, about });
            entry.sites = entry.sites.max(sites);
        }
        Ok(baseline)
    }

    /// A baseline of these violations.
    pub fn of(model: &Model, violations: &[Violation]) -> Baseline {
        let mut baseline = Baseline::default();
        for violation in violations {
            let entry = baseline.known.entry(fingerprint(model, violation));
            let entry = entry.or_insert_with(|| Entry { sites: 0, about: about(model, violation) });
            entry.sites += 1;
        }
        baseline
    }

    /// The file.
    pub fn to_text(&self) -> String {
        let mut out = format!(
            "{HEAD}\n# Known violations, one per line: fingerprint, number of sites, and what it \
             was.\n# Written by --write-baseline; lines may be deleted.\n"
        );
        for (print, Entry { sites, about }) in &self.known {
            let _ = writeln!(out, "{}", format!("{print} {sites} {about}").trim_end());
        }
        out
    }

    /// Whether the next violation of this run is known. If a fingerprint is met at more sites than
    /// it was, the last ones are new.
    pub fn judge(&mut self, model: &Model, violation: &Violation) -> Status {
        let print = fingerprint(model, violation);
        let known = self.known.get(&print).map_or(0, |entry| entry.sites);
        let met = self.met.entry(print).or_default();
        *met += 1;
        if *met <= known { Status::Known } else { Status::New }
    }

    /// How many of the known sites this run did not meet again.
    pub fn unmet(&self) -> u64 {
        let met = |print: &String| self.met.get(print).copied().unwrap_or(0);
        self.known.iter().map(|(print, entry)| entry.sites.saturating_sub(met(print))).sum()
    }
}

/// What a person reading the file wants to know; not compared.
fn about(model: &Model, violation: &Violation) -> String {
    let report = &violation.report;
    let name = &model.properties[report.property.index()].name;
    let place = violation.location.as_deref().map(text::location).unwrap_or_default();
    let text = format!("{name} {place} {}", text::harmless(&report.message));
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_they_are_written() {
        let print = "0123456789abcdef0123456789abcdef";
        let text = format!("{HEAD}\n# x\n\n{print} 2 P A.java:3\n{print} 1 P\n");
        let baseline = Baseline::parse(&text).unwrap();
        assert_eq!(baseline.known[print].sites, 2);
        let again = Baseline::parse(&baseline.to_text()).unwrap();
        assert_eq!(again.to_text(), baseline.to_text());
        assert_eq!(baseline.unmet(), 2);
    }

    #[test]
    fn what_is_no_baseline_is_refused_with_its_line() {
        let line = |text: &str| Baseline::parse(text).unwrap_err().line;
        assert_eq!(line(""), 1);
        assert_eq!(line("{\"watchword\":1}"), 1);
        assert_eq!(line(&format!("{HEAD}\n\nnonsense\n")), 3);
        assert_eq!(line(&format!("{HEAD}\n0123456789abcdef0123456789abcdef 0 P\n")), 2);
        assert_eq!(line(&format!("{HEAD}\n0123456789abcdef0123456789abcdef\n")), 2);
    }
}
