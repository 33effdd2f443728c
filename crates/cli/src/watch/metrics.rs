//! `--metrics`: what is being watched, as numbers for Prometheus.

use std::fmt::Write;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use watchword_live::http;
use watchword_monitor::Totals;

use super::alerts::Tally;
use crate::check::Checker;

/// A client that connects and sends nothing is dropped after this time.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves the numbers as they were last set.
pub struct Metrics {
    page: Arc<Mutex<String>>,
    /// Where they are.
    pub address: SocketAddr,
}

impl Metrics {
    /// Serves `/metrics` at this address.
    ///
    /// # Errors
    /// If the address cannot be had.
    pub fn serve(address: SocketAddr) -> io::Result<Metrics> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let page = Arc::new(Mutex::new(String::new()));
        let theirs = page.clone();
        // One after the other: a request is answered in microseconds, or the connection is closed.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = answer(stream, &theirs);
            }
        });
        Ok(Metrics { page, address })
    }

    /// Sets the numbers.
    pub fn set(&self, numbers: &Numbers<'_>) {
        let text = numbers.to_text();
        *self.page.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

fn answer(mut stream: TcpStream, page: &Mutex<String>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let Some(request) = http::read(&mut stream, 0)? else {
        return http::answer(
            &mut stream,
            "400 Bad Request",
            "text/plain",
            "",
            "this is not a request\n",
        );
    };
    let path = request.path.split('?').next().unwrap_or_default();
    match (request.method.as_str(), path) {
        ("GET", "/metrics") => {
            let text = page.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            http::answer(&mut stream, "200 OK", kind, "", &text)
        }
        _ => http::answer(&mut stream, "404 Not Found", "text/plain", "", "see /metrics\n"),
    }
}

/// The output.
pub struct Numbers<'a> {
    /// What was counted.
    pub checker: &'a Checker,
    /// How many lines were read.
    pub lines: u64,
    /// How many were left out.
    pub skipped: u64,
    /// What became of alerts.
    pub alerts: Tally,
    /// When the state was last saved, in seconds since 1970.
    pub saved: Option<u64>,
}

impl Numbers<'_> {
    fn to_text(&self) -> String {
        let run = &self.checker.run;
        let totals: Totals = run.totals();
        let stats = run.stats();
        let mut out = String::new();
        let mut family = |name: &str, kind: &str, help: &str, rows: &[(String, u64)]| {
            let _ = writeln!(out, "# HELP watchword_{name} {help}\n# TYPE watchword_{name} {kind}");
            for (labels, value) in rows {
                let _ = writeln!(out, "watchword_{name}{labels} {value}");
            }
        };
        let one = |value: u64| vec![(String::new(), value)];
        let each = |value: &dyn Fn(usize) -> u64| -> Vec<(String, u64)> {
            let properties = run.model().properties.iter().enumerate();
            properties
                .map(|(i, p)| (format!("{{property=\"{}\"}}", escape(&p.name)), value(i)))
                .collect()
        };
        let of = |i: usize| &totals.properties[i];
        family("lines_total", "counter", "Lines read.", &one(self.lines));
        family("bad_lines_total", "counter", "Lines that could not be read.", &one(self.skipped));
        family("events_total", "counter", "Events of all properties.", &one(totals.events));
        family(
            "property_events_total",
            "counter",
            "Events of a property.",
            &each(&|i| of(i).events),
        );
        family("violations_total", "counter", "Violations.", &each(&|i| of(i).violations));
        let instances = |i: usize| stats.as_ref().map_or(0, |stats| stats[i].instances);
        family("instances", "gauge", "Live instances.", &each(&instances));
        let late = self.checker.overtaken + self.checker.disordered;
        family(
            "late_events_total",
            "counter",
            "Events that are earlier than the one before.",
            &one(late),
        );
        let limits = totals.limits.len() as u64;
        family(
            "limits",
            "gauge",
            "Limits that were reached: verdicts are uncertain.",
            &one(limits),
        );
        let Tally { sent, held_back, failed, waiting } = self.alerts;
        let alerts = [("sent", sent), ("held_back", held_back), ("failed", failed)];
        let alerts = alerts.map(|(what, n)| (format!("{{outcome=\"{what}\"}}"), n));
        family("alerts_total", "counter", "Alerts by outcome.", &alerts);
        family("alerts_waiting", "gauge", "Undelivered alerts.", &one(waiting));
        if let Some(time) = self.checker.latest() {
            let seconds = u64::try_from(time / watchword_trace::time::SECOND).unwrap_or(0);
            family(
                "last_event_timestamp_seconds",
                "gauge",
                "The time of the last record.",
                &one(seconds),
            );
        }
        if let Some(saved) = self.saved {
            family(
                "state_saved_timestamp_seconds",
                "gauge",
                "When the state was last saved.",
                &one(saved),
            );
        }
        out
    }
}

/// A value of a label.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
