//! Sets of sites of a published example, by hand: which may be silenced together and which not.

use std::collections::HashSet;
use std::rc::Rc;

use watchword_model::PropertyId;
use watchword_residual::body::*;
use watchword_residual::certify::Explorer;
use watchword_residual::flow::Flows;
use watchword_residual::machine::Machines;

use crate::fuzz::model;
use crate::mini::{FIELDS, Program};

const PROPERTY: &str = "
event open(o) event close(o) event read(o) event write(o)
property File(o) {
  start state A { on open(o) -> B on write(o) -> C }
  state B { on close(o) -> A on read(o) -> D }
  bad state C { on open(o) -> B on close(o) -> A }
  state D { on read(o) -> B on write(o) -> E on close(o) -> E }
  bad state E { on read(o) -> B }
}";

fn node(event: Option<(u32, usize)>, next: &[NodeId]) -> Node {
    let events = event.map(|(site, letter)| EventAt {
        site,
        letter,
        when: When::Before,
        operands: vec![Operand::Var(0)],
        certain: true,
    });
    Node {
        op: Op::Move(Vec::new()),
        next: next.to_vec(),
        handlers: Vec::new(),
        throws_out: false,
        clears: 0..0,
        live: !0,
        events: events.into_iter().collect(),
        offset: 0,
        initialises: false,
    }
}

/// `(close | write)*; open; close; open; (write | read)*`, all on one new object.
fn body(letter: &dyn Fn(&str) -> usize) -> Body {
    let event = |site: u32, name: &str| Some((site, letter(name)));
    let mut nodes = vec![
        node(None, &[1]),
        node(None, &[2, 3, 4]),
        node(event(1, "close"), &[1]),
        node(event(2, "write"), &[1]),
        node(event(3, "open"), &[5]),
        node(event(4, "close"), &[6]),
        node(event(5, "open"), &[7]),
        node(None, &[8, 9, 10]),
        node(event(6, "write"), &[7]),
        node(event(7, "read"), &[7]),
        node(None, &[]),
    ];
    nodes[0].op = Op::New(0, ClassName(0));
    nodes[10].op = Op::Return(None);
    Body { vars: 2, params: Vec::new(), nodes, stack: 1 }
}

#[test]
fn sets_of_sites_of_the_file_example() {
    let model = model(PROPERTY);
    let machines = Machines::of(&model, PropertyId(0)).expect("a plain property");
    let letter = |name: &str| {
        machines.letters.iter().position(|l| l.name == name).expect("a letter of the property")
    };
    let body = Rc::new(body(&letter));
    let program = Program { bodies: vec![body.clone()], sites: 8, confined: vec![false; FIELDS] };
    let flow = Flows::new(&program).of(BodyId(0), &body).expect("a flow");
    let explorer = Explorer::new(&body, &flow, &machines, false);
    let fillings = explorer.fillings(1).expect("few");
    assert!(!fillings.is_empty());
    let sound = |sites: &[u32]| {
        let silenced: HashSet<u32> = sites.iter().copied().collect();
        fillings.iter().all(|(m, filled)| explorer.explore(*m, filled, &silenced).is_ok())
    };
    for sites in [&[4, 5][..], &[3], &[4], &[3, 4]] {
        assert!(sound(sites), "{sites:?} may be silenced");
    }
    for sites in [&[5][..], &[3, 5], &[3, 4, 5], &[2], &[6]] {
        assert!(!sound(sites), "{sites:?} may not be silenced");
    }
}
