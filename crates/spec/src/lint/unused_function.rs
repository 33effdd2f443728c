//! Functions that are never called.

use watchword_model::Expr;

use super::{Facts, walk};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    let mut called = vec![false; model.functions.len()];
    walk::model(model, &mut |_| {}, &mut |e| {
        if let Expr::Call(function, _) = e {
            called[function.index()] = true;
        }
    });
    for (function, called) in model.functions.iter().zip(called) {
        // A file without properties is a library; it need not use what it declares.
        let library = !model.properties.iter().any(|p| p.span.file == function.span.file);
        if !called && !library {
            found.push(
                Diagnostic::warning(
                    Code::UnusedFunction,
                    function.span,
                    format!("the function `{}` is never called", function.name),
                )
                .help("remove it"),
            );
        }
    }
}
