//! Watching live: alerts, state that survives a restart, metrics, and logs that come over the network.

pub mod alerts;
mod deliver;
pub mod listen;
pub mod metrics;
pub mod state;
mod syslog;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use watchword_model::Model;
use watchword_trace::Reader;

use self::alerts::{Alerts, Rate, Target};
use self::listen::Source;
use self::metrics::{Metrics, Numbers};
use self::state::{Place, Saved, State};
use crate::check::Checker;

/// Flags for logs that are watched.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct WatchFlags {
    /// Send every violation there as a line of JSON: `stdout`, `file:PATH`, `cmd:COMMAND` (once per
    /// alert, on standard input) or `http://HOST:PORT/PATH` (by POST; for TLS, a command such as curl).
    /// May be repeated
    #[arg(long, value_name = "TARGET", value_parser = Target::parse, help_heading = "Watching")]
    pub alert: Vec<Target>,
    /// Limit the alerts of each property to each target, e.g. 10/min; alerts above the limit are
    /// counted. The default for commands and addresses is 60/min
    #[arg(long, value_name = "N/TIME", value_parser = Rate::parse, help_heading = "Watching")]
    #[arg(requires = "alert")]
    pub alert_rate: Option<Rate>,
    /// Save the state of the watch in this folder, and continue from there after a restart or a
    /// crash; with --follow or --listen
    #[arg(long, value_name = "FOLDER", help_heading = "Watching")]
    pub state: Option<PathBuf>,
    /// Serve metrics for Prometheus at http://HOST:PORT/metrics; a PORT alone is reachable from
    /// this machine only
    #[arg(long, value_name = "ADDRESS", value_parser = listen::address, help_heading = "Watching")]
    pub metrics: Option<SocketAddr>,
    /// Receive the log over the network instead of reading a file: syslog://HOST:PORT (UDP and
    /// TCP),
    /// otlp://HOST:PORT (logs of OpenTelemetry over HTTP) or otlp-spans://HOST:PORT. A PORT alone
    /// is reachable from this machine only: syslog://5514
    #[arg(long, value_name = "ADDRESS", value_parser = Source::parse, help_heading = "Watching")]
    #[arg(conflicts_with_all = ["traces", "follow", "merge", "rotated", "preset", "records", "input_format"])]
    pub listen: Option<Source>,
}

/// How often metrics are set.
const OFTEN: Duration = Duration::from_millis(250);

/// Flags for watching a log live.
pub struct Watch {
    alerts: Alerts,
    metrics: Option<Metrics>,
    last_metrics: Option<Instant>,
    state: Option<State>,
    /// Something could not be written, and the watch is to end.
    pub failure: Option<anyhow::Error>,
}

impl Watch {
    /// Opens what the flags say; gives the state that was saved, if there is one.
    ///
    /// # Errors
    /// If something cannot be opened, or the state is that of other properties.
    pub fn open(flags: &WatchFlags, model: &Model) -> anyhow::Result<(Watch, Option<Saved>)> {
        let (state, saved) = match &flags.state {
            None => (None, None),
            Some(folder) => {
                let (state, saved) = State::open(folder, model)?;
                (Some(state), saved)
            }
        };
        let undelivered = saved.as_ref().map_or(&[][..], |saved| &saved.alerts);
        let alerts = Alerts::open(&flags.alert, flags.alert_rate, model, undelivered)?;
        let serve = |address| {
            Metrics::serve(address).with_context(|| format!("cannot serve metrics at {address}"))
        };
        let metrics = flags.metrics.map(serve).transpose()?;
        let watch = Watch { alerts, metrics, last_metrics: None, state, failure: None };
        Ok((watch, saved))
    }

    /// Where metrics are, if they are served.
    pub fn metrics_at(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(|metrics| metrics.address)
    }

    /// Tells what was found since the last call.
    pub fn tell(&mut self, checker: &mut Checker, reader: &Reader) {
        for violation in checker.take_alerts() {
            if self.failure.is_none() {
                let model = checker.run.model().clone();
                self.failure = self.alerts.send(&model, &violation).err();
            }
        }
        if let Some(metrics) = &self.metrics
            && self.last_metrics.is_none_or(|last| last.elapsed() >= OFTEN)
        {
            self.last_metrics = Some(Instant::now());
            metrics.set(&Numbers {
                checker,
                lines: reader.lines,
                skipped: reader.skipped,
                alerts: self.alerts.tally(),
                saved: self.state.as_ref().and_then(|state| state.saved_at),
            });
        }
    }

    /// Whether it is time to save the state.
    pub fn is_due(&self) -> bool {
        self.state.as_ref().is_some_and(State::is_due)
    }

    /// Saves the state, if there is a folder for it: the log was read up to that place.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&mut self, checker: &mut Checker, place: Option<Place>) -> anyhow::Result<()> {
        let Some(state) = &mut self.state else { return Ok(()) };
        let Some(mut saved) = checker.to_saved() else {
            bail!("--state works only with the engine, not with other evaluators")
        };
        saved.place = place;
        saved.alerts = self.alerts.undelivered();
        state.save(&saved).context("cannot save the state")
    }

    /// Waits for alerts that are on their way, and says what went wrong with others.
    pub fn close(&mut self) -> Vec<String> {
        self.alerts.close()
    }
}
