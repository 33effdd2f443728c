//! A bound on live instances.

use std::collections::{HashMap, VecDeque};

use super::save::{Reader, Restored, Writer};
use super::store::Store;
use super::{Keep, Options};

/// Decides which instances are discarded when there are too many. The instance without bindings
/// always stays.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    most: usize,
    /// Whether memory is limited, too.
    bounds_memory: bool,
    keep: Keep,
    /// Record and creation number, oldest first; may be out of date.
    queue: VecDeque<(u32, u64)>,
    random: u64,
}

/// What to do about a new instance.
pub(crate) enum Verdict {
    /// There is room.
    Room,
    /// It must not be created.
    Refuse,
    /// This one must go first.
    Evict(u32),
}

impl Limit {
    pub fn new(options: &Options) -> Limit {
        let random = match options.keep {
            Keep::Random(seed) => seed ^ 0x9e37_79b9_7f4a_7c15,
            _ => 0,
        };
        Limit {
            most: options.max_instances.unwrap_or(usize::MAX),
            bounds_memory: options.max_memory.is_some(),
            keep: options.keep,
            queue: VecDeque::new(),
            random,
        }
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        self.most != usize::MAX || self.bounds_memory
    }

    /// Called before an instance is created. Those for which `stays` holds are not discarded.
    /// `lacks_memory` tells whether there is no memory for it.
    pub fn before(
        &mut self,
        store: &Store,
        live: usize,
        lacks_memory: bool,
        stays: impl Fn(u32) -> bool,
    ) -> Verdict {
        if live < self.most && !lacks_memory {
            return Verdict::Room;
        }
        while let Some((id, seq)) = self.queue.front() {
            if store.is(*id, *seq) {
                break;
            }
            self.queue.pop_front();
        }
        match self.keep {
            Keep::Oldest => Verdict::Refuse,
            Keep::Newest => {
                let goes = |(id, seq): &(u32, u64)| store.is(*id, *seq) && !stays(*id);
                let oldest = self.queue.iter().position(goes);
                match oldest.and_then(|at| self.queue.remove(at)) {
                    Some((id, _)) => Verdict::Evict(id),
                    None => Verdict::Refuse,
                }
            }
            Keep::Random(_) => {
                self.queue.retain(|(id, seq)| store.is(*id, *seq));
                if self.queue.iter().all(|(id, _)| stays(*id)) {
                    return Verdict::Refuse;
                }
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                let mut at = (self.random % self.queue.len() as u64) as usize;
                while stays(self.queue[at].0) {
                    at = (at + 1) % self.queue.len();
                }
                match self.queue.swap_remove_back(at) {
                    Some((id, _)) => Verdict::Evict(id),
                    None => Verdict::Refuse,
                }
            }
        }
    }

    /// Called after one was created.
    #[inline]
    pub fn after(&mut self, store: &Store, id: u32) {
        if self.is_on() {
            self.queue.push_back((id, store.head(id).seq));
            if self.queue.len() > 4 * self.most.min(store.len()) + 1024 {
                self.queue.retain(|(id, seq)| store.is(*id, *seq));
            }
        }
    }

    /// Who may be discarded, in what order, as bytes.
    pub fn save(&self, store: &Store, out: &mut Writer) {
        out.u64(self.random);
        let live = || self.queue.iter().filter(|(id, seq)| store.is(*id, *seq));
        out.u64(live().count() as u64);
        live().for_each(|(_, seq)| out.u64(*seq));
    }

    /// Reads it back when the instances are there. Without a limit, nobody was queued: then they are
    /// in the order of creation, but for those that always stay.
    pub fn restore(
        &mut self,
        store: &Store,
        from: &mut Reader<'_>,
        stays: impl Fn(u32) -> bool,
    ) -> Restored<()> {
        let random = from.u64()?;
        if random != 0 && self.random != 0 {
            self.random = random;
        }
        let all = store.in_order().into_iter().filter(|id| !stays(*id));
        let all: Vec<(u32, u64)> = all.map(|id| (id, store.head(id).seq)).collect();
        let mut ids: HashMap<u64, u32> = all.iter().map(|(id, seq)| (*seq, *id)).collect();
        self.queue.clear();
        for _ in 0..from.len()? {
            let seq = from.u64()?;
            self.queue.extend(ids.remove(&seq).map(|id| (id, seq)));
        }
        if self.is_on() {
            self.queue.extend(all.into_iter().filter(|(_, seq)| ids.contains_key(seq)));
        }
        Ok(())
    }
}
