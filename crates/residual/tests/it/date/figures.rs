//! The figures of the paper on residuals of symbolic automata, and the menu of its predecessor.

use std::collections::BTreeSet;
use std::path::Path;

use watchword_model::Model;
use watchword_residual::analysis::{SiteReport, Status};
use watchword_residual::date::automaton::{Arm, Date, names};
use watchword_residual::date::certify::certify;
use watchword_residual::date::cfg::{
    Cfg, Depth, analyse, no_effect, residual0, residual1, residual2, silence, union1,
};
use watchword_residual::date::reduce::Dates;

use super::payment::residuals_of;
use super::{cfg, larva, shown};
use crate::fuzz::model;

const FIGURE1: &str = "
event open(s)
event close(s)
event read(s)
event write(s)
event lookAhead(s)

property Stream(s) {
  start state qa { on open(s) -> qb
                   on write(s) -> qc
                   on lookAhead(s) }
  state qb { on close(s) -> qa
             on read(s) -> qd
             on lookAhead(s) }
  bad state qc { on open(s) -> qb
                 on close(s) -> qa
                 on lookAhead(s) }
  state qd { on read(s) -> qb
             on write(s) -> qe
             on close(s) -> qe
             on lookAhead(s) }
  bad state qe { on read(s) -> qb
                 on lookAhead(s) }
}
";

fn none() -> BTreeSet<usize> {
    BTreeSet::new()
}

fn all_of(model: &Model, dates: &Dates<'_>, without: &[&str]) -> Vec<String> {
    let mut lines = shown(model, &dates.all[0], &dates.all[0].whole());
    lines.retain(|l| !without.iter().any(|w| l.split(' ').nth(1) == Some(w)));
    lines
}

#[test]
fn figure_1_loses_its_idle_loops() {
    let model = model(FIGURE1);
    let (dates, _) = Dates::of(&model);
    let program = cfg("0 s.open 0\n0 s.close 0\n0 s.read 0\n0 s.write 0\n0 s.lookAhead 0");
    let reduced = residual0(&dates, &dates.whole(), &program);
    let left = shown(&model, &dates.all[0], &reduced.parts[0]);
    assert_eq!(left, all_of(&model, &dates, &["lookAhead"]));
}

#[test]
fn figure_1_an_object_that_is_only_opened() {
    let model = model(FIGURE1);
    let (dates, _) = Dates::of(&model);
    // Another object does everything; this one is opened and looked into.
    let program = cfg("0 s.open 0\n0 s.close 0\n0 s.read 0\n0 s.write 0\n\
                       0 t.open 0\n0 t.lookAhead 0");
    let found = analyse(&dates, &program, Depth::Objects);
    assert_eq!(found.silenced[0], BTreeSet::from([4, 5]));
    let part = &found.reduced.parts[0];
    assert_eq!(shown(&model, &dates.all[0], part), all_of(&model, &dates, &["lookAhead"]));
}

/// The method of Figure 2; sites 2, 3 and 4 are s3, s4 and s5.
fn figure2() -> Cfg {
    cfg("0 s.close 0\n0 s.write 0\n\
         0 s.open 1\n1 s.close 2\n2 s.open 3\n\
         3 s.write 3\n3 s.read 3\n3 - 4\n\
         4 s.close 4\n4 s.write 4")
}

#[test]
fn figure_2_what_may_be_silenced_together() {
    let model = model(FIGURE1);
    let date = Date::of(&model, watchword_model::PropertyId(0)).unwrap();
    let (close, write) = (date.letter("close").unwrap(), date.letter("write").unwrap());
    let after = date.closure(&date.whole(), 1, 1 << close | 1 << write);
    assert_eq!(names(&date, after), ["qa", "qc"]);
    let sound = |sites: &[usize]| {
        let sites = sites.iter().copied().collect();
        certify(&date, &date.whole(), &figure2(), 0, &none(), &sites).is_ok()
    };
    for sites in [&[3, 4][..], &[2], &[3], &[2, 3], &[]] {
        assert!(sound(sites), "{sites:?}");
    }
    for sites in [&[4][..], &[2, 4], &[2, 3, 4], &[5], &[0]] {
        assert!(!sound(sites), "{sites:?}");
    }
}

