//! Texts, numbers, durations and placeholders.

use watchword_model::{Time, Value};

use super::expr::RESERVED;
use super::property::MEMBERS;
use super::{Parsed, Parser};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::ww::lexer::{Lexer, Punct, Token, TokenKind};
use crate::ww::tree::{Constant, Duration, Expr, Template, TemplatePart};

/// Units of durations, in nanoseconds; of those that are the same the last one is the usual one.
pub(crate) const UNITS: [(&str, i64); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("day", 86_400_000_000_000),
    ("days", 86_400_000_000_000),
    ("d", 86_400_000_000_000),
];

/// So many of a unit, in nanoseconds, if that fits.
pub(crate) fn nanoseconds(amount: &Value, unit: Time) -> Option<Time> {
    match amount {
        Value::Int(n) => n.checked_mul(unit),
        Value::Float(f) => {
            let nanos = (f * unit as f64).round();
            (nanos.abs() < 9e18).then_some(nanos as i64)
        }
        _ => None,
    }
}

/// A character of a text, or a brace that was written alone.
enum Piece {
    Char(char),
    Open(usize),
    Close(usize),
}

impl Parser<'_> {
    /// The text between the quotes of a token, with its byte range in the file.
    fn inside(&self, token: Token) -> std::ops::Range<usize> {
        let text = self.text_of(token);
        let closed = text.len() > 1 && text.ends_with('"');
        let end = token.end as usize - usize::from(closed);
        token.start as usize + 1..end.max(token.start as usize + 1)
    }

    /// Reads escapes; `braces`: tells braces that are not doubled from the rest.
    fn pieces(&mut self, token: Token, braces: bool) -> Vec<Piece> {
        let range = self.inside(token);
        let base = range.start;
        let text = &self.text[range];
        let mut pieces = Vec::new();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let at = base + at;
            match c {
                '\\' => {
                    let escape = chars.next().map(|(_, c)| c);
                    let found = match escape {
                        Some('n') => Some('\n'),
                        Some('t') => Some('\t'),
                        Some('r') => Some('\r'),
                        Some('0') => Some('\0'),
                        Some(c @ ('\\' | '"' | '{' | '}')) => Some(c),
                        Some('u') if chars.peek().is_some_and(|(_, c)| *c == '{') => {
                            chars.next();
                            let mut digits = String::new();
                            while let Some((_, c)) = chars.next_if(|(_, c)| c.is_ascii_hexdigit()) {
                                digits.push(c);
                            }
                            let closed = chars.next_if(|(_, c)| *c == '}').is_some();
                            let code = u32::from_str_radix(&digits, 16).ok();
                            code.and_then(char::from_u32).filter(|_| closed)
                        }
                        _ => None,
                    };
                    match found {
                        Some(c) => pieces.push(Piece::Char(c)),
                        None => {
                            let end = base + chars.peek().map_or(text.len(), |(i, _)| *i);
                            let span = self.span(at as u32, end as u32);
                            self.push(
                                Diagnostic::error(
                                    Code::BadEscape,
                                    span,
                                    "this escape does not exist",
                                )
                                .rule(
                                    "escapes are \\n \\t \\r \\0 \\\\ \\\" \\{ \\} and \\u{1F600}",
                                ),
                            );
                        }
                    }
                }
                '{' | '}' if braces => {
                    if chars.next_if(|(_, next)| *next == c).is_some() {
                        pieces.push(Piece::Char(c));
                    } else if c == '{' {
                        pieces.push(Piece::Open(at));
                        // What is inside is an expression, read by a lexer of its own.
                        while chars.next_if(|(_, c)| *c != '}').is_some() {}
                    } else {
                        pieces.push(Piece::Close(at));
                    }
                }
                c => pieces.push(Piece::Char(c)),
            }
        }
        pieces
    }

    /// The text of a literal.
    pub(super) fn string(&mut self, token: Token) -> String {
        let pieces = self.pieces(token, false);
        pieces
            .into_iter()
            .filter_map(|p| if let Piece::Char(c) = p { Some(c) } else { None })
            .collect()
    }

    /// A text literal, which must come next.
    pub(super) fn expect_string(&mut self, what: &str) -> Parsed<(String, Token)> {
        if self.peek().kind != TokenKind::Str {
            return self.unexpected(what);
        }
        let token = self.bump();
        Ok((self.string(token), token))
    }

    /// A message, if one comes next.
    pub(super) fn optional_template(&mut self) -> Option<Template> {
        if self.peek().kind != TokenKind::Str {
            return None;
        }
        let token = self.bump();
        Some(self.template(token))
    }

    /// A text with placeholders.
    pub(super) fn template(&mut self, token: Token) -> Template {
        let span = self.span_of(token);
        let end = self.inside(token).end;
        let mut parts = Vec::new();
        if end == token.end as usize {
            // It does not end, which was said; what is inside is not worth a second message.
            return Template { parts, span };
        }
        let mut text = String::new();
        let mut open = None;
        for piece in self.pieces(token, true) {
            match piece {
                Piece::Char(c) => text.push(c),
                Piece::Open(at) => {
                    if !text.is_empty() {
                        parts.push(TemplatePart::Text(std::mem::take(&mut text)));
                    }
                    open = Some(at);
                }
                Piece::Close(at) => match open.take() {
                    Some(from) => {
                        if let Some(expr) = self.placeholder(from + 1..at) {
                            parts.push(TemplatePart::Value(expr));
                        }
                    }
                    None => self.bad_placeholder(
                        at..at + 1,
                        "this `}` has no matching `{`",
                        "write `}}` for a brace",
                    ),
                },
            }
        }
        if let Some(from) = open {
            self.bad_placeholder(
                from..end,
                "this placeholder does not end",
                "close it with `}`, or write `{{` for a brace",
            );
        }
        if !text.is_empty() {
            parts.push(TemplatePart::Text(text));
        }
        Template { parts, span }
    }

    fn placeholder(&mut self, range: std::ops::Range<usize>) -> Option<Expr> {
        if self.text[range.clone()].trim().is_empty() {
            let around = range.start - 1..range.end + 1;
            self.bad_placeholder(
                around,
                "this placeholder is empty",
                "write a name, as in `{x}`, or `{{}}` for braces",
            );
            return None;
        }
        let lexer = Lexer::of_part(self.text, range.clone());
        let mut inner = Parser::new(&self.text[..range.end], lexer, self.file);
        inner.depth = self.depth;
        inner.last.start = range.start as u32;
        inner.last.end = range.start as u32;
        let expr = inner.expr().ok();
        if expr.is_some() && inner.peek().kind != TokenKind::End {
            let _: Parsed<()> = inner.unexpected("`}`");
        }
        inner.lexical_errors();
        let failed = !inner.errors.is_empty();
        for mut error in inner.errors {
            if error.code == Code::Unexpected.text() {
                error.code = Code::BadPlaceholder.text();
                error.message = error.message.replace("end of the file", "end of the placeholder");
                error.help = Some("write `{{` and `}}` for braces".to_string());
            }
            self.push(error);
        }
        expr.filter(|_| !failed)
    }

    fn bad_placeholder(&mut self, range: std::ops::Range<usize>, message: &str, help: &str) {
        let span = self.span(range.start as u32, range.end as u32);
        self.push(Diagnostic::error(Code::BadPlaceholder, span, message).help(help));
    }

    /// The value of a number token; `negative`: with a minus before it.
    pub(super) fn number(&mut self, token: Token, negative: bool) -> Option<Value> {
        let text: String = self.text_of(token).chars().filter(|c| *c != '_').collect();
        let sign = if negative { "-" } else { "" };
        let value = if token.kind == TokenKind::Float {
            format!("{sign}{text}").parse().ok().filter(|f: &f64| f.is_finite()).map(Value::Float)
        } else if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            // As bits: addresses and masks use all 64 of them.
            let bits = u64::from_str_radix(hex, 16).ok();
            bits.map(|bits| {
                Value::Int(if negative { (bits as i64).wrapping_neg() } else { bits as i64 })
            })
        } else {
            format!("{sign}{text}").parse().ok().map(Value::Int)
        };
        if value.is_none() {
            let span = self.span_of(token);
            self.push(
                Diagnostic::error(Code::BadNumber, span, "this number does not fit")
                    .rule("integers have 64 bits; numbers with a fraction are double precision"),
            );
        }
        value
    }

    /// `5 s`, or the name of a `param`.
    pub(super) fn duration(&mut self) -> Parsed<Duration> {
        let token = self.peek();
        let named = match token.kind {
            TokenKind::Ident => !RESERVED.contains(&self.text_of(token)),
            kind => kind == TokenKind::Quoted,
        };
        if named {
            return Ok(Duration::Setting(self.bump_name()));
        }
        if !matches!(token.kind, TokenKind::Int | TokenKind::Float) {
            return self.unexpected("a duration, such as `5 s`");
        }
        self.bump();
        let amount = self.number(token, false);
        self.length(token, amount).map(Duration::Fixed)
    }

    /// What a number and the unit behind it make, in nanoseconds. `token` is that of the number.
    fn length(&mut self, token: Token, amount: Option<Value>) -> Parsed<Time> {
        let factor = self.unit()?;
        let Some(amount) = amount else { return Ok(0) };
        match nanoseconds(&amount, factor) {
            Some(nanos) => Ok(nanos),
            None => {
                let span = self.since(token.start);
                self.report(
                    Diagnostic::error(Code::BadNumber, span, "this duration does not fit").rule(
                        "durations have 64 bits and count nanoseconds: at most about 292 years",
                    ),
                )
            }
        }
    }

    /// A literal, or `5 s` on one line.
    pub(super) fn constant(&mut self) -> Parsed<Constant> {
        let token = self.peek();
        let Some(value) = self.optional_literal() else {
            return self.unexpected("a value, such as `5 s`, `3` or `\"text\"`");
        };
        let next = self.peek();
        let word = self.text_of(next);
        let number = matches!(token.kind, TokenKind::Int | TokenKind::Float);
        let follows = MEMBERS.contains(&word) || ["property", "context"].contains(&word);
        if number && next.kind == TokenKind::Ident && !next.newline_before && !follows {
            return self.length(token, Some(value)).map(Constant::Duration);
        }
        Ok(Constant::Value(value))
    }

    /// A unit of time, in nanoseconds.
    pub(super) fn unit(&mut self) -> Parsed<Time> {
        let unit = self.peek();
        let found = self.text_of(unit);
        let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == found) else {
            let near = nearest(found, UNITS.iter().map(|(name, _)| *name));
            return self.unexpected_with("a unit of time: ns, us, ms, s, min, h, d", |d| {
                d.did_you_mean(near)
            });
        };
        self.bump();
        Ok(*factor)
    }

    /// A literal of a label or pattern: number, text, `true`, `false`, `null`, with a sign.
    pub(super) fn optional_literal(&mut self) -> Option<Value> {
        let token = self.peek();
        match token.kind {
            TokenKind::Int | TokenKind::Float => {
                self.bump();
                Some(self.number(token, false).unwrap_or(Value::Null))
            }
            TokenKind::Punct(Punct::Minus)
                if matches!(self.nth(1).kind, TokenKind::Int | TokenKind::Float) =>
            {
                self.bump();
                self.glue();
                let number = self.bump();
                Some(self.number(number, true).unwrap_or(Value::Null))
            }
            TokenKind::Str => {
                self.bump();
                Some(Value::str(&self.string(token)))
            }
            TokenKind::Ident => {
                let value = match self.text_of(token) {
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    "null" => Value::Null,
                    _ => return None,
                };
                self.bump();
                Some(value)
            }
            _ => None,
        }
    }
}
