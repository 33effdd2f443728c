//! Objects that debuggers read in pieces: descriptions of registers, threads and libraries.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;

use super::{Answer, Server};

impl Server<'_> {
    pub(super) fn transfer(
        &mut self,
        kind: &str,
        name: &str,
        offset: usize,
        length: usize,
    ) -> Answer {
        let process = self.session.watched().process();
        let object = match (kind, name) {
            ("features", "target.xml") => Some(self.layout().description().into_bytes()),
            ("auxv", _) => std::fs::read(format!("/proc/{process}/auxv")).ok(),
            ("exec-file", _) => std::fs::read_link(format!("/proc/{process}/exe"))
                .ok()
                .map(|path| path.as_os_str().as_bytes().to_vec()),
            ("threads", _) => Some(self.thread_list().into_bytes()),
            ("libraries-svr4", _) => Some(self.libraries().into_bytes()),
            ("features" | "memory-map", _) => None,
            _ => return Answer::text(""),
        };
        let Some(object) = object else { return Answer::text("E00") };
        let rest = object.get(offset..).unwrap_or(&[]);
        // Escapes may double the size.
        let length = length.min(super::PACKET_SIZE / 2 - 16);
        let piece = &rest[..rest.len().min(length)];
        let mut out = vec![if piece.len() < rest.len() { b'm' } else { b'l' }];
        out.extend(piece);
        Answer::Packet(out)
    }

    fn thread_list(&mut self) -> String {
        let mut out = String::from("<?xml version=\"1.0\"?>\n<threads>\n");
        for thread in self.threads() {
            let name = self.describe(thread);
            let _ = writeln!(
                out,
                "<thread id=\"{}\" name=\"{}\"/>",
                self.name(thread),
                escaped(name.split(", number").next().unwrap_or(""))
            );
        }
        out.push_str("</threads>\n");
        out
    }

    /// The libraries as the dynamic linker lists them; the program itself comes first there.
    fn libraries(&mut self) -> String {
        let maps = self.link_maps();
        let head = "<?xml version=\"1.0\"?>\n<library-list-svr4 version=\"1.0\"";
        let Some(main) = maps.first() else { return format!("{head}/>\n") };
        let mut out = format!("{head} main-lm=\"{:#x}\">\n", main.address);
        for map in maps.iter().skip(1).filter(|map| !map.name.is_empty()) {
            let _ = writeln!(
                out,
                "<library name=\"{}\" lm=\"{:#x}\" l_addr=\"{:#x}\" l_ld=\"{:#x}\" lmid=\"0x0\"/>",
                escaped(&map.name),
                map.address,
                map.bias,
                map.dynamic
            );
        }
        out.push_str("</library-list-svr4>\n");
        out
    }
}

/// Text as XML has it in attributes.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
