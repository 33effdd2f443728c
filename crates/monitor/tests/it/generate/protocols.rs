//! Random protocols of two to four parameters: automata without variables, of patterns (`never`),
//! of prefixes (`only`) or drawn at random, whose events bind parameters one after the other; and
//! products, whose events bind one parameter each but for those that bind all.

use std::collections::{BTreeMap, BTreeSet};

use watchword_model::*;

use super::Case;
use super::random::Random;

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    Protocol { r: Random::new(seed ^ 0x5eed_0000) }.build()
}

struct Protocol {
    r: Random,
}

/// An automaton over kinds of events: by state and kind, where it leads; and the states reported.
struct Automaton {
    next: Vec<Vec<usize>>,
    kinds: Vec<StateKind>,
}

impl Protocol {
    fn build(mut self) -> Case {
        let params = 2 + self.r.below(3);
        let mut placed = self.placements(params);
        let automaton = match self.r.below(20) {
            0..8 => self.links(params, &mut placed),
            18.. => self.product(params, &mut placed),
            8..13 => self.pattern(placed.len(), true),
            13..16 => self.pattern(placed.len(), false),
            _ => self.any(placed.len()),
        };
        let mut model = Model::default();
        let mut events = Vec::new();
        for (i, of_event) in placed.iter().enumerate() {
            let id = EventId::from_index(model.events.len());
            let params = (0..of_event.len())
                .map(|a| Param { name: format!("a{a}"), ty: Type::Any })
                .collect();
            model.events.push(EventDecl { params, ..EventDecl::named(&format!("e{i}")) });
            events.push(id);
        }
        let creation = match self.r.percent(40) {
            true => vec![events[0]],
            false => vec![],
        };
        let ends = match self.r.percent(15) {
            true => {
                let i = self.r.below(events.len());
                let arg = self.r.below(placed[i].len().max(1));
                let param = placed[i].get(arg).copied();
                param
                    .map(|p| EndOfLife { param: p, event: events[i], arg: arg as u32 })
                    .into_iter()
                    .collect()
            }
            false => vec![],
        };
        model.contexts.push(Context {
            parent: None,
            params: (0..params).map(|i| Param { name: format!("p{i}"), ty: Type::Any }).collect(),
            keys: vec![None; params],
            rule: Creation::ChenRosu { creation },
            variables: vec![],
            clocks: vec![],
            ends,
        });
        let property = self.property(&events, &placed, &automaton);
        model.properties.push(property);
        let trace = self.trace(&events, &placed);
        Case { model, events: trace }
    }

    /// Which parameters the events bind: along a chain, around the first one, or in any way.
    fn placements(&mut self, params: usize) -> Vec<Vec<ParamId>> {
        let id = ParamId::from_index;
        let mut placed: Vec<Vec<ParamId>> = match self.r.below(5) {
            0 | 1 => (1..params).map(|p| vec![id(p - 1), id(p)]).collect(),
            2 => (1..params).map(|p| vec![id(0), id(p)]).collect(),
            3 => vec![(0..params).map(id).collect()],
            _ => Vec::new(),
        };
        for _ in 0..1 + self.r.below(3) {
            let p = self.r.below(params);
            if !placed.contains(&vec![id(p)]) {
                placed.push(vec![id(p)]);
            }
        }
        while placed.len() < 3 {
            let chosen: Vec<ParamId> = (0..params).filter(|_| self.r.percent(60)).map(id).collect();
            placed.push(chosen);
        }
        placed
    }

    /// The automaton of a sequence of events with loops in between, found anywhere or at the start.
    fn pattern(&mut self, kinds: usize, anywhere: bool) -> Automaton {
        let length = 2 + self.r.below(4);
        let letters: Vec<usize> = match self.r.percent(70) {
            // In the order in which the events bind parameters, mostly.
            true => (0..length).map(|i| if i < kinds { i } else { self.r.below(kinds) }).collect(),
            false => (0..length).map(|_| self.r.below(kinds)).collect(),
        };
        let loops: Vec<Vec<usize>> =
            (0..=length).map(|_| (0..kinds).filter(|_| self.r.percent(30)).collect()).collect();
        compile(kinds, &letters, &loops, anywhere)
    }

