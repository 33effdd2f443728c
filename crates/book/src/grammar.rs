//! The grammar as a page: every name leads to its rule.

use std::collections::BTreeSet;

use crate::highlight::escape;

/// The names that have a rule.
pub fn rules(text: &str) -> BTreeSet<&str> {
    text.lines()
        .filter(|line| !line.starts_with([' ', '#']))
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.trim())
        .filter(|name| !name.is_empty())
        .collect()
}

/// The grammar as HTML.
pub fn html(text: &str) -> String {
    let rules = rules(text);
    let mut html = String::from("<h1>The grammar</h1>\n<pre class=grammar>");
    for line in text.lines() {
        if line.starts_with('#') {
            html.push_str(&format!("<span class=c>{}</span>\n", escape(line)));
            continue;
        }
        let (name, rest) = match line.split_once('=') {
            Some((name, rest)) if rules.contains(name.trim()) && !line.starts_with(' ') => {
                let own = name.trim();
                let gap = &name[own.len()..];
                html.push_str(&format!("<b id=\"{own}\">{own}</b>{gap}="));
                (own, rest)
            }
            _ => ("", line),
        };
        html.push_str(&linked(rest, &rules, name));
        html.push('\n');
    }
    html.push_str("</pre>\n");
    html
}

/// A line with its names linked; what stands in quotes is no name.
fn linked(line: &str, rules: &BTreeSet<&str>, own: &str) -> String {
    let mut html = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted.find('"').map_or(rest.len(), |at| at + 2);
            html.push_str(&format!("<span class=s>{}</span>", escape(&rest[..end])));
            rest = &rest[end..];
            continue;
        }
        let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        if word == 0 {
            let c = rest.chars().next().map_or(1, char::len_utf8);
            html.push_str(&escape(&rest[..c]));
            rest = &rest[c..];
            continue;
        }
        let name = &rest[..word];
        match rules.contains(name) && name != own {
            true => html.push_str(&format!("<a href=\"#{name}\">{name}</a>")),
            false => html.push_str(name),
        }
        rest = &rest[word..];
    }
    html
}
