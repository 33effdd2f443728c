//! Values, places and numbers as people read them.

use std::fmt::Write;

use watchword_model::{EventId, Location, Model, Origin, Time, Value};
use watchword_monitor::{Cause, Report, Step};

use crate::program::Call;

/// A count as people read it: `7`, `9 120`, `310 k`, `1.2 M`.
pub fn count(n: u64) -> String {
    let scaled = |unit: f64, name: &str| {
        let x = n as f64 / unit;
        if x < 10.0 { format!("{x:.1} {name}") } else { format!("{x:.0} {name}") }
    };
    match n {
        0..1_000 => n.to_string(),
        1_000..10_000 => format!("{} {:03}", n / 1000, n % 1000),
        10_000..1_000_000 => scaled(1e3, "k"),
        1_000_000..1_000_000_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// What is said of violations some of which were in runs that were undone.
pub fn in_undone_runs(violations: u64) -> String {
    match violations {
        0 => String::new(),
        n => format!(" ({} in runs that were undone)", count(n)),
    }
}

/// A count with its noun: `1 violation`, `2 violations`, `3 classes`.
pub fn counted(n: u64, noun: &str) -> String {
    let end = match n {
        1 => "",
        _ if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {noun}{end}", count(n))
}

/// Text of an input, harmless for a terminal.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// A value, with text in quotes.
pub fn show(value: &Value) -> String {
    match value {
        Value::Str(text) => {
            let mut short: String = text.chars().take(60).collect();
            if short.len() < text.len() {
                short.push('…');
            }
            format!("{short:?}")
        }
        other => harmless(&other.to_string()),
    }
}

/// `A.java:9 in A.m`.
pub fn location(location: &Location) -> String {
    let mut text = harmless(location.file.as_deref().unwrap_or(""));
    if let Some(line) = location.line {
        let _ = write!(text, "{}{line}", if text.is_empty() { "line " } else { ":" });
    }
    if let Some(function) = &location.function {
        let _ = write!(text, "{}{}", if text.is_empty() { "" } else { " in " }, harmless(function));
    }
    text
}

/// The number of the event that a step is about; none if time passed between two events, or if the state is
/// in an object, which does not know when it changed.
pub fn number(model: &Model, step: &Step) -> Option<u64> {
    let is_event = |id: EventId| !matches!(model.events[id.index()].origin, Origin::Clock);
    (step.index > 0 && step.event.is_some_and(is_event)).then_some(step.index)
}

/// `push(q = 17, who = 3)`.
pub fn event(model: &Model, step: &Step) -> String {
    match step.event {
        Some(id) => occurrence(model, id, &step.args),
        None => "(deadline)".to_string(),
    }
}

/// The same for an event that is part of no history; any call of a program by its method:
/// `call java.util.Iterator.next(Itr@2)`.
pub fn occurrence(model: &Model, id: EventId, args: &[Value]) -> String {
    if id == EventId::END {
        return "end".to_string();
    }
    let decl = &model.events[id.index()];
    // Its name says it all: `c at 5 s`.
    if matches!(decl.origin, Origin::Clock) {
        return harmless(&decl.name);
    }
    if let Some(call) = Call::of(decl, args) {
        return harmless(&format!("{} {}", decl.name, call.text()));
    }
    let args: Vec<String> = named(model, Some(id), args)
        .map(|(name, value)| match name {
            Some(name) => format!("{name} = {}", show(value)),
            None => show(value),
        })
        .collect();
    format!("{}({})", decl.name, args.join(", "))
}

/// The arguments of a step, with the names the declaration gives them.
pub fn arguments<'a>(
    model: &'a Model,
    step: &'a Step,
) -> impl Iterator<Item = (Option<&'a str>, &'a Value)> {
    named(model, step.event, &step.args)
}

fn named<'a>(
    model: &'a Model,
    event: Option<EventId>,
    args: &'a [Value],
) -> impl Iterator<Item = (Option<&'a str>, &'a Value)> {
    let params = event.map(|id| &model.events[id.index()].params);
    args.iter()
        .enumerate()
        .map(move |(i, value)| (params.and_then(|p| p.get(i)).map(|p| p.name.as_str()), value))
}

/// Where and when a violation was found.
pub fn place(report: &Report, location: Option<&Location>) -> String {
    let mut text = match report.cause {
        Cause::Event => match location {
            Some(location) => self::location(location),
            None => format!("event {}", report.index),
        },
        Cause::Channel => "a message".to_string(),
        Cause::Time => "a deadline".to_string(),
        Cause::EndOfLife => "the end of a parameter's life".to_string(),
        Cause::End => "the end of the trace".to_string(),
    };
    // What did not come is missing after the last event that there was.
    if let (Cause::End | Cause::EndOfLife, Some(last)) = (report.cause, report.history.last())
        && let Some(place) = last.location.as_deref().or(location)
    {
        let _ = write!(text, "; its last event was at {}", self::location(place));
        if last.index > 0 {
            let _ = write!(text, " (event {})", last.index);
        }
        return text;
    }
    match report.cause {
        Cause::Event if location.is_some() => {
            let _ = write!(text, " (event {})", report.index);
        }
        Cause::Event | Cause::End => {}
        _ => {
            let _ = write!(text, " after event {}", report.index);
        }
    }
    if let Some(time) = report.time.filter(|_| report.cause == Cause::Time) {
        let _ = write!(text, ", at {}", moment(time));
    }
    text
}

/// Later times than this are taken for dates: a clock that began at zero does not run for years.
const DATES: Time = 100_000_000 * SECOND;
const SECOND: Time = 1_000_000_000;

/// A moment: a date in UTC, or seconds since the beginning; to the millisecond.
pub fn moment(time: Time) -> String {
    if time < DATES {
        return format!("{} s", decimal(time as f64 / SECOND as f64));
    }
    let (seconds, millis) = (time / SECOND, time % SECOND / 1_000_000);
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let millis = if millis == 0 { String::new() } else { format!(".{millis:03}") };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{millis}Z")
}

/// A moment of the calendar, to the minute: `2026-11-18 02:30 UTC`.
pub fn day(time: Time) -> String {
    let seconds = time.div_euclid(SECOND);
    let (year, month, day) = date(seconds.div_euclid(86_400));
    let (hour, minute) = (seconds.rem_euclid(86_400) / 3600, seconds.rem_euclid(3600) / 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// How long: `300 ms`, `5 s`, `2 min`, to three decimals.
pub fn duration(time: Time) -> String {
    const MINUTE: Time = 60 * SECOND;
    const HOUR: Time = 60 * MINUTE;
    let in_units =
        |unit: Time, name: &str| format!("{} {name}", decimal(time as f64 / unit as f64));
    match time.unsigned_abs() as Time {
        0 => "0 s".to_string(),
        1..1_000 => in_units(1, "ns"),
        1_000..1_000_000 => in_units(1_000, "µs"),
        1_000_000..SECOND => in_units(1_000_000, "ms"),
        whole if whole >= 2 * HOUR && whole % HOUR == 0 => in_units(HOUR, "h"),
        whole if whole >= 2 * MINUTE && whole % MINUTE == 0 => in_units(MINUTE, "min"),
        _ => in_units(SECOND, "s"),
    }
}

/// With at most three decimals, none of them superfluous.
fn decimal(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Year, month and day of so many days after the first of January 1970.
fn date(days: i64) -> (i64, i64, i64) {
    // Years that begin in March have their leap day at the end; 400 of them repeat.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// What brought a report about, as files write it.
pub fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Event => "event",
        Cause::Channel => "channel",
        Cause::Time => "time",
        Cause::EndOfLife => "end-of-life",
        Cause::End => "end",
    }
}

/// Events that never occurred, in words; not more than a few of them.
pub fn missed(model: &Model, events: &[EventId]) -> Option<String> {
    const NAMED: usize = 3;
    let name = |event: &EventId| format!("`{}`", model.events[event.index()].name);
    let mut names: Vec<String> = events.iter().take(NAMED).map(name).collect();
    if events.len() > NAMED {
        names.push(format!("{} more", events.len() - NAMED));
    }
    (!names.is_empty()).then(|| format!("{} never occurred", and(&names)))
}

/// Words in a row: `a`, `a and b`, `a, b and c`.
pub fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_024, "1 024"),
            (12_345, "12 k"),
            (310_000, "310 k"),
            (1_234_567, "1.2 M"),
            (45_000_000, "45 M"),
            (2_000_000_000, "2.0 G"),
        ];
        for (n, want) in cases {
            assert_eq!(count(n), want);
        }
        assert_eq!(counted(1, "event"), "1 event");
        assert_eq!(counted(2, "event"), "2 events");
    }

    #[test]
    fn times() {
        let cases = [
            (0, "0 s"),
            (7_079_536_731, "7.08 s"),
            (90 * SECOND, "90 s"),
            (951_782_400 * SECOND, "2000-02-29T00:00:00Z"),
            (1_717_401_690 * SECOND, "2024-06-03T08:01:30Z"),
            (1_735_689_599 * SECOND + 250_000_000, "2024-12-31T23:59:59.250Z"),
        ];
        for (time, want) in cases {
            assert_eq!(moment(time), want);
        }
        assert_eq!(day(1_717_401_690 * SECOND), "2024-06-03 08:01 UTC");
        assert_eq!(day(-1), "1969-12-31 23:59 UTC");
        let cases = [
            (0, "0 s"),
            (1_500, "1.5 µs"),
            (300_000_000, "300 ms"),
            (1_500_000_000, "1.5 s"),
            (60 * SECOND, "60 s"),
            (120 * SECOND, "2 min"),
            (150 * SECOND, "150 s"),
            (7_200 * SECOND, "2 h"),
        ];
        for (time, want) in cases {
            assert_eq!(duration(time), want);
        }
    }

    #[test]
    fn words_in_a_row() {
        let words = ["a", "b", "c"].map(String::from);
        assert_eq!(and(&words[..1]), "a");
        assert_eq!(and(&words[..2]), "a and b");
        assert_eq!(and(&words), "a, b and c");
    }
}
