//! Sources and shards in this process find what one engine finds.

use std::sync::Arc;

use watchword_flink::{Job, Shard, Source};
use watchword_model::{EventRef, Model, Time};
use watchword_monitor::{Engine, Options, ReportKind};
use watchword_trace::emit::Sink;
use watchword_trace::error::Flaw;
use watchword_trace::{BadLines, Manner, Reader};

use crate::support::{PROPERTIES, Random, bundle, model, root, trace};

/// The events of a trace.
#[derive(Default)]
struct Events(Vec<watchword_model::Event>);

impl Sink for Events {
    fn event(&mut self, event: &EventRef<'_>) -> Result<(), Box<Flaw>> {
        self.0.push(event.to_event());
        Ok(())
    }

    fn time(&mut self, _: Time) -> Result<(), Box<Flaw>> {
        Ok(())
    }
}

/// Violations of one engine that steps all events in the order of their times: property, state, message,
/// time, binding.
fn whole(model: &Model, traces: &[String]) -> Vec<String> {
    let manner = Manner { needs_times: true, ..Manner::default() };
    let mut events = Vec::new();
    for (number, text) in traces.iter().enumerate() {
        let mut reader = Reader::with(model, BadLines::Refuse, &manner).unwrap();
        let mut read = Events::default();
        reader
            .read(&format!("{number}.jsonl"), text.as_bytes(), None, &mut read, |_, _| {})
            .unwrap();
        events.extend(read.0);
    }
    events.sort_by_key(|event| event.time);
    let mut engine = Engine::new(model, Options::default());
    for event in &events {
        engine.step_owned(event).unwrap();
    }
    engine.end();
    let reports = engine.take_reports().into_iter().filter(|r| r.kind == ReportKind::Violation);
    let mut lines: Vec<String> = reports
        .map(|report| {
            let property = &model.properties[report.property.index()];
            let binding: Vec<String> =
                report.binding.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let state = &property.states[report.state.index()].name;
            format!("{} {state} {:?} {:?}", property.name, report.message, binding)
        })
        .collect();
    lines.sort();
    lines
}

/// The same of lines of JSON, as far as they have it.
fn shown(lines: &str) -> Vec<String> {
    let mut shown: Vec<String> = lines
        .lines()
        .map(|line| {
            let text = |key: &str| {
                let from = line.split_once(&format!("\"{key}\":\"")).expect(key).1;
                from.split_once('"').unwrap().0.to_string()
            };
            let binding = line.split_once("\"binding\":{").expect("a binding").1;
            let binding: Vec<String> = binding
                .split_once('}')
                .unwrap()
                .0
                .split(',')
                .filter(|pair| !pair.is_empty())
                .map(|pair| pair.replace("\":", "=").replace('"', ""))
                .collect();
            format!("{} {} {:?} {:?}", text("property"), text("state"), text("message"), binding)
        })
        .collect();
    shown.sort();
    shown
}

/// How the parts of a job are handled.
struct Handling {
    shards: usize,
    /// After so many blocks, everything is saved, forgotten and restored.
    restart: usize,
    seed: u64,
}

/// What a job finds: its violations, and its late events.
fn divided(job: &Arc<Job>, traces: &[String], handling: &Handling) -> (String, String) {
    let mut random = Random(handling.seed * 2 + 1);
    let mut sources: Vec<Source> =
        (0..traces.len()).map(|number| Source::new(job, number, None).unwrap()).collect();
    let mut positions = vec![0; traces.len()];
    let mut ended = vec![false; traces.len()];
    let mut shards: Vec<Shard> =
        (0..handling.shards).map(|number| Shard::new(job, number)).collect();
    let (mut found, mut late) = (String::new(), String::new());
    let mut blocks = 0;
    loop {
        let behind =
            (0..traces.len()).filter(|n| !ended[*n]).min_by_key(|n| sources[*n].watermark());
        let Some(number) = behind else { break };
        let rest = &traces[number][positions[number]..];
        let wanted = 1 + random.below(3_000) as usize;
        let end = rest.bytes().enumerate().skip(wanted).find(|(_, b)| *b == b'\n');
        let end = end.map_or(rest.len(), |(at, _)| at + 1);
        ended[number] = end == rest.len();
        sources[number].feed(&rest.as_bytes()[..end], ended[number], false).unwrap();
        positions[number] += end;
        for (at, shard) in shards.iter_mut().enumerate() {
            late += &shard.add(&sources[number].take(at)).unwrap();
        }
        let open = (0..traces.len()).filter(|n| !ended[*n]);
        if let Some(Some(watermark)) = open.map(|n| sources[n].watermark()).min() {
            shards.iter_mut().for_each(|shard| found += &shard.advance(watermark));
        }
        blocks += 1;
        if blocks == handling.restart {
            let saved: Vec<Vec<u8>> = shards.iter_mut().map(Shard::save).collect();
            let restored = saved.iter().enumerate();
            shards = restored.map(|(at, s)| Shard::restore(job, at, s).unwrap()).collect();
            for (at, shard) in shards.iter_mut().enumerate() {
                assert_eq!(shard.save(), saved[at], "saving again gives other bytes");
            }
            for (number, source) in sources.iter_mut().enumerate() {
                *source = Source::new(job, number, None).unwrap();
                let before = &traces[number].as_bytes()[..positions[number]];
                source.feed(before, ended[number], true).unwrap();
                assert!((0..handling.shards).all(|at| source.take(at).is_empty()));
            }
        }
    }
    shards.iter_mut().for_each(|shard| found += &shard.end());
    (found, late)
}

