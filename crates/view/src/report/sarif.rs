//! SARIF 2.1.0: what code-scanning services and editors show beside the source.

use watchword_model::{Location, Property, Severity};
use watchword_monitor::Step;

use crate::json::Json;
use crate::{Outcome, Status, Verdict, Violation, fingerprint, path, text, words};

/// The whole log: one run, a rule per property, a result per violation.
pub fn report(outcome: &Outcome<'_>) -> Json {
    let model = outcome.model;
    let rules: Vec<Json> = model.properties.iter().map(rule).collect();
    let violations = outcome.violations.iter().enumerate().map(|(i, v)| result(outcome, i, v));
    let results: Vec<Json> = violations.chain(open_questions(outcome)).collect();
    let driver = Json::object([
        ("name", "Watchword".into()),
        ("version", outcome.version.into()),
        ("semanticVersion", outcome.version.into()),
        ("rules", rules.into()),
    ]);
    let limits = outcome.limits.iter().map(|limit| crate::limit(model, limit));
    let warned = limits.chain(outcome.warnings.iter().cloned()).map(|note| ("warning", note));
    let missed =
        model.properties.iter().zip(&outcome.properties).filter_map(|(property, tally)| {
            let missed = text::missed(model, &tally.missed)?;
            Some(("note", format!("{}: {missed}", property.name)))
        });
    let notes: Vec<Json> = warned
        .chain(missed)
        .map(|(level, note)| Json::object([("level", level.into()), ("message", message(&note))]))
        .collect();
    let mut invocation = Json::object([("executionSuccessful", outcome.stopped.is_none().into())]);
    if !notes.is_empty() {
        invocation = invocation.with("toolExecutionNotifications", notes);
    }
    let run = Json::object([
        ("tool", Json::object([("driver", driver)])),
        ("invocations", Json::List(vec![invocation])),
        ("columnKind", "unicodeCodePoints".into()),
        ("results", results.into()),
    ]);
    Json::object([
        ("$schema", "https://json.schemastore.org/sarif-2.1.0.json".into()),
        ("version", "2.1.0".into()),
        ("runs", Json::List(vec![run])),
    ])
}

fn message(text: &str) -> Json {
    Json::object([("text", text.into())])
}

fn level(severity: Severity) -> Json {
    severity.name().into()
}

fn rule(property: &Property) -> Json {
    let doc = property.doc.trim();
    let short = match doc.lines().next().filter(|line| !line.trim().is_empty()) {
        Some(line) => line.trim().to_string(),
        None => format!("The property {} is not violated.", property.name),
    };
    let full = if doc.is_empty() { short.as_str() } else { doc };
    let tags: Vec<Json> = property.tags.iter().map(|t| t.as_str().into()).collect();
    Json::object([
        ("id", property.name.as_str().into()),
        ("name", property.name.as_str().into()),
        ("shortDescription", message(&short)),
        ("fullDescription", message(full)),
        ("help", message(full)),
        ("defaultConfiguration", Json::object([("level", level(property.severity))])),
        ("properties", Json::object([("tags", tags.into())])),
    ])
}

/// A result for each property whose verdict is inconclusive although nothing was reported.
fn open_questions<'o>(outcome: &'o Outcome<'_>) -> impl Iterator<Item = Json> + 'o {
    let properties = outcome.model.properties.iter().enumerate();
    let open = properties.filter(|(i, _)| {
        let reported = outcome.properties[*i].totals.violations > 0;
        outcome.verdict(*i) == Verdict::Inconclusive && !reported
    });
    open.map(|(i, property)| {
        let said = format!("{}: inconclusive: a limit was reached", property.name);
        Json::object([
            ("ruleId", property.name.as_str().into()),
            ("ruleIndex", (i as u64).into()),
            ("kind", "open".into()),
            ("level", "none".into()),
            ("message", message(&said)),
        ])
    })
}

