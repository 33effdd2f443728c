//! Texts with `%`.

/// A part of a text that is formatted with `%`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// `%s`.
    Shown,
    /// `%d`, `%i`.
    Whole,
}

/// The parts of a text, or what in it is not understood.
pub fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            plain.push(c);
            continue;
        }
        let part = match chars.next() {
            Some('%') => {
                plain.push('%');
                continue;
            }
            Some('s') => Part::Shown,
            Some('d' | 'i') => Part::Whole,
            Some(other) => return Err(format!("%{other}")),
            None => return Err("%".to_string()),
        };
        if !plain.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut plain)));
        }
        parts.push(part);
    }
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_taken_apart() {
        let text = |t: &str| Part::Text(t.to_string());
        assert_eq!(parts("a %d%% %s"), Ok(vec![text("a "), Part::Whole, text("% "), Part::Shown]));
        assert_eq!(parts(""), Ok(Vec::new()));
        assert_eq!(parts("%5d"), Err("%5".to_string()));
        assert_eq!(parts("50%"), Err("%".to_string()));
    }
}
