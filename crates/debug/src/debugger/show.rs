//! Values as text.

use std::fmt::Write;

use super::{Contents, Debugger};
use crate::info::{Kind, Type};
use crate::tracer::ProcessId;
use crate::value::{Held, Value};

/// Elements and characters shown of an array or string.
const SHOWN: usize = 200;
const DEPTH: u32 = 6;

impl Debugger {
    /// A value as a person reads it: `{size = 3, items = 0x5555… }`, strings in quotes.
    pub fn show(&mut self, process: ProcessId, value: &Value) -> String {
        let mut out = String::new();
        self.show_into(process, value, 0, &mut out);
        out
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

    fn show_into(&mut self, process: ProcessId, value: &Value, depth: u32, out: &mut String) {
        if depth > DEPTH {
            out.push('…');
            return;
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
                if let Ok(n) = value.as_integer()
                    && let Some(c) = u32::try_from(n).ok().and_then(char::from_u32)
                    && !c.is_control()
                {
                    let _ = write!(out, " '{c}'");
                }
            }
            Kind::Float => match value.as_f64() {
                Ok(f) => {
                    let _ = write!(out, "{f}");
                }
                Err(_) => out.push('?'),
            },
            Kind::Enumeration { variants, .. } => {
                let n = value.as_integer().unwrap_or(0);
                match variants.iter().find(|v| i128::from(v.1) == n) {
                    Some((name, _)) => out.push_str(name),
                    None => number(value, out),
                }
            }
            // Structures may refer to themselves: only the outermost reference is followed.
            Kind::Reference(_) if depth == 0 => {
                let _ = write!(out, "@{:#x}: ", value.as_u64().unwrap_or(0));
                match self.referred(process, value) {
                    Some(object) => self.show_into(process, &object, depth + 1, out),
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
                let shown = (*count).min(SHOWN as u64) as usize;
                // Of a large object only its place is known.
                let mut bytes = std::borrow::Cow::Borrowed(&value.bytes);
                if let (true, Some(address)) = (bytes.is_empty(), value.address()) {
                    let size = shown.saturating_mul(element.size as usize).min(1 << 20);
                    let mut read = vec![0; size];
                    let got = self.tracer.read_partly(process, address, &mut read);
                    read.truncate(got);
                    bytes = std::borrow::Cow::Owned(read);
                }
                if element.size == 1 && matches!(element.kind, Kind::Character { .. }) {
                    return text(&bytes[..bytes.len().min(SHOWN)], out);
                }
                out.push('{');
                for i in 0..shown {
                    let size = element.size as usize;
                    let Some(bytes) = bytes.get(i * size..(i + 1) * size) else { break };
                    if i > 0 {
                        out.push_str(", ");
                    }
                    self.part(process, &element, bytes, None, depth, out);
                }
                if *count as usize > shown {
                    out.push_str(", …");
                }
                out.push('}');
            }
            Kind::Structure { members, .. } => {
                if let Some(contents) = self.contents(process, value) {
                    return self.show_contents(process, contents, depth, out);
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
                        (Some(bytes), _) => self.part(process, &ty, bytes, m.bits, depth, out),
                        (None, Some(Ok(mut member))) => {
                            member.bits = m.bits;
                            self.show_into(process, &member, depth + 1, out);
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
                        Ok(value) => self.show_into(process, &value, depth + 1, out),
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
                    self.show_into(process, element, depth + 1, out);
                }
                out.push('}');
            }
            Contents::Optional(None) => out.push_str("no value"),
            Contents::Optional(Some(held)) => {
                out.push('{');
                self.show_into(process, &held, depth + 1, out);
                out.push('}');
            }
            Contents::Variant { name, value } => {
                out.push_str(&name);
                if value.ty.size > 0
                    && matches!(&value.ty.kind, Kind::Structure { members, .. } if !members.is_empty())
                {
                    out.push(' ');
                    self.show_into(process, &value, depth + 1, out);
                }
            }
        }
    }

    fn part(
        &mut self,
        process: ProcessId,
        ty: &std::rc::Rc<Type>,
        bytes: &[u8],
        bits: Option<(u64, u64)>,
        depth: u32,
        out: &mut String,
    ) {
        let value =
            Value { ty: ty.clone(), bytes: bytes.to_vec(), place: None, bits, held: Held::No };
        self.show_into(process, &value, depth + 1, out);
    }
}

fn number(value: &Value, out: &mut String) {
    match value.as_integer() {
        Ok(n) => {
            let _ = write!(out, "{n}");
        }
        Err(_) => out.push('?'),
    }
}

fn text(bytes: &[u8], out: &mut String) {
    let end = bytes.iter().position(|b| *b == 0);
    let shown = String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]);
    let _ = write!(out, "{shown:?}");
    if end.is_none() && bytes.len() >= SHOWN {
        out.push('…');
    }
}
