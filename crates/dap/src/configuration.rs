//! What an editor says about a program it wants to debug: an entry of its `launch.json`.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::Value;

use crate::protocol::message::{Request, number};

/// How a program is started or joined, and what it is watched with.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The program.
    pub program: Option<OsString>,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The directory it is started in.
    pub cwd: Option<PathBuf>,
    /// Variables of its environment; `None` takes one away.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// A file that is its standard input; without, there is none.
    pub input: Option<PathBuf>,
    /// A running process that is joined instead.
    pub process: Option<i32>,
    /// Property files, and shipped properties.
    pub properties: Vec<String>,
    /// A scenario.
    pub scenario: Option<String>,
    /// Whether the person has the word before the program does anything.
    pub stop_on_entry: bool,
    /// Commands of the prompt that are run before the program goes on.
    pub commands: Vec<String>,
}

impl Configuration {
    /// Takes over what a `launch` or `attach` request says; what it does not mention stays.
    ///
    /// # Errors
    /// If something has the wrong type.
    pub fn take(&mut self, request: &Request) -> Result<(), String> {
        for (key, value) in &request.arguments {
            let wrong = |what: &str| Err(format!("`{key}` has to be {what}"));
            match key.as_str() {
                "program" => match value.as_str() {
                    Some(text) => {
                        self.program = Some(text.into());
                        self.args = Vec::new();
                    }
                    None => return wrong("a text"),
                },
                "cwd" => match value.as_str() {
                    Some("") => {}
                    Some(text) => self.cwd = Some(text.into()),
                    None => return wrong("a text"),
                },
                "stdin" => match value.as_str() {
                    Some(text) => self.input = Some(text.into()),
                    None => return wrong("a text, the name of a file"),
                },
                "scenario" => match value.as_str() {
                    Some("") => {}
                    Some(text) => self.scenario = Some(text.to_string()),
                    None => return wrong("a text, the name of a file"),
                },
                "stopOnEntry" => match value.as_bool() {
                    Some(yes) => self.stop_on_entry = yes,
                    None => return wrong("true or false"),
                },
                "env" => match environment(value) {
                    Some(all) => self.env = all,
                    None => return wrong("an object of texts, or a list of NAME=VALUE"),
                },
                "pid" | "processId" => {
                    // Editors fill in what the person picked, as text.
                    let picked = number(value).or_else(|| value.as_str()?.trim().parse().ok());
                    match picked.and_then(|n| i32::try_from(n).ok()).filter(|n| *n > 0) {
                        Some(pid) => self.process = Some(pid),
                        None => return wrong("the number of a process"),
                    }
                }
                _ => {}
            }
        }
        // The program sets them anew, so they come afterwards.
        for (key, value) in &request.arguments {
            let wrong = || Err(format!("`{key}` has to be a list of texts"));
            match key.as_str() {
                "args" => match texts(value) {
                    Some(all) => self.args = all.into_iter().map(Into::into).collect(),
                    None => return wrong(),
                },
                "properties" | "property" => match texts(value) {
                    Some(all) => self.properties = all,
                    None => return wrong(),
                },
                "commands" => match texts(value) {
                    Some(all) => self.commands = all,
                    None => return wrong(),
                },
                _ => {}
            }
        }
        Ok(())
    }

    /// The program and its arguments.
    pub fn command(&self) -> Option<Vec<OsString>> {
        let program = self.program.clone()?;
        Some(std::iter::once(program).chain(self.args.iter().cloned()).collect())
    }
}

/// A list of texts; a single text is a list, too.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(all) => all.iter().map(|v| v.as_str().map(str::to_string)).collect(),
        _ => None,
    }
}

fn environment(value: &Value) -> Option<Vec<(OsString, Option<OsString>)>> {
    match value {
        Value::Object(all) => all
            .iter()
            .map(|(key, value)| match value {
                Value::Null => Some((key.into(), None)),
                Value::String(text) => Some((key.into(), Some(text.into()))),
                Value::Number(n) => Some((key.into(), Some(n.to_string().into()))),
                _ => None,
            })
            .collect(),
        Value::Array(all) => all
            .iter()
            .map(|v| v.as_str()?.split_once('=').map(|(k, v)| (k.into(), Some(v.into()))))
            .collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn taken(arguments: Value) -> Result<Configuration, String> {
        let Value::Object(arguments) = arguments else { unreachable!() };
        let mut configuration = Configuration {
            program: Some("a".into()),
            args: vec!["1".into()],
            ..Default::default()
        };
        let request = Request { number: 1, command: "launch".into(), arguments };
        configuration.take(&request).map(|()| configuration)
    }

    #[test]
    fn what_is_not_mentioned_stays() {
        let same = taken(json!({"noDebug": false})).unwrap();
        assert_eq!(same.command().unwrap(), ["a", "1"]);
        let other = taken(json!({"args": ["x"], "program": "b"})).unwrap();
        assert_eq!(other.command().unwrap(), ["b", "x"]);
        assert_eq!(taken(json!({"program": "b"})).unwrap().command().unwrap(), ["b"]);
        let watched = taken(json!({"properties": "q.ww", "env": {"A": "1", "B": null}})).unwrap();
        assert_eq!(watched.properties, ["q.ww"]);
        assert_eq!(watched.env.len(), 2);
        assert_eq!(taken(json!({"pid": "42"})).unwrap().process, Some(42));
    }

    #[test]
    fn wrong_types_are_refused() {
        for wrong in [
            json!({"program": 7}),
            json!({"args": [1]}),
            json!({"env": ["x"]}),
            json!({"pid": "x"}),
            json!({"stopOnEntry": "yes"}),
        ] {
            assert!(taken(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
