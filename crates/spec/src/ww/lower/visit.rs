//! All labels of a property, wherever they stand.

use crate::ww::tree::{
    Context, Formula, FormulaKind, Label, Member, MemberKind, Name, Property, Regex, RegexKind,
};

/// How an event is named.
pub(super) enum Use<'t> {
    /// In a label.
    Label(&'t Label),
    /// By its name alone.
    Name(&'t Name),
}

/// Every use of an event by some lines of a property.
pub(super) fn uses<'t>(members: &'t [Member], visit: &mut dyn FnMut(Use<'t>)) {
    for member in members {
        match &member.kind {
            MemberKind::Also(names, _) | MemberKind::Creation(names) => {
                for name in names {
                    visit(Use::Name(name));
                }
            }
            MemberKind::Ends(_, label) => visit(Use::Label(label)),
            MemberKind::Window(window) => visit(Use::Label(&window.label)),
            MemberKind::State(state) => {
                for step in state.transitions.iter().flat_map(|t| &t.steps) {
                    for label in &step.labels {
                        visit(Use::Label(label));
                    }
                }
            }
            MemberKind::Never(regex) | MemberKind::Only(regex) => regex_uses(regex, visit),
            MemberKind::Ltl(formula) => formula_uses(formula, visit),
            MemberKind::Severity(_)
            | MemberKind::Tags(_)
            | MemberKind::Message(_)
            | MemberKind::Rule(_)
            | MemberKind::Setting(_)
            | MemberKind::Var(_)
            | MemberKind::Clock(_)
            | MemberKind::BoxesByValue
            | MemberKind::Proven => {}
        }
    }
}

/// Every use of an event by a context and what is inside it.
pub(super) fn context_uses<'t>(
    context: &'t Context,
    visit: &mut dyn FnMut(Use<'t>, Option<&'t Property>),
) {
    uses(&context.members, &mut |u| visit(u, None));
    for property in &context.properties {
        uses(&property.members, &mut |u| visit(u, Some(property)));
    }
    for inner in &context.contexts {
        context_uses(inner, visit);
    }
}

fn regex_uses<'t>(regex: &'t Regex, visit: &mut dyn FnMut(Use<'t>)) {
    match &regex.kind {
        RegexKind::Atom(atom) => visit(Use::Label(&atom.label)),
        RegexKind::Sequence(list) | RegexKind::Choice(list) => {
            for part in list {
                regex_uses(part, visit);
            }
        }
        RegexKind::Star(part) | RegexKind::Plus(part) | RegexKind::Optional(part) => {
            regex_uses(part, visit);
        }
        RegexKind::Error => {}
    }
}

fn formula_uses<'t>(formula: &'t Formula, visit: &mut dyn FnMut(Use<'t>)) {
    match &formula.kind {
        FormulaKind::Atom(atom) => visit(Use::Label(&atom.label)),
        FormulaKind::Not(a) | FormulaKind::Unary(_, a) | FormulaKind::Timed(_, _, a) => {
            formula_uses(a, visit);
        }
        FormulaKind::Binary(_, a, b) | FormulaKind::TimedBinary(_, _, a, b) => {
            formula_uses(a, visit);
            formula_uses(b, visit);
        }
        FormulaKind::Const(_) | FormulaKind::Error => {}
    }
}
