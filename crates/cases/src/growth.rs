//! Workloads of one to four parameters, whose cost per event must not grow with the trace.
//!
//! Each is a property and a generator of events: a part of the values is used for a while and then
//! replaced by new ones, so that the trace has as many instances at a time whatever its length is.

/// How values are chosen among those in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// All alike.
    Uniform,
    /// A few very often: the k-th in proportion to 1/k.
    Zipf,
}

/// A workload.
#[derive(Debug)]
pub struct Growth {
    /// What it is called.
    pub name: &'static str,
    /// The property.
    pub property: &'static str,
    /// The names of its events, with the numbers that [`Growth::events`] gives them.
    pub kinds: &'static [&'static str],
    make: fn(&mut Draw),
}

/// An event: its number among the kinds, and its arguments.
pub type Made = (usize, Vec<i64>);

/// All workloads.
pub const ALL: [Growth; 9] = [
    Growth {
        name: "one parameter",
        property: "event open(f)\nevent use(f)\nevent close(f)\n\
            property P(f) { never close(f) use(f) }\n",
        kinds: &["open", "use", "close"],
        make: |draw| {
            let f = draw.old(0);
            match draw.below(8) {
                0 => {
                    let f = draw.fresh(0);
                    draw.make(0, &[f]);
                }
                1 => draw.make(2, &[f]),
                _ => draw.make(1, &[f]),
            }
        },
    },
    Growth {
        name: "star: collection and iterators",
        property: "event create(c, i)\nevent update(c)\nevent next(i)\n\
            property P(c, i) { creation create\nnever create(c, i) next(i)* update(c)+ next(i) }\n",
        kinds: &["create", "update", "next"],
        make: |draw| match draw.below(8) {
            0 => {
                if draw.below(4) == 0 {
                    draw.fresh(0);
                }
                let (c, i) = (draw.old(0), draw.fresh(1));
                draw.make(0, &[c, i]);
            }
            1 => {
                let c = draw.old(0);
                draw.make(1, &[c]);
            }
            _ => {
                let i = draw.old(1);
                draw.make(2, &[i]);
            }
        },
    },
    Growth {
        name: "chain of three: map, collection, iterator",
        property: "event create(m, c)\nevent update(m)\nevent iterator(c, i)\nevent next(i)\n\
            property P(m, c, i) { creation create\n\
            never create(m, c) update(m)* iterator(c, i) next(i)* update(m)+ next(i) }\n",
        kinds: &["create", "update", "iterator", "next"],
        make: chain_of_three,
    },
    Growth {
        name: "the same without creation events",
        property: "event create(m, c)\nevent update(m)\nevent iterator(c, i)\nevent next(i)\n\
            property P(m, c, i) {\n\
            never create(m, c) update(m)* iterator(c, i) next(i)* update(m)+ next(i) }\n",
        kinds: &["create", "update", "iterator", "next"],
        make: chain_of_three,
    },
    Growth {
        name: "chain of four: map, collection, view, iterator",
        property: "event create(m, c)\nevent update(m)\nevent wrap(c, d)\nevent iterator(d, i)\n\
            event next(i)\n\
            property P(m, c, d, i) { creation create\n\
            never create(m, c) update(m)* wrap(c, d) update(m)* iterator(d, i) next(i)* update(m)+ \
            next(i) }\n",
        kinds: &["create", "update", "wrap", "iterator", "next"],
        make: |draw| match draw.below(16) {
            0 => {
                let (m, c) = (draw.fresh(0), draw.fresh(1));
                draw.make(0, &[m, c]);
            }
            1 => {
                let (c, d) = (draw.old(1), draw.fresh(2));
                draw.make(2, &[c, d]);
            }
            2 => {
                let (d, i) = (draw.old(2), draw.fresh(3));
                draw.make(3, &[d, i]);
            }
            3 | 4 => {
                let m = draw.old(0);
                draw.make(1, &[m]);
            }
            _ => {
                let i = draw.old(3);
                draw.make(4, &[i]);
            }
        },
    },
    Growth {
        name: "pairs: users and files",
        property: "event login(u)\nevent logout(u)\nevent open(f)\nevent close(f)\n\
            event access(u, f)\n\
            property P(u, f) {\n\
            start state None { on login(u) -> User on open(f) -> File on access(u, f) -> Bad }\n\
            state User { on logout(u) -> None on open(f) -> Both on access(u, f) -> Bad }\n\
            state File { on login(u) -> Both on close(f) -> None on access(u, f) -> Bad }\n\
            state Both { on logout(u) -> File on close(f) -> User }\n\
            bad state Bad }\n",
        kinds: &["login", "logout", "open", "close", "access"],
        make: |draw| match draw.below(11) {
            0 => {
                let u = draw.fresh(0);
                draw.make(0, &[u]);
            }
            1 => {
                let f = draw.fresh(1);
                draw.make(2, &[f]);
            }
            _ => {
                let (u, f) = (draw.old(0), draw.old(1));
                draw.make(4, &[u, f]);
            }
        },
    },
    Growth {
        name: "registers: all wait for what follows",
        property: "event open(r)\nevent fin()\nevent bad()\nevent close(r)\n\
            property P {\n\
            start state Idle { on open(?r) => Open }\n\
            state Open { on fin() then bad() -> Bad on close(r) -> drop }\n\
            bad state Bad }\n",
        kinds: &["open", "fin", "bad", "close"],
        make: waiting,
    },
    Growth {
        name: "registers: one waits for what follows",
        property: "event open(r)\nevent fin()\nevent use(r)\nevent close(r)\n\
            property P {\n\
            start state Idle { on open(?r) => Open }\n\
            state Open { on fin() then fin() then use(r) -> Bad on close(r) -> drop }\n\
            bad state Bad }\n",
        kinds: &["open", "fin", "use", "close"],
        make: waiting,
    },
    Growth {
        name: "registers: a guard asks what does not change",
        property: "event open(r)\nevent fin()\nevent use(r)\nevent close(r)\n\
            property P {\n\
            start state Idle { on open(?r) => Open }\n\
            state Open { on fin() if r < 0 -> Bad on close(r) -> drop }\n\
            bad state Bad }\n",
        kinds: &["open", "fin", "use", "close"],
        make: waiting,
    },
];

