//! Expressions.

use watchword_model::{BinaryOp, Span, Time, UnaryOp};

use super::{MAX_DEPTH, Parsed, Parser, UNITS};
use crate::ww::lexer::{Punct, TokenKind};
use crate::ww::tree::{Expr, ExprKind, Quantifier};

/// Binary operators by how tightly they bind; `and`, `or` and `not` bind less than all of them.
const LEVELS: &[&[(Punct, BinaryOp)]] = &[
    &[
        (Punct::EqEq, BinaryOp::Eq),
        (Punct::NotEq, BinaryOp::Ne),
        (Punct::Less, BinaryOp::Lt),
        (Punct::LessEq, BinaryOp::Le),
        (Punct::Greater, BinaryOp::Gt),
        (Punct::GreaterEq, BinaryOp::Ge),
    ],
    &[(Punct::Bar, BinaryOp::BitOr)],
    &[(Punct::Caret, BinaryOp::BitXor)],
    &[(Punct::Amp, BinaryOp::BitAnd)],
    &[(Punct::Shl, BinaryOp::Shl), (Punct::Shr, BinaryOp::Shr)],
    &[(Punct::Plus, BinaryOp::Add), (Punct::Minus, BinaryOp::Sub)],
    &[(Punct::Star, BinaryOp::Mul), (Punct::Slash, BinaryOp::Div), (Punct::Percent, BinaryOp::Rem)],
];

/// Words that are no names in expressions; in backquotes they are.
pub(crate) const RESERVED: [&str; 8] = ["_", "and", "or", "not", "if", "else", "then", "on"];

