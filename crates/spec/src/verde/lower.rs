//! From the tree to the model.

use std::collections::{BTreeMap, BTreeSet};

use watchword_model::{
    Arity, Boxes, Branch, Context, ContextId, Creation, Expr, Label, Lang, Model, Observed, Param,
    ParamId, Pattern, Place, Placement, Property, PropertyOrigin, Severity, State, StateId,
    StateKind, Stmt, Target, Transition, Type, Value, VarId, Variable,
};

use super::declare::{Used, declare};
use super::functions::{Companion, MAX_ROUNDS, called, declare_locals};
use super::python::flow;
use super::python::lower::{Binding, Callee, Lowering, Mode, Types};
use super::python::tree::{Block, StmtKind, returns};
use super::tree::{self, Name};
use crate::diagnostic::{Code, Diagnostic, nearest};

/// The state every property begins in.
const INIT: &str = "init";

/// Adds a property to a model.
pub fn lower(
    name: &str,
    property: &tree::Property,
    companion: &mut Companion,
    model: &mut Model,
    said: &mut Vec<Diagnostic>,
) {
    if let Some(other) = model.properties.iter().find(|p| p.name == name) {
        said.push(
            Diagnostic::error(
                Code::DeclaredTwice,
                property.span,
                format!("there is a property `{name}` already"),
            )
            .also(other.span, "here")
            .rule("a property has the name of its file"),
        );
        return;
    }
    let Some(start) = check_states(property, said) else { return };
    let uses: Vec<Vec<Used>> = property
        .states
        .iter()
        .map(|s| s.transitions.iter().map(|t| declare(&t.event, model, said)).collect())
        .collect();
    let params = slice_params(property, &uses, model, said);
    companion.put(&needed(property), model, said);
    if said.iter().any(Diagnostic::is_error) {
        return;
    }
    let environment = Environment::of(property, model.variables.len());
    let mut lowering = Automaton {
        property,
        uses: &uses,
        params: &params,
        environment: &environment,
        functions: companion.known(),
        model,
        types: Types::default(),
    };
    let lowered = lowering.run(said);
    let context = ContextId::from_index(model.contexts.len());
    model.contexts.push(Context {
        parent: None,
        keys: vec![None; params.len()],
        params,
        rule: Creation::Verde,
        variables: (0..environment.names.len()).map(|i| environment.variable(i)).collect(),
        clocks: Vec::new(),
        ends: Vec::new(),
    });
    for ((name, ty), init) in environment.names.iter().zip(lowered.types).zip(lowered.inits) {
        model.variables.push(Variable {
            name: name.clone(),
            ty,
            init,
            context,
            span: property.initialization.as_ref().map_or(property.span, |b| b.span),
        });
    }
    model.properties.push(Property {
        name: name.to_string(),
        doc: String::new(),
        severity: Severity::Error,
        tags: Vec::new(),
        message: None,
        context,
        alphabet: lowered.alphabet,
        registers: Vec::new(),
        windows: Vec::new(),
        states: lowered.states,
        start,
        transitions: lowered.transitions,
        lang: Lang::Verde,
        origin: PropertyOrigin::Automaton,
        boxes: Boxes::ByIdentity,
        span: property.span,
    });
}

/// Names of states: each once, `init` among them, every target one of them.
fn check_states(property: &tree::Property, said: &mut Vec<Diagnostic>) -> Option<StateId> {
    for (i, state) in property.states.iter().enumerate() {
        let name = &state.name;
        if let Some(first) = property.states[..i].iter().find(|s| s.name.text == name.text) {
            let message = format!("there are two states `{}`", name.text);
            said.push(
                Diagnostic::error(Code::DeclaredTwice, name.span, message)
                    .also(first.name.span, "the first one"),
            );
        }
        for transition in &state.transitions {
            for outcome in std::iter::once(&transition.success).chain(&transition.failure) {
                check_target(property, &outcome.target, said);
            }
            let guarded = transition.block.as_ref().is_some_and(|b| returns(&b.stmts));
            if let Some(failure) = &transition.failure
                && !guarded
            {
                said.push(
                    Diagnostic::warning(
                        Code::VerdeFailure,
                        failure.span,
                        "this failure can never happen",
                    )
                    .rule("a transition fails if its guard returns `False`; this transition has no guard"),
                );
            }
        }
    }
    let start = property.states.iter().position(|s| s.name.text == INIT);
    if start.is_none() {
        said.push(
            Diagnostic::error(Code::VerdeInit, property.span, "this property has no state `init`")
                .rule("every slice begins in the state `init`"),
        );
    }
    start.map(StateId::from_index)
}

