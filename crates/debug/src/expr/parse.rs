//! Text to tree.

use std::rc::Rc;

use super::{Binary, Unary};
use crate::error::{Error, Result};
use crate::info::Type;

/// Deeper nesting is refused.
const DEPTH: u32 = 100;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Number(i128),
    /// A floating-point number.
    Float(f64),
    /// A text in quotes; only arrays of characters can be set to one.
    Text(String),
    /// A variable or function, possibly qualified: `ns::x`.
    Name(String),
    /// The `i`-th argument of the function just entered, from 0.
    Argument(usize),
    /// The result of the function that has just returned.
    Result,
    /// A register: `$rax`.
    Register(String),
    /// A unary operator.
    Unary(Unary, Box<Expr>),
    /// A binary operator.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Choice(Box<[Expr; 3]>),
    /// `s.f`
    Member(Box<Expr>, String),
    /// `p->f`
    Arrow(Box<Expr>, String),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `f(x, y)`
    Call(Box<Expr>, Vec<Expr>),
    /// `(type **) x`: the type's name and the number of stars.
    Cast(String, u32, Box<Expr>),
    /// `x = y`, `x += y`: the place, the operator, and the other side.
    Assign(Box<Expr>, Option<Binary>, Box<Expr>),
    /// `x++`, `--x`: the place, by how much it changes, and whether the value is the one before.
    Step(Box<Expr>, i8, Taken),
    /// `x, y`: both in this order, and the value of the second.
    Sequence(Box<Expr>, Box<Expr>),
    /// An object that was found already; not written in text.
    Object(Object),
}

/// Which value an expression has that changes a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The one before.
    Before,
    /// The one after.
    After,
}

/// An object of the program: its type and its address.
#[derive(Clone, Debug)]
pub struct Object {
    /// The type.
    pub ty: Rc<Type>,
    /// The address.
    pub address: u64,
}

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        self.address == other.address && self.ty.name == other.ty.name
    }
}

impl Expr {
    /// The expressions it consists of.
    pub fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Number(_)
            | Expr::Float(_)
            | Expr::Text(_)
            | Expr::Name(_)
            | Expr::Argument(_)
            | Expr::Result
            | Expr::Register(_)
            | Expr::Object(_) => Vec::new(),
            Expr::Unary(_, e)
            | Expr::Member(e, _)
            | Expr::Arrow(e, _)
            | Expr::Cast(_, _, e)
            | Expr::Step(e, _, _) => vec![e],
            Expr::Binary(_, a, b)
            | Expr::Index(a, b)
            | Expr::Assign(a, _, b)
            | Expr::Sequence(a, b) => vec![a, b],
            Expr::Choice(all) => all.iter().collect(),
            Expr::Call(f, args) => std::iter::once(&**f).chain(args).collect(),
        }
    }

    /// Whether `ret` occurs: such an expression only means something after a return.
    pub fn mentions_result(&self) -> bool {
        *self == Expr::Result || self.parts().into_iter().any(Expr::mentions_result)
    }

    /// Whether a function of the program is called: evaluating it may change the program.
    pub fn calls(&self) -> bool {
        matches!(self, Expr::Call(..)) || self.parts().into_iter().any(Expr::calls)
    }

    /// Whether a place of the program, or a variable of the person, is changed.
    pub fn changes(&self) -> bool {
        matches!(self, Expr::Assign(..) | Expr::Step(..))
            || self.parts().into_iter().any(Expr::changes)
    }

    /// Adds the parts that may stand for parameters or registers, each once.
    pub(crate) fn collect_inputs(&self, into: &mut Vec<Expr>) {
        let is_input = matches!(self, Expr::Name(_) | Expr::Argument(_) | Expr::Register(_));
        if is_input && !into.contains(self) {
            into.push(self.clone());
        }
        self.parts().into_iter().for_each(|part| part.collect_inputs(into));
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(i128),
    Float(f64),
    Character(i128),
    Text(String),
    Word(String),
    Register(String),
    Sign(&'static str),
    End,
}

/// Parses an expression that changes nothing by itself (though a function that it calls may).
pub fn parse(text: &str) -> Result<Expr> {
    Parser::new(text, &[])?.whole(Parser::repeated)
}

/// Parses an expression that may change places: with `=`, `+=` and its like, `++`, `--` and `,`.
pub fn parse_statement(text: &str) -> Result<Expr> {
    Parser::new(text, &CHANGING)?.whole(Parser::sequence)
}

/// Parses expressions with commas between them.
pub fn parse_list(text: &str) -> Result<Vec<Expr>> {
    let mut parser = Parser::new(text, &CHANGING)?;
    let mut all = vec![parser.assignment()?];
    while parser.take(",") {
        all.push(parser.assignment()?);
    }
    parser.end(all)
}

const SIGNS: [&str; 33] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "(", ")", "[", "]", ".", "*", "&", "-",
    "!", "~", "+", "/", "%", "<", ">", "^", "|", ",", "{", "}", "=", "@", "?", ":",
];

