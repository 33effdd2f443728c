//! Configurations of one state that look ahead together.
//!
//! The first labels of `fin() then bad() -> E` neither look at a configuration nor change one. So what
//! becomes of the transition is the same for all that sit in its state, and nobody is touched: a
//! *group* notes that they lie back, and which moves are open. Its members stay in the store; they are
//! those of the state who were there when the first letter came, told by since when they have been
//! sitting. Only whom the letters do not decide about leaves the group and goes on alone. If the others
//! looked ahead in vain, the group skips one letter, as each of them would.

use watchword_model::PropertyId;
use watchword_plan::Key;
use watchword_step::{Frame, Matched, NONE, match_label};

use super::super::history::EMPTY;
use super::super::save::{Reader, Restored, Writer, wrong};
use super::super::store::Store;
use super::super::world::{Timer, World};
use super::{Configuration, Here, Registers, Waiting, equal, may_begin};

/// See the module's text.
#[derive(Clone, Debug)]
pub(super) struct Group {
    state: u32,
    /// How many letters lie behind it.
    pub position: u64,
    /// Its members have been sitting since a position from here
    low: u64,
    /// to here.
    high: u64,
    /// The moves whose outcome is not known yet.
    open: Vec<u32>,
    twins: Vec<Twin>,
}

/// A member that will meet an equal configuration.
#[derive(Clone, Copy, Debug)]
struct Twin {
    /// Where they meet.
    position: u64,
    /// The member, and as which it was created.
    id: u32,
    seq: u64,
}

/// How a move fares on the letters after a group.
enum Outlook {
    /// The letters there are do not decide.
    Open,
    Failed,
    /// All members may take it.
    All,
    /// Those may whom this letter concerns.
    Some(usize),
}

impl Group {
    fn has(&self, state: u32, since: u64) -> bool {
        self.state == state && (self.low..=self.high).contains(&since)
    }

    pub fn save(&self, out: &mut Writer, store: &Store) {
        out.u64(u64::from(self.state));
        out.u64(self.position);
        out.u64(self.low);
        out.u64(self.high);
        out.u64(self.open.len() as u64);
        self.open.iter().for_each(|number| out.u64(u64::from(*number)));
        let twins = || self.twins.iter().filter(|twin| store.is(twin.id, twin.seq));
        out.u64(twins().count() as u64);
        for twin in twins() {
            out.u64(twin.position);
            out.u64(twin.seq);
        }
    }

    pub fn restore(here: Here<'_>, store: &Store, from: &mut Reader<'_>) -> Restored<Group> {
        let state = from.len_below(here.unit.lost as usize)? as u32;
        let (position, low, high) = (from.u64()?, from.u64()?, from.u64()?);
        if high > position {
            return Err(wrong("a group has members that are not there yet"));
        }
        let mut open = Vec::new();
        for _ in 0..from.len()? {
            let number = from.len_below(here.shape.together.len())?;
            if here.shape.together[number].is_none() || here.unit.sources[number] != state {
                return Err(wrong("a group looks ahead for nothing"));
            }
            open.push(number as u32);
        }
        let mut twins = Vec::new();
        for _ in 0..from.len()? {
            let (position, seq) = (from.u64()?, from.u64()?);
            let id = store.all().find(|id| store.head(*id).seq == seq);
            let id = id.ok_or(wrong("a group has a member that is not there"))?;
            twins.push(Twin { position, id, seq });
        }
        Ok(Group { state, position, low, high, open, twins })
    }
}

impl Registers {
    /// The group that one in the store lies back with.
    pub(super) fn group_of(&self, id: u32) -> Option<usize> {
        if self.groups.is_empty() {
            return None;
        }
        let state = u32::from(self.store.head(id).partition);
        let since = self.since[id as usize];
        self.groups.iter().position(|group| group.has(state, since))
    }