fn check_target(property: &tree::Property, target: &Name, said: &mut Vec<Diagnostic>) {
    let names = property.states.iter().map(|s| s.name.text.as_str());
    if names.clone().any(|name| name == target.text) {
        return;
    }
    said.push(
        Diagnostic::error(
            Code::UnknownState,
            target.span,
            format!("there is no state `{}`", target.text),
        )
        .did_you_mean(nearest(&target.text, names)),
    );
}

/// The parameters that tell slices apart, with the types events give them.
fn slice_params(
    property: &tree::Property,
    uses: &[Vec<Used>],
    model: &Model,
    said: &mut Vec<Diagnostic>,
) -> Vec<Param> {
    let mut params: Vec<Param> = Vec::new();
    for name in &property.slices {
        if params.iter().any(|p| p.name == name.text) {
            let message = format!("`{}` is named twice", name.text);
            said.push(Diagnostic::error(Code::DeclaredTwice, name.span, message));
            continue;
        }
        let mut types = BTreeSet::new();
        for (state, uses) in property.states.iter().zip(uses) {
            for (transition, used) in state.transitions.iter().zip(uses) {
                for (param, arg) in transition.event.params.iter().zip(&used.args) {
                    let declared = model.events[used.event.index()].params.get(*arg as usize);
                    if param.name.text == name.text
                        && let Some(declared) = declared
                    {
                        types.insert(declared.ty);
                    }
                }
            }
        }
        let ty = match types.len() {
            1 => types.first().copied().unwrap_or(Type::Any),
            _ => Type::Any,
        };
        params.push(Param { name: name.text.clone(), ty });
    }
    params
}

/// Every block with statements that run when a transition is taken.
fn updates(property: &tree::Property) -> impl Iterator<Item = &Block> {
    transitions(property).flat_map(|t| {
        let outcomes = std::iter::once(&t.success).chain(&t.failure);
        let blocks = outcomes.filter_map(|o| o.block.as_ref());
        t.block.iter().filter(|b| !returns(&b.stmts)).chain(blocks)
    })
}

fn guards(property: &tree::Property) -> impl Iterator<Item = &Block> {
    transitions(property).filter_map(|t| t.block.as_ref()).filter(|b| returns(&b.stmts))
}

fn transitions(property: &tree::Property) -> impl Iterator<Item = &tree::Transition> {
    property.states.iter().flat_map(|s| &s.transitions)
}

/// The functions and actions a property names.
fn needed(property: &tree::Property) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for block in updates(property).chain(guards(property)).chain(&property.initialization) {
        called(&block.stmts, &mut names);
    }
    names.extend(property.states.iter().filter_map(|s| s.action.as_ref()).map(|n| n.text.as_str()));
    for transition in transitions(property) {
        let outcomes = std::iter::once(&transition.success).chain(&transition.failure);
        names.extend(outcomes.filter_map(|o| o.action.as_ref()).map(|n| n.text.as_str()));
    }
    names
}

/// What a slice remembers: what `initialization` assigns, and every other name that some block
/// assigns and some block reads without having assigned it before. Other names are gone when their
/// block ends, which nobody can tell.
struct Environment {
    names: Vec<String>,
    first: usize,
}

