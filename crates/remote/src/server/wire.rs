//! The connection: a thread reads it, so that Ctrl-C is heard while the program runs.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use watchword_debug::Interrupter;
use watchword_native::{signals, streams};

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
    /// If the socket fails, or somebody asks us to end meanwhile.
    pub fn accept(listener: &TcpListener) -> io::Result<Connection> {
        let stream = streams::accept(listener)?;
        let (reader, writer) = (stream.try_clone()?, stream.try_clone()?);
        Ok(Connection { stream: Some(stream), ..Connection::new(reader, writer) })
    }
}

/// What is shared with the thread that reads.
struct Shared {
    /// A packet has come that makes the program run, and its answer was not sent yet.
    is_running: AtomicBool,
    /// Somebody wants the program to stop.
    is_wanted: AtomicBool,
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
    frames: Receiver<Frame>,
    writer: Writer,
    shared: Arc<Shared>,
    has_acks: bool,
    sent: Vec<u8>,
    stream: Option<TcpStream>,
}

impl Wire {
    pub fn open(connection: Connection, interrupter: Interrupter) -> Wire {
        let (sender, frames) = channel();
        let shared = Arc::new(Shared {
            is_running: AtomicBool::new(false),
            is_wanted: AtomicBool::new(false),
        });
        let theirs = shared.clone();
        let reader = connection.reader;
        std::thread::spawn(move || read(reader, &sender, &theirs, &interrupter));
        Wire {
            frames,
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
        /// How long somebody who asks us to end waits for that.
        const PATIENCE: Duration = Duration::from_millis(200);
        loop {
            match self.frames.recv_timeout(PATIENCE) {
                Ok(frame) => return Some(frame),
                Err(RecvTimeoutError::Timeout) if signals::asked_to_end().is_none() => {}
                Err(_) => return None,
            }
        }
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
        self.send(&sent);
    }

    /// The program stands; a wish to stop it is fulfilled.
    pub fn stopped(&mut self) {
        self.shared.is_running.store(false, Ordering::SeqCst);
        self.shared.is_wanted.store(false, Ordering::SeqCst);
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(stream) = &self.stream {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

fn read(
    mut reader: Box<dyn Read + Send>,
    sender: &Sender<Frame>,
    shared: &Arc<Shared>,
    interrupter: &Interrupter,
) {
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
        if std::mem::take(&mut is_first) && !matches!(bytes[0], b'+' | b'-' | b'$' | 3) {
            break;
        }
        for frame in bytes[..read].iter().filter_map(|byte| decoder.push(*byte)) {
            match &frame {
                Frame::Packet(data) if Command::parse(data).is_resumption() => {
                    shared.is_running.store(true, Ordering::SeqCst);
                }
                Frame::Interrupt if shared.is_running.load(Ordering::SeqCst) => {
                    interrupt(shared.clone(), interrupter.clone());
                    continue;
                }
                _ => {}
            }
            if sender.send(frame).is_err() {
                return;
            }
        }
    }
    // Nobody is there any more for whom it could run.
    if shared.is_running.load(Ordering::SeqCst) {
        interrupt(shared.clone(), interrupter.clone());
    }
}

/// Stops the program, also if it only begins to run.
fn interrupt(shared: Arc<Shared>, interrupter: Interrupter) {
    if shared.is_wanted.swap(true, Ordering::SeqCst) {
        return;
    }
    std::thread::spawn(move || {
        while shared.is_wanted.load(Ordering::SeqCst) && shared.is_running.load(Ordering::SeqCst) {
            interrupter.interrupt_if_heeded();
            std::thread::sleep(Duration::from_millis(2));
        }
    });
}
