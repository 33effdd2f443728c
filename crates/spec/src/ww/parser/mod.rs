//! Tokens to tree, with recovery: there is always a tree, and a list of what was wrong.
//!
//! Words of the language are words only where the grammar expects them, so that events may be
//! called `next` or `read`. The parser never recurses deeper than [`MAX_DEPTH`], and no node it
//! makes has a deeper tree below it, so whoever walks the tree may recurse.

mod expr;
mod item;
mod jvm;
mod label;
mod ltl;
mod property;
mod regex;
mod source;
mod stmt;
mod text;

pub(crate) use text::{UNITS, nanoseconds};

use std::collections::VecDeque;
use std::ops::Range;

use watchword_model::{FileId, Span};

use super::lexer::{Comment, LexError, Lexer, Punct, Token, TokenKind};
use super::tree::{File, Item, Name};
use crate::diagnostic::{Code, Diagnostic, nearest};

/// How deep trees may be.
pub const MAX_DEPTH: u32 = 128;
/// After so many errors the rest of a file is not looked at.
const MAX_ERRORS: usize = 100;
/// Larger files are refused; spans have 32 bits and people do not write such files.
pub const MAX_FILE: usize = 64 << 20;

/// An error was reported; the caller recovers or passes it on.
pub(super) struct Stop;
/// A part of the tree, or an error that was reported.
pub(super) type Parsed<T> = Result<T, Stop>;

/// A consumed token, for the formatter.
#[derive(Clone, Copy, Debug)]
pub struct Consumed {
    /// The token.
    pub token: Token,
    /// Whether it belongs to the token before it, without a blank.
    pub tight: bool,
    /// Whether it begins a declaration, a line of a property or a statement.
    pub begins: bool,
    /// What the formatter may line up here.
    pub column: Option<Column>,
}

/// What the formatter lines up in neighbouring lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The `=` of an event.
    Equals,
    /// The arrow of a transition.
    Arrow,
}

/// What parsing gives.
pub struct Output {
    /// The tree.
    pub file: File,
    /// What was wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// Every token in order, for the formatter; complete if there were no errors.
    pub tokens: Vec<Consumed>,
    /// Every comment in order.
    pub comments: Vec<Comment>,
}

/// Parses a file.
pub fn parse(text: &str, file: FileId) -> Output {
    if text.len() > MAX_FILE {
        let span = Span { file, start: 0, end: 0 };
        let error = Diagnostic::error(Code::FileTooLarge, span, "this file is too large")
            .rule(format!("a property file has at most {} MiB", MAX_FILE >> 20));
        return Output {
            file: File::default(),
            diagnostics: vec![error],
            tokens: Vec::new(),
            comments: Vec::new(),
        };
    }
    let mut parser = Parser::new(text, Lexer::new(text), file);
    let tree = parser.file();
    parser.finish(tree)
}

/// Parses what stands for an event's sources on a command line: `request=/…/`,
/// `reply=.kind == "reply"`, `failed(user)=log …`. The tree has the event alone.
pub fn parse_binding(text: &str, file: FileId) -> Output {
    let mut parser = Parser::new(text, Lexer::new(text), file);
    let items = parser.binding().map(Item::Event).into_iter().collect();
    parser.finish(File { items })
}

