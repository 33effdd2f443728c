//! What reactions do, and in which order.

use std::sync::Arc;

use watchword_model::{Span, Value};
use watchword_scenario::{Flow, Host, Machine, Move, Outcome, WatchMode, parse};

/// A host that writes down what it was asked to do.
#[derive(Default)]
pub struct Recorder {
    pub log: Vec<String>,
    pub points: i64,
    pub refuse: Option<&'static str>,
}

impl Recorder {
    fn note<T>(&mut self, what: String, result: T) -> Result<T, String> {
        if self.refuse.is_some_and(|word| what.starts_with(word)) {
            return Err("refused".to_string());
        }
        self.log.push(what);
        Ok(result)
    }
}

impl Host for Recorder {
    fn print(&mut self, text: &str) {
        self.log.push(format!("print {text}"));
    }
    fn backtrace(&mut self, limit: Option<u64>) -> Result<(), String> {
        self.note(format!("backtrace {limit:?}"), ())
    }
    fn checkpoint(&mut self, label: Option<&str>) -> Result<i64, String> {
        self.note(format!("checkpoint {label:?}"), 7)
    }
    fn restore(&mut self, number: Option<i64>) -> Result<(), String> {
        self.note(format!("restore {number:?}"), ())
    }
    fn set_break(&mut self, location: &str, once: bool) -> Result<i64, String> {
        self.points += 1;
        self.note(format!("break {location} {once}"), self.points)
    }
    fn set_watch(&mut self, expression: &str, mode: WatchMode) -> Result<i64, String> {
        self.points += 1;
        self.note(format!("watch {expression} {mode:?}"), self.points)
    }
    fn remove(&mut self, number: i64) -> Result<(), String> {
        self.note(format!("remove {number}"), ())
    }
    fn call(&mut self, expression: &str) -> Result<Value, String> {
        self.note(format!("call {expression}"), Value::Int(11))
    }
    fn value(&mut self, expression: &str) -> Result<Value, String> {
        self.note(format!("value {expression}"), Value::Int(5))
    }
    fn assign(&mut self, place: &str, value: &Value) -> Result<(), String> {
        self.note(format!("set {place} {value}"), ())
    }
    fn command(&mut self, line: &str) -> Result<(), String> {
        self.note(format!("command {line}"), ())
    }
    fn failed(&mut self, span: Span, message: &str) {
        self.log.push(format!("failed at {}: {message}", span.start));
    }
}

pub fn machine(text: &str) -> Machine {
    let (scenario, said) = parse(text, "test.scn");
    assert!(said.is_empty(), "{said:#?}");
    Machine::new(scenario)
}

/// A move of property `P`; states that begin with `bad` are non-accepting.
fn step<'a>(left: &'a str, entered: &'a str, binding: &'a [(Arc<str>, Value)]) -> Move<'a> {
    Move {
        property: "P",
        left,
        left_accepting: !left.starts_with("bad"),
        entered,
        entered_accepting: !entered.starts_with("bad"),
        binding,
    }
}

