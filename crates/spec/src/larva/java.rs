//! The Java inside scripts: expressions and statements.

use watchword_model::{BinaryOp, UnaryOp};

use super::cursor::{Cursor, Parsed};
use super::lexer::Tok;
use super::tree::{Expr, ExprKind, Name, Operator, Stmt, StmtKind, TypeName};
use crate::diagnostic::{Code, Diagnostic};

/// Operators with two operands and how tightly they bind.
const BINARY: [(&str, Operator, u8); 18] = [
    ("||", Operator::Or, 1),
    ("&&", Operator::And, 2),
    ("|", Operator::Plain(BinaryOp::BitOr), 3),
    ("^", Operator::Plain(BinaryOp::BitXor), 4),
    ("&", Operator::Plain(BinaryOp::BitAnd), 5),
    ("==", Operator::Plain(BinaryOp::Eq), 6),
    ("!=", Operator::Plain(BinaryOp::Ne), 6),
    ("<", Operator::Plain(BinaryOp::Lt), 7),
    (">", Operator::Plain(BinaryOp::Gt), 7),
    ("<=", Operator::Plain(BinaryOp::Le), 7),
    (">=", Operator::Plain(BinaryOp::Ge), 7),
    ("<<", Operator::Plain(BinaryOp::Shl), 8),
    (">>", Operator::Plain(BinaryOp::Shr), 8),
    ("+", Operator::Plain(BinaryOp::Add), 9),
    ("-", Operator::Plain(BinaryOp::Sub), 9),
    ("*", Operator::Plain(BinaryOp::Mul), 10),
    ("/", Operator::Plain(BinaryOp::Div), 10),
    ("%", Operator::Plain(BinaryOp::Rem), 10),
];

/// Assignments that compute.
const COMPOUND: [(&str, BinaryOp); 10] = [
    ("+=", BinaryOp::Add),
    ("-=", BinaryOp::Sub),
    ("*=", BinaryOp::Mul),
    ("/=", BinaryOp::Div),
    ("%=", BinaryOp::Rem),
    ("&=", BinaryOp::BitAnd),
    ("|=", BinaryOp::BitOr),
    ("^=", BinaryOp::BitXor),
    ("<<=", BinaryOp::Shl),
    (">>=", BinaryOp::Shr),
];

/// Words that begin something the subset does not have.
const REFUSED: [&str; 12] = [
    "try",
    "switch",
    "do",
    "throw",
    "synchronized",
    "class",
    "instanceof",
    "assert",
    "goto",
    "super",
    "this",
    "yield",
];

