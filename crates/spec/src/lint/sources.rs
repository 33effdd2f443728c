//! Sources of events beside the methods and classes that exist.

use std::collections::BTreeSet;
use std::rc::Rc;

use watchword_model::{
    EventDecl, Glob, JvmSource, JvmTerm, MethodPattern, Model, Origin, ParamPattern, PointPattern,
    Source, TypePattern, internal_names,
};
use watchword_select::{Answer, KnownTypes, Ty, dotted, fits, is_type, takes};

use crate::classes::{Classes, Method};
use crate::diagnostic::{Code, Diagnostic, nearest};

/// Says which events no program point of the program can be; they are not possible. Several events
/// of one class or package that is missing are one diagnostic.
pub(super) fn check(
    model: &Model,
    classes: &Classes<'_>,
    possible: &mut [bool],
    found: &mut Vec<Diagnostic>,
) {
    let mut never: Vec<(&EventDecl, Missing)> = Vec::new();
    for (decl, possible) in model.events.iter().zip(possible) {
        // What labels of TOPL ask of methods is looked at label by label.
        if decl.program.is_some() {
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
        never.push((decl, missing.swap_remove(0)));
    }
    while !never.is_empty() {
        let absent = never[0].1.absent.clone();
        let (same, others): (Vec<_>, Vec<_>) = never
            .into_iter()
            .enumerate()
            .partition(|(at, (_, m))| *at == 0 || absent.is_some() && m.absent == absent);
        found.push(complaint(same.iter().map(|(_, (decl, missing))| (*decl, missing))));
        never = others.into_iter().map(|(_, one)| one).collect();
    }
}

/// What is said about events that lack the same.
fn complaint<'m>(mut events: impl Iterator<Item = (&'m EventDecl, &'m Missing)>) -> Diagnostic {
    let (first, Missing { what, help, .. }) = events.next().expect("a group has an event");
    let others: Vec<&EventDecl> = events.map(|(decl, _)| decl).collect();
    let message = match others.len() {
        0 => format!("the event `{}` can never happen: {what}", first.name),
        more => format!("the event `{}` and {more} more can never happen: {what}", first.name),
    };
    let diagnostic = Diagnostic::warning(Code::NeverMatches, first.span, message);
    let also = |diagnostic: Diagnostic, decl: &&EventDecl| {
        diagnostic.also(decl.span, "can never happen, either")
    };
    others.iter().fold(diagnostic, also).help_if(help.clone())
}

/// Types that no class file is of.
const PRIMITIVES: [&str; 8] =
    ["boolean", "byte", "char", "short", "int", "long", "float", "double"];

/// What a source names that is not there, and what may have been meant.
struct Missing {
    what: String,
    help: Option<String>,
    /// The class or package that does not exist, if that is the reason.
    absent: Option<String>,
}

impl Missing {
    /// Something about a method of a class that exists.
    fn method(what: String, help: Option<String>) -> Missing {
        Missing { what, help, absent: None }
    }
}

