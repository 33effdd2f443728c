//! Random properties of both dialects, as `.ww` and back: the same verdicts on random traces.

use watchword_model::{Event, Model, Value};
use watchword_monitor::reference::Reference;
use watchword_spec::{Lang, convert};

use super::{load, model};
use watchword_testing::Random;

/// What a run says, in an order of its own.
fn verdicts(model: &Model, events: &[Event]) -> Vec<String> {
    let mut reference = Reference::new(model.clone());
    for event in events {
        reference.step(event).expect("there is no time");
    }
    reference.end();
    let mut said: Vec<String> = reference
        .reports()
        .iter()
        .map(|r| format!("{} {:?} {}", r.index, r.binding, r.message))
        .collect();
    said.sort();
    said
}

/// The same events in another model, by their names.
fn moved(from: &Model, to: &Model, events: &[Event]) -> Vec<Event> {
    let moved = |e: &Event| {
        let name = &from.events[e.kind.index()].name;
        to.event(name).map(|kind| Event { kind, ..e.clone() })
    };
    events.iter().filter_map(moved).collect()
}

const METHODS: [&str; 5] = ["A.m", "A.n", "B.m", "p.C.<init>", "other"];

fn classic(random: &mut Random) -> String {
    let states = ["start", "a", "b"];
    let observe = *random.pick(&["<*>", "<A.*>", "<A.{m,n},B.*>", "<{A,p.*}.*>"]);
    let mut text = format!("property P\n  message \"m {{x}} \\ \"\n  observe {observe}\n");
    if random.below(3) == 0 {
        text.push_str("  prefix <A>\n  prefix <p.{C,D}>\n");
    }
    // Every way to a comparison binds: both registers are bound on the way out of `start`.
    text.push_str("  start -> start: *\n  start -> a: call <A.*>(X, Y)\n");
    for _ in 0..2 + random.below(5) {
        let source = *random.pick(&states);
        let target = *random.pick(&["a", "b", "error", "error"]);
        let labels: Vec<String> =
            (0..1 + random.below(2)).map(|_| label(random, source != "start")).collect();
        let bind = if source == "start" { "call <A.*>(X, Y)" } else { &labels.join(", ") };
        text.push_str(&format!("  {source} -> {target}: {bind}\n"));
    }
    text.push_str("  a -> error: call <B.m>(x, *)\n");
    text
}

fn value(random: &mut Random, compares: bool) -> &'static str {
    let bound: &[&str] =
        &["x", "y", "!x", "!y", "X", "*", "<1>", "!<null>", "<true>", "<\"t\\n\">"];
    let free: &[&str] = &["*", "<1>", "!<2>", "<null>"];
    random.pick::<&'static str>(if compares { bound } else { free })
}

fn label(random: &mut Random, compares: bool) -> String {
    let method = match random.below(5) {
        0 => "*".to_string(),
        1 => "(!<A.m>)".to_string(),
        2 => "<{A,B}.m>".to_string(),
        3 => "<p.C.\\<init\\>>".to_string(),
        _ => format!("<{}>", ["A.m", "B.*", "m"][random.below(3)]),
    };
    let letter = *random.pick(&["", "call ", "return "]);
    let result = match letter {
        "call " => String::new(),
        _ if random.below(2) == 0 => format!("{} := ", value(random, compares)),
        _ => String::new(),
    };
    let hidden = letter == "return ";
    let args = match random.below(4) {
        0 => "[*]".to_string(),
        1 => format!("[{}]", random.below(3)),
        _ if hidden => "(*)".to_string(),
        _ => {
            let first = value(random, compares).replace('X', "Y");
            let result_binds = result.starts_with("X");
            let second = if result_binds { "*" } else { value(random, false) };
            if random.below(2) == 0 { format!("({first})") } else { format!("({first}, {second})") }
        }
    };
    let receiver = if !hidden && random.below(4) == 0 && args == "[*]" { "x." } else { "" };
    let receiver = if compares { receiver } else { "" };
    format!("{letter}{result}{receiver}{method}{args}")
}

fn values(random: &mut Random) -> Value {
    match random.below(9) {
        0 => Value::Null,
        1 => Value::Bool(true),
        2 => Value::Bool(false),
        3 => Value::Int(0),
        4 => Value::Int(1),
        5 => Value::str("t\n"),
        n => Value::object(n as u64),
    }
}

