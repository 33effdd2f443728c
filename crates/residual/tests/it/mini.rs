//! Small programs in the analyses' own form: generated at random, run by an interpreter that
//! records every event with its site.

use std::rc::Rc;

use watchword_model::{Event, Model, Object, Value};
use watchword_monitor::reference::Reference;
use watchword_residual::body::*;
use watchword_residual::machine::{LetterInfo, Machines};
use watchword_residual::world::{Library, Receiver, Returns, Runs, Targets, World};

use crate::random::Random;

pub const FIELDS: usize = 2;

/// A program: bodies that call each other and some library functions.
#[derive(Clone)]
pub struct Program {
    pub bodies: Vec<Rc<Body>>,
    pub sites: u32,
    /// Fields taken to be confined.
    pub confined: Vec<bool>,
}

/// Calls behind the bodies: `fresh()`, `keep(x)`, `borrow(x)`, `view(x)`, `same(x)`.
const LIBRARY: usize = 5;

impl Program {
    fn library(&self, target: u32) -> Option<usize> {
        (target as usize).checked_sub(self.bodies.len())
    }
}

impl World for Program {
    fn body(&self, id: BodyId) -> Option<Rc<Body>> {
        self.bodies.get(id.0 as usize).cloned()
    }

    fn targets(&self, call: &Call, _: Receiver) -> Rc<Targets> {
        let library = |keeps, returns| Targets {
            library: Some(Library { keeps, calls: 0, returns, view: None, runs: Runs::NOTHING }),
            ..Targets::default()
        };
        Rc::new(match self.library(call.target) {
            None => Targets { bodies: vec![BodyId(call.target)], ..Targets::default() },
            Some(0) => library(0, Returns::Fresh(Some(ClassName(1)))),
            Some(1) => library(1, Returns::Unknown),
            Some(2) => library(0, Returns::Unknown),
            Some(3) => library(0, Returns::View("view")),
            Some(4) => library(0, Returns::Argument(0)),
            Some(_) => Targets { unknown: true, ..Targets::default() },
        })
    }

    fn is_library(&self, _: ClassName) -> bool {
        true
    }

    fn is_followed(&self, _: ClassName) -> bool {
        true
    }

    fn confined(&self, field: FieldId) -> bool {
        self.confined[field.0 as usize]
    }

    fn confined_class(&self, _: FieldId) -> Option<ClassName> {
        Some(ClassName(0))
    }

    fn field_name(&self, field: FieldId) -> String {
        format!("f{}", field.0)
    }

    fn target_name(&self, target: u32) -> String {
        format!("m{target}")
    }
}

const VARS: usize = 4;
/// The variable an exception is caught in, and the result of an operand-like slot.
const STACK: Var = VARS as Var;

pub struct Generator<'g> {
    pub random: &'g mut Random,
    pub letters: &'g [LetterInfo],
    pub bodies: usize,
    sites: u32,
    nodes: Vec<Node>,
    handler: Option<Vec<usize>>,
}

