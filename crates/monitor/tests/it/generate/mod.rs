//! Random models and traces: every creation rule, guards, updates, timers, channels, look-ahead.

pub mod exprs;
pub mod protocols;
pub mod random;

use watchword_model::*;

use self::exprs::Names;
use self::random::Random;

/// A model and what happens to it.
#[derive(Clone, Debug)]
pub struct Case {
    pub model: Model,
    pub events: Vec<Event>,
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    match seed % 6 {
        5 => protocols::case(seed),
        _ => general(seed),
    }
}

/// The case of a seed, of any kind but a protocol.
pub fn general(seed: u64) -> Case {
    Builder::new(seed).build()
}

struct Builder {
    r: Random,
    model: Model,
    /// Events of the world, and how many arguments they have.
    world: Vec<(EventId, u32)>,
    channels: Vec<EventId>,
    /// Whether there are deadlines, clocks and times.
    timed: bool,
    /// Whether numbers of both kinds that are the same occur; expressions then do not look at
    /// parameters, whose representation is that of whichever event came first.
    mixed: bool,
    /// Decides about windows, if there shall be any: what has none is generated as if there were
    /// none in the language.
    windows: Option<Random>,
}

impl Builder {
    /// Mostly any number of arguments; sometimes those the event has, or more than some.
    fn arity(&mut self, args: u32) -> Arity {
        match self.r.below(20) {
            0 => Arity::Exactly(args),
            1 => Arity::AtLeast(self.r.below(args as usize + 2) as u32),
            _ => Arity::Any,
        }
    }

    fn new(seed: u64) -> Builder {
        let mut r = Random::new(seed);
        let timed = r.percent(35);
        let mixed = r.percent(25);
        let mut windows = Random::new(!seed);
        let windows = windows.percent(30).then_some(windows);
        let timed = timed || windows.as_ref().is_some_and(|w| w.clone().percent(80));
        Builder {
            r,
            model: Model::default(),
            world: Vec::new(),
            channels: Vec::new(),
            timed,
            mixed,
            windows,
        }
    }

    fn build(mut self) -> Case {
        for i in 0..2 + self.r.below(3) {
            let count = 1 + self.r.below(3);
            let id = self.event(&format!("e{i}"), count, Origin::World(vec![]));
            self.world.push((id, count as u32));
        }
        if self.r.percent(20) {
            for i in 0..1 + self.r.below(2) {
                let id = self.event(&format!("ch{i}"), 1, Origin::Channel);
                self.channels.push(id);
            }
        }
        if self.r.percent(25) {
            self.function();
        }
        for _ in 0..if self.r.percent(15) || !self.channels.is_empty() { 2 } else { 1 } {
            match self.r.below(100) {
                0..45 => self.chen_rosu(),
                45..73 => self.registers(),
                73..85 => self.verde(),
                _ => self.larva(),
            }
        }
        let events = self.trace();
        Case { model: self.model, events }
    }

    fn event(&mut self, name: &str, params: usize, origin: Origin) -> EventId {
        let id = EventId::from_index(self.model.events.len());
        let params = (0..params).map(|i| Param { name: format!("a{i}"), ty: Type::Any }).collect();
        let decl = EventDecl { params, origin, ..EventDecl::named(name) };
        self.model.events.push(decl);
        id
    }

    fn function(&mut self) {
        let names = Names { locals: vec![LocalId(0)], ..Names::default() };
        let mut body = Vec::new();
        if self.r.percent(50) {
            body.push(Stmt::If(
                exprs::truth(&mut self.r, &names, 1),
                vec![Stmt::Return(Some(exprs::any(&mut self.r, &names, 2)))],
                vec![],
            ));
        }
        let mut inner = names.clone();
        if self.r.percent(30) {
            // Recursion, cut off by its argument, by the budget or by the depth.
            inner.functions.push(FunctionId(0));
        }
        body.push(Stmt::Return(Some(exprs::any(&mut self.r, &inner, 2))));
        self.model.functions.push(Function {
            name: "f".into(),
            params: vec![("x".into(), Type::Any)],
            locals: 8,
            body,
            span: Span::NONE,
        });
    }

