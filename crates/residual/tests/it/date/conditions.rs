//! The conditions under which events may be silenced and transitions removed: one test for each,
//! which fails where the condition is not looked after.

use std::collections::BTreeSet;

use watchword_residual::date::certify::certify;
use watchword_residual::date::cfg::{Alias, Depth, Found, analyse, silence};
use watchword_residual::date::reduce::Dates;
use watchword_residual::mistake::{Mistake, make};

use super::{cfg, larva, shown};
use crate::fuzz::model;

/// The events that are left at some site, over all properties; `-` for none.
fn left(dates: &Dates<'_>, program: &watchword_residual::date::cfg::Cfg, found: &Found) -> String {
    let mut events = BTreeSet::new();
    for (date, silenced) in dates.all.iter().zip(&found.silenced) {
        for (at, site) in program.sites.iter().enumerate() {
            if date.letter(&site.event).is_some() && !silenced.contains(&at) {
                events.insert(site.event.as_str());
            }
        }
    }
    match events.len() {
        0 => "-".to_owned(),
        _ => events.into_iter().collect::<Vec<_>>().join(" "),
    }
}

fn check(text: &str, program: &str, depth: Depth, expected: &str) {
    let model = match text.contains("GLOBAL") {
        true => larva(text),
        false => model(text),
    };
    let (dates, others) = Dates::of(&model);
    assert!(others.is_empty(), "{others:?}");
    let program = cfg(program);
    let found = analyse(&dates, &program, depth);
    assert_eq!(left(&dates, &program, &found), expected);
}

/// Every condition is needed: for each, the test that fails without it.
#[test]
fn every_condition_that_is_not_looked_after_is_noticed() {
    let noticed_by = |mistake: Mistake| -> fn() {
        match mistake {
            Mistake::NothingIsSeen => what_is_seen_outside_stays,
            Mistake::NothingIsShared => what_another_property_reads_stays,
            Mistake::InitialReadsIgnored => {
                what_is_read_is_followed_through_other_variables_and_initial_values
            }
            Mistake::ConditionsIgnored | Mistake::LoopsDoNothing => loops_with_actions_stay,
            Mistake::InvariantsIgnored => with_invariants_every_event_of_the_context_counts,
            Mistake::LoopsHideNothing => loops_that_keep_a_later_transition_from_being_taken_stay,
            Mistake::ClocksAlwaysRun => events_that_start_clocks_stay,
            Mistake::ClockActionsIgnored => events_that_set_clocks_stay,
            Mistake::DeadlinesAlwaysRun => events_that_start_deadlines_stay,
            Mistake::EverybodyExists => {
                events_that_bring_an_instance_into_being_stay_if_it_hears_others
            }
            Mistake::KeysAreIdentities => values_that_are_compared_by_a_key_may_all_be_the_same,
            Mistake::EntriesDoNothing => entry_code_belongs_to_every_transition_into_its_state,
            Mistake::DropsConcernNobody => accepting_lets_a_context_begin_again,
            Mistake::MayIsMust => a_place_that_may_mean_several_objects_is_no_certain_one,
            Mistake::SilencedStillHappens => {
                transitions_are_pruned_against_the_program_that_is_left
            }
            Mistake::NothingIsAdjacent => events_between_those_that_must_be_adjacent_stay,
            Mistake::AlwaysThere => what_comes_before_an_instance_begins_does_not_concern_it,
            Mistake::BeginningIsPrivate => what_is_seen_when_an_instance_begins_stays,
            Mistake::SlicesAreWhole => slices_of_fewer_parameters_hear_only_their_events,
            Mistake::AlarmsStay => alarms_that_lead_nowhere_are_still_reported,
            other => panic!("no test is named for {other:?}"),
        }
    };
    let unnoticed: Vec<Mistake> = Mistake::OF_PROPERTIES
        .into_iter()
        .filter(|mistake| {
            make(Some(*mistake));
            let passed = std::panic::catch_unwind(noticed_by(*mistake)).is_ok();
            make(None);
            passed
        })
        .collect();
    assert!(unnoticed.is_empty(), "nobody noticed: {unnoticed:?}");
}

#[test]
fn what_is_seen_outside_stays() {
    let with = |action: &str| {
        format!(
            "event a(u)\nevent b(u)\nchannel hello(u)\nproperty P(u) {{\n\
             start state S {{ on a(u) {{ {action} }} }}\n}}\n\
             property Q(u) {{ start state S {{ on hello(u) -> B }}\nbad state B }}"
        )
    };
    for action in ["print \"seen\"", "send hello(u)", "do something(u)"] {
        check(&with(action), "0 u.a 0\n0 u.b 0", Depth::Flow, "a");
    }
}

