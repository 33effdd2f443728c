//! Recorded traces: read into the events of a model, and [written](mod@write).
//!
//! A trace is a stream of [lines]. A [format](formats) reads each line into a [`Record`] without copying
//! it. The [routes] of the model say which declared events a record of that name stands for. The emitter
//! ([emit]) takes the arguments out of the record, checks them against the declared types and hands
//! borrowed events to a [`Sink`]. All of it is pure over [`Read`]: the caller opens and decompresses files.
//!
//! * [`Reader`] is where to begin: it reads one trace after the other as the events of one model.
//! * [`Format`] is how a trace is written, [`Preset`] which program wrote it; if you name neither, both are
//!   recognised by the name and the first line.
//! * [`Manner`] has everything else that can be said: patterns for lines, how times are written, which
//!   field has them.
//! * [`BadLines`] says what to do with a line that cannot be read. A [`Flaw`] is what is wrong with it, at
//!   a byte; [`ReadError`] says in which file, line and column.
//!
//! Do not use this crate as a parser for JSON or CSV: it keeps only what the events of the model need.
//! Nothing in it panics on input.
//!
//! ```
//! use watchword_model::{EventRef, Time};
//! use watchword_spec::{SourceFile, load};
//! use watchword_trace::emit::Sink;
//! use watchword_trace::error::Flaw;
//! use watchword_trace::{BadLines, Reader};
//!
//! #[derive(Default)]
//! struct Readings(Vec<String>);
//!
//! impl Sink for Readings {
//!     fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
//!         self.0.push(event.args[1].to_value().to_string());
//!         Ok(())
//!     }
//!
//!     fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
//!         Ok(())
//!     }
//! }
//!
//! let text = "
//!     event read(user: string, file: string) = log /(?<user>\\S+) read (?<file>\\S+)/
//!     property Private(user) {
//!       start state Ok { on read(user, \"/etc/shadow\") -> Seen }
//!       bad state Seen
//!     }";
//! let loaded = load(&[SourceFile::new("private.ww", text)], &|_, path| Err(format!("no {path}")));
//! let model = loaded.model.expect("the file has no errors");
//!
//! // A log of lines, and the same as JSON Lines: which it is, is recognised.
//! let mut reader = Reader::new(&model, BadLines::Refuse)?;
//! let mut readings = Readings::default();
//! let log = "09:00:00 ada read /etc/motd\n09:00:01 bob left\n";
//! let json = r#"{"event": "read", "args": {"user": "bob", "file": "/etc/shadow"}}"#;
//! reader.read("app.log", log.as_bytes(), None, &mut readings, |_, _| {})?;
//! reader.read("app.jsonl", json.as_bytes(), None, &mut readings, |_, _| {})?;
//! assert_eq!(readings.0, ["/etc/motd", "/etc/shadow"]);
//!
//! // A record whose arguments do not fit the declaration is an error that names the place.
//! let wrong = json.replace("\"bob\"", "17");
//! let error = reader.read("wrong.jsonl", wrong.as_bytes(), None, &mut readings, |_, _| {});
//! assert!(error.unwrap_err().to_string().contains("wrong.jsonl:1:"));
//! # Ok::<(), watchword_trace::Error>(())
//! ```
//!
//! [`Read`]: std::io::Read
//! [`Sink`]: emit::Sink
//! [`Preset`]: presets::Preset
//! [`Flaw`]: error::Flaw
//! [`ReadError`]: error::ReadError
//! [`Record`]: record::Record

pub mod ahead;
pub mod elements;
pub mod emit;
mod envelope;
pub mod error;
pub mod formats;
pub mod json;
pub mod lines;
pub mod locations;
pub mod near;
pub mod otlp;
mod pass;
pub mod paths;
pub mod pattern;
pub mod points;
pub mod presets;
pub mod recognise;
pub mod record;
pub mod routes;
mod selected;
mod test;
pub mod threads;
pub mod time;
pub mod times;
pub mod write;
pub mod xes;
pub mod zone;

use std::io::{self, Read};

use watchword_model::{Model, Time};

use elements::{Elements, Step};
use emit::{Columns, Emitter, Sink};
use error::{Fault, Flaw, ReadError};
use formats::text::TextLog;
use formats::{Opening, jsonl};
use lines::Lines;
use locations::Locations;
use near::Samples;
use pass::{Ends, Pass, State};
use paths::PathId;
use pattern::LogPattern;
use presets::{Preset, Reads};
use record::Record;
use routes::Routes;
use threads::Threads;
use times::{TimeFormat, Times};
use zone::Zone;

