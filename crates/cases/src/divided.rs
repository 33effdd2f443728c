//! Several engines that share the events of a trace, as an evaluator.

use std::sync::Arc;

use watchword_model::{Event, EventRef, Model, Time, ValueRef};
use watchword_monitor::{Delivery, Engine, Options, Report, Router, Said};

use crate::{Evaluator, Finished};

/// Engines that share the events of a trace by the routing plan.
///
/// Reports have number 0: a shard does not know the numbers of the trace. `printed` is in the order of the
/// shards.
pub struct Divided {
    router: Router,
    shards: Vec<Engine>,
    last: Option<Time>,
}

impl Divided {
    /// So many engines, at the start of a trace.
    pub fn new(model: &Model, count: usize) -> Divided {
        let first = Engine::new(model, Options::default());
        let plan = first.plan().clone();
        let others =
            (1..count).map(|_| Engine::with_plan(Arc::clone(&plan), Options::default())).collect();
        let shards = [vec![first], others].concat();
        Divided { router: Router::new(plan, count), shards, last: None }
    }
}

impl Evaluator for Divided {
    fn step(&mut self, event: &Event) {
        if let Some(time) = event.time
            && self.last.replace(time).is_none()
        {
            self.shards.iter_mut().for_each(|shard| shard.advance_to(time).expect("the first"));
        }
        let args: Vec<ValueRef<'_>> = event.args.iter().map(ValueRef::from).collect();
        let event = EventRef { time: self.last, ..EventRef::of(event, &args) };
        for Delivery { shard, only } in self.router.route(&event) {
            self.shards[shard].step_for(&event, only.as_deref()).expect("time runs forwards");
        }
    }

    fn advance_to(&mut self, time: Time) {
        self.last = Some(time);
        for shard in &mut self.shards {
            shard.advance_to(time).expect("time runs forwards");
        }
    }

    fn finish(mut self) -> Finished {
        let mut finished = Finished::default();
        for (number, shard) in self.shards.iter_mut().enumerate() {
            if let Some(last) = self.last {
                shard.advance_to(last).expect("time runs forwards");
            }
            shard.end();
            let counts = |property| self.router.counts(number, property);
            let reports = shard.take_reports().into_iter().filter(|r| counts(r.property));
            finished.reports.extend(reports.map(|report| Report { index: 0, ..report }));
            finished.printed.extend(shard.take_said().into_iter().filter_map(|said| match said {
                Said::Print { property, text } => counts(property).then_some(text),
                Said::Action { .. } => None,
            }));
            let doubts = shard.doubts().iter().filter(|doubt| counts(doubt.property));
            finished.inconclusive.extend(doubts.map(|doubt| (doubt.property, 0)));
            finished.not_relevant += shard.not_relevant();
        }
        finished
    }
}

/// Whether so many engines together find what one engine finds of a trace.
///
/// # Errors
/// What differs.
pub fn compare(model: &Model, trace: &[crate::TraceLine], count: usize) -> Result<(), String> {
    let whole = crate::run(trace, Engine::new(model, Options::default()));
    let found = crate::run(trace, Divided::new(model, count));
    let anonymous = |finished: &Finished| {
        let reports = finished.reports.iter().map(|report| Report { index: 0, ..report.clone() });
        let reports = Finished { reports: reports.collect(), ..Finished::default() };
        let mut printed = finished.printed.clone();
        printed.sort();
        let inconclusive: Vec<u32> = finished.inconclusive.keys().map(|p| p.0).collect();
        (reports.verdicts(model), printed, inconclusive)
    };
    let (found, expected) = (anonymous(&found), anonymous(&whole));
    match found == expected {
        true => Ok(()),
        false => Err(format!("{count} engines give\n  {found:#?}\none gives\n  {expected:#?}")),
    }
}
