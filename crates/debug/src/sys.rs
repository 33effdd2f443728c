//! The system calls the tracer is made of, each wrapped once.
//!
//! Every `unsafe` block here passes either plain integers or pointers to locals that outlive the
//! call; the kernel checks the rest.

use std::fs::File;
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

use libc::{c_int, c_long, c_uint, c_void, pid_t};

pub(crate) const EVENT_STOP: c_int = 128;
const GETSIGMASK: c_uint = 0x420a;
const SETSIGMASK: c_uint = 0x420b;
const NT_X86_XSTATE: usize = 0x202;
/// si_code of a trap raised by an `int3` instruction.
pub(crate) const SI_KERNEL: c_int = 0x80;
/// si_code of a trap raised by a debug register.
pub(crate) const TRAP_HWBKPT: c_int = 4;

pub(crate) const TRACE_OPTIONS: c_int = libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACESYSGOOD;

fn ptrace(request: c_uint, tid: pid_t, addr: usize, data: usize) -> io::Result<c_long> {
    // SAFETY: callers in this file pass integers, or addresses of live locals of the type that
    // the request reads or fills.
    let r = unsafe { libc::ptrace(request, tid, addr as *mut c_void, data as *mut c_void) };
    if r == -1 { Err(io::Error::last_os_error()) } else { Ok(r) }
}

pub(crate) fn seize(tid: pid_t, options: c_int) -> io::Result<()> {
    ptrace(libc::PTRACE_SEIZE, tid, 0, options as usize).map(drop)
}

pub(crate) fn interrupt(tid: pid_t) -> io::Result<()> {
    ptrace(libc::PTRACE_INTERRUPT, tid, 0, 0).map(drop)
}

pub(crate) fn listen(tid: pid_t) -> io::Result<()> {
    ptrace(libc::PTRACE_LISTEN, tid, 0, 0).map(drop)
}

pub(crate) fn cont(tid: pid_t, signal: c_int) -> io::Result<()> {
    ptrace(libc::PTRACE_CONT, tid, 0, signal as usize).map(drop)
}

/// Continues to the next entry into or exit from the kernel.
pub(crate) fn cont_syscall(tid: pid_t, signal: c_int) -> io::Result<()> {
    ptrace(libc::PTRACE_SYSCALL, tid, 0, signal as usize).map(drop)
}

pub(crate) fn single_step(tid: pid_t, signal: c_int) -> io::Result<()> {
    ptrace(libc::PTRACE_SINGLESTEP, tid, 0, signal as usize).map(drop)
}

pub(crate) fn detach(tid: pid_t, signal: c_int) -> io::Result<()> {
    ptrace(libc::PTRACE_DETACH, tid, 0, signal as usize).map(drop)
}

pub(crate) fn set_options(tid: pid_t, options: c_int) -> io::Result<()> {
    ptrace(libc::PTRACE_SETOPTIONS, tid, 0, options as usize).map(drop)
}

pub(crate) fn event_message(tid: pid_t) -> io::Result<u64> {
    let mut message: libc::c_ulong = 0;
    ptrace(libc::PTRACE_GETEVENTMSG, tid, 0, &raw mut message as usize)?;
    Ok(message)
}

pub(crate) fn get_regs(tid: pid_t) -> io::Result<libc::user_regs_struct> {
    let mut regs = MaybeUninit::<libc::user_regs_struct>::zeroed();
    ptrace(libc::PTRACE_GETREGS, tid, 0, regs.as_mut_ptr() as usize)?;
    // SAFETY: zeroed integers are valid, and the kernel filled them.
    Ok(unsafe { regs.assume_init() })
}

pub(crate) fn set_regs(tid: pid_t, regs: &libc::user_regs_struct) -> io::Result<()> {
    ptrace(libc::PTRACE_SETREGS, tid, 0, regs as *const _ as usize).map(drop)
}

/// Sets the program counter alone.
pub(crate) fn set_pc(tid: pid_t, pc: u64) -> io::Result<()> {
    const OFFSET: usize = std::mem::offset_of!(libc::user_regs_struct, rip);
    ptrace(libc::PTRACE_POKEUSER, tid, OFFSET, pc as usize).map(drop)
}