pub use error::Error;
pub use formats::Format;

type Result<T, E = Error> = std::result::Result<T, E>;

/// What to do with lines that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadLines {
    /// The first one is an error.
    Refuse,
    /// They are left out and counted.
    Skip,
}

/// How traces are read, where that is not as usual.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// Patterns for the lines of text logs; the first that fits a line is taken.
    pub patterns: Vec<String>,
    /// How times are written.
    pub time_format: Option<TimeFormat>,
    /// The field that has the time, if not `time`; dots are levels.
    pub time_field: Option<String>,
    /// Where times were written that do not say how far they are from UTC; UTC if that is not known.
    pub zone: Option<Zone>,
    /// How late an event may come.
    pub sort_window: Option<Time>,
    /// What stands between the values of a CSV row, if it is to be said.
    pub delimiter: Option<u8>,
    /// The times of records matter even if no property has a time limit.
    pub needs_times: bool,
    /// Which programs wrote the traces; if there is none, that is recognised where it can be.
    pub presets: Vec<&'static Preset>,
    /// Where in JSON documents the records are.
    pub records: Vec<Step>,
}

/// Reads traces as the events of one model.
#[derive(Clone)]
pub struct Reader {
    /// Where names lead; tells afterwards what was there.
    pub routes: Routes,
    /// Tells afterwards what was seen of each event.
    pub emitter: Emitter,
    /// How many lines were read.
    pub lines: u64,
    /// How many were left out, and the first of them.
    pub skipped: u64,
    /// The first line that was left out.
    pub first_skipped: Option<ReadError>,
    /// How many lines were like none of the patterns, and the first of them.
    pub unlike: u64,
    /// The first line that was like none of the patterns: file and number.
    pub first_unlike: Option<(String, u64)>,
    /// How many lines were like a pattern.
    pub alike: u64,
    /// Some patterns are those of a preset.
    pub has_preset: bool,
    /// How many lines begin with what looks like a time and is none.
    pub mistimed: u64,
    /// The first of them: file and number.
    pub first_mistimed: Option<(String, u64)>,
    /// The first file of rows without names of columns whose first row is no event that is known.
    pub first_unnamed: Option<String>,
    /// What was recognised in traces, in words; the code that prints it takes it.
    pub notes: Vec<String>,
    /// Lines that patterns searched, to explain those that found nothing.
    pub samples: Samples,
    /// The first trace of JSON records: patterns for lines find nothing in it.
    pub first_json: Option<String>,
    /// When the trace that is opened next was last written: tells the year of times that do not.
    pub written: Option<Time>,
    text: TextLog,
    /// Whether the times of records matter.
    timed: bool,
    delimiter: Option<u8>,
    presets: Vec<&'static Preset>,
    records: Vec<Step>,
    /// The field that is the name of the trace, if a property reads it.
    origin: Option<PathId>,
    patterns: Vec<LogPattern>,
    times: Times,
    bad_lines: BadLines,
    threads: Threads,
    locations: Locations,
    record: Record,
}

impl Reader {
    /// A reader for the events of that model.
    pub fn new(model: &Model, bad_lines: BadLines) -> Result<Reader> {
        Reader::with(model, bad_lines, &Manner::default())
    }

