//! Variables, registers and windows nobody reads.

use watchword_model::{Expr, Lang, Model, Pattern, Place, Property, PropertyOrigin, Stmt};

use super::{Facts, walk};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(facts: &Facts<'_>, found: &mut Vec<Diagnostic>) {
    let model = facts.model;
    let mut read: Vec<Place> = Vec::new();
    let mut own: Vec<Place> = Vec::new();
    walk::model(
        model,
        &mut |statement| {
            // `n += 1` reads n only to write it back.
            if let Stmt::Assign(place, value) = statement {
                walk::expr(value, &mut |e| {
                    if let Expr::Read(p) = e
                        && p == place
                    {
                        own.push(*p);
                    }
                });
            }
        },
        &mut |e| {
            if let Expr::Read(place @ Place::Var(_)) = e {
                read.push(*place);
            }
        },
    );
    for place in own {
        if let Some(at) = read.iter().position(|p| *p == place) {
            read.swap_remove(at);
        }
    }
    for pattern in patterns(model) {
        if let Pattern::Equal(place) | Pattern::Differs(place) = pattern {
            read.push(*place);
        }
    }
    for (i, variable) in model.variables.iter().enumerate() {
        if !read.iter().any(|p| matches!(p, Place::Var(v) if v.index() == i)) {
            found.push(
                Diagnostic::warning(
                    Code::UnusedVariable,
                    variable.span,
                    format!("the variable `{}` is never read", variable.name),
                )
                .help("use it in a guard or a message, or remove it"),
            );
        }
    }
    registers(model, found);
    windows(model, found);
}

fn windows(model: &Model, found: &mut Vec<Diagnostic>) {
    // A formula whose automaton needs no window of its own is no mistake in a window.
    let written = |p: &&Property| matches!(p.origin, PropertyOrigin::Automaton);
    for property in model.properties.iter().filter(written) {
        let mut read = vec![false; property.windows.len()];
        walk::property(property, &mut |_| {}, &mut |e| {
            if let Expr::Read(Place::Window(w)) = e {
                read[w.index()] = true;
            }
        });
        for (window, _) in property.windows.iter().zip(read).filter(|(_, read)| !read) {
            found.push(
                Diagnostic::warning(
                    Code::UnusedVariable,
                    window.span,
                    format!("the window `{}` is never read", window.name),
                )
                .help("use it in a guard or a message, or remove it"),
            );
        }
    }
}

fn patterns(model: &Model) -> impl Iterator<Item = &Pattern> {
    model
        .properties
        .iter()
        .flat_map(|p| &p.transitions)
        .flat_map(|t| &t.labels)
        .flat_map(|l| &l.args)
}

fn registers(model: &Model, found: &mut Vec<Diagnostic>) {
    for property in &model.properties {
        let mut read = vec![false; property.registers.len()];
        walk::property(property, &mut |_| {}, &mut |e| {
            if let Expr::Read(Place::Register(r)) = e {
                read[r.index()] = true;
            }
        });
        for pattern in property.transitions.iter().flat_map(|t| &t.labels).flat_map(|l| &l.args) {
            if let Pattern::Equal(Place::Register(r)) | Pattern::Differs(Place::Register(r)) =
                pattern
            {
                read[r.index()] = true;
            }
        }
        let help = match property.lang {
            Lang::Topl => "write `*` instead of binding it, or compare with it in a later label",
            Lang::Infer => "remove the assignment, or compare with it after a `when`",
            _ => "write `_` instead of binding it, or use it in a label or message",
        };
        for (register, read) in property.registers.iter().zip(read) {
            if !read {
                found.push(
                    Diagnostic::warning(
                        Code::UnusedVariable,
                        register.span,
                        format!("the register `{}` is never read", register.name),
                    )
                    .help(help),
                );
            }
        }
    }
}
