//! Register properties: how configurations are found by what a letter may do to them.
//!
//! A letter should look at those only that it changes. So configurations of a state are indexed by
//! the registers that labels compare and by the answers of guards that read registers only; and a
//! transition of several labels is looked ahead for by all configurations of its state *together* as
//! long as the letters alone decide: that costs the same however many they are.

use watchword_model::{Expr, Label, Model, Pattern, Place, Property};
use watchword_step::NONE;

use crate::effects;
use crate::shape::{Mask, mask_of};
use crate::unit::Unit;

/// How the configurations of a register property are stored: one partition per state.
#[derive(Clone, Debug)]
pub struct Configurations {
    /// By state: the combinations its members are looked up by, of registers and, behind these, of
    /// `answers`; the first is all registers.
    pub indexes: Vec<Vec<Mask>>,
    /// By state: the code of the guards whose answers are kept beside a configuration's registers.
    /// They depend on nothing else.
    pub answers: Vec<Vec<u32>>,
    /// By state and kind of event: what to look up.
    pub routes: Vec<Vec<Scan>>,
    /// By transition: how it is looked ahead for together, if it is.
    pub together: Vec<Option<Together>>,
}

impl Configurations {
    /// How many answers a configuration has at most.
    pub fn most_answers(&self) -> usize {
        self.answers.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// Which configurations of a state an event may concern.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// How those are found that some moves may be taken by.
    pub buckets: Vec<Bucket>,
    /// The moves all of the state look ahead for together.
    pub together: Vec<u32>,
}

/// How the configurations are found that some moves of a state may be taken by.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// How they are found.
    pub key: Key,
    /// The moves.
    pub moves: Vec<u32>,
}

/// What configurations of a state are looked up by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The index.
    pub index: usize,
    /// Pairs of register and argument that are compared; none finds all of the state.
    pub pairs: Vec<(u32, u32)>,
    /// The answer that must not be no, as a place behind the registers.
    pub answer: Option<u32>,
}

/// A transition whose first labels the letters alone decide.
#[derive(Clone, Debug)]
pub struct Together {
    /// How many labels these are.
    pub blind: u32,
    /// How those are found whom the label behind them may concern; all if there is none.
    pub key: Key,
}

/// Plans a register property; `together` says whether configurations may look ahead together.
pub(crate) fn registers(model: &Model, unit: &Unit, together: bool) -> Configurations {
    let property = &model.properties[unit.property.index()];
    let all = match property.registers.len() {
        0 => 0,
        n => Mask::MAX >> (Mask::BITS as usize - n.min(Mask::BITS as usize)),
    };
    let states = property.states.len();
    let mut planned = Configurations {
        indexes: vec![vec![all]; states],
        answers: vec![Vec::new(); states],
        routes: Vec::new(),
        together: vec![None; property.transitions.len()],
    };
    // Deadlines fire between letters: then nobody may lie back.
    if together && unit.deadlines.iter().all(Option::is_none) {
        for (number, transition) in property.transitions.iter().enumerate() {
            let blind = transition.labels.iter().take_while(|label| is_blind(label)).count();
            let state = transition.source.index();
            // One with an idle loop stays where it is, whatever else it does.
            if transition.labels.len() < 2 || blind == 0 || unit.idle[state] {
                continue;
            }
            let code = unit.tables.moves[number].labels.start as usize + blind;
            let key = planned.key(property, unit, state, transition.labels.get(blind), code);
            planned.together[number] = Some(Together { blind: blind as u32, key });
        }
    }
    for state in 0..states {
        let scans = (0..unit.kinds.len()).map(|kind| planned.scan(property, unit, state, kind));
        let scans = scans.collect();
        planned.routes.push(scans);
    }
    planned
}

/// Whether a label neither looks at a configuration nor changes one.
fn is_blind(label: &Label) -> bool {
    let blind = |p: &Pattern| matches!(p, Pattern::Any | Pattern::Const(_) | Pattern::NotConst(_));
    label.guard.is_none() && label.args.iter().all(blind)
}

/// Whether a guard depends on registers only.
fn asks_registers(guard: &Expr) -> bool {
    let (mut reads, mut others) = (false, effects::expr_writes(guard));
    effects::places_read(guard, &mut |place| match place {
        Place::Register(_) => reads = true,
        _ => others = true,
    });
    reads && !others
}

impl Configurations {
    /// How those of a state are found whom a label may concern; `at` is its number among all.
    fn key(
        &mut self,
        property: &Property,
        unit: &Unit,
        state: usize,
        label: Option<&Label>,
        at: usize,
    ) -> Key {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (arg, pattern) in (0..).zip(label.iter().flat_map(|l| &l.args)) {
            if let Pattern::Equal(Place::Register(r)) = pattern
                && r.0 < Mask::BITS
                && !pairs.iter().any(|(known, _)| *known == r.0)
            {
                pairs.push((r.0, arg));
            }
        }
        pairs.sort_unstable();
        let mut mask = mask_of(&pairs);
        let guard = label.and_then(|l| l.guard.as_ref()).filter(|g| asks_registers(g));
        let code = guard.map_or(NONE, |_| unit.tables.labels[at].guard);
        let answer = self.answer(property.registers.len(), state, code);
        mask |= answer.map_or(0, |place| 1 << place);
        let indexes = &mut self.indexes[state];
        let index = indexes.iter().position(|m| *m == mask).unwrap_or(indexes.len());
        if index == indexes.len() {
            indexes.push(mask);
        }
        Key { index, pairs, answer }
    }

    /// The place of a guard's answer, if there is a guard and room for the answer.
    fn answer(&mut self, registers: usize, state: usize, code: u32) -> Option<u32> {
        let answers = &mut self.answers[state];
        if code == NONE {
            return None;
        }
        let at = answers.iter().position(|known| *known == code).unwrap_or(answers.len());
        let place = u32::try_from(registers + at).ok().filter(|place| *place < Mask::BITS)?;
        if at == answers.len() {
            answers.push(code);
        }
        Some(place)
    }

    fn scan(&mut self, property: &Property, unit: &Unit, state: usize, kind: usize) -> Scan {
        let row = unit.tables.rows[state * unit.tables.kinds as usize + kind];
        let mut scan = Scan::default();
        for number in row.of(&unit.tables.order) {
            if self.together[*number as usize].is_some() {
                scan.together.push(*number);
                continue;
            }
            let label = &property.transitions[*number as usize].labels[0];
            let code = unit.tables.moves[*number as usize].labels.start as usize;
            let key = self.key(property, unit, state, Some(label), code);
            match scan.buckets.iter_mut().find(|bucket| bucket.key == key) {
                Some(known) => known.moves.push(*number),
                None => scan.buckets.push(Bucket { key, moves: vec![*number] }),
            }
        }
        scan
    }
}