const SHARED: &str = "
event fail(u)
event act(u)
context All {
  var n: int = 0
  context User(u) {
    property Count { start state S { on fail(u) { n += 1 } } }
    property Limit { start state S { on act(u) if n > 2 -> B }
                     bad state B }
  }
}
";

#[test]
fn what_another_property_reads_stays() {
    check(SHARED, "0 u.fail 0\n0 v.act 0", Depth::Flow, "act fail");
    // And goes, as soon as nobody can read it.
    check(SHARED, "0 u.fail 0\n0 v.fail 0", Depth::Flow, "-");
}

#[test]
fn what_is_read_is_followed_through_other_variables_and_initial_values() {
    let text = "
event a(u)
event b(u)
event c(u)
context All {
  var n: int = 0
  var m: int = 0
  property One { start state S { on a(_) { n += 1 } } }
  property Two { start state S { on b(_) { m = n } } }
  context User(u) {
    var k: int = m
    property Three { start state S { on c(u) if k > 1 -> B }
                     bad state B }
  }
}
";
    check(text, "0 u.a 0\n0 u.b 0\n0 u.c 0", Depth::Flow, "a b c");
}

#[test]
fn loops_with_actions_stay() {
    let text = "event a(u)\nevent b(u)\nproperty P(u) {\nvar n: int = 0\n\
                start state S { on a(u) { n += 1 }\non b(u) if n > 2 -> B }\nbad state B }";
    check(text, "0 u.a 0\n0 u.b 0", Depth::Flow, "a b");
    // An update that cannot fail matters only if a condition reads what it writes.
    let sure = text.replace("n += 1", "n = 3");
    check(&sure, "0 u.a 0\n0 u.b 0", Depth::Flow, "a b");
}

/// An update that fails makes its instance inconclusive, whatever it would have written.
#[test]
fn loops_whose_update_may_fail_stay() {
    let text = "event a(u)\nevent b(u)\nproperty P(u) {\nvar n: int = 0\n\
                start state S { on a(u) { n = 3 / n }\non b(u) -> B }\nbad state B }";
    check(text, "0 u.a 0\n0 u.b 0", Depth::Flow, "a b");
    check(&text.replace("3 / n", "3"), "0 u.a 0\n0 u.b 0", Depth::Flow, "b");
}

#[test]
fn loops_that_keep_a_later_transition_from_being_taken_stay() {
    let text = "event a(u, n: int)\nproperty P(u) {\n\
                start state S { on a(u, ?n) if n < 3\non a(u, _) -> B }\nbad state B }";
    let model = model(text);
    let (dates, _) = Dates::of(&model);
    let found = analyse(&dates, &cfg("0 u.a 0"), Depth::Flow);
    let part = &found.reduced.parts[0];
    assert_eq!(shown(&model, &dates.all[0], part), ["S a B", "S a S"]);
}

#[test]
fn events_that_start_clocks_stay() {
    // `seen` does nothing but bring the instance, and with it the clock, into being.
    let text = "event seen(u)\nevent other(u)\ncontext User(u) {\nclock t\n\
                property P { start state S { on t at 5 s -> Late }\nbad state Late\n\
                also seen, other } }";
    check(text, "0 u.seen 0\n0 u.other 0", Depth::Flow, "other seen");
}

#[test]
fn events_that_set_clocks_stay() {
    let reset = "event seen(u)\nevent go(u)\nproperty P(u) {\nclock t stopped\n\
                 start state S { on t at 5 s -> Late\non go(u) { reset t } }\nbad state Late\n\
                 also seen }";
    check(reset, "0 u.seen 0\n0 u.go 0", Depth::Flow, "go seen");
    let global = "event go(u)\ncontext All {\nclock t stopped\n\
                  property P { start state S { on t at 5 s -> Late }\nbad state Late }\n\
                  context User(u) { property Q { start state S { on go(u) { reset t } } } } }";
    check(global, "0 u.go 0", Depth::Flow, "go");
}

#[test]
fn events_that_start_deadlines_stay() {
    let deadline = "event seen(u)\nevent go(u)\nproperty P(u) {\n\
                    start state S within 5 s else Late { on go(u) -> T }\nstate T\n\
                    bad state Late\nalso seen }";
    check(deadline, "0 u.seen 0\n0 u.go 0", Depth::Flow, "go seen");
}

