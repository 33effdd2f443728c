//! From text to scenario. A line that cannot be parsed is reported and skipped.

use std::sync::Arc;

use watchword_model::Value;
use watchword_spec::Diagnostic;
use watchword_spec::diagnostic::Code;
use watchword_spec::tokens::{Spelt, Tokens};

use crate::eval::{World, eval};
use crate::lexer::{Token, lex};
use crate::tree::{
    Action, ActionKind, Deed, Expr, ExprKind, Function, GIVEN, Given, Moment, Name, Op, Point,
    Reaction, Scenario, States, each_written,
};

/// Blocks and expressions nest no deeper.
const MAX_DEPTH: usize = 64;
/// After so many mistakes the rest is not looked at.
const MAX_ERRORS: usize = 50;

/// Words that are no names.
const KEYWORDS: [&str; 38] = [
    "on",
    "entering",
    "leaving",
    "state",
    "accepting",
    "non-accepting",
    "any",
    "of",
    "do",
    "if",
    "then",
    "else",
    "while",
    "for",
    "in",
    "stop",
    "print",
    "backtrace",
    "checkpoint",
    "restore",
    "break",
    "tbreak",
    "watch",
    "rwatch",
    "awatch",
    "delete",
    "call",
    "set",
    "to",
    "command",
    "continue",
    "quit",
    "true",
    "false",
    "null",
    "and",
    "or",
    "not",
];

/// Reads a scenario. With an error among the diagnostics, what was understood is given back; it is
/// not meant to be run.
pub fn parse(text: &str, name: &str) -> (Scenario, Vec<Diagnostic>) {
    let (tokens, said) = lex(text);
    let mut parser = Parser { tokens: Tokens::new(tokens), depth: 0, said };
    let mut scenario = Scenario { name: name.to_string(), ..Scenario::default() };
    parser.scenario(&mut scenario);
    let mut said = parser.said;
    if said.len() > MAX_ERRORS {
        said.truncate(MAX_ERRORS);
        let span = said[MAX_ERRORS - 1].span;
        let message = "too many mistakes; the rest of the scenario was not checked";
        said.push(Diagnostic::error(Code::TooManyErrors, span, message));
    }
    said.sort_by_key(|d| d.span.start);
    (scenario, said)
}

/// The place where reading stopped; what is to be said about it has been said.
struct Lost;

type Parse<T> = Result<T, Lost>;

struct Parser {
    tokens: Tokens<Token>,
    depth: usize,
    said: Vec<Diagnostic>,
}

