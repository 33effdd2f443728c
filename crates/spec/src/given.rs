//! What properties are given from outside: values of their `param`s, and sources of their events.
//!
//! Every text from the command line is treated as a small file of its own, so that mistakes in it
//! are shown like mistakes in a property file, with the place underlined.

use watchword_model::{FileId, Span, Type, Value};

use crate::diagnostic::{Code, Diagnostic};
use crate::files::SourceFile;
use crate::ww::lower::setting_text;
use crate::ww::parser::{UNITS, nanoseconds, parse_binding};
use crate::ww::tree::{Event, Item};

/// The types a `param` can have.
pub const TYPES: [Type; 5] = [Type::Duration, Type::Int, Type::Float, Type::Str, Type::Bool];

/// How the texts are introduced where they come from.
const SET: &str = "--set";
const BIND: &str = "--bind";

/// A `param` of a property or context, with its value in this run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The property or context that declares it.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Its type, one of [`TYPES`].
    pub ty: Type,
    /// The value it has if no other is chosen.
    pub default: Value,
    /// The value it has.
    pub value: Value,
    /// The `///` comment.
    pub doc: String,
    /// Where its name is declared.
    pub span: Span,
    /// How often it is read.
    pub(crate) reads: usize,
}

impl Setting {
    /// `Reply.limit`.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }

    /// The value if no other is chosen, as people write it.
    pub fn default_text(&self) -> String {
        setting_text(&self.default, self.ty)
    }

    /// The value as people write it.
    pub fn value_text(&self) -> String {
        setting_text(&self.value, self.ty)
    }
}

/// What was given, as texts.
#[derive(Clone, Debug, Default)]
pub struct GivenTexts {
    /// `limit=2s`, `Reply.limit=2s`.
    pub set: Vec<String>,
    /// `request=/…/`, `failed(user)=log …`.
    pub bind: Vec<String>,
    /// What becomes of Java code.
    pub java: JavaRules,
}

/// What becomes of Java code in property files.
#[derive(Clone, Debug, Default)]
pub struct JavaRules {
    /// It is compiled and runs in the program. Otherwise what needs it is refused.
    pub allowed: bool,
    /// Specifications whose code does not compile, and why: they are refused.
    pub broken: Vec<(String, String)>,
}

/// What was given, taken apart.
#[derive(Debug, Default)]
pub struct Given {
    pub(crate) set: Vec<Assignment>,
    /// Events with one source each.
    pub(crate) bind: Vec<Event>,
}

/// `Reply.limit=2s`.
#[derive(Debug)]
pub(crate) struct Assignment {
    /// The property or context that is meant; `None`: every one that has such a `param`.
    pub owner: Option<String>,
    pub name: String,
    pub name_span: Span,
    pub value: String,
    pub value_span: Span,
}

impl Given {
    /// Takes texts apart; each becomes one of the files.
    pub(crate) fn read(
        texts: &GivenTexts,
        files: &mut Vec<SourceFile>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Given {
        let mut given = Given::default();
        for text in &texts.set {
            let file = FileId::from_index(files.len());
            files.push(SourceFile::new(SET, text));
            match assignment(text, file) {
                Ok(assignment) => given.set.push(assignment),
                Err(wrong) => diagnostics.push(*wrong),
            }
        }
        for text in &texts.bind {
            let file = FileId::from_index(files.len());
            files.push(SourceFile::new(BIND, text));
            let output = parse_binding(text, file);
            diagnostics.extend(output.diagnostics);
            for item in output.file.items {
                if let Item::Event(event) = item {
                    given.bind.push(event);
                }
            }
        }
        given
    }
}

fn assignment(text: &str, file: FileId) -> Result<Assignment, Box<Diagnostic>> {
    let span = |start: usize, end: usize| Span { file, start: start as u32, end: end as u32 };
    let Some(equals) = text.find('=') else {
        return Err(Box::new(
            Diagnostic::error(
                Code::Unexpected,
                span(0, text.len()),
                "expected `=` and a value after the name",
            )
            .help("write `--set limit=2s`, or `--set Reply.limit=2s` for one property only"),
        ));
    };
    let written = &text[..equals];
    let name = written.trim();
    let start = written.len() - written.trim_start().len();
    let (owner, name) = match name.rsplit_once('.') {
        Some((owner, name)) => (Some(owner.to_string()), name),
        None => (None, name),
    };
    Ok(Assignment {
        owner,
        name: name.to_string(),
        name_span: span(start, start + written.trim().len()),
        value: text[equals + 1..].to_string(),
        value_span: span(equals + 1, text.len()),
    })
}

/// A text from outside as a value of a type, if it is one.
pub(crate) fn value_of(text: &str, ty: Type) -> Option<Value> {
    let trimmed = text.trim();
    match ty {
        Type::Duration => {
            let unit = trimmed.find(|c: char| c.is_alphabetic())?;
            let (amount, unit) = (trimmed[..unit].trim_end(), &trimmed[unit..]);
            let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
            let amount = number(amount)?;
            let length = nanoseconds(&amount, *nanos)?;
            (length >= 0).then_some(Value::Int(length))
        }
        Type::Int => match number(trimmed)? {
            Value::Int(number) => Some(Value::Int(number)),
            _ => None,
        },
        Type::Float => number(trimmed)?.coerce(Type::Float),
        Type::Bool => trimmed.parse().ok().map(Value::Bool),
        Type::Str => Some(Value::str(text)),
        _ => None,
    }
}

/// A number as a property file has it, in decimal digits.
fn number(text: &str) -> Option<Value> {
    let plain = |c: char| c.is_ascii_digit() || ['.', '-', '+', 'e', 'E', '_'].contains(&c);
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '-') || !text.chars().all(plain) {
        return None;
    }
    let digits = text.replace('_', "");
    let whole = digits.parse().ok().map(Value::Int);
    let float = || digits.parse().ok().filter(|f: &f64| f.is_finite()).map(Value::Float);
    whole.or_else(float)
}