    /// A reader for the events of that model that reads in a manner of its own.
    pub fn with(model: &Model, bad_lines: BadLines, manner: &Manner) -> Result<Reader> {
        let mut routes = Routes::new(model);
        let timed = manner.needs_times || uses_time(model);
        let mut times = manner.time_format.clone().map_or_else(Times::looking, Times::new);
        times.late = manner.sort_window.unwrap_or(0);
        if let Some(zone) = &manner.zone {
            times.written_in(zone.clone());
        }
        if let Some(field) = &manner.time_field {
            let path: Vec<&str> = field.split('.').collect();
            times.field = Some(routes.paths.add(&path));
            times.name = Some(field.as_str().into());
        }
        let time = manner.time_field.as_deref().unwrap_or("time");
        let patterns = manner.patterns.iter().map(|pattern| {
            LogPattern::new(pattern, &routes.paths, time, &times)
                .map_err(|why| Error::pattern(format!("--log-pattern {pattern:?}: {why}")))
        });
        let patterns = patterns.collect::<Result<Vec<_>>>()?;
        Ok(Reader {
            emitter: Emitter::new(routes.events.len()),
            record: Record::new(routes.paths.len()),
            lines: 0,
            skipped: 0,
            first_skipped: None,
            unlike: 0,
            first_unlike: None,
            alike: 0,
            has_preset: false,
            mistimed: 0,
            first_mistimed: None,
            first_unnamed: None,
            notes: Vec::new(),
            samples: Samples::default(),
            first_json: None,
            written: None,
            text: TextLog::new(model, timed)?,
            timed,
            delimiter: manner.delimiter,
            presets: manner.presets.clone(),
            records: manner.records.clone(),
            origin: routes.paths.find(&["origin"]),
            routes,
            patterns,
            times,
            bad_lines,
            threads: Threads::default(),
            locations: Locations::new(""),
        })
    }

    /// Reads a whole trace. `progress` is called after every block with the number of bytes that
    /// were read.
    pub fn read<R: Read, S: Sink>(
        &mut self,
        name: &str,
        input: R,
        format: Option<Format>,
        sink: &mut S,
        mut progress: impl FnMut(u64, &mut S),
    ) -> Result<()> {
        let mut trace = self.open(name, input, format)?;
        while self.step(&mut trace, sink)? != Stepped::End {
            progress(trace.taken(), sink);
        }
        self.close(trace);
        Ok(())
    }

    /// Goes on after a trace that has ended: in the next one, years and days that are not written go
    /// on.
    pub fn close<R>(&mut self, trace: Trace<R>) {
        self.times.go_on_from(&trace.times);
    }

    /// Opens a trace, looks at its beginning and decides how it is read.
    pub fn open<R: Read>(
        &mut self,
        name: &str,
        input: R,
        format: Option<Format>,
    ) -> Result<Trace<R>> {
        let mut lines = Lines::new(input);
        while let Err(e) = lines.peek_line(FIRST_LOOK) {
            // A file that grows may be empty yet.
            if e.kind() != io::ErrorKind::WouldBlock {
                return Err(Error::stream(name, e));
            }
        }
        let start = lines.peek_line(FIRST_LOOK).map_err(|e| Error::stream(name, e))?;
        refuse_compressed(name, start)?;
        let mark = b"\xEF\xBB\xBF";
        let marked = start.starts_with(mark);
        // Only its beginning is here, which may end within a character.
        let first = start.strip_prefix(mark).unwrap_or(start).trim_ascii_start();
        let first = first.split(|b| *b == b'\n').next().unwrap_or_default();
        let first = String::from_utf8_lossy(first).into_owned();
        if marked {
            lines.skip(mark.len());
        }
        let presets = self.presets_for(name, &first, format.is_some());
        let recognised = format.is_none().then(|| self.guess(name, &first)).flatten();
        let by_preset = presets.first().map(|preset| self.format_of(preset));
        let format = match self.records.is_empty() {
            true => format.or(by_preset).or(recognised),
            false => Some(Format::Json),
        };
        let mut times = self.times.clone();
        times.begin(self.written.take());
        let mut trace = Trace {
            lines,
            state: State::new(name, format.is_none()),
            times,
            locations: Locations::new(name),
            columns: Columns::new(),
            patterns: self.patterns.clone(),
            elements: None,
        };
        for preset in presets {
            self.apply(preset, &mut trace)?;
        }
        let entry = format.unwrap_or(Format::Jsonl).entry();
        let is_json = matches!(entry.format, Format::Json | Format::Jsonl);
        if is_json && format.is_some() {
            self.first_json.get_or_insert_with(|| name.to_string());
        }
        if is_json && self.timed && trace.times.field.is_none() {
            self.look_for_time(name, &first, &mut trace.times);
        }
        if entry.format == Format::Json {
            let said = (!self.records.is_empty()).then(|| self.records.clone());
            let steps = said.or(trace.state.records.take()).unwrap_or_default();
            trace.elements = Some(Elements::new(steps));
        }
        let separator = (entry.separator)(&first, self.delimiter, &self.routes);
        let opening = Opening { routes: &self.routes, times: &trace.times, separator };
        trace.state.lines = entry.open.map(|open| open(&opening));
        trace.state.spanning = entry.spans;
        trace.state.separator = separator;
        Ok(trace)
    }

