//! Packets as commands.

use super::hex;

/// A thread as a packet names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadRef {
    /// Any thread, or the current one.
    Any,
    /// All threads.
    All,
    /// This one, by the kernel's number.
    One(i32),
}

/// How a thread goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Freely; with a signal in the protocol's numbers.
    Continue(Option<u8>),
    /// By one instruction; with a signal.
    Step(Option<u8>),
    /// By instructions while they are in this range.
    Range(u64, u64),
    /// Not at all.
    Stop,
}

/// The kind of a break- or watchpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// A breakpoint, by whatever means.
    Break,
    /// A watchpoint for writes.
    Write,
    /// A watchpoint for reads.
    Read,
    /// A watchpoint for both.
    Access,
}

/// An operation on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileCommand {
    /// Opens a file with flags of the protocol.
    Open(String, u64),
    /// Reads so many bytes at an offset.
    Read(u64, u64, u64),
    /// Closes it.
    Close(u64),
    /// What it is.
    Status(u64),
    /// Where a symbolic link leads.
    ReadLink(String),
    /// Whose file system is meant from now on.
    SetFileSystem,
    /// Anything that would change files.
    Change,
}

/// What a packet asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nothing we know; the answer is an empty packet.
    Unknown,
    /// Understood, but the contents make no sense.
    Malformed,
    /// The extended mode, in which a program can be started again.
    Extended,
    /// Why the program stands.
    WhyStopped,
    /// All registers of the selected thread.
    ReadRegisters,
    /// Sets all of them.
    WriteRegisters(Vec<u8>),
    /// One register.
    ReadRegister(usize),
    /// Sets one register.
    WriteRegister(usize, Vec<u8>),
    /// Memory.
    ReadMemory(u64, u64),
    /// Sets memory.
    WriteMemory(u64, Vec<u8>),
    /// Which thread register commands are about.
    SelectThread(ThreadRef),
    /// Which thread `c` and `s` are about.
    SelectRunner(ThreadRef),
    /// Whether a thread exists.
    IsAlive(ThreadRef),
    /// Goes on, as the actions say; the first one that fits a thread counts.
    Resume(Vec<(Action, ThreadRef)>),
    /// What `vCont` can do.
    ResumeKinds,
    /// Backwards.
    ReverseContinue,
    /// Sets a point at an address, for so many bytes.
    Insert(PointKind, u64, u64),
    /// Removes it.
    Remove(PointKind, u64, u64),
    /// Lets the program go.
    Detach,
    /// Ends the program without an answer.
    Kill,
    /// Ends the program with an answer.
    KillProcess,
    /// Starts the program again.
    Restart,
    /// Starts a program; the name may be empty.
    Run(Vec<String>),
    /// What both sides can do.
    Supported(Vec<String>),
    /// No acknowledgements from now on.
    NoAcks,
    /// A part of an object: its kind, its name, an offset, a length.
    Transfer(String, String, usize, usize),
    /// Whether the program was there before us.
    WasAttached,
    /// The current thread.
    CurrentThread,
    /// The first threads.
    FirstThreads,
    /// More threads.
    MoreThreads,
    /// What people want to know of a thread.
    ThreadInfo(ThreadRef),
    /// Why one thread stands.
    ThreadStop(ThreadRef),
    /// A command of the prompt.
    Monitor(String),
    /// Signals that pass without a stop.
    PassSignals(Vec<u8>),
    /// Offers of symbols, which we do not need.
    Symbols,
    /// Where a thread-local variable is: thread, offset, link map.
    ThreadLocal(ThreadRef, u64, u64),
    /// An operation on a file.
    File(FileCommand),
    /// What the machine is.
    HostInfo,
    /// What the process is.
    ProcessInfo,
    /// The mapping around an address.
    MemoryRegion(u64),
    /// How many watchpoints there can be.
    WatchpointInfo,
}

/// A thread as the protocol writes it: `p1f.2a`, `2a`, `-1`, `0`.
pub fn thread(text: &str) -> Option<ThreadRef> {
    let text = match text.strip_prefix('p') {
        // A process alone stands for all its threads.
        Some(rest) => rest.split_once('.').map_or("-1", |(_, thread)| thread),
        None => text,
    };
    Some(match text {
        "-1" => ThreadRef::All,
        "0" | "" => ThreadRef::Any,
        digits => ThreadRef::One(i32::try_from(hex::number(digits)?).ok()?),
    })
}

fn pair(text: &str) -> Option<(u64, u64)> {
    let (a, b) = text.split_once(',')?;
    Some((hex::number(a)?, hex::number(b)?))
}

