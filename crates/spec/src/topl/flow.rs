//! What both dialects ask of an automaton: a way from `start` to `error`, and every register
//! written before it is read.

use std::collections::{BTreeMap, BTreeSet};

use watchword_model::Span;

use crate::diagnostic::{Code, Diagnostic, nearest};

/// Where a property begins.
pub const START: &str = "start";
/// Where it is violated.
pub const ERROR: &str = "error";

/// A transition by one of its labels.
pub struct Edge<'t> {
    /// From.
    pub source: (&'t str, Span),
    /// To.
    pub target: (&'t str, Span),
    /// What it does, in order.
    pub phases: Vec<Phase<'t>>,
    /// Where the transition was written.
    pub span: Span,
}

/// What is read, and then written, together.
#[derive(Default)]
pub struct Phase<'t> {
    /// Registers that are compared, and where.
    pub reads: Vec<(&'t str, Span)>,
    /// Registers that get a value.
    pub writes: Vec<&'t str>,
}

/// How a dialect writes a register.
pub struct Writing {
    /// The rule about reading and writing.
    pub rule: &'static str,
    /// How to write a register of that name.
    pub how: fn(&str) -> String,
    /// How to write the constants `true`, `false` and `null`, if they are no names.
    pub constant: Option<fn(&str) -> String>,
}

/// Whether there is a way from `start` to `error`, as far as names tell.
pub fn states(name: (&str, Span), edges: &[Edge<'_>], diagnostics: &mut Vec<Diagnostic>) {
    let (name, span) = name;
    if edges.is_empty() {
        diagnostics.push(
            Diagnostic::error(Code::EmptyBody, span, format!("`{name}` has no transitions"))
                .help("add at least one, such as `start -> error: *`"),
        );
        return;
    }
    if !edges.iter().any(|e| e.source.0 == START) {
        let near = edges.iter().map(|e| e.source).find(|s| nearest(s.0, [START]).is_some());
        diagnostics.push(
            Diagnostic::error(
                Code::ToplStart,
                near.map_or(span, |s| s.1),
                format!("`{name}` has no transition from `start`"),
            )
            .rule("a property begins in the state `start`")
            .help_if(near.map(|s| format!("rename `{}` to `start`", s.0))),
        );
    }
    if !edges.iter().any(|e| e.target.0 == ERROR) {
        let near = edges.iter().map(|e| e.target).find(|s| nearest(s.0, [ERROR]).is_some());
        diagnostics.push(
            Diagnostic::error(
                Code::ToplError,
                near.map_or(span, |s| s.1),
                format!("no transition of `{name}` leads to `error`, so it can never fail"),
            )
            .rule("a property is violated in the state `error`")
            .help_if(near.map(|s| format!("rename `{}` to `error`", s.0))),
        );
    }
    let mut last = None;
    for edge in edges.iter().filter(|e| e.source.0 == ERROR) {
        if last.replace(edge.span) == Some(edge.span) {
            continue;
        }
        diagnostics.push(
            Diagnostic::warning(Code::ToplAfterError, edge.span, "this transition is never taken")
                .rule("a configuration that enters `error` is reported and ends")
                .help("remove it"),
        );
    }
}

/// Every way to a read writes first.
pub fn written_before_read(
    edges: &[Edge<'_>],
    writing: &Writing,
    diagnostics: &mut Vec<Diagnostic>,
) {
    // What is certainly written on every way to a state; a state nobody reaches reads nothing.
    let mut written: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    written.insert(START, BTreeSet::new());
    let mut leaving: BTreeMap<&str, Vec<&Edge<'_>>> = BTreeMap::new();
    for edge in edges {
        leaving.entry(edge.source.0).or_default().push(edge);
    }
    let mut todo = vec![START];
    while let Some(state) = todo.pop() {
        let before = written.get(state).cloned().unwrap_or_default();
        for edge in leaving.get(state).into_iter().flatten() {
            let mut after = before.clone();
            after.extend(edge.phases.iter().flat_map(|p| p.writes.iter().copied()));
            let known = written.get(edge.target.0);
            let new = match known {
                None => after,
                Some(known) => known.intersection(&after).copied().collect(),
            };
            if known != Some(&new) {
                written.insert(edge.target.0, new);
                todo.push(edge.target.0);
            }
        }
    }
    let ever: BTreeSet<&str> =
        edges.iter().flat_map(|e| &e.phases).flat_map(|p| p.writes.iter().copied()).collect();
    for edge in edges {
        let Some(before) = written.get(edge.source.0) else { continue };
        let mut known = before.clone();
        for phase in &edge.phases {
            for (register, span) in &phase.reads {
                if !known.contains(register) {
                    diagnostics.push(unwritten(register, *span, edge.source.0, &ever, writing));
                }
            }
            known.extend(&phase.writes);
        }
    }
}

fn unwritten(
    register: &str,
    span: Span,
    state: &str,
    ever: &BTreeSet<&str>,
    writing: &Writing,
) -> Diagnostic {
    if ever.contains(register) && state == START {
        return Diagnostic::error(
            Code::ReadBeforeWrite,
            span,
            format!("`{register}` is compared in `start`, where nothing is bound yet"),
        )
        .rule("every path to a label that compares a name must bind it first")
        .help(format!("bind it here, with `{}`", (writing.how)(register)));
    }
    if ever.contains(register) {
        return Diagnostic::error(
            Code::ReadBeforeWrite,
            span,
            format!("a path from `start` to `{state}` does not bind `{register}`"),
        )
        .rule("every path to a label that compares a name must bind it first")
        .help(format!("bind it on every path to `{state}`, with `{}`", (writing.how)(register)));
    }
    let (help, near) = match writing.constant {
        Some(constant) if matches!(register, "true" | "false" | "null") => {
            (constant(register), None)
        }
        _ => (
            format!("bind it first, with `{}`", (writing.how)(register)),
            nearest(register, ever.iter().copied()),
        ),
    };
    Diagnostic::error(
        Code::ReadBeforeWrite,
        span,
        format!("`{register}` is compared but nothing binds it"),
    )
    .rule(writing.rule)
    .help(help)
    .did_you_mean(near)
}
