//! Parametric slicing, and the `verde` rule.
//!
//! What an event concerns is found through indexes only; see `watchword_plan`'s `shape` for which
//! instances exist and why that is enough.

use watchword_model::Creation;
use watchword_plan::{Action, Mask, Route, Shape, Slices};
use watchword_step::{Taken, Target, Tried, Word, moves, try_move};

use super::group::{At, Group, Stepped};
use super::limit::Verdict;
use super::store::Matching;
use super::world::{Letter, World, clear_locals};
use crate::Cause;

/// The instance that binds nothing.
pub(crate) fn start(group: &mut Group, at: At<'_>, world: &mut World) {
    let context = &at.plan.contexts[group.root.index()];
    let binding = vec![Word::UNSET; context.vars_at()];
    let begun = match &at.plan.model.contexts[group.root.index()].rule {
        Creation::ChenRosu { creation } => creation.is_empty(),
        _ => true,
    };
    group.create(at, world, 0, &binding, begun);
}

/// The record of ⊥: the first that was created, and never removed.
const BOTTOM: u32 = 0;

fn slices<'p>(at: At<'p>) -> &'p Slices {
    match at.shape {
        Shape::ChenRosu(_, slices) | Shape::Verde(_, slices) => slices,
        _ => unreachable!("only sliced properties get here"),
    }
}

/// An event of a property of rule `chen-rosu`.
pub(crate) fn step(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) {
    let unit = at.unit(0);
    let Some(kind) = world.observed(unit, letter) else { return };
    let slices = slices(at);
    let routes = &slices.routes[kind as usize];
    if let [route] = &routes[..]
        && step_simple(group, at, world, slices, route, kind, letter)
    {
        return;
    }
    let creation = unit.kinds[kind as usize].creation;
    let mut targets = std::mem::take(&mut group.targets);
    targets.clear();

    // The existing targets, in order of creation.
    for route in routes {
        if !group.place(at, world, &route.pairs, letter) {
            continue;
        }
        let store = &group.members[0].store;
        for lookup in &route.steps {
            store.each(lookup.partition, lookup.index, &group.key, |id| targets.push(id));
        }
    }
    let sources = routes.iter().map(|r| r.steps.len()).sum::<usize>();
    if sources > 1 && targets.len() > 1 {
        let store = &group.members[0].store;
        targets.sort_unstable_by_key(|id| store.head(*id).seq);
        targets.dedup();
    }
    let existing = targets.len();

    // Then those to be created: copies of configurations before this event.
    let mut new: Vec<Vec<Word>> = Vec::new();
    for route in routes {
        if route.creates || !route.joins.is_empty() {
            let placed = group.place(at, world, &route.pairs, letter);
            if placed {
                consider(group, at, world, slices, route, kind, creation, &mut new);
            }
        }
    }
    let params = at.plan.contexts[group.root.index()].params;
    let sources: Vec<u32> = new
        .iter()
        .map(|b| match world.mutant(8) {
            // A mutant: copies are of the instance that binds nothing.
            true => BOTTOM,
            false => largest(group, slices, b, domain_of(b, params)).unwrap_or(BOTTOM),
        })
        .collect();
    for (binding, source) in new.iter().zip(sources) {
        if let Some(id) = copy_of(group, at, world, slices, source, binding) {
            targets.push(id);
        }
    }

    let has_creation = unit.has_creation;
    for (i, &id) in targets.iter().enumerate() {
        // A target is stepped once, so none of the later ones is gone; but a limit may have
        // discarded one to make room.
        if !group.members[0].store.head(id).live {
            continue;
        }
        let mut changed = false;
        if has_creation {
            // A mutant: a slice begins at any event.
            if (creation || world.mutant(5)) && !group.members[0].store.head(id).begun {
                group.begin(at, world, id);
                changed = true;
            }
            if !group.members[0].store.head(id).begun {
                if i >= existing && slices.lazy {
                    group.members[0].remove(world, id);
                }
                continue;
            }
        }
        match group.step(at, world, id, 0, kind, letter) {
            Stepped::Skipped if i >= existing && slices.lazy && !changed => {
                // It has the configuration of its source still: it need not exist.
                group.members[0].remove(world, id);
            }
            Stepped::Skipped => {}
            Stepped::Moved => {
                // A mutant: an instance at the start is forgotten, whatever others are like.
                if slices.forget || world.mutant(6) {
                    forget(group, at, world, id);
                }
            }
            Stepped::Ended => {
                // A mutant: a dropped instance stays where it is.
                if !world.mutant(7) {
                    group.after_end(at, world, id);
                }
            }
        }
    }
    targets.clear();
    group.targets = targets;
    if unit.kinds[kind as usize].ends {
        end_lives(group, at, world, letter);
    }
}

