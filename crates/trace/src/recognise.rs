//! How times are written, found by looking at one of them.
//!
//! Only what can mean one thing is recognised: `05/06/2024` is the fifth of June to some and the sixth
//! of May to others, so nobody guesses. In a line of text a time must also stand where logs have their
//! times ([`places`]): a date in the middle of a message is not the time of the message.

use std::ops::Range;
use std::sync::LazyLock;

use crate::time;
use crate::times::{Piece, TimeFormat, length_of};

/// Where in a line of text the time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not known yet: all of them are tried.
    Anywhere,
    /// At the beginning, perhaps after a priority (`<34>`, `<34>1 `) or a bracket.
    Start,
    /// After the letter of a severity: `I0501 12:00:00`.
    Severity,
    /// After a word that logs begin with: a level, `17:M`, `web-1 |`.
    Label,
    /// In brackets further on: `10.0.0.7 - - [01/May/2024:12:00:00 +0000]`.
    Bracket,
    /// `audit(1714564800.123:456)`.
    Audit,
}

/// A way to write times.
struct Known {
    like: &'static str,
    /// The places where it is recognised.
    at: fn(Place) -> bool,
}

fn anywhere(_: Place) -> bool {
    true
}

fn at_start(place: Place) -> bool {
    matches!(place, Place::Start | Place::Label)
}

/// The ways that are recognised; of those that fit, the first. Seconds, RFC 3339 and its relatives are
/// not among them: they are tried first but for times that name their zone.
const KNOWN: [Known; 16] = [
    Known { like: "%d/%b/%Y:%H:%M:%S%.f %z", at: anywhere },
    Known { like: "%d/%b/%Y:%H:%M:%S%.f", at: anywhere },
    Known { like: "%Y/%m/%d %H:%M:%S%.f", at: anywhere },
    Known { like: "%d-%b-%Y %H:%M:%S%.f", at: anywhere },
    Known { like: "%d %b %Y %H:%M:%S%.f", at: anywhere },
    Known { like: "%a %b %e %H:%M:%S%.f %Y", at: anywhere },
    Known { like: "%a %b %e %H:%M:%S %Z %Y", at: anywhere },
    Known { like: "%a, %d %b %Y %H:%M:%S %z", at: anywhere },
    Known { like: "%a, %d %b %Y %H:%M:%S %Z", at: anywhere },
    Known { like: "%b %e, %Y %I:%M:%S %p", at: anywhere },
    Known { like: "%b %e %Y %H:%M:%S%.f", at: at_start },
    Known { like: "%Y%m%d %H:%M:%S%.f", at: |p| at_start(p) || p == Place::Severity },
    Known { like: "%Y%m%dT%H%M%S%.f%z", at: at_start },
    Known { like: "%b %e %H:%M:%S%.f", at: at_start },
    Known { like: "%m%d %H:%M:%S%.f", at: |p| p == Place::Severity },
    Known { like: "%H:%M:%S%.f", at: at_start },
];

/// RFC 3339 but for the offset, which is the name of a zone.
const ZONED: &str = "%Y-%m-%d %H:%M:%S%.f %Z";

/// RFC 3339 with a blank before the offset.
const OFFSET: &str = "%Y-%m-%d %H:%M:%S%.f %z";

/// What times that are recognised are like in a line, where they can have blanks.
pub const WITH_BLANKS: &str = r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d\S* [+-]\d{4}|\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d\S*?|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\S*?|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d\S* [+-]\d{4}|[A-Z][a-z]{2} +\d\d? \d\d:\d\d:\d\d\S*?|\d\d[ -][A-Z][a-z]{2}[ -]\d{4} \d\d:\d\d:\d\d\S*?|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d\d? \d\d:\d\d:\d\d\S* \d{4}|[A-Z][a-z]{2} \d\d?, \d{4} \d\d?:\d\d:\d\d [AP]M";

static FORMATS: LazyLock<Vec<(TimeFormat, &'static Known)>> = LazyLock::new(|| {
    KNOWN.iter().filter_map(|known| Some((TimeFormat::like(known.like).ok()?, known))).collect()
});

static ZONED_FORMAT: LazyLock<TimeFormat> =
    LazyLock::new(|| TimeFormat::like(ZONED).unwrap_or(TimeFormat::Usual));

static OFFSET_FORMAT: LazyLock<TimeFormat> =
    LazyLock::new(|| TimeFormat::like(OFFSET).unwrap_or(TimeFormat::Usual));

