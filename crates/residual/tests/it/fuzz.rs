//! Random programs: the trace without silenced events gives the same verdicts at the same places.

use std::collections::HashSet;
use std::rc::Rc;

use watchword_model::{Model, PropertyId};
use watchword_residual::body::BodyId;
use watchword_residual::check::check;
use watchword_residual::flow::Flows;
use watchword_residual::machine::Machines;
use watchword_residual::mistake::{Mistake, make};
use watchword_residual::tiers::t2_methods::silence;
use watchword_spec::SourceFile;

use crate::mini::{Generator, Interpreter, Program, verdicts};
use crate::random::Random;

pub fn model(text: &str) -> Rc<Model> {
    let loaded =
        watchword_spec::load(&[SourceFile::new("test.ww", text)], &|_, path| Err(path.to_owned()));
    let errors: Vec<String> = loaded
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| d.render(&loaded.files, false))
        .collect();
    Rc::new(loaded.model.unwrap_or_else(|| panic!("{text}\n{}", errors.join("\n"))))
}

/// A random property with one parameter.
fn single(random: &mut Random) -> String {
    let names = ["a", "b", "c"];
    let letters = 1 + random.below(3);
    let states = 2 + random.below(3);
    let mut text = String::new();
    for name in &names[..letters] {
        text += &format!("event {name}(x)\n");
    }
    text += "property P(x) {\n";
    for state in 0..states {
        let kind = match (state, random.below(6)) {
            (0, 0) => "start pending ",
            (0, _) => "start ",
            (_, 0) => "pending ",
            (_, 1) => "good ",
            (s, _) if s == states - 1 => "bad ",
            _ => "",
        };
        text += &format!("  {kind}state S{state} {{\n");
        for name in &names[..letters] {
            if random.chance(75) {
                text += &format!("    on {name}(x) -> S{}\n", random.below(states));
            }
        }
        text += "  }\n";
    }
    text + "}\n"
}

const PAIRS: [&str; 6] = [
    "event create(c, i)\nevent update(c)\nevent next(i)\n\
     property SafeIterator(c, i) { never create next* update+ next }",
    "event view(m, v)\nevent create(v, i)\nevent update(m)\nevent next(i)\n\
     property SafeMap(m, v, i) { never view update* create next* update+ next }",
    "event a(x)\nevent b(y)\nevent ab(x, y)\n\
     property Mixed(x, y) { never a b | ab a a }",
    "event open(x)\nevent use(x, y)\nevent close(y)\n\
     property Order(x, y) { start state S { on use(x, y) -> U on close(y) -> C } \
     pending state U { on close(y) -> S on open(x) -> B } state C { on use(x, y) -> B } bad state B }",
    // Co-safety: good prefixes, of one object and of two.
    "event a(x)\nevent b(x)\nevent c(x)\n\
     property Reached(x) { start pending state S { on a(x) -> A } \
     pending state A { on b(x) -> B on c(x) -> S } pending state B { on c(x) -> G } good state G }",
    "event open(x)\nevent use(x, y)\nevent close(y)\n\
     property Used(x, y) { start state S { on open(x) -> O } \
     pending state O { on use(x, y) -> U } state U { on close(y) -> G on open(x) -> S } good state G }",
];

pub fn property(random: &mut Random) -> String {
    match random.below(10) {
        n @ 0..=5 => PAIRS[n].to_owned(),
        _ => single(random),
    }
}

/// How programs are analysed and run.
#[derive(Clone, Copy, Default)]
struct Mode {
    /// There is one thread only.
    alone: bool,
    /// The mistake the analysis makes, if any.
    mistake: Option<Mistake>,
}

/// What the analysis silences in a program.
fn analyse(program: &Program, machines: &Machines, mode: Mode) -> HashSet<u32> {
    make(mode.mistake);
    let flows = Flows::new(program);
    let mut silenced = HashSet::new();
    for (index, body) in program.bodies.iter().enumerate() {
        if let Some(flow) = flows.of(BodyId(index as u32), body) {
            let found = silence(body, &flow, machines, mode.alone);
            if mode.mistake.is_none()
                && let Err(why) = check(body, &flow, machines, mode.alone, &found)
            {
                panic!("the checker disagrees: {why}");
            }
            silenced.extend(found.silenced);
        }
    }
    make(None);
    silenced
}

