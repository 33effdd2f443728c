//! A property as machines over event letters, one per set of bound parameters.
//!
//! Parametric slicing (`chen-rosu`) gives every binding θ the run of the automaton over the events
//! whose own binding is part of θ. A report about θ is made only if θ is *in the table*: if the
//! events of its slice together bind exactly the parameters of θ. So for every set D of parameters
//! there is a Mealy machine over the letters that bind only parameters of D; its states are pairs of
//! an automaton state and the parameters bound so far, and it reports when the automaton enters a
//! bad or good state while everything in D is bound. Sets whose machine never reports need no
//! attention. What happens at the end of the run (`end`, pending states) is an output of the state.

use std::collections::HashMap;

use watchword_automata::finite::{Alphabet, Dfa, Letter as FiniteLetter};
use watchword_model::{
    Arity, Creation, EventId, Label, Model, ParamId, Pattern, Place, PropertyId, StateKind, Target,
    Type,
};

/// An event of a property, as the analyses number them: position in [`Machines::letters`].
pub type Letter = usize;

/// A set of letters, as bits.
pub type Letters = u64;

/// A set of parameters, as bits.
pub type Params = u32;

/// Why a property is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

/// What a property observes of an event.
#[derive(Clone, Debug)]
pub struct LetterInfo {
    /// The event.
    pub event: EventId,
    /// Its name.
    pub name: String,
    /// Which argument is which parameter.
    pub binds: Vec<(ParamId, u32)>,
    /// The same parameters as a set.
    pub params: Params,
}

/// All machines of a property.
#[derive(Clone, Debug)]
pub struct Machines {
    /// The property's name.
    pub name: String,
    /// Its parameters' names.
    pub params: Vec<String>,
    /// What it observes.
    pub letters: Vec<LetterInfo>,
    /// The machines that can report something.
    pub machines: Vec<Machine>,
}

/// The machine of the bindings of one set of parameters. States are numbered from 0, the start; no
/// two of them are equivalent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The set of parameters.
    pub domain: Params,
    /// The letters whose parameters are in the domain.
    pub letters: Letters,
    /// Successor by state and letter; letters outside [`Machine::letters`] stay.
    pub next: Vec<Vec<u32>>,
    /// Report by state and letter; 0: none.
    pub out: Vec<Vec<u32>>,
    /// Report by state if the run ends here; 0: none.
    pub at_end: Vec<u32>,
}

/// The most letters, parameters and states that are looked at.
const MAX_LETTERS: usize = 60;
pub(crate) const MAX_PARAMS: usize = 4;
const MAX_STATES: usize = 256;

impl Machines {
    /// Whether an event can be the one that is reported.
    pub fn is_reported(&self, letter: Letter) -> bool {
        let mut outs = self.machines.iter().flat_map(|machine| &machine.out);
        outs.any(|out| out[letter] != 0)
    }

    /// Whether an event that happens twice in a row is as good as one.
    pub fn is_repeatable(&self, letter: Letter) -> bool {
        let stays = |machine: &Machine, state: u32| {
            let state = state as usize;
            machine.next[state][letter] == state as u32 && machine.out[state][letter] == 0
        };
        self.machines
            .iter()
            .all(|machine| machine.next.iter().all(|row| stays(machine, row[letter])))
    }

