//! Infer's dialect as tokens. Like classic TOPL, blocks are found without their indentation.

use crate::topl::cursor::{self, Kind};

/// A token of this dialect.
pub type Token = cursor::Token<TokenKind>;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a keyword.
    Word(String),
    /// A number; `None` if it does not fit in 64 bits.
    Number(Option<i64>),
    /// `"…"`, with `\c` read as `c`.
    Text(String),
    /// Punctuation.
    Sign(&'static str),
    /// A text that does not end on its line.
    Unterminated,
    /// Characters that are no part of the language.
    Unknown,
    /// The end of the file.
    End,
}

impl Kind for TokenKind {
    const END: TokenKind = TokenKind::End;
    const ARROW: TokenKind = TokenKind::Sign("->");
    const OPEN: TokenKind = TokenKind::Sign("{");
    const CLOSE: TokenKind = TokenKind::Sign("}");

    fn word(&self) -> Option<&str> {
        if let TokenKind::Word(word) = self { Some(word) } else { None }
    }

    fn text(&self) -> Option<&str> {
        if let TokenKind::Text(text) = self { Some(text) } else { None }
    }

    fn found(&self) -> String {
        match self {
            TokenKind::Word(word) => format!("`{word}`"),
            TokenKind::Number(_) => "a number".into(),
            TokenKind::Text(_) => "a text".into(),
            TokenKind::Sign(sign) => format!("`{sign}`"),
            TokenKind::Unterminated => "a text that does not end".into(),
            TokenKind::Unknown => "a character that is no part of the language".into(),
            TokenKind::End => "the end of the file".into(),
        }
    }

    fn unterminated(&self) -> Option<(&'static str, char)> {
        (*self == TokenKind::Unterminated).then_some(("text", '"'))
    }

    fn is_unknown(&self) -> bool {
        *self == TokenKind::Unknown
    }
}

/// Of those that share a beginning, the longer first.
const SIGNS: [&str; 26] = [
    "~~>", "->", "=>", ":=", "==", "!=", "<=", ">=", "&&", "~@", "<", ">", "@", "#", "!", ":", ";",
    ",", ".", "*", "(", ")", "{", "}", "[", "]",
];

/// All tokens of a text; the last is [`TokenKind::End`].
pub fn tokens(text: &str) -> Vec<Token> {
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut tokens: Vec<Token> = Vec::new();
    let mut first = true;
    loop {
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else {
            let end = text.len() as u32;
            tokens.push(Token { kind: TokenKind::End, range: end..end, first: true });
            return tokens;
        };
        if c.is_whitespace() {
            first |= c == '\n';
            at += c.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let (kind, length) = token(rest, c);
        let range = at as u32..(at + length) as u32;
        at += length;
        match tokens.last_mut() {
            Some(Token { kind: TokenKind::Unknown, range: last, .. })
                if kind == TokenKind::Unknown && last.end == range.start =>
            {
                last.end = range.end;
            }
            _ => tokens.push(Token { kind, range, first }),
        }
        first = false;
    }
}

/// The token at the beginning of a text that is not blank, and its length.
fn token(rest: &str, c: char) -> (TokenKind, usize) {
    if c.is_alphabetic() || c == '_' {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        return (TokenKind::Word(rest[..end].to_string()), end);
    }
    if c.is_ascii_digit() || (c == '-' && rest[1..].starts_with(|d: char| d.is_ascii_digit())) {
        let end = rest[1..].find(|d: char| !d.is_ascii_digit()).map_or(rest.len(), |e| e + 1);
        return (TokenKind::Number(rest[..end].parse().ok()), end);
    }
    if c == '"' {
        return text_token(rest);
    }
    match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
        Some(sign) => (TokenKind::Sign(sign), sign.len()),
        None => (TokenKind::Unknown, c.len_utf8()),
    }
}

fn text_token(rest: &str) -> (TokenKind, usize) {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (TokenKind::Text(text), at + 1),
            '\n' => break,
            '\\' => match chars.next() {
                Some((_, '\n')) | None => break,
                Some((_, escaped)) => text.push(escaped),
            },
            c => text.push(c),
        }
    }
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    (TokenKind::Unterminated, line.trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_texts_and_comments() {
        let kinds: Vec<TokenKind> =
            tokens(r#"a -> b: !"x\\.y"(A: B) when A >= -1 => r := A; // c"#)
                .into_iter()
                .map(|t| t.kind)
                .collect();
        let word = |w: &str| TokenKind::Word(w.to_string());
        let sign = TokenKind::Sign;
        assert_eq!(
            kinds,
            vec![
                word("a"),
                sign("->"),
                word("b"),
                sign(":"),
                sign("!"),
                TokenKind::Text(r"x\.y".into()),
                sign("("),
                word("A"),
                sign(":"),
                word("B"),
                sign(")"),
                word("when"),
                word("A"),
                sign(">="),
                TokenKind::Number(Some(-1)),
                sign("=>"),
                word("r"),
                sign(":="),
                word("A"),
                sign(";"),
                TokenKind::End,
            ]
        );
    }

    #[test]
    fn texts_end_on_their_line() {
        let tokens = tokens("prefix \"a\\\nstart");
        assert_eq!(tokens[1].kind, TokenKind::Unterminated);
        assert_eq!(tokens[1].range, 7..10);
        assert!(tokens[2].first);
    }
}
