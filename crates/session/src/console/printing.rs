//! `printf`, `echo`, `output`: text without numbers of results.

use watchword_debug::info::Kind;
use watchword_debug::{Value, expr};
use watchword_native::Session;

use super::examine::format;
use super::{Console, Done, Then};
use crate::error::{Context, bail};

/// Bytes of a text that are shown.
const LONGEST: usize = 1 << 16;

impl Console {
    /// Shows text that may be a part of a line; what is not a whole line yet waits for the rest of it.
    pub(super) fn write(&mut self, text: &str) {
        self.unfinished.push_str(text);
        while let Some(end) = self.unfinished.find('\n') {
            let line: String = self.unfinished.drain(..=end).collect();
            self.tell(&crate::Happening::plain(&line[..end]));
        }
    }

    /// What is there of a line is shown now.
    pub(super) fn finish_line(&mut self) {
        if !self.unfinished.is_empty() {
            let line = std::mem::take(&mut self.unfinished);
            self.tell(&crate::Happening::plain(&line));
        }
    }
}

pub(super) fn output(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (format, text) = format(rest)?;
    let value = console.value(session, text)?;
    let shown = console.shown(session, &value, format)?;
    console.write(&shown);
    Ok(Then::Next)
}

pub(super) fn echo(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    let text = unescaped(rest).context("a backslash at the end stands for nothing")?;
    console.write(&text);
    Ok(Then::Next)
}

/// Text with what its backslashes stand for.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (c, after) = expr::escaped(&rest[at + 1..])?;
        out.push(c);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// `printf "FORMAT", EXPRESSION, …`
pub(super) fn printf(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let text = formatted(session, rest)?;
    console.write(&text);
    Ok(Then::Next)
}

fn formatted(session: &mut Session, rest: &str) -> crate::Result<String> {
    const USAGE: &str = "printf \"FORMAT\", EXPRESSION, …";
    let inner = rest.strip_prefix('"').context(USAGE)?;
    let end = end_of_quotes(inner).context("the format must end with quotes")?;
    let (template, after) = (&inner[..end], inner[end + 1..].trim());
    let template = unescaped(template).context(USAGE)?;
    let args = match after.strip_prefix(',') {
        Some(list) => expr::parse_list(list)?,
        None if after.is_empty() => Vec::new(),
        None => bail!("{USAGE}"),
    };
    let mut values = Vec::new();
    let (thread, frame) = match args.is_empty() {
        true => (None, 0),
        false => (Some(session.thread()?), session.frame()),
    };
    for arg in &args {
        if let Some(thread) = thread {
            values.push(session.program().debugger().evaluate(thread, frame, arg)?);
        }
    }
    let mut values = values.into_iter();
    let mut out = String::new();
    let mut rest = template.as_str();
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let (directive, after) = Directive::read(after)?;
        let value = values.next().context("the format wants more values than there are")?;
        out.push_str(&directive.apply(session, &value)?);
        rest = after;
    }
    out.push_str(rest);
    if values.next().is_some() {
        bail!("there are more values than the format wants");
    }
    Ok(out)
}

fn end_of_quotes(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(i, c)| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends.then_some(i)
    })
}

/// `%-8.3lf` and its like.
struct Directive {
    is_left: bool,
    is_zeroed: bool,
    has_sign: bool,
    is_alternate: bool,
    width: usize,
    precision: Option<usize>,
    /// Bytes of the number, if the directive says so.
    size: u64,
    letter: char,
}

impl Directive {
    /// Reads what follows a `%`.
    fn read(text: &str) -> crate::Result<(Directive, &str)> {
        let flags = text.find(|c| !"-+ #0'".contains(c)).unwrap_or(text.len());
        let (set, rest) = text.split_at(flags);
        let number = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (width, rest) = rest.split_at(number(rest));
        let (precision, rest) = match rest.strip_prefix('.') {
            Some(after) => {
                let (digits, rest) = after.split_at(number(after));
                (Some(digits.parse().unwrap_or(0)), rest)
            }
            None => (None, rest),
        };
        let letters = rest.find(|c| !"hlLqjzt".contains(c)).unwrap_or(rest.len());
        let (length, rest) = rest.split_at(letters);
        let letter = rest.chars().next().filter(|c| "diuxXocspfFgGeEaA".contains(*c));
        let letter = letter.with_context(|| format!("`%{text}` is no directive of printf"))?;
        let size = match length {
            "hh" => 1,
            "h" => 2,
            "" => 4,
            _ => 8,
        };
        let directive = Directive {
            is_left: set.contains('-'),
            is_zeroed: set.contains('0') && !set.contains('-'),
            has_sign: set.contains('+'),
            is_alternate: set.contains('#'),
            width: width.parse().unwrap_or(0).min(LONGEST),
            precision: precision.map(|n: usize| n.min(LONGEST)),
            size,
            letter,
        };
        Ok((directive, &rest[1..]))
    }

