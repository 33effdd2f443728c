//! What an agent is told.

use watchword_model::Value;
use watchword_monitor::Keep;
use watchword_spec::classes::ClassConstants;
use watchword_spec::{Lang, Loaded, SourceFile, load_for};

use crate::code::{Input, Result, VERSION, Wire, WireError, wire_struct, wrong};

const MAGIC: &[u8; 8] = b"wwbundle";

/// Why an agent does not take a bundle, or a command line what an agent has told.
pub const OTHER_BUILD: &str = "the agent and the command line are of different builds of watchword: \
    start the program with `watchword java`, or make its environment again with `watchword env java`";

/// Everything an agent needs to know, in one file.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The properties.
    pub files: Files,
    /// What was asked for.
    pub settings: Settings,
}

/// Property files, and which imports lead to which.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Name, text and language, in the order of the command line; imported ones are not here.
    pub roots: Vec<(String, (String, String))>,
    /// Imports that were followed.
    pub imports: Vec<Import>,
    /// Class constants that the properties name, and their values.
    pub constants: Vec<(String, Value)>,
}

/// An import that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The file that imports.
    pub importer: String,
    /// The path as it is written there.
    pub path: String,
    /// The name of the file it leads to.
    pub name: String,
    /// Its text.
    pub text: String,
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
    /// Which of them stay when there are more.
    pub keep: Keep,
    /// How many different violations are told.
    pub max_violations: usize,
    /// Every report is told, satisfactions too: none is the same as another.
    pub unique: bool,
    /// How many frames of the stack a violation has.
    pub stack: usize,
    /// Where the trace goes; `%p` is the process id.
    pub trace: Option<String>,
    /// Where records go: a pipe or a file; `%p` is the process id.
    pub output: String,
    /// The command that renders the records when the program has ended, if nobody waits for them.
    pub reporter: Vec<String>,
    /// Programs to leave alone: patterns of their main class and arguments.
    pub skip: Vec<String>,
    /// The module `java.base` has the agent's classes in it, so objects can hold identities.
    pub patched: bool,
    /// A folder of the agent's own, for classes of its own.
    pub folder: String,
    /// The folder with the classes in that module, as the JVM is told of it.
    pub base: String,
    /// Tells which classes those are: other ones do not fit the agent.
    pub runtime: u32,
}

impl Files {
    /// Loads the files again.
    pub fn load(&self) -> Loaded {
        let roots: Vec<(SourceFile, Lang)> = self
            .roots
            .iter()
            .map(|(name, (text, lang))| {
                (SourceFile::new(name, text), Lang::from_name(lang).unwrap_or(Lang::Ww))
            })
            .collect();
        load_for(&roots, &[], self, &|importer, path| {
            self.imports
                .iter()
                .find(|i| i.importer == importer && i.path == path)
                .map(|i| SourceFile::new(&i.name, &i.text))
                .ok_or_else(|| format!("there is no {path}"))
        })
    }
}

impl ClassConstants for Files {
    fn constant(&self, name: &str) -> std::result::Result<Value, String> {
        let known = self.constants.iter().find(|(known, _)| known == name);
        known.map(|(_, value)| value.clone()).ok_or_else(|| format!("`{name}` is not known"))
    }
}

impl Bundle {
    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        VERSION.put(&mut out);
        self.files.put(&mut out);
        self.settings.put(&mut out);
        out
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it is no bundle, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Bundle, WireError> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return wrong("this is no bundle of properties");
        };
        let mut from = Input::new(rest);
        let version = u32::get(&mut from)?;
        if version != VERSION {
            return wrong(OTHER_BUILD);
        }
        let bundle = Bundle { files: Wire::get(&mut from)?, settings: Wire::get(&mut from)? };
        if from.rest.is_empty() { Ok(bundle) } else { wrong("the bundle has bytes left over") }
    }
}

wire_struct!(Files { roots, imports, constants });
wire_struct!(Import { importer, path, name, text });
wire_struct!(Settings {
    on_violation,
    events,
    scope,
    silenced,
    history,
    max_instances,
    keep,
    max_violations,
    unique,
    stack,
    trace,
    output,
    reporter,
    skip,
    patched,
    folder,
    base,
    runtime,
});

impl Wire for OnViolation {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            OnViolation::Report => out.push(0),
            OnViolation::Throw => out.push(1),
            OnViolation::Exit(status) => {
                out.push(2);
                status.put(out);
            }
            OnViolation::Call(class, method) => {
                out.push(3);
                class.put(out);
                method.put(out);
            }
        }
    }
    fn get(from: &mut Input<'_>) -> Result<OnViolation> {
        Ok(match u8::get(from)? {
            0 => OnViolation::Report,
            1 => OnViolation::Throw,
            2 => OnViolation::Exit(Wire::get(from)?),
            3 => OnViolation::Call(Wire::get(from)?, Wire::get(from)?),
            _ => return wrong("there is no such reaction"),
        })
    }
}

impl Wire for Keep {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Keep::Newest => out.push(0),
            Keep::Oldest => out.push(1),
            Keep::Random(seed) => {
                out.push(2);
                seed.put(out);
            }
        }
    }
    fn get(from: &mut Input<'_>) -> Result<Keep> {
        Ok(match u8::get(from)? {
            0 => Keep::Newest,
            1 => Keep::Oldest,
            2 => Keep::Random(Wire::get(from)?),
            _ => return wrong("there is no such choice of instances"),
        })
    }
}

impl Wire for Events {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self == Events::Callee));
    }
    fn get(from: &mut Input<'_>) -> Result<Events> {
        Ok(if bool::get(from)? { Events::Callee } else { Events::Caller })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Bundle {
        Bundle {
            files: Files {
                roots: vec![("a.ww".into(), ("import \"b.ww\"".into(), "ww".into()))],
                imports: vec![Import {
                    importer: "a.ww".into(),
                    path: "b.ww".into(),
                    name: "b.ww".into(),
                    text:
                        "event e(x)\nproperty P(x) { start state A { on e(x) -> B } bad state B }"
                            .into(),
                }],
                constants: vec![("app.Limits.MAX".into(), Value::Int(8))],
            },
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
        let read = Bundle::from_bytes(&bundle.to_bytes()).unwrap();
        assert_eq!(read.to_bytes(), bundle.to_bytes());
        assert_eq!(read.settings, bundle.settings);
        assert!(matches!(read.files.constant("app.Limits.MAX"), Ok(Value::Int(8))));
        assert_eq!(read.files.load().model.unwrap().properties[0].name, "P");
    }

    #[test]
    fn damaged_files_are_refused() {
        let bytes = sample().to_bytes();
        for end in 0..bytes.len() {
            assert!(Bundle::from_bytes(&bytes[..end]).is_err());
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] = bytes[at].wrapping_add(1);
            // Some changes give another bundle; none gives a panic.
            let _ = Bundle::from_bytes(&bytes);
        }
    }
}
