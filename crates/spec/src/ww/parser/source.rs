//! Sources of events: what they share, native programs and logs.

use watchword_model::{
    Glob, LogOrder, LogSelect, LogTerm, LogTest, NativeAbout, NativeCaller, NativeKind,
    NativePattern, NativePoint, NativeSides, NativeSource, NativeTerm, NativeVariable, NativeWhen,
    ProgramEvent, Span,
};

use super::{MAX_DEPTH, Parsed, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::ww::lexer::{Punct, TokenKind};
use crate::ww::tree::{Capture, Source, SourceKind};

const SOURCES: [&str; 4] = ["jvm", "native", "log", "program"];

/// The first word of each event of the program.
const PROGRAM: [(&str, ProgramEvent); 4] = [
    ("call", ProgramEvent::Call),
    ("return", ProgramEvent::Return),
    ("done", ProgramEvent::Done),
    ("array", ProgramEvent::ArrayWrite),
];

impl Parser<'_> {
    pub(super) fn at_source(&mut self) -> bool {
        let token = self.peek();
        SOURCES.contains(&self.text_of(token))
    }

    pub(super) fn source(&mut self) -> Parsed<Source> {
        let start = self.peek().start;
        let kind = if self.eat_word("jvm") {
            self.jvm_source()?
        } else if self.eat_word("native") {
            self.native_source()?
        } else if self.eat_word("log") {
            self.log_source()?
        } else if self.eat_word("program") {
            SourceKind::Program(self.program_event()?)
        } else {
            return self.unexpected_word("a source: `jvm`, `native`, `log` or `program`", &SOURCES);
        };
        Ok(Source { kind, span: self.since(start) })
    }

    /// A source, where a regular expression or a condition on fields alone is one of a log.
    pub(super) fn bound_source(&mut self) -> Parsed<Source> {
        let start = self.peek().start;
        let kind = if self.at(Punct::Slash) {
            self.log_source()?
        } else if self.at(Punct::Dot) || self.at(Punct::ParenOpen) || self.at_word("not") {
            let select = LogSelect::Where(self.log_any()?);
            let select_span = self.since(start);
            self.log_captures(select, select_span)?
        } else {
            return self.source();
        };
        Ok(Source { kind, span: self.since(start) })
    }

    fn program_event(&mut self) -> Parsed<ProgramEvent> {
        for (word, event) in PROGRAM {
            if self.eat_word(word) {
                if event == ProgramEvent::ArrayWrite {
                    self.expect_word("write")?;
                }
                return Ok(event);
            }
        }
        let what = "`call`, `return`, `done` or `array write`";
        self.unexpected_word(what, &PROGRAM.map(|(word, _)| word))
    }

    /// `with a = TERM, b = TERM`, after `with`.
    pub(super) fn captures<T>(
        &mut self,
        captures: &mut Vec<Capture<T>>,
        mut term: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<()> {
        loop {
            let param = self.name("a parameter of the event")?;
            self.expect(Punct::Eq)?;
            let start = self.peek().start;
            let term = term(self)?;
            captures.push(Capture { param, term, span: self.since(start) });
            if !self.at(Punct::Comma) {
                return Ok(());
            }
            self.comma();
        }
    }

    /// A small number, such as the position of an argument.
    pub(super) fn position(&mut self) -> Parsed<u32> {
        let token = self.peek();
        if token.kind == TokenKind::Int
            && let Ok(number) = self.text_of(token).replace('_', "").parse()
        {
            self.bump();
            return Ok(number);
        }
        self.unexpected("a position, counted from 0")
    }

    /// A name with dots, `*`, `?`, `{a, b}` and `<init>` in it, written without blanks outside
    /// braces; by segment.
    pub(super) fn dotted(&mut self, what: &str) -> Parsed<Vec<String>> {
        let mut segments = vec![String::new()];
        let mut first = true;
        loop {
            let token = self.peek();
            if !first && !self.last.touches(&token) {
                break;
            }
            let segment = segments.last_mut().expect("there is always a segment");
            match token.kind {
                TokenKind::Ident | TokenKind::Int => segment.push_str(&self.text[token.range()]),
                TokenKind::Quoted => segment.push_str(self.text[token.range()].trim_matches('`')),
                TokenKind::Punct(Punct::Star) => segment.push('*'),
                TokenKind::Punct(Punct::Question) => segment.push('?'),
                TokenKind::Punct(Punct::Dot) if !first => segments.push(String::new()),
                TokenKind::Punct(Punct::Less) => {
                    segment.push('<');
                    self.bump_glued(first);
                    self.glue();
                    let name = self.name("`init>` or `clinit>`")?;
                    segments.last_mut().expect("there is always a segment").push_str(&name.text);
                    if !self.at(Punct::Greater) {
                        return self.unexpected("`>`");
                    }
                    segments.last_mut().expect("there is always a segment").push('>');
                }
                TokenKind::Punct(Punct::BraceOpen) => {
                    let braces = self.braces(first)?;
                    segments.last_mut().expect("there is always a segment").push_str(&braces);
                    first = false;
                    continue;
                }
                _ => break,
            }
            self.bump_glued(first);
            first = false;
        }
        if first {
            return self.unexpected(what);
        }
        if segments.iter().any(String::is_empty) {
            return self.unexpected("a name after the dot");
        }
        Ok(segments)
    }

    fn bump_glued(&mut self, first: bool) {
        if !first {
            self.glue();
        }
        self.bump();
    }

    /// `{a, b*, c}`.
    fn braces(&mut self, first: bool) -> Parsed<String> {
        self.bump_glued(first);
        let parts =
            self.deeper(|p| p.list(Punct::BraceClose, |p| Ok(p.dotted("a name")?.join("."))))?;
        Ok(format!("{{{}}}", parts.join(", ")))
    }

    fn native_source(&mut self) -> Parsed<SourceKind> {
        let when = if self.eat_word("before") {
            Some(NativeWhen::Before)
        } else if self.eat_word("after") {
            Some(NativeWhen::After)
        } else {
            None
        };
        let Some(facts) = NativeKind::ALL.iter().find(|facts| self.at_word(facts.word)) else {
            let mut words: Vec<&'static str> = NativeKind::ALL.iter().map(|f| f.word).collect();
            let kinds: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            words.extend(["before", "after"]);
            let (last, others) = kinds.split_last().map_or(("", &[][..]), |(l, o)| (l.as_str(), o));
            return self.unexpected_word(&format!("{} or {last}", others.join(", ")), &words);
        };
        let when = match (facts.sides, when) {
            (NativeSides::Said, None) => return self.unexpected("`before` or `after`"),
            (NativeSides::Said | NativeSides::Unless(_), Some(when)) => when,
            (NativeSides::Unless(when) | NativeSides::Only(when), None) => when,
            (NativeSides::Only(only), Some(when)) if when == only => when,
            (NativeSides::Only(_), Some(_)) => {
                return self.unexpected_with("an event that supports `before` and `after`", |d| {
                    d.rule("events of this kind have only one moment").help("remove the word")
                });
            }
        };
        self.bump();
        let pattern = match facts.about {
            NativeAbout::Variable => NativePattern::Variable(self.native_variable()?),
            _ => {
                let name = if self.peek().kind == TokenKind::Str {
                    self.expect_string("a name")?.0
                } else {
                    self.function_name()?
                };
                NativePattern::Named(Glob::new(&name))
            }
        };
        let point = NativePoint { kind: facts.kind, pattern };
        let mut module = None;
        let mut caller = None;
        let mut captures = Vec::new();
        loop {
            if self.eat_word("from") {
                caller = Some(match self.eat_word("inside") {
                    true => NativeCaller::Inside,
                    false => {
                        self.expect_word("outside")?;
                        NativeCaller::Outside
                    }
                });
            } else if self.eat_word("module") {
                let (name, _) = self.expect_string("the name of a module, in quotes")?;
                module = Some(Glob::new(&name));
            } else if self.eat_word("with") {
                self.captures(&mut captures, |p| p.native_term())?;
            } else {
                break;
            }
        }
        // A name of the watched term that is a parameter of the event stands for it.
        let source = NativeSource { when, point, module, caller, captures: Vec::new() };
        Ok(SourceKind::Native { source, captures })
    }

    /// `f`, `Queue::push`: names of C++ are joined by two colons.
    fn function_name(&mut self) -> Parsed<String> {
        let mut name = self.dotted("the name of a function")?.join(".");
        loop {
            let (first, second) = (self.peek(), self.nth(1));
            let colon = TokenKind::Punct(Punct::Colon);
            let joined = first.kind == colon && second.kind == colon;
            if !joined || !self.last.touches(&first) || !first.touches(&second) {
                return Ok(name);
            }
            self.bump_glued(false);
            self.bump_glued(false);
            self.glue();
            name.push_str("::");
            name.push_str(&self.dotted("a name after `::`")?.join("."));
        }
    }

    fn native_variable(&mut self) -> Parsed<NativeVariable> {
        let term = self.native_term()?;
        let mut scope = None;
        if self.eat_word("in") {
            scope = Some(if self.peek().kind == TokenKind::Str {
                self.expect_string("a function or type")?.0
            } else {
                self.name("a function or type")?.text
            });
        }
        Ok(NativeVariable { term, scope })
    }

    fn native_term(&mut self) -> Parsed<NativeTerm> {
        self.deeper(|p| {
            if p.at(Punct::Star) || p.at(Punct::Amp) {
                let star = p.at(Punct::Star);
                p.bump();
                p.glue();
                let inner = Box::new(p.native_term()?);
                return Ok(if star {
                    NativeTerm::Deref(inner)
                } else {
                    NativeTerm::AddressOf(inner)
                });
            }
            match p.native_cast() {
                Some(ty) => Ok(NativeTerm::Cast(ty, Box::new(p.native_term()?))),
                None => p.native_postfix(),
            }
        })
    }

    /// `(unsigned int)`, if that comes next.
    fn native_cast(&mut self) -> Option<String> {
        let is_type = |p: &mut Self, n| NativeTerm::TYPE_WORDS.iter().any(|w| p.is_word(n, w));
        if !(self.at(Punct::ParenOpen) && is_type(self, 1)) {
            return None;
        }
        self.bump();
        self.glue();
        let mut words = Vec::new();
        while is_type(self, 0) {
            let word = self.bump();
            words.push(self.text_of(word).to_string());
        }
        // The code that reads on reports what is missing.
        let _ = self.expect_tight(Punct::ParenClose);
        Some(words.join(" "))
    }

    fn native_postfix(&mut self) -> Parsed<NativeTerm> {
        let token = self.peek();
        let mut term = if self.at(Punct::ParenOpen) {
            self.bump();
            self.glue();
            let inner = self.native_term()?;
            self.expect_tight(Punct::ParenClose)?;
            inner
        } else if token.kind == TokenKind::Int {
            self.bump();
            match self.number(token, false) {
                Some(watchword_model::Value::Int(i)) => NativeTerm::Int(i),
                _ => NativeTerm::Int(0),
            }
        } else if self.at_word("arg") && self.nth(1).kind == TokenKind::Int {
            self.bump();
            NativeTerm::Arg(self.position()?)
        } else {
            let quoted = token.kind == TokenKind::Quoted;
            let name = self.name("a term")?;
            match name.text.as_str() {
                "ret" if !quoted => NativeTerm::Ret,
                "value" if !quoted => NativeTerm::Value,
                "address" if !quoted => NativeTerm::Address,
                "thread" if !quoted => NativeTerm::Thread,
                _ => NativeTerm::Name(name.text),
            }
        };
        let mut length = 0;
        loop {
            let is_postfix =
                self.at(Punct::Arrow) || self.at(Punct::Dot) || self.at(Punct::BracketOpen);
            if !is_postfix {
                return Ok(term);
            }
            length += 1;
            if length + self.depth > MAX_DEPTH {
                let span = self.since(token.start);
                return self.too_deep(span);
            }
            self.glue();
            let arrow = self.at(Punct::Arrow);
            let index = self.at(Punct::BracketOpen);
            self.bump();
            self.glue();
            if index {
                // The chain so far hangs below the index; count it as depth.
                self.depth += length;
                let inner = self.native_term();
                self.depth -= length;
                term = NativeTerm::Index(Box::new(term), Box::new(inner?));
                self.expect_tight(Punct::BracketClose)?;
                continue;
            }
            let field = self.name("a field")?.text;
            term = if arrow {
                NativeTerm::Arrow(Box::new(term), field)
            } else {
                NativeTerm::Field(Box::new(term), field)
            };
        }
    }

    fn log_source(&mut self) -> Parsed<SourceKind> {
        let token = self.peek();
        let (select, select_span) = if self.at(Punct::Slash) {
            let (text, span) = self.regex_text();
            (LogSelect::Regex(text), span)
        } else if self.eat_word("record") {
            let (name, text) = self.expect_string("the name of a record, in quotes")?;
            (LogSelect::Record(name), self.span_of(text))
        } else if self.eat_word("where") {
            (LogSelect::Where(self.log_any()?), self.since(token.start))
        } else {
            return self.unexpected_word(
                "`record`, `where` or a regular expression",
                &["record", "where"],
            );
        };
        self.log_captures(select, select_span)
    }

    /// `.level == "ERROR" or .status >= 500`.
    fn log_any(&mut self) -> Parsed<LogTest> {
        self.log_tests("or", LogTest::Any, |p| p.log_tests("and", LogTest::All, |p| p.log_not()))
    }

    /// Tests with a word in between.
    fn log_tests(
        &mut self,
        word: &str,
        of: fn(Vec<LogTest>) -> LogTest,
        mut one: impl FnMut(&mut Self) -> Parsed<LogTest>,
    ) -> Parsed<LogTest> {
        let first = one(self)?;
        let mut tests = vec![first];
        while self.eat_word(word) {
            tests.push(one(self)?);
        }
        Ok(match tests.len() {
            1 => tests.remove(0),
            _ => of(tests),
        })
    }

    fn log_not(&mut self) -> Parsed<LogTest> {
        if self.eat_word("not") {
            let test = self.deeper(|p| p.log_not())?;
            return Ok(LogTest::Not(Box::new(test)));
        }
        if self.eat(Punct::ParenOpen) {
            let test = self.deeper(|p| p.log_any())?;
            self.expect(Punct::ParenClose)?;
            return Ok(test);
        }
        self.log_test()
    }

    /// `.level == "ERROR"`, `.message == /timed? out/`, `.status >= 500`.
    fn log_test(&mut self) -> Parsed<LogTest> {
        let path = self.field_path()?;
        let orders = [
            (Punct::Less, LogOrder::Less),
            (Punct::LessEq, LogOrder::LessOrEqual),
            (Punct::Greater, LogOrder::Greater),
            (Punct::GreaterEq, LogOrder::GreaterOrEqual),
        ];
        if let Some((_, order)) = orders.into_iter().find(|(punct, _)| self.at(*punct)) {
            self.bump();
            let number = self.peek();
            let is_negative = number.kind == TokenKind::Punct(Punct::Minus);
            let digits = if is_negative { self.nth(1) } else { number };
            if !matches!(digits.kind, TokenKind::Int | TokenKind::Float) {
                return self.unexpected("a number");
            }
            let number = self.optional_literal().map_or(String::new(), |n| n.to_string());
            return Ok(LogTest::Compares(path, order, number));
        }
        let is_equal = self.at(Punct::EqEq);
        if !is_equal && !self.at(Punct::NotEq) {
            return self.unexpected("`==`, `!=`, `<`, `<=`, `>` or `>=`");
        }
        self.bump();
        if self.at(Punct::Slash) {
            let regex = self.regex_text();
            let finds = if is_equal { LogTest::Finds } else { LogTest::Misses };
            return Ok(finds(path, regex.0));
        }
        let text = match self.peek().kind {
            TokenKind::Str => self.expect_string("a text")?.0,
            _ => match self.optional_literal() {
                Some(value) => value.to_string(),
                None => return self.unexpected("a text, a number or a regular expression"),
            },
        };
        let like = if is_equal { LogTest::Like } else { LogTest::Unlike };
        Ok(like(path, Glob::new(&text)))
    }

    /// What is between slashes, and where it is.
    fn regex_text(&mut self) -> (String, Span) {
        let regex = self.bump_regex();
        let text = self.text_of(regex);
        let inner = text.strip_prefix('/').unwrap_or(text);
        let inner = inner.strip_suffix('/').unwrap_or(inner).replace("\\/", "/");
        (inner, self.span_of(regex))
    }

    /// What the event carries, after what selects it.
    fn log_captures(&mut self, select: LogSelect, select_span: Span) -> Parsed<SourceKind> {
        let mut captures = Vec::new();
        if self.eat_word("with") {
            self.captures(&mut captures, |p| p.log_term())?;
        }
        Ok(SourceKind::Log { select, select_span, captures })
    }

    /// `.request.id`, `."odd name"`.
    fn field_path(&mut self) -> Parsed<Vec<String>> {
        let mut path = Vec::new();
        while self.at(Punct::Dot) {
            if !path.is_empty() {
                self.glue();
            }
            self.bump();
            self.glue();
            path.push(if self.peek().kind == TokenKind::Str {
                self.expect_string("a field")?.0
            } else {
                self.name("the name of a field")?.text
            });
        }
        if path.is_empty() {
            return self.unexpected("a field, such as `.user`");
        }
        Ok(path)
    }

    fn log_term(&mut self) -> Parsed<LogTerm> {
        if self.at(Punct::Dot) {
            return Ok(LogTerm::Field(self.field_path()?));
        }
        if self.eat_word("arg") {
            return Ok(LogTerm::Position(self.position()?));
        }
        if self.eat_word("group") {
            return Ok(LogTerm::Group(self.name("the name of a group")?.text));
        }
        if self.eat_word("line") {
            return Ok(LogTerm::Line);
        }
        let token = self.peek();
        let span = self.span_of(token);
        let found = self.describe(token);
        let what = "`.field`, `group NAME`, `arg N` or `line`";
        let help = (token.kind == TokenKind::Ident).then(|| {
            format!("for a field write `.{0}`, for a named group `group {0}`", self.text_of(token))
        });
        self.report(
            Diagnostic::error(Code::Unexpected, span, format!("expected {what}, found {found}"))
                .help_if(help),
        )
    }
}