    fn param(&mut self, i: usize) -> Param {
        Param { name: format!("p{i}"), ty: Type::Any }
    }

    fn keys(&mut self, count: usize) -> Vec<Option<Expr>> {
        (0..count)
            .map(|_| {
                self.r.percent(5).then(|| {
                    let arg = Expr::Read(Place::Arg(0));
                    match self.r.below(3) {
                        0 => Expr::Builtin(Builtin::ToStr, vec![arg]),
                        1 => Expr::Builtin(Builtin::Len, vec![arg]),
                        _ => Expr::Binary(
                            BinaryOp::Rem,
                            Box::new(arg),
                            Box::new(Expr::Const(Value::Int(2))),
                        ),
                    }
                })
            })
            .collect()
    }

    fn variables(&mut self, context: ContextId) -> Vec<VarId> {
        let count = self.r.below(3);
        (0..count)
            .map(|i| {
                let id = VarId::from_index(self.model.variables.len());
                let (ty, init) = match self.r.below(10) {
                    0..6 => (Type::Int, Value::Int(self.r.below(2) as i64)),
                    6 => (Type::Any, Value::Null),
                    7 => (Type::Str, Value::str("a")),
                    8 => (Type::Float, Value::Int(1)),
                    _ => (Type::List, Value::List(Default::default())),
                };
                self.model.variables.push(Variable {
                    name: format!("v{i}"),
                    ty,
                    init: Expr::Const(init),
                    context,
                    span: Span::NONE,
                });
                id
            })
            .collect()
    }

    fn clocks(&mut self, context: ContextId) -> (Vec<ClockId>, Vec<EventId>) {
        if !self.timed || !self.r.percent(20) {
            return (vec![], vec![]);
        }
        let count = 1 + self.r.below(2);
        let mut alarms = Vec::new();
        for _ in 0..count {
            let name = format!("alarm{}", self.model.events.len());
            let event = self.event(&name, 0, Origin::Clock);
            alarms.push(Alarm { after: self.soon(), event });
        }
        let rings = self.r.percent(40).then(|| {
            let name = format!("alarm{}", self.model.events.len());
            self.event(&name, 0, Origin::Clock)
        });
        let events = alarms.iter().map(|a| a.event).chain(rings).collect();
        let id = ClockId::from_index(self.model.clocks.len());
        let autostart = self.r.percent(60);
        self.model.clocks.push(Clock {
            name: "c".into(),
            alarms,
            rings,
            autostart,
            since: None,
            context,
        });
        (vec![id], events)
    }

    /// A short time; rarely none at all, which may lead in circles.
    fn soon(&mut self) -> Time {
        *self.r.pick(&[0, 1, 1, 2, 2, 3, 3, 4, 4])
    }

    /// Which events a property observes: `(event, number of arguments)`.
    fn alphabet(&mut self, alarms: &[EventId]) -> Vec<(EventId, u32)> {
        let mut alphabet: Vec<(EventId, u32)> =
            self.world.clone().into_iter().filter(|_| self.r.percent(85)).collect();
        if alphabet.is_empty() {
            alphabet.push(self.world[0]);
        }
        for channel in self.channels.clone() {
            if self.r.percent(60) {
                alphabet.push((channel, 1));
            }
        }
        alphabet.extend(alarms.iter().map(|a| (*a, 0)));
        if self.r.percent(20) {
            alphabet.push((EventId::END, 0));
        }
        alphabet
    }

    fn placement(&mut self, params: usize, args: u32) -> Placement {
        let mut free: Vec<u32> = (0..args).collect();
        let mut pairs = Vec::new();
        for p in 0..params {
            if !free.is_empty() && self.r.percent(70) {
                let arg = free.remove(self.r.below(free.len()));
                pairs.push((ParamId::from_index(p), arg));
            }
        }
        Placement(pairs)
    }

    fn filter(&mut self, args: u32) -> Option<Expr> {
        let names = Names { args, ..Names::default() };
        self.r.percent(8).then(|| exprs::truth(&mut self.r, &names, 1))
    }

