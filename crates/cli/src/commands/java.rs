//! `watchword java -p PROP… -- <java arguments>`.

use std::io::Read;
use std::os::unix::net::UnixListener;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use watchword_model::{Model, PropertyId};
use watchword_monitor::{Engine, Options};
use watchword_view::text;
use watchword_wire::Bundle;

use crate::Outcome;
use crate::args::Global;
use crate::classes::ProgramClasses;
use crate::compiled::Compiler;
use crate::jvm::arguments::Arguments;
use crate::jvm::flags::{CallEvents, Checked, Flags};
use crate::jvm::run::{Cost, Run};
use crate::jvm::{ahead, attach, java, library};
use crate::live::ViewFlags;
use crate::residual::{self, Assumption, Request};

/// Run a JVM program under monitors, or attach monitors to a running one.
///
/// Classes are instrumented when they are loaded. Violations are printed on standard error when
/// they happen, and a summary at the end. The program's output and exit status stay the same.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    watchword java -p std/safe-iterator -- -jar app.jar\n  \
    watchword java -p locks.ww --report out.json -- -cp classes app.Main arguments\n  \
    watchword java -p locks.ww --on-violation throw -- -cp classes app.Main\n  \
    watchword java -p locks.ww --collect-trace run.jsonl -- -jar app.jar\n  \
    watchword java -p std/safe-iterator --residual -- -jar app.jar\n  \
    watchword java -p locks.ww --view -- -jar app.jar\n  \
    watchword java -p locks.ww --attach 4711\n\n\
    Exit status: the program's own (128 + signal); --error-exitcode replaces it if a violation was\n\
    found or nothing was checked; 2 if the program was not started.")]
