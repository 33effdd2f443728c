//! Name patterns: `*` any run of characters, `?` one character, `{a,b}` alternatives (nestable),
//! `{regex(…)}` what a regular expression matches.
//! Anchored at both ends. Matching takes time proportional to pattern × text, without recursion
//! over the text, so a hostile pattern cannot blow it up.

mod regex;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

/// A compiled name pattern; shown and compared as it was written.
#[derive(Clone)]
pub struct Glob {
    text: String,
    /// Alternatives expanded into branches of a small NFA.
    program: Vec<Node>,
    reading: Reading,
}

/// How a text is matched: most patterns are a name or a few.
#[derive(Clone)]
enum Reading {
    /// It is the pattern itself.
    Itself,
    /// It is one of some, which are in order, or begins like one of others, and the program reads on at a node.
    Begun(Arc<Beginnings>),
    /// The program reads all of it.
    Nodes,
}

/// The alternatives of a pattern, up to the first character that is not a plain one.
struct Beginnings {
    whole: Vec<String>,
    open: Vec<(String, usize)>,
}

#[derive(Clone, Debug)]
enum Node {
    Char(char),
    AnyChar,
    /// A character in one of these ranges; in none of them, if the flag is set.
    Class(Vec<(char, char)>, bool),
    /// Stay here on any character, or go on.
    AnyRun,
    /// Go on at each of these.
    Split(Vec<usize>),
    Jump(usize),
    Accept,
}

impl Glob {
    /// Compiles a pattern. Unbalanced braces and commas outside braces are ordinary characters.
    pub fn new(text: &str) -> Glob {
        let chars: Vec<char> = text.chars().collect();
        let mut program = Vec::new();
        compile(&chars, &mut program);
        program.push(Node::Accept);
        let reading = Reading::of(&program);
        Glob { text: text.to_string(), program, reading }
    }

    /// A pattern of exactly one name.
    pub fn literal(name: &str) -> Glob {
        let mut program: Vec<Node> = name.chars().map(Node::Char).collect();
        program.push(Node::Accept);
        Glob { text: name.to_string(), program, reading: Reading::Itself }
    }

    /// Why a pattern is not what it seems to be: an expression in `{regex(…)}` that is none. It
    /// would match its own characters.
    ///
    /// # Errors
    /// A sentence about the first mistake.
    pub fn check(text: &str) -> Result<(), String> {
        let chars: Vec<char> = text.chars().collect();
        for open in (0..chars.len()).filter(|at| chars[*at] == '{') {
            if let Some((_, end)) = alternatives(&chars, open)
                && let Some(expression) = regex::inside(&chars[open + 1..end])
            {
                regex::compile(expression, &mut Vec::new())?;
            }
        }
        Ok(())
    }

    /// The pattern as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern is a plain name that matches only itself.
    pub fn is_literal(&self) -> bool {
        matches!(self.reading, Reading::Itself)
    }

    /// Whether the pattern matches all of `text`.
    pub fn matches(&self, text: &str) -> bool {
        match &self.reading {
            Reading::Itself => text == self.text,
            Reading::Begun(beginnings) => {
                let Beginnings { whole, open } = &**beginnings;
                let is_rest = |(beginning, node): &(String, usize)| {
                    let rest = text.strip_prefix(beginning.as_str());
                    rest.is_some_and(|rest| self.reads(*node, rest))
                };
                whole.binary_search_by(|name| name.as_str().cmp(text)).is_ok()
                    || open.iter().any(is_rest)
            }
            Reading::Nodes => self.reads(0, text),
        }
    }

    /// Whether the program accepts a text from a node on.
    fn reads(&self, node: usize, text: &str) -> bool {
        // `*` at the end.
        if let Node::AnyRun = self.program[node]
            && self.is_end(node + 1)
        {
            return true;
        }
        match self.program.len() <= u128::BITS as usize {
            true => self.reads_in_bits(node, text),
            false => self.after(node, text)[self.program.len() - 1],
        }
    }

