//! Answers a debugger that is connected.

mod client;
mod files;
mod linkmap;
mod objects;
mod registers;
mod resume;
mod wire;

use std::cell::RefCell;
use std::rc::Rc;

use watchword_debug::{Access, Error, ThreadId};
use watchword_native::Session;
use watchword_session::Console;

use crate::protocol::command::{Command, PointKind, ThreadRef};
use crate::protocol::frame::Frame;
use crate::protocol::hex;
use crate::protocol::layout::Layout;
use crate::protocol::signal;
use client::Talk;
use files::Files;
use resume::Last;
use wire::Wire;

pub use wire::Connection;

/// The longest packet we announce to take, and the most memory that is read at once.
const PACKET_SIZE: usize = 0x20000;

/// What to answer.
enum Answer {
    /// A packet.
    Packet(Vec<u8>),
    /// Nothing.
    Silence,
    /// A packet, and the conversation is over.
    Last(Vec<u8>),
    /// The conversation is over.
    End,
}

impl Answer {
    fn text(text: impl Into<String>) -> Answer {
        Answer::Packet(text.into().into_bytes())
    }

    fn ok() -> Answer {
        Answer::text("OK")
    }

    /// Something went wrong; debuggers show hardly more than that.
    fn error() -> Answer {
        Answer::text("E01")
    }

    fn done(result: Result<(), Error>) -> Answer {
        match result {
            Ok(()) => Answer::ok(),
            Err(_) => Answer::error(),
        }
    }
}

/// A debugger at a session.
struct Server<'a> {
    session: &'a mut Session,
    console: &'a mut Console,
    wire: Wire,
    talk: Rc<RefCell<Talk>>,
    layout: Option<Layout>,
    files: Files,
    /// The thread that register commands are about.
    selected: Option<ThreadId>,
    /// The thread that `c` and `s` are about.
    runner: Option<ThreadId>,
    /// Why the program stands.
    last: Last,
    is_multiprocess: bool,
    /// GDB wants to know that a stop is due to a breakpoint.
    knows_breakpoints: bool,
    knows_exec: bool,
    /// It is LLDB.
    is_lldb: bool,
    /// A program that has ended can be started again.
    is_extended: bool,
    /// The checkpoint that going backwards goes to.
    checkpoint: Option<i64>,
    /// Whether LLDB, which knows no way back, goes there when it lets the program go on.
    turns_back: bool,
}

/// Answers a debugger until the program has ended, or the debugger lets go of it or vanishes. If it
/// vanishes, a program that was started ends, and one that was joined goes on: nothing stays
/// stopped.
///
/// # Errors
/// If the program cannot be traced any more. A broken connection is an end like others.
pub fn serve(
    session: &mut Session,
    console: &mut Console,
    connection: Connection,
) -> watchword_session::Result<()> {
    let interrupter = session.program().interrupter()?;
    let wire = Wire::open(connection, interrupter);
    let talk = Rc::new(RefCell::new(Talk::new(wire.writer())));
    console.add_client(Box::new(client::RemoteClient(talk.clone())));
    console.hand_over();
    for number in 1..=64 {
        session.program().debugger().tracer_mut().tell_signal(number);
    }
    let last = Last::first(session);
    let mut server = Server {
        session,
        console,
        wire,
        talk,
        layout: None,
        files: Files::default(),
        selected: None,
        runner: None,
        last,
        is_multiprocess: false,
        knows_breakpoints: false,
        knows_exec: false,
        is_lldb: false,
        is_extended: false,
        checkpoint: None,
        turns_back: false,
    };
    server.converse();
    server.let_go()
}

