//! Words of Python, with lines and indentation made visible.

use std::ops::Range;

use watchword_model::{FileId, Span};

use crate::diagnostic::{Code, Diagnostic};
use crate::tokens;

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Word(String),
    Int(i64),
    Float(f64),
    Str(String),
    /// An f-string: texts, and where its expressions are.
    Format(Vec<FormatPart>),
    Symbol(&'static str),
    Newline,
    Indent,
    Dedent,
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FormatPart {
    Text(String),
    Expr(Range<usize>),
}

pub type Lexed = tokens::Lexed<Token>;

crate::indented_tokens!(Token);

/// Longer symbols first.
const SYMBOLS: [&str; 47] = [
    "**=", "//=", "<<=", ">>=", "...", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
    "**", "//", "<<", ">>", "==", "!=", "<=", ">=", "->", "(", ")", "[", "]", "{", "}", ",", ":",
    ";", ".", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "<", ">", "@",
];

/// Columns to the next of which a tab goes.
const TAB: usize = 8;

/// The words of a part of a file. Indentation counts from the first line: in a block whose first
/// statement stands beside the brace, from the second.
pub fn lex(
    file: FileId,
    text: &str,
    range: Range<usize>,
    said: &mut Vec<Diagnostic>,
) -> Vec<Lexed> {
    let mut lexer =
        Lexer { file, text: &text[..range.end], at: range.start, out: Vec::new(), said };
    lexer.run();
    lexer.out
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    out: Vec<Lexed>,
    said: &'t mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }

    fn push(&mut self, token: Token, start: usize) {
        let span = self.span(start, self.at);
        self.out.push(Lexed { token, span });
    }

    fn mark(&mut self, token: Token) {
        self.push(token, self.at);
    }

    fn error(&mut self, code: Code, start: usize, message: impl Into<String>) {
        let span = self.span(start, self.at);
        self.said.push(Diagnostic::error(code, span, message));
    }

    fn run(&mut self) {
        let mut levels: Vec<usize> = Vec::new();
        let mut brackets = 0usize;
        let mut first = self.at > 0 && !self.text[..self.at].ends_with('\n');
        while self.at < self.text.len() {
            let line_start = self.text[..self.at].rfind('\n').map_or(0, |n| n + 1);
            let column = if first { self.at - line_start } else { 0 } + self.blanks();
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                break;
            }
            if rest.starts_with(['\n', '#']) {
                self.next_line();
                first = false;
                continue;
            }
            if brackets == 0 && !first {
                self.indentation(column, &mut levels);
            }
            self.line(&mut brackets);
            if brackets == 0 {
                // A first line beside the brace begins in its own column only if something
                // belongs to it.
                let opens = self.out.last().is_some_and(|t| t.token == Token::Symbol(":"));
                if first && opens {
                    levels.push(column);
                }
                self.mark(Token::Newline);
                first = false;
            }
            self.next_line();
        }
        if brackets > 0 {
            self.mark(Token::Newline);
        }
        for _ in 1..levels.len() {
            self.mark(Token::Dedent);
        }
        self.mark(Token::End);
    }

    /// Skips blanks; how many columns they are.
    fn blanks(&mut self) -> usize {
        let mut column = 0;
        for byte in self.text[self.at..].bytes() {
            match byte {
                b' ' => column += 1,
                b'\t' => column = (column / TAB + 1) * TAB,
                b'\r' | 0x0c => {}
                _ => break,
            }
            self.at += 1;
        }
        column
    }

    fn next_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').map_or(rest.len(), |n| n + 1);
    }

    fn indentation(&mut self, column: usize, levels: &mut Vec<usize>) {
        match levels.last() {
            None => levels.push(column),
            Some(level) if column > *level => {
                levels.push(column);
                self.mark(Token::Indent);
            }
            Some(_) => {
                while levels.len() > 1 && levels.last().is_some_and(|level| column < *level) {
                    levels.pop();
                    self.mark(Token::Dedent);
                }
                if levels.last() != Some(&column) {
                    let first = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
                    let span = self.span(self.at, self.at + first);
                    let message = "the indentation of this line matches no earlier line";
                    self.said.push(
                        Diagnostic::error(Code::Unexpected, span, message)
                            .rule("the statements of a block begin in the same column"),
                    );
                }
            }
        }
    }

    /// The words of a line, up to its end. A backslash at its end continues it.
    fn line(&mut self, brackets: &mut usize) {
        loop {
            self.blanks();
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else { return };
            let start = self.at;
            if c == '\n' || c == '#' {
                return;
            }
            if let Some(tail) = rest.strip_prefix('\\')
                && tail.trim_start_matches([' ', '\r']).starts_with('\n')
            {
                self.next_line();
                continue;
            }
            if c.is_alphabetic() || c == '_' {
                let length =
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                let word = &rest[..length];
                if rest[length..].starts_with(['"', '\'']) && word.len() <= 2 {
                    self.at += length;
                    self.prefixed(word, start);
                    continue;
                }
                self.at += length;
                self.push(Token::Word(word.to_string()), start);
            } else if c.is_ascii_digit() {
                self.number(start);
            } else if c == '"' || c == '\'' {
                self.quoted(c, false, false, start);
            } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                self.at += symbol.len();
                match *symbol {
                    "(" | "[" | "{" => *brackets += 1,
                    ")" | "]" | "}" => *brackets = brackets.saturating_sub(1),
                    _ => {}
                }
                self.push(Token::Symbol(symbol), start);
            } else {
                self.at += c.len_utf8();
                let message = format!("`{}` is not part of Python", c.escape_debug());
                self.error(Code::UnknownCharacter, start, message);
            }
        }
    }

    /// A text with letters in front.
    fn prefixed(&mut self, prefix: &str, start: usize) {
        let quote = self.text[self.at..].chars().next().unwrap_or('"');
        let lower = prefix.to_ascii_lowercase();
        let (raw, format) = (lower.contains('r'), lower.contains('f'));
        if !["r", "f", "rf", "fr", "u"].contains(&lower.as_str()) {
            let message = format!("texts with `{prefix}` in front are not in the subset");
            self.error(Code::VerdePython, start, message);
        }
        self.quoted(quote, raw, format, start);
    }

    fn number(&mut self, start: usize) {
        let rest = &self.text[start..];
        let digits = |text: &str, from: usize| {
            let more = text[from..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            more.map_or(text.len(), |n| from + n)
        };
        let mut length = digits(rest, 0);
        let plain = rest[..length].bytes().all(|b| b.is_ascii_digit() || b == b'_');
        if plain && rest[length..].starts_with('.') {
            length = digits(rest, length + 1);
        }
        let exponent = rest[..length].ends_with(['e', 'E']) && !rest.starts_with("0x");
        if exponent && rest[length..].starts_with(['+', '-']) {
            length = digits(rest, length + 1);
        }
        self.at = start + length;
        let text = rest[..length].replace('_', "").to_ascii_lowercase();
        let based = |prefix: &str, base: u32| {
            text.strip_prefix(prefix).map(|digits| i64::from_str_radix(digits, base).ok())
        };
        let int = based("0x", 16)
            .or_else(|| based("0b", 2))
            .or_else(|| based("0o", 8))
            .unwrap_or_else(|| text.parse().ok());
        match int {
            Some(int) => self.push(Token::Int(int), start),
            None => match text.parse::<f64>() {
                Ok(float) if text.contains(['.', 'e']) && float.is_finite() => {
                    self.push(Token::Float(float), start);
                }
                _ => {
                    self.said.push(
                        Diagnostic::error(
                            Code::BadNumber,
                            self.span(start, self.at),
                            format!("`{}` is no number that fits", &rest[..length]),
                        )
                        .rule("whole numbers have 64 bits"),
                    );
                    self.push(Token::Int(0), start);
                }
            },
        }
    }

    fn quoted(&mut self, quote: char, raw: bool, format: bool, start: usize) {
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let long = self.text[self.at..].starts_with(&triple);
        self.at += if long { 3 } else { 1 };
        let mut parts: Vec<FormatPart> = Vec::new();
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else { break };
            if long && rest.starts_with(&triple) || !long && c == quote {
                self.at += if long { 3 } else { 1 };
                let token = if format {
                    parts.push(FormatPart::Text(text));
                    Token::Format(parts)
                } else {
                    Token::Str(text)
                };
                self.push(token, start);
                return;
            }
            if c == '\n' && !long {
                break;
            }
            if c == '\\' && !raw {
                self.escape(&mut text);
            } else if format && (rest.starts_with("{{") || rest.starts_with("}}")) {
                text.push(c);
                self.at += 2;
            } else if format && c == '{' {
                parts.push(FormatPart::Text(std::mem::take(&mut text)));
                self.at += 1;
                let begin = self.at;
                let stop = self.text[begin..].find(['{', '}', '\n', quote]);
                self.at = stop.map_or(self.text.len(), |n| begin + n);
                parts.push(FormatPart::Expr(begin..self.at));
                if self.text[self.at..].starts_with('}') {
                    self.at += 1;
                } else {
                    let message = "the expression in this text does not end";
                    self.error(Code::Unterminated, begin, message);
                    break;
                }
            } else {
                text.push(c);
                self.at += c.len_utf8();
            }
        }
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
        self.error(Code::Unterminated, start, "this text does not end");
        self.push(Token::Str(text), start);
    }

    /// A backslash and what it stands for. Python keeps those it does not know.
    fn escape(&mut self, text: &mut String) {
        let start = self.at;
        let mut chars = self.text[start..].chars();
        chars.next();
        let Some(c) = chars.next() else {
            self.at += 1;
            return;
        };
        self.at += 1 + c.len_utf8();
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '0' => text.push('\0'),
            '\\' | '"' | '\'' => text.push(c),
            '\n' => {}
            'x' | 'u' | 'U' | 'N' | 'a' | 'b' | 'f' | 'v' | '1'..='7' => {
                let message = format!("the escape `\\{c}` is not in the subset");
                self.error(Code::BadEscape, start, message);
            }
            _ => {
                text.push('\\');
                text.push(c);
            }
        }
    }
}