fn judge(
    decl: &EventDecl,
    source: &JvmSource,
    classes: &Classes<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<Missing> {
    let pattern = match &source.point.pattern {
        PointPattern::Method(pattern) => pattern,
        PointPattern::Type(ty) if !source.point.is_element() => return missing_class(ty, classes),
        _ => return None,
    };
    if pattern.negated || pattern.owner.negated {
        return None;
    }
    let types = KnownTypes::open(classes);
    let meant = methods(pattern, classes, &types);
    if meant.is_empty() {
        return missing_owner(&pattern.owner, classes).or_else(|| missing_method(pattern, classes));
    }
    let counts: BTreeSet<usize> = meant.iter().map(|m| m.parameters().len()).collect();
    let counted = |m: &Method| {
        pattern.params.as_ref().is_none_or(|params| takes(params, m.parameters().len()))
    };
    let fitting: Vec<&Method> = meant.iter().map(|m| &**m).filter(|m| counted(m)).collect();
    if fitting.is_empty() && is_inherited(pattern, classes, &types, &counted) {
        return None;
    }
    if fitting.is_empty() {
        let counts: Vec<String> = counts.iter().take(5).map(usize::to_string).collect();
        let what = format!("`{}` has other numbers of parameters", shown(pattern));
        return Some(Missing::method(what, Some(format!("it has {}", counts.join(" or ")))));
    }
    let typed = |m: &Method| {
        let given: Vec<Ty<'_>> = m.parameters().iter().map(|ty| Ty::of_source(ty)).collect();
        pattern.params.as_ref().is_none_or(|params| fits(params, &given, &types).may())
    };
    if !fitting.iter().any(|m| typed(m)) && !is_inherited(pattern, classes, &types, &typed) {
        return Some(missing_types(pattern, &fitting, classes));
    }
    let on_object = source.instances.iter().any(|i| i.term == JvmTerm::Receiver);
    if on_object && fitting.iter().all(|m| m.is_static) {
        let what = format!("`{}` is static, so that a call of it is on no object", shown(pattern));
        return Some(Missing::method(what, None));
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
            .help("remove `returns …`"),
        );
    }
    None
}

fn shown(pattern: &MethodPattern) -> String {
    let subtypes = if pattern.owner.subtypes { "+" } else { "" };
    format!("{}{subtypes}.{}", pattern.owner.name, pattern.name)
}

/// Whether a class of the library that is below the owner has such a method.
fn is_inherited(
    pattern: &MethodPattern,
    classes: &Classes<'_>,
    types: &KnownTypes<'_>,
    typed: &dyn Fn(&Method) -> bool,
) -> bool {
    let mut found = false;
    if pattern.owner.subtypes {
        classes.library_methods(&pattern.name, &mut |method| {
            found = found || typed(method) && is_meant(pattern, method, types);
        });
    }
    found
}

/// A type of a parameter that there is not, or what types there are.
fn missing_types(pattern: &MethodPattern, methods: &[&Method], classes: &Classes<'_>) -> Missing {
    for param in pattern.params.iter().flatten() {
        let ParamPattern::One(ty) = param else { continue };
        let name = ty.name.text().trim_end_matches("[]");
        if ty.name.is_literal() && !ty.negated && !PRIMITIVES.contains(&name) {
            let element = TypePattern { name: Glob::new(name), ..ty.clone() };
            if let Some(missing) = no_class(&element, classes) {
                return missing;
            }
        }
    }
    let mut lists: BTreeSet<String> = BTreeSet::new();
    for method in methods {
        let types: Vec<String> = method.parameters().iter().map(|ty| dotted(ty)).collect();
        lists.insert(format!("({})", types.join(", ")));
    }
    let lists: Vec<String> = lists.into_iter().take(3).collect();
    let what = format!("`{}` has parameters of other types", shown(pattern));
    Missing::method(what, Some(format!("it has {}", lists.join(" or "))))
}

/// The methods of that owner and name, whatever their parameters.
fn methods(
    pattern: &MethodPattern,
    classes: &Classes<'_>,
    types: &KnownTypes<'_>,
) -> Vec<Rc<Method>> {
    let owner = &pattern.owner;
    let meant = |method: &Method| is_meant(pattern, method, types);
    let by_name = Glob::new(&format!("{}.{}", owner.name, pattern.name));
    let mut methods = classes.methods(&[by_name]);
    methods.retain(|method| meant(method));
    if methods.is_empty() && owner.subtypes {
        classes.library_methods(&pattern.name, &mut |method| {
            if meant(method) {
                methods.push(method.clone());
            }
        });
    }
    methods
}