    /// What expressions of a property may mention; labels add arguments and locals.
    fn names(&mut self, params: usize, vars: Vec<VarId>, clocks: Vec<ClockId>) -> Names {
        let shown = if self.mixed { 0 } else { params };
        Names {
            params: (0..shown).map(ParamId::from_index).collect(),
            vars,
            clocks,
            channels: self.channels.clone(),
            functions: (0..self.model.functions.len()).map(FunctionId::from_index).collect(),
            outputs: self.r.percent(30),
            ..Names::default()
        }
    }

    fn states(&mut self, names: &Names) -> Vec<State> {
        let count = 2 + self.r.below(3);
        let outputs = self.r.percent(15);
        (0..count)
            .map(|i| {
                let kind = match i {
                    0 if self.r.percent(90) => StateKind::Normal,
                    _ if i + 1 == count => StateKind::Bad,
                    _ => match self.r.below(10) {
                        0..5 => StateKind::Normal,
                        5..7 => StateKind::Pending,
                        7 => StateKind::Good,
                        8 => StateKind::Bad,
                        _ => StateKind::Normal,
                    },
                };
                let entry = match outputs && self.r.percent(40) {
                    true => exprs::update(&mut self.r, names, 1),
                    false => vec![],
                };
                let message = self.r.percent(15).then(|| exprs::template(&mut self.r, names));
                State {
                    name: format!("s{i}"),
                    kind,
                    message,
                    entry,
                    deadline: None,
                    span: Span::NONE,
                }
            })
            .collect()
    }

    fn target(&mut self, states: usize) -> Target {
        match self.r.below(100) {
            0..12 => Target::Drop,
            12..24 => Target::Stay,
            _ => Target::State(StateId::from_index(self.r.below(states))),
        }
    }

    fn branch(&mut self, names: &Names, states: usize) -> Branch {
        let update = match self.r.percent(30) {
            true => exprs::update(&mut self.r, names, 2),
            false => vec![],
        };
        let message = self.r.percent(15).then(|| exprs::template(&mut self.r, names));
        Branch { update, target: self.target(states), message }
    }

    fn deadlines(&mut self, states: &mut [State], names: &Names) {
        if !self.timed || !self.r.percent(55) {
            return;
        }
        let count = states.len();
        for state in states.iter_mut() {
            if self.r.percent(45) {
                let after = self.soon();
                state.deadline = Some(Deadline { after, branch: self.branch(names, count) });
            }
        }
    }

    /// A label of a sliced property.
    fn sliced_label(
        &mut self,
        alphabet: &[(EventId, u32)],
        placements: &[(EventId, Vec<Placement>)],
        names: &Names,
    ) -> (Label, Names) {
        let (event, args) = *self.r.pick(alphabet);
        let any = self.r.percent(6);
        let mut inner = names.clone();
        inner.args = if any { 1 } else { args };
        let mut patterns = vec![Pattern::Any; args as usize];
        let own = placements.iter().find(|(e, _)| *e == event).map(|(_, p)| p.clone());
        if let Some(own) = own.filter(|o| !o.is_empty()) {
            for (param, arg) in &self.r.pick(&own).0.clone() {
                if self.r.percent(85) {
                    patterns[*arg as usize] = Pattern::Equal(Place::Param(*param));
                }
            }
        }
        for (i, pattern) in patterns.iter_mut().enumerate() {
            if !matches!(pattern, Pattern::Any) {
                continue;
            }
            *pattern = match self.r.below(100) {
                0..15 => {
                    let local = LocalId::from_index(i);
                    inner.locals.push(local);
                    Pattern::Bind(Place::Local(local))
                }
                15..20 => Pattern::Const(exprs::value(&mut self.r)),
                20..24 => Pattern::NotConst(exprs::value(&mut self.r)),
                24..27 if !names.vars.is_empty() => {
                    Pattern::Equal(Place::Var(*self.r.pick(&names.vars)))
                }
                27..29 if !names.vars.is_empty() => {
                    Pattern::Bind(Place::Var(*self.r.pick(&names.vars)))
                }
                29..31 if !names.params.is_empty() => {
                    Pattern::Differs(Place::Param(*self.r.pick(&names.params)))
                }
                _ => Pattern::Any,
            };
        }
        let guard = self.r.percent(30).then(|| exprs::truth(&mut self.r, &inner, 2));
        let arity = self.arity(args);
        let label = Label {
            event: (!any).then_some(event),
            arity,
            args: if any { vec![] } else { patterns },
            guard,
            span: Span::NONE,
        };
        if any {
            inner.locals = names.locals.clone();
        }
        (label, inner)
    }