/// Signs of expressions that change places.
const CHANGING: [&str; 12] =
    ["<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="];

fn tokens(text: &str, more: &[&'static str]) -> Result<Vec<Token>> {
    let mut all = Vec::new();
    let mut rest = text;
    let word_end =
        |s: &str| s.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(s.len());
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        // Behind a point is the number of a field: the tuples of Rust have such.
        let is_field = matches!(all.last(), Some(Token::Sign(".")));
        let decimal = if is_field { None } else { decimal(rest) };
        if let Some(end) = decimal {
            let digits = rest[..end].trim_end_matches(['f', 'F', 'l', 'L']);
            let value = digits
                .parse()
                .map_err(|_| Error::expression(format!("`{}` is not a number", &rest[..end])))?;
            all.push(Token::Float(value));
            rest = &rest[end..];
        } else if first == '"' {
            let (text, after) = quoted(&rest[1..])?;
            all.push(Token::Text(text));
            rest = after;
        } else if first.is_ascii_digit() {
            let end = word_end(rest);
            let digits = rest[..end].trim_end_matches(['u', 'U', 'l', 'L']);
            let after = |prefix: [&str; 2]| prefix.iter().find_map(|p| digits.strip_prefix(p));
            let value = if let Some(hex) = after(["0x", "0X"]) {
                i128::from_str_radix(hex, 16)
            } else if let Some(binary) = after(["0b", "0B"]) {
                i128::from_str_radix(binary, 2)
            } else if digits.len() > 1 && digits.starts_with('0') {
                i128::from_str_radix(&digits[1..], 8)
            } else {
                digits.parse()
            };
            let value = value
                .map_err(|_| Error::expression(format!("`{}` is not a number", &rest[..end])))?;
            all.push(Token::Number(value));
            rest = &rest[end..];
        } else if first == '$' {
            // `$$` and `$$2` are results, counted from the last one.
            let start = 1 + usize::from(rest[1..].starts_with('$'));
            let end = start + word_end(&rest[start..]);
            all.push(Token::Register(rest[1..end].to_string()));
            rest = &rest[end..];
        } else if first == '\'' {
            match character(&rest[1..]) {
                Ok((value, after)) => {
                    all.push(Token::Character(value));
                    rest = after;
                }
                Err(e) => {
                    let end = quoted_name(rest).ok_or(e)?;
                    let end = qualified(rest, end, word_end);
                    // What nothing follows is only a name that is no word.
                    let is_alone = rest[..end].ends_with('\'');
                    let word = if is_alone { &rest[1..end - 1] } else { &rest[..end] };
                    all.push(Token::Word(word.to_string()));
                    rest = &rest[end..];
                }
            }
        } else if first.is_alphabetic()
            || first == '_'
            || rest.strip_prefix("::").is_some_and(|r| r.starts_with(is_word))
        {
            // A qualified name is one word.
            let end = if first == ':' { 0 } else { word_end(rest) };
            let end = qualified(rest, end, word_end);
            all.push(Token::Word(rest[..end].to_string()));
            rest = &rest[end..];
        } else if let Some(sign) = more.iter().find(|s| rest.starts_with(**s)) {
            all.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            all.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else {
            return Err(Error::expression(format!("unexpected `{first}` in `{text}`")));
        }
    }
    all.push(Token::End);
    Ok(all)
}

/// Where a name ends whose first part ends there: `ns::x`.
fn qualified(text: &str, mut end: usize, word_end: impl Fn(&str) -> usize) -> usize {
    while text[end..].strip_prefix("::").is_some_and(|r| r.starts_with(is_word)) {
        end += 2 + word_end(&text[end + 2..]);
    }
    end
}

/// Where a name in quotes ends: a file, or a name that is no word.
fn quoted_name(text: &str) -> Option<usize> {
    let inner = &text[1..];
    let end = inner.find('\'')?;
    (end > 1 && !inner.starts_with('\\')).then_some(end + 2)
}

fn is_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Where a floating-point number ends that the text begins with: `1.5`, `1.`, `1e-9`, `2.5f`.
fn decimal(text: &str) -> Option<usize> {
    let digits = |at: usize| {
        let rest = &text.as_bytes()[at..];
        at + rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let whole = digits(0);
    if whole == 0 {
        return None;
    }
    let mut end = whole;
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let after = digits(end + 1 + sign);
        if after > end + 1 + sign {
            end = after;
        }
    }
    if end == whole {
        return None;
    }
    let suffix = usize::from(text[end..].starts_with(['f', 'F', 'l', 'L']));
    let is_end = !text[end + suffix..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    is_end.then_some(end + suffix)
}

/// A text up to the quotes that end it, and what comes after them.
fn quoted(text: &str) -> Result<(String, &str)> {
    let bad = || Error::expression("a text must end with quotes");
    let mut found = String::new();
    let mut rest = text;
    loop {
        let c = rest.chars().next().ok_or_else(bad)?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Ok((found, rest)),
            '\\' => {
                let (c, after) = escaped(rest).ok_or_else(bad)?;
                found.push(c);
                rest = after;
            }
            c => found.push(c),
        }
    }
}

/// What a backslash and the beginning of this text stand for, and what comes after it.
pub fn escaped(text: &str) -> Option<(char, &str)> {
    let first = text.chars().next()?;
    let code = |digits: &str, base| u32::from_str_radix(digits, base).ok().and_then(char::from_u32);
    if let Some(hex) = text.strip_prefix('x') {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len()).min(2);
        return Some((code(&hex[..end], 16)?, &hex[end..]));
    }
    if first.is_digit(8) {
        let end = text.find(|c: char| !c.is_digit(8)).unwrap_or(text.len()).min(3);
        return Some((code(&text[..end], 8)?, &text[end..]));
    }
    let c = match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'v' => '\x0b',
        'e' => '\x1b',
        c => c,
    };
    Some((c, &text[first.len_utf8()..]))
}

