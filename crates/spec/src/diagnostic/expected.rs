//! Corrections of syntax errors: examples of what the grammar expects.

/// What is expected, as messages say it, and what that is like.
const LIKE: &[(&str, &str)] = &[
    (
        "`record`, `where` or a regular expression",
        "a regular expression stands between slashes: `log /started (?<id>\\d+)/`",
    ),
    (
        "`before`, `after` or `throwing`",
        "say when: `jvm before call java.util.Iterator+.next() on i`",
    ),
    ("`before` or `after`", "say when: `native before call fclose with f = arg 0`"),
    ("`=`, `+=`, `-=` or `*=`", "assign a value: `n = 0`, or `n += 1` for one more"),
    (
        "a declaration",
        "a file has `event`, `property`, `context`, `channel`, `function` and `import`",
    ),
    (
        "a line of a property",
        "a property has `state`s with `on` transitions, or one of `never`, `only` and `ltl`",
    ),
    ("`on`, `enter` or `}`", "a state has transitions: `on e(x) -> Next`"),
    ("a statement", "a statement is an assignment such as `n = n + 1`, `if`, `while` or `for`"),
    (
        "an expression",
        "an expression is a name, a number, a text in quotes or made of them: `n + 1`",
    ),
    ("a value", "a value is a name, a number, a text in quotes or `null`"),
    ("an event", "name an event, with its arguments in parentheses: `push(q, _)`"),
    ("a label", "a label is an event with patterns for its arguments: `push(q, _)`"),
    ("a formula", "a formula is made of events: `always (reply implies once request)`"),
    ("a pattern", "a pattern is made of events: `open (read | write)* close`"),
    ("a type", "types are `int`, `float`, `bool`, `string`, `ref`, `ptr`, `list`, `map` and `any`"),
    ("a number", "write a whole number, such as `3`"),
    ("a duration", "write a number and a unit, such as `5 s` or `300 ms`"),
    ("a unit of time", "write a number and a unit, such as `5 s` or `300 ms`"),
    (
        "a transition or a directive",
        "write `from -> to: label`, or a line `observe`, `prefix` or `message`",
    ),
    ("a method", "name a method: `<java.util.Iterator.next>()`, or `*` for any"),
    ("a binder", "name a value of the event in upper case, such as `Ret`"),
    (
        "a field",
        "a test compares a field: `.message == \"started*\"`, `.message == /user \\d+/` or `.size > 3`",
    ),
    ("a register", "name a register in lower case, such as `x`"),
    ("a text", "put it into quotes: `\"…\"`"),
    (
        "a source",
        "an event comes from `jvm`, `native`, `log` or `program`: `= log /started (?<id>\\d+)/`",
    ),
];

/// What to do about a message `expected X, found Y`.
pub(super) fn help(message: &str) -> Option<String> {
    let expected = message.strip_prefix("expected ")?;
    let (expected, found) = expected.rsplit_once(", found ")?;
    let is_like = |what: &str| {
        expected.strip_prefix(what).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    if is_like("a source") && ["`before`", "`after`", "`throwing`"].contains(&found) {
        let when = found.trim_matches('`');
        return Some(format!(
            "say of which programs it is an event: `jvm {when} call …` or `native {when} call …`"
        ));
    }
    if let Some((_, like)) = LIKE.iter().find(|(what, _)| is_like(what)) {
        return Some(like.to_string());
    }
    let named = ["the name", "a name", "one name"].iter().any(|what| expected.starts_with(what));
    Some(match expected {
        _ if named => format!("{expected} is a letter or `_`, then letters, digits or `_`"),
        _ if expected.starts_with("the end") => {
            "remove what follows, or begin a new line".to_string()
        }
        _ => format!("put {} here", expected.trim_end_matches(',')),
    })
}

#[cfg(test)]
mod tests {
    use super::help;

    #[test]
    fn what_is_expected_is_shown() {
        let said = |message: &str| help(message).unwrap_or_default();
        assert!(said("expected a declaration, found `:`").contains("`event`"));
        assert!(said("expected `on`, `enter` or `}`, found `=`").contains("`on e(x) -> Next`"));
        let forgotten =
            said("expected a source: `jvm`, `native`, `log` or `program`, found `after`");
        assert!(forgotten.contains("`jvm after call …` or `native after call …`"), "{forgotten}");
        assert!(said("expected a source: `jvm`, found `fclose`").contains("`= log"));
        let test = said("expected a field, such as `.user`, found `starts_with`");
        assert!(test.contains("`.message == \"started*\"`"), "{test}");
        assert_eq!(said("expected `)`, found the end of the file"), "put `)` here");
        assert!(said("expected the name of a state, found `->`").contains("a letter or `_`"));
        assert_eq!(help("this `{` is never closed"), None);
    }
}
