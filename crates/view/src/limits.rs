//! Limits and evaluations without a value, in words: the only place that words them.

use watchword_model::Model;
use watchword_monitor::{Limit, NotRelevant, Puzzled, Strangers, Unmonitored};

use crate::text::{self, counted};

/// The flags that limit instances.
const LIMITS: &str = "--max-instances or --max-memory";

/// What a limit that was hit means for a run.
pub fn limit(model: &Model, limit: &Limit) -> String {
    match limit {
        Limit::Instances { property, discarded, since } => format!(
            "{}: {} {} discarded ({LIMITS}), first at event {since}: violations may be missing, or may not be real",
            model.properties[property.index()].name,
            counted(*discarded, "instance"),
            was(*discarded),
        ),
        Limit::Evaluations { property, instances, since, why } => {
            let what = match (instances, why) {
                (1, NotRelevant::Memory | NotRelevant::Endless) => {
                    "1 instance is inconclusive".to_string()
                }
                (n, NotRelevant::Memory | NotRelevant::Endless) => {
                    format!("{n} instances are inconclusive")
                }
                (1, _) => "an update failed, and 1 instance is inconclusive".to_string(),
                (n, _) => format!("updates failed, and {n} instances are inconclusive"),
            };
            let property = &model.properties[property.index()].name;
            format!("{property}: {what}; first at event {since}: {}", why.text())
        }
        Limit::Sends { discarded } => format!(
            "{} {} discarded: one event led to too many messages",
            counted(*discarded, "message"),
            was(*discarded),
        ),
        Limit::Unlisted { violations } => {
            let is = if *violations == 1 { "is" } else { "are" };
            format!("{} {is} counted but not listed", counted(*violations, "violation"))
        }
        Limit::Unprinted { lines } => {
            let is = if *lines == 1 { "is" } else { "are" };
            format!("{} {is} not shown", counted(*lines, "printed line"))
        }
        Limit::Unread { why } => {
            let why: Vec<&str> = why.lines().take(2).map(str::trim).collect();
            format!("the rest of the trace was not checked: {}", why.join(" "))
        }
        Limit::Gap { since } => format!(
            "events after event {since} were missed while no watch was running: later violations may be missing, or may not be real"
        ),
        Limit::TraceCut => "the trace could not be written to its end".to_string(),
        Limit::Unmonitored(why) => unmonitored(why),
        Limit::Strangers(strangers) => self::strangers(model, strangers),
        Limit::Traceless => "the JVM makes exceptions without stack traces (-XX:-StackTraceInThrowable): \
                             events `from itself` and `from jdk` did not occur, and violations may be missing"
            .to_string(),
        Limit::Unsound { analysis, .. } => format!("sites {}", unsound(analysis)),
    }
}

/// What it means that an analysis that is not sound chose the sites to silence.
pub fn unsound(analysis: &str) -> String {
    format!("silenced by `{analysis}`, which is not sound: violations may be missing, or wrong")
}

fn was(n: u64) -> &'static str {
    if n == 1 { "was" } else { "were" }
}

fn unmonitored(why: &Unmonitored) -> String {
    match why {
        Unmonitored::Left => "the program was left before it ended: counts are missing".to_string(),
        Unmonitored::NotStarted => "the program ended before it could be monitored".to_string(),
        Unmonitored::EndedEarly => "the JVM ended without a report: counts are missing".to_string(),
        Unmonitored::Failed(why) => format!("monitoring stopped: {why}"),
    }
}

fn strangers(model: &Model, strangers: &Strangers) -> String {
    let Strangers { were_analysed, count, first, since, silenced, refute_proof } = strangers;
    let unproven = match refute_proof {
        true => {
            let seconds = *since as f64 / 1000.0;
            format!("from {seconds:.3} s after its start on, nothing is proven about this run: ")
        }
        false => String::new(),
    };
    let left_out = model.properties.iter().filter(|p| p.is_proven());
    let left_out: Vec<String> = left_out.map(|p| format!("`{}`", p.name)).collect();
    let but = match left_out.is_empty() {
        true => String::new(),
        false => format!("; {}, proven of the classes analysed, not at all", left_out.join(", ")),
    };
    let certain = match silenced.is_empty() {
        true => "",
        false => "; a run without silenced sites is certain",
    };
    let (classes, does) = match (were_analysed, count) {
        (true, 1) => (format!("{first} differs from the analysed class"), "it is"),
        (false, 1) => (format!("{first} was not analysed"), "it is"),
        (true, n) => {
            (format!("{n} classes, {first} first, differ from the analysed classes"), "they are")
        }
        (false, n) => (format!("{n} classes, {first} first, were not analysed"), "they are"),
    };
    format!(
        "{unproven}{classes}: {does} fully monitored; what was proven about other classes assumes \
         that nothing else uses their objects{but}{certain}"
    )
}

/// What happened to guards of a property that had no value.
pub fn puzzle(model: &Model, puzzled: &Puzzled) -> String {
    let property = &model.properties[puzzled.first.property.index()].name;
    let what = match puzzled.times {
        1 => "a guard had no value, and its transition was not taken".to_string(),
        n => format!("guards had no value {n} times, and their transitions were not taken"),
    };
    let place = match (&puzzled.location, puzzled.first.index) {
        (Some(place), _) => format!("at {}", text::location(place)),
        (None, 0) => "before the first event".to_string(),
        (None, index) => format!("at event {index}"),
    };
    let first = if puzzled.times > 1 { "first " } else { "" };
    format!("{property}: {what}; {first}{place}: {}", puzzled.first.why.text())
}
