//! Objects that a property receives as the value inside: strings and boxes.
//!
//! A `String` is an object, compared by identity. But a property that names a text means every
//! string with that content: such a string is handed to it as the text it is. A property that
//! compares boxes by value receives every string and every boxed value so.

use std::sync::Arc;

use watchword_model::{
    BinaryOp, Boxes, Branch, Builtin, Creation, EventId, Expr, Model, Pattern, Place, Property,
    Stmt, Value,
};

/// The strings that a property takes for texts, and whether it takes boxes for what is in them.
#[derive(Debug)]
pub enum Texts {
    /// All, and all boxes.
    AndBoxes,
    /// Those with one of these contents.
    These(Vec<Arc<str>>),
    /// All: it asks which of two comes first.
    All,
}

/// Types of variables that can hold a string.
const STRINGS: [&str; 7] = [
    "Ljava/lang/String;",
    "Ljava/lang/Object;",
    "Ljava/lang/CharSequence;",
    "Ljava/lang/Comparable;",
    "Ljava/io/Serializable;",
    "Ljava/lang/constant/Constable;",
    "Ljava/lang/constant/ConstantDesc;",
];

/// The classes of boxes, and the type of variables that can hold some of them but no string.
const BOXES: [&str; 9] = [
    "Ljava/lang/Boolean;",
    "Ljava/lang/Byte;",
    "Ljava/lang/Character;",
    "Ljava/lang/Double;",
    "Ljava/lang/Float;",
    "Ljava/lang/Integer;",
    "Ljava/lang/Long;",
    "Ljava/lang/Short;",
    "Ljava/lang/Number;",
];

impl Texts {
    /// What a property with registers compares values with; `None` if with no text.
    pub fn of(model: &Model, property: &Property) -> Option<Arc<Texts>> {
        if !matches!(model.contexts[property.context.index()].rule, Creation::Registers) {
            return None;
        }
        if property.boxes == Boxes::ByValue {
            return Some(Arc::new(Texts::AndBoxes));
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

    /// Whether a variable of that type may hold one of them, or a box that is taken for its value.
    pub fn may_be_in(&self, descriptor: &str) -> bool {
        let boxes = matches!(self, Texts::AndBoxes);
        STRINGS.contains(&descriptor) || boxes && BOXES.contains(&descriptor)
    }

    /// Whether a string with that content is one of them.
    pub fn has(&self, content: &str) -> bool {
        match self {
            Texts::These(texts) => texts.iter().any(|text| &**text == content),
            Texts::All | Texts::AndBoxes => true,
        }
    }
}

/// Whether a variable of that type holds a string or null.
pub fn is_string(descriptor: &str) -> bool {
    descriptor == STRINGS[0]
}

/// Whether objects of a class, by its name with dots, are strings or boxes.
pub fn is_value_class(name: &str) -> bool {
    let Some(simple) = name.strip_prefix("java.lang.") else { return false };
    let of = |descriptor: &str| descriptor["Ljava/lang/".len()..].trim_end_matches(';') == simple;
    simple == "String" || simple != "Number" && BOXES.into_iter().any(of)
}

#[cfg(test)]
mod tests {
    use super::is_value_class;

    #[test]
    fn strings_and_boxes_are_values_and_numbers_are_not() {
        for name in ["java.lang.String", "java.lang.Integer", "java.lang.Boolean"] {
            assert!(is_value_class(name), "{name}");
        }
        for name in ["java.lang.Number", "java.lang.Object", "Integer", "app.java.lang.Integer"] {
            assert!(!is_value_class(name), "{name}");
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
