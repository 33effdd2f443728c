//! Why nothing happened: what a property wanted, and the nearest there is.

use watchword_model::{
    EventId, Glob, JoinPoint, Model, Origin, Property, Source, TypePattern, internal_names,
};
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

/// What to tell about a property that has sites, but an event of which has none and names a method
/// or a field that does not exist: part of it is blind.
pub fn mistaken(
    model: &Model,
    property: &Property,
    has_sites: &dyn Fn(EventId) -> bool,
    seen: &dyn Hierarchy,
) -> Option<String> {
    let mut texts = Vec::new();
    for observed in property.alphabet.iter().filter(|o| !has_sites(o.event)) {
        let decl = &model.events[observed.event.index()];
        let Origin::World(sources) = &decl.origin else { continue };
        let missing = |source: &Source| match source {
            Source::Jvm(jvm) => missing_member(&jvm.point, seen),
            _ => None,
        };
        let missing: Vec<String> = sources.iter().filter_map(missing).collect();
        if missing.len() == sources.len() {
            texts.extend(missing.into_iter().map(|why| format!("`{}`: {why}", decl.name)));
        }
    }
    (!texts.is_empty()).then(|| format!("{}: {}", property.name, texts.join("; ")))
}

/// What is wrong with a selector, if its names tell.
fn why(point: &JoinPoint, classes: &Classes, seen: &dyn Hierarchy) -> Option<String> {
    let name = literal(named(point)?.0)?;
    if internal_names(name).any(|n| seen.class(&n).is_some()) {
        return missing_member(point, seen);
    }
    let mut text = format!("there is no class {name}");
    if let Some(near) = nearest_class(name, classes) {
        text.push_str(&format!(", did you mean {near}?"));
    }
    Some(text)
}

/// The type a selector names, and the member of it, with whether that is a method.
fn named(point: &JoinPoint) -> Option<(&TypePattern, Option<(&Glob, bool)>)> {
    Some(match point {
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
    })
}

/// That a class which exists has no such member.
fn missing_member(point: &JoinPoint, seen: &dyn Hierarchy) -> Option<String> {
    let (owner, member) = named(point)?;
    let (member, is_method) = member?;
    let name = literal(owner)?;
    let facts = internal_names(name).find_map(|n| seen.class(&n))?;
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
