//! From tokens to the tree, with recovery: after a mistake the parser goes on at the next line
//! that begins an item.

use watchword_model::{BinaryOp, FileId, Value};

use super::lexer::{TokenKind, tokens};
use super::tree::{
    Binder, Condition, EventPattern, Filter, Label, Name, Operand, Property, Transition,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::topl::cursor::{Cursor, DialectParser, Lost, Parsed, PropertyParser};

/// A call has at most so many arguments and one result.
const MAX_VALUES: usize = 256;
/// A label has at most so many conditions, and so many assignments.
const MAX_CONDITIONS: usize = 64;

const KEYWORDS: [&str; 4] = ["property", "message", "prefix", "nondet"];

/// Reads a file.
pub fn parse(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Property> {
    let cursor = Cursor::new(file, tokens(text), diagnostics);
    Parser { cursor, own: () }.properties()
}

type Parser<'a> = DialectParser<'a, TokenKind, ()>;

impl<'a> PropertyParser<'a> for Parser<'a> {
    type Token = TokenKind;
    type Property = Property;
    const KEYWORDS: &'static [&'static str] = &KEYWORDS;

    fn begin(name: Name) -> Property {
        Property { name, message: None, prefix: Vec::new(), transitions: Vec::new() }
    }

    fn item(&mut self, property: &mut Property) -> Parsed<()> {
        let arrow = *self.ahead(1) == TokenKind::Sign("->");
        match self.word() {
            Some("message") if !arrow => self.cursor.message(&property.name, &mut property.message),
            Some("prefix") if !arrow => {
                self.advance();
                match self.peek() {
                    TokenKind::Sign("<") => Err(self.classic("patterns in `<…>` belong")),
                    _ => self
                        .name_or_text("a prefix", "write `prefix \"java.util.Iterator\"`")
                        .map(|prefix| {
                            property.prefix.push(prefix);
                        }),
                }
            }
            Some("observe") if !arrow => Err(self.classic("`observe` belongs")),
            Some("nondet") if !arrow => self.nondet(),
            Some(_) => self.transition(property),
            None => {
                let help = "an item is `message`, `prefix` or `state -> state: label`";
                Err(self.unexpected("a transition or a directive", Some(help)))
            }
        }
    }
}

