//! The trace: every event, in the order in which the monitors saw it, as `replay` reads it.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use watchword_model::{EventRef, Model, PropertyId, Time};
use watchword_trace::write::{self, Arguments, Beside, Objects};

use crate::ids::{ClassNumbers, serial};

/// A trace that is being written.
pub struct Trace {
    out: BufWriter<File>,
    model: Model,
    line: String,
}

impl Trace {
    /// Begins a trace.
    pub fn create(path: &Path, model: &Model) -> std::io::Result<Trace> {
        let out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        Ok(Trace { out, model: model.clone(), line: String::new() })
    }

    /// Adds an event; `only` if it does not exist for all properties. The death of an object has no site.
    pub fn write(
        &mut self,
        event: &EventRef<'_>,
        only: Option<&[PropertyId]>,
        seq: u64,
        site: Option<&str>,
        numbers: &ClassNumbers,
    ) -> std::io::Result<()> {
        let beside = Beside { arguments: Arguments::ByPosition, only, site, seq };
        self.line.clear();
        write::event(&mut self.line, &self.model, event, &beside, numbers);
        self.out.write_all(self.line.as_bytes())
    }

    /// The program has ended: says when, if time matters. Writes what is still in memory.
    pub fn finish(&mut self, ended: Option<Time>) -> std::io::Result<()> {
        if let Some(time) = ended {
            self.line.clear();
            write::end(&mut self.line, time);
            self.out.write_all(self.line.as_bytes())?;
        }
        self.out.flush()
    }
}

/// Traces know objects by their serial numbers; classes are in their identities.
impl Objects for ClassNumbers {
    fn object(&self, id: u64, _: Option<&str>) -> (u64, Option<Arc<str>>) {
        (serial(id), self.name(id))
    }
}