impl Generator<'_> {
    pub fn program(random: &mut Random, letters: &[LetterInfo]) -> Program {
        let bodies = 1 + random.below(4);
        let mut generator =
            Generator { random, letters, bodies, sites: 0, nodes: Vec::new(), handler: None };
        let bodies = (0..bodies).map(|_| Rc::new(generator.body())).collect();
        Program { bodies, sites: generator.sites, confined: vec![false; FIELDS] }
    }

    fn body(&mut self) -> Body {
        self.nodes = Vec::new();
        self.handler = None;
        let params = (0..self.random.below(3)).map(|p| Some(p as Var)).collect();
        let size = 4 + self.random.below(12);
        self.block(size, 0);
        let result = self.random.chance(50).then(|| self.var());
        self.push(Op::Return(result));
        let last = self.nodes.len() as NodeId - 1;
        for (index, node) in self.nodes.iter_mut().enumerate() {
            // `u32::MAX` stands for the node that follows.
            for next in &mut node.next {
                if *next == u32::MAX {
                    *next = (index as NodeId + 1).min(last);
                }
            }
            if matches!(node.op, Op::Return(_) | Op::Throw(_)) {
                node.next.clear();
            }
        }
        Body { vars: VARS + 1, params, nodes: std::mem::take(&mut self.nodes), stack: STACK }
    }

    fn var(&mut self) -> Var {
        self.random.below(VARS) as Var
    }

    fn push(&mut self, op: Op) -> usize {
        let throws = matches!(op, Op::Call(_) | Op::Throw(_) | Op::Load(..) | Op::New(..));
        let index = self.nodes.len();
        if throws && let Some(handler) = &mut self.handler {
            handler.push(index);
        }
        self.nodes.push(Node {
            op,
            next: vec![u32::MAX],
            handlers: Vec::new(),
            throws_out: throws && self.handler.is_none(),
            clears: 0..0,
            live: !0,
            events: Vec::new(),
            offset: index as u32,
            initialises: false,
        });
        index
    }

    fn event(&mut self, index: usize, result: bool) {
        let letter = self.random.below(self.letters.len());
        let when = match (result, self.random.below(3)) {
            (false, 0) => When::Before,
            (false, _) => When::Before,
            (true, 0) => When::Before,
            (true, 1) => When::After,
            (true, _) if self.random.chance(20) => When::Throwing,
            (true, _) => When::After,
        };
        let count = self.letters[letter].binds.len();
        let mut operands: Vec<Operand> = (0..count).map(|_| Operand::Var(self.var())).collect();
        if result && when == When::After && count > 0 && self.random.chance(60) {
            operands[count - 1] = Operand::Result;
        }
        self.sites += 1;
        let site = self.sites - 1;
        self.nodes[index].events.push(EventAt { site, letter, when, operands, certain: true });
    }

    fn block(&mut self, size: usize, depth: usize) {
        for _ in 0..size {
            match self.random.below(if depth < 3 { 24 } else { 18 }) {
                0..=2 => {
                    let to = self.var();
                    self.push(Op::New(to, ClassName(0)));
                }
                3 => {
                    let (to, from) = (self.var(), self.var());
                    let from = match self.random.below(5) {
                        0 => Source::Null,
                        _ => Source::Var(from),
                    };
                    self.push(Op::Move(vec![(to, from)]));
                }
                4 => {
                    let (to, field) = (self.var(), FieldId(self.random.below(FIELDS) as u32));
                    self.push(Op::Load(to, field));
                }
                5 => {
                    let (from, field) = (self.var(), FieldId(self.random.below(FIELDS) as u32));
                    self.push(Op::Store(from, field));
                }
                6..=8 => {
                    let target = self.random.below(self.bodies + LIBRARY) as u32;
                    let count = if target as usize >= self.bodies { 1 } else { 2 };
                    let args = (0..count).map(|_| Some(self.var())).collect();
                    let result = self.random.chance(80).then(|| self.var());
                    let call =
                        Call { target, args, result, dispatched: false, has_receiver: false };
                    let node = self.push(Op::Call(call));
                    if self.random.chance(60) {
                        self.event(node, result.is_some());
                    }
                }
                9 if self.random.chance(30) => {
                    let var = self.var();
                    self.push(Op::Throw(var));
                }
                9..=17 => {
                    let node = self.push(Op::Move(Vec::new()));
                    self.event(node, false);
                }
                18..=20 => {
                    // if
                    let branch = self.push(Op::Move(Vec::new()));
                    let inner = 1 + self.random.below(4);
                    self.block(inner, depth + 1);
                    let after = self.nodes.len() as NodeId;
                    self.nodes[branch].next.push(after);
                }
                21..=22 => {
                    // while
                    let head = self.push(Op::Move(Vec::new()));
                    let inner = 1 + self.random.below(5);
                    self.block(inner, depth + 1);
                    let back = self.push(Op::Move(Vec::new()));
                    self.nodes[back].next = vec![head as NodeId];
                    let after = self.nodes.len() as NodeId;
                    self.nodes[head].next.push(after);
                }
                _ => {
                    // try
                    let outer = self.handler.replace(Vec::new());
                    let inner = 1 + self.random.below(5);
                    self.block(inner, depth + 1);
                    let throwing = std::mem::replace(&mut self.handler, outer).unwrap_or_default();
                    let jump = self.push(Op::Move(Vec::new()));
                    let handler = self.nodes.len() as NodeId;
                    for index in throwing {
                        self.nodes[index].handlers.push(handler);
                    }
                    let inner = 1 + self.random.below(3);
                    self.block(inner, depth + 1);
                    let after = self.nodes.len() as NodeId;
                    self.nodes[jump].next = vec![after];
                }
            }
        }
    }
}

