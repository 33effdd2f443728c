//! What a well-formed property must be.

use std::collections::BTreeMap;

use super::tree::{EventPattern, Label, Operand, Property};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::topl::flow::{self, Edge, Phase, Writing};

const WRITING: Writing = Writing {
    rule: "a register gets its value by an assignment, `=> register := Binder`",
    how: |name| format!("=> {name} := …"),
    constant: None,
};

/// Everything that is wrong with a property that could be parsed.
pub fn check(property: &Property, diagnostics: &mut Vec<Diagnostic>) {
    let edges: Vec<Edge<'_>> = property
        .transitions
        .iter()
        .map(|t| Edge {
            source: (&t.source.text, t.source.span),
            target: (&t.target.text, t.target.span),
            phases: t.label.iter().map(phase).collect(),
            span: t.span,
        })
        .collect();
    flow::states((&property.name.text, property.name.span), &edges, diagnostics);
    for label in property.transitions.iter().filter_map(|t| t.label.as_ref()) {
        names(label, diagnostics);
        array_write(label, diagnostics);
    }
    flow::written_before_read(&edges, &WRITING, diagnostics);
}

fn operands(label: &Label) -> impl Iterator<Item = &Operand> {
    label.conditions.iter().flat_map(|c| {
        let right = c.right.as_ref().map(|(_, operand)| operand);
        std::iter::once(&c.left).chain(right)
    })
}

fn phase(label: &Label) -> Phase<'_> {
    let reads = operands(label).filter_map(|operand| match operand {
        Operand::Register(name) => Some((name.text.as_str(), name.span)),
        _ => None,
    });
    Phase {
        reads: reads.collect(),
        writes: label.actions.iter().map(|(register, _)| register.text.as_str()).collect(),
    }
}

/// Binders and assigned registers occur once, and every binder that is read is there.
fn names(label: &Label, diagnostics: &mut Vec<Diagnostic>) {
    let mut binders = BTreeMap::new();
    for binder in label.binders.iter().flatten() {
        let name = &binder.name;
        // `Ignore` and similar names may stand for several values as long as they are not read.
        if let Some(first) = binders.insert(name.text.as_str(), name.span)
            && reads(label, &name.text)
        {
            diagnostics.push(
                Diagnostic::error(
                    Code::BoundTwice,
                    name.span,
                    format!("this label binds `{}` twice", name.text),
                )
                .also(first, "first defined here")
                .help("give the values different names and compare them after `when`"),
            );
        }
    }
    let mut registers = BTreeMap::new();
    for (register, _) in &label.actions {
        if let Some(first) = registers.insert(register.text.as_str(), register.span) {
            diagnostics.push(
                Diagnostic::error(
                    Code::BoundTwice,
                    register.span,
                    format!("this label assigns `{}` twice", register.text),
                )
                .also(first, "first defined here")
                .help("keep one of the assignments"),
            );
        }
    }
    let read = operands(label)
        .filter_map(|operand| match operand {
            Operand::Binder(name) => Some(name),
            _ => None,
        })
        .chain(label.actions.iter().map(|(_, value)| value));
    for name in read {
        // What is written in small letters has been reported as no binder.
        let binder = name.text.starts_with(char::is_uppercase);
        if !binder || binders.contains_key(name.text.as_str()) {
            continue;
        }
        diagnostics.push(
            Diagnostic::error(
                Code::UnknownName,
                name.span,
                format!("this label binds no `{}`", name.text),
            )
            .help(format!("name it among the values of the event: `(…, {})`", name.text))
            .did_you_mean(nearest(&name.text, binders.keys().copied())),
        );
    }
}

fn reads(label: &Label, binder: &str) -> bool {
    operands(label).any(|o| matches!(o, Operand::Binder(name) if name.text == binder))
        || label.actions.iter().any(|(_, value)| value.text == binder)
}

fn array_write(label: &Label, diagnostics: &mut Vec<Diagnostic>) {
    let (EventPattern::ArrayWrite, Some(binders)) = (&label.pattern, &label.binders) else {
        return;
    };
    if binders.len() != 2 {
        diagnostics.push(
            Diagnostic::error(Code::ToplArity, label.span, "an array write has two values")
                .help("write `#ArrayWrite(Array, Index)`"),
        );
    }
    for ty in binders.iter().filter_map(|b| b.ty.as_ref()) {
        diagnostics.push(
            Diagnostic::error(
                Code::InferStatic,
                ty.regex.span,
                "types of array writes are not part of the event",
            )
            .help("remove the type"),
        );
    }
}
