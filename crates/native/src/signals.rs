//! Signals that reach the tracer and are meant for the program.

use std::sync::atomic::{AtomicI32, Ordering};

use watchword_debug::ProcessId;

static PROGRAM: AtomicI32 = AtomicI32::new(0);

/// Makes signals that ask to end go to the program: the terminal sends them to the program
/// anyway, so the tracer only stays alive to tell what came of it; those another process sends to
/// the tracer are passed on.
pub fn forward_to(process: ProcessId) {
    PROGRAM.store(process.raw(), Ordering::SeqCst);
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP] {
        install(signal);
    }
}

fn install(signal: libc::c_int) {
    // SAFETY: the action is fully initialised: zeroed, then given a handler that calls nothing
    // but `kill`, which is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = pass_on as *const () as usize;
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
