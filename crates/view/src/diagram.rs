//! States and arrows with what is written on them: what all pictures are drawn from.

use crate::json::Json;

/// A picture to be drawn.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    /// What stands above it.
    pub title: String,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges; those that look alike and connect the same nodes are one.
    pub edges: Vec<Edge>,
}

impl Diagram {
    /// Whether it is too large to draw in reasonable time and to read.
    pub fn is_too_large(&self) -> bool {
        const LIMIT: usize = 50_000;
        self.nodes.len() * self.edges.len() > LIMIT
    }
}

/// What a node means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing special.
    Plain,
    /// It must not be reached.
    Bad,
    /// It is to be reached.
    Good,
    /// It must not be the last one.
    Pending,
    /// There is nothing there.
    Gone,
}

impl Kind {
    /// The word for it.
    fn name(self) -> &'static str {
        match self {
            Kind::Plain => "plain",
            Kind::Bad => "bad",
            Kind::Good => "good",
            Kind::Pending => "pending",
            Kind::Gone => "gone",
        }
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// What is written in it.
    pub name: String,
    /// What is written below, small.
    pub note: String,
    /// What it means.
    pub kind: Kind,
    /// It is where everything begins.
    pub start: bool,
    /// It is on the way that is shown.
    pub lit: bool,
    /// It was there once.
    pub removed: bool,
}

/// How an edge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// The usual.
    Solid,
    /// Otherwise.
    Dashed,
    /// By the passing of time.
    Dotted,
    /// It was there once.
    Removed,
}

/// A line on an edge.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text.
    pub text: String,
    /// It is on the way that is shown.
    pub lit: bool,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// From.
    pub from: usize,
    /// To.
    pub to: usize,
    /// What is written on it.
    pub lines: Vec<Line>,
    /// How it is drawn.
    pub stroke: Stroke,
    /// What leaves also stays.
    pub fork: bool,
    /// When it was taken on the way that is shown, from 1; empty if it was not.
    pub taken: Vec<usize>,
}

impl Node {
    /// A node.
    pub fn plain(name: &str) -> Node {
        Node {
            name: name.to_string(),
            note: String::new(),
            kind: Kind::Plain,
            start: false,
            lit: false,
            removed: false,
        }
    }

    /// The node where everything begins.
    pub fn start(name: &str) -> Node {
        Node { start: true, ..Node::plain(name) }
    }
}

impl Edge {
    /// An edge with a label; line breaks in it are kept.
    pub fn new(from: usize, to: usize, label: &str) -> Edge {
        let lines = label.lines().map(|l| Line { text: l.to_string(), lit: false }).collect();
        Edge { from, to, lines, stroke: Stroke::Solid, fork: false, taken: Vec::new() }
    }
}

impl Diagram {
    /// An empty picture.
    pub fn new(title: &str) -> Diagram {
        Diagram { title: title.to_string(), ..Diagram::default() }
    }

    /// Adds a node; answers its position.
    pub fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds an edge, or its label to an edge that looks like it.
    pub fn connect(&mut self, edge: Edge) {
        let alike = |e: &&mut Edge| {
            (e.from, e.to, e.stroke, e.fork) == (edge.from, edge.to, edge.stroke, edge.fork)
        };
        match self.edges.iter_mut().find(alike) {
            Some(known) => {
                for line in edge.lines {
                    match known.lines.iter_mut().find(|l| l.text == line.text) {
                        Some(same) => same.lit |= line.lit,
                        None => known.lines.push(line),
                    }
                }
                known.taken.extend(edge.taken);
                known.taken.sort_unstable();
                known.taken.dedup();
            }
            None => self.edges.push(edge),
        }
    }

    /// The positions of the nodes, the start first.
    pub fn start_first(&self) -> Vec<usize> {
        let (start, others): (Vec<usize>, Vec<usize>) =
            (0..self.nodes.len()).partition(|n| self.nodes[*n].start);
        start.into_iter().chain(others).collect()
    }
}

