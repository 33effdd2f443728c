//! One page for people: no other file, no network, light or dark, from the desk to the phone.
//!
//! The page is complete without its script, which only filters. Everything that comes from outside
//! goes through `escape`, and a content security policy forbids scripts other than the page's own.

use std::fmt::Write;

use watchword_model::{Location, Model, Property};
use watchword_monitor::{Report, Step};

use super::escape;
use crate::text::{count, counted};
use crate::{
    Outcome, Verdict, Violation, automaton, fingerprint, gathered, path, story, svg, text, words,
};

const STYLE: &str = include_str!("html.css");
const SCRIPT: &str = include_str!("html.js");
/// Violations beyond this many have no picture of their own: the page should still open.
const MAX_PICTURES: usize = 150;
/// Violations beyond this many are not on the page: browsers would not open it.
const MAX_LISTED: usize = 5_000;

/// The whole page.
pub fn report(outcome: &Outcome<'_>) -> String {
    let mut out = String::new();
    let total: u64 = outcome.properties.iter().map(|t| t.totals.violations).sum();
    let title = match outcome.violations.iter().filter(|v| !v.expected).count() {
        0 => "no violations".to_string(),
        n => counted(n as u64, "violation"),
    };
    let _ = writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'nonce-watchword'; img-src data:; \
         base-uri 'none'; form-action 'none'\">\n\
         <title>Watchword: {title}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{STYLE}{}</style>\n</head>\n<body>",
        svg::STYLE
    );
    header(&mut out, outcome, total);
    out.push_str("<main>\n");
    violations(&mut out, outcome);
    notes(&mut out, outcome);
    properties(&mut out, outcome);
    out.push_str("</main>\n");
    let _ = writeln!(
        out,
        "<footer>Watchword {}<span class=\"keys\"> · <kbd>/</kbd> search · <kbd>j</kbd> \
         <kbd>k</kbd> next, previous · <kbd>Enter</kbd> open · <kbd>o</kbd> <kbd>c</kbd> open, \
         close all</span></footer>\n<script nonce=\"watchword\">\n{SCRIPT}</script>\n</body>\n</html>",
        escape(outcome.version)
    );
    out
}

fn header(out: &mut String, outcome: &Outcome<'_>, total: u64) {
    let _ = writeln!(
        out,
        "<header>\n<h1>Watchword report</h1>\n<div class=\"target\">{}{}</div>\n<ul class=\"tiles\">",
        escape(&outcome.target),
        outcome.date.map(|date| format!(" · {}", text::day(date))).unwrap_or_default(),
    );
    let mut tile = |class: &str, number: String, what: &str| {
        let _ = writeln!(out, "<li class=\"{class}\"><b>{number}</b><span>{what}</span></li>");
    };
    let listed = outcome.violations.len() as u64;
    let known = (0..outcome.violations.len()).filter(|i| outcome.is_known(*i)).count() as u64;
    let expected = outcome.violations.iter().enumerate();
    let expected = expected.filter(|(i, v)| v.expected && !outcome.is_known(*i)).count() as u64;
    // That nothing was observed is no good news.
    let class = |n: u64| match n {
        0 if (0..outcome.properties.len()).all(|i| is_unseen(outcome, i)) => "",
        0 => "good",
        _ => "bad",
    };
    if outcome.status.is_empty() {
        let found = listed - expected;
        tile(class(found), count(found), plural(found, "violation", "violations"));
    } else {
        let new = listed - known - expected;
        tile(class(new), count(new), "new");
        tile("", count(known), "known");
    }
    if expected > 0 {
        tile("", count(expected), "expected by tests");
    }
    if total != listed {
        tile("", count(total), "occurrences");
    }
    let properties = outcome.properties.len() as u64;
    tile("", count(properties), plural(properties, "property", "properties"));
    tile("", count(outcome.properties.iter().map(|t| t.totals.events).sum()), "events observed");
    let instances = outcome.properties.iter().filter_map(|t| t.totals.instances).sum();
    tile("", count(instances), plural(instances, "instance", "instances"));
    out.push_str("</ul>\n</header>\n");
}

