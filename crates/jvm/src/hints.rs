//! Why nothing happened: what a property wanted, and the nearest there is.

use watchword_model::{JoinPoint, Model, Origin, Property, Source, TypePattern, internal_names};
use watchword_spec::diagnostic::nearest;
use watchword_weave::{Hierarchy, dotted};

use crate::classes::Classes;

/// What to tell about a property none of whose events has a site.
pub fn no_site(
    model: &Model,
    property: &Property,
    classes: &Classes,
    seen: &dyn Hierarchy,
) -> String {
    let mut text = format!("{}: no program point that it watches was loaded", property.name);
    for observed in &property.alphabet {
        let decl = &model.events[observed.event.index()];
        let Origin::World(sources) = &decl.origin else { continue };
        let points: Vec<&JoinPoint> = sources
            .iter()
            .filter_map(|source| match source {
                Source::Jvm(jvm) => Some(&jvm.point),
                _ => None,
            })
            .collect();
        if points.is_empty() {
            text.push_str(&format!("; `{}` does not come from a JVM", decl.name));
        }
        for point in points {
            if let Some(why) = why(point, classes, seen) {
                text.push_str(&format!("; `{}`: {why}", decl.name));
            }
        }
    }
    text
}

/// What to tell about a property whose sites were never reached.
pub fn no_event(property: &Property, sites: u64) -> String {
    let sites = if sites == 1 {
        "its site was".to_string()
    } else {
        format!("none of its {sites} sites was")
    };
    let not = if sites.starts_with("its") { " not" } else { "" };
    format!("{}: {sites}{not} reached", property.name)
}

/// What is wrong with a selector, if its names tell.
fn why(point: &JoinPoint, classes: &Classes, seen: &dyn Hierarchy) -> Option<String> {
    let (owner, member) = match point {
        JoinPoint::Call(method) | JoinPoint::Execution(method) => {
            (&method.owner, Some((&method.name, true)))
        }
        JoinPoint::Get(field) | JoinPoint::Set(field) => (&field.owner, Some((&field.name, false))),
        JoinPoint::New(ty)
        | JoinPoint::Cast(ty)
        | JoinPoint::Lock(ty)
        | JoinPoint::Unlock(ty)
        | JoinPoint::Handler(ty)
        | JoinPoint::ClassInit(ty)
        | JoinPoint::ThreadStart(ty) => (ty, None),
        _ => return None,
    };
    let name = literal(owner)?;
    let Some(facts) = internal_names(name).find_map(|n| seen.class(&n)) else {
        let mut text = format!("there is no class {name}");
        if let Some(near) = nearest_class(name, classes) {
            text.push_str(&format!(", did you mean {near}?"));
        }
        return Some(text);
    };
    let (member, is_method) = member?;
    if !member.is_literal() {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    let mut work = vec![facts];
    while let Some(facts) = work.pop() {
        let members = if is_method { &facts.methods } else { &facts.fields };
        if members.iter().any(|m| m.name == member.text()) {
            return None;
        }
        names.extend(members.iter().map(|m| m.name.clone()));
        work.extend(facts.supertypes().filter_map(|above| seen.class(above)));
        if names.len() > 10_000 {
            break;
        }
    }
    let kind = if is_method { "method" } else { "field" };
    let mut text = format!("{name} has no {kind} {}", member.text());
    if let Some(near) = nearest(member.text(), names.iter().map(String::as_str)) {
        text.push_str(&format!(", did you mean {near}?"));
    }
    Some(text)
}

fn literal(pattern: &TypePattern) -> Option<&str> {
    (pattern.name.is_literal() && !pattern.negated).then(|| pattern.name.text())
}

/// A class of nearly that name, or of that simple name in another package.
fn nearest_class(name: &str, classes: &Classes) -> Option<String> {
    let names: Vec<String> = classes.names().iter().map(|n| dotted(n)).collect();
    let simple = |name: &str| name.rsplit('.').next().unwrap_or(name).to_string();
    nearest(name, names.iter().map(String::as_str))
        .map(str::to_string)
        .or_else(|| names.iter().filter(|n| simple(n) == simple(name)).min().cloned())
}
