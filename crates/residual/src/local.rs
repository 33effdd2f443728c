//! Which sites of one method can be silenced, with the proof, and what keeps the others.

use std::collections::HashSet;

use crate::body::{Body, NodeId, Operand};
use crate::certify::{Certificate, Explorer, Filled, Refusal, anchors};
use crate::flow::{Flow, NULL, OUTSIDE, UNKNOWN, recents};
use crate::machine::Machines;

/// What was found out about the sites of a method.
#[derive(Clone, Debug, Default)]
pub struct Local {
    /// Sites that may be silenced, all together.
    pub silenced: HashSet<u32>,
    /// The proof.
    pub certificates: Vec<Certificate>,
    /// The other sites, each with what keeps it.
    pub kept: Vec<(u32, Kept)>,
}

/// What keeps a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It binds an object that was not made in the method: the node it came from, if one is known.
    Unknown(Option<NodeId>, Operand),
    /// The object may have left the method there.
    Left(NodeId, String),
    /// The object may be one of several of the same origin.
    Old,
    /// The monitors would come apart.
    Refused(Refusal),
    /// The code is never reached, by the analysis' lights.
    Unreachable,
    /// The method has too many origins, or too many combinations of them.
    TooLarge,
}

/// One event of a body.
#[derive(Clone, Debug)]
struct Candidate {
    site: u32,
    anchors: u64,
}

/// Tries to silence as much of a method as possible. Sites in `already` are silenced for other
/// reasons: they have been taken out of the body.
pub fn silence(body: &Body, flow: &Flow, machines: &Machines, alone: bool) -> Local {
    let mut local = Local::default();
    let mut candidates: Vec<Candidate> = Vec::new();
    for node in 0..body.nodes.len() as NodeId {
        for event in &body.nodes[node as usize].events {
            if flow.before[node as usize].is_none() {
                local.kept.push((event.site, Kept::Unreachable));
                continue;
            }
            let found = anchors(flow, body, node, event);
            if found.is_empty() {
                local.kept.push((event.site, explain(body, flow, node, &event.operands)));
                continue;
            }
            let anchors = found.iter().fold(0, |set, origin| set | 1 << origin);
            // A site in code that was copied by the compiler may be at several nodes.
            match candidates.iter_mut().find(|c| c.site == event.site) {
                Some(known) => known.anchors |= anchors,
                None => candidates.push(Candidate { site: event.site, anchors }),
            }
        }
    }
    let kept: HashSet<u32> = local.kept.iter().map(|(site, _)| *site).collect();
    candidates.retain(|c| !kept.contains(&c.site));
    if candidates.is_empty() {
        return local;
    }
    let explorer = Explorer::new(body, flow, machines, alone);
    let anchored = candidates.iter().fold(0, |set, c| set | c.anchors);
    let Some(fillings) = explorer.fillings(anchored) else {
        local.kept.extend(candidates.iter().map(|c| (c.site, Kept::TooLarge)));
        return local;
    };
    let concerns = |candidate: &Candidate, filled: &[Filled]| {
        filled.iter().any(|f| matches!(f, Filled::Origin(o) if candidate.anchors >> o & 1 == 1))
    };
    // All at once; what a failing proof is about is taken back, until every proof holds. An event
    // moves only slices that contain one of its anchors, so other proofs stay as they are.
    let mut silenced: HashSet<u32> = candidates.iter().map(|c| c.site).collect();
    let mut proofs: Vec<Option<Certificate>> = vec![None; fillings.len()];
    let mut back: Vec<(usize, Refusal)> = Vec::new();
    while let Some(next) = proofs.iter().position(Option::is_none) {
        let (machine, filled) = &fillings[next];
        let refusal = match explorer.explore(*machine, filled, &silenced) {
            Ok(proof) => {
                proofs[next] = Some(proof);
                continue;
            }
            Err(refusal) => refusal,
        };
        let before = silenced.len();
        for (index, candidate) in candidates.iter().enumerate() {
            if concerns(candidate, filled) && silenced.remove(&candidate.site) {
                back.push((index, refusal.clone()));
                for (proof, (_, filled)) in proofs.iter_mut().zip(&fillings) {
                    if concerns(candidate, filled) {
                        *proof = None;
                    }
                }
            }
        }
        if silenced.len() == before {
            // Nothing is silenced in this slice, yet the proof fails: leave everything.
            let all = candidates.iter().map(|c| (c.site, Kept::Refused(refusal.clone())));
            local.kept.extend(all);
            return local;
        }
    }
    // Then one by one.
    const MAX_SINGLE: usize = 40;
    let mut reasons: Vec<(u32, Kept)> = Vec::new();
    for (tried, (index, first)) in back.into_iter().enumerate() {
        let candidate = &candidates[index];
        let mut refusal = Some(first);
        if tried < MAX_SINGLE {
            silenced.insert(candidate.site);
            let concerned = (0..fillings.len()).filter(|at| concerns(candidate, &fillings[*at].1));
            let again: Result<Vec<(usize, Certificate)>, Refusal> = concerned
                .map(|at| {
                    let (machine, filled) = &fillings[at];
                    explorer.explore(*machine, filled, &silenced).map(|proof| (at, proof))
                })
                .collect();
            refusal = match again {
                Ok(again) => {
                    again.into_iter().for_each(|(at, proof)| proofs[at] = Some(proof));
                    None
                }
                Err(refusal) => Some(refusal),
            };
        }
        if let Some(refusal) = refusal {
            silenced.remove(&candidate.site);
            reasons.push((candidate.site, Kept::Refused(refusal)));
        }
    }
    local.certificates = proofs.into_iter().flatten().collect();
    local.silenced = silenced;
    local.kept.extend(reasons);
    local
}

/// Why an event has no anchor: what is said about the first object it binds.
fn explain(body: &Body, flow: &Flow, node: NodeId, operands: &[Operand]) -> Kept {
    let Some(state) = &flow.before[node as usize] else { return Kept::Unreachable };
    let mut reason = Kept::Unknown(None, Operand::Unknown);
    for operand in operands {
        let (objects, why) = match operand {
            Operand::Var(var) => (state.vars[usize::from(*var)], state.why[usize::from(*var)]),
            Operand::Result => {
                let fresh = flow.effects.get(&node).and_then(|e| e.fresh);
                if fresh.is_some() {
                    continue;
                }
                (UNKNOWN, node + 1)
            }
            Operand::Unknown => (UNKNOWN, 0),
        };
        if objects & OUTSIDE != 0 {
            return Kept::Unknown(why.checked_sub(1), *operand);
        }
        reason = match recents(objects).find(|o| state.escaped >> o & 1 == 1) {
            Some(origin) => match flow.leaks.get(origin).cloned().flatten() {
                Some((at, how)) => Kept::Left(at, how),
                None => Kept::Left(node, "by the call itself".to_owned()),
            },
            None if objects & !NULL == 0 => Kept::Unreachable,
            None => Kept::Old,
        };
    }
    let _ = body;
    reason
}
