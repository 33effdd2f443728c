//! The connection: a thread reads it, so that Ctrl-C is heard while the program runs.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use watchword_debug::Interrupter;
use watchword_native::signals::{self, Listening};
use watchword_native::streams;

use crate::protocol::command::Command;
use crate::protocol::frame::{Decoder, Frame, encode};

/// A connection to a debugger.
pub struct Connection {
    reader: Box<dyn Read + Send>,
    writer: Box<dyn Write>,
    /// Ends the reading, if the connection can do that.
    stream: Option<TcpStream>,
}

impl Connection {
    /// A connection over two streams.
    pub fn new(reader: impl Read + Send + 'static, writer: impl Write + 'static) -> Connection {
        Connection { reader: Box::new(reader), writer: Box::new(writer), stream: None }
    }

    /// Waits for a debugger to connect.
    ///
    /// # Errors
    /// If the socket fails, or the end of the process is requested in the meantime.
    pub fn accept(listener: &TcpListener) -> io::Result<Connection> {
        let stream = streams::accept(listener)?;
        let (reader, writer) = (stream.try_clone()?, stream.try_clone()?);
        Ok(Connection { stream: Some(stream), ..Connection::new(reader, writer) })
    }
}

/// What is shared with the thread that reads.
struct Shared {
    /// A packet has come that makes the program run, and its answer was not sent yet. Whoever holds the
    /// lock interrupts the program of this packet, and of no later one.
    is_running: Mutex<bool>,
    interrupter: Interrupter,
}

impl Shared {
    fn is_running(&self) -> MutexGuard<'_, bool> {
        self.is_running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the program, also if it only begins to run; whether it runs.
    fn interrupt(&self) -> bool {
        let is_running = self.is_running();
        if *is_running {
            self.interrupter.interrupt();
        }
        *is_running
    }
}

/// Writes packets.
#[derive(Clone)]
pub(super) struct Writer(Rc<RefCell<Box<dyn Write>>>);

impl Writer {
    /// Sends a packet. A connection that is gone is noticed by whoever reads.
    pub fn send(&self, data: &[u8]) {
        self.raw(&encode(data));
    }

    fn raw(&self, bytes: &[u8]) {
        let mut writer = self.0.borrow_mut();
        let _ = writer.write_all(bytes).and_then(|()| writer.flush());
    }
}

/// The connection of a server.
pub(super) struct Wire {
    /// What came; nothing more comes after `None`.
    frames: Receiver<Option<Frame>>,
    _listening: Listening,
    writer: Writer,
    shared: Arc<Shared>,
    has_acks: bool,
    sent: Vec<u8>,
    stream: Option<TcpStream>,
}

impl Wire {
    pub fn open(connection: Connection, interrupter: Interrupter) -> Wire {
        let (sender, frames) = channel();
        let shared = Arc::new(Shared { is_running: Mutex::new(false), interrupter });
        let theirs = shared.clone();
        let reader = connection.reader;
        let ender = sender.clone();
        std::thread::spawn(move || read(reader, &sender, &theirs));
        Wire {
            frames,
            _listening: signals::on_end(move || drop(ender.send(None))),
            writer: Writer(Rc::new(RefCell::new(connection.writer))),
            shared,
            has_acks: true,
            sent: Vec::new(),
            stream: connection.stream,
        }
    }

    pub fn writer(&self) -> Writer {
        self.writer.clone()
    }

    /// The next frame; `None` when the connection is gone, or somebody asked us to end.
    pub fn next(&mut self) -> Option<Frame> {
        self.frames.recv().ok().flatten()
    }

    pub fn ack(&mut self, is_good: bool) {
        if self.has_acks {
            self.writer.raw(if is_good { b"+" } else { b"-" });
        }
    }

    pub fn stop_acks(&mut self) {
        self.has_acks = false;
    }

    pub fn send(&mut self, data: &[u8]) {
        self.writer.send(data);
        if self.has_acks {
            self.sent = data.to_vec();
        }
    }

    pub fn send_again(&mut self) {
        let sent = std::mem::take(&mut self.sent);
        // An answer that is not there yet cannot have been damaged.
        if !sent.is_empty() {
            self.send(&sent);
        }
    }

    /// The program stands; a wish to stop it is fulfilled.
    pub fn stopped(&mut self) {
        *self.shared.is_running() = false;
        self.shared.interrupter.forget();
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(stream) = &self.stream {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

fn read(mut reader: Box<dyn Read + Send>, sender: &Sender<Option<Frame>>, shared: &Shared) {
    let mut decoder = Decoder::default();
    let mut bytes = vec![0; 1 << 16];
    let mut is_first = true;
    loop {
        let read = match reader.read(&mut bytes) {
            Ok(0) => break,
            Ok(read) => read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        // A page in a browser that posts packets to our port begins otherwise.
        let was_first = std::mem::take(&mut is_first);
        if was_first && !matches!(bytes[0], b'+' | b'-' | b'$' | 3) {
            break;
        }
        let pushed = bytes[..read].iter().filter_map(|byte| decoder.push(*byte));
        let mut frames: Vec<Frame> = pushed.collect();
        if was_first {
            // Until the session was ready nobody acknowledged the first packet, so it may have been sent
            // several times: it is answered once.
            frames.dedup();
        }
        for frame in frames {
            match &frame {
                Frame::Packet(data) if Command::parse(data).is_resumption() => {
                    *shared.is_running() = true;
                }
                Frame::Interrupt if shared.interrupt() => continue,
                _ => {}
            }
            if sender.send(Some(frame)).is_err() {
                return;
            }
        }
    }
    // Nobody is there any more for whom it could run.
    let _ = sender.send(None);
    shared.interrupt();
}
