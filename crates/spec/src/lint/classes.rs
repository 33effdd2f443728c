//! Labels beside the methods that exist.
//!
//! What labels ask of a method — its name, the number of its arguments, its annotations and types —
//! is tried on every method they could mean. Conditions on values are taken to hold.

use std::collections::BTreeSet;
use std::rc::Rc;

use watchword_classfile::access;
use watchword_model::{
    Builtin, EventId, Expr, Glob, Label, Model, Pattern, Place, ProgramEvent, Property, Span,
    UnaryOp, Value,
};

use super::sources::not_given;
use crate::classes::{Classes, Method};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::events::declaration;
use crate::topl::names::expand_shown;

/// Labels no existing method matches.
#[derive(Default)]
pub(super) struct Dead {
    labels: BTreeSet<(u32, u32, u32, u32)>,
    /// Whether all methods are known, so that no label matches by a name alone.
    decides: bool,
    said: BTreeSet<(u32, u32, u32)>,
}

fn place(span: Span) -> (u32, u32, u32) {
    (span.file.0, span.start, span.end)
}

impl Dead {
    /// Whether no existing method makes this event match the label.
    pub(super) fn has(&self, label: &Label, event: EventId) -> bool {
        let (file, start, end) = place(label.span);
        self.labels.contains(&(file, start, end, event.0))
    }

    /// Whether what labels ask of methods has been decided here.
    pub(super) fn decides(&self) -> bool {
        self.decides
    }

    /// Whether something was said about the label.
    pub(super) fn is_said(&self, label: &Label) -> bool {
        self.said.contains(&place(label.span))
    }

    fn add(&mut self, label: &Label, event: EventId) {
        let (file, start, end) = place(label.span);
        self.labels.insert((file, start, end, event.0));
    }
}

/// Says which labels mean methods that do not exist.
pub(super) fn check(model: &Model, classes: &Classes<'_>, found: &mut Vec<Diagnostic>) -> Dead {
    let mut dead = Dead { decides: classes.is_complete(), ..Dead::default() };
    for property in &model.properties {
        check_property(model, property, classes, &mut dead, found);
    }
    dead
}

/// What is wrong with a label, from what it lacks most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lacks {
    /// No method is called so, or is of such types.
    Method,
    /// They have other numbers of arguments.
    Arguments,
    /// They are not observed.
    Observed,
    Nothing,
}

fn check_property(
    model: &Model,
    property: &Property,
    classes: &Classes<'_>,
    dead: &mut Dead,
    found: &mut Vec<Diagnostic>,
) {
    let events: Vec<(EventId, ProgramEvent, Option<&Expr>)> = property
        .alphabet
        .iter()
        .filter_map(|observed| {
            let decl = &model.events[observed.event.index()];
            let kind = decl.program.filter(|k| *k != ProgramEvent::ArrayWrite)?;
            Some((observed.event, kind, observed.filter.as_ref()))
        })
        .collect();
    if events.is_empty() {
        return;
    }
    let labels = || property.transitions.iter().flat_map(|t| &t.labels);
    let conditions = || {
        let filters = events.iter().filter_map(|(_, _, filter)| *filter);
        filters.chain(labels().filter_map(|l| l.guard.as_ref()))
    };
    let mut patterns = Vec::new();
    for condition in conditions() {
        super::walk::expr(condition, &mut |e| {
            if let Some(glob) = name_pattern(e) {
                let glob = Glob::new(glob);
                if !patterns.contains(&glob) {
                    patterns.push(glob);
                }
            }
        });
    }
    let methods = classes.methods(&patterns);

    let mut worst: Vec<(&Label, Lacks)> = Vec::new();
    for label in labels() {
        let mut best = None;
        for (event, kind, filter) in &events {
            if label.event.is_some_and(|e| e != *event) {
                continue;
            }
            let (lacks, all_void) = judge(label, *kind, *filter, &methods, classes);
            if lacks != Lacks::Nothing && classes.is_complete() {
                dead.add(label, *event);
            }
            let looks = *kind == ProgramEvent::Return
                && label.args.get(1).is_some_and(|p| !matches!(p, Pattern::Any));
            if looks && lacks == Lacks::Nothing && all_void {
                found.push(
                    Diagnostic::error(
                        Code::ToplVoid,
                        label.span,
                        format!("{} returns nothing", named(label)),
                    )
                    .rule("the result of a `void` method cannot be looked at")
                    .help("remove the result"),
                );
            }
            best = best.max(Some(lacks));
        }
        if let Some(lacks) = best {
            worst.push((label, lacks));
        }
    }
    if !classes.is_complete() {
        return;
    }
    // A label that was written once may have become several.
    for (label, _) in &worst {
        let same = worst.iter().filter(|(l, _)| place(l.span) == place(label.span));
        let lacks = same.map(|(_, lacks)| *lacks).max().unwrap_or(Lacks::Nothing);
        if lacks == Lacks::Nothing || !dead.said.insert(place(label.span)) {
            continue;
        }
        found.push(complaint(label, lacks, classes, &methods));
    }
}

