//! Where cells stand: in the order of their layer, as straight below each other as possible.

use super::{Cell, Graph, Layers, Spacing};

/// How often all layers are gone through.
const ROUNDS: usize = 48;

/// Gives every cell its `x`.
pub(super) fn straighten(layers: &mut Layers, spacing: &Spacing) {
    for rank in 0..layers.ranks.len() {
        settle(layers, spacing, rank, Look::Nowhere);
    }
    for round in 0..ROUNDS {
        let count = layers.ranks.len();
        // At last, everybody looks both ways.
        let both = round * 4 >= ROUNDS * 3;
        for step in 0..count {
            let down = round % 2 == 0;
            let rank = if down { step } else { count - 1 - step };
            let look = match (both, down) {
                (true, _) => Look::Both,
                (false, true) => Look::Up,
                (false, false) => Look::Down,
            };
            settle(layers, spacing, rank, look);
        }
    }
    for _ in 0..3 {
        align_chains(layers, spacing);
    }
    let leftmost = layers.cells.iter().map(|c| c.x - c.left).fold(f64::INFINITY, f64::min);
    for cell in &mut layers.cells {
        cell.x -= leftmost;
    }
}

/// Puts the cells of a long arrow below each other as far as their neighbours allow, so that the
/// arrow has few bends.
fn align_chains(layers: &mut Layers, spacing: &Spacing) {
    let mut place = vec![0; layers.cells.len()];
    for order in &layers.ranks {
        for (at, cell) in order.iter().enumerate() {
            place[*cell] = at;
        }
    }
    for chain in layers.chains.clone() {
        let inner = chain.get(1..chain.len().saturating_sub(1)).unwrap_or_default();
        let mut from = 0;
        while from < inner.len() {
            let mut room = free(layers, spacing, &place, inner[from]);
            let mut to = from + 1;
            while let Some(cell) = inner.get(to) {
                let more = free(layers, spacing, &place, *cell);
                let both = (room.0.max(more.0), room.1.min(more.1));
                if both.0 > both.1 {
                    break;
                }
                room = both;
                to += 1;
            }
            let sum: f64 = inner[from..to].iter().map(|c| layers.cells[*c].x).sum();
            let x = (sum / (to - from) as f64).clamp(room.0, room.1);
            for cell in &inner[from..to] {
                layers.cells[*cell].x = x;
            }
            from = to;
        }
    }
}

/// From where to where a cell can move before it meets its neighbours.
fn free(layers: &Layers, spacing: &Spacing, place: &[usize], cell: usize) -> (f64, f64) {
    let here = &layers.cells[cell];
    let order = &layers.ranks[here.rank];
    let gap =
        |other: &Cell| if other.is_box || here.is_box { spacing.boxes } else { spacing.arrows };
    let at = place[cell];
    let before = at.checked_sub(1).map(|i| &layers.cells[order[i]]);
    let low = before.map_or(f64::NEG_INFINITY, |b| b.x + b.right + gap(b) + here.left);
    let after = order.get(at + 1).map(|i| &layers.cells[*i]);
    let high = after.map_or(f64::INFINITY, |a| a.x - a.left - gap(a) - here.right);
    // Rounding may have brought neighbours a hair too close.
    (low.min(here.x), high.max(here.x))
}

#[derive(Clone, Copy)]
enum Look {
    Nowhere,
    Up,
    Down,
    Both,
}

/// Moves the cells of a layer towards their neighbours above or below.
fn settle(layers: &mut Layers, spacing: &Spacing, rank: usize, look: Look) {
    let order = &layers.ranks[rank];
    let mut wishes = Vec::new();
    let mut gaps = Vec::new();
    for (at, cell) in order.iter().enumerate() {
        let here = &layers.cells[*cell];
        let (up, down) = match look {
            Look::Nowhere => (&[][..], &[][..]),
            Look::Up => (&here.up[..], &[][..]),
            Look::Down => (&[][..], &here.down[..]),
            Look::Both => (&here.up[..], &here.down[..]),
        };
        let weight: f64 = up.iter().chain(down).map(|(_, w)| w).sum();
        let sum: f64 = up.iter().chain(down).map(|(n, w)| layers.cells[*n].x * w).sum();
        wishes.push(if weight > 0.0 { (sum / weight, weight) } else { (here.x, 0.1) });
        if at > 0 {
            let before = &layers.cells[order[at - 1]];
            let gap = if before.is_box || here.is_box { spacing.boxes } else { spacing.arrows };
            gaps.push(before.right + here.left + gap);
        }
    }
    let places = nearest(&wishes, &gaps);
    for (cell, x) in layers.ranks[rank].clone().into_iter().zip(places) {
        layers.cells[cell].x = x;
    }
}

