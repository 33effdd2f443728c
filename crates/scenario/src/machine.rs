//! A scenario at work.

use std::collections::BTreeMap;
use std::sync::Arc;

use watchword_model::{Span, StateKind, Value};

use crate::eval::{Failure, World, eval, truth};
use crate::tree::{Action, ActionKind, Deed, Given, Moment, Point, Reaction, Scenario, States};

/// A slice of a monitor went from one state to another, or from a state to itself. A slice that
/// was created by the event left the state of the slice it came from.
#[derive(Clone, Copy, Debug)]
pub struct Move<'a> {
    /// The property.
    pub property: &'a str,
    /// The state it left.
    pub left: &'a str,
    /// Whether that state is accepting; see [`accepting`].
    pub left_accepting: bool,
    /// The state it entered.
    pub entered: &'a str,
    /// Whether that state is accepting.
    pub entered_accepting: bool,
    /// The slice: its parameters that are bound.
    pub binding: &'a [(Arc<str>, Value)],
}

/// Whether scenarios call a state accepting: every state but those that are violations.
pub fn accepting(kind: StateKind) -> bool {
    kind != StateKind::Bad
}

/// What a watchpoint waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchMode {
    /// Writes: `watch`.
    Write,
    /// Reads: `rwatch`.
    Read,
    /// Both: `awatch`.
    Access,
}

/// Who carries out what a scenario wants. What a host cannot do it answers with the reason; the
/// reaction ends there and [`Host::failed`] is told.
pub trait Host {
    /// Prints a line for the person.
    fn print(&mut self, text: &str);

    /// Prints the call stack of the thread that moved, at most so many frames.
    ///
    /// # Errors
    /// Why not.
    fn backtrace(&mut self, limit: Option<u64>) -> Result<(), String> {
        let _ = limit;
        unable("print a backtrace")
    }

    /// Saves program and monitors; the number of the checkpoint.
    ///
    /// # Errors
    /// Why not.
    fn checkpoint(&mut self, label: Option<&str>) -> Result<i64, String> {
        let _ = label;
        unable("make a checkpoint")
    }

    /// Goes back to a checkpoint, or to the last one.
    ///
    /// # Errors
    /// Why not.
    fn restore(&mut self, number: Option<i64>) -> Result<(), String> {
        let _ = number;
        unable("restore a checkpoint")
    }

    /// Sets a breakpoint; its number. A hit is to be told by [`Machine::reached`].
    ///
    /// # Errors
    /// Why not.
    fn set_break(&mut self, location: &str, once: bool) -> Result<i64, String> {
        let _ = (location, once);
        unable("set a breakpoint")
    }

    /// Sets a watchpoint; its number. A hit is to be told by [`Machine::reached`].
    ///
    /// # Errors
    /// Why not.
    fn set_watch(&mut self, expression: &str, mode: WatchMode) -> Result<i64, String> {
        let _ = (expression, mode);
        unable("set a watchpoint")
    }

    /// Removes a break- or watchpoint.
    ///
    /// # Errors
    /// Why not.
    fn remove(&mut self, number: i64) -> Result<(), String> {
        let _ = number;
        unable("remove a breakpoint")
    }

    /// Calls a function of the program: `f(1, x)`.
    ///
    /// # Errors
    /// Why not.
    fn call(&mut self, expression: &str) -> Result<Value, String> {
        let _ = expression;
        unable("call a function")
    }

    /// The value of an expression over the program.
    ///
    /// # Errors
    /// Why there is none.
    fn value(&mut self, expression: &str) -> Result<Value, String> {
        let _ = expression;
        unable("read a value")
    }

    /// Writes a variable of the program.
    ///
    /// # Errors
    /// Why not.
    fn assign(&mut self, place: &str, value: &Value) -> Result<(), String> {
        let _ = (place, value);
        unable("write a variable")
    }

    /// Runs a command of the debugger, as if the person had typed it.
    ///
    /// # Errors
    /// Why not.
    fn command(&mut self, line: &str) -> Result<(), String> {
        let _ = line;
        unable("run a command")
    }

    /// A reaction could not go on; the span is in the scenario's file.
    fn failed(&mut self, span: Span, message: &str) {
        let _ = span;
        self.print(&format!("scenario: {message}"));
    }
}

