//! The program `criu`: where it is, whether it works here, and how it is run.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::error::{Error, ErrorKind, Result};
use crate::tracer::{Launch, Tracer};

/// The variable that names a `criu` to be used instead of the one that would be found.
pub const CRIU_VARIABLE: &str = "WATCHWORD_CRIU";

/// What helps where one does not work.
const ANOTHER: &str = "name another one in WATCHWORD_CRIU, or install one with scripts/criu.sh";

/// A `criu` that passes its own check on this machine, and a trial.
#[derive(Clone, Debug)]
pub struct Criu {
    path: PathBuf,
    version: String,
}

impl Criu {
    /// Looks for one that works: the one the variable names, else in the path, else where
    /// `scripts/criu.sh` puts one.
    ///
    /// # Errors
    /// Why there is none, and what helps.
    pub fn find() -> Result<Criu> {
        let candidates = match std::env::var_os(CRIU_VARIABLE) {
            Some(path) => vec![PathBuf::from(path)],
            None => candidates(),
        };
        let mut first = None;
        for path in candidates {
            match Criu::checked(path) {
                Ok(criu) => return Ok(criu),
                Err(e) => {
                    first.get_or_insert(e);
                }
            }
        }
        Err(first.unwrap_or_else(|| {
            unusable(format!("criu is not installed; install it, or {ANOTHER}"))
        }))
    }

    fn checked(path: PathBuf) -> Result<Criu> {
        let version = match quiet(&path).arg("--version").stdout(Stdio::piped()).output() {
            Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
            Err(e) => {
                return Err(unusable(format!("cannot run {}: {e}; {ANOTHER}", path.display())));
            }
        };
        let Some(version) = version.lines().find_map(|l| l.strip_prefix("Version:")) else {
            return Err(unusable(format!("{} is not criu; {ANOTHER}", path.display())));
        };
        let criu = Criu { path, version: version.trim().to_string() };
        let check = quiet(&criu.path).arg("check").output();
        let check = check.map_err(|e| Error::system("cannot run criu", e))?;
        if check.status.success() {
            return match criu.try_out() {
                Ok(()) => Ok(criu),
                Err(e) => Err(unusable(format!(
                    "criu {} in {} cannot restore a small test program here: {e}; {ANOTHER}",
                    criu.version,
                    criu.path.display()
                ))),
            };
        }
        let said = String::from_utf8_lossy(&check.stderr);
        let why = cause(&said).unwrap_or_else(|| ended(check.status));
        // SAFETY: no arguments.
        let fix = match unsafe { libc::geteuid() } {
            0 => ANOTHER,
            _ => "it needs an administrator's rights: run as root",
        };
        Err(unusable(format!(
            "criu {} in {} does not pass `criu check` here: {why}; {fix}",
            criu.version,
            criu.path.display()
        )))
    }

    /// Takes a program back to a checkpoint. Its own check does not find everything that would
    /// keep it from that, in containers above all.
    fn try_out(&self) -> Result<()> {
        let null = || {
            let file = File::options().read(true).write(true).open("/dev/null");
            file.map_err(|e| Error::system("cannot open /dev/null", e))
        };
        let launch = Launch::new("true").stdin(null()?).stdout(null()?).stderr(null()?);
        let mut tracer = Tracer::new();
        let process = tracer.launch(launch.to_be_dumped())?;
        tracer.checkpoint_with(self.clone())?;
        let id = tracer.checkpoint(process)?;
        tracer.restore(id).map(|_| ())
    }

    /// The same by another path, which is not checked again.
    pub fn at(&self, path: &Path) -> Criu {
        Criu { path: path.to_path_buf(), version: self.version.clone() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which one it is.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A command of it that works on a folder of images, with descriptors it is given by their
    /// numbers here.
    pub(super) fn on<'a>(&'a self, word: &'a str, folder: &'a Path) -> Run<'a> {
        Run { criu: self, word, folder, args: Vec::new(), given: Vec::new(), terminal: None }
    }
}

/// One run of criu to be.
pub(super) struct Run<'a> {
    criu: &'a Criu,
    word: &'a str,
    folder: &'a Path,
    args: Vec<String>,
    given: Vec<&'a OwnedFd>,
    terminal: Option<&'a OwnedFd>,
}

impl<'a> Run<'a> {
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Run<'a> {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Lets it make this descriptor the program's, wherever the images speak of `id`, or of a
    /// terminal if that is empty.
    pub fn give(mut self, fd: &'a OwnedFd, id: &str) -> Run<'a> {
        if id.is_empty() {
            self.terminal = Some(fd);
            return self;
        }
        self.args.extend(["--inherit-fd".into(), format!("fd[{}]:{id}", fd.as_raw_fd())]);
        self.given.push(fd);
        self
    }

    /// Runs it to its end; what it complains of is the error.
    pub fn run(self) -> Result<()> {
        let (log, errors) = (format!("{}.log", self.word), self.folder.join("errors"));
        let failed = |e| Error::system("cannot run criu", e);
        let mut command = quiet(&self.criu.path);
        command.arg(self.word).arg("-D").arg(self.folder).args(["-o", &log, "-v1"]);
        command.args(&self.args).stderr(File::create(&errors).map_err(failed)?);
        if let Some(terminal) = self.terminal {
            command.stdin(terminal.try_clone().map_err(failed)?);
        }
        let given: Vec<i32> = self.given.iter().map(|fd| fd.as_raw_fd()).collect();
        // SAFETY: between fork and exec only async-signal-safe calls are made, on integers that
        // were computed before.
        unsafe {
            command.pre_exec(move || {
                // Without us nobody would make use of what it does.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                // What a terminal sends is for us, and for the program; amid its work it would
                // leave that neither here nor there.
                let mut all: libc::sigset_t = std::mem::zeroed();
                libc::sigfillset(&mut all);
                libc::sigprocmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
                for fd in &given {
                    libc::fcntl(*fd, libc::F_SETFD, 0);
                }
                Ok(())
            });
        }
        let status = command.status().map_err(failed)?;
        if status.success() {
            return Ok(());
        }
        let said = |path: &Path| {
            std::fs::read(path).ok().map(|b| String::from_utf8_lossy(&b).into_owned())
        };
        let why = [self.folder.join(&log), errors].iter().find_map(|path| cause(&said(path)?));
        Err(Error::new(
            ErrorKind::Refused,
            format!("criu {}: {}", self.word, why.unwrap_or_else(|| ended(status))),
        ))
    }
}

/// The first thing it complains of: what follows are consequences. Not that it may not have more
/// files open, which it always does where that is so, and goes on.
fn cause(log: &str) -> Option<String> {
    let errors = log.lines().filter_map(|l| l.split_once("Error ")).map(|(_, text)| text);
    let mut relevant = errors.filter(|text| !text.contains("RLIMIT_NOFILE"));
    relevant.next().map(|text| text.trim().to_string())
}

fn ended(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("it was killed by signal {signal}"),
        None => format!("it ended with status {}", status.code().unwrap_or(-1)),
    }
}

fn quiet(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn candidates() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // Administrators' programs are not in everybody's path.
    folders.push("/usr/sbin".into());
    let cache = |name: &str| std::env::var_os(name).filter(|v: &std::ffi::OsString| !v.is_empty());
    let cache = cache("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| cache("HOME").map(|home| Path::new(&home).join(".cache")));
    folders.extend(cache.map(|c| c.join("watchword/criu")));
    let mut all: Vec<PathBuf> =
        folders.iter().map(|f| f.join("criu")).filter(|f| f.is_file()).collect();
    all.dedup();
    all
}

fn unusable(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unsupported, why)
}
