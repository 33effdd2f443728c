//! The pages of the diagnostics: every example has the code it is there for, and the mended one
//! does not.

use watchword_spec::{Diagnostic, SourceFile, all_codes, convert, explain, lint, load};

/// The page of this code cannot show an example: it would be too long.
const WITHOUT_EXAMPLE: &str = "WW0005";

fn resolve(_: &str, path: &str) -> Result<SourceFile, String> {
    match path {
        "events.ww" => Ok(SourceFile::new("events.ww", "event e(x)\n")),
        _ => Err("there is no such file".to_string()),
    }
}

/// Pages about scenarios are tested where scenarios are.
fn is_about_scenarios(code: &str) -> bool {
    code.starts_with("WW095")
}

/// All that is said about a file, lint included.
fn diagnostics(language: &str, text: &str) -> (bool, Vec<Diagnostic>) {
    let loaded = load(&[SourceFile::new(&format!("example.{language}"), text)], &resolve);
    let mut all = loaded.diagnostics;
    if let Some(model) = &loaded.model {
        all.extend(lint(model));
        if language == "ww" {
            all.extend(convert::to_topl(model).err().into_iter().flatten());
        }
    }
    (loaded.model.is_some(), all)
}

/// The examples of a page: info string and text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (inside, line.strip_prefix("```")) {
            (false, Some(info)) => {
                blocks.push((info.to_string(), String::new()));
                inside = true;
            }
            (true, Some(_)) => inside = false,
            (true, None) => {
                let text = &mut blocks.last_mut().expect("a block is open").1;
                text.push_str(line);
                text.push('\n');
            }
            (false, None) => {}
        }
    }
    blocks
}

#[test]
fn every_page_has_an_example_that_fails_and_one_that_does_not() {
    for (code, title) in all_codes() {
        let page = explain(code).expect("every code has a page");
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: title");
        if code == WITHOUT_EXAMPLE || is_about_scenarios(code) {
            continue;
        }
        let blocks = blocks(page);
        let (mut failing, mut mended) = (0, 0);
        for (info, text) in blocks {
            let mut words = info.split(' ');
            let language = words.next().unwrap_or("ww");
            if words.next() == Some("fails") {
                let times = words.next().map_or(1, |w| {
                    w.strip_prefix("repeat=").and_then(|n| n.parse().ok()).expect("repeat=N")
                });
                let (_, said) = diagnostics(language, &text.repeat(times));
                assert!(said.iter().any(|d| d.code == code), "{code}: example has {said:#?}");
                failing += 1;
            } else {
                let (loads, said) = diagnostics(language, &text);
                assert!(loads, "{code}: mended example does not load: {said:#?}");
                assert!(!said.iter().any(|d| d.code == code), "{code}: mended has {said:#?}");
                mended += 1;
            }
        }
        assert!(failing > 0 && mended > 0, "{code}: both kinds of example");
    }
}

#[test]
fn codes_are_found_whatever_their_case() {
    assert!(explain("ww0101").is_some());
    assert!(explain("WW9999").is_none());
}

#[test]
fn codes_are_unique() {
    let mut codes: Vec<&str> = all_codes().map(|(code, _)| code).collect();
    codes.sort();
    assert!(codes.windows(2).all(|w| w[0] < w[1]), "{codes:?}");
}
