//! From tokens to the tree. After a mistake reading goes on at the next `state` or `transition`.

use watchword_model::{FileId, NativeTerm, Span, Type};

use super::lexer::{Token, lex};
use super::python;
use super::python::tree::Block;
use super::tree::{Event, Name, Outcome, Param, Point, Property, State, Transition, Variable};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::tokens::Tokens;

/// Terms nest no deeper.
const MAX_DEPTH: usize = 32;

pub fn parse(file: FileId, text: &str, said: &mut Vec<Diagnostic>) -> Property {
    let tokens = lex(file, text, said);
    let span = tokens[0].span;
    let mut parser = Parser { file, text, tokens: Tokens::new(tokens), depth: 0, said };
    let mut property =
        Property { slices: Vec::new(), initialization: None, states: Vec::new(), span };
    parser.property(&mut property);
    property
}

/// The place where reading stopped; what is to be said about it has been said.
struct Lost;

type Parse<T> = Result<T, Lost>;

/// What begins something; reading goes on there after a mistake.
const LANDMARKS: [&str; 4] = ["state", "transition", "slice", "initialization"];

/// What a parameter can be declared as.
const TYPES: [(&str, Type); 12] = [
    ("int", Type::Int),
    ("long", Type::Int),
    ("float", Type::Float),
    ("double", Type::Float),
    ("bool", Type::Bool),
    ("str", Type::Str),
    ("string", Type::Str),
    ("ptr", Type::Ptr),
    ("pointer", Type::Ptr),
    ("list", Type::List),
    ("dict", Type::Map),
    ("any", Type::Any),
];

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    tokens: Tokens<Token>,
    depth: usize,
    said: &'t mut Vec<Diagnostic>,
}

