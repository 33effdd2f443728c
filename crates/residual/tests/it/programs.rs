//! Java programs beside what is silenced in them.
//!
//! `X.java` is compiled and analysed with `X.ww`, or `default.ww` if there is none; `X.expected` says
//! what becomes of every site under the sound analysis and under the published one in both readings.
//! Run with `UPDATE_EXPECTED=1` to write what is found; read the difference before keeping it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use watchword_classfile::source::JImage;
use watchword_model::PropertyId;
use watchword_residual::analysis::{
    Asked, PropertyReport, Shared, Status, analyse_as, analyse_with,
};
use watchword_residual::jvm::program::Program;
use watchword_residual::mistake::{Mistake, make};
use watchword_residual::model::SafeList;
use watchword_residual::paper::{Reading, reachability};
use watchword_residual::proof::{Proof, Proofs, parse};

use crate::fuzz::model;
use crate::random::Random;

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// The JDK, or why the test cannot run.
pub fn jdk() -> Option<PathBuf> {
    let home = Command::new("java").args(["-XshowSettings:properties", "-version"]).output().ok();
    let home = home.and_then(|out| {
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        let line = text.lines().find_map(|l| l.trim().strip_prefix("java.home = "))?.to_owned();
        Some(PathBuf::from(line))
    });
    let usable = home.filter(|home| {
        home.join("lib/modules").exists() && Command::new("javac").arg("-version").output().is_ok()
    });
    if usable.is_none() {
        assert!(std::env::var_os("CI").is_none(), "no JDK, and CI is set");
        println!("skipped: no JDK");
    }
    usable
}

/// Compiles sources into a directory of its own.
pub fn compile(sources: &[PathBuf], name: &str) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&out);
    fs::create_dir_all(&out).expect("a directory for classes");
    let run = Command::new("javac")
        .args(["-g", "--release", "17", "-nowarn", "-d"])
        .arg(&out)
        .args(sources)
        .output()
        .expect("javac runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    out
}