fn unable<T>(what: &str) -> Result<T, String> {
    Err(format!("this host cannot {what}"))
}

/// How the program goes on.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Flow {
    /// The scenario did not say.
    #[default]
    Unsaid,
    /// It goes on.
    Continue,
    /// It stops for the person, with a remark.
    Stop(Option<String>),
    /// The session ends.
    Quit,
}

/// What came of reacting.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Outcome {
    /// How the program goes on: the last that was said.
    pub flow: Flow,
    /// Whether a checkpoint was restored: what is known of the program is out of date.
    pub restored: bool,
}

/// More actions than this at one event are an endless loop.
const MAX_ACTIONS: u32 = 1_000_000;

/// A scenario with its memory. The memory is not part of checkpoints: a scenario remembers what it
/// has seen in runs that were undone.
#[derive(Clone, Debug)]
pub struct Machine {
    scenario: Arc<Scenario>,
    memory: BTreeMap<String, Value>,
    points: BTreeMap<i64, PointSet>,
    /// The file it was read from: failures name their line.
    file: Option<Arc<watchword_spec::SourceFile>>,
}

/// A break- or watchpoint the scenario has set, and in which situation.
#[derive(Clone, Debug)]
struct PointSet {
    body: Option<Arc<Vec<Action>>>,
    once: bool,
    situation: Situation,
}

/// What a reaction is about.
#[derive(Clone, Debug)]
struct Situation {
    property: String,
    left: String,
    entered: String,
    binding: Vec<(Arc<str>, Value)>,
}

impl Situation {
    fn of(step: &Move<'_>) -> Situation {
        Situation {
            property: step.property.to_string(),
            left: step.left.to_string(),
            entered: step.entered.to_string(),
            binding: step.binding.to_vec(),
        }
    }

    fn slice(&self) -> String {
        let parts: Vec<String> =
            self.binding.iter().map(|(name, value)| format!("{name}={value}")).collect();
        parts.join(", ")
    }
}

/// Why actions ended early.
enum Ended {
    Quit,
    Failed(Failure),
}

impl Machine {
    /// A scenario at its beginning.
    pub fn new(scenario: Scenario) -> Machine {
        let memory = scenario.variables.iter().cloned().collect();
        Machine { scenario: Arc::new(scenario), memory, points: BTreeMap::new(), file: None }
    }

    /// The same, read from this file: what fails names its line.
    pub fn with_file(mut self, file: watchword_spec::SourceFile) -> Machine {
        self.file = Some(Arc::new(file));
        self
    }

    /// The scenario's variables, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.memory.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Gives one of its variables another value; whether there is such a variable.
    pub fn set_variable(&mut self, name: &str, value: Value) -> bool {
        match self.memory.get_mut(name) {
            Some(place) => {
                *place = value;
                true
            }
            None => false,
        }
    }

    /// Whether a break- or watchpoint of this number was set by the scenario.
    pub fn owns(&self, number: i64) -> bool {
        self.points.contains_key(&number)
    }