    /// The machines of a property, or why there are none.
    pub fn of(model: &Model, property: PropertyId) -> Result<Machines, Unsupported> {
        let no = |reason: String| Err(Unsupported(reason));
        let p = &model.properties[property.index()];
        let context = &model.contexts[p.context.index()];
        let creation = match &context.rule {
            Creation::ChenRosu { creation } => creation.clone(),
            Creation::Registers => return no("it has registers, not parameters".into()),
            Creation::Verde | Creation::Larva => {
                return no("its instances are not made by parametric slicing".into());
            }
        };
        if !context.variables.is_empty() {
            return no("it has variables".into());
        }
        if !context.clocks.is_empty() || p.measures_time() {
            return no("it measures time".into());
        }
        if !context.ends.is_empty() {
            return no("events end the life of its parameters".into());
        }
        if context.keys.iter().any(Option::is_some) {
            return no("its parameters are compared by a key, not by identity".into());
        }
        let params = model.params(p.context);
        if params.len() > MAX_PARAMS {
            return no(format!("it has more than {MAX_PARAMS} parameters"));
        }
        for (_, param) in &params {
            if !matches!(param.ty, Type::Any | Type::Ref) {
                return no(format!("its parameter `{}` is compared by value", param.name));
            }
        }
        if p.states.iter().any(|s| !s.entry.is_empty()) {
            return no("its states have entry actions".into());
        }
        let mut letters = Vec::new();
        let mut observes_end = false;
        for observed in &p.alphabet {
            if observed.event == EventId::END {
                observes_end = true;
                continue;
            }
            let name = model.events[observed.event.index()].name.clone();
            if observed.filter.is_some() {
                return no(format!("it observes `{name}` under a condition"));
            }
            let [placement] = &observed.placements[..] else {
                return no(format!("it uses `{name}` with different parameters"));
            };
            let set = placement.0.iter().fold(0, |set, (param, _)| set | 1 << param.index());
            letters.push(LetterInfo {
                event: observed.event,
                name,
                binds: placement.0.clone(),
                params: set,
            });
        }
        // Events of one instruction happen in the order in which they are declared.
        letters.sort_by_key(|letter: &LetterInfo| letter.event);
        if letters.len() > MAX_LETTERS {
            return no(format!("it observes more than {MAX_LETTERS} events"));
        }
        let raw = Raw::of(model, property, &letters, &creation, observes_end)?;
        let all: Params = (1 << params.len()) - 1;
        let mut machines = Vec::new();
        for domain in 0..=all {
            if let Some(machine) = raw.machine(&letters, domain)? {
                machines.push(machine);
            }
        }
        let params = params.into_iter().map(|(_, p)| p.name.clone()).collect();
        Ok(Machines { name: p.name.clone(), params, letters, machines })
    }

    /// The letter of an event.
    pub fn letter(&self, event: EventId) -> Option<Letter> {
        self.letters.iter().position(|l| l.event == event)
    }
}

/// The property's own automaton, as tables.
struct Raw {
    /// By state and letter: successor and report.
    steps: Vec<Vec<(u32, u32)>>,
    at_end: Vec<u32>,
    start: u32,
}

impl Raw {
    fn of(
        model: &Model,
        property: PropertyId,
        letters: &[LetterInfo],
        creation: &[EventId],
        observes_end: bool,
    ) -> Result<Raw, Unsupported> {
        let p = &model.properties[property.index()];
        // Reports are told apart by the transition that made them: message and state follow from it.
        let report = |transition: usize, from: usize| match p.transitions[transition].then.target {
            Target::State(to) => match p.states[to.index()].kind {
                StateKind::Bad | StateKind::Good => (to.0, transition as u32 + 1),
                _ => (to.0, 0),
            },
            _ => (from as u32, 0),
        };
        for t in &p.transitions {
            let [label] = &t.labels[..] else {
                return Err(Unsupported("it takes several events in one transition".into()));
            };
            if t.keep || t.otherwise.is_some() {
                return Err(Unsupported("it forks".into()));
            }
            if t.then.target == Target::Drop {
                return Err(Unsupported("it drops instances".into()));
            }
            if !t.then.update.is_empty() {
                return Err(Unsupported("its transitions have actions".into()));
            }
            plain(label, letters)?;
        }
        let take = |from: usize, event: EventId| {
            let found = p.transitions.iter().position(|t| {
                t.source.index() == from && t.labels[0].event.is_none_or(|e| e == event)
            });
            found.map_or((from as u32, 0), |t| report(t, from))
        };
        let mut steps = Vec::new();
        let mut at_end = Vec::new();
        for from in 0..p.states.len() {
            steps.push(letters.iter().map(|l| take(from, l.event)).collect::<Vec<_>>());
            let (to, out) = if observes_end { take(from, EventId::END) } else { (from as u32, 0) };
            let pending = p.states[to as usize].kind == StateKind::Pending;
            let pending = if pending { 1 + p.transitions.len() as u32 + to } else { 0 };
            // Both may happen at the end: the transition's report and the pending state's.
            at_end.push(out * (2 + (p.transitions.len() + p.states.len()) as u32) + pending);
        }
        let mut start = p.start.0;
        if !creation.is_empty() {
            // Not begun: everything but a creation event is ignored.
            let begun = steps[start as usize].clone();
            start = steps.len() as u32;
            let row = letters.iter().zip(begun).map(|(letter, step)| {
                if creation.contains(&letter.event) { step } else { (start, 0) }
            });
            let row = row.collect();
            steps.push(row);
            // An instance that has not begun ignores the end; whether it is in a pending state
            // does not depend on having begun.
            let pending = p.states[p.start.index()].kind == StateKind::Pending;
            at_end.push(if pending { 1 + p.transitions.len() as u32 + p.start.0 } else { 0 });
        }
        Ok(Raw { steps, at_end, start })
    }

