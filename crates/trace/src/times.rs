//! The notation of times in a trace, and the field that contains them. Without a setting, the first
//! time of the trace decides ([`crate::recognise`]).

use watchword_model::Time;

use crate::paths::PathId;
use crate::recognise::{self, Place};
use crate::time::{self, SECOND, civil_from_days, days_from_civil, days_in};
use crate::zone::{WallClock, Zone};

const DAY: Time = 86_400 * SECOND;

/// A way to write times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeFormat {
    /// Seconds, or RFC 3339.
    Usual,
    /// A number since 1970, in units of so many nanoseconds.
    Epoch(Time),
    /// Like this.
    Like(Vec<Piece>, String),
}

/// A piece of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// This character.
    Char(char),
    /// Blanks, at least one.
    Blank,
    /// A part of the date or the time.
    Part(Part),
}

/// A part of a date or a time, and its letter after `%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is what it is called")]
pub enum Part {
    Year,
    ShortYear,
    Month,
    MonthName,
    Day,
    Hour,
    Hour12,
    Half,
    Minute,
    Second,
    Fraction,
    /// A point or a comma and a fraction, or nothing.
    MaybeFraction,
    Offset,
    /// The name of a time zone; if it is not a well-known one, it counts as UTC.
    Zone,
    /// A word that is skipped: the day of the week.
    Word,
    /// Seconds since 1970.
    Epoch,
}

const PARTS: [(char, Part); 20] = [
    ('Y', Part::Year),
    ('y', Part::ShortYear),
    ('m', Part::Month),
    ('b', Part::MonthName),
    ('B', Part::MonthName),
    ('h', Part::MonthName),
    ('d', Part::Day),
    ('e', Part::Day),
    ('H', Part::Hour),
    ('k', Part::Hour),
    ('I', Part::Hour12),
    ('p', Part::Half),
    ('M', Part::Minute),
    ('S', Part::Second),
    ('f', Part::Fraction),
    ('N', Part::Fraction),
    ('z', Part::Offset),
    ('Z', Part::Zone),
    ('a', Part::Word),
    ('s', Part::Epoch),
];

/// Names of time zones that are unambiguous everywhere, in minutes east of UTC.
const ZONES: [(&str, i64); 24] = [
    ("UTC", 0),
    ("GMT", 0),
    ("WET", 0),
    ("WEST", 60),
    ("CET", 60),
    ("CEST", 120),
    ("BST", 60),
    ("EET", 120),
    ("EEST", 180),
    ("SAST", 120),
    ("MSK", 180),
    ("BRT", -180),
    ("EDT", -240),
    ("EST", -300),
    ("MDT", -360),
    ("MST", -420),
    ("PDT", -420),
    ("PST", -480),
    ("JST", 540),
    ("KST", 540),
    ("AEST", 600),
    ("AEDT", 660),
    ("NZST", 720),
    ("NZDT", 780),
];

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Names under which records of logs have their times, the likeliest first.
pub const TIME_FIELDS: [&str; 22] = [
    "@timestamp",
    "timestamp",
    "ts",
    "datetime",
    "date_time",
    "eventTime",
    "event_time",
    "timeUnixNano",
    "time_unix_nano",
    "startTimeUnixNano",
    "timeMillis",
    "__REALTIME_TIMESTAMP",
    "asctime",
    "time_iso8601",
    "time_local",
    "_time",
    "log_time",
    "date",
    "created_at",
    "createdAt",
    "startTime",
    "t",
];

impl TimeFormat {
    /// Names of formats that are common, for messages.
    pub const NAMES: &'static str = "rfc3339, seconds, millis, micros, nanos, clf, syslog, klog";