    fn sliced_property(
        &mut self,
        context: ContextId,
        names: &Names,
        observed: Vec<Observed>,
        alphabet: &[(EventId, u32)],
    ) -> Property {
        let placements: Vec<(EventId, Vec<Placement>)> =
            observed.iter().map(|o| (o.event, o.placements.clone())).collect();
        let mut states = self.states(names);
        self.deadlines(&mut states, names);
        let mut transitions = Vec::new();
        for source in 0..states.len() {
            let last = source + 1 == states.len();
            let count = if last && self.r.percent(60) { 0 } else { 1 + self.r.below(3) };
            for _ in 0..count {
                let (label, inner) = self.sliced_label(alphabet, &placements, names);
                let then = self.branch(&inner, states.len());
                let otherwise = (label.guard.is_some() && self.r.percent(40))
                    .then(|| self.branch(&inner, states.len()));
                transitions.push(Transition {
                    source: StateId::from_index(source),
                    labels: vec![label],
                    keep: false,
                    then,
                    otherwise,
                    span: Span::NONE,
                });
            }
        }
        let message = self.r.percent(30).then(|| exprs::template(&mut self.r, names));
        self.property(context, observed, states, transitions, message)
    }

    fn property(
        &mut self,
        context: ContextId,
        alphabet: Vec<Observed>,
        states: Vec<State>,
        transitions: Vec<Transition>,
        message: Option<Template>,
    ) -> Property {
        let name = format!("P{}", self.model.properties.len());
        let named = Property::named(&name, context);
        Property { message, alphabet, states, transitions, ..named }
    }

    fn observed(&mut self, alphabet: &[(EventId, u32)], params: usize) -> Vec<Observed> {
        alphabet
            .iter()
            .map(|(event, args)| {
                let count = if self.r.percent(88) { 1 } else { 2 };
                let placements = (0..count).map(|_| self.placement(params, *args)).collect();
                Observed { event: *event, filter: self.filter(*args), placements }
            })
            .collect()
    }

    fn ends(&mut self, params: usize) -> Vec<EndOfLife> {
        if params == 0 || !self.r.percent(35) {
            return vec![];
        }
        let (event, args) = *self.r.pick(&self.world.clone());
        vec![EndOfLife {
            param: ParamId::from_index(self.r.below(params)),
            event,
            arg: self.r.below(args as usize) as u32,
        }]
    }

    fn chen_rosu(&mut self) {
        let context = ContextId::from_index(self.model.contexts.len());
        let params = *self.r.pick(&[0, 1, 1, 1, 2, 2, 2, 3]);
        let simple = self.r.percent(35);
        let vars = if simple { vec![] } else { self.variables(context) };
        let (clocks, alarms) = if simple { (vec![], vec![]) } else { self.clocks(context) };
        let mut alphabet = self.alphabet(&alarms);
        if simple {
            alphabet.retain(|(e, _)| *e != EventId::END);
        }
        let names = match simple {
            // The shapes whose instances need not all exist: no outputs, few conditions.
            true => Names { params: vec![], ..Names::default() },
            false => self.names(params, vars.clone(), clocks.clone()),
        };
        let observed = match simple && params > 0 {
            true => self.protocol_placements(&alphabet, params),
            false => self.observed(&alphabet, params),
        };
        let creation = match self.r.percent(25) {
            true => vec![self.r.pick(&alphabet).0],
            false => vec![],
        };
        let ends = self.ends(params);
        let params_list = (0..params).map(|i| self.param(i)).collect();
        let keys = self.keys(params);
        self.model.contexts.push(Context {
            parent: None,
            params: params_list,
            keys,
            rule: Creation::ChenRosu { creation },
            variables: vars,
            clocks,
            ends,
        });
        let windows = self.windows(&observed, &alphabet, &names);
        let ids = (0..windows.len()).map(WindowId::from_index).collect();
        let now = self.timed && self.windows.as_mut().is_some_and(|r| r.percent(50));
        let names = Names { windows: ids, now, ..names };
        let mut property = self.sliced_property(context, &names, observed, &alphabet);
        property.windows = windows;
        self.model.properties.push(property);
    }

