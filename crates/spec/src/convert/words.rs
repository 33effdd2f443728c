//! Names, texts and constants as `.ww` files, and Java, have them.

use std::fmt::Write;

use watchword_model::{EventDecl, Type, Value};

/// Names that mean something else where a state, an event or a register is named.
const WORDS: [&str; 22] = [
    "_", "and", "any", "arg", "at", "drop", "else", "end", "false", "if", "not", "null", "on",
    "or", "stopped", "then", "true", "var", "within", "state", "enter", "for",
];

/// Names that begin a statement.
const STATEMENTS: [&str; 9] =
    ["while", "break", "continue", "return", "send", "do", "print", "reset", "stop"];

/// A name, in backquotes if it is a word of the language.
pub fn name(text: &str) -> String {
    if WORDS.contains(&text) { format!("`{text}`") } else { text.to_string() }
}

/// The name of a variable, a function or what a label binds.
pub fn variable(text: &str) -> String {
    if STATEMENTS.contains(&text) { format!("`{text}`") } else { name(text) }
}

/// A text in quotes.
pub fn quoted(text: &str, template: bool) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '{' | '}' if template => out.extend([c, c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A constant that is a literal.
pub fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(_) => Some(value.to_string()),
        // The least integer is written as an expression only.
        Value::Int(i) if *i != i64::MIN => Some(i.to_string()),
        Value::Float(f) if f.is_finite() => Some(format!("{f:?}")),
        Value::Str(text) => Some(quoted(text, false)),
        _ => None,
    }
}

/// A constant as an expression.
pub fn constant(value: &Value) -> Option<String> {
    literal(value).or_else(|| match value {
        Value::Int(i) => Some(format!("({} - 1)", i + 1)),
        Value::Float(f) => Some(format!("float(\"{f:?}\")")),
        Value::List(list) if list.is_empty() => Some("[]".to_string()),
        Value::Map(map) if map.is_empty() => Some("{}".to_string()),
        _ => None,
    })
}

/// `: int`, or nothing.
pub fn typed(ty: Type) -> String {
    if ty == Type::Any { String::new() } else { format!(": {ty}") }
}

/// The type of a variable that begins with a value, unless that value says it.
pub fn typed_with(ty: Type, init: &str) -> String {
    if ty == Type::Any && init != "null" { ": any".to_string() } else { typed(ty) }
}

/// The parameters of an event in parentheses.
pub fn params(decl: &EventDecl) -> String {
    let mut list: Vec<String> =
        decl.params.iter().map(|p| format!("{}{}", variable(&p.name), typed(p.ty))).collect();
    list.extend(decl.variadic.then(|| "..".to_string()));
    format!("({})", list.join(", "))
}

/// A text as Java writes it.
pub fn java_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
