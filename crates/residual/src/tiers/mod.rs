//! The tiers of the analysis, one file each, in the order in which they run. Each is proven against the
//! program that the earlier ones leave.
//!
//! From T1c on they are repeated: a list that is filled by the method that makes it, and only read by
//! others, is never changed once T2 has silenced what fills it.

mod t0_letters;
mod t1a_types;
mod t1c_origins;
// Beside the one before it: it needs to know where objects come from, too.
mod blockers;
mod t1b_confined;
pub mod t2_methods;
mod told;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::analysis::{Asked, Blocker, Sites, Status};
use crate::body::BodyId;
use crate::jvm::points::Points;
use crate::jvm::program::Program;
use crate::jvm::property::PropertyWorld;
use crate::machine::{Letters, Machines};
use crate::proof::Proofs;

/// Which tier silenced a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// Quick Check.
    T0,
    /// Label groups.
    T1a,
    /// Confined fields.
    T1b,
    /// Origins of objects.
    T1c,
    /// Certificates.
    T2,
    /// Residuals of properties, see [`crate::date`].
    Residual,
}

impl Tier {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Tier::T0 => "T0",
            Tier::T1a => "T1a",
            Tier::T1b => "T1b",
            Tier::T1c => "T1c",
            Tier::T2 => "T2",
            Tier::Residual => "R",
        }
    }
}

/// How often the tiers from T1c on are repeated.
const MAX_ROUNDS: usize = 4;

/// The analysis of one property, on its way through the tiers.
pub(crate) struct Run<'r, 'a> {
    pub name: &'r str,
    pub program: &'r Program<'a>,
    pub machines: &'r Machines,
    pub sites: &'r Sites,
    pub status: &'r mut Vec<Option<Status>>,
    /// Sites that are left because what they lead to may be reported.
    reported: HashSet<u32>,
    rejected: Vec<Rejected>,
    /// The sites that hold back most others.
    pub blockers: Vec<Blocker>,
}

/// A certificate that was given and does not prove what it says.
struct Rejected {
    method: String,
    why: String,
}

impl<'r, 'a> Run<'r, 'a> {
    pub(crate) fn new(
        name: &'r str,
        program: &'r Program<'a>,
        machines: &'r Machines,
        sites: &'r Sites,
        status: &'r mut Vec<Option<Status>>,
    ) -> Run<'r, 'a> {
        let (reported, rejected, blockers) = (HashSet::new(), Vec::new(), Vec::new());
        Run { name, program, machines, sites, status, reported, rejected, blockers }
    }

    /// The tiers that look at letters and types only.
    pub(crate) fn prepare(&mut self) {
        self.quick();
        self.groups();
    }

    pub(crate) fn silenced(&self) -> HashSet<u32> {
        let silent = |s: &usize| matches!(self.status[*s], Some(Status::Silenced(_)));
        (0..self.status.len()).filter(silent).map(|s| s as u32).collect()
    }

    fn present(&self) -> Letters {
        let left = (0..self.status.len())
            .filter(|s| !matches!(self.status[*s], Some(Status::Silenced(_))));
        left.fold(self.sites.elsewhere(), |set, s| set | 1 << self.sites.all[s].1.letter)
    }

    /// The other tiers, while they find something; returns how many points all certificates have.
    pub(crate) fn rounds(
        &mut self,
        world: &PropertyWorld<'_, '_>,
        asked: &mut Asked<'_>,
        origins: &dyn Fn() -> Option<Rc<Points>>,
    ) -> usize {
        let mut points = 0;
        if self.silenced().len() == self.sites.all.len() {
            return points;
        }
        let origins = origins();
        if let Some(origins) = &origins {
            world.inform(origins.clone());
        }
        for round in 0..MAX_ROUNDS {
            let before = self.silenced().len();
            if let Some(origins) = &origins {
                self.origins(world, origins);
            }
            self.confined(world);
            let known = self.silenced().len();
            if round > 0 && known == before {
                break;
            }
            points += self.local(world, asked, round);
            let found = self.silenced();
            if found.len() == known {
                break;
            }
            world.silence(found);
        }
        if let Some(origins) = &origins {
            self.blockers = self.name_others(origins);
        }
        points
    }

    /// Certificates that were given and are not taken: the method, and what is wrong.
    pub(crate) fn rejected(&mut self) -> Vec<String> {
        let texts = self.rejected.drain(..).map(|r| format!("{}: {}", r.method, r.why));
        let mut texts: Vec<String> = texts.collect();
        texts.sort_unstable();
        texts
    }

    /// Every site that proofs are about is silenced now.
    pub(crate) fn expect_all(&mut self, proofs: &Proofs) {
        let silenced: HashSet<(BodyId, u32, usize)> = (0..self.status.len())
            .filter(|site| matches!(self.status[*site], Some(Status::Silenced(_))))
            .map(|site| (self.sites.all[site].0, &self.sites.all[site].1))
            .map(|(id, found)| (id, found.offset, found.letter))
            .collect();
        let methods = self.sites.by_method.keys().map(|id| (self.names(*id), *id));
        let methods: HashMap<[String; 3], BodyId> = methods.collect();
        let letter = |event: &str| self.machines.letters.iter().position(|l| l.name == event);
        for (_, proof) in proofs.iter().filter(|(property, _)| *property == self.name) {
            let id = methods.get(&proof.method);
            for (offset, event) in &proof.sites {
                let known = id
                    .zip(letter(event))
                    .is_some_and(|(id, letter)| silenced.contains(&(*id, *offset, letter)));
                let [class, method, descriptor] = &proof.method;
                let place = format!("{class}.{method}{descriptor}");
                if !known && !self.rejected.iter().any(|rejected| rejected.method == place) {
                    let why = format!("no site of `{event}` at {offset} is silenced");
                    self.rejected.push(Rejected { method: place, why });
                }
            }
        }
    }
}
