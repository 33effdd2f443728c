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
    pub count: usize,
    pub letter: Option<char>,
    pub size: Option<u64>,
}

/// Splits `/4xw rest`.
pub(super) fn format(text: &str) -> crate::Result<(Format, &str)> {
    let mut format = Format { count: 1, letter: None, size: None };
    let Some(after) = text.strip_prefix('/') else { return Ok((format, text)) };
    let end = after.find(char::is_whitespace).unwrap_or(after.len());
    let (spec, rest) = after.split_at(end);
    if spec.starts_with('-') {
        bail!("memory is shown forwards: subtract from the address");
    }
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

impl Format {
    /// Whether it is a form in which memory is shown, not a value.
    fn is_of_memory(self) -> bool {
        self.letter == Some('i') || self.size.is_some() || self.count != 1
    }
}

impl Console {
    /// Keeps a result; its number.
    pub(super) fn keep(&mut self, session: &mut Session, value: &Value) -> usize {
        // Of a reference, what it refers to is kept.
        let process = session.program().process();
        let debugger = session.program().debugger();
        let referred = debugger.referred(process, value);
        debugger.kept().keep(referred.as_ref().unwrap_or(value))
    }

    /// The value of an expression, which may change places.
    pub(super) fn value(&mut self, session: &mut Session, text: &str) -> crate::Result<Value> {
        if !session.is_alive() {
            let e = watchword_debug::expr::parse_statement(text)?;
            return Ok(session.program().debugger().evaluate_alone(&e)?);
        }
        let (thread, frame) = (session.thread()?, session.frame());
        Ok(session.program().debugger().perform(thread, frame, text)?)
    }

    /// The address that an expression means: that of an object, or its value.
    pub(super) fn address(&mut self, session: &mut Session, text: &str) -> crate::Result<u64> {
        let value = self.value(session, text)?;
        super::memory::address_of(&value)
    }

    /// Whether an expression is not zero.
    pub(super) fn holds(&mut self, session: &mut Session, text: &str) -> crate::Result<bool> {
        Ok(self.value(session, text)?.as_integer()? != 0)
    }

    pub(super) fn shown(
        &mut self,
        session: &mut Session,
        value: &Value,
        format: Format,
    ) -> crate::Result<String> {
        let process = session.program().process();
        let debugger = session.program().debugger();
        match format.letter {
            None => Ok(debugger.show(process, value)),
            Some('i') => bail!("`x/i ADDRESS` shows instructions"),
            // A function is where it begins.
            Some('a') if matches!(value.ty.kind, Kind::Function) => {
                let entry = value.address().unwrap_or(0);
                let symbol = debugger.symbol(process, entry).unwrap_or_default();
                Ok(format!("{entry:#x} <{symbol}>"))
            }
            Some(letter) => Ok(debugger.show_as(process, value, letter)?),
        }
    }

    /// Shows what is to be shown at every stop.
    pub(super) fn show_displays(&mut self, session: &mut Session) {
        for (number, spec, text) in self.displays.clone() {
            let Ok((format, _)) = format(&spec) else { continue };
            let lines = match format.is_of_memory() {
                true => self.memory_lines(session, format, &text).map(|lines| {
                    let rows: Vec<String> = lines.iter().map(|l| format!("\n   {l}")).collect();
                    format!("x{spec}{text}{}", rows.concat())
                }),
                false => self.value(session, &text).and_then(|value| {
                    let shown = self.shown(session, &value, format)?;
                    Ok(format!("{text} = {shown}"))
                }),
            };
            match lines {
                Ok(text) => self.say(&format!("{number}: {text}")),
                Err(e) => self.say(&format!("{number}: {text} = <{e:#}>")),
            }
        }
    }
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
    let number = console.keep(session, &value);
    if watchword_debug::expr::parse_statement(text).is_ok_and(|e| e.changes()) {
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

pub(super) fn call(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let value = console.value(session, rest)?;
    if matches!(value.ty.kind, Kind::Void) {
        return Ok(Then::Next);
    }
    let process = session.program().process();
    let shown = session.program().debugger().show(process, &value);
    let number = console.keep(session, &value);
    console.say(&format!("${number} = {shown}"));
    Ok(Then::Next)
}

/// The type of an expression, or a type by its name.
fn type_of(console: &mut Console, session: &mut Session, text: &str) -> Result<Rc<Type>> {
    let _ = console;
    let (thread, frame) = (session.thread()?, session.frame());
    let value = session.program().debugger().outline(thread, frame, text).map(|value| value.ty);
    Ok(match value {
        // A class has the name of its constructors.
        Ok(ty) if !matches!(ty.kind, Kind::Function) => ty,
        value => {
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

/// A member as C declares it: `char name[16]`, `int (*f)(int)`.
fn declaration(ty: &str, name: &str) -> String {
    if let Some((before, after)) = ty.split_once("(*)") {
        return format!("{before}(*{name}){after}");
    }
    // A pointer to a function that has no name of its own.
    if let Some((result, parameters)) = ty.strip_suffix(" *").and_then(|t| t.split_once(" (")) {
        return format!("{result} (*{name})({parameters}");
    }
    match ty.find('[') {
        Some(at) => format!("{} {name}{}", ty[..at].trim_end(), &ty[at..]),
        None if ty.ends_with(['*', '&']) => format!("{ty}{name}"),
        None => format!("{ty} {name}"),
    }
}

pub(super) fn ptype(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (with_offsets, rest) = match rest.strip_prefix("/o") {
        Some(rest) => (true, rest.trim()),
        None if rest.starts_with('/') => {
            bail!("ptype has one modifier: /o shows where members are")
        }
        None => (false, rest),
    };
    let ty = type_of(console, session, rest)?;
    let mut text = format!("type = {}", ty.name);
    match &ty.kind {
        Kind::Structure { members, .. } => {
            text.push_str(" {\n");
            for member in members {
                let (name, size) =
                    member.ty.get().map_or(("?".to_string(), 0), |t| (t.name.clone(), t.size));
                let bits = member.bits.map_or(String::new(), |(_, width)| format!(" : {width}"));
                if with_offsets {
                    let _ = write!(text, "/* {:>4} | {size:>4} */", member.offset);
                }
                let _ = writeln!(text, "    {}{bits};", declaration(&name, &member.name));
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

pub(super) fn display(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    if rest.is_empty() {
        console.show_displays(session);
        return Ok(Then::Next);
    }
    let (_, text) = format(rest)?;
    let spec = rest[..rest.len() - text.len()].to_string();
    watchword_debug::expr::parse_statement(text)?;
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
    if !console.displays.iter().any(|(n, ..)| *n == number) {
        bail!("there is no display {number}; `info display` lists them");
    }
    console.displays.retain(|(n, ..)| *n != number);
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
    if let Some(place) = place.filter(|p| p.starts_with('/') || p.contains(',')) {
        bail!(
            "disassemble shows a whole function: `x/20i ADDRESS` shows a part, `list` the source; not `{place}`"
        );
    }
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
        assert!(format("/-2x p").is_err());
    }

    #[test]
    fn members_are_declared_as_in_c() {
        assert_eq!(declaration("char[16]", "name"), "char name[16]");
        assert_eq!(declaration("node *", "next"), "node *next");
        assert_eq!(declaration("int", "x"), "int x");
        assert_eq!(declaration("int (int) *", "f"), "int (*f)(int)");
        assert_eq!(declaration("void (*)()", "f"), "void (*f)()");
    }

    #[test]
    fn assignments_are_told_from_comparisons() {
        assert_eq!(assignment("a = b"), Some(("a", "b")));
        assert_eq!(assignment("a == b"), None);
        assert_eq!(assignment("a <= b"), None);
        assert_eq!(assignment("p->x=3"), Some(("p->x", "3")));
    }
}
