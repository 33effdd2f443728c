//! A run of a JVM program, or of the JVMs of a build: records come in, one report comes out.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watchword_model::{Location, Model, Property, PropertyId, StateId};
use watchword_monitor::{Found, Instance, Limit, Listed, Strangers, Totals, Unmonitored};
use watchword_spec::SourceFile;
use watchword_view::report::Format;
use watchword_view::{Outcome, Status, Tally, Verdict, Violation, limit, text};
use watchword_wire::{self as wire, Ending, Record, Shown, Slice, WireError, read_record};

use crate::args::Global;
use crate::live::Teller;
use crate::output::findings::{self, Findings};
use crate::output::reports::Reports;
use crate::output::sources::Sources;
use crate::output::style::{Style, harmless};
use crate::output::{self, human, tallies};

/// What was heard of a run so far.
pub struct Run<'m> {
    model: &'m Model,
    files: &'m [SourceFile],
    reports: Reports,
    findings: Findings,
    /// What each process said of itself; the last one is listened to.
    processes: Vec<Process>,
    /// Where a violation of an earlier process is listed.
    places: HashMap<Site, usize>,
    /// The counts of all processes that told them.
    ending: Option<Ending>,
    /// By property: it was proven before the run that nothing can be reported.
    proven: Vec<bool>,
    /// By property: files of the user silence sites of it.
    silenced: Vec<bool>,
    /// Analyses that are not sound and chose sites to silence.
    unsound: Vec<String>,
    /// Events may have occurred at sites that are not watched.
    has_unseen: bool,
    /// Tells pages what happens.
    teller: Option<Teller>,
    /// What the engine did for them.
    shown: Cost,
}

/// What it took to have the instances in the engine, where they can be looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Events.
    pub events: u64,
    /// Nanoseconds that the engine took for them.
    pub spent: u64,
}

/// What makes violations of different processes the same.
type Site = (PropertyId, StateId, Arc<Location>, bool);

/// A JVM that is listened to.
#[derive(Default)]
struct Process {
    /// What the operating system calls it.
    pid: Option<u32>,
    warnings: Vec<String>,
    failure: Option<String>,
    started: bool,
    ended: bool,
    /// The receiver ended before the program.
    left: bool,
    /// A property had a site in it.
    had_sites: bool,
    /// Where its violations are listed, in the order in which it told them.
    listed: Vec<usize>,
}

impl Process {
    /// Whether nothing of it was checked, as far as it told.
    fn is_blind(&self) -> bool {
        !self.had_sites && (self.ended || self.failure.is_some() || !self.started)
    }

    /// Why not all of it was monitored, or not all is known.
    fn unmonitored(&self) -> Option<Limit> {
        let why = match &self.failure {
            None if self.left && !self.ended => Unmonitored::Left,
            Some(why) => Unmonitored::Failed(why.clone()),
            None if !self.started => Unmonitored::NotStarted,
            None if !self.ended => Unmonitored::EndedEarly,
            None => return None,
        };
        Some(Limit::Unmonitored(why))
    }
}

