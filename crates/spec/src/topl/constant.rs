//! Java literals between `<` and `>`.

use watchword_model::Value;

/// Why a constant has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoConstant {
    /// It is no Java literal.
    NoLiteral,
    /// It names a field of a class, and why that has no value.
    ClassField(String),
    /// It is a number that does not fit its type.
    TooLarge,
}

/// The value of a Java literal.
pub fn parse(text: &str) -> Result<Value, NoConstant> {
    let text = text.trim();
    match text {
        "true" => return Ok(Value::Bool(true)),
        "false" => return Ok(Value::Bool(false)),
        "null" => return Ok(Value::Null),
        _ => {}
    }
    if let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
        return unescape(inner, '"').map(|t| Value::str(&t)).ok_or(NoConstant::NoLiteral);
    }
    if let Some(inner) = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')) {
        let inner = unescape(inner, '\'').ok_or(NoConstant::NoLiteral)?;
        let mut units = inner.encode_utf16();
        return match (units.next(), units.next()) {
            (Some(unit), None) => Ok(Value::Int(i64::from(unit))),
            _ => Err(NoConstant::NoLiteral),
        };
    }
    if text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return number(text);
    }
    if let Some((_, value)) = KNOWN.iter().find(|(name, _)| {
        text == *name || text.strip_prefix("java.lang.").is_some_and(|rest| rest == *name)
    }) {
        return Ok(value.value());
    }
    let mut parts = text.split('.');
    let mut count = 0;
    let names = parts.all(|part| {
        count += 1;
        part.starts_with(|c: char| c.is_alphabetic() || "_$".contains(c))
            && part.chars().all(|c| c.is_alphanumeric() || "_$".contains(c))
    });
    Err(if names && count > 1 {
        NoConstant::ClassField(String::new())
    } else {
        NoConstant::NoLiteral
    })
}

/// A constant every JVM agrees on.
#[derive(Clone, Copy)]
enum Known {
    Int(i64),
    Float(f64),
    Bool(bool),
}

impl Known {
    fn value(self) -> Value {
        match self {
            Known::Int(i) => Value::Int(i),
            Known::Float(f) => Value::Float(f),
            Known::Bool(b) => Value::Bool(b),
        }
    }
}

const KNOWN: [(&str, Known); 18] = [
    ("Integer.MAX_VALUE", Known::Int(i32::MAX as i64)),
    ("Integer.MIN_VALUE", Known::Int(i32::MIN as i64)),
    ("Long.MAX_VALUE", Known::Int(i64::MAX)),
    ("Long.MIN_VALUE", Known::Int(i64::MIN)),
    ("Short.MAX_VALUE", Known::Int(i16::MAX as i64)),
    ("Short.MIN_VALUE", Known::Int(i16::MIN as i64)),
    ("Byte.MAX_VALUE", Known::Int(i8::MAX as i64)),
    ("Byte.MIN_VALUE", Known::Int(i8::MIN as i64)),
    ("Character.MAX_VALUE", Known::Int(0xffff)),
    ("Character.MIN_VALUE", Known::Int(0)),
    ("Double.MAX_VALUE", Known::Float(f64::MAX)),
    ("Double.NaN", Known::Float(f64::NAN)),
    ("Double.POSITIVE_INFINITY", Known::Float(f64::INFINITY)),
    ("Double.NEGATIVE_INFINITY", Known::Float(f64::NEG_INFINITY)),
    ("Float.POSITIVE_INFINITY", Known::Float(f64::INFINITY)),
    ("Float.NEGATIVE_INFINITY", Known::Float(f64::NEG_INFINITY)),
    ("Boolean.TRUE", Known::Bool(true)),
    ("Boolean.FALSE", Known::Bool(false)),
];

fn number(text: &str) -> Result<Value, NoConstant> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.trim_start();
    let lower = digits.to_ascii_lowercase();
    if lower.starts_with('_') || lower.ends_with('_') {
        return Err(NoConstant::NoLiteral);
    }
    let clean: String = lower.chars().filter(|c| *c != '_').collect();
    let (body, long) = match clean.strip_suffix('l') {
        Some(body) => (body, true),
        None => (clean.as_str(), false),
    };
    let radix = |prefix: &str, radix: u32| Some((body.strip_prefix(prefix)?, radix));
    let based = radix("0x", 16).or_else(|| radix("0b", 2)).or_else(|| {
        let octal = body.len() > 1 && body.bytes().all(|b| b.is_ascii_digit());
        if octal { radix("0", 8) } else { None }
    });
    if let Some((body, radix)) = based {
        if !body.chars().all(|c| c.is_digit(radix)) || body.is_empty() {
            return Err(NoConstant::NoLiteral);
        }
        // Java's based literals name bits: 0xffffffff is -1.
        let bits = u64::from_str_radix(body, radix).map_err(|_| NoConstant::TooLarge)?;
        let value = if long {
            bits as i64
        } else {
            i64::from(u32::try_from(bits).map_err(|_| NoConstant::TooLarge)? as i32)
        };
        let value = if negative { value.wrapping_neg() } else { value };
        return Ok(Value::Int(if long { value } else { i64::from(value as i32) }));
    }
    if !body.is_empty() && body.bytes().all(|b| b.is_ascii_digit()) {
        let magnitude: i128 = body.parse().map_err(|_| NoConstant::TooLarge)?;
        let value = if negative { -magnitude } else { magnitude };
        let fits =
            if long { i64::try_from(value).ok() } else { i32::try_from(value).ok().map(i64::from) };
        return fits.map(Value::Int).ok_or(NoConstant::TooLarge);
    }
    let (body, single) = match (clean.strip_suffix('f'), clean.strip_suffix('d')) {
        (Some(body), _) => (body, true),
        (None, Some(body)) => (body, false),
        (None, None) => (clean.as_str(), false),
    };
    if long
        || !body.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || !body.bytes().all(|b| b.is_ascii_digit() || b".e+-".contains(&b))
    {
        return Err(NoConstant::NoLiteral);
    }
    let value = if single { body.parse::<f32>().map(f64::from) } else { body.parse::<f64>() }
        .map_err(|_| NoConstant::NoLiteral)?;
    if value.is_infinite() {
        return Err(NoConstant::TooLarge);
    }
    Ok(Value::Float(if negative { -value } else { value }))
}

