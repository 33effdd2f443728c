//! The connection: a thread reads it, so that requests are heard while the program runs.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use watchword_debug::Interrupter;
use watchword_native::signals::{self, Listening};
use watchword_native::streams;

use crate::protocol::frame::{Decoder, Frame, encode};
use crate::protocol::message::{Request, event};

/// A connection to an editor.
pub struct Connection {
    reader: Box<dyn Read + Send>,
    writer: Box<dyn Write + Send>,
    /// Ends the reading, if the connection can do that.
    stream: Option<TcpStream>,
}

impl Connection {
    /// A connection over two streams.
    pub fn new(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
    ) -> Connection {
        Connection { reader: Box::new(reader), writer: Box::new(writer), stream: None }
    }

    /// Waits for an editor to connect.
    ///
    /// # Errors
    /// If the socket fails, or the end of the process is requested in the meantime.
    pub fn accept(listener: &TcpListener) -> io::Result<Connection> {
        /// An editor that takes nothing for so long is gone: nobody waits for it for ever.
        const PATIENCE: Duration = Duration::from_secs(20);
        let stream = streams::accept(listener)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (reader, writer) = (stream.try_clone()?, stream.try_clone()?);
        Ok(Connection { stream: Some(stream), ..Connection::new(reader, writer) })
    }
}

/// Writes messages, from any thread, and numbers them.
#[derive(Clone)]
pub(super) struct Writer(Arc<Mutex<Numbered>>);

struct Numbered {
    sent: i64,
    is_gone: bool,
    out: Box<dyn Write + Send>,
}

impl Writer {
    fn inner(&self) -> MutexGuard<'_, Numbered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message. A connection that is gone is noticed by whoever reads.
    pub fn send(&self, mut message: Value) {
        let mut inner = self.inner();
        if inner.is_gone {
            return;
        }
        inner.sent += 1;
        message["seq"] = inner.sent.into();
        let bytes = encode(&message.to_string());
        let done = inner.out.write_all(&bytes).and_then(|()| inner.out.flush());
        inner.is_gone = done.is_err();
    }

    /// Sends an event.
    pub fn event(&self, name: &str, body: Value) {
        self.send(event(name, body));
    }

    /// Shows text.
    pub fn output(&self, category: &str, text: &str) {
        if !text.is_empty() {
            self.event("output", serde_json::json!({ "category": category, "output": text }));
        }
    }
}

/// What is shared with the thread that reads.
#[derive(Default)]
struct State {
    /// The program runs, or is about to.
    runs: bool,
    /// Somebody wants it to stop.
    is_wanted: bool,
    /// Stops it; there is none before there is a program.
    interrupter: Option<Interrupter>,
}

#[derive(Default)]
struct Shared(Mutex<State>);

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the program if it runs, also if it only begins to.
    fn interrupt(&self) {
        let mut state = self.state();
        if state.runs && !state.is_wanted {
            state.is_wanted = true;
            if let Some(interrupter) = &state.interrupter {
                interrupter.interrupt();
            }
        }
    }
}

/// What the editor wants.
pub(super) enum Asked {
    /// This.
    Request(Request),
    /// Something that cannot be read.
    Nonsense(String),
    /// Nothing any more.
    End,
}

/// The reading half of a connection.
pub(super) struct Wire {
    asked: Receiver<Asked>,
    _listening: Listening,
    waiting: Option<Asked>,
    shared: Arc<Shared>,
    stream: Option<TcpStream>,
    is_gone: bool,
}

impl Wire {
    pub fn open(connection: Connection) -> (Wire, Writer) {
        let (sender, asked) = channel();
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let reader = connection.reader;
        let ender = sender.clone();
        let listening = signals::on_end(move || drop(ender.send(Asked::End)));
        std::thread::spawn(move || read(reader, &sender, &theirs));
        let writer = Numbered { sent: 0, is_gone: false, out: connection.writer };
        let stream = connection.stream;
        let wire =
            Wire { asked, _listening: listening, waiting: None, shared, stream, is_gone: false };
        (wire, Writer(Arc::new(Mutex::new(writer))))
    }

    /// From now on there is a program that can be stopped.
    pub fn set_interrupter(&mut self, interrupter: Interrupter) {
        self.shared.state().interrupter = Some(interrupter);
    }

    /// The next request; `None` when the connection is gone, or somebody asked us to end.
    pub fn next(&mut self) -> Option<Asked> {
        if let Some(waiting) = self.waiting.take() {
            return Some(waiting);
        }
        if self.is_gone || signals::asked_to_end().is_some() {
            return None;
        }
        let asked = self.asked.recv().ok();
        self.is_gone = asked.is_none();
        asked
    }

    /// Whether there is something to be dealt with before the program goes on: a request, or the end of
    /// the connection.
    pub fn has_waiting(&mut self) -> bool {
        if self.waiting.is_none() {
            match self.asked.try_recv() {
                Ok(asked) => self.waiting = Some(asked),
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => self.is_gone = true,
            }
        }
        self.waiting.is_some() || self.is_gone || signals::asked_to_end().is_some()
    }

    /// The program is about to go on. Whatever comes from now on interrupts it.
    pub fn begin(&mut self) {
        let mut state = self.shared.state();
        state.is_wanted = false;
        state.runs = true;
    }

    /// The program stands; whether that was asked for from here.
    pub fn end(&mut self) -> bool {
        let mut state = self.shared.state();
        state.runs = false;
        if let Some(interrupter) = &state.interrupter {
            interrupter.forget();
        }
        std::mem::take(&mut state.is_wanted) || signals::asked_to_end().is_some()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(stream) = &self.stream {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

fn read(mut reader: Box<dyn Read + Send>, sender: &Sender<Asked>, shared: &Shared) {
    let mut decoder = Decoder::default();
    let mut bytes = vec![0; 1 << 16];
    'reading: loop {
        let read = match reader.read(&mut bytes) {
            Ok(0) => break,
            Ok(read) => read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        decoder.push(&bytes[..read]);
        while let Some(frame) = decoder.next_frame() {
            let asked = match frame {
                Frame::Lost(why) => {
                    let _ = sender.send(Asked::Nonsense(why.to_string()));
                    break 'reading;
                }
                Frame::Message(text) => match Request::parse(&text) {
                    Ok(None) => continue,
                    Ok(Some(request)) => Asked::Request(request),
                    Err(why) => Asked::Nonsense(why),
                },
            };
            if sender.send(asked).is_err() {
                return;
            }
            shared.interrupt();
        }
    }
    // Nobody is there any more for whom it could run, or be about to.
    let _ = sender.send(Asked::End);
    shared.interrupt();
}
