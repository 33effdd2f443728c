//! Places boxes and arrows in layers.
//!
//! The method is Sugiyama's: arrows that would make a cycle are turned around, every box gets the
//! layer of its longest way from the start, long arrows and labels get cells of their own in the
//! layers between, cells are ordered so that few arrows cross, and moved so that arrows are
//! straight. Labels are cells like boxes, so nothing can overlap them. The same graph always gives
//! the same picture.
//! This module knows only sizes; the caller draws the contents of a box.

mod order;
mod place;
mod rank;

/// How large something is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// An arrow to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    /// The box it leaves.
    pub from: usize,
    /// The box it enters; may be the same.
    pub to: usize,
    /// How large its label is, if it has one.
    pub label: Option<Size>,
}

/// What is to be placed. The first box is the start: it comes first.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The boxes.
    pub boxes: Vec<Size>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
}

/// Distances.
#[derive(Clone, Copy, Debug)]
pub struct Spacing {
    /// Between neighbours in a layer, if one is a box.
    pub boxes: f64,
    /// Between neighbours in a layer that are arrows or labels.
    pub arrows: f64,
    /// Between layers, at least.
    pub layers: f64,
    /// How much of a sideways move is added to that.
    pub slope: f64,
    /// Between the points where arrows meet a box.
    pub ports: f64,
    /// How far a loop reaches out of its box.
    pub loops: f64,
    /// How high a loop is, at least.
    pub loop_height: f64,
}

/// A point; `y` grows downwards.
pub type Point = (f64, f64);

/// A placed box, by its centre.
#[derive(Clone, Copy, Debug, Default)]
pub struct Placed {
    /// The middle, from the left.
    pub x: f64,
    /// The middle, from the top.
    pub y: f64,
    /// Its size.
    pub size: Size,
}

/// A placed arrow.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// Vertical runs from top to bottom: `x`, upper `y`, lower `y`. The first is at the upper box,
    /// the last at the lower one. Empty for a loop.
    pub runs: Vec<(f64, f64, f64)>,
    /// It points upwards: its head is at the first run.
    pub upwards: bool,
    /// The middle of its label.
    pub label: Option<Point>,
    /// A loop at the right side of its box: from and to these points.
    pub looped: Option<(Point, Point)>,
}

/// A graph with a place for everything.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The boxes.
    pub boxes: Vec<Placed>,
    /// The arrows.
    pub routes: Vec<Route>,
    /// How large it all is.
    pub size: Size,
}

/// A box, a label, or the place where an arrow passes a layer.
#[derive(Clone, Debug, Default)]
struct Cell {
    /// What it needs to the left and to the right of its middle.
    left: f64,
    right: f64,
    height: f64,
    rank: usize,
    is_box: bool,
    /// Neighbours in the layers above and below, and how much a straight line matters.
    up: Vec<(usize, f64)>,
    down: Vec<(usize, f64)>,
    x: f64,
}

/// Everything in layers.
struct Layers {
    /// The boxes come first.
    cells: Vec<Cell>,
    ranks: Vec<Vec<usize>>,
    /// Per arrow, its cells from top to bottom, boxes included; empty for loops.
    chains: Vec<Vec<usize>>,
    /// Per arrow, the cell that holds its label.
    labels: Vec<Option<usize>>,
    upwards: Vec<bool>,
}

/// Places a graph.
pub fn layout(graph: &Graph, spacing: &Spacing) -> Layout {
    if graph.boxes.is_empty() {
        return Layout::default();
    }
    let mut layers = build(graph, spacing);
    order::reduce_crossings(&mut layers);
    place::straighten(&mut layers, spacing);
    route(graph, &layers, spacing)
}