fn calls(random: &mut Random, model: &Model) -> Vec<Event> {
    let kinds = ["call", "return"].map(|n| model.event(n).expect("declared"));
    (0..random.below(14))
        .map(|_| {
            let at = random.below(2);
            let mut names = vec![Value::str(random.pick::<&str>(&METHODS))];
            if random.below(4) == 0 {
                names.push(Value::str(random.pick::<&str>(&METHODS)));
            }
            let method = match names.len() {
                1 => names.remove(0),
                _ => Value::List(std::sync::Arc::new(names)),
            };
            let count = random.below(3) + at;
            let rest = (0..count).map(|_| values(random));
            Event::new(kinds[at], std::iter::once(method).chain(rest.collect::<Vec<_>>()).collect())
        })
        .collect()
}

fn infer(random: &mut Random) -> String {
    let mut text = String::from("property P\n  prefix \"A\"\n");
    text.push_str("  start -> start: *\n  start -> a: m(X, Y, R) => x := X; y := R\n");
    for _ in 0..2 + random.below(4) {
        let name = *random.pick(&["m", "\"A.*\"", "!m", "\"\\\\(A\\\\|B\\\\).n\"", "@\"Safe\" m"]);
        let name = if random.below(8) == 0 { "#ArrayWrite" } else { name };
        let typed = if name == "#ArrayWrite" || random.below(3) > 0 { "" } else { ": \".*T\"" };
        let binders = if name == "#ArrayWrite" { "(X, Y)" } else { "(X, Y, R)" };
        let binders = binders.replacen('X', &format!("X{typed}"), 1);
        let conditions =
            ["X == x", "x == Y", "X != x", "X < Y", "X >= 1", "Y == \"t\"", "X", "x == y", "y > 0"];
        let condition = match random.below(3) {
            0 => String::new(),
            1 => format!(" when {}", random.pick(&conditions)),
            _ => format!(" when {} && {}", random.pick(&conditions), random.pick(&conditions)),
        };
        let action = *random.pick(&["", "", " => x := Y", " => x := X; y := Y"]);
        let target = *random.pick(&["a", "error"]);
        text.push_str(&format!("  a -> {target}: {name}{binders}{condition}{action}\n"));
    }
    text.push_str("  a -> error: n(X, Y, R) when X == x\n");
    text
}

fn completed(random: &mut Random, model: &Model) -> Vec<Event> {
    let list = |items: Vec<Value>| Value::List(std::sync::Arc::new(items));
    (0..random.below(12))
        .map(|_| {
            if random.below(8) == 0
                && let Some(write) = model.event("array_write")
            {
                let index = Value::Int(random.below(2) as i64);
                return Event::new(write, vec![values(random), index, values(random)]);
            }
            let annotations = if random.below(2) == 0 { vec![] } else { vec![Value::str("Safe")] };
            let types = if random.below(2) == 0 {
                vec![]
            } else {
                vec![list(vec![Value::str("S"), Value::str("my.T")]), list(vec![]), list(vec![])]
            };
            let mut args = vec![
                Value::str(random.pick::<&str>(&["A.m", "m", "A.n", "n", "B.n"])),
                list(annotations),
                list(types),
            ];
            args.extend((0..2 + random.below(2)).map(|_| values(random)));
            Event::new(model.event("done").expect("declared"), args)
        })
        .collect()
}

/// How often a pair of properties said something, and said the same.
fn agree(original: &Model, other: &Model, traces: &[Vec<Event>], text: &str) -> usize {
    let mut said = 0;
    for events in traces {
        let expected = verdicts(original, events);
        let found = verdicts(other, &moved(original, other, events));
        assert_eq!(found, expected, "{text}\n{events:#?}");
        said += expected.len();
    }
    said
}

#[test]
fn random_properties_of_classic_topl_there_and_back() {
    let mut random = Random::new(11);
    let (mut made, mut said, mut back) = (0, 0, 0);
    while made < 150 {
        let text = classic(&mut random);
        let Some(original) = load(Lang::Topl, &text).model else { continue };
        made += 1;
        let traces: Vec<Vec<Event>> = (0..20).map(|_| calls(&mut random, &original)).collect();
        let ww = convert::to_ww(&original, &[]).expect("can be written");
        let other = model(Lang::Ww, &ww);
        said += agree(&original, &other, &traces, &format!("{text}\n{ww}"));
        if let Ok(topl) = convert::to_topl(&other) {
            let again = model(Lang::Topl, &topl);
            agree(&original, &again, &traces, &format!("{text}\n{ww}\n{topl}"));
            back += 1;
        }
    }
    assert!(said > 500, "only {said} reports");
    assert!(back > 50, "only {back} came back");
}