/// Whether nothing can be said of a property, because none of its events was observed.
fn is_unseen(outcome: &Outcome<'_>, property: usize) -> bool {
    outcome.verdict(property) == Verdict::NotViolated
        && outcome.properties[property].totals.events == 0
}

fn plural(n: u64, one: &'static str, many: &'static str) -> &'static str {
    if n == 1 { one } else { many }
}

fn notes(out: &mut String, outcome: &Outcome<'_>) {
    if outcome.limits.is_empty() && outcome.warnings.is_empty() {
        return;
    }
    out.push_str("<h2>Notes</h2>\n<ul class=\"notes\">\n");
    let limits = outcome.limits.iter().map(|limit| crate::limit(outcome.model, limit));
    for note in limits.chain(gathered(&outcome.warnings, true)) {
        let _ = writeln!(out, "<li>{}</li>", escape(&note));
    }
    out.push_str("</ul>\n");
}

fn violations(out: &mut String, outcome: &Outcome<'_>) {
    out.push_str("<h2 id=\"violations\">Violations</h2>\n");
    if outcome.violations.is_empty() {
        let all = outcome.properties.len();
        let verdicts = (0..all).map(|i| outcome.verdict(i));
        let unseen = (0..all).filter(|i| is_unseen(outcome, *i)).count();
        let said = match verdicts.filter(|v| *v == Verdict::Inconclusive).count() as u64 {
            0 if unseen == all => "Nothing was observed, so there is no verdict.".to_string(),
            0 if unseen > 0 => {
                let unseen = count(unseen as u64);
                format!("No property was violated; {unseen} of them observed nothing.")
            }
            0 => "No property was violated.".to_string(),
            n => {
                let verdicts = plural(n, "verdict is", "verdicts are");
                format!("No violation was reported; {} {verdicts} inconclusive.", count(n))
            }
        };
        let _ = writeln!(out, "<div class=\"empty\">{said}</div>");
        return;
    }
    filters(out, outcome);
    for (index, violation) in outcome.violations.iter().enumerate().take(MAX_LISTED) {
        self::violation(out, outcome, index, violation);
    }
    let more = outcome.violations.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        let _ = writeln!(
            out,
            "<div class=\"empty\">{} more than this page can show; a report that ends in .json \
             lists all of them.</div>",
            counted(more as u64, "violation")
        );
    }
}

fn filters(out: &mut String, outcome: &Outcome<'_>) {
    out.push_str(
        "<div class=\"filters\" hidden>\n<input type=\"search\" id=\"text\" \
         placeholder=\"Search messages, values, files\" aria-label=\"Search\">\n\
         <select id=\"property\" aria-label=\"Property\"><option value=\"\">All properties</option>",
    );
    let mut own = vec![0; outcome.model.properties.len()];
    for violation in outcome.violations.iter().take(MAX_LISTED) {
        own[violation.report.property.index()] += 1;
    }
    for (i, property) in outcome.model.properties.iter().enumerate() {
        let own = own[i];
        if own > 0 {
            let name = escape(&property.name);
            let _ = write!(out, "<option value=\"{name}\">{name} ({own})</option>");
        }
    }
    out.push_str(
        "</select>\n<select id=\"severity\" aria-label=\"Severity\"><option value=\"\">Any severity\
         </option><option value=\"error\">error</option><option value=\"warning\">warning</option>\
         <option value=\"note\">note</option></select>\n",
    );
    if !outcome.status.is_empty() {
        out.push_str("<label><input type=\"checkbox\" id=\"known\">known</label>\n");
    }
    out.push_str("<output id=\"shown\"></output>\n</div>\n");
}

