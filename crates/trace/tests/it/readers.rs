//! What records stand for: sources, captures, types.

use watchword_model::{EventRef, Model, Time, Value};
use watchword_spec::SourceFile;
use watchword_trace::emit::Sink;
use watchword_trace::error::Flaw;
use watchword_trace::{BadLines, Format, Reader};

/// Writes events down as text.
pub struct Listener<'m> {
    pub model: &'m Model,
    pub heard: Vec<String>,
}

impl Sink for Listener<'_> {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        let args: Vec<String> = event.args.iter().map(|a| format!("{:?}", a.to_value())).collect();
        let mut text =
            format!("{}({})", self.model.events[event.kind.index()].name, args.join(", "));
        if let Some(time) = event.time {
            text.push_str(&format!(" @{time}"));
        }
        if let Some(thread) = event.thread {
            text.push_str(&format!(" on {thread}"));
        }
        self.heard.push(text);
        Ok(())
    }

    fn event_for(&mut self, event: &EventRef<'_>, properties: &[Value]) -> Result<(), Box<Flaw>> {
        self.event(event)?;
        if let Some(text) = self.heard.last_mut() {
            text.push_str(&format!(" for {properties:?}"));
        }
        Ok(())
    }

    fn time(&mut self, time: Time) -> Result<(), Box<Flaw>> {
        self.heard.push(format!("@{time}"));
        Ok(())
    }
}

pub fn model(property: &str) -> Model {
    let file = SourceFile { name: "p.ww".to_string(), text: property.to_string() };
    let loaded = watchword_spec::load(&[file], &|_, path| Err(path.to_string()));
    let shown: String = loaded.diagnostics.iter().map(|d| d.render(&loaded.files, false)).collect();
    loaded.model.unwrap_or_else(|| panic!("{shown}"))
}

pub fn read(
    model: &Model,
    format: Format,
    text: &[u8],
    bad: BadLines,
) -> Result<Vec<String>, String> {
    let mut reader = Reader::new(model, bad).unwrap();
    let mut listener = Listener { model, heard: Vec::new() };
    reader
        .read("t", text, Some(format), &mut listener, |_, _| {})
        .map(|()| listener.heard)
        .map_err(|e| e.to_string())
}

#[track_caller]
fn check(property: &str, format: Format, cases: &[(&str, &[&str])]) {
    let model = model(property);
    for (line, want) in cases {
        let heard = read(&model, format, line.as_bytes(), BadLines::Refuse).unwrap();
        assert_eq!(heard, *want, "{line}");
    }
}

