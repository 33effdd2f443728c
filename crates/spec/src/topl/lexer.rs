//! Classic TOPL as tokens.
//!
//! Line breaks and indentation are only remembered, not obeyed: every item begins with a keyword
//! or with `state ->`, so blocks need no brackets. The parser uses line beginnings to find its way
//! after a mistake.

use super::cursor::{self, Kind};

/// A token of this dialect.
pub type Token = cursor::Token<TokenKind>;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a keyword.
    Word(String),
    /// A number; `None` if it is too large to be one.
    Number(Option<i64>),
    /// `"…"`.
    Text(String),
    /// `<…>`, with `\<` and `\>` read as brackets.
    Constant(String),
    /// `->`.
    Arrow,
    /// `:=`.
    Assign,
    /// A sign of its own.
    Sign(char),
    /// A text or constant that does not end on its line; what there is of it.
    Unterminated(char),
    /// Characters that are no part of the language.
    Unknown,
    /// The end of the file.
    End,
}

impl Kind for TokenKind {
    const END: TokenKind = TokenKind::End;
    const ARROW: TokenKind = TokenKind::Arrow;
    const OPEN: TokenKind = TokenKind::Sign('{');
    const CLOSE: TokenKind = TokenKind::Sign('}');

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
            TokenKind::Constant(text) => format!("`<{text}>`"),
            TokenKind::Arrow => "`->`".into(),
            TokenKind::Assign => "`:=`".into(),
            TokenKind::Sign(sign) => format!("`{sign}`"),
            TokenKind::Unterminated(_) => "something that does not end".into(),
            TokenKind::Unknown => "a character that is not part of TOPL".into(),
            TokenKind::End => "the end of the file".into(),
        }
    }

    fn unterminated(&self) -> Option<(&'static str, char)> {
        match self {
            TokenKind::Unterminated('<') => Some(("pattern", '>')),
            TokenKind::Unterminated(_) => Some(("text", '"')),
            _ => None,
        }
    }

    fn is_unknown(&self) -> bool {
        *self == TokenKind::Unknown
    }
}

const SIGNS: &str = ":,.[](){}*!";

