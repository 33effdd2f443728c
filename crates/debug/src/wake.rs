//! A wait for a thread of the program that another thread, or a timer, can end.
//!
//! The kernel tells that a traced thread has stopped by `wait4` alone: no descriptor becomes readable.
//! A signal ends that call, but one that comes just before the call is lost on it. So the call is made
//! in a stub that looks whether a wake-up came first, and a handler that finds its thread between this
//! look and the call sends it to the end of the stub. One signal is enough, whenever it comes.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use libc::{c_int, c_void, pid_t};

thread_local! {
    /// Whether a wake-up came for this thread since [`expect`]. It has no destructor and is constant
    /// at first, so that a handler can use it.
    static WOKEN: AtomicU32 = const { AtomicU32::new(0) };
}

std::arch::global_asm!(
    ".pushsection .text.watchword_wait,\"ax\",@progbits",
    ".hidden watchword_wait",
    ".hidden watchword_wait_begin",
    ".hidden watchword_wait_end",
    ".hidden watchword_wait_woken",
    ".globl watchword_wait, watchword_wait_begin, watchword_wait_end, watchword_wait_woken",
    // (woken: *const u32, pid: i32, status: *mut i32, options: i32) -> i64, or minus the error.
    "watchword_wait:",
    "mov r8, rdi",
    "movsxd rdi, esi",
    "mov rsi, rdx",
    "movsxd rdx, ecx",
    "xor r10d, r10d",
    "mov eax, {wait4}",
    "watchword_wait_begin:",
    "cmp dword ptr [r8], 0",
    "jne watchword_wait_woken",
    "syscall",
    "watchword_wait_end:",
    "ret",
    "watchword_wait_woken:",
    "mov rax, -{eintr}",
    "ret",
    ".popsection",
    wait4 = const libc::SYS_wait4,
    eintr = const libc::EINTR,
);

unsafe extern "C" {
    fn watchword_wait(woken: *const u32, pid: c_int, status: *mut c_int, options: c_int) -> i64;
    fn watchword_wait_begin();
    fn watchword_wait_end();
    fn watchword_wait_woken();
}

/// The signal that wakes a thread.
pub(crate) fn signal() -> c_int {
    libc::SIGRTMAX() - 2
}

extern "C" fn wake(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    const PC: usize = libc::REG_RIP as usize;
    WOKEN.with(|woken| woken.store(1, Ordering::SeqCst));
    let before = watchword_wait_begin as *const () as i64..watchword_wait_end as *const () as i64;
    // SAFETY: the kernel hands a handler with SA_SIGINFO the context it returns to, which nobody else
    // has. In the range no register but the counter says what was done: the stub goes on behind it as
    // if it had found the wake-up itself.
    unsafe {
        let context = context.cast::<libc::ucontext_t>();
        let pc = &mut (*context).uc_mcontext.gregs[PC];
        if before.contains(pc) {
            *pc = watchword_wait_woken as *const () as i64;
        }
    }
}

/// Lets this process take wake-ups. Until then they end it.
pub(crate) fn prepare() -> io::Result<()> {
    static FAILURE: OnceLock<Option<c_int>> = OnceLock::new();
    let failure = FAILURE.get_or_init(|| {
        // SAFETY: the action is fully initialised: zeroed, then given a handler of this file, which
        // calls nothing. No SA_RESTART: the point is that a blocking wait returns.
        let failed = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = wake as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            libc::sigaction(signal(), &action, std::ptr::null_mut()) != 0
        };
        if failed { io::Error::last_os_error().raw_os_error() } else { None }
    });
    match failure {
        Some(code) => Err(io::Error::from_raw_os_error(*code)),
        None => Ok(()),
    }
}

/// From now on a wake-up of this thread ends its next [`wait`]. Look at what somebody may want only
/// after this call: a wake-up that came before it is forgotten.
pub(crate) fn expect() {
    WOKEN.with(|woken| woken.store(0, Ordering::SeqCst));
}

/// Waits as `waitpid` does, with `__WALL`. Fails with `EINTR` if a wake-up has come since [`expect`],
/// or comes.
pub(crate) fn wait(tid: pid_t, flags: c_int) -> io::Result<Option<(pid_t, c_int)>> {
    let mut status = 0;
    // SAFETY: the stub reads the flag of this thread and writes the status; both outlive the call.
    let result = WOKEN.with(|woken| unsafe {
        watchword_wait(woken.as_ptr(), tid, &raw mut status, libc::__WALL | flags)
    });
    match result {
        0 => Ok(None),
        tid if tid > 0 => Ok(Some((tid as pid_t, status))),
        error => Err(io::Error::from_raw_os_error(-error as i32)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, mpsc};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::sys;

    /// A child that waits for its end, of the thread that calls.
    fn idle() -> std::process::Child {
        std::process::Command::new("sleep").arg("1000").spawn().unwrap()
    }

    #[test]
    fn one_signal_is_enough_whenever_it_comes() {
        prepare().unwrap();
        let (sender, receiver) = mpsc::channel();
        let wanted = Arc::new(AtomicBool::new(false));
        let theirs = wanted.clone();
        const ROUNDS: u32 = 20_000;
        let waiting = std::thread::spawn(move || {
            let mut child = idle();
            sender.send(sys::own_tid()).unwrap();
            let begun = Instant::now();
            let mut rounds = 0;
            while rounds < ROUNDS && begun.elapsed() < Duration::from_secs(30) {
                expect();
                if theirs.swap(false, Ordering::SeqCst) {
                    rounds += 1;
                    continue;
                }
                let woken = wait(-1, libc::__WNOTHREAD);
                assert_eq!(woken.unwrap_err().raw_os_error(), Some(libc::EINTR));
            }
            child.kill().unwrap();
            child.wait().unwrap();
            rounds
        });
        let tid = receiver.recv().unwrap();
        let mut sent = 0u32;
        while !waiting.is_finished() {
            // Not before the last one was noticed: each has to be noticed by itself.
            if !wanted.swap(true, Ordering::SeqCst) {
                sent += 1;
                for _ in 0..sent % 200 {
                    std::hint::spin_loop();
                }
                let _ = sys::thread_kill(sys::own_pid(), tid, signal());
            }
        }
        assert_eq!(waiting.join().unwrap(), ROUNDS);
    }
}
