//! The whole of what was loaded.

use crate::{
    BinaryOp, Clock, ClockId, Context, ContextId, Creation, EventDecl, EventId, Expr, Function,
    JavaClass, Param, ParamId, Place, Property, PropertyId, Variable,
};

/// Events, contexts and properties: what `spec` produces and everything else consumes.
#[derive(Clone, Debug)]
pub struct Model {
    /// Declared events; the first is `end`.
    pub events: Vec<EventDecl>,
    /// Contexts; a parent comes before its children.
    pub contexts: Vec<Context>,
    /// Variables of the contexts.
    pub variables: Vec<Variable>,
    /// Clocks of the contexts.
    pub clocks: Vec<Clock>,
    /// Properties; those of one context are stepped in this order.
    pub properties: Vec<Property>,
    /// Functions that updates and guards call.
    pub functions: Vec<Function>,
    /// Java code that events call.
    pub java: Vec<JavaClass>,
}

impl Default for Model {
    fn default() -> Self {
        Model {
            events: vec![EventDecl::end()],
            contexts: Vec::new(),
            variables: Vec::new(),
            clocks: Vec::new(),
            properties: Vec::new(),
            functions: Vec::new(),
            java: Vec::new(),
        }
    }
}

impl Model {
    /// The event of that name.
    pub fn event(&self, name: &str) -> Option<EventId> {
        self.events.iter().position(|e| e.name == name).map(EventId::from_index)
    }

    /// The property of that name.
    pub fn property(&self, name: &str) -> Option<PropertyId> {
        self.properties.iter().position(|p| p.name == name).map(PropertyId::from_index)
    }

    /// The contexts from the outermost to this one.
    pub fn chain(&self, context: ContextId) -> Vec<ContextId> {
        let mut chain = vec![context];
        while let Some(parent) = self.contexts[chain[chain.len() - 1].index()].parent {
            chain.push(parent);
        }
        chain.reverse();
        chain
    }

    /// All parameters of a context, those of enclosing contexts first; [`ParamId`]s index it.
    pub fn params(&self, context: ContextId) -> Vec<(ParamId, &Param)> {
        self.chain(context)
            .into_iter()
            .flat_map(|c| &self.contexts[c.index()].params)
            .enumerate()
            .map(|(i, p)| (ParamId::from_index(i), p))
            .collect()
    }

    /// The clock that keeps the time of its start in that variable.
    pub fn clock_since(&self, place: Place) -> Option<ClockId> {
        let Place::Var(var) = place else { return None };
        self.clocks.iter().position(|c| c.since == Some(var)).map(ClockId::from_index)
    }

    /// The clock that an expression reads: the present time less the time of its start.
    pub fn clock_read(&self, e: &Expr) -> Option<ClockId> {
        let Expr::Binary(BinaryOp::Sub, now, since) = e else { return None };
        match (&**now, &**since) {
            (Expr::Read(Place::Now), Expr::Read(since)) => self.clock_since(*since),
            _ => None,
        }
    }

    /// Whether a property has a time limit, a clock or a window.
    pub fn measures_time(&self) -> bool {
        !self.clocks.is_empty() || self.properties.iter().any(Property::measures_time)
    }

    /// Whether a property is evaluated as a set of configurations with registers.
    pub fn has_registers(&self, property: &Property) -> bool {
        self.contexts[property.context.index()].rule == Creation::Registers
    }
}
