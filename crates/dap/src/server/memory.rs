//! Memory and instructions.

use serde_json::{Value, json};

use super::{Adapter, Answer, words};
use crate::protocol::base64;
use crate::protocol::message::Request;

/// Bytes that are read or written at once, and instructions.
const MOST: i64 = 1 << 20;
const MOST_INSTRUCTIONS: i64 = 5000;

/// An address as we give it to editors.
pub(super) fn address(text: &str) -> Option<u64> {
    match text.trim().strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.trim().parse().ok(),
    }
}

fn place(request: &Request) -> Result<u64, String> {
    let text = request.wanted_text("memoryReference")?;
    let base = address(text).ok_or_else(|| format!("`{text}` is no address"))?;
    Ok(base.wrapping_add_signed(request.number("offset").unwrap_or(0)))
}

pub(super) fn read(adapter: &mut Adapter, request: &Request) -> Answer {
    let debuggee = adapter.stopped()?;
    let at = place(request)?;
    let count = request.wanted_number("count")?.clamp(0, MOST) as usize;
    let process = debuggee.session.program().process();
    let mut bytes = vec![0; count];
    let tracer = debuggee.session.program().debugger().tracer();
    let read = tracer.read_partly(process, at, &mut bytes);
    Ok(json!({
        "address": format!("{at:#x}"),
        "data": base64::encode(&bytes[..read]),
        "unreadableBytes": count - read,
    }))
}

pub(super) fn write(adapter: &mut Adapter, request: &Request) -> Answer {
    let debuggee = adapter.stopped()?;
    let at = place(request)?;
    let bytes = base64::decode(request.wanted_text("data")?).ok_or("`data` is not base64")?;
    if bytes.len() > MOST as usize {
        return Err(format!("more than {MOST} bytes are not written at once"));
    }
    let process = debuggee.session.program().process();
    let tracer = debuggee.session.program().debugger().tracer_mut();
    tracer.write(process, at, &bytes).map_err(words)?;
    Ok(json!({ "bytesWritten": bytes.len() }))
}

pub(super) fn disassemble(adapter: &mut Adapter, request: &Request) -> Answer {
    let first_line = adapter.first_line;
    let debuggee = adapter.stopped()?;
    let at = place(request)?;
    let count = request.wanted_number("instructionCount")?.clamp(0, MOST_INSTRUCTIONS) as usize;
    let offset = request.number("instructionOffset").unwrap_or(0);
    let offset = offset.clamp(-MOST_INSTRUCTIONS, MOST_INSTRUCTIONS);
    let process = debuggee.session.program().process();
    let debugger = debuggee.session.program().debugger();
    let mut all: Vec<(u64, Option<String>)> = Vec::new();
    if offset < 0 {
        // Instructions are known from the beginning of a function on, not backwards.
        let missing = offset.unsigned_abs() as usize;
        let entry =
            debugger.function_at(process, at).map(|(_, i, bias)| i.entry.wrapping_add(bias));
        let entry = entry.filter(|entry| *entry <= at && at - entry < MOST as u64);
        let mut before: Vec<(u64, String)> = match entry {
            Some(entry) => {
                let length = (at - entry) as usize;
                debugger.disassemble(process, entry, length).map_err(words)?
            }
            None => Vec::new(),
        };
        before.retain(|(address, _)| *address < at);
        let known = before.split_off(before.len().saturating_sub(missing));
        let first = known.first().map_or(at, |(address, _)| *address);
        for i in (known.len()..missing).rev() {
            all.push((first.wrapping_sub((i - known.len()) as u64 + 1), None));
        }
        all.extend(known.into_iter().map(|(address, text)| (address, Some(text))));
    }
    let skipped = offset.max(0) as usize;
    let after = debugger.disassemble(process, at, count.saturating_add(skipped));
    let after = after.unwrap_or_default();
    all.extend(after.into_iter().skip(skipped).map(|(address, text)| (address, Some(text))));
    all.truncate(count);
    while all.len() < count {
        let next = all.last().map_or(at, |(address, _)| address.wrapping_add(1));
        all.push((next, None));
    }
    let mut told: Vec<Value> = Vec::new();
    let mut last_line = None;
    for (address, text) in all {
        let mut body = json!({
            "address": format!("{address:#x}"),
            "instruction": text.clone().unwrap_or_else(|| "(unknown)".to_string()),
        });
        if text.is_none() {
            body["presentationHint"] = "invalid".into();
        } else {
            let debugger = debuggee.session.program().debugger();
            if let Some((function, instance, bias)) = debugger.function_at(process, address)
                && instance.entry.wrapping_add(bias) == address
            {
                body["symbol"] = function.name.clone().into();
            }
            let line = debugger.line_at(process, address).map(|l| (l.file, l.line));
            if line != last_line
                && let Some((file, line)) = &line
            {
                body["location"] = super::stack::source(file);
                body["line"] = (*line).into();
                super::stack::shift_line(&mut body, first_line);
            }
            last_line = line;
        }
        told.push(body);
    }
    Ok(json!({ "instructions": told }))
}