impl Command {
    /// Reads a packet.
    pub fn parse(packet: &[u8]) -> Command {
        // Only one kind of packet has bytes that are not text.
        if let Some(rest) = packet.strip_prefix(b"X") {
            return write_binary(rest).unwrap_or(Command::Malformed);
        }
        let Ok(text) = std::str::from_utf8(packet) else { return Command::Unknown };
        let Some(first) = text.chars().next() else { return Command::Unknown };
        let rest = &text[first.len_utf8()..];
        let parsed = match first {
            '!' => Some(Command::Extended),
            '?' => Some(Command::WhyStopped),
            'g' => Some(Command::ReadRegisters),
            'G' => hex::decode(rest).map(Command::WriteRegisters),
            'p' => hex::number(rest).map(|n| Command::ReadRegister(n as usize)),
            'P' => write_register(rest),
            'm' => pair(rest).map(|(address, size)| Command::ReadMemory(address, size)),
            'M' => write_memory(rest),
            'H' => select(rest),
            'T' => thread(rest).map(Command::IsAlive),
            'c' | 's' | 'C' | 'S' => resume(first, rest),
            'b' if rest == "c" => Some(Command::ReverseContinue),
            'z' | 'Z' => point(first, rest),
            'D' => Some(Command::Detach),
            'k' => Some(Command::Kill),
            'R' => Some(Command::Restart),
            'v' => verbose(rest),
            'q' | 'Q' => query(text),
            _ => Some(Command::Unknown),
        };
        parsed.unwrap_or(Command::Malformed)
    }

    /// Whether the program runs until the answer to this comes.
    pub fn is_resumption(&self) -> bool {
        matches!(self, Command::Resume(_))
    }
}

fn write_binary(rest: &[u8]) -> Option<Command> {
    let colon = rest.iter().position(|b| *b == b':')?;
    let (address, size) = pair(std::str::from_utf8(&rest[..colon]).ok()?)?;
    let bytes = &rest[colon + 1..];
    (bytes.len() as u64 == size).then(|| Command::WriteMemory(address, bytes.to_vec()))
}

fn write_memory(rest: &str) -> Option<Command> {
    let (place, bytes) = rest.split_once(':')?;
    let (address, size) = pair(place)?;
    let bytes = hex::decode(bytes)?;
    (bytes.len() as u64 == size).then_some(Command::WriteMemory(address, bytes))
}

fn write_register(rest: &str) -> Option<Command> {
    let (number, bytes) = rest.split_once('=')?;
    Some(Command::WriteRegister(hex::number(number)? as usize, hex::decode(bytes)?))
}

fn select(rest: &str) -> Option<Command> {
    let which = thread(rest.get(1..)?)?;
    match rest.as_bytes().first()? {
        b'g' => Some(Command::SelectThread(which)),
        b'c' => Some(Command::SelectRunner(which)),
        _ => None,
    }
}

/// `c`, `s`, `C05`, `S05`; an address to go on at is not supported.
fn resume(kind: char, rest: &str) -> Option<Command> {
    let signal = match kind {
        'C' | 'S' => Some(u8::try_from(hex::number(rest)?).ok()?),
        _ if rest.is_empty() => None,
        _ => return None,
    };
    let action = match kind {
        'c' | 'C' => Action::Continue(signal),
        _ => Action::Step(signal),
    };
    Some(Command::Resume(vec![(action, ThreadRef::Any)]))
}

fn point(kind: char, rest: &str) -> Option<Command> {
    // Conditions are evaluated by the debugger.
    let rest = rest.split(';').next()?;
    let mut parts = rest.split(',');
    let which = match parts.next()? {
        "0" | "1" => PointKind::Break,
        "2" => PointKind::Write,
        "3" => PointKind::Read,
        "4" => PointKind::Access,
        _ => return Some(Command::Unknown),
    };
    let (address, size) = (hex::number(parts.next()?)?, hex::number(parts.next()?)?);
    Some(match kind {
        'Z' => Command::Insert(which, address, size),
        _ => Command::Remove(which, address, size),
    })
}

fn verbose(rest: &str) -> Option<Command> {
    if rest == "Cont?" {
        return Some(Command::ResumeKinds);
    }
    if let Some(actions) = rest.strip_prefix("Cont;") {
        return actions.split(';').map(action).collect::<Option<Vec<_>>>().map(Command::Resume);
    }
    if rest.starts_with("Kill") {
        return Some(Command::KillProcess);
    }
    if let Some(words) = rest.strip_prefix("Run") {
        let words = words.split(';').skip(1).map(hex::text).collect::<Option<Vec<_>>>()?;
        return Some(Command::Run(words));
    }
    match rest.strip_prefix("File:") {
        Some(file) => file_command(file).map(Command::File),
        None => Some(Command::Unknown),
    }
}

fn action(text: &str) -> Option<(Action, ThreadRef)> {
    let (what, which) = match text.split_once(':') {
        Some((what, which)) => (what, thread(which)?),
        None => (text, ThreadRef::All),
    };
    let kind = what.chars().next()?;
    let rest = &what[kind.len_utf8()..];
    let signal = || u8::try_from(hex::number(rest)?).ok();
    let action = match kind {
        'c' => Action::Continue(None),
        's' => Action::Step(None),
        'C' => Action::Continue(Some(signal()?)),
        'S' => Action::Step(Some(signal()?)),
        'r' => {
            let (start, end) = pair(rest)?;
            Action::Range(start, end)
        }
        't' => Action::Stop,
        _ => return None,
    };
    Some((action, which))
}