fn build(graph: &Graph, spacing: &Spacing) -> Layers {
    let (box_ranks, upwards) = rank::ranks(graph);
    let mut cells: Vec<Cell> = graph
        .boxes
        .iter()
        .zip(&box_ranks)
        .map(|(size, rank)| Cell {
            left: size.width / 2.0,
            right: size.width / 2.0,
            height: size.height,
            // Labels live in the odd layers in between.
            rank: rank * 2,
            is_box: true,
            ..Cell::default()
        })
        .collect();
    let mut chains = Vec::new();
    let mut labels = Vec::new();
    for (arrow, upwards) in graph.arrows.iter().zip(&upwards) {
        if arrow.from == arrow.to {
            let label = arrow.label.unwrap_or_default();
            let cell = &mut cells[arrow.from];
            cell.right =
                cell.right.max(graph.boxes[arrow.from].width / 2.0 + spacing.loops + label.width);
            chains.push(Vec::new());
            labels.push(None);
            continue;
        }
        let (top, bottom) = if *upwards { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) };
        let (first, last) = (cells[top].rank, cells[bottom].rank);
        // The odd layer nearest to the middle.
        let middle = (first + last) / 2;
        let middle = if middle % 2 == 1 { middle } else { middle - 1 };
        let mut chain = vec![top];
        let mut label = None;
        for rank in first + 1..last {
            let size = arrow.label.filter(|_| rank == middle).unwrap_or_default();
            if rank == middle && arrow.label.is_some() {
                label = Some(cells.len());
            }
            chain.push(cells.len());
            cells.push(Cell {
                left: size.width / 2.0,
                right: size.width / 2.0,
                height: size.height,
                rank,
                ..Cell::default()
            });
        }
        chain.push(bottom);
        for pair in chain.windows(2) {
            let boxes = pair.iter().filter(|c| cells[**c].is_box).count();
            let weight = [8.0, 2.0, 1.0][boxes];
            cells[pair[0]].down.push((pair[1], weight));
            cells[pair[1]].up.push((pair[0], weight));
        }
        chains.push(chain);
        labels.push(label);
    }
    stack_loops(graph, spacing, &mut cells);
    let count = cells.iter().map(|c| c.rank + 1).max().unwrap_or(0);
    let mut ranks = vec![Vec::new(); count];
    for (i, cell) in cells.iter().enumerate() {
        ranks[cell.rank].push(i);
    }
    Layers { cells, ranks, chains, labels, upwards }
}

/// A box is at least as high as the labels of its loops.
fn stack_loops(graph: &Graph, spacing: &Spacing, cells: &mut [Cell]) {
    let mut heights = vec![0.0; graph.boxes.len()];
    for arrow in graph.arrows.iter().filter(|a| a.from == a.to) {
        heights[arrow.from] += arrow.label.unwrap_or_default().height.max(spacing.loop_height);
    }
    for (cell, height) in cells.iter_mut().zip(heights) {
        cell.height = cell.height.max(height);
    }
}

