//! Property files for a session, read as the command line reads them.

use watchword_session::{Error, Properties, Read};
use watchword_spec::classes::NoClasses;

use crate::args::{Global, Reading};
use crate::properties;

/// Reads property files and shipped properties.
#[derive(Clone, Debug)]
pub struct Loader {
    reading: Reading,
    global: Global,
}

impl Loader {
    /// Reads files this way.
    pub fn new(reading: &Reading, global: &Global) -> Loader {
        Loader { reading: reading.clone(), global: global.clone() }
    }
}

fn words(error: anyhow::Error) -> Error {
    Error::new(format!("{error:#}"))
}

impl Properties for Loader {
    fn load(&mut self, names: &[String], functions: Option<&str>) -> Result<Read, Error> {
        if let Some(functions) = functions {
            self.reading.functions = vec![functions.to_string()];
        }
        let loaded = properties::load(names, &self.reading, &NoClasses).map_err(words)?;
        let loaded = properties::for_programs(loaded);
        let (model, diagnostics) = properties::judged(names, loaded, &self.global);
        match model {
            Ok((model, _)) => Ok(Read { model: Some(model), diagnostics }),
            Err(e) if e.is::<crate::Reported>() => Ok(Read { model: None, diagnostics }),
            Err(e) => Err(words(e)),
        }
    }

    fn named_by_commands(&mut self) {
        self.reading.set.clear();
        self.reading.bind.clear();
    }

    fn read(&mut self, name: &str) -> Result<String, Error> {
        properties::read(name).map_err(words)
    }
}