/// Something is opened, and closed when a thousand others have been; in between `fin` comes often, and
/// what may follow it seldom: for something that is closed already.
fn waiting(draw: &mut Draw) {
    match draw.below(16) {
        0..3 => {
            let r = draw.fresh(0);
            draw.make(0, &[r]);
            if r > IN_USE {
                draw.make(3, &[r - IN_USE]);
            }
        }
        3 => {
            let closed = draw.next[0] - 2 * IN_USE;
            draw.make(3, &[closed]);
        }
        _ => draw.make(1, &[]),
    }
}

fn chain_of_three(draw: &mut Draw) {
    match draw.below(16) {
        0 => {
            let (m, c) = (draw.fresh(0), draw.fresh(1));
            draw.make(0, &[m, c]);
        }
        1 | 2 => {
            let (c, i) = (draw.old(1), draw.fresh(2));
            draw.make(2, &[c, i]);
        }
        3 | 4 => {
            let m = draw.old(0);
            draw.make(1, &[m]);
        }
        _ => {
            let i = draw.old(2);
            draw.make(3, &[i]);
        }
    }
}

impl Growth {
    /// So many events, the same ones every time.
    pub fn events(&self, count: usize, keys: Keys) -> Vec<Made> {
        let mut draw = Draw { random: 7, keys, next: [0; 4], made: Vec::new() };
        while draw.made.len() < count {
            (self.make)(&mut draw);
        }
        draw.made
    }
}

/// Draws values and collects events.
#[derive(Debug)]
pub struct Draw {
    random: u64,
    keys: Keys,
    /// By parameter: how many values there were.
    next: [i64; 4],
    made: Vec<Made>,
}

/// So many values of a parameter are in use at a time.
const IN_USE: i64 = 1_000;

impl Draw {
    fn bits(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: i64) -> i64 {
        ((u128::from(self.bits()) * limit as u128) >> 64) as i64
    }

    /// A new value.
    fn fresh(&mut self, param: usize) -> i64 {
        self.next[param] += 1;
        self.next[param]
    }

    /// A value in use, or the first one.
    fn old(&mut self, param: usize) -> i64 {
        let newest = self.next[param].max(1);
        let count = newest.min(IN_USE);
        let rank = match self.keys {
            Keys::Uniform => self.below(count),
            Keys::Zipf => {
                let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
                ((count as f64).powf(unit) as i64 - 1).clamp(0, count - 1)
            }
        };
        // The oldest ones are the hot ones: they stay so for a while.
        let block = (newest - count) / IN_USE * IN_USE;
        (block + 1 + rank).min(newest)
    }

    fn make(&mut self, kind: usize, args: &[i64]) {
        self.made.push((kind, args.to_vec()));
    }
}
