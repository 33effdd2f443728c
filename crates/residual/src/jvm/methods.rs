//! Conditions on the name of the called method, as TOPL has them: at a call it is known whether they
//! can hold.

use watchword_model::{Builtin, Expr, Glob, Place, Value};
use watchword_select::{Called, KnownTypes};

/// The names a called method goes by. `None`: a class is missing.
pub fn names(called: &Called<'_>, types: &KnownTypes<'_>) -> Option<Vec<String>> {
    types.is_whole(called.owner).then(|| types.names_of(called))
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
