//! Methods that properties over calls name and that no watched class calls.
//!
//! Where events are at call sites, a method that only the JVM or a library calls (`main`, `run`, a
//! comparison) has no call and no return. A label that waits for it waits in vain, and somebody has
//! to say so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use watchword_model::{Builtin, Expr, Glob, Model, Place, ProgramEvent, PropertyId, Value};
use watchword_select::{Called, ClassFacts, Hierarchy, KnownTypes};

use crate::{CallEvents, Site};

/// The methods that labels name, and whether a call of them was seen.
#[derive(Debug, Default)]
pub struct Uncalled {
    wanted: Vec<Wanted>,
}

#[derive(Debug)]
struct Wanted {
    property: PropertyId,
    methods: Glob,
    called: AtomicBool,
}

impl Uncalled {
    /// What the labels of a model name. Nothing is missing where events are in the called methods.
    pub fn new(model: &Model, events: CallEvents) -> Uncalled {
        let mut wanted: Vec<Wanted> = Vec::new();
        let of_calls = |event: watchword_model::EventId| {
            let program = model.events[event.index()].program;
            matches!(program, Some(ProgramEvent::Call | ProgramEvent::Return | ProgramEvent::Done))
        };
        let properties = model.properties.iter().enumerate();
        for (index, property) in properties.filter(|_| events == CallEvents::Caller) {
            let property_id = PropertyId::from_index(index);
            let labels = property.transitions.iter().flat_map(|t| &t.labels);
            let labels = labels.filter(|label| label.event.is_some_and(of_calls));
            for methods in labels.filter_map(|label| named(label.guard.as_ref()?)) {
                let known = |w: &Wanted| w.property == property_id && w.methods.text() == methods;
                if !wanted.iter().any(known) {
                    wanted.push(Wanted {
                        property: property_id,
                        methods: Glob::new(methods),
                        called: AtomicBool::new(false),
                    });
                }
            }
        }
        Uncalled { wanted }
    }

    /// Notes the calls of a site.
    pub fn see(&self, site: &Site) {
        for wanted in self.wanted.iter().filter(|w| !w.called.load(Ordering::Relaxed)) {
            let mut emits = site.emits.iter().filter(|e| e.properties.contains(&wanted.property));
            let matches = |value: &Value| is_like(&wanted.methods, value);
            if emits.any(|e| matches!(e.args.first(), Some(crate::Arg::Const(v)) if matches(v))) {
                wanted.called.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The methods of these classes that a property names and that are never called there, each with
    /// its full name.
    pub fn of(
        &self,
        property: PropertyId,
        classes: &[Arc<ClassFacts>],
        hierarchy: &dyn Hierarchy,
    ) -> Vec<String> {
        let types = KnownTypes::open(hierarchy);
        let missing = |w: &&Wanted| w.property == property && !w.called.load(Ordering::Relaxed);
        let declared = |wanted: &Wanted| {
            classes.iter().find_map(|class| {
                class.methods.iter().find_map(|method| {
                    let called = Called::new(&class.name, &method.name, &method.descriptor, true)?;
                    let names = types.names_of(&called);
                    let named = names.iter().any(|name| wanted.methods.matches(name));
                    named.then(|| names.first().cloned()).flatten()
                })
            })
        };
        let mut found: Vec<String> =
            self.wanted.iter().filter(missing).filter_map(declared).collect();
        found.sort();
        found.dedup();
        found
    }
}

/// The methods that a condition asks for, as a pattern, if it asks for some.
fn named(condition: &Expr) -> Option<&str> {
    match condition {
        Expr::Builtin(Builtin::Matches, args) => match &args[..] {
            [Expr::Read(Place::Arg(0)), Expr::Const(Value::Str(glob))] => Some(glob),
            _ => None,
        },
        Expr::And(a, b) => named(a).or_else(|| named(b)),
        _ => None,
    }
}

fn is_like(methods: &Glob, names: &Value) -> bool {
    match names {
        Value::Str(name) => methods.matches(name),
        Value::List(names) => names.iter().any(|name| is_like(methods, name)),
        _ => false,
    }
}
