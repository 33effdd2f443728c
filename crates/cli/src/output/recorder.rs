//! Collected traces: events as `watchword replay` reads them.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Context;
use watchword_model::{EventRef, Time, ValueRef, Where};
use watchword_native::Happened;
use watchword_trace::write::{self, Arguments, AsTheyAre, Beside};

/// Writes events to a file.
#[derive(Clone)]
pub struct Recorder {
    path: PathBuf,
    state: Rc<RefCell<Recording>>,
}

struct Recording {
    out: BufWriter<File>,
    seq: u64,
    /// Bytes written so far.
    length: u64,
    marks: Vec<Mark>,
    /// The last mark on the way to here.
    last: Option<usize>,
    failure: Option<io::Error>,
}

/// The trace at a checkpoint.
struct Mark {
    /// The mark before it, on the way to it.
    before: Option<usize>,
    /// What was written since that one; nothing for the first, which all others come after.
    text: Vec<u8>,
    length: u64,
    seq: u64,
}

impl Recorder {
    /// Begins a file.
    pub fn create(path: &Path) -> anyhow::Result<Recorder> {
        // It is read again where checkpoints are made.
        let both = File::options().read(true).write(true).create(true).truncate(true).open(path);
        let file = both
            .or_else(|_| File::create(path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        let out = BufWriter::new(file);
        let state =
            Recording { out, seq: 0, length: 0, marks: Vec::new(), last: None, failure: None };
        Ok(Recorder { path: path.to_path_buf(), state: Rc::new(RefCell::new(state)) })
    }

    /// Ends the file with when the program ended, if that was seen: deadlines may have passed
    /// after the last event.
    pub fn finish(&self, ended: Option<Time>) -> anyhow::Result<()> {
        let mut state = self.state.borrow_mut();
        let mut last = String::new();
        if let Some(time) = ended {
            write::end(&mut last, time);
        }
        let told = state.out.write_all(last.as_bytes());
        let flushed = told.and_then(|()| state.out.flush());
        let result = state.failure.take().map_or(flushed, Err);
        result.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Recording {
    /// The marks on the way to one, itself included, first first.
    fn way_to(&self, mark: Option<usize>) -> Vec<usize> {
        let mut way: Vec<usize> =
            std::iter::successors(mark, |m| self.marks.get(*m).and_then(|m| m.before)).collect();
        way.reverse();
        way
    }

    fn written_since(&mut self, from: u64) -> io::Result<Vec<u8>> {
        self.out.flush()?;
        let mut text = vec![0; (self.length - from) as usize];
        self.out.get_ref().read_exact_at(&mut text, from)?;
        Ok(text)
    }

    /// Makes the file what it was at a mark, which may be on another way than the present one.
    fn rewrite(&mut self, mark: usize) -> io::Result<()> {
        let (present, wanted) = (self.way_to(self.last), self.way_to(Some(mark)));
        let common = present.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
        let kept = common.checked_sub(1).map_or(0, |i| self.marks[wanted[i]].length);
        self.out.seek(SeekFrom::Start(kept))?;
        self.out.get_ref().set_len(kept)?;
        for m in &wanted[common..] {
            self.out.write_all(&self.marks[*m].text)?;
        }
        Ok(())
    }
}

impl watchword_native::Recorder for Recorder {
    fn record(&mut self, event: &Happened<'_>) {
        let mut state = self.state.borrow_mut();
        if state.failure.is_some() {
            return;
        }
        state.seq += 1;
        let args: Vec<ValueRef<'_>> = event.args.iter().map(ValueRef::from).collect();
        let happened = EventRef {
            kind: event.event,
            args: &args,
            time: Some(event.time),
            thread: Some(event.thread),
            location: event.location.map(Where::from),
        };
        let beside =
            Beside { arguments: Arguments::ByName, only: None, site: None, seq: state.seq };
        let mut line = String::new();
        write::event(&mut line, event.model, &happened, &beside, &AsTheyAre);
        state.length += line.len() as u64;
        if let Err(error) = state.out.write_all(line.as_bytes()) {
            state.failure = Some(error);
        }
    }

    fn mark(&mut self) -> u64 {
        let mut state = self.state.borrow_mut();
        let before = state.last;
        // A file that cannot be read again fails when it is gone back, if that happens.
        let text = before.map(|b| state.marks[b].length).map(|from| state.written_since(from));
        let text = text.and_then(Result::ok).unwrap_or_default();
        let (length, seq) = (state.length, state.seq);
        state.last = Some(state.marks.len());
        state.marks.push(Mark { before, text, length, seq });
        state.marks.len() as u64 - 1
    }

    /// The trace is that of the run that stands: what was undone is taken out again. Where that is
    /// not possible, as in a pipe, the trace is not what it should be, which is an error.
    fn go_back(&mut self, mark: u64) {
        let mut state = self.state.borrow_mut();
        let mark = mark as usize;
        if let Err(error) = state.rewrite(mark) {
            state.failure.get_or_insert(error);
        }
        let Some(Mark { length, seq, .. }) = state.marks.get(mark) else { return };
        (state.length, state.seq) = (*length, *seq);
        state.last = Some(mark);
    }
}
