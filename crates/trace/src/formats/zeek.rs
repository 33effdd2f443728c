//! Zeek's logs: rows between tabs below lines with `#`, one of which names the columns.

use super::rows::Rows;
use super::tsv::Tabs;
use super::{Around, Line, LineFormat, Result};
use crate::record::Record;

/// Reads rows below `#fields`.
#[derive(Clone)]
pub struct Zeek(Rows<Tabs>);

impl Default for Zeek {
    fn default() -> Zeek {
        Zeek(Rows::below("-", Tabs))
    }
}

impl LineFormat for Zeek {
    fn copy(&self) -> Box<dyn LineFormat> {
        Box::new(self.clone())
    }

    /// Names of columns may come again.
    fn is_settled(&self) -> bool {
        false
    }

    fn columns(&self) -> Vec<&str> {
        self.0.columns()
    }

    fn read(&mut self, line: &str, record: &mut Record, around: &mut Around<'_>) -> Result<Line> {
        if let Some(names) = line.strip_prefix("#fields\t") {
            self.0.header(names, record, around)?;
            return Ok(Line::Header);
        }
        match line.starts_with('#') {
            true => Ok(Line::Comment),
            false => self.0.read(line, record, around),
        }
    }
}
