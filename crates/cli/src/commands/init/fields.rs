//! Logs whose records have fields: one of them tells what happened, another one to whom.

use std::collections::HashMap;

use watchword_model::{EventRef, Time, Value};
use watchword_spec::SourceFile;
use watchword_trace::emit::Sink;
use watchword_trace::error::Flaw;
use watchword_trace::formats::logfmt;
use watchword_trace::json::Cursor;
use watchword_trace::presets::Preset;
use watchword_trace::record::Record;
use watchword_trace::{BadLines, Reader};

use super::{Kind, Seen, escaped, event_name, quoted};

/// How many lines are asked for the names of their fields.
const ASKED: usize = 500;
/// A field with more values does not tell what happened.
const MOST_KINDS: usize = 12;

/// Fields that tell what happened, the likeliest first, and those that never do.
const KINDS: [&str; 14] = [
    "event",
    "event_type",
    "type",
    "action",
    "operation",
    "op",
    "kind",
    "msgid",
    "method",
    "state",
    "message",
    "msg",
    "status",
    "level",
];
const NO_KINDS: [&str; 8] =
    ["host", "pid", "port", "version", "protocol", "priority", "time", "origin"];
/// Parts of the names of fields that tell to whom, the likeliest first.
const IDS: [&str; 14] = [
    "session",
    "request",
    "trace",
    "order",
    "user",
    "conn",
    "transaction",
    "client",
    "remote",
    "account",
    "key",
    "thread",
    "name",
    "id",
];

/// The values of the fields of a log, a row for each record.
struct Rows {
    rows: Vec<Vec<Option<String>>>,
}

impl Sink for Rows {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        let text = |value: Value| match value {
            Value::Null => None,
            Value::Str(text) => Some(text.to_string()),
            Value::Int(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            // Nobody is called 0.5.
            _ => None,
        };
        self.rows.push(event.args.iter().map(|value| text(value.to_value())).collect());
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        Ok(())
    }
}

/// What a log with fields holds; none if it has none, or none that would do.
pub fn look(name: &str, text: &str) -> Option<Seen> {
    let names = names(name, text);
    // A record needs a field that all have.
    let always = names.first()?;
    let captures: Vec<String> =
        names.iter().enumerate().map(|(i, name)| format!("v{i} = .{name}")).collect();
    let params: Vec<String> = (0..names.len()).map(|i| format!("v{i}")).collect();
    let source = format!(
        "event row({}) = log where .{always} == \"*\" with {}\n",
        params.join(", "),
        captures.join(", ")
    );
    let loaded = watchword_spec::load(&[SourceFile::new("rows.ww", &source)], &|_, path| {
        Err(format!("{path} is not there"))
    });
    let mut reader = Reader::new(&loaded.model?, BadLines::Skip).ok()?;
    let mut rows = Rows { rows: Vec::new() };
    reader.read(name, text.as_bytes(), None, &mut rows, |_, _| {}).ok()?;
    let Rows { rows } = rows;
    let fields: Vec<Field<'_>> =
        names.iter().enumerate().map(|(i, name)| Field::of(name, i, &rows)).collect();
    let kind = fields.iter().filter(|f| f.tells_what(rows.len())).max_by_key(|f| f.kind_rank())?;
    let id = fields.iter().filter(|f| f.name != kind.name && f.tells_whom(rows.len()));
    let id = id.max_by_key(|f| f.id_rank())?;
    let mut kinds: Vec<Kind> = Vec::new();
    let mut number_of: HashMap<&str, usize> = HashMap::new();
    let mut happened = Vec::new();
    for row in &rows {
        let (Some(what), Some(whom)) = (&row[kind.at], &row[id.at]) else { continue };
        let number = *number_of.entry(what).or_insert_with(|| {
            let source =
                format!("where .{} == {} with id = .{}", kind.name, pattern(what), id.name);
            kinds.push(Kind { name: event_name(what, &kinds), source });
            kinds.len() - 1
        });
        happened.push((number, whom.clone()));
    }
    let how = format!(
        "field `{}` is the event ({} values), `{}` the id ({} values)",
        kind.name, kind.values, id.name, id.values
    );
    Some(Seen { id: "id".to_string(), kinds, happened, how })
}

/// A field and how its values are spread.
struct Field<'n> {
    name: &'n str,
    at: usize,
    /// How many records have it, how many different values there are.
    filled: usize,
    values: usize,
    /// The longest value.
    longest: usize,
}