    /// The minimal machine of a domain; `None` if it never reports.
    fn machine(
        &self,
        letters: &[LetterInfo],
        domain: Params,
    ) -> Result<Option<Machine>, Unsupported> {
        let own: Vec<Letter> =
            (0..letters.len()).filter(|l| letters[*l].params & !domain == 0).collect();
        let mut states = vec![(self.start, 0 as Params)];
        let mut ids = HashMap::from([(states[0], 0u32)]);
        let mut rows: Vec<Vec<(u32, u32)>> = Vec::new();
        let mut at_end = Vec::new();
        let mut done = 0;
        while done < states.len() {
            let (state, bound) = states[done];
            done += 1;
            let here = bound == domain;
            at_end.push(if here { self.at_end[state as usize] } else { 0 });
            let mut row = Vec::new();
            for letter in &own {
                let (to, out) = self.steps[state as usize][*letter];
                let key = (to, bound | letters[*letter].params);
                let id = *ids.entry(key).or_insert_with(|| {
                    states.push(key);
                    states.len() as u32 - 1
                });
                row.push((id, if key.1 == domain { out } else { 0 }));
            }
            rows.push(row);
            if states.len() > MAX_STATES {
                return Err(Unsupported(format!("it has more than {MAX_STATES} states")));
            }
        }
        let silent = rows.iter().flatten().all(|(_, out)| *out == 0);
        if silent && at_end.iter().all(|out| *out == 0) {
            return Ok(None);
        }
        Ok(Some(minimal(domain, letters.len(), &own, &rows, &at_end)))
    }
}

/// Nerode classes by way of a finite automaton whose letters are (letter, report) pairs: two states
/// accept the same words of pairs if and only if they answer every word alike.
fn minimal(
    domain: Params,
    all_letters: usize,
    own: &[Letter],
    rows: &[Vec<(u32, u32)>],
    at_end: &[u32],
) -> Machine {
    let mut pairs: HashMap<(usize, u32), u32> = HashMap::new();
    let end_column = own.len();
    for (row, end) in rows.iter().zip(at_end) {
        for (column, (_, out)) in row.iter().enumerate() {
            let next = pairs.len() as u32;
            pairs.entry((column, *out)).or_insert(next);
        }
        let next = pairs.len() as u32;
        pairs.entry((end_column, *end)).or_insert(next);
    }
    let mut dfa = Dfa::new(Alphabet::new(pairs.len() as u32));
    let mut ids = vec![dfa.start()];
    ids.extend((1..rows.len()).map(|_| dfa.add_state()));
    let over = dfa.add_state();
    dfa.add_accepting(over);
    for (state, row) in rows.iter().enumerate() {
        dfa.add_accepting(ids[state]);
        for (column, (to, out)) in row.iter().enumerate() {
            let letter = FiniteLetter(pairs[&(column, *out)]);
            dfa.set_next(ids[state], letter, ids[*to as usize]);
        }
        dfa.set_next(ids[state], FiniteLetter(pairs[&(end_column, at_end[state])]), over);
    }
    let classes = dfa.equivalent_states();
    // Number the classes in the order the states were found, so that the start is 0.
    let mut number: HashMap<usize, u32> = HashMap::new();
    let mut members = Vec::new();
    for (state, id) in ids.iter().enumerate() {
        let fresh = number.len() as u32;
        let class = classes.class_of(*id);
        number.entry(class).or_insert_with(|| {
            members.push(state);
            fresh
        });
    }
    let mut machine = Machine {
        domain,
        letters: own.iter().fold(0, |set, l| set | 1 << l),
        next: Vec::new(),
        out: Vec::new(),
        at_end: Vec::new(),
    };
    for (state, member) in members.iter().enumerate() {
        let mut next = vec![state as u32; all_letters];
        let mut outs = vec![0; all_letters];
        for (column, letter) in own.iter().enumerate() {
            let (to, out) = rows[*member][column];
            next[*letter] = number[&classes.class_of(ids[to as usize])];
            outs[*letter] = out;
        }
        machine.next.push(next);
        machine.out.push(outs);
        machine.at_end.push(at_end[*member]);
    }
    machine
}

