//! Orders the boxes of each layer, so that few arrows cross.

use super::Layers;

/// How often all layers are gone through.
const ROUNDS: usize = 24;

/// Orders the cells of every layer.
pub(super) fn reduce_crossings(layers: &mut Layers) {
    begin(layers);
    let mut best = layers.ranks.clone();
    let mut fewest = crossings(layers);
    for round in 0..ROUNDS {
        if fewest == 0 {
            break;
        }
        let down = round % 2 == 0;
        let count = layers.ranks.len();
        for step in 1..count {
            let rank = if down { step } else { count - 1 - step };
            by_median(layers, rank, down);
        }
        swap_neighbours(layers);
        let now = crossings(layers);
        if now < fewest {
            fewest = now;
            best = layers.ranks.clone();
        }
    }
    layers.ranks = best;
}

/// The order in which a walk from the top meets the cells: neighbours begin as neighbours.
fn begin(layers: &mut Layers) {
    let mut met = vec![false; layers.cells.len()];
    let mut ranks = vec![Vec::new(); layers.ranks.len()];
    for root in layers.ranks.iter().flatten() {
        let mut stack = vec![*root];
        while let Some(cell) = stack.pop() {
            if std::mem::replace(&mut met[cell], true) {
                continue;
            }
            ranks[layers.cells[cell].rank].push(cell);
            stack.extend(layers.cells[cell].down.iter().rev().map(|(next, _)| *next));
        }
    }
    layers.ranks = ranks;
}

/// Sorts a layer by the middle of each cell's neighbours in the layer above or below.
fn by_median(layers: &mut Layers, rank: usize, down: bool) {
    let beside = positions(layers, if down { rank - 1 } else { rank + 1 });
    let mut keyed: Vec<(f64, usize)> = Vec::new();
    for (at, cell) in layers.ranks[rank].iter().enumerate() {
        let cell_of = &layers.cells[*cell];
        let neighbours = if down { &cell_of.up } else { &cell_of.down };
        let mut places: Vec<usize> = neighbours.iter().map(|(n, _)| beside[*n]).collect();
        places.sort_unstable();
        let key = match places.len() {
            0 => at as f64,
            n if n % 2 == 1 => places[n / 2] as f64,
            n => (places[n / 2 - 1] + places[n / 2]) as f64 / 2.0,
        };
        keyed.push((key, *cell));
    }
    // Stable: what ties stays as it is.
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    layers.ranks[rank] = keyed.into_iter().map(|(_, cell)| cell).collect();
}

/// Where each cell of a layer stands; meaningless for others.
fn positions(layers: &Layers, rank: usize) -> Vec<usize> {
    let mut places = vec![0; layers.cells.len()];
    for (at, cell) in layers.ranks[rank].iter().enumerate() {
        places[*cell] = at;
    }
    places
}

/// Swaps neighbours while that removes crossings.
fn swap_neighbours(layers: &mut Layers) {
    for rank in 0..layers.ranks.len() {
        let above = rank.checked_sub(1).map(|r| positions(layers, r));
        let below = (rank + 1 < layers.ranks.len()).then(|| positions(layers, rank + 1));
        let pairs = |a: &[(usize, f64)], b: &[(usize, f64)], places: &[usize]| {
            let crossing =
                |x: &(usize, f64)| b.iter().filter(|y| places[x.0] > places[y.0]).count();
            a.iter().map(crossing).sum::<usize>()
        };
        let cost = |layers: &Layers, left: usize, right: usize| {
            let (l, r) = (&layers.cells[left], &layers.cells[right]);
            let up = above.as_ref().map_or(0, |p| pairs(&l.up, &r.up, p));
            up + below.as_ref().map_or(0, |p| pairs(&l.down, &r.down, p))
        };
        for _ in 0..layers.ranks[rank].len() {
            let mut improved = false;
            for at in 1..layers.ranks[rank].len() {
                let (left, right) = (layers.ranks[rank][at - 1], layers.ranks[rank][at]);
                if cost(layers, right, left) < cost(layers, left, right) {
                    layers.ranks[rank].swap(at - 1, at);
                    improved = true;
                }
            }
            if !improved {
                break;
            }
        }
    }
}

/// How many pairs of arrows cross.
fn crossings(layers: &Layers) -> usize {
    let mut count = 0;
    for rank in 1..layers.ranks.len() {
        let above = positions(layers, rank - 1);
        let mut met: Vec<usize> = Vec::new();
        for cell in &layers.ranks[rank] {
            let places: Vec<usize> =
                layers.cells[*cell].up.iter().map(|(n, _)| above[*n]).collect();
            for place in &places {
                count += met.iter().filter(|m| *m > place).count();
            }
            met.extend(places);
        }
    }
    count
}
