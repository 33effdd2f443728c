//! Kinds of records: named events, and one kind per program point.

use watchword_model::{JoinPoint, JvmWhen, NativePoint, NativeWhen};

/// What the name of a record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// Nothing: the record has no name.
    None,
    /// An event.
    Event,
    /// A call, before it.
    Call,
    /// A call that returned.
    Return,
    /// A call that threw.
    Throw,
    /// An execution, at its beginning.
    Enter,
    /// An execution that returned.
    Exit,
    /// An execution that threw.
    Unwind,
    /// A read of a field.
    Get,
    /// A write of a field.
    Set,
    /// A read of an array element.
    ArrayRead,
    /// A write of an array element.
    ArrayWrite,
    /// An allocation.
    New,
    /// A checked cast.
    Cast,
    /// Entering a monitor.
    Lock,
    /// Leaving a monitor.
    Unlock,
    /// A conditional branch.
    Branch,
    /// A basic block.
    Block,
    /// An instruction.
    Opcode,
    /// An exception handler.
    Handler,
    /// A class initialiser.
    ClassInit,
    /// The start of a thread.
    ThreadStart,
    /// A write of a variable of a native program.
    Write,
    /// A read of one.
    Read,
    /// A change of an expression's value.
    Update,
}

impl Point {
    /// How many there are.
    pub const COUNT: usize = Point::Update as usize + 1;

    /// The key whose value is the name of such a record.
    pub const KEYS: [(&'static str, Point); Point::COUNT - 1] = [
        ("event", Point::Event),
        ("call", Point::Call),
        ("return", Point::Return),
        ("throw", Point::Throw),
        ("enter", Point::Enter),
        ("exit", Point::Exit),
        ("unwind", Point::Unwind),
        ("get", Point::Get),
        ("set", Point::Set),
        ("aload", Point::ArrayRead),
        ("astore", Point::ArrayWrite),
        ("new", Point::New),
        ("cast", Point::Cast),
        ("lock", Point::Lock),
        ("unlock", Point::Unlock),
        ("branch", Point::Branch),
        ("block", Point::Block),
        ("opcode", Point::Opcode),
        ("handler", Point::Handler),
        ("clinit", Point::ClassInit),
        ("start", Point::ThreadStart),
        ("write", Point::Write),
        ("read", Point::Read),
        ("update", Point::Update),
    ];

    /// The kind of record that key makes. Written out, because it runs for every key of a record.
    #[inline]
    pub fn of_key(key: &str) -> Option<Point> {
        Some(match key {
            "event" => Point::Event,
            "call" => Point::Call,
            "return" => Point::Return,
            "throw" => Point::Throw,
            "enter" => Point::Enter,
            "exit" => Point::Exit,
            "unwind" => Point::Unwind,
            "get" => Point::Get,
            "set" => Point::Set,
            "aload" => Point::ArrayRead,
            "astore" => Point::ArrayWrite,
            "new" => Point::New,
            "cast" => Point::Cast,
            "lock" => Point::Lock,
            "unlock" => Point::Unlock,
            "branch" => Point::Branch,
            "block" => Point::Block,
            "opcode" => Point::Opcode,
            "handler" => Point::Handler,
            "clinit" => Point::ClassInit,
            "start" => Point::ThreadStart,
            "write" => Point::Write,
            "read" => Point::Read,
            "update" => Point::Update,
            _ => return None,
        })
    }

    /// The key whose value is the name of such a record.
    pub fn key(self) -> &'static str {
        Point::KEYS.iter().find(|(_, point)| *point == self).map_or("", |(key, _)| key)
    }

    /// The records of a JVM program point, on that side of it. Where the same record stands for
    /// both sides, its `when` field tells them apart.
    pub fn of_jvm(point: &JoinPoint, when: JvmWhen) -> Option<Point> {
        Some(match (point, when) {
            (JoinPoint::Call(_), JvmWhen::Before) => Point::Call,
            (JoinPoint::Call(_), JvmWhen::After) => Point::Return,
            (JoinPoint::Call(_), JvmWhen::Throwing) => Point::Throw,
            (JoinPoint::Execution(_), JvmWhen::Before) => Point::Enter,
            (JoinPoint::Execution(_), JvmWhen::After) => Point::Exit,
            (JoinPoint::Execution(_), JvmWhen::Throwing) => Point::Unwind,
            (_, JvmWhen::Throwing) => return None,
            (JoinPoint::Get(_), _) => Point::Get,
            (JoinPoint::Set(_), _) => Point::Set,
            (JoinPoint::ArrayRead(_), _) => Point::ArrayRead,
            (JoinPoint::ArrayWrite(_), _) => Point::ArrayWrite,
            (JoinPoint::New(_), _) => Point::New,
            (JoinPoint::Cast(_), _) => Point::Cast,
            (JoinPoint::Lock(_), _) => Point::Lock,
            (JoinPoint::Unlock(_), _) => Point::Unlock,
            (JoinPoint::Branch, _) => Point::Branch,
            (JoinPoint::Block, _) => Point::Block,
            (JoinPoint::Opcode(_), _) => Point::Opcode,
            (JoinPoint::Handler(_), _) => Point::Handler,
            (JoinPoint::ClassInit(_), _) => Point::ClassInit,
            (JoinPoint::ThreadStart(_), _) => Point::ThreadStart,
        })
    }

    /// The records of a native program point, on that side of it.
    pub fn of_native(point: &NativePoint, when: NativeWhen) -> Point {
        match (point, when) {
            (NativePoint::Call(_), NativeWhen::Before) => Point::Call,
            (NativePoint::Call(_), NativeWhen::After) => Point::Return,
            (NativePoint::Write(_), _) => Point::Write,
            (NativePoint::Read(_), _) => Point::Read,
            (NativePoint::Update(_), _) => Point::Update,
        }
    }

    /// Whether records of this kind say by a `when` field on which side they are.
    pub fn has_sides(self) -> bool {
        !matches!(
            self,
            Point::None
                | Point::Event
                | Point::Call
                | Point::Return
                | Point::Throw
                | Point::Enter
                | Point::Exit
                | Point::Unwind
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_one_key() {
        for (key, point) in Point::KEYS {
            assert_eq!(Point::of_key(key), Some(point));
            assert_eq!(point.key(), key);
        }
    }
}
