//! The prompt of `watchword debug`: lines from the person, and a terminal that shows what happens.

mod line;
mod loader;

use std::io::{self, Write};

use watchword_session::{Client, Console, Error, Happening, Level, Options};

use crate::args::{Global, Reading};
use crate::output;

pub use line::{BODY, Lines, READY};
pub use loader::Loader;

/// Shows what happens on standard error.
#[derive(Debug)]
pub struct Terminal {
    /// Whether it is coloured.
    pub color: bool,
}

impl Client for Terminal {
    fn happened(&mut self, happening: &Happening) {
        let Some((text, level)) = happening.text() else { return };
        match level {
            Level::Warning => output::warning(self.color, text),
            Level::Error => output::error(self.color, &anyhow::Error::msg(text.to_string())),
            Level::Plain => {
                // A closed terminal is nobody's business here.
                let mut out = io::stderr().lock();
                let _ = out.write_all(text.as_bytes());
                if !text.ends_with('\n') {
                    let _ = out.write_all(b"\n");
                }
            }
        }
    }
}

/// The commands, and what they show on this terminal.
pub fn console(reading: &Reading, global: &Global) -> Console {
    let color = global.color_on_stderr();
    let options = Options { color, verbose: global.verbose };
    let mut console = Console::new(options, Box::new(Loader::new(reading, global)));
    console.add_client(Box::new(Terminal { color }));
    console
}

/// The commands for a debugger that will connect: its console has no colours.
pub fn remote_console(reading: &Reading, global: &Global) -> Console {
    let mut console = silent_console(reading, global);
    console.add_client(Box::new(Terminal { color: global.color_on_stderr() }));
    console
}

/// The commands for an editor that shows everything itself.
pub fn silent_console(reading: &Reading, global: &Global) -> Console {
    let options = Options { color: false, verbose: global.verbose };
    Console::new(options, Box::new(Loader::new(reading, global)))
}

/// An error of a session as the command line knows errors.
pub fn lifted(error: Error) -> anyhow::Error {
    match error.is_reported() {
        true => crate::Reported.into(),
        false => error.into(),
    }
}
