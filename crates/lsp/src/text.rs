//! Positions as editors count them: lines from 0, and UTF-16 units in a line.

use serde_json::{Value, json};

/// The byte a position stands for; past the end of a line is its end, past the last line the end.
pub fn offset(text: &str, line: u32, character: u32) -> usize {
    let mut start = 0;
    for _ in 0..line {
        match line_end(text, start) {
            Some((_, next)) => start = next,
            None => return text.len(),
        }
    }
    let end = line_end(text, start).map_or(text.len(), |(end, _)| end);
    let mut units = 0;
    for (at, c) in text[start..end].char_indices() {
        if units >= character {
            return start + at;
        }
        units += c.len_utf16() as u32;
    }
    end
}

/// Where the line that begins at `start` ends, and where the next one begins: after a line feed, a
/// carriage return, or both.
fn line_end(text: &str, start: usize) -> Option<(usize, usize)> {
    let end = start + text[start..].find(['\n', '\r'])?;
    let next = if text[end..].starts_with("\r\n") { end + 2 } else { end + 1 };
    Some((end, next))
}

/// The position of a byte.
pub fn position(text: &str, offset: usize) -> Value {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let (mut line, mut start) = (0, 0);
    while let Some((_, next)) = line_end(text, start).filter(|(_, next)| *next <= offset) {
        line += 1;
        start = next;
    }
    let character: usize = before[start..].chars().map(char::len_utf16).sum();
    json!({"line": line, "character": character})
}

/// The range between two bytes.
pub fn range(text: &str, start: usize, end: usize) -> Value {
    json!({"start": position(text, start), "end": position(text, end)})
}

/// The byte a position in a message stands for.
pub fn offset_in(text: &str, position: &Value) -> Option<usize> {
    let number = |key: &str| u32::try_from(position.get(key)?.as_u64()?).ok();
    Some(offset(text, number("line")?, number("character")?))
}

/// The bytes a range in a message stands for.
pub fn range_in(text: &str, range: &Value) -> Option<(usize, usize)> {
    let start = offset_in(text, range.get("start")?)?;
    let end = offset_in(text, range.get("end")?)?;
    Some((start, end.max(start)))
}

/// The name at a byte, or right before it: where it begins and ends.
pub fn word_at(text: &str, offset: usize) -> (usize, usize) {
    let part = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    let before = &text[..offset];
    let start = before.char_indices().rev().take_while(|(_, c)| part(*c)).last();
    let start = start.map_or(offset, |(at, _)| at);
    let after = text[offset..].find(|c| !part(c)).unwrap_or(text.len() - offset);
    (start, offset + after)
}

/// A path as a URI.
pub fn uri_of_path(path: &str) -> String {
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The path of a `file:` URI; others are their own name.
pub fn path_of_uri(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else { return uri.to_string() };
    // `file://host/path`: the host is this one.
    let rest =
        if rest.starts_with('/') { rest } else { rest.find('/').map_or("", |at| &rest[at..]) };
    let bytes = rest.as_bytes();
    let mut path = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%')
            .then(|| rest.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match hex {
            Some(byte) => {
                path.push(byte);
                at += 3;
            }
            None => {
                path.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&path).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16() {
        let text = "a\n\u{1f600}b\r\nend";
        assert_eq!(offset(text, 0, 9), 1);
        assert_eq!(offset(text, 1, 2), 6);
        assert_eq!(offset(text, 1, 3), 7);
        assert_eq!(offset(text, 1, 99), 7);
        assert_eq!(offset(text, 9, 0), text.len());
        assert_eq!(position(text, 6), json!({"line": 1, "character": 2}));
        // Inside a character is before it.
        assert_eq!(position(text, 3), json!({"line": 1, "character": 0}));
    }

    #[test]
    fn a_carriage_return_alone_ends_a_line() {
        let text = "event a(x)\revent b(x)\r\nc";
        assert_eq!(offset(text, 1, 6), 17);
        assert_eq!(offset(text, 0, 99), 10);
        assert_eq!(offset(text, 2, 0), 23);
        assert_eq!(position(text, 17), json!({"line": 1, "character": 6}));
        assert_eq!(position(text, 23), json!({"line": 2, "character": 0}));
    }

    #[test]
    fn paths_survive_uris() {
        for path in ["/a b/ü%.ww", "/plain/x.ww"] {
            assert_eq!(path_of_uri(&uri_of_path(path)), path);
        }
        assert_eq!(path_of_uri("untitled:1"), "untitled:1");
        assert_eq!(path_of_uri("file:///a%2"), "/a%2");
    }

    #[test]
    fn words_are_found_from_inside_and_from_behind() {
        assert_eq!(word_at("on login(u)", 5), (3, 8));
        assert_eq!(word_at("on login(u)", 8), (3, 8));
        assert_eq!(word_at("a + b", 2), (2, 2));
    }
}
