//! Signals that reach the tracer and are meant for the program.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
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

/// Whether somebody has interrupted since this was last asked: for those who do many things in a row.
pub fn was_interrupted() -> bool {
    ASKED.swap(false, Ordering::SeqCst)
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
    std::thread::spawn(move || {
        let mut byte = [0];
        while std::io::Read::read_exact(&mut reader, &mut byte).is_ok() {
            std::thread::sleep(PATIENCE);
            interrupter.interrupt_if_heeded();
        }
    });
}

extern "C" fn wake(_: libc::c_int) {
    ASKED.store(true, Ordering::SeqCst);
    let fd = PIPE.load(Ordering::SeqCst);
    // SAFETY: `write` is async-signal-safe; the byte lives for the whole call.
    unsafe {
        libc::write(fd, [1u8].as_ptr().cast(), 1);
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
