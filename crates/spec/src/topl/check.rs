//! What a well-formed property must be: a way from `start` to `error`, at most one binder of a
//! name per label, every register written before it is read.

use std::collections::{BTreeMap, BTreeSet};

use watchword_model::Glob;

use super::names;
use super::tree::{Args, Label, Letter, Property, ValueKind, ValuePattern};
use crate::diagnostic::{Code, Diagnostic, nearest};

/// Where a property begins.
pub const START: &str = "start";
/// Where it is violated.
pub const ERROR: &str = "error";

/// Everything that is wrong with a property that could be parsed.
pub fn check(property: &Property, diagnostics: &mut Vec<Diagnostic>) {
    states(property, diagnostics);
    for label in property.transitions.iter().flat_map(|t| &t.labels) {
        shape(label, diagnostics);
        binders(label, diagnostics);
        void(property, label, diagnostics);
    }
    written_before_read(property, diagnostics);
}

fn states(property: &Property, diagnostics: &mut Vec<Diagnostic>) {
    let name = &property.name;
    if property.transitions.is_empty() {
        diagnostics.push(
            Diagnostic::error(
                Code::EmptyBody,
                name.span,
                format!("`{}` has no transitions", name.text),
            )
            .help("add at least one, such as `start -> error: call *.m[*]`"),
        );
        return;
    }
    let sources = || property.transitions.iter().map(|t| &t.source);
    let targets = || property.transitions.iter().map(|t| &t.target);
    if !sources().any(|s| s.text == START) {
        let near = sources().find(|s| nearest(&s.text, [START]).is_some());
        let span = near.map_or(name.span, |s| s.span);
        diagnostics.push(
            Diagnostic::error(
                Code::ToplStart,
                span,
                format!("no transition of `{}` leaves `start`", name.text),
            )
            .rule("a property begins in the state `start`")
            .help_if(near.map(|s| format!("rename `{}` to `start`", s.text))),
        );
    }
    if !targets().any(|s| s.text == ERROR) {
        let near = targets().find(|s| nearest(&s.text, [ERROR]).is_some());
        let span = near.map_or(name.span, |s| s.span);
        diagnostics.push(
            Diagnostic::error(
                Code::ToplError,
                span,
                format!("no transition of `{}` leads to `error`, so it can never fail", name.text),
            )
            .rule("a property is violated in the state `error`")
            .help_if(near.map(|s| format!("rename `{}` to `error`", s.text))),
        );
    }
    for transition in property.transitions.iter().filter(|t| t.source.text == ERROR) {
        diagnostics.push(
            Diagnostic::warning(
                Code::ToplAfterError,
                transition.span,
                "this transition is never taken",
            )
            .rule("a configuration that enters `error` is reported and ends")
            .help("remove it"),
        );
    }
}

fn shape(label: &Label, diagnostics: &mut Vec<Diagnostic>) {
    if let (Letter::Call, Some(result)) = (label.letter, &label.result)
        && result.is_constrained()
    {
        diagnostics.push(
            Diagnostic::error(Code::ToplCall, result.span, "a call has no result yet")
                .rule("a `call` label sees the arguments, a `return` label sees the result")
                .help("drop `call`: then both are seen, if no other event comes between them"),
        );
    }
    if label.letter == Letter::Return
        && let Some(first) = arguments(label).find(|v| v.is_constrained())
    {
        diagnostics.push(
            Diagnostic::error(
                Code::ToplReturn,
                first.span,
                "a return does not carry the arguments",
            )
            .rule("a `call` label sees the arguments, a `return` label sees the result")
            .help("drop `return`, or write `*` or `[n]` for the arguments"),
        );
    }
    if let (Some(receiver), Args::Count(0, span)) = (&label.receiver, &label.args) {
        diagnostics.push(
            Diagnostic::error(
                Code::ToplArity,
                *span,
                "a method with a receiver has at least one argument",
            )
            .also(receiver.span, "the receiver counts")
            .help("write `[1]`"),
        );
    }
}

fn arguments(label: &Label) -> impl Iterator<Item = &ValuePattern> {
    let values: &[ValuePattern] = match &label.args {
        Args::Values(values) => values,
        _ => &[],
    };
    label.receiver.iter().chain(values)
}