    /// A notation as flags accept it: a name, or letters after `%` as in `strftime`.
    pub fn parse(text: &str) -> Result<TimeFormat, String> {
        Ok(match text {
            "rfc3339" | "seconds" => TimeFormat::Usual,
            "millis" => TimeFormat::Epoch(1_000_000),
            "micros" => TimeFormat::Epoch(1_000),
            "nanos" => TimeFormat::Epoch(1),
            "clf" => TimeFormat::like("%d/%b/%Y:%H:%M:%S%.f %z")?,
            "syslog" => TimeFormat::like("%b %e %H:%M:%S%.f")?,
            "klog" => TimeFormat::like("%m%d %H:%M:%S%.f")?,
            _ if text.contains('%') => TimeFormat::like(text)?,
            _ => {
                return Err(format!(
                    "expected one of {}, or a format such as %Y-%m-%d %H:%M:%S",
                    TimeFormat::NAMES
                ));
            }
        })
    }

    pub(crate) fn like(text: &str) -> Result<TimeFormat, String> {
        let expanded = text.replace("%T", "%H:%M:%S").replace("%F", "%Y-%m-%d");
        let mut pieces = Vec::new();
        let mut chars = expanded.chars();
        while let Some(c) = chars.next() {
            pieces.push(match c {
                '%' => match chars.next() {
                    Some('%') => Piece::Char('%'),
                    Some('A') => Piece::Part(Part::Word),
                    Some('.') if chars.as_str().starts_with('f') => {
                        chars.next();
                        Piece::Part(Part::MaybeFraction)
                    }
                    Some(letter) => match PARTS.iter().find(|(l, _)| *l == letter) {
                        Some((_, part)) => Piece::Part(*part),
                        None => return Err(format!("`%{letter}` is not supported in a time")),
                    },
                    None => return Err("`%` at the end has no meaning".to_string()),
                },
                c if c.is_whitespace() => Piece::Blank,
                c => Piece::Char(c),
            });
        }
        let has = |part| pieces.contains(&Piece::Part(part));
        if !has(Part::Epoch) && !has(Part::Hour) && !has(Part::Hour12) && !has(Part::Day) {
            return Err("a time needs at least an hour or a day: %H:%M:%S".to_string());
        }
        Ok(TimeFormat::Like(pieces, text.to_string()))
    }

    fn has(&self, part: Part) -> bool {
        matches!(self, TimeFormat::Like(pieces, _) if pieces.contains(&Piece::Part(part)))
    }

    /// Whether the notation has no year, or no date.
    pub fn lacks_year(&self) -> bool {
        matches!(self, TimeFormat::Like(..))
            && ![Part::Year, Part::ShortYear, Part::Epoch].into_iter().any(|part| self.has(part))
    }

    /// Whether the day is not written.
    pub fn lacks_day(&self) -> bool {
        self.lacks_year() && !self.has(Part::Day)
    }

    /// Whether the offset from UTC is not written.
    pub fn lacks_zone(&self) -> bool {
        matches!(self, TimeFormat::Like(..))
            && ![Part::Offset, Part::Zone, Part::Epoch].into_iter().any(|part| self.has(part))
    }
}

/// The parts that were read.
#[derive(Default)]
struct Parts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: i64,
    afternoon: Option<bool>,
    minute: i64,
    second: i64,
    nanos: i64,
    /// Seconds east of UTC, where that is written.
    offset: Option<i64>,
    epoch: Option<i64>,
    /// A time zone was named that is not well known.
    strange_zone: bool,
}

