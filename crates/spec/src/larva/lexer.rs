//! Tokens of LARVA scripts: Java's, with `%%` comments and the marks of transitions and clocks.

use watchword_model::{FileId, Span};

use crate::diagnostic::{Code, Diagnostic};

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum Tok {
    /// A name or a word.
    Name(String),
    /// An integer, and whether it is a `long`.
    Int(i64, bool),
    /// A floating-point number.
    Float(f64),
    /// A text.
    Text(String),
    /// A character.
    Char(char),
    /// A mark, longest first.
    Mark(&'static str),
    /// The end of the file.
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub struct Token {
    /// What.
    pub tok: Tok,
    /// Where.
    pub span: Span,
}

/// Marks, longer ones before their beginnings. `@@` is one mark; `[` and `]` may also end code.
const MARKS: [&str; 49] = [
    ">>>", "<<=", ">>=", "...", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "..", "@@", "::", "{", "}", "(", ")", "[", "]",
    ";", ",", ".", "=", "<", ">", "!", "~", "?", ":", "+", "-", "*", "/", "&", "|", "^",
];
const LATE_MARKS: [&str; 3] = ["%", "@", "\\"];

/// The tokens of a script; the last is [`Tok::End`].
pub fn lex(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { file, text, at: 0, diagnostics, tokens: Vec::new() };
    lexer.run();
    lexer.tokens
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    diagnostics: &'t mut Vec<Diagnostic>,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            let start = self.at;
            if c.is_whitespace() {
                self.at += c.len_utf8();
            } else if self.rest().starts_with("%%") || self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                match self.rest().find("*/") {
                    Some(end) => self.at += end + 2,
                    None => {
                        self.error(Code::Unterminated, start, "this comment does not end");
                        self.at = self.text.len();
                    }
                }
            } else if c.is_alphabetic() || c == '_' || c == '$' {
                let name = self.take(|c| c.is_alphanumeric() || c == '_' || c == '$');
                self.push(start, Tok::Name(name));
            } else if c.is_ascii_digit() {
                self.number();
            } else if c == '"' || c == '\'' {
                self.quoted(c);
            } else if let Some(mark) =
                MARKS.iter().chain(&LATE_MARKS).find(|m| self.rest().starts_with(**m))
            {
                self.at += mark.len();
                self.push(start, Tok::Mark(mark));
            } else {
                self.at += c.len_utf8();
                self.error(Code::UnknownCharacter, start, &format!("`{c}` has no meaning here"));
            }
        }
        self.push(self.at, Tok::End);
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.at as u32 }
    }

    fn push(&mut self, start: usize, tok: Tok) {
        let span = self.span(start);
        self.tokens.push(Token { tok, span });
    }

    fn error(&mut self, code: Code, start: usize, message: &str) {
        let span = self.span(start.min(self.at));
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    fn take(&mut self, keep: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !keep(c)).unwrap_or(rest.len());
        let taken = rest[..end].to_string();
        self.at += end;
        taken
    }

    fn number(&mut self) {
        let start = self.at;
        let hex = ["0x", "0X"].iter().any(|p| self.rest().starts_with(p));
        if hex {
            self.at += 2;
        }
        let mut digits =
            self.take(|c| if hex { c.is_ascii_hexdigit() } else { c.is_ascii_digit() } || c == '_');
        let mut float = false;
        let fraction = |rest: &str| {
            rest.strip_prefix('.').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
        };
        if !hex && fraction(self.rest()) {
            float = true;
            self.at += 1;
            digits.push('.');
            digits.push_str(&self.take(|c| c.is_ascii_digit() || c == '_'));
        }
        if !hex && self.rest().starts_with(['e', 'E']) {
            float = true;
            self.at += 1;
            digits.push('e');
            if self.rest().starts_with(['+', '-']) {
                digits.push_str(&self.text[self.at..self.at + 1]);
                self.at += 1;
            }
            digits.push_str(&self.take(|c| c.is_ascii_digit()));
        }
        let suffix = self.rest().chars().next().filter(|c| "lLfFdD".contains(*c));
        if suffix.is_some() {
            self.at += 1;
        }
        let digits: String = digits.chars().filter(|c| *c != '_').collect();
        let long = matches!(suffix, Some('l' | 'L'));
        let tok = if float || matches!(suffix, Some('f' | 'F' | 'd' | 'D')) {
            digits.parse().ok().map(Tok::Float)
        } else {
            let radix = if hex { 16 } else { 10 };
            // As a person would have it: 0xFFFFFFFF is an int, all bits set.
            let bits = u64::from_str_radix(&digits, radix).ok();
            match (bits, long) {
                (Some(n), false) if hex && n <= u64::from(u32::MAX) => {
                    Some(Tok::Int(i64::from(n as u32 as i32), false))
                }
                (Some(n), false) if n <= 1 << 31 => Some(Tok::Int(n as i64, false)),
                (Some(n), true) if hex || n <= 1 << 63 => Some(Tok::Int(n as i64, true)),
                _ => None,
            }
        };
        match tok {
            Some(tok) => self.push(start, tok),
            None => {
                self.error(Code::BadNumber, start, "this number does not fit its type");
                self.push(start, Tok::Int(0, long));
            }
        }
    }

    fn quoted(&mut self, quote: char) {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.rest().chars().next().filter(|c| *c != '\n') {
            self.at += c.len_utf8();
            if c == quote {
                let single = text.chars().next().filter(|_| text.chars().count() == 1);
                match (quote, single) {
                    ('"', _) => self.push(start, Tok::Text(text)),
                    (_, Some(c)) => self.push(start, Tok::Char(c)),
                    _ => {
                        self.error(
                            Code::Unexpected,
                            start,
                            "a character literal holds one character",
                        );
                        self.push(start, Tok::Char('?'));
                    }
                }
                return;
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            let escape = self.at - 1;
            let Some(c) = self.rest().chars().next() else { break };
            self.at += c.len_utf8();
            match c {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                '0' => text.push('\0'),
                '\\' | '"' | '\'' => text.push(c),
                'u' => {
                    let code = self.rest().get(..4).and_then(|h| u32::from_str_radix(h, 16).ok());
                    match code.and_then(char::from_u32) {
                        Some(c) => {
                            self.at += 4;
                            text.push(c);
                        }
                        None => self.error(
                            Code::BadEscape,
                            escape,
                            "`\\u` needs four hexadecimal digits",
                        ),
                    }
                }
                _ => self.error(Code::BadEscape, escape, "this escape does not exist"),
            }
        }
        self.error(Code::Unterminated, start, "this text does not end on its line");
        self.push(start, Tok::Text(text));
    }
}
