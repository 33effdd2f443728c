//! Formulas: extended regular expressions, state machines and temporal formulas.

use std::collections::BTreeMap;

use watchword_model::Span;

use super::machine::{MAX_STATES, Machine, Regex};
use super::tree::{Refused, Token};
use crate::larva::lexer::Tok;
use crate::ww::ltl::Ltl;
use crate::ww::tree::{TemporalBinary, TemporalUnary};

/// Formulas that are nested deeper are refused.
const MAX_DEPTH: u32 = 60;

/// Longer temporal formulas are refused: operators of one kind nest to the left.
const MAX_TOKENS: usize = 1000;

/// A temporal formula over events.
#[derive(Clone, Debug)]
pub enum Formula {
    /// `true`, `false`.
    Const(bool),
    /// This event is that one.
    Event(usize),
    /// `not`.
    Not(Box<Formula>),
    /// An operator with one operand.
    Unary(TemporalUnary, Box<Formula>),
    /// An operator with two operands.
    Binary(TemporalBinary, Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Why the formula is none that a beginning of a run can violate, if it is none.
    pub fn unmonitorable(&self) -> Option<&'static str> {
        self.check(true, false)
    }

    fn check(&self, positive: bool, in_past: bool) -> Option<&'static str> {
        use TemporalUnary::{Always, Eventually, Historically, Next, Once, Previous};
        match self {
            Formula::Const(_) | Formula::Event(_) => None,
            Formula::Not(inner) => inner.check(!positive, in_past),
            Formula::Unary(Once | Historically | Previous, inner) => inner.check(positive, true),
            Formula::Unary(..) if in_past => {
                Some("its formula has a future operator inside a past operator")
            }
            Formula::Unary(Always, _) if !positive => Some(EVENTUALLY),
            Formula::Unary(Eventually, _) if positive => Some(EVENTUALLY),
            Formula::Unary(Always | Next | Eventually, inner) => inner.check(positive, in_past),
            Formula::Binary(TemporalBinary::Since, left, right) => {
                left.check(positive, true).or_else(|| right.check(positive, true))
            }
            Formula::Binary(TemporalBinary::Release | TemporalBinary::WeakUntil, ..)
                if in_past || !positive =>
            {
                Some(EVENTUALLY)
            }
            Formula::Binary(TemporalBinary::Until, ..) => Some(EVENTUALLY),
            Formula::Binary(TemporalBinary::Implies, left, right) => {
                left.check(!positive, in_past).or_else(|| right.check(positive, in_past))
            }
            Formula::Binary(TemporalBinary::Iff, left, right) => [left, right]
                .into_iter()
                .find_map(|f| f.check(true, in_past).or_else(|| f.check(false, in_past))),
            Formula::Binary(_, left, right) => {
                left.check(positive, in_past).or_else(|| right.check(positive, in_past))
            }
        }
    }
}

impl Formula {
    /// The formula over numbers of events.
    pub fn of_events(&self) -> Ltl {
        let boxed = |f: &Formula| Box::new(f.of_events());
        match self {
            Formula::Const(truth) => Ltl::Const(*truth),
            Formula::Event(event) => Ltl::Atom(*event),
            Formula::Not(a) => Ltl::Not(boxed(a)),
            Formula::Unary(operator, a) => {
                let a = boxed(a);
                match operator {
                    TemporalUnary::Always => Ltl::Always(a),
                    TemporalUnary::Eventually => Ltl::Eventually(a),
                    TemporalUnary::Next => Ltl::Next(a),
                    TemporalUnary::Once => Ltl::Once(a),
                    TemporalUnary::Historically => Ltl::Historically(a),
                    TemporalUnary::Previous => Ltl::Previous(a),
                }
            }
            Formula::Binary(operator, a, b) => {
                let (a, b) = (boxed(a), boxed(b));
                Ltl::binary(*operator, a, b)
            }
        }
    }
}

/// No beginning of a run violates it.
const EVENTUALLY: &str = "its formula requires something to happen";

/// The position in a formula.
pub struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: u32,
    /// Whether it is one of `ptltl`.
    past: bool,
    /// Where the formula is, for what is missing at its end.
    span: Span,
    /// The number of an event.
    event: &'t dyn Fn(&str) -> Option<usize>,
}

type Read<T> = Result<T, Refused>;

