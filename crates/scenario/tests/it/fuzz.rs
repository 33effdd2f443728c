//! Hostile and mutilated scenarios: never a panic, never a hang, places always inside the file.

use std::sync::Arc;

use watchword_model::Value;
use watchword_scenario::{Machine, Move, parse};

use crate::machine::Recorder;

const CORPUS: &[&str] = &[
    "accesses := 0\non entering state x do\n  accesses := accesses + 1\n  if accesses = 2 then\n    stop \"second\"\n  else\n    print accesses, q\n",
    "on leaving non-accepting state of Q do\n  restore\n  for i in range(0, 9) do\n    watch \"c[\" + i + \"]\" do checkpoint\n",
    "l := [1, [2, \"a\"]]\non entering any state do while len(l) < 5 do l := l + [call \"f()\"]\n",
    "on entering state P.x do c := checkpoint \"é\"; set \"n\" to -1 * (2 + 3); delete; quit # end\n",
];

const PIECES: &[&str] = &[
    "on",
    " entering ",
    " state ",
    "do",
    "\n",
    "\n  ",
    "\n    ",
    "\t",
    "(",
    ")",
    "[",
    "]",
    ":=",
    "if ",
    " then ",
    " else ",
    "\"",
    "'",
    "\\",
    "é",
    "\0",
    "-",
    "not ",
    "value(",
    "9999999999999999999",
    "watch ",
    " and ",
    ";",
    "#",
    "\r\n",
    "non-accepting",
    "while true do",
    ".",
    "of",
];

/// Numbers from a seed (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn mutate(random: &mut Random) -> String {
    let mut text: Vec<char> = CORPUS[random.below(CORPUS.len())].chars().collect();
    for _ in 0..=random.below(6) {
        let at = random.below(text.len() + 1);
        match random.below(4) {
            0 => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..at, piece.chars());
            }
            1 => {
                let end = (at + random.below(8)).min(text.len());
                text.drain(at..end);
            }
            2 => {
                let other: Vec<char> = CORPUS[random.below(CORPUS.len())].chars().collect();
                let from = random.below(other.len());
                let to = (from + random.below(40)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
            _ => text.truncate(at),
        }
    }
    text.into_iter().collect()
}

#[test]
fn mutilated_scenarios() {
    let mut random = Random(0x5ced_1234);
    let binding = [(Arc::from("q"), Value::Int(1))];
    let mut ran = 0;
    for _ in 0..20_000 {
        let text = mutate(&mut random);
        let (scenario, said) = parse(&text, "fuzz.scn");
        for diagnostic in &said {
            let range = diagnostic.span.start as usize..diagnostic.span.end as usize;
            assert!(text.get(range).is_some(), "{diagnostic:?} is outside of {text:?}");
        }
        if said.is_empty() && !text.contains("while") {
            ran += 1;
            let step = Move {
                property: "P",
                left: "x",
                left_accepting: false,
                entered: "x",
                entered_accepting: true,
                binding: &binding,
            };
            Machine::new(scenario).react(&[step, step], &mut Recorder::default());
        }
    }
    assert!(ran > 1000, "only {ran} were still scenarios");
}

#[test]
fn deep_and_long_scenarios() {
    for text in [
        format!("x := {}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("x := {}1", "-".repeat(100_000)),
        format!("x := {}true", "not ".repeat(100_000)),
        format!("x := 1{}", " + 1".repeat(100_000)),
        format!("x := y{}", "[0]".repeat(100_000)),
        format!("on entering any state do {}stop", "if true then ".repeat(10_000)),
        format!("on entering any state do if a then stop{}", " else if b then stop".repeat(10_000)),
        (0..2000).fold("on entering any state do\n".to_string(), |text, depth| {
            text + &" ".repeat(depth + 1) + "if true then\n"
        }),
        "x := 1\n".repeat(10_000),
        "%\n".repeat(10_000),
        "x".repeat(2 << 20),
    ] {
        let (_, said) = parse(&text, "deep.scn");
        assert!(!said.is_empty());
        assert!(said.len() <= 60, "{}", said.len());
    }
}
