//! Method patterns: globs, unions of globs, and prefixes.

use watchword_model::{BinaryOp, Builtin, Expr, Glob, Place, Value};

use super::tree::{MethodPattern, Name};

/// The pattern with commas outside of braces read as alternatives, too.
fn grouped(text: &str) -> String {
    let text = text.trim();
    let mut depth = 0usize;
    let mut list = false;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' => list |= depth == 0,
            _ => {}
        }
    }
    if list { format!("{{{text}}}") } else { text.to_string() }
}

/// One glob for all of these.
pub fn union(patterns: &[Name]) -> String {
    match patterns {
        [one] => grouped(&one.text),
        many => {
            let texts: Vec<String> = many.iter().map(|p| grouped(&p.text)).collect();
            format!("{{{}}}", texts.join(","))
        }
    }
}

/// The glob of a method pattern, each prefix optional in front of it.
pub fn prefixed(prefixes: &[Name], pattern: &str) -> String {
    if prefixes.is_empty() {
        return grouped(pattern);
    }
    let texts: Vec<String> = prefixes.iter().map(|p| format!(",{}.", grouped(&p.text))).collect();
    format!("{{{}}}{}", texts.concat(), grouped(pattern))
}

/// The condition that the method, argument 0 of the event, is one of these.
pub fn guard(prefixes: &[Name], method: &MethodPattern) -> Expr {
    let matches = matches(&prefixed(prefixes, &method.pattern.text));
    if method.negated {
        Expr::Unary(watchword_model::UnaryOp::Not, Box::new(matches))
    } else {
        matches
    }
}

/// The condition that argument 0 of the event is like this.
pub fn matches(glob: &str) -> Expr {
    let name = Expr::Read(Place::Arg(0));
    Expr::Builtin(Builtin::Matches, vec![name, Expr::Const(Value::str(glob))])
}

/// The condition that an argument of the event is there and not null.
pub fn present(arg: u32) -> Expr {
    let read = Box::new(Expr::Read(Place::Arg(arg)));
    Expr::Binary(BinaryOp::Ne, read, Box::new(Expr::Const(Value::Null)))
}

/// All conditions hold.
pub fn all(conditions: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    conditions.into_iter().reduce(|a, b| Expr::And(Box::new(a), Box::new(b)))
}

/// How many names a pattern is expanded to at most.
const MAX_NAMES: usize = 64;

