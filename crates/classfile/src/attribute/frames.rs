//! The `StackMapTable` attribute.

use crate::bytes::{Cursor, put_count, put_u2};
use crate::error::{Error, Result};

/// A verification type as the attribute stores it: classes are pool indices, uninitialised objects
/// the bytecode offset of their `new`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of the JVM specification")]
pub enum FrameType {
    Top,
    Integer,
    Float,
    Double,
    Long,
    Null,
    UninitializedThis,
    /// `Class` index.
    Object(u16),
    /// Offset of the `new` instruction.
    Uninitialized(u16),
}

impl FrameType {
    fn parse(c: &mut Cursor<'_>) -> Result<FrameType> {
        const WHAT: &str = "a verification type";
        let offset = c.offset();
        Ok(match c.u1(WHAT)? {
            0 => FrameType::Top,
            1 => FrameType::Integer,
            2 => FrameType::Float,
            3 => FrameType::Double,
            4 => FrameType::Long,
            5 => FrameType::Null,
            6 => FrameType::UninitializedThis,
            7 => FrameType::Object(c.u2(WHAT)?),
            8 => FrameType::Uninitialized(c.u2(WHAT)?),
            other => {
                return Err(Error::malformed(
                    offset,
                    format!("expected a verification type (0 to 8), found {other}"),
                ));
            }
        })
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        match self {
            FrameType::Top => out.push(0),
            FrameType::Integer => out.push(1),
            FrameType::Float => out.push(2),
            FrameType::Double => out.push(3),
            FrameType::Long => out.push(4),
            FrameType::Null => out.push(5),
            FrameType::UninitializedThis => out.push(6),
            FrameType::Object(class) => {
                out.push(7);
                put_u2(out, class);
            }
            FrameType::Uninitialized(offset) => {
                out.push(8);
                put_u2(out, offset);
            }
        }
    }

    /// Local-variable slots a value of this type takes.
    pub fn slots(self) -> usize {
        if matches!(self, FrameType::Long | FrameType::Double) { 2 } else { 1 }
    }
}

/// What a stack-map frame says, in the compact form it was stored in.
///
/// Compact forms describe the locals relative to the previous frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FrameKind {
    /// Same locals, empty stack.
    Same,
    /// Same locals, one value on the stack.
    SameLocals1(FrameType),
    /// The last 1 to 3 locals are gone, empty stack.
    Chop(u8),
    /// 1 to 3 more locals, empty stack.
    Append(Vec<FrameType>),
    /// Everything spelt out.
    Full {
        /// Types of the locals; `Long` and `Double` take two slots but one entry.
        locals: Vec<FrameType>,
        /// Types on the stack, deepest first.
        stack: Vec<FrameType>,
    },
}

/// A stack-map frame at a bytecode offset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Bytecode offset the frame describes.
    pub offset: u32,
    /// Whether `Same` or `SameLocals1` was stored with a 16-bit delta although it need not be.
    pub extended: bool,
    /// What it says.
    pub kind: FrameKind,
}

/// A zero-copy `StackMapTable`.
#[derive(Clone, Copy, Debug)]
pub struct StackMapTable<'a> {
    count: u16,
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> StackMapTable<'a> {
    pub(crate) fn parse(info: &'a [u8], offset: usize) -> Result<StackMapTable<'a>> {
        let mut c = Cursor::new(info, offset);
        let count = c.u2("a frame count")?;
        let (offset, bytes) = (c.offset(), c.take(c.remaining(), "frames")?);
        Ok(StackMapTable { count, bytes, offset })
    }

    /// Number of frames as stored.
    pub fn len(&self) -> usize {
        self.count.into()
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The frames in order; ends after the first error.
    pub fn iter(&self) -> Frames<'a> {
        Frames {
            cursor: Cursor::new(self.bytes, self.offset),
            left: self.count,
            previous: None,
            failed: false,
        }
    }
}

/// Iterator over the frames of a [`StackMapTable`].
pub struct Frames<'a> {
    cursor: Cursor<'a>,
    left: u16,
    previous: Option<u32>,
    failed: bool,
}