fn violation(out: &mut String, outcome: &Outcome<'_>, index: usize, violation: &Violation) {
    let report = &*story(outcome.model, &violation.report);
    let property = outcome.property(violation);
    let severity = property.severity.name();
    let known = outcome.is_known(index);
    let status = match outcome.status.get(index) {
        Some(status) => format!("<span class=\"tag {0}\">{0}</span>", status.name()),
        None => String::new(),
    };
    let times = match violation.count {
        0 | 1 => String::new(),
        n => format!("<span class=\"tag\">{} ×</span>", count(n)),
    };
    let uncertain = match violation.certain {
        true => "",
        false => "<span class=\"tag inconclusive\">uncertain</span>",
    };
    let expected = match violation.expected {
        true => "<span class=\"tag known\">expected</span>",
        false => "",
    };
    let test = violation
        .test
        .as_ref()
        .map_or(String::new(), |test| format!("<p>In test <code>{}</code>.</p>\n", escape(test)));
    let message = match report.message.trim() {
        "" => "violated",
        said => said,
    };
    let _ = writeln!(
        out,
        "<details class=\"violation {severity}{}\" id=\"v{}\" data-property=\"{name}\" \
         data-severity=\"{severity}\"{}>\n<summary><span class=\"message\">{}</span>\
         <span class=\"where\">{name} · {}</span><span class=\"tags\">{status}{times}{uncertain}{expected}\
         <span class=\"tag {severity}\">{severity}</span></span></summary>\n<div class=\"body\">\n\
         <p class=\"explanation\">{}</p>\n{test}<div class=\"columns\">\n<div>",
        if known { " known" } else { "" },
        index + 1,
        if index == 0 { " open" } else { "" },
        escape(message),
        escape(&text::place(report, violation.location.as_deref())),
        code_spans(&escape(&words::remark(outcome.model, report))),
        name = escape(&property.name),
    );
    if index < MAX_PICTURES {
        let diagram = automaton::diagram(outcome.model, property, &report.history);
        let _ = writeln!(
            out,
            "<h3>The path through {}</h3>\n<div class=\"picture\" tabindex=\"0\">{}</div>",
            escape(&property.name),
            svg::inline(&diagram)
        );
    } else {
        let _ = writeln!(
            out,
            "<h3>States</h3>\n<p>{}</p>",
            escape(&path(property, report).join(" → "))
        );
    }
    out.push_str("</div>\n<div>\n");
    if !report.binding.is_empty() {
        out.push_str("<h3>Binding</h3>\n<table class=\"bindings\">\n");
        for (name, value) in &report.binding {
            let (name, value) = (escape(name), escape(&text::show(value)));
            let _ = writeln!(out, "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>");
        }
        out.push_str("</table>\n");
    }
    timeline(out, outcome, report, property);
    if !violation.stack.is_empty() {
        out.push_str("<details class=\"more\"><summary>Stack</summary>\n<ol class=\"code\">\n");
        for frame in &violation.stack {
            let _ = writeln!(out, "<li>{}</li>", escape(&text::location(frame)));
        }
        out.push_str("</ol></details>\n");
    }
    let _ = writeln!(
        out,
        "<p class=\"fingerprint\">fingerprint <code>{}</code></p>\n</div>\n</div>\n</div>\n</details>",
        fingerprint(outcome.model, violation)
    );
}

/// Text between backquotes as code; the text is escaped already.
fn code_spans(escaped: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    let pieces: Vec<&str> = escaped.split('`').collect();
    for (i, piece) in pieces.iter().enumerate() {
        if i > 0 {
            // The last one of an odd number is just a backquote.
            let last = !inside && i + 1 == pieces.len();
            out.push_str(if last {
                "`"
            } else if inside {
                "</code>"
            } else {
                "<code>"
            });
            inside = !last && !inside;
        }
        out.push_str(piece);
    }
    out
}

fn timeline(out: &mut String, outcome: &Outcome<'_>, report: &Report, property: &Property) {
    if report.history.is_empty() {
        return;
    }
    out.push_str("<h3>Events</h3>\n<ol class=\"timeline\">\n");
    for (i, step) in report.history.iter().enumerate() {
        let last = i + 1 == report.history.len();
        let _ = writeln!(
            out,
            "<li data-step=\"{}\"{}><div class=\"event\">{}</div>\n<div class=\"meta\">{}</div>{}</li>",
            i + 1,
            if last { " class=\"last\"" } else { "" },
            escape(&text::event(outcome.model, step)),
            meta(outcome.model, property, step),
            step.location.as_deref().map(|l| source(outcome, l)).unwrap_or_default(),
        );
    }
    out.push_str("</ol>\n");
}

