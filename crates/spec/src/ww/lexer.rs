//! Characters to tokens.
//!
//! The lexer is driven by the parser, one token at a time, because a `/` begins a regular
//! expression in a log source and is a division elsewhere: only the parser knows which.

use std::ops::Range;

/// A token; its text is a range of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Whether a line ended between the token before and this one.
    pub newline_before: bool,
    /// The comments between the token before and this one, as a range of the lexer's list.
    pub comments: (u32, u32),
}

impl Token {
    /// The bytes it covers.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether nothing stands between this token and the next.
    pub fn touches(&self, next: &Token) -> bool {
        self.end == next.start
    }
}

/// A comment, `///` included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// First byte, a slash.
    pub start: u32,
    /// One past the last byte; the end of line is not part of it.
    pub end: u32,
    /// `///`, but not `////`.
    pub doc: bool,
    /// Whether it is the first thing on its line.
    pub own_line: bool,
    /// Whether something takes it as its documentation.
    pub documents: bool,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A name or a word of the language.
    Ident,
    /// A name in backquotes: never a word of the language.
    Quoted,
    /// An integer.
    Int,
    /// A number with a fraction or an exponent.
    Float,
    /// Text in double quotes.
    Str,
    /// A regular expression between slashes.
    Regex,
    /// Punctuation.
    Punct(Punct),
    /// Characters that mean nothing.
    Unknown,
    /// The end of the file.
    End,
}

macro_rules! puncts {
    ($($name:ident $text:literal),* $(,)?) => {
        /// Punctuation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is named after what it looks like")]
        pub enum Punct { $($name),* }

        impl Punct {
            /// All of them; of those that share a beginning, the longer first.
            pub const ALL: &'static [(Punct, &'static str)] = &[$((Punct::$name, $text)),*];

            /// What it looks like.
            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text),* }
            }
        }
    };
}

puncts! {
    Arrow "->", FatArrow "=>", EqEq "==", NotEq "!=", LessEq "<=", GreaterEq ">=",
    Shl "<<", Shr ">>", PlusEq "+=", MinusEq "-=", StarEq "*=", DotDot "..",
    ParenOpen "(", ParenClose ")", BraceOpen "{", BraceClose "}", BracketOpen "[",
    BracketClose "]", Comma ",", Colon ":", Eq "=", Less "<", Greater ">", Plus "+", Minus "-",
    Star "*", Slash "/", Percent "%", Question "?", Bang "!", Dot ".", Bar "|", Amp "&",
    Caret "^", Tilde "~", At "@",
}

/// Something wrong with the characters themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexError {
    /// Characters that are no part of the language.
    Unknown,
    /// A text, regular expression or quoted name that does not end on its line.
    Unterminated,
    /// A quoted name that is no name.
    BadQuoted,
}

/// The lexer.
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Comments met so far.
    pub comments: Vec<Comment>,
    /// Errors met so far.
    pub errors: Vec<(LexError, Range<u32>)>,
}

