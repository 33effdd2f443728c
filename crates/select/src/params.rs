//! Lists of parameters.

use watchword_model::ParamPattern;

use crate::answer::Answer;
use crate::ty::{Ty, is_type};
use crate::types::Types;

/// Whether types are like the patterns, where `..` stands for any number of them. One row of the usual
/// table: `open[i]` says whether the patterns so far can have used up `i` types.
pub fn fits(patterns: &[ParamPattern], given: &[Ty<'_>], types: &dyn Types) -> Answer {
    let mut open = vec![Answer::No; given.len() + 1];
    open[0] = Answer::Yes;
    for pattern in patterns {
        match pattern {
            ParamPattern::Rest => {
                for i in 1..open.len() {
                    open[i] = open[i].clone().or(open[i - 1].clone());
                }
            }
            ParamPattern::One(pattern) => {
                for i in (1..open.len()).rev() {
                    open[i] = match open[i - 1].clone() {
                        Answer::No => Answer::No,
                        before => before.and(is_type(pattern, given[i - 1], types)),
                    };
                }
                open[0] = Answer::No;
            }
        }
    }
    open.swap_remove(given.len())
}

/// Whether patterns can take so many parameters, whatever their types.
pub fn takes(patterns: &[ParamPattern], count: usize) -> bool {
    let named = patterns.iter().filter(|p| matches!(p, ParamPattern::One(_))).count();
    if named < patterns.len() { named <= count } else { named == count }
}

#[cfg(test)]
mod tests {
    use watchword_model::{Glob, TypePattern};

    use super::*;
    use crate::types::NoTypes;

    #[test]
    fn parameter_patterns() {
        let one = |name: &str| {
            ParamPattern::One(TypePattern { name: Glob::new(name), ..TypePattern::any() })
        };
        let rest = || ParamPattern::Rest;
        let fits = |patterns: &[ParamPattern], types: &[&str]| {
            let types: Vec<Ty<'_>> = types.iter().map(|name| Ty::of_source(name)).collect();
            super::fits(patterns, &types, &NoTypes) == Answer::Yes
        };
        assert!(fits(&[], &[]));
        assert!(!fits(&[], &["int"]));
        assert!(fits(&[one("int"), rest()], &["int"]));
        assert!(fits(&[one("int"), rest()], &["int", "a", "b"]));
        assert!(!fits(&[one("int"), rest()], &["long"]));
        assert!(fits(&[rest(), one("int")], &["int", "int"]));
        assert!(fits(&[one("*"), rest(), one("b")], &["a", "x", "b"]));
        assert!(!fits(&[one("*"), rest(), one("b")], &["b"]));
        assert!(takes(&[one("*"), rest()], 3) && !takes(&[one("*"), rest()], 0));
        assert!(takes(&[one("*")], 1) && !takes(&[one("*")], 2));
    }

    #[test]
    fn types_that_a_record_does_not_name_are_unknown() {
        let int = ParamPattern::One(TypePattern { name: Glob::new("int"), ..TypePattern::any() });
        let answer =
            |count: usize| fits(std::slice::from_ref(&int), &vec![Ty::UNKNOWN; count], &NoTypes);
        assert_eq!(answer(1), Answer::Maybe(crate::Test::Unknown));
        assert_eq!(answer(2), Answer::No);
    }
}
