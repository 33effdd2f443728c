//! Logs as programs write them: each sample of `examples/logs` is recognised, and a property finds in it
//! what there is to find.

use watchword_trace::presets::{PRESETS, Reads};

use crate::support::{Dir, root};

/// Sample, property, what it has to find, and what the note says: a preset, or nothing if the log does
/// not tell which program wrote it.
const SAMPLES: [(&str, &str, &str, &str); 37] = [
    ("nginx.log", "probing", "Probing: 3 events", "nginx"),
    ("nginx-error.log", "errors", "NoErrors: 3 events", "nginx"),
    ("apache.log", "probing", "Probing: 4 events", "nginx"),
    ("apache-common.log", "probing", "Probing: 4 events", "nginx"),
    ("apache-error.log", "errors", "NoErrors: 0 events", "apache"),
    ("haproxy.log", "probing", "Probing: 3 events", "haproxy"),
    ("envoy.log", "probing", "Probing: 3 events", "envoy"),
    ("syslog.log", "guessing", "Guessing: 5 events", "syslog"),
    ("syslog-iso.log", "guessing", "Guessing: 5 events", "syslog"),
    ("syslog-5424.log", "guessing", "Guessing: 5 events", "syslog"),
    ("journald.json", "guessing", "Guessing: 3 events", "journald"),
    ("auditd.log", "guessing", "Guessing: 3 events", "auditd"),
    ("cloudtrail.json", "guessing", "Guessing: 3 events", "cloudtrail"),
    ("zeek.log", "guessing", "Guessing: 3 events", "zeek"),
    ("spring.log", "errors", "NoErrors: 1 event,", "spring"),
    ("logback.log", "errors", "NoErrors: 1 event,", "logback"),
    ("log4j.log", "errors", "NoErrors: 1 event,", "logback"),
    ("python.log", "errors", "NoErrors: 1 event,", "python"),
    ("postgres.log", "errors", "NoErrors: 1 event,", "postgres"),
    ("klog.log", "errors", "NoErrors: 1 event,", "klog"),
    ("rust.log", "errors", "NoErrors: 1 event,", "rust"),
    ("rust-env-logger.log", "errors", "NoErrors: 1 event,", "rust"),
    ("docker.json", "errors", "NoErrors: 1 event,", "docker"),
    ("cri.log", "errors", "NoErrors: 1 event,", "cri"),
    ("otlp.json", "errors", "NoErrors: 1 event,", "otlp"),
    ("otlp-spans.json", "errors", "NoErrors: 1 event,", "otlp-spans"),
    ("redis.log", "errors", "NoErrors: 0 events", "redis"),
    ("loguru.log", "errors", "NoErrors: 1 event,", "python"),
    ("gunicorn.log", "errors", "NoErrors: 0 events", "python"),
    ("gunicorn-access.log", "probing", "Probing: 3 events", "nginx"),
    ("logback-default.log", "errors", "NoErrors: 1 event,", "logback"),
    ("log4j2.log", "errors", "NoErrors: 1 event,", "logback"),
    ("jul.log", "errors", "NoErrors: 1 event,", "jul"),
    ("klog-go.log", "errors", "NoErrors: 1 event,", "klog"),
    ("zap-console.log", "errors", "NoErrors: 1 event,", "zap"),
    ("env-logger.log", "errors", "NoErrors: 1 event,", "rust"),
    ("tracing.log", "errors", "NoErrors: 1 event,", "rust"),
];

/// Samples of programs whose records have their fields already: no preset is needed.
const RECORDS: [(&str, &str); 14] = [
    ("python-json.json", "NoErrors: 1 event,"),
    ("structlog.json", "NoErrors: 1 event,"),
    ("slog.json", "NoErrors: 1 event,"),
    ("slog-text.log", "NoErrors: 1 event,"),
    ("zap.json", "NoErrors: 1 event,"),
    ("zerolog.json", "NoErrors: 1 event,"),
    ("logrus.log", "NoErrors: 1 event,"),
    ("tracing.json", "NoErrors: 1 event,"),
    ("pino.json", "NoErrors: 1 event,"),
    ("bunyan.json", "NoErrors: 1 event,"),
    ("winston.json", "NoErrors: 1 event,"),
    ("logstash.json", "NoErrors: 1 event,"),
    ("ecs.json", "NoErrors: 1 event,"),
    ("otlp-sdk.pb", "NoErrors: 1 event,"),
];

/// Spans, which are out of order.
const SPANS: &str = "otlp-sdk-spans.pb";

