//! Where properties and scenarios come from.

use watchword_model::Model;
use watchword_spec::SourceFile;

use crate::error::{Error, Result, bail};

/// Property files that were read.
#[derive(Debug)]
pub struct Read {
    /// The model, if the files have no error.
    pub model: Option<Model>,
    /// What is to be said about the files: rendered diagnostics.
    pub diagnostics: Vec<String>,
}

/// Reads property files and scenarios by the names people use for them.
pub trait Properties {
    /// Reads property files.
    ///
    /// `functions` names a file of Python functions for properties in Verde's language; it stays in
    /// use for later calls.
    ///
    /// # Errors
    /// If a file cannot be read. Mistakes inside files are diagnostics.
    fn load(&mut self, names: &[String], functions: Option<&str>) -> Result<Read>;

    /// Files that are loaded from now on are named by commands: settings that were meant for those
    /// named before do not concern them.
    fn named_by_commands(&mut self) {}

    /// Reads the text of a file.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&mut self, name: &str) -> Result<String>;
}

/// For sessions without properties.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProperties;

impl Properties for NoProperties {
    fn load(&mut self, names: &[String], _: Option<&str>) -> Result<Read> {
        bail!("{}: properties cannot be loaded here", names.join(", "))
    }

    fn read(&mut self, name: &str) -> Result<String> {
        Err(Error::new(format!("{name}: files cannot be read here")))
    }
}

/// Reads files from the disk, by their paths. Property files do not import others.
#[derive(Clone, Copy, Debug, Default)]
pub struct PropertyFiles;

impl Properties for PropertyFiles {
    fn load(&mut self, names: &[String], _: Option<&str>) -> Result<Read> {
        let mut files = Vec::new();
        for name in names {
            let text = self.read(name)?;
            files.push(SourceFile::new(name, &text));
        }
        let loaded = watchword_spec::load(&files, &|_, _| Err("imports are not read here".into()));
        let errors = loaded.diagnostics.iter().filter(|d| d.is_error());
        let diagnostics = errors.map(|d| d.render(&loaded.files, false)).collect();
        Ok(Read { model: loaded.model, diagnostics })
    }

    fn read(&mut self, name: &str) -> Result<String> {
        std::fs::read_to_string(name).map_err(|e| Error::new(format!("{name}: {e}")))
    }
}
