//! Words of a `.prop` file. A block of Python is one token.

use watchword_model::{FileId, Span};

use crate::diagnostic::{Code, Diagnostic};
use crate::tokens::{self, Spelt};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A name or keyword; `non-accepting` is one.
    Word(String),
    /// A name in quotes.
    Quoted(String),
    Number(i64),
    /// A block: what is between its braces.
    Block,
    Symbol(&'static str),
    End,
}

pub type Lexed = tokens::Lexed<Token>;

impl Spelt for Token {
    fn is_word(&self, word: &str) -> bool {
        matches!(self, Token::Word(w) if w == word)
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self, Token::Symbol(s) if *s == symbol)
    }
}

/// Longer symbols first.
const SYMBOLS: [&str; 14] =
    ["->", "::", "(", ")", "[", "]", ",", ":", "=", "*", "&", ".", ";", "~"];

pub fn lex(file: FileId, text: &str, said: &mut Vec<Diagnostic>) -> Vec<Lexed> {
    let mut out = Vec::new();
    let mut at = 0;
    let span = |start: usize, end: usize| Span { file, start: start as u32, end: end as u32 };
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        if c.is_whitespace() || c == '\u{feff}' {
            at += c.len_utf8();
            continue;
        }
        let token = if c == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if c.is_alphabetic() || c == '_' {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let mut length = rest.find(|c| !word(c)).unwrap_or(rest.len());
            if &rest[..length] == "non" && rest[length..].starts_with("-accepting") {
                length += "-accepting".len();
            }
            at += length;
            Token::Word(rest[..length].to_string())
        } else if c.is_ascii_digit() {
            at += rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let number = text[start..at].parse().unwrap_or_else(|_| {
                let message = format!("`{}` is not an integer", &text[start..at]);
                said.push(Diagnostic::error(Code::BadNumber, span(start, at), message));
                0
            });
            Token::Number(number)
        } else if c == '"' {
            let line = rest.find('\n').unwrap_or(rest.len());
            match rest[1..line].find('"') {
                Some(end) => {
                    at += end + 2;
                    Token::Quoted(rest[1..=end].to_string())
                }
                None => {
                    at += line;
                    let message = "this name does not end on its line";
                    said.push(Diagnostic::error(Code::Unterminated, span(start, at), message));
                    Token::Quoted(rest[1..line].to_string())
                }
            }
        } else if c == '{' {
            match block_length(rest) {
                Some(length) => at += length,
                None => {
                    at = text.len();
                    let message = "this block does not end";
                    said.push(
                        Diagnostic::error(Code::Unterminated, span(start, start + 1), message)
                            .rule("close the block of Python with `}`"),
                    );
                    continue;
                }
            }
            Token::Block
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            at += symbol.len();
            Token::Symbol(symbol)
        } else {
            at += c.len_utf8();
            let message = format!("`{}` is not allowed in a property", c.escape_debug());
            said.push(Diagnostic::error(Code::UnknownCharacter, span(start, at), message));
            continue;
        };
        out.push(Lexed { token, span: span(start, at) });
    }
    out.push(Lexed { token: Token::End, span: span(text.len(), text.len()) });
    out
}

/// How long the block is that begins here, its braces included: braces in Python's texts and
/// remarks do not count.
fn block_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'#' => {
                at += text[at..].find('\n')?;
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at = skip_text(bytes, at, quote);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The byte after the text that begins here; one that does not end on its line ends with it.
fn skip_text(bytes: &[u8], start: usize, quote: u8) -> usize {
    let triple = [quote; 3];
    if bytes[start..].starts_with(&triple) {
        let mut at = start + 3;
        while at < bytes.len() && !bytes[at..].starts_with(&triple) {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        return (at + 3).min(bytes.len());
    }
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}
