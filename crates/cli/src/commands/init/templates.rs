//! Logs of words: lines that say the same of different things.
//!
//! Lines of as many words, most of which are the same, are of one template; the words that differ are its
//! blanks. A blank with few different words says what happened, as in `job 7 opened` and `job 7 closed`, if
//! another blank has the same value with several of them: then each word is a template of its own. The blank
//! whose values also fill blanks of other templates is the id.

use std::collections::{BTreeMap, HashMap, HashSet};

use watchword_trace::recognise;

use super::{Kind, Seen, escaped, event_name};

/// How many lines are looked at, and how many templates are kept.
const LINES: usize = 20_000;
const MOST: usize = 200;
/// More words at the same place do not say what happened.
const VERBS: usize = 6;
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

impl Template {
    /// The blanks, by position.
    fn blanks(&self) -> impl Iterator<Item = usize> {
        let words = self.words.iter().enumerate();
        words.filter(|(_, word)| word.is_none()).map(|(at, _)| at)
    }

    /// One template for each word of the blank that says what happened; itself if none does.
    fn divided(self, lines: &[Vec<&str>]) -> Vec<Template> {
        let Some(verb) = self.blanks().find(|blank| self.tells_what(*blank, lines)) else {
            return vec![self];
        };
        let mut by_word: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for line in &self.lines {
            by_word.entry(lines[*line][verb]).or_default().push(*line);
        }
        let one = |of: Vec<usize>| {
            let first = &lines[of[0]];
            let is_same = |at: usize| of.iter().all(|line| lines[*line][at] == first[at]);
            let word = |(at, own): (usize, &Option<String>)| match own {
                None if !is_value(first[at]) && is_same(at) => Some(first[at].to_string()),
                own => own.clone(),
            };
            Template { words: self.words.iter().enumerate().map(word).collect(), lines: of }
        };
        by_word.into_values().map(one).collect()
    }

    /// Whether few words stand at a blank, and another blank has most of its values with several of them.
    fn tells_what(&self, blank: usize, lines: &[Vec<&str>]) -> bool {
        let at = |line: &usize, blank: usize| lines[*line][blank];
        let words: HashSet<&str> = self.lines.iter().map(|line| at(line, blank)).collect();
        let is_word = |word: &&str| !is_value(word) && word.contains(|c: char| c.is_alphabetic());
        let few = (2..=VERBS).contains(&words.len()) && self.lines.len() >= 2 * words.len();
        if !few || !words.iter().all(is_word) {
            return false;
        }
        self.blanks().filter(|other| *other != blank).any(|other| {
            let mut with: HashMap<&str, HashSet<&str>> = HashMap::new();
            for line in &self.lines {
                with.entry(at(line, other)).or_default().insert(at(line, blank));
            }
            let several = with.values().filter(|words| words.len() > 1).count();
            with.len() > words.len() && several * 2 >= with.len()
        })
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

/// Whether a word is a date, a time of day, or both.
fn is_time(word: &str) -> bool {
    let word = word.trim_end_matches([':', ',', '.', 'Z']);
    let is_number = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let is_clock = |text: &str| {
        let whole = text.split(['.', ',']).next().unwrap_or_default();
        let parts: Vec<&str> = whole.split(':').collect();
        (2..=3).contains(&parts.len()) && parts.iter().all(|part| is_number(part, 2))
    };
    let is_date = |text: &str| {
        let parts: Vec<&str> = text.split(['-', '/']).collect();
        parts.len() == 3 && parts.iter().all(|part| is_number(part, 4))
    };
    match word.split_once('T') {
        Some((date, clock)) => is_date(date) && is_clock(clock),
        None => is_date(word) || is_clock(word),
    }
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
    let mut templates: Vec<Template> =
        templates.into_iter().flat_map(|template| template.divided(&lines)).collect();
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
    // A time is not what something happened to.
    let is_time = |t: &Template, at: usize| t.lines.iter().all(|line| is_time(lines[*line][at]));
    let blanks = |t: &Template| t.blanks().filter(|at| !is_time(t, *at)).collect::<Vec<_>>();
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
