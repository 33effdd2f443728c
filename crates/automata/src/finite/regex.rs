//! Regular expressions as trees.

use std::fmt;

use super::Letter;

/// A regular expression over letters, with intersection and complement.
///
/// An expression does not know its alphabet; [`Any`](Regex::Any), [`Except`](Regex::Except) and
/// [`Complement`](Regex::Complement) get their meaning when it is compiled over one, and letters
/// outside that alphabet match nothing. Trees are walked recursively, so a front end should bound
/// the nesting depth it accepts.
///
/// ```
/// use watchword_automata::finite::{Alphabet, Letter, Regex};
///
/// let [open, read, close] = [0, 1, 2].map(|n| Regex::letter(Letter(n)));
/// let session = open.then(read.star()).then(close);
/// let nfa = session.compile(Alphabet::new(3));
/// assert!(nfa.accepts(&[Letter(0), Letter(1), Letter(1), Letter(2)]));
/// assert!(!nfa.accepts(&[Letter(0), Letter(1)]));
/// assert_eq!(session.to_string(), "0 1* 2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Regex {
    /// No word.
    Empty,
    /// The empty word.
    Epsilon,
    /// This letter.
    Letter(Letter),
    /// One of these letters.
    Set(Vec<Letter>),
    /// One letter that is none of these.
    Except(Vec<Letter>),
    /// Any one letter.
    Any,
    /// One after the other; the empty word if there are none.
    Concat(Vec<Regex>),
    /// At least one of them; no word if there are none.
    Union(Vec<Regex>),
    /// All of them; every word if there are none.
    Intersection(Vec<Regex>),
    /// Zero or more times.
    Star(Box<Regex>),
    /// One or more times.
    Plus(Box<Regex>),
    /// Zero times or once.
    Optional(Box<Regex>),
    /// Every word that does not match.
    Complement(Box<Regex>),
}

impl Regex {
    /// This one letter.
    pub fn letter(letter: Letter) -> Regex {
        Regex::Letter(letter)
    }

    /// One of `letters`.
    pub fn set(letters: impl IntoIterator<Item = Letter>) -> Regex {
        Regex::Set(letters.into_iter().collect())
    }

    /// One letter that is none of `letters`.
    pub fn except(letters: impl IntoIterator<Item = Letter>) -> Regex {
        Regex::Except(letters.into_iter().collect())
    }

    /// The letters of `word`, in order.
    pub fn word(word: &[Letter]) -> Regex {
        Regex::Concat(word.iter().copied().map(Regex::Letter).collect())
    }

    /// `self`, then `next`.
    pub fn then(self, next: Regex) -> Regex {
        match self {
            Regex::Concat(mut parts) => {
                parts.push(next);
                Regex::Concat(parts)
            }
            first => Regex::Concat(vec![first, next]),
        }
    }

    /// `self` or `other`.
    pub fn or(self, other: Regex) -> Regex {
        match self {
            Regex::Union(mut parts) => {
                parts.push(other);
                Regex::Union(parts)
            }
            first => Regex::Union(vec![first, other]),
        }
    }

    /// `self` and `other`, of the same word.
    pub fn and(self, other: Regex) -> Regex {
        match self {
            Regex::Intersection(mut parts) => {
                parts.push(other);
                Regex::Intersection(parts)
            }
            first => Regex::Intersection(vec![first, other]),
        }
    }

    /// Zero or more times `self`.
    pub fn star(self) -> Regex {
        Regex::Star(Box::new(self))
    }

    /// One or more times `self`.
    pub fn plus(self) -> Regex {
        Regex::Plus(Box::new(self))
    }

    /// `self` or nothing.
    pub fn optional(self) -> Regex {
        Regex::Optional(Box::new(self))
    }

    /// Every word that `self` does not match.
    pub fn complement(self) -> Regex {
        Regex::Complement(Box::new(self))
    }

    /// Whether the empty word matches.
    pub fn is_nullable(&self) -> bool {
        match self {
            Regex::Empty | Regex::Letter(_) | Regex::Set(_) | Regex::Except(_) | Regex::Any => {
                false
            }
            Regex::Epsilon | Regex::Star(_) | Regex::Optional(_) => true,
            Regex::Concat(parts) | Regex::Intersection(parts) => {
                parts.iter().all(Regex::is_nullable)
            }
            Regex::Union(parts) => parts.iter().any(Regex::is_nullable),
            Regex::Plus(inner) => inner.is_nullable(),
            Regex::Complement(inner) => !inner.is_nullable(),
        }
    }

    /// How tightly the outermost operator binds; higher is tighter.
    fn level(&self) -> u8 {
        match self {
            Regex::Union(parts) | Regex::Intersection(parts) | Regex::Concat(parts)
                if parts.len() == 1 =>
            {
                parts[0].level()
            }
            Regex::Union(parts) if !parts.is_empty() => 0,
            Regex::Intersection(parts) if !parts.is_empty() => 1,
            Regex::Concat(parts) if !parts.is_empty() => 2,
            _ => 3,
        }
    }

    fn fmt_at(&self, level: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.level() < level { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

impl fmt::Display for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Regex], between: &str, level: u8| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    f.write_str(between)?;
                }
                part.fmt_at(level, f)?;
            }
            Ok(())
        };
        let letters = |f: &mut fmt::Formatter<'_>, letters: &[Letter], open: &str| {
            f.write_str(open)?;
            for (i, letter) in letters.iter().enumerate() {
                if i > 0 {
                    f.write_str(" ")?;
                }
                write!(f, "{letter}")?;
            }
            f.write_str("]")
        };
        match self {
            Regex::Empty => f.write_str("∅"),
            Regex::Epsilon => f.write_str("ε"),
            Regex::Letter(letter) => write!(f, "{letter}"),
            Regex::Set(set) => letters(f, set, "["),
            Regex::Except(set) => letters(f, set, "[^"),
            Regex::Any => f.write_str("_"),
            Regex::Concat(parts) if parts.is_empty() => f.write_str("ε"),
            Regex::Union(parts) if parts.is_empty() => f.write_str("∅"),
            Regex::Intersection(parts) if parts.is_empty() => f.write_str("_*"),
            Regex::Concat(parts) => list(f, parts, " ", if parts.len() == 1 { 0 } else { 3 }),
            Regex::Union(parts) => list(f, parts, " | ", if parts.len() == 1 { 0 } else { 1 }),
            Regex::Intersection(parts) => {
                list(f, parts, " & ", if parts.len() == 1 { 0 } else { 2 })
            }
            Regex::Star(inner) => {
                inner.fmt_at(3, f)?;
                f.write_str("*")
            }
            Regex::Plus(inner) => {
                inner.fmt_at(3, f)?;
                f.write_str("+")
            }
            Regex::Optional(inner) => {
                inner.fmt_at(3, f)?;
                f.write_str("?")
            }
            Regex::Complement(inner) => write!(f, "!({inner})"),
        }
    }
}