    /// Lets those that sit in a state look ahead for the moves that the last letter may begin.
    pub(super) fn begin_together(
        &mut self,
        here: Here<'_>,
        world: &mut World,
        state: u32,
        moves: &[u32],
    ) {
        let groups = self.groups.iter().filter(|group| group.state == state);
        let low = groups.map(|group| group.high + 1).max().unwrap_or(0);
        if moves.is_empty() || self.newest[state as usize] < low {
            return;
        }
        let position = self.position - 1;
        let mut open = moves.to_vec();
        open.retain(|number| {
            matches!(self.outlook(here, world, *number, position, false), Outlook::Open)
        });
        if !open.is_empty() {
            let high = if world.mutant(34) { self.position } else { position };
            self.groups.push(Group { state, position, low, high, open, twins: Vec::new() });
        }
    }

    /// How a move fares, as far as letters alone decide.
    fn outlook(
        &self,
        here: Here<'_>,
        world: &mut World,
        number: u32,
        position: u64,
        ended: bool,
    ) -> Outlook {
        let tables = &here.unit.tables;
        let Some(together) = &here.shape.together[number as usize] else { return Outlook::Failed };
        let undecided = || if ended { Outlook::Failed } else { Outlook::Open };
        let first = self.position - self.letters.len() as u64;
        let mut at = (position - first) as usize;
        let labels = tables.moves[number as usize].labels.of(&tables.labels);
        let (blind, rest) = labels.split_at(together.blind as usize);
        let program = tables.program(&world.constants[self.property.index()]);
        for label in blind {
            let Some(letter) = self.letters.get(at) else { return undecided() };
            let mut frame = Frame {
                params: &[],
                vars: &mut [],
                registers: &mut [],
                args: &letter.args,
                stack: &mut world.stack,
            };
            let (arity, saved) = (letter.args.len() as u32, &mut world.saved);
            let heap = &mut world.heap;
            let matched = match_label(&program, label, letter.kind, arity, &mut frame, saved, heap);
            if !matches!(matched, Matched::Yes) {
                return Outlook::Failed;
            }
            at += 1;
        }
        let Some(label) = rest.first() else { return Outlook::All };
        let Some(letter) = self.letters.get(at) else { return undecided() };
        let fits = label.kind == NONE || label.kind == letter.kind;
        match fits && label.admits(letter.args.len() as u32) {
            true => Outlook::Some(at),
            false => Outlook::Failed,
        }
    }

    /// Decides what can be decided about those who lie back together.
    pub(super) fn advance_together(&mut self, here: Here<'_>, world: &mut World, ended: bool) {
        let mut at = 0;
        while at < self.groups.len() {
            match self.advance_group(here, world, at, ended) {
                true => at += 1,
                false => drop(self.groups.remove(at)),
            }
        }
    }

    /// Goes as far with a group as the letters allow. Answers whether it is a group still.
    fn advance_group(&mut self, here: Here<'_>, world: &mut World, at: usize, ended: bool) -> bool {
        let PropertyId(property) = self.property;
        world.stats[property as usize].visited += 1;
        let state = self.groups[at].state;
        loop {
            let position = self.groups[at].position;
            let moves = std::mem::take(&mut self.groups[at].open);
            let mut open = Vec::new();
            let mut concerned = Vec::new();
            for number in &moves {
                let letter = match self.outlook(here, world, *number, position, ended) {
                    Outlook::Failed => continue,
                    Outlook::Open => {
                        open.push(*number);
                        continue;
                    }
                    Outlook::All => None,
                    Outlook::Some(letter) => Some(letter),
                };
                if let Some(together) = &here.shape.together[*number as usize] {
                    self.find_members(world, at, &together.key, letter, &mut concerned);
                }
            }
            self.leave_group(here, world, concerned, position, &moves, ended);
            if !open.is_empty() {
                self.groups[at].open = open;
                return !self.unite(at);
            }
            // Skip exactly one letter.
            let position = if world.mutant(12) { self.position } else { position + 1 };
            self.groups[at].position = position;
            self.meet_twins(world, at);
            if position >= self.position {
                return false;
            }
            // What its members do there alone, and what together.
            let first = self.position - self.letters.len() as u64;
            let number = (position - first) as usize;
            let scan = &here.shape.routes[state as usize][self.letters[number].kind as usize];
            let mut concerned = Vec::new();
            for bucket in &scan.buckets {
                let letter = self.letters[number].letter();
                let mut moves = bucket.moves.iter();
                if moves.any(|number| may_begin(here.unit, world, *number, &letter)) {
                    self.find_members(world, at, &bucket.key, Some(number), &mut concerned);
                }
            }
            if !concerned.is_empty() {
                let moves = self.moves_of(here, state);
                self.leave_group(here, world, concerned, position, &moves, ended);
            }
            self.groups[at].open = scan.together.clone();
        }
    }