fn options(shards: usize) -> String {
    format!("shards={shards}\nlateness=50000000\n")
}

#[test]
fn shards_find_what_one_engine_finds() {
    let model = model(PROPERTIES);
    let mut violations = 0;
    for seed in 0..12 {
        let parts = 1 + seed % 3;
        let traces: Vec<String> =
            (0..parts).map(|part| trace(seed * 10 + part, 1_500, part, parts)).collect();
        let names: Vec<String> = (0..parts).map(|part| format!("{part}.jsonl")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let expected = whole(&model, &traces);
        violations += expected.len();
        for shards in [1, 2, 7] {
            let job = Job::open(&bundle(&model), &options(shards), &names).unwrap();
            for restart in [0, 1, 5, 20] {
                let handling = Handling { shards, restart, seed };
                let (found, late) = divided(&job, &traces, &handling);
                assert_eq!(late, "", "nothing is late");
                assert_eq!(
                    shown(&found),
                    expected,
                    "seed {seed}, {shards} shards, restart {restart}"
                );
            }
        }
    }
    assert!(violations > 1_000, "{violations}");
}

#[test]
fn shipped_properties_find_the_same_in_shards() {
    let mut found = 0;
    let mut tried = 0;
    for family in ["jdk", "jdk-advice", "posix", "posix-advice", "log"] {
        let folder = root().join("properties").join(family);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "ww") {
                continue;
            }
            let model = model(&std::fs::read_to_string(&path).unwrap());
            for kind in ["bad", "ok"] {
                let text = std::fs::read_to_string(path.with_extension(format!("{kind}.jsonl")));
                // Where events go by their order alone, their places are their times.
                let timed = |(number, line): (usize, &str)| match line.contains("\"time\"") {
                    true => format!("{line}\n"),
                    false => format!("{{\"time\":{number},{}\n", &line.trim()[1..]),
                };
                let text = text.unwrap();
                let lines = text.lines().filter(|line| !line.trim().is_empty());
                let traces = [lines.enumerate().map(timed).collect::<String>()];
                let expected = whole(&model, &traces);
                for shards in [1, 3, 8] {
                    let options = format!("shards={shards}\nlateness=0\n");
                    let job = Job::open(&bundle(&model), &options, &["0.jsonl"]).unwrap();
                    let handling = Handling { shards, restart: 1, seed: 1 };
                    let (lines, late) = divided(&job, &traces, &handling);
                    let what = format!("{}, {kind}, {shards} shards", path.display());
                    assert_eq!(late, "", "{what}");
                    assert_eq!(
                        lines.lines().count(),
                        expected.len(),
                        "{what}: {lines}\n{expected:#?}"
                    );
                }
                found += expected.len();
                tried += 1;
            }
        }
    }
    println!("{tried} traces, {found} violations");
    assert!(tried > 100 && found > 60);
}

#[test]
fn late_events_are_told_and_not_checked() {
    let model = model(PROPERTIES);
    let text = |last: &str| {
        format!(
            "{}\n{}\n{last}",
            r#"{"event":"request","args":[1],"time":100}"#,
            r#"{"event":"reply","args":[2],"time":104}"#
        )
    };
    let job = Job::open(&bundle(&model), "shards=2\nlateness=1000000000\n", &["a.jsonl"]).unwrap();
    let run = |last: &str| {
        let mut source = Source::new(&job, 0, None).unwrap();
        let mut shards = [0, 1].map(|number| Shard::new(&job, number));
        let (mut found, mut late) = (String::new(), String::new());
        let text = text(last);
        let (first, second) = text.split_at(text.len() - last.len());
        for (block, is_last) in [(first, false), (second, true)] {
            source.feed(block.as_bytes(), is_last, false).unwrap();
            for (number, shard) in shards.iter_mut().enumerate() {
                late += &shard.add(&source.take(number)).unwrap();
                found += &shard.advance(source.watermark().unwrap());
            }
        }
        shards.iter_mut().for_each(|shard| found += &shard.end());
        (found, late)
    };
    // The watermark is just before 103 s.
    let (found, late) = run(r#"{"event":"reply","args":[1],"time":103}"#);
    assert_eq!((found.as_str(), late.as_str()), ("", ""));
    let (found, late) = run(r#"{"event":"reply","args":[1],"time":102.999999999}"#);
    assert!(late.contains(r#""late":"reply""#) && late.contains(r#""line":3"#), "{late}");
    assert!(found.contains(r#""property":"Reply""#), "{found}");
}

#[test]
fn state_of_other_properties_is_refused() {
    let open = |text: &str| Job::open(&bundle(&model(text)), "shards=1\n", &["a.jsonl"]).unwrap();
    let job = open(PROPERTIES);
    let saved = Shard::new(&job, 0).save();
    assert!(Shard::restore(&job, 0, &saved).is_ok());
    let other = open(&PROPERTIES.replace("5 s", "6 s"));
    let refused = Shard::restore(&other, 0, &saved).err().expect("another deadline");
    assert!(refused.to_string().contains("properties differ"), "{refused}");
    for end in 0..saved.len() {
        assert!(Shard::restore(&job, 0, &saved[..end]).is_err(), "{end} bytes");
    }
    let refused = Job::open(&[1, 2, 3], "", &[]).err().expect("no properties");
    assert!(refused.to_string().contains("properties"), "{refused}");
    let untimed = br#"{"event":"request","args":[1]}"#;
    let mut source = Source::new(&job, 0, None).unwrap();
    let refused = source.feed(untimed, true, false).expect_err("no time");
    assert!(refused.to_string().contains("`request` has no time"), "{refused}");
}
