//! Time zones: what clocks on the wall showed, and when that was.
//!
//! Reads the files of the time zone database, "TZif" (RFC 9636), and rules such as
//! `CET-1CEST,M3.5.0,M10.5.0/3` in them. Opens no files: the caller hands the bytes.

use watchword_model::Time;

use crate::time::{SECOND, civil_from_days, days_from_civil, days_in};

const DAY: i64 = 86_400;

/// A time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    name: String,
    /// Seconds east of UTC before the first change.
    first: i64,
    /// When clocks were changed, in seconds since 1970, and how far they were east of UTC from then.
    changes: Vec<(i64, i64)>,
    /// What holds after the last change.
    rule: Option<Rule>,
}

/// When clocks are changed every year.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    /// Seconds east of UTC.
    standard: i64,
    summer: Option<Summer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Summer {
    /// Seconds east of UTC.
    offset: i64,
    /// When it begins, by clocks that show standard time.
    begins: Yearly,
    /// When it ends, by clocks that show summer time.
    ends: Yearly,
}

/// A moment of every year.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Yearly {
    day: Date,
    /// Seconds after midnight; may be negative, or more than a day.
    time: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Date {
    /// The day of the year, from 1 to 365: the 29th of February is not counted.
    Julian(i64),
    /// The day of the year, from 0 to 365.
    Zero(i64),
    /// A month, a week from 1 to 5, which is the last one, and a day of the week from 0, Sunday.
    Weekday(i64, i64, i64),
}

impl Yearly {
    /// In seconds since 1970, as if the clocks showed UTC.
    fn in_year(&self, year: i64) -> i64 {
        let days = match self.day {
            Date::Julian(day) => {
                let is_later = day >= 60 && days_in(year, 2) == 29;
                days_from_civil(year, 1, 1) + day - 1 + i64::from(is_later)
            }
            Date::Zero(day) => days_from_civil(year, 1, 1) + day,
            Date::Weekday(month, week, weekday) => {
                let first = days_from_civil(year, month, 1);
                // The first of January 1970 was a Thursday.
                let until = (weekday - (first + 4)).rem_euclid(7);
                let day = until + 7 * (week - 1);
                first + if day < days_in(year, month) { day } else { day - 7 }
            }
        };
        days * DAY + self.time
    }
}

impl Rule {
    fn offset_at(&self, utc: i64) -> i64 {
        let Some(summer) = &self.summer else { return self.standard };
        let (year, _, _) = civil_from_days((utc + self.standard).div_euclid(DAY));
        let begins = summer.begins.in_year(year) - self.standard;
        let ends = summer.ends.in_year(year) - summer.offset;
        let is_summer = match begins < ends {
            true => (begins..ends).contains(&utc),
            false => !(ends..begins).contains(&utc),
        };
        if is_summer { summer.offset } else { self.standard }
    }
}

impl Zone {
    /// A zone whose clocks are never changed: `Z`, or an offset such as `+02:00`. `None` if it is none.
    pub fn fixed(name: &str) -> Option<Zone> {
        let seconds = match name {
            "Z" | "UTC" => 0,
            _ => {
                let sign = match name.as_bytes().first()? {
                    b'+' => 1,
                    b'-' => -1,
                    _ => return None,
                };
                let (hours, minutes) = match name[1..].split_once(':') {
                    Some(parts) => parts,
                    None if name.len() == 5 && name.is_ascii() => name[1..].split_at(2),
                    None => (&name[1..], "00"),
                };
                let number = |text: &str, most: i64| {
                    let is_number = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
                    text.parse().ok().filter(|n: &i64| is_number && *n <= most)
                };
                sign * (number(hours, 23)? * 3600 + number(minutes, 59)? * 60)
            }
        };
        Some(Zone { name: name.to_string(), first: seconds, changes: Vec::new(), rule: None })
    }

