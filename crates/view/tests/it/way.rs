//! The way of an event through Watchword, as a picture for the book: `docs/pictures/way-of-an-event.svg`.

use std::path::Path;

use watchword_testing::look;
use watchword_view::diagram::{Diagram, Edge, Kind, Node, Stroke};
use watchword_view::svg;

/// What an event passes: its name, an example, and the folder of the code where it happens.
const STATIONS: [(&str, &str, &str); 6] = [
    ("program point", "a call of Iterator.next(), Orders.java:6", "select/src"),
    ("hook", "passes the values that the events need", "weave/src"),
    ("event", "next(i = ArrayList$Itr@7)", "jvm/src"),
    ("instance", "c = ArrayList@3, i = ArrayList$Itr@7", "monitor/src/engine"),
    ("verdict", "violated, with the events that led there", "monitor/src/run"),
    ("report", "terminal, HTML, SARIF, JUnit XML, JSON", "view/src/report"),
];

/// How it comes from one to the next.
const STEPS: [&str; 5] = [
    "a selector of the property selects it:\nthe class is woven while it is loaded",
    "the program arrives there",
    "a label matches the event and\nsays which arguments are parameters",
    "a transition leads to a bad state",
    "the agent sends it to the command line",
];

#[test]
fn the_way_of_an_event_is_drawn() {
    let mut diagram = Diagram::new("The way of an event");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let nodes: Vec<usize> = STATIONS
        .iter()
        .map(|(name, example, code)| {
            assert!(crates.join(code).is_dir(), "{name} happens in crates/{code}");
            let kind = if *name == "verdict" { Kind::Bad } else { Kind::Plain };
            let start = *name == STATIONS[0].0;
            diagram.add(Node { note: example.to_string(), kind, start, ..Node::plain(name) })
        })
        .collect();
    for (pair, step) in nodes.windows(2).zip(STEPS) {
        diagram.connect(Edge::new(pair[0], pair[1], step));
    }
    let note = "it keeps its code".to_string();
    let silenced = diagram.add(Node { note, kind: Kind::Gone, ..Node::plain("silenced") });
    let label = "residual analysis proved that\nits events change no report";
    let edge = Edge::new(nodes[0], silenced, label);
    diagram.connect(Edge { stroke: Stroke::Dashed, ..edge });
    look::documented("way-of-an-event.svg", svg::draw(&[diagram]).as_bytes());
}