/// A text that is being read.
struct Rest<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Rest<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn eat(&mut self, c: char) -> Option<()> {
        self.rest().starts_with(c).then(|| self.at += c.len_utf8())
    }

    fn blanks(&mut self) -> usize {
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        self.at += blanks;
        blanks
    }

    /// Between `least` and `most` digits.
    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let digits = self.rest().bytes().take(most).take_while(u8::is_ascii_digit).count();
        if digits < least {
            return None;
        }
        let number = self.rest()[..digits].parse().ok()?;
        self.at += digits;
        Some(number)
    }

    fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// The digits after a point, as nanoseconds; those beyond are read and dropped.
    fn fraction(&mut self) -> Option<i64> {
        let from = self.at;
        self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let digits = self.text[from..self.at].bytes().take(9);
        let (value, scale) =
            digits.fold((0, SECOND), |(v, s), d| (v + i64::from(d - b'0') * (s / 10), s / 10));
        (scale < SECOND).then_some(value)
    }

    fn part(&mut self, part: Part, parts: &mut Parts) -> Option<()> {
        match part {
            Part::Year => parts.year = Some(self.number(4, 4)?),
            Part::ShortYear => {
                let year = self.number(2, 2)?;
                parts.year = Some(if year < 70 { 2000 + year } else { 1900 + year });
            }
            Part::Month => parts.month = Some(self.number(1, 2)?),
            Part::MonthName => {
                let name = self.word()?.to_ascii_lowercase();
                let month = MONTHS.iter().position(|m| name.starts_with(m))?;
                parts.month = Some(month as i64 + 1);
            }
            Part::Day => {
                self.blanks();
                parts.day = Some(self.number(1, 2)?);
            }
            Part::Hour | Part::Hour12 => {
                self.blanks();
                parts.hour = self.number(1, 2)?;
            }
            Part::Half => {
                parts.afternoon = Some(match self.word()?.to_ascii_lowercase().as_str() {
                    "am" => false,
                    "pm" => true,
                    _ => return None,
                });
            }
            Part::Minute => parts.minute = self.number(1, 2)?,
            Part::Second => parts.second = self.number(1, 2)?,
            Part::Fraction => parts.nanos = self.fraction()?,
            Part::MaybeFraction => {
                if let [b'.' | b',', b'0'..=b'9', ..] = self.rest().as_bytes() {
                    self.at += 1;
                    parts.nanos = self.fraction()?;
                }
            }
            Part::Offset => {
                if self.eat('Z').is_some() {
                    parts.offset = Some(0);
                    return Some(());
                }
                let sign = match self.rest().as_bytes().first()? {
                    b'+' => 1,
                    b'-' => -1,
                    _ => return None,
                };
                self.at += 1;
                let hours = self.number(2, 2)?;
                let _ = self.eat(':');
                let minutes = self.number(2, 2)?;
                parts.offset = Some(sign * (hours * 3600 + minutes * 60));
            }
            Part::Word => {
                self.word()?;
            }
            Part::Zone => {
                let word = self.word()?;
                match ZONES.iter().find(|(name, _)| *name == word) {
                    Some((_, minutes)) => parts.offset = Some(minutes * 60),
                    None => parts.strange_zone = true,
                }
            }
            Part::Epoch => parts.epoch = Some(self.number(1, 18)?),
        }
        Some(())
    }
}

/// What determined the notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The user.
    Given,
    /// The first time of the trace will.
    Looking,
    /// The first time of the trace did.
    Found,
}

/// Reads the times of a trace.
#[derive(Clone, Debug)]
pub struct Times {
    format: TimeFormat,
    /// How the format was decided.
    how: How,
    /// Where in a line of text the time is.
    place: Place,
    /// When the trace was last written; this determines the year of times without one.
    pub written: Option<Time>,
    /// The year of the latest time, where years are not written and `written` is known.
    year: Option<i64>,
    /// The recognised notation, in words; to be printed once.
    pub note: Option<String>,
    /// The field that has the time, if not `time`.
    pub field: Option<PathId>,
    /// The name of that field.
    pub name: Option<Box<str>>,
    /// The duration that was added because a new year, or a new day, has begun.
    carried: Time,
    last: Time,
    /// How late an event may come.
    pub late: Time,
    /// A line began with an impossible time; the code that counts such lines resets it.
    pub mistaken: bool,
    /// The year that is not written has a 29th of February.
    leap: bool,
    /// Where times were written that do not say how far they are from UTC.
    clock: Option<WallClock>,
}

impl Times {
    /// Times in that format.
    pub fn new(format: TimeFormat) -> Times {
        Times {
            format,
            how: How::Given,
            place: Place::Anywhere,
            written: None,
            year: None,
            note: None,
            field: None,
            name: None,
            carried: 0,
            last: Time::MIN,
            late: 0,
            mistaken: false,
            leap: false,
            clock: None,
        }
    }

    /// Reads times without an offset from UTC as times of `zone`.
    pub fn written_in(&mut self, zone: Zone) {
        self.clock = Some(WallClock::new(zone));
    }