/// What a label lacks to match an event of this kind; and, if nothing, whether every method it
/// matches returns nothing.
fn judge(
    label: &Label,
    kind: ProgramEvent,
    filter: Option<&Expr>,
    methods: &[Rc<Method>],
    classes: &Classes<'_>,
) -> (Lacks, bool) {
    let mut lacks = Lacks::Method;
    let mut all_void = true;
    let fixed = declaration(kind).params.len();
    for method in methods {
        let name_fits = match label.args.first() {
            Some(Pattern::Const(Value::Str(name))) => method.names.iter().any(|n| *n == **name),
            _ => true,
        };
        let guard = label.guard.as_ref().and_then(|g| decide(g, kind, method, classes));
        if !name_fits || guard == Some(false) {
            continue;
        }
        lacks = lacks.max(Lacks::Arguments);
        let given =
            fixed + if kind == ProgramEvent::Done { method.values } else { method.arguments };
        if !label.arity.admits(given) {
            continue;
        }
        lacks = lacks.max(Lacks::Observed);
        if filter.and_then(|f| decide(f, kind, method, classes)) == Some(false) {
            continue;
        }
        lacks = Lacks::Nothing;
        all_void &= method.is_void;
    }
    (lacks, all_void)
}

/// Whether a condition holds for a method, as far as the method decides it.
fn decide(expr: &Expr, kind: ProgramEvent, method: &Method, classes: &Classes<'_>) -> Option<bool> {
    let decide = |expr: &Expr| decide(expr, kind, method, classes);
    match expr {
        Expr::Const(Value::Bool(truth)) => Some(*truth),
        Expr::Unary(UnaryOp::Not, inner) => decide(inner).map(|truth| !truth),
        // The first condition is the name, and most methods stop there.
        Expr::And(a, b) => match decide(a) {
            Some(false) => Some(false),
            first => match (first, decide(b)) {
                (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
        },
        Expr::Or(a, b) => match (decide(a), decide(b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        Expr::Builtin(Builtin::Matches, args) => {
            let [subject, Expr::Const(Value::Str(glob))] = args.as_slice() else { return None };
            let names: &[String] = match subject {
                // `done` goes by the static type alone.
                Expr::Read(Place::Arg(0)) if kind == ProgramEvent::Done => &method.names[..1],
                Expr::Read(Place::Arg(0)) => &method.names,
                Expr::Read(Place::Arg(1)) if kind == ProgramEvent::Done => &method.annotations,
                Expr::Builtin(Builtin::Get, of) if kind == ProgramEvent::Done => {
                    let [Expr::Read(Place::Arg(2)), Expr::Const(Value::Int(at))] = of.as_slice()
                    else {
                        return None;
                    };
                    match usize::try_from(*at).ok().and_then(|at| method.types.get(at)) {
                        Some(ty) => {
                            let supertypes = classes.with_supertypes(ty);
                            // What is passed may be of a subtype.
                            let glob = Glob::new(glob);
                            let declared = supertypes.iter().any(|n| glob.matches(n));
                            return (declared || is_exact(ty, classes)).then_some(declared);
                        }
                        // There is no such value, so the condition is not relevant.
                        None => return Some(false),
                    }
                }
                _ => return None,
            };
            let glob = Glob::new(glob);
            Some(names.iter().any(|n| glob.matches(n)))
        }
        _ => None,
    }
}

/// Whether values of a type are always of exactly that type: it is primitive, or a final class.
fn is_exact(ty: &str, classes: &Classes<'_>) -> bool {
    let types = ["boolean", "byte", "char", "short", "int", "long", "float", "double", "void"];
    let facts = || watchword_select::Hierarchy::class(classes, ty);
    types.contains(&ty) || facts().is_some_and(|c| c.access & access::FINAL != 0)
}

/// The pattern of names, if that is what a condition is.
fn name_pattern(expr: &Expr) -> Option<&str> {
    let Expr::Builtin(Builtin::Matches, args) = expr else { return None };
    match args.as_slice() {
        [Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(glob))] => Some(glob),
        _ => None,
    }
}

/// The pattern of names a label asks for.
fn pattern_of(label: &Label) -> Option<String> {
    if let Some(Pattern::Const(Value::Str(name))) = label.args.first() {
        return Some(name.to_string());
    }
    let mut found = None;
    if let Some(guard) = &label.guard {
        super::emptiness::conjuncts(guard, &mut |part| {
            found = found.take().or(name_pattern(part).map(str::to_string));
        });
    }
    found
}

fn named(label: &Label) -> String {
    match pattern_of(label) {
        Some(glob) => {
            let names = expand_shown(&glob);
            let longest = names.into_iter().max_by_key(String::len).unwrap_or(glob);
            format!("`{longest}`")
        }
        None => "this method".to_string(),
    }
}

fn complaint(
    label: &Label,
    lacks: Lacks,
    classes: &Classes<'_>,
    methods: &[Rc<Method>],
) -> Diagnostic {
    let name = named(label);
    let (message, help) = match lacks {
        Lacks::Method => {
            let help = pattern_of(label).and_then(|glob| suggestion(&glob, classes));
            let absent = pattern_of(label).and_then(|glob| absent_class(&glob, classes));
            let (why, help) = match absent {
                Some(class) => {
                    (format!(", and no class `{class}`"), help.or(Some(not_given("class"))))
                }
                None => (String::new(), help),
            };
            (format!("this label can never match: there is no method {name}{why}"), help)
        }
        Lacks::Arguments => {
            let mut counts: BTreeSet<usize> = BTreeSet::new();
            let glob = pattern_of(label).map(|g| Glob::new(&g));
            for method in methods {
                let like = glob.as_ref().is_none_or(|g| method.names.iter().any(|n| g.matches(n)));
                if like {
                    counts.insert(method.arguments);
                }
            }
            let counts: Vec<String> = counts.iter().take(5).map(usize::to_string).collect();
            (
                format!("this label can never match: {name} has other numbers of arguments"),
                Some(format!("it has {}, including the receiver", counts.join(" or "))),
            )
        }
        Lacks::Observed | Lacks::Nothing => (
            format!("this label can never match: {name} exists but is not observed"),
            Some("observe it, too".to_string()),
        ),
    };
    Diagnostic::warning(Code::NeverMatches, label.span, message).help_if(help)
}

/// The class that a pattern of names means, if it means only one and that one does not exist.
fn absent_class(glob: &str, classes: &Classes<'_>) -> Option<String> {
    let names = expand_shown(glob);
    let mut named: Vec<&str> = names.iter().filter_map(|n| Some(n.rsplit_once('.')?.0)).collect();
    named.dedup();
    match named.as_slice() {
        [class] if !class.contains(['*', '{']) && !classes.has_class(class) => {
            Some(class.to_string())
        }
        _ => None,
    }
}

/// What may have been meant by a name that does not exist.
fn suggestion(glob: &str, classes: &Classes<'_>) -> Option<String> {
    let mut names = expand_shown(glob);
    names.sort_by_key(|n| std::cmp::Reverse(n.len()));
    for name in &names {
        let Some((class, method)) = name.rsplit_once('.').filter(|_| !name.contains('*')) else {
            continue;
        };
        if classes.has_class(class) {
            let methods = classes.methods_of(&class.replace('.', "/"));
            let own: Vec<&str> = methods
                .iter()
                .filter_map(|m| m.names.first()?.rsplit_once('.').map(|(_, method)| method))
                .collect();
            if let Some(near) = nearest(method, own) {
                return Some(format!("did you mean `{class}.{near}`?"));
            }
            continue;
        }
        let all = classes.all_names();
        let simple = class.rsplit('.').next().unwrap_or(class);
        let same: Vec<&String> =
            all.iter().filter(|n| n.rsplit('.').next() == Some(simple)).collect();
        let near = nearest(class, same.iter().map(|n| n.as_str()))
            .or_else(|| nearest(class, all.iter().map(String::as_str)))
            .or_else(|| same.first().map(|n| n.as_str()));
        if let Some(near) = near {
            return Some(format!("did you mean `{near}.{method}`?"));
        }
    }
    None
}
