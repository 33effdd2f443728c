//! A second opinion: checks certificates without having made them.
//!
//! The explorer *finds* facts and points by running to a fixpoint; the checker only asks whether what
//! it is given is closed: every fact implies the facts after it, every point has its successors among
//! the points, no pair reports differently. It shares no code with the explorer but the data, the
//! list of slices to look at, and what calls do.

use std::collections::HashSet;

use crate::body::{Body, EventAt, NodeId, Op, Operand, Source, When};
use crate::certify::{Certificate, Explorer, Filled, Life, Lives};
use crate::flow::{
    Flow, NULL, OUTSIDE, Objects, OriginKey, UNKNOWN, old_bit, param_bit, recent_bit,
};
use crate::machine::{Letters, Machine, Machines};
use crate::tiers::t2_methods::Local;

/// Checks what was found out about a method; says what is wrong.
pub fn check(
    body: &Body,
    flow: &Flow,
    machines: &Machines,
    alone: bool,
    local: &Local,
) -> Result<(), String> {
    if local.silenced.is_empty() {
        return Ok(());
    }
    let mut checker = Checker {
        body,
        flow,
        machines,
        silenced: &local.silenced,
        alone,
        happenings: Vec::new(),
        stretches: Vec::new(),
        start: Vec::new(),
    };
    checker.happenings =
        (0..body.nodes.len() as NodeId).map(|node| checker.happening(node)).collect();
    checker.stretch();
    checker.facts()?;
    let anchored = checker.anchors()?;
    let explorer = Explorer::new(body, flow, machines, alone);
    let needed = explorer.fillings(anchored).ok_or("too many slices")?;
    for (machine, filled) in needed {
        let found = local.certificates.iter().find(|c| c.machine == machine && c.filled == filled);
        let certificate = found.ok_or("a slice has no certificate")?;
        checker.certificate(certificate)?;
    }
    Ok(())
}

struct Checker<'c> {
    body: &'c Body,
    flow: &'c Flow,
    machines: &'c Machines,
    silenced: &'c HashSet<u32>,
    /// There is one thread only.
    alone: bool,
    /// By node.
    happenings: Vec<Happening>,
    /// By node: where the stretch of code begins that it is part of.
    start: Vec<NodeId>,
    /// By node that begins a stretch.
    stretches: Vec<Stretch>,
}

/// Code that control can only enter at its beginning, and in which nothing happens to objects until
/// one of its last nodes: what holds at its beginning holds at all its nodes.
#[derive(Clone, Default)]
struct Stretch {
    /// Nodes where something happens.
    last: Vec<NodeId>,
    /// Beginnings of other stretches that can follow nodes where nothing happens.
    then: Vec<NodeId>,
    /// Whether an exception may leave the method from a node where nothing happens.
    thrown: bool,
}

/// Everything that happens at a node, in the checker's own words.
struct Happening {
    /// Objects that leave.
    leaves: Objects,
    /// Origins that get a new recent object.
    news: Vec<usize>,
    /// What the result is.
    result: Objects,
}

type Pair = (Lives, u32, u32);

