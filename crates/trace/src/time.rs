//! Times in traces: seconds as a decimal number, or RFC 3339.

use watchword_model::Time;

/// Nanoseconds of a second.
pub const SECOND: Time = 1_000_000_000;

/// A decimal number of seconds, exactly: a float would lose nanoseconds of today's dates.
/// `None` if it is not a number or does not fit.
pub fn seconds(text: &str) -> Option<Time> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if digits.bytes().any(|b| matches!(b, b'e' | b'E')) {
        let value: f64 = text.parse().ok()?;
        let nanos = value * SECOND as f64;
        return (nanos.abs() < 9.2e18).then_some(nanos as Time);
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut nanos: Time = 0;
    for i in 0..9 {
        let digit = fraction.as_bytes().get(i).map_or(0, |b| b - b'0');
        nanos = nanos * 10 + Time::from(digit);
    }
    let whole: Time = whole.parse().ok()?;
    let total = whole.checked_mul(SECOND)?.checked_add(nanos)?;
    Some(if negative { -total } else { total })
}

/// An RFC 3339 date and time, as nanoseconds since 1970. A space may stand for the `T`, a comma
/// for the point, and the offset may be missing (then it is UTC): logs do that.
pub fn rfc3339(text: &str) -> Option<Time> {
    let (time, used) = rfc3339_prefix(text)?;
    (used == text.len()).then_some(time)
}

/// An RFC 3339 date and time at the start of a text, and how long it is.
pub fn rfc3339_prefix(text: &str) -> Option<(Time, usize)> {
    dated_prefix(text).map(|dated| (dated.time, dated.length))
}

/// A date and time at the start of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dated {
    pub time: Time,
    pub length: usize,
    /// How far it is from UTC is written; if not, `time` is as if it were UTC.
    pub has_offset: bool,
}

/// As [`rfc3339_prefix`], and whether the offset is written.
pub(crate) fn dated_prefix(text: &str) -> Option<Dated> {
    let b = text.as_bytes();
    let number = |from: usize, len: usize| -> Option<i64> {
        let digits = b.get(from..from + len)?;
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| digits.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    };
    let is = |at: usize, set: &[u8]| b.get(at).is_some_and(|c| set.contains(c));
    let year = number(0, 4)?;
    let month = number(5, 2)?;
    let day = number(8, 2)?;
    if !(is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":")) {
        return None;
    }
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    if !(1..=12).contains(&month)
        || !(1..=days_in(year, month)).contains(&day)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return None;
    }
    let mut at = 19;
    let mut nanos = 0;
    if is(at, b".,") && b.get(at + 1).is_some_and(u8::is_ascii_digit) {
        at += 1;
        let mut scale = SECOND / 10;
        while let Some(digit) = b.get(at).filter(|c| c.is_ascii_digit()) {
            nanos += i64::from(digit - b'0') * scale;
            scale /= 10;
            at += 1;
        }
    }
    let mut offset = 0;
    let has_offset = is(at, b"Zz+-");
    if is(at, b"Zz") {
        at += 1;
    } else if is(at, b"+-") {
        let sign = if b[at] == b'-' { -1 } else { 1 };
        let hours = number(at + 1, 2)?;
        let colon = usize::from(is(at + 3, b":"));
        let minutes = number(at + 3 + colon, 2)?;
        if hours > 23 || minutes > 59 {
            return None;
        }
        offset = sign * (hours * 3600 + minutes * 60);
        at += 5 + colon;
    }
    let days = days_from_civil(year, month, day);
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset;
    let time = seconds.checked_mul(SECOND)?.checked_add(nanos)?;
    Some(Dated { time, length: at, has_offset })
}

/// Whether a text begins with the digits and signs of a date and a time.
pub(super) fn looks_like_date(text: &str) -> bool {
    let like = |(b, p): (u8, u8)| match p {
        b'0' => b.is_ascii_digit(),
        b'T' => matches!(b, b'T' | b't' | b' '),
        p => b == p,
    };
    text.len() >= 19 && text.bytes().zip(*b"0000-00-00T00:00:00").all(like)
}

pub(super) fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01. Counts years from March, so that the leap day is the last of a year.
pub(super) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let era_days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    era_days + day_of_year - 719_468
}

/// Year, month and day of a day since 1970-01-01.
pub(super) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    // Too early by less than two years, within the range of times.
    let mut year = 1969 + days.div_euclid(366);
    while days_from_civil(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days_from_civil(year, month + 1, 1) <= days {
        month += 1;
    }
    (year, month, days - days_from_civil(year, month, 1) + 1)
}

/// A time as RFC 3339 has it, in UTC, to the nanosecond.
pub fn to_rfc3339(time: Time) -> String {
    let (days, rest) = (time.div_euclid(86_400 * SECOND), time.rem_euclid(86_400 * SECOND));
    let (year, month, day) = civil_from_days(days);
    let (seconds, nanos) = (rest / SECOND, rest % SECOND);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanos:09}Z")
}

/// A duration as flags take it: `5s`, `250ms`, `2 min`, `1h`.
pub fn duration(text: &str) -> Option<Time> {
    let text = text.trim();
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit_at);
    let number = seconds(number.trim())?;
    if number < 0 {
        return None;
    }
    match unit {
        "ns" => Some(number / SECOND),
        "us" => Some(number / 1_000_000),
        "ms" => Some(number / 1_000),
        "s" => Some(number),
        "min" | "m" => number.checked_mul(60),
        "h" => number.checked_mul(3600),
        "d" => number.checked_mul(86_400),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_they_are_read() {
        for time in [0, 1, -1, 1_714_564_800_250_000_001, 951_782_399_999_999_999, i64::MAX / 2] {
            assert_eq!(rfc3339(&to_rfc3339(time)), Some(time), "{}", to_rfc3339(time));
        }
    }

    #[test]
    fn seconds_keep_nanoseconds() {
        assert_eq!(seconds("1700000000.123456789"), Some(1_700_000_000_123_456_789));
        assert_eq!(seconds("-0.5"), Some(-SECOND / 2));
        assert_eq!(seconds("3"), Some(3 * SECOND));
        assert_eq!(seconds("1e3"), Some(1000 * SECOND));
        assert_eq!(seconds("1.0000000019"), Some(SECOND + 1));
        for bad in ["", "-", ".5", "1x", "99999999999", "1e300"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }

    #[test]
    fn dates() {
        let cases = [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-02T00:00:00.5Z", 86_400 * SECOND + SECOND / 2),
            ("2000-02-29T12:00:00+01:00", 951_822_000 * SECOND),
            ("2000-02-29 11:00:00,250", 951_822_000 * SECOND + SECOND / 4),
            ("1969-12-31t23:59:59z", -SECOND),
            ("2024-12-31T23:59:60Z", 1_735_689_600 * SECOND),
            ("2024-03-01T00:00:00-0030", 1_709_253_000 * SECOND),
        ];
        for (text, want) in cases {
            assert_eq!(rfc3339(text), Some(want), "{text}");
        }
        for bad in [
            "",
            "2023-02-29T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01",
            "2024-01-01T00:00:00Zx",
            "2024-01-01T00:00:00+1",
            "9999-12-31T00:00:00Z",
        ] {
            assert_eq!(rfc3339(bad), None, "{bad}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(duration("5s"), Some(5 * SECOND));
        assert_eq!(duration("1.5 ms"), Some(1_500_000));
        assert_eq!(duration("2 min"), Some(120 * SECOND));
        assert_eq!(duration("5"), None);
        assert_eq!(duration("-1s"), None);
        assert_eq!(duration("5 parsecs"), None);
    }
}