/// The time of the first event that a property finds in a sample, as somebody else reads its line.
const TIMES: [(&str, &str, &str); 33] = [
    ("nginx.log", "probing", "1794958788"),
    ("nginx-error.log", "errors", "1794958788"),
    ("haproxy.log", "probing", "1794958795.346"),
    ("syslog-5424.log", "guessing", "1794958792.888011"),
    ("postgres.log", "errors", "1794958809.548"),
    ("spring.log", "errors", "1714557607.25"),
    ("rust.log", "errors", "1714564801"),
    ("loguru.log", "errors", "1794985066.77"),
    ("gunicorn-access.log", "probing", "1794985073"),
    ("python-json.json", "errors", "1794985067.825"),
    ("structlog.json", "errors", "1794985067.357791"),
    ("slog.json", "errors", "1794985048.125086736"),
    ("slog-text.log", "errors", "1794985047.706"),
    ("otlp.json", "errors", "1714564801"),
    ("bunyan.json", "errors", "1794993442.057"),
    ("ecs.json", "errors", "1794993449.558"),
    ("env-logger.log", "errors", "1794993435"),
    ("jul.log", "errors", "1794993450"),
    ("klog-go.log", "errors", "1794993415.070133"),
    ("log4j2.log", "errors", "1794993447.994"),
    // Without a day: since midnight.
    ("logback-default.log", "errors", "33445.294"),
    ("logrus.log", "errors", "1794993415"),
    ("logstash.json", "errors", "1794993446.601479135"),
    ("pino.json", "errors", "1794993441.961"),
    ("tracing.json", "errors", "1794993435.236237"),
    ("tracing.log", "errors", "1794993435.234991"),
    ("winston.json", "errors", "1794993442.181"),
    ("zap-console.log", "errors", "1794993415.061"),
    ("zap.json", "errors", "1794993415.058887"),
    ("zerolog.json", "errors", "1794993415"),
    ("otlp-sdk.pb", "errors", "1794999994.054412288"),
    ("otlp-sdk-spans.pb", "errors", "1794999994.058244148"),
    ("orders.xes", "orders", "1794992822"),
];

/// An event log of process mining.
const ORDERS: &str = "orders.xes";