    /// Windows over some of the events.
    fn windows(
        &mut self,
        observed: &[Observed],
        alphabet: &[(EventId, u32)],
        names: &Names,
    ) -> Vec<Window> {
        let Some(r) = &mut self.windows else { return vec![] };
        let mut windows = Vec::new();
        for number in 0..1 + r.below(2) {
            let (event, args) = *r.pick(alphabet);
            let raised = &self.model.events[event.index()].origin;
            if !matches!(raised, Origin::World(_) | Origin::Channel) {
                continue;
            }
            let mut patterns = vec![Pattern::Any; args as usize];
            let placed = observed.iter().find(|o| o.event == event);
            for (param, arg) in placed.map_or(vec![], |o| r.pick(&o.placements).0.clone()) {
                if r.percent(85) {
                    patterns[arg as usize] = Pattern::Equal(Place::Param(param));
                }
            }
            let mut inner = Names { args, params: names.params.clone(), ..Names::default() };
            for (at, pattern) in patterns.iter_mut().enumerate() {
                match r.below(100) {
                    0..20 if matches!(pattern, Pattern::Any) => {
                        let local = LocalId::from_index(at);
                        inner.locals.push(local);
                        *pattern = Pattern::Bind(Place::Local(local));
                    }
                    20..25 => *pattern = Pattern::Const(exprs::value(r)),
                    25..28 if !names.params.is_empty() => {
                        *pattern = Pattern::Differs(Place::Param(*r.pick(&names.params)));
                    }
                    _ => {}
                }
            }
            let guard = r.percent(15).then(|| exprs::truth(r, &inner, 1));
            let (aggregate, _) = *r.pick(&Aggregate::TABLE);
            let of = match aggregate {
                Aggregate::Count => None,
                Aggregate::Distinct => Some(exprs::any(r, &inner, 1)),
                // Mostly numbers, so that something comes of them.
                _ if r.percent(10) => Some(exprs::any(r, &inner, 1)),
                _ => {
                    let numbers =
                        [Value::Int(2), Value::Int(-1), Value::Float(0.1), Value::Float(1e16)];
                    let mut number = || Box::new(Expr::Const(r.pick(&numbers).clone()));
                    let (then, otherwise) = (number(), number());
                    let arg = Expr::Read(Place::Arg(r.below(args.max(1) as usize) as u32));
                    let zero = Expr::Const(Value::Int(0));
                    let is_zero = Expr::Binary(BinaryOp::Eq, Box::new(arg), Box::new(zero));
                    Some(Expr::If(Box::new(is_zero), then, otherwise))
                }
            };
            let arity = if r.percent(10) { Arity::Exactly(args) } else { Arity::Any };
            windows.push(Window {
                name: format!("w{number}"),
                aggregate,
                label: Label { event: Some(event), arity, args: patterns, guard, span: Span::NONE },
                of,
                within: r.below(7) as Time,
                span: Span::NONE,
            });
        }
        windows
    }

    /// Placements as real protocols have them: one event that binds all, others that bind parts.
    fn protocol_placements(&mut self, alphabet: &[(EventId, u32)], params: usize) -> Vec<Observed> {
        alphabet
            .iter()
            .map(|(event, args)| {
                let most = params.min(*args as usize);
                let mut chosen: Vec<usize> = (0..params).collect();
                while chosen.len() > most || (chosen.len() > 1 && self.r.percent(45)) {
                    chosen.remove(self.r.below(chosen.len()));
                }
                let pairs = chosen
                    .into_iter()
                    .enumerate()
                    .map(|(arg, p)| (ParamId::from_index(p), arg as u32))
                    .collect();
                Observed { event: *event, filter: None, placements: vec![Placement(pairs)] }
            })
            .collect()
    }

