//! What residual analysis leaves to be monitored in programs people use, and what that saves.
//!
//! The programs are jars of Debian packages; those that are not installed are left out, by name. Sites
//! are counted in all classes of the jars; events in one run, with and without `--residual`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use watchword_cli::args::{Color, Global};
use watchword_cli::classes::Classes;
use watchword_cli::residual::{Request, analyse};
use watchword_spec::SourceFile;

use crate::report::Report;

/// A program: its own jars, jars beside it, and how it is run: main class and arguments, where
/// `IN` and `OUT` are the input and a file to write.
struct Subject {
    name: &'static str,
    own: &'static [&'static str],
    beside: &'static [&'static str],
    run: Option<(&'static [&'static str], Input)>,
}

/// Makes the text that a program is given.
type Input = fn() -> String;

const SUBJECTS: [Subject; 8] = [
    Subject {
        name: "h2",
        own: &["h2"],
        beside: &[],
        run: Some((
            &["org.h2.tools.RunScript", "-url", "jdbc:h2:mem:t", "-script", "IN"],
            statements,
        )),
    },
    Subject {
        name: "closure-compiler",
        own: &["closure-compiler"],
        beside: &["args4j", "guava", "json", "rhino", "jsr305"],
        run: Some((
            &[
                "com.google.javascript.jscomp.CommandLineRunner",
                "--js",
                "IN",
                "--js_output_file",
                "OUT",
                "--warning_level",
                "QUIET",
            ],
            script,
        )),
    },
    Subject {
        name: "fop",
        own: &["fop"],
        beside: &["commons-io", "serializer", "batik-all", "xmlgraphics-commons", "fontbox2"],
        run: None,
    },
    Subject {
        name: "checkstyle",
        own: &["checkstyle"],
        beside: &["antlr4-runtime", "antlr", "guava", "commons-beanutils", "picocli"],
        run: None,
    },
    Subject {
        name: "pdfbox",
        own: &["pdfbox2"],
        beside: &["fontbox2", "commons-logging"],
        run: None,
    },
    Subject { name: "sunflow", own: &["sunflow"], beside: &["janino"], run: None },
    Subject { name: "guava", own: &["guava"], beside: &[], run: None },
    Subject { name: "jgrapht", own: &["jgrapht-core"], beside: &["jheaps"], run: None },
];

const PROPERTIES: [(&str, &str); 3] = [
    ("HasNext", include_str!("../../examples/residual/hasnext.ww")),
    ("SafeIterator", include_str!("../../examples/residual/iterators.ww")),
    ("SafeMapIterator", include_str!("../../examples/residual/maps.ww")),
];

fn jar(name: &str) -> PathBuf {
    Path::new("/usr/share/java").join(format!("{name}.jar"))
}

/// A table of sites, and one of events.
pub fn all(scratch: &Path) {
    let mut report = Report::default();
    let columns =
        ["program", "classes", "property", "methods", "sites", "silenced", "share", "seconds"];
    report.table("Sites that need not be monitored", &columns);
    let mut shares: [Vec<f64>; 3] = Default::default();
    let mut missing = Vec::new();
    let global = Global { format: None, color: Color::Never, quiet: true, verbose: false };
    for subject in &SUBJECTS {
        let own: Vec<PathBuf> = subject.own.iter().map(|name| jar(name)).collect();
        if own.iter().any(|path| !path.exists()) {
            missing.push(subject.name);
            continue;
        }
        let beside = subject.beside.iter().map(|name| jar(name));
        let beside: Vec<PathBuf> = beside.filter(|path| path.exists()).collect();
        let own = Classes::read(&own).expect("a jar of the system can be read");
        let beside = Classes::read(&beside).expect("a jar of the system can be read");
        for (index, (name, text)) in PROPERTIES.iter().enumerate() {
            let file = SourceFile::new(&format!("{name}.ww"), text);
            let loaded = watchword_spec::load(&[file], &|_, path| Err(path.to_owned()));
            let model = loaded.model.expect("a shipped example is in order");
            let begun = Instant::now();
            let found = analyse(&Request::default(), &model, &own, &beside, &global);
            let found = found.expect("the jars can be analysed");
            let (result, _) = &found.reports[0];
            let (sites, silenced) = (result.sites.len(), result.silenced());
            let share = 100.0 * silenced as f64 / sites.max(1) as f64;
            if sites > 0 {
                shares[index].push(share);
            }
            report.row(&[
                subject.name.to_string(),
                found.classes.to_string(),
                name.to_string(),
                result.methods.to_string(),
                sites.to_string(),
                silenced.to_string(),
                format!("{share:.1} %"),
                format!("{:.2}", begun.elapsed().as_secs_f64()),
            ]);
        }
    }
    if !missing.is_empty() {
        report.line(format!("\nnot installed: {}", missing.join(", ")));
    }
    for (values, (name, goal)) in shares.iter_mut().zip([
        ("HasNext", 70.0),
        ("SafeIterator", 65.0),
        ("SafeMapIterator", 65.0),
    ]) {
        values.sort_by(f64::total_cmp);
        if let Some(median) = values.get(values.len() / 2) {
            report.goal(&format!("{name}: sites silenced, median"), *median, goal, " %");
        }
    }
    events(&mut report, scratch);
    report.marks();
}

