//! The end of a run: totals for people, the whole report for programs, and hints where nothing
//! happened. Silence is always explained.

use std::fmt::Write;
use std::time::Duration;

use watchword_model::{
    EventId, Location, LogSelect, Model, Origin, Property, Source, Time, nearest,
};
use watchword_monitor::{Limit, Totals};
use watchword_spec::SourceFile;
use watchword_trace::Reader;
use watchword_trace::points::Point;
use watchword_view::{APART, Outcome, Snippet, Tally, Violation, words};

use super::json::Json;
use super::reports::Reports;
use super::style::{Style, count, counted};
use super::{findings, tallies};
use crate::check::{Checker, TimeOrder};

/// The number of near misses that are printed.
const NEAR_MISSES: usize = 3;

/// A run over traces that has ended.
pub struct Summary<'a> {
    /// What was checked.
    pub model: &'a Model,
    /// What came of it.
    pub checker: &'a Checker,
    /// Its counts.
    pub totals: &'a Totals,
    /// What was read.
    pub reader: &'a Reader,
    /// How long it took, if that is to be told.
    pub elapsed: Option<Duration>,
    /// The files of the properties.
    pub files: &'a [SourceFile],
    /// Why the traces were not read to their end, if they were not.
    pub stopped: Option<String>,
    /// How much the clocks of merged traces may differ, and how many events are closer than that to one
    /// of another trace.
    pub skew: Option<(Time, u64)>,
}

