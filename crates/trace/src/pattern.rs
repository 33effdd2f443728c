//! `--log-pattern`: lines of text as records with named fields.
//!
//! `{time} [{thread}] {level} {logger} - {message}`: names in braces are fields, a run of blanks is
//! any run of blanks, everything else stands for itself. `{status:\d+}` says what a field is like,
//! `{_}` leaves one out, `{{` and `}}` are braces. Between slashes, a regular expression with
//! named groups.

use regex::{CaptureLocations, Regex};

use crate::error::{Fault, Flaw};
use crate::locations::{self, Locations};
use crate::paths::{PathId, Paths};
use crate::points::Point;
use crate::record::{Raw, Record, Slot, Text};
use crate::threads::Threads;
use crate::times::Times;

/// What a field of the pattern is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Event,
    Time,
    Thread,
    Loc,
    Field(PathId),
}

/// A pattern for lines.
#[derive(Clone, Debug)]
pub struct LogPattern {
    regex: Regex,
    groups: CaptureLocations,
    roles: Vec<(usize, Role)>,
    /// The group in which `key=value` pairs are fields, too, and which fields these are.
    pairs: Option<(usize, Vec<(String, PathId)>)>,
}

/// A pattern as a regular expression, and the names of its groups. `time`: the field that has the
/// time, and what that is like.
pub fn compile(
    pattern: &str,
    time: Option<(&str, &str)>,
) -> Result<(Regex, Vec<(usize, String)>), String> {
    let bad = |e: regex::Error| format!("the pattern is not valid: {e}");
    if let Some(inner) = pattern.strip_prefix('/').and_then(|p| p.strip_suffix('/')) {
        let regex = Regex::new(inner).map_err(bad)?;
        let names = regex.capture_names().enumerate();
        let names: Vec<(usize, String)> =
            names.filter_map(|(i, n)| Some((i, n?.to_string()))).collect();
        return if names.is_empty() { Err(no_fields()) } else { Ok((regex, names)) };
    }
    let mut text = String::from("^");
    let mut names: Vec<(usize, String)> = Vec::new();
    let mut groups = 0;
    let mut chars = pattern.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '{' | '}' if chars.next_if(|(_, next)| *next == c).is_some() => {
                text.push_str(&regex::escape(&c.to_string()));
            }
            '{' => {
                // Braces inside, as in `\d{3}`, belong to the field.
                let mut depth = 1;
                let mut end = None;
                for (i, c) in chars.by_ref() {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    if depth == 0 {
                        end = Some(i);
                        break;
                    }
                }
                let Some(end) = end else {
                    return Err(format!("the `{{` at column {} is never closed", at + 1));
                };
                let field = &pattern[at + 1..end];
                let (name, like) = match field.split_once(':') {
                    Some((name, like)) => (name.trim(), like),
                    None => {
                        let name = field.trim();
                        (name, time.filter(|(time, _)| *time == name).map_or(".*?", |(_, l)| l))
                    }
                };
                let inner = Regex::new(like).map_err(|e| format!("the field `{name}`: {e}"))?;
                if name.is_empty() {
                    return Err(format!("the field at column {} has no name", at + 1));
                }
                text.push_str(&format!("({like})"));
                groups += 1;
                if name != "_" {
                    if names.iter().any(|(_, n)| n == name) {
                        return Err(format!("the field `{name}` occurs twice"));
                    }
                    names.push((groups, name.to_string()));
                }
                groups += inner.captures_len() - 1;
            }
            '}' => return Err(format!("the `}}` at column {} has no matching `{{`", at + 1)),
            c if c.is_whitespace() => {
                while chars.next_if(|(_, next)| next.is_whitespace()).is_some() {}
                text.push_str(r"\s+");
            }
            c => text.push_str(&regex::escape(&c.to_string())),
        }
    }
    text.push_str(r"\s*$");
    if names.is_empty() {
        return Err(no_fields());
    }
    Ok((Regex::new(&text).map_err(bad)?, names))
}

fn no_fields() -> String {
    "the pattern has no fields: write {name} for a field".to_string()
}

impl LogPattern {
    /// A pattern that will be asked for these fields. `time`: the field that has the time.
    pub fn new(
        pattern: &str,
        paths: &Paths,
        time: &str,
        times: &Times,
    ) -> Result<LogPattern, String> {
        let like = times.in_line();
        let (regex, names) = compile(pattern, like.as_deref().map(|like| (time, like)))?;
        let roles = names.into_iter().flat_map(|(group, name)| {
            let parts: Vec<&str> = name.split('.').collect();
            let path = paths.find(&[&name]).or_else(|| paths.find(&parts));
            let role = match name.as_str() {
                "event" => Some(Role::Event),
                name if name == time => Some(Role::Time),
                "thread" => Some(Role::Thread),
                "loc" => Some(Role::Loc),
                _ => None,
            };
            // What has a meaning of its own can be a field, too.
            let both = [role, path.map(Role::Field)];
            both.into_iter().flatten().map(move |role| (group, role))
        });
        let roles = roles.collect();
        Ok(LogPattern { groups: regex.capture_locations(), roles, regex, pairs: None })
    }

