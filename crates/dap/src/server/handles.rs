//! Numbers by which the editor names frames and things that have parts. They hold for one stop, and none
//! is used again: a question about an earlier stop is not answered with what is there now.

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
    frames: Numbered<FrameOf>,
    holders: Numbered<Holder>,
}

/// Things and their numbers.
struct Numbered<T> {
    /// Numbers that meant something at earlier stops.
    past: i64,
    all: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { past: 0, all: Vec::new() }
    }
}

impl<T> Numbered<T> {
    fn forget(&mut self) {
        self.past += self.all.len() as i64;
        self.all.clear();
    }

    fn add(&mut self, one: T) -> i64 {
        self.all.push(one);
        self.past + self.all.len() as i64
    }

    fn get(&self, id: i64) -> Option<&T> {
        let at = id.checked_sub(self.past)?.checked_sub(1)?;
        self.all.get(usize::try_from(at).ok()?)
    }
}

impl Handles {
    /// The program goes on: numbers mean nothing any more.
    pub fn forget(&mut self) {
        self.frames.forget();
        self.holders.forget();
    }

    /// A number for a frame.
    pub fn add_frame(&mut self, frame: FrameOf) -> i64 {
        self.frames.add(frame)
    }

    /// The frame with this number.
    pub fn frame(&self, id: i64) -> Result<FrameOf, String> {
        self.frames.get(id).copied().ok_or_else(|| format!("there is no frame {id} at this stop"))
    }

    /// A number for something with parts.
    pub fn add(&mut self, holder: Holder) -> i64 {
        self.holders.add(holder)
    }

    /// What has this number.
    pub fn holder(&self, id: i64) -> Result<Holder, String> {
        self.holders
            .get(id)
            .cloned()
            .ok_or_else(|| format!("there is nothing with the number {id} at this stop"))
    }
}