/// All names a glob without wildcards matches; `None` if it has any, or there are too many.
pub fn expand(glob: &str) -> Option<Vec<String>> {
    if glob.contains(['*', '?']) || glob.contains("{regex(") {
        return None;
    }
    let Some(open) = glob.find('{') else { return Some(vec![glob.to_string()]) };
    let mut depth = 0usize;
    let mut parts = Vec::new();
    let mut from = open + 1;
    let mut close = None;
    for (at, c) in glob.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    parts.push(glob[from..at].trim());
                    close = Some(at);
                    break;
                }
            }
            ',' if depth == 1 => {
                parts.push(glob[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    let (head, tail) = (&glob[..open], &glob[close? + 1..]);
    let mut names = Vec::new();
    for part in parts {
        names.extend(expand(&format!("{head}{part}{tail}"))?);
        if names.len() > MAX_NAMES {
            return None;
        }
    }
    Some(names)
}

/// The names a glob stands for, to be shown: those it matches, the pattern itself if it has wildcards.
/// In what Infer's dialect puts between a prefix and a name, any character stands for a dot.
pub fn expand_shown(glob: &str) -> Vec<String> {
    let infer = glob.contains("?,") || glob.contains("?}");
    let plain = expand(glob).or_else(|| expand(&glob.replace('?', ".")).filter(|_| infer));
    plain.unwrap_or_else(|| vec![glob.to_string()])
}

/// The method a full name ends in.
fn method_of(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Methods of the Java library whose result is always `void`, without their types' packages'
/// other overloads: an entry is here only if every overload is void.
const VOID: [&str; 27] = [
    "java.util.Iterator.remove",
    "java.util.Iterator.forEachRemaining",
    "java.util.ListIterator.remove",
    "java.util.ListIterator.add",
    "java.util.ListIterator.set",
    "java.util.Collection.clear",
    "java.util.Collection.forEach",
    "java.util.List.clear",
    "java.util.List.sort",
    "java.util.List.replaceAll",
    "java.util.Set.clear",
    "java.util.Map.clear",
    "java.util.Map.putAll",
    "java.util.Map.forEach",
    "java.util.concurrent.locks.Lock.lock",
    "java.util.concurrent.locks.Lock.unlock",
    "java.lang.Thread.start",
    "java.lang.Runnable.run",
    "java.lang.Object.notify",
    "java.lang.Object.notifyAll",
    "java.lang.Object.wait",
    "java.io.Writer.write",
    "java.io.Writer.flush",
    "java.io.Writer.close",
    "java.io.OutputStream.write",
    "java.io.OutputStream.close",
    "java.io.Closeable.close",
];

/// The name of a method that a label can only mean, and that returns nothing.
pub fn void(prefixes: &[Name], observe: &Glob, method: &MethodPattern) -> Option<String> {
    if method.negated {
        return None;
    }
    let names = expand(&prefixed(prefixes, &method.pattern.text))?;
    let mut observed = names.into_iter().filter(|name| observe.matches(name)).peekable();
    let first = observed.peek()?.clone();
    observed
        .all(|name| VOID.contains(&name.as_str()) || method_of(&name) == "<clinit>")
        .then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use watchword_model::Span;

    fn names(texts: &[&str]) -> Vec<Name> {
        texts.iter().map(|t| Name { text: t.to_string(), span: Span::NONE }).collect()
    }

    #[test]
    fn unions_and_prefixes() {
        let glob = |text: String| Glob::new(&text);
        let observe = glob(union(&names(&["Itr.next,Concat.make", "java.util.{List,Set}.*"])));
        for name in ["Itr.next", "Concat.make", "java.util.Set.add"] {
            assert!(observe.matches(name), "{name}");
        }
        for name in ["XItr.next", "Itr.nextX", "java.util.Map.put", ""] {
            assert!(!observe.matches(name), "{name}");
        }
        let method = glob(prefixed(&names(&["java.util", "a.{B,C}", "D,E"]), "next"));
        for name in ["next", "java.util.next", "a.B.next", "a.C.next", "D.next", "E.next"] {
            assert!(method.matches(name), "{name}");
        }
        for name in ["nextX", "a.next", "java.util.next.x", ".next", "Dnext"] {
            assert!(!method.matches(name), "{name}");
        }
    }

    #[test]
    fn expansion() {
        assert_eq!(expand("{,a.}b").unwrap(), ["b", "a.b"]);
        assert_eq!(expand("x.{a,{b,c}d}").unwrap(), ["x.a", "x.bd", "x.cd"]);
        assert_eq!(expand("a.*"), None);
        assert_eq!(expand(&"{a,b}".repeat(10)), None);
    }

    #[test]
    fn void_methods() {
        let void = |prefix: &[&str], observe: &str, method: &str| {
            let method = MethodPattern { negated: false, pattern: names(&[method]).remove(0) };
            void(&names(prefix), &Glob::new(observe), &method)
        };
        assert!(void(&["java.util.Iterator"], "java.util.*", "remove").is_some());
        assert!(void(&[], "*", "p.C.<clinit>").is_some());
        // The short name is observed, too, and its class is not known.
        assert!(void(&["java.util.Iterator"], "*", "remove").is_none());
        assert!(void(&["java.util.Iterator"], "java.util.*", "next").is_none());
        assert!(void(&["java.util.Iterator"], "java.util.*", "re*").is_none());
    }
}
