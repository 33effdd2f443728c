//! Starting programs and joining running ones.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use libc::{c_int, pid_t};

use super::{Origin, ProcessId, State, Thread, Tracer};
use crate::error::{Error, ErrorKind, Result};
use crate::space::Space;
use crate::sys;

/// How to start a program. Standard streams, environment and directory are inherited unless set.
#[derive(Debug)]
pub struct Launch {
    program: OsString,
    args: Vec<OsString>,
    env: Option<Vec<(OsString, OsString)>>,
    cwd: Option<PathBuf>,
    randomize: bool,
    own_group: bool,
    own_session: bool,
    streams: [Option<OwnedFd>; 3],
}

impl Launch {
    /// A program by path, or by name to be found in `PATH`.
    pub fn new(program: impl AsRef<OsStr>) -> Launch {
        Launch {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            env: None,
            cwd: None,
            randomize: true,
            own_group: false,
            own_session: false,
            streams: [None, None, None],
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Launch {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Launch {
        self.args.extend(args.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    /// Sets one variable of the environment, which is otherwise inherited.
    pub fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Launch {
        let key = key.as_ref();
        let env = self.env.get_or_insert_with(|| std::env::vars_os().collect());
        env.retain(|(k, _)| k != key);
        env.push((key.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Starts from an empty environment.
    pub fn env_clear(mut self) -> Launch {
        self.env = Some(Vec::new());
        self
    }

    /// Sets the working directory.
    pub fn cwd(mut self, directory: impl AsRef<Path>) -> Launch {
        self.cwd = Some(directory.as_ref().to_owned());
        self
    }

    /// Turns address-space randomisation off, so that addresses repeat from run to run.
    pub fn fixed_addresses(mut self) -> Launch {
        self.randomize = false;
        self
    }

    /// Puts the program into a process group of its own.
    pub fn own_process_group(mut self) -> Launch {
        self.own_group = true;
        self
    }

    /// Starts the program where criu can dump it: criu does not if the leader of its session is not
    /// to be seen from here, as with what is run in a container from outside of it. There the
    /// program is given a session of its own, which has no terminal.
    pub fn to_be_dumped(mut self) -> Launch {
        // SAFETY: asks for a number only.
        self.own_session = unsafe { libc::getsid(0) } == 0;
        self
    }

    /// Replaces standard input.
    pub fn stdin(mut self, file: impl Into<OwnedFd>) -> Launch {
        self.streams[0] = Some(file.into());
        self
    }

    /// Replaces standard output.
    pub fn stdout(mut self, file: impl Into<OwnedFd>) -> Launch {
        self.streams[1] = Some(file.into());
        self
    }

    /// Replaces standard error.
    pub fn stderr(mut self, file: impl Into<OwnedFd>) -> Launch {
        self.streams[2] = Some(file.into());
        self
    }

    fn resolve(&self) -> Result<PathBuf> {
        let name = Path::new(&self.program);
        let failed = |why: &str| {
            Error::new(ErrorKind::Launch, format!("cannot run {}: {why}", name.display()))
        };
        if self.program.as_bytes().contains(&b'/') {
            let path = match &self.cwd {
                Some(cwd) if name.is_relative() => cwd.join(name),
                _ => name.to_owned(),
            };
            return match path.metadata() {
                Err(e) => Err(failed(&e.to_string())),
                Ok(m) if !m.is_file() => Err(failed("not a file")),
                Ok(m) if m.permissions().mode() & 0o111 == 0 => Err(failed("not executable")),
                Ok(_) => Ok(name.to_owned()),
            };
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .map(|d| d.join(name))
            .find(|p| {
                p.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
            })
            .ok_or_else(|| failed("not found in PATH"))
    }
}

/// What the child needs between fork and exec, prepared before: nothing may allocate there.
struct Prepared {
    path: CString,
    argv: Vec<*const libc::c_char>,
    envp: Vec<*const libc::c_char>,
    cwd: Option<CString>,
    streams: [Option<RawFd>; 3],
    randomize: bool,
    own_group: bool,
    own_session: bool,
    go: RawFd,
    report: RawFd,
}

impl Tracer {
    /// Starts a program. It is stopped before its first instruction, the dynamic linker's
    /// included. When the tracer dies, the program dies with it.
    pub fn launch(&mut self, launch: Launch) -> Result<ProcessId> {
        let path = launch.resolve()?;
        let c = |s: &OsStr| {
            CString::new(s.as_bytes())
                .map_err(|_| Error::new(ErrorKind::Launch, "a NUL byte in an argument"))
        };
        let argv: Vec<CString> = std::iter::once(launch.program.as_os_str())
            .chain(launch.args.iter().map(|a| a.as_os_str()))
            .map(c)
            .collect::<Result<_>>()?;
        let env = match &launch.env {
            Some(env) => env.clone(),
            None => std::env::vars_os().collect(),
        };
        let envp: Vec<CString> = env
            .into_iter()
            .map(|(k, v)| {
                let mut both = k.into_vec();
                both.push(b'=');
                both.extend(v.into_vec());
                CString::new(both)
                    .map_err(|_| Error::new(ErrorKind::Launch, "a NUL byte in the environment"))
            })
            .collect::<Result<_>>()?;
        let (go_read, go_write) = pipe()?;
        let (report_read, report_write) = pipe()?;
        let terminated = |v: &[CString]| -> Vec<*const libc::c_char> {
            v.iter().map(|s| s.as_ptr()).chain([std::ptr::null()]).collect()
        };
        let prepared = Prepared {
            path: c(path.as_os_str())?,
            argv: terminated(&argv),
            envp: terminated(&envp),
            cwd: launch.cwd.as_deref().map(|d| c(d.as_os_str())).transpose()?,
            streams: [0, 1, 2].map(|i| launch.streams[i].as_ref().map(|f| f.as_raw_fd())),
            randomize: launch.randomize,
            own_group: launch.own_group,
            own_session: launch.own_session,
            go: go_read.as_raw_fd(),
            report: report_write.as_raw_fd(),
        };
        // SAFETY: the child only runs `child`, which calls nothing but async-signal-safe
        // functions on data prepared above and never returns.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(Error::with_source(
                ErrorKind::Launch,
                "cannot start a process",
                std::io::Error::last_os_error(),
            ));
        }
        if pid == 0 {
            child(&prepared);
        }
        drop(go_read);
        drop(report_write);
        let seized = sys::seize(
            pid,
            sys::TRACE_OPTIONS | libc::PTRACE_O_TRACEVFORKDONE | libc::PTRACE_O_EXITKILL,
        );
        if let Err(e) = seized {
            let _ = sys::kill(pid, libc::SIGKILL);
            super::kill_and_reap(pid);
            return Err(Error::with_source(
                ErrorKind::Launch,
                "the kernel does not let this process trace programs",
                e,
            ));
        }
        // One byte lets the child go on to its exec.
        let _ = File::from(go_write).write_all(b"!");
        let mut message = Vec::new();
        // The other end closes at exec; on failure it carries the error.
        let mut report = File::from(report_read);
        loop {
            match sys::wait_for(pid, 0) {
                Ok(Some((_, status))) if libc::WIFSTOPPED(status) => {
                    if status >> 16 == libc::PTRACE_EVENT_EXEC {
                        break;
                    }
                    // Something like a stray signal before the exec: hand it on.
                    let signal = if status >> 16 == 0 { libc::WSTOPSIG(status) } else { 0 };
                    let _ = sys::cont(pid, signal);
                }
                Ok(Some(_)) => {
                    let _ = report.read_to_end(&mut message);
                    let code = message.get(..4).and_then(|b| b.try_into().ok());
                    let error = std::io::Error::from_raw_os_error(
                        code.map_or(libc::ENOEXEC, i32::from_ne_bytes),
                    );
                    return Err(Error::with_source(
                        ErrorKind::Launch,
                        format!("cannot run {}", path.display()),
                        error,
                    ));
                }
                Ok(None) => {}
                Err(e) if e.raw_os_error() == Some(libc::EINTR) => {}
                Err(e) => return Err(Error::with_source(ErrorKind::Launch, "cannot wait", e)),
            }
        }
        self.origins.insert(pid, Origin::Launched);
        self.adopt(pid)?;
        Ok(ProcessId(pid))
    }

    /// Joins a running process. All its threads are stopped afterwards.
    pub fn attach(&mut self, pid: i32) -> Result<ProcessId> {
        if self.spaces.contains_key(&pid) {
            return Err(Error::new(ErrorKind::Launch, format!("process {pid} is traced already")));
        }
        let failed = |e: std::io::Error| {
            let hint = match e.raw_os_error() {
                Some(libc::EPERM) => {
                    " (another tracer, another user's process, or kernel.yama.ptrace_scope)"
                }
                _ => "",
            };
            Error::with_source(
                ErrorKind::Launch,
                format!("cannot attach to process {pid}{hint}"),
                e,
            )
        };
        if pid <= 0 || super::events::thread_group(pid) != Some(pid) {
            return Err(failed(std::io::Error::from_raw_os_error(libc::ESRCH)));
        }
        let space = Space::open(pid)?;
        // Threads may be born while we look: repeat until a look finds nothing new.
        let options = sys::TRACE_OPTIONS | libc::PTRACE_O_TRACEVFORKDONE;
        loop {
            let mut fresh = false;
            for tid in tasks(pid).map_err(failed)? {
                if self.threads.contains_key(&tid) {
                    continue;
                }
                match sys::seize(tid, options) {
                    Ok(()) => {
                        self.enter(tid, Thread::new(pid, State::Running));
                        fresh = true;
                    }
                    Err(e) if e.raw_os_error() == Some(libc::ESRCH) && tid != pid => {}
                    // A thread born to one already seized is traced before we see it.
                    Err(e) if e.raw_os_error() == Some(libc::EPERM) && tid != pid => {}
                    Err(e) => {
                        let seized: Vec<pid_t> = self
                            .threads
                            .iter()
                            .filter(|(_, t)| t.pid == pid)
                            .map(|(t, _)| *t)
                            .collect();
                        self.spaces.insert(pid, space);
                        if !seized.is_empty() {
                            let _ = self.detach(ProcessId(pid));
                        }
                        self.spaces.remove(&pid);
                        return Err(failed(e));
                    }
                }
            }
            if !fresh {
                break;
            }
        }
        self.spaces.insert(pid, space);
        self.origins.insert(pid, Origin::Attached);
        self.stop_process(ProcessId(pid))?;
        Ok(ProcessId(pid))
    }
}

/// The threads of a process.
pub(crate) fn tasks(pid: pid_t) -> std::io::Result<Vec<pid_t>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        if let Some(tid) = entry?.file_name().to_str().and_then(|n| n.parse().ok()) {
            all.push(tid);
        }
    }
    Ok(all)
}

fn pipe() -> Result<(OwnedFd, OwnedFd)> {
    let mut fds: [c_int; 2] = [0; 2];
    // SAFETY: the array has room for the two descriptors.
    let r = unsafe { libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC) };
    if r != 0 {
        return Err(Error::with_source(
            ErrorKind::Launch,
            "cannot make a pipe",
            std::io::Error::last_os_error(),
        ));
    }
    // Streams replaced in the child must not land on our descriptors: keep them high.
    let high = |fd: c_int| {
        // SAFETY: `fd` is ours and fresh.
        let owned = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: plain integers.
        let moved = unsafe { libc::fcntl(owned.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 10) };
        if moved < 0 {
            return OwnedFd::from(File::from(owned));
        }
        // SAFETY: a fresh descriptor that nothing else owns.
        unsafe { OwnedFd::from_raw_fd(moved) }
    };
    Ok((high(fds[0]), high(fds[1])))
}

/// The child's side, from fork to exec.
fn child(p: &Prepared) -> ! {
    // SAFETY: every call is async-signal-safe and gets pointers that `Prepared` keeps alive
    // (this process is a copy: the parent's locals are here too).
    unsafe {
        let fail = || -> ! {
            let code = (*libc::__errno_location()).to_ne_bytes();
            libc::write(p.report, code.as_ptr().cast(), code.len());
            libc::_exit(127)
        };
        // Blocks until the tracer has seized us.
        let mut byte = 0u8;
        while libc::read(p.go, (&raw mut byte).cast(), 1) < 0
            && *libc::__errno_location() == libc::EINTR
        {}
        for (target, stream) in p.streams.iter().enumerate() {
            if let Some(fd) = stream {
                let r = if *fd == target as c_int {
                    libc::fcntl(*fd, libc::F_SETFD, 0)
                } else {
                    libc::dup2(*fd, target as c_int)
                };
                if r < 0 {
                    fail();
                }
            }
        }
        if p.own_session {
            libc::setsid();
        } else if p.own_group {
            libc::setpgid(0, 0);
        }
        if let Some(cwd) = &p.cwd
            && libc::chdir(cwd.as_ptr()) != 0
        {
            fail();
        }
        if !p.randomize {
            let persona = libc::personality(0xffff_ffff);
            libc::personality(persona as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        }
        // Rust programs ignore SIGPIPE and may block signals; other programs do not expect that.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        libc::execve(p.path.as_ptr(), p.argv.as_ptr(), p.envp.as_ptr());
        fail()
    }
}