    /// Times in a notation that the first of them determines.
    pub fn looking() -> Times {
        Times { how: How::Looking, ..Times::new(TimeFormat::Usual) }
    }

    /// Sets the notation, unless the user has selected one.
    pub fn read_as(&mut self, format: TimeFormat) {
        if self.how != How::Given {
            self.how = How::Given;
            self.format = format;
        }
    }

    /// Whether the first time of the trace is yet to come.
    pub(crate) fn is_looking(&self) -> bool {
        self.how == How::Looking
    }

    /// Whether a time depends on those before it: a part of the date is not written, or clocks may show
    /// an hour twice.
    pub(crate) fn remembers(&self) -> bool {
        let is_wall = match &self.format {
            TimeFormat::Usual => true,
            TimeFormat::Epoch(_) => false,
            TimeFormat::Like(..) => self.format.lacks_zone() || self.format.has(Part::Zone),
        };
        let remembers = self.clock.as_ref().is_some_and(WallClock::remembers);
        self.format.lacks_year() || is_wall && remembers
    }

    /// Another trace begins, which may be written in another way.
    pub fn begin(&mut self, written: Option<Time>) {
        self.written = written;
        if self.how == How::Found {
            self.how = How::Looking;
            self.format = TimeFormat::Usual;
            self.place = Place::Anywhere;
        }
    }

    /// Goes on after another trace has ended: years and days that are not written go on, too.
    pub fn go_on_from(&mut self, other: &Times) {
        self.carried = other.carried;
        self.last = other.last;
        self.leap = other.leap;
        self.year = other.year;
        if let (Some(clock), Some(other)) = (&mut self.clock, &other.clock) {
            clock.go_on_from(other);
        }
    }

    /// A text that is a time.
    pub fn text(&mut self, text: &str) -> Option<Time> {
        if self.how == How::Looking {
            let format = recognise::whole(text)?;
            self.found(format, Place::Anywhere, text);
        }
        match &self.format {
            TimeFormat::Usual => time::seconds(text).or_else(|| {
                let (time, used) = self.dated(text)?;
                (used == text.len()).then_some(time)
            }),
            TimeFormat::Epoch(_) => self.number(text),
            TimeFormat::Like(..) => {
                let (time, used) = self.like(text)?;
                (used == text.len()).then_some(time)
            }
        }
    }

    /// A number that is a time; in a trace that writes it otherwise, seconds.
    pub fn number(&mut self, text: &str) -> Option<Time> {
        if self.how == How::Looking {
            let format = recognise::number(text)?;
            self.found(format, Place::Anywhere, text);
        }
        match &self.format {
            TimeFormat::Epoch(_) if self.how == How::Found && !self.is_of_this_unit(text) => None,
            TimeFormat::Epoch(unit) => epoch(text, *unit),
            _ => time::seconds(text),
        }
    }

    /// A number of another magnitude is not in the unit that was found by looking.
    fn is_of_this_unit(&self, text: &str) -> bool {
        match recognise::number(text) {
            Some(TimeFormat::Usual) => self.format == TimeFormat::Epoch(SECOND),
            unit => unit.as_ref() == Some(&self.format),
        }
    }

    /// The first time of a trace has shown how they are written.
    #[cold]
    fn found(&mut self, format: TimeFormat, place: Place, example: &str) {
        self.how = How::Found;
        self.place = place;
        self.format = format;
        let like = match &self.format {
            TimeFormat::Usual => return,
            TimeFormat::Epoch(1) => "nanoseconds since 1970".to_string(),
            TimeFormat::Epoch(1_000) => "microseconds since 1970".to_string(),
            TimeFormat::Epoch(1_000_000) => "milliseconds since 1970".to_string(),
            TimeFormat::Epoch(_) => "seconds".to_string(),
            TimeFormat::Like(_, text) => format!("{text:?}"),
        };
        let mut lacking = Vec::new();
        if self.format.lacks_day() {
            lacking.push("the day".to_string());
        } else if self.format.lacks_year() {
            lacking.push(match self.written {
                Some(_) => "the year (that of the file is assumed)".to_string(),
                None => "the year".to_string(),
            });
        }
        if self.format.lacks_zone() {
            lacking.push(match &self.clock {
                Some(clock) => format!("the time zone (it is {})", clock.zone().name()),
                None => "the time zone (UTC is assumed)".to_string(),
            });
        }
        let lacking = match lacking.is_empty() {
            true => String::new(),
            false => format!(", without {}", lacking.join(" and ")),
        };
        self.note = Some(format!("times such as `{example}` are read as {like}{lacking}"));
    }

