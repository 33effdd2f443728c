//! The graph of a program: places that hold references, and how these move between them.

use std::collections::BTreeSet;

use watchword_classfile::{FieldType, MethodDescriptor, access};

use super::{CONSTANT, ELEMENTS, FIRST, LENT, NOTHING, OPEN, Place, THROWN, UNKNOWN, WRITTEN};
use crate::body::{Body, BodyId, ClassName, FieldId, NodeId, Op, Source};
use crate::hash::FastMap;
use crate::jvm::lower::{Names, lower};
use crate::jvm::program::Program;
use crate::mistake::Mistake;

/// How references move in a program, apart from what calls do.
pub struct Graph {
    pub(super) places: u32,
    pub(super) copies: Vec<(Place, Place)>,
    pub(super) casts: Vec<(Place, Place, ClassName)>,
    pub(super) news: Vec<(Place, ClassName)>,
    /// Arrays that elements are read from, and where these go.
    pub(super) elements: Vec<(Place, Place)>,
    /// What is stored, and the array it is stored in.
    pub(super) stored: Vec<(Place, Place)>,
    pub(super) calls: Vec<CallAt>,
    pub(super) call_at: FastMap<(BodyId, u32), usize>,
    pub(super) params: FastMap<BodyId, Vec<Place>>,
    pub(super) returns: FastMap<BodyId, Place>,
    /// Declared types of parameters, fields and results.
    pub(super) types: Vec<(Place, ClassName)>,
    /// What fields hold.
    pub(super) fields: FastMap<FieldId, Place>,
    /// Fields of the JDK that hold empty collections.
    pub(super) empty: Vec<Place>,
}

pub(super) struct CallAt {
    pub(super) target: u32,
    pub(super) args: Vec<Place>,
    pub(super) result: Place,
    pub(super) dispatched: bool,
    pub(super) has_receiver: bool,
}

impl Graph {
    /// The graph of a program; `None` if some method cannot be read.
    pub fn of(program: &Program<'_>) -> Option<Graph> {
        if !program.code.broken.is_empty() {
            return None;
        }
        let mut graph = Graph {
            places: FIRST,
            // What is thrown may be caught by the JDK, which hands it to handlers and as a cause.
            copies: vec![
                (ELEMENTS, LENT),
                (UNKNOWN, LENT),
                (ELEMENTS, OPEN),
                (WRITTEN, ELEMENTS),
                (THROWN, ELEMENTS),
            ],
            casts: Vec::new(),
            news: Vec::new(),
            elements: Vec::new(),
            stored: Vec::new(),
            calls: Vec::new(),
            call_at: FastMap::default(),
            params: FastMap::default(),
            returns: FastMap::default(),
            types: Vec::new(),
            fields: FastMap::default(),
            empty: Vec::new(),
        };
        let mut fields: FastMap<FieldId, Place> = FastMap::default();
        for id in program.bodies() {
            let method = program.method(id);
            let body = lower(method, &[], program).ok()?;
            let Some(body) = body else { continue };
            graph.add(program, id, &body, &mut fields);
            graph.declare(program, id)?;
        }
        graph.fields = fields;
        Some(graph)
    }

    fn place(&mut self) -> Place {
        self.places += 1;
        self.places - 1
    }

    /// Notes the declared types of a method's parameters and result.
    fn declare(&mut self, program: &Program<'_>, id: BodyId) -> Option<()> {
        let method = program.method(id);
        let descriptor = MethodDescriptor::parse(method.descriptor().ok()?).ok()?;
        let mut declared = vec![Some(program.class_of(id)); 1];
        if method.has_access(access::STATIC) {
            declared.clear();
        }
        let class = |ty: FieldType<'_>| ty.class_name().map(|n| program.class(&n.to_str()));
        declared.extend(descriptor.parameters().map(class));
        let places = self.params[&id].iter().zip(declared);
        let known = places.filter_map(|(place, class)| Some((*place, class?)));
        self.types.extend(known.filter(|(place, _)| *place != NOTHING).collect::<Vec<_>>());
        let result = descriptor.result().and_then(class);
        self.types.extend(result.map(|class| (self.returns[&id], class)));
        Some(())
    }

