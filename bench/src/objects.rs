//! Objects as a JVM has them: collections that stay, iterators that come and go in millions.
//!
//! Properties of iterators that look at every element and at classes by name, with events like those
//! an agent raises: fresh identities, places in the program, deaths told in batches after a
//! collection, changes of collections that concern many iterators at once.

use std::sync::Arc;

use watchword_model::{EventId, EventRef, Location, Model, ValueRef, Where};
use watchword_monitor::{Engine, Options};

use crate::random::Random;
use crate::rates::load;
use crate::report::Report;
use crate::stats::{interleave, resident};

/// How often each row is repeated.
const ROUNDS: usize = 5;
/// How many iterators a repetition makes.
const ITERATORS: u64 = 100_000;
/// How many of them are made between two collections of garbage.
const BATCH: u64 = 20_000;
/// How many collections and maps there are.
const COLLECTIONS: u64 = 1_000;
/// The history a report shows, by default, of a program that runs.
const HISTORY: usize = 10;
/// What an event may cost, in nanoseconds.
const MOST: f64 = 100.0;

const EXHAUSTED: &str = include_str!("objects/iterator-exhausted.ww");
const COMODIFICATION: &str = include_str!("objects/iterator-comodification.ww");
const VIEWS: &str = include_str!("objects/map-view-comodification.ww");

/// The events, by name.
const EVENTS: [&str; 9] = [
    "iterator_asked",
    "iterator_taken",
    "traversal_begun",
    "traversed_changed",
    "traversal_next",
    "view_made",
    "view_iterated",
    "map_put",
    "view_next",
];
const ASKED: usize = 0;
const TAKEN: usize = 1;
const BEGUN: usize = 2;
const CHANGED: usize = 3;
const NEXT: usize = 4;
const VIEW_MADE: usize = 5;
const VIEW_ITERATED: usize = 6;
const MAP_PUT: usize = 7;
const VIEW_NEXT: usize = 8;

/// A program that iterates, and the engine that watches it.
struct Program {
    engine: Engine,
    /// Those no loaded property declares are not raised.
    events: [Option<EventId>; EVENTS.len()],
    place: Arc<Location>,
    random: Random,
    next_object: u64,
    raised: u64,
}

/// An identity as the agent makes them: a mark, a class and a number.
fn identity(class: u64, number: u64) -> u64 {
    0x58 << 56 | class << 36 | number
}

fn iterator(number: u64) -> u64 {
    identity(7, number)
}

const KIND: ValueRef<'static> = ValueRef::Str("java.util.ArrayList$Itr");

impl Program {
    fn new(model: &Model, history: usize) -> Program {
        let place = Location { file: Some("Main.java".into()), line: Some(7), function: None };
        Program {
            engine: Engine::new(model, Options { history, ..Options::default() }),
            events: EVENTS.map(|name| model.event(name)),
            place: Arc::new(place),
            random: Random::new(11),
            next_object: 0,
            raised: 0,
        }
    }

