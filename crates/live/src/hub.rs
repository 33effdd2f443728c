//! What is worth showing, in one place.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use watchword_session::{Client, Happening, Level, Moved, Slices};
use watchword_view::json::Json;
use watchword_view::{automaton, svg, text};

/// Instances that are listed per property.
const MOST_ROWS: usize = 5000;
/// Events, texts and verdicts that are kept.
const MOST_EVENTS: usize = 400;
const MOST_TEXTS: usize = 200;
const MOST_VERDICTS: usize = 1000;
/// How often a recording takes a picture while the program runs, and how many it takes at most.
const RECORDED_EVERY: Duration = Duration::from_millis(100);
const MOST_RECORDED: usize = 20_000;
/// How long a recording becomes; after that, only the end is added.
const LONGEST_RECORDING: usize = 64 << 20;

/// A property that is shown.
pub(crate) struct Shown {
    pub monitor: u32,
    pub name: String,
    /// When it came.
    pub since: u64,
    pub svg: String,
    pub states: Vec<String>,
    pub edges: Vec<(usize, usize)>,
    pub rows: Vec<Row>,
    index: HashMap<String, usize>,
    /// When the rows were replaced.
    pub replaced: u64,
    /// Instances that are not listed.
    pub unlisted: u64,
}

/// An instance that is shown.
pub(crate) struct Row {
    pub version: u64,
    pub binding: String,
    /// Its state, by number; `None` if it has ended.
    pub state: Option<usize>,
    pub variables: String,
    pub moves: u64,
}

/// Something with the moment it was told.
pub(crate) type Dated = (u64, Json);

/// Everything that is shown.
pub(crate) struct Board {
    /// Counts what was told.
    pub version: u64,
    pub begun: Instant,
    pub properties: Vec<Shown>,
    /// When a property was added or removed.
    pub layout: u64,
    pub events: VecDeque<Dated>,
    pub verdicts: VecDeque<Dated>,
    pub texts: VecDeque<Dated>,
    pub checkpoints: Vec<Dated>,
    pub status: Dated,
    /// The selected frame while the program is stopped.
    pub selected: Dated,
    pub is_over: bool,
    recorded: Option<Vec<String>>,
    recorded_until: u64,
    /// How long the recording is, in bytes.
    recorded_length: usize,
    recorded_at: Instant,
}

/// The session as pages see it. Clones show the same.
#[derive(Clone)]
pub struct Live {
    shared: Arc<(Mutex<Board>, Condvar)>,
}

impl Default for Live {
    fn default() -> Live {
        Live::new()
    }
}

impl Live {
    /// A session of which nothing is known yet.
    pub fn new() -> Live {
        let now = Instant::now();
        let status = Json::object([("state", "stopped".into()), ("text", "".into())]);
        let board = Board {
            version: 1,
            begun: now,
            properties: Vec::new(),
            layout: 1,
            events: VecDeque::new(),
            verdicts: VecDeque::new(),
            texts: VecDeque::new(),
            checkpoints: Vec::new(),
            status: (1, status),
            selected: (0, Json::Null),
            is_over: false,
            recorded: None,
            recorded_until: 0,
            recorded_length: 0,
            recorded_at: now,
        };
        Live { shared: Arc::new((Mutex::new(board), Condvar::new())) }
    }

    /// From now on, everything is kept for [`Live::recording`].
    pub fn record(&self) {
        self.board().recorded = Some(Vec::new());
    }

    /// A page that shows what was recorded, without a server.
    pub fn recording(&self) -> String {
        let mut board = self.board();
        board.take_picture(true);
        crate::page::recording(board.recorded.as_deref().unwrap_or(&[]))
    }

    /// The session is over: pages are told so.
    pub fn end(&self) {
        let mut board = self.board();
        board.version += 1;
        board.is_over = true;
        drop(board);
        self.shared.1.notify_all();
    }