    /// The time of a line of text: at its beginning, possibly after a priority, a severity or a
    /// bracket, or in brackets later in the line. Also returns its position.
    pub fn in_text(&mut self, line: &str) -> (Option<Time>, usize) {
        if self.how == How::Looking {
            let Some((format, place, range)) = recognise::in_line(line) else { return (None, 0) };
            self.found(format, place, &line[range]);
        }
        let place = self.place;
        let mut first = 0;
        for (i, at) in recognise::places(line, place).enumerate() {
            if i == 0 {
                first = at;
            }
            if let Some(time) = self.prefix(&line[at..]) {
                self.mistaken = false;
                return (Some(time), at);
            }
        }
        if let Some((time, at)) = self.after_words(line) {
            self.mistaken = false;
            return (Some(time), at);
        }
        (None, first)
    }

    /// The time behind one of the first words of a line, such as a host. Only a notation that the
    /// user gave is certain enough for that.
    fn after_words(&mut self, line: &str) -> Option<(Time, usize)> {
        const WORDS: usize = 3;
        if self.how != How::Given || !matches!(self.format, TimeFormat::Like(..)) {
            return None;
        }
        let blanks = line.match_indices([' ', '\t']).map(|(at, _)| at + 1);
        let starts = blanks.filter(|at| !line[*at..].starts_with([' ', '\t']));
        for at in starts.take(WORDS) {
            if let Some((time, _)) = self.like(&line[at..]) {
                return Some((time, at));
            }
        }
        None
    }

    /// How the time of a line is written, if it is one that is written in another way than those
    /// before: a word for it.
    #[cold]
    pub fn written_otherwise(&self, line: &str) -> Option<String> {
        if self.how != How::Found {
            return None;
        }
        let (format, _, range) = recognise::in_line(line)?;
        (format != self.format && format.lacks_day() == self.format.lacks_day())
            .then(|| format!("`{}` is not {}", &line[range], self.expected()))
    }

    /// The time a text begins with.
    pub fn prefix(&mut self, text: &str) -> Option<Time> {
        let time = match &self.format {
            TimeFormat::Usual => self.dated(text).map(|(time, _)| time),
            TimeFormat::Epoch(_) => {
                let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
                self.number(&text[..end.unwrap_or(text.len())])
            }
            TimeFormat::Like(..) => self.like(text).map(|(time, _)| time),
        };
        self.mistaken |= time.is_none() && self.looks_like_one(text);
        time
    }

    /// Whether a text begins like a time, as far as its digits and signs go.
    #[cold]
    fn looks_like_one(&self, text: &str) -> bool {
        match &self.format {
            TimeFormat::Usual => time::looks_like_date(text),
            TimeFormat::Epoch(_) => text.starts_with(|c: char| c.is_ascii_digit()),
            TimeFormat::Like(pieces, _) => shape(pieces, text).is_some(),
        }
    }

    /// A regular expression for times in a line, if they can contain blanks.
    pub fn in_line(&self) -> Option<String> {
        match &self.format {
            TimeFormat::Usual if self.how == How::Looking => {
                Some(format!("{}|.*?", recognise::WITH_BLANKS))
            }
            TimeFormat::Usual => Some(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d\S*?|.*?".to_string()),
            TimeFormat::Epoch(_) => None,
            TimeFormat::Like(_, text) => match text.split_whitespace().count() {
                0 | 1 => None,
                words => Some(format!(r"\S+?(?:\s+\S+?){{{}}}", words - 1)),
            },
        }
    }

    /// The expected notation, for messages.
    pub fn expected(&self) -> String {
        match &self.format {
            TimeFormat::Usual => {
                "a time such as 2024-05-01T12:00:00.25Z, from 1678 to 2261, or seconds; for other notations, use --time-format"
                    .to_string()
            }
            TimeFormat::Epoch(_) => format!("a number, {}", self.who_says()),
            TimeFormat::Like(_, text) => format!("a time like {text}, {}", self.who_says()),
        }
    }

    fn who_says(&self) -> &'static str {
        match self.how {
            How::Given => "as --time-format says",
            How::Looking | How::Found => {
                "as in the lines before; a trace has one notation of times, and --time-format selects it"
            }
        }
    }