#[test]
fn events_that_bring_an_instance_into_being_stay_if_it_hears_others() {
    let text = "event seen(u)\nevent all()\ncontext All { context User(u) {\n\
                property P { start state S { on all() -> B }\nbad state B\nalso seen } } }";
    check(text, "0 u.seen 0\n0 u.all 0", Depth::Flow, "all seen");
    let pending = "event seen(u)\nevent done(u)\nproperty P(u) {\n\
                   start pending state S { on done(u) -> T }\nstate T\nalso seen }";
    check(pending, "0 u.seen 0\n0 u.done 0", Depth::Flow, "done seen");
    let creation = "event new(u)\nevent a(u)\nproperty P(u) {\ncreation new\n\
                    start state S { on a(u) -> B }\nbad state B }";
    check(creation, "0 u.new 0\n0 u.a 0", Depth::Flow, "a new");
    let entry = "event seen(u)\nevent a(u)\ncontext User(u) {\nvar n: int = 0\n\
                 property P { start state S { enter { n += 1 }\non a(u) if n > 1 -> B }\n\
                 bad state B\nalso seen } }";
    check(entry, "0 u.seen 0\n0 u.a 0", Depth::Flow, "a seen");
}

#[test]
fn values_that_are_compared_by_a_key_may_all_be_the_same() {
    let keyed = |by: &str| {
        format!(
            "event a(u)\nevent b(u)\nproperty P(u{by}) {{\n\
             start state S {{ on a(u) -> A }}\nstate A {{ on b(u) -> B }}\nbad state B }}"
        )
    };
    // Two objects: neither has both events.
    check(&keyed(""), "0 x.a 0\n0 y.b 0", Depth::Flow, "-");
    check(&keyed(" by lower(u)"), "0 x.a 0\n0 y.b 0", Depth::Flow, "a b");
    check(&keyed(": string"), "0 x.a 0\n0 y.b 0", Depth::Flow, "a b");
}

#[test]
fn events_between_those_that_must_be_adjacent_stay() {
    let text = "event a(x)\nevent b(x)\nevent c(x)\nproperty P {\n\
                start state S { on a(?x) then b(_) -> B }\nbad state B\nalso c }";
    check(text, "0 u.a 0\n0 u.b 0\n0 u.c 0", Depth::Flow, "a b c");
}

#[test]
fn entry_code_belongs_to_every_transition_into_its_state() {
    let text = "event a(u)\nevent b(u)\ncontext User(u) {\nvar n: int = 0\n\
                property Count { start state S { on a(u) -> T }\n\
                state T { enter { n += 1 }\non a(u) -> T } }\n\
                property Limit { start state S { on b(u) if n > 2 -> B }\nbad state B } }";
    check(text, "0 u.a 0\n0 u.b 0", Depth::Flow, "a b");
}

#[test]
fn with_invariants_every_event_of_the_context_counts() {
    let with = |invariants: &str| {
        format!(
            r"GLOBAL {{ FOREACH (User u) {{ {invariants}
              EVENTS {{ a(User u) = {{User u.a()}} b(User u) = {{User u.b()}} }}
              PROPERTY P {{ STATES {{ BAD {{ bad }} STARTING {{ s }} }}
                TRANSITIONS {{ s -> s [a] s -> bad [b] }} }} }} }}"
        )
    };
    check(&with(""), "0 u.a 0\n0 u.b 0", Depth::Flow, "b");
    let invariant = "INVARIANTS { String name = u.getName(); enable }";
    check(&with(invariant), "0 u.a 0\n0 u.b 0", Depth::Flow, "a b");
}

#[test]
fn accepting_lets_a_context_begin_again() {
    let text = r"GLOBAL { FOREACH (Job j) { VARIABLES { int n = 0; }
      EVENTS { work(Job j) = {Job j.work()} done(Job j) = {Job j.done()} }
      PROPERTY P { STATES { ACCEPTING { over } BAD { tired } STARTING { s } }
        TRANSITIONS { s -> tired [work\n > 2\] s -> s [work\\n++;] s -> over [done] } }
      PROPERTY Q { STATES { ACCEPTING { over } STARTING { s } }
        TRANSITIONS { s -> over [done] } } } }";
    // Without Q's `done` the instance would never be over, and P would go on counting.
    let model = larva(text);
    let (dates, _) = Dates::of(&model);
    let found = analyse(&dates, &cfg("0 j.work 0\n0 j.done 0"), Depth::Flow);
    let part = |at: usize| shown(&model, &dates.all[at], &found.reduced.parts[at]);
    assert_eq!(part(1), ["s done drop"]);
    assert_eq!(part(0), ["s done drop", "s work s", "s work tired"]);
}

#[test]
fn a_place_that_may_mean_several_objects_is_no_certain_one() {
    let text = "event a(u)\nevent b(u)\nproperty P(u) {\n\
                start state S { on a(u) -> T\non b(u) -> B }\nstate T\nbad state B }";
    let model = model(text);
    let (dates, _) = Dates::of(&model);
    // One object: `a` comes before every `b`, which then cannot matter.
    let mut program = cfg("0 u.a 1\n1 u.b 1");
    assert!(analyse(&dates, &program, Depth::Flow).reduced.parts[0].iter().all(|p| !p));
    // An object of a loop: the `b` may be about another one.
    program.alias[0][0] = Alias::May;
    let found = analyse(&dates, &program, Depth::Flow);
    assert_eq!(shown(&model, &dates.all[0], &found.reduced.parts[0]), ["S a T", "S b B"]);
}

