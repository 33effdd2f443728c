//! Commands that show and change values.

use std::fmt::Write;
use std::rc::Rc;

use crate::error::{Context, Result, bail};
use watchword_debug::Value;
use watchword_debug::info::{Kind, Type};
use watchword_native::Session;
use watchword_native::session::Locking;

use super::{Console, Done, Then};
use crate::answer::{Answer, Instruction};

/// `/4xw`: how often, how, and in which size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    count: usize,
    pub letter: Option<char>,
    size: Option<u64>,
}

/// Splits `/4xw rest`.
pub(super) fn format(text: &str) -> crate::Result<(Format, &str)> {
    let mut format = Format { count: 1, letter: None, size: None };
    let Some(after) = text.strip_prefix('/') else { return Ok((format, text)) };
    let end = after.find(char::is_whitespace).unwrap_or(after.len());
    let (spec, rest) = after.split_at(end);
    let digits = spec.find(|c: char| !c.is_ascii_digit()).unwrap_or(spec.len());
    if digits > 0 {
        format.count = spec[..digits].parse().context("a count that large makes no sense")?;
    }
    for c in spec[digits..].chars() {
        match c {
            'x' | 'd' | 'u' | 'o' | 't' | 'c' | 'a' | 'f' | 's' | 'i' | 'z' => {
                format.letter = Some(c)
            }
            'b' => format.size = Some(1),
            'h' => format.size = Some(2),
            'w' => format.size = Some(4),
            'g' => format.size = Some(8),
            other => {
                bail!("`{other}` is no format; there are x d u o t c a f s i and sizes b h w g")
            }
        }
    }
    Ok((format, rest.trim()))
}

impl Console {
    /// Replaces results of `print` (`$1`, or `$` for the last one) and variables of the person
    /// (`$name`) by expressions that give their values. What is left are registers.
    fn with_results(&self, text: &str) -> crate::Result<String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let (name, behind) = after.split_at(end.unwrap_or(after.len()));
            rest = behind;
            if let Some(value) = self.variables.get(name) {
                out.push_str(value);
                continue;
            }
            let number = match name {
                "" => self.results.len(),
                name if name.starts_with(|c: char| c.is_ascii_digit()) => name.parse().unwrap_or(0),
                register => {
                    out.push('$');
                    out.push_str(register);
                    continue;
                }
            };
            let kept = number.checked_sub(1).and_then(|n| self.results.get(n));
            let kept = kept.with_context(|| format!("there is no result ${number}"))?;
            let Some(kept) = kept else {
                bail!("${number} is neither a number nor in memory, so it cannot be used");
            };
            out.push_str(kept);
        }
        out.push_str(rest);
        Ok(out)
    }

    /// Keeps a result; its number.
    pub(super) fn keep(&mut self, value: &Value) -> usize {
        self.results.push(again(value));
        self.results.len()
    }

    /// The value of an expression, or of an assignment that is carried out.
    fn value(&mut self, session: &mut Session, text: &str) -> crate::Result<Value> {
        if let Some((place, expression)) = assignment(text)
            && let Some(name) = place.strip_prefix('$')
            && is_variable(session, name)
        {
            let value = self.value(session, expression)?;
            let kept = again(&value).with_context(|| {
                format!("`{expression}` is neither a number nor in memory, so it cannot be kept")
            })?;
            self.variables.insert(name.to_string(), kept);
            return Ok(value);
        }
        let text = self.with_results(text)?;
        let (thread, frame) = (session.thread()?, session.frame());
        if let Some((place, value)) = assignment(&text) {
            return Ok(session.program().debugger().assign(thread, frame, place, value)?);
        }
        Ok(session.program().debugger().eval(thread, frame, &text)?)
    }

    /// The address that an expression means: that of an object, or its value.
    fn address(&mut self, session: &mut Session, text: &str) -> crate::Result<u64> {
        let value = self.value(session, text)?;
        match value.ty.kind {
            Kind::Array { .. } | Kind::Structure { .. } | Kind::Function => {
                value.address().context("it is not in memory")
            }
            _ => Ok(value.as_u64()?),
        }
    }

    /// Whether an expression is not zero.
    pub(super) fn holds(&mut self, session: &mut Session, text: &str) -> crate::Result<bool> {
        Ok(self.value(session, text)?.as_integer()? != 0)
    }

    fn shown(
        &mut self,
        session: &mut Session,
        value: &Value,
        format: Format,
    ) -> crate::Result<String> {
        let process = session.program().process();
        match format.letter {
            None => Ok(session.program().debugger().show(process, value)),
            Some('s') => {
                let debugger = session.program().debugger();
                let address = match value.address() {
                    Some(address) if matches!(value.ty.kind, Kind::Array { .. }) => address,
                    _ => value.as_u64()?,
                };
                let mut bytes = vec![0; 256];
                let n = debugger.tracer().read_partly(process, address, &mut bytes);
                let end = bytes[..n].iter().position(|b| *b == 0).unwrap_or(n);
                Ok(format!("{:?}", String::from_utf8_lossy(&bytes[..end])))
            }
            Some('a') => {
                let address = value.as_u64()?;
                let text = session.program().debugger().describe(process, address);
                Ok(format!("{address:#x} <{text}>"))
            }
            Some('f') => Ok(float(value)?),
            Some(letter) => match &value.ty.kind {
                Kind::Float => number(letter, value.as_f64()? as i128, value.ty.size),
                Kind::Structure { .. } | Kind::Array { .. } => {
                    let bytes: Vec<String> =
                        value.bytes().iter().map(|b| format!("{b:02x}")).collect();
                    Ok(format!("{{{}}}", bytes.join(" ")))
                }
                _ => number(letter, value.as_integer()?, value.ty.size),
            },
        }
    }

    /// Shows what is to be shown at every stop.
    pub(super) fn show_displays(&mut self, session: &mut Session) {
        for (number, spec, text) in self.displays.clone() {
            let line = format(&spec).and_then(|(format, _)| {
                let value = self.value(session, &text)?;
                self.shown(session, &value, format)
            });
            match line {
                Ok(line) => self.say(&format!("{number}: {text} = {line}")),
                Err(e) => self.say(&format!("{number}: {text} = <{e:#}>")),
            }
        }
    }
}