#[test]
fn named_events() {
    check(
        "event push(q, who)\nevent n(i: int, f: float, s: string, b: bool, r: ref, p: ptr)\nevent tick",
        Format::Jsonl,
        &[
            (r#"{"event":"push","args":{"q":17,"who":3}}"#, &["push(Int(17), Int(3))"]),
            (r#"{"args":{"who":3,"q":17},"event":"push"}"#, &["push(Int(17), Int(3))"]),
            (r#" { "event" : "push" , "args" : [ 17 , 3 ] } "#, &["push(Int(17), Int(3))"]),
            (r#"{"event":"push","q":17,"who":"x\ny"}"#, &[r#"push(Int(17), Str("x\ny"))"#]),
            (r#"{"event":"push","args":[17]}"#, &["push(Int(17), Null)"]),
            (r#"{"event":"push","args":{"who":3,"zzz":[{}]}}"#, &["push(Null, Int(3))"]),
            (r#"{"event":"push","args":[1,2,null]}"#, &["push(Int(1), Int(2))"]),
            (r#"{"\u0065vent":"p\u0075sh","args":{"\u0071":1}}"#, &["push(Int(1), Null)"]),
            (
                r#"{"event":"push","args":[[1,{"a":null}],{}]}"#,
                &[r#"push(List([Int(1), Map({Str("a"): Null})]), Map({}))"#],
            ),
            (r#"{"event":"tick","time":1.5,"thread":7}"#, &["tick() @1500000000 on 7"]),
            (r#"{"event":"tick","time":"1970-01-01T00:00:02Z"}"#, &["tick() @2000000000"]),
            (r#"{"event":"unknown","args":[1]}"#, &[]),
            (r#"{"event":"end"}"#, &[]),
            (r#"{"time":3}"#, &["@3000000000"]),
            (r#"{}"#, &[]),
            (
                r#"{"event":"n","args":[2.0,1,"17",true,12,"0x10"]}"#,
                &[
                    r#"n(Int(2), Float(1.0), Str("17"), Bool(true), Ref(Object { id: 12, class: None }), Ptr(16))"#,
                ],
            ),
            (
                r#"{"event":"n","args":[18446744073709551615,123456789012345678901234567890]}"#,
                &["n(Int(-1), Float(1.2345678901234568e29), Null, Null, Null, Null)"],
            ),
            (
                r#"{"event":"n","args":{"s":{"ref":5,"class":"java.lang.String","text":"abc"}}}"#,
                &[r#"n(Null, Null, Str("abc"), Null, Null, Null)"#],
            ),
        ],
    );
}

#[test]
fn arguments_that_do_not_fit() {
    let model = model("event n(i: int, f: float, s: string, b: bool, r: ref, p: ptr)");
    for (args, at) in [
        (r#"[1.5]"#, 22),
        (r#"["1"]"#, 22),
        (r#"[true]"#, 22),
        (r#"[1,"x"]"#, 24),
        (r#"[1,1,17]"#, 26),
        (r#"[1,1,"",1]"#, 29),
        (r#"[1,1,"",true,-1]"#, 34),
        (r#"[1,1,"",true,"a"]"#, 34),
        (r#"[1,1,"",true,1,"x"]"#, 36),
        (r#"[[1]]"#, 22),
        (r#"[{"ref":1}]"#, 22),
    ] {
        let line = format!("{{\"event\":\"n\",\"args\":{args}}}");
        let error = read(&model, Format::Jsonl, line.as_bytes(), BadLines::Refuse).unwrap_err();
        assert!(error.contains("WW2004"), "{args}: {error}");
        assert!(error.contains(&format!("t:1:{at}\n")), "{args}: {error}");
    }
}

#[test]
fn rows() {
    check(
        "event push(q, who: string)\nevent pop(q)\nevent x(time)",
        Format::Csv,
        &[
            ("push,17,17", &[r#"push(Int(17), Str("17"))"#]),
            ("push, 1.5 ,\"a, b\"\r\n", &[r#"push(Float(1.5), Str("a, b"))"#]),
            (
                "push,\"two\nlines\",\"\"\npop,1",
                &[r#"push(Str("two\nlines"), Str(""))"#, "pop(Int(1))"],
            ),
            ("push,,", &["push(Null, Null)"]),
            ("push,null,null", &[r#"push(Null, Str("null"))"#]),
            ("pop,007,", &[r#"pop(Str("007"))"#]),
            (
                "event,q,who\npush,1,a\npop,2,b\npop,3",
                &[r#"push(Int(1), Str("a"))"#, "pop(Int(2))", "pop(Int(3))"],
            ),
            (
                "event,who,time,q,thread\npush,a,2.5,7,main\n",
                &[r#"push(Int(7), Str("a")) on 281474976710656"#],
            ),
            ("event,time\nx,5\n", &["x(Int(5))"]),
            ("\u{feff}pop,1\n\n\npop,2", &["pop(Int(1))", "pop(Int(2))"]),
        ],
    );
    check(
        "event pop(q)",
        Format::Csv,
        &[
            ("event,time,q\npop,2.5,1\n", &["pop(Int(1)) @2500000000"]),
            ("time,q,event\n2.5,1,pop\n", &["pop(Int(1)) @2500000000"]),
            ("\"q\",\"event\"\n1,pop\n", &["pop(Int(1))"]),
            ("\"event\",\"q\"\npop,1\n", &["pop(Int(1))"]),
            (
                "event,time,q\npop,1970-01-01T00:00:01Z,1\npop,,1",
                &["pop(Int(1)) @1000000000", "pop(Int(1))"],
            ),
            ("event,loc,q\npop,A.java:9,1", &["pop(Int(1))"]),
        ],
    );
}

#[test]
fn rows_of_tabs() {
    check(
        "event push(q, who: string)\nevent pop(q)",
        Format::Tsv,
        &[
            ("push\t17\t17\r\n", &[r#"push(Int(17), Str("17"))"#]),
            // Nothing but a tab ends a value, and blanks belong to it.
            ("push\t1,5\t \"a\\t", &[r#"push(Str("1,5"), Str(" \"a\\t"))"#]),
            ("push\t\t\npop", &["push(Null, Null)", "pop(Null)"]),
            (
                "time\twho\tevent\tthread\tq\n2.5\tada\tpush\t7\t17\n\t\tpop\t\t17",
                &[r#"push(Int(17), Str("ada")) @2500000000 on 7"#, "pop(Int(17))"],
            ),
        ],
    );
    let model = model("event push(q, who: string)");
    let read = |text: &str| read(&model, Format::Tsv, text.as_bytes(), BadLines::Refuse);
    assert!(read("push\t1\t2\t3").unwrap_err().contains("WW2005"));
    assert!(read("event\tq\tq\npush\t1\t2").unwrap_err().contains("WW2010"));
}

/// Names, extensions and first lines say what a file is.
#[test]
fn formats_are_guessed() {
    let model = model("event push(q, who: string)");
    let push = [r#"push(Int(17), Str("ada"))"#];
    for (name, text) in [
        ("t", "push,17,ada"),
        ("t", "push\t17\tada"),
        ("t", "who\tevent\tq\nada\tpush\t17"),
        ("t", "event=push q=17 who=ada"),
        ("t", "{\"event\":\"push\",\"args\":[17,\"ada\"]}"),
        ("t.TSV.gz", "push\t17\tada"),
        ("t.tab", "push\t17\tada"),
    ] {
        let mut reader = Reader::new(&model, BadLines::Refuse).unwrap();
        let mut listener = Listener { model: &model, heard: Vec::new() };
        reader.read(name, text.as_bytes(), None, &mut listener, |_, _| {}).unwrap();
        assert_eq!(listener.heard, push, "{name}: {text}");
    }
}

#[test]
fn records_of_a_log() {
    check(
        "event push(q, who) {\n  log record \"push\" with q = .queue, who = .user.name\n}\n\
         event any_push(q) = log record \"push\" with q = .queue\n\
         event failed(code) = log where .level == \"error\" and .kind == \"http*\" with code = .status",
        Format::Jsonl,
        &[
            (
                r#"{"event":"push","queue":1,"user":{"name":"ada","age":36}}"#,
                &[r#"push(Int(1), Str("ada"))"#, "any_push(Int(1))"],
            ),
            (
                r#"{"event":"push","args":{"q":1,"who":2},"queue":3}"#,
                &["push(Int(1), Int(2))", "any_push(Int(3))"],
            ),
            (r#"{"event":"push","args":{"queue":3}}"#, &["push(Int(3), Null)", "any_push(Int(3))"]),
            (r#"{"event":"any_push","args":[1]}"#, &["any_push(Int(1))"]),
            (r#"{"level":"error","kind":"http.get","status":500}"#, &["failed(Int(500))"]),
            (r#"{"level":"error","kind":"disk","status":500}"#, &[]),
            (r#"{"level":"info","kind":"http.get","status":200}"#, &[]),
            (
                r#"{"status":500,"kind":"http","event":"push","queue":1,"level":"error"}"#,
                &["push(Int(1), Null)", "any_push(Int(1))", "failed(Int(500))"],
            ),
        ],
    );
}

#[test]
fn fields_may_be_called_like_keys_with_a_meaning() {
    check(
        "event x(time)\nevent hang(call)\nevent y(t) = log record \"y\" with t = .args.time",
        Format::Jsonl,
        &[
            (r#"{"event":"x","time":5}"#, &["x(Int(5)) @5000000000"]),
            (r#"{"call":17,"event":"hang"}"#, &["hang(Int(17))"]),
            (r#"{"call":"17","event":"hang"}"#, &[r#"hang(Str("17"))"#]),
            (r#"{"event":"y","args":{"time":1.5}}"#, &["y(Float(1.5))"]),
        ],
    );
}

#[test]
fn a_bad_record_is_no_event_at_all() {
    let model = model(
        "event a(q) = log record \"r\" with q = .x\nevent b(q: int) = log record \"r\" with q = .x",
    );
    let lines = b"{\"event\":\"r\",\"x\":1}\n{\"event\":\"r\",\"x\":\"text\"}\n";
    let heard = read(&model, Format::Jsonl, lines, BadLines::Skip).unwrap();
    assert_eq!(heard, ["a(Int(1))", "b(Int(1))"]);
    assert!(read(&model, Format::Jsonl, lines, BadLines::Refuse).unwrap_err().contains("t:2:"));
}

#[test]
fn lines_of_a_log() {
    check(
        "event login(u, ip) = log /(?<u>\\S+) logged in from (?<ip>\\S+)/\n\
         event seen(u)      = log /(?<u>\\S+) logged/\n\
         event at(u)        = log /^(?<time>\\S+) tick (?<u>\\S+)/",
        Format::Text,
        &[
            (
                "ada logged in from 10.0.0.7\n",
                &[r#"login(Str("ada"), Str("10.0.0.7"))"#, r#"seen(Str("ada"))"#],
            ),
            ("bob logged out", &[r#"seen(Str("bob"))"#]),
            ("nothing", &[]),
            ("2.5 tick 17", &["at(Int(17)) @2500000000"]),
        ],
    );
}

#[test]
fn program_records() {
    let list = r#"{"ref":1,"class":"java.util.ArrayList"}"#;
    check(
        "event create(c, i) = jvm after call java.util.Collection+.iterator() on c returns i\n\
         event update(c)    = jvm before call java.util.Collection+.{add, remove, clear}(..) on c\n\
         event next(i)      = jvm before call java.util.Iterator+.next() on i\n\
         event push(q, who) = native before call queue_push with q = arg 0, who = arg 1\n\
         event pop(q, v)    = native after call queue_pop with q = arg 0, v = ret",
        Format::Jsonl,
        &[
            (
                r#"{"return":"java.util.Collection.iterator","args":[{"ref":1}],"value":{"ref":2}}"#,
                &["create(Ref(Object { id: 1, class: None }), Ref(Object { id: 2, class: None }))"],
            ),
            (r#"{"call":"java.util.Collection.iterator","args":[{"ref":1}]}"#, &[]),
            (
                r#"{"call":"java.util.Iterator.next","args":[{"ref":2}]}"#,
                &["next(Ref(Object { id: 2, class: None }))"],
            ),
            (r#"{"call":"java.util.Iterator.next","args":[{"ref":2},1]}"#, &[]),
            (r#"{"call":"java.util.Iterator.hasNext","args":[{"ref":2}]}"#, &[]),
            (&format!(r#"{{"call":"java.util.ArrayList.add","args":[{list},7]}}"#), &[]),
            (
                &format!(
                    r#"{{"call":"java.util.ArrayList.add","args":[{list},7],"supers":["java.util.List","java.util.Collection"]}}"#
                ),
                &[r#"update(Ref(Object { id: 1, class: Some("java.util.ArrayList") }))"#],
            ),
            (r#"{"call":"java.util.Collection.addAll","args":[{"ref":1},7]}"#, &[]),
            (r#"{"call":"queue_push","args":[17,3]}"#, &["push(Int(17), Int(3))"]),
            (r#"{"return":"queue_pop","args":[17],"value":5}"#, &["pop(Int(17), Int(5))"]),
            (r#"{"event":"push","args":[1,2]}"#, &["push(Int(1), Int(2))"]),
        ],
    );
}

#[test]
fn however_the_stream_drips() {
    struct Drip<'a>(&'a [u8], usize);
    impl std::io::Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let n = self.0.len().min(self.1).min(out.len());
            out[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }
    let model = model("event push(q, who)");
    let csv: String = (0..500).map(|i| format!("push,{i},\"a\n\"\"b{i}\"\n")).collect();
    let want = read(&model, Format::Csv, csv.as_bytes(), BadLines::Refuse).unwrap();
    assert_eq!(want.len(), 500);
    for drip in [1, 3, 17, 1000] {
        let mut reader = Reader::new(&model, BadLines::Refuse).unwrap();
        let mut listener = Listener { model: &model, heard: Vec::new() };
        let stream = Drip(csv.as_bytes(), drip);
        reader.read("t.csv", stream, None, &mut listener, |_, _| {}).unwrap();
        assert_eq!(listener.heard, want, "{drip} bytes at a time");
    }
}

/// A record may say who threw the exception; one that does not is taken for what the source wants.
#[test]
fn exceptions_have_throwers() {
    let source = |name: &str, from: &str| {
        format!("event {name}(q) = jvm throwing call A.b(..) on q throws _: E from {from}\n")
    };
    check(
        &(source("own", "itself") + &source("platform", "jdk")),
        Format::Jsonl,
        &[
            (
                r#"{"throw":"A.b","args":[1],"thrown":"E","by":"jdk"}"#,
                &["own(Int(1))", "platform(Int(1))"],
            ),
            (r#"{"throw":"A.b","args":[1],"thrown":"E","by":"itself"}"#, &["own(Int(1))"]),
            (r#"{"throw":"A.b","args":[1],"thrown":"E","by":"callback"}"#, &[]),
            (r#"{"throw":"A.b","args":[1],"thrown":"E"}"#, &["own(Int(1))", "platform(Int(1))"]),
            (r#"{"throw":"A.b","args":[1],"thrown":"F","by":"jdk"}"#, &[]),
        ],
    );
}
