//! Parameters no event binds.

use watchword_model::{ContextId, ParamId};

use super::Facts;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    // A parameter of a context is bound if some property inside it binds it.
    for (i, context) in model.contexts.iter().enumerate() {
        let id = ContextId::from_index(i);
        let first = model.params(id).len() - context.params.len();
        let inside: Vec<_> =
            model.properties.iter().filter(|p| model.chain(p.context).contains(&id)).collect();
        let Some(shown) = inside.first() else { continue };
        for (offset, param) in context.params.iter().enumerate() {
            let param_id = ParamId::from_index(first + offset);
            let bound = inside
                .iter()
                .flat_map(|p| &p.alphabet)
                .flat_map(|o| &o.placements)
                .any(|p| p.0.iter().any(|(q, _)| *q == param_id));
            if !bound {
                found.push(
                    Diagnostic::warning(
                        Code::UnboundByEvents,
                        shown.span,
                        format!("no event binds the parameter `{}`", param.name),
                    )
                    .rule("an instance gets its parameters from the arguments of events")
                    .help(format!(
                        "name `{0}` in a label, as in `on e({0})`, or remove the parameter",
                        param.name
                    )),
                );
            }
        }
    }
}
