//! Which layer a box is in, and which arrows point upwards.

use super::Graph;

/// The layer of each box, and per arrow whether it points to a higher layer.
pub(super) fn ranks(graph: &Graph) -> (Vec<usize>, Vec<bool>) {
    let upwards = back_arrows(graph);
    // The longest way from a box without a predecessor, in the order of a topological sort.
    let count = graph.boxes.len();
    let ends = |i: usize| {
        let arrow = &graph.arrows[i];
        if upwards[i] { (arrow.to, arrow.from) } else { (arrow.from, arrow.to) }
    };
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut missing = vec![0; count];
    for i in 0..graph.arrows.len() {
        let (top, bottom) = ends(i);
        if top != bottom {
            after[top].push(bottom);
            missing[bottom] += 1;
        }
    }
    let mut ranks = vec![0; count];
    let mut todo: Vec<usize> = (0..count).filter(|b| missing[*b] == 0).collect();
    while let Some(at) = todo.pop() {
        for &next in &after[at] {
            ranks[next] = ranks[next].max(ranks[at] + 1);
            missing[next] -= 1;
            if missing[next] == 0 {
                todo.push(next);
            }
        }
    }
    (ranks, upwards)
}

/// The arrows that close a cycle in a walk from the first box.
fn back_arrows(graph: &Graph) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); graph.boxes.len()];
    for (i, arrow) in graph.arrows.iter().enumerate() {
        leaving[arrow.from].push(i);
    }
    let mut seen = vec![Seen::No; graph.boxes.len()];
    let mut back = vec![false; graph.arrows.len()];
    for root in 0..graph.boxes.len() {
        if seen[root] != Seen::No {
            continue;
        }
        seen[root] = Seen::Open;
        let mut stack = vec![(root, 0)];
        while let Some((at, next)) = stack.last_mut() {
            let Some(&arrow) = leaving[*at].get(*next) else {
                seen[*at] = Seen::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = graph.arrows[arrow].to;
            match seen[to] {
                Seen::Open => back[arrow] = true,
                Seen::No => {
                    seen[to] = Seen::Open;
                    stack.push((to, 0));
                }
                Seen::Done => {}
            }
        }
    }
    back
}