const FIGURE3: &str = "
event greylist(u)
event whitelist(u)
event transfer(u)
event delete(u)
event archive(u)

property Transfers(u) {
  var transferCount: int = 0
  start state q0 {
    on greylist(u) -> q1
    on delete(u) -> q2
  }
  state q1 {
    on transfer(u) { transferCount += 1 } -> q1
    on whitelist(u) if transferCount >= 3 { transferCount = 0 } -> q0
    on whitelist(u) if transferCount < 3 -> q3
    on delete(u) -> q4
  }
  state q2 { on archive(u) -> q5 }
  bad state q3
  state q4 { on archive(u) -> q5 }
  state q5
}
";

#[test]
fn figure_3_states_and_their_use() {
    let model = model(FIGURE3);
    let (dates, _) = Dates::of(&model);
    let date = &dates.all[0];
    let reduced = dates.reduce(&dates.whole());
    let roles = date.roles(&date.whole(), &BTreeSet::new());
    assert_eq!(names(date, roles.bad_after), ["q0", "q1", "q3"]);
    assert_eq!(names(date, roles.good_entry), ["q2", "q4"]);
    assert_eq!(names(date, roles.useful()), ["q0", "q1", "q2", "q3", "q4"]);
    assert_eq!(shown(&model, date, &reduced.parts[0]), all_of(&model, &dates, &["archive"]));
}

#[test]
fn figure_3_objects_with_fewer_events() {
    let model = model(FIGURE3);
    let (dates, _) = Dates::of(&model);
    let date = &dates.all[0];
    let program = cfg("0 a.transfer 0\n0 b.whitelist 0\n0 b.greylist 0\n0 b.transfer 0");
    let reduced = residual0(&dates, &dates.whole(), &program);
    let of = |identifier| {
        residual1(date, &reduced.parts[0], &reduced.live, &program, identifier, &none())
    };
    let transfer = date.letter("transfer").unwrap();
    assert_eq!(shown(&model, date, &of(0)), Vec::<String>::new());
    assert!(no_effect(date, &of(0), transfer));
    assert_eq!(
        shown(&model, date, &of(1)),
        ["q0 greylist q1", "q1 transfer q1", "q1 whitelist q0", "q1 whitelist q3"]
    );
    // A check that ignores actions would drop the loop.
    assert!(!no_effect(date, &of(1), transfer));
    let silenced = silence(date, &reduced.parts[0], &reduced.live, &program, &none());
    assert_eq!(silenced, BTreeSet::from([0]));
    let union = union1(&dates, &reduced, &program, &[none()]);
    assert_eq!(union[0], of(1));
}

#[test]
fn figure_3_a_program_that_cannot_go_wrong() {
    let model = model(FIGURE3);
    let (dates, _) = Dates::of(&model);
    let program = cfg("0 u.whitelist 1\n1 u.greylist 2\n2 u.transfer 2");
    // The transitions that are used, before the rest is reduced.
    let used = program.uses(&dates.all[0], &dates.all[0].whole(), 0, &none());
    assert_eq!(shown(&model, &dates.all[0], &used), ["q0 greylist q1", "q1 transfer q1"]);
    let reduced = residual2(&dates, &dates.whole(), &[&program], &[none()]);
    assert!(dates.all[0].is_proven(&reduced.parts[0]));
}

const FIGURE5: &str = "
event create(u)
event activate(u)
event pay(u, whitelisted: bool)
event transfer(u)
event blacklist(u, risk: float)
event greylist(u)
event whitelist(u)

property Risk(u) {
  start state qa { on create(u) -> qb }
  state qb {
    on activate(u) -> qc
    on pay(u, _) -> qd
    on transfer(u) -> qd
  }
  state qc {
    on blacklist(u, ?risk) if risk <= 0.5 -> qe
    on blacklist(u, ?risk) if risk > 0.5 -> qg
  }
  bad state qd
  state qe {
    on pay(u, ?whitelisted) if not whitelisted -> qf
    on transfer(u) -> qf
    on blacklist(u, ?risk) if risk > 0.5 -> qg
    on whitelist(u) -> qc
    on greylist(u) -> qc
  }
  bad state qf
  state qg {
    on pay(u, _) -> qh
    on transfer(u) -> qh
    on blacklist(u, ?risk) if risk <= 0.5 -> qe
    on whitelist(u) -> qc
    on greylist(u) -> qc
  }
  bad state qh
}
";

