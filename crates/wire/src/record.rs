//! What an agent tells.

use std::io::{ErrorKind, Read};
use std::sync::Arc;

use watchword_model::{Location, PropertyId, StateId, Value};
use watchword_monitor::{
    Cause, Limit, Merged, Move, NotRelevant, PropertyTotals, Puzzle, Puzzled, Report, ReportKind,
    Step, Strangers, Totals, Unmonitored,
};

use crate::bundle::OTHER_BUILD;
use crate::code::{Input, VERSION, Wire, WireError, wire_enum, wire_struct, wrong};

/// A frame is at most this long: histories and stacks are bounded.
const MAX_FRAME: u32 = 256 << 20;

/// One thing an agent has to tell.
#[derive(Clone, Debug)]
pub enum Record {
    /// It is there: the process and what kind of VM it is in.
    Started {
        /// The process.
        pid: u32,
        /// The VM, for people.
        vm: String,
    },
    /// A violation that was not told yet.
    Found(Box<Found>),
    /// A property printed a line.
    Printed(String),
    /// Something a person should know.
    Warning(String),
    /// Monitoring could not go on; the program did.
    Failed(String),
    /// The program has ended.
    Finished(Box<Ending>),
    /// What instances did, for somebody who looks at them.
    Shown(Box<Shown>),
}

/// What instances did since the last time.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Their moves.
    pub moves: Vec<Merged>,
    /// The instances of properties; listed from time to time.
    pub slices: Vec<Slices>,
    /// How many events there were so far.
    pub events: u64,
    /// Nanoseconds that the engine took for them.
    pub spent: u64,
}

/// The instances of a property.
#[derive(Clone, Debug)]
pub struct Slices {
    /// The property.
    pub property: PropertyId,
    /// How many there are.
    pub total: u64,
    /// All of them, unless there are too many to list.
    pub listed: Vec<Slice>,
}

/// An instance.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Its parameters.
    pub binding: Vec<(Arc<str>, Value)>,
    /// Its state, if it has any.
    pub state: Option<StateId>,
    /// Its variables.
    pub variables: Vec<(Arc<str>, Value)>,
}

/// A report that is listed.
#[derive(Clone, Debug)]
pub struct Found {
    /// What was reported.
    pub report: Report,
    /// Where it happened.
    pub location: Option<Arc<Location>>,
    /// The name of the thread.
    pub thread: Option<String>,
    /// The stack of that thread, innermost frame first.
    pub stack: Vec<Location>,
    /// Whether no limit was hit before that may have led to it.
    pub certain: bool,
    /// The test that the thread was in.
    pub test: Option<String>,
    /// Whether that test expected what came of it.
    pub expected: bool,
}

/// What is known at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// The counts. Violations are numbered in the order in which they were told.
    pub totals: Totals,
    /// Classes that were loaded while the agent listened.
    pub classes: u64,
    /// Classes that were woven.
    pub woven: u64,
    /// Nanoseconds spent weaving.
    pub weaving: u64,
}

impl Record {
    /// The record with its length in front.
    pub fn to_frame(&self) -> Vec<u8> {
        let mut out = vec![0; 4];
        VERSION.put(&mut out);
        self.put(&mut out);
        let length = out.len() as u32 - 4;
        out[..4].copy_from_slice(&length.to_le_bytes());
        out
    }
}

