//! The end of the program: the last reports, the totals, and what a user should know.

use std::sync::atomic::Ordering;

use watchword_model::{EventId, Property, PropertyId};
use watchword_monitor::{Limit, Totals};
use watchword_weave::dotted;
use watchword_wire::Record;

use super::{Agent, thread_key};
use crate::classes::Seen;
use crate::hints;
use crate::homes::Counted;
use crate::monitor::State;
use crate::vm::Jni;

/// The status of a reporter that has found something.
const FOUND: i32 = 1;

impl Agent {
    /// The program ends: the last reports, the totals.
    pub fn finish(&self, jni: Option<Jni>) {
        let thread = jni.map_or(1, thread_key);
        let counts = jni.map(|jni| self.homes.counts(jni)).unwrap_or_default();
        let totals = self.monitor.enter(thread, |state| {
            self.bury_at_the_end(state);
            let ended = state.end();
            self.take_news(jni, state, None);
            self.show(state, true);
            if let Some(mut trace) = state.trace.take() {
                state.trace_failed |= trace.finish(ended).is_err();
            }
            let totals = self.totals(state, &counts);
            state.over = true;
            totals
        });
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(totals) = &totals {
            let seen = Seen::new(&self.classes, None);
            let has_sites = |event: EventId| self.loading.has_site(event);
            for (property, totals) in self.model.properties.iter().zip(&totals.properties) {
                let hint = match (totals.sites.unwrap_or(0), totals.events) {
                    _ if property.is_proven() => continue,
                    (0, _) | (_, 0) if self.loading.weaver.silenced().concerns(&property.name) => {
                        continue;
                    }
                    // A property that is shipped names methods of several JDKs, and no wrong ones.
                    (0, _) if self.is_shipped(property) => hints::not_loaded(property),
                    (0, _) => hints::no_site(&self.model, property, &self.classes, &seen),
                    (sites, 0) => hints::no_event(property, sites),
                    _ if self.is_shipped(property) => continue,
                    _ => match hints::mistaken(&self.model, property, &has_sites, &seen) {
                        Some(hint) => hint,
                        None => continue,
                    },
                };
                self.outlet.tell(&Record::Warning(hint));
            }
            self.tell_uncalled(&seen);
        }
        for note in self.loading.notes() {
            let method = note.method.map(|m| format!(".{m}")).unwrap_or_default();
            let text = format!("{}{method}: {}", note.class, note.text);
            self.outlet.tell(&Record::Warning(text));
        }
        if let Some(totals) = totals {
            self.outlet.tell(&Record::Finished(Box::new(self.loading.ending(totals))));
        }
        let path = self.outlet.close();
        if let [command, args @ ..] = &self.settings.reporter[..] {
            let status = std::process::Command::new(command)
                .args(args)
                .arg(path)
                .stdin(std::process::Stdio::null())
                .stdout(std::process::Stdio::null())
                .status();
            let found = status.is_ok_and(|status| status.code() == Some(FOUND));
            if let Some(instead) = self.settings.error_status.filter(|_| found) {
                // SAFETY: ends the process. The VM has run the program's shutdown hooks, and nothing of it
                // is left to do but to end with a status of its own.
                unsafe { libc::_exit(instead as i32) };
            }
        }
    }

    /// Whether a property came with Watchword.
    fn is_shipped(&self, property: &Property) -> bool {
        let file = self.settings.files.get(property.span.file.index());
        file.is_some_and(|name| name.starts_with("std/"))
    }

    /// Warns about methods that labels wait for and no watched class calls.
    fn tell_uncalled(&self, seen: &Seen<'_>) {
        let classes: Vec<_> = self.classes.loaded();
        let watched: Vec<_> = classes
            .into_iter()
            .filter(|c| self.loading.weaver.includes(&dotted(&c.name)))
            .collect();
        for (index, property) in self.model.properties.iter().enumerate() {
            let id = PropertyId::from_index(index);
            // A property that is silenced somewhere need not have sites.
            if property.is_proven() || self.loading.weaver.silenced().concerns(&property.name) {
                continue;
            }
            for method in self.loading.uncalled.of(id, &watched, seen) {
                let text = format!(
                    "{}: no instrumented class calls {method}, so its events do not occur; if the JVM or a library calls it, `--events callee` observes it",
                    property.name
                );
                self.outlet.tell(&Record::Warning(text));
            }
        }
    }

    fn totals(&self, state: &State, counts: &[Counted]) -> Totals {
        let mut totals = state.run.totals();
        for (i, own) in totals.properties.iter_mut().enumerate() {
            let sites = self.loading.sites_of(PropertyId::from_index(i));
            own.sites = Some(sites);
            if let Some(counted) = counts.iter().find(|counted| counted.property.index() == i) {
                // The engine monitors what is no object.
                own.events += counted.events();
                own.instances = own.instances.map(|made| made + counted.instances);
                own.by_event.iter_mut().for_each(|(event, n)| *n += counted.of(*event));
            } else if sites == 0 {
                // Events of other properties, and instances it shares with them, are not its own.
                (own.events, own.instances) = (0, Some(0));
                own.by_event.iter_mut().for_each(|(_, n)| *n = 0);
            }
        }
        totals.events += counts.iter().map(Counted::events).sum::<u64>();
        if state.trace_failed {
            totals.limits.push(Limit::TraceCut);
        }
        if self.traceless.load(Ordering::Relaxed) {
            totals.limits.push(Limit::Traceless);
        }
        totals.limits.extend(self.loading.about_strangers());
        totals
    }
}
