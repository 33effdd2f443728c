//! Events on their way to an engine elsewhere.

use std::sync::Arc;

use watchword_model::{EventId, Location, PropertyId, Time, Value};

use crate::code::{Input, Wire, WireError, wire_struct};

/// An event on its way from whoever reads a trace to an engine that has instances it concerns.
#[derive(Clone, Debug)]
pub struct Carried {
    /// When it happened.
    pub time: Time,
    /// The number of its trace.
    pub trace: usize,
    /// Its number in the trace.
    pub number: u64,
    /// The event; `None`: nothing but time has passed.
    pub event: Option<EventId>,
    /// The properties it is for; `None` stands for all.
    pub only: Option<Vec<PropertyId>>,
    /// The arguments.
    pub args: Vec<Value>,
    /// The line of the trace.
    pub line: Option<u32>,
    /// The place in a program, where the trace tells it.
    pub place: Option<Arc<Location>>,
}

wire_struct!(Carried { time, trace, number, event, only, args, line, place });

impl Carried {
    /// Appends it to bytes.
    pub fn put(&self, out: &mut Vec<u8>) {
        Wire::put(self, out);
    }

    /// Takes the first one off bytes; `None` if there are no bytes.
    ///
    /// # Errors
    /// If the bytes are something else.
    pub fn take(bytes: &mut &[u8]) -> Result<Option<Carried>, WireError> {
        if bytes.is_empty() {
            return Ok(None);
        }
        let mut from = Input::new(bytes);
        let carried = Wire::get(&mut from)?;
        *bytes = from.rest;
        Ok(Some(carried))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_taken() {
        let first = Carried {
            time: -3,
            trace: 1,
            number: 700,
            event: Some(EventId(2)),
            only: Some(vec![PropertyId(4)]),
            args: vec![Value::Int(1), Value::str("a"), Value::Float(f64::INFINITY), Value::Null],
            line: Some(9),
            place: None,
        };
        let second = Carried { event: None, only: None, args: Vec::new(), ..first.clone() };
        let mut bytes = Vec::new();
        first.put(&mut bytes);
        second.put(&mut bytes);
        let mut rest = &bytes[..];
        for expected in [&first, &second] {
            let taken = Carried::take(&mut rest).unwrap().unwrap();
            assert_eq!(format!("{taken:?}"), format!("{expected:?}"));
        }
        assert!(Carried::take(&mut rest).unwrap().is_none());
        for end in 1..bytes.len() {
            let mut rest = &bytes[..end];
            let taken = Carried::take(&mut rest);
            assert!(taken.is_err() || Carried::take(&mut rest).is_err() || rest.is_empty());
        }
    }
}