    fn verde(&mut self) {
        let context = ContextId::from_index(self.model.contexts.len());
        let params = self.r.below(3);
        let vars = self.variables(context);
        let (clocks, alarms) = self.clocks(context);
        let alphabet = self.alphabet(&alarms);
        let names = self.names(params, vars.clone(), clocks.clone());
        let observed = self.observed(&alphabet, params);
        let ends = self.ends(params);
        let params_list = (0..params).map(|i| self.param(i)).collect();
        let keys = self.keys(params);
        self.model.contexts.push(Context {
            parent: None,
            params: params_list,
            keys,
            rule: Creation::Verde,
            variables: vars,
            clocks,
            ends,
        });
        let property = self.sliced_property(context, &names, observed, &alphabet);
        self.model.properties.push(property);
    }

    fn larva(&mut self) {
        /// A context: itself, and the parameters, variables and clocks of its chain.
        type Outer = (Option<ContextId>, usize, Vec<VarId>, Vec<ClockId>);
        let mut chain: Vec<Outer> = vec![(None, 0, vec![], vec![])];
        for depth in 0..1 + self.r.below(3) {
            let at = if depth == 0 { 0 } else { self.r.below(chain.len()) };
            let (parent, outer, outer_vars, outer_clocks) = chain[at].clone();
            let context = ContextId::from_index(self.model.contexts.len());
            let parent = if depth == 0 { None } else { parent };
            let own = if self.r.percent(30) { 0 } else { 1 };
            let vars = self.variables(context);
            let (clocks, alarms) = self.clocks(context);
            let params = outer + own;
            let ends = if depth == 0 { self.ends(own) } else { vec![] };
            let params_list = (0..own).map(|i| self.param(outer + i)).collect();
            let keys = self.keys(own);
            self.model.contexts.push(Context {
                parent,
                params: params_list,
                keys,
                rule: Creation::Larva,
                variables: vars.clone(),
                clocks: clocks.clone(),
                ends,
            });
            let all_vars: Vec<VarId> = outer_vars.iter().chain(&vars).copied().collect();
            let all_clocks: Vec<ClockId> = outer_clocks.iter().chain(&clocks).copied().collect();
            for _ in 0..1 + self.r.below(2) {
                let alphabet = self.alphabet(&alarms);
                let names = self.names(params, all_vars.clone(), all_clocks.clone());
                let observed = self.observed(&alphabet, params);
                let property = self.sliced_property(context, &names, observed, &alphabet);
                self.model.properties.push(property);
            }
            let entry = (Some(context), params, all_vars, all_clocks);
            if depth == 0 {
                chain[0] = entry;
            } else {
                chain.push(entry);
            }
        }
    }

