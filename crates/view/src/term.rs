//! Pictures made of characters, for terminals.

use crate::diagram::{Diagram, Kind, Node, wrap};
use crate::layout::{Arrow, Graph, Layout, Size, Spacing, layout};
use crate::text::harmless;

/// Characters on a line of a label.
const LABEL_WIDTH: usize = 34;
/// Lines that run sideways between two layers get a row each, up to so many.
const MAX_ROWS: usize = 12;

/// A diagram in lines of text.
pub fn draw(diagram: &Diagram) -> String {
    let order = diagram.start_first();
    let mut at = vec![0; diagram.nodes.len()];
    for (place, node) in order.iter().enumerate() {
        at[*node] = place;
    }
    let boxes = order.iter().map(|n| box_size(&diagram.nodes[*n])).collect();
    let labels: Vec<Vec<String>> = diagram
        .edges
        .iter()
        .map(|edge| {
            // A loop is marked where its label begins, not on every line of it.
            let [mark, rest] = if edge.from == edge.to { ["↻ ", "  "] } else { ["", ""] };
            let of = |label: &str| {
                let lines = wrap(&harmless(label), LABEL_WIDTH).into_iter().enumerate();
                let marked = |(i, line)| format!("{}{line}", if i == 0 { mark } else { rest });
                lines.map(marked).collect::<Vec<String>>()
            };
            edge.lines.iter().flat_map(|l| of(&l.text)).collect()
        })
        .collect();
    let arrows = diagram
        .edges
        .iter()
        .zip(&labels)
        .map(|(edge, lines)| {
            let width = lines.iter().map(|l| l.chars().count()).max();
            let size =
                |width: usize| Size { width: width as f64 + 1.0, height: lines.len() as f64 };
            Arrow { from: at[edge.from], to: at[edge.to], label: width.map(size) }
        })
        .collect();
    let graph = Graph { boxes, arrows };
    // As many rows between layers as lines that would lie on each other need.
    for rows in 2..=MAX_ROWS {
        let spacing = Spacing {
            boxes: 3.0,
            arrows: 2.0,
            layers: rows as f64,
            slope: 0.0,
            ports: 2.0,
            loops: 1.0,
            loop_height: 1.0,
        };
        let placed = layout(&graph, &spacing);
        let mut sheet = Sheet::new(&placed);
        let clash = sheet.arrows(&placed);
        if clash && rows < MAX_ROWS {
            continue;
        }
        for (i, node) in diagram.nodes.iter().enumerate() {
            sheet.node(node, &placed, at[i]);
        }
        for (lines, route) in labels.iter().zip(&placed.routes) {
            if let Some((x, y)) = route.label {
                sheet.label(lines, x, y);
            }
        }
        return format!("{}\n\n{}", harmless(&diagram.title), sheet.text());
    }
    String::new()
}

fn box_size(node: &Node) -> Size {
    let lines = content(node);
    let widest = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
    Size { width: widest as f64 + 4.0, height: lines.len() as f64 + 2.0 }
}

fn content(node: &Node) -> Vec<String> {
    let mut lines = wrap(&harmless(&node.name), 24);
    if node.start {
        lines[0] = format!("● {}", lines[0]);
    }
    if !node.note.is_empty() {
        lines.push(node.note.clone());
    }
    lines
}

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

/// Characters in rows and columns; lines are kept as directions until the end.
struct Sheet {
    width: usize,
    text: Vec<Option<char>>,
    lines: Vec<u8>,
    /// Which arrow runs sideways here.
    owner: Vec<Option<usize>>,
}

impl Sheet {
    fn new(placed: &Layout) -> Sheet {
        let width = placed.size.width.ceil() as usize + 4;
        let height = placed.size.height.ceil() as usize + 2;
        let cells = width * height;
        Sheet { width, text: vec![None; cells], lines: vec![0; cells], owner: vec![None; cells] }
    }

    fn index(&self, x: usize, y: usize) -> usize {
        (y * self.width + x.min(self.width - 1)).min(self.text.len() - 1)
    }

    /// Draws all arrows; answers whether two had to share a row.
    fn arrows(&mut self, placed: &Layout) -> bool {
        let mut clash = false;
        let place = |x: f64| x.round().max(0.0) as usize;
        for (number, route) in placed.routes.iter().enumerate() {
            let runs = &route.runs;
            let [first, .., last] = runs.as_slice() else { continue };
            for pair in runs.windows(2) {
                let (above, below) = (pair[0], pair[1]);
                let (from, to) = (place(above.0), place(below.0));
                let (top, bottom) = (place(above.2), place(below.1));
                let row = self.free_row(number, from, to, top, bottom);
                clash |= row.is_none() && from != to;
                let row = row.unwrap_or(top);
                self.vertical(from, top, row);
                if row == top {
                    // It comes out of a box or a label.
                    let at = self.index(from, top);
                    self.lines[at] |= UP;
                }
                self.horizontal(number, from, to, row);
                self.vertical(to, row, bottom);
            }
            for (x, top, bottom) in runs {
                self.vertical(place(*x), place(*top), place(*bottom));
            }
            let (x, y, tip) = if route.upwards {
                (place(first.0), place(first.1), '▲')
            } else {
                (place(last.0), place(last.2).saturating_sub(1), '▼')
            };
            let at = self.index(x, y);
            self.text[at] = Some(tip);
        }
        clash
    }