    /// The zone of a file of the time zone database.
    ///
    /// # Errors
    /// If the bytes are no such file: what is wrong with them.
    pub fn from_tzif(name: &str, bytes: &[u8]) -> Result<Zone, &'static str> {
        let mut bytes = Bytes(bytes);
        let mut block = Block::read(&mut bytes, 4)?;
        let mut rule = None;
        if block.version > 0 {
            // The same again with wider numbers, and a rule for the time after them.
            block = Block::read(&mut bytes, 8)?;
            let line =
                bytes.0.strip_prefix(b"\n").and_then(|rest| rest.split(|b| *b == b'\n').next());
            let line = line.and_then(|line| std::str::from_utf8(line).ok());
            let line = line.ok_or("its last line is missing")?;
            if !line.is_empty() {
                rule = Some(parse_rule(line).ok_or("its last line is no rule")?);
            }
        }
        if block.changes.windows(2).any(|two| two[0].0 >= two[1].0) {
            return Err("its changes are out of order");
        }
        Ok(Zone { name: name.to_string(), first: block.first, changes: block.changes, rule })
    }

    /// The zone that a rule such as `CET-1CEST,M3.5.0,M10.5.0/3` describes, for all times.
    pub fn from_rule(text: &str) -> Option<Zone> {
        let rule = parse_rule(text)?;
        let (first, changes) = (rule.standard, Vec::new());
        Some(Zone { name: text.to_string(), first, changes, rule: Some(rule) })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its clocks are never changed.
    pub fn is_fixed(&self) -> bool {
        self.changes.is_empty() && self.rule.as_ref().is_none_or(|rule| rule.summer.is_none())
    }

    /// How many seconds east of UTC its clocks are, at a time in seconds since 1970.
    fn offset_at(&self, utc: i64) -> i64 {
        let at = self.changes.partition_point(|(when, _)| *when <= utc);
        match (&self.rule, at.checked_sub(1)) {
            (Some(rule), _) if at == self.changes.len() => rule.offset_at(utc),
            (_, Some(before)) => self.changes[before].1,
            (_, None) => self.first,
        }
    }

    /// When clocks showed `local`, in seconds since 1970 as if they showed UTC. When they are put back,
    /// they show an hour twice: it is the first one, unless that lies before `not_before`. An hour
    /// that is left out when they are put forward is read as if they had not been.
    fn when(&self, local: i64, not_before: i64) -> i64 {
        let (before, after) = self.offsets_around(local);
        let by = |offset: i64| Some(local - offset).filter(|utc| self.offset_at(*utc) == offset);
        match (by(before), by(after)) {
            (Some(first), Some(second)) if first < not_before => second,
            (Some(first), _) => first,
            (None, Some(second)) => second,
            (None, None) => local - before,
        }
    }

    /// The offsets a day earlier and a day later.
    fn offsets_around(&self, local: i64) -> (i64, i64) {
        (self.offset_at(local - DAY), self.offset_at(local + DAY))
    }
}

/// Reads what clocks of a zone showed, one time after the other.
#[derive(Clone, Debug)]
pub struct WallClock {
    zone: Zone,
    /// The latest time so far.
    last: Time,
    /// A day on which, as on those before and after it, clocks were always so many seconds east of UTC.
    steady: Option<(i64, i64)>,
}

/// Times may come late by so much less than what clocks are put back.
const MOST_LATE: Time = 1_800 * SECOND;

impl WallClock {
    /// Clocks of that zone.
    pub fn new(zone: Zone) -> WallClock {
        WallClock { zone, last: Time::MIN, steady: None }
    }

    /// Their zone.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Whether the time that a clock shows may depend on those before it.
    pub fn remembers(&self) -> bool {
        !self.zone.is_fixed()
    }

    /// Goes on after another clock.
    pub fn go_on_from(&mut self, other: &WallClock) {
        self.last = other.last;
    }

    /// When a clock showed `local`, which is a time as if it showed UTC. Of an hour that clocks show
    /// twice it is the earlier one that times go on with, if they may come `late` by so much.
    pub fn read(&mut self, local: Time, late: Time) -> Option<Time> {
        let (seconds, nanos) = (local.div_euclid(SECOND), local.rem_euclid(SECOND));
        let day = seconds.div_euclid(DAY);
        let utc = match self.steady {
            Some((steady, offset)) if steady == day => seconds - offset,
            _ => {
                let (start, end) = (day * DAY, (day + 1) * DAY);
                let (before, _) = self.zone.offsets_around(start);
                let (_, after) = self.zone.offsets_around(end);
                // Nobody changes clocks to and fro within three days.
                self.steady = (before == after).then_some((day, before));
                let late = late.clamp(0, MOST_LATE);
                let not_before = self.last.saturating_sub(late).div_euclid(SECOND);
                self.zone.when(seconds, not_before)
            }
        };
        let time = utc.checked_mul(SECOND)?.checked_add(nanos)?;
        self.last = self.last.max(time);
        Some(time)
    }
}

