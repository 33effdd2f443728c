//! What most events of a sliced property come to: an index is asked for one key, and the only
//! instance that has it changes its state, or does not.
//!
//! The rules are those of `sliced`, worked out beforehand for the events for which they are that
//! simple. Whatever else turns out on the way is left to `sliced`, and nothing has happened then.

use watchword_model::{EventId, PropertyId};
use watchword_plan::{Action, Lookup, Mask, Plan, Route, Slices, Unit};
use watchword_step::{NONE, Word};

use super::group::{At, Group};
use super::sliced::is_alone;
use super::store::{Matching, NIL, Store, hash_plain, hash_start, is_plain, same};
use super::world::{Letter, World};
use super::{Held, MOST_HELD};

/// So many parameters at most are looked up by.
const MOST_PAIRS: usize = 4;

/// Marks the state after a transition, which is part of a history; without it, none was taken.
const TAKEN: u32 = 1 << 31;

/// An event that is looked up in one place.
#[derive(Clone, Debug)]
struct Shortcut {
    /// The number of the index in the store.
    index: usize,
    mask: Mask,
    /// Parameters and the arguments they are, so many of them, in the order they are hashed in.
    pairs: [(u32, u32); MOST_PAIRS],
    count: usize,
    /// By state: the state after it; [`NONE`] if that is not all there is to it. Empty if other
    /// instances have to be looked for as well.
    next: Vec<u32>,
    /// Whether one has to be created if there is none.
    creates: bool,
}

/// The events of one property.
#[derive(Clone, Debug)]
pub(crate) struct Shortcuts {
    property: PropertyId,
    has_creation: bool,
    /// By event.
    events: Vec<Option<Shortcut>>,
    /// Of the events that wait to be processed: what is known of them, if something is.
    waiting: [Waiting; MOST_HELD],
    is_known: bool,
    /// What [`Store::comings`] was then.
    comings: u64,
}

/// What is known of an event that waits to be processed.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// What its key hashes to, if it is compared as it is.
    hash: Option<u32>,
    /// The number of the index it is looked up in.
    index: usize,
    /// Who has its key, if anybody has, and alone, while none comes or goes; [`NIL`] if that is not
    /// known.
    id: u32,
}

impl Waiting {
    const UNKNOWN: Waiting = Waiting { hash: None, index: 0, id: NIL };
}

impl Shortcuts {
    /// Those of a property that is sliced by values as they are.
    pub fn new(plan: &Plan, unit: &Unit, slices: &Slices, group: &Group, world: &World) -> Self {
        // Moves are told by `sliced`; a mutant: it forgets too many.
        let is_off = world.options.moves || world.options.is_mutant(6);
        let is_keyed = plan.contexts[unit.context.index()].is_keyed;
        let event = |kind: &u32| match slices.routes.get(*kind as usize).map(Vec::as_slice) {
            Some([route]) if !is_off && !is_keyed => shortcut(unit, slices, *kind, route, group),
            _ => None,
        };
        Shortcuts {
            property: unit.property,
            has_creation: unit.has_creation,
            events: unit.kind_of.iter().map(event).collect(),
            waiting: [Waiting::UNKNOWN; MOST_HELD],
            is_known: false,
            comings: 0,
        }
    }
}

fn shortcut(
    unit: &Unit,
    slices: &Slices,
    kind: u32,
    route: &Route,
    group: &Group,
) -> Option<Shortcut> {
    let lookup = match (route.own, &route.steps[..]) {
        (Some(partition), _) if route.creates => Lookup { partition, index: 0 },
        (_, [lookup, ..]) => *lookup,
        _ => return None,
    };
    let mask = slices.partitions[lookup.partition].indexes[lookup.index];
    let mut named: Vec<(u32, u32)> =
        route.pairs.iter().copied().filter(|(param, _)| mask & 1 << param != 0).collect();
    named.sort_unstable();
    let is_fit =
        mask != 0 && named.len() <= MOST_PAIRS && named.len() == mask.count_ones() as usize;
    if !is_fit {
        return None;
    }
    let mut pairs = [(0, 0); MOST_PAIRS];
    pairs[..named.len()].copy_from_slice(&named);
    let row = &unit.kinds[kind as usize];
    let is_noted = slices.enabling.as_ref().is_some_and(|enabling| {
        enabling.starters[kind as usize] || enabling.marks[kind as usize].is_some()
    });
    let is_all = route.joins.is_empty()
        && !is_noted
        && row.filter == NONE
        && !row.ends
        && if route.creates { is_alone(route) } else { route.steps.len() == 1 };
    let after = |state: u32| match unit.action(state, kind) {
        Action::Skip => state,
        Action::Stay => state | TAKEN,
        // One that returns to the start may have to leave.
        Action::Go(to) if slices.forget && to == unit.start && to != state => NONE,
        Action::Go(to) => to | TAKEN,
        Action::Choose(_) | Action::Short(_) | Action::Ask => NONE,
    };
    let states = if is_all { unit.state_kinds.len() as u32 } else { 0 };
    Some(Shortcut {
        index: group.members[0].store.number(lookup.partition, lookup.index),
        mask,
        pairs,
        count: named.len(),
        next: (0..states).map(after).collect(),
        creates: route.creates,
    })
}