#[test]
fn transitions_are_pruned_against_the_program_that_is_left() {
    // For v, `a` has no effect: it never sees `c`. For u it does.
    let text = "event a(u)\nevent b(u)\nevent c(u)\nproperty P(u) {\n\
                start state S { on a(u) -> T\non b(u) -> W }\nstate T { on b(u) -> S }\n\
                state W { on c(u) -> B }\nbad state B }";
    let model = model(text);
    let (dates, _) = Dates::of(&model);
    let program = cfg("0 v.a 1\n1 v.b 2\n2 u.a 3\n3 u.b 3\n3 u.c 3");
    let found = analyse(&dates, &program, Depth::Objects);
    assert_eq!(found.silenced[0], BTreeSet::from([0, 1]));
    // With v's `a` as ε, v's `b` would take `S b W`: it counts as used only if it still happens.
    let date = &dates.all[0];
    let none = BTreeSet::new();
    let used = program.uses(date, &date.whole(), 0, &BTreeSet::from([0]));
    assert_eq!(shown(&model, date, &used), ["S b W"]);
    let used = program.uses(date, &date.whole(), 0, &none);
    assert_eq!(shown(&model, date, &used), ["S a T", "T b S"]);
    let again = silence(date, &date.whole(), &Default::default(), &program, &none);
    assert_eq!(again, BTreeSet::from([0, 1]));
}

#[test]
fn what_comes_before_an_instance_begins_does_not_concern_it() {
    let creation = "event new(u)\nevent a(u)\nproperty P(u) {\ncreation new\n\
                    start state S { on a(u) -> T\non new(u) -> B }\nstate T\nbad state B }";
    // The `a` is nobody's: what is new is still in its start state.
    check(creation, "0 u.a 1\n1 u.new 1", Depth::Flow, "a new");
    let around = "event new(u)\nevent all()\ncontext All { context User(u) {\nproperty P {\n\
                  start state S { on all() -> T\non new(u) -> B }\nstate T\nbad state B } } }";
    check(around, "0 u.all 1\n1 u.new 1", Depth::Flow, "all new");
}

#[test]
fn what_is_seen_when_an_instance_begins_stays() {
    // Who ends begins again with the next event, and prints again.
    let again = "event a(u)\nevent b(u)\ncontext User(u) {\nvar n: int = 0\nproperty P {\n\
                 start state S { enter { print \"hello\" }\non a(u) -> drop\non b(u) } } }";
    let model = model(again);
    let (dates, _) = Dates::of(&model);
    let found = analyse(&dates, &cfg("0 u.a 0\n0 u.b 0"), Depth::Flow);
    assert_eq!(shown(&model, &dates.all[0], &found.reduced.parts[0]), ["S a drop"]);
    // Users are counted, also those of whom nothing can be reported.
    let counted = "event seen(u)\nevent a(u)\ncontext All {\nvar n: int = 0\ncontext User(u) {\n\
                   property P { start state S { enter { n += 1 }\non a(u) if n > 1 -> B }\n\
                   bad state B\nalso seen } } }";
    check(counted, "0 u.seen 1\n1 v.a 1", Depth::Flow, "a seen");
}

#[test]
fn slices_of_fewer_parameters_hear_only_their_events() {
    let text = "event a(u)\nevent all()\nproperty P(u) {\n\
                start state S { on a(u) -> T\non all() -> B }\nstate T\nbad state B }";
    // The object is in T; the slice that knows no object hears `all` in S.
    let model = model(text);
    let (dates, _) = Dates::of(&model);
    let found = analyse(&dates, &cfg("0 u.a 1\n1 u.all 1"), Depth::Flow);
    let left = shown(&model, &dates.all[0], &found.reduced.parts[0]);
    assert_eq!(left, ["S a T", "S all B"]);
}

#[test]
fn alarms_that_lead_nowhere_are_still_reported() {
    let text = "event a(u)\nevent b(u)\nproperty P(u) {\nstart state S { on a(u) -> B }\n\
                bad state B within 5 s else B { on b(u) -> C }\nstate C }";
    let model = model(text);
    let (dates, _) = Dates::of(&model);
    let date = &dates.all[0];
    let refused = |program: &str, site: usize| {
        let one = BTreeSet::from([site]);
        certify(date, &date.whole(), &cfg(program), 0, &BTreeSet::new(), &one).is_err()
    };
    assert!(refused("0 u.a 1\n1 u.b 2", 1), "without `b`, B is entered again and again");
    assert!(!refused("0 u.b 1\n1 u.a 2", 0));
}