pub(super) struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    file: FileId,
    ahead: VecDeque<Token>,
    last: Token,
    consumed: Vec<Consumed>,
    next_tight: bool,
    next_begins: bool,
    next_column: Option<Column>,
    errors: Vec<Diagnostic>,
    depth: u32,
    /// Bytes up to which comments were taken as documentation or need not be.
    documented: u32,
    gave_up: bool,
    /// Where the last recovery ended; the next must get further.
    recovered: Option<u32>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, lexer: Lexer<'a>, file: FileId) -> Parser<'a> {
        let start = Token {
            kind: TokenKind::Unknown,
            start: 0,
            end: 0,
            newline_before: true,
            comments: (0, 0),
        };
        Parser {
            text,
            lexer,
            file,
            ahead: VecDeque::new(),
            last: start,
            consumed: Vec::new(),
            next_tight: false,
            next_begins: false,
            next_column: None,
            errors: Vec::new(),
            depth: 0,
            documented: 0,
            gave_up: false,
            recovered: None,
        }
    }

    fn finish(mut self, file: File) -> Output {
        self.lexical_errors();
        self.lost_docs();
        Output {
            file,
            diagnostics: self.errors,
            tokens: self.consumed,
            comments: self.lexer.comments,
        }
    }

    fn lexical_errors(&mut self) {
        let found = std::mem::take(&mut self.lexer.errors);
        let mut diagnostics: Vec<Diagnostic> = found
            .into_iter()
            .take(MAX_ERRORS)
            .map(|(error, range)| self.lexical_error(error, range))
            .collect();
        // What the characters got wrong explains what the grammar made of it, so it comes first,
        // and what the grammar said about the very same place is not worth repeating.
        self.errors.retain(|e| {
            !(e.code == Code::Unexpected.text()
                && diagnostics
                    .iter()
                    .any(|d| d.span.start <= e.span.start && e.span.end <= d.span.end))
        });
        diagnostics.append(&mut self.errors);
        diagnostics.sort_by_key(|d| d.span.start);
        self.errors = diagnostics;
    }

    fn lexical_error(&self, error: LexError, range: Range<u32>) -> Diagnostic {
        let span = self.span(range.start, range.end);
        let text = &self.text[range.start as usize..range.end as usize];
        match error {
            LexError::Unknown => {
                let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
                let shown: String = text.chars().take(12).map(visible).collect();
                let diagnostic = Diagnostic::error(
                    Code::UnknownCharacter,
                    span,
                    format!("`{shown}` is not part of the language"),
                );
                match text.chars().next() {
                    Some(';') => {
                        diagnostic.help("lines end without punctuation; remove it").fix(span, "")
                    }
                    Some('#') => diagnostic
                        .help("comments begin with `//`")
                        .fix(self.span(range.start, range.start + 1), "//"),
                    Some('\'') => diagnostic.help("texts are written in double quotes: \"…\""),
                    Some('“' | '”') => diagnostic.help("use straight quotes: \"…\""),
                    _ => diagnostic,
                }
            }
            LexError::Unterminated => {
                let (what, close) = match text.chars().next() {
                    Some('`') => ("name", '`'),
                    Some('/') => ("regular expression", '/'),
                    _ => ("text", '"'),
                };
                Diagnostic::error(Code::Unterminated, span, format!("this {what} does not end"))
                    .rule("it has to end on the line it begins on")
                    .help(format!("close it with `{close}`"))
            }
            LexError::BadQuoted => Diagnostic::error(
                Code::UnknownCharacter,
                span,
                "what stands in backquotes is no name",
            )
            .rule("a name is a letter or `_`, then letters, digits, `_` or `$`"),
        }
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span { file: self.file, start, end }
    }

    fn span_of(&self, token: Token) -> Span {
        self.span(token.start, token.end)
    }

    /// From a position to the end of the last token.
    fn since(&self, start: u32) -> Span {
        self.span(start, self.last.end.max(start))
    }

    fn nth(&mut self, n: usize) -> Token {
        while self.ahead.len() <= n {
            let token = self.lexer.next_token();
            self.ahead.push_back(token);
        }
        self.ahead[n]
    }

    fn peek(&mut self) -> Token {
        self.nth(0)
    }

    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.range()]
    }

    fn bump(&mut self) -> Token {
        let token = self.peek();
        if token.kind == TokenKind::End {
            return token;
        }
        self.ahead.pop_front();
        self.consumed.push(Consumed {
            token,
            tight: std::mem::take(&mut self.next_tight),
            begins: std::mem::take(&mut self.next_begins),
            column: self.next_column.take(),
        });
        self.last = token;
        token
    }

    /// The next token belongs to the one before it, without a blank.
    fn glue(&mut self) {
        self.next_tight = true;
    }

    /// The next token begins a declaration, a line of a property or a statement.
    fn begin(&mut self) {
        self.next_begins = true;
    }

    /// The current slash begins a regular expression.
    fn bump_regex(&mut self) -> Token {
        let slash = self.peek();
        let token = self.lexer.regex_at(slash);
        self.ahead.clear();
        self.ahead.push_back(token);
        self.bump()
    }

    fn at(&mut self, punct: Punct) -> bool {
        self.peek().kind == TokenKind::Punct(punct)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    fn is_word(&mut self, n: usize, word: &str) -> bool {
        let token = self.nth(n);
        token.kind == TokenKind::Ident && self.text_of(token) == word
    }

    fn at_word(&mut self, word: &str) -> bool {
        self.is_word(0, word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, punct: Punct) -> Parsed<Token> {
        if self.at(punct) {
            return Ok(self.bump());
        }
        self.unexpected(&format!("`{}`", punct.text()))
    }

    /// A punctuation mark that belongs to the token before it.
    fn expect_tight(&mut self, punct: Punct) -> Parsed<Token> {
        self.glue();
        self.expect(punct)
    }

    fn expect_word(&mut self, word: &str) -> Parsed<Token> {
        if self.at_word(word) {
            return Ok(self.bump());
        }
        self.unexpected(&format!("`{word}`"))
    }

    fn at_name(&mut self) -> bool {
        matches!(self.peek().kind, TokenKind::Ident | TokenKind::Quoted)
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if !self.at_name() || self.at_word("_") {
            return self.unexpected(what);
        }
        Ok(self.bump_name())
    }

    fn bump_name(&mut self) -> Name {
        let token = self.bump();
        let text = self.text_of(token);
        let text = if token.kind == TokenKind::Quoted { text.trim_matches('`') } else { text };
        Name { text: text.to_string(), span: self.span_of(token) }
    }

    /// `a, b, c`.
    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.at(Punct::Comma) {
            self.comma();
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn comma(&mut self) {
        self.glue();
        self.bump();
    }

    /// Items separated by commas up to a closing mark, which is consumed.
    fn list<T>(
        &mut self,
        close: Punct,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        self.glue();
        while !self.at(close) {
            items.push(item(self)?);
            if !self.at(Punct::Comma) {
                break;
            }
            self.comma();
        }
        if !self.at(close) {
            return self.unexpected(&format!("`,` or `{}`", close.text()));
        }
        self.glue();
        self.bump();
        Ok(items)
    }

    /// How a token is called in messages.
    fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Str => "a text".to_string(),
            TokenKind::Regex => "a regular expression".to_string(),
            _ => {
                let text: String = self.text_of(token).chars().take(40).collect();
                format!("`{}`", text.escape_debug())
            }
        }
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        self.unexpected_with(expected, |d| d)
    }

    fn unexpected_with<T>(
        &mut self,
        expected: &str,
        add: impl FnOnce(Diagnostic) -> Diagnostic,
    ) -> Parsed<T> {
        let token = self.peek();
        let found = self.describe(token);
        let mut span = self.span_of(token);
        if token.kind == TokenKind::End {
            // The end of the file is rarely where the mistake is: point behind the last token.
            let last = self.text_of(self.last).char_indices().next_back();
            let start = self.last.start + last.map_or(0, |(at, _)| at as u32);
            span = self.span(start, self.last.end);
        }
        let error = Diagnostic::error(
            Code::Unexpected,
            span,
            format!("expected {expected}, found {found}"),
        )
        .label(format!("expected {expected}"));
        let error = match familiar(self.text_of(token)) {
            Some(help) => error.help(help),
            None => error,
        };
        self.report(add(error))
    }

    /// Like `unexpected`, where the next token should have been one of these words.
    fn unexpected_word<T>(&mut self, expected: &str, words: &[&'static str]) -> Parsed<T> {
        let token = self.peek();
        let found = self.text_of(token);
        let near = match token.kind {
            TokenKind::Ident => nearest(found, words.iter().copied()),
            _ => None,
        };
        self.unexpected_with(expected, |d| d.did_you_mean(near))
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.push(diagnostic);
        Err(Stop)
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        let said = |d: &Diagnostic| d.code == diagnostic.code && d.span == diagnostic.span;
        if self.gave_up || self.errors.last().is_some_and(said) {
            return;
        }
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(diagnostic);
            return;
        }
        self.gave_up = true;
        self.errors.push(
            Diagnostic::error(Code::TooManyErrors, diagnostic.span, "too many errors")
                .rule("the rest of this file was not looked at"),
        );
    }

    /// Runs `parse` one level deeper, unless that is too deep.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            let token = self.peek();
            return self.too_deep(self.span_of(token));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        self.report(
            Diagnostic::error(Code::TooDeep, span, "this is nested too deeply")
                .rule(format!("expressions, patterns and blocks nest at most {MAX_DEPTH} levels"))
                .help("name a part of it: a function, a variable or a state"),
        )
    }

    /// The `///` lines right before the next token.
    fn doc(&mut self) -> String {
        let token = self.peek();
        let (from, to) = token.comments;
        let mut lines = Vec::new();
        for comment in &self.lexer.comments[from as usize..to as usize] {
            if comment.doc && comment.own_line {
                let line = &self.text[comment.start as usize + 3..comment.end as usize];
                lines.push(line.strip_prefix(' ').unwrap_or(line));
            } else {
                lines.clear();
            }
        }
        self.documented = token.start;
        let doc = lines.join("\n");
        if !doc.is_empty() {
            self.mark_documented(from, to);
        }
        doc
    }

    fn mark_documented(&mut self, from: u32, to: u32) {
        for comment in &mut self.lexer.comments[from as usize..to as usize] {
            // Kept as comments, but no longer candidates for “documents nothing”.
            comment.documents = true;
        }
    }

    fn lost_docs(&mut self) {
        let lost: Vec<Diagnostic> = self
            .lexer
            .comments
            .iter()
            .filter(|c| c.doc && !c.documents)
            .map(|c| {
                Diagnostic::warning(
                    Code::LostDoc,
                    self.span(c.start, c.end),
                    "this comment documents nothing",
                )
                .rule("`///` documents the event, channel, function, context or property below it")
                .help("use `//` for other comments")
                .fix(self.span(c.start, c.start + 3), "//")
            })
            .take(MAX_ERRORS)
            .collect();
        if self.errors.is_empty() {
            self.errors = lost;
        }
    }

    /// Whether the next token begins a declaration of the file, at the beginning of a line.
    fn at_item(&mut self) -> bool {
        let token = self.peek();
        if token.kind != TokenKind::Ident || !token.newline_before {
            return false;
        }
        let next = self.nth(1).kind;
        let named = matches!(next, TokenKind::Ident | TokenKind::Quoted);
        match self.text_of(token) {
            "import" => next == TokenKind::Str,
            "event" | "channel" | "function" => named,
            _ => false,
        }
    }

    /// Skips what cannot be understood: to a line that `resumes`, or to the `}` of this block.
    fn recover(&mut self, resumes: impl Fn(&mut Self) -> bool) {
        self.next_tight = false;
        self.next_column = None;
        self.next_begins = false;
        let mut open = 0u32;
        let at = self.peek().start;
        if self.recovered == Some(at) && !self.at(Punct::BraceClose) {
            self.bump();
        }
        self.skip_to(&mut open, resumes);
        self.recovered = Some(self.peek().start);
    }

    fn skip_to(&mut self, open: &mut u32, resumes: impl Fn(&mut Self) -> bool) {
        loop {
            if self.gave_up {
                // Skip the rest in one go: nothing more will be reported.
                while self.peek().kind != TokenKind::End {
                    self.bump();
                }
            }
            let token = self.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Punct(Punct::BraceOpen) => *open += 1,
                TokenKind::Punct(Punct::BraceClose) => {
                    if *open == 0 {
                        return;
                    }
                    *open -= 1;
                }
                TokenKind::Ident
                    if token.newline_before
                        && (self.at_item() || (*open == 0 && resumes(self))) =>
                {
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }
}

/// What a word of other languages is here.
fn familiar(word: &str) -> Option<&'static str> {
    Some(match word {
        "when" | "where" | "guard" | "provided" | "unless" => {
            "a guard comes after the event, with `if`: `on push(q) if n > 3 -> Full`"
        }
        "initial" | "init" | "begin" | "first" => {
            "write `start state` for the state in which the property begins"
        }
        "final" | "error" | "accepting" | "accept" | "fail" | "violation" => {
            "write `bad state` for a state that must not be reached"
        }
        "transition" | "upon" | "goto" => "a transition is written `on EVENT -> STATE`",
        "&" | "|" | "!" => "write conditions with `and`, `or` and `not`, after `if`",
        "let" | "variable" | "int" | "bool" | "string" | "double" => {
            "a variable is declared with `var NAME: TYPE = VALUE`"
        }
        _ => return None,
    })
}
