//! What the parsers of both dialects share: walking over tokens, saying what is wrong, and finding
//! the way back to the next line that begins an item.

use std::ops::{Deref, DerefMut, Range};

use watchword_model::{FileId, Span};

use crate::diagnostic::{Code, Diagnostic, nearest};

/// After so many mistakes the rest of the file is not looked at.
const MAX_ERRORS: usize = 64;

/// A token, where it is, and whether it is the first of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<K> {
    /// What it is.
    pub kind: K,
    /// Where it is.
    pub range: Range<u32>,
    /// Whether only blanks stand before it on its line.
    pub first: bool,
}

/// What both dialects ask of a token.
pub trait Kind: PartialEq {
    /// The end of the file.
    const END: Self;
    /// `->`.
    const ARROW: Self;
    /// `{`.
    const OPEN: Self;
    /// `}`.
    const CLOSE: Self;
    /// The word, if it is one.
    fn word(&self) -> Option<&str>;
    /// The text between quotes, if it is one.
    fn text(&self) -> Option<&str>;
    /// What it is, for messages.
    fn found(&self) -> String;
    /// What does not end, and how it would, if that is what it is.
    fn unterminated(&self) -> Option<(&'static str, char)>;
    /// Whether it is no part of the language.
    fn is_unknown(&self) -> bool;
}

/// A name or a text, and where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A mistake that was reported; the caller finds its way back.
pub struct Lost;

/// What parsing a piece gives.
pub type Parsed<T> = Result<T, Lost>;

/// A place among the tokens of a file.
pub struct Cursor<'a, K> {
    /// The file.
    pub file: FileId,
    /// Its tokens; the last is the end.
    pub tokens: Vec<Token<K>>,
    /// The current one.
    pub at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
    errors: usize,
}

impl<'a, K: Kind> Cursor<'a, K> {
    /// At the first token.
    pub fn new(
        file: FileId,
        tokens: Vec<Token<K>>,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Cursor<'a, K> {
        Cursor { file, tokens, at: 0, diagnostics, errors: 0 }
    }

    pub fn peek(&self) -> &K {
        self.ahead(0)
    }

    pub fn ahead(&self, by: usize) -> &K {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)].kind
    }

    pub fn token(&self) -> &Token<K> {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub fn span(&self) -> Span {
        self.span_at(self.at)
    }

    pub fn span_at(&self, at: usize) -> Span {
        let range = &self.tokens[at.min(self.tokens.len() - 1)].range;
        Span { file: self.file, start: range.start, end: range.end }
    }

    /// From a token to the one before the current.
    pub fn since(&self, start: usize) -> Span {
        self.span_at(start).to(self.span_at(self.at.saturating_sub(1).max(start)))
    }

    pub fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub fn at(&self, kind: &K) -> bool {
        self.peek() == kind
    }

    pub fn eat_kind(&mut self, kind: &K) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    pub fn word(&self) -> Option<&str> {
        self.peek().word()
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        self.diagnostics.push(diagnostic);
    }

    pub fn unexpected(&mut self, wanted: &str, help: Option<&str>) -> Lost {
        let span = self.span();
        let message = format!("expected {wanted}, found {}", self.peek().found());
        let help = help.map(str::to_string);
        let diagnostic = if let Some((what, close)) = self.peek().unterminated() {
            Diagnostic::error(Code::Unterminated, span, format!("this {what} does not end"))
                .rule(format!("a {what} ends with `{close}` on the line it begins on"))
                .help(format!("add `{close}`"))
        } else if self.peek().is_unknown() {
            let known = "names are made of letters, digits and `_`";
            Diagnostic::error(Code::UnknownCharacter, span, message)
                .rule(known)
                .help(help.unwrap_or_else(|| "remove it".to_string()))
        } else {
            let help = help.unwrap_or_else(|| format!("write {wanted} here"));
            Diagnostic::error(Code::Unexpected, span, message).help(help)
        };
        self.report(diagnostic);
        Lost
    }

    /// A word as a name.
    pub fn state(&mut self, what: &str) -> Parsed<Name> {
        match self.word() {
            Some(word) => {
                let name = Name { text: word.to_string(), span: self.span() };
                self.advance();
                Ok(name)
            }
            None => Err(self.unexpected(what, None)),
        }
    }

    /// `source -> target:`.
    pub fn states(&mut self, keywords: &[&'static str]) -> Parsed<(Name, Name)> {
        let source = self.state("the state the transition leaves")?;
        if !self.eat_kind(&K::ARROW) {
            let near = nearest(&source.text, keywords.iter().copied());
            let near = near.map(|k| format!("did you mean `{k}`?"));
            let help = near.as_deref().unwrap_or("a transition is `state -> state: label`");
            return Err(self.unexpected("`->`", Some(help)));
        }
        Ok((source, self.state("the state the transition leads to")?))
    }

    /// `message "…"`.
    pub fn message(&mut self, property: &Name, message: &mut Option<Name>) -> Parsed<()> {
        let start = self.at;
        self.advance();
        let Some(text) = self.peek().text() else {
            return Err(self.unexpected("a text", Some("write `message \"what went wrong\"`")));
        };
        let found = Name { text: text.to_string(), span: self.span() };
        self.advance();
        match message {
            Some(first) => {
                let first = first.span;
                let span = self.since(start);
                let message = format!("`{}` has two messages", property.text);
                self.report(
                    Diagnostic::error(Code::OptionTwice, span, message)
                        .also(first, "the first one")
                        .help("keep one of them"),
                );
            }
            None => *message = Some(found),
        }
        Ok(())
    }

    /// Goes to the next line that begins an item: the line of the mistake, if the item that
    /// failed began on an earlier one.
    fn recover(&mut self, item: usize, keywords: &[&str]) {
        while self.at > item + 1 && !self.token().first {
            self.at -= 1;
        }
        while !self.at(&K::END) && !self.at(&K::CLOSE) && self.word() != Some("property") {
            let begins = self.token().first
                && self.word().is_some_and(|w| keywords.contains(&w) || *self.ahead(1) == K::ARROW);
            if begins {
                return;
            }
            self.advance();
        }
    }

    fn is_lost(&self) -> bool {
        self.errors >= MAX_ERRORS
    }
}

/// The parser of one dialect: a cursor, and what only this dialect needs.
pub struct DialectParser<'a, T, Own> {
    /// Where it is.
    pub cursor: Cursor<'a, T>,
    /// What only this dialect needs.
    pub own: Own,
}

