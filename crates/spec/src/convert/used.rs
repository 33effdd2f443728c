//! Which declarations of a model its properties still use.

use std::collections::HashSet;

use watchword_model::{
    ClockId, Creation, EventId, Expr, FunctionId, Model, Pattern, Place, Property, Stmt, VarId,
};

use crate::lint::walk;

/// The declarations that are used.
#[derive(Default)]
pub struct Used {
    events: HashSet<EventId>,
    functions: HashSet<FunctionId>,
    variables: HashSet<VarId>,
    clocks: HashSet<ClockId>,
}

impl Used {
    /// What the properties of a model use, themselves or by way of what they use.
    pub fn of(model: &Model) -> Used {
        let mut used = Used::default();
        for property in model.properties.iter().filter(|p| !p.is_proven()) {
            used.property(property);
            for id in model.chain(property.context) {
                let context = &model.contexts[id.index()];
                used.events.extend(context.ends.iter().map(|end| end.event));
                if let Creation::ChenRosu { creation } = &context.rule {
                    used.events.extend(creation);
                }
                for key in context.keys.iter().flatten() {
                    walk::expr(key, &mut |e| used.expr(e));
                }
            }
        }
        loop {
            let before = used.functions.len() + used.variables.len();
            for id in used.functions.clone() {
                let mut inside = Used::default();
                inside.block(&model.functions[id.index()].body);
                used.extend(inside);
            }
            for id in used.variables.clone() {
                let mut inside = Used::default();
                walk::expr(&model.variables[id.index()].init, &mut |e| inside.expr(e));
                used.extend(inside);
            }
            if used.functions.len() + used.variables.len() == before {
                break;
            }
        }
        for (at, clock) in model.clocks.iter().enumerate() {
            let mut raised = clock.alarms.iter().map(|a| a.event).chain(clock.rings);
            let is_read = clock.since.is_some_and(|since| used.variables.contains(&since));
            if is_read || raised.any(|event| used.events.contains(&event)) {
                used.clocks.insert(ClockId::from_index(at));
            }
        }
        used
    }

    /// Everything.
    pub fn all(model: &Model) -> Used {
        Used {
            events: (0..model.events.len()).map(EventId::from_index).collect(),
            functions: (0..model.functions.len()).map(FunctionId::from_index).collect(),
            variables: (0..model.variables.len()).map(VarId::from_index).collect(),
            clocks: (0..model.clocks.len()).map(ClockId::from_index).collect(),
        }
    }

    /// Whether an event or channel is.
    pub fn event(&self, at: usize) -> bool {
        self.events.contains(&EventId::from_index(at))
    }

    /// Whether a function is.
    pub fn function(&self, at: usize) -> bool {
        self.functions.contains(&FunctionId::from_index(at))
    }

    /// Whether a variable is.
    pub fn variable(&self, id: VarId) -> bool {
        self.variables.contains(&id)
    }

    /// Whether a clock is.
    pub fn clock(&self, id: ClockId) -> bool {
        self.clocks.contains(&id)
    }

    fn extend(&mut self, other: Used) {
        self.events.extend(other.events);
        self.functions.extend(other.functions);
        self.variables.extend(other.variables);
        self.clocks.extend(other.clocks);
    }

    fn property(&mut self, property: &Property) {
        let (mut statements, mut expressions) = (Used::default(), Used::default());
        walk::property(property, &mut |s| statements.statement(s), &mut |e| expressions.expr(e));
        self.extend(statements);
        self.extend(expressions);
        self.events.extend(property.alphabet.iter().map(|o| o.event));
        let of_windows = property.windows.iter().map(|w| &w.label);
        for label in property.transitions.iter().flat_map(|t| &t.labels).chain(of_windows) {
            self.events.extend(label.event);
            for pattern in &label.args {
                match pattern {
                    Pattern::Bind(place) | Pattern::Equal(place) | Pattern::Differs(place) => {
                        self.place(*place);
                    }
                    Pattern::Any | Pattern::Const(_) | Pattern::NotConst(_) => {}
                }
            }
        }
    }

    fn block(&mut self, body: &[Stmt]) {
        let mut expressions = Used::default();
        walk::stmts(body, &mut |s| self.statement(s), &mut |e| expressions.expr(e));
        self.extend(expressions);
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assign(place, _) => self.place(*place),
            Stmt::Send(event, _) => {
                self.events.insert(*event);
            }
            Stmt::ResetClock(clock) | Stmt::SetClock(clock, _) | Stmt::StopClock(clock) => {
                self.clocks.insert(*clock);
            }
            _ => {}
        }
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Read(place) => self.place(*place),
            Expr::Call(function, _) => {
                self.functions.insert(*function);
            }
            Expr::Block(body) => self.block(body),
            _ => {}
        }
    }

    fn place(&mut self, place: Place) {
        if let Place::Var(var) = place {
            self.variables.insert(var);
        }
    }
}