fn character(text: &str) -> Result<(i128, &str)> {
    let bad = || Error::expression("a character must look like 'c' or '\\n'");
    let first = text.chars().next().ok_or_else(bad)?;
    let rest = &text[first.len_utf8()..];
    let (c, rest) = match first {
        '\\' => escaped(rest).ok_or_else(bad)?,
        c => (c, rest),
    };
    let rest = rest.strip_prefix('\'').ok_or_else(bad)?;
    Ok((i128::from(c as u32), rest))
}

/// Words that only types have.
const KEYWORDS: [&str; 14] = [
    "int", "unsigned", "signed", "long", "short", "char", "struct", "union", "enum", "const",
    "double", "float", "bool", "volatile",
];

/// Those of them that are not part of a type's name.
const QUALIFIERS: [&str; 5] = ["struct", "union", "enum", "const", "volatile"];

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    text: &'a str,
    /// Whether places may be changed.
    may_change: bool,
}

const LEVELS: [&[(&str, Binary)]; 10] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    &[
        ("<=", Binary::LessOrEqual),
        (">=", Binary::GreaterOrEqual),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

/// Operators that change the place before them, with what they compute.
const ASSIGNMENTS: [(&str, Option<Binary>); 11] = [
    ("=", None),
    ("+=", Some(Binary::Add)),
    ("-=", Some(Binary::Subtract)),
    ("*=", Some(Binary::Multiply)),
    ("/=", Some(Binary::Divide)),
    ("%=", Some(Binary::Remainder)),
    ("&=", Some(Binary::BitAnd)),
    ("|=", Some(Binary::BitOr)),
    ("^=", Some(Binary::BitXor)),
    ("<<=", Some(Binary::ShiftLeft)),
    (">>=", Some(Binary::ShiftRight)),
];

impl<'a> Parser<'a> {
    fn new(text: &'a str, more: &[&'static str]) -> Result<Parser<'a>> {
        Ok(Parser {
            tokens: tokens(text, more)?,
            at: 0,
            depth: 0,
            text,
            may_change: !more.is_empty(),
        })
    }

    /// What a part of the grammar makes of the whole text.
    fn whole(mut self, part: fn(&mut Self) -> Result<Expr>) -> Result<Expr> {
        let e = part(&mut self)?;
        self.end(e)
    }

    /// Nothing may follow.
    fn end<T>(&self, done: T) -> Result<T> {
        match self.peek() {
            Token::End => Ok(done),
            other => Err(self.unexpected(&other.clone())),
        }
    }

    /// `a, b`
    fn sequence(&mut self) -> Result<Expr> {
        let mut e = self.assignment()?;
        while self.take(",") {
            e = Expr::Sequence(Box::new(e), Box::new(self.assignment()?));
        }
        Ok(e)
    }

    /// `a = b`, where that is allowed, or what binds more tightly.
    fn assignment(&mut self) -> Result<Expr> {
        let place = self.repeated()?;
        if !self.may_change {
            return Ok(place);
        }
        let Some((_, operator)) = ASSIGNMENTS.into_iter().find(|(sign, _)| self.take(sign)) else {
            return Ok(place);
        };
        let value = self.deeper(Parser::assignment)?;
        Ok(Expr::Assign(Box::new(place), operator, Box::new(value)))
    }

    /// `object @ count`, or what binds more tightly.
    fn repeated(&mut self) -> Result<Expr> {
        let e = self.choice()?;
        if !self.take("@") {
            return Ok(e);
        }
        Ok(Expr::Binary(Binary::Repeat, Box::new(e), Box::new(self.binary(0)?)))
    }

    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if *s == sign);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.take(sign) {
            return Ok(());
        }
        Err(Error::expression(format!("expected `{sign}` in `{}`", self.text)))
    }

    fn unexpected(&self, token: &Token) -> Error {
        let what = match token {
            Token::Number(n) | Token::Character(n) => n.to_string(),
            Token::Float(n) => n.to_string(),
            Token::Text(t) => format!("{t:?}"),
            Token::Word(w) => w.clone(),
            Token::Register(r) => format!("${r}"),
            Token::Sign(s) => (*s).to_string(),
            Token::End => {
                return Error::expression(format!("`{}` ends too early", self.text));
            }
        };
        Error::expression(format!("unexpected `{what}` in `{}`", self.text))
    }

    /// `a ? b : c`, or what binds more tightly.
    fn choice(&mut self) -> Result<Expr> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        self.deeper(|parser| {
            let yes = parser.choice()?;
            parser.expect(":")?;
            let no = parser.choice()?;
            Ok(Expr::Choice(Box::new([condition, yes, no])))
        })
    }

    fn binary(&mut self, level: usize) -> Result<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        'next: loop {
            for (sign, operator) in *operators {
                if self.take(sign) {
                    let right = self.binary(level + 1)?;
                    left = Expr::Binary(*operator, Box::new(left), Box::new(right));
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }

    fn unary(&mut self) -> Result<Expr> {
        self.deeper(Parser::unary_inner)
    }

    /// Parses a part of what is being parsed.
    fn deeper(&mut self, part: impl FnOnce(&mut Self) -> Result<Expr>) -> Result<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Error::expression("the expression is nested too deeply"));
        }
        let e = part(self);
        self.depth -= 1;
        e
    }

    fn unary_inner(&mut self) -> Result<Expr> {
        for (sign, operator) in [
            ("*", Unary::Dereference),
            ("&", Unary::AddressOf),
            ("-", Unary::Negate),
            ("!", Unary::Not),
            ("~", Unary::Complement),
            ("+", Unary::Plus),
        ] {
            if self.take(sign) {
                return Ok(Expr::Unary(operator, Box::new(self.unary()?)));
            }
        }
        for (sign, by) in [("++", 1), ("--", -1)] {
            if self.take(sign) {
                return Ok(Expr::Step(Box::new(self.unary()?), by, Taken::After));
            }
        }
        if let Some((name, stars)) = self.braced_type()? {
            let object = Expr::Cast(name, stars + 1, Box::new(self.unary()?));
            return Ok(Expr::Unary(Unary::Dereference, Box::new(object)));
        }
        if matches!(self.peek(), Token::Word(w) if w == "sizeof") {
            self.at += 1;
            let measured = match self.bracketed_type() {
                Some((name, stars)) => Expr::Cast(name, stars, Box::new(Expr::Number(0))),
                None => self.unary()?,
            };
            return Ok(Expr::Unary(Unary::SizeOf, Box::new(measured)));
        }
        if let Some((name, stars)) = self.cast() {
            return Ok(Expr::Cast(name, stars, Box::new(self.unary()?)));
        }
        self.postfix()
    }

    /// `( words * … )` followed by something a cast can apply to. Whether the words are a type is
    /// for the program to say; without a star or a type keyword, `(x)` is just `x`.
    fn cast(&mut self) -> Option<(String, u32)> {
        let start = self.at;
        let (closed, mut words, stars) = self.type_words()?;
        let keyword = words.iter().any(|w| KEYWORDS.contains(&w.as_str()));
        let operand = match self.peek() {
            Token::End => false,
            Token::Sign(s) => ["(", "*", "&", "-", "!", "~"].contains(s),
            _ => true,
        };
        let primary = matches!(
            self.peek(),
            Token::Number(_)
                | Token::Character(_)
                | Token::Float(_)
                | Token::Word(_)
                | Token::Register(_)
        );
        let is_cast = closed && !words.is_empty() && operand && (keyword || stars > 0 || primary);
        if !is_cast {
            self.at = start;
            return None;
        }
        words.retain(|w| !QUALIFIERS.contains(&w.as_str()));
        Some((words.join(" "), stars))
    }

    /// `{type}`, before the address of an object of this type.
    fn braced_type(&mut self) -> Result<Option<(String, u32)>> {
        if !self.take("{") {
            return Ok(None);
        }
        let (mut words, stars) = self.words_and_stars();
        self.expect("}")?;
        words.retain(|w| !QUALIFIERS.contains(&w.as_str()));
        if words.is_empty() {
            return Err(Error::expression("`{` must be followed by a type: {int} 0x601040"));
        }
        Ok(Some((words.join(" "), stars)))
    }

    /// `( words * …`, and whether a bracket follows.
    fn type_words(&mut self) -> Option<(bool, Vec<String>, u32)> {
        if !self.take("(") {
            return None;
        }
        let (words, stars) = self.words_and_stars();
        Some((self.take(")"), words, stars))
    }

    fn words_and_stars(&mut self) -> (Vec<String>, u32) {
        let mut words: Vec<String> = Vec::new();
        while let Token::Word(w) = self.peek() {
            words.push(w.clone());
            self.at += 1;
        }
        let mut stars = 0;
        while self.take("*") {
            stars += 1;
        }
        (words, stars)
    }

    /// A type in brackets that cannot be a variable: it has a star, several words or a keyword.
    fn bracketed_type(&mut self) -> Option<(String, u32)> {
        let start = self.at;
        let found = self.type_words().filter(|(closed, words, stars)| {
            let keyword = words.iter().any(|w| KEYWORDS.contains(&w.as_str()));
            *closed && !words.is_empty() && (keyword || *stars > 0 || words.len() > 1)
        });
        let Some((_, mut words, stars)) = found else {
            self.at = start;
            return None;
        };
        words.retain(|w| !QUALIFIERS.contains(&w.as_str()));
        Some((words.join(" "), stars))
    }

    fn postfix(&mut self) -> Result<Expr> {
        let mut e = self.primary()?;
        loop {
            // A chain is as deep a tree as brackets are.
            self.depth += 1;
            if self.depth > DEPTH {
                return Err(Error::expression("the expression is nested too deeply"));
            }
            if self.take(".") {
                let field = self.field()?;
                e = match (e, field.contains("::")) {
                    // `file.c::name`
                    (Expr::Name(file), true) => {
                        let (suffix, name) = field.split_once("::").unwrap_or_default();
                        Expr::Name(format!("'{file}.{suffix}'::{name}"))
                    }
                    (e, _) => Expr::Member(Box::new(e), field),
                };
            } else if self.take("->") {
                e = Expr::Arrow(Box::new(e), self.field()?);
            } else if self.take("[") {
                let index = self.choice()?;
                self.expect("]")?;
                e = Expr::Index(Box::new(e), Box::new(index));
            } else if self.take("(") {
                let mut args = Vec::new();
                while !self.take(")") {
                    args.push(self.assignment()?);
                    if !self.take(",") {
                        self.expect(")")?;
                        break;
                    }
                }
                e = Expr::Call(Box::new(e), args);
            } else if self.take("++") {
                e = Expr::Step(Box::new(e), 1, Taken::Before);
            } else if self.take("--") {
                e = Expr::Step(Box::new(e), -1, Taken::Before);
            } else {
                return Ok(e);
            }
        }
    }

    fn field(&mut self) -> Result<String> {
        match self.next() {
            Token::Word(w) => Ok(w),
            // Rust's tuples and tuple structures call their fields __0, __1, …
            Token::Number(n) => Ok(format!("__{n}")),
            other => Err(self.unexpected(&other)),
        }
    }

    fn primary(&mut self) -> Result<Expr> {
        match self.next() {
            Token::Number(n) => Ok(Expr::Number(n)),
            Token::Float(n) => Ok(Expr::Float(n)),
            Token::Text(t) => Ok(Expr::Text(t)),
            Token::Register(r) => Ok(Expr::Register(r)),
            Token::Word(w) if w == "ret" => Ok(Expr::Result),
            Token::Word(w) if w == "arg" => match self.next() {
                Token::Number(n) if (0..256).contains(&n) => Ok(Expr::Argument(n as usize)),
                _ => {
                    self.at -= 1;
                    Ok(Expr::Name(w))
                }
            },
            Token::Word(w) => Ok(constant(&w).unwrap_or(Expr::Name(w))),
            Token::Character(n) => Ok(match u8::try_from(n) {
                Ok(_) => Expr::Cast("char".to_string(), 0, Box::new(Expr::Number(n))),
                Err(_) => Expr::Number(n),
            }),
            Token::Sign("(") => {
                let e = if self.may_change { self.sequence()? } else { self.choice()? };
                self.expect(")")?;
                Ok(e)
            }
            other => Err(self.unexpected(&other)),
        }
    }
}

