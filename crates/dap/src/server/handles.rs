//! Numbers by which the editor names frames and things that have parts. They hold for one stop.

use watchword_debug::{ThreadId, Value};

/// A frame: its thread, and its index.
pub(super) type FrameOf = (ThreadId, usize);

/// Something whose parts the editor can ask for.
#[derive(Clone, Debug)]
pub(super) enum Holder {
    /// Arguments of a frame.
    Arguments(FrameOf),
    /// Local variables of a frame.
    Locals(FrameOf),
    /// Registers of a frame.
    Registers(FrameOf),
    /// A value of the program, and the expression that names it.
    Value { frame: FrameOf, value: Value, expression: Option<String> },
    /// All properties.
    Monitors,
    /// The instances of a property: its place in the list of all.
    Property(usize),
    /// An instance: the place of its property, and its own among the instances.
    Instance(usize, usize),
    /// The checkpoints.
    Checkpoints,
}

/// What the numbers mean.
#[derive(Default)]
pub(super) struct Handles {
    frames: Vec<FrameOf>,
    holders: Vec<Holder>,
}

impl Handles {
    /// The program goes on: numbers mean nothing any more.
    pub fn forget(&mut self) {
        self.frames.clear();
        self.holders.clear();
    }

    /// A number for a frame.
    pub fn add_frame(&mut self, frame: FrameOf) -> i64 {
        self.frames.push(frame);
        self.frames.len() as i64
    }

    /// The frame with this number.
    pub fn frame(&self, id: i64) -> Result<FrameOf, String> {
        let at = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        let found = at.and_then(|at| self.frames.get(at)).copied();
        found.ok_or_else(|| format!("there is no frame {id} at this stop"))
    }

    /// A number for something with parts.
    pub fn add(&mut self, holder: Holder) -> i64 {
        self.holders.push(holder);
        self.holders.len() as i64
    }

    /// What has this number.
    pub fn holder(&self, id: i64) -> Result<Holder, String> {
        let at = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        let found = at.and_then(|at| self.holders.get(at)).cloned();
        found.ok_or_else(|| format!("there is nothing with the number {id} at this stop"))
    }
}
