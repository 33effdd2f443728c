//! A run to report on.

use std::sync::Arc;

use watchword_model::{Event, Location, Model, Value};
use watchword_monitor::{Engine, Limit, Options, PropertyTotals};
use watchword_spec::{SourceFile, load};
use watchword_view::json::Json;
use watchword_view::{Outcome, Snippet, Status, Tally, Violation};

const PROPERTIES: &str = r#"
/// iterator {i} was made from {c}
event create(c, i)
/// {c} was changed
event update(c)
/// {i} was asked for the next element
event next(i)
event request(id)
event reply(id)

/// An iterator must not be used after its collection changed.
///
/// It throws ConcurrentModificationException.
property SafeIterator(c, i) {
  tags jdk, collections
  never create next* update+ next
  message "{i} used after {c} changed"
}

/// Every request is answered within five seconds.
property Reply(id) {
  severity warning
  start state Idle { on request(id) -> Waiting }
  state Waiting within 5 s else Late { on reply(id) -> Idle }
  bad state Late
}

/// Nobody observes this.
property Quiet(x) {
  severity note
  start state A { on never_happens(x) -> B }
  bad state B
}
"#;

/// A run with one violation of each of two properties; a third saw no event.
pub struct Sample {
    pub model: Model,
    pub violations: Vec<Violation>,
}

impl Sample {
    /// With this text wherever a text of the outside can be.
    pub fn with(text: &str) -> Sample {
        let files = [SourceFile::new("p.ww", PROPERTIES)];
        let loaded = load(&files, &|_, _| Err("no imports".to_string()));
        let model = loaded.model.expect("the properties are fine");
        let mut engine = Engine::new(&model, Options { history: 10, ..Options::default() });
        let id = |name: &str| model.event(name).unwrap();
        let place = |line| {
            Some(Arc::new(Location {
                file: Some(format!("src/{text}.java").into()),
                line: Some(line),
                function: Some(format!("Orders.{text}").into()),
            }))
        };
        let (c, i) = (Value::str(text), Value::str(&format!("{text} 2")));
        let mut events = vec![
            Event::new(id("create"), vec![c.clone(), i.clone()]).at(0),
            Event::new(id("update"), vec![c]).at(1_000_000_000),
            Event::new(id("next"), vec![i]).at(2_000_000_000),
            Event::new(id("request"), vec![Value::Int(17)]).at(3_000_000_000),
            Event::new(id("reply"), vec![Value::Int(17)]).at(30_000_000_000),
        ];
        for (line, event) in (10u32..).zip(&mut events) {
            event.location = place(line);
            event.thread = Some(u64::from(line % 2));
            engine.step_owned(event).unwrap();
        }
        engine.end();
        let violations: Vec<Violation> = engine
            .take_reports()
            .into_iter()
            .map(|report| Violation {
                location: report.history.iter().rev().find_map(|s| s.location.clone()),
                in_program: true,
                stack: vec![(*place(12).unwrap()).clone()],
                thread: None,
                count: 3,
                test: None,
                expected: false,
                certain: true,
                report,
            })
            .collect();
        assert_eq!(violations.len(), 2);
        Sample { model, violations }
    }

    pub fn outcome<'a>(
        &'a self,
        status: Vec<Status>,
        source: &'a dyn Fn(&Location) -> Option<Snippet>,
        note: &str,
    ) -> Outcome<'a> {
        let tally = |events, violations| Tally {
            totals: PropertyTotals {
                events,
                violations,
                certain: violations,
                instances: Some(1),
                peak: 1,
                ..PropertyTotals::default()
            },
            ..Tally::default()
        };
        Outcome {
            model: &self.model,
            properties: vec![tally(3, 3), tally(2, 3), tally(0, 0)],
            violations: &self.violations,
            status,
            satisfied: &[],
            limits: vec![Limit::Unsound {
                analysis: format!("limit {note}"),
                silenced: Vec::new(),
            }],
            warnings: vec![format!("warning {note}")],
            stats: Json::Object(Vec::new()),
            printed: &[],
            target: format!("trace {note}"),
            date: Some(1_717_401_690_000_000_000),
            version: "0.1.0",
            source,
            stopped: None,
        }
    }
}