    /// The presets that the user named, or the one that a first line is surely of.
    fn presets_for(&mut self, name: &str, first: &str, has_format: bool) -> Vec<&'static Preset> {
        if !self.presets.is_empty() || has_format || !self.patterns.is_empty() {
            return self.presets.clone();
        }
        let Some(preset) = Preset::of_line(first) else { return Vec::new() };
        let by_name = Format::of_file(name);
        let is_text = matches!(by_name, None | Some(Format::Text));
        let is_json = is_text || by_name == Some(Format::Jsonl);
        let applies = match &preset.reads {
            Reads::Text { .. } => is_text && self.routes.asks_for_fields(),
            Reads::Json { records: None, .. } => {
                is_json && self.timed && self.times.field.is_none()
            }
            Reads::Json { records: Some(_), .. } => is_json && self.records.is_empty(),
            Reads::Envelope(_) => is_json,
            Reads::Zeek => is_text || by_name == Some(Format::Tsv),
        };
        if !applies {
            return Vec::new();
        }
        let fields = match preset.fields() {
            fields if fields.is_empty() => String::new(),
            fields => format!(" with the fields {}", fields.join(", ")),
        };
        let preset_name = preset.name;
        self.notes
            .push(format!("{name}: lines are read as those of `--preset {preset_name}`{fields}"));
        vec![preset]
    }

    /// The format of what a preset reads.
    fn format_of(&self, preset: &Preset) -> Format {
        match &preset.reads {
            Reads::Text { .. } | Reads::Envelope(_) => Format::Text,
            Reads::Json { records: None, .. } => Format::Jsonl,
            Reads::Json { records: Some(_), .. } => Format::Json,
            Reads::Zeek => Format::Zeek,
        }
    }

    /// Lets a trace be read as a preset says.
    fn apply<R>(&mut self, preset: &Preset, trace: &mut Trace<R>) -> Result<()> {
        let format = |text: &str| TimeFormat::parse(text).map_err(Error::pattern);
        match &preset.reads {
            Reads::Text { patterns, time, pairs } => {
                self.has_preset = true;
                if let Some(time) = time {
                    trace.times.read_as(format(time)?);
                }
                for pattern in *patterns {
                    let paths = &self.routes.paths;
                    let pattern = format!("/{pattern}/");
                    let compiled = LogPattern::new(&pattern, paths, "time", &trace.times)
                        .map_err(|why| Error::pattern(format!("{}: {why}", preset.name)))?;
                    trace.patterns.push(match pairs {
                        true => compiled.with_pairs(paths),
                        false => compiled,
                    });
                }
            }
            Reads::Json { records, time, end, format: written, .. } => {
                if let Some(end) = end {
                    trace.state.ends = Some(Ends {
                        time: self.routes.paths.add(&[end]),
                        phase: self.routes.paths.find(&[presets::PHASE]),
                        now: presets::BEGIN,
                    });
                    self.record = Record::new(self.routes.paths.len());
                }
                if trace.times.field.is_none() {
                    trace.times.read_as(format(written)?);
                    trace.times.field = Some(self.routes.paths.add(&[time]));
                    trace.times.name = Some((*time).into());
                    self.record = Record::new(self.routes.paths.len());
                }
                let steps = records.map(elements::path).transpose().map_err(Error::pattern)?;
                trace.state.records = steps;
            }
            Reads::Envelope(envelope) => trace.state.envelope = Some(*envelope),
            Reads::Zeek => {}
        }
        Ok(())
    }

    /// Reads the next block of lines of a trace.
    pub fn step<R: Read, S: Sink>(
        &mut self,
        trace: &mut Trace<R>,
        sink: &mut S,
    ) -> Result<Stepped> {
        trace.lend(self);
        let stepped = self.step_inside(trace, sink);
        trace.lend(self);
        sink.rest();
        if let Some(note) = trace.times.note.take() {
            self.notes.push(format!("{}: {note}", trace.state.name));
        }
        match stepped {
            Err(error) if error.is_would_block() => Ok(Stepped::Idle),
            stepped => stepped,
        }
    }

    fn step_inside<R: Read, S: Sink>(
        &mut self,
        trace: &mut Trace<R>,
        sink: &mut S,
    ) -> Result<Stepped> {
        let Trace { lines, state, elements, .. } = trace;
        let name = state.name.clone();
        let failed = |e| Error::stream(&name, e);
        if let Some(elements) = elements {
            let block = lines.next_block().map_err(failed)?;
            let bytes = block.as_ref().map(|block| (block.bytes, block.overlong));
            let mut pass = Pass { reader: self, state };
            pass.document(elements, bytes, sink)?;
            return Ok(if bytes.is_some() { Stepped::Read } else { Stepped::End });
        }
        let Some(block) = lines.next_block().map_err(failed)? else { return Ok(Stepped::End) };
        let overlong = block.overlong;
        let mut pass = Pass { reader: self, state };
        let unfinished = pass.block(block.bytes, overlong, sink)?;
        if unfinished > 0 && !lines.put_back(unfinished).map_err(failed)? {
            let block = lines.next_block().map_err(failed)?;
            if let Some(block) = block {
                pass.rest(block.bytes, sink)?;
            }
        }
        Ok(Stepped::Read)
    }

    /// Records of a log rarely have their time under `time`: the first one tells where it is.
    fn look_for_time(&mut self, name: &str, first: &str, times: &mut Times) {
        let Some(field) = jsonl::time_field(first) else { return };
        times.field = Some(self.routes.paths.add(&[field]));
        times.name = Some(field.into());
        self.record = Record::new(self.routes.paths.len());
        self.notes.push(format!("{name}: the time of a record is its field `{field}`"));
    }

    /// The format by the extension of the name, or by the first characters, if they tell.
    fn guess(&self, name: &str, line: &str) -> Option<Format> {
        match Format::of_file(name) {
            Some(Format::Text) if self.text.is_empty() && self.patterns.is_empty() => {}
            Some(Format::Jsonl)
                if formats::plain_name(name).ends_with(".json")
                    && elements::begins_document(line) =>
            {
                return Some(Format::Json);
            }
            Some(format) => return Some(format),
            None if !self.patterns.is_empty() => return Some(Format::Text),
            None => {}
        }
        let surely = Format::TABLE.iter().find(|entry| (entry.is)(line, &self.routes));
        let searched = || (!self.text.is_empty()).then(|| Format::Text.entry());
        let likely = || Format::TABLE.iter().find(|entry| (entry.looks_like)(line));
        surely.or_else(searched).or_else(likely).map(|entry| entry.format)
    }
}