/// An expression that gives a value again. What is in memory is named by its address: a structure is
/// shown as it is then.
fn again(value: &Value) -> Option<String> {
    let name = value.ty.name.trim_start_matches("const ").trim();
    // Other names of types cannot be written in a cast.
    let is_plain = |n: &str| n.chars().all(|c| c.is_alphanumeric() || "_ *:".contains(c));
    match (&value.ty.kind, value.address()) {
        (Kind::Pointer(_), _) if is_plain(name) && name.ends_with('*') => {
            value.as_u64().ok().map(|address| format!("(({name}){address:#x})"))
        }
        (Kind::Structure { .. }, Some(address)) if is_plain(name) => {
            Some(format!("(*({name} *){address:#x})"))
        }
        (Kind::Reference(target), _) => {
            let (target, address) = (target.get().ok()?, value.as_u64().ok()?);
            let name = target.name.trim_start_matches("const ").trim();
            is_plain(name).then(|| format!("(*({name} *){address:#x})"))
        }
        (Kind::Float, _) => {
            value.as_f64().ok().filter(|n| n.is_finite()).map(|n| format!("({n:?})"))
        }
        _ => value.as_integer().ok().map(|n| format!("({n})")),
    }
}

/// Whether `$name` can be a variable of the person: registers come first.
fn is_variable(session: &mut Session, name: &str) -> bool {
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let register = session.thread().ok().and_then(|thread| {
        session.program().debugger().tracer_mut().registers(thread).ok()?.by_name(name)
    });
    is_name && register.is_none()
}

fn float(value: &Value) -> crate::Result<String> {
    if matches!(value.ty.kind, Kind::Float) {
        return Ok(value.as_f64()?.to_string());
    }
    let bits = value.as_u64()?;
    Ok(match value.ty.size {
        4 => f32::from_bits(bits as u32).to_string(),
        _ => f64::from_bits(bits).to_string(),
    })
}