pub fn classes(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = fs::read_dir(directory)
        .expect("the directory is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "class"))
        .map(|path| (path.display().to_string(), fs::read(&path).expect("a class file")))
        .collect();
    all.sort();
    all
}

fn show(title: &str, report: &PropertyReport) -> String {
    assert_eq!(report.unsupported, None);
    let mut text = format!("{title}: {} of {} silenced\n", report.silenced(), report.sites.len());
    let mut sites: Vec<_> = report.sites.iter().collect();
    sites.sort_by_key(|s| (s.line, s.offset));
    for site in sites {
        let status = match &site.status {
            Status::Silenced(tier) => format!("silenced {}", tier.name()),
            Status::Left(why) => format!("left     {why}"),
        };
        let line = site.line.unwrap_or(0);
        text += &format!("  {line:3} {:10} {:8} {status}\n", site.method, site.event);
    }
    text
}

#[test]
fn silenced_sites_are_as_expected() {
    let Some(programs) = Programs::compiled() else { return };
    let wrong = programs.differences(None);
    assert!(wrong.is_empty(), "not as expected:\n{}", wrong.join("\n"));
}

/// Every rule is needed: without it, a program of these is analysed otherwise, or the checker objects.
#[test]
fn every_broken_rule_is_noticed_by_a_program() {
    let Some(programs) = Programs::compiled() else { return };
    let all = Mistake::OF_PROGRAMS.iter().chain(&Mistake::OF_METHODS);
    let unnoticed: Vec<&Mistake> =
        all.filter(|mistake| programs.differences(Some(**mistake)).is_empty()).collect();
    assert!(unnoticed.is_empty(), "nobody noticed: {unnoticed:?}");
}

/// Certificates that are written down are confirmed when they are read; without any one of their
/// lines, or with another number in one, they are not, or prove less.
#[test]
fn certificates_are_checked_again() {
    let Some(programs) = Programs::compiled() else { return };
    let model =
        model(&fs::read_to_string(self::programs().join("default.ww")).expect("it is there"));
    let own = programs.of("Rules");
    let program = Program::new(own, Vec::new(), &programs.image, true);
    let analyse = |given: Option<&Proofs>| {
        let mut text = format!("property\t{}\n", model.properties[0].name);
        let mut keep = |proof: Proof| text += &proof.to_text();
        let mut quiet = |_, _| {};
        let shared = Shared::of(vec![PropertyId(0)]);
        let progress = &mut quiet;
        let asked = Asked { alone: false, progress, keep: Some(&mut keep), given, shared: &shared };
        let report = analyse_as(&program, &model, PropertyId(0), asked);
        (report, text)
    };
    let (found, text) = analyse(None);
    let statuses = |report: &PropertyReport| -> Vec<bool> {
        report.sites.iter().map(|site| matches!(site.status, Status::Silenced(_))).collect()
    };
    let (again, _) = analyse(Some(&parse(&text).expect("as it was written")));
    assert_eq!(again.rejected, Vec::<String>::new());
    assert_eq!(statuses(&again), statuses(&found));
    assert!(text.lines().filter(|line| line.starts_with("at\t")).count() > 100);
    let lines: Vec<&str> = text.lines().collect();
    let mut random = Random::new(5);
    for round in 0..200 {
        let at = random.below(lines.len());
        let mut changed: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        let is_point = lines[at].starts_with("at\t");
        if round % 2 == 0 {
            changed.remove(at);
        } else {
            let digits = |c: char| {
                if c.is_ascii_digit() { random.below(10).to_string() } else { c.to_string() }
            };
            changed[at] = lines[at].chars().map(digits).collect();
        }
        let Ok(proofs) = parse(&changed.join("\n")) else { continue };
        let (again, _) = analyse(Some(&proofs));
        if round % 2 == 0 && is_point {
            assert!(!again.rejected.is_empty(), "nobody misses {}", lines[at]);
        }
        for (now, before) in statuses(&again).iter().zip(statuses(&found)) {
            assert!(before || !now, "a site is silenced that was not: {}", changed[at]);
        }
    }
}

/// The programs, compiled once for all tests.
struct Programs {
    image: JImage<Vec<u8>>,
    sources: Vec<PathBuf>,
    classes: Vec<(String, Vec<u8>)>,
}

impl Programs {
    fn compiled() -> Option<&'static Programs> {
        static COMPILED: OnceLock<Option<Programs>> = OnceLock::new();
        COMPILED
            .get_or_init(|| {
                let modules = fs::read(jdk()?.join("lib/modules")).expect("an image");
                let mut sources: Vec<PathBuf> = fs::read_dir(programs())
                    .expect("programs")
                    .map(|entry| entry.expect("an entry").path())
                    .filter(|path| path.extension().is_some_and(|e| e == "java"))
                    .collect();
                sources.sort();
                assert!(sources.len() >= 15);
                let classes = classes(&compile(&sources, "programs"));
                let image = JImage::parse(modules).expect("an image");
                Some(Programs { image, sources, classes })
            })
            .as_ref()
    }

    /// The classes of a program.
    fn of(&self, name: &str) -> Vec<(String, &[u8])> {
        let own = |path: &str| {
            let file = Path::new(path).file_stem().expect("a name").to_string_lossy().into_owned();
            file == name || file.starts_with(&format!("{name}$"))
        };
        let all = self.classes.iter().filter(|(path, _)| own(path));
        all.map(|(path, bytes)| (path.clone(), bytes.as_slice())).collect()
    }

    /// Programs for which something else is found out than expected, with a mistake or without.
    fn differences(&self, mistake: Option<Mistake>) -> Vec<String> {
        let Programs { image, sources, .. } = self;
        let mut wrong = Vec::new();
        for source in sources {
            let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
            let property = source.with_extension("ww");
            let property = if property.exists() { property } else { programs().join("default.ww") };
            let model = model(&fs::read_to_string(property).expect("a property"));
            let own = self.of(&name);
            make(mistake);
            let program = Program::new(own, Vec::new(), image, true);
            assert!(program.code.broken.is_empty(), "{:?}", program.code.broken);
            // Some programs are about runs of a single thread.
            let alone = name.starts_with("Alone");
            let sound = analyse_with(&program, &model, PropertyId(0), alone, &mut |_, _| {});
            let sound = show("sound", &sound);
            make(None);
            let expected = source.with_extension("expected");
            if mistake.is_some() {
                // One is enough.
                let known = fs::read_to_string(&expected).unwrap_or_default();
                if !known.starts_with(&sound) {
                    return vec![name];
                }
                continue;
            }
            let safe = SafeList::jdk();
            let text = sound
                + &show(
                    "paper, by the text",
                    &reachability(&program, &model, PropertyId(0), Reading::Text, &safe),
                )
                + &show(
                    "paper, by the formula",
                    &reachability(&program, &model, PropertyId(0), Reading::Formula, &safe),
                );
            if std::env::var_os("UPDATE_EXPECTED").is_some() {
                fs::write(&expected, &text).expect("can be written");
            } else if fs::read_to_string(&expected).unwrap_or_default() != text {
                wrong.push(format!("{name}:\n{text}"));
            }
        }
        wrong
    }
}