/// Bytes that are being read.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, length: usize) -> Result<&'b [u8], &'static str> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("it ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn count(&mut self) -> Result<usize, &'static str> {
        self.take(4).map(|b| big_endian(b) as usize & 0xffff_ffff)
    }
}

/// A signed number of four or eight bytes.
fn big_endian(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|b| *b >= 0x80) { -1 } else { 0 };
    bytes.iter().fold(sign, |n, b| n << 8 | i64::from(*b))
}

/// A part of such a file.
struct Block {
    version: u8,
    first: i64,
    changes: Vec<(i64, i64)>,
}

impl Block {
    /// Reads one in which times have so many bytes.
    fn read(bytes: &mut Bytes<'_>, width: usize) -> Result<Block, &'static str> {
        if bytes.take(4)? != b"TZif" {
            return Err("it is no file of the time zone database");
        }
        let version = bytes.take(16)?[0];
        let [utc, standard, leaps, times, types, chars] = {
            let mut counts = [0; 6];
            for count in &mut counts {
                *count = bytes.count()?;
            }
            counts
        };
        let when = bytes.take(times.checked_mul(width).ok_or("it ends too early")?)?;
        let which = bytes.take(times)?;
        let kinds = bytes.take(types.checked_mul(6).ok_or("it ends too early")?)?;
        bytes.take(chars)?;
        bytes.take(leaps.checked_mul(width + 4).ok_or("it ends too early")?)?;
        bytes.take(standard)?;
        bytes.take(utc)?;
        let offset = |kind: usize| {
            let kind = kinds.get(6 * kind..6 * kind + 4).ok_or("a change leads to nothing")?;
            let offset = big_endian(kind);
            // RFC 9636 allows from -25 to 26 hours.
            (-90_000..=93_600).contains(&offset).then_some(offset).ok_or("an offset is too large")
        };
        let first = offset(0)?;
        let changes = when.chunks_exact(width).zip(which);
        let changes =
            changes.map(|(when, kind)| Ok((big_endian(when), offset(usize::from(*kind))?)));
        Ok(Block { version, first, changes: changes.collect::<Result<_, &'static str>>()? })
    }
}

/// A rule as POSIX has it.
fn parse_rule(text: &str) -> Option<Rule> {
    let mut rest = text;
    name(&mut rest)?;
    let standard = -clock(&mut rest, 24)?;
    if rest.is_empty() {
        return Some(Rule { standard, summer: None });
    }
    name(&mut rest)?;
    let offset = match rest.starts_with(',') {
        true => standard + 3600,
        false => -clock(&mut rest, 24)?,
    };
    let begins = yearly(&mut rest)?;
    let ends = yearly(&mut rest)?;
    rest.is_empty().then_some(Rule { standard, summer: Some(Summer { offset, begins, ends }) })
}

/// Skips the name of a zone.
fn name(rest: &mut &str) -> Option<()> {
    let length = match rest.strip_prefix('<') {
        Some(inner) => inner.find('>')? + 2,
        None => rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len()),
    };
    *rest = &rest[length..];
    (length >= 3).then_some(())
}

fn number(rest: &mut &str, most: i64) -> Option<i64> {
    let digits = rest.bytes().take(3).take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok().filter(|n| *n <= most)?;
    *rest = &rest[digits..];
    Some(number)
}

/// Hours, and perhaps minutes and seconds, with or without a sign; in seconds.
fn clock(rest: &mut &str, most: i64) -> Option<i64> {
    let sign = if rest.starts_with('-') { -1 } else { 1 };
    *rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let mut seconds = number(rest, most)? * 3600;
    for unit in [60, 1] {
        let Some(more) = rest.strip_prefix(':') else { break };
        *rest = more;
        seconds += number(rest, 59)? * unit;
    }
    Some(sign * seconds)
}

fn yearly(rest: &mut &str) -> Option<Yearly> {
    *rest = rest.strip_prefix(',')?;
    let day = if let Some(more) = rest.strip_prefix('M') {
        *rest = more;
        let month = number(rest, 12).filter(|n| *n > 0)?;
        *rest = rest.strip_prefix('.')?;
        let week = number(rest, 5).filter(|n| *n > 0)?;
        *rest = rest.strip_prefix('.')?;
        Date::Weekday(month, week, number(rest, 6)?)
    } else if let Some(more) = rest.strip_prefix('J') {
        *rest = more;
        Date::Julian(number(rest, 365).filter(|n| *n > 0)?)
    } else {
        Date::Zero(number(rest, 365)?)
    };
    let mut time = 2 * 3600;
    if let Some(more) = rest.strip_prefix('/') {
        *rest = more;
        time = clock(rest, 167)?;
    }
    Some(Yearly { day, time })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::rfc3339;

    const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

    fn seconds(text: &str) -> i64 {
        rfc3339(text).unwrap() / SECOND
    }

    /// What clocks showed one after the other, and when that was.
    fn read(zone: &Zone, times: &[(&str, &str)]) {
        let mut clock = WallClock::new(zone.clone());
        for (local, utc) in times {
            let found = clock.read(rfc3339(local).unwrap(), 0).unwrap();
            assert_eq!(found, rfc3339(utc).unwrap(), "{}: {local}", zone.name());
        }
    }

    #[test]
    fn clocks_are_put_forward_and_back() {
        let berlin = Zone::from_rule(BERLIN).unwrap();
        read(
            &berlin,
            &[
                ("2024-01-15T12:00:00", "2024-01-15T11:00:00Z"),
                ("2024-03-31T01:59:59", "2024-03-31T00:59:59Z"),
                // One second later.
                ("2024-03-31T03:00:00", "2024-03-31T01:00:00Z"),
                ("2024-03-31T12:00:00", "2024-03-31T10:00:00Z"),
                ("2024-07-15T12:00:00.25", "2024-07-15T10:00:00.25Z"),
                ("2024-10-27T01:59:59", "2024-10-26T23:59:59Z"),
                ("2024-10-27T02:00:00", "2024-10-27T00:00:00Z"),
                ("2024-10-27T02:59:59", "2024-10-27T00:59:59Z"),
                // One second later, too, and an hour later.
                ("2024-10-27T02:00:00", "2024-10-27T01:00:00Z"),
                ("2024-10-27T02:59:59", "2024-10-27T01:59:59Z"),
                ("2024-10-27T03:00:00", "2024-10-27T02:00:00Z"),
                ("2024-12-31T23:59:59", "2024-12-31T22:59:59Z"),
            ],
        );
        // A clock that showed it was not put forward.
        read(&berlin, &[("2024-03-31T02:30:00", "2024-03-31T01:30:00Z")]);
        // South of the equator it is summer when the year begins.
        let sydney = Zone::from_rule("AEST-10AEDT,M10.1.0,M4.1.0/3").unwrap();
        read(
            &sydney,
            &[
                ("2024-01-15T12:00:00", "2024-01-15T01:00:00Z"),
                ("2024-04-07T02:59:59", "2024-04-06T15:59:59Z"),
                ("2024-04-07T02:00:00", "2024-04-06T16:00:00Z"),
                ("2024-07-15T12:00:00", "2024-07-15T02:00:00Z"),
                ("2024-10-06T01:59:59", "2024-10-05T15:59:59Z"),
                ("2024-10-06T03:00:00", "2024-10-05T16:00:00Z"),
            ],
        );
    }

    #[test]
    fn what_comes_late_in_the_hour_that_is_shown_twice_is_of_the_first_one() {
        let mut clock = WallClock::new(Zone::from_rule(BERLIN).unwrap());
        let late = 5 * SECOND;
        let mut read = |text| clock.read(rfc3339(text).unwrap(), late).unwrap();
        assert_eq!(read("2024-10-27T02:30:10"), rfc3339("2024-10-27T00:30:10Z").unwrap());
        assert_eq!(read("2024-10-27T02:30:06"), rfc3339("2024-10-27T00:30:06Z").unwrap());
        assert_eq!(read("2024-10-27T02:30:00"), rfc3339("2024-10-27T01:30:00Z").unwrap());
    }

    #[test]
    fn rules_are_read_as_posix_has_them() {
        for (rule, utc, offset) in [
            ("EST5EDT,M3.2.0,M11.1.0", "2024-03-10T06:59:59Z", -5 * 3600),
            ("EST5EDT,M3.2.0,M11.1.0", "2024-03-10T07:00:00Z", -4 * 3600),
            ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "2024-07-01T00:00:00Z", -2 * 3600),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "2024-12-01T00:00:00Z", 0),
            ("XXX3EDT4,0/0,J365/23", "2024-06-01T00:00:00Z", -4 * 3600),
            ("NST3:30", "2024-06-01T00:00:00Z", -12_600),
            ("UTC0", "2024-06-01T00:00:00Z", 0),
            ("A1B,J60/0,J61/0", "2024-06-01T00:00:00Z", 1),
        ] {
            match Zone::from_rule(rule) {
                Some(zone) => assert_eq!(zone.offset_at(seconds(utc)), offset, "{rule}"),
                // Names have three letters at least.
                None => assert_eq!(rule, "A1B,J60/0,J61/0"),
            }
        }
        for bad in
            ["", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-25", "CET-1CEST,M13.1.0,M1.1.0"]
        {
            assert_eq!(Zone::from_rule(bad), None, "{bad}");
        }
    }

    #[test]
    fn offsets_are_zones() {
        for (name, seconds) in
            [("+02:00", 7200), ("-0330", -12_600), ("+05", 18_000), ("Z", 0), ("UTC", 0)]
        {
            assert_eq!(Zone::fixed(name).unwrap().first, seconds, "{name}");
        }
        for bad in ["", "2", "+2", "+24:00", "+02:60", "02:00", "+0é", "Europe/Berlin"] {
            assert_eq!(Zone::fixed(bad), None, "{bad}");
        }
    }

    /// A file with these changes and this last line.
    fn file(first: i32, changes: &[(i64, i32)], rule: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        for width in [4, 8] {
            bytes.extend(b"TZif2");
            bytes.extend([0; 15]);
            let many = changes.len() as u32;
            for count in [0, 0, 0, many, many + 1, 4] {
                bytes.extend(count.to_be_bytes());
            }
            for (when, _) in changes {
                bytes.extend(&when.to_be_bytes()[8 - width..]);
            }
            bytes.extend(1..=changes.len() as u8);
            for offset in std::iter::once(first).chain(changes.iter().map(|c| c.1)) {
                bytes.extend(offset.to_be_bytes());
                bytes.extend([0, 0]);
            }
            bytes.extend(b"ABC\0");
        }
        bytes.extend(format!("\n{rule}\n").bytes());
        bytes
    }

    #[test]
    fn files_of_the_database_are_read() {
        let summer_1980 = seconds("1980-04-06T01:00:00Z");
        let winter_1980 = seconds("1980-09-28T01:00:00Z");
        let bytes =
            file(3208, &[(-2_000_000_000, 3600), (summer_1980, 7200), (winter_1980, 3600)], BERLIN);
        let zone = Zone::from_tzif("Europe/Berlin", &bytes).unwrap();
        assert_eq!(zone.name(), "Europe/Berlin");
        assert!(!zone.is_fixed());
        assert_eq!(zone.offset_at(-2_000_000_001), 3208);
        assert_eq!(zone.offset_at(0), 3600);
        assert_eq!(zone.offset_at(summer_1980), 7200);
        assert_eq!(zone.offset_at(seconds("2024-07-15T00:00:00Z")), 7200);
        // What is cut off or damaged is refused, or is another zone.
        for length in 0..bytes.len() - 1 {
            let _ = Zone::from_tzif("cut", &bytes[..length]);
            let mut damaged = bytes.clone();
            damaged[length] ^= 0x55;
            if let Ok(zone) = Zone::from_tzif("damaged", &damaged) {
                let _ = WallClock::new(zone).read(0, 0);
            }
        }
        assert!(Zone::from_tzif("cut", &bytes[..bytes.len() / 2]).is_err());
    }
}
