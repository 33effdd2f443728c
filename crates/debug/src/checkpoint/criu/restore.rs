//! Going back to a checkpoint.

use libc::pid_t;

use super::super::{Restored, children, refused, shared};
use super::{Image, MappedFile};
use crate::error::{Error, ErrorKind, Result};
use crate::maps;
use crate::proc;
use crate::space::{Area, Internal, Space};
use crate::sys;
use crate::tracer::{
    ExitStatus, ProcessId, Reason, State, Stop, Thread, ThreadId, Tracer, ignore_gone, thread_group,
};

impl Tracer {
    /// Ends a stopped process and makes it anew from an image.
    pub(in super::super) fn restore_image(&mut self, image: &Image) -> Result<Restored> {
        let pid = image.process;
        let mut done = Restored::default();
        self.check_image(image)?;
        let mut given = image.descriptors.to_restore(pid, &mut done.warnings)?;
        done.warnings.extend(children::warning(&[], &children::of(pid)));
        let known = |t: &&ThreadId| image.threads.iter().any(|saved| saved.tid == t.0);
        let present = self.threads(ProcessId(pid));
        done.ended_threads = present.iter().filter(|t| !known(t)).copied().collect();
        // From here on the program is changed.
        self.queue.retain(|s| s.process.0 != pid);
        let old = self.spaces.remove(&pid);
        self.end_unseen(pid)?;
        let made = given.iter_mut().try_for_each(|g| g.seek()).and_then(|()| {
            self.on_disk()?.folder.making(Some(pid));
            let run = self.on_disk()?.criu.on("restore", image.room.path());
            let run = run.args(["--restore-detached", "--restore-sibling"]);
            let run = run.args(["--leave-stopped", "--shell-job"]);
            given.iter().fold(run, |run, g| run.give(&g.fd, &g.id)).run()
        });
        for (saved, number) in image.threads.iter().zip(&image.numbers) {
            let mut thread = Thread::new(pid, State::Running);
            thread.number = *number;
            self.threads.insert(saved.tid, thread);
        }
        let Some(old) = old else { return Err(Error::new(ErrorKind::Gone, "no process")) };
        let back = made
            .and_then(|()| self.take_back(pid, &image.threads))
            .and_then(|()| self.settle_in(image, old));
        if back.is_err() {
            self.tell_lost(pid);
        }
        self.on_disk()?.folder.making(None);
        if let Err(e) = back {
            return Err(Error::new(e.kind(), format!("{e}; the program has ended")));
        }
        done.pages = image.pages;
        self.queue.extend(image.untold.iter().cloned());
        Ok(done)
    }

    /// Refuses, while nothing is changed, what criu could not do.
    fn check_image(&mut self, image: &Image) -> Result<()> {
        let pid = image.process;
        for saved in &image.threads {
            if thread_group(saved.tid).is_some_and(|group| group != pid) {
                return Err(refused(format!(
                    "another process has the number of thread {} by now",
                    saved.tid
                )));
            }
        }
        if is_named_by_others(pid) {
            return Err(refused(
                "a child process started since the checkpoint is in a process group or session \
                 with the number of the program, which is taken therefore",
            ));
        }
        for file in &image.mapped {
            if MappedFile::of(&file.name).as_ref() != Some(file) {
                return Err(refused(format!("{} was changed since the checkpoint", file.name)));
            }
        }
        shared::check(self.space(pid)?, &image.shared, &maps::read(pid)?)?;
        match image.room.path().is_dir() {
            true => Ok(()),
            false => Err(refused(format!("{} is gone", image.room.path().display()))),
        }
    }

    /// Ends a process silently; returns how it ended.
    fn end_unseen(&mut self, pid: pid_t) -> Result<Option<i32>> {
        let _ = sys::kill(pid, libc::SIGKILL);
        let mut tids: Vec<pid_t> =
            self.threads.iter().filter(|(_, t)| t.pid == pid).map(|(tid, _)| *tid).collect();
        // The end of the first thread is reported when all others have ended.
        tids.sort_unstable_by_key(|tid| *tid == pid);
        let mut ended = None;
        for tid in tids {
            self.threads.remove(&tid);
            loop {
                match sys::wait_for(tid, 0) {
                    Ok(Some((_, status))) if libc::WIFSTOPPED(status) => {
                        ignore_gone(sys::cont(tid, 0), "cannot end a thread")?;
                    }
                    Err(e) if e.raw_os_error() == Some(libc::EINTR) => {}
                    Ok(Some((_, status))) => {
                        ended = Some(status);
                        break;
                    }
                    _ => break,
                }
            }
        }
        self.deferred.retain(|(tid, _)| proc::text(*tid, "stat").is_ok());
        Ok(ended)
    }

    /// Makes the new process what the old one was to us.
    fn settle_in(&mut self, image: &Image, old: Space) -> Result<()> {
        let pid = image.process;
        let mut space = Space::open(pid)?;
        space.points = old.points;
        space.areas = image.areas.iter().map(|a| Area { start: a.start, used: 0 }).collect();
        self.spaces.insert(pid, space);
        let maps = maps::read(pid)?;
        let is_code = |at: u64| maps.iter().any(|m| m.contains(at) && m.is_executable());
        self.space_mut(pid)?.points.retain(|_, p| is_code(p.address));
        for (address, site) in old.sites.into_iter().filter(|(at, _)| is_code(*at)) {
            self.ensure_room(pid, address)?;
            let new = self.space_mut(pid)?.install(address)?;
            new.points = site.points;
            // Which calls are in flight is another matter now.
            new.internal = Internal { returns: 0, ..site.internal };
        }
        self.put_threads_back(pid, &image.threads)?;
        let (tid, death) = image.death;
        for (start, end) in &image.wiped {
            let args = [*start, end - start, libc::MADV_WIPEONFORK as u64, 0, 0, 0];
            self.syscall(tid, libc::SYS_madvise, args)?;
        }
        self.die_with_us(tid, death)?;
        self.put_pending_back(pid, &image.pending)?;
        self.prepare_held_signals(pid)?;
        self.lift(tid, false)
    }

    /// The process is lost: it has ended while it was not traced, or could not be made anew. Ends
    /// what is left of it, and tells its end.
    pub(super) fn tell_lost(&mut self, pid: pid_t) {
        let status = self.end_unseen(pid).ok().flatten();
        self.forget_process(pid);
        let status = status.map_or(ExitStatus::Signal(libc::SIGKILL), ExitStatus::from_wait);
        let (thread, process) = (ThreadId(pid), ProcessId(pid));
        self.queue.push_back(Stop { thread, process, reason: Reason::Exited(status) });
    }
}

/// Whether another process is in a process group or session with the number of this one.
fn is_named_by_others(pid: pid_t) -> bool {
    let others = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = others.filter_map(|e| e.file_name().to_str().and_then(|n| n.parse().ok()));
    numbers.filter(|other| *other != pid).any(|other: pid_t| {
        let stat = proc::text(other, "stat").unwrap_or_default();
        // After the name: state, parent, group, session.
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
        fields.skip(2).take(2).any(|number| number.parse() == Ok(pid))
    })
}
