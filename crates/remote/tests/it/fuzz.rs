//! Packets that make no sense: no crash, no hang, no program left behind.

use crate::raw::Raw;
use crate::support::{alone, compile, launched, session};

/// A generator of numbers that is the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }
}

const SEEDS: &[&str] = &[
    "qSupported:multiprocess+;swbreak+",
    "?",
    "g",
    "p10",
    "m7ffe0000,40",
    "Hg0",
    "Hc-1",
    "qC",
    "P10=0000000000000000",
    "qfThreadInfo",
    "qsThreadInfo",
    "qXfer:threads:read::0,fff",
    "qXfer:auxv:read::0,ffffffffffff",
    "qXfer:libraries-svr4:read::0,100",
    "Z0,400000,1",
    "z0,400000,1",
    "Z2,7ffe0000,8",
    "Z3,0,ffffffffffffffff",
    "vCont?",
    "vCont;s",
    "vCont;r0,10",
    "qRcmd,6d6f6e69746f7273",
    "qRcmd,7072696e742031",
    "qRcmd,ff",
    "vFile:open:2f,0,0",
    "vFile:pread:0,ffffffff,0",
    "vFile:fstat:99",
    "qMemoryRegionInfo:0",
    "QPassSignals:e;f",
    "qGetTLSAddr:p1.1,0,0",
    "M0,1:00",
    "X0,2:ab",
    "G00",
    "bc",
    "T1",
    "qThreadExtraInfo,1",
    "qHostInfo",
    "qProcessInfo",
    "qThreadStopInfo1",
    "!",
    "qAttached",
    "qRcmd,636865636b706f696e74",
];

fn mutated(random: &mut Random) -> Vec<u8> {
    let mut bytes = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..random.below(4) {
        match random.below(4) {
            0 if !bytes.is_empty() => {
                let at = random.below(bytes.len());
                bytes[at] = random.next() as u8;
            }
            1 if !bytes.is_empty() => {
                bytes.truncate(random.below(bytes.len()));
            }
            2 => {
                let at = random.below(bytes.len() + 1);
                bytes.insert(at, b"0123456789abcdef:;,.-p"[random.below(22)]);
            }
            _ => {
                let other = SEEDS[random.below(SEEDS.len())].as_bytes();
                bytes.extend(&other[..random.below(other.len() + 1)]);
            }
        }
    }
    bytes
}

/// Packets that let the program go, end the conversation, or have no answer are left to other tests.
fn has_answer(packet: &[u8]) -> bool {
    if matches!(packet.first(), Some(b'c' | b'C' | b's' | b'S' | b'k' | b'R' | b'D')) {
        return false;
    }
    if packet.starts_with(b"vCont;") && packet.iter().any(|b| matches!(b, b'c' | b'C')) {
        return false;
    }
    let silent: [&[u8]; 4] = [b"vKill", b"vRun", b"QStartNoAck", b"qRcmd"];
    !silent.iter().any(|beginning| packet.starts_with(beginning))
}

#[test]
fn hostile_packets_are_answered_and_nothing_is_left() {
    let _alone = alone();
    let program = compile("ticker.c");
    let rounds = if std::env::var_os("WATCHWORD_SOAK").is_some() { 60 } else { 6 };
    let mut answered = 0;
    for seed in 0..rounds {
        let served = session(launched(&program, &[]), &[]);
        let mut random = Random(seed * 7919 + 1);
        let mut raw = Raw::connect(served.port);
        for _ in 0..300 {
            let packet = mutated(&mut random);
            if has_answer(&packet) {
                if !raw.send(&packet) || raw.receive().is_none() {
                    break;
                }
                answered += 1;
            } else if random.below(8) == 0 && !packet.starts_with(b"qRcmd") {
                // Bytes that are no packets at all.
                raw.send_raw(&packet);
            }
        }
        drop(raw);
        served.end();
    }
    assert!(answered > rounds * 50, "{answered}");
}