/// The common case: one placement, nothing to create, nothing to join. Steps the instances that
/// agree with the event, without asking the machine where the state tells what happens. Answers
/// `false`, and has done nothing, if the case is another one.
#[inline]
fn step_simple(
    group: &mut Group,
    at: At<'_>,
    world: &mut World,
    slices: &Slices,
    route: &Route,
    kind: u32,
    letter: &Letter<'_>,
) -> bool {
    let unit = at.unit(0);
    if !route.joins.is_empty() || unit.has_creation {
        return false;
    }
    if !group.place_over(at, world, &route.pairs, letter) {
        // It concerns nobody; but a value may end its life in another argument.
        if unit.kinds[kind as usize].ends {
            end_lives(group, at, world, letter);
        }
        return true;
    }
    // The event's own binding is one of the targets, often the only one.
    if route.creates {
        let store = &group.members[0].store;
        let known = route.own.and_then(|p| store.find(p, 0, &group.key));
        match known {
            Some(id) if is_alone(route) => {
                step_member(group, at, world, slices, kind, id, letter);
                return ended(group, at, world, kind, letter);
            }
            Some(_) => {}
            None => {
                let source = largest(group, slices, &group.key, route.domain);
                let quiet = source.is_some_and(|s| is_quiet(group, at, s, kind, false));
                if !slices.lazy || !quiet {
                    return false;
                }
            }
        }
    }
    let store = &group.members[0].store;
    if let [lookup] = &route.steps[..] {
        match store.only(lookup.partition, lookup.index, &group.key) {
            Matching::None => return ended(group, at, world, kind, letter),
            Matching::One(id) => {
                step_member(group, at, world, slices, kind, id, letter);
                return ended(group, at, world, kind, letter);
            }
            Matching::Many => {}
        }
    }
    let mut targets = std::mem::take(&mut group.targets);
    targets.clear();
    for lookup in &route.steps {
        store.each(lookup.partition, lookup.index, &group.key, |id| targets.push(id));
    }
    if route.steps.len() > 1 && targets.len() > 1 {
        targets.sort_unstable_by_key(|id| store.head(*id).seq);
    }
    for &id in &targets {
        step_member(group, at, world, slices, kind, id, letter);
    }
    group.targets = targets;
    ended(group, at, world, kind, letter)
}

/// After the instances an event concerns were stepped. Always `true`.
#[inline]
fn ended(group: &mut Group, at: At<'_>, world: &mut World, kind: u32, letter: &Letter<'_>) -> bool {
    if at.unit(0).kinds[kind as usize].ends {
        end_lives(group, at, world, letter);
    }
    true
}

/// Steps one instance, without asking the machine where the state tells what happens.
#[inline]
fn step_member(
    group: &mut Group,
    at: At<'_>,
    world: &mut World,
    slices: &Slices,
    kind: u32,
    id: u32,
    letter: &Letter<'_>,
) {
    let unit = at.unit(0);
    let members = &mut group.members[0];
    let state = members.state(id, 0);
    let action = unit.actions[state as usize * unit.kinds.len() + kind as usize];
    match action {
        Action::Skip => world.stats[unit.property.index()].visited += 1,
        Action::Stay if !world.is_watched() => {
            world.stats[unit.property.index()].visited += 1;
        }
        Action::Go(to) if !world.is_watched() => {
            world.stats[unit.property.index()].visited += 1;
            members.set_state(id, 0, to);
            if to == unit.start && (slices.forget || world.mutant(6)) {
                forget(group, at, world, id);
            }
        }
        _ => match group.step(at, world, id, 0, kind, letter) {
            Stepped::Skipped => {}
            Stepped::Moved => {
                if slices.forget || world.mutant(6) {
                    forget(group, at, world, id);
                }
            }
            Stepped::Ended => {
                if !world.mutant(7) {
                    group.after_end(at, world, id);
                }
            }
        },
    }
}

