//! Regular expressions of names, as OCaml's `Str` writes them, turned into globs.
//!
//! In `Str`, groups are `\(…\)`, alternatives `\|`; `.`, `*`, `+`, `?`, `[…]`, `^` and `$` mean
//! what they usually do, and parentheses and bars without a backslash stand for themselves. Names
//! of methods, types and annotations need little of it: literal text, any character, any run of
//! characters, alternatives, optional parts, small classes. All of that a glob can express; other
//! repetitions and classes stand in it as `{regex(…)}`. What is no regular language, or has no
//! meaning in a name, is refused.

/// A regular expression that no glob expresses, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoGlob(pub String);

/// Where an expression must match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The whole text.
    Both,
    /// The beginning of the text; the end too, if the expression ends in `$`.
    Start,
}

/// The glob that matches what the expression matches.
pub fn glob(regex: &str, anchor: Anchor) -> Result<String, NoGlob> {
    let chars: Vec<char> = regex.chars().collect();
    let mut parser = Parser { chars: &chars, at: 0, depth: 0 };
    let node = parser.alternatives()?;
    if parser.at < chars.len() {
        return Err(NoGlob(r"there is a `\)` without a matching `\(`".into()));
    }
    let Node::Choice(branches) = node else { return Err(NoGlob("it is empty".into())) };
    let mut globs = Vec::new();
    for branch in &branches {
        globs.push(whole(branch, anchor)?);
    }
    Ok(group(globs))
}

/// A branch at the top: it may be anchored at its ends.
fn whole(branch: &Node, anchor: Anchor) -> Result<String, NoGlob> {
    let Node::Sequence(nodes) = branch else { return emit(branch) };
    let mut nodes = nodes.as_slice();
    if let [Node::Begin, rest @ ..] = nodes {
        nodes = rest;
    }
    let mut ended = false;
    if let [rest @ .., Node::End] = nodes {
        nodes = rest;
        ended = true;
    }
    let mut text = String::new();
    for node in nodes {
        text.push_str(&emit(node)?);
    }
    if anchor == Anchor::Start && !ended && !text.ends_with('*') {
        text.push('*');
    }
    Ok(text)
}

#[derive(Clone, Debug)]
enum Node {
    Char(char),
    Any,
    /// One of these characters, or none of them.
    Class(Vec<(char, char)>, bool),
    Begin,
    End,
    Optional(Box<Node>),
    /// Zero or more; one or more if the flag is set.
    Repeat(Box<Node>, bool),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
}

/// Larger classes are written as ranges.
const MAX_CLASS: u64 = 16;
/// How deep groups may nest.
const MAX_DEPTH: usize = 12;

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn looking_at(&self, escaped: char) -> bool {
        self.peek() == Some('\\') && self.chars.get(self.at + 1) == Some(&escaped)
    }

    fn alternatives(&mut self) -> Result<Node, NoGlob> {
        let mut branches = vec![self.sequence()?];
        while self.looking_at('|') {
            self.at += 2;
            branches.push(self.sequence()?);
        }
        Ok(Node::Choice(branches))
    }

    fn sequence(&mut self) -> Result<Node, NoGlob> {
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(c) = self.peek() {
            if self.looking_at('|') || self.looking_at(')') {
                break;
            }
            self.at += 1;
            let node = match c {
                '.' => Node::Any,
                '^' => Node::Begin,
                '$' => Node::End,
                '[' => self.class()?,
                '*' | '+' | '?' => {
                    let last = nodes.pop().ok_or_else(|| {
                        NoGlob(format!("there is nothing before `{c}` that it could repeat"))
                    })?;
                    repeated(last, c)
                }
                '\\' => self.escape()?,
                c => Node::Char(c),
            };
            nodes.push(node);
        }
        Ok(Node::Sequence(nodes))
    }

    fn escape(&mut self) -> Result<Node, NoGlob> {
        let c = self.peek().ok_or_else(|| NoGlob(r"it ends in a `\`".into()))?;
        self.at += 1;
        match c {
            '(' => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(NoGlob("its groups nest too deeply".into()));
                }
                let node = self.alternatives()?;
                if !self.looking_at(')') {
                    return Err(NoGlob(r"a group `\(` is not closed by `\)`".into()));
                }
                self.at += 2;
                self.depth -= 1;
                Ok(node)
            }
            'b' => Err(NoGlob(r"`\b` is not supported in name patterns".into())),
            '0'..='9' => Err(NoGlob(format!(r"`\{c}` refers back to a group"))),
            c => Ok(Node::Char(c)),
        }
    }

    fn class(&mut self) -> Result<Node, NoGlob> {
        let unclosed = || NoGlob("a class `[` is not closed by `]`".into());
        let negated = self.peek() == Some('^');
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        loop {
            let c = self.peek().ok_or_else(unclosed)?;
            self.at += 1;
            if c == ']' && !ranges.is_empty() {
                break;
            }
            let range = self.peek() == Some('-')
                && self.chars.get(self.at + 1).is_some_and(|end| *end != ']');
            if range {
                let end = self.chars[self.at + 1];
                self.at += 2;
                if end < c {
                    return Err(NoGlob(format!("the range `{c}-{end}` is empty")));
                }
                ranges.push((c, end));
            } else {
                ranges.push((c, c));
            }
        }
        Ok(Node::Class(ranges, negated))
    }
}