    /// The date and time a text begins with, as RFC 3339 has it, and how long it is.
    fn dated(&mut self, text: &str) -> Option<(Time, usize)> {
        let time::Dated { time, length, has_offset } = time::dated_prefix(text)?;
        let time = if has_offset { time } else { self.of_wall(time)? };
        Some((time, length))
    }

    /// When a clock on the wall showed this.
    fn of_wall(&mut self, local: Time) -> Option<Time> {
        match &mut self.clock {
            Some(clock) => clock.read(local, self.late),
            None => Some(local),
        }
    }

    fn like(&mut self, text: &str) -> Option<(Time, usize)> {
        let TimeFormat::Like(pieces, _) = &self.format else { return None };
        let (parts, end) = shape(pieces, text)?;
        Some((self.put_together(&parts)?, end))
    }

    fn put_together(&mut self, parts: &Parts) -> Option<Time> {
        if let Some(epoch) = parts.epoch {
            return epoch.checked_mul(SECOND)?.checked_add(parts.nanos);
        }
        let hour = match parts.afternoon {
            None => parts.hour,
            Some(_) if !(1..=12).contains(&parts.hour) => return None,
            Some(afternoon) => parts.hour % 12 + if afternoon { 12 } else { 0 },
        };
        let (month, day) = (parts.month.unwrap_or(1), parts.day.unwrap_or(1));
        // The year counts for the 29th of February only; where it is not written, it may come.
        let year = parts.year.unwrap_or(if month == 2 && day == 29 { 1972 } else { 1970 });
        if !(1..=12).contains(&month)
            || !(1..=days_in(year, month)).contains(&day)
            || hour > 23
            || parts.minute > 59
            || parts.second > 60
        {
            return None;
        }
        let of_day = hour * 3600 + parts.minute * 60 + parts.second - parts.offset.unwrap_or(0);
        let clock = of_day.checked_mul(SECOND)?.checked_add(parts.nanos)?;
        if parts.year.is_some() {
            let time = days_from_civil(year, month, day).checked_mul(DAY)?.checked_add(clock)?;
            return if parts.offset.is_some() { Some(time) } else { self.of_wall(time) };
        }
        if parts.month.is_none() {
            return Some(self.carry(clock, DAY));
        }
        if let Some(written) = self.written {
            let time = self.in_a_year(written, month, day, clock);
            return if parts.offset.is_some() { Some(time) } else { self.of_wall(time) };
        }
        self.leap |= day == 29 && month == 2;
        let year = if self.leap { 1972 } else { 1970 };
        let days = days_from_civil(year, month, day) - days_from_civil(year, 1, 1);
        let length = if self.leap { 366 } else { 365 };
        Some(self.carry(days * DAY + clock, length * DAY))
    }

    /// A date without a year in a trace that was last written at a known time: the first one is of the
    /// last year it can be of, the others follow it.
    fn in_a_year(&mut self, written: Time, month: i64, day: i64, clock: Time) -> Time {
        let of = |year| (days_from_civil(year, month, day) * DAY).saturating_add(clock);
        let latest = written.saturating_add(DAY);
        let start = || {
            let year = year_of(latest);
            if of(year) > latest { year - 1 } else { year }
        };
        let year = self.year.unwrap_or_else(start);
        let late = self.late.clamp(DAY, 180 * DAY);
        let time = match self.last {
            Time::MIN => of(year),
            last if last - of(year - 1) <= late => return of(year - 1),
            last if last - of(year) > 182 * DAY => {
                self.year = Some(year + 1);
                self.last = of(year + 1);
                return self.last;
            }
            _ => of(year),
        };
        self.year = Some(year);
        self.last = self.last.max(time);
        time
    }

