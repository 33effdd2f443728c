//! The TextMate grammar of the editors, run by a small engine over every property file and
//! compared with our own lexer.

use std::path::Path;

use regex::Regex;
use serde_json::Value;
use watchword_model::FileId;
use watchword_spec::ww::lexer::TokenKind;
use watchword_spec::ww::parser;

use crate::names::property_files;

/// A rule of the grammar.
enum Rule {
    Match(Regex, Option<String>, Vec<(usize, String)>),
    Range { begin: Regex, end: Regex, name: Option<String>, inner: Vec<Rule> },
}

fn rules(list: &Value, repository: &Value) -> Vec<Rule> {
    let mut found = Vec::new();
    for rule in list.as_array().expect("patterns are a list") {
        if let Some(include) = rule["include"].as_str() {
            let name = include.strip_prefix('#').expect("includes are of the repository");
            found.extend(rules(&repository[name]["patterns"], repository));
            continue;
        }
        let regex = |key: &str| Regex::new(rule[key].as_str().unwrap()).unwrap();
        let name = rule["name"].as_str().map(str::to_string);
        if rule.get("match").is_some() {
            let captures = rule["captures"].as_object().into_iter().flatten();
            let captures = captures.map(|(group, scope)| {
                (group.parse().unwrap(), scope["name"].as_str().unwrap().to_string())
            });
            found.push(Rule::Match(regex("match"), name, captures.collect()));
        } else {
            let inner = match rule.get("patterns") {
                Some(patterns) => rules(patterns, repository),
                None => Vec::new(),
            };
            found.push(Rule::Range { begin: regex("begin"), end: regex("end"), name, inner });
        }
    }
    found
}

/// The scopes of every byte of a line, outermost first.
fn line_scopes(line: &str, rules: &[Rule]) -> Vec<Vec<String>> {
    let mut scopes = vec![Vec::new(); line.len()];
    tokenise(line, 0, rules, None, &mut scopes);
    scopes
}

/// From `at` to the end of the line, or of the range that is open; where that is.
fn tokenise(
    line: &str,
    mut at: usize,
    rules: &[Rule],
    until: Option<&Regex>,
    scopes: &mut [Vec<String>],
) -> usize {
    while at <= line.len() {
        let end = until.and_then(|u| u.find_at(line, at));
        let next = rules
            .iter()
            .filter_map(|rule| {
                let found = match rule {
                    Rule::Match(regex, ..) => regex.find_at(line, at),
                    Rule::Range { begin, .. } => begin.find_at(line, at),
                };
                found.filter(|f| !f.is_empty()).map(|f| (f.start(), f.end(), rule))
            })
            .min_by_key(|(start, _, _)| *start);
        if let Some(end) = end
            && next.is_none_or(|(start, _, _)| end.start() <= start)
        {
            return end.end();
        }
        let Some((start, after, rule)) = next else { return line.len() };
        match rule {
            Rule::Match(regex, name, captures) => {
                for scope in scopes[start..after].iter_mut() {
                    scope.extend(name.clone());
                }
                let groups = regex.captures_at(line, at).unwrap();
                for (group, scope) in captures {
                    if let Some(found) = groups.get(*group) {
                        for byte in &mut scopes[found.range()] {
                            byte.push(scope.clone());
                        }
                    }
                }
                at = after;
            }
            Rule::Range { end, name, inner, .. } => {
                let mut inside = vec![Vec::new(); line.len()];
                let close = tokenise(line, after, inner, Some(end), &mut inside);
                for (byte, inner) in scopes[start..close].iter_mut().zip(&inside[start..close]) {
                    byte.extend(name.clone());
                    byte.extend(inner.iter().cloned());
                }
                at = close;
            }
        }
    }
    line.len()
}

fn grammar() -> Vec<Rule> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../editors/vscode/syntaxes/watchword.tmLanguage.json");
    let grammar: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(grammar["scopeName"], "source.watchword");
    rules(&grammar["patterns"], &grammar["repository"])
}

#[test]
fn the_grammar_sees_what_the_lexer_sees() {
    let rules = grammar();
    let mut compared = 0;
    for path in property_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut scopes: Vec<Vec<String>> = Vec::new();
        for line in text.split_inclusive('\n') {
            scopes.extend(line_scopes(line.trim_end_matches('\n'), &rules));
            if line.ends_with('\n') {
                scopes.push(Vec::new());
            }
        }
        let parsed = parser::parse(&text, FileId(0));
        let is = |at: usize, scope: &str| scopes[at].iter().any(|s| s.starts_with(scope));
        for consumed in &parsed.tokens {
            let range = consumed.token.range();
            let word = &text[range.clone()];
            let told = format!("{}: {word:?} has {:?}", path.display(), scopes[range.start]);
            match consumed.token.kind {
                TokenKind::Str => assert!(range.clone().all(|b| is(b, "string.quoted")), "{told}"),
                TokenKind::Regex => {
                    assert!(range.clone().all(|b| is(b, "string.regexp")), "{told}");
                }
                TokenKind::Int | TokenKind::Float => {
                    assert!(is(range.start, "constant.numeric"), "{told}");
                }
                TokenKind::Ident => {
                    assert!(!is(range.start, "string") && !is(range.start, "comment"), "{told}");
                    let declares = ["property", "event", "state", "start", "bad", "on", "never"];
                    if consumed.begins && declares.contains(&word) {
                        assert!(is(range.start, "storage") || is(range.start, "keyword"), "{told}");
                    }
                }
                _ => {}
            }
            compared += 1;
        }
        for comment in &parsed.comments {
            let scope = if comment.doc { "comment.line.documentation" } else { "comment.line" };
            let range = comment.start as usize..comment.end as usize;
            let right = |s: &Vec<String>| s.iter().any(|s| s.starts_with(scope));
            assert!(scopes[range].iter().all(right), "{}: a comment", path.display());
        }
    }
    assert!(compared > 5_000, "{compared} tokens");
}

/// What the extension says of itself is there.
#[test]
fn the_extension_is_complete() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("package.json")).unwrap())
            .unwrap();
    assert!(manifest.get("dependencies").is_none(), "it installs without a package manager");
    let mut named = vec![manifest["main"].as_str().unwrap()];
    let contributes = &manifest["contributes"];
    for language in contributes["languages"].as_array().unwrap() {
        named.extend(language["configuration"].as_str());
        let id = language["id"].as_str().unwrap();
        let events = manifest["activationEvents"].as_array().unwrap();
        assert!(events.iter().any(|e| *e == format!("onLanguage:{id}")), "{id}");
    }
    for grammar in contributes["grammars"].as_array().unwrap() {
        named.extend(grammar["path"].as_str());
    }
    for file in named {
        assert!(folder.join(file).is_file(), "{file}");
    }
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let configuration = std::fs::read_to_string(folder.join("language-configuration.json"));
    serde_json::from_str::<Value>(&configuration.unwrap()).unwrap();
}
