//! Proofs that sites can be silenced by the order of events: the full and the silenced trace of an
//! object, side by side.
//!
//! Two instances that have read the same events are alike; where a silenced event sets them apart,
//! guards and actions could tell them apart for good, so that from there on until they meet again
//! only transitions without both may be taken.

use std::collections::{BTreeSet, HashSet};

use super::automaton::Date;
use super::cfg::{Alias, Cfg};
use crate::mistake::Mistake;

/// Why sites cannot be silenced together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A report is made by one of the two only, at this site.
    Report(usize),
    /// Two instances that are in different states come to a guard, an action or an alarm.
    Apart(usize),
    /// A silenced event has transitions with a guard or an action.
    NotPlain(usize),
    /// The run may end with one of them pending.
    End,
}

/// Whether an object's reports stay the same if some sites are silenced.
///
/// # Errors
/// Where they may not.
pub fn certify(
    date: &Date,
    part: &[bool],
    cfg: &Cfg,
    identifier: usize,
    already: &BTreeSet<usize>,
    silenced: &BTreeSet<usize>,
) -> Result<(), Refusal> {
    let mut seen = HashSet::new();
    let mut work = vec![(0, date.start, date.start)];
    while let Some((node, full, rest)) = work.pop() {
        if !seen.insert((node, full, rest)) {
            continue;
        }
        let states = 1 << full;
        if full == rest {
            for state in date.iter(date.closure(part, states, date.internal())) {
                work.push((node, state, state));
            }
        } else {
            if date.internal() != 0 || date.has_alarm(part, states | 1 << rest) {
                return Err(Refusal::Apart(node));
            }
            // The run may end here.
            if date.pending >> full & 1 != date.pending >> rest & 1 || date.pending >> full & 1 == 1
            {
                return Err(Refusal::End);
            }
        }
        for step in cfg.steps.iter().filter(|s| s.from == node) {
            let mut next = Vec::new();
            let happens =
                |s: &usize| !already.contains(s) || Mistake::SilencedStillHappens.is_made();
            let site = step.site.filter(happens);
            let about = site.map(|s| (s, cfg.about(date, identifier, &cfg.sites[s])));
            match about {
                Some((number, (Some(letter), relation))) if relation != Alias::Never => {
                    if relation == Alias::May && !Mistake::MayIsMust.is_made() {
                        next.push((full, rest));
                    }
                    pairs(date, part, letter, (full, rest), number, silenced, &mut next)?;
                }
                _ => next.push((full, rest)),
            }
            work.extend(next.into_iter().map(|(full, rest)| (step.to, full, rest)));
        }
    }
    Ok(())
}

fn pairs(
    date: &Date,
    part: &[bool],
    letter: usize,
    (full, rest): (usize, usize),
    site: usize,
    silenced: &BTreeSet<usize>,
    next: &mut Vec<(usize, usize)>,
) -> Result<(), Refusal> {
    if silenced.contains(&site) {
        let plain = plain(date, part, full, letter).ok_or(Refusal::NotPlain(site))?;
        if plain.1.is_some() {
            return Err(Refusal::Report(site));
        }
        next.push((plain.0, rest));
        return Ok(());
    }
    if full == rest {
        next.extend(date.iter(date.approx(part, full, letter)).map(|s| (s, s)));
        return Ok(());
    }
    let one = plain(date, part, full, letter).ok_or(Refusal::Apart(site))?;
    let two = plain(date, part, rest, letter).ok_or(Refusal::Apart(site))?;
    if one.1 != two.1 {
        return Err(Refusal::Report(site));
    }
    next.push((one.0, two.0));
    Ok(())
}

/// A report: the state that is entered, and the edge if it says something of its own.
type Said = (usize, Option<usize>);

/// Where a letter leads, and what is reported, if neither guards nor actions have a say.
fn plain(date: &Date, part: &[bool], state: usize, letter: usize) -> Option<(usize, Option<Said>)> {
    if state == date.dropped() {
        return None;
    }
    let Some(first) = date.taken(part, state, letter).next() else { return Some((state, None)) };
    let edge = &date.edges[first];
    let does = &edge.does;
    let skip = does.writes.is_empty() && !does.outputs && does.clocks.is_empty();
    if !edge.certain || !skip || edge.forks || edge.to == date.dropped() {
        return None;
    }
    if date.may_be_absent(state, letter) {
        return None;
    }
    let reports = !edge.stays && date.bad >> edge.to & 1 == 1 && date.pending >> edge.to & 1 == 0;
    Some((edge.to, reports.then_some((edge.to, edge.speaks.then_some(first)))))
}