/// All tokens of a text; the last is [`TokenKind::End`].
pub fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0 };
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    let mut tokens = Vec::new();
    let mut first = true;
    loop {
        first |= lexer.blanks();
        let start = lexer.at;
        let kind = lexer.token();
        let range = start as u32..lexer.at as u32;
        let end = kind == TokenKind::End;
        match tokens.last_mut() {
            // A run of strange characters is one mistake.
            Some(Token { kind: TokenKind::Unknown, range: last, .. })
                if kind == TokenKind::Unknown && last.end == range.start =>
            {
                last.end = range.end;
            }
            _ => tokens.push(Token { kind, range, first }),
        }
        first = false;
        if end {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Skips blanks and comments; whether a line ended among them.
    fn blanks(&mut self) -> bool {
        let mut ended = false;
        loop {
            let rest = self.rest();
            match rest.chars().next() {
                Some(c) if c.is_whitespace() => {
                    ended |= c == '\n';
                    self.at += c.len_utf8();
                }
                Some(c) if c == ';' || rest.starts_with("//") => {
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return ended,
            }
        }
    }

    fn token(&mut self) -> TokenKind {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return TokenKind::End };
        if rest.starts_with("->") {
            self.at += 2;
            return TokenKind::Arrow;
        }
        if rest.starts_with(":=") {
            self.at += 2;
            return TokenKind::Assign;
        }
        if c == '¬' {
            self.at += c.len_utf8();
            return TokenKind::Sign('!');
        }
        if SIGNS.contains(c) {
            self.at += 1;
            return TokenKind::Sign(c);
        }
        if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let word = rest[..end].to_string();
            self.at += end;
            return TokenKind::Word(word);
        }
        if c.is_ascii_digit() || (c == '-' && rest[1..].starts_with(|d: char| d.is_ascii_digit())) {
            let digits =
                rest[1..].find(|d: char| !d.is_ascii_digit()).map_or(rest.len(), |e| e + 1);
            let number = rest[..digits].parse().ok();
            self.at += digits;
            return TokenKind::Number(number);
        }
        if c == '"' {
            return self.text_token();
        }
        if c == '<' {
            return self.constant();
        }
        self.at += c.len_utf8();
        TokenKind::Unknown
    }

    fn line_end(&self) -> usize {
        let line = self.rest();
        let end = line.find('\n').unwrap_or(line.len());
        self.at + line[..end].trim_end_matches('\r').len()
    }

    fn text_token(&mut self) -> TokenKind {
        let line = &self.text[self.at + 1..self.line_end().max(self.at + 1)];
        match line.find('"') {
            Some(end) => {
                let text = line[..end].to_string();
                self.at += end + 2;
                TokenKind::Text(text)
            }
            None => {
                self.at = self.line_end();
                TokenKind::Unterminated('"')
            }
        }
    }

    fn constant(&mut self) -> TokenKind {
        let limit = self.line_end();
        let mut text = String::new();
        let mut at = self.at + 1;
        while at < limit {
            let rest = &self.text[at..limit];
            // `<a.B.<init>>` is what people write, and nothing else can be meant.
            let inner = ["<init>", "<clinit>"].into_iter().find(|name| rest.starts_with(name));
            if let Some(name) = inner {
                text.push_str(name);
                at += name.len();
                continue;
            }
            let c = rest.chars().next().unwrap_or('>');
            at += c.len_utf8();
            match c {
                '>' => {
                    self.at = at;
                    return TokenKind::Constant(text);
                }
                '\\' => {
                    // Only brackets are escaped here; other escapes are those of Java's texts.
                    let escaped = self.text[at..limit].chars().next();
                    if !matches!(escaped, Some('<' | '>')) {
                        text.push(c);
                    }
                    text.extend(escaped);
                    at += escaped.map_or(0, char::len_utf8);
                }
                c => text.push(c),
            }
        }
        self.at = limit;
        TokenKind::Unterminated('<')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokens(text).into_iter().map(|t| t.kind).collect()
    }

    #[test]
    fn signs_words_and_constants() {
        let word = |w: &str| TokenKind::Word(w.to_string());
        assert_eq!(
            kinds("a_1 -> b: X := <java.util.*>.m(!x, <\"q\">)[*] ; rest\n// more"),
            vec![
                word("a_1"),
                TokenKind::Arrow,
                word("b"),
                TokenKind::Sign(':'),
                word("X"),
                TokenKind::Assign,
                TokenKind::Constant("java.util.*".into()),
                TokenKind::Sign('.'),
                word("m"),
                TokenKind::Sign('('),
                TokenKind::Sign('!'),
                word("x"),
                TokenKind::Sign(','),
                TokenKind::Constant("\"q\"".into()),
                TokenKind::Sign(')'),
                TokenKind::Sign('['),
                TokenKind::Sign('*'),
                TokenKind::Sign(']'),
                TokenKind::End,
            ]
        );
    }

    #[test]
    fn constructors_need_no_escapes_inside_a_longer_name() {
        let init = TokenKind::Constant("p.C.<init>".into());
        assert_eq!(kinds(r"<p.C.\<init\>>")[0], init);
        assert_eq!(kinds("<p.C.<init>>")[0], init);
        assert_eq!(kinds(r"<\<init\>>")[0], TokenKind::Constant("<init>".into()));
        assert_eq!(kinds("<init>")[0], TokenKind::Constant("init".into()));
        let escapes = TokenKind::Constant("\"a\\n\\\"\\\\<b>\"".into());
        assert_eq!(kinds("<\"a\\n\\\"\\\\\\<b\\>\">")[0], escapes);
    }

    #[test]
    fn what_does_not_end_stops_at_its_line() {
        let tokens = tokens("observe <a\nmessage \"b");
        assert_eq!(tokens[1].kind, TokenKind::Unterminated('<'));
        assert_eq!(tokens[1].range, 8..10);
        assert!(tokens[2].first);
        assert_eq!(tokens[3].kind, TokenKind::Unterminated('"'));
    }
}
