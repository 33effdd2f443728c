//! What an agent tells.

use std::io::{ErrorKind, Read};
use std::sync::Arc;

use watchword_model::Location;
use watchword_monitor::{Cause, Report, ReportKind, Step};

use crate::bundle::OTHER_BUILD;
use crate::code::{Input, Result, VERSION, Wire, WireError, wire_enum, wire_struct, wrong};

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
    Finished(Box<Totals>),
}

/// A violation.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its number: positions in [`Totals::counts`].
    pub number: usize,
    /// What was reported.
    pub report: Report,
    /// Where it happened.
    pub location: Option<Arc<Location>>,
    /// The name of the thread.
    pub thread: Option<String>,
    /// The stack of that thread, innermost frame first.
    pub stack: Vec<Location>,
}

/// Counters at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Of the properties, in the order of the model.
    pub properties: Vec<PropertyTotals>,
    /// How often the violations were found that were told, by number.
    pub counts: Vec<u64>,
    /// Violations that were counted only.
    pub untold: u64,
    /// All events.
    pub events: u64,
    /// Limits that were hit, in words.
    pub limits: Vec<String>,
    /// Classes that are not as they were analysed before the run, in words.
    pub strangers: Vec<String>,
    /// Classes that were loaded while the agent listened.
    pub classes: u64,
    /// Classes that were woven.
    pub woven: u64,
    /// Guards and updates that were not relevant.
    pub not_relevant: u64,
    /// Nanoseconds spent weaving.
    pub weaving: u64,
}

/// Counters of a property.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertyTotals {
    /// Sites that can raise its events.
    pub sites: u64,
    /// Events it observed.
    pub events: u64,
    /// Instances that were created.
    pub instances: u64,
    /// Instances at a time.
    pub peak: u64,
    /// Violations.
    pub violations: u64,
    /// Satisfactions.
    pub satisfactions: u64,
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
        return wrong("these are no records of a run");
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

impl Wire for Record {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Record::Started { pid, vm } => {
                out.push(0);
                pid.put(out);
                vm.put(out);
            }
            Record::Found(found) => {
                out.push(1);
                found.put(out);
            }
            Record::Printed(text) => {
                out.push(2);
                text.put(out);
            }
            Record::Warning(text) => {
                out.push(3);
                text.put(out);
            }
            Record::Failed(text) => {
                out.push(4);
                text.put(out);
            }
            Record::Finished(totals) => {
                out.push(5);
                totals.put(out);
            }
        }
    }

    fn get(from: &mut Input<'_>) -> Result<Record> {
        Ok(match u8::get(from)? {
            0 => Record::Started { pid: Wire::get(from)?, vm: Wire::get(from)? },
            1 => Record::Found(Box::new(Wire::get(from)?)),
            2 => Record::Printed(Wire::get(from)?),
            3 => Record::Warning(Wire::get(from)?),
            4 => Record::Failed(Wire::get(from)?),
            5 => Record::Finished(Box::new(Wire::get(from)?)),
            _ => return wrong("there is no such record"),
        })
    }
}

wire_struct!(Found { number, report, location, thread, stack });
wire_struct!(PropertyTotals { sites, events, instances, peak, violations, satisfactions });
wire_struct!(Totals {
    properties,
    counts,
    untold,
    events,
    limits,
    strangers,
    classes,
    woven,
    not_relevant,
    weaving,
});
wire_struct!(Report { property, kind, cause, index, time, binding, state, message, history, cut });
wire_struct!(Step { index, event, args, time, thread, location, state });

wire_enum!(ReportKind { 0 => Violation, 1 => Satisfaction });
wire_enum!(Cause { 0 => Event, 1 => Channel, 2 => Time, 3 => EndOfLife, 4 => End });

#[cfg(test)]
mod tests {
    use watchword_model::{EventId, PropertyId, StateId, Value};

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
                number: 0,
                report,
                location,
                thread: Some("main".into()),
                stack,
            })),
            Record::Finished(Box::new(Totals { counts: vec![2], ..Totals::default() })),
        ]
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
        let bytes: Vec<u8> = sample()[1].to_frame();
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
