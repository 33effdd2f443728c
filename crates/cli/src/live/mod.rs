//! `--view` and `--view-record`: the session in a browser.

mod teller;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use anyhow::{Context, bail};
use watchword_debug::Interrupter;
use watchword_live::{Input, Live, Server};
use watchword_model::Model;
use watchword_session::{Candidate, Console, Request};

use crate::output::reports;

pub use teller::Teller;

/// Flags of commands that have a live view.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ViewFlags {
    /// Show the session in a browser: the automaton with its moves, slices, events and verdicts.
    /// The address is printed; it can be opened on this machine only
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0", require_equals = true)]
    pub view: Option<u16>,
    /// Write a page that replays the session without Watchword
    #[arg(long, value_name = "FILE")]
    pub view_record: Option<PathBuf>,
}

/// How long the end waits for pages that are slow.
const LAST_NEWS: Duration = Duration::from_secs(2);

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
        let over = |_| "the session has ended".to_string();
        self.sender.send(Asked::Page(request)).map_err(over)
    }

    fn interrupt(&self) {
        self.interrupter.interrupt_if_heeded();
    }
}

impl ViewFlags {
    /// Whether anything is to be shown.
    pub fn is_wanted(&self) -> bool {
        self.view.is_some() || self.view_record.is_some()
    }

    /// Refuses to write the recording over what the run reads, or where it cannot be written.
    ///
    /// # Errors
    /// If it can be known now that the recording cannot be kept.
    pub fn refuse_inputs<'p>(
        &self,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> anyhow::Result<()> {
        let Some(file) = &self.view_record else { return Ok(()) };
        if file.is_dir() || !reports::folder(file).is_dir() {
            bail!("--view-record {}: there is no folder to write this file to", file.display());
        }
        reports::refuse_inputs([file], inputs)
    }

    /// Begins to show what happens in a session, if that is wanted. With an interrupter, pages can make
    /// requests.
    pub fn open(
        &self,
        console: &mut Console,
        interrupter: Option<Interrupter>,
    ) -> anyhow::Result<Option<View>> {
        let Some(mut view) = self.begin() else { return Ok(None) };
        console.add_client(Box::new(view.live.clone()));
        let input = interrupter.map(|interrupter| {
            let (sender, receiver) = channel();
            let pages = Pages { sender: sender.clone(), interrupter };
            view.requests = Some((sender, receiver));
            Box::new(pages) as Box<dyn Input>
        });
        self.serve(&mut view, input)?;
        Ok(Some(view))
    }

    /// Begins to show a run that is no session, if that is wanted: pages have no controls.
    pub fn open_run(&self) -> anyhow::Result<Option<View>> {
        let Some(mut view) = self.begin() else { return Ok(None) };
        self.serve(&mut view, None)?;
        Ok(Some(view))
    }

    fn begin(&self) -> Option<View> {
        if !self.is_wanted() {
            return None;
        }
        let live = Live::new();
        if self.view_record.is_some() {
            live.record();
        }
        Some(View { live, record: self.view_record.clone(), server: None, requests: None })
    }

    fn serve(&self, view: &mut View, input: Option<Box<dyn Input>>) -> anyhow::Result<()> {
        let Some(port) = self.view else { return Ok(()) };
        let server = Server::start(&view.live, port, input)
            .with_context(|| format!("cannot serve pages on port {port}"))?;
        let _ = writeln!(std::io::stderr(), "The session in a browser: {}", server.address());
        view.server = Some(server);
        Ok(())
    }
}

impl View {
    /// Shows a run of these properties over a log or a program of this name.
    pub fn teller(&self, name: &str, model: &Arc<Model>) -> Teller {
        Teller::new(self.live.clone(), name, model)
    }

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
        // Pages that are open get the last news.
        self.live.settle(LAST_NEWS);
        Ok(())
    }
}
