//! What is wrong with a script, with the terms of scripts.
//!
//! A script becomes a file of Watchword's own language, and some mistakes show only there, or in
//! what lint finds. Rules and remedies of those speak of what a script has.

use crate::diagnostic::{Code, Diagnostic};

/// What to do about a message `expected X, found Y`.
pub(super) fn expected(wanted: &str) -> Option<&'static str> {
    Some(match wanted {
        "a method" => "name a method, with its arguments in parentheses: `account.pay(*)`",
        "a type" => "write a Java type: `int`, `String`, `List` or `bank.Account`",
        "an event" => "name an event of EVENTS: `s -> t [event\\condition\\action]`",
        "a state" => "name a state of STATES",
        "an invariant" => "name an invariant of INVARIANTS",
        "the end of the script" => "remove what follows: after GLOBAL only METHODS may come",
        _ => return None,
    })
}

/// Whether it is about something that is usual in scripts.
pub(super) fn is_usual(diagnostic: &Diagnostic) -> bool {
    // Every receiver names what it receives.
    diagnostic.code == Code::UnusedBinder.text()
}

/// Says it with the terms of scripts.
pub(super) fn translate(diagnostic: &mut Diagnostic) {
    let known = |code: Code| diagnostic.code == code.text();
    let (rule, help) = if known(Code::TypeMismatch) {
        (None, "use a value of the required type, or convert it: `(int) x`, `String.valueOf(x)`")
    } else if known(Code::NotACondition) {
        (Some("conditions are truth values"), "compare it, as in `x != 0`")
    } else if known(Code::NeverMatches) {
        (None, "raise it: send on the channel, `c.send(x);`, or start the clock in an event")
    } else if known(Code::NeverFails) {
        let none = diagnostic.note.as_deref().is_some_and(|n| n.starts_with("it has no"));
        match none {
            true => {
                (Some("it has no state in BAD"), "move the state that must not be reached to BAD")
            }
            false => {
                (Some("no state of BAD can be reached"), "lead a transition to a state of BAD")
            }
        }
    } else if known(Code::ConstantGuard) {
        (None, "remove the condition, or correct it")
    } else if known(Code::UnusedEvent) {
        (
            Some("a property observes the events of its context, and those in its transitions"),
            "use it in a transition, or remove it",
        )
    } else if known(Code::UnusedVariable) {
        (None, "use it in a condition, or remove it")
    } else if known(Code::UnusedFunction) {
        diagnostic.message = diagnostic.message.replace("the function", "the method");
        (None, "remove it")
    } else if known(Code::UnusedClock) {
        (Some("a clock is used by events"), "declare such an event, `tick() = {c@5}`, or remove it")
    } else {
        return;
    };
    // A name that is near is the better advice.
    let near = diagnostic.help.as_deref().is_some_and(|h| h.starts_with("did you mean"));
    if !near {
        diagnostic.help = Some(help.to_string());
    }
    if let Some(rule) = rule {
        diagnostic.note = Some(rule.to_string());
    }
}
