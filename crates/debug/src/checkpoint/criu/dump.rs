//! Taking a checkpoint.

use libc::pid_t;

use super::super::{
    CheckpointId, KernelState, children, files, handlers, mappings, refused, shared,
};
use super::descriptors::Descriptors;
use super::{Image, MappedFile, is_of_file};
use crate::error::{Error, ErrorKind, Result};
use crate::maps::{self, Mapping};
use crate::tracer::{Origin, Tracer};

const PAGE: u64 = 4096;
/// Files without a name are part of the image up to this size.
const GHOST_LIMIT: &str = "64M";

/// criu borrows the beginning of some code for its own.
const CODE_START: usize = 4096;

/// What is put right if criu ends amid its work.
struct Before {
    maps: Vec<Mapping>,
    heap_end: u64,
    files: Vec<files::SavedFile>,
    code: Vec<(u64, Vec<u8>)>,
    handlers: handlers::Handlers,
}

impl Tracer {
    /// Dumps a stopped process. If that fails, it is as it was, and so is the disk.
    pub(in super::super) fn dump(&mut self, pid: pid_t, tid: pid_t) -> Result<CheckpointId> {
        self.check_dumpable(pid)?;
        let maps = self.program_maps(pid)?;
        let threads = self.save_threads(pid)?;
        let numbers =
            threads.iter().map(|t| Ok(self.thread(t.tid)?.number)).collect::<Result<_>>()?;
        let tids: Vec<pid_t> = threads.iter().map(|t| t.tid).collect();
        let pending = self.pending_signals(&tids)?;
        let descriptors = Descriptors::of(pid)?;
        let files: Vec<Mapping> = maps.iter().filter(|m| is_of_file(m)).cloned().collect();
        let shared = shared::save(self.space(pid)?, &files);
        let mut mapped: Vec<MappedFile> = Vec::new();
        for m in &files {
            if !mapped.iter().any(|f| f.name == m.name) {
                let file = MappedFile::of(&m.name).filter(|f| f.inode == m.inode);
                mapped.push(file.ok_or_else(|| {
                    refused(format!("{} was replaced since it was mapped", m.name))
                })?);
            }
        }
        let kept = maps::not_forked(pid)?.into_iter().filter(|(_, kept)| kept.wiped);
        let wiped = kept.map(|(m, _)| (m.start, m.end)).collect();
        let before = self.before(pid, tid, maps)?;
        let room = self.on_disk()?.folder.room()?;
        let death = self.die_with_us(tid, libc::SIGKILL as u64)?;
        let dumped = self.hand_over(pid).and_then(|()| {
            let run = self.on_disk()?.criu.on("dump", room.path());
            run.args(["-t", &pid.to_string(), "--leave-stopped", "--shell-job"])
                .args(["--ghost-limit", GHOST_LIMIT])
                .args(descriptors.left_alone().flat_map(|id| ["--external", id]))
                .run()
        });
        if let Err(e) = self.take_back(pid, &threads) {
            self.tell_lost(pid);
            let why = dumped.err().unwrap_or(e);
            return Err(Error::new(ErrorKind::Gone, format!("{why}; the program has ended")));
        }
        for saved in &threads {
            let t = self.thread_mut(saved.tid)?;
            t.at_point = saved.at_point;
            t.redo = saved.redo;
            t.signal = saved.signal;
        }
        if dumped.is_err() {
            self.put_right(pid, tid, &before)?;
        }
        self.space(pid)?.arm_again()?;
        self.die_with_us(tid, death)?;
        self.put_lost_back(pid, &pending)?;
        self.prepare_held_signals(pid)?;
        dumped?;
        let image = Image {
            process: pid,
            bytes: room.bytes(""),
            pages: room.bytes("pages-") / PAGE,
            room,
            threads,
            numbers,
            pending,
            descriptors,
            mapped,
            shared,
            wiped,
            areas: self.space(pid)?.areas.clone(),
            death: (tid, death),
            untold: self.queue.iter().filter(|s| s.process.0 == pid).cloned().collect(),
        };
        let id = self.new_checkpoint_id();
        self.checkpoints.images.insert(id, image);
        Ok(id)
    }

    /// Refuses what criu would do, but not truthfully.
    fn check_dumpable(&self, pid: pid_t) -> Result<()> {
        if self.origins.get(&pid) != Some(&Origin::Launched) {
            return Err(refused(
                "criu ends a program and creates it again, which is possible only for programs started by Watchword",
            ));
        }
        if self.processes().len() > 1 || !children::of(pid).is_empty() {
            return Err(refused("criu would dump the child processes of the program as well"));
        }
        if self.threads.values().any(|t| t.pid == pid && t.group_stop) {
            return Err(refused("the program is stopped by job control"));
        }
        Ok(())
    }

    fn before(&mut self, pid: pid_t, tid: pid_t, maps: Vec<Mapping>) -> Result<Before> {
        let heap_end = self.syscall(tid, libc::SYS_brk, [0; 6])?;
        let space = self.space(pid)?;
        let mut code = Vec::new();
        for m in maps.iter().filter(|m| m.is_executable()) {
            let mut bytes = vec![0; CODE_START];
            let n = space.read_partly(m.start, &mut bytes);
            bytes.truncate(n);
            code.push((m.start, bytes));
        }
        let kernel = KernelState::of(pid);
        let handlers = self.handlers(tid, &kernel.caught, &kernel.ignored)?;
        Ok(Before { maps, heap_end, files: files::save(pid), code, handlers })
    }

    /// Takes out of the program what criu left in it.
    fn put_right(&mut self, pid: pid_t, tid: pid_t, before: &Before) -> Result<()> {
        let space = self.space(pid)?;
        for (start, bytes) in &before.code {
            let mut now = vec![0; bytes.len()];
            // The table of breakpoints stands, though they are not there.
            if crate::sys::read_process(pid, *start, &mut now).is_ok() && now != *bytes {
                space.write_raw(*start, bytes)?;
            }
        }
        // The kernel takes the handler of a blocked signal away if there is a fault.
        let kernel = KernelState::of(pid);
        let now = self.handlers(tid, &kernel.caught, &kernel.ignored)?;
        self.put_handlers_back(tid, &before.handlers, &now)?;
        let maps = self.program_maps(pid)?;
        let plan = mappings::plan(&before.maps, &maps)?;
        mappings::apply(self, tid, &plan, before.heap_end)?;
        for fd in files::save(pid).iter().map(|f| f.fd) {
            if !before.files.iter().any(|f| f.fd == fd) {
                self.syscall(tid, libc::SYS_close, [fd as u64, 0, 0, 0, 0, 0])?;
            }
        }
        Ok(())
    }
}
