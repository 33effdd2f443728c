//! Pictures as input of Graphviz.

use std::fmt::Write;

use crate::diagram::{Diagram, Kind, Stroke};

/// One graph, one cluster per diagram.
pub fn draw(diagrams: &[Diagram]) -> String {
    let mut out = String::from("digraph watchword {\n  rankdir=LR;\n");
    out.push_str("  node [shape=ellipse, fontname=\"sans-serif\"];\n");
    out.push_str("  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for (index, diagram) in diagrams.iter().enumerate() {
        cluster(&mut out, diagram, index);
    }
    out.push_str("}\n");
    out
}

fn cluster(out: &mut String, diagram: &Diagram, index: usize) {
    let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label={};", quote(&diagram.title));
    for (i, node) in diagram.nodes.iter().enumerate() {
        if node.start {
            let _ = writeln!(out, "    p{index}start [shape=point];");
            let _ = writeln!(out, "    p{index}start -> p{index}s{i};");
        }
        let style = match node.kind {
            Kind::Plain => "",
            Kind::Bad => ", shape=doubleoctagon, style=filled, fillcolor=\"#f8d0d0\"",
            Kind::Good => ", shape=doublecircle, style=filled, fillcolor=\"#d0f0d0\"",
            Kind::Pending => ", style=\"filled,dashed\", fillcolor=\"#f8f0c8\"",
            Kind::Gone => ", shape=plaintext",
        };
        let mut label = node.name.clone();
        if !node.note.is_empty() {
            let _ = write!(label, "\n{}", node.note);
        }
        let style = match node.removed {
            true => ", style=dashed, color=gray60, fontcolor=gray60",
            false => style,
        };
        let _ = writeln!(out, "    p{index}s{i} [label={}{style}];", quote(&label));
    }
    for edge in &diagram.edges {
        let stroke = match edge.stroke {
            Stroke::Solid => "",
            Stroke::Dashed => ", style=dashed",
            Stroke::Dotted => ", style=dotted",
            Stroke::Removed => ", style=dashed, color=gray60, fontcolor=gray60",
        };
        let fork = if edge.fork { ", arrowtail=dot, dir=both" } else { "" };
        let lines: Vec<&str> = edge.lines.iter().map(|l| l.text.as_str()).collect();
        let _ = writeln!(
            out,
            "    p{index}s{} -> p{index}s{} [label={}{stroke}{fork}];",
            edge.from,
            edge.to,
            quote(&lines.join("\n"))
        );
    }
    out.push_str("  }\n");
}

/// A text as dot wants it; a line break is `\n`.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