/// An event of a run.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// `None`: it happened in code that is not analysed.
    pub site: Option<u32>,
    pub letter: usize,
    pub objects: Vec<Option<u64>>,
}

/// Runs a program at random and records what happens.
pub struct Interpreter<'i> {
    pub program: &'i Program,
    pub letters: &'i [LetterInfo],
    pub random: &'i mut Random,
    pub trace: Vec<Recorded>,
    fields: Vec<Option<u64>>,
    pool: Vec<u64>,
    views: std::collections::HashMap<u64, u64>,
    objects: u64,
    budget: usize,
    /// Nobody else acts.
    alone: bool,
}

/// How a call ended.
enum End {
    Returned(Option<u64>),
    Threw(u64),
    /// The program ended, in the middle of everything.
    Halted,
}

impl<'i> Interpreter<'i> {
    pub fn run(
        program: &'i Program,
        letters: &'i [LetterInfo],
        random: &'i mut Random,
        alone: bool,
    ) -> Vec<Recorded> {
        let budget = 20 + random.below(120);
        let mut run = Interpreter {
            program,
            letters,
            random,
            trace: Vec::new(),
            fields: vec![None; FIELDS],
            pool: Vec::new(),
            views: Default::default(),
            objects: 0,
            budget,
            alone,
        };
        for _ in 0..3 {
            if matches!(run.call(0, &[None, None], 0), End::Halted) {
                break;
            }
        }
        run.trace
    }

    fn fresh(&mut self) -> u64 {
        self.objects += 1;
        self.objects
    }

    /// Other threads and other code: events of objects that anyone can reach.
    fn outside(&mut self) {
        if self.alone || !self.random.chance(12) {
            return;
        }
        let mut known: Vec<u64> = self.fields.iter().flatten().copied().collect();
        known.extend(&self.pool);
        let views: Vec<u64> = known.iter().filter_map(|o| self.views.get(o).copied()).collect();
        known.extend(views);
        if known.is_empty() {
            return;
        }
        let letter = self.random.below(self.letters.len());
        let count = self.letters[letter].binds.len();
        let objects = (0..count).map(|_| Some(known[self.random.below(known.len())])).collect();
        self.trace.push(Recorded { site: None, letter, objects });
    }

    fn emit(&mut self, node: &Node, when: When, vars: &[Option<u64>], result: Option<u64>) {
        for event in node.events.iter().filter(|e| e.when == when) {
            let object = |operand: &Operand| match operand {
                Operand::Var(var) => vars[usize::from(*var)],
                Operand::Result => result,
                Operand::Unknown => None,
            };
            let objects = event.operands.iter().map(object).collect();
            self.trace.push(Recorded { site: Some(event.site), letter: event.letter, objects });
        }
    }

