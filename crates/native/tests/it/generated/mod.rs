//! Random programs are told alike by both back ends, and as they count themselves.

mod program;

use watchword_testing::Scratch;

use watchword_native::{Backend, Settings};

use crate::inside::{compare, inside};
use crate::support::{compile_file, guarded, model, run_unrecorded, soak};

#[test]
fn generated_programs_are_told_alike() {
    let seed = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let first = seed("WATCHWORD_SEED").unwrap_or(1);
    let count = seed("WATCHWORD_SEEDS").unwrap_or(if soak() { 1000 } else { 24 });
    guarded(60 + count * 30, || {
        let scratch = Scratch::new("generated");
        let (mut at_entry, mut moved, mut stayed) = (0, 0, 0);
        let (mut violations, mut told) = (0, (0, 0));
        for seed in first..first + count {
            let made = program::program(seed);
            let file = scratch.write(&format!("seed{seed}.cpp"), made.source.as_bytes());
            println!("seed {seed} {:?}", made.flags);
            let program = compile_file(&file, &made.flags);
            let model = model(&made.property);
            let (int3, inject) = compare(&program, &[], &model);
            let (count, reasons) = inside(&inject);
            moved += count;
            stayed += reasons.len();
            let counted = String::from_utf8_lossy(&int3.output);
            let counted: Vec<u64> = counted
                .lines()
                .next()
                .unwrap()
                .split_whitespace()
                .map(|n| n.parse().unwrap())
                .collect();
            for (k, entry) in made.entries.iter().enumerate() {
                let Some(entry) = entry else { continue };
                let event = model.events.iter().position(|e| e.name == *entry).unwrap();
                for ran in [&int3, &inject] {
                    assert_eq!(ran.by_event[event], counted[k], "calls of f{k}, seed {seed}");
                }
                at_entry += counted[k];
            }
            if let Some(keyed) = made.keyed {
                let model = crate::support::model(&keyed);
                let [int3, auto] = [Backend::Int3, Backend::Inject].map(|backend| {
                    let settings = Settings { backend, ..Settings::default() };
                    run_unrecorded(&program, &[], &model, settings)
                });
                assert_eq!(int3.violations, auto.violations, "verdicts, seed {seed}");
                violations += int3.violations;
                let used = model.events.iter().position(|e| e.name == "used").unwrap();
                told.0 += int3.by_event[used];
                told.1 += auto.by_event[used];
            }
            let _ = std::fs::remove_file(program);
        }
        println!("{violations} violations, {told:?} uses were told");
        assert!(violations > count / 4, "{violations} violations");
        println!("{at_entry} calls; {moved} places inside, {stayed} not");
        assert!(at_entry > 20 * count && moved > 2 * stayed, "{at_entry} {moved} {stayed}");
    });
}