impl Parser<'_> {
    /// A node, unless the tree below it is too deep.
    pub(super) fn node(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let below = match &kind {
            ExprKind::Const(_) | ExprKind::Name(_) | ExprKind::Error => 0,
            ExprKind::Unary(_, a) | ExprKind::Time(a, ..) => a.depth,
            ExprKind::Binary(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::Index(a, b)
            | ExprKind::Quantified(_, _, a, b) => a.depth.max(b.depth),
            ExprKind::If(a, b, c) => a.depth.max(b.depth).max(c.depth),
            ExprKind::Call(_, list) | ExprKind::List(list) => {
                list.iter().map(|e| e.depth).max().unwrap_or(0)
            }
            ExprKind::Map(list) => {
                list.iter().map(|(k, v)| k.depth.max(v.depth)).max().unwrap_or(0)
            }
        };
        if below >= MAX_DEPTH {
            return self.too_deep(span);
        }
        Ok(Expr { kind, span, depth: below + 1 })
    }

    /// An expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|p| p.or_expr())
    }

    fn or_expr(&mut self) -> Parsed<Expr> {
        let mut left = self.and_expr()?;
        while self.eat_word("or") {
            let right = self.and_expr()?;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::Or(Box::new(left), Box::new(right)), span)?;
        }
        Ok(left)
    }

    fn and_expr(&mut self) -> Parsed<Expr> {
        let mut left = self.not_expr()?;
        while self.eat_word("and") {
            let right = self.not_expr()?;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::And(Box::new(left), Box::new(right)), span)?;
        }
        Ok(left)
    }

    fn not_expr(&mut self) -> Parsed<Expr> {
        if let Some(quantifier) = self.at_quantifier() {
            return self.quantified(quantifier);
        }
        if !self.at_word("not") {
            return self.binary(0);
        }
        let token = self.bump();
        let operand = self.deeper(|p| p.not_expr())?;
        let span = self.span_of(token).to(operand.span);
        self.node(ExprKind::Unary(UnaryOp::Not, Box::new(operand)), span)
    }

    /// The quantifier that comes next, if a name and `in` follow it.
    fn at_quantifier(&mut self) -> Option<Quantifier> {
        let word = self.peek();
        let quantifier = match self.text_of(word) {
            "exists" => Quantifier::Exists,
            "all" => Quantifier::All,
            _ => return None,
        };
        let (name, after) = (self.nth(1), self.nth(2));
        let is_name = matches!(name.kind, TokenKind::Ident | TokenKind::Quoted);
        let is_in = after.kind == TokenKind::Ident && self.text_of(after) == "in";
        (word.kind == TokenKind::Ident && is_name && is_in).then_some(quantifier)
    }

    /// `exists x in e: c`; the condition ends where the expression does.
    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Expr> {
        let start = self.bump().start;
        let name = self.bump_name();
        self.expect_word("in")?;
        let within = self.deeper(|p| p.binary(1))?;
        self.expect_tight(Punct::Colon)?;
        let condition = self.expr()?;
        let span = self.since(start);
        let kind = ExprKind::Quantified(quantifier, name, Box::new(within), Box::new(condition));
        self.node(kind, span)
    }

    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut compared = false;
        loop {
            let TokenKind::Punct(punct) = self.peek().kind else { return Ok(left) };
            let Some((_, op)) = operators.iter().find(|(p, _)| *p == punct) else {
                return Ok(left);
            };
            if compared {
                return self.unexpected_with("the end of the comparison", |d| {
                    d.rule("comparisons cannot be chained").help("write `a < b and b < c`")
                });
            }
            compared = level == 0;
            self.bump();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::Binary(*op, Box::new(left), Box::new(right)), span)?;
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let op = match token.kind {
            TokenKind::Punct(Punct::Minus) => {
                if matches!(self.nth(1).kind, TokenKind::Int | TokenKind::Float) {
                    // A literal, so that the least integer can be written.
                    let value = self.optional_literal().unwrap_or(watchword_model::Value::Null);
                    let span = self.since(token.start);
                    let literal = self.node(ExprKind::Const(value), span)?;
                    return self.postfix(literal);
                }
                UnaryOp::Neg
            }
            TokenKind::Punct(Punct::Tilde) => UnaryOp::BitNot,
            _ => {
                let primary = self.primary()?;
                return self.postfix(primary);
            }
        };
        self.bump();
        self.glue();
        let operand = self.deeper(|p| p.unary())?;
        let span = self.span_of(token).to(operand.span);
        self.node(ExprKind::Unary(op, Box::new(operand)), span)
    }

    fn postfix(&mut self, mut expr: Expr) -> Parsed<Expr> {
        while self.at(Punct::BracketOpen) && !self.peek().newline_before {
            self.glue();
            self.bump();
            self.glue();
            let key = self.expr()?;
            self.expect_tight(Punct::BracketClose)?;
            let span = self.since(expr.span.start);
            expr = self.node(ExprKind::Index(Box::new(expr), Box::new(key)), span)?;
        }
        let Some((unit, nanos)) = self.at_unit() else { return Ok(expr) };
        self.bump();
        let span = self.since(expr.span.start);
        self.node(ExprKind::Time(Box::new(expr), unit, nanos), span)
    }

    /// The unit of time that comes next on this line, if it is not the beginning of a statement.
    fn at_unit(&mut self) -> Option<(&'static str, Time)> {
        let token = self.peek();
        if token.kind != TokenKind::Ident || token.newline_before {
            return None;
        }
        let word = self.text_of(token);
        let unit = UNITS.iter().find(|(name, _)| *name == word).copied()?;
        let next = self.nth(1);
        let statement = match next.kind {
            TokenKind::Punct(Punct::Eq | Punct::PlusEq | Punct::MinusEq | Punct::StarEq) => true,
            TokenKind::Punct(Punct::BracketOpen) => !next.newline_before,
            TokenKind::Punct(Punct::ParenOpen) => token.touches(&next),
            _ => false,
        };
        (!statement).then_some(unit)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        if let Some(value) = self.optional_literal() {
            let span = self.since(token.start);
            return self.node(ExprKind::Const(value), span);
        }
        match token.kind {
            TokenKind::Punct(Punct::ParenOpen) => {
                self.bump();
                self.glue();
                let mut inner = self.expr()?;
                self.expect_tight(Punct::ParenClose)?;
                inner.span = self.since(token.start);
                Ok(inner)
            }
            TokenKind::Punct(Punct::BracketOpen) => {
                self.bump();
                let items = self.list(Punct::BracketClose, |p| p.expr())?;
                let span = self.since(token.start);
                self.node(ExprKind::List(items), span)
            }
            TokenKind::Punct(Punct::BraceOpen) => {
                self.bump();
                let entries = self.list(Punct::BraceClose, |p| {
                    let key = p.expr()?;
                    p.expect_tight(Punct::Colon)?;
                    Ok((key, p.expr()?))
                })?;
                let span = self.since(token.start);
                self.node(ExprKind::Map(entries), span)
            }
            TokenKind::Ident if RESERVED.contains(&self.text_of(token)) => {
                self.unexpected("an expression")
            }
            TokenKind::Ident | TokenKind::Quoted => {
                let name = self.bump_name();
                let span = name.span;
                let next = self.peek();
                if self.at(Punct::ParenOpen) && self.last.touches(&next) {
                    let args = self.call_args()?;
                    let span = self.since(span.start);
                    return self.node(ExprKind::Call(name, args), span);
                }
                self.node(ExprKind::Name(name.text), span)
            }
            TokenKind::Punct(Punct::Question) => self.unexpected_with("an expression", |d| {
                d.rule("`?x` binds a name in the arguments of a label, not in expressions")
            }),
            _ => self.unexpected("an expression"),
        }
    }

    /// `(a, b)` after a name.
    pub(super) fn call_args(&mut self) -> Parsed<Vec<Expr>> {
        self.expect_tight(Punct::ParenOpen)?;
        self.deeper(|p| p.list(Punct::ParenClose, |p| p.expr()))
    }
}
