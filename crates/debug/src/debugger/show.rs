//! Values as text.

use std::fmt::Write;

use super::{Contents, Debugger};
use crate::error::{Error, Result};
use crate::info::{Kind, Type};
use crate::tracer::ProcessId;
use crate::value::{Held, Value};

/// Elements and characters shown of an array or string.
const SHOWN: usize = 200;
const DEPTH: u32 = 6;
/// So many equal elements are shown as one.
const REPEATED: usize = 10;
/// Letters of forms in which numbers are shown.
const FORMS: &str = "xzduotcafs";

impl Debugger {
    /// A value as a person reads it: `{size = 3, items = 0x5555… }`, strings in quotes.
    pub fn show(&mut self, process: ProcessId, value: &Value) -> String {
        let mut out = String::new();
        self.show_into(process, value, None, 0, &mut out);
        out
    }

    /// A value with its numbers in another form, by the letters that GDB has for them.
    ///
    /// # Errors
    /// If there is no such form.
    pub fn show_as(&mut self, process: ProcessId, value: &Value, letter: char) -> Result<String> {
        if !FORMS.contains(letter) {
            return Err(Error::expression(format!(
                "`{letter}` is no form of a value; there are x z d u o t c a f s"
            )));
        }
        let mut out = String::new();
        self.show_into(process, value, Some(letter), 0, &mut out);
        Ok(out)
    }

    /// Instructions from an address on, as text.
    pub fn disassemble(
        &self,
        process: ProcessId,
        address: u64,
        count: usize,
    ) -> crate::Result<Vec<(u64, String)>> {
        use iced_x86::{Decoder, DecoderOptions, FastFormatter};
        const LONGEST: usize = 15;
        let mut bytes = vec![0; count.saturating_mul(LONGEST).min(1 << 20)];
        let n = self.tracer.read_partly(process, address, &mut bytes);
        if n == 0 {
            self.tracer.read(process, address, &mut [0])?;
        }
        let mut formatter = FastFormatter::new();
        let decoder = Decoder::with_ip(64, &bytes[..n], address, DecoderOptions::NONE);
        Ok(decoder
            .into_iter()
            .take(count)
            .map(|i| {
                let mut text = String::new();
                formatter.format(&i, &mut text);
                (i.ip(), text)
            })
            .collect())
    }

