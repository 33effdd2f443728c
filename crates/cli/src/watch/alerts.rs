//! `--alert`: sends every violation to targets, as a line of JSON.
//!
//! Files and standard output are written at once; commands and webhooks have a queue and a thread, so that
//! a slow one does not hold up the log. Too many alerts of one property are held back and counted.

use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use watchword_model::{Model, Time};
use watchword_trace::time;
use watchword_view::Violation;
use watchword_view::report::json;

use super::deliver::{Courier, Webhook};
use crate::output::json::Json;

/// Where alerts go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard output, which then has nothing else.
    Stdout,
    /// A file, at its end.
    File(PathBuf),
    /// A command of the shell, once for each alert, on its standard input.
    Command(String),
    /// An address, by `POST`.
    Webhook(Webhook),
}

impl Target {
    /// What `--alert` takes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Target, String> {
        if text == "stdout" {
            return Ok(Target::Stdout);
        }
        if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            return Ok(Target::File(PathBuf::from(path)));
        }
        if let Some(command) = text.strip_prefix("cmd:").filter(|command| !command.is_empty()) {
            return Ok(Target::Command(command.to_string()));
        }
        if text.starts_with("https://") {
            return Err(format!(
                "TLS is not built in; use a command: \
                 --alert 'cmd:curl -sS --fail -H Content-Type:application/json --data-binary @- {text}'"
            ));
        }
        if text.starts_with("http://") {
            return Webhook::parse(text).map(Target::Webhook);
        }
        Err("expected stdout, file:PATH, cmd:COMMAND or http://HOST:PORT/PATH".to_string())
    }
}

/// How many alerts of a property may go to a target in a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    most: u32,
    per: Time,
}

impl Rate {
    /// What commands and webhooks get if nothing else is said.
    const USUAL: Rate = Rate { most: 60, per: 60 * time::SECOND };

    /// What `--alert-rate` takes: `10/min`, `100/5s`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Rate, String> {
        let parse = || {
            let (most, per) = text.split_once('/')?;
            let most = most.trim().parse().ok().filter(|most| *most > 0)?;
            let per = per.trim();
            let per = time::duration(per).or_else(|| time::duration(&format!("1{per}")))?;
            (per > 0).then_some(Rate { most, per })
        };
        parse().ok_or_else(|| "expected a number per time such as 10/min or 100/5s".to_string())
    }
}

/// Counts the alerts of one property to one target.
#[derive(Clone, Debug, Default)]
struct Window {
    began: Option<Instant>,
    sent: u32,
    held_back: u64,
}

/// A target that is open.
struct Line {
    means: Means,
    rate: Option<Rate>,
    /// By property.
    windows: Vec<Window>,
}

enum Means {
    Stdout,
    File(PathBuf, File),
    Courier(Courier),
}

/// What became of alerts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Delivered.
    pub sent: u64,
    /// Held back, as there were too many.
    pub held_back: u64,
    /// Given up.
    pub failed: u64,
    /// Not delivered yet.
    pub waiting: u64,
}

/// Sends alerts to all targets.
pub struct Alerts {
    lines: Vec<Line>,
    sent: u64,
    held_back: u64,
}

/// How long the end of a run waits for alerts that are on their way.
const LAST_CALL: Duration = Duration::from_secs(10);

impl Alerts {
    /// Opens the targets; those that were not delivered by an earlier run come first.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn open(
        targets: &[Target],
        rate: Option<Rate>,
        model: &Model,
        undelivered: &[(u64, String)],
    ) -> anyhow::Result<Alerts> {
        let mut lines = Vec::new();
        for (number, target) in targets.iter().enumerate() {
            let before = undelivered.iter().filter(|(of, _)| *of == number as u64);
            let before = before.map(|(_, line)| line.clone());
            let means = match target {
                Target::Stdout => Means::Stdout,
                Target::File(path) => {
                    let file = OpenOptions::new().append(true).create(true).open(path);
                    let shown = path.display();
                    Means::File(
                        path.clone(),
                        file.with_context(|| format!("cannot write {shown}"))?,
                    )
                }
                Target::Command(command) => {
                    Means::Courier(Courier::command(command.clone(), before))
                }
                Target::Webhook(webhook) => {
                    Means::Courier(Courier::webhook(webhook.clone(), before))
                }
            };
            let usual = matches!(means, Means::Courier(_)).then_some(Rate::USUAL);
            let windows = vec![Window::default(); model.properties.len()];
            lines.push(Line { means, rate: rate.or(usual), windows });
        }
        Ok(Alerts { lines, sent: 0, held_back: 0 })
    }

    /// Sends a violation to every target.
    ///
    /// # Errors
    /// If a file or standard output cannot be written.
    pub fn send(&mut self, model: &Model, violation: &Violation) -> anyhow::Result<()> {
        let text = alert(model, violation).to_string();
        let now = Instant::now();
        for line in &mut self.lines {
            let window = &mut line.windows[violation.report.property.index()];
            if let Some(rate) = line.rate {
                self.sent += line.means.open_anew(window, rate, now, model, violation)?;
                if window.sent >= rate.most {
                    window.held_back += 1;
                    self.held_back += 1;
                    continue;
                }
                window.sent += 1;
            }
            line.means.write(&text)?;
            self.sent += 1;
        }
        Ok(())
    }

    /// What became of the alerts so far.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally { sent: self.sent, held_back: self.held_back, ..Tally::default() };
        for line in &self.lines {
            if let Means::Courier(courier) = &line.means {
                let (waiting, failed) = courier.counts();
                tally.sent = tally.sent.saturating_sub(waiting + failed);
                tally.waiting += waiting;
                tally.failed += failed;
            }
        }
        tally
    }

    /// What was not delivered yet, with the number of its target.
    pub fn undelivered(&self) -> Vec<(u64, String)> {
        let couriers = (0..).zip(&self.lines).filter_map(|(number, line)| match &line.means {
            Means::Courier(courier) => Some((number, courier)),
            _ => None,
        });
        couriers
            .flat_map(|(number, courier)| {
                courier.waiting().into_iter().map(move |line| (number, line))
            })
            .collect()
    }

    /// Waits for what is on its way, for a while; then says what was held back and what went wrong.
    pub fn close(&mut self) -> Vec<String> {
        let until = Instant::now() + LAST_CALL;
        for line in &self.lines {
            if let Means::Courier(courier) = &line.means {
                courier.wait(until);
            }
        }
        let alerts = |count: u64| watchword_view::text::counted(count, "alert");
        let mut texts = Vec::new();
        if self.held_back > 0 {
            texts.push(format!("{} held back by --alert-rate", alerts(self.held_back)));
        }
        for line in &self.lines {
            let Means::Courier(courier) = &line.means else { continue };
            let target = courier.target();
            let (waiting, failed) = courier.counts();
            let mut say = |count: u64, what: &str, why: Option<String>| {
                if count > 0 {
                    let why = why.map_or(String::new(), |why| format!(": {why}"));
                    texts.push(format!("{} to {target} {what}{why}", alerts(count)));
                }
            };
            say(failed, "given up after failed deliveries", courier.last_error());
            say(waiting, "not delivered yet", courier.trouble());
        }
        texts
    }
}

