//! From tokens to the tree, with recovery: after a mistake the parser goes on at the next line
//! that begins an item.

use watchword_model::{FileId, Span, Value};

use super::constant::{self, NoConstant};
use super::cursor::{Cursor, DialectParser, Lost, Parsed, PropertyParser};
use super::lexer::{TokenKind, tokens};
use super::tree::{
    Args, Label, Letter, MethodPattern, Name, Property, Transition, ValueKind, ValuePattern,
};
use crate::classes::ClassConstants;
use crate::diagnostic::{Code, Diagnostic};

/// A method has at most so many arguments.
const MAX_ARGS: usize = 255;
/// How deep braces may nest in a pattern.
const MAX_DEPTH: i32 = 16;

const KEYWORDS: [&str; 4] = ["property", "message", "observe", "prefix"];

/// Reads a file.
pub fn parse(
    file: FileId,
    text: &str,
    constants: &dyn ClassConstants,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Property> {
    let cursor = Cursor::new(file, tokens(text), diagnostics);
    Parser { cursor, own: File { text, constants } }.properties()
}

/// What a classic file is read with.
struct File<'a> {
    text: &'a str,
    constants: &'a dyn ClassConstants,
}

type Parser<'a> = DialectParser<'a, TokenKind, File<'a>>;

impl<'a> PropertyParser<'a> for Parser<'a> {
    type Token = TokenKind;
    type Property = Property;
    const KEYWORDS: &'static [&'static str] = &KEYWORDS;

    fn begin(name: Name) -> Property {
        Property {
            name,
            message: None,
            observe: Vec::new(),
            prefix: Vec::new(),
            transitions: Vec::new(),
        }
    }

    fn item(&mut self, property: &mut Property) -> Parsed<()> {
        let next_is_arrow = *self.ahead(1) == TokenKind::Arrow;
        match self.word() {
            Some("message") if !next_is_arrow => {
                self.cursor.message(&property.name, &mut property.message)
            }
            Some("observe") if !next_is_arrow => {
                self.advance();
                self.patterns("observe", &mut property.observe)
            }
            Some("prefix") if !next_is_arrow => {
                self.advance();
                self.patterns("prefix", &mut property.prefix)
            }
            Some(_) => self.transition(property),
            None => {
                let help = match self.peek() {
                    TokenKind::Sign('}') => "no open `{` matches it",
                    _ => "an item is `message`, `observe`, `prefix` or `state -> state: label`",
                };
                Err(self.unexpected("a transition or a directive", Some(help)))
            }
        }
    }
}

