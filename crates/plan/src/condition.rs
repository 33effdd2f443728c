//! Conditions on the arguments of an event that a host can decide where the event happens.
//!
//! They have a value for all arguments: what is not relevant, or may hit a limit, is left to an
//! evaluator. Arguments are compared with null and truth values; texts, which name classes, also by
//! their beginning, end or shape.

use watchword_model::{BinaryOp, Builtin, Expr, Glob, Label, Pattern, Place, Type, UnaryOp, Value};

/// Whether arguments of an event are as a label wants them.
#[derive(Clone, Debug)]
pub enum Condition {
    /// An argument is the same as a constant.
    Is(u32, Value),
    /// A text is like another one.
    Like(u32, Likeness, String),
    /// It does not hold.
    Not(Box<Condition>),
    /// All hold.
    All(Vec<Condition>),
    /// One of them holds.
    Any(Vec<Condition>),
}

/// In which way a text is like another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// It begins like it.
    Start,
    /// It ends like it.
    End,
    /// It matches it, a glob.
    Glob,
    /// It has it inside.
    Part,
}

const OTHER: &str = "it compares values other than truth values, null and names of classes";

impl Condition {
    /// What a label asks of arguments of an event with parameters of these types; `placed` are those
    /// that are the objects of the instance. `None` if it asks nothing.
    ///
    /// # Errors
    /// Why that cannot be decided where the event happens, for people.
    pub(crate) fn of_label(
        label: &Label,
        types: &[Type],
        placed: &[u32],
    ) -> Result<Option<Condition>, &'static str> {
        let reader = Reader { label, types, placed };
        let mut all = Vec::new();
        for (arg, pattern) in (0..).zip(&label.args) {
            match pattern {
                Pattern::Any | Pattern::Bind(Place::Local(_)) => {}
                Pattern::Equal(Place::Param(_)) if placed.contains(&arg) => {}
                Pattern::Const(value) => all.push(reader.is(arg, value)?),
                Pattern::NotConst(value) => {
                    all.push(Condition::Not(Box::new(reader.is(arg, value)?)));
                }
                _ => return Err(OTHER),
            }
        }
        if let Some(guard) = &label.guard {
            all.push(reader.truth(guard, &[])?);
        }
        Ok(match all.len() {
            0 => None,
            1 => all.pop(),
            _ => Some(Condition::All(all)),
        })
    }

    /// Whether it holds for arguments.
    pub fn holds(&self, arg: &impl Fn(u32) -> Value) -> bool {
        match self {
            Condition::Is(at, value) => arg(*at).same(value),
            Condition::Like(at, likeness, text) => match arg(*at) {
                Value::Str(found) => likeness.holds(&found, text),
                _ => false,
            },
            Condition::Not(inner) => !inner.holds(arg),
            Condition::All(all) => all.iter().all(|one| one.holds(arg)),
            Condition::Any(all) => all.iter().any(|one| one.holds(arg)),
        }
    }

    /// The arguments it looks at, with repetitions.
    pub fn args(&self) -> Vec<u32> {
        match self {
            Condition::Is(at, _) | Condition::Like(at, ..) => vec![*at],
            Condition::Not(inner) => inner.args(),
            Condition::All(all) | Condition::Any(all) => {
                all.iter().flat_map(Condition::args).collect()
            }
        }
    }

    /// Values between which it tells arguments apart, by argument.
    pub(crate) fn constants(&self, see: &mut impl FnMut(u32, &Value)) {
        match self {
            Condition::Is(at, value) => see(*at, value),
            Condition::Like(..) => {}
            Condition::Not(inner) => inner.constants(see),
            Condition::All(all) | Condition::Any(all) => {
                all.iter().for_each(|one| one.constants(see));
            }
        }
    }

    /// Whether it depends on more than which constants arguments are.
    pub(crate) fn is_about_texts(&self) -> bool {
        match self {
            Condition::Is(_, value) => matches!(value, Value::Str(_)),
            Condition::Like(..) => true,
            Condition::Not(inner) => inner.is_about_texts(),
            Condition::All(all) | Condition::Any(all) => all.iter().any(Condition::is_about_texts),
        }
    }

    /// The arguments that are not null where it holds, or where it does not.
    fn set_if(&self, holds: bool) -> Vec<u32> {
        match (self, holds) {
            (Condition::Is(at, Value::Null), false) => vec![*at],
            (Condition::Is(at, Value::Bool(_) | Value::Str(_)), true) => vec![*at],
            (Condition::Like(at, ..), true) => vec![*at],
            (Condition::Not(inner), _) => inner.set_if(!holds),
            (Condition::All(all), true) | (Condition::Any(all), false) => {
                all.iter().flat_map(|one| one.set_if(holds)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Likeness {
    fn holds(self, found: &str, text: &str) -> bool {
        match self {
            Likeness::Start => found.starts_with(text),
            Likeness::End => found.ends_with(text),
            Likeness::Glob => Glob::new(text).matches(found),
            Likeness::Part => found.contains(text),
        }
    }
}

struct Reader<'l> {
    label: &'l Label,
    types: &'l [Type],
    placed: &'l [u32],
}

impl Reader<'_> {
    /// Whether an argument is a constant: of those that a host tells apart.
    fn is(&self, arg: u32, value: &Value) -> Result<Condition, &'static str> {
        let fits = match self.types.get(arg as usize) {
            Some(Type::Bool | Type::Any | Type::Ref) => {
                matches!(value, Value::Null | Value::Bool(_))
            }
            Some(Type::Str) => matches!(value, Value::Null | Value::Str(_)),
            _ => false,
        };
        match fits && !self.placed.contains(&arg) {
            true => Ok(Condition::Is(arg, value.clone())),
            false => Err(OTHER),
        }
    }

    /// The argument that an expression reads.
    fn arg(&self, expr: &Expr) -> Option<u32> {
        match expr {
            Expr::Read(Place::Arg(at)) => Some(*at),
            Expr::Read(Place::Local(local)) => {
                let bound = self.label.args.iter().position(
                    |pattern| matches!(pattern, Pattern::Bind(Place::Local(l)) if l == local),
                );
                bound.map(|at| at as u32)
            }
            _ => None,
        }
    }

    /// What a guard says; it has a value if the arguments in `set` are not null.
    fn truth(&self, expr: &Expr, set: &[u32]) -> Result<Condition, &'static str> {
        match expr {
            Expr::Unary(UnaryOp::Not, inner) => {
                Ok(Condition::Not(Box::new(self.truth(inner, set)?)))
            }
            Expr::And(a, b) => {
                let a = self.truth(a, set)?;
                let b = self.truth(b, &[set, &a.set_if(true)].concat())?;
                Ok(Condition::All(vec![a, b]))
            }
            Expr::Or(a, b) => {
                let a = self.truth(a, set)?;
                let b = self.truth(b, &[set, &a.set_if(false)].concat())?;
                Ok(Condition::Any(vec![a, b]))
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
                let (arg, value) = match (&**a, &**b) {
                    (Expr::Const(value), read) | (read, Expr::Const(value)) => {
                        (self.arg(read).ok_or(OTHER)?, value)
                    }
                    _ => return Err(OTHER),
                };
                let is = self.is(arg, value)?;
                Ok(if *op == BinaryOp::Eq { is } else { Condition::Not(Box::new(is)) })
            }
            Expr::Builtin(builtin, args) => {
                let [read, Expr::Const(Value::Str(text))] = &args[..] else { return Err(OTHER) };
                let likeness = match builtin {
                    Builtin::StartsWith => Likeness::Start,
                    Builtin::EndsWith => Likeness::End,
                    Builtin::Matches => Likeness::Glob,
                    Builtin::Contains => Likeness::Part,
                    _ => return Err(OTHER),
                };
                let arg = self.arg(read).ok_or(OTHER)?;
                if self.types.get(arg as usize) != Some(&Type::Str) {
                    return Err(OTHER);
                }
                if !set.contains(&arg) {
                    return Err("a guard has no value where a text is null");
                }
                Ok(Condition::Like(arg, likeness, text.to_string()))
            }
            _ => Err(OTHER),
        }
    }
}