fn result(outcome: &Outcome<'_>, index: usize, violation: &Violation) -> Json {
    let report = &violation.report;
    let property = outcome.property(violation);
    let title = match report.message.trim() {
        "" => format!("{} is violated", property.name),
        said => said.to_string(),
    };
    let explanation = words::violation(outcome.model, violation);
    let kind = match violation {
        Violation { expected: true, .. } => "informational",
        Violation { certain: true, .. } => "fail",
        _ => "open",
    };
    let mut result = Json::object([
        ("ruleId", property.name.as_str().into()),
        ("ruleIndex", (report.property.index() as u64).into()),
        ("kind", kind.into()),
        // Only results of kind `fail` have another level.
        ("level", if kind == "fail" { level(property.severity) } else { "none".into() }),
        ("message", message(&format!("{title}\n\n{explanation}"))),
    ]);
    if let Some(place) = violation.location.as_deref().and_then(|l| location(outcome, l, None)) {
        result = result.with("locations", Json::List(vec![place]));
    }
    let prints = [("watchword/v1", fingerprint(outcome.model, violation).as_str().into())];
    result = result.with("partialFingerprints", Json::object(prints));
    if !report.history.is_empty() {
        result = result.with("codeFlows", Json::List(vec![code_flow(outcome, violation)]));
    }
    if !violation.stack.is_empty() {
        let frames = violation.stack.iter().filter_map(|f| location(outcome, f, None));
        let frames: Vec<Json> = frames.map(|l| Json::object([("location", l)])).collect();
        let stack = Json::object([("frames", frames.into())]);
        result = result.with("stacks", Json::List(vec![stack]));
    }
    if let Some(status) = outcome.status.get(index) {
        let state = match status {
            Status::New => "new",
            Status::Known => "unchanged",
        };
        result = result.with("baselineState", state);
    }
    let binding = report.binding.iter();
    let binding =
        binding.map(|(name, value)| (name.to_string(), text::show(value).as_str().into()));
    let bag = Json::object([
        ("binding", Json::Object(binding.collect())),
        ("path", path(property, report).join(" → ").as_str().into()),
    ])
    .with_some("test", violation.test.as_deref())
    .with_some("expected", violation.expected.then_some(true));
    result.with("occurrenceCount", violation.count.max(1)).with("properties", bag)
}

/// The history, a flow per thread; `executionOrder` tells the order across threads.
fn code_flow(outcome: &Outcome<'_>, violation: &Violation) -> Json {
    let history = &violation.report.history;
    let mut threads: Vec<Option<u64>> = Vec::new();
    for step in history {
        if !threads.contains(&step.thread) {
            threads.push(step.thread);
        }
    }
    let flows: Vec<Json> = threads
        .iter()
        .map(|thread| {
            let steps = history.iter().enumerate().filter(|(_, step)| step.thread == *thread);
            let places: Vec<Json> =
                steps.map(|(i, step)| flow_location(outcome, violation, i, step)).collect();
            let mut flow = Json::Object(Vec::new());
            if let Some(thread) = thread {
                flow = flow.with("id", thread.to_string().as_str());
            }
            flow.with("locations", places)
        })
        .collect();
    Json::object([("threadFlows", flows.into())])
}

fn flow_location(outcome: &Outcome<'_>, violation: &Violation, order: usize, step: &Step) -> Json {
    let property = outcome.property(violation);
    let said = text::event(outcome.model, step);
    let nowhere = Location::default();
    let place = step.location.as_deref().unwrap_or(&nowhere);
    let place = location(outcome, place, Some(&said));
    let place = place.unwrap_or_else(|| Json::object([("message", message(&said))]));
    let state = property.states[step.state.index()].name.as_str();
    Json::object([
        ("location", place),
        ("state", Json::object([("state", message(state))])),
        ("executionOrder", (order as u64 + 1).into()),
    ])
}

/// A place in a file, a function, or both; none if neither is known.
fn location(outcome: &Outcome<'_>, place: &Location, said: Option<&str>) -> Option<Json> {
    let mut json = Json::Object(Vec::new());
    if let Some(file) = &place.file {
        // A JVM knows the name of a file; where it was found is the better answer.
        let found = (outcome.source)(place).and_then(|snippet| snippet.file);
        let file = found.as_deref().unwrap_or(file);
        let artifact = Json::object([("uri", uri(file).as_str().into())]);
        let mut physical = Json::object([("artifactLocation", artifact)]);
        if let Some(line) = place.line.filter(|line| *line > 0) {
            physical =
                physical.with("region", Json::object([("startLine", u64::from(line).into())]));
        }
        json = json.with("physicalLocation", physical);
    }
    if let Some(function) = &place.function {
        let logical = Json::object([
            ("fullyQualifiedName", (&**function).into()),
            ("kind", "function".into()),
        ]);
        json = json.with("logicalLocations", Json::List(vec![logical]));
    }
    if matches!(&json, Json::Object(members) if members.is_empty()) {
        return None;
    }
    Some(json.with_some("message", said.map(message)))
}

/// A path as a URI reference: relative ones stay relative, absolute ones become `file:`.
fn uri(file: &str) -> String {
    let path = file.replace('\\', "/");
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    let mut out = match () {
        () if drive => "file:///".to_string(),
        () if path.starts_with('/') => "file://".to_string(),
        () => String::new(),
    };
    for (i, byte) in path.bytes().enumerate() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char);
            }
            // `C:` of a drive; elsewhere a colon could look like the end of a scheme.
            b':' if drive && i == 1 => out.push(':'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn uris() {
        assert_eq!(uri("src/A.java"), "src/A.java");
        assert_eq!(uri("/srv/my app/ä.c"), "file:///srv/my%20app/%C3%A4.c");
        assert_eq!(uri("C:\\src\\a.c"), "file:///C:/src/a.c");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(uri("javascript:alert(1)"), "javascript%3Aalert%281%29");
    }
}
