//! A scenario beside the properties it is about.

use watchword_model::Model;
use watchword_spec::Diagnostic;
use watchword_spec::diagnostic::Code;

use crate::tree::{ExprKind, GIVEN, Name, Scenario, States, each_expr};

/// What the scenario says of properties, states and parameters that do not exist. Errors: a
/// reaction to nothing never runs, and nobody would notice.
pub fn check(scenario: &Scenario, model: &Model) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    for reaction in &scenario.reactions {
        let mut properties: Vec<_> = model.properties.iter().collect();
        if let Some(name) = &reaction.property {
            properties.retain(|p| p.name == name.text);
            if properties.is_empty() {
                let names = model.properties.iter().map(|p| p.name.as_str());
                said.push(unknown("property", name, names));
                continue;
            }
        }
        if let States::Named(state) = &reaction.states
            && !properties.iter().any(|p| p.state(&state.text).is_some())
        {
            let names = properties.iter().flat_map(|p| p.states.iter().map(|s| s.name.as_str()));
            said.push(unknown("state", state, names));
            continue;
        }
        let params: Vec<String> = properties
            .iter()
            .flat_map(|p| model.params(p.context))
            .map(|(_, param)| param.name.clone())
            .collect();
        each_expr(&reaction.body, &mut |expr| {
            let ExprKind::Name(name) = &expr.kind else { return };
            let known = scenario.variables.iter().any(|(n, _)| n == name)
                || GIVEN.contains(&name.as_str())
                || params.contains(name);
            if !known {
                let message = format!(
                    "`{name}` is neither a variable of the scenario nor a parameter of the property"
                );
                said.push(Diagnostic::error(Code::ScenarioName, expr.span, message));
            }
        });
    }
    said
}

fn unknown<'a>(what: &str, name: &Name, names: impl Iterator<Item = &'a str>) -> Diagnostic {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let list: Vec<String> = names.iter().take(12).map(|n| format!("`{n}`")).collect();
    let message = format!("there is no {what} `{}`", name.text);
    Diagnostic::error(Code::ScenarioState, name.span, message)
        .rule(format!("known here: {}", list.join(", ")))
}
