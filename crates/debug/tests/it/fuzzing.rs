//! Damaged object files and expressions: errors, never panics, bounded memory.

use watchword_debug::fuzz;

use crate::support::*;

/// A small generator; the seed is the whole story of a run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn mutate(random: &mut Random, original: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    match random.below(8) {
        0 => bytes.truncate(random.below(original.len())),
        1 => {
            let at = random.below(bytes.len());
            let n = random.below(512).min(bytes.len() - at);
            bytes[at..at + n].fill([0, 0xff, 0x80][random.below(3)]);
        }
        2 => {
            // The headers, where a byte does most.
            let at = random.below(64.min(bytes.len()));
            bytes[at] = random.next() as u8;
        }
        3 => {
            let (from, to) = (random.below(bytes.len()), random.below(bytes.len()));
            let n = random.below(256).min(bytes.len() - from).min(bytes.len() - to);
            bytes.copy_within(from..from + n, to);
        }
        _ => {
            for _ in 0..1 + random.below(40) {
                let at = random.below(bytes.len());
                bytes[at] = match random.below(3) {
                    0 => bytes[at] ^ 1 << random.below(8),
                    1 => 0xff,
                    _ => random.next() as u8,
                };
            }
        }
    }
    bytes
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
fn damaged_files_are_errors_not_panics() {
    guarded(if soak() { 3600 } else { 120 }, damaged_files);
}

fn damaged_files() {
    let rounds = if soak() { 20_000 } else { 250 };
    let seed = 0x5eed_0001;
    let mut random = Random(seed);
    let before = peak_memory();
    let programs = [
        gcc("data.c", &["-O1"]),
        gcc("data.c", &["-O2", "-gdwarf-4"]),
        gcc("data.c", &["-O1", "-gz"]),
        gxx("names.cpp", &["-O0"]),
    ];
    for program in programs {
        let original = std::fs::read(&program).unwrap();
        // Only what debuggers read: damage elsewhere is wasted effort.
        fuzz::debug_info(&original);
        for _ in 0..rounds / 4 {
            fuzz::debug_info(&mutate(&mut random, &original));
        }
    }
    let grown = peak_memory().saturating_sub(before);
    assert!(grown < 1024, "{grown} MB");
}

#[test]
fn damaged_expressions_are_errors_not_panics() {
    let mut random = Random(0x5eed_0002);
    let samples =
        ["*p->q[2].r + arg 0", "(struct node *) $rdi == &x && !y", "f(1, 0x7f, 'c') % -3"];
    let signs = b"()[]*&.->+$'\"01xargt :,~!|^%<>=\\\xff\xc3";
    for _ in 0..if soak() { 1_000_000 } else { 20_000 } {
        let mut text = samples[random.below(3)].as_bytes().to_vec();
        for _ in 0..random.below(12) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => text[at] = signs[random.below(signs.len())],
                1 => text.insert(at, signs[random.below(signs.len())]),
                _ => {
                    text.remove(at);
                    text.push(b' ');
                }
            }
        }
        fuzz::expression(&text);
    }
}