fn unescape(text: &str, quote: char) -> Option<String> {
    let mut out = String::new();
    let mut units: Vec<u16> = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == quote {
            return None;
        }
        if c != '\\' {
            flush(&mut units, &mut out)?;
            out.push(c);
            continue;
        }
        let escaped = match chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            's' => ' ',
            c @ ('"' | '\'' | '\\') => c,
            'u' => {
                while chars.peek() == Some(&'u') {
                    chars.next();
                }
                let mut unit = 0;
                for _ in 0..4 {
                    unit = unit * 16 + chars.next()?.to_digit(16)?;
                }
                units.push(unit as u16);
                continue;
            }
            c @ '0'..='7' => {
                let mut code = c.to_digit(8)?;
                for _ in 0..2 {
                    match chars.peek().and_then(|c| c.to_digit(8)) {
                        Some(digit) if code * 8 + digit < 256 => {
                            code = code * 8 + digit;
                            chars.next();
                        }
                        _ => break,
                    }
                }
                char::from_u32(code)?
            }
            _ => return None,
        };
        flush(&mut units, &mut out)?;
        out.push(escaped);
    }
    flush(&mut units, &mut out)?;
    Some(out)
}

/// Pairs of surrogates make one character.
fn flush(units: &mut Vec<u16>, out: &mut String) -> Option<()> {
    out.push_str(&String::from_utf16(units).ok()?);
    units.clear();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> i64 {
        match parse(text) {
            Ok(Value::Int(i)) => i,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers() {
        assert_eq!(int("42"), 42);
        assert_eq!(int("-1"), -1);
        assert_eq!(int("1_000"), 1000);
        assert_eq!(int("0x1F"), 31);
        assert_eq!(int("0xffffffff"), -1);
        assert_eq!(int("0xffffffffL"), 0xffff_ffff);
        assert_eq!(int("017"), 15);
        assert_eq!(int("0"), 0);
        assert_eq!(int("0b101"), 5);
        assert_eq!(int("-2147483648"), i64::from(i32::MIN));
        assert_eq!(int("9223372036854775807L"), i64::MAX);
        assert_eq!(int("-9223372036854775808L"), i64::MIN);
        assert_eq!(int("'a'"), 97);
        assert_eq!(int(r"'\n'"), 10);
        assert_eq!(int(r"'\u0041'"), 65);
        assert_eq!(int("java.lang.Integer.MAX_VALUE"), i64::from(i32::MAX));
        assert_eq!(int("Long.MIN_VALUE"), i64::MIN);
        for (text, why) in [
            ("2147483648", NoConstant::TooLarge),
            ("0x1ffffffff", NoConstant::TooLarge),
            ("9223372036854775808L", NoConstant::TooLarge),
            ("09", NoConstant::NoLiteral),
            ("0x", NoConstant::NoLiteral),
            ("12a", NoConstant::NoLiteral),
            ("--1", NoConstant::NoLiteral),
        ] {
            assert_eq!(parse(text).unwrap_err(), why, "{text}");
        }
    }

    #[test]
    fn other_literals() {
        assert!(matches!(parse("true"), Ok(Value::Bool(true))));
        assert!(matches!(parse("null"), Ok(Value::Null)));
        assert!(matches!(parse("1.5"), Ok(Value::Float(f)) if f == 1.5));
        assert!(matches!(parse("-2e3d"), Ok(Value::Float(f)) if f == -2000.0));
        assert!(matches!(parse("0.1f"), Ok(Value::Float(f)) if f == f64::from(0.1f32)));
        assert!(matches!(parse(r#""a\tb\"""#), Ok(Value::Str(s)) if &*s == "a\tb\""));
        assert!(matches!(parse(r#""\uD83D\uDE00""#), Ok(Value::Str(s)) if &*s == "😀"));
        assert!(matches!(parse(r#""\101""#), Ok(Value::Str(s)) if &*s == "A"));
        for (text, why) in [
            ("p.C.FIELD", NoConstant::ClassField(String::new())),
            ("FIELD", NoConstant::NoLiteral),
            ("\"a", NoConstant::NoLiteral),
            ("'ab'", NoConstant::NoLiteral),
            (r#""\q""#, NoConstant::NoLiteral),
            ("", NoConstant::NoLiteral),
            ("1e999", NoConstant::TooLarge),
            ("p.*", NoConstant::NoLiteral),
        ] {
            assert_eq!(parse(text).unwrap_err(), why, "{text}");
        }
    }
}