    /// A time without a date, or a date without a year, continues after midnight or New Year. If it
    /// is more than half a period earlier than the last one, the next period has begun. If it is
    /// nearly a period later, it is late and belongs to the previous period: lines in the wrong
    /// order are more frequent than logs that are silent for exactly that long.
    fn carry(&mut self, time: Time, round: Time) -> Time {
        let mut carried = time + self.carried;
        let usual = if round == DAY { 300 * SECOND } else { DAY };
        let late = self.late.clamp(usual, round / 2);
        if self.last != Time::MIN && self.last - (carried - round) <= late {
            return carried - round;
        }
        if self.last != Time::MIN && self.last - carried > round / 2 {
            self.carried += round;
            carried += round;
            self.leap = false;
        }
        self.last = self.last.max(carried);
        carried
    }
}

/// The year of a time.
fn year_of(time: Time) -> i64 {
    civil_from_days(time.div_euclid(DAY)).0
}

/// A number in a unit of so many nanoseconds.
fn epoch(text: &str, unit: Time) -> Option<Time> {
    match text.parse::<i64>() {
        Ok(number) => number.checked_mul(unit),
        // The digits before and after the point are kept apart: together they have more digits than
        // a float.
        Err(_) => {
            let (whole, fraction) = text.split_once('.')?;
            let whole = whole.parse::<i64>().ok()?.checked_mul(unit)?;
            let fraction = format!("0.{fraction}").parse::<f64>().ok()?;
            let part = (fraction * unit as f64).round() as Time;
            whole.checked_add(if text.starts_with('-') { -part } else { part })
        }
    }
}

/// How long the time is that a text begins with, if it is one in that format and all that it names is
/// known.
pub(crate) fn length_of(pieces: &[Piece], text: &str) -> Option<usize> {
    let (parts, length) = shape(pieces, text)?;
    let mut times = Times::new(TimeFormat::Usual);
    (!parts.strange_zone && times.put_together(&parts).is_some()).then_some(length)
}

