//! What the parts of a job know.

use std::fmt;
use std::sync::Arc;

use watchword_model::{Location, Time};
use watchword_monitor::{Engine, Options, Router};
use watchword_trace::presets::Preset;
use watchword_trace::times::TimeFormat;
use watchword_trace::{BadLines, Format, Manner};
use watchword_wire::{Bundle, WireError};

/// What is wrong with what a job was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError(pub(crate) String);

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for JobError {}

impl From<WireError> for JobError {
    fn from(error: WireError) -> JobError {
        JobError(error.to_string())
    }
}

impl From<watchword_trace::Error> for JobError {
    fn from(error: watchword_trace::Error) -> JobError {
        JobError(error.to_string())
    }
}

/// The properties of a job, and how its traces are read.
pub struct Job {
    /// The engine at the start of a trace.
    pub(crate) fresh: Engine,
    /// Where events go.
    pub(crate) router: Router,
    /// How many shards there are.
    pub(crate) shards: usize,
    /// The names of the traces; violations say where they happened.
    pub(crate) traces: Vec<Arc<Location>>,
    pub(crate) manner: Manner,
    pub(crate) format: Option<Format>,
    pub(crate) bad_lines: BadLines,
    /// How late an event may come after later ones of its trace.
    pub(crate) lateness: Time,
}

impl Job {
    /// Reads the properties (a [`Bundle`]), the options and the names of the traces.
    ///
    /// An option is a line `KEY=VALUE`: `shards`, `lateness` (nanoseconds), `format`, `preset`,
    /// `time-format`, `time-field`, `log-pattern`, `skip-bad-lines`. Other keys are for the Java
    /// side.
    ///
    /// # Errors
    /// If the properties are of another build, or an option has no meaning.
    pub fn open(bundle: &[u8], options: &str, traces: &[&str]) -> Result<Arc<Job>, JobError> {
        let bundle = Bundle::from_bytes(bundle).map_err(|error| {
            JobError(format!("the properties cannot be read, write the job anew: {error}"))
        })?;
        let mut manner = Manner { needs_times: true, ..Manner::default() };
        let (mut shards, mut lateness, mut format) = (1, 0, None);
        let mut bad_lines = BadLines::Refuse;
        for line in options.lines() {
            let Some((key, value)) = line.split_once('=') else { continue };
            let wrong = || JobError(format!("the option {key} cannot be {value:?}"));
            match key {
                "shards" => {
                    let given = value.parse().ok().filter(|shards| *shards > 0);
                    shards = given.ok_or_else(wrong)?;
                }
                "lateness" => lateness = value.parse().map_err(|_| wrong())?,
                "format" => format = Some(Format::named(value).ok_or_else(wrong)?),
                "preset" => manner.presets.push(Preset::named(value).ok_or_else(wrong)?),
                "time-format" => {
                    manner.time_format = Some(TimeFormat::parse(value).map_err(JobError)?);
                }
                "time-field" => manner.time_field = Some(value.to_string()),
                "log-pattern" => manner.patterns.push(value.to_string()),
                "skip-bad-lines" => bad_lines = BadLines::Skip,
                _ => {}
            }
        }
        let fresh = Engine::new(&bundle.model, Options::default());
        let router = Router::stateless(fresh.plan().clone(), shards);
        let place = |name: &&str| {
            Arc::new(Location { file: Some((*name).into()), line: None, function: None })
        };
        let traces = traces.iter().map(place).collect();
        Ok(Arc::new(Job { fresh, router, shards, traces, manner, format, bad_lines, lateness }))
    }
}
