//! Sources of events beside the methods and classes that exist.

use std::collections::BTreeSet;

use watchword_model::{
    EventDecl, Glob, JoinPoint, JvmSource, JvmTerm, MethodPattern, Model, Origin, ParamPattern,
    Source, TypePattern, internal_names,
};

use crate::classes::{Classes, Method};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::events::ProgramEvent;

/// Says which events no program point of the program can be; they are not possible.
pub(super) fn check(
    model: &Model,
    classes: &Classes<'_>,
    possible: &mut [bool],
    found: &mut Vec<Diagnostic>,
) {
    for (decl, possible) in model.events.iter().zip(possible) {
        // What labels of TOPL ask of methods is looked at label by label.
        if ProgramEvent::of(decl).is_some() {
            continue;
        }
        let Origin::World(sources) = &decl.origin else { continue };
        let mut missing = Vec::new();
        for source in sources {
            let Source::Jvm(source) = source else { continue };
            missing.extend(judge(decl, source, classes, found));
        }
        if missing.len() < sources.len() || !classes.is_complete() || missing.is_empty() {
            continue;
        }
        *possible = false;
        let Missing { what, help } = missing.swap_remove(0);
        found.push(
            Diagnostic::warning(
                Code::NeverMatches,
                decl.span,
                format!("the event `{}` can never happen: {what}", decl.name),
            )
            .help_if(help),
        );
    }
}

/// What a source names that is not there, and what may have been meant.
struct Missing {
    what: String,
    help: Option<String>,
}

fn judge(
    decl: &EventDecl,
    source: &JvmSource,
    classes: &Classes<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<Missing> {
    let pattern = match &source.point {
        JoinPoint::Call(pattern) | JoinPoint::Execution(pattern) => pattern,
        JoinPoint::New(ty)
        | JoinPoint::Cast(ty)
        | JoinPoint::Lock(ty)
        | JoinPoint::Unlock(ty)
        | JoinPoint::Handler(ty)
        | JoinPoint::ClassInit(ty)
        | JoinPoint::ThreadStart(ty) => return missing_class(ty, classes),
        _ => return None,
    };
    if pattern.negated || pattern.owner.negated {
        return None;
    }
    let meant = methods(pattern, classes);
    if meant.is_empty() {
        return missing_class(&pattern.owner, classes).or_else(|| missing_method(pattern, classes));
    }
    let counts: BTreeSet<usize> = meant.iter().map(|m| m.parameters().len()).collect();
    let fitting: Vec<&Method> =
        meant.iter().filter(|m| takes(pattern, m.parameters().len())).collect();
    if fitting.is_empty() {
        let counts: Vec<String> = counts.iter().take(5).map(usize::to_string).collect();
        let what = format!("`{}` has other numbers of parameters", shown(pattern));
        return Some(Missing { what, help: Some(format!("it has {}", counts.join(" or "))) });
    }
    let looks = source.captures.iter().any(|c| c.term == JvmTerm::Result);
    if looks && fitting.iter().all(|m| m.is_void) {
        found.push(
            Diagnostic::error(
                Code::ToplVoid,
                decl.span,
                format!("`{}` returns nothing", shown(pattern)),
            )
            .rule("the result of a `void` method cannot be looked at")
            .help("leave `returns …` out"),
        );
    }
    None
}

fn shown(pattern: &MethodPattern) -> String {
    let subtypes = if pattern.owner.subtypes { "+" } else { "" };
    format!("{}{subtypes}.{}", pattern.owner.name, pattern.name)
}

/// Whether a pattern takes methods with so many parameters.
fn takes(pattern: &MethodPattern, count: usize) -> bool {
    let Some(params) = &pattern.params else { return true };
    let named = params.iter().filter(|p| matches!(p, ParamPattern::One(_))).count();
    let rest = named < params.len();
    if rest { named <= count } else { named == count }
}

/// The methods of that owner and name, whatever their parameters.
fn methods(pattern: &MethodPattern, classes: &Classes<'_>) -> Vec<Method> {
    let owner = &pattern.owner;
    let owned = |class: &str| {
        owner.names(class)
            || (owner.subtypes
                && classes
                    .with_supertypes(&class.replace('.', "/"))
                    .iter()
                    .any(|name| owner.names(name)))
    };
    let meant = |method: &Method| {
        let Some((class, name)) = method.names.first().and_then(|n| n.rsplit_once('.')) else {
            return false;
        };
        pattern.name.matches(name) && owned(class)
    };
    let by_name = Glob::new(&format!("{}.{}", owner.name, pattern.name));
    let mut methods = classes.methods(&[by_name]);
    methods.retain(meant);
    if methods.is_empty() && owner.subtypes {
        classes.library_methods(&pattern.name, &mut |method| {
            if meant(&method) {
                methods.push(method);
            }
        });
    }
    methods
}

fn missing_class(ty: &TypePattern, classes: &Classes<'_>) -> Option<Missing> {
    let name = ty.name.text();
    let checked = ty.name.is_literal() && !ty.negated && name.contains('.') && !name.ends_with(']');
    if !checked || classes.has_class(name) {
        return None;
    }
    let all = classes.all_names();
    let simple = name.rsplit('.').next().unwrap_or(name);
    let same: Vec<&str> =
        all.iter().map(String::as_str).filter(|n| n.rsplit('.').next() == Some(simple)).collect();
    let near = nearest(name, same.iter().copied())
        .or_else(|| nearest(name, all.iter().map(String::as_str)))
        .or_else(|| same.first().copied());
    Some(Missing {
        what: format!("there is no class `{name}`"),
        help: near.map(|n| format!("did you mean `{n}`?")),
    })
}

fn missing_method(pattern: &MethodPattern, classes: &Classes<'_>) -> Option<Missing> {
    let mut near = None;
    if pattern.owner.name.is_literal() && pattern.name.is_literal() {
        let owner = pattern.owner.name.text();
        let mut own = Vec::new();
        for internal in internal_names(owner) {
            classes.methods_of(&internal, &mut own);
        }
        let names: Vec<&str> =
            own.iter().filter_map(|m| m.names.first()?.rsplit('.').next()).collect();
        near = nearest(pattern.name.text(), names).map(str::to_string);
    }
    Some(Missing {
        what: format!("there is no method `{}`", shown(pattern)),
        help: near.map(|n| format!("did you mean `{n}`?")),
    })
}
