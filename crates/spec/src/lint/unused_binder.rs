//! `?x` where x is not used.

use watchword_model::{Expr, Pattern, Place};

use super::{Facts, walk};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    for transition in model.properties.iter().flat_map(|p| &p.transitions) {
        let mut read = Vec::new();
        let mut note = |e: &Expr| {
            if let Expr::Read(Place::Local(local)) = e {
                read.push(*local);
            }
        };
        for guard in transition.labels.iter().filter_map(|l| l.guard.as_ref()) {
            walk::expr(guard, &mut note);
        }
        for branch in [Some(&transition.then), transition.otherwise.as_ref()].into_iter().flatten()
        {
            walk::branch(branch, &mut |_| {}, &mut note);
        }
        for label in &transition.labels {
            for pattern in &label.args {
                if let Pattern::Bind(Place::Local(local)) = pattern
                    && !read.contains(local)
                {
                    found.push(
                        Diagnostic::warning(
                            Code::UnusedBinder,
                            label.span,
                            "a name this label binds is never used",
                        )
                        .rule("in a sliced property `?x` is defined only in its transition")
                        .help("write `_` if any value is allowed"),
                    );
                }
            }
        }
    }
}
