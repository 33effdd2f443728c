//! Events of sites: from a hook to the monitors, and what they found to the outlet.

use std::sync::Arc;

use watchword_model::{Location, Object as Referred, Type, Value, ValueRef};
use watchword_monitor::{Cause, Found, Report, ReportKind};
use watchword_weave::is_jdk;
use watchword_wire::{self as wire, OnViolation, Record};

use super::identities::Identities;
use super::{Agent, thread_key};
use crate::homes::{Counted, Told};
use crate::monitor::{State, ThreadKey};
use crate::sites::{Asked, Fetch, Planned};
use crate::testing::Test;
use crate::vm::{Argument, Jni, Object};
use crate::{naming, reaction, stack, values};

/// How many values an event of a site has at most on the fast path.
const FAST_ARGS: usize = 16;

impl Agent {
    /// An event of a site.
    #[inline]
    pub fn event(&self, jni: Jni, site: usize, objects: &[Object], ids: &[i64], longs: &[i64]) {
        let thread = thread_key(jni);
        if self.monitor.is_inside(thread) {
            return;
        }
        let Some(planned) = self.sites.get(site) else { return };
        let by_identity = |at: &usize| {
            ids.get(*at).is_none_or(|id| *id == 0 || self.identities.equals.is_identity(*id as u64))
        };
        let news = if planned.plain && planned.equal.iter().all(by_identity) {
            self.monitor.enter(thread, |state| {
                for emit in &planned.emits {
                    let mut args = [ValueRef::Null; FAST_ARGS];
                    let only = emit.only.as_deref();
                    let count = emit.args.len();
                    if count <= FAST_ARGS {
                        for (arg, fetch) in args.iter_mut().zip(&emit.args) {
                            *arg = plain(fetch, ids, longs);
                        }
                        let args = &args[..count];
                        state.step(
                            thread,
                            emit.event,
                            args,
                            planned,
                            only,
                            &self.identities.class_numbers,
                        );
                    } else {
                        let args: Vec<ValueRef<'_>> =
                            emit.args.iter().map(|fetch| plain(fetch, ids, longs)).collect();
                        state.step(
                            thread,
                            emit.event,
                            &args,
                            planned,
                            only,
                            &self.identities.class_numbers,
                        );
                    }
                }
                self.after(jni, state, &planned.location)
            })
        } else {
            self.slow_event(jni, thread, site, planned, objects, ids, longs)
        };
        if let Some(Some(found)) = news {
            reaction::react(self, jni, thread, &found);
        }
    }

    /// An event that needs more than what the hook passed.
    #[cold]
    #[allow(clippy::too_many_arguments, reason = "what a hook passes")]
    fn slow_event(
        &self,
        jni: Jni,
        thread: ThreadKey,
        site: usize,
        planned: &Planned,
        objects: &[Object],
        ids: &[i64],
        longs: &[i64],
    ) -> Option<Option<Vec<Violated>>> {
        // What runs Java runs outside of the critical section: it may wait for other threads.
        let _order = planned.ordered.then(|| self.java.order.lock().ok());
        let given = values::Given { agent: self, jni, objects, ids, longs };
        let values: Vec<Vec<values::Fetched>> = self.muted(jni, thread, || {
            if !planned.tests.iter().all(|test| values::passes(&given, test)) {
                return None;
            }
            Some(
                planned
                    .emits
                    .iter()
                    .map(|e| e.args.iter().map(|f| values::fetch(&given, f)).collect())
                    .collect(),
            )
        })?;
        for asked in &planned.asked {
            self.ask(site, &given, asked);
            if jni.exception_pending() {
                return None;
            }
        }
        if planned.emits.is_empty() {
            return None;
        }
        self.monitor.enter(thread, |state| {
            for (emit, values) in planned.emits.iter().zip(&values) {
                let args: Vec<ValueRef<'_>> = values.iter().map(values::Fetched::as_ref).collect();
                let only = emit.only.as_deref();
                state.step(
                    thread,
                    emit.event,
                    &args,
                    planned,
                    only,
                    &self.identities.class_numbers,
                );
            }
            self.after(jni, state, &planned.location)
        })
    }

