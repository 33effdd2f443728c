//! Methods and fields that properties name and classes do not have.

use watchword_model::{
    EventId, Glob, JoinPoint, Model, Origin, PointPattern, Property, Source, TypePattern,
    internal_names,
};

use watchword_select::Hierarchy;

/// Finds the nearest to a name among others.
pub type Near<'n> = &'n dyn Fn(&str, &[String]) -> Option<String>;

/// What to tell about a property that has sites, but an event of which has none and names a method
/// or a field that does not exist: part of it is blind.
pub fn mistaken(
    model: &Model,
    property: &Property,
    has_sites: &dyn Fn(EventId) -> bool,
    seen: &dyn Hierarchy,
    near: Near<'_>,
) -> Option<String> {
    let mut texts = Vec::new();
    for observed in property.alphabet.iter().filter(|o| !has_sites(o.event)) {
        let decl = &model.events[observed.event.index()];
        let Origin::World(sources) = &decl.origin else { continue };
        let missing = |source: &Source| match source {
            Source::Jvm(jvm) => self::missing(&jvm.point, seen, near),
            _ => None,
        };
        let missing: Vec<String> = sources.iter().filter_map(missing).collect();
        if missing.len() == sources.len() {
            texts.extend(missing.into_iter().map(|why| format!("`{}`: {why}", decl.name)));
        }
    }
    (!texts.is_empty()).then(|| format!("{}: {}", property.name, texts.join("; ")))
}

/// The class a selector names, if it names one.
pub fn owner(point: &JoinPoint) -> Option<&str> {
    literal(named(point)?.0)
}

/// The type a selector names, and the member of it, with whether that is a method.
fn named(point: &JoinPoint) -> Option<(&TypePattern, Option<(&Glob, bool)>)> {
    Some(match &point.pattern {
        PointPattern::Method(method) => (&method.owner, Some((&method.name, true))),
        PointPattern::Field(field) => (&field.owner, Some((&field.name, false))),
        PointPattern::Type(ty) if !point.is_element() => (ty, None),
        _ => return None,
    })
}

/// That a class which exists has no such member.
pub fn missing(point: &JoinPoint, seen: &dyn Hierarchy, near: Near<'_>) -> Option<String> {
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
    if let Some(near) = near(member.text(), &names) {
        text.push_str(&format!(", did you mean {near}?"));
    }
    Some(text)
}

fn literal(pattern: &TypePattern) -> Option<&str> {
    (pattern.name.is_literal() && !pattern.negated).then(|| pattern.name.text())
}
