//! Restrictions to the inside of types or methods.

use watchword_model::Within;

use crate::answer::Answer;
use crate::ty::{Ty, is_type};
use crate::types::Types;

/// Whether a method of a class is inside of all of these. A lambda belongs to the method that it was
/// written in.
pub fn is_within(within: &[Within], class: &str, method: &str, types: &dyn Types) -> Answer {
    within.iter().fold(Answer::Yes, |all, within| {
        let named = within.method.as_ref().is_none_or(|glob| {
            glob.matches(method) || lambda_home(method).is_some_and(|m| glob.matches(m))
        });
        let inside = match named {
            true => is_type(&within.owner, Ty::of_class(class), types),
            false => Answer::No,
        };
        all.and(inside.negated_if(within.negated))
    })
}

/// The method a lambda was written in: `run` for `lambda$run$0`.
fn lambda_home(method: &str) -> Option<&str> {
    let rest = method.strip_prefix("lambda$")?;
    rest.rsplit_once('$').map(|(home, _)| home)
}
