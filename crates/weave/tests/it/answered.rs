//! What a weaver found out about calls for one class serves for the next, and changes nothing.

use std::path::Path;
use std::sync::Arc;

use watchword_classfile::source::ClassSource;
use watchword_model::Model;
use watchword_spec::{SourceFile, load};
use watchword_weave::{ClassFacts, Hierarchy, Note, Numbers, Outcome, SourceHierarchy, Weaver};

use crate::jdk::jdks;
use crate::mass::weave_anything;

/// The classes of a JDK, of which those that only the JDK can have are fixed.
struct AsInJvm<'h>(&'h dyn Hierarchy);

impl Hierarchy for AsInJvm<'_> {
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        self.0.class(name)
    }

    fn is_fixed(&self, name: &str) -> bool {
        name.starts_with("java/")
    }
}

/// All properties that are shipped for the JDK.
pub fn shipped() -> Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../properties/jdk");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|suffix| suffix == "ww"));
    paths.sort();
    let file = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        SourceFile::new(&name, &std::fs::read_to_string(path).unwrap())
    };
    let files: Vec<SourceFile> = paths.iter().map(file).collect();
    assert!(files.len() > 50);
    load(&files, &|_, path| Err(format!("no {path}"))).model.expect("the properties are fine")
}

/// The class file, how many sites it has, and the notes.
fn outcome(outcome: Outcome) -> (Vec<u8>, usize, Vec<Note>) {
    match outcome {
        Outcome::Woven(woven) => (woven.bytes, woven.sites.len(), woven.notes),
        Outcome::Unchanged { notes } => (Vec::new(), 0, notes),
        Outcome::Left { reason } => panic!("{reason}"),
    }
}

#[test]
fn answers_that_are_kept_are_those_that_would_be_given_again() {
    let model = shipped();
    for jdk in jdks() {
        let hierarchy = SourceHierarchy::new(&jdk.image);
        let fixed = AsInJvm(&hierarchy);
        let (keeping, asking) =
            (Weaver::new(&model, weave_anything()), Weaver::new(&model, weave_anything()));
        let numbers = [(); 3].map(|()| Numbers::default());
        let mut names = jdk.image.names().unwrap();
        names.retain(|name| !name.ends_with("-info"));
        let some: Vec<&String> = names.iter().step_by(67).collect();
        let woven = |weaver: &Weaver, hierarchy: &dyn Hierarchy, numbers: &Numbers, name: &str| {
            let bytes = jdk.image.class(name).unwrap().expect("the class is there");
            outcome(weaver.weave(&bytes, hierarchy, numbers))
        };
        // The first time, some answers are there already; the second time, all of them.
        let mut sites = 0;
        for name in &some {
            let asked = woven(&asking, &hierarchy, &numbers[0], name);
            assert_eq!(woven(&keeping, &fixed, &numbers[1], name), asked, "{name}");
            sites += asked.1;
        }
        assert!(sites > 300, "{sites}");
        let again = Numbers::default();
        for name in &some {
            let asked = woven(&asking, &hierarchy, &numbers[2], name);
            assert_eq!(woven(&keeping, &fixed, &again, name), asked, "{name}, again");
        }
    }
}