    /// A row on which nobody else runs sideways between these columns.
    fn free_row(
        &self,
        number: usize,
        from: usize,
        to: usize,
        top: usize,
        bottom: usize,
    ) -> Option<usize> {
        let (left, right) = (from.min(to), from.max(to));
        (top..bottom).find(|row| {
            (left..=right).all(|x| {
                let at = self.index(x, *row);
                self.owner[at].is_none_or(|o| o == number) && self.text[at].is_none()
            })
        })
    }

    fn vertical(&mut self, x: usize, top: usize, bottom: usize) {
        for y in top..bottom {
            let (here, next) = (self.index(x, y), self.index(x, y + 1));
            self.lines[here] |= DOWN;
            self.lines[next] |= UP;
        }
    }

    fn horizontal(&mut self, number: usize, from: usize, to: usize, y: usize) {
        let (left, right) = (from.min(to), from.max(to));
        for x in left..right {
            let (here, next) = (self.index(x, y), self.index(x + 1, y));
            self.lines[here] |= RIGHT;
            self.lines[next] |= LEFT;
            self.owner[here] = Some(number);
            self.owner[next] = Some(number);
        }
    }

    fn put(&mut self, x: usize, y: usize, text: &str) {
        for (i, c) in text.chars().enumerate() {
            let at = self.index(x + i, y);
            self.text[at] = Some(c);
        }
    }

    fn node(&mut self, node: &Node, placed: &Layout, at: usize) {
        let place = &placed.boxes[at];
        let lines = content(node);
        let width = place.size.width as usize;
        let left = (place.x - place.size.width / 2.0).round().max(0.0) as usize;
        let top = (place.y - place.size.height / 2.0).round().max(0.0) as usize;
        let [nw, h, ne, v, sw, se] = match node.kind {
            Kind::Plain => ['╭', '─', '╮', '│', '╰', '╯'],
            Kind::Bad | Kind::Good => ['╔', '═', '╗', '║', '╚', '╝'],
            Kind::Pending => ['┌', '╌', '┐', '╎', '└', '┘'],
            Kind::Gone => [' ', ' ', ' ', ' ', ' ', ' '],
        };
        let across: String = std::iter::repeat_n(h, width - 2).collect();
        self.put(left, top, &format!("{nw}{across}{ne}"));
        for (i, line) in lines.iter().enumerate() {
            self.put(left, top + 1 + i, &format!("{v}{line:^0$}{v}", width - 2));
        }
        self.put(left, top + 1 + lines.len(), &format!("{sw}{across}{se}"));
    }

    fn label(&mut self, lines: &[String], x: f64, y: f64) {
        let width = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
        let left = (x - (width as f64) / 2.0).round().max(0.0) as usize;
        let top = (y - lines.len() as f64 / 2.0).round().max(0.0) as usize;
        for (i, line) in lines.iter().enumerate() {
            self.put(left, top + i, &format!("{line:<width$}"));
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (text, lines) in self.text.chunks(self.width).zip(self.lines.chunks(self.width)) {
            let row: String =
                text.iter().zip(lines).map(|(t, l)| t.unwrap_or_else(|| line_char(*l))).collect();
            out.push_str(row.trim_end());
            out.push('\n');
        }
        format!("{}\n", out.trim_end())
    }
}

fn line_char(directions: u8) -> char {
    const VERTICAL: u8 = UP | DOWN;
    const HORIZONTAL: u8 = LEFT | RIGHT;
    match directions {
        0 => ' ',
        UP | DOWN | VERTICAL => '│',
        LEFT | RIGHT | HORIZONTAL => '─',
        d if d == DOWN | RIGHT => '╭',
        d if d == DOWN | LEFT => '╮',
        d if d == UP | RIGHT => '╰',
        d if d == UP | LEFT => '╯',
        d if d == VERTICAL | RIGHT => '├',
        d if d == VERTICAL | LEFT => '┤',
        d if d == HORIZONTAL | DOWN => '┬',
        d if d == HORIZONTAL | UP => '┴',
        _ => '┼',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagram::Edge;

    #[test]
    fn a_loop_is_marked_once_however_long_its_label_is() {
        let mut diagram = Diagram::new("Long");
        let only = diagram.add(Node::start("Only"));
        diagram.connect(Edge::new(
            only,
            only,
            "request(client, number) if number > 3 and client != null",
        ));
        let text = draw(&diagram);
        assert_eq!(text.matches('↻').count(), 1, "{text}");
        assert!(text.contains("client != null"), "{text}");
    }

    #[test]
    fn a_small_automaton() {
        let mut diagram = Diagram::new("Files(f)");
        let closed = diagram.add(Node::start("Closed"));
        let open = diagram.add(Node { kind: Kind::Pending, ..Node::plain("Open") });
        diagram.connect(Edge::new(closed, open, "open(f)"));
        diagram.connect(Edge::new(open, closed, "close(f)"));
        diagram.connect(Edge::new(open, open, "read(f)"));
        let text = draw(&diagram);
        for word in ["Files(f)", "● Closed", "Open", "open(f)", "close(f)", "↻ read(f)", "▼", "▲"]
        {
            assert!(text.contains(word), "{word} in\n{text}");
        }
    }
}