impl<'n> Field<'n> {
    fn of(name: &'n str, at: usize, rows: &[Vec<Option<String>>]) -> Field<'n> {
        let filled = || rows.iter().filter_map(|row| row[at].as_deref());
        let values: std::collections::HashSet<&str> = filled().collect();
        let longest = filled().map(str::len).max().unwrap_or(0);
        Field { name, at, filled: filled().count(), values: values.len(), longest }
    }

    fn last_name(&self) -> String {
        self.name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase()
    }

    fn tells_what(&self, rows: usize) -> bool {
        (2..=MOST_KINDS).contains(&self.values)
            && self.filled * 10 >= rows * 8
            && self.longest <= 60
            && !NO_KINDS.contains(&&*self.last_name())
    }

    fn kind_rank(&self) -> (usize, std::cmp::Reverse<usize>) {
        let last = self.last_name();
        let rank = KINDS.iter().position(|kind| *kind == last);
        (rank.map_or(0, |rank| KINDS.len() - rank), std::cmp::Reverse(self.values))
    }

    /// Whether values come again, but not always.
    fn tells_whom(&self, rows: usize) -> bool {
        self.values >= 2
            && self.filled * 10 >= rows * 5
            && self.filled * 2 >= self.values * 3
            && self.longest <= 80
            && !matches!(&*self.last_name(), "time" | "message" | "msg" | "level")
    }

    fn id_rank(&self) -> (usize, usize) {
        let last = self.last_name();
        let rank = IDS.iter().position(|id| last.contains(id));
        (rank.map_or(0, |rank| IDS.len() - rank), self.values)
    }
}

/// A value as a pattern that only it fits.
fn pattern(value: &str) -> String {
    match value.contains(['*', '?', '{', '}', '\\', '"']) {
        true => format!("/^{}$/", escaped(value)),
        false => quoted(value),
    }
}

/// The names of the fields of a log, one that all records have first.
fn names(name: &str, text: &str) -> Vec<String> {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines().next() else { return Vec::new() };
    let preset = Preset::of_line(first).map(Preset::fields).unwrap_or_default();
    if !preset.is_empty() {
        // Such a line is one only if it has a time.
        return preset.into_iter().filter(|name| *name != "time").map(str::to_string).collect();
    }
    let plain = watchword_trace::formats::plain_name(name);
    if plain.ends_with(".csv") || plain.ends_with(".tsv") {
        let separator = if plain.ends_with(".tsv") { '\t' } else { ',' };
        let separator = if first.contains(separator) { separator } else { ';' };
        return first
            .split(separator)
            .map(str::trim)
            .filter(|n| is_name(n))
            .map(str::to_string)
            .collect();
    }
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut asked = 0;
    for line in lines().take(ASKED) {
        let mut found = Vec::new();
        if line.trim_start().starts_with('{') {
            keys(line, &mut found);
        } else if logfmt::looks_like(line) && line.matches('=').count() >= 2 {
            let pairs = line.split_whitespace().filter_map(|word| word.split_once('='));
            found.extend(pairs.map(|(key, _)| key.to_string()));
        } else {
            continue;
        }
        asked += 1;
        for name in found.into_iter().filter(|name| name.split('.').all(is_name)) {
            let count = times.entry(name.clone()).or_default();
            *count += 1;
            if *count == 1 {
                order.push(name);
            }
        }
    }
    if asked * 2 < lines().take(ASKED).count() {
        return Vec::new();
    }
    order.retain(|name| times[name] * 2 >= asked && name != "time");
    order.sort_by_key(|name| std::cmp::Reverse(times[name] == asked));
    order
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The keys of an object, and of objects in it as `a.b`.
fn keys(line: &str, found: &mut Vec<String>) {
    let mut cursor = Cursor::new(line);
    let mut record = Record::new(0);
    object(&mut cursor, &mut record, "", found);
}

/// Whether the object could be read.
fn object(
    cursor: &mut Cursor<'_>,
    record: &mut Record,
    above: &str,
    found: &mut Vec<String>,
) -> bool {
    if !cursor.take(b'{') {
        return false;
    }
    if cursor.take(b'}') {
        return true;
    }
    loop {
        let Ok(key) = cursor.key(record) else { return false };
        let name = format!("{above}{}", record.text(cursor.line(), key));
        let is_read = match cursor.peek() {
            b'{' if above.is_empty() => object(cursor, record, &format!("{name}."), found),
            b'{' | b'[' => cursor.skip().is_ok(),
            _ => {
                found.push(name);
                cursor.skip().is_ok()
            }
        };
        match cursor.more(b'}') {
            Ok(true) if is_read => {}
            Ok(false) if is_read => return true,
            _ => return false,
        }
    }
}
