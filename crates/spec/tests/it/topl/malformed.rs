//! Mistakes of every kind: each has a place that shows it and says how to mend it.

use watchword_spec::Lang;

use super::{load, root};

/// What is written, where `«…»` marks the place; the code; a part of the help or the rule.
const CLASSIC: &[(&str, &str, &str)] = &[
    ("«propery» P\n", "WW0101", "write `property`"),
    ("property «message» \"x\"\n", "WW0101", "property NAME"),
    ("property «»", "WW0101", "property NAME"),
    ("property «P»\n", "WW0302", "add at least one"),
    ("property P\n  message «x»\n  start -> error: *\n", "WW0101", "message \"what"),
    ("property P\n  message «\"x»\n  start -> error: *\n", "WW0002", "add `\"`"),
    ("property P\n  observe «java.util»\n  start -> error: *\n", "WW0909", "<…>"),
    ("property P\n  observe\n  «start» -> error: *\n", "WW0101", "observe <"),
    ("property P\n  observe «\"java.util.*\"»\n  start -> error: *\n", "WW0911", "--lang infer"),
    ("property P\n  observe «<>»\n  start -> error: *\n", "WW0909", "`*` matches"),
    ("property P\n  observe «<a b>»\n  start -> error: *\n", "WW0909", "commas"),
    ("property P\n  observe «<a}>»\n  start -> error: *\n", "WW0909", "{a,b}"),
    ("property P\n  obsrve «<a>»\n  start -> error: *\n", "WW0101", "observe"),
    ("property P\n  start «error»: *\n", "WW0101", "state -> state"),
    ("property P\n  start -> «:» *\n", "WW0101", ""),
    ("property P\n  start -> error «*»\n", "WW0101", "colon"),
    (
        "property P\n  start -> error:\n«property» Q\n  start -> error: *\n",
        "WW0101",
        "Class.method",
    ),
    ("property P\n  start -> error: m«»", "WW0101", "[*]"),
    ("property P\n  start -> error: a.b«.»c()\n", "WW0101", "<…>"),
    ("property P\n  start -> error: m[«x»]\n", "WW0101", "[2]"),
    ("property P\n  start -> error: m[«256»]\n", "WW0910", "[*]"),
    ("property P\n  start -> error: m[2«»", "WW0101", ""),
    ("property P\n  start -> error: m(X «Y»)\n", "WW0101", ")"),
    ("property P\n  start -> error: m(«3»)\n", "WW0101", "<3>"),
    ("property P\n  start -> error: m(«\"s\"»)\n", "WW0101", "<\"s\">"),
    ("property P\n  start -> error: m(«_»)\n", "WW0101", "`*`"),
    ("property P\n  start -> error: m(!«X»)\n", "WW0101", "!x"),
    ("property P\n  start -> error: m(!«*»)\n", "WW0101", "differ"),
    ("property P\n  start -> error: «!»m(X)\n", "WW0101", "(!m)"),
    ("property P\n  start -> error: («m»)(X)\n", "WW0101", "(!m)"),
    ("property P\n  start -> error: (!«*»)(X)\n", "WW0909", "exclude"),
    ("property P\n  start -> error: m(X) «n»(X)\n", "WW0101", "commas"),
    ("property P\n  start -> error: m(X) «when» X == x\n", "WW0911", "--lang infer"),
    ("property P\n  start -> error: m(«<1.2.3>»)\n", "WW0904", "null"),
    ("property P\n  start -> error: m(«<2147483648>»)\n", "WW0004", "2147483648L"),
    ("property P\n  start -> error: m(«<C.F>»)\n", "WW0905", "literal"),
    ("property P\n  start -> error: m(«true»)\n", "WW0213", "<true>"),
    ("property P\n  start -> start: m(«x»)\n  start -> error: m(X)\n", "WW0213", "bind it here"),
    ("property P\n  start -> a: m(Value)\n  a -> error: m(«valeu»)\n", "WW0213", "value"),
    ("property P «{»\n  start -> error: *\n", "WW0101", "add `}`"),
    ("property P «{»\n  start -> error: *\nproperty Q\n  start -> error: *\n", "WW0101", "add `}`"),
    ("property P\n  start -> error: *\n«}»\n", "WW0101", "`{`"),
    ("property P\n  start -> error: «@»m()\n", "WW0001", "any event"),
    (
        "property P\n  observe <A.*>\n  start -> error: call «X» := <A.m>()\n",
        "WW0907",
        "remove `call`",
    ),
    ("property P\n  observe <A.*>\n  start -> error: return «X».<A.m>()\n", "WW0906", "remove"),
    ("«»", "WW0302", "property NAME"),
    ("«3» P\n", "WW0101", "property NAME"),
    ("property P\n  «strat» -> error: *\n", "WW0901", "rename `strat`"),
    ("property P\n  start -> «eror»: *\n", "WW0902", "rename `eror`"),
    ("property P\n  message \"a\"\n  «message \"b\"»\n  start -> error: *\n", "WW0307", "keep one"),
    ("property P\n  start -> error: *\nproperty «P»\n  start -> error: *\n", "WW0201", "rename"),
    ("property P\n  observe <A.*>\n  start -> error: <A.m>(X, «X»)\n", "WW0210", "lower case"),
    ("property P\n  observe <A.*>\n  start -> error: X.<A.m>[«256»]\n", "WW0910", "[*]"),
    (
        "property P\n  observe <A.*>\n  start -> a: <A.m>(*)\n  start -> a: <A.m>(X)\n  \
         a -> error: <A.m>(«x»)\n",
        "WW0213",
        "bind it on every path",
    ),
    (
        "property P\n  observe <java.util.Iterator.*>\n  start -> error: \
         «X» := <java.util.Iterator.remove>[*]\n",
        "WW0908",
        "remove the result",
    ),
    ("property P\n  start -> error: m(«<\"a>»)\n", "WW0904", "null"),
    ("property P\n  start -> error: m(«<0x1ffffffff>»)\n", "WW0004", ""),
    ("property P\n  start -> error: m(«<\"a»\n", "WW0002", "add `>`"),
    ("property P\n  start -> error: m(X, «:»)\n", "WW0101", "bind"),
    ("property P\n  start -> error: X :=\n«»", "WW0101", ""),
    ("property P\n  start -> error: *, «»", "WW0101", "any event"),
];

