//! Statements and the lines they stand in.

use super::{Lost, MAX_CHAIN, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::verde::python::lexer::Token;
use crate::verde::python::tree::{Expr, ExprKind, Function, Name, Op, Stmt, StmtKind};

impl Parser<'_> {
    /// The statements of a line.
    pub(super) fn line(&mut self, stmts: &mut Vec<Stmt>) {
        match self.tokens.peek() {
            Token::Newline | Token::Dedent => return self.tokens.advance(),
            Token::Indent => {
                let message = "this line is indented more than its block";
                self.said.push(Diagnostic::error(Code::Unexpected, self.tokens.span(), message));
                return self.tokens.skip_block();
            }
            _ => {}
        }
        if self.line_of(stmts).is_err() {
            self.tokens.skip_block();
        }
    }

    fn line_of(&mut self, stmts: &mut Vec<Stmt>) -> Parse<()> {
        let compound = self.tokens.is("if") || self.tokens.is("while") || self.tokens.is("for");
        if compound {
            let stmt = self.nested(Self::compound)?;
            stmts.push(stmt);
            return Ok(());
        }
        self.simple(stmts)
    }

    /// Simple statements up to the end of the line.
    fn simple(&mut self, stmts: &mut Vec<Stmt>) -> Parse<()> {
        loop {
            if matches!(self.tokens.peek(), Token::Newline | Token::End) {
                break;
            }
            let stmt = self.statement()?;
            stmts.push(stmt);
            if !self.tokens.eat_symbol(";") {
                break;
            }
        }
        match self.tokens.peek() {
            Token::Newline => self.tokens.advance(),
            Token::End | Token::Dedent => {}
            _ => return self.unexpected("the end of the line or `;`"),
        }
        Ok(())
    }

    /// What hangs on a `:`.
    fn suite(&mut self) -> Parse<Vec<Stmt>> {
        self.expect_symbol(":")?;
        let mut stmts = Vec::new();
        if *self.tokens.peek() != Token::Newline {
            if self.tokens.is("if") || self.tokens.is("while") || self.tokens.is("for") {
                return self
                    .unexpected("a simple statement, or an indented block on its own lines,");
            }
            self.simple(&mut stmts)?;
            if stmts.is_empty() {
                return self.unexpected("a statement");
            }
            return Ok(stmts);
        }
        self.tokens.advance();
        if *self.tokens.peek() != Token::Indent {
            return self.unexpected("an indented line");
        }
        self.tokens.advance();
        while !matches!(self.tokens.peek(), Token::Dedent | Token::End) {
            if self.said.len() > crate::verde::MAX_ERRORS {
                return Err(Lost);
            }
            self.line(&mut stmts);
        }
        if *self.tokens.peek() == Token::Dedent {
            self.tokens.advance();
        }
        Ok(stmts)
    }

    fn compound(&mut self) -> Parse<Stmt> {
        let start = self.tokens.span();
        let kind = if self.tokens.eat("while") {
            let condition = self.expr()?;
            StmtKind::While(condition, self.looped()?)
        } else if self.tokens.eat("for") {
            let name = self.name("the name of a variable")?;
            if self.tokens.is_symbol(",") {
                let why = "a loop has one variable";
                return self.outside(
                    self.tokens.span(),
                    "loops over pairs are not in the subset".into(),
                    why,
                );
            }
            if !self.tokens.eat("in") {
                return self.unexpected("`in`");
            }
            let items = self.expr()?;
            StmtKind::For(name, items, self.looped()?)
        } else {
            // `if` or `elif`.
            self.tokens.advance();
            let condition = self.expr()?;
            let then = self.suite()?;
            let otherwise = if self.tokens.is("elif") {
                vec![self.nested(Self::compound)?]
            } else if self.tokens.eat("else") {
                self.suite()?
            } else {
                Vec::new()
            };
            StmtKind::If(condition, then, otherwise)
        };
        Ok(Stmt { kind, span: start.to(self.tokens.last()) })
    }

    fn looped(&mut self) -> Parse<Vec<Stmt>> {
        self.loops += 1;
        let body = self.suite();
        self.loops -= 1;
        if self.tokens.is("else") {
            let why = "`else` belongs to `if`";
            return self.outside(
                self.tokens.span(),
                "`else` after a loop is not in the subset".into(),
                why,
            );
        }
        body
    }

    fn statement(&mut self) -> Parse<Stmt> {
        let start = self.tokens.span();
        let kind = match self.tokens.peek().clone() {
            Token::Word(word) => match word.as_str() {
                "pass" => {
                    self.tokens.advance();
                    StmtKind::Pass
                }
                "break" | "continue" => {
                    self.tokens.advance();
                    if self.loops == 0 {
                        let message = format!("`{word}` outside of a loop");
                        self.said.push(Diagnostic::error(Code::OutsideLoop, start, message));
                    }
                    if word == "break" { StmtKind::Break } else { StmtKind::Continue }
                }
                "return" => {
                    self.tokens.advance();
                    let ends = matches!(self.tokens.peek(), Token::Newline | Token::End)
                        || self.tokens.is_symbol(";");
                    StmtKind::Return(if ends { None } else { Some(self.tuple()?) })
                }
                "del" => {
                    self.tokens.advance();
                    StmtKind::Delete(self.expr()?)
                }
                "print" if matches!(self.tokens.nth(1), Token::Str(_) | Token::Word(_)) => {
                    let why = "`print` is a function: `print(x)`";
                    return self.outside(start, "this is Python 2".into(), why);
                }
                _ => self.assignment()?,
            },
            _ => self.assignment()?,
        };
        Ok(Stmt { kind, span: start.to(self.tokens.last()) })
    }

    fn assignment(&mut self) -> Parse<StmtKind> {
        let first = self.tuple()?;
        let op = match self.tokens.peek() {
            Token::Symbol("=") => {
                let mut parts = vec![first];
                while self.tokens.eat_symbol("=") {
                    parts.push(self.tuple()?);
                    if parts.len() > MAX_CHAIN {
                        return self.unexpected("the end of the line");
                    }
                }
                let value = parts.pop().expect("it is assigned to several names");
                for target in &parts {
                    self.assignable(target)?;
                }
                return Ok(StmtKind::Assign(parts, value));
            }
            Token::Symbol("+=") => Op::Add,
            Token::Symbol("-=") => Op::Sub,
            Token::Symbol("*=") => Op::Mul,
            Token::Symbol("/=") => Op::Div,
            Token::Symbol("//=") => Op::FloorDiv,
            Token::Symbol("%=") => Op::Mod,
            Token::Symbol("&=") => Op::BitAnd,
            Token::Symbol("|=") => Op::BitOr,
            Token::Symbol("^=") => Op::BitXor,
            Token::Symbol("<<=") => Op::Shl,
            Token::Symbol(">>=") => Op::Shr,
            Token::Symbol(":") => {
                let why = "write types in the list of an event's parameters";
                let what = "annotations of variables are not in the subset".to_string();
                return self.outside(self.tokens.span(), what, why);
            }
            _ => return Ok(StmtKind::Expr(first)),
        };
        self.tokens.advance();
        self.assignable(&first)?;
        let value = self.tuple()?;
        Ok(StmtKind::Augmented(first, op, value))
    }

    /// A name, or an element of something that is one in the end.
    fn assignable(&mut self, target: &Expr) -> Parse<()> {
        let mut root = target;
        while let ExprKind::Index(inner, _) = &root.kind {
            root = inner;
        }
        match &root.kind {
            ExprKind::Name(_) => Ok(()),
            ExprKind::Tuple(_) => {
                let why = "assign to one name at a time";
                let what = "assigning to several names at once is not in the subset".to_string();
                self.outside(target.span, what, why)
            }
            _ => {
                let message = "this cannot be assigned to";
                self.said.push(Diagnostic::error(Code::NotAssignable, target.span, message));
                Err(Lost)
            }
        }
    }

    pub(super) fn function(&mut self) -> Parse<Function> {
        self.tokens.advance();
        let name = self.name("the name of a function")?;
        self.expect_symbol("(")?;
        let mut params: Vec<Name> = Vec::new();
        while !self.tokens.eat_symbol(")") {
            let param = self.name("the name of a parameter")?;
            if params.iter().any(|p| p.text == param.text) {
                let message = format!("two parameters are called `{}`", param.text);
                self.said.push(Diagnostic::error(Code::DeclaredTwice, param.span, message));
                return Err(Lost);
            }
            params.push(param);
            if self.tokens.eat_symbol(":") {
                self.expr()?;
            }
            if self.tokens.is_symbol("=") {
                let what = "defaults of parameters are not in the subset".to_string();
                return self.outside(self.tokens.span(), what, "write all arguments in the call");
            }
            if !self.tokens.is_symbol(")") {
                self.expect_symbol(",")?;
            }
        }
        if self.tokens.eat_symbol("->") {
            self.expr()?;
        }
        let body = self.nested(Self::suite)?;
        Ok(Function { name, params, body })
    }
}