impl Parser<'_> {
    fn is(&self, sign: char) -> bool {
        *self.peek() == TokenKind::Sign(sign)
    }

    fn eat(&mut self, sign: char) -> bool {
        let found = self.is(sign);
        if found {
            self.advance();
        }
        found
    }

    /// One or more name patterns, separated by commas.
    fn patterns(&mut self, directive: &str, into: &mut Vec<Name>) -> Parsed<()> {
        loop {
            let pattern = self.name_pattern(directive)?;
            if self.is('.') {
                let span = pattern.span.to(self.dotted_end());
                self.report(
                    Diagnostic::error(
                        Code::ToplPattern,
                        span,
                        "write a pattern with dots in `<…>`",
                    )
                    .help(format!("write `{directive} <…>`")),
                );
                return Err(Lost);
            }
            into.push(pattern);
            if !self.eat(',') {
                return Ok(());
            }
        }
    }

    /// Where a dotted name that begins here ends.
    fn dotted_end(&self) -> Span {
        let mut by = 0;
        while matches!(self.ahead(by), TokenKind::Sign('.' | '*') | TokenKind::Word(_))
            && !self.tokens[self.at + by].first
        {
            by += 1;
        }
        self.span_at(self.at + by.saturating_sub(1))
    }

    fn name_pattern(&mut self, directive: &str) -> Parsed<Name> {
        let text = match self.peek() {
            TokenKind::Word(word) if !self.token().first => word.clone(),
            TokenKind::Constant(text) => text.clone(),
            TokenKind::Sign('*') => "*".to_string(),
            TokenKind::Text(_) => return Err(self.dialect("names in quotes belong")),
            _ => {
                let help = format!("write `{directive} <java.util.Iterator.*>`, for example");
                return Err(self.unexpected("a pattern of method names", Some(&help)));
            }
        };
        let name = Name { text, span: self.span() };
        self.check_glob(&name);
        self.advance();
        Ok(name)
    }

    /// Braces balance, and there is something to match.
    fn check_glob(&mut self, name: &Name) {
        let mut depth = 0i32;
        let mut broken = false;
        let mut deep = false;
        for c in name.text.chars() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            broken |= depth < 0;
            deep |= depth > MAX_DEPTH;
        }
        let (message, help) = if broken || depth != 0 {
            ("the braces of this pattern do not balance", "alternatives are written `{a,b}`")
        } else if deep {
            ("the braces of this pattern nest too deeply", "write the alternatives side by side")
        } else if name.text.trim().is_empty() {
            ("this pattern matches no name", "`*` matches every name")
        } else if name.text.chars().any(char::is_whitespace)
            && name.text.split([',', '{', '}']).any(|p| p.trim().contains(char::is_whitespace))
        {
            ("a name contains no blanks", "separate alternatives by commas")
        } else {
            return;
        };
        self.report(Diagnostic::error(Code::ToplPattern, name.span, message).help(help));
    }

    fn transition(&mut self, property: &mut Property) -> Parsed<()> {
        let start = self.at;
        let (source, target) = self.states(&KEYWORDS)?;
        if !self.eat(':') {
            let help = "the label follows a colon: `state -> state: label`";
            return Err(self.unexpected("`:`", Some(help)));
        }
        let mut labels = Vec::new();
        loop {
            labels.push(self.label()?);
            if !self.eat(',') {
                break;
            }
        }
        self.no_infer()?;
        let at_item = self.token().first
            || matches!(self.peek(), TokenKind::End | TokenKind::Sign('}'))
            || (matches!(self.peek(), TokenKind::Word(_)) && *self.ahead(1) == TokenKind::Arrow)
            || self.word().is_some_and(|w| KEYWORDS.contains(&w));
        let span = self.since(start);
        property.transitions.push(Transition { source, target, labels, span });
        if !at_item {
            let help = "alternatives are separated by commas, transitions by line breaks";
            return Err(self.unexpected("`,` or the end of the line", Some(help)));
        }
        Ok(())
    }

    /// `when` and `=>` belong to the other dialect.
    fn no_infer(&mut self) -> Parsed<()> {
        let range = &self.token().range;
        let text = &self.own.text[range.start as usize..range.end as usize];
        let infer = text.starts_with("=>") || (text == "when" && !self.token().first);
        if infer { Err(self.dialect("guards and assignments belong")) } else { Ok(()) }
    }

    fn dialect(&mut self, what: &str) -> Lost {
        let span = self.span();
        self.report(
            Diagnostic::error(
                Code::ToplDialect,
                span,
                format!("{what} to Infer's dialect of TOPL"),
            )
            .rule("in classic TOPL, names are in `<…>`, upper case binds and lower case compares")
            .help("read the file as Infer's dialect (`--lang infer`)"),
        );
        Lost
    }

    fn label(&mut self) -> Parsed<Label> {
        // A method may be called like a keyword, but hardly at the beginning of a line.
        if self.token().first && self.word().is_some_and(|w| KEYWORDS.contains(&w)) {
            let help = "name the called method: `x.<Class.method>(y)`, or `*` for any event";
            return Err(self.unexpected("a label", Some(help)));
        }
        let start = self.at;
        let follows_letter = !matches!(
            self.ahead(1),
            TokenKind::Sign('.' | '(' | '[' | ',') | TokenKind::Assign | TokenKind::End
        ) || (*self.ahead(1) == TokenKind::Sign('(')
            && *self.ahead(2) == TokenKind::Sign('!'));
        let letter = match self.word() {
            Some("call") if follows_letter => Letter::Call,
            Some("return") if follows_letter => Letter::Return,
            _ => Letter::Unsaid,
        };
        if letter != Letter::Unsaid {
            self.advance();
        }
        let mut label = Label {
            letter,
            result: None,
            receiver: None,
            method: None,
            args: Args::Any,
            span: self.span(),
        };
        if self.value_before(&TokenKind::Assign) {
            label.result = Some(self.value()?);
            self.advance();
        }
        if self.value_before(&TokenKind::Sign('.')) {
            label.receiver = Some(self.value()?);
            self.advance();
        }
        self.method(&mut label)?;
        label.span = self.since(start);
        Ok(label)
    }

    /// Whether a value pattern stands here with that token behind it.
    fn value_before(&self, token: &TokenKind) -> bool {
        let by = usize::from(self.is('!'));
        let value = matches!(
            self.ahead(by),
            TokenKind::Word(_)
                | TokenKind::Constant(_)
                | TokenKind::Sign('*')
                | TokenKind::Number(_)
                | TokenKind::Text(_)
        );
        value && self.ahead(by + 1) == token
    }

    fn method(&mut self, label: &mut Label) -> Parsed<()> {
        if self.is('!') {
            let span = self.span();
            let name = match self.ahead(1) {
                TokenKind::Word(word) => word.clone(),
                TokenKind::Constant(text) => format!("<{text}>"),
                _ => "m".into(),
            };
            self.report(
                Diagnostic::error(Code::Unexpected, span, "write a negated method in parentheses")
                    .help(format!("write `(!{name})`")),
            );
            return Err(Lost);
        }
        let negated = self.is('(');
        if negated {
            self.advance();
            if !self.eat('!') {
                let help = "a method in parentheses is a negated one: `(!m)(x)`";
                return Err(self.unexpected("`!`", Some(help)));
            }
        }
        let text = match self.peek() {
            TokenKind::Word(word) => word.clone(),
            TokenKind::Constant(text) => text.clone(),
            TokenKind::Sign('*') => "*".to_string(),
            TokenKind::Text(_) => return Err(self.dialect("names in quotes belong")),
            _ => return Err(self.unexpected("a method", Some("`*` is any event"))),
        };
        let pattern = Name { text, span: self.span() };
        let constructor =
            matches!(self.peek(), TokenKind::Constant(t) if t == "init" || t == "clinit");
        if constructor {
            self.report(
                Diagnostic::warning(
                    Code::ToplPattern,
                    pattern.span,
                    format!("`<{0}>` is an ordinary method with the name `{0}`", pattern.text),
                )
                .help(format!("for the special method write `<\\<{}\\>>`", pattern.text)),
            );
        }
        self.check_glob(&pattern);
        self.advance();
        if negated && !self.eat(')') {
            return Err(self.unexpected("`)`", None));
        }
        let any = pattern.text == "*";
        if negated && any {
            self.report(
                Diagnostic::error(Code::ToplPattern, pattern.span, "every method matches `*`")
                    .help("name the methods to exclude"),
            );
        }
        if negated || !any {
            label.method = Some(MethodPattern { negated, pattern });
        }
        if self.eat('[') {
            match self.peek() {
                TokenKind::Sign('*') => self.advance(),
                TokenKind::Number(Some(n)) if (0..=MAX_ARGS as i64).contains(n) => {
                    label.args = Args::Count(*n as u32);
                    self.advance();
                }
                TokenKind::Number(_) => return Err(self.too_many()),
                _ => {
                    let help = "write `[2]` or `[*]`";
                    return Err(self.unexpected("a number or `*`", Some(help)));
                }
            }
            if !self.eat(']') {
                return Err(self.unexpected("`]`", None));
            }
        } else if self.eat('(') {
            let mut values = Vec::new();
            while !self.is(')') {
                if values.len() == MAX_ARGS {
                    return Err(self.too_many());
                }
                values.push(self.value()?);
                if !self.eat(',') {
                    break;
                }
            }
            if !self.eat(')') {
                return Err(self.unexpected("`,` or `)`", Some("close the arguments with `)`")));
            }
            label.args = Args::Values(values);
        } else if !any {
            if self.is('.') {
                let help = "write a name with dots in `<…>`: `<java.util.List.add>[*]`";
                return Err(self.unexpected("arguments", Some(help)));
            }
            let help = "`[*]` is any number of arguments, `()` none";
            return Err(self.unexpected("arguments in `(…)` or a number in `[…]`", Some(help)));
        }
        Ok(())
    }

    fn too_many(&mut self) -> Lost {
        let span = self.span();
        let message = format!("a method has between 0 and {MAX_ARGS} arguments");
        self.report(
            Diagnostic::error(Code::ToplArity, span, message)
                .help("`[*]` is any number of arguments"),
        );
        Lost
    }

    fn value(&mut self) -> Parsed<ValuePattern> {
        let start = self.at;
        let negated = self.eat('!');
        let kind = match self.peek().clone() {
            TokenKind::Sign('*') if negated => {
                let help = "remove the label, or name the variable that must differ";
                return Err(self.unexpected("a variable that must differ", Some(help)));
            }
            TokenKind::Sign('*') => ValueKind::Any,
            TokenKind::Word(word) if word == "_" => {
                return Err(self.unexpected("a value", Some("write `*` for any value")));
            }
            TokenKind::Word(word) => {
                let binds = word.starts_with(char::is_uppercase);
                let register = uncapitalised(&word);
                match (binds, negated) {
                    (true, true) => {
                        let span = self.span();
                        self.report(
                            Diagnostic::error(
                                Code::Unexpected,
                                span,
                                format!(
                                    "`{word}` binds a value, so `!` has nothing to compare it with"
                                ),
                            )
                            .rule("an upper-case name binds, a lower-case name compares")
                            .help(format!("write `!{register}`")),
                        );
                        ValueKind::Differs(register)
                    }
                    (true, false) => ValueKind::Bind(register),
                    (false, true) => ValueKind::Differs(register),
                    (false, false) => ValueKind::Equal(register),
                }
            }
            TokenKind::Constant(text) => match self.constant(&text) {
                Ok(value) if negated => ValueKind::NotConst(value),
                Ok(value) => ValueKind::Const(value),
                Err(why) => {
                    self.no_constant(&text, why);
                    ValueKind::Any
                }
            },
            TokenKind::Number(_) | TokenKind::Text(_) => {
                let range = &self.token().range;
                let help = match self.peek() {
                    TokenKind::Text(text) => format!("write constants in `<…>`: `<\"{text}\">`"),
                    TokenKind::Number(Some(n)) => format!("write constants in `<…>`: `<{n}>`"),
                    _ => format!("{} digits are too many", range.end - range.start),
                };
                return Err(self.unexpected("a value", Some(&help)));
            }
            _ => {
                let help =
                    "a value is `X` (bind), `x` (compare), `!x` (differ), `<constant>` or `*`";
                return Err(self.unexpected("a value", Some(help)));
            }
        };
        self.advance();
        Ok(ValuePattern { kind, span: self.since(start) })
    }

    /// The value of a literal or of a constant of a class.
    fn constant(&self, text: &str) -> Result<Value, NoConstant> {
        match constant::parse(text) {
            Err(NoConstant::ClassField(_)) => {
                self.own.constants.constant(text.trim()).map_err(NoConstant::ClassField)
            }
            other => other,
        }
    }

    fn no_constant(&mut self, text: &str, why: NoConstant) {
        let span = self.span();
        let diagnostic = match why {
            NoConstant::NoLiteral => Diagnostic::error(
                Code::ToplConstant,
                span,
                format!("`{text}` is not a Java literal"),
            )
            .rule("a constant is `<null>`, `<true>`, a number, `<'c'>` or `<\"text\">`")
            .help(if text.chars().all(char::is_alphanumeric) {
                format!("for a text write `<\"{text}\">`")
            } else {
                "write a literal such as `<3>` or `<\"text\">`".to_string()
            }),
            NoConstant::ClassField(why) => Diagnostic::error(Code::ToplClassConstant, span, why)
                .rule("only class constants of `java.lang`'s number classes are always known")
                .help("write its value as a literal, or pass the classes with `--cp`"),
            NoConstant::TooLarge => Diagnostic::error(
                Code::BadNumber,
                span,
                format!("`{text}` does not fit its Java type"),
            )
            .help(if text.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
                format!("for a `long` write `<{text}L>`")
            } else {
                "write a number that fits".to_string()
            }),
        };
        self.report(diagnostic);
    }
}

/// The register that a variable, in either spelling, stands for.
pub fn uncapitalised(word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        Some(c) => c.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