fn route(graph: &Graph, layers: &Layers, spacing: &Spacing) -> Layout {
    let Layers { cells, ranks, chains, labels, upwards } = layers;
    let bands = place::bands(layers, spacing);
    let middle = |cell: usize| {
        let (top, bottom) = bands[cells[cell].rank];
        (top + bottom) / 2.0
    };
    let boxes: Vec<Placed> = graph
        .boxes
        .iter()
        .enumerate()
        .map(|(i, size)| Placed { x: cells[i].x, y: middle(i), size: *size })
        .collect();
    let ports = place::ports(graph, layers, spacing);
    let mut routes = Vec::new();
    let mut loops_of = vec![0.0; boxes.len()];
    for (i, arrow) in graph.arrows.iter().enumerate() {
        if chains[i].is_empty() {
            let placed = &boxes[arrow.from];
            let all: f64 = graph
                .arrows
                .iter()
                .filter(|a| a.from == a.to && a.from == arrow.from)
                .map(|a| a.label.unwrap_or_default().height.max(spacing.loop_height))
                .sum();
            let height = arrow.label.unwrap_or_default().height.max(spacing.loop_height);
            let y = placed.y - all / 2.0 + loops_of[arrow.from] + height / 2.0;
            loops_of[arrow.from] += height;
            let x = placed.x + placed.size.width / 2.0;
            let reach = (placed.size.height / 2.0 - 3.0).min(height / 2.0).min(9.0);
            let y_box = y.clamp(
                placed.y - placed.size.height / 2.0 + reach + 2.0,
                placed.y + placed.size.height / 2.0 - reach - 2.0,
            );
            routes.push(Route {
                label: arrow.label.map(|l| (x + spacing.loops + l.width / 2.0, y)),
                looped: Some(((x, y_box - reach), (x, y_box + reach))),
                ..Route::default()
            });
            continue;
        }
        let chain = &chains[i];
        let mut runs = Vec::new();
        for (at, cell) in chain.iter().enumerate() {
            let (top, bottom) = bands[cells[*cell].rank];
            let half = cells[*cell].height / 2.0;
            let center = middle(*cell);
            if at == 0 {
                let half = graph.boxes[*cell].height / 2.0;
                runs.push((ports[i].0, center + half, bottom));
            } else if at + 1 == chain.len() {
                let half = graph.boxes[*cell].height / 2.0;
                runs.push((ports[i].1, top, center - half));
            } else if labels[i] == Some(*cell) {
                runs.push((cells[*cell].x, center - half, center + half));
            } else {
                runs.push((cells[*cell].x, top, bottom));
            }
        }
        let label = labels[i].map(|cell| (cells[cell].x, middle(cell)));
        routes.push(Route { runs, upwards: upwards[i], label, looped: None });
    }
    let width = cells.iter().map(|c| c.x + c.right).fold(0.0, f64::max);
    let height = ranks.len().checked_sub(1).map_or(0.0, |last| bands[last].1);
    Layout { boxes, routes, size: Size { width, height } }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACING: Spacing = Spacing {
        boxes: 30.0,
        arrows: 14.0,
        layers: 20.0,
        slope: 0.1,
        ports: 14.0,
        loops: 24.0,
        loop_height: 16.0,
    };

    /// A graph drawn from a seed.
    fn random(seed: u64, boxes: usize, arrows: usize) -> Graph {
        let mut state = seed;
        let mut next = |n: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let size = |n: usize| Size { width: 40.0 + n as f64, height: 30.0 };
        let boxes: Vec<Size> = (0..boxes).map(|_| size(next(60))).collect();
        let arrows = (0..arrows)
            .map(|_| Arrow {
                from: next(boxes.len()),
                to: next(boxes.len()),
                label: (next(4) > 0).then(|| Size { width: 20.0 + next(150) as f64, height: 16.0 }),
            })
            .collect();
        Graph { boxes, arrows }
    }

    type Rect = (f64, f64, f64, f64);

    fn around(at: Point, size: Size) -> Rect {
        let (w, h) = (size.width / 2.0, size.height / 2.0);
        (at.0 - w, at.1 - h, at.0 + w, at.1 + h)
    }

    fn overlap(a: &Rect, b: &Rect) -> bool {
        a.0 + 0.1 < b.2 && b.0 + 0.1 < a.2 && a.1 + 0.1 < b.3 && b.1 + 0.1 < a.3
    }

    #[test]
    fn nothing_overlaps_and_everything_is_inside() {
        for seed in 0..200 {
            let graph = random(seed, 1 + seed as usize % 18, seed as usize % 40);
            let layout = layout(&graph, &SPACING);
            let mut rects: Vec<Rect> =
                layout.boxes.iter().map(|b| around((b.x, b.y), b.size)).collect();
            for (arrow, route) in graph.arrows.iter().zip(&layout.routes) {
                if let (Some(at), Some(size)) = (route.label, arrow.label) {
                    rects.push(around(at, size));
                }
            }
            for (i, a) in rects.iter().enumerate() {
                assert!(a.0 >= -0.1 && a.1 >= -0.1, "seed {seed}");
                assert!(a.2 <= layout.size.width + 0.1, "seed {seed}");
                assert!(a.3 <= layout.size.height + 0.1, "seed {seed}");
                for b in &rects[..i] {
                    assert!(!overlap(a, b), "seed {seed}: {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn the_same_graph_gives_the_same_picture() {
        let graph = random(7, 15, 30);
        let [a, b] = [(), ()].map(|()| format!("{:?}", layout(&graph, &SPACING)));
        assert_eq!(a, b);
    }

    #[test]
    fn arrows_meet_the_boxes_they_connect() {
        for seed in 0..100 {
            let graph = random(seed, 2 + seed as usize % 12, 20);
            let layout = layout(&graph, &SPACING);
            for (arrow, route) in graph.arrows.iter().zip(&layout.routes) {
                if arrow.from == arrow.to {
                    assert!(route.looped.is_some());
                    continue;
                }
                let (top, bottom) =
                    if route.upwards { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) };
                let (top, bottom) = (&layout.boxes[top], &layout.boxes[bottom]);
                let (first, last) = (route.runs[0], route.runs[route.runs.len() - 1]);
                assert!((first.0 - top.x).abs() <= top.size.width / 2.0, "seed {seed}");
                assert!((first.1 - top.y - top.size.height / 2.0).abs() < 0.01);
                assert!((last.0 - bottom.x).abs() <= bottom.size.width / 2.0, "seed {seed}");
                assert!((last.2 - bottom.y + bottom.size.height / 2.0).abs() < 0.01);
                assert!(route.runs.windows(2).all(|w| w[0].2 < w[1].1), "downwards: seed {seed}");
            }
        }
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let size = Size { width: 50.0, height: 30.0 };
        let boxes = vec![size; 5];
        let label = Some(Size { width: 80.0, height: 16.0 });
        let arrows = (0..4).map(|i| Arrow { from: i, to: i + 1, label }).collect();
        let layout = layout(&Graph { boxes, arrows }, &SPACING);
        assert!(layout.boxes.windows(2).all(|w| (w[0].x - w[1].x).abs() < 0.5));
    }
}