struct Tally {
    programs: usize,
    changed: usize,
    silenced: usize,
    sites: usize,
}

/// Programs, run with and without their silenced sites; stops at the first difference if a mistake
/// is made.
fn compare(seed: u64, programs: usize, mode: Mode) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally { programs, changed: 0, silenced: 0, sites: 0 };
    for index in 0..programs {
        if mode.mistake.is_some() && tally.changed > 0 {
            break;
        }
        let text = property(&mut random);
        let model = model(&text);
        let Ok(machines) = Machines::of(&model, PropertyId(0)) else { panic!("{text}") };
        if machines.letters.is_empty() {
            continue;
        }
        let program = Generator::program(&mut random, &machines.letters);
        let silenced = analyse(&program, &machines, mode);
        tally.sites += program.sites as usize;
        tally.silenced += silenced.len();
        for _ in 0..if silenced.is_empty() { 0 } else { 15 } {
            let trace = Interpreter::run(&program, &machines.letters, &mut random, mode.alone);
            let full = verdicts(&model, &machines, &trace, &HashSet::new());
            let residual = verdicts(&model, &machines, &trace, &silenced);
            if full != residual {
                tally.changed += 1;
                if mode.mistake.is_none() && std::env::var_os("RESIDUAL_SHOW").is_some() {
                    println!(
                        "program {index} of seed {seed}\n{text}\nsilenced {silenced:?}\n{trace:?}\nfull {full:#?}\nresidual {residual:#?}"
                    );
                    for body in &program.bodies {
                        println!("body {:?}", body.params);
                        for (n, node) in body.nodes.iter().enumerate() {
                            println!(
                                "  {n}: {:?} next {:?} handlers {:?} out {} events {:?}",
                                node.op, node.next, node.handlers, node.throws_out, node.events
                            );
                        }
                    }
                    panic!("see above");
                }
                break;
            }
        }
    }
    tally
}

/// How many programs: what `RESIDUAL_SOAK` says, if it says something.
pub fn count(otherwise: usize) -> usize {
    match std::env::var("RESIDUAL_SOAK") {
        Ok(count) => count.parse().expect("a number"),
        Err(_) => otherwise,
    }
}

#[test]
fn random_programs_keep_their_verdicts() {
    let tally = compare(1, count(150), Mode::default());
    println!("{} programs, {} of {} sites silenced", tally.programs, tally.silenced, tally.sites);
    assert_eq!(tally.changed, 0);
    assert!(tally.silenced * 20 > tally.sites, "next to nothing is silenced");
}

#[test]
fn random_programs_of_one_thread_keep_their_verdicts() {
    let alone = Mode { alone: true, mistake: None };
    let tally = compare(2, count(150), alone);
    println!("{} programs, {} of {} sites silenced", tally.programs, tally.silenced, tally.sites);
    assert_eq!(tally.changed, 0);
    // Of the same programs, more is silenced than if there may be threads.
    let (mut random, mut more, mut fewer) = (Random::new(2), 0, 0);
    for _ in 0..count(150) {
        let model = model(&property(&mut random));
        let Ok(machines) = Machines::of(&model, PropertyId(0)) else { continue };
        if machines.letters.is_empty() {
            continue;
        }
        let program = Generator::program(&mut random, &machines.letters);
        let silenced = [alone, Mode::default()].map(|mode| analyse(&program, &machines, mode));
        more += silenced[0].len();
        fewer += silenced[1].len();
    }
    println!("{more} sites with one thread, {fewer} with any");
    assert!(more > fewer, "the assumption gains nothing");
}

/// Every rule is needed: without it, some program is reported about differently. Takes minutes:
/// `make soak` runs it.
#[test]
fn every_broken_rule_is_noticed() {
    if std::env::var_os("RESIDUAL_SOAK").is_none() {
        println!("left out: `make soak` breaks every rule");
        return;
    }
    let mut unnoticed = Vec::new();
    for mistake in Mistake::OF_METHODS {
        let tally = compare(7, 4000, Mode { alone: false, mistake: Some(mistake) });
        if tally.changed == 0 {
            unnoticed.push(mistake);
        }
    }
    assert!(unnoticed.is_empty(), "nobody noticed: {unnoticed:?}");
}
