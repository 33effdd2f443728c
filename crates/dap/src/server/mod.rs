//! Answers an editor that is connected.

mod client;
mod handles;
mod memory;
mod output;
mod points;
mod requests;
mod running;
mod stack;
mod start;
mod values;
mod watched;
mod wire;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value;
use watchword_debug::ThreadId;
use watchword_native::session::Go;
use watchword_native::{Session, Settings};
use watchword_session::Console;

use crate::configuration::Configuration;
use crate::protocol::message::{Request, response};
use client::Noticed;
use handles::Handles;
use points::Points;
use running::Standing;
use wire::{Asked, Wire, Writer};

pub use wire::Connection;

/// Supplies what the protocol does not know.
pub trait Host {
    /// How programs are run.
    fn settings(&self) -> Settings;

    /// The commands, with a way to read properties.
    fn console(&mut self) -> Console;

    /// What holds if the editor does not say otherwise.
    fn defaults(&self) -> Configuration;
}

/// What a request comes to.
type Answer = Result<Value, String>;

/// An editor, and the program it debugs if there is one.
struct Adapter<'a> {
    host: &'a mut dyn Host,
    wire: Wire,
    writer: Writer,
    noticed: Rc<RefCell<Noticed>>,
    debuggee: Option<Debuggee>,
    /// How the program goes on when nothing else is to be done.
    going: Option<Go>,
    /// Sent after the answer to the request that is being served.
    later: Vec<(&'static str, Value)>,
    /// The conversation is over.
    is_over: bool,
    /// What the editor counts its first line as.
    first_line: i64,
}

/// A program that is debugged.
struct Debuggee {
    session: Session,
    console: Console,
    configuration: Configuration,
    points: Points,
    handles: Handles,
    /// Why the program stands.
    standing: Standing,
    /// The threads the editor knows, by number.
    threads: Vec<(u32, ThreadId)>,
    outlets: Vec<output::Outlet>,
    /// The editor has said all it has to say before the program goes on.
    is_configured: bool,
    /// The checkpoint at which the program stands.
    at_checkpoint: Option<i64>,
    /// Counts stops: what was said about one is of no use at the next.
    stops: u64,
}

/// Answers an editor until it ends the session or vanishes. If it vanishes, a program that was started
/// ends, and one that was joined goes on: nothing stays stopped.
///
/// # Errors
/// If the program cannot be traced any more. A broken connection is an end like others.
pub fn serve(connection: Connection, host: &mut dyn Host) -> watchword_session::Result<()> {
    let (wire, writer) = Wire::open(connection);
    let mut adapter = Adapter {
        host,
        wire,
        writer,
        noticed: Rc::default(),
        debuggee: None,
        going: None,
        later: Vec::new(),
        is_over: false,
        first_line: 1,
    };
    adapter.converse();
    adapter.let_go()
}

impl Adapter<'_> {
    fn converse(&mut self) {
        while !self.is_over {
            if self.going.is_some() && !self.wire.has_waiting() {
                self.go_on();
                continue;
            }
            match self.wire.next() {
                None | Some(Asked::End) => return,
                Some(Asked::Request(request)) => self.answer(&request),
                Some(Asked::Nonsense(why)) => {
                    self.writer.output("console", &format!("error: not understood: {why}\n"));
                }
            }
        }
    }

    fn answer(&mut self, request: &Request) {
        let answer = match requests::find(&request.command) {
            Some(serve) => serve(self, request),
            None => Err(format!("there is no request `{}`", request.command)),
        };
        self.writer.send(response(request, answer));
        for (name, body) in std::mem::take(&mut self.later) {
            self.writer.event(name, body);
        }
        self.tell_restored();
    }

    fn debuggee(&mut self) -> Result<&mut Debuggee, String> {
        self.debuggee.as_mut().ok_or_else(|| "there is no program yet".to_string())
    }

    /// The program, if it can be looked at.
    fn stopped(&mut self) -> Result<&mut Debuggee, String> {
        let debuggee = self.debuggee()?;
        match debuggee.session.is_alive() {
            true => Ok(debuggee),
            false => Err("the program has ended".to_string()),
        }
    }

    /// Nothing stays stopped.
    fn let_go(&mut self) -> watchword_session::Result<()> {
        let Some(debuggee) = &mut self.debuggee else { return Ok(()) };
        if !debuggee.session.is_alive() {
            return Ok(());
        }
        match debuggee.session.is_attached() {
            true => debuggee.session.detach()?,
            false => debuggee.session.end_run(&mut debuggee.console)?,
        }
        Ok(())
    }
}

/// An error as an editor shows it.
fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