    fn show_into(
        &mut self,
        process: ProcessId,
        value: &Value,
        letter: Option<char>,
        depth: u32,
        out: &mut String,
    ) {
        if depth > DEPTH {
            out.push('…');
            return;
        }
        let is_scalar =
            value.ty.is_integral() || matches!(value.ty.kind, Kind::Float | Kind::Pointer(_));
        if let Some(letter) = letter.filter(|l| is_scalar && *l != 's') {
            return self.show_scalar(process, value, letter, out);
        }
        match &value.ty.kind {
            Kind::Void => out.push_str("void"),
            Kind::Boolean => match value.as_integer() {
                Ok(0) => out.push_str("false"),
                _ => out.push_str("true"),
            },
            Kind::Integer { .. } => number(value, out),
            Kind::Character { .. } => {
                number(value, out);
                let Ok(n) = value.as_integer() else { return };
                if value.ty.size == 1 {
                    let _ = write!(out, " {}", character(n as u8));
                } else if let Some(c) = u32::try_from(n).ok().and_then(char::from_u32)
                    && !c.is_control()
                {
                    let _ = write!(out, " '{c}'");
                }
            }
            Kind::Float => out.push_str(&plain_float(value)),
            Kind::Enumeration { variants, .. } => {
                let n = value.as_integer().unwrap_or(0);
                match variants.iter().find(|v| i128::from(v.1) == n) {
                    Some((name, _)) if !name.is_empty() => out.push_str(name),
                    _ => match flags(variants, n) {
                        Some(text) => out.push_str(&text),
                        None => number(value, out),
                    },
                }
            }
            // Structures may refer to themselves: only the outermost reference is followed.
            Kind::Reference(_) if depth == 0 => {
                let _ = write!(out, "@{:#x}: ", value.as_u64().unwrap_or(0));
                match self.referred(process, value) {
                    Some(object) => self.show_into(process, &object, letter, depth + 1, out),
                    None => out.push('?'),
                }
            }
            Kind::Pointer(target) | Kind::Reference(target) => {
                let address = value.as_u64().unwrap_or(0);
                let _ = write!(out, "{address:#x}");
                let target = target.get().ok();
                let is_text = target
                    .as_ref()
                    .is_some_and(|t| t.size == 1 && matches!(t.kind, Kind::Character { .. }));
                if is_text && address != 0 {
                    let mut bytes = vec![0u8; SHOWN];
                    let n = self.tracer.read_partly(process, address, &mut bytes);
                    if n > 0 {
                        out.push(' ');
                        text(&bytes[..n], out);
                    }
                } else if target.is_some_and(|t| matches!(t.kind, Kind::Function)) {
                    let _ = write!(out, " <{}>", self.describe(process, address));
                }
            }
            Kind::Array { element, count } => {
                let Ok(element) = element.get() else { return out.push('?') };
                // Of a large object only its place is known.
                let mut bytes = std::borrow::Cow::Borrowed(&value.bytes);
                if let (true, Some(address)) = (bytes.is_empty(), value.address()) {
                    let size = count.saturating_mul(element.size).min(1 << 20) as usize;
                    let mut read = vec![0; size];
                    let got = self.tracer.read_partly(process, address, &mut read);
                    read.truncate(got);
                    bytes = std::borrow::Cow::Owned(read);
                }
                let is_text = element.size == 1 && matches!(element.kind, Kind::Character { .. });
                if is_text && letter.is_none_or(|l| l == 's') {
                    return array_text(&bytes, out);
                }
                self.show_elements(process, (&element, *count), &bytes, letter, depth, out);
            }
            Kind::Structure { members, .. } => {
                if let Some(contents) = self.contents(process, value) {
                    return self.show_contents(process, contents, letter, depth, out);
                }
                out.push('{');
                for (i, m) in members.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    if !m.name.is_empty() {
                        let _ = write!(out, "{} = ", m.name);
                    }
                    let Ok(ty) = m.ty.get() else {
                        out.push('?');
                        continue;
                    };
                    let end = m.offset.saturating_add(ty.size) as usize;
                    let whole = value.address().filter(|_| value.bytes.is_empty());
                    let far = whole.map(|a| self.value_at(process, &ty, a.wrapping_add(m.offset)));
                    match (value.bytes.get(m.offset as usize..end), far) {
                        (Some(bytes), _) => {
                            self.part(process, (&ty, m.bits), bytes, letter, depth, out)
                        }
                        (None, Some(Ok(mut member))) => {
                            member.bits = m.bits;
                            self.show_into(process, &member, letter, depth + 1, out);
                        }
                        (None, _) => out.push('?'),
                    }
                }
                out.push('}');
            }
            Kind::Function => {
                let at = value.address().unwrap_or(0);
                let _ = write!(out, "{at:#x} <{}>", self.describe(process, at));
            }
            Kind::Opaque => out.push_str("<incomplete type>"),
        }
    }

    fn show_contents(
        &mut self,
        process: ProcessId,
        contents: Contents,
        letter: Option<char>,
        depth: u32,
        out: &mut String,
    ) {
        match contents {
            Contents::Text { address, length } => {
                let mut bytes = vec![0; length.min(SHOWN as u64) as usize];
                let got = self.tracer.read_partly(process, address, &mut bytes);
                let _ = write!(out, "{:?}", String::from_utf8_lossy(&bytes[..got]));
                if length > SHOWN as u64 {
                    out.push('…');
                }
            }
            Contents::Elements { element, address, count } => {
                out.push('{');
                for i in 0..count.min(SHOWN as u64) {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    let at = address.wrapping_add(i.wrapping_mul(element.size));
                    match self.value_at(process, &element, at) {
                        Ok(value) => self.show_into(process, &value, letter, depth + 1, out),
                        Err(_) => {
                            out.push('?');
                            break;
                        }
                    }
                }
                if count > SHOWN as u64 {
                    out.push_str(", …");
                }
                out.push('}');
            }
            Contents::Gone => out.push('?'),
            Contents::KeptText(bytes) => {
                let _ = write!(out, "{:?}", String::from_utf8_lossy(&bytes));
            }
            Contents::KeptElements(elements) => {
                out.push('{');
                for (i, element) in elements.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    self.show_into(process, element, letter, depth + 1, out);
                }
                out.push('}');
            }
            Contents::Optional(None) => out.push_str("no value"),
            Contents::Optional(Some(held)) => {
                out.push('{');
                self.show_into(process, &held, letter, depth + 1, out);
                out.push('}');
            }
            Contents::Variant { name, value } => {
                out.push_str(&name);
                if value.ty.size > 0
                    && matches!(&value.ty.kind, Kind::Structure { members, .. } if !members.is_empty())
                {
                    out.push(' ');
                    self.show_into(process, &value, letter, depth + 1, out);
                }
            }
        }
    }

    fn part(
        &mut self,
        process: ProcessId,
        (ty, bits): (&std::rc::Rc<Type>, Option<(u64, u64)>),
        bytes: &[u8],
        letter: Option<char>,
        depth: u32,
        out: &mut String,
    ) {
        let value =
            Value { ty: ty.clone(), bytes: bytes.to_vec(), place: None, bits, held: Held::No };
        self.show_into(process, &value, letter, depth + 1, out);
    }

    /// Elements beside each other; of many equal ones, one and their number.
    fn show_elements(
        &mut self,
        process: ProcessId,
        (element, count): (&std::rc::Rc<Type>, u64),
        bytes: &[u8],
        letter: Option<char>,
        depth: u32,
        out: &mut String,
    ) {
        let size = element.size as usize;
        let all: Vec<&[u8]> = bytes.chunks_exact(size.max(1)).take(count as usize).collect();
        out.push('{');
        let (mut at, mut shown) = (0, 0);
        while at < all.len() && shown < SHOWN {
            let same = all[at..].iter().take_while(|e| **e == all[at]).count();
            if at > 0 {
                out.push_str(", ");
            }
            self.part(process, (element, None), all[at], letter, depth, out);
            let (step, cost) = if same >= REPEATED { (same, REPEATED) } else { (1, 1) };
            if same >= REPEATED {
                let _ = write!(out, " <repeats {same} times>");
            }
            at += step;
            shown += cost;
        }
        if count as usize > at {
            out.push_str(", …");
        }
        out.push('}');
    }

    /// A number, address, character, … in the form that was asked for.
    fn show_scalar(&mut self, process: ProcessId, value: &Value, letter: char, out: &mut String) {
        let is_float = matches!(value.ty.kind, Kind::Float);
        let size = value.bytes.len().min(8);
        let mut word = [0; 8];
        word[..size].copy_from_slice(&value.bytes[..size]);
        let bits = u64::from_le_bytes(word);
        let unsigned = if is_float { bits } else { value.as_integer().map_or(bits, |n| n as u64) };
        let text = match letter {
            'f' if is_float && value.bytes.len() > 8 => plain_float(value),
            'f' => float_of_bits(unsigned, value.ty.size),
            'a' => match self.symbol(process, unsigned) {
                Some(symbol) => format!("{unsigned:#x} <{symbol}>"),
                None => format!("{unsigned:#x}"),
            },
            letter => number_as(letter, unsigned, value.ty.size),
        };
        out.push_str(&text);
    }
}

