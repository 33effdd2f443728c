//! T2. Which sites of one method can be silenced, with the proof, and what keeps the others.

use std::collections::HashSet;

use super::told::Teller;
use super::{Rejected, Run, Tier};
use crate::analysis::{Asked, Status};
use crate::body::BodyId;
use crate::body::{Body, NodeId, Operand};
use crate::certify::What;
use crate::certify::{Certificate, Explorer, Filled, Refusal, anchors};
use crate::check;
use crate::flow::Flows;
use crate::flow::{Flow, NULL, OUTSIDE, UNKNOWN, recents};
use crate::jvm::property::PropertyWorld;
use crate::machine::Machines;
use crate::proof::{Proof, Proofs};
use crate::world::World;

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

impl Run<'_, '_> {
    /// T2; returns how many points its certificates have.
    pub(super) fn local(
        &mut self,
        world: &PropertyWorld<'_, '_>,
        asked: &mut Asked<'_>,
        round: usize,
    ) -> usize {
        let alone = asked.alone;
        let flows = if alone { Flows::new(world) } else { Flows::of_threads(world) };
        let mut points = 0;
        let mut methods: Vec<BodyId> = self.sites.by_method.keys().copied().collect();
        methods.retain(|id| self.program.is_own(*id));
        methods.sort_unstable();
        let all = methods.len();
        for (done, id) in methods.into_iter().enumerate() {
            (asked.progress)(done, all);
            let left: Vec<u32> = self.sites.by_method[&id]
                .iter()
                .map(|(site, _)| *site)
                .filter(|s| !matches!(self.status[*s as usize], Some(Status::Silenced(_))))
                .collect();
            if left.is_empty() {
                continue;
            }
            for site in &left {
                self.status[*site as usize] = None;
                self.reported.remove(site);
            }
            let body = world.body(id);
            let flow = body.as_ref().and_then(|body| flows.of(id, body));
            let (Some(body), Some(flow)) = (body, flow) else {
                for site in left {
                    let why = "its method is too large or cannot be analysed".to_owned();
                    self.status[site as usize] = Some(Status::Left(why));
                }
                continue;
            };
            let found = match asked.given {
                None => Ok(silence(&body, &flow, self.machines, alone)),
                Some(proofs) => self.given(proofs, (id, round), &left, &body, &flow),
            };
            let found = found.unwrap_or_else(|why| {
                self.reject(id, why);
                Local::default()
            });
            let agreed = check::check(&body, &flow, self.machines, alone, &found);
            match (&agreed, &mut asked.keep) {
                (Err(why), _) => self.reject(id, why.to_string()),
                (Ok(()), Some(keep)) if !found.silenced.is_empty() => {
                    keep(self.proof((id, round), &found));
                }
                _ => {}
            }
            for site in &found.silenced {
                self.status[*site as usize] = Some(match &agreed {
                    Ok(()) => Status::Silenced(Tier::T2),
                    Err(why) => Status::Left(format!("its certificate was not confirmed: {why}")),
                });
            }
            points += found.certificates.iter().map(|c| c.points.len()).sum::<usize>();
            let teller = Teller { world, id, body: &body, flow: &flow, machines: self.machines };
            for (site, kept) in &found.kept {
                if self.status[*site as usize].is_none() {
                    self.status[*site as usize] = Some(Status::Left(teller.tell(kept)));
                    let is_report = |refusal: &Refusal| matches!(refusal.what, What::Report(_));
                    if matches!(kept, Kept::Refused(refusal) if is_report(refusal)) {
                        self.reported.insert(*site);
                    }
                }
            }
            if asked.given.is_some() {
                for site in left {
                    self.status[site as usize]
                        .get_or_insert_with(|| Status::Left("no certificate".to_owned()));
                }
            }
        }
        points
    }

    /// A certificate is not taken.
    fn reject(&mut self, id: BodyId, why: String) {
        self.rejected.push(Rejected { method: self.full_name(id), why });
    }

    /// Class with dots, name and descriptor of a method.
    pub(super) fn names(&self, id: BodyId) -> [String; 3] {
        let method = self.program.method(id);
        let text = |name: watchword_classfile::Result<watchword_classfile::JStr<'_>>| {
            name.map(|n| n.to_str().into_owned()).unwrap_or_default()
        };
        let class = text(method.class().name()).replace('/', ".");
        [class, text(method.name()), text(method.descriptor())]
    }

    fn full_name(&self, id: BodyId) -> String {
        let [class, method, descriptor] = self.names(id);
        format!("{class}.{method}{descriptor}")
    }

    /// What was found out about a method, to be written down.
    fn proof(&self, (id, round): (BodyId, usize), found: &Local) -> Proof {
        let mut sites: Vec<u32> = found.silenced.iter().copied().collect();
        sites.sort_unstable();
        let site = |site: &u32| {
            let found = &self.sites.all[*site as usize].1;
            (found.offset, self.machines.letters[found.letter].name.clone())
        };
        Proof {
            method: self.names(id),
            round,
            sites: sites.iter().map(site).collect(),
            certificates: found.certificates.clone(),
        }
    }

    /// What a proof says about a method in a round.
    fn given(
        &self,
        proofs: &Proofs,
        (id, round): (BodyId, usize),
        left: &[u32],
        body: &crate::body::Body,
        flow: &Flow,
    ) -> Result<Local, String> {
        let [class, method, descriptor] = self.names(id);
        let Some(proof) = proofs.find(self.name, [&class, &method, &descriptor], round) else {
            return Ok(Local::default());
        };
        let number = |offset: u32, event: &str| {
            left.iter().copied().find(|site| {
                let found = &self.sites.all[*site as usize].1;
                found.offset == offset && self.machines.letters[found.letter].name == event
            })
        };
        proof.local(body, flow, self.machines, &number)
    }
}
