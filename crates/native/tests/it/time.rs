//! Limits of time: told when they are reached, waited for asleep.

use std::sync::Arc;

use watchword_model::Model;
use watchword_native::Settings;

use crate::support::*;

fn limited(to: &str) -> Arc<Model> {
    model(&format!(
        "event begins = native before call begin
        event ends = native before call finish
        property P {{ start state S {{ on begins -> T }}
          state T within {to} else Late {{ on ends -> S }}
          bad state Late }}"
    ))
}

#[test]
fn a_limit_is_told_when_it_is_reached() {
    guarded(30, || {
        let program = compile("late.c", &["-O1"]);
        let ran = run(&program, &["900"], &limited("100 ms"), Settings::default());
        assert_eq!(ran.found.len(), 1);
        let begun = ran.trace[0].time.unwrap();
        let late = ran.found[0].report.time.unwrap() - begun;
        assert_eq!(late, 100_000_000);
        // When it was told, the second call was still to come.
        assert_eq!(ran.found[0].report.index, 1);
    });
}

#[test]
fn limits_are_waited_for_asleep() {
    let switches = || -> u64 {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"));
        line.unwrap().trim().parse().unwrap()
    };
    guarded(30, || {
        let program = compile("late.c", &["-O1"]);
        let cost = |milliseconds: &str| {
            let before = switches();
            let ran = run(&program, &[milliseconds], &limited("1 h"), Settings::default());
            assert!(ran.found.is_empty());
            switches() - before
        };
        let (short, long) = (cost("1"), cost("1500"));
        assert!(long < short + 200, "woken {short} times, and {long} times in a longer wait");
    });
}