impl Parser<'_> {
    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), TokenKind::Sign(s) if *s == sign)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.advance();
        }
        found
    }

    fn classic(&mut self, what: &str) -> Lost {
        let span = self.span();
        self.report(
            Diagnostic::error(Code::ToplDialect, span, format!("{what} to classic TOPL"))
                .rule("in Infer's dialect everything is observed and names are regular expressions")
                .help("read the file as classic TOPL (`--lang topl`)"),
        );
        Lost
    }

    fn name_or_text(&mut self, what: &str, help: &str) -> Parsed<Name> {
        let text = match self.peek() {
            TokenKind::Word(word) => word.clone(),
            TokenKind::Text(text) => text.clone(),
            _ => return Err(self.unexpected(what, Some(help))),
        };
        let name = Name { text, span: self.span() };
        self.advance();
        Ok(name)
    }

    /// `nondet (a b)`, which older files have: every state is nondeterministic here.
    fn nondet(&mut self) -> Parsed<()> {
        self.advance();
        if !self.eat("(") {
            return Err(self.unexpected("`(`", Some("write `nondet (start)`, or leave it out")));
        }
        while matches!(self.peek(), TokenKind::Word(_)) || self.is(",") {
            self.advance();
        }
        if !self.eat(")") {
            return Err(self.unexpected("`)`", None));
        }
        Ok(())
    }

    fn transition(&mut self, property: &mut Property) -> Parsed<()> {
        let start = self.at;
        let (source, target) = self.states(&KEYWORDS)?;
        if !self.eat(":") {
            let help = "the label follows a colon: `state -> state: label`";
            return Err(self.unexpected("`:`", Some(help)));
        }
        let label = if self.eat("*") { None } else { Some(self.label()?) };
        let span = self.since(start);
        property.transitions.push(Transition { source, target, label, span });
        match self.peek() {
            TokenKind::End | TokenKind::Sign("}") => Ok(()),
            _ if self.token().first => Ok(()),
            TokenKind::Word(word)
                if KEYWORDS.contains(&word.as_str()) || *self.ahead(1) == TokenKind::Sign("->") =>
            {
                Ok(())
            }
            TokenKind::Sign(",") => {
                let help = "write one transition per alternative";
                Err(self.unexpected("the end of the line", Some(help)))
            }
            TokenKind::Sign(":=" | ".") => Err(self.classic("results and receivers belong")),
            _ => {
                let help = "conditions follow `when`, assignments follow `=>`";
                Err(self.unexpected("the end of the line", Some(help)))
            }
        }
    }

    fn label(&mut self) -> Parsed<Label> {
        let start = self.at;
        let pattern = self.pattern()?;
        let binders = if self.is("(") { Some(self.binders()?) } else { None };
        let mut conditions = Vec::new();
        if self.word() == Some("when") && !self.token().first {
            self.advance();
            loop {
                if conditions.len() == MAX_CONDITIONS {
                    return Err(self.too_many("conditions"));
                }
                conditions.push(self.condition()?);
                if !self.eat("&&") {
                    break;
                }
            }
        }
        let mut actions = Vec::new();
        if self.eat("=>") {
            loop {
                if actions.len() == MAX_CONDITIONS {
                    return Err(self.too_many("assignments"));
                }
                actions.push(self.action()?);
                let more =
                    self.is(";") && !self.tokens[(self.at + 1).min(self.tokens.len() - 1)].first;
                if !more {
                    self.eat(";");
                    break;
                }
                self.advance();
            }
        }
        Ok(Label { pattern, binders, conditions, actions, span: self.since(start) })
    }

    fn too_many(&mut self, what: &str) -> Lost {
        let span = self.span();
        let message = format!("a label has at most {MAX_CONDITIONS} {what}");
        self.report(
            Diagnostic::error(Code::TooDeep, span, message)
                .help("split the transition into several"),
        );
        Lost
    }

    fn pattern(&mut self) -> Parsed<EventPattern> {
        if self.is("#") {
            let start = self.at;
            self.advance();
            if self.word() == Some("ArrayWrite") {
                self.advance();
                return Ok(EventPattern::ArrayWrite);
            }
            self.advance();
            let span = self.since(start);
            self.report(
                Diagnostic::error(
                    Code::Unexpected,
                    span,
                    "the only event of this kind is an array write",
                )
                .help("write `#ArrayWrite(Array, Index)`"),
            );
            return Err(Lost);
        }
        let mut annotation = None;
        let negated = self.is("~@");
        if negated || self.is("@") {
            self.advance();
            let regex = self.name_or_text("an annotation", "write `@\".*Nullable\"`")?;
            annotation = Some(Filter { negated, regex });
        }
        let negated = self.eat("!");
        if self.is("<") || matches!(self.peek(), TokenKind::Sign("*" | "(")) {
            return Err(self.classic("this label belongs"));
        }
        let help = "write a name, or a regular expression in quotes: `\"java.util.*\"`";
        let regex = self.name_or_text("a procedure", help)?;
        let classic = matches!(self.peek(), TokenKind::Sign(":=" | "." | "["))
            || matches!(regex.text.as_str(), "call" | "return")
                && matches!(self.peek(), TokenKind::Word(_) | TokenKind::Sign("<" | "*"));
        if classic && !self.token().first {
            return Err(self.classic("this label belongs"));
        }
        Ok(EventPattern::Call { annotation, procedure: Filter { negated, regex } })
    }

    fn binders(&mut self) -> Parsed<Vec<Binder>> {
        self.advance();
        let mut binders = Vec::new();
        while !self.is(")") {
            if binders.len() == MAX_VALUES {
                let span = self.span();
                let message =
                    format!("a call has at most {MAX_VALUES} values, its result included");
                self.report(
                    Diagnostic::error(Code::ToplArity, span, message)
                        .help("remove the binders if any number is allowed"),
                );
                return Err(Lost);
            }
            let name = match self.peek() {
                TokenKind::Word(word) => Name { text: word.clone(), span: self.span() },
                TokenKind::Sign("*") => {
                    let span = self.span();
                    self.report(
                        Diagnostic::error(Code::InferBinder, span, "every value needs a name here")
                            .help("write a name that is not used, such as `Ignore`"),
                    );
                    Name { text: "Ignore".into(), span }
                }
                _ => {
                    let help = "a binder is a name in upper case, such as `Arg`";
                    return Err(self.unexpected("a binder", Some(help)));
                }
            };
            if !name.text.starts_with(char::is_uppercase) {
                let mut chars = name.text.chars();
                let upper: String =
                    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
                self.report(
                    Diagnostic::error(
                        Code::InferBinder,
                        name.span,
                        format!("`{}` is written like a register", name.text),
                    )
                    .rule("names in upper case are values of this event, in lower case registers")
                    .help(format!(
                        "write `{upper}`, and compare after `when`: `when {upper} == {}`",
                        name.text
                    )),
                );
            }
            self.advance();
            let mut ty = None;
            if self.eat(":") {
                let negated = self.eat("!");
                let regex = self.name_or_text("a type", "write a name or `\".*List\"`")?;
                ty = Some(Filter { negated, regex });
            }
            binders.push(Binder { name, ty });
            if !self.eat(",") {
                break;
            }
        }
        if !self.eat(")") {
            let typed = binders.last().is_some_and(|b: &Binder| b.ty.is_some());
            let help = match self.is(".") && typed {
                true => "write a type that is not a simple name in quotes: `X: \"a.b.C\"`",
                false => "close the binders with `)`",
            };
            return Err(self.unexpected("`,` or `)`", Some(help)));
        }
        Ok(binders)
    }

    fn condition(&mut self) -> Parsed<Condition> {
        let left = self.operand()?;
        let op = match self.peek() {
            TokenKind::Sign("==") => Some(BinaryOp::Eq),
            TokenKind::Sign("!=") => Some(BinaryOp::Ne),
            TokenKind::Sign("<") => Some(BinaryOp::Lt),
            TokenKind::Sign("<=") => Some(BinaryOp::Le),
            TokenKind::Sign(">") => Some(BinaryOp::Gt),
            TokenKind::Sign(">=") => Some(BinaryOp::Ge),
            TokenKind::Sign("~~>") => {
                let span = self.span();
                self.report(
                    Diagnostic::error(
                        Code::InferStatic,
                        span,
                        "`~~>` tests whether one value can be reached from another in the heap",
                    )
                    .rule(
                        "a monitor sees values but not the heap; only a static analysis can decide this",
                    )
                    .help(
                        "follow the value through the calls that pass it on, and compare with `==`",
                    ),
                );
                return Err(Lost);
            }
            _ => None,
        };
        let right = match op {
            Some(op) => {
                self.advance();
                Some((op, self.operand()?))
            }
            None => None,
        };
        Ok(Condition { left, right })
    }

    fn operand(&mut self) -> Parsed<Operand> {
        let operand = match self.peek() {
            TokenKind::Word(word) => {
                let name = Name { text: word.clone(), span: self.span() };
                match word.as_str() {
                    "true" => Operand::Const(Value::Int(1)),
                    "false" | "null" => Operand::Const(Value::Int(0)),
                    w if w.starts_with(char::is_uppercase) => Operand::Binder(name),
                    _ => Operand::Register(name),
                }
            }
            TokenKind::Number(Some(n)) => Operand::Const(Value::Int(*n)),
            TokenKind::Number(None) => {
                let span = self.span();
                self.report(
                    Diagnostic::error(Code::BadNumber, span, "this number does not fit in 64 bits")
                        .help("numbers lie between -2^63 and 2^63-1"),
                );
                Operand::Const(Value::Int(0))
            }
            TokenKind::Text(text) => Operand::Const(Value::str(text)),
            _ => {
                let help = "a value is a binder `Arg`, a register `arg`, a number or a text";
                return Err(self.unexpected("a value", Some(help)));
            }
        };
        self.advance();
        if self.is(".") || self.is("[") {
            let span = self.span();
            self.report(
                Diagnostic::error(Code::InferStatic, span, "fields are not part of an event")
                    .rule("an event carries the values of the call, not what they contain")
                    .help("bind the value at an event where the program uses it"),
            );
            return Err(Lost);
        }
        Ok(operand)
    }

    fn action(&mut self) -> Parsed<(Name, Name)> {
        let help = "an assignment is `register := Binder`";
        let register = match self.peek() {
            TokenKind::Word(word) => Name { text: word.clone(), span: self.span() },
            _ => return Err(self.unexpected("a register", Some(help))),
        };
        if register.text.starts_with(char::is_uppercase) {
            self.report(
                Diagnostic::error(
                    Code::InferBinder,
                    register.span,
                    format!("`{}` is written like a value of this event", register.text),
                )
                .rule("names in upper case are values of this event, in lower case registers")
                .help("registers begin with a small letter"),
            );
        }
        self.advance();
        if !self.eat(":=") {
            return Err(self.unexpected("`:=`", Some(help)));
        }
        let value = match self.peek() {
            TokenKind::Word(word) => Name { text: word.clone(), span: self.span() },
            _ => return Err(self.unexpected("a binder", Some(help))),
        };
        if !value.text.starts_with(char::is_uppercase) {
            self.report(
                Diagnostic::error(
                    Code::InferBinder,
                    value.span,
                    format!("`{}` is not a value of this event", value.text),
                )
                .rule("a register takes the value of a binder")
                .help(help),
            );
        }
        self.advance();
        Ok((register, value))
    }
}