    fn registers(&mut self) {
        let context = ContextId::from_index(self.model.contexts.len());
        self.model.contexts.push(Context {
            parent: None,
            params: vec![],
            keys: vec![],
            rule: Creation::Registers,
            variables: vec![],
            clocks: vec![],
            ends: vec![],
        });
        let count = 1 + self.r.below(2);
        let registers: Vec<Register> = (0..count)
            .map(|i| Register {
                name: format!("r{i}"),
                ty: *self.r.pick(&[Type::Any, Type::Any, Type::Int]),
                init: self.r.percent(30).then_some(Expr::Const(Value::Int(0))),
                span: Span::NONE,
            })
            .collect();
        let alphabet = self.alphabet(&[]);
        let observed: Vec<Observed> = alphabet
            .iter()
            .map(|(event, args)| Observed {
                event: *event,
                filter: self.filter(*args),
                placements: vec![Placement::default()],
            })
            .collect();
        let mut names = self.names(0, vec![], vec![]);
        names.outputs = false;
        names.registers = (0..count).map(RegisterId::from_index).collect();
        let mut states = self.states(&names);
        let longest = if self.r.percent(50) { 1 } else { 2 + self.r.below(2) };
        if longest == 1 {
            self.deadlines(&mut states, &names);
        }
        let mut transitions = Vec::new();
        for source in 0..states.len() {
            let last = source + 1 == states.len();
            let moves = if last && self.r.percent(70) { 0 } else { 1 + self.r.below(3) };
            for _ in 0..moves {
                let mut inner = names.clone();
                let length = 1 + self.r.below(longest);
                let labels =
                    (0..length).map(|_| self.register_label(&alphabet, &mut inner)).collect();
                let update = match self.r.percent(20) {
                    true => exprs::update(&mut self.r, &inner, 1),
                    false => vec![],
                };
                let message = self.r.percent(15).then(|| exprs::template(&mut self.r, &inner));
                let target = self.target(states.len());
                transitions.push(Transition {
                    source: StateId::from_index(source),
                    labels,
                    keep: self.r.percent(35),
                    then: Branch { update, target, message },
                    otherwise: None,
                    span: Span::NONE,
                });
            }
        }
        // As TOPL's `s -> s: *`; with updates there would soon be too many different stores.
        let updates = transitions.iter().any(|t: &Transition| !t.then.update.is_empty())
            || states.iter().any(|s| !s.entry.is_empty());
        for source in 0..states.len() {
            if !updates && self.r.percent(25) {
                let source = StateId::from_index(source);
                let any = Label {
                    event: None,
                    arity: Arity::Any,
                    args: vec![],
                    guard: None,
                    span: Span::NONE,
                };
                transitions.push(Transition {
                    source,
                    labels: vec![any],
                    keep: self.r.percent(20),
                    then: Branch::to(Target::State(source)),
                    otherwise: None,
                    span: Span::NONE,
                });
            }
        }
        let message = self.r.percent(30).then(|| exprs::template(&mut self.r, &names));
        let mut property = self.property(context, observed, states, transitions, message);
        property.registers = registers;
        self.model.properties.push(property);
    }

    fn register_label(&mut self, alphabet: &[(EventId, u32)], names: &mut Names) -> Label {
        let (event, args) = *self.r.pick(alphabet);
        let any = self.r.percent(15);
        names.args = if any { 0 } else { args };
        let mut bound: Vec<RegisterId> = Vec::new();
        let mut patterns = Vec::new();
        for _ in 0..if any { 0 } else { args } {
            let register = *self.r.pick(&names.registers);
            patterns.push(match self.r.below(100) {
                0..30 if !bound.contains(&register) => {
                    bound.push(register);
                    Pattern::Bind(Place::Register(register))
                }
                30..60 => Pattern::Equal(Place::Register(register)),
                60..70 => Pattern::Differs(Place::Register(register)),
                70..74 => Pattern::Const(exprs::value(&mut self.r)),
                74..76 => Pattern::NotConst(exprs::value(&mut self.r)),
                76..80 => Pattern::Bind(Place::Local(LocalId(0))),
                _ => Pattern::Any,
            });
        }
        let guard = self.r.percent(15).then(|| exprs::truth(&mut self.r, names, 1));
        Label {
            event: (!any).then_some(event),
            arity: self.arity(args),
            args: patterns,
            guard,
            span: Span::NONE,
        }
    }

    fn trace(&mut self) -> Vec<Event> {
        let length = 4 + self.r.below(24);
        // What is in a window before the first time must not be taken for older than it is.
        let mut now = if self.windows.is_some() { 100 } else { 0 };
        let mut events = Vec::new();
        for _ in 0..length {
            let (kind, count) = *self.r.pick(&self.world.clone());
            let given = if self.r.percent(4) { self.r.below(4) as u32 } else { count };
            let args = (0..given).map(|_| self.argument()).collect();
            let mut event = Event::new(kind, args);
            if self.timed && self.r.percent(85) {
                now += *self.r.pick(&[0, 0, 1, 1, 2, 5]);
                event.time = Some(now);
            }
            events.push(event);
        }
        events
    }

    fn argument(&mut self) -> Value {
        // Mostly few small integers, so that instances meet.
        if self.r.percent(65) {
            return Value::Int(self.r.below(2) as i64);
        }
        match exprs::value(&mut self.r) {
            Value::Float(f) if !self.mixed && f == f.trunc() => Value::Float(0.5),
            value => value,
        }
    }
}
