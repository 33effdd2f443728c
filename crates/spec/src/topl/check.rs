//! What a well-formed property must be: a way from `start` to `error`, at most one binder of a
//! name per label, every register written before it is read.

use std::collections::BTreeMap;

use watchword_model::Glob;

use super::flow::{self, Edge, Phase, Writing};
use super::names;
use super::tree::{Args, Label, Letter, Property, ValueKind, ValuePattern};
use crate::diagnostic::{Code, Diagnostic};

/// Everything that is wrong with a property that could be parsed.
pub fn check(property: &Property, diagnostics: &mut Vec<Diagnostic>) {
    let edges: Vec<Edge<'_>> = property
        .transitions
        .iter()
        .flat_map(|t| {
            t.labels.iter().map(|label| Edge {
                source: (&t.source.text, t.source.span),
                target: (&t.target.text, t.target.span),
                phases: phases(label),
                span: t.span,
            })
        })
        .collect();
    flow::states((&property.name.text, property.name.span), &edges, diagnostics);
    for label in property.transitions.iter().flat_map(|t| &t.labels) {
        shape(label, diagnostics);
        binders(label, diagnostics);
        void(property, label, diagnostics);
    }
    flow::written_before_read(&edges, &WRITING, diagnostics);
}

fn shape(label: &Label, diagnostics: &mut Vec<Diagnostic>) {
    if let (Letter::Call, Some(result)) = (label.letter, &label.result)
        && result.is_constrained()
    {
        diagnostics.push(
            Diagnostic::error(Code::ToplCall, result.span, "a call has no result yet")
                .rule("a `call` label sees the arguments, a `return` label sees the result")
                .help("remove `call`: the label then matches both, if no other event comes between them"),
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
            .help("remove `return`, or write `*` or `[n]` for the arguments"),
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
                .also(first.span, "first defined here")
                .rule("a label binds a name at most once")
                .help("bind the other value to another name, or compare with it in lower case"),
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
                .help("remove the result: `call …` or `return …`"),
        );
    }
}

/// The parts of a label in the order in which they are matched: what each reads and writes.
fn phases(label: &Label) -> Vec<Phase<'_>> {
    vec![phase(arguments(label)), phase(label.result.iter())]
}

fn phase<'t>(values: impl Iterator<Item = &'t ValuePattern>) -> Phase<'t> {
    let mut phase = Phase::default();
    for value in values {
        match &value.kind {
            ValueKind::Bind(register) => phase.writes.push(register),
            ValueKind::Equal(register) | ValueKind::Differs(register) => {
                phase.reads.push((register, value.span));
            }
            ValueKind::Any | ValueKind::Const(_) | ValueKind::NotConst(_) => {}
        }
    }
    phase
}

const WRITING: Writing = Writing {
    rule: "an upper-case name binds, a lower-case name compares",
    how: capitalised,
    constant: Some(|name| format!("write constants in `<…>`: `<{name}>`")),
};

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}