    /// Adds the members of a group that are found by a key, for one of the letters.
    fn find_members(
        &mut self,
        world: &mut World,
        at: usize,
        key: &Key,
        letter: Option<usize>,
        found: &mut Vec<(u64, u32)>,
    ) {
        let args = letter.map(|letter| std::mem::take(&mut self.letters[letter].args));
        self.look_up(world, key, args.as_deref().unwrap_or_default());
        if let (Some(letter), Some(args)) = (letter, args) {
            self.letters[letter].args = args;
        }
        let group = &self.groups[at];
        self.store.each(group.state as usize, key.index, &self.trial, |id| {
            if group.has(group.state, self.since[id as usize]) {
                found.push((self.store.head(id).seq, id));
            }
        });
    }

    /// Lets members of a group go on alone, with these moves open.
    fn leave_group(
        &mut self,
        here: Here<'_>,
        world: &mut World,
        mut leaving: Vec<(u64, u32)>,
        position: u64,
        moves: &[u32],
        ended: bool,
    ) {
        leaving.sort_unstable();
        leaving.dedup();
        for (seq, id) in leaving {
            // A limit may have made room where it was.
            if !self.store.is(id, seq) {
                continue;
            }
            let configuration = Configuration { position, ..self.sitting(id) };
            let since = self.since[id as usize];
            self.histories[id as usize] = EMPTY;
            self.deadlines[id as usize] = Timer::NONE;
            self.store.remove(id);
            if self.was_there(&configuration) {
                world.history.release(configuration.history);
                self.recycle(configuration.registers);
                continue;
            }
            if since < position {
                self.depart(&configuration, since, position - 1);
            }
            let waiting = Waiting { configuration, open: moves.to_vec(), fired: false };
            self.advance(here, world, waiting, ended);
        }
    }

    /// Joins a group with another one of its state at its position, if there is one: the same
    /// letters lie before both.
    fn unite(&mut self, at: usize) -> bool {
        let Group { state, position, low, high, .. } = self.groups[at];
        let is = |(other, group): (usize, &Group)| {
            other != at && group.state == state && group.position == position
        };
        let Some(other) = self.groups.iter().enumerate().position(is) else { return false };
        let twins = std::mem::take(&mut self.groups[at].twins);
        let other = &mut self.groups[other];
        other.low = other.low.min(low);
        other.high = other.high.max(high);
        other.twins.extend(twins);
        true
    }

    /// Notes who lies back and is equal to one that has come to sit.
    pub(super) fn note_twins(&mut self, newer: u32) {
        if self.groups.is_empty() {
            return;
        }
        let mut found = Vec::new();
        let state = self.store.head(newer).partition;
        self.store.each(usize::from(state), 0, self.store.words(newer), |id| {
            if id != newer && equal(self.registers_of(id), self.registers_of(newer)) {
                found.push(id);
            }
        });
        for id in found {
            if let Some(at) = self.group_of(id) {
                let (position, seq) = (self.position, self.store.head(id).seq);
                self.groups[at].twins.push(Twin { position, id, seq });
            }
        }
    }

    /// Where a group has come, members may meet equal ones, who were there first.
    fn meet_twins(&mut self, world: &mut World, at: usize) {
        let position = self.groups[at].position;
        let met = |twin: &Twin| twin.position <= position;
        let twins: Vec<Twin> = self.groups[at].twins.extract_if(.., |twin| met(twin)).collect();
        for Twin { id, seq, .. } in twins {
            if self.store.is(id, seq) {
                let configuration = self.sitting(id);
                self.depart(&configuration, self.since[id as usize], position - 1);
                self.recycle(configuration.registers);
                self.take_out(world, id);
            }
        }
    }
}
