//! Events that stand for any call of a program, as TOPL has them: which method it was is an
//! argument.

use watchword_model::{EventDecl, ProgramEvent, Value};

use crate::text::show;

/// A call, or its return.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The method; the first of its names, the one by the static type.
    pub method: &'a str,
    /// The arguments of the call, receiver first; empty if they are not known.
    pub args: &'a [Value],
    /// What it has returned, if it has.
    pub result: Option<&'a Value>,
    /// Whether the call itself is part of the event.
    pub called: bool,
}

impl<'a> Call<'a> {
    /// What an event of that declaration stands for, if it stands for any call.
    pub fn of(decl: &EventDecl, args: &'a [Value]) -> Option<Call<'a>> {
        let program = decl.program?;
        let method = match args.first()? {
            Value::Str(name) => name,
            Value::List(names) => match names.first()? {
                Value::Str(name) => name,
                _ => return None,
            },
            _ => return None,
        };
        let rest = args.get(decl.params.len()..).unwrap_or_default();
        Some(match program {
            ProgramEvent::Call => Call { method, args: rest, result: None, called: true },
            ProgramEvent::Return => {
                let known = if rest.iter().all(|a| matches!(a, Value::Null)) { &[] } else { rest };
                Call { method, args: known, result: args.get(1), called: false }
            }
            // The result comes last.
            ProgramEvent::Done => {
                let (result, rest) = match rest.split_last() {
                    Some((result, rest)) => (Some(result), rest),
                    None => (None, rest),
                };
                Call { method, args: rest, result, called: true }
            }
            ProgramEvent::ArrayWrite => return None,
        })
    }

    /// `java.util.Iterator.next(Itr@2) = 5`.
    pub fn text(&self) -> String {
        let args: Vec<String> = self.args.iter().map(show).collect();
        let result = match self.result {
            Some(Value::Null) | None => String::new(),
            Some(result) => format!(" = {}", show(result)),
        };
        format!("{}({}){result}", self.method, args.join(", "))
    }
}
