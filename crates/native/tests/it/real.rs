//! Programs of the system: their output and status are those of an unmonitored run.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use watchword_model::Model;
use watchword_monitor::reference::Reference;
use watchword_monitor::{Report, ReportKind};
use watchword_native::Settings;

use crate::support::{Ran, example, guarded, installed, model, plain, run};

/// Program and arguments; everything reads files that are on every such system.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("cat", &["/etc/passwd"]),
    ("sort", &["-r", "/etc/passwd"]),
    ("wc", &["/etc/passwd", "/etc/group"]),
    ("head", &["-n", "3", "/etc/passwd"]),
    ("tail", &["-n", "3", "/etc/passwd"]),
    ("cut", &["-d:", "-f1", "/etc/passwd"]),
    ("tr", &["a", "b"]),
    ("uniq", &["/etc/passwd"]),
    ("sha256sum", &["/etc/passwd"]),
    ("md5sum", &["/etc/group"]),
    ("base64", &["/etc/passwd"]),
    ("od", &["-c", "/etc/hostname"]),
    ("stat", &["-c", "%s", "/etc/passwd"]),
    ("ls", &["-1", "/etc/apt"]),
    ("grep", &["root", "/etc/passwd"]),
    ("sed", &["-n", "1p", "/etc/passwd"]),
    ("gawk", &["-F:", "{ print $1 }", "/etc/passwd"]),
    ("mawk", &["-F:", "{ print $1 }", "/etc/passwd"]),
    ("find", &["/etc/apt", "-type", "f"]),
    ("tar", &["-cf", "-", "-C", "/etc", "--mtime=2020-01-01", "passwd"]),
    ("gzip", &["-nc", "/etc/passwd"]),
    ("bzip2", &["-c", "/etc/passwd"]),
    ("xz", &["-c", "/etc/passwd"]),
    ("diff", &["/etc/passwd", "/etc/group"]),
    ("seq", &["1", "100"]),
    ("factor", &["123456789"]),
    ("expr", &["6", "*", "7"]),
    ("false", &[]),
    ("bash", &["-c", "x=$(cat /etc/hostname); for i in 1 2 3; do echo \"$i $x\"; done; exit 3"]),
    ("dash", &["-c", "echo a | cat; kill -TERM $$"]),
    (
        "sqlite3",
        &[":memory:", "create table t(x); insert into t values (1), (2); select sum(x) from t;"],
    ),
    ("perl", &["-e", "print join(',', map { $_ * 2 } 1..5), \"\\n\""]),
    ("make", &["--version"]),
    ("git", &["--version"]),
    ("gdbus", &["help"]),
    ("gapplication", &["help"]),
];

/// A small picture, made once.
fn picture() -> String {
    static PICTURE: OnceLock<String> = OnceLock::new();
    let make = || {
        let path = format!("{}/picture.png", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&path, png(6, 6)).unwrap();
        path
    };
    PICTURE.get_or_init(make).clone()
}

/// A grey picture as PNG, its lines stored as they are.
fn png(width: u8, height: u8) -> Vec<u8> {
    // A line begins with its filter: none.
    let line = std::iter::once(0).chain((0..width).map(|x| x * 40));
    let pixels: Vec<u8> = (0..height).flat_map(|_| line.clone()).collect();
    let length = pixels.len() as u16;
    let (a, b) = pixels.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65521;
        (a, (b + a) % 65521)
    });
    let stored = [&length.to_le_bytes()[..], &(!length).to_le_bytes(), &pixels].concat();
    let data = [&[0x78, 0x01, 0x01][..], &stored, &(b << 16 | a).to_be_bytes()].concat();
    let header = [0, 0, 0, width, 0, 0, 0, height, 8, 0, 0, 0, 0];
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, body) in [(b"IHDR", &header[..]), (b"IDAT", &data), (b"IEND", &[])] {
        let named = [&kind[..], body].concat();
        out.extend((body.len() as u32).to_be_bytes());
        out.extend(&named);
        out.extend(crc(&named).to_be_bytes());
    }
    out
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// Runs a program with and without properties: output, status and, on the trace that was
/// collected, the reference's verdicts are the same.
fn compare(name: &str, args: &[&str], model: &Arc<Model>, settings: Settings) -> Option<Ran> {
    let program = installed(name)?;
    let expected = plain(&program, args);
    let ran = run(&program, args, model, settings);
    assert_eq!(ran.status.shell_code(), expected.1, "{name}");
    let (got, wanted) =
        (String::from_utf8_lossy(&ran.output), String::from_utf8_lossy(&expected.0));
    assert_eq!(got, wanted, "{name}");
    let mut reference = Reference::new((**model).clone());
    for event in &ran.trace {
        reference.step(event).unwrap();
    }
    reference.end();
    let messages = |reports: &[Report]| -> Vec<String> {
        reports.iter().map(|r| format!("{:?} {:?} {}", r.property, r.binding, r.index)).collect()
    };
    let found: Vec<Report> = ran.found.iter().map(|f| f.report.clone()).collect();
    assert_eq!(messages(&found), messages(reference.reports()), "{name}");
    Some(ran)
}

/// Which properties were violated.
fn violated(ran: &Ran, model: &Model) -> BTreeSet<String> {
    let reports = ran.found.iter().filter(|f| f.report.kind == ReportKind::Violation);
    reports.map(|f| model.properties[f.report.property.index()].name.clone()).collect()
}

#[test]
fn output_and_status_are_those_of_an_unmonitored_run() {
    guarded(600, || {
        let model = model(&example("files.ww"));
        let picture = picture();
        let tools: [(&str, &[&str]); 2] =
            [("gdk-pixbuf-csource", &["--raw", &picture]), ("pngfix", &[&picture])];
        let (mut compared, mut open) = (0, Vec::new());
        for (name, args) in PROGRAMS.iter().chain(&tools) {
            let Some(ran) = compare(name, args, &model, Settings::default()) else { continue };
            let violated = violated(&ran, &model);
            assert!(!violated.contains("ClosedStreams"), "{name}: {:?}", ran.found);
            if violated.contains("EveryStreamClosed") {
                open.push(*name);
            }
            compared += 1;
        }
        assert!(compared >= 20, "only {compared} programs are installed");
        eprintln!("streams are left open by {open:?}");
        assert!(open.is_empty(), "{open:?}");
    });
}

#[test]
fn no_invalidated_iterator_is_used_in_glib_programs() {
    guarded(120, || {
        let model = model(&example("glib-iterator.ww"));
        let picture = picture();
        let programs: [(&str, &[&str]); 3] = [
            ("gapplication", &["list-apps"]),
            ("gdbus", &["help"]),
            ("gdk-pixbuf-csource", &["--raw", &picture]),
        ];
        for (name, args) in programs {
            let settings = Settings { dynamic: false, ..Settings::default() };
            let Some(ran) = compare(name, args, &model, settings) else { continue };
            assert!(ran.by_event.iter().sum::<u64>() > 0, "{name}: no event of GLib's tables");
            assert!(ran.found.is_empty(), "{:?}", ran.found);
        }
    });
}
