//! Properties whose instances multiply: every user with every file, though no event names the pair.

use watchword_model::Creation;
use watchword_plan::{Plan, Shape};

use super::Facts;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    let may_join = |property: &&watchword_model::Property| {
        let context = &model.contexts[property.context.index()];
        let is_sliced = matches!(context.rule, Creation::ChenRosu { .. });
        is_sliced && context.params.len() > 1 && !property.is_proven()
    };
    if !model.properties.iter().any(|property| may_join(&property)) {
        return;
    }
    for (_, shape) in &Plan::new(model.clone()).shapes {
        let Shape::ChenRosu(id, slices) = shape else { continue };
        let Some(why) = slices.product else { continue };
        let property = &model.properties[id.index()];
        found.push(
            Diagnostic::warning(
                Code::Product,
                property.span,
                format!("instances of property `{}` multiply", property.name),
            )
            .rule(format!(
                "an event makes one with every other instance that it shares no parameter with: they \
                 cannot be made later, because {why}"
            ))
            .help(
                "let one event bind all parameters before the others, `creation EVENT`; or write a \
                 property for each part",
            ),
        );
    }
}
