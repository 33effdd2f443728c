//! Signals that reach the tracer and are meant for the program.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
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

/// Somebody asked for an interruption, whatever the program was doing then.
static ASKED: AtomicBool = AtomicBool::new(false);

/// The signals that ask the debugger to end, as bits.
static ENDERS: AtomicU64 = AtomicU64::new(0);

/// The one with which somebody asked it to end.
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
    for signal in [libc::SIGTERM, libc::SIGHUP].into_iter().chain(nobody.then_some(libc::SIGINT)) {
        // One that is ignored (`nohup`) stays so.
        if !is_ignored(signal) {
            ENDERS.fetch_or(1 << signal, Ordering::SeqCst);
            install(signal, wake as *const () as usize);
        }
    }
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
        loop {
            interrupter.interrupt();
            std::thread::sleep(PATIENCE);
        }
    });
}

/// How the terminal is set, before anybody edits lines on it.
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

extern "C" fn wake(signal: libc::c_int) {
    if ENDERS.load(Ordering::SeqCst) & 1 << signal != 0 {
        ENDING.store(signal, Ordering::SeqCst);
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