const GOLD: &str = "0 gold.create 1\n1 gold.activate 1\n1 gold.blacklist 1\n\
                    1 gold.greylist 2\n2 gold.pay 2\n2 - 1\n\
                    1 gold.whitelist 3\n3 gold.pay 3\n3 - 1\n";

#[test]
fn figure_5_two_approximations_prove_what_none_does_alone() {
    let model = model(FIGURE5);
    let (dates, _) = Dates::of(&model);
    let menu = cfg(GOLD);
    let activated = cfg("0 u.create 1\n1 u.activate 2\n2 u.pay 2\n2 u.blacklist 2\n\
                         2 u.whitelist 2\n2 u.greylist 2");
    let proven = |cfgs: &[&Cfg]| {
        let reduced = residual2(&dates, &dates.whole(), cfgs, &[none()]);
        dates.all[0].is_proven(&reduced.parts[0])
    };
    assert!(!proven(&[&menu]));
    assert!(!proven(&[&activated]));
    assert!(proven(&[&menu, &activated]));
    assert!(proven(&[&activated, &menu]));
}

#[test]
fn figure_5_after_the_first_second_and_third_analysis() {
    let model = model(FIGURE5);
    let (dates, _) = Dates::of(&model);
    let date = &dates.all[0];
    // Sites 0 to 6 are those of gold users, 7 to 9 those of bronze users.
    let program =
        cfg(&format!("{GOLD}1 - 4\n4 bronze.create 5\n5 bronze.activate 5\n5 bronze.whitelist 5"));
    let first = analyse(&dates, &program, Depth::Absent);
    let without_transfer = all_of(&model, &dates, &["transfer"]);
    assert_eq!(without_transfer.len(), 16 - 3);
    assert_eq!(shown(&model, date, &first.reduced.parts[0]), without_transfer);
    assert!(first.silenced[0].is_empty());

    let second = analyse(&dates, &program, Depth::Objects);
    let bronze =
        residual1(date, &first.reduced.parts[0], &first.reduced.live, &program, 1, &none());
    assert_eq!(shown(&model, date, &bronze), Vec::<String>::new());
    assert_eq!(second.silenced[0], (7..10).collect());
    assert_eq!(shown(&model, date, &second.reduced.parts[0]), without_transfer);

    let third = analyse(&dates, &program, Depth::Flow);
    assert_eq!(
        shown(&model, date, &third.reduced.parts[0]),
        ["qa create qb", "qb activate qc", "qb pay qd"]
    );
    // What is left need not hear of lists any more: neither of them, nor of bronze users.
    let left: Vec<usize> = (0..10).filter(|s| !third.silenced[0].contains(s)).collect();
    let events: Vec<&str> = left.iter().map(|s| program.sites[*s].event.as_str()).collect();
    assert_eq!(events, ["create", "activate", "pay", "pay"]);
}

const MENU: &str = r"
GLOBAL {
  FOREACH (User u) {
    VARIABLES { int deposits = 0; }
    EVENTS {
      deposit(User u)      = {User u.deposit(*)}
      withdraw(User u)     = {User u.withdraw(*)}
      transfer(User u)     = {User u.transfer(*)}
      view(User u)         = {User u.view()}
      delete_entry(User u) = {User u.delete()}
      delete_exit(User u)  = {User u.delete() uponReturning()}
    }
    PROPERTY P1 {
      STATES { BAD { bad } NORMAL { inDelete good } STARTING { start } }
      TRANSITIONS {
        start -> bad      [deposit]
        start -> bad      [withdraw]
        start -> inDelete [delete_entry]
        inDelete -> good  [delete_exit]
        inDelete -> bad   [deposit]
      }
    }
    PROPERTY P2 {
      STATES { BAD { bad } NORMAL { once } STARTING { start } }
      TRANSITIONS { start -> once [withdraw] once -> bad [withdraw] }
    }
    PROPERTY P3 {
      STATES { BAD { bad } NORMAL { rich } STARTING { start } }
      TRANSITIONS { start -> start [view] start -> rich [deposit] rich -> bad [transfer] }
    }
    PROPERTY P4 {
      STATES { BAD { bad } STARTING { start } }
      TRANSITIONS {
        start -> start [deposit\\deposits++;]
        start -> bad   [delete_entry\deposits > 0\]
      }
    }
  }
}
";