impl<'m> Run<'m> {
    /// Nothing yet.
    pub fn new(model: &'m Model, files: &'m [SourceFile], reports: Reports) -> Run<'m> {
        Run {
            model,
            files,
            reports,
            findings: Findings::default(),
            processes: vec![Process::default()],
            places: HashMap::new(),
            ending: None,
            proven: model.properties.iter().map(Property::is_proven).collect(),
            silenced: vec![false; model.properties.len()],
            unsound: Vec::new(),
            has_unseen: false,
            teller: None,
            shown: Cost::default(),
        }
    }

    /// Pages are told what happens.
    pub fn show(&mut self, teller: Option<Teller>) {
        self.teller = teller;
    }

    /// Pages are told that the run is over.
    pub fn end_of_show(&mut self, text: &str) {
        if let Some(teller) = &mut self.teller {
            teller.end(text.to_string());
        }
    }

    /// What it took to show the instances.
    pub fn shown(&self) -> Cost {
        self.shown
    }

    /// Nothing yet of JVMs each of which is announced by [`Run::next_process`].
    pub fn of_processes(model: &'m Model, files: &'m [SourceFile], reports: Reports) -> Run<'m> {
        Run { processes: Vec::new(), ..Run::new(model, files, reports) }
    }

    /// The user silenced sites of these properties, and may have left none. Of the analyses that
    /// chose the sites, these are not sound.
    pub fn know_silenced(&mut self, silenced: Vec<bool>, unsound: Vec<String>) {
        (self.silenced, self.unsound) = (silenced, unsound);
    }

    /// Sites were silenced: an event that was not seen may have occurred there.
    pub fn expect_unseen_events(&mut self) {
        self.has_unseen = true;
    }

    /// These properties were proven right before the run, too.
    pub fn know_proven(&mut self, proven: &[bool]) {
        for (known, more) in self.proven.iter_mut().zip(proven) {
            *known |= more;
        }
    }

    /// There is no receiver any more, although the program runs.
    pub fn leave(&mut self) {
        self.process().left = true;
    }

    /// What is listened to from now on comes from another JVM.
    pub fn next_process(&mut self) {
        let earlier = &self.findings.violations;
        for at in &self.processes.last().map(|p| p.listed.clone()).unwrap_or_default() {
            let violation = &earlier[*at];
            if let Some(place) = &violation.location {
                let report = &violation.report;
                let site = (report.property, report.state, place.clone(), violation.expected);
                self.places.insert(site, *at);
            }
        }
        self.processes.push(Process::default());
    }

    fn process(&mut self) -> &mut Process {
        let last = self.processes.len() - 1;
        &mut self.processes[last]
    }

    /// Listens until the stream ends; with `live`, violations are shown as they come.
    pub fn listen(
        &mut self,
        stream: &mut impl Read,
        global: &Global,
        live: bool,
    ) -> Result<(), WireError> {
        let style = Style::new(global.color_on_stderr());
        while let Some(record) = read_record(stream)? {
            match record {
                Record::Started { pid, .. } => {
                    let process = self.process();
                    (process.started, process.pid) = (true, Some(pid));
                }
                Record::Found(found) => {
                    if let Some(at) = self.hear(*found) {
                        let violation = &self.findings.violations[at];
                        let status = self.reports.judge(self.model, violation);
                        if live && status == Status::New && !violation.expected {
                            show(style, self.model, violation);
                        }
                    }
                }
                Record::Printed(text) => {
                    if live {
                        say(&format!("printed: {}\n", harmless(&text)));
                    }
                    self.findings.print(text);
                }
                Record::Warning(text) => self.process().warnings.push(text),
                Record::Failed(text) => {
                    if live {
                        output::warning(
                            global.color_on_stderr(),
                            &format!("not monitored: {text}"),
                        );
                    }
                    self.process().failure = Some(text);
                }
                Record::Finished(ending) => self.end(*ending),
                Record::Shown(shown) => self.hear_moves(*shown),
            }
            if let Some(teller) = &mut self.teller {
                teller.findings(&self.findings);
            }
        }
        Ok(())
    }

    /// Takes what instances did.
    fn hear_moves(&mut self, shown: Shown) {
        self.shown = Cost { events: shown.events, spent: shown.spent };
        let Some(teller) = &mut self.teller else { return };
        teller.moves(shown.moves, shown.events);
        for slices in shown.slices {
            if slices.total > slices.listed.len() as u64 {
                teller.count(slices.property, slices.total);
                continue;
            }
            let listed: Vec<Instance> = slices.listed.into_iter().map(instance).collect();
            teller.list(slices.property, &listed);
        }
    }

    /// Takes a report that the agent lists; gives the position of a violation that was not listed before.
    fn hear(&mut self, found: wire::Found) -> Option<usize> {
        let wire::Found { report, location, thread, stack, certain, test, expected } = found;
        let site = location.clone().map(|place| (report.property, report.state, place, expected));
        if let Some(at) = site.and_then(|site| self.places.get(&site).copied()) {
            let violation = &mut self.findings.violations[at];
            violation.count += 1;
            violation.certain |= certain;
            self.process().listed.push(at);
            return None;
        }
        // An agent tells what is to be listed, and nothing twice.
        let listed = Listed { number: Some(0), location, in_program: true };
        let at = self.findings.add(Found { report, listed, certain })?;
        let violation = &mut self.findings.violations[at];
        (violation.thread, violation.stack) = (thread, stack);
        (violation.test, violation.expected) = (test, expected);
        self.process().listed.push(at);
        Some(at)
    }

    /// A process has told its counts.
    fn end(&mut self, mut ending: Ending) {
        let last = self.processes.len() - 1;
        let process = &mut self.processes[last];
        process.ended = true;
        process.had_sites = ending.totals.properties.iter().any(|p| p.sites.unwrap_or(0) > 0);
        // Each was counted once when it was told.
        for (at, count) in process.listed.iter().zip(&ending.totals.counts) {
            self.findings.violations[*at].count += count.saturating_sub(1);
        }
        ending.totals.counts.clear();
        match &mut self.ending {
            Some(all) => {
                all.totals.merge(ending.totals);
                all.classes += ending.classes;
                all.woven += ending.woven;
                all.weaving += ending.weaving;
            }
            None => self.ending = Some(ending),
        }
    }

    /// How many JVMs were listened to.
    pub fn heard(&self) -> usize {
        self.processes.len()
    }

    fn totals(&self) -> Option<&Totals> {
        self.ending.as_ref().map(|ending| &ending.totals)
    }

    /// Whether anything was violated that was not known before.
    pub fn has_violations(&self) -> bool {
        let unheard = Totals::default();
        self.findings.has_new(self.totals().unwrap_or(&unheard), &self.reports)
    }

    /// Whether the verdict on some property is inconclusive.
    pub fn is_inconclusive(&self) -> bool {
        let limits = self.limits();
        self.tallies(false).iter().enumerate().any(|(i, tally)| {
            let verdict = tally.verdict(self.model, PropertyId::from_index(i), &limits);
            verdict == Verdict::Inconclusive
        })
    }

    /// Whether the program had any site at all.
    pub fn has_sites(&self) -> bool {
        self.totals().iter().flat_map(|t| &t.properties).any(|p| p.sites.is_some_and(|n| n > 0))
    }

    /// Whether nothing was checked: no JVM was monitored, or none had a site. Where sites were left out
    /// because of an analysis, that has checked them.
    pub fn is_blind(&self) -> bool {
        !self.has_unseen
            && !self.proven.contains(&true)
            && self.processes.iter().all(Process::is_blind)
    }

    /// The violations that were not shown as they came.
    pub fn show_all(&self, global: &Global) {
        let style = Style::new(global.color_on_stderr());
        let known = self.reports.status();
        for (i, violation) in self.findings.violations.iter().enumerate() {
            if known.get(i) != Some(&Status::Known) && !violation.expected {
                show(style, self.model, violation);
            }
        }
    }

    /// That there are more violations than were shown as they came.
    pub fn tell_repeated(&self) {
        say(&self.findings.repeated(&self.reports));
    }

    /// One line per property, and what else there is to say.
    pub fn summary(&self, global: &Global) {
        let style = Style::new(global.color_on_stderr());
        let mut out = String::new();
        if let Some(totals) = self.totals() {
            let limits = self.limits();
            let tallies = self.tallies(false);
            out.push_str(&findings::unlisted(totals));
            out.push_str(&tallies::lines(style, self.model, &tallies, &limits, global.verbose));
            out.push_str(&findings::limit_lines(style, self.model, &limits));
        }
        let expected = self.findings.violations.iter().filter(|v| v.expected).count() as u64;
        if expected > 0 {
            let sites = text::counted(expected, "violation");
            out.push_str(&format!("{sites} expected by tests, which the reports list\n"));
        }
        if let Some(summary) = self.reports.summary() {
            out.push_str(&format!("{summary}\n"));
        }
        say(&out);
        output::warnings(global, &self.all_warnings());
    }

    /// What makes the result less than it could be.
    fn limits(&self) -> Vec<Limit> {
        let ids = (0..self.silenced.len()).map(PropertyId::from_index);
        let silenced: Vec<PropertyId> = ids.filter(|id| self.silenced[id.index()]).collect();
        let unsound =
            |name: &String| Limit::Unsound { analysis: name.clone(), silenced: silenced.clone() };
        let unsound = self.unsound.iter().map(unsound);
        let here = self.unmonitored().into_iter().chain(unsound);
        let Some(totals) = self.totals() else { return here.collect() };
        let refute_proof = self.proven.contains(&true);
        let told = self.findings.limits(totals).into_iter().map(|limit| match limit {
            Limit::Strangers(strangers) => {
                Limit::Strangers(Strangers { refute_proof, ..strangers })
            }
            other => other,
        });
        here.chain(told).collect()
    }

    /// Why not all of the run was monitored, or not all of it is known.
    fn unmonitored(&self) -> Vec<Limit> {
        let mut all = Vec::new();
        for limit in self.processes.iter().filter_map(Process::unmonitored) {
            if !all.contains(&limit) {
                all.push(limit);
            }
        }
        all
    }

    /// What a person should know about what did not happen.
    fn all_warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings_of_processes();
        if self.is_blind() {
            warnings.push(match self.heard() {
                0 => "nothing was checked: no JVM was monitored".to_string(),
                _ => findings::NOTHING_FOUND.to_string(),
            });
        }
        for (i, property) in self.model.properties.iter().enumerate() {
            let unwatched =
                |totals: &Totals| totals.properties.get(i).is_some_and(|t| t.sites == Some(0));
            if self.silenced[i] && !self.proven[i] && self.totals().is_some_and(unwatched) {
                warnings.push(format!(
                    "{}: nothing is monitored: all its sites in the loaded classes are silenced",
                    property.name
                ));
            }
        }
        match self.totals() {
            Some(totals) => warnings.extend(findings::puzzles(self.model, totals)),
            None => warnings.extend(self.unmonitored().iter().map(|hit| limit(self.model, hit))),
        }
        if self.processes.len() > 1 {
            for process in self.processes.iter().filter(|process| !process.ended) {
                let pid =
                    process.pid.map_or("of unknown number".to_string(), |pid| pid.to_string());
                warnings.push(format!(
                    "process {pid} did not report its end: the report contains its findings but not its counts"
                ));
            }
        }
        warnings
    }

    /// What the agents warned of. Where there are several JVMs, it is of no interest that one of them had
    /// nothing to do with a property.
    fn warnings_of_processes(&self) -> Vec<String> {
        if let [process] = &self.processes[..] {
            return process.warnings.clone();
        }
        let about = |text: &str| {
            let is_name =
                |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
            self.model.properties.iter().position(|property| is_name(&property.name))
        };
        let events = |at: usize| Some(self.totals()?.properties.get(at)?.events);
        let involved = || self.processes.iter().filter(|p| p.ended && p.had_sites);
        let mut all: Vec<String> = Vec::new();
        // Properties without any event: one reason each is enough.
        let mut explained = Vec::new();
        for text in self.processes.iter().flat_map(|process| &process.warnings) {
            let everywhere = || involved().all(|process| process.warnings.contains(text));
            let matters = match about(text) {
                Some(at) if events(at).unwrap_or(0) == 0 => {
                    let is_first = !explained.contains(&at);
                    explained.push(at);
                    is_first
                }
                Some(_) => everywhere(),
                None => true,
            };
            if matters && !all.contains(text) {
                all.push(text.clone());
            }
        }
        all
    }

    /// What came of each property; if that is doubted, nothing is proven.
    fn tallies(&self, doubted: bool) -> Vec<Tally> {
        let unheard = Totals::default();
        let mut tallies = tallies::of(self.model, self.totals().unwrap_or(&unheard), self.files);
        for (i, tally) in tallies.iter_mut().enumerate() {
            tally.proven = !doubted && self.proven.get(i).copied().unwrap_or(false);
            // If the end was not heard of, what was heard counts.
            let of = |v: &&Violation, certain: bool| {
                v.report.property.index() == i && (v.certain || !certain)
            };
            let heard = |certain: bool| {
                self.findings.violations.iter().filter(|v| of(v, certain)).count() as u64
            };
            let cut_short = |certain: bool| {
                let listed = self.processes.iter().filter(|p| !p.ended).flat_map(|p| &p.listed);
                let violations = listed.map(|at| &self.findings.violations[*at]);
                violations.filter(|v| of(v, certain)).count() as u64
            };
            let totals = &mut tally.totals;
            if self.has_unseen {
                tally.missed.clear();
            }
            totals.sites = totals.sites.or(Some(0));
            totals.instances = totals.instances.or(Some(0));
            totals.violations = (totals.violations + cut_short(false)).max(heard(false));
            totals.certain = (totals.certain + cut_short(true)).max(heard(true));
        }
        tallies
    }

    /// Writes the reports, with lines of sources from these folders; gives the one for programs.
    pub fn write(&self, sources: &[PathBuf], target: &str) -> anyhow::Result<String> {
        let is_stranger = |limit: &Limit| matches!(limit, Limit::Strangers(_));
        // What was proven was proven of other classes.
        let doubted = self.totals().is_none_or(|totals| totals.limits.iter().any(is_stranger));
        let ending = self.ending.clone().unwrap_or_default();
        let usual = ["src/main/java", "src/test/java", "src"].map(PathBuf::from);
        let sources = Sources::of_program(if sources.is_empty() { &usual } else { sources });
        let source = |location: &Location| sources.snippet(location);
        let tallies = self.tallies(doubted);
        let outcome =
            self.findings.outcome(self.model, &ending.totals, tallies, &self.reports, &source);
        let stats = outcome.stats.clone();
        let outcome = Outcome {
            limits: self.limits(),
            warnings: self.all_warnings(),
            stats: stats.with("classes", ending.classes).with("woven", ending.woven),
            target: target.to_string(),
            ..outcome
        };
        self.reports.write(&outcome)?;
        Ok(Format::Json.render(&outcome))
    }
}