#[test]
fn random_properties_of_infers_dialect() {
    let mut random = Random::new(12);
    let (mut made, mut said) = (0, 0);
    while made < 150 {
        let text = infer(&mut random);
        let Some(original) = load(Lang::Infer, &text).model else { continue };
        made += 1;
        let traces: Vec<Vec<Event>> = (0..20).map(|_| completed(&mut random, &original)).collect();
        let ww = convert::to_ww(&original, &[]).expect("can be written");
        said += agree(&original, &model(Lang::Ww, &ww), &traces, &format!("{text}\n{ww}"));
    }
    assert!(said > 500, "only {said} reports");
}

#[test]
fn the_examples_come_back() {
    for (name, text) in super::examples() {
        let original = model(Lang::Topl, &text);
        let ww = convert::to_ww(&original, &[]).expect("can be written");
        let topl = convert::to_topl(&model(Lang::Ww, &ww)).unwrap_or_else(|found| {
            panic!("{name}: {found:#?}\n{ww}");
        });
        let again = convert::to_ww(&model(Lang::Topl, &topl), &[]).expect("can be written");
        assert_eq!(again, ww, "{name}\n{topl}");
        assert_eq!(watchword_spec::format(&ww).expect("well-formed"), ww, "{name} is laid out");
    }
}

#[test]
fn what_topl_lacks_is_refused_with_its_place() {
    let head = "event call(method, ..) = program call\nevent return(method, value, ..) = program \
                return\nevent tick(x)\n";
    let state = "start state S { on call(_, ?x, _) -> B }\nbad state B\n";
    let refused = [
        ("property «P»(x) { start state S { on tick(x) -> B } bad state B }", "instances"),
        ("«event other»\nproperty P { also call, return, other\nSTATE }", "`other`"),
        ("property P { also call, return\nSTATE pending state «W» }", "end of a run"),
        ("property P { also call, return\nSTATE good state «G» }", "satisfactions"),
        ("property P { also call, return\nSTATE state «W» within 5 s else drop }", "no time"),
        ("property P { also call, return\nSTATE bad state «B2» }", "one state of violations"),
        ("property P { also call, return\nvar «n» = 0\nSTATE }", "first value"),
        (
            "property P { start state S { on «call(_, ?x, ..)» if arg(2) == 3 -> B } bad state B }",
            "guard",
        ),
        ("property P { start state S { «on call(_, ?x)» -> B \"m\" } bad state B }", "messages"),
        (
            "property P { var y\nstart state S { «on call(_, ?x)» { y = 1 } -> B } bad state B }",
            "updates",
        ),
        (
            "property P { also return\nstart state S { «on call(_) then call(_) then call(_)» -> B } \
             bad state B }",
            "at most two",
        ),
    ];
    for (marked, what) in refused {
        let marked = format!("{head}{}", marked.replace("STATE", state));
        let start = marked.find('«').expect("a mark");
        let text = marked.replace(['«', '»'], "");
        let found = convert::to_topl(&model(Lang::Ww, &text)).expect_err(&text);
        let hit = found.iter().find(|d| d.message.contains(what));
        let hit = hit.unwrap_or_else(|| panic!("{text}: {found:#?}"));
        assert_eq!(hit.code, "WW0912");
        let span = hit.span.start as usize..hit.span.end as usize;
        assert!(span.contains(&start) || hit.span.start as usize == start, "{text}: {hit:#?}");
    }
}

/// Infer's dialect compares constants of any kinds; `.ww` files refuse to.
#[test]
fn comparisons_of_different_kinds_are_written_as_what_they_are() {
    let text = "property P
  start -> s: foo(X, Ret) when 0 == \"s\"
  start -> error: foo(X, Ret) when 0 != \"s\"
";
    let ww = convert::to_ww(&model(Lang::Infer, text), &[]).expect("can be written");
    assert!(ww.contains("and false") && ww.contains("and true"), "{ww}");
    model(Lang::Ww, &ww);
}

/// A receiver with any number of arguments beside it.
#[test]
fn labels_with_a_receiver_and_any_arguments_convert_back() {
    let text = "property P
  observe <a.B.*>
  start -> start: *
  start -> s: X.<a.B.write>[*]
  s -> t: x.<a.B.close>[0]
  t -> error: <true> := x.<a.B.write>[*], *.*
";
    let ww = convert::to_ww(&model(Lang::Topl, text), &[]).expect("can be written");
    let topl = convert::to_topl(&model(Lang::Ww, &ww)).expect("converts back");
    assert!(topl.contains("X.<a.B.write>[*]") && topl.contains("call *.<*>[*]"), "{topl}");
    let again = convert::to_ww(&model(Lang::Topl, &topl), &[]).expect("can be written");
    assert_eq!(again, ww);
}
