//! From a record and its route to events.

use std::borrow::Cow;

use watchword_model::{EventRef, Glob, Time, Type, Value, ValueRef, Where, names_class};
use watchword_select::Ty;

use crate::error::{Fault, Flaw};
use crate::locations::Locations;
use crate::near::FieldMiss;
use crate::paths::Paths;
use crate::points::Point;
use crate::record::{ArgKey, Raw, Record, Slot};
use crate::routes::{Condition, EventInfo, How, PointFields, Routes, Target, Term};
use crate::selected;

type Result<T> = std::result::Result<T, Box<Flaw>>;

/// Receives decoded events.
pub trait Sink {
    /// Processes one event. An error makes the record a bad one.
    fn event(&mut self, event: &EventRef<'_>) -> Result<()>;

    /// The same for an event that exists only for the properties that the record names. A sink that
    /// does not evaluate properties treats it like any other event.
    fn event_for(&mut self, event: &EventRef<'_>, properties: &[Value]) -> Result<()> {
        let _ = properties;
        self.event(event)
    }

    /// Advances time: the time of a record that is not an event.
    fn time(&mut self, time: Time) -> Result<()>;

    /// Called when the input has no more data for now: processes everything that was put off.
    fn rest(&mut self) {}
}

/// Statistics of one declared event.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The number of its occurrences.
    pub count: u64,
    /// The parameters that were ever given, the first 64 of them.
    pub given: u64,
    /// Some names of arguments that are not parameters.
    pub strangers: Vec<Box<str>>,
}

/// The number of unknown names that are kept for a hint.
const STRANGERS: usize = 8;

/// The number of records that are examined for near misses.
const LOOKED: u32 = 2000;

/// Arguments that need no memory of their own.
const INLINE: usize = 8;

/// Per event, which column of a header is which parameter.
pub type Columns = Vec<Vec<Option<u32>>>;

/// Turns records into events.
#[derive(Clone)]
pub struct Emitter {
    slots: Vec<Slot>,
    /// Per event, which column of a CSV header is which parameter.
    pub columns: Columns,
    /// The statistics, by event.
    pub seen: Vec<Seen>,
    /// The number of records that are not events.
    pub unmatched: u64,
    /// By event that never occurred, the record that fits it best.
    pub misses: Vec<Option<FieldMiss>>,
    /// The number of records that were examined for this.
    looked: u32,
}

impl Emitter {
    /// An emitter for a model with this number of events.
    pub fn new(events: usize) -> Emitter {
        Emitter {
            slots: Vec::new(),
            columns: Vec::new(),
            seen: vec![Seen::default(); events],
            unmatched: 0,
            misses: vec![None; events],
            looked: 0,
        }
    }

    /// The number of records that were examined for near misses.
    pub(crate) fn looked(&self) -> u32 {
        self.looked
    }

