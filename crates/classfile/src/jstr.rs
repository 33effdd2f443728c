//! Strings of class files: modified UTF-8.

use std::borrow::Cow;
use std::fmt;

/// A string as class files store it, in *modified UTF-8*.
///
/// Modified UTF-8 differs from UTF-8 in two ways: U+0000 takes two bytes, and characters outside
/// the basic plane are two encoded surrogates. The bytes are kept as they are, so nothing is lost
/// even when they are not valid; comparing with a `&str` compares characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct JStr<'a>(&'a [u8]);

impl<'a> JStr<'a> {
    /// Wraps raw modified UTF-8.
    pub const fn new(bytes: &'a [u8]) -> JStr<'a> {
        JStr(bytes)
    }

    /// The raw bytes.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// Whether the string has no characters.
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The text; lone surrogates and invalid bytes become U+FFFD. Borrowed when the bytes are
    /// plain UTF-8, as almost all names are.
    pub fn to_str(self) -> Cow<'a, str> {
        match std::str::from_utf8(self.0) {
            Ok(text) if !text.contains('\0') => Cow::Borrowed(text),
            _ => Cow::Owned(decode(self.0)),
        }
    }

    /// Whether every byte belongs to a well-formed modified UTF-8 sequence. Lone surrogates are
    /// well formed: Java strings may hold them.
    pub fn is_well_formed(self) -> bool {
        let mut rest = self.0;
        while !rest.is_empty() {
            match unit(rest) {
                Some((_, len)) => rest = &rest[len..],
                None => return false,
            }
        }
        true
    }
}

impl fmt::Display for JStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_str())
    }
}

impl fmt::Debug for JStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.to_str(), f)
    }
}

impl PartialEq<str> for JStr<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes() && !other.contains('\0')
            || (self.0.iter().any(|b| *b >= 0x80) && self.0 == &*encode(other))
    }
}

impl PartialEq<&str> for JStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl<'a> From<&'a [u8]> for JStr<'a> {
    fn from(bytes: &'a [u8]) -> JStr<'a> {
        JStr(bytes)
    }
}

/// Reads one UTF-16 code unit and its length in bytes.
fn unit(bytes: &[u8]) -> Option<(u16, usize)> {
    let tail = |i: usize| match bytes.get(i) {
        Some(b) if b & 0xc0 == 0x80 => Some(u16::from(b & 0x3f)),
        _ => None,
    };
    let first = *bytes.first()?;
    match first {
        0x01..=0x7f => Some((u16::from(first), 1)),
        0xc0..=0xdf => Some((u16::from(first & 0x1f) << 6 | tail(1)?, 2)),
        0xe0..=0xef => Some((u16::from(first & 0x0f) << 12 | tail(1)? << 6 | tail(2)?, 3)),
        _ => None,
    }
}

fn decode(mut rest: &[u8]) -> String {
    let mut units = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let (value, len) = unit(rest).unwrap_or((0xfffd, 1));
        units.push(value);
        rest = &rest[len..];
    }
    String::from_utf16_lossy(&units)
}

/// The modified UTF-8 of `text`; borrowed when it equals its UTF-8.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if text.bytes().all(|b| b != 0 && b < 0xf0) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len() + 8);
    for unit in text.encode_utf16() {
        match unit {
            0x01..=0x7f => out.push(unit as u8),
            0 | 0x80..=0x7ff => out.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
            _ => out.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_survive_both_ways() {
        for text in ["", "java/lang/Object", "é", "\0", "a\0b", "𝄞 and 😀", "\u{ffff}"] {
            let bytes = encode(text);
            let string = JStr::new(&bytes);
            assert!(string.is_well_formed(), "{text:?}");
            assert_eq!(string.to_str(), text);
            assert_eq!(string, text);
        }
        assert_ne!(JStr::new(b"a"), "b");
        assert_ne!(JStr::new(b"\0"), "\0", "a raw zero byte is not how Java writes U+0000");
    }

    #[test]
    fn bad_bytes_are_replaced_not_lost() {
        let lone = JStr::new(&[0xed, 0xa0, 0x80]);
        assert!(lone.is_well_formed());
        assert_eq!(lone.to_str(), "\u{fffd}");
        let bad = JStr::new(&[b'a', 0xff, 0xc3]);
        assert!(!bad.is_well_formed());
        assert_eq!(bad.to_str(), "a\u{fffd}\u{fffd}");
        assert_eq!(bad.as_bytes(), [b'a', 0xff, 0xc3]);
    }
}