fn meta(model: &Model, property: &Property, step: &Step) -> String {
    let mut parts = Vec::new();
    if let Some(location) = step.location.as_deref() {
        parts.push(text::location(location));
    }
    if let Some(number) = text::number(model, step) {
        parts.push(format!("event {number}"));
    }
    if let Some(time) = step.time {
        parts.push(format!("at {}", text::moment(time)));
    }
    if let Some(thread) = step.thread {
        parts.push(format!("thread {thread}"));
    }
    let state = &property.states[step.state.index()].name;
    format!("{} · → <b>{}</b>", escape(&parts.join(" · ")), escape(state))
}

fn source(outcome: &Outcome<'_>, location: &Location) -> String {
    let Some(snippet) = (outcome.source)(location) else { return String::new() };
    let mut out = String::from("\n<div class=\"source\" tabindex=\"0\">");
    for (number, line) in (snippet.first..).zip(&snippet.lines) {
        let here = if location.line == Some(number) { " class=\"here\"" } else { "" };
        let _ = write!(out, "<div{here}><i>{number}</i>{}</div>", escape(line));
    }
    out.push_str("</div>");
    out
}

fn properties(out: &mut String, outcome: &Outcome<'_>) {
    out.push_str(
        "<h2>Properties</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>Property</th>\
         <th>Verdict</th><th class=\"n\">Violations</th><th class=\"n\">Events</th>\
         <th class=\"n wide\">Instances</th><th class=\"n wide\">At a time</th></tr></thead>\n<tbody>\n",
    );
    for (i, (property, tally)) in
        outcome.model.properties.iter().zip(&outcome.properties).enumerate()
    {
        let verdict = outcome.verdict(i);
        let (class, verdict) = match is_unseen(outcome, i) {
            true => ("unseen", "not observed"),
            false => (verdict.name(), verdict.words()),
        };
        let name = escape(&property.name);
        let link = if tally.totals.violations > 0 {
            format!("<a href=\"#violations\" data-filter=\"{name}\">{name}</a>")
        } else {
            format!("<b>{name}</b>")
        };
        let doc = escape(property.doc.trim().lines().next().unwrap_or_default());
        let missed = match text::missed(outcome.model, &tally.missed) {
            Some(missed) => format!("<small>{}</small>", code_spans(&escape(&missed))),
            None => String::new(),
        };
        let _ = writeln!(
            out,
            "<tr><td>{link}<small>{doc}</small>{missed}</td><td><span class=\"tag {}\">{}</span></td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n wide\">{}</td>\
             <td class=\"n wide\">{}</td></tr>",
            class,
            verdict,
            count(tally.totals.violations),
            count(tally.totals.events),
            count(tally.totals.instances.unwrap_or(0)),
            count(tally.totals.peak),
        );
    }
    out.push_str("</tbody></table></div>\n");
    for property in &outcome.model.properties {
        let _ = writeln!(
            out,
            "<details class=\"more\"><summary>The property {}</summary>\n<p>{}</p>\n<p>{}</p>\n\
             <div class=\"picture\" tabindex=\"0\">{}</div></details>",
            escape(&property.name),
            escape(property.doc.trim()),
            code_spans(&escape(&words::property(outcome.model, property))),
            svg::inline(&automaton::diagram(outcome.model, property, &[])),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::code_spans;

    #[test]
    fn backquotes() {
        assert_eq!(code_spans("a `b` c"), "a <code>b</code> c");
        assert_eq!(code_spans("a ` c"), "a ` c");
        assert_eq!(code_spans("`a` `"), "<code>a</code> `");
        assert_eq!(code_spans("`a``b`"), "<code>a</code><code>b</code>");
    }
}
