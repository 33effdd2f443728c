//! What the dynamic linker knows of the program: its libraries, and where thread-local variables
//! are.

use super::{Answer, Server};
use crate::protocol::command::ThreadRef;

/// An entry of the linker's list of modules.
pub(super) struct LinkMap {
    /// Where the entry itself is.
    pub address: u64,
    /// What is added to the addresses of the file.
    pub bias: u64,
    /// Where the dynamic section is.
    pub dynamic: u64,
    /// The path; empty for the program.
    pub name: String,
}

const AT_PHDR: u64 = 3;
const AT_PHNUM: u64 = 5;
const PT_DYNAMIC: u64 = 2;
const PT_PHDR: u64 = 6;
const PT_TLS: u64 = 7;
const DT_DEBUG: u64 = 21;

/// The size of a program header, and of an entry of the dynamic section.
const HEADER: u64 = 56;
const ENTRY: u64 = 16;

/// No program has more modules, or more program headers.
const MOST: usize = 1 << 14;

/// A program header: its kind, its address in the file's terms.
type Header = (u64, u64);

impl Server<'_> {
    fn word(&mut self, address: u64) -> Option<u64> {
        let process = self.session.program().process();
        self.session.program().debugger().tracer().read_u64(process, address).ok()
    }

    fn text_at(&mut self, address: u64) -> String {
        let process = self.session.program().process();
        let mut bytes = [0; 4096];
        let tracer = self.session.program().debugger().tracer();
        let read = tracer.read_partly(process, address, &mut bytes);
        let end = bytes[..read].iter().position(|b| *b == 0).unwrap_or(read);
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }

    fn auxiliary(&self, key: u64) -> Option<u64> {
        let process = self.session.watched().process();
        let bytes = std::fs::read(format!("/proc/{process}/auxv")).ok()?;
        let word = |c: &[u8]| c.try_into().map(u64::from_le_bytes).ok();
        let pair = bytes.chunks_exact(16).find(|pair| word(&pair[..8]) == Some(key))?;
        word(&pair[8..])
    }

    fn headers(&mut self, at: u64, count: u64) -> Vec<Header> {
        let mut all = Vec::new();
        for i in 0..count.min(MOST as u64) {
            let header = at.wrapping_add(i * HEADER);
            let (Some(kind), Some(address)) =
                (self.word(header), self.word(header.wrapping_add(16)))
            else {
                break;
            };
            all.push((kind & 0xffff_ffff, address));
        }
        all
    }

    /// The program headers of the program itself.
    fn own_headers(&mut self) -> Vec<Header> {
        let (Some(at), Some(count)) = (self.auxiliary(AT_PHDR), self.auxiliary(AT_PHNUM)) else {
            return Vec::new();
        };
        self.headers(at, count)
    }

    /// The modules, the program first; none before the dynamic linker has begun its list, and for
    /// static programs.
    pub(super) fn link_maps(&mut self) -> Vec<LinkMap> {
        self.linker_list().unwrap_or_default()
    }

    fn linker_list(&mut self) -> Option<Vec<LinkMap>> {
        let headers = self.own_headers();
        let address_of = |kind| headers.iter().find(|(k, _)| *k == kind).map(|(_, a)| *a);
        let bias = self.auxiliary(AT_PHDR)?.wrapping_sub(address_of(PT_PHDR)?);
        let dynamic = address_of(PT_DYNAMIC)?.wrapping_add(bias);
        let entry = (0..MOST as u64).map(|i| dynamic.wrapping_add(i * ENTRY));
        let mut debug = None;
        for at in entry {
            match self.word(at)? {
                0 => break,
                DT_DEBUG => {
                    debug = self.word(at.wrapping_add(8));
                    break;
                }
                _ => {}
            }
        }
        let mut at = self.word(debug.filter(|d| *d != 0)?.wrapping_add(8))?;
        let mut all: Vec<LinkMap> = Vec::new();
        while at != 0 && all.len() < MOST {
            let name = self.word(at.wrapping_add(8))?;
            all.push(LinkMap {
                address: at,
                bias: self.word(at)?,
                dynamic: self.word(at.wrapping_add(16))?,
                name: self.text_at(name),
            });
            at = self.word(at.wrapping_add(24))?;
        }
        Some(all)
    }

    /// The address of a thread-local variable. The thread pointer leads to a table of blocks, one
    /// per module that has thread-local variables, in the order in which they were loaded.
    pub(super) fn thread_local(&mut self, which: ThreadRef, offset: u64, link_map: u64) -> Answer {
        match self.thread_local_at(which, offset, link_map) {
            Some(address) => Answer::text(format!("{address:x}")),
            None => Answer::error(),
        }
    }

    fn thread_local_at(&mut self, which: ThreadRef, offset: u64, link_map: u64) -> Option<u64> {
        let thread = self.thread(which)?;
        let maps = self.link_maps();
        let mut number = 0;
        for (i, map) in maps.iter().enumerate() {
            let headers = match i {
                0 => self.own_headers(),
                _ => {
                    // A library begins with its header: where the program headers are, how many.
                    let at = self.word(map.bias.wrapping_add(32))?;
                    let count = self.word(map.bias.wrapping_add(56))? & 0xffff;
                    self.headers(map.bias.wrapping_add(at), count)
                }
            };
            let has_any = headers.iter().any(|(kind, _)| *kind == PT_TLS);
            number += u64::from(has_any);
            if map.address == link_map {
                if !has_any {
                    return None;
                }
                let tracer = self.session.program().debugger().tracer_mut();
                let pointer = tracer.registers(thread).ok()?.by_name("fs_base")?;
                let table = self.word(pointer.wrapping_add(8))?;
                let block = self.word(table.wrapping_add(number * 16))?;
                // A block that no thread has used yet is not there.
                return (block != u64::MAX).then(|| block.wrapping_add(offset));
            }
        }
        None
    }
}