impl Server<'_> {
    fn converse(&mut self) {
        while let Some(frame) = self.wire.next() {
            let packet = match frame {
                Frame::Packet(packet) => packet,
                Frame::Damaged => {
                    self.wire.ack(false);
                    continue;
                }
                Frame::Nak => {
                    self.wire.send_again();
                    continue;
                }
                // The program stands already.
                Frame::Ack | Frame::Interrupt => continue,
            };
            self.wire.ack(true);
            let command = Command::parse(&packet);
            let is_resumption = command.is_resumption();
            let answer = self.answer(command);
            if is_resumption {
                self.wire.stopped();
            }
            match answer {
                Answer::Packet(data) => self.wire.send(&data),
                Answer::Silence => {}
                Answer::Last(data) => {
                    self.wire.send(&data);
                    return;
                }
                Answer::End => return,
            }
        }
    }

    /// Nothing stays stopped.
    fn let_go(&mut self) -> watchword_session::Result<()> {
        self.talk.borrow_mut().hang_up();
        if !self.session.is_alive() {
            return Ok(());
        }
        self.session.remove_remote_points()?;
        match self.session.is_attached() {
            true => self.session.detach()?,
            false => self.session.end_run(self.console)?,
        }
        Ok(())
    }

    fn answer(&mut self, command: Command) -> Answer {
        match command {
            Command::Unknown => Answer::text(""),
            Command::Malformed => Answer::error(),
            Command::Extended => {
                self.is_extended = true;
                Answer::ok()
            }
            Command::NoAcks => {
                self.wire.send(b"OK");
                self.wire.stop_acks();
                Answer::Silence
            }
            Command::Supported(theirs) => self.supported(&theirs),
            Command::WhyStopped => Answer::Packet(self.why()),
            Command::ThreadStop(which) => self.why_thread(which),
            Command::Resume(actions) => self.resume(&actions),
            Command::ResumeKinds => Answer::text("vCont;c;C;s;S;t;r"),
            Command::ReverseContinue => self.backwards(),
            Command::ReadRegisters => self.read_registers(),
            Command::WriteRegisters(bytes) => self.write_registers(&bytes),
            Command::ReadRegister(number) => self.read_register(number),
            Command::WriteRegister(number, bytes) => self.write_register(number, &bytes),
            Command::ReadMemory(address, size) => self.read_memory(address, size),
            Command::WriteMemory(address, bytes) => {
                let process = self.session.program().process();
                let tracer = self.session.program().debugger().tracer_mut();
                Answer::done(tracer.write(process, address, &bytes))
            }
            Command::SelectThread(which) => self.select(which, false),
            Command::SelectRunner(which) => self.select(which, true),
            Command::IsAlive(which) => match self.thread(which) {
                Some(_) => Answer::ok(),
                None => Answer::error(),
            },
            Command::Insert(kind, address, size) => Answer::done(match access(kind) {
                None => self.session.insert_break(address),
                Some(access) => self.session.insert_watch(address, size, access),
            }),
            Command::Remove(kind, address, size) => Answer::done(match access(kind) {
                None => self.session.remove_break(address),
                Some(access) => self.session.remove_watch(address, size, access),
            }),
            Command::Detach => self.detach(),
            Command::Kill => {
                let _ = self.session.end_run(self.console);
                match (self.is_lldb, self.is_extended) {
                    // LLDB waits for an answer, GDB does not.
                    (true, _) => Answer::Last(b"X09".to_vec()),
                    (false, true) => Answer::Silence,
                    (false, false) => Answer::End,
                }
            }
            Command::KillProcess => {
                let _ = self.session.end_run(self.console);
                if self.is_extended { Answer::ok() } else { Answer::Last(b"OK".to_vec()) }
            }
            Command::Restart => {
                let _ = self.restart(&[]);
                Answer::Silence
            }
            Command::Run(words) => self.restart(&words),
            Command::WasAttached => {
                Answer::text(if self.session.is_attached() { "1" } else { "0" })
            }
            Command::CurrentThread => match self.current() {
                Some(thread) => Answer::text(format!("QC{}", self.name(thread))),
                None => Answer::error(),
            },
            Command::FirstThreads => {
                let all: Vec<String> = self.threads().into_iter().map(|t| self.name(t)).collect();
                Answer::text(if all.is_empty() {
                    "l".into()
                } else {
                    format!("m{}", all.join(","))
                })
            }
            Command::MoreThreads => Answer::text("l"),
            Command::ThreadInfo(which) => match self.thread(which) {
                Some(thread) => Answer::text(hex::encode(self.describe(thread).as_bytes())),
                None => Answer::error(),
            },
            Command::Monitor(line) => self.monitor(&line),
            Command::PassSignals(passed) => {
                let tracer = self.session.program().debugger().tracer_mut();
                for number in 1..=64 {
                    match passed.contains(&signal::to_protocol(number)) {
                        true => tracer.pass_signal(number),
                        false => tracer.tell_signal(number),
                    }
                }
                Answer::ok()
            }
            Command::Symbols => Answer::ok(),
            Command::ThreadLocal(which, offset, link_map) => {
                self.thread_local(which, offset, link_map)
            }
            Command::Transfer(kind, name, offset, length) => {
                self.transfer(&kind, &name, offset, length)
            }
            Command::File(command) => Answer::Packet(self.files.perform(&command)),
            Command::HostInfo => {
                self.is_lldb = true;
                let triple = hex::encode(b"x86_64-pc-linux-gnu");
                Answer::text(format!("triple:{triple};ptrsize:8;endian:little;"))
            }
            Command::ProcessInfo => self.process_info(),
            Command::MemoryRegion(address) => self.region(address),
            Command::WatchpointInfo => Answer::text("num:4;"),
        }
    }

    fn supported(&mut self, theirs: &[String]) -> Answer {
        let has = |feature: &str| theirs.iter().any(|f| f == feature);
        self.is_multiprocess = has("multiprocess+");
        self.knows_breakpoints = has("swbreak+");
        self.knows_exec = has("exec-events+");
        let mut ours = format!(
            "PacketSize={PACKET_SIZE:x};QStartNoAckMode+;vContSupported+;qXfer:features:read+;\
             qXfer:auxv:read+;qXfer:exec-file:read+;qXfer:libraries-svr4:read+;\
             qXfer:threads:read+;qXfer:memory-map:read-;QPassSignals+;ReverseContinue+"
        );
        for (feature, theirs) in [
            ("multiprocess+", self.is_multiprocess),
            ("swbreak+", self.knows_breakpoints),
            ("exec-events+", self.knows_exec),
        ] {
            if theirs {
                ours.push(';');
                ours.push_str(feature);
            }
        }
        Answer::text(ours)
    }

    /// The threads of the program.
    fn threads(&mut self) -> Vec<ThreadId> {
        if !self.session.is_alive() {
            return Vec::new();
        }
        let process = self.session.program().process();
        self.session.program().debugger().tracer().threads(process)
    }

    /// The thread a debugger means, if it exists.
    fn thread(&mut self, which: ThreadRef) -> Option<ThreadId> {
        match which {
            ThreadRef::Any | ThreadRef::All => self.current(),
            ThreadRef::One(number) => self.threads().into_iter().find(|t| t.raw() == number),
        }
    }

    /// The thread that commands are about if they do not say.
    fn current(&mut self) -> Option<ThreadId> {
        let threads = self.threads();
        let chosen = self.selected.or(self.session.thread().ok());
        chosen.filter(|t| threads.contains(t)).or(threads.first().copied())
    }

    fn select(&mut self, which: ThreadRef, is_runner: bool) -> Answer {
        let thread = match which {
            ThreadRef::Any | ThreadRef::All => None,
            one => match self.thread(one) {
                Some(thread) => Some(thread),
                None => return Answer::error(),
            },
        };
        match is_runner {
            true => self.runner = thread,
            false => {
                self.selected = thread;
                if let Some(thread) = thread {
                    // What `monitor` commands look at.
                    self.session.select_thread(thread);
                }
            }
        }
        Answer::ok()
    }

    /// A thread as the protocol names it.
    fn name(&self, thread: ThreadId) -> String {
        match self.is_multiprocess {
            true => {
                let process = self.session.watched().process();
                format!("p{:x}.{:x}", process.raw(), thread.raw())
            }
            false => format!("{:x}", thread.raw()),
        }
    }

    /// What people want to know of a thread.
    fn describe(&mut self, thread: ThreadId) -> String {
        let name = std::fs::read_to_string(format!("/proc/{thread}/comm"));
        let name = name.unwrap_or_default().trim().to_string();
        match self.session.program().debugger().tracer().thread_number(thread) {
            Some(number) => format!("{name}, number {number}"),
            None => name,
        }
    }

    fn read_memory(&mut self, address: u64, size: u64) -> Answer {
        let size = usize::try_from(size).unwrap_or(usize::MAX).min(PACKET_SIZE / 2 - 16);
        let mut bytes = vec![0; size];
        let process = self.session.program().process();
        let read =
            self.session.program().debugger().tracer().read_partly(process, address, &mut bytes);
        match read {
            0 if size > 0 => Answer::error(),
            n => Answer::text(hex::encode(&bytes[..n])),
        }
    }

    fn detach(&mut self) -> Answer {
        let _ = self.session.remove_remote_points();
        match self.session.is_alive() {
            true => match self.session.detach() {
                Ok(()) => Answer::Last(b"OK".to_vec()),
                Err(_) => Answer::error(),
            },
            false => Answer::Last(b"OK".to_vec()),
        }
    }

    /// Starts the program again. Its arguments are those of the command line; a debugger that asks
    /// for others is refused.
    fn restart(&mut self, words: &[String]) -> Answer {
        if words.len() > 1 {
            return Answer::error();
        }
        self.selected = None;
        self.runner = None;
        if (self.session.is_running() || !self.session.is_alive())
            && self.session.restart().is_err()
        {
            return Answer::error();
        }
        for number in 1..=64 {
            self.session.program().debugger().tracer_mut().tell_signal(number);
        }
        self.last = Last::first(self.session);
        Answer::Packet(self.why())
    }

    /// A command of the prompt.
    fn monitor(&mut self, line: &str) -> Answer {
        let (name, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match name {
            "select-checkpoint" => {
                let objection = self.select_checkpoint(rest.trim()).err();
                return self.say(objection);
            }
            "restart" => {
                let told = self.choose_checkpoint(rest.trim());
                return self.say(Some(told));
            }
            _ => {}
        }
        self.talk.borrow_mut().open();
        if let Err(e) = self.console.execute(self.session, line) {
            self.console.complain(&e);
        }
        self.talk.borrow_mut().close();
        match self.session.is_alive() {
            true => Answer::ok(),
            // `quit`, for example.
            false => Answer::Last(b"OK".to_vec()),
        }
    }

    /// Says where `reverse-continue` goes: to the last checkpoint, or to this one, once.
    fn select_checkpoint(&mut self, number: &str) -> Result<(), String> {
        let chosen = number.parse::<i64>().ok();
        let exists = |n: i64| self.session.checkpoints().any(|(number, _)| number == n);
        match (number, chosen) {
            ("", _) if self.session.checkpoints().next().is_some() => {}
            ("", _) => return Err("there is no checkpoint".to_string()),
            (_, Some(n)) if exists(n) => {}
            _ => return Err(format!("there is no checkpoint {number}")),
        }
        self.checkpoint = chosen;
        Ok(())
    }

    /// The program is not moved behind the debugger's back: the debugger's own command goes to the
    /// checkpoint, and the text names it.
    fn choose_checkpoint(&mut self, number: &str) -> String {
        if let Err(objection) = self.select_checkpoint(number) {
            return objection;
        }
        self.turns_back = self.is_lldb;
        let command = if self.is_lldb { "continue" } else { "reverse-continue" };
        let which = match self.checkpoint {
            Some(number) => format!("checkpoint {number}"),
            None => "the last checkpoint".to_string(),
        };
        format!("`{command}` goes back to {which}")
    }

    /// Console text as the answer to a command.
    fn say(&mut self, text: Option<String>) -> Answer {
        let mut talk = self.talk.borrow_mut();
        if let Some(text) = text {
            talk.open();
            talk.say(&text);
            talk.close();
        }
        Answer::ok()
    }

    fn process_info(&mut self) -> Answer {
        if !self.session.is_alive() {
            return Answer::error();
        }
        let pid = self.session.program().process().raw();
        let triple = hex::encode(b"x86_64-pc-linux-gnu");
        Answer::text(format!("pid:{pid:x};triple:{triple};ostype:linux;endian:little;ptrsize:8;"))
    }

    /// The mapping around an address, or the gap.
    fn region(&mut self, address: u64) -> Answer {
        let process = self.session.program().process();
        let Ok(all) = self.session.program().debugger().tracer().mappings(process) else {
            return Answer::error();
        };
        if let Some(m) = all.iter().find(|m| m.contains(address)) {
            let mut allowed = String::new();
            for (is, letter) in
                [(m.is_readable(), 'r'), (m.is_writable(), 'w'), (m.is_executable(), 'x')]
            {
                if is {
                    allowed.push(letter);
                }
            }
            let name = hex::encode(m.name.as_bytes());
            let size = m.end - m.start;
            return Answer::text(format!(
                "start:{:x};size:{size:x};permissions:{allowed};name:{name};",
                m.start
            ));
        }
        let start = all.iter().map(|m| m.end).filter(|end| *end <= address).max().unwrap_or(0);
        let end = all.iter().map(|m| m.start).filter(|s| *s > address).min().unwrap_or(u64::MAX);
        Answer::text(format!("start:{start:x};size:{:x};", end - start))
    }
}

fn access(kind: PointKind) -> Option<Access> {
    match kind {
        PointKind::Break => None,
        PointKind::Write => Some(Access::Write),
        PointKind::Read => Some(Access::Read),
        PointKind::Access => Some(Access::ReadWrite),
    }
}