pub(crate) fn get_fpregs(tid: pid_t) -> io::Result<libc::user_fpregs_struct> {
    let mut regs = MaybeUninit::<libc::user_fpregs_struct>::zeroed();
    ptrace(libc::PTRACE_GETFPREGS, tid, 0, regs.as_mut_ptr() as usize)?;
    // SAFETY: zeroed integers are valid, and the kernel filled them.
    Ok(unsafe { regs.assume_init() })
}

/// The whole extended state (x87, SSE, AVX, …) as the kernel lays it out.
pub(crate) fn get_xstate(tid: pid_t) -> io::Result<Vec<u8>> {
    let mut state = vec![0u8; 16 * 1024];
    let mut iov = libc::iovec { iov_base: state.as_mut_ptr().cast(), iov_len: state.len() };
    ptrace(libc::PTRACE_GETREGSET, tid, NT_X86_XSTATE, &raw mut iov as usize)?;
    state.truncate(iov.iov_len);
    Ok(state)
}

pub(crate) fn set_xstate(tid: pid_t, state: &[u8]) -> io::Result<()> {
    let mut iov = libc::iovec { iov_base: state.as_ptr() as *mut c_void, iov_len: state.len() };
    ptrace(libc::PTRACE_SETREGSET, tid, NT_X86_XSTATE, &raw mut iov as usize).map(drop)
}

pub(crate) fn get_siginfo(tid: pid_t) -> io::Result<libc::siginfo_t> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    ptrace(libc::PTRACE_GETSIGINFO, tid, 0, info.as_mut_ptr() as usize)?;
    // SAFETY: zeroed integers are valid, and the kernel filled them.
    Ok(unsafe { info.assume_init() })
}

pub(crate) fn set_siginfo(tid: pid_t, info: &libc::siginfo_t) -> io::Result<()> {
    ptrace(libc::PTRACE_SETSIGINFO, tid, 0, info as *const _ as usize).map(drop)
}

/// All signals but the one single steps end with: were that blocked, the kernel would forget what the
/// program wants to be done about it.
pub(crate) const ALL_BUT_TRAPS: u64 = !(1 << (libc::SIGTRAP - 1));

pub(crate) fn get_sigmask(tid: pid_t) -> io::Result<u64> {
    let mut mask = 0u64;
    ptrace(GETSIGMASK, tid, size_of::<u64>(), &raw mut mask as usize)?;
    Ok(mask)
}

pub(crate) fn set_sigmask(tid: pid_t, mask: u64) -> io::Result<()> {
    ptrace(SETSIGMASK, tid, size_of::<u64>(), &raw const mask as usize).map(drop)
}

/// A signal as the kernel describes it.
pub(crate) type SignalInfo = [u8; 128];

/// The signals that wait for a stopped thread, or for its whole process, in their order.
pub(crate) fn pending_signals(tid: pid_t, of_process: bool) -> io::Result<Vec<SignalInfo>> {
    #[repr(C)]
    struct Which {
        first: u64,
        flags: u32,
        count: i32,
    }
    const PEEK_SIGINFO: c_uint = 0x4209;
    const AT_ONCE: usize = 16;
    let mut all = Vec::new();
    loop {
        let mut some = [[0u8; 128]; AT_ONCE];
        let which =
            Which { first: all.len() as u64, flags: of_process.into(), count: AT_ONCE as i32 };
        let count =
            ptrace(PEEK_SIGINFO, tid, &raw const which as usize, &raw mut some as usize)? as usize;
        all.extend_from_slice(&some[..count]);
        if count < AT_ONCE {
            return Ok(all);
        }
    }
}

/// A thread's restartable-sequence area, as registered with the kernel: address, size, signature.
pub(crate) fn rseq(tid: pid_t) -> (u64, u32, u32) {
    #[repr(C)]
    #[derive(Default)]
    struct Configuration {
        pointer: u64,
        size: u32,
        signature: u32,
        flags: u32,
        pad: u32,
    }
    const GET_RSEQ_CONFIGURATION: c_uint = 0x420f;
    let mut c = Configuration::default();
    let size = size_of::<Configuration>();
    // Kernels without the request have no answer, and then nothing is compared.
    let _ = ptrace(GET_RSEQ_CONFIGURATION, tid, size, &raw mut c as usize);
    (c.pointer, c.size, c.signature)
}