    /// As in maps, their views and iterators: events that link a parameter to the next one, in order,
    /// then events of single ones, which may also happen in between.
    fn links(&mut self, params: usize, placed: &mut Vec<Vec<ParamId>>) -> Automaton {
        let id = ParamId::from_index;
        *placed = (1..params).map(|p| vec![id(p - 1), id(p)]).collect();
        let links = placed.len();
        placed.push(vec![id(0)]);
        placed.push(vec![id(params - 1)]);
        if self.r.percent(30) {
            placed.push(vec![id(self.r.below(params))]);
        }
        let kinds = placed.len();
        let mut letters: Vec<usize> = (0..links).collect();
        for _ in 0..1 + self.r.below(3) {
            letters.push(links + self.r.below(kinds - links));
        }
        let loops: Vec<Vec<usize>> = (0..=letters.len())
            .map(|_| (links..kinds).filter(|_| self.r.percent(45)).collect())
            .collect();
        compile(kinds, &letters, &loops, self.r.percent(80))
    }

    /// Two or three automata that do not know of each other, and events that see all of them.
    fn product(&mut self, params: usize, placed: &mut Vec<Vec<ParamId>>) -> Automaton {
        let id = ParamId::from_index;
        let parts = 2 + usize::from(params > 2 && self.r.percent(40));
        placed.clear();
        for part in 0..parts {
            for _ in 0..1 + self.r.below(2) {
                placed.push(vec![id(part)]);
            }
        }
        let whole = placed.len();
        for _ in 0..1 + self.r.below(2) {
            placed.push((0..parts).map(id).collect());
        }
        let each = 2 + usize::from(parts == 2 && self.r.percent(40));
        let count = each.pow(parts as u32);
        let digit = |state: usize, part: usize| state / each.pow(part as u32) % each;
        let effects: Vec<Vec<usize>> =
            (0..whole).map(|_| (0..each).map(|_| self.r.below(each)).collect()).collect();
        let mut next = Vec::new();
        for state in 0..count {
            let mut row: Vec<usize> = (0..whole)
                .map(|kind| {
                    let part = placed[kind][0].index();
                    let from = digit(state, part);
                    state + effects[kind][from] * each.pow(part as u32)
                        - from * each.pow(part as u32)
                })
                .collect();
            row.extend((whole..placed.len()).map(|_| match self.r.below(10) {
                0..3 => count,
                3..5 => self.r.below(count),
                _ => state,
            }));
            next.push(row);
        }
        // What is reported stays so.
        next.push(vec![count; placed.len()]);
        let mut kinds = vec![StateKind::Normal; count];
        kinds.push(StateKind::Bad);
        Automaton { next, kinds }
    }

    fn any(&mut self, kinds: usize) -> Automaton {
        let count = 3 + self.r.below(3);
        let next = (0..count)
            .map(|state| {
                let to = |r: &mut Random| match r.below(10) {
                    0..4 => state,
                    4..6 => 0,
                    _ => r.below(count),
                };
                (0..kinds).map(|_| to(&mut self.r)).collect()
            })
            .collect();
        let kinds = (0..count)
            .map(|state| match self.r.below(12) {
                _ if state == 0 => StateKind::Normal,
                _ if state + 1 == count => StateKind::Bad,
                0 => StateKind::Pending,
                1 => StateKind::Good,
                _ => StateKind::Normal,
            })
            .collect();
        Automaton { next, kinds }
    }

