//! Texts that properties compare values with.
//!
//! A `String` is an object, compared by identity. But a property that names a text means every
//! string with that content: such a string is handed to it as the text it is.

use std::sync::Arc;

use watchword_model::{
    BinaryOp, Branch, Builtin, Creation, EventId, Expr, Model, Pattern, Place, Property, Stmt,
    Value,
};

/// The strings that a property takes for texts.
#[derive(Debug)]
pub enum Texts {
    /// Those with one of these contents.
    These(Vec<Arc<str>>),
    /// All: it asks which of two comes first.
    All,
}

impl Texts {
    /// What a property with registers compares values with; `None` if with no text.
    pub fn of(model: &Model, property: &Property) -> Option<Arc<Texts>> {
        if !matches!(model.contexts[property.context.index()].rule, Creation::Registers) {
            return None;
        }
        // What comes first in the events of calls are names of methods and types.
        let fixed = |id: EventId| model.events[id.index()].fixed;
        let most = property.alphabet.iter().map(|o| fixed(o.event)).max().unwrap_or(0);
        let mut found = Found::default();
        for transition in &property.transitions {
            for label in &transition.labels {
                found.fixed = label.event.map_or(most, fixed);
                for pattern in label.args.iter().skip(found.fixed) {
                    if let Pattern::Const(value) | Pattern::NotConst(value) = pattern {
                        found.constant(value);
                    }
                }
                label.guard.iter().for_each(|guard| found.expression(guard));
            }
            found.branch(&transition.then);
            transition.otherwise.iter().for_each(|branch| found.branch(branch));
        }
        match found {
            Found { ordered: true, .. } => Some(Arc::new(Texts::All)),
            Found { texts, .. } if texts.is_empty() => None,
            Found { texts, .. } => Some(Arc::new(Texts::These(texts))),
        }
    }

    /// Whether a string with that content is one of them.
    pub fn has(&self, content: &str) -> bool {
        match self {
            Texts::These(texts) => texts.iter().any(|text| &**text == content),
            Texts::All => true,
        }
    }
}

#[derive(Default)]
struct Found {
    texts: Vec<Arc<str>>,
    ordered: bool,
    fixed: usize,
}

impl Found {
    fn constant(&mut self, value: &Value) {
        if let Value::Str(text) = value
            && !self.texts.contains(text)
        {
            self.texts.push(text.clone());
        }
    }

    fn branch(&mut self, branch: &Branch) {
        self.statements(&branch.update);
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            match statement {
                Stmt::Assign(_, value) => self.expression(value),
                Stmt::If(condition, then, otherwise) => {
                    self.expression(condition);
                    self.statements(then);
                    self.statements(otherwise);
                }
                _ => {}
            }
        }
    }

    fn is_fixed(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Read(Place::Arg(at)) if (*at as usize) < self.fixed)
    }

    fn expression(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(value) => self.constant(value),
            Expr::Unary(_, a) => self.expression(a),
            Expr::Binary(_, a, b) if self.is_fixed(a) || self.is_fixed(b) => {}
            Expr::Binary(op, a, b) => {
                let before = self.texts.len();
                self.expression(a);
                self.expression(b);
                let orders =
                    matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
                self.ordered |= orders && self.texts.len() > before;
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.expression(a);
                self.expression(b);
            }
            Expr::If(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expression(e)),
            // Names of methods and types.
            Expr::Builtin(Builtin::Matches, _) => {}
            Expr::Builtin(_, args) | Expr::Call(_, args) | Expr::List(args) => {
                args.iter().for_each(|arg| self.expression(arg));
            }
            _ => {}
        }
    }
}