/// A number of so many bytes, in the form of a letter of `FORMS`.
pub fn number_as(letter: char, number: u64, size: u64) -> String {
    let bits = (size.clamp(1, 8) * 8) as u32;
    let shift = 64 - bits;
    let unsigned = number << shift >> shift;
    let signed = ((unsigned << shift) as i64) >> shift;
    match letter {
        'x' => format!("{unsigned:#x}"),
        'z' => format!("{unsigned:#0width$x}", width = bits as usize / 4 + 2),
        'u' => unsigned.to_string(),
        'o' if unsigned == 0 => "0".to_string(),
        'o' => format!("0{unsigned:o}"),
        't' => format!("{unsigned:b}"),
        'c' => {
            let byte = unsigned as u8;
            let number = if size == 1 { signed } else { i64::from(byte as i8) };
            format!("{number} {}", character(byte))
        }
        'f' => float_of_bits(unsigned, size),
        'a' => format!("{unsigned:#x}"),
        _ => signed.to_string(),
    }
}

/// Bytes as C writes them in a text.
pub fn text_of(bytes: &[u8]) -> String {
    let mut out = String::new();
    quoted_text(bytes, &mut out);
    out
}

/// A byte as C writes the character.
fn character(byte: u8) -> String {
    let mut text = String::new();
    escape_into(&[byte], '\'', &mut text);
    format!("'{text}'")
}

/// The bits of a floating-point number as that number; of other sizes, the number.
fn float_of_bits(bits: u64, size: u64) -> String {
    match size {
        4 => short(format!("{:?}", f32::from_bits(bits as u32))),
        8 => short(format!("{:?}", f64::from_bits(bits))),
        _ => bits.to_string(),
    }
}

fn plain_float(value: &Value) -> String {
    match value.bytes.as_slice() {
        [a, b, c, d] => short(format!("{:?}", f32::from_le_bytes([*a, *b, *c, *d]))),
        _ => value.as_f64().map_or_else(|_| "?".to_string(), |f| short(format!("{f:?}"))),
    }
}

/// A floating-point number without a fraction that is none.
fn short(text: String) -> String {
    text.strip_suffix(".0").map_or(text.clone(), str::to_string).replace("NaN", "nan")
}