pub struct Args {
    #[command(flatten)]
    flags: Flags,
    /// Exit with this status if a violation was found, or if nothing was checked
    #[arg(long, value_name = "N", help_heading = "Reporting")]
    error_exitcode: Option<u8>,
    /// Exit with this status if there is no violation, but the verdict on some property is
    /// inconclusive
    #[arg(long, value_name = "N", help_heading = "Reporting")]
    inconclusive_exitcode: Option<u8>,
    /// Analyse the program first, and leave out sites that need not be monitored: see `analyze`
    #[arg(long, conflicts_with = "attach", help_heading = "Monitoring")]
    residual: bool,
    /// What --residual may assume about the program
    #[arg(long, value_name = "WHAT", requires = "residual", help_heading = "Monitoring")]
    assume: Vec<Assumption>,
    /// Do not let --residual assume that iterators of collections of unknown class are new objects
    #[arg(long, requires = "residual", help_heading = "Monitoring")]
    strict: bool,
    /// The java executable; default: that of JAVA_HOME or PATH
    #[arg(long, value_name = "PATH")]
    java: Option<PathBuf>,
    /// Also print where the state of each property is kept, and why
    #[arg(long)]
    explain_plan: bool,
    /// Attach to a running JVM, instead of starting one
    #[arg(long, value_name = "PID", conflicts_with = "java_arguments")]
    attach: Option<u32>,
    #[command(flatten)]
    view: ViewFlags,
    /// Arguments for java
    #[arg(last = true, value_name = "JAVA ARGUMENTS", required_unless_present = "attach")]
    java_arguments: Vec<std::ffi::OsString>,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<Outcome> {
    let json = global.json("java")?;
    if let [first, _, ..] = &args.java_arguments[..]
        && first == "java"
    {
        bail!(
            "leave out `java` after `--`: only its arguments stand there (`--java PATH` names another java)"
        );
    }
    let reports = args.flags.reports.open()?;
    let read = args.flags.properties.iter().map(Path::new);
    args.flags.reports.refuse_inputs(read.clone())?;
    args.view.refuse_inputs(read)?;
    let classes = ProgramClasses::new(|| residual::class_path(&args.java_arguments));
    let compiler = Compiler {
        java: args.java.clone(),
        class_path: residual::class_path(&args.java_arguments).unwrap_or_default(),
    };
    let error_status = args.error_exitcode.unwrap_or(1);
    let mut checked = args.flags.check(&classes, compiler, global, error_status)?;
    if args.explain_plan {
        eprint!("{}", homes(&checked.model));
    }
    if let Ok(paths) = residual::class_path(&args.java_arguments) {
        let found = ahead::silenced(&paths, &checked.model, global)?;
        checked.settings.silenced.extend(found);
    }
    let (silenced, unsound) = (checked.silenced(), checked.unsound());
    let proven = match args.residual {
        true => args.leave_out(&mut checked, global)?,
        false => Vec::new(),
    };
    let cache = library::folder()?;
    let agent = library::extract(&cache)?;
    let home = Private::new()?;
    let socket = home.0.join("records");
    let listener = UnixListener::bind(&socket).context("cannot receive data from the program")?;
    checked.settings.output = socket.to_str().context("a path is not UTF-8")?.to_string();
    let base = library::base_classes(&cache)?;
    // A program that patches the JDK's own module where we cannot does without identities in
    // objects.
    let arguments = Arguments::new(&args.java_arguments, &base, global);
    checked.settings.patched = args.attach.is_some() || arguments.patched;
    checked.settings.base = base.to_str().context("a path is not UTF-8")?.to_string();
    checked.settings.runtime = library::RUNTIME;
    checked.settings.shown = args.view.is_wanted();
    let is_whole = checked.settings.silenced.is_empty();
    let bundle = Bundle { model: checked.model, settings: checked.settings };
    let stored = library::store(&home.0, "bundle", "ww", &bundle.to_bytes()?)?;
    let model = &bundle.model;

    let mut run = Run::new(model, &checked.sources, reports);
    run.know_proven(&proven);
    run.know_silenced(silenced, unsound);
    if !is_whole {
        run.expect_unseen_events();
    }
    let view = args.view.open_run()?;
    let shown = Arc::new(model.clone());
    run.show(view.as_ref().map(|view| view.teller(&args.target(), &shown)));
    let status = if let Some(pid) = args.attach {
        attach::load(pid, &agent, stored.to_str().context("a path is not UTF-8")?)?;
        if !global.quiet {
            eprintln!("attached to process {pid}");
        }
        // The program goes on for as long as it wants; its agent hangs up when it ends, or we do
        // when we are told to.
        if let Ok((mut stream, _)) = listener.accept() {
            let left = signals::hang_up(&stream);
            listen(&mut run, &mut stream, global, !json);
            if left.load(Ordering::Relaxed) {
                run.leave();
            }
        }
        None
    } else {
        let java = java::find(args.java.as_deref())?;
        java::refuse_old(&java)?;
        let option = format!("-agentpath:{}={}", agent.display(), stored.display());
        let mut child = Command::new(&java)
            .arg(option)
            .args(&arguments.words)
            .spawn()
            .with_context(|| format!("cannot run {}", java.display()))?;
        let _forward = signals::forward_to(child.id());
        // The agent connects before anything else; a JVM that ends without doing so would leave
        // us waiting, so its end wakes us up.
        std::thread::scope(|scope| {
            let run = &mut run;
            let listening = scope.spawn(move || {
                if let Ok((mut stream, _)) = listener.accept() {
                    listen(run, &mut stream, global, !json);
                }
            });
            let status = child.wait();
            if !listening.is_finished() {
                // Connects, and hangs up: whoever still waits for the agent gets an empty stream.
                drop(std::os::unix::net::UnixStream::connect(&socket));
            }
            let _ = listening.join();
            status
        })
        .map(Some)
        .context("cannot wait for the program")?
    };
    if let Some(view) = view {
        run.end_of_show("the program has ended");
        view.close()?;
    }
    let report = run.write(&args.flags.reports.sources, &args.target())?;
    if json {
        crate::jvm::run::say(&format!("{report}\n"));
    } else if !global.quiet {
        run.tell_repeated();
        run.summary(global);
        if args.view.is_wanted() {
            crate::output::note(global.color_on_stderr(), &cost(model, run.shown()));
        }
    }
    drop(home);
    let inconclusive = args.inconclusive_exitcode.filter(|_| run.is_inconclusive());
    let is_blind = args.error_exitcode.is_some() && run.is_blind();
    if let Some(code) = inconclusive.filter(|_| !run.has_violations() && !is_blind) {
        std::process::exit(i32::from(code));
    }
    match (args.error_exitcode, status) {
        // Nothing was checked: that must not look like success.
        (Some(code), _) if run.has_violations() || is_blind => std::process::exit(i32::from(code)),
        (_, Some(status)) => {
            let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            std::process::exit(code)
        }
        (_, None) if run.has_violations() => Ok(Outcome::Found),
        _ => Ok(Outcome::Clean),
    }
}

/// Where the state of every property will be.
fn homes(model: &Model) -> String {
    Engine::new(model, Options::default()).plan().explain_homes()
}

/// What it took to have the instances where they can be looked at.
fn cost(model: &Model, Cost { events, spent }: Cost) -> String {
    let seconds = spent as f64 / 1e9;
    let each = spent.checked_div(events).unwrap_or(0);
    let counted = text::counted(events, "event");
    let mut out = format!("--view: {counted} took {seconds:.2} s in the engine, {each} ns each");
    let engine = Engine::new(model, Options::default());
    let is_in_objects = |i: usize| engine.plan().inline(PropertyId::from_index(i)).is_ok();
    let properties = model.properties.iter().enumerate();
    let all: Vec<&str> =
        properties.filter(|(i, _)| is_in_objects(*i)).map(|(_, p)| p.name.as_str()).collect();
    if !all.is_empty() {
        let names = all.join(", ");
        out.push_str(&format!(
            "; without --view, the state of {names} is in the objects, which costs much less"
        ));
    }
    out
}

impl Args {
    /// What is monitored, in words.
    fn target(&self) -> String {
        let words: Vec<_> = self.java_arguments.iter().map(|a| a.to_string_lossy()).collect();
        match self.attach {
            Some(pid) => format!("process {pid}"),
            None => format!("java {}", words.join(" ")),
        }
    }

