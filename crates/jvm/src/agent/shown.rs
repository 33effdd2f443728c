//! Tells what instances do to somebody who looks at them.

use std::time::Duration;

use watchword_model::PropertyId;
use watchword_monitor::merge_moves;
use watchword_wire::{Record, Shown, Slice, Slices};

use super::{AGENT, Agent, guarded};
use crate::monitor::{State, ThreadKey};
use crate::naming;

/// How often moves are told.
const EVERY: Duration = Duration::from_millis(40);
/// When more moves wait, they are told at once: they take memory.
const MOST_WAITING: usize = 10_000;
/// As many of the last moves are told one by one.
const ONE_BY_ONE: usize = 40;
/// How often instances are listed, and how many of a property.
const LISTED_EVERY: Duration = Duration::from_secs(1);
const MOST_LISTED: u64 = 1000;
/// What stands for the thread that tells; no environment has this address.
const TELLER: ThreadKey = 5;

impl Agent {
    /// Moves are told from now on, by a thread that the VM knows nothing of.
    pub(super) fn begin_showing(&self) {
        if !self.settings.shown {
            return;
        }
        let tell = || {
            guarded(|| {
                while let Some(agent) = AGENT.get().filter(|agent| !agent.is_stopped()) {
                    std::thread::sleep(EVERY);
                    agent.monitor.enter(TELLER, |state| agent.show(state, false));
                }
            });
        };
        // Without such a thread they are told when many wait, and at the end.
        let _ = std::thread::Builder::new().name("watchword view".to_string()).spawn(tell);
    }

    /// After an event: tells moves if too many wait.
    #[inline]
    pub(super) fn show_many(&self, state: &mut State) {
        if state.look.is_some() && state.run.evaluator.moves_waiting() > MOST_WAITING {
            self.show(state, false);
        }
    }

    /// Tells what has moved; at the end, where all instances are, too.
    #[cold]
    pub(super) fn show(&self, state: &mut State, is_end: bool) {
        let Some(look) = &mut state.look else { return };
        let mut moves = merge_moves(state.run.evaluator.take_moves(), ONE_BY_ONE);
        look.has_moved |= !moves.is_empty();
        let is_due = look.has_moved && (is_end || look.listed.elapsed() >= LISTED_EVERY);
        if is_due {
            look.listed = std::time::Instant::now();
            look.has_moved = false;
        }
        let spent = u64::try_from(look.spent.as_nanos()).unwrap_or(u64::MAX);
        if moves.is_empty() && !is_due {
            return;
        }
        let numbers = &self.identities.class_numbers;
        for (_, step) in &mut moves {
            let bound = step.binding.iter_mut().map(|(_, value)| value);
            bound.chain(&mut step.args).for_each(|value| *value = naming::named(value, numbers));
        }
        let slices = if is_due { self.slices(state) } else { Vec::new() };
        let shown = Shown { moves, slices, events: state.run.events(), spent };
        self.outlet.tell(&Record::Shown(Box::new(shown)));
    }

    /// The instances of all properties.
    fn slices(&self, state: &State) -> Vec<Slices> {
        let engine = &state.run.evaluator;
        let numbers = &self.identities.class_numbers;
        let stats = engine.stats();
        let slices = stats.iter().enumerate().map(|(number, stats)| {
            let property = PropertyId::from_index(number);
            let all = match stats.instances <= MOST_LISTED {
                true => engine.inspect(property),
                false => Vec::new(),
            };
            let mut listed: Vec<Slice> = Vec::new();
            for instance in all {
                let (mut binding, mut variables) = (instance.binding, instance.variables);
                for (_, value) in binding.iter_mut().chain(&mut variables) {
                    *value = naming::named(value, numbers);
                }
                listed.push(Slice { binding, state: instance.state, variables });
            }
            Slices { property, total: stats.instances, listed }
        });
        slices.collect()
    }
}
