//! What is refused, and where.

use watchword_scenario::{check, parse};
use watchword_spec::{Diagnostic, SourceFile, load};

fn said(text: &str) -> Vec<Diagnostic> {
    parse(text, "test.scn").1
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (text, code, at) in [
        ("on entering state x do\nstop\n", "WW0101", "stop"),
        ("on entring state x do stop\n", "WW0101", "entring"),
        ("on entering x do stop\n", "WW0101", "x do"),
        ("on entering state x do\n  jump\n", "WW0101", "jump"),
        ("on entering state x do\n  print\n", "WW0101", "\n"),
        ("on entering state x do\n    stop\n  stop\n", "WW0101", "  stop\n"),
        ("x := 1\nx := 2\n", "WW0201", "x := 2"),
        ("x := y\n", "WW0953", "y"),
        ("x := value(\"n\")\n", "WW0953", "value"),
        ("stop := 1\n", "WW0101", "stop"),
        ("entered := 1\n", "WW0207", "entered"),
        ("x := \"abc\n", "WW0002", "\"abc"),
        ("x := \"a\\qb\"\n", "WW0003", "\\q"),
        ("x := 99999999999999999999\n", "WW0004", "999"),
        ("x := 1 ? 2\n", "WW0001", "?"),
        ("x := 1 < 2 < 3\n", "WW0101", "< 3"),
        ("x := len(1, 2)\n", "WW0212", "len"),
        ("  x := 1\n", "WW0101", "  x"),
    ] {
        let said = said(text);
        let first = said.first().unwrap_or_else(|| panic!("nothing said about {text:?}"));
        assert_eq!(first.code, code, "{text:?}: {said:#?}");
        let start = first.span.start as usize;
        assert!(text[start..].starts_with(at), "{text:?}: at {:?}", &text[start..]);
    }
}

#[test]
fn reading_goes_on_after_a_mistake() {
    let text = "
on entering state x do
  jump
  stop
on entring state y do
  stop
  stop
on leaving state z do
  print )
  stop
";
    let said = said(text);
    let lines: Vec<usize> =
        said.iter().map(|d| text[..d.span.start as usize].matches('\n').count()).collect();
    assert_eq!(lines, [2, 4, 8], "{said:#?}");
}

#[test]
fn layouts() {
    for text in [
        "on entering state x do if a then stop else print 1\na := true\n",
        "a := true\non entering state x do\n  if a then stop\n  else print 1\n  print 2\n",
        "a := 1\non entering state x do\n\tif a = 1 then\n\t\tstop\n\telse if a = 2 then\n\t\tprint 1\n\telse\n\t\tprint 2\n\tprint 3\n",
        "a := [1,\n 2,\n   3]\n# a remark\n\n   # another\non entering state x do # third\n  stop;\n",
        "",
        "# nothing",
        "on entering state x do\n  while a < 3 do\n    a := a + 1\n  stop",
        "on leaving non-accepting state do stop\r\non entering any state do stop\r\n",
    ] {
        assert!(said(text).is_empty(), "{text:?}: {:#?}", said(text));
    }
}

#[test]
fn a_scenario_is_compared_with_its_properties() {
    let property = "
        event e(q)
        property Queue(q) {
          start state init { on e(q) -> sink }
          bad state sink
        }";
    let refuse = |_: &str, _: &str| Err("no".to_string());
    let model = load(&[SourceFile::new("p.ww", property)], &refuse).model.expect("it loads");
    let codes = |text: &str| -> Vec<&'static str> {
        let (scenario, said) = parse(text, "test.scn");
        assert!(said.is_empty(), "{said:#?}");
        check(&scenario, &model).iter().map(|d| d.code).collect()
    };
    assert!(codes("on entering state Queue.sink do print q, slice").is_empty());
    assert!(codes("on entering state sink do n := 1; print n").is_empty());
    assert_eq!(codes("on entering state Sink do stop"), ["WW0951"]);
    assert_eq!(codes("on entering state queue.sink do stop"), ["WW0951"]);
    assert_eq!(codes("on entering any state of Q do stop"), ["WW0951"]);
    assert_eq!(codes("on entering any state do\n  break \"f\" do print r"), ["WW0952"]);
}
