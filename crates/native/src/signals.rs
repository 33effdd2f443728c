//! Signals that reach the tracer and are meant for the program.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::time::Duration;

use watchword_debug::{Interrupter, ProcessId};

static PROGRAM: AtomicI32 = AtomicI32::new(0);

/// Makes signals that ask to end go to the program: the terminal sends them to the program
/// anyway, so the tracer only stays alive to tell what came of it; those another process sends to
/// the tracer are passed on.
pub fn forward_to(process: ProcessId) {
    PROGRAM.store(process.raw(), Ordering::SeqCst);
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP] {
        install(signal, pass_on as *const () as usize);
    }
}

static PIPE: AtomicI32 = AtomicI32::new(-1);

/// An interruption was requested, whatever the program was doing then.
static ASKED: AtomicBool = AtomicBool::new(false);

/// The signals that ask the debugger to end, as bits.
static ENDERS: AtomicU64 = AtomicU64::new(0);

/// The signal that requested its end.
static ENDING: AtomicI32 = AtomicI32::new(0);

/// Whether somebody has interrupted since this was last asked: for those who do many things in a row.
pub fn was_interrupted() -> bool {
    ASKED.swap(false, Ordering::SeqCst) || asked_to_end().is_some()
}

/// The signal that asked the debugger to end, if one came since [`end_when_asked`].
pub fn asked_to_end() -> Option<i32> {
    Some(ENDING.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
}

/// From now on a signal that asks the debugger to end, as an interrupt does where `nobody` is at a
/// prompt, is an interruption that lasts: there is time to let go of a program that was joined.
pub fn end_when_asked(nobody: bool) {
    // Before a handler needs it.
    end();
    for signal in [libc::SIGTERM, libc::SIGHUP].into_iter().chain(nobody.then_some(libc::SIGINT)) {
        // One that is ignored (`nohup`) stays so.
        if !is_ignored(signal) {
            ENDERS.fetch_or(1 << signal, Ordering::SeqCst);
            install(signal, wake as *const () as usize);
        }
    }
}

/// Becomes readable for good when somebody asks the debugger to end.
static END: OnceLock<OwnedFd> = OnceLock::new();

fn end() -> Option<&'static OwnedFd> {
    if let Some(end) = END.get() {
        return Some(end);
    }
    // SAFETY: plain integers; the descriptor that comes out is new and owned by nobody else.
    let made = unsafe {
        match libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) {
            fd if fd >= 0 => OwnedFd::from_raw_fd(fd),
            _ => return None,
        }
    };
    END_NUMBER.store(END.get_or_init(|| made).as_raw_fd(), Ordering::SeqCst);
    END.get()
}

/// The number of [`END`], for handlers.
static END_NUMBER: AtomicI32 = AtomicI32::new(-1);

