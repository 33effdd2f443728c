//! Every property of the repository is put into words, drawn, and violated by an example.

use watchword_cases::texts::{all, imported};
use watchword_model::PropertyId;
use watchword_spec::lint::{CanFail, can_fail};
use watchword_spec::{SourceFile, load};
use watchword_view::{automaton, dot, example, svg, term, words};

#[test]
fn every_property_is_explained_and_drawn() {
    let (mut properties, mut violated, mut unknown) = (0, 0, Vec::new());
    for file in all() {
        let loaded = load(&[SourceFile::new(&file.name, &file.text)], &imported);
        let model =
            loaded.model.unwrap_or_else(|| panic!("{}: {:?}", file.name, loaded.diagnostics));
        for (number, property) in model.properties.iter().enumerate() {
            let there = format!("{}: {}", file.name, property.name);
            let text = words::property(&model, property);
            assert!(!text.trim().is_empty(), "{there}");
            // Nothing that only the program itself understands.
            for inner in ["Some(", "EventId", "StateId", "ParamId", "Span {"] {
                assert!(!text.contains(inner), "{there}: {text}");
            }
            let diagram = automaton::diagram(&model, property, &[]);
            if !diagram.is_too_large() {
                let diagrams = [diagram];
                let picture = svg::draw(&diagrams);
                roxmltree::Document::parse(&picture).unwrap_or_else(|e| panic!("{there}: {e}"));
                for state in &property.states {
                    assert!(dot::draw(&diagrams).contains(&state.name), "{there}");
                    assert!(term::draw(&diagrams[0]).contains(&state.name), "{there}");
                }
            }
            properties += 1;
            // Looking for examples of all of them would take minutes.
            if !file.name.starts_with("language-") {
                continue;
            }
            let id = PropertyId::from_index(number);
            match example::shortest(&model, id) {
                Some(_) => violated += 1,
                None if matches!(can_fail(&model, id), CanFail::Never) => {}
                None => unknown.push(there),
            }
        }
    }
    println!("{properties} properties, {violated} with an example, without: {unknown:#?}");
    assert!(properties > 500, "only {properties} properties");
    assert!(violated > unknown.len() * 2, "{violated} have an example; not {unknown:#?}");
}