impl<'a> Lexer<'a> {
    /// A lexer at the beginning of a text.
    pub fn new(text: &'a str) -> Lexer<'a> {
        let mut lexer = Lexer { text, at: 0, comments: Vec::new(), errors: Vec::new() };
        if text.starts_with('\u{feff}') {
            lexer.at = '\u{feff}'.len_utf8();
        }
        lexer
    }

    /// A lexer of a part of a text: positions are those of the whole.
    pub fn of_part(text: &'a str, range: Range<usize>) -> Lexer<'a> {
        let mut lexer = Lexer::new(&text[..range.end]);
        lexer.at = range.start;
        lexer
    }

    /// Goes back to a position; comments and errors after it are forgotten.
    pub fn rewind(&mut self, to: u32) {
        self.at = to as usize;
        self.comments.retain(|c| c.start < to);
        self.errors.retain(|(_, range)| range.start < to);
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn eat_while(&mut self, accept: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !accept(c)).unwrap_or(rest.len());
    }

    /// The next token.
    pub fn next_token(&mut self) -> Token {
        let first_comment = self.comments.len() as u32;
        let newline_before = self.skip_blank();
        let comments = (first_comment, self.comments.len() as u32);
        let start = self.at;
        let kind = self.token();
        Token { kind, start: start as u32, end: self.at as u32, newline_before, comments }
    }

    /// The regular expression that begins at the slash at `start`.
    pub fn regex_at(&mut self, slash: Token) -> Token {
        self.rewind(slash.start);
        self.at += 1;
        let closed = self.delimited('/');
        if !closed {
            self.errors.push((LexError::Unterminated, slash.start..self.at as u32));
        }
        Token { kind: TokenKind::Regex, end: self.at as u32, ..slash }
    }

    /// Skips blanks and comments; whether a line ended.
    fn skip_blank(&mut self) -> bool {
        let mut newline = self.at == 0;
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            newline |= rest[..blank].contains('\n');
            self.at += blank;
            let rest = self.rest();
            if !rest.starts_with("//") {
                return newline;
            }
            let end = rest.find('\n').unwrap_or(rest.len());
            let line = rest[..end].trim_end();
            self.comments.push(Comment {
                start: self.at as u32,
                end: (self.at + line.len()) as u32,
                doc: line.starts_with("///") && !line.starts_with("////"),
                own_line: newline,
                documents: false,
            });
            self.at += end;
        }
    }

    fn token(&mut self) -> TokenKind {
        let Some(c) = self.peek() else { return TokenKind::End };
        if is_ident_start(c) {
            self.eat_while(is_ident_continue);
            return TokenKind::Ident;
        }
        if c.is_ascii_digit() {
            return self.number();
        }
        let start = self.at as u32;
        if c == '"' || c == '`' {
            self.at += 1;
            let closed = self.delimited(c);
            let end = self.at as u32;
            if !closed {
                self.errors.push((LexError::Unterminated, start..end));
            }
            if c == '"' {
                return TokenKind::Str;
            }
            let name = &self.text[start as usize + 1..self.at - usize::from(closed)];
            let mut chars = name.chars();
            if closed && !(chars.next().is_some_and(is_ident_start) && chars.all(is_ident_continue))
            {
                self.errors.push((LexError::BadQuoted, start..end));
            }
            return TokenKind::Quoted;
        }
        if let Some((punct, text)) =
            Punct::ALL.iter().find(|(_, text)| self.rest().starts_with(text))
        {
            self.at += text.len();
            return TokenKind::Punct(*punct);
        }
        // One error for a whole run of nonsense, so that binary input stays readable.
        let rest = self.rest();
        self.at += rest
            .find(|c: char| {
                c.is_whitespace()
                    || c.is_ascii_graphic() && !matches!(c, '\\' | '#' | '$' | ';' | '\'')
            })
            .unwrap_or(rest.len());
        self.at = self.at.max(start as usize + c.len_utf8());
        self.errors.push((LexError::Unknown, start..self.at as u32));
        TokenKind::Unknown
    }

    /// Skips to after the delimiter, or to the end of the line; whether it was found.
    fn delimited(&mut self, delimiter: char) -> bool {
        let mut escaped = false;
        for (at, c) in self.rest().char_indices() {
            match c {
                '\n' => {
                    self.at += at;
                    return false;
                }
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                _ if c == delimiter => {
                    self.at += at + 1;
                    return true;
                }
                _ => {}
            }
        }
        self.at = self.text.len();
        false
    }

    fn number(&mut self) -> TokenKind {
        if self.rest().starts_with("0x") || self.rest().starts_with("0X") {
            self.at += 2;
            self.eat_while(|c| c.is_ascii_hexdigit() || c == '_');
            return TokenKind::Int;
        }
        self.eat_while(|c| c.is_ascii_digit() || c == '_');
        let mut kind = TokenKind::Int;
        let mut rest = self.rest().chars();
        if rest.next() == Some('.') && rest.next().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            self.eat_while(|c| c.is_ascii_digit() || c == '_');
            kind = TokenKind::Float;
        }
        let exponent = self.rest().strip_prefix(['e', 'E']);
        if let Some(exponent) = exponent {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.starts_with(|c: char| c.is_ascii_digit()) {
                self.at += 1 + (exponent.len() - digits.len());
                self.eat_while(|c| c.is_ascii_digit());
                kind = TokenKind::Float;
            }
        }
        kind
    }
}

/// Whether a name may begin so.
pub fn is_ident_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// Whether a name may go on so.
pub fn is_ident_continue(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}