impl Shortcut {
    fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs[..self.count]
    }

    /// What the key of an event with these arguments hashes to, if they are compared as they are.
    #[inline]
    fn hash(&self, args: &[Word]) -> Option<u32> {
        let mut hash = hash_start(self.mask);
        for (_, arg) in self.pairs() {
            let word = args.get(*arg as usize).filter(|word| is_plain(**word))?;
            hash = hash_plain(hash, *word);
        }
        Some(super::store::fold(hash))
    }

    /// Whether a record has the key of an event with these arguments.
    #[inline(always)]
    fn is_of(&self, store: &Store, id: u32, args: &[Word]) -> bool {
        let is =
            |(param, arg): (u32, u32)| same(store.word(id, param as usize), args[arg as usize]);
        is(self.pairs[0]) && (self.count == 1 || self.pairs()[1..].iter().all(|pair| is(*pair)))
    }
}

/// What came of an event.
enum Moved {
    /// It is none of those; nothing has happened.
    Refused,
    /// It concerns no instance.
    Nobody,
    /// This instance; and its state after it, marked if a transition was taken.
    One(u32, u32),
}

/// An event, if it is one of those. Answers `false`, and has done nothing, if it is not.
#[inline(always)]
pub(crate) fn step(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) -> bool {
    match advance(group, world, letter.event, letter.args, letter.held) {
        Moved::Refused => return false,
        Moved::Nobody => {}
        Moved::One(id, next) => {
            if next & TAKEN != 0 && world.history.is_on() {
                group.remember(at, world, id, 0, next & !TAKEN, letter, false);
            }
        }
    }
    true
}

/// The same where no histories are kept, which have to know more of an event.
#[inline(always)]
pub(crate) fn step_unremembered(
    group: &mut Group,
    world: &mut World,
    event: EventId,
    args: &[Word],
    held: usize,
) -> bool {
    !matches!(advance(group, world, event, args, Some(held)), Moved::Refused)
}

#[inline(always)]
fn advance(
    group: &mut Group,
    world: &mut World,
    event: EventId,
    args: &[Word],
    held: Option<usize>,
) -> Moved {
    let Some(shortcuts) = &group.shortcuts else { return Moved::Refused };
    let Some(shortcut) = &shortcuts.events[event.index()] else { return Moved::Refused };
    if shortcut.next.is_empty() {
        return Moved::Refused;
    }
    let members = &mut group.members[0];
    let store = &members.store;
    let known = held.filter(|_| shortcuts.is_known).map(|number| shortcuts.waiting[number]);
    let stats = &mut world.stats[shortcuts.property.index()];
    let id = match known {
        // A mutant: what was known stays known.
        Some(known)
            if known.id != NIL
                && (shortcuts.comings == store.comings() || world.options.is_mutant(22))
                && shortcut.is_of(store, known.id, args) =>
        {
            known.id
        }
        _ => {
            let hash = match known {
                Some(known) => known.hash,
                None => shortcut.hash(args),
            };
            let Some(hash) = hash else { return Moved::Refused };
            match store.only_hashed(shortcut.index, hash, |id| shortcut.is_of(store, id, args)) {
                Matching::One(id) => id,
                // A mutant: missing instances are not created.
                Matching::None if !shortcut.creates || world.options.is_mutant(21) => {
                    stats.events += 1;
                    return Moved::Nobody;
                }
                _ => return Moved::Refused,
            }
        }
    };
    let next = shortcut.next.get(members.state(id, 0) as usize).copied().unwrap_or(NONE);
    if next == NONE || shortcuts.has_creation && !members.store.head(id).begun {
        return Moved::Refused;
    }
    stats.events += 1;
    stats.visited += 1;
    members.set_state(id, 0, next & !TAKEN);
    Moved::One(id, next)
}

/// Finds out whom these events concern, as far as that is simple, and has the memory fetched that
/// they need. Loop by loop: what one asks for is there when the next one looks at it.
pub(crate) fn fetch(group: &mut Group, world: &World, held: &[Held], args: &[Word]) {
    let Some(shortcuts) = &mut group.shortcuts else { return };
    let members = &group.members[0];
    let store = &members.store;
    shortcuts.is_known = store.is_large();
    if !shortcuts.is_known {
        return;
    }
    shortcuts.comings = store.comings();
    let all = &shortcuts.events;
    let waiting = &mut shortcuts.waiting[..held.len()];
    for (event, waiting) in held.iter().zip(&mut *waiting) {
        *waiting = Waiting::UNKNOWN;
        if let Some(shortcut) = &all[event.kind.index()]
            && let Some(hash) = shortcut.hash(&args[event.args()])
        {
            waiting.hash = Some(hash);
            waiting.index = shortcut.index;
            store.fetch_home(shortcut.index, hash);
        }
    }
    for waiting in &mut *waiting {
        if let Some(hash) = waiting.hash {
            waiting.id = store.likely(waiting.index, hash);
            if waiting.id != NIL {
                members.fetch(waiting.id);
            }
        }
    }
    let known = || waiting.iter().map(|waiting| waiting.id).filter(|id| *id != NIL);
    if members.has_windows() {
        let windows = || known().flat_map(|id| members.windows_of(id));
        windows().for_each(|window| world.heap.fetch_window(*window));
        windows().for_each(|window| world.heap.fetch_ends_of_window(*window));
    }
    if world.history.is_on() {
        world.history.fetch(known().map(|id| members.history(id, 0)));
    }
}