/// Where a thread keeps its list of robust locks: address and size of the head; zeros for none.
pub(crate) fn robust_list(tid: pid_t) -> (u64, u64) {
    let (mut head, mut size) = (0u64, 0u64);
    // SAFETY: both locals outlive the call, which fills them.
    let r = unsafe { libc::syscall(libc::SYS_get_robust_list, tid, &raw mut head, &raw mut size) };
    if r == 0 { (head, size) } else { (0, 0) }
}

/// Whether a system-call stop is at the exit rather than the entry.
pub(crate) fn is_syscall_exit(tid: pid_t) -> bool {
    const GET_SYSCALL_INFO: c_uint = 0x420e;
    const EXIT: u8 = 2;
    let mut info = [0u8; 128];
    let n = ptrace(GET_SYSCALL_INFO, tid, info.len(), info.as_mut_ptr() as usize);
    n.is_ok_and(|n| n > 0) && info[0] == EXIT
}

fn debug_register_offset(index: usize) -> usize {
    std::mem::offset_of!(libc::user, u_debugreg) + index * 8
}

pub(crate) fn get_debug_register(tid: pid_t, index: usize) -> io::Result<u64> {
    // The C library's wrapper returns the word and reports errors through errno only.
    // SAFETY: errno is thread-local and always writable.
    unsafe { *libc::__errno_location() = 0 };
    // SAFETY: plain integers; the kernel checks the offset.
    let r = unsafe {
        libc::ptrace(libc::PTRACE_PEEKUSER, tid, debug_register_offset(index) as *mut c_void, 0)
    };
    let error = io::Error::last_os_error();
    if r == -1 && error.raw_os_error() != Some(0) { Err(error) } else { Ok(r as u64) }
}

pub(crate) fn set_debug_register(tid: pid_t, index: usize, value: u64) -> io::Result<()> {
    ptrace(libc::PTRACE_POKEUSER, tid, debug_register_offset(index), value as usize).map(drop)
}

/// Waits for any tracee of *this thread*; `Ok(None)` when `WNOHANG` found nothing.
pub(crate) fn wait_any(flags: c_int) -> io::Result<Option<(pid_t, c_int)>> {
    wait_for(-1, flags | libc::__WNOTHREAD)
}

/// Waits for a thread, whatever signals arrive meanwhile; `Ok(None)` when `WNOHANG` found nothing.
pub(crate) fn wait_for(tid: pid_t, flags: c_int) -> io::Result<Option<(pid_t, c_int)>> {
    loop {
        let mut status = 0;
        // SAFETY: `status` outlives the call.
        let r = unsafe { libc::waitpid(tid, &mut status, libc::__WALL | flags) };
        match r {
            -1 => match io::Error::last_os_error() {
                e if e.raw_os_error() == Some(libc::EINTR) => {}
                e => return Err(e),
            },
            0 => return Ok(None),
            tid => return Ok(Some((tid, status))),
        }
    }
}

/// Sleeps until some tracee of *this thread* has something to tell, which stays to be told. Returns
/// who it is.
pub(crate) fn await_any() -> io::Result<pid_t> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let flags = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT | libc::__WALL | libc::__WNOTHREAD;
    // SAFETY: `info` outlives the call.
    let r = unsafe { libc::waitid(libc::P_ALL, 0, info.as_mut_ptr(), flags) };
    if r == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: zeroed integers are valid, and the kernel filled them for a child.
    Ok(unsafe { info.assume_init().si_pid() })
}

/// Reads as much as is readable; returns the number of bytes.
pub(crate) fn read_process(pid: pid_t, address: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: buffer.len() };
    // SAFETY: the local vector covers exactly `buffer`, which is exclusively borrowed.
    let n = unsafe { libc::process_vm_readv(pid, &local, 1, &remote, 1, 0) };
    if n < 0 { Err(io::Error::last_os_error()) } else { Ok(n as usize) }
}