impl Summary<'_> {
    /// What came of each property.
    fn tallies(&self) -> Vec<Tally> {
        let mut tallies = tallies::of(self.model, self.totals, self.files);
        if self.stopped.is_some() {
            // What did not occur may still come in the part that was not read.
            tallies.iter_mut().for_each(|tally| tally.missed.clear());
        }
        tallies
    }

    /// Limits that were hit.
    fn limits(&self) -> Vec<Limit> {
        let unread = self.stopped.iter().map(|why| Limit::Unread { why: why.clone() });
        self.checker.findings.limits(self.totals).into_iter().chain(unread).collect()
    }

    /// One line per property, and what else there is to say.
    pub fn to_text(&self, style: Style, all: bool) -> String {
        let limits = self.limits();
        let mut out = findings::unlisted(self.totals);
        out.push_str(&tallies::lines(style, self.model, &self.tallies(), &limits, all));
        out.push_str(&findings::limit_lines(style, self.model, &limits));
        if let Some(elapsed) = self.elapsed {
            let seconds = elapsed.as_secs_f64();
            let rate = (self.totals.events as f64 / seconds.max(1e-9)) as u64;
            let _ = writeln!(
                out,
                "{} read, {} in {seconds:.2} s, {} events/s",
                counted(self.reader.lines, "line"),
                counted(self.totals.events, "event"),
                count(rate),
            );
            let stats = self.checker.run.stats();
            for (property, stats) in self.model.properties.iter().zip(stats.iter().flatten()) {
                let _ = writeln!(
                    out,
                    "{}: {} looked at, {} at most at a time, {} now",
                    property.name,
                    counted(stats.visited, "instance"),
                    count(stats.peak),
                    count(stats.instances),
                );
            }
            let not_relevant = self.totals.not_relevant;
            if not_relevant > 0 {
                let _ = writeln!(out, "{} not relevant", counted(not_relevant, "evaluation"));
            }
        }
        out
    }

    /// What a person should know about what did not happen.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.reader.skipped > 0 {
            let lines = counted(self.reader.skipped, "line");
            let first = self.reader.first_skipped.as_ref();
            let first = first.map_or(String::new(), |e| format!("; the first: {e}"));
            warnings.push(format!("left out {lines} that could not be read{first}"));
        }
        if let Some((file, line)) = &self.reader.first_mistimed {
            warnings.push(format!(
                "{} with an impossible time, which is ignored; the first is {file}:{line}",
                match self.reader.mistimed {
                    1 => "1 line begins".to_string(),
                    lines => format!("{} lines begin", count(lines)),
                },
            ));
        }
        if let Some((file, line)) = &self.reader.first_unlike {
            let all = self.reader.unlike + self.reader.alike;
            warnings.push(format!(
                "{} of {} no {}; the first is {file}:{line}",
                count(self.reader.unlike),
                match all {
                    1 => "1 line fits".to_string(),
                    all => format!("{} lines fit", count(all)),
                },
                match self.reader.has_preset {
                    true => "form of the preset",
                    false => "--log-pattern",
                },
            ));
        }
        if self.checker.overtaken > 0 {
            let early = match self.totals.violations() {
                0 => "",
                _ => "; deadlines may have been reported too early",
            };
            warnings.push(format!(
                "{} later than --lag allows; they count with the time at which they were read{early}",
                match self.checker.overtaken {
                    1 => "1 record came".to_string(),
                    records => format!("{} records came", count(records)),
                },
            ));
        }
        if self.checker.disordered > 0 {
            let records = match self.checker.disordered {
                1 => "1 record was".to_string(),
                records => format!("{} records were", count(records)),
            };
            warnings.push(match self.checker.time_order {
                TimeOrder::Ignore => {
                    format!("{records} earlier than the one before and left out (--time-order)")
                }
                _ => format!(
                    "{records} earlier than the one before; they got its time (--time-order)"
                ),
            });
        }
        warnings.extend(self.uncertain_order());
        if self.stopped.is_some() {
            // What did not occur may still come in the part that was not read.
            return warnings;
        }
        let names = self.unknown_names();
        warnings.extend(self.silent(&names));
        warnings.extend(self.near_misses());
        let mentioned = !warnings.is_empty();
        // Where a name is almost that of an event, that is the mistake.
        let is_strange = !names.is_empty() && names.iter().all(|name| self.near(name.0).is_none());
        if let (Some(file), true) = (&self.reader.first_unnamed, is_strange) {
            warnings.push(format!(
                "{file}: there is no column `event`, so the first cell of every row is the name of the event; if it is another cell, name the columns in the first row (`event,…`)"
            ));
        }
        if let (Some(file), true) = (&self.reader.first_unnamed, self.totals.events == 0)
            && names.is_empty()
        {
            warnings.push(format!(
                "{file}: there is no column `event`, so no row is an event by its name; name one so, or select rows in the property: `log where .COLUMN == \"…\" with …`"
            ));
        }
        if !names.is_empty() && !mentioned {
            let listed: Vec<String> = names.iter().take(5).map(|n| self.unknown(n)).collect();
            let more = names.len().saturating_sub(5);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            warnings.push(format!("undeclared events: {}{more}", listed.join(", ")));
        }
        warnings.extend(self.never_given());
        warnings.extend(findings::puzzles(self.model, self.totals));
        warnings
    }

    /// Properties that saw nothing. Many properties of a family do not, so those are counted.
    fn silent(&self, names: &[(&str, u64)]) -> Vec<String> {
        let properties = self.model.properties.iter().enumerate();
        let silent: Vec<&Property> = properties
            .filter(|(i, p)| self.totals.properties[*i].events == 0 && !p.alphabet.is_empty())
            .map(|(_, property)| property)
            .collect();
        let (shipped, own): (Vec<&Property>, Vec<&Property>) =
            silent.into_iter().partition(|p| tallies::is_shipped(p, self.files));
        let (apart, together) = match shipped.len() > APART {
            true => (own, shipped),
            false => (own.into_iter().chain(shipped).collect(), Vec::new()),
        };
        let there_was = self.what_there_was(names);
        let mut texts = Vec::new();
        for property in apart {
            let wanted = property.alphabet.iter().map(|o| words::observed_event(self.model, o));
            let wanted: Vec<String> = wanted.collect();
            texts.push(format!(
                "{}: no event of it occurred; it observes {}{there_was}",
                property.name,
                wanted.join(", ")
            ));
        }
        // The summary has said how many they are.
        if !together.is_empty() && !there_was.is_empty() {
            let many = together.len();
            texts.push(format!("no event of {many} shipped properties occurred{there_was}"));
        }
        texts
    }

    /// Violations that may be none, because the clocks of merged traces differ.
    fn uncertain_order(&self) -> Option<String> {
        let (skew, close) = self.skew.filter(|(_, close)| *close > 0)?;
        let depends = |violation: &&Violation| {
            violation.report.history.windows(2).any(|two| {
                match (&two[0].location, &two[1].location) {
                    (Some(a), Some(b)) if a.file != b.file => match (two[0].time, two[1].time) {
                        (Some(a), Some(b)) => b - a < skew,
                        _ => false,
                    },
                    _ => false,
                }
            })
        };
        let violations = &self.checker.findings.violations;
        let uncertain = violations.iter().filter(depends).count();
        let first = violations.iter().find(depends);
        let first = first.map_or(String::new(), |violation| {
            let name = &self.model.properties[violation.report.property.index()].name;
            format!("; the first is that of {name} at event {}", violation.report.index)
        });
        Some(format!(
            "{} closer than --skew to one of another trace, so their order is not certain; {} of {} on \
             it{first}",
            match close {
                1 => "1 event is".to_string(),
                events => format!("{} events are", count(events)),
            },
            count(uncertain as u64),
            match violations.len() {
                1 => "1 violation depends".to_string(),
                all => format!("{} violations depend", count(all as u64)),
            },
        ))
    }

    /// What came near to events that never occurred: lines for patterns, records for conditions. Of a
    /// property that saw other events, only what is nearly one counts.
    fn near_misses(&self) -> Vec<String> {
        let mut texts = Vec::new();
        let mut told: Vec<EventId> = Vec::new();
        for (i, property) in self.model.properties.iter().enumerate() {
            let silent = self.totals.properties[i].events == 0;
            for observed in &property.alphabet {
                let event = observed.event;
                if self.reader.emitter.seen[event.index()].count > 0 || told.contains(&event) {
                    continue;
                }
                told.push(event);
                texts.extend(self.near_miss(event, silent));
            }
        }
        texts.truncate(NEAR_MISSES);
        texts
    }

    fn near_miss(&self, event: EventId, silent: bool) -> Option<String> {
        let decl = &self.model.events[event.index()];
        let Origin::World(sources) = &decl.origin else { return None };
        let mut patterns = sources.iter().filter_map(|source| match source {
            Source::Log(log) => match &log.select {
                LogSelect::Regex(pattern) => Some(pattern),
                _ => None,
            },
            _ => None,
        });
        let closest = |pattern: &String| {
            let most_of = if silent { 0 } else { 60 };
            self.reader.samples.closest(pattern, most_of)
        };
        let has_patterns = patterns.clone().next().is_some();
        let record = || {
            let miss = self.reader.emitter.misses[event.index()].as_ref();
            miss.filter(|miss| silent || miss.is_near).map(|miss| miss.words())
        };
        let miss = patterns.find_map(closest).or_else(record);
        let json = self.reader.first_json.as_ref().filter(|_| has_patterns && silent);
        let text = match (miss, json) {
            (Some(miss), _) => miss,
            (None, Some(file)) => format!(
                "it is a pattern for lines of text, and {file} holds records of JSON; select them with \
                 `log where .FIELD == \"…\"`, or search their lines with `--input-format text`"
            ),
            (None, None) => return None,
        };
        Some(format!("`{}` never occurred: {}", decl.name, super::style::harmless(&text)))
    }

    /// Names of records that led nowhere, most frequent first.
    fn unknown_names(&self) -> Vec<(&str, u64)> {
        let routes = self.reader.routes.table.iter();
        let mut names: Vec<(&str, u64)> = routes
            .filter(|r| r.targets.is_empty() && r.point == Point::EVENT)
            .map(|r| (&*r.name, r.records))
            .collect();
        names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        names
    }

    /// The declared event with almost this name.
    fn near(&self, name: &str) -> Option<&str> {
        // The first one is the end of the run, which is not declared.
        nearest(name, self.model.events.iter().skip(1).map(|e| e.name.as_str()))
    }

    fn unknown(&self, (name, records): &(&str, u64)) -> String {
        let mut text = format!("`{}` ({})", super::style::harmless(name), count(*records));
        if let Some(near) = self.near(name) {
            let _ = write!(text, ", did you mean `{near}`?");
        }
        text
    }

    /// What the trace held instead.
    fn what_there_was(&self, names: &[(&str, u64)]) -> String {
        if !names.is_empty() {
            let listed: Vec<String> = names.iter().take(5).map(|n| self.unknown(n)).collect();
            return format!("; the trace has {}", listed.join(", "));
        }
        let points: Vec<String> = self
            .reader
            .routes
            .table
            .iter()
            .filter(|r| r.point != Point::NONE && r.point != Point::EVENT)
            .filter(|r| r.targets.is_empty())
            .take(5)
            .map(|r| format!("{} `{}`", r.point.key(), super::style::harmless(&r.name)))
            .collect();
        if !points.is_empty() {
            return format!("; the trace has {}", points.join(", "));
        }
        if self.reader.lines == 0 {
            return "; the trace is empty".to_string();
        }
        if self.reader.emitter.unmatched > 0 {
            let patterns = self.model.events.iter().any(|e| match &e.origin {
                Origin::World(sources) => sources.iter().any(|s| matches!(s, Source::Log(_))),
                _ => false,
            });
            let lines = counted(self.reader.emitter.unmatched, "record");
            return if patterns {
                format!("; none of {lines} matched a pattern")
            } else {
                format!("; none of {lines} has the name of an event under \"event\"")
            };
        }
        String::new()
    }

    /// Parameters that no record ever gave.
    fn never_given(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (i, seen) in self.reader.emitter.seen.iter().enumerate() {
            if seen.count == 0 {
                continue;
            }
            let decl = &self.model.events[i];
            let missing: Vec<&str> = decl
                .params
                .iter()
                .take(64)
                .enumerate()
                .filter(|(p, _)| seen.given & (1 << p) == 0)
                .map(|(_, param)| param.name.as_str())
                .collect();
            if missing.is_empty() {
                continue;
            }
            let quoted = |names: &[&str]| {
                names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
            };
            let mut text =
                format!("`{}`: no record gave {}, so it is null", decl.name, quoted(&missing));
            if !seen.strangers.is_empty() {
                let strangers: Vec<&str> = seen.strangers.iter().map(|s| &**s).collect();
                let _ = write!(text, "; records have {}", quoted(&strangers));
            }
            warnings.push(text);
        }
        warnings
    }

    /// What reports are made of.
    pub fn outcome<'r>(
        &'r self,
        reports: &Reports,
        source: &'r dyn Fn(&Location) -> Option<Snippet>,
        target: String,
    ) -> Outcome<'r> {
        let findings = &self.checker.findings;
        Outcome {
            limits: self.limits(),
            warnings: self.warnings(),
            target,
            stopped: self.stopped.clone(),
            ..self.with_stats(findings.outcome(
                self.model,
                self.totals,
                self.tallies(),
                reports,
                source,
            ))
        }
    }

    /// The report with the counters of the reader.
    fn with_stats<'r>(&self, mut outcome: Outcome<'r>) -> Outcome<'r> {
        let unknown: Vec<Json> = self
            .unknown_names()
            .into_iter()
            .take(100)
            .map(|(name, records)| {
                Json::object([("name", name.into()), ("records", records.into())])
            })
            .collect();
        let mut stats = outcome.stats;
        stats = stats
            .with("lines", self.reader.lines)
            .with("unmatched", self.reader.emitter.unmatched)
            .with("skipped", self.reader.skipped)
            .with("unknown", unknown);
        if let Some(elapsed) = self.elapsed {
            let seconds = elapsed.as_secs_f64();
            stats = stats
                .with("seconds", Json::Number(format!("{seconds:.6}")))
                .with("eventsPerSecond", (self.totals.events as f64 / seconds.max(1e-9)) as u64);
        }
        outcome.stats = stats;
        outcome
    }
}
