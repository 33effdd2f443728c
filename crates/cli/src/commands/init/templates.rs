//! Logs of words: lines that say the same of different things.
//!
//! Lines of as many words, most of which are the same, are of one template; the words that differ are its
//! blanks. The blank whose values also fill blanks of other templates is the id.

use std::collections::{HashMap, HashSet};

use watchword_trace::recognise;

use super::{Kind, Seen, event_name};

/// How many lines are looked at, and how many templates are kept.
const LINES: usize = 20_000;
const MOST: usize = 200;
/// How many of them become events.
const EVENTS: usize = 8;

/// Lines of as many words; `None` is a blank.
struct Template {
    words: Vec<Option<String>>,
    /// Lines, by number.
    lines: Vec<usize>,
}

impl Template {
    /// How many words are the same; none if too few are.
    fn fits(&self, words: &[&str]) -> Option<usize> {
        if self.words.len() != words.len() {
            return None;
        }
        let same = self.words.iter().zip(words).filter(|(own, word)| own.as_deref() == Some(word));
        let same = same.count();
        let fixed = self.words.iter().flatten().count();
        (same * 2 >= fixed.max(1) && same > 0 && same * 3 >= words.len()).then_some(same)
    }
}

/// The words of a line behind its time.
fn words(line: &str) -> Vec<&str> {
    let rest = match recognise::in_line(line) {
        Some((_, _, range)) if range.start < 4 => &line[range.end..],
        // A time of day alone.
        _ => line.trim_start_matches(|c: char| c.is_ascii_digit() || ":.,".contains(c)),
    };
    rest.split_whitespace().collect()
}

/// Whether a word is surely a value.
fn is_value(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) || word.starts_with('/') || word.contains('@')
}

/// What a log of words holds; none if nothing comes again in different lines.
pub fn look(text: &str) -> Option<Seen> {
    let lines: Vec<Vec<&str>> = text.lines().take(LINES).map(words).collect();
    let mut templates: Vec<Template> = Vec::new();
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let fitting = templates.iter().enumerate().filter_map(|(at, t)| Some((t.fits(line)?, at)));
        match fitting.max_by_key(|(same, _)| *same) {
            Some((_, at)) => {
                let template = &mut templates[at];
                for (own, word) in template.words.iter_mut().zip(line) {
                    if own.as_deref() != Some(word) {
                        *own = None;
                    }
                }
                template.lines.push(number);
            }
            None if templates.len() < MOST => {
                let word = |word: &&str| (!is_value(word)).then(|| (*word).to_string());
                let words = line.iter().map(word).collect();
                templates.push(Template { words, lines: vec![number] });
            }
            None => {}
        }
    }
    templates.retain(|t| t.words.iter().flatten().any(|w| w.contains(|c: char| c.is_alphabetic())));
    templates.sort_by_key(|template| std::cmp::Reverse(template.lines.len()));
    templates.truncate(EVENTS);
    let ids = id_blanks(&templates, &lines)?;
    let mut kinds: Vec<Kind> = Vec::new();
    let mut happened: Vec<(usize, usize, String)> = Vec::new();
    for (template, blank) in templates.iter().zip(ids) {
        let Some(blank) = blank else { continue };
        let fixed: Vec<&str> = template.words.iter().flatten().map(String::as_str).collect();
        let name = event_name(&fixed.join(" "), &kinds);
        kinds.push(Kind { name, source: pattern(template, blank) });
        let of = |line: &usize| (*line, kinds.len() - 1, lines[*line][blank].to_string());
        happened.extend(template.lines.iter().map(of));
    }
    happened.sort();
    let how = format!("{} kinds of lines contain a common id", kinds.len());
    let happened = happened.into_iter().map(|(_, kind, id)| (kind, id)).collect();
    (kinds.len() > 1).then(|| Seen { id: "id".to_string(), kinds, happened, how })
}

/// By template, the blank that is the id: that whose values most other templates have, too.
fn id_blanks(templates: &[Template], lines: &[Vec<&str>]) -> Option<Vec<Option<usize>>> {
    let blanks =
        |t: &Template| (0..t.words.len()).filter(|b| t.words[*b].is_none()).collect::<Vec<_>>();
    let mut values: HashMap<(usize, usize), HashSet<&str>> = HashMap::new();
    for (number, template) in templates.iter().enumerate() {
        for blank in blanks(template) {
            let those = template.lines.iter().map(|line| lines[*line][blank]).collect();
            values.insert((number, blank), those);
        }
    }
    let common = |a: &HashSet<&str>, b: &HashSet<&str>| a.intersection(b).count();
    let partner = |own: &HashSet<&str>, other: usize| {
        let of_other = blanks(&templates[other]).into_iter();
        let best = of_other.map(|blank| (common(own, &values[&(other, blank)]), blank)).max();
        best.filter(|(shared, blank)| {
            let smaller = own.len().min(values[&(other, *blank)].len());
            *shared > 0 && shared * 2 >= smaller
        })
    };
    let others = |own: usize| (0..templates.len()).filter(move |other| *other != own);
    let score = |(number, blank): (usize, usize)| {
        let own = &values[&(number, blank)];
        let shared: Vec<usize> = others(number)
            .filter_map(|other| partner(own, other).map(|(shared, _)| shared))
            .collect();
        (shared.len(), shared.iter().sum::<usize>())
    };
    let mut all: Vec<(usize, usize)> = values.keys().copied().collect();
    all.sort_unstable();
    let best = all.into_iter().filter(|at| values[at].len() > 1).max_by_key(|at| score(*at))?;
    if score(best).0 == 0 {
        return None;
    }
    let own = &values[&best];
    let chosen = |number: usize| match number == best.0 {
        true => Some(best.1),
        false => partner(own, number).map(|(_, blank)| blank),
    };
    Some((0..templates.len()).map(chosen).collect())
}

/// A regular expression for the lines of a template.
fn pattern(template: &Template, id: usize) -> String {
    let words: Vec<String> = template
        .words
        .iter()
        .enumerate()
        .map(|(at, word)| match word {
            _ if at == id => r"(?<id>\S+)".to_string(),
            Some(word) => escaped(word),
            None => r"\S+".to_string(),
        })
        .collect();
    // Blanks at the ends say nothing.
    let first = words.iter().position(|word| word != r"\S+").unwrap_or(0);
    let last = words.iter().rposition(|word| word != r"\S+").unwrap_or(words.len() - 1);
    format!("/{}/", words[first..=last].join(r"\s+"))
}

/// A word of which no character has a meaning in a regular expression.
fn escaped(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        if !c.is_alphanumeric() && c != '_' && c.is_ascii() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