/// Reads the next record; `None` at the end of the stream.
///
/// # Errors
/// If the stream cannot be read, ends within a record, or does not hold records of this version.
pub fn read_record(stream: &mut impl Read) -> std::result::Result<Option<Record>, WireError> {
    let mut length = [0; 4];
    let mut have = 0;
    while have < 4 {
        match stream.read(&mut length[have..]) {
            Ok(0) if have == 0 => return Ok(None),
            Ok(0) => return wrong("the records end within a record"),
            Ok(n) => have += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_FRAME {
        return wrong("this is not a file of records");
    }
    let mut bytes = Vec::new();
    stream.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() != length as usize {
        return wrong("the records end within a record");
    }
    let mut from = Input::new(&bytes);
    if u32::get(&mut from)? != VERSION {
        return wrong(OTHER_BUILD);
    }
    let record = Record::get(&mut from)?;
    if from.rest.is_empty() { Ok(Some(record)) } else { wrong("a record has bytes left over") }
}

wire_struct!(Found { report, location, thread, stack, certain, test, expected });
wire_struct!(Shown { moves, slices, events, spent });
wire_struct!(Move { property, from, to, binding, event, args, cause, index, time });
wire_struct!(Slices { property, total, listed });
wire_struct!(Slice { binding, state, variables });
wire_struct!(Ending { totals, classes, woven, weaving });
wire_struct!(Totals { properties, counts, events, not_relevant, puzzles, limits });
wire_struct!(PropertyTotals {
    sites,
    events,
    instances,
    peak,
    violations,
    certain,
    satisfactions,
    by_event,
});
wire_struct!(Puzzled { first, location, times });
wire_struct!(Puzzle { property, index, why });
wire_struct!(Strangers { were_analysed, count, first, since, silenced, refute_proof });
wire_struct!(Report { property, kind, cause, index, time, binding, state, message, history, cut });
wire_struct!(Step { index, event, args, time, thread, location, state });

wire_enum!(ReportKind { 0 => Violation, 1 => Satisfaction });
wire_enum!(Cause { 0 => Event, 1 => Channel, 2 => Time, 3 => EndOfLife, 4 => End });
wire_enum!(NotRelevant {
    0 => Overflow,
    1 => DivisionByZero,
    2 => WrongKind,
    3 => NoAnswer,
    4 => Limit,
    5 => Memory,
    6 => Endless,
});
wire_enum!(Record {
    0 => Started { pid, vm },
    1 => Found(found),
    2 => Printed(text),
    3 => Warning(text),
    4 => Failed(text),
    5 => Finished(ending),
    6 => Shown(shown),
});
wire_enum!(Limit {
    0 => Instances { property, discarded, since },
    1 => Evaluations { property, instances, since, why },
    2 => Sends { discarded },
    3 => Unlisted { violations },
    4 => Unprinted { lines },
    5 => Unread { why },
    6 => TraceCut,
    7 => Unmonitored(why),
    8 => Strangers(strangers),
    9 => Unsound { analysis, silenced },
    10 => Gap { since },
    11 => Traceless,
});
wire_enum!(Unmonitored {
    0 => Left,
    1 => NotStarted,
    2 => EndedEarly,
    3 => Failed(why),
});

#[cfg(test)]
mod tests {
    use watchword_model::EventId;

    use super::*;

    fn sample() -> Vec<Record> {
        let location = Some(Arc::new(Location {
            file: Some("A.java".into()),
            line: Some(9),
            function: Some("A.m".into()),
        }));
        let step = Step {
            index: 3,
            event: Some(EventId(2)),
            args: vec![Value::object(7), Value::str("x"), Value::Float(f64::NAN)],
            time: None,
            thread: Some(1),
            location: location.clone(),
            state: StateId(1),
        };
        let report = Report {
            property: PropertyId(0),
            kind: ReportKind::Violation,
            cause: Cause::EndOfLife,
            index: 4,
            time: Some(-5),
            binding: vec![("c".into(), Value::List(Arc::new(vec![Value::Int(1)])))],
            state: StateId(2),
            message: "gone".into(),
            history: vec![step],
            cut: true,
        };
        let stack = vec![Location::default()];
        vec![
            Record::Started { pid: 17, vm: "17.0.1".into() },
            Record::Found(Box::new(Found {
                report,
                location,
                thread: Some("main".into()),
                stack,
                certain: false,
                test: Some("ATest.m".into()),
                expected: true,
            })),
            Record::Printed("a line".into()),
            Record::Warning("a word".into()),
            Record::Failed("no room".into()),
            Record::Finished(Box::new(Ending { totals: totals(), ..Ending::default() })),
            Record::Shown(Box::new(shown())),
        ]
    }

    fn shown() -> Shown {
        let binding: Vec<(Arc<str>, Value)> = vec![("c".into(), Value::object(7))];
        let step = Move {
            property: PropertyId(0),
            from: StateId(0),
            to: None,
            binding: binding.clone(),
            event: Some(EventId(1)),
            args: vec![Value::Int(3)],
            cause: Cause::Event,
            index: 5,
            time: None,
        };
        let slice = Slice { binding: binding.clone(), state: Some(StateId(2)), variables: binding };
        let slices = Slices { property: PropertyId(0), total: 1, listed: vec![slice] };
        Shown { moves: vec![(4, step)], slices: vec![slices], events: 9, spent: 700 }
    }

    fn totals() -> Totals {
        let property = PropertyId(1);
        let first = Puzzle { property, index: 3, why: NotRelevant::Limit };
        let first_class = "a.B".to_owned();
        let strangers = Strangers {
            were_analysed: true,
            count: 2,
            first: first_class,
            since: 250,
            silenced: vec![property],
            refute_proof: false,
        };
        Totals {
            properties: vec![PropertyTotals {
                sites: Some(3),
                instances: Some(2),
                by_event: vec![(EventId(1), 7)],
                ..PropertyTotals::default()
            }],
            counts: vec![2],
            events: 9,
            not_relevant: 1,
            puzzles: vec![Puzzled { first, location: None, times: 4 }],
            limits: vec![
                Limit::Instances { property, discarded: 3, since: 2 },
                Limit::Evaluations { property, instances: 4, since: 1, why: NotRelevant::Overflow },
                Limit::Sends { discarded: 1 },
                Limit::Unlisted { violations: 8 },
                Limit::Unprinted { lines: 2 },
                Limit::Unread { why: "no room".into() },
                Limit::TraceCut,
                Limit::Traceless,
                Limit::Gap { since: 3 },
                Limit::Unmonitored(Unmonitored::Left),
                Limit::Unmonitored(Unmonitored::NotStarted),
                Limit::Unmonitored(Unmonitored::EndedEarly),
                Limit::Unmonitored(Unmonitored::Failed("why".into())),
                Limit::Strangers(strangers),
                Limit::Unsound { analysis: "paper".into(), silenced: vec![property] },
            ],
        }
    }

    #[test]
    fn what_is_told_is_heard() {
        let told = sample();
        let bytes: Vec<u8> = told.iter().flat_map(Record::to_frame).collect();
        let mut stream = &bytes[..];
        for record in &told {
            let heard = read_record(&mut stream).unwrap().unwrap();
            assert_eq!(format!("{heard:?}"), format!("{record:?}"));
        }
        assert!(read_record(&mut stream).unwrap().is_none());
    }

    #[test]
    fn damaged_records_are_refused() {
        for record in sample() {
            let bytes: Vec<u8> = record.to_frame();
            for end in 1..bytes.len() {
                assert!(read_record(&mut &bytes[..end]).is_err());
            }
            for at in 0..bytes.len() {
                for change in [1, 0x55, 0xff] {
                    let mut bytes = bytes.clone();
                    bytes[at] ^= change;
                    let _ = read_record(&mut &bytes[..]);
                }
            }
        }
    }
}
