//! Words of a scenario, with the lines and indentation made visible.

use watchword_model::{FileId, Span};
use watchword_spec::Diagnostic;
use watchword_spec::diagnostic::Code;
use watchword_spec::tokens;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A name or keyword; `non-accepting` is one.
    Word(String),
    Int(i64),
    Text(String),
    Symbol(&'static str),
    Newline,
    Indent,
    Dedent,
    End,
}

pub(crate) type Lexed = tokens::Lexed<Token>;

watchword_spec::indented_tokens!(Token);

/// Files longer than this are refused.
const MAX_BYTES: usize = 1 << 20;
/// Columns to the next of which a tab goes.
const TAB: usize = 8;

/// Longer symbols first.
const SYMBOLS: [&str; 22] = [
    ":=", "<=", ">=", "!=", "<>", "==", "(", ")", "[", "]", ",", ";", ":", ".", "+", "-", "*", "/",
    "%", "=", "<", ">",
];

pub(crate) fn lex(text: &str) -> (Vec<Lexed>, Vec<Diagnostic>) {
    let mut lexer = Lexer { text, at: 0, out: Vec::new(), said: Vec::new() };
    if text.len() > MAX_BYTES {
        lexer.say(Code::FileTooLarge, 0, 0, "a scenario has at most 1 MiB");
    } else {
        lexer.run();
    }
    let end = lexer.span(text.len(), text.len());
    lexer.out.push(Lexed { token: Token::End, span: end });
    (lexer.out, lexer.said)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    out: Vec<Lexed>,
    said: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: FileId(0), start: start as u32, end: end as u32 }
    }

    fn say(&mut self, code: Code, start: usize, end: usize, message: impl Into<String>) {
        self.said.push(Diagnostic::error(code, self.span(start, end), message));
    }

    fn push(&mut self, token: Token, start: usize) {
        let span = self.span(start, self.at);
        self.out.push(Lexed { token, span });
    }

    fn run(&mut self) {
        let mut levels = vec![0];
        let mut depth = 0usize;
        while self.at < self.text.len() {
            let start = self.at;
            let column = self.blanks();
            if self.at == self.text.len() {
                break;
            }
            if self.line_is_empty() {
                self.next_line();
                continue;
            }
            if depth == 0 {
                self.indentation(column, start, &mut levels);
            }
            self.line(&mut depth);
            if depth == 0 {
                let at = self.at;
                self.push(Token::Newline, at);
            }
            self.next_line();
        }
        if depth > 0 {
            let at = self.at;
            self.push(Token::Newline, at);
        }
        for _ in 1..levels.len() {
            let at = self.at;
            self.push(Token::Dedent, at);
        }
    }

    /// Skips blanks; the column they lead to.
    fn blanks(&mut self) -> usize {
        let mut column = 0;
        for byte in self.text[self.at..].bytes() {
            match byte {
                b' ' => column += 1,
                b'\t' => column = (column / TAB + 1) * TAB,
                b'\r' => {}
                _ => break,
            }
            self.at += 1;
        }
        column
    }

    fn line_is_empty(&self) -> bool {
        self.text[self.at..].starts_with(['\n', '#'])
    }

    fn next_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.find('\n').map_or(rest.len(), |n| n + 1);
    }

    fn indentation(&mut self, column: usize, start: usize, levels: &mut Vec<usize>) {
        if column > *levels.last().unwrap_or(&0) {
            levels.push(column);
            self.push(Token::Indent, start);
            return;
        }
        while column < *levels.last().unwrap_or(&0) {
            levels.pop();
            self.push(Token::Dedent, self.at);
        }
        if column != *levels.last().unwrap_or(&0) {
            let (start, end) = (start, self.at);
            self.said.push(
                Diagnostic::error(
                    Code::Unexpected,
                    self.span(start, end),
                    "this line is indented like none of the lines it could belong to",
                )
                .rule("the actions of a block begin in the same column"),
            );
        }
    }

    /// The words of a line, up to its end.
    fn line(&mut self, depth: &mut usize) {
        loop {
            self.blanks();
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else { return };
            if c == '\n' || c == '#' {
                return;
            }
            let start = self.at;
            if c.is_alphabetic() || c == '_' {
                let mut length =
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                // The only word with a hyphen.
                if &rest[..length] == "non" && rest[length..].starts_with("-accepting") {
                    length += "-accepting".len();
                }
                self.at += length;
                self.push(Token::Word(rest[..length].to_string()), start);
            } else if c.is_ascii_digit() {
                self.number(start);
            } else if c == '"' || c == '\'' {
                self.quoted(c, start);
            } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                self.at += symbol.len();
                match *symbol {
                    "(" | "[" => *depth += 1,
                    ")" | "]" => *depth = depth.saturating_sub(1),
                    _ => {}
                }
                self.push(Token::Symbol(symbol), start);
            } else {
                self.at += c.len_utf8();
                let message = format!("`{}` is not allowed in a scenario", c.escape_debug());
                self.say(Code::UnknownCharacter, start, self.at, message);
            }
        }
    }

    fn number(&mut self, start: usize) {
        let rest = &self.text[start..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.at += length;
        let text = &rest[..length];
        let number = match text.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        };
        match number {
            Some(number) => self.push(Token::Int(number), start),
            None => {
                let message = format!("`{text}` is not an integer of 64 bits");
                self.say(Code::BadNumber, start, self.at, message);
                self.push(Token::Int(0), start);
            }
        }
    }

    fn quoted(&mut self, quote: char, start: usize) {
        let mut text = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((offset, c)) = chars.next() {
            let here = start + 1 + offset;
            match c {
                '\n' => break,
                c if c == quote => {
                    self.at = here + 1;
                    self.push(Token::Text(text), start);
                    return;
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, c @ ('\\' | '"' | '\''))) => text.push(c),
                    Some((_, '\n')) | None => break,
                    Some((_, c)) => {
                        let message = format!("there is no escape `\\{}`", c.escape_debug());
                        self.say(Code::BadEscape, here, here + 1 + c.len_utf8(), message);
                    }
                },
                c => text.push(c),
            }
        }
        let rest = &self.text[start..];
        self.at = start + rest.find('\n').unwrap_or(rest.len());
        self.say(Code::Unterminated, start, self.at, "this text does not end on its line");
        self.push(Token::Text(text), start);
    }
}