    /// Continues with rows of this header.
    pub fn set_columns<'a>(&mut self, routes: &Routes, names: impl Iterator<Item = &'a str>) {
        let names: Vec<&str> = names.collect();
        let position = |event: &EventInfo, name: &str| {
            event.params.iter().position(|(p, _)| **p == *name).map(|i| i as u32)
        };
        self.columns = routes
            .events
            .iter()
            .map(|event| names.iter().map(|name| position(event, name)).collect())
            .collect();
    }

    /// Hands the events of a record to the sink; if one of them does not fit its declaration,
    /// none. A record that is no event still tells the time.
    #[inline]
    pub fn emit<S: Sink>(
        &mut self,
        line: &str,
        record: &Record,
        routes: &mut Routes,
        locations: &mut Locations,
        line_number: u64,
        sink: &mut S,
    ) -> Result<()> {
        match self.offer(line, record, routes, locations, line_number, sink)? {
            true => Ok(()),
            false => self.pass_by(record, sink),
        }
    }

    /// The same, but answers whether there was an event.
    #[inline]
    pub fn offer<S: Sink>(
        &mut self,
        line: &str,
        record: &Record,
        routes: &mut Routes,
        locations: &mut Locations,
        line_number: u64,
        sink: &mut S,
    ) -> Result<bool> {
        let Some(id) = routes.find(record.point, record.text(line, record.name)) else {
            return Ok(false);
        };
        routes.table[id].records += 1;
        let targets = &routes.table[id].targets;
        let (events, fields) = (&routes.events, &routes.fields);
        let location = match record.location {
            Some(known) => locations.get(known),
            None => locations.line(line_number),
        };
        let read = Reading { line, record, fields, location };
        // The usual case: a name that stands for one event.
        if let [target] = &targets[..] {
            if !read.concerns(target, &events[target.event.index()]) {
                self.miss(&read, target, &routes.paths);
                return Ok(false);
            }
            self.collect(&read, target, &events[target.event.index()])?;
            return self.send(&read, target, sink).map(|()| true);
        }
        let mut last = None;
        let mut chosen = Vec::new();
        for target in targets {
            let info = &events[target.event.index()];
            // One record is one event of a declaration, whichever of its sources matched first.
            if last != Some(target.event) && read.concerns(target, info) {
                self.collect(&read, target, info)?;
                last = Some(target.event);
                chosen.push(target);
            } else if last != Some(target.event) {
                self.miss(&read, target, &routes.paths);
            }
        }
        let found = !chosen.is_empty();
        for target in chosen {
            self.collect(&read, target, &events[target.event.index()])?;
            self.send(&read, target, sink)?;
        }
        Ok(found)
    }

    /// Notes how near a record came to an event that has not occurred yet.
    #[inline]
    fn miss(&mut self, read: &Reading<'_>, target: &Target, paths: &Paths) {
        if self.looked < LOOKED && self.seen[target.event.index()].count == 0 {
            self.looked += 1;
            self.note_miss(read, target, paths);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_miss(&mut self, read: &Reading<'_>, target: &Target, paths: &Paths) {
        let conditions = &target.conditions;
        let failed = conditions.iter().find_map(|condition| match condition {
            Condition::Field(path, glob) if !read.holds(condition) => Some((*path, glob)),
            _ => None,
        });
        let Some((path, glob)) = failed else { return };
        let found = read.field(path).map(Cow::into_owned);
        let is_near = found.as_ref().is_some_and(|found| found.eq_ignore_ascii_case(glob.text()));
        let held = conditions.iter().filter(|condition| read.holds(condition)).count();
        let rank = 3 * held + 2 * usize::from(is_near) + usize::from(found.is_some());
        let best = &mut self.misses[target.event.index()];
        if rank > 0 && best.as_ref().is_none_or(|best| rank > best.rank) {
            let place = read.location.to_location();
            let place = format!(
                "{}:{}",
                place.file.as_deref().unwrap_or_default(),
                place.line.unwrap_or_default()
            );
            let (field, wanted) = (paths.name_of(path), glob.text().to_string());
            *best = Some(FieldMiss { rank, is_near, field, wanted, found, place });
        }
    }

    /// A record that is no event still tells the time.
    pub fn pass_by<S: Sink>(&mut self, record: &Record, sink: &mut S) -> Result<()> {
        self.unmatched += 1;
        match record.time {
            Some(time) => sink.time(time).map_err(|flaw| at_time(flaw, record)),
            None => Ok(()),
        }
    }

    /// Puts the arguments of the event into `slots`.
    #[inline]
    fn collect(&mut self, read: &Reading<'_>, target: &Target, info: &EventInfo) -> Result<()> {
        self.slots.clear();
        self.slots.resize(info.params.len(), Slot::MISSING);
        match &target.how {
            How::Direct { .. } if read.record.has_args => self.collect_args(read, target, info)?,
            How::Direct { .. } => {
                for (slot, path) in self.slots.iter_mut().zip(&info.flat) {
                    *slot = read.record.fields[*path];
                }
            }
            How::Captures(captures) => {
                for (param, term) in captures {
                    if let Some(slot) = self.slots.get_mut(*param) {
                        *slot = read.term(term);
                    }
                }
                if info.variadic {
                    self.collect_rest(read, captures, info);
                }
            }
        }
        let Reading { line, record, .. } = *read;
        for (i, slot) in self.slots.iter_mut().enumerate() {
            let ty = info.params.get(i).map_or(Type::Any, |(_, ty)| *ty);
            match record.fit(line, slot.raw, ty) {
                Some(raw) => slot.raw = raw,
                None => return Err(misfit(read, info, i, *slot, ty)),
            }
        }
        Ok(())
    }

    /// What follows the declared parameters of an event of any arity: the arguments of the call,
    /// and its result, if it has returned and no parameter is the result. Parameters that no
    /// source gives are fields of the record.
    fn collect_rest(&mut self, read: &Reading<'_>, captures: &[(usize, Term)], info: &EventInfo) {
        let Reading { record, fields, .. } = *read;
        for (i, path) in info.flat.iter().enumerate() {
            if !captures.iter().any(|(param, _)| *param == i) {
                self.slots[i] = record.fields[*path];
            }
        }
        self.slots.extend(record.args.iter().map(|arg| arg.slot));
        let is_result = |term: &Term| matches!(term, Term::Field(path, _) if *path == fields.value);
        let returned = record.point == Point::RETURN;
        if returned && !captures.iter().any(|(_, term)| is_result(term)) {
            self.slots.push(record.fields[fields.value]);
        }
    }

    #[inline]
    fn collect_args(
        &mut self,
        read: &Reading<'_>,
        target: &Target,
        info: &EventInfo,
    ) -> Result<()> {
        let Reading { line, record, .. } = *read;
        for (i, arg) in record.args.iter().enumerate() {
            let param = match arg.key {
                ArgKey::Position if i < info.params.len() => Some(i),
                ArgKey::Position if info.variadic => {
                    self.slots.push(arg.slot);
                    continue;
                }
                ArgKey::Position => {
                    let cell =
                        matches!(arg.slot.raw, Raw::Cell(t) if record.text(line, t).is_empty());
                    if cell || matches!(arg.slot.raw, Raw::Null) {
                        continue;
                    }
                    return Err(superfluous(info, record.args.len(), arg.slot.at as usize));
                }
                ArgKey::Name(name) => {
                    let name = record.text(line, name);
                    // Usually the arguments come in the order of the parameters.
                    match info.params.get(i) {
                        Some((param, _)) if **param == *name => Some(i),
                        _ => match info.params.iter().position(|(p, _)| **p == *name) {
                            Some(param) => Some(param),
                            None => {
                                self.stranger(target, name);
                                None
                            }
                        },
                    }
                }
                ArgKey::Column(column) => {
                    let columns = &self.columns[target.event.index()];
                    columns[column as usize].map(|param| param as usize)
                }
            };
            if let Some(param) = param {
                if !matches!(self.slots[param].raw, Raw::Missing) {
                    let name = &info.params[param].0;
                    let message = format!("the argument `{name}` is given twice");
                    return Err(Flaw::new(Fault::Duplicate, arg.slot.at as usize, message));
                }
                self.slots[param] = arg.slot;
            }
        }
        Ok(())
    }

    fn stranger(&mut self, target: &Target, name: &str) {
        let strangers = &mut self.seen[target.event.index()].strangers;
        if strangers.len() < STRANGERS && !strangers.iter().any(|s| **s == *name) {
            strangers.push(name.into());
        }
    }

    #[inline]
    fn send<S: Sink>(&mut self, read: &Reading<'_>, target: &Target, sink: &mut S) -> Result<()> {
        let Reading { line, record, location, .. } = *read;
        let seen = &mut self.seen[target.event.index()];
        seen.count += 1;
        let mut inline = [ValueRef::Null; INLINE];
        let heap: Vec<ValueRef<'_>>;
        let mut given = 0u64;
        let args = if self.slots.len() <= INLINE {
            for (i, (arg, slot)) in inline.iter_mut().zip(&self.slots).enumerate() {
                given |= u64::from(!matches!(slot.raw, Raw::Missing)) << i;
                *arg = record.value(line, slot.raw);
            }
            &inline[..self.slots.len()]
        } else {
            for (i, slot) in self.slots.iter().enumerate().take(64) {
                given |= u64::from(!matches!(slot.raw, Raw::Missing)) << i;
            }
            heap = self.slots.iter().map(|slot| record.value(line, slot.raw)).collect();
            &heap[..]
        };
        seen.given |= given;
        let event = EventRef {
            kind: target.event,
            args,
            time: record.time,
            thread: record.thread,
            location: Some(location),
        };
        match record.properties() {
            None => sink.event(&event),
            Some(properties) => sink.event_for(&event, properties),
        }
        .map_err(|flaw| at_time(flaw, record))
    }

    /// Hands over an event whose arguments are cells of `line`, for formats without records.
    pub fn send_cells<S: Sink>(
        &mut self,
        line: &str,
        record: &Record,
        target: &Target,
        routes: &Routes,
        location: Where<'_>,
        sink: &mut S,
    ) -> Result<()> {
        let read = Reading { line, record, fields: &routes.fields, location };
        self.collect(&read, target, &routes.events[target.event.index()])?;
        self.send(&read, target, sink)
    }
}

#[cold]
fn at_time(mut flaw: Box<Flaw>, record: &Record) -> Box<Flaw> {
    flaw.at = record.time_at;
    flaw
}

#[cold]
fn misfit(read: &Reading<'_>, info: &EventInfo, index: usize, slot: Slot, ty: Type) -> Box<Flaw> {
    let found = read.record.describe(read.line, slot.raw);
    let message = match slot.raw {
        Raw::Huge(_) => format!("{found} cannot be held exactly; in quotes it is a text"),
        _ => {
            let param = info.params.get(index).map_or("", |(name, _)| name);
            format!("`{}` expects `{param}` to be of type {ty}, found {found}", info.name)
        }
    };
    Flaw::new(Fault::Argument, slot.at as usize, message)
}

#[cold]
fn superfluous(info: &EventInfo, found: usize, at: usize) -> Box<Flaw> {
    let params: Vec<&str> = info.params.iter().map(|(name, _)| &**name).collect();
    let message = format!(
        "`{}({})` has {} parameter{}, found {found} arguments",
        info.name,
        params.join(", "),
        params.len(),
        if params.len() == 1 { "" } else { "s" },
    );
    Flaw::new(Fault::Arity, at, message)
}

/// A record and what is around it.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    line: &'a str,
    record: &'a Record,
    fields: &'a PointFields,
    /// Where the record was made.
    pub location: Where<'a>,
}