    fn property(
        &mut self,
        events: &[EventId],
        placed: &[Vec<ParamId>],
        automaton: &Automaton,
    ) -> Property {
        let mut transitions = Vec::new();
        let is_strict = self.r.percent(25);
        for (state, row) in automaton.next.iter().enumerate() {
            for (kind, to) in row.iter().enumerate() {
                let is_bad = automaton.kinds[state] == StateKind::Bad;
                if *to == state && !is_bad && !(is_strict && self.r.percent(8)) {
                    continue;
                }
                let args = placed[kind].iter().map(|p| Pattern::Equal(Place::Param(*p))).collect();
                // A few ask more of an event than that it happened.
                let guard = (self.r.percent(if is_strict { 4 } else { 0 })
                    && !placed[kind].is_empty())
                .then(|| {
                    let arg = Box::new(Expr::Read(Place::Arg(0)));
                    Expr::Binary(BinaryOp::Ne, arg, Box::new(Expr::Const(Value::Int(1))))
                });
                transitions.push(Transition {
                    source: StateId::from_index(state),
                    labels: vec![Label {
                        event: Some(events[kind]),
                        arity: Arity::Any,
                        args,
                        guard,
                        span: Span::NONE,
                    }],
                    keep: false,
                    then: Branch::to(Target::State(StateId::from_index(*to))),
                    otherwise: None,
                    span: Span::NONE,
                });
            }
        }
        let states = automaton.kinds.iter().enumerate().map(|(i, kind)| State {
            name: format!("s{i}"),
            kind: *kind,
            message: None,
            entry: vec![],
            deadline: None,
            span: Span::NONE,
        });
        let observed = events.iter().zip(placed).map(|(event, params)| Observed {
            event: *event,
            filter: None,
            placements: vec![Placement(params.iter().copied().zip(0..).collect())],
        });
        Property {
            alphabet: observed.collect(),
            states: states.collect(),
            transitions,
            ..Property::named("P", ContextId(0))
        }
    }

    fn trace(&mut self, events: &[EventId], placed: &[Vec<ParamId>]) -> Vec<Event> {
        let length = 6 + self.r.below(40);
        let values = 2 + self.r.below(2);
        // Mostly in the order of the protocol, with the values of one slice.
        let mut at = 0;
        let mut own: Vec<i64> = (0..4).map(|_| self.r.below(values) as i64).collect();
        (0..length)
            .map(|_| {
                let kind = match self.r.percent(55) {
                    true => {
                        at = (at + usize::from(self.r.percent(70))) % events.len();
                        at
                    }
                    false => self.r.below(events.len()),
                };
                if self.r.percent(25) {
                    let p = self.r.below(4);
                    own[p] = self.r.below(values) as i64;
                }
                let args = placed[kind].iter().map(|p| {
                    let other = self.r.percent(12);
                    let value = if other { self.r.below(values) as i64 } else { own[p.index()] };
                    Value::Int(value)
                });
                Event::new(events[kind], args.collect())
            })
            .collect()
    }
}

/// The automaton of these letters in order, with events that may happen in between, found anywhere
/// or at the start only.
fn compile(kinds: usize, letters: &[usize], loops: &[Vec<usize>], anywhere: bool) -> Automaton {
    let length = letters.len();
    let mut known: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
    let start = BTreeSet::from([0]);
    known.insert(start.clone(), 0);
    let mut todo = vec![start];
    let mut automaton = Automaton { next: vec![vec![]], kinds: vec![StateKind::Normal] };
    while let Some(set) = todo.pop() {
        let state = known[&set];
        let mut row = Vec::new();
        for kind in 0..kinds {
            let mut to = BTreeSet::new();
            for at in &set {
                if *at < length && letters[*at] == kind {
                    to.insert(at + 1);
                }
                if *at > 0 && *at < length && loops[*at].contains(&kind) {
                    to.insert(*at);
                }
            }
            if anywhere {
                to.insert(0);
            }
            let next = known.len();
            let number = *known.entry(to.clone()).or_insert(next);
            if number == next {
                automaton.next.push(vec![]);
                let is_bad = to.contains(&length);
                automaton.kinds.push(if is_bad { StateKind::Bad } else { StateKind::Normal });
                todo.push(to);
            }
            row.push(number);
        }
        automaton.next[state] = row;
    }
    automaton
}