/// How much of a trace is looked at before it is read, if its first line is that long.
const FIRST_LOOK: usize = 1 << 16;

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// Something was read.
    Read,
    /// A stream that grows has nothing more for now.
    Idle,
    /// The trace has ended.
    End,
}

/// A trace that is being read, with what only it knows: how its times are written, which columns it
/// has.
pub struct Trace<R> {
    lines: Lines<R>,
    state: State,
    times: Times,
    locations: Locations,
    columns: Columns,
    patterns: Vec<LogPattern>,
    /// Cuts documents into records, where lines are none.
    elements: Option<Elements>,
}

impl<R: Read> Trace<R> {
    /// How many bytes of it were read.
    pub fn taken(&self) -> u64 {
        self.lines.taken()
    }
}

impl<R> Trace<R> {
    /// Gives the reader what belongs to this trace, or takes it back.
    fn lend(&mut self, reader: &mut Reader) {
        std::mem::swap(&mut self.times, &mut reader.times);
        std::mem::swap(&mut self.locations, &mut reader.locations);
        std::mem::swap(&mut self.columns, &mut reader.emitter.columns);
        std::mem::swap(&mut self.patterns, &mut reader.patterns);
    }
}

/// Whether a property of the model has a time limit, a clock or a window.
pub fn uses_time(model: &Model) -> bool {
    model.measures_time()
}

/// What is still compressed here is so in a way that is not read.
fn refuse_compressed(name: &str, start: &[u8]) -> Result<()> {
    let (what, how) = match start {
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("xz", "xzcat"),
        [b'B', b'Z', b'h', ..] => ("bzip2", "bzcat"),
        _ => return Ok(()),
    };
    let message = format!(
        "the trace is compressed with {what}, which is not read directly; \
         use `{how} {name} | watchword replay … -`"
    );
    Err(ReadError::place(&Flaw { fault: Fault::Compressed, at: 0, message }, name, 1, b"").into())
}