/// The parts of a time at the start of a text, and how long it is.
fn shape(pieces: &[Piece], text: &str) -> Option<(Parts, usize)> {
    let mut rest = Rest { text, at: 0 };
    let mut parts = Parts::default();
    for piece in pieces {
        match piece {
            Piece::Char(c) => rest.eat(*c)?,
            Piece::Blank => {
                if rest.blanks() == 0 {
                    return None;
                }
            }
            Piece::Part(part) => rest.part(*part, &mut parts)?,
        }
    }
    Some((parts, rest.at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(format: &str) -> Times {
        Times::new(TimeFormat::parse(format).unwrap())
    }

    #[test]
    fn common_formats() {
        let noon = 1_714_564_800 * SECOND;
        let cases = [
            ("clf", "01/May/2024:12:00:00 +0000", noon),
            ("clf", "01/May/2024:14:30:00 +0230", noon),
            ("%d.%m.%Y %H:%M:%S,%f", "1.5.2024  12:00:00,250", noon + SECOND / 4),
            ("%a %b %e %T %Z %Y", "Wed May  1 12:00:00 UTC 2024", noon),
            ("%F %I:%M %p", "2024-05-01 12:00 PM", noon),
            ("%m/%d/%y %H:%M", "05/01/24 12:00", noon),
            ("%Y-%m-%dT%H:%M:%S.%f%z", "2024-05-01T12:00:00.000000001Z", noon + 1),
            ("millis", "1714564800250", noon + SECOND / 4),
            ("micros", "1714564800000001", noon + 1000),
            ("nanos", "1714564800000000001", noon + 1),
            ("millis", "1714564800000.5", noon + 500_000),
            ("%s.%f", "1714564800.5", noon + SECOND / 2),
            ("rfc3339", "2024-05-01T12:00:00Z", noon),
        ];
        for (format, text, want) in cases {
            assert_eq!(times(format).text(text), Some(want), "{format}: {text}");
        }
        for (format, text) in [
            ("clf", "31/Feb/2024:12:00:00 +0000"),
            ("clf", "01/May/2024:12:00:00 +0000 "),
            ("%H:%M", "24:00"),
            ("%I:%M %p", "13:00 pm"),
            ("%H:%M:%S.%f", "12:00:00."),
            ("millis", "soon"),
        ] {
            assert_eq!(times(format).text(text), None, "{format}: {text}");
        }
    }

    #[test]
    fn formats_that_are_none() {
        for bad in ["", "iso", "%Q", "%", "%Y", "%H%"] {
            assert!(TimeFormat::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn midnight_and_new_year_are_no_way_back() {
        let mut clock = times("%T");
        assert_eq!(clock.text("23:59:59"), Some(DAY - SECOND));
        assert_eq!(clock.text("00:00:01"), Some(DAY + SECOND));
        // A little late is late, not a day later.
        assert_eq!(clock.text("00:00:00"), Some(DAY));
        let mut syslog = times("syslog");
        let before = syslog.text("Dec 31 23:59:59").unwrap();
        assert_eq!(syslog.text("Jan  1 00:00:00"), Some(before + SECOND));
        let mut syslog = times("syslog");
        let before = syslog.text("Feb 29 23:59:59").unwrap();
        assert_eq!(syslog.text("Mar  1 00:00:00"), Some(before + SECOND));
        let mut syslog = times("syslog");
        let before = syslog.text("Feb 28 23:59:59").unwrap();
        assert_eq!(syslog.text("Mar  1 00:00:00"), Some(before + SECOND));
    }

    #[test]
    fn what_comes_late_after_midnight_is_of_the_day_before() {
        let mut clock = times("%T");
        assert_eq!(clock.text("23:59:58"), Some(DAY - 2 * SECOND));
        assert_eq!(clock.text("00:00:01"), Some(DAY + SECOND));
        assert_eq!(clock.text("23:59:59"), Some(DAY - SECOND));
        assert_eq!(clock.text("00:00:03"), Some(DAY + 3 * SECOND));
        // A log may well be silent for most of a day.
        assert_eq!(clock.text("13:30:00"), Some(DAY + 48_600 * SECOND));
        let mut clock = times("%T");
        assert_eq!(clock.text("00:20:00"), Some(1200 * SECOND));
        assert_eq!(clock.text("23:50:00"), Some(DAY - 600 * SECOND));
        let mut clock = times("%T");
        clock.late = 3600 * SECOND;
        assert_eq!(clock.text("00:20:00"), Some(1200 * SECOND));
        assert_eq!(clock.text("23:50:00"), Some(-600 * SECOND));
        let mut syslog = times("syslog");
        let before = syslog.text("Dec 31 23:59:59").unwrap();
        assert_eq!(syslog.text("Jan  1 00:00:01"), Some(before + 2 * SECOND));
        assert_eq!(syslog.text("Dec 31 23:59:59"), Some(before));
        assert_eq!(syslog.text("Dec 24 00:00:00"), Some(before + SECOND + 357 * DAY));
    }

    #[test]
    fn times_that_are_none_are_noticed() {
        for (format, text, mistaken) in [
            ("rfc3339", "2024-99-01T00:00:00Z ada came", true),
            ("rfc3339", "2024-09-01 ada came", false),
            ("%T", "25:00:00 ada came", true),
            ("%T", "ada came", false),
            ("millis", "99999999999999999999999 ada", true),
        ] {
            let mut times = times(format);
            assert_eq!(times.prefix(text), None, "{text}");
            assert_eq!(times.mistaken, mistaken, "{text}");
        }
    }

    #[test]
    fn lines_begin_with_times() {
        assert_eq!(times("%T").prefix("00:00:05 ada came"), Some(5 * SECOND));
        assert_eq!(times("millis").prefix("5000 ada came"), Some(5 * SECOND));
        assert_eq!(times("%T").prefix("ada came"), None);
    }
}
