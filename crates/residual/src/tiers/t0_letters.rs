//! T0. Letters that are idle given the letters the program has: Quick Check.

use super::{Run, Tier};
use crate::analysis::Status;
use crate::machine::Letters;
use crate::quick::is_idle;

impl Run<'_, '_> {
    /// Silences the sites of idle letters.
    pub(super) fn quick(&mut self) {
        let present = self.present();
        let idle = (0..self.machines.letters.len())
            .filter(|l| is_idle(self.machines, *l, present, 0))
            .fold(0 as Letters, |set, l| set | 1 << l);
        for (site, (_, found)) in self.sites.all.iter().enumerate() {
            if idle >> found.letter & 1 == 1 {
                self.status[site] = Some(Status::Silenced(Tier::T0));
            }
        }
    }
}
