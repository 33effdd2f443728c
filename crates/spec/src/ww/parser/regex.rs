//! Patterns of events, for `never` and `only`.

use watchword_model::Span;

use super::{MAX_DEPTH, Parsed, Parser};
use crate::ww::lexer::{Punct, TokenKind};
use crate::ww::tree::{Atom, Regex, RegexKind};

impl Parser<'_> {
    fn regex_node(&mut self, kind: RegexKind, span: Span) -> Parsed<Regex> {
        let below = match &kind {
            RegexKind::Atom(_) | RegexKind::Error => 0,
            RegexKind::Sequence(list) | RegexKind::Choice(list) => {
                list.iter().map(|r| r.depth).max().unwrap_or(0)
            }
            RegexKind::Star(r) | RegexKind::Plus(r) | RegexKind::Optional(r) => r.depth,
        };
        if below >= MAX_DEPTH {
            return self.too_deep(span);
        }
        Ok(Regex { kind, span, depth: below + 1 })
    }

    /// A pattern. It ends with its line, unless a `|` or a parenthesis is open.
    pub(super) fn regex(&mut self) -> Parsed<Regex> {
        self.choice_regex(false)
    }

    fn choice_regex(&mut self, inside: bool) -> Parsed<Regex> {
        let start = self.peek().start;
        let mut choices = vec![self.sequence_regex(inside)?];
        while self.eat(Punct::Bar) {
            choices.push(self.sequence_regex(inside)?);
        }
        if choices.len() == 1
            && let Some(only) = choices.pop()
        {
            return Ok(only);
        }
        let span = self.since(start);
        self.regex_node(RegexKind::Choice(choices), span)
    }

    fn sequence_regex(&mut self, inside: bool) -> Parsed<Regex> {
        let start = self.peek().start;
        let mut parts = vec![self.postfix_regex()?];
        loop {
            let token = self.peek();
            let begins = matches!(
                token.kind,
                TokenKind::Ident | TokenKind::Quoted | TokenKind::Punct(Punct::ParenOpen)
            );
            if !begins || (token.newline_before && !inside) {
                break;
            }
            parts.push(self.postfix_regex()?);
        }
        if parts.len() == 1
            && let Some(only) = parts.pop()
        {
            return Ok(only);
        }
        let span = self.since(start);
        self.regex_node(RegexKind::Sequence(parts), span)
    }

    fn postfix_regex(&mut self) -> Parsed<Regex> {
        let start = self.peek().start;
        let mut regex = self.primary_regex()?;
        loop {
            let wrap: fn(Box<Regex>) -> RegexKind = match self.peek().kind {
                TokenKind::Punct(Punct::Star) => RegexKind::Star,
                TokenKind::Punct(Punct::Plus) => RegexKind::Plus,
                TokenKind::Punct(Punct::Question) => RegexKind::Optional,
                _ => return Ok(regex),
            };
            self.glue();
            self.bump();
            let span = self.since(start);
            regex = self.regex_node(wrap(Box::new(regex)), span)?;
        }
    }

    fn primary_regex(&mut self) -> Parsed<Regex> {
        let start = self.peek().start;
        if self.at(Punct::ParenOpen) {
            self.bump();
            self.glue();
            let mut regex = self.deeper(|p| p.choice_regex(true))?;
            self.expect_tight(Punct::ParenClose)?;
            regex.span = self.since(start);
            return Ok(regex);
        }
        let atom = self.atom("an event or `(`")?;
        let span = self.since(start);
        self.regex_node(RegexKind::Atom(Box::new(atom)), span)
    }

    /// A label with an optional guard in parentheses.
    pub(super) fn atom(&mut self, expected: &str) -> Parsed<Atom> {
        if !self.at_name() {
            return self.unexpected(expected);
        }
        let label = self.label()?;
        let mut guard = None;
        if self.eat_word("if") {
            if !self.at(Punct::ParenOpen) {
                return self.unexpected_with("`(`", |d| {
                    d.rule(
                        "in patterns and formulas, write a guard in parentheses: `e(x) if (x > 3)`",
                    )
                });
            }
            self.bump();
            self.glue();
            guard = Some(self.expr()?);
            self.expect_tight(Punct::ParenClose)?;
        }
        Ok(Atom { label, guard })
    }
}