impl Parser {
    fn found(&self) -> String {
        match self.tokens.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Int(i) => format!("`{i}`"),
            Token::Text(_) => "a text".to_string(),
            Token::Symbol(s) => format!("`{s}`"),
            Token::Newline => "the end of the line".to_string(),
            Token::Indent => "a line that is indented".to_string(),
            Token::Dedent => "the end of the block".to_string(),
            Token::End => "the end of the file".to_string(),
        }
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        let message = format!("expected {expected}, found {}", self.found());
        self.said.push(Diagnostic::error(Code::Unexpected, self.tokens.span(), message));
        Err(Lost)
    }

    fn expect(&mut self, word: &str) -> Parse<()> {
        if self.tokens.eat(word) { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    fn expect_symbol(&mut self, symbol: &str) -> Parse<()> {
        if self.tokens.eat_symbol(symbol) {
            Ok(())
        } else {
            self.unexpected(&format!("`{symbol}`"))
        }
    }

    /// Runs a part that may contain itself.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} deep");
            self.said.push(Diagnostic::error(Code::TooDeep, self.tokens.span(), message));
            return Err(Lost);
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn scenario(&mut self, scenario: &mut Scenario) {
        let mut declared: Vec<Name> = Vec::new();
        while *self.tokens.peek() != Token::End && self.said.len() <= MAX_ERRORS {
            match self.tokens.peek() {
                Token::Newline | Token::Dedent => {
                    self.tokens.advance();
                    continue;
                }
                Token::Indent => {
                    let span = self.tokens.span();
                    let message = "this line is not part of a reaction";
                    self.said.push(
                        Diagnostic::error(Code::Unexpected, span, message)
                            .rule("`on …` and initial values of variables begin in column 1"),
                    );
                    self.tokens.skip_block();
                    continue;
                }
                _ => {}
            }
            let result = if self.tokens.is("on") {
                self.reaction().map(|reaction| scenario.reactions.push(reaction))
            } else {
                self.variable(scenario, &mut declared)
            };
            if result.is_err() {
                self.tokens.skip_block();
            }
        }
        // A variable without a first value begins as null.
        let mut written: Vec<&Name> = Vec::new();
        for reaction in &scenario.reactions {
            each_written(&reaction.body, &mut |name| written.push(name));
        }
        for name in written {
            if !scenario.variables.iter().any(|(n, _)| *n == name.text) {
                scenario.variables.push((name.text.clone(), Value::Null));
            }
        }
    }

    fn variable(&mut self, scenario: &mut Scenario, declared: &mut Vec<Name>) -> Parse<()> {
        if !matches!(self.tokens.peek(), Token::Word(w) if !KEYWORDS.contains(&w.as_str())) {
            return self.unexpected("`on` or a variable with its initial value");
        }
        let name = self.variable_name()?;
        self.expect_symbol(":=")?;
        let value = self.expr()?;
        self.line_end()?;
        if let Some(first) = declared.iter().find(|n| n.text == name.text) {
            let message = format!("`{}` has an initial value already", name.text);
            let first = first.span;
            self.said.push(
                Diagnostic::error(Code::DeclaredTwice, name.span, message).also(first, "here"),
            );
            return Ok(());
        }
        let mut world = Memory(&scenario.variables);
        let first = match eval(&value, &mut world) {
            Ok(value) => value,
            Err(failure) => {
                self.said.push(
                    Diagnostic::error(Code::ScenarioFirst, failure.span, failure.message)
                        .rule("an initial value consists of constants and of variables above it"),
                );
                Value::Null
            }
        };
        scenario.variables.push((name.text.clone(), first));
        declared.push(name);
        Ok(())
    }

    fn variable_name(&mut self) -> Parse<Name> {
        let span = self.tokens.span();
        let Token::Word(text) = self.tokens.peek().clone() else {
            return self.unexpected("a name");
        };
        let taken = KEYWORDS.contains(&text.as_str())
            || GIVEN.contains(&text.as_str())
            || Function::TABLE.iter().any(|(name, ..)| *name == text);
        if taken {
            let message = format!("`{text}` is a predefined name");
            self.said.push(
                Diagnostic::error(Code::ReservedName, span, message).help("choose another name"),
            );
            return Err(Lost);
        }
        self.tokens.advance();
        Ok(Name { text, span })
    }

    fn reaction(&mut self) -> Parse<Reaction> {
        self.expect("on")?;
        let moment = if self.tokens.eat("entering") {
            Moment::Entering
        } else if self.tokens.eat("leaving") {
            Moment::Leaving
        } else {
            return self.unexpected("`entering` or `leaving`");
        };
        let mut property = None;
        let states = if self.tokens.eat("state") {
            let mut state = self.any_name("a state")?;
            if self.tokens.eat_symbol(".") {
                property = Some(state);
                state = self.any_name("a state of that property")?;
            }
            States::Named(state)
        } else {
            let states = if self.tokens.eat("accepting") {
                States::Accepting
            } else if self.tokens.eat("non-accepting") {
                States::NonAccepting
            } else if self.tokens.eat("any") {
                States::Any
            } else {
                return self.unexpected("`state`, `accepting`, `non-accepting` or `any`");
            };
            self.expect("state")?;
            if self.tokens.eat("of") {
                property = Some(self.any_name("a property")?);
            }
            states
        };
        self.expect("do")?;
        let body = self.block()?;
        self.line_end()?;
        Ok(Reaction { moment, states, property, body })
    }

    /// A name of a state or a property: a word, keyword or not, or a text in quotes.
    fn any_name(&mut self, what: &str) -> Parse<Name> {
        let span = self.tokens.span();
        match self.tokens.peek().clone() {
            Token::Word(text) | Token::Text(text) => {
                self.tokens.advance();
                Ok(Name { text, span })
            }
            _ => self.unexpected(what),
        }
    }

    /// The end of a line, unless a block has just ended, which ended its last line itself.
    fn line_end(&mut self) -> Parse<()> {
        match self.tokens.peek() {
            Token::Newline => {
                self.tokens.advance();
                Ok(())
            }
            Token::End | Token::Dedent => Ok(()),
            _ if self.after_block() => Ok(()),
            _ => self.unexpected("the end of the line"),
        }
    }

    fn after_block(&self) -> bool {
        self.tokens.before() == Some(&Token::Dedent)
    }

    /// Indented lines, or actions on this line.
    fn block(&mut self) -> Parse<Vec<Action>> {
        self.nested(|parser| {
            if *parser.tokens.peek() != Token::Newline {
                return parser.actions_of_line();
            }
            parser.tokens.advance();
            if *parser.tokens.peek() != Token::Indent {
                return parser.unexpected("an indented line with an action");
            }
            parser.tokens.advance();
            let mut actions = Vec::new();
            loop {
                match parser.tokens.peek() {
                    Token::Dedent => {
                        parser.tokens.advance();
                        return Ok(actions);
                    }
                    Token::End => return Ok(actions),
                    Token::Newline => parser.tokens.advance(),
                    Token::Indent => {
                        let message = "this line is indented more than its block";
                        let said =
                            Diagnostic::error(Code::Unexpected, parser.tokens.span(), message);
                        parser.said.push(said);
                        parser.tokens.skip_block();
                    }
                    _ if parser.said.len() > MAX_ERRORS => return Err(Lost),
                    _ => {
                        let line = parser.actions_of_line();
                        match line.and_then(|line| parser.line_end().map(|()| line)) {
                            Ok(line) => actions.extend(line),
                            Err(Lost) => parser.tokens.skip_block(),
                        }
                    }
                }
            }
        })
    }

    fn actions_of_line(&mut self) -> Parse<Vec<Action>> {
        let mut actions = vec![self.action()?];
        while !self.after_block() && self.tokens.eat_symbol(";") {
            if matches!(self.tokens.peek(), Token::Newline | Token::End) {
                break;
            }
            actions.push(self.action()?);
        }
        Ok(actions)
    }

    fn action(&mut self) -> Parse<Action> {
        let start = self.tokens.span();
        let Token::Word(word) = self.tokens.peek().clone() else {
            return self.unexpected("an action");
        };
        let kind = match word.as_str() {
            "if" => self.conditional()?,
            "while" => {
                self.tokens.advance();
                let condition = self.expr()?;
                self.expect("do")?;
                ActionKind::While(condition, self.block()?)
            }
            "for" => {
                self.tokens.advance();
                let name = self.variable_name()?;
                self.expect("in")?;
                let list = self.expr()?;
                self.expect("do")?;
                ActionKind::For(name, list, self.block()?)
            }
            "stop" => {
                self.tokens.advance();
                ActionKind::Stop(self.optional_expr()?)
            }
            "print" => {
                self.tokens.advance();
                let mut values = vec![self.expr()?];
                while self.tokens.eat_symbol(",") {
                    values.push(self.expr()?);
                }
                ActionKind::Print(values)
            }
            "backtrace" => {
                self.tokens.advance();
                ActionKind::Backtrace(self.optional_expr()?)
            }
            "restore" => {
                self.tokens.advance();
                ActionKind::Restore(self.optional_expr()?)
            }
            "delete" => {
                self.tokens.advance();
                ActionKind::Delete(self.optional_expr()?)
            }
            "set" => {
                self.tokens.advance();
                let place = self.expr()?;
                self.expect("to")?;
                ActionKind::Set(place, self.expr()?)
            }
            "command" => {
                self.tokens.advance();
                ActionKind::Command(self.expr()?)
            }
            "continue" => {
                self.tokens.advance();
                ActionKind::Continue
            }
            "quit" => {
                self.tokens.advance();
                ActionKind::Quit
            }
            _ => match self.deed()? {
                Some(deed) => ActionKind::Do(deed),
                None => {
                    if KEYWORDS.contains(&word.as_str()) {
                        return self.unexpected("an action");
                    }
                    let name = self.variable_name()?;
                    if !self.tokens.is_symbol(":=") {
                        let message = format!("there is no action `{word}`");
                        self.said.push(
                            Diagnostic::error(Code::Unexpected, start, message)
                                .rule("assign to variables with `:=`"),
                        );
                        return Err(Lost);
                    }
                    self.tokens.advance();
                    let value = match self.deed()? {
                        Some(deed) => Given::Deed(deed),
                        None => Given::Expr(self.expr()?),
                    };
                    ActionKind::Assign(name, value)
                }
            },
        };
        Ok(Action { kind, span: start.to(self.tokens.last()) })
    }

    fn conditional(&mut self) -> Parse<ActionKind> {
        self.expect("if")?;
        let condition = self.expr()?;
        self.expect("then")?;
        let then = self.block()?;
        // `else` is on this line, or begins the next one.
        let next = self.tokens.nth(1);
        let below = *self.tokens.peek() == Token::Newline && next.is_word("else");
        if below {
            self.tokens.advance();
        }
        let otherwise = if self.tokens.eat("else") {
            if self.tokens.is("if") {
                self.nested(|parser| Ok(vec![parser.action()?]))?
            } else {
                self.block()?
            }
        } else {
            Vec::new()
        };
        Ok(ActionKind::If(condition, then, otherwise))
    }

    /// An action with a result, if there is one here.
    fn deed(&mut self) -> Parse<Option<Deed>> {
        let Token::Word(word) = self.tokens.peek() else { return Ok(None) };
        let point = match word.as_str() {
            "checkpoint" => {
                self.tokens.advance();
                return Ok(Some(Deed::Checkpoint(self.optional_expr()?)));
            }
            "call" => {
                self.tokens.advance();
                return Ok(Some(Deed::Call(self.expr()?)));
            }
            "break" => Point::Break,
            "tbreak" => Point::BreakOnce,
            "watch" => Point::Watch,
            "rwatch" => Point::ReadWatch,
            "awatch" => Point::AccessWatch,
            _ => return Ok(None),
        };
        self.tokens.advance();
        let place = self.expr()?;
        let body = if self.tokens.eat("do") { Some(Arc::new(self.block()?)) } else { None };
        Ok(Some(Deed::Point(point, place, body)))
    }

    /// An expression, unless the action ends here.
    fn optional_expr(&mut self) -> Parse<Option<Expr>> {
        let ends = match self.tokens.peek() {
            Token::Newline | Token::Dedent | Token::End => true,
            Token::Symbol(s) => *s == ";",
            Token::Word(word) => word == "else",
            _ => false,
        };
        if ends { Ok(None) } else { self.expr().map(Some) }
    }

    fn expr(&mut self) -> Parse<Expr> {
        self.nested(|parser| parser.binary(0))
    }

    fn binary(&mut self, level: usize) -> Parse<Expr> {
        if level == 2 && self.tokens.is("not") {
            return self.nested(|parser| {
                let start = parser.tokens.span();
                parser.tokens.advance();
                let operand = parser.binary(2)?;
                let span = start.to(operand.span);
                Ok(Expr { kind: ExprKind::Not(Box::new(operand)), span })
            });
        }
        if level == 6 {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        let mut terms = 0;
        while let Some(op) = self.operator(level) {
            self.tokens.advance();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
            // A long sum is a deep tree.
            terms += 1;
            if terms > 500 {
                let message = "an expression of more than 500 parts";
                self.said.push(Diagnostic::error(Code::TooDeep, span, message));
                return Err(Lost);
            }
            if level == 3 {
                if self.operator(3).is_some() {
                    return self.unexpected("`and`, because comparisons cannot be chained,");
                }
                break;
            }
        }
        Ok(left)
    }

    /// The operator here, if it binds as tightly as the level says.
    fn operator(&self, level: usize) -> Option<Op> {
        Some(match (level, self.tokens.peek()) {
            (0, Token::Word(w)) if w == "or" => Op::Or,
            (1, Token::Word(w)) if w == "and" => Op::And,
            (3, Token::Symbol("=" | "==")) => Op::Eq,
            (3, Token::Symbol("!=" | "<>")) => Op::Ne,
            (3, Token::Symbol("<")) => Op::Lt,
            (3, Token::Symbol("<=")) => Op::Le,
            (3, Token::Symbol(">")) => Op::Gt,
            (3, Token::Symbol(">=")) => Op::Ge,
            (4, Token::Symbol("+")) => Op::Add,
            (4, Token::Symbol("-")) => Op::Sub,
            (5, Token::Symbol("*")) => Op::Mul,
            (5, Token::Symbol("/")) => Op::Div,
            (5, Token::Symbol("%")) => Op::Rem,
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parse<Expr> {
        if self.tokens.is_symbol("-") {
            return self.nested(|parser| {
                let start = parser.tokens.span();
                parser.tokens.advance();
                let operand = parser.unary()?;
                let span = start.to(operand.span);
                Ok(Expr { kind: ExprKind::Negate(Box::new(operand)), span })
            });
        }
        let mut expr = self.primary()?;
        let mut indices = 0;
        while self.tokens.is_symbol("[") && indices < MAX_DEPTH {
            self.tokens.advance();
            let index = self.expr()?;
            self.expect_symbol("]")?;
            let span = expr.span.to(self.tokens.last());
            expr = Expr { kind: ExprKind::Index(Box::new(expr), Box::new(index)), span };
            indices += 1;
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Parse<Expr> {
        let start = self.tokens.span();
        let kind = match self.tokens.peek().clone() {
            Token::Int(i) => {
                self.tokens.advance();
                ExprKind::Const(Value::Int(i))
            }
            Token::Text(text) => {
                self.tokens.advance();
                ExprKind::Const(Value::str(&text))
            }
            Token::Symbol("(") => {
                self.tokens.advance();
                let inner = self.expr()?;
                self.expect_symbol(")")?;
                return Ok(inner);
            }
            Token::Symbol("[") => {
                self.tokens.advance();
                ExprKind::List(self.list("]")?)
            }
            Token::Word(word) => {
                let constant = match word.as_str() {
                    "true" => Some(Value::Bool(true)),
                    "false" => Some(Value::Bool(false)),
                    "null" => Some(Value::Null),
                    _ => None,
                };
                let function = Function::TABLE.iter().find(|(name, ..)| *name == word);
                if let Some(value) = constant {
                    self.tokens.advance();
                    ExprKind::Const(value)
                } else if let Some((name, function, count)) = function {
                    self.tokens.advance();
                    self.expect_symbol("(")?;
                    let args = self.list(")")?;
                    if args.len() != *count {
                        let span = start.to(self.tokens.last());
                        let message =
                            format!("`{name}` takes {count} argument(s), not {}", args.len());
                        self.said.push(Diagnostic::error(Code::WrongCount, span, message));
                        return Err(Lost);
                    }
                    ExprKind::Call(*function, args)
                } else if KEYWORDS.contains(&word.as_str()) {
                    return self.unexpected("a value");
                } else {
                    self.tokens.advance();
                    ExprKind::Name(word)
                }
            }
            _ => return self.unexpected("a value"),
        };
        Ok(Expr { kind, span: start.to(self.tokens.last()) })
    }

    fn list(&mut self, close: &str) -> Parse<Vec<Expr>> {
        let mut items = Vec::new();
        while !self.tokens.eat_symbol(close) {
            items.push(self.expr()?);
            if !self.tokens.is_symbol(close) {
                self.expect_symbol(",")?;
            }
        }
        Ok(items)
    }
}

/// The variables so far, and nothing else.
struct Memory<'a>(&'a [(String, Value)]);

impl World for Memory<'_> {
    fn name(&mut self, name: &str) -> Option<Value> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone())
    }

    fn program(&mut self, _: &str) -> Result<Value, String> {
        Err("the program does not run yet".to_string())
    }
}