impl Environment {
    fn of(property: &tree::Property, first: usize) -> Environment {
        let mut given: BTreeSet<&str> = property.slices.iter().map(|s| s.text.as_str()).collect();
        given.extend(
            transitions(property).flat_map(|t| &t.event.params).map(|p| p.name.text.as_str()),
        );
        let mut names: Vec<String> = Vec::new();
        if let Some(block) = &property.initialization {
            in_order(&block.stmts, &mut names);
        }
        let mut assigned = BTreeSet::new();
        let mut free = BTreeSet::new();
        for block in updates(property) {
            let found = flow::names(&block.stmts, &[]);
            assigned.extend(found.assigned);
            free.extend(found.free);
        }
        for block in guards(property) {
            free.extend(flow::names(&block.stmts, &[]).free);
        }
        for name in assigned.intersection(&free) {
            if !given.contains(name) && !names.iter().any(|n| n == name) {
                names.push(name.to_string());
            }
        }
        Environment { names, first }
    }

    fn variable(&self, index: usize) -> VarId {
        VarId::from_index(self.first + index)
    }

    fn bind(&self, names: &mut BTreeMap<String, Binding>) {
        for (i, name) in self.names.iter().enumerate() {
            names.insert(name.clone(), Binding::Environment(Place::Var(self.variable(i))));
        }
    }
}

/// The names statements assign to, in the order they do.
fn in_order(stmts: &[super::python::tree::Stmt], names: &mut Vec<String>) {
    let assigned = flow::names(stmts, &[]).assigned;
    let mut add = |name: &str| {
        if assigned.contains(name) && !names.iter().any(|n| n == name) {
            names.push(name.to_string());
        }
    };
    for stmt in stmts {
        if let StmtKind::Assign(targets, _) = &stmt.kind {
            for target in targets {
                if let super::python::tree::ExprKind::Name(name) = &target.kind {
                    add(name);
                }
            }
        }
    }
    assigned.iter().for_each(|name| add(name));
}

/// What lowering gives.
struct Lowered {
    /// Of the environment.
    types: Vec<Type>,
    inits: Vec<Expr>,
    alphabet: Vec<Observed>,
    states: Vec<State>,
    transitions: Vec<Transition>,
}

struct Automaton<'a> {
    property: &'a tree::Property,
    uses: &'a [Vec<Used>],
    params: &'a [Param],
    environment: &'a Environment,
    functions: &'a BTreeMap<String, Callee>,
    model: &'a Model,
    types: Types,
}

