//! Windows: every event that ever entered one is kept, and those that still count are counted anew
//! whenever somebody asks.

use watchword_model::{
    Aggregate, Context, Event, ExactSum, Key, Property, Time, Value, Window, WindowId,
};

use super::eval::{Eval, Failure, Scope};
use super::label::{self, Offer};
use super::world::World;

/// What entered a window, and when; the value of a window that only counts is null.
pub type Entries = Vec<(Time, Value)>;

/// Lets an event enter the windows whose labels it matches.
///
/// # Errors
/// If the value of the event is not known, or is no number where numbers are needed.
pub fn enter(
    scope: &Scope<'_>,
    contexts: &[&Context],
    property: &Property,
    windows: &mut [Entries],
    event: &Event,
    world: &mut World,
) -> Eval<()> {
    for (window, entries) in property.windows.iter().zip(windows) {
        let mut bound = match label::offer(scope, contexts, &window.label, event) {
            Offer::NoMatch | Offer::GuardFalse(_) => continue,
            Offer::NotRelevant => {
                world.not_relevant += 1;
                continue;
            }
            Offer::Limit => return Err(Failure::Limit),
            Offer::Match(bound) => bound,
        };
        let value = match &window.of {
            None => Value::Null,
            Some(of) => bound.eval(of)?,
        };
        if window.aggregate.wants_numbers() && !ExactSum::default().add(&value) {
            return Err(Failure::NotRelevant);
        }
        entries.push((world.now, value));
    }
    Ok(())
}

/// What the windows of a property come to now.
pub fn values(property: &Property, windows: &[Entries], now: Time) -> Vec<Eval<Value>> {
    property.windows.iter().zip(windows).map(|(w, entries)| value(w, entries, now)).collect()
}

/// What a window comes to now.
fn value(window: &Window, entries: &Entries, now: Time) -> Eval<Value> {
    let is_in = |at: Time| i128::from(now) - i128::from(at) <= i128::from(window.within);
    let inside: Vec<&Value> =
        entries.iter().filter(|(at, _)| is_in(*at)).map(|(_, value)| value).collect();
    let mut sum = ExactSum::default();
    match window.aggregate {
        Aggregate::Count => Ok(Value::Int(inside.len() as i64)),
        Aggregate::Distinct => {
            let keys: Vec<Option<Key>> = inside.iter().map(|value| value.key()).collect();
            let is_new = |i: &usize| keys[*i].is_none() || !keys[..*i].contains(&keys[*i]);
            Ok(Value::Int((0..keys.len()).filter(is_new).count() as i64))
        }
        Aggregate::Sum | Aggregate::Avg => {
            inside.iter().for_each(|value| {
                sum.add(value);
            });
            if window.aggregate == Aggregate::Sum {
                return Ok(sum.value());
            }
            match inside.len() {
                0 => Err(Failure::NotRelevant),
                n => Ok(Value::Float(sum.float() / n as f64)),
            }
        }
        Aggregate::Min | Aggregate::Max => {
            let mut best = *inside.first().ok_or(Failure::NotRelevant)?;
            for value in inside {
                let order = value.order(best);
                let is_better = match window.aggregate {
                    Aggregate::Min => order.is_some_and(std::cmp::Ordering::is_lt),
                    _ => order.is_some_and(std::cmp::Ordering::is_gt),
                };
                if is_better {
                    best = value;
                }
            }
            Ok(best.clone())
        }
    }
}

impl Scope<'_> {
    /// What a window comes to.
    pub fn window(&self, window: WindowId) -> Eval<Value> {
        self.windows.get(window.index()).cloned().unwrap_or(Err(Failure::NotRelevant))
    }
}
