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

/// Whether a condition surely holds for a method that goes by these names.
pub fn must_hold(condition: &Expr, names: &[String]) -> bool {
    match condition {
        Expr::Builtin(Builtin::Matches, args) => {
            let decided =
                matches!(&args[..], [Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(_))]);
            decided && may_hold(condition, names)
        }
        Expr::And(a, b) => must_hold(a, names) && must_hold(b, names),
        Expr::Or(a, b) => must_hold(a, names) || must_hold(b, names),
        Expr::Const(Value::Bool(holds)) => *holds,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_matches(glob: &str) -> Expr {
        let glob = Expr::Const(Value::str(glob));
        Expr::Builtin(Builtin::Matches, vec![Expr::Read(Place::Arg(0)), glob])
    }

    #[test]
    fn what_only_the_run_decides_may_hold_and_does_not_surely() {
        let names = ["a.B.m".to_owned()];
        let (fits, other) = (name_matches("a.*"), name_matches("b.*"));
        let value = Expr::Read(Place::Arg(1));
        let and = |a: &Expr, b: &Expr| Expr::And(Box::new(a.clone()), Box::new(b.clone()));
        let or = |a: &Expr, b: &Expr| Expr::Or(Box::new(a.clone()), Box::new(b.clone()));
        let decided = |e: &Expr| (may_hold(e, &names), must_hold(e, &names));
        assert_eq!(decided(&fits), (true, true));
        assert_eq!(decided(&other), (false, false));
        assert_eq!(decided(&value), (true, false));
        assert_eq!(decided(&and(&fits, &value)), (true, false));
        assert_eq!(decided(&and(&other, &value)), (false, false));
        assert_eq!(decided(&or(&fits, &value)), (true, true));
        assert_eq!(decided(&or(&other, &value)), (true, false));
        assert_eq!(decided(&and(&fits, &fits)), (true, true));
    }
}