fn number(letter: char, value: i128, size: u64) -> crate::Result<String> {
    let bits = (size.clamp(1, 8) * 8) as u32;
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let unsigned = value as u64 & mask;
    let shift = 64 - bits;
    let signed = ((unsigned << shift) as i64) >> shift;
    Ok(match letter {
        'x' => format!("{unsigned:#x}"),
        'z' => format!("{unsigned:#0width$x}", width = bits as usize / 4 + 2),
        'd' => signed.to_string(),
        'u' => unsigned.to_string(),
        'o' => format!("0{unsigned:o}"),
        't' => format!("{unsigned:b}"),
        'c' => {
            let c = char::from_u32(unsigned as u32).filter(|c| !c.is_control());
            format!("{signed} {}", c.map_or("'?'".to_string(), |c| format!("'{c}'")))
        }
        'a' => format!("{unsigned:#x}"),
        other => bail!("`{other}` is no format for a number"),
    })
}

/// `place = value`, if the text is that.
pub fn assignment(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let at = (0..bytes.len()).find(|&i| {
        bytes[i] == b'='
            && bytes.get(i + 1) != Some(&b'=')
            && (i == 0 || !matches!(bytes[i - 1], b'=' | b'!' | b'<' | b'>'))
    })?;
    Some((text[..at].trim(), text[at + 1..].trim()))
}

pub(super) fn tell_locking(console: &mut Console, session: &Session) -> Done {
    console.say(match session.locking() {
        Locking::Off => "off: all threads go on.",
        Locking::Step => "step: the other threads stand while one steps.",
        Locking::On => "on: only the thread that is looked at goes on.",
    });
    Ok(Then::Next)
}

/// The value of an expression, which is kept.
pub(super) fn evaluate(
    console: &mut Console,
    session: &mut Session,
    text: &str,
    letter: Option<char>,
) -> Done {
    let format = Format { count: 1, letter, size: None };
    let value = console.value(session, text)?;
    let shown = console.shown(session, &value, format)?;
    let number = console.keep(&value);
    if assignment(text).is_some() {
        console.tell_selected(session);
    }
    let text = format!("${number} = {shown}");
    let (ty, address) = (value.ty.name.clone(), value.address());
    console.answer(Answer::Value { number, ty, value: shown, address }, text)
}

/// Bytes of memory.
pub(super) fn bytes(console: &mut Console, session: &mut Session, at: &str, size: usize) -> Done {
    /// More are not told.
    const MOST: usize = 1 << 20;
    let address = console.address(session, at)?;
    let process = session.program().process();
    let mut bytes = vec![0; size.min(MOST)];
    let n = session.program().debugger().tracer().read_partly(process, address, &mut bytes);
    if n == 0 && size > 0 {
        bail!("there is no memory at {address:#x}");
    }
    bytes.truncate(n);
    let text = bytes
        .chunks(16)
        .enumerate()
        .map(|(i, row)| {
            let row: String = row.iter().map(|b| format!(" {b:02x}")).collect();
            format!("{:#x}:{row}", address + 16 * i as u64)
        })
        .collect::<Vec<_>>()
        .join("\n");
    console.answer(Answer::Memory { address, bytes }, text)
}

pub(super) fn output(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (format, text) = format(rest)?;
    let value = console.value(session, text)?;
    let shown = console.shown(session, &value, format)?;
    console.say(&shown);
    Ok(Then::Next)
}

pub(super) fn call(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let value = console.value(session, rest)?;
    if matches!(value.ty.kind, Kind::Void) {
        return Ok(Then::Next);
    }
    let process = session.program().process();
    let shown = session.program().debugger().show(process, &value);
    let number = console.keep(&value);
    console.say(&format!("${number} = {shown}"));
    Ok(Then::Next)
}

