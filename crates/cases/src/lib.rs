//! Engine-neutral cases.
//!
//! A case is a property, a trace and the verdicts it must give. The files in `cases/` hold them;
//! every engine runs all of them. A file is TOML:
//!
//! ```toml
//! [[case]]
//! name = "first-match-wins"
//! about = "Sliced: the transitions of a state are tried in order and the first enabled one wins."
//! property = '''
//! property P(x) {
//!   start state A { on e(x) -> B
//!                   on e(x) -> C }
//!   bad state B
//!   bad state C
//! }
//! event e(x)
//! '''
//! trace = '''
//! e(1)
//! e("a") @ 2s
//! '''
//! expect = ['1 P [x=1] B "entered `B`"']
//! ```
//!
//! A line of a trace is an event: arguments are numbers, texts in double quotes, `true`, `false`,
//! `null`, objects `#7` or `#7:java.util.ArrayList`, addresses `0x10`, `nan`, lists `[1, 2]`;
//! `@ 2s` (or `ms`, `us`, `ns`, `min`) is its time. `@ 3s` alone lets time pass. `// …` is a comment.
//!
//! An expected verdict is what [`render`] prints. With `refused = "WW0123"` instead of a trace, the
//! property must be refused with that code.

pub mod budgets;
pub mod divided;
pub mod fuzz;
pub mod growth;
pub mod texts;
mod trace;
mod verdict;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use watchword_model::{Event, Model, PropertyId, Time};
use watchword_monitor::reference::Reference;
use watchword_monitor::{Engine, Report, Said};
use watchword_spec::classes::NoClasses;
use watchword_spec::given::GivenTexts;
use watchword_spec::{Lang, SourceFile};

pub use trace::{TraceLine, parse_trace};
pub use verdict::{render, sorted};

/// The file companion functions are in.
pub const FUNCTIONS_FILE: &str = "functions.py";

/// A case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// A short name, unique in its file.
    pub name: String,
    /// The sentence of the semantics it pins down.
    pub about: String,
    /// The property file.
    pub property: String,
    /// The language it is written in.
    #[serde(default = "ww")]
    pub lang: String,
    /// Companion functions of a property in Verde's language.
    #[serde(default)]
    pub functions: String,
    /// Values of params, as `--set` takes them.
    #[serde(default)]
    pub set: Vec<String>,
    /// Sources of events, as `--bind` takes them.
    #[serde(default)]
    pub bind: Vec<String>,
    /// The events.
    #[serde(default)]
    pub trace: String,
    /// The verdicts, as [`render`] prints them.
    #[serde(default)]
    pub expect: Vec<String>,
    /// The diagnostic that refuses the property.
    pub refused: Option<String>,
    /// What updates must have printed.
    pub printed: Option<Vec<String>>,
    /// How many guards the reference must have found not relevant.
    pub not_relevant: Option<u64>,
    /// Which properties must have inconclusive instances: the number of the event that made the
    /// first one so, and the property.
    #[serde(default)]
    pub inconclusive: Vec<String>,
    /// Where it came from.
    #[serde(skip)]
    pub file: PathBuf,
}

fn ww() -> String {
    "ww".to_string()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    case: Vec<Case>,
}

/// All cases of a directory, in order of file and position.
///
/// # Errors
/// If a file cannot be read or is not a list of cases.
pub fn load_dir(dir: &Path) -> Result<Vec<Case>, String> {
    let entries = std::fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text =
            std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let parsed: CaseFile =
            toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
        for mut case in parsed.case {
            case.file.clone_from(&file);
            cases.push(case);
        }
    }
    Ok(cases)
}

impl Case {
    /// `file.toml: name`, for messages.
    pub fn title(&self) -> String {
        let file = self.file.file_name().unwrap_or_default().to_string_lossy();
        format!("{file}: {}", self.name)
    }

    /// The file its property is in. A property in Verde's language is called like its file: `P`.
    pub fn file_name(&self) -> String {
        format!("P.{}", self.lang)
    }

    /// The model of its property, or the codes of the errors it was refused with.
    ///
    /// # Errors
    /// The codes of the diagnostics, with their rendered text.
    pub fn model(&self) -> Result<Model, Vec<(String, String)>> {
        let file = SourceFile::new(&self.file_name(), &self.property);
        let lang = Lang::from_name(&self.lang)
            .ok_or_else(|| vec![(String::new(), format!("no language `{}`", self.lang))])?;
        let functions = SourceFile::new(FUNCTIONS_FILE, &self.functions);
        let functions = if self.functions.is_empty() { Vec::new() } else { vec![functions] };
        let refuse = |_: &str, path: &str| Err(format!("cases import nothing, not `{path}`"));
        let given =
            GivenTexts { set: self.set.clone(), bind: self.bind.clone(), ..GivenTexts::default() };
        let files = [(file, lang)];
        let loaded = watchword_spec::load_given(&files, &functions, &given, &NoClasses, &refuse);
        match loaded.model {
            Some(model) => Ok(model),
            None => Err(loaded
                .diagnostics
                .iter()
                .map(|d| (d.code.to_string(), d.render(&loaded.files, false)))
                .collect()),
        }
    }