/// A node with a sign of repetition behind it; one that has one already is not nested further.
fn repeated(node: Node, sign: char) -> Node {
    match (node, sign) {
        (Node::Optional(inner), '?') => Node::Optional(inner),
        (Node::Repeat(inner, true), '+') => Node::Repeat(inner, true),
        (Node::Optional(inner) | Node::Repeat(inner, _), _) => Node::Repeat(inner, false),
        (node, '?') => Node::Optional(Box::new(node)),
        (node, sign) => Node::Repeat(Box::new(node), sign == '+'),
    }
}

fn group(globs: Vec<String>) -> String {
    match globs.as_slice() {
        [one] => one.clone(),
        many => format!("{{{}}}", many.join(",")),
    }
}

fn emit(node: &Node) -> Result<String, NoGlob> {
    Ok(match node {
        Node::Char(c) => literal(*c)?,
        Node::Any => "?".into(),
        Node::Class(ranges, negated) => {
            let size = |(from, to): &(char, char)| u64::from(*to as u32 - *from as u32) + 1;
            let members: u64 = ranges.iter().map(size).sum();
            if *negated || members > MAX_CLASS {
                return expression(node);
            }
            let members = ranges.iter().flat_map(|(from, to)| *from..=*to);
            let texts: Result<Vec<String>, NoGlob> = members.map(literal).collect();
            group(texts?)
        }
        Node::Begin => return Err(NoGlob("`^` is allowed only at the beginning".into())),
        Node::End => return Err(NoGlob("`$` is allowed only at the end".into())),
        Node::Optional(node) => format!("{{,{}}}", emit(node)?),
        Node::Repeat(inner, at_least_once) => match (&**inner, at_least_once) {
            (Node::Any, false) => "*".into(),
            (Node::Any, true) => "?*".into(),
            _ => return expression(node),
        },
        Node::Sequence(nodes) => {
            let mut text = String::new();
            for node in nodes {
                text.push_str(&emit(node)?);
            }
            text
        }
        Node::Choice(branches) => {
            let texts: Result<Vec<String>, NoGlob> = branches.iter().map(emit).collect();
            group(texts?)
        }
    })
}

/// A node as an expression among globs.
fn expression(node: &Node) -> Result<String, NoGlob> {
    let mut text = String::from("{regex(");
    spell(node, &mut text)?;
    text.push_str(")}");
    Ok(text)
}