/// Events of one run, all three properties together.
fn events(report: &mut Report, scratch: &Path) {
    let columns =
        ["program", "events, full", "events, residual", "seconds, full", "seconds, residual"];
    report.table("Events of a run", &columns);
    let ours =
        std::env::current_exe().expect("this program has a path").with_file_name("watchword");
    let mut files = Vec::new();
    for (name, text) in PROPERTIES {
        let path = scratch.join(format!("{name}.ww"));
        std::fs::write(&path, text).expect("the scratch folder can be written");
        files.push(path);
    }
    for subject in &SUBJECTS {
        let Some((arguments, input)) = subject.run else { continue };
        let jars: Vec<PathBuf> = subject.own.iter().chain(subject.beside).map(|n| jar(n)).collect();
        if !jar(subject.own[0]).exists() {
            continue;
        }
        let file = scratch.join(format!("{}.in", subject.name));
        std::fs::write(&file, input()).expect("the scratch folder can be written");
        let out = scratch.join("out");
        let path: Vec<String> =
            jars.iter().filter(|j| j.exists()).map(|j| j.display().to_string()).collect();
        let run = |residual: bool| {
            let result = scratch.join("report.json");
            let mut command = Command::new(&ours);
            command.arg("java").arg("-q").args(residual.then_some("--residual"));
            for file in &files {
                command.arg("-p").arg(file);
            }
            command.arg("--report").arg(&result).arg("--").arg("-cp").arg(path.join(":"));
            for argument in arguments {
                match *argument {
                    "IN" => command.arg(&file),
                    "OUT" => command.arg(&out),
                    other => command.arg(other),
                };
            }
            let begun = Instant::now();
            let done = command.output().expect("watchword is beside this program");
            let seconds = begun.elapsed().as_secs_f64();
            if !done.status.success() {
                eprintln!("{}: {}", subject.name, String::from_utf8_lossy(&done.stderr));
            }
            let text = std::fs::read_to_string(&result).unwrap_or_default();
            (events_of(&text), seconds)
        };
        let (full, full_seconds) = run(false);
        // The second run finds the analysis in the cache.
        run(true);
        let (residual, residual_seconds) = run(true);
        report.row(&[
            subject.name.to_string(),
            full.to_string(),
            residual.to_string(),
            format!("{full_seconds:.2}"),
            format!("{residual_seconds:.2}"),
        ]);
    }
}

/// The number of events in a report.
fn events_of(report: &str) -> u64 {
    let stats = report.split("\"stats\"").nth(1).unwrap_or_default();
    let number = stats.split("\"events\":").nth(1).unwrap_or_default().trim_start();
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// Statements for a database.
fn statements() -> String {
    let mut text = String::from("create table t(a int primary key, b varchar(40), c int);\n");
    for i in 0..4000 {
        text += &format!("insert into t values({i}, 'row {i}', {});\n", i * 7919 % 1000);
    }
    for i in 0..400 {
        text +=
            &format!("select b, count(*) from t where c > {i} group by b order by b limit 5;\n");
        text += &format!("update t set c = c + 1 where a = {i};\n");
    }
    text
}

/// A program for a compiler.
fn script() -> String {
    let mut text = String::new();
    for i in 0..600 {
        text += &format!(
            "function f{i}(a, b) {{ var x = a + {i}; for (var j = 0; j < b; j++) {{ x += j * a; \
             if (x > 100) {{ x = f{}(x, j); }} }} return x; }}\n",
            (i + 1) % 600
        );
    }
    text + "alert(f0(1, 2));\n"
}