    /// Whether nothing is left to read at a node.
    fn is_end(&self, mut node: usize) -> bool {
        while let Node::Jump(to) = &self.program[node] {
            if *to <= node {
                return false;
            }
            node = *to;
        }
        matches!(self.program[node], Node::Accept)
    }

    /// The same as `reads`, without memory of its own: a bit is a node at which one can be.
    fn reads_in_bits(&self, node: usize, text: &str) -> bool {
        let mut here = 1 << node;
        for c in text.chars() {
            let mut next = 0;
            self.each(here, |at, node| match node {
                Node::Char(expected) if *expected == c => next |= 2 << at,
                Node::AnyChar => next |= 2 << at,
                Node::Class(ranges, negated) if is_in(ranges, c) != *negated => next |= 2 << at,
                Node::AnyRun => next |= 1 << at,
                _ => {}
            });
            if next == 0 {
                return false;
            }
            here = next;
        }
        let mut accepts = false;
        self.each(here, |_, node| accepts |= matches!(node, Node::Accept));
        accepts
    }

    /// Calls a function for the nodes at which one is, and for those to which one gets without reading.
    fn each(&self, here: u128, mut visit: impl FnMut(u32, &Node)) {
        let (mut todo, mut seen) = (here, 0);
        while todo != 0 {
            let at = todo.trailing_zeros();
            seen |= 1 << at;
            let node = &self.program[at as usize];
            visit(at, node);
            let on: u128 = match node {
                Node::AnyRun => 2 << at,
                Node::Split(targets) => targets.iter().fold(0, |bits, to| bits | 1 << to),
                Node::Jump(to) => 1 << to,
                _ => 0,
            };
            todo = (todo | on) & !seen;
        }
    }

    /// Whether the pattern matches some text that begins with `text`.
    pub fn may_begin(&self, text: &str) -> bool {
        self.after(0, text).contains(&true)
    }

    /// A shortest text that the pattern matches; none if it matches none.
    pub fn shortest(&self) -> Option<String> {
        // Nodes in the order of the characters that lead to them, each with the first such text.
        let mut texts: Vec<Option<String>> = vec![None; self.program.len()];
        let mut todo = VecDeque::from([(0, String::new())]);
        while let Some((at, text)) = todo.pop_front() {
            if texts[at].is_some() {
                continue;
            }
            texts[at] = Some(text.clone());
            let reads = match &self.program[at] {
                Node::Accept => return Some(text),
                Node::AnyRun => {
                    todo.push_front((at + 1, text));
                    continue;
                }
                Node::Split(targets) => {
                    targets.iter().rev().for_each(|to| todo.push_front((*to, text.clone())));
                    continue;
                }
                Node::Jump(to) => {
                    todo.push_front((*to, text));
                    continue;
                }
                Node::Char(c) => Some(*c),
                Node::AnyChar => Some('a'),
                Node::Class(ranges, false) => ranges.first().map(|(from, _)| *from),
                Node::Class(ranges, true) => {
                    let is_free = |c: &char| !ranges.iter().any(|(a, b)| (*a..=*b).contains(c));
                    ('a'..=char::MAX).find(is_free)
                }
            };
            todo.extend(reads.map(|c| (at + 1, text + &c.to_string())));
        }
        None
    }

    /// Where in the pattern one is before reading anything. With [`Glob::step`] and
    /// [`Glob::accepts`] several patterns can be read side by side.
    pub fn begin(&self) -> Places {
        let mut marked = vec![false; self.program.len()];
        self.close(0, &mut marked);
        places(&marked)
    }

    /// Where one is after reading one more character.
    pub fn step(&self, from: &Places, c: char) -> Places {
        let mut marked = vec![false; self.program.len()];
        for at in &from.0 {
            self.read(*at, c, &mut marked);
        }
        places(&marked)
    }

    /// Whether the pattern matches what was read.
    pub fn accepts(&self, at: &Places) -> bool {
        at.0.last() == Some(&(self.program.len() - 1))
    }