/// The type of an expression, or a type by its name.
fn type_of(console: &mut Console, session: &mut Session, text: &str) -> Result<Rc<Type>> {
    let value = console.value(session, text).map(|value| value.ty);
    Ok(match value {
        // A class has the name of its constructors.
        Ok(ty) if !matches!(ty.kind, Kind::Function) => ty,
        value => {
            let thread = session.thread()?;
            let named = session.program().debugger().type_called(thread, text);
            named.or(value)?
        }
    })
}

pub(super) fn whatis(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let ty = type_of(console, session, rest)?;
    console.say(&format!("type = {}", ty.name));
    Ok(Then::Next)
}

pub(super) fn ptype(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let ty = type_of(console, session, rest)?;
    let mut text = format!("type = {}", ty.name);
    match &ty.kind {
        Kind::Structure { members, .. } => {
            text.push_str(" {\n");
            for member in members {
                let name = member.ty.get().map_or("?".to_string(), |t| t.name.clone());
                let bits = member.bits.map_or(String::new(), |(_, width)| format!(" : {width}"));
                let _ = writeln!(text, "    {name} {}{bits};", member.name);
            }
            text.push('}');
        }
        Kind::Enumeration { variants, .. } => {
            let all: Vec<String> =
                variants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let _ = write!(text, " {{{}}}", all.join(", "));
        }
        _ => {}
    }
    console.say(&text);
    Ok(Then::Next)
}

pub(super) fn set(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
    match word {
        "args" => {
            session.set_arguments(super::arguments::split(after)?)?;
            console.say("The program gets them when it is run.");
            return Ok(Then::Next);
        }
        "scheduler-locking" if after.trim().is_empty() => return tell_locking(console, session),
        "scheduler-locking" => {
            return console.serve(session, &super::parse::locking(after.trim())?);
        }
        "state" => return super::monitors::set_state(console, session, after.trim()),
        "slice-variable" => {
            return super::monitors::set_slice_variable(console, session, after.trim());
        }
        "scenario-variable" => {
            return super::monitors::set_scenario_variable(console, session, after.trim());
        }
        _ => {}
    }
    let text = match word {
        "var" | "variable" => after.trim(),
        _ => rest,
    };
    if assignment(text).is_none() {
        bail!("set var PLACE = EXPRESSION");
    }
    console.value(session, text)?;
    console.tell_selected(session);
    Ok(Then::Next)
}

pub(super) fn display(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if rest.is_empty() {
        console.show_displays(session);
        return Ok(Then::Next);
    }
    let (_, text) = format(rest)?;
    let spec = rest[..rest.len() - text.len()].trim().to_string();
    watchword_debug::expr::parse(text)?;
    console.displays.push((console.next_display, spec, text.to_string()));
    console.next_display += 1;
    if session.thread().is_ok() {
        console.show_displays(session);
    }
    Ok(Then::Next)
}

pub(super) fn undisplay(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    if rest.is_empty() {
        console.displays.clear();
        return Ok(Then::Next);
    }
    let number: u32 =
        rest.parse().with_context(|| format!("`{rest}` is no number of a display"))?;
    console.displays.retain(|(n, ..)| *n != number);
    Ok(Then::Next)
}

pub(super) fn echo(console: &mut Console, _: &mut Session, rest: &str) -> Done {
    console.say(&rest.replace("\\n", "\n"));
    Ok(Then::Next)
}