#[test]
fn every_sample_is_recognised_and_checked() {
    let dir = Dir::new();
    let folder = root().join("examples/logs");
    let file = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let mut failures = Vec::new();
    for (sample, property, found, preset) in SAMPLES {
        let property = file(&format!("{property}.ww"));
        let ran = dir.run(&["replay", "-p", &property, &file(sample)]);
        let status = i32::from(!found.contains(" 0 events"));
        let noted = ran.stderr.contains(&format!("`--preset {preset}`"));
        if ran.status != status || !ran.stdout.contains(found) || !noted {
            failures.push(format!("{sample}: {}\n{}{}", ran.status, ran.stdout, ran.stderr));
        }
        // The same if one says so; a program that writes the same lines as another is as good.
        let ran = dir.run(&["replay", "-p", &property, "--preset", preset, &file(sample)]);
        if ran.status != status || !ran.stdout.contains(found) || ran.stderr.contains("--preset") {
            failures
                .push(format!("--preset {sample}: {}\n{}{}", ran.status, ran.stdout, ran.stderr));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn records_with_fields_need_no_preset() {
    let dir = Dir::new();
    let folder = root().join("examples/logs");
    let property = folder.join("errors.ww");
    for (sample, found) in RECORDS {
        let log = folder.join(sample);
        let ran = dir.run(&["replay", "-p", property.to_str().unwrap(), log.to_str().unwrap()]);
        assert!(ran.status == 1 && ran.stdout.contains(found), "{sample}: {}", ran.stdout);
    }
}

/// Exporters write a span when it ends, and its time is when it began.
#[test]
fn spans_are_put_into_the_order_of_their_beginnings() {
    let dir = Dir::new();
    let folder = root().join("examples/logs");
    let (property, log) = (folder.join("errors.ww"), folder.join(SPANS));
    let args = ["replay", "-p", property.to_str().unwrap(), log.to_str().unwrap()];
    let refused = dir.run(&args).expect(2);
    assert!(refused.stderr.contains("--sort-window"), "{}", refused.stderr);
    let ran = dir.run(&[&args[..], &["--sort-window", "1s"]].concat()).expect(1);
    assert!(ran.stdout.contains("NoErrors: 1 event,"), "{}", ran.stdout);
}

/// A span is two events, of which the ends of inner spans are before those of outer ones.
#[test]
fn spans_may_be_their_beginnings_and_their_ends() {
    let dir = Dir::new();
    let log = root().join("examples/logs").join(SPANS);
    dir.write(
        "p.ww",
        r#"
event begins(id, parent) = log where .phase == "begin" with id = .spanId, parent = .parentSpanId
event ends(id) = log where .phase == "end" with id = .spanId

property Nested(id) {
  start state Closed { on begins(id, ?parent) -> Open }
  state Open { on begins(?other, id) -> Around }
  state Around { on ends(id) -> Ended "{id} had another inside" }
  bad state Ended
}
"#,
    );
    let begin_end = ["replay", "-p", "p.ww", "--preset", "otlp-begin-end"];
    let args = [&begin_end[..], &["--sort-window", "1s", log.to_str().unwrap()]].concat();
    let ran = dir.run(&args).expect(1);
    assert!(ran.stdout.contains("had another inside"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Nested: 4 events"), "{}", ran.stdout);
    // What has not ended has no end.
    dir.write(
        "open.json",
        r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a","startTimeUnixNano":"5"},
            {"spanId":"b","startTimeUnixNano":"6","endTimeUnixNano":"0"},
            {"spanId":"c","startTimeUnixNano":"7","endTimeUnixNano":"8"}]}]}]}"#,
    );
    let ran = dir.run(&[&begin_end[..], &["open.json"]].concat()).expect(0);
    assert!(ran.stdout.contains("Nested: 4 events"), "{}", ran.stdout);
    dir.write(
        "wrong.json",
        r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"a","startTimeUnixNano":"5",
            "endTimeUnixNano":"soon"}]}]}]}"#,
    );
    let ran = dir.run(&[&begin_end[..], &["wrong.json"]].concat()).expect(2);
    assert!(ran.stderr.contains("wrong.json:2:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("WW2006"), "{}", ran.stderr);
}

/// Event logs of process mining have one case after the other.
#[test]
fn event_logs_are_put_into_the_order_of_time() {
    let dir = Dir::new();
    let folder = root().join("examples/logs");
    let (property, log) = (folder.join("orders.ww"), folder.join(ORDERS));
    let args = ["replay", "-p", property.to_str().unwrap(), log.to_str().unwrap()];
    let ran = dir.run(&args).expect(1);
    assert!(ran.stdout.contains("PaidFirst: 5 events, 3 instances, 1 violation"), "{}", ran.stdout);
    assert!(ran.stdout.contains("order 8 is shipped before it is paid"), "{}", ran.stdout);
    assert!(ran.stdout.contains("orders.xes:42 (event "), "{}", ran.stdout);
    assert!(ran.stderr.contains("orders.xes: events are put into the order of time"));
    // Compressed, and by another name.
    let text = std::fs::read_to_string(&log).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    dir.write("log.gz", packed.finish().unwrap());
    let same = dir.run(&["replay", "-p", property.to_str().unwrap(), "log.gz"]).expect(1);
    assert!(same.stdout.contains("log.gz:42 (event "), "{}", same.stdout);
    // Cut off: what was read was found, and the rest is not known.
    dir.write("cut.xes", text.rsplit_once("</trace>").unwrap().0);
    let cut = dir.run(&["replay", "-p", property.to_str().unwrap(), "cut.xes"]).expect(2);
    assert!(cut.stderr.contains("this is no XES: the file ends inside of"), "{}", cut.stderr);
    assert!(cut.stdout.contains("order 8 is shipped before it is paid"), "{}", cut.stdout);
}

#[test]
fn times_of_samples_are_right_to_the_unit() {
    let dir = Dir::new();
    let folder = root().join("examples/logs");
    // Times matter where a property measures them.
    let measures = |event: &str| {
        format!(
            "property Measures {{ start state A {{ on {event}(?v) -> B }}  \
             state B within 1 s else C {{ on {event}(?v) -> B }}  state C }}\n"
        )
    };
    let mut failures = Vec::new();
    for (sample, property, time) in TIMES {
        let event = match property {
            "errors" => "error",
            "probing" => "missing",
            "orders" => "ship",
            _ => "failed",
        };
        let text = std::fs::read_to_string(folder.join(format!("{property}.ww"))).unwrap();
        dir.write("p.ww", text + &measures(event));
        let log = folder.join(sample);
        let ran = dir.run(&["replay", "-p", "p.ww", "--format", "json", log.to_str().unwrap()]);
        // As it is printed: to the nanosecond, which numbers of other readers of JSON may not keep.
        let history = ran.stdout.split("\"history\":[").nth(1).unwrap_or_default();
        let first = history.split("\"time\":").nth(1).unwrap_or_default();
        let first = first.split([',', '}']).next().unwrap_or_default();
        if first != time {
            failures.push(format!("{sample}: {first}, not {time} {}", ran.stderr));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_sample_and_every_preset_is_looked_at() {
    let entries = std::fs::read_dir(root().join("examples/logs")).unwrap();
    for entry in entries {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_sample = [".log", ".json", ".pb", ".xes"].iter().any(|end| name.ends_with(end));
        let is_known = SAMPLES.iter().any(|(sample, ..)| *sample == name)
            || RECORDS.iter().any(|(sample, ..)| *sample == name)
            || [SPANS, ORDERS, "go.log"].contains(&name.as_str());
        assert!(!is_sample || is_known, "{name}");
    }
    let page = std::fs::read_to_string(root().join("docs/log-formats.md")).unwrap();
    for preset in &PRESETS {
        let line = page.lines().find(|line| line.starts_with(&format!("| `{}` |", preset.name)));
        let line = line.unwrap_or_else(|| panic!("{} is not documented", preset.name));
        for field in preset.fields() {
            assert!(line.contains(&format!("`{field}`")), "{}: {field}", preset.name);
        }
        if preset.recognised {
            assert!(SAMPLES.iter().any(|(.., name)| *name == preset.name) || is_twin(preset.name));
        }
        if let Reads::Json { records: Some(records), .. } = &preset.reads {
            assert!(line.contains(records), "{}", preset.name);
        }
    }
}

/// Its lines are those of another program, too, which is recognised first.
fn is_twin(preset: &str) -> bool {
    matches!(preset, "log4j")
}

#[test]
fn go_is_read_if_one_says_so() {
    let dir = Dir::new();
    let property = "event panicked(m) = log where .message == \"*panic*\" with m = .message\n\
        property P { start state S { on panicked(?m) -> B \"{m}\" }  bad state B }\n";
    dir.write("p.ww", property);
    let log = root().join("examples/logs/go.log");
    let log = log.to_str().unwrap();
    let ran = dir.run(&["replay", "-p", "p.ww", "--preset", "go", log]).expect(1);
    assert!(ran.stdout.contains("go.log:3"), "{}", ran.stdout);
    dir.run(&["replay", "-p", "p.ww", log]).expect(2);
}

#[test]
fn lines_in_envelopes_are_those_of_a_program() {
    let dir = Dir::new();
    let line = "203.0.113.7 - - [01/May/2024:14:00:00 +0200] \\\"GET /x HTTP/1.1\\\" 404 5\\n";
    let log: String = (0..3)
        .map(|i| {
            format!(
                "{{\"log\":\"{line}\",\"stream\":\"stdout\",\"time\":\"2024-05-01T12:00:0{i}Z\"}}\n"
            )
        })
        .collect();
    dir.write("pod.log", log);
    let property = root().join("examples/logs/probing.ww");
    let property = property.to_str().unwrap();
    let both = ["--preset", "k8s", "--preset", "nginx"];
    dir.run(&[&["replay", "-p", property], &both[..], &["pod.log"]].concat()).expect(1);
    // Patterns of the property see the line of the program, not what is around it.
    dir.write(
        "p.ww",
        "event got(p) = log /\"GET (?<p>\\S+) HTTP/\n\
         property P(p) { start state S { on got(p) -> B }  bad state B }\n",
    );
    let ran = dir.run(&["replay", "-p", "p.ww", "pod.log"]).expect(1);
    assert!(ran.stdout.contains("with p = \"/x\""), "{}", ran.stdout);
    let streams = "event err(l) = log where .stream == \"stderr\" with l = .log\n\
        property P { start state S { on err(?l) -> B \"{l}\" }  bad state B }\n";
    dir.write("p.ww", streams);
    let docker = root().join("examples/logs/docker.json");
    let ran = dir.run(&["replay", "-p", "p.ww", docker.to_str().unwrap()]).expect(1);
    assert!(ran.stdout.contains("violation: P: Traceback: no such account"), "{}", ran.stdout);
}

#[test]
fn an_unknown_preset_is_refused_with_the_known_ones() {
    let dir = Dir::new();
    dir.write("p.ww", "event e(x)\nproperty P(x) { never e e }\n").write("t.log", "x\n");
    let ran = dir.run(&["replay", "-p", "p.ww", "--preset", "ngnix", "t.log"]).expect(2);
    assert!(ran.stderr.contains("nginx"), "{}", ran.stderr);
}