    /// The same, with the pairs in the group `message` as fields: those that are asked for.
    pub fn with_pairs(mut self, paths: &Paths) -> LogPattern {
        let group = self.regex.capture_names().position(|name| name == Some("message"));
        let asked: Vec<(String, PathId)> =
            paths.tops().map(|(k, id)| (k.to_string(), id)).collect();
        self.pairs = group.map(|group| (group, asked));
        self
    }

    /// `key=value`, where a value may stand in quotes, and values in single quotes hold further pairs.
    fn read_pairs(&self, line: &str, record: &mut Record) {
        let Some((group, asked)) = &self.pairs else { return };
        let Some((start, end)) = self.groups.get(*group) else { return };
        let mut at = start;
        while let Some(equals) = line[at..end].find('=').map(|i| at + i) {
            let key = line[at..equals].rsplit([' ', '\'', '\t']).next().unwrap_or_default();
            let from = equals + 1;
            let (from, to, next) = match line.as_bytes()[from..end].first() {
                Some(b'"') => {
                    let close = line[from + 1..end].find('"').map_or(end, |i| from + 1 + i);
                    (from + 1, close, (close + 1).min(end))
                }
                Some(b'\'') => (from, from, from + 1),
                _ => {
                    let close = line[from..end].find([' ', '\'', '\t']);
                    let close = close.map_or(end, |i| from + i);
                    (from, close, close)
                }
            };
            if let Some((_, path)) = asked.iter().find(|(name, _)| name == key)
                && matches!(record.fields[*path].raw, Raw::Missing)
                && to > from
            {
                record.fields[*path] = Slot::new(Raw::Cell(Text::of_line(from, to)), from);
            }
            at = next;
        }
    }

    /// Fills the record, which must be clear, if the line is like the pattern; whether it is. Without
    /// `times`, the time is known already.
    pub fn read(
        &mut self,
        line: &str,
        record: &mut Record,
        locations: &mut Locations,
        threads: &mut Threads,
        mut times: Option<&mut Times>,
    ) -> Result<bool, Box<Flaw>> {
        if self.regex.captures_read(&mut self.groups, line).is_none() {
            return Ok(false);
        }
        for (group, role) in &self.roles {
            let Some((start, end)) = self.groups.get(*group) else { continue };
            let (text, cell) = (&line[start..end], Text::of_line(start, end));
            match role {
                Role::Field(path) => record.fields[*path] = Slot::new(Raw::Cell(cell), start),
                _ if text.is_empty() => {}
                // syslog's way to say that it does not know.
                Role::Time if text == "-" => {}
                Role::Event => {
                    record.point = Point::EVENT;
                    record.name = cell;
                    record.name_at = start;
                }
                Role::Time => {
                    let Some(times) = &mut times else { continue };
                    record.time_at = start;
                    record.time = times.text(text);
                    if record.time.is_none() {
                        let message = format!("expected {}", times.expected());
                        return Err(Flaw::new(Fault::Field, start, message));
                    }
                }
                Role::Thread => {
                    record.thread = Some(text.parse().unwrap_or_else(|_| threads.id(text)));
                }
                Role::Loc => {
                    let known = locations.find(text);
                    let place =
                        known.unwrap_or_else(|| locations.add(text, locations::parse(text)));
                    record.location = Some(place);
                }
            }
        }
        self.read_pairs(line, record);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_end_where_the_text_goes_on() {
        let (regex, names) =
            compile(r"{time} [{thread}]   {level} {code:\d{3}} - {message}", None).unwrap();
        let names: Vec<&str> = names.iter().map(|(_, n)| n.as_str()).collect();
        assert_eq!(names, ["time", "thread", "level", "code", "message"]);
        let found = regex.captures("12:00 [a b]\tINFO  404 - no - such page ").unwrap();
        let groups: Vec<&str> = (1..=5).map(|i| &found[i]).collect();
        assert_eq!(groups, ["12:00", "a b", "INFO", "404", "no - such page"]);
        assert!(regex.captures("12:00 [a] INFO 40 - x").is_none());
    }

    #[test]
    fn braces_groups_and_regular_expressions() {
        let (regex, names) = compile("{{{a:(x|y)+}}} {b}", None).unwrap();
        assert_eq!(names, [(1, "a".to_string()), (3, "b".to_string())]);
        assert_eq!(&regex.captures("{xy} z").unwrap()[3], "z");
        let (_, names) = compile(r"/^(\S+) (?<who>\S+)$/", None).unwrap();
        assert_eq!(names, [(2, "who".to_string())]);
    }

    #[test]
    fn patterns_that_are_none() {
        for (bad, why) in [
            ("", "no fields"),
            ("plain", "no fields"),
            ("{a", "never closed"),
            ("a}", "no matching"),
            ("{a} {a}", "twice"),
            ("{}", "no name"),
            ("{a:[}", "field `a`"),
            ("/(/", "not valid"),
            ("/x/", "no fields"),
        ] {
            let error = compile(bad, None).unwrap_err();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }
}