pub(super) fn memory(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (format, text) = format(rest)?;
    if text.is_empty() {
        bail!("memory where? An address such as q or $sp");
    }
    let address = console.address(session, text)?;
    let process = session.program().process();
    let debugger = session.program().debugger();
    let letter = format.letter.unwrap_or('x');
    let count = format.count.min(4096);
    if letter == 's' {
        let mut at = address;
        for _ in 0..count {
            let mut bytes = vec![0; 256];
            let n = debugger.tracer().read_partly(process, at, &mut bytes);
            if n == 0 {
                bail!("there is no memory at {at:#x}");
            }
            let end = bytes[..n].iter().position(|b| *b == 0).unwrap_or(n);
            console.say(&format!("{at:#x}: {:?}", String::from_utf8_lossy(&bytes[..end])));
            at += end as u64 + 1;
        }
        return Ok(Then::Next);
    }
    if letter == 'i' {
        for (at, text) in debugger.disassemble(process, address, count)? {
            let place = debugger.describe(process, at);
            console.say(&format!("{at:#x} <{place}>: {text}"));
        }
        return Ok(Then::Next);
    }
    let size = format.size.unwrap_or(if letter == 'c' { 1 } else { 4 });
    let mut bytes = vec![0; size as usize * count];
    let n = debugger.tracer().read_partly(process, address, &mut bytes);
    if n == 0 {
        bail!("there is no memory at {address:#x}");
    }
    let per_line = (16 / size as usize).max(1);
    let whole: Vec<&[u8]> = bytes[..n].chunks_exact(size as usize).collect();
    for (i, row) in whole.chunks(per_line).enumerate() {
        let mut line = format!("{:#x}:", address + (i * per_line) as u64 * size);
        for cell in row {
            let mut word = [0; 8];
            word[..cell.len()].copy_from_slice(cell);
            let value = u64::from_le_bytes(word);
            let letter = if letter == 'x' { 'z' } else { letter };
            let text = match letter {
                'f' if size == 4 => f32::from_bits(value as u32).to_string(),
                'f' => f64::from_bits(value).to_string(),
                _ => number(letter, i128::from(value), size)?,
            };
            let _ = write!(line, "  {text}");
        }
        console.say(&line);
    }
    if n < bytes.len() {
        console.say(&format!("there is no memory at {:#x}", address + n as u64));
    }
    Ok(Then::Next)
}

/// The instructions of the function around a place, or around the selected frame.
pub(super) fn disassemble(
    console: &mut Console,
    session: &mut Session,
    place: Option<&str>,
) -> Done {
    /// More are not shown.
    const MOST: usize = 2000;
    let process = session.program().process();
    let (thread, frame) = (session.thread()?, session.frame());
    let frames = session.program().debugger().backtrace(thread, frame + 1)?;
    let here = frames.get(frame).map_or(0, |f| f.pc);
    let at = match place {
        None => here,
        Some(place) => *session.locate(place)?.first().context("there is no such place")?,
    };
    let debugger = session.program().debugger();
    let (function, instance, bias) =
        debugger.function_at(process, at).context("no function is known there")?;
    let (low, high) =
        instance.ranges.first().copied().context("where the function ends is not known")?;
    let (low, high) = (low.wrapping_add(bias), high.wrapping_add(bias));
    let function = watchword_view::text::harmless(&function.name).to_string();
    let mut lines = vec![format!("{function}:")];
    let mut all = Vec::new();
    for (address, text) in debugger.disassemble(process, low, MOST)? {
        if address >= high {
            break;
        }
        let is_here = address == here;
        let mark = if is_here { "=>" } else { "  " };
        lines.push(format!("{mark} {address:#x} <+{}>: {text}", address - low));
        all.push(Instruction { address, text, is_here });
    }
    console.answer(Answer::Instructions { function, all }, lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let (f, rest) = format("/4xw $sp").unwrap();
        assert_eq!((f.count, f.letter, f.size, rest), (4, Some('x'), Some(4), "$sp"));
        assert!(format("/q x").is_err());
        assert_eq!(number('x', -1, 4).unwrap(), "0xffffffff");
        assert_eq!(number('d', 0xffff_ffff, 4).unwrap(), "-1");
        assert_eq!(number('t', 5, 4).unwrap(), "101");
        assert_eq!(number('c', 65, 1).unwrap(), "65 'A'");
    }

    #[test]
    fn assignments_are_told_from_comparisons() {
        assert_eq!(assignment("a = b"), Some(("a", "b")));
        assert_eq!(assignment("a == b"), None);
        assert_eq!(assignment("a <= b"), None);
        assert_eq!(assignment("p->x=3"), Some(("p->x", "3")));
    }
}