    fn call(&mut self, target: usize, args: &[Option<u64>], depth: usize) -> End {
        let Some(body) = self.program.bodies.get(target).cloned() else {
            let arg = args.first().copied().flatten();
            return End::Returned(match target - self.program.bodies.len() {
                0 => Some(self.fresh()),
                1 => {
                    self.pool.extend(arg);
                    let known = self.random.below(self.pool.len() + 1);
                    self.pool.get(known).copied()
                }
                2 => None,
                3 => arg.map(|arg| {
                    let next = self.objects + 1;
                    let view = *self.views.entry(arg).or_insert(next);
                    self.objects = self.objects.max(view);
                    view
                }),
                _ => arg,
            });
        };
        if depth > 6 {
            // The stack is full.
            return End::Threw(0);
        }
        let mut vars: Vec<Option<u64>> = vec![None; body.vars];
        for (index, param) in body.params.iter().enumerate() {
            if let Some(var) = param {
                vars[usize::from(*var)] = args.get(index).copied().flatten();
            }
        }
        let mut at = 0;
        loop {
            if self.budget == 0 {
                return End::Halted;
            }
            self.budget -= 1;
            self.outside();
            let node = &body.nodes[at as usize];
            let before = vars.clone();
            self.emit(node, When::Before, &before, None);
            let mut result = None;
            let mut threw = None;
            if node.throws_out || !node.handlers.is_empty() {
                threw = self.random.chance(8).then_some(0);
            }
            match &node.op {
                Op::Move(moves) => {
                    for (to, from) in moves {
                        vars[usize::from(*to)] = match from {
                            Source::Var(from) => before[usize::from(*from)],
                            _ => None,
                        };
                    }
                }
                Op::New(to, _) => {
                    if threw.is_none() {
                        let object = self.fresh();
                        vars[usize::from(*to)] = Some(object);
                        result = Some(object);
                    }
                }
                Op::Load(to, field) => {
                    if threw.is_none() {
                        vars[usize::from(*to)] = self.fields[field.0 as usize];
                    }
                }
                Op::Store(var, field) => {
                    self.fields[field.0 as usize] = before[usize::from(*var)];
                }
                Op::Leak(vars, ..) => {
                    self.pool.extend(vars.iter().filter_map(|v| before[usize::from(*v)]));
                }
                Op::Call(call) => {
                    let args: Vec<Option<u64>> =
                        call.args.iter().map(|a| a.and_then(|a| before[usize::from(a)])).collect();
                    // A call may throw before anything else happens, or anywhere inside.
                    if threw.is_none() {
                        match self.call(call.target as usize, &args, depth + 1) {
                            End::Returned(value) => {
                                result = value;
                                if let Some(to) = call.result {
                                    vars[usize::from(to)] = value;
                                }
                            }
                            End::Threw(exception) => threw = Some(exception),
                            End::Halted => return End::Halted,
                        }
                    }
                }
                Op::Return(var) => return End::Returned(var.and_then(|v| before[usize::from(v)])),
                Op::Throw(var) => {
                    let exception = before[usize::from(*var)].unwrap_or(0);
                    if exception != 0 {
                        self.pool.push(exception);
                    }
                    threw = Some(exception);
                }
            }
            if let Some(exception) = threw {
                self.emit(node, When::Throwing, &before, None);
                match node.handlers.len() {
                    0 => return End::Threw(exception),
                    count => {
                        at = node.handlers[self.random.below(count)];
                        vars[usize::from(STACK)] = Some(exception).filter(|e| *e != 0);
                        continue;
                    }
                }
            }
            self.emit(node, When::After, &before, result);
            at = node.next[self.random.below(node.next.len())];
        }
    }
}

/// What the reference evaluator reports about a trace without the events of some sites: positions in
/// the whole trace, bindings, states, messages.
pub fn verdicts(
    model: &Rc<Model>,
    machines: &Machines,
    trace: &[Recorded],
    silenced: &std::collections::HashSet<u32>,
) -> Vec<String> {
    let mut reference = Reference::new((**model).clone());
    let mut positions = vec![0];
    for (position, recorded) in trace.iter().enumerate() {
        if recorded.site.is_some_and(|site| silenced.contains(&site)) {
            continue;
        }
        let letter = &machines.letters[recorded.letter];
        let arity = model.events[letter.event.index()].params.len();
        let mut args = vec![Value::Null; arity];
        for ((_, at), object) in letter.binds.iter().zip(&recorded.objects) {
            if let Some(id) = object {
                args[*at as usize] = Value::Ref(Object { id: *id, class: None });
            }
        }
        positions.push(position + 1);
        reference.step(&Event::new(letter.event, args)).expect("no time in these traces");
    }
    reference.end();
    let mut all: Vec<String> = reference
        .reports()
        .iter()
        .map(|r| {
            let position = match r.cause {
                watchword_monitor::Cause::End => usize::MAX,
                _ => positions[r.index as usize],
            };
            format!("{position} {:?} {:?} {:?} {}", r.kind, r.binding, r.state, r.message)
        })
        .collect();
    all.sort();
    all
}
