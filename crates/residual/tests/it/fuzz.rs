//! Random programs: the trace without silenced events gives the same verdicts at the same places.

use std::collections::HashSet;
use std::rc::Rc;

use watchword_model::{Model, PropertyId};
use watchword_residual::body::{BodyId, ClassName, Node, Op, Source};
use watchword_residual::check::check;
use watchword_residual::flow::Flows;
use watchword_residual::local::silence;
use watchword_residual::machine::Machines;
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

const PAIRS: [&str; 4] = [
    "event create(c, i)\nevent update(c)\nevent next(i)\n\
     property SafeIterator(c, i) { never create next* update+ next }",
    "event view(m, v)\nevent create(v, i)\nevent update(m)\nevent next(i)\n\
     property SafeMap(m, v, i) { never view update* create next* update+ next }",
    "event a(x)\nevent b(y)\nevent ab(x, y)\n\
     property Mixed(x, y) { never a b | ab a a }",
    "event open(x)\nevent use(x, y)\nevent close(y)\n\
     property Order(x, y) { start state S { on use(x, y) -> U on close(y) -> C } \
     pending state U { on close(y) -> S on open(x) -> B } state C { on use(x, y) -> B } bad state B }",
];

pub fn property(random: &mut Random) -> String {
    match random.below(8) {
        n @ 0..=3 => PAIRS[n].to_owned(),
        _ => single(random),
    }
}

/// What the analysis silences in a program.
pub fn analyse(program: &Program, machines: &Machines) -> HashSet<u32> {
    let flows = Flows::new(program);
    let mut silenced = HashSet::new();
    for (index, body) in program.bodies.iter().enumerate() {
        if let Some(flow) = flows.of(BodyId(index as u32), body) {
            let found = silence(body, &flow, machines);
            if let Err(why) = check(body, &flow, machines, &found) {
                panic!("the checker disagrees: {why}");
            }
            silenced.extend(found.silenced);
        }
    }
    silenced
}

struct Tally {
    programs: usize,
    changed: usize,
    silenced: usize,
    sites: usize,
}

/// Programs, analysed after `broken` has changed what the analysis sees of them; stops at the first
/// difference if there should be one.
fn compare(
    seed: u64,
    programs: usize,
    broken: &dyn Fn(&Program) -> Program,
    until_changed: bool,
) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally { programs, changed: 0, silenced: 0, sites: 0 };
    for index in 0..programs {
        if until_changed && tally.changed > 0 {
            break;
        }
        let text = property(&mut random);
        let model = model(&text);
        let Ok(machines) = Machines::of(&model, PropertyId(0)) else { panic!("{text}") };
        if machines.letters.is_empty() {
            continue;
        }
        let program = Generator::program(&mut random, &machines.letters);
        let silenced = analyse(&broken(&program), &machines);
        tally.sites += program.sites as usize;
        tally.silenced += silenced.len();
        for _ in 0..if silenced.is_empty() { 0 } else { 15 } {
            let trace = Interpreter::run(&program, &machines.letters, &mut random);
            let full = verdicts(&model, &machines, &trace, &HashSet::new());
            let residual = verdicts(&model, &machines, &trace, &silenced);
            if full != residual {
                tally.changed += 1;
                if !until_changed && std::env::var_os("RESIDUAL_SHOW").is_some() {
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

#[test]
fn random_programs_keep_their_verdicts() {
    let programs = match std::env::var("RESIDUAL_SOAK") {
        Ok(count) => count.parse().expect("a number"),
        Err(_) => 150,
    };
    let tally = compare(1, programs, &Program::clone, false);
    println!("{} programs, {} of {} sites silenced", tally.programs, tally.silenced, tally.sites);
    assert_eq!(tally.changed, 0);
    assert!(tally.silenced * 20 > tally.sites, "next to nothing is silenced");
}

/// What the analysis would see if it ignored a rule.
fn mutant(change: impl Fn(&mut Node)) -> impl Fn(&Program) -> Program {
    move |program| {
        let mut program = program.clone();
        for body in &mut program.bodies {
            Rc::make_mut(body).nodes.iter_mut().for_each(&change);
        }
        program
    }
}

fn is_caught(name: &str, broken: &dyn Fn(&Program) -> Program) {
    let tally = compare(7, 3000, broken, true);
    assert!(tally.changed > 0, "nobody noticed: {name}");
}

#[test]
fn a_field_that_counts_as_new_is_caught() {
    is_caught(
        "fields hold new objects",
        &mutant(|node| {
            if let Op::Load(to, _) = node.op {
                node.op = Op::New(to, ClassName(0));
            }
        }),
    );
}

#[test]
fn a_store_that_does_not_escape_is_caught() {
    is_caught(
        "stores keep objects inside",
        &mutant(|node| {
            if let Op::Store(..) = node.op {
                node.op = Op::Move(Vec::new());
            }
        }),
    );
}

#[test]
fn missing_exceptional_edges_are_caught() {
    is_caught("no exceptions", &mutant(|node| node.handlers.clear()));
}

#[test]
fn a_result_that_counts_as_new_is_caught() {
    is_caught(
        "calls return new objects and keep nothing",
        &mutant(|node| {
            if let Op::Call(call) = &node.op
                && let Some(to) = call.result
            {
                node.op = Op::New(to, ClassName(0));
            }
        }),
    );
}

#[test]
fn ignored_calls_are_caught() {
    is_caught(
        "calls do nothing",
        &mutant(|node| {
            if let Op::Call(call) = &node.op {
                let result = call.result.map(|to| (to, Source::Null));
                node.op = Op::Move(result.into_iter().collect());
            }
        }),
    );
}

#[test]
fn parameters_that_count_as_nothing_are_caught() {
    is_caught("parameters are null", &|program| {
        let mut program = program.clone();
        for body in &mut program.bodies {
            Rc::make_mut(body).params.iter_mut().for_each(|param| *param = None);
        }
        program
    });
}