/// Reads pieces of memory one after the other into the buffer; whether all of it could be read.
pub(crate) fn read_pieces(pid: pid_t, pieces: &[(u64, usize)], buffer: &mut [u8]) -> bool {
    let remote: Vec<libc::iovec> = pieces
        .iter()
        .map(|(at, length)| libc::iovec { iov_base: *at as *mut c_void, iov_len: *length })
        .collect();
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: the local vector covers exactly `buffer`, which is exclusively borrowed; the kernel
    // stops where it ends, whatever the pieces add up to.
    let n = unsafe {
        libc::process_vm_readv(pid, &local, 1, remote.as_ptr(), remote.len() as libc::c_ulong, 0)
    };
    usize::try_from(n) == Ok(buffer.len())
}

/// Writes pieces of memory; returns how many bytes were written, in order.
pub(crate) fn write_pieces(pid: pid_t, pieces: &[(u64, &[u8])]) -> usize {
    let vector = |base: *mut c_void, length| libc::iovec { iov_base: base, iov_len: length };
    let local: Vec<libc::iovec> =
        pieces.iter().map(|(_, b)| vector(b.as_ptr().cast_mut().cast(), b.len())).collect();
    let remote: Vec<libc::iovec> =
        pieces.iter().map(|(at, b)| vector(*at as *mut c_void, b.len())).collect();
    // SAFETY: the local vectors cover exactly the slices, which are only read; another process is
    // written to.
    let n = unsafe {
        libc::process_vm_writev(
            pid,
            local.as_ptr(),
            local.len() as libc::c_ulong,
            remote.as_ptr(),
            remote.len() as libc::c_ulong,
            0,
        )
    };
    usize::try_from(n).unwrap_or(0)
}

pub(crate) fn open_memory(pid: pid_t) -> io::Result<File> {
    File::options().read(true).write(true).open(format!("/proc/{pid}/mem"))
}

/// Whether two processes share one address space.
pub(crate) fn share_memory(a: pid_t, b: pid_t) -> bool {
    const KCMP_VM: c_int = 1;
    // SAFETY: plain integers.
    unsafe { libc::syscall(libc::SYS_kcmp, a, b, KCMP_VM, 0, 0) == 0 }
}

/// Whether two descriptors, each of some process, are the same open file.
fn are_same_file(a: (pid_t, c_int), b: (pid_t, c_int)) -> bool {
    const KCMP_FILE: c_int = 0;
    // SAFETY: plain integers.
    unsafe { libc::syscall(libc::SYS_kcmp, a.0, b.0, KCMP_FILE, a.1, b.1) == 0 }
}

/// The one of our own standard streams that a descriptor of another process is: the same open file.
pub(crate) fn own_stream(pid: pid_t, fd: c_int) -> Option<c_int> {
    (0..3).find(|own| are_same_file((own_pid(), *own), (pid, fd)))
}

/// The one of all our descriptors that a descriptor of another process is.
pub(crate) fn own_descriptor(pid: pid_t, fd: c_int) -> Option<c_int> {
    let names = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let mut all: Vec<c_int> =
        names.filter_map(|e| e.file_name().to_str().and_then(|n| n.parse().ok())).collect();
    all.sort_unstable();
    all.into_iter().find(|own| are_same_file((own_pid(), *own), (pid, fd)))
}

/// Whether two descriptors of a process are the same open file.
pub(crate) fn is_same_file(pid: pid_t, a: c_int, b: c_int) -> bool {
    a == b || are_same_file((pid, a), (pid, b))
}

