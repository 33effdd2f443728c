//! Reads a trace with several threads: some read blocks ahead, this one steps the events of all blocks in
//! their order. What is found is the same as with one thread, in the same order.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use watchword_trace::ahead::{Batch, Cut, Next, Scout};
use watchword_trace::{Error, Reader, Trace};

use crate::check::Checker;

/// How much of a trace is read before others read ahead: its beginning tells how it is written.
pub const FIRST: u64 = 1 << 20;

/// How many blocks are read ahead for each thread.
const AHEAD: usize = 4;

/// A block that was cut off the trace.
enum Block {
    /// It is not taken.
    Todo(Cut),
    /// A thread reads it.
    Taken,
    Done(Box<Batch>),
}

/// The blocks that were not stepped yet, in their order.
#[derive(Default)]
struct Blocks {
    waiting: VecDeque<Block>,
    /// The number of the first of them.
    first: usize,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    blocks: Mutex<Blocks>,
    /// There is something to read, or never will be.
    todo: Condvar,
    /// A block was read.
    done: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads blocks until there are no more. The last one first: the first one is for the thread that
    /// steps events, which would have to wait for it.
    fn serve(&self, mut scout: Scout) {
        let mut blocks = self.lock();
        while !blocks.closed {
            let is_todo = |block: &Block| matches!(block, Block::Todo(_));
            let Some(at) = blocks.waiting.iter().rposition(is_todo) else {
                blocks = self.todo.wait(blocks).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let number = blocks.first + at;
            let Block::Todo(cut) = std::mem::replace(&mut blocks.waiting[at], Block::Taken) else {
                continue;
            };
            drop(blocks);
            let batch = Box::new(scout.read(cut));
            blocks = self.lock();
            let at = number - blocks.first;
            blocks.waiting[at] = Block::Done(batch);
            self.done.notify_one();
        }
    }

    /// The first block, when no thread reads it any more.
    fn first(&self) -> Option<Block> {
        let mut blocks = self.lock();
        loop {
            match blocks.waiting.front() {
                Some(Block::Taken) => {
                    blocks = self.done.wait(blocks).unwrap_or_else(PoisonError::into_inner);
                }
                Some(_) => {
                    blocks.first += 1;
                    return blocks.waiting.pop_front();
                }
                None => return None,
            }
        }
    }

    fn close(&self) {
        self.lock().closed = true;
        self.todo.notify_all();
    }
}

/// Ends the threads however the function is left.
struct Closing<'s>(&'s Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Reads a trace that was begun with so many threads, as far as it can be cut into blocks; what is left
/// is to be read by [`Reader::step`]. `tell` hears after every block, and may end the reading.
///
/// # Errors
/// As [`Reader::step`], and those of `tell`.
pub fn read<R: Read>(
    reader: &mut Reader,
    trace: &mut Trace<R>,
    checker: &mut Checker,
    jobs: usize,
    mut tell: impl FnMut(&mut Checker, &mut Reader, u64) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let scouts = (1..jobs).map_while(|_| reader.scout(trace)).collect::<Vec<Scout>>();
    if scouts.is_empty() {
        return Ok(());
    }
    let shared = Shared::default();
    thread::scope(|scope| {
        let closing = Closing(&shared);
        for scout in scouts {
            scope.spawn(|| shared.serve(scout));
        }
        // What was cut off before the end of the trace, or a failure, is read first.
        let mut end: Option<Result<(), Error>> = None;
        loop {
            while end.is_none() && shared.lock().waiting.len() < AHEAD * jobs {
                match reader.cut(trace) {
                    Ok(Next::Cut(cut)) => {
                        shared.lock().waiting.push_back(Block::Todo(cut));
                        shared.todo.notify_one();
                    }
                    Ok(Next::Whole | Next::End) => end = Some(Ok(())),
                    Err(error) => end = Some(Err(error)),
                }
            }
            match shared.first() {
                None => break,
                Some(Block::Done(batch)) if checker.takes(&batch) => {
                    reader.take(trace, &batch, checker)?;
                }
                Some(Block::Done(batch)) => reader.read_cut(trace, &batch.cut, checker)?,
                Some(Block::Todo(cut)) => reader.read_cut(trace, &cut, checker)?,
                Some(Block::Taken) => {}
            }
            tell(checker, reader, trace.taken())?;
        }
        drop(closing);
        Ok(end.unwrap_or(Ok(()))?)
    })
}