impl Checker<'_> {
    fn held(&self, node: NodeId, var: u16) -> Objects {
        self.flow.before[node as usize].as_ref().map_or(UNKNOWN, |s| s.vars[usize::from(var)])
    }

    fn views(&self, origin: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.flow.origins.len()).filter(move |o| {
            *o == origin
                || matches!(self.flow.origins[*o].key, OriginKey::View(of, _) if of == origin)
        })
    }

    fn happening(&self, node: NodeId) -> Happening {
        let mut now = Happening { leaves: 0, news: Vec::new(), result: 0 };
        match &self.body.nodes[node as usize].op {
            Op::Store(var, _) | Op::Throw(var) | Op::Return(Some(var)) => {
                now.leaves = self.held(node, *var);
            }
            Op::Leak(vars, ..) => {
                now.leaves = vars.iter().map(|v| self.held(node, *v)).fold(0, |a, b| a | b);
            }
            Op::New(..) => {
                let key = OriginKey::Node(node);
                match self.flow.origins.iter().position(|o| o.key == key) {
                    Some(origin) => {
                        now.news = self.views(origin).collect();
                        now.result = recent_bit(origin);
                    }
                    None => now.result = UNKNOWN,
                }
            }
            Op::Call(call) => {
                let Some(effect) = self.flow.effects.get(&node) else {
                    now.leaves = !0;
                    now.result = !0;
                    return now;
                };
                for (index, arg) in call.args.iter().enumerate() {
                    let Some(arg) = arg else { continue };
                    let held = self.held(node, *arg);
                    if effect.keeps[index] {
                        now.leaves |= held;
                    } else if effect.calls[index] {
                        now.leaves |= held & !self.flow.library;
                    }
                }
                now.result = effect.result;
                if let Some(origin) = effect.fresh {
                    now.news = self.views(origin).collect();
                    now.result |= recent_bit(origin);
                }
            }
            _ => {}
        }
        now
    }

    /// Whether a node does nothing to objects, and no event is near it.
    fn is_idle(&self, id: NodeId) -> bool {
        let node = &self.body.nodes[id as usize];
        let now = &self.happenings[id as usize];
        let call = match (&node.op, self.flow.effects.get(&id)) {
            (Op::Call(_), None) | (Op::Return(_) | Op::Throw(_), _) => false,
            (Op::Call(_), Some(effect)) => effect.emits.iter().all(|letters| *letters == 0),
            _ => true,
        };
        call && now.leaves == 0
            && now.news.is_empty()
            && node.events.is_empty()
            && !(self.alone && self.others(id) != 0)
    }

    /// Finds the stretches of the code.
    fn stretch(&mut self) {
        let nodes = &self.body.nodes;
        let mut entered: Vec<Vec<NodeId>> = vec![Vec::new(); nodes.len()];
        for (from, node) in nodes.iter().enumerate() {
            for to in node.next.iter().chain(&node.handlers) {
                entered[*to as usize].push(from as NodeId);
            }
        }
        let idle: Vec<bool> = (0..nodes.len() as NodeId).map(|node| self.is_idle(node)).collect();
        // A node goes on with the stretch of another if that is idle and nobody else leads to it.
        // What nothing leads to is never executed.
        let goes_on = |node: usize| match entered[node].first() {
            Some(first) if node != 0 && entered[node].iter().all(|from| from == first) => {
                idle[*first as usize].then_some(*first as usize)
            }
            _ => None,
        };
        const OPEN: NodeId = NodeId::MAX;
        let mut start = vec![OPEN; nodes.len()];
        for node in 0..nodes.len() {
            let mut path = vec![node];
            let begins = loop {
                let at = path[path.len() - 1];
                if start[at] != OPEN {
                    break start[at];
                }
                match goes_on(at) {
                    Some(before) if !path.contains(&before) => path.push(before),
                    _ => break at as NodeId,
                }
            };
            path.into_iter().for_each(|node| start[node] = begins);
        }
        let mut stretches = vec![Stretch::default(); nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let stretch = &mut stretches[start[index] as usize];
            if !idle[index] {
                stretch.last.push(index as NodeId);
                continue;
            }
            stretch.thrown |= node.throws_out;
            for to in node.next.iter().chain(&node.handlers) {
                let to = start[*to as usize];
                if to != start[index] && !stretch.then.contains(&to) {
                    stretch.then.push(to);
                }
            }
        }
        self.start = start;
        self.stretches = stretches;
    }

    /// Every fact about variables implies the facts at the nodes that follow.
    fn facts(&self) -> Result<(), String> {
        let entry = self.flow.before[0].as_ref().ok_or("no fact at the entry")?;
        for (index, var) in self.body.params.iter().enumerate() {
            let Some(var) = var else { continue };
            let live = *var >= 64 || self.body.nodes[0].live >> var & 1 == 1;
            let own = if index < 16 { param_bit(index) } else { UNKNOWN };
            // An argument that is not worth following is just unknown.
            if live && entry.vars[usize::from(*var)] & (own | UNKNOWN) == 0 {
                return Err("an argument is not what it is".to_owned());
            }
        }
        for (index, node) in self.body.nodes.iter().enumerate() {
            let id = index as NodeId;
            let Some(state) = &self.flow.before[index] else { continue };
            let now = &self.happenings[index];
            let mut vars = state.vars.clone();
            if let Op::Move(moves) = &node.op {
                for (to, from) in moves {
                    vars[usize::from(*to)] = match from {
                        Source::Var(from) | Source::Cast(from, _) => state.vars[usize::from(*from)],
                        Source::Null => NULL,
                        Source::Nothing => 0,
                        Source::Unknown(_)
                        | Source::Constant
                        | Source::Array(_)
                        | Source::Element(_) => UNKNOWN,
                    };
                }
            }
            let mut escaped = state.escaped;
            for origin in 0..self.flow.origins.len() {
                if now.leaves & recent_bit(origin) != 0 {
                    escaped = self.views(origin).fold(escaped, |set, o| set | 1 << o);
                }
            }
            for var in node.clears.clone() {
                vars[usize::from(var)] = 0;
            }
            for origin in &now.news {
                escaped &= !(1 << origin);
                for objects in &mut vars {
                    if *objects & recent_bit(*origin) != 0 {
                        *objects ^= recent_bit(*origin);
                        *objects |= old_bit(*origin);
                    }
                }
            }
            let mut thrown = vars.clone();
            thrown[usize::from(self.body.stack)..].fill(0);
            if let Some(slot) = thrown.get_mut(usize::from(self.body.stack)) {
                *slot = UNKNOWN;
            }
            match &node.op {
                Op::Load(to, field) => {
                    let known = self.flow.confined.iter().position(|f| f == field);
                    vars[usize::from(*to)] = known.map_or(UNKNOWN, crate::flow::confined_bit);
                }
                Op::New(to, _) => vars[usize::from(*to)] = now.result,
                Op::Call(call) => {
                    if let Some(to) = call.result {
                        vars[usize::from(to)] = now.result;
                    }
                }
                _ => {}
            }
            let normal = node.next.iter().map(|to| (to, &vars));
            for (to, after) in normal.chain(node.handlers.iter().map(|to| (to, &thrown))) {
                let live = self.body.nodes[*to as usize].live;
                let fact = self.flow.before[*to as usize].as_ref().ok_or("a fact is missing")?;
                let holds = after
                    .iter()
                    .zip(&fact.vars)
                    .enumerate()
                    .all(|(var, (a, b))| (var < 64 && live >> var & 1 == 0) || a & !b == 0);
                if !holds || escaped & !fact.escaped != 0 {
                    return Err(format!("the facts after node {id} do not follow"));
                }
            }
        }
        Ok(())
    }

    /// What an operand of an event may be.
    fn operand(&self, node: NodeId, event: &EventAt, operand: Operand, now: &Happening) -> Objects {
        match operand {
            Operand::Unknown => UNKNOWN,
            Operand::Result => {
                if event.when == When::After {
                    match self.body.nodes[node as usize].op {
                        Op::Call(_) | Op::New(..) => now.result,
                        _ => UNKNOWN,
                    }
                } else {
                    UNKNOWN
                }
            }
            Operand::Var(var) => {
                let mut objects = self.held(node, var);
                if event.when != When::Before {
                    for origin in &now.news {
                        if objects & recent_bit(*origin) != 0 {
                            objects = (objects ^ recent_bit(*origin)) | old_bit(*origin);
                        }
                    }
                }
                objects
            }
        }
    }

    /// Every silenced event has an anchor; returns all of them.
    fn anchors(&self) -> Result<u64, String> {
        let mut all = 0;
        for (index, node) in self.body.nodes.iter().enumerate() {
            for event in node.events.iter().filter(|e| self.silenced.contains(&e.site)) {
                let id = index as NodeId;
                let now = &self.happenings[index];
                let state = self.flow.before[index].as_ref().ok_or("silenced but not reached")?;
                let mut gone = state.escaped;
                if event.when != When::Before {
                    for origin in 0..self.flow.origins.len() {
                        if now.leaves & recent_bit(origin) != 0 {
                            gone = self.views(origin).fold(gone, |set, o| set | 1 << o);
                        }
                    }
                    gone = now.news.iter().fold(gone, |set, o| set & !(1 << o));
                }
                let anchor = event.operands.iter().find_map(|operand| {
                    let objects = self.operand(id, event, *operand, now) & !NULL;
                    let own = (0..self.flow.origins.len())
                        .filter(|o| objects & recent_bit(*o) != 0 && gone >> o & 1 == 0);
                    let own: Vec<usize> = own.collect();
                    let sum = own.iter().fold(0, |set, o| set | recent_bit(*o));
                    (objects != 0 && sum == objects).then_some(own)
                });
                let anchor = anchor.ok_or("a silenced event has no anchor")?;
                all = anchor.iter().fold(all, |set, o| set | 1 << o);
            }
        }
        Ok(all)
    }

    fn machine(&self, certificate: &Certificate) -> &Machine {
        &self.machines.machines[certificate.machine]
    }

    fn certificate(&self, certificate: &Certificate) -> Result<(), String> {
        let start: Lives = certificate
            .filled
            .iter()
            .map(|f| if *f == Filled::Outside { Life::Outside } else { Life::Unborn })
            .collect();
        self.expect(certificate, 0, &(start, 0, 0))?;
        for point in &certificate.points {
            let pair = (point.lives, point.full, point.residual);
            if self.start[point.node as usize] != point.node {
                return Err(format!("a point at node {} is of no use", point.node));
            }
            self.point(certificate, point.node, pair)?;
        }
        Ok(())
    }

    fn expect(&self, certificate: &Certificate, node: NodeId, pair: &Pair) -> Result<(), String> {
        let node = self.start[node as usize];
        let point = crate::certify::Point { node, lives: pair.0, full: pair.1, residual: pair.2 };
        match certificate.points.contains(&point) {
            true => Ok(()),
            false => Err(format!("a point at node {node} is missing")),
        }
    }

    /// One letter for both monitors.
    fn both(&self, machine: &Machine, pair: &Pair, letter: usize) -> Result<Pair, String> {
        let (p, q) = (pair.1 as usize, pair.2 as usize);
        if machine.out[p][letter] != machine.out[q][letter] {
            return Err("an event is reported differently".to_owned());
        }
        Ok((pair.0, machine.next[p][letter], machine.next[q][letter]))
    }

    /// Everything reachable by letters that `may` happen; parameters of each must be outside or
    /// allowed.
    fn closure(
        &self,
        machine: &Machine,
        pairs: Vec<Pair>,
        others: Letters,
        may: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Vec<Pair>, String> {
        let mut done: Vec<Pair> = Vec::new();
        let mut work = pairs;
        while let Some(pair) = work.pop() {
            if done.contains(&pair) {
                continue;
            }
            if machine.at_end[pair.1 as usize] != machine.at_end[pair.2 as usize] {
                return Err("the end is reported differently".to_owned());
            }
            for letter in self.letters(machine) {
                let info = &self.machines.letters[letter];
                let life = |param: usize| pair.0[param];
                let happens = info.binds.iter().all(|(param, _)| match life(param.index()) {
                    Life::Outside => true,
                    Life::Inside => may(param.index(), letter),
                    _ => false,
                });
                let ours = info.binds.iter().any(|(param, _)| life(param.index()) == Life::Inside);
                if happens && (ours || others >> letter & 1 == 1) {
                    work.push(self.both(machine, &pair, letter)?);
                }
            }
            done.push(pair);
        }
        Ok(done)
    }

    fn letters(&self, machine: &Machine) -> impl Iterator<Item = usize> + use<> {
        let set: Letters = machine.letters;
        (0..self.machines.letters.len()).filter(move |l| set >> l & 1 == 1)
    }

    fn event(
        &self,
        certificate: &Certificate,
        node: NodeId,
        event: &EventAt,
        now: &Happening,
        pairs: Vec<Pair>,
    ) -> Result<Vec<Pair>, String> {
        let machine = self.machine(certificate);
        if machine.letters >> event.letter & 1 == 0 {
            return Ok(pairs);
        }
        let binds = &self.machines.letters[event.letter].binds;
        let mut after = Vec::new();
        for pair in pairs {
            let (mut can, mut must) = (true, event.certain);
            for ((param, _), operand) in binds.iter().zip(&event.operands) {
                let objects = self.operand(node, event, *operand, now);
                let own = match certificate.filled[param.index()] {
                    Filled::Outside => 0,
                    Filled::Origin(o) => recent_bit(o),
                };
                match pair.0[param.index()] {
                    Life::Inside => {
                        can &= objects & own != 0;
                        must &= objects == own;
                    }
                    Life::Outside => {
                        // Twice the bit of the recent object is the bit of the old ones.
                        can &= objects & (OUTSIDE | own | own << 1) != 0;
                        must = false;
                    }
                    Life::Unborn | Life::Dead => can = false,
                }
            }
            if can {
                if self.silenced.contains(&event.site) {
                    if machine.out[pair.1 as usize][event.letter] != 0 {
                        return Err("a silenced event is reported".to_owned());
                    }
                    let next = machine.next[pair.1 as usize][event.letter];
                    after.push((pair.0, next, pair.2));
                } else {
                    after.push(self.both(machine, &pair, event.letter)?);
                }
            }
            if !(can && must) {
                after.push(pair);
            }
        }
        Ok(after)
    }

    /// What holds at the beginning of a stretch implies what holds after it.
    fn point(&self, certificate: &Certificate, id: NodeId, pair: Pair) -> Result<(), String> {
        let machine = self.machine(certificate);
        if machine.at_end[pair.1 as usize] != machine.at_end[pair.2 as usize] {
            return Err("the end is reported differently".to_owned());
        }
        // The outside may act at once; its successors are points of their own. With one thread, it
        // acts before the method, and while other code runs.
        if !self.alone || id == 0 {
            for next in self.closure(machine, vec![pair], !0, &|_, _| false)? {
                self.expect(certificate, id, &next)?;
            }
        }
        let stretch = &self.stretches[id as usize];
        for to in &stretch.then {
            self.expect(certificate, *to, &pair)?;
        }
        if stretch.thrown {
            self.end(machine, &pair)?;
        }
        stretch.last.iter().try_for_each(|node| self.node(certificate, *node, pair))
    }

    /// The method ends: what lives on cannot tell.
    fn end(&self, machine: &Machine, (lives, p, q): &Pair) -> Result<(), String> {
        let alive = (0..lives.len())
            .filter(|param| lives[*param] == Life::Outside)
            .fold(0u32, |set, param| set | 1 << param);
        let letters = self
            .letters(machine)
            .filter(|l| self.machines.letters[*l].params & !alive == 0)
            .fold(0, |set, l| set | 1 << l);
        match machine.alike(*p, *q, letters) {
            true => Ok(()),
            false => Err("what lives on can tell".to_owned()),
        }
    }

    /// What may happen to objects of others while a node is under way.
    fn others(&self, id: NodeId) -> Letters {
        if !self.alone {
            return !0;
        }
        let node = &self.body.nodes[id as usize];
        let run = match (&node.op, self.flow.effects.get(&id)) {
            (Op::Call(_), None) => return !0,
            (Op::Call(_), Some(effect)) => {
                effect.emits.iter().fold(effect.stirs, |all, letters| all | letters)
            }
            _ => 0,
        };
        run | if node.initialises { self.flow.initial } else { 0 }
    }

    /// What holds before a node implies what holds after it.
    fn node(&self, certificate: &Certificate, id: NodeId, pair: Pair) -> Result<(), String> {
        let machine = self.machine(certificate);
        let node = &self.body.nodes[id as usize];
        let now = &self.happenings[id as usize];
        let others = self.others(id);
        let mut pairs = vec![pair];
        for event in node.events.iter().filter(|e| e.when == When::Before) {
            pairs = self.event(certificate, id, event, now, pairs)?;
        }
        for (lives, ..) in &mut pairs {
            for (param, life) in lives.iter_mut().enumerate() {
                let Filled::Origin(origin) = certificate.filled[param] else { continue };
                let gone = (0..self.flow.origins.len())
                    .filter(|o| now.leaves & recent_bit(*o) != 0)
                    .any(|o| self.views(o).any(|view| view == origin));
                if gone && *life == Life::Inside {
                    *life = Life::Outside;
                }
            }
        }
        let lent = |param: usize, letter: usize| {
            let (Op::Call(call), Some(effect), Filled::Origin(origin)) =
                (&node.op, self.flow.effects.get(&id), certificate.filled[param])
            else {
                return false;
            };
            call.args.iter().zip(&effect.emits).any(|(arg, emits)| {
                emits >> letter & 1 == 1
                    && arg.is_some_and(|arg| self.held(id, arg) & recent_bit(origin) != 0)
            })
        };
        if others != 0 {
            pairs = self.closure(machine, pairs, others, &lent)?;
        }
        if !now.news.is_empty() {
            let mut born = Vec::new();
            for pair in &pairs {
                self.births(certificate, id, now, pair, &mut born);
            }
            let used = now.news.iter().any(|o| self.flow.origins[*o].history != 0);
            let past = |param: usize, letter: usize| match certificate.filled[param] {
                Filled::Origin(o) if now.news.contains(&o) => {
                    self.flow.origins[o].history >> letter & 1 == 1
                }
                _ => lent(param, letter),
            };
            pairs = match others != 0 || used {
                true => self.closure(machine, born, others, &past)?,
                false => born,
            };
        }
        let mut thrown = pairs.clone();
        for event in &node.events {
            match event.when {
                When::Throwing => {
                    thrown = self.event(certificate, id, event, now, thrown)?;
                }
                When::After => pairs = self.event(certificate, id, event, now, pairs)?,
                When::Before => {}
            }
        }
        for pair in &thrown {
            for to in &node.handlers {
                self.expect(certificate, *to, pair)?;
            }
        }
        for pair in &pairs {
            for to in &node.next {
                self.expect(certificate, *to, pair)?;
            }
        }
        let mut ends: Vec<&Pair> = Vec::new();
        if node.throws_out {
            ends.extend(&thrown);
        }
        if matches!(node.op, Op::Return(_) | Op::Throw(_)) {
            ends.extend(&pairs);
        }
        ends.into_iter().try_for_each(|pair| self.end(machine, pair))
    }

    /// New objects: the old recent ones are lost or outside, waiting parameters may take the new.
    fn births(
        &self,
        certificate: &Certificate,
        node: NodeId,
        now: &Happening,
        pair: &Pair,
        born: &mut Vec<Pair>,
    ) {
        let op = &self.body.nodes[node as usize];
        let state = self.flow.before[node as usize].as_ref();
        let still = state.is_none_or(|state| {
            (0..self.body.vars).any(|var| {
                let popped = op.clears.contains(&(var as u16))
                    && !op.events.iter().any(|e| e.operands.contains(&Operand::Var(var as u16)));
                !popped && now.news.iter().any(|o| state.vars[var] & recent_bit(*o) != 0)
            })
        });
        let mut all = vec![Vec::new()];
        for (param, life) in pair.0.iter().enumerate() {
            let renewed =
                matches!(certificate.filled[param], Filled::Origin(o) if now.news.contains(&o));
            let choices: &[Life] = match life {
                Life::Inside if renewed && still => &[Life::Outside],
                Life::Inside if renewed => &[Life::Dead],
                Life::Unborn if renewed => &[Life::Unborn, Life::Inside],
                life => std::slice::from_ref(life),
            };
            all = all
                .into_iter()
                .flat_map(|lives: Vec<Life>| {
                    choices.iter().map(move |choice| {
                        let mut lives = lives.clone();
                        lives.push(*choice);
                        lives
                    })
                })
                .collect();
        }
        let lives = all.into_iter().map(|lives| lives.into_iter().collect());
        born.extend(lives.map(|lives| (lives, pair.1, pair.2)));
    }
}
