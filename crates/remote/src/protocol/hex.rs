//! Numbers and bytes as the protocol writes them.

/// Bytes as hexadecimal digits.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push_str(&format!("{byte:02x}"));
    }
    out
}

/// Hexadecimal digits as bytes.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let digit = |c: u8| (c as char).to_digit(16).map(|d| d as u8);
    text.chunks(2).map(|pair| Some(digit(pair[0])? * 16 + digit(pair[1])?)).collect()
}

/// Hexadecimal digits as text.
pub fn text(digits: &str) -> Option<String> {
    decode(digits).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// A number without a prefix.
pub fn number(text: &str) -> Option<u64> {
    if text.starts_with(['+', '-']) { None } else { u64::from_str_radix(text, 16).ok() }
}