impl Frames<'_> {
    fn read(&mut self) -> Result<Frame> {
        const WHAT: &str = "a stack-map frame";
        let c = &mut self.cursor;
        let at = c.offset();
        let tag = c.u1(WHAT)?;
        let (delta, extended, kind) = match tag {
            0..=63 => (u16::from(tag), false, FrameKind::Same),
            64..=127 => (u16::from(tag - 64), false, FrameKind::SameLocals1(FrameType::parse(c)?)),
            247 => {
                let delta = c.u2(WHAT)?;
                (delta, true, FrameKind::SameLocals1(FrameType::parse(c)?))
            }
            248..=250 => (c.u2(WHAT)?, false, FrameKind::Chop(251 - tag)),
            251 => (c.u2(WHAT)?, true, FrameKind::Same),
            252..=254 => {
                let delta = c.u2(WHAT)?;
                let types = read_types(c, u16::from(tag - 251))?;
                (delta, false, FrameKind::Append(types))
            }
            255 => {
                let delta = c.u2(WHAT)?;
                let locals = c.u2(WHAT)?;
                let locals = read_types(c, locals)?;
                let stack = c.u2(WHAT)?;
                let stack = read_types(c, stack)?;
                (delta, false, FrameKind::Full { locals, stack })
            }
            other => {
                return Err(Error::malformed(
                    at,
                    format!("expected a stack-map frame tag, found the reserved {other}"),
                ));
            }
        };
        let delta = u32::from(delta);
        let offset = self.previous.map_or(delta, |previous| previous + delta + 1);
        if offset > 0xffff {
            return Err(Error::malformed(
                at,
                format!("expected a bytecode offset, found {offset}"),
            ));
        }
        self.previous = Some(offset);
        Ok(Frame { offset, extended, kind })
    }
}

fn read_types(c: &mut Cursor<'_>, count: u16) -> Result<Vec<FrameType>> {
    // Each type takes at least a byte, so a lying count cannot reserve more than the input's size.
    let mut types = Vec::with_capacity(usize::from(count).min(c.remaining()));
    for _ in 0..count {
        types.push(FrameType::parse(c)?);
    }
    Ok(types)
}

impl Iterator for Frames<'_> {
    type Item = Result<Frame>;

    fn next(&mut self) -> Option<Result<Frame>> {
        if self.failed {
            return None;
        }
        let item = if self.left == 0 {
            self.failed = true;
            match self.cursor.finish("the StackMapTable") {
                Ok(()) => return None,
                Err(error) => Err(error),
            }
        } else {
            self.left -= 1;
            self.read()
        };
        self.failed |= item.is_err();
        Some(item)
    }
}

/// Writes frames, sorted by offset, as the contents of a `StackMapTable`. Forms are kept; only
/// deltas are recomputed.
pub fn write_frames<'f>(
    frames: impl ExactSizeIterator<Item = &'f Frame>,
    out: &mut Vec<u8>,
) -> Result<()> {
    put_count(out, frames.len(), "stack-map frames")?;
    let mut previous: Option<u32> = None;
    for frame in frames {
        let delta = match previous {
            None => Some(frame.offset),
            Some(previous) => frame.offset.checked_sub(previous + 1),
        };
        let delta = delta.and_then(|d| u16::try_from(d).ok()).ok_or_else(|| {
            Error::edit(format!("two stack-map frames at or around offset {}", frame.offset))
        })?;
        previous = Some(frame.offset);
        match &frame.kind {
            FrameKind::Same if delta < 64 && !frame.extended => out.push(delta as u8),
            FrameKind::Same => {
                out.push(251);
                put_u2(out, delta);
            }
            FrameKind::SameLocals1(value) => {
                if delta < 64 && !frame.extended {
                    out.push(64 + delta as u8);
                } else {
                    out.push(247);
                    put_u2(out, delta);
                }
                value.write(out);
            }
            FrameKind::Chop(count) => {
                debug_assert!((1..=3).contains(count));
                out.push(251 - count);
                put_u2(out, delta);
            }
            FrameKind::Append(types) => {
                debug_assert!((1..=3).contains(&types.len()));
                out.push(251 + types.len() as u8);
                put_u2(out, delta);
                types.iter().for_each(|t| t.write(out));
            }
            FrameKind::Full { locals, stack } => {
                out.push(255);
                put_u2(out, delta);
                for types in [locals, stack] {
                    put_count(out, types.len(), "types in a frame")?;
                    types.iter().for_each(|t| t.write(out));
                }
            }
        }
    }
    Ok(())
}
