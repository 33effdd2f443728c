//! Letters that change nothing, whatever the order of events: Quick Check and its refinements.
//!
//! Given the letters a slice can read at all, a letter is *idle* if it makes no report and leads
//! every state that can be reached to one that answers all words over these letters alike. All idle
//! letters may be left out at once: each step over one of them stays within a class. With fewer
//! letters more of them are idle, never fewer, so sites may be judged by different sets: a slice
//! that contains a site reads only letters of that site's set.

use crate::machine::{Letter, Letters, Machine, Machines, Params};

/// Whether a letter is idle in every machine, where slices read only some letters. `only` restricts
/// the question to machines with these parameters in their domain.
pub fn is_idle(machines: &Machines, letter: Letter, letters: Letters, only: Params) -> bool {
    let concerned = machines.machines.iter().filter(|m| m.domain & only == only);
    concerned.into_iter().all(|machine| idle_in(machine, letter, letters))
}

/// Whether a letter is idle in a machine whose slices read only some letters.
pub fn idle_in(machine: &Machine, letter: Letter, letters: Letters) -> bool {
    if machine.letters >> letter & 1 == 0 {
        return true;
    }
    let reached = machine.reach([0], letters);
    (0..machine.len()).filter(|s| reached[*s]).all(|state| {
        machine.out[state][letter] == 0
            && machine.alike(state as u32, machine.next[state][letter], letters)
    })
}
