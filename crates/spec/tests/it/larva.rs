//! LARVA scripts: what is wrong with them is said with its place, whatever they contain.

use watchword_spec::{Lang, Loaded, SourceFile, lint, load_with};

use crate::mutate;
use crate::random::Random;

const GUIDE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/larva.md"));
const CASES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/larva-scripts.toml"));

fn script(text: &str) -> Loaded {
    load_with(&[(SourceFile::new("x.lrv", text), Lang::Larva)], &|_, _| Err("no".into()))
}

/// The scripts of the guide and of the cases.
fn scripts() -> Vec<&'static str> {
    let guide = GUIDE.split("```lrv\n").skip(1).map(|rest| rest.split("```\n").next().unwrap());
    let cases =
        CASES.split("property = '''\n").skip(1).map(|rest| rest.split("'''").next().unwrap());
    guide.chain(cases).collect()
}

#[test]
fn the_scripts_of_the_guide_and_the_cases_load() {
    let scripts = scripts();
    assert!(scripts.len() > 15, "{} scripts", scripts.len());
    for text in scripts {
        let loaded = script(text);
        let said: String =
            loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
        assert!(loaded.model.is_some(), "{text}\n{said}");
    }
}

/// A script around transitions of one automaton over `e(int n)`.
fn around(events: &str, arrows: &str) -> String {
    format!(
        "GLOBAL {{\n VARIABLES {{ int v = 0; Clock c = new Clock(); }}\n EVENTS {{ {events} }}\n \
         PROPERTY P {{\n STATES {{ BAD {{ b }} STARTING {{ s }} }}\n TRANSITIONS {{ {arrows} }}\n }}\n}}"
    )
}

#[test]
fn mistakes_have_a_code_and_a_place() {
    let e = "e(int n) = {*.e(int n)}";
    let table: [(&str, String, &str); 18] = [
        ("WW0203", around(e, "s -> b [f]"), "f"),
        ("WW0204", around(e, "s -> x [e]"), "x"),
        ("WW0203", around(e, r"s -> b [e\m > 1\]"), "m"),
        ("WW0941", around(e, r"s -> b [e\helper(n)\]"), "helper"),
        ("WW0941", around(e, r"s -> b [e\(v = 1) == 1\]"), "v = 1"),
        ("WW0941", around(e, r"s -> b [e\\Program.stop();]"), "stop"),
        ("WW0941", around(e, r"s -> b [e\\c.pause();]"), "pause"),
        ("WW0941", around(e, r"s -> b [e\\try { v = 1; } catch (E x) {}]"), "try"),
        ("WW0941", around("e() = {c@%5}", "s -> b [e]"), "%"),
        ("WW0203", around("e() = {d@@}", "s -> b [e]"), "d"),
        ("WW0941", around(e, r"s -> b [e\\c.registerDynamically(5, v);]"), "registerDynamically"),
        ("WW0203", around("e() = {d@5}", "s -> b [e]"), "d"),
        ("WW0203", around("e() = {ch.receive(int x)}", "s -> b [e]"), "ch"),
        ("WW0203", around("e() = {other}", "s -> b [e]"), "other"),
        ("WW0201", around(&format!("{e} {e}"), "s -> b [e]"), "e"),
        ("WW0101", around(e, "s => b [e]"), "="),
        ("WW0101", "VARIABLES { }".to_string(), "VARIABLES"),
        ("WW0401", around(e, r"s -> b [e\\v = true;]"), "true"),
    ];
    for (code, text, place) in table {
        let loaded = script(&text);
        assert!(loaded.model.is_none(), "{text} loads");
        let found = loaded.diagnostics.iter().find(|d| d.code == code);
        let found = found.unwrap_or_else(|| panic!("{text}\n{:#?}", loaded.diagnostics));
        let at = &loaded.files[0].text[found.span.start as usize..found.span.end as usize];
        assert!(at.contains(place), "{code} is at `{at}`, not at `{place}`:\n{text}");
    }
}

#[test]
fn mutilated_scripts_never_panic() {
    let scripts = scripts();
    let pieces: Vec<&str> =
        scripts.iter().flat_map(|s| s.split_inclusive(|c: char| !c.is_alphanumeric())).collect();
    let mut random = Random::new(7);
    let rounds = if std::env::var_os("WATCHWORD_SOAK").is_some() { 200_000 } else { 3_000 };
    let mut loads = 0;
    for _ in 0..rounds {
        let mut text = scripts[random.below(scripts.len())].to_string();
        for _ in 0..1 + random.below(3) {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match random.below(3) {
                0 => text.insert_str(at, pieces[random.below(pieces.len())]),
                1 => text.truncate(at),
                _ => {
                    let mut end = (at + random.below(12)).min(text.len());
                    while !text.is_char_boundary(end) {
                        end += 1;
                    }
                    text.replace_range(at..end, pieces[random.below(pieces.len())]);
                }
            }
        }
        let loaded = script(&text);
        mutate::check_layout(Lang::Larva, &text);
        for d in &loaded.diagnostics {
            assert!(d.help.is_some(), "no mend: {d:?}");
            let range = d.span.start as usize..d.span.end as usize;
            assert!(loaded.files[0].text.get(range).is_some(), "{d:?} is outside of {text:?}");
            assert!(d.render(&loaded.files, false).contains(d.code));
        }
        match &loaded.model {
            Some(model) => {
                lint(model);
                loads += 1;
            }
            None => assert!(loaded.diagnostics.iter().any(|d| d.is_error()), "{text:?}"),
        }
    }
    assert!(loads > rounds / 50, "only {loads} of {rounds} load: the mutations are too coarse");
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("-", ""), ("!", ""), ("{ if (true) ", "}")] {
        let code = format!("{}v == 1{}", open.repeat(20_000), close.repeat(20_000));
        let text = around("e() = {*.e()}", &format!(r"s -> b [e\{code}\]"));
        assert!(script(&text).model.is_none());
        let text = around("e() = {*.e()}", &format!(r"s -> b [e\\{code}]"));
        assert!(script(&text).model.is_none());
    }
    let nested = format!("GLOBAL {}{}", "{ FOREACH (A a) ".repeat(5_000), "}".repeat(5_000));
    assert!(script(&nested).model.is_none());
}