    /// Has the runtime step objects that it could not find itself.
    fn ask(&self, site: usize, given: &values::Given<'_>, asked: &Asked) {
        let Some(runtime) = self.runtime.get() else { return };
        let jni = given.jni;
        jni.framed(16, || {
            let object = |fetch: &Fetch| match fetch {
                Fetch::Id(at) => given.objects.get(*at).copied().unwrap_or(std::ptr::null_mut()),
                _ => std::ptr::null_mut(),
            };
            let [a, b] = &asked.objects;
            let fetched: Vec<(u32, Value)> = asked
                .values
                .iter()
                .map(|(at, fetch)| match values::fetch(given, fetch) {
                    values::Fetched::Value(value) => (*at, value),
                    values::Fetched::Id(0) => (*at, Value::Null),
                    values::Fetched::Id(id) => (*at, Value::Ref(Referred { id, class: None })),
                })
                .collect();
            let value = |at: u32| {
                let found = fetched.iter().find(|(known, _)| *known == at);
                found.map_or(Value::Null, |(_, value)| value.clone())
            };
            let case = self.homes.case(asked.letter, &value);
            let args = [
                Argument { int: site as i32 },
                Argument { int: asked.letter as i32 },
                Argument { object: object(a) },
                Argument { object: object(b) },
                Argument { int: case as i32 },
            ];
            jni.call_static_void(runtime.class, runtime.act, &args);
        });
    }

    /// A slice whose state is in the objects comes to be reported.
    pub fn told(&self, jni: Jni, site: usize, told: &Told) {
        let thread = thread_key(jni);
        if self.monitor.is_inside(thread) {
            return;
        }
        let Some(planned) = self.sites.get(site) else { return };
        let here = &planned.location;
        let key = (site, told.letter, told.case, told.code);
        let news = self.monitor.enter(thread, |state| {
            state.run.doubt(self.loading.doubted());
            // What is neither told again nor reacted to need not be put into words.
            let before = state.told_before.get(&key).copied();
            let before =
                before.filter(|_| matches!(self.settings.on_violation, OnViolation::Report));
            let again = |state: &mut State, expected: bool| {
                state.run.expect(expected);
                before.is_some_and(|(kind, property, entered)| {
                    state.run.add_again(kind, property, entered, here)
                })
            };
            if again(state, false) {
                return None;
            }
            let test = self.test(jni);
            if test.expected && again(state, true) {
                return None;
            }
            state.run.expect(test.expected);
            let mut report = self.homes.report(&self.model, told, here, &self.sites)?;
            state.told_before.insert(key, (report.kind, report.property, report.state));
            let number = state.thread(thread);
            let counts = self.homes.counts(jni);
            let own = counts.iter().find(|counted| counted.property == report.property);
            report.index = own.map_or(0, Counted::events).max(1);
            let extra = report.history.len().saturating_sub(self.settings.history);
            report.history.drain(..extra);
            if let Some(last) = report.history.last_mut() {
                (last.index, last.thread) = (report.index, Some(number));
            }
            let found = vec![state.run.add(report, here)];
            Some(self.tell_found(Some(jni), Some(here), found, &test))
        });
        if let Some(Some(found)) = news {
            reaction::react(self, jni, thread, &found);
        }
    }

    /// After the events of a site, still inside: what was found, and what died.
    #[inline]
    fn after(&self, jni: Jni, state: &mut State, here: &Arc<Location>) -> Option<Vec<Violated>> {
        let is_due = self.identities.deaths.is_due(state);
        self.show_many(state);
        let news = state.run.has_news().then(|| self.take_news(Some(jni), state, Some(here)));
        if is_due {
            self.bury(state);
        }
        news
    }

    /// Finds out what has died. What comes of that has no thread and no stack.
    #[cold]
    fn bury(&self, state: &mut State) {
        let Identities { deaths, class_numbers, .. } = &self.identities;
        deaths.bury(self.tools, state, class_numbers, |id| self.tells_death(id));
        if state.run.has_news() {
            self.take_news(None, state, None);
        }
    }

    /// Finds out at the end of the program what has died.
    pub(super) fn bury_at_the_end(&self, state: &mut State) {
        let Identities { deaths, class_numbers, .. } = &self.identities;
        deaths.finish(self.tools, state, class_numbers, |id| self.tells_death(id));
    }

    /// Whether there is an event of the death of an object. What happens to objects of the program outside of a
    /// scope is not seen; to those of the JDK it is, where a property asks for it.
    fn tells_death(&self, id: u64) -> bool {
        let is_of_jdk = |class: &str| is_jdk(class) && !class.contains("$Proxy");
        self.settings.scope.is_empty()
            || self.identities.class_numbers.name(id).is_some_and(|class| is_of_jdk(&class))
    }