    /// Characters the pattern tells apart: of those that are not among them, each does as well as
    /// any other.
    pub fn alphabet(&self, letters: &mut BTreeSet<char>) {
        for node in &self.program {
            match node {
                Node::Char(c) => {
                    letters.insert(*c);
                }
                // A range ends where the next character is another matter.
                Node::Class(ranges, _) => {
                    for (from, to) in ranges {
                        letters.extend([*from, *to]);
                        letters.extend(regex::neighbours(*from, *to));
                    }
                }
                _ => {}
            }
        }
    }

    /// Where in the pattern one can be after reading `text` from a node on.
    fn after(&self, node: usize, text: &str) -> Vec<bool> {
        let mut current = vec![false; self.program.len()];
        let mut next = vec![false; self.program.len()];
        self.close(node, &mut current);
        for c in text.chars() {
            next.fill(false);
            let mut alive = false;
            for at in (0..self.program.len()).filter(|at| current[*at]) {
                alive |= self.read(at, c, &mut next);
            }
            std::mem::swap(&mut current, &mut next);
            if !alive {
                break;
            }
        }
        current
    }

    /// Marks where one can be after reading a character at a node; answers whether one can.
    fn read(&self, at: usize, c: char, marked: &mut [bool]) -> bool {
        let next = match &self.program[at] {
            Node::Char(expected) if *expected == c => at + 1,
            Node::AnyChar => at + 1,
            Node::Class(ranges, negated) if is_in(ranges, c) != *negated => at + 1,
            Node::AnyRun => at,
            _ => return false,
        };
        self.close(next, marked);
        true
    }

    /// Marks what is reachable from `start` without consuming a character.
    fn close(&self, start: usize, marked: &mut [bool]) {
        let mut todo = vec![start];
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut marked[at], true) {
                continue;
            }
            match &self.program[at] {
                Node::AnyRun => todo.push(at + 1),
                Node::Split(targets) => todo.extend(targets),
                Node::Jump(target) => todo.push(*target),
                _ => {}
            }
        }
    }
}

/// Whether a character is in one of some ranges.
fn is_in(ranges: &[(char, char)], c: char) -> bool {
    ranges.iter().any(|(from, to)| (*from..=*to).contains(&c))
}

/// The alternatives of a pattern are listed if there are at most so many.
const MAX_LISTED: usize = 64;

impl Reading {
    fn of(program: &[Node]) -> Reading {
        if program.iter().all(|node| matches!(node, Node::Char(_) | Node::Accept)) {
            return Reading::Itself;
        }
        match beginnings(program) {
            Some(beginnings) => Reading::Begun(Arc::new(beginnings)),
            None => Reading::Nodes,
        }
    }
}

/// How the texts begin that a program matches; `None` if there are too many ways.
fn beginnings(program: &[Node]) -> Option<Beginnings> {
    let mut found = Beginnings { whole: Vec::new(), open: Vec::new() };
    let mut todo = vec![(0, String::new())];
    while let Some((mut at, mut text)) = todo.pop() {
        loop {
            match &program[at] {
                Node::Char(c) => {
                    text.push(*c);
                    at += 1;
                }
                Node::Jump(to) if *to > at => at = *to,
                Node::Split(targets) if targets.iter().all(|to| *to > at) => {
                    let (first, others) = targets.split_first()?;
                    todo.extend(others.iter().map(|to| (*to, text.clone())));
                    at = *first;
                }
                Node::Accept => {
                    found.whole.push(text);
                    break;
                }
                _ => {
                    found.open.push((text, at));
                    break;
                }
            }
        }
        if found.whole.len() + found.open.len() + todo.len() > MAX_LISTED {
            return None;
        }
    }
    found.whole.sort_unstable();
    Some(found)
}

/// Where in a pattern one can be, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Places(Vec<usize>);

