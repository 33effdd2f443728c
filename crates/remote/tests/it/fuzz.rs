//! Packets that make no sense: no crash, no hang, no program left behind.

use std::path::Path;

use watchword_native::session::Origin;
use watchword_remote::protocol::command::{Action, Command};
use watchword_testing::{Random, Running};

use crate::raw::Raw;
use crate::support::{alone, compile, launched, session};

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
    "c",
    "s",
    "C05",
    "S0b",
    "vCont;c",
    "vCont;c:p-1.-1",
    "vCont;s:1;c",
    "vCont;C02",
    "vCont;t",
    "vCtrlC",
    "vAttach;1",
];

/// Packets after which a program that was started may be gone; one that was joined stays out of them,
/// because it may be killed by them.
const ENDINGS: &[&str] =
    &["k", "R00", "vRun;", "vRun;2f62696e2f74727565", "vKill;1", "D", "D;1", "!"];

/// What no packet of the seeds asks for; its answer shows that all before it were answered.
const FENCE: &str = "qXfer:features:read:target.xml:1,7";

fn mutated(random: &mut Random, seeds: &[&str]) -> Vec<u8> {
    let mut bytes = random.pick(seeds).as_bytes().to_vec();
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
                bytes.insert(at, *random.pick(b"0123456789abcdef:;,.-p"));
            }
            _ => {
                let other = random.pick(seeds).as_bytes();
                bytes.extend(&other[..random.below(other.len() + 1)]);
            }
        }
    }
    bytes
}

/// Commands of the prompt that were changed at random would be files that are written, and worse.
fn is_harmless(packet: &[u8]) -> bool {
    !packet.starts_with(b"qRcmd") || SEEDS.iter().any(|seed| seed.as_bytes() == packet)
}

/// What becomes of the program.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// It was started by the session, and may end.
    Started,
    /// It was joined, and is not ended on purpose.
    Joined,
    /// It was joined, and nothing is done that it could die of.
    Spared,
}

/// Whether the program may die of a packet: its memory or its registers are changed, or it gets a signal.
fn harms(command: &Command) -> bool {
    match command {
        Command::WriteMemory(..) | Command::WriteRegister(..) | Command::WriteRegisters(_) => true,
        Command::Insert(..) => true,
        Command::Resume(actions) => actions
            .iter()
            .any(|(action, _)| matches!(action, Action::Continue(Some(_)) | Action::Step(Some(_)))),
        _ => false,
    }
}

/// Whether all packets that were sent are answered; not if the conversation is over.
fn is_answered(raw: &mut Raw) -> bool {
    if !raw.send(FENCE.as_bytes()) {
        return false;
    }
    while let Some(answer) = raw.receive() {
        if answer.starts_with(b"m?xml") {
            return true;
        }
    }
    false
}

/// Sends packets until the conversation is over; how many were answered, and whether one let the program
/// go.
fn converse(raw: &mut Raw, random: &mut Random, fate: Fate) -> (u64, bool) {
    let (mut answered, mut lets_go) = (0, false);
    for _ in 0..300 {
        let packet = match random.below(40) {
            0 if fate == Fate::Started => mutated(random, ENDINGS),
            _ => mutated(random, SEEDS),
        };
        let command = Command::parse(&packet);
        lets_go |= command == Command::Detach;
        let kills = matches!(command, Command::Kill | Command::KillProcess);
        let is_out = (fate != Fate::Started && kills) || (fate == Fate::Spared && harms(&command));
        if !is_harmless(&packet) || is_out {
            continue;
        }
        if random.below(30) == 0 {
            // Bytes that are no packets at all.
            raw.send_raw(&packet);
        } else if !raw.send(&packet) {
            break;
        }
        // The program would run for ever.
        if command.is_resumption() && !raw.send_raw(&[3]) {
            break;
        }
        if !is_answered(raw) {
            break;
        }
        answered += 1;
    }
    (answered, lets_go)
}

/// What the kernel says a process does, and who traces it; nothing if there is no such process.
fn state(pid: i32) -> String {
    let status = std::fs::read_to_string(Path::new(&format!("/proc/{pid}/status")));
    let status = status.unwrap_or_default();
    let wanted = |l: &&str| l.starts_with("State:") || l.starts_with("TracerPid:");
    status.lines().filter(wanted).collect::<Vec<_>>().join(" ")
}

fn rounds() -> u64 {
    if std::env::var_os("WATCHWORD_SOAK").is_some() { 60 } else { 6 }
}

#[test]
fn hostile_packets_are_answered_and_nothing_is_left() {
    let _alone = alone();
    let program = compile("ticker.c");
    let mut answered = 0;
    for seed in 0..rounds() {
        let served = session(launched(&program, &[]), &[]);
        let mut random = Random::new(seed * 7919 + 1);
        let mut raw = Raw::connect(served.port);
        let first = raw.ask("qC");
        let (these, lets_go) = converse(&mut raw, &mut random, Fate::Started);
        answered += these;
        // In the middle of a run, or not.
        if random.below(2) == 0 {
            raw.send(b"vCont;c");
        }
        drop(raw);
        served.end();
        let pid = i32::from_str_radix(first.trim_start_matches("QC"), 16).unwrap();
        let state = state(pid);
        assert!(!state.contains("stop"), "seed {seed}: {state}");
        if lets_go {
            // It was told to go on without us.
            let _ = std::process::Command::new("kill").args(["-9", &pid.to_string()]).output();
        } else {
            assert_eq!(state, "", "seed {seed} left a program");
        }
    }
    assert!(answered > rounds() * 30, "{answered}");
}

#[test]
fn a_joined_program_is_never_left_stopped_by_hostile_packets() {
    let _alone = alone();
    let program = compile("ticker.c");
    let (mut answered, mut went_on) = (0, 0);
    for seed in 0..rounds() {
        let child = Running::start(&program);
        let served = session(Origin::Process(child.pid() as i32), &[]);
        let mut random = Random::new(seed * 104_729 + 5);
        let mut raw = Raw::connect(served.port);
        let fate = if seed % 2 == 0 { Fate::Spared } else { Fate::Joined };
        answered += converse(&mut raw, &mut random, fate).0;
        match random.below(3) {
            0 => drop(raw),
            1 => {
                raw.send(b"vCont;c");
                drop(raw);
            }
            _ => {
                raw.send(b"D");
                let _ = raw.receive();
            }
        }
        served.end();
        // Signals, and registers and memory that were changed, may have ended it.
        let state = state(child.pid() as i32);
        assert!(!state.contains("stop"), "seed {seed}: {state}");
        let goes_on = state.contains("sleeping") || state.contains("running");
        assert!(goes_on || fate != Fate::Spared, "seed {seed}: {state}");
        if goes_on {
            assert!(state.contains("TracerPid:\t0"), "seed {seed}: {state}");
            went_on += 1;
        }
    }
    assert!(answered > rounds() * 50, "{answered}");
    assert!(went_on > 0, "no program outlived its debugger");
}