/// Whether a method is of that owner and name, whatever its parameters and annotations.
fn is_meant(pattern: &MethodPattern, method: &Method, types: &KnownTypes<'_>) -> bool {
    let Some((class, name)) = method.names.first().and_then(|n| n.rsplit_once('.')) else {
        return false;
    };
    if !pattern.name.matches(name) {
        return false;
    }
    let owner = TypePattern { annotations: Vec::new(), ..pattern.owner.clone() };
    is_type(&owner, Ty::of_class(&class.replace('.', "/")), types) == Answer::Yes
}

/// The class of a method, or the package of a pattern such as `a.b.*`, if it does not exist.
fn missing_owner(ty: &TypePattern, classes: &Classes<'_>) -> Option<Missing> {
    if ty.name.is_literal() {
        return no_class(ty, classes);
    }
    let text = ty.name.text();
    let fixed = &text[..text.find(['*', '?', '{', '[']).unwrap_or(text.len())];
    let (package, _) = fixed.rsplit_once('.')?;
    let all = classes.all_names();
    let is_below = |name: &String| name.strip_prefix(package).is_some_and(|n| n.starts_with('.'));
    if all.iter().any(is_below) {
        return None;
    }
    let packages: BTreeSet<&str> =
        all.iter().filter_map(|name| Some(name.rsplit_once('.')?.0)).collect();
    let near = nearest(package, packages);
    Some(Missing {
        what: format!("there is no package `{package}`"),
        help: Some(near.map_or(not_given("package"), |n| format!("did you mean `{n}`?"))),
        absent: Some(package.to_string()),
    })
}

/// What to do if a name is written as it should be.
pub(super) fn not_given(what: &str) -> String {
    format!("correct the name, or add the jar or folder that has the {what} to `--cp`")
}

fn missing_class(ty: &TypePattern, classes: &Classes<'_>) -> Option<Missing> {
    let name = ty.name.text();
    let checked = ty.name.is_literal() && !ty.negated && name.contains('.') && !name.ends_with(']');
    if checked { no_class(ty, classes) } else { None }
}

/// What is to be said about a class that there is not.
fn no_class(ty: &TypePattern, classes: &Classes<'_>) -> Option<Missing> {
    let name = ty.name.text();
    if classes.has_class(name) {
        return None;
    }
    let all = classes.all_names();
    let simple = name.rsplit('.').next().unwrap_or(name);
    let same: Vec<&str> =
        all.iter().map(String::as_str).filter(|n| n.rsplit('.').next() == Some(simple)).collect();
    let near = nearest(name, same.iter().copied())
        .or_else(|| nearest(name, all.iter().map(String::as_str)))
        .or_else(|| same.iter().copied().min_by_key(|name| usual(name)));
    let help = match near {
        // A folder in the middle of a package: its classes have other names than their files.
        Some(near) if !near.contains('.') && name.contains('.') => {
            format!("`--cp` has a file for a class `{near}`; give the folder above the package")
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => not_given("class"),
    };
    Some(Missing {
        what: format!("there is no class `{name}`"),
        help: Some(help),
        absent: Some(name.to_string()),
    })
}

/// Orders classes with the same simple name by their likelihood.
fn usual(name: &str) -> (bool, bool, usize, &str) {
    (!name.starts_with("java.lang."), !name.starts_with("java.util."), name.len(), name)
}

fn missing_method(pattern: &MethodPattern, classes: &Classes<'_>) -> Option<Missing> {
    let mut near = None;
    if pattern.owner.name.is_literal() && pattern.name.is_literal() {
        let owner = pattern.owner.name.text();
        let own: Vec<Rc<Method>> = internal_names(owner)
            .flat_map(|internal| classes.methods_of(&internal).to_vec())
            .collect();
        let names: Vec<&str> =
            own.iter().filter_map(|m| m.names.first()?.rsplit('.').next()).collect();
        near = nearest(pattern.name.text(), names).map(str::to_string);
    }
    let what = format!("there is no method `{}`", shown(pattern));
    Some(Missing::method(what, near.map(|n| format!("did you mean `{n}`?"))))
}
