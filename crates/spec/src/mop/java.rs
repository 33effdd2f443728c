//! The Java in specifications, as far as it is understood: code that prints, and conditions.

use watchword_model::{BinaryOp, Span, UnaryOp, Value};

use super::tree::{Refused, Token};
use crate::larva::cursor::Cursor;
use crate::larva::lexer::Tok;
use crate::larva::tree::{Expr, ExprKind, Operator};
use crate::ww::tree as ww;

/// What code that only prints does.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    /// The texts it prints, joined.
    pub message: Option<String>,
    /// `__RESET`: the monitor begins anew.
    pub reset: bool,
    /// It does more: the number of the method with the code, which gives the message.
    pub java: Option<u32>,
}

/// Whether what code prints is only texts: then they are the whole message.
pub fn prints_texts(code: &[Token]) -> bool {
    let words = ["RVMLogging", "MOPLogging", "System", "out", "err", "Level", "this", "__RESET"];
    code.iter().enumerate().all(|(at, token)| match &token.tok {
        Tok::Name(name) => {
            let is_level = at >= 2 && code[at - 2].tok == Tok::Name("Level".into());
            let known = words.contains(&name.as_str()) || name.starts_with("print");
            known || is_level || ["__DEFAULT_MESSAGE", "__LOC"].contains(&name.as_str())
        }
        Tok::Mark(_) | Tok::Text(_) => true,
        _ => false,
    })
}

/// Code without `__RESET;` outside of its blocks, and whether that was there.
pub fn without_reset(code: &[Token]) -> (Vec<Token>, bool) {
    let (mut rest, mut reset, mut depth) = (Vec::new(), false, 0);
    let mut at = 0;
    while at < code.len() {
        let is = |ahead: usize, tok: &Tok| code.get(at + ahead).is_some_and(|t| t.tok == *tok);
        let named = |ahead: usize| is(ahead, &Tok::Name("__RESET".into()));
        let begins =
            depth == 0 && (at == 0 || [";", "}"].iter().any(|m| code[at - 1].tok == Tok::Mark(m)));
        let this = is(0, &Tok::Name("this".into())) && is(1, &Tok::Mark("."));
        let skipped = if this { 2 } else { 0 };
        if begins && named(skipped) && is(skipped + 1, &Tok::Mark(";")) {
            reset = true;
            at += skipped + 2;
            continue;
        }
        match code[at].tok {
            Tok::Mark("{") => depth += 1,
            Tok::Mark("}") => depth -= 1,
            _ => {}
        }
        rest.push(code[at].clone());
        at += 1;
    }
    (rest, reset)
}

/// What the code of a handler or an event does, if all it does is print and reset.
pub fn printed(code: &[Token]) -> Result<Printed, Refused> {
    let mut printed = Printed::default();
    let mut texts: Vec<String> = Vec::new();
    for statement in code.split(|t| t.tok == Tok::Mark(";")).filter(|s| !s.is_empty()) {
        let name = |at: usize| match statement.get(at).map(|t| &t.tok) {
            Some(Tok::Name(name)) => name.as_str(),
            _ => "",
        };
        match (name(0), name(2), name(4)) {
            ("__RESET", "", "") => printed.reset = true,
            ("this", "__RESET", "") => printed.reset = true,
            ("RVMLogging" | "MOPLogging" | "System", "out" | "err", print)
                if print.starts_with("print") && !calls_more(&statement[5..]) =>
            {
                let text = statement.iter().filter_map(|t| match &t.tok {
                    Tok::Text(text) => Some(text.trim().to_string()),
                    _ => None,
                });
                texts.extend(text.filter(|text| !text.is_empty()));
            }
            _ => {
                let why = "its Java code does more than print";
                return Err(Refused::new(statement[0].span, why));
            }
        }
    }
    if !texts.is_empty() {
        printed.message = Some(texts.join(" "));
    }
    Ok(printed)
}

/// Whether something but the printing itself is called, assigned or made.
fn calls_more(arguments: &[Token]) -> bool {
    let opens = arguments.iter().filter(|t| t.tok == Tok::Mark("(")).count();
    let does = |t: &Token| match &t.tok {
        Tok::Mark(mark) => matches!(*mark, "=" | "++" | "--" | "{" | "+=" | "-="),
        Tok::Name(name) => name == "new",
        _ => false,
    };
    opens > 1 || arguments.iter().any(does)
}

/// A condition over what the event brings.
pub fn condition(
    tokens: &[Token],
    span: Span,
    is_known: &dyn Fn(&str) -> bool,
) -> Result<ww::Expr, Refused> {
    let mut tokens = tokens.to_vec();
    tokens.push(Token { tok: Tok::End, span });
    let mut ignored = Vec::new();
    let mut cursor = Cursor::new(&tokens, &mut ignored);
    let parsed = cursor.expr();
    let whole = cursor.at_end();
    match parsed {
        Ok(parsed) if whole => expression(&parsed, is_known),
        _ => Err(Refused::new(span, "this condition is not understood")),
    }
}

fn expression(e: &Expr, is_known: &dyn Fn(&str) -> bool) -> Result<ww::Expr, Refused> {
    let value = |value: Value| Ok((ww::ExprKind::Const(value), 1));
    let inner = |e: &Expr| expression(e, is_known);
    let (kind, depth): (ww::ExprKind, u32) = match &e.kind {
        ExprKind::Int(n, _) => value(Value::Int(*n)),
        ExprKind::Float(x) => value(Value::Float(*x)),
        ExprKind::Text(text) => value(Value::str(text)),
        ExprKind::Bool(truth) => value(Value::Bool(*truth)),
        ExprKind::Null => value(Value::Null),
        ExprKind::Name(name) if is_known(name) => Ok((ww::ExprKind::Name(name.clone()), 1)),
        ExprKind::Name(name) => {
            let why = format!("its condition reads `{name}`, which is not a value of the event");
            Err(Refused::new(e.span, why))
        }
        ExprKind::Unary(op @ (UnaryOp::Not | UnaryOp::Neg), a) => {
            let a = inner(a)?;
            let depth = a.depth + 1;
            Ok((ww::ExprKind::Unary(*op, Box::new(a)), depth))
        }
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (inner(a)?, inner(b)?);
            let depth = a.depth.max(b.depth) + 1;
            let (a, b) = (Box::new(a), Box::new(b));
            match op {
                Operator::And => Ok((ww::ExprKind::And(a, b), depth)),
                Operator::Or => Ok((ww::ExprKind::Or(a, b), depth)),
                Operator::Plain(op) if is_comparison(*op) => {
                    Ok((ww::ExprKind::Binary(*op, a, b), depth))
                }
                Operator::Plain(_) => Err(Refused::new(e.span, "its condition computes")),
            }
        }
        _ => Err(Refused::new(e.span, "its condition needs Java: it is more than a comparison")),
    }?;
    Ok(ww::Expr { kind, span: e.span, depth })
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}