    fn raise(&mut self, event: usize, args: &[ValueRef<'_>]) {
        let Some(kind) = self.events[event] else { return };
        let event = EventRef {
            kind,
            args,
            time: None,
            thread: Some(1),
            location: Some(Where::from(&self.place)),
        };
        self.engine.step(&event).expect("no times are given");
        self.raised += 1;
    }

    /// An iterator over three elements of a list, or of a view of a map; then the collection may
    /// be changed.
    fn iterate(&mut self) {
        self.next_object += 1;
        let i = ValueRef::Ref(iterator(self.next_object), None);
        let chosen = self.random.below(COLLECTIONS);
        let (list, map) =
            (ValueRef::Ref(identity(1, chosen), None), ValueRef::Ref(identity(2, chosen), None));
        let of_map = self.next_object.is_multiple_of(4);
        if of_map {
            let view = ValueRef::Ref(identity(3, self.next_object), None);
            self.raise(VIEW_MADE, &[map, view]);
            self.raise(BEGUN, &[view, i, KIND]);
            self.raise(VIEW_ITERATED, &[view, i, KIND]);
        } else {
            self.raise(BEGUN, &[list, i, KIND]);
            self.raise(VIEW_ITERATED, &[list, i, KIND]);
        }
        for _ in 0..3 {
            self.raise(ASKED, &[i, ValueRef::Bool(true)]);
            self.raise(TAKEN, &[i]);
            self.raise(NEXT, &[i]);
            self.raise(VIEW_NEXT, &[i]);
        }
        self.raise(ASKED, &[i, ValueRef::Bool(false)]);
        if self.random.below(8) == 0 {
            self.raise(CHANGED, &[list, ValueRef::Bool(true)]);
            self.raise(MAP_PUT, &[map, ValueRef::Null]);
        }
    }

    /// A collection of garbage: all iterators are gone, and all views.
    fn collect(&mut self) {
        let young = |id: u64| id >> 36 != identity(1, 0) >> 36 && id >> 36 != identity(2, 0) >> 36;
        let gone = self.engine.held(None, young);
        self.engine.died(&gone);
    }

    /// Iterators that come and go.
    fn churn(&mut self) -> u64 {
        let before = self.raised;
        for n in 1..=ITERATORS {
            self.iterate();
            if n % BATCH == 0 {
                self.collect();
            }
        }
        self.raised - before
    }

    /// One list that has a thousand iterators, and is changed again and again. Gives how many
    /// iterators there were.
    fn storm(&mut self) -> u64 {
        let list = ValueRef::Ref(identity(1, COLLECTIONS), None);
        for _ in 0..ITERATORS / 10_000 {
            for _ in 0..1_000 {
                self.next_object += 1;
                let i = ValueRef::Ref(iterator(self.next_object), None);
                self.raise(BEGUN, &[list, i, KIND]);
            }
            for _ in 0..10 {
                self.raise(CHANGED, &[list, ValueRef::Bool(true)]);
            }
            self.collect();
        }
        ITERATORS / 10
    }
}

/// Every property alone, then all together; without histories, and with the default ones.
pub fn iterators(report: &mut Report) {
    let columns = ["property", "history", "per event", "events per iterator", "resident grows by"];
    report.table("Objects of a program, short-lived iterators, deaths included", &columns);
    let all = [EXHAUSTED, COMODIFICATION, VIEWS].join("\n");
    let properties = [
        ("IteratorExhausted", EXHAUSTED),
        ("IteratorComodification", COMODIFICATION),
        ("MapViewComodification", VIEWS),
        ("all three", &all),
    ];
    for (name, text) in properties {
        let model = load(&format!("{name}.ww"), text);
        for history in [0, HISTORY] {
            let mut program = Program::new(&model, history);
            program.churn();
            let (before, raised, made) = (resident(), program.raised, program.next_object);
            let rows = interleave(ROUNDS, vec![Box::new(|| program.churn())]);
            let grown = resident().saturating_sub(before) as f64 / 1048576.0;
            assert!(program.engine.take_reports().is_empty(), "the program keeps to the rules");
            let nanos = rows[0].nanos;
            let each = (program.raised - raised) as f64 / (program.next_object - made) as f64;
            report.row(&[
                name.to_string(),
                history.to_string(),
                format!("{nanos:.0} ns ±{:.0} %", rows[0].spread * 100.0),
                format!("{each:.1}"),
                format!("{grown:.1} MiB"),
            ]);
            let what = format!("{name}, history {history}: short-lived iterators, per event");
            report.bar(&what, nanos, MOST, " ns");
            let what = format!("{name}, history {history}: growth over {ROUNDS} repetitions");
            report.bar(&what, grown, 4.0, " MiB");
        }
    }
    let columns = ["history", "per iterator that is made, sees ten changes and dies"];
    report.table("A list with a thousand iterators that changes", &columns);
    let model = load("IteratorComodification.ww", COMODIFICATION);
    for history in [0, HISTORY] {
        let mut program = Program::new(&model, history);
        program.storm();
        let rows = interleave(ROUNDS, vec![Box::new(|| program.storm())]);
        report.row(&[
            history.to_string(),
            format!("{:.0} ns ±{:.0} %", rows[0].nanos, rows[0].spread * 100.0),
        ]);
    }
}
