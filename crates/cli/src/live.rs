//! `--view` and `--view-record`: the session in a browser.

use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use anyhow::Context;
use watchword_debug::Interrupter;
use watchword_live::{Input, Live, Server};
use watchword_session::{Candidate, Console, Request};

/// Flags of commands that have a live view.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ViewFlags {
    /// Show the session in a browser: the automaton with its moves, slices, events and verdicts. The
    /// address is printed; only this machine can open it
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0", require_equals = true)]
    pub view: Option<u16>,
    /// Write a page that shows the session again, without Watchword
    #[arg(long, value_name = "FILE")]
    pub view_record: Option<PathBuf>,
}

/// What somebody wants of a session.
#[derive(Debug)]
pub enum Asked {
    /// A line was typed.
    Line(String),
    /// A line is being typed: what may its end become? The answer is where the last word begins,
    /// and the words.
    Complete(String, Sender<(usize, Vec<Candidate>)>),
    /// A page made a request.
    Page(Request),
    /// There are no more lines.
    End,
}

/// A session that is shown.
pub struct View {
    live: Live,
    record: Option<PathBuf>,
    server: Option<Server>,
    requests: Option<(Sender<Asked>, Receiver<Asked>)>,
}

/// Takes requests of pages.
struct Pages {
    sender: Sender<Asked>,
    interrupter: Interrupter,
}

impl Input for Pages {
    fn request(&self, request: Request) -> Result<(), String> {
        let over = |_| "the session is over".to_string();
        self.sender.send(Asked::Page(request)).map_err(over)
    }

    fn interrupt(&self) {
        self.interrupter.interrupt_if_heeded();
    }
}

impl ViewFlags {
    /// Begins to show what happens, if that is wanted. With an interrupter, pages can make requests.
    pub fn open(
        &self,
        console: &mut Console,
        interrupter: Option<Interrupter>,
    ) -> anyhow::Result<Option<View>> {
        if self.view.is_none() && self.view_record.is_none() {
            return Ok(None);
        }
        let live = Live::new();
        if self.view_record.is_some() {
            live.record();
        }
        console.add_client(Box::new(live.clone()));
        let mut view =
            View { live, record: self.view_record.clone(), server: None, requests: None };
        if let Some(port) = self.view {
            let input = interrupter.map(|interrupter| {
                let (sender, receiver) = channel();
                let pages = Pages { sender: sender.clone(), interrupter };
                view.requests = Some((sender, receiver));
                Box::new(pages) as Box<dyn Input>
            });
            let server = Server::start(&view.live, port, input)
                .with_context(|| format!("cannot serve pages on port {port}"))?;
            let _ = writeln!(std::io::stderr(), "The session in a browser: {}", server.address());
            view.server = Some(server);
        }
        Ok(Some(view))
    }
}

impl View {
    /// Where requests of pages arrive, if pages can make any.
    pub fn requests(&self) -> Option<(&Sender<Asked>, &Receiver<Asked>)> {
        self.requests.as_ref().map(|(sender, receiver)| (sender, receiver))
    }

    /// The session is over.
    ///
    /// # Errors
    /// If the recording cannot be written.
    pub fn close(self) -> anyhow::Result<()> {
        self.live.end();
        if let Some(file) = &self.record {
            std::fs::write(file, self.live.recording())
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        if self.server.is_some() {
            // Pages that are open get the last news.
            std::thread::sleep(Duration::from_millis(150));
        }
        Ok(())
    }
}
