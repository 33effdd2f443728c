//! What is worth showing, in one place.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use watchword_model::StateKind;
use watchword_session::{Client, Happening, Level, Moved, Slices};
use watchword_view::json::Json;
use watchword_view::{automaton, svg, text};

/// Instances that are listed per property.
const MOST_ROWS: usize = 2000;
/// Events, texts and verdicts that are kept.
const MOST_EVENTS: usize = 400;
const MOST_TEXTS: usize = 200;
const MOST_VERDICTS: usize = 1000;
const MOST_FORGOTTEN: usize = 10_000;
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
    /// Of each state, what being in it means: `bad`, `good`, `pending` or nothing.
    pub kinds: Vec<&'static str>,
    pub edges: Vec<(usize, usize)>,
    pub rows: Vec<Row>,
    index: HashMap<String, usize>,
    /// When the rows were replaced.
    pub replaced: u64,
    /// When it was told last how many instances there are.
    pub counted: u64,
    /// How many instances are not listed: they were never told, or had to make room.
    pub unlisted: u64,
    /// It is not watched any more, and keeps its place for the sake of what has happened.
    pub is_gone: bool,
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
    pub checkpoints: Vec<(i64, Dated)>,
    /// Checkpoints that there are no more.
    pub forgotten: VecDeque<Dated>,
    pub status: Dated,
    /// What the session is about, in words.
    pub name: Dated,
    /// The selected frame while the program is stopped.
    pub selected: Dated,
    pub is_over: bool,
    /// How many pages are open.
    pub pages: usize,
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
            forgotten: VecDeque::new(),
            status: (1, status),
            name: (0, Json::Null),
            selected: (0, Json::Null),
            is_over: false,
            pages: 0,
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

    /// Whether anybody sees what is told: a page is open, or it is recorded. Moves need not be told
    /// to nobody; whoever tells them again tells the instances first.
    pub fn is_watched(&self) -> bool {
        let board = self.board();
        board.pages > 0 || board.recorded.is_some()
    }

    /// What the session is about, in words: a program, a log.
    pub fn name(&self, text: &str) {
        let mut board = self.board();
        board.version += 1;
        board.name = (board.version, text.into());
    }

    /// How far a run has got, in words, while it goes on.
    pub fn progress(&self, text: &str) {
        let mut board = self.board();
        board.version += 1;
        board.status = (board.version, status("running", text));
        drop(board);
        self.shared.1.notify_all();
    }

    /// An instance moved so many times, which are not told one by one; this was the last time.
    pub fn merged(&self, moved: &Moved, times: u64) {
        let mut board = self.board();
        board.version += 1;
        board.place(moved, times);
        drop(board);
        self.shared.1.notify_all();
    }

    /// How many instances of a property there are now.
    pub fn count(&self, monitor: u32, property: &str, instances: u64) {
        self.board().count(monitor, property, instances);
    }

    /// Waits until the pages that are open have got everything, but no longer than that.
    pub fn settle(&self, longest: Duration) {
        let board = self.board();
        drop(self.shared.1.wait_timeout_while(board, longest, |board| board.pages > 0));
    }

    /// A page was opened; it is there until what is returned is dropped.
    pub(crate) fn look(&self) -> Look {
        self.board().pages += 1;
        self.shared.1.notify_all();
        Look(self.clone())
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

/// A page that is open.
pub(crate) struct Look(Live);

impl Drop for Look {
    fn drop(&mut self) {
        self.0.board().pages -= 1;
        self.0.shared.1.notify_all();
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

/// A move as pages have it.
struct Placed {
    property: usize,
    binding: String,
    from: Option<usize>,
    to: Option<usize>,
}

fn kind(kind: StateKind) -> &'static str {
    match kind {
        StateKind::Bad => "bad",
        StateKind::Good => "good",
        StateKind::Pending => "pending",
        StateKind::Normal => "",
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
                        kinds: property.states.iter().map(|s| kind(s.kind)).collect(),
                        edges: diagram.edges.iter().map(|e| (e.from, e.to)).collect(),
                        rows: Vec::new(),
                        index: HashMap::new(),
                        replaced: now,
                        counted: now,
                        unlisted: 0,
                        is_gone: false,
                    });
                }
                self.say(text, Level::Plain);
            }
            Happening::Unloaded { monitor } => {
                self.layout = now;
                for gone in self.properties.iter_mut().filter(|p| p.monitor == *monitor) {
                    gone.is_gone = true;
                    gone.rows.clear();
                    gone.index.clear();
                    gone.unlisted = 0;
                }
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
                self.checkpoints.push((made.number, (now, item)));
            }
            Happening::Forgotten { numbers } => {
                self.checkpoints.retain(|(number, _)| !numbers.contains(number));
                for number in numbers {
                    let number = Json::Number(number.to_string());
                    push(&mut self.forgotten, MOST_FORGOTTEN, (now, number));
                }
            }
            Happening::Counted { monitor, property, total } => {
                self.count(*monitor, property, *total);
            }
            Happening::Restored(restored) => {
                if !restored.text.is_empty() {
                    self.say(&restored.text, Level::Plain);
                }
                let text = format!("back at checkpoint {}", restored.number);
                self.status = (now, status("stopped", &text));
            }
            Happening::Said { text } | Happening::Answered { text, .. } => {
                self.say(text, Level::Plain);
            }
            Happening::Text { text, level } => self.say(text, *level),
        }
        let is_calm = !matches!(
            happening,
            Happening::Moved(_) | Happening::Text { .. } | Happening::Answered { .. }
        );
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

    /// So many instances there are of a property.
    fn count(&mut self, monitor: u32, property: &str, instances: u64) {
        let now = self.version + 1;
        let mut all = self.properties.iter_mut();
        let Some(shown) = all.find(|p| p.is(monitor, property)) else { return };
        let unlisted = instances.saturating_sub(shown.listed());
        if shown.unlisted != unlisted {
            shown.unlisted = unlisted;
            shown.counted = now;
            self.version = now;
        }
    }

    /// Puts an instance where it moved; answers its property, its binding, and from where to where.
    fn place(&mut self, moved: &Moved, times: u64) -> Option<Placed> {
        let now = self.version;
        let binding = binding(&moved.binding);
        let property = self.properties.iter().position(|p| p.is(moved.monitor, &moved.property))?;
        let shown = &mut self.properties[property];
        let state = |name: &str| shown.states.iter().position(|s| s == name);
        let (from, to) = (state(&moved.from), moved.to.as_deref().and_then(state));
        let row = shown.row(&binding, now);
        let row = &mut shown.rows[row];
        row.state = to;
        row.moves += times;
        // They are told when the program stops; until then nobody knows them.
        row.variables.clear();
        row.version = now;
        Some(Placed { property, binding, from, to })
    }

    fn moved(&mut self, moved: &Moved) {
        let Some(Placed { property: at, binding, from, to }) = self.place(moved, 1) else { return };
        let now = self.version;
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
        let mut all = self.properties.iter_mut();
        let Some(shown) = all.find(|p| p.is(slices.monitor, &slices.property)) else { return };
        let mut moves: HashMap<String, u64> =
            shown.rows.drain(..).map(|row| (row.binding, row.moves)).collect();
        shown.index.clear();
        shown.replaced = now;
        for slice in &slices.slices {
            let at = shown.row(&binding(&slice.binding), now);
            let state = slice.state.as_ref();
            let state = state.and_then(|name| shown.states.iter().position(|s| s == name));
            let row = &mut shown.rows[at];
            row.state = state;
            row.variables = binding(&slice.variables);
            row.moves = moves.remove(&row.binding).unwrap_or(0);
            row.version = now;
        }
        shown.unlisted = (slices.total as u64).saturating_sub(shown.listed());
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
            let told = "The session was too long to be recorded completely: this is its end.";
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
    /// Whether it is this property of this file.
    fn is(&self, monitor: u32, name: &str) -> bool {
        self.monitor == monitor && self.name == name
    }

    /// How many instances are listed.
    fn listed(&self) -> u64 {
        self.rows.iter().filter(|row| row.state.is_some()).count() as u64
    }

    /// The row of an instance. Where there are too many, those that have ended, and then those that
    /// have not moved for longest, make room.
    fn row(&mut self, binding: &str, now: u64) -> usize {
        if let Some(at) = self.index.get(binding) {
            return *at;
        }
        if self.rows.len() >= MOST_ROWS {
            self.make_room(now);
        }
        let at = self.rows.len();
        let (binding, variables) = (binding.to_string(), String::new());
        self.index.insert(binding.clone(), at);
        self.rows.push(Row { version: 0, binding, state: None, variables, moves: 0 });
        at
    }

    /// Half of the rows go at once: this is rare, then.
    fn make_room(&mut self, now: u64) {
        let mut ages: Vec<(bool, u64)> =
            self.rows.iter().map(|row| (row.state.is_some(), row.version)).collect();
        ages.sort_unstable();
        let limit = ages[ages.len() / 2];
        let before = self.listed();
        self.rows.retain(|row| (row.state.is_some(), row.version) > limit);
        self.unlisted += before - self.listed();
        self.index =
            self.rows.iter().enumerate().map(|(at, row)| (row.binding.clone(), at)).collect();
        self.replaced = now;
    }
}