const INFER: &[(&str, &str, &str)] = &[
    ("«propery» P\n", "WW0101", "write `property`"),
    ("«3» P\n", "WW0101", "property NAME"),
    ("property «prefix» \"a\"\n", "WW0101", "property NAME"),
    ("property «P»\n", "WW0302", "add at least one"),
    ("property P\n  message «x»\n  start -> error: m\n", "WW0101", "message \"what"),
    ("property P\n  message \"a\"\n  «message \"b\"»\n  start -> error: m\n", "WW0307", "keep one"),
    ("property P\n  nondet «start»\n  start -> error: m\n", "WW0101", "nondet (start)"),
    ("property P\n  nondet (start «->» a\n  start -> error: m\n", "WW0101", "`)`"),
    ("property P «{»\n  start -> error: m\n", "WW0101", "add `}`"),
    ("property P\n  «strat» -> error: m\n", "WW0901", "rename `strat`"),
    ("property P\n  start -> «eror»: m\n", "WW0902", "rename `eror`"),
    ("property P\n  start -> error: m(X, «X») when X == 1\n", "WW0210", "different names"),
    ("property P\n  start -> a: m(X) => x := X; «x» := X\n  a -> error: m\n", "WW0210", "keep one"),
    ("property P\n  start -> error: m(X) when X == «x»\n", "WW0213", "=> x :="),
    ("property P\n  start -> error: «#ArrayWrite(A)»\n", "WW0910", "#ArrayWrite(Array, Index)"),
    ("property P\n  start -> error: #ArrayWrite(A: «\"T\"», I)\n", "WW0921", "remove the type"),
    ("property P\n  start -> error: m«\u{7f}»(X)\n", "WW0001", ""),
    ("property P\n  start -> error: m\nproperty «P»\n  start -> error: m\n", "WW0201", "rename"),
    ("property P\n  prefix «\"A»\n  start -> error: m\n", "WW0002", "add `\"`"),
    ("property P\n  prefix «3»\n  start -> error: m\n", "WW0101", "prefix \""),
    ("property P\n  prefix «<»A>\n  start -> error: m\n", "WW0911", "--lang topl"),
    ("property P\n  «observe» <A.*>\n  start -> error: m\n", "WW0911", "--lang topl"),
    ("property P\n  start «error»: m\n", "WW0101", "state -> state"),
    ("property P\n  start -> error «m»\n", "WW0101", "colon"),
    ("property P\n  start -> error: «3»(X)\n", "WW0101", "quotes"),
    ("property P\n  start -> error: m(«x»)\n", "WW0923", "when X == x"),
    ("property P\n  start -> error: m(«*»)\n", "WW0923", "Ignore"),
    ("property P\n  start -> error: m(X«;»)\n", "WW0101", ")"),
    ("property P\n  start -> error: m(X: «3»)\n", "WW0101", "List"),
    ("property P\n  start -> error: m(X:C«.»f, Ret)\n", "WW0101", "quotes"),
    ("property P\n  start -> error: m(X) when X == «»", "WW0101", "binder"),
    ("property P\n  start -> error: m(X) when X «~~>» x\n", "WW0921", "=="),
    ("property P\n  start -> error: m(X) when X«.»f == 1\n", "WW0921", "where the program uses it"),
    ("property P\n  start -> error: m(X) when «Other» == 1\n", "WW0203", "(…, Other)"),
    ("property P\n  start -> error: m(X) => «X» := X\n", "WW0923", "small letter"),
    ("property P\n  start -> error: m(X) => x := «x»\n", "WW0923", "Binder"),
    ("property P\n  start -> error: m(X) => x «=»= X\n", "WW0101", ":="),
    ("property P\n  start -> error: m(X)«,» n(X)\n", "WW0101", "one transition"),
    ("property P\n  start -> error: «#Foo»(X)\n", "WW0101", "#ArrayWrite"),
    ("property P\n  start -> error: «\"[a\"»(X)\n", "WW0922", ".*"),
    ("property P\n  start -> error: «\"a\\\\(b\"»(X)\n", "WW0922", ".*"),
    ("property P\n  start -> error: m(X) when X == «99999999999999999999»\n", "WW0004", "2^63"),
    ("property P\n  start -> error: m(X: «\"*a\"»)\n", "WW0922", ".*"),
    ("property P\n  start -> error: «\"[z-a]\"»(X)\n", "WW0922", ".*"),
    ("property P\n  start -> error: «\"\\\\(a\\\\)\\\\1\"»(X)\n", "WW0922", ".*"),
    ("property P\n  start -> error: call «X».m()\n", "WW0911", "--lang topl"),
];

