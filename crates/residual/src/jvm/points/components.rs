//! Parts of a graph that reach each other: they hold the same, and count as one place.

/// Groups of nodes of a graph that reach each other, of one node or more, those first that others lead
/// to: Tarjan's algorithm without recursion. Nodes that lead nowhere may be left out.
pub(super) fn components(next: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut order = vec![UNSEEN; next.len()];
    let mut low = vec![0u32; next.len()];
    let mut on_stack = vec![false; next.len()];
    let mut stack: Vec<u32> = Vec::new();
    let mut count = 0;
    let mut found = Vec::new();
    for root in 0..next.len() as u32 {
        if order[root as usize] != UNSEEN || next[root as usize].is_empty() {
            continue;
        }
        let mut path: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((node, edge)) = path.last_mut() {
            let at = *node as usize;
            if *edge == 0 && order[at] == UNSEEN {
                (order[at], low[at]) = (count, count);
                count += 1;
                stack.push(at as u32);
                on_stack[at] = true;
            }
            if let Some(to) = next[at].get(*edge).copied() {
                *edge += 1;
                if order[to as usize] == UNSEEN {
                    path.push((to, 0));
                } else if on_stack[to as usize] {
                    low[at] = low[at].min(order[to as usize]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[at]);
            }
            if low[at] == order[at] {
                let from = stack.iter().rposition(|n| *n == at as u32).unwrap_or(0);
                let group = stack.split_off(from);
                group.iter().for_each(|n| on_stack[*n as usize] = false);
                found.push(group);
            }
        }
    }
    found
}
