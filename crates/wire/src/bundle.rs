//! The bundle: properties and settings for an agent.

use watchword_model::Model;
use watchword_monitor::Keep;

use crate::code::{Input, VERSION, Wire, WireError, fingerprint, wire_enum, wire_struct, wrong};

const MAGIC: &[u8; 8] = b"wwbundle";

/// Why an agent does not take a bundle, or a command line what an agent has told.
pub const OTHER_BUILD: &str = "the agent and the command line are of different builds of watchword: \
    start the program with `watchword java`, or make its environment again with `watchword env java`";

/// Everything an agent needs to know, in one file.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The events and properties.
    pub model: Model,
    /// What was asked for.
    pub settings: Settings,
}

/// What to do when a property is violated, besides reporting it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OnViolation {
    /// Nothing.
    #[default]
    Report,
    /// Throw an exception at the program point.
    Throw,
    /// End the program with this status.
    Exit(u32),
    /// Call a static method of a class: `void m(String property, String message)`.
    Call(String, String),
}

/// Where events of calls are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Events {
    /// At call sites.
    #[default]
    Caller,
    /// In the called methods.
    Callee,
}

/// What was asked for on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What to do on a violation.
    pub on_violation: OnViolation,
    /// Where call events are.
    pub events: Events,
    /// Patterns of classes to weave; those after a `!` are left out.
    pub scope: Vec<String>,
    /// Texts of files of silenced sites.
    pub silenced: Vec<String>,
    /// How many steps of history a report has.
    pub history: usize,
    /// How many instances of a property may live.
    pub max_instances: Option<usize>,
    /// How many bytes instances may take up.
    pub max_memory: Option<u64>,
    /// Which of them stay when there are more.
    pub keep: Keep,
    /// The number of different violations that are reported.
    pub max_violations: usize,
    /// Every report is sent, including satisfactions, without merging.
    pub unique: bool,
    /// How many frames of the stack a violation has.
    pub stack: usize,
    /// Where the trace goes; `%p` is the process id.
    pub trace: Option<String>,
    /// Where records go: a pipe or a file; `%p` is the process id.
    pub output: String,
    /// The command that renders the records when the program has ended, if no command line waits
    /// for them.
    pub reporter: Vec<String>,
    /// The status of a JVM whose reporter says that something was found, instead of its own.
    pub error_status: Option<u32>,
    /// Programs to leave alone: patterns of their main class and arguments.
    pub skip: Vec<String>,
    /// The module `java.base` has the agent's classes in it, so objects can hold identities.
    pub patched: bool,
    /// The folder with the classes in that module, as it is passed to the JVM.
    pub base: String,
    /// Tells which classes those are: other ones do not fit the agent.
    pub runtime: u32,
    /// Names of the files of properties, by number, for what is said about them.
    pub files: Vec<String>,
    /// Somebody looks at the instances: all of them are in the engine, which tells their moves.
    pub shown: bool,
    /// The compiled Java code of properties: classes by name.
    pub code: Vec<(String, Vec<u8>)>,
}

impl Bundle {
    /// The file.
    ///
    /// # Errors
    /// If something in it is nested deeper than any front end allows.
    pub fn to_bytes(&self) -> std::result::Result<Vec<u8>, WireError> {
        let mut body = Vec::new();
        self.model.put(&mut body);
        self.settings.put(&mut body);
        let mut out = MAGIC.to_vec();
        VERSION.put(&mut out);
        fingerprint(&[&body]).put(&mut out);
        out.extend(body);
        // Errors are reported here, before the agent would refuse the bundle.
        Bundle::from_bytes(&out)?;
        Ok(out)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is no bundle, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Bundle, WireError> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return wrong("this is not a bundle of properties");
        };
        let mut from = Input::new(rest);
        let version = u32::get(&mut from)?;
        if version != VERSION {
            return wrong(OTHER_BUILD);
        }
        // A model of other bytes could refer to what it does not have.
        if u32::get(&mut from)? != fingerprint(&[from.rest]) {
            return wrong("the bundle of properties is damaged");
        }
        let bundle = Bundle { model: Wire::get(&mut from)?, settings: Wire::get(&mut from)? };
        if from.rest.is_empty() { Ok(bundle) } else { wrong("the bundle has bytes left over") }
    }
}

wire_struct!(Settings {
    on_violation,
    events,
    scope,
    silenced,
    history,
    max_instances,
    max_memory,
    keep,
    max_violations,
    unique,
    stack,
    trace,
    output,
    reporter,
    error_status,
    skip,
    patched,
    base,
    runtime,
    files,
    shown,
    code,
});

wire_enum!(OnViolation { 0 => Report, 1 => Throw, 2 => Exit(status), 3 => Call(class, method) });
wire_enum!(Keep { 0 => Newest, 1 => Oldest, 2 => Random(seed) });
wire_enum!(Events { 0 => Caller, 1 => Callee });

#[cfg(test)]
mod tests {
    use watchword_model::{EventDecl, Param, Type};

    use super::*;

    fn sample() -> Bundle {
        let mut model = Model::default();
        let params = vec![Param { name: "x".into(), ty: Type::Ref }];
        model.events.push(EventDecl { params, ..EventDecl::named("e") });
        Bundle {
            model,
            settings: Settings {
                on_violation: OnViolation::Call("app.Main".into(), "alarm".into()),
                max_instances: Some(7),
                keep: Keep::Random(3),
                output: "é %p".into(),
                ..Settings::default()
            },
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let bundle = sample();
        let read = Bundle::from_bytes(&bundle.to_bytes().unwrap()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{bundle:?}"));
        assert_eq!(read.settings, bundle.settings);
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = sample().to_bytes().unwrap();
        for end in 0..bytes.len() {
            assert!(Bundle::from_bytes(&bytes[..end]).is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            for change in [1, 0x55, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= change;
                assert!(Bundle::from_bytes(&bytes).is_err(), "byte {at}");
            }
        }
    }
}
