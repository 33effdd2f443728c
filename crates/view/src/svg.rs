//! Pictures as SVG: self-contained, light or dark as the reader likes, the same for the same input.

use std::fmt::Write;

use crate::diagram::{Diagram, Edge, Kind, Node, Stroke, wrap};
use crate::layout::{Arrow, Graph, Layout, Point, Route, Size, Spacing, layout};
use crate::report::escape;

/// Characters on a line of a label.
const LABEL_WIDTH: usize = 38;
/// Characters on a line of a node.
const NAME_WIDTH: usize = 26;
/// The width of a character of a label, at 11.5 px in a monospaced font.
const LABEL_CHAR: f64 = 6.95;
const LABEL_LINE: f64 = 15.0;
const NAME_LINE: f64 = 18.0;
/// Around everything.
const MARGIN: f64 = 24.0;
/// Above the start node, for the dot everything comes from.
const START: f64 = 34.0;
const TITLE: f64 = 34.0;

const SPACING: Spacing = Spacing {
    boxes: 30.0,
    arrows: 16.0,
    layers: 24.0,
    slope: 0.08,
    ports: 18.0,
    loops: 34.0,
    loop_height: 26.0,
};

/// The look; variables so that a page can bring its own.
pub const STYLE: &str = include_str!("svg.css");

/// A document that shows the diagrams below each other.
pub fn draw(diagrams: &[Diagram]) -> String {
    let drawn: Vec<(String, Size)> = diagrams.iter().map(|d| group(d, true)).collect();
    let width = drawn.iter().map(|(_, size)| size.width).fold(0.0, f64::max);
    let height: f64 = drawn.iter().map(|(_, size)| size.height).sum();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ww-picture\" width=\"{0}\" \
         height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<style>\n{STYLE}</style>\n\
         <rect class=\"ww-paper\" width=\"100%\" height=\"100%\"/>\n",
        number(width),
        number(height)
    );
    let mut y = 0.0;
    for (content, size) in drawn {
        let _ = writeln!(out, "<g transform=\"translate(0 {})\">\n{content}</g>", number(y));
        y += size.height;
    }
    out.push_str("</svg>\n");
    out
}

/// One diagram for a page that has [`STYLE`] already.
pub fn inline(diagram: &Diagram) -> String {
    if diagram.is_too_large() {
        return format!(
            "<p>{} states and {} transitions: too many to draw.</p>\n",
            diagram.nodes.len(),
            diagram.edges.len()
        );
    }
    let (content, size) = group(diagram, false);
    format!(
        "<svg class=\"ww-picture\" role=\"img\" aria-label=\"{2}\" width=\"{0}\" height=\"{1}\" \
         viewBox=\"0 0 {0} {1}\">\n{content}</svg>\n",
        number(size.width),
        number(size.height),
        escape(&format!("The automaton of {}", diagram.title)),
    )
}

/// A node, an edge: text broken into lines, and how much room it takes.
struct Measured {
    names: Vec<Vec<String>>,
    labels: Vec<Vec<(String, bool)>>,
    graph: Graph,
    /// Where in the graph each node is.
    at: Vec<usize>,
}

fn measure(diagram: &Diagram) -> Measured {
    let order = diagram.start_first();
    let mut at = vec![0; diagram.nodes.len()];
    for (place, node) in order.iter().enumerate() {
        at[*node] = place;
    }
    let names: Vec<Vec<String>> = diagram.nodes.iter().map(|n| wrap(&n.name, NAME_WIDTH)).collect();
    let boxes = order.iter().map(|n| box_size(&diagram.nodes[*n], &names[*n])).collect();
    let labels: Vec<Vec<(String, bool)>> = diagram
        .edges
        .iter()
        .map(|edge| {
            let lines = edge.lines.iter();
            lines.flat_map(|l| wrap(&l.text, LABEL_WIDTH).into_iter().map(|t| (t, l.lit))).collect()
        })
        .collect();
    let arrows = diagram
        .edges
        .iter()
        .zip(&labels)
        .map(|(edge, lines)| Arrow {
            from: at[edge.from],
            to: at[edge.to],
            label: label_size(edge, lines),
        })
        .collect();
    Measured { names, labels, graph: Graph { boxes, arrows }, at }
}

