//! What happens, as console text of the debugger.

use std::cell::RefCell;
use std::rc::Rc;

use watchword_session::{Client, Happening, Level};

use super::wire::Writer;
use crate::protocol::hex;

/// Text for the debugger's console. It takes text only while it waits: for the program to stop, or
/// for a `monitor` command to be done. Everything else is kept until then.
pub(super) struct Talk {
    writer: Writer,
    is_open: bool,
    is_gone: bool,
    kept: String,
}

impl Talk {
    pub fn new(writer: Writer) -> Talk {
        Talk { writer, is_open: false, is_gone: false, kept: String::new() }
    }

    /// The debugger waits from now on.
    pub fn open(&mut self) {
        self.is_open = true;
        let kept = std::mem::take(&mut self.kept);
        if !kept.is_empty() {
            self.send(&kept);
        }
    }

    /// It does not wait any more.
    pub fn close(&mut self) {
        self.is_open = false;
    }

    /// It is gone.
    pub fn hang_up(&mut self) {
        self.is_gone = true;
    }

    /// Shows text.
    pub fn say(&mut self, text: &str) {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        match self.is_open {
            true => self.send(&format!("{text}{end}")),
            false => {
                self.kept.push_str(text);
                self.kept.push_str(end);
            }
        }
    }

    fn send(&mut self, text: &str) {
        // Debuggers have small buffers for this.
        const PIECE: usize = 1 << 10;
        if self.is_gone {
            return;
        }
        for piece in text.as_bytes().chunks(PIECE) {
            self.writer.send(format!("O{}", hex::encode(piece)).as_bytes());
        }
    }
}

/// Shows what happens to whoever is connected. Where the program stops, the debugger shows itself.
pub(super) struct RemoteClient(pub Rc<RefCell<Talk>>);

impl Client for RemoteClient {
    fn happened(&mut self, happening: &Happening) {
        if matches!(happening, Happening::Stopped(_) | Happening::Exited { .. }) {
            return;
        }
        let Some((text, level)) = happening.text() else { return };
        let mut talk = self.0.borrow_mut();
        match level {
            Level::Plain => talk.say(text),
            Level::Warning => talk.say(&format!("warning: {text}")),
            Level::Error => talk.say(&format!("error: {text}")),
        }
    }
}