/// Whether an event's own binding is the only one that can agree with it.
fn is_alone(route: &Route) -> bool {
    matches!(&route.steps[..], [only] if Some(only.partition) == route.own && only.index == 0)
}

/// Removes an instance that is back where a new one would be.
fn forget(group: &mut Group, at: At<'_>, world: &mut World, id: u32) {
    let unit = at.unit(0);
    let members = &group.members[0];
    if id == BOTTOM
        || members.state(id, 0) != unit.start
        || members.deadline(id, 0).is_running()
        || members.store.head(id).begun != members.store.head(BOTTOM).begun
    {
        return;
    }
    let vars = at.plan.contexts[group.root.index()].vars_at();
    if members.store.words(id)[vars..] == members.store.words(BOTTOM)[vars..] {
        group.members[0].remove(world, id);
    }
}

/// Finds the bindings an event makes necessary: its own, and the joins with what there is.
#[allow(clippy::too_many_arguments, reason = "one phase of one step, cut out for reading")]
fn consider(
    group: &mut Group,
    at: At<'_>,
    world: &mut World,
    slices: &Slices,
    route: &Route,
    kind: u32,
    creation: bool,
    new: &mut Vec<Vec<Word>>,
) {
    let length = at.plan.contexts[group.root.index()].vars_at();
    let theta: Vec<Word> = group.key[..length].to_vec();
    let store = &group.members[0].store;
    let mut add = |binding: Vec<Word>, domain: Mask| {
        let known = slices
            .partitions
            .iter()
            .position(|p| p.domain == domain)
            .is_some_and(|p| store.find(p, 0, &binding).is_some());
        if known {
            return;
        }
        if slices.lazy {
            // What would not move has the configuration of its source, and need not exist.
            let source = largest(group, slices, &binding, domain);
            if source.is_some_and(|s| is_quiet(group, at, s, kind, creation)) {
                return;
            }
        }
        let params = at.plan.contexts[group.root.index()].params;
        let same = |other: &Vec<Word>| {
            (0..params).all(|i| {
                super::store::index_key(other[i]) == super::store::index_key(binding[i])
                    && other[i].is_set() == binding[i].is_set()
            })
        };
        if !new.iter().any(same) {
            new.push(binding);
        }
    };
    if route.creates {
        add(theta.clone(), route.domain);
    }
    if route.joins.is_empty() {
        return;
    }
    let mut joined: Vec<u32> = Vec::new();
    for lookup in &route.joins {
        store.each(lookup.partition, lookup.index, &theta, |id| joined.push(id));
    }
    joined.sort_unstable_by_key(|id| store.head(*id).seq);
    world.stats[at.unit(0).property.index()].visited += joined.len() as u64;
    for id in joined {
        let own = slices.partitions[store.head(id).partition as usize].domain;
        // On parameters both bind, the existing instance's own value stays.
        let binding = store.words(id)[..length]
            .iter()
            .zip(&theta)
            .map(|(a, b)| if a.is_set() { *a } else { *b })
            .collect();
        add(binding, own | route.domain);
    }
}

/// Whether an event cannot change a configuration like this one.
fn is_quiet(group: &Group, at: At<'_>, source: u32, kind: u32, creation: bool) -> bool {
    let unit = at.unit(0);
    let members = &group.members[0];
    if unit.has_creation && !members.store.head(source).begun {
        return !creation;
    }
    moves(&unit.tables.program(&[]), members.state(source, 0), kind).is_empty()
}