    /// Reacts to what one event moved: every reaction in the order it was written, and for each the
    /// moves in the order given. Once a checkpoint was restored the other moves have not happened,
    /// so nothing reacts to them any more.
    pub fn react(&mut self, moves: &[Move<'_>], host: &mut dyn Host) -> Outcome {
        let scenario = self.scenario.clone();
        let mut outcome = Outcome::default();
        let mut budget = MAX_ACTIONS;
        for reaction in &scenario.reactions {
            for step in moves.iter().filter(|step| concerns(reaction, step)) {
                let mut run = Run {
                    machine: self,
                    host,
                    situation: Situation::of(step),
                    outcome: &mut outcome,
                    budget: &mut budget,
                };
                let ended = run.actions(&reaction.body);
                if !run.report(ended) || outcome.restored {
                    return outcome;
                }
            }
        }
        outcome
    }

    /// A break- or watchpoint of the scenario was reached. One that was set without `do` stops the
    /// program for the person.
    pub fn reached(&mut self, number: i64, host: &mut dyn Host) -> Outcome {
        let mut outcome = Outcome::default();
        let Some(point) = self.points.get(&number).cloned() else { return outcome };
        if point.once {
            self.points.remove(&number);
        }
        let Some(body) = point.body else {
            outcome.flow = Flow::Stop(None);
            return outcome;
        };
        let mut budget = MAX_ACTIONS;
        let mut run = Run {
            machine: self,
            host,
            situation: point.situation,
            outcome: &mut outcome,
            budget: &mut budget,
        };
        let ended = run.actions(&body);
        run.report(ended);
        if outcome.flow == Flow::Unsaid {
            outcome.flow = Flow::Continue;
        }
        outcome
    }
}

fn concerns(reaction: &Reaction, step: &Move<'_>) -> bool {
    if reaction.property.as_ref().is_some_and(|p| p.text != step.property) {
        return false;
    }
    let (state, accepting) = match reaction.moment {
        Moment::Entering => (step.entered, step.entered_accepting),
        Moment::Leaving => (step.left, step.left_accepting),
    };
    match &reaction.states {
        States::Named(name) => name.text == state,
        States::Accepting => accepting,
        States::NonAccepting => !accepting,
        States::Any => true,
    }
}

struct Run<'r> {
    machine: &'r mut Machine,
    host: &'r mut dyn Host,
    situation: Situation,
    outcome: &'r mut Outcome,
    budget: &'r mut u32,
}

impl World for Run<'_> {
    fn name(&mut self, name: &str) -> Option<Value> {
        if let Some(value) = self.machine.memory.get(name) {
            return Some(value.clone());
        }
        match name {
            "property" => return Some(Value::str(&self.situation.property)),
            "left" => return Some(Value::str(&self.situation.left)),
            "entered" => return Some(Value::str(&self.situation.entered)),
            "slice" => return Some(Value::str(&self.situation.slice())),
            _ => {}
        }
        let bound = self.situation.binding.iter().find(|(param, _)| &**param == name);
        bound.map(|(_, value)| value.clone())
    }

    fn program(&mut self, expression: &str) -> Result<Value, String> {
        self.host.value(expression)
    }
}

