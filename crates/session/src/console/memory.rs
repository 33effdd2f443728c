//! `x`: memory in many forms.

use std::fmt::Write;

use watchword_debug::info::Kind;
use watchword_debug::{ProcessId, Value, number_as};
use watchword_native::Session;

use super::examine::{Format, format};
use super::{Console, Done, Then};
use crate::error::bail;

/// More units than this are not shown.
const MOST: usize = 4096;
/// Bytes of a text that are looked at.
const LONGEST: usize = 1 << 16;

/// What `x` showed last: an empty `x` goes on behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Examined {
    next: u64,
    letter: char,
    size: u64,
}

impl Default for Examined {
    fn default() -> Examined {
        Examined { next: 0, letter: 'x', size: 4 }
    }
}

pub(super) fn memory(console: &mut Console, session: &mut Session, rest: &str) -> Done {
    let (format, text) = format(rest)?;
    let lines = console.memory_lines(session, format, text)?;
    for line in lines {
        console.say(&line);
    }
    Ok(Then::Next)
}

impl Console {
    /// What `x/FORMAT text` shows.
    pub(super) fn memory_lines(
        &mut self,
        session: &mut Session,
        format: Format,
        text: &str,
    ) -> crate::Result<Vec<String>> {
        let known = self.examined.unwrap_or_default();
        let (address, pointed) = match text {
            "" if self.examined.is_none() => bail!("memory where? An address such as q or $sp"),
            "" => (known.next, None),
            text => {
                let value = self.value(session, text)?;
                (address_of(&value)?, unit_of(&value))
            }
        };
        let letter = format.letter.unwrap_or(known.letter);
        let is_float = letter == 'f';
        let size = format.size.unwrap_or(match (letter, pointed) {
            ('f', Some((size, true))) => size,
            ('f', _) if known.letter == 'f' => known.size,
            ('f', _) => 8,
            ('a', _) => 8,
            ('c', _) => 1,
            _ => known.size,
        });
        if is_float && !matches!(size, 4 | 8) {
            bail!("floating-point numbers have sizes w (4 bytes) and g (8 bytes)");
        }
        let process = session.program().process();
        let count = format.count.min(MOST);
        let mut shown = match letter {
            's' => texts(session, process, address, count)?,
            'i' => instructions(session, process, address, count)?,
            letter => units(session, process, address, count, letter, size)?,
        };
        let debugger = session.program().debugger();
        let word = |address| debugger.tracer().read_u64(process, address).unwrap_or(0);
        let contents = word(shown.last);
        self.examined = Some(Examined { next: shown.next, letter, size });
        debugger.keep_examined(shown.last, contents, size);
        Ok(std::mem::take(&mut shown.lines))
    }
}

/// Lines, the address of the last unit in them, and where it goes on.
struct Shown {
    lines: Vec<String>,
    last: u64,
    next: u64,
}

/// The address that a value means: that of an object, or the value.
pub(super) fn address_of(value: &Value) -> crate::Result<u64> {
    match (&value.ty.kind, value.address()) {
        (Kind::Array { .. } | Kind::Structure { .. } | Kind::Function, Some(address)) => {
            Ok(address)
        }
        (Kind::Array { .. } | Kind::Structure { .. }, None) => bail!("it is not in memory"),
        (Kind::Float, Some(address)) => Ok(address),
        _ => Ok(value.as_u64()?),
    }
}

/// The size of the numbers that an address leads to by its type, and whether they are floating-point ones.
fn unit_of(value: &Value) -> Option<(u64, bool)> {
    let mut ty = value.ty.clone();
    if let Kind::Pointer(target) = &ty.kind {
        ty = target.get().ok()?;
    }
    while let Kind::Array { element, .. } = &ty.kind {
        ty = element.get().ok()?;
    }
    Some((ty.size, matches!(ty.kind, Kind::Float) && matches!(ty.size, 4 | 8)))
}

fn gone(address: u64) -> crate::Error {
    crate::Error::new(format!("there is no memory at {address:#x}"))
}

/// An address, with the symbol that is there.
fn labelled(session: &mut Session, process: ProcessId, address: u64) -> String {
    match session.program().debugger().symbol(process, address) {
        Some(symbol) => {
            format!("{address:#x} <{}>:", watchword_view::text::harmless(&symbol))
        }
        None => format!("{address:#x}:"),
    }
}

fn texts(
    session: &mut Session,
    process: ProcessId,
    address: u64,
    count: usize,
) -> crate::Result<Shown> {
    let mut shown = Shown { lines: Vec::new(), last: address, next: address };
    for _ in 0..count {
        let mut bytes = vec![0; LONGEST];
        let at = shown.next;
        let n = session.program().debugger().tracer().read_partly(process, at, &mut bytes);
        if n == 0 {
            return if shown.lines.is_empty() { Err(gone(at)) } else { Ok(shown) };
        }
        let end = bytes[..n].iter().position(|b| *b == 0).unwrap_or(n);
        let text = watchword_debug::text_of(&bytes[..end]);
        let label = labelled(session, process, at);
        shown.lines.push(format!("{label} {text}"));
        shown.last = at;
        shown.next = at + end as u64 + 1;
    }
    Ok(shown)
}

fn instructions(
    session: &mut Session,
    process: ProcessId,
    address: u64,
    count: usize,
) -> crate::Result<Shown> {
    let (thread, frame) = (session.thread()?, session.frame());
    let frames = session.program().debugger().backtrace(thread, frame + 1)?;
    let here = frames.get(frame).map(|f| f.pc);
    let debugger = session.program().debugger();
    let mut shown = Shown { lines: Vec::new(), last: address, next: address };
    let all = debugger.disassemble(process, address, count + 1)?;
    for (i, (at, text)) in all.iter().enumerate() {
        shown.next = *at;
        if i == count {
            break;
        }
        let place = debugger.describe(process, *at);
        let mark = if Some(*at) == here { "=> " } else { "" };
        shown.lines.push(format!("{mark}{at:#x} <{place}>: {text}"));
        shown.last = *at;
    }
    Ok(shown)
}

fn units(
    session: &mut Session,
    process: ProcessId,
    address: u64,
    count: usize,
    letter: char,
    size: u64,
) -> crate::Result<Shown> {
    let mut bytes = vec![0; size as usize * count];
    let n = session.program().debugger().tracer().read_partly(process, address, &mut bytes);
    if n < size as usize {
        return Err(gone(address));
    }
    let per_line = match letter {
        'a' => 2,
        _ => (16 / size as usize).max(1),
    };
    let whole: Vec<&[u8]> = bytes[..n].chunks_exact(size as usize).collect();
    let mut lines = Vec::new();
    for (i, row) in whole.chunks(per_line).enumerate() {
        let mut line = labelled(session, process, address + (i * per_line) as u64 * size);
        for cell in row {
            let mut word = [0; 8];
            word[..cell.len()].copy_from_slice(cell);
            let word = u64::from_le_bytes(word);
            let text = match letter {
                // Memory is shown with all its digits.
                'x' | 'z' => number_as('z', word, size),
                'a' => {
                    let symbol = session.program().debugger().symbol(process, word);
                    let symbol = symbol.map_or(String::new(), |s| format!(" <{s}>"));
                    format!("{word:#x}{symbol}")
                }
                letter => number_as(letter, word, size),
            };
            let _ = write!(line, "  {text}");
        }
        lines.push(line);
    }
    if n < bytes.len() {
        lines.push(format!("there is no memory at {:#x}", address + n as u64));
    }
    let next = address + whole.len() as u64 * size;
    Ok(Shown { lines, last: next.saturating_sub(size), next })
}
