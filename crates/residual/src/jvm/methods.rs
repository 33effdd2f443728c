//! Conditions on the name of the called method, as TOPL has them: at a call it is known whether they
//! can hold.

use watchword_model::{Builtin, EventDecl, Expr, Glob, Place, Value};

use super::select::Types;

/// Whether an event stands for calls of any method, which its first argument names.
pub fn names_methods(decl: &EventDecl) -> bool {
    decl.variadic && matches!((decl.fixed, decl.params.len()), (1, 1 | 2) | (3, 3))
}

/// The names a called method may go by: by its own class and by all above it. `None`: a class is
/// missing.
pub fn names(class: &str, name: &str, types: &dyn Types) -> Option<Vec<String>> {
    if class.starts_with('[') {
        return None;
    }
    let mut names = Vec::new();
    for owner in types.supertypes(class)?.iter() {
        let full = format!("{}.{name}", owner.replace('/', "."));
        // As sources have nested classes.
        let nested = full.replace('$', ".");
        if nested != full {
            names.push(nested);
        }
        names.push(full);
    }
    Some(names)
}

/// Whether a condition can hold for a method that goes by these names.
pub fn may_hold(condition: &Expr, names: &[String]) -> bool {
    match condition {
        Expr::Builtin(Builtin::Matches, args) => match &args[..] {
            [Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(glob))] => {
                let glob = Glob::new(glob);
                names.iter().any(|name| glob.matches(name))
            }
            _ => true,
        },
        Expr::And(a, b) => may_hold(a, names) && may_hold(b, names),
        Expr::Or(a, b) => may_hold(a, names) || may_hold(b, names),
        Expr::Const(Value::Bool(holds)) => *holds,
        _ => true,
    }
}