    pub(crate) fn board(&self) -> MutexGuard<'_, Board> {
        // A page that failed must not take the session with it.
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something was told after that, or some time has passed.
    pub(crate) fn wait(&self, seen: u64, longest: Duration) -> MutexGuard<'_, Board> {
        let board = self.board();
        let waited =
            self.shared.1.wait_timeout_while(board, longest, |b| b.version <= seen && !b.is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Client for Live {
    fn happened(&mut self, happening: &Happening) {
        self.board().take(happening);
        self.shared.1.notify_all();
    }

    fn wants_moves(&self) -> bool {
        true
    }

    fn wants_frames(&self) -> bool {
        true
    }
}

fn binding(binding: &[(String, watchword_model::Value)]) -> String {
    let parts: Vec<String> =
        binding.iter().map(|(name, value)| format!("{name} = {}", text::show(value))).collect();
    parts.join(", ")
}

fn push(all: &mut VecDeque<Dated>, most: usize, item: Dated) {
    if all.len() == most {
        all.pop_front();
    }
    all.push_back(item);
}

fn status(state: &str, text: &str) -> Json {
    Json::object([("state", state.into()), ("text", text.into())])
}

impl Board {
    fn take(&mut self, happening: &Happening) {
        self.version += 1;
        let now = self.version;
        match happening {
            Happening::Loaded { monitor, model, text, .. } => {
                self.layout = now;
                for property in &model.properties {
                    let diagram = automaton::diagram(model, property, &[]);
                    self.properties.push(Shown {
                        monitor: *monitor,
                        name: property.name.clone(),
                        since: now,
                        svg: svg::inline(&diagram),
                        states: property.states.iter().map(|s| s.name.clone()).collect(),
                        edges: diagram.edges.iter().map(|e| (e.from, e.to)).collect(),
                        rows: Vec::new(),
                        index: HashMap::new(),
                        replaced: now,
                        unlisted: 0,
                    });
                }
                self.say(text, Level::Plain);
            }
            Happening::Unloaded { monitor } => {
                self.layout = now;
                self.properties.retain(|p| p.monitor != *monitor);
            }
            Happening::Moved(moved) => self.moved(moved),
            Happening::Slices(slices) => self.replace(slices),
            Happening::Verdict(verdict) => {
                let history = verdict.history.iter();
                let history = history.map(|(event, state)| {
                    Json::List(vec![event.as_str().into(), state.as_str().into()])
                });
                let item = Json::object([
                    ("property", verdict.property.as_str().into()),
                    ("violation", verdict.is_violation.into()),
                    ("message", verdict.message.as_str().into()),
                    ("binding", binding(&verdict.binding).as_str().into()),
                    ("history", Json::List(history.collect())),
                    ("index", verdict.index.into()),
                ])
                .with("place", place(&verdict.place).as_str())
                .with(
                    "stack",
                    Json::List(verdict.backtrace.iter().map(|l| l.as_str().into()).collect()),
                );
                push(&mut self.verdicts, MOST_VERDICTS, (now, item));
            }
            Happening::Running => self.status = (now, status("running", "")),
            Happening::Selected(selected) => {
                let variables = selected.variables.iter();
                let variables = variables.map(|(name, value)| {
                    Json::List(vec![name.as_str().into(), value.as_str().into()])
                });
                let item = Json::object([("place", place(&selected.place).as_str().into())])
                    .with("variables", Json::List(variables.collect()));
                self.selected = (now, item);
            }
            Happening::Stopped(stop) => {
                let text = format!("{} ({})", stop.text, stop.reason.name());
                self.status = (now, status("stopped", &text));
            }
            Happening::Exited { text, .. } => self.status = (now, status("exited", text)),
            Happening::Checkpointed(made) => {
                let item = Json::object([
                    ("number", Json::Number(made.number.to_string())),
                    ("place", made.place.as_str().into()),
                ])
                .with_some("label", made.label.as_deref());
                self.checkpoints.push((now, item));
            }
            Happening::Restored(restored) => {
                self.say(&restored.text, Level::Plain);
                let text = format!("back at checkpoint {}", restored.number);
                self.status = (now, status("stopped", &text));
            }
            Happening::Said { text } => self.say(text, Level::Plain),
            Happening::Text { text, level } => self.say(text, *level),
        }
        let is_calm = !matches!(happening, Happening::Moved(_) | Happening::Text { .. });
        if self.recorded.is_some() && (is_calm || self.recorded_at.elapsed() >= RECORDED_EVERY) {
            self.take_picture(false);
        }
    }

    fn say(&mut self, text: &str, level: Level) {
        let kind = match level {
            Level::Plain => "plain",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        let item = Json::object([("text", text.into()), ("level", kind.into())]);
        push(&mut self.texts, MOST_TEXTS, (self.version, item));
    }

    fn moved(&mut self, moved: &Moved) {
        let now = self.version;
        let binding = binding(&moved.binding);
        let at = self
            .properties
            .iter()
            .position(|p| p.monitor == moved.monitor && p.name == moved.property);
        let Some(at) = at else { return };
        let shown = &mut self.properties[at];
        let state = |name: &str| shown.states.iter().position(|s| s == name);
        let (from, to) = (state(&moved.from), moved.to.as_deref().and_then(state));
        let row = shown.row(&binding);
        if let Some(row) = row {
            let row = &mut shown.rows[row];
            row.state = to;
            row.moves += 1;
            row.version = now;
        }
        let number = |n: Option<usize>| n.map_or(Json::Null, |n| (n as u64).into());
        let item = Json::object([
            ("property", (at as u64).into()),
            ("from", number(from)),
            ("to", number(to)),
            ("index", moved.index.into()),
            ("binding", binding.as_str().into()),
        ])
        .with_some("event", moved.event.as_deref());
        push(&mut self.events, MOST_EVENTS, (now, item));
    }

    fn replace(&mut self, slices: &Slices) {
        let now = self.version;
        let named = |p: &&mut Shown| p.monitor == slices.monitor && p.name == slices.property;
        let Some(shown) = self.properties.iter_mut().find(named) else { return };
        let mut moves: HashMap<String, u64> =
            shown.rows.drain(..).map(|row| (row.binding, row.moves)).collect();
        shown.index.clear();
        shown.replaced = now;
        shown.unlisted = slices.total.saturating_sub(slices.slices.len()) as u64;
        for slice in &slices.slices {
            let Some(at) = shown.row(&binding(&slice.binding)) else { continue };
            let state = slice.state.as_ref();
            let state = state.and_then(|name| shown.states.iter().position(|s| s == name));
            let row = &mut shown.rows[at];
            row.state = state;
            row.variables = binding(&slice.variables);
            row.moves = moves.remove(&row.binding).unwrap_or(0);
            row.version = now;
        }
    }

    /// Adds what happened since the last picture to the recording. The last picture is added even if
    /// there is no room: it has everything that was not recorded before, merged.
    fn take_picture(&mut self, is_last: bool) {
        let Some(recorded) = &self.recorded else { return };
        let is_full = recorded.len() >= MOST_RECORDED || self.recorded_length >= LONGEST_RECORDING;
        if is_full && !is_last {
            return;
        }
        if is_full {
            let told = "The session was too long to be recorded: this is its end.";
            self.version += 1;
            self.say(told, Level::Warning);
        }
        let (frame, until) = crate::frame::since(self, self.recorded_until);
        if until > self.recorded_until {
            self.recorded_length += frame.len();
            self.recorded_until = until;
            self.recorded.get_or_insert_default().push(frame);
        }
        self.recorded_at = Instant::now();
    }
}

fn place(place: &watchword_session::Place) -> String {
    let at = match (&place.file, place.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        _ => String::new(),
    };
    match (&place.function, at.is_empty()) {
        (Some(function), true) => function.clone(),
        (Some(function), false) => format!("{at} ({function})"),
        (None, _) => at,
    }
}

impl Shown {
    /// The row of an instance; `None` if there are too many.
    fn row(&mut self, binding: &str) -> Option<usize> {
        if let Some(at) = self.index.get(binding) {
            return Some(*at);
        }
        if self.rows.len() >= MOST_ROWS {
            self.unlisted += 1;
            return None;
        }
        let at = self.rows.len();
        let (binding, variables) = (binding.to_string(), String::new());
        self.index.insert(binding.clone(), at);
        self.rows.push(Row { version: 0, binding, state: None, variables, moves: 0 });
        Some(at)
    }
}
