//! Regular expressions among name patterns: characters, `.`, `[a-z]`, `[^a-z]`, `(…)`, `|`, `*`,
//! `+`, `?`, and `\\c` for a character that means something else.

use super::Node;

/// How deep groups may nest.
const MAX_DEPTH: usize = 32;

/// The expression, if these characters between braces are `regex(…)`.
pub(super) fn inside(chars: &[char]) -> Option<&[char]> {
    let begin = ['r', 'e', 'g', 'e', 'x', '('];
    chars.strip_prefix(&begin)?.strip_suffix(&[')'])
}

/// Adds nodes that match what an expression matches; on a mistake, none.
pub(super) fn compile(chars: &[char], program: &mut Vec<Node>) -> Result<(), String> {
    let begun = program.len();
    let mut parser = Parser { chars, at: 0, depth: 0, program };
    let done = parser.alternatives().and_then(|()| match parser.peek() {
        None => Ok(()),
        Some(c) => Err(format!("there is a `{c}` that closes nothing")),
    });
    if done.is_err() {
        program.truncate(begun);
    }
    done
}

/// The characters beside a range.
pub(super) fn neighbours(from: char, to: char) -> impl Iterator<Item = char> {
    let before = (from as u32).checked_sub(1).and_then(char::from_u32);
    let after = char::from_u32(to as u32 + 1);
    before.into_iter().chain(after)
}

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
    depth: usize,
    program: &'a mut Vec<Node>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Moves the nodes from `start` on one up, and puts another there.
    fn insert(&mut self, start: usize, node: Node) {
        for moved in &mut self.program[start..] {
            match moved {
                Node::Jump(to) => *to += 1,
                Node::Split(targets) => targets.iter_mut().for_each(|to| *to += 1),
                _ => {}
            }
        }
        self.program.insert(start, node);
    }

    fn alternatives(&mut self) -> Result<(), String> {
        let split = self.program.len();
        self.program.push(Node::Split(Vec::new()));
        let mut starts = Vec::new();
        let mut ends = Vec::new();
        loop {
            starts.push(self.program.len());
            self.sequence()?;
            ends.push(self.program.len());
            self.program.push(Node::Jump(0));
            if self.peek() != Some('|') {
                break;
            }
            self.at += 1;
        }
        let after = self.program.len();
        self.program[split] = Node::Split(starts);
        for end in ends {
            self.program[end] = Node::Jump(after);
        }
        Ok(())
    }

    fn sequence(&mut self) -> Result<(), String> {
        let mut last = None;
        while let Some(c) = self.peek().filter(|c| !matches!(c, '|' | ')')) {
            self.at += 1;
            let begun = self.program.len();
            match c {
                '*' | '+' | '?' => {
                    let start = last.ok_or_else(|| {
                        format!("there is nothing before `{c}` that it could repeat")
                    })?;
                    self.repeat(start, c);
                    continue;
                }
                '.' => self.program.push(Node::AnyChar),
                '[' => self.class()?,
                '(' => self.group()?,
                '\\' => {
                    let c = self.next().ok_or("it ends in a `\\`")?;
                    self.program.push(Node::Char(c));
                }
                c => self.program.push(Node::Char(c)),
            }
            last = Some(begun);
        }
        Ok(())
    }

    /// What begins at `start` may be left out, or come again.
    fn repeat(&mut self, start: usize, sign: char) {
        self.insert(start, Node::Split(Vec::new()));
        if sign == '?' {
            self.program[start] = Node::Split(vec![start + 1, self.program.len()]);
            return;
        }
        let after = self.program.len() + 1;
        self.program.push(Node::Split(vec![start + 1, after]));
        let first = if sign == '+' { vec![start + 1] } else { vec![start + 1, after] };
        self.program[start] = Node::Split(first);
    }

    fn group(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("its groups nest too deeply".to_string());
        }
        self.alternatives()?;
        if self.next() != Some(')') {
            return Err("a group `(` is not closed by `)`".to_string());
        }
        self.depth -= 1;
        Ok(())
    }

    fn class(&mut self) -> Result<(), String> {
        let unclosed = "a class `[` is not closed by `]`";
        let negated = self.peek() == Some('^');
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        loop {
            let mut c = self.next().ok_or(unclosed)?;
            if c == ']' && !ranges.is_empty() {
                break;
            }
            if c == '\\' {
                c = self.next().ok_or(unclosed)?;
            }
            let range = self.peek() == Some('-')
                && self.chars.get(self.at + 1).is_some_and(|end| *end != ']');
            if !range {
                ranges.push((c, c));
                continue;
            }
            self.at += 1;
            let mut end = self.next().ok_or(unclosed)?;
            if end == '\\' {
                end = self.next().ok_or(unclosed)?;
            }
            if end < c {
                return Err(format!("the range `{c}-{end}` is empty"));
            }
            ranges.push((c, end));
        }
        self.program.push(Node::Class(ranges, negated));
        Ok(())
    }
}