impl<'t> Reader<'t> {
    /// At the beginning of a formula.
    pub fn new(
        tokens: &'t [Token],
        span: Span,
        event: &'t dyn Fn(&str) -> Option<usize>,
    ) -> Reader<'t> {
        Reader { tokens, at: 0, depth: 0, past: false, span, event }
    }

    fn tok(&self) -> Option<&Tok> {
        self.tokens.get(self.at).map(|t| &t.tok)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.span, |t| t.span)
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.tok(), Some(Tok::Mark(m)) if *m == mark)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }

    /// Takes marks that stand next to each other.
    fn eat_all(&mut self, marks: &[&str]) -> bool {
        let found = marks.iter().enumerate().all(|(i, mark)| {
            matches!(self.tokens.get(self.at + i).map(|t| &t.tok), Some(Tok::Mark(m)) if m == mark)
        });
        self.at += if found { marks.len() } else { 0 };
        found
    }

    fn word(&self) -> Option<&str> {
        match self.tok() {
            Some(Tok::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn eat_word(&mut self, words: &[&str]) -> bool {
        let found = self.word().is_some_and(|word| words.contains(&word));
        self.at += usize::from(found);
        found
    }

    fn refuse<T>(&self, why: impl Into<String>) -> Read<T> {
        Err(Refused::new(self.span(), why))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            return self.refuse("its formula is nested too deeply");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn event(&mut self) -> Read<usize> {
        let Some(name) = self.word() else { return self.refuse("its formula is not understood") };
        match (self.event)(name) {
            Some(event) => {
                self.at += 1;
                Ok(event)
            }
            None => self.refuse(format!("there is no event `{name}`")),
        }
    }

    fn end(&self) -> Read<()> {
        match self.tok() {
            None => Ok(()),
            Some(_) => self.refuse("its formula is not understood from here on"),
        }
    }

    /// `ere`.
    pub fn regex(mut self) -> Read<Regex> {
        let regex = self.choice()?;
        self.end()?;
        Ok(regex)
    }

    fn choice(&mut self) -> Read<Regex> {
        let mut parts = vec![self.sequence()?];
        while self.eat("|") {
            parts.push(self.sequence()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Regex::Choice(parts) })
    }

    fn sequence(&mut self) -> Read<Regex> {
        let mut parts = vec![self.repeated()?];
        while self.word().is_some() || ["(", "~", "&", "^"].iter().any(|mark| self.is(mark)) {
            parts.push(self.repeated()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Regex::Sequence(parts) })
    }

    fn repeated(&mut self) -> Read<Regex> {
        let mut regex = if self.eat("(") {
            let inner = self.deeper(|reader| reader.choice())?;
            if !self.eat(")") {
                return self.refuse("`)` is missing in its expression");
            }
            inner
        } else if self.eat_word(&["epsilon"]) {
            Regex::Epsilon
        } else if self.is("~") || self.is("&") || self.is("^") || self.word() == Some("empty") {
            return self.refuse("`~`, `&`, `^` and `empty` are not supported in expressions");
        } else {
            Regex::Event(self.event()?)
        };
        regex = if self.eat("*") {
            Regex::Star(Box::new(regex))
        } else if self.eat("+") {
            Regex::Plus(Box::new(regex))
        } else if self.eat("?") {
            Regex::Choice(vec![regex, Regex::Epsilon])
        } else {
            regex
        };
        if ["*", "+", "++", "?"].iter().any(|mark| self.is(mark)) {
            return self.refuse("`*`, `+` and `?` do not follow each other in expressions");
        }
        Ok(regex)
    }

    /// `fsm`.
    pub fn machine(mut self) -> Read<Machine> {
        let mut names: Vec<String> = Vec::new();
        let mut arrows: Vec<Vec<(usize, String, Span)>> = Vec::new();
        while let Some(word) = self.word() {
            if ["alias", "default"].contains(&word) {
                return self.refuse(format!("`{word}` is not supported in state machines"));
            }
            if names.iter().any(|known| known == word) {
                return self.refuse(format!("the state `{word}` is defined twice"));
            }
            names.push(word.to_string());
            self.at += 1;
            if !self.eat("[") {
                return self.refuse("`[` is missing behind a state");
            }
            let mut leaving = Vec::new();
            while !self.eat("]") {
                if self.word() == Some("default") {
                    return self.refuse("`default` is not supported in state machines");
                }
                let event = self.event()?;
                if !self.eat("->") {
                    return self.refuse("`->` is missing in its state machine");
                }
                let span = self.span();
                let Some(target) = self.word().map(str::to_string) else {
                    return self.refuse("a state is missing in its state machine");
                };
                self.at += 1;
                leaving.push((event, target, span));
                self.eat(",");
            }
            arrows.push(leaving);
            if names.len() > MAX_STATES {
                return self.refuse(format!("its state machine has more than {MAX_STATES} states"));
            }
        }
        self.end()?;
        if names.is_empty() {
            return self.refuse("its state machine has no states");
        }
        let mut next = Vec::new();
        for leaving in arrows {
            let mut by_event = BTreeMap::new();
            for (event, target, span) in leaving {
                let found = names.iter().position(|name| *name == target);
                let Some(found) = found else {
                    return Err(Refused::new(span, format!("there is no state `{target}`")));
                };
                by_event.insert(event, found);
            }
            next.push(by_event);
        }
        let matching = vec![false; names.len()];
        Ok(Machine { states: names, next, matching })
    }

    /// `ltl`, or `ptltl`, whose formulas are about the past.
    pub fn formula(mut self, past: bool) -> Read<Formula> {
        self.past = past;
        if self.tokens.len() > MAX_TOKENS {
            return self.refuse("its formula is too large");
        }
        let formula = self.binary()?;
        self.end()?;
        Ok(formula)
    }

    /// In `ltl` all operators that are neither `and`, `or` nor `xor` bind loosest, and none of them can follow
    /// another. In `ptltl` `S` binds closest.
    fn binary(&mut self) -> Read<Formula> {
        let past = self.past;
        let left = if past { self.implication()? } else { self.disjunction()? };
        let operator = if self.eat_all(&["<=", ">"]) || self.eat_all(&["<", "->"]) {
            TemporalBinary::Iff
        } else if past {
            return Ok(left);
        } else if self.eat_implies() {
            TemporalBinary::Implies
        } else if self.eat_word(&["S"]) {
            TemporalBinary::Since
        } else if self.eat_word(&["R"]) {
            TemporalBinary::Release
        } else if self.word() == Some("U") {
            return self.refuse(EVENTUALLY);
        } else {
            return Ok(left);
        };
        let right = if past { self.implication()? } else { self.disjunction()? };
        let joined = Formula::Binary(operator, Box::new(left), Box::new(right));
        self.alone(joined)
    }

    fn eat_implies(&mut self) -> bool {
        self.eat_all(&["=", ">"]) || self.eat("->") || self.eat_word(&["implies"])
    }

    /// Nothing says how a chain of such operators would be read.
    fn alone(&mut self, formula: Formula) -> Read<Formula> {
        let words = ["S", "R", "U", "implies"].iter().any(|word| self.word() == Some(word));
        if words || ["=", "->", "<=", "<"].iter().any(|mark| self.is(mark)) {
            return self.refuse("parentheses are missing in its formula");
        }
        Ok(formula)
    }

    fn implication(&mut self) -> Read<Formula> {
        let left = self.disjunction()?;
        if !self.eat_implies() {
            return Ok(left);
        }
        let right = self.disjunction()?;
        if self.is("=") || self.is("->") || self.word() == Some("implies") {
            return self.refuse("parentheses are missing in its formula");
        }
        Ok(Formula::Binary(TemporalBinary::Implies, Box::new(left), Box::new(right)))
    }

    fn disjunction(&mut self) -> Read<Formula> {
        let mut left = self.exclusive()?;
        while self.eat("||") || self.eat_all(&["\\", "/"]) || self.eat_word(&["or"]) {
            let right = self.exclusive()?;
            left = Formula::Binary(TemporalBinary::Or, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn exclusive(&mut self) -> Read<Formula> {
        let mut left = self.conjunction()?;
        while self.eat_word(&["xor"]) {
            let right = self.conjunction()?;
            let same = Formula::Binary(TemporalBinary::Iff, Box::new(left), Box::new(right));
            left = Formula::Not(Box::new(same));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Read<Formula> {
        let mut left = self.since()?;
        while self.eat("&&") || self.eat_all(&["/", "\\"]) || self.eat_word(&["and"]) {
            let right = self.since()?;
            left = Formula::Binary(TemporalBinary::And, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// `S` of `ptltl`.
    fn since(&mut self) -> Read<Formula> {
        let mut left = self.unary()?;
        while self.past && self.eat_word(&["S"]) {
            let right = self.unary()?;
            left = Formula::Binary(TemporalBinary::Since, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Formula> {
        let temporal = if self.eat_all(&["[", "]"]) {
            Some(TemporalUnary::Always)
        } else if self.eat_all(&["[", "*", "]"]) {
            Some(TemporalUnary::Historically)
        } else if self.eat_all(&["<", "*", ">"]) {
            Some(TemporalUnary::Once)
        } else if self.eat_all(&["(", "*", ")"]) {
            Some(TemporalUnary::Previous)
        } else if !self.past && self.eat_word(&["o"]) {
            Some(TemporalUnary::Next)
        } else {
            None
        };
        if let Some(operator) = temporal {
            let inner = self.deeper(|reader| reader.unary())?;
            return Ok(Formula::Unary(operator, Box::new(inner)));
        }
        if self.eat("!") || self.eat_word(&["not"]) {
            return Ok(Formula::Not(Box::new(self.deeper(|reader| reader.unary())?)));
        }
        if self.is("<") {
            return self.refuse(EVENTUALLY);
        }
        if self.eat("(") {
            let inner = self.deeper(|reader| reader.binary())?;
            if !self.eat(")") {
                return self.refuse("`)` is missing in its formula");
            }
            return Ok(inner);
        }
        if self.eat_word(&["true"]) {
            return Ok(Formula::Const(true));
        }
        if self.eat_word(&["false"]) {
            return Ok(Formula::Const(false));
        }
        Ok(Formula::Event(self.event()?))
    }
}
