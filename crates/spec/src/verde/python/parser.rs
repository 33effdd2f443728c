//! From words of Python to its tree. A statement that cannot be read is told of and skipped.

use std::ops::Range;

use watchword_model::{FileId, Span};

use super::lexer::{FormatPart, Lexed, Token, lex};
use super::tree::{Comparison, Expr, ExprKind, Function, Name, Op, Piece, Stmt, StmtKind};
use crate::diagnostic::{Code, Diagnostic};

/// Blocks and expressions nest no deeper.
const MAX_DEPTH: usize = 48;
/// An expression has no more operators in a row.
const MAX_CHAIN: usize = 200;

/// Words that begin what is not in the subset, and why.
const REFUSED: [(&str, &str); 17] = [
    ("import", "blocks use nothing but the companion functions"),
    ("from", "blocks use nothing but the companion functions"),
    ("class", "there are no classes"),
    ("lambda", "functions have names and stand in the companion file"),
    ("try", "there are no exceptions: what goes wrong makes the transition not relevant"),
    ("raise", "there are no exceptions: what goes wrong makes the transition not relevant"),
    ("except", "there are no exceptions: what goes wrong makes the transition not relevant"),
    ("finally", "there are no exceptions: what goes wrong makes the transition not relevant"),
    ("with", "there is nothing to open and close"),
    ("yield", "there are no generators"),
    ("async", "there are no coroutines"),
    ("await", "there are no coroutines"),
    ("global", "functions keep nothing between calls; what lasts is the property's environment"),
    ("nonlocal", "functions keep nothing between calls; what lasts is the property's environment"),
    ("assert", "say what is wrong by a non-accepting state"),
    ("def", "functions stand in the companion file, not inside of anything"),
    ("match", "write `if` and `elif`"),
];

/// Words that are no names.
const KEYWORDS: [&str; 20] = [
    "if", "elif", "else", "while", "for", "in", "is", "and", "or", "not", "break", "continue",
    "pass", "return", "del", "True", "False", "None", "as", "print",
];

/// The statements of a block.
pub fn parse_block(
    file: FileId,
    text: &str,
    range: Range<usize>,
    said: &mut Vec<Diagnostic>,
) -> Vec<Stmt> {
    let tokens = lex(file, text, range, said);
    let mut parser = Parser { file, text, tokens, at: 0, depth: 0, loops: 0, said };
    let mut stmts = Vec::new();
    while *parser.peek() != Token::End && parser.said.len() <= super::super::MAX_ERRORS {
        parser.line(&mut stmts);
    }
    stmts
}

/// The functions of a companion file, and the constants beside them.
pub fn parse_module(
    file: FileId,
    text: &str,
    said: &mut Vec<Diagnostic>,
) -> (Vec<Function>, Vec<(Name, Expr)>) {
    let tokens = lex(file, text, 0..text.len(), said);
    let mut parser = Parser { file, text, tokens, at: 0, depth: 0, loops: 0, said };
    let (mut functions, mut constants) = (Vec::new(), Vec::new());
    while *parser.peek() != Token::End && parser.said.len() <= super::super::MAX_ERRORS {
        if parser.is("def") {
            match parser.function() {
                Ok(function) => functions.push(function),
                Err(Lost) => parser.recover(),
            }
            continue;
        }
        let mut stmts = Vec::new();
        parser.line(&mut stmts);
        for stmt in stmts {
            match stmt.kind {
                // A text alone is a remark, as Python has them.
                StmtKind::Expr(Expr { kind: ExprKind::Str(_), .. }) | StmtKind::Pass => {}
                StmtKind::Assign(targets, value) if targets.len() == 1 && is_literal(&value) => {
                    match &targets[0].kind {
                        ExprKind::Name(name) => {
                            let name = Name { text: name.clone(), span: targets[0].span };
                            constants.push((name, value));
                        }
                        _ => parser.only_functions(stmt.span),
                    }
                }
                _ => parser.only_functions(stmt.span),
            }
        }
    }
    (functions, constants)
}

fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Bool(_)
        | ExprKind::None => true,
        ExprKind::Negate(inner) => matches!(inner.kind, ExprKind::Int(_) | ExprKind::Float(_)),
        ExprKind::List(items) | ExprKind::Tuple(items) => items.iter().all(is_literal),
        ExprKind::Dict(entries) => entries.iter().all(|(k, v)| is_literal(k) && is_literal(v)),
        _ => false,
    }
}

/// The place where reading stopped; what is to be said about it has been said.
struct Lost;

type Parse<T> = Result<T, Lost>;

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    tokens: Vec<Lexed>,
    at: usize,
    depth: usize,
    /// How many loops the statement is in.
    loops: usize,
    said: &'t mut Vec<Diagnostic>,
}

impl Parser<'_> {
    fn nth(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].token
    }

    fn peek(&self) -> &Token {
        self.nth(0)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.is(word);
        if found {
            self.advance();
        }
        found
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(s) if *s == symbol)
    }

    fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn outside<T>(&mut self, span: Span, what: String, why: &str) -> Parse<T> {
        self.said.push(Diagnostic::error(Code::VerdePython, span, what).rule(why));
        Err(Lost)
    }

    fn only_functions(&mut self, span: Span) {
        let message = "beside functions a companion file has constants only";
        self.said.push(
            Diagnostic::error(Code::VerdePython, span, message)
                .rule("functions keep nothing between calls"),
        );
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        let found = match self.peek() {
            Token::Word(word) => {
                if let Some((_, why)) = REFUSED.iter().find(|(w, _)| w == word) {
                    let message = format!("`{word}` is not in the subset of Python");
                    return self.outside(self.span(), message, why);
                }
                format!("`{word}`")
            }
            Token::Int(_) | Token::Float(_) => "a number".to_string(),
            Token::Str(_) | Token::Format(_) => "a text".to_string(),
            Token::Symbol(s) => format!("`{s}`"),
            Token::Newline => "the end of the line".to_string(),
            Token::Indent => "a line that is indented".to_string(),
            Token::Dedent => "the end of the block".to_string(),
            Token::End => "the end of the block".to_string(),
        };
        let message = format!("expected {expected}, found {found}");
        self.said.push(Diagnostic::error(Code::Unexpected, self.span(), message));
        Err(Lost)
    }

    fn expect_symbol(&mut self, symbol: &str) -> Parse<()> {
        if self.eat_symbol(symbol) { Ok(()) } else { self.unexpected(&format!("`{symbol}`")) }
    }

    fn name(&mut self, what: &str) -> Parse<Name> {
        let span = self.span();
        match self.peek().clone() {
            Token::Word(text) if is_name(&text) => {
                self.advance();
                Ok(Name { text, span })
            }
            _ => self.unexpected(what),
        }
    }

    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} deep");
            self.said.push(Diagnostic::error(Code::TooDeep, self.span(), message));
            return Err(Lost);
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Goes on after the line and the block that may hang on it.
    fn recover(&mut self) {
        while !matches!(self.peek(), Token::Newline | Token::Dedent | Token::End) {
            self.advance();
        }
        if *self.peek() == Token::Newline {
            self.advance();
        }
        if *self.peek() == Token::Indent {
            let mut open = 0usize;
            loop {
                match self.peek() {
                    Token::Indent => open += 1,
                    Token::Dedent => open -= 1,
                    Token::End => return,
                    _ => {}
                }
                self.advance();
                if open == 0 {
                    return;
                }
            }
        }
    }

    /// The statements of a line.
    fn line(&mut self, stmts: &mut Vec<Stmt>) {
        match self.peek() {
            Token::Newline | Token::Dedent => return self.advance(),
            Token::Indent => {
                let message = "this line is indented for no reason";
                self.said.push(Diagnostic::error(Code::Unexpected, self.span(), message));
                return self.recover();
            }
            _ => {}
        }
        if self.line_of(stmts).is_err() {
            self.recover();
        }
    }

    fn line_of(&mut self, stmts: &mut Vec<Stmt>) -> Parse<()> {
        let compound = self.is("if") || self.is("while") || self.is("for");
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
            if matches!(self.peek(), Token::Newline | Token::End) {
                break;
            }
            let stmt = self.statement()?;
            stmts.push(stmt);
            if !self.eat_symbol(";") {
                break;
            }
        }
        match self.peek() {
            Token::Newline => self.advance(),
            Token::End | Token::Dedent => {}
            _ => return self.unexpected("the end of the line or `;`"),
        }
        Ok(())
    }

    /// What hangs on a `:`.
    fn suite(&mut self) -> Parse<Vec<Stmt>> {
        self.expect_symbol(":")?;
        let mut stmts = Vec::new();
        if *self.peek() != Token::Newline {
            if self.is("if") || self.is("while") || self.is("for") {
                return self
                    .unexpected("a simple statement, or an indented block on its own lines,");
            }
            self.simple(&mut stmts)?;
            if stmts.is_empty() {
                return self.unexpected("a statement");
            }
            return Ok(stmts);
        }
        self.advance();
        if *self.peek() != Token::Indent {
            return self.unexpected("an indented line");
        }
        self.advance();
        while !matches!(self.peek(), Token::Dedent | Token::End) {
            if self.said.len() > super::super::MAX_ERRORS {
                return Err(Lost);
            }
            self.line(&mut stmts);
        }
        if *self.peek() == Token::Dedent {
            self.advance();
        }
        Ok(stmts)
    }

    fn compound(&mut self) -> Parse<Stmt> {
        let start = self.span();
        let kind = if self.eat("while") {
            let condition = self.expr()?;
            StmtKind::While(condition, self.looped()?)
        } else if self.eat("for") {
            let name = self.name("the name of a variable")?;
            if self.is_symbol(",") {
                let why = "a loop has one variable";
                return self.outside(
                    self.span(),
                    "loops over pairs are not in the subset".into(),
                    why,
                );
            }
            if !self.eat("in") {
                return self.unexpected("`in`");
            }
            let items = self.expr()?;
            StmtKind::For(name, items, self.looped()?)
        } else {
            // `if` or `elif`.
            self.advance();
            let condition = self.expr()?;
            let then = self.suite()?;
            let otherwise = if self.is("elif") {
                vec![self.nested(Self::compound)?]
            } else if self.eat("else") {
                self.suite()?
            } else {
                Vec::new()
            };
            StmtKind::If(condition, then, otherwise)
        };
        Ok(Stmt { kind, span: start.to(self.last()) })
    }

    fn looped(&mut self) -> Parse<Vec<Stmt>> {
        self.loops += 1;
        let body = self.suite();
        self.loops -= 1;
        if self.is("else") {
            let why = "`else` belongs to `if`";
            return self.outside(
                self.span(),
                "`else` after a loop is not in the subset".into(),
                why,
            );
        }
        body
    }

    fn statement(&mut self) -> Parse<Stmt> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Word(word) => match word.as_str() {
                "pass" => {
                    self.advance();
                    StmtKind::Pass
                }
                "break" | "continue" => {
                    self.advance();
                    if self.loops == 0 {
                        let message = format!("`{word}` outside of a loop");
                        self.said.push(Diagnostic::error(Code::OutsideLoop, start, message));
                    }
                    if word == "break" { StmtKind::Break } else { StmtKind::Continue }
                }
                "return" => {
                    self.advance();
                    let ends =
                        matches!(self.peek(), Token::Newline | Token::End) || self.is_symbol(";");
                    StmtKind::Return(if ends { None } else { Some(self.tuple()?) })
                }
                "del" => {
                    self.advance();
                    StmtKind::Delete(self.expr()?)
                }
                "print" if matches!(self.nth(1), Token::Str(_) | Token::Word(_)) => {
                    let why = "`print` is a function: `print(x)`";
                    return self.outside(start, "this is Python 2".into(), why);
                }
                _ => self.assignment()?,
            },
            _ => self.assignment()?,
        };
        Ok(Stmt { kind, span: start.to(self.last()) })
    }

    fn assignment(&mut self) -> Parse<StmtKind> {
        let first = self.tuple()?;
        let op = match self.peek() {
            Token::Symbol("=") => {
                let mut parts = vec![first];
                while self.eat_symbol("=") {
                    parts.push(self.tuple()?);
                    if parts.len() > MAX_CHAIN {
                        return self.unexpected("the end of the line");
                    }
                }
                let value = parts.pop().expect("there are two at least");
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
                let why = "types are written in the list of an event's parameters";
                let what = "annotations of variables are not in the subset".to_string();
                return self.outside(self.span(), what, why);
            }
            _ => return Ok(StmtKind::Expr(first)),
        };
        self.advance();
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

    fn function(&mut self) -> Parse<Function> {
        self.advance();
        let name = self.name("the name of a function")?;
        self.expect_symbol("(")?;
        let mut params: Vec<Name> = Vec::new();
        while !self.eat_symbol(")") {
            let param = self.name("the name of a parameter")?;
            if params.iter().any(|p| p.text == param.text) {
                let message = format!("two parameters are called `{}`", param.text);
                self.said.push(Diagnostic::error(Code::DeclaredTwice, param.span, message));
                return Err(Lost);
            }
            params.push(param);
            if self.eat_symbol(":") {
                self.expr()?;
            }
            if self.is_symbol("=") {
                let what = "defaults of parameters are not in the subset".to_string();
                return self.outside(self.span(), what, "a call gives all arguments");
            }
            if !self.is_symbol(")") {
                self.expect_symbol(",")?;
            }
        }
        if self.eat_symbol("->") {
            self.expr()?;
        }
        let body = self.nested(Self::suite)?;
        Ok(Function { name, params, body })
    }

    /// An expression, or several with commas between.
    fn tuple(&mut self) -> Parse<Expr> {
        let first = self.expr()?;
        if !self.is_symbol(",") {
            return Ok(first);
        }
        let start = first.span;
        let mut items = vec![first];
        while self.eat_symbol(",") {
            let ends = matches!(self.peek(), Token::Newline | Token::End)
                || [")", "]", ";", "="].iter().any(|s| self.is_symbol(s));
            if ends {
                break;
            }
            items.push(self.expr()?);
        }
        Ok(Expr { kind: ExprKind::Tuple(items), span: start.to(self.last()) })
    }

    fn expr(&mut self) -> Parse<Expr> {
        self.nested(|parser| {
            let value = parser.binary(0)?;
            if !parser.eat("if") {
                return Ok(value);
            }
            let condition = parser.binary(0)?;
            if !parser.eat("else") {
                return parser.unexpected("`else`");
            }
            let otherwise = parser.expr()?;
            let span = value.span.to(otherwise.span);
            let parts = (Box::new(condition), Box::new(value), Box::new(otherwise));
            Ok(Expr { kind: ExprKind::Conditional(parts.0, parts.1, parts.2), span })
        })
    }

    /// `or`, `and`, `not`, comparisons, `|`, `^`, `&`, shifts, sums, products.
    fn binary(&mut self, level: usize) -> Parse<Expr> {
        match level {
            2 if self.is("not") => {
                return self.nested(|parser| {
                    let start = parser.span();
                    parser.advance();
                    let operand = parser.binary(2)?;
                    let span = start.to(operand.span);
                    Ok(Expr { kind: ExprKind::Not(Box::new(operand)), span })
                });
            }
            3 => return self.comparison(),
            10 => return self.unary(),
            _ => {}
        }
        let mut left = self.binary(level + 1)?;
        let mut chain = 0;
        while let Some(operator) = self.operator(level) {
            self.advance();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            chain += 1;
            if chain > MAX_CHAIN {
                let message = format!("more than {MAX_CHAIN} operators in a row");
                self.said.push(Diagnostic::error(Code::TooDeep, span, message));
                return Err(Lost);
            }
            let (left_box, right) = (Box::new(left), Box::new(right));
            let kind = match operator {
                Operator::Or => ExprKind::Or(left_box, right),
                Operator::And => ExprKind::And(left_box, right),
                Operator::Op(op) => ExprKind::Binary(op, left_box, right),
            };
            left = Expr { kind, span };
        }
        Ok(left)
    }

    fn operator(&self, level: usize) -> Option<Operator> {
        Some(match (level, self.peek()) {
            (0, Token::Word(w)) if w == "or" => Operator::Or,
            (1, Token::Word(w)) if w == "and" => Operator::And,
            (4, Token::Symbol("|")) => Operator::Op(Op::BitOr),
            (5, Token::Symbol("^")) => Operator::Op(Op::BitXor),
            (6, Token::Symbol("&")) => Operator::Op(Op::BitAnd),
            (7, Token::Symbol("<<")) => Operator::Op(Op::Shl),
            (7, Token::Symbol(">>")) => Operator::Op(Op::Shr),
            (8, Token::Symbol("+")) => Operator::Op(Op::Add),
            (8, Token::Symbol("-")) => Operator::Op(Op::Sub),
            (9, Token::Symbol("*")) => Operator::Op(Op::Mul),
            (9, Token::Symbol("/")) => Operator::Op(Op::Div),
            (9, Token::Symbol("//")) => Operator::Op(Op::FloorDiv),
            (9, Token::Symbol("%")) => Operator::Op(Op::Mod),
            _ => return None,
        })
    }

    fn comparison(&mut self) -> Parse<Expr> {
        let first = self.binary(4)?;
        let mut rest = Vec::new();
        while let Some((comparison, words)) = self.comparison_operator() {
            for _ in 0..words {
                self.advance();
            }
            rest.push((comparison, self.binary(4)?));
            if rest.len() > MAX_CHAIN {
                return self.unexpected("fewer comparisons in a row");
            }
        }
        match rest.last() {
            None => Ok(first),
            Some((_, last)) => {
                let span = first.span.to(last.span);
                Ok(Expr { kind: ExprKind::Compare(Box::new(first), rest), span })
            }
        }
    }

    fn comparison_operator(&self) -> Option<(Comparison, usize)> {
        let next = |word: &str| matches!(self.nth(1), Token::Word(w) if w == word);
        Some(match self.peek() {
            Token::Symbol("==") => (Comparison::Eq, 1),
            Token::Symbol("!=") => (Comparison::Ne, 1),
            Token::Symbol("<") => (Comparison::Lt, 1),
            Token::Symbol("<=") => (Comparison::Le, 1),
            Token::Symbol(">") => (Comparison::Gt, 1),
            Token::Symbol(">=") => (Comparison::Ge, 1),
            Token::Word(w) if w == "in" => (Comparison::In, 1),
            Token::Word(w) if w == "not" && next("in") => (Comparison::NotIn, 2),
            Token::Word(w) if w == "is" && next("not") => (Comparison::IsNot, 2),
            Token::Word(w) if w == "is" => (Comparison::Is, 1),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parse<Expr> {
        let start = self.span();
        let minus = self.is_symbol("-");
        if minus || self.is_symbol("~") || self.is_symbol("+") {
            let plus = self.is_symbol("+");
            return self.nested(|parser| {
                parser.advance();
                let operand = parser.unary()?;
                if plus {
                    return Ok(operand);
                }
                let span = start.to(operand.span);
                let operand = Box::new(operand);
                let kind =
                    if minus { ExprKind::Negate(operand) } else { ExprKind::Invert(operand) };
                Ok(Expr { kind, span })
            });
        }
        let value = self.postfix()?;
        if self.is_symbol("**") {
            let why = "powers leave 64 bits too soon; multiply";
            return self.outside(self.span(), "`**` is not in the subset".into(), why);
        }
        Ok(value)
    }

    fn postfix(&mut self) -> Parse<Expr> {
        let mut value = self.primary()?;
        let mut length = 0;
        loop {
            length += 1;
            if length > MAX_DEPTH {
                let message = format!("more than {MAX_DEPTH} elements and methods in a row");
                self.said.push(Diagnostic::error(Code::TooDeep, value.span, message));
                return Err(Lost);
            }
            let start = value.span;
            let kind = if self.eat_symbol("[") {
                if self.is_symbol(":") {
                    return self.slice();
                }
                let index = self.expr()?;
                if self.is_symbol(":") {
                    return self.slice();
                }
                self.expect_symbol("]")?;
                ExprKind::Index(Box::new(value), Box::new(index))
            } else if self.eat_symbol(".") {
                let name = self.name("the name of a method")?;
                if !self.is_symbol("(") {
                    let why = "values of the program are parameters of events: `x = p->x`";
                    let what = "attributes are not in the subset".to_string();
                    return self.outside(name.span, what, why);
                }
                ExprKind::Method(Box::new(value), name, self.arguments()?)
            } else if self.is_symbol("(") {
                let ExprKind::Name(name) = &value.kind else {
                    return self
                        .unexpected("an operator, as only functions with names are called,");
                };
                let name = Name { text: name.clone(), span: value.span };
                ExprKind::Call(name, self.arguments()?)
            } else {
                return Ok(value);
            };
            value = Expr { kind, span: start.to(self.last()) };
        }
    }

    fn slice<T>(&mut self) -> Parse<T> {
        let why = "take elements one by one";
        self.outside(self.span(), "slices of lists and texts are not in the subset".into(), why)
    }

    fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.expect_symbol("(")?;
        let mut args = Vec::new();
        while !self.eat_symbol(")") {
            if self.is_symbol("*") || self.is_symbol("**") {
                let why = "arguments are given one by one";
                return self.outside(
                    self.span(),
                    "`*` before an argument is not in the subset".into(),
                    why,
                );
            }
            if matches!((self.peek(), self.nth(1)), (Token::Word(_), Token::Symbol("="))) {
                let why = "arguments are given in order";
                return self.outside(
                    self.span(),
                    "arguments by name are not in the subset".into(),
                    why,
                );
            }
            args.push(self.expr()?);
            if self.is("for") {
                let why = "write the loop as a statement";
                return self.outside(
                    self.span(),
                    "comprehensions are not in the subset".into(),
                    why,
                );
            }
            if !self.is_symbol(")") {
                self.expect_symbol(",")?;
            }
        }
        Ok(args)
    }

    fn primary(&mut self) -> Parse<Expr> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Int(i) => {
                self.advance();
                ExprKind::Int(i)
            }
            Token::Float(f) => {
                self.advance();
                ExprKind::Float(f)
            }
            Token::Str(_) | Token::Format(_) => self.text_of()?,
            Token::Word(word) => match word.as_str() {
                "True" | "False" => {
                    self.advance();
                    ExprKind::Bool(word == "True")
                }
                "None" => {
                    self.advance();
                    ExprKind::None
                }
                "print" if *self.nth(1) == Token::Symbol("(") => {
                    self.advance();
                    ExprKind::Name(word)
                }
                _ if is_name(&word) => {
                    self.advance();
                    ExprKind::Name(word)
                }
                _ => return self.unexpected("a value"),
            },
            Token::Symbol("(") => {
                self.advance();
                if self.eat_symbol(")") {
                    ExprKind::Tuple(Vec::new())
                } else {
                    let inner = self.nested(Self::tuple)?;
                    self.no_comprehension()?;
                    self.expect_symbol(")")?;
                    return Ok(inner);
                }
            }
            Token::Symbol("[") => {
                self.advance();
                let mut items = Vec::new();
                while !self.eat_symbol("]") {
                    items.push(self.expr()?);
                    self.no_comprehension()?;
                    if !self.is_symbol("]") {
                        self.expect_symbol(",")?;
                    }
                }
                ExprKind::List(items)
            }
            Token::Symbol("{") => {
                self.advance();
                let mut entries = Vec::new();
                while !self.eat_symbol("}") {
                    let key = self.expr()?;
                    if self.is_symbol(",") || self.is_symbol("}") {
                        let why = "a dict with `True` for every element does as well";
                        return self.outside(key.span, "sets are not in the subset".into(), why);
                    }
                    self.expect_symbol(":")?;
                    entries.push((key, self.expr()?));
                    self.no_comprehension()?;
                    if !self.is_symbol("}") {
                        self.expect_symbol(",")?;
                    }
                }
                ExprKind::Dict(entries)
            }
            _ => return self.unexpected("a value"),
        };
        Ok(Expr { kind, span: start.to(self.last()) })
    }

    fn no_comprehension(&mut self) -> Parse<()> {
        if self.is("for") {
            let why = "write the loop as a statement";
            return self.outside(self.span(), "comprehensions are not in the subset".into(), why);
        }
        Ok(())
    }

    /// A text, or several that stand side by side.
    fn text_of(&mut self) -> Parse<ExprKind> {
        let mut pieces: Vec<Piece> = Vec::new();
        loop {
            match self.peek().clone() {
                Token::Str(text) => {
                    self.advance();
                    push_text(&mut pieces, &text);
                }
                Token::Format(parts) => {
                    self.advance();
                    for part in parts {
                        match part {
                            FormatPart::Text(text) => push_text(&mut pieces, &text),
                            FormatPart::Expr(range) => {
                                pieces.push(Piece::Value(self.embedded(range)?));
                            }
                        }
                    }
                }
                _ => break,
            }
        }
        Ok(match &pieces[..] {
            [] => ExprKind::Str(String::new()),
            [Piece::Text(text)] => ExprKind::Str(text.clone()),
            _ => ExprKind::Format(pieces),
        })
    }

    /// The expression of an f-string.
    fn embedded(&mut self, range: Range<usize>) -> Parse<Expr> {
        let span = Span { file: self.file, start: range.start as u32, end: range.end as u32 };
        let text = &self.text[range.clone()];
        // Its indentation means nothing.
        let start = range.start + (text.len() - text.trim_start().len());
        let converts = text.replace("!=", "").contains('!');
        if !converts {
            let tokens = lex(self.file, self.text, start..range.end, self.said);
            let mut inner = Parser {
                file: self.file,
                text: self.text,
                tokens,
                at: 0,
                depth: self.depth,
                loops: 0,
                said: &mut *self.said,
            };
            let value = inner.expr()?;
            if matches!(inner.peek(), Token::Newline | Token::End) {
                return Ok(value);
            }
        }
        let what = "only the value alone stands in the braces of a text".to_string();
        let why = "`!r`, `=` and formats such as `:>8` are not in the subset";
        self.outside(span, what, why)
    }
}

fn push_text(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(last)) => last.push_str(text),
        Some(Piece::Value(_)) if text.is_empty() => {}
        _ => pieces.push(Piece::Text(text.to_string())),
    }
}

enum Operator {
    Or,
    And,
    Op(Op),
}

fn is_name(word: &str) -> bool {
    !KEYWORDS.contains(&word) && !REFUSED.iter().any(|(refused, _)| *refused == word)
}
