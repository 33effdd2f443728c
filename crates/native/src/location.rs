//! Where in the source something happened.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use watchword_debug::{Debugger, Frame, ProcessId};
use watchword_model::Location;

/// One line of a backtrace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameLine {
    /// The function, `??` if it has no name.
    pub function: String,
    /// The source file, if it is known.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// The address.
    pub address: u64,
}

impl std::fmt::Display for FrameLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.function)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, " at {file}:{line}"),
            (Some(file), None) => write!(f, " from {file}"),
            _ => Ok(()),
        }
    }
}

/// The frames of a backtrace, those inlined included, innermost first.
pub(crate) fn frame_lines(
    debugger: &Debugger,
    process: ProcessId,
    frames: &[Frame],
) -> Vec<FrameLine> {
    let mut lines = Vec::new();
    for frame in frames {
        let address = frame.pc;
        for inlined in frame.inlined.iter().take(frame.inlined.len().saturating_sub(1)) {
            lines.push(FrameLine {
                function: inlined.function.clone().unwrap_or_else(|| "??".into()),
                file: inlined.line.as_ref().map(|l| short(&l.file)),
                line: inlined.line.as_ref().map(|l| l.line),
                address,
            });
        }
        let place = frame.inlined.last().and_then(|f| f.line.clone()).or(frame.line.clone());
        let module = || {
            let inside = |m: &&std::rc::Rc<watchword_debug::Module>| {
                (m.start..m.end).contains(&frame.lookup_pc())
            };
            debugger.modules(process).iter().find(inside).map(|m| m.path.display().to_string())
        };
        lines.push(FrameLine {
            function: frame.function.clone().unwrap_or_else(|| "??".into()),
            file: place.as_ref().map(|l| short(&l.file)).or_else(module),
            line: place.as_ref().map(|l| l.line),
            address,
        });
    }
    lines
}

/// A source file as people name it: relative to where they are, if it is below.
pub(crate) fn short(file: &str) -> String {
    let here = std::env::current_dir().ok();
    let inside = here.and_then(|h| Path::new(file).strip_prefix(h).ok().map(|p| p.to_owned()));
    let path = inside.unwrap_or_else(|| file.into());
    // `./queue.c` and `queue.c` are one file.
    let text = path.to_string_lossy();
    text.strip_prefix("./").unwrap_or(&text).to_string()
}

/// The source places of addresses, remembered: events happen again at the same ones.
#[derive(Debug, Default)]
pub(crate) struct Places {
    known: HashMap<u64, Arc<Location>>,
    /// Those that were asked for lately, by their addresses.
    recent: Vec<Option<(u64, Arc<Location>)>>,
}

/// So many are kept at hand; a power of two.
const RECENT: usize = 256;

impl Places {
    /// The place of an instruction.
    #[inline]
    pub fn at(
        &mut self,
        debugger: &mut Debugger,
        process: ProcessId,
        address: u64,
    ) -> &Arc<Location> {
        if self.recent.is_empty() {
            self.recent.resize(RECENT, None);
        }
        let slot = (address ^ address >> 8) as usize % RECENT;
        let (recent, known) = (&mut self.recent[slot], &mut self.known);
        recent.take_if(|(of, _)| *of != address);
        let entry = recent.get_or_insert_with(|| {
            let found = known.entry(address).or_insert_with(|| find(debugger, process, address));
            (address, found.clone())
        });
        &entry.1
    }

    /// Libraries came or went.
    pub fn forget(&mut self) {
        self.known.clear();
        self.recent.clear();
    }
}

/// The place of an instruction, looked up.
#[inline(never)]
fn find(debugger: &mut Debugger, process: ProcessId, address: u64) -> Arc<Location> {
    let (function, line) = debugger.place_quickly(process, address);
    let module = || {
        let inside =
            |m: &&std::rc::Rc<watchword_debug::Module>| (m.start..m.end).contains(&address);
        debugger.modules(process).iter().find(inside).map(|m| m.path.display().to_string())
    };
    let file = line.as_ref().map(|l| short(&l.file)).or_else(module);
    Arc::new(Location {
        file: file.map(Arc::from),
        line: line.map(|l| l.line),
        function: function.map(Arc::from),
    })
}