    fn apply(&self, session: &mut Session, value: &Value) -> crate::Result<String> {
        let text = match self.letter {
            's' => {
                let text = text_at(session, value)?;
                text.chars().take(self.precision.unwrap_or(usize::MAX)).collect()
            }
            'c' => char::from_u32(number(value)? as u32).unwrap_or('?').to_string(),
            'p' => format!("{:#x}", number(value)? as u64),
            'd' | 'i' => {
                let bits = 64 - 8 * self.size as u32;
                let n = (number(value)? as i64) << bits >> bits;
                let sign = if n >= 0 && self.has_sign { "+" } else { "" };
                format!("{sign}{n}")
            }
            'u' | 'x' | 'X' | 'o' => {
                let bits = 64 - 8 * self.size as u32;
                let n = (number(value)? as u64) << bits >> bits;
                match (self.letter, self.is_alternate) {
                    ('u', _) => n.to_string(),
                    ('x', true) => format!("{n:#x}"),
                    ('x', _) => format!("{n:x}"),
                    ('X', true) => format!("0X{n:X}"),
                    ('X', _) => format!("{n:X}"),
                    (_, true) => format!("0{n:o}"),
                    _ => format!("{n:o}"),
                }
            }
            letter => {
                let n = value.as_f64()?;
                let sign = if n >= 0.0 && self.has_sign { "+" } else { "" };
                format!("{sign}{}", float(letter, n, self.precision.unwrap_or(6)))
            }
        };
        let missing = self.width.saturating_sub(text.chars().count());
        Ok(match () {
            () if self.is_left => format!("{text}{}", " ".repeat(missing)),
            () if self.is_zeroed && !matches!(self.letter, 's' | 'c') => {
                let digits = text.trim_start_matches(['-', '+']);
                let sign = &text[..text.len() - digits.len()];
                format!("{sign}{}{digits}", "0".repeat(missing))
            }
            () => format!("{}{text}", " ".repeat(missing)),
        })
    }
}

fn number(value: &Value) -> crate::Result<i128> {
    match value.ty.kind {
        Kind::Float => Ok(value.as_f64()? as i128),
        _ => {
            Ok(super::memory::address_of(value).map(i128::from).or_else(|_| value.as_integer())?)
        }
    }
}

/// A floating-point number as C prints it.
fn float(letter: char, n: f64, precision: usize) -> String {
    if !n.is_finite() {
        return if n.is_nan() { "nan".into() } else { format!("{n}") };
    }
    let exponent = |text: String| {
        // `1e-5` is 1e-05 in C.
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, power) = power.strip_prefix('-').map_or(('+', power), |p| ('-', p));
        format!("{digits}e{sign}{power:0>2}")
    };
    let text = match letter.to_ascii_lowercase() {
        'f' => format!("{n:.precision$}"),
        'e' => exponent(format!("{n:.precision$e}")),
        _ => {
            let digits = precision.max(1);
            let power = match n == 0.0 {
                true => 0,
                false => {
                    let text = format!("{n:.*e}", digits - 1);
                    text.rsplit('e').next().and_then(|p| p.parse().ok()).unwrap_or(0)
                }
            };
            let trimmed = |text: &str| match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                false => text.to_string(),
            };
            if power < -4 || power >= digits as i32 {
                let text = format!("{n:.*e}", digits - 1);
                let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
                exponent(format!("{}e{power}", trimmed(digits)))
            } else {
                trimmed(&format!("{n:.*}", (digits as i32 - 1 - power).max(0) as usize))
            }
        }
    };
    if letter.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }
}

/// The text that a pointer leads to, or that an array holds.
fn text_at(session: &mut Session, value: &Value) -> crate::Result<String> {
    let process = session.program().process();
    let bytes = match (&value.ty.kind, value.address()) {
        (Kind::Array { .. }, None) => value.bytes().to_vec(),
        _ => {
            let address = super::memory::address_of(value)?;
            let mut bytes = vec![0; LONGEST];
            let tracer = session.program().debugger().tracer();
            let n = tracer.read_partly(process, address, &mut bytes);
            if n == 0 {
                bail!("there is no text at {address:#x}");
            }
            bytes.truncate(n);
            bytes
        }
    };
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
    // Tabs are not harmful, but are control characters.
    let parts: Vec<String> = text.split('\t').map(watchword_view::text::harmless).collect();
    Ok(parts.join("\t"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floating_point_numbers_are_printed_as_in_c() {
        assert_eq!(float('f', 2.5, 2), "2.50");
        assert_eq!(float('g', 2.5, 6), "2.5");
        assert_eq!(float('g', 1e-7, 6), "1e-07");
        assert_eq!(float('g', 1234567.0, 6), "1.23457e+06");
        assert_eq!(float('g', 100_000.0, 6), "100000");
        assert_eq!(float('E', 12345.0, 2), "1.23E+04");
        assert_eq!(float('g', 0.0, 6), "0");
    }

    #[test]
    fn escapes_stand_for_characters() {
        assert_eq!(unescaped(r"a\tb\n\x41\101\\").unwrap(), "a\tb\nAA\\");
        assert_eq!(unescaped(r"a\"), None);
        assert_eq!(end_of_quotes(r#"a\"b", c"#), Some(4));
    }
}
