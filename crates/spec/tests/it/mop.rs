//! JavaMOP specifications: what is wrong with them is said with its place, whatever they contain.

use watchword_spec::{Lang, Loaded, SourceFile, convert, lint, load_with};

use crate::mutate;
use watchword_testing::Random;

const GUIDE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mop.md"));
const CASES: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/mop.toml"));

fn load(texts: &[&str]) -> Loaded {
    let file =
        |(at, text): (usize, &&str)| (SourceFile::new(&format!("{at}.mop"), text), Lang::Mop);
    let files: Vec<_> = texts.iter().enumerate().map(file).collect();
    load_with(&files, &|_, _| Err("no".into()))
}

/// The specifications of the guide and of the cases.
fn corpus() -> Vec<&'static str> {
    let guide = GUIDE.split("```mop\n").skip(1).map(|rest| rest.split("```\n").next().unwrap());
    let cases =
        CASES.split("property = '''\n").skip(1).map(|rest| rest.split("'''").next().unwrap());
    guide.chain(cases).collect()
}

const GOOD: &str = "Good(app.Door d) {
  event open before(app.Door d) : call(* app.Door.open()) && target(d) {}
  ere : open open
  @match { System.err.println(\"twice\"); }
}
";

#[test]
fn what_is_refused_is_left_out_and_the_rest_is_monitored() {
    // What makes the specification one that is not monitored, and the reason.
    let table = [
        ("  int n = 0;\n", "members written in Java"),
        ("  void help() { int x = 1; }\n", "members written in Java"),
        ("  event e void around() : call(* A.m()) { return; }\n", "`around` without `__SKIP`"),
        ("  static event e before() : call(* A.m()) {}\n", "`static event`"),
        ("  event e before(A a) : call(* A.m()) {}\n", "binds `a`"),
        ("  event e before() : cflow(call(* A.m())) {}\n", "`cflow`"),
        ("  event e before() : call(* A.m()) && !this(B) {}\n", "`!this`"),
        ("  event e before() : call(* A.m(..)) && !args(B) {}\n", "number of arguments"),
        ("  event e before() : call(* A.m(B)) && !args(B, C) {}\n", "more than one type"),
        ("  event e before(A a) : call(* A.m(..)) && args(.., a) {}\n", "behind `..`"),
        ("  event e before() : call(* A.m()) && condition(n > 1) {}\n", "not a value of the event"),
        ("  event e before(A a) : call(* A.m()) && target(a) && if(a.ok()) {}\n", "needs Java"),
        ("  event e before() : call(* A.m()) { n++; }\n", "more than print"),
        ("  event e before() : call(* A.m()) { System.out.println(f()); }\n", "more than print"),
        ("  event e before() : call(* A.m()) && call(* A.n()) {}\n", "two program points"),
        ("  event e before() : call(synchronized * A.m()) {}\n", "`synchronized`"),
        ("  event e before() : startThread() && call(* A.m()) {}\n", "two program points"),
        ("  event e before(A a) : call(* A.m()) && this(a) {}\n", "`this` without `execution`"),
        ("  event e before() : call(public * A.m()) {}\n", "`public`"),
        ("  event e before() : call(* A.m() throws E) {}\n", "`throws`"),
        ("  event e before() : call(* app.*.m()) {}\n", "type `app.*`"),
        ("  event e before() : call(* A.m()) && within(app.*) {}\n", "type `app.*`"),
        ("  event e before() : call(* A.m()) && within(A+) {}\n", "`within` with `+`"),
        ("  event e before(A a) : call(A.new(..)) && target(a) {}\n", "have no target"),
        ("  event e after() throwing(Bad b) : call(* A.m()) {}\n", "the package of the exception"),
    ];
    let text = |line: &str| GOOD.replace("Good", "Bad").replace("  ere", &format!("{line}  ere"));
    for (line, reason) in table {
        let bad = text(line);
        let loaded = load(&[&bad, GOOD]);
        let model = loaded.model.as_ref().unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics));
        let names: Vec<&str> = model.properties.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["Good"], "{line}");
        let said = loaded.diagnostics.iter().find(|d| d.code == "WW0961").expect(line);
        assert!(!said.is_error() && said.message.contains(reason), "{line}: {}", said.message);
        // Alone, it is an error: there is nothing to monitor.
        let alone = load(&[&bad]);
        assert!(alone.model.is_none() && alone.diagnostics.iter().any(|d| d.is_error()), "{line}");
    }
    let logics = [
        ("cfg : S -> open S | epsilon", "`cfg`"),
        ("ltl : <> open", "to happen"),
        ("ltl : ![] open", "to happen"),
        ("ltl : [] (open => (*) o open)", "future operator inside a past operator"),
        ("ere : open ~open", "`~`"),
        ("ere : open shut", "no event `shut`"),
        ("ere : (open", "`)` is missing"),
        ("fsm : s [ open -> t ]", "no state `t`"),
        ("fsm : s [ default s ]", "`default`"),
        ("fsm : s [ open -> s ]", "`@match`"),
        ("ltl : [](open => open => open)", "parentheses are missing"),
        ("ltl : open S open S open", "parentheses are missing"),
        ("ptltl : open -> open -> open", "parentheses are missing"),
    ];
    for (logic, reason) in logics {
        let bad = GOOD.replace("Good", "Bad").replace("ere : open open", logic);
        let bad = if logic.contains("ltl :") { bad.replace("@match", "@violation") } else { bad };
        let loaded = load(&[&bad, GOOD]);
        let said = loaded.diagnostics.iter().find(|d| d.code == "WW0961").expect(logic);
        assert!(said.message.contains(reason), "{logic}: {}", said.message);
        assert!(loaded.model.is_some_and(|m| m.properties.len() == 1), "{logic}");
    }
}