    /// The place of a field; what is stored in fields of the JDK is with the elements.
    fn field(
        &mut self,
        program: &Program<'_>,
        fields: &mut FastMap<FieldId, Place>,
        field: FieldId,
    ) -> Place {
        if let Some(place) = fields.get(&field).filter(|_| !Mistake::EmptyFields.is_made()) {
            return *place;
        }
        let place = self.place();
        self.types.extend(program.field_type(field).map(|class| (place, class)));
        if program.is_empty_collection(field) {
            self.empty.push(place);
        } else if program.is_restored(field) || program.is_written_otherwise(field) {
            self.copies.push((UNKNOWN, place));
        }
        if program.is_reached_otherwise(field) {
            self.copies.push((place, ELEMENTS));
        }
        if program.is_compared(field) {
            self.copies.push((place, LENT));
        }
        fields.insert(field, place);
        place
    }

    fn add(
        &mut self,
        program: &Program<'_>,
        id: BodyId,
        body: &Body,
        fields: &mut FastMap<FieldId, Place>,
    ) {
        let mut entry = vec![NOTHING; body.vars];
        let mut params = Vec::new();
        for param in &body.params {
            let place = match param {
                Some(var) => {
                    let place = self.place();
                    entry[usize::from(*var)] = place;
                    place
                }
                None => NOTHING,
            };
            params.push(place);
        }
        self.params.insert(id, params);
        let returned = self.place();
        self.returns.insert(id, returned);
        let mut flow = Values {
            before: vec![None; body.nodes.len()],
            phis: FastMap::default(),
            work: BTreeSet::from([0]),
        };
        prune(&mut entry, body.nodes[0].live);
        flow.before[0] = Some(entry);
        let mut defined: FastMap<NodeId, Place> = FastMap::default();
        while let Some(node) = flow.work.pop_first() {
            let Some(state) = flow.before[node as usize].clone() else { continue };
            let op = &body.nodes[node as usize];
            let mut after = state.clone();
            for var in op.clears.clone() {
                after[usize::from(var)] = NOTHING;
            }
            match &op.op {
                Op::Move(moves) => {
                    for (to, from) in moves {
                        after[usize::from(*to)] = match from {
                            Source::Var(from) => state[usize::from(*from)],
                            Source::Cast(from, _) => match state[usize::from(*from)] {
                                NOTHING => NOTHING,
                                _ => *defined.entry(node).or_insert_with(|| self.place()),
                            },
                            Source::Null | Source::Nothing => NOTHING,
                            Source::Constant => CONSTANT,
                            Source::Element(array) if state[usize::from(*array)] == NOTHING => {
                                NOTHING
                            }
                            Source::Array(_) | Source::Element(_) => {
                                *defined.entry(node).or_insert_with(|| self.place())
                            }
                            Source::Unknown(_) => UNKNOWN,
                        };
                    }
                }
                Op::New(to, _) => {
                    after[usize::from(*to)] = *defined.entry(node).or_insert_with(|| self.place());
                }
                Op::Load(to, field) => {
                    after[usize::from(*to)] = self.field(program, fields, *field);
                }
                Op::Call(call) => {
                    if let Some(to) = call.result {
                        after[usize::from(to)] =
                            *defined.entry(node).or_insert_with(|| self.place());
                    }
                }
                _ => {}
            }
            let mut thrown = state.clone();
            thrown[usize::from(body.stack)..body.vars].fill(NOTHING);
            if let Some(slot) = thrown.get_mut(usize::from(body.stack)) {
                *slot = THROWN;
            }
            for next in &op.next {
                flow.enter(self, *next, &after, body.nodes[*next as usize].live);
            }
            for next in &op.handlers {
                flow.enter(self, *next, &thrown, body.nodes[*next as usize].live);
            }
        }
        // Everything is where it will be: what happens at each node.
        for (index, op) in body.nodes.iter().enumerate() {
            let Some(state) = &flow.before[index] else { continue };
            let held = |var: u16| state[usize::from(var)];
            let here = || defined.get(&(index as NodeId)).copied().unwrap_or(NOTHING);
            match &op.op {
                Op::Move(moves) => {
                    for (_, from) in moves {
                        match from {
                            Source::Cast(from, class) if held(*from) != NOTHING => {
                                self.casts.push((held(*from), here(), *class));
                            }
                            Source::Array(class) => self.news.push((here(), *class)),
                            Source::Element(array) if held(*array) != NOTHING => {
                                self.elements.push((held(*array), here()));
                            }
                            _ => {}
                        }
                    }
                }
                Op::New(_, class) => self.news.push((here(), *class)),
                Op::Store(var, field) => {
                    let to = self.field(program, fields, *field);
                    self.copy(held(*var), to);
                }
                Op::Leak(vars, _, array) => {
                    let array = array.map_or(NOTHING, held);
                    for value in vars.iter().map(|var| held(*var)).filter(|v| *v != NOTHING) {
                        match array {
                            NOTHING => self.copy(value, ELEMENTS),
                            array => self.stored.push((value, array)),
                        }
                    }
                }
                Op::Return(Some(var)) => self.copy(held(*var), returned),
                Op::Throw(var) => self.copy(held(*var), THROWN),
                Op::Call(call) => {
                    let args = call.args.iter().map(|arg| arg.map_or(NOTHING, held)).collect();
                    self.call_at.insert((id, op.offset), self.calls.len());
                    self.calls.push(CallAt {
                        target: call.target,
                        args,
                        result: if call.result.is_some() { here() } else { NOTHING },
                        dispatched: call.dispatched,
                        has_receiver: call.has_receiver,
                    });
                }
                Op::Load(..) | Op::Return(None) => {}
            }
        }
    }