impl Machine {
    /// How many states there are.
    #[expect(clippy::len_without_is_empty, reason = "there is always a start state")]
    pub fn len(&self) -> usize {
        self.next.len()
    }

    /// The states that can be reached from some of them by some letters.
    pub fn reach(&self, from: impl IntoIterator<Item = u32>, letters: Letters) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut work: Vec<u32> = from.into_iter().collect();
        while let Some(state) = work.pop() {
            if !std::mem::replace(&mut seen[state as usize], true) {
                let row = &self.next[state as usize];
                work.extend(iter(letters & self.letters).map(|letter| row[letter]));
            }
        }
        seen
    }

    /// Whether some word over some letters, from the start, makes a report (or would, if the run
    /// ended after it).
    pub fn can_report(&self, letters: Letters) -> bool {
        let reach = self.reach([0], letters);
        (0..self.len()).filter(|s| reach[*s]).any(|state| {
            self.at_end[state] != 0
                || iter(letters & self.letters).any(|letter| self.out[state][letter] != 0)
        })
    }

    /// Whether two states answer all words over some letters alike, the end included.
    pub fn alike(&self, one: u32, two: u32, letters: Letters) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut work = vec![(one, two)];
        while let Some((p, q)) = work.pop() {
            if p == q || !seen.insert((p, q)) {
                continue;
            }
            let (p, q) = (p as usize, q as usize);
            if self.at_end[p] != self.at_end[q] {
                return false;
            }
            for letter in iter(letters & self.letters) {
                if self.out[p][letter] != self.out[q][letter] {
                    return false;
                }
                work.push((self.next[p][letter], self.next[q][letter]));
            }
        }
        true
    }
}

/// The letters of a set.
pub fn iter(mut letters: Letters) -> impl Iterator<Item = Letter> {
    std::iter::from_fn(move || {
        let letter = letters.trailing_zeros() as Letter;
        letters &= letters.checked_sub(1)?;
        Some(letter)
    })
}

/// Whether a label matches every event of its kind that concerns the instance.
fn plain(label: &Label, letters: &[LetterInfo]) -> Result<(), Unsupported> {
    if label.guard.is_some() || label.arity != Arity::Any {
        return Err(Unsupported("its transitions have conditions".into()));
    }
    for (at, pattern) in label.args.iter().enumerate() {
        let fits = match pattern {
            Pattern::Any => true,
            Pattern::Bind(Place::Local(_)) => true,
            Pattern::Equal(Place::Param(param)) => label.event.is_some_and(|event| {
                letters
                    .iter()
                    .find(|l| l.event == event)
                    .is_some_and(|l| l.binds.contains(&(*param, at as u32)))
            }),
            _ => false,
        };
        if !fits {
            return Err(Unsupported("its transitions compare arguments".into()));
        }
    }
    Ok(())
}
