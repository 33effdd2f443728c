//! Expressions, by precedence.

use std::ops::Range;

use watchword_model::Span;

use super::{Lost, MAX_CHAIN, MAX_DEPTH, Parse, Parser, is_name};
use crate::diagnostic::{Code, Diagnostic};
use crate::tokens::Tokens;
use crate::verde::python::lexer::{FormatPart, Token, lex};
use crate::verde::python::tree::{Comparison, Expr, ExprKind, Name, Op, Piece};

impl Parser<'_> {
    /// An expression, or several with commas between.
    pub(super) fn tuple(&mut self) -> Parse<Expr> {
        let first = self.expr()?;
        if !self.tokens.is_symbol(",") {
            return Ok(first);
        }
        let start = first.span;
        let mut items = vec![first];
        while self.tokens.eat_symbol(",") {
            let ends = matches!(self.tokens.peek(), Token::Newline | Token::End)
                || [")", "]", ";", "="].iter().any(|s| self.tokens.is_symbol(s));
            if ends {
                break;
            }
            items.push(self.expr()?);
        }
        Ok(Expr { kind: ExprKind::Tuple(items), span: start.to(self.tokens.last()) })
    }

    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.nested(|parser| {
            let value = parser.binary(0)?;
            if !parser.tokens.eat("if") {
                return Ok(value);
            }
            let condition = parser.binary(0)?;
            if !parser.tokens.eat("else") {
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
            2 if self.tokens.is("not") => {
                return self.nested(|parser| {
                    let start = parser.tokens.span();
                    parser.tokens.advance();
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
            self.tokens.advance();
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
        Some(match (level, self.tokens.peek()) {
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
                self.tokens.advance();
            }
            rest.push((comparison, self.binary(4)?));
            if rest.len() > MAX_CHAIN {
                return self.unexpected("a chain of fewer comparisons");
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
        let next = |word: &str| matches!(self.tokens.nth(1), Token::Word(w) if w == word);
        Some(match self.tokens.peek() {
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
        let start = self.tokens.span();
        let minus = self.tokens.is_symbol("-");
        if minus || self.tokens.is_symbol("~") || self.tokens.is_symbol("+") {
            let plus = self.tokens.is_symbol("+");
            return self.nested(|parser| {
                parser.tokens.advance();
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
        if self.tokens.is_symbol("**") {
            let why = "powers exceed 64 bits soon; multiply instead";
            return self.outside(self.tokens.span(), "`**` is not in the subset".into(), why);
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
            let kind = if self.tokens.eat_symbol("[") {
                if self.tokens.is_symbol(":") {
                    return self.slice();
                }
                let index = self.expr()?;
                if self.tokens.is_symbol(":") {
                    return self.slice();
                }
                self.expect_symbol("]")?;
                ExprKind::Index(Box::new(value), Box::new(index))
            } else if self.tokens.eat_symbol(".") {
                let name = self.name("the name of a method")?;
                if !self.tokens.is_symbol("(") {
                    let why = "take a value of the program as a parameter of the event: `x = p->x`";
                    let what = "attributes are not in the subset".to_string();
                    return self.outside(name.span, what, why);
                }
                ExprKind::Method(Box::new(value), name, self.arguments()?)
            } else if self.tokens.is_symbol("(") {
                let ExprKind::Name(name) = &value.kind else {
                    return self
                        .unexpected("an operator, because only named functions can be called,");
                };
                let name = Name { text: name.clone(), span: value.span };
                ExprKind::Call(name, self.arguments()?)
            } else {
                return Ok(value);
            };
            value = Expr { kind, span: start.to(self.tokens.last()) };
        }
    }

    fn slice<T>(&mut self) -> Parse<T> {
        let why = "take elements one by one";
        self.outside(
            self.tokens.span(),
            "slices of lists and texts are not in the subset".into(),
            why,
        )
    }

    fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.expect_symbol("(")?;
        let mut args = Vec::new();
        while !self.tokens.eat_symbol(")") {
            if self.tokens.is_symbol("*") || self.tokens.is_symbol("**") {
                let why = "arguments are given one by one";
                return self.outside(
                    self.tokens.span(),
                    "`*` before an argument is not in the subset".into(),
                    why,
                );
            }
            if matches!(
                (self.tokens.peek(), self.tokens.nth(1)),
                (Token::Word(_), Token::Symbol("="))
            ) {
                let why = "arguments are given in order";
                return self.outside(
                    self.tokens.span(),
                    "arguments by name are not in the subset".into(),
                    why,
                );
            }
            args.push(self.expr()?);
            if self.tokens.is("for") {
                let why = "write the loop as a statement";
                return self.outside(
                    self.tokens.span(),
                    "comprehensions are not in the subset".into(),
                    why,
                );
            }
            if !self.tokens.is_symbol(")") {
                self.expect_symbol(",")?;
            }
        }
        Ok(args)
    }

    fn primary(&mut self) -> Parse<Expr> {
        let start = self.tokens.span();
        let kind = match self.tokens.peek().clone() {
            Token::Int(i) => {
                self.tokens.advance();
                ExprKind::Int(i)
            }
            Token::Float(f) => {
                self.tokens.advance();
                ExprKind::Float(f)
            }
            Token::Str(_) | Token::Format(_) => self.text_of()?,
            Token::Word(word) => match word.as_str() {
                "True" | "False" => {
                    self.tokens.advance();
                    ExprKind::Bool(word == "True")
                }
                "None" => {
                    self.tokens.advance();
                    ExprKind::None
                }
                "print" if *self.tokens.nth(1) == Token::Symbol("(") => {
                    self.tokens.advance();
                    ExprKind::Name(word)
                }
                _ if is_name(&word) => {
                    self.tokens.advance();
                    ExprKind::Name(word)
                }
                _ => return self.unexpected("a value"),
            },
            Token::Symbol("(") => {
                self.tokens.advance();
                if self.tokens.eat_symbol(")") {
                    ExprKind::Tuple(Vec::new())
                } else {
                    let inner = self.nested(Self::tuple)?;
                    self.no_comprehension()?;
                    self.expect_symbol(")")?;
                    return Ok(inner);
                }
            }
            Token::Symbol("[") => {
                self.tokens.advance();
                let mut items = Vec::new();
                while !self.tokens.eat_symbol("]") {
                    items.push(self.expr()?);
                    self.no_comprehension()?;
                    if !self.tokens.is_symbol("]") {
                        self.expect_symbol(",")?;
                    }
                }
                ExprKind::List(items)
            }
            Token::Symbol("{") => {
                self.tokens.advance();
                let mut entries = Vec::new();
                while !self.tokens.eat_symbol("}") {
                    let key = self.expr()?;
                    if self.tokens.is_symbol(",") || self.tokens.is_symbol("}") {
                        let why = "use a dict with `True` for every element instead";
                        return self.outside(key.span, "sets are not in the subset".into(), why);
                    }
                    self.expect_symbol(":")?;
                    entries.push((key, self.expr()?));
                    self.no_comprehension()?;
                    if !self.tokens.is_symbol("}") {
                        self.expect_symbol(",")?;
                    }
                }
                ExprKind::Dict(entries)
            }
            _ => return self.unexpected("a value"),
        };
        Ok(Expr { kind, span: start.to(self.tokens.last()) })
    }

    fn no_comprehension(&mut self) -> Parse<()> {
        if self.tokens.is("for") {
            let why = "write the loop as a statement";
            return self.outside(
                self.tokens.span(),
                "comprehensions are not in the subset".into(),
                why,
            );
        }
        Ok(())
    }

    /// A text, or several that stand side by side.
    fn text_of(&mut self) -> Parse<ExprKind> {
        let mut pieces: Vec<Piece> = Vec::new();
        loop {
            match self.tokens.peek().clone() {
                Token::Str(text) => {
                    self.tokens.advance();
                    push_text(&mut pieces, &text);
                }
                Token::Format(parts) => {
                    self.tokens.advance();
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
                tokens: Tokens::new(tokens),
                depth: self.depth,
                loops: 0,
                said: &mut *self.said,
            };
            let value = inner.expr()?;
            if matches!(inner.tokens.peek(), Token::Newline | Token::End) {
                return Ok(value);
            }
        }
        let what = "write only a value in the braces of a text".to_string();
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
