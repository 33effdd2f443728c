//! Which types the objects that events talk about have.

use std::collections::BTreeSet;
use std::sync::Arc;

use watchword_model::{
    Expr, JvmTerm, MethodPattern, Model, PointKind, PointPattern, TypePattern, Value,
    internal_names,
};
use watchword_select::{Hierarchy, KnownTypes, Types, expand};

use crate::selectors::Selectors;
use crate::target::Target;

/// Internal names of the types whose objects can be operands.
pub fn types(model: &Model, selectors: &Selectors, hierarchy: &dyn Hierarchy) -> Vec<String> {
    let world = KnownTypes::new(hierarchy, Arc::default());
    let mut found = BTreeSet::new();
    for selector in &selectors.all {
        if selector.letter.is_some() {
            for id in &selectors.observers[selector.event.index()] {
                let property = &model.properties[id.index()];
                let filter = property.observes(selector.event).and_then(|o| o.filter.as_ref());
                let of_windows = property.windows.iter().map(|w| &w.label);
                let guards = property.transitions.iter().flat_map(|t| &t.labels).chain(of_windows);
                let guards = guards.filter_map(|label| label.guard.as_ref());
                for expr in filter.into_iter().chain(guards) {
                    letters(expr, &world, &mut found);
                }
            }
            continue;
        }
        let uses =
            |wanted: &JvmTerm| selector.captures.iter().any(|(_, term)| term.root() == wanted);
        match &selector.point.pattern {
            PointPattern::Method(pattern) => {
                if uses(&JvmTerm::Receiver) {
                    add(&pattern.owner, &mut found);
                }
                signatures(pattern, &world, &mut |target| {
                    if uses(&JvmTerm::Result) {
                        add_descriptor(&target.result, &mut found);
                    }
                    for (i, param) in target.params.iter().enumerate() {
                        if uses(&JvmTerm::Arg(i as u32)) {
                            add_descriptor(param, &mut found);
                        }
                    }
                });
            }
            PointPattern::Field(field) => add(&field.owner, &mut found),
            // These bind no object of the type.
            PointPattern::Type(_) if selector.point.is_element() => {}
            PointPattern::Type(_) if selector.point.kind == PointKind::ClassInit => {}
            PointPattern::Type(ty) => add(ty, &mut found),
            PointPattern::Mnemonic(_) | PointPattern::All => {}
        }
    }
    found.into_iter().collect()
}

fn add(pattern: &TypePattern, found: &mut BTreeSet<String>) {
    if !pattern.negated {
        for name in expand(pattern.name.text()) {
            if !name.contains(['*', '?', '[']) {
                found.extend(internal_names(&name));
            }
        }
    }
}

fn add_descriptor(descriptor: &str, found: &mut BTreeSet<String>) {
    if let Some(name) = descriptor.strip_prefix('L').and_then(|n| n.strip_suffix(';')) {
        found.insert(name.to_string());
    }
}

/// The signatures of the methods that a pattern with a plain owner names.
fn signatures(pattern: &MethodPattern, world: &KnownTypes<'_>, visit: &mut dyn FnMut(&Target)) {
    if pattern.negated || pattern.owner.negated {
        return;
    }
    for owner in expand(pattern.owner.name.text()) {
        if owner.contains(['*', '?']) {
            continue;
        }
        for class in world.supertypes(&world.class_named(&owner)).iter() {
            let Some(facts) = world.class(class) else { continue };
            for method in facts.methods.iter().filter(|m| pattern.name.matches(&m.name)) {
                if let Some(target) = Target::new(class, &method.name, &method.descriptor, true) {
                    visit(&target);
                }
            }
        }
    }
}

/// The types behind the method names that a condition on names asks for.
fn letters(expr: &Expr, world: &KnownTypes<'_>, found: &mut BTreeSet<String>) {
    match expr {
        Expr::And(a, b) | Expr::Or(a, b) => {
            letters(a, world, found);
            letters(b, world, found);
        }
        Expr::Builtin(watchword_model::Builtin::Matches, args) => {
            let [_, Expr::Const(Value::Str(glob))] = &args[..] else { return };
            for name in expand(glob) {
                let Some((dotted, method)) = name.rsplit_once('.') else { continue };
                if dotted.contains(['*', '?']) {
                    continue;
                }
                let owner = world.class_named(dotted);
                let pattern = watchword_model::Glob::new(method);
                for class in world.supertypes(&owner).iter() {
                    let Some(facts) = world.class(class) else { continue };
                    for m in facts.methods.iter().filter(|m| pattern.matches(&m.name)) {
                        let Some(target) = Target::new(class, &m.name, &m.descriptor, true) else {
                            continue;
                        };
                        add_descriptor(&target.result, found);
                        target.params.iter().for_each(|param| add_descriptor(param, found));
                    }
                }
                found.extend(internal_names(dotted));
            }
        }
        _ => {}
    }
}