impl<'a, T, Own> Deref for DialectParser<'a, T, Own> {
    type Target = Cursor<'a, T>;

    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl<T, Own> DerefMut for DialectParser<'_, T, Own> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

/// What is left to the parser of one dialect: what a property holds.
pub trait PropertyParser<'a>: DerefMut<Target = Cursor<'a, Self::Token>> {
    /// Its tokens.
    type Token: Kind + 'a;
    /// What it makes.
    type Property;
    /// Words an item begins with.
    const KEYWORDS: &'static [&'static str];

    /// A property with nothing but a name.
    fn begin(name: Name) -> Self::Property;

    /// One item of a property.
    fn item(&mut self, property: &mut Self::Property) -> Parsed<()>;

    /// All properties of the file.
    fn properties(&mut self) -> Vec<Self::Property> {
        let mut properties = Vec::new();
        while !self.at(&Self::Token::END) {
            if self.is_lost() {
                let span = self.span();
                let message = "too many errors; the rest of the file was not checked";
                self.report(Diagnostic::error(Code::TooManyErrors, span, message));
                break;
            }
            if self.word() == Some("property") {
                properties.push(self.property());
                continue;
            }
            let help = match self.word() {
                Some(word) if nearest(word, ["property"]).is_some() => "write `property`",
                _ => "a file is a list of properties, and each begins with `property NAME`",
            };
            self.unexpected("`property`", Some(help));
            self.advance();
            while !self.at(&Self::Token::END) && self.word() != Some("property") {
                self.advance();
            }
        }
        properties
    }

    /// `property NAME` and its items.
    fn property(&mut self) -> Self::Property {
        self.advance();
        let named = self.word().is_some_and(|w| w != "property" && !Self::KEYWORDS.contains(&w));
        let name = if named {
            self.state("the name of the property")
        } else {
            Err(self.unexpected("the name of the property", Some("write `property NAME`")))
        };
        let span = self.span();
        let mut property = Self::begin(name.unwrap_or(Name { text: String::new(), span }));
        let open = self.span();
        let braces = self.eat_kind(&Self::Token::OPEN);
        while !self.is_lost() {
            if braces && self.eat_kind(&Self::Token::CLOSE) {
                break;
            }
            let ends = self.at(&Self::Token::END);
            if ends || self.word() == Some("property") {
                if braces {
                    let mut diagnostic =
                        Diagnostic::error(Code::Unexpected, open, "this `{` is never closed")
                            .help("add `}` after the last transition");
                    if !ends {
                        diagnostic = diagnostic.also(self.span(), "another property begins here");
                    }
                    self.report(diagnostic);
                }
                break;
            }
            let item = self.at;
            if self.item(&mut property).is_err() {
                if self.at == item {
                    self.advance();
                }
                self.recover(item, Self::KEYWORDS);
            }
        }
        property
    }
}