impl Places {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

fn places(marked: &[bool]) -> Places {
    Places(marked.iter().enumerate().filter(|(_, m)| **m).map(|(at, _)| at).collect())
}

/// How deep braces may nest before they are ordinary characters.
const MAX_DEPTH: usize = 32;

fn compile(chars: &[char], program: &mut Vec<Node>) {
    compile_at(chars, program, 0);
}

fn compile_at(chars: &[char], program: &mut Vec<Node>, depth: usize) {
    let mut i = 0;
    while i < chars.len() {
        match chars[i] {
            '*' => program.push(Node::AnyRun),
            '?' => program.push(Node::AnyChar),
            '{' if depth < MAX_DEPTH => {
                if let Some((parts, end)) = alternatives(chars, i) {
                    if let Some(expression) = regex::inside(&chars[i + 1..end])
                        && regex::compile(expression, program).is_ok()
                    {
                        i = end + 1;
                        continue;
                    }
                    let split = program.len();
                    program.push(Node::Split(Vec::new()));
                    let mut starts = Vec::new();
                    let mut jumps = Vec::new();
                    for (from, to) in parts {
                        starts.push(program.len());
                        compile_at(trim(&chars[from..to]), program, depth + 1);
                        jumps.push(program.len());
                        program.push(Node::Jump(0));
                    }
                    let after = program.len();
                    program[split] = Node::Split(starts);
                    for jump in jumps {
                        program[jump] = Node::Jump(after);
                    }
                    i = end;
                } else {
                    program.push(Node::Char('{'));
                }
            }
            c => program.push(Node::Char(c)),
        }
        i += 1;
    }
}

/// The ranges between the braces that open at `open`, and where they close.
fn alternatives(chars: &[char], open: usize) -> Option<(Vec<(usize, usize)>, usize)> {
    let mut depth = 0usize;
    let mut parts = Vec::new();
    let mut from = open + 1;
    for (i, c) in chars.iter().enumerate().skip(open) {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    parts.push((from, i));
                    return Some((parts, i));
                }
            }
            ',' if depth == 1 => {
                parts.push((from, i));
                from = i + 1;
            }
            _ => {}
        }
    }
    None
}

fn trim(chars: &[char]) -> &[char] {
    let start = chars.iter().position(|c| !c.is_whitespace()).unwrap_or(chars.len());
    let end = chars.iter().rposition(|c| !c.is_whitespace()).map_or(start, |e| e + 1);
    &chars[start..end]
}

impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Glob({:?})", self.text)
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Glob {
    fn eq(&self, other: &Glob) -> bool {
        self.text == other.text
    }
}