/// The places nearest to the wishes, by least squares, that keep the order and the gaps.
///
/// Without the gaps this is isotonic regression: neighbours that want to pass each other meet at
/// their weighted mean.
fn nearest(wishes: &[(f64, f64)], gaps: &[f64]) -> Vec<f64> {
    let mut offset = 0.0;
    let mut offsets = vec![0.0];
    for gap in gaps {
        offset += gap;
        offsets.push(offset);
    }
    // Blocks of cells that touch: where they are, how much that matters, how many they are.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for ((wish, weight), offset) in wishes.iter().zip(&offsets) {
        let mut block = (wish - offset, *weight, 1);
        while let Some(before) = blocks.last().copied().filter(|b| b.0 > block.0) {
            blocks.pop();
            let weight = before.1 + block.1;
            block =
                ((before.0 * before.1 + block.0 * block.1) / weight, weight, before.2 + block.2);
        }
        blocks.push(block);
    }
    let shifted = blocks.iter().flat_map(|(x, _, n)| std::iter::repeat_n(*x, *n));
    shifted.zip(&offsets).map(|(x, offset)| x + offset).collect()
}

/// Top and bottom of every layer. The further arrows move sideways, the more room is between.
pub(super) fn bands(layers: &Layers, spacing: &Spacing) -> Vec<(f64, f64)> {
    let mut bands: Vec<(f64, f64)> = Vec::new();
    let mut y = 0.0;
    for (rank, order) in layers.ranks.iter().enumerate() {
        let height = order.iter().map(|c| layers.cells[*c].height).fold(0.0, f64::max);
        bands.push((y, y + height));
        let sideways = order
            .iter()
            .flat_map(|c| {
                layers.cells[*c]
                    .down
                    .iter()
                    .map(|(n, _)| (layers.cells[*n].x - layers.cells[*c].x).abs())
            })
            .fold(0.0, f64::max);
        let room = spacing.layers + (sideways * spacing.slope).min(3.0 * spacing.layers);
        if rank + 1 < layers.ranks.len() {
            y += height + room;
        }
    }
    bands
}

/// Per arrow, the `x` at which it meets its upper and its lower box.
pub(super) fn ports(graph: &Graph, layers: &Layers, spacing: &Spacing) -> Vec<(f64, f64)> {
    let mut ports = vec![(0.0, 0.0); layers.chains.len()];
    for at in 0..graph.boxes.len() {
        let width = graph.boxes[at].width;
        for lower_side in [true, false] {
            let mut meeting: Vec<(f64, usize)> = Vec::new();
            for (arrow, chain) in layers.chains.iter().enumerate() {
                let (end, next) = match chain.as_slice() {
                    [first, second, ..] if lower_side => (*first, *second),
                    [.., second, last] if !lower_side => (*last, *second),
                    _ => continue,
                };
                if end == at {
                    meeting.push((layers.cells[next].x, arrow));
                }
            }
            if meeting.is_empty() {
                continue;
            }
            meeting.sort_by(|a, b| a.0.total_cmp(&b.0));
            let x = layers.cells[at].x;
            let reach = (width / 2.0 - spacing.ports * 0.7).max(0.0);
            let gap = if meeting.len() > 1 {
                spacing.ports.min(2.0 * reach / (meeting.len() - 1) as f64)
            } else {
                0.0
            };
            let wishes: Vec<(f64, f64)> =
                meeting.iter().map(|(wish, _)| (wish.clamp(x - reach, x + reach), 1.0)).collect();
            let mut places = nearest(&wishes, &vec![gap; meeting.len() - 1]);
            // Touching ports may have pushed each other over the edge.
            let last = places.len() - 1;
            for (i, place) in places.iter_mut().enumerate() {
                let (low, high) = (x - reach + i as f64 * gap, x + reach - (last - i) as f64 * gap);
                *place = place.max(low).min(high.max(low));
            }
            for ((_, arrow), place) in meeting.iter().zip(places) {
                if lower_side {
                    ports[*arrow].0 = place;
                } else {
                    ports[*arrow].1 = place;
                }
            }
        }
    }
    ports
}