    /// Takes and tells what came of events.
    #[cold]
    pub(super) fn take_news(
        &self,
        jni: Option<Jni>,
        state: &mut State,
        here: Option<&Arc<Location>>,
    ) -> Vec<Violated> {
        let test = jni.filter(|_| here.is_some()).map(|jni| self.test(jni)).unwrap_or_default();
        state.run.expect(test.expected);
        state.run.doubt(self.loading.doubted());
        let keep = |report: &mut Report| self.java.handle(self, jni, report);
        let found = state.run.collect_if(|_| here.cloned(), keep);
        for text in state.run.take_printed() {
            let text = naming::named_text(&text, &self.identities.class_numbers);
            self.outlet.tell(&Record::Printed(text));
        }
        self.tell_found(jni, here, found, &test)
    }

    /// The test that this thread is in, if the program runs any.
    fn test(&self, jni: Jni) -> Test {
        if !self.loading.has_tests() {
            return Test::default();
        }
        Test::of(&stack::names(self.tools, jni))
    }

    /// Tells what is to be listed; answers all violations.
    fn tell_found(
        &self,
        jni: Option<Jni>,
        here: Option<&Arc<Location>>,
        found: Vec<Found>,
        test: &Test,
    ) -> Vec<Violated> {
        let mut violated = Vec::new();
        for Found { report, listed, certain } in found {
            let here = here.filter(|_| report.cause == Cause::Event);
            let report = naming::readable(report, &self.identities.class_numbers);
            if report.kind == ReportKind::Violation {
                violated.push(Violated::new(self, &report));
            }
            if listed.number.is_some() {
                let (thread, stack) = match (jni, here) {
                    (Some(jni), Some(_)) => self.thread_and_stack(jni),
                    _ => (None, Vec::new()),
                };
                let location = listed.location;
                let test = if here.is_some() { test.clone() } else { Test::default() };
                let Test { name: test, expected } = test;
                let found =
                    wire::Found { report, location, thread, stack, certain, test, expected };
                self.outlet.tell(&Record::Found(Box::new(found)));
            }
        }
        violated
    }

    /// The name of this thread, and its stack.
    fn thread_and_stack(&self, jni: Jni) -> (Option<String>, Vec<Location>) {
        let (mut thread, mut frames) = (None, Vec::new());
        jni.framed(64, || {
            thread = self.tools.thread_name(jni, std::ptr::null_mut()).ok();
            frames = stack::frames(self.tools, jni, self.settings.stack);
        });
        (thread, frames)
    }
}

/// A violation a reaction may be for.
pub struct Violated {
    /// The property.
    pub property: String,
    /// What to tell a person.
    pub message: String,
}

impl Violated {
    fn new(agent: &Agent, report: &Report) -> Violated {
        Violated {
            property: agent.model.properties[report.property.index()].name.clone(),
            message: report.message.clone(),
        }
    }
}

/// An argument that is at hand.
#[inline]
fn plain<'a>(fetch: &'a Fetch, ids: &[i64], longs: &[i64]) -> ValueRef<'a> {
    let long = |at: &usize| longs.get(*at).copied().unwrap_or(0);
    match fetch {
        Fetch::Id(at) | Fetch::Equal(at) => match ids.get(*at) {
            None | Some(0) => ValueRef::Null,
            Some(id) => ValueRef::Ref(*id as u64, None),
        },
        Fetch::Int(at) => ValueRef::Int(long(at)),
        Fetch::Bool(at) => ValueRef::Bool(long(at) != 0),
        Fetch::Float(at) => ValueRef::Float(f64::from_bits(long(at) as u64)),
        Fetch::IntAsFloat(at) => ValueRef::Float(long(at) as f64),
        Fetch::FloatAsInt(at) => {
            let value = f64::from_bits(long(at) as u64);
            match Value::Float(value).coerce(Type::Int) {
                Some(Value::Int(i)) => ValueRef::Int(i),
                _ => ValueRef::Null,
            }
        }
        Fetch::Const(value) => ValueRef::from(value),
        Fetch::Content(..)
        | Fetch::Text(..)
        | Fetch::Char(_)
        | Fetch::Thread
        | Fetch::Read(..)
        | Fetch::Java(..)
        | Fetch::Types(_) => ValueRef::Null,
    }
}
