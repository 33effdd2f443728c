//! Threads that traces call by name.

use std::collections::HashMap;

/// Numbers for names; above the numbers operating systems give to threads.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    by_name: HashMap<Box<str>, u64>,
}

impl Threads {
    const FIRST: u64 = 1 << 48;

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.by_name.len()
    }

    /// The number of that name.
    pub fn id(&mut self, name: &str) -> u64 {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = Threads::FIRST + self.by_name.len() as u64;
        self.by_name.insert(name.into(), id);
        id
    }
}