impl Reading<'_> {
    #[inline]
    fn concerns(&self, target: &Target, info: &EventInfo) -> bool {
        if let How::Direct { only_with_args: true } = target.how
            && !self.has_fitting_args(info)
        {
            return false;
        }
        target.conditions.iter().all(|condition| self.holds(condition))
    }

    /// Arguments by position, or at least one that is named like a parameter.
    fn has_fitting_args(&self, info: &EventInfo) -> bool {
        let is_param = |name: &str| info.params.iter().any(|(p, _)| **p == *name);
        self.record.has_args
            && (self.record.args.is_empty()
                || self.record.args.iter().any(|arg| match arg.key {
                    ArgKey::Name(name) => is_param(self.record.text(self.line, name)),
                    ArgKey::Position | ArgKey::Column(_) => true,
                }))
    }

    fn term(&self, term: &Term) -> Slot {
        let record = self.record;
        let arg = |index: usize| record.args.get(index).map_or(Slot::MISSING, |arg| arg.slot);
        match term {
            Term::Arg(index) => arg(*index),
            Term::CallArg(index) => arg(index + usize::from(!self.is_static())),
            Term::Field(path, name) => match (record.fields[*path], name) {
                (Slot { raw: Raw::Missing, .. }, Some(name)) => record
                    .args
                    .iter()
                    .find(|arg| match arg.key {
                        ArgKey::Name(key) => record.text(self.line, key) == &**name,
                        _ => false,
                    })
                    .map_or(Slot::MISSING, |arg| arg.slot),
                (slot, _) => slot,
            },
            Term::ThreadObject => {
                Slot::new(record.thread.map_or(Raw::Missing, |id| Raw::Ref(id, None, None)), 0)
            }
            Term::ThreadNumber => {
                Slot::new(record.thread.map_or(Raw::Missing, |id| Raw::Int(id as i64)), 0)
            }
            Term::Line => {
                let line = self.location.line().filter(|_| record.location.is_some());
                Slot::new(line.map_or(Raw::Missing, |l| Raw::Int(i64::from(l))), 0)
            }
            Term::Name => Slot::new(Raw::Str(self.method()), record.name_at),
            Term::Names(path) => match record.fields[*path] {
                slot @ Slot { raw: Raw::Other(_), .. } => slot,
                _ => Slot::new(Raw::Str(self.method()), record.name_at),
            },
            Term::Record => {
                Slot::new(Raw::Str(crate::record::Text::of_line(0, self.line.len())), 0)
            }
        }
    }

    fn method(&self) -> crate::record::Text {
        self.record.method.unwrap_or(self.record.name)
    }

    fn is_static(&self) -> bool {
        matches!(
            self.record.fields.get(self.fields.is_static),
            Some(Slot { raw: Raw::Bool(true), .. })
        )
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::FieldOrAbsent(path, text) => {
                self.field(*path).is_none_or(|found| found == **text)
            }
            Condition::Field(path, glob) => self.field(*path).is_some_and(|f| like(glob, &f)),
            Condition::Test(test) => test.holds(&|path| self.field(path)),
            Condition::LikeOrAbsent(path, glob) => {
                self.field(*path).is_none_or(|found| names_class(glob, &found))
            }
            Condition::Selected(jvm) => selected::by_record(&jvm.point, self),
            Condition::Thrown(class) => {
                let mut names = self.names(self.fields.thrown).peekable();
                names.peek().is_none() || names.any(|name| name == &**class)
            }
            Condition::Within(within) => selected::inside(within, self),
        }
    }

    /// A field as text; `None` if it is missing, or a list or a map.
    fn field(&self, path: usize) -> Option<Cow<'_, str>> {
        match self.record.fields[path].raw {
            Raw::Str(text) => Some(Cow::Borrowed(self.record.text(self.line, text))),
            Raw::Missing | Raw::Other(_) => None,
            raw => Some(Cow::Owned(self.record.owned(self.line, raw).to_string())),
        }
    }

    /// A field that is a list of names, or one name.
    fn names(&self, path: usize) -> impl Iterator<Item = &str> {
        let slot = self.record.fields[path].raw;
        let one = match slot {
            Raw::Str(text) => Some(self.record.text(self.line, text)),
            _ => None,
        };
        let many = match slot {
            Raw::Other(i) => match &self.record.values[i as usize] {
                Value::List(items) => &items[..],
                _ => &[],
            },
            _ => &[],
        };
        one.into_iter().chain(many.iter().filter_map(|item| match item {
            Value::Str(text) => Some(&**text),
            _ => None,
        }))
    }

    /// The kind of the record, and what it is named after.
    pub fn named(&self) -> (Point, &str) {
        (self.record.point, self.record.text(self.line, self.record.name))
    }

    /// Whether a class is the one that the record is about, or whose member it is.
    pub fn is_owner(&self, class: &str) -> bool {
        let (_, name) = self.named();
        name == class || name.rsplit_once('.').is_some_and(|(owner, _)| owner == class)
    }

    /// Supertypes of the owner.
    pub fn supers(&self) -> impl Iterator<Item = &str> {
        self.names(self.fields.supers)
    }

    /// Annotations of the method or field.
    pub fn annotations(&self) -> impl Iterator<Item = &str> {
        self.names(self.fields.annotations)
    }

    /// The types of the parameters of a call, as the record lists them; if it lists none, their number
    /// is known.
    pub fn params(&self) -> Vec<Ty<'_>> {
        if !matches!(self.record.fields[self.fields.params].raw, Raw::Missing) {
            return self.names(self.fields.params).map(Ty::of_source).collect();
        }
        let receiver = usize::from(!self.is_static());
        vec![Ty::UNKNOWN; self.record.args.len().saturating_sub(receiver)]
    }

    /// The type of the result of a call.
    pub fn returns(&self) -> Option<Cow<'_, str>> {
        self.field(self.fields.returns)
    }

    /// The type of a field.
    pub fn field_type(&self) -> Option<Cow<'_, str>> {
        self.field(self.fields.ty)
    }
}

pub(crate) fn like(glob: &Glob, text: &str) -> bool {
    if glob.is_literal() { glob.text() == text } else { glob.matches(text) }
}
