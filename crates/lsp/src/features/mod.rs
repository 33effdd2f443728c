//! What editors ask for, one file each. All of it is about an [`Analysis`]: a document as it is in
//! the editor, with what it imports.

pub mod actions;
pub mod completion;
pub mod diagnostics;
pub mod format;
pub mod hover;
pub mod places;
pub mod rename;
pub mod symbols;

use watchword_model::{FileId, Model};
use watchword_spec::lint::in_words_of;
use watchword_spec::{Diagnostic, Lang, SourceFile, lang_of, lint, load};

use crate::Resolve;
use crate::index::Index;

/// The document itself, among the files of an [`Analysis`].
pub const ROOT: FileId = FileId(0);

/// A document and what is known of it.
pub struct Analysis {
    /// The document, and then what it imports.
    pub files: Vec<SourceFile>,
    /// What is wrong, or looks wrong, in any of them.
    pub diagnostics: Vec<Diagnostic>,
    /// The model, if nothing is wrong.
    pub model: Option<Model>,
    /// What names stand for; empty unless the document is a `.ww` file.
    pub index: Index,
    /// Whether the document is a `.ww` file.
    pub own: bool,
    /// What the editor calls the files.
    pub uris: Vec<String>,
}

/// What the editor calls a file of that name.
pub type Called<'a> = &'a dyn Fn(&str) -> String;

impl Analysis {
    /// Analyses a document. Imports are asked for.
    pub fn of(file: SourceFile, resolve: Resolve<'_>, called: Called<'_>) -> Analysis {
        if file.name.ends_with(".scn") {
            let (_, diagnostics) = watchword_scenario::parse(&file.text, &file.name);
            return Analysis {
                uris: vec![called(&file.name)],
                files: vec![file],
                diagnostics,
                model: None,
                index: Index::default(),
                own: false,
            };
        }
        let own = lang_of(&file.name, &file.text) == Lang::Ww;
        let loaded = load(std::slice::from_ref(&file), resolve);
        let found = loaded.for_lint().map_or(Vec::new(), |model| lint(&model));
        let mut diagnostics = loaded.diagnostics;
        diagnostics.extend(in_words_of(found, &loaded.langs));
        let index = if own { Index::of(&own_files(&loaded.files)) } else { Index::default() };
        let uris = loaded.files.iter().map(|f| called(&f.name)).collect();
        Analysis { files: loaded.files, diagnostics, model: loaded.model, index, own, uris }
    }

    /// The document's text.
    pub fn text(&self) -> &str {
        &self.files[0].text
    }
}

/// The files with those in other languages emptied, so that places keep their file.
pub fn own_files(files: &[SourceFile]) -> Vec<SourceFile> {
    let own = |file: &SourceFile| match lang_of(&file.name, &file.text) {
        Lang::Ww => file.clone(),
        _ => SourceFile::new(&file.name, ""),
    };
    files.iter().map(own).collect()
}