/// What the languages have words for.
fn constant(word: &str) -> Option<Expr> {
    let cast = |ty: &str, stars, number| {
        Some(Expr::Cast(ty.to_string(), stars, Box::new(Expr::Number(number))))
    };
    match word {
        "true" => cast("bool", 0, 1),
        "false" => cast("bool", 0, 0),
        "nullptr" => cast("void", 1, 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        shown(text, false)
    }

    fn statement(text: &str) -> String {
        shown(text, true)
    }

    fn shown(text: &str, is_statement: bool) -> String {
        fn go(e: &Expr) -> String {
            match e {
                Expr::Number(n) => n.to_string(),
                Expr::Float(n) => format!("{n:?}"),
                Expr::Text(t) => format!("{t:?}"),
                Expr::Choice(all) => {
                    format!("({} ? {} : {})", go(&all[0]), go(&all[1]), go(&all[2]))
                }
                Expr::Name(n) => n.clone(),
                Expr::Argument(i) => format!("arg{i}"),
                Expr::Result => "ret".into(),
                Expr::Register(r) => format!("${r}"),
                Expr::Object(o) => format!("@{:#x}", o.address),
                Expr::Unary(o, e) => format!("({o:?} {})", go(e)),
                Expr::Binary(o, a, b) => format!("({} {o:?} {})", go(a), go(b)),
                Expr::Member(e, f) => format!("{}.{f}", go(e)),
                Expr::Arrow(e, f) => format!("{}->{f}", go(e)),
                Expr::Index(a, i) => format!("{}[{}]", go(a), go(i)),
                Expr::Call(f, a) => {
                    format!("{}({})", go(f), a.iter().map(go).collect::<Vec<_>>().join(","))
                }
                Expr::Cast(t, s, e) => format!("<{t}{}>{}", "*".repeat(*s as usize), go(e)),
                Expr::Assign(a, o, b) => format!("({} := {o:?} {})", go(a), go(b)),
                Expr::Step(e, by, taken) => format!("({} by {by} {taken:?})", go(e)),
                Expr::Sequence(a, b) => format!("({}; {})", go(a), go(b)),
            }
        }
        let parsed = if is_statement { parse_statement(text) } else { parse(text) };
        parsed.map_or_else(|e| format!("error: {e}"), |e| go(&e))
    }

    #[test]
    fn precedence_and_postfix() {
        assert_eq!(show("1+2*3"), "(1 Add (2 Multiply 3))");
        assert_eq!(show("*p->q[2].r"), "(Dereference p->q[2].r)");
        assert_eq!(show("a < b && c == -1"), "((a Less b) And (c Equal (Negate 1)))");
        assert_eq!(show("arg 0 + ret"), "(arg0 Add ret)");
        assert_eq!(show("arg"), "arg");
        assert_eq!(show("0x10 + 010 + 'a'"), "((16 Add 8) Add <char>97)");
        assert_eq!(show("(unsigned char) x"), "<unsigned char>x");
        assert_eq!(show("(struct node *) $rdi"), "<node*>$rdi");
        assert_eq!(show("(x) + 1"), "(x Add 1)");
        assert_eq!(show("(T)x"), "<T>x");
        assert_eq!(show("f(1, g(x))"), "f(1,g(x))");
        assert_eq!(show("ns::x.0"), "ns::x.__0");
        assert_eq!(show("0x2u"), "2");
        assert_eq!(show("*p@3"), "((Dereference p) Repeat 3)");
        assert_eq!(show("sizeof(struct node) + 1"), "((SizeOf <node>0) Add 1)");
        assert_eq!(show("sizeof(T *)"), "(SizeOf <T*>0)");
        assert_eq!(show("sizeof(x)"), "(SizeOf x)");
        assert_eq!(show("sizeof x->y"), "(SizeOf x->y)");
        assert_eq!(show("1.5 + 2e-3 * 1.f"), "(1.5 Add (0.002 Multiply 1.0))");
        assert_eq!(show("true == !nullptr"), "(<bool>1 Equal (Not <void*>0))");
        assert_eq!(show("t.0.1 - 1.0"), "(t.__0.__1 Subtract 1.0)");
        assert_eq!(show("a ? b ? 1 : 2 : f(c ? 3 : 4)"), "(a ? (b ? 1 : 2) : f((c ? 3 : 4)))");
        assert_eq!(show(r#""a\"b\n""#), r#""a\"b\n""#);
        assert_eq!(show(r"'\x41' + '\101' + '\a'"), "((<char>65 Add <char>65) Add <char>7)");
        assert_eq!(show("0b101 + +x"), "(5 Add (Plus x))");
        assert_eq!(show("{struct node *}p"), "(Dereference <node**>p)");
        assert_eq!(show("::x + a::b"), "(::x Add a::b)");
        assert_eq!(show("'own.c'::x + own.c::x"), "('own.c'::x Add 'own.c'::x)");
        assert_eq!(show("'Box<int>::get'(3)"), "Box<int>::get(3)");
        assert_eq!(show("$$ + $$2 + $1"), "(($$ Add $$2) Add $1)");
        assert_eq!(show("x--1"), "(x Subtract (Negate 1))");
    }

    #[test]
    fn statements_change_places() {
        assert_eq!(statement("a = b = 3"), "(a := None (b := None 3))");
        assert_eq!(statement("a->b += 2"), "(a->b := Some(Add) 2)");
        assert_eq!(statement("a <<= 1, b"), "((a := Some(ShiftLeft) 1); b)");
        assert_eq!(statement("$i++ == 3"), "(($i by 1 Before) Equal 3)");
        assert_eq!(statement("--*p"), "((Dereference p) by -1 After)");
        assert_eq!(statement("f(a = 1, (b, c))"), "f((a := None 1),(b; c))");
        assert_eq!(statement("a <= b"), "(a LessOrEqual b)");
        assert_eq!(statement("*p@3"), "((Dereference p) Repeat 3)");
        assert!(parse_statement("$i++").unwrap().changes());
        assert!(!parse_statement("i == 1").unwrap().changes());
        assert_eq!(parse_list("a, f(b, c)").unwrap().len(), 2);
        for wrong in ["a =", "= a", "a ,", "a++b", "a = ", "{}p", "{int p"] {
            assert!(parse_statement(wrong).is_err(), "{wrong}");
        }
        assert!(parse_statement(&"a=".repeat(100_000)).is_err());
        // What only looks must not change anything.
        for wrong in ["a = 1", "a += 1", "a++", "a, b"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn errors_not_panics() {
        for text in [
            "", "(", "1 +", "a..b", "a[", "'x", "\"", "1x", "@", "f(,)", "a b", "1e", "1.5x",
            "a ?", "a ? b", "a : b", "\"a",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&"-".repeat(100_000)).is_err());
        assert!(parse(&"a?".repeat(100_000)).is_err());
        assert!(parse(&format!("a{}", "[0]".repeat(100_000))).is_err());
    }
}