fn react(text: &str, moves: &[Move<'_>]) -> (Vec<String>, Outcome) {
    let mut host = Recorder::default();
    let outcome = machine(text).react(moves, &mut host);
    (host.log, outcome)
}

#[test]
fn the_papers_listing() {
    let text = "
accesses := 0

on entering state x do
  accesses := accesses + 1
  if accesses = 2 then
    print \"second\"
  else
    print \"other\"
";
    let mut machine = machine(text);
    let mut host = Recorder::default();
    for _ in 0..3 {
        machine.react(&[step("a", "x", &[])], &mut host);
        machine.react(&[step("x", "a", &[])], &mut host);
    }
    assert_eq!(host.log, ["print other", "print second", "print other"]);
    assert!(machine.variables().any(|(n, v)| n == "accesses" && v.same(&Value::Int(3))));
}

#[test]
fn a_self_loop_leaves_and_enters() {
    let text = "on leaving state x do print 1\non entering state x do print 2\n";
    assert_eq!(react(text, &[step("x", "x", &[])]).0, ["print 1", "print 2"]);
    assert_eq!(react(text, &[step("x", "y", &[])]).0, ["print 1"]);
    assert_eq!(react(text, &[step("y", "x", &[])]).0, ["print 2"]);
}

#[test]
fn reactions_run_in_the_order_they_were_written_and_slices_within_them() {
    let text = "
on entering any state do print \"a\", q
on leaving any state do print \"b\", q
";
    let one = [(Arc::from("q"), Value::Int(1))];
    let two = [(Arc::from("q"), Value::Int(2))];
    let moves = [step("x", "y", &one), step("x", "z", &two)];
    assert_eq!(react(text, &moves).0, ["print a 1", "print a 2", "print b 1", "print b 2"]);
}

#[test]
fn accepting_and_not() {
    let text = "
on entering accepting state do print \"in good\"
on entering non-accepting state do print \"in bad\"
on leaving accepting state do print \"out good\"
on leaving non-accepting state do print \"out bad\"
";
    assert_eq!(react(text, &[step("x", "bad", &[])]).0, ["print in bad", "print out good"]);
    assert_eq!(react(text, &[step("bad", "x", &[])]).0, ["print in good", "print out bad"]);
    assert_eq!(react(text, &[step("bad", "bad", &[])]).0, ["print in bad", "print out bad"]);
}

#[test]
fn reactions_can_be_about_one_property() {
    let text = "
on entering state Q.x do print 1
on entering state P.x do print 2
on entering any state of Q do print 3
on entering accepting state of P do print 4
on entering state \"odd name\" do print 5
";
    assert_eq!(react(text, &[step("y", "x", &[])]).0, ["print 2", "print 4"]);
    assert_eq!(react(text, &[step("y", "odd name", &[])]).0, ["print 4", "print 5"]);
}

#[test]
fn every_action_reaches_the_host() {
    let text = "
on entering any state do
  c := checkpoint \"before\"
  checkpoint
  restore c
  restore
  b := break \"f\"
  tbreak \"q.c:12\"
  w := watch \"p->x\"
  rwatch \"y\"
  awatch \"z\"
  delete w
  r := call \"f(1, 2)\"
  set \"n\" to r + 1
  command \"info locals\"
  backtrace
  backtrace 3
  if value(\"n\") > 4 then print property, left, entered, slice
  delete
";
    let binding = [(Arc::from("q"), Value::Ptr(16)), (Arc::from("r"), Value::Int(1))];
    let (log, outcome) = react(text, &[step("x", "y", &binding)]);
    assert_eq!(
        log,
        [
            "checkpoint Some(\"before\")",
            "checkpoint None",
            "restore Some(7)",
            "restore None",
            "break f false",
            "break q.c:12 true",
            "watch p->x Write",
            "watch y Read",
            "watch z Access",
            "remove 3",
            "call f(1, 2)",
            "set n 12",
            "command info locals",
            "backtrace None",
            "backtrace Some(3)",
            "value n",
            "print P x y q=0x10, r=1",
            "remove 1",
            "remove 2",
            "remove 4",
            "remove 5",
        ]
    );
    assert_eq!(outcome, Outcome { flow: Flow::Unsaid, restored: true });
}

#[test]
fn the_last_word_decides_how_the_program_goes_on() {
    let flow = |body: &str| {
        react(&format!("on entering any state do {body}"), &[step("a", "b", &[])]).1.flow
    };
    assert_eq!(flow("stop"), Flow::Stop(None));
    assert_eq!(flow("stop \"n = \" + 3"), Flow::Stop(Some("n = 3".into())));
    assert_eq!(flow("stop; continue"), Flow::Continue);
    assert_eq!(flow("continue; stop"), Flow::Stop(None));
    assert_eq!(flow("print 1"), Flow::Unsaid);
    let text = "on entering any state do quit; print 1\non entering any state do print 2\n";
    let (log, outcome) = react(text, &[step("a", "b", &[])]);
    assert!(log.is_empty());
    assert_eq!(outcome.flow, Flow::Quit);
}

#[test]
fn after_a_restore_the_reaction_ends_and_no_other_begins() {
    let text = "
on entering non-accepting state do
  restore
  watch \"cell\" do checkpoint
on entering any state do print \"not reached\"
";
    let (log, outcome) = react(text, &[step("a", "bad", &[]), step("b", "bad", &[])]);
    assert_eq!(log, ["restore None", "watch cell Write"]);
    assert!(outcome.restored);
}

#[test]
fn points_remember_what_to_do_and_for_which_slice() {
    let text = "
on entering state x do
  for i in range(0, 2) do
    watch \"cell[\" + i + \"]\" do
      print \"written\", q
      checkpoint
  break \"f\"
  tbreak \"g\" do print \"once\"
";
    let mut machine = machine(text);
    let mut host = Recorder::default();
    let binding = [(Arc::from("q"), Value::Int(9))];
    machine.react(&[step("a", "x", &binding)], &mut host);
    assert_eq!(
        host.log,
        ["watch cell[0] Write", "watch cell[1] Write", "break f false", "break g true"]
    );
    host.log.clear();
    assert_eq!(machine.reached(2, &mut host).flow, Flow::Continue);
    assert_eq!(host.log, ["print written 9", "checkpoint None"]);
    assert_eq!(machine.reached(3, &mut host).flow, Flow::Stop(None));
    assert!(machine.owns(4));
    machine.reached(4, &mut host);
    assert!(!machine.owns(4));
    assert_eq!(machine.reached(99, &mut host), Outcome::default());
}

#[test]
fn a_reaction_that_fails_is_told_and_the_next_one_runs() {
    let text = "on entering any state do print q\non entering any state do print 1 / 0\non entering any state do print 3\n";
    let (log, _) = react(text, &[step("a", "b", &[])]);
    assert_eq!(log.len(), 3, "{log:?}");
    assert!(log[0].contains("`q` is neither a variable"), "{log:?}");
    assert!(log[1].contains("division by zero"), "{log:?}");
    assert_eq!(log[2], "print 3");
    let mut host = Recorder { refuse: Some("checkpoint"), ..Recorder::default() };
    let mut machine = machine("on entering any state do checkpoint; print 1\n");
    machine.react(&[step("a", "b", &[])], &mut host);
    assert_eq!(host.log, ["failed at 25: refused"]);
}

#[test]
fn an_endless_loop_ends() {
    let text =
        "on entering any state do\n  while true do n := 1\non entering any state do print 1\n";
    let (log, _) = react(text, &[step("a", "b", &[])]);
    assert_eq!(log.len(), 1, "{log:?}");
    assert!(log[0].contains("actions at one event"));
    // A loop without a body that counts does not exist: a block has at least one action.
    let (log, _) =
        react("on entering any state do for i in range(0, 3) do print i\n", &[step("a", "b", &[])]);
    assert_eq!(log, ["print 0", "print 1", "print 2"]);
}

#[test]
fn expressions() {
    let value = |expr: &str| {
        let (log, _) =
            react(&format!("on entering any state do print {expr}"), &[step("a", "b", &[])]);
        log.concat()
    };
    for (expr, expected) in [
        ("1 + 2 * 3", "print 7"),
        ("(1 + 2) * 3", "print 9"),
        ("7 / 2", "print 3"),
        ("7 % 2", "print 1"),
        ("-3 + 1", "print -2"),
        ("1 = 1 and 2 != 3", "print true"),
        ("not 1 < 2 or 3 >= 3", "print true"),
        ("\"a\" + 1", "print a1"),
        ("[1, 2] + [3]", "print [1, 2, 3]"),
        ("[1, 2][1]", "print 2"),
        ("len(\"añb\")", "print 3"),
        ("len([1])", "print 1"),
        ("str(1) + str(true)", "print 1true"),
        ("int(\"12\") + 0x10", "print 28"),
        ("null", "print null"),
        ("1 == 1, 2 <> 2", "print true false"),
    ] {
        assert_eq!(value(expr), expected, "{expr}");
    }
    for expr in ["1 + true", "9223372036854775807 + 1", "[1][2]", "len(1)", "1 < \"a\""] {
        assert!(value(expr).starts_with("failed"), "{expr}: {}", value(expr));
    }
}
