//! Temporal formulas.

use watchword_model::Span;

use super::{MAX_DEPTH, Parsed, Parser};
use crate::ww::lexer::{Punct, TokenKind};
use crate::ww::tree::{Bound, Formula, FormulaKind, TemporalBinary, TemporalUnary};

/// Words that are operators in formulas; an event of such a name is written in backquotes.
pub(crate) const UNARY: [(&str, TemporalUnary); 6] = [
    ("always", TemporalUnary::Always),
    ("eventually", TemporalUnary::Eventually),
    ("next", TemporalUnary::Next),
    ("once", TemporalUnary::Once),
    ("historically", TemporalUnary::Historically),
    ("previous", TemporalUnary::Previous),
];

/// Words that end a formula or join it with another one.
const RESERVED: [&str; 9] =
    ["and", "or", "implies", "iff", "until", "weak", "release", "since", "if"];

const TEMPORAL: [(&str, TemporalBinary); 4] = [
    ("until", TemporalBinary::Until),
    ("weak", TemporalBinary::WeakUntil),
    ("release", TemporalBinary::Release),
    ("since", TemporalBinary::Since),
];

impl Parser<'_> {
    fn formula_node(&mut self, kind: FormulaKind, span: Span) -> Parsed<Formula> {
        let below = match &kind {
            FormulaKind::Const(_) | FormulaKind::Atom(_) | FormulaKind::Error => 0,
            FormulaKind::Not(a) | FormulaKind::Unary(_, a) | FormulaKind::Timed(_, _, a) => a.depth,
            FormulaKind::Binary(_, a, b) | FormulaKind::TimedBinary(_, _, a, b) => {
                a.depth.max(b.depth)
            }
        };
        if below >= MAX_DEPTH {
            return self.too_deep(span);
        }
        Ok(Formula { kind, span, depth: below + 1 })
    }

    fn join(&mut self, op: TemporalBinary, a: Formula, b: Formula) -> Parsed<Formula> {
        let span = a.span.to(b.span);
        self.formula_node(FormulaKind::Binary(op, Box::new(a), Box::new(b)), span)
    }

    /// A formula; `implies` and `iff` bind least and group to the right.
    pub(super) fn formula(&mut self) -> Parsed<Formula> {
        self.deeper(|p| {
            let left = p.or_formula()?;
            let op = if p.eat_word("implies") {
                TemporalBinary::Implies
            } else if p.eat_word("iff") {
                TemporalBinary::Iff
            } else if let Some(word) = p.other_operator() {
                return p.unexpected_with("an operator of formulas", |d| {
                    d.help(format!("write `{word}` instead"))
                });
            } else {
                return Ok(left);
            };
            let right = p.formula()?;
            p.join(op, left, right)
        })
    }

    /// The word for an operator that other notations have at this place.
    fn other_operator(&mut self) -> Option<&'static str> {
        let TokenKind::Punct(punct) = self.peek().kind else { return None };
        Some(match punct {
            Punct::Arrow | Punct::FatArrow => "implies",
            Punct::Amp => "and",
            Punct::Bar => "or",
            _ => return None,
        })
    }

    fn or_formula(&mut self) -> Parsed<Formula> {
        let mut left = self.and_formula()?;
        while self.eat_word("or") {
            let right = self.and_formula()?;
            left = self.join(TemporalBinary::Or, left, right)?;
        }
        Ok(left)
    }

    fn and_formula(&mut self) -> Parsed<Formula> {
        let mut left = self.temporal_formula()?;
        while self.eat_word("and") {
            let right = self.temporal_formula()?;
            left = self.join(TemporalBinary::And, left, right)?;
        }
        Ok(left)
    }

    /// `until` and its kin group to the right.
    fn temporal_formula(&mut self) -> Parsed<Formula> {
        let left = self.unary_formula()?;
        let token = self.peek();
        if token.kind != TokenKind::Ident {
            return Ok(left);
        }
        let word = self.text_of(token);
        let Some((_, op)) = TEMPORAL.iter().find(|(name, _)| *name == word) else {
            return Ok(left);
        };
        self.bump();
        if *op == TemporalBinary::WeakUntil {
            self.expect_tight(Punct::Minus)?;
            self.glue();
            self.expect_word("until")?;
        }
        let bound = match op {
            TemporalBinary::Since | TemporalBinary::Until => self.bound()?,
            _ => None,
        };
        let right = self.deeper(|p| p.temporal_formula())?;
        let Some(bound) = bound else { return self.join(*op, left, right) };
        let span = left.span.to(right.span);
        let kind = FormulaKind::TimedBinary(*op, bound, Box::new(left), Box::new(right));
        self.formula_node(kind, span)
    }

    /// `within 5 s`, `after 5 s` or `between 5 s and 10 s`, behind an operator.
    fn bound(&mut self) -> Parsed<Option<Bound>> {
        if self.eat_word("within") {
            return Ok(Some(Bound::Within(self.duration()?)));
        }
        if self.at_word("after") && self.is_duration_next() {
            self.bump();
            return Ok(Some(Bound::After(self.duration()?)));
        }
        if self.eat_word("between") {
            let from = self.duration()?;
            self.expect_word("and")?;
            return Ok(Some(Bound::Between(from, self.duration()?)));
        }
        Ok(None)
    }

    /// Whether a duration follows the next token: otherwise, that is the name of an event.
    fn is_duration_next(&mut self) -> bool {
        let next = self.nth(1);
        match next.kind {
            TokenKind::Int | TokenKind::Float | TokenKind::Quoted => true,
            TokenKind::Ident => !RESERVED.contains(&self.text_of(next)),
            _ => false,
        }
    }

    fn unary_formula(&mut self) -> Parsed<Formula> {
        let token = self.peek();
        let start = token.start;
        if self.at(Punct::ParenOpen) {
            self.bump();
            self.glue();
            let mut inner = self.formula()?;
            self.expect_tight(Punct::ParenClose)?;
            inner.span = self.since(start);
            return Ok(inner);
        }
        let word = if token.kind == TokenKind::Ident { self.text_of(token) } else { "" };
        if word == "not" {
            self.bump();
            let inner = self.deeper(|p| p.unary_formula())?;
            let span = self.since(start);
            return self.formula_node(FormulaKind::Not(Box::new(inner)), span);
        }
        if let Some((_, op)) = UNARY.iter().find(|(name, _)| *name == word) {
            self.bump();
            let bound = match op {
                TemporalUnary::Next => None,
                _ => self.bound()?,
            };
            let inner = Box::new(self.deeper(|p| p.unary_formula())?);
            let span = self.since(start);
            let kind = match bound {
                Some(bound) => FormulaKind::Timed(*op, bound, inner),
                None => FormulaKind::Unary(*op, inner),
            };
            return self.formula_node(kind, span);
        }
        if word == "true" || word == "false" {
            self.bump();
            let span = self.since(start);
            return self.formula_node(FormulaKind::Const(word == "true"), span);
        }
        if RESERVED.contains(&word) {
            return self.unexpected("a formula");
        }
        let atom = self.atom("a formula")?;
        let span = self.since(start);
        self.formula_node(FormulaKind::Atom(Box::new(atom)), span)
    }
}
