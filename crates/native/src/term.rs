//! Terms of properties as expressions over the stopped program.

use watchword_debug::expr::{Expr, Unary};
use watchword_model::{Capture, NativeTerm};

/// What a parameter of an event is given.
#[derive(Clone, Debug)]
pub(crate) enum Taken {
    /// The value of an expression, by its position among those read at the event.
    Read(usize),
    /// The value written or read; before a write, the old one.
    Value,
    /// The address of the variable.
    Address,
    /// The thread.
    Thread,
}

/// Splits the captures of a source into what the tracer reads and what the event itself tells.
/// In a call `value` and `address` are ordinary names.
pub(crate) fn split_captures(
    captures: &[Capture<NativeTerm>],
    is_call: bool,
) -> (Vec<(usize, Taken)>, Vec<Expr>) {
    let mut taken = Vec::new();
    let mut read = Vec::new();
    for capture in captures {
        let what = match &capture.term {
            NativeTerm::Thread => Taken::Thread,
            NativeTerm::Value if !is_call => Taken::Value,
            NativeTerm::Address if !is_call => Taken::Address,
            term => {
                read.push(expression(term));
                Taken::Read(read.len() - 1)
            }
        };
        taken.push((capture.param, what));
    }
    (taken, read)
}

/// A term as an expression of the debugger.
pub(crate) fn expression(term: &NativeTerm) -> Expr {
    let inner = |t: &NativeTerm| Box::new(expression(t));
    match term {
        NativeTerm::Name(name) => Expr::Name(name.clone()),
        NativeTerm::Arg(index) => Expr::Argument(*index as usize),
        NativeTerm::Ret => Expr::Result,
        NativeTerm::Value => Expr::Name("value".into()),
        NativeTerm::Address => Expr::Name("address".into()),
        NativeTerm::Thread => Expr::Name("thread".into()),
        NativeTerm::Int(i) => Expr::Number(i128::from(*i)),
        NativeTerm::Deref(t) => Expr::Unary(Unary::Dereference, inner(t)),
        NativeTerm::AddressOf(t) => Expr::Unary(Unary::AddressOf, inner(t)),
        NativeTerm::Field(t, field) => Expr::Member(inner(t), field.clone()),
        NativeTerm::Arrow(t, field) => Expr::Arrow(inner(t), field.clone()),
        NativeTerm::Index(t, index) => Expr::Index(inner(t), inner(index)),
        NativeTerm::Cast(ty, t) => Expr::Cast(ty.clone(), 0, inner(t)),
    }
}

/// The places an expression goes through before it reaches its object: when one of them changes,
/// it means another object. For an expression that is no object, everything it is made of.
/// Innermost first.
pub(crate) fn links(e: &Expr) -> Vec<&Expr> {
    let mut all = Vec::new();
    add_links(e, &mut all);
    all
}

fn add_links<'a>(e: &'a Expr, all: &mut Vec<&'a Expr>) {
    let part = |part: &'a Expr, all: &mut Vec<&'a Expr>| {
        add_links(part, all);
        if !matches!(part, Expr::Number(_)) {
            all.push(part);
        }
    };
    match e {
        Expr::Unary(Unary::AddressOf, object) | Expr::Member(object, _) => add_links(object, all),
        Expr::Unary(_, pointer) | Expr::Arrow(pointer, _) => part(pointer, all),
        Expr::Cast(_, _, inner) => part(inner, all),
        Expr::Index(a, b) | Expr::Binary(_, a, b) => {
            part(a, all);
            part(b, all);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Box<NativeTerm> {
        Box::new(NativeTerm::Name(text.into()))
    }

    #[test]
    fn a_chain_hangs_on_its_pointers() {
        let next = NativeTerm::Arrow(name("p"), "next".into());
        let data = NativeTerm::Arrow(Box::new(next), "data".into());
        let element = NativeTerm::Index(Box::new(data), name("i"));
        assert_eq!(element.to_string(), "p->next->data[i]");
        let parsed = |text: &str| watchword_debug::expr::parse(text).unwrap();
        let whole = expression(&element);
        assert_eq!(whole, parsed("p->next->data[i]"));
        let parts: Vec<Expr> = links(&whole).into_iter().cloned().collect();
        assert_eq!(parts, ["p", "p->next", "p->next->data", "i"].map(parsed));
    }
}