fn box_size(node: &Node, lines: &[String]) -> Size {
    let widest = lines.iter().map(|l| text_width(l, 14.0)).fold(0.0, f64::max);
    let note = text_width(&node.note, 11.0);
    let lines = lines.len() as f64 * NAME_LINE + if node.note.is_empty() { 0.0 } else { 15.0 };
    Size { width: (widest.max(note) + 32.0).max(64.0), height: lines + 20.0 }
}

fn label_size(edge: &Edge, lines: &[(String, bool)]) -> Option<Size> {
    let chars = lines.iter().map(|(l, _)| width_in_chars(l)).max()?;
    let badge = if edge.taken.is_empty() { 0.0 } else { badge_width(edge) + 4.0 };
    Some(Size {
        width: chars as f64 * LABEL_CHAR + 14.0 + badge,
        height: lines.len() as f64 * LABEL_LINE + 6.0,
    })
}

/// Wide characters take the room of two.
fn width_in_chars(text: &str) -> usize {
    text.chars()
        .map(|c| if c as u32 >= 0x1100 && !matches!(c, '…' | '→' | '≠') { 2 } else { 1 })
        .sum()
}

/// About how wide a text is in a proportional font, rather more than less.
fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | '\'' | '|' | '!' | ' ' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' => 0.95,
        c if c.is_ascii_uppercase() => 0.77,
        c if (c as u32) >= 0x1100 => 1.05,
        _ => 0.64,
    };
    text.chars().map(em).sum::<f64>() * size
}

/// The numbers of the steps an edge was taken at; long lists are cut.
fn badge(edge: &Edge) -> String {
    let shown: Vec<String> = edge.taken.iter().take(3).map(usize::to_string).collect();
    let more = if edge.taken.len() > 3 { ",…" } else { "" };
    format!("{}{more}", shown.join(","))
}

fn badge_width(edge: &Edge) -> f64 {
    (badge(edge).chars().count() as f64 * 6.5 + 9.0).max(17.0)
}

fn group(diagram: &Diagram, with_title: bool) -> (String, Size) {
    let measured = measure(diagram);
    let placed = layout(&measured.graph, &SPACING);
    let title = if with_title { TITLE } else { 0.0 };
    let has_start = diagram.nodes.iter().any(|n| n.start);
    let above = title + if has_start { START } else { 0.0 };
    let title_width = if with_title { text_width(&diagram.title, 15.0) } else { 0.0 };
    let size = Size {
        width: (placed.size.width.max(title_width) + 2.0 * MARGIN).ceil(),
        height: (placed.size.height + above + 2.0 * MARGIN).ceil(),
    };
    let mut out = String::new();
    if with_title {
        let text = escape(&diagram.title);
        let _ = writeln!(
            out,
            "<text class=\"ww-title\" x=\"{MARGIN}\" y=\"{}\">{text}</text>",
            MARGIN + 12.0
        );
    }
    let left = (size.width - placed.size.width) / 2.0;
    let shift = format!("translate({} {})", number(left), number(MARGIN + above));
    let _ = writeln!(out, "<g transform=\"{shift}\">");
    // What is lit lies above what is not; labels lie above all lines.
    for lit in [false, true] {
        for (edge, route) in diagram.edges.iter().zip(&placed.routes) {
            if edge.taken.is_empty() != lit {
                draw_edge(&mut out, edge, route);
            }
        }
    }
    for (i, node) in diagram.nodes.iter().enumerate() {
        draw_node(&mut out, node, &measured.names[i], &placed, measured.at[i]);
    }
    for (i, (edge, route)) in diagram.edges.iter().zip(&placed.routes).enumerate() {
        draw_label(&mut out, edge, &measured.labels[i], route);
    }
    out.push_str("</g>\n");
    (out, size)
}

