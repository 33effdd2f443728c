//! The places that histories mention. Each is held once, however many steps happened there: to hold a
//! shared location takes an atomic instruction, which costs more than the rest of remembering a step.

use std::sync::Arc;

use watchword_model::{Location, Where};

/// So many locations are found again by their address; a power of two.
const RECENT: usize = 256;

/// Locations, with how many hold them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spots {
    all: Vec<Held>,
    free: Vec<u32>,
    /// Those that were asked for lately; empty before the first one.
    recent: Vec<Option<u32>>,
}

#[derive(Clone, Debug)]
struct Held {
    /// `None` if nobody holds it.
    location: Option<Arc<Location>>,
    holders: u32,
}

impl Spots {
    /// One more holder of a location.
    #[inline]
    pub fn hold(&mut self, location: &Arc<Location>) -> u32 {
        let slot = (Arc::as_ptr(location) as usize / align_of::<Location>()) % RECENT;
        if let Some(Some(known)) = self.recent.get(slot).copied() {
            let held = &mut self.all[known as usize];
            if held.location.as_ref().is_some_and(|of| Arc::ptr_eq(of, location)) {
                held.holders += 1;
                return known;
            }
        }
        self.hold_new(location, slot)
    }

    #[inline(never)]
    fn hold_new(&mut self, location: &Arc<Location>, slot: usize) -> u32 {
        self.recent.resize(RECENT, None);
        // The caller holds it, and so does the table.
        let held = Held { location: Some(location.clone()), holders: 2 };
        let spot = match self.free.pop() {
            Some(spot) => {
                self.all[spot as usize] = held;
                spot
            }
            None => {
                self.all.push(held);
                self.all.len() as u32 - 1
            }
        };
        if let Some(old) = self.recent[slot].replace(spot) {
            self.let_go(old);
        }
        spot
    }

    /// One holder of a location less.
    #[inline]
    pub fn let_go(&mut self, spot: u32) {
        let held = &mut self.all[spot as usize];
        held.holders -= 1;
        if held.holders == 0 {
            held.location = None;
            self.free.push(spot);
        }
    }

    /// A line of a location that somebody holds.
    pub fn location(&self, spot: u32, line: Option<u32>) -> Option<Arc<Location>> {
        let location = self.all[spot as usize].location.as_ref()?;
        Some(Where { location, line }.to_location())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_kept_as_long_as_somebody_holds_it() {
        let mut spots = Spots::default();
        let all: Vec<Arc<Location>> = (0..3000)
            .map(|line| Arc::new(Location { line: Some(line), ..Location::default() }))
            .collect();
        let held: Vec<u32> = all.iter().chain(&all).map(|l| spots.hold(l)).collect();
        for (location, spot) in all.iter().chain(&all).zip(&held) {
            let found = spots.location(*spot, None).unwrap();
            assert!(Arc::ptr_eq(&found, location));
            assert_eq!(spots.location(*spot, Some(7)).unwrap().line, Some(7));
        }
        held.iter().for_each(|spot| spots.let_go(*spot));
        // Only the table of those asked for lately still holds some.
        let kept = all.iter().filter(|l| Arc::strong_count(l) > 1).count();
        assert!(kept <= RECENT, "{kept}");
        let again = spots.hold(&all[0]);
        assert!(Arc::ptr_eq(&spots.location(again, None).unwrap(), &all[0]));
        assert!(spots.all.len() <= 2 * all.len());
    }
}
