//! Why nothing happened: what a property wanted, and the nearest there is.

use watchword_model::{
    EventId, JoinPoint, Model, Origin, Property, Source, internal_names, nearest,
};
use watchword_weave::{Hierarchy, dotted, members};

use crate::classes::Classes;

/// What to tell about a property of which nothing was loaded.
pub fn not_loaded(property: &Property) -> String {
    format!("{}: no loaded class contains one of its program points", property.name)
}

/// The same for a property whose names may be wrong.
pub fn no_site(
    model: &Model,
    property: &Property,
    classes: &Classes,
    seen: &dyn Hierarchy,
) -> String {
    let mut text = not_loaded(property);
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
    match sites {
        1 => format!("{}: its site was not reached", property.name),
        sites => format!("{}: none of its {sites} sites was reached", property.name),
    }
}

/// The same as [`members::mistaken`], in words.
pub fn mistaken(
    model: &Model,
    property: &Property,
    has_sites: &dyn Fn(EventId) -> bool,
    seen: &dyn Hierarchy,
) -> Option<String> {
    members::mistaken(model, property, has_sites, seen, &near)
}

fn near(name: &str, names: &[String]) -> Option<String> {
    nearest(name, names.iter().map(String::as_str)).map(str::to_string)
}

/// What is wrong with a selector, if its names tell.
fn why(point: &JoinPoint, classes: &Classes, seen: &dyn Hierarchy) -> Option<String> {
    let name = members::owner(point)?;
    if internal_names(name).any(|n| seen.class(&n).is_some()) {
        return members::missing(point, seen, &near);
    }
    let mut text = format!("there is no class {name}");
    if let Some(near) = nearest_class(name, classes) {
        text.push_str(&format!(", did you mean {near}?"));
    }
    Some(text)
}

/// A class of nearly that name, or of that simple name in another package.
fn nearest_class(name: &str, classes: &Classes) -> Option<String> {
    let names: Vec<String> = classes.names().iter().map(|n| dotted(n)).collect();
    let simple = |name: &str| name.rsplit('.').next().unwrap_or(name).to_string();
    nearest(name, names.iter().map(String::as_str))
        .map(str::to_string)
        .or_else(|| names.iter().filter(|n| simple(n) == simple(name)).min().cloned())
}
