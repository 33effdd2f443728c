//! The arguments of a program, as a line of text.

use std::ffi::OsString;

use crate::error::{Error, Result};

/// The words of a line. Quotes and backslashes keep spaces together as in a shell; a shell does nothing
/// else with the line.
pub(super) fn split(line: &str) -> Result<Vec<OsString>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(open)? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(open)? {
                        '"' => break,
                        '\\' => match chars.next().ok_or_else(open)? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words.into_iter().map(Into::into).collect())
}

fn open() -> Error {
    Error::new("the quotes are not closed")
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_are_those_of_a_shell() {
        let words = |line: &str| split(line).unwrap();
        assert_eq!(words(r#"a  'b c' "d 'e'" f\ g"#), ["a", "b c", "d 'e'", "f g"]);
        assert_eq!(words(r#"'' "" x'y'"z""#), ["", "", "xyz"]);
        assert_eq!(words(r#""a\"b\n" '\n'"#), ["a\"b\\n", "\\n"]);
        assert!(words("  ").is_empty());
        assert!(split("'a").is_err() && split("\"a\\").is_err());
    }
}