#[test]
fn specifications_are_written_in_watchwords_language_and_read_again() {
    let mut written = 0;
    for text in corpus() {
        let Some(model) = load(&[text]).model else { continue };
        let ww = convert::to_ww(&model, &[]).unwrap_or_else(|e| panic!("{text}\n{e:#?}"));
        let again = watchword_spec::load(&[SourceFile::new("p.ww", &ww)], &|_, _| Err("no".into()));
        assert!(again.model.is_some(), "{ww}\n{:#?}", again.diagnostics);
        written += 1;
    }
    assert!(written >= 8, "{written}");
}

#[test]
fn what_args_and_returning_ask_is_tested_when_the_program_runs() {
    let text = "import java.util.*;
Added(Collection c, String o) {
  event add after(Collection c, String o) returning(Boolean b) :
    call(* Collection+.add(..)) && target(c) && args(o) {}
  event put before(Map m) : call(* Map.put(..)) && target(m) && args(String, *) {}
  event at before(List l, int i) : call(* List.remove(..)) && target(l) && args(i) {}
  ere : add add
  @match { System.err.println(\"twice\"); }
}
";
    let loaded = load(&[text]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics));
    let ww = convert::to_ww(&model, &[]).unwrap();
    // JavaMOP imports these packages into every specification.
    let named = |name: &str| format!("{{{name}, java.util.{name}, java.util.concurrent.{name}}}");
    let (collection, map, list) = (named("Collection"), named("Map"), named("List"));
    for expected in [
        format!(
            "{collection}+.add(*) args (_: java.lang.String) returns _: java.lang.Boolean on _: {collection} with"
        ),
        format!("{map}+.put(*, *) args (_: java.lang.String) on _: {map} with"),
        format!("{list}+.remove(int) on _: {list} with"),
    ] {
        assert!(ww.contains(&expected), "{expected}\n{ww}");
    }
}

#[test]
fn every_part_of_a_pointcut_narrows_it() {
    let text = "import java.io.*;
Narrow(Collection c) {
  event add before(Collection c) : call(* ArrayList.add(..)) && target(c) {}
  event run before(Runnable r) : execution(* Task.run()) && this(r) && !within(app.Main) {}
  event in after(Collection c) throwing(IllegalStateException e) : call(* Collection.add(..)) && target(c) {}
  event made after() returning(Reader r) : call(Closeable+.new(..)) {}
  event told after(Collection c) returning(boolean b) : call(* Collection+.*(..)) && target(c) {}
  ere : add add
  @match { System.err.println(\"twice\"); }
}
";
    let loaded = load(&[text]);
    let model = loaded.model.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics));
    let ww = convert::to_ww(&model, &[]).unwrap();
    let named = |name: &str| {
        let packages = ["java.io.", "java.util.", "java.util.concurrent."];
        let all = packages.map(|package| format!(", {package}{name}"));
        format!("{{{name}{}}}", all.concat())
    };
    for expected in [
        format!("{}+.add(..) on _: {} with", named("ArrayList"), named("Collection")),
        format!(
            "execution not super {}+.run() on _: {} not within {{app.Main, app.Main$*}}",
            named("Task"),
            "java.lang.Runnable"
        ),
        "throws _: java.lang.IllegalStateException on".to_string(),
        format!("{}+.<init >(..) on _: {} with", named("Closeable"), named("Reader")),
        "(..): boolean on".to_string(),
    ] {
        assert!(ww.contains(&expected), "{expected}\n{ww}");
    }
}

#[test]
fn hostile_specifications_are_refused() {
    let many = |text: &str| text.repeat(200_000);
    let with = |pointcut: &str, logic: &str| {
        format!(
            "H() {{ event a before() : call(* app.A.a()){pointcut} {{}} {logic} {{ System.err.println(\"x\"); }} }}"
        )
    };
    let texts = [
        with("", &format!("ere : a{} @match", many("*"))),
        with("", &format!("ere : {}a @match", many("("))),
        with("", &format!("ltl : [](a{}) @violation", many(" or a"))),
        with("", &format!("ltl : {} a @violation", many("not "))),
        with("", &format!("ptltl : a{} @violation", many(" S a"))),
        with(&many(" && if(x)"), "ere : a @match"),
        with(&format!(" && condition(a{})", many(" && a")), "ere : a @match"),
        with(&format!(" && {}within(A)", many("!")), "ere : a @match"),
        format!("H({}", many("Map<")),
        many("H("),
        many("H() {"),
    ];
    for text in texts {
        let loaded = load(&[&text]);
        assert!(loaded.model.is_none(), "{}", &text[..200]);
    }
}

#[test]
fn mutilated_specifications_never_panic() {
    let corpus = corpus();
    let tokens =
        ["event", "after", "returning", "(*)", "[]", "&&", "||", "@fail", "__RESET", "ere :"];
    let mut random = Random::new(11);
    let (rounds, mut loads) = (mutate::rounds(), 0);
    for _ in 0..rounds {
        let chosen = corpus[random.below(corpus.len())];
        let text = mutate::mutate(&mut random, chosen, &corpus, &tokens);
        let loaded = load(&[&text]);
        mutate::check_layout(Lang::Mop, &text);
        mutate::check(&text, &loaded, &loaded.diagnostics);
        if let Some(model) = &loaded.model {
            lint(model);
            let _ = convert::to_ww(model, &loaded.files);
            loads += 1;
        }
    }
    assert!(loads > 0, "the mutations are too coarse");
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("!", ""), ("!(", ")")] {
        let (open, close) = (open.repeat(20_000), close.repeat(20_000));
        let pointcut = format!("{open}call(* A.m()){close}");
        assert!(load(&[&GOOD.replace("call(* app.Door.open())", &pointcut)]).model.is_none());
        let formula = format!("ere : {open}open{close}");
        assert!(load(&[&GOOD.replace("ere : open open", &formula)]).model.is_none());
    }
    let formula = format!("ltl : {}open", "[]".repeat(20_000));
    assert!(load(&[&GOOD.replace("ere : open open", &formula)]).model.is_none());
}
