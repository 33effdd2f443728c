//! The table of what POSIX promises: properties observe the functions of which it says so, and most clauses are
//! covered.

use std::collections::BTreeSet;

use watchword_cli::clauses::{self, Api, Verdict, alternatives};
use watchword_cli::properties::SHIPPED;
use watchword_model::{NativePattern, Origin, Source};
use watchword_spec::SourceFile;

/// The functions that the events of a shipped property observe.
fn observed(name: &str) -> BTreeSet<String> {
    let shipped = SHIPPED.iter().find(|s| s.name == name);
    let shipped = shipped.unwrap_or_else(|| panic!("{name} is not shipped"));
    let source = SourceFile::new(&format!("{name}.ww"), shipped.text);
    let loaded = watchword_spec::load(&[source], &|_, _| Err("nothing is imported".into()));
    let mut all = BTreeSet::new();
    for event in &loaded.model.unwrap().events {
        let Origin::World(sources) = &event.origin else { continue };
        for source in sources {
            if let Source::Native(source) = source
                && let NativePattern::Named(function) = &source.point.pattern
            {
                all.insert(function.text().to_string());
            }
        }
    }
    all
}

#[test]
fn properties_observe_what_the_table_says() {
    let (mut covered, mut others, mut wrong) = (0, 0, Vec::new());
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for row in clauses::all(Api::Posix) {
        let functions = alternatives(row.methods);
        let Verdict::Covered(by) = row.verdict() else {
            others += functions.len();
            continue;
        };
        covered += functions.len();
        named.extend(&by);
        let observed: BTreeSet<String> = by.iter().flat_map(|name| observed(name)).collect();
        let missing = functions.iter().filter(|function| !observed.contains(*function));
        wrong.extend(missing.map(|function| format!("{by:?} do not observe {function}")));
    }
    // What a property of POSIX is about is in the table.
    for shipped in SHIPPED.iter().filter(|s| s.family.starts_with("posix")) {
        if !named.contains(shipped.name) {
            wrong.push(format!("{} is in no row", shipped.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(covered >= 100, "{covered} clauses are covered");
    let share = 100 * covered / (covered + others);
    assert!(share >= 80, "{covered} clauses are covered, {others} are not: {share} %");
}