fn binders(label: &Label, diagnostics: &mut Vec<Diagnostic>) {
    let mut bound: BTreeMap<&str, &ValuePattern> = BTreeMap::new();
    for value in arguments(label).chain(&label.result) {
        let ValueKind::Bind(register) = &value.kind else { continue };
        if let Some(first) = bound.insert(register, value) {
            diagnostics.push(
                Diagnostic::error(
                    Code::BoundTwice,
                    value.span,
                    format!("this label binds `{register}` twice"),
                )
                .also(first.span, "the first time")
                .rule("a label binds a name at most once")
                .help("bind the other value to another name, or compare it in lower case"),
            );
        }
    }
}

fn void(property: &Property, label: &Label, diagnostics: &mut Vec<Diagnostic>) {
    let (Some(result), Some(method)) = (&label.result, &label.method) else { return };
    if !result.is_constrained() || property.observe.is_empty() {
        return;
    }
    let observe = Glob::new(&names::union(&property.observe));
    if let Some(name) = names::void(&property.prefix, &observe, method) {
        diagnostics.push(
            Diagnostic::error(Code::ToplVoid, result.span, format!("`{name}` returns nothing"))
                .also(method.pattern.span, "its result type is `void`")
                .help("drop the result: `call …` or `return …`"),
        );
    }
}

/// The parts of a label in the order in which they are matched: what each reads and writes.
fn phases(label: &Label) -> Vec<Vec<&ValuePattern>> {
    let args: Vec<&ValuePattern> = arguments(label).filter(|v| v.is_constrained()).collect();
    let result: Vec<&ValuePattern> = label.result.iter().filter(|v| v.is_constrained()).collect();
    vec![args, result]
}

fn writes(label: &Label) -> BTreeSet<&str> {
    phases(label)
        .into_iter()
        .flatten()
        .filter_map(|v| match &v.kind {
            ValueKind::Bind(register) => Some(register.as_str()),
            _ => None,
        })
        .collect()
}

fn written_before_read(property: &Property, diagnostics: &mut Vec<Diagnostic>) {
    // What is certainly written on every way to a state; a state nobody reaches reads nothing.
    let mut written: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    written.insert(START, BTreeSet::new());
    let mut changed = true;
    while changed {
        changed = false;
        for transition in &property.transitions {
            let Some(before) = written.get(transition.source.text.as_str()).cloned() else {
                continue;
            };
            for label in &transition.labels {
                let after: BTreeSet<&str> = before.union(&writes(label)).copied().collect();
                let target = transition.target.text.as_str();
                let new = match written.get(target) {
                    None => after,
                    Some(known) => known.intersection(&after).copied().collect(),
                };
                if written.get(target) != Some(&new) {
                    written.insert(target, new);
                    changed = true;
                }
            }
        }
    }
    let bound: BTreeSet<&str> =
        property.transitions.iter().flat_map(|t| &t.labels).flat_map(writes).collect();
    for transition in &property.transitions {
        let Some(before) = written.get(transition.source.text.as_str()) else { continue };
        for label in &transition.labels {
            let mut known = before.clone();
            for phase in phases(label) {
                for value in &phase {
                    let (ValueKind::Equal(register) | ValueKind::Differs(register)) = &value.kind
                    else {
                        continue;
                    };
                    if !known.contains(register.as_str()) {
                        diagnostics.push(unwritten(
                            register,
                            value,
                            &transition.source.text,
                            &bound,
                        ));
                    }
                }
                known.extend(phase.iter().filter_map(|v| match &v.kind {
                    ValueKind::Bind(register) => Some(register.as_str()),
                    _ => None,
                }));
            }
        }
    }
}

fn unwritten(
    register: &str,
    value: &ValuePattern,
    state: &str,
    bound: &BTreeSet<&str>,
) -> Diagnostic {
    let mut capital = register.chars();
    let binder: String =
        capital.next().into_iter().flat_map(char::to_uppercase).chain(capital).collect();
    if bound.contains(register) {
        return Diagnostic::error(
            Code::ReadBeforeWrite,
            value.span,
            format!("there is a way from `start` to `{state}` that does not bind `{register}`"),
        )
        .rule("every way to a label that compares a name must bind it first")
        .help(format!("bind it on every way to `{state}`, with `{binder}`"));
    }
    let help = match register {
        "true" | "false" | "null" => format!("constants stand in `<…>`: `<{register}>`"),
        _ => match nearest(register, bound.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("bind it first, with `{binder}`"),
        },
    };
    Diagnostic::error(
        Code::ReadBeforeWrite,
        value.span,
        format!("`{register}` is compared but nothing binds it"),
    )
    .rule("an upper-case name binds, a lower-case name compares")
    .help(help)
}
