//! Blocks that are read ahead, by several readers and in any order, give what one reader gives.

use std::collections::VecDeque;

use watchword_cases::fuzz::{Random, mutate};
use watchword_model::Model;
use watchword_trace::ahead::{Batch, Cut, Next, Scout};
use watchword_trace::{BadLines, Format, Reader, Stepped};

use crate::fuzz::{Drip, PROPERTY, SEEDS};
use crate::readers::{Listener, model};

/// What a reader tells afterwards.
fn told(reader: &Reader) -> String {
    let routes: Vec<_> =
        reader.routes.table.iter().map(|r| (r.point, r.name.clone(), r.records)).collect();
    let misses: Vec<_> =
        reader.emitter.misses.iter().map(|miss| miss.as_ref().map(|m| m.words())).collect();
    let first = reader.first_skipped.as_ref().map(ToString::to_string);
    format!(
        "{} lines, {} skipped {first:?}, {} unlike {:?}, {} alike, {} mistimed {:?}, {:?} {:?} {:?}\n\
         {} unmatched, seen {:?}\n{routes:?}\n{misses:?}",
        reader.lines,
        reader.skipped,
        reader.unlike,
        reader.first_unlike,
        reader.alike,
        reader.mistimed,
        reader.first_mistimed,
        reader.first_unnamed,
        reader.first_json,
        reader.notes,
        reader.emitter.unmatched,
        reader.emitter.seen,
    )
}

enum Block {
    Todo(Cut),
    Done(Box<Batch>),
}

/// Reads with so many scouts; chance decides who reads which block when. Also answers how many batches
/// were taken.
fn read_ahead(
    model: &Model,
    (format, text, bad): (Format, &[u8], BadLines),
    scouts: usize,
    random: &mut Random,
) -> (Result<Vec<String>, String>, String, usize) {
    let mut reader = Reader::new(model, bad).unwrap();
    let mut listener = Listener { model, heard: Vec::new() };
    let mut taken = 0;
    let drip = 1 + random.below(120);
    let mut read = || -> Result<(), watchword_trace::Error> {
        let mut trace = reader.open("t", Drip(text, drip), Some(format))?;
        for _ in 0..random.below(4) {
            if reader.step(&mut trace, &mut listener)? == Stepped::End {
                reader.close(trace);
                return Ok(());
            }
        }
        let mut all: Vec<Scout> = (0..scouts).map_while(|_| reader.scout(&trace)).collect();
        let mut blocks = VecDeque::new();
        let mut ended = all.is_empty();
        while !ended || !blocks.is_empty() {
            while !ended && blocks.len() < 4 * scouts {
                match reader.cut(&mut trace)? {
                    Next::Cut(cut) => blocks.push_back(Block::Todo(cut)),
                    Next::Whole | Next::End => ended = true,
                }
            }
            for scout in &mut all {
                let todo: Vec<usize> =
                    (0..blocks.len()).filter(|at| matches!(blocks[*at], Block::Todo(_))).collect();
                if let Some(at) = todo.get(random.below(todo.len() + 1))
                    && let Some(Block::Todo(cut)) = blocks.remove(*at)
                {
                    blocks.insert(*at, Block::Done(Box::new(scout.read(cut))));
                }
            }
            match blocks.pop_front() {
                Some(Block::Done(batch)) if !batch.is_unusual => {
                    reader.take(&trace, &batch, &mut listener)?;
                    taken += 1;
                }
                Some(Block::Done(batch)) => {
                    reader.read_cut(&mut trace, &batch.cut, &mut listener)?
                }
                Some(Block::Todo(cut)) => reader.read_cut(&mut trace, &cut, &mut listener)?,
                None => {}
            }
        }
        while reader.step(&mut trace, &mut listener)? != Stepped::End {}
        reader.close(trace);
        Ok(())
    };
    let read = read().map_err(|e| e.to_string());
    let heard = std::mem::take(&mut listener.heard);
    let heard = read.map(|()| heard.clone()).map_err(|e| format!("{heard:?} {e}"));
    let told = told(&reader);
    (heard, told, taken)
}

/// The same by one reader.
fn read_alone(
    model: &Model,
    (format, text, bad): (Format, &[u8], BadLines),
) -> (Result<Vec<String>, String>, String) {
    let mut reader = Reader::new(model, bad).unwrap();
    let mut listener = Listener { model, heard: Vec::new() };
    let read = reader.read("t", text, Some(format), &mut listener, |_, _| {});
    let heard = listener.heard;
    let heard = read.map(|()| heard.clone()).map_err(|e| format!("{heard:?} {e}"));
    (heard, told(&reader))
}

#[test]
fn blocks_read_ahead_give_the_same_events_and_counts() {
    let model = model(&format!(
        "{PROPERTY}property P {{ start state S within 5 s else S {{ on push(_, _) -> S }} }}\n"
    ));
    let rounds: usize = match std::env::var("WATCHWORD_FUZZ") {
        Ok(rounds) => rounds.parse().unwrap(),
        Err(_) => 5_000,
    };
    let mut random = Random(0xa4ead);
    let (mut taken, mut errors) = (0, 0);
    for round in 0..rounds {
        let (format, seed) = SEEDS[random.below(SEEDS.len())];
        // Where threads have names, nothing is read ahead.
        let seed = match random.below(2) {
            0 => seed.to_string(),
            _ => seed.replace(",\"thread\":\"main\"", "").replace(" thread=main", ""),
        };
        // A header comes once.
        let (head, body) = match format {
            Format::Csv | Format::Tsv | Format::Zeek => {
                let end = seed.find("push").or(seed.find("17")).unwrap_or(0);
                seed.split_at(end)
            }
            _ => ("", &*seed),
        };
        let mut bytes = head.as_bytes().to_vec();
        for _ in 0..1 + random.below(6) {
            let mut part = body.as_bytes().to_vec();
            if random.below(3) == 0 {
                mutate(&mut random, &mut part);
            }
            bytes.extend(part);
        }
        let bad = if random.below(2) == 0 { BadLines::Refuse } else { BadLines::Skip };
        let (alone, told_alone) = read_alone(&model, (format, &bytes, bad));
        let scouts = [1, 2, 6][random.below(3)];
        let (heard, told, used) = read_ahead(&model, (format, &bytes, bad), scouts, &mut random);
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(alone, heard, "round {round}: {format:?} {text}");
        if alone.is_ok() {
            assert_eq!(told_alone, told, "round {round}: {format:?} {text}");
        }
        taken += used;
        errors += usize::from(alone.is_err());
    }
    println!("{rounds} traces, {taken} batches taken, {errors} errors");
    assert!(taken * 5 > rounds, "hardly anything was read ahead");
    assert!(errors * 10 > rounds, "hardly anything was wrong");
}
