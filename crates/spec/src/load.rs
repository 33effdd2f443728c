//! Loading: files and what they import, parsed and lowered together.

use std::borrow::Cow;

use watchword_model::{Builtin, Expr, FileId, Lang, Model, PropertyOrigin, Severity, Span};

use crate::classes::{ClassConstants, NoClasses};
use crate::diagnostic::{Code, Diagnostic};
use crate::files::SourceFile;
use crate::given::{Given, GivenTexts, Setting};
use crate::infer;
use crate::lang::lang_of;
use crate::larva;
use crate::mop;
use crate::topl;
use crate::verde;
use crate::ww::tree::{File, Item};
use crate::ww::{lower, parser};

/// More files than this are not loaded together.
const MAX_FILES: usize = 1000;
/// The largest number of mistakes that are reported.
const MAX_DIAGNOSTICS: usize = 300;

/// What loading gives.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model; `None` if there was an error.
    pub model: Option<Model>,
    /// What is to be said, by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// All files, imported ones included; spans point into these.
    pub files: Vec<SourceFile>,
    /// By file: the language it is written in. Companion functions have none.
    pub langs: Vec<Lang>,
    /// The `param`s of the properties and contexts, with their values in this run.
    pub settings: Vec<Setting>,
    /// Labels whose guards read a `param`: what is always true in this run need not be in others.
    pub chosen: Vec<Span>,
}

impl Loaded {
    /// The model for [`lint`](crate::lint()): guards that read a `param` may be true or false there,
    /// whatever was chosen for this run.
    pub fn for_lint(&self) -> Option<Cow<'_, Model>> {
        let model = self.model.as_ref()?;
        if self.chosen.is_empty() {
            return Some(Cow::Borrowed(model));
        }
        let mut open = model.clone();
        let labels = open.properties.iter_mut().flat_map(|p| &mut p.transitions);
        for label in labels.flat_map(|t| &mut t.labels) {
            if let Some(guard) = label.guard.take() {
                let read = self.chosen.contains(&label.span);
                label.guard = Some(if read { undecided(guard) } else { guard });
            }
        }
        Some(Cow::Owned(open))
    }
}

/// A condition that reads what this one reads and is not known to be true or false.
fn undecided(guard: Expr) -> Expr {
    let unknown = Expr::Builtin(Builtin::Len, vec![Expr::List(Vec::new())]);
    Expr::If(Box::new(unknown), Box::new(guard.clone()), Box::new(guard))
}

/// Loads property files and what they import, each in the language its name and text tell.
///
/// `resolve` is asked for every import with the name of the importing file and the path as
/// written; two imports that resolve to the same name are one file.
pub fn load(
    files: &[SourceFile],
    resolve: &dyn Fn(&str, &str) -> Result<SourceFile, String>,
) -> Loaded {
    let files: Vec<(SourceFile, Lang)> =
        files.iter().map(|f| (f.clone(), lang_of(&f.name, &f.text))).collect();
    load_with(&files, resolve)
}

/// Loads property files, each in a language that was said, and what they import.
pub fn load_with(
    files: &[(SourceFile, Lang)],
    resolve: &dyn Fn(&str, &str) -> Result<SourceFile, String>,
) -> Loaded {
    load_for(files, &[], &NoClasses, resolve)
}

/// Loads property files, each in a language that was said, what they import, and the companion
/// functions that the blocks of Verde's properties call, for a program whose class constants are
/// known.
pub fn load_for(
    files: &[(SourceFile, Lang)],
    functions: &[SourceFile],
    constants: &dyn ClassConstants,
    resolve: &dyn Fn(&str, &str) -> Result<SourceFile, String>,
) -> Loaded {
    load_given(files, functions, &GivenTexts::default(), constants, resolve)
}