impl Parser<'_> {
    fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        let found = match self.tokens.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Quoted(name) => format!("`\"{name}\"`"),
            Token::Number(i) => format!("`{i}`"),
            Token::Block => "a block".to_string(),
            Token::Symbol(s) => format!("`{s}`"),
            Token::End => "the end of the file".to_string(),
        };
        let message = format!("expected {expected}, found {found}");
        let mut diagnostic = Diagnostic::error(Code::Unexpected, self.tokens.span(), message);
        if let Token::Word(word) = self.tokens.peek() {
            let words = [
                "state",
                "transition",
                "event",
                "success",
                "failure",
                "accepting",
                "non-accepting",
                "initialization",
                "slice",
                "before",
                "after",
            ];
            diagnostic = diagnostic.did_you_mean(nearest(word, words));
        }
        self.said.push(diagnostic);
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

    fn word(&mut self, what: &str) -> Parse<Name> {
        let span = self.tokens.span();
        let Token::Word(text) = self.tokens.peek().clone() else { return self.unexpected(what) };
        self.tokens.advance();
        Ok(Name { text, span })
    }

    /// Goes on at the next thing that can be told.
    fn recover(&mut self) {
        loop {
            match self.tokens.peek() {
                Token::End => return,
                Token::Word(word) if LANDMARKS.contains(&word.as_str()) => return,
                _ => self.tokens.advance(),
            }
        }
    }

    fn property(&mut self, property: &mut Property) {
        if self.tokens.is("slice") {
            match self.slices() {
                Ok(slices) => property.slices = slices,
                Err(Lost) => self.recover(),
            }
        }
        if self.tokens.eat("initialization") {
            self.tokens.eat_symbol(":");
            match self.block() {
                Ok(Some(block)) => property.initialization = Some(block),
                Ok(None) => {
                    if self.unexpected::<()>("a block of Python, `{ … }`").is_err() {
                        self.recover();
                    }
                }
                Err(Lost) => self.recover(),
            }
        }
        while *self.tokens.peek() != Token::End {
            if self.said.len() > super::MAX_ERRORS {
                return;
            }
            match self.state(property) {
                Ok(()) => {}
                Err(Lost) => {
                    // What stands between states belongs to the last of them.
                    self.recover();
                    if *self.tokens.peek() != Token::End
                        && !self.tokens.is("state")
                        && !self.tokens.is("transition")
                    {
                        self.tokens.advance();
                    }
                }
            }
        }
        if property.states.is_empty() && !self.said.iter().any(Diagnostic::is_error) {
            let _ = self.unexpected::<()>("`state`");
        }
    }

    fn slices(&mut self) -> Parse<Vec<Name>> {
        self.expect("slice")?;
        self.expect("on")?;
        let mut slices = vec![self.word("the name of a parameter")?];
        while self.tokens.eat_symbol(",") {
            slices.push(self.word("the name of a parameter")?);
        }
        Ok(slices)
    }

    fn state(&mut self, property: &mut Property) -> Parse<()> {
        // After a mistake inside a state its other transitions are still read.
        if self.tokens.is("transition")
            && let Some(state) = property.states.last_mut()
        {
            let transition = self.transition()?;
            state.transitions.push(transition);
            return Ok(());
        }
        self.expect("state")?;
        let name = self.word("the name of a state")?;
        let mut state = State { name, non_accepting: false, action: None, transitions: Vec::new() };
        if !self.tokens.eat("accepting") {
            state.non_accepting = self.tokens.eat("non-accepting");
        }
        state.action = self.action()?;
        self.tokens.eat_symbol(":");
        property.states.push(state);
        if matches!(self.tokens.peek(), Token::End)
            || self.tokens.is("state")
            || self.tokens.is("transition")
        {
            Ok(())
        } else {
            self.unexpected("`transition` or `state`")
        }
    }

    /// `name()`, if there is one.
    fn action(&mut self) -> Parse<Option<Name>> {
        if !matches!((self.tokens.peek(), self.tokens.nth(1)), (Token::Word(_), Token::Symbol("(")))
        {
            return Ok(None);
        }
        let name = self.word("an action")?;
        self.expect_symbol("(")?;
        self.expect_symbol(")")?;
        Ok(Some(name))
    }

    fn transition(&mut self) -> Parse<Transition> {
        let start = self.tokens.span();
        self.expect("transition")?;
        self.tokens.eat_symbol(":");
        let event = self.event()?;
        let block = self.block()?;
        let (mut success, mut failure) = (None, None);
        loop {
            let span = self.tokens.span();
            let (word, which) = if self.tokens.eat("success") {
                ("success", &mut success)
            } else if self.tokens.eat("failure") {
                ("failure", &mut failure)
            } else {
                break;
            };
            if which.is_some() {
                let message = format!("a transition has one `{word}`");
                self.said.push(Diagnostic::error(Code::DeclaredTwice, span, message));
            }
            *which = Some(self.outcome(span)?);
        }
        let Some(success) = success else {
            return self.unexpected("`success` and its target state");
        };
        Ok(Transition { event, block, success, failure, span: start.to(self.tokens.last()) })
    }

    fn outcome(&mut self, start: Span) -> Parse<Outcome> {
        let block = self.block()?;
        let action = self.action()?;
        let keyword =
            LANDMARKS.iter().chain(&["success", "failure"]).any(|word| self.tokens.is(word));
        if keyword {
            return self.unexpected("the name of a state");
        }
        let target = self.word("the name of a state")?;
        Ok(Outcome { block, action, target, span: start.to(self.tokens.last()) })
    }

    fn block(&mut self) -> Parse<Option<Block>> {
        if *self.tokens.peek() != Token::Block {
            return Ok(None);
        }
        let span = self.tokens.span();
        self.tokens.advance();
        let inner = span.start as usize + 1..span.end as usize - 1;
        let stmts = python::parse_block(self.file, self.text, inner, self.said);
        Ok(Some(Block { stmts, span }))
    }

    fn event(&mut self) -> Parse<Event> {
        let start = self.tokens.span();
        let after = if self.tokens.eat("after") {
            true
        } else {
            self.tokens.eat("before");
            false
        };
        self.expect("event")?;
        let point = self.point()?;
        let is_call = matches!(point, Point::Call(_));
        let mut params: Vec<Param> = Vec::new();
        if self.tokens.eat_symbol("(") {
            while !self.tokens.eat_symbol(")") {
                let param = self.param(is_call, after)?;
                if let Some(first) = params.iter().find(|p| p.name.text == param.name.text) {
                    let message = format!("two parameters are called `{}`", param.name.text);
                    self.said.push(
                        Diagnostic::error(Code::DeclaredTwice, param.name.span, message)
                            .also(first.name.span, "the other one"),
                    );
                } else {
                    params.push(param);
                }
                if !self.tokens.is_symbol(")") {
                    self.expect_symbol(",")?;
                }
            }
        }
        Ok(Event { after, point, params, span: start.to(self.tokens.last()) })
    }

    fn point(&mut self) -> Parse<Point> {
        // `write(fd)` is a call of a function; `write x(…)` is a write of a variable.
        let watches = matches!(self.tokens.nth(1), Token::Word(_) | Token::Symbol("*" | "&"));
        if watches && self.tokens.eat("write") {
            return Ok(Point::Write(self.variable()?));
        }
        if watches && self.tokens.eat("read") {
            return Ok(Point::Read(self.variable()?));
        }
        if watches && self.tokens.eat("update") {
            return Ok(Point::Update(self.variable()?));
        }
        if let Token::Quoted(name) = self.tokens.peek().clone() {
            self.tokens.advance();
            return Ok(Point::Call(name));
        }
        let mut name = String::new();
        loop {
            if self.tokens.eat_symbol("~") {
                name.push('~');
            }
            name.push_str(&self.word("the name of a function")?.text);
            if self.tokens.eat_symbol("::") {
                name.push_str("::");
            } else if self.tokens.eat_symbol(".") {
                name.push('.');
            } else {
                return Ok(Point::Call(name));
            }
        }
    }

    fn variable(&mut self) -> Parse<Variable> {
        let start = self.tokens.span().start as usize;
        let term = self.term()?;
        let text: String =
            self.text[start..self.tokens.last().end as usize].split_whitespace().collect();
        let mut scope = None;
        if self.tokens.eat("in") {
            scope = Some(match self.tokens.peek().clone() {
                Token::Quoted(name) => {
                    self.tokens.advance();
                    name
                }
                _ => self.word("a function or a type")?.text,
            });
        }
        Ok(Variable { term, scope, text })
    }

    fn term(&mut self) -> Parse<NativeTerm> {
        if self.depth == MAX_DEPTH {
            let message = format!("a term nested more than {MAX_DEPTH} deep");
            self.said.push(Diagnostic::error(Code::TooDeep, self.tokens.span(), message));
            return Err(Lost);
        }
        self.depth += 1;
        let term = self.prefixed();
        self.depth -= 1;
        term
    }

    fn prefixed(&mut self) -> Parse<NativeTerm> {
        if self.tokens.eat_symbol("*") {
            return Ok(NativeTerm::Deref(Box::new(self.term()?)));
        }
        if self.tokens.eat_symbol("&") {
            return Ok(NativeTerm::AddressOf(Box::new(self.term()?)));
        }
        let mut term = match self.tokens.peek().clone() {
            Token::Symbol("(") => {
                self.tokens.advance();
                let inner = self.term()?;
                self.expect_symbol(")")?;
                inner
            }
            Token::Number(i) => {
                self.tokens.advance();
                return Ok(NativeTerm::Int(i));
            }
            Token::Word(word)
                if word == "arg" && matches!(self.tokens.nth(1), Token::Number(_)) =>
            {
                self.tokens.advance();
                let number = match self.tokens.peek() {
                    Token::Number(i) => u32::try_from(*i).unwrap_or(u32::MAX),
                    _ => 0,
                };
                self.tokens.advance();
                NativeTerm::Arg(number)
            }
            Token::Word(word) => {
                self.tokens.advance();
                if word == "ret" { NativeTerm::Ret } else { NativeTerm::Name(word) }
            }
            _ => return self.unexpected("a variable, `arg N` or `ret`"),
        };
        let mut length = 0;
        loop {
            length += 1;
            if length + self.depth > MAX_DEPTH {
                let message = format!("a term of more than {MAX_DEPTH} parts");
                self.said.push(Diagnostic::error(Code::TooDeep, self.tokens.span(), message));
                return Err(Lost);
            }
            if self.tokens.eat_symbol("->") {
                let field = self.word("a field")?.text;
                term = NativeTerm::Arrow(Box::new(term), field);
            } else if self.tokens.eat_symbol(".") {
                let field = self.word("a field")?.text;
                term = NativeTerm::Field(Box::new(term), field);
            } else if self.tokens.eat_symbol("[") {
                let index = self.term()?;
                self.expect_symbol("]")?;
                term = NativeTerm::Index(Box::new(term), Box::new(index));
            } else {
                return Ok(term);
            }
        }
    }

    /// `name`, `name = term`, each with `: type`.
    fn param(&mut self, is_call: bool, after: bool) -> Parse<Param> {
        let named = matches!(
            (self.tokens.peek(), self.tokens.nth(1)),
            (Token::Word(_), Token::Symbol("="))
        );
        let name = if named { Some(self.word("a name")?) } else { None };
        if named {
            self.expect_symbol("=")?;
        }
        let term_start = self.tokens.span();
        let term = self.term()?;
        let span = term_start.to(self.tokens.last());
        let name = match (name, &term) {
            (Some(name), _) => name,
            (None, NativeTerm::Name(text)) => Name { text: text.clone(), span },
            (None, NativeTerm::Ret) => Name { text: "ret".to_string(), span },
            _ => {
                self.said.push(
                    Diagnostic::error(Code::VerdeParameter, span, "this parameter has no name")
                        .help(format!(
                            "write `name = {}`",
                            &self.text[span.start as usize..span.end as usize]
                        )),
                );
                return Err(Lost);
            }
        };
        let term = self.at_event(term, is_call, after, span);
        let ty = if self.tokens.eat_symbol(":") { self.ty()? } else { Type::Any };
        Ok(Param { name, term, ty })
    }

    /// What `ret` and `arg N` are depends on the event.
    fn at_event(&mut self, term: NativeTerm, is_call: bool, after: bool, span: Span) -> NativeTerm {
        let why = match &term {
            NativeTerm::Ret if !is_call => return NativeTerm::Value,
            NativeTerm::Ret if !after => "a call has no result before it is made",
            NativeTerm::Arg(_) if !is_call => "only calls have arguments",
            _ => return term,
        };
        let mut diagnostic =
            Diagnostic::error(Code::TermUnavailable, span, "there is no such value at this point")
                .rule(why);
        if is_call {
            diagnostic = diagnostic.help("write `after event`");
        }
        self.said.push(diagnostic);
        term
    }

    fn ty(&mut self) -> Parse<Type> {
        let name = self.word("a type")?;
        // `char *` is an address, whatever it points to.
        if self.tokens.is_symbol("*") {
            while self.tokens.eat_symbol("*") {}
            return Ok(Type::Ptr);
        }
        match TYPES.iter().find(|(text, _)| *text == name.text) {
            Some((_, ty)) => Ok(*ty),
            None => {
                let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
                let message = format!("there is no type `{}`", name.text);
                self.said.push(
                    Diagnostic::error(Code::UnknownType, name.span, message)
                        .rule(format!("types are {} and addresses `T *`", names.join(", ")))
                        .did_you_mean(nearest(&name.text, names.iter().copied())),
                );
                Ok(Type::Any)
            }
        }
    }
}