fn draw_node(out: &mut String, node: &Node, lines: &[String], placed: &Layout, at: usize) {
    let place = &placed.boxes[at];
    let Size { width, height } = place.size;
    let (x, y) = (place.x - width / 2.0, place.y - height / 2.0);
    let kind = match node.kind {
        Kind::Plain => "plain",
        Kind::Bad => "bad",
        Kind::Good => "good",
        Kind::Pending => "pending",
        Kind::Gone => "gone",
    };
    let lit = if node.lit { " ww-lit" } else { "" };
    let removed = if node.removed { " ww-removed" } else { "" };
    let _ = writeln!(out, "<g class=\"ww-node ww-{kind}{lit}{removed}\">");
    if node.start {
        let _ = writeln!(
            out,
            "<circle class=\"ww-start\" cx=\"{0}\" cy=\"{1}\" r=\"5\"/><path class=\"ww-line\" \
             d=\"M{0} {2}V{3}\"/>{4}",
            number(place.x),
            number(y - 28.0),
            number(y - 23.0),
            number(y - 6.0),
            head((place.x, y), Heading::Down),
        );
    }
    let outline = |out: &mut String, class: &str, inset: f64| {
        let radius = if node.kind == Kind::Bad { 5.0 } else { 13.0 - inset };
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            number(x + inset),
            number(y + inset),
            number(width - 2.0 * inset),
            number(height - 2.0 * inset),
            number(radius),
        );
    };
    outline(out, "ww-box", 0.0);
    if matches!(node.kind, Kind::Bad | Kind::Good) {
        outline(out, "ww-inner", 3.5);
    }
    let all = lines.len() as f64 * NAME_LINE + if node.note.is_empty() { 0.0 } else { 15.0 };
    let mut baseline = place.y - all / 2.0 + 13.5;
    for line in lines {
        let _ = writeln!(
            out,
            "<text class=\"ww-name\" x=\"{}\" y=\"{}\">{}</text>",
            number(place.x),
            number(baseline),
            escape(line.trim())
        );
        baseline += NAME_LINE;
    }
    if !node.note.is_empty() {
        let _ = writeln!(
            out,
            "<text class=\"ww-note\" x=\"{}\" y=\"{}\">{}</text>",
            number(place.x),
            number(baseline - 1.0),
            escape(&node.note)
        );
    }
    out.push_str("</g>\n");
}

fn draw_edge(out: &mut String, edge: &Edge, route: &Route) {
    let stroke = match edge.stroke {
        Stroke::Solid => "",
        Stroke::Dashed => " ww-dashed",
        Stroke::Dotted => " ww-dotted",
        Stroke::Removed => " ww-removed",
    };
    let lit = if edge.taken.is_empty() { "" } else { " ww-lit" };
    let _ = writeln!(out, "<g class=\"ww-edge{stroke}{lit}\">");
    let (path, tip, heading, tail) = match route.looped {
        Some((start, end)) => looped(start, end, route),
        None => curve(route),
    };
    let _ = writeln!(out, "<path class=\"ww-line\" d=\"{path}\"/>{}", head(tip, heading));
    if edge.fork {
        let _ = writeln!(
            out,
            "<circle class=\"ww-fork\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>",
            number(tail.0),
            number(tail.1)
        );
    }
    out.push_str("</g>\n");
}

/// Where the head of an arrow points.
#[derive(Clone, Copy)]
enum Heading {
    Down,
    Up,
    Left,
}

/// The line ends here, a head's length before the box.
const HEAD: f64 = 8.0;

fn head((x, y): Point, heading: Heading) -> String {
    let (a, b) = match heading {
        Heading::Down => ((x - 4.5, y - HEAD - 1.0), (x + 4.5, y - HEAD - 1.0)),
        Heading::Up => ((x - 4.5, y + HEAD + 1.0), (x + 4.5, y + HEAD + 1.0)),
        Heading::Left => ((x + HEAD + 1.0, y - 4.5), (x + HEAD + 1.0, y + 4.5)),
    };
    let text = |(x, y): Point| format!("{} {}", number(x), number(y));
    format!("<path class=\"ww-head\" d=\"M{}L{}L{}Z\"/>", text((x, y)), text(a), text(b))
}