impl Automaton<'_> {
    /// Types depend on assignments and assignments on types: again until nothing changes.
    fn run(&mut self, said: &mut Vec<Diagnostic>) -> Lowered {
        for round in 0.. {
            self.types.changed = false;
            let mut found = Vec::new();
            let lowered = self.round(&mut found);
            if !self.types.changed || round > MAX_ROUNDS {
                said.extend(found);
                return lowered;
            }
            if round == MAX_ROUNDS {
                self.types.give_up();
            }
        }
        unreachable!("the loop must end in another way")
    }

    fn round(&mut self, said: &mut Vec<Diagnostic>) -> Lowered {
        let property = self.property;
        let inits = self.initialization(said);
        let mut alphabet: Vec<Observed> = Vec::new();
        let mut states = Vec::new();
        let mut transitions = Vec::new();
        // Scope 0 is the environment, 1 the initialization.
        let mut scope = 2;
        for (source, (state, uses)) in property.states.iter().zip(self.uses).enumerate() {
            for (transition, used) in state.transitions.iter().zip(uses) {
                observe(&mut alphabet, used, self.placement(transition, used));
                let lowered = self.transition(
                    StateId::from_index(source),
                    transition,
                    used,
                    &mut scope,
                    said,
                );
                transitions.push(lowered);
            }
            states.push(State {
                name: state.name.text.clone(),
                kind: if state.non_accepting { StateKind::Bad } else { StateKind::Normal },
                message: None,
                entry: state.action.iter().map(|action| self.action(action, said)).collect(),
                deadline: None,
                span: state.name.span,
            });
        }
        let types = self
            .environment
            .names
            .iter()
            .map(|name| self.types.get(0, name).unwrap_or(Type::Any))
            .collect();
        Lowered { types, inits, alphabet, states, transitions }
    }

    /// First values. A block of plain assignments gives each variable its own expression; any other
    /// is run as a whole for each of them.
    fn initialization(&mut self, said: &mut Vec<Diagnostic>) -> Vec<Expr> {
        let count = self.environment.names.len();
        let null = || Expr::Const(Value::Null);
        let Some(block) = &self.property.initialization else {
            for name in &self.environment.names {
                self.types.join(0, name, Type::Any);
            }
            return (0..count).map(|_| null()).collect();
        };
        let names = flow::names(&block.stmts, &[]);
        for name in &self.environment.names {
            if !names.assigned.contains(name.as_str()) {
                self.types.join(0, name, Type::Any);
            }
        }
        let mut lowering = Lowering {
            mode: Mode::Initialization,
            scope: 1,
            names: BTreeMap::new(),
            functions: self.functions,
            types: &mut self.types,
            next_local: 0,
            said,
        };
        let mut stmts = declare_locals(&mut lowering, &names);
        stmts.extend(lowering.block(&block.stmts));
        let places: Vec<Option<(Place, Type)>> = self
            .environment
            .names
            .iter()
            .map(|name| match lowering.names.get(name) {
                Some(Binding::Local(id)) => {
                    let ty = lowering.types.get(1, name).unwrap_or(Type::Any);
                    Some((Place::Local(*id), ty))
                }
                _ => None,
            })
            .collect();
        for (name, place) in self.environment.names.iter().zip(&places) {
            if let Some((_, ty)) = place {
                self.types.join(0, name, *ty);
            }
        }
        places
            .into_iter()
            .map(|place| match place {
                None => null(),
                Some((place, _)) => first_value(&stmts, place),
            })
            .collect()
    }

    fn placement(&self, transition: &tree::Transition, used: &Used) -> Placement {
        let mut placement = Vec::new();
        for (i, slice) in self.params.iter().enumerate() {
            let params = transition.event.params.iter();
            if let Some(at) = params.clone().position(|p| p.name.text == slice.name) {
                placement.push((ParamId::from_index(i), used.args[at]));
            }
        }
        Placement(placement)
    }

    fn transition(
        &mut self,
        source: StateId,
        transition: &tree::Transition,
        used: &Used,
        scope: &mut usize,
        said: &mut Vec<Diagnostic>,
    ) -> Transition {
        let placement = self.placement(transition, used);
        let length = used.args.iter().map(|arg| *arg as usize + 1).max().unwrap_or(0);
        let mut args = vec![Pattern::Any; length];
        for (param, arg) in &placement.0 {
            args[*arg as usize] = Pattern::Equal(Place::Param(*param));
        }
        let mut next_local = 0;
        let mut guard = None;
        let mut first = Vec::new();
        if let Some(block) = &transition.block {
            let mode = if returns(&block.stmts) { Mode::Guard } else { Mode::Update };
            let names = flow::names(&block.stmts, &[]);
            let mut lowering = self.block(mode, transition, used, scope, &mut next_local, said);
            let mut prelude = declare_locals(&mut lowering, &names);
            if mode == Mode::Guard {
                let expr = lowering.guard(&block.stmts);
                guard = Some(match (prelude.is_empty(), expr) {
                    (true, expr) => expr,
                    (false, Expr::Block(stmts)) => {
                        prelude.extend(stmts);
                        Expr::Block(prelude)
                    }
                    (false, expr) => expr,
                });
            } else {
                first = lowering.block(&block.stmts);
            }
            next_local = lowering.next_local;
        }
        let mut then = self.outcome(&transition.success, transition, used, scope, next_local, said);
        first.append(&mut then.update);
        then.update = first;
        let otherwise = transition
            .failure
            .as_ref()
            .map(|failure| self.outcome(failure, transition, used, scope, next_local, said));
        Transition {
            source,
            labels: vec![Label {
                event: Some(used.event),
                arity: Arity::Any,
                args,
                guard,
                span: transition.event.span,
            }],
            keep: false,
            then,
            otherwise,
            span: transition.span,
        }
    }

    fn outcome(
        &mut self,
        outcome: &tree::Outcome,
        transition: &tree::Transition,
        used: &Used,
        scope: &mut usize,
        mut next_local: u32,
        said: &mut Vec<Diagnostic>,
    ) -> Branch {
        let mut update = Vec::new();
        if let Some(block) = &outcome.block {
            let names = flow::names(&block.stmts, &[]);
            let mut lowering =
                self.block(Mode::Update, transition, used, scope, &mut next_local, said);
            update = declare_locals(&mut lowering, &names);
            update.extend(lowering.block(&block.stmts));
        }
        update.extend(outcome.action.iter().map(|action| self.action(action, said)));
        let target = self.property.states.iter().position(|s| s.name.text == outcome.target.text);
        let target = target.map_or(Target::Stay, |at| Target::State(StateId::from_index(at)));
        Branch { update, ..Branch::to(target) }
    }

    /// What the names in a block of a transition stand for.
    fn block<'l>(
        &'l mut self,
        mode: Mode,
        transition: &tree::Transition,
        used: &Used,
        scope: &mut usize,
        next_local: &mut u32,
        said: &'l mut Vec<Diagnostic>,
    ) -> Lowering<'l> {
        let mut names = BTreeMap::new();
        self.environment.bind(&mut names);
        for (i, slice) in self.params.iter().enumerate() {
            let read = Expr::Read(Place::Param(ParamId::from_index(i)));
            names.insert(slice.name.clone(), Binding::Given(read, slice.ty));
        }
        let declared = &self.model.events[used.event.index()].params;
        for (param, arg) in transition.event.params.iter().zip(&used.args) {
            let ty = declared.get(*arg as usize).map_or(Type::Any, |p| p.ty);
            let read = Expr::Read(Place::Arg(*arg));
            names.insert(param.name.text.clone(), Binding::Given(read, ty));
        }
        *scope += 1;
        Lowering {
            mode,
            scope: *scope,
            names,
            functions: self.functions,
            types: &mut self.types,
            next_local: *next_local,
            said,
        }
    }

    /// An action calls the companion function of its name; without one, it is passed to the host.
    fn action(&self, action: &Name, said: &mut Vec<Diagnostic>) -> Stmt {
        match self.functions.get(&action.text) {
            Some(callee) => {
                if callee.params != 0 {
                    let message = format!(
                        "an action passes no arguments; `{}` takes {}",
                        action.text, callee.params
                    );
                    said.push(Diagnostic::error(Code::WrongCount, action.span, message));
                }
                Stmt::Eval(Expr::Call(callee.id, Vec::new()))
            }
            None => {
                said.push(
                    Diagnostic::warning(
                        Code::VerdeAction,
                        action.span,
                        format!("no companion function is called `{}`", action.text),
                    )
                    .rule("an action calls the function of its name; without one it is passed to the host")
                    .help("pass the file that defines it with `--functions FILE`"),
                );
                Stmt::Action(action.text.clone(), Vec::new())
            }
        }
    }
}

fn observe(alphabet: &mut Vec<Observed>, used: &Used, placement: Placement) {
    match alphabet.iter_mut().find(|o| o.event == used.event) {
        Some(observed) => {
            if !observed.placements.contains(&placement) {
                observed.placements.push(placement);
            }
        }
        None => {
            alphabet.push(Observed { event: used.event, filter: None, placements: vec![placement] })
        }
    }
}

/// The value a place has after statements: what it is assigned, if that is a constant and happens
/// once; else the statements are run.
fn first_value(stmts: &[Stmt], place: Place) -> Expr {
    let plain = stmts.iter().all(|s| matches!(s, Stmt::Assign(_, Expr::Const(_))));
    let mut values = stmts.iter().filter_map(|s| match s {
        Stmt::Assign(to, value) if *to == place => Some(value),
        _ => None,
    });
    match (plain, values.next_back()) {
        (true, Some(value)) => value.clone(),
        _ => {
            let mut stmts = stmts.to_vec();
            stmts.push(Stmt::Return(Some(Expr::Read(place))));
            Expr::Block(stmts)
        }
    }
}