impl Run<'_> {
    /// Tells of a failure; whether other reactions may run.
    fn report(&mut self, ended: Result<(), Ended>) -> bool {
        match ended {
            Ok(()) => true,
            Err(Ended::Quit) => false,
            Err(Ended::Failed(Failure { span, message })) => {
                let message = match &self.machine.file {
                    Some(file) => {
                        let at = file.position(span.start);
                        format!("{}:{}:{}: {message}", file.name, at.line, at.column)
                    }
                    None => message,
                };
                self.host.failed(span, &message);
                *self.budget > 0
            }
        }
    }

    fn actions(&mut self, actions: &[Action]) -> Result<(), Ended> {
        for action in actions {
            *self.budget = self.budget.saturating_sub(1);
            if *self.budget == 0 {
                let message = format!("more than {MAX_ACTIONS} actions at one event");
                return Err(Ended::Failed(Failure { span: action.span, message }));
            }
            self.action(action)?;
        }
        Ok(())
    }

    fn action(&mut self, action: &Action) -> Result<(), Ended> {
        let span = action.span;
        match &action.kind {
            ActionKind::Assign(name, value) => {
                let value = match value {
                    Given::Expr(expr) => self.eval(expr)?,
                    Given::Deed(deed) => self.deed(deed, span)?,
                };
                self.machine.memory.insert(name.text.clone(), value);
            }
            ActionKind::If(condition, then, otherwise) => {
                let holds = truth(condition, self).map_err(Ended::Failed)?;
                self.actions(if holds { then } else { otherwise })?;
            }
            ActionKind::While(condition, body) => {
                while truth(condition, self).map_err(Ended::Failed)? {
                    self.actions(body)?;
                }
            }
            ActionKind::For(name, list, body) => {
                let items = match self.eval(list)? {
                    Value::List(items) => items,
                    other => {
                        let message = format!("`{other}` is not a list");
                        return Err(Ended::Failed(Failure { span: list.span, message }));
                    }
                };
                for item in items.iter() {
                    self.machine.memory.insert(name.text.clone(), item.clone());
                    self.actions(body)?;
                }
            }
            ActionKind::Stop(message) => {
                let message = match message {
                    Some(expr) => Some(self.eval(expr)?.to_string()),
                    None => None,
                };
                self.outcome.flow = Flow::Stop(message);
            }
            ActionKind::Print(values) => {
                let mut parts = Vec::new();
                for value in values {
                    parts.push(self.eval(value)?.to_string());
                }
                self.host.print(&parts.join(" "));
            }
            ActionKind::Backtrace(limit) => {
                let limit = match self.optional_int(limit.as_ref())? {
                    Some(n) => Some(
                        u64::try_from(n)
                            .map_err(|_| failed(span, format!("{n} is not a number of frames")))?,
                    ),
                    None => None,
                };
                self.host.backtrace(limit).map_err(|why| failed(span, why))?;
            }
            ActionKind::Restore(number) => {
                let number = self.optional_int(number.as_ref())?;
                self.host.restore(number).map_err(|why| failed(span, why))?;
                self.outcome.restored = true;
            }
            ActionKind::Delete(number) => match self.optional_int(number.as_ref())? {
                Some(number) => {
                    self.host.remove(number).map_err(|why| failed(span, why))?;
                    self.machine.points.remove(&number);
                }
                None => {
                    for number in self.machine.points.keys().copied().collect::<Vec<_>>() {
                        self.host.remove(number).map_err(|why| failed(span, why))?;
                        self.machine.points.remove(&number);
                    }
                }
            },
            ActionKind::Set(place, value) => {
                let place = self.text(place)?;
                let value = self.eval(value)?;
                self.host.assign(&place, &value).map_err(|why| failed(span, why))?;
            }
            ActionKind::Command(line) => {
                let line = self.text(line)?;
                self.host.command(&line).map_err(|why| failed(span, why))?;
            }
            ActionKind::Continue => self.outcome.flow = Flow::Continue,
            ActionKind::Quit => {
                self.outcome.flow = Flow::Quit;
                return Err(Ended::Quit);
            }
            ActionKind::Do(deed) => {
                self.deed(deed, span)?;
            }
        }
        Ok(())
    }

    fn deed(&mut self, deed: &Deed, span: Span) -> Result<Value, Ended> {
        match deed {
            Deed::Checkpoint(label) => {
                let label = match label {
                    Some(expr) => Some(self.eval(expr)?.to_string()),
                    None => None,
                };
                let number = self.host.checkpoint(label.as_deref());
                number.map(Value::Int).map_err(|why| failed(span, why))
            }
            Deed::Call(expr) => {
                let expression = self.text(expr)?;
                self.host.call(&expression).map_err(|why| failed(span, why))
            }
            Deed::Point(point, place, body) => {
                let place = self.text(place)?;
                let number = match point {
                    Point::Break => self.host.set_break(&place, false),
                    Point::BreakOnce => self.host.set_break(&place, true),
                    Point::Watch => self.host.set_watch(&place, WatchMode::Write),
                    Point::ReadWatch => self.host.set_watch(&place, WatchMode::Read),
                    Point::AccessWatch => self.host.set_watch(&place, WatchMode::Access),
                }
                .map_err(|why| failed(span, why))?;
                let set = PointSet {
                    body: body.clone(),
                    once: *point == Point::BreakOnce,
                    situation: self.situation.clone(),
                };
                self.machine.points.insert(number, set);
                Ok(Value::Int(number))
            }
        }
    }

    fn eval(&mut self, expr: &crate::tree::Expr) -> Result<Value, Ended> {
        eval(expr, self).map_err(Ended::Failed)
    }

    fn text(&mut self, expr: &crate::tree::Expr) -> Result<String, Ended> {
        match self.eval(expr)? {
            Value::Str(text) => Ok(text.to_string()),
            other => Err(failed(expr.span, format!("`{other}` is not a text"))),
        }
    }

    fn optional_int(&mut self, expr: Option<&crate::tree::Expr>) -> Result<Option<i64>, Ended> {
        let Some(expr) = expr else { return Ok(None) };
        match self.eval(expr)? {
            Value::Int(i) => Ok(Some(i)),
            other => Err(failed(expr.span, format!("`{other}` is not an integer"))),
        }
    }
}

fn failed(span: Span, message: String) -> Ended {
    Ended::Failed(Failure { span, message })
}