/// The same, with what the properties are given from outside: values of `param`s and sources of
/// events.
pub fn load_given(
    files: &[(SourceFile, Lang)],
    functions: &[SourceFile],
    given: &GivenTexts,
    constants: &dyn ClassConstants,
    resolve: &dyn Fn(&str, &str) -> Result<SourceFile, String>,
) -> Loaded {
    let mut loaded: Vec<SourceFile> = Vec::new();
    let mut langs: Vec<Lang> = Vec::new();
    for (file, lang) in files {
        if !loaded.iter().any(|f| f.name == file.name) {
            loaded.push(file.clone());
            langs.push(*lang);
        }
    }
    let mut trees: Vec<File> = Vec::new();
    let mut diagnostics = Vec::new();
    while trees.len() < loaded.len() {
        let at = trees.len();
        let id = FileId::from_index(at);
        match langs[at] {
            Lang::Ww => {}
            Lang::Larva => {
                trees.push(larva::parse(id, &loaded[at].text, &mut diagnostics));
                continue;
            }
            Lang::Mop => {
                trees.push(mop::parse(id, &loaded[at].text, &given.java, &mut diagnostics));
                continue;
            }
            Lang::Topl | Lang::Infer | Lang::Verde => {
                trees.push(File::default());
                continue;
            }
        }
        let output = parser::parse(&loaded[at].text, id);
        diagnostics.extend(output.diagnostics);
        for item in &output.file.items {
            let Item::Import(import) = item else { continue };
            match resolve(&loaded[at].name, &import.path) {
                Ok(file) => {
                    if !loaded.iter().any(|f| f.name == file.name) && loaded.len() < MAX_FILES {
                        langs.push(lang_of(&file.name, &file.text));
                        loaded.push(file);
                    }
                }
                Err(why) => diagnostics.push(
                    Diagnostic::error(
                        Code::BadImport,
                        import.span,
                        format!("`{}` cannot be read: {why}", import.path),
                    )
                    .rule("paths are relative to the file that imports"),
                ),
            }
        }
        trees.push(output.file);
    }
    let parsed = !diagnostics.iter().any(Diagnostic::is_error);
    let given = Given::read(given, &mut loaded, &mut diagnostics);
    langs.resize(loaded.len(), Lang::Ww);
    let lower::Lowered { mut model, diagnostics: mut lowering, settings, chosen } =
        lower::lower(&trees, &loaded, &given);
    for property in &mut model.properties {
        property.lang = langs[property.span.file.index()];
        // What was written there is no text of this language.
        if property.lang == Lang::Mop {
            property.origin = PropertyOrigin::Automaton;
        }
    }
    larva::in_own_words(&mut lowering, |file| langs.get(file.index()) == Some(&Lang::Larva));
    if parsed {
        diagnostics.extend(lowering);
    } else {
        // What could not be parsed is missing from the tree; what is said about the rest could be
        // a consequence of that, except for mistakes that stand on their own.
        diagnostics.extend(
            lowering.into_iter().filter(|d| d.severity == Severity::Error && !is_consequence(d)),
        );
    }
    let mut companion = verde::Companion::default();
    for (at, file) in functions.iter().enumerate() {
        let id = FileId::from_index(loaded.len() + at);
        verde::companion(id, &file.text, &mut companion, &mut diagnostics);
    }
    for (at, (file, lang)) in loaded.iter().zip(&langs).enumerate() {
        let id = FileId::from_index(at);
        match lang {
            Lang::Ww | Lang::Larva | Lang::Mop => {}
            Lang::Topl => {
                topl::load_into(id, &file.text, constants, &mut model, &mut diagnostics);
            }
            Lang::Infer => infer::load_into(id, &file.text, &mut model, &mut diagnostics),
            Lang::Verde => {
                let SourceFile { name, text } = file;
                let said = &mut diagnostics;
                verde::load_into(id, name, text, &mut companion, &mut model, said);
            }
        }
    }
    if model.properties.is_empty() {
        mop::insist(&mut diagnostics);
    }
    loaded.extend_from_slice(functions);
    diagnostics.sort_by_key(|d| (d.span.file, d.span.start));
    let good = !diagnostics.iter().any(Diagnostic::is_error);
    if diagnostics.len() > MAX_DIAGNOSTICS && !good {
        let span = diagnostics[MAX_DIAGNOSTICS].span;
        diagnostics.truncate(MAX_DIAGNOSTICS);
        diagnostics.push(
            Diagnostic::error(
                Code::TooManyErrors,
                span,
                "too many mistakes; the others are not shown",
            )
            .help("correct the first ones; many of the others may follow from them"),
        );
    }
    Loaded { model: good.then_some(model), diagnostics, files: loaded, langs, settings, chosen }
}

/// Whether a mistake may be there only because a part of the file could not be parsed.
fn is_consequence(diagnostic: &Diagnostic) -> bool {
    [
        Code::UndeclaredEvent,
        Code::NotOfProgram,
        Code::UnknownName,
        Code::UnknownState,
        Code::UnknownFunction,
        Code::UnknownArguments,
        Code::WrongKind,
        Code::WrongCount,
        Code::ReadBeforeWrite,
        Code::StartState,
        Code::EmptyBody,
        Code::UnboundParam,
        Code::UnknownCapture,
    ]
    .iter()
    .any(|code| code.text() == diagnostic.code)
}