impl Eq for Glob {}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn globs() {
        let yes = [
            ("next", "next"),
            ("*", ""),
            ("*", "abc"),
            ("a*c", "abbc"),
            ("a?c", "abc"),
            ("{add,remove}", "remove"),
            ("{add, remove}All", "removeAll"),
            ("x{a{b,c},d}y", "xacy"),
            ("*.{Iterator,List*}.*", "java.util.ListIterator.next"),
            ("{a", "{a"),
            ("a,b", "a,b"),
        ];
        for (pattern, text) in yes {
            assert!(Glob::new(pattern).matches(text), "{pattern} should match {text}");
        }
        let no = [
            ("next", "hasNext"),
            ("next", "nextInt"),
            ("a?c", "ac"),
            ("{add,remove}", "addremove"),
            ("a*c", "ab"),
            ("", "a"),
        ];
        for (pattern, text) in no {
            assert!(!Glob::new(pattern).matches(text), "{pattern} should not match {text}");
        }
    }

    #[test]
    fn expressions_among_globs() {
        let yes = [
            ("{regex([a-z]+)}", "abc"),
            ("java.{regex([a-z]+)}.*", "java.util.List"),
            ("{x,{regex(a|bc)}}y", "bcy"),
            ("{regex((ab)*c?)}", "abab"),
            ("{regex([^.]+)}.m", "Ab1.m"),
            ("{regex(a,b)}", "a,b"),
            ("{regex(\\.\\))}", ".)"),
            ("{regex([a)}", "regex([a)"),
        ];
        for (pattern, text) in yes {
            assert!(Glob::new(pattern).matches(text), "{pattern} should match {text}");
        }
        for (pattern, text) in [
            ("{regex([a-z]+)}", ""),
            ("{regex([a-z]+)}", "aB"),
            ("{regex((ab)*c?)}", "aba"),
            ("{regex([^.]+)}.m", "a.b.m"),
        ] {
            assert!(!Glob::new(pattern).matches(text), "{pattern} should not match {text}");
        }
        assert!(Glob::check("a{b,{regex(c+)}}").is_ok());
        assert!(Glob::check("{regex([a)}").is_err());
        assert!(Glob::new("{regex([a-z]+)}.x").may_begin("abc"));
        assert!(!Glob::new("{regex([a-z]+)}.x").may_begin("A"));
    }

    #[test]
    fn shortest_texts_are_matched_and_none_is_shorter() {
        for (pattern, length) in [
            ("", 0),
            ("abc", 3),
            ("*", 0),
            ("?*?", 2),
            ("{java,javax,sun,com.sun}.*", 4),
            ("{a,}{bc,d}", 1),
            ("{regex([^a-z]+[0-9][0-9])}*x", 4),
        ] {
            let glob = Glob::new(pattern);
            let text = glob.shortest().unwrap();
            assert!(glob.matches(&text), "{pattern}: {text}");
            assert_eq!(text.chars().count(), length, "{pattern}: {text}");
        }
        assert_eq!(Glob::new("{regex([^a-zA-Z0-9])}").shortest().unwrap().chars().count(), 1);
    }

    /// However a text is read, the answer is that of the program.
    #[test]
    fn all_ways_to_read_agree() {
        let texts =
            ["", "a", "b", "ab", "abc", "ac", "java.util.List", "x.y", "}", "aé", "é", "regex"];
        for pattern in [
            "a",
            "{a,b}",
            "{a,b}{c,}",
            "{,a}",
            "{ab,ab}c",
            "java.{util,io}.{List,{Set, Map}}",
            "*",
            "a*",
            "{a*,?}",
            "?é",
            "{regex(a|b)}",
            "{regex((ab)*c?)}",
            "{regex([^x]+)}*",
            "{a{b{c,d}}}",
            "{a,b",
            "a{*,b}",
            "{a*b*,ab}",
            "{a{*}c,x}",
        ] {
            let glob = Glob::new(pattern);
            let shortest = glob.shortest();
            for text in texts.iter().copied().chain(shortest.as_deref()) {
                let expected = glob.after(0, text)[glob.program.len() - 1];
                assert_eq!(glob.matches(text), expected, "{pattern}: {text}");
                assert_eq!(glob.reads_in_bits(0, text), expected, "{pattern}: {text}");
            }
        }
        // More nodes than a number has bits; more alternatives than are listed.
        for count in [40, 200] {
            let many = Glob::new(&format!("{{{}, set*x}}", vec!["name"; count].join(",")));
            assert!(many.program.len() > 128, "{count}");
            assert!(many.matches("name") && many.matches("set1x") && many.matches("setx"));
            assert!(!many.matches("names") && !many.matches("set") && !many.matches("nam"));
        }
    }

    #[test]
    fn beginnings() {
        for text in ["", "java.", "java.util.", "java.util.Set.add"] {
            assert!(Glob::new("java.{util,io}.*").may_begin(text), "{text}");
        }
        for text in ["javax.", "java.net."] {
            assert!(!Glob::new("java.{util,io}.*").may_begin(text), "{text}");
        }
    }

    #[test]
    fn hostile_patterns_stay_cheap() {
        let stars = "a*".repeat(200);
        assert!(!Glob::new(&stars).matches(&"b".repeat(2000)));
        assert!(!Glob::new(&"{".repeat(5000)).matches("x"));
        let nested = format!("{}a{}", "{".repeat(5000), "}".repeat(5000));
        let _ = Glob::new(&nested).matches("a");
    }
}