/// An instance that an agent listed; it cannot be reached from here.
fn instance(slice: Slice) -> Instance {
    let Slice { binding, state, variables } = slice;
    Instance { id: None, binding, state, variables, deadline: None }
}

/// A violation, its thread and its stack.
fn show(style: Style, model: &Model, violation: &Violation) {
    let mut out = human::violation(style, model, violation);
    if let Some(test) = &violation.test {
        out.push_str(&format!("  in test {}\n", harmless(test)));
    }
    if let Some(thread) = &violation.thread {
        out.push_str(&format!("  in thread {}\n", harmless(thread)));
    }
    for frame in &violation.stack {
        let line = format!("    at {}", text::location(frame));
        out.push_str(&format!("{}\n", style.dim(&line)));
    }
    say(&format!("{out}\n"));
}

/// Prints a message for the user and ignores errors of the output.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Whether a file is for one process among several: its name says where the number of it goes.
pub fn is_of_process(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains("%p"))
}

/// The file of one process among several: `out.%p.json` becomes `out.1234.json`, and so does `out.json`.
pub fn for_process(path: &Path, pid: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if is_of_process(path) {
        return path.with_file_name(name.replace("%p", pid));
    }
    match name.rsplit_once('.') {
        Some((stem, extension)) => path.with_file_name(format!("{stem}.{pid}.{extension}")),
        None => path.with_file_name(format!("{name}.{pid}")),
    }
}