    fn copy(&mut self, from: Place, to: Place) {
        if from != NOTHING && to != NOTHING && from != to {
            self.copies.push((from, to));
        }
    }
}

/// Which place each variable's value comes from, before each node.
struct Values {
    before: Vec<Option<Vec<Place>>>,
    /// Places where several values meet, by node and variable.
    phis: FastMap<(NodeId, usize), Place>,
    work: BTreeSet<NodeId>,
}

fn prune(state: &mut [Place], live: u64) {
    for (var, place) in state.iter_mut().enumerate().take(64) {
        if live >> var & 1 == 0 {
            *place = NOTHING;
        }
    }
}

impl Values {
    fn enter(&mut self, graph: &mut Graph, node: NodeId, from: &[Place], live: u64) {
        let mut state = from.to_vec();
        prune(&mut state, live);
        let Some(known) = &mut self.before[node as usize] else {
            self.before[node as usize] = Some(state);
            self.work.insert(node);
            return;
        };
        for (var, (old, new)) in known.iter_mut().zip(state).enumerate() {
            if *old == new || new == NOTHING {
                continue;
            }
            let phi = self.phis.get(&(node, var)).copied();
            match phi {
                _ if *old == NOTHING && phi.is_none() => {
                    *old = new;
                    self.work.insert(node);
                }
                Some(phi) => {
                    if *old != phi {
                        *old = phi;
                        self.work.insert(node);
                    }
                    if new != phi && !graph.copies.contains_recent(new, phi) {
                        graph.copies.push((new, phi));
                    }
                }
                None => {
                    let phi = graph.place();
                    self.phis.insert((node, var), phi);
                    graph.copies.push((*old, phi));
                    graph.copies.push((new, phi));
                    *old = phi;
                    self.work.insert(node);
                }
            }
        }
    }
}

/// The same edge is often found again at once.
trait Recent {
    fn contains_recent(&self, from: Place, to: Place) -> bool;
}

impl Recent for Vec<(Place, Place)> {
    fn contains_recent(&self, from: Place, to: Place) -> bool {
        self.iter().rev().take(8).any(|edge| *edge == (from, to))
    }
}
