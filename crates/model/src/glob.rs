//! Name patterns: `*` any run of characters, `?` one character, `{a,b}` alternatives (nestable).
//! Anchored at both ends. Matching takes time proportional to pattern × text, without recursion
//! over the text, so a hostile pattern cannot blow it up.

use std::fmt;

/// A compiled name pattern; shown and compared as it was written.
#[derive(Clone)]
pub struct Glob {
    text: String,
    /// Alternatives expanded into branches of a small NFA.
    program: Vec<Node>,
}

#[derive(Clone, Debug)]
enum Node {
    Char(char),
    AnyChar,
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
        Glob { text: text.to_string(), program }
    }

    /// The pattern as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern is a plain name that matches only itself.
    pub fn is_literal(&self) -> bool {
        self.program.iter().all(|n| matches!(n, Node::Char(_) | Node::Accept))
    }

    /// Whether the pattern matches all of `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.after(text)[self.program.len() - 1]
    }

    /// Whether the pattern matches some text that begins with `text`.
    pub fn may_begin(&self, text: &str) -> bool {
        self.after(text).contains(&true)
    }

    /// Where in the pattern one can be after reading `text`.
    fn after(&self, text: &str) -> Vec<bool> {
        let mut current = vec![false; self.program.len()];
        let mut next = vec![false; self.program.len()];
        self.close(0, &mut current);
        for c in text.chars() {
            next.fill(false);
            for (at, node) in self.program.iter().enumerate().filter(|(at, _)| current[*at]) {
                match node {
                    Node::Char(expected) if *expected == c => self.close(at + 1, &mut next),
                    Node::AnyChar => self.close(at + 1, &mut next),
                    Node::AnyRun => self.close(at, &mut next),
                    _ => {}
                }
            }
            std::mem::swap(&mut current, &mut next);
        }
        current
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