fn file_command(text: &str) -> Option<FileCommand> {
    let (what, rest) = text.split_once(':')?;
    let parts: Vec<&str> = rest.split(',').collect();
    let number = |i: usize| parts.get(i).and_then(|text: &&str| hex::number(text));
    Some(match what {
        "open" => FileCommand::Open(hex::text(parts.first()?)?, number(1)?),
        "pread" => FileCommand::Read(number(0)?, number(1)?, number(2)?),
        "close" => FileCommand::Close(number(0)?),
        "fstat" => FileCommand::Status(number(0)?),
        "readlink" => FileCommand::ReadLink(hex::text(parts.first()?)?),
        "setfs" => FileCommand::SetFileSystem,
        "pwrite" | "unlink" => FileCommand::Change,
        _ => return None,
    })
}

fn query(text: &str) -> Option<Command> {
    let (name, rest) = match text.find([':', ',']) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    };
    Some(match name {
        "qSupported" => Command::Supported(rest.split(';').map(str::to_string).collect()),
        "QStartNoAckMode" => Command::NoAcks,
        "qXfer" => return transfer(rest),
        "qAttached" => Command::WasAttached,
        "qC" => Command::CurrentThread,
        "qfThreadInfo" => Command::FirstThreads,
        "qsThreadInfo" => Command::MoreThreads,
        "qThreadExtraInfo" => Command::ThreadInfo(thread(rest)?),
        "qRcmd" => Command::Monitor(hex::text(rest)?),
        "QPassSignals" => {
            let numbers = rest.split(';').filter(|n| !n.is_empty());
            let numbers = numbers.map(|n| u8::try_from(hex::number(n)?).ok());
            Command::PassSignals(numbers.collect::<Option<Vec<_>>>()?)
        }
        "qSymbol" => Command::Symbols,
        "qGetTLSAddr" => {
            let mut parts = rest.split(',');
            let which = thread(parts.next()?)?;
            Command::ThreadLocal(which, hex::number(parts.next()?)?, hex::number(parts.next()?)?)
        }
        "qHostInfo" => Command::HostInfo,
        "qProcessInfo" => Command::ProcessInfo,
        "qMemoryRegionInfo" if rest.is_empty() => Command::MemoryRegion(0),
        "qMemoryRegionInfo" => Command::MemoryRegion(hex::number(rest)?),
        "qWatchpointSupportInfo" => Command::WatchpointInfo,
        _ => match text.strip_prefix("qThreadStopInfo") {
            Some(which) => Command::ThreadStop(thread(which)?),
            None => Command::Unknown,
        },
    })
}

/// `features:read:target.xml:0,1000`; the name may contain colons.
fn transfer(rest: &str) -> Option<Command> {
    let (kind, rest) = rest.split_once(':')?;
    let Some(rest) = rest.strip_prefix("read:") else { return Some(Command::Unknown) };
    let (name, window) = rest.rsplit_once(':')?;
    let (offset, length) = pair(window)?;
    let (offset, length) = (usize::try_from(offset).ok()?, usize::try_from(length).ok()?);
    Some(Command::Transfer(kind.to_string(), name.to_string(), offset, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_debuggers() {
        let parse = |text: &str| Command::parse(text.as_bytes());
        assert_eq!(parse("m7ffe,10"), Command::ReadMemory(0x7ffe, 16));
        assert_eq!(parse("Hgp1a.1b"), Command::SelectThread(ThreadRef::One(0x1b)));
        assert_eq!(parse("Hc-1"), Command::SelectRunner(ThreadRef::All));
        let step = (Action::Step(None), ThreadRef::One(0x12));
        let others = (Action::Continue(None), ThreadRef::All);
        assert_eq!(parse("vCont;s:p12.12;c:p12.-1"), Command::Resume(vec![step, others]));
        let range = (Action::Range(0x10, 0x20), ThreadRef::One(5));
        assert_eq!(parse("vCont;r10,20:p1.5"), Command::Resume(vec![range]));
        assert_eq!(parse("Z2,601040,4"), Command::Insert(PointKind::Write, 0x60_1040, 4));
        assert_eq!(parse("qRcmd,736c69636573"), Command::Monitor("slices".into()));
        assert_eq!(
            parse("qXfer:features:read:target.xml:0,ffb"),
            Command::Transfer("features".into(), "target.xml".into(), 0, 0xffb)
        );
        assert_eq!(parse("vRun;2f62696e;61"), Command::Run(vec!["/bin".into(), "a".into()]));
        assert_eq!(Command::parse(b"X10,2:\xff\x00"), Command::WriteMemory(16, vec![255, 0]));
        assert_eq!(parse("vMustReplyEmpty"), Command::Unknown);
        assert_eq!(parse("m12"), Command::Malformed);
        assert_eq!(parse("vCont;q"), Command::Malformed);
    }
}
