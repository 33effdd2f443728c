//! Event logs of process mining, read as JSON.

use std::io::{self, Read};

use serde_json::{Value, json};
use watchword_cases::fuzz::{Random, mutate};
use watchword_trace::xes::{Json, recognise};

use crate::fuzz::Drip;

const LOG: &str = r#"<?xml version="1.0" encoding="UTF-8" ?>
<!-- Written by a tool for process mining. -->
<log xes.version="1849-2016" xmlns="http://www.xes-standard.org/">
  <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
  <global scope="event"><string key="concept:name" value="none"/></global>
  <classifier name="Activity" keys="concept:name"/>
  <string key="concept:name" value="a log"/>
  <trace>
    <string key="concept:name" value="order 7"/>
    <int key="total cost" value="12"/>
    <event>
      <string key="concept:name" value="pay &amp; go"/>
      <date key="time:timestamp" value="2024-05-01T12:00:00.500+02:00"/>
      <string key="org:resource" value="Ada &quot;A&quot; &#x41;"/>
      <boolean key="late" value="false"/>
      <float key="ratio" value="2.50"/>
      <id key="number" value="7d-1"/>
    </event>
    <event
      ><string key="concept:name" value="ship"
        ><string key="by" value="road"/></string
      ><list key="items"><values><string key="item" value="a"/><int key="item" value="2"/></values></list
      ><container key="to"><string key="city" value="Graz"/></container
    ></event>
  </trace>
  <event><string key="concept:name" value="alone"/></event>
</log>
"#;

fn read(bytes: &[u8], drip: usize) -> io::Result<String> {
    let mut text = String::new();
    Json::new(Drip(bytes, drip)).read_to_string(&mut text)?;
    Ok(text)
}

fn error(text: &str) -> String {
    read(text.as_bytes(), 1000).unwrap_err().to_string()
}

#[test]
fn each_event_is_an_object_on_its_line() {
    let text = read(LOG.as_bytes(), 1000).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    let first = json!({
        "event": "pay & go", "time": "2024-05-01T12:00:00.500+02:00", "case": "order 7",
        "org_resource": "Ada \"A\" A", "late": false, "ratio": 2.5, "number": "7d-1",
        "case_total_cost": 12,
    });
    let second = json!({
        "event": "ship", "case": "order 7", "concept_name_by": "road", "items": ["a", 2],
        "to_city": "Graz", "case_total_cost": 12,
    });
    assert_eq!(list, json!([first, second, { "event": "alone" }]));
    for (name, tag) in [("pay & go", "<event>"), ("ship", "<event"), ("alone", "<event>")] {
        let at = text.lines().position(|line| line.contains(name)).unwrap();
        assert!(LOG.lines().nth(at).unwrap().contains(tag), "{name} is on line {}", at + 1);
    }
    for drip in 1..20 {
        assert_eq!(read(LOG.as_bytes(), drip).unwrap(), text);
    }
}

#[test]
fn attributes_do_not_take_the_places_of_names_and_of_keys_with_a_meaning() {
    let log = r#"<log><trace><string key="name" value="x"/><string key="concept:name" value="c1"/><event>
        <string key="concept:name" value="a"/>
        <string key="concept" value="q"><string key="name" value="zz"/></string>
        <string key="concept_name" value="y"/>
        <string key="time" value="noon"/><string key="case" value="c2"/><int key="args" value="7"/>
        <list key="for"><values><string key="x" value="Other"/></values></list>
        <string key="loc" value="here"/><string key="call" value="m"/></event></trace></log>"#;
    let list: Value = serde_json::from_str(&read(log.as_bytes(), 1000).unwrap()).unwrap();
    let event = json!({
        "event": "a", "case": "c1", "concept": "q", "concept_name": "zz", "event_time": "noon",
        "event_case": "c2", "event_args": 7, "event_for": ["Other"], "event_loc": "here",
        "event_call": "m", "case_name": "x",
    });
    assert_eq!(list, json!([event]));
}

#[test]
fn logs_are_told_from_other_texts() {
    for start in [
        LOG,
        &LOG[..300],
        "\u{feff}<log xes.version='1.0'>",
        "<log>\n <trace>",
        "<!DOCTYPE log>\n<log openxes.version=\"1\">",
        "<log xmlns:xes='x'/>",
    ] {
        assert!(recognise(start.as_bytes()), "{start}");
    }
    for start in [
        "",
        "<",
        "<log",
        "<log>",
        "<log><record>",
        "<logs><trace>",
        "<34>May  1 12:00:00 host su: no",
        "<?xml version='1.0'?>",
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>",
        "log <log xes.version='1.0'>",
        "\u{feff}{}",
    ] {
        assert!(!recognise(start.as_bytes()), "{start}");
    }
}

#[test]
fn what_is_wrong_has_its_line() {
    let log = |inside: &str| format!("<log>\n<trace>\n<event>\n{inside}\n</event></trace></log>");
    for (inside, expected) in [
        ("<int key='a' value='1.5'/>", "line 4: this is no XES: `a` is no int: \"1.5\""),
        ("<boolean key='a' value='yes'/>", "line 4: this is no XES: `a` is no boolean: \"yes\""),
        ("<float key='a' value=''/>", "line 4: this is no XES: `a` is no float: \"\""),
        ("<string value='1'/>", "line 4: this is no XES: a `<string>` has no `key`"),
        ("<string key='a'/>", "line 4: this is no XES: the `<string>` `a` has no `value`"),
    ] {
        assert_eq!(error(&log(inside)), expected);
    }
    assert!(
        error(&log("<string key='a' value='&none;'/>")).starts_with("line 4: this is no XES: ")
    );
    assert!(error(&log("</trace>")).starts_with("line 4: this is no XES: "));
    assert_eq!(
        error("<log>\n<trace>"),
        "line 2: this is no XES: the file ends inside of `<trace>`"
    );
    assert_eq!(error("<log/>\n<log/>"), "line 2: this is no XES: `<log>` is outside of the log");
    let deep = "<string key='a' value='b'>".repeat(70);
    assert!(error(&log(&deep)).ends_with("`<string>` is inside of 64 others"));
    let latin = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<log/>";
    assert!(
        error(latin)
            .ends_with("convert it to UTF-8, for instance with `iconv -f ISO-8859-1 -t UTF-8`")
    );
}

/// A tag without an end, of any length.
struct Endless(&'static [u8]);

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.0.len().min(out.len());
        if count > 0 {
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            return Ok(count);
        }
        out.fill(b'a');
        Ok(out.len())
    }
}

#[test]
fn an_endless_tag_does_not_fill_memory() {
    let mut text = String::new();
    let error = Json::new(Endless(b"<log><trace><string key='")).read_to_string(&mut text);
    let message = error.unwrap_err().to_string();
    assert_eq!(message, "line 1: this is no XES: a tag or text of it is longer than 16 MiB");
}

#[test]
fn damaged_logs_are_errors_or_lists_of_objects() {
    let rounds = std::env::var("WATCHWORD_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let mut random = Random(0x9E37_79B9);
    for _ in 0..rounds {
        let mut bytes = LOG.as_bytes().to_vec();
        mutate(&mut random, &mut bytes);
        let whole = read(&bytes, 1 << 16).map_err(|error| error.to_string());
        let dripped = read(&bytes, 1 + random.below(9)).map_err(|error| error.to_string());
        assert_eq!(whole, dripped);
        if let Ok(text) = whole {
            let list: Value = serde_json::from_str(&text).unwrap();
            assert!(list.as_array().unwrap().iter().all(Value::is_object));
        }
    }
}
