//! Statements of updates, entry actions and functions.

use watchword_model::BinaryOp;

use super::{Parsed, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::ww::lexer::{Punct, TokenKind};
use crate::ww::tree::{ExprKind, Stmt, StmtKind, Var};

impl Parser<'_> {
    /// `{ … }`; mistakes inside stay inside.
    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        let open = self.expect(Punct::BraceOpen)?;
        let mut statements = Vec::new();
        loop {
            if self.at(Punct::BraceClose) {
                self.bump();
                return Ok(statements);
            }
            if self.peek().kind == TokenKind::End || self.at_item() {
                return self.unclosed(open);
            }
            match self.deeper(|p| p.statement()) {
                Ok(statement) => statements.push(statement),
                Err(_) => self.recover(|p| p.at_statement()),
            }
        }
    }

    /// The block that `open` opens is not closed.
    pub(super) fn unclosed<T>(&mut self, open: crate::ww::lexer::Token) -> Parsed<T> {
        let opened = self.span_of(open);
        self.unexpected_with("`}`", |d| d.also(opened, "to close this"))
    }

    fn at_statement(&mut self) -> bool {
        let token = self.peek();
        let word = self.text_of(token);
        matches!(
            word,
            "if" | "while" | "for" | "send" | "print" | "do" | "reset" | "stop" | "return" | "var"
        ) || matches!(
            self.nth(1).kind,
            TokenKind::Punct(Punct::Eq | Punct::PlusEq | Punct::MinusEq | Punct::StarEq)
        )
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        self.begin();
        let token = self.peek();
        let assigns = matches!(
            self.nth(1).kind,
            TokenKind::Punct(Punct::Eq | Punct::PlusEq | Punct::MinusEq | Punct::StarEq)
        );
        let word =
            if token.kind == TokenKind::Ident && !assigns { self.text_of(token) } else { "" };
        let kind = match word {
            "var" => {
                self.bump();
                StmtKind::Var(self.var()?)
            }
            "if" => return self.if_statement(),
            "while" => {
                self.bump();
                let condition = self.expr()?;
                StmtKind::While(condition, self.block()?)
            }
            "for" => {
                self.bump();
                let name = self.name("a name for the element")?;
                self.expect_word("in")?;
                let list = self.expr()?;
                StmtKind::For(name, list, self.block()?)
            }
            "break" => {
                self.bump();
                StmtKind::Break
            }
            "continue" => {
                self.bump();
                StmtKind::Continue
            }
            "return" => {
                self.bump();
                let next = self.peek();
                let ends = next.newline_before
                    || matches!(next.kind, TokenKind::Punct(Punct::BraceClose) | TokenKind::End);
                StmtKind::Return(if ends { None } else { Some(self.expr()?) })
            }
            "send" => {
                self.bump();
                let name = self.name("the name of a channel")?;
                StmtKind::Send(name, self.call_args()?)
            }
            "do" => {
                self.bump();
                let name = self.name("the name of an action")?;
                StmtKind::Do(name, self.call_args()?)
            }
            "print" => {
                self.bump();
                if self.peek().kind == TokenKind::Str && !self.is_operator(1) {
                    let text = self.bump();
                    StmtKind::PrintText(self.template(text))
                } else {
                    StmtKind::Print(self.expr()?)
                }
            }
            "reset" => {
                self.bump();
                let clock = self.name("the name of a clock")?;
                let next = self.peek();
                if !next.newline_before && self.eat_word("for") {
                    StmtKind::ResetFor(clock, self.expr()?)
                } else {
                    StmtKind::Reset(clock)
                }
            }
            "stop" => {
                self.bump();
                StmtKind::Stop(self.name("the name of a clock")?)
            }
            _ => self.assignment()?,
        };
        let span = self.since(token.start);
        Ok(Stmt { kind, span })
    }

    /// Whether an expression goes on with the token so far ahead.
    fn is_operator(&mut self, ahead: usize) -> bool {
        use Punct::{
            Amp, Bar, BracketOpen, Caret, EqEq, Greater, GreaterEq, Less, LessEq, Minus, NotEq,
            Percent, Plus, Shl, Shr, Slash, Star,
        };
        let next = self.nth(ahead);
        match next.kind {
            TokenKind::Punct(BracketOpen) => !next.newline_before,
            TokenKind::Punct(
                Amp | Bar | Caret | EqEq | Greater | GreaterEq | Less | LessEq | Minus | NotEq
                | Percent | Plus | Shl | Shr | Slash | Star,
            ) => true,
            TokenKind::Ident => matches!(self.text_of(next), "and" | "or"),
            _ => false,
        }
    }

    fn if_statement(&mut self) -> Parsed<Stmt> {
        let token = self.bump();
        let condition = self.expr()?;
        let then = self.block()?;
        let mut otherwise = Vec::new();
        if self.eat_word("else") {
            otherwise = if self.at_word("if") {
                vec![self.deeper(|p| p.if_statement())?]
            } else {
                self.block()?
            };
        }
        let span = self.since(token.start);
        Ok(Stmt { kind: StmtKind::If(condition, then, otherwise), span })
    }

    fn assignment(&mut self) -> Parsed<StmtKind> {
        if !self.at_name() {
            return self.unexpected("a statement");
        }
        let next = self.nth(1);
        if next.kind == TokenKind::Punct(Punct::ParenOpen) {
            let name = self.name("a statement")?;
            let start = name.span.start;
            let args = self.call_args()?;
            let span = self.since(start);
            return Ok(StmtKind::Call(self.node(ExprKind::Call(name, args), span)?));
        }
        let name = self.name("a statement")?;
        let mut key = None;
        if self.at(Punct::BracketOpen) {
            self.glue();
            self.bump();
            self.glue();
            key = Some(self.expr()?);
            self.expect_tight(Punct::BracketClose)?;
        }
        let token = self.peek();
        let op = match token.kind {
            TokenKind::Punct(Punct::Eq) => None,
            TokenKind::Punct(Punct::PlusEq) => Some(BinaryOp::Add),
            TokenKind::Punct(Punct::MinusEq) => Some(BinaryOp::Sub),
            TokenKind::Punct(Punct::StarEq) => Some(BinaryOp::Mul),
            TokenKind::Punct(Punct::EqEq) => {
                let span = self.span_of(token);
                return self.report(
                    Diagnostic::error(Code::Unexpected, span, "expected `=`, found `==`")
                        .rule("`==` compares, `=` assigns"),
                );
            }
            _ => return self.unexpected("`=`, `+=`, `-=` or `*=`"),
        };
        self.bump();
        let value = self.expr()?;
        Ok(match key {
            None => StmtKind::Assign(name, op, value),
            Some(key) => StmtKind::AssignIndex(name, key, op, value),
        })
    }

    /// `n: int = 0` after `var`.
    pub(super) fn var(&mut self) -> Parsed<Var> {
        let name = self.name("the name of the variable")?;
        let ty = self.optional_type()?;
        let init = if self.eat(Punct::Eq) { Some(self.expr()?) } else { None };
        Ok(Var { name, ty, init })
    }
}
