//! T1a. Letters that are idle at a site, given the letters of sites that can share its objects by type.

use std::collections::HashMap;

use super::{Run, Tier};
use crate::analysis::Status;
use crate::quick::is_idle;

impl Run<'_, '_> {
    /// Sites of one letter and the same types are judged together.
    pub(super) fn groups(&mut self) {
        type Group<'g> = (usize, &'g Vec<Option<String>>);
        let mut groups: HashMap<Group<'_>, Vec<usize>> = HashMap::new();
        for site in 0..self.status.len() {
            if self.status[site].is_none() {
                let letter = self.sites.all[site].1.letter;
                groups.entry((letter, &self.sites.types[site])).or_default().push(site);
            }
        }
        let keys: Vec<Group<'_>> = groups.keys().copied().collect();
        let share = |one: &Group<'_>, two: &Group<'_>| {
            let binds = |g: &Group<'_>| self.machines.letters[g.0].binds.clone();
            binds(one).iter().zip(one.1).all(|((param, _), ty)| {
                binds(two).iter().zip(two.1).all(|((other, _), other_ty)| {
                    let (Some(a), Some(b)) = (ty, other_ty) else { return true };
                    param != other || self.program.may_share(a, b)
                })
            })
        };
        let mut idle = Vec::new();
        for one in &keys {
            let letters = keys
                .iter()
                .filter(|two| share(one, two))
                .fold(self.sites.elsewhere(), |set, two| set | 1 << two.0);
            if is_idle(self.machines, one.0, letters, self.machines.letters[one.0].params) {
                idle.extend(groups[one].iter().copied());
            }
        }
        for site in idle {
            self.status[site] = Some(Status::Silenced(Tier::T1a));
        }
    }
}