fn pieces(format: &TimeFormat) -> &[Piece] {
    match format {
        TimeFormat::Like(pieces, _) => pieces,
        _ => &[],
    }
}

/// The format of a text that is a time and nothing else.
pub fn whole(text: &str) -> Option<TimeFormat> {
    if let Some(format) = number(text) {
        return Some(format);
    }
    if time::rfc3339(text).is_some() {
        return Some(TimeFormat::Usual);
    }
    let (format, length) = dated(text, Place::Start)?;
    (length == text.len()).then_some(format)
}

/// The unit of a number that is a time. Seconds since 1970 have ten digits for the next centuries,
/// and every other unit three more: what is too large for seconds is in the unit that makes it a date.
pub fn number(text: &str) -> Option<TimeFormat> {
    if time::seconds(text).is_some() {
        return Some(TimeFormat::Usual);
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    match whole.len() {
        12..=14 => Some(TimeFormat::Epoch(1_000_000)),
        15..=17 => Some(TimeFormat::Epoch(1_000)),
        18..=19 if whole.parse::<i64>().is_ok() => Some(TimeFormat::Epoch(1)),
        _ => None,
    }
}

/// The format of the time that a text begins with, other than a number, and how long it is.
fn dated(text: &str, place: Place) -> Option<(TimeFormat, usize)> {
    let with_zone = |format: &TimeFormat| {
        let length = length_of(pieces(format), text).filter(|length| ends(text, *length))?;
        Some((format.clone(), length))
    };
    let zoned = with_zone(&ZONED_FORMAT).or_else(|| with_zone(&OFFSET_FORMAT));
    let usual = || Some((TimeFormat::Usual, time::rfc3339_prefix(text)?.1));
    let known = || {
        let mut fitting = FORMATS.iter().filter(|(_, known)| (known.at)(place));
        fitting.find_map(|(format, _)| Some((format.clone(), length_of(pieces(format), text)?)))
    };
    zoned.or_else(usual).or_else(known).filter(|(_, length)| ends(text, *length))
}

/// Whether a time may end here: what follows does not go on with it.
fn ends(text: &str, length: usize) -> bool {
    !text[length..].starts_with(|c: char| c.is_alphanumeric() || c == ':')
}

/// The format of the time of a line of text, where it is and which part of the line.
pub fn in_line(line: &str) -> Option<(TimeFormat, Place, Range<usize>)> {
    for place in [Place::Start, Place::Severity, Place::Label, Place::Audit, Place::Bracket] {
        for at in places(line, place) {
            let text = &line[at..];
            let found = match place {
                Place::Audit => since_1970(text),
                Place::Start => dated(text, place).or_else(|| since_1970(text)),
                Place::Bracket => dated(text, place)
                    .filter(|(format, _)| !format.lacks_year())
                    .or_else(|| since_boot(line, at)),
                _ => dated(text, place),
            };
            if let Some((format, length)) = found {
                return Some((format, place, at..at + length));
            }
        }
    }
    None
}

/// A number at the beginning of a text that is a date in some unit; small numbers are numbers.
fn since_1970(text: &str) -> Option<(TimeFormat, usize)> {
    let length = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let digits = text[..length].find('.').unwrap_or(length);
    let format = match digits {
        // As a number since 1970, so that a place in a line is read as a number.
        9..=10 => TimeFormat::Epoch(time::SECOND),
        12.. => number(&text[..length])?,
        _ => return None,
    };
    let follows = text[length..].chars().next();
    let may_follow = follows.is_none_or(|c| c.is_whitespace() || ":|,;])".contains(c));
    may_follow.then_some((format, length))
}

/// `[   12.345678] usb 1-1: …`: seconds since the machine was started.
fn since_boot(line: &str, at: usize) -> Option<(TimeFormat, usize)> {
    let text = line[at..].split(']').next().filter(|_| line[..at].trim() == "[")?;
    let (seconds, micros) = text.split_once('.')?;
    let is_number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    (is_number(seconds) && is_number(micros) && micros.len() == 6)
        .then_some((TimeFormat::Epoch(time::SECOND), text.len()))
}

/// The bytes of a line where a time may begin.
pub fn places(line: &str, place: Place) -> impl Iterator<Item = usize> {
    let is = |wanted| place == wanted || place == Place::Anywhere;
    let start = start(line);
    let severity = is(Place::Severity)
        && matches!(line.as_bytes(), [b'I' | b'W' | b'E' | b'F' | b'D', b'0'..=b'9', ..]);
    let brackets = match is(Place::Bracket) {
        true => line,
        false => "",
    };
    let brackets = memchr::memchr_iter(b'[', brackets.as_bytes())
        .map(move |at| at + 1 + blanks(&line[at + 1..]));
    is(Place::Start)
        .then_some(start)
        .into_iter()
        .chain(severity.then_some(1))
        .chain(is(Place::Label).then(|| after_label(line)).flatten())
        .chain(is(Place::Audit).then(|| line.find("audit(").map(|at| at + 6)).flatten())
        .chain(brackets)
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// Where a line begins, after a priority and a bracket.
fn start(line: &str) -> usize {
    let mut at = 0;
    if let Some(rest) = line.strip_prefix('<')
        && let Some((priority, rest)) = rest.split_once('>')
        && (1..=3).contains(&priority.len())
        && priority.bytes().all(|b| b.is_ascii_digit())
    {
        at = priority.len() + 2;
        if rest.starts_with("1 ") {
            at += 2;
        }
    }
    if line[at..].starts_with('[') {
        at += 1;
    }
    at
}

/// What is behind a word that logs begin with.
fn after_label(line: &str) -> Option<usize> {
    const LEVELS: [&str; 12] = [
        "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "ERR", "CRITICAL", "FATAL",
        "SEVERE", "PANIC",
    ];
    let end = line.find([' ', '\t', '|'])?;
    let word = &line[..end];
    let behind = end + blanks(&line[end..]);
    // docker compose puts the name of the service before every line.
    if let Some(rest) = line[behind..].strip_prefix('|') {
        return Some(line.len() - rest.len() + blanks(rest));
    }
    let bare = word.trim_matches(['[', ']', ':']).to_ascii_uppercase();
    let redis = word.split_once(':').is_some_and(|(pid, role)| {
        pid.bytes().all(|b| b.is_ascii_digit())
            && !pid.is_empty()
            && matches!(role, "M" | "S" | "C" | "X")
    });
    (redis || LEVELS.contains(&&*bare)).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::times::Times;

    const NOON: i64 = 1_714_564_800 * time::SECOND;

    /// When a line says it was written, and where in it that stands.
    #[track_caller]
    fn time_of(line: &str) -> Option<i64> {
        let mut times = Times::looking();
        times.begin(Some(NOON + 86_400 * time::SECOND));
        times.in_text(line).0
    }

    #[test]
    fn lines_of_many_programs() {
        let milli = 1_000_000;
        for (line, after) in [
            ("2024-05-01T12:00:00Z ada came", 0),
            ("2024-05-01 12:00:00,250 [main] INFO a.B - x", 250 * milli),
            ("2024-05-01 14:00:00.250+02:00 x", 250 * milli),
            ("2024-05-01T14:00:00.250+0200 x", 250 * milli),
            ("2024-05-01 14:00:00.250 +0200 x", 250 * milli),
            ("[2024-05-01 14:00:00 +0200] [7] [INFO] Booting worker", 0),
            ("2024-05-01 12:00:00 +1 points", 0),
            ("[2024-05-01T12:00:00Z INFO  app] started", 0),
            ("<34>1 2024-05-01T12:00:00.003Z host app 12 ID47 - text", 3 * milli),
            ("<34>May  1 12:00:00 host su[7]: text", 0),
            ("May  1 12:00:00 host sshd[7]: Failed password", 0),
            ("May 01 12:00:00.250 host x: y", 250 * milli),
            ("10.0.0.7 - ada [01/May/2024:14:00:00 +0200] \"GET / HTTP/1.1\" 200 5", 0),
            ("[01/May/2024:12:00:00 +0000] x", 0),
            ("[Wed May 01 12:00:00.250000 2024] [core:notice] [pid 1] AH00094", 250 * milli),
            ("2024/05/01 12:00:00 [error] 7#7: *1 open() failed", 0),
            ("2024/05/01 12:00:00.250000 main.go:7: x", 250 * milli),
            ("I0501 12:00:00.250000       1 main.go:7] x", 250 * milli),
            ("E20240501 12:00:00.250000 1 main.cc:7] x", 250 * milli),
            ("17:M 01 May 2024 12:00:00.250 * Ready to accept connections", 250 * milli),
            ("01-May-2024 12:00:00.250 INFO [main] org.apache.catalina.startup x", 250 * milli),
            ("May 01, 2024 12:00:00 PM a.b.C main", 0),
            ("2024-05-01 12:00:00.250 UTC [7] LOG:  ready", 250 * milli),
            ("2024-05-01 14:00:00.250 CEST [7] LOG:  ready", 250 * milli),
            ("type=SYSCALL msg=audit(1714564800.250:456): arch=c000003e", 250 * milli),
            ("1714564800.250    87 10.0.0.7 TCP_MISS/200 5 GET", 250 * milli),
            ("1714564800250 x", 250 * milli),
            ("web-1  | 2024-05-01T12:00:00Z x", 0),
            ("INFO  2024-05-01 12:00:00,250 x", 250 * milli),
            ("[INFO] 2024-05-01 12:00:00 x", 0),
            ("Wed May  1 12:00:00 UTC 2024 x", 0),
            ("20240501T120000Z x", 0),
        ] {
            assert_eq!(time_of(line), Some(NOON + after), "{line}");
        }
        let day = |line| time_of(line).map(|time| time.rem_euclid(86_400 * time::SECOND));
        assert_eq!(
            day("12:00:00.250 [main] INFO a.B - x"),
            Some(NOON % (86_400 * time::SECOND) + 250 * milli)
        );
        assert_eq!(time_of("[   12.500000] usb 1-1: new device"), Some(12_500 * milli));
    }

    #[test]
    fn what_may_mean_two_things_or_is_part_of_a_message_is_no_time() {
        for line in [
            "05/06/2024 12:00:00 x",
            "05.06.2024 12:00:00 x",
            "job scheduled for 2024-05-01 12:00:00",
            "ada came at 12:00:00",
            "17 bottles",
            "200 OK",
            "WARNING:root:disk full",
            "12:00:00:05 x",
            "Mayor 1 said hello",
            "",
        ] {
            assert_eq!(in_line(line), None, "{line}");
        }
    }

    #[test]
    fn numbers_are_in_the_unit_that_makes_them_dates() {
        for (text, time) in [
            ("12.5", 12_500_000_000),
            ("1714564800", NOON),
            ("1714564800.25", NOON + 250_000_000),
            ("1714564800250", NOON + 250_000_000),
            ("1714564800250000", NOON + 250_000_000),
            ("1714564800250000001", NOON + 250_000_001),
        ] {
            assert_eq!(Times::looking().text(text), Some(time), "{text}");
            assert_eq!(Times::looking().number(text), Some(time), "{text}");
        }
        assert_eq!(Times::looking().number("99999999999"), None);
        assert_eq!(Times::looking().text("99999999999999999999"), None);
    }

    #[test]
    fn a_trace_has_one_way_to_write_times() {
        let mut times = Times::looking();
        assert_eq!(times.number("1714564800250"), Some(NOON + 250_000_000));
        assert_eq!(times.number("12"), None);
        assert_eq!(times.text("2024-05-01T12:00:00Z"), None);
        times.begin(None);
        assert_eq!(times.text("2024-05-01T12:00:00Z"), Some(NOON));
        assert_eq!(times.text("01/May/2024:12:00:00 +0000"), None);
        let mut times = Times::looking();
        assert_eq!(
            times.in_text("May  1 12:00:00 host a: b").0,
            Some(120 * 86_400 * time::SECOND + NOON % (86_400 * time::SECOND))
        );
        assert_eq!(times.in_text("  at a.B.c(B.java:7)").0, None);
        assert!(times.written_otherwise("  at a.B.c(B.java:7)").is_none());
        assert!(times.written_otherwise("2024-05-01T12:00:00Z host a: b").is_some());
    }

    #[test]
    fn years_that_are_not_written_follow_from_the_file() {
        let mut times = Times::looking();
        // Last written on the second of January 2024.
        times.begin(Some(1_704_153_600 * time::SECOND));
        assert_eq!(times.in_text("Dec 31 23:59:59 h a: b").0, Some(1_704_067_199 * time::SECOND));
        assert_eq!(times.in_text("Jan  1 00:00:01 h a: b").0, Some(1_704_067_201 * time::SECOND));
        assert_eq!(times.in_text("Dec 31 23:59:59 h a: b").0, Some(1_704_067_199 * time::SECOND));
        let note = times.note.unwrap();
        assert!(note.contains("%b %e %H:%M:%S%.f") && note.contains("the year"), "{note}");
    }
}