/// Names of the bits of a number, if an enumeration is made of bits: `(A | C)`.
fn flags(variants: &[(String, i64)], number: i128) -> Option<String> {
    let is_bit = |n: i64| n > 0 && n & (n - 1) == 0;
    let is_made_of_bits = variants.iter().all(|(_, n)| *n == 0 || is_bit(*n));
    if !is_made_of_bits || variants.len() < 2 || number <= 0 {
        return None;
    }
    let mut left = number;
    let mut names = Vec::new();
    for (name, bit) in variants.iter().filter(|(_, bit)| *bit != 0) {
        if number & i128::from(*bit) != 0 && left & i128::from(*bit) != 0 {
            left &= !i128::from(*bit);
            // Some bits have no name.
            names.extend(Some(name.clone()).filter(|n| !n.is_empty()));
        }
    }
    if names.is_empty() {
        return None;
    }
    if left != 0 {
        names.push(format!("unknown: {left:#x}"));
    }
    Some(format!("({})", names.join(" | ")))
}

fn number(value: &Value, out: &mut String) {
    match value.as_integer() {
        Ok(n) => {
            let _ = write!(out, "{n}");
        }
        Err(_) => out.push('?'),
    }
}

/// A text up to the zero that ends it.
fn text(bytes: &[u8], out: &mut String) {
    let end = bytes.iter().position(|b| *b == 0);
    quoted_text(&bytes[..end.unwrap_or(bytes.len()).min(SHOWN)], out);
    if end.is_none() && bytes.len() >= SHOWN {
        out.push('…');
    }
}

/// An array of characters: zeros at its end are left out, others are shown.
fn array_text(bytes: &[u8], out: &mut String) {
    let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    quoted_text(&bytes[..end.min(SHOWN)], out);
    if end > SHOWN {
        out.push('…');
    }
}

fn quoted_text(bytes: &[u8], out: &mut String) {
    out.push('"');
    escape_into(bytes, '"', out);
    out.push('"');
}

/// Bytes as C writes them in a text; what is UTF-8 stays readable.
fn escape_into(bytes: &[u8], quote: char, out: &mut String) {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\x07' => out.push_str("\\a"),
                '\\' => out.push_str("\\\\"),
                c if c == quote => {
                    out.push('\\');
                    out.push(c);
                }
                c if c.is_ascii_control() => {
                    let _ = write!(out, "\\{:03o}", u32::from(c));
                }
                c => out.extend(Some(c).filter(|c| !c.is_control()).or(Some('?'))),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\{byte:03o}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_forms() {
        assert_eq!(number_as('x', u64::MAX, 4), "0xffffffff");
        assert_eq!(number_as('d', 0xffff_ffff, 4), "-1");
        assert_eq!(number_as('u', 0xffff_ffff, 4), "4294967295");
        assert_eq!(number_as('t', 5, 4), "101");
        assert_eq!(number_as('c', 65, 1), "65 'A'");
        assert_eq!(number_as('c', 200, 1), "-56 '\\310'");
        assert_eq!(number_as('o', 8, 4), "010");
        assert_eq!(number_as('z', 5, 4), "0x00000005");
        assert_eq!(number_as('f', 0x3fc0_0000, 4), "1.5");
        assert_eq!(short(format!("{:?}", 1e-45f32)), "1e-45");
        assert_eq!(short(format!("{:?}", 5.0f64)), "5");
    }

    #[test]
    fn texts_are_written_as_in_c() {
        let shown = |bytes: &[u8]| {
            let mut out = String::new();
            array_text(bytes, &mut out);
            out
        };
        assert_eq!(shown(b"abc\0\0"), "\"abc\"");
        assert_eq!(shown(b"a\0b\0"), "\"a\\000b\"");
        assert_eq!(shown(b"\x01\xff\"\\\n\x07"), "\"\\001\\377\\\"\\\\\\n\\a\"");
        assert_eq!(shown("größe".as_bytes()), "\"größe\"");
    }

    #[test]
    fn bits_have_names() {
        let bits: Vec<(String, i64)> =
            [("A", 1), ("B", 2), ("C", 4)].map(|(n, b)| (n.to_string(), b)).into();
        assert_eq!(flags(&bits, 5).unwrap(), "(A | C)");
        assert_eq!(flags(&bits, 12).unwrap(), "(C | unknown: 0x8)");
        assert_eq!(flags(&bits, 8), None);
        let plain: Vec<(String, i64)> =
            [("A", 1), ("B", 3)].map(|(n, b)| (n.to_string(), b)).into();
        assert_eq!(flags(&plain, 5), None);
    }
}