#[test]
fn the_menu() {
    let model = larva(MENU);
    let (dates, _) = Dates::of(&model);
    let program = cfg("0 u.deposit 0\n0 u.transfer 0\n0 u.view 0\n\
                       0 u.delete_entry 1\n1 u.delete_exit 2");
    let found = analyse(&dates, &program, Depth::Flow);
    let left = |at: usize| shown(&model, &dates.all[at], &found.reduced.parts[at]);
    assert_eq!(left(0), ["start delete_entry inDelete", "start deposit bad"]);
    assert_eq!(left(1), Vec::<String>::new());
    assert!(dates.all[1].is_proven(&found.reduced.parts[1]));
    assert_eq!(left(2), ["rich transfer bad", "start deposit rich"]);
    assert_eq!(left(3), ["start delete_entry bad", "start deposit start"]);
    let p1 = &dates.all[0];
    let roles = p1.roles(&found.reduced.parts[0], &BTreeSet::new());
    assert_eq!(names(p1, roles.good_entry), ["inDelete"]);
}

/// What a program in Java leaves of each property of a model: the transitions, and how many sites are
/// silenced; `None` without a JDK.
fn left_by(model: &Model, program: &str) -> Option<Vec<(Vec<String>, usize)>> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clarva").join(program);
    let found = residuals_of(model, &sources, &[Depth::Flow], &format!("clarva-{program}"))?;
    let (dates, _) = Dates::of(model);
    let silenced = |s: &&SiteReport| matches!(s.status, Status::Silenced(_));
    let left = found[0].properties.iter().zip(&dates.all).map(|(residual, date)| {
        let lost = &residual.lost.transitions;
        let stays = |arm: &Arm| matches!(arm, Arm::Then(id) if !lost.contains(id));
        let part: Vec<bool> = date.edges.iter().map(|edge| stays(&edge.arm)).collect();
        (shown(model, date, &part), residual.sites.iter().filter(silenced).count())
    });
    Some(left.collect())
}

/// The same menu as a program in Java.
#[test]
fn the_menu_as_a_program() {
    // Needs a JDK; `jdk` says so where there is none, and fails under CI.
    let Some(left) = left_by(&larva(MENU), "menu") else { return };
    let transitions: Vec<Vec<&str>> =
        left.iter().map(|(lines, _)| lines.iter().map(String::as_str).collect()).collect();
    assert_eq!(transitions[0], ["start delete_entry inDelete", "start deposit bad"]);
    assert_eq!(transitions[1], Vec::<&str>::new());
    assert_eq!(transitions[2], ["rich transfer bad", "start deposit rich"]);
    assert_eq!(transitions[3], ["start delete_entry bad", "start deposit start"]);
}

/// The program of Figure 3 that cannot go wrong, in Java.
#[test]
fn figure_3_a_program_in_java_that_cannot_go_wrong() {
    let at_calls = |text: &str| {
        let line = |line: &str| match line.strip_prefix("event ").and_then(|l| l.split_once('(')) {
            Some((name, _)) => format!("event {name}(u) = jvm before call User.{name}() on u\n"),
            None => format!("{line}\n"),
        };
        text.lines().map(line).collect::<String>()
    };
    // Needs a JDK; `jdk` says so where there is none, and fails under CI.
    let Some(left) = left_by(&model(&at_calls(FIGURE3)), "transfers") else { return };
    assert_eq!(left, [(Vec::new(), 3)]);
}