fn spell(node: &Node, text: &mut String) -> Result<(), NoGlob> {
    let character = |c: char, text: &mut String| {
        literal(c)?;
        if r".[]()|+\^-".contains(c) {
            text.push('\\');
        }
        text.push(c);
        Ok(())
    };
    match node {
        Node::Char(c) => character(*c, text)?,
        Node::Any => text.push('.'),
        Node::Class(ranges, negated) => {
            text.push_str(if *negated { "[^" } else { "[" });
            for (from, to) in ranges {
                character(*from, text)?;
                if from != to {
                    text.push('-');
                    character(*to, text)?;
                }
            }
            text.push(']');
        }
        Node::Optional(inner) | Node::Repeat(inner, _) => {
            let single = matches!(**inner, Node::Char(_) | Node::Any | Node::Class(..));
            if single {
                spell(inner, text)?;
            } else {
                text.push('(');
                spell(inner, text)?;
                text.push(')');
            }
            text.push(match node {
                Node::Optional(_) => '?',
                Node::Repeat(_, true) => '+',
                _ => '*',
            });
        }
        Node::Sequence(nodes) => nodes.iter().try_for_each(|n| spell(n, text))?,
        Node::Choice(branches) => {
            for (at, branch) in branches.iter().enumerate() {
                text.push_str(if at > 0 { "|" } else { "(" });
                spell(branch, text)?;
            }
            text.push(')');
        }
        Node::Begin | Node::End => {
            emit(node)?;
        }
    }
    Ok(())
}

/// Characters with a meaning in globs do not occur in names.
fn literal(c: char) -> Result<String, NoGlob> {
    if "*?{},".contains(c) || c.is_whitespace() {
        return Err(NoGlob(format!("`{c}` occurs in no name")));
    }
    Ok(c.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchword_model::Glob;

    #[test]
    fn expressions_match_what_they_should() {
        let cases: [(&str, Anchor, &[&str], &[&str]); 15] = [
            (r"[a-z]+\.m", Anchor::Both, &["a.m", "abc.m"], &[".m", "aB.m", "a.mm"]),
            (r"[^.]*\.next", Anchor::Both, &["Iterator.next", ".next"], &["java.util.next"]),
            (r"\(ab\|c\)*d", Anchor::Both, &["d", "abcabd"], &["abacd", ""]),
            (r"get[A-Z][A-Za-z0-9_]*", Anchor::Start, &["getX", "getX9.y"], &["get", "getx"]),
            (r"a**b?+", Anchor::Both, &["", "aabb"], &["ba"]),
            (r"\(a+-\)+", Anchor::Both, &["aa-a-"], &["-", "a"]),
            (r"a\.b", Anchor::Both, &["a.b"], &["axb", "a.bc", "xa.b"]),
            (r"a.b", Anchor::Both, &["a.b", "axb"], &["ab", "axxb"]),
            (r".*", Anchor::Both, &["", "x", "a.b.c"], &[]),
            (
                r"\(PrintWriter\|ServletOutputStream\).flush.*",
                Anchor::Both,
                &["PrintWriter.flush", "ServletOutputStream.flushAll"],
                &["PrintWriterflush", "Writer.flush", "x.PrintWriter.flush"],
            ),
            (r"ab?c", Anchor::Both, &["ac", "abc"], &["abbc"]),
            (r"x[ab-d]y", Anchor::Both, &["xay", "xcy"], &["xey", "xy"]),
            (r".*Bad.*", Anchor::Start, &["Bad", "java.Bad.X"], &["Good"]),
            (r"B", Anchor::Start, &["B", "Bx"], &["AB"]),
            (r"^A$", Anchor::Start, &["A"], &["AB", "BA"]),
        ];
        for (regex, anchor, yes, no) in cases {
            let glob = glob(regex, anchor).unwrap_or_else(|e| panic!("{regex}: {e:?}"));
            let compiled = Glob::new(&glob);
            for text in yes {
                assert!(compiled.matches(text), "{regex} as {glob} should match {text:?}");
            }
            for text in no {
                assert!(!compiled.matches(text), "{regex} as {glob} should not match {text:?}");
            }
        }
        // Bars and parentheses without a backslash are themselves.
        assert!(Glob::new(&glob("a|b", Anchor::Both).unwrap()).matches("a|b"));
    }

    #[test]
    fn the_rest_is_refused() {
        for regex in [
            r"[z-a]", r"\(a\)\1", r"a\b", r"\(a", r"a\)", r"[a", r"*a", r"a\", r"a^b", r"a{",
            r"\(a$\)b", "a b",
        ] {
            assert!(glob(regex, Anchor::Both).is_err(), "{regex}");
        }
        // Signs of repetition do not pile up.
        assert!(glob(&format!("a{}", "?*".repeat(1_000_000)), Anchor::Both).is_ok());
        let deep = format!("{}a{}", r"\(".repeat(100), r"\)".repeat(100));
        assert!(glob(&deep, Anchor::Both).is_err());
    }
}