/// The instance with most parameters among those below a binding; of equals, the oldest.
fn largest(group: &Group, slices: &Slices, binding: &[Word], domain: Mask) -> Option<u32> {
    let store = &group.members[0].store;
    let mut best: Option<(u32, u64, u32)> = None;
    // Partitions are sorted by size.
    for (at, partition) in slices.partitions.iter().enumerate().rev() {
        let size = partition.domain.count_ones();
        if best.is_some_and(|(most, _, _)| most > size) {
            break;
        }
        if partition.domain & !domain != 0 {
            continue;
        }
        if let Some(id) = store.find(at, 0, binding) {
            let seq = store.head(id).seq;
            if best.is_none_or(|(most, oldest, _)| size > most || seq < oldest) {
                best = Some((size, seq, id));
            }
        }
    }
    best.map(|(_, _, id)| id)
}

fn domain_of(binding: &[Word], params: usize) -> Mask {
    binding[..params]
        .iter()
        .enumerate()
        .fold(0, |mask, (i, word)| mask | Mask::from(word.is_set()) << i)
}

fn copy_of(
    group: &mut Group,
    at: At<'_>,
    world: &mut World,
    slices: &Slices,
    source: u32,
    binding: &[Word],
) -> Option<u32> {
    let params = at.plan.contexts[group.root.index()].params;
    let domain = domain_of(binding, params);
    let partition = slices.partitions.iter().position(|p| p.domain == domain)?;
    // Making room may discard the source; then the new one is discarded instead.
    let seq = group.members[0].store.head(source).seq;
    if !make_room(group, at, world) || !group.members[0].store.is(source, seq) {
        return None;
    }
    let id = group.copy(at, world, source, partition, binding);
    group.limit.after(&group.members[0].store, id);
    Some(id)
}

/// Whether an instance may be created; discards another for it where the limit says so.
fn make_room(group: &mut Group, at: At<'_>, world: &mut World) -> bool {
    let live = group.members[0].store.len() - 1;
    let discarded = &mut world.stats[at.unit(0).property.index()].discarded;
    match group.limit.before(&group.members[0].store, live) {
        Verdict::Room => true,
        Verdict::Refuse => {
            *discarded += 1;
            false
        }
        Verdict::Evict(id) => {
            *discarded += 1;
            group.members[0].remove(world, id);
            true
        }
    }
}

/// Removes the instances whose parameter's value has died with this event.
fn end_lives(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) {
    let context = &at.plan.model.contexts[group.root.index()];
    for end in context.ends.iter().filter(|e| e.event == letter.event) {
        if world.mutant(9) {
            continue;
        }
        let unit = &at.plan.contexts[group.root.index()];
        let word = letter.arg(end.arg);
        if word.is_null() {
            continue;
        }
        let Some(key) = super::group::parameter(unit, group.root, world, end.param.0, word) else {
            continue;
        };
        group.key.fill(Word::UNSET);
        group.key[end.param.index()] = key;
        let mask: Mask = 1 << end.param.0;
        let mut dying = std::mem::take(&mut group.targets);
        dying.clear();
        let store = &group.members[0].store;
        for (p, partition) in slices(at).partitions.iter().enumerate() {
            if partition.domain & mask != 0
                && let Some(index) = partition.indexes.iter().position(|m| *m == mask)
            {
                store.each(p, index, &group.key, |id| dying.push(id));
            }
        }
        dying.sort_unstable_by_key(|id| store.head(*id).seq);
        for &id in &dying {
            if !world.mutant(10) {
                group.report_pending(at, world, id, Cause::EndOfLife);
            }
            group.members[0].remove(world, id);
        }
        group.targets = dying;
    }
}

