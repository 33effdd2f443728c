//! Names as people write them.

/// The source name behind a linked name: Rust and C++ names are unscrambled, others are kept.
pub fn demangle(name: &str) -> String {
    // Demanglers work hard on hostile input; no real name is that long.
    if name.len() > 8192 {
        return name.to_string();
    }
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}");
    }
    if name.starts_with("_Z") || name.starts_with("__Z") {
        // Clones carry a suffix the grammar does not know.
        let base = name.split_once('.').map_or(name, |(b, _)| b);
        let options = cpp_demangle::ParseOptions::default().recursion_limit(128);
        if let Ok(symbol) = cpp_demangle::Symbol::new_with_options(base, &options)
            && let Ok(text) = symbol.demangle()
        {
            return text;
        }
    }
    name.to_string()
}

/// The name without parameter list, template or generic arguments, and clone suffix.
pub(crate) fn bare(name: &str) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    if let Some(at) = operator(name) {
        // `operator<`, `operator()` and friends: their signs are the name.
        let prefix = bare(&name[..at]);
        if !prefix.is_empty() {
            out.push_str(&prefix);
            out.push_str("::");
        }
        out.push_str("operator");
        let rest = &name[at + "operator".len()..];
        let end = rest.char_indices().find(|(i, c)| *c == '(' && *i > 0).map(|(i, _)| i);
        out.push_str(&rest[..end.unwrap_or(rest.len())]);
        return out;
    }
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && out.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                break;
            }
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    while let Some(shorter) = out.strip_suffix("::") {
        out.truncate(shorter.len());
    }
    out
}

/// Where the word `operator` begins, if the name is one of an operator.
fn operator(name: &str) -> Option<usize> {
    let at = name.find("operator")?;
    let starts = at == 0 || name[..at].ends_with("::");
    let after = name[at + "operator".len()..].chars().next()?;
    (starts && !after.is_alphanumeric() && after != '_').then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_people_write() {
        assert_eq!(demangle("_ZN5Queue4pushEi"), "Queue::push(int)");
        assert_eq!(demangle("_ZN5Queue4pushEi.constprop.0"), "Queue::push(int)");
        assert_eq!(demangle("plain"), "plain");
        assert_eq!(demangle("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
        assert_eq!(bare("Queue::push(int)"), "Queue::push");
        assert_eq!(
            bare("std::vector<int, std::allocator<int> >::push_back(int&&)"),
            "std::vector::push_back"
        );
        assert_eq!(bare("a::b<c>::d"), "a::b::d");
        assert_eq!(bare("X::operator()(int)"), "X::operator()");
        assert_eq!(bare("operator<(A, B)"), "operator<");
        assert_eq!(bare("cooperator(int)"), "cooperator");
        assert_eq!(bare("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
    }
}