    /// The events of its trace.
    ///
    /// # Errors
    /// A message with the line.
    pub fn events(&self, model: &Model) -> Result<Vec<TraceLine>, String> {
        parse_trace(model, &self.trace)
    }
}

/// An evaluator that can run cases.
pub trait Evaluator {
    /// Processes an event.
    fn step(&mut self, event: &Event);
    /// Lets time pass.
    fn advance_to(&mut self, time: Time);
    /// Ends the trace and gives everything that came of it.
    fn finish(self) -> Finished;
}

/// What came of a trace.
#[derive(Clone, Debug, Default)]
pub struct Finished {
    /// All reports.
    pub reports: Vec<Report>,
    /// What updates printed, in order.
    pub printed: Vec<String>,
    /// How many guards were not relevant.
    pub not_relevant: u64,
    /// When the first instance of a property became inconclusive.
    pub inconclusive: BTreeMap<PropertyId, u64>,
}

/// When the first instance of each property became inconclusive, for the reference's list of all.
pub fn first_inconclusive(all: &[(PropertyId, u64)]) -> BTreeMap<PropertyId, u64> {
    let mut first = BTreeMap::new();
    for (property, index) in all {
        first.entry(*property).or_insert(*index);
    }
    first
}

impl Evaluator for Reference {
    fn step(&mut self, event: &Event) {
        Reference::step(self, event).expect("time runs forwards");
    }

    fn advance_to(&mut self, time: Time) {
        Reference::advance_to(self, time).expect("time runs forwards");
    }

    fn finish(mut self) -> Finished {
        self.end();
        Finished {
            reports: self.reports().to_vec(),
            printed: self.printed().to_vec(),
            not_relevant: self.not_relevant(),
            inconclusive: first_inconclusive(self.inconclusive()),
        }
    }
}

impl Evaluator for Engine {
    fn step(&mut self, event: &Event) {
        self.step_owned(event).expect("time runs forwards");
    }

    fn advance_to(&mut self, time: Time) {
        Engine::advance_to(self, time).expect("time runs forwards");
    }

    fn finish(mut self) -> Finished {
        self.end();
        let printed = self.take_said().into_iter().filter_map(|said| match said {
            Said::Print { text, .. } => Some(text),
            Said::Action { .. } => None,
        });
        let printed = printed.collect();
        let not_relevant = self.not_relevant();
        let inconclusive = self.doubts().iter().map(|d| (d.property, d.index)).collect();
        Finished { reports: self.take_reports(), printed, not_relevant, inconclusive }
    }
}

/// Runs a trace.
pub fn run(trace: &[TraceLine], mut evaluator: impl Evaluator) -> Finished {
    for line in trace {
        match line {
            TraceLine::Event(event) => evaluator.step(event),
            TraceLine::Time(time) => evaluator.advance_to(*time),
        }
    }
    evaluator.finish()
}

impl Finished {
    /// The verdicts as text, sorted.
    pub fn verdicts(&self, model: &Model) -> Vec<String> {
        sorted(self.reports.iter().map(|r| render(model, r)).collect())
    }
}

impl Case {
    /// What is wrong with what an evaluator made of this case, if anything.
    ///
    /// # Errors
    /// What was found and what was expected.
    pub fn compare(&self, model: &Model, found: &Finished) -> Result<(), String> {
        let verdicts = found.verdicts(model);
        let expected = sorted(self.expect.clone());
        if verdicts != expected {
            return Err(format!("gives\n  {verdicts:#?}\nexpected\n  {expected:#?}"));
        }
        if self.printed.as_ref().is_some_and(|printed| *printed != found.printed) {
            let expected = self.printed.as_deref().unwrap_or_default();
            return Err(format!("prints {:?}, expected {expected:?}", found.printed));
        }
        let name = |property: &PropertyId| &model.properties[property.index()].name;
        let inconclusive: Vec<String> =
            found.inconclusive.iter().map(|(p, index)| format!("{index} {}", name(p))).collect();
        if inconclusive != self.inconclusive {
            let expected = &self.inconclusive;
            return Err(format!("finds {inconclusive:?} inconclusive, expected {expected:?}"));
        }
        Ok(())
    }
}