/// An event of a property of rule `verde`.
pub(crate) fn step_verde(group: &mut Group, at: At<'_>, world: &mut World, letter: &Letter<'_>) {
    let unit = at.unit(0);
    let Some(kind) = world.observed(unit, letter) else { return };
    let slices = slices(at);
    // Who may be concerned: those that agree with the event on what they bind. If somebody binds
    // all that the event does, only such instances can act on that placement, unless the last of
    // them is dropped on the way; creation by this event only adds to them.
    let drops = unit.tables.branches.iter().any(|b| b.target == Target::Drop);
    let mut targets: Vec<u32> = Vec::new();
    for route in &slices.routes[kind as usize] {
        if !group.place(at, world, &route.pairs, letter) {
            continue;
        }
        let store = &group.members[0].store;
        let before = targets.len();
        for lookup in &route.steps {
            store.each(lookup.partition, lookup.index, &group.key, |id| targets.push(id));
        }
        if drops || targets.len() == before {
            for lookup in &route.joins {
                store.each(lookup.partition, lookup.index, &group.key, |id| targets.push(id));
            }
        }
    }
    let store = &group.members[0].store;
    targets.sort_unstable_by_key(|id| store.head(*id).seq);
    targets.dedup();
    let targets: Vec<(u32, u64)> = targets.into_iter().map(|id| (id, store.head(id).seq)).collect();
    for (id, seq) in targets {
        if group.members[0].store.is(id, seq) {
            step_verde_instance(group, at, world, kind, id, letter);
        }
    }
    end_lives(group, at, world, letter);
}

fn step_verde_instance(
    group: &mut Group,
    at: At<'_>,
    world: &mut World,
    kind: u32,
    id: u32,
    letter: &Letter<'_>,
) {
    let unit = at.unit(0);
    let slices = slices(at);
    let context = &at.plan.contexts[group.root.index()];
    let property = unit.property.index();
    world.stats[property].visited += 1;
    let state = group.members[0].state(id, 0);
    let program = unit.tables.program(&[]);
    for &number in moves(&program, state, kind) {
        let pairs = &unit.own_placements[number as usize];
        if !group.place(at, world, pairs, letter) {
            continue;
        }
        let words = group.members[0].store.words(id);
        let compatible = (0..context.params).all(|i| {
            !words[i].is_set()
                || !group.key[i].is_set()
                || super::store::index_key(words[i]) == super::store::index_key(group.key[i])
        });
        if !compatible {
            continue;
        }
        let domain = domain_of(&group.key, context.params);
        let in_place = domain & !domain_of(words, context.params) == 0;
        let theta: Vec<Word> = group.key[..context.vars_at()].to_vec();
        if !in_place && exists_above(group, slices, domain, &theta) {
            continue;
        }
        let arity = letter.args.len() as u32;
        let tried = {
            let mut vars = group.members[0].store.words(id)[context.vars_at()..].to_vec();
            let params = match in_place {
                true => &group.members[0].store.words(id)[context.shown_at()..context.vars_at()],
                false => &theta[context.shown_at()..],
            };
            let program = unit.tables.program(&world.constants[property]);
            let mut frame = watchword_step::Frame {
                params,
                vars: &mut vars,
                registers: &mut [],
                args: letter.args,
                stack: &mut world.stack,
            };
            clear_locals(&program, &mut frame);
            let tried = try_move(
                &program,
                number,
                kind,
                arity,
                &mut frame,
                &mut world.saved,
                &mut world.heap,
            );
            (tried, vars)
        };
        let (taken, vars): (Taken, Vec<Word>) = match tried {
            (Tried::No, _) => continue,
            (Tried::NotRelevant, _) => {
                world.stats[property].not_relevant += 1;
                continue;
            }
            (Tried::Taken(taken), vars) => (taken, vars),
        };
        let acting = if in_place {
            id
        } else {
            let Some(partition) = slices.partitions.iter().position(|p| p.domain == domain) else {
                continue;
            };
            if !make_room(group, at, world) {
                world.heap.pending.clear();
                continue;
            }
            let copy = group.copy(at, world, id, partition, &theta);
            group.limit.after(&group.members[0].store, copy);
            copy
        };
        group.members[0].store.words_mut(acting)[context.vars_at()..].copy_from_slice(&vars);
        if group.carry_out(at, world, acting, 0, taken, letter, false) == Stepped::Ended {
            group.after_end(at, world, acting);
        }
        return;
    }
}

/// Whether some instance binds at least what `theta` binds, and the same.
fn exists_above(group: &Group, slices: &Slices, domain: Mask, theta: &[Word]) -> bool {
    slices.partitions.iter().enumerate().any(|(p, partition)| {
        domain & !partition.domain == 0
            && partition
                .indexes
                .iter()
                .position(|m| *m == domain)
                .is_some_and(|index| group.members[0].store.find(p, index, theta).is_some())
    })
}