impl Cursor<'_> {
    /// An expression.
    pub fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|c| {
            let left = c.choice()?;
            let op = if c.eat("=") {
                None
            } else if let Some((mark, op)) = COMPOUND.iter().find(|(m, _)| c.is(m)) {
                c.eat(mark);
                Some(*op)
            } else {
                return Ok(left);
            };
            let right = c.expr()?;
            let span = left.span.to(right.span);
            Ok(Expr { kind: ExprKind::Assign(Box::new(left), op, Box::new(right)), span })
        })
    }

    fn choice(&mut self) -> Parsed<Expr> {
        let condition = self.binary(1)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.expr()?;
        self.expect(":")?;
        let otherwise = self.deeper(Self::choice)?;
        let span = condition.span.to(otherwise.span);
        let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
        Ok(Expr { kind: ExprKind::Choice(condition, then, otherwise), span })
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        let mut chain = 0;
        while let Some((mark, op, level)) =
            BINARY.iter().find(|(m, _, level)| self.is(m) && *level >= least)
        {
            chain += 1;
            if chain > 200 {
                let span = self.span();
                return Err(self.report(Diagnostic::error(
                    Code::TooDeep,
                    span,
                    "this expression is too long",
                )));
            }
            self.eat(mark);
            let right = self.deeper(|c| c.binary(level + 1))?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(*op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let ops = [
            ("-", Some(UnaryOp::Neg)),
            ("!", Some(UnaryOp::Not)),
            ("~", Some(UnaryOp::BitNot)),
            ("+", None),
        ];
        if let Some((mark, op)) = ops.into_iter().find(|(m, _)| self.is(m)) {
            self.eat(mark);
            let operand = self.deeper(Self::unary)?;
            let span = start.to(operand.span);
            return Ok(match op {
                None => operand,
                // The smallest integers are written as the negation of what is none.
                Some(UnaryOp::Neg) if matches!(operand.kind, ExprKind::Int(..)) => {
                    let ExprKind::Int(value, long) = operand.kind else { return Ok(operand) };
                    Expr { kind: ExprKind::Int(value.wrapping_neg(), long), span }
                }
                Some(op) => Expr { kind: ExprKind::Unary(op, Box::new(operand)), span },
            });
        }
        for (mark, by) in [("++", 1), ("--", -1)] {
            if self.eat(mark) {
                let operand = self.deeper(Self::unary)?;
                let span = start.to(operand.span);
                return Ok(Expr { kind: ExprKind::Step(Box::new(operand), by), span });
            }
        }
        if let Some(cast) = self.cast()? {
            let operand = self.deeper(Self::unary)?;
            let span = start.to(operand.span);
            return Ok(Expr { kind: ExprKind::Cast(cast, Box::new(operand)), span });
        }
        self.postfix()
    }

    /// `(T)` in front of an operand. `(a) + b` is a sum, `(a) b` a cast.
    fn cast(&mut self) -> Parsed<Option<TypeName>> {
        if !self.is("(") || !matches!(self.peek(1), Tok::Name(_)) {
            return Ok(None);
        }
        let mark = self.mark();
        self.skip();
        let primitive = matches!(
            self.peek(0),
            Tok::Name(n) if ["int", "long", "short", "byte", "char", "double", "float", "boolean"]
                .contains(&n.as_str())
        );
        // A name with dots and brackets, and nothing else, up to the parenthesis.
        let mut ahead = 0;
        while matches!(
            self.peek(ahead),
            Tok::Name(_) | Tok::Mark("." | "<" | ">" | "[" | "]" | ",")
        ) {
            ahead += 1;
        }
        let closes = matches!(self.peek(ahead), Tok::Mark(")"));
        let operand = matches!(
            self.peek(ahead + 1),
            Tok::Name(_)
                | Tok::Int(..)
                | Tok::Float(_)
                | Tok::Text(_)
                | Tok::Char(_)
                | Tok::Mark("(")
        ) || (primitive && matches!(self.peek(ahead + 1), Tok::Mark("-" | "+")));
        if !closes || !operand {
            self.back(mark);
            return Ok(None);
        }
        let ty = self.type_name()?;
        self.expect(")")?;
        Ok(Some(ty))
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        let mut chain = 0;
        loop {
            chain += 1;
            if chain > 64 {
                return Err(self.unexpected("the end of this expression"));
            }
            let start = expr.span;
            if self.is(".") {
                self.skip();
                let name = self.name("a field or method")?;
                expr = if self.is("(") {
                    let args = self.arguments()?;
                    let kind = ExprKind::Call(Some(Box::new(expr)), name, args);
                    Expr { kind, span: start.to(self.last_span()) }
                } else {
                    let span = start.to(name.span);
                    Expr { kind: ExprKind::Field(Box::new(expr), name), span }
                };
            } else if self.eat("[") {
                let index = self.expr()?;
                let end = self.expect("]")?;
                expr = Expr {
                    kind: ExprKind::Index(Box::new(expr), Box::new(index)),
                    span: start.to(end),
                };
            } else if self.is("++") || self.is("--") {
                let by = if self.eat("++") { 1 } else { -1 };
                self.eat("--");
                expr = Expr {
                    kind: ExprKind::Step(Box::new(expr), by),
                    span: start.to(self.last_span()),
                };
            } else {
                return Ok(expr);
            }
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect("(")?;
        let mut args = Vec::new();
        if self.eat(")") {
            return Ok(args);
        }
        loop {
            args.push(self.expr()?);
            if self.eat(")") {
                return Ok(args);
            }
            self.expect(",")?;
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.peek(0).clone() {
            Tok::Int(value, long) => ExprKind::Int(value, long),
            Tok::Float(value) => ExprKind::Float(value),
            Tok::Text(text) => ExprKind::Text(text),
            Tok::Char(c) => ExprKind::Char(c),
            Tok::Mark("(") => {
                self.skip();
                let inner = self.expr()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Tok::Name(word) => match word.as_str() {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "null" => ExprKind::Null,
                "new" => {
                    self.skip();
                    let ty = self.type_name()?;
                    let args = self.arguments()?;
                    return Ok(Expr {
                        kind: ExprKind::New(ty, args),
                        span: span.to(self.last_span()),
                    });
                }
                word if REFUSED.contains(&word) => return Err(self.outside_subset(word)),
                _ => {
                    let mut name = self.name("a name")?;
                    while self.eat("::") {
                        let inner = self.name("a name")?;
                        name.text = format!("{}::{}", name.text, inner.text);
                        name.span = name.span.to(inner.span);
                    }
                    let span = name.span;
                    if self.is("(") {
                        let args = self.arguments()?;
                        let kind = ExprKind::Call(None, name, args);
                        return Ok(Expr { kind, span: span.to(self.last_span()) });
                    }
                    return Ok(Expr { kind: ExprKind::Name(name.text), span });
                }
            },
            _ => return Err(self.unexpected("an expression")),
        };
        self.skip();
        Ok(Expr { kind, span })
    }

    fn outside_subset(&mut self, word: &str) -> super::cursor::Reported {
        let span = self.span();
        self.report(
            Diagnostic::error(
                Code::LarvaSubset,
                span,
                format!("`{word}` is not in the Java subset for scripts"),
            )
            .rule(
                "assignments, `if`, `while`, `for`, `return`, arithmetic, comparisons, lists, maps \
                 and methods of METHODS",
            ),
        )
    }

    /// Statements up to a mark, which is not taken.
    pub fn statements(&mut self, end: &[&str]) -> Parsed<Vec<Stmt>> {
        let mut statements = Vec::new();
        while !end.iter().any(|mark| self.is(mark)) {
            if self.at_end() {
                return Err(self.unexpected(&format!("`{}`", end[0])));
            }
            if self.eat(";") {
                continue;
            }
            self.statement(end, &mut statements)?;
        }
        Ok(statements)
    }

    /// A block in braces, or one statement.
    fn body(&mut self, end: &[&str]) -> Parsed<Vec<Stmt>> {
        if self.is("{") {
            return self.block();
        }
        let mut statements = Vec::new();
        if !self.eat(";") {
            self.statement(end, &mut statements)?;
        }
        Ok(statements)
    }

    /// `{ … }`.
    pub fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{")?;
        let statements = self.deeper(|c| c.statements(&["}"]))?;
        self.expect("}")?;
        Ok(statements)
    }

    fn statement(&mut self, end: &[&str], into: &mut Vec<Stmt>) -> Parsed<()> {
        let start = self.span();
        let word = match self.peek(0) {
            Tok::Name(word) => word.clone(),
            _ => String::new(),
        };
        let kind = match word.as_str() {
            "if" => {
                self.skip();
                self.expect("(")?;
                let condition = self.expr()?;
                self.expect(")")?;
                let then = self.deeper(|c| c.body(end))?;
                let otherwise = if matches!(self.peek(0), Tok::Name(n) if n == "else") {
                    self.skip();
                    self.deeper(|c| c.body(end))?
                } else {
                    Vec::new()
                };
                StmtKind::If(condition, then, otherwise)
            }
            "while" => {
                self.skip();
                self.expect("(")?;
                let condition = self.expr()?;
                self.expect(")")?;
                StmtKind::While(condition, self.deeper(|c| c.body(end))?)
            }
            "for" => self.for_loop(end)?,
            "return" => {
                self.skip();
                let value = if self.is(";") || end.iter().any(|m| self.is(m)) {
                    None
                } else {
                    Some(self.expr()?)
                };
                self.semicolon(end)?;
                StmtKind::Return(value)
            }
            "break" | "continue" => {
                self.skip();
                self.semicolon(end)?;
                if word == "break" { StmtKind::Break } else { StmtKind::Continue }
            }
            word if REFUSED.contains(&word) => return Err(self.outside_subset(word)),
            _ if self.is("{") => StmtKind::Block(self.block()?),
            _ => {
                self.simple(into)?;
                return self.semicolon(end);
            }
        };
        into.push(Stmt { kind, span: start.to(self.last_span()) });
        Ok(())
    }

    fn semicolon(&mut self, end: &[&str]) -> Parsed<()> {
        if self.eat(";") || end.iter().any(|m| self.is(m)) {
            return Ok(());
        }
        Err(self.unexpected("`;`"))
    }

    /// A declaration or an expression, without its semicolon.
    fn simple(&mut self, into: &mut Vec<Stmt>) -> Parsed<()> {
        let start = self.span();
        if let Some((ty, name)) = self.declaration() {
            let mut name = name;
            loop {
                let init = if self.eat("=") { Some(self.expr()?) } else { None };
                let kind = StmtKind::Local(ty.clone(), name, init);
                into.push(Stmt { kind, span: start.to(self.last_span()) });
                if !self.eat(",") {
                    return Ok(());
                }
                name = self.name("a name")?;
            }
        }
        let expr = self.expr()?;
        into.push(Stmt { span: expr.span, kind: StmtKind::Expr(expr) });
        Ok(())
    }

    /// `T x` if that is what comes next.
    fn declaration(&mut self) -> Option<(TypeName, Name)> {
        let mark = self.mark();
        self.eat_word("final");
        // A type is a name, dots, and type arguments that are balanced; then a name follows.
        let mut ahead = 0;
        let mut open = 0i32;
        loop {
            match self.peek(ahead) {
                Tok::Name(_)
                    if ahead > 0
                        && open == 0
                        && !matches!(self.peek(ahead - 1), Tok::Mark(".")) =>
                {
                    break;
                }
                Tok::Name(_) => {}
                Tok::Mark(".") => {}
                Tok::Mark("<") => open += 1,
                Tok::Mark(">") => open -= 1,
                Tok::Mark(">>") => open -= 2,
                Tok::Mark("," | "?") if open > 0 => {}
                Tok::Mark("[") if matches!(self.peek(ahead + 1), Tok::Mark("]")) => ahead += 1,
                _ => {
                    self.back(mark);
                    return None;
                }
            }
            ahead += 1;
        }
        let follows = matches!(self.peek(ahead + 1), Tok::Mark("=" | ";" | "," | ":" | "]" | "}"));
        if !follows {
            self.back(mark);
            return None;
        }
        let ty = self.type_name().ok()?;
        let name = self.name("a name").ok()?;
        Some((ty, name))
    }

    fn for_loop(&mut self, end: &[&str]) -> Parsed<StmtKind> {
        self.skip();
        self.expect("(")?;
        let mark = self.mark();
        if let Some((ty, name)) = self.declaration() {
            if self.eat(":") {
                let list = self.expr()?;
                self.expect(")")?;
                let body = self.deeper(|c| c.body(end))?;
                return Ok(StmtKind::ForEach(ty, name, list, body));
            }
            self.back(mark);
        }
        let mut init = Vec::new();
        if !self.is(";") {
            self.simple(&mut init)?;
        }
        self.expect(";")?;
        let condition = if self.is(";") { None } else { Some(self.expr()?) };
        self.expect(";")?;
        let mut update = Vec::new();
        while !self.is(")") {
            self.simple(&mut update)?;
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let body = self.deeper(|c| c.body(end))?;
        Ok(StmtKind::For(init, condition, update, body))
    }
}