impl Means {
    /// Begins another window if the last one is over, and says what was held back in it; gives the number
    /// of alerts that took.
    fn open_anew(
        &mut self,
        window: &mut Window,
        rate: Rate,
        now: Instant,
        model: &Model,
        violation: &Violation,
    ) -> anyhow::Result<u64> {
        let per = Duration::from_nanos(rate.per.unsigned_abs());
        if window.began.is_some_and(|began| now.duration_since(began) < per) {
            return Ok(0);
        }
        let held_back = window.held_back;
        *window = Window { began: Some(now), sent: 0, held_back: 0 };
        if held_back == 0 {
            return Ok(0);
        }
        let property = &model.properties[violation.report.property.index()].name;
        let text = Json::object([
            ("alert", "held-back".into()),
            ("property", property.as_str().into()),
            ("count", held_back.into()),
        ]);
        self.write(&text.to_string())?;
        Ok(1)
    }

    fn write(&mut self, line: &str) -> anyhow::Result<()> {
        match self {
            Means::Stdout => {
                let mut out = io::stdout().lock();
                writeln!(out, "{line}").and_then(|()| out.flush())?;
            }
            Means::File(path, file) => {
                // In one piece, so that others may write into the same file.
                let shown = path.display();
                let written = file.write_all(format!("{line}\n").as_bytes());
                written.with_context(|| format!("cannot write {shown}"))?;
            }
            Means::Courier(courier) => courier.send(line),
        }
        Ok(())
    }
}

/// An alert: what a report says of a violation, and a name that is the same if a restart sends it again.
fn alert(model: &Model, violation: &Violation) -> Json {
    let mut json = json::violation(model, violation);
    let report = &violation.report;
    let property = &model.properties[report.property.index()];
    let mut hasher = DefaultHasher::new();
    (&property.name, &property.states[report.state.index()].name).hash(&mut hasher);
    (report.index, report.time, format!("{:?}", report.binding)).hash(&mut hasher);
    let id = format!("{:016x}", hasher.finish());
    if let Json::Object(members) = &mut json {
        members.insert(0, ("alert".to_string(), Json::Text(id)));
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_rates() {
        assert_eq!(Target::parse("stdout"), Ok(Target::Stdout));
        assert_eq!(Target::parse("file:a b"), Ok(Target::File(PathBuf::from("a b"))));
        assert_eq!(Target::parse("cmd:cat >&2"), Ok(Target::Command("cat >&2".to_string())));
        assert!(matches!(Target::parse("http://127.0.0.1:9/x?y"), Ok(Target::Webhook(_))));
        assert!(Target::parse("https://a/b").unwrap_err().contains("curl"));
        for bad in
            ["", "file:", "cmd:", "http://", "http:///x", "http://a:b/", "mail:x", "out.json"]
        {
            assert!(Target::parse(bad).is_err(), "{bad}");
        }
        let minute = 60 * time::SECOND;
        assert_eq!(Rate::parse("10/min"), Ok(Rate { most: 10, per: minute }));
        assert_eq!(Rate::parse("3 / 2min"), Ok(Rate { most: 3, per: 2 * minute }));
        for bad in ["", "10", "0/s", "x/s", "10/", "10/0s", "10/fortnight", "-1/s"] {
            assert!(Rate::parse(bad).is_err(), "{bad}");
        }
    }
}
