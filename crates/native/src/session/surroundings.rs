//! What a program that is started finds around it.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use watchword_debug::{Error, ErrorKind, Launch, Result};

/// What a program that is started finds around it. What is not set here is inherited.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The directory it is started in.
    pub directory: Option<PathBuf>,
    /// Variables of its environment; `None` takes one away.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// Standard input, output and error.
    pub streams: [Option<Arc<OwnedFd>>; 3],
}

impl Surroundings {
    /// Sets a variable of the environment, or takes it away.
    pub fn set_variable(&mut self, name: &str, value: Option<&str>) {
        self.environment.retain(|(key, _)| key != name);
        self.environment.push((name.into(), value.map(OsString::from)));
    }

    /// The variables that the program finds, with what is inherited.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let named = |key: &OsString| self.environment.iter().any(|(k, _)| k == key);
        let mut all: Vec<_> = std::env::vars_os().filter(|(key, _)| !named(key)).collect();
        let own = self.environment.iter().filter_map(|(k, v)| Some((k.clone(), v.clone()?)));
        all.extend(own);
        all.sort();
        all
    }

    pub(super) fn prepare(&self, mut launch: Launch) -> Result<Launch> {
        if let Some(directory) = &self.directory {
            launch = launch.cwd(directory);
        }
        if !self.environment.is_empty() {
            let named = |key: &OsString| self.environment.iter().any(|(k, _)| k == key);
            launch = launch.env_clear();
            for (key, value) in std::env::vars_os().filter(|(k, _)| !named(k)) {
                launch = launch.env(key, value);
            }
            for (key, value) in &self.environment {
                if let Some(value) = value {
                    launch = launch.env(key, value);
                }
            }
        }
        let again = |stream: &Arc<OwnedFd>| {
            let failed =
                |e: std::io::Error| Error::new(ErrorKind::Launch, format!("a stream: {e}"));
            stream.try_clone().map_err(failed)
        };
        if let Some(stream) = &self.streams[0] {
            launch = launch.stdin(again(stream)?);
        }
        if let Some(stream) = &self.streams[1] {
            launch = launch.stdout(again(stream)?);
        }
        if let Some(stream) = &self.streams[2] {
            launch = launch.stderr(again(stream)?);
        }
        Ok(launch)
    }
}