/// Another descriptor for an open file of ours.
pub(crate) fn duplicate(fd: c_int) -> io::Result<OwnedFd> {
    // SAFETY: plain integers.
    let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor that nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

pub(crate) fn kill(pid: pid_t, signal: c_int) -> io::Result<()> {
    // SAFETY: plain integers.
    let r = unsafe { libc::kill(pid, signal) };
    if r == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

pub(crate) fn thread_kill(pid: pid_t, tid: pid_t, signal: c_int) -> io::Result<()> {
    // SAFETY: plain integers.
    let r = unsafe { libc::syscall(libc::SYS_tgkill, pid, tid, signal) };
    if r == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// How much a thread yields to others.
pub(crate) fn niceness(tid: pid_t) -> Option<c_int> {
    // The answer may be any number from -20 on; errors come through errno only.
    // SAFETY: errno is thread-local and always writable.
    unsafe { *libc::__errno_location() = 0 };
    // SAFETY: plain integers.
    let nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, tid as libc::id_t) };
    (io::Error::last_os_error().raw_os_error() == Some(0)).then_some(nice)
}

pub(crate) fn set_niceness(tid: pid_t, nice: c_int) -> io::Result<()> {
    // SAFETY: plain integers.
    let r = unsafe { libc::setpriority(libc::PRIO_PROCESS, tid as libc::id_t, nice) };
    if r == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The first range with data in a file from `from` on; `None` when there is none any more.
pub(crate) fn next_data(file: &File, from: u64) -> io::Result<Option<(u64, u64)>> {
    use std::os::fd::AsRawFd;
    let seek = |from: u64, whence: c_int| {
        // SAFETY: plain integers, on a descriptor that is open.
        let at = unsafe { libc::lseek(file.as_raw_fd(), from as libc::off_t, whence) };
        if at < 0 { Err(io::Error::last_os_error()) } else { Ok(at as u64) }
    };
    match seek(from, libc::SEEK_DATA) {
        Ok(start) => Ok(Some((start, seek(start, libc::SEEK_HOLE)?))),
        Err(e) if e.raw_os_error() == Some(libc::ENXIO) => Ok(None),
        Err(e) => Err(e),
    }
}

pub(crate) fn own_tid() -> pid_t {
    // SAFETY: no arguments.
    unsafe { libc::syscall(libc::SYS_gettid) as pid_t }
}

pub(crate) fn own_pid() -> pid_t {
    // SAFETY: no arguments.
    unsafe { libc::getpid() }
}

/// A duplicate of another process's file descriptor.
pub(crate) fn take_fd(pid: pid_t, fd: c_int) -> io::Result<OwnedFd> {
    // SAFETY: plain integers.
    let pidfd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    if pidfd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor that nothing else owns.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd as c_int) };
    use std::os::fd::AsRawFd;
    // SAFETY: plain integers.
    let r = unsafe { libc::syscall(libc::SYS_pidfd_getfd, pidfd.as_raw_fd(), fd, 0) };
    if r < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor that nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(r as c_int) })
}

/// Runs an ioctl whose argument is a structure the kernel reads and fills.
pub(crate) fn ioctl<T>(fd: c_int, request: u64, argument: &mut T) -> io::Result<c_int> {
    // SAFETY: callers pair each request with the structure the kernel's interface names for it;
    // the structure is exclusively borrowed during the call.
    let r = unsafe { libc::ioctl(fd, request, argument as *mut T) };
    if r < 0 { Err(io::Error::last_os_error()) } else { Ok(r) }
}

/// A timer that sends a signal to the thread that made it.
#[derive(Debug)]
pub(crate) struct Timer(libc::timer_t);

impl Timer {
    pub fn for_this_thread(signal: c_int) -> io::Result<Timer> {
        let mut timer: libc::timer_t = std::ptr::null_mut();
        // SAFETY: all-zero bytes are a valid `sigevent`; it and the timer are live locals.
        let r = unsafe {
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = signal;
            event.sigev_notify_thread_id = own_tid();
            libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer)
        };
        if r == 0 { Ok(Timer(timer)) } else { Err(io::Error::last_os_error()) }
    }

    /// Goes off after this time, once; never if it is zero.
    pub fn set(&mut self, after: Duration) -> io::Result<()> {
        let spec = |d: Duration| libc::timespec {
            tv_sec: libc::time_t::try_from(d.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: c_long::from(d.subsec_nanos() as i32),
        };
        let value = libc::itimerspec { it_value: spec(after), it_interval: spec(Duration::ZERO) };
        // SAFETY: the timer is ours until it is dropped; the value is a live local.
        let r = unsafe { libc::timer_settime(self.0, 0, &value, std::ptr::null_mut()) };
        if r == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the timer was made by us and is deleted once.
        unsafe { libc::timer_delete(self.0) };
    }
}