    /// Analyses the program and leaves out what need not be watched; answers which properties are
    /// proven.
    fn leave_out(&self, checked: &mut Checked, global: &Global) -> anyhow::Result<Vec<bool>> {
        if self.flags.events == CallEvents::Callee {
            bail!("--residual analyses calls, but with --events callee no events are at calls");
        }
        let java = java::find(self.java.as_deref())?;
        let home = java.canonicalize().ok();
        let home = home.as_deref().and_then(|java| java.parent()?.parent());
        let (assume, strict) = (&self.assume[..], self.strict);
        let request = Request { jdk: home, cached: true, assume, strict, ..Request::default() };
        let unknown = |why: &str| {
            let text = format!("--residual: every site is monitored: {why}");
            crate::output::warning(global.color_on_stderr(), &text);
            Vec::new()
        };
        if !checked.model.java.is_empty() {
            return Ok(unknown(residual::JAVA_CODE));
        }
        if let Some(why) = residual::class_path_unknown(&self.java_arguments) {
            return Ok(unknown(&why));
        }
        let paths = match residual::class_path(&self.java_arguments) {
            Ok(paths) => paths,
            Err(why) => return Ok(unknown(&format!("{why:#}"))),
        };
        let found =
            residual::for_run(&request, &checked.model, &paths, &[], &self.flags.scope, global)?;
        if !global.quiet {
            let lines = found.lines.iter().map(|line| format!("residual: {line}\n"));
            crate::jvm::run::say(&lines.collect::<String>());
        }
        checked.settings.silenced.push(found.silenced);
        Ok(found.proven)
    }
}

fn listen(run: &mut Run<'_>, stream: &mut impl Read, global: &Global, live: bool) {
    if let Err(error) = run.listen(stream, global, live) {
        crate::output::warning(global.color_on_stderr(), &format!("the agent: {error}"));
    }
}

/// A folder for one run, removed at its end.
struct Private(PathBuf);

impl Private {
    fn new() -> anyhow::Result<Private> {
        // Sockets have short names: the cache may be too deep down.
        let name = format!("watchword-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        if folder.exists() {
            // Left by a process of the same number that was killed.
            std::fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        library::private(&folder)?;
        Ok(Private(folder))
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Signals meant for the program that reach us.
mod signals {
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::{Handle, Signals};

    /// Ends a connection when we are asked to end; it is told whether that happened.
    pub fn hang_up(stream: &UnixStream) -> Arc<AtomicBool> {
        let left = Arc::new(AtomicBool::new(false));
        let signals = Signals::new([SIGHUP, SIGINT, SIGTERM]);
        if let (Ok(mut signals), Ok(stream)) = (signals, stream.try_clone()) {
            let left = left.clone();
            std::thread::spawn(move || {
                if signals.forever().next().is_some() {
                    left.store(true, Ordering::Relaxed);
                    let _ = stream.shutdown(std::net::Shutdown::Both);
                }
            });
        }
        left
    }

    /// Forwards until it is dropped.
    pub struct Forward(Option<Handle>);

    /// Passes signals on to a process.
    pub fn forward_to(pid: u32) -> Forward {
        let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]) else {
            return Forward(None);
        };
        let handle = signals.handle();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
                let signal = match signal {
                    SIGHUP => Signal::HUP,
                    SIGTERM => Signal::TERM,
                    // The terminal has sent these to the program, too.
                    _ => continue,
                };
                if let Some(pid) = pid {
                    let _ = kill_process(pid, signal);
                }
            }
        });
        Forward(Some(handle))
    }

    impl Drop for Forward {
        fn drop(&mut self) {
            if let Some(handle) = &self.0 {
                handle.close();
            }
        }
    }
}
