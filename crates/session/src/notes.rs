//! What is to be said about arming, for people.

use std::fmt::Write;

use watchword_native::{ArmNote, Armed, FrameLine, Program};
use watchword_view::APART;
use watchword_view::style::{Style, harmless};

/// A backtrace for people, indented.
pub fn backtrace(style: Style, frames: &[FrameLine]) -> String {
    let mut out = String::new();
    for (i, frame) in frames.iter().enumerate() {
        let line = format!("    #{i:<2} {}", harmless(&frame.to_string()));
        let _ = writeln!(out, "{}", style.dim(&line));
    }
    out
}

/// Declared events that were found nowhere in the program so far, for people.
pub fn missing(program: &mut Program) -> Vec<String> {
    let all = program.missing().into_iter();
    let mut all: Vec<String> = all
        .map(|text| format!("{}; libraries loaded later are searched, too", harmless(&text)))
        .collect();
    if !all.is_empty() && !program.has_debug_info() {
        all.push(
            "the program has no debug information: compile it with -g, do not strip it".into(),
        );
    }
    let lost = program.lost_debug_files();
    if let Some(first) = lost.first() {
        let others = match lost.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        all.push(format!(
            "debug information of the program is missing: {}{others} cannot be found; types, \
             variables and places in there are not known",
            harmless(first)
        ));
    }
    all
}

/// A note about arming, for people.
#[derive(Debug, PartialEq, Eq)]
pub enum Note {
    /// Something will not be seen as it is.
    Warning(String),
    /// What the curious want to know.
    Detail(String),
}

/// What is to be told about arming. What is so for many functions is told of one of them, unless
/// everything is wanted.
pub fn notes(notes: &[ArmNote], verbose: bool) -> Vec<Note> {
    let mut told: Vec<Note> = Vec::new();
    let mut alike: Vec<(String, Vec<String>)> = Vec::new();
    for note in notes {
        match note {
            ArmNote::Armed(armed) if verbose => told.push(Note::Detail(detail(armed))),
            ArmNote::Resident { property, stays } if verbose => {
                told.push(Note::Detail(match stays {
                    None => format!("{property}: its instances are inside the program"),
                    Some(why) => {
                        format!("{property}: its instances are in the tracer, because {why}")
                    }
                }))
            }
            ArmNote::Armed(_) | ArmNote::Resident { .. } => {}
            ArmNote::Unprivileged { program } => told.push(Note::Warning(format!(
                "{} runs without the rights of its owner: the kernel grants them to a traced \
                 program only if the tracer is root",
                harmless(&program.to_string_lossy())
            ))),
            ArmNote::Warning { event, text } => {
                let said = format!("`{event}`: {}", harmless(text));
                let kind = kind(text);
                match alike.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, all)) => all.push(said),
                    None => alike.push((kind, vec![said])),
                }
            }
        }
    }
    for (_, all) in alike {
        if verbose || all.len() <= APART {
            told.extend(all.into_iter().map(Note::Warning));
        } else {
            let more = all.len() - 1;
            told.push(Note::Warning(format!("{} (and {more} more like it; -v)", all[0])));
        }
    }
    told
}

fn detail(armed: &Armed) -> String {
    let file = armed.module.file_name().unwrap_or(armed.module.as_os_str());
    let why =
        armed.why.as_ref().map_or(String::new(), |why| format!(", because {}", harmless(why)));
    format!(
        "armed `{}` at {} ({:#x} in {}): {}{why}",
        armed.event,
        harmless(&armed.name),
        armed.address,
        file.to_string_lossy(),
        armed.how
    )
}

/// Events that were to be realised inside the program and are not, for people.
pub fn left_outside(notes: &[ArmNote]) -> Vec<String> {
    let outside = notes.iter().filter_map(|note| match note {
        ArmNote::Armed(armed) => armed.why.as_ref().map(|why| (armed, why)),
        _ => None,
    });
    let text = |(armed, why): (&Armed, &String)| {
        let name = harmless(&armed.name);
        format!(
            "`{}`: every call of {name} stops the program, because {}",
            armed.event,
            harmless(why)
        )
    };
    outside.map(text).collect()
}

/// What a note says, whatever it says it of: without names in quotes, numbers and plurals.
fn kind(text: &str) -> String {
    let outside = text.split('`').step_by(2).collect::<String>();
    let words = outside.split_whitespace();
    let words = words.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    words.map(|word| word.trim_end_matches(['s', ':', ','])).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_so_for_many_functions_is_told_once() {
        let jumps = |name: &str, n: u32| {
            let places = if n == 1 { "place" } else { "places" };
            let text = format!("`{name}` ends by jumping in {n} {places}: so be it");
            ArmNote::Warning { event: "opened".to_string(), text }
        };
        let other = ArmNote::Warning { event: "e".to_string(), text: "something".to_string() };
        let few = [jumps("a", 1), jumps("b", 2), other.clone()];
        assert_eq!(notes(&few, false).len(), 3);
        let many = [jumps("a", 1), jumps("b", 2), other, jumps("c", 1), jumps("d::e", 1)];
        let said = "`opened`: `a` ends by jumping in 1 place: so be it (and 3 more like it; -v)";
        let want = [Note::Warning(said.to_string()), Note::Warning("`e`: something".to_string())];
        assert_eq!(notes(&many, false), want);
        assert_eq!(notes(&many, true).len(), 5);
    }
}