/// Text in lines of about so many characters, broken at blanks or, failing that, after a comma, a
/// dot or a bracket, or in the middle of a word.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest: Vec<char> = line.chars().collect();
        let mut indent = "";
        while rest.len() + indent.len() > width {
            let room = width - indent.len();
            let window = &rest[..room.min(rest.len())];
            let soft = |c: &char| matches!(c, ',' | '.' | '(' | ')' | '/' | '_' | ':' | '|');
            let cut = window
                .iter()
                .rposition(|c| *c == ' ')
                .filter(|at| *at * 3 >= room)
                .or_else(|| window.iter().rposition(soft).filter(|at| *at * 3 >= room))
                .map(|at| at + 1)
                .or_else(|| hump(window).filter(|at| *at * 3 >= room))
                .unwrap_or(room);
            let piece: String = rest.drain(..cut).collect();
            lines.push(format!("{indent}{}", piece.trim_end()));
            while rest.first() == Some(&' ') {
                rest.remove(0);
            }
            indent = "  ";
        }
        if !rest.is_empty() || line.is_empty() {
            lines.push(format!("{indent}{}", rest.into_iter().collect::<String>()));
        }
    }
    lines
}

/// The last place where a capital begins a word inside a word.
fn hump(text: &[char]) -> Option<usize> {
    (1..text.len()).rev().find(|at| text[*at].is_uppercase() && text[*at - 1].is_lowercase())
}

/// For programs: what is drawn, without where.
impl From<&Diagram> for Json {
    fn from(diagram: &Diagram) -> Json {
        let states = diagram.nodes.iter().map(|node| {
            let note = Some(node.note.as_str()).filter(|note| !note.is_empty());
            Json::object([
                ("name", node.name.as_str().into()),
                ("kind", node.kind.name().into()),
                ("start", node.start.into()),
            ])
            .with_some("note", note)
        });
        let arrows = diagram.edges.iter().map(|edge| {
            let lines = edge.lines.iter().map(|line| Json::from(line.text.as_str()));
            let by = match edge.stroke {
                Stroke::Solid => "event",
                Stroke::Dashed => "else",
                Stroke::Dotted => "time",
                Stroke::Removed => "removed",
            };
            Json::object([
                ("from", (edge.from as u64).into()),
                ("to", (edge.to as u64).into()),
                ("labels", lines.collect::<Vec<Json>>().into()),
                ("by", by.into()),
                ("fork", edge.fork.into()),
            ])
        });
        Json::object([("title", diagram.title.as_str().into())])
            .with("states", states.collect::<Vec<Json>>())
            .with("transitions", arrows.collect::<Vec<Json>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_it_hurts_least() {
        assert_eq!(wrap("push(q, ?who) if n < 8", 40), ["push(q, ?who) if n < 8"]);
        assert_eq!(wrap("push(q, ?who) if n < 8", 16), ["push(q, ?who)", "  if n < 8"]);
        assert_eq!(wrap("a_very_long_name_indeed", 12), ["a_very_long_", "  name_", "  indeed"]);
        assert_eq!(wrap("NoTransactionIsActive", 16), ["NoTransactionIs", "  Active"]);
        assert!(wrap(&"x".repeat(1000), 30).iter().all(|l| l.len() <= 30));
        assert_eq!(wrap("", 30), Vec::<String>::new());
    }

    #[test]
    fn edges_that_look_alike_are_one() {
        let mut diagram = Diagram::new("t");
        let a = diagram.add(Node::start("A"));
        diagram.connect(Edge::new(a, a, "x"));
        diagram.connect(Edge::new(a, a, "y"));
        diagram.connect(Edge::new(a, a, "x"));
        diagram.connect(Edge { stroke: Stroke::Dashed, ..Edge::new(a, a, "z") });
        assert_eq!(diagram.edges.len(), 2);
        assert_eq!(diagram.edges[0].lines.len(), 2);
    }
}