type Drawn = (String, Point, Heading, Point);

fn looped(start: Point, end: Point, route: &Route) -> Drawn {
    let reach = SPACING.loops - 6.0;
    let y = route.label.map_or((start.1 + end.1) / 2.0, |l| l.1);
    let path = format!(
        "M{} {}C{} {} {} {} {} {}S{} {} {} {}",
        number(start.0),
        number(start.1),
        number(start.0 + reach * 0.6),
        number(start.1 - 2.0),
        number(start.0 + reach),
        number(y - 8.0),
        number(start.0 + reach),
        number(y),
        number(end.0 + reach * 0.6),
        number(end.1),
        number(end.0 + HEAD),
        number(end.1),
    );
    (path, end, Heading::Left, start)
}

/// Straight through the layers, curved between them.
fn curve(route: &Route) -> Drawn {
    let runs = &route.runs;
    let (first, last) = (runs[0], runs[runs.len() - 1]);
    let (mut begin, mut end) = ((first.0, first.1), (last.0, last.2));
    let (tip, tail, heading) =
        if route.upwards { (begin, end, Heading::Up) } else { (end, begin, Heading::Down) };
    if route.upwards {
        begin.1 += HEAD;
    } else {
        end.1 -= HEAD;
    }
    let mut path = format!("M{} {}", number(begin.0), number(begin.1));
    let mut at = begin;
    for (i, (x, top, bottom)) in runs.iter().copied().enumerate() {
        if i > 0 {
            let top = if i + 1 == runs.len() { top.min(end.1) } else { top };
            if (x - at.0).abs() < 0.5 {
                let _ = write!(path, "V{}", number(top));
            } else {
                let middle = (at.1 + top) / 2.0;
                let _ = write!(
                    path,
                    "C{} {2} {1} {2} {1} {3}",
                    number(at.0),
                    number(x),
                    number(middle),
                    number(top)
                );
            }
            at = (x, top);
        }
        let bottom = if i + 1 == runs.len() { end.1 } else { bottom };
        if bottom > at.1 {
            let _ = write!(path, "V{}", number(bottom));
            at.1 = bottom;
        }
    }
    (path, tip, heading, tail)
}

fn draw_label(out: &mut String, edge: &Edge, lines: &[(String, bool)], route: &Route) {
    let (Some((x, y)), Some(size)) = (route.label, label_size(edge, lines)) else { return };
    let lit = if edge.taken.is_empty() { "" } else { " ww-lit" };
    let (left, top) = (x - size.width / 2.0, y - size.height / 2.0);
    let _ = writeln!(
        out,
        "<g class=\"ww-label{lit}\"><rect class=\"ww-pill\" x=\"{}\" y=\"{}\" width=\"{}\" \
         height=\"{}\" rx=\"6\"/>",
        number(left),
        number(top),
        number(size.width),
        number(size.height)
    );
    let mut text_left = left + 7.0;
    if !edge.taken.is_empty() {
        let width = badge_width(edge);
        let _ = writeln!(
            out,
            "<rect class=\"ww-badge\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"15\" rx=\"7.5\"/>\
             <text class=\"ww-step\" x=\"{}\" y=\"{}\">{}</text>",
            number(left + 3.0),
            number(y - 7.5),
            number(width),
            number(left + 3.0 + width / 2.0),
            number(y + 3.7),
            badge(edge)
        );
        text_left += width + 2.0;
    }
    for (i, (line, lit)) in lines.iter().enumerate() {
        let class = if *lit { "ww-text ww-lit" } else { "ww-text" };
        let _ = writeln!(
            out,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\" xml:space=\"preserve\">{}</text>",
            number(text_left),
            number(top + 14.0 + i as f64 * LABEL_LINE),
            escape(line)
        );
    }
    out.push_str("</g>\n");
}

/// A coordinate: two digits are enough, and `-0` is 0.
fn number(x: f64) -> String {
    let rounded = (x * 100.0).round() / 100.0;
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}