fn check(lang: Lang, table: &[(&str, &str, &str)]) {
    for (marked, code, advice) in table {
        let start = marked.find('«').expect("a mark");
        let end = marked.find('»').expect("a mark") - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let loaded = load(lang, &text);
        assert!(loaded.model.is_none(), "{marked} was accepted");
        let shown: Vec<String> =
            loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
        let shown = shown.join("\n");
        let found = loaded
            .diagnostics
            .iter()
            .find(|d| d.code == *code)
            .unwrap_or_else(|| panic!("{marked}: {code} expected\n{shown}"));
        let there = found.span.start as usize == start && found.span.end as usize >= end;
        assert!(there, "{marked}: the place is {:?}\n{shown}", found.span);
        let said = format!(
            "{} {}",
            found.help.as_deref().unwrap_or_default(),
            found.note.as_deref().unwrap_or_default()
        );
        assert!(said.contains(advice), "{marked}: {advice} expected\n{shown}");
        for diagnostic in &loaded.diagnostics {
            assert!(diagnostic.help.is_some(), "{marked}: no fix\n{shown}");
        }
    }
}

/// Everything that is said about the malformed properties, word for word.
#[test]
fn what_is_said() {
    let mut out = String::new();
    for (lang, table) in [(Lang::Topl, CLASSIC), (Lang::Infer, INFER)] {
        for (marked, ..) in table {
            let loaded = load(lang, &marked.replace(['«', '»'], ""));
            for diagnostic in &loaded.diagnostics {
                out.push_str(&diagnostic.render(&loaded.files, false));
                out.push('\n');
            }
        }
    }
    let path = root("crates/spec/tests/it/topl/malformed.expected");
    if std::env::var_os("WATCHWORD_BLESS").is_some() {
        std::fs::write(&path, &out).expect("a writable file");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let first = out.lines().zip(expected.lines()).find(|(a, b)| a != b);
    assert!(out == expected, "{first:?} (refresh with WATCHWORD_BLESS=1)");
    assert!(CLASSIC.len() + INFER.len() >= 90);
}

#[test]
fn classic() {
    check(Lang::Topl, CLASSIC);
}

#[test]
fn infer() {
    check(Lang::Infer, INFER);
}

#[test]
fn one_mistake_does_not_hide_the_others() {
    let text = "property P
  observe <A.*
  start -> a: m(
  a -> : m()
  a b: m()
  a -> error: m(3)
property Q
  start -> error: !m()
";
    let lines: Vec<u32> = {
        let loaded = load(Lang::Topl, text);
        loaded.diagnostics.iter().map(|d| d.range(&loaded.files).expect("a place").0.line).collect()
    };
    // The open parenthesis is noticed on line 4; a line that does not look like an item is skipped.
    assert_eq!(lines, [2, 4, 4, 6, 8]);
}