/// Waits until one of the descriptors can be read, or is of no use any more, or until somebody asks the
/// debugger to end; whether it is the former.
///
/// # Errors
/// If the kernel refuses.
pub fn await_readable(descriptors: &[BorrowedFd<'_>]) -> io::Result<bool> {
    let numbers = descriptors.iter().map(|d| d.as_raw_fd()).chain(end().map(AsRawFd::as_raw_fd));
    let asked = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut all: Vec<libc::pollfd> = numbers.map(asked).collect();
    loop {
        // SAFETY: as many entries are passed as are announced.
        let told = unsafe { libc::poll(all.as_mut_ptr(), all.len() as libc::nfds_t, -1) };
        if asked_to_end().is_some() {
            return Ok(false);
        }
        if told >= 0 {
            return Ok(true);
        }
        let e = io::Error::last_os_error();
        if e.kind() != io::ErrorKind::Interrupted {
            return Err(e);
        }
    }
}

/// Somebody who is to be told when the debugger is asked to end.
type Listener = Box<dyn Fn() + Send>;

static LISTENERS: Mutex<Vec<(u64, Listener)>> = Mutex::new(Vec::new());

fn listeners() -> MutexGuard<'static, Vec<(u64, Listener)>> {
    LISTENERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As long as this lives, somebody is told when the debugger is asked to end.
#[derive(Debug)]
pub struct Listening(u64);

impl Drop for Listening {
    fn drop(&mut self) {
        listeners().retain(|(number, _)| *number != self.0);
    }
}

/// Calls this, on another thread, when the debugger is asked to end, or now if it was.
pub fn on_end(tell: impl Fn() + Send + 'static) -> Listening {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static WATCHER: Once = Once::new();
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    let mut all = listeners();
    if asked_to_end().is_some() {
        tell();
    }
    all.push((number, Box::new(tell)));
    drop(all);
    WATCHER.call_once(|| {
        std::thread::spawn(|| {
            if let Ok(false) = await_readable(&[]) {
                listeners().iter().for_each(|(_, tell)| tell());
            }
        });
    });
    Listening(number)
}

/// How long the program has to stop by itself for an interrupt from the terminal.
const PATIENCE: Duration = Duration::from_millis(100);

/// Makes an interrupt from the terminal stop the program for the person. The program gets it too,
/// and usually that is what stops it; one that blocks it is stopped from outside.
pub fn interrupt(interrupter: Interrupter) {
    let Ok((mut reader, writer)) = std::io::pipe() else { return };
    PIPE.store(std::os::fd::IntoRawFd::into_raw_fd(writer), Ordering::SeqCst);
    for signal in [libc::SIGINT, libc::SIGQUIT] {
        install(signal, wake as *const () as usize);
    }
    let terminal = terminal();
    std::thread::spawn(move || {
        let mut byte = [0];
        while asked_to_end().is_none() {
            if std::io::Read::read_exact(&mut reader, &mut byte).is_err() {
                return;
            }
            std::thread::sleep(PATIENCE);
            interrupter.interrupt_if_heeded();
        }
        end_input(terminal);
        // Whatever is begun until then is interrupted, too.
        interrupter.interrupt_for_good();
    });
}

/// The settings of the terminal before lines are edited on it.
fn terminal() -> Option<libc::termios> {
    // SAFETY: the settings are plain data that the call fills in.
    unsafe {
        let mut settings: libc::termios = std::mem::zeroed();
        (libc::tcgetattr(libc::STDIN_FILENO, &mut settings) == 0).then_some(settings)
    }
}

/// Whoever waits for a line is told that there is none: reading is tried again when a signal has
/// interrupted it, and then finds the end. The terminal is as it was.
fn end_input(terminal: Option<libc::termios>) {
    let Ok(nothing) = std::fs::File::open("/dev/null") else { return };
    // SAFETY: the settings are those of this terminal; both descriptors are open, and standard
    // input stays so.
    unsafe {
        if let Some(settings) = terminal {
            libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &settings);
        }
        libc::dup2(std::os::fd::AsRawFd::as_raw_fd(&nothing), libc::STDIN_FILENO);
    }
}

/// What an event descriptor is written.
static ONE: u64 = 1;

extern "C" fn wake(signal: libc::c_int) {
    if ENDERS.load(Ordering::SeqCst) & 1 << signal != 0 {
        ENDING.store(signal, Ordering::SeqCst);
        let end = END_NUMBER.load(Ordering::SeqCst);
        // SAFETY: `write` is async-signal-safe; the number lives for the whole call.
        unsafe {
            libc::write(end, (&raw const ONE).cast(), size_of::<u64>());
        }
    }
    ASKED.store(true, Ordering::SeqCst);
    let fd = PIPE.load(Ordering::SeqCst);
    // SAFETY: `write` is async-signal-safe; the byte lives for the whole call.
    unsafe {
        libc::write(fd, [1u8].as_ptr().cast(), 1);
    }
}

fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: the action is plain data that the call fills in; without a new one it only tells.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action);
        action.sa_sigaction == libc::SIG_IGN
    }
}

fn install(signal: libc::c_int, handler: usize) {
    // SAFETY: the action is fully initialised: zeroed, then given one of the handlers of this
    // file, which call nothing but async-signal-safe functions.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

extern "C" fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let program = PROGRAM.load(Ordering::SeqCst);
    // SAFETY: the kernel hands a handler with SA_SIGINFO a valid structure; `kill` takes plain
    // integers and is async-signal-safe.
    unsafe {
        let from_process = !info.is_null() && (*info).si_code <= 0;
        if from_process && program > 0 {
            libc::kill(program, signal);
        }
    }
}
